"""Points as vectors of whole numbers, for counting dichotomies; and points from a file."""

import os
from typing import Any

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.data.named_columns import read_columns
from rosenblatt.data.rows import as_rows, values_of
from rosenblatt.data.text import is_number
from rosenblatt.exact import integers
from rosenblatt.exact.linear import primitive

__all__ = ["WholePoints", "float_points", "normal", "read_points"]


def float_points(X: Any) -> Floats:
    """The points as an array of floats; anything but finite numbers is refused."""
    rows = as_rows(values_of(X)[0])
    rows.radius_sq(False)  # refuses NaN and inf
    return rows.take(slice(None))


class WholePoints:
    """P points as vectors (x, 1), or x without intercept, in whole numbers.

    Every column is measured in its own power of two, which changes no dichotomy.

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
        points = float_points(X)
        if len(points) == 0:
            raise ValueError("X has no rows: there are no points to label.")
        columns = [integers(column) for column in points.T]
        if fit_intercept:
            columns.append(([1] * len(points), 0))
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
        top = max(self.units)
        return tuple(primitive([v << (top - unit) for v, unit in zip(w, self.units, strict=True)]))


def normal(vector: tuple[int, ...]) -> tuple[int, ...]:
    """The shortest whole-numbered vector along this line whose first number other than zero is positive."""
    lead = next(v for v in vector if v)
    return tuple(primitive([v if lead > 0 else -v for v in vector]))


def read_points(path: str | os.PathLike[str]) -> Floats:
    """Points from a file with columns of numbers: text with one point a line, NPY, Parquet.

    A first line of a text that is not numbers is taken for the columns' names; blanks may separate the numbers.
    """
    columns = read_columns(path, header=False)
    for name, values in columns.items():
        if values.dtype.kind != "f":
            row = next((i for i, value in enumerate(values, 1) if not is_number(str(value))), 1)
            raise ValueError(f"{path}: row {row}, column {name} is {values[row - 1]!r}, not a finite number.")
        strange = np.flatnonzero(~np.isfinite(values))
        if strange.size:
            raise ValueError(f"{path}: row {strange[0] + 1}, column {name} is missing or not a finite number.")
    return np.column_stack(list(columns.values())).astype(np.float64)
