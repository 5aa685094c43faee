"""Cover's function counting theorem: how many of all 2^P labelings of P points a hyperplane through 0 can realise.

C(P, N) = 2 Σ_{k<N} binom(P − 1, k) for P points in N dimensions in general position. In any other position there are at
most as many.

Probabilities and logarithms are computed in whole numbers and rounded once, at the end. FLINT gives the largest
binomial coefficient of the sum (beyond 100,000 points its first hundred bits). The whole sum, as a multiple of that
coefficient, is computed to 2^-200.

References
----------
Cover (1965), Geometrical and statistical properties of systems of linear inequalities with applications in pattern
recognition, IEEE Transactions on Electronic Computers EC-14, theorem 1.
"""

from math import floor, ldexp, log, log1p, log10
from typing import Final

__all__ = ["chance_in_words", "count", "log10_count", "log10_probability", "probability"]

_BITS: Final = 200  # of the fixed-point sum: each of its terms, about 14·√P at most, is wrong by less than one bit
_MOST: Final = 10**14  # points for which that sum takes seconds, where half of all labelings are near
_WORK: Final = 10**11  # bits that an exact count may add up: ten seconds
_LENGTH: Final = 10**9  # bits of an exact count: 125 MB
_LONG: Final = 100_000  # beyond so many points, binomial coefficients are not written out in full
_POWERS: Final = 6  # from 1 in 10^6 on, a chance is written as a power of ten
_EASE: Final = 1e-9  # allowance for rounding: 1 in 100, computed in floats, must not become 1 in 99


def count(P: int, N: int) -> int:
    """C(P, N), exactly.

    >>> count(4, 3), 2**4     # of 16 labelings of four points in the plane (with a bias: N = 3) all but XOR's two
    (14, 16)
    """
    P, N = _points_and_dimensions(P, N)
    bits = P if 2 * N > P else log10_count(P, N) / log10(2)
    if max(1, min(N, P - N)) * bits > _WORK or bits > _LENGTH:
        raise ValueError(f"C(P, N) of P={P} and N={N} is too long to be written out: log10_count gives its logarithm.")
    if P <= N:
        return 1 << P
    if 2 * N > P:  # binom(M, k) = binom(M, M − k): the rest of the sum is shorter
        return (1 << P) - count(P, P - N)
    total = term = 1
    for k in range(1, N):
        term = term * (P - k) // k
        total += term
    return 2 * total


def probability(P: int, N: int) -> float:
    """The part of all labelings that is separable, C(P, N)/2^P: one for P ≤ N, one half for P = 2N.

    >>> probability(10, 10), probability(20, 10)
    (1.0, 0.5)
    """
    P, N = _points_and_dimensions(P, N)
    if 2 * N > P:
        return 1.0 - probability(P, P - N) if P > N else 1.0
    mantissa, exponent = _share(P, N)
    return ldexp(mantissa, exponent)


def log10_probability(P: int, N: int) -> float:
    """log10 of `probability`, also where that is too small for a float; right to 12 digits and more.

    >>> log10_probability(208, 61)
    -9.18...
    >>> log10_probability(10**7, 10**5)
    -2767092.97...
    """
    P, N = _points_and_dimensions(P, N)
    if P <= N:
        return 0.0
    if 2 * N > P:
        return log1p(-probability(P, P - N)) / log(10) + 0.0
    mantissa, exponent = _share(P, N)
    return log10(mantissa) + exponent * log10(2)


def log10_count(P: int, N: int) -> float:
    """log10 of C(P, N) itself.

    >>> log10_count(100, 5), len(str(count(100, 5)))
    (6.89..., 7)
    """
    P, N = _points_and_dimensions(P, N)
    if 2 * N > P:
        return log10_probability(P, N) + P * log10(2)
    mantissa, exponent = _share(P, N)
    return log10(mantissa) + (exponent + P) * log10(2)


def chance_in_words(log10_chance: float) -> str:
    """A chance in words, rounded up in its second digit so that "at most" stays true: 41 %, 1 in 250, 1 in 10^12.

    >>> [chance_in_words(log10(chance)) for chance in (1, 0.4, 0.0401, 0.01, 0.0039, 3e-5, 3e-12)]
    ['100 %', '40 %', '4.1 %', '1 in 100', '1 in 250', '1 in 33,000', '1 in 10^11']
    """
    digits = -log10_chance
    if digits < 2:
        percent = 10 ** (2 - digits)
        step = 1 if percent >= 10 else 0.1
        return f"{-floor(-percent / step + _EASE) * step:.3g} %"
    if digits >= _POWERS:
        return f"1 in 10^{floor(digits + _EASE):,}"
    unit = 10 ** (floor(digits + _EASE) - 1)
    return f"1 in {floor(10**digits / unit + _EASE) * unit:,}"


def _share(P: int, N: int) -> tuple[float, int]:
    """C(P, N)/2^P for 2N ≤ P as m · 2^e with 1 ≤ m ≤ 2.

    Σ_{j≤k} binom(M, j) = binom(M, k)·(1 + k/(M−k+1) + …): each factor is below one, so the terms fall off quickly.
    """
    M, k = P - 1, N - 1
    if M > _MOST and 100 * k > 99 * (M - k):
        raise ValueError(f"C(P, N) for more than 10^14 points and N near P/2 is out of reach: P={P}, N={N}.")
    total = term = 1 << _BITS
    while k > 0 and term:
        term = term * k // (M - k + 1)
        total += term
        k -= 1
    largest, unit = _binomial(M, N - 1)
    sum_of_all = largest * total
    length = sum_of_all.bit_length() - 1
    return (sum_of_all >> max(0, length - 64)) / (1 << min(length, 64)), length + unit - _BITS + 1 - P


def _binomial(M: int, k: int) -> tuple[int, int]:
    """binom(M, k) as m · 2^e: exactly; or its first hundred bits, where it has very many.

    Those bits come from log Γ in ball arithmetic, which knows how many of its digits are right.
    """
    from flint import arb, ctx, fmpz

    if M > _LONG:
        with ctx.workprec(192 + M.bit_length()):
            log2 = (arb(M + 1).lgamma() - arb(k + 1).lgamma() - arb(M - k + 1).lgamma()) / arb(2).log()
            unit = int(str(log2.mid().floor().unique_fmpz())) - 100
            leading = arb(2) ** (log2 - unit)
            whole = leading.mid().floor().unique_fmpz()
            if leading.rel_accuracy_bits() > 80 and whole is not None:
                return int(whole), unit
    return int(fmpz.bin_uiui(M, k)), 0


def _points_and_dimensions(P: int, N: int) -> tuple[int, int]:
    for name, value in (("P", P), ("N", N)):
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise TypeError(f"{name} counts something and must be a whole number; got {value!r}.")
        if int(value) > 10**300:
            raise ValueError(f"{name} goes up to 10^300 here; got a number of {len(str(int(value)))} digits.")
    if P < 1 or N < 1:
        raise ValueError(f"Cover's count needs P ≥ 1 points and N ≥ 1 dimensions; got P={P}, N={N}.")
    return int(P), int(N)
