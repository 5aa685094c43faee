"""All comparisons of a model, one by one; and which v they allow, by looking at each."""

from itertools import product

import numpy as np


def conditional(cases, sets):
    """(case, other) of every set."""
    n = range(len(cases))
    return [(i, j) for i, j in product(n, n) if cases[i] and not cases[j] and sets[i] == sets[j]]


def cox(time, event, entry, strata, ties):
    """(event, at risk) pairs, and pairs of tied events that must be equal."""
    n = range(len(time))
    pairs, equal = [], []
    for i, j in product(n, n):
        at_risk = strata[i] == strata[j] and time[j] >= time[i] and (entry is None or entry[j] < time[i])
        if i == j or not event[i] or not at_risk:
            continue
        if event[j] and time[j] == time[i]:
            equal += [(i, j)] * (ties != "exact")
        else:
            pairs.append((i, j))
    return pairs, equal


def directions(p, largest):
    """All v of whole numbers up to the largest: among them a point of each ray in which planes of the data meet.

    Two such planes with entries up to 2 meet in a vector of entries up to 2 (p = 2), or 8 (p = 3, a cross product).
    """
    return np.array(list(product(range(-largest, largest + 1), repeat=p)))


class Allowed:
    """The v of a list that satisfy the rows of a `ModelRows` with some unknowns, and which rows some v make strict.

    Beyond the first `p` columns a row has at most one unknown: it bounds that from above (−1), or from below (+1).
    """

    def __init__(self, rows, p, V):
        Z = rows.Z.toarray() if hasattr(rows.Z, "toarray") else rows.Z
        assert not rows.low
        responses = V @ Z[:, :p].T
        shares = Z[:, p:]
        assert (np.abs(shares).sum(axis=1) <= 1).all()
        room = responses.copy()  # z·v where u is as good for z as the other rows let it be
        for u in range(shares.shape[1]):
            above, below = np.flatnonzero(shares[:, u] < 0), np.flatnonzero(shares[:, u] > 0)
            room[:, above] = responses[:, above] + responses[:, below].min(axis=1, keepdims=True)
            room[:, below] = responses[:, below] + responses[:, above].min(axis=1, keepdims=True)
        fine = np.where(rows.equal, room == 0, room >= 0)
        self.which = fine.all(axis=1)
        self.strict = (room[self.which] > 0).any(axis=0) & ~rows.equal
        self.inequalities = ~rows.equal

    @property
    def kind(self):
        """complete: all inequalities can be strict (so all at once can, by a sum); overlap: none; quasi: some."""
        return kind_of(self.strict[self.inequalities])


def kind_of(strict):
    """The verdict by which inequalities some v makes strict; None where there is none at all."""
    if not strict.size:
        return None
    return "complete" if strict.all() else "quasi" if strict.any() else "overlap"


def naive(X, V, pairs, equal=()):
    """Which v have x_i·v ≥ x_j·v for all pairs, and the verdict."""
    responses = V @ X.T
    differences = np.array([responses[:, i] - responses[:, j] for i, j in pairs]).reshape(len(pairs), len(V))
    fine = (differences >= 0).all(axis=0)
    for i, j in equal:
        fine &= responses[:, i] == responses[:, j]
    return fine, kind_of((differences[:, fine] > 0).any(axis=1))
