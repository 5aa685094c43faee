"""Exact arithmetic against fractions."""

import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rosenblatt.exact import fraction, integers, row_signs, vanishes
from rosenblatt.exact.dyadic import low_bit
from tests import oracles

finite = st.floats(allow_nan=False, allow_infinity=False)
extreme = st.sampled_from([0.0, -0.0, 5e-324, -5e-324, 1e-300, 1e300, -1e300, sys.float_info.max, 0.1, 1 / 3, 1.0])
values = st.one_of(finite, extreme, st.integers(-5, 5).map(float))


@given(values)
def test_fraction_is_the_float(x: float) -> None:
    assert fraction(x) == Fraction(x)


@given(st.lists(values, max_size=6))
def test_integers_are_the_floats(xs: list[float]) -> None:
    m, e = integers(np.array(xs))
    assert [Fraction(int(v)) * Fraction(2) ** e for v in m] == [Fraction(x) for x in xs]


@given(values)
def test_low_bit(x: float) -> None:
    if x:
        assert (Fraction(x) / Fraction(2) ** int(low_bit(x))).numerator % 2 == 1
    else:
        assert low_bit(x) > 2000


@given(
    st.integers(1, 5).flatmap(
        lambda p: st.tuples(
            arrays(np.float64, st.tuples(st.integers(0, 6), st.just(p)), elements=values),
            arrays(np.float64, p, elements=values),
            st.booleans(),
            values,
        )
    )
)
def test_row_signs(case: tuple[np.ndarray, np.ndarray, bool, float]) -> None:
    X, w, bias, b = case
    if bias:
        w = np.append(w, b)
    expected = [(s > 0) - (s < 0) for s in (oracles.exact_dot(x, w) for x in X)]
    assert row_signs(X, w).tolist() == expected


@given(st.integers(2, 12), st.integers(0, 2**32 - 1), st.sampled_from([1.0, 0.1, 1e-300, 1e290, 2.0**-1040]))
def test_row_signs_near_the_plane(p: int, seed: int, scale: float) -> None:
    """Rows made to lie on the plane, or one unit in the last place beside it."""
    rng = np.random.default_rng(seed)
    w = rng.integers(-9, 10, size=p).astype(float)
    w[-1] = 1.0
    X = rng.integers(-99, 100, size=(8, p)) * scale
    X[:, -1] = -np.array([float(sum(Fraction(a) * Fraction(b) for a, b in zip(x[:-1], w, strict=False))) for x in X])
    X[::2, -1] = np.nextafter(X[::2, -1], 1)
    expected = [(s > 0) - (s < 0) for s in (oracles.exact_dot(x, w) for x in X)]
    assert row_signs(X, w).tolist() == expected


@given(
    st.integers(1, 5),
    st.integers(1, 4),
    st.integers(0, 2**32 - 1),
    st.sampled_from([1.0, 0.1, 1e-200, 1e200]),
    st.sampled_from([0, 1, 2**60]),
)
def test_vanishes(n: int, p: int, seed: int, scale: float, large: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, size=(n, p)) * scale
    lam = [int(v) + large for v in rng.integers(1, 4, size=n)]
    exact = all(sum(m * Fraction(x) for m, x in zip(lam, column, strict=True)) == 0 for column in X.T)
    assert vanishes(lam, X) == exact
    closed, ones = np.vstack([X, -X]), np.repeat([1.0, -1.0], n)
    assert vanishes(lam + lam, closed)
    assert vanishes(lam + lam, closed, ones)
    assert not vanishes(lam + lam, closed, np.ones(2 * n))
    closed[0, 0] = np.nextafter(closed[0, 0], np.inf)
    assert not vanishes(lam + lam, closed)


@pytest.mark.parametrize("x", [0.1, 0.2, 0.7])
def test_tenths_do_not_cancel(x: float) -> None:
    assert vanishes([3, 1], [[x], [-3 * x]]) == (Fraction(x) * 3 == Fraction(3 * x))
