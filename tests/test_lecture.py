"""The lectures' perceptron in plain Python and the compiled loop make the same corrections."""

from fractions import Fraction
from itertools import islice
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt import lecture

NUMBERS = st.integers(-8, 8)
POINTS = st.integers(1, 3).flatmap(lambda p: st.lists(st.tuples(*[NUMBERS] * p), min_size=4, max_size=9, unique=True))


def _separable(points: list[Any], seed: int) -> list[Any] | None:
    """Points with labels by a random hyperplane that no point lies on; None where one class has none."""
    X = np.array(points)
    w = np.random.default_rng(seed).integers(-4, 5, X.shape[1]) * 2
    y = np.where(X @ w + 1 > 0, 1, -1)
    return None if abs(y.sum()) == len(y) else list(zip(points, y.tolist(), strict=True))


def _compiled(examples: list[Any], **settings: Any) -> tuple[list[float], list[int]]:
    X, y = [x for x, _ in examples], [label for _, label in examples]
    model = rb.Perceptron(trace=True, max_passes=5_000, average=False, **settings).fit(X, y)
    assert model.outcome_.name == "SEPARATED"
    return [*model.coef_[0].tolist(), float(model.intercept_[0])], model.trace_.rows.tolist()


@given(points=POINTS, seed=st.integers(0, 50))
def test_from_zero_and_in_turn(points: list[Any], seed: int) -> None:
    examples = _separable(points, seed)
    if examples is None:
        return
    assert lecture.rosenblatt62(examples) == _compiled(examples, order="cyclic")
    assert lecture.signum(examples, 0.25) == _compiled(examples, order="cyclic", eta=0.5)


@given(points=POINTS, seed=st.integers(0, 50))
def test_in_turn_from_anywhere(points: list[Any], seed: int) -> None:
    examples = _separable(points, seed)
    if examples is None:
        return
    inputs = lecture.with_bias(examples)
    start = np.random.default_rng(seed).integers(-8, 9, len(inputs[0][0])) / 4
    run = lecture.learn(inputs, start.tolist(), lecture.in_turn(inputs), lambda y, s: y / 2 if y * s < 0 else 0)
    # one pass more may be needed to see that nothing is wrong; ties are not corrected by this dialect
    model = rb.Perceptron(order="cyclic", tie="correct", eta=0.5, start=start, trace=True, max_passes=5_000)
    model.fit([x for x, _ in examples], [y for _, y in examples])
    assert run[1] == model.trace_.rows.tolist()
    if run[1]:
        assert run[0] == [*model.coef_[0].tolist(), float(model.intercept_[0])]


@pytest.mark.parametrize("dialect", [lecture.stein, lecture.cyclic, lecture.unit, lecture.signum, lecture.rosenblatt62])
def test_every_dialect_separates_what_can_be_separated(dialect: Any) -> None:
    for seed in range(20):
        X, y = rb.datasets.margin_cloud(30, 2, margin=0.1, random_state=seed)
        labels = (y > 0).astype(int) if dialect is lecture.stein else y
        w, corrections = dialect(list(zip(X.tolist(), labels.tolist(), strict=True)))
        assert (y * (X @ w[:-1] + w[-1]) > 0).all()
        assert len(corrections) < 100_000


def test_nothing_else_would_end_it_on_xor() -> None:
    XOR = lecture.with_bias([((0, 0), -1), ((0, 1), 1), ((1, 0), 1), ((1, 1), -1)])
    run = lecture.learn(XOR, [0, 0, 0], lecture.in_turn(XOR), lambda y, s: y if y * s <= 0 else 0, limit=1_000)
    assert len(run[1]) > 400


def test_fractions_stay_fractions() -> None:
    AND = [((Fraction(x), Fraction(y)), 1 if x and y else -1) for x in (0, 1) for y in (0, 1)]
    tenth, eta = lecture.signum(AND, Fraction(1, 20)), Fraction(1, 10)
    whole = lecture.rosenblatt62(AND)
    assert tenth[1] == whole[1]
    assert tenth[0] == [eta * a for a in whole[0]]


def test_drawing_is_with_replacement() -> None:
    examples = [((0.0,), 1)] * 4
    first = [tuple(islice(lecture.drawn(examples, Random(seed)), 4)) for seed in range(50)]
    assert any(len(set(turns)) < 4 for turns in first)
    assert {turn for turns in first for turn in turns} == {0, 1, 2, 3}
