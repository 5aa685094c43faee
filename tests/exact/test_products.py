"""Sums of products as whole numbers, against fractions added one by one."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st

from rosenblatt.exact.products import (
    added_digits,
    added_products,
    as_floats,
    as_whole,
    limbs_for,
    tops_of,
    two_products,
)

VALUES = st.floats(-1e30, 1e30).map(lambda v: v if abs(v) > 1e-30 else 0.0)


def naive(A: np.ndarray, B: np.ndarray) -> list[list[Fraction]]:
    return [
        [sum((Fraction(float(a)) * Fraction(float(b)) for a, b in zip(u, v, strict=True)), Fraction(0)) for v in B.T]
        for u in A.T
    ]


def largest(Z: np.ndarray) -> np.ndarray:
    return tops_of(np.abs(Z).max(axis=0, initial=0.0))


@example(rows=[(5e-324, 1e150, 1.0), (1e150, -1e-200, 0.0)], sparse=False, same=True)
@given(st.lists(st.tuples(VALUES, VALUES, VALUES), min_size=1, max_size=9), st.booleans(), st.booleans())
def test_nothing_is_lost(rows: list[tuple[float, float, float]], sparse: bool, same: bool) -> None:
    B = np.array(rows)
    A = B if same else B[::-1, :2].copy()
    left, right = largest(A), largest(B)
    X, Y = (sp.csr_array(A), sp.csr_array(B)) if sparse else (A, B)
    found = added_products(Y, Y, right, right) if same else added_products(X, Y, left, right)
    numbers, unit = as_whole(found)
    expected = naive(A, B)
    for i, row in enumerate(numbers):
        for j, number in enumerate(row):
            assert number * Fraction(2) ** int(found.left[i] + found.right[j] - unit) == expected[i][j]
    assert as_floats(found).tolist() == [[float(v) for v in row] for row in expected]


@given(st.integers(0, 10**6), st.integers(1, 6), st.booleans())
def test_the_order_and_the_blocks_do_not_matter(seed: int, parts: int, limited: bool) -> None:
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(40, 3)) * 10.0 ** rng.integers(-9, 9, (40, 3))
    tops, limbs = largest(Z), limbs_for(40) if limited else None
    whole_table = added_products(Z, Z, tops, tops, limbs)
    pieces = np.array_split(Z[rng.permutation(40)], parts)
    pieced = added_digits([added_products(piece, piece, tops, tops, limbs) for piece in pieces])
    assert as_floats(pieced).tobytes() == as_floats(whole_table).tobytes()


@given(st.integers(0, 10**6))
def test_limited_limbs_are_as_good_as_floats(seed: int) -> None:
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(60, 3)) * np.exp(-rng.exponential(30, (60, 3)))
    tops = largest(Z)
    found, expected = as_floats(added_products(Z, Z, tops, tops, limbs_for(60))), naive(Z, Z)
    sizes = [float(expected[j][j]) ** 0.5 for j in range(3)]
    for i in range(3):
        for j in range(3):
            assert abs(Fraction(float(found[i, j])) - expected[i][j]) <= Fraction(2) ** -52 * Fraction(
                sizes[i] * sizes[j]
            )


def test_more_rows_than_a_block() -> None:
    Z = np.full((10_000, 1), 1.0 - 2.0**-53)
    tops = largest(Z)
    assert as_whole(added_products(Z, Z, tops, tops))[0][0][0] == 10_000 * (2**53 - 1) ** 2 << whole_shift(Z)


def whole_shift(Z: np.ndarray) -> int:
    """Bits that the digits have beyond the 106 of a product."""
    return as_whole(added_products(Z, Z, largest(Z), largest(Z)))[1] - 106


@given(st.floats(-1e100, 1e100).filter(lambda v: v == 0 or abs(v) > 1e-100), st.floats(1e-100, 1e100))
def test_two_products(a: float, b: float) -> None:
    high, low = two_products(np.array([a]), np.array([b]))
    assert Fraction(float(high[0])) + Fraction(float(low[0])) == Fraction(a) * Fraction(b)


@pytest.mark.parametrize("n", [1, 400, 10**6, 10**9])
def test_limbs_for_many_rows(n: int) -> None:
    assert limbs_for(n) * 19 >= 56 + np.log2(n)
