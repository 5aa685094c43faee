"""Data sets keep their promises."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt.datasets.points import drawing_facts
from tests import oracles


@given(
    st.integers(1, 40), st.integers(1, 70), st.sampled_from([2.0, 0.3, 0.01, 1e-6]), st.booleans(), st.integers(0, 99)
)
def test_planted_margin_is_exact(n: int, p: int, margin: float, bias: bool, seed: int) -> None:
    data = rb.datasets.margin_cloud(n, p, margin, fit_intercept=bias, random_state=seed)
    length = Fraction(float(np.linalg.norm(data.w_star)))
    assert length.denominator == 1
    assert length**2 == sum(Fraction(float(v)) ** 2 for v in data.w_star)
    agreements = [int(t) * oracles.exact_dot(x, data.w_star) for x, t in zip(data.X, data.y, strict=True)]
    assert min(agreements) / length == Fraction(data.margin)
    assert data.margin == pytest.approx(margin, rel=0.01, abs=2**-40)
    if margin > 2**-10:
        assert np.array_equal(data.X.astype(np.float32), data.X)


def test_margin_cloud_is_seeded_and_checked() -> None:
    first, again = (rb.datasets.margin_cloud(5, 3, 0.1, random_state=4).X.tolist() for _ in range(2))
    assert first == again
    with pytest.raises(ValueError, match="margin=0"):
        rb.datasets.margin_cloud(5, 3, 0)


def test_sonar() -> None:
    X, y = rb.datasets.sonar()
    assert X.shape == (208, 60)
    assert {label: int(np.sum(y == label)) for label in "MR"} == {"M": 111, "R": 97}
    assert 0 <= X.min() <= X.max() <= 1
    model = rb.Perceptron(order="shuffled", random_state=0, max_passes=200_000).fit(X, y)
    assert model.outcome_ == "SEPARATED"


def test_shapes_are_measured_on_the_drawing() -> None:
    square = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]])
    assert drawing_facts(square) == pytest.approx((0, 90, 2))
    bow_tie = square[[0, 2, 1, 3]]
    assert drawing_facts(bow_tie) == pytest.approx((1, 45, 8**0.5))
    pentagram = np.array([[np.cos(t), np.sin(t)] for t in 2 * np.pi * np.arange(5) * 2 / 5])
    assert drawing_facts(pentagram) == pytest.approx((5, 36, 2 * np.sin(2 * np.pi / 5)))
    data = rb.datasets.shapes(40, random_state=1)
    assert data.X.tolist() == [list(drawing_facts(drawing)) for drawing in data.drawings]
    assert data.X[data.y == 1, 0].min() >= 5
    assert data.X[data.y == 0, 0].max() == 0


def test_shapes_are_separated() -> None:
    X, y = rb.datasets.shapes(60, random_state=0)
    assert rb.Perceptron(max_passes=100_000).fit(X, y).outcome_ == "SEPARATED"
