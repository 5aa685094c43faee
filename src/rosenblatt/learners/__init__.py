"""One algorithm per file: configuration and `fit`."""

from rosenblatt.learners.perceptron import Perceptron

__all__ = ["Perceptron"]
