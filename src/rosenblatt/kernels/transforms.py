"""Real Fourier transforms of powers of two, eight samples to a vector, for filters that make thousands of them.

A signal of N = 16·H samples is eight interleaved ones: row m has the samples 8m … 8m + 7, one of each. So all eight are
transformed together, by vectors, in four steps:

1. Rows 2j and 2j + 1 are the real and the imaginary part of row j of eight complex signals of length H, as they lie.
2. These are transformed by radix 4 (Stockham's order: nothing is ever put into bit-reversed places).
3. The eight transforms of real signals of length M = 2H are split from them: rows 0 … H, two rows at a time.
4. Each row is turned by exp(−2πi·v·k/N) in its lane v, and its eight lanes are transformed into one another.

Row k, lane l is the frequency k + M·k₂ of the N, where k₂ has the three bits of l in reverse; `places` says where that
is in the half spectrum that np.fft.rfft gives. What filters do with spectra they do frequency by frequency, in any
order. A spectrum has H + 1 rows of sixteen numbers: eight real parts, eight imaginary ones. Rows 0 and H hold
conjugates of their own lanes, each exactly; of the rows between, the conjugates are left out.

The order of every sum is written down and nothing is fused: the same bits on every CPU.
"""

import math
import operator
from functools import lru_cache

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

from rosenblatt.kernels.compile import helper, helper_inlined
from rosenblatt.kernels.lanes import fold, splat

__all__ = ["SMALLEST", "backward", "eight", "forward", "keep", "places", "tables", "total"]
__all__ += ["inverse_or_zero", "larger", "smoothed"]

SMALLEST = 64  # samples of a transform

_BITS = [0, 4, 2, 6, 1, 5, 3, 7]  # the three bits of a lane in reverse


# ------------------------------------------------------------------------------------------- eight numbers as one value


class _Eight(types.Type):
    """Eight float64 side by side; kernels add, subtract and multiply them as if they were one number."""

    def __init__(self):
        super().__init__(name="eight float64")


_eight, _VECTOR = _Eight(), ir.VectorType(ir.DoubleType(), 8)


@register_model(_Eight)
class _EightModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, _VECTOR)


def _operation(symbol, instruction):
    """Let kernels write `a symbol b` for two vectors."""

    @infer_global(symbol)
    class Typed(AbstractTemplate):
        key = symbol

        def generic(self, args, kws):
            return signature(_eight, *args) if args == (_eight, _eight) else None

    @lower_builtin(symbol, _eight, _eight)
    def lowered(context, builder, signature, arguments):
        return getattr(builder, instruction)(*arguments)

    return Typed, lowered


_OPERATIONS = [
    _operation(symbol, instruction)
    for symbol, instruction in (
        (operator.add, "fadd"),
        (operator.iadd, "fadd"),
        (operator.sub, "fsub"),
        (operator.mul, "fmul"),
    )
]


def _address(context, builder, kind, array, at):
    pointer = builder.gep(context.make_array(kind)(context, builder, array).data, [at])
    return builder.bitcast(pointer, _VECTOR.as_pointer())


@intrinsic
def eight(typingctx, x, at):
    """x[at:at + 8], of an array of any shape in C order; of a number alone, eight of it."""

    def codegen(context, builder, signature, arguments):
        if isinstance(x, types.Array):
            return builder.load(_address(context, builder, x, *arguments), align=8)
        return splat(builder, _VECTOR, arguments[0])

    return _eight(x if isinstance(x, types.Array) else types.float64, types.int64), codegen


@intrinsic
def keep(typingctx, x, at, value):
    """x[at:at + 8] = value."""

    def codegen(context, builder, signature, arguments):
        builder.store(arguments[2], _address(context, builder, x, *arguments[:2]), align=8)
        return context.get_dummy_value()

    return types.void(x, types.int64, _eight), codegen


@intrinsic
def total(typingctx, x):
    """The sum of the eight."""

    def codegen(context, builder, signature, arguments):
        return fold(builder, arguments[0])

    return types.float64(_eight), codegen


_ZERO, _ONE = ir.Constant(_VECTOR, [0.0] * 8), ir.Constant(_VECTOR, [1.0] * 8)


@intrinsic
def inverse_or_zero(typingctx, x):
    """1/x where x > 0, else 0."""

    def codegen(context, builder, signature, arguments):
        above = builder.fcmp_ordered(">", arguments[0], _ZERO)
        return builder.select(above, builder.fdiv(_ONE, arguments[0]), _ZERO)

    return _eight(_eight), codegen


@intrinsic
def larger(typingctx, x, y):
    """The larger ones."""

    def codegen(context, builder, signature, arguments):
        return builder.select(builder.fcmp_ordered(">", *arguments), *arguments)

    return _eight(_eight, _eight), codegen


@intrinsic
def smoothed(typingctx, before, now, part):
    """before + part·(now − before) where before > 0, else now."""

    def codegen(context, builder, signature, arguments):
        before, now, part = arguments
        moved = builder.fadd(before, builder.fmul(part, builder.fsub(now, before)))
        return builder.select(builder.fcmp_ordered(">", before, _ZERO), moved, now)

    return _eight(_eight, _eight, _eight), codegen


def _crossing(distance):
    """An instruction: in each pair of lanes that are so far apart, their sum and the first minus the second."""
    order = ir.Constant(ir.VectorType(ir.IntType(32), 8), [lane ^ distance for lane in range(8)])
    signs = ir.Constant(_VECTOR, [-1.0 if lane & distance else 1.0 for lane in range(8)])

    def typed(typingctx, x):
        def codegen(context, builder, signature, arguments):
            other = builder.shuffle_vector(arguments[0], ir.Constant(_VECTOR, ir.Undefined), order)
            return builder.fadd(other, builder.fmul(arguments[0], signs))

        return _eight(_eight), codegen

    typed.__name__ = typed.__qualname__ = f"cross_{distance}"
    return intrinsic(typed)


_cross_1, _cross_2, _cross_4 = map(_crossing, (1, 2, 4))


# -------------------------------------------------------------------------------------------------------- what is known


def _roots(n, numbers):
    """exp(−2πi·k/n), real and imaginary parts beside one another; of each eighth of the circle from its first half."""
    found = np.empty((len(numbers), 2))
    for row, k in enumerate(numbers):
        eighth, rest = divmod(8 * (int(k) % n), n)
        back = eighth % 2 == 1
        angle = 2 * math.pi * ((n - rest if back else rest) / (8 * n))
        c, s = math.cos(angle), math.sin(angle)
        c, s = (s, c) if (eighth + 1) // 2 % 2 else (c, s)
        found[row] = (-c if 2 <= eighth < 6 else c), (s if eighth >= 4 else -s)
    return found


@lru_cache(maxsize=32)
def tables(size):
    """For transforms of `size` samples: powers of exp(−2πi/H), half of exp(−2πi·k/2H), lanes' turns of rows 0 … H.

    The last has three rows more: what lanes are multiplied with between the steps of their own transform.
    """
    H = size // 16
    turns = np.empty((H + 2, 2, 8))
    every = _roots(size, range(size)).T
    for k in range(H + 1):
        turns[k] = every[:, (k * np.arange(8)) % size]
    turns[H + 1] = _roots(8, [0, 0, 0, 0, 0, 1, 2, 3]).T
    found = _roots(H, range(H)).ravel(), _roots(2 * H, range(H // 2 + 1)).ravel(), turns.ravel()
    for one in found:
        one.flags.writeable = False
    return found


@lru_cache(maxsize=32)
def places(size):
    """For each row and lane, where this frequency is in the half spectrum, and whether its conjugate is there."""
    H = size // 16
    number = np.arange(H + 1)[:, None] + 2 * H * np.array(_BITS)
    turned = number > size // 2
    return np.where(turned, size - number, number), turned


# ------------------------------------------------------------------------------------------------------- transforms


@helper_inlined
def _pass(x, first, y, n, stride, roots, step, re, im):
    """One step of radix 4 from x[first:] to y; with re and im exchanged it goes backward."""
    quarter = n // 4
    for p in range(quarter):
        a1, b1 = eight(roots[2 * p * step], 0), eight(roots[2 * p * step + 1], 0)
        a2, b2 = eight(roots[4 * p * step], 0), eight(roots[4 * p * step + 1], 0)
        a3, b3 = eight(roots[6 * p * step], 0), eight(roots[6 * p * step + 1], 0)
        for q in range(stride):
            i0 = first + 16 * (q + stride * p)
            i1, i2, i3 = (
                i0 + 16 * stride * quarter,
                i0 + 32 * stride * quarter,
                i0 + 48 * stride * quarter,
            )
            ar, ai, br, bi = eight(x, i0 + re), eight(x, i0 + im), eight(x, i1 + re), eight(x, i1 + im)
            cr, ci, dr, di = eight(x, i2 + re), eight(x, i2 + im), eight(x, i3 + re), eight(x, i3 + im)
            sr, si, tr, ti = ar + cr, ai + ci, ar - cr, ai - ci
            ur, ui, vr, vi = br + dr, bi + di, br - dr, bi - di
            o = 16 * (q + 4 * stride * p)
            keep(y, o + re, sr + ur)
            keep(y, o + im, si + ui)
            er, ei = tr + vi, ti - vr
            o += 16 * stride
            keep(y, o + re, er * a1 - ei * b1)
            keep(y, o + im, er * b1 + ei * a1)
            er, ei = sr - ur, si - ui
            o += 16 * stride
            keep(y, o + re, er * a2 - ei * b2)
            keep(y, o + im, er * b2 + ei * a2)
            er, ei = tr - vi, ti + vr
            o += 16 * stride
            keep(y, o + re, er * a3 - ei * b3)
            keep(y, o + im, er * b3 + ei * a3)


@helper
def _complex(x, first, H, one, other, roots, re, im):
    """The eight transforms of length H, from x[first:], which stays; returns whether they are in `one`."""
    n, stride, step = H, 1, 1
    _pass(x, first, one, n, stride, roots, step, re, im)
    n, stride, step, here = n // 4, 4, 4, True
    while n >= 4:
        if here:
            _pass(one, 0, other, n, stride, roots, step, re, im)
        else:
            _pass(other, 0, one, n, stride, roots, step, re, im)
        n, stride, step, here = n // 4, 4 * stride, 4 * step, not here
    if n == 2:
        z = one if here else other
        for q in range(0, 16 * stride, 8):
            a, b = eight(z, q), eight(z, q + 16 * stride)
            keep(z, q, a + b)
            keep(z, q + 16 * stride, a - b)
    return here


@helper_inlined
def _spread_row(re, im, turns, k, last, X, at):
    """Step 4 of one row."""
    c, s = eight(turns, 16 * k), eight(turns, 16 * k + 8)
    re, im = _cross_4(re * c - im * s), _cross_4(re * s + im * c)
    c, s = eight(turns, last), eight(turns, last + 8)
    re, im = _cross_2(re * c - im * s), _cross_2(re * s + im * c)
    re, im = _quarter(re, im), _quarter_im(re, im)
    keep(X, at + 16 * k, _cross_1(re))
    keep(X, at + 16 * k + 8, _cross_1(im))


def _quartering(own, other, sign):
    """An instruction: lanes 3 and 7 of a complex number times −i (sign = 1: forward) or i; one part of it."""
    order = ir.Constant(ir.VectorType(ir.IntType(32), 8), [lane + 8 * (lane % 4 == 3) for lane in range(8)])
    signs = ir.Constant(_VECTOR, [sign if lane % 4 == 3 else 1.0 for lane in range(8)])

    def typed(typingctx, re, im):
        def codegen(context, builder, signature, arguments):
            return builder.fmul(builder.shuffle_vector(arguments[own], arguments[other], order), signs)

        return _eight(_eight, _eight), codegen

    typed.__name__ = typed.__qualname__ = f"quarter_{own}_{sign:.0f}"
    return intrinsic(typed)


_quarter, _quarter_im = _quartering(0, 1, 1.0), _quartering(1, 0, -1.0)
_back, _back_im = _quartering(0, 1, -1.0), _quartering(1, 0, 1.0)


@helper_inlined
def _gather_row(X, at, turns, k, last):
    """Step 4 of one row, undone: its eight lanes times eight."""
    re, im = _cross_1(eight(X, at + 16 * k)), _cross_1(eight(X, at + 16 * k + 8))
    re, im = _back(re, im), _back_im(re, im)
    re, im = _cross_2(re), _cross_2(im)
    c, s = eight(turns, last), eight(turns, last + 8)
    re, im = _cross_4(re * c + im * s), _cross_4(im * c - re * s)
    c, s = eight(turns, 16 * k), eight(turns, 16 * k + 8)
    return re * c + im * s, im * c - re * s


@helper
def forward(x, first, X, at, size, known, one, other):
    """X[at:at + size + 16] = the spectrum of x[first:first + size]; `one` and `other` are room for as much."""
    roots, halves, turns = known
    H = size // 16
    last = 16 * (H + 1)
    z = one if _complex(x, first, H, one, other, roots, 0, 8) else other
    half = eight(0.5, 0)
    for k in range(H // 2 + 1):
        i, j = 16 * k, 16 * ((H - k) % H)
        ar, ai, br, bi = eight(z, i), eight(z, i + 8), eight(z, j), eight(z, j + 8)
        er, ei = half * (ar + br), half * (ai - bi)
        odd_r, odd_i = half * (ai + bi), half * (br - ar)
        c, s = eight(halves[2 * k], 0), eight(halves[2 * k + 1], 0)
        tr, ti = odd_r * c - odd_i * s, odd_r * s + odd_i * c
        _spread_row(er + tr, ei + ti, turns, k, last, X, at)
        _spread_row(er - tr, ti - ei, turns, H - k, last, X, at)
    # conjugates of frequencies that are there, each exactly: what is kept and what is computed anew are the same bits
    for first_lane, second in ((1, 1), (2, 3), (4, 7), (6, 5)):
        _conjugate(X, at, first_lane, second)
    X[at + 8] = 0.0
    for lane, other_lane in ((0, 7), (4, 3), (2, 5), (6, 1)):
        _conjugate(X, at + 16 * H, lane, other_lane)


@helper_inlined
def _conjugate(X, at, lane, other):
    if lane == other:
        X[at + 8 + lane] = 0.0
    else:
        X[at + other] = X[at + lane]
        X[at + 8 + other] = -X[at + 8 + lane]


@helper
def backward(X, at, size, known, one, other):
    """`size` times the signal that has the spectrum X[at:]; returns whether it is in `one`, else it is in `other`."""
    roots, halves, turns = known
    H = size // 16
    last = 16 * (H + 1)
    for k in range(H // 2 + 1):
        ar, ai = _gather_row(X, at, turns, k, last)
        br, bi = _gather_row(X, at, turns, H - k, last)
        er, ei, dr, di = ar + br, ai - bi, ar - br, ai + bi
        c, s = eight(halves[2 * k], 0), eight(halves[2 * k + 1], 0)
        odd_r, odd_i = dr * c + di * s, di * c - dr * s
        i, j = 16 * k, 16 * ((H - k) % H)
        keep(other, j, er + odd_i)
        keep(other, j + 8, odd_r - ei)
        keep(other, i, er - odd_i)
        keep(other, i + 8, ei + odd_r)
    return _complex_from(other, H, one, roots)


@helper
def _complex_from(other, H, one, roots):
    """`_complex` of what is in `other` already, backward."""
    return _complex(other, 0, H, one, other, roots, 8, 0)
