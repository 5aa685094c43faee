"""Counts: two classes, k of m, and Poisson's, with fixed effects.

Weights: X's columns, then each set of effects without its first level, then the bias. With x these values of a row:

    logistic, binomial   k > 0: x        k < m: −x
    Poisson              y = 0: −x       y > 0: x is an equality, as its mean must neither vanish nor grow

So for Poisson any y ≥ 0 is as good as a count (PPML): only whether it is 0 matters, and exposures change nothing.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.verdicts.existence.rows import Floats, ModelRows, Places, Values

__all__ = ["binomial", "design", "logistic", "poisson", "weight_names"]


def logistic(values: Values, y: Floats, effects: list[Places], names: tuple[str, ...], bias: bool = True) -> ModelRows:
    """One z a row: x where y = 1, −x where y = 0."""
    places = np.arange(len(y))
    return _signed(values, places, np.where(y > 0, 1.0, -1.0), np.full(len(y), -1), effects, names, bias)


def binomial(
    values: Values, k: Floats, m: Floats, effects: list[Places], names: tuple[str, ...], bias: bool = True
) -> ModelRows:
    """x where k > 0 (against 1), and −x where k < m (against 0)."""
    some, others = np.flatnonzero(k > 0), np.flatnonzero(k < m)
    places, against = np.concatenate([some, others]), np.repeat([1, 0], [some.size, others.size])
    order = np.argsort(places, kind="stable")
    places, against = places[order], against[order]
    return _signed(values, places, 2.0 * against - 1.0, against, effects, names, bias)


def poisson(values: Values, y: Floats, effects: list[Places], names: tuple[str, ...], bias: bool = True) -> ModelRows:
    """−x where y = 0; elsewhere an equality."""
    places, positive = np.arange(len(y)), y > 0
    made = _signed(values, places, np.where(positive, 1.0, -1.0), np.full(len(y), -1), effects, names, bias)
    return ModelRows(made.Z, positive, made.row, made.against, made.names, made.tens)


def _signed(
    values: Values,
    places: Places,
    signs: Floats,
    against: Places,
    effects: list[Places],
    names: tuple[str, ...],
    bias: bool,
) -> ModelRows:
    Z = design(values.X, effects, bias)
    Z = Z if places.size == Z.shape[0] and np.array_equal(places, np.arange(places.size)) else Z[places]
    Z = sp.csr_array(Z.multiply(signs[:, None])) if sp.issparse(Z) else Z * signs[:, None]
    tens = values.tens + (1,) * (Z.shape[1] - len(values.tens))
    return ModelRows(Z, np.zeros(len(places), dtype=bool), places, against, names, tens)


def design(X: Any, effects: list[Places], bias: bool) -> Any:
    """X's columns, the effects as zeros and ones without each set's first level, the bias; CSR if any part is."""
    n = X.shape[0]
    ones = [np.ones((n, 1))] if bias else []
    if not effects and not sp.issparse(X):
        return np.hstack([X, *ones])
    return sp.csr_array(sp.hstack([sp.csr_array(X), *(_levels(codes) for codes in effects), *ones], "csr"))


def _levels(codes: Places) -> Any:
    """A column for each level but the first."""
    n, levels = codes.size, int(codes.max(initial=0)) + 1
    present = codes > 0
    starts = np.concatenate([[0], np.cumsum(present)])
    return sp.csr_array((np.ones(int(starts[-1])), codes[present] - 1, starts), shape=(n, levels - 1))


def weight_names(names: list[str], effects: list[tuple[str, list[str]]], bias: bool) -> tuple[str, ...]:
    """What the weights are called: "firm=7" is the level 7 of the set "firm"."""
    levels = [f"{name}={level}" for name, some in effects for level in some[1:]]
    return (*names, *levels, *["(1)"] * bias)
