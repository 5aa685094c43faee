"""Adaptation rules of filters: what a filter does with its error.

A rule is a NamedTuple. `adapt` corrects the weights after error e on the regressor x; x* is its conjugate.
"""

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from rosenblatt.kernels.compile import INLINE, helper
from rosenblatt.kernels.regressors import abs_sq, axpy, conj, dot, inner, norm_sq, sgn

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
    "adapt",
]

_U = np.uint64  # see `regressors.py`


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
