"""Data sets and what is known about them: a cloud with an exact margin, XOR, sonar returns, drawings of two kinds."""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arguments import checked
from rosenblatt.arrays import Floats, Integers

__all__ = ["Dataset", "drawing_facts", "margin_cloud", "shapes", "sonar", "xor"]

_WIDEST = 2**30  # a margin beyond which whole numbers leave what float64 holds
_MOST_VALUES = 2**29  # 4 GB


@dataclass(frozen=True)
class Dataset:
    """Rows X, labels y, and what is known about them; unpacks into (X, y)."""

    X: npt.NDArray[Any]
    y: npt.NDArray[Any]
    feature_names: tuple[str, ...]
    description: str
    w_star: Floats | None = None  # a planted separating vector, the bias last
    margin: float | None = None  # its margin min y·(w*·(x, 1))/‖w*‖, exact
    drawings: tuple[Floats, ...] = ()  # what the rows were measured on

    def __iter__(self) -> Iterator[npt.NDArray[Any]]:
        return iter((self.X, self.y))


def xor() -> Dataset:
    """The four corners of the square, opposite ones alike: no line separates them.

    >>> X, y = xor()
    >>> y
    array([0, 1, 1, 0])
    """
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    return Dataset(X, np.array([0, 1, 1, 0]), ("x1", "x2"), "XOR: not linearly separable (Minsky and Papert 1969).")


@checked
def margin_cloud(
    n: int = 200, p: int = 2, margin: float = 0.25, *, fit_intercept: bool = True, random_state: int | None = None
) -> Dataset:
    """A normal cloud in p dimensions, cut by a planted hyperplane w* with exactly this margin in augmented space.

    All coordinates are short binary fractions and ‖w*‖ is a whole number, so that min y·(w*·(x, 1))/‖w*‖ equals the
    data set's `margin` without rounding (the margin asked for, to the next multiple of 2^-16, or 2^-40 if it is below
    2^-10), and so that a perceptron's run on the data is exact in float64 (with margins above 2^-10 also from float32).

    Parameters
    ----------
    n, p : int
        Points and dimensions.
    margin : float
        The margin γ of w* over z = y·(x, 1), or y·x without intercept.
    fit_intercept : bool
        Whether w* may have a bias. It has one from p = 3 on.
    random_state : int, optional
        Seed.

    Examples
    --------
    >>> data = margin_cloud(n=100, p=3, margin=0.5, random_state=0)
    >>> z = data.y[:, None] * np.column_stack([data.X, np.ones(100)])
    >>> float(min(z @ data.w_star) / np.linalg.norm(data.w_star)), data.margin
    (0.5, 0.5)
    """
    if n < 1 or p < 1 or not margin > 0:
        raise ValueError(f"margin_cloud needs n ≥ 1, p ≥ 1 and margin > 0; got n={n}, p={p}, margin={margin}.")
    if margin > _WIDEST:
        raise ValueError(f"the margin goes up to 2^30, beyond which float64 rounds; got {margin}.")
    if n * p > _MOST_VALUES:
        raise ValueError(f"n={n} points in p={p} dimensions are more than {_MOST_VALUES:,} numbers: take fewer.")
    bits = 16 if margin >= 2.0**-10 else 40
    unit = 2**bits
    rng = np.random.default_rng(random_state)
    v, bias, length = _planted(p, fit_intercept, rng)
    X = np.rint(np.clip(rng.normal(size=(n, p)), -7, 7) * unit).astype(np.int64)
    needed = length * max(1, round(margin * unit))
    s = X @ v + bias * unit
    y = np.where(s > 0, 1, -1)
    agreement = y * s
    nearest = int(np.argmin(agreement))
    moved = np.flatnonzero(agreement < needed)
    if moved.size == 0:
        moved = np.array([nearest])  # one row at least must lie exactly on the margin
    X[moved] += (y * (needed - agreement))[moved, None] * _unit_moves(v, moved.size, rng)
    w_star = np.append(v, bias) if fit_intercept else v
    return Dataset(
        X / unit,
        y,
        tuple(f"x{j + 1}" for j in range(p)),
        f"{n} points in {p} dimensions, separated by w_star with margin {needed / length / unit}.",
        w_star=w_star.astype(np.float64),
        margin=needed / length / unit,
    )


def _planted(p: int, fit_intercept: bool, rng: np.random.Generator) -> tuple[Integers, int, int]:
    """A whole-numbered normal vector, its bias, and the whole number ‖w*‖."""
    v = np.zeros(p, dtype=np.int64)
    if p == 2:
        v[:] = rng.permutation([3, 4]) * rng.choice([-1, 1], size=2)
        return v, 0, 5
    nonzero = 4 ** ((p + fit_intercept).bit_length() // 2)
    if nonzero > p + fit_intercept:
        nonzero //= 4
    bias = int(rng.choice([-1, 1])) if fit_intercept and nonzero > 1 else 0
    chosen = rng.permutation(p)[: nonzero - abs(bias)]
    v[chosen] = rng.choice([-1, 1], size=chosen.size)
    return v, bias, int(nonzero**0.5)


def _unit_moves(v: Integers, n: int, rng: np.random.Generator) -> npt.NDArray[Any]:
    """n whole-numbered moves u with v · u = 1."""
    moves = np.zeros((n, v.size), dtype=np.int64)
    if v.size == 2:
        moves[:] = np.sign(v) * (np.abs(v) - np.abs(v[::-1]))  # ±(4 − 3) = 1
        return moves
    at = rng.choice(np.flatnonzero(v), size=n)
    moves[np.arange(n), at] = v[at]
    return moves


def sonar() -> Dataset:
    """Sonar returns from a metal cylinder (M) and from rocks (R): 208 rows, 60 energies, completely separable.

    Gorman, R. P., and Sejnowski, T. J. (1988), Analysis of hidden units in a layered network trained to classify sonar
    targets, Neural Networks 1, 75–89. From the UCI Machine Learning Repository, "Connectionist Bench (Sonar, Mines vs.
    Rocks)", licensed CC BY 4.0.

    >>> X, y = sonar()
    >>> X.shape, sorted(set(y.tolist()))
    ((208, 60), ['M', 'R'])
    """
    lines = files("rosenblatt.datasets").joinpath("sonar.csv").read_text(encoding="ascii").splitlines()
    cells = [line.split(",") for line in lines]
    X = np.array([row[:-1] for row in cells[1:]], dtype=np.float64)
    y = np.array([row[-1] for row in cells[1:]])
    return Dataset(X, y, tuple(cells[0][:-1]), "Sonar: metal cylinder (M) or rock (R). Gorman and Sejnowski 1988.")


# ------------------------------------------------------------------------------------------------------------- drawings
# A drawing is a closed chain of straight lines. Kind A are stars drawn in one stroke, kind B convex polygons.


_FEATURES = ("line crossings", "most acute angle", "longest line")


@checked
def shapes(n: int = 40, random_state: int | None = None) -> Dataset:
    """n drawings, half of kind A (label 1, stars) and half of kind B (label 0, convex polygons), as three features.

    A star's lines cross five times or more and a convex polygon's never, so the kinds are completely separable.

    >>> data = shapes(6, random_state=0)
    >>> data.feature_names
    ('line crossings', 'most acute angle', 'longest line')
    >>> data.X[:, 0], data.y
    (array([14.,  0., 14.,  0., 14.,  0.]), array([1, 0, 1, 0, 1, 0]))
    """
    rng = np.random.default_rng(random_state)
    y = np.arange(1, n + 1) % 2
    drawings = tuple(_star(rng) if kind else _polygon(rng) for kind in y)
    X = np.array([drawing_facts(d) for d in drawings]).reshape(n, 3)
    return Dataset(X, y, _FEATURES, "Stars (1) and convex polygons (0), measured on their drawings.", drawings=drawings)


def drawing_facts(drawing: Floats) -> tuple[float, float, float]:
    """Number of line crossings, most acute angle in degrees, longest line of a closed chain of corners."""
    corners = np.asarray(drawing, dtype=np.float64)
    lines = np.roll(corners, -1, axis=0) - corners
    k = len(corners)
    crossings = sum(
        _lines_cross(corners[i], corners[(i + 1) % k], corners[j], corners[(j + 1) % k])
        for i, j in combinations(range(k), 2)
        if (j - i) % k not in (1, k - 1)  # neighbours share a corner
    )
    lengths = np.linalg.norm(lines, axis=1)
    back = np.roll(lines, 1, axis=0)
    cosines = -(lines * back).sum(axis=1) / (lengths * np.roll(lengths, 1))
    angles = np.degrees(np.arccos(np.clip(cosines, -1, 1)))
    return float(crossings), float(angles.min()), float(lengths.max())


def _lines_cross(a: Floats, b: Floats, c: Floats, d: Floats) -> bool:
    """Whether the lines ab and cd cross: each has its ends on two sides of the other."""
    return bool(_turn(a, b, c) * _turn(a, b, d) < 0 and _turn(c, d, a) * _turn(c, d, b) < 0)


def _turn(a: Floats, b: Floats, p: Floats) -> float:
    return float((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]))


def _star(rng: np.random.Generator) -> Floats:
    """A star of five or seven points in one stroke, every second or third corner of a circle joined, a little shaky."""
    points, skip = ((5, 2), (7, 2), (7, 3))[rng.integers(3)]
    order = (np.arange(points) * skip) % points
    return _circle(points, rng, shake=0.04)[order]


def _polygon(rng: np.random.Generator) -> Floats:
    """A convex polygon of three to eight corners."""
    return _circle(int(rng.integers(3, 9)), rng, shake=0.0)


def _circle(k: int, rng: np.random.Generator, shake: float) -> Floats:
    """k corners near a circle of random size, unevenly spaced."""
    turns = (np.arange(k) + rng.uniform(-0.2, 0.2, size=k)) / k + rng.uniform()
    corners = np.column_stack([np.cos(2 * np.pi * turns), np.sin(2 * np.pi * turns)])
    return rng.uniform(0.3, 1.0) * (corners + rng.normal(scale=shake, size=(k, 2)) if shake else corners)
