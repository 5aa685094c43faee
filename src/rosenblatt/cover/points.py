"""Points as vectors of whole numbers, for counting dichotomies; and points from a file."""

import os
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from rosenblatt.arguments import checked
from rosenblatt.arrays import Floats
from rosenblatt.data.numbers import Rows, exact_rows, float_rows, rows_of
from rosenblatt.data.readers import Told, is_number
from rosenblatt.data.refusal import unknown_column
from rosenblatt.data.roles import split_names
from rosenblatt.data.tables import columns_in_floats, open_columns
from rosenblatt.exact.linear import primitive
from rosenblatt.verdicts.points import Points

__all__ = ["WholePoints", "float_points", "normal", "read_points"]


def float_points(X: Any) -> Floats:
    """The points as an array of floats; anything but finite numbers that floats hold is refused."""
    rows = float_rows(X, "a test by shuffled labels")[1]
    rows.radius_sq(False)  # refuses NaN and inf
    return rows.take(slice(None))


class WholePoints:
    """P points as vectors (x, 1), or x without intercept, in whole numbers.

    Values are read as in `separability`. Every column has a unit of its own, which changes no dichotomy.

    Attributes
    ----------
    vectors : list of P tuples of N integers
    hyperplanes : list of int tuples
        The different hyperplanes w·(x, 1) = 0 among them: proportional vectors once, opposite ones too.
    origins : list of int
        The first point of each hyperplane.
    has_zero : bool
        Whether some vector is zero: such a point is on every hyperplane.
    """

    def __init__(self, X: Any, fit_intercept: bool = True) -> None:
        rows = rows_of(X).within_range()
        if rows.n == 0:
            raise ValueError("X has no rows: there are no points to label.")
        columns = _whole_columns(rows)
        if fit_intercept:
            columns.append(([1] * rows.n, Fraction(1)))
        if not columns:
            raise ValueError("X has no columns, and without an intercept there is nothing to weigh.")
        self.units = [unit for _, unit in columns]
        self.vectors = [tuple(int(v) for v in vector) for vector in zip(*(m for m, _ in columns), strict=True)]
        self.has_zero = not all(any(vector) for vector in self.vectors)
        first: dict[tuple[int, ...], int] = {}
        for i, vector in enumerate(self.vectors):
            if any(vector):
                first.setdefault(normal(vector), i)
        self.hyperplanes, self.origins = list(first), list(first.values())

    def __len__(self) -> int:
        """Return P, the number of points."""
        return len(self.vectors)

    @property
    def weights(self) -> int:
        """N, the number of weights with the intercept."""
        return len(self.units)

    def original(self, w: tuple[int, ...]) -> tuple[int, ...]:
        """Whole-numbered weights for the caller's units, positively proportional to these."""
        scaled = [v / unit for v, unit in zip(w, self.units, strict=True)]
        common = lcm(*(one.denominator for one in scaled))
        return tuple(primitive([int(one * common) for one in scaled]))


def _whole_columns(rows: Rows) -> list[tuple[Any, Fraction]]:
    """The columns as whole numbers, each with its unit."""
    rows.radius_sq(False)  # refuses NaN and inf
    every = list(range(rows.p))
    if not every:
        return []
    read = exact_rows(rows.of_columns(every) if rows.sparse else rows)
    assert read is not None
    return Points(read, np.ones(rows.n, dtype=np.int8), bias=False).whole_columns(every)


def normal(vector: tuple[int, ...]) -> tuple[int, ...]:
    """The shortest whole-numbered vector along this line whose first number other than zero is positive."""
    lead = next(v for v in vector if v)
    return tuple(primitive([v if lead > 0 else -v for v in vector]))


@checked
def read_points(
    path: str | os.PathLike[str],
    told: Told = Told(),  # noqa: B008 (it cannot change)
    features: Sequence[str] = (),
    drop: Sequence[str] = (),
) -> Floats:
    """Points from a file with columns of numbers: text with one point a line, NPY, Parquet.

    A first line of a text that is not numbers is taken for the columns' names; blanks may separate the numbers. The
    points are the columns `features`, or all but those to `drop`; `told` says how the file is written.
    """
    source = open_columns(path, told=replace(told, header=None if told.header else False))
    wanted, unwanted = split_names(features, source.names), split_names(drop, source.names)
    for name in (*wanted, *unwanted):
        if name not in source.names:
            raise unknown_column(str(path), name, source.names)
    chosen = [name for name in wanted or source.names if name not in unwanted]
    if not chosen:
        raise ValueError(f"{path} has no column left for the points.")
    columns = columns_in_floats(source, told, "rb.cover.dichotomies takes such numbers", names=chosen)
    for name, values in columns.items():
        if values.dtype.kind != "f":
            row = next((i for i, value in enumerate(values, 1) if not is_number(str(value))), 1)
            raise ValueError(f"{path}: row {row}, column {name} is {values[row - 1]!r}, not a finite number.")
        strange = np.flatnonzero(~np.isfinite(values))
        if strange.size:
            raise ValueError(f"{path}: row {strange[0] + 1}, column {name} is missing or not a finite number.")
    return np.column_stack(list(columns.values())).astype(np.float64)
