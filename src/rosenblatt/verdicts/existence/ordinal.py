"""Cumulative logit and probit: ordered levels 1 … K with thresholds θ_1 ≤ … ≤ θ_{K−1}, and P(y ≤ k) = F(θ_k − x·β).

A row of level k has its x·β between two thresholds: z·(β, θ) is θ_k − x·β if k < K, and x·β − θ_{k−1} if k > 1.
θ_{k−1} ≤ θ_k is their sum, where level k has rows. An inner level without rows has two thresholds that the likelihood
pushes together: every estimate has them equal, so they are one here. The threshold of a first or last level without
rows runs away.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.verdicts.existence.rows import ModelRows, Places, Values

__all__ = ["codes_of", "kept_levels", "rows"]


def codes_of(y: Any, n: int, levels: Sequence[Any] | None = None) -> tuple[Places, list[Any]]:
    """The number of each row's level, from 0, and the levels: those given, in their order, or all of y, sorted."""
    given = np.asarray(y)
    if given.shape != (n,):
        raise ValueError(f"y must hold one level for each of {n} rows; it has shape {given.shape}.")
    ordered = list(np.unique(given).tolist() if levels is None else levels)
    place = {level: k for k, level in enumerate(ordered)}
    if len(place) < len(ordered):
        raise ValueError("levels has a level twice.")
    if len(ordered) < 2:
        raise ValueError(
            f"An ordinal model needs two levels or more; there are {len(ordered)}. levels can name them all."
        )
    distinct, which = np.unique(given, return_inverse=True)
    codes = np.array([place.get(value, -1) for value in distinct.tolist()], dtype=np.int64)[which]
    wrong = np.flatnonzero(codes < 0)
    if wrong.size:
        told = ", ".join(map(str, ordered))
        raise ValueError(f"y must be one of the levels {told}; row {wrong[0]} has {given[wrong[0]]}.")
    return codes, ordered


def kept_levels(codes: Places, levels: Sequence[Any]) -> Places:
    """The numbers of the first level, the last, and those between that have rows."""
    return np.union1d(np.unique(codes), [0, len(levels) - 1]).astype(np.int64)


def rows(values: Values, codes: Places, levels: Sequence[Any], names: tuple[str, ...]) -> ModelRows:
    """One z a row and threshold beside its level: thresholds above first. Threshold k is weight p + k − 1."""
    kept = kept_levels(codes, levels)
    level, last = np.searchsorted(kept, codes), len(kept) - 1
    up, down = np.flatnonzero(level < last), np.flatnonzero(level > 0)
    row, threshold = np.concatenate([up, down]), np.concatenate([level[up], level[down] - 1])
    signs = np.where(np.arange(len(row)) < len(up), 1.0, -1.0)
    thresholds = tuple(f"{levels[a]}|{levels[b]}" for a, b in zip(kept[:-1].tolist(), kept[1:].tolist(), strict=True))
    return ModelRows(
        _beside(values.X, row, signs, threshold, last),
        np.zeros(len(row), dtype=bool),
        row,
        threshold + 1,
        names + thresholds,
        values.tens + (1,) * last,
    )


def _beside(X: Any, row: Places, signs: Any, threshold: Places, last: int) -> Any:
    """±(θ − x): the columns of X, then the thresholds."""
    n, p, places = len(row), X.shape[1], np.arange(len(row))
    if not sp.issparse(X):
        Z = np.zeros((n, p + last))
        np.multiply(X[row], -signs[:, None], out=Z[:, :p])
        Z[places, p + threshold] = signs
        return Z
    beside = sp.csr_array(X[row])
    beside.data *= np.repeat(-signs, np.diff(beside.indptr))
    return sp.csr_array(sp.hstack([beside, sp.csr_array((signs, (places, threshold)), shape=(n, last))]))
