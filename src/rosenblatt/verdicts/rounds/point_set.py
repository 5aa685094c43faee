"""The vectors z = y·(x, 1) of all blocks, as the process that seeks a verdict sees them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from typing import Any, TypeVar

import numpy as np

from rosenblatt.arrays import Flags, Floats, Integers, Places, Signs
from rosenblatt.blocks import Blocks, ColumnsKept, DataWanted, Numbers, Site, read, shard
from rosenblatt.context import SILENT, Context
from rosenblatt.data import Encoding
from rosenblatt.data.numbers import BINARY, Origin, Reading, Rows, Survey, Written
from rosenblatt.kernels.kinds import NONE
from rosenblatt.verdicts.certificates import Claim, claimed_readings, refuse_unread
from rosenblatt.verdicts.decision import binary_readings
from rosenblatt.verdicts.points import Points, Weighed, Whole
from rosenblatt.verdicts.rounds import held
from rosenblatt.verdicts.rounds.held import HeldPoints, Seen
from rosenblatt.verdicts.words import ColumnReading

__all__ = ["GivenRows", "PointSet"]

_LISTED = 1 << 24  # with more rows, a verdict does not list the numbers of all of them
T = TypeVar("T")


@dataclass
class GivenRows:
    """Two classes (or one) in shards, before it is known what their numbers are."""

    shards: Blocks  # of `Shard`
    kept: ColumnsKept
    bias: bool
    sparse: bool
    classes: list[Any]
    positive: int  # rows of the second class
    names: list[str]
    absent: Places  # rows of weight zero, by their numbers in the data; the others are numbered without them
    encoding: Encoding | None

    @classmethod
    def read(cls, place: Site, X: object, wanted: DataWanted, bias: bool, context: Context = SILENT) -> "GivenRows":
        """Have the shards read; rows of weight zero are absent."""
        raw, surveys, encoding = read(place, X, wanted, bias, True, context)
        classes = np.unique(np.concatenate([one.classes[one.weighted > 0] for one in surveys]))
        if not len(classes):
            raise ValueError("X has no rows of positive weight: there is nothing to decide.")
        if len(classes) > 2:
            raise ValueError(f"y must have two classes; it has {len(classes)}.")
        positive = sum(int(one.weighted[one.classes == classes[-1]].sum()) for one in surveys)
        raw, absent = _present(raw, [int(one.weighted.sum()) for one in surveys])
        common = {"positive": [classes[-1].item()], "factors": {}, "bias": bias, "radius_sq": 0.0}
        shards = raw.become(shard.prepare, "reading the data", **common)
        kept = ColumnsKept(
            tuple(sorted({j for one in surveys for j in one.written})), np.all([one.single for one in surveys], axis=0)
        )
        known = classes.tolist() if len(classes) == 2 else ["", *classes.tolist()]
        sparse = all(one.sparse for one in surveys)
        names = surveys[0].names or [f"x{j}" for j in range(surveys[0].p)]
        return cls(shards, kept, bool(bias), sparse, known, positive, names, absent, encoding)

    @property
    def p(self) -> int:
        """Columns."""
        return self.kept.single.size

    def by_the_rule(self, numbers: str) -> "PointSet":
        """The points, their numbers read by the rule over all shards, or ("binary") as the floats they are."""
        if numbers == "binary":
            return self._points(Numbers(self.kept, binary_readings(self.kept.columns, self.kept.single)), self._keep())
        kept = self._keep()
        survey = self._survey(kept, None)
        return self._points(Numbers(self.kept, survey.readings(), survey), kept)

    def as_claimed(self, claim: Claim) -> "PointSet":
        """The points as a claim reads them. Raises `checker.DoesNotHold` where a value is not what the claim says."""
        if claim.version < 3:
            self.kept = self.kept._replace(single=np.zeros_like(self.kept.single))
        kept, readings = self._keep(claim), claimed_readings(claim)
        places = np.array([NONE if one.power is None else -one.power for one in readings], dtype=np.int64)
        numbers = Numbers(self.kept, readings, self._survey(kept, places))
        refuse_unread(numbers.of_no_rows(), claim)
        return self._points(numbers, kept)

    def _keep(self, claim: Claim | None = None) -> Blocks:
        """All shards with their columns kept alike."""
        return self.shards.become(held.keep, "reading the numbers", kept=self.kept, claim=claim)

    def _survey(self, shards: Blocks, places: Integers | None) -> Survey:
        """What all rows show together.

        Of some columns, what a shard shows depends on what others have: decimals of float32 need the places of all,
        and numbers at the ends of float64 are told by their text in all shards. So shards look again until they agree.
        """
        extreme = None
        while True:
            parts = shards.map(held.survey, "reading the numbers", places=places, extreme=extreme)
            found: Survey = reduce(Survey.joined, parts)
            single, by_text = self.kept.single, found.extreme & (found.places != NONE)
            by_text[list(self.kept.columns)] = False  # these are as they are written anyway
            alike = [one.places[single] == found.places[single] for one in parts]
            alike += [one.extreme[by_text] for one in parts]
            if all(np.all(one) for one in alike):
                return found
            first = np.zeros(self.p, dtype=np.int64) if places is None else places
            places, extreme = np.where(single, found.places, first), by_text

    def _points(self, numbers: Numbers, kept: Blocks) -> "PointSet":
        shards = kept.become(held.read, "reading the numbers", numbers=numbers)
        about = (self.p, self.bias, self.sparse, self.classes, self.positive, self.names)
        return PointSet(shards, *about, numbers, self.absent)


def _exponents(points: Points) -> Integers:
    return points.exponents


def _present(raw: Blocks, lengths: list[int]) -> tuple[Blocks, Places]:
    """The shards without the rows of weight zero, and the numbers of these; `lengths` counts the others."""
    if lengths == raw.lengths:
        return raw, np.empty(0, dtype=np.int64)
    where = "reading the weights"
    absent = raw.numbers(raw.map(shard.absent, where))
    kept = [s for s, n in enumerate(lengths) if n]
    return replace(raw.become(shard.present, where), lengths=lengths).some(kept), absent


@dataclass
class PointSet:
    """Two classes (or one) in shards, whose numbers are read."""

    shards: Blocks  # of `HeldPoints`
    p: int
    bias: bool
    sparse: bool
    classes: list[Any]
    positive: int  # rows of the second class
    names: list[str]
    numbers: Numbers | None = None  # None: they are the floats
    absent: Places | None = None  # as in `GivenRows`

    @classmethod
    def of_run(cls, shards: Blocks, p: int, bias: bool, k: int) -> "PointSet":
        """The floats of all rows of positive weight, with the labels of run k."""
        where = "looking at the rows"
        present = shards.map(held.count_present, where)
        some = replace(shards.become(held.hold, where, k=k), lengths=present)
        return cls(some.some([s for s, n in enumerate(present) if n]), p, bias, False, [], 0, [])

    def given(self, rows: Places) -> Places:
        """The numbers of rows in the data, where rows of weight zero count too."""
        if self.absent is None or not self.absent.size:
            return rows
        before = self.absent - np.arange(self.absent.size)  # how many rows stand before each that is absent
        return np.asarray(rows + np.searchsorted(before, rows, side="right"))

    @property
    def readings(self) -> tuple[Reading, ...]:
        """How each column is read."""
        return (BINARY,) * self.p if self.numbers is None else self.numbers.readings

    def columns_read(self) -> tuple[ColumnReading, ...]:
        """How the columns were read, for words; the longest number of a column may be in any shard."""
        where = "reading the numbers"
        parts = self.shards.map(HeldPoints.columns_read, where, readings=self.readings, names=self.names)
        longest = [
            max((one.digits for one in column if one.digits), default=None) for column in zip(*parts, strict=True)
        ]
        return tuple(replace(one, digits=digits) for one, digits in zip(parts[0], longest, strict=True))

    @property
    def exponents(self) -> Integers:
        """Columns are at most 2^exponents large."""
        return np.asarray(np.max(self.shards.map(_exponents, "measuring the margin"), axis=0))

    @property
    def metric(self) -> bool:
        """Whether floats hold all columns in the table's units, as lengths and distances need it."""
        rows = None if self.numbers is None else self.numbers.of_no_rows()
        return rows is None or rows.exact is None or not rows.exact.own

    @property
    def n(self) -> int:
        """Rows of all shards."""
        return self.shards.n

    @property
    def rows(self) -> "PointSet":
        """Stands for the rows where a certificate asks for their columns and layout."""
        return self

    @property
    def d(self) -> int:
        """Weights, the bias included."""
        return self.p + self.bias

    def take(self, rows: Places) -> tuple[Rows, Signs]:
        """Some rows, with their exact values, and their labels."""
        if not rows.size:
            return self._exact(np.empty((0, self.p)), []), np.empty(0, dtype=np.int8)
        X, y, *written = self.shards.fetch(rows, HeldPoints.take_given)
        return self._exact(X, written), y.astype(np.int8)

    def _exact(self, X: Floats, written: list[Any]) -> Rows:
        """Dense rows, as they were given, with their exact values."""
        if self.numbers is None:
            return Rows(X)
        if not X.size:
            return self.numbers.exact(self.numbers.kept.no_rows())
        kept = self.numbers.kept
        return self.numbers.exact(Rows(X, Origin(kept.columns, Written(*written) if written else None, kept.single)))

    def fetched(self, rows: Any) -> HeldPoints:
        """Some rows, here."""
        return HeldPoints(*self.take(np.asarray(rows, dtype=np.int64)), self.bias)

    def whole(self, rows: Any) -> Whole:
        """Some rows as whole numbers."""
        return self.fetched(rows).whole(slice(None))

    def look(self, w: list[int], k: int) -> Seen:
        """How w stands to all rows, and the k worst of them."""
        seen = self.shards.map(HeldPoints.look, "looking for the worst rows", w=w, k=k)
        rows = self.shards.numbers([one.rows for one in seen])
        signs, agreements = (np.concatenate([getattr(one, name) for one in seen]) for name in ("signs", "agreements"))
        worst = np.lexsort((rows, agreements))[:k]
        wrong, on_plane = sum(one.wrong for one in seen), sum(one.on_plane for one in seen)
        return Seen(wrong, on_plane, rows[worst], signs[worst], agreements[worst])

    def outside_span(self, chosen: Places, w: list[int] | None, spanning: object, k: int) -> Places:
        """Up to k rows on the plane of w (None: any), beyond the chosen, that others do not span."""
        where, local = "looking for rows out of the span", self.shards.local(chosen)
        found = self.shards.map(HeldPoints.outside_span, where, local, w=w, spanning=spanning, k=k)
        return self.shards.numbers(found)[:k]

    def sums_beyond(self, chosen: Places, w: list[int] | None) -> list[Fraction]:
        """Σ z over the rows on the plane of w (None: all) beyond the chosen, exactly."""
        parts = self.shards.map(HeldPoints.sums_beyond, "adding up rows", self.shards.local(chosen), w=w)
        return [sum(column, Fraction(0)) for column in zip(*parts, strict=True)]

    @property
    def listed(self) -> int:
        """How many rows a verdict lists: all, or none of very many."""
        return self.n if self.n <= _LISTED else 0

    def ask(self, question: Callable[..., T], joined: Callable[[list[T]], T], **how: object) -> T:
        """The answers of all shards, joined."""
        return joined(self.shards.map(question, "asking the rows", **how))

    def signs(self, w: list[int]) -> Signs:
        """The exact signs of z·w."""
        return np.concatenate(self.shards.map(Points.signs, "certifying the signs", w=w))

    def here(self) -> Points:
        """All rows, fetched."""
        return Points(*self.take(np.arange(self.n)), self.bias)

    def plane(self, w: list[int]) -> Places:
        """The rows with z·w = 0."""
        return self.shards.numbers(self.shards.map(Points.plane, "listing the rows on the plane", w=w))

    def extremes(self, w: list[int]) -> tuple[Fraction, Fraction, Fraction]:
        """(min z·w, the same for decimals and their floats, max ‖z‖²) of all rows, exactly."""
        parts = self.shards.map(HeldPoints.extremes, "measuring the margin", w=w)
        least, lowest, longest = zip(*parts, strict=True)
        return min(least), min(lowest), max(longest)

    def below(self, w: list[int], bound: Fraction, most: int) -> Places:
        """About so many rows with z·w < bound, bound ≥ 0, exactly, from all shards; none only if there is none."""
        most = max(1, 2 * most // len(self.shards))
        return self.shards.numbers(self.shards.map(Points.below, "measuring the margin", w=w, bound=bound, most=most))

    def not_strict_with(self, w: list[int], v: list[int], most: int) -> Places:
        """Up to `most` rows that are on v's wrong side, or on v's plane though w has them strictly right."""
        parts = self.shards.map(HeldPoints.not_strict_with, "checking the proof", w=w, v=v, most=most)
        return self.shards.numbers(parts)[:most]

    def at_least(self, w: list[int], bound: Fraction) -> bool:
        """Whether z·w ≥ bound ≥ 0 on every row."""
        return not self.below(w, bound, 1).size

    def mixed(self, mixture: dict[int, int]) -> list[Fraction]:
        """Σ λ z over few rows, exactly."""
        return self.fetched(list(mixture)).mixed(dict(enumerate(mixture.values())))

    def strict_with(self, w: list[int], others: list[list[int]]) -> Flags:
        """Which of the other weights have z·v > 0 wherever z·w > 0."""
        parts = self.shards.map(Points.strict_with, "checking the proof", w=w, others=others)
        return np.asarray(np.all(parts, axis=0))

    def weigh(self, w: list[int] | None, mixture: dict[int, int], base: int | None, null: list[list[int]]) -> Weighed:
        """How a claim stands to all rows, each looked at on its worker."""
        nothing, ws = [Fraction(0)] * self.d, [w] * len(self.shards)
        parts = self.shards.map(Points.weigh, "checking the proof", ws, self._split(mixture), base=base, null=null)
        return Weighed(
            min(part.lowest for part in parts),
            max(part.highest for part in parts),
            sum(part.plane for part in parts),
            all(part.positive for part in parts),
            all(part.vanishing for part in parts),
            [sum(column, Fraction(0)) for column in zip(*(part.residual or nothing for part in parts), strict=True)],
        )

    def _split(self, mixture: dict[int, int]) -> list[dict[int, int]]:
        """A mixture's entries by shard, with the shards' own row numbers."""
        parts: list[dict[int, int]] = [{} for _ in range(len(self.shards))]
        homes, places = self.shards.homes(np.array(list(mixture), dtype=np.int64))
        for s, place, m in zip(homes.tolist(), places.tolist(), mixture.values(), strict=True):
            parts[s][place] = m
        return parts
