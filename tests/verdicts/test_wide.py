"""No more rows than weights: independent rows are separable whatever their labels, and rank decides that."""

from fractions import Fraction

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.verdicts import checker
from rosenblatt.verdicts.points import Points
from rosenblatt.verdicts.search.basis import Basis


def spectra(n: int, p: int, digits: int | None, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Sums of twelve broad peaks: to floats, all of them lie in a space of few dimensions."""
    rng = np.random.default_rng(seed)
    where = np.linspace(0, 1, p)
    peaks = rng.random((n, 12)), rng.random((n, 12))
    X = np.array(
        [(a[:, None] * np.exp(-(((where - m[:, None]) / 0.08) ** 2))).sum(axis=0) for a, m in zip(*peaks, strict=True)]
    )
    return (X if digits is None else X.round(digits)), rng.integers(0, 2, n)


def rank(rows: list[list[Fraction]]) -> int:
    """The rank by Gauss's elimination in fractions."""
    found = 0
    rows = [list(row) for row in rows]
    for j in range(len(rows[0]) if rows else 0):
        pivot = next((i for i in range(found, len(rows)) if rows[i][j]), None)
        if pivot is None:
            continue
        rows[found], rows[pivot] = rows[pivot], rows[found]
        for i in range(found + 1, len(rows)):
            factor = rows[i][j] / rows[found][j]
            rows[i] = [a - factor * b for a, b in zip(rows[i], rows[found], strict=True)]
        found += 1
    return found


@pytest.mark.parametrize("digits", [None, 5, 3])
@pytest.mark.parametrize(("n", "p"), [(1, 1), (1, 80), (2, 80), (30, 100), (70, 69), (70, 70), (120, 300), (60, 900)])
def test_smooth_spectra_are_decided(n: int, p: int, digits: int | None) -> None:
    X, y = spectra(n, p, digits)
    verdict = rb.separability(X, y, margin=False)
    assert verdict.kind == "complete"  # of random rows so many are independent, if only by their last digits
    assert checker.check(verdict.certificate.written(), X.tolist(), np.where(y == y.max(), 1, -1).tolist())


def test_a_rank_below_the_number_of_rows_is_seen() -> None:
    rng = np.random.default_rng(3)
    for n, p, copies in [(20, 70, 3), (40, 64, 1), (66, 66, 5)]:
        X = rng.integers(-3, 4, (n, p)).astype(float)
        y = rng.integers(0, 2, n)
        X, y = np.vstack([X, X[:copies]]), np.append(y, 1 - y[:copies])
        whole = [[Fraction(v) for v in (*row, 1.0)] for row in X.tolist()]
        assert rank(whole) == n
        verdict = rb.separability(X, y, margin=False)
        assert verdict.kind == "quasi"  # a point with both labels is on every hyperplane, the others are free
        assert sorted(verdict.rows["plane"]) == [*range(copies), *range(n, n + copies)]
        assert verdict.certificate.verify(X, y)


def test_weights_ahead_of_independent_rows_are_short() -> None:
    X, y = spectra(50, 90, None, seed=7)
    points = Points(rb.data.numbers.as_rows(X), np.where(y > 0, 1, -1).astype(np.int8), True)
    basis = Basis.of(points, np.arange(points.n))
    assert basis.rows.size == points.n
    w = basis.ahead()
    responses = points.values(w, np.arange(points.n))
    assert min(responses) > 0
    assert max(responses) <= 3 * min(responses)  # each is 1, give or take a half
    assert max(abs(v) for v in w).bit_length() < 2500  # the exact solution has tens of thousands of bits


def test_numbers_beyond_floats_do_not_stop_it() -> None:
    X = np.outer(np.arange(1.0, 9.0), np.ones(70)) * 1e300  # rank 1, and sums beyond float64
    X[:, 1:] += np.random.default_rng(0).integers(0, 3, (8, 69)) * 1e290
    y = np.array([0, 1] * 4)
    verdict = rb.separability(X, y, margin=False, time_limit=30)
    assert verdict.kind in ("complete", "unknown")
    assert verdict.kind == "complete" or verdict.reason
