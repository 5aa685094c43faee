"""Why classes are separable: the single columns, or the few columns together, that separate them by themselves.

A column alone has no row on the wrong side exactly where all of its values in one class are at most t and all in the
other at least t (without an intercept: t = 0). The smallest and the largest value of each class show that. Rows off t
are strict; where no row is at t, all are. Floats have the order of the numbers they stand for, so nothing is rounded;
the weights that follow are confirmed in exact arithmetic, and a certificate states them.

Where no single column separates, few columns may: a linear program with short weights proposes some, the search
decides on these alone, and columns that are not needed leave one after the other.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations
from math import floor, log10
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from rosenblatt.arrays import Flags, Floats, Places, Signs
from rosenblatt.context import Unfinished
from rosenblatt.data.numbers import Reading, Rows
from rosenblatt.verdicts.points import Points
from rosenblatt.verdicts.search import Proof, prove_on_clear_columns

__all__ = ["Because", "reasons"]

T = TypeVar("T")

_MOST = 5  # single columns that are told of
_LARGEST_SET = 3  # columns: more of them explain nothing
_WIDEST, _LARGEST = 40, 1 << 20  # columns and values of a table in which a set of columns is sought
_MOST_DIGITS = 18  # of a threshold that is written out
_SECONDS = 1.0  # for that
_ANOTHER = "Is it the outcome in another form?"


@dataclass(frozen=True)
class Because:
    """Columns that separate by themselves; `w` is 0 elsewhere, but for the bias, and proves it.

    `strict` has the numbers of rows that they have strictly on their side: all of them for complete data. A single
    column has a `threshold`, and the class (−1 or +1) that is `above` it.
    """

    columns: tuple[int, ...]
    w: list[int]
    strict: Places
    complete: bool
    smallest: bool = True  # whether it is proved that no fewer columns do it
    threshold: str = ""
    above: int = 0
    values: tuple[float, ...] = ()  # of a single column with two values: both

    def renamed(self, numbers: Places | None) -> "Because":
        """The same with row i called numbers[i]; None: rows keep their numbers."""
        return self if numbers is None else replace(self, strict=numbers[self.strict])

    def entry(self) -> dict[str, Any]:
        """An element of the certificate's `because`."""
        return {"columns": list(self.columns), "w": [hex(v) for v in self.w]}

    def sentence(self, names: Sequence[str], classes: Sequence[str]) -> str:
        """The reason in words; `classes` are the negative and the positive one, as in "approve = 1"."""
        named = [names[j] for j in self.columns]
        if len(named) > 1:
            fewer = "no smaller set does" if self.smallest else "whether fewer do is not settled"
            return f"{', '.join(named[:-1])} and {named[-1]} together separate; {fewer}."
        (name,), (low, high) = named, classes[:: self.above]
        if self.complete:
            return f"{name} alone separates: {self._complete(name, low, high)}. {_ANOTHER}"
        return f"{self._partly(name, low, high)} ({self._counted()})."

    def _complete(self, name: str, low: str, high: str) -> str:
        if self.values:
            return f"every {_with(name, self.values[1])} has {high}, every other row {low}"
        return f"{low} exactly where {name} < {self.threshold}"

    def _partly(self, name: str, low: str, high: str) -> str:
        """Rows off the threshold, on one side of it or on both, have one class."""
        if self.values:
            above = self.values[0] == float(self.threshold)
            return f"every {_with(name, self.values[int(above)])} has {high if above else low}"
        return f"{name} > {self.threshold} only where {high}, {name} < {self.threshold} only where {low}"

    def _counted(self) -> str:
        return f"{self.strict.size:,} row{'' if self.strict.size == 1 else 's'}"


def _with(name: str, value: float) -> str:
    """Rows with this value: of a factor's level, "color=red row"."""
    return f"{name} row" if "=" in name and value == 1 else f"row with {name} = {value:.15g}"


class Answering(Protocol):
    """Rows that reasons are sought in: `Points`, or those in blocks."""

    @property
    def n(self) -> int:
        """How many there are."""

    @property
    def d(self) -> int:
        """Weights, the bias included."""

    @property
    def bias(self) -> bool:
        """Whether there is one."""

    @property
    def readings(self) -> tuple[Reading, ...]:
        """How each column is read."""

    def ask(self, question: Callable[..., T], joined: Callable[[list[T]], T], **how: object) -> T:
        """The answer of these rows; of rows in blocks, the answers of all blocks `joined`."""

    def signs(self, w: list[int]) -> Signs:
        """The exact signs of z·w."""

    def here(self) -> Points:
        """All rows, in this process."""


def reasons(points: Answering, proof: Proof, sets: bool) -> list[Because]:
    """The reasons of separable data, the ones with the most strict rows first; with `sets`, also several columns."""
    if proof.kind == "overlap":
        return []
    found = [one for one in _singles(points) if one.complete or proof.kind == "quasi"]
    found.sort(key=lambda one: -one.strict.size)
    if found or not sets or proof.kind == "quasi" or points.n * points.d > 2 * _LARGEST:
        return found[:_MOST]
    try:
        together = _few_columns(points.here().within(_SECONDS))
    except Unfinished:
        return []
    return [] if together is None else [together]


# -- single columns


class Ends(NamedTuple):
    """The smallest and the largest value of every column in either class; without rows, +inf and −inf."""

    low: dict[int, Floats]
    high: dict[int, Floats]
    told: Flags  # columns whose numbers floats tell apart

    @classmethod
    def of(cls, points: Points) -> "Ends":
        """Of some rows."""
        told = np.ones(points.rows.p, dtype=bool)
        told[list(points.rows.origin.columns)] = False
        told[[j for j in points.parts.owner[points.d :] if j < points.rows.p]] = False
        low, high = dict[int, Floats](), dict[int, Floats]()
        for sign in (1, -1):
            low[sign], high[sign] = _extremes(points.rows, np.flatnonzero(points.y == sign))
        return cls(low, high, told)

    @classmethod
    def joined(cls, parts: "list[Ends]") -> "Ends":
        """Of all blocks."""
        low, high = (
            {k: fold([getattr(one, name)[k] for one in parts], axis=0) for k in (1, -1)}
            for name, fold in (("low", np.min), ("high", np.max))
        )
        return cls(low, high, np.all([one.told for one in parts], axis=0))


def _singles(points: Answering) -> list[Because]:
    """All columns that have no row on the wrong side, and some row off their threshold."""
    ends = points.ask(Ends.of, Ends.joined)
    found = list[Because]()
    for above in (1, -1):
        below_top, above_low = ends.high[-above], ends.low[above]
        fits = ends.told & (below_top <= above_low)
        if not points.bias:
            fits &= (below_top <= 0) & (above_low >= 0)
        for j in np.flatnonzero(fits).tolist():
            one = _single(points, j, above, float(below_top[j]), float(above_low[j]))
            found += [one] if one is not None else []
    return found


def _extremes(rows: Rows, some: Places) -> tuple[Floats, Floats]:
    """The smallest and the largest value of every column in some rows."""
    low, high = np.full(rows.p, np.inf), np.full(rows.p, -np.inf)
    for part in np.array_split(some, 1 + some.size * rows.width // (1 << 22)):
        if part.size and rows.sparse:
            kernel = rows.subset(part).kernel
            counts = np.bincount(kernel.indices, minlength=rows.p)
            at = np.flatnonzero(counts < part.size)
            low[at], high[at] = np.minimum(low[at], 0.0), np.maximum(high[at], 0.0)
            np.minimum.at(low, kernel.indices, kernel.data)
            np.maximum.at(high, kernel.indices, kernel.data)
        elif part.size:
            X = rows.take(part)
            low, high = np.minimum(low, X.min(axis=0)), np.maximum(high, X.max(axis=0))
    return low, high


def _few_values(points: Points, j: int) -> Floats:
    """The different values of column j, at most three."""
    stored = points.rows.values_in(j)
    # CSR does not store zeros
    return np.unique(stored if stored.size == points.n else np.append(stored, 0.0))[:3].astype(np.float64)


def _few_joined(parts: list[Floats]) -> Floats:
    return np.unique(np.concatenate(parts))[:3]


def _single(points: Answering, j: int, above: int, low: float, high: float) -> Because | None:
    """The reason that column j is, confirmed: one class has values up to low, the other from high on."""
    if not np.isfinite([low, high]).all():  # only one class has rows
        return None
    middle = (Fraction(low) + Fraction(high)) / 2 if points.bias else Fraction(0)
    if points.bias and low == high:
        middle = _as_read(points, j, low)
    w = [0] * points.d
    w[j] = above * middle.denominator
    if points.bias:
        w[-1] = -above * middle.numerator
    signs = points.signs(w)
    if signs.min(initial=0) < 0 or not signs.any():
        return None
    values = points.ask(_few_values, _few_joined, j=j)
    threshold = _roundest_between(Fraction(low), Fraction(high)) if low < high and points.bias else middle
    two = tuple(values.tolist()) if values.size == 2 else ()
    return Because((j,), w, np.flatnonzero(signs), bool(np.all(signs > 0)), True, _digits_of(threshold), above, two)


def _as_read(points: Answering, j: int, value: float) -> Fraction:
    """The number that a float of column j stands for."""
    power = points.readings[j].power
    if power is None:
        return Fraction(value)
    return Fraction(round(Fraction(value) / Fraction(10) ** power)) * Fraction(10) ** power


def _roundest_between(low: Fraction, high: Fraction) -> Fraction:
    """The roundest number above low, and at most high: 2500 between 2495 and 2523."""
    size = floor(log10(high - low)) + 1
    while True:
        unit = Fraction(10) ** size
        found = (low / unit).__floor__() * unit + unit
        if found <= high:
            return found
        size -= 1


def _digits_of(number: Fraction) -> str:
    """A number with all its digits, if they are few; else as the float that it is."""
    with localcontext(prec=40):
        exact = (Decimal(number.numerator) / Decimal(number.denominator)).normalize()
    if Fraction(exact) != number or len(exact.as_tuple().digits) > _MOST_DIGITS:
        return repr(float(number))
    return f"{exact:f}" if abs(exact.adjusted()) < _MOST_DIGITS else f"{exact:e}"


# -- several columns


def _few_columns(points: Points) -> Because | None:
    """A small set of columns that separates completely; None where none is found."""
    p = points.rows.p
    if points.n <= points.d or not 1 < p <= _WIDEST or points.n * p > _LARGEST or points.rows.sparse:
        return None
    if abs(int(points.y.sum())) == points.n:  # one class
        return None
    columns = list(range(p))
    w: list[int] | None = None
    for j in sorted(columns, key=lambda j: _classes_apart(points, j)):
        if len(columns) > 1 and (found := _on(points, [k for k in columns if k != j])) is not None:
            columns.remove(j)
            w = found
    if w is None or not 1 < len(columns) <= _LARGEST_SET:  # one: its numbers are longer than a threshold can be told
        return None
    smaller = combinations(range(p), len(columns) - 1)  # of the smaller sets, the largest: they can do what others can
    smallest = all(_on(points, list(some)) is None for some in smaller)
    return Because(tuple(columns), w, np.arange(points.n), True, smallest)


def _classes_apart(points: Points, j: int) -> float:
    """How far apart the classes are in a column, relative to its spread: columns of little use leave first."""
    x, positive = np.asarray(points.rows.values_in(j), dtype=np.float64), points.y > 0
    with np.errstate(all="ignore"):
        return float(abs(x[positive].mean() - x[~positive].mean()) / max(x.std(), 1e-300))


def _on(points: Points, columns: list[int]) -> list[int] | None:
    """Weights for all columns that separate completely by these alone; None where there are none."""
    some = Points(points.rows.of_columns(np.array(columns)), points.y, points.bias, points.context)
    proof = prove_on_clear_columns(some)
    if proof.kind != "complete":
        return None
    out = dict(zip([*columns, points.d - 1], proof.w, strict=False))
    return [out.get(j, 0) for j in range(points.d)]
