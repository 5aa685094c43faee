"""Save, load, go on: the model of one long fit, bit for bit."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import rosenblatt as rb
from rosenblatt.models.storage import read_arrays, write_arrays
from tests.learners.test_perceptron import quiet

LEARNERS = {
    "perceptron": lambda **k: rb.Perceptron(**k),
    "averaged": lambda **k: rb.Perceptron(average=True, **k),
    "pocket": lambda **k: rb.Perceptron(pocket=True, trace=True, **k),
    "margin": lambda **k: rb.Perceptron(margin=0.1, normalize=True, start="random", **k),
    "kesler": lambda **k: rb.Perceptron(multiclass="kesler", average=True, trace=True, **k),
    "patient": lambda **k: rb.Perceptron(patience=3, **k),
    "passive-aggressive": lambda **k: rb.PassiveAggressive(**k),
    "passive-aggressive II": lambda **k: rb.PassiveAggressive(variant="II", average=True, **k),
    "adaline": lambda **k: rb.Adaline(tol=0, **k),
    "adaline averaged": lambda **k: rb.Adaline(tol=0, average=True, **k),
    "adaline batch": lambda **k: rb.Adaline(tol=0, mode="batch", **k),
    "logistic": lambda **k: rb.Logistic(tol=0, mode="incremental", **k),
    "logistic batch": lambda **k: rb.Logistic(tol=0, mode="batch", **k),
    "least squares": lambda order, **k: rb.LeastSquares(regularizer=0.5, **k),
}


def fingerprint(model: Any) -> list[Any]:
    """All that a fit leaves, to be compared to the last bit."""
    parts = [model.coef_.tobytes(), model.intercept_.tobytes(), model.mistakes_per_pass_.tolist(), model.n_updates_]
    parts += [repr(model.outcome_), model.n_passes_, model._running.tobytes()]
    if model.trace_ is not None:
        traces = model.trace_ if isinstance(model.trace_, list) else [model.trace_]
        parts += [(t.rows.tolist(), t.steps.tolist(), t.pass_ends.tolist()) for t in traces]
        parts += [t.classes.tolist() for t in traces if hasattr(t, "classes")]
    return parts


@settings(max_examples=max(120, settings.default.max_examples))
@given(
    st.sampled_from(sorted(LEARNERS)),
    st.sampled_from(["cyclic", "shuffled", "random"]),
    st.integers(1, 6),
    st.integers(1, 6),
    st.integers(0, 2**31 - 1),
    st.sampled_from([2, 3]),
    st.sampled_from(["int", "generator", "weights", "sparse"]),
)
def test_resumed_is_undisturbed(
    tmp_path: Path, name: str, order: str, k: int, more: int, seed: int, classes: int, how: str
) -> None:
    if how == "sparse" and settings.default.max_examples < 2000:
        order = "cyclic"  # each order of sparse rows is compiled by itself: `make soak` has all
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(int(rng.integers(4, 40)), int(rng.integers(1, 9))))
    y = rng.integers(0, classes, size=len(X))
    y[:classes] = range(classes)
    data = sp.csr_array(X) if how == "sparse" else X
    weights = {"sample_weight": rng.choice([0.5, 1.0, 2.0], size=len(X))} if how == "weights" else {}

    def make(passes: int) -> Any:
        random_state = np.random.RandomState(7) if how == "generator" else 7
        return LEARNERS[name](order=order, max_passes=passes, random_state=random_state, warm_start=True)

    whole = quiet(make(k + more), data, y, **weights)
    first = quiet(make(k), data, y, **weights)
    rb.save(first, tmp_path / "model")
    second = rb.load(tmp_path / "model")
    assert fingerprint(second) == fingerprint(first)
    assert np.array_equal(second.predict(data), first.predict(data))
    if any("no pass beat" in one.sentence for one in getattr(first, "outcomes_", [first.outcome_])):
        return  # patience ran out; going on is a new decision
    second.set_params(max_passes=more)
    assert fingerprint(quiet(second, data, y, **weights)) == fingerprint(whole)


@pytest.mark.parametrize("name", ["perceptron", "averaged", "margin", "passive-aggressive", "adaline", "logistic"])
def test_stream_goes_on_after_loading(name: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 5)), rng.choice(["no", "yes"], size=60)
    whole, first = (
        LEARNERS[name](order="cyclic", random_state=0).partial_fit(X[:20], y[:20], classes=["no", "yes"])
        for _ in range(2)
    )
    rb.save(first, tmp_path / "model")
    second = rb.load(tmp_path / "model")
    for model in (whole, second):
        for i in range(20, 60):
            model.partial_fit(X[i : i + 1], y[i : i + 1])
    assert second.coef_.tobytes() == whole.coef_.tobytes()
    assert second.intercept_.tobytes() == whole.intercept_.tobytes()
    assert second.n_updates_ == whole.n_updates_
    assert str(second.outcome_) == "ONLINE"


@pytest.mark.parametrize("labels", [[0, 1], ["no", "yes"], [False, True], [1.0, 2.0], ["a", "b", "c"]])
def test_labels_names_and_proofs_survive(labels: list[Any], tmp_path: Path) -> None:
    import pandas as pd

    X = pd.DataFrame({"left": [0.0, 1.0, 2.0, 3.0], "right": [1.0, 0.0, 1.0, 0.0]})
    y = np.array([labels[k % len(labels)] for k in range(4)])
    model = quiet(rb.Perceptron(trace=True, class_weight={labels[0]: 2.0}), X, y)
    rb.save(model, tmp_path / "model")
    loaded = rb.load(tmp_path / "model")
    assert loaded.classes_.tolist() == model.classes_.tolist()
    assert loaded.classes_.dtype == model.classes_.dtype
    assert loaded.feature_names_in_.tolist() == ["left", "right"]
    assert loaded.predict(X).tolist() == model.predict(X).tolist()
    assert loaded.get_params() == model.get_params()
    assert str(loaded.witness_) == str(model.witness_)
    assert fingerprint(loaded) == fingerprint(model)
    assert clone(loaded).get_params() == model.get_params()


def test_witness_survives(tmp_path: Path) -> None:
    model = quiet(rb.Perceptron(), *rb.datasets.xor())
    rb.save(model, tmp_path / "model")
    assert rb.load(tmp_path / "model").witness_.multipliers == (1, 1, 1, 1)


def test_strangers_are_refused(tmp_path: Path) -> None:
    from sklearn.exceptions import NotFittedError
    from sklearn.linear_model import Perceptron as Theirs

    path = tmp_path / "model"
    with pytest.raises(TypeError, match="only rosenblatt's own models"):
        rb.save(Theirs().fit([[0.0], [1.0]], [0, 1]), path)
    with pytest.raises(NotFittedError):
        rb.save(rb.Perceptron(), path)
    assert not path.exists()
    rb.save(rb.Perceptron().fit([[0.0], [1.0]], [0, 1]), path)
    arrays, metadata = read_arrays(path, "model/1")
    write_arrays(path, "model/1", arrays, {**metadata, "class": "os.system"})
    with pytest.raises(ValueError, match=r"class 'os\.system', which is not one of"):
        rb.load(path)
    write_arrays(path, "model/9", arrays, metadata)
    with pytest.raises(ValueError, match="holds model/9, not model/1"):
        rb.load(path)
    del metadata["classes"]
    write_arrays(path, "model/1", arrays, metadata)
    with pytest.raises(ValueError, match="is damaged: KeyError, 'classes'"):
        rb.load(path)


def test_an_average_is_not_begun_midway() -> None:
    X, y = rb.datasets.sonar()
    model = quiet(rb.Perceptron(average=False, max_passes=5, warm_start=True), X, y)
    quiet(model.set_params(average=True), X, y)
    start = quiet(rb.Perceptron(average=False, max_passes=5), X, y)
    fresh = quiet(rb.Perceptron(max_passes=5, average=True, start=[*start.coef_[0], *start.intercept_]), X, y)
    assert model.coef_.tobytes() == fresh.coef_.tobytes()


def test_a_folder_is_not_a_model(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is a folder, not a rosenblatt file"):
        rb.load(tmp_path)
