"""K classes that learn together, against the construction written out in fractions."""

import warnings
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

import rosenblatt as rb
from rosenblatt.learners.runs import run as driver
from rosenblatt.learners.runs.progress import fit_watched
from tests import oracles
from tests.claims import oracles as claims
from tests.learners.test_perceptron import quiet, seed_of

ORDERS = st.sampled_from(["cyclic", "shuffled", "random"])


@st.composite
def several_classes(draw: st.DrawFn, dims: int = 3, size: int = 9) -> tuple[np.ndarray, np.ndarray]:
    n, p, K = draw(st.integers(4, size)), draw(st.integers(1, dims)), draw(st.integers(3, 4))
    X = np.array(draw(st.lists(st.lists(st.integers(-4, 4), min_size=p, max_size=p), min_size=n, max_size=n)), float)
    y = np.array(draw(st.lists(st.integers(0, K - 1), min_size=n, max_size=n)))
    y[:K] = range(K)
    return X, y


def kesler(**parameters: Any) -> rb.Perceptron:
    parameters.setdefault("average", False)  # the run itself
    return rb.Perceptron(multiclass="kesler", **parameters)


def weights_of(model: Any) -> np.ndarray:
    return np.column_stack([model.coef_, model.intercept_]) if model.fit_intercept else model.coef_


def construction(X: np.ndarray, y: np.ndarray, bias: bool = True) -> list[list[Fraction]]:
    """Every z: (x, 1) in the place of the row's class, −(x, 1) in that of another."""
    K, found = int(max(y)) + 1, []
    for x, own in zip(np.asarray(X).tolist(), y, strict=True):
        a = [Fraction(v) for v in x] + [Fraction(1)] * bias
        for k in set(range(K)) - {int(own)}:
            z = [Fraction(0)] * (K * len(a))
            z[int(own) * len(a) : (int(own) + 1) * len(a)] = a
            z[k * len(a) : (k + 1) * len(a)] = [-v for v in a]
            found.append(z)
    return found


# --------------------------------------------------------------------------------------------------- the corrections


@given(several_classes(), ORDERS, st.sampled_from(["mistake", "correct"]), st.integers(0, 99), st.booleans())
def test_every_correction_is_that_of_fractions(data: Any, order: str, tie: str, seed: int, bias: bool) -> None:
    X, y = data
    K = len(np.unique(y))
    start = np.random.default_rng(seed).integers(-2, 3, size=(K, X.shape[1] + bias)) if tie == "correct" else "zeros"
    how = {"order": order, "tie": tie, "fit_intercept": bias, "max_passes": 12}
    model = quiet(kesler(**how, start=start, eta=0.5, random_state=seed, trace=True), X, y)
    corrected, path, counts = oracles.kesler(
        X,
        y,
        K,
        eta=Fraction(1, 2),
        order=order,
        tie=tie,
        bias=bias,
        passes=12,
        seed=seed_of(seed, "zeros", 0)[0],
        start=None if isinstance(start, str) else start.tolist(),
    )
    trace = model.trace_
    made = [(int(i), *map(int, pair)) for i, pair in zip(trace.rows, trace.classes, strict=True)]
    assert made == corrected[: len(made)]
    assert model.mistakes_per_pass_.tolist() == counts[: model.n_passes_]
    assert weights_of(model).tolist() == path[len(made)]
    assert trace.exact_weights_at(len(trace)) == path[len(made)]
    assert trace.weights_at([0, len(trace) // 2]).tolist() == [path[0], path[len(trace) // 2]]
    if model.outcome_ != "CYCLING":
        assert len(made) == len(corrected)


@given(several_classes(), ORDERS, st.integers(0, 2**31 - 1))
def test_weights_scale_the_steps(data: Any, order: str, seed: int) -> None:
    X, y = data
    rng = np.random.default_rng(seed)
    weights = rng.choice([0.0, 0.5, 1.0, 3.0], size=len(y))
    weights[:4] = 1.0
    model = quiet(kesler(order=order, max_passes=10, trace=True), X, y, sample_weight=weights)
    factors = {int(k): 2.0 ** int(k) for k in np.unique(y)}
    by_class = quiet(kesler(order=order, max_passes=10, class_weight=factors), X, y)
    by_row = quiet(kesler(order=order, max_passes=10), X, y, sample_weight=[factors[int(k)] for k in y])
    assert by_class.coef_.tolist() == by_row.coef_.tolist()
    how = {"order": order, "weights": weights, "passes": 10, "seed": seed_of(0, "zeros", 0)[0]}
    corrected, path, _ = oracles.kesler(X, y, len(np.unique(y)), **how)
    assert model.trace_.rows.tolist() == [i for i, _, _ in corrected][: len(model.trace_)]
    assert weights_of(model).tolist() == path[len(model.trace_)]


@given(several_classes(), st.integers(0, 99))
def test_normalized_steps_have_length_one(data: Any, seed: int) -> None:
    X, y = data
    model = quiet(kesler(normalize=True, order="cyclic", max_passes=4, trace=True), X, y)
    lengths = np.linalg.norm(np.column_stack([X, np.ones(len(X))]), axis=1)
    assert np.allclose(model.trace_.steps * lengths[model.trace_.rows], 1.0)
    assert model.trace_.weights_at(len(model.trace_)).tobytes() == weights_of(model).tobytes()


@pytest.mark.parametrize("bias", [True, False])
def test_two_classes_are_the_perceptron_itself(bias: bool) -> None:
    X, y = rb.datasets.margin_cloud(60, 3, 0.25, random_state=3)
    ours, plain = (quiet(rb.Perceptron(multiclass=m, fit_intercept=bias), X, y) for m in ("kesler", "ovr"))
    assert ours.coef_.tobytes() == plain.coef_.tobytes()
    assert ours.outcome_.sentence == plain.outcome_.sentence
    assert ours.decision_function(X).shape == (60,)


@given(several_classes(dims=20, size=14), st.booleans())
def test_formats_agree_on_exact_data(data: Any, average: bool) -> None:
    X, y = data
    runs = [
        quiet(kesler(average=average, max_passes=9, trace=True), variant, y)
        for variant in (X, X.astype(np.float32), sp.csr_array(X), sp.csr_array(X.astype(np.float32)))
    ]
    for other in runs[1:]:
        assert other.trace_.rows.tolist() == runs[0].trace_.rows.tolist()
        assert other.trace_.classes.tolist() == runs[0].trace_.classes.tolist()
        assert other.coef_.tolist() == runs[0].coef_.tolist()
        assert repr(other.outcome_) == repr(runs[0].outcome_)


@given(several_classes(), st.integers(1, 6))
def test_average_is_the_mean_over_presentations(data: Any, passes: int) -> None:
    X, y = data
    averaged = quiet(kesler(average=True, order="cyclic", max_passes=passes), X, y)
    trace = quiet(kesler(order="cyclic", max_passes=passes, trace=True), X, y).trace_
    shown = averaged.n_passes_ * len(X)
    path = trace.weights_at([trace.corrections_by(t) for t in range(1, shown + 1)])
    assert np.allclose(weights_of(averaged), path.mean(axis=0), rtol=1e-12, atol=1e-12)


@given(several_classes(), ORDERS)
def test_pocket_answers_no_worse_than_the_running_weights(data: Any, order: str) -> None:
    X, y = data
    kept, plain = (quiet(kesler(pocket=pocket, order=order, max_passes=6), X, y) for pocket in (True, False))
    assert kept.score(X, y) >= plain.score(X, y)
    if kept.outcome_ in ("BUDGET", "CYCLING"):
        assert f"{np.sum(kept.predict(X) != y)} of {len(y)} examples are" in kept.outcome_.sentence


def test_calls_may_be_cut_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 4, size=40)
    settings = {"max_passes": 20, "trace": True, "pocket": True}
    whole = quiet(kesler(**settings), X, y)
    monkeypatch.setattr(driver, "_CALL_SECONDS", 0.0)
    monkeypatch.setattr(driver, "_TRACE_BUFFER", 3)
    pieces = quiet(kesler(**settings), X, y)
    assert pieces.trace_.classes.tolist() == whole.trace_.classes.tolist()
    assert pieces.coef_.tobytes() == whole.coef_.tobytes()


# ---------------------------------------------------------------------------------------------------------- the bound


@given(st.integers(0, 2**31 - 1), ORDERS, st.booleans(), st.booleans())
def test_corrections_never_exceed_the_bound(seed: int, order: str, bias: bool, normalize: bool) -> None:
    """Classes made by known weights; the margin of those, and of the weights found, bounds the corrections."""
    rng = np.random.default_rng(seed)
    n, p, K = int(rng.integers(4, 40)), int(rng.integers(1, 5)), int(rng.integers(3, 6))
    W = rng.integers(-9, 10, size=(K, p + bias))
    X = rng.integers(-9, 10, size=(n, p)) / 8.0
    S = (np.column_stack([X, np.ones(n)]) if bias else X) @ W.T
    y, ranked = S.argmax(axis=1), np.sort(S, axis=1)
    clear = ranked[:, -1] - ranked[:, -2] > 0.5
    X, y = X[clear], y[clear]
    classes = np.unique(y)
    if len(classes) < 3:
        return
    start = rng.integers(-3, 4, size=(len(classes), p + bias)) / 2
    model = kesler(order=order, fit_intercept=bias, normalize=normalize, start=start, eta=0.25, max_passes=100_000)
    model.fit(X, y)
    assert model.outcome_ == "SEPARATED"
    assert model.score(X, y) == 1.0
    how = {"start": start, "eta": 0.25, "fit_intercept": bias, "normalize": normalize}
    for proof in (W[classes], weights_of(model)):
        assert model.n_updates_ <= rb.theory.mistake_bound(X, y, proof, **how)


@given(several_classes(), st.booleans())
def test_the_bound_is_that_of_the_vectors_written_out(data: Any, bias: bool) -> None:
    X, y = data
    model = quiet(kesler(fit_intercept=bias, max_passes=200), X, y)
    if model.outcome_ != "SEPARATED":
        with pytest.raises(ValueError, match=r"in row \d+ another class scores as much as the row's own class"):
            rb.theory.mistake_bound(X, y, np.zeros((len(model.classes_), X.shape[1] + bias)), fit_intercept=bias)
        return
    W = [Fraction(v) for v in weights_of(model).ravel()]
    Z = construction(X, y, bias)
    delta, epsilon = min(claims.dot(z, W) for z in Z), max(claims.dot(z, z) for z in Z)
    bound = rb.theory.mistake_bound(X, y, weights_of(model), fit_intercept=bias)
    assert bound == epsilon * claims.dot(W, W) // delta**2
    assert model.n_updates_ <= bound


def test_the_bound_refuses_what_does_not_fit() -> None:
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 2]
    with pytest.raises(ValueError, match=r"one row of 2 weights, the bias last, for each of the 3 classes"):
        rb.theory.mistake_bound(X, y, [1.0, 2.0])
    with pytest.raises(ValueError, match="start must have 6 weights"):
        rb.theory.mistake_bound(X, y, [[-2, 2], [0, 1], [2, -2]], start=[0.0, 0.0])


# -------------------------------------------------------------------------------------------------------- the outcome


@given(several_classes(dims=2, size=6), ORDERS, st.sampled_from(["mistake", "correct"]), st.booleans())
def test_the_outcome_is_true(data: Any, order: str, tie: str, bias: bool) -> None:
    """Against all subsets of the construction's vectors."""
    X, y = data
    model = quiet(kesler(order=order, tie=tie, fit_intercept=bias, max_passes=300), X, y)
    Z = construction(X, y, bias)
    W = [Fraction(v) for v in weights_of(model).ravel()]
    leads = [claims.dot(z, W) for z in Z]
    if model.outcome_ == "SEPARATED":
        assert min(leads) > 0
    elif model.outcome_ == "TIED":
        assert min(leads) == 0
        assert tie == "correct"
        rows = np.repeat(np.arange(len(X)), len(Z) // len(X))
        tied = {int(i) for i, lead in zip(rows, leads, strict=True) if lead == 0}
        assert f"but {len(tied)} of {len(X)} examples tie with another class" in model.outcome_.sentence
    elif model.outcome_ == "CYCLING":
        assert cancels(model.witness_, X, y, bias)
    else:
        assert f"{np.sum(model.predict(X) != y)} of {len(y)} examples are still" in model.outcome_.sentence


def cancels(witness: Any, X: np.ndarray, y: np.ndarray, bias: bool) -> bool:
    assert all(m > 0 for m in witness.multipliers)
    assert not np.any(y[witness.rows] == witness.rivals)
    K = int(max(y)) + 1
    total = [[Fraction(0)] * (X.shape[1] + bias) for _ in range(K)]
    for i, k, m in zip(witness.rows, witness.rivals, witness.multipliers, strict=True):
        a = [Fraction(v) for v in X[i]] + [Fraction(1)] * bias
        total[y[i]] = [t + m * v for t, v in zip(total[y[i]], a, strict=True)]
        total[k] = [t - m * v for t, v in zip(total[k], a, strict=True)]
    return not any(v for row in total for v in row)


def test_a_cycle_is_proved_and_kept(tmp_path: Path) -> None:
    X, y = np.array([[0.0], [0.0], [1.0], [2.0]]), np.array([0, 1, 2, 1])  # one place, two classes
    model = quiet(kesler(order="cyclic", warm_start=True), X, y)
    assert model.outcome_ == "CYCLING"
    assert model.outcome_.sentence.startswith("no weights give every example to its class: the weights came back after")
    assert cancels(model.witness_, X, y, True)
    rb.save(model, tmp_path / "model")
    again = rb.load(tmp_path / "model")
    assert cancels(again.witness_, X, y, True)
    assert quiet(again, X, y).n_updates_ == model.n_updates_  # the proof still holds: nothing is left to do


def test_rounding_is_not_taken_for_separation() -> None:
    """The first row's own class leads by 0.5 as computed; in truth it is 0.5 behind."""
    X, y = np.array([[1.0, 1.0], [0.0, 0.0], [-1.0, 0.0]]), np.array([0, 1, 2])
    start = [[1e16, -1.0, -1e16], [0.0, 0.0, -0.5], [-1000.0, 0.0, -1.0]]
    model = quiet(kesler(start=start), X, y)
    assert (str(model.outcome_), model.n_updates_, model.score(X, y)) == ("BUDGET", 0, 1.0)
    assert model.outcome_.sentence.startswith(
        "float64 sees no mistake, but in exact arithmetic 1 of 3 examples are not given to their class: rounding hides"
    )


def test_one_against_the_rest_cannot_and_together_can() -> None:
    X, y = np.arange(5.0)[:, None], np.arange(5)
    assert quiet(rb.Perceptron(max_passes=500), X, y).outcome_ != "SEPARATED"
    model = kesler(max_passes=10_000).fit(X, y)
    assert (str(model.outcome_), model.score(X, y)) == ("SEPARATED", 1.0)
    assert not hasattr(model, "outcomes_")
    assert model.mistakes_per_pass_.shape == (model.n_passes_,)
    assert model.decision_function(X).shape == (5, 5)
    assert (model.coef_.shape, model.intercept_.shape) == ((5, 1), (5,))


# -------------------------------------------------------------------------------------- streams, files, what is refused


@pytest.mark.parametrize("options", [{}, {"average": True}, {"pocket": True}, {"fit_intercept": False}])
def test_chunks_of_any_size_are_one_pass(options: dict[str, Any], tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 5)), rng.integers(0, 4, size=100)
    whole = kesler(**options).partial_fit(X, y, classes=range(4))
    for size in (1, 17, 99):
        model = kesler(**options)
        for first in range(0, 100, size):
            model.partial_fit(X[first : first + size], y[first : first + size], classes=range(4))
            if first == 51:
                rb.save(model, tmp_path / "model")
                model = rb.load(tmp_path / "model")
        assert model.coef_.tobytes() == whole.coef_.tobytes()
        assert model.intercept_.tobytes() == whole.intercept_.tobytes()
        assert model.n_updates_ == whole.n_updates_
    if "pocket" not in options:
        one_pass = quiet(kesler(**options, order="cyclic", max_passes=1), X, y)
        assert whole.coef_.tobytes() == one_pass.coef_.tobytes()


def test_weights_put_into_a_stream_are_taken_over() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(30, 2)), rng.integers(0, 3, size=30)
    model = kesler().partial_fit(X, y, classes=range(3))
    model.coef_, model.intercept_ = np.zeros((3, 2)), np.zeros(3)
    assert model.partial_fit(X, y).coef_.tolist() == kesler().partial_fit(X, y, classes=range(3)).coef_.tolist()


def test_traces_and_models_come_back_from_files(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.choice(["a", "b", "c"], size=40)
    model = quiet(kesler(max_passes=5, trace=True), X, y)
    model.trace_.save(tmp_path / "trace")
    trace = rb.Trace.load(tmp_path / "trace", X)
    assert trace.weights_at(len(trace)).tobytes() == weights_of(model).tobytes()
    rb.save(model, tmp_path / "model")
    again = rb.load(tmp_path / "model")
    assert again.predict(X).tolist() == model.predict(X).tolist()
    assert again.trace_.bind(X).weights_at(len(trace)).tobytes() == weights_of(model).tobytes()
    forged = trace.classes.copy()
    forged[0, 1] = 3
    with pytest.raises(ValueError, match="corrections of classes that it does not have"):
        type(trace)(trace.start, trace.rows, trace.steps, trace.pass_ends, forged)


def test_a_stream_with_other_classes_is_refused(tmp_path: Path) -> None:
    """The loop finds the weights of a class by the number of classes: a forged one would have it write elsewhere."""
    model = kesler().partial_fit([[0.0], [1.0], [2.0]], [0, 1, 2], classes=[0, 1, 2])
    for classes in (1, 2, 6, 10**6):
        model._stream.rule = model._stream.rule._replace(classes=classes)
        rb.save(model, tmp_path / "model")
        with pytest.raises(ValueError, match="a stream learns another number of classes than its model"):
            rb.load(tmp_path / "model")


def test_interrupted_and_resumed_is_undisturbed() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), rng.integers(0, 3, size=60)
    how = {"max_passes": 3_000, "trace": True, "patience": 2_500}
    states: list[Any] = []

    def stop(run: Any) -> None:
        states.append(run.state())
        raise InterruptedError

    model = kesler(**how)
    with pytest.raises(InterruptedError):
        fit_watched(model, X, y, watch=stop)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fit_watched(model, X, y, watch=lambda run: None, interrupted=states[0])
    whole = quiet(kesler(**how), X, y)
    assert model.coef_.tobytes() == whole.coef_.tobytes()
    assert model.trace_.classes.tolist() == whole.trace_.classes.tolist()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"margin": 0.5}, 'multiclass="kesler" takes no margin, and margin is 0.5: leave it 0.'),
        ({"tie": "positive"}, 'multiclass="kesler" takes tie="mistake" or tie="correct", not tie="positive".'),
        ({"start": [[0.0, 0.0]]}, "start must hold 3 × 2 finite weights"),
    ],
)
def test_what_does_not_go_together_is_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        kesler(**options).fit([[0.0], [1.0], [2.0]], [0, 1, 2])
    assert sentence in str(refused.value)


def test_a_cluster_refuses_classes_that_learn_together() -> None:
    pytest.importorskip("distributed")
    with pytest.raises(ValueError, match='multiclass="kesler" is for one machine; on a cluster use multiclass="ovr"'):
        rb.distributed.fit(kesler(), [([[0.0], [1.0], [2.0]], [0, 1, 2])])


def test_onnx_answers_alike() -> None:
    runtime = pytest.importorskip("onnxruntime")
    rng = np.random.default_rng(2)
    X, y = rng.integers(-9, 10, size=(50, 3)).astype(float), rng.choice(["a", "b", "c"], size=50)
    model = quiet(kesler(max_passes=3), X, y)
    session = runtime.InferenceSession(rb.to_onnx(model).SerializeToString())
    label, scores = session.run(["label", "scores"], {"X": X})
    assert label.tolist() == model.predict(X).tolist()
    assert scores.tolist() == model.decision_function(X).tolist()


def test_ties_are_corrected_against_the_first_class() -> None:
    """From zeros all scores are 0: the first wrong class is lowered."""
    for own, lowered in ((0, 1), (1, 0), (2, 0)):
        model = kesler().partial_fit([[1.0]], [own], classes=[0, 1, 2])
        expected = [[0.0], [0.0], [0.0]]
        expected[own], expected[lowered] = [1.0], [-1.0]
        assert model.coef_.tolist() == expected


def test_every_pair_of_classes_is_met() -> None:
    """No class is forgotten in the search for the strongest: each can be lowered by each."""
    for own, other in permutations(range(5), 2):
        start = np.zeros((5, 2))
        start[other] = 1.0
        model = quiet(
            kesler(start=start, trace=True, order="cyclic", max_updates=1), [[1.0]] * 5, np.roll(range(5), -own)
        )
        assert model.trace_.classes.tolist() == [[own, other]]
