"""Newton's method and the proved gap, against scikit-learn and against Newton in fifty digits."""

from typing import Any, NamedTuple

import mpmath as mp
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from rosenblatt.data.numbers.rows import Rows, as_rows
from rosenblatt.minimise import Columns, LogisticLoss, Newton, SquaredLoss, positive_solution
from rosenblatt.minimise.directions import dependent_columns, exact_signs
from rosenblatt.minimise.gap import decrement


def noisy(seed: int, n: int = 12, p: int = 2, classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Rows whose classes overlap: each occurs twice, with different labels."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)).round(2)
    scores = X @ rng.normal(size=(p, classes)) + rng.gumbel(size=(n, classes))
    y = scores.argmax(axis=1)
    X = np.vstack([X, *[X[: 2 * p + 2]] * (classes - 1)])
    more = [(y[: 2 * p + 2] + k) % classes for k in range(1, classes)]
    return X, np.concatenate([y, *more])


class Fit(NamedTuple):
    w: np.ndarray
    loss: float
    gap: float | None
    iterations: int


def fit_logistic(
    rows: Rows,
    y: np.ndarray,
    c: Any = None,
    bias: bool = True,
    classes: int = 2,
    regularizer: float = 0.0,
    offset: Any = None,
) -> Fit:
    """Newton's method from zero to its end."""
    codes = np.where(y > 0, 0, 1) if classes == 2 else y
    loss = LogisticLoss(Columns.of(rows, bias), codes, classes, c, regularizer, offset)
    newton = Newton(loss)
    point, steps, last = newton.begin(np.zeros((loss.M, loss.columns.d))), 0, False
    while not last and steps < 100:
        point, _, _, last = newton.step(point)
        steps += 1
    return Fit(point.W, point.loss, loss.proved(point.W)[1], steps)


def true_loss(X: np.ndarray, codes: np.ndarray, W: Any, c: np.ndarray, delta: float, bias: bool, offset: Any) -> Any:
    """The loss in fifty digits: class k responds with W_k·z, the last with 0."""
    total = mp.mpf(0)
    for x, code, weight, extra in zip(X, codes, c, offset, strict=True):
        z = [mp.mpf(float(v)) for v in x] + ([mp.mpf(1)] if bias else [])
        s = [mp.fsum(a * b for a, b in zip(z, w, strict=True)) + mp.mpf(float(extra)) for w in W] + [mp.mpf(0)]
        total += mp.mpf(float(weight)) * (mp.log(mp.fsum(mp.exp(v) for v in s)) - s[code])
    p, full = X.shape[1], [*W, [mp.mpf(0)] * len(W[0])]
    means = [mp.fsum(w[j] for w in full) / len(full) for j in range(p)] if len(W) > 1 else [mp.mpf(0)] * p
    return total + mp.mpf(delta) / 2 * mp.fsum(
        (w[j] - means[j]) ** 2 for w in (full if len(W) > 1 else W) for j in range(p)
    )


def true_minimum(X: np.ndarray, y: np.ndarray, c: np.ndarray, delta: float, bias: bool, offset: Any) -> Any:
    """Two classes, Newton in fifty digits from zero with halving."""
    d = X.shape[1] + bias
    Z = mp.matrix([[float(v) for v in x] + ([1] if bias else []) for x in X])
    codes, w = np.where(y > 0, 0, 1), mp.matrix(d, 1)
    D = mp.diag([delta] * X.shape[1] + ([0] if bias else []))
    value = true_loss(X, codes, [list(w)], c, delta, bias, offset)
    for _ in range(200):
        g, H = D * w, D.copy()
        for i in range(len(X)):
            z = Z[i, :].T
            q = 1 / (1 + mp.exp(-((z.T * w)[0] + mp.mpf(float(offset[i])))))
            g += z * (mp.mpf(float(c[i])) * (q - (1 if y[i] > 0 else 0)))
            H += (z * z.T) * (mp.mpf(float(c[i])) * q * (1 - q))
        step = mp.lu_solve(H, -g)
        t = mp.mpf(1)
        while (new := true_loss(X, codes, [list(w + t * step)], c, delta, bias, offset)) > value and t > 1e-20:
            t /= 2
        if value - new < mp.mpf(10) ** -45:
            return min(value, new)
        w, value = w + t * step, new
    raise AssertionError("the oracle did not converge")


@settings(max_examples=12, phases=[Phase.explicit, Phase.generate])
@given(
    st.integers(0, 9999),
    st.sampled_from([0.0, 1e-3, 2.0]),
    st.booleans(),
    st.sampled_from([1.0, 1e8, 1e-8]),
    st.sampled_from([0.0, 1e4]),
    st.sampled_from([0.0, 1e-9, 1e-4, 1e-2]),
)
def test_the_gap_is_a_bound(seed: int, delta: float, bias: bool, scale: float, far: float, off: float) -> None:
    X, codes = noisy(seed)
    X, y = (X + far * bias) * scale, np.where(codes == 0, 1, -1)
    rng = np.random.default_rng(seed)
    c, offset = rng.choice([0.5, 1.0, 3.0], size=len(y)), rng.normal(size=len(y)).round(1)
    delta *= scale**2
    fit = fit_logistic(as_rows(X), y, c, bias, regularizer=delta, offset=offset)
    loss = LogisticLoss(Columns.of(as_rows(X), bias), np.where(y > 0, 0, 1), 2, c, delta, offset)
    W = fit.w * (1 + off * rng.normal(size=fit.w.shape)) if not far else fit.w
    with mp.workdps(50):
        lowest = true_minimum(X, y, c, delta, bias, offset)
        truth = true_loss(X, loss.codes, [[mp.mpf(float(v)) for v in W[0]]], c, delta, bias, offset) - lowest
    gap = loss.gap(loss.at(W))
    assert fit.gap is not None
    assert fit.gap < 1e-12 * loss.scale
    if gap is None:
        assert off >= 1e-4
        return
    assert truth <= gap
    assert gap <= 4 * float(truth) + 1e-15 * (1 + far) ** 2 * loss.scale  # and not much more than the truth


@settings(max_examples=6, phases=[Phase.explicit, Phase.generate])
@given(st.integers(0, 9999), st.sampled_from([0.0, 1.0]), st.sampled_from([1e-7, 1e-2]))
def test_the_gap_of_many_classes_is_a_bound(seed: int, delta: float, off: float) -> None:
    X, codes = noisy(seed, classes=3)
    fit = fit_logistic(as_rows(X), codes, classes=3, regularizer=delta)
    assert fit.gap is not None
    assert fit.gap < 1e-13 * len(X)
    loss = LogisticLoss(Columns.of(as_rows(X), True), codes, 3, None, delta)
    W = fit.w + off * np.random.default_rng(seed).normal(size=fit.w.shape)
    gap = loss.gap(loss.at(W))
    ones, none = np.ones(len(X)), np.zeros(len(X))
    with mp.workdps(40):
        near, best = (
            true_loss(X, codes, [[mp.mpf(float(v)) for v in w] for w in one], ones, delta, True, none)
            for one in (W, fit.w)
        )
    assert gap is not None
    assert near - best <= gap <= 4 * (near - best) + 1e-12


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("C", [np.inf, 0.3])
@pytest.mark.parametrize("sparse", [False, True])
def test_weights_are_scikit_learns(classes: int, C: float, sparse: bool) -> None:
    X, y = noisy(1, n=300, p=4, classes=classes)
    theirs = LogisticRegression(C=C, tol=1e-12, max_iter=10_000).fit(X, y)
    rows = as_rows(sp.csr_array(X) if sparse else X)
    delta = 0.0 if np.isinf(C) else 1 / C
    fit = fit_logistic(rows, y if classes > 2 else 2 * y - 1, classes=classes, regularizer=delta)
    coef, intercept = theirs.coef_, theirs.intercept_
    if classes > 2:
        coef, intercept = coef[:-1] - coef[-1], intercept[:-1] - intercept[-1]
    assert np.allclose(fit.w[:, :-1], coef, atol=1e-5)
    assert np.allclose(fit.w[:, -1], intercept, atol=1e-5)


@pytest.mark.parametrize("scales", [(1.0, 1.0, 1.0), (1e6, 1e-3, 1e9)])
def test_units_do_not_matter(scales: tuple[float, ...]) -> None:
    X, y = noisy(5, p=3)
    plain, other = (
        fit_logistic(as_rows(A), 2 * y - 1) for A in (X, X * np.ldexp(1.0, np.rint(np.log2(scales)).astype(int)))
    )
    assert plain.iterations == other.iterations
    assert plain.loss == pytest.approx(other.loss, rel=1e-15)


def test_more_weights_than_a_matrix_is_made_for(monkeypatch: pytest.MonkeyPatch) -> None:
    from rosenblatt.minimise import losses

    X, y = noisy(2, n=200, p=6, classes=3)
    for delta in (0.0, 0.5):
        direct = fit_logistic(as_rows(X), y, classes=3, regularizer=delta)
        monkeypatch.setattr(losses, "LARGEST", 0)
        for data in (X, sp.csr_array(X)):
            passes = fit_logistic(as_rows(data), y, classes=3, regularizer=delta)
            assert (passes.gap is None) == (delta == 0.0)  # without a matrix it is the ridge that proves it
            assert np.allclose(passes.w, direct.w, atol=1e-2)
        monkeypatch.undo()


@given(st.integers(0, 9999), st.integers(1, 6), st.sampled_from([1.0, 1e-3, 1e-6]))
def test_the_decrement_bounds_every_matrix_and_gradient_in_doubt(seed: int, m: int, thin: float) -> None:
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(m + 3, m)) * np.append(np.ones(m - 1), thin)
    A, g, doubt = B.T @ B, rng.normal(size=m), np.full(m, 1e-6)
    found = decrement(A, g, 1e-12, doubt)
    assert found is not None
    truth = [true @ np.linalg.solve(A, true) for true in (g, g + doubt, g - doubt)]
    assert max(truth) * (1 - 1e-9) <= found.Q <= 1.2 * max(truth) + 1e-3
    assert found.reach * (1 + 1e-9) >= np.abs(np.linalg.solve(A, g)).sum() / np.sqrt(m)
    assert decrement(A - 2 * np.eye(m) * np.linalg.eigvalsh(A)[0], g, 1e-12, doubt) is None  # not positive


def test_squared_loss_gap_is_the_distance() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)) * [1e6, 1, 1e-6] + [0, 1e4, 0], np.where(rng.random(40) < 0.5, 1, -1)
    Z = np.column_stack([X, np.ones(40)])
    loss = SquaredLoss(Columns.of(as_rows(X), True))
    best = np.linalg.lstsq(Z / np.linalg.norm(Z, axis=0), y)[0] / np.linalg.norm(Z, axis=0)
    for off in (0.0, 1e-3, 10.0):
        w = best * (1 + off)
        truth = loss.at(w, y) - loss.at(best, y)
        gap = loss.gap(w, y)
        assert gap is not None
        assert truth - 1e-12 <= gap <= truth * (1 + 1e-5) + 1e-9


def test_dependent_columns_are_found_and_proved() -> None:
    rng = np.random.default_rng(0)
    a, k = rng.normal(size=30), rng.integers(0, 3, size=30)
    factor = np.eye(3)[k]
    scaled = (factor - factor.mean(axis=0)) / factor.std(axis=0)
    for X, count, exact in (
        (np.column_stack([a, factor]), 1, True),
        (np.column_stack([a, a * 4, np.full(30, 7.0), np.zeros(30)]), 3, True),
        (np.column_stack([a, scaled]), 1, True),  # no float64 vector says how, but whole numbers do
        (np.column_stack([a, np.sin(a), a + np.sin(a)]), 1, False),  # only up to rounding
        (np.column_stack([a, a**2]), 0, True),
    ):
        found = dependent_columns(Columns.of(as_rows(X), True), np.ones(30, dtype=bool))
        assert (len(found.dropped), found.exact) == (count, exact)


def test_exact_signs_leave_absent_rows_out() -> None:
    columns = Columns.of(as_rows(np.array([[1.0], [-1.0], [1e-300]])), False)
    present = np.array([True, False, True])
    assert exact_signs(columns, present, np.array([1e-200])).tolist() == [1, 0, 1]


@pytest.mark.parametrize("seed", range(8))
def test_levels_of_factors_are_eliminated_first(seed: int) -> None:
    """One factor and numbers, two factors, and numbers alone, against NumPy."""
    rng = np.random.default_rng(seed)
    n, k = 900, int(rng.integers(150, 300))
    one, other, numbers = (
        np.eye(k)[rng.integers(k, size=n)],
        np.eye(60)[rng.integers(60, size=n)],
        rng.normal(size=(n, 4)),
    )
    Z = np.hstack([[one, numbers], [one, other], [numbers, rng.normal(size=(n, 220))], [one]][seed % 4])
    Z = Z[:, rng.permutation(Z.shape[1])]
    A, b = Z.T @ Z + 0.1 * np.eye(Z.shape[1]), rng.normal(size=Z.shape[1])
    assert np.allclose(positive_solution(A, b), np.linalg.solve(A, b), rtol=1e-9, atol=1e-12)
    A[5, 5] = -1.0
    with pytest.raises(np.linalg.LinAlgError):
        positive_solution(A, b)
