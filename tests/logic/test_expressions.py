"""Expressions against Python's own evaluation of the same text; nothing but the known is accepted."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.logic import as_table


def texts(depth: int) -> st.SearchStrategy[str]:
    leaf = st.sampled_from(
        ["a", "b", "c", "0", "1", "True", "(a + b + c >= 2)", "(2*a - b < c)", "(a == b)", "(a != c)"]
    )
    if depth == 0:
        return leaf
    smaller = texts(depth - 1)
    return st.one_of(
        leaf,
        st.tuples(smaller, st.sampled_from([" and ", " or ", " & ", " | ", " ^ "]), smaller).map(
            lambda t: f"({t[0]}{t[1]}{t[2]})"
        ),
        smaller.map(lambda t: f"(not {t})"),
    )


@given(texts(4))
def test_against_pythons_evaluation(text: str) -> None:
    table = as_table(text)
    for row in itertools.product([0, 1], repeat=table.n):
        names = {name: bool(value) for name, value in zip(table.variables, row, strict=True)}
        assert table(*row) == bool(eval(text, {"__builtins__": {}}, names))  # the text is ours


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a xor b", "0110"),
        ("a xnor b", "1001"),
        ("a nand b", "1110"),
        ("a nor b", "1000"),
        ("a implies b", "1101"),
        ("a xor not b", "1001"),
        ("a xor not (b or c)", "10000111"),
        ("a or b xor c", "01101111"),
        ("a xor b xor c", "01101001"),
        ("a nand b nand c", "10101011"),
        ("nand(a, b, c)", "11111110"),
        ("(a and b) nor c", "10101000"),
        ("majority(a, b, c)", "00010111"),
        ("at_least(2, a, b, c)", "00010111"),
        ("a + b + c >= 2", "00010111"),
        ("a + b + c == 1", "01101000"),
        ("0 < a + b < 2", "0110"),
        ("-a + 2*b > 0", "0101"),
        ("~a", "10"),
        ("1", "1"),
        ("2", "1"),
        ("0110", "0110"),
        ("not xor(a, b)", "1001"),
        ("a AND (b OR c)", "00000111"),
        ("A Xor NOT B", "1001"),
        ("MAJORITY(a, b, c)", "00010111"),
        ("a && !b || c", "01011101"),
        ("a ∧ ¬b ∨ c", "01011101"),
        ("a ⊕ b", "0110"),
        ("!a nand b", "1011"),
        ("a != b", "0110"),
        ("true and a", "01"),
        ("a or FALSE", "01"),
    ],
)
def test_what_is_known(text: str, values: str) -> None:
    assert "".join(str(int(v)) for v in as_table(text).values) == values


def test_variables_in_the_order_of_appearance_or_as_told() -> None:
    assert as_table("b and a").variables == ("b", "a")
    table = as_table("b and not a", variables=["a", "b", "c"])
    assert [table(*row) for row in itertools.product([0, 1], repeat=3)] == [0, 0, 1, 1, 0, 0, 0, 0]
    with pytest.raises(ValueError, match="variable 'b', which is not among"):
        as_table("a and b", variables=["a"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("__import__('os').system('true')", "not known here"),
        ("a.b", "not known here"),
        ("a if b else c", "not known here"),
        ("a ** b", "not known here"),
        ("a / b", "not known here"),
        ("[a]", "not known here"),
        ("a in b", "not known here"),
        ("f(a)", "functions are xor"),
        ("xor(a, b, key=1)", "functions are xor"),
        ("at_least(2)", "takes 2 or more values"),
        ("implies(a, b, c)", "takes 2 values"),
        ("0.5 * a", "only whole numbers"),
        ("'a'", "only whole numbers"),
        ("99999999999", "only whole numbers"),
        ("xor", "is a function"),
        ("a and", "not an expression"),
        ("a b", "not an expression"),
        ("(a", "not an expression"),
        ("", "not an expression"),
        ("a = b", "not an expression: check parentheses, and write and, or, not, xor, nand, nor, implies"),
        ("in and out", "not an expression: 'in' is a word of Python and cannot be a name"),
        ("a" * 5000, "5000 characters"),
        ("~" * 3000 + "a", "nested too deeply|not an expression"),
        (" and ".join(f"x{i}" for i in range(13)), "13 variables"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        as_table(text)


def test_callables_and_tables() -> None:
    assert as_table(lambda p, q: p and not q).variables == ("p", "q")
    assert as_table(lambda *v: sum(v) > 1, variables="xyz").variables == ("x", "y", "z")
    with pytest.raises(ValueError, match="cannot be told"):
        as_table(lambda *v: 1)
    with pytest.raises(ValueError, match="13 inputs"):
        as_table(lambda *v: 1, variables=[f"x{i}" for i in range(13)])
    assert as_table([True, False]).values.tolist() == [True, False]
    assert as_table(as_table("a or b"), variables=["p", "q"]).variables == ("p", "q")
