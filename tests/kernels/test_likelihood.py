"""The compiled loss of counts beside its definition: derivatives by NumPy and by differences, and its searches."""

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit

from rosenblatt.estimates.likelihood import Likelihood
from rosenblatt.kernels.exponential import log_one_plus


def drawn(number, family, penalised):
    """Rows, weights, offsets and counts; sizes on either side of the pieces and of the lanes."""
    r = np.random.default_rng(number)
    n, d = int(r.choice([5, 7, 8, 9, 40, 1023, 1024, 1025, 2100])), int(r.integers(1, 5))
    Z, trials = r.uniform(-1, 1, (n, d)), r.integers(1, 5, n).astype(float)
    y = r.binomial(trials.astype(int), 0.4) if family == "binomial" else r.poisson(1.5, n)
    numbers = r.integers(1, 4, n).astype(float), r.normal(size=n).round(1)
    return Likelihood(Z, *numbers, family, y.astype(float), trials, penalised=penalised), r.normal(size=d)


def parts(loss, v):
    """The loss of each row, mean − y, and the variance with its derivatives, from their definitions."""
    s = loss.Z @ v + loss.offset
    if loss.family == "poisson":
        mean = np.exp(s)
        return mean - loss.y * s, mean - loss.y, mean, mean, mean
    p = expit(s)
    V = loss.trials * p * (1 - p)
    each = loss.trials * np.logaddexp(0, s) - loss.y * s
    return each, loss.trials * p - loss.y, V, V * (1 - 2 * p), V * (1 - 6 * p * (1 - p))


def slow(loss, v):
    """The loss and its gradient, information and the penalty's curvature."""
    each, residual, V, V1, V2 = parts(loss, v)
    c, Z, d = loss.weights, loss.Z, loss.d
    information = Z.T @ (Z * (c * V)[:, None])
    inverse = np.linalg.inv(information)
    h = np.einsum("ij,jk,ik->i", Z, inverse, Z)
    T = [Z.T @ (Z * (c * V1 * Z[:, j])[:, None]) for j in range(d)]
    bend = 0.5 * Z.T @ (Z * (c * V2 * h)[:, None])
    bend -= 0.5 * np.array([[np.trace(inverse @ T[j] @ inverse @ T[k]) for k in range(d)] for j in range(d)])
    penalty = 0.5 * np.linalg.slogdet(information)[1] if loss.penalised else 0.0
    gradient = (c * (residual - 0.5 * V1 * h * loss.penalised)) @ Z
    return c @ each - penalty, gradient, information, bend


@given(st.integers(0, 10_000), st.sampled_from(["binomial", "poisson"]), st.booleans())
def test_it_is_what_its_definition_says(number, family, penalised):
    loss, v = drawn(number, family, penalised)
    point, (value, gradient, information, bend) = loss.at(v), slow(loss, v)
    size = loss.weights @ np.abs(parts(loss, v)[1]) + 1.0
    assert point.loss == pytest.approx(value, rel=1e-11, abs=1e-10)
    np.testing.assert_allclose(point.gradient, gradient, rtol=1e-9, atol=1e-11 * size)
    np.testing.assert_allclose(point.information, information, rtol=1e-10, atol=1e-11 * size)
    if penalised:
        np.testing.assert_allclose(point.penalty_curvature, bend, rtol=1e-7, atol=1e-8 * (1 + np.abs(bend).max()))
        np.testing.assert_allclose(point.penalty_curvature, bend, rtol=1e-7, atol=1e-8 * (1 + np.abs(bend).max()))


@given(st.integers(0, 10_000), st.booleans())
def test_a_search_ends_where_another_one_does(number, penalised):
    loss, _ = drawn(number, "poisson", penalised)
    fixed = number % loss.d if number % 2 else None
    start = np.random.default_rng(number).normal(size=loss.d)
    found, sure = loss.at(start).improved(fixed, 1e-24, 100, False)
    free = [j for j in range(loss.d) if j != fixed]

    def of(some):
        v = np.array(start)
        v[free] = some
        return slow(loss, v)[0]

    assert sure
    assert fixed is None or found.v[fixed] == start[fixed]
    if free:
        theirs = minimize(of, found.v[free], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}).fun
        assert found.loss <= theirs + 1e-8 * (1 + abs(theirs))
        assert np.abs(found.gradient[free]).max() <= 1e-7 * (1.0 + loss.weights.sum())


@given(st.integers(0, 1000))
def test_steps_in_several_calls_are_those_of_one(number):
    """A table so large that a call makes few steps ends at the same bits."""
    loss, v = drawn(number, "binomial", True)
    import rosenblatt.estimates.likelihood as module

    whole, _ = loss.at(v).improved(None, 1e-20, 50, False)
    before, module._AT_ONCE = module._AT_ONCE, 0
    try:
        parts, _ = loss.at(v).improved(None, 1e-20, 50, False)
    finally:
        module._AT_ONCE = before
    assert parts.v.tolist() == whole.v.tolist()
    assert parts.loss == whole.loss


def test_weights_far_out_leave_float64_without_a_warning():
    loss, _ = drawn(4, "poisson", False)
    assert loss.at(np.full(loss.d, 1e6)).loss == inf
    loss, _ = drawn(4, "binomial", False)
    far = loss.at(np.full(loss.d, 1e6))
    assert 0 < far.loss < inf
    assert far.information.max() == pytest.approx(0.0, abs=1e-200)
    _, sure = far.improved(None, 1e-20, 50, False)
    assert not sure
    assert loss.with_penalty().at(np.full(loss.d, 1e6)).loss == inf


def test_the_lowest_of_several_starts_is_found_or_none():
    loss, v = drawn(11, "binomial", True)
    best, _ = loss.at(np.zeros(loss.d)).improved(None, 1e-20, 100, False)
    held = loss.at(np.where(np.arange(loss.d) == 0, v, best.v))
    starts = np.random.default_rng(0).normal(size=(4, loss.d))
    starts[:, 0] = held.v[0]
    found = held.lower(starts, 0, 1e-12, 50, held.loss + 1.0)
    there, _ = held.improved(0, 1e-20, 100, False)
    assert found is not None
    assert found.loss == pytest.approx(there.loss, abs=1e-6)
    assert held.lower(starts, 0, 1e-12, 50, there.loss - 1e-6) is None


def test_the_logarithm_of_one_plus_is_right_to_some_units_in_the_last_place():
    rng = np.random.default_rng(1)
    values = np.concatenate([rng.random(3000), 10.0 ** rng.uniform(-300, 0, 1000), [0.0, 1.0, 2**0.5 - 1]])
    found = np.array([log_one_plus.py_func(e) for e in values])
    np.testing.assert_allclose(found, np.log1p(values), rtol=8 * 2.0**-53)
