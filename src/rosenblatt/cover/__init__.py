"""What a verdict is worth: Cover's count, the dichotomies of given points, shuffled labels, capacity.

Names load when they are first used: counting needs none of the libraries that deciding does.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

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

_HOMES = {
    "dichotomy": ("Dichotomy", "GeneralPosition", "dichotomies", "enumerate_dichotomies", "general_position"),
    "experiment": ("CapacityExperiment", "capacity_experiment"),
    "points": ("read_points",),
    "shuffles": ("PermutationTest", "permutation_test"),
}
_NAMES = {name: home for home, names in _HOMES.items() for name in names}

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


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return getattr(import_module(f"rosenblatt.cover.{_NAMES[name]}"), name)
    raise AttributeError(f"module 'rosenblatt.cover' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
