"""What a verdict is worth: Cover's count, the dichotomies of given points, shuffled labels, capacity.

Names load when they are first used: counting needs none of the libraries that deciding does.
"""

from typing import TYPE_CHECKING

import lazy_loader

from rosenblatt.counting import count, log10_count, log10_probability, probability
from rosenblatt.cover.regimes import capacity, log10_limit, regime

if TYPE_CHECKING:
    from rosenblatt.cover.dichotomy import Dichotomy as Dichotomy
    from rosenblatt.cover.dichotomy import GeneralPosition as GeneralPosition
    from rosenblatt.cover.dichotomy import dichotomies as dichotomies
    from rosenblatt.cover.dichotomy import enumerate_dichotomies as enumerate_dichotomies
    from rosenblatt.cover.dichotomy import general_position as general_position
    from rosenblatt.cover.experiment import CapacityExperiment as CapacityExperiment
    from rosenblatt.cover.experiment import capacity_experiment as capacity_experiment
    from rosenblatt.cover.points import read_points as read_points
    from rosenblatt.cover.shuffles import PermutationTest as PermutationTest
    from rosenblatt.cover.shuffles import permutation_test as permutation_test

# A stub file would do, as in rosenblatt itself, if it could name what other packages define: the counts.
__getattr__, _, _ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "dichotomy": ["Dichotomy", "GeneralPosition", "dichotomies", "enumerate_dichotomies", "general_position"],
        "experiment": ["CapacityExperiment", "capacity_experiment"],
        "points": ["read_points"],
        "shuffles": ["PermutationTest", "permutation_test"],
    },
)

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


def __dir__() -> list[str]:
    return sorted(__all__)
