"""The block's recurrence in Triton: one thread, one probe. Without Triton this file is empty."""

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

__all__ = ["LANES_PER_WARP", "SUB", "recur"] if triton else []

SUB = 32  # rows whose responses stay in registers; the loop over them is unrolled
LANES_PER_WARP = 32

if triton:
    # The strides are not specialised on purpose. If Triton knew that they are multiples of 16 it would give a thread
    # four neighbouring probes and spread the rows over threads, and the recurrence would wait for shuffles; so each
    # thread has one probe with all its rows in registers, and there is nothing to wait for.
    @triton.jit(do_not_specialize=["width", "s_stride", "y_stride"])  # type: ignore[untyped-decorator]
    def recur(  # type: ignore[no-untyped-def]
        S, G, Y, rows, bias, mistakes, width, s_stride, y_stride, R: tl.constexpr, SUB: tl.constexpr, T: tl.constexpr
    ):
        """S (R × width) comes as X_b·W and leaves as C; T probes a program, and T threads.

        G = X_b·X_bᵀ + 1, so that it carries the bias too; `bias` and `mistakes` go with the probes. Row r of the block
        has its labels in row rows[r] of Y.
        """
        probe = tl.program_id(0) * T + tl.arange(0, T)
        inside = probe < width
        sub = tl.arange(0, SUB)
        b = tl.load(bias + probe, mask=inside, other=0.0)
        before = b  # G accounts for what the bias gains inside the block
        wrong_so_far = tl.zeros([T], tl.int32)
        for first in range(0, R, SUB):
            here = S + (first + sub)[:, None] * s_stride + probe[None, :]
            s = tl.load(here, mask=inside[None, :], other=0.0) + before[None, :]
            for q in range(first):  # corrections of the rows above, which this program wrote
                c = tl.load(S + q * s_stride + probe, mask=inside, other=0.0)
                s += tl.load(G + q * R + first + sub)[:, None] * c[None, :]
            for k in tl.static_range(SUB):
                i = tl.load(rows + first + k)
                y = tl.load(Y + i.to(tl.int64) * y_stride + probe, mask=inside, other=0).to(tl.float32)
                # row k of s, as a sum of integers: the compiler knows which terms are zero and drops them
                bits = tl.sum(tl.where((sub == k)[:, None], s.to(tl.int32, bitcast=True), 0), axis=0)
                right = y * bits.to(tl.float32, bitcast=True) > 0.0
                c = tl.where(right, 0.0, y)
                s += tl.load(G + (first + k) * R + first + sub)[:, None] * c[None, :]
                tl.store(S + (first + k) * s_stride + probe, c, mask=inside)
                wrong_so_far += (c != 0.0).to(tl.int32)
                b += c
            tl.debug_barrier()
        tl.store(bias + probe, b, mask=inside)
        counted = tl.load(mistakes + probe, mask=inside, other=0)
        tl.store(mistakes + probe, counted + wrong_so_far, mask=inside)
