"""Cover's function counting theorem: how many of all 2^P labelings of P points a hyperplane through 0 can realise.

C(P, N) = 2 Σ_{k<N} binom(P − 1, k) for P points in N dimensions in general position; never more in any other position.
"""

from math import log, log1p, log10
from typing import Final

from scipy.special import gammaln

__all__ = ["count", "log10_probability", "probability"]

_EXACT: Final = 20_000  # points up to which whole numbers are fast


def count(P: int, N: int) -> int:
    """C(P, N), exactly.

    >>> count(4, 3), 2**4     # of 16 labelings of four points in the plane (with a bias: N = 3) all but XOR's two
    (14, 16)
    """
    if P < 1 or N < 1:
        raise ValueError(f"Cover's count needs P ≥ 1 points and N ≥ 1 dimensions; got P={P}, N={N}.")
    total = term = 1
    for k in range(1, min(N, P)):  # binom(P − 1, k) from the one before: a long product each time would take seconds
        term = term * (P - k) // k
        total += term
    return 2 * total


def probability(P: int, N: int) -> float:
    """The part of all labelings that is separable, C(P, N)/2^P: one for P ≤ N, one half for P = 2N.

    >>> probability(10, 10), probability(20, 10)
    (1.0, 0.5)
    """
    if P <= _EXACT:
        return float(count(P, N) / 2**P)
    return float(10.0 ** log10_probability(P, N))


def log10_probability(P: int, N: int) -> float:
    """log10 of `probability`, also where that is too small for a float; beyond 20,000 points right to about 9 digits.

    >>> round(log10_probability(208, 61), 3)
    -9.185
    """
    if P <= N:
        return 0.0
    if P <= _EXACT:
        return log10(count(P, N)) - P * log10(2)
    M, k = P - 1, N - 1
    if 2 * k >= M:  # the larger part: one minus the other tail
        return log1p(-(10 ** log10_probability(P, P - N))) / log(10)
    # Σ_{j≤k} binom(M, j) = binom(M, k)·(1 + k/(M−k+1) + …): the terms shrink at least geometrically
    total = term = 1.0
    while k > 0 and term > 1e-18 * total:
        term *= k / (M - k + 1)
        total += term
        k -= 1
    k = N - 1
    leading = gammaln(M + 1) - gammaln(k + 1) - gammaln(M - k + 1) - M * log(2)
    return float((leading + log(total)) / log(10))
