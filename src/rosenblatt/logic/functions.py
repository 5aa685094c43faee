"""The truth table of a Boolean function, given as an expression, table, gate, network or Python callable."""

import inspect
from collections.abc import Sequence
from typing import Any

from rosenblatt.logic.expressions import parse_expression
from rosenblatt.logic.gates import Gate
from rosenblatt.logic.network import Network
from rosenblatt.logic.truth_table import MOST_VARIABLES, TruthTable, input_rows

__all__ = ["as_table"]


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
