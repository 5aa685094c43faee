"""scikit-learn's own checks, on every public estimator, found by introspection."""

import inspect
from typing import Any

import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import learners

ORDERED = (
    "presentations are ordered, and a step of weight 2 is not two presentations; sklearn's Perceptron fails it too"
)
STEPS = "class weights scale steps; a perceptron that has no mistake left to correct is not moved by them"
SLOW = "columns of size 20 beside the bias's one: a thousand safe steps end in BUDGET, before the bias has grown"
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": ORDERED,
    "check_sample_weight_equivalence_on_sparse_data": ORDERED,
}


def expected_failures(estimator: BaseEstimator) -> dict[str, str]:
    """Exactly what fails, and why; what has no order passes all."""
    if isinstance(estimator, (learners.LeastSquares, learners.BatchPerceptron)):
        return {}
    if isinstance(estimator, learners.Logistic) and estimator.mode == "newton":
        return {}
    if isinstance(estimator, learners.RescaledPerceptron):
        return EXPECTED | {"check_class_weight_classifiers": STEPS}
    if isinstance(estimator, learners.Logistic):
        return EXPECTED | {"check_class_weight_classifiers": SLOW}
    if isinstance(estimator, learners.Perceptron) and estimator.pocket:
        return EXPECTED | {"check_class_weight_classifiers": "the pocket counts rows, whatever they weigh"}
    return EXPECTED


PUBLIC = [one.kind for one in learners.CLASSES.values()]
# Labels of many checks are random: a thousand phases or passes on each take long, and the checks are about interfaces.
FEWER = {learners.RescaledPerceptron: {"max_passes": 20}}
ESTIMATORS = [one(**FEWER.get(one, {})) for one in PUBLIC if inspect.isclass(one) and issubclass(one, BaseEstimator)]
VARIANTS = [
    learners.Logistic(mode="incremental"),
    learners.Logistic(multiclass="multinomial"),
    learners.Perceptron(average=True),
    learners.Perceptron(pocket=True, max_passes=100),
    learners.Perceptron(multiclass="kesler"),
    learners.Perceptron.from_recipe("stein"),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(ESTIMATORS + VARIANTS, expected_failed_checks=expected_failures)
def test_sklearn_check(estimator: BaseEstimator, check: Any) -> None:
    check(estimator)


def test_there_are_estimators() -> None:
    assert learners.Perceptron in PUBLIC
    assert len(ESTIMATORS) == len(learners.CLASSES)
