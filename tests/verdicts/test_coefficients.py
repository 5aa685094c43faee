"""What becomes of each coefficient, against two oracles: all edges of the cone, and an exact simplex for each."""

import itertools
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp
from hypothesis import given, settings

import rosenblatt as rb
from rosenblatt.exact.alternative import farkas
from rosenblatt.exact.linear import null_space
from tests.verdicts.test_forgeries import evaluate
from tests.verdicts.test_separability import augmented, null_vectors, tiny

CASES = 2500 if settings.default.max_examples >= 2000 else 250


def edges_of(Z: list[list[Fraction]]) -> list[list[Fraction]]:
    """All edges of the cone of w with z·w ≥ 0 for every row (and their negatives where they are in it too)."""
    d, found = len(Z[0]), []
    for size in range(d + 1):
        for some in itertools.combinations(Z, size):
            for v in null_vectors(list(some), d):
                for sign in (1, -1):
                    w = [sign * a for a in v]
                    if all(sum(a * b for a, b in zip(z, w, strict=True)) >= 0 for z in Z):
                        found.append(w)
    return found


def kinds_by_edges(Z: list[list[Fraction]]) -> list[str]:
    """By the definition: what the edges of the cone have at j."""
    edges, nowhere = edges_of(Z), null_vectors(Z, len(Z[0]))
    found = []
    for j in range(len(Z[0])):
        values = [w[j] for w in edges]
        if any(v[j] for v in nowhere):
            found.append("not identified")
        elif not any(values):
            found.append("finite")
        elif min(values) >= 0:
            found.append("+inf")
        else:
            found.append("-inf" if max(values) <= 0 else "undetermined")
    return found


def kinds_by_simplex(Z: list[list[Fraction]], strict: Any, plane: Any) -> list[str]:
    """Two exact programs for each coefficient: is ±c a combination of the strict rows in the open directions?"""
    common = int(np.lcm.reduce([v.denominator for z in Z for v in z], dtype=object))
    whole, d = [[int(v * common) for v in z] for z in Z], len(Z[0])
    nowhere, directions = null_space(whole, d), null_space([whole[i] for i in plane], d)
    A = [[sum(a * b for a, b in zip(whole[i], v, strict=True)) for v in directions] for i in strict]
    found = []
    for j in range(d):
        c = [v[j] for v in directions]
        if any(v[j] for v in nowhere):
            found.append("not identified")
        elif not any(c):
            found.append("finite")
        elif farkas(A, c)[1] is not None:
            found.append("+inf")
        else:
            found.append("-inf" if farkas(A, [-v for v in c])[1] is not None else "undetermined")
    return found


def read(X: Any, y: Any, bias: bool, verdict: Any) -> list[list[Fraction]]:
    """z as the verdict reads the table: decimals where columns are such."""
    return augmented(X, y, bias, verdict.certificate.content.get("decimals"))


def settle(X: Any, y: Any, bias: bool, data: Any = None) -> Any:
    """The verdict, whose certificate the oracle of the forgeries has confirmed, and the checker's words."""
    verdict = rb.separability(X if data is None else data, y, fit_intercept=bias, coefficients=True)
    assert verdict.coefficients is not None, verdict.reason
    content = verdict.certificate.content
    signs = np.where(np.asarray(y) == max(y), 1, -1)
    assert verdict.certificate.verify(X, signs).startswith(verdict.kind)
    assert [one["kind"] for one in content["coefficients"]["each"]] == [one.kind for one in verdict.coefficients]
    evaluate(content, np.asarray(X, dtype=float), signs)
    return verdict


@settings(max_examples=max(300, settings.default.max_examples))
@given(tiny())
def test_coefficients_are_those_of_brute_force(case: Any) -> None:
    X, y, bias = case
    verdict = settle(X, y, bias)
    assert [one.kind for one in verdict.coefficients] == kinds_by_edges(read(X, y, bias, verdict))


def factor_table(rng: np.random.Generator) -> tuple[Any, Any, bool]:
    """Few rows: numbers beside factors, copies, dependent columns, labels of every difficulty."""
    n, numbers = int(rng.integers(4, 26)), int(rng.integers(0, 4))
    scale = float(rng.choice([1, 4, 10, 1000]))
    parts = [np.round(rng.normal(size=(n, numbers)) * scale) / float(rng.choice([1, 4, 10, 100]))]
    level = rng.integers(0, int(rng.integers(2, 6)), n)
    if rng.integers(3):
        dummies = np.eye(int(level.max()) + 1)[level]
        parts.append(dummies[:, int(rng.integers(2)) :])  # with the reference level's column too: dependent
    X = np.hstack([*parts, rng.integers(0, 3, size=(n, 1)).astype(float)])
    if rng.integers(3) == 0:
        X = np.column_stack([X, X[:, 0] + X[:, -1]])
    y = rng.choice([-1, 1], n)
    how = int(rng.integers(4))
    if how == 0:  # one level has one class
        y[level == 0] = 1
    if how >= 2:  # a plane decides; for some tables rows lie on it
        scores = X @ rng.integers(-2, 3, X.shape[1]) + float(rng.integers(-1, 2))
        y = np.where(scores > 0, 1, np.where(scores < 0, -1, y if how == 2 else 1))
    y[:2] = [1, -1]
    some = rng.integers(0, n, int(rng.integers(0, 4)))
    return np.vstack([X, X[some]]), np.concatenate([y, y[some]]), bool(rng.integers(3))


def test_small_tables_against_the_exact_simplex() -> None:
    seen: Counter[tuple[str, str]] = Counter()
    for seed in range(CASES):
        X, y, bias = factor_table(np.random.default_rng([7, seed]))
        verdict = settle(X, y, bias, sp.csr_array(X) if seed % 5 == 0 else None)
        Z = read(X, y, bias, verdict)
        expected = kinds_by_simplex(Z, verdict.rows["strict"], verdict.rows["plane"])
        assert [one.kind for one in verdict.coefficients] == expected, (seed, verdict.kind)
        seen.update((verdict.kind, kind) for kind in expected)
    for kind in ("complete", "quasi", "overlap"):
        assert seen[kind, "not identified"] > 5
    for fate in ("+inf", "-inf", "undetermined"):
        assert min(seen["complete", fate], seen["quasi", fate]) > 5
    assert min(seen["quasi", "finite"], seen["overlap", "finite"]) > 5
