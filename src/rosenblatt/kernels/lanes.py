"""Sums in fixed lanes: as fast as vector instructions, and the same bits on every CPU.

**The order of summation is part of the contract.** The caller sums fewer than 8 products from left to right. For 8 or
more there are sixteen lanes, two vectors of eight float64:

1. As long as sixteen products are left, product j is added to lane j modulo 16.
2. If eight or more are left then, the first eight of them are added to lanes 0 … 7.
3. The remaining r < 8 products are added to the last r lanes, 16 − r … 15.
4. The lanes are folded: lane k + 8 into lane k, then k + 4 into k, k + 2 into k, k + 1 into k.

No fast-math: LLVM would choose the order, and another one on another CPU. The vectors are written out here, because
LLVM does not find them by itself where it must keep the order.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

__all__ = ["add_eight", "combine_32", "combine_eight", "fold", "four_lane_dots", "lane_distance_sq", "lane_dot"]
__all__ += ["multiply_eight", "run_loop", "splat"]

_INDEX, _LANE, _DOUBLE = ir.IntType(64), ir.IntType(32), ir.DoubleType()
_EIGHT = ir.VectorType(_DOUBLE, 8)
_ZEROS = ir.Constant(_EIGHT, [0.0] * 8)


@intrinsic
def lane_dot(typingctx, x, at, w, begin, count):
    """x[at:at+count] · w[begin:begin+count], count ≥ 8, in float64. x may have any shape; `at` counts in C order."""

    def codegen(context, builder, signature, arguments):
        x_from, w_from = _pair(context, builder, signature.args, arguments)
        return _sum_all(builder, arguments[4], lambda j: builder.fmul(x_from.eight(j), w_from.eight(j)))

    return types.float64(x, types.int64, w, types.int64, types.int64), codegen


@intrinsic
def lane_distance_sq(typingctx, x, at, w, begin, count):
    """Σ (x[at + j] − w[begin + j])² for j < count, count ≥ 8: the sum of `lane_dot` with other terms."""

    def codegen(context, builder, signature, arguments):
        x_from, w_from = _pair(context, builder, signature.args, arguments)

        def square(j):
            difference = builder.fsub(x_from.eight(j), w_from.eight(j))
            return builder.fmul(difference, difference)

        return _sum_all(builder, arguments[4], square)

    return types.float64(x, types.int64, w, types.int64, types.int64), codegen


@intrinsic
def four_lane_dots(typingctx, x, at, w, begin, stride, count, out, k):
    """out[k + i] += x[at:at+count] · w[begin + i·stride:], i < 4, count ≥ 8: each is the sum of `lane_dot`.

    One sum alone waits for its own additions; four go side by side.
    """

    def codegen(context, builder, signature, arguments):
        kinds = signature.args
        x_from = _Values(context, builder, kinds[0], arguments[0], arguments[1])
        begins = [builder.add(arguments[3], builder.mul(arguments[4], _int64(i))) for i in range(4)]
        w_from = [_Values(context, builder, kinds[2], arguments[2], one) for one in begins]
        products = [lambda j, one=one: builder.fmul(x_from.eight(j), one.eight(j)) for one in w_from]
        whole = builder.and_(arguments[5], _int64(-16))

        def add(j, sums):
            places = [builder.add(j, _int64(8 * half)) for half in (0, 1)]
            return [builder.fadd(sums[i], products[i // 2](places[i % 2])) for i in range(8)]

        sums = run_loop(builder, whole, 16, [_ZEROS] * 8, add)
        total = context.make_array(kinds[6])(context, builder, arguments[6]).data
        for i, product in enumerate(products):
            place = builder.gep(total, [builder.add(arguments[7], _int64(i))])
            own = _end_sum(builder, arguments[5], whole, sums[2 * i : 2 * i + 2], product)
            builder.store(builder.fadd(builder.load(place), own), place)
        return context.get_dummy_value()

    return types.void(x, types.int64, w, types.int64, types.int64, types.int64, out, types.int64), codegen


def _combining(vectors, name):
    """An instruction: out[k + i] += Σ_j w[begin + j]·x[at + j·stride + i], j < many in this order, i < 8·vectors."""

    def typed(typingctx, out, k, many, w, begin, x, at, stride):
        def codegen(context, builder, signature, arguments):
            into, factors, values = (
                _Values(context, builder, signature.args[i], arguments[i], arguments[place])
                for i, place in ((0, 1), (3, 4), (5, 6))
            )

            def add(j, sums):
                factor = splat(builder, _EIGHT, builder.load(builder.gep(factors.base, [j])))
                row = builder.mul(j, arguments[7])
                eights = [values.eight(builder.add(row, _int64(8 * i))) for i in range(vectors)]
                return [builder.fadd(one, builder.fmul(factor, eight)) for one, eight in zip(sums, eights, strict=True)]

            sums = [into.eight(_int64(8 * i)) for i in range(vectors)]
            for i, total in enumerate(run_loop(builder, arguments[2], 1, sums, add)):
                builder.store(total, into.place(_int64(8 * i)), align=8)
            return context.get_dummy_value()

        integer = types.int64
        return types.void(out, integer, integer, w, integer, x, integer, integer), codegen

    typed.__name__ = typed.__qualname__ = name
    return intrinsic(typed)


combine_eight, combine_32 = _combining(1, "combine_eight"), _combining(4, "combine_32")


@intrinsic
def multiply_eight(typingctx, out, k, x, at, w, begin):
    """out[k:k+8] = x[at:at+8] · w[begin:begin+8], each by each."""

    def codegen(context, builder, signature, arguments):
        x_from, w_from = _pair(context, builder, signature.args, arguments, 2)
        into = _Values(context, builder, signature.args[0], arguments[0], arguments[1])
        builder.store(builder.fmul(x_from.eight(_int64(0)), w_from.eight(_int64(0))), into.place(_int64(0)), align=8)
        return context.get_dummy_value()

    return types.void(out, types.int64, x, types.int64, w, types.int64), codegen


@intrinsic
def add_eight(typingctx, w, j, a, x, at):
    """w[j:j+8] += a · x[at:at+8] as one vector: LLVM, left alone, sometimes takes the values one by one."""

    def codegen(context, builder, signature, arguments):
        weights = _Values(context, builder, signature.args[0], arguments[0], arguments[1])
        values = _Values(context, builder, signature.args[3], arguments[3], arguments[4]).eight(_int64(0))
        correction = builder.fmul(splat(builder, _EIGHT, arguments[2]), values)
        builder.store(builder.fadd(weights.eight(_int64(0)), correction), weights.place(_int64(0)), align=8)
        return context.get_dummy_value()

    return types.void(w, types.int64, types.float64, x, types.int64), codegen


# ------------------------------------------------------------------------------------ building blocks of the sums above


class _Values:
    """The values of an array from a place on, taken eight at a time."""

    def __init__(self, context, builder, array, argument, begin):
        self.builder, self.array = builder, array
        self.element = context.get_data_type(array.dtype)
        self.base = builder.gep(context.make_array(array)(context, builder, argument).data, [begin])

    def place(self, j):
        """The address of values j … j + 7."""
        return self.builder.bitcast(self.builder.gep(self.base, [j]), ir.VectorType(self.element, 8).as_pointer())

    def eight(self, j):
        """Values j … j + 7 as float64. They need not lie at a multiple of eight values."""
        values = self.builder.load(self.place(j), align=self.array.dtype.bitwidth // 8)
        return values if self.element == _DOUBLE else self.builder.fpext(values, _EIGHT)


def _int64(k):
    return ir.Constant(_INDEX, k)


def splat(builder, vector, value):
    """A vector with the same value in each of its lanes."""
    lone = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.Constant(_LANE, 0))
    first = ir.Constant(ir.VectorType(_LANE, vector.count), [0] * vector.count)
    return builder.shuffle_vector(lone, ir.Constant(vector, ir.Undefined), first)


def run_loop(builder, stop, step, values, change):
    """values = change(j, values) for j = 0, step, … below `stop`; returns the last values."""
    before, loop, after = builder.block, builder.append_basic_block("loop"), builder.append_basic_block("after")
    builder.cbranch(builder.icmp_signed(">", stop, _int64(0)), loop, after)
    builder.position_at_end(loop)
    j, running = builder.phi(_INDEX), [builder.phi(value.type) for value in values]
    changed = change(j, running)
    j_next = builder.add(j, _int64(step))
    builder.cbranch(builder.icmp_signed("<", j_next, stop), loop, after)
    builder.position_at_end(after)
    last = [builder.phi(value.type) for value in values]
    j.add_incoming(_int64(0), before)
    j.add_incoming(j_next, loop)
    for phis in (running, last):
        for phi, first, later in zip(phis, values, changed, strict=True):
            phi.add_incoming(first, before)
            phi.add_incoming(later, loop)
    return last


def _pair(context, builder, kinds, arguments, first=0):
    """The values of two arrays, the first being argument `first`, each from its own place on."""
    return (_Values(context, builder, kinds[k], arguments[k], arguments[k + 1]) for k in (first, first + 2))


def _sum_all(builder, count, product):
    """Products 0 … count − 1 in the order that this file states."""
    whole = builder.and_(count, _int64(-16))
    return _end_sum(builder, count, whole, _sum_sixteens(builder, whole, product), product)


def _end_sum(builder, count, whole, sums, product):
    """The sum of all products, `whole` of which are in the two vectors of `sums`."""
    first, second = sums
    first, left = _sum_eight_more(builder, first, whole, builder.sub(count, whole), product)
    last = _last_products(builder, count, left, product)
    return fold(builder, builder.fadd(first, builder.fadd(second, last)))


def _sum_sixteens(builder, whole, product):
    """Products 0 … whole − 1, sixteen a turn, as two vectors of lanes."""

    def add(j, sums):
        return [builder.fadd(sums[k], product(builder.add(j, _int64(8 * k)))) for k in (0, 1)]

    return run_loop(builder, whole, 16, [_ZEROS, _ZEROS], add)


def _sum_eight_more(builder, first, whole, left, product):
    """Add eight more products to the first vector, if so many are left; returns the vector and how many are left."""
    before, eight, after = builder.block, builder.append_basic_block("eight"), builder.append_basic_block("tail")
    builder.cbranch(builder.icmp_signed(">=", left, _int64(8)), eight, after)
    builder.position_at_end(eight)
    more, fewer = builder.fadd(first, product(whole)), builder.sub(left, _int64(8))
    builder.branch(after)
    builder.position_at_end(after)
    total, rest = builder.phi(_EIGHT), builder.phi(_INDEX)
    for value, remaining, block in ((first, left, before), (more, fewer, eight)):
        total.add_incoming(value, block)
        rest.add_incoming(remaining, block)
    return total, rest


def _last_products(builder, count, left, product):
    """The last eight products (count ≥ 8, so there are eight), with zero for those that are already summed."""
    lanes = ir.VectorType(_INDEX, 8)
    summed = splat(builder, lanes, builder.sub(_int64(8), left))
    is_new = builder.icmp_signed(">=", ir.Constant(lanes, list(range(8))), summed)
    return builder.select(is_new, product(builder.sub(count, _int64(8))), _ZEROS)


def fold(builder, vector):
    """The sum of eight lanes, in a fixed order."""
    lane = [builder.extract_element(vector, ir.Constant(_LANE, k)) for k in range(8)]
    fours = [builder.fadd(lane[k], lane[k + 4]) for k in range(4)]
    return builder.fadd(builder.fadd(fours[0], fours[2]), builder.fadd(fours[1], fours[3]))
