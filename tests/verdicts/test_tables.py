"""Tables as regressions have them: numbers beside factors. Every one is decided, quickly, in short numbers."""

import time
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import settings

import rosenblatt as rb
from rosenblatt.data.numbers.rows import Rows
from rosenblatt.verdicts.points import points
from rosenblatt.verdicts.search import basis, mixture, search

CASES = 20_000 if settings.default.max_examples >= 2000 else 300  # small tables are what people have


def longest_number(content: dict) -> int:
    """Bits of the longest whole number of a certificate."""
    vectors = [content.get("w", []), content.get("lambda", {}).values(), [content.get("base", "0x0")]]
    return max(abs(int(v, 16)).bit_length() for numbers in [*vectors, *content.get("null", [])] for v in numbers)


def allowed_bits(X: np.ndarray, bias: bool = True) -> float:
    """d·(b + ½·log₂ d) + 64, b the bits that a column's values span: determinants are not longer (Hadamard)."""
    spans = [np.ptp(np.frexp(column[column != 0])[1]) if column.any() else 0 for column in X.T]
    d = X.shape[1] + bias
    return float(d * (53 + max(spans) + 0.5 * np.log2(d)) + 64)


def regression_table(
    rng: np.random.Generator, n: int, numbers: int, factors: tuple[int, ...], pure: int, decimals: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """Columns of numbers in all units, and factors; the first levels of the first factor have one class each."""
    X = rng.normal(size=(n, numbers)) * 10.0 ** rng.integers(-2, 5, numbers)
    y = rng.choice([0, 1], n, p=[0.7, 0.3])
    parts = [X if decimals is None else np.round(X, decimals)]
    for k, levels in enumerate(factors):
        level = rng.integers(0, levels, n)
        if k == 0:
            y[level < pure] = level[level < pure] % 2
        parts.append(np.eye(levels)[level][:, 1:])
    return np.hstack(parts), y


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(
    ("n", "numbers", "factors", "pure", "decimals"),
    [
        (300, 3, (8,), 1, 3),
        (1000, 10, (16,), 0, None),
        (1000, 10, (16,), 2, 2),
        (2000, 6, (24, 5), 3, None),
        (2000, 8, (120,), 30, 3),
        (3000, 0, (90, 20), 6, 3),
    ],
)
def test_regression_tables_are_decided(
    n: int, numbers: int, factors: tuple[int, ...], pure: int, decimals: int | None, sparse: bool
) -> None:
    rng = np.random.default_rng([n, numbers, pure])
    X, y = regression_table(rng, n, numbers, factors, pure, decimals)
    verdict = rb.separability(sp.csr_array(X) if sparse else X, y)
    assert verdict.kind == ("quasi" if pure else "overlap")
    d = X.shape[1] + 1
    assert longest_number(verdict.certificate.content) <= min(64 * d, allowed_bits(X))
    assert len(verdict.certificate.content["lambda"]) <= d
    assert verdict.certificate.verify(sp.csr_array(X) if sparse else X, y).startswith(verdict.kind)
    if pure:  # whatever else is strict, all rows of a level with one class are
        levels = X[:, numbers : numbers + factors[0] - 1]
        of_pure = ~levels.any(axis=1) | levels[:, : pure - 1].any(axis=1)
        assert set(np.flatnonzero(of_pure)) <= set(verdict.rows["strict"].tolist())
    if verdict.witness is None:  # proved in floats: every row of the plane has such a λ
        assert np.array_equal(verdict.rows["witness"], verdict.rows["plane"])
    else:
        assert vanishes(verdict, X, y)


# ------------------------------------------------------------------------------- small tables, of which all is known


def strict_rows(x: np.ndarray, level: np.ndarray, y: np.ndarray, own_slopes: bool) -> set[int]:
    """The rows that can be strict with an intercept for each level and a slope (one, or one for each level).

    A level of one class is always strict. Of the others a rising slope needs max x of class 0 ≤ min x of class 1; rows
    where the two are equal stay on the plane. A falling slope is the same with −x.
    """
    groups = [np.flatnonzero(level == k) for k in np.unique(level)]
    mixed = [some for some in groups if 0 < y[some].sum() < some.size]
    found = {int(i) for some in groups if some.size and not 0 < y[some].sum() < some.size for i in some}
    for together in [[some] for some in mixed] if own_slopes else [mixed]:
        for s in (x, -x):
            ends = [(s[some][y[some] == 0].max(), s[some][y[some] == 1].min()) for some in together]
            if all(low <= high for low, high in ends):
                for some, (low, high) in zip(together, ends, strict=True):
                    found |= {int(i) for i in some if low < high or s[i] != low}
    return found


def small_table(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray | None, set[int]]:
    """X, y, weights and the rows that can be strict.

    Levels 2–6, duplicates, weights, decimals, all scales, interactions, codings of deficient rank.
    """
    rng = np.random.default_rng(seed)
    n, levels = int(rng.integers(4, 31)), int(rng.integers(2, 7))
    x = rng.normal(size=n) * 10.0 ** rng.integers(-2, 5)
    x = np.round(x, int(rng.integers(0, 4))) if rng.integers(3) else rng.integers(-3, 4, size=n).astype(float)
    level, y = rng.integers(0, levels, size=n), rng.integers(0, 2, size=n)
    if rng.integers(2):
        y = np.where(rng.random(n) < 0.9, x > np.median(x), y).astype(int)
    y[level == 0] = y[level == 0] if rng.integers(3) else 1
    again = rng.integers(0, n, size=n // 3)  # duplicates, perhaps of the other class
    x, level = np.append(x, x[again]), np.append(level, level[again])
    y = np.append(y, np.where(rng.random(again.size) < 0.8, y[again], 1 - y[again]))
    y[:2] = [0, 1]
    one_hot, own_slopes = np.eye(levels)[level], bool(rng.integers(2))
    factor = one_hot if rng.integers(2) else one_hot[:, 1:]
    parts = [factor, one_hot * x[:, None] if own_slopes else x[:, None]]
    if rng.integers(3) == 0:  # columns that add nothing
        parts += [x[:, None], one_hot[:, :1] + one_hot[:, 1:2]]
    weights = None
    if rng.integers(3) == 0:
        weights = rng.integers(0, 4, size=len(y)).astype(float)
        weights[:2] = 1.0
    here = np.arange(len(y)) if weights is None else np.flatnonzero(weights)
    expected = {int(here[i]) for i in strict_rows(x[here], level[here], y[here], own_slopes)}
    return np.hstack(parts), y, weights, expected


def small_tables_are_what_counting_says(seeds: range) -> None:
    kinds = set()
    for seed in seeds:
        X, y, weights, expected = small_table(seed)
        here = np.arange(len(y)) if weights is None else np.flatnonzero(weights)
        verdict = rb.separability(X, y, margin=False, sample_weight=weights)
        kind = "complete" if len(expected) == here.size else "quasi" if expected else "overlap"
        assert verdict.kind == kind, seed
        assert set(verdict.rows["strict"].tolist()) == expected, seed
        assert longest_number(verdict.certificate.content) <= allowed_bits(X[here]), seed
        assert verdict.certificate.verify(X[here], y[here]).startswith(kind), seed
        kinds.add(kind)
    assert kinds == {"complete", "quasi", "overlap"}


@pytest.mark.parametrize("part", range(3))
def test_small_tables_are_what_counting_says(part: int) -> None:
    small_tables_are_what_counting_says(range(part, CASES, 3))


def test_small_tables_without_a_linear_program_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_LARGE", 0)
    small_tables_are_what_counting_says(range(CASES, CASES + CASES // 6))


@pytest.mark.parametrize("plane", ["points of both classes", "half of the columns"])
def test_few_rows_on_the_plane_need_no_linear_program(plane: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    X, w = rng.normal(size=(700, 80)), rng.normal(size=80)
    y = np.where(X @ w > 0, 1, -1)
    if plane == "half of the columns":
        X[:300, 40:], y[:300] = 0.0, rng.choice([-1, 1], 300)
        y[300:] = np.where(X[300:, 40:] @ w[40:] > 0, 1, -1)
        strict = range(300, 700)
    else:
        X[1:6:2], y[:6] = X[0:6:2], [1, -1] * 3
        strict = range(6, 700)
    monkeypatch.setattr(mixture.Partition, "settle", lambda self: pytest.fail("it was asked for"))
    verdict = rb.separability(X, y)
    assert verdict.kind == "quasi"
    assert verdict.rows["strict"].tolist() == list(strict)
    assert longest_number(verdict.certificate.content) <= allowed_bits(X)


# --------------------------------------------------------------- many sparse columns, of which nothing is written out


@pytest.fixture
def all_sparse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small tables take the way of large sparse ones too, and may take no other."""

    def refuse(*_: object) -> None:
        raise AssertionError("rows were written out")

    monkeypatch.setattr(points, "_MANY", 0)
    monkeypatch.setattr(basis, "_MANY", 0)
    monkeypatch.setattr(basis, "_FEW", 1.0)
    monkeypatch.setattr(search.Search, "_round", refuse)
    monkeypatch.setattr(basis, "linalg", SimpleNamespace(qr=refuse))


def vanishes(verdict: rb.Verdict, X: Any, y: np.ndarray) -> bool:
    """Whether λ > 0 and Σ λ·y·(x, 1) = 0, in fractions; in decimals, where the verdict reads a column so."""
    witness, decimal = verdict.witness, [*("power" in one for one in verdict.certificate.content["readings"]), False]
    total = [Fraction(0)] * len(decimal)
    for i, m in witness.items():
        row = X[[i]].toarray()[0] if sp.issparse(X) else X[i]
        written = zip([*map(float, row), 1.0], decimal, strict=True)
        z = [Fraction(repr(v)) if one else Fraction(v) for v, one in written]
        total = [t + m * (1 if y[i] else -1) * v for t, v in zip(total, z, strict=True)]
    return min(witness.values()) > 0 and not any(total)


@pytest.mark.usefixtures("all_sparse")
def test_sparse_tables_are_what_counting_says() -> None:
    kinds = set()
    for seed in range(CASES // 6):
        X, y, weights, expected = small_table(seed)
        S = sp.csr_array(X)
        verdict = rb.separability(S, y, margin=False, sample_weight=weights)
        here = np.arange(len(y)) if weights is None else np.flatnonzero(weights)
        kind = "complete" if len(expected) == here.size else "quasi" if expected else "overlap"
        assert verdict.kind == kind, seed
        assert set(verdict.rows["strict"].tolist()) == expected, seed
        assert longest_number(verdict.certificate.content) <= allowed_bits(X[here]), seed
        assert verdict.certificate.verify(S[here], y[here]).startswith(kind), seed
        if kind != "complete":
            assert vanishes(verdict, X, y), seed
        kinds.add(kind)
    assert kinds == {"complete", "quasi", "overlap"}


def sparse_factors(
    rng: np.random.Generator, n: int, numbers: int, factors: tuple[int, ...], pure: int
) -> tuple[sp.csr_array, np.ndarray, np.ndarray]:
    """Numbers with three decimals beside factors in CSR, labels, and the level of the first factor."""
    y = rng.choice([0, 1], n, p=[0.7, 0.3])
    levels = [rng.integers(0, size, n) for size in factors]
    y[levels[0] < pure] = levels[0][levels[0] < pure] % 2
    parts = [sp.csr_array(np.round(rng.normal(size=(n, numbers)), 3))]
    for level, size in zip(levels, factors, strict=True):
        parts.append(sp.csr_array((np.ones(n), level, np.arange(n + 1)), shape=(n, size))[:, 1:])
    return sp.csr_array(sp.hstack(parts)), y, levels[0]


LARGE = [(5950, 4, (1541, 160), 100), (20_000, 2, (3000,), 0), (2000, 0, (900, 800), 30)]
HUGE = [(1_000_000, 5, (5000,), 20), (1_000_000, 0, (5000,), 0), (200_000, 2, (20_000,), 0)]


@pytest.mark.parametrize(("n", "numbers", "factors", "pure"), LARGE + (HUGE if CASES >= 20_000 else []))
def test_factors_with_thousands_of_levels(
    n: int, numbers: int, factors: tuple[int, ...], pure: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A level of one class is strict, whatever else is; a proof is found, is short, and holds, without dense copies."""
    take = Rows.take

    def few(rows: Rows, some: object) -> np.ndarray:
        found = take(rows, some)
        assert found.size < 1 << 20, "rows were written out"
        return found

    monkeypatch.setattr(Rows, "take", few)
    S, y, level = sparse_factors(np.random.default_rng([n, numbers]), n, numbers, factors, pure)
    verdict = rb.separability(S, y)
    counts, ones = np.bincount(level, minlength=factors[0]), np.bincount(level, y, minlength=factors[0])
    of_one_class = ((ones == 0) | (ones == counts))[level]
    assert verdict.kind == ("quasi" if of_one_class.any() else "overlap")
    assert set(np.flatnonzero(of_one_class)) <= set(verdict.rows["strict"].tolist())
    assert longest_number(verdict.certificate.content) < 64 * (numbers + 2) + 200
    assert verdict.certificate.verify(S, y).startswith(verdict.kind)
    assert verdict.witness is None or vanishes(verdict, S, y)  # None: by the fit; the certificate has a λ on all rows


def test_levels_by_the_hundred_do_not_lengthen_the_numbers() -> None:
    """Of a factor alone the mixture has whole numbers of a few bits, whatever the number of levels."""
    rng = np.random.default_rng(0)
    level, y = rng.integers(0, 400, size=4000), rng.integers(0, 2, size=4000)
    X = sp.csr_array(np.eye(400)[level][:, 1:])
    began = time.monotonic()
    verdict = rb.separability(X, y)
    assert time.monotonic() - began < 60
    assert longest_number(verdict.certificate.content) < 64
    assert verdict.certificate.verify(X, y).startswith(verdict.kind)


@pytest.mark.parametrize(("n", "levels", "pure"), [(300, 8, 1), (600, 16, 0), (600, 16, 3)])
def test_rounds_keep_their_numbers_short_too(n: int, levels: int, pure: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The way out for what floats cannot see: face by face, and each mixture made short again."""
    monkeypatch.setattr(search.Search, "_at_once", lambda self: None)
    X, y = regression_table(np.random.default_rng([n, levels, pure]), n, 4, (levels,), pure, 2)
    verdict = rb.separability(X, y)
    assert verdict.kind == ("quasi" if pure else "overlap")
    assert longest_number(verdict.certificate.content) <= allowed_bits(X)
    assert verdict.certificate.verify(X, y).startswith(verdict.kind)


# ------------------------------------------------------------------------------------------------ what stays finite


@pytest.mark.parametrize("weighted", [False, True])
def test_the_finite_part_is_the_estimate_on_the_plane(weighted: bool) -> None:
    rng = np.random.default_rng(3)
    X, y = regression_table(rng, 400, 2, (6,), 2, 1)
    weights = rng.integers(0, 3, size=400).astype(float) if weighted else None
    verdict = rb.separability(X, y, sample_weight=weights)
    assert verdict.kind == "quasi"
    plane = verdict.rows["plane"]
    c = np.ones(400) if weights is None else weights
    w = np.append(verdict.finite_part.w, verdict.finite_part.b)
    z = np.column_stack([X, np.ones(400)])[plane] * np.where(y[plane] > 0, 1, -1)[:, None]
    residuals = c[plane] / (1 + np.exp(z @ w))  # the score: what logistic regression leaves over vanishes
    assert np.abs(residuals @ (z / np.abs(z).max(axis=0).clip(1))).max() < 1e-9
    assert residuals.min() > 0
    assert "finite_part" in vars(verdict)  # computed once
    assert rb.separability([[0.0], [1.0]], [0, 1]).finite_part is None


def test_the_finite_part_of_overlapping_rows_is_the_whole_estimate() -> None:
    from scipy.optimize import minimize

    X, y = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]]), np.array([0, 1, 0, 1, 1])
    Z = np.column_stack([X, np.ones(5)]) * np.where(y > 0, 1, -1)[:, None]
    expected = minimize(lambda w: np.logaddexp(0, -Z @ w).sum(), [0.0, 0.0], tol=1e-12).x
    found = rb.separability(X, y).finite_part
    assert np.allclose([*found.w, found.b], expected, atol=1e-5)


# ------------------------------------------------------------------------------------------------------------- limits


@pytest.mark.parametrize("limit", [0.3, 1.0])
def test_time_limits_are_kept_and_what_is_known_is_said(limit: float) -> None:
    """A rank of 300 in long numbers takes seconds; whatever is being done, the limit ends it within one."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1500, 300)), rng.integers(0, 2, size=1500)
    X[:, 0] = np.where(y > 0, 1, -1) * (rng.random(1500) < 0.05)
    rb.separability(X[:20, :2], y[:20])  # what is compiled is compiled
    began = time.monotonic()
    verdict = rb.separability(X, y, time_limit=limit)
    if verdict.kind == "unknown":
        assert time.monotonic() - began < limit + 5  # a second on a machine that has nothing else to do
        assert verdict.reason.startswith("the time limit was reached")
    if verdict.witness:
        assert "touching or overlap is not decided" in verdict.reason or verdict.kind == "quasi"


def test_verdicts_at_once_give_blas_its_threads_back() -> None:
    import threading

    from threadpoolctl import threadpool_info

    def threads() -> list[int]:
        return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2000, 20)), rng.integers(0, 2, size=2000)
    rb.separability(X, y)
    before, kinds = threads(), []
    at_once = [threading.Thread(target=lambda: kinds.append(rb.separability(X, y).kind)) for _ in range(4)]
    for one in at_once:
        one.start()
    for one in at_once:
        one.join()
    assert kinds == ["overlap"] * 4
    assert threads() == before
