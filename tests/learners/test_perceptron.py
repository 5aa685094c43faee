"""The perceptron against its oracles: the same corrections for every order, tie, start, format, number of threads."""

import pickle
import signal
import subprocess
import sys
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

import rosenblatt as rb
from rosenblatt.learners.runs import crew
from tests import oracles

AND = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]


def quiet(model: rb.Perceptron, X: Any, y: Any, **more: Any) -> rb.Perceptron:
    """Fit without the warning that is tested elsewhere."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y, **more)


@st.composite
def small_data(draw: st.DrawFn, dims: int = 4, size: int = 9) -> tuple[np.ndarray, np.ndarray]:
    n, p = draw(st.integers(2, size)), draw(st.integers(1, dims))
    X = np.array(draw(st.lists(st.lists(st.integers(-4, 4), min_size=p, max_size=p), min_size=n, max_size=n)), float)
    y = np.array(draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n)))
    y[0], y[1] = -1, 1
    return X, y


def seed_of(random_state: int, start: str, d: int) -> tuple[int, list[float]]:
    """What the estimator derives from random_state."""
    random = check_random_state(random_state)
    first = (random.randint(-(2**24), 2**24, size=(1, d)) / 2.0**24)[0].tolist() if start == "random" else [0.0] * d
    return int(random.randint(0, 2**63, size=1, dtype=np.int64)[0]), first


RECIPES = {
    "stein": {"start": "random", "order": "random", "tie": "positive"},
    "cyclic": {"start": "random", "order": "cyclic", "tie": "correct"},
    "rosenblatt62": {"start": "zeros", "order": "cyclic", "tie": "mistake"},
    "unit": {"start": "random", "order": "random", "tie": "correct", "normalize": True},
    "signum": {"start": "zeros", "order": "cyclic", "tie": "mistake"},
}


@pytest.mark.parametrize("recipe", RECIPES)
@given(small_data(), st.integers(0, 1000), st.sampled_from([0.25, 0.5, 1.0]))
def test_recipe_equals_its_oracle(recipe: str, data: Any, random_state: int, eta: float) -> None:
    X, y = data
    if recipe in ("rosenblatt62", "unit"):
        eta = 1.0
    model = rb.Perceptron.from_recipe(recipe, eta=eta, random_state=random_state, max_passes=20, trace=True)
    quiet(model, X, y)
    how = dict(RECIPES[recipe])
    seed, start = seed_of(random_state, how.pop("start"), X.shape[1] + 1)
    if recipe == "signum":
        eta *= 2
    corrected, path, counts = oracles.perceptron(X, y, eta=eta, seed=seed, start=start, passes=20, **how)
    passes = len(model.mistakes_per_pass_)  # the model may have stopped earlier, at a proved cycle
    assert model.trace_.rows.tolist() == corrected[: len(model.trace_)]
    assert model.mistakes_per_pass_.tolist() == counts[:passes]
    assert model.trace_.weights_at(len(model.trace_)).tolist() == path[len(model.trace_)]
    if model.outcome_ != "CYCLING" and "only because float64 rounds" not in model.outcome_.sentence:
        assert len(model.trace_) == len(corrected)


@given(
    small_data(),
    st.sampled_from(["cyclic", "shuffled", "random"]),
    st.sampled_from(["mistake", "correct", "positive", "negative"]),
    st.integers(0, 99),
    st.booleans(),
)
def test_exact_runs_are_those_of_fractions(data: Any, order: str, tie: str, random_state: int, bias: bool) -> None:
    """On integers nothing is rounded: the compiled run is the run of exact arithmetic, for every order and tie."""
    X, y = data
    model = rb.Perceptron(
        order=order, tie=tie, random_state=random_state, fit_intercept=bias, max_passes=12, trace=True
    )
    quiet(model, X, y)
    seed, _ = seed_of(random_state, "zeros", 0)
    corrected, path, _ = oracles.perceptron(
        X, y, order=order, tie=tie, seed=seed, bias=bias, passes=12, number=Fraction
    )
    assert model.trace_.rows.tolist() == corrected[: len(model.trace_)]
    assert model.trace_.exact_weights_at(len(model.trace_)) == path[len(model.trace_)]


@given(small_data(), st.sampled_from([0.125, 0.5, 2.0]), st.booleans())
def test_margin_and_normalize_equal_the_oracle(data: Any, margin: float, normalize: bool) -> None:
    X, y = data
    model = quiet(rb.Perceptron(margin=margin, normalize=normalize, order="cyclic", max_passes=8, trace=True), X, y)
    corrected, path, _ = oracles.perceptron(X, y, margin=margin, normalize=normalize, passes=8)
    shared = 0
    for a, b in zip(model.trace_.rows.tolist(), corrected, strict=False):
        if a != b:
            break
        shared += 1
    if shared < min(len(model.trace_), len(corrected)):  # the two keep ‖w‖ differently: only a near tie may differ
        w = np.array(path[shared], dtype=float)
        rows = [model.trace_.rows[shared], corrected[shared]]
        Z = np.column_stack([X, np.ones(len(X))])[rows] * y[rows, None]
        lengths = np.linalg.norm(Z, axis=1) if normalize else np.ones(2)
        assert np.any(np.isclose(Z @ w, margin * np.linalg.norm(w) * lengths, rtol=1e-9, atol=1e-9))


@given(small_data(), st.integers(0, 2**31 - 1))
def test_weights_scale_the_steps(data: Any, seed: int) -> None:
    X, y = data
    weights = np.random.default_rng(seed).choice([0.0, 0.5, 1.0, 3.0], size=len(y))
    weights[:2] = 1.0
    model = quiet(rb.Perceptron(average=False, order="cyclic", max_passes=10, trace=True), X, y, sample_weight=weights)
    corrected, _, _ = oracles.perceptron(X, y, weights=weights, passes=10)
    assert model.trace_.rows.tolist() == corrected[: len(model.trace_)]
    kept = weights > 0
    cyclic = rb.Perceptron(average=False, order="cyclic", max_passes=10, trace=True)
    without = quiet(cyclic, X[kept], y[kept], sample_weight=weights[kept])
    assert without.coef_.tolist() == model.coef_.tolist()  # a row of weight zero is absent
    assert without.outcome_ == model.outcome_


def test_class_weight_is_a_row_weight() -> None:
    X, y = rb.datasets.margin_cloud(60, 3, 0.25, random_state=3)
    by_class = rb.Perceptron(class_weight={-1: 2.0, 1: 0.5}).fit(X, y)
    by_row = rb.Perceptron().fit(X, y, sample_weight=np.where(y > 0, 0.5, 2.0))
    assert by_class.coef_.tolist() == by_row.coef_.tolist()


# ------------------------------------------------------------------------------ the same bits, however it is computed


@given(small_data(dims=20, size=14), st.sampled_from(["cyclic", "shuffled", "random"]), st.booleans())
def test_dense_sparse_and_float32_agree_on_exact_data(data: Any, order: str, average: bool) -> None:
    X, y = data
    runs = [
        quiet(rb.Perceptron(order=order, random_state=1, average=average, max_passes=9, trace=True), variant, y)
        for variant in (
            X,
            X.astype(np.float32),
            sp.csr_array(X),
            sp.csc_matrix(X),
            sp.csr_array(X.astype(np.float32)),
            X.astype(np.int8),
            np.asfortranarray(X),
            X[:, ::-1][:, ::-1],
            X.tolist(),
        )
    ]
    for other in runs[1:]:
        assert other.trace_.rows.tolist() == runs[0].trace_.rows.tolist()
        assert other.coef_.tolist() == runs[0].coef_.tolist()
        assert repr(other.outcome_) == repr(runs[0].outcome_)


@pytest.mark.parametrize("order", ["cyclic", "shuffled", "random"])
@pytest.mark.parametrize("sparse", [False, True])
def test_trace_threads_and_maps_change_nothing(
    order: str, sparse: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(crew, "_CHUNK_VALUES", 300)
    rng = np.random.default_rng(5)
    X = rng.normal(size=(4000, 12)) * (rng.random((4000, 12)) < 0.7)
    y = np.where(X @ rng.normal(size=12) + 0.3 > 0, "b", "a")
    y[rng.random(4000) < 0.002] = "a"
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    settings = {"order": order, "random_state": 2, "max_passes": 7}
    data: Any = sp.csr_array(X) if sparse else X
    plain = quiet(rb.Perceptron(**settings), data, y)
    for other in (
        quiet(rb.Perceptron(**settings, trace=True), data, y),
        quiet(rb.Perceptron(**settings, n_jobs=2), data, y),
        quiet(rb.Perceptron(**settings, n_jobs=3, trace=True), data, y),
        quiet(rb.Perceptron(**settings), sp.csr_array(mapped) if sparse else mapped, y),
    ):
        assert other.coef_.tobytes() == plain.coef_.tobytes()
        assert other.intercept_.tobytes() == plain.intercept_.tobytes()
        assert other.mistakes_per_pass_.tolist() == plain.mistakes_per_pass_.tolist()
        assert other.outcome_.sentence == plain.outcome_.sentence
    assert not mapped.flags.writeable


@settings(max_examples=settings.default.max_examples // 2)  # threads wait for each other
@given(
    st.integers(0, 2**31 - 1),
    st.sampled_from(["cyclic", "shuffled", "random"]),
    st.integers(2, 5),
    st.sampled_from([1, 7, 40]),
    st.sampled_from([0.0, 0.01, 0.3]),
    st.booleans(),
)
def test_scouts_never_change_the_corrections(
    seed: int, order: str, threads: int, chunk: int, flips: float, extremes: bool
) -> None:
    """Scouts forced to work where they would not be asked to: tiny chunks, frequent mistakes, outliers, ties."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(50, 600)), int(rng.integers(1, 20))
    X = rng.integers(-9, 10, size=(n, p)) / 7.0
    if extremes:
        X[rng.integers(n)] *= 1e160
    y = np.where(X @ rng.normal(size=p) >= 0, 1, -1)
    y[rng.random(n) < flips] *= -1
    y[0], y[1] = 1, -1
    weights = rng.choice([0.0, 1.0, 0.3], size=n) if seed % 3 == 0 else None
    settings = {"order": order, "random_state": 0, "max_passes": 5, "trace": True, "average": seed % 2 == 0}
    alone = quiet(rb.Perceptron(**settings), X, y, sample_weight=weights)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(crew, "_CHUNK_VALUES", chunk * p)
        patch.setattr(crew, "_RARE", np.inf)
        together = quiet(rb.Perceptron(**settings, n_jobs=threads), X, y, sample_weight=weights)
    assert together.trace_.rows.tolist() == alone.trace_.rows.tolist()
    assert together.trace_.steps.tolist() == alone.trace_.steps.tolist()
    assert together.coef_.tobytes() == alone.coef_.tobytes()
    assert together.mistakes_per_pass_.tolist() == alone.mistakes_per_pass_.tolist()
    assert repr(together.outcome_) == repr(alone.outcome_)


def test_scouts_are_really_used(monkeypatch: pytest.MonkeyPatch) -> None:
    from rosenblatt.kernels import scouts

    scanned: list[int] = []
    scout = scouts.scout
    monkeypatch.setattr(scouts, "scout", lambda *args: scanned.append(scout(*args)))
    X, y = rb.datasets.margin_cloud(200_000, 20, 0.5, random_state=0)
    rb.Perceptron(n_jobs=2).fit(X, y)
    assert len(scanned) > 0


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("margin", [0.0, 0.1])
def test_chunks_of_any_size_are_one_pass(average: bool, margin: float) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 11)), rng.integers(0, 2, size=300)
    whole = rb.Perceptron(average=average, margin=margin).partial_fit(X, y, classes=[0, 1])
    one_pass = quiet(rb.Perceptron(average=average, margin=margin, order="cyclic", max_passes=1), X, y)
    assert whole.coef_.tobytes() == one_pass.coef_.tobytes()
    for size in (1, 2, 17, 299):
        model = rb.Perceptron(average=average, margin=margin)
        for first in range(0, 300, size):
            model.partial_fit(X[first : first + size], y[first : first + size], classes=[0, 1] if first == 0 else None)
        assert model.coef_.tobytes() == whole.coef_.tobytes()
        assert model.intercept_.tobytes() == whole.intercept_.tobytes()
        assert model.n_updates_ == whole.n_updates_ == one_pass.n_updates_


def test_calls_may_be_cut_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    from rosenblatt.learners.runs import run as driver

    X, y = rb.datasets.sonar()
    settings = {"order": "shuffled", "random_state": 0, "max_passes": 40, "trace": True, "pocket": True}
    whole = quiet(rb.Perceptron(**settings), X, y)
    monkeypatch.setattr(driver, "_CALL_SECONDS", 0.0)  # every call is cut in half, down to one presentation
    monkeypatch.setattr(driver, "_TRACE_BUFFER", 3)
    monkeypatch.setattr(driver, "_PASS_BUFFER", 1)
    pieces = quiet(rb.Perceptron(**settings), X, y)
    assert pieces.trace_.rows.tolist() == whole.trace_.rows.tolist()
    assert pieces.coef_.tobytes() == whole.coef_.tobytes()
    assert repr(pieces.outcome_) == repr(whole.outcome_)


# --------------------------------------------------------------------------------------------- variants of the result


@given(small_data(), st.integers(1, 6))
def test_average_is_the_mean_over_presentations(data: Any, passes: int) -> None:
    X, y = data
    model = quiet(rb.Perceptron(average=True, max_passes=passes, order="shuffled", random_state=3), X, y)
    seed, _ = seed_of(3, "zeros", 0)
    Z = np.column_stack([X, np.ones(len(X))])
    w, total, shown = np.zeros(Z.shape[1]), np.zeros(Z.shape[1]), 0
    for k in range(model.n_passes_):
        for i in oracles.rows_of_pass("shuffled", len(Z), seed, k):
            if y[i] * (Z[i] @ w) <= 0:
                w = w + y[i] * Z[i]
            total, shown = total + w, shown + 1
    assert np.allclose(np.append(model.coef_, model.intercept_), total / shown, rtol=1e-12, atol=1e-12)


@given(
    small_data(dims=2, size=30),
    st.sampled_from(["cyclic", "shuffled"]),
    st.sampled_from(["mistake", "correct", "positive", "negative"]),
)
def test_pocket_keeps_the_best_of_each_pass(data: Any, order: str, tie: str) -> None:
    """Against the definition, to the last bit; it never answers worse than the plain run, or than w(0)."""
    X, y = data
    how = {"order": order, "tie": tie, "max_passes": 6}
    model, plain = quiet(rb.Perceptron(pocket=True, **how), X, y), quiet(rb.Perceptron(average=False, **how), X, y)
    seed, _ = seed_of(0, "zeros", 0)
    best, (wrong, _) = oracles.pocket(X, y, passes=model.n_passes_, tie=tie, order=order, seed=seed)
    assert np.count_nonzero(model.predict(X) != y) == wrong
    assert model.score(X, y) >= max(plain.score(X, y), np.mean((y > 0) == (tie == "positive")))
    if model.outcome_ in ("CYCLING", "BUDGET"):
        assert [*model.coef_[0], *model.intercept_] == best
        assert f"{wrong} of {len(y)} examples are" in model.outcome_.sentence


@pytest.mark.parametrize("order", ["cyclic", "shuffled"])
def test_pocket_on_points_that_touch_is_no_worse_than_plain(order: str) -> None:
    X, y = [[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1]
    plain, pocket = (quiet(rb.Perceptron(order=order, pocket=kept), X, y).score(X, y) for kept in (False, True))
    assert pocket == plain == 0.75  # it was 0.50 with a pocket, in cyclic order


def test_pocket_cut_within_a_pass_answers_with_the_best_and_goes_on_undisturbed() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, size=60)
    for limit in range(1, 40, 3):
        cut = quiet(rb.Perceptron(pocket=True, max_updates=limit, warm_start=True), X, y)
        assert cut.score(X, y) >= quiet(rb.Perceptron(average=False, max_updates=limit), X, y).score(X, y)
        whole = quiet(rb.Perceptron(pocket=True, max_updates=limit + 50), X, y)
        assert quiet(cut.set_params(max_updates=50), X, y).coef_.tobytes() == whole.coef_.tobytes()


def test_pocket_and_average_beat_the_last_weights_on_overlapping_data() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(2000, 5))
    y = np.where(X @ rng.normal(size=5) + rng.normal(scale=0.7, size=2000) > 0, 1, 0)
    plain, average, pocket = (
        quiet(rb.Perceptron(max_passes=30, **how), X, y).score(X, y)
        for how in ({"average": False}, {"average": True}, {"pocket": True})
    )
    assert average > plain
    assert pocket > plain


def test_more_than_two_classes() -> None:
    rng = np.random.default_rng(0)
    centres = np.array([[0, 8], [8, 0], [-8, -8]])
    y = np.repeat(["a", "b", "c"], 40)
    X = centres[np.repeat(np.arange(3), 40)] + rng.normal(size=(120, 2))
    model = rb.Perceptron(order="cyclic", trace=True).fit(X, y)
    assert model.outcome_ == "SEPARATED"
    assert [str(o) for o in model.outcomes_] == ["SEPARATED"] * 3
    assert model.score(X, y) == 1.0
    assert model.coef_.shape == (3, 2)
    assert model.mistakes_per_pass_.shape == (model.n_passes_, 3)
    assert model.n_updates_ == sum(len(trace) for trace in model.trace_) == model.mistakes_per_pass_.sum()
    for k, label in enumerate("abc"):
        alone = rb.Perceptron(order="cyclic").fit(X, y == label)
        assert alone.coef_[0].tolist() == model.coef_[k].tolist()
    threads = rb.Perceptron(order="cyclic", n_jobs=2).fit(X, y)
    assert threads.coef_.tobytes() == model.coef_.tobytes()


def test_worst_class_decides() -> None:
    X = np.array([[0.0], [1.0], [2.0]])
    with pytest.warns(ConvergenceWarning, match="class 1 against the rest"):
        model = rb.Perceptron().fit(X, [0, 1, 2])
    assert [str(o) for o in model.outcomes_] == ["SEPARATED", "CYCLING", "SEPARATED"]
    assert model.outcome_ == "CYCLING"
    assert model.witness_[0] is None
    assert model.witness_[1].rows.tolist() == [0, 1, 2]


# ------------------------------------------------------------------------------------------------------ an estimator


def test_warm_start_goes_on() -> None:
    X, y = rb.datasets.sonar()
    model = quiet(rb.Perceptron(max_passes=10, warm_start=True), X, y)
    quiet(model, X, y)
    whole = quiet(rb.Perceptron(max_passes=20), X, y)
    assert model.coef_.tobytes() == whole.coef_.tobytes()


def test_stream_goes_on_after_fit_pickle_and_foreign_weights() -> None:
    X, y = rb.datasets.margin_cloud(50, 4, 0.1, random_state=0)
    model = quiet(rb.Perceptron(average=False, order="cyclic", max_passes=1), X, y).partial_fit(X, y)
    assert model.outcome_ == "ONLINE"
    assert (
        model.coef_.tobytes() == quiet(rb.Perceptron(average=False, order="cyclic", max_passes=2), X, y).coef_.tobytes()
    )
    copy = pickle.loads(pickle.dumps(model))
    for one in (model, copy):
        one.partial_fit(X[:1], y[:1])
        one.partial_fit(X, y)
    assert copy.coef_.tobytes() == model.coef_.tobytes()
    model.coef_, model.intercept_ = np.zeros((1, 4)), np.zeros(1)
    model.partial_fit(X[:1], y[:1])
    assert np.allclose(model.coef_[0], y[0] * X[0])


def test_fit_after_stream_starts_anew() -> None:
    X, y = AND
    model = rb.Perceptron().partial_fit(X, y, classes=[0, 1])
    assert model.fit(X, y).coef_.tolist() == rb.Perceptron().fit(X, y).coef_.tolist()


def test_tie_positive_predicts_the_second_class_on_the_plane() -> None:
    X, y = [[-1.0], [0.0]], ["no", "yes"]
    model = quiet(rb.Perceptron(tie="positive", start=[1.0, 0.0], max_passes=1), X, y)
    assert model.decision_function([[0.0]]) == 0
    assert model.predict([[0.0]]) == "yes"
    assert model.outcome_ == "TIED"
    assert quiet(rb.Perceptron(tie="correct", start=[1.0, 0.0]), X, y).predict([[0.0]]) == "no"


def test_tie_negative_predicts_the_first_class_on_the_plane() -> None:
    """Lecture 001: y = 1 exactly when w·x > θ."""
    X, y = [[1.0], [0.0]], ["yes", "no"]
    model = quiet(rb.Perceptron(tie="negative", start=[1.0, 0.0]), X, y)
    assert (model.n_updates_, model.outcome_, model.predict(X).tolist()) == (0, "TIED", ["yes", "no"])
    corrected = quiet(rb.Perceptron(tie="negative", start=[1.0, 0.0]), X, ["no", "yes"])
    assert corrected.n_updates_ > 0


# ----------------------------------------------------------------------------------------- defaults, and P ∪ −N


def test_defaults_learn_from_rows_sorted_by_class() -> None:
    """iris, five folds: 0.71 and 0.61 in cyclic order, where scikit-learn's perceptron has 0.87."""
    from sklearn.datasets import load_iris
    from sklearn.linear_model import Perceptron as Theirs
    from sklearn.model_selection import cross_val_score

    X, y = load_iris(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        ours, aggressive, theirs = (
            cross_val_score(learner, X, y).mean() for learner in (rb.Perceptron(), rb.PassiveAggressive(), Theirs())
        )
    assert ours > theirs - 0.02
    assert aggressive > theirs - 0.02
    for learner in (rb.Perceptron(), rb.PassiveAggressive()):
        assert (learner.order, learner.random_state) == ("shuffled", 0)


@given(small_data(), st.sampled_from(["cyclic", "shuffled", "random"]), st.sampled_from([1, "⊕"]))
def test_rows_that_are_z_already_are_one_class(data: Any, order: str, label: Any) -> None:
    """P ∪ −N (lecture of Khapra): the run on z = y·x, all of one class, is the run on x and y."""
    X, y = data
    how = {"order": order, "fit_intercept": False, "max_passes": 30, "trace": True}
    two, one = quiet(rb.Perceptron(**how), X, y), quiet(rb.Perceptron(**how), X * y[:, None], [label] * len(y))
    assert one.trace_.rows.tolist() == two.trace_.rows.tolist()
    assert one.coef_.tolist() == two.coef_.tolist()
    assert str(one.outcome_) == str(two.outcome_)
    assert one.classes_.tolist() == [label]
    if one.outcome_ == "SEPARATED":
        assert np.all(one.decision_function(X * y[:, None]) > 0)
        assert one.n_updates_ <= rb.theory.mistake_bound(
            X * y[:, None], [label] * len(y), one.coef_[0], fit_intercept=False
        )
        assert rb.separability(X * y[:, None], [label] * len(y), fit_intercept=False).kind == "complete"


def test_one_class_has_no_other_to_answer_with(tmp_path: Path) -> None:
    Z = [[1.0, 2.0], [2.0, -1.0]]
    with pytest.raises(ValueError, match=r"y has one class only, 1: .* all of one class, need fit_intercept=False\."):
        rb.Perceptron().fit(Z, [1, 1])
    model = rb.Perceptron(fit_intercept=False).fit(Z, [1, 1])
    rb.save(model, tmp_path / "model")
    for one in (model, rb.load(tmp_path / "model")):
        assert np.all(one.decision_function(Z) > 0)
        with pytest.raises(ValueError, match="learned from one class only, 1, and has no other to answer with"):
            one.predict(Z)


def test_random_start_is_exactly_representable_and_seeded() -> None:
    X, y = rb.datasets.margin_cloud(30, 3, 0.25, random_state=0)
    starts = [rb.Perceptron(start="random", random_state=s, trace=True).fit(X, y).trace_.start for s in (0, 0, 1)]
    assert starts[0].tolist() == starts[1].tolist() != starts[2].tolist()
    assert np.all(starts[0] * 2**24 == np.rint(starts[0] * 2**24))
    assert np.all(np.abs(starts[0]) <= 1)


def test_different_runs_find_different_hyperplanes() -> None:
    X, y = rb.datasets.margin_cloud(60, 2, 0.25, random_state=0)  # S0.8
    found = {tuple(rb.Perceptron.from_recipe("stein", random_state=s).fit(X, y).coef_[0].tolist()) for s in range(5)}
    assert len(found) == 5


def test_from_sklearn_maps_what_can_be_mapped() -> None:
    from sklearn.linear_model import Perceptron as Theirs

    ours = rb.Perceptron.from_sklearn(Theirs(max_iter=7, eta0=0.5, shuffle=False, tol=None, fit_intercept=False))
    assert (ours.max_passes, ours.eta, ours.order, ours.patience, ours.fit_intercept) == (7, 0.5, "cyclic", None, False)
    assert rb.Perceptron.from_sklearn(Theirs()).patience is None
    assert rb.Perceptron.from_sklearn(Theirs()).order == "shuffled"
    with pytest.raises(ValueError, match="penalty='l2'"):
        rb.Perceptron.from_sklearn(Theirs(penalty="l2"))
    X, y = rb.datasets.sonar()
    theirs = Theirs(max_iter=3, shuffle=False, tol=None).fit(X, y)
    ours = quiet(rb.Perceptron.from_sklearn(theirs), X, y)
    assert np.allclose(ours.coef_, theirs.coef_, rtol=1e-9)  # the same rule: the same corrections


def test_tables_keep_their_names() -> None:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    X, y = AND
    columns = {"left": [row[0] for row in X], "right": [row[1] for row in X]}
    for table in (pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)):
        model = rb.Perceptron().fit(table, y)
        assert model.feature_names_in_.tolist() == ["left", "right"]
        assert model.predict(table).tolist() == y


def test_repr_html_and_routing() -> None:
    from sklearn import config_context

    model = rb.Perceptron(max_passes=7)
    assert "max_passes" in model._repr_html_()
    with config_context(enable_metadata_routing=True):
        assert model.set_fit_request(sample_weight=True).get_metadata_routing().fit.requests["sample_weight"] is True


LONG_FIT = """
import sys, warnings
import numpy as np
import rosenblatt as rb

rng = np.random.default_rng(0)
X, y = rng.normal(size=(100_000, 20)), rng.integers(0, int(sys.argv[1]), size=100_000)
warnings.simplefilter("ignore")
told = []

def tell(run):  # between two compiled calls: the fit is on its way
    if not told:
        told.append(True)
        print("ready", flush=True)

rb.Perceptron(max_passes=10**9, n_jobs=2)._fit(X, y, None, tell)
"""


@pytest.mark.parametrize("classes", [2, 3])
def test_interrupt_works_during_a_fit(classes: int) -> None:
    command = [sys.executable, "-c", LONG_FIT, str(classes)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        try:
            _, errors = process.communicate(timeout=20)
        finally:
            process.kill()
    assert errors.strip().endswith("KeyboardInterrupt")
