"""Drawings of two kinds, described by what a person could measure on them (S0.5).

A drawing is a closed chain of straight lines. Kind A are stars drawn in one stroke, kind B convex polygons.
"""

from itertools import combinations

import numpy as np

from rosenblatt.arguments import checked
from rosenblatt.arrays import Floats
from rosenblatt.datasets.points import Dataset

__all__ = ["describe", "shapes"]

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
    X = np.array([describe(d) for d in drawings]).reshape(n, 3)
    return Dataset(X, y, _FEATURES, "Stars (1) and convex polygons (0), measured on their drawings.", drawings=drawings)


def describe(drawing: Floats) -> tuple[float, float, float]:
    """Number of line crossings, most acute angle in degrees, longest line of a closed chain of corners."""
    corners = np.asarray(drawing, dtype=np.float64)
    lines = np.roll(corners, -1, axis=0) - corners
    k = len(corners)
    crossings = sum(
        _cross(corners[i], corners[(i + 1) % k], corners[j], corners[(j + 1) % k])
        for i, j in combinations(range(k), 2)
        if (j - i) % k not in (1, k - 1)  # neighbours share a corner
    )
    lengths = np.linalg.norm(lines, axis=1)
    back = np.roll(lines, 1, axis=0)
    cosines = -(lines * back).sum(axis=1) / (lengths * np.roll(lengths, 1))
    angles = np.degrees(np.arccos(np.clip(cosines, -1, 1)))
    return float(crossings), float(angles.min()), float(lengths.max())


def _cross(a: Floats, b: Floats, c: Floats, d: Floats) -> bool:
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
