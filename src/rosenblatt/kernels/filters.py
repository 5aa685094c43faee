"""One loop over samples, many rules: filter, compare, adapt.

Given regressors x(n) and desired values d(n), the loop is the lecture's:

    for each sample n:
        y(n) = w · x(n)                         # filter (no conjugate: w is the impulse response, also of complex ones)
        e(n) = d(n) − y(n)                      # compare
        w = w + correction(rule, e(n), x(n))    # adapt

A regressor is `taps` values in a row, of a flat array, at `first + n·stride`. A matrix of sensors has stride = taps. A
signal is stored backwards and has stride −1, so that u(n), u(n−1), … lie in a row too: a signal and its delay line meet
the same numbers in the same order, and give the same bits. The values before it (`past` regressors) lie there as well.

**The order of summation is part of the contract**, and that of `kernels/rows.py`: eight real taps or more are summed in
sixteen lanes, fewer from left to right; so LMS makes the corrections of `Adaline`, bit for bit. They share the rule and
the order, not the machine code: a compiled function may not call one of another file (see compile.py), so `_lane_dot`
is written out here again, and a test holds the two together. Complex taps are summed in four lanes. Sums are float64
whatever the signal is.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from rosenblatt.kernels.compile import INLINE, kernel

__all__ = [
    "Leaky",
    "LeastMeanSquares",
    "Normalized",
    "Projection",
    "Recursive",
    "SignData",
    "SignError",
    "SignSign",
    "State",
    "absorb",
    "advance",
    "advance_all",
    "advance_one",
    "respond",
]


class State(NamedTuple):
    """What a filter knows: its weights, and for some rules a matrix and a vector; `scratch` need not be kept."""

    w: Any
    matrix: Any
    vector: Any
    scratch: Any


# ------------------------------------------------------------------------------------------------------ numbers, sums


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


@intrinsic
def _lane_dot(typingctx, x, at, w, begin, count):
    """x[at:at+count] · w[begin:begin+count] in sixteen fixed lanes, count ≥ 8; in float64, nothing contracted."""
    signature = types.float64(x, types.int64, w, types.int64, types.int64)

    def codegen(context, builder, signature, arguments):
        index, double, short = ir.IntType(64), ir.DoubleType(), ir.IntType(32)
        wide = ir.VectorType(double, 8)
        zero = ir.Constant(wide, [0.0] * 8)
        count = arguments[4]

        def number(k):
            return ir.Constant(index, k)

        def beginning(array, offset):
            data = context.make_array(signature.args[array])(context, builder, arguments[array]).data
            return builder.gep(data, [arguments[offset]])

        def load(base, at, array):
            """Eight values as float64; aligned no better than one value is."""
            element = context.get_data_type(array.dtype)
            pointer = builder.bitcast(builder.gep(base, [at]), ir.VectorType(element, 8).as_pointer())
            values = builder.load(pointer, align=array.dtype.bitwidth // 8)
            return values if element == double else builder.fpext(values, wide)

        left_base, right_base = beginning(0, 1), beginning(2, 3)

        def product(at):
            return builder.fmul(load(left_base, at, signature.args[0]), load(right_base, at, signature.args[2]))

        # sixteen values a turn, into two vectors
        whole = builder.and_(count, number(-16))
        before, loop, after = builder.block, builder.append_basic_block("loop"), builder.append_basic_block("after")
        builder.cbranch(builder.icmp_signed(">", whole, number(0)), loop, after)
        builder.position_at_end(loop)
        j, even, odd = builder.phi(index), builder.phi(wide), builder.phi(wide)
        even_next = builder.fadd(even, product(j))
        odd_next = builder.fadd(odd, product(builder.add(j, number(8))))
        j_next = builder.add(j, number(16))
        for phi, first, following in ((j, number(0), j_next), (even, zero, even_next), (odd, zero, odd_next)):
            phi.add_incoming(first, before)
            phi.add_incoming(following, loop)
        builder.cbranch(builder.icmp_signed("<", j_next, whole), loop, after)
        builder.position_at_end(after)
        first, second = builder.phi(wide), builder.phi(wide)
        for phi, value in ((first, even_next), (second, odd_next)):
            phi.add_incoming(zero, before)
            phi.add_incoming(value, loop)

        # eight more into the first vector, if they are there
        left = builder.sub(count, whole)
        tail, eight = builder.append_basic_block("tail"), builder.append_basic_block("eight")
        builder.cbranch(builder.icmp_signed(">=", left, number(8)), eight, tail)
        builder.position_at_end(eight)
        more, fewer = builder.fadd(first, product(whole)), builder.sub(left, number(8))
        builder.branch(tail)
        builder.position_at_end(tail)
        third, rest = builder.phi(wide), builder.phi(index)
        for value, remaining, block in ((first, left, after), (more, fewer, eight)):
            third.add_incoming(value, block)
            rest.add_incoming(remaining, block)

        # the last values into the second vector: the last eight of all, those already summed made zero
        lanes = ir.Constant(ir.VectorType(index, 8), list(range(8)))
        seen = ir.Constant(ir.VectorType(index, 8), ir.Undefined)
        for lane in range(8):
            seen = builder.insert_element(seen, builder.sub(number(8), rest), ir.Constant(short, lane))
        last = builder.select(builder.icmp_signed(">=", lanes, seen), product(builder.sub(count, number(8))), zero)
        total = builder.fadd(third, builder.fadd(second, last))

        lane_sums = [builder.extract_element(total, ir.Constant(short, k)) for k in range(8)]
        fours = [builder.fadd(lane_sums[k], lane_sums[k + 4]) for k in range(4)]
        return builder.fadd(builder.fadd(fours[0], fours[2]), builder.fadd(fours[1], fours[3]))

    return signature, codegen


# Positions are unsigned: Numba looks at the sign of any other index, in case it counts from the end.
_U = np.uint64


def dot(x, at, w, begin, count):
    """x[at:at+count] · w[begin:begin+count], without a conjugate."""


@overload(dot, jit_options=INLINE)
def _dot(x, at, w, begin, count):
    def real(x, at, w, begin, count):
        if count >= 8:
            return _lane_dot(x, at, w, begin, count)
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


@intrinsic
def _add_eight(typingctx, w, j, a, x, at):
    """w[j:j+8] += a · x[at:at+8], eight at a time also where LLVM, left alone, would take them one by one."""
    signature = types.void(w, types.int64, types.float64, x, types.int64)

    def codegen(context, builder, signature, arguments):
        wide, short = ir.VectorType(ir.DoubleType(), 8), ir.IntType(32)

        def pointer(array, offset):
            kind = signature.args[array]
            data = context.make_array(kind)(context, builder, arguments[array]).data
            eight = ir.VectorType(context.get_data_type(kind.dtype), 8).as_pointer()
            return builder.bitcast(builder.gep(data, [arguments[offset]]), eight)

        values = builder.load(pointer(3, 4), align=signature.args[3].dtype.bitwidth // 8)
        if signature.args[3].dtype != types.float64:
            values = builder.fpext(values, wide)
        factor = ir.Constant(wide, ir.Undefined)
        for lane in range(8):
            factor = builder.insert_element(factor, arguments[2], ir.Constant(short, lane))
        old = builder.load(pointer(0, 1), align=8)
        builder.store(builder.fadd(old, builder.fmul(factor, values)), pointer(0, 1), align=8)
        return context.get_dummy_value()

    return signature, codegen


def axpy(a, x, at, w):
    """w += a · conj(x[at:at+taps])."""


@overload(axpy, jit_options=INLINE)
def _axpy(a, x, at, w):
    def real(a, x, at, w):
        j = 0
        while j + 8 <= w.size:
            _add_eight(w, j, a, x, at + j)
            j += 8
        while j < w.size:
            w[_U(j)] += a * x[_U(at + j)]
            j += 1

    def complex_(a, x, at, w):
        for j in range(w.size):
            w[j] += a * conj(x[_U(at + j)])

    return complex_ if isinstance(x.dtype, types.Complex) else real


def inner(x, left, right, count):
    """Σ x[left+j] · conj(x[right+j]): what two regressors have in common."""


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


# ------------------------------------------------------------------------------------------------------------- rules


class LeastMeanSquares(NamedTuple):
    """LMS, Widrow and Hoff (1960): w += η·e·x*."""

    eta: Any


class Normalized(NamedTuple):
    """NLMS: w += η/(ε + ‖x‖²)·e·x*; ε is `relative` times the running mean of ‖x‖², plus `absolute`.

    State: `vector` is that mean and how many samples it is of.
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
    """Affine projection: w += η·X(XᴴX + εI)⁻¹e, the columns of X the conjugates of the last `order` regressors.

    ε and `vector` as in `Normalized`. State: `matrix` is XᴴX, order × order; `scratch` has order + 1 rows.
    """

    eta: Any
    relative: Any
    absolute: Any
    order: Any


class Recursive(NamedTuple):
    """Recursive least squares with forgetting λ, on the factors of P = U·D·Uᴴ (Bierman 1977, V.3).

    State: row j of `matrix` is column j of U, above its diagonal of ones; `vector` is D (zeros until it begins), then
    mean and count as in `Normalized`; `scratch` has one row. P begins as I/δ, δ being `relative` times ‖x‖² of the
    first regressor that is not zero, plus `absolute`. P cannot lose its symmetry or its sign, whatever the rounding: it
    is never formed. Where nothing comes in, forgetting would let D grow for ever; it stops at `growth`/δ, there with
    the running mean of ‖x‖².
    """

    forgetting: Any
    relative: Any
    absolute: Any
    growth: Any


@kernel
def _floor(rule, mean, square):
    """Take ‖x‖² into the running mean; returns relative · mean + absolute, which is 0 while all input has been zero.

    An infinite ‖x‖² is left out: it would stay in the mean for ever.
    """
    mean[1] += 1.0
    if square < np.inf:
        mean[0] += (square - mean[0]) / mean[1]
    return rule.relative * mean[0] + rule.absolute


def adapt(rule, x, at, stride, d, n, e, state):
    """Correct the weights after error e on the regressor at `at`; d[n] is the desired value, d[n−1] the one before."""


@overload(adapt, jit_options=INLINE)
def _adapt(rule, x, at, stride, d, n, e, state):
    def least_mean_squares(rule, x, at, stride, d, n, e, state):
        axpy(rule.eta * e, x, at, state.w)

    def normalized(rule, x, at, stride, d, n, e, state):
        square = norm_sq(x, at, state.w.size)
        below = _floor(rule, state.vector, square) + square
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
        LeastMeanSquares: least_mean_squares,
        Normalized: normalized,
        Leaky: leaky,
        SignError: sign_error,
        SignData: sign_data,
        SignSign: sign_sign,
        Projection: projection,
        Recursive: recursive,
    }
    return bodies[rule.instance_class]


@kernel
def _project(rule, x, at, stride, d, n, e, state):
    """One step of affine projection: solve (XᴴX + εI) c = e, then w += η·Σ c_k·x(n−k)*."""
    w, gram, order, taps = state.w, state.matrix, rule.order, state.w.size
    for i in range(order - 1, 0, -1):  # regressors have moved one place into the past, and their products with them
        for k in range(order - 1, 0, -1):
            gram[i, k] = gram[i - 1, k - 1]
    factor, c = state.scratch[:order], state.scratch[order]
    for k in range(order):
        gram[0, k] = inner(x, at, at - k * stride, taps)
        gram[k, 0] = conj(gram[0, k])
        c[k] = e if k == 0 else d[n - k] - dot(x, at - k * stride, w, 0, taps)
    _solve(gram, _floor(rule, state.vector, gram[0, 0].real), factor, c)
    for k in range(order):
        axpy(rule.eta * c[k], x, at - k * stride, w)


@kernel
def _solve(gram, eps, factor, c):
    """c = (gram + εI)⁻¹ c by Cholesky's method.

    A pivot that is nothing but rounding belongs to a regressor that repeats others: it teaches nothing and is left out.
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


@kernel
def _recur(rule, x, at, e, state):
    """One step of recursive least squares: w += e·P x*/(λ + xᵀP x*), and P becomes (P − …)/λ, factor by factor."""
    taps = state.w.size
    w, U, D, gain = state.w, state.matrix, state.vector[:taps], state.scratch[0]
    square = norm_sq(x, at, taps)
    floor = _floor(rule, state.vector[taps:], square)
    if floor == 0.0 and square == 0.0:  # nothing has come in yet
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


# -------------------------------------------------------------------------------------------------------------- loops


@kernel
def advance(x, first, stride, d, past, rule, state, y, e, history, every, due, start, stop):
    """Samples start..stop. Sample n has its regressor at first + n·stride and its desired value at d[past + n].

    history  receives the weights before a sample, when `due` is 0; then again every `every` samples.
    Returns  how many were kept, and how many samples remain until the next.
    """
    kept, taps = 0, state.w.size
    for n in range(start, stop):
        if every:
            if due == 0:
                for j in range(taps):
                    history[kept, j] = state.w[j]
                kept, due = kept + 1, every
            due -= 1
        at = first + n * stride
        s = dot(x, at, state.w, 0, taps)
        error = d[past + n] - s
        y[n], e[n] = s, error
        adapt(rule, x, at, stride, d, past + n, error, state)
    return kept, due


@kernel
def advance_one(x, d, rule, w, matrix, vector, scratch):
    """One regressor, for rules that look at no earlier one; returns the error, and does nothing if it is not finite.

    For streams that come sample by sample, where a call costs what its arguments cost. NaN for another length.
    """
    if x.size != w.size:
        return np.nan
    e = d - dot(x, 0, w, 0, w.size)
    if abs(e) < np.inf:
        adapt(rule, x, 0, 0, x, 0, e, State(w, matrix, vector, scratch))
    return e


@kernel
def advance_all(x, first, stride, d, past, rule, states, squares, start, stop):
    """The same for many realisations, one in each row of x, d and the states; squares[n] += Σ|e(n)|²."""
    taps = states.w.shape[1]
    for r in range(x.shape[0]):
        state = State(states.w[r], states.matrix[r], states.vector[r], states.scratch[r])
        for n in range(start, stop):
            at = first + n * stride
            error = d[r, past + n] - dot(x[r], at, state.w, 0, taps)
            squares[n] += abs_sq(error)
            adapt(rule, x[r], at, stride, d[r], past + n, error, state)


@kernel
def respond(x, first, stride, w, y, start, stop):
    """y[n] = w · x(n) for samples start..stop, with the bits that `advance` sees."""
    for n in range(start, stop):
        y[n] = dot(x, first + n * stride, w, 0, w.size)


@kernel
def absorb(x, first, stride, d, R, row, start, stop):
    """Rotate samples start..stop into the triangle R (taps × taps + 1, right-hand side last), by Givens rotations.

    Then ‖R·(w, −1)‖² and the sum of squared errors differ by what no w can change. False where it left float64.
    """
    taps = R.shape[0]
    for n in range(start, stop):
        at = first + n * stride
        for j in range(taps):
            row[j] = x[_U(at + j)]
        row[taps] = d[n]
        for i in range(taps):
            b = row[i]
            if b == 0.0:
                continue
            a = R[i, i].real
            r = math.hypot(a, abs(b))
            if not r < np.inf:
                return False
            c, s = a / r, b / r
            for k in range(i, taps + 1):
                above, here = R[i, k], row[k]
                R[i, k] = c * above + conj(s) * here
                row[k] = c * here - s * above
    return True
