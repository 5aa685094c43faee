"""Exact linear algebra, sums and spans against fractions."""

import sys
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from rosenblatt.exact.linear import combination, independent, null_space, rank, relation, responses_of, solve
from rosenblatt.exact.modular import SpanTest, float_residues
from rosenblatt.exact.sums import combine, together

small = st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), min_size=1, max_size=5)
extreme = st.sampled_from([0.0, -0.0, 5e-324, 1e-300, -1e300, sys.float_info.max, 0.1, 1.0, -(2.0**-60)])
values = st.one_of(st.floats(allow_nan=False, allow_infinity=False), extreme)


def naive_rank(rows: list[list[int]]) -> int:
    """Gauss's elimination with fractions."""
    table = [[Fraction(v) for v in row] for row in rows]
    found = 0
    for j in range(len(rows[0])):
        pivot = next((i for i in range(found, len(table)) if table[i][j]), None)
        if pivot is None:
            continue
        table[found], table[pivot] = table[pivot], table[found]
        for i in range(found + 1, len(table)):
            factor = table[i][j] / table[found][j]
            table[i] = [a - factor * b for a, b in zip(table[i], table[found], strict=True)]
        found += 1
    return found


@given(small)
def test_ranks_spans_and_null_spaces(rows: list[list[int]]) -> None:
    r = naive_rank(rows)
    chosen, columns = independent(rows)
    assert rank(rows) == len(chosen) == len(columns) == r
    assert not chosen or naive_rank([[rows[i][j] for j in columns] for i in chosen]) == r
    directions = null_space(rows, 3)
    assert len(directions) == 3 - r
    assert all(not np.dot(row, v) for row in rows for v in directions)


@given(small, st.lists(st.integers(-3, 3), min_size=3, max_size=3))
def test_a_combination_is_found_or_there_is_none(rows: list[list[int]], target: list[int]) -> None:
    found = combination(target, rows)
    assert (found is not None) == (naive_rank([*rows, target]) == naive_rank(rows))
    if found is not None:
        factors, denominator = found
        assert denominator > 0
        total = [sum(f * row[j] for f, row in zip(factors, rows, strict=True)) for j in range(3)]
        assert total == [denominator * t for t in target]


@given(st.integers(0, 4), st.integers(0, 3), st.integers(0, 40), st.randoms(use_true_random=False))
def test_products_of_rows_with_few_values_and_many(n: int, k: int, share: int, rng: Any) -> None:
    rows = [[rng.randint(-(2**80), 2**80) * (rng.randrange(40) < share) for _ in range(30)] for _ in range(n)]
    vectors = [[rng.randint(-(2**90), 2**90) for _ in range(30)] for _ in range(k)]
    naive = [[sum(a * b for a, b in zip(row, v, strict=True)) for v in vectors] for row in rows]
    assert responses_of(rows, vectors) == naive


@given(small)
def test_relation_is_the_only_one(rows: list[list[int]]) -> None:
    m = relation(rows)
    assert (m is not None) == (naive_rank(rows) == len(rows) - 1)
    if m is not None:
        assert any(m)
        assert not any(sum(f * row[j] for f, row in zip(m, rows, strict=True)) for j in range(3))


def test_large_systems_are_solved() -> None:
    rng = np.random.default_rng(0)
    rows = rng.integers(-99, 100, size=(20, 20)).tolist()
    x, denominator = solve(rows, list(range(20)))
    assert [sum(a * b for a, b in zip(row, x, strict=True)) for row in rows] == [k * denominator for k in range(20)]


@given(arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=5), elements=values), st.data())
def test_sums_are_exact(Z: np.ndarray, data: st.DataObject) -> None:
    factors = data.draw(st.lists(st.integers(-(2**90), 2**90), min_size=len(Z), max_size=len(Z)))
    for given_factors, multipliers in ((factors, factors), (None, [1] * len(Z))):
        expected = [
            sum((m * Fraction(float(v)) for m, v in zip(multipliers, column, strict=True)), Fraction(0))
            for column in Z.T
        ]
        assert together([combine(given_factors, Z)], [1] * Z.shape[1]) == expected


def test_spans_are_told() -> None:
    rng = np.random.default_rng(0)
    spanning = rng.integers(-9, 10, size=(3, 6)) * 2.0 ** rng.integers(-300, 300, size=6)
    inside = rng.integers(-5, 6, size=(40, 3)) @ spanning
    outside = inside.copy()
    outside[np.arange(40), rng.integers(0, 6, size=40)] += 2.0**-400

    def modulo(rows: Any) -> Any:
        return float_residues(rows, np.zeros(6, dtype=np.int64), lambda found: found)

    in_span = SpanTest(modulo(spanning), rng)
    assert in_span(modulo(inside)).all()
    assert not in_span(modulo(outside[np.any(outside != inside, axis=1)])).any()
