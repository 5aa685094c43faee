"""The fates of a model's coefficients: found and checked as for two classes, then told in the user's units and names.

The engine works in the units of the rows z: a decimal column is multiplied by its power of ten.
"""

from dataclasses import replace

import numpy as np

from rosenblatt.arrays import Places
from rosenblatt.exact.linear import primitive
from rosenblatt.verdicts.certificates import Claim, hold_fates
from rosenblatt.verdicts.existence.proving import Sides
from rosenblatt.verdicts.existence.question import Question
from rosenblatt.verdicts.fates import Coefficient, Fate, Fates, settle
from rosenblatt.verdicts.search import Proof

__all__ = ["coefficients", "hold_coefficients", "settled"]


def settled(claim: Claim, sides: Sides, strict: Places) -> Fates:
    """The fates of all coefficients; `strict` are the rows with z·w > 0. Raises `Unfinished`."""
    points = sides.all
    plane = np.setdiff1d(np.arange(points.n), strict)
    seed = dict.fromkeys([*claim.mixture, *claim.free], 1)
    own = Proof(claim.kind, sides.weights(claim.w) if claim.w else [], seed)
    found = settle(points, own, strict, plane, list(sides.rows.names)).all_settled()
    return Fates(
        found.rows,
        [sides.in_units(v) for v in found.null],
        [_in_units(fate, ten, sides) for fate, ten in zip(found.each, sides.rows.tens, strict=True)],
        [sides.in_units(v) for v in found.open or []] if claim.kind == "quasi" else None,
    )


def _in_units(fate: Fate, ten: int, sides: Sides) -> Fate:
    """The proof Σ μ (z·v) = scale·v_j in the user's units; it was in those of a column times `ten` / one."""
    if fate.kind == "undetermined":
        return Fate(fate.kind, separating=sides.in_units(fate.separating))
    if not fate.strict:
        return fate
    scale, *mu = primitive([fate.scale * sides.rows.one, *(m * ten for m in fate.strict.values())])
    return Fate(fate.kind, dict(zip(fate.strict, mu, strict=True)), scale)


def hold_coefficients(claim: Claim, sides: Sides) -> list[str]:
    """Check the fates that a claim has; returns the kind of each, or none. Raises `checker.DoesNotHold`.

    The claim is in the user's units. It is checked in those of the rows.
    """
    if claim.fates is None:
        return []
    points, fates_claimed, own = sides.all, claim.fates, sides.weights
    engine = Fates(
        fates_claimed.rows,
        [own(v) for v in fates_claimed.null],
        [_in_rows_units(fate, ten, sides) for fate, ten in zip(fates_claimed.each, sides.rows.tens, strict=True)],
        None if fates_claimed.open is None else [own(v) for v in fates_claimed.open],
    )
    return hold_fates(replace(claim, p=points.d, bias=False, w=claim.w and own(claim.w)), engine, points)


def _in_rows_units(fate: Fate, ten: int, sides: Sides) -> Fate:
    """The proof Σ μ (z·v) = scale·v_j in the units of the rows, whose column was multiplied by `ten` / one."""
    separating = sides.weights(fate.separating) if fate.separating else []
    strict = {i: m * sides.rows.one for i, m in fate.strict.items()}
    return replace(fate, scale=fate.scale * ten, strict=strict, separating=separating)


def coefficients(found: Fates, question: Question) -> list[Coefficient]:
    """All coefficients by name, with the caller's numbers of rows.

    One that is not identified also names the fewest others that it can be computed from.
    """
    rows, names = question.sides.rows, question.sides.rows.names
    made = list[Coefficient]()
    own = len(question.columns.weights)  # unknowns of sets come after the model's own weights
    for j, (name, fate) in enumerate(zip(names[:own], found.each[:own], strict=True)):
        places = question.named(rows.row[list(fate.strict)]).tolist() if fate.strict else []
        against = rows.against[list(fate.strict)].tolist() if fate.strict else []
        keys = [(i, k) if question.regression.words.compared else i for i, k in zip(places, against, strict=True)]
        proof = fate.proof() | ({"strict": dict(zip(keys, fate.strict.values(), strict=True))} if fate.strict else {})
        supports = [[k for k, a in enumerate(v) if a and k != j] for v in found.null if v[j]]
        others = min(supports, key=len, default=[])
        made.append(Coefficient(name, fate.kind, proof, others=tuple(names[k] for k in others)))
    return made
