"""What a number is: the one rule by which every column is read.

A column's *reading* is decimal (each value is a whole number times 10^power) or binary (each value is its float). The
rule looks at the whole column:

    written numbers   (text, JSON, DECIMAL, `Decimal`, whole numbers) decimal where all have at most 15 digits; else
                      binary where each is the shortest text of a float64, as programs write floats; else decimal,
                      with up to 31 digits a value (`Written`)
    float64           decimal where each value is the float nearest to a decimal of at most 15 digits; else binary
    float32           decimal where each value is the float32 nearest to a decimal of at most 7 digits and 4 places;
                      else binary

So 0.1 is one tenth, in any unit. Readers of text find out which columns have longer numbers, and hand these over as
`Written`; everything else can be told from the floats, by `Survey`. `exact.py` makes exact values of the readings.
"""

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Flags, Floats, Integers, Places, Selection
from rosenblatt.kernels import plain
from rosenblatt.kernels.kinds import LEAST, MOST, NONE

if TYPE_CHECKING:
    from rosenblatt.data.numbers.rows import Rows

__all__ = [
    "BINARY",
    "FARTHEST",
    "LONGEST",
    "Origin",
    "Reading",
    "Survey",
    "Written",
    "decimal_of",
    "number_of",
    "single_columns",
]

LONGEST, FARTHEST = 31, 2000  # digits of a value, and its exponent: Python writes whole numbers of so many digits
_HALF = 10**16
_SINGLE_PLACES, _SINGLE_LARGEST = 4, 10.0**7
_MOST_DIGITS = 4000  # that Python turns into text
_MANY_DIGITS = 31  # whole numbers beyond so many digits leave the zeros at their ends out


class Reading(NamedTuple):
    """Decimal: whole numbers times 10^power. Binary (power None): floats of so many bits."""

    power: int | None = None
    bits: int = 64

    def entry(self) -> dict[str, int]:
        """The certificate's entry."""
        return {"binary": self.bits} if self.power is None else {"power": self.power}

    @classmethod
    def of(cls, entry: dict[str, int]) -> "Reading":
        """The reading of a certificate's entry."""
        return cls(entry["power"]) if "power" in entry else cls(None, entry["binary"])


BINARY = Reading()


class Written(NamedTuple):
    """Numbers as they were written: (high·10^16 + low)·10^exponent, arrays of one shape; high and low have one sign."""

    high: Integers
    low: Integers  # |low| < 10^16
    exponent: Integers

    @classmethod
    def of(cls, numbers: Iterable[tuple[int, int]]) -> "Written":
        """From pairs (m, e), which are m·10^e; m has at most 31 digits."""
        parts = [(*divmod(abs(m), _HALF), e, -1 if m < 0 else 1) for m, e in numbers]
        high, low, exponent, sign = np.array(parts, dtype=np.int64).reshape(-1, 4).T
        return cls(sign * high, sign * low, exponent).shortened()

    def shortened(self) -> "Written":
        """The same numbers, with the zeros at the end of the digits in the exponent; a zero has exponent 0."""
        sign = np.where((self.high < 0) | (self.low < 0), -1, 1)
        high, low, exponent = np.abs(self.high), np.abs(self.low), self.exponent.astype(np.int64)
        some = (high != 0) | (low != 0)
        for digits in (16, 8, 4, 2, 1):
            ten = 10**digits
            ends = some & (low % ten == 0)
            ends &= (digits < 16) | (high != 0)
            low = np.where(ends, high % ten * (_HALF // ten) + low // ten, low)
            high = np.where(ends, high // ten, high)
            exponent = np.where(ends, exponent + digits, exponent)
        return Written(sign * high, sign * low, np.where(some, exponent, 0))

    @classmethod
    def joined(cls, parts: "list[Written]") -> "Written":
        """The numbers of several parts, one after the other."""
        return cls(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def take(self, at: Selection | tuple[slice, int | list[int]]) -> "Written":
        """Some of the numbers."""
        return Written(*(part[at] for part in self))

    def whole(self, power: int) -> list[int]:
        """The numbers divided by 10^power, of one column."""
        parts = zip(self.high.tolist(), self.low.tolist(), self.exponent.tolist(), strict=True)
        return [(h * _HALF + m) * 10 ** (e - power) if h or m else 0 for h, m, e in parts]

    def texts(self) -> list[str]:
        """The numbers of one column as text, such as 123e-2."""
        digits = self._replace(exponent=self.exponent * 0).whole(0)
        return [f"{m}e{e}" for m, e in zip(digits, self.exponent.tolist(), strict=True)]

    def floats(self) -> Floats:
        """The floats nearest to the numbers; infinite where they are too large."""
        return np.array([float(text) for text in self.texts()])


class Origin(NamedTuple):
    """What the floats of rows do not tell about the columns that they come from."""

    columns: tuple[int, ...] = ()  # columns with numbers longer than float64 tells apart
    written: Written | None = None  # their numbers, a column for each of them
    single: Flags | None = None  # which columns were float32
    dense: bool = False  # whether rows in CSR were given with all their zeros

    def taken(self, rows: Selection = slice(None)) -> "Origin":
        """The same for some of the rows."""
        return self if self.written is None else self._replace(written=self.written.take(rows))

    def of_columns(self, columns: Places | list[int]) -> "Origin":
        """The same for some of the columns, which are numbered anew."""
        places = [int(j) for j in columns]
        kept = [(k, self.columns.index(j)) for k, j in enumerate(places) if j in self.columns]
        written = self.written and self.written.take((slice(None), [at for _, at in kept]))
        single = None if self.single is None else self.single[places]
        return Origin(tuple(k for k, _ in kept), written if kept else None, single, self.dense)

    def column(self, j: int) -> Written | None:
        """The written numbers of column j, if it has such."""
        if self.written is None or j not in self.columns:
            return None
        return self.written.take((slice(None), self.columns.index(j)))


class Survey(NamedTuple):
    """What some rows show about each column; `joined` with others, it gives the readings."""

    places: Integers  # decimal places that are needed; fewer than none: zeros at the ends; NONE: no decimals
    largest: Floats  # the largest |x|
    differ: Flags  # whether some value is not exactly its float
    extreme: Flags  # whether some value is beyond the sizes that float64 computes with
    bits: Integers  # 32 for columns of float32

    @classmethod
    def of(cls, rows: "Rows", places: Integers | None = None, extreme: Flags | None = None) -> "Survey":
        """Look at all rows (`Rows`), beginning with so many places; `extreme` columns are so in other rows."""
        p, origin = rows.p, rows.origin
        begin = np.zeros(p, dtype=np.int64) if places is None else np.maximum(places, 0)
        single = single_columns(rows)
        found = cls(begin, np.zeros(p), np.zeros(p, dtype=bool), np.zeros(p, dtype=bool), np.where(single, 32, 64))
        special = single.copy()
        special[list(origin.columns)] = True
        found.places[special] = NONE  # these are looked at below
        _look_at_places(rows, found)
        for j in np.flatnonzero(special | found.extreme | (False if extreme is None else extreme)).tolist():
            written, first = origin.column(j), 0 if places is None else int(places[j])
            if written is not None:
                _survey_written(found, j, written)
            elif single[j]:
                _survey_single(found, j, rows.values_in(j), first)
            else:
                _survey_extreme(found, j, rows.values_in(j))
        return found

    def joined(self, other: "Survey") -> "Survey":
        """What these rows and others show together."""
        # Zeros and whole numbers need no places, so the larger number counts; NONE is the largest.
        return Survey(
            np.maximum(self.places, other.places),
            np.maximum(self.largest, other.largest),
            self.differ | other.differ,
            self.extreme | other.extreme,
            self.bits,
        )

    @property
    def units(self) -> Integers:
        """The decimal places of each column's unit. Only very long whole numbers leave the zeros at their ends out."""
        return np.where(self.largest >= 10.0**_MANY_DIGITS, self.places, np.maximum(self.places, 0))

    def readings(self) -> tuple[Reading, ...]:
        """The reading of each column."""
        return tuple(
            Reading(None, bits) if places == NONE else Reading(-places)
            for places, bits in zip(self.units.tolist(), self.bits.tolist(), strict=True)
        )


def single_columns(rows: "Rows") -> Flags:
    """Which columns were float32."""
    if rows.kernel[0].dtype != np.float64:
        return np.ones(rows.p, dtype=bool)
    return np.zeros(rows.p, dtype=bool) if rows.origin.single is None else rows.origin.single.copy()


def _look_at_places(rows: "Rows", found: Survey) -> None:
    """Take in all values of columns whose places are not NONE."""
    from rosenblatt.data.numbers.rows import pieces

    k, counted = rows.kernel, found[:4]
    if plain.is_enough(k):
        plain.raise_places_dense(k.X, *counted, 0, rows.n)
        return
    from rosenblatt.kernels.powers_of_ten import raise_places_csr, raise_places_dense

    for start, stop in pieces(len(k.data), 1) if rows.sparse else pieces(rows.n, rows.p):
        if np.all(found.places == NONE):  # columns that are no decimals show it in their first rows
            break
        if rows.sparse:
            raise_places_csr(k.data, k.indices, *counted, start, stop)
        else:
            raise_places_dense(k.X, *counted, start, stop)


def decimal_of(x: float) -> tuple[int, int]:
    """(m, e) of the shortest decimal m·10^e to which x is the nearest float, without zeros at the end of m."""
    sign, digits, exponent = Decimal(repr(x)).normalize().as_tuple()
    m = int("".join(map(str, digits)))
    return (-m if sign else m), int(exponent) if m else 0


def number_of(value: object) -> tuple[int, int] | None:
    """(m, e) of one of Python's numbers, m·10^e, without zeros at the end of m; None where it is no such number.

    >>> number_of(1200), number_of(Fraction(1, 8)), number_of(Decimal("0.10")), number_of(Fraction(1, 3))
    ((12, 2), (125, -3), (1, -1), None)
    """
    if isinstance(value, np.generic):
        value = value if isinstance(value, np.longdouble) and value != float(value) else value.item()
    if isinstance(value, float):
        return decimal_of(value) if np.isfinite(value) else None
    if isinstance(value, int):
        return _without_zeros(int(value), 0)
    if isinstance(value, Decimal):
        if not value.is_finite() or len(value.as_tuple().digits) > _MOST_DIGITS:
            return None
        sign, digits, exponent = value.as_tuple()
        return _without_zeros(int("".join(map(str, digits))) * (-1 if sign else 1), int(exponent))
    if not isinstance(value, Fraction):
        return None
    below, places = value.denominator, 0
    for factor in (2, 5):
        times = 0
        while below % factor == 0:
            below, times = below // factor, times + 1
        places = max(places, times)
    return None if below > 1 else _without_zeros(value.numerator * 10**places // value.denominator, -places)


def _without_zeros(m: int, e: int) -> tuple[int, int] | None:
    if m.bit_length() > 3 * _MOST_DIGITS:
        return None
    digits = str(abs(m)) if m else ""
    zeros = len(digits) - len(digits.rstrip("0"))
    return (m // 10**zeros, e + zeros) if m else (0, 0)


def _survey_extreme(found: Survey, j: int, x: Floats) -> None:
    """Column j has values near the ends of float64: which decimals they are, text tells."""
    pairs = [decimal_of(float(v)) for v in x[x != 0].tolist()]
    found.largest[j], found.differ[j], found.extreme[j] = np.abs(x).max(initial=0.0), True, True
    found.places[j] = NONE if any(abs(m) >= 10**15 for m, _ in pairs) else _decimal_places(pairs)


def _survey_written(found: Survey, j: int, written: Written) -> None:
    m = [h * _HALF + low for h, low in zip(written.high.tolist(), written.low.tolist(), strict=True)]
    pairs = [(a, e) for a, e in zip(m, written.exponent.tolist(), strict=True) if a]
    x = written.floats()
    sizes = np.abs(x[(written.high != 0) | (written.low != 0)])
    found.largest[j], found.differ[j] = sizes.max(initial=0.0), True
    found.extreme[j] = bool(sizes.size and (sizes.min() < LEAST or sizes.max() > MOST))
    found.places[j] = _decimal_places(pairs)


def _decimal_places(pairs: list[tuple[int, int]]) -> int:
    """The decimal places of these numbers; as few as can be where there are none."""
    return max((-e for _, e in pairs), default=-NONE)


def _survey_single(found: Survey, j: int, x: npt.NDArray[np.float32], first: int) -> None:
    """Column j is float32: decimals of up to 7 digits and 4 places, or what it is."""
    values = x.astype(np.float64)
    found.largest[j] = np.abs(values).max(initial=0.0)
    for places in range(first, _SINGLE_PLACES + 1):
        m = np.rint(values * 10.0**places)
        if np.abs(m).max(initial=0.0) >= _SINGLE_LARGEST:
            break
        if np.array_equal((m / 10.0**places).astype(np.float32), x):
            found.places[j] = places
            found.differ[j] = bool(np.any(m / 10.0**places != values))
            return
    whole = np.array_equal(np.rint(values), values) and found.largest[j] < 10.0**15
    found.places[j] = 0 if whole and first == 0 else NONE
