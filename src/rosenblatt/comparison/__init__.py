"""All learners side by side on the same data, and experiments on what sets them apart."""

from rosenblatt.comparison.experiments import Answer, counterexample, demonstration, questions
from rosenblatt.comparison.table import Comparison, Contestant, compare

__all__ = ["Answer", "Comparison", "Contestant", "compare", "counterexample", "demonstration", "questions"]
