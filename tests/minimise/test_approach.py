"""Passes in the place of matrices: the same minimum as Newton's method, and proofs that hold for the true distance."""

import mpmath as mp
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

import rosenblatt as rb
from rosenblatt.data.numbers import as_rows
from rosenblatt.minimise import Columns, LogisticLoss, Newton, column_ranges, losses
from tests.minimise.test_newton import noisy, true_loss, true_minimum


@pytest.fixture
def few_rows_stand_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(losses, "_DEAR", 0)
    monkeypatch.setattr(losses, "_PART_ROWS", 30)
    monkeypatch.setattr(losses, "_PART_TIMES", (3, 3))


@pytest.fixture
def no_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(losses, "LARGEST", 0)


def made(X: object, y: np.ndarray, classes: int, delta: float, c: np.ndarray, bias: bool = True) -> LogisticLoss:
    codes = np.where(y > 0, 0, 1) if classes == 2 else y
    return LogisticLoss(Columns.of(as_rows(X), bias), codes, classes, c, delta)


def minimum(loss: LogisticLoss) -> np.ndarray:
    """By Newton's method to its end."""
    newton, last = Newton(loss), False
    point = newton.begin(np.zeros((loss.M, loss.columns.d)))
    while not last:
        point, _, _, last = newton.step(point)
    return point.W


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 999), st.sampled_from([1e-3, 1.0, 30.0]), st.sampled_from([0.0, 1e-6, 1e-2, 1.0]), st.booleans())
def test_the_proof_without_a_matrix_holds(seed: int, delta: float, off: float, bias: bool) -> None:
    X, codes = noisy(seed, n=10, p=2)
    y, rng, none = np.where(codes == 0, 1, -1), np.random.default_rng(seed), np.zeros(len(codes))
    c = rng.integers(1, 4, size=len(X)).astype(np.float64)
    W = minimum(made(X, y, 2, delta, c, bias))
    W = W * (1 + off * rng.normal(size=W.shape))
    with mp.workdps(50):
        lowest = true_minimum(X, y, c, delta, bias, none)
        truth = true_loss(X, codes, [[mp.mpf(float(v)) for v in W[0]]], c, delta, bias, none) - lowest
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(losses, "LARGEST", 0)
        for data in (X, sp.csr_array(X)):
            _, gap = made(data, y, 2, delta, c, bias).proved(W)
            assert gap is not None or off == 1.0
            if gap is not None:
                assert truth <= gap <= 1e3 * (1 + 1 / delta) * (float(truth) + 1e-24)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 999), st.sampled_from([3, 4]), st.sampled_from([0.1, 5.0]), st.sampled_from([1e-6, 1e-3, 0.1]))
def test_the_proof_without_a_matrix_holds_for_many_classes(seed: int, classes: int, delta: float, off: float) -> None:
    X, y = noisy(seed, n=30, p=2, classes=classes)
    c = np.ones(len(X))
    loss = made(X, y, classes, delta, c)
    best = minimum(loss)
    W = best + off * np.random.default_rng(seed).normal(size=best.shape)
    true = loss.at(W).loss - loss.at(best).loss
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(losses, "LARGEST", 0)
        _, gap = loss.proved(W)
    assert gap is None or gap >= true * (1 - 1e-6) - 1e-12
    assert gap is not None or off == 0.1
    assert gap is None or gap <= 1e3 * (1 + 1 / delta) * (true + 1e-10)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("delta", [0.0, 1.0])
@pytest.mark.parametrize("scales", [(1.0, 1.0, 1.0), (1e6, 1e-3, 1e9)])
@pytest.mark.usefixtures("few_rows_stand_for_all")
def test_some_rows_stand_for_all(classes: int, delta: float, scales: tuple[float, ...]) -> None:
    X, y = noisy(3, n=2000, p=3, classes=classes)
    X = (X + np.array([0.0, 0.0, 1e4])) * np.array(scales)  # one column is far from zero
    c = np.random.default_rng(0).integers(0, 3, size=len(X)).astype(np.float64)
    for data in (X, X.astype(np.float32), sp.csr_array(X)):
        loss = made(data, y, classes, delta, c)
        assert loss.part is not None
        newton = Newton(loss)
        move, steps = newton.first(np.zeros((loss.M, loss.columns.d))), 1
        while not move.last:
            move, steps = newton.step(move.point), steps + 1
        value, gap = loss.proved(move.point.W)
        best = loss.at(minimum(loss)).loss
        if not isinstance(data, sp.csr_array):  # that is not centred: the columns are nearly dependent
            assert steps <= (1 if max(scales) == 1.0 else 5)
            assert gap is not None
            assert gap <= 1e-6 * loss.scale
        assert gap is None or value - best <= gap + 1e-9 * abs(best)


def test_which_rows_stand_for_all_does_not_follow_a_period() -> None:
    rows = np.tile(np.eye(4), (60_000, 1))  # every row with the same place modulo 4 is the same
    y = np.random.default_rng(0).integers(0, 2, size=len(rows))
    loss = LogisticLoss(Columns.of(as_rows(np.repeat(rows, 15, axis=1)), True), y)
    part = loss.part
    assert part is not None
    assert len(np.unique(part % 4)) == 4
    assert (np.diff(part) > 0).all()
    assert part.max() < len(rows)


@pytest.mark.usefixtures("no_matrix")
def test_sparse_rows_with_more_columns_than_a_matrix_has() -> None:
    rng = np.random.default_rng(0)
    X = sp.random_array((300, 500), density=0.02, format="csr", rng=rng)
    y = np.asarray(X @ rng.normal(size=500) + 0.3 * rng.normal(size=300) > 0).astype(int)
    for labels in (y, y + (rng.random(300) < 0.3)):
        model = rb.Logistic(regularizer=1.0).fit(X, labels)
        assert str(model.outcome_) in ("CONVERGED", "SEPARATED")
        assert "proved by duality" in model.outcome_.sentence
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(losses, "LARGEST", 3000)
            direct = rb.Logistic(regularizer=1.0).fit(X, labels)
        assert np.abs(model.predict_proba(X) - direct.predict_proba(X)).max() < 1e-3


@pytest.mark.usefixtures("no_matrix")
@pytest.mark.parametrize("seed", range(4))
def test_many_classes_without_a_matrix_end_with_their_proof(seed: int) -> None:
    rng = np.random.default_rng(seed)  # the biases had the larger part of the bound: a run that was near had no proof
    X = sp.random_array((800, 2000), density=0.025, format="csr", rng=rng)
    y = np.argmax(X @ rng.normal(size=(2000, 20)) + rng.gumbel(size=(800, 20)), axis=1)
    model = rb.Logistic(regularizer=1.0).fit(X, y)
    assert str(model.outcome_) == "CONVERGED"


@given(st.integers(0, 10**6))
@settings(max_examples=100, deadline=None)
def test_ranges_of_sparse_columns_are_those_of_the_array(seed: int) -> None:
    rng = np.random.default_rng(seed)
    D = np.where(rng.random((8, 5)) < 0.5, rng.integers(-3, 4, (8, 5)), 0).astype(rng.choice([np.float32, np.float64]))
    chosen = rng.random(8) < 0.6
    for rows, kept in ((D, None), (D, chosen), (D[:0], None), (D, np.zeros(8, dtype=bool))):
        sparse, whole = (column_ranges(as_rows(X), kept) for X in (sp.csr_matrix(rows), rows))
        assert [one.tolist() for one in sparse] == [one.tolist() for one in whole]
        if kept is chosen and chosen.any():
            assert whole[0].tolist() == D[chosen].min(axis=0).tolist()


def test_no_other_bits_with_other_threads() -> None:
    from threadpoolctl import threadpool_limits

    rng = np.random.default_rng(1)
    X = rng.normal(size=(60_000, 60))
    y = rng.random(len(X)) < 1 / (1 + np.exp(-X[:, 0]))
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            found.append(rb.Logistic(max_passes=1).fit(X, y).coef_)
    assert found[0].tobytes() == found[1].tobytes()


def test_separable_and_dependent_columns_go_newtons_way() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60_000, 60))
    with pytest.warns(ConvergenceWarning, match="the loss has no minimum"):
        model = rb.Logistic().fit(X, X[:, 0] > 0)
    assert str(model.outcome_) == "RECEDING"
    X[:, 1] = 2 * X[:, 0]
    y = rng.random(len(X)) < 1 / (1 + np.exp(-X[:, 0]))
    model = rb.Logistic().fit(X, y)
    assert str(model.outcome_) == "CONVERGED"
    assert model.coef_[0, 1] == pytest.approx(model.coef_[0, 0] * np.linalg.norm(X[:, 0]) / np.linalg.norm(X[:, 1]))
