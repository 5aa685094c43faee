"""Parameters that a caller changes between two calls: followed, or refused in a sentence; never ignored in silence."""

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import Perceptron as Theirs

import rosenblatt as rb
from rosenblatt.models.run_state import scaled

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Y = (X[:, 0] + 0.3 * RNG.normal(size=40) > 0).astype(int)
THREE = RNG.integers(0, 3, size=40)


def quiet(model: Any, X: Any, y: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y)


# ------------------------------------------------------------------------------------------------------------- streams


@pytest.mark.parametrize("size", [1, 7])
@pytest.mark.parametrize(
    ("learner", "name", "value"),
    [
        (rb.Perceptron(), "eta", 1e-9),
        (rb.Perceptron(eta=2.0), "normalize", True),
        (rb.Perceptron(), "tie", "correct"),
        (rb.Perceptron(), "margin", 0.3),
        (rb.Perceptron(margin=0.3), "margin", 0.0),
        (rb.Perceptron(), "class_weight", {0: 0.5, 1: 2.0}),
        (rb.Perceptron(average=True), "eta", 0.125),
        (rb.PassiveAggressive(), "C", 0.01),
        (rb.PassiveAggressive(), "variant", "II"),
        (rb.Adaline(eta=0.01), "eta", 0.001),
        (rb.Logistic(mode="incremental"), "eta", 0.001),
    ],
)
def test_a_stream_follows_changed_parameters(learner: Any, name: str, value: Any, size: int) -> None:
    """Rows before the change are learned with the old value, rows after it with the new one."""
    from sklearn.base import clone

    changed = clone(learner).partial_fit(X[:20], Y[:20], classes=[0, 1]).set_params(**{name: value})
    for start in range(20, 40, size):
        changed.partial_fit(X[start : start + size], Y[start : start + size])
    # a second model begins with the new value from the weights that the first one had
    first = clone(learner).set_params(**({"average": False} if "average" in learner.get_params() else {}))
    first.partial_fit(X[:20], Y[:20], classes=[0, 1])
    start = np.append(first.coef_[0], first.intercept_)
    then = clone(first).set_params(**{name: value}, start=start).partial_fit(X[20:], Y[20:], classes=[0, 1])
    running = scaled(changed._stream.weights[0], changed._stream.units.unit)
    np.testing.assert_allclose(running, np.append(then.coef_[0], then.intercept_), rtol=1e-12)


def test_a_decaying_step_does_what_theirs_does() -> None:
    ours, theirs = rb.Perceptron(), Theirs(shuffle=False)
    for k in range(10):
        rows = slice(4 * k, 4 * k + 4)
        ours.set_params(eta=1 / (k + 1)).partial_fit(X[rows], Y[rows], classes=[0, 1])
        theirs.set_params(eta0=1 / (k + 1)).partial_fit(X[rows], Y[rows], classes=[0, 1])
    np.testing.assert_allclose(ours.coef_, theirs.coef_)


@pytest.mark.parametrize(
    ("name", "value"), [("fit_intercept", False), ("average", True), ("pocket", True), ("multiclass", "kesler")]
)
@pytest.mark.parametrize("size", [1, 20])
def test_a_stream_refuses_what_it_cannot_change(name: str, value: Any, size: int) -> None:
    model = rb.Perceptron().partial_fit(X, Y, classes=[0, 1]).set_params(**{name: value})
    with pytest.raises(ValueError, match=f"{name} was .* when this stream began and is {value!r} now"):
        model.partial_fit(X[:size], Y[:size])


def test_a_loaded_stream_follows_changed_parameters(tmp_path: Any) -> None:
    model = rb.Perceptron().partial_fit(X[:20], Y[:20], classes=[0, 1])
    rb.save(model, tmp_path / "stream.model")
    loaded = rb.load(tmp_path / "stream.model")
    for one in (model, loaded):
        one.set_params(eta=0.25).partial_fit(X[20:], Y[20:])
    assert loaded.coef_.tobytes() == model.coef_.tobytes()
    with pytest.raises(ValueError, match="average was 'auto'"):
        loaded.set_params(average=True).partial_fit(X, Y)


def test_weights_that_the_caller_assigns_have_their_own_length() -> None:
    """A margin is a part of ‖w‖, which a stream keeps: it must be that of the assigned weights."""
    fresh = rb.Perceptron(margin=0.5).partial_fit(X, Y, classes=[0, 1])
    reset = rb.Perceptron(margin=0.5).partial_fit(10 * X, Y, classes=[0, 1])
    reset.coef_, reset.intercept_ = np.zeros((1, 3)), np.zeros(1)
    assert reset.partial_fit(X, Y).coef_.tobytes() == fresh.coef_.tobytes()


# ---------------------------------------------------------------------------------------------------- fitted and asked


@pytest.mark.parametrize("rows", [X, np.tile(X, (400, 1)), X.astype(np.float32)])
def test_answers_are_those_of_the_fitted_weights(rows: Any) -> None:
    """Whatever fit_intercept says now: a fitted model has an intercept or has none."""
    model = quiet(rb.Perceptron(max_passes=5), X + 3.0, Y)
    before = model.decision_function(rows)
    after = model.set_params(fit_intercept=False).decision_function(rows)
    assert after.tobytes() == before.tobytes()


def test_assigned_weights_of_another_width_do_not_go_the_short_way() -> None:
    """It copies them into an array that is as wide as X."""
    model = quiet(rb.Perceptron(max_passes=5), X, Y)
    assert model._may_answer_at_once(X[:1])
    model.coef_ = np.ones((1, 900))
    assert not model._may_answer_at_once(X[:1])


# ---------------------------------------------------------------------------------------------------------- warm start


@pytest.mark.parametrize(
    ("first", "second"), [((X, Y), (X[::-1].copy(), Y)), ((X, Y), (X, THREE)), ((X, THREE), (X, Y))]
)
@pytest.mark.parametrize("multiclass", ["ovr", "kesler"])
def test_a_warm_start_on_other_data_has_a_trace_of_its_own(first: Any, second: Any, multiclass: str) -> None:
    """The trace replays to the weights, on the rows that it was made on."""
    model = quiet(
        rb.Perceptron(average=False, warm_start=True, trace=True, max_passes=3, multiclass=multiclass), *first
    )
    quiet(model, *second)
    traces = model.trace_ if isinstance(model.trace_, list) else [model.trace_]
    ends = np.vstack([trace.weights_at(len(trace)) for trace in traces])
    np.testing.assert_array_equal(ends, np.column_stack([model.coef_, model.intercept_]))
    assert model.n_updates_ == sum(map(len, traces))
    assert model.n_passes_ <= 3


def test_a_trace_may_be_asked_for_later() -> None:
    model = quiet(rb.Perceptron(average=False, warm_start=True, max_passes=3), X, Y)
    running = np.append(model.coef_[0], model.intercept_)
    quiet(model.set_params(trace=True), X, Y)
    np.testing.assert_array_equal(model.trace_.start, running)
    np.testing.assert_array_equal(model.trace_.weights_at(len(model.trace_))[:3], model.coef_[0])
    before = len(model.trace_)
    quiet(model, X, Y)  # the same data: the trace goes on
    assert len(model.trace_) == model.n_updates_ > before
    assert model.n_passes_ == 6
