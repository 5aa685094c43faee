"""What must hold of any data: units, shifts, repeated rows, swapped classes."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.estimates.estimating import estimate

FEWER = max(4, settings.default.max_examples // 15)


@st.composite
def tables(draw):
    n, p = draw(st.integers(4, 9)), draw(st.integers(1, 2))
    cells = draw(st.lists(st.integers(-3, 3), min_size=n * p, max_size=n * p))
    y = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(lambda y: 0 < sum(y) < len(y)))
    return np.array(cells, dtype=float).reshape(n, p), np.array(y)


def numbers(found, factors=None):
    """Estimate and ends of both kinds, one row a coefficient."""
    rows = []
    for j, one in enumerate(found.coefficients):
        firth = [np.nan] * 3 if one.firth is None else [one.firth.value, one.firth.lower, one.firth.upper]
        row = [one.value, one.lower.value, one.upper.value, *firth]
        rows.append([value * (1.0 if factors is None else factors[j]) for value in row])
    return np.array(rows)


def fates(found):
    return [one.fate for one in found.coefficients]


def same(a, b):
    np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-6)


@settings(max_examples=FEWER)
@given(tables(), st.integers(-6, 6))
def test_units(table, k):
    X, y = table
    unit = np.array([10.0**k, *[1.0] * (X.shape[1] - 1)])
    a, b = estimate(X, y), estimate(X * unit, y)
    assert fates(a) == fates(b)
    same(numbers(a), numbers(b, [*unit, 1.0]))


@settings(max_examples=FEWER)
@given(tables(), st.integers(-5, 5))
def test_a_shift_changes_the_intercept_alone(table, shift):
    X, y = table
    moved = X.copy()
    moved[:, 0] += shift
    a, b = estimate(X, y), estimate(moved, y)
    assert fates(a)[:-1] == fates(b)[:-1]
    same(numbers(a)[:-1], numbers(b)[:-1])
    first, last, new = a.coefficients[0], a.coefficients[-1], b.coefficients[-1]
    if "finite" == first.fate == last.fate:
        assert abs(new.value - (last.value - shift * first.value)) < 1e-8


@settings(max_examples=FEWER)
@given(tables())
def test_rows_twice_are_rows_of_weight_two(table):
    X, y = table
    a = estimate(np.vstack([X, X]), np.append(y, y))
    b = estimate(X, y, sample_weight=np.full(len(y), 2))
    assert fates(a) == fates(b)
    same(numbers(a), numbers(b))


@settings(max_examples=FEWER)
@given(tables())
def test_swapped_classes_negate(table):
    X, y = table
    a, b = estimate(X, y), estimate(X, 1 - y)
    turned = {"+inf": "-inf", "-inf": "+inf"}
    assert fates(a) == [turned.get(fate, fate) for fate in fates(b)]
    same(numbers(a), -numbers(b)[:, [0, 2, 1, 3, 5, 4]])


@settings(max_examples=FEWER)
@given(tables())
def test_two_classes_are_successes_of_one_trial(table):
    X, y = table
    a, b = estimate(X, y), estimate(X, y, "binomial", trials=np.ones(len(y)))
    assert fates(a) == fates(b)
    same(numbers(a), numbers(b))
