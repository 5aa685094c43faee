"""Boolean expressions: Python parses them, this file evaluates a few kinds of nodes and refuses all others.

Python itself evaluates nothing. Values are 0 and 1, so that `a + b + c >= 2` means what it says.

The truth table of a Boolean function, given as an expression, table, gate, network or Python callable.
"""

import ast
import inspect
import io
import operator
import re
import tokenize
from collections.abc import Callable, Sequence
from functools import reduce
from keyword import iskeyword
from typing import Any

import numpy as np

from rosenblatt.logic.gates import Gate
from rosenblatt.logic.network import Network
from rosenblatt.logic.truth_table import MOST_VARIABLES, TruthTable, input_rows

__all__ = ["as_table", "parse_expression"]

Values = Any  # an object array of whole numbers, one for each row of the truth table


def _truth(v: Values) -> Values:
    return (v != 0).astype(object) * 1


def _all(*values: Values) -> Values:
    return reduce(operator.mul, map(_truth, values))


def _any(*values: Values) -> Values:
    return _truth(sum(map(_truth, values)))


def _odd(*values: Values) -> Values:
    return sum(map(_truth, values)) % 2


_FUNCTIONS: dict[str, Callable[..., Values]] = {
    "xor": _odd,
    "xnor": lambda *v: 1 - _odd(*v),
    "nand": lambda *v: 1 - _all(*v),
    "nor": lambda *v: 1 - _any(*v),
    "majority": lambda *v: (2 * sum(map(_truth, v)) > len(v)) * 1,
    "at_least": lambda k, *v: (sum(map(_truth, v)) >= k) * 1,
    "implies": lambda a, b: _any(1 - _truth(a), b),
}
_INFIX = ("xor", "xnor", "nand", "nor", "implies")
_WORDS = {word: word for word in ("and", "or", "not", *_FUNCTIONS)} | {"true": "True", "false": "False"}  # in any case
_SIGNS = {"&&": " and ", "||": " or ", "∧": " and ", "∨": " or ", "⊕": " xor ", "¬": "~", "!": "~", "!=": "!="}
_COMPARE: dict[type, Callable[[Values, Values], Values]] = {
    ast.GtE: operator.ge,
    ast.Gt: operator.gt,
    ast.LtE: operator.le,
    ast.Lt: operator.lt,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_BINARY: dict[type, Callable[[Values, Values], Values]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.BitAnd: _all,
    ast.BitOr: _any,
    ast.BitXor: _odd,
}
_LARGEST = 10**9
_LONGEST = 4000  # characters; deep nesting is stopped by this too


def parse_expression(text: str) -> TruthTable:
    """The truth table of an expression; its variables in the order in which they appear.

    It may have and, or, not (or &, |, ~, or &&, ||, !, or ∧, ∨, ¬); xor (or ^, ⊕), xnor, nand, nor, implies, between
    operands or as functions; majority(a, b, c), at_least(2, a, b, c); sums of variables with whole factors,
    comparisons, 0 and 1, true and false. Between operands xor, xnor, nand, nor and implies bind more tightly than and,
    and group from the left. Capitals are allowed.

    >>> print(parse_expression("a and not b"))
    a b | f
    ----+--
    0 0 | 0
    0 1 | 0
    1 0 | 1
    1 1 | 0
    """
    if len(text) > _LONGEST:
        raise ValueError(f"the expression has {len(text)} characters; at most {_LONGEST} are read.")
    try:
        tree = ast.parse(_infix(text).strip(), mode="eval")
    except (SyntaxError, tokenize.TokenError, ValueError, RecursionError, MemoryError):
        word = next((word for word in re.findall(r"\w+", text) if iskeyword(word) and word.lower() not in _WORDS), None)
        why = "check parentheses, and write and, or, not, xor, nand, nor, implies between names"
        if word is not None:
            why = f"{word!r} is a word of Python and cannot be a name"
        raise ValueError(f"{text!r} is not an expression: {why}.") from None
    variables = _variables(tree)
    if len(variables) > MOST_VARIABLES:
        raise ValueError(f"the expression has {len(variables)} variables; at most {MOST_VARIABLES} are taken.")
    rows = input_rows(len(variables))
    known = {name: rows[:, k].astype(object) for k, name in enumerate(variables)}
    try:
        values = _ExpressionReader(text, known, len(rows)).visit(tree.body)
    except RecursionError:
        raise ValueError("the expression is nested too deeply.") from None
    return TruthTable(_truth(values).astype(int), variables)


def _infix(text: str) -> str:
    """Write `a xor b` as `a ^xor^ b`, which Python can parse; `xor(a, b)` stays as it is."""
    text = re.sub(r"&&|\|\||!=|[∧∨⊕¬!]", lambda sign: _SIGNS[sign[0]], text.strip())
    tokens = [t.string for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.string.strip()]
    tokens = [_WORDS.get(token.lower(), token) for token in tokens]
    out = []
    for k, token in enumerate(tokens):
        before = tokens[k - 1] if k else ""
        between = token in _INFIX and (before == ")" or before.isidentifier() or before.isdigit())
        if between and before not in (*_INFIX, "and", "or", "not"):
            out.append(f"^{token}^")
        elif token == "not" and before in _INFIX:
            out.append("~")  # Python has no `a ^ not b`
        else:
            out.append(token)
    return " ".join(out)


def _variables(tree: ast.AST) -> list[str]:
    """Names in the order in which they are written."""
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id not in _FUNCTIONS]
    names.sort(key=lambda node: (node.lineno, node.col_offset))
    return list(dict.fromkeys(node.id for node in names))


class _ExpressionReader(ast.NodeVisitor):
    """Values of an expression on all rows at once."""

    def __init__(self, text: str, known: dict[str, Values], rows: int) -> None:
        self.text, self.known, self.rows = text, known, rows

    def visit_Name(self, node: ast.Name) -> Values:
        if node.id not in self.known:
            raise ValueError(f"{node.id!r} is a function: write {node.id}(a, b), or a {node.id} b.")
        return self.known[node.id]

    def visit_Constant(self, node: ast.Constant) -> Values:
        if not isinstance(node.value, (bool, int)) or abs(node.value) > _LARGEST:
            raise ValueError(f"{node.value!r} in {self.text!r}: only whole numbers up to 10^9 are known here.")
        return np.full(self.rows, int(node.value), dtype=object)

    def visit_BoolOp(self, node: ast.BoolOp) -> Values:
        values = [self.visit(value) for value in node.values]
        return _all(*values) if isinstance(node.op, ast.And) else _any(*values)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Values:
        value = self.visit(node.operand)
        if isinstance(node.op, (ast.Not, ast.Invert)):
            return 1 - _truth(value)
        return -value if isinstance(node.op, ast.USub) else value

    def visit_BinOp(self, node: ast.BinOp) -> Values:
        word = node.left.right if isinstance(node.left, ast.BinOp) else None
        if isinstance(node.op, ast.BitXor) and isinstance(word, ast.Name) and word.id in _INFIX:
            assert isinstance(node.left, ast.BinOp)
            return _FUNCTIONS[word.id](self.visit(node.left.left), self.visit(node.right))
        if type(node.op) not in _BINARY:
            return self.generic_visit(node)
        return _BINARY[type(node.op)](self.visit(node.left), self.visit(node.right))

    def visit_Compare(self, node: ast.Compare) -> Values:
        sides = [self.visit(side) for side in (node.left, *node.comparators)]
        if not all(type(op) in _COMPARE for op in node.ops):
            return self.generic_visit(node)
        pairs = zip(node.ops, sides, sides[1:], strict=False)
        return _all(*(_COMPARE[type(op)](a, b) * 1 for op, a, b in pairs))

    def visit_Call(self, node: ast.Call) -> Values:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in _FUNCTIONS or node.keywords:
            raise ValueError(f"{ast.unparse(node)!r} is not known here; functions are {', '.join(_FUNCTIONS)}.")
        least, most = {"at_least": (2, None), "implies": (2, 2)}.get(name, (1, None))
        if len(node.args) < least or (most and len(node.args) > most):
            raise ValueError(f"{ast.unparse(node)!r}: {name} takes {least}{' or more' if most is None else ''} values.")
        return _FUNCTIONS[name](*(self.visit(arg) for arg in node.args))

    def generic_visit(self, node: ast.AST) -> Values:
        raise ValueError(
            f"{ast.unparse(node)!r} is not known here: write and, or, not, xor, nand, nor, majority(a, b, c), "
            "sums and comparisons like a + b + c >= 2."
        )


def as_table(f: Any, variables: Sequence[str] | None = None) -> TruthTable:
    """The truth table of f.

    Parameters
    ----------
    f : str, sequence of 2^n values, TruthTable, Gate, Network, or callable
        A string of zeros and ones is a truth table, any other an expression. A callable gets 0 or 1 for each of its
        arguments.
    variables : names, optional
        Names for a table without names, or for a callable whose number of arguments Python cannot tell. For an
        expression, the order of its variables.

    Examples
    --------
    >>> as_table(lambda p, q: p != q)
    TruthTable('0110', ('p', 'q'))
    >>> as_table("b or a", variables=["a", "b"])
    TruthTable('0111', ('a', 'b'))
    """
    if isinstance(f, TruthTable):
        return f if variables is None else TruthTable(f.values, variables)
    if isinstance(f, Network):
        return TruthTable(f.truth_table().values, variables or f.variables)
    if isinstance(f, Gate):
        return f.truth_table(variables)
    if isinstance(f, str):
        if len(f) > 1 and set(f) <= {"0", "1"}:
            return TruthTable(f, variables)
        return _reordered(parse_expression(f), variables)
    return _of_callable(f, variables) if callable(f) else TruthTable(f, variables)


def _reordered(table: TruthTable, variables: Sequence[str] | None) -> TruthTable:
    if variables is None:
        return table
    missing = [name for name in table.variables if name not in variables]
    if missing:
        raise ValueError(f"the expression has the variable {missing[0]!r}, which is not among {list(variables)}.")
    if len(variables) > MOST_VARIABLES:
        raise ValueError(f"{len(variables)} variables are named; at most {MOST_VARIABLES} are taken.")
    place = [list(variables).index(name) for name in table.variables]
    return TruthTable([table(*(int(row[k]) for k in place)) for row in input_rows(len(variables))], variables)


def _of_callable(f: Any, variables: Sequence[str] | None) -> TruthTable:
    if variables is None:
        parameters = inspect.signature(f).parameters.values()
        if any(p.kind not in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters):
            raise ValueError("how many inputs this callable takes cannot be told: say variables=['a', 'b', …].")
        variables = [p.name for p in parameters]
    if len(variables) > MOST_VARIABLES:
        raise ValueError(f"the callable has {len(variables)} inputs; at most {MOST_VARIABLES} are taken.")
    return TruthTable([int(bool(f(*row))) for row in input_rows(len(variables)).tolist()], variables)
