"""Cover's count against enumeration and against exact fractions."""

import contextlib
import itertools
from fractions import Fraction
from math import comb, log10

import flint
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt import counting


@given(st.integers(1, 40), st.integers(1, 40))
def test_recursion_and_regimes(P: int, N: int) -> None:
    assert counting.count(1, N) == 2
    assert counting.count(P, 1) == 2
    assert counting.count(P + 1, N + 1) == counting.count(P, N + 1) + counting.count(P, N)  # Cover's own recursion
    if P <= N:
        assert counting.count(P, N) == 2**P
        assert counting.log10_probability(P, N) == 0.0
    assert counting.probability(2 * N, N) == 0.5
    assert counting.probability(P, N) == counting.count(P, N) / 2**P


def test_every_labeling_of_points_in_general_position() -> None:
    X = np.random.default_rng(0).normal(size=(6, 2))
    kinds = []
    for labels in itertools.product([0, 1], repeat=6):
        one_class = len(set(labels)) == 1  # a bias alone separates it
        kinds.append("complete" if one_class else rb.separability(X, labels, margin=False).kind)
    assert kinds.count("complete") == counting.count(6, 3) == 32
    assert set(kinds) == {"complete", "overlap"}


def exact_log10(P: int, N: int) -> float:
    """log10 of the exact fraction, in so many bits that nothing is lost where it is close to one."""
    before, flint.ctx.prec = flint.ctx.prec, 2 * P + 200
    try:
        share = flint.arb(2 * sum(comb(P - 1, k) for k in range(min(N, P)))) / flint.arb(2) ** P
        return float(share.log() / flint.arb(10).log())
    finally:
        flint.ctx.prec = before


@pytest.mark.parametrize("P", [2, 3, 10, 61, 208, 500, 1100])
def test_logarithms_against_exact_fractions_over_a_grid(P: int) -> None:
    for N in sorted({1, 2, 3, P // 7 + 1, P // 3 + 1, P // 2, P // 2 + 1, 2 * P // 3, P - 3, P - 1, P} - {0, -1}):
        if N < 1:
            continue
        got, true = counting.log10_probability(P, N), exact_log10(P, N)
        assert got <= 0
        assert got == pytest.approx(true, rel=1e-14, abs=1e-307)
        assert counting.log10_count(P, N) == pytest.approx(log10(counting.count(P, N)), rel=1e-14)


@pytest.mark.parametrize(("P", "N"), [(50_000, 24_990), (50_001, 25_000), (150_000, 100), (60_000, 29_000)])
def test_large_numbers_against_whole_ones(P: int, N: int) -> None:
    total = term = 1
    for k in range(1, N):
        term = term * (P - k) // k
        total += term
    length = total.bit_length()
    true = log10((total >> length - 60) / 2**60) + (length + 1 - P) * log10(2)
    assert counting.log10_probability(P, N) == pytest.approx(true, rel=1e-13)


@given(st.integers(1, 10**7), st.integers(1, 10**5))
def test_never_nan_never_above_zero(P: int, N: int) -> None:
    value = counting.log10_probability(P, N)
    assert -P <= value <= 0.0
    assert 0.0 <= counting.probability(P, N) <= 1.0
    if P > 2 * N:
        assert value < log10(0.5)


@given(st.integers(1, 10**6), st.integers(0, 10**6))
def test_long_binomials_by_their_first_bits(M: int, k: int) -> None:
    k = k % (M + 1)
    whole = int(flint.fmpz.bin_uiui(M, k))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "_LONG", 0)
        leading, unit = counting._binomial(M, k)
    ratio = Fraction(leading) * (Fraction(2) ** unit) / whole
    assert abs(ratio - 1) < Fraction(1, 2**75)


def test_the_largest_numbers_asked_for() -> None:
    """10^7 points, 10^5 weights: the first term of Stirling's series says roughly, the sum of shares exactly."""
    P, N = 10**7, 10**5
    share = N / P
    entropy = -(share * log10(share) + (1 - share) * log10(1 - share))
    assert counting.log10_probability(P, N) == pytest.approx(P * (entropy - log10(2)), rel=1e-5)
    assert counting.probability(P, P // 2) == 0.5


LARGE = [10**7, 10**9, 10**10, 10**15, 10**30, 10**299]


@pytest.mark.parametrize("P", LARGE)
def test_any_size_is_answered_or_refused_at_once(P: int) -> None:
    for N in (1, 3, P // 10**6, P // 10, P // 2, P - P // 10, P - 3, P, 2 * P):
        for function in (counting.count, counting.log10_count, counting.probability, counting.log10_probability):
            with contextlib.suppress(ValueError):
                assert function(P, N) >= 0 or function is counting.log10_probability
        if N in (1, 3):
            assert counting.log10_count(P, N) == pytest.approx(log10(counting.count(P, N)), rel=1e-13)


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="goes up to 10\\^300"):
        counting.count(10**301, 3)
    with pytest.raises(ValueError, match="P=0"):
        counting.count(0, 3)
    with pytest.raises(TypeError, match=r"N counts something and must be a whole number; got 2\.5"):
        counting.count(3, 2.5)  # type: ignore[arg-type]
