"""The finite part: the estimate on the rows that are not separated, as others compute it."""

from typing import Any

import numpy as np
import pytest

import rosenblatt as rb


def separated(rng: np.random.Generator) -> tuple[Any, Any]:
    """A dummy that is 1 in rows of count 0 only."""
    X = np.column_stack([rng.normal(size=40), np.arange(40) < 5])
    y = rng.poisson(np.exp(0.5 + 0.7 * X[:, 0])) * (X[:, 1] == 0)
    return X, y


@pytest.mark.parametrize("more", [{}, {"exposure": True}, {"offset": True, "sample_weight": True}])
def test_poisson_is_fitted_to_the_others(more: dict[str, bool]) -> None:
    sm = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(1)
    X, y = separated(rng)
    given = {name: rng.random(40) + 0.5 for name in more}
    verdict = rb.existence(X, y, "poisson", **given)
    assert verdict.rows["strict"].tolist() == [0, 1, 2, 3, 4]
    left = np.arange(40) >= 5
    offset = given.get("offset", np.zeros(40)) + np.log(given.get("exposure", np.ones(40)))
    weights = given.get("sample_weight", np.ones(40))[left]
    family = sm.families.Poisson()
    theirs = sm.GLM(y[left], sm.add_constant(X[left, :1]), family, offset=offset[left], freq_weights=weights).fit(
        tol=1e-12
    )
    part = verdict.finite_part
    assert verdict.model.weights == ("x0", "x1", "(1)")
    np.testing.assert_allclose(part.w[[2, 0]], theirs.params, rtol=1e-7)


def test_binomial_is_fitted_to_the_others() -> None:
    sm = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.normal(size=30), np.arange(30) < 4])
    m = rng.integers(1, 6, size=30)
    k = np.where(X[:, 1] > 0, m, rng.binomial(m, 1 / (1 + np.exp(-X[:, 0]))))
    verdict = rb.existence(X, k, "binomial", trials=m)
    left = np.setdiff1d(np.arange(30), verdict.rows["strict"])
    assert left.tolist() == list(range(4, 30))
    theirs = sm.GLM(np.column_stack([k, m - k])[left], sm.add_constant(X[left, :1]), sm.families.Binomial()).fit()
    np.testing.assert_allclose(verdict.finite_part.w[[2, 0]], theirs.params, rtol=1e-6)


def test_an_offset_moves_the_finite_part_of_two_classes() -> None:
    rng = np.random.default_rng(4)
    X, weight = rng.normal(size=(40, 2)), np.arange(40) % 7 > 0
    y = (X[:, 0] + rng.logistic(size=40) > 0).astype(int)
    offset = rng.normal(size=40)
    verdict = rb.existence(X, y, offset=offset, sample_weight=weight)
    w = np.append(verdict.finite_part.w, verdict.finite_part.b)
    Z = np.column_stack([X, np.ones(40)])
    slope = Z.T @ (weight * (1 / (1 + np.exp(-(Z @ w + offset))) - y))
    np.testing.assert_allclose(slope, 0, atol=1e-8)
    with pytest.raises(ValueError, match="offset must hold one value a row"):
        rb.existence(X, y, offset=offset[:3])


def test_effects_of_a_sparse_table_are_fitted() -> None:
    """The likelihood's slope vanishes: the means of each level add up to its counts."""
    rng = np.random.default_rng(3)
    firm, year = rng.integers(0, 60, size=900), rng.integers(0, 9, size=900)
    y = rng.poisson(1.0, size=900) * (firm % 10 > 0)
    verdict = rb.existence(rng.normal(size=(900, 1)), y, "poisson", fixed_effects=[firm, year])
    part, rows = verdict.finite_part, verdict.rows["plane"]
    X = verdict.plane_rows.made
    signs = np.where(y[rows] > 0, 1.0, -1.0)
    s = (X.Z[rows] @ (part.w / np.array(X.tens))) * signs
    for codes in (firm, year):
        level = codes[rows]
        np.testing.assert_allclose(np.bincount(level, np.exp(s)), np.bincount(level, y[rows]), atol=1e-6)


def test_there_is_none_where_every_row_is_separated() -> None:
    assert rb.existence([[0.0], [1.0]], [0, 0], "poisson").finite_part is None
    assert rb.existence([[0.0], [1.0]], ["a", "b"], "multinomial").finite_part is None


def test_paired_comparisons_with_draws() -> None:
    """Item 0 beats everybody; of the others' games the estimate is where the score is zero, a draw being half a win."""
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 5, (2, 60))
    b = np.where(a == b, (b + 1) % 5, b)
    y = np.where(a == 0, 1.0, np.where(b == 0, 0.0, rng.choice([0.0, 0.5, 1.0], 60)))
    offset, weight = rng.normal(size=60).round(2), rng.integers(1, 4, 60)
    verdict = rb.existence(None, y, "paired", items=(a, b), offset=offset, sample_weight=weight)
    assert verdict.kind == "quasi"
    assert verdict.rows["strict"].tolist() == np.flatnonzero((a == 0) | (b == 0)).tolist()
    strength = np.append(0.0, verdict.finite_part.w)
    left = (a != 0) & (b != 0)
    rest = weight * (y - 1 / (1 + np.exp(-(strength[a] - strength[b] + offset)))) * left
    score = np.bincount(a, rest, 5) - np.bincount(b, rest, 5)
    np.testing.assert_allclose(score[1:], 0, atol=1e-7)
