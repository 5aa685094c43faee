"""Elimination by blocks against FLINT's, and that it can be interrupted."""

import numpy as np
import pytest
from flint import nmod_mat
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.exact import linear
from rosenblatt.exact.dense import PRIMES, echelon, whole_residues
from rosenblatt.exact.linear import independent, mix, rank

PRIME = PRIMES[0]


def nothing() -> None:
    pass


def low_rank(rng: np.random.Generator, n: int, d: int, r: int) -> list[list[int]]:
    """Whole numbers of rank r at most, with columns and rows of zeros among them."""
    A = rng.integers(-3, 4, size=(n, r)).astype(object) @ (
        rng.integers(-(2**62), 2**62, size=(r, d)).astype(object) * 10**20 + 1
    )
    A[rng.random(n) < 0.2] = 0
    A[:, rng.random(d) < 0.2] = 0
    return A.tolist()


def flints(rows: list[list[int]], prime: int) -> tuple[np.ndarray, int]:
    reduced, r = nmod_mat(len(rows), len(rows[0]), [v % prime for row in rows for v in row], prime).rref()
    return np.array([int(v) for v in reduced.entries()]).reshape(len(rows), -1)[:r], r


@given(st.integers(0, 10**9), st.integers(1, 70), st.integers(1, 70), st.integers(0, 40))
def test_the_echelon_form_is_that_of_flint(seed: int, n: int, d: int, r: int) -> None:
    rows = low_rank(np.random.default_rng(seed), n, d, r)
    found = echelon(whole_residues(rows, PRIME, nothing), PRIME, nothing)
    expected, r = flints(rows, PRIME)
    order = np.argsort(found.pivots)
    assert np.array_equal(found.table[order] % PRIME, expected)  # the reduced form is unique
    assert found.rows == sorted(found.rows)
    assert flints([rows[i] for i in found.rows], PRIME)[1] == r if r else not found.rows


@given(st.integers(0, 10**9), st.integers(1, 40), st.integers(1, 40), st.integers(0, 20))
def test_in_steps_or_at_once_the_same_rows_and_columns_are_independent(seed: int, n: int, d: int, r: int) -> None:
    rows = low_rank(np.random.default_rng(seed), n, d, r)
    at_once = independent(rows), rank(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linear, "_LARGEST_RREF", 0)
        assert (independent(rows), rank(rows)) == at_once


def test_a_second_prime_is_asked_where_the_first_divides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear, "_LARGEST_RREF", 0)
    assert rank([[PRIMES[0], 0], [0, 1]]) == 2
    assert rank([[PRIMES[1], 0], [0, 1]]) == 2
    assert rank([[2, 4], [1, 2]]) == 1


def test_sums_do_not_round_where_residues_are_as_large_as_they_can_be() -> None:
    n, rng = 300, np.random.default_rng(0)
    A = (PRIME // 2 - rng.integers(0, 1000, size=(n, n)).astype(float)) * rng.choice([-1, 1], size=(n, n))
    found = echelon(np.hstack([A, np.eye(n)]), PRIME, nothing)
    inverse = np.empty((n, n), dtype=object)
    inverse[found.pivots] = found.table[:, n:].astype(int)
    assert np.array_equal((A[::37].astype(int).astype(object) @ inverse) % PRIME, np.eye(n, dtype=int)[::37])


def test_it_looks_at_the_clock() -> None:
    def stop() -> None:
        asked.append(0)
        if len(asked) == 5:
            raise TimeoutError

    A = np.random.default_rng(0).integers(0, 99, size=(200, 200)).astype(float)
    for work in (
        lambda: echelon(A, PRIME, stop),
        lambda: whole_residues(A.astype(int).tolist() * 3, PRIME, stop),
        lambda: mix([1] * 1000, A.astype(int).tolist() * 5, 200, stop),
    ):
        asked: list[int] = []
        with pytest.raises(TimeoutError):
            work()
