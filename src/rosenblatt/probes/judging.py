"""Probes on rows they have not seen: their scores, in portions, to the measures."""

from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.probes.chance import Shuffles
from rosenblatt.probes.intervals import bounded
from rosenblatt.probes.labels import Labels
from rosenblatt.probes.measures import MEASURES, Clusters, Findings, judge_classes, judge_numbers, mean_interval
from rosenblatt.probes.ranking import host

__all__ = ["confusions", "judge"]

_PIECE = {"cpu": 1 << 21, "cuda": 1 << 27}  # responses at a time


def judge(
    X: Any,
    Y: npt.NDArray[Any],
    weights: npt.NDArray[np.float64],
    groups: npt.NDArray[np.int64] | None,
    shuffles: Shuffles,
    probability: bool,
) -> Findings:
    """B probes (columns of weights, bias last) on the rows of X, with signs or numbers Y (n × B)."""
    clusters = Clusters.of(groups)
    size = max(1, _PIECE["cuda" if hasattr(X, "is_cuda") else "cpu"] // max(1, X.shape[0]))
    values, p = np.full((len(MEASURES), 3, Y.shape[1]), np.nan), np.full(Y.shape[1], np.nan)
    for first in range(0, Y.shape[1], size):
        cut = slice(first, first + size)
        S = _scores(X, weights[:, cut])
        if Y.dtype.kind == "f":
            found = judge_numbers(host(S), np.ascontiguousarray(Y[:, cut].T), clusters, shuffles)
        else:
            y = _turned(Y[:, cut], S)
            found = judge_classes(S, y, clusters, shuffles, np.full(len(S), probability))
        values[:, :, cut], p[cut] = found
    return Findings(values, p)


def confusions(
    X: Any,
    labels: Labels,
    signs: npt.NDArray[np.int8],
    weights: npt.NDArray[np.float64],
    groups: npt.NDArray[np.int64] | None,
) -> list[dict[str, Any]]:
    """For each concept of several classes: how often each is answered with each, by the largest response."""
    found = []
    for concept, names in labels.concepts:
        columns = [labels.names.index(name) for name in names]
        known = np.flatnonzero(signs[:, columns[0]] != 0)
        truth = signs[known][:, columns].argmax(axis=1)
        answer = host(_scores(X, weights[:, columns])).argmax(axis=0)[known]
        matrix = np.zeros((len(names), len(names)), dtype=np.int64)
        np.add.at(matrix, (truth, answer), 1)
        right = (truth == answer) * 1.0
        clusters = Clusters.of(None if groups is None else groups[known])
        value, low, high = mean_interval(right, clusters, bounded) if known.size else (np.nan,) * 3
        found.append(
            {
                "concept": concept,
                "classes": [name.partition("=")[2] for name in names],
                "matrix": matrix.tolist(),
                "accuracy": float(value),
                "low": float(low),
                "high": float(high),
            }
        )
    return found


def _scores(X: Any, weights: npt.NDArray[np.float64]) -> Any:
    """Responses in float64, probes × rows."""
    if hasattr(X, "is_cuda"):
        import torch

        W = torch.from_numpy(np.ascontiguousarray(weights)).to(X.device)
        return (W[:-1].T @ X.double().T + W[-1][:, None]).contiguous()
    x = np.asarray(X[0 : X.shape[0]], dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.ascontiguousarray((x @ weights[:-1] + weights[-1]).T)


def _turned(Y: npt.NDArray[np.int8], S: Any) -> Any:
    """Labels as probes × rows, where the scores are: a device turns them faster."""
    if isinstance(S, np.ndarray):
        return np.ascontiguousarray(Y.T)
    import torch

    return torch.from_numpy(np.ascontiguousarray(Y)).to(S.device).T.contiguous()
