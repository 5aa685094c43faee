"""One algorithm per file: configuration and `fit`.

Learners load when they are first used: the verdicts need `examples.py` alone, and no scikit-learn.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt.learners.adaline import Adaline as Adaline
    from rosenblatt.learners.batch_perceptron import BatchPerceptron as BatchPerceptron
    from rosenblatt.learners.kernel_perceptron import KernelPerceptron as KernelPerceptron
    from rosenblatt.learners.least_squares import LeastSquares as LeastSquares
    from rosenblatt.learners.logistic import Logistic as Logistic
    from rosenblatt.learners.passive_aggressive import PassiveAggressive as PassiveAggressive
    from rosenblatt.learners.perceptron import Perceptron as Perceptron
    from rosenblatt.learners.rescaled import RescaledPerceptron as RescaledPerceptron

_HOMES = {
    "Adaline": "adaline",
    "BatchPerceptron": "batch_perceptron",
    "KernelPerceptron": "kernel_perceptron",
    "LeastSquares": "least_squares",
    "Logistic": "logistic",
    "PassiveAggressive": "passive_aggressive",
    "Perceptron": "perceptron",
    "RescaledPerceptron": "rescaled",
}

__all__ = [
    "Adaline",
    "BatchPerceptron",
    "KernelPerceptron",
    "LeastSquares",
    "Logistic",
    "PassiveAggressive",
    "Perceptron",
    "RescaledPerceptron",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"rosenblatt.learners.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'rosenblatt.learners' has no attribute {name!r}")
