"""Hard cases whose truth is known by construction: none may be called wrong, and these sizes must be decided."""

from collections.abc import Iterator

import numpy as np
import pytest

import rosenblatt as rb
from tests.verdicts.test_tables import allowed_bits, longest_number

Case = tuple[str, np.ndarray, np.ndarray, str]


def planted(rng: np.random.Generator, n: int, p: int, gap: float) -> tuple[np.ndarray, np.ndarray]:
    """Integer points moved along x1 so that w·x = ±(s + gap) exactly, s ≥ 0 whole; gap < 0 lets two of them cross."""
    w = rng.integers(-3, 4, size=p)
    w[0] = 1
    X = rng.integers(-50, 51, size=(n, p)).astype(float)
    y = np.where(np.arange(n) % 2, 1, -1)
    s = rng.integers(0, 9, size=n).astype(float)
    s[:4] = 0
    X[:, 0] += y * (s + gap) - X @ w
    return X, y


def corpus() -> Iterator[Case]:
    rng = np.random.default_rng(20)
    for k in range(20, 46):  # a hair apart: 2^-20 … 2^-45
        for p in (1, 3, 8):
            X, y = planted(rng, 6 * p + 6, p, 2.0**-k)
            yield f"hair 2^-{k} p={p}", X, y, "complete"
    for trial in range(60):  # one ulp inside, on, outside the segment between two points of the other class
        a, b = rng.integers(-99, 100, size=2) / 7.0
        low, high = min(a, b), max(a, b) + 1.0
        kind = ("overlap", "quasi", "complete")[trial % 3]
        inside = {"overlap": np.nextafter(high, -np.inf), "quasi": high, "complete": np.nextafter(high, np.inf)}[kind]
        yield f"ulp {kind} {trial}", np.array([[low], [high], [inside], [high + 9]]), np.array([-1, -1, 1, 1]), kind
    for trial in range(60):  # a point of one class in the hull of the other, in any dimension, units and offset
        p = 1 + trial % 6
        corners = np.vstack([np.zeros(p), np.eye(p) * 4, -np.eye(p) * 4])
        X = np.vstack([corners, np.full((1, p), 1.0 / 8)]) * 2.0 ** rng.choice([-400, -40, 0, 40, 400], size=p)
        yield f"hull {trial}", X, np.append(np.ones(len(corners)), -1), "overlap"
    for trial in range(60):  # faces within faces: labels are random only where all coordinates before are zero
        p = 2 + trial % 4
        X = rng.integers(-1, 2, size=(12 * p, p)).astype(float)
        first = np.array([next((v for v in x if v), 0.0) for x in X])
        y = np.where(first > 0, 1, -1)
        X, y = np.vstack([X, np.zeros((2, p))]), np.append(y, [1, -1])
        yield f"faces {trial}", X, y, "quasi"
    for trial in range(60):  # lexicographic integers: weights must grow geometrically
        p = 2 + trial % 5
        X = rng.integers(-4, 5, size=(40, p)).astype(float)
        y = np.where(X @ (10.0 ** np.arange(p)) + 0.5 > 0, 1, -1)
        y[:2] = y[:2] if len(set(y.tolist())) > 1 else [1, -1]
        if len(set(y.tolist())) == 2 and np.all(y == np.where(X @ (10.0 ** np.arange(p)) + 0.5 > 0, 1, -1)):
            yield f"lexicographic {trial}", X, y, "complete"
    for trial in range(45):  # fewer rows than columns, in every kind
        n, kind = 6 + trial % 5, ("complete", "quasi", "overlap")[trial % 3]
        X, y = rng.normal(size=(n, 3 * n)), np.where(np.arange(n) % 2, 1, -1)
        pairs = {"complete": 0, "quasi": 1, "overlap": n // 2}[kind]
        if kind == "overlap" and n % 2:
            X, y = X[:-1], y[:-1]
        for i in range(pairs):
            X[2 * i + 1] = X[2 * i]
        yield f"wide {kind} {trial}", X, y, kind
    for trial in range(40):  # threshold functions of Booleans: complete by definition
        p = 3 + trial % 3
        X = ((np.arange(2**p)[:, None] >> np.arange(p)) & 1).astype(float)
        w = rng.integers(-9, 10, size=p)
        y = np.where(X @ w > np.median(X @ w) + 0.25, 1, -1)
        if len(set(y.tolist())) == 2:
            yield f"Boolean {trial}", X, y, "complete"
    for trial in range(20):  # columns far from zero, which hide all differences from float products
        p = 1 + trial % 10
        X = rng.integers(-5, 6, size=(30 * p, p))
        y = np.where(X @ rng.integers(-3, 4, size=p) + 0.5 > 0, 1, -1)
        y[:2] = y[:2] if len(set(y.tolist())) > 1 else [1, -1]
        if len(set(y.tolist())) == 2:
            yield f"far {trial}", X + rng.choice([-(2.0**40), 1e9, 2.0**44], size=p), y, rb.separability(X, y).kind
    for trial in range(12):  # stairs: the first coordinate that is not zero decides, whatever follows
        p = 3 + trial
        lead = rng.integers(0, p, size=20 * p)
        X = rng.integers(-9, 10, size=(20 * p, p)).astype(float)
        X[np.arange(p) < lead[:, None]] = 0.0
        X[np.arange(len(X)), lead] = rng.choice([-1.0, 1.0], size=len(X))
        y = X[np.arange(len(X)), lead]
        yield f"stairs {trial}", X, y, "complete"
        yield f"stairs with both zeros {trial}", np.vstack([X, np.zeros((2, p))]), np.append(y, [1, -1]), "quasi"


CORPUS = list(corpus())


def test_corpus_is_large() -> None:
    assert len(CORPUS) >= 400


@pytest.mark.parametrize("part", range(8))
def test_no_wrong_verdict(part: int) -> None:
    for name, X, y, kind in CORPUS[part::8]:
        verdict = rb.separability(X, y, margin=False)
        assert verdict.kind == kind, name
        assert verdict.certificate.verify(X, y).startswith(kind), name
        assert longest_number(verdict.certificate.content) <= allowed_bits(X), name
