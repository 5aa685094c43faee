"""Sparse rows: which are independent, and exact solutions, against FLINT on the same rows written out."""

import numpy as np
import pytest
import scipy.sparse as sp
from flint import fmpz_mat
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.exact import sparse
from rosenblatt.exact.sparse import SparseBasis, SparseRows, TooDense

NUMBERS = st.one_of(st.just(0), st.just(0), st.integers(-2, 2), st.integers(-(2**70), 2**70), st.just(3**100))


def nothing() -> None:
    pass


def as_sparse(rows: list[list[int]]) -> SparseRows:
    filled = [[(j, v) for j, v in enumerate(row) if v] for row in rows]
    starts = np.cumsum([0, *map(len, filled)])
    flat = [pair for row in filled for pair in row]
    return SparseRows([v for _, v in flat], [j for j, _ in flat], starts, len(rows[0]))


@given(st.data(), st.integers(1, 7), st.integers(1, 7))
def test_solutions_are_exact(data: st.DataObject, n: int, d: int) -> None:
    rows = data.draw(st.lists(st.lists(NUMBERS, min_size=d, max_size=d), min_size=n, max_size=n))
    basis = SparseBasis(as_sparse(rows), nothing)
    r = fmpz_mat(rows).rank()
    assert len(basis.rows) == len(basis.columns) == r
    if not r:
        assert basis.across([], nothing) == basis.along([], nothing) == ([], 1)
        return
    square = [[rows[i][j] for j in basis.columns] for i in basis.rows]
    assert fmpz_mat(square).det() != 0
    for i in range(n):  # the first rows are preferred
        expected = fmpz_mat(rows[: i + 1]).rank()
        assert np.count_nonzero(basis.rows <= i) == expected
    target = data.draw(st.lists(NUMBERS, min_size=r, max_size=r))
    x, denominator = basis.across(target, nothing)
    assert denominator > 0
    assert [sum(a * b for a, b in zip(row, x, strict=True)) for row in square] == [denominator * t for t in target]
    x, denominator = basis.along(target, nothing)
    assert denominator > 0
    for j, t in enumerate(target):
        assert sum(row[j] * a for row, a in zip(square, x, strict=True)) == denominator * t


@given(st.data())
def test_products_and_parts_are_those_of_the_rows_written_out(data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.lists(NUMBERS, min_size=4, max_size=4), min_size=3, max_size=3))
    v = data.draw(st.lists(NUMBERS, min_size=4, max_size=4))
    assert as_sparse(rows).times(v) == [sum(a * b for a, b in zip(row, v, strict=True)) for row in rows]
    part = as_sparse(rows).part([2, 0], [3, 1])
    assert part.times([1, 10**30]) == [rows[i][3] + 10**30 * rows[i][1] for i in (2, 0)]
    turned = as_sparse(rows).transposed()
    assert turned.times([1, 2, 3]) == [rows[0][j] + 2 * rows[1][j] + 3 * rows[2][j] for j in range(4)]


def test_levels_by_the_thousand_leave_sparse_triangles(monkeypatch: pytest.MonkeyPatch) -> None:
    """A factor beside another: a bipartite graph, of which a spanning forest is the basis."""
    rng = np.random.default_rng(0)
    n, first, second = 4000, 700, 90
    levels = np.column_stack([rng.integers(0, first, n), first + rng.integers(0, second, n)])
    starts = np.arange(0, 2 * n + 1, 2)
    graph = sp.coo_array((np.ones(n), levels.T), shape=(first + second,) * 2)
    trees = sp.csgraph.connected_components(graph, directed=False)[0]
    asked = []
    monkeypatch.setattr(sparse, "_STEPS", 10_000)
    table = SparseRows([1] * (2 * n), levels.ravel(), starts, first + second)
    basis = SparseBasis(table, lambda: asked.append(0))
    assert len(basis.rows) == first + second - trees
    assert len(asked) > 10  # it looks at the clock
    monkeypatch.setattr(sparse, "_ROOM", 1)
    again = SparseBasis(table, nothing)
    assert np.array_equal(again.rows, basis.rows)  # room that grows changes nothing
    monkeypatch.setattr(sparse, "_LARGEST_ROOM", 1)
    with pytest.raises(TooDense):
        SparseBasis(table, nothing)
