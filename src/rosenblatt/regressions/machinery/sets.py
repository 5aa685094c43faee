"""Sets of rows, some above and some below: x_a·v ≥ x_b·v for each row a above and each row b below.

A set with one row above, or one below, becomes the list of its pairs. Any other set gets an unknown u of its own, with
x_a·v ≥ u ≥ x_b·v: one row z for each member instead of one for each pair. The same v are allowed, as u can be the
smallest x_a·v. A pair is strict for some v exactly where one of its two members is strict for some v and u.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.arrays import Matrix, Places
from rosenblatt.regressions.machinery.rows import Low, ModelRows, Names, Values, differences, signed

__all__ = ["Members", "Pairs", "between", "pairs_of", "silent"]


class Members(NamedTuple):
    """The rows on one side (above or below) of all sets; a row may belong to many sets."""

    sets: Places
    rows: Places


class Pairs(NamedTuple):
    """Pairs of rows, each for one z = x_left − x_right."""

    left: Places
    right: Places


def between(
    values: Values, above: Members, below: Members, names: Names, equal: Pairs | None = None, unknown: str = ""
) -> ModelRows:
    """The rows z of sets, which are numbered from 0; a set with no row on one side says nothing.

    `equal` are pairs with x_left·v = x_right·v. The key of a pair is its two rows. The key of a member i of a set with
    an unknown is i alone. Where a row may be a member of several sets N, `unknown` is what they are called, and the key
    is "i against n + 2N" above and "i against n + 2N + 1" below, with n the number of the caller's rows.
    """
    equal = equal or Pairs(*(np.zeros(0, dtype=np.int64),) * 2)
    many = 1 + max(above.sets.max(initial=-1), below.sets.max(initial=-1))
    over, under = (np.bincount(side.sets, minlength=many) for side in (above, below))
    pairs = _pairs_of_sets(above, below, over, under)
    left, right = (np.concatenate(both) for both in zip(equal, pairs, strict=True))
    Z, low = differences(values, left, right)
    large = (over > 1) & (under > 1)
    split, unknown_of = np.flatnonzero(large), np.cumsum(large) - 1
    up, down = (Members(side.sets[large[side.sets]], side.rows[large[side.sets]]) for side in (above, below))
    sides = Members(*(np.concatenate(both) for both in zip(up, down, strict=True)))
    signs = np.repeat([1, -1], [len(up.rows), len(down.rows)])
    if split.size:
        Z = _with_unknowns(Z, values.X, sides.rows, signs, unknown_of[sides.sets], split.size)
        low = _low_joined(low, values.low, len(left), sides.rows, signs)
    against = values.X.shape[0] + 2 * sides.sets + (signs < 0) if unknown else np.full(len(signs), -1, dtype=np.int64)
    return ModelRows(
        Z,
        np.arange(Z.shape[0]) < len(equal.left),
        np.concatenate([left, sides.rows]),
        np.concatenate([right, against]),
        names + tuple(f"{unknown or 'threshold of set'} {s}" for s in split.tolist()),
        values.tens + (values.one,) * split.size,
        low,
        values.one,
    )


def _pairs_of_sets(above: Members, below: Members, over: Places, under: Places) -> Pairs:
    """All pairs of the sets with one row above, then of the sets with several rows above and one below."""
    only_above, only_below = np.zeros_like(over), np.zeros_like(under)
    only_above[above.sets], only_below[below.sets] = above.rows, below.rows
    fan = over[below.sets] == 1
    funnel = (under[above.sets] == 1) & (over[above.sets] > 1)
    return Pairs(
        np.concatenate([only_above[below.sets[fan]], above.rows[funnel]]),
        np.concatenate([below.rows[fan], only_below[above.sets[funnel]]]),
    )


def _with_unknowns(pairs: Matrix, X: Matrix, rows: Places, signs: Places, unknowns: Places, many: int) -> Any:
    """The rows z of pairs, then ±(x, −u) for members of sets with an unknown; columns: X, unknowns."""
    places = np.arange(len(rows))
    shares = sp.csr_array((-signs.astype(np.float64), (places, unknowns)), shape=(len(rows), many))
    top = sp.hstack([sp.csr_array(pairs), sp.csr_array((pairs.shape[0], many))])
    return sp.csr_array(sp.vstack([top, sp.hstack([signed(sp.csr_array(X[rows]), signs), shares])]))


def _low_joined(pairs: Low | None, values: Low | None, many: int, rows: Places, signs: Places) -> Low | None:
    """The low parts of `many` pairs, then those of members."""

    def among(low: Low, above: int, below: int) -> Low:
        nothing = (sp.csr_array((size, len(low.owner))) for size in (above, below))
        return Low(sp.csr_array(sp.vstack([next(nothing), sp.csr_array(low.values), next(nothing)])), low.owner)

    of_pairs = pairs and among(pairs, 0, len(rows))
    of_members = values and among(values.signed(rows, signs), many, 0)
    return Low.joined([of_pairs, of_members])


def pairs_of(made: ModelRows, p: int) -> Pairs:
    """For each z that `between` made from p columns, a pair of the caller's rows that it is about: above, below.

    The z of a member beside an unknown is about many pairs: the other row is then the first on the other side. Where
    such a z is strict, all its pairs are.
    """
    left, right = made.row.copy(), made.against.copy()
    if len(made.names) == p:
        return Pairs(left, right)
    shares = sp.coo_array(sp.csr_array(made.Z)[:, p : len(made.names)])
    z, unknown, above = shares.row, shares.col, shares.data < 0
    first = np.zeros((2, len(made.names) - p), dtype=np.int64)  # the first row of each set: below, above
    for side in (0, 1):
        at = np.flatnonzero(above == side)[::-1]
        first[side, unknown[at]] = made.row[z[at]]
    left[z], right[z] = (np.where(above == side, made.row[z], first[side][unknown]) for side in (1, 0))
    return Pairs(left, right)


def silent(made: ModelRows, p: int) -> bool:
    """Whether no comparison depends on one of p coefficients, so that the likelihood is constant.

    Then every z is 0 where it has no unknown, and all rows beside the same unknown are equal. Without coefficients
    there is nothing to say.
    """
    if len(made.names) == p:
        return p > 0 and not np.any(made.Z.data if sp.issparse(made.Z) else made.Z)  # then low parts are 0 too
    Z = sp.csr_array(made.Z)
    shares = sp.coo_array(Z[:, p : len(made.names)])
    own = sp.csr_array(sp.hstack([Z[:, :p], *([made.low.values] if made.low else [])]))
    x = sp.csr_array(sp.diags_array(-shares.data) @ own[shares.row])  # ±(x, −u) without the sign
    _, first, place = np.unique(shares.col, return_index=True, return_inverse=True)
    pairs = own[np.setdiff1d(np.arange(Z.shape[0]), shares.row)]
    return p > 0 and not pairs.count_nonzero() and not (x - x[first[place]]).count_nonzero()
