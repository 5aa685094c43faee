"""Regions of hyperplanes through 0, counted by deletion and restriction, modulo the prime 2^61 − 1.

Given are the normal vectors v_0 … v_{m−1} of m different hyperplanes. Add one hyperplane after the other. Those before
hyperplane i divide it into parts, and each part cuts one region in two, so

    regions(v_0 … v_{m−1}) = 1 + Σ_i regions(v_0 … v_{i−1} restricted to hyperplane i),

where the restriction has one dimension less, and hyperplanes that coincide there count once. In two dimensions m lines
make 2m regions.

Let h be the normal of hyperplane i, scaled so that its first number other than zero, h_k, is one. Then the restriction
of v is v − v_k·h without coordinate k. All that matters is which vectors are proportional. Vectors that are independent
modulo a prime are independent. The converse holds where all numbers are smaller than the prime, which the caller has to
know, or where no dependence was found at all.

The walk over all chains of restrictions keeps its whole state in arrays, so that it can stop after any number of steps.
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arrays import Integers
from rosenblatt.kernels.compile import helper_inlined, kernel, kernel_inlined

__all__ = ["DONE", "FOUND", "GOING", "PRIME", "Walk", "new_walk", "walk_regions"]

PRIME = (1 << 61) - 1
GOING, DONE, FOUND = 0, 1, 2

_P = PRIME
_LOW31 = (1 << 31) - 1
_LOW30 = (1 << 30) - 1


class Walk(NamedTuple):
    """Where a walk is. Level l has l restrictions; `places` says to which vector of each level the next one goes."""

    vectors: Any  # (levels, m, r), int64 in 0 … PRIME − 1; the first number other than zero is one
    sizes: Any  # (levels,)
    places: Any  # (levels,)
    origins: Any  # (levels, m): the vector's number at level 0
    inverses: Any  # (m,) leading numbers, then their inverses
    products: Any  # (m,) products of the leading numbers before each
    slots: Any  # (4m or more, a power of two): hash table of vectors at the level being filled
    stamps: Any  # the same: which filling an entry belongs to
    state: Any  # level, fillings so far
    dependent: Any  # (r,) numbers of vectors found dependent, −1 where unused


def new_walk(vectors: Integers) -> Walk:
    """A walk over m different hyperplanes in r ≥ 3 dimensions; `vectors` normalised modulo the prime."""
    m, r = vectors.shape
    levels = r - 1
    slots = 1 << max(3, (4 * m).bit_length())
    walk = Walk(
        np.zeros((levels, m, r), dtype=np.int64),
        np.zeros(levels, dtype=np.int64),
        np.zeros(levels, dtype=np.int64),
        np.zeros((levels, m), dtype=np.int64),
        np.zeros(m, dtype=np.int64),
        np.zeros(m, dtype=np.int64),
        np.zeros(slots, dtype=np.int64),
        np.zeros(slots, dtype=np.int64),
        np.zeros(2, dtype=np.int64),
        np.full(r, -1, dtype=np.int64),
    )
    walk.vectors[0] = vectors
    walk.sizes[0] = m
    walk.origins[0] = np.arange(m)
    return walk


@kernel
def walk_regions(walk, steps, stop_at_dependence):
    """Make at most `steps` restrictions; returns the status and the regions counted, without the 1 of the formula."""
    r = walk.vectors.shape[2]
    level = walk.state[0]
    total = 0
    for _ in range(steps):
        while walk.places[level] == walk.sizes[level]:
            level -= 1
            if level < 0:
                return DONE, total
            walk.places[level] += 1
        i = walk.places[level]
        kept = _restrict(walk, level, i, r - level)
        if stop_at_dependence and kept < i:
            return FOUND, total
        if r - level - 1 == 2:
            total += 2 * kept if kept else 1
            walk.places[level] += 1
        else:
            total += 1
            level += 1
            walk.sizes[level] = kept
            walk.places[level] = 0
        walk.state[0] = level
    return GOING, total


@kernel_inlined
def _times(a, b):
    """a·b modulo 2^61 − 1. In halves of 31 bits, every product fits into int64."""
    a1, a0 = a >> 31, a & _LOW31
    b1, b0 = b >> 31, b & _LOW31
    middle = a1 * b0 + a0 * b1
    low = a0 * b0
    total = 2 * a1 * b1 + (middle >> 30) + ((middle & _LOW30) << 31) + (low & _P) + (low >> 61)
    total = (total & _P) + (total >> 61)
    return total - _P if total >= _P else total


@kernel_inlined
def _inverse(a):
    """1/a = a^(p − 2) (Fermat); all 61 bits of p − 2 = 2^61 − 3 are ones, except the second."""
    power = a
    result = a
    for bit in range(1, 61):
        power = _times(power, power)
        if bit != 1:
            result = _times(result, power)
    return result


@helper_inlined
def _restrict(walk, level, i, width):
    """Restrict vectors 0 … i − 1 of a level to hyperplane i: they fill the next level. Returns how many differ."""
    here, there = walk.vectors[level], walk.vectors[level + 1]
    h = here[i]
    k = 0
    while h[k] == 0:
        k += 1
    product = 1
    for j in range(i):
        v, out = here[j], there[j]
        factor = _P - v[k]
        lead = 0
        for c in range(k):  # h is zero there
            out[c] = v[c]
            if lead == 0:
                lead = v[c]
        for c in range(k + 1, width):
            entry = v[c] + _times(factor, h[c])
            entry = entry - _P if entry >= _P else entry
            out[c - 1] = entry
            if lead == 0:
                lead = entry
        walk.inverses[j] = lead
        walk.products[j] = product
        product = _times(product, lead)
    # Montgomery's trick: one inversion for all leading numbers
    inverse = _inverse(product)
    for j in range(i - 1, -1, -1):
        lead = walk.inverses[j]
        walk.inverses[j] = _times(inverse, walk.products[j])
        inverse = _times(inverse, lead)
    return _keep_different(walk, level, i, width - 1)


@helper_inlined
def _keep_different(walk, level, count, width):
    """Scale each vector of the next level so that it begins with one, and drop those seen before."""
    there = walk.vectors[level + 1]
    walk.state[1] += 1
    filling = walk.state[1]
    mask = walk.slots.size - 1
    kept = 0
    for j in range(count):
        scale = walk.inverses[j]
        out = there[kept]
        mixed = 0
        for c in range(width):
            out[c] = _times(scale, there[j, c])
            mixed = (mixed ^ out[c]) * 0x2545F4914F6CDD1D
        slot = (mixed >> 40) & mask
        new = True
        while walk.stamps[slot] == filling:
            other = walk.slots[slot]
            new = False
            for c in range(width):
                if there[other, c] != out[c]:
                    new = True
                    break
            if not new:
                break
            slot = (slot + 1) & mask
        if new:
            walk.stamps[slot] = filling
            walk.slots[slot] = kept
            walk.origins[level + 1, kept] = walk.origins[level, j]
            kept += 1
        elif walk.dependent[0] < 0:  # the first dependence: the hyperplanes restricted to, and these two
            for above in range(level + 1):
                walk.dependent[above] = walk.origins[above, walk.places[above]]
            walk.dependent[level + 1] = walk.origins[level + 1, walk.slots[slot]]
            walk.dependent[level + 2] = walk.origins[level, j]
    return kept
