"""Probes on rows: answers and margins on those learned from, certified; judgements on those held out.

Responses are computed in float64 on the caller's values, whatever the precision of the training.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Flags, Floats, Places, Signs
from rosenblatt.exact import row_signs
from rosenblatt.probes.devices.arrays import RowSource, Values, beside, float64, host, is_tensor, numpy_or_torch, turned
from rosenblatt.probes.devices.training import Trained
from rosenblatt.probes.evidence.chance import Shuffles
from rosenblatt.probes.evidence.measures import MEASURES, Clusters, judge_classes, judge_numbers, part_with_interval
from rosenblatt.probes.reading.labels import Labels

__all__ = ["HeldOut", "Score", "confusions", "count_columns", "final_weights", "judge", "score"]

_PIECE = 1 << 22  # responses made at a time


class Score(NamedTuple):
    """Of each probe on some rows: how many have a label, a label of +1, a wrong answer, and its margin.

    `hidden` counts rows that are not on their side in exact arithmetic though float64 sees no mistake at all; it is
    computed where SEPARATED is to be claimed. `margin` is the smallest y·s/‖(w, b)‖: negative where an answer is
    wrong, NaN for w = 0.
    """

    labelled: Places
    positive: Places
    wrong: Places
    hidden: Places
    margin: Floats

    @property
    def accuracy(self) -> Floats:
        """The part of the labelled rows that is right; a tie is wrong; NaN where no row has a label."""
        return np.asarray(1.0 - self.wrong / np.where(self.labelled, self.labelled, np.nan))


def score(X: RowSource, Y: Signs, weights: Floats, certify: bool = False) -> Score:
    """Answers of B probes (columns of weights, bias last) on the rows of X with labels Y."""
    B, d = weights.shape[1], len(weights)
    wrong, smallest = np.zeros(B, dtype=np.int64), np.full(B, np.inf)
    length = np.sqrt(np.sum(weights * weights, axis=0))
    unsure: list[tuple[int, int]] = []  # (row, probe)
    for rows, S, radius in _responses_by_piece(X, weights):
        some, least = _judge(S, Y[rows])
        wrong += some
        smallest = np.minimum(smallest, least)
        if certify:
            doubt = 2.0 * (d + 16) * 2.0**-53 * radius * length + d * 5e-324
            for k in np.flatnonzero((least <= doubt) & (wrong == 0)).tolist():
                y = Y[rows, k]
                close = np.flatnonzero((y != 0) & (y * host(S[:, k]) <= doubt[k]))
                unsure += [(rows.start + i, k) for i in close.tolist()]
    hidden = np.zeros(B, dtype=np.int64)
    for j in {j for _, j in unsure if wrong[j] == 0}:
        some = np.array([i for i, k in unsure if k == j])
        hidden[j] = np.count_nonzero(row_signs(host(X[some]), weights[:, j]) * Y[some, j] <= 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        margin = smallest / length
    return Score(count_columns(Y != 0), count_columns(Y > 0), wrong, hidden, margin)


def count_columns(there: Flags) -> Places:
    """How many values of each column are true."""
    # np.count_nonzero makes every value a 64-bit number first. Sums of 127 values fit into a byte, which is faster.
    bytes_, counts = there.view(np.int8), np.zeros(there.shape[1], dtype=np.int64)
    for first in range(0, len(there), 127):
        counts += bytes_[first : first + 127].sum(axis=0, dtype=np.int8)
    return counts


def _judge(S: Values, y: Signs) -> tuple[Places, Floats]:
    """Of each probe on some rows: wrong answers, and the smallest y·s (−inf if it is no number)."""
    xp, signs = numpy_or_torch(S), beside(y, S)
    with np.errstate(invalid="ignore", over="ignore"):
        agreement = xp.where(signs == 0, xp.inf, signs * S)
    least = xp.amin(xp.where(xp.isnan(agreement), -xp.inf, agreement), 0)
    return host((~(agreement > 0)).sum(0)), host(least)


def _responses_by_piece(X: RowSource, weights: Floats) -> Iterator[tuple[slice, Any, float]]:
    """(rows, X̃·W, largest ‖x̃‖) piece by piece; on the GPU where X is there."""
    xp, W = numpy_or_torch(X), beside(weights, X)
    size = max(1, _PIECE // max(weights.shape))
    for first in range(0, X.shape[0], size):
        rows = slice(first, min(X.shape[0], first + size))
        x = float64(X[rows])
        with np.errstate(over="ignore", invalid="ignore"):
            S = x @ W[:-1] + W[-1]
            radius = float(xp.sqrt(1.0 + (x * x).sum(1)).max())
        yield rows, S, radius


def final_weights(trained: Trained, X: RowSource, Y: Signs, average: bool, limit: int) -> tuple[Floats, Places]:
    """The weights that the probes answer with, and the passes they made.

    The mean of the weights after each of t presentations is w − sums/t. Once a pass is clean, w stays, and passes go
    on until the mean is right too: y·(w·x̃) > y·(sums·x̃)/t on every row, which says how many they are.
    """
    passes = trained.passes
    if not average:
        return trained.weights, passes
    n, clean = X.shape[0], np.flatnonzero((trained.mistakes == 0).any(axis=0))
    if clean.size:
        needed = _presentations_needed(trained.weights[:, clean], trained.sums[:, clean], X, Y[:, clean])
        more = np.minimum(needed // n + 1, limit).astype(np.int64)
        passes = passes.copy()
        passes[clean] = np.minimum(limit, np.maximum(passes[clean], more))
    return trained.weights - trained.sums / (passes * n), passes


def _presentations_needed(weights: Floats, sums: Floats, X: RowSource, Y: Signs) -> Floats:
    """The largest of (sums·x̃)/(w·x̃) over the labelled rows of each probe."""
    needed = np.zeros(Y.shape[1])
    for (rows, S, _), (_, A, _) in zip(_responses_by_piece(X, weights), _responses_by_piece(X, sums), strict=True):
        y = Y[rows]
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            times = np.where(y == 0, 0.0, (y * host(A)) / (y * host(S)))
        needed = np.maximum(needed, np.nan_to_num(times, nan=np.inf).max(axis=0))
    return needed


_JUDGED = {"cpu": 1 << 21, "cuda": 1 << 27}  # responses at a time


class HeldOut(NamedTuple):
    """Of each probe on rows held out: rows with a label or number, rows labelled +1, and its `Findings`."""

    held_labelled: Places
    held_positive: Places
    measures: Floats
    p: Floats
    draws: Places
    held_groups: Places

    @classmethod
    def nothing(cls, B: int) -> "HeldOut":
        """No row was held out."""
        none = np.zeros(B, dtype=np.int64)
        return cls(none, none, np.full((len(MEASURES), 3, B), np.nan), np.full(B, np.nan), none.copy(), none.copy())


def judge(
    X: RowSource, Y: npt.NDArray[Any], weights: Floats, groups: Places | None, shuffles: Shuffles, probability: bool
) -> HeldOut:
    """B probes (columns of weights, bias last) on the rows of X, with signs or numbers Y (n × B)."""
    clusters = Clusters.of(groups)
    size = max(1, _JUDGED["cuda" if is_tensor(X) else "cpu"] // max(1, X.shape[0]))
    *_, values, p, draws, held_groups = HeldOut.nothing(Y.shape[1])
    for first in range(0, Y.shape[1], size):
        cut = slice(first, first + size)
        S = _scores(X, weights[:, cut])
        if Y.dtype.kind == "f":
            found = judge_numbers(host(S), np.ascontiguousarray(Y[:, cut].T), clusters, shuffles)
        else:
            y = turned(beside(Y[:, cut], S))  # a GPU transposes faster
            found = judge_classes(S, y, clusters, shuffles, np.full(len(S), probability))
        values[:, :, cut], p[cut], draws[cut], held_groups[cut] = found
    known, positive = (~np.isnan(Y),) * 2 if Y.dtype.kind == "f" else (Y != 0, Y > 0)
    return HeldOut(count_columns(known), count_columns(positive), values, p, draws, held_groups)


def confusions(
    X: RowSource, labels: Labels, signs: Signs, weights: Floats, groups: Places | None
) -> list[dict[str, Any]]:
    """For each concept of several classes: how often each class is answered with each, by the largest response."""
    found = []
    for concept, names in labels.concepts:
        columns = [labels.names.index(name) for name in names]
        known = np.flatnonzero(signs[:, columns[0]] != 0)
        truth = signs[known][:, columns].argmax(axis=1)
        answer = host(_scores(X, weights[:, columns])).argmax(axis=0)[known]
        matrix = np.zeros((len(names), len(names)), dtype=np.int64)
        np.add.at(matrix, (truth, answer), 1)
        clusters = Clusters.of(None if groups is None else groups[known])
        accuracy, low, high = part_with_interval(float64(truth == answer), clusters)
        told = {"concept": concept, "classes": [name.partition("=")[2] for name in names], "matrix": matrix.tolist()}
        found.append(told | {"accuracy": accuracy, "low": low, "high": high})
    return found


def _scores(X: RowSource, weights: Floats) -> Any:
    """Responses in float64, probes × rows."""
    if is_tensor(X):
        W = beside(weights, X)
        return (W[:-1].T @ X.double().T + W[-1][:, None]).contiguous()
    x = np.asarray(X[0 : X.shape[0]], dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        return turned(x @ weights[:-1] + weights[-1])
