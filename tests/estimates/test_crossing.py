"""The search for ends of profile intervals: its model of the profile, how often it looks at the rows, and threads."""

import threading
from dataclasses import replace
from fractions import Fraction
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize

import rosenblatt.estimates.likelihood as likelihood
import rosenblatt.threads as threads
from rosenblatt.estimates.crossing import ProfileLook, cross, lightly_penalised
from rosenblatt.estimates.estimating import estimate
from rosenblatt.estimates.likelihood import Likelihood
from rosenblatt.estimates.optimum import minimise
from rosenblatt.estimates.profile import Minimum, ends, held
from rosenblatt.minimise.gap import ProvedInverse
from rosenblatt.threads import once
from tests.estimates.oracles import Slow, half_quantile
from tests.estimates.sets import small_set

HALF = float(half_quantile(0.95))


def drawn(number, n=200, d=3, penalised=False):
    """Rows in [−1, 1] with a bias; no class is separated."""
    r = np.random.default_rng(number)
    Z = np.c_[r.uniform(-1, 1, (n, d - 1)), np.ones(n)]
    y = (r.random(n) < 1 / (1 + np.exp(-Z @ r.normal(size=d)))).astype(float)
    return Likelihood(Z, np.ones(n), np.zeros(n), "binomial", y, np.ones(n), penalised=penalised)


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
def test_the_model_is_right_but_for_the_third_order(number, penalised, monkeypatch):
    """With the penalty's own curvature, which is left out where rows are many."""
    monkeypatch.setattr(likelihood, "_CLEAR", 10**9)
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


@pytest.mark.parametrize(("n", "penalised"), [(1500, False), (1500, True), (3200, True)])
def test_the_lower_end_of_a_large_table_begins_where_the_upper_one_says(n, penalised, monkeypatch):
    """3,200 rows of three weights are so many that a penalised search ends early."""
    monkeypatch.setattr(likelihood, "_LENT", 0)
    loss = drawn(n, n, penalised=penalised)
    best = minimise(loss, np.zeros(loss.d))
    for j in range(loss.d):
        found = ends(best, j, Minimum.at(best), best.loss, HALF)
        far = 10 / np.sqrt(best.information[j, j])
        for end, upper in zip(found, (False, True), strict=True):
            alone = ends(best, j, Minimum.at(best), best.loss, HALF, not upper, upper)[upper]
            assert end.value == pytest.approx(alone.value, abs=1e-9 * far)
            assert end.proved == alone.proved == (not penalised)
            wanted = held(best, j, end.value).loss - best.loss
            assert wanted == pytest.approx(HALF, abs=1e-8)


@pytest.mark.parametrize("separated", [False, True])
def test_a_lightly_penalised_loss_is_held_by_way_of_the_plain_one(separated):
    """Where a rare column is separated, the plain loss has no minimum; the way in steps from the maximum is taken."""
    loss = drawn(5, 12_000, penalised=True)
    loss.Z[:, 0] = np.arange(12_000) < 6
    if separated:
        loss.y[:6] = 1.0
    best = minimise(loss, np.zeros(loss.d))
    assert lightly_penalised(loss)
    for j, value in ((0, 0.0), (1, 0.0), (1, 2.0), (2, 0.0)):
        found = held(best, j, value)
        assert found.v[j] == value
        assert found.loss == pytest.approx(naive_profile(loss, j, value), abs=1e-5)
        assert found.loss == pytest.approx(minimise(loss, found.v, j).loss, abs=1e-9)


@settings(max_examples=max(10, settings.default.max_examples // 5))
@given(st.sampled_from(["binomial", "poisson"]), st.integers(0, 10_000))
def test_the_information_of_a_point_near_by_is_no_more_than_e_to_the_change_off(model, number):
    loss = replace(drawn(number, n=20), family=model)
    r = np.random.default_rng(number)
    here = loss.at(r.normal(size=3))
    there = loss.at(here.v + r.normal(size=3) * 10.0 ** -r.integers(0, 6))
    assert np.abs(here.s - there.s).max() <= here.change(there)
    least = np.linalg.eigvalsh(np.exp(here.change(there)) * here.information - there.information)[0]
    assert least >= -1e-12 * here.information.trace()


@pytest.mark.parametrize("number", range(60))
def test_proofs_hold_with_the_information_of_a_point_near_by(number, monkeypatch):
    """Where it is lent in small tables too, brackets meet those without, and of the first sets slow ones agree."""
    one = small_set(number)
    plain = estimate(one.X, one.y, firth=False, **one.arguments)
    monkeypatch.setattr(likelihood, "_LENT", 0)
    lent = estimate(one.X, one.y, firth=False, **one.arguments)
    for a, b in zip(plain.coefficients, lent.coefficients, strict=True):
        for mine, other in ((a.lower, b.lower), (a.upper, b.upper)):
            assert mine.proved == other.proved
            assert other.value == pytest.approx(mine.value, rel=1e-8, abs=1e-8, nan_ok=True)
            if other.proved and np.isfinite(other.value):  # two proved brackets of one end meet
                assert min(other.inner, other.outer) <= max(mine.inner, mine.outer)
                assert min(mine.inner, mine.outer) <= max(other.inner, other.outer)
    for j, b in enumerate(lent.coefficients):
        if number < 8 and b.fate == "finite" and all(fate.fate == "finite" for fate in lent.coefficients):
            slow = one.slow()
            best, _ = slow.least()
            for end in (b.lower, b.upper):
                assert slow.least(j, end.inner)[0] - best < half_quantile(0.95) < slow.least(j, end.outer)[0] - best


def test_a_large_table_asks_for_the_information_a_few_times(monkeypatch):
    asked, search = [], likelihood.search

    def counted(rows, looks, starts, fixed, full, steps, *rest):
        found = search(rows, looks, starts, fixed, full, steps, *rest)
        asked.append(found[1] if steps else full if len(starts) else not full)
        return found

    monkeypatch.setattr(likelihood, "search", counted)
    r = np.random.default_rng(0)
    X = r.normal(size=(30_000, 2))
    estimate(X, X @ [0.5, -0.5] + r.logistic(size=30_000) > 0, firth=False)
    assert sum(asked) <= 12  # on the way to the maximum; none at the ends


def test_an_end_takes_a_few_looks_at_the_rows(monkeypatch):
    looks, search = [], likelihood.search

    def counted(rows, room, starts, *rest):
        found = search(rows, room, starts, *rest)
        looks.extend([rows.penalised] * (len(starts) + found[1]))
        return found

    monkeypatch.setattr(likelihood, "search", counted)
    r = np.random.default_rng(0)
    X = r.normal(size=(2000, 4))
    estimate(X, X @ [0.5, -0.5, 0.2, 0] + r.logistic(size=2000) > 0)
    assert looks.count(False) <= 8 + 10 * 6  # the maximum, and ten ends with a value on either side
    assert looks.count(True) <= 8 + 5 * 4 + 10 * 3  # the maximum, five tests, ten ends


def test_threads_change_no_bit(monkeypatch):
    r = np.random.default_rng(1)
    X = r.normal(size=(300, 4))
    y = X[:, 0] + r.logistic(size=300) > 0
    tables = []
    for worth in (1 << 60, 0):
        monkeypatch.setattr(threads, "_WORTH", worth)
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


@pytest.mark.parametrize("seed", range(12))
def test_one_compiled_call_finds_what_small_steps_find(seed, monkeypatch):
    """Ends and p-values, with and without the penalty, of counts and successes, also where classes are separated."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (int(rng.choice([10, 20, 60])), 1 + seed % 3)).astype(float)
    s = X @ rng.standard_normal(X.shape[1])
    y = rng.poisson(np.exp(s / 2)) if seed % 2 else (rng.random(len(X)) < 1 / (1 + np.exp(-2 * s))).astype(int)
    y[:2] = 0, 1
    model = "poisson" if seed % 2 else "logistic"

    def numbers():
        each = estimate(X, y, model).coefficients
        firth = [(one.firth.lower, one.firth.upper, one.firth.p) for one in each if one.firth is not None]
        return [(one.lower.value, one.upper.value, one.lower.proved) for one in each], firth

    fast = numbers()
    monkeypatch.setattr("rosenblatt.estimates.profile.at_once", lambda *_: None)
    slow = numbers()
    np.testing.assert_allclose(fast[0], slow[0], rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(fast[1], slow[1], rtol=1e-8, atol=1e-9)


def test_an_end_that_floats_do_not_find_is_unknown(monkeypatch):
    """The verdict says that it is finite, so it is not called infinite."""
    for search in ("at_once", "cross", "_between_two"):
        monkeypatch.setattr(f"rosenblatt.estimates.profile.{search}", lambda *_: None)
    table = estimate([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
    one = table.coefficients[0]
    assert np.isnan([one.lower.value, one.upper.value, one.firth.lower, one.firth.upper]).all()
    assert not one.lower.proved
    assert 0 < one.firth.p < 1
    assert "? to ?" in str(table)
    assert "Not computed, because no search found it or rounding hides it: numbers of x0, (1)." in str(table)


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
    running = [threading.Thread(target=lambda one=one: one.value) for one in things]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    assert sorted(one.value for one in things) == [1, 2]
    assert len(calls) == 2
