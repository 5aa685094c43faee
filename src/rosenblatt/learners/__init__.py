"""One algorithm per file: configuration and `fit`."""

from rosenblatt.learners.adaline import Adaline
from rosenblatt.learners.batch_perceptron import BatchPerceptron
from rosenblatt.learners.least_squares import LeastSquares
from rosenblatt.learners.logistic import Logistic
from rosenblatt.learners.passive_aggressive import PassiveAggressive
from rosenblatt.learners.perceptron import Perceptron
from rosenblatt.learners.rescaled import RescaledPerceptron

__all__ = [
    "Adaline",
    "BatchPerceptron",
    "LeastSquares",
    "Logistic",
    "PassiveAggressive",
    "Perceptron",
    "RescaledPerceptron",
]
