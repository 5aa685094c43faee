"""What becomes of each coefficient of a logistic regression, proved: see `fates` for the kinds and their proofs.

The directions that rows leave open come from one exact solve each (`span`). What is not settled by them is asked of
floats (`cone`), and what these suggest is made exact: a tilted w by rounding it to an open direction with w_j = 0, a
combination of rows by one exact solve. Where floats mislead, the exact simplex method answers.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import lcm
from typing import Any

import numpy as np

from rosenblatt.exact.alternative import farkas
from rosenblatt.exact.linear import express, mix, primitive, products
from rosenblatt.verdicts.clock import Unfinished, check
from rosenblatt.verdicts.cone import Cone
from rosenblatt.verdicts.fates import Fate, Fates
from rosenblatt.verdicts.points import Floats, Places, Points
from rosenblatt.verdicts.search import Proof
from rosenblatt.verdicts.span import Span, span

__all__ = ["Coefficient", "coefficients", "fates"]

_LARGEST_TABLE = 60  # directions up to which an exact simplex is worth starting: a minute or two
_BITS = 56  # of a candidate's largest weight
_TRIES = 3  # known directions, the farthest first, that a coefficient is tilted along before floats are asked again
_ADVICE = {
    "finite": "has a finite estimate",
    "+inf": "its estimate runs to +∞: drop or merge it, penalise (Firth, ridge), or collect more data",
    "-inf": "its estimate runs to −∞: drop or merge it, penalise (Firth, ridge), or collect more data",
    "undetermined": "has no limit of its own, the optimiser decides: penalise, or collect more data",
    "not identified": "is not identified, because its column can be computed from others: drop one of them",
}


@dataclass(frozen=True)
class Coefficient:
    """One coefficient: its `kind`, and the `proof`: what the certificate's `coefficients` say of it.

    "±inf": {"strict": μ, "scale": s}, "undetermined": {"separating": w} with w_j = 0; the others rest on the
    certificate's `open` and `null` alone.
    """

    name: str
    kind: str
    proof: dict[str, Any]

    @property
    def advice(self) -> str:
        """What it means, and what to do."""
        return _ADVICE[self.kind]

    @property
    def rows(self) -> list[int]:
        """The rows that send it to infinity, where it goes there."""
        return sorted(self.proof.get("strict", {}))


def coefficients(found: Fates, names: list[str], places: Any) -> list[Coefficient]:
    """All coefficients, the intercept "(1)" last, with rows numbered as the caller has them (`places`)."""
    labels = [*names, *["(1)"] * (len(found.each) - len(names))]
    numbered = [replace(one, strict={int(places[i]): m for i, m in one.strict.items()}) for one in found.each]
    return [Coefficient(name, one.kind, one.proof()) for name, one in zip(labels, numbered, strict=True)]


def fates(
    points: Points, proof: Proof, strict: Places, plane: Places, names: list[str], deadline: float | None
) -> Fates:
    """What becomes of all coefficients; `strict` and `plane` are the rows of the verdict.

    Raises `Unfinished`, which says what is not settled.
    """
    try:
        seed = np.array(sorted(proof.mixture), dtype=np.int64)
        on_plane = span(points, plane, deadline, seed) if plane.size else None
        everything = on_plane if on_plane and not strict.size else _all(points, strict, on_plane, deadline)
    except Unfinished as why:
        raise Unfinished(f"{why}; no coefficient is worked out") from None
    settling = _Settling(points, proof.w, strict, on_plane, everything, deadline)
    each, missing, reasons = list[Fate](), list[str](), dict[str, None]()
    for j, name in enumerate([*names, *["(1)"] * points.bias]):
        try:
            each.append(settling.fate(j))
        except Unfinished as why:
            missing.append(name)
            reasons[str(why)] = None
    if missing:
        shown = ", ".join(missing[:8]) + (" …" if len(missing) > 8 else "")
        raise Unfinished(f"{'; '.join(reasons)}; {len(missing)} of {points.d} coefficients are open: {shown}")
    return Fates(everything.rows.tolist(), everything.open, each, on_plane.open if on_plane and strict.size else None)


def _all(points: Points, strict: Places, plane: Span | None, deadline: float | None) -> Span:
    """What all rows span, with a basis of the plane first."""
    none = np.empty(0, dtype=np.int64)
    return span(points, strict, deadline, none, None if plane is None else plane.rows)


@dataclass
class _Settling:
    """Settles one coefficient after the other."""

    points: Points
    w: list[int]  # a separating one; none for overlap
    strict: Places
    plane: Span | None
    everything: Span
    deadline: float | None
    _cone: Cone | None = None

    def fate(self, j: int) -> Fate:
        """The coefficient's, confirmed in exact arithmetic."""
        if any(v[j] for v in self.everything.open):
            return Fate("not identified")
        if self.plane is not None and not any(v[j] for v in self.plane.open):
            return Fate("finite")
        check(self.deadline)
        if not self.w[j]:
            return Fate("undetermined", separating=self.w)
        sign = 1 if self.w[j] > 0 else -1
        return self._by_floats(j, sign) or self._exactly(j, sign)

    def _by_floats(self, j: int, sign: int) -> Fate | None:
        cone = self.cone
        known = iter(cone.directions(j, sign)[:_TRIES])
        level = next(filter(None, (self._tilted(j, u) for u in known)), None)
        if level is None:
            direction, rows = cone.ask(j, sign)
            if direction is None:
                return self._combined(j, sign, rows) if rows.size else None
            level = self._tilted(j, direction)
        return Fate("undetermined", separating=level) if level else None

    @property
    def cone(self) -> Cone:
        """The strict rows, as floats see them."""
        if self._cone is None:
            on_plane = np.empty(0, dtype=np.int64) if self.plane is None else self.plane.rows
            self._cone = Cone(self.points, self.strict, on_plane, self.w, self.deadline)
        return self._cone

    # -- separating weights with w_j = 0

    def _tilted(self, j: int, u: Floats) -> list[int]:
        """w moved along u until w_j = 0, confirmed; none where that does not separate."""
        w = self.cone.w
        tilted = w * abs(u[j]) + u * abs(w[j])
        tilted[j] = 0.0
        found = self._open(j, self.points.whole_weights(tilted, _BITS))
        return found if any(found) and self._separates(found) else []

    def _open(self, j: int, w: list[int]) -> list[int]:
        """Weights in an open direction that are these in the free columns, one of which changes so that w_j = 0."""
        if self.plane is None:
            return primitive(w)
        parts = list(zip(self.plane.free, self.plane.open, strict=True))
        common = lcm(*(v[f] for f, v in parts))
        factors = [w[f] * common // v[f] for f, v in parts]
        total = sum(a * v[j] for a, (_, v) in zip(factors, parts, strict=True))
        if total:
            change = max(range(len(parts)), key=lambda k: abs(Fraction(parts[k][1][j], parts[k][1][parts[k][0]])))
            pivot = parts[change][1][j]
            factors = [a * pivot for a in factors]
            factors[change] -= total
        return primitive(mix(factors, self.plane.open, len(w)))

    def _separates(self, w: list[int]) -> bool:
        rows = None if self.plane is None else self.strict
        return bool(np.all(self.points.signs(w, rows)[self.strict] > 0))

    # -- combinations of strict rows

    def _combined(self, j: int, sign: int, rows: Places) -> Fate | None:
        """±c as a combination of these rows with factors ≥ 0, by one exact solve; None where it is none."""
        factors = express([sign * v for v in self._at(j)], self._responses(rows), self._between)
        if factors is None or min(factors) < 0:
            return None
        return self._running(j, sign, dict(zip(rows.tolist(), factors, strict=True)))

    def _running(self, j: int, sign: int, factors: dict[int, Fraction]) -> Fate:
        """The fate of a coefficient that is such a combination."""
        common = lcm(*(f.denominator for f in factors.values()))
        whole = {i: int(f * common) for i, f in factors.items() if f}
        total = self.points.mixed(whole)
        v = next((v for v in self.plane.open if v[j]), None) if self.plane is not None else None
        scale = total[j] if v is None else sum((t * a for t, a in zip(total, v, strict=True)), Fraction(0)) / v[j]
        scale *= sign
        last, *mu = primitive([scale.numerator, *(m * scale.denominator for m in whole.values())])
        return Fate("+inf" if sign > 0 else "-inf", dict(zip(whole, mu, strict=True)), last)

    def _at(self, j: int) -> list[int]:
        """The open directions' j-th coordinates."""
        if self.plane is not None:
            return [v[j] for v in self.plane.open]
        return [int(i == j) for i in range(self.points.d)]

    def _responses(self, rows: Places) -> list[list[int]]:
        """z·v of some rows for every open direction v, times the same positive number for all."""
        whole = self.points.whole(rows)
        if self.plane is not None:
            return products(whole.rows, [whole.in_units(v) for v in self.plane.open])
        units = whole.in_units([1] * self.points.d)
        return [[a * unit for a, unit in zip(row, units, strict=True)] for row in whole.rows]

    # -- what floats cannot see

    def _exactly(self, j: int, sign: int) -> Fate:
        """The exact simplex on few rows; rows that its answer has on the wrong side join until there are none."""
        c = [sign * v for v in self._at(j)]
        if len(c) > _LARGEST_TABLE:
            raise Unfinished(
                f"float arithmetic could not settle it, and an exact solution in {len(c)} dimensions is too large"
            )
        chosen = self.strict[: len(c) + 1]
        while True:
            check(self.deadline)
            u, mu = farkas(self._responses(chosen), c, self._between)
            if mu is not None:
                factors = {int(i): Fraction(int(m.p), int(m.q)) for i, m in zip(chosen, mu, strict=True)}
                return self._running(j, sign, factors)
            assert u is not None
            v = u if self.plane is None else mix(u, self.plane.open, self.points.d)
            wrong = self.strict[self.points.signs(v, self.strict)[self.strict] < 0]
            if not wrong.size:
                return Fate("undetermined", separating=self._between_both(j, v))
            chosen = np.concatenate([chosen, wrong[: len(c) + 1]])

    def _between_both(self, j: int, v: list[int]) -> list[int]:
        """w and v, which has no row wrong and w_j on the other side, in the proportion that makes w_j zero."""
        return primitive([abs(v[j]) * a + abs(self.w[j]) * b for a, b in zip(self.w, v, strict=True)])

    @property
    def _between(self) -> Callable[[], None]:
        return partial(check, self.deadline)
