"""What becomes of each coefficient, on a cluster: worked out on few rows, put to all, until no row contradicts it.

A coefficient that runs away does so on account of rows that are among the chosen: that holds whatever other rows there
are. Of the rest there are two ways to be wrong. Rows may lie outside the span of the chosen: they join. And weights
that separate without a coefficient may have some row wrong: it joins, too. Every round adds rows, so it ends.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt.distributed import looking
from rosenblatt.distributed.pointsets import Places, PointSet
from rosenblatt.verdicts.fates import Fates
from rosenblatt.verdicts.points import Points
from rosenblatt.verdicts.search import Proof
from rosenblatt.verdicts.settling import fates

__all__ = ["fates_of_all"]


def fates_of_all(rounds: Any, proof: Proof, names: list[str]) -> Fates:
    """The fates of all coefficients, by the rows that `rounds` has chosen for the proof and those that join them."""
    while True:
        core = rounds.core()
        strict, plane = _partition(core, proof)
        chosen = {int(row): at for at, row in enumerate(rounds.chosen)}
        here = replace(proof, mixture={chosen[i]: m for i, m in proof.mixture.items()})
        found = fates(core, here, strict, plane, names, rounds.deadline)
        fresh = _against(rounds, core, proof, found, plane)
        if not fresh.size:
            return found.renamed(rounds.chosen)
        rounds.chosen = np.union1d(rounds.chosen, fresh)


def _partition(core: Points, proof: Proof) -> tuple[Places, Places]:
    """Rows of the core that are strict, and those on the plane."""
    none, everything = np.empty(0, dtype=np.int64), np.arange(core.n)
    if proof.kind == "quasi":
        signs = core.signs(proof.w)
        return np.flatnonzero(signs), np.flatnonzero(signs == 0)
    return (everything, none) if proof.kind == "complete" else (none, everything)


def _against(rounds: Any, core: Points, proof: Proof, found: Fates, plane: Places) -> Places:
    """Rows that contradict what was found; none where it holds for all."""
    points: PointSet = rounds.points
    if rounds.chosen.size == points.n:
        return np.empty(0, dtype=np.int64)
    spans: list[tuple[list[int], list[int] | None]] = [(found.rows, None)]
    if proof.kind == "quasi":
        on_plane = set(plane.tolist())
        spans.append(([i for i in found.rows if i in on_plane], proof.w))
    fresh = [
        points.outside_span(rounds.chosen, w, core.exact(np.array(rows, dtype=np.int64)), rounds.k) for rows, w in spans
    ]
    for w in {tuple(one.separating) for one in found.each if one.separating}:
        parts = points.ask_each(looking.not_strict_with, "checking the proof", w=proof.w, v=list(w), most=rounds.k)
        fresh.append(np.concatenate([points.shards.number(s, one) for s, one in enumerate(parts)])[: rounds.k])
    return np.unique(np.concatenate(fresh))
