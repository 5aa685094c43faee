"""Columns that people calculate from others, in floats: totals, means, units. The verdict is about them as they are."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt.data.numbers.exact import exact_rows
from rosenblatt.data.numbers.rows import as_rows
from rosenblatt.verdicts import checker
from rosenblatt.verdicts.points import Points
from rosenblatt.verdicts.search import columns
from rosenblatt.verdicts.search.calculated import near_relations, without_calculated

CALCULATED = {
    "total": lambda X: X[:, 0] + X[:, 1],
    "total of all": lambda X: X.sum(axis=1),
    "inches": lambda X: X[:, 0] / 2.54,
    "fahrenheit": lambda X: X[:, 0] * 1.8 + 32,
    "mean": lambda X: X[:, :3].mean(axis=1),
    "pounds": lambda X: X[:, 1] * 2.20462,
    "years": lambda X: 1990 + X[:, 0] + (2000 + X[:, 1]),
    "with tax": lambda X: X[:, 0] * 1.19 + X[:, 2],
}


def table(name: str, n: int, p: int, seed: int = 0, digits: int | None = None) -> Any:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * 10.0 ** rng.integers(-2, 4, p)
    X = X if digits is None else X.round(digits)
    return np.column_stack([X, CALCULATED[name](X)]), rng


@pytest.mark.parametrize("name", CALCULATED)
@pytest.mark.parametrize("digits", [None, 2])
def test_ordinary_tables_with_a_calculated_column_are_decided(name: str, digits: int | None) -> None:
    X, rng = table(name, 1500, 25, digits=digits)
    y = rng.integers(0, 2, 1500)
    verdict = rb.separability(X, y, coefficients=True, time_limit=30)
    assert verdict.kind == "overlap", verdict.reason
    assert verdict.coefficients is not None
    assert verdict.certificate is not None
    checker.check(verdict.certificate.content, X.tolist(), (2 * y - 1).tolist())


@pytest.mark.parametrize("name", CALCULATED)
@pytest.mark.parametrize("labels", ["overlap", "complete", "quasi"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_verdict_is_that_of_the_columns_as_they_are(
    name: str, labels: str, fit_intercept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(3):
        X, rng = table(name, 60, 3, seed)
        y = rng.integers(0, 2, 60) if labels == "overlap" else (X @ rng.normal(size=4) > 0) * 1
        if labels == "quasi":
            X[1], y[1] = X[0], 1 - y[0]
        verdict = rb.separability(X, y, fit_intercept=fit_intercept)
        assert verdict.certificate is not None
        verdict.certificate.verify(X, y)
        with monkeypatch.context() as patch:
            patch.setattr(columns, "without_calculated", lambda points, relations: None)
            assert rb.separability(X, y, fit_intercept=fit_intercept).kind == verdict.kind


@given(st.sampled_from(sorted(CALCULATED)), st.integers(0, 50), st.sampled_from([None, 1, 3]), st.data())
def test_weights_for_remainders_become_weights_for_the_columns(
    name: str, seed: int, digits: int | None, data: st.DataObject
) -> None:
    X, _ = table(name, 30, 4, seed, digits)
    rows = as_rows(X)
    points = Points(exact_rows(rows), np.ones(30, dtype=np.int8), True)
    found = without_calculated(points, near_relations(points))
    if found is None:  # then the decimals are exactly dependent
        return
    w = data.draw(st.lists(st.integers(-99, 99), min_size=6, max_size=6).filter(any))
    old = found[1].weights(w)
    all_rows = np.arange(30)
    new_values, old_values = found[0].values(w, all_rows), points.values(old, all_rows)
    factor = next(b / a for a, b in zip(new_values, old_values, strict=True) if a)
    assert factor > 0
    assert [a * factor for a in new_values] == old_values


def test_remainders_are_rounding_errors() -> None:
    X, _ = table("total", 200, 3)
    points = Points(as_rows(X), np.ones(200, dtype=np.int8), True)
    found = without_calculated(points, near_relations(points))
    assert found is not None
    ((j, factors),) = found[1].factors.items()
    others = [k for k in (0, 1, 3) if k != j]
    assert {k: abs(f) for k, f in factors.items()} == dict.fromkeys(others, Fraction(1))
    rest = found[0].rows.take(slice(0, 200))[:, j] / found[1].multiples[j]
    assert 0 < np.abs(rest).max() <= 2.0**-52 * np.abs(X).max()


def test_exact_dependences_and_plain_tables_are_left_alone() -> None:
    rng = np.random.default_rng(0)
    whole = rng.integers(-50, 50, size=(100, 3)).astype(float)
    signs = np.ones(100, dtype=np.int8)
    for X in (whole, np.column_stack([whole, whole.sum(axis=1)]), rng.normal(size=(100, 3)), np.ones((100, 3))):
        points = Points(as_rows(X), signs, True)
        assert without_calculated(points, near_relations(points)) is None


def test_a_model_with_a_calculated_column_is_decided() -> None:
    X, rng = table("total", 800, 12)
    verdict = rb.existence(X, rng.poisson(1.0, 800), model="poisson", time_limit=30)
    assert verdict.kind == "overlap", verdict.reason


def test_a_total_of_columns_far_from_zero() -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([2000 + rng.random(1500), 51.5 + 0.1 * rng.random(1500), rng.normal(size=(1500, 20))])
    X = np.column_stack([X, X[:, 0] + X[:, 1]])
    assert rb.separability(X, rng.integers(0, 2, 1500), time_limit=30).kind == "overlap"
