"""Verdicts of many outcomes on one table, each found on few of its rows and checked on all.

A mixture Σ λz = 0 of some rows is one of the table, whatever the other rows are. So rows that overlap, and span, prove
that all of them do. Where some rows are separated by w, other rows may be on the wrong side: those join, and the
question is asked again. In the end w, λ and the proofs of the coefficients are put together as a certificate of the
whole table, which is checked on every row. What the rows of several outcomes have in common is worked out once.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arrays import Flags, Floats, Places, Signs
from rosenblatt.data.rows import Rows, as_rows
from rosenblatt.verdicts.certificate import Certificate
from rosenblatt.verdicts.columns import prove_centred
from rosenblatt.verdicts.decimals import Powers, powers_of
from rosenblatt.verdicts.fates import Fates
from rosenblatt.verdicts.holding import digest
from rosenblatt.verdicts.points import Points
from rosenblatt.verdicts.search import Proof
from rosenblatt.verdicts.settling import fates
from rosenblatt.verdicts.threads import one_thread

__all__ = ["FewRows", "Found"]

_ROUNDS = 12
_EACH = 6  # rows for each weight, where only some of many are taken
_ENDS = 3  # rows of each class, at either end of each column


class Found(NamedTuple):
    """A verdict on the whole table, with its certificate."""

    kind: str
    fates: list[str]
    certificate: Certificate


class _Part(NamedTuple):
    """What was found on some rows, called by the numbers that they have in the table."""

    proof: Proof
    settled: Fates


@dataclass(frozen=True)
class FewRows:
    """A table whose outcomes are decided one after another."""

    rows: Rows
    bias: bool
    names: list[str]
    decimals: Powers | None
    orders: Places  # the rows in the order of each column

    @classmethod
    def of(cls, X: Floats, bias: bool, names: list[str]) -> "FewRows":
        """Look at the table once."""
        rows = as_rows(X)
        rows.radius_sq(bias)  # refuses NaN and inf
        return cls(rows, bias, names, powers_of(rows), np.ascontiguousarray(np.argsort(X.T, axis=1, kind="stable")))

    def only(self, known: Flags) -> "FewRows":
        """The table of some rows."""
        rows, new = as_rows(self._values[known]), np.cumsum(known) - 1
        orders = new[self.orders[known[self.orders]].reshape(len(self.orders), rows.n)]
        return FewRows(rows, self.bias, self.names, powers_of(rows), orders)

    @cached_property
    def _values(self) -> Floats:
        return self.rows.take(slice(0, self.rows.n))

    def decide(self, signs: Signs, classes: list[Any], deadline: float | None) -> Found | None:
        """The verdict on labels −1 and +1; None where some rounds did not settle it. Raises `Unfinished`."""
        with one_thread():
            points = Points(self.rows, signs, self.bias, self.decimals)
            some = self._first(signs)
            for _ in range(_ROUNDS):
                part = self._on(some, signs, deadline)
                sides = _sides(part.proof, points)
                wrong = self._some(np.flatnonzero(sides < (part.proof.kind == "complete")))
                found = None if wrong.size else self._certified(part, points, classes)
                if found is not None:
                    return found
                more = wrong if wrong.size else self._contradicting(part.settled, points, sides)
                if not more.size:
                    return None
                some = np.union1d(some, more)
        return None

    def _first(self, signs: Signs) -> Places:
        """Rows at the ends of each column, and some of everywhere, of both classes."""
        chosen = [self._some(np.flatnonzero(signs == side)) for side in (-1, 1)]
        for order in self.orders:
            sides = signs[order]
            for side in (-1, 1):
                at = order[np.flatnonzero(sides == side)]
                chosen += [at[:_ENDS], at[-_ENDS:]]
        return np.unique(np.concatenate(chosen))

    def _some(self, places: Places) -> Places:
        """All of them or, where there are many, some at even distances."""
        most = _EACH * (self.rows.p + self.bias)
        return places if places.size <= most else places[np.linspace(0, places.size - 1, most).astype(np.int64)]

    def _on(self, some: Places, signs: Signs, deadline: float | None) -> _Part:
        """The proof of these rows alone."""
        points = Points(as_rows(self._values[some]), signs[some], self.bias, self.decimals)
        proof = prove_centred(points, deadline)
        sides = _sides(proof, points)
        strict, plane = np.flatnonzero(sides > 0), np.flatnonzero(sides == 0)
        settled = fates(points, proof, strict, plane, self.names, deadline)
        mixture = {int(i): proof.base + proof.mixture.get(int(i), 0) for i in plane} if proof.base else proof.mixture
        whole = Proof(proof.kind, proof.w, {int(some[i]): m for i, m in mixture.items()})
        return _Part(whole, settled.renamed(some))

    def _contradicting(self, settled: Fates, points: Points, sides: Signs) -> Places:
        """Rows that contradict what was proved of the coefficients on some rows."""
        wrong = [points.signs(v) != 0 for v in settled.null]
        wrong += [(sides == 0) & (points.signs(v) != 0) for v in settled.open or []]
        weights = [one.separating for one in settled.each if one.separating]
        wrong += [(sides > 0) & (points.signs(w) <= 0) for w in weights]
        none = np.empty(0, dtype=np.int64)
        return np.concatenate([none, *(self._some(np.flatnonzero(one)) for one in wrong)])

    def _certified(self, part: _Part, points: Points, classes: list[Any]) -> Found | None:
        """A certificate of the whole table, checked on all rows; None where it does not hold there."""
        proof, settled = part
        proof.coefficients = settled.entry()
        made = Certificate.of(proof, points, digest(self.rows, points.y, "dense"), classes, self.names)
        if proof.mixture:
            null = settled.null if settled.open is None else settled.open
            made.content["null"] = [[hex(v) for v in one] for one in null]
        try:
            made.check(points)
        except ValueError:
            return None
        return Found(proof.kind, [one.kind for one in settled.each], made)


def _sides(proof: Proof, points: Points) -> Signs:
    """On which side of w the rows are; where there is no w, all are on the plane."""
    return points.signs(proof.w) if proof.w else np.zeros(points.n, dtype=np.int8)
