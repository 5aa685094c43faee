"""What becomes of each coefficient of a logistic regression, proved: see `fates` for the kinds and their proofs.

The directions to which rows do not respond come from one exact solve each (`span`). Coefficients that they do not
settle are asked of floats (`cone`), and the suggestion is made exact: a tilted w by rounding it to an open direction
with w_j = 0, a combination of rows by one exact solve. Where a suggestion is wrong, the exact simplex method answers.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

import numpy as np

from rosenblatt.arrays import Floats, Places
from rosenblatt.context import Unfinished
from rosenblatt.exact import farkas, mix, primitive
from rosenblatt.verdicts.checker import LONGEST_FILE
from rosenblatt.verdicts.fates.combining import OpenDirections, Responses, by_shared_basis
from rosenblatt.verdicts.fates.fates import Fate, Fates
from rosenblatt.verdicts.fates.span import Span, span
from rosenblatt.verdicts.points import Points
from rosenblatt.verdicts.search import Proof, combine_surely, refuse_large_table

__all__ = ["settle"]

_EXACT_AT_ONCE = 40  # weights up to which exact combinations take less than 0.1 s


def settle(
    points: Points, proof: Proof, strict: Places, plane: Places, names: list[str], floats: bool = False
) -> Fates:
    """What becomes of all coefficients; `strict` and `plane` are the rows of the verdict.

    With `floats`, many that run away may be proved by verified floats (`Fates.by_floats`).
    Where a limit is hit, coefficients that are not settled by then are open, and `reason` names them. Raises
    `Unfinished` where none is settled.
    """
    try:
        seed = np.array(sorted(proof.mixture), dtype=np.int64)
        on_plane = span(points, plane, seed) if plane.size else None
        everything = on_plane
        if everything is None or strict.size:
            everything = span(points, strict, known=None if on_plane is None else on_plane.rows)
    except Unfinished as why:
        raise Unfinished(f"{why}; no coefficient is worked out") from None
    floats = floats and on_plane is None and points.d > _EXACT_AT_ONCE
    settling = _Settling(points, proof.w, strict, on_plane, everything, floats)
    settling.known += [[int(v, 16) for v in one["w"]] for one in proof.because]
    each = settling.all()
    missing = [name for name, one in zip([*names, "(1)"], each, strict=False) if one is None]
    shown = ", ".join(missing[:8]) + (" …" if len(missing) > 8 else "")
    because = "; ".join(settling.reasons)
    reason = f"{because}; {len(missing)} of {points.d} coefficients are open: {shown}" if missing else ""
    if missing and len(missing) == points.d:
        raise Unfinished(reason)
    opened = on_plane.open if on_plane and strict.size else None
    found = Fates(everything.rows.tolist(), everything.open, [one or Fate("open") for one in each], opened, reason)
    if found.digits > LONGEST_FILE:
        raise Unfinished(f"the proofs of all {points.d} coefficients are too long to write down")
    return found


@dataclass
class _Settling(OpenDirections):
    """Settles the coefficients; `everything` is the span of all rows."""

    everything: Span
    floats: bool  # whether verified floats are proof enough
    reasons: dict[str, None] = field(default_factory=dict)  # why some coefficients are not settled, each reason once
    known: list[list[int]] = field(
        default_factory=list
    )  # weights that have no row wrong: each settles many coefficients
    _strict: dict[int, bool] = field(default_factory=dict)  # which of them have every strict row strictly right

    def all(self) -> list[Fate | None]:
        """Every coefficient's fate; None where it is not settled: `reasons` say why."""
        found = [self._by_directions(j) for j in range(self.points.d)]
        found = [one or self._by_known(j) for j, one in enumerate(found)]
        groups = _proportional({j: self.at(j) for j, one in enumerate(found) if one is None})
        settled = self._by_one_row(groups) if groups else {}
        order = [j for j in self.cone.hardest_first(groups) if j not in settled] if groups else []
        suggested = {j: self._unless_late(self._suggested, j) for j in order}
        tilted = {j: one for j, one in suggested.items() if isinstance(one, list)}
        combined = {j: one for j, one in suggested.items() if isinstance(one, np.ndarray)}
        settled |= self._tilted_exactly(tilted) | self._combined_exactly(combined)
        for j, group in groups.items():
            fate = settled.get(j)
            for k, factor in group.items():
                found[k] = fate and _scaled(fate, factor)
        return found

    def _by_one_row(self, places: Iterable[int]) -> dict[int, Fate | None]:
        """Fates of coefficients of which a single strict row is a multiple, where that holds exactly."""
        found = {j: row for j in places if self.w[j] and (row := self.cone.along(j, self.sign(j))).size}
        rows = np.unique(np.concatenate([self.strict[:1], *found.values()]))
        responses = self._unless_late(Responses, self, rows) if found else None
        fates = {j: responses.alone(j, row) for j, row in found.items()} if responses else {}
        return {j: fate for j, fate in fates.items() if fate is not None}

    def _tilted_exactly(self, tilted: dict[int, list[int]]) -> dict[int, Fate | None]:
        """Fates of coefficients that should be undetermined, with the weights that should separate without each."""
        good = self.points.strict_with(self.w, list(tilted.values())) if tilted else np.empty(0, dtype=bool)
        return {
            j: Fate("undetermined", separating=w) if separates else self._unless_late(self.exactly, j)
            for (j, w), separates in zip(tilted.items(), good, strict=True)
        }

    def _combined_exactly(self, combined: dict[int, Places]) -> dict[int, Fate | None]:
        """Fates of coefficients that should be combinations of strict rows."""
        if self.floats:
            sure = {j: self._surely(j, rows) for j, rows in combined.items()}
            rest = {j: rows for j, rows in combined.items() if sure[j] is None}
            self.floats = False
            return sure | self._combined_exactly(rest)
        rows_used = np.unique(np.concatenate([self.strict[:1], *combined.values()]))
        responses = self._unless_late(Responses, self, rows_used) if combined else None
        if responses is None:
            return {}
        found: dict[int, Fate] = self._unless_late(by_shared_basis, responses, combined) or {}
        others = {j: rows for j, rows in combined.items() if j not in found}
        return found | {j: self._unless_late(self._alone, responses, j, others[j]) for j in others}

    def _surely(self, j: int, rows: Places) -> Fate | None:
        """The fate of a coefficient to which these rows combine, as verified floats show; None where they do not."""
        c = np.zeros(self.points.d)
        c[j] = self.sign(j)
        sure = combine_surely(self.points, np.sort(rows), c)
        return Fate("+inf" if c[j] > 0 else "-inf", dict.fromkeys(np.sort(rows).tolist(), 0)) if sure else None

    def _alone(self, responses: Responses, j: int, rows: Places) -> Fate:
        """The fate of a coefficient to which these rows should combine; where they do not, by the exact simplex."""
        found = responses.alone(j, rows)
        return self.exactly(j) if found is None else found

    def _by_directions(self, j: int) -> Fate | None:
        """The fate that the open directions settle; None where they do not settle it."""
        if any(v[j] for v in self.everything.open):
            return Fate("not identified")
        return Fate("finite") if self.plane is not None and not any(v[j] for v in self.plane.open) else None

    def _by_known(self, j: int) -> Fate | None:
        """The fate by weights that have no row wrong: where they have another sign at j, a sum of w and them has 0."""
        if self.w and not self.w[j]:
            return Fate("undetermined", separating=self.w)
        for at, v in enumerate(self.known):
            if v[j] * self.w[j] < 0:
                return Fate("undetermined", separating=self._between_both(j, v))
            if not v[j] and self._all_strict(at):
                return Fate("undetermined", separating=v)
        return None

    def _all_strict(self, at: int) -> bool:
        """Whether these known weights have every strict row strictly right, and the plane's rows on the plane."""
        if at not in self._strict:
            signs = self.points.signs(self.known[at])
            on_plane = np.setdiff1d(np.arange(self.points.n), self.strict)
            self._strict[at] = bool(np.all(signs[self.strict] > 0) and not signs[on_plane].any())
        return self._strict[at]

    def _unless_late(self, do: Callable[..., Any], *arguments: object) -> Any:
        """do(*arguments); None where a limit is hit, with the reason noted."""
        try:
            self.between()
            return do(*arguments)
        except Unfinished as why:
            self.reasons[str(why)] = None
            return None

    def _suggested(self, j: int) -> list[int] | Places:
        """Weights (a list) that should separate with w_j = 0, or strict rows (an array) that should combine to w_j."""
        direction, rows = self.cone.ask(j, self.sign(j))
        return rows if direction is None else self._tilted(j, direction)

    # -- separating weights with w_j = 0

    def _tilted(self, j: int, u: Floats) -> list[int]:
        """w moved along u until w_j = 0, rounded to whole numbers in an open direction."""
        w = self.cone.w
        tilted = w * abs(u[j]) + u * abs(w[j])
        tilted[j] = 0.0
        return self._open(j, self.points.whole_weights(tilted))

    def _open(self, j: int, w: list[int]) -> list[int]:
        """The open direction with w's weights in the free columns; one of these changes so that w_j = 0."""
        if self.plane is None:
            return primitive(w)
        parts = self._few_values
        common = lcm(*(v[f] for f, v in parts))
        factors = [w[f] * common // v[f] for f, v in parts]
        there = [k for k, (_, v) in enumerate(parts) if j in v]
        total = sum(factors[k] * parts[k][1][j] for k in there)
        if total:
            change = max(there, key=lambda k: abs(Fraction(parts[k][1][j], parts[k][1][parts[k][0]])))
            pivot = parts[change][1][j]
            factors = [a * pivot for a in factors]
            factors[change] -= total
        out = [0] * len(w)
        for factor, (_, v) in zip(factors, parts, strict=True):
            for i, a in v.items():
                out[i] += factor * a
        return primitive(out)

    @cached_property
    def _few_values(self) -> list[tuple[int, dict[int, int]]]:
        """Free columns, each with its open direction as {column: number} without zeros: factors have many zeros."""
        assert self.plane is not None
        directions = [{i: a for i, a in enumerate(v) if a} for v in self.plane.open]
        return list(zip(self.plane.free, directions, strict=True))

    # -- what floats cannot see

    def exactly(self, j: int) -> Fate:
        """The fate by the exact simplex on few rows; rows that its answer has wrong join until there are none."""
        c = [self.sign(j) * v for v in self.at(j)]
        refuse_large_table(len(c))
        known = self._by_known(j)
        if known is not None:
            return known
        chosen = self.strict[: len(c) + 1]
        while True:
            self.between()
            responses = Responses(self, chosen)
            u, mu = farkas(list(responses.of.values()), c, self.between)
            if mu is not None:
                common = lcm(*(int(m.q) for m in mu))
                factors = [int(m.p) * (common // int(m.q)) for m in mu]
                return responses.fate(j, chosen, factors, common)
            assert u is not None
            v = u if self.plane is None else mix(u, self.plane.open, self.points.d)
            wrong = self.strict[self.points.signs(v, self.strict)[self.strict] < 0]
            if not wrong.size:
                self.known.append(v)
                return Fate("undetermined", separating=self._between_both(j, v))
            chosen = np.concatenate([chosen, wrong[: len(c) + 1]])

    def _between_both(self, j: int, v: list[int]) -> list[int]:
        """The sum of multiples of w and v with w_j = 0; v has no row wrong, and v_j has the other sign."""
        return primitive([abs(v[j]) * a + abs(self.w[j]) * b for a, b in zip(self.w, v, strict=True)])


def _proportional(at: dict[int, list[int]]) -> dict[int, dict[int, Fraction]]:
    """Groups of coefficients whose coordinates are multiples of one another: {first: {member: factor}}.

    One proof serves a group. All levels of a factor are such a group where only its reference level is open.
    """
    groups: dict[tuple[int, ...], dict[int, Fraction]] = {}
    for j, c in at.items():
        first = next(v for v in c if v)
        along = primitive(c)
        group = groups.setdefault(tuple(along if first > 0 else [-v for v in along]), {})
        group[j] = Fraction(first, next(v for v in at[next(iter(group), j)] if v))
    return {next(iter(group)): group for group in groups.values()}


def _scaled(fate: Fate, factor: Fraction) -> Fate:
    """The fate of a coefficient whose coordinates are `factor` times those of the coefficient with this fate."""
    if not fate.strict:
        return fate
    times = abs(factor.numerator)
    scale, *mu = primitive([fate.scale * factor.denominator, *(m * times for m in fate.strict.values())])
    kind = fate.kind if factor > 0 else {"+inf": "-inf", "-inf": "+inf"}[fate.kind]
    return Fate(kind, dict(zip(fate.strict, mu, strict=True)), scale)
