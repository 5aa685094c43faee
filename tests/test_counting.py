"""Cover's count against enumeration and against exact fractions."""

import itertools
from math import comb, log10

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


@pytest.mark.parametrize(
    ("P", "N"), [(30_000, 10), (30_000, 14_000), (30_000, 15_000), (30_000, 20_000), (25_000, 24_990)]
)
def test_large_numbers_against_whole_ones(P: int, N: int) -> None:
    exact = 2 * sum(comb(P - 1, k) for k in range(N)) if N < 100 else None
    if exact is not None:
        assert counting.log10_probability(P, N) == pytest.approx(log10(exact) - P * log10(2), rel=1e-9)
    assert -P <= counting.log10_probability(P, N) <= 0
    if 2 * N == P:
        assert counting.probability(P, N) == pytest.approx(0.5, rel=1e-9)
    assert counting.probability(P, N) + counting.probability(P, P - N) == pytest.approx(1.0, rel=1e-9)


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="P=0"):
        counting.count(0, 3)
