"""Proof that no hyperplane separates strictly: a mixture of examples that adds up to nothing."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Witness"]


class Witness(NamedTuple):
    """Positive integers λ on rows with Σ λ_i z_i = 0, z = y·(x, 1): every w has w·z_i ≤ 0 for one of them (Gordan)."""

    rows: npt.NDArray[np.int64]
    multipliers: tuple[int, ...]
