"""Truth tables: all values of a Boolean function of up to 12 variables.

Row r of a table of n variables has the binary digits of r as its inputs, the first variable in front: 00, 01, 10, 11.
"""

from collections.abc import Sequence
from functools import lru_cache
from html import escape
from typing import Any

import numpy as np

from rosenblatt.arrays import Flags, Signs

__all__ = ["MOST_VARIABLES", "TruthTable", "default_names", "format_table", "input_rows"]

MOST_VARIABLES = 12
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"


@lru_cache(maxsize=16)
def input_rows(n: int) -> Signs:
    """All 2^n inputs, one a row, in the order of a truth table; read-only.

    >>> input_rows(2).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    rows = (np.arange(1 << n)[:, None] >> np.arange(n - 1, -1, -1) & 1).astype(np.int8)
    rows.flags.writeable = False
    return rows


def default_names(n: int) -> tuple[str, ...]:
    """Letters from a on; x1, x2, … where there are too few letters."""
    return tuple(_ALPHABET[:n]) if n <= len(_ALPHABET) else tuple(f"x{k + 1}" for k in range(n))


class TruthTable:
    """A Boolean function as the list of its values.

    Parameters
    ----------
    values : 2^n zeros and ones
        In the order of `input_rows(n)`: 00, 01, 10, 11 for two variables.
    variables : n names, optional
        a, b, c, … if not given.

    Examples
    --------
    >>> print(TruthTable([0, 1, 1, 0]))
    a b | f
    ----+--
    0 0 | 0
    0 1 | 1
    1 0 | 1
    1 1 | 0
    >>> TruthTable("0111")(1, 0)
    1
    """

    def __init__(self, values: object, variables: Sequence[str] | None = None) -> None:
        bits = _truth_values(values)
        self.n = len(bits).bit_length() - 1
        self.variables = tuple(variables) if variables is not None else default_names(self.n)
        if len(self.variables) != self.n:
            raise ValueError(f"{len(bits)} rows are those of {self.n} variables; {len(self.variables)} are named.")
        if len(set(self.variables)) < self.n:
            raise ValueError(f"two variables have the same name: {', '.join(self.variables)}.")
        bits.flags.writeable = False
        self.values = bits

    @property
    def inputs(self) -> Signs:
        """All 2^n inputs, one a row."""
        return input_rows(self.n)

    def __call__(self, *inputs: int) -> int:
        """Return the value for one input."""
        if len(inputs) != self.n or any(v not in (0, 1) for v in inputs):
            raise ValueError(f"this function takes {self.n} inputs, each 0 or 1; got {inputs}.")
        return int(self.values[int("".join(str(int(v)) for v in inputs) or "0", 2)])

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.values)

    def __eq__(self, other: object) -> bool:
        """Whether both have the same values; names do not matter."""
        return isinstance(other, TruthTable) and np.array_equal(self.values, other.values)

    def __hash__(self) -> int:
        return hash(self.values.tobytes())

    def __invert__(self) -> "TruthTable":
        """Return the negation."""
        return TruthTable(~self.values, self.variables)

    def __repr__(self) -> str:
        return f"TruthTable({''.join('01'[int(v)] for v in self.values)!r}, {self.variables})"

    def __str__(self) -> str:
        return format_table(dict(zip(self.variables, self.inputs.T, strict=True)), {"f": self.values})

    def _repr_html_(self) -> str:
        """The table for a notebook."""
        head = "".join(f"<th>{escape(name)}</th>" for name in (*self.variables, "f"))
        rows = (
            "<tr>" + "".join(f"<td>{int(v)}</td>" for v in (*row, value)) + "</tr>"
            for row, value in zip(self.inputs, self.values, strict=True)
        )
        return f"<table><tr>{head}</tr>{''.join(rows)}</table>"


def format_table(*groups: dict[str, Any]) -> str:
    """Named columns of zeros and ones as text, a bar between one group and the next."""
    blocks = [_cube_in_columns(group) for group in groups if group]
    lines = [" | ".join(parts) for parts in zip(*blocks, strict=True)]
    return "\n".join([lines[0], "-+-".join("-" * len(block[0]) for block in blocks), *lines[1:]])


def _cube_in_columns(columns: dict[str, Any]) -> list[str]:
    """A line of names, then a line for each row."""
    cells = [[name, *(str(int(v)).rjust(len(name)) for v in values)] for name, values in columns.items()]
    return [" ".join(row) for row in zip(*cells, strict=True)]


def _truth_values(values: object) -> Flags:
    if isinstance(values, TruthTable):
        return values.values.copy()
    given = [int(c) if c in "01" else c for c in values] if isinstance(values, str) else values
    array = np.asarray(given, dtype=object if isinstance(values, str) else None)
    if array.ndim != 1 or array.size == 0 or array.size & (array.size - 1):
        raise ValueError(
            f"a truth table has 2^n values (1, 2, 4, 8, …), one for each input; got shape {np.shape(array)}."
        )
    if array.size > 1 << MOST_VARIABLES:
        raise ValueError(f"a truth table may have up to {MOST_VARIABLES} variables, {1 << MOST_VARIABLES} rows.")
    if array.dtype == np.bool_:
        return array.copy()
    wrong = [r for r, v in enumerate(array.tolist()) if isinstance(v, str) or v not in (0, 1)]
    if wrong:
        raise ValueError(f"a truth table holds 0 and 1; row {wrong[0]} has {array.tolist()[wrong[0]]!r}.")
    return array.astype(np.bool_)
