"""The search for a proof: one round per face.

With z = y·(x, 1), a round asks Gordan's question of the rows that are not yet known to lie on every separating plane,
seen along the directions N that those known rows leave open (a = z N). Either some u has a·u > 0 for all of them, and
w = N u is the proof; or a mixture of them vanishes there, which joins the mixture found before, and the known rows
grow. Each round closes at least one direction, so there are at most d.
"""

import time
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.data.rows import Rows, pieces
from rosenblatt.exact import integers
from rosenblatt.exact.alternative import gordan
from rosenblatt.exact.dyadic import low_bit
from rosenblatt.exact.linear import express, null_space, primitive
from rosenblatt.verdicts.candidates import candidate

__all__ = ["Proof", "Search", "Unfinished"]

_LARGEST_TABLE = 40  # directions up to which an exact simplex is worth starting
_LARGEST_DATA = 1 << 22  # values up to which all rows are made whole numbers
_NOTHING = 5000  # above the exponent of any bit


class Unfinished(Exception):
    """A limit was hit; the message says which."""


@dataclass
class Proof:
    """What a certificate states: w with z·w ≥ 0, and a mixture λ of rows that vanishes (see DESIGN's verdicts)."""

    kind: str
    w: list[int]  # empty for overlap
    mixture: dict[int, int]  # empty for complete
    null: list[list[int]]  # independent directions along which the plane rows do not reach
    margin: dict[str, Any] = field(default_factory=dict)  # complete: the certificate's entry of that name


@dataclass
class Search:
    """Decides whether a hyperplane tells the classes apart, in exact arithmetic."""

    rows: Rows
    y: npt.NDArray[np.int8]
    bias: bool
    deadline: float | None = None
    binding: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))  # rows to begin with
    mixture: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.d = self.rows.p + self.bias
        units = np.full(self.d, _NOTHING)
        for first, stop in pieces(self.rows.n, self.d):  # columns in units of their lowest bit: whole numbers
            units = np.minimum(units, np.min(low_bit(self._floats(np.arange(first, stop))), axis=0, initial=_NOTHING))
        self.units = [0 if unit == _NOTHING else int(unit) for unit in units]

    def prove(self) -> Proof:
        """Rounds until there is a proof."""
        directions: list[list[int]] | None = None  # all of them
        while True:
            self.check_time()
            if directions == []:
                return Proof("overlap", [], self.mixture, [])
            u, lam, open_rows = self._first_round() if directions is None else self._round(directions)
            if u is not None:
                return self._separated(u, directions or _unit_vectors(self.d))
            if lam is None:
                return Proof("overlap", [], self.mixture, [self.original(v) for v in directions or []])
            self._join({int(open_rows[i]): m for i, m in enumerate(lam) if m})
            directions = null_space([self.whole(i) for i in self.mixture], self.d)

    def _first_round(self) -> tuple[list[int] | None, list[int] | None, npt.NDArray[np.int64]]:
        """The binding rows of the float candidate may have a vanishing mixture: then no other row need be looked at."""
        if self.binding.size:
            some = np.array([self.whole(int(i)) for i in self.binding], dtype=object)
            lam = _only_mixture(some)
            if lam is not None:
                return None, lam, self.binding
        return self._round(_unit_vectors(self.d))

    def _round(self, directions: list[list[int]]) -> tuple[list[int] | None, list[int] | None, npt.NDArray[np.int64]]:
        """Gordan's alternative for all rows that reach along the open directions; (None, None, …) if there are none."""
        if self.rows.n * self.d > _LARGEST_DATA:
            raise Unfinished(
                f"exact arithmetic on all of {self.rows.n} rows and {self.rows.p} columns would be too large"
            )
        Z = np.array([self.whole(i) for i in range(self.rows.n)], dtype=object).reshape(self.rows.n, self.d)
        A = Z @ np.array(directions, dtype=object).T
        open_rows = np.flatnonzero(np.any(A != 0, axis=1))
        if open_rows.size < self.rows.n and not self.mixture:  # a row of zeros is a vanishing mixture by itself
            self.mixture = {int(i): 1 for i in np.setdiff1d(np.arange(self.rows.n), open_rows)}
        if not open_rows.size:
            return None, None, open_rows
        return (*self._decide(A[open_rows]), open_rows)

    def _floats(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """z of some rows."""
        X = self.rows.take(rows)
        return (np.column_stack([X, np.ones(len(X))]) if self.bias else X) * self.y[rows, None]

    def whole(self, i: int) -> list[int]:
        """z of row i in the columns' units."""
        pairs = (float(v).as_integer_ratio() for v in self._floats(np.array([i]))[0])
        return [
            (over >> unit) // under if unit >= 0 else (over << -unit) // under
            for (over, under), unit in zip(pairs, self.units, strict=True)
        ]

    def _separated(self, u: list[int], directions: list[list[int]]) -> Proof:
        w = [sum(c * v[j] for c, v in zip(u, directions, strict=True)) for j in range(self.d)]
        if not self.mixture:
            return Proof("complete", self.original(w), {}, [])
        swap = next(k for k, c in enumerate(u) if c)  # w takes the place of a direction it is made of
        null = [self.original(w if k == swap else v) for k, v in enumerate(directions)]
        return Proof("quasi", self.original(w), self.mixture, null)

    def original(self, w: list[int]) -> list[int]:
        """Whole numbers in the caller's units, positively proportional to w."""
        top = max(self.units, default=0)
        return primitive([v << (top - unit) for v, unit in zip(w, self.units, strict=True)])

    def _join(self, lam: dict[int, int]) -> None:
        """Add a mixture that vanishes along the open directions to the one that vanishes along the closed ones."""
        rows = {i: self.whole(i) for i in lam}
        rest = [-sum(m * rows[i][j] for i, m in lam.items()) for j in range(self.d)]
        if not self.mixture or not any(rest):
            for i, m in lam.items():
                self.mixture[i] = self.mixture.get(i, 0) + m
            return
        known = list(self.mixture)
        factors = express(rest, [self.whole(i) for i in known])
        assert factors is not None  # what vanishes along the open directions lies in the span of the known rows
        needed = max((-f / self.mixture[i] for i, f in zip(known, factors, strict=True)), default=Fraction(0))
        times = max(Fraction(0), needed) + 1  # so many of the old mixture make every factor positive
        totals = {i: f + times * self.mixture[i] for i, f in zip(known, factors, strict=True)}
        for i, m in lam.items():
            totals[i] = totals.get(i, Fraction(0)) + m
        common = lcm(*(f.denominator for f in totals.values()))
        whole = primitive([int(f * common) for f in totals.values()])
        self.mixture = dict(zip(totals, whole, strict=True))

    def _decide(self, A: Any) -> tuple[list[int] | None, list[int] | None]:
        """Gordan's alternative for whole-numbered rows: float candidates, checked exactly; then exactly, row by row."""
        rough, scale = _rough(A)
        u, binding = candidate(rough)
        whole = [int(v) for v in integers(u / scale)[0]]
        if any(whole) and np.all(A @ np.array(whole, dtype=object) > 0):
            return whole, None
        lam = _only_mixture(A[binding])
        if lam is not None:
            full = [0] * len(A)
            for i, m in zip(binding, lam, strict=True):
                full[i] = m
            return None, full
        if A.shape[1] > _LARGEST_TABLE:
            raise Unfinished(
                f"float arithmetic could not settle it, and an exact solution in {A.shape[1]} dimensions is too large"
            )
        return self._row_by_row(A, binding)

    def _row_by_row(self, A: Any, binding: npt.NDArray[np.int64]) -> tuple[list[int] | None, list[int] | None]:
        """The exact simplex on few rows; rows that its answer does not satisfy join until none is left."""
        chosen = list(dict.fromkeys([*binding.tolist(), *range(min(len(A), A.shape[1] + 1))]))
        while True:
            self.check_time()
            u, lam = gordan([A[i].tolist() for i in chosen], self.check_time)
            if lam is not None:
                full = [0] * len(A)
                for i, m in zip(chosen, lam, strict=True):
                    full[i] = m
                return None, full
            violated = np.flatnonzero(A @ np.array(u, dtype=object) <= 0)
            if not violated.size:
                return u, None
            chosen += violated[: A.shape[1] + 1].tolist()

    def check_time(self) -> None:
        """Raise where the time limit is over."""
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise Unfinished("the time limit was reached")


def _unit_vectors(d: int) -> list[list[int]]:
    return [[int(j == k) for j in range(d)] for k in range(d)]


def _only_mixture(A: Any) -> list[int] | None:
    """The vanishing mixture of these rows, where they have exactly one and nothing in it is negative."""
    if not len(A):
        return None
    kernel = null_space([list(column) for column in A.T], len(A))
    if len(kernel) != 1:
        return None
    mixture = kernel[0] if sum(kernel[0]) > 0 else [-m for m in kernel[0]]
    return None if min(mixture) < 0 else mixture


def _rough(A: Any) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Whole numbers of any length as floats, rows shortened apart, columns divided by a scale: for candidates only."""
    out = np.zeros(A.shape)
    for i, row in enumerate(A):
        top = max((abs(int(v)).bit_length() for v in row), default=0)
        shift = max(0, top - 60)
        out[i] = [int(v) / (1 << shift) for v in row]
    largest = np.max(np.abs(out), axis=0, initial=0.0)
    scale = np.where(largest > 0, largest, 1.0)
    return out / scale, scale
