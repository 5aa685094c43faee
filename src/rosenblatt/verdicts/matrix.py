"""More than two classes: one verdict per class against the rest, and one per pair."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from rosenblatt.arguments import checked
from rosenblatt.data.numbers import rows_of
from rosenblatt.verdicts.decision import separability
from rosenblatt.verdicts.verdict import Verdict

__all__ = ["SeparabilityMatrix", "separability_matrix"]


@dataclass(frozen=True)
class SeparabilityMatrix:
    """`against_rest[c]` and `pairs[a, b]` are verdicts; row numbers in a pair's verdict count that pair's rows only."""

    against_rest: dict[Any, Verdict]
    pairs: dict[tuple[Any, Any], Verdict]

    def __str__(self) -> str:
        """A line per verdict."""
        lines = [f"{c!r} against the rest: {v.kind}" for c, v in self.against_rest.items()]
        return "\n".join(lines + [f"{a!r} against {b!r}: {v.kind}" for (a, b), v in self.pairs.items()])


@checked
def separability_matrix(X: Any, y: Any, fit_intercept: bool = True, **options: Any) -> SeparabilityMatrix:
    """Decide, for every class against the rest and for every pair of classes, whether a hyperplane tells them apart.

    `options` are those of `separability`.

    >>> print(separability_matrix([[0.0], [1.0], [2.0]], ["a", "b", "c"]))
    'a' against the rest: complete
    'b' against the rest: overlap
    'c' against the rest: complete
    'a' against 'b': complete
    'a' against 'c': complete
    'b' against 'c': complete
    """
    rows, labels = rows_of(X), np.asarray(y)
    classes = np.unique(labels).tolist()
    if len(classes) < 2:
        found = f"one class only, {classes[0]!r}" if classes else "no labels"
        raise ValueError(f"y has {found}: there is nothing to tell apart.")
    whole = {c: separability(rows, labels == c, fit_intercept, **options) for c in classes}
    pairs = {}
    for a, b in combinations(classes, 2):
        both = np.flatnonzero((labels == a) | (labels == b))
        pairs[a, b] = separability(rows.subset(both), labels[both], fit_intercept, **options)
    return SeparabilityMatrix(whole, pairs)
