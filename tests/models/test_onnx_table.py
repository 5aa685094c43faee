"""ONNX of whole pipelines: raw tables with text go in, and what `rosenblatt predict` says comes out."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rosenblatt as rb
from rosenblatt.cli.app import main
from tests.models.test_onnx_export import needed

onnx, onnxruntime = needed("onnx"), needed("onnxruntime")

HEADER = ["coat", "weight", "indoors", "age", "pet"]


def rows(n: int = 60, missing: bool = False, kinds: int = 3) -> list[list[str]]:
    """Pets: text, numbers and booleans, each of which may be missing."""
    rng = np.random.default_rng(n)
    out = []
    for i in range(n):
        pet = i % kinds
        coat = ["short", "long", "none", "é t"][min(3, int(rng.integers(0, 3)) + (pet == 2))]
        cells = [coat, f"{rng.normal(10 * pet, 5):.2f}", str(rng.random() < 0.3 + 0.2 * pet).lower(), f"{i % 9}"]
        if missing:
            cells = ["" if rng.random() < 0.15 and k != 3 else cell for k, cell in enumerate(cells)]
        out.append([*cells, ["cat", "dog", "fish"][pet]])
    return out


def write(name: str, body: list[list[str]]) -> None:
    with open(name, "w", newline="") as file:
        csv.writer(file).writerows([HEADER, *body])


def as_inputs(session: Any, body: list[list[str]]) -> dict[str, Any]:
    """The raw cells as the graph takes them."""
    given = {}
    for one in session.get_inputs():
        cells = [row[HEADER.index(one.name)] for row in body]
        if one.type == "tensor(string)":
            given[one.name] = np.array(cells, dtype=object)
        else:
            words = {"": np.nan, "true": 1.0, "false": 0.0}
            given[one.name] = np.array([words[c] if c in words else float(c) for c in cells])
    return given


@pytest.mark.parametrize(
    ("options", "missing", "kinds"),
    [
        ([], False, 3),
        (["--learner", "averaged", "--scale"], False, 3),
        (["--learner", "perceptron", "--scale"], False, 2),
        (["--degree", "3", "--learner", "least-squares"], False, 2),
        (["--rff", "40"], False, 3),
        (["--missing", "indicator", "--learner", "logistic", "--regularizer", "1", "--scale"], True, 2),
        (["--missing", "indicator", "--degree", "2", "--rff", "10"], True, 3),
        (["--no-intercept", "--learner", "passive-aggressive", "--rff", "25"], False, 2),
        (["--learner", "auto", "--cv", "2"], False, 3),
    ],
)
def test_the_graph_of_a_table_answers_as_predict(
    options: list[str], missing: bool, kinds: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write("t.csv", rows(60, missing, kinds))
    body = rows(45, missing, kinds)
    write("new.csv", body)
    assert main(["fit", "t.csv", "--target", "pet", "-o", "m", "--passes", "30", *options]) == 0
    model = rb.load("m")
    proba = ["--proba"] if hasattr(model, "predict_proba") else []
    assert main(["predict", "m", "new.csv", "-o", "p.csv", *proba]) == 0
    with open("p.csv", newline="") as file:
        header, *said = csv.reader(file)
    proto = rb.to_onnx(model, table=True)
    onnx.checker.check_model(proto, full_check=True)
    session = onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    assert [one.name for one in session.get_inputs()] == HEADER[:-1]
    found = dict(
        zip([one.name for one in session.get_outputs()], session.run(None, as_inputs(session, body)), strict=True)
    )
    columns = {name: [row[k] for row in said] for k, name in enumerate(header)}
    scores = np.array([[float(v) for n, v in zip(header, row, strict=True) if n.startswith("score")] for row in said])
    np.testing.assert_allclose(found["scores"].reshape(scores.shape), scores, rtol=1e-8, atol=1e-8 * abs(scores).max())
    clear = (np.abs(scores[:, 0]) if scores.shape[1] == 1 else np.ptp(np.sort(scores, axis=1)[:, -2:], axis=1)) > 1e-9
    assert (found["label"] == np.array(columns["label"]))[clear].all()
    if proba:
        p = [[float(v) for n, v in zip(header, row, strict=True) if n.startswith("probability=")] for row in said]
        np.testing.assert_allclose(found["probabilities"], p, atol=1e-9)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_pipelines_of_python() -> None:
    X, y = load_iris(return_X_y=True)
    for steps in ([StandardScaler()], [StandardScaler(with_std=False), rb.FourierFeatures(12)]):
        model = make_pipeline(*steps, rb.Perceptron(max_passes=9)).fit(X, y)
        proto = rb.to_onnx(model)
        session = onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
        scores = session.run(["scores"], {"X": X})[0]
        np.testing.assert_allclose(scores, model.decision_function(X), atol=1e-9)


def test_what_has_no_graph_is_refused_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    X, y = load_iris(return_X_y=True)
    plain = rb.LeastSquares().fit(X, y)
    with pytest.raises(ValueError, match="was not learned from a table"):
        rb.to_onnx(plain, table=True)
    with pytest.raises(TypeError, match="to_onnx knows no PCA"):
        rb.to_onnx(make_pipeline(PCA(2), rb.LeastSquares()).fit(X, y))
    write("t.csv", rows())
    assert main(["fit", "t.csv", "--target", "pet", "-o", "m", "--hash", "coat", "--learner", "least-squares"]) == 0
    with pytest.raises(ValueError, match="column 'coat' is hashed, for which ONNX has no operator"):
        rb.to_onnx(rb.load("m"), table=True)
    Path("l.csv").write_text("label,y\n1,0\n2,1\n3,0\n4,1\n")
    assert main(["fit", "l.csv", "--target", "y", "-o", "l"]) == 0
    with pytest.raises(ValueError, match="column 'label' has the name of an output"):
        rb.to_onnx(rb.load("l"), table=True)
