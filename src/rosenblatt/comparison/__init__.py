"""All learners compared on the same data, cross-validation, and experiments on how learners differ."""

from rosenblatt.comparison.choosing import Candidate, Choice, choose
from rosenblatt.comparison.experiments import Answer, counterexample, demonstration, questions
from rosenblatt.comparison.folds import CrossValidated, cross_validate
from rosenblatt.comparison.measures import Measure
from rosenblatt.comparison.table import Comparison, Contestant, compare

__all__ = [
    "Answer",
    "Candidate",
    "Choice",
    "Comparison",
    "Contestant",
    "CrossValidated",
    "Measure",
    "choose",
    "compare",
    "counterexample",
    "cross_validate",
    "demonstration",
    "questions",
]
