"""ModelColumns of a model that can be computed from others: each relation exactly, on some of the rows."""

import numpy as np

from rosenblatt.verdicts.existence.equalities import Equalities
from rosenblatt.verdicts.existence.proving import Sides, points_of
from rosenblatt.verdicts.existence.rows import ModelRows, Places

__all__ = ["relations"]


def relations(rows: ModelRows, some: Places) -> list[dict[str, int]]:
    """Whole factors v, by the names of weights, with z·v = 0 on these rows; independent, and all others follow.

    One name alone is a column without a value there.
    """
    if not some.size:
        return [{name: 1} for name in rows.names]
    sides = Sides(
        ModelRows(rows.Z[some], rows.equal[some], rows.row[some], rows.against[some], rows.names, rows.tens, rows.low)
    )
    Z = sides.with_ties()
    points, found = points_of(Z), list[dict[str, int]]()
    for direction in Equalities(Z, None).directions(longest=None) or []:
        v = [direction.get(j, 0) for j in range(Z.shape[1])]
        if not np.any(points.signs(v)):
            found.append({name: a for name, a in zip(rows.names, sides.in_units(v), strict=True) if a})
    return found
