"""Proof that no hyperplane separates strictly: a mixture of examples that adds up to nothing."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Witness"]


class Witness(NamedTuple):
    """Positive integers λ on rows with Σ λ_i z_i = 0, z = y·(x, 1): every w has w·z_i ≤ 0 for one of them (Gordan).

    Where K classes learn together, z is row i against one wrong class: (x, 1) in the place of the row's own class and
    −(x, 1) in the place of that of `rivals`.
    """

    rows: npt.NDArray[np.int64]
    multipliers: tuple[int, ...]
    rivals: npt.NDArray[np.int64] | None = None  # numbers of classes, as in `classes_`

    def to_json(self) -> tuple[list[int], list[str]] | tuple[list[int], list[str], list[int]]:
        """Rows, and multipliers in hexadecimal: they may be longer than JSON's readers expect of a number; rivals."""
        plain = self.rows.tolist(), [hex(m) for m in self.multipliers]
        return plain if self.rivals is None else (*plain, self.rivals.tolist())

    @classmethod
    def from_json(cls, rows: list[int], multipliers: list[str], rivals: list[int] | None = None) -> "Witness":
        """The witness that `to_json` wrote."""
        others = None if rivals is None else np.array(rivals, dtype=np.int64)
        return cls(np.array(rows, dtype=np.int64), tuple(int(m, 16) for m in multipliers), others)
