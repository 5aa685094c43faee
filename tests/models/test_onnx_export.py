"""ONNX graphs answer as the models they were made of, under onnxruntime."""

import inspect
import json
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rosenblatt as rb
from rosenblatt import learners
from rosenblatt.learners.shared.base import LinearClassifier
from rosenblatt.models.onnx_export import to_onnx
from tests.learners.test_perceptron import quiet


def needed(name: str) -> Any:
    """A package that a user may lack, but not the machine that decides whether a change is good."""
    if os.environ.get("CI") == "true":
        return import_module(name)
    return pytest.importorskip(name, reason=f"needs {name}: pip install {name}")


onnx, onnxruntime = needed("onnx"), needed("onnxruntime")

PUBLIC = [one.kind for one in learners.CLASSES.values()]
LEARNERS = [one for one in PUBLIC if inspect.isclass(one) and issubclass(one, LinearClassifier)]

LABELS = {
    "int": [-3, 7, 11],
    "int8": np.array([-1, 1, 5], dtype=np.int8),
    "str": ["b", "z z", "é"],
    "float": [0.0, 1.0, 2.0],
    "bool": [False, True],
}
CASES = [(kind, k) for kind in LABELS for k in (2, 3) if k <= len(LABELS[kind])]
GRID = np.array([[a, b] for a in range(-3, 4) for b in range(-3, 4)], dtype=np.float64)


def clouds(k: int, n: int = 60, p: int = 11) -> tuple[np.ndarray, np.ndarray]:
    """Rows of k overlapping clouds, and the numbers of their clouds."""
    rng = np.random.default_rng(k)
    code = np.arange(n) % k
    return rng.normal(size=(k, p))[code] + rng.normal(size=(n, p)), code


def fitted(learner: Any, kind: str = "int", k: int = 2, **parameters: Any) -> tuple[Any, np.ndarray]:
    X, code = clouds(k)
    return quiet(brief(learner, **parameters), X, np.array(LABELS[kind][:k])[code]), X


def brief(learner: Any, **parameters: Any) -> Any:
    """An estimator that does not work long, if it can be told so."""
    return learner(**parameters, **{"max_passes": 20} if "max_passes" in learner().get_params() else {})


def with_weights(model: Any, coef: Any, intercept: Any, classes: Any = None) -> Any:
    """The model with weights of our choice."""
    k = max(2, len(coef))
    quiet(model, np.eye(k, len(coef[0])), np.arange(k))
    model.coef_, model.intercept_ = np.array(coef, dtype=np.float64), np.array(intercept, dtype=np.float64)
    model.classes_ = model.classes_ if classes is None else np.array(classes)
    return model


def answers(graph: Any, X: Any) -> dict[str, Any]:
    """What onnxruntime makes of the graph, given bytes or a path."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    source = graph if isinstance(graph, str) else graph.SerializeToString()
    session = onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, {"X": X}), strict=True))


def assert_agree(model: Any, X: Any) -> dict[str, Any]:
    graph = to_onnx(model)
    onnx.checker.check_model(graph, full_check=True)
    found = answers(graph, np.asarray(X, dtype=np.float64))
    assert found["label"].tolist() == model.predict(X).tolist()
    scores = model.decision_function(X)
    assert found["scores"].shape == scores.shape
    assert found["scores"].dtype == np.float64
    assert np.allclose(found["scores"], scores, rtol=1e-12, atol=1e-12)
    assert ("probabilities" in found) == hasattr(model, "predict_proba")
    if "probabilities" in found:
        assert found["probabilities"].shape == (len(X), len(model.classes_))
        assert np.allclose(found["probabilities"], model.predict_proba(X), rtol=1e-12, atol=1e-12)
    return found


# ---------------------------------------------------------------------------------------------------- the same answers


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner(learner: Any, k: int, bias: bool) -> None:
    model, X = fitted(learner, k=k, fit_intercept=bias)
    assert len(set(model.predict(X).tolist())) == k  # otherwise there is little to compare
    assert_agree(model, X)


@pytest.mark.parametrize(("kind", "k"), CASES)
@pytest.mark.parametrize("learner", [rb.Perceptron, rb.Logistic])
def test_every_kind_of_label(learner: Any, kind: str, k: int) -> None:
    model, X = fitted(learner, kind, k)
    label = assert_agree(model, X)["label"]
    assert label.dtype == (object if kind == "str" else np.int64)
    stored = {entry.key: json.loads(entry.value) for entry in to_onnx(model).metadata_props}
    assert stored == {"classes": model.classes_.tolist()}  # booleans and floats are themselves here


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("learner", LEARNERS)
def test_models_of_sparse_rows(learner: Any, k: int) -> None:
    X, y = clouds(k)
    X[np.abs(X) < 0.7] = 0
    assert_agree(quiet(brief(learner), sp.csr_matrix(X), y), X)


def test_models_of_streams_tables_and_float32() -> None:
    import pandas as pd

    X, y = clouds(2)
    assert_agree(rb.Perceptron().partial_fit(X, y, classes=[0, 1]), X)
    assert_agree(quiet(rb.Perceptron(average=True), X.astype(np.float32), y), X.astype(np.float32))
    table = pd.DataFrame(X, columns=[f"column {j}" for j in range(X.shape[1])])
    model = quiet(rb.Perceptron(pocket=True, max_passes=50), table, y)
    assert_agree(model, table)
    stored = {entry.key: json.loads(entry.value) for entry in to_onnx(model).metadata_props}
    assert stored["features"] == list(table.columns)


def test_one_row_and_none() -> None:
    for k in (2, 3):
        model, X = fitted(rb.Logistic, k=k)
        assert_agree(model, X[:1])
        assert [len(answer) for answer in answers(to_onnx(model), X[:0]).values()] == [0, 0, 0]


# --------------------------------------------------------------------------------------------------------------- ties


@pytest.mark.parametrize("tie", ["mistake", "correct", "positive"])
@pytest.mark.parametrize("bias", [True, False])
def test_rows_on_the_plane(tie: str, bias: bool) -> None:
    heights = GRID @ [2, -1] - bias
    off_plane = heights != 0
    model = rb.Perceptron(tie=tie, start=[2, -1, -1][: 2 + bias], fit_intercept=bias)
    model.fit(GRID[off_plane], np.where(heights > 0, "up", "down")[off_plane])
    assert model.n_updates_ == 0  # it starts right, and so keeps its integers
    assert model.decision_function(GRID).tolist() == heights.tolist()
    label = assert_agree(model, GRID)["label"]
    assert set(label[~off_plane]) == {"up" if tie == "positive" else "down"}


def test_plane_is_negative_for_the_others() -> None:
    for learner in LEARNERS:
        model = with_weights(learner(), [[1, -1]], [0], classes=[4, 9])
        assert set(assert_agree(model, GRID)["label"][GRID[:, 0] == GRID[:, 1]]) == {4}


SMALL = st.integers(-2, 2)


@given(st.data(), st.integers(3, 20), st.sampled_from(["mistake", "positive"]))
def test_first_of_equal_classes_wins(data: Any, k: int, tie: str) -> None:
    """Integers: sums are exact, so labels and scores are the same to the last bit, ties included."""
    coef = data.draw(st.lists(st.lists(SMALL, min_size=2, max_size=2), min_size=k, max_size=k))
    intercept = data.draw(st.lists(SMALL, min_size=k, max_size=k))
    model = with_weights(rb.Perceptron(tie=tie, max_passes=1), coef, intercept)
    found = answers(to_onnx(model), GRID)
    scores = model.decision_function(GRID)
    assert np.array_equal(found["scores"], scores)
    assert found["label"].tolist() == [row.index(max(row)) for row in scores.tolist()]
    assert found["label"].tolist() == model.predict(GRID).tolist()


# ------------------------------------------------------------------------------------------------------ probabilities


@pytest.mark.parametrize("k", [2, 3])
def test_probabilities_of_extreme_scores(k: int) -> None:
    """Where all of K > 2 classes are improbable, their ratios still count, until σ underflows for all of them."""
    steps = [[1.0], [0.99], [0.9]]
    model = with_weights(rb.Logistic(multiclass="ovr"), steps[:1] if k == 2 else steps, np.zeros(1 if k == 2 else 3))
    X = np.array([[s] for s in (-1e300, -5000, -800, -709, -705, -699, -100, -40, -36.5, -1, 0, 1, 36.5, 40, 800)])
    found = assert_agree(model, X)["probabilities"]
    assert np.allclose(found.sum(axis=1), 1, rtol=1e-15)
    if k == 3:
        assert found[1].tolist() == [1 / 3] * 3
        assert found[-8].argmax() == 2
    assert np.allclose(found, model.predict_proba(X), rtol=1e-12, atol=0)


def test_probabilities_of_classes_learned_at_once() -> None:
    model, X = fitted(rb.Logistic, k=3)
    found = assert_agree(model, X)["probabilities"]
    assert np.allclose(found, model.predict_proba(X), rtol=1e-12, atol=0)


# -------------------------------------------------------------------------------------------------- files and refusals


@pytest.mark.parametrize("kind", ["int", "str"])
def test_file_round_trip(kind: str, tmp_path: Path) -> None:
    model, X = fitted(rb.Logistic, kind, 3)
    graph, path = to_onnx(model), tmp_path / "model.onnx"
    onnx.save(graph, path)
    loaded = onnx.load(path)
    onnx.checker.check_model(loaded, full_check=True)
    assert loaded == graph
    expected = answers(graph, X)
    for again in (loaded, str(path)):
        found = answers(again, X)
        assert {name: a.tolist() for name, a in found.items()} == {name: a.tolist() for name, a in expected.items()}


def test_what_the_file_says() -> None:
    model, _ = fitted(rb.Adaline)
    graph = to_onnx(model)
    assert (graph.ir_version, [(o.domain, o.version) for o in graph.opset_import]) == (7, [("", 13)])
    assert graph.producer_name == "rosenblatt"
    assert graph.doc_string == f"Adaline, {model.outcome_}: {model.outcome_.sentence}"
    assert to_onnx(model).SerializeToString(deterministic=True) == graph.SerializeToString(deterministic=True)


@pytest.mark.parametrize("learner", LEARNERS)
def test_unfitted_models_are_refused(learner: Any) -> None:
    with pytest.raises(NotFittedError, match=f"This {learner.__name__} instance is not fitted yet"):
        to_onnx(learner())


def test_other_models_are_refused() -> None:
    X, y = clouds(3)
    with pytest.raises(TypeError, match="takes a linear classifier of rosenblatt, not LogisticRegression"):
        to_onnx(LogisticRegression().fit(X, y))  # its probabilities are another function of the scores
    with pytest.raises(TypeError, match="not LogisticRegression, alone or at the end of a pipeline"):
        to_onnx(make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y))

    class Mine(rb.Perceptron):
        """A user's variant."""

    assert_agree(quiet(Mine(max_passes=5), X, y), X)


@pytest.mark.parametrize("classes", [[0.5, 1.5], np.array([1, 2**63], dtype=np.uint64), [1.0, 1e300], [b"a", b"b"]])
def test_labels_that_onnx_lacks_are_refused(classes: Any) -> None:
    model = with_weights(rb.Perceptron(), [[1, -1]], [0], classes=classes)
    with pytest.raises(ValueError, match="has no counterpart in ONNX, whose labels are int64 or text"):
        to_onnx(model)


def test_without_onnx_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    model, _ = fitted(rb.LeastSquares)
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"to_onnx needs the onnx package: pip install 'rosenblatt\[onnx\]'"):
        to_onnx(model)


def test_outputs_stand_in_the_order_of_serving_code() -> None:
    X, y = GRID, (GRID.sum(axis=1) > 1).astype(int)
    graph = to_onnx(learners.Logistic(regularizer=1.0).fit(X, y), float32=True)
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    assert [one.name for one in session.get_outputs()] == ["label", "probabilities", "scores"]
    assert [one.type for one in session.get_inputs()] == ["tensor(float)"]
    label, *_ = session.run(None, {"X": X.astype(np.float32)})
    assert label.tolist() == y.tolist()
