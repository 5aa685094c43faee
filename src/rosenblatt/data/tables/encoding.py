"""From a table's columns to the numbers of X: learned once, written down, applied to every later table alike.

    number     the value itself
    boolean    0 or 1
    category   one column for each level, 1 where the value is that level
    hash       one column for each bucket, 1 where the value falls into it: MD5, first 32 bits, modulo the buckets
    sparse     all columns of LIBSVM text at once, by their indices

The levels' columns add up to 1, as the intercept does: one of them says nothing new, and its coefficient could be
anything. So a category (or hash) with `reference` has no column for its first level, the one that the others are
measured against. No hyperplane is lost or won by that.

A column with `missing` has one more column at its end, 1 where the value is missing (its other columns are 0 there).
With `degree` d > 1 the columns are followed by all their products of 2 … d factors, multiplied from left to right.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Flags, Floats
from rosenblatt.data.refusal import Refused
from rosenblatt.data.sql import DATE_PARTS, Numerals

__all__ = ["ABSENT", "MISSING", "UNKNOWN", "Column", "Encoding", "Surprise"]

ABSENT, UNKNOWN = -1, -2  # codes of a missing value, and of one that is no known level
_MOST_COLUMNS = 1 << 20
_MOST_BUCKETS = 1 << 31
_KINDS = ("number", "boolean", "category", "hash", "sparse")
_OPTIONAL = ("rest", "na", "weights", "counts", "degree", "delimiter", "id")  # in JSON only where unusual
MISSING = ("refuse", "drop", "indicator", "level", "mean")


class Surprise(Exception):
    """A value that the encoding has no place for."""

    def __init__(self, column: str) -> None:
        super().__init__(column)
        self.column = column


@dataclass(frozen=True)
class Column:
    """How one column of a table becomes columns of X."""

    name: str
    kind: str = "number"
    levels: tuple[str, ...] = ()
    buckets: int = 0
    missing: bool = False
    reference: bool = False
    mean: float | None = None  # of a number: what stands for a missing one

    @property
    def width(self) -> int:
        """Columns of X, the one for missing values included."""
        inner = {"category": len(self.levels), "hash": self.buckets, "sparse": self.buckets}.get(self.kind, 1)
        return inner - self.reference + self.missing

    @property
    def is_factor(self) -> bool:
        """Whether its columns add up to 1."""
        return self.kind in ("category", "hash")

    def _levels(self) -> list[str]:
        """What the levels' columns are called, the reference's included."""
        if self.kind == "category":
            return [f"{self.name}={level}" for level in self.levels]
        return [f"{self.name}#{bucket}" for bucket in range(self.buckets)]

    @property
    def reference_name(self) -> str:
        """What the column left out would be called; "" where none is."""
        return self._levels()[0] if self.reference else ""

    def names(self) -> list[str]:
        """What the columns of X are called."""
        if self.is_factor:
            inner = self._levels()[self.reference :]
        elif self.kind == "sparse":
            inner = [f"{self.name}{index}" for index in range(1, self.buckets + 1)]
        else:
            inner = [self.name]
        return [*inner, f"{self.name} is missing"] if self.missing else inner

    def fill(self, out: Floats, values: npt.NDArray[Any]) -> Flags | bool:
        """Write the columns of X (zeros so far); returns which values are missing, False if none is.

        A missing number is left as NaN, which the whole block is searched for at once; see `fill_missing`.
        """
        if self.kind == "number":
            out[:, 0] = values
            return False
        lowest = values.min(initial=0)
        if lowest == UNKNOWN:
            raise Surprise(self.name)
        lost = values == ABSENT if lowest == ABSENT else None
        if self.kind == "boolean":
            out[:, 0] = np.maximum(values, 0)
        else:
            first = int(self.reference)
            shown = np.flatnonzero(values >= first)  # neither missing nor the level that has no column
            out[shown, values[shown] - first] = 1.0
        return False if lost is None else self._mark_missing(out, lost)

    def fill_missing(self, out: Floats, values: npt.NDArray[Any]) -> Flags | bool:
        """Mark missing numbers, after `fill`, in a block that may have some; returns which values are missing."""
        if self.kind != "number":
            return False
        lost = np.isnan(values)
        if self.mean is not None:
            out[lost, 0] = self.mean
            return False
        if self.missing:
            out[lost, 0] = 0.0
        return self._mark_missing(out, lost)

    def _mark_missing(self, out: Floats, lost: Flags) -> Flags | bool:
        """Which values are missing and have no indicator column; where there is one, it is set."""
        if not self.missing:
            return lost
        out[lost, -1] = 1.0
        return False

    def to_json(self) -> dict[str, Any]:
        """Only what differs from a plain column of numbers."""
        entry = {"name": self.name, "kind": self.kind}
        return entry | {k: v for k, v in asdict(self).items() if (v or (v == 0.0 and k == "mean")) and k not in entry}


@dataclass(frozen=True)
class Encoding:
    """How a table was read; the certificate's `table` entry, and part of a saved model.

    Examples
    --------
    >>> size = Column("size", "category", levels=("L", "M", "S"), reference=True)
    >>> encoding = Encoding((Column("age"), size), target="ill", classes=("no", "yes"))
    >>> encoding.features, encoding.references
    (['age', 'size=M', 'size=S'], ['size=L'])
    >>> encoding.levels
    {'size=M': 'size=L', 'size=S': 'size=L'}
    >>> Encoding.from_json(encoding.to_json()) == encoding
    True
    """

    columns: tuple[Column, ...]
    target: str | None = None
    classes: tuple[str, ...] = ()  # negative, positive; or all of more than two
    rest: bool = False  # whether the negative class is everything but the positive one
    missing: str = "refuse"
    na: tuple[str, ...] = ()
    weights: str | None = None
    counts: tuple[str, str] | None = None
    degree: int = 1
    delimiter: str = ","
    id: str | None = None  # the column that names the rows
    numerals: tuple[tuple[str, Numerals], ...] = ()  # columns that write numbers in an unusual way
    width: int = field(init=False, repr=False, compare=False, default=0)  # columns before the products

    def __post_init__(self) -> None:
        object.__setattr__(self, "width", sum(column.width for column in self.columns))

    @property
    def p(self) -> int:
        """Columns of X."""
        return comb(self.width + self.degree, self.degree) - 1

    @property
    def features(self) -> list[str]:
        """Names of the columns of X."""
        plain = [name for column in self.columns for name in column.names()]
        return plain + [_product_name([plain[j] for j in term]) for term in self.terms()]

    @property
    def references(self) -> list[str]:
        """The levels that have no column of X, because others are measured against them."""
        return [column.reference_name for column in self.columns if column.reference]

    @property
    def levels(self) -> dict[str, str]:
        """The columns of X that are levels of a factor with a reference level, each with the name of that level."""
        factors = [column for column in self.columns if column.reference]
        own = ((column, column.names()[: column.width - column.missing]) for column in factors)
        return {name: column.reference_name for column, names in own for name in names}

    def terms(self) -> Iterator[tuple[int, ...]]:
        """The columns that each product is made of."""
        for degree in range(2, self.degree + 1):
            yield from itertools.combinations_with_replacement(range(self.width), degree)

    def check_size(self, where: str) -> None:
        """Refuse more columns of X than 2^20: nobody asks for so many on purpose."""
        if self.p > _MOST_COLUMNS:
            raise Refused(f"{where} would become {self.p:,} columns; use a lower degree, or hash or drop a column.")

    def block(self, values: Sequence[npt.NDArray[Any]], m: int) -> tuple[Floats, Flags, bool]:
        """X of m rows from their columns (numbers with NaN, or codes), and which rows lack a value.

        The third answer is False where every value of X is known to be finite.
        """
        all_filled = not any(column.is_factor or column.missing for column in self.columns)  # each is written over
        X = np.empty((m, self.p)) if all_filled else np.zeros((m, self.p))
        absent = np.zeros(m, dtype=bool)
        ends = itertools.accumulate(column.width for column in self.columns)
        parts = [X[:, end - column.width : end] for column, end in zip(self.columns, ends, strict=True)]
        for column, part, given in zip(self.columns, parts, values, strict=True):
            absent |= column.fill(part, given)
        with np.errstate(over="ignore", invalid="ignore"):
            doubt = not np.isfinite(X[:, : self.width].sum())  # one look, in most cases
        if doubt:
            for column, part, given in zip(self.columns, parts, values, strict=True):
                absent |= column.fill_missing(part, given)
        with np.errstate(over="ignore", invalid="ignore"):  # a product beyond float64 is refused with its row
            for j, term in enumerate(self.terms(), self.width):
                X[:, j] = X[:, term[0]]
                for factor in term[1:]:
                    X[:, j] *= X[:, factor]
        return X, absent, doubt or self.degree > 1

    def without_empty(self, X: Floats) -> tuple["Encoding", list[int]]:
        """The encoding without levels that no row of X has, and which columns of X it keeps."""
        columns, kept, at = list[Column](), list[int](), 0
        for column in self.columns:
            places = list(range(at, at + column.width))
            at += column.width
            if column.kind == "category" and self.degree == 1:
                shown = dict.fromkeys(column.levels, False)
                own = dict(zip(column.levels[column.reference :], places, strict=False))
                shown |= {level: bool(X[:, j].any()) for level, j in own.items()}
                if column.reference:
                    shown[column.levels[0]] = not X[:, list(own.values())].any(axis=1).all() if own else True
                levels = tuple(level for level in column.levels if shown[level])
                gone = {*column.levels} - {*levels} | ({*levels[:1]} if column.reference else set())
                column = replace(column, levels=levels)
                places = [j for j in places if j not in {own[level] for level in gone if level in own}]
            columns.append(column)
            kept += places
        return replace(self, columns=tuple(columns)), [*kept, *range(at, self.p)]

    # ---------------------------------------------------------------------------------------------------------- JSON

    def to_json(self) -> dict[str, Any]:
        """Plain JSON: what the certificate's `table` and a saved model hold."""
        entry: dict[str, Any] = {"target": self.target}
        if len(self.classes) == 2:
            entry |= {"positive": self.classes[1], "negative": self.classes[0]}
        elif self.classes:
            entry["classes"] = list(self.classes)
        entry["missing"] = self.missing
        for name in _OPTIONAL:
            value = getattr(self, name)
            if value != getattr(Encoding, name):  # the default
                entry[name] = list(value) if isinstance(value, tuple) else value
        if self.numerals:
            entry["numerals"] = {name: numerals.to_json() for name, numerals in self.numerals}
        return entry | {"columns": [column.to_json() for column in self.columns]}

    @classmethod
    def from_json(cls, entry: dict[str, Any]) -> "Encoding":
        """Read it back; a description that no table can have is refused."""
        try:
            columns = tuple(
                Column(**(column | {"levels": tuple(column.get("levels", ()))})) for column in entry["columns"]
            )
            classes = tuple(entry.get("classes", ()))
            if "positive" in entry:
                classes = (entry.get("negative", f"not {entry['positive']}"), entry["positive"])
            told: dict[str, Any] = {"rest": "positive" in entry and "negative" not in entry}
            told |= {name: entry[name] for name in _OPTIONAL if name in entry}
            counts = entry.get("counts")
            told |= {"na": tuple(entry.get("na", ())), "counts": (counts[0], counts[1]) if counts else None}
            numerals = tuple((name, _numerals(one)) for name, one in entry.get("numerals", {}).items())
            found = cls(
                columns, target=entry["target"], classes=classes, missing=entry["missing"], numerals=numerals, **told
            )
            found._check()
            return found
        except (KeyError, TypeError, AttributeError, IndexError):
            raise Refused("the description of the table is damaged.") from None

    def _check(self) -> None:
        """Refuse a description that no table can have: it may come from somebody else."""
        words = [self.missing, self.delimiter, *self.na, *self.classes, *(self.counts or ())]
        words += [text for column in self.columns for text in (column.name, *column.levels)]
        words += [text for name, one in self.numerals for text in (name, *one.na)]
        words += [text for text in (self.target, self.weights, self.id) if text is not None]
        sizes = [(self.degree, 1, 9), *((column.buckets, 0, _MOST_BUCKETS) for column in self.columns)]
        known = all(column.kind in _KINDS for column in self.columns) and self.missing in MISSING
        if not known or any(type(text) is not str for text in words):
            raise TypeError
        means = [column.mean for column in self.columns if column.mean is not None]
        if any(type(mean) not in (int, float) or not np.isfinite(mean) for mean in means):
            raise TypeError
        if any(type(size) is not int or not least <= size <= most for size, least, most in sizes):
            raise TypeError
        if {self.target, *(self.counts or ())} & {column.name for column in self.columns}:
            raise Refused("the description of the table has the target among the features.")


def _numerals(entry: dict[str, Any]) -> Numerals:
    """Read back from JSON; other marks than those of numbers are refused."""
    found = Numerals(**(entry | {"na": tuple(entry.get("na", ()))}))
    marks = found.decimal in (".", ",") and found.thousands in ("", ".", ",", " ", "'", "\u2019")
    flags = all(type(one) is bool for one in (found.percent, found.minus, found.indian))
    if not marks or found.date not in ("", *DATE_PARTS) or not flags:
        raise TypeError
    return found


def _product_name(factors: list[str]) -> str:
    """The name of a product: a·b, and a^2·b for a·a·b."""
    counted = [(name, len(list(group))) for name, group in itertools.groupby(factors)]
    return "·".join(name if times == 1 else f"{name}^{times}" for name, times in counted)
