"""The perceptron criterion and its descent, against fractions."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt as rb
from tests import oracles
from tests.learners.test_perceptron import quiet, small_data


@given(small_data(), st.integers(0, 2**31 - 1), st.booleans())
def test_criterion_and_gradient_are_those_of_fractions(data: Any, seed: int, bias: bool) -> None:
    X, y = data
    w = np.random.default_rng(seed).integers(-3, 4, size=X.shape[1] + bias) / 2
    value, slope = oracles.criterion(X, y, w, bias)
    for rows in (X, sp.csr_array(X), X.astype(np.float32)):
        assert Fraction(rb.theory.perceptron_criterion(rows, y, w, bias)) == value
        assert [Fraction(v) for v in rb.theory.perceptron_gradient(rows, y, w, bias).tolist()] == slope


def test_gradient_is_the_difference_quotient_where_there_is_no_corner() -> None:
    X, y = rb.datasets.margin_cloud(50, 3, 0.05, random_state=1)
    w, h = np.array([0.3, -0.2, 0.7, 0.1]), 1e-6
    E = rb.theory.perceptron_criterion
    quotients = [(E(X, y, w + h * e) - E(X, y, w - h * e)) / (2 * h) for e in np.eye(4)]
    assert np.allclose(quotients, rb.theory.perceptron_gradient(X, y, w), rtol=1e-6)


@given(small_data(), st.sampled_from([0.5, 1.0, 2.0]))
def test_batch_perceptron_descends_as_written(data: Any, eta: float) -> None:
    X, y = data
    model = quiet(rb.BatchPerceptron(eta=eta, max_passes=25), X, y)
    w, counts = [Fraction(0)] * (X.shape[1] + 1), []
    Z = np.column_stack([X, np.ones(len(X))]) * y[:, None]
    for _ in range(25):
        counts.append(sum(sum(Fraction(a) * b for a, b in zip(z, w, strict=True)) <= 0 for z in Z.tolist()))
        _, slope = oracles.criterion(X, y, [float(v) for v in w])
        w = [a - Fraction(eta) * b for a, b in zip(w, slope, strict=True)]
        if not any(slope):
            break
    assert model.mistakes_per_pass_.tolist() == counts
    assert [Fraction(float(v)) for v in np.append(model.coef_, model.intercept_)] == w
    wrong = int(np.count_nonzero(model.predict(X) != y))
    if model.outcome_ == "SEPARATED":
        assert wrong == 0
        assert counts[-1] == 0 or len(counts) == 25  # the last step allowed was the one that was missing
        assert model.outcome_.sentence == f"all {len(y)} examples are on their side after {len(counts)} steps."
    else:
        assert model.outcome_ == "BUDGET"
        plane = int(np.count_nonzero(model.decision_function(X) == 0))
        tied = f" and {plane} {'lies' if plane == 1 else 'lie'} on the hyperplane" if plane else ""
        assert f"{wrong} of {len(y)} examples are still classified wrongly{tied} after" in model.outcome_.sentence
        assert ("add up to zero" in model.outcome_.sentence) == (not any(slope))


def test_batch_perceptron_arrives_where_a_hyperplane_exists() -> None:
    for seed in range(5):
        X, y = rb.datasets.margin_cloud(80, 4, 0.1, random_state=seed)
        for start in ("zeros", "random", [5.0, -5.0, 5.0, -5.0, 50.0]):
            model = rb.BatchPerceptron(start=start, max_passes=100_000).fit(X, y)
            assert model.outcome_ == "SEPARATED"
            assert min(y[i] * oracles.exact_dot(X[i], [*model.coef_[0], *model.intercept_]) for i in range(80)) > 0


def test_xor_is_stuck_at_once_and_says_so() -> None:
    model = quiet(rb.BatchPerceptron(), *rb.datasets.xor())
    assert model.outcome_.sentence == (
        "2 of 4 examples are still classified wrongly and 4 lie on the hyperplane after 1 step: the corrections of all "
        "mistakes add up to zero, so no step moves the weights."
    )


def test_criterion_refuses_weights_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="w must be 2 finite numbers, the bias last; it has 1"):
        rb.theory.perceptron_criterion([[0.0], [1.0]], [0, 1], [1.0])
    with pytest.raises(ValueError, match="NaN in row 1"):
        rb.theory.perceptron_gradient([[0.0], [np.nan]], [0, 1], [1.0, 2.0])


def test_batch_perceptron_saves_and_goes_on(tmp_path: Any) -> None:
    X, y = rb.datasets.margin_cloud(60, 3, 0.05, random_state=3)
    whole = quiet(rb.BatchPerceptron(max_passes=9), X, y)
    rb.save(quiet(rb.BatchPerceptron(max_passes=4, warm_start=True), X, y), tmp_path / "model")
    second = rb.load(tmp_path / "model").set_params(max_passes=5)
    assert quiet(second, X, y).coef_.tobytes() == whole.coef_.tobytes()
