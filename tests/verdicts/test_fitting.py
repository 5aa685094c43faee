"""Overlap proved by a fit in floats: never of rows that do not overlap, and nearly always of those that do."""

import pickle
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from flint import fmpq, fmpq_mat
from hypothesis import settings

import rosenblatt as rb
from rosenblatt.data.numbers import exact_rows, named_rows
from rosenblatt.verdicts import checker
from rosenblatt.verdicts.points import Points
from rosenblatt.verdicts.search import columns, prove_on_clear_columns, search
from rosenblatt.verdicts.search.fitting import Fit, Fitted

SOAK = settings.default.max_examples > 1000
TABLES = 12_000 if SOAK else 1_200

Table = tuple[np.ndarray, np.ndarray, bool]  # rows, labels, intercept


def points_of(X: object, y: np.ndarray, bias: bool = True) -> Points:
    return Points(exact_rows(named_rows(X)[1]), np.where(y > 0, 1, -1).astype(np.int8), bias)


def fitted(points: Points) -> Fitted | None:
    """What the fit alone proves."""
    fit = Fit.of(points)
    found = (step.weights for step in (fit.steps() if fit is not None else ()))
    weights = next((one for one in found if one is not None), None)
    return None if weights is None else Fitted(points, np.arange(points.n), weights)


# -- tables that do not overlap, by construction: there is a w that no row is on the wrong side of


def touching(rng: np.random.Generator, k: np.ndarray, bias: bool) -> tuple[np.ndarray, np.ndarray]:
    """(k, labels): rows that touch a hyperplane or come near it, none beyond it. k is changed to have such rows."""
    n, p = k.shape
    w = rng.integers(-3, 4, size=p)
    w[rng.integers(p)] = 1
    pivot = int(np.flatnonzero(np.abs(w) == 1)[0])
    s = k.astype(object) @ w.astype(object)
    at = int(sorted(s.tolist())[n // 2]) if bias else 0
    # how far rows are from the plane, in units: many are on it or just beside it, and there both classes are
    far = rng.choice([0, 0, 1, 1, 2, 5, 1000], size=n)
    near = rng.random(n) < rng.choice([0.05, 0.3, 1.0])
    y = np.where(np.array([int(one) > at for one in s]), 1, -1)
    k = k.astype(object)
    k[near, pivot] += ((at - s[near]) + (far * y)[near]) * int(w[pivot])
    s = k @ w.astype(object) - at
    y = np.array([int(np.sign(one)) or int(rng.choice([-1, 1])) for one in s.tolist()])
    return k, y


def offset_decimals(rng: np.random.Generator) -> Table:
    """Decimals far from zero, 10⁸ + k·10⁻⁶: their floats are farther apart than the rows are from the plane."""
    n, p = int(rng.integers(4, 40)), int(rng.integers(1, 5))
    k, y = touching(rng, rng.integers(-50, 51, size=(n, p)), True)
    places = int(rng.integers(3, 7))
    X = np.array([[float(f"{10 ** (14 - places)}.{0:0{places}d}") for _ in range(p)] for _ in range(n)])
    for i in range(n):
        for j in range(p):
            X[i, j] = float(Fraction(10 ** (14 - places)) + Fraction(int(k[i, j]), 10**places))
    return X, y, True


def decimals(rng: np.random.Generator) -> Table:
    """Short decimals, with and without an intercept."""
    n, p, bias = int(rng.integers(4, 60)), int(rng.integers(1, 6)), bool(rng.integers(2))
    k, y = touching(rng, rng.integers(-999, 1000, size=(n, p)), bias)
    places = int(rng.integers(1, 5))
    return np.array([[float(Fraction(int(v), 10**places)) for v in row] for row in k]), y, bias


def thin(rng: np.random.Generator) -> Table:
    """Full floats: hulls that touch, or are the last bit apart."""
    n, p, bias = int(rng.integers(4, 40)), int(rng.integers(1, 5)), bool(rng.integers(2))
    k, y = touching(rng, rng.integers(-(2**44), 2**44, size=(n, p)), bias)
    return k.astype(np.float64) * 2.0**-20, y, bias


def scales(rng: np.random.Generator) -> Table:
    """Columns in units of 10⁻⁸ to 10⁸, powers of two near them so that nothing is rounded."""
    X, y, bias = thin(rng)
    return X * 2.0 ** rng.choice([-27, -13, 0, 13, 27], size=X.shape[1]), y, bias


def duplicates(rng: np.random.Generator) -> Table:
    """Separable rows; some points are there twice, once with each label, and many as they are."""
    X, y, bias = decimals(rng)
    twice = rng.integers(len(X), size=int(rng.integers(1, len(X))))
    X, y = np.vstack([X, X[twice]]), np.concatenate([y, y[twice]])
    return X, y, bias


def factors(rng: np.random.Generator) -> Table:
    """One or two factors, with all levels, beside noise; one level at least is of one class."""
    n, levels = int(rng.integers(20, 120)), int(rng.integers(2, 7))
    f, g = rng.integers(levels, size=n), rng.integers(levels, size=n)
    y = rng.choice([-1, 1], size=n)
    y[f == 0] = 1
    f[0] = 0
    y[0] = 1
    noise = rng.normal(size=(n, int(rng.integers(0, 3)))).round(2)
    return np.hstack([np.eye(levels)[f], np.eye(levels)[g], noise]), y, bool(rng.integers(2))


def calculated(rng: np.random.Generator) -> Table:
    """Columns beside sums of them, and beside what is nearly a copy."""
    X, y, bias = decimals(rng)
    w = rng.normal(size=X.shape[1])
    near = X[:, :1] * 2.54 if rng.integers(2) else (X @ w)[:, None]
    return np.hstack([X, X.sum(axis=1, keepdims=True).round(4), near]), y, bias


def barely(rng: np.random.Generator) -> Table:
    """Separable by one unit in the last place, in more columns."""
    n, p = int(rng.integers(30, 120)), int(rng.integers(5, 15))
    k, y = touching(rng, rng.integers(-(10**6), 10**6, size=(n, p)), True)
    return k.astype(np.float64), y, True


def stairs(rng: np.random.Generator) -> Table:
    """The first coordinate other than zero decides, after a change of coordinates; a row of each class is zero."""
    p = int(rng.integers(2, 7))
    n = 12 * p
    lead = rng.integers(0, p, size=n)
    X = rng.integers(-9, 10, size=(n, p)).astype(float)
    X[np.arange(p) < lead[:, None]] = 0.0
    X[np.arange(n), lead] = rng.choice([-1.0, 1.0], size=n)
    y = X[np.arange(n), lead].astype(int)
    mixing = np.tril(rng.integers(-3, 4, size=(p, p)), -1) + np.eye(p)
    return np.vstack([X @ mixing, np.zeros((2, p))]), np.append(y, [1, -1]), bool(rng.integers(2))


def leaning(rng: np.random.Generator) -> Table:
    """Whole numbers, and columns that are sums of them but for a few units: the least eigenvalue is tiny."""
    n, p, bias = int(rng.integers(20, 200)), int(rng.integers(2, 6)), bool(rng.integers(2))
    k, y = touching(rng, rng.integers(-(10**6), 10**6, size=(n, p)), bias)
    sums = k @ rng.integers(-9, 10, size=(p, int(rng.integers(1, 4)))).astype(object)
    return np.hstack([k, sums + rng.integers(-2, 3, size=sums.shape)]).astype(np.float64), y, bias


ADVERSARIES: list[Callable[[np.random.Generator], Table]] = [
    offset_decimals, decimals, thin, scales, duplicates, factors, calculated, barely, stairs, leaning,
]  # fmt: skip


@pytest.mark.parametrize("adversary", ADVERSARIES)
def test_nothing_false_is_proved(adversary: Callable[[np.random.Generator], Table]) -> None:
    for seed in range(TABLES // len(ADVERSARIES) + 1):
        X, y, bias = adversary(np.random.default_rng(seed))
        if seed % 4 == 3:
            X = sp.csr_matrix(X)
        assert fitted(points_of(X, y, bias)) is None, f"{adversary.__name__}, seed {seed}"


@pytest.mark.parametrize("adversary", ADVERSARIES)
def test_all_ways_through_agree(
    adversary: Callable[[np.random.Generator], Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The verdict with a certificate is the oracle; the same table as a large one is decided by floats where it can."""
    for seed in range(TABLES // 40):
        X, y, bias = adversary(np.random.default_rng(10**6 + seed))
        kind = rb.separability(X, y, bias, margin=False).kind
        with monkeypatch.context() as patch:
            patch.setattr(search, "_FEW_WEIGHTS", 0)
            proof = prove_on_clear_columns(points_of(X, y, bias), floats=True)
        assert proof.kind == kind, f"{adversary.__name__}, seed {seed}"


# -- verdicts


def large(quasi: bool = False, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A table whose certificate would take longer than its verdict."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(320, 120)).round(2), rng.integers(0, 2, size=320)
    if quasi:
        X[:, 0] = np.where(np.arange(320) < 9, 1.0, 0.0)
        y[:9] = 1
    return X, y


@pytest.mark.parametrize("quasi", [False, True])
def test_a_certificate_is_written_when_it_is_read(quasi: bool) -> None:
    X, y = large(quasi)
    verdict = rb.separability(X, y)
    assert verdict.kind == ("quasi" if quasi else "overlap")
    assert verdict.proof == "floats"
    assert str(verdict).startswith(f"{verdict.sentence}  proved in verified floats")
    assert verdict.rows["plane"].tolist() == list(range(9 if quasi else 0, 320))
    assert verdict.certificate.head["w"] if quasi else "w" not in verdict.certificate.head
    restored = pickle.loads(pickle.dumps(verdict))
    assert restored.proof == "floats"
    with pytest.raises(ValueError, match="not written before the verdict was pickled"):
        restored.certificate.verify(X, y)
    assert verdict.certificate.verify(X, y).startswith(verdict.kind)
    rows = X.tolist()
    assert checker.check(verdict.certificate.content, rows, np.where(y > 0, 1, -1).tolist()).startswith(verdict.kind)
    assert verdict.proof == "certificate"
    assert str(verdict).startswith(f"{verdict.sentence}  proved\n")
    assert pickle.loads(pickle.dumps(verdict)).certificate.verify(X, y).startswith(verdict.kind)


def test_what_stands_in_the_way_of_a_certificate() -> None:
    X, y = large()
    verdict = rb.separability(X, y)
    X[3, 4] += 1.0
    with pytest.raises(ValueError, match="the rows have changed since they were decided"):
        verdict.certificate.save("never.json")
    short = rb.separability(*rng_table(900, 400), time_limit=1.0)
    if short.proof == "floats":  # on a busy machine the verdict alone may take as long
        with pytest.raises(ValueError, match="the certificate was not written: the time limit was reached"):
            short.certificate.save("never.json")


def rng_table(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    return rng.normal(size=(n, p)), rng.integers(0, 2, size=n)


def test_small_tables_and_coefficients_have_their_certificate_at_once() -> None:
    assert rb.separability(*rng_table(100, 20)).proof == "certificate"
    assert (
        rb.separability(*large(), coefficients=True).proof == "floats"
    )  # what the rows respond to is known from the fit
    assert rb.separability([[0.0], [1.0]], [0, 1]).proof == "certificate"


def dependent(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Factors with all their levels, totals, a constant, a column far from zero, nearly a copy."""
    f, g, x = rng.integers(4, size=90), rng.integers(3, size=90), rng.normal(size=(90, 4)).round(2)
    parts = [np.eye(4)[f], np.eye(3)[g], x, x.sum(axis=1, keepdims=True).round(2), np.full((90, 1), 7.0)]
    parts += [(2000 + rng.integers(20, size=(90, 1))).astype(float), x[:, :1] / 3]
    X = np.hstack(parts)
    return X[:, rng.permutation(X.shape[1])], rng.integers(0, 2, size=90)


def test_a_fit_tells_the_fates_of_all_coefficients(monkeypatch: pytest.MonkeyPatch) -> None:
    told = 0
    for seed in range(200 if SOAK else 30):
        X, y = dependent(np.random.default_rng(seed))
        bias, rows = bool(seed % 2), sp.csr_matrix(X) if seed % 3 == 2 else X
        slow = rb.separability(X, y, bias, margin=False, coefficients=True)
        with monkeypatch.context() as patch:
            patch.setattr(search, "_FEW_WEIGHTS", 0)
            patch.setattr(columns, "is_small", lambda points: False)
            fast = rb.separability(rows, y, bias, margin=False, coefficients=True)
            assert [(one.name, one.kind) for one in fast.coefficients] == [(o.name, o.kind) for o in slow.coefficients]
            told += fast.proof == "floats"
            assert fast.certificate.verify(rows, y).startswith(slow.kind)
        assert len(fast.certificate.content["coefficients"]["each"]) == X.shape[1] + bias
    assert told >= 15


def test_sparse_rows_with_a_pure_level() -> None:
    rng = np.random.default_rng(0)
    levels = np.column_stack([rng.integers(200, size=9000) + 200 * k for k in range(2)])
    y = rng.integers(0, 2, size=9000)
    y[levels[:, 0] == 7] = 1
    X = sp.csr_matrix((np.ones(18000), levels.ravel(), np.arange(0, 18001, 2)), shape=(9000, 400))
    verdict = rb.separability(X, y)
    assert (verdict.kind, verdict.proof) == ("quasi", "floats")
    assert np.array_equal(verdict.rows["strict"], np.flatnonzero(levels[:, 0] == 7))
    assert verdict.certificate.verify(X, y).startswith("quasi")


def test_rows_of_many_zeros_are_hashed_when_the_certificate_is_read() -> None:
    X, y = levels_written_out()
    verdict, changed, labelled = (rb.separability(X, y, margin=False) for _ in range(3))
    assert (verdict.kind, verdict.proof) == ("quasi", "floats")
    assert "data_sha256" not in verdict.certificate.head
    assert verdict.certificate.verify(X, y).startswith("quasi")
    assert verdict.certificate.head["data_sha256"] == verdict.certificate.content["data_sha256"]
    dense = rb.separability(X[:, :40], y, margin=False)  # of these no zeros are left out
    assert "data_sha256" in dense.certificate.head
    X[17, 3] += 1.0  # a zero, or a one
    with pytest.raises(ValueError, match="the rows have changed since they were decided"):
        changed.certificate.save("never.json")
    X[17, 3] -= 1.0
    y[:] = 0
    assert labelled.certificate.content["verdict"] == "quasi"  # labels are kept as they were
    with pytest.raises(ValueError, match="another hash"):
        labelled.certificate.verify(X, np.arange(len(y)) % 2)


def levels_written_out() -> tuple[np.ndarray, np.ndarray]:
    """A factor of 160 levels in 0 and 1, the rows of one all of one class, beside a column of few numbers."""
    rng = np.random.default_rng(4)
    level = rng.integers(160, size=1600)
    y = rng.integers(0, 2, size=1600)
    y[level == 159] = 1
    return np.column_stack([np.eye(160)[level], rng.integers(3, size=1600)]), y


# -- tables that overlap


def proved_exactly(found: Fitted) -> bool:
    """The proof as its page has it, in fractions: λ − Z(ZᵀZ)⁺Zᵀλ is positive, and vanishes."""
    points, d = found.points, found.points.d
    whole, units = points.integers_by_row(np.arange(points.n))
    Z = [[Fraction(int(v)) * unit for v in row] for row, unit in zip(whole, units, strict=True)]
    lengths = [Fraction(float(v)) for v in points.lengths]
    Z = [[v / length for v in row] for row, length in zip(Z, lengths, strict=True)]
    columns = list[int]()
    for j in range(d):  # independent ones
        with_it = fmpq_mat(points.n, len(columns) + 1, [_q(row[k]) for row in Z for k in [*columns, j]])
        columns += [j] if with_it.rank() > len(columns) else []
    G = fmpq_mat(len(columns), len(columns), [_q(sum(r[a] * r[b] for r in Z)) for a in columns for b in columns])
    weights = [Fraction(float(v)) for v in found.weights]
    right = fmpq_mat(len(columns), 1, [_q(sum(m * r[a] for m, r in zip(weights, Z, strict=True))) for a in columns])
    x = [Fraction(int(v.p), int(v.q)) for v in G.solve(right).entries()]
    changed = [m - sum(v * row[j] for v, j in zip(x, columns, strict=True)) for m, row in zip(weights, Z, strict=True)]
    vanishes = not any(sum(m * row[j] for m, row in zip(changed, Z, strict=True)) for j in range(d))
    return vanishes and min(changed) > 0


def _q(value: Fraction | int) -> fmpq:
    value = Fraction(value)
    return fmpq(value.numerator, value.denominator)


@pytest.mark.parametrize("seed", range(60 if SOAK else 12))
def test_the_proof_is_what_its_page_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(12, 30)), int(rng.integers(1, 4))
    X, y = rng.normal(size=(n, p)), np.where(np.arange(n) % 2, 1, -1)
    X = X.round(3) if seed % 3 else X
    X = np.hstack([X, (1 - X[:, :1]).round(3)]) if seed % 3 == 1 else X
    found = fitted(points_of(X, y))
    assert found is not None or rb.separability(X, y).kind != "overlap"
    assert found is None or proved_exactly(found)


def test_overlap_is_proved_nearly_always() -> None:
    proved = overlaps = 0
    for seed in range(200 if SOAK else 40):
        rng = np.random.default_rng(seed)
        d = int(rng.choice([5, 20, 50]))
        X, y = rng.normal(size=(int(d * rng.uniform(1.8, 3)), d)), rng.choice([-1, 1], d * 3)
        y = y[: len(X)]
        found = fitted(points_of(X, y)) is not None
        overlap = rb.separability(X, y, margin=False).kind == "overlap"
        assert overlap or not found
        proved, overlaps = proved + found, overlaps + overlap
    assert proved >= 0.95 * overlaps > 0


def test_where_floats_cannot_write_a_mixture_out_small_tables_are_searched() -> None:
    """Floats prove overlap; their linear program for the mixture fails, as columns have sizes from 10⁻⁹ to 10¹²."""
    X = [["-9.882858686191025e-09", "14e-3"], ["0.5", "-14e0"], ["1.0521434971446253", "-19e0"]]
    X += [["0.3333333333333333", "0e0"], ["0.5", "0e5"], ["-1.4471128112139449", "-4e12"]]
    rows = [[float(v) for v in row] for row in X]
    verdict = rb.existence(rows, ["a", "b", "c", "c", "a", "a"], "multinomial", coefficients=True)
    assert verdict.kind != "unknown", verdict.reason
    for seed in range(400 if SOAK else 60):
        rng = np.random.default_rng(seed)
        n, p = int(rng.integers(5, 12)), int(rng.integers(1, 5))
        Z = rng.normal(size=(n, p)) * 10.0 ** rng.integers(-12, 13, size=(n, p))
        y = rng.choice([-1, 1], size=n)
        assert rb.separability(Z, y, bool(seed % 2), margin=False).kind != "unknown", seed
