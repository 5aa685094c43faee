"""Hyperplanes in weight space. Each point x is one, w·(x, 1) = 0; each region between them is a separable dichotomy.

Regions are counted by deletion and restriction: hyperplane i cuts as many regions in two as there are regions between
the earlier hyperplanes' traces on it (see `kernels/arrangements.py`). Three ways, each exact:

1. all minors are smaller than the kernel's prime (Hadamard's inequality): the kernel's count is right;
2. the kernel finds no dependence: the points are in general position, and Cover's theorem has the number;
3. otherwise the same count in whole numbers of any length.
"""

from collections.abc import Iterator
from math import comb, prod
from operator import mul
from typing import Any

import numpy as np
from flint import fmpz_mat

from rosenblatt.arrays import Integers
from rosenblatt.counting import count
from rosenblatt.exact import primitive, rank

__all__ = ["cells", "circuit", "dot", "first_dependence", "normal", "regions"]

Vector = tuple[int, ...]

_WORK = 1 << 22  # numbers that one compiled call looks at: some hundredths of a second
_MOST = 10**11  # more restrictions are refused: they would take longer than a day
_MOST_LONG = 10**9  # the same with long numbers


def regions(hyperplanes: list[Vector]) -> int:
    """How many regions these hyperplanes through 0, all different, cut the space into.

    >>> regions([(1, 0), (0, 1), (1, 1)])
    6
    """
    if not hyperplanes:
        return 1
    hyperplanes = _full_rank(hyperplanes)
    m, r = len(hyperplanes), len(hyperplanes[0])
    if m == r:
        return 1 << m
    if r <= 2:
        return 2 * m
    _affordable(m, r, _MOST)
    if _minors_below(hyperplanes, r):
        return _walked(_modulo(hyperplanes), seek=False)[0]  # counted modulo the prime
    if _dependent_modulo(hyperplanes) is None:
        return count(m, r)
    _affordable(m, r, _MOST_LONG)
    return _count_long(hyperplanes)


def first_dependence(hyperplanes: list[Vector]) -> list[int] | None:
    """A smallest dependent set of these hyperplanes, by number: at most r of them, r their rank. None if there is none.

    Smallest means that without any one of them the others are independent.
    """
    reduced = _full_rank(hyperplanes)
    m, r = len(reduced), len(reduced[0])
    if r <= 2 or m == r:
        return None  # different hyperplanes are independent two by two
    _affordable(m, r, _MOST)
    dependent = _dependent_modulo(reduced)
    if dependent is not None and rank([list(reduced[i]) for i in dependent]) == len(dependent):  # by the prime alone
        _affordable(m, r, _MOST_LONG)
        dependent = _dependent_long(reduced)
    return None if dependent is None else circuit(reduced, dependent)


def circuit(vectors: list[Vector], dependent: list[int]) -> list[int]:
    """Leave out of these dependent vectors, given by number, every one without which the rest are still dependent."""
    kept = sorted(dependent)
    for i in dependent:
        rest = [j for j in kept if j != i]
        if rank([list(vectors[j]) for j in rest]) < len(rest):
            kept = rest
    return kept


def _full_rank(vectors: list[Vector]) -> list[Vector]:
    """The vectors with as many coordinates as their rank; the other coordinates depend on these and are left out."""
    reduced, _, r = fmpz_mat([list(v) for v in vectors]).rref()
    if r == len(vectors[0]):
        return vectors
    pivots = [next(j for j in range(len(vectors[0])) if reduced[i, j] != 0) for i in range(r)]
    return [normal(tuple(v[j] for j in pivots)) for v in vectors]


def normal(vector: tuple[int, ...]) -> tuple[int, ...]:
    """The shortest whole-numbered vector along this line whose first number other than zero is positive."""
    lead = next(v for v in vector if v)
    return tuple(primitive([v if lead > 0 else -v for v in vector]))


def _affordable(m: int, r: int, most: int) -> None:
    steps = comb(m, r - 2)
    if steps > most:
        raise ValueError(
            f"{m} points with {r} weights would take about 10^{len(str(steps)) - 1} steps, which is out of reach; "
            f"cover.count({m}, {r}) is the number in general position and an upper bound for any other."
        )


# ------------------------------------------------------------------------------------------- modulo the kernel's prime


def _minors_below(vectors: list[Vector], r: int) -> bool:
    """Whether every minor is smaller than the prime, by Hadamard's inequality on the longest rows."""
    from rosenblatt.kernels.arrangements import PRIME

    squares = sorted((sum(v * v for v in vector) for vector in vectors), reverse=True)
    return prod(squares[:r]) < PRIME**2


def _modulo(vectors: list[Vector]) -> Any:
    """The vectors modulo the prime, each scaled to begin with one; None if two of them become equal or one vanishes."""
    from rosenblatt.kernels.arrangements import PRIME

    scaled = []
    for vector in vectors:
        lead = next((v % PRIME for v in vector if v % PRIME), None)
        if lead is None:
            return None
        inverse = pow(lead, -1, PRIME)
        scaled.append(tuple(v * inverse % PRIME for v in vector))
    return None if len(set(scaled)) < len(scaled) else np.array(scaled, dtype=np.int64)


def _dependent_modulo(vectors: list[Vector]) -> list[int] | None:
    """At most r vectors, by number, that are dependent modulo the prime. None: no r vectors are dependent at all.

    An empty list: modulo the prime two vectors are equal, or one is zero, so the prime tells nothing.
    """
    scaled = _modulo(vectors)
    return [] if scaled is None else _walked(scaled, seek=True)[1]


def _walked(scaled: Integers, seek: bool) -> tuple[int, list[int] | None]:
    """(regions, dependent vectors by number or None); with `seek` it stops at the first dependence."""
    from rosenblatt.kernels.arrangements import FOUND, GOING, new_walk, walk_regions

    steps = max(1, _WORK // scaled.size)  # restrictions a compiled call may make
    walk, status, total = new_walk(scaled), GOING, 1
    while status == GOING:
        status, counted = walk_regions(walk, steps, seek)
        total += int(counted)
    return total, [int(i) for i in walk.dependent if i >= 0] if status == FOUND else None


# --------------------------------------------------------------------------------------------- numbers of any length


def _restricted(vectors: list[Vector], i: int) -> list[Vector]:
    """Where hyperplanes 0 … i − 1 meet hyperplane i, as hyperplanes within it; some may coincide there."""
    h = vectors[i]
    k = _solved_for(h)
    others = [c for c in range(len(h)) if c != k]
    return [normal(tuple(h[k] * v[c] - v[k] * h[c] for c in others)) for v in vectors[:i]]


def _solved_for(h: Vector) -> int:
    """The coordinate to solve for: the smallest number keeps the others short."""
    return min((c for c in range(len(h)) if h[c]), key=lambda c: abs(h[c]))


def _count_long(vectors: list[Vector]) -> int:
    if not vectors:
        return 1
    if len(vectors[0]) == 2:
        return 2 * len(vectors)
    return 1 + sum(_count_long(list(dict.fromkeys(_restricted(vectors, i)))) for i in range(len(vectors)))


def _dependent_long(vectors: list[Vector]) -> list[int] | None:
    """`_dependent_modulo` without the prime: in whole numbers of any length."""
    if len(vectors) < 3 or len(vectors[0]) <= 2:
        return None
    for i in range(len(vectors)):
        within = _restricted(vectors, i)
        first: dict[Vector, int] = {}
        for j, v in enumerate(within):
            if first.setdefault(v, j) != j:
                return [first[v], j, i]
        deeper = _dependent_long(within)
        if deeper is not None:
            return [*deeper, i]
    return None


# ---------------------------------------------------------------------------------------------------------- one by one


def cells(hyperplanes: list[Vector], r: int) -> Iterator[Vector]:
    """A whole-numbered vector inside every region of these hyperplanes, all different, in r dimensions.

    `_cut_by` knows which regions of the first i hyperplanes hyperplane i cuts in two. A region that is cut
    has a vector on the cut: pushed to either side, it is a vector of each half. A region that is not cut keeps its own.

    >>> list(cells([(1, 0), (0, 1)], 2))
    [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    """
    cuts = [_cut_by(hyperplanes, i, r) for i in range(len(hyperplanes))]
    waiting = [(0, 0, tuple(int(c == 0) for c in range(r)))]  # hyperplanes so far, the vector's signs on them, vector
    while waiting:
        i, signs, w = waiting.pop()
        if i == len(hyperplanes):
            yield w
            continue
        h = hyperplanes[i]
        if signs in cuts[i]:
            above, below = _pushed(cuts[i][signs], h, hyperplanes[:i])
            waiting += [(i + 1, signs, below), (i + 1, signs | 1 << i, above)]
        else:
            waiting.append((i + 1, signs | (dot(h, w) > 0) << i, w))


def _cut_by(hyperplanes: list[Vector], i: int, r: int) -> dict[int, Vector]:
    """Signs of the regions of hyperplanes 0 … i − 1 that hyperplane i cuts, with a vector on each cut."""
    h = hyperplanes[i]
    if r == 1:
        return {0: (0,)}
    k = _solved_for(h)
    cuts = {}
    for inside in cells(list(dict.fromkeys(_restricted(hyperplanes, i))), r - 1):
        others = iter(inside)
        spread = [0 if c == k else next(others) for c in range(r)]
        u = tuple(-dot(h, tuple(spread)) if c == k else h[k] * spread[c] for c in range(r))
        cuts[sum((dot(v, u) > 0) << j for j, v in enumerate(hyperplanes[:i]))] = u
    return cuts


def _pushed(u: Vector, h: Vector, before: list[Vector]) -> tuple[Vector, Vector]:
    """u, which lies on hyperplane h, moved to either side of it, by so little that no other sign changes."""
    far = 1 + max((abs(dot(v, h)) // abs(dot(v, u)) for v in before), default=0)
    above = primitive([far * a + b for a, b in zip(u, h, strict=True)])
    below = primitive([far * a - b for a, b in zip(u, h, strict=True)])
    return tuple(above), tuple(below)


def dot(a: Vector, b: Vector) -> int:
    """a · b."""
    return sum(map(mul, a, b))
