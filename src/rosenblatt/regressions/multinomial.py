"""Several classes: the class y of a row is compared with every other class k.

Weights: for each class but the first, a block of X's columns and a bias. With x these values of a row, z has +x in the
block of y and −x in the block of k. The weights of the first class are 0, so it has no block.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.arrays import Places
from rosenblatt.regressions.machinery.counts import design
from rosenblatt.regressions.machinery.rows import Low, ModelRows, Names, Values

__all__ = ["rows", "weight_names"]


def rows(values: Values, y: Places, classes: int, names: Names, bias: bool = True) -> ModelRows:
    """The rows z: of each row K − 1 comparisons, in the order of the other classes; `y` has the numbers of classes."""
    X = design(values.X, [], bias)
    place = np.repeat(np.arange(len(y)), classes - 1)
    other = np.tile(np.arange(classes - 1), len(y))
    other = other + (other >= y[place])

    def compared(X: Any) -> Any:
        return _sparse(X, y, place, other, classes) if sp.issparse(X) else _dense(X, y, other, classes)

    low = None
    if values.low is not None:  # each block has its own
        owner = [block * X.shape[1] + j for block in range(classes - 1) for j in values.low.owner]
        low = Low(compared(values.low.values), tuple(owner))
    tens = (values.tens + (values.one,) * bias) * (classes - 1)
    return ModelRows(compared(X), np.zeros(place.size, dtype=bool), place, other, names, tens, low, values.one)


def _dense(X: Any, y: Places, other: Places, classes: int) -> Any:
    width, others = X.shape[1], other.reshape(len(y), classes - 1)
    Z = np.empty((len(y), classes - 1, classes - 1, width))  # row, comparison, block
    for one in range(1, classes):
        signs = (y == one)[:, None] - (others == one).astype(np.float64)
        np.multiply(signs[:, :, None], X[:, None, :], out=Z[:, :, one - 1])
    return Z.reshape(len(y) * (classes - 1), (classes - 1) * width)


def _sparse(X: Any, y: Places, place: Places, other: Places, classes: int) -> Any:
    repeated, width = sp.csr_array(X)[place], X.shape[1]
    shape = (place.size, classes * width)
    lengths = np.diff(repeated.indptr)

    def block(which: Places) -> Any:
        return sp.csr_array(
            (repeated.data, repeated.indices + np.repeat(which * width, lengths), repeated.indptr), shape
        )

    return sp.csr_array(sp.csr_array(block(y[place]) - block(other))[:, width:])


def weight_names(names: list[str], classes: list[str], bias: bool) -> tuple[str, ...]:
    """What the weights are called: "b: age" is the column age in the block of class b."""
    return tuple(f"{one}: {name}" for one in classes[1:] for name in (*names, *["(1)"] * bias))
