"""Regressors, real or complex, and what filters do with one.

The regressor of sample n is `taps` neighbouring values of a flat array, from `first + n·stride` on. A matrix of sensors
has stride = taps. A signal is stored backwards and has stride −1, so that u(n), u(n−1), … are neighbours too. So a
signal and its delay line give the same numbers in the same order, and the same bits. The array also holds the values
before the first sample.

**The order of summation is part of the contract.** Real taps are summed as dense rows are (`lanes.py`): LMS makes the
corrections of `Adaline`, bit for bit. Complex taps are summed in four lanes. Sums are float64 whatever the signal is.
"""

import numpy as np
from numba import types
from numba.extending import overload

from rosenblatt.kernels.compile import INLINE
from rosenblatt.kernels.lanes import add_eight, lane_dot

__all__ = ["abs_sq", "axpy", "conj", "dot", "inner", "norm_sq", "sgn"]

# Positions are unsigned: Numba looks at the sign of any other index, in case it counts from the end.
_U = np.uint64


def conj(z):
    """The complex conjugate; a real number as it is."""


@overload(conj, jit_options=INLINE)
def _conj(z):
    return (lambda z: z.conjugate()) if isinstance(z, types.Complex) else (lambda z: z)


def sgn(z):
    """−1, 0 or 1; of a complex number, those of its real and its imaginary part."""


@overload(sgn, jit_options=INLINE)
def _sgn(z):
    if isinstance(z, types.Complex):
        return lambda z: complex(np.sign(z.real), np.sign(z.imag))
    return lambda z: np.sign(z)


def abs_sq(z):
    """|z|²."""


@overload(abs_sq, jit_options=INLINE)
def _abs_sq(z):
    return (lambda z: z.real * z.real + z.imag * z.imag) if isinstance(z, types.Complex) else (lambda z: z * z)


def dot(x, at, w, begin, count):
    """x[at:at+count] · w[begin:begin+count], without a conjugate."""


@overload(dot, jit_options=INLINE)
def _dot(x, at, w, begin, count):
    def real(x, at, w, begin, count):
        if count >= 8:
            return lane_dot(x, at, w, begin, count)
        s = 0.0
        for j in range(count):
            s += np.float64(x[_U(at + j)]) * w[_U(begin + j)]
        return s

    def complex_(x, at, w, begin, count):
        s0 = s1 = s2 = s3 = 0j
        j = 0
        while j + 4 <= count:
            s0 += x[_U(at + j)] * w[_U(begin + j)]
            s1 += x[_U(at + j + 1)] * w[_U(begin + j + 1)]
            s2 += x[_U(at + j + 2)] * w[_U(begin + j + 2)]
            s3 += x[_U(at + j + 3)] * w[_U(begin + j + 3)]
            j += 4
        while j < count:
            s0 += x[_U(at + j)] * w[_U(begin + j)]
            j += 1
        return (s0 + s2) + (s1 + s3)

    return complex_ if isinstance(x.dtype, types.Complex) else real


def axpy(a, x, at, w):
    """w += a · conj(x[at:at+taps])."""


@overload(axpy, jit_options=INLINE)
def _axpy(a, x, at, w):
    def real(a, x, at, w):
        j = 0
        while j + 8 <= w.size:
            add_eight(w, j, a, x, at + j)
            j += 8
        while j < w.size:
            w[_U(j)] += a * x[_U(at + j)]
            j += 1

    def complex_(a, x, at, w):
        for j in range(w.size):
            w[j] += a * conj(x[_U(at + j)])

    return complex_ if isinstance(x.dtype, types.Complex) else real


def inner(x, left, right, count):
    """Σ x[left+j] · conj(x[right+j]): the inner product of two regressors."""


@overload(inner, jit_options=INLINE)
def _inner(x, left, right, count):
    def real(x, left, right, count):
        return dot(x, left, x, right, count)

    def complex_(x, left, right, count):
        s = 0j
        for j in range(count):
            s += np.complex128(x[_U(left + j)]) * conj(x[_U(right + j)])
        return s

    return complex_ if isinstance(x.dtype, types.Complex) else real


def norm_sq(x, at, count):
    """‖x[at:at+count]‖²."""


@overload(norm_sq, jit_options=INLINE)
def _norm_sq(x, at, count):
    if isinstance(x.dtype, types.Complex):
        return lambda x, at, count: inner(x, at, at, count).real
    return lambda x, at, count: inner(x, at, at, count)
