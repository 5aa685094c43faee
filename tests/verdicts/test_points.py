"""Scans of all rows, piece by piece, against the same in fractions."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt.data.numbers.rows
from rosenblatt.data.numbers.exact import exact_rows
from rosenblatt.data.numbers.readings import BINARY, Reading
from rosenblatt.data.numbers.rows import as_rows
from rosenblatt.exact import null_space
from rosenblatt.verdicts.points import Points
from rosenblatt.verdicts.points import points as module

GRID = st.sampled_from([0.0, 1.0, -1.0, 2.0, 0.5, 1.0 + 2.0**-50, 3.0, -7.25])


@st.composite
def cases(draw: Any) -> Any:
    n, p = draw(st.integers(1, 12)), draw(st.integers(1, 3))
    X = np.array(draw(st.lists(st.lists(GRID, min_size=p, max_size=p), min_size=n, max_size=n)))
    X *= draw(st.sampled_from([1.0, 2.0**-30, 2.0**-600]))
    y = np.array(draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n)), dtype=np.int8)
    w = draw(st.lists(st.integers(-(2**70), 2**70) | st.integers(-3, 3), min_size=p + 1, max_size=p + 1).filter(any))
    return X, y, w, draw(st.booleans()), draw(st.integers(1, 4))


@pytest.fixture(params=[1 << 22, 4], autouse=True)
def piece(request: Any) -> Any:
    """Pieces that hold everything, and pieces of few rows; blocks for exact arithmetic of few rows too."""
    before = rosenblatt.data.numbers.rows._PIECE_VALUES, module._BLOCK
    rosenblatt.data.numbers.rows._PIECE_VALUES, module._BLOCK = request.param, request.param
    yield
    rosenblatt.data.numbers.rows._PIECE_VALUES, module._BLOCK = before


@given(cases())
def test_scans_are_those_of_fractions(case: Any) -> None:
    X, y, w, sparse, k = case
    points = Points(as_rows(sp.csr_array(X) if sparse else X), y, True)
    Z = [[int(t) * Fraction(float(v)) for v in [*x, 1.0]] for x, t in zip(X, y, strict=True)]
    values = [sum(a * b for a, b in zip(z, w, strict=True)) for z in Z]
    assert points.signs(w).tolist() == [(v > 0) - (v < 0) for v in values]
    least = [min(v for v, t in zip(values, y, strict=True) if t == sign) for sign in (1, -1) if sign in y]
    found = points.smallest_responses(w)
    size = sum(abs(m) * Fraction(2) ** int(e) for m, e in zip(w, points.exponents, strict=True))
    assert len(found) == len(least)
    for one, true in zip(found, least, strict=True):
        assert one <= true
        assert one == true or true - one <= size / 2**40
    for bound in (abs(v) for v in [Fraction(0), *values]):
        below = {i for i, v in enumerate(values) if v < bound}
        rows = points.below(w, bound, k).tolist()
        assert set(rows) <= below
        assert len(rows) == len(set(rows)) == min(k, len(below))
        assert points.at_least(w, bound) == (not below)


@given(st.data())
def test_signs_of_decimals_with_weights_that_are_zero(data: st.DataObject) -> None:
    """Only the columns whose weight is not zero are looked at; some are decimals, some are not, one is the bias."""
    n, p, bias = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 5)), data.draw(st.booleans())
    powers = data.draw(st.lists(st.sampled_from([None, 0, 1, 3]), min_size=p, max_size=p))
    whole = np.array(data.draw(st.lists(st.integers(-40, 40), min_size=n * p, max_size=n * p))).reshape(n, p)
    X = whole / 10.0 ** np.array([k or 0 for k in powers])
    y = np.array(data.draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n)), dtype=np.int8)
    w = data.draw(st.lists(st.sampled_from([0, 0, 1, -1, 10, 3**50]), min_size=p + bias, max_size=p + bias))
    tens = [10 ** (k or 0) for k in powers] + [1] * bias
    Z = [[*map(int, row), *[1] * bias] for row in whole]
    values = [
        int(t) * sum(Fraction(a * v, ten) for a, v, ten in zip(z, w, tens, strict=True))
        for z, t in zip(Z, y, strict=True)
    ]
    readings = tuple(BINARY if k is None else Reading(-k) for k in powers)
    for rows in (X, sp.csr_matrix(X)):
        points = Points(exact_rows(as_rows(rows), readings), y, bias)
        assert points.signs(w).tolist() == [(v > 0) - (v < 0) for v in values]
        assert points.weigh(None, {}, None, [w]).vanishing == (not any(values))


@given(cases(), st.data())
def test_mixtures_are_those_of_fractions(case: Any, data: st.DataObject) -> None:
    X, y, _, sparse, base = case
    points = Points(as_rows(sp.csr_array(X) if sparse else X), y, True)
    Z = [[int(t) * Fraction(float(v)) for v in [*x, 1.0]] for x, t in zip(X, y, strict=True)]
    mixture = data.draw(st.dictionaries(st.integers(0, len(X) - 1), st.integers(-(2**70), 2**70)))
    plane = np.array(sorted(data.draw(st.sets(st.integers(0, len(X) - 1)))), dtype=np.int64)
    factors = [mixture.get(i, 0) + base * (i in plane) for i in range(len(X))]
    naive = [sum((f * z[j] for f, z in zip(factors, Z, strict=True)), Fraction(0)) for j in range(points.d)]
    assert points.mixed(mixture, base, plane) == naive


@given(cases())
def test_the_nearest_rows_are_nearest(case: Any) -> None:
    X, y, w, sparse, k = case
    points = Points(as_rows(sp.csr_array(X) if sparse else X), y, True)
    if not points.modest:
        return
    v = np.array([float(Fraction(m, 2**70)) for m in w])
    true = np.column_stack([X, np.ones(len(X))]) @ v * y
    for each in (False, True):
        rows, values = points.nearest(np.ldexp(v, points.exponents), k, each)
        noise = 1e-12 * (np.abs(X) @ np.abs(v[:-1]) + np.abs(v[-1])).max()
        assert np.abs(values - true[rows]).max() <= noise
        classes = [rows[y[rows] == sign] for sign in (1, -1)] if each else [rows]
        others = [np.flatnonzero(y == sign) for sign in (1, -1)] if each else [np.arange(len(y))]
        for some, everyone in zip(classes, others, strict=True):
            assert len(some) == len(set(some.tolist())) == min(k, len(everyone))
            rest = np.setdiff1d(everyone, some)
            assert not rest.size or true[some].max() <= true[rest].min() + 2 * noise


@given(cases())
def test_a_part_of_rows_answers_as_the_whole(case: Any) -> None:
    X, _, w, sparse, k = case
    rows = as_rows(sp.csr_array(X) if sparse else X)
    v = np.array([float(Fraction(m, 2**70)) for m in w])
    part = rows.part(k - 1, len(X)) if len(X) >= k else rows.part(0, 0)
    assert part.respond(v).tolist() == rows.respond(v)[k - 1 :].tolist() if len(X) >= k else part.n == 0


def test_weights_of_the_smallest_floats_become_whole_numbers() -> None:
    points = Points(as_rows(np.array([[1.0], [2.0]])), np.array([1, -1], dtype=np.int8), True)
    small, none = points.whole_weights(np.array([5e-324, 0.0]), 53)  # 2^53/5e-324 is no float
    assert small > 0
    assert none == 0


@pytest.mark.parametrize("sparse", [False, True])
def test_vectors_to_which_no_row_responds(sparse: bool) -> None:
    """Whole numbers, decimals, floats and long vectors, against fractions."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n, p, bias = int(rng.integers(3, 30)), int(rng.integers(1, 4)), bool(rng.integers(2))
        kinds = [rng.integers(-9, 10, (n, p)), rng.integers(-99, 100, (n, p)) / 100, rng.normal(size=(n, p))]
        X = np.asarray(kinds[seed % 3], dtype=np.float64) * 10.0 ** rng.choice([0, 0, 15])
        X = np.column_stack([X, X[:, 0] * 2, X.sum(axis=1)]) if seed % 3 < 2 else np.column_stack([X, X[:, 0] * 4])
        rows = sp.csr_matrix(X) if sparse else X
        points = Points(exact_rows(as_rows(rows)), rng.choice([-1, 1], n).astype(np.int8), bias)
        null = null_space(points.whole(np.arange(n)).rows, points.d)
        null = [points.whole(np.arange(n)).weights(v) for v in null]
        assert points.vanish(null)
        assert points.vanish([[a << 70 for a in v] for v in null])
        assert points.vanish([])
        for v in null:
            j = int(rng.integers(points.d))
            other = [a + (k == j) for k, a in enumerate(v)]
            assert points.vanish([*null, other]) == (not points.signs(other).any())
