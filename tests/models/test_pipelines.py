"""Whole pipelines in a file; models of before still load."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rosenblatt as rb
from rosenblatt.models.answers import answers, load_with_encoding
from rosenblatt.models.storage import read_arrays, write_arrays

KEPT = Path(__file__).parent / "kept"  # written by the version before pipelines


@pytest.mark.parametrize("name", ["two", "three"])
def test_a_model_of_before_answers_as_it_did(name: str) -> None:
    model, encoding = load_with_encoding(KEPT / f"{name}.model")
    table = rb.data.open_table(KEPT / "pets.csv", encoding=encoding, labels=False)
    (found,) = answers(model, table)
    columns = found.columns(model.classes_)
    with open(KEPT / f"{name}.csv", newline="") as file:
        header, *rows = csv.reader(file)
    assert list(columns) == header
    for name_, *values in zip(header, *rows, strict=True):
        said = columns[name_].tolist()
        assert [str(one) for one in said] == values


STEPS = {
    "scaled": [StandardScaler()],
    "divided": [StandardScaler(with_mean=False)],
    "centred": [StandardScaler(with_std=False)],
    "features": [rb.FourierFeatures(9)],
    "both": [StandardScaler(), rb.FourierFeatures(9)],
    "none": [],
}


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize(
    "learner", [rb.Logistic(regularizer=1.0), rb.Perceptron(max_passes=5, multiclass="kesler"), rb.KernelPerceptron()]
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_pipeline_comes_back_bit_for_bit(name: str, learner: Any, tmp_path: Path) -> None:
    X, y = load_iris(return_X_y=True)
    model = make_pipeline(*STEPS[name], learner).fit(X, y)
    rb.save(model, tmp_path / "m")
    again = rb.load(tmp_path / "m")
    assert again.decision_function(X).tobytes() == model.decision_function(X).tobytes()
    assert [called for called, _ in again.steps] == [called for called, _ in model.steps]
    assert again[-1].outcome_ == model[-1].outcome_
    rb.save(again, tmp_path / "n")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "n").read_bytes()
    if name == "divided":
        rows = sp.csr_matrix(X)
        assert again.decision_function(rows).tobytes() == model.decision_function(rows).tobytes()


@pytest.mark.parametrize("step", [StandardScaler(), rb.FourierFeatures(9)])
def test_a_pipeline_knows_its_columns_when_it_comes_back(step: Any, tmp_path: Path) -> None:
    """Without their names it would answer columns in another order, in silence and wrongly."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    rb.save(make_pipeline(step, rb.Logistic(regularizer=1.0)).fit(X, y), tmp_path / "m")
    again = rb.load(tmp_path / "m")
    assert again.feature_names_in_.tolist() == X.columns.tolist()
    with pytest.raises(ValueError, match="feature names should match"):
        again.predict(X[X.columns[::-1]])


def test_what_cannot_be_saved_is_named(tmp_path: Path) -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(
        TypeError, match=r"the step 'pca' of the pipeline, PCA\(n_components=2\), cannot be saved: .* Fourier"
    ):
        rb.save(make_pipeline(PCA(2), rb.LeastSquares()).fit(X, y), tmp_path / "m")
    with pytest.raises(TypeError, match="the step 'passthrough' of the pipeline"):
        rb.save(make_pipeline("passthrough", rb.LeastSquares()).fit(X, y), tmp_path / "m")
    with pytest.raises(TypeError, match="cannot be saved"):
        rb.save(make_pipeline(StandardScaler(), rb.FourierFeatures(2)).fit(X), tmp_path / "m")
    with pytest.raises(TypeError, match="the step 'pipeline' of the pipeline"):
        rb.save(make_pipeline(make_pipeline(StandardScaler()), rb.LeastSquares()).fit(X, y), tmp_path / "m")
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda arrays, told: told["steps"].pop(0), "do not fit together|is damaged"),
        (lambda arrays, told: told["steps"].pop(), "ends in a learner"),
        (lambda arrays, told: told["steps"].reverse(), "is damaged"),
        (lambda arrays, told: told["steps"][0].__setitem__(1, told["steps"][2][1]), "is damaged"),
        (lambda arrays, told: told["steps"][0][1].__setitem__("class", "PCA"), "of the class 'PCA'"),
        (lambda arrays, told: told["steps"][0][1].__setitem__("class", "Pipeline"), "a pipeline in it"),
        (lambda arrays, told: told["steps"][0].__setitem__(1, None), "is damaged"),
        (lambda arrays, told: arrays["0.size"].__setitem__(0, 0.0), "divides by numbers above 0"),
        (lambda arrays, told: arrays["1.frequencies"].__setitem__(0, np.nan), "finite frequencies"),
        (lambda arrays, told: arrays.update({"1.phases": arrays["1.phases"][:3]}), "is damaged"),
        (lambda arrays, told: told["steps"][1][1].__setitem__("width", -1.0), "width above 0"),
    ],
)
def test_forged_pipelines_are_refused(change: Any, words: str, tmp_path: Path) -> None:
    X, y = load_iris(return_X_y=True)
    rb.save(make_pipeline(StandardScaler(), rb.FourierFeatures(4), rb.LeastSquares()).fit(X, y), tmp_path / "m")
    arrays, told = read_arrays(tmp_path / "m", "model/1")
    arrays = {name: np.array(one) for name, one in arrays.items()}
    change(arrays, told)
    write_arrays(tmp_path / "m", "model/1", arrays, told)
    with pytest.raises(ValueError, match=words):
        rb.load(tmp_path / "m")
