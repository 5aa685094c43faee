"""What becomes of each coefficient, on a cluster: worked out on few rows, put to all, until no row contradicts it.

If a coefficient is infinite on the chosen rows, it is so whatever other rows there are. The other answers can be wrong
in two ways: a row may lie outside the span of the chosen rows, or on the wrong side of weights that separate without
the coefficient. Such rows join the chosen rows. Every round adds rows, so the rounds end.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.arrays import Places
from rosenblatt.distributed import looking
from rosenblatt.verdicts.fates import Fates, settle
from rosenblatt.verdicts.points import Points
from rosenblatt.verdicts.search import Proof

if TYPE_CHECKING:
    from rosenblatt.distributed.deciding import Rounds

__all__ = ["fates_of_all", "plane_rows"]


def fates_of_all(rounds: "Rounds", proof: Proof, names: list[str]) -> Fates:
    """The fates of all coefficients, proved by the rows that `rounds` has chosen and by rows that join them."""
    while True:
        core = rounds.core()
        plane = plane_rows(proof, core.n, partial(looking.plane_of, core))
        strict = np.setdiff1d(np.arange(core.n), plane)
        chosen = {int(row): at for at, row in enumerate(rounds.chosen)}
        here = replace(proof, mixture={chosen[i]: m for i, m in proof.mixture.items()})
        found = settle(core, here, strict, plane, names).all_settled()
        fresh = _against(rounds, core, proof, found, plane)
        if not fresh.size:
            return found.renamed(rounds.chosen)
        rounds.chosen = np.union1d(rounds.chosen, fresh)


def plane_rows(proof: Proof, n: int, on_plane: Callable[[list[int]], Places]) -> Places:
    """Those of n rows that no weights of the proof's kind have strictly right; `on_plane` finds those of w's plane."""
    if proof.kind == "quasi":
        return on_plane(proof.w)
    return np.arange(0 if proof.kind == "complete" else n)


def _against(rounds: "Rounds", core: Points, proof: Proof, found: Fates, plane: Places) -> Places:
    """Rows that contradict what was found; empty where it holds for all rows."""
    points = rounds.points
    if rounds.chosen.size == points.n:
        return np.empty(0, dtype=np.int64)
    spans: list[tuple[list[int], list[int] | None]] = [(found.rows, None)]
    if proof.kind == "quasi":
        on_plane = set(plane.tolist())
        spans.append(([i for i in found.rows if i in on_plane], proof.w))
    spanning = [(core.residues(np.array(rows, dtype=np.int64)), w) for rows, w in spans]
    fresh = [points.outside_span(rounds.chosen, w, residues, rounds.k) for residues, w in spanning]
    for w in {tuple(one.separating) for one in found.each if one.separating}:
        shards = points.shards
        parts = shards.map(looking.not_strict_with, "checking the proof", w=proof.w, v=list(w), most=rounds.k)
        fresh.append(shards.numbers(parts)[: rounds.k])
    return np.unique(np.concatenate(fresh))
