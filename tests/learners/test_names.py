"""Those who come from scikit-learn are told what things are called here."""

from typing import Any

import pytest

import rosenblatt as rb
from rosenblatt import learners

X, Y = [[0.0], [1.0]], [0, 1]


@pytest.mark.parametrize(
    ("theirs", "words"),
    [
        ({"max_iter": 7}, "Perceptron has no parameter max_iter: here it is called max_passes."),
        ({"eta0": 0.5}, "Perceptron has no parameter eta0: here it is called eta."),
        ({"shuffle": False}, 'Perceptron has no parameter shuffle: here it is order="shuffled" or order="cyclic".'),
        ({"n_iter_no_change": 5}, "Perceptron has no parameter n_iter_no_change: here it is called patience."),
        ({"tol": 1e-3}, "Perceptron has no parameter tol: here patience ends a fit whose passes get no better."),
        ({"penalty": "l2"}, "Perceptron has no parameter penalty: the weights are not penalised."),
        ({"early_stopping": True}, "Perceptron has no parameter early_stopping: no rows are held out."),
    ],
)
def test_parameters(theirs: dict[str, Any], words: str) -> None:
    with pytest.raises(TypeError) as made:
        rb.Perceptron(**theirs)
    with pytest.raises(ValueError, match="has no parameter") as changed:
        rb.Perceptron().set_params(**theirs)
    assert str(made.value) == str(changed.value) == words


def test_the_inverse_of_a_ridge() -> None:
    with pytest.raises(TypeError, match=r"Logistic has no parameter C: here regularizer is 1/C\."):
        rb.Logistic(C=10.0)
    assert rb.PassiveAggressive(C=10.0).C == 10.0


def test_every_learner_knows_its_limit_by_its_name() -> None:
    for name in learners.CLASSES:
        with pytest.raises(TypeError, match=rf"{name} has no parameter max_iter: here it is called max_passes\."):
            getattr(learners, name)(max_iter=3)


def test_attributes() -> None:
    model = rb.Perceptron().fit(X, Y)
    assert not hasattr(rb.Perceptron(), "n_iter_")
    assert model.n_iter_ == model.n_passes_
    with pytest.raises(AttributeError):
        model.n_iter_ = 3
    with pytest.raises(AttributeError, match=r"no attribute 'coefs_'$"):
        model.coefs_  # noqa: B018


def test_other_mistakes_are_refused_as_ever() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        rb.Perceptron(colour="red")
    with pytest.raises(ValueError, match="Invalid parameter 'colour'"):
        rb.Perceptron().set_params(colour="red")
