"""Measures of answers, against their definitions and against scikit-learn's."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from rosenblatt.comparison.measures import MEASURES, Answered, measure
from rosenblatt.probes.evidence.chance import Shuffles
from rosenblatt.probes.evidence.measures import Clusters, judge_classes


def pairs_in_order(classes: Any, scores: Any, folds: Any, own: int) -> float:
    """AUC by its definition: all pairs of one fold, one by one."""
    won, all_pairs = 0.0, 0
    for i, j in product(range(len(classes)), repeat=2):
        if classes[i] == own and classes[j] != own and folds[i] == folds[j]:
            all_pairs += 1
            won += 1.0 if scores[i] > scores[j] else 0.5 if scores[i] == scores[j] else 0.0
    return won / all_pairs


@st.composite
def answered(draw: Any) -> Answered:
    """Some rows of every class in every fold, tied scores among them."""
    k, folds = draw(st.integers(2, 4)), draw(st.integers(1, 3))
    seed = draw(st.integers(0, 2**32 - 1))
    random = np.random.default_rng(seed)
    extra = random.integers(0, [[k], [folds]], size=(2, draw(st.integers(0, 12))))
    classes, fold = np.hstack([np.array(list(product(range(k), range(folds)))).T, extra])
    scores = random.integers(-2, 3, size=(len(classes), k)).astype(float)
    probabilities = random.dirichlet(np.ones(k), size=len(classes))
    if k == 2:
        said, scores = (scores[:, 1] > 0).astype(np.intp), scores[:, 1]
    else:
        said = scores.argmax(axis=1)
    return Answered(classes.astype(np.intp), said, scores, k, probabilities, fold.astype(np.intp))


@given(answered())
def test_values_are_the_definitions(found: Answered) -> None:
    values = measure(found)
    assert set(values) == set(MEASURES)
    assert values["accuracy"].value == pytest.approx(metrics.accuracy_score(found.classes, found.said))
    assert values["balanced_accuracy"].value == pytest.approx(
        np.mean([np.mean(found.said[found.classes == c] == c) for c in range(found.k)])
    )
    columns = {1: found.scores} if found.k == 2 else dict(enumerate(found.scores.T))
    naive = [pairs_in_order(found.classes, s, found.folds, c) for c, s in columns.items()]
    assert values["auc"].value == pytest.approx(np.mean(naive))
    assert found.probabilities is not None
    losses = [-np.log(p[c]) for p, c in zip(found.probabilities, found.classes, strict=True)]
    assert values["log_loss"].value == pytest.approx(np.mean(losses))
    for one in values.values():
        assert one.low <= one.value <= one.high


def test_two_classes_of_one_fold_are_scikit_learn_s_and_the_probes() -> None:
    """Values and intervals: the probes have the same measures, worked out in another way."""
    random = np.random.default_rng(3)
    classes = random.integers(0, 2, 80)
    scores = random.normal(size=80) + classes
    p = 1 / (1 + np.exp(-scores))
    found = measure(Answered(classes, (scores > 0) * 1, scores, 2, np.column_stack([1 - p, p])))
    assert found["auc"].value == pytest.approx(metrics.roc_auc_score(classes, scores))
    assert found["balanced_accuracy"].value == pytest.approx(metrics.balanced_accuracy_score(classes, scores > 0))
    assert found["log_loss"].value == pytest.approx(metrics.log_loss(classes, p))
    y = np.where(classes > 0, 1, -1)[None, :]
    theirs = judge_classes(scores[None, :], y, Clusters(), Shuffles(0, 0), np.array([True])).values[:, :, 0]
    for row, name in {0: "accuracy", 1: "auc", 2: "balanced_accuracy", 4: "log_loss"}.items():
        np.testing.assert_allclose(found[name][:3], theirs[row], rtol=1e-9)


def test_certainty_that_is_wrong_costs_what_scikit_learn_says() -> None:
    p = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    found = measure(Answered(np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([-9.0, 9, 9]), 2, p))
    assert found["log_loss"].value == pytest.approx(metrics.log_loss([0, 0, 1], p[:, 1]))


def test_what_is_not_there_is_not_said() -> None:
    alone = measure(Answered(np.array([1, 1]), np.array([1, 0]), np.array([1.0, -1.0]), 2))
    assert alone["accuracy"].value == 0.5
    assert np.isnan([alone[name].value for name in ("balanced_accuracy", "auc", "log_loss")]).all()
    assert str(alone["auc"]) == "—"
    empty = measure(Answered(np.zeros(0, dtype=int), np.zeros(0, dtype=int), np.zeros(0), 2))
    assert np.isnan(empty["accuracy"].value)


@pytest.mark.parametrize("k", [2, 3])
def test_intervals_cover(k: int) -> None:
    """95 % of intervals have the truth in them: answers that are drawn, with measures that are known."""
    random, hit, times = np.random.default_rng(k), np.zeros(3), 300
    shift = 1.2

    def draw(n: int) -> Answered:
        classes = np.sort(random.integers(0, k, n))
        scores = random.normal(size=(n, k))
        scores[np.arange(n), classes] += shift
        if k == 2:
            one = scores[:, 1] - scores[:, 0]
            return Answered(classes, (one > 0) * 1, one, 2)
        return Answered(classes, scores.argmax(axis=1), scores, k)

    names = ("accuracy", "balanced_accuracy", "auc")
    large = measure(draw(200_000))
    for _ in range(times):
        found = measure(draw(120))
        hit += [found[name].low <= large[name].value <= found[name].high for name in names]
    assert (hit / times > 0.92).all(), hit / times
