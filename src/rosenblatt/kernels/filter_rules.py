"""Adaptation rules of filters, and the regressors, real or complex, that they work with.

The regressor of sample n is `taps` neighbouring values of a flat array, from `first + n·stride` on. A matrix of sensors
has stride = taps. A signal is stored backwards and has stride −1, so that u(n), u(n−1), … are neighbours too. So a
signal and its delay line give the same numbers in the same order, and the same bits. The array also holds the values
before the first sample.

**The order of summation is part of the contract.** Real taps are summed as dense rows are (`lanes.py`): LMS makes the
corrections of `Adaline`, bit for bit. Complex taps are summed in four lanes. Sums are float64 whatever the signal is.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from rosenblatt.kernels.compile import INLINE, helper
from rosenblatt.kernels.lanes import add_eight, lane_dot

__all__ = [
    "FilterState",
    "Held",
    "Leaky",
    "Normalized",
    "PlainLMS",
    "Projection",
    "Recursive",
    "SignData",
    "SignError",
    "SignSign",
    "abs_sq",
    "adapt",
    "axpy",
    "conj",
    "dot",
    "inner",
    "norm_sq",
    "sgn",
]

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


# ---------------------------------------------------------------------------------------------------------------- rules
# A rule is a NamedTuple. `adapt` corrects the weights after error e on the regressor x; x* is its conjugate.


class FilterState(NamedTuple):
    """What a filter knows: its weights, and for some rules a matrix and a vector. `scratch` is room to work in."""

    w: Any
    matrix: Any
    vector: Any
    scratch: Any


class Held(NamedTuple):
    """No correction: the weights are held still."""


class PlainLMS(NamedTuple):
    """LMS, Widrow and Hoff (1960): w += η·e·x*."""

    eta: Any


class Normalized(NamedTuple):
    """NLMS: w += η/(ε + ‖x‖²)·e·x*; ε is `relative` times the running mean of ‖x‖², plus `absolute`.

    State: `vector` is the mean and the number of its samples.
    """

    eta: Any
    relative: Any
    absolute: Any


class Leaky(NamedTuple):
    """Leaky LMS: w = keep·w + η·e·x*, keep = 1 − η·leak."""

    eta: Any
    keep: Any


class SignError(NamedTuple):
    """w += η·sgn(e)·x*."""

    eta: Any


class SignData(NamedTuple):
    """w += η·e·sgn(x)*."""

    eta: Any


class SignSign(NamedTuple):
    """w += η·sgn(e)·sgn(x)*."""

    eta: Any


class Projection(NamedTuple):
    """Affine projection: w += η·X(XᴴX + εI)⁻¹e; the columns of X are the conjugates of the last `order` regressors.

    ε and `vector` as in `Normalized`. State: `matrix` is XᴴX, order × order; `scratch` has order + 1 rows.
    """

    eta: Any
    relative: Any
    absolute: Any
    order: Any


class Recursive(NamedTuple):
    """Recursive least squares with forgetting λ, on the factors of P = U·D·Uᴴ (Bierman 1977, V.3).

    State: row j of `matrix` is column j of U above its diagonal of ones; `vector` is D (zeros until the first regressor
    that is not zero), then mean and count as in `Normalized`; `scratch` has one row. P begins as I/δ, where δ is
    `relative` times ‖x‖² of that first regressor, plus `absolute`. P itself is never computed, so rounding cannot make
    it unsymmetric or negative. While the input is zero, forgetting would let D grow for ever; so D stops at `growth`/δ,
    now with the running mean of ‖x‖² in δ.
    """

    forgetting: Any
    relative: Any
    absolute: Any
    growth: Any


@helper
def _least_power(rule, mean, square):
    """Take ‖x‖² into the running mean; returns relative · mean + absolute, which is 0 while all input has been zero.

    An infinite ‖x‖² is left out: the mean would stay infinite for ever.
    """
    mean[1] += 1.0
    if square < np.inf:
        mean[0] += (square - mean[0]) / mean[1]
    return rule.relative * mean[0] + rule.absolute


def adapt(rule, x, at, stride, d, n, e, state):
    """Correct the weights after error e on the regressor at `at`; d[n] is the desired value, d[n−1] the one before."""


@overload(adapt, jit_options=INLINE)
def _adapt(rule, x, at, stride, d, n, e, state):
    def held(rule, x, at, stride, d, n, e, state):
        pass

    def least_mean_squares(rule, x, at, stride, d, n, e, state):
        axpy(rule.eta * e, x, at, state.w)

    def normalized(rule, x, at, stride, d, n, e, state):
        square = norm_sq(x, at, state.w.size)
        below = _least_power(rule, state.vector, square) + square
        if below > 0.0:
            axpy(rule.eta * e / below, x, at, state.w)

    def leaky(rule, x, at, stride, d, n, e, state):
        w, a = state.w, rule.eta * e
        for j in range(w.size):
            w[j] = rule.keep * w[j] + a * conj(x[_U(at + j)])

    def sign_error(rule, x, at, stride, d, n, e, state):
        axpy(rule.eta * sgn(e), x, at, state.w)

    def sign_data(rule, x, at, stride, d, n, e, state):
        w, a = state.w, rule.eta * e
        for j in range(w.size):
            w[j] += a * conj(sgn(x[_U(at + j)]))

    def sign_sign(rule, x, at, stride, d, n, e, state):
        w, a = state.w, rule.eta * sgn(e)
        for j in range(w.size):
            w[j] += a * conj(sgn(x[_U(at + j)]))

    def projection(rule, x, at, stride, d, n, e, state):
        _project(rule, x, at, stride, d, n, e, state)

    def recursive(rule, x, at, stride, d, n, e, state):
        _recur(rule, x, at, e, state)

    bodies = {
        Held: held,
        PlainLMS: least_mean_squares,
        Normalized: normalized,
        Leaky: leaky,
        SignError: sign_error,
        SignData: sign_data,
        SignSign: sign_sign,
        Projection: projection,
        Recursive: recursive,
    }
    return bodies[rule.instance_class]


@helper
def _project(rule, x, at, stride, d, n, e, state):
    """One step of affine projection: solve (XᴴX + εI) c = e, then w += η·Σ c_k·x(n−k)*."""
    w, gram, order, taps = state.w, state.matrix, rule.order, state.w.size
    for i in range(order - 1, 0, -1):  # each regressor is one place older now, and so are their products
        for k in range(order - 1, 0, -1):
            gram[i, k] = gram[i - 1, k - 1]
    factor, c = state.scratch[:order], state.scratch[order]
    for k in range(order):
        gram[0, k] = inner(x, at, at - k * stride, taps)
        gram[k, 0] = conj(gram[0, k])
        c[k] = e if k == 0 else d[n - k] - dot(x, at - k * stride, w, 0, taps)
    _solve_gram(gram, _least_power(rule, state.vector, gram[0, 0].real), factor, c)
    for k in range(order):
        axpy(rule.eta * c[k], x, at - k * stride, w)


@helper
def _solve_gram(gram, eps, factor, c):
    """c = (gram + εI)⁻¹ c by Cholesky's method.

    A pivot as small as a rounding error belongs to a regressor that is a combination of the others. It teaches nothing
    new, so it is skipped.
    """
    order = c.size
    for i in range(order):
        for k in range(i + 1):
            s = gram[i, k]
            for m in range(k):
                s -= factor[i, m] * conj(factor[k, m])
            if k < i:
                factor[i, k] = s / factor[k, k] if factor[k, k].real > 0.0 else 0.0 * s
            else:
                pivot = s.real + eps
                whole = gram[i, i].real + eps
                factor[i, i] = np.sqrt(pivot) if pivot > whole * order * 2.0**-52 else 0.0
    for i in range(order):
        s = c[i]
        for m in range(i):
            s -= factor[i, m] * c[m]
        c[i] = s / factor[i, i] if factor[i, i].real > 0.0 else 0.0 * s
    for i in range(order - 1, -1, -1):
        s = c[i]
        for m in range(i + 1, order):
            s -= conj(factor[m, i]) * c[m]
        c[i] = s / factor[i, i] if factor[i, i].real > 0.0 else 0.0 * s


@helper
def _recur(rule, x, at, e, state):
    """One step of recursive least squares: w += e·P x*/(λ + xᵀP x*), and P becomes (P − …)/λ, factor by factor."""
    taps = state.w.size
    w, U, D, gain = state.w, state.matrix, state.vector[:taps], state.scratch[0]
    square = norm_sq(x, at, taps)
    floor = _least_power(rule, state.vector[taps:], square)
    if floor == 0.0 and square == 0.0:  # all input so far was zero
        return
    least = max(floor / rule.growth, 2.0**-1000)
    if D[0] == 0.0:
        D[:] = 1.0 / max(rule.relative * square + rule.absolute, least)
    before = rule.forgetting  # λ + Σ D_i·|v_i|² over i < j
    for j in range(w.size):
        column = U[j]
        v = dot(x, at, column, 0, j) + x[_U(at + j)]  # (Uᵀx)_j
        after = before + D[j] * abs_sq(v)
        a, g = v / before, D[j] * conj(v)
        for i in range(j):
            u = column[i]
            column[i] = u - a * gain[i]
            gain[i] += g * u
        gain[j] = g
        D[j] = min(D[j] * (before / after) / rule.forgetting, 1.0 / least)
        before = after
    a = e / before
    for j in range(w.size):
        w[j] += a * gain[j]
