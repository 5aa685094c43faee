"""Verdicts on rows in blocks, wherever they are: constraint generation with exact answers.

The process that asks decides a few chosen rows exactly, with the search of one machine. Its answer is then checked on
all rows, each where it is. Rows that contradict the answer join the chosen rows for the next round.

    complete   w separates the chosen rows: no row may have z·w ≤ 0
    quasi      w and a vanishing mixture: no row may have z·w < 0, and those with z·w = 0 must lie in the mixture's span
    overlap    a vanishing mixture: every row must lie in its span, as they all do where it has d independent rows

Every round adds rows, so the rounds end. They end when the claim holds for all rows, and so does the proof.

What becomes of each coefficient is worked out on the chosen rows too, and put to all, until no row contradicts it.
If a coefficient is infinite on the chosen rows, it is so whatever other rows there are. The other answers can be wrong
in two ways: a row may lie outside the span of the chosen rows, or on the wrong side of weights that separate without
the coefficient. Such rows join the chosen rows, and the question is asked again.
"""

from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Any, cast

import numpy as np

from rosenblatt.arrays import Places
from rosenblatt.context import Context, Unfinished
from rosenblatt.verdicts.certificates import Certificate
from rosenblatt.verdicts.decision import margin_facts, no_margins, rows_by_side
from rosenblatt.verdicts.fates import Coefficient, Fates, coefficients_of, reasons, settle
from rosenblatt.verdicts.margins import Margin, Unproved, both_margins, widest_margin
from rosenblatt.verdicts.points import Points
from rosenblatt.verdicts.rounds.hashing import begin_digest
from rosenblatt.verdicts.rounds.point_set import GivenRows, PointSet
from rosenblatt.verdicts.search import Moved, Proof, Search, centred, in_own_units, prove_on_clear_columns
from rosenblatt.verdicts.verdict import hyperplane_of
from rosenblatt.verdicts.words import Worth

__all__ = ["ByRounds", "Rounds"]


_SAMPLE, _SAMPLE_EACH = 2000, 8  # rows chosen to begin with: 2,000, and 8 more for each weight
_MARGIN_ROUNDS = 40  # in which the margin may still grow
_EASE = Fraction(1, 10**12)  # relative: a row that is nearer by less than this is not worth another round


class ByRounds:
    """The question whether a hyperplane tells two classes apart, whose rows are in shards."""

    def __init__(self, given: GivenRows, margin: bool, numbers: str, context: Context) -> None:
        self.given, self.margin, self.numbers, self.context = given, margin, numbers, context
        self.points = points = given.by_the_rule(numbers)
        self._digest = begin_digest(points.shards, points.readings, "csr" if points.sparse else "dense")
        self._rounds = Rounds(points, context)
        points.shards.context.deadline = context.deadline  # for the search: a proof that is found is checked to its end

    @property
    def n(self) -> int:
        """How many rows have a weight above zero."""
        return self.points.n

    def prove(self) -> Proof:
        """The proof of all rows."""
        return self._rounds.decide()

    def parts(self, proof: Proof) -> dict[str, Places]:
        """Rows on the hyperplane, and off it."""
        return rows_by_side(proof, self.points)

    def measured(self, proof: Proof, parts: dict[str, Places]) -> dict[str, Any]:
        """Margins, and why the classes are separable, where rows are few enough to be listed."""
        facts = self._rounds.margins(proof) if self.margin and proof.kind == "complete" else {}
        because = reasons(self.points, proof, self.margin) if self.points.listed else []
        proof.because = [one.entry() for one in because]
        return facts | {"because": tuple(replace(one, strict=self.points.given(one.strict)) for one in because)}

    def fates(self, proof: Proof, parts: dict[str, Places], context: Context, floats: bool) -> Fates:
        """What becomes of all coefficients."""
        return self._rounds.fates(proof)

    def entry(self, found: Fates) -> dict[str, Any]:
        """The fates; rows by their numbers among those of positive weight."""
        return found.entry()

    def coefficients(self, found: Fates) -> list[Coefficient]:
        """All coefficients, the bias last."""
        return coefficients_of(found, self.points.names, row=self._number)

    def unchanged(self, head: dict[str, Any]) -> bool:
        """Whether the hash of all shards is the same."""
        return self._digest() == str(head["data_sha256"])

    def certificate(self, proof: Proof) -> Certificate:
        """The certificate, which describes the columns that texts became."""
        self.points.shards.context.deadline = None
        made = Certificate.of(proof, cast(Any, self.points), self._digest(), self.points.classes, self.points.names)
        return made if self.given.encoding is None else made.about(self.given.encoding)

    def confirm(self, certificate: Certificate) -> None:
        """Check it on all rows: what found the proof is not trusted."""
        certificate.check(self.points)

    def told(self, proof: Proof, parts: dict[str, Places], began: float) -> dict[str, Any]:
        """Rows by the caller's numbers, and what the verdict is worth."""
        points = self.points
        return {
            "hyperplane": hyperplane_of(proof, points.bias),
            "rows": {name: points.given(some) for name, some in parts.items()},
            "witness": {self._number(i): m for i, m in sorted(proof.witness.items())} or None,
            "cover": Worth.of(points.n, points.positive, points.n, points.d, points.bias),
            "readings": points.columns_read(),
        }

    def left(self, why: Unfinished) -> dict[str, Any]:
        """How the columns were read."""
        self.points.shards.context.deadline = None
        return {"readings": self.points.columns_read()}

    def _number(self, row: int) -> int:
        return int(self.points.given(np.array([row]))[0])


class Core(Points):
    """The chosen rows. `beyond` is Σ z over the other rows on the plane; sums over the plane include it."""

    beyond: list[Fraction] | None = None

    def move(self) -> tuple["Core", list[Moved]]:
        """The same with columns that floats see better, and the steps to it; exact for all rows, chosen or not.

        Columns in units of their own are taken in these, then columns far from zero are moved there.
        """
        core, steps = self, list[Moved]()
        for step in (in_own_units, centred):
            found = step(core)
            if found is None:
                continue
            moved, how = found
            moved.beyond = core.beyond and how.sums(core.beyond)
            core = moved
            steps.append(how)
        return core, steps

    def sums(self, rows: Places) -> list[Fraction]:
        """Σ z over these rows and those beyond."""
        inside = super().sums(rows)
        return inside if self.beyond is None else [a + b for a, b in zip(inside, self.beyond, strict=True)]


class Rounds:
    """The rounds of one verdict."""

    def __init__(self, points: PointSet, context: Context) -> None:
        self.points, self.context = points, context
        self.k = 2 * points.d + 10  # rows that join in a round
        size = min(points.n, _SAMPLE + _SAMPLE_EACH * points.d)
        self.chosen = np.unique(np.linspace(0, points.n - 1, size).astype(np.int64))

    def decide(self) -> Proof:
        """A proof for all rows."""
        while True:
            core = self.core()
            if self.chosen.size == self.points.n:
                return self._numbered(prove_on_clear_columns(core))
            search, proof = self._search(core)
            if proof.kind == "complete":
                fresh = self._against_complete(core, proof)
                if not fresh.size:
                    return proof
            elif proof.kind == "overlap" and not proof.base:
                return self._numbered(proof)
            else:
                fresh = self._against_mixture(core, search, proof.w or None)
                if not fresh.size:
                    core.beyond = self.points.sums_beyond(self.chosen, proof.w or None)
                    return self._numbered(self._search(core)[1])
            self.chosen = np.union1d(self.chosen, fresh)

    def core(self) -> Core:
        """The chosen rows."""
        return Core(*self.points.take(self.chosen), self.points.bias, self.context)

    def _search(self, core: Core) -> tuple[Search, Proof]:
        """Decide the chosen rows, on columns that floats see better; a mixture is the same there."""
        moved, steps = core.move()
        search = Search(moved)
        proof = search.prove()
        for step in reversed(steps):
            proof.w = step.weights(proof.w) if proof.w else proof.w
        return search, proof

    def _against_complete(self, core: Core, proof: Proof) -> Places:
        """Rows on or behind the plane. The plane of the theorem's margin is taken: it leaves few such rows."""
        if core.metric:
            with suppress(Unproved):
                proof.w = widest_margin(core, proof.w, False).w
        seen = self.points.look(proof.w, self.k)
        return seen.rows[seen.signs <= 0]

    def _against_mixture(self, core: Core, search: Search, w: list[int] | None) -> Places:
        """Rows behind the plane, or on it and not spanned by the known ones."""
        if w is not None:
            seen = self.points.look(w, self.k)
            if seen.wrong:
                return seen.rows[seen.signs < 0]
        return self.points.outside_span(self.chosen, w, core.residues(search.known), self.k)

    def margins(self, proof: Proof) -> dict[str, Any]:
        """The facts about both margins of all rows."""
        if not self.points.metric:
            return no_margins(self.points.bias)
        two_classes = 0 < self.points.positive < self.points.n
        found = both_margins(self._widest, proof.w, self.points.bias, two_classes)
        w = proof.w if found.theorem is None else found.theorem.w
        _, lowest, longest = self.points.extremes(w)
        return margin_facts(proof, found, lowest, longest, self.points)

    def _widest(self, w: list[int], street: bool, guess: Places) -> Margin:
        """A margin of all rows: find that of the chosen rows, add rows that are nearer, and repeat until none is."""
        best: Margin | None = None
        for _ in range(_MARGIN_ROUNDS):
            try:
                touching = np.flatnonzero(np.isin(self.chosen, guess))
                found = widest_margin(self.core(), w, street, touching)
            except Unproved:
                if best is None:
                    raise
                break
            seen = found.of_all(self.points.extremes(found.w)[0])
            if best is None or seen.lower > best.lower:
                best = seen
            best = replace(best, upper=seen.upper, mixture={int(self.chosen[i]): m for i, m in seen.mixture.items()})
            guess = np.array(list(best.mixture))
            fresh = np.setdiff1d(self.points.below(found.w, found.delta * (1 - _EASE), self.k), self.chosen)
            if not fresh.size or self.context.left == 0.0:
                break
            self.chosen = np.union1d(self.chosen, fresh)
        if best is None or best.delta <= 0:
            raise Unproved("the rounds are over in which rows were fetched for it")
        return best

    def _numbered(self, proof: Proof) -> Proof:
        """The proof with row numbers of the whole."""
        mixture, witness = ({int(self.chosen[i]): m for i, m in one.items()} for one in (proof.mixture, proof.witness))
        return replace(proof, mixture=mixture, witness=witness)

    def fates(self, proof: Proof) -> Fates:
        """The fates of all coefficients, proved by the chosen rows and by rows that join them."""
        while True:
            core = self.core()
            chosen = {int(row): at for at, row in enumerate(self.chosen)}
            here = replace(proof, mixture={chosen[i]: m for i, m in proof.mixture.items()})
            parts = rows_by_side(here, core)
            found = settle(core, here, parts["strict"], parts["plane"], self.points.names).all_settled()
            fresh = self._against_fates(core, proof, found, parts["plane"])
            if not fresh.size:
                return found.renamed(self.chosen)
            self.chosen = np.union1d(self.chosen, fresh)

    def _against_fates(self, core: Points, proof: Proof, found: Fates, plane: Places) -> Places:
        """Rows that contradict what was found; empty where it holds for all rows."""
        points = self.points
        if self.chosen.size == points.n:
            return np.empty(0, dtype=np.int64)
        spans: list[tuple[list[int], list[int] | None]] = [(found.rows, None)]
        if proof.kind == "quasi":
            on_plane = set(plane.tolist())
            spans.append(([i for i in found.rows if i in on_plane], proof.w))
        spanning = [(core.residues(np.array(rows, dtype=np.int64)), w) for rows, w in spans]
        fresh = [points.outside_span(self.chosen, w, residues, self.k) for residues, w in spanning]
        separating = {tuple(one.separating) for one in found.each if one.separating}
        fresh += [points.not_strict_with(proof.w, list(w), self.k) for w in separating]
        return np.unique(np.concatenate(fresh))
