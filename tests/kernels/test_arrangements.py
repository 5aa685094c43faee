"""Arithmetic modulo 2^61 − 1 against Python's integers; a walk that is cut anywhere counts the same."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.kernels import arrangements
from rosenblatt.kernels.arrangements import DONE, FOUND, GOING, PRIME, new_walk, walk_regions

EDGES = [0, 1, 2, 2**30 - 1, 2**30, 2**31 - 1, 2**31, 2**60, PRIME - 2, PRIME - 1]


@given(
    st.one_of(st.sampled_from(EDGES), st.integers(0, PRIME - 1)),
    st.one_of(st.sampled_from(EDGES), st.integers(0, PRIME - 1)),
)
def test_products_and_inverses(a: int, b: int) -> None:
    assert arrangements._times(a, b) == a * b % PRIME
    if a:
        assert arrangements._inverse(a) * a % PRIME == 1


@pytest.mark.parametrize("steps", [1, 7, 1 << 20])
def test_a_walk_may_stop_anywhere(steps: int) -> None:
    corners = np.array([(1, *row) for row in itertools.product([0, 1], repeat=4)], dtype=np.int64)
    walk, total, status, calls = new_walk(corners), 1, GOING, 0
    while status == GOING:
        status, counted = walk_regions(walk, steps, False)
        total += counted
        calls += 1
    assert (status, total) == (DONE, 1882)
    assert (calls > 1) == (steps < 1000)


def test_a_walk_may_stop_at_the_first_dependence() -> None:
    moment = np.array([(1, t, t * t, t**3) for t in range(1, 8)], dtype=np.int64)  # always in general position
    assert walk_regions(new_walk(moment), 1 << 20, True)[0] == DONE
    with_sum = np.vstack([moment, [[0, 1, 3, 7]]])  # the second less the first
    walk = new_walk(with_sum)
    assert walk_regions(walk, 1 << 20, True)[0] == FOUND
    assert sorted(i for i in walk.dependent.tolist() if i >= 0) == [0, 1, 7]
