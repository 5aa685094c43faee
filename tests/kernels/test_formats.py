"""Rows keep their order of summation."""

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt.data.numbers.rows import as_rows
from tests import oracles


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("p", [1, 2, 3, 7, 8, 9, 15, 16, 17, 23, 24, 25, 31, 32, 33, 40, 47, 100])
def test_dense_rows_are_summed_in_the_promised_order(p: int, dtype: type) -> None:
    rng = np.random.default_rng(p)
    X = (rng.normal(size=(5, p)) * 10.0 ** rng.integers(-8, 8, size=(5, p))).astype(dtype)
    w = rng.normal(size=p + 1)
    expected = [oracles.lane_dot(x, w[:p]) + w[p] for x in X]
    assert as_rows(X).respond(w).tolist() == expected
    assert as_rows(X).respond(w[:p].copy()).tolist() == [oracles.lane_dot(x, w[:p]) for x in X]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("p", [1, 3, 4, 5, 8, 11, 50])
def test_sparse_rows_are_summed_in_the_promised_order(p: int, dtype: type) -> None:
    rng = np.random.default_rng(p)
    X = (rng.normal(size=(6, p)) * (rng.random((6, p)) < 0.6)).astype(dtype)
    w = rng.normal(size=p + 1)
    rows = as_rows(sp.csr_array(X))
    assert rows.respond(w).tolist() == [oracles.sparse_dot(x, w[:p]) + w[p] for x in X]
