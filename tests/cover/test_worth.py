"""What a verdict is worth: the bounds hold for the points at hand, and the words say what the numbers do."""

import itertools
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import cover
from rosenblatt.verdicts.worth import Worth


@given(st.integers(0, 2**32), st.integers(2, 9), st.integers(1, 3), st.booleans())
def test_bounds_hold_for_any_points(seed: int, n: int, p: int, fit_intercept: bool) -> None:
    """Fractions of labelings that are separable, by fair coins and by class size, never exceed what is promised."""
    X = np.random.default_rng(seed).integers(-2, 3, size=(n, p)).astype(float)
    distinct = len(np.unique(X, axis=0))
    separable = [int((labels > 0).sum()) for labels, _ in cover.enumerate_dichotomies(X, fit_intercept)]
    for positive in range(1, n):
        worth = Worth.of(n, positive, distinct, p + fit_intercept, fit_intercept)
        assert len(separable) / 2**n <= 10**worth.log10_fair * (1 + 1e-9)
        of_this_size = separable.count(positive) / comb(n, positive)
        assert of_this_size <= 10**worth.log10_sizes * (1 + 1e-9)


def test_words() -> None:
    assert str(Worth.of(22, 11, 22, 11, True)) == (
        "22 points in 10 dimensions (11 weights with the intercept): up to half of all fair-coin labelings are "
        "separable; this verdict says little."
    )
    assert f"up to {100 * cover.probability(28, 11):.0f} % of all" in str(Worth.of(28, 14, 28, 11, True))
    few = str(Worth.of(8, 4, 8, 11, True))
    assert few.endswith("all labelings of so few points may be separable; this verdict says nothing.")
    assert str(Worth.of(8, 4, 8, 3, False)).startswith("8 points in 3 dimensions (no intercept)")
    assert str(Worth.of(22, 11, 22, 11)).startswith("22 points with 11 weights: up to half")
    rare = str(Worth.of(60, 5, 60, 11, True))
    assert "at most 1 fair-coin labeling in 10^6.9 is separable, but with these class sizes up to all may be" in rare
    assert "10^9.2 is separable; with these class sizes 1 in 10^" in str(Worth.of(208, 97, 208, 61, True))
    assert str(Worth.of(1, 1, 1, 3, True)).startswith("1 point in 2 dimensions")


@pytest.mark.parametrize(("n", "positive"), list(itertools.product([10, 1000], [0, 1, 5])))
def test_never_above_zero(n: int, positive: int) -> None:
    worth = Worth.of(n, positive, n, 4)
    assert worth.log10_fair <= 0
    assert worth.log10_sizes <= 0
