"""The search for ends of profile intervals: its model of the profile, how often it looks at the rows, and threads."""

import threading
from fractions import Fraction
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize

import rosenblatt.estimates.together as together
from rosenblatt.estimates.crossing import ProfileLook, cross
from rosenblatt.estimates.estimating import estimate
from rosenblatt.estimates.families import FAMILIES
from rosenblatt.estimates.likelihood import Likelihood
from rosenblatt.estimates.once import once
from rosenblatt.estimates.optimum import minimise
from rosenblatt.newton.gap import ProvedInverse
from tests.estimates.oracles import Slow, half_quantile

HALF = float(half_quantile(0.95))


def drawn(number, n=200, d=3, penalised=False):
    """Rows in [−1, 1] with a bias; no class is separated."""
    r = np.random.default_rng(number)
    Z = np.c_[r.uniform(-1, 1, (n, d - 1)), np.ones(n)]
    y = (r.random(n) < 1 / (1 + np.exp(-Z @ r.normal(size=d)))).astype(float)
    return Likelihood(Z, FAMILIES["logistic"], y, np.ones(n), np.ones(n), np.zeros(n), penalised)


def naive_loss(loss, v):
    s = loss.Z @ v
    value = (np.logaddexp(0, s) - loss.y * s).sum()
    if loss.penalised:
        V = np.exp(-np.logaddexp(0, s) - np.logaddexp(0, -s))
        value -= 0.5 * np.linalg.slogdet(loss.Z.T @ (loss.Z * V[:, None]))[1]
    return value


def naive_profile(loss, j, b):
    """The least loss with weight j at b, by a general minimiser."""

    def held(some):
        return naive_loss(loss, np.insert(some, j, b))

    return minimize(held, np.zeros(loss.d - 1), method="BFGS", options={"gtol": 1e-9}).fun


@pytest.mark.parametrize("penalised", [False, True])
@pytest.mark.parametrize("number", range(4))
def test_the_model_is_right_but_for_the_third_order(number, penalised):
    loss, j = drawn(number, penalised=penalised), number % 3
    best = minimise(loss, np.zeros(loss.d))
    aside = np.random.default_rng(number).normal(size=loss.d)
    errors = []
    for size in (0.2, 0.1):
        look = ProfileLook(loss.at(best.v + size * aside), j)
        errors.append(abs(look.loss - naive_profile(loss, j, float(look.point.v[j]))))
    assert errors[1] < errors[0] / 5 or errors[1] < 1e-8
    h, b = 1e-4, float(best.v[j]) + 0.3
    look = ProfileLook(minimise(loss, best.v + 0.3 * np.eye(loss.d)[j], j), j)
    values = [naive_profile(loss, j, b + k * h) for k in (-1, 0, 1)]
    assert look.slope == pytest.approx((values[2] - values[0]) / (2 * h), rel=1e-4)
    assert look.curvature == pytest.approx((values[2] - 2 * values[1] + values[0]) / h**2, rel=0.05)


@pytest.mark.parametrize("penalised", [False, True])
@pytest.mark.parametrize("number", range(4))
def test_ends_are_where_the_profile_has_its_target(number, penalised):
    loss, j = drawn(number, penalised=penalised), number % 3
    best = minimise(loss, np.zeros(loss.d))
    target, far = best.loss + HALF, 10 / np.sqrt(best.information[j, j])
    for sign in (-1.0, 1.0):
        look = cross(best, j, target, sign)
        found = look.point.v[j] + look.last_step(target)
        wanted = brentq(lambda b: naive_profile(loss, j, b) - target, best.v[j], best.v[j] + sign * far, xtol=1e-12)
        assert found == pytest.approx(wanted, abs=1e-7)


def test_an_end_takes_a_few_looks_at_the_rows(monkeypatch):
    looks = []
    at = Likelihood.at

    def counted(self, v):
        looks.append(self.penalised)
        return at(self, v)

    monkeypatch.setattr(Likelihood, "at", counted)
    r = np.random.default_rng(0)
    X = r.normal(size=(2000, 4))
    estimate(X, X @ [0.5, -0.5, 0.2, 0] + r.logistic(size=2000) > 0)
    assert looks.count(False) <= 8 + 10 * 7  # the maximum, and ten ends with a value on either side
    assert looks.count(True) <= 8 + 5 * 6 + 10 * 6  # the maximum, five tests, ten ends


def test_threads_change_no_bit(monkeypatch):
    r = np.random.default_rng(1)
    X = r.normal(size=(300, 4))
    y = X[:, 0] + r.logistic(size=300) > 0
    tables = []
    for worth in (1 << 60, 0):
        monkeypatch.setattr(together, "_WORTH", worth)
        tables.append(estimate(X, y).to_json() | {"seconds": 0})
    assert tables[0] == tables[1]


@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-9])
def test_classes_that_hardly_overlap_have_finite_ends(gap):
    """Far out, the two rows that overlap are all that counts: 2·log(1 + e^(gap·b/2)) is the least loss then."""
    X, y = np.array([[0.0], [1.0], [1.0 - gap], [2.0], [-1.0], [3.0]]), [0, 0, 1, 1, 0, 1]
    slope, intercept = estimate(X, y).coefficients
    slow = Slow(X, y)
    best, _ = slow.least()
    upper = 2 * log(np.exp((float(best) + HALF) / 2) - 1) / gap
    assert slope.upper.value == pytest.approx(upper, rel=1e-3)
    assert intercept.lower.value == pytest.approx(-upper, rel=1e-3)
    for j, end in ((0, slope.lower), (1, intercept.upper)):
        held, _ = slow.least(j, end.value)
        assert float(held - best) == pytest.approx(HALF, abs=1e-6)


def test_an_end_that_floats_do_not_find_is_unknown(monkeypatch):
    """The verdict says that it is finite, so it is not called infinite."""
    monkeypatch.setattr("rosenblatt.estimates.profile.cross", lambda *_: None)
    table = estimate([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
    one = table.coefficients[0]
    assert np.isnan([one.lower.value, one.upper.value, one.firth.lower, one.firth.upper]).all()
    assert not one.lower.proved
    assert 0 < one.firth.p < 1
    assert "? to ?" in str(table)
    assert "Not computed, because rounding hides it: numbers of x0, (1)." in str(table)


@settings(max_examples=max(10, settings.default.max_examples // 5))
@given(st.integers(1, 4), st.integers(0, 10_000))
def test_the_rough_bound_on_spreads_is_a_bound(d, number):
    """zᵀA⁻¹z in fractions, of corners of the cube, where it is largest."""
    r = np.random.default_rng(number)
    B = r.integers(-4, 5, (d + 2, d)) * 2.0 ** r.integers(-20, 20, d)
    A = B.T @ B
    inverse = ProvedInverse.of(A, 2.0**-50)
    if inverse is None:
        return
    for _ in range(4):
        z = [Fraction(int(v)) for v in r.choice([-1, 1], d)]
        assert _form([[Fraction(v) for v in row] for row in A.tolist()], z) <= Fraction(inverse.widest)


def _form(A, z):
    """ZᵀA⁻¹z by Gauss' elimination."""
    d, rows = len(z), [[*row, v] for row, v in zip(A, z, strict=True)]
    for k in range(d):
        pivot = next(i for i in range(k, d) if rows[i][k])
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [v / rows[k][k] for v in rows[k]]
        for i in range(d):
            if i != k:
                rows[i] = [a - rows[i][k] * b for a, b in zip(rows[i], rows[k], strict=True)]
    return sum(a * row[-1] for a, row in zip(z, rows, strict=True))


def test_once_works_once_and_keeps_nobody_waiting():
    meeting, calls = threading.Barrier(2), []

    class Thing:
        @once
        def value(self):
            """What it is."""
            meeting.wait(timeout=10)  # two objects are asked at the same time, or this fails
            calls.append(self)
            return len(calls)

    things = [Thing(), Thing()]
    threads = [threading.Thread(target=lambda one=one: one.value) for one in things]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(one.value for one in things) == [1, 2]
    assert len(calls) == 2
