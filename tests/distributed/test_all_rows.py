"""Least squares and Newton's method over shards: the same bits however rows are cut, and the weights of one machine."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import rosenblatt as rb
from distributed import Client
from rosenblatt.distributed.all_rows import _refuse_many
from rosenblatt.minimise import over_blocks
from tests.distributed.conftest import Inline

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(240, 3)) * [1.0, 10.0, 1e-3] + [0.0, 0.0, 5.0]
Y = (X[:, 0] + RNG.normal(size=240) > 0).astype(int)
THREE = np.array(["a", "b", "c"])[np.digitize(X[:, 0] + RNG.normal(size=240), [-0.5, 0.5])]

LEARNERS = {
    "least squares": rb.LeastSquares(),
    "ridge": rb.LeastSquares(regularizer=3.0),
    "towards least squares": rb.LeastSquares(regularizer=3.0, max_passes=3, start="random", random_state=0),
    "balanced squares": rb.LeastSquares(class_weight="balanced", fit_intercept=False),
    "logistic": rb.Logistic(),
    "logistic ridge": rb.Logistic(regularizer=1.0, start="random", random_state=1),
    "balanced logistic": rb.Logistic(class_weight="balanced"),
    "logistic without intercept": rb.Logistic(fit_intercept=False),
}


def cut(X: Any, y: Any, shards: int, order: Any = None) -> list[Any]:
    order = np.arange(len(y)) if order is None else order
    return [(X[some], y[some]) for some in np.array_split(order, shards)]


def weights(model: Any) -> np.ndarray:
    return np.append(model.coef_.ravel(), model.intercept_)


def spread(learner: Any, shards: list[Any], client: Any = None) -> np.ndarray:
    return weights(rb.distributed.fit(learner, shards, None, client or Inline()))


@pytest.mark.parametrize("y", [Y, THREE], ids=["two classes", "three"])
@pytest.mark.parametrize("name", LEARNERS)
def test_the_local_fit_to_nine_digits(name: str, y: Any) -> None:
    learner = clone(LEARNERS[name])
    local = weights(learner.fit(X, y))
    outcome, passes, mistakes = str(learner.outcome_), learner.n_passes_, learner.mistakes_per_pass_.tolist()
    several = spread(learner, cut(X, y, 4))
    assert np.allclose(several, local, rtol=1e-9, atol=0)
    assert (str(learner.outcome_), learner.n_passes_) == (outcome, passes)
    assert learner.mistakes_per_pass_.tolist() == mistakes


@pytest.mark.parametrize("name", LEARNERS)
def test_the_shards_do_not_matter(name: str) -> None:
    learner = clone(LEARNERS[name])
    one = spread(learner, cut(X, THREE, 1)).tobytes()
    outcome = repr(learner.outcome_)
    for shards, order in ((2, None), (9, RNG.permutation(240)), (5, np.argsort(THREE))):
        assert spread(learner, cut(X, THREE, shards, order)).tobytes() == one
        assert repr(learner.outcome_) == outcome


@pytest.mark.parametrize("learner", [rb.LeastSquares(), rb.Logistic()], ids=["squares", "logistic"])
def test_the_workers_do_not_matter(learner: Any, client: Client) -> None:
    chunks = da.from_array(X, chunks=(50, -1)), da.from_array(Y, chunks=50)
    two = weights(rb.distributed.fit(learner, *chunks, client))
    assert two.tobytes() == spread(learner, cut(X, Y, 1)).tobytes()


@pytest.mark.parametrize("kind", ["far", "ridge", "weights", "nearly dependent", "separable", "three", "joint"])
def test_rough_steps_far_from_the_minimum(kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Many rows are added up roughly at first: the same bits however rows are cut, or where the fit was broken off."""
    monkeypatch.setattr(over_blocks, "_MANY", 0)
    rough, added_up = list[bool](), over_blocks.BlocksLoss._added_up

    def spy(self: Any, W: Any, curvature: bool, short: bool = False) -> Any:
        rough.append(short)
        return added_up(self, W, curvature, short)

    monkeypatch.setattr(over_blocks.BlocksLoss, "_added_up", spy)
    A, y = X, THREE if kind in ("three", "joint") else Y
    if kind == "nearly dependent":
        A = np.hstack([X, 2 * X[:, :1] + 1])  # but for rounding
    if kind == "separable":
        y = (X[:, 0] > 0.1).astype(int)
    learner = rb.Logistic(
        regularizer=float(kind == "ridge"),
        multiclass="multinomial" if kind == "joint" else "ovr",
        class_weight="balanced" if kind == "weights" else None,
    )
    local = weights(learner.fit(A, y))
    outcome = str(learner.outcome_)
    one = spread(learner, cut(A, y, 1))
    assert str(learner.outcome_) == outcome
    assert (rough[0], rough[-1]) == (True, False)  # what is proved is exact
    assert np.allclose(one, local, rtol=1e-9, atol=1e-15) or outcome == "RECEDING"
    steps = learner.n_passes_
    for shards, order in ((2, None), (9, RNG.permutation(240))):
        assert spread(learner, cut(A, y, shards, order)).tobytes() == one.tobytes()
    file = tmp_path / "fit.checkpoint"
    for passes in (2, steps - 2):
        part = clone(learner).set_params(max_passes=passes)
        went_on = rb.distributed.fit(part, cut(A, y, 3), None, Inline(), checkpoint=file)
    went_on = rb.distributed.fit(clone(learner), cut(A, y, 3), None, Inline(), checkpoint=file)
    assert weights(went_on).tobytes() == one.tobytes()


def solved(A: list[list[Fraction]], b: list[Fraction]) -> list[Fraction]:
    """Gauss and Jordan."""
    rows = [[*row, right] for row, right in zip(A, b, strict=True)]
    for k in range(len(rows)):
        pivot = next(i for i in range(k, len(rows)) if rows[i][k])
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [v / rows[k][k] for v in rows[k]]
        for i in range(len(rows)):
            if i != k:
                rows[i] = [a - rows[i][k] * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]


@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.5, 1e-3]), st.booleans())
def test_least_squares_are_the_exact_solution_rounded_once(seed: int, delta: float, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(12, 2)) * 10.0 ** rng.integers(-3, 4, 2)
    y, c = rng.choice([-1, 1], 12), rng.choice([0.1, 1.0, 3.0], 12)
    y[:2], c = (-1, 1), c if weighted else np.ones(12)
    shards = [(A[i::3], y[i::3], *([c[i::3]] if weighted else [])) for i in range(3)]
    found = spread(rb.LeastSquares(regularizer=delta), shards)
    Z = [[*map(Fraction, row), Fraction(1)] for row in A.tolist()]
    C = [Fraction(v) for v in c.tolist()]
    G = [[sum(w * z[i] * z[j] for w, z in zip(C, Z, strict=True)) + (Fraction(delta) if i == j < 2 else 0)
          for j in range(3)] for i in range(3)]  # fmt: skip
    right = [sum(w * int(s) * z[i] for w, s, z in zip(C, y, Z, strict=True)) for i in range(3)]
    assert found.tolist() == [float(v) for v in solved(G, right)]


@given(st.integers(0, 10**6), st.integers(1, 4))
def test_newton_ends_where_the_gradient_is_zero_or_nowhere(seed: int, shards: int) -> None:
    rng = np.random.default_rng(seed)
    A, y = rng.integers(-2, 3, (10, 2)).astype(float), rng.choice([-1, 1], 10)
    y[:2] = -1, 1
    model = rb.Logistic()
    w = spread(model, cut(A, y, shards))
    z = y[:, None] * np.column_stack([A, np.ones(10)])
    verdict = rb.separability(A, y, margin=False).kind
    assert (model.outcome_ == "CONVERGED") == (verdict == "overlap")
    if verdict == "overlap":
        assert np.abs(z.T @ (1 / (1 + np.exp(z @ w)))).max() < 1e-9
    else:
        assert model.outcome_ == "RECEDING"
        v = np.append(model.outcome_.hyperplane.w, model.outcome_.hyperplane.b)
        agreements = [sum(Fraction(a) * Fraction(b) for a, b in zip(row, v, strict=True)) for row in z]
        assert min(agreements) >= 0 < max(agreements)


@pytest.mark.parametrize("kind", ["sparse", "dependent", "nearly dependent", "separable", "a zero column"])
def test_hard_columns(kind: str) -> None:
    A, y = X, Y
    if kind == "sparse":
        A = sp.csr_matrix(np.where(np.abs(X) > 1, X, 0.0)[:, [0, 1]])
    elif kind == "dependent":
        A = np.hstack([X, 2 * X[:, :1]])
    elif kind == "nearly dependent":
        A = np.hstack([X, 2 * X[:, :1] + 1])  # but for rounding
    elif kind == "a zero column":
        A = np.hstack([X, np.zeros((240, 1))])
    else:
        y = (X[:, 0] > 0.1).astype(int)
    for learner in (rb.LeastSquares(), rb.Logistic()):
        local = weights(learner.fit(A, y))
        told = repr(learner.outcome_)
        found = spread(learner, cut(A, y, 3))
        assert np.allclose(found, local, rtol=1e-9, atol=1e-15)
        assert repr(learner.outcome_).split(";")[0] == told.split(";")[0]
        assert ("combination" in repr(learner.outcome_)) == ("combination" in told)


def test_three_classes_apart_recede() -> None:
    A = np.array([[9.0, 0.0], [0.0, 9.0], [-9.0, -9.0]])[np.arange(30) % 3] + RNG.normal(size=(30, 2))
    model = rb.Logistic()
    rb.distributed.fit(model, cut(A, np.arange(30) % 3, 3), None, Inline())
    assert model.outcome_ == "RECEDING"
    assert model.score(A, np.arange(30) % 3) == 1.0


def test_rows_of_weight_zero_are_absent() -> None:
    some = Y * 0.0 + (np.arange(240) < 200)
    for learner in (rb.LeastSquares(), rb.Logistic()):
        absent = spread(learner, [(X[s], Y[s], some[s]) for s in (slice(0, 90), slice(90, 200), slice(200, 240))])
        assert np.allclose(absent, weights(learner.fit(X[:200], Y[:200])), rtol=1e-9, atol=0)


def test_what_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"LeastSquares on a cluster adds up the squares of all weights, and 3,001 are"
    ):
        _refuse_many(rb.LeastSquares(), 3001)
    with pytest.raises(ValueError, match=r"a row weight times a value is below 1e-250"):
        rb.distributed.fit(rb.LeastSquares(), [(X, Y, np.where(Y, 1.0, 1e-300))], None, Inline())
    with pytest.raises(ValueError, match=r"mixing is for learners that correct row by row"):
        rb.distributed.fit(rb.Adaline(mode="batch"), [(X, Y)], None, Inline())
