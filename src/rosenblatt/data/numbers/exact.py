"""The exact values of rows that are scanned as floats, and the exact signs and sums of some of them.

    value = (main·2^shift + Σ low·2^shift) · 10^power

In most columns the float x is the value itself (power 0), or `main` is the whole number nearest to x·10^−power, and
that is all. Where whole numbers are longer than floats hold, a further column (`low`) has what the first misses.
Columns that float64 does not hold at all, such as 1e-400, are kept in units of their own (`own`): there, x is `main`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats, Places, Selection, Signs
from rosenblatt.data.numbers.readings import Reading, Survey, decimal_of
from rosenblatt.exact import combine, response_signs, together
from rosenblatt.kernels.kinds import NONE
from rosenblatt.later import sparse as sp

if TYPE_CHECKING:
    from rosenblatt.data.numbers.rows import Rows

__all__ = ["ExactColumns", "ExactValues", "exact_rows", "power_of_ten", "whole_parts"]

_SHORT = 1e15  # whole numbers up to this one are known from x·10^−power by rounding
_WIDE = 1e31  # whole numbers up to this one are a sum of two floats
_FARTHEST, _LARGEST = 300, 1e300  # powers of ten, and sizes of x·10^−power, within which this is computed in floats
_TOP_BITS = 1000  # of a whole number that one float stands for
_TENS_MODULO = np.array([pow(10, k, 1 << 64) for k in range(65)], dtype=np.uint64)


@dataclass(frozen=True)
class ExactColumns:
    """How floats of rows become exact values; see above."""

    readings: tuple[Reading, ...]
    powers: tuple[int, ...]  # 0 where the float is the value
    own: tuple[int, ...] = ()
    shifts: dict[int, int] = field(default_factory=dict)  # of `own` columns, where it is not 0
    low: Any = None  # floats, a column for each owner; dense, or CSR
    owner: tuple[int, ...] = ()
    low_shifts: tuple[int, ...] = ()

    @property
    def decimal(self) -> Places:
        """The columns whose whole numbers are x·10^−power, rounded."""
        own = set(self.own)
        return np.array([j for j, k in enumerate(self.powers) if k and j not in own], dtype=np.int64)

    def taken(self, rows: Selection) -> "ExactColumns":
        """The same for some of the rows."""
        return self if self.low is None else replace(self, low=self.low[rows])

    def replaced(self, columns: list[int], lows: list[tuple[int, Floats]]) -> "ExactColumns":
        """The same with floats in these columns, of dense rows, and with further low parts."""
        kept = [at for at, j in enumerate(self.owner) if j not in columns]
        parts = [*(self.low[:, [at]] for at in kept), *(low[:, None] for _, low in lows)]
        return ExactColumns(
            self.readings,
            tuple(0 if j in columns else k for j, k in enumerate(self.powers)),
            tuple(j for j in self.own if j not in columns),
            {j: shift for j, shift in self.shifts.items() if j not in columns},
            np.hstack(parts) if parts else None,
            (*(self.owner[at] for at in kept), *(j for j, _ in lows)),
            (*(self.low_shifts[at] for at in kept), *[0] * len(lows)),
        )

    def of_columns(self, columns: Places | list[int]) -> "ExactColumns":
        """The same for some of the columns, which are numbered anew."""
        new = {int(j): k for k, j in enumerate(columns)}
        kept = [at for at, j in enumerate(self.owner) if j in new]
        return ExactColumns(
            tuple(self.readings[j] for j in new),
            tuple(self.powers[j] for j in new),
            tuple(new[j] for j in self.own if j in new),
            {new[j]: s for j, s in self.shifts.items() if j in new},
            None if self.low is None or not kept else self.low[:, kept],
            tuple(new[self.owner[at]] for at in kept),
            tuple(self.low_shifts[at] for at in kept),
        )


def power_of_ten(k: int) -> float:
    """The float nearest to 10^k."""
    return float(f"1e{k}")


@overload
def exact_rows(rows: "Rows") -> "Rows": ...


@overload
def exact_rows(rows: "Rows", readings: tuple[Reading, ...], survey: Survey | None = None) -> "Rows | None": ...


def exact_rows(
    rows: "Rows", readings: tuple[Reading, ...] | None = None, survey: Survey | None = None
) -> "Rows | None":
    """The rows with their exact values, by these readings, or by those that a survey of all rows finds.

    None where a value is not what the readings say.
    """
    given = None if readings is None else [NONE if one.power is None else -one.power for one in readings]
    found = survey or Survey.of(rows, None if given is None else np.array(given, dtype=np.int64))
    if given is not None and not _are_as_read(rows, found, given):
        return None
    readings = readings or found.readings()
    modes = [_mode(rows, found, j, one.power) for j, one in enumerate(readings)]
    powers = tuple(0 if mode == "float" else one.power or 0 for mode, one in zip(modes, readings, strict=True))
    wide, long, own = ([j for j, mode in enumerate(modes) if mode == name] for name in ("wide", "long", "own"))
    rows = _as_doubles(rows, [j for j, mode in enumerate(modes) if mode != "float" and found.bits[j] == 32], powers)
    lows = [(j, 0, _missed(rows, j, powers[j])) for j in wide]
    shifts: dict[int, int] = {}
    for j in long:
        near = np.rint(rows.values_in(j) * power_of_ten(-powers[j])).tolist()
        rest = [m - int(x) for m, x in zip(_whole_numbers(rows, j, powers[j]), near, strict=True)]
        lows += [(j, 0, part) for part in _sums_of_floats(rest)]
    mains: dict[int, Floats] = {}
    for j in own:
        mains[j], parts, top = whole_parts(_whole_numbers(rows, j, powers[j]))
        shifts |= {j: top} if top else {}
        lows += [(j, shift, low) for shift, low in parts]
    rows = rows.with_values(mains)
    owner, low_shifts = tuple(j for j, _, _ in lows), tuple(shift for _, shift, _ in lows)
    low = rows.further_columns([(j, part) for j, _, part in lows]) if lows else None
    return rows.read_as(ExactColumns(readings, powers, tuple(own), shifts, low, owner, low_shifts))


def _are_as_read(rows: "Rows", found: Survey, given: list[int]) -> bool:
    """Whether all values are what these numbers of decimal places say; NONE: they are the floats."""
    return all(
        j not in rows.origin.columns if places == NONE else needed <= places
        for j, (places, needed) in enumerate(zip(given, found.units.tolist(), strict=True))
    )


def _mode(rows: "Rows", found: Survey, j: int, power: int | None) -> str:
    """How column j becomes exact: "float" as it is, "short", "wide" (two floats), "long" (more) or "own"."""
    if power is None or not found.differ[j]:
        return "float"
    if abs(power) > _FARTHEST or not (size := float(found.largest[j]) * power_of_ten(-power)) < _LARGEST:
        return "own"
    if size > _WIDE or found.extreme[j]:
        return "long"
    return "wide" if size > _SHORT or j in rows.origin.columns else "short"


def _as_doubles(rows: "Rows", columns: list[int], powers: tuple[int, ...]) -> "Rows":
    """The rows with these columns of float32 as the float64 nearest to their decimals."""
    tens = {j: power_of_ten(-powers[j]) for j in columns}
    return rows.with_values({j: np.rint(rows.values_in(j).astype(np.float64) * ten) / ten for j, ten in tens.items()})


def _missed(rows: "Rows", j: int, power: int) -> Floats:
    """What the whole numbers nearest to x·10^−power miss of those of column j: they differ by less than 2^63.

    So it is enough to know both modulo 2^64.
    """
    from rosenblatt.kernels.powers_of_ten import decimal_parts

    x, written = rows.values_in(j), rows.origin.column(j)
    if written is None:
        m, e = np.empty(x.size, dtype=np.int64), np.empty(x.size, dtype=np.int64)
        decimal_parts(np.ascontiguousarray(x), m, e)
        digits = m.astype(np.uint64)
    else:
        digits, e = written.high.astype(np.uint64) * np.uint64(10**16) + written.low.astype(np.uint64), written.exponent
    true = digits * _TENS_MODULO[np.clip(e - power, 0, 64)]
    return np.asarray((true - _modulo_word(np.rint(x * power_of_ten(-power)))).view(np.int64).astype(np.float64))


def _modulo_word(whole: Floats) -> npt.NDArray[np.uint64]:
    """Whole numbers that are floats, modulo 2^64."""
    fractions, exponents = np.frexp(whole)
    m, shift = np.ldexp(fractions, 53).astype(np.int64), exponents.astype(np.int64) - 53
    up = np.left_shift(m.astype(np.uint64), np.clip(shift, 0, 63).astype(np.uint64))
    down = np.right_shift(m, np.clip(-shift, 0, 63)).astype(np.uint64)  # nothing is lost: the numbers are whole
    return np.where(shift > 63, np.uint64(0), np.where(shift >= 0, up, down))


def _whole_numbers(rows: "Rows", j: int, power: int) -> list[int]:
    """Column j in units of 10^power."""
    written = rows.origin.column(j)
    if written is not None:
        return written.whole(power)
    pairs = (decimal_of(x) for x in rows.values_in(j).tolist())
    return [m * 10 ** (e - power) if m else 0 for m, e in pairs]


def _sums_of_floats(numbers: list[int]) -> list[Floats]:
    """Whole numbers below 2^1000 as sums of floats."""
    main, low, _ = whole_parts(numbers)
    return [main, *(part for _, part in low)]


def whole_parts(numbers: list[int]) -> tuple[Floats, list[tuple[int, Floats]], int]:
    """Whole numbers as floats: numbers = main·2^top + Σ low·2^shift; (main, [(shift, low), …], top).

    >>> main, parts, top = whole_parts([2**53 + 1, 3])
    >>> main.tolist(), [(shift, low.tolist()) for shift, low in parts], top
    ([9007199254740992.0, 3.0], [(0, [1.0, 0.0])], 0)
    """
    parts: list[tuple[int, Floats]] = []
    rest = list(numbers)
    while not parts or any(rest):
        shift = max(0, max(max(rest, default=0), -min(rest, default=0)).bit_length() - _TOP_BITS)
        part = np.array([float(v >> shift) for v in rest])
        parts.append((shift, part))
        rest = [v - (int(a) << shift) for v, a in zip(rest, part.tolist(), strict=True)]
    (top, main), *low = parts
    return main, low, top


@dataclass(frozen=True)
class ExactValues:
    """(x, 1) of rows that have exact values; x alone without a bias."""

    rows: "Rows"
    bias: bool

    @property
    def _exact(self) -> ExactColumns:
        assert self.rows.exact is not None
        return self.rows.exact

    @cached_property
    def _parts(self) -> list[tuple[int, int]]:
        """For each column of `_floats` the weight that it belongs to, and the factor that it is multiplied by.

        All columns are then in one unit, the smallest power of ten.
        """
        known, p = self._exact, self.rows.p
        powers = [*known.powers, *[0] * self.bias]
        least = min(powers, default=0)
        shifts = [known.shifts.get(j, 0) for j in range(p)] + [0] * self.bias
        parts = [*enumerate(shifts), *zip(known.owner, known.low_shifts, strict=True)]
        return [(j, 10 ** (powers[j] - least) << shift) for j, shift in parts]

    def _floats(self, some: Selection) -> Floats:
        """The parts of some rows, as floats without error."""
        known, x = self._exact, self.rows.take(some).copy()
        columns = known.decimal
        if columns.size:
            x[:, columns] = np.rint(x[:, columns] * np.array([power_of_ten(-known.powers[j]) for j in columns]))
        found = [x, np.ones((len(x), int(self.bias)))]
        if known.low is not None:
            low = known.low[some]
            found.append(low.toarray() if sp.issparse(low) else low)
        return np.hstack(found)

    def signs(self, w: Sequence[int], some: Selection) -> Signs:
        """The signs of (x, 1)·w, for whole numbers w."""
        return response_signs(self._floats(some), [w[j] * factor for j, factor in self._parts])

    def vanishes(self, factors: Sequence[int], some: Selection) -> bool:
        """Whether Σ factor·(x, 1) = 0."""
        parts = self._parts
        totals = [Fraction(0)] * (self.rows.p + self.bias)
        for (j, factor), total in zip(
            parts, together([combine(factors, self._floats(some))], [1] * len(parts)), strict=True
        ):
            totals[j] += total * factor
        return not any(totals)
