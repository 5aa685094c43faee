"""Predicted probabilities beside what was found, against counting by hand."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

import rosenblatt as rb
from rosenblatt.plot import CalibrationDisplay


@given(st.integers(1, 120), st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_groups_by_hand(n: int, n_groups: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    p = rng.random(n).round(1)
    y = rng.random(n) < p
    display = CalibrationDisplay.from_predictions(y, p, n_groups=n_groups)
    assert display.sizes.sum() == n
    assert np.ptp(display.sizes) <= 1
    assert len(display.sizes) == max(1, min(n_groups, n // 10))
    order = sorted(range(n), key=lambda i: p[i])
    start = 0
    for k, size in enumerate(display.sizes):
        rows = order[start : start + size]
        start += size
        hits = sum(bool(y[i]) for i in rows)
        assert display.found[k] == hits / size
        assert display.predicted[k] == pytest.approx(sum(p[i] for i in rows) / size)
        ends = binomtest(hits, int(size)).proportion_ci(0.95, method="exact")
        np.testing.assert_allclose([display.low[k], display.high[k]], [ends.low, ends.high], atol=1e-9)
    within = sum(a <= b <= c for a, b, c in zip(display.low, display.predicted, display.high, strict=True))
    assert display.kept == within
    assert display.sentence.startswith(f"In {within} of {len(display.sizes)} group")


def test_true_probabilities_are_found_to_be_kept() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(4000)
    assert CalibrationDisplay.from_predictions(rng.random(4000) < p, p).kept >= 9
    assert CalibrationDisplay.from_predictions(rng.random(4000) < p, np.sqrt(p)).kept <= 4


def test_it_draws() -> None:
    X, y = rb.datasets.sonar()
    display = CalibrationDisplay.from_estimator(rb.Logistic(regularizer=1.0).fit(X, y), X, y)
    assert display.ax_.get_xlabel() == "predicted probability of R"
    assert len(display.ax_.lines[-1].get_xdata()) == 10
    assert display.plot(title="mine").ax_.get_title(loc="left") == "mine"


@pytest.mark.parametrize(
    ("y", "p", "words"),
    [
        ([1, 0], [0.5, 1.5], "between 0 and 1"),
        ([1, 0], [0.5], "need one value a row"),
        ([], [], "need one value a row"),
        ([1, 0], [0.5, np.nan], "between 0 and 1"),
    ],
)
def test_refusals(y: Any, p: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        CalibrationDisplay.from_predictions(np.array(y), np.array(p))


def test_scores_are_no_probabilities() -> None:
    X, y = rb.datasets.sonar()
    with pytest.raises(ValueError, match="LeastSquares has no predict_proba"):
        CalibrationDisplay.from_estimator(rb.LeastSquares().fit(X, y), X, y)
    model = rb.Logistic(regularizer=1.0).fit(np.eye(3), [0, 1, 2])
    with pytest.raises(ValueError, match="the model knows 3"):
        CalibrationDisplay.from_estimator(model, np.eye(3), [0, 1, 2])


@pytest.mark.parametrize("labels", [["a", "b", "a"], [-1, 1, 1], [np.nan, 0, 1]])
def test_labels_are_true_or_false(labels: list[Any]) -> None:
    """Every text, and −1, counted as positive."""
    with pytest.raises(ValueError, match="y must hold true and false, or 1 and 0: write y == the positive class"):
        CalibrationDisplay.from_predictions(labels, [0.2, 0.1, 0.9])
