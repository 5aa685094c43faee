"""Many perceptrons at once: the recurrence of the blocked perceptron, over probes side by side.

Every probe sees the same rows; each probe is one lane of the vectors. One turn takes `LANES` probes, so the width of
every array of probes is a multiple of `LANES`. Lanes to spare have no labels and learn nothing.

The correction is c = y after a mistake, y·s ≤ 0, and 0 otherwise, also where there is no label (y = 0). One comparison
is enough: c = 0 if y·s > 0, else y. So a response that is not a number counts as a mistake.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from rosenblatt.kernels.compile import helper, kernel_with_blas
from rosenblatt.kernels.lanes import run_loop, splat

__all__ = ["LANES", "learn"]

LANES = 64  # probes a turn
_WIDE = 16  # values of a vector; LLVM splits it where registers are narrower
_VECTORS = LANES // _WIDE


class _Lanes:
    """Vectors of LANES neighbouring values, and arithmetic on them, for the intrinsics below."""

    def __init__(self, context, builder, element):
        self.context, self.builder = context, builder
        self.element = context.get_data_type(element)
        self.vector = ir.VectorType(self.element, _WIDE)
        self.zero = ir.Constant(self.vector, [0.0] * _WIDE)

    def load(self, pointer, element=None):
        vector = ir.VectorType(element, _WIDE) if element else self.vector
        align = (element.width if element else 8 * self.size) // 8
        return [self.builder.load(at, align=align) for at in self._places(pointer, vector)]

    def store(self, pointer, values):
        for at, value in zip(self._places(pointer, values[0].type), values, strict=True):
            self.builder.store(value, at, align=self.size)

    @property
    def size(self):
        """Bytes of one value."""
        return self.context.get_abi_sizeof(self.element)

    def _places(self, pointer, vector):
        base = self.builder.bitcast(pointer, vector.as_pointer())
        return [self.builder.gep(base, [ir.Constant(ir.IntType(64), k)]) for k in range(_VECTORS)]

    def _add_product(self, sums, factor, values):
        """Sums + factor · values, fused where the CPU can."""
        b, fuse = self.builder, ("contract",)
        return [b.fadd(s, b.fmul(factor, v, fuse), fuse) for v, s in zip(values, sums, strict=True)]

    def accumulate(self, sums, stop, term):
        """Sums plus term(j) = (factor, values) for j = 0..stop, in this order."""
        return run_loop(self.builder, stop, 1, sums, lambda j, running: self._add_product(running, *term(j)))

    def corrections(self, labels, responses, counts):
        """c for labels (int8) and responses; counts (int32, by pointer) go up where c is not 0."""
        b, short = self.builder, ir.VectorType(ir.IntType(32), _WIDE)
        steps = []
        for y, s in zip(labels, responses, strict=True):
            y = b.sitofp(y, self.vector)
            steps.append(b.select(b.fcmp_ordered(">", b.fmul(y, s), self.zero), self.zero, y))
        for at, c in zip(self._places(counts, short), steps, strict=True):
            mistake = b.zext(b.fcmp_unordered("!=", c, self.zero), short)
            b.store(b.add(b.load(at, align=4), mistake), at, align=4)
        return steps


def _pointers(context, builder, signature, arguments, *places):
    """Addresses array[i, j] of C-ordered arrays, for (argument, i, j); a vector has i = None."""
    for number, i, j in places:
        array = context.make_array(signature.args[number])(context, builder, arguments[number])
        at = j
        if i is not None:
            at = builder.add(builder.mul(i, cgutils.unpack_tuple(builder, array.shape)[1]), j)
        yield builder.gep(array.data, [at])


@intrinsic
def _correct_row(typingctx, S, G, Y, mistakes, r, i, t):
    """S[r, t:t+LANES] = c for row r of the block, after the corrections of the rows above it; its labels are Y[i]."""

    def codegen(context, builder, signature, arguments):
        r, i, t = arguments[4:]
        lanes = _Lanes(context, builder, signature.args[0].dtype)
        here, labels, counts = _pointers(context, builder, signature, arguments, (0, r, t), (2, i, t), (3, None, t))

        def term(q):
            g, c = _pointers(context, builder, signature, arguments, (1, r, q), (0, q, t))
            return splat(builder, lanes.vector, builder.load(g)), lanes.load(c)

        responses = lanes.accumulate(lanes.load(here), r, term)
        lanes.store(here, lanes.corrections(lanes.load(labels, ir.IntType(8)), responses, counts))
        return context.get_dummy_value()

    return types.void(S, G, Y, mistakes, types.int64, types.int64, types.int64), codegen


@helper
def recur(S, G, Y, rows, mistakes):
    """Replace S = X̃_b·W, the responses before the block's corrections, by the corrections C.

    Down the rows r of the block, c_r = y_r where y_r·(S_r + Σ_{q<r} G_{rq}·c_q) ≤ 0, else 0; G = X̃_b·X̃_bᵀ. Row r of
    the block has its labels in row rows[r] of Y; mistakes of each probe are counted.
    """
    for t in range(0, S.shape[1], LANES):
        for r in range(rows.size):
            _correct_row(S, G, Y, mistakes, r, rows[r], t)


@helper
def _add_block(values, to):
    for i in range(to.shape[0]):
        for j in range(to.shape[1]):
            to[i, j] += values[i, j]


@kernel_with_blas
def learn(X, G, W, A, Y, rows, t, S, product, mistakes, closed):
    """Show rows X = (x, 1) in blocks of len(S), each with its G, to the probes W; row r has the labels Y[rows[r]].

    Unless A is empty, each correction times its presentation's number is added to A; the first number is t. `product`
    has the shape of W, S that of a block's responses. The call ends early once `closed` is set. np.dot is SciPy's BLAS
    here, called without the interpreter: threads that called BLAS from Python would wait for the interpreter.
    """
    R = len(S)
    for first in range(0, rows.size, R):
        if closed[0]:
            return
        last = min(first + R, rows.size)
        block, C = X[first:last], S[: last - first]
        np.dot(block, W, C)
        recur(C, G[first // R], Y, rows[first:last], mistakes)
        np.dot(block.T, C, product)
        _add_block(product, W)
        if A.size:
            for r in range(last - first):
                for j in range(C.shape[1]):
                    C[r, j] *= t + first + r
            np.dot(block.T, C, product)
            _add_block(product, A)
