"""Several classes: the class y of a row is compared with every other class k.

Weights: for each class but the first, a block of X's columns and a bias. With x these values of a row, z has +x in the
block of y and −x in the block of k. The weights of the first class are 0, so it has no block.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.arrays import Floats, Matrix, Places
from rosenblatt.regressions.machinery.counts import design
from rosenblatt.regressions.machinery.given import Given, ModelColumns, coded
from rosenblatt.regressions.machinery.libraries import from_sklearn, labelled, statsmodels
from rosenblatt.regressions.machinery.regression import ModelWords, Regression, taking
from rosenblatt.regressions.machinery.rows import Low, ModelRows, Names, Values
from rosenblatt.regressions.machinery.terms import ChoiceTerms, refuse_large

__all__ = ["REGRESSION", "Multinomial", "rows"]


def _multinomial_arguments(model: Any, y: object) -> dict[str, Any]:
    labels = [str(label) for _, label in sorted(model._ynames_map.items())]
    return {"model": "multinomial", "y": labelled(model, y, labels), "classes": labels, "fit_intercept": False}


class Multinomial(Regression):
    """P(y = k) ∝ e^(x·w_k), with w = 0 for the first class."""

    name = "multinomial"
    roles = taking(target="classes", offset="number")
    options = ("classes", "fit_intercept")
    words = ModelWords("three or more classes", compared="class")
    libraries = statsmodels(_multinomial_arguments, "MNLogit") | from_sklearn("multinomial", several=True)

    def read(self, given: Given) -> ModelColumns:
        """y as the number of its class."""
        codes, classes = coded(given.columns["y"], "y", given.choices.get("classes"))
        if len(classes) < 2:
            raise ValueError("y has one class alone: list the others too, as classes=[…].")
        names = tuple(f"{one}: {name}" for one in classes[1:] for name in (*given.names, *["(1)"] * given.bias))
        entry = {"classes": classes, "columns": {}}
        return ModelColumns({"y": codes}, names, entry, tuple(classes), bias=given.bias)

    def rows(self, values: Values, columns: ModelColumns) -> ModelRows:
        """Each row against each other class."""
        return rows(values, columns.arrays["y"], len(columns.against), columns.weights, columns.bias)

    def terms(self, given: Given, columns: ModelColumns) -> ChoiceTerms:
        """Each row chose its class among all; an offset is added to the response of each class but the first."""
        y, n, others = columns.arrays["y"], given.n, len(columns.against) - 1
        refuse_large(n * others, len(columns.weights))
        made, own = self.rows(given.values, columns), np.where(y > 0, given.offset, 0.0)
        offset = np.where(made.against > 0, given.offset[made.row], 0.0) - own[made.row]
        return ChoiceTerms(-np.asarray(made.Z) + 0.0, given.weights, offset, made.row, np.zeros(n))

    def constants(self, p: int, columns: ModelColumns) -> Places:
        """The intercept of each class."""
        return np.arange(len(columns.weights))[p :: p + 1] if columns.bias else np.empty(0, dtype=np.int64)

    def outcome(self, names: Mapping[str, str], columns: ModelColumns) -> str:
        """The target and its reference."""
        return f"{names['y']} against {columns.against[0]}"


def rows(values: Values, y: Places, classes: int, names: Names, bias: bool) -> ModelRows:
    """The rows z: of each row K − 1 comparisons, in the order of the other classes; `y` has the numbers of classes."""
    X = design(values.X, [], bias)
    place = np.repeat(np.arange(len(y)), classes - 1)
    other = np.tile(np.arange(classes - 1), len(y))
    other = other + (other >= y[place])

    def compared(X: Matrix) -> Any:
        return _csr_rows(X, y, place, other, classes) if sp.issparse(X) else _dense_rows(X, y, other, classes)

    low = None
    if values.low is not None:  # each block has its own
        owner = [block * X.shape[1] + j for block in range(classes - 1) for j in values.low.owner]
        low = Low(compared(values.low.values), tuple(owner))
    tens = (values.tens + (values.one,) * bias) * (classes - 1)
    return ModelRows(compared(X), np.zeros(place.size, dtype=bool), place, other, names, tens, low, values.one)


def _dense_rows(X: Floats, y: Places, other: Places, classes: int) -> Any:
    width, others = X.shape[1], other.reshape(len(y), classes - 1)
    Z = np.empty((len(y), classes - 1, classes - 1, width))  # row, comparison, block
    for one in range(1, classes):
        signs = (y == one)[:, None] - (others == one).astype(np.float64)
        np.multiply(signs[:, :, None], X[:, None, :], out=Z[:, :, one - 1])
    return Z.reshape(len(y) * (classes - 1), (classes - 1) * width)


def _csr_rows(X: Matrix, y: Places, place: Places, other: Places, classes: int) -> Any:
    repeated, width = sp.csr_array(X)[place], X.shape[1]
    shape = (place.size, classes * width)
    lengths = np.diff(repeated.indptr)

    def block(which: Places) -> Any:
        return sp.csr_array(
            (repeated.data, repeated.indices + np.repeat(which * width, lengths), repeated.indptr), shape
        )

    return sp.csr_array(sp.csr_array(block(y[place]) - block(other))[:, width:])


REGRESSION = Multinomial()
