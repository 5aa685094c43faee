"""Verdicts on many outcomes of one table, each found on a few rows and checked on all rows.

A mixture Σ λz = 0 of some rows is also one of the whole table. So if some rows overlap and span all rows, the table
overlaps. If w separates some rows, other rows may be on the wrong side: some of those join, and the question is asked
again. In the end w, λ and the proofs of the coefficients become a certificate of the whole table, which is checked on
every row. What all outcomes have in common is computed once.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arrays import Flags, Places, Signs
from rosenblatt.context import Context
from rosenblatt.data.numbers import Rows, exact_rows
from rosenblatt.threads import one_thread
from rosenblatt.verdicts.certificates import Certificate, digest
from rosenblatt.verdicts.fates import Fates, settle
from rosenblatt.verdicts.points import Points
from rosenblatt.verdicts.search import Proof, prove_on_clear_columns

__all__ = ["FewRows", "Found"]

_ROUNDS = 12
_EACH = 6  # rows for each weight, where a part of many rows is taken
_ENDS = 3  # rows of each class that are taken at either end of each column


class Found(NamedTuple):
    """A verdict on the whole table, with its certificate."""

    kind: str
    fates: list[str]
    certificate: Certificate


class _Part(NamedTuple):
    """What was found on some rows; rows have their numbers in the whole table."""

    proof: Proof
    settled: Fates


@dataclass(frozen=True)
class FewRows:
    """A table whose outcomes are decided one after another."""

    rows: Rows
    bias: bool
    names: list[str]
    orders: Places  # the rows in the order of each column

    @classmethod
    def of(cls, rows: Rows, bias: bool, names: list[str]) -> "FewRows":
        """Read the table, once for all outcomes."""
        rows = rows.within_range()
        rows.radius_sq(bias)  # refuses NaN and inf
        X = rows.take(slice(0, rows.n))
        return cls(exact_rows(rows), bias, names, np.ascontiguousarray(np.argsort(X.T, axis=1, kind="stable")))

    def only(self, known: Flags) -> "FewRows":
        """The table of those rows whose outcome is `known`."""
        rows, new = self.rows.subset(np.flatnonzero(known)), np.cumsum(known) - 1
        orders = new[self.orders[known[self.orders]].reshape(len(self.orders), rows.n)]
        return FewRows(rows, self.bias, self.names, orders)

    def decide(self, signs: Signs, classes: list[Any], context: Context) -> Found | None:
        """The verdict on labels −1 and +1; None where `_ROUNDS` rounds did not settle it. Raises `Unfinished`."""
        with one_thread():
            points = Points(self.rows, signs, self.bias)
            chosen = self._first(signs)
            for _ in range(_ROUNDS):
                part = self._on(chosen, signs, context)
                sides = _sides(part.proof, points)
                wrong = self._spread(np.flatnonzero(sides < (part.proof.kind == "complete")))
                found = None if wrong.size else self._certified(part, points, classes)
                if found is not None:
                    return found
                more = wrong if wrong.size else self._contradicting(part.settled, points, sides)
                if not more.size:
                    return None
                chosen = np.union1d(chosen, more)
        return None

    def _first(self, signs: Signs) -> Places:
        """The rows to begin with: of both classes, rows at the ends of each column, and rows from everywhere."""
        chosen = [self._spread(np.flatnonzero(signs == side)) for side in (-1, 1)]
        for order in self.orders:
            sides = signs[order]
            for side in (-1, 1):
                at = order[np.flatnonzero(sides == side)]
                chosen += [at[:_ENDS], at[-_ENDS:]]
        return np.unique(np.concatenate(chosen))

    def _spread(self, places: Places) -> Places:
        """All these places or, where they are many, some at even distances."""
        most = _EACH * (self.rows.p + self.bias)
        return places if places.size <= most else places[np.linspace(0, places.size - 1, most).astype(np.int64)]

    def _on(self, chosen: Places, signs: Signs, context: Context) -> _Part:
        """The proof for these rows alone."""
        points = Points(self.rows.subset(chosen), signs[chosen], self.bias, context)
        proof = prove_on_clear_columns(points)
        sides = _sides(proof, points)
        strict, plane = np.flatnonzero(sides > 0), np.flatnonzero(sides == 0)
        settled = settle(points, proof, strict, plane, self.names).all_settled()
        mixture = {int(i): proof.base + proof.mixture.get(int(i), 0) for i in plane} if proof.base else proof.mixture
        whole = Proof(proof.kind, proof.w, {int(chosen[i]): m for i, m in mixture.items()})
        return _Part(whole, settled.renamed(chosen))

    def _contradicting(self, settled: Fates, points: Points, sides: Signs) -> Places:
        """Rows of the table that contradict what the chosen rows proved about the coefficients."""
        wrong = [points.signs(v) != 0 for v in settled.null]
        wrong += [(sides == 0) & (points.signs(v) != 0) for v in settled.open or []]
        weights = [one.separating for one in settled.each if one.separating]
        wrong += [(sides > 0) & (points.signs(w) <= 0) for w in weights]
        none = np.empty(0, dtype=np.int64)
        return np.concatenate([none, *(self._spread(np.flatnonzero(places)) for places in wrong)])

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
    """The side of w on which each row is; without a w, all rows are on the plane."""
    return points.signs(proof.w) if proof.w else np.zeros(points.n, dtype=np.int8)
