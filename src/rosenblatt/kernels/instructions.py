"""Machine instructions that Python has no words for, one function each."""

import sys

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

__all__ = [
    "add_atomic",
    "as_bits",
    "as_float",
    "fence",
    "load_atomic",
    "load_eight_bytes",
    "prefetch",
    "store_atomic",
    "upper_product",
    "zeros_above",
    "zeros_below",
]

# ---------------------------------------------------------------------------------------------------------- uint64


def _unary(name, result, build):
    """An instruction on one uint64."""

    def typed(typingctx, value):
        def codegen(context, builder, signature, arguments):
            return build(builder, arguments[0])

        return result(types.uint64), codegen

    typed.__name__ = typed.__qualname__ = name
    return intrinsic(typed)


_ALSO_FOR_ZERO = ir.Constant(ir.IntType(1), 0)  # all 64 bits of 0 are zeros: the answer is 64

zeros_above = _unary("zeros_above", types.uint64, lambda b, v: b.ctlz(v, _ALSO_FOR_ZERO))
zeros_below = _unary("zeros_below", types.uint64, lambda b, v: b.cttz(v, _ALSO_FOR_ZERO))
as_float = _unary("as_float", types.float64, lambda b, v: b.bitcast(v, ir.DoubleType()))  # the same bits


@intrinsic
def as_bits(typingctx, value):
    """The bits of a float64."""

    def codegen(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.uint64(types.float64), codegen


@intrinsic
def upper_product(typingctx, a, b):
    """The upper 64 of the 128 bits of a · b."""

    def codegen(context, builder, signature, arguments):
        wide = ir.IntType(128)
        product = builder.mul(*(builder.zext(value, wide) for value in arguments))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), codegen


@intrinsic
def load_eight_bytes(typingctx, text, at):
    """Eight bytes of `text`, from `at` on, as one word; the first byte is the lowest."""

    def codegen(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = cgutils.gep_inbounds(builder, array.data, arguments[1])
        word = builder.load(builder.bitcast(place, ir.IntType(64).as_pointer()), align=1)
        return word if sys.byteorder == "little" else builder.bswap(word)

    return types.uint64(text, types.int64), codegen


# ---------------------------------------------------------------------------------------------------------- memory


def _address(context, builder, signature, arguments):
    """The address of array[at]; these two are the first arguments of the instruction."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.gep(array.data, [arguments[1]])


@intrinsic
def prefetch(typingctx, array, at):
    """Ask for the cache line of array[at], which may lie beyond the end. A hint: it changes no result."""

    def codegen(context, builder, signature, arguments):
        byte, short = ir.IntType(8).as_pointer(), ir.IntType(32)
        function = ir.FunctionType(ir.VoidType(), [byte, short, short, short])
        instruction = builder.module.declare_intrinsic("llvm.prefetch", [byte], function)
        address = builder.bitcast(_address(context, builder, signature, arguments), byte)
        builder.call(instruction, [address, short(0), short(3), short(1)])  # read, keep, data
        return context.get_dummy_value()

    return types.void(array, types.uint64), codegen


@intrinsic
def load_atomic(typingctx, array, at):
    """array[at], atomically. What follows is read after it."""

    def codegen(context, builder, signature, arguments):
        return builder.load_atomic(_address(context, builder, signature, arguments), "acquire", 8)

    return types.int64(array, types.int64), codegen


@intrinsic
def store_atomic(typingctx, array, at, value):
    """array[at] = value, atomically. What precedes is written before it."""

    def codegen(context, builder, signature, arguments):
        builder.store_atomic(arguments[2], _address(context, builder, signature, arguments), "release", 8)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64), codegen


@intrinsic
def add_atomic(typingctx, array, at, value):
    """array[at] += value, atomically; returns what was there before."""

    def codegen(context, builder, signature, arguments):
        return builder.atomic_rmw("add", _address(context, builder, signature, arguments), arguments[2], "seq_cst")

    return types.int64(array, types.int64, types.int64), codegen


@intrinsic
def fence(typingctx):
    """Reads and writes before this line happen before those after it."""

    def codegen(context, builder, signature, arguments):
        builder.fence("acq_rel")
        return context.get_dummy_value()

    return types.void(), codegen
