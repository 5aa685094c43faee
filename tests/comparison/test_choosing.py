"""The simplest within one standard error of the best."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_wine
from sklearn.pipeline import Pipeline

import rosenblatt as rb
from rosenblatt.comparison.choosing import NEWTON_COLUMNS, Candidate, _simplest, family
from rosenblatt.comparison.folds import CrossValidated
from rosenblatt.comparison.measures import Answered, Measure


def result(value: float, error: float) -> CrossValidated:
    nothing = Answered(np.zeros(0, dtype=int), np.zeros(0, dtype=int), np.zeros(0), 2)
    return CrossValidated({"accuracy": Measure(value, 0.0, 1.0, error)}, 5, np.array([0, 1]), nothing)


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 4)), min_size=1, max_size=8))
def test_the_rule(drawn: list[tuple[int, int]]) -> None:
    values = [(value / 16, error / 16) for value, error in drawn]
    best = max(value for value, _ in values)
    error = next(error for value, error in values if value == best)
    expected = next(k for k, (value, _) in enumerate(values) if value >= best - error)
    assert _simplest({str(k): result(*one) for k, one in enumerate(values)}, "accuracy") == str(expected)


def test_the_order_is_the_one_that_is_stated() -> None:
    names = [one.called for one in family(10, 3)]
    assert names == [
        "least-squares",
        "logistic, regularizer 1",
        "logistic",
        "averaged",
        "pocket",
        "passive-aggressive",
        "perceptron",
    ]
    stated = (rb.comparison.choosing.__doc__ or "").splitlines()
    assert [line.split("  ")[2].strip() for line in stated if line.startswith("    ")] == names
    assert [one.called for one in family(NEWTON_COLUMNS + 1, 2)] == names[3:]


def test_the_family_on_wine() -> None:
    X, y = load_wine(return_X_y=True)
    choice = rb.choose(X, y, folds=3)
    assert choice.best in choice.results
    one = choice.results[choice.name]
    alone = rb.cross_validate(choice.model, X, y, folds=3)
    assert alone.measures["accuracy"] == one.measures["accuracy"], "the same folds, the same fits"
    lines = str(choice).splitlines()
    assert lines[0].startswith(f"{choice.name}: the ")
    assert len(lines) == 3 + len(choice.results)
    assert "nested=True" in lines[-1]
    assert choice.sentence in choice._repr_html_()
    assert choice.model.fit(X, y).score(X, y) > 0.97


def test_balanced_classes_are_compared_by_balanced_accuracy() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 1)), np.repeat([0, 1], [80, 10])
    X[y == 1] += 1.0
    candidates = [Candidate("least-squares", rb.LeastSquares(class_weight="balanced"), False)]
    assert rb.choose(X, y, candidates=candidates).by == "balanced_accuracy"


def test_random_features_are_part_of_every_candidate() -> None:
    X, y = rings()
    flat, bent = rb.choose(X, y, folds=3), rb.choose(X, y, folds=3, n_components=60)
    assert flat.results[flat.best].measures["accuracy"].value < 0.7
    assert bent.results[bent.best].measures["accuracy"].value > 0.9
    assert isinstance(bent.model, Pipeline)
    with pytest.raises(ValueError, match="needs one of every class"):
        rb.choose(X[:3], [0, 0, 1])


def rings() -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    angle, y = rng.uniform(0, 2 * np.pi, 120), np.arange(120) % 2
    return np.column_stack([np.cos(angle), np.sin(angle)]) * (1 + 2 * y + rng.normal(0, 0.1, 120))[:, None], y


def test_folds_may_choose_learners_with_probabilities_and_without() -> None:
    """Then all rows have no probabilities and no log loss, and all other measures."""
    random = np.random.default_rng([116, 3])
    X, y = random.normal(size=(60, 4)), random.random(60) < 0.5
    found = rb.choose(X, y, nested=True, folds=3, candidates=family(4, 2)[:4], random_state=116).honest
    assert np.isnan(found.measures["log_loss"].value)
    assert found.measures["auc"].low < found.measures["auc"].value < found.measures["auc"].high
    assert found.answers.probabilities is None
