"""A block's vectors z = y·(x, 1), and what it answers when a verdict is sought or checked, where it is."""

from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Flags, Floats, Integers, Places, Signs
from rosenblatt.blocks import ColumnsKept, Numbers, Shard, nbytes
from rosenblatt.data.numbers import Reading, Rows, Survey
from rosenblatt.exact import SpanTest
from rosenblatt.verdicts.certificates import Claim, known_to
from rosenblatt.verdicts.points import Points
from rosenblatt.verdicts.search import smallest
from rosenblatt.verdicts.words import ColumnReading, readings_of

__all__ = ["HeldPoints", "Seen"]  # the other questions are asked for as `held.…`

_BLOCK = 1 << 20  # values made exact at a time
_SHORTEST = 1e-140  # lengths whose squares float64 holds


class Seen(NamedTuple):
    """How whole-numbered weights stand to the rows of a shard: every sign is exact."""

    wrong: int
    on_plane: int
    rows: Places  # the worst, worst first
    signs: Signs
    agreements: Floats  # y·(w·x + b), about


class HeldPoints(Points):
    """A shard's vectors z = y·(x, 1). It leaves out the sums of least squares, which only the coordinator needs.

    `given` are its rows before they were read: those that go to the coordinator are read there, with others.
    """

    given: Rows

    def _measure(self) -> None:
        blocks = (self._scaled(slice(*piece)) for piece in self._pieces())
        squares = np.concatenate([np.einsum("ij,ij->i", block, block) for block in blocks])
        self.lengths = np.where(squares < _SHORTEST**2, 1.0, np.sqrt(squares))

    def __sizeof__(self) -> int:  # Dask asks, before it moves or spills anything
        own = [] if self.given.kernel[0] is self.rows.kernel[0] else [*self.given.kernel]
        return nbytes([*self.rows.kernel, *own, *(self.given.origin.written or ()), self._low, self.y, self.lengths])

    def take_given(self, rows: Places) -> list[Floats | Integers]:
        """Some rows as they were given, their labels, and their numbers as written, where a column has such."""
        written = self.given.origin.taken(rows).written or ()
        return [self.given.take(rows), self.y[rows], *written]

    def columns_read(self, readings: tuple[Reading, ...], names: list[str]) -> tuple[ColumnReading, ...]:
        """How the columns were read, as far as these rows show it."""
        return readings_of(self.given, readings, names)

    def look(self, w: list[int], k: int) -> Seen:
        """All signs, and the k rows that the weights of the next round should know."""
        signs, agreements = self.signs(w), self._agreements(w)
        # the numbers are rounded, but they get the exact signs
        agreements[signs < 0] = np.minimum(agreements[signs < 0], -5e-324)
        agreements[signs == 0] = 0.0
        agreements[signs > 0] = np.maximum(agreements[signs > 0], 5e-324)
        worst = smallest(agreements, k)
        return Seen(int(np.sum(signs < 0)), int(np.sum(signs == 0)), worst, signs[worst], agreements[worst])

    def _agreements(self, w: list[int]) -> Floats:
        """y·(w·x + b), rounded, with w scaled to about 1: it serves only to find the rows nearest to the plane."""
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(np.nan_to_num(self.y * self.rows.respond(self.for_floats(w))))

    def outside_span(self, chosen: Places, w: list[int] | None, spanning: Integers, k: int) -> Places:
        """Up to k rows on the plane of w (None: any rows), not among the chosen, that others do not span."""
        places = np.setdiff1d(self.plane(w), chosen, assume_unique=True)
        in_span = SpanTest(spanning, np.random.default_rng(0))
        found: list[Places] = []
        for some in np.array_split(places, 1 + places.size * self.d // _BLOCK):
            found.append(some[~in_span(self.residues(some))])
            if sum(map(len, found)) >= k:
                break
        return np.concatenate(found)[:k]

    def sums_beyond(self, chosen: Places, w: list[int] | None) -> list[Fraction]:
        """Σ z, exactly, over the rows on the plane of w (None: all rows) that are not among the chosen."""
        return self.sums(np.setdiff1d(self.plane(w), chosen, assume_unique=True))

    def extremes(self, w: list[int]) -> tuple[Fraction, Fraction, Fraction]:
        """(min z·w, or a number just below it; the same where z is read as decimals and as floats; max ‖z‖²)."""
        least = min(self.smallest_responses(w))
        return least, self.least_for_both(w, least), self.radius_sq()

    def not_strict_with(self, w: list[int], v: list[int], most: int) -> Places:
        """Up to `most` rows that are on v's wrong side, or on v's plane though w has them strictly right."""
        signs = self.signs(v)
        return np.flatnonzero((signs < 0) | ((signs == 0) & (self.signs(w) > 0)))[:most]


def keep(shard: Shard, kept: ColumnsKept, claim: Claim | None = None) -> Shard:
    """The shard with its columns kept as those of all shards are, and as a claim's version knows them."""
    return replace(shard, rows=kept.rows(shard.rows if claim is None else known_to(shard.rows, claim)))


def survey(shard: Shard, places: Integers | None, extreme: Flags | None) -> Survey:
    """What a shard's columns may be read as."""
    return Survey.of(shard.rows, places, extreme)


def read(shard: Shard, numbers: Numbers) -> HeldPoints:
    """Prepare a shard for looks, with its numbers as those of all shards are read."""
    return _held(shard.rows, numbers.exact(shard.rows), shard.targets[0], shard.bias)


def hold(shard: Shard, k: int) -> HeldPoints:
    """Prepare the floats of a shard for looks, with the labels of run k: rows of positive weight."""
    some = slice(None) if shard.present.all() else shard.present
    rows = shard.rows if isinstance(some, slice) else shard.rows.subset(some)
    return _held(rows, rows, shard.targets[k][some], shard.bias)


def _held(given: Rows, rows: Rows, y: Signs, bias: bool) -> HeldPoints:
    points = HeldPoints(rows, y, bias)
    points.given = given
    return points


def count_present(shard: Shard) -> int:
    """Rows of positive weight."""
    return int(np.count_nonzero(shard.present))
