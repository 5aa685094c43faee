"""The search for a proof: easy candidates, then the partition at once, then one face after the other.

With z = y·(x, 1), some rows are known to lie on every hyperplane that has no row on the wrong side: those of a mixture
λ > 0 with Σ λ z = 0, and all rows in their span. A round asks Gordan's question of the other, open rows. Either some w
that passes through the known rows has z·w > 0 on all open rows, and is the proof; or some mixture of open rows and
known rows vanishes, and joins the mixture. Each round adds to the span, so there are at most d rounds.

The first round settles easy data. After it, one linear program asks for the partition of all rows at once (`partition`,
`mixture`). Further rounds are for data that floats cannot resolve.

Candidates come from float arithmetic and count only once exact arithmetic has confirmed them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice
from math import lcm
from typing import Any

import numpy as np

from rosenblatt.arrays import Flags, Floats, Places
from rosenblatt.context import Unfinished
from rosenblatt.exact import SpanTest, combination, gordan, independent, mix, null_space, primitive, rank, relation
from rosenblatt.threads import once
from rosenblatt.verdicts.points import Points, Twins
from rosenblatt.verdicts.search.basis import (
    LARGEST_TABLE,
    Basis,
    few_values,
    refuse_large_solve,
    refuse_large_table,
    too_large,
)
from rosenblatt.verdicts.search.candidates import Guess, OpenFace, guesses, zoom
from rosenblatt.verdicts.search.fitting import Fit, Fitted
from rosenblatt.verdicts.search.mixture import Partition, few_rows, vanishing
from rosenblatt.verdicts.search.peeling import Peeling, peel

__all__ = ["Divided", "Peeled", "Proof", "Search", "Settled", "TooWide", "is_small", "is_wide"]

_SMALL = 1 << 20  # values up to which every row is tried for lying in a span
_NEAR = 1e-5  # responses below which a row of large data may lie in a span
_LONG = 64  # bits a dimension, from which it is worth while to shorten a mixture
_EACH = -1  # the key of the entry that every row of a mixture has
_FEW_TWINS = 50  # pairs that are joined at sight before the partition is asked for: each may be written out
_LARGE = 1 << 15  # values of a linear program from which it is worth while to try what is cheaper
_CHEAP = 2  # candidates that need no linear program: least squares, and the nearest point of the hull
_SOON = 20.0  # seconds to eliminate sparse rows modulo a prime: where that takes longer, the rest would never end
_DIVIDED_AFTER = (6, 9, 11, 18, 26, 40, 59)  # steps of the fit after which it is looked at where it runs to
_WIDEST_DIVIDED = 1000  # weights up to which that costs less than a linear program; of sparse rows, more
_PARTITIONS = 10  # how often exact signs may contradict a partition
_FEW_WEIGHTS, _FEW_VALUES = 100, 1 << 22  # up to which a mixture in whole numbers most often takes less than 0.1 s


def is_wide(points: Points) -> bool:
    """Whether rows are no more than weights, and these too many for an exact simplex."""
    return points.n <= points.d and points.d > LARGEST_TABLE


def is_small(points: Points) -> bool:
    """Whether a mixture is written out at once, because that costs hardly more than the verdict."""
    return points.d <= _FEW_WEIGHTS and points.n * points.d <= _FEW_VALUES


class Settled(Exception):
    """A fit in floats has proved what is left: see `proof`."""

    def __init__(self, proof: "Proof") -> None:
        self.proof = proof


class Divided(Exception):
    """w has no row on the wrong side, some strictly on theirs, and those of `plane` on it: what remains is these."""

    def __init__(self, w: list[int], plane: Places) -> None:
        self.w, self.plane = w, plane


class Peeled(Exception):
    """Least squares did not separate the rows, and single columns decide some of them: see `peeling`."""

    def __init__(self, peeling: Peeling) -> None:
        self.peeling = peeling


class TooWide(Exception):
    """Least squares did not separate the rows, and there are no more of them than weights: see `columns`."""


@dataclass
class Proof:
    """What a certificate states: w with z·w ≥ 0, and a mixture λ of rows that vanishes.

    `base` is added to λ on every row of the plane; without base, λ's rows have full rank.
    """

    kind: str
    w: list[int]  # empty for overlap
    mixture: dict[int, int]  # empty for complete, and where λ is base on every row
    base: int = 0
    witness: dict[int, int] = field(default_factory=dict)  # few rows and λ > 0 on them with Σ λ z = 0, without base
    fitted: Fitted | None = None  # the rows of the plane are proved to overlap by floats; there is no λ yet
    null: list[list[int]] = field(
        default_factory=list
    )  # fitted overlap: all v with z·v = 0 on every row are sums of these
    margin: dict[str, Any] = field(default_factory=dict)  # this and the next three: the certificate's fields
    street: dict[str, Any] = field(default_factory=dict)
    coefficients: dict[str, Any] = field(default_factory=dict)
    because: list[dict[str, Any]] = field(default_factory=list)
    free: dict[int, int] = field(default_factory=dict)  # of a model: factors of equalities
    clear: bool = False  # whether no column can nearly, but not exactly, be computed from others

    @property
    def by_fit_alone(self) -> bool:
        """Whether floats have proved that all rows overlap."""
        return self.fitted is not None and self.kind == "overlap"


class Search:
    """Decides whether a hyperplane tells the classes apart, in exact arithmetic.

    `pairs` are the numbers of rows z and −z, which are on every admissible hyperplane and need not be found.
    """

    def __init__(
        self,
        points: Points,
        spread: bool = False,
        pairs: Places | None = None,
        whole: bool = True,
    ) -> None:
        self.points, self.check_time = points, points.context.check
        self.spread = spread  # give λ to every row of the plane, even where fewer rows have full rank
        self._whole = whole  # never raise `Peeled` or `TooWide`
        self.mixture: dict[int, int] = {}
        self.known = np.empty(0, dtype=np.int64)  # independent rows that span the mixture's
        self.closed = np.zeros(points.n, dtype=bool)  # rows in their span
        self._wide = not whole and is_wide(points)
        self._only_guess = self._wide or too_large(points.d)  # try least squares only: other candidates cost too much
        self._looked_for_twins = False
        self._last_basis = Basis(points, self.known, [])  # the basis that `pass_through` used last
        self._tried_at_once = self._fit_is_made = False
        if pairs is not None and pairs.size:
            self.mixture = dict.fromkeys(pairs.ravel().tolist(), 1)
            self.closed[pairs] = True
            self._close(pairs[:, 0].tolist())

    @once
    def _rng(self) -> np.random.Generator:
        return np.random.default_rng(0)

    def prove(self) -> Proof:
        """The proof. Where a limit is hit, `Unfinished` has the reason and what was proved by then."""
        try:
            return self.decide()
        except Unfinished as why:
            if not self.mixture:
                raise
            known = (
                "that no hyperplane has every row strictly on its side is proved, touching or overlap is not decided"
            )
            raise Unfinished(f"{why}; {known}", self.mixture) from None

    def decide(self) -> Proof:
        """The proof. Where a limit is hit, `Unfinished` has the reason only."""
        proof = self._of_sparse() if self.points.many_sparse else None
        while proof is None:
            self.check_time()
            # A mixture shows that no w has all rows strict. Only then is a linear program for all rows worth its time.
            if self.mixture and not self.closed.all():
                proof = self._at_once()
                if proof is not None:
                    return proof
                self._join_twins()
            if self.closed.all():
                return self._overlap()
            w = self._round(~self.closed)
            if w:
                return self._separated(w)
        return proof

    def _of_sparse(self) -> Proof | None:
        """The proof for many sparse columns: most candidates would need dense rows, the partition does not."""
        while not self.closed.all():
            left = ~self.closed
            w = self._through_known(next(guesses(self._face(left))).u)
            self.check_time()
            if self._separates(w, left):
                return self._separated(w)
            for guess in self._first_of_all():
                if self._separates(guess.w or [], left):
                    return self._separated(guess.w or [])
            if not self._join_twins(most=_FEW_TWINS):
                self._refuse_filling_rows()
                return self._at_once()
        return self._overlap()

    def _refuse_filling_rows(self) -> None:
        """Raise Unfinished where sparse rows fill up as they are eliminated: a linear program would never end."""
        rows = self.points.some_of_each_column(1, self._rng)
        try:
            Basis.of(self.points.within(_SOON), rows)
        except Unfinished:
            self.check_time()
            raise Unfinished(
                f"least squares did not separate it, and an exact solution of {self.points.n} × {self.points.rows.p} "
                f"sparse values that fill up would be too large"
            ) from None

    def _at_once(self) -> Proof | None:
        """w and λ from one linear program, each made exact by one solve; None where what floats suggested is wrong."""
        if self._tried_at_once or (self._only_guess and not self.points.many_sparse):
            return None
        self._tried_at_once = True
        points = self.points
        partition = Partition(points, np.array(sorted(self.mixture), dtype=np.int64))
        proof = self._all_others_strict() if partition.values > _LARGE and not points.many_sparse else None
        if proof is not None:
            return proof
        for _ in range(_PARTITIONS):
            if not partition.settle():
                return None
            self.check_time()
            # Without a strict row there is no w: then every row is on the plane, which the mixture has to prove.
            w, signs = [], np.zeros(points.n, dtype=np.int8)
            if partition.strict.any():
                w = points.whole_weights(partition.u)
                w = primitive(w) if partition.strict.all() else partition.basis.pass_through(w)
                signs = points.signs(w)
            if not partition.add(np.flatnonzero(signs < 0)):
                break
        plane = np.flatnonzero(signs == 0)
        # A w through all rows separates nothing, although floats took some row for strict.
        if np.any(signs < 0) or (w and plane.size == points.n):
            return None
        if not plane.size:
            return Proof("complete", w, {})
        found = vanishing(points, plane, np.sort(partition.plane[signs[partition.plane] == 0]))
        if found is None:
            return None
        self.known, self.closed = found.basis.rows, signs == 0
        if not self.mixture:
            self.mixture = few_rows(points, np.intersect1d(partition.plane, plane), found.basis)
        return Proof("quasi" if w else "overlap", w, found.entries, found.base, self.mixture)

    def _all_others_strict(self) -> Proof | None:
        """The proof, where few rows keep data from being separable: w comes from candidates without a linear program.

        The linear program for all rows would take far longer, the more so the more columns there are.
        """
        self._join_twins(most=_FEW_TWINS)
        if self.closed.all():
            return self._overlap()
        for guess in islice(guesses(self._face(~self.closed)), _CHEAP):
            w = self._through_known(guess.u)
            if self._separates(w, ~self.closed):
                return self._separated(w)
        return None

    def _round(self, open_rows: Flags) -> list[int]:
        """Separating weights; empty after a mixture has joined."""
        for guess in self._guesses(open_rows):
            w = guess.w or self._through_known(guess.u)
            if self._separates(w, open_rows):
                return w
            lam = self._vanishing(guess.rows)
            if lam is not None:
                self._join(lam, True)
                return []
            # Rows that a guess names may prove nothing. Equal points of both classes do, and are found without floats.
            if (self._only_guess or guess.rows.size) and self._join_twins():
                return []
            self.check_time()
        return self._exactly(open_rows)

    def _guesses(self, open_rows: Flags) -> Iterator[Guess]:
        """Candidates, the cheapest first; the expensive ones only where an exact proof of them is feasible."""
        face = self._face(open_rows)
        found = guesses(face)
        yield next(found)
        small = self.points.d <= _FEW_WEIGHTS
        # Of few weights the nearest point of the hull often has the shortest proof, so it comes before the fit.
        yield from self._first_of_all(fit=not small)
        if self._wide:
            raise TooWide
        if self._only_guess:
            raise Unfinished(
                f"least squares did not separate it, and an exact solution in {self.points.d} dimensions is too large"
            )
        if small:
            yield from islice(found, 1)
            yield from self._first_of_all()
        yield from found
        yield from zoom(face, self.pass_through)

    def _first_of_all(self, fit: bool = True) -> Iterator[Guess]:
        """What is tried once, after least squares. Raises `Peeled` or `Settled` where that decides."""
        if self._whole or self.mixture or self._fit_is_made:
            return
        # Least squares costs little and settles easy data, so it is tried before anything is taken apart.
        peeling = peel(self.points)
        if peeling is not None:
            raise Peeled(peeling)
        if fit and not self._wide:
            self._fit_is_made = True
            yield from self._by_fit()
            if self.points.rows.origin.dense:  # what is left is better done with all zeros
                raise Unfinished("the fit did not settle it")

    def _by_fit(self) -> Iterator[Guess]:
        """Weights that may separate; raises `Settled` where the rows are proved to overlap."""
        points, fit = self.points, Fit.of(self.points)
        for at, step in enumerate(fit.steps() if fit is not None else ()):
            if step.weights is not None:
                fitted = Fitted(points, np.arange(points.n), step.weights)
                null = [] if fit is None else fit.null
                clear = fit is not None and fit.clear
                raise Settled(Proof("overlap", [], {}, 1 if null else 0, fitted=fitted, null=null, clear=clear))
            if step.separates:
                yield Guess(step.u, w=points.whole_weights(step.u))
            elif at in _DIVIDED_AFTER and step.staying.size < points.n:
                self._divide(step.direction, step.staying)

    def _divide(self, u: Floats, plane: Places) -> None:
        """Raise `Divided` where weights near u pass through the plane's rows and have no other on the wrong side."""
        points = self.points
        if points.d > _WIDEST_DIVIDED and not few_values(points, plane):
            return
        try:
            w = Basis.of(points.within(_SOON), plane).pass_through(points.whole_weights(u))
        except Unfinished:  # sparse rows that fill up
            self.check_time()
            return
        signs = points.signs(w)
        if signs.min() >= 0 and signs.max() > 0:
            raise Divided(w, np.flatnonzero(signs == 0))

    def _face(self, open_rows: Flags) -> OpenFace:
        """The question that candidates answer."""
        return OpenFace(self.points, open_rows, self.known)

    # -- separating weights

    def _through_known(self, u: Floats) -> list[int]:
        """Whole-numbered weights near u (for scaled columns) that pass through the known rows exactly."""
        return self.pass_through(self.points.whole_weights(u))

    def pass_through(self, w: list[int]) -> list[int]:
        """Change as many weights as there are known rows, so that w passes through all of these rows."""
        if not self.known.size:
            return primitive(w) if any(w) else w
        refuse_large_solve(self.known.size)
        if not np.array_equal(self._last_basis.rows, self.known):
            whole = self.points.whole(self.known)
            self._last_basis = Basis(self.points, self.known, independent(whole.rows, self.check_time)[1])
        return self._last_basis.pass_through(w)

    def _separates(self, w: list[int], open_rows: Flags) -> bool:
        if not any(w):
            return False
        rows = None if open_rows.all() else np.flatnonzero(open_rows)
        return bool(np.all(self.points.signs(w, rows)[open_rows] > 0))

    def _separated(self, w: list[int]) -> Proof:
        if not self.mixture:
            return Proof("complete", w, {})
        return Proof("quasi", w, *self._spread(np.flatnonzero(self.closed)), self.mixture)

    def _overlap(self) -> Proof:
        if self.known.size == self.points.d and not self.spread:
            return Proof("overlap", [], self.mixture, 0, self.mixture)
        return Proof("overlap", [], *self._spread(np.arange(self.points.n)), self.mixture)

    # -- vanishing mixtures

    def _vanishing(self, rows: Places) -> dict[int, int] | None:
        """λ ≥ 0 on these rows, such that Σ λ z lies in the span of the known rows; None unless λ is unique."""
        if not rows.size:
            return None
        refuse_large_solve(rows.size)
        m = relation(self.points.whole(np.concatenate([rows, self.known])).rows, self.check_time)
        if m is None:
            return None
        lam = m[: rows.size] if sum(m[: rows.size]) > 0 else [-v for v in m[: rows.size]]
        return None if min(lam) < 0 else {int(i): v for i, v in zip(rows, lam, strict=True) if v}

    def _join(self, lam: dict[int, int], only: bool = False) -> None:
        """Add λ, whose Σ λ z lies in the span of the known rows, to the mixture; the span grows.

        `only`: beside the known rows, no other mixture of λ's rows does.
        """
        # The first mixture's numbers solve one square system: there are no shorter ones.
        alone = not self.mixture
        self.mixture = dict(zip(lam, primitive(list(lam.values())), strict=True)) if alone else self._completed(lam)
        # if nothing but λ vanishes on some rows, all but one of them are independent
        self._close(list(lam), len(lam) - 1 if only and not self.known.size else None)
        if not alone:
            self._shorten()

    def _shorten(self) -> None:
        """Make the mixture's numbers shorter; otherwise their length would double from round to round."""
        if max(m.bit_length() for m in self.mixture.values()) > _LONG * (self.known.size + 1):
            rows = np.array(sorted(self.mixture))
            found = vanishing(self.points, rows, rows)
            if found is not None:
                self.mixture = {int(i): found.base + found.entries.get(int(i), 0) for i in rows}

    def _join_twins(self, most: int | None = None) -> bool:
        """Join rows of zeros and equal points of both classes: both are vanishing mixtures. Returns whether any exist.

        Where there are more than `most` of them, none is joined.
        """
        if self._looked_for_twins:
            return False
        twins = Twins.of(self.points)
        if most is not None and len(twins.zeros) + len(twins.pairs) > most:
            return False
        self._looked_for_twins = True
        self.mixture |= dict.fromkeys(twins.zeros.tolist(), 1)
        self.closed[twins.zeros] = True
        pairs = twins.pairs[~self.closed[twins.pairs[:, 0]]]
        while pairs.size:
            first = pairs[: self.points.d + 20]
            for i in first.ravel():
                self.mixture[int(i)] = self.mixture.get(int(i), 0) + 1
            self._close([int(i) for i in first[:, 0]])
            pairs = pairs[~self.closed[pairs[:, 0]]]
        return bool(twins.zeros.size or twins.pairs.size)

    def _close(self, rows: list[int], first: int | None = None) -> None:
        """Add these rows to the known ones, and find all rows in their span; the `first` few are a basis, if told."""
        together = np.concatenate([self.known, np.array(rows, dtype=np.int64)])
        # A basis that is none modulo the prime is exchanged (2^61 − 1: numbers in powers of two meet it).
        done = first == self.points.d and not self.spread  # then nothing is asked of the basis any more
        if first is not None and (done or rank(self.points.whole(together[:first]).rows) == first):
            self.known = together[:first]
        else:
            self.known = together[independent(self.points.whole(together).rows, self.check_time)[0]]
        if self.known.size == self.points.d:
            self.closed[:] = True
            return
        # The test may call a row spanned that is not, once in 10^9. The check of the certificate would notice.
        in_span = SpanTest(self.points.residues(self.known), self._rng)
        for rows_near in self._near_span():
            self.closed[rows_near] = in_span(self.points.residues(rows_near))
        self.closed[together] = True

    def _near_span(self) -> list[Places]:
        """Open rows that may lie in the span, in blocks."""
        if np.count_nonzero(~self.closed) * self.points.d <= _SMALL:
            places = np.flatnonzero(~self.closed)
        else:
            Q = np.linalg.qr(self.points.unit_rows(self.known).T)[0]
            u = self._rng.normal(size=self.points.d)
            u -= Q @ (Q.T @ u)
            near = [
                first + np.flatnonzero(~self.closed[first:stop] & (np.abs(s) < _NEAR))
                for first, stop, s in self.points.responses(u / np.linalg.norm(u))
            ]
            places = np.concatenate(near)
        return np.array_split(places, 1 + places.size * self.points.d // _SMALL)

    def _spread(self, plane: Places) -> tuple[dict[int, int], int]:
        """(λ, base): a mixture that is positive on every row of the plane, written as base plus few entries."""
        found = vanishing(self.points, plane, np.array(sorted(self.mixture)))
        if found is not None:
            return found.entries, found.base
        total = self._completed({}, plane)
        base = total.pop(_EACH)
        return total, base

    def _completed(self, lam: dict[int, int], each: Places | None = None) -> dict[int, int]:
        """A mixture λ > 0 that vanishes. It has three parts: `lam`, 1 on every row of `each`, and the old mixture.

        The known rows cancel what the first two parts leave. That may make entries negative, so the old mixture is
        added as often as it takes to make all entries positive. The entry `_EACH` is what every row of `each` has.
        """
        known = [int(i) for i in self.known]
        rows = list(dict.fromkeys([*lam, *known]))
        whole = self.points.whole(rows)
        at = dict(zip(rows, whole.rows, strict=True))
        rest = [Fraction(-v) for v in mix(list(lam.values()), [at[i] for i in lam], self.points.d, self.check_time)]
        if each is not None:
            sums = self.points.sums(each)
            rest = [r - s / unit for r, s, unit in zip(rest, sums, whole.units, strict=True)]
        totals = {i: Fraction(v) for i, v in lam.items()}
        if any(rest):
            common = lcm(*(r.denominator for r in rest))
            found = combination([int(r * common) for r in rest], [at[i] for i in known], self.check_time)
            if found is None:
                raise Unfinished("the rows found do not span the others, although floats say so")
            for i, f in zip(known, found[0], strict=True):
                totals[i] = totals.get(i, Fraction(0)) + Fraction(f, found[1] * common)
        # The old mixture is added so often that no entry is negative, and once more so that none is zero.
        needed = [-totals.get(i, Fraction(0)) / m for i, m in self.mixture.items()]
        times = max([Fraction(0), *needed]) + 1
        for i, m in self.mixture.items():
            totals[i] = totals.get(i, Fraction(0)) + times * m
        if each is not None:
            totals[_EACH] = Fraction(1)
        common = lcm(*(f.denominator for f in totals.values()))
        return dict(zip(totals, primitive([int(f * common) for f in totals.values()]), strict=True))

    # -- exact simplex

    def _exactly(self, open_rows: Flags) -> list[int]:
        """The exact simplex method on few rows; rows that its answer has wrong join until there are none.

        Returns separating weights; empty after a mixture has joined.
        """
        k = self.points.d - self.known.size
        refuse_large_table(k)
        known = self.points.whole(self.known)
        directions = [known.weights(v) for v in null_space(known.rows, self.points.d)]
        N: Any = np.array(directions, dtype=object).T
        chosen = np.flatnonzero(open_rows)[: k + 1]
        while True:
            self.check_time()
            m, units = self.points.integers_by_row(chosen)
            u, lam = gordan((m @ N).tolist(), self.check_time)
            if lam is not None:
                # Each row was multiplied by a unit of its own, so λ is divided by it. The quotients are powers of two.
                top = max(units)
                self._join({int(i): v * int(top / unit) for i, v, unit in zip(chosen, lam, units, strict=True) if v})
                return []
            w = primitive([int(v) for v in N @ np.array(u, dtype=object)])
            signs = self.points.signs(w, np.flatnonzero(open_rows))
            violated = np.flatnonzero(open_rows & (signs <= 0))
            if not violated.size:
                return w
            chosen = np.concatenate([chosen, violated[: k + 1]])
