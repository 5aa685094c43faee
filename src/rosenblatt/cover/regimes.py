"""Capacity: how many points N weights can be expected to tell apart, and what happens below, at and far above it.

Cover's counts, which `rosenblatt.counting` has, are called by their names in `rosenblatt.cover` too.
"""

from math import lgamma, log

from rosenblatt.counting import chance_in_words, count, log10_count, log10_probability, probability

__all__ = ["capacity", "count", "log10_count", "log10_limit", "log10_probability", "probability", "regime"]


def capacity(N: int) -> int:
    """2N. Exactly half of all labelings of so many points in general position are separable. N counts the bias.

    >>> capacity(11), probability(capacity(11), 11)
    (22, 0.5)
    """
    if isinstance(N, bool) or not hasattr(N, "__index__") or N < 1:
        raise ValueError(f"capacity needs N ≥ 1 weights, a whole number; got N={N!r}.")
    return 2 * int(N)


def log10_limit(P: int, N: int) -> float:
    """log10 of 2·P^(N−1)/(N−1)!, which C(P, N) approaches when P is much larger than 2N: it grows like a power of P.

    >>> from rosenblatt.counting import log10_count
    >>> round(log10_limit(10**6, 4), 5), round(log10_count(10**6, 4), 5)
    (17.52288, 17.52288)
    """
    if P < 1 or N < 1:
        raise ValueError(f"log10_limit needs P ≥ 1 points and N ≥ 1 weights; got P={P}, N={N}.")
    return (log(2) + (N - 1) * log(P) - lgamma(N)) / log(10)


def regime(P: int, N: int) -> str:
    """Which of Cover's three regimes P points and N weights are in, in a sentence.

    >>> print(regime(10, 11))
    P ≤ N: every labeling of points in general position is separable.
    >>> print(regime(22, 11))
    P = 2N, the capacity: exactly half of all labelings of points in general position are separable.
    >>> print(regime(208, 61))
    P = 3.41·N, above the capacity of 2N: the chance of a labeling to be separable is at most 1 in 10^9, and less with
    more points.
    """
    log10_chance = log10_probability(P, N)  # refuses what counts nothing
    if P <= N:
        return "P ≤ N: every labeling of points in general position is separable."
    if P < 2 * N:
        rest = probability(P, P - N)
        share = f"all but {100 * rest:.2g} % of" if rest > 1e-12 else "practically all"
        return (
            f"P = {P / N:.3g}·N, below the capacity of 2N: {share} labelings of points in general position are "
            f"separable."
        )
    if P == 2 * N:
        return "P = 2N, the capacity: exactly half of all labelings of points in general position are separable."
    return (
        f"P = {P / N:.3g}·N, above the capacity of 2N: the chance of a labeling to be separable is at most "
        f"{chance_in_words(log10_chance)}, and less with more points."
    )
