"""Probes judged on rows they have not seen, in portions that fit in memory."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats, Places, Signs
from rosenblatt.probes.devices.arrays import beside, float64, host, turned
from rosenblatt.probes.evidence.chance import Shuffles
from rosenblatt.probes.evidence.measures import MEASURES, Clusters, judge_classes, judge_numbers, part_with_interval
from rosenblatt.probes.evidence.measuring import count_columns
from rosenblatt.probes.reading.labels import Labels

__all__ = ["HeldOut", "confusions", "judge"]

_PIECE = {"cpu": 1 << 21, "cuda": 1 << 27}  # responses at a time


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
    X: Any, Y: npt.NDArray[Any], weights: Floats, groups: Places | None, shuffles: Shuffles, probability: bool
) -> HeldOut:
    """B probes (columns of weights, bias last) on the rows of X, with signs or numbers Y (n × B)."""
    clusters = Clusters.of(groups)
    size = max(1, _PIECE["cuda" if hasattr(X, "is_cuda") else "cpu"] // max(1, X.shape[0]))
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


def confusions(X: Any, labels: Labels, signs: Signs, weights: Floats, groups: Places | None) -> list[dict[str, Any]]:
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


def _scores(X: Any, weights: Floats) -> Any:
    """Responses in float64, probes × rows."""
    if hasattr(X, "is_cuda"):
        W = beside(weights, X)
        return (W[:-1].T @ X.double().T + W[-1][:, None]).contiguous()
    x = np.asarray(X[0 : X.shape[0]], dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        return turned(x @ weights[:-1] + weights[-1])
