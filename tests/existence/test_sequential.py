"""The continuation-ratio (sequential) logit: its rows, verdicts and estimates against their definitions."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize

import rosenblatt as rb
from rosenblatt.verdicts import checker
from tests.existence import oracle


def decisions(X, y, last):
    """Each decision of each row, by the definition: (row, level, x with −1 at its threshold, passed)."""
    for i, (x, level) in enumerate(zip(X, y, strict=True)):
        for k in range(last):
            if level >= k:  # it has reached level k
                yield i, k, [*x, *(-float(j == k) for j in range(last))], level > k


def drawn(seed, tenths=False):
    rng = np.random.default_rng(seed)
    n, p, K = int(rng.integers(3, 12)), int(rng.integers(1, 3)), int(rng.integers(2, 5))
    X = rng.integers(-2, 3, size=(n, p)) / (10 if tenths else 1)
    y = rng.integers(0, K, n)
    return X, y, [str(k) for k in range(K)]


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_verdicts_are_those_of_the_definition(seed: int, sparse: bool) -> None:
    X, y, levels = drawn(seed, tenths=seed % 2 == 1)
    last, p = len(levels) - 1, X.shape[1]
    rows = [[Fraction(str(v)) if passed else -Fraction(str(v)) for v in z] for _, _, z, passed in decisions(X, y, last)]
    names = [(i, k + 1) for i, k, _, _ in decisions(X, y, last)]
    kind, strict = oracle.verdict(rows, [], p + last)
    given = sp.csr_array(X) if sparse else X
    verdict = rb.existence(given, y, "sequential", levels=levels, coefficients=True)
    assert verdict.kind == kind
    assert {tuple(pair) for pair in verdict.pairs.tolist()} == {names[i] for i in strict}
    assert [one.kind for one in verdict.coefficients] == oracle.fates(rows, [], p + last)
    assert "sequential" in rb.verify(verdict.certificate, given, y)
    assert "sequential" in checker.check(verdict.certificate.content, X.tolist(), y.tolist())
    other = (y + 1) % len(levels)
    with pytest.raises(ValueError, match="not about these data"):
        rb.verify(verdict.certificate, given, other)


def loss_of(X, y, last, weights, offset):
    """The negative log-likelihood, decision by decision, and its information."""
    made = list(decisions(X, y, last))
    Z = np.array([z for _, _, z, _ in made])
    signs = np.array([1.0 if passed else -1.0 for *_, passed in made])
    of = [i for i, *_ in made]

    def loss(v):
        return float(weights[of] @ np.log1p(np.exp(-signs * (Z @ v + offset[of]))))

    def penalised(v):
        s = Z @ v + offset[of]
        V = weights[of] * np.exp(-s) / (1 + np.exp(-s)) ** 2
        return loss(v) - 0.5 * np.linalg.slogdet(Z.T @ (V[:, None] * Z))[1]

    return loss, penalised


@pytest.mark.parametrize("seed", range(3))
def test_estimates_are_those_of_the_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(50, 2)).round(2), rng.integers(0, 4, 50)
    weights, offset = rng.integers(1, 3, 50).astype(float), rng.normal(size=50).round(1)
    loss, penalised = loss_of(X, y, 3, weights, offset)
    found = rb.estimate(X, y, "sequential", sample_weight=weights, offset=offset)
    assert [one.name for one in found.coefficients] == ["x0", "x1", "0|1", "1|2", "2|3"]
    best = minimize(loss, np.zeros(5), options={"gtol": 1e-8})
    assert [one.value for one in found.coefficients] == pytest.approx(best.x, abs=1e-4)
    firth = minimize(penalised, np.zeros(5), options={"gtol": 1e-8})
    assert [one.firth.value for one in found.coefficients] == pytest.approx(firth.x, abs=1e-4)
    assert all(one.error is not None and one.lower.proved and one.upper.proved for one in found.coefficients)
    one = found.coefficients[0]
    for end in (one.lower.value, one.upper.value):
        held = minimize(lambda u, end=end: loss(np.insert(u, 0, end)), best.x[1:], options={"gtol": 1e-8})
        assert 2 * (held.fun - best.fun) == pytest.approx(3.841459, abs=1e-3)


def test_two_levels_are_a_logistic_regression() -> None:
    rng = np.random.default_rng(7)
    X, y = rng.normal(size=(40, 2)).round(2), rng.integers(0, 2, 40)
    own, logistic = rb.estimate(X, y, "sequential").coefficients, rb.estimate(X, y).coefficients
    for a, b in zip(own[:2], logistic[:2], strict=True):
        assert (a.value, a.firth.value, a.firth.p) == pytest.approx((b.value, b.firth.value, b.firth.p), abs=1e-6)
    assert own[2].value == pytest.approx(-logistic[2].value, abs=1e-6)


def test_sentences_and_notes() -> None:
    X, y = [[0.0], [0], [0], [1], [1], [2], [2]], ["low", "mid", "low", "mid", "high", "high", "high"]
    verdict = rb.existence(X, y, "sequential", levels=["low", "mid", "high"], coefficients=True)
    assert verdict.kind == "quasi"
    assert "comparisons (row, threshold) are decided with certainty" in verdict.sentence
    assert rb.existence(X, y, "sequential", levels=["low", "mid", "high", "top"]).model.notes == (
        "level top has no rows: the threshold high|top has no finite estimate",
    )
    with pytest.raises(TypeError, match="cannot tell the order of high, low, mid: list them in levels"):
        rb.existence(X, y, "sequential")


def test_the_finite_part_is_the_estimate_of_the_limiting_model() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 1)).round(1), rng.integers(0, 3, 60)
    found = rb.existence(X, y, "sequential")
    assert found.kind == "overlap"
    table = rb.estimate(X, y, "sequential", firth=False)
    assert found.finite_part.w == pytest.approx([one.value for one in table.coefficients], abs=1e-6)
    with_top = rb.existence(X, y, "sequential", levels=["0", "1", "2", "3"])  # its threshold runs away, others stay
    assert with_top.finite_part.w[:3] == pytest.approx(found.finite_part.w, abs=1e-6)


def test_infinite_coefficients_have_proved_ends() -> None:
    X = np.array([[0.0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [0, 2], [0, 3]])
    y = np.array([0, 1, 2, 0, 2, 2, 1, 2])
    one = rb.estimate(X, y, "sequential").coefficients[0]
    assert (one.fate, one.value, one.upper.value) == ("+inf", np.inf, np.inf)
    loss, _ = loss_of(X, y, 2, np.ones(8), np.zeros(8))
    far = minimize(lambda u: loss(np.insert(u, 0, 40.0)), np.zeros(3), options={"gtol": 1e-9})
    held = minimize(lambda u: loss(np.insert(u, 0, one.lower.value)), far.x, options={"gtol": 1e-9})
    assert 2 * (held.fun - far.fun) == pytest.approx(3.841459, abs=1e-3)
    assert np.isfinite(one.firth.value)
