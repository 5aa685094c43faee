"""The separable dichotomies of given points, degenerate or not; general position; points from a file."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arguments import checked
from rosenblatt.arrays import Floats, Signs
from rosenblatt.cover.arrangement import cells, circuit, dot, first_dependence, normal, regions
from rosenblatt.data.numbers import Rows, exact_rows, float_rows, rows_of
from rosenblatt.data.readers import Told
from rosenblatt.data.refusal import unknown_column
from rosenblatt.data.roles import split_names
from rosenblatt.data.tables import columns_in_floats, open_columns
from rosenblatt.data.wording import is_number
from rosenblatt.exact import primitive, rank
from rosenblatt.verdicts.points import Points

__all__ = [
    "Dichotomy",
    "GeneralPosition",
    "WholePoints",
    "dichotomies",
    "enumerate_dichotomies",
    "float_points",
    "general_position",
    "read_points",
]


def float_points(X: object) -> Floats:
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

    def __init__(self, X: object, fit_intercept: bool = True) -> None:
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


class Dichotomy(NamedTuple):
    """Labels (−1, +1) of the points, and whole-numbered weights, the bias last, with exactly those signs."""

    labels: Signs
    weights: tuple[int, ...]


@dataclass(frozen=True)
class GeneralPosition:
    """Whether no N or fewer of the points are dependent; true or false like a bool.

    Attributes
    ----------
    holds : bool
    points : tuple of int
        Where it fails: dependent points. Without any one of them the others are independent.
    sentence : str
        The answer, in words.
    """

    holds: bool
    points: tuple[int, ...]
    sentence: str

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        return f"<GeneralPosition: {self.sentence}>"


@checked
def dichotomies(X: Any, fit_intercept: bool = True) -> int:
    """How many of the 2^P labelings of these points a hyperplane realises, with every point strictly on its side.

    Exact for any points: coordinates are taken as the fractions they are. In general position the answer is Cover's
    C(P, N), with N the columns and the intercept; otherwise it is smaller. The work grows like binom(P, N − 2).

    Parameters
    ----------
    X : rows of numbers
        The points. A point given twice has one label.
    fit_intercept : bool
        Whether hyperplanes may miss the origin.

    Examples
    --------
    >>> square = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> dichotomies(square)                             # all but XOR and its opposite
    14
    >>> dichotomies([[0, 0], [1, 1], [2, 2], [3, 3]])   # on a line: cuts between neighbours only
    8
    """
    points = WholePoints(X, fit_intercept)
    return 0 if points.has_zero else regions(points.hyperplanes)


def enumerate_dichotomies(X: Any, fit_intercept: bool = True) -> Iterator[Dichotomy]:
    """Every separable dichotomy of the points, each once, with weights that realise it.

    An iterator, which prepares before it yields the first one: time and memory for that grow like their number.
    Parameters as in `dichotomies`.

    Examples
    --------
    >>> for labels, weights in enumerate_dichotomies([[0.0], [0.5], [1.0]]):
    ...     print(labels, weights)
    [1 1 1] (-4, 9)
    [ 1  1 -1] (-12, 7)
    [ 1 -1 -1] (-6, 1)
    [-1  1  1] (6, -1)
    [-1 -1  1] (12, -7)
    [-1 -1 -1] (4, -9)
    """
    points = WholePoints(X, fit_intercept)
    if points.has_zero:
        return
    for w in cells(points.hyperplanes, points.weights):
        labels = [1 if dot(vector, w) > 0 else -1 for vector in points.vectors]
        yield Dichotomy(np.array(labels, dtype=np.int8), points.original(w))


@checked
def general_position(X: Any, fit_intercept: bool = True) -> GeneralPosition:
    """Whether no N or fewer of the points are linearly dependent as vectors (x, 1), decided exactly.

    Parameters as in `dichotomies`, N as there. The work grows like binom(P, N − 2).

    Examples
    --------
    >>> general_position([[0, 0], [0, 1], [1, 0], [1, 1]])
    <GeneralPosition: 4 points with 3 weights are in general position: no 3 of them lie on a line.>
    >>> general_position([[0, 0], [5, 1], [1, 1], [2, 2]])
    <GeneralPosition: Not in general position: points 0, 2, 3 lie on a line.>
    """
    points = WholePoints(X, fit_intercept)
    found = _dependent(points)
    if found is not None:
        named = f"point {found[0]} lies" if len(found) == 1 else f"points {', '.join(map(str, found))} lie"
        flat = _flat(len(found), fit_intercept)
        return GeneralPosition(False, tuple(found), f"Not in general position: {named} {flat}.")
    size = min(len(points), points.weights)
    what = f": no {size} of them lie {_flat(size, fit_intercept)}" if size > 1 else ""
    many = "1 point" if len(points) == 1 else f"{len(points)} points"
    verb = "is" if len(points) == 1 else "are"
    return GeneralPosition(True, (), f"{many} with {points.weights} weights {verb} in general position{what}.")


def _dependent(points: WholePoints) -> list[int] | None:
    """Dependent points, N or fewer; without any one of them the others are independent. None if there are none."""
    if points.has_zero:
        return [next(i for i, vector in enumerate(points.vectors) if not any(vector))]
    if points.weights == 1:
        return None  # with a single weight a point is dependent only if it is zero
    if len(points.hyperplanes) < len(points):
        return _twins(points)
    matrix = [list(vector) for vector in points.vectors]
    size = rank(matrix)
    if size == len(points):
        return None
    if size == points.weights:
        return first_dependence(points.hyperplanes)
    chosen: list[int] = []  # all points lie in fewer dimensions: up to the first point that adds no dimension
    while rank([matrix[i] for i in chosen]) == len(chosen):
        chosen.append(len(chosen))
    return circuit(points.vectors, chosen)


def _twins(points: WholePoints) -> list[int]:
    """The first two points that have the same hyperplane."""
    later = next(i for i in range(len(points)) if i not in points.origins)
    pairs = ([i, later] for i in range(later))
    return next(pair for pair in pairs if rank([list(points.vectors[i]) for i in pair]) == 1)


def _flat(size: int, fit_intercept: bool) -> str:
    """Where so many dependent points lie, in words."""
    dimension = size - 2 if fit_intercept else size - 1
    where = {0: "on one spot", 1: "on a line", 2: "on a plane"}.get(dimension, f"on a flat of {dimension} dimensions")
    if fit_intercept:
        return where
    return "at the origin" if dimension == 0 else f"{where} through the origin"
