"""What a verdict is worth (would shuffled labels have been separable too?), and how its columns were read, in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import lgamma, log, log10
from typing import Any

import numpy as np

from rosenblatt.arrays import Floats, Integers, Signs
from rosenblatt.counting import chance_in_words, log10_count
from rosenblatt.data.numbers import Reading, Rows, Written, single_columns

__all__ = [
    "CUT_OFF",
    "MORE",
    "NOT_SHOWN",
    "ColumnReading",
    "Worth",
    "certified_readings",
    "is_narrow",
    "readings_in_words",
    "readings_of",
    "with_warning",
]

# ---------------------------------------------------------------------------------------------------------------- worth
# Only this part judges it. The rule: if the labels had nothing to do with the points, every order of the labels would
# be equally likely. A complete separation is called more than chance where at most 1 in 100 of these orders can be
# separated, wherever the points lie. Everything else is "not shown": the bound is an upper bound, so a large one
# proves neither chance nor more than chance. docs/cover.md has the reasons.

CUT_OFF = -2.0  # log10 of the chance, 1 in 100, up to which a separation is more than chance
MORE, NOT_SHOWN = "more than chance", "not shown to be more than chance"

_IF_NO_COPIES = "if equal rows were observed one by one, and not shown to be if they are copies"
_CERTAIN = log10(0.99)  # a bound from here on excludes nothing


@dataclass(frozen=True)
class Worth:
    """Upper bounds on the chance of complete separability, wherever the points lie (Cover 1965), as powers of ten.

    There are two because class sizes matter: if one class has few examples, chance separates them more easily than
    labels thrown with fair coins. The rule uses the second bound, `log10_sizes`.

    Attributes
    ----------
    points, weights : int
        m distinct points and the r weights they can use: C(m, r) labelings are separable at most.
    log10_fair : float
        Of labels by fair coins, one in 10^(−log10_fair) at most is completely separable.
    log10_sizes : float
        The same for labels shuffled with the class sizes as they are.
    d : int
        Weights in all, with the intercept.
    fit_intercept : bool or None
        Whether one of them is the intercept, if that is known.
    about_groups : str
        What is counted where rows belong to groups; empty where every row stands alone.
    rows : int
        How many rows there are, where some are equal; else 0.
    log10_points : float
        Of the points' own labels, shuffled: the bound where equal rows are copies of one row.

    Examples
    --------
    >>> print(Worth.of(208, 97, 208, 61, fit_intercept=True).sentence("complete"))
    208 points in 60 dimensions (61 weights with the intercept): with the labels shuffled, the chance of complete
    separability is at most 1 in 10^8. So this is more than chance.
    """

    points: int
    weights: int
    log10_fair: float
    log10_sizes: float
    d: int
    fit_intercept: bool | None = None
    about_groups: str = ""
    rows: int = 0
    log10_points: float = 0.0

    @classmethod
    def of(
        cls, n: int, positive: int, distinct: int, d: int, fit_intercept: bool | None = None, kinds: int | None = None
    ) -> "Worth":
        """For n rows, `positive` of one class, `distinct` different ones, and d weights.

        `kinds`: how many of the different rows are of that class; where that is not known, the least telling number.
        """
        r = min(d, distinct)
        labelings = log10_count(distinct, r)

        def bound(rows: int, of_one: int) -> float:
            orders = (lgamma(rows + 1) - lgamma(of_one + 1) - lgamma(rows - of_one + 1)) / log(10)
            # of two opposite labelings only one has these class sizes
            half = 0.0 if 2 * of_one == rows else log(2) / log(10)
            return min(0.0, labelings - half - orders)

        fair = min(0.0, labelings - n * log(2) / log(10))
        found = cls(distinct, r, fair, bound(n, positive), d, fit_intercept)
        if distinct == n:
            return found
        least, most = max(0, distinct - (n - positive)), min(positive, distinct)
        possible = (least, most) if kinds is None else (kinds,)
        return replace(found, rows=n, log10_points=max(bound(distinct, one) for one in possible))

    @classmethod
    def of_groups(cls, signs: Signs, groups: object, d: int, fit_intercept: bool | None = None) -> "Worth":
        """For related rows: labels are exchanged between whole groups, so one row of each group is a point.

        A hyperplane that separates all rows separates one row of each group: Cover's bound for so many points holds.
        """
        names = np.asarray(groups)
        if names.shape != signs.shape:
            raise ValueError(f"groups must name the group of each of {len(signs)} rows; it has shape {names.shape}.")
        _, first, of_row = np.unique(names.astype(str), return_index=True, return_inverse=True)
        if np.array_equal(signs[first][of_row], signs):
            counted = cls.of(len(first), int(np.sum(signs[first] > 0)), len(first), d, fit_intercept)
            return replace(counted, about_groups="Rows of a group belong together, so one row of each counts.")
        remark = "Some groups have both labels, and how often such labels are separable is not counted."
        return cls(len(first), min(d, len(first)), 0.0, 0.0, d, fit_intercept, remark)

    @property
    def log10(self) -> float:
        """The bound that holds whether equal rows were observed one by one, or are copies of one another."""
        return max(self.log10_sizes, self.log10_points if self.rows else self.log10_sizes)

    @property
    def more_than_chance(self) -> bool:
        """Whether a complete separation of these rows would be more than chance, by the rule above."""
        return self.log10 <= CUT_OFF

    def __str__(self) -> str:
        """The bound in words, without a judgement."""
        if self.log10_sizes < _CERTAIN:
            chance = chance_in_words(self.log10_sizes)
            bound = f"with the labels shuffled, the chance of complete separability is at most {chance}"
            if self.rows:
                bound += f"; if equal rows are copies, at most {chance_in_words(self.log10_points)}"
        elif self.points <= self.d:
            bound = "so few points may be completely separable whatever their labels"
        else:
            bound = "labels shuffled with these class sizes may all be completely separable"
        return f"{self.about_groups} {self._where()}: {bound}.".lstrip()

    def sentence(self, kind: str) -> str:
        """The bound, and what it makes of a verdict of this kind."""
        return f"{self} {self._judgement(kind)}".rstrip()

    def _judgement(self, kind: str) -> str:
        if kind == "complete":
            if self.more_than_chance:
                return f"So this is {MORE}."
            if self.log10_sizes <= CUT_OFF:
                return f"So this is {MORE} {_IF_NO_COPIES}."
            return f"So this is {NOT_SHOWN}; rb.cover.permutation_test counts it by shuffling."
        if kind not in ("quasi", "overlap"):
            return ""
        if self.log10_sizes > CUT_OFF:
            return "These are not completely separable."
        uncounted = "; how often chance gives a quasi-separation is not counted" if kind == "quasi" else ""
        return f"These are not completely separable, and shuffled labels rarely are{uncounted}."

    def _where(self) -> str:
        points = f"{self.points:,} point{'' if self.points == 1 else 's'}"
        points = f"{self.rows:,} rows at {points}" if self.rows else points
        weights = f"{self.d:,} weight{'' if self.d == 1 else 's'}"
        if self.fit_intercept is None:
            return f"{points} with {weights}"
        p = self.d - self.fit_intercept
        dimensions = f"{p:,} dimension{'' if p == 1 else 's'}"
        return f"{points} in {dimensions} ({f'{weights} with the' if self.fit_intercept else 'no'} intercept)"


# ------------------------------------------------------------------------------------------------------------ readings


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
