"""The benchmark `accuracy`: what it prints, and when it says FAIL. The numbers themselves are in docs/numbers."""

import numpy as np
from benchmarks.learners import accuracy, choice
from sklearn.dummy import DummyClassifier

import rosenblatt as rb


def _some_data():
    X, y = rb.datasets.margin_cloud(120, 2, 0.4, random_state=0)
    return [accuracy.Data("cloud", X, np.asarray(y))]


def test_defaults_are_not_below_scikit_learn_on_an_easy_set(capsys):
    assert accuracy.report(_some_data(), accuracy.PAIRS, repeats=1, jobs=1)
    said = capsys.readouterr().out
    assert said.count("| pass ") == len(accuracy.PAIRS)
    assert "1 × 5 folds of 1 sets: cloud (120 × 2)." in said
    for cell in ("raw, sorted", "raw, shuffled", "scaled, sorted", "scaled, shuffled"):
        assert f"cloud, {cell}" in said


def test_a_learner_that_is_worse_fails(capsys):
    pairs = {"guess": (lambda: DummyClassifier(strategy="constant", constant=1), rb.LeastSquares)}
    assert not accuracy.report(_some_data(), pairs, repeats=1, jobs=1)
    assert "FAIL" in capsys.readouterr().out


def test_sorted_rows_are_sorted_and_all_sets_have_labels():
    names = []
    for data in accuracy.all_data():
        names.append(data.name)
        assert data.X.ndim == 2
        assert len(data.X) == len(data.y)
        assert len(np.unique(data.y)) >= 2
    assert names[:5] == ["iris", "wine", "breast cancer", "digits", "sonar"]


def test_auto_is_compared_with_the_best_single_model(capsys):
    X, y = rb.datasets.margin_cloud(60, 2, 0.4, random_state=0)
    sets = {"cloud": (np.asarray(X), np.asarray(y))}
    some = {name: choice.OURS[name] for name in ("auto", "logistic (the default)")}
    good = {"LinearSVC, scaled": choice.THEIRS["LinearSVC, scaled"]}
    assert choice.report(sets, some, good, repeats=1)
    assert "LinearSVC, scaled: pass (−0.01)." in capsys.readouterr().out
    poor = {"auto": lambda X, y: DummyClassifier(strategy="constant", constant=y[0])}
    assert not choice.report(sets, poor, good, repeats=1)
    assert "FAIL" in capsys.readouterr().out
