"""The settings of a run of the loop, besides its examples and its rule."""

from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from rosenblatt.learners.runs.examples import Ties

__all__ = ["Settings", "make_order"]


@dataclass(frozen=True)
class Settings:
    """How a run goes, and when it ends."""

    ties: Ties = (True, True)
    order: str = "cyclic"
    seed: int = 0
    average: bool = False
    pocket: bool = False
    trace: bool = False
    detect_cycles: bool = True  # useful only where the steps are rational: otherwise no cycle can be proved
    max_passes: int = 1000
    max_updates: int | None = None
    patience: int | None = None
    separate: bool = True  # whether a pass without a mistake ends the run
    tol: float | None = None  # for a learner that minimises: a pass that moves w by at most tol·‖w‖ ends the run
    zero_is_positive: bool = False  # whether `predict` answers s = 0 with the second class

    @classmethod
    def of(cls, model: object, **own: Any) -> Self:
        """Settings from the learner's parameters of the same names; `own` replaces some and adds others."""
        named = {one.name: getattr(model, one.name) for one in fields(cls) if hasattr(model, one.name)}
        return cls(**named | own)

    @property
    def errors(self) -> Ties:
        """Whether s = 0 is a wrong answer on a positive, on a negative example: errors are counted as `score` does."""
        return not self.zero_is_positive, self.zero_is_positive


def make_order(settings: Settings, n: int) -> Any:
    """The kernels' order of presentation."""
    from rosenblatt.kernels.orders import Cyclic, Random, Shuffled

    seed = np.uint64(settings.seed)
    if settings.order == "shuffled":
        return Shuffled(n, seed, np.empty(n, dtype=np.uint32))
    return Random(n, seed) if settings.order == "random" else Cyclic(n)
