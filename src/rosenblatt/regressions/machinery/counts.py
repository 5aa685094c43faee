"""The rows z of four models: two classes, k of m, Poisson counts (all with fixed effects), and paired comparisons.

Weights: X's columns, then each set of effects without its first level, then the bias. With x these values of a row:

    logistic, binomial   k > 0: x        k < m: −x
    Poisson              y = 0: −x       y > 0: x is an equality, as its mean must neither vanish nor grow
    paired               y = 0: −x       y = 1: x        y = ½: x is an equality

For Poisson it matters only whether y is 0: any y ≥ 0 will do (PPML), and exposures change nothing.

Paired comparisons (Bradley and Terry 1952) say who won against whom. With x = x_a − x_b, z is x_winner − x_loser, and a
draw is an equality. There is no intercept. Where each item has its own weight (that of the first is 0), x is 1 at a and
−1 at b.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.arrays import Floats, Places
from rosenblatt.regressions.machinery.given import ModelColumns
from rosenblatt.regressions.machinery.rows import ModelRows, Values, signed

__all__ = ["binomial", "design", "logistic", "paired", "poisson", "weight_names"]

_SMALL = 1 << 14  # values up to which rows are dense: quicker than sparse ones


def logistic(values: Values, columns: ModelColumns) -> ModelRows:
    """One z a row: x where y > 0, −x where y = 0."""
    y = columns.arrays["y"]
    return _signed(values, columns, np.arange(len(y)), np.where(y > 0, 1.0, -1.0), np.full(len(y), -1))


def binomial(values: Values, columns: ModelColumns) -> ModelRows:
    """x where k > 0 (against 1), and −x where k < m (against 0)."""
    k, m = columns.arrays["y"], columns.arrays["trials"]
    some, others = np.flatnonzero(k > 0), np.flatnonzero(k < m)
    places, against = np.concatenate([some, others]), np.repeat([1, 0], [some.size, others.size])
    order = np.argsort(places, kind="stable")
    places, against = places[order], against[order]
    return _signed(values, columns, places, 2.0 * against - 1.0, against)


def poisson(values: Values, columns: ModelColumns) -> ModelRows:
    """−x where y = 0; elsewhere an equality."""
    return replace(logistic(values, columns), equal=columns.arrays["y"] > 0)


def paired(values: Values, columns: ModelColumns) -> ModelRows:
    """One z a comparison; y is 1 where a won, 0 where b won, ½ for a draw."""
    if "items" in columns.arrays:
        X = _item_differences(columns.arrays["items"], len(columns.weights) + 1)
        values = Values(X, (1,) * X.shape[1])
    return replace(logistic(values, columns), equal=columns.arrays["y"] == 0.5)


def _item_differences(both: Places, items: int) -> Any:
    """The x of items, a row for each (a, b): +1 at a, −1 at b, 0 where a is b; the first item has no column."""
    n = len(both)
    places = (np.tile(np.arange(n), 2), both.T.ravel())
    X = sp.csr_array(sp.coo_array((np.repeat([1.0, -1.0], n), places), shape=(n, items)))
    X.eliminate_zeros()
    return sp.csr_array(X[:, 1:])


def _signed(values: Values, columns: ModelColumns, places: Places, signs: Floats, against: Places) -> ModelRows:
    """±x of the rows in these places, each with its sign."""
    Z = design(values.X, columns.effects, columns.bias)
    Z = Z if places.size == Z.shape[0] and np.array_equal(places, np.arange(places.size)) else Z[places]
    Z = signed(Z, signs)
    tens = values.tens + (values.one,) * (Z.shape[1] - len(values.tens))
    low = values.low and values.low.signed(places, signs)
    return ModelRows(Z, np.zeros(len(places), dtype=bool), places, against, columns.weights, tens, low, values.one)


def design(X: Any, effects: list[Places], bias: bool) -> Any:
    """X's columns, then the effects as zeros and ones (the first level of a set has no column), then the bias.

    CSR where X is CSR, and for the effects of a large table.
    """
    n = X.shape[0]
    if not effects and not bias:
        return X
    parts = [*(_levels(codes) for codes in effects), *[np.ones((n, 1))] * bias]
    values = n * (X.shape[1] + sum(part.shape[1] for part in parts))
    if sp.issparse(X) or (effects and values > _SMALL):
        return sp.csr_array(sp.hstack([sp.csr_array(X), *parts], "csr"))
    return np.hstack([X, *(part.toarray() if sp.issparse(part) else part for part in parts)])


def _levels(codes: Places) -> Any:
    """A column for each level but the first."""
    n, levels = codes.size, int(codes.max(initial=0)) + 1
    present = codes > 0
    starts = np.concatenate([[0], np.cumsum(present)])
    return sp.csr_array((np.ones(int(starts[-1])), codes[present] - 1, starts), shape=(n, levels - 1))


def weight_names(names: list[str], effects: list[tuple[str, list[str]]], bias: bool) -> tuple[str, ...]:
    """What the weights are called: "firm=7" is the level 7 of the set "firm"."""
    dummies = [f"{name}={level}" for name, levels in effects for level in levels[1:]]
    return (*names, *dummies, *["(1)"] * bias)
