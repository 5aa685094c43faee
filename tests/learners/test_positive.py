"""Which of two classes is +1: the one that `positive` names, the lectures' ⊕ and C1, otherwise the second in order."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, get_scorer, make_scorer

import rosenblatt as rb
from rosenblatt.learners import CLASSES
from tests.learners.test_perceptron import quiet

X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
PAIRS = [
    (["⊖", "⊖", "⊖", "⊕"], None, "⊕"),
    (["C2", "C2", "C2", "C1"], None, "C1"),
    (["no", "no", "no", "yes"], None, "yes"),
    (["false", "false", "false", "true"], None, "true"),
    ([False, False, False, True], None, True),
    (["A", "A", "A", "B"], None, "B"),
    (["B", "B", "B", "A"], "A", "A"),
    ([1, 1, 1, 0], 0, 0),
]


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize(("y", "given", "positive"), PAIRS)
def test_the_last_row_is_positive(name: str, y: list[Any], given: Any, positive: Any, tmp_path: Any) -> None:
    numbered = quiet(CLASSES[name].kind(), X, [0, 0, 0, 1])
    model = quiet(CLASSES[name].kind(positive=given), X, y)
    assert model.classes_[1] == positive
    assert model.decision_function(X).tolist() == numbered.decision_function(X).tolist()
    assert model.predict(X).tolist() == [model.classes_[k] for k in numbered.predict(X)]
    rb.save(model, tmp_path / "model")
    assert rb.load(tmp_path / "model").predict(X).tolist() == model.predict(X).tolist()


@pytest.mark.parametrize(("y", "given", "positive"), PAIRS)
def test_streams_and_clusters_agree(y: list[Any], given: Any, positive: Any) -> None:
    whole, stream = rb.Perceptron(positive=given).fit(X, y), rb.Perceptron(positive=given)
    for x, label in zip(X, y, strict=True):
        stream.partial_fit([x], [label], classes=np.unique(y))
    assert stream.classes_.tolist() == whole.classes_.tolist()
    assert stream.coef_.tolist() == [[1.0, 1.0]]
    there = rb.Perceptron(positive=given)
    rb.distributed.fit(there, [(X, np.array(y))], None, "here")
    assert there.classes_.tolist() == whole.classes_.tolist()
    assert there.coef_.tobytes() == whole.coef_.tobytes()


@pytest.mark.parametrize(("y", "given", "positive"), PAIRS)
def test_a_verdict_has_the_same_side(y: list[Any], given: Any, positive: Any) -> None:
    verdict = rb.separability(X, y, positive=given)
    assert (verdict.hyperplane.side(X) > 0).tolist() == [label == positive for label in y]
    assert rb.verify(verdict.certificate, X, y).startswith("complete")


def test_models_of_two_classes_take_it_too() -> None:
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(40, 2)), rng.choice(["A", "B"], size=40)
    numbered, of_a = rb.estimate(rows, labels == "A"), rb.estimate(rows, labels, positive="A")
    assert [one.value for one in of_a.coefficients] == [one.value for one in numbered.coefficients]
    assert "y = A" in str(of_a)
    frame = pd.DataFrame(rows, columns=["u", "v"]).assign(y=labels)
    by_formula = rb.estimate("y ~ u + v", data=frame, positive="A")
    values = {one.name: one.value for one in by_formula.coefficients}
    assert values["u"] == pytest.approx(of_a.coefficients[0].value)
    apart = np.where(rows[:, 0] > 0, "A", "B")
    for more in ({}, {"fixed_effects": np.arange(40) % 2}):
        verdict = rb.existence(rows, apart, positive="A", **more)
        assert verdict.hyperplane.w[0] > 0
        assert rb.verify(verdict.certificate, rows, apart, **more)
    for ask in (rb.estimate, rb.existence):
        with pytest.raises(TypeError, match="positive is one of two classes"):
            ask(rows, rng.integers(0, 5, size=40), "poisson", positive=1)
        with pytest.raises(ValueError, match="positive='C' is not among the classes"):
            ask(rows, labels, positive="C")
    with pytest.raises(TypeError, match="leave positive out"):
        rb.existence(rows, labels, classes=["A", "B"], positive="A")


def test_scorers_of_scores_read_classes_in_order() -> None:
    """Why A is positive only where it is named: scikit-learn then takes scores for the other class."""
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(100, 2))
    labels = np.where(rows[:, 0] + 0.3 * rng.normal(size=100) > 0, "A", "B")
    area = get_scorer("roc_auc")
    as_they_are, named = quiet(rb.Perceptron(), rows, labels), quiet(rb.Perceptron(positive="A"), rows, labels)
    assert area(as_they_are, rows, labels) > 0.9
    assert area(named, rows, labels) < 0.1
    precision = make_scorer(average_precision_score, response_method="decision_function", pos_label="A")
    assert precision(named, rows, labels) == pytest.approx(precision(as_they_are, rows, labels))
    assert precision(named, rows, labels) > 0.9


@pytest.mark.parametrize(
    ("y", "sentence"),
    [(["a", "b", "c", "a"], "positive='x' is for two classes"), (["a", "b", "a", "b"], "is not among the classes")],
)
def test_what_cannot_be_positive_is_refused(y: list[str], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        rb.Perceptron(positive="x").fit(X, y)


def test_a_growing_stream_has_no_positive_class() -> None:
    with pytest.raises(ValueError, match="positive is for two"):
        rb.Perceptron(positive="a").partial_fit(X, ["a", "b", "a", "b"], classes="grow")


@pytest.mark.parametrize(("negative", "positive"), [("C2", "C1"), ("⊖", "⊕"), ("no", "yes"), ("A", "B")])
def test_tables_and_estimates_have_the_same_positive_class(negative: str, positive: str, tmp_path: Any) -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(40, 2))
    y = np.where(rows[:, 0] + rng.normal(size=40) > 0, positive, negative)
    assert np.asarray(rb.estimate(rows, y).params)[0] == pytest.approx(rb.Logistic().fit(rows, y).coef_[0, 0])
    frame = pd.DataFrame({"a": rows[:, 0], "b": rows[:, 1], "y": y})
    assert rb.data.open_table(frame=frame, target="y").classes == (negative, positive)
    frame.to_csv(tmp_path / "table.csv", index=False)
    table = rb.data.open_table(path=str(tmp_path / "table.csv"), target="y")
    assert table.classes == (negative, positive)
    assert ((table.y > 0) == (y == positive)).all()
