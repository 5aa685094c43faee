"""The vectors z = y·(x, 1) of all shards, as the coordinator of a verdict sees them."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np

from rosenblatt.arrays import Flags, Floats, Places, Signs
from rosenblatt.data.rows import as_rows
from rosenblatt.distributed import looking
from rosenblatt.distributed import shard as worker
from rosenblatt.distributed.cluster import reach
from rosenblatt.distributed.looking import HeldPoints, Seen
from rosenblatt.distributed.shards import Shards, read
from rosenblatt.verdicts.decimals import DecimalSurvey, Powers
from rosenblatt.verdicts.points import Points, Weighed, Whole

__all__ = ["PointSet"]


@dataclass
class PointSet:
    """Two classes (or one) in shards."""

    shards: Shards  # of `HeldPoints`
    p: int
    bias: bool
    sparse: bool
    classes: list[Any]
    positive: int  # rows of the second class
    names: list[str]
    decimals: Powers | None = None

    @classmethod
    def read(cls, client: Any, X: Any, y: Any, bias: bool) -> "PointSet":
        """Have the workers read their shards."""
        client = reach(client)
        raw, surveys = read(client, X, y, bias)
        classes = np.unique(np.concatenate([one.classes for one in surveys]))
        if len(classes) > 2:
            raise ValueError(f"y must have two classes; it has {len(classes)}.")
        positive = sum(int(one.counts[one.classes == classes[-1]].sum()) for one in surveys)
        common = {"positive": [classes[-1].item()], "factors": {}, "bias": bias, "radius_sq": 0.0}
        prepared = client.map(worker.prepare, raw, pure=False, **common)
        held = client.map(looking.hold, prepared, pure=False)
        p, names = surveys[0].p, surveys[0].names or [f"x{j}" for j in range(surveys[0].p)]
        known = classes.tolist() if len(classes) == 2 else ["", *classes.tolist()]
        shards = Shards(client, held, [one.n for one in surveys])
        sparse = all(one.sparse for one in surveys)
        return cls(shards, p, bool(bias), sparse, known, positive, names)

    def found_decimals(self) -> Powers | None:
        """Each column's power of ten, by what all shards have."""
        surveys: list[DecimalSurvey] = self.shards.ask(looking.survey, "looking for decimals")
        return reduce(DecimalSurvey.joined, surveys).choice()

    def fits(self, decimals: Powers) -> bool:
        """Whether all values are such decimals."""
        return all(self.shards.ask(looking.fits, "looking for decimals", decimals=decimals))

    def read_as(self, decimals: Powers | None) -> "PointSet":
        """The same rows, read in such decimals."""
        client = self.shards.client
        futures = client.map(Points.read_as, self.shards.futures, decimals=decimals, pure=False)
        return replace(self, shards=Shards(client, futures, self.shards.lengths), decimals=decimals)

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

    def take(self, rows: Places) -> tuple[Floats, Signs]:
        """Some rows and their labels."""
        X, y = self.shards.take(rows, looking.take)
        return X, y.astype(np.int8)

    def fetched(self, rows: Any) -> HeldPoints:
        """Some rows, here."""
        X, y = self.take(np.asarray(rows, dtype=np.int64))
        return HeldPoints(as_rows(X), y, self.bias, self.decimals)

    def whole(self, rows: Any) -> Whole:
        """Some rows as whole numbers."""
        return self.fetched(rows).whole(slice(None))

    def look(self, w: list[int], k: int) -> Seen:
        """How w stands to all rows, and the k worst of them."""
        seen = self.shards.ask(looking.look, "looking for the worst rows", w=w, k=k)
        rows = self.shards.numbers([one.rows for one in seen])
        signs, agreements = (np.concatenate([getattr(one, name) for one in seen]) for name in ("signs", "agreements"))
        worst = np.lexsort((rows, agreements))[:k]
        wrong, on_plane = sum(one.wrong for one in seen), sum(one.on_plane for one in seen)
        return Seen(wrong, on_plane, rows[worst], signs[worst], agreements[worst])

    def outside_span(self, chosen: Places, w: list[int] | None, spanning: Any, k: int) -> Places:
        """Up to k rows on the plane of w (None: any), beyond the chosen, that others do not span."""
        where, local = "looking for rows out of the span", self.shards.local(chosen)
        found = self.shards.ask(looking.outside_span, where, local, w=w, spanning=spanning, k=k)
        return self.shards.numbers(found)[:k]

    def sums_beyond(self, chosen: Places, w: list[int] | None) -> list[Fraction]:
        """Σ z over the rows on the plane of w (None: all) beyond the chosen, exactly."""
        parts = self.shards.ask(looking.sums_beyond, "adding up rows", self.shards.local(chosen), w=w)
        return [sum(column, Fraction(0)) for column in zip(*parts, strict=True)]

    def plane(self, w: list[int]) -> Places:
        """The rows with z·w = 0."""
        return self.shards.numbers(self.shards.ask(looking.plane_of, "listing the rows on the plane", w=w))

    def extremes(self, w: list[int]) -> tuple[Fraction, Fraction, Fraction]:
        """(min z·w, the same for decimals and their floats, max ‖z‖²) of all rows, exactly."""
        parts = self.shards.ask(looking.extremes, "measuring the margin", w=w)
        least, lowest, longest = zip(*parts, strict=True)
        return min(least), min(lowest), max(longest)

    def below(self, w: list[int], bound: Fraction, most: int) -> Places:
        """About so many rows with z·w < bound, bound ≥ 0, exactly, from all shards; none only if there is none."""
        most = max(1, 2 * most // len(self.shards))
        return self.shards.numbers(self.shards.ask(Points.below, "measuring the margin", w=w, bound=bound, most=most))

    def at_least(self, w: list[int], bound: Fraction) -> bool:
        """Whether z·w ≥ bound ≥ 0 on every row."""
        return not self.below(w, bound, 1).size

    def mixed(self, mixture: dict[int, int]) -> list[Fraction]:
        """Σ λ z over few rows, exactly."""
        return self.fetched(list(mixture)).mixed(dict(enumerate(mixture.values())))

    def strict_with(self, w: list[int], others: list[list[int]]) -> Flags:
        """Which of the other weights have z·v > 0 wherever z·w > 0."""
        parts = self.shards.ask(Points.strict_with, "checking the proof", w=w, others=others)
        return np.asarray(np.all(parts, axis=0))

    def weigh(self, w: list[int] | None, mixture: dict[int, int], base: int | None, null: list[list[int]]) -> Weighed:
        """How a claim stands to all rows, each looked at on its worker."""
        nothing, ws = [Fraction(0)] * self.d, [w] * len(self.shards)
        parts = self.shards.ask(Points.weigh, "checking the proof", ws, self._split(mixture), base=base, null=null)
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
