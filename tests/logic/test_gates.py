"""Gates, networks and truth tables against Python's own arithmetic."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import logic
from rosenblatt.logic import AND, AT_LEAST, MAJORITY, NAND, NOR, NOT, OR, Gate, Network, TruthTable


@pytest.mark.parametrize("n", [1, 2, 3, 7, 12])
def test_named_gates(n: int) -> None:
    for row in itertools.islice(itertools.product([0, 1], repeat=n), 500):
        ones = sum(row)
        assert AND(n)(*row) == (ones == n)
        assert OR(n)(*row) == (ones > 0)
        assert NAND(n)(*row) == (ones < n)
        assert NOR(n)(*row) == (ones == 0)
        assert MAJORITY(n)(*row) == (2 * ones > n)
        assert AT_LEAST(2, n)(*row) == (ones >= 2)
    assert [NOT()(0), NOT()(1)] == [1, 0]


@given(st.lists(st.integers(-(10**30), 10**30), max_size=5), st.integers(-(10**30), 10**30))
def test_gates_of_any_size_are_exact(weights: list[int], threshold: int) -> None:
    gate = Gate(weights, threshold)
    table = gate.truth_table()
    for row in itertools.product([0, 1], repeat=len(weights)):
        assert table(*row) == (sum(w * x for w, x in zip(weights, row, strict=True)) >= threshold)


def test_floats_and_fractions_are_taken_as_what_they_are() -> None:
    assert Gate([0.1, 0.2], 0.3)(1, 1) == (Fraction(0.1) + Fraction(0.2) >= Fraction(0.3)) == 1
    assert Gate([0.1] * 10, 1.0)([[1] * 10]) == [1]  # float sums say 0.9999999999999999
    assert Gate([Fraction(1, 3)] * 3, 1)(1, 1, 1) == 1
    assert Gate([2.0, np.int64(1)], np.float64(3.0)) == Gate([2, 1], 3)
    assert Gate([-0.0, 5e-324], 5e-324)(0, 1) == 1
    assert repr(Gate([0.5, 1], 1)) == "Gate([0.5, 1], 1)"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Gate([np.nan], 0), "weight 0 must be a finite number"),
        (lambda: Gate([1], np.inf), "the threshold must be a finite number"),
        (lambda: Gate(["1"], 0), "weight 0"),
        (lambda: AND(0), "1 to 100,000 inputs; got 0"),
        (lambda: AT_LEAST(2, 10**9), "1 to 100,000 inputs; got 1000000000"),
        (lambda: AND()(1, 2), "inputs of a gate are 0 and 1"),
        (lambda: AND()(1, 0, 1), "takes 2 inputs; got 3"),
        (lambda: AND(13).truth_table(), "13 inputs"),
        (lambda: TruthTable([0, 1, 1]), r"2\^n values"),
        (lambda: TruthTable([0, 2]), "row 1 has 2"),
        (lambda: TruthTable("0a"), "row 1 has 'a'"),
        (lambda: TruthTable([0, 1], ["p", "q"]), "1 variables; 2 are named"),
        (lambda: TruthTable([0, 1, 1, 0], ["p", "p"]), "same name"),
        (lambda: TruthTable([0] * 8192), "up to 12 variables"),
        (lambda: TruthTable("0110")(1), "takes 2 inputs"),
        (lambda: Network([]), "one layer or more"),
        (lambda: Network([[AND(2)], [OR(2)]]), "layer 1 has a gate with 2 inputs where 1 signals arrive"),
        (lambda: Network([[AND(2)]], ["a"]), "takes 2 inputs; 1 are named"),
        (lambda: Network([[AND(), OR()]]).truth_table(), "2 outputs"),
    ],
)
def test_bad_gates(make: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()  # type: ignore[operator]


def test_xor_by_hand_and_by_synthesis() -> None:
    by_hand = Network([[NAND(), OR()], [AND()]])
    assert by_hand.truth_table() == TruthTable("0110")
    assert by_hand.n_gates == 3
    found = logic.synthesize("a xor b")
    assert found.network.truth_table() == by_hand.truth_table()
    assert (found.hidden, found.at_least, found.smallest) == (2, 2, True)
    assert found.witness is not None
    assert set(found.witness.true) == {(0, 1), (1, 0)}
    assert set(found.witness.false) == {(0, 0), (1, 1)}


def test_networks_with_several_outputs_and_layers() -> None:
    half_adder = Network([[NAND(), OR(), AND()], [Gate([1, 1, 0], 2), Gate([0, 0, 1], 1)]], ["p", "q"])
    assert half_adder(1, 1) == (0, 1)
    assert half_adder(np.array([[0, 1], [1, 1]])).tolist() == [[1, 0], [0, 1]]
    assert half_adder.table().split("\n")[0] == "p q | h1 h2 h3 | f1 f2"
    assert half_adder.table().split("\n")[-1] == "1 1 |  0  1  1 |  0  1"
    assert str(half_adder).split("\n")[-1] == "f2 fires when h3 ≥ 1"
    assert [layer.shape for layer in half_adder.signals(np.eye(2))] == [(2, 3), (2, 2)]


def test_tables_print_with_long_names_and_without_variables() -> None:
    assert str(TruthTable([0, 1], ["rain"])) == "rain | f\n-----+--\n   0 | 0\n   1 | 1"
    assert str(TruthTable([1])) == "f\n-\n1"
    assert "<td>1</td>" in TruthTable([0, 1])._repr_html_()
    assert ~TruthTable("0110") == TruthTable("1001")
    assert len({TruthTable("01"), TruthTable("01", ["z"])}) == 1


def test_inputs_named_like_gates_and_more_inputs_than_letters() -> None:
    """It said "f fires when f ≥ 1"; of 30 inputs 26 had names."""
    assert str(Network([[AND(), OR()], [AND()]], ["h1", "f"])) == (
        "H1 fires when h1 + f ≥ 2\nH2 fires when h1 + f ≥ 1\nF fires when H1 + H2 ≥ 2"
    )
    many = Network([[MAJORITY(30)]])
    assert many.variables[-1] == "x30"
    assert many(*[1] * 16, *[0] * 14) == 1
    assert MAJORITY(30).draw() is not None


def test_formulas() -> None:
    assert Gate([2, -1, 0, -3], -1).formula("abcd") == "2·a - b - 3·d ≥ -1"
    assert Gate([0], 1).formula() == "0 ≥ 1"


def test_drawings() -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    network = logic.synthesize("a xor b xor c").network
    ax = network.draw()
    texts = [text.get_text() for text in ax.texts]
    for name in ("a", "b", "c", "f"):
        assert name in texts
    assert sum(text.startswith("≥") for text in texts) == network.n_gates
    _, mine = plt.subplots()
    assert AND(3).draw(mine, ["p", "q", "r"]) is mine
    assert {"p", "q", "r", "≥ 3"} <= {text.get_text() for text in mine.texts}
    plt.close("all")
