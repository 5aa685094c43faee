"""Least squares of all shards, in exact arithmetic: Σ c·zzᵀ and Σ c·y·z are whole numbers, and weights are fractions.

The sums do not depend on how rows are cut into shards, and the weights are the exact solution, rounded once: they have
the same bits whatever the shards, the workers and their order.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from rosenblatt.distributed import summing
from rosenblatt.distributed.shards import ShardedExamples, Shards
from rosenblatt.exact.linear import independent, null_space, rank, solve
from rosenblatt.exact.products import tops_of, whole
from rosenblatt.learners.goals import Look, SquaredGoal
from rosenblatt.learners.least_squares import GaussNewton
from rosenblatt.newton.columns import UP, Columns
from rosenblatt.newton.directions import Dependence, cleaned, silent

__all__ = ["ExactGoal", "ExactSquares", "SquaresRun"]

Floats = npt.NDArray[np.float64]


@dataclass
class ExactSquares:
    """G = Σ c·zzᵀ, and for every run Σ c·y·z and Σ c·y², as fractions with one power of two below them.

    `numbers` are those of (z, y) times (z, y), in columns divided by 2^tops.
    """

    numbers: list[list[int]]
    tops: list[int]  # of z
    unit: int  # an entry of (z, y)(z, y)ᵀ is number · 2^(tops − unit)
    columns: Columns  # the coordinates in which floats look at them

    @classmethod
    def of(cls, shards: Shards, columns: Columns, heaviest: float | None) -> "ExactSquares":
        """Added up by the workers."""
        tops = tops_of(columns.largest)
        found = shards.add_up(summing.squares, "adding up squares", summing.add_all, tops=tops, heaviest=heaviest)
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
        v = [Fraction(float(x)) * _power(t) for x, t in zip(w, self.tops, strict=True)]
        moved = self._times(v)
        return [self._scaled(row[self.d + k], 1) - m for row, m in zip(self.numbers, moved, strict=False)]

    def loss(self, w: Floats, k: int, ridge: float = 0.0) -> Fraction:
        """½Σ c·(y − s)² + ½·ridge·‖w‖², exactly."""
        v = [Fraction(float(x)) * _power(t) for x, t in zip(w, self.tops, strict=True)]
        G_v = self._times(v)
        cross = sum((a * (b - 2 * self._right(j, k)) for j, (a, b) in enumerate(zip(v, G_v, strict=True))), Fraction(0))
        own = self._scaled(self.numbers[self.d + k][self.d + k], 2)
        penalty = Fraction(ridge) * sum((Fraction(float(x)) ** 2 for x in w), Fraction(0))
        return (own + cross + penalty) / 2

    def least(self, k: int, ridge: float = 0.0) -> Fraction:
        """The smallest that the loss can be."""
        found = self._solution([self._right(j, k) for j in range(self.d)], ridge, self._all(ridge))
        own = self._scaled(self.numbers[self.d + k][self.d + k], 2)
        return (own - sum((self._right(j, k) * x for j, x in enumerate(found)), Fraction(0))) / 2

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
        true = null_space([row[: self.d] for row in self.numbers[: self.d]], self.d) if dropped else []
        return Dependence(directions, dropped, rank([[v[j] for j in dropped] for v in true]) == len(dropped))

    def _in_coordinates(self) -> Floats:
        """G in the coordinates of `columns`, each entry rounded once."""
        p, bias = self.columns.rows.p, self.columns.bias
        G = [[self._scaled(v, 0) * _power(s + t) for v, s in zip(row, self.tops, strict=False)]
             for row, t in zip(self.numbers, self.tops, strict=False)]  # fmt: skip
        scale = [_power(-int(e)) for e in self.columns.exponent] + [Fraction(1)] * bias
        if self.columns.centre.any():
            m = [Fraction(float(c)) for c in self.columns.centre] + [Fraction(0)]
            last, n = G[p], G[p][p]
            G = [[v - m[i] * last[j] - m[j] * last[i] + m[i] * m[j] * n for j, v in enumerate(row)]
                 for i, row in enumerate(G)]  # fmt: skip
        return np.array([[float(v * a * b) for v, b in zip(row, scale, strict=True)]
                         for row, a in zip(G, scale, strict=True)])  # fmt: skip

    @cached_property
    def _kept(self) -> list[int]:
        """Independent columns that span the others, exactly."""
        return independent([row[: self.d] for row in self.numbers[: self.d]])[0]

    def _all(self, ridge: float) -> list[int]:
        """The columns to solve for: a ridge keeps all apart."""
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

    def _times(self, v: list[Fraction]) -> list[Fraction]:
        """G·v in columns divided by 2^tops."""
        below = max(x.denominator for x in v)
        whole_v = [int(x * below) for x in v]
        rows = (row[: self.d] for row in self.numbers[: self.d])
        return [
            Fraction(sum(a * b for a, b in zip(row, whole_v, strict=True)), below) * _power(-self.unit) for row in rows
        ]

    def _right(self, j: int, k: int) -> Fraction:
        return self._scaled(self.numbers[j][self.d + k], 1)

    def _scaled(self, number: int, labels: int) -> Fraction:
        """An entry without the tops of its columns; those of labels are 1."""
        return number * _power(labels - self.unit)


def _power(exponent: int) -> Fraction:
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


def _rounded(x: Fraction) -> float:
    try:
        return float(x)
    except OverflowError:  # whoever asked refuses it
        return np.inf


@dataclass(frozen=True)
class ExactGoal(SquaredGoal):
    """The squared loss of one run, from the exact sums."""

    squares: ExactSquares | None = None
    k: int = 0
    ridge: float = 0.0

    proof = "by gradient and curvature"

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
        assert self.squares is not None
        loss = self.squares.loss(w, self.k, self.ridge)
        gap = _rounded(loss - self._least) * UP
        return Look(_rounded(loss), 0.5 * self.squares.total(), gap)

    @cached_property
    def _least(self) -> Fraction:
        assert self.squares is not None
        return self.squares.least(self.k, self.ridge)


@dataclass
class SquaresRun(GaussNewton):
    """Gauss-Newton steps of one run, from the exact sums."""

    squares: ExactSquares | None = None
    delta: float = 0.0

    @property
    def dependent(self) -> list[int]:
        """Columns that are combinations of the others."""
        assert self.squares is not None
        found = self.squares.dependence
        return [] if self.delta or not (found.exact or self.near) else sorted(found.dropped)

    @cached_property
    def near(self) -> bool:
        """Whether the exact weights are so long that they fit no more when rounded: then some columns are left out."""
        assert self.squares is not None
        assert self.goal is not None
        if self.delta or self.squares.dependence.exact or not self.squares.dependence:
            return False
        return not self.goal.near(self.goal.look(self.start + self.squares.step(self.start, self._k, 0.0)))

    @property
    def _k(self) -> int:
        assert isinstance(self.examples, ShardedExamples)
        return self.examples.k

    def step(self) -> tuple[Floats, int, bool]:
        """One step; the run ends when all steps that were asked for are made."""
        assert self.squares is not None
        w = self.w + self.squares.step(self.w, self._k, self.delta, self.near)
        return w, self.examples.count(w, (True, True))[0], self.n_updates + 1 >= self.limit
