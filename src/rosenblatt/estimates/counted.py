"""The exact conditional analysis of a design: what it needs, and its limit."""

import time
from functools import cached_property

import numpy as np
import numpy.typing as npt

from rosenblatt.estimates.arguments import AnyDesign
from rosenblatt.estimates.design import Design, Undecided
from rosenblatt.estimates.exact_conditional import Exact, TooManyTotals, exact
from rosenblatt.verdicts.clock import Unfinished, check

__all__ = ["ExactDesign"]

Floats = npt.NDArray[np.float64]


class ExactDesign:
    """Every coefficient given the totals of the other columns."""

    @classmethod
    def of(cls, design: AnyDesign, level: float) -> "ExactDesign":
        """Refuses what cannot be counted."""
        if not isinstance(design, Design) or design.model == "poisson":
            raise ValueError("an exact analysis is for logistic and binomial models: leave exact out.")
        if design.offset.any():
            raise ValueError("an exact analysis takes no offset: leave offset or exact out.")
        if any((column % 1).any() for column in (design.y, design.trials, design.weights)):
            raise ValueError("an exact analysis counts: successes, trials and weights must be whole numbers.")
        return cls(design, level)

    def __init__(self, design: Design, level: float) -> None:
        self.design, self.level = design, level

    @cached_property
    def _columns(self) -> Floats:
        return np.hstack([self.design.X, np.ones((len(self.design.y), int(self.design.bias)))])

    def estimate(self, j: int) -> Exact:
        """Of one coefficient; a row of weight 3 is three rows."""
        design, limit = self.design, self.design.time_limit
        deadline = None if limit is None else time.monotonic() + limit
        y, trials = design.y * design.weights, design.trials * design.weights
        try:
            return exact(self._columns, y, trials, j, self.level, lambda: check(deadline))
        except TooManyTotals:
            return Exact.beyond()
        except Unfinished as why:
            raise Undecided(f"the exact analysis was not finished: {why}.") from None
