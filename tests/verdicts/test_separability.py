"""Verdicts against brute force, and certificates against forgers."""

import copy
import json
import subprocess
import sys
import time
from fractions import Fraction
from math import gcd, lcm
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt.exact.alternative import gordan
from rosenblatt.verdicts import checker
from rosenblatt.verdicts.search import basis


def whole_rows(Z: list[list[Fraction]]) -> list[list[int]]:
    """The rows as whole numbers, each times a positive number of its own: signs and directions stay."""
    factors = [lcm(*(v.denominator for v in z)) for z in Z]
    return [[int(v * factor) for v in z] for z, factor in zip(Z, factors, strict=True)]


def shortened(row: list[int], j: int) -> list[int]:
    """The row without a common factor, and positive at j."""
    factor = gcd(*row) if row[j] > 0 else -gcd(*row)
    return [v // factor for v in row]


def with_row(echelon: dict[int, list[int]], row: list[int]) -> dict[int, list[int]] | None:
    """The reduced echelon form, pivot by pivot, of some rows and one more; None where that depends on them."""
    for j, p in echelon.items():
        row = [p[j] * a - row[j] * b for a, b in zip(row, p, strict=True)]
    j = next((j for j, v in enumerate(row) if v), None)
    if j is None:
        return None
    row = shortened(row, j)
    others = {k: [row[j] * a - p[j] * b for a, b in zip(p, row, strict=True)] for k, p in echelon.items()}
    return {k: shortened(p, k) for k, p in others.items()} | {j: row}


def orthogonal(echelon: dict[int, list[int]], d: int) -> list[list[int]]:
    """A basis of what vanishes on all rows of an echelon form."""
    common = lcm(*(p[j] for j, p in echelon.items()))
    free = [j for j in range(d) if j not in echelon]
    return [
        [common * (j == f) if j not in echelon else -echelon[j][f] * (common // echelon[j][j]) for j in range(d)]
        for f in free
    ]


def null_vectors(rows: list[list[Fraction]], d: int) -> list[list[int]]:
    """A basis of what vanishes on all rows, by elimination."""
    echelon: dict[int, list[int]] = {}
    for row in whole_rows(rows):
        echelon = with_row(echelon, row) or echelon
    return orthogonal(echelon, d)


def edges_of(Z: list[list[Fraction]]) -> list[list[int]]:
    """All edges of the cone of w with z·w ≥ 0 for every row (and their negatives where they are in it too).

    Every subset of the rows is tried, but of subsets that span the same space one, which has the same null vectors.
    """
    rows, d, found = whole_rows(Z), len(Z[0]), []
    spans: list[dict[int, list[int]]] = [{}]
    while spans:
        for v in (v for echelon in spans for v in orthogonal(echelon, d)):
            values = [sum(a * b for a, b in zip(z, v, strict=True)) for z in rows]
            found += [v] if min(values) >= 0 else []
            found += [[-a for a in v]] if max(values) <= 0 else []
        larger = [grown for echelon in spans for z in rows if (grown := with_row(echelon, z))]
        spans = list({str(sorted(echelon.items())): echelon for echelon in larger}.values())
    return found


def brute_force(Z: list[list[Fraction]]) -> tuple[str, set[int]]:
    """The verdict and the rows that some w with z·w ≥ 0 everywhere has positive: all edges of the cone are tried."""
    edges = edges_of(Z)
    positive = {i for i, z in enumerate(Z) if any(sum(a * b for a, b in zip(z, w, strict=True)) > 0 for w in edges)}
    return ("complete" if len(positive) == len(Z) else "quasi" if positive else "overlap"), positive


def is_decimal(content: Any, p: int) -> list[bool]:
    """Which columns a certificate (None: no certificate) reads as decimals."""
    if content and "readings" in content:
        return ["power" in one for one in content["readings"][:p]]
    return [k is not None for k in (content or {}).get("decimals") or [None] * p]


def augmented(X: Any, y: Any, bias: bool, content: Any = None) -> list[list[Fraction]]:
    """The rows z; a value of a column that the certificate reads as decimals is the one that Python writes for it."""
    decimal = is_decimal(content, np.shape(X)[1])
    read = [
        [Fraction(repr(float(v))) if one else Fraction(float(v)) for v, one in zip(x, decimal, strict=True)] for x in X
    ]
    return [[int(t) * v for v in [*x, *[Fraction(1)] * bias]] for x, t in zip(read, y, strict=True)]


@st.composite
def tiny(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, bool]:
    n, p = draw(st.integers(2, 7)), draw(st.integers(1, 3))
    size = draw(st.sampled_from([1, 2, 5]))
    X = np.array(
        draw(st.lists(st.lists(st.integers(-size, size), min_size=p, max_size=p), min_size=n, max_size=n)), float
    )
    y = np.array(draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n)))
    y[0], y[1] = -1, 1
    return X, y, draw(st.booleans())


@settings(max_examples=max(400, 5 * settings.default.max_examples))  # soak: 10,000
@given(tiny())
def test_verdicts_are_those_of_brute_force(case: Any) -> None:
    X, y, bias = case
    kind, positive = brute_force(augmented(X, y, bias))
    verdict = rb.separability(X, y, fit_intercept=bias)
    assert verdict.kind == kind
    assert set(verdict.rows["strict"].tolist()) == positive
    assert verdict.certificate.verify(X, y).startswith(kind)


@given(tiny(), st.integers(0, 2**31 - 1))
def test_units_order_and_format_change_nothing(case: Any, seed: int) -> None:
    X, y, bias = case
    kind = rb.separability(X, y, fit_intercept=bias).kind
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(y))
    units = 2.0 ** rng.choice([-400, -40, 0, 3, 40, 400], size=X.shape[1])
    assert rb.separability(X[order] * units, y[order], fit_intercept=bias).kind == kind
    assert rb.separability(sp.csr_array(X), y, fit_intercept=bias).kind == kind
    assert rb.separability(X.astype(np.float32), np.where(y > 0, "b", "a"), fit_intercept=bias).kind == kind
    if bias:
        offset = rng.integers(-(2**20), 2**20, size=X.shape[1])
        assert rb.separability(X + offset, y).kind == kind
    p = X.shape[1]
    mixing = np.tril(rng.integers(-3, 4, size=(p, p)), -1) + np.diag(rng.choice([-2, -1, 1, 4], size=p))
    assert (
        rb.separability(X @ mixing, y, fit_intercept=bias).kind == kind
    )  # invertible, and floats carry it out exactly


@given(st.integers(0, 2**31 - 1), st.integers(1, 6), st.sampled_from([2.0**-30, 2.0**-44, 0.0, -(2.0**-44)]))
def test_margins_near_nothing(seed: int, p: int, gap: float) -> None:
    """Two clouds touching, a hair apart, or a hair into each other along one direction."""
    rng = np.random.default_rng(seed)
    w = rng.integers(-3, 4, size=p)
    w[0] = 1
    X = rng.integers(-8, 9, size=(4 * p + 4, p)).astype(float)
    y = np.where(np.arange(len(X)) % 2, 1, -1)
    s = np.abs(rng.integers(1, 4, size=len(X))).astype(float)
    s[:2] = 0.0
    X[:, 0] += y * (s + gap / 2) - X @ w  # now w·x = y·(s + gap/2) exactly, s = 0 for one row of each class
    exact = brute_along(X, y, w)
    verdict = rb.separability(X, y)
    if exact > 0:
        assert verdict.kind == "complete"
    assert verdict.kind != "unknown"
    assert verdict.certificate.verify(X, y).startswith(verdict.kind)


def brute_along(X: np.ndarray, y: np.ndarray, w: np.ndarray) -> Fraction:
    """The gap between the classes along w."""
    s = [sum(Fraction(float(a)) * int(b) for a, b in zip(x, w, strict=True)) for x in X]
    return min(v for v, t in zip(s, y, strict=True) if t > 0) - max(v for v, t in zip(s, y, strict=True) if t < 0)


def test_known_answers() -> None:
    assert rb.separability(*rb.datasets.xor()).kind == "overlap"
    assert rb.separability(*rb.datasets.sonar()).kind == "complete"
    assert rb.separability([[-1, -1], [0, 2], [-1, 0], [0, 1]], [1, 1, 1, 0]).kind == "complete"  # fools box programs
    income = np.arange(10_000.0, 60_001.0, 5000)[:, None]
    assert rb.separability(income, income[:, 0] > 35_000).kind == "complete"
    line = np.array([[0.0], [1.0], [1.0 - 1e-9], [2.0]])
    assert rb.separability(line, [0, 0, 1, 1]).kind == "overlap"
    assert rb.separability([[1.0], [0.0], [2.0**-54]], [1, -1, 1]).kind == "complete"  # a perceptron never gets there
    assert rb.separability([[1.0, 5.0], [2.0, 5.0]], ["only", "only"]).kind == "complete"
    assert rb.separability([[1.0], [-1.0]], ["only", "only"], fit_intercept=False).kind == "overlap"
    assert rb.separability([[0.0], [0.0]], [0, 1], fit_intercept=False).kind == "overlap"


@pytest.mark.parametrize("kind", ["complete", "quasi", "overlap"])
def test_more_columns_than_rows(kind: str) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(6, 15)), np.array([0, 1, 0, 1, 0, 1])
    if kind != "complete":
        X[1] = X[0]  # one point, two labels
    if kind == "overlap":
        X[3], X[5] = X[2], X[4]
    verdict = rb.separability(X, y)
    assert verdict.kind == kind
    assert verdict.certificate.verify(X, y).startswith(kind)


def thin_in_many_columns(p: int, gap: float) -> tuple[np.ndarray, np.ndarray]:
    """Whole numbers in p columns with w·x = ±(s + gap) exactly; more than p rows of either class have s = 0."""
    rng = np.random.default_rng(p)
    w = rng.integers(-3, 4, size=p)
    w[0] = 1
    X = rng.integers(-20, 21, size=(6 * p, p)).astype(float)
    y = np.where(np.arange(len(X)) % 2, 1, -1)
    s = rng.integers(0, 9, size=len(X)).astype(float)
    s[: 2 * p + 4] = 0
    X[:, 0] += y * (s + gap) - X @ w
    return X, y


@pytest.mark.parametrize(
    ("gap", "kind"), [(2.0**-20, "complete"), (2.0**-38, "complete"), (0.0, "quasi"), (-(2.0**-30), "overlap")]
)
def test_margins_that_floats_cannot_see_in_many_columns(gap: float, kind: str) -> None:
    X, y = thin_in_many_columns(60, gap)
    verdict = rb.separability(X, y, margin=False, time_limit=600.0)
    assert verdict.kind == kind
    assert verdict.certificate.verify(X, y).startswith(kind)


@pytest.mark.parametrize(("fresh", "kind"), [(0, "overlap"), (1, "quasi")])
def test_few_independent_columns_among_many(fresh: int, kind: str) -> None:
    """Rank 12 in 150 columns; with one column of its own a row can be set apart from the others."""
    rng = np.random.default_rng(0)
    X = rng.integers(-5, 6, size=(120, 12)) @ rng.integers(-5, 6, size=(12, 150)).astype(float)
    y = rng.choice([-1, 1], size=120)
    if fresh:
        X[3, 7] += 1.0
    verdict = rb.separability(X, y)
    assert verdict.kind == kind
    assert verdict.rows["strict"].tolist() == [3] * fresh
    assert "base" in verdict.certificate.content
    assert verdict.certificate.verify(X, y).startswith(kind)


def test_large_data_in_degenerate_position() -> None:
    """Whole numbers in large data: a third of the rows lie on every hyperplane that separates the others."""
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, size=(90_000, 12)).astype(float)
    y = np.where(X[:, 0] > 0, 1, -1)
    on_plane = X[:, 0] == 0
    y[on_plane] = rng.choice([-1, 1], size=np.count_nonzero(on_plane))
    X[:, 11] = X[:, 10]  # and a column that adds nothing
    verdict = rb.separability(X, y)
    assert verdict.kind == "quasi"
    assert np.array_equal(verdict.rows["plane"], np.flatnonzero(on_plane))
    assert verdict.certificate.verify(X, y).startswith("quasi: no row is on the wrong side, ")
    y[0] = -1 if X[0, 0] > 0 else 1
    y[1], X[1, 0] = -1, 1.0
    overlap = rb.separability(X, y)
    assert overlap.kind == "overlap"
    assert overlap.certificate.verify(X, y).startswith("overlap: 90000 rows have mixtures that coincide")


def test_witnesses_vanish_whatever_form_the_certificate_has() -> None:
    quasi = [[1.0, 0.0], [2.0, 1.0], [2.0, 1.0], [3.0, 1.0], [4.0, 0.0]], [0, 0, 1, 1, 1]
    alike = [[1.0, 1.0]] * 4, [0, 1, 0, 1]
    for X, y in (quasi, alike, rb.datasets.xor()):
        weights = rb.separability(X, y).witness
        assert weights is not None
        assert min(weights.values()) > 0
        total = sum(m * (1 if y[i] else -1) * np.append(X[i], 1.0) for i, m in weights.items())
        assert not np.any(total)
    assert rb.separability([[0.0], [1.0]], [0, 1]).witness is None


def test_rows_of_weight_zero_are_absent() -> None:
    X, y = [[0.0], [5.0], [1.0], [2.0]], [0, 0, 1, 1]
    assert rb.separability(X, y).kind == "overlap"
    verdict = rb.separability(X, y, sample_weight=[1.0, 0.0, 2.0, 1.0], coefficients=True)
    assert verdict.kind == "complete"
    assert verdict.rows["strict"].tolist() == [0, 2, 3]
    assert verdict.n == 3
    slope = verdict.coefficients[0]
    assert slope.kind == "+inf"
    assert set(slope.rows) <= {0, 2, 3}
    assert rb.separability(sp.csr_array(X), y, sample_weight=[1, 0, 1, 1]).rows["strict"].tolist() == [0, 2, 3]
    for bad in ([1.0], [1.0, -1.0, 1.0, 1.0], [1.0, np.nan, 1.0, 1.0]):
        with pytest.raises(ValueError, match="sample_weight must be 4 numbers"):
            rb.separability(X, y, sample_weight=bad)
    with pytest.raises(ValueError, match="must not be all zero"):
        rb.separability(X, y, sample_weight=[0, 0, 0, 0])


def test_a_certificate_of_some_rows_is_verified_with_the_same_weights() -> None:
    X, y, weights = [[0.0], [5.0], [1.0], [2.0]], [0, 0, 1, 1], [1.0, 0.0, 2.0, 1.0]
    for verdict in (rb.separability(X, y, sample_weight=weights), rb.existence(X, y, sample_weight=weights)):
        assert rb.verify(verdict.certificate, X, y, sample_weight=weights).startswith(
            "complete: w has each of the 3 rows"
        )
        with pytest.raises(ValueError, match="not about these data: it is about 3 rows"):
            rb.verify(verdict.certificate, X, y)
    with pytest.raises(ValueError, match="sample_weight must be 4 numbers"):
        rb.verify(verdict.certificate, X, y, sample_weight=[1.0])
    with pytest.raises(TypeError, match="about two classes: leave trials out"):
        rb.verify(verdict.certificate, X, y, trials=[1, 1, 1, 1])


def test_a_table_is_verified_as_it_was_decided(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("site,x,w,y\na,1,1,no\nb,2,0,yes\na,2,2,yes\nb,3,1,yes\na,0,1,no\n")
    table = rb.data.open_table(tmp_path / "t.csv", target="y", weights="w")
    certificate = rb.separability(table).certificate
    assert rb.verify(certificate, table).startswith("complete: w has each of the 4 rows")
    with pytest.raises(TypeError, match="a table has its own labels"):
        rb.verify(certificate, table, [0, 1, 1, 1, 0])


def test_what_is_no_certificate_or_lacks_labels_is_said() -> None:
    X, y = rb.datasets.xor()
    certificate = rb.separability(X, y).certificate
    for wrong in ("xor.json", certificate.content):
        with pytest.raises(TypeError, match=r"rb\.Certificate\.load\(path\)"):
            rb.verify(wrong, X, y)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="y is missing"):
        rb.verify(certificate, X)


def test_nested_faces() -> None:
    """Each coordinate overlaps only where those before it are equal: w must be built face by face."""
    X, y = [[0.0, 0.0, 0.0]] * 2, [0, 1]
    for j in range(3):
        for k, label in ((-1.0, 0), (1.0, 1)):
            X, y = [*X, [0.0] * j + [k] + [0.0] * (2 - j)], [*y, label]
    verdict = rb.separability(X, y)
    assert verdict.kind == "quasi"
    assert verdict.rows["plane"].tolist() == [0, 1]


def test_limits_are_admitted(monkeypatch: pytest.MonkeyPatch) -> None:
    verdict = rb.separability(*rb.datasets.xor(), time_limit=0.0)
    assert verdict.kind == "unknown"
    assert "time limit" in verdict.sentence
    assert verdict.certificate is None
    monkeypatch.setattr(basis, "_LARGEST_SOLVE", 2)
    assert "too large" in rb.separability(*rb.datasets.xor()).reason
    X, y = np.eye(5), np.array([1, -1, 1, -1, 1])
    assert rb.separability(X, y).kind == "complete"  # least squares separates it
    twice = rb.separability(np.vstack([X, X[:1]]), np.append(y, -1))  # and, but for one point of both classes, this
    assert (twice.kind, twice.rows["plane"].tolist()) == ("quasi", [0, 5])
    assert rb.separability([[0.0], [1.0]], [0, 1]).kind == "complete"


def sparse_square(n: int, nonzeros: int) -> sp.csr_array:
    rng = np.random.default_rng(0)
    columns = np.sort(np.array([rng.choice(n, size=nonzeros, replace=False) for _ in range(n)]), axis=1)
    starts = np.arange(0, n * nonzeros + 1, nonzeros)
    return sp.csr_array((rng.normal(size=n * nonzeros), columns.ravel(), starts), shape=(n, n))


def test_sparse_rows_are_decided_without_writing_them_out() -> None:
    X, y = sparse_square(12_000, 20), np.arange(12_000) % 2
    verdict = rb.separability(X, y, margin=False)
    assert verdict.kind == "complete"
    assert verdict.certificate.content["layout"] == "csr"
    assert verdict.certificate.verify(X, y).startswith("complete")
    X = sp.csr_array(sp.vstack([X[:-1], X[:1]]))  # the last row repeats the first, with the other label
    verdict = rb.separability(X, y)
    assert verdict.kind == "quasi"
    assert verdict.rows["plane"].tolist() == [0, 11_999]
    assert verdict.certificate.verify(X, y).startswith("quasi")


def test_sparse_rows_that_do_not_fill_up_are_decided() -> None:
    X = sp.random_array((1_500, 1_500), density=2 / 1_500, format="csr", rng=np.random.default_rng(0))
    y = np.arange(1_500) % 2
    verdict = rb.separability(X, y)
    assert verdict.kind == "quasi"
    assert verdict.certificate.verify(X, y).startswith("quasi")


def test_sparse_rows_that_fill_up_are_admitted(monkeypatch: pytest.MonkeyPatch) -> None:
    from rosenblatt.verdicts.search import fitting, search

    monkeypatch.setattr(search, "_SOON", 0.2)
    monkeypatch.setattr(fitting, "LARGEST_FIT", 1000)  # as if they were more columns than a fit can have
    X = sp.csr_array(sp.vstack([sparse_square(3_000, 20)] * 2) + sp.random_array((6_000, 3_000), density=1e-3))
    verdict = rb.separability(X, np.arange(6_000) // 7 % 2)
    assert verdict.kind == "unknown"
    assert "6000 × 3000 sparse values that fill up" in verdict.reason


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ([[np.nan]], [1], "NaN in row 0"),
        (np.empty((0, 2)), [], "no rows"),
        ([[1.0], [2.0], [3.0]], [1, 2, 3], "two classes"),
        ([["a"], ["b"]], [0, 1], "the text 'a'"),
        ([[10**31 + 1], [1]], [0, 1], "a number of 32 digits in row 0, column 0"),
        ([[1.0], [2.0], [3.0]], [0, 1, np.nan], "y has no label in row 2"),
        ([[1.0], [2.0], [3.0]], ["a", None, "b"], "y has no label in row 1"),
        ([[1.0], [2.0]], ["a", np.nan], "y has no label in row 1"),
    ],
)
def test_bad_input_is_named(X: Any, y: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        rb.separability(X, y)


def test_a_missing_label_is_named_by_the_callers_row() -> None:
    import pandas as pd

    X, y, weights = [[1.0], [2.0], [3.0], [4.0]], pd.Series([0, None, 1, None], dtype="Int64"), [1, 0, 1, 1]
    with pytest.raises(ValueError, match="y has no label in row 3"):
        rb.separability(X, y, sample_weight=weights)
    weights[3] = 0
    assert rb.separability(X, y, sample_weight=weights).kind == "complete"  # rows of weight zero need no label


def test_no_columns_need_an_intercept() -> None:
    assert rb.separability(np.empty((2, 0)), [0, 1]).kind == "overlap"
    with pytest.raises(ValueError, match="X has no columns and there is no intercept"):
        rb.separability(np.empty((2, 0)), [0, 1], fit_intercept=False)


@pytest.mark.parametrize("limit", [float("nan"), "5"])
def test_a_time_limit_is_a_number(limit: Any) -> None:
    with pytest.raises(ValueError, match="time_limit must be a number of seconds"):
        rb.separability([[0.0], [1.0]], [0, 1], time_limit=limit)
    assert rb.separability([[0.0], [1.0]], [0, 1], time_limit=np.int32(5)).kind == "complete"


@given(st.lists(st.lists(st.integers(-9, 9), min_size=3, max_size=3), min_size=1, max_size=8))
def test_gordan_proves_one_of_two(rows: list[list[int]]) -> None:
    u, lam = gordan(rows)
    if u is not None:
        assert lam is None
        assert all(sum(a * b for a, b in zip(row, u, strict=True)) > 0 for row in rows)
    else:
        assert lam is not None
        assert min(lam) >= 0 < max(lam)
        assert not any(sum(m * row[j] for m, row in zip(lam, rows, strict=True)) for j in range(3))


# ------------------------------------------------------------------------------------------------------ certificates


def claim_is_true(content: dict[str, Any], X: np.ndarray, y: np.ndarray) -> bool:
    """Whether what a certificate states holds, evaluated with fractions and nothing of the checker's."""
    try:
        Z = augmented(X, y, content["fit_intercept"])
        d = len(Z[0])
        w = [int(v, 16) for v in content.get("w", [])]
        lam = {int(i): int(m, 16) for i, m in content.get("lambda", {}).items()}
        null = [[Fraction(int(v, 16)) for v in vector] for vector in content.get("null", [])]
        base = int(content["base"], 16) if "base" in content else None
        s = (
            [sum(a * b for a, b in zip(z, w, strict=True)) for z in Z]
            if content["verdict"] != "overlap"
            else [0] * len(Z)
        )
    except (ValueError, TypeError, AttributeError, KeyError):
        return False
    if content["verdict"] == "complete":
        return min(s) > 0
    plane = [i for i, v in enumerate(s) if v == 0]
    if base is not None and set(lam) <= set(plane):  # then every row of the plane has a share
        lam, null = {i: base + lam.get(i, 0) for i in plane}, null_vectors([Z[i] for i in plane], d)
    span = [Z[i] for i in lam] if set(lam) <= set(plane) else []
    return bool(
        min(s) >= 0
        and (content["verdict"] == "overlap" or max(s) > 0)
        and lam
        and min(lam.values()) > 0
        and not any(sum(m * Z[i][j] for i, m in lam.items()) for j in range(d))
        and len(null_vectors(span, d)) == len(null) == d - (d - len(null_vectors([Z[i] for i in plane], d)))
        and d - len(null_vectors(null, d)) == len(null)
        and not any(sum(a * b for a, b in zip(Z[i], v, strict=True)) for i in plane for v in null)
    )


def with_null(content: dict[str, Any], X: np.ndarray, y: np.ndarray, bias: bool) -> dict[str, Any]:
    """A certificate whose span is proved by a null space instead of a share for every row."""
    Z = augmented(X, y, bias, content)
    w = [int(v, 16) for v in content.get("w", [])] or [0] * len(Z[0])
    plane = [i for i, z in enumerate(Z) if sum(a * b for a, b in zip(z, w, strict=True)) == 0]
    base = int(content.get("base", "0x0"), 16)
    lam = {i: base + int(content["lambda"].get(str(i), "0x0"), 16) for i in plane}
    vectors = null_vectors([Z[i] for i in plane], len(w))
    whole = [[int(v * np.lcm.reduce([f.denominator for f in vector])) for v in vector] for vector in vectors]
    rest = {k: v for k, v in content.items() if k != "base"}
    return {
        **rest,
        "lambda": {str(i): hex(m) for i, m in lam.items() if m},
        "null": [[hex(v) for v in u] for u in whole],
    }


@settings(max_examples=max(150, settings.default.max_examples))
@given(tiny(), st.integers(0, 2**31 - 1))
def test_forged_certificates_are_refused(case: Any, seed: int) -> None:
    """Five forgeries a case: whatever exact evaluation finds false is refused."""
    X, y, bias = case
    content = rb.separability(X, y, fit_intercept=bias).certificate.content
    rng = np.random.default_rng(seed)
    if "lambda" in content and rng.integers(2):  # say the same by a null space
        content = with_null(content, X, y, bias)
    for _ in range(5):
        forged, data, labels = copy.deepcopy(content), X.copy(), y.copy()
        what = rng.choice(["w", "lambda", "null", "verdict", "hash", "datum", "label", "base"])
        if what == "verdict":
            forged["verdict"] = str(rng.choice(["complete", "quasi", "overlap", "maybe"]))
        elif what == "hash":
            forged["data_sha256"] = "0" * 64
        elif what == "datum":
            data[rng.integers(len(X)), rng.integers(X.shape[1])] += 1.0
        elif what == "label":
            labels[rng.integers(len(y))] *= -1
        elif what == "base":
            forged["base"] = hex(int(rng.integers(-1, 3)))
        elif what == "lambda" and "lambda" in forged:
            key = str(rng.integers(len(y)))
            forged["lambda"][key] = hex(int(rng.integers(-2, 4)))
        elif what == "null" and forged.get("null"):
            forged["null"][0][0] = hex(int(rng.integers(-2, 3)))
        elif "w" in forged:
            forged["w"][rng.integers(len(forged["w"]))] = hex(int(rng.integers(-4, 5)))
        try:
            checker.check(forged, data.tolist(), labels.tolist())
            accepted = True
        except (checker.DoesNotHold, checker.OtherData):
            accepted = False
        if what in ("hash", "datum", "label"):
            assert not accepted
        else:
            assert accepted <= claim_is_true(forged, data, labels)


@pytest.mark.parametrize(
    "change",
    [
        {"format": "x"},
        {"n": 5},
        {"p": True},
        {"w": "0x1"},
        {"w": []},
        {"lambda": []},
        {"lambda": {"9": "0x1"}},
        {"null": [1]},
        {"lambda": {"0": "12"}},
        {"lambda": {"0": 1}},
        {"fit_intercept": 1},
        {"verdict": None},
    ],
)
def test_nonsense_is_refused_without_a_traceback(change: dict[str, Any]) -> None:
    X, y = [[1.0], [2.0], [2.0], [3.0]], [-1, -1, 1, 1]
    content = {**rb.separability(X, y).certificate.content, **change}
    if "null" in change:  # it is looked at where there is no base
        del content["base"]
    with pytest.raises((checker.DoesNotHold, checker.OtherData)):
        checker.check(content, X, y)


def test_checker_runs_alone_on_a_machine_without_us(tmp_path: Path) -> None:
    X, y = rb.datasets.sonar()
    names = [f"x{j}" for j in range(60)]
    lines = [",".join([*names, "y"])] + [
        ",".join([*map(repr, row.tolist()), label]) for row, label in zip(X, y, strict=True)
    ]
    (tmp_path / "data.csv").write_text("\n".join(lines))
    rb.separability(X, y).certificate.save(tmp_path / "cert.json")
    alone = tmp_path / "checker.py"
    alone.write_text(Path(checker.__file__).read_text(encoding="utf-8"), encoding="utf-8")

    def run() -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-I", "-S", str(alone), str(tmp_path / "cert.json"), str(tmp_path / "data.csv")]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    done = run()
    assert done.returncode == 0
    assert done.stdout.startswith("holds: complete: w has each of the 208 rows strictly on its side, and the theorem's")
    content = json.loads((tmp_path / "cert.json").read_text())
    content["w"][0] = hex(-int(content["w"][0], 16) * 1000)
    (tmp_path / "cert.json").write_text(json.dumps(content))
    assert run().returncode == 1
    (tmp_path / "data.csv").write_text("\n".join(lines[:-1]))
    assert run().returncode == 2
    (tmp_path / "cert.json").write_text("[" * 100_000)
    assert run().returncode == 1


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_checker_reads_text_as_it_was_read(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text("größe,ort,y\n1,Köln,0\n2,Aix €,1\n3,Köln,0\n2,Aix €,1\n2,Köln,1\n", encoding=encoding)
    content = rb.separability(rb.data.open_table(path, target="y")).certificate.content
    X, y, columns, _ = checker.read_table(content, path)
    assert checker.check(content, X, y, **columns).startswith("quasi: ")


def test_checker_says_what_it_cannot_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.csv").write_text("x,z,y\n1,2,0\n2,1,1\n3,3,1\n")
    certificate, table = str(tmp_path / "c.json"), rb.data.open_table(tmp_path / "t.csv", target="y")
    rb.separability(table).certificate.save(certificate)
    (tmp_path / "other.csv").write_text("x;z;y\n1;2;0\n")
    (tmp_path / "untold.csv").write_text("x,z,label\n1,2,0\n")
    (tmp_path / "rows.parquet").write_bytes(b"PAR1\0\0\0")
    words = {
        "untold.csv": "is not about these data: the table does not fit: its first line does not name the column y\n",
        "other.csv": "is not about these data: the table does not fit: its first line does not name the column x\n",
        "rows.parquet": "is not about these data: the table does not fit: it is no text, and this checker reads CSV",
        "none.csv": "cannot be read: [Errno 2]",
    }
    for name, answer in words.items():
        assert checker.main([certificate, str(tmp_path / name)]) == 2
        assert capsys.readouterr().out.startswith(answer)


def test_save_load_verify(tmp_path: Path) -> None:
    X, y = rb.datasets.xor()
    verdict = rb.separability(X, y)
    verdict.certificate.save(tmp_path / "xor.json")
    loaded = rb.Certificate.load(tmp_path / "xor.json")
    assert rb.verify(loaded, X, y).startswith("overlap: 4 rows")
    with pytest.raises(ValueError, match="not about these data: the data have another hash"):
        loaded.verify(X + 1, y)
    (tmp_path / "xor.json").write_text("nothing")
    with pytest.raises(ValueError, match="cannot be a certificate: the file is not JSON"):
        rb.Certificate.load(tmp_path / "xor.json")


def test_checker_is_short_and_stands_alone() -> None:
    source = Path(checker.__file__).read_text(encoding="utf-8")
    # version 2 has the street, decimals, exactly its fields, and (60 lines) coefficients with their proofs; a hostile
    # table is refused, and how it was read is said; eight models (400 lines) have rows, columns, cells of their own;
    # numbers as people write them, dates and means (30 lines); names in lists (25 lines), constant likelihoods (15);
    # version 3 (200 lines): texts as fractions, readings, the hash by blocks, remarks about older versions, because;
    # a ninth model (10 lines); status=2 in a model's columns (20 lines)
    assert len(source.splitlines()) <= 1255
    imports = {line.split()[1] for line in source.splitlines() if line.startswith(("import ", "from "))}
    assert imports <= set(sys.stdlib_module_names)


# --------------------------------------------------------------------------------------------- margin, worth, words


@given(st.integers(2, 60), st.integers(1, 6), st.sampled_from([1.0, 0.01]), st.integers(0, 999), st.booleans())
def test_margin_is_proved_and_tight(n: int, p: int, margin: float, seed: int, bias: bool) -> None:
    data = rb.datasets.margin_cloud(n, p, margin, fit_intercept=bias, random_state=seed)
    verdict = rb.separability(*data, fit_intercept=bias)
    assert verdict.kind == "complete"
    lower, upper = verdict.margin
    assert data.margin <= upper  # the planted one is not larger than the largest
    assert 0 < lower <= upper <= lower * (1 + 1e-6)
    w = [int(v, 16) for v in verdict.certificate.content["w"]]
    assert verdict.mistake_bound >= (verdict.radius / upper) ** 2 * (1 - 1e-9) - 1
    if len(set(data.y.tolist())) == 2:
        assert verdict.mistake_bound == rb.theory.mistake_bound(data.X, data.y, w, fit_intercept=bias)
        run = rb.Perceptron(fit_intercept=bias, max_passes=10**6).fit(*data)
        assert run.n_updates_ <= verdict.mistake_bound


def test_margin_of_two_points_is_half_their_distance() -> None:
    verdict = rb.separability([[-3.0, 0.0], [3.0, 0.0]], [0, 1], fit_intercept=False)
    assert verdict.margin == pytest.approx((3.0, 3.0))
    assert verdict.mistake_bound == 1
    assert verdict.radius == 3.0
    assert rb.separability([[-3.0], [3.0]], [0, 1], margin=False).margin is None


@pytest.mark.parametrize("end", ["lower", "upper", "lambda", "nonsense"])
def test_forged_margins_are_refused(end: str) -> None:
    X, y = rb.datasets.margin_cloud(40, 3, 0.25, random_state=0)
    content = rb.separability(X, y).certificate.content
    margin = content["margin"]
    if end == "lambda":
        margin["lambda"] = {str(i): "0x1" for i in range(40)}
    elif end == "nonsense":
        margin["lower"] = "1/2"
    else:
        p, q = (int(part, 16) for part in margin[end].split("/"))
        margin[end] = f"{hex(p * 1001 if end == 'lower' else p * 999)}/{hex(q * 1000)}"
    with pytest.raises(checker.DoesNotHold):
        checker.check(content, X.tolist(), y.tolist())


def test_fast_check_agrees_with_the_small_one() -> None:
    from rosenblatt.data.numbers.exact import exact_rows
    from rosenblatt.data.numbers.rows import as_rows
    from rosenblatt.verdicts.certificates import holding
    from rosenblatt.verdicts.certificates.claim import Claim
    from rosenblatt.verdicts.points import Points

    rng = np.random.default_rng(0)
    answers = []
    for trial in range(240):
        X = rng.integers(-4, 5, size=(12, 3)) / 4
        X[:, 2] = X[:, 0] if trial % 4 == 3 else X[:, 2]  # rank-deficient
        X[3:5] = 0.0 if trial % 5 == 0 else X[3:5]
        y = np.where(X @ [1, 2, -1] + 0.125 > 0, 1, -1) if trial % 2 else rng.choice([-1, 1], size=12)
        y[:2], y[3:5] = [1, -1], [1, -1] if trial % 5 == 0 else y[3:5]
        content = rb.separability(X, y).certificate.content
        if "lambda" in content and trial % 3 == 1:
            content = with_null(content, X, y, True)
        for name in ("w", "lambda", "base"):
            if name in content and rng.integers(4) == 0:
                if name == "base":
                    content["base"] = hex(int(content["base"], 16) + 1)
                elif name == "w":
                    content["w"][0] = hex(int(content["w"][0], 16) + 1)
                else:
                    key = next(iter(content["lambda"]), "0")  # λ may be base alone
                    content["lambda"][key] = hex(int(content["lambda"].get(key, "0x0"), 16) + 1)
        rows, signs = as_rows(X), y.astype(np.int8)
        assert holding.digest(exact_rows(rows), signs, "dense") == content["data_sha256"]
        assert holding.digest(rows, signs, "dense", 2) == checker.digest(X.tolist(), y.tolist())
        assert holding.digest(rows, signs, "csr", 2) == checker.digest(X.tolist(), y.tolist(), "csr")
        try:
            checker.check(content, X.tolist(), y.tolist())
            small = True
        except checker.DoesNotHold:
            small = False
        try:
            quick = bool(holding.holds(Claim.of(content), Points(exact_rows(rows), signs, True)))
        except checker.DoesNotHold:
            quick = False
        assert quick == small, content
        answers.append((content["verdict"], small))
    assert len(set(answers)) == 6  # every verdict, accepted and refused


def test_large_data_take_the_fast_check() -> None:
    X, y = rb.datasets.margin_cloud(30_000, 10, 0.25, random_state=0)
    verdict = rb.separability(X, y)
    assert verdict.kind == "complete"
    assert verdict.certificate.verify(X, y).startswith("complete: w has each of the 30000 rows strictly on its side, ")
    y[5] *= -1
    overlap = rb.separability(X, y)
    assert overlap.kind == "overlap"
    with pytest.raises(ValueError, match="not about these data"):
        overlap.certificate.verify(X, -y)
    overlap.certificate.content["lambda"][next(iter(overlap.certificate.content["lambda"]))] = "0x7"
    with pytest.raises(ValueError, match="does not hold"):
        overlap.certificate.verify(X, y)


def test_worth_in_numbers_and_words() -> None:
    from rosenblatt.verdicts.words import Worth

    little = Worth.of(22, 11, 22, 11)
    assert 10**little.log10_fair == pytest.approx(0.5)
    assert "not shown to be more than chance" in little.sentence("complete")
    sonar = rb.separability(*rb.datasets.sonar())
    assert sonar.cover.points == 208
    assert sonar.cover.log10_fair == pytest.approx(rb.counting.log10_probability(208, 61))
    assert "1 in 10^8." in str(sonar.cover)
    sizes = Worth.of(60, 5, 60, 11)  # few of one class: shuffled labels are much more often separable than coins
    assert sizes.log10_sizes > sizes.log10_fair + 4


def test_words_and_html() -> None:
    verdict = rb.separability(*rb.datasets.sonar())
    text = str(verdict)
    assert text.startswith("Completely separable: a hyperplane has every example strictly on its side.  proved")
    assert f"at most {verdict.mistake_bound:,} corrections" in text
    assert "<strong>Completely separable" in verdict._repr_html_()
    assert "4 rows whose mixtures coincide: 0, 1, 2, 3" in str(rb.separability(*rb.datasets.xor()))


@pytest.mark.parametrize("scale", [1e-300, 5e-324, 1e155, 1e300])
@pytest.mark.parametrize(
    ("y", "bias", "kind"),
    [([1, 1, 0, 0], True, "complete"), ([1, 0, 1, 0], True, "overlap"), ([1, 1, 0, 0], False, "complete")],
)
def test_any_scale_is_decided(scale: float, y: list[int], bias: bool, kind: str) -> None:
    X = np.array([[1.0, -2.0], [2.0, 1.0], [-1.0, 3.0], [-3.0, -1.0]])
    for units in ([scale, scale], [scale, 1.0]):
        verdict = rb.separability(X * units, y, fit_intercept=bias)
        assert verdict.kind == kind
        assert verdict.certificate.verify(X * units, y).startswith(kind)


def test_the_exact_simplex_keeps_its_time() -> None:
    rng = np.random.default_rng(0)
    X = rng.choice([0.0, 5e-324, -5e-324, 1.0, 1e-310], size=(72, 25))
    began = time.monotonic()
    rb.separability(X, rng.choice([-1, 1], size=72), time_limit=0.5)
    assert time.monotonic() - began < 20


# ------------------------------------------------------------------------------------------------------ coefficients


def test_coefficients_in_words() -> None:
    import pandas as pd

    table = pd.DataFrame({"exposed": [0, 0, 0, 0, 1, 1], "age": [1.0, 2.0, 3.0, 4.0, 2.0, 3.0]})
    verdict = rb.separability(table, [0, 1, 0, 1, 1, 1], coefficients=True)
    assert verdict.kind == "quasi"
    assert [(one.name, one.kind) for one in verdict.coefficients] == [
        ("exposed", "+inf"),
        ("age", "finite"),
        ("(1)", "finite"),
    ]
    assert "exposed" in str(verdict)
    assert "runs to +∞" in str(verdict)
    assert str(verdict).count(" (row 4)\n") == 1  # one row, so no "rows"
    starts = {line.index(text) for line in str(verdict).splitlines() for _, text in verdict.facts() if text in line}
    assert len(starts) == 1, "all texts begin in one column"
    assert set(verdict.coefficients[0].rows) <= {4, 5}
    fooled = rb.separability([[-1, -1], [0, 2], [-1, 0], [0, 1]], [1, 1, 1, 0], coefficients=True)
    assert {one.name: one.kind for one in fooled.coefficients}["(1)"] != "finite"  # box programs say it is
    assert {one.name: one.kind for one in fooled.coefficients}["x1"] != "finite"


def test_tables_keep_their_names() -> None:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    columns = {"left": [0.0, 1.0, 2.0, 3.0], "right": [1.0, 0.0, 1.0, 0.0]}
    for table in (pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)):
        verdict = rb.separability(table, [0, 0, 1, 1])
        assert verdict.kind == "complete"
        assert verdict.certificate.content["features"] == ["left", "right"]
        assert verdict.certificate.verify(table, [0, 0, 1, 1]).startswith("complete")


@pytest.mark.parametrize("n", [12, 3000])
def test_progress_tells_of_phases_and_rows(n: int) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 4))
    told: list[tuple[str, int, int]] = []
    verdict = rb.separability(X, X[:, 0] > 0, progress=lambda *what: told.append(what), coefficients=n < 100)
    assert verdict.kind == "complete"
    phases = list(dict.fromkeys(phase for phase, _, _ in told))
    assert phases[:3] == ["reading the rows", "seeking a hyperplane", "measuring the margins"]
    assert phases[-2:] == ["hashing the rows", "checking the proof"]
    assert ("working out the coefficients" in phases) == (n < 100)
    assert all(0 <= seen <= of == n for _, seen, of in told)
    assert ("reading the rows", n, n) in told
    silent = rb.separability(X, X[:, 0] > 0, coefficients=n < 100)
    assert silent.certificate.content == verdict.certificate.content


def test_progress_may_end_it() -> None:
    def enough(phase: str, seen: int, of: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rb.separability([[0.0], [1.0]], [0, 1], progress=enough)
