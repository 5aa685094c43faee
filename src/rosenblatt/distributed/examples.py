"""Examples that are on the workers of a cluster."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.arrays import Floats, Places
from rosenblatt.blocks import Blocks
from rosenblatt.distributed import passes
from rosenblatt.exact import vanishes
from rosenblatt.learners.runs.examples import Examples, Judgement, Ties

__all__ = ["ShardedExamples"]


@dataclass(frozen=True)
class ShardedExamples(Examples):
    """Examples that are on the workers: to look at all of them, ask the shards."""

    shards: Blocks
    k: int  # which run they are the examples of
    present_rows: int

    @property
    def n(self) -> int:
        """Rows of all shards."""
        return self.shards.n

    @property
    def present(self) -> int:
        """Rows of positive weight."""
        return self.present_rows

    def are_present(self, rows: Places) -> bool:
        """Whether all of these rows have a positive weight."""
        return all(self.shards.map(passes.are_present, "fetching rows", self.shards.local(rows)))

    def take(self, rows: Places) -> tuple[Floats, Floats]:
        """Some rows, dense, and their labels."""
        if not rows.size:
            return np.empty((0, 0)), np.empty(0)
        X, y = self.shards.fetch(rows, passes.take, k=self.k)
        return X, y

    def vanishing(self, witness: Any) -> bool:
        """Whether Σ λ z = 0, of the rows' floats."""
        X, y = self.take(witness.rows)
        factors = [int(s) * m for s, m in zip(y, witness.multipliers, strict=True)]
        return vanishes(factors, X, np.ones(len(X)) if self.bias else None)

    def count(self, w: Floats, ties: Ties, enough: int | None = None) -> tuple[int, int]:
        """Mistakes of fixed weights, and rows on their plane, as computed."""
        found = self.shards.map(passes.count, "counting mistakes", k=self.k, w=w, ties=ties)
        return sum(mistakes for mistakes, _ in found), sum(on_plane for _, on_plane in found)

    def nearest(self, w: Floats, sign: int) -> float:
        """The smallest y·s of the rows of one class."""
        return float(min(self.shards.map(passes.nearest, "looking for the nearest row", k=self.k, w=w, sign=sign)))

    def judge(self, w: Floats, ties: Ties) -> Judgement:
        """Count mistakes; if there are none on any shard, every sign has been certified."""
        found = self.shards.map(passes.judge, "certifying the signs", k=self.k, w=w, ties=ties)
        mistakes = sum(one.mistakes for one in found)
        if mistakes:
            return Judgement(mistakes)
        return Judgement(0, sum(one.exact_mistakes for one in found), sum(one.on_plane for one in found))
