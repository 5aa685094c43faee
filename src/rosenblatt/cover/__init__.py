"""What a verdict is worth: Cover's count, the dichotomies of given points, shuffled labels, capacity."""

from rosenblatt.counting import count, log10_count, log10_probability, probability
from rosenblatt.cover.dichotomy import (
    Dichotomy,
    GeneralPosition,
    dichotomies,
    enumerate_dichotomies,
    general_position,
)
from rosenblatt.cover.regimes import capacity, log10_limit, regime

__all__ = [
    "Dichotomy",
    "GeneralPosition",
    "capacity",
    "count",
    "dichotomies",
    "enumerate_dichotomies",
    "general_position",
    "log10_count",
    "log10_limit",
    "log10_probability",
    "probability",
    "regime",
]
