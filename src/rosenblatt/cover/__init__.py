"""What a verdict is worth: Cover's count, the dichotomies of given points, shuffled labels, capacity."""

from rosenblatt.counting import count, log10_count, log10_probability, probability
from rosenblatt.cover.dichotomy import (
    Dichotomy,
    GeneralPosition,
    dichotomies,
    enumerate_dichotomies,
    general_position,
)
from rosenblatt.cover.experiment import CapacityExperiment, capacity_experiment
from rosenblatt.cover.points import read_points
from rosenblatt.cover.regimes import capacity, log10_limit, regime
from rosenblatt.cover.shuffles import PermutationTest, permutation_test

__all__ = [
    "CapacityExperiment",
    "Dichotomy",
    "GeneralPosition",
    "PermutationTest",
    "capacity",
    "capacity_experiment",
    "count",
    "dichotomies",
    "enumerate_dichotomies",
    "general_position",
    "log10_count",
    "log10_limit",
    "log10_probability",
    "permutation_test",
    "probability",
    "read_points",
    "regime",
]
