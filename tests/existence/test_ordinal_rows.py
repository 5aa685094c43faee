"""The rows of ordered levels allow what all constraints of the cumulative model allow."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt.data.numbers.rows import as_rows
from rosenblatt.regressions.machinery.rows import Values
from rosenblatt.regressions.ordinal import kept_levels, rows, thresholds
from tests.existence.comparisons import kind_of

V = np.array(list(product(range(-2, 3), repeat=4)))


def written_out(X, codes, K):
    """All z of (β, θ_1 … θ_{K−1}), the order of thresholds among them but not counted as strict."""
    p = X.shape[1]
    z, order = [], []
    for x, k in zip(X, codes, strict=True):
        theta = [[float(j == t) for t in range(K - 1)] for j in range(K - 1)]
        if k < K - 1:
            z.append([*-x, *theta[k]])
        if k > 0:
            z.append([*x, *(-v for v in theta[k - 1])])
    for k in range(1, K - 1):
        order.append([0.0] * p + [float(t == k) - float(t == k - 1) for t in range(K - 1)])
    return np.array(z).reshape(len(z), p + K - 1), np.array(order).reshape(len(order), p + K - 1)


def spread(made, kept, K, p):
    """The same rows with all K − 1 thresholds: a merged one is the last of its own, which equalities hold together."""
    Z = made.Z.toarray() if sp.issparse(made.Z) else made.Z
    wide = np.zeros((len(Z), p + K - 1))
    wide[:, :p] = Z[:, :p]
    for k, level in enumerate(kept[1:]):
        wide[:, p + level - 1] = Z[:, p + k]
    return wide


def test_the_same_verdict_as_the_model_written_out(request: pytest.FixtureRequest) -> None:
    rng = np.random.default_rng(0)
    seen = {"complete": 0, "quasi": 0, "overlap": 0}
    empty = 0
    for _ in range(3000 if request.config.getoption("--soak") else 300):
        n, K = int(rng.integers(1, 8)), int(rng.integers(2, 5))
        p = 4 - (K - 1)
        X = rng.integers(0, 3, size=(n, p)).astype(float)
        codes = rng.choice(rng.permutation(K)[: rng.integers(1, K + 1)], size=n)
        data = sp.csr_array(X) if rng.random() < 0.5 else X
        made = rows(Values.of(as_rows(data)), codes, "abcd"[:K], tuple("xyz"[:p]))
        kept = kept_levels(codes, "abcd"[:K])
        z, order = written_out(X, codes, K)
        empty += len(kept) < K
        # an inner level without rows: its thresholds coincide in the estimate
        together = [k for k in range(1, K - 1) if k not in set(codes.tolist())]
        fine = ((V @ z.T >= 0).all(axis=1)) & (V @ order.T >= 0).all(axis=1)
        fine &= np.all([V[:, p + k] == V[:, p + k - 1] for k in together] or [np.ones(len(V), dtype=bool)], axis=0)
        wide = spread(made, kept, K, p)
        ours = (V @ wide.T >= 0).all(axis=1)
        ours &= np.all([V[:, p + k] == V[:, p + k - 1] for k in together] or [np.ones(len(V), dtype=bool)], axis=0)
        assert np.array_equal(fine, ours)
        kind = kind_of((V[fine] @ z.T > 0).any(axis=0))
        assert kind_of((V[ours] @ wide.T > 0).any(axis=0)) == kind
        assert len(set(map(made.key, range(len(made.row))))) == len(made.row)
        assert len(made.names) == len(made.tens) == made.Z.shape[1] == p + len(kept) - 1
        seen[kind] += 1
    assert min(seen.values()) > 10
    assert empty > 10


def test_rows_keys_and_names() -> None:
    X = np.array([[3.0], [5.0], [7.0]])
    made = rows(Values.of(as_rows(X)), np.array([0, 2, 3]), ["no", "a bit", "some", "much"], ("dose",))
    assert made.names == ("dose", "no|some", "some|much")
    assert list(map(made.key, range(len(made.row)))) == ["0:1", "1:2", "1:1", "2:2"]
    assert made.Z.tolist() == [[-3, 1, 0], [-5, 0, 1], [5, -1, 0], [7, 0, -1]]
    assert not made.equal.any()


def test_first_and_last_levels_without_rows_are_kept() -> None:
    made = rows(Values.of(as_rows(np.ones((2, 1)))), np.array([1, 1]), ["a", "b", "c", "d"], ("x",))
    assert made.names == ("x", *thresholds(np.array([1, 1]), ["a", "b", "c", "d"])) == ("x", "a|b", "b|d")
