"""Factors of rows that come and go: R'·Q is the rows themselves, Q is orthonormal, and its equations are solved."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.context import SILENT
from rosenblatt.verdicts.margins.active_set import Factors
from rosenblatt.verdicts.search import basis


@given(
    st.integers(0, 10**6),
    st.sampled_from([1, 2, 3, 5, 8, 17, 19]),
    st.lists(st.integers(-1, 9), min_size=1, max_size=40),
)
def test_rows_come_and_go(seed: int, d: int, steps: list[int]) -> None:
    """A step of −1 lets in the next row, any other takes out the row at that place, if there is one."""
    rng = np.random.default_rng(seed)
    factors, rows = Factors(d), np.empty((0, d))
    for step in steps:
        fresh = rng.normal(size=d) * 10.0 ** rng.integers(-3, 4)
        placed = factors.place(fresh)
        if step < 0:
            assert placed.independent == (len(rows) < d)
            if placed.independent:
                factors.let_in(placed)
                rows = np.vstack([rows, fresh])
        elif step < len(rows):
            factors.let_out(step)
            rows = np.delete(rows, step, axis=0)
        Q, k = factors.basis, len(rows)
        assert np.abs(Q @ Q.T - np.eye(k)).max(initial=0.0) < 1e-13
        R = Q @ rows.T
        assert np.abs(R.T @ Q - rows).max(initial=0.0) <= 1e-13 * np.abs(rows).max(initial=0.0)
        right = rng.normal(size=k)
        assert R @ factors.solve(right) == pytest.approx(right, rel=1e-6, abs=1e-6)
        assert R.T @ factors.solve(right, transposed=True) == pytest.approx(right, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(("n", "rank"), [(1, 1), (6, 6), (9, 9), (7, 4), (14, 9), (14, 3)])
def test_many_rows_at_once(n: int, rank: int) -> None:
    """The same rows are let in as one after the other, and they are the rows that the factors are of."""
    rng = np.random.default_rng(n)
    rows = rng.normal(size=(n, rank)) @ rng.normal(size=(rank, 9))
    together, single = Factors(9), Factors(9)
    let_in = together.let_all_in(rows)
    one_by_one = []
    for at, row in enumerate(rows):
        placed = single.place(row)
        if placed.independent:
            single.let_in(placed)
            one_by_one.append(at)
    assert let_in.tolist() == one_by_one
    assert together.count == rank
    Q = together.basis
    assert np.abs(Q @ Q.T - np.eye(rank)).max() < 1e-13
    right = rng.normal(size=rank)
    assert Q @ rows[let_in].T @ together.solve(right) == pytest.approx(right, rel=1e-6, abs=1e-6)


def test_a_row_in_the_span_depends_on_the_others() -> None:
    rng = np.random.default_rng(0)
    rows, factors = rng.normal(size=(5, 9)), Factors(9)
    for row in rows:
        factors.let_in(factors.place(row))
    for scale in (1e-100, 1.0, 1e100):  # callers scale their rows: squares stay within float64
        inside = factors.place(scale * (rng.normal(size=5) @ rows))
        assert not inside.independent
        assert factors.place(scale * rng.normal(size=9)).independent
    assert not factors.place(np.zeros(9)).independent


@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 12), st.booleans())
def test_the_first_pivots_are_independent(seed: int, m: int, n: int, whole: bool) -> None:
    """Of few numbers NumPy finds them, of more LAPACK: both put columns first that span all."""
    rng = np.random.default_rng(seed)
    A = rng.integers(-1, 2, (m, n)).astype(float) if whole else rng.normal(size=(m, 2)) @ rng.normal(size=(2, n))
    r = np.linalg.matrix_rank(A)
    with pytest.MonkeyPatch.context() as patch:
        for few in (basis._FEW_ENTRIES, 0):
            patch.setattr(basis, "_FEW_ENTRIES", few)
            order = basis.by_pivots(A, SILENT)
            assert sorted(order) == list(range(n))
            assert np.linalg.matrix_rank(A[:, order[:r]]) == r
