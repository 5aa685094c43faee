"""Everything a run needs to go on where it stopped, bit for bit."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["RunState"]


@dataclass
class RunState:
    """The vectors and the clock of the compiled loop, its seed, and the books kept beside it.

    `vectors` are w and, where they are kept, average, longest, mark, previous and pocket; `clock` the numbers of
    `kernels.rows.CLOCK` by name.
    """

    n: int
    seed: int
    start: npt.NDArray[np.float64]
    vectors: dict[str, npt.NDArray[np.float64]]
    clock: dict[str, Any]
    mistakes_per_pass: list[int]
    pocket_mistakes: int | None = None
    traced_rows: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    traced_steps: npt.NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
