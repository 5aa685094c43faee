"""The shortest weights with z·u ≥ 1 by sets of active rows: exact on few rows, floats on all; nearest points.

Goldfarb & Idnani's dual method (1983). A set S of independent rows has z·u = 1 and multipliers μ > 0 with u = Σ μ z. A
row with z·u < 1 comes in: its multiplier grows while those of S follow, so that z·u = 1 stays true on S, until its own
z·u is 1, or until a multiplier of S is 0 and its row leaves. Each step makes u longer, so no set comes twice. Exact
arithmetic is for gaps too thin for floats.
"""

from collections.abc import Callable
from fractions import Fraction
from math import lcm, sqrt
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arrays import Floats, Places
from rosenblatt.exact import independent, mix, solve
from rosenblatt.later import flint, linalg

__all__ = ["ActiveRows", "Factors", "Nearest", "shortest_weights"]


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
        self.whole = flint.fmpz_mat(Z)
        counted = flint.fmpz_mat([row[:-1] for row in Z]) if free else self.whole
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
        product: Any = self.whole * flint.fmpz_mat([[int(v * common)] for v in u])
        return [Fraction(int(v), common) for v in product.entries()]


# ------------------------------------------------------------------------------------------------------------ in floats
# Active rows have z·u = 1, and multipliers μ ≥ 0 with u = Σ μ z. The row with the smallest response comes in: its
# multiplier grows, those of the others follow, until its own response is 1; a row whose multiplier is 0 by then
# leaves.
# With `free`, a bias does not count in the length of u: z·u + bias·side ≥ 1 and Σ μ·side = 0. Then the last column of
# Z is a multiple of `side`, which makes the rows independent; the last weight is 0, for Σ μ·side is.
# Independent rows are R'·Q, with orthonormal rows of Q and a triangular R. A row comes in by Gram and Schmidt's
# method, done twice so that Q stays orthonormal, and leaves by Givens rotations. No Gram matrix is formed, which
# would square rounding errors, and a step costs as much as a few products with Q.


_FINE = 1e-13  # a response this much below 1 is 1
_DEPENDENT = 1e-11  # of a row's length: less than that outside of the others' span is rounding
_FEW = 16  # weights up to which NumPy is as quick as SciPy, which a small table need not load


class Placed(NamedTuple):
    """A row relative to the others: its coordinates `inside` their span, and the part `outside` with its length."""

    inside: Floats
    outside: Floats
    length: float

    @property
    def independent(self) -> bool:
        """Whether the row is outside of the span, as far as floats can tell."""
        return self.length > _DEPENDENT * sqrt(self.length**2 + self.inside @ self.inside)


class Factors:
    """The factors of `count` rows of d numbers; at most d rows."""

    def __init__(self, d: int) -> None:
        self.count, self._few = 0, d <= _FEW
        self._Q, self._R = np.zeros((d, d)), np.zeros((d, d), order="F")

    @property
    def basis(self) -> Floats:
        """The rows of Q: orthonormal, with the same span."""
        return self._Q[: self.count]

    def let_all_in(self, rows: Floats) -> Places:
        """Let many rows into empty factors. Returns which came in: rows that depend on rows before them stay out."""
        Q, R = np.linalg.qr(rows.T)
        outside = np.abs(np.diag(R))
        if len(rows) == outside.size and np.all(outside > _DEPENDENT * np.linalg.norm(rows, axis=1)):
            self.count = len(rows)
            self._Q[: self.count], self._R[: self.count, : self.count] = Q.T, R
            return np.arange(len(rows))
        let_in = []
        for at, row in enumerate(rows):
            placed = self.place(row)
            if placed.independent:
                self.let_in(placed)
                let_in.append(at)
        return np.array(let_in, dtype=np.int64)

    def place(self, row: Floats) -> Placed:
        """The row relative to those that are in."""
        inside = self.basis @ row
        outside = row - inside @ self.basis
        again = self.basis @ outside  # the second time removes what rounding has left the first time
        outside -= again @ self.basis
        return Placed(inside + again, outside, sqrt(outside @ outside))

    def let_in(self, row: Placed) -> None:
        """Let the row in as the last one; it must be independent."""
        k = self.count
        self._Q[k] = row.outside / row.length
        self._R[:k, k], self._R[k, k] = row.inside, row.length
        self.count += 1

    def let_out(self, at: int) -> None:
        """Take out the row at this place."""
        k = self.count
        self.count -= 1
        if at == self.count:  # without the last row the other factors stay as they are
            return
        if self._few:
            Q, R = np.linalg.qr(np.delete(self._R[:k, :k], at, axis=1))
            self._Q[: k - 1], self._R[: k - 1, : k - 1] = Q.T @ self._Q[:k], R
        else:
            # works in place: its results are parts of the same arrays
            linalg.qr_delete(self._Q[:k].T, self._R[:k, :k], at, which="col", overwrite_qr=True, check_finite=False)

    def solve(self, right: Floats, transposed: bool = False) -> Floats:
        """h with R h = right, or R'h = right."""
        k = self.count
        if not k:
            return np.empty(0)
        R = self._R[:k, :k]
        if self._few:
            return np.asarray(np.linalg.solve(R.T if transposed else R, right))
        return np.asarray(linalg.lapack.dtrtrs(R, right, trans=transposed)[0])


class ActiveRows:
    """The active `rows` of Z, by their numbers, and what follows from them: μ, u and the bias."""

    def __init__(self, Z: Floats, side: Floats, free: bool) -> None:
        self.Z, self.side, self.free = Z, side, free

    def begin(self, rows: Places) -> bool:
        """Make these rows active, except those whose multiplier is not positive. Returns whether any are left.

        With `free`, rows of both sides must be left. False also where numbers leave float64.
        """
        while rows.size and (not self.free or np.ptp(self.side[rows]) > 0):
            self._activate(rows)
            if self.rows.size and self.mu.min() > 0:
                return True
            rows = self.rows[self.mu > 0]
        return False

    def join(self, Z: Floats, side: Floats) -> None:
        """Let more rows take part."""
        self.Z, self.side = np.vstack([self.Z, Z]), np.concatenate([self.side, side])

    def settle(self, most: int, late: Callable[[], bool]) -> str:
        """Let rows in until every response is at least 1, to rounding, or floats can do no better.

        Returns why it ended before that (after `most` rows, or when `late` says so); "" where it did not.
        """
        largest = np.max(np.abs(self.Z), axis=0)
        for _ in range(most):
            responses = self.Z @ self.u
            if self.free:
                responses += self.bias * self.side
            row = int(responses.argmin())
            rounding = _FINE + 2.0**-50 * float(np.abs(self.u) @ largest)
            if not np.isfinite(responses[row]) or responses[row] >= 1.0 - rounding:
                return ""
            if row in self.rows or not self._bring_in(row, 1.0 - responses[row]):
                return ""
            self._weigh()
            if late():
                return "the time limit was reached"
        return "float arithmetic went in circles"

    def refine(self) -> None:
        """Factorise the active rows anew, and correct u, bias and multipliers once by the residuals.

        Where columns differ much in size, factors are less exact than the rows, and updates add rounding errors.
        """
        self._activate(self.rows)
        Z, side, Q = self.Z[self.rows], self.side[self.rows], self._factors.basis
        h = self._factors.solve(1.0 - Z @ self.u - self.bias * side, transposed=True)
        if self.free:
            along = np.dot(self._t, h) / np.dot(self._t, self._t)
            self.bias += along
            h -= along * self._t
        self.u += h @ Q
        if self.free:  # what rounding left in the last weight is a bias too
            self.bias += self.u[-1] * Z[0, -1] / side[0]
            self.u[-1] = 0.0
        self.mu += self._factors.solve(Q @ (self.u - self.mu @ Z))

    def _activate(self, rows: Places) -> None:
        """Make these rows active, as far as they are independent, and no others."""
        self._factors = Factors(self.Z.shape[1])
        self.rows = rows[self._factors.let_all_in(self.Z[rows])]
        self._forget()
        self._weigh()

    def _forget(self) -> None:
        """After the active rows have changed: drop h, and compute t anew."""
        self._h = np.empty(0)  # R'h = 1; where it is known, it grows with every row that comes in
        self._t = self._factors.solve(self.side[self.rows], transposed=True) if self.free else np.empty(0)  # R't = side

    def _weigh(self) -> None:
        """Compute the multipliers, u and the bias of the active rows."""
        if self._h.size < self.rows.size:
            self._h = self._factors.solve(np.ones(self.rows.size), transposed=True)
        h, self.bias = self._h, 0.0
        if self.free:
            self.bias = np.dot(self._t, h) / np.dot(self._t, self._t)
            h = h - self.bias * self._t
        self.mu = self._factors.solve(h)
        self.u = h @ self._factors.basis

    def _bring_in(self, row: int, lacking: float) -> bool:
        """Bring in a row with response 1 − lacking. Returns whether that was possible."""
        while True:
            placed = self._factors.place(self.Z[row])
            right, gain = placed.inside, placed.length**2
            if self.free:
                lean, length = self.side[row] - self._t @ placed.inside, self._t @ self._t
                gain += lean * lean / length
                right = right + lean / length * self._t
            along = self._factors.solve(right)  # multipliers fall by it for each unit of the new one
            falling = along > 0
            steps = np.where(falling, self.mu, np.inf) / np.where(falling, along, 1.0)
            step = float(steps.min(initial=np.inf))
            if placed.independent and lacking <= step * gain:
                self._let_in(row, placed)
                return True
            if step == np.inf:
                return False
            lacking -= step * gain
            self._let_out(int(steps.argmin()), self.mu - step * along)

    def _let_in(self, row: int, placed: Placed) -> None:
        if self._h.size == self.rows.size:
            self._h = np.append(self._h, (1.0 - placed.inside @ self._h) / placed.length)
        if self.free:
            self._t = np.append(self._t, (self.side[row] - placed.inside @ self._t) / placed.length)
        self.rows = np.append(self.rows, row)
        self._factors.let_in(placed)

    def _let_out(self, at: int, mu: Floats) -> None:
        self.rows, self.mu = np.delete(self.rows, at), np.delete(mu, at)
        self._factors.let_out(at)
        self._forget()


# -------------------------------------------------------------------------------------------------------------- nearest
# min ‖Σ λ a‖² + (1 − Σ λ)² with λ ≥ 0
# A step takes one more row, or drops some; the rows taken are independent, and their QR factors are updated. So the
# work done for some rows is kept when others join, and every step is short.


_SLOPE = 4e-15  # a gain that counts as none: rounding errors are about as large
_STEPS_EACH = 3  # steps for each row, after which the search gives up


class Nearest:
    """Rows that have joined and their λ, which is 0 for most of them; `solve` finds the best λ."""

    def __init__(self, d: int) -> None:
        self._A = np.empty((0, d + 1))  # the rows, each with 1 at the end
        self._factors = Factors(d + 1)  # of the rows taken
        self._taken: list[int] = []
        self._x = np.empty(0)  # λ of the rows taken

    def add(self, rows: Floats) -> None:
        """Let rows join."""
        self._A = np.vstack([self._A, np.column_stack([rows, np.ones(len(rows))])])

    @property
    def weights(self) -> Floats:
        """λ of all rows."""
        out = np.zeros(len(self._A))
        out[self._taken] = self._x
        return out

    def solve(self, between: Callable[[], None]) -> bool:
        """Find the best λ. Returns whether floats found it. `between` is called at every step, and may raise."""
        barred: list[int] = []  # rows that depend on those taken, or gain nothing, until another is taken
        for _ in range(_STEPS_EACH * len(self._A) + 50):
            between()
            slope = self._A @ self._rest()
            slope[self._taken + barred] = 0.0
            j = int(np.argmax(slope))
            if slope[j] <= _SLOPE:
                return True
            if self._take(j):
                barred = []
            else:
                barred.append(j)
        return False

    def _rest(self) -> Floats:
        """The residual (0, …, 0, 1) − Σ λ (a, 1)."""
        Q = self._factors.basis
        rest: Floats = Q[:, -1] @ Q
        np.negative(rest, out=rest)
        rest[-1] += 1.0
        return rest

    def _take(self, j: int) -> bool:
        """Take row j, unless it depends on the rows taken, or rounding makes its λ negative. Returns whether it did."""
        placed = self._factors.place(self._A[j])
        if not placed.independent:
            return False
        self._factors.let_in(placed)
        s = self._unbound()
        if s[-1] <= 0:  # rounding says so, against the slope
            self._factors.let_out(len(self._taken))
            return False
        self._taken.append(j)
        if s.min() > 0:
            self._x = s
        else:
            self._walk(np.append(self._x, 0.0), s)
        return True

    def _unbound(self) -> Floats:
        """The best λ of the rows taken, where λ may be negative."""
        return self._factors.solve(self._factors.basis[:, -1])

    def _walk(self, x: Floats, s: Floats) -> None:
        """From x ≥ 0 towards s, dropping rows that reach zero on the way."""
        while s.size and s.min() <= 0:
            down = np.flatnonzero(s <= 0)
            steps = x[down] / np.maximum(x[down] - s[down], 1e-300)
            x = x + steps.min() * (s - x)
            gone = down[steps <= steps.min()]
            for at in gone[::-1].tolist():
                self._factors.let_out(at)
                self._taken.pop(at)
            x = np.maximum(np.delete(x, gone), 0.0)
            s = self._unbound()
        self._x = s
