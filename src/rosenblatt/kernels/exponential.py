"""e^v, log(1 + e) and the logistic function, with the same bits on every platform: a library's last bit varies."""

from math import factorial, log, sqrt

import numpy as np

from rosenblatt.kernels.compile import helper_inlined, kernel, kernel_inlined
from rosenblatt.kernels.instructions import as_float

__all__ = ["exponential", "log_one_plus", "logistic", "logistic_all"]

_INVERSE_FACTORIALS = tuple(1.0 / factorial(k) for k in range(14))
_ODD = tuple(2.0 / (2 * k + 1) for k in range(12))
_LN_2, _ROOT_OF_2 = log(2.0), sqrt(2.0)


@helper_inlined
def exponential(v):
    """e^v for −708 ≤ v ≤ 709.

    e^v = e^r · 2^turns with |r| ≤ ln 2/2, and e^r by its series (Cody and Waite 1980). The error is about one unit in
    the last place.
    """
    turns = np.floor(v * 1.4426950408889634 + 0.5)
    r = (v - turns * 0.693145751953125) - turns * 1.4286068203094172e-06
    # Σ r^k/k! to k = 13, in pairs, fours and eights: a loop that waits for e^v waits for the longest chain (Estrin)
    c, r2 = _INVERSE_FACTORIALS, r * r
    r4 = r2 * r2
    low = ((c[0] + c[1] * r) + (c[2] + c[3] * r) * r2) + ((c[4] + c[5] * r) + (c[6] + c[7] * r) * r2) * r4
    high = ((c[8] + c[9] * r) + (c[10] + c[11] * r) * r2) + (c[12] + c[13] * r) * r4
    return (low + high * (r4 * r4)) * _power_of_two(np.int64(turns))


@helper_inlined
def log_one_plus(e):
    """log(1 + e) for 0 ≤ e ≤ 1, without a branch.

    It is 2·artanh(e/(2 + e)); where 1 + e > √2, log 2 and that of (1 + e)/2, whose sum is far from 0. The error is a
    few units in the last place.
    """
    beyond = e > _ROOT_OF_2 - 1.0
    t = (e - 1.0 if beyond else e) / (e + 3.0 if beyond else e + 2.0)
    c, t2 = _ODD, t * t
    t4 = t2 * t2
    t8 = t4 * t4
    low = ((c[1] + c[2] * t2) + (c[3] + c[4] * t2) * t4) + ((c[5] + c[6] * t2) + (c[7] + c[8] * t2) * t4) * t8
    tail = low + ((c[9] + c[10] * t2) + c[11] * t4) * (t8 * t8)
    value = 2.0 * t + t * t2 * tail
    return value + _LN_2 if beyond else value


@helper_inlined
def _power_of_two(exponent):
    """2^exponent from its bits, −1022 ≤ exponent ≤ 1023."""
    return as_float(np.uint64(exponent + 1023) << np.uint64(52))


@kernel_inlined
def logistic(v):
    """σ(v) = 1/(1 + e^−v); the error is about one unit in the last place."""
    if v >= 40.0:
        return 1.0
    if v <= -700.0:
        return 0.0
    return 1.0 / (1.0 + exponential(-v))


@kernel
def logistic_all(scores, out):
    """out[i] = σ(scores[i])."""
    for i in range(scores.size):
        out[i] = logistic(scores[i])
