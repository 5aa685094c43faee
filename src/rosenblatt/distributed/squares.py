"""Least squares of all shards, in exact arithmetic: Σ c·zzᵀ and Σ c·y·z are whole numbers, and weights are fractions.

The sums do not depend on how rows are cut into shards, and the weights are the exact solution, rounded once: they have
the same bits whatever the shards, the workers and their order.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.blocks.blocks import Blocks
from rosenblatt.distributed import summing
from rosenblatt.exact.linear import independent, null_space, rank, solve
from rosenblatt.exact.products import tops_of, whole
from rosenblatt.learners.least_squares import GaussNewton
from rosenblatt.learners.runs.goals import Look, SquaredGoal
from rosenblatt.minimise.columns import UP, Columns
from rosenblatt.minimise.directions import Dependence, cleaned, silent

__all__ = ["ExactGoal", "ExactSquares", "SquaresRun"]


@dataclass
class ExactSquares:
    """G = Σ c·zzᵀ, and for every run Σ c·y·z and Σ c·y², as whole numbers over one power of two.

    `numbers` is the matrix Σ c·(z, y)(z, y)ᵀ, with columns divided by 2^tops.
    """

    numbers: list[list[int]]
    tops: list[int]  # of z
    unit: int  # an entry of (z, y)(z, y)ᵀ is number · 2^(tops − unit)
    columns: Columns  # the coordinates in which floats look at them

    @classmethod
    def of(cls, shards: Blocks, columns: Columns, heaviest: float | None) -> "ExactSquares":
        """Added up by the workers."""
        tops = tops_of(columns.largest)
        found = shards.add(summing.squares, "adding up squares", summing.add_all, tops=tops, heaviest=heaviest)
        numbers, unit = whole(found["squares"])
        above = int(found["squares"].left[0] - found["squares"].right[0])  # of the weights
        return cls(numbers, tops.tolist(), unit - above, columns)

    @property
    def d(self) -> int:
        """Weights, the bias included."""
        return len(self.tops)

    def total(self) -> float:
        """Σ c, rounded once."""
        return float(self._scaled(self.numbers[-1][-1], 2))

    def slope(self, w: Floats, k: int) -> list[Fraction]:
        """Σ c·(y − s)·z / 2^tops, exactly."""
        _, G_v = self._through(w)
        return [b - g for b, g in zip(self._right(k), G_v, strict=True)]

    def loss(self, w: Floats, k: int, ridge: float = 0.0) -> Fraction:
        """½Σ c·(y − s)² + ½·ridge·‖w‖², exactly."""
        v, G_v = self._through(w)
        cross = sum((a * (g - 2 * b) for a, g, b in zip(v, G_v, self._right(k), strict=True)), Fraction(0))
        penalty = Fraction(ridge) * sum((Fraction(float(x)) ** 2 for x in w), Fraction(0))
        return (self._of_labels(k) + cross + penalty) / 2

    def least(self, k: int, ridge: float = 0.0) -> Fraction:
        """The smallest that the loss can be."""
        right = self._right(k)
        found = self._solution(right, ridge, self._all(ridge))
        return (self._of_labels(k) - sum((b * x for b, x in zip(right, found, strict=True)), Fraction(0))) / 2

    def step(self, w: Floats, k: int, delta: float, near: bool = False) -> Floats:
        """(G + δI)⁺ Σ c·(y − s)·z, each rounded once; where columns depend on each other, then made the shortest.

        `near`: columns count as dependent where float64 can tell no difference.
        """
        kept = sorted(set(range(self.d)) - set(self.dependence.dropped)) if near else self._all(delta)
        found = self._solution(self.slope(w, k), delta, kept)
        step = np.array([_rounded(x / _power(t)) for x, t in zip(found, self.tops, strict=True)])
        return self.dependence.shortest(step, self.lengths) if near or len(kept) < self.d else step

    @cached_property
    def lengths(self) -> Floats:
        """Of the columns; 1 for one of zeros."""
        squares = [self._scaled(self.numbers[j][j], 0) for j in range(self.d)]
        return np.array([np.ldexp(np.sqrt(float(s)), t) if s else 1.0 for s, t in zip(squares, self.tops, strict=True)])

    @cached_property
    def dependence(self) -> Dependence:
        """Columns that are combinations of others as far as float64 can tell, and whether they are so exactly."""
        found = silent(self.columns, self._in_coordinates())
        directions, dropped = [cleaned(self.columns, v) for v, _ in found], [pivot for _, pivot in found]
        if len(dropped) != self.d - len(self._kept):
            return Dependence(directions, dropped, False)
        true = null_space(self._gram, self.d) if dropped else []
        return Dependence(directions, dropped, rank([[v[j] for j in dropped] for v in true]) == len(dropped))

    def _in_coordinates(self) -> Floats:
        """G in the coordinates of `columns`, each entry rounded once."""
        exponents = [*self.columns.exponent.tolist(), 0]
        scale = np.array([_power(t - e) for t, e in zip(self.tops, exponents, strict=False)], dtype=object)
        G = np.array(self._gram, dtype=object) * np.outer(scale * _power(-self.unit), scale)
        if self.columns.centre.any():
            centre = [*self.columns.centre.tolist(), 0.0]
            m = np.array([Fraction(c) * _power(-e) for c, e in zip(centre, exponents, strict=True)], dtype=object)
            last = G[-1]  # of the bias, whose scale is 1
            G = G - np.outer(m, last) - np.outer(last, m) + np.outer(m, m * last[-1])
        return np.array(G, dtype=np.float64)

    @cached_property
    def _gram(self) -> list[list[int]]:
        """The numbers of G alone."""
        return [row[: self.d] for row in self.numbers[: self.d]]

    @cached_property
    def _kept(self) -> list[int]:
        """Independent columns that span the others, exactly."""
        return independent(self._gram)[0]

    def _all(self, ridge: float) -> list[int]:
        """The columns to solve for: all with a ridge, which makes them independent, else independent ones."""
        return list(range(self.d)) if ridge else self._kept

    def _solution(self, right: list[Fraction], ridge: float, kept: list[int]) -> list[Fraction]:
        """v·2^tops with (G + ridge·I)v = right·2^tops in these columns, zero in others."""
        if not kept:
            return [Fraction(0)] * self.d
        pull = [Fraction(ridge) / _power(2 * t - self.unit) for t in self.tops]
        below = max((x.denominator for x in pull), default=1)
        rows = [[self.numbers[i][j] * below + (int(pull[i] * below) if i == j else 0) for j in kept] for i in kept]
        wanted = [right[i] / _power(-self.unit) * below for i in kept]
        common = max(x.denominator for x in wanted)  # all are powers of two
        x, denominator = solve(rows, [int(v * common) for v in wanted])
        found = dict(zip(kept, x, strict=True))
        return [Fraction(found.get(j, 0), denominator * common) for j in range(self.d)]

    def _through(self, w: Floats) -> tuple[list[Fraction], list[Fraction]]:
        """v = w·2^tops, and G·v in columns divided by 2^tops."""
        v = [Fraction(float(x)) * _power(t) for x, t in zip(w, self.tops, strict=True)]
        below = max(x.denominator for x in v)
        moved = np.array(self._gram, dtype=object) @ np.array([int(x * below) for x in v], dtype=object)
        return v, [Fraction(m, below) * _power(-self.unit) for m in moved]

    def _right(self, k: int) -> list[Fraction]:
        """Σ c·y·z of run k, in columns divided by 2^tops."""
        return [self._scaled(row[self.d + k], 1) for row in self.numbers[: self.d]]

    def _of_labels(self, k: int) -> Fraction:
        """Σ c·y² of run k."""
        return self._scaled(self.numbers[self.d + k][self.d + k], 2)

    def _scaled(self, number: int, labels: int) -> Fraction:
        """An entry without the tops of its columns; those of labels are 1."""
        return number * _power(labels - self.unit)


def _power(exponent: int) -> Fraction:
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


def _rounded(x: Fraction) -> float:
    try:
        return float(x)
    except OverflowError:  # the learner refuses infinite weights
        return np.inf


@dataclass(frozen=True, kw_only=True)
class ExactGoal(SquaredGoal):
    """The squared loss of one run, from the exact sums."""

    squares: ExactSquares
    k: int
    ridge: float

    @property
    def words(self) -> str:  # type: ignore[override]
        """What is minimised."""
        return f"the loss with the ridge ½·{self.ridge:g}·‖(w, b)‖²" if self.ridge else "the loss"

    @property
    def at_hand(self) -> bool:
        """Whether the sums are here: they are."""
        return True

    def look(self, w: Floats) -> Look:
        """The loss at w and how far it is from the minimum."""
        loss = self.squares.loss(w, self.k, self.ridge)
        gap = _rounded(loss - self._least) * UP
        return Look(_rounded(loss), 0.5 * self.squares.total(), gap)

    @cached_property
    def _least(self) -> Fraction:
        return self.squares.least(self.k, self.ridge)


@dataclass(kw_only=True)
class SquaresRun(GaussNewton):
    """Gauss-Newton steps of one run, from the exact sums."""

    goal: ExactGoal
    squares: ExactSquares
    delta: float

    @property
    def dependent(self) -> list[int]:
        """Columns that are combinations of the others."""
        found = self.squares.dependence
        return [] if self.delta or not (found.exact or self.near) else sorted(found.dropped)

    @cached_property
    def near(self) -> bool:
        """Whether the exact weights, once rounded, miss the minimum: then nearly dependent columns are left out."""
        if self.delta or self.squares.dependence.exact or not self.squares.dependence:
            return False
        return not self.goal.near(self.goal.look(self.start + self.squares.step(self.start, self.goal.k, 0.0)))

    def step(self) -> tuple[Floats, int, bool]:
        """One step; the run ends when all steps that were asked for are made."""
        w = self.w + self.squares.step(self.w, self.goal.k, self.delta, self.near)
        return w, self.examples.count(w, (True, True))[0], self.n_updates + 1 >= self.limit
