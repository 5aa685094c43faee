"""The models' names, for type checkers. `python -m rosenblatt.regressions` writes this file from the folder's files."""

from typing import Literal

__all__ = ["ModelName"]

ModelName = Literal[
    "binomial",
    "conditional",
    "cox",
    "logistic",
    "multinomial",
    "ordinal",
    "paired",
    "poisson",
    "sequential",
]
