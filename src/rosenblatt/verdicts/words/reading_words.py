"""How a verdict's columns were read, in words; and whether a street is as narrow as the rounding of its numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.arrays import Floats, Integers
from rosenblatt.data.numbers import Reading, Rows, Written, single_columns

__all__ = ["ColumnReading", "certified_readings", "is_narrow", "readings_in_words", "readings_of", "with_warning"]

_SHOWN = 2  # columns of one kind that are named
_PLACES = {1: "tenths", 2: "hundredths", 3: "thousandths"}
_ROUNDING = {32: 1e-6, 64: 1e-14}  # of a float: a little more than what its last digits are worth
_NARROW = "; the street is as narrow as the rounding of its numbers"
_HALF_DIGITS = 16  # of `Written.low`
_PLAIN = 15  # digits that floats tell apart


@dataclass(frozen=True)
class ColumnReading:
    """How a column was read. `digits`: of its longest number, where floats do not hold it; `single`: it was float32.

    >>> ColumnReading("account", Reading(0), digits=19).words
    '19 digits, read exactly'
    >>> ColumnReading("price", Reading(-1), single=True).words
    'float32, read as tenths'
    """

    name: str
    reading: Reading
    digits: int | None = None
    single: bool = False

    @property
    def words(self) -> str:
        """How it was read; nothing for plain numbers of at most 15 digits."""
        power, bits = self.reading
        if power is None:
            return "float32, as they are" if bits == 32 else "binary floats, as a program wrote them"
        if self.digits is not None:
            return f"{self.digits} digits, read exactly"
        if power > 0:
            return f"read as multiples of 10^{power}"
        if self.single and power < 0:
            return f"float32, read as {_PLACES.get(-power, f'decimals of {-power} places')}"
        return ""

    def entry(self) -> dict[str, Any]:
        """For JSON."""
        return {"name": self.name, "reading": self.reading.entry(), "digits": self.digits}


def readings_of(rows: Rows, readings: Sequence[Reading], names: Sequence[str]) -> tuple[ColumnReading, ...]:
    """How the columns were read; `rows` are those that were given."""
    single, written = single_columns(rows), rows.origin.column
    return tuple(
        ColumnReading(name, one, _longest_number(written(j)), bool(single[j]))
        for j, (name, one) in enumerate(zip(names, readings, strict=True))
    )


def certified_readings(content: Mapping[str, Any]) -> tuple[ColumnReading, ...]:
    """How the columns of X were read, as a certificate states it: that does not tell how long their numbers are."""
    features, entries = content.get("features") or [], content.get("readings") or []
    return tuple(ColumnReading(str(name), Reading.of(one)) for name, one in zip(features, entries, strict=False))


def _longest_number(written: Written | None) -> int | None:
    """The digits of the longest number, without zeros at its end, where they are more than floats tell apart."""
    if written is None:
        return None
    high, low = (int(np.abs(part).max(initial=0)) for part in (written.high, written.low))
    digits = len(str(high)) + _HALF_DIGITS if high else len(str(low))
    return digits if digits > _PLAIN else None


def readings_in_words(columns: Sequence[ColumnReading], asked: str, names: Sequence[str] | None = None) -> str:
    """The columns that are not plain, those of one kind together; by other names, if they are given.

    `asked` is the argument `numbers`.

    >>> floats = [ColumnReading(name, Reading()) for name in "abcd"]
    >>> readings_in_words([*floats, ColumnReading("n", Reading(0))], "decimal")
    'a, b and 2 more: binary floats, as a program wrote them'
    """
    if asked == "binary":
        return "all columns: binary floats, as asked" if columns else ""
    kinds: dict[str, list[str]] = {}
    for j, one in enumerate(columns):
        if one.words:
            kinds.setdefault(one.words, []).append(one.name if names is None else str(names[j]))
    return "; ".join(f"{_few(named)}: {words}" for words, named in kinds.items())


def _few(names: list[str]) -> str:
    if len(names) == _SHOWN + 1:  # "and 1 more" is as long as its name
        return f"{', '.join(names[:-1])} and {names[-1]}"
    if len(names) > _SHOWN:
        return f"{', '.join(names[:_SHOWN])} and {len(names) - _SHOWN} more"
    return " and ".join(names)


def is_narrow(width: float, w: Floats, readings: Sequence[Reading], exponents: Integers) -> bool:
    """Whether a street across w is as narrow as the rounding of the floats that it lies between.

    Columns are at most 2^exponents large. Decimals are known exactly, and have no rounding.
    """
    used = [j for j, one in enumerate(readings) if one.power is None and w[j]]
    if not used:
        return False
    largest = float(np.abs(w).max())
    logs = np.log2(np.abs(w)[used]) - np.log2(largest) - np.log2(np.linalg.norm(w / largest))  # of w/‖w‖
    rates = np.log2([_ROUNDING[readings[j].bits] for j in used])
    return width <= 0.0 or float(np.log2(width)) < float(np.max(logs + np.asarray(exponents)[used] - 1 + rates))


def with_warning(sentence: str, narrow: bool) -> str:
    """The sentence of a verdict, with a warning where the street is narrow."""
    return f"{sentence.removesuffix('.')}{_NARROW}." if narrow else sentence
