"""One loop over rows, many rules: the neuron, its corrections, the orders of presentation.

Given rows x_i, labels y_i = ±1 and weights w (the bias last, if there is one), the loop is the lecture's:

    for each presented row i:
        s = w · (x_i, 1)                        # respond
        a = step(rule, y_i, s)                  # 0 when there is nothing to learn
        w = w + a · (x_i, 1)                    # correct

Formats (`Dense`, `CSR`), rules (`Rosenblatt`, …: `RULES`), orders (`Cyclic`, `Shuffled`, `Random`) are NamedTuples.
The functions on them are written once and overloaded, so Numba makes one tight loop of each combination.

**The order of summation is part of the contract.** A dense row of p ≥ 8 columns is summed in sixteen lanes (two vectors
of eight float64), a shorter one from left to right, a sparse one in eight lanes; then the lanes are folded in a fixed
order and the bias is added last. Nothing here depends on the CPU, the number of threads or where a call is cut.
"""

from math import factorial
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from rosenblatt.kernels.compile import INLINE, kernel, kernel_inlined

__all__ = [
    "CLEAN",
    "CLOSED",
    "CLOCK",
    "CSR",
    "FULL",
    "LIMIT",
    "PATIENCE",
    "POCKET",
    "REPEAT",
    "RULES",
    "SETTLED",
    "Aggressive",
    "Board",
    "Cyclic",
    "Dense",
    "LeastMeanSquares",
    "Memory",
    "Random",
    "Rosenblatt",
    "Shuffled",
    "Sigmoid",
    "WideMargin",
    "deal_pass",
    "descend",
    "judge",
    "learn",
    "learn_row",
    "logistic",
    "logistic_all",
    "replay",
    "respond_all",
    "scout",
    "squares",
    "survey",
    "uniform",
    "walk",
]

# ---------------------------------------------------------------------------------------------------------- formats


class Dense(NamedTuple):
    """n × p values, C order, float32 or float64."""

    X: Any


class CSR(NamedTuple):
    """Compressed rows: values and columns (uint32, ascending) of row i are at indptr[i]:indptr[i+1]."""

    data: Any
    indices: Any
    indptr: Any
    columns: Any


@intrinsic
def _lane_dot(typingctx, X, i, w):
    """Row i of X times w[:p] in sixteen fixed lanes, p ≥ 8; products and sums in float64, nothing contracted."""
    signature = types.float64(X, types.int64, w)

    def codegen(context, builder, signature, arguments):
        matrix = context.make_array(signature.args[0])(context, builder, arguments[0])
        vector = context.make_array(signature.args[2])(context, builder, arguments[2])
        index, double, short = ir.IntType(64), ir.DoubleType(), ir.IntType(32)
        wide = ir.VectorType(double, 8)
        zero = ir.Constant(wide, [0.0] * 8)

        def number(k):
            return ir.Constant(index, k)

        def load(base, at, array):
            """Eight values as float64; aligned no better than one value is."""
            element = context.get_data_type(array.dtype)
            pointer = builder.bitcast(builder.gep(base, [at]), ir.VectorType(element, 8).as_pointer())
            values = builder.load(pointer, align=array.dtype.bitwidth // 8)
            return values if element == double else builder.fpext(values, wide)

        columns = cgutils.unpack_tuple(builder, matrix.shape)[1]
        row = builder.gep(matrix.data, [builder.mul(arguments[1], columns)])

        def product(at):
            return builder.fmul(load(row, at, signature.args[0]), load(vector.data, at, signature.args[2]))

        # sixteen columns a turn, into two vectors
        whole = builder.and_(columns, number(-16))
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
        left = builder.sub(columns, whole)
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

        # the last columns into the second vector: the last eight of the row, those already summed made zero
        lanes = ir.Constant(ir.VectorType(index, 8), list(range(8)))
        seen = ir.Constant(ir.VectorType(index, 8), ir.Undefined)
        for lane in range(8):
            seen = builder.insert_element(seen, builder.sub(number(8), rest), ir.Constant(short, lane))
        last = builder.select(builder.icmp_signed(">=", lanes, seen), product(builder.sub(columns, number(8))), zero)
        total = builder.fadd(third, builder.fadd(second, last))

        lane_sums = [builder.extract_element(total, ir.Constant(short, k)) for k in range(8)]
        fours = [builder.fadd(lane_sums[k], lane_sums[k + 4]) for k in range(4)]
        return builder.fadd(builder.fadd(fours[0], fours[2]), builder.fadd(fours[1], fours[3]))

    return signature, codegen


DENSE_AHEAD, SPARSE_AHEAD = 8, 3  # rows


@intrinsic
def _prefetch(typingctx, array, at):
    """Ask for the cache line of array[at], which may lie beyond the end; a hint, it changes no result."""

    def codegen(context, builder, signature, arguments):
        byte, short = ir.IntType(8).as_pointer(), ir.IntType(32)
        function = ir.FunctionType(ir.VoidType(), [byte, short, short, short])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [byte], function)
        address = builder.bitcast(_place(context, builder, signature, arguments), byte)
        builder.call(prefetch, [address, short(0), short(3), short(1)])  # read, keep, data
        return context.get_dummy_value()

    return types.void(array, types.uint64), codegen


def _place(context, builder, signature, arguments):
    """The address of array[at], for an intrinsic whose first two arguments are those."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.gep(array.data, [arguments[1]])


# Positions in sparse rows are unsigned: Numba looks at the sign of any other index, in case it counts from the end.
_U = np.uint64


def _is(kind, *classes):
    return getattr(kind, "instance_class", None) in classes


def row_dot(rows, i, w):
    """x_i · w over the p columns, without the bias."""


@overload(row_dot, jit_options=INLINE)
def _row_dot(rows, i, w):
    def dense(rows, i, w):
        X = rows.X
        if X.shape[1] >= 8:
            return _lane_dot(X, i, w)
        s = 0.0
        for j in range(X.shape[1]):
            s += np.float64(X[i, j]) * w[j]
        return s

    def sparse(rows, i, w):
        data, indices = rows.data, rows.indices
        k, end = _U(rows.indptr[i]), _U(rows.indptr[i + 1])
        whole, rest = k + ((end - k) & ~_U(7)), (end - k) & _U(7)
        s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
        while k < whole:
            s0 += data[k] * w[indices[k]]
            s1 += data[k + _U(1)] * w[indices[k + _U(1)]]
            s2 += data[k + _U(2)] * w[indices[k + _U(2)]]
            s3 += data[k + _U(3)] * w[indices[k + _U(3)]]
            s4 += data[k + _U(4)] * w[indices[k + _U(4)]]
            s5 += data[k + _U(5)] * w[indices[k + _U(5)]]
            s6 += data[k + _U(6)] * w[indices[k + _U(6)]]
            s7 += data[k + _U(7)] * w[indices[k + _U(7)]]
            k += _U(8)
        if rest & _U(4):
            s0 += data[k] * w[indices[k]]
            s1 += data[k + _U(1)] * w[indices[k + _U(1)]]
            s2 += data[k + _U(2)] * w[indices[k + _U(2)]]
            s3 += data[k + _U(3)] * w[indices[k + _U(3)]]
            k += _U(4)
        if rest & _U(2):
            s4 += data[k] * w[indices[k]]
            s5 += data[k + _U(1)] * w[indices[k + _U(1)]]
            k += _U(2)
        if rest & _U(1):
            s6 += data[k] * w[indices[k]]
        return ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))

    return dense if _is(rows, Dense) else sparse


def touch(rows, order, t, end, pass_start):
    """Ask for a row that will be shown soon, where the hardware would not guess it."""


@overload(touch, jit_options=INLINE)
def _touch(rows, order, t, end, pass_start):
    def nothing(rows, order, t, end, pass_start):
        pass

    def dense(rows, order, t, end, pass_start):
        if t + DENSE_AHEAD < end:
            i, p = _U(row_at(order, t + DENSE_AHEAD, pass_start)), _U(rows.X.shape[1])
            for j in range(_U(0), p, _U(64 // rows.X.itemsize)):
                _prefetch(rows.X, i * p + j)

    def sparse(rows, order, t, end, pass_start):
        if t + 2 * SPARSE_AHEAD < end:
            _prefetch(rows.indptr, _U(row_at(order, t + 2 * SPARSE_AHEAD, pass_start)))
        if t + SPARSE_AHEAD < end:
            i = row_at(order, t + SPARSE_AHEAD, pass_start)
            for k in range(_U(rows.indptr[i]), _U(rows.indptr[i + 1]), _U(8)):
                _prefetch(rows.data, k)
                _prefetch(rows.indices, k)

    if _is(rows, Dense):
        return nothing if _is(order, Cyclic) else dense
    return sparse


def row_axpy(rows, i, a, w):
    """w += a · x_i over the p columns."""


@overload(row_axpy, jit_options=INLINE)
def _row_axpy(rows, i, a, w):
    def dense(rows, i, a, w):
        X = rows.X
        for j in range(X.shape[1]):
            w[j] += a * X[i, j]

    def sparse(rows, i, a, w):
        for k in range(_U(rows.indptr[i]), _U(rows.indptr[i + 1])):
            w[rows.indices[k]] += a * rows.data[k]

    return dense if _is(rows, Dense) else sparse


def row_sq(rows, i):
    """‖x_i‖² over the p columns."""


@overload(row_sq, jit_options=INLINE)
def _row_sq(rows, i):
    def dense(rows, i):
        return row_dot(rows, i, rows.X[i])

    def sparse(rows, i):
        s = 0.0
        for k in range(rows.indptr[i], rows.indptr[i + 1]):
            s += np.float64(rows.data[k]) * rows.data[k]
        return s

    return dense if _is(rows, Dense) else sparse


def row_size(rows, i):
    """How many values of row i are stored."""


@overload(row_size, jit_options=INLINE)
def _row_size(rows, i):
    if _is(rows, Dense):
        return lambda rows, i: rows.X.shape[1]
    return lambda rows, i: rows.indptr[i + 1] - rows.indptr[i]


def row_value(rows, i, k):
    """The k-th stored value of row i, as float64."""


@overload(row_value, jit_options=INLINE)
def _row_value(rows, i, k):
    if _is(rows, Dense):
        return lambda rows, i, k: np.float64(rows.X[i, k])
    return lambda rows, i, k: np.float64(rows.data[rows.indptr[i] + k])


@kernel
def row_norm(rows, i, bias):
    """‖(x_i, bias)‖, also where its square leaves the range of float64; 1 for the zero row, which has no direction."""
    sq = row_sq(rows, i) + bias
    if 1e-280 < sq < 1e280:
        return np.sqrt(sq)
    largest = bias
    for k in range(row_size(rows, i)):
        largest = max(largest, abs(row_value(rows, i, k)))
    if largest == 0.0:
        return 1.0
    sq = (bias / largest) ** 2
    for k in range(row_size(rows, i)):
        sq += (row_value(rows, i, k) / largest) ** 2
    return largest * np.sqrt(sq)


@kernel_inlined
def respond(rows, i, w):
    """s = w · (x_i, 1): the neuron's weighted sum; the bias, where there is one, is the last weight."""
    s = row_dot(rows, i, w)
    p = n_columns(rows)
    if w.size > p:
        s += w[p]
    return s


def n_columns(rows):
    """p, the number of columns."""


@overload(n_columns, jit_options=INLINE)
def _n_columns(rows):
    if _is(rows, Dense):
        return lambda rows: rows.X.shape[1]
    return lambda rows: rows.columns


# ------------------------------------------------------------------------------------------------------------ rules


class Rosenblatt(NamedTuple):
    """The perceptron rule: after a mistake, y·s < 0 or a tie that counts as one, step η·y.

    `tie_positive`, `tie_negative`: whether s = 0 is a mistake on an example of that class.
    `normalize`: learn from z/‖z‖, z = (x, 1), instead of z.
    """

    eta: Any
    tie_positive: Any
    tie_negative: Any
    normalize: Any


class WideMargin(NamedTuple):
    """The perceptron rule with a margin m: y·s ≤ m·‖w‖ (with `normalize`, y·s ≤ m·‖w‖·‖z‖) is a mistake too."""

    eta: Any
    tie_positive: Any
    tie_negative: Any
    normalize: Any
    margin: Any


class Aggressive(NamedTuple):
    """Passive-aggressive (Crammer et al. 2006): with loss = 1 − y·s > 0, the smallest step that brings it to zero.

    τ = loss/(‖z‖² + slack), at most `most`: variant I has most = C and slack = 0, variant II most = ∞, slack = 1/(2C).
    """

    most: Any
    slack: Any


class LeastMeanSquares(NamedTuple):
    """Widrow and Hoff (1960), LMS: always step by η·(y − s), the residual."""

    eta: Any


class Sigmoid(NamedTuple):
    """Logistic regression, one example at a time: always step by η·y·σ(−y·s), the probability of the other class."""

    eta: Any


RULES = (Rosenblatt, WideMargin, Aggressive, LeastMeanSquares, Sigmoid)


def step(rule, y, s, rows, i, bias, w_sq):
    """The factor a of the correction w += a·(x_i, 1); 0 when the example teaches nothing.

    A response that is not a number (an overflow) is never right, so the comparisons ask for what is right.
    """


@overload(step, jit_options=INLINE)
def _step(rule, y, s, rows, i, bias, w_sq):
    def rosenblatt(rule, y, s, rows, i, bias, w_sq):
        agreement = y * s
        if agreement > 0.0:
            return 0.0
        if agreement == 0.0 and not (rule.tie_positive if y > 0 else rule.tie_negative):
            return 0.0
        return rule.eta * y / (row_norm(rows, i, bias) if rule.normalize else 1.0)

    def wide_margin(rule, y, s, rows, i, bias, w_sq):
        length = row_norm(rows, i, bias) if rule.normalize else 1.0
        agreement, needed = y * s, rule.margin * np.sqrt(w_sq) * length
        if agreement > needed:
            return 0.0
        if agreement == needed and not (rule.tie_positive if y > 0 else rule.tie_negative):
            return 0.0
        return rule.eta * y / length

    def aggressive(rule, y, s, rows, i, bias, w_sq):
        loss = 1.0 - y * s
        if loss <= 0.0:
            return 0.0
        return y * min(rule.most, loss / (row_sq(rows, i) + bias + rule.slack))

    def least_mean_squares(rule, y, s, rows, i, bias, w_sq):
        return rule.eta * (y - s)

    def sigmoid(rule, y, s, rows, i, bias, w_sq):
        return rule.eta * y * logistic(-y * s)

    if _is(rule, WideMargin):
        return wide_margin
    if _is(rule, Aggressive):
        return aggressive
    if _is(rule, LeastMeanSquares):
        return least_mean_squares
    return sigmoid if _is(rule, Sigmoid) else rosenblatt


def is_mistake(rule, y, s):
    """Whether a correction was one of a mistake; rules that always step also step after right answers."""


@overload(is_mistake, jit_options=INLINE)
def _is_mistake(rule, y, s):
    if _is(rule, Rosenblatt, WideMargin):
        return lambda rule, y, s: 1
    return lambda rule, y, s: 0 if y * s > 0.0 else 1


INVERSE_FACTORIALS = tuple(1.0 / factorial(k) for k in range(14))


@intrinsic
def _power_of_two(typingctx, exponent):
    """2^exponent from its bits, −1022 ≤ exponent ≤ 1023."""

    def codegen(context, builder, signature, arguments):
        index = ir.IntType(64)
        bits = builder.shl(builder.add(arguments[0], ir.Constant(index, 1023)), ir.Constant(index, 52))
        return builder.bitcast(bits, ir.DoubleType())

    return types.float64(types.int64), codegen


@kernel_inlined
def logistic(v):
    """σ(v) = 1/(1 + e^−v), with the same bits on every platform: no library's exp, whose last bit varies.

    e^r for |r| ≤ ln 2/2 by its series, the rest by a power of two (Cody and Waite); the error is about one unit in the
    last place.
    """
    if v >= 40.0:
        return 1.0
    if v <= -700.0:
        return 0.0
    turns = np.floor(-v * 1.4426950408889634 + 0.5)
    r = (-v - turns * 0.693145751953125) - turns * 1.4286068203094172e-06
    # Σ r^k/k! to k = 13, in pairs, fours and eights: a loop that waits for σ waits for the longest chain (Estrin)
    c, r2 = INVERSE_FACTORIALS, r * r
    r4 = r2 * r2
    low = ((c[0] + c[1] * r) + (c[2] + c[3] * r) * r2) + ((c[4] + c[5] * r) + (c[6] + c[7] * r) * r2) * r4
    high = ((c[8] + c[9] * r) + (c[10] + c[11] * r) * r2) + (c[12] + c[13] * r) * r4
    return 1.0 / (1.0 + (low + high * (r4 * r4)) * _power_of_two(np.int64(turns)))


def needs_norm(rule):
    """Whether the rule looks at ‖w‖, so that the loop must keep it."""


@overload(needs_norm, jit_options=INLINE)
def _needs_norm(rule):
    return (lambda rule: True) if _is(rule, WideMargin) else (lambda rule: False)


# ----------------------------------------------------------------------------------------------------------- orders


class Cyclic(NamedTuple):
    """Rows in turn."""

    n: Any


class Shuffled(NamedTuple):
    """Each pass a fresh permutation (Fisher and Yates, dealt from the identity as far as it is needed)."""

    n: Any
    seed: Any
    permutation: Any


class Random(NamedTuple):
    """Every presentation draws a row, with replacement."""

    n: Any
    seed: Any


@kernel
def uniform(seed, t):
    """The t-th number of [0, 1) of a seed, a multiple of 2^-53: SplitMix64 (Steele, Lea & Flood 2014) by position.

    A function of (seed, t) alone: the same on every platform, and resuming needs no state but t.
    """
    z = np.uint64(seed) + (np.uint64(t) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.float64(z >> np.uint64(11)) * (1.0 / 9007199254740992.0)


def deal(order, start, stop, pass_start):
    """Make the rows of presentations start..stop known; they lie in one pass and follow those dealt before."""


@overload(deal, jit_options=INLINE)
def _deal(order, start, stop, pass_start):
    def nothing(order, start, stop, pass_start):
        pass

    def shuffle(order, start, stop, pass_start):
        rows = order.permutation
        if start == pass_start:
            for k in range(order.n):
                rows[k] = k
        for t in range(start, stop):
            k = t - pass_start
            other = k + np.int64(uniform(order.seed, t) * (order.n - k))
            rows[k], rows[other] = rows[other], rows[k]

    return shuffle if _is(order, Shuffled) else nothing


@kernel
def deal_pass(order, pass_start):
    """Make all rows of a pass known."""
    deal(order, pass_start, pass_start + order.n, pass_start)


def row_at(order, t, pass_start):
    """The row shown at presentation t."""


@overload(row_at, jit_options=INLINE)
def _row_at(order, t, pass_start):
    if _is(order, Cyclic):
        return lambda order, t, pass_start: t - pass_start
    if _is(order, Shuffled):
        return lambda order, t, pass_start: np.int64(order.permutation[t - pass_start])
    return lambda order, t, pass_start: np.int64(uniform(order.seed, t) * order.n)


def quiet_limit(order):
    """After so many presentations without a mistake it is time to look at every row (drawn rows may miss some)."""


@overload(quiet_limit, jit_options=INLINE)
def _quiet_limit(order):
    if _is(order, Random):
        return lambda order: np.int64(order.n)
    return lambda order: np.int64(1 << 62)


# --------------------------------------------------------------------------------------------------------- the loop

# Why a call came back before its stop; several may hold at once.
CLEAN = 1  # a pass (in random order: n presentations) without a mistake
REPEAT = 2  # the weights at this pass end equal the remembered ones, with corrections between
POCKET = 4  # a pass has ended and its best weights wait to be judged
PATIENCE = 8  # the fewest mistakes have not been beaten for long enough
FULL = 16  # a buffer must be emptied
LIMIT = 32  # the allowed number of corrections has been made
SETTLED = 64  # a pass has hardly moved the weights

# All that a run knows besides its vectors. Times t count presentations from the start of the run.
CLOCK = np.dtype(
    [
        ("t", np.int64),  # presentations made
        ("pass_start", np.int64),
        ("dealt", np.int64),  # rows of presentations before this one are known
        ("passes", np.int64),
        ("corrections", np.int64),
        ("max_corrections", np.int64),
        ("mistakes", np.int64),  # in this pass
        ("last", np.int64),  # time just after the last correction
        ("quiet_since", np.int64),  # the later of that and the last look at every row
        ("longest", np.int64),  # pocket: longest run of right answers that ended in this pass
        ("fewest", np.int64),  # fewest mistakes of a pass, and which pass it was
        ("fewest_pass", np.int64),
        ("patience", np.int64),  # 0: endless
        ("mark_pass", np.int64),  # Brent: when the remembered weights were taken
        ("mark_corrections", np.int64),
        ("mark_w_sq", np.float64),
        ("traced", np.int64),  # entries used in the trace buffers
        ("counted", np.int64),  # entries used in the buffer of mistakes per pass
        ("tol", np.float64),  # ‖w − previous‖ ≤ tol·‖w‖ is hardly moved
        ("w_sq", np.float64),  # ‖w‖², kept for rules that look at it
    ]
)


class Memory(NamedTuple):
    """The vectors of a run. An empty array switches its part off."""

    w: Any  # the running weights
    average: Any  # Σ t·correction: the mean of the weights after each presentation is w − average/t
    longest: Any  # pocket: the weights with the longest run of right answers in this pass
    mark: Any  # Brent's remembered weights
    previous: Any  # the weights at the end of the pass before
    traced_rows: Any
    traced_steps: Any
    traced_times: Any  # presentations made, the one of the correction included
    mistakes: Any  # mistakes of each finished pass


@kernel
def _copy(source, target):
    for j in range(source.size):
        target[j] = source[j]


@kernel
def correct(rows, i, a, s, mistake, keep_norm, memory, clock, t):
    """w += a·(x_i, 1), and the books that go with it. Returns the events this brings about."""
    w, p = memory.w, n_columns(rows)
    if memory.longest.size and (t - clock.last > clock.longest or clock.longest == 0):
        clock.longest = t - clock.last  # where nothing was right yet, the latest weights that were wrong at once
        _copy(w, memory.longest)
    if keep_norm:
        bias = 1.0 if w.size > p else 0.0
        clock.w_sq = max(0.0, clock.w_sq + a * (2.0 * s + a * (row_sq(rows, i) + bias)))
    row_axpy(rows, i, a, w)
    if w.size > p:
        w[p] += a
    if memory.average.size:
        row_axpy(rows, i, a * t, memory.average)
        if w.size > p:
            memory.average[p] += a * t
    clock.corrections += 1
    clock.mistakes += mistake
    clock.last = clock.quiet_since = t + 1
    events = 0
    if memory.traced_rows.size:
        memory.traced_rows[clock.traced] = i
        memory.traced_steps[clock.traced] = a
        memory.traced_times[clock.traced] = t + 1
        clock.traced += 1
        if clock.traced == memory.traced_rows.size:
            events |= FULL
    if clock.corrections == clock.max_corrections:
        events |= LIMIT
    return events


def present(rows, y, weights, rule, order, memory, clock, until, board):
    """Show the rows of presentations clock.t..until, all in one pass; correct after each mistake."""


@overload(present, jit_options=INLINE)
def _present(rows, y, weights, rule, order, memory, clock, until, board):
    def alone(rows, y, weights, rule, order, memory, clock, until, board):
        w, pass_start, quiet = memory.w, clock.pass_start, quiet_limit(order)
        bias = 1.0 if w.size > n_columns(rows) else 0.0
        t, events = clock.t, 0
        end = min(until, clock.quiet_since + quiet)
        while t < end:
            i = row_at(order, t, pass_start)
            touch(rows, order, t, end, pass_start)
            s = respond(rows, i, w)
            a = step(rule, y[i], s, rows, i, bias, clock.w_sq)
            if a != 0.0 and weights.size:
                a *= weights[i]  # a row of weight zero is as good as absent
            if a != 0.0:
                events = correct(rows, i, a, s, is_mistake(rule, y[i], s), needs_norm(rule), memory, clock, t)
                end = t + 1 if events else min(until, t + 1 + quiet)
            t += 1
        clock.t = t
        return events

    def with_scouts(rows, y, weights, rule, order, memory, clock, until, board):
        w, pass_start, quiet = memory.w, clock.pass_start, quiet_limit(order)
        bias = 1.0 if w.size > n_columns(rows) else 0.0
        control, start, chunk = board.control, clock.t, board.chunk
        chunks = (until - start + chunk - 1) // chunk
        events, committed, waited = 0, 0, 0
        end = min(until, clock.quiet_since + quiet)
        _store(control, OPEN, 1)
        while clock.t < end:
            scouted = _load(board.done, committed) != 0
            if not scouted and waited < 20000:
                ahead = _load(control, CURSOR)
                if ahead < chunks and ahead - committed < board.ahead:
                    mine = _add(control, CURSOR, 1)
                    if committed < mine < chunks:
                        _scan(rows, y, order, w, board, mine, start, until, pass_start)
                    if mine != committed:
                        continue
                else:
                    waited += 1
                    continue
            waited = 0
            last = min(until, start + (committed + 1) * chunk)
            if scouted and board.lowest[committed] > _slack(board, board.path_at[committed]):
                clock.t = min(last, end)
            while clock.t < min(last, end):
                t = clock.t
                if not (scouted and board.agreement[t - start] > _slack(board, board.path_at[committed])):
                    i = row_at(order, t, pass_start)
                    s = respond(rows, i, w)
                    a = step(rule, y[i], s, rows, i, bias, clock.w_sq)
                    if a != 0.0 and weights.size:
                        a *= weights[i]
                    if a != 0.0:
                        version = _load(control, VERSION)
                        _store(control, VERSION, version + 1)
                        _fence()
                        events = correct(rows, i, a, s, is_mistake(rule, y[i], s), needs_norm(rule), memory, clock, t)
                        board.path[0] += abs(a)
                        _store(control, VERSION, version + 2)
                        end = t + 1 if events else min(until, t + 1 + quiet)
                clock.t = t + 1
            committed += 1
            _store(control, COMMITTED, committed)
        _store(control, CLOSED, 1)
        return events

    return alone if isinstance(board, types.NoneType) else with_scouts


@kernel
def learn(rows, y, weights, rule, order, memory, clocks, stop, board):
    """Go on learning until `stop` presentations have been made or something happens; returns the events."""
    clock = clocks[0]
    events = 0
    while events == 0 and clock.t < stop:
        pass_end = clock.pass_start + order.n
        until = min(stop, pass_end)
        if clock.dealt < until:
            deal(order, clock.dealt, until, clock.pass_start)
            clock.dealt = until
        events = present(rows, y, weights, rule, order, memory, clock, until, board)
        if clock.t - clock.quiet_since >= quiet_limit(order):
            events |= CLEAN
        if clock.t == pass_end:
            events |= end_pass(memory, clock)
    return events


@kernel
def end_pass(memory, clock):
    """Close the books of a pass and ask whether the run can ever get anywhere."""
    events = 0
    memory.mistakes[clock.counted] = clock.mistakes
    clock.counted += 1
    clock.passes += 1
    if clock.counted == memory.mistakes.size:
        events |= FULL
    if clock.mistakes == 0:
        events |= CLEAN
    if clock.mistakes < clock.fewest:
        clock.fewest, clock.fewest_pass = clock.mistakes, clock.passes
    elif clock.patience and clock.passes - clock.fewest_pass >= clock.patience:
        events |= PATIENCE
    if memory.longest.size:
        if clock.t - clock.last > clock.longest:
            clock.longest = clock.t - clock.last
            _copy(memory.w, memory.longest)
        events |= POCKET
    if memory.mark.size:
        same = clock.corrections > clock.mark_corrections
        for j in range(memory.w.size):
            if not same:
                break
            same = memory.w[j] == memory.mark[j]
        if same:
            events |= REPEAT
        elif clock.passes & (clock.passes - 1) == 0:  # Brent: remember at passes 1, 2, 4, 8, …
            _copy(memory.w, memory.mark)
            clock.mark_pass, clock.mark_corrections, clock.mark_w_sq = clock.passes, clock.corrections, clock.w_sq
    if memory.previous.size:
        moved = size = 0.0
        for j in range(memory.w.size):
            moved += (memory.w[j] - memory.previous[j]) ** 2
            size += memory.w[j] ** 2
        if moved <= clock.tol**2 * size and size < np.inf:
            events |= SETTLED
        _copy(memory.w, memory.previous)
    clock.mistakes = 0
    clock.pass_start = clock.dealt = clock.t
    return events


# ------------------------------------------------------------------------- several cores, the same corrections

# The leader runs the loop above. Scouts run ahead of it: they take the next chunk of rows, write down y·s for each with
# the weights of the moment, and go on. When the leader gets to a scouted chunk it need not look again at a row whose
# y·s exceeds what the corrections made since can have changed (Cauchy and Schwarz: |Δs| ≤ Σ|a|·R²) plus a generous
# allowance for rounding. Every other row it evaluates itself, so each correction is the one it would have made alone.
# The leader never depends on a scout: it scouts while a chunk is out, and redoes a chunk whose scout was put to sleep.

VERSION, CURSOR, COMMITTED, OPEN, CLOSED = 0, 16, 32, 48, 64  # places in Board.control, one cache line and more apart


class Board(NamedTuple):
    """What leader and scouts share during one call."""

    control: Any  # int64: version of the weights (odd while they change), next free chunk, chunks done, open, closed
    path: Any  # Σ|a| of the corrections so far, at [0]
    done: Any  # per chunk: scouted
    path_at: Any  # per chunk: path[0] when its scouting began
    lowest: Any  # per chunk: the smallest y·s
    agreement: Any  # per presentation: y·s
    chunk: Any  # presentations a chunk
    ahead: Any  # chunks that may be out at once
    radius_sq: Any  # R², R = max‖(x, 1)‖
    w_norm: Any  # ‖w‖ at the beginning of the call
    doubt: Any  # relative rounding error of two responses, generously


@intrinsic
def _load(typingctx, array, at):
    """array[at], atomically; nothing that follows is read before it."""

    def codegen(context, builder, signature, arguments):
        return builder.load_atomic(_place(context, builder, signature, arguments), "acquire", 8)

    return types.int64(array, types.int64), codegen


@intrinsic
def _store(typingctx, array, at, value):
    """array[at] = value, atomically; everything that precedes is written before it."""

    def codegen(context, builder, signature, arguments):
        builder.store_atomic(arguments[2], _place(context, builder, signature, arguments), "release", 8)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64), codegen


@intrinsic
def _add(typingctx, array, at, value):
    """array[at] += value, atomically; returns what was there before."""

    def codegen(context, builder, signature, arguments):
        return builder.atomic_rmw("add", _place(context, builder, signature, arguments), arguments[2], "seq_cst")

    return types.int64(array, types.int64, types.int64), codegen


@intrinsic
def _fence(typingctx):
    """Reads and writes stay on their side of this line."""

    def codegen(context, builder, signature, arguments):
        builder.fence("acq_rel")
        return context.get_dummy_value()

    return types.void(), codegen


@kernel
def _slack(board, path_then):
    """How far y·s of any row can have moved since Σ|a| was `path_then`; rounding of both evaluations included."""
    path = board.path[0]
    moved = (path - path_then) * board.radius_sq * (1.0 + 1e-9)
    size = board.w_norm * np.sqrt(board.radius_sq) + path * board.radius_sq
    return moved + board.doubt * size + 1e-300


@kernel
def _settled_version(control):
    version = _load(control, VERSION)
    while version & 1:
        version = _load(control, VERSION)
    return version


@kernel
def _scan(rows, y, order, w, board, k, start, stop, pass_start):
    """Write down y·s for chunk k. A row read while the leader changed the weights is read again."""
    first = start + k * board.chunk
    lowest = np.inf
    version = _settled_version(board.control)
    path = board.path[0]  # an older value than that of `version` would only widen the slack
    for t in range(first, min(stop, first + board.chunk)):
        i = row_at(order, t, pass_start)
        while True:
            agreement = y[i] * respond(rows, i, w)
            _fence()
            now = _load(board.control, VERSION)
            if now == version:
                break
            version = _settled_version(board.control)
        if not agreement >= -np.inf:  # not a number
            agreement = -np.inf
        board.agreement[t - start] = agreement
        lowest = min(lowest, agreement)
    board.lowest[k] = lowest
    board.path_at[k] = path
    _store(board.done, k, 1)


@kernel
def scout(rows, y, order, w, board, start, stop, pass_start):
    """Scan chunks ahead of the leader until there are none left or it closes the board. Returns how many."""
    control, scanned = board.control, 0
    chunks = (stop - start + board.chunk - 1) // board.chunk
    while _load(control, CLOSED) == 0:
        ahead = _load(control, CURSOR)
        if ahead >= chunks:
            break
        if _load(control, OPEN) == 0 or ahead - _load(control, COMMITTED) >= board.ahead:
            continue
        mine = _add(control, CURSOR, 1)
        if mine < chunks:
            _scan(rows, y, order, w, board, mine, start, stop, pass_start)
            scanned += 1
    return scanned


# --------------------------------------------------------------------------------------------------- looking at rows


@kernel
def descend(rows, y, weights, rule, w, gradient, start, stop):
    """gradient += Σ step·(x_i, 1) over rows start..stop with fixed weights: the batch's share of one descent step.

    Returns the number of mistakes.
    """
    p = n_columns(rows)
    bias = 1.0 if w.size > p else 0.0
    mistakes = 0
    for i in range(start, stop):
        if weights.size and weights[i] == 0.0:
            continue
        s = respond(rows, i, w)
        a = step(rule, y[i], s, rows, i, bias, 0.0)
        if weights.size:
            a *= weights[i]
        if a == 0.0:  # nothing to learn
            continue
        row_axpy(rows, i, a, gradient)
        if w.size > p:
            gradient[p] += a
        mistakes += is_mistake(rule, y[i], s)
    return mistakes


@kernel
def learn_row(X, y, rule, w):
    """The loop's body for the only row of a dense X.

    For streams that come row by row, where a call costs what its arguments cost.
    Returns 1 after a correction, 0 without one, and −1, having done nothing, where s is no finite number.
    """
    rows = Dense(X)
    bias = 1.0 if w.size > X.shape[1] else 0.0
    s = respond(rows, 0, w)
    if not abs(s) < np.inf:
        return -1
    a = step(rule, y, s, rows, 0, bias, 0.0)
    if a == 0.0:
        return 0
    row_axpy(rows, 0, a, w)
    if w.size > X.shape[1]:
        w[X.shape[1]] += a
    return 1


@kernel
def respond_all(rows, w, out, start, stop):
    """out[i] = w · (x_i, 1) for rows start..stop."""
    for i in range(start, stop):
        out[i] = respond(rows, i, w)


@kernel
def logistic_all(scores, out):
    """out[i] = σ(scores[i])."""
    for i in range(scores.size):
        out[i] = logistic(scores[i])


@kernel
def judge(rows, y, weights, w, ties, doubt, unsure, start, stop):
    """Look at rows start..stop with fixed weights; returns (mistakes, zeros, n).

    mistakes  counts y·s < 0, and ties that are mistakes by `ties` = (on positive, on negative examples);
    zeros     counts s = 0;
    unsure    is filled with the n rows of |s| ≤ doubt, whose true sign rounding may hide.
    """
    mistakes = zeros = n = 0
    for i in range(start, stop):
        agreement = y[i] * respond(rows, i, w)
        if agreement > doubt or (weights.size and weights[i] == 0.0):
            continue
        if agreement == 0.0:
            zeros += 1
            if ties[0] if y[i] > 0 else ties[1]:
                mistakes += 1
        elif not agreement > 0.0:
            mistakes += 1
        if not agreement < -doubt:
            unsure[n] = i
            n += 1
    return mistakes, zeros, n


@kernel
def survey(rows, bias, start, stop):
    """Largest ‖(x_i, bias)‖² of rows start..stop, and the first of them whose square is no finite number (or −1)."""
    largest, bad = 0.0, -1
    for i in range(start, stop):
        sq = row_sq(rows, i) + bias
        if not sq < np.inf:
            if bad < 0:
                bad = i
            largest = np.inf
        elif sq > largest:
            largest = sq
    return largest, bad


@kernel
def squares(rows, bias, out, start, stop):
    """out[i] = ‖(x_i, bias)‖² for rows start..stop."""
    for i in range(start, stop):
        out[i] = row_sq(rows, i) + bias


@kernel
def replay(rows, traced_rows, traced_steps, w, start, stop):
    """Make corrections start..stop of a trace again."""
    p = n_columns(rows)
    for k in range(start, stop):
        row_axpy(rows, traced_rows[k], traced_steps[k], w)
        if w.size > p:
            w[p] += traced_steps[k]


@kernel
def walk(rows, traced_rows, traced_steps, w, w_star, norm_sq, along, start, stop):
    """norm_sq[k] = ‖w(k)‖² and along[k] = w(k)·w* for k = start..stop of a trace; w is w(start − 1), at first w(0)."""
    p = n_columns(rows)
    for k in range(start, stop):
        if k > 0:
            row_axpy(rows, traced_rows[k - 1], traced_steps[k - 1], w)
            if w.size > p:
                w[p] += traced_steps[k - 1]
        sq = dot = 0.0
        for j in range(w.size):
            sq += w[j] * w[j]
            dot += w[j] * w_star[j]
        norm_sq[k], along[k] = sq, dot
