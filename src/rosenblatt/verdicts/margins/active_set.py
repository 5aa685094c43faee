"""The shortest weights with z·u ≥ 1 on few rows, in exact arithmetic: for gaps too thin for floats.

Goldfarb & Idnani's dual method (1983). A set S of independent rows has z·u = 1 and multipliers μ > 0 with u = Σ μ z. A
row with z·u < 1 comes in: its multiplier grows while those of S follow, so that z·u = 1 stays true on S, until its own
z·u is 1, or until a multiplier of S is 0 and its row leaves. Each step makes u longer, so no set comes twice.
"""

from collections.abc import Callable
from fractions import Fraction
from math import lcm
from typing import Any

from flint import fmpz_mat

from rosenblatt.exact import independent, mix, solve

__all__ = ["shortest_weights"]


def shortest_weights(
    Z: list[list[int]], guess: list[int], free: bool, spend: Callable[[int], None]
) -> tuple[dict[int, Fraction], list[Fraction]]:
    """Multipliers μ > 0 of few rows, and u = Σ μ z with Z·u ≥ 1. The search begins with the rows of `guess`.

    With `free`, the last weight is a bias that does not count in the length of u; then both classes must be there.
    `spend` is told of every system of equations, by the number of its rows, and may raise.
    """
    problem = _Problem(Z, guess, free, spend)
    while True:
        u = problem.weights()
        slack = problem.responses(u)
        worst = min(range(len(slack)), key=slack.__getitem__)
        if slack[worst] >= 1:
            return problem.multipliers, u
        problem.bring_in(worst, 1 - slack[worst])


class _Problem:
    """The set S with its multipliers, and the bias (0 where it is not free)."""

    def __init__(self, Z: list[list[int]], guess: list[int], free: bool, spend: Callable[[int], None]) -> None:
        self.Z, self.free, self.spend = Z, free, spend
        self.side = [row[-1] if free else 0 for row in Z]  # y, times a power of two
        self.whole = fmpz_mat(Z)
        counted = fmpz_mat([row[:-1] for row in Z]) if free else self.whole
        gram: Any = counted * counted.transpose()
        self.gram = [[int(v) for v in row] for row in gram.tolist()]
        # S begins as the guessed rows whose multipliers are positive. Where none are left: one row, or one of a class.
        simplest = [next(i for i, s in enumerate(self.side) if s * y > 0) for y in (1, -1)] if self.free else [0]
        rows = [guess[i] for i in independent([self.Z[i] for i in guess])[0]] or simplest
        while True:
            mu, self.bias = self._solve(rows, [1] * len(rows), 0)
            if rows == simplest or min(mu) > 0:
                break
            rows = [i for i, m in zip(rows, mu, strict=True) if m > 0]
            if not rows or (self.free and len({self.side[i] > 0 for i in rows}) < 2):
                rows = simplest
        self.multipliers = dict(zip(rows, mu, strict=True))

    def _solve(self, rows: list[int], right: list[int], last: int) -> tuple[list[Fraction], Fraction]:
        """μ and the bias with z·u = right on these rows and Σ μ·side = last."""
        if not rows:
            return [], Fraction(0)
        self.spend(len(rows))
        system = [[self.gram[i][k] for k in rows] + [self.side[i]] * self.free for i in rows]
        if self.free:
            system.append([*(self.side[k] for k in rows), 0])
            right = [*right, last]
        x, denominator = solve(system, right)
        found = [Fraction(v, denominator) for v in x]
        return (found[:-1], found[-1]) if self.free else (found, Fraction(0))

    def bring_in(self, row: int, lacking: Fraction) -> None:
        """Bring a row with z·u = 1 − lacking into S."""
        grown = Fraction(0)
        while True:
            rows = list(self.multipliers)
            along, bias = self._solve(rows, [-self.gram[i][row] for i in rows], -self.side[row])
            gain = self.gram[row][row] + self.side[row] * bias
            gain += sum((self.gram[row][i] * a for i, a in zip(rows, along, strict=True)), Fraction(0))
            steps = [-self.multipliers[i] / a for i, a in zip(rows, along, strict=True) if a < 0]
            step = min([*steps, lacking / gain] if gain > 0 else steps)
            moved = {i: self.multipliers[i] + step * a for i, a in zip(rows, along, strict=True)}
            self.multipliers = {i: m for i, m in moved.items() if m > 0}
            self.bias += step * bias
            grown += step
            lacking -= step * gain
            if not lacking:
                self.multipliers[row] = grown
                return

    def weights(self) -> list[Fraction]:
        """u = Σ μ z, and the bias."""
        common = lcm(*(m.denominator for m in self.multipliers.values()))
        factors = [int(m * common) for m in self.multipliers.values()]
        whole = mix(factors, [self.Z[i] for i in self.multipliers], len(self.Z[0]))
        u = [Fraction(v, common) for v in whole]
        return [*u[:-1], self.bias] if self.free else u

    def responses(self, u: list[Fraction]) -> list[Fraction]:
        """Z·u."""
        common = lcm(*(v.denominator for v in u))
        product: Any = self.whole * fmpz_mat([[int(v * common)] for v in u])
        return [Fraction(int(v), common) for v in product.entries()]
