"""Poisson with fixed effects: labelled cases as ppmlhdfe's authors ask of them, and gravity tables."""

from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import linprog

import rosenblatt as rb
from rosenblatt.regressions.machinery.counts import design


class Case(NamedTuple):
    """Columns of a table, and the rows that are separated."""

    y: list[float]
    x: list[list[float]]  # by column
    effects: list[list[Any]]
    separated: list[int]


CASES = {
    "a dummy of zeros": Case([1, 2, 3, 0, 0], [[0, 0, 0, 1, 1]], [], [3, 4]),
    "a dummy that one count has": Case([1, 2, 3, 0, 0], [[0, 0, 1, 1, 1]], [], []),
    "both signs at zeros": Case([1, 2, 3, 0, 0], [[0, 0, 0, 1, -1]], [], []),
    "one sign at zeros, not all": Case([1, 2, 3, 0, 0, 0], [[0, 0, 0, 2, 0, 0.5]], [], [3, 5]),
    "a difference of two columns": Case([1, 2, 3, 0, 0], [[1, 2, 4, 5, 1], [1, 2, 4, 3, 1]], [], [3]),
    "a level of zeros": Case([1, 2, 0, 0, 1], [[0, 1, 2, 1, 0]], [list("aabbc")], [2, 3]),
    "two sets, a cell cut off": Case([1, 0, 1], [], [[1, 1, 2], [1, 2, 2]], [1]),
    "two sets, cells that hold each other": Case([1, 0, 0, 1], [], [[1, 1, 2, 2], [1, 2, 1, 2]], []),
    "two sets, a count between": Case([1, 0, 1, 1], [], [[1, 1, 2, 2], [1, 2, 1, 2]], []),
    "three sets, only effects": Case(
        [1, 1, 0, 0, 1, 1], [], [[1, 1, 1, 2, 2, 2], [1, 2, 3, 1, 2, 3], [1, 1, 2, 3, 1, 1]], [2, 3]
    ),
    "constant where counts are": Case([1, 2, 3, 0, 0, 0], [[5, 5, 5, 6, 7, 5]], [list("aabbaa")], [3, 4]),
    "a column that levels give where counts are": Case(
        [1, 2, 3, 4, 0, 0, 0], [[1, 1, 4, 4, 2, 6, 4]], [list("aabbabb")], [4, 5]
    ),
    "the same with both signs": Case([1, 2, 3, 4, 0, 0, 0], [[1, 1, 4, 4, 2, 3, 4]], [list("aabbabb")], []),
    "collinear sets": Case([1, 2, 0, 0, 1, 1], [], [list("aabbcc"), list("uuvvww")], [2, 3]),
    "a level in a level": Case([1, 2, 0, 0, 1, 1], [], [list("abcdef"), list("uuvvww")], [2, 3]),
    "decimals that floats do not add up": Case(
        [1, 2, 3, 0, 0], [[0.1, 0.2, 0.4, 0.3, 0.1], [0.2, 0.1, 0.2, 0.3, 0.2], [0.3, 0.3, 0.6, 0.6, 0.4]], [], [4]
    ),
    "all counts are zero": Case([0, 0, 0], [[1, 2, 3]], [], [0, 1, 2]),
    "no count is zero": Case([1, 2, 3], [[1, 1, 1]], [list("abc")], []),
}


@pytest.mark.parametrize("name", CASES)
def test_labelled_cases(name: str) -> None:
    case = CASES[name]
    X = np.array(case.x, dtype=float).T.reshape(len(case.y), len(case.x))
    verdict = rb.existence(X, case.y, "poisson", fixed_effects=case.effects or None, coefficients=True)
    assert verdict.rows["strict"].tolist() == case.separated
    assert verdict.kind == ("overlap" if not case.separated else "quasi" if any(case.y) else "complete")
    assert rb.verify(verdict.certificate, X, case.y, fixed_effects=case.effects or None)
    left = [i for i in range(len(case.y)) if i not in case.separated]
    if left and case.separated:  # what is left has an estimate
        some = [[values[i] for i in left] for values in case.effects] or None
        assert rb.existence(X[left], np.array(case.y)[left], "poisson", fixed_effects=some).kind == "overlap"


def gravity(seed: int, countries: int, years: int) -> tuple[Any, Any, list[Any]]:
    """Flows between all ordered pairs, with exporter-year, importer-year and pair effects; many pairs have none."""
    rng = np.random.default_rng(seed)
    one, other, year = (v.ravel() for v in np.indices((countries, countries, years)))
    one, other, year = one[one != other], other[one != other], year[one != other]
    pair = one * countries + other
    open_pairs = rng.random(countries**2) > 0.4
    y = rng.poisson(0.7, size=one.size) * open_pairs[pair]
    distance = np.log(rng.random(countries**2) + 0.1)[pair]  # pairs have their effects: it says nothing more
    nearly = distance + np.where((y == 0) & (rng.random(one.size) < 0.05), rng.random(one.size), 0.0)
    dummy = (y == 0) & (rng.random(one.size) < 0.1)
    X = np.column_stack([rng.normal(size=one.size).round(2), rng.normal(size=one.size), dummy, distance, nearly])
    return X, y, [one * years + year, other * years + year, pair]


def by_floats(X: Any, y: Any, effects: list[Any]) -> set[int]:
    """max Σ t with z·w ≥ t, 0 ≤ t ≤ 1 and z·w = 0 where counts are."""
    codes = [np.unique(values, return_inverse=True)[1] for values in effects]
    Z = sp.csr_array(design(sp.csr_array(X), codes, True))
    zero, d = np.flatnonzero(y == 0), Z.shape[1]
    A = sp.hstack([Z[zero], sp.eye_array(zero.size)])
    E = sp.hstack([Z[np.flatnonzero(y)], sp.csr_array((np.count_nonzero(y), zero.size))])
    bounds = [(None, None)] * d + [(0, 1)] * zero.size
    found = linprog(np.r_[np.zeros(d), -np.ones(zero.size)], A, np.zeros(zero.size), E, np.zeros(E.shape[0]), bounds)
    return set(zero[found.x[d:] > 0.5].tolist())


def test_gravity_tables_are_as_a_float_program_has_them(request: pytest.FixtureRequest) -> None:
    sizes = [(14, 3), (5, 3), (8, 3), (12, 2)]
    for seed in range(300 if request.config.getoption("--soak") else 12):
        X, y, effects = gravity(seed, *sizes[seed % 4])
        verdict = rb.existence(X, y, "poisson", fixed_effects=effects)
        assert verdict.kind == "quasi"
        assert set(verdict.rows["strict"].tolist()) == by_floats(X, y, effects), seed


def test_collinear_columns_of_what_is_left_are_named() -> None:
    """Level b is dropped; the second set then says no more than the first, and x is 5 of the intercept."""
    firm, sector, x = list("aabbcc"), list("uuvvww"), [[5.0]] * 6
    verdict = rb.existence(x, [1, 2, 0, 0, 1, 1], "poisson", fixed_effects=[firm, sector])
    assert verdict.rows["strict"].tolist() == [2, 3]
    found = [dict(sorted(one.items())) for one in verdict.model.collinear]
    assert len(found) == 4
    assert {"effect 1=b": 1} in found
    assert {"effect 2=v": 1} in found
    assert any(set(one) == {"effect 1=c", "effect 2=w"} and sum(one.values()) == 0 for one in found)
    assert any(set(one) == {"x0", "(1)"} and 5 * one["x0"] + one["(1)"] == 0 for one in found)
    assert rb.existence([[0.0], [1.0], [2.0]], [1, 2, 0], "poisson").model.collinear == []
