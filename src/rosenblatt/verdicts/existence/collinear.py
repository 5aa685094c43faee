"""ModelColumns of a model that can be computed from others: each relation exactly, on some of the rows."""

from dataclasses import replace

import numpy as np

from rosenblatt.verdicts.existence.equalities import Equalities
from rosenblatt.verdicts.existence.proving import Sides
from rosenblatt.verdicts.existence.rows import ModelRows, Places

__all__ = ["relations"]


def relations(rows: ModelRows, some: Places) -> list[dict[str, int]]:
    """Whole factors v, by the names of weights, with z·v = 0 on these rows; independent, and all others follow.

    One name alone is a column without a value there.
    """
    if not some.size:
        return [{name: 1} for name in rows.names]
    few = {name: getattr(rows, name)[some] for name in ("Z", "equal", "row", "against")}
    sides = Sides(replace(rows, **few))
    found = list[dict[str, int]]()
    for direction in Equalities(sides.all, None).directions(longest=None) or []:
        v = [direction.get(j, 0) for j in range(sides.all.d)]
        if not np.any(sides.all.signs(v)):
            found.append({name: a for name, a in zip(rows.names, sides.in_units(v), strict=True) if a})
    return found
