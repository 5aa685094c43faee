"""What becomes of a model's coefficients: found and checked as for two classes, and told in the user's units and names.

The engine has the units of the rows: a decimal column is multiplied by its power of ten, and a low part has a column.
"""

from dataclasses import replace

import numpy as np

from rosenblatt.arrays import Places
from rosenblatt.exact.linear import primitive
from rosenblatt.verdicts.claim import Claim
from rosenblatt.verdicts.coefficients import Coefficient
from rosenblatt.verdicts.existence.proving import Sides
from rosenblatt.verdicts.existence.question import Question
from rosenblatt.verdicts.fates import Fate, Fates
from rosenblatt.verdicts.holding import hold_fates
from rosenblatt.verdicts.search import Proof
from rosenblatt.verdicts.settling import fates

__all__ = ["coefficients", "hold_coefficients", "settled"]


def settled(claim: Claim, sides: Sides, strict: Places, deadline: float | None) -> Fates:
    """The fates of all coefficients; `strict` are the rows that w has strict. Raises `Unfinished`."""
    points, n = sides.all, len(sides.rows.row)
    plane = np.setdiff1d(np.arange(points.n), strict)
    seed = dict.fromkeys([*claim.mixture, *claim.free], 1)
    own = Proof(claim.kind, sides.weights(claim.w) if claim.w else [], seed)
    found = fates(points, own, strict, plane, [*sides.rows.names, *["low part"] * len(sides.rows.low)], deadline)
    return Fates(
        [i for i in found.rows if i < n],
        [sides.in_units(v) for v in found.null],
        [_in_units(one, ten, sides) for one, ten in zip(found.each[: sides.d], sides.rows.tens, strict=True)],
        [sides.in_units(v) for v in found.open or []] if claim.kind == "quasi" else None,
    )


def _in_units(one: Fate, ten: int, sides: Sides) -> Fate:
    """Σ μ (z·v) = scale·v_j, where v_j was in the unit of a column times `ten`."""
    if one.kind == "undetermined":
        return Fate(one.kind, separating=sides.in_units(one.separating))
    if not one.strict:
        return one
    scale, *mu = primitive([one.scale, *(m * ten for m in one.strict.values())])
    return Fate(one.kind, dict(zip(one.strict, mu, strict=True)), scale)


def hold_coefficients(claim: Claim, sides: Sides) -> list[str]:
    """Every coefficient's kind, proved; none where the claim says nothing of them. Raises `checker.DoesNotHold`.

    What is said in the user's units is checked in those of the rows, among which are the ties of low parts.
    """
    if claim.fates is None:
        return []
    points, told, own = sides.all, claim.fates, sides.weights
    opened = told.open
    if claim.kind == "complete" and sides.rows.low:  # ties leave open what the user's weights can be
        opened = [[int(i == j) for i in range(sides.d)] for j in range(sides.d)]
    engine = Fates(
        [*range(len(sides.rows.row), points.n), *told.rows],
        [own(v) for v in told.null],
        [_in_rows_units(one, ten, sides) for one, ten in zip(told.each, sides.rows.tens, strict=True)],
        None if opened is None else [own(v) for v in opened],
    )
    return hold_fates(replace(claim, p=points.d, bias=False, w=claim.w and own(claim.w)), engine, points)


def _in_rows_units(one: Fate, ten: int, sides: Sides) -> Fate:
    """Σ μ (z·v) = scale·v_j, for z and v in the units of the rows: the column was multiplied by `ten`."""
    separating = sides.weights(one.separating) if one.separating else []
    return replace(one, scale=one.scale * ten, separating=separating)


def coefficients(found: Fates, question: Question) -> list[Coefficient]:
    """All coefficients by name, with the caller's rows; not identified ones with the fewest that theirs depend on."""
    rows, names = question.sides.rows, question.sides.rows.names
    told = list[Coefficient]()
    own = len(question.columns.weights)  # unknowns of sets come after the model's own weights
    for j, (name, one) in enumerate(zip(names[:own], found.each[:own], strict=True)):
        places = question.named(rows.row[list(one.strict)]).tolist() if one.strict else []
        against = rows.against[list(one.strict)].tolist() if one.strict else []
        keys = [(i, k) if question.family.pairs else i for i, k in zip(places, against, strict=True)]
        proof = one.proof() | ({"strict": dict(zip(keys, one.strict.values(), strict=True))} if one.strict else {})
        supports = [[k for k, a in enumerate(v) if a and k != j] for v in found.null if v[j]]
        others = min(supports, key=len, default=[])
        told.append(Coefficient(name, one.kind, proof, others=tuple(names[k] for k in others)))
    return told
