"""What a number in a table is: where a whole column is written in decimals, 0.1 is one tenth, not the float nearest it.

A column has the power k if each of its values is the float nearest to a decimal m/10^k, m whole and |m| ≤ 10^15. Floats
tell such decimals apart (they have 15 digits), so m is known: the whole number nearest to x·10^k. In floats x·10^k is
off by less than a quarter there, and the quotient of the exact floats m and 10^k is the float nearest to m/10^k.

The smallest k up to 15 counts. A column that has no such k is taken as the floats it is. So is a column whose floats
equal its decimals (0.5, 0.25): both readings are the same.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Flags, Floats, Integers
from rosenblatt.data.rows import Rows, pieces

__all__ = ["DecimalSurvey", "Powers", "fits", "powers_of"]

Powers = tuple[int | None, ...]  # each column's k; None: its floats

_LIMITS = np.array([np.inf, *(float(10 ** (15 - k)) for k in range(1, 16))])  # of |x|: |m| ≤ 10^15 where k > 0
_NONE = -1


class DecimalSurvey(NamedTuple):
    """What some rows show about each column."""

    powers: Integers  # the smallest k; −1 where there is none
    largest: Floats  # the largest |x|
    differ: Flags  # whether some value is not exactly its decimal

    @classmethod
    def of(cls, rows: Rows, powers: Integers | None = None) -> "DecimalSurvey":
        """Look at all rows, beginning with these powers. Without given powers, columns of float32 have none."""
        from rosenblatt.kernels.old_powers import raise_powers_csr, raise_powers_dense

        begin = np.zeros(rows.p, dtype=np.int64) if powers is None else powers.copy()
        found = cls(begin, np.zeros(rows.p), np.zeros(rows.p, dtype=bool))
        k = rows.kernel
        # A float32 is not the float64 nearest to the decimal that a file had: its columns are taken as they are.
        if powers is None and k[0].dtype != np.float64:
            found.powers[:] = _NONE
        for start, stop in pieces(len(k.data), 1) if rows.sparse else pieces(rows.n, rows.p):
            if np.all(found.powers == _NONE):  # columns that are no decimals show it in their first rows
                break
            if rows.sparse:
                raise_powers_csr(k.data, k.indices, *found, start, stop)
            else:
                raise_powers_dense(k.X, *found, start, stop)
        return found

    def joined(self, other: "DecimalSurvey") -> "DecimalSurvey":
        """What these rows and others show together."""
        # Zeros and whole numbers fit every power, and have the power 0. So the larger power counts.
        none = np.minimum(self.powers, other.powers) == _NONE
        powers = np.where(none, _NONE, np.maximum(self.powers, other.powers))
        return DecimalSurvey(powers, np.maximum(self.largest, other.largest), self.differ | other.differ)

    @property
    def long(self) -> Flags:
        """The columns in which some m has more than 15 digits."""
        return np.asarray(self.largest > _LIMITS[np.maximum(self.powers, 0)])

    def choice(self) -> Powers | None:
        """The columns' powers; None where all columns are taken as the floats they are."""
        # The power is known only after all rows were seen, so the length of m is judged here, not value by value.
        floats = self.long | ((self.powers > 0) & ~self.differ)
        found = np.where(floats, _NONE, self.powers)
        return tuple(None if k == _NONE else int(k) for k in found) if np.any(found > 0) else None


def powers_of(rows: Rows) -> Powers | None:
    """Each column's power of ten; None where all columns are taken as the floats they are."""
    return DecimalSurvey.of(rows).choice()


def fits(rows: Rows, powers: Powers) -> bool:
    """Whether every value is a decimal of its column's power, in columns that have a power."""
    # The survey begins with the given powers and raises a power that is too small for a value, which shows here.
    given = np.array([_NONE if k is None else k for k in powers], dtype=np.int64)
    found = DecimalSurvey.of(rows, given)
    return bool(np.array_equal(found.powers, given) and not np.any(found.long))
