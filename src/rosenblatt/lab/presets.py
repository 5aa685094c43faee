"""Data to begin with, each for one thing to see; the same in all three homes of the lab."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.comparison.experiments import counterexample
from rosenblatt.datasets import Dataset, margin_cloud, shapes, xor

__all__ = ["presets"]

_Pair = tuple[Floats | Sequence[Sequence[float]], Sequence[int]]


def presets() -> list[dict[str, Any]]:
    """Name, what to look for, points, and settings other than the usual ones.

    >>> [one["name"] for one in presets()][:4]
    ['Wide margin', 'Tiny margin', 'AND', 'OR']
    """
    square = xor().X
    return [
        _preset(
            "Wide margin",
            "A few corrections are enough. The theorem allows many more.",
            margin_cloud(40, 2, margin=0.3, random_state=19),
        ),
        _preset(
            "Tiny margin",
            "Separable by a hair: the bound (R/γ)² grows as the margin shrinks.",
            margin_cloud(40, 2, margin=0.002, random_state=65),
        ),
        _preset("AND", "One corner against three. Move a point and watch the margin.", (square, [0, 0, 0, 1])),
        _preset("OR", "Three corners against one.", (square, [0, 1, 1, 1])),
        _preset("XOR", "No line exists: the diagonals meet, and where they do is the proof.", xor()),
        _preset(
            "XOR with Φ",
            "The feature x1·x2 is added to x1 and x2. In three dimensions a plane separates XOR; here it is a curve.",
            xor(),
            phi="product",
        ),
        _preset(
            "Touching",
            "Quasi-separable: a line has no point on its wrong side, but points of both classes lie on it.",
            ([[-2, 1], [-1, -1], [0, 0], [0, -1], [0, 1], [1, 0.5], [2, -0.5]], [0, 0, 0, 1, 1, 1, 1]),
        ),
        _preset(
            "Regression errs",
            "Separable, yet least squares errs on two points: it minds distances, a perceptron minds only sides.",
            counterexample(),
            rivals=["least squares"],
        ),
        _preset("Ring", "One class inside the other: no line, but x1² and x2² as features make an ellipse.", _ring()),
        _preset(
            "Stars and polygons",
            "Drawings described by three features. Look at two of them, or at all in a projection.",
            shapes(40, random_state=3),
        ),
    ]


def _preset(
    name: str,
    look: str,
    data: Dataset | tuple[Floats | Sequence[Sequence[float]], Sequence[int]],
    **settings: str | list[str],
) -> dict[str, Any]:
    points, y = data
    classes = sorted({str(label) for label in y})
    names = data.feature_names if isinstance(data, Dataset) else ("x1", "x2")
    X = np.asarray(points, dtype=np.float64)
    signs = [1 if str(label) == classes[1] else -1 for label in y]
    return {"name": name, "look": look, "names": [*names], "X": X.ravel().tolist(), "y": signs, "settings": settings}


def _ring() -> tuple[Floats, list[int]]:
    """Twelve points inside, twenty around them, on a grid of sixty-fourths."""
    rng = np.random.default_rng(5)
    inner = rng.uniform(-0.6, 0.6, size=(12, 2))
    turns = 2 * np.pi * (np.arange(20) + rng.uniform(-0.3, 0.3, size=20)) / 20
    outer = rng.uniform(1.3, 1.7, size=(20, 1)) * np.column_stack([np.cos(turns), np.sin(turns)])
    return np.rint(np.vstack([inner, outer]) * 64) / 64, [0] * 12 + [1] * 20
