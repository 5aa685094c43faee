"""Ordered levels: their order, each value as the number of its level, and rows beside thresholds."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.arrays import Floats, Matrix, Places
from rosenblatt.regressions.machinery.given import Given, coded
from rosenblatt.regressions.machinery.regression import WrongArgument

__all__ = ["beside_thresholds", "own_levels", "read_levels"]


def read_levels(given: Given, model: str) -> tuple[Places, list[str]]:
    """y as numbers of levels, and the levels in their order; refuses levels whose order is not known."""
    listed = given.choices.get("levels")
    codes, levels = coded(given.columns["y"], "y", listed)
    if len(levels) < 2:
        raise ValueError("y has one level alone: list the others too, as levels=[…].")
    if listed is None and len(levels) > 2 and np.asarray(given.columns["y"]).dtype.kind not in "biuf":
        raise WrongArgument(model, f"cannot tell the order of {', '.join(levels)}: list them in", "levels")
    return codes, levels


def own_levels(y: Any, sample_weight: Any = None) -> list[str] | None:
    """The levels of y in the order that an ordered Categorical of pandas or an Enum of polars has; else None.

    Levels without rows of weight above zero are left out.
    """
    kind = getattr(y, "dtype", None)
    if not getattr(kind, "ordered", False) and type(kind).__name__ != "Enum":
        return None
    weights = np.ones(len(y)) if np.shape(sample_weight) != np.shape(y) else np.asarray(sample_weight)
    present = {str(value) for value in np.asarray(y)[weights != 0]}
    return [str(level) for level in kind.categories if str(level) in present]  # type: ignore[union-attr]


def beside_thresholds(X: Matrix, row: Places, signs: Floats, threshold: Places, last: int) -> Any:
    """±(θ − x), in columns for X, then for the thresholds."""
    n, p, places = len(row), X.shape[1], np.arange(len(row))
    if not sp.issparse(X):
        Z = np.zeros((n, p + last))
        np.multiply(X[row], -signs[:, None], out=Z[:, :p])
        Z[places, p + threshold] = signs
        return Z
    beside = sp.csr_array(X[row])
    beside.data *= np.repeat(-signs, np.diff(beside.indptr))
    return sp.csr_array(sp.hstack([beside, sp.csr_array((signs, (places, threshold)), shape=(n, last))]))
