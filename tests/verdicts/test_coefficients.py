"""What becomes of each coefficient, against two oracles: all edges of the cone, and an exact simplex for each."""

import json
import re
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings

import rosenblatt as rb
from rosenblatt.context import Unfinished
from rosenblatt.data.numbers import as_rows, exact_rows
from rosenblatt.exact.alternative import farkas
from rosenblatt.exact.linear import null_space
from rosenblatt.verdicts import checker
from rosenblatt.verdicts.fates import combining, settling, span
from rosenblatt.verdicts.fates.cone import Cone
from rosenblatt.verdicts.points import Points
from rosenblatt.verdicts.search import combine_surely
from tests.verdicts.test_forgeries import evaluate
from tests.verdicts.test_separability import augmented, edges_of, null_vectors, tiny
from tests.verdicts.test_tables import allowed_bits, regression_table

CASES = 2500 if settings.default.max_examples >= 2000 else 120


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
    return augmented(X, y, bias, verdict.certificate.content)


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


@settings(max_examples=max(120, settings.default.max_examples))
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


def hair(rng: np.random.Generator, d: int, bits: int) -> Any:
    """Rows y·x of one class, completely separable by 2^-bits: all but one of the first d have a vanishing sum."""
    A = rng.integers(-8, 9, size=(d - 1, d - 1)).astype(float)
    thin = np.column_stack([[0.0] * (d - 1) + [2.0**-bits], np.vstack([A, -A.sum(axis=0)])])
    more = rng.integers(-8, 9, size=(d, d)).astype(float)
    more[:, 0] = rng.integers(1, 4, d)
    return np.vstack([thin, more])


@pytest.mark.parametrize(("d", "bits"), [(4, 20), (4, 40), (6, 45), (8, 30)])
def test_gaps_that_floats_cannot_see(d: int, bits: int) -> None:
    for seed in range(8):
        X = hair(np.random.default_rng([seed, d, bits]), d, bits)
        verdict = settle(X, np.ones(len(X)), False)
        assert verdict.kind == "complete"
        Z = augmented(X, np.ones(len(X)), False, verdict.certificate.content)
        assert [one.kind for one in verdict.coefficients] == kinds_by_simplex(Z, range(len(Z)), [])


def test_floats_may_say_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    """Directions and rows at random, or none: exact arithmetic notices, and the exact simplex answers."""
    rng = np.random.default_rng(0)

    def nonsense(self: Cone, j: int, sign: int) -> Any:
        if rng.integers(3) == 0:
            return rng.normal(size=self.points.d), self.strict[:0]
        return None, rng.permutation(self.strict)[: rng.integers(4)]

    monkeypatch.setattr(Cone, "ask", nonsense)
    for seed in range(CASES // 5):
        X, y, bias = factor_table(np.random.default_rng([8, seed]))
        verdict = settle(X, y, bias)
        expected = kinds_by_simplex(read(X, y, bias, verdict), verdict.rows["strict"], verdict.rows["plane"])
        assert [one.kind for one in verdict.coefficients] == expected, seed


def thin(rng: np.random.Generator, n: int, p: int, plane: int) -> tuple[Any, Any]:
    """A cloud cut by a plane, and points of both classes: most weights cannot change their sign."""
    X = rng.normal(size=(n, p))
    y = np.where(X @ rng.normal(size=p) > 0, 1, -1)
    return np.vstack([X, X[:plane], X[:plane]]), np.concatenate([y, -y[:plane], y[:plane]])


@pytest.mark.parametrize("shares", ["as floats find them", "at random"])
def test_many_coefficients_share_a_basis(monkeypatch: pytest.MonkeyPatch, shares: str) -> None:
    rng, settled = np.random.default_rng(1), list[int]()
    honest = combining._made_exact

    def counted(*arguments: Any) -> Any:
        found = honest(*arguments)
        settled.append(len(found))
        return found

    def nonsense(self: Cone, j: int, sign: int, basis: Any) -> Any:
        rows = np.union1d(basis, rng.permutation(self.strict)[:3])
        return rows, rng.random(rows.size)

    monkeypatch.setattr(combining, "_made_exact", counted)
    monkeypatch.setattr(combining, "_SMALL", 0)
    monkeypatch.setattr(combining, "_FEW", 0)
    if shares == "at random":
        monkeypatch.setattr(Cone, "share", nonsense)
    for seed in range(8):
        X, y = thin(np.random.default_rng([seed, 5]), 70, 5, seed % 2)
        verdict = settle(X, y, True)
        expected = kinds_by_simplex(read(X, y, True, verdict), verdict.rows["strict"], verdict.rows["plane"])
        assert [one.kind for one in verdict.coefficients] == expected, seed
    assert settled
    assert sum(settled) >= 8 or shares == "at random"


def test_proofs_too_long_to_write_down_are_admitted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settling, "LONGEST_FILE", 100)
    verdict = rb.separability(*thin(np.random.default_rng(0), 40, 3, 0), coefficients=True)
    assert (verdict.kind, verdict.coefficients) == ("complete", None)
    assert verdict.reason == "the proofs of all 4 coefficients are too long to write down"


def test_when_time_is_over_the_open_coefficients_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = rb.datasets.sonar()
    left = iter(range(20))

    def over(self: settling._Settling) -> None:
        if next(left, None) is None:
            raise Unfinished("the time limit was reached")

    monkeypatch.setattr(settling._Settling, "between", over)
    verdict = rb.separability(X, y, coefficients=True, margin=False)
    assert verdict.kind == "complete"
    kinds = [one.kind for one in verdict.coefficients]
    assert 0 < kinds.count("open") < 61
    monkeypatch.undo()
    told = [one.kind for one in rb.separability(X, y, coefficients=True, margin=False).coefficients]
    assert all(one in ("open", other) for one, other in zip(kinds, told, strict=True))
    assert checker.check(verdict.certificate.written(), np.asarray(X).tolist(), np.where(y == "R", 1, -1).tolist())
    assert re.fullmatch(
        r"the time limit was reached; \d+ of 61 coefficients are open: (x\d+, ){7}(x\d+|\(1\)) …", verdict.reason
    )
    assert f"not all worked out: {verdict.reason}" in str(verdict)


def test_directions_too_long_to_write_down_are_admitted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(span, "LONGEST_FILE", 20)
    X = np.random.default_rng(0).normal(size=(6, 9))
    verdict = rb.separability(X, [0, 1, 0, 1, 0, 1], coefficients=True)
    assert verdict.kind == "complete"
    assert verdict.reason == (
        "the 4 directions that the rows leave open are too long to write down; no coefficient is worked out"
    )


def test_too_many_weights_are_admitted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(span, "_LARGEST", 2)
    verdict = rb.separability(*rb.datasets.xor(), coefficients=True)
    assert verdict.kind == "overlap"
    assert verdict.reason == ("what the rows span in 3 dimensions would take too long; no coefficient is worked out")


def test_many_rows_are_no_limit() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60_000, 20)).round(2)
    X[:, 19] = X[:, 0] - X[:, 1] > 5
    y = rng.choice([0, 1], 60_000)
    y[X[:, 19] == 1] = 1
    verdict = rb.separability(X, y, coefficients=True)
    assert [one.kind for one in verdict.coefficients] == ["finite"] * 19 + ["+inf", "finite"]
    assert set(verdict.coefficients[19].rows) <= set(np.flatnonzero(X[:, 19]).tolist())


@pytest.mark.parametrize(
    ("n", "numbers", "factors", "pure", "decimals"),
    [(300, 3, (8,), 1, 3), (1000, 10, (16,), 0, None), (1000, 4, (40,), 9, 2), (60, 8, (4,), 1, None)],
)
def test_numbers_are_no_longer_than_determinants(
    n: int, numbers: int, factors: tuple[int, ...], pure: int, decimals: int | None
) -> None:
    X, y = regression_table(np.random.default_rng([n, pure]), n, numbers, factors, pure, decimals)
    verdict = rb.separability(X, y, coefficients=True)
    longest = max(len(text) for text in re.findall("0x([0-9a-f]+)", json.dumps(verdict.certificate.content)))
    assert 4 * longest <= allowed_bits(X) + 64
    assert verdict.certificate.verify(X, y).startswith(verdict.kind)


def test_levels_of_one_class_are_settled_by_one_row_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """A panel: one column for each person but the first, most of whom never change their class."""

    def never(*_: object) -> None:
        raise AssertionError("a level of one class needs no search")

    monkeypatch.setattr("rosenblatt.verdicts.fates.cone.Cone.ask", never)
    rng = np.random.default_rng(4)
    person = np.repeat(np.arange(60), 8)
    y = np.where(person % 3 == 0, rng.integers(0, 2, person.size), person % 2)
    X = np.hstack([rng.normal(size=(person.size, 2)).round(2), np.eye(60)[person][:, 1:]])
    verdict = rb.separability(X, y, margin=False, coefficients=True)
    kinds = [one.kind for one in verdict.coefficients]
    expected = ["finite" if k % 3 == 0 else "+inf" if k % 2 else "-inf" for k in range(1, 60)]
    assert kinds == ["finite", "finite", *expected, "finite"]
    assert checker.check(verdict.certificate.content, X.tolist(), np.where(y > 0, 1, -1).tolist()).startswith("quasi")


# -- by verified floats


def combination_at_the_edge(rng: np.random.Generator) -> tuple[Points, np.ndarray, bool]:
    """Rows, c for scaled columns, and whether c is a positive combination: factors are 0, or the last bits from it."""
    d, places = int(rng.integers(2, 7)), int(rng.integers(0, 4))
    while True:
        k = rng.integers(-(10 ** int(rng.integers(1, 6))), 10 ** int(rng.integers(1, 6)), size=(d, d))
        if abs(np.linalg.det(k.astype(float))) > 0.5:
            break
    edge = int(rng.choice([-1, 0, 1]))  # of the first factor
    mu = rng.integers(1, 1000, size=d) * 10**places
    mu[0] = edge * 10**places
    large = int(rng.choice([1, 2**10, 2**20]))  # of the others, so that the first is small beside them
    mu[1:] *= large
    X = np.array([[float(Fraction(int(v), 10**places)) for v in row] for row in k])
    points = Points(exact_rows(as_rows(X)), np.ones(d, dtype=np.int8), False)
    c = [sum(int(m) * int(v) for m, v in zip(mu, column, strict=True)) // 10**places for column in k.T]
    return points, np.ldexp(np.array(c, dtype=float), -points.exponents), edge > 0


def test_floats_prove_no_false_combination() -> None:
    proved = true = 0
    for seed in range(20 * CASES):
        points, c, positive = combination_at_the_edge(np.random.default_rng(seed))
        found = combine_surely(points, np.arange(points.n), c)
        assert positive or not found, f"seed {seed}"
        proved, true = proved + found, true + positive
    assert proved >= 0.9 * true > 0


@pytest.mark.parametrize("seed", range(CASES // 10))
def test_floats_tell_the_fates_that_exact_arithmetic_proves(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(30, 200)), int(rng.integers(6, 25))
    X = rng.normal(size=(n, p)).round(int(rng.integers(1, 5))) * 10.0 ** rng.integers(-3, 4, size=p)
    y = np.where(X @ (rng.normal(size=p) / X.std(axis=0)) > 0.1 * rng.normal(), 1, -1)
    bias = bool(seed % 2)
    slow = rb.separability(X, y, bias, margin=False, coefficients=True)
    monkeypatch.setattr(settling, "_EXACT_AT_ONCE", 0)
    fast = rb.separability(X, y, bias, margin=False, coefficients=True)
    assert [(one.name, one.kind) for one in fast.coefficients] == [(one.name, one.kind) for one in slow.coefficients]
    runs = any(one.kind.endswith("inf") for one in fast.coefficients)
    assert slow.proof == "certificate"
    if fast.kind == "complete" and fast.proof == "floats":
        assert runs
        assert all(one.rows for one in fast.coefficients if one.kind.endswith("inf"))
        assert "coefficients" not in fast.certificate.head
    assert fast.certificate.verify(X, y).startswith(slow.kind)
    assert len(fast.certificate.content["coefficients"]["each"]) == p + bias
    assert fast.proof == "certificate"


def test_many_fates_that_floats_prove_have_their_certificate_when_it_is_read() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 60))
    y = np.where(X @ rng.normal(size=60) > 0, 1, -1)
    verdict = rb.separability(X, y, coefficients=True)
    assert (verdict.kind, verdict.proof) == ("complete", "floats")
    assert rb.separability(X, y).proof == "certificate"
    assert verdict.margin == rb.separability(X, y).margin
    told = [one.kind for one in verdict.coefficients]
    assert [one["kind"] for one in verdict.certificate.content["coefficients"]["each"]] == told
    assert verdict.certificate.verify(X, y).startswith("complete")
    signs = np.where(y > 0, 1, -1).tolist()
    assert checker.check(verdict.certificate.content, X.tolist(), signs).startswith("complete")
