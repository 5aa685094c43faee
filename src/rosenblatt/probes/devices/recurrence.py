"""The block's recurrence in Triton, one thread for each probe. Without Triton this file defines nothing."""

try:
    import triton
    import triton.language as tl
    from triton.language import constexpr  # known when a kernel is compiled
except ImportError:
    triton = None

__all__ = ["LANES_PER_WARP", "correct", "recur", "sweep"] if triton else []

LANES_PER_WARP = 32

if triton:

    @triton.jit  # type: ignore[untyped-decorator]
    def _row(tile, sub, k: constexpr):  # type: ignore[no-untyped-def]
        """Row k, as a sum of integers: the compiler knows which terms are zero and drops them."""
        bits = tl.sum(tl.where((sub == k)[:, None], tile.to(tl.int32, bitcast=True), 0), axis=0)
        return bits.to(tl.float32, bitcast=True)

    # The strides are not specialised on purpose. If Triton knew that they are multiples of 16 it would give a thread
    # four neighbouring probes and spread the rows over threads, and the recurrence would wait for shuffles; so each
    # thread has one probe with all its rows in registers, and there is nothing to wait for.
    @triton.jit(do_not_specialize=["width", "s_stride", "y_stride"])  # type: ignore[untyped-decorator]
    def recur(  # type: ignore[no-untyped-def]
        S, G, Y, rows, bias, mistakes, width, s_stride, y_stride, R: constexpr, SUB: constexpr, T: constexpr
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
            # everything is asked for at once: a load that waits behind a store would cost more than the arithmetic
            here = S + (first + sub)[:, None] * s_stride + probe[None, :]
            s = tl.load(here, mask=inside[None, :], other=0.0) + before[None, :]
            i = tl.load(rows + first + sub).to(tl.int64)
            y = tl.load(Y + i[:, None] * y_stride + probe[None, :], mask=inside[None, :], other=0).to(tl.int32)
            for above in range(0, first, SUB):  # corrections of the rows above, which this program wrote
                C = tl.load(S + (above + sub)[:, None] * s_stride + probe[None, :], mask=inside[None, :], other=0.0)
                for k in tl.static_range(SUB):
                    s += tl.load(G + (above + k) * R + first + sub)[:, None] * _row(C, sub, k)[None, :]
            C = tl.zeros([SUB, T], tl.float32)
            for k in tl.static_range(SUB):
                label = tl.sum(tl.where((sub == k)[:, None], y, 0), axis=0).to(tl.float32)
                c = tl.where(label * _row(s, sub, k) > 0.0, 0.0, label)
                s += tl.load(G + (first + k) * R + first + sub)[:, None] * c[None, :]
                C = tl.where((sub == k)[:, None], c[None, :], C)
                wrong_so_far += (c != 0.0).to(tl.int32)
                b += c
            tl.store(here, C, mask=inside[None, :])
            tl.debug_barrier()
        tl.store(bias + probe, b, mask=inside)
        counted = tl.load(mistakes + probe, mask=inside, other=0)
        tl.store(mistakes + probe, counted + wrong_so_far, mask=inside)

    @triton.jit  # type: ignore[untyped-decorator]
    def correct(  # type: ignore[no-untyped-def]
        W, X, C, width, w_stride, x_part, p, R: constexpr, K: constexpr, P: constexpr, T: constexpr, KIND: constexpr
    ):
        """W += X_bᵀ·C on tensor cores, with the products of float32: C is −1, 0 or 1, and X = X0 + X1 + X2 in bfloat16.

        X holds the three parts one after the other, `x_part` values apart; each product is exact, sums are float32.
        KIND is bfloat16; the interpreter, which cannot multiply that, takes float32.
        """
        probe = tl.program_id(0) * T + tl.arange(0, T)
        j = tl.program_id(1) * P + tl.arange(0, P)
        row = tl.arange(0, K)
        here = W + j[:, None] * w_stride + probe[None, :]
        inside = (j < p)[:, None] & (probe < width)[None, :]
        w = tl.load(here, mask=inside, other=0.0)
        for k in range(0, R, K):
            at = C + (k + row)[:, None] * width + probe[None, :]
            c = tl.load(at, mask=(probe < width)[None, :], other=0.0).to(KIND)
            for part in tl.static_range(3):
                x = tl.load(X + part * x_part + (k + row)[:, None] * p + j[None, :], mask=(j < p)[None, :], other=0.0)
                w = tl.dot(tl.trans(x.to(KIND)), c, w, input_precision="ieee")
        tl.store(here, w, mask=inside)

    @triton.jit  # type: ignore[untyped-decorator]
    def sweep(  # type: ignore[no-untyped-def]
        X,
        pairs,
        Y,
        rows,
        shown,
        W,
        bias,
        mistakes,
        width,
        p: constexpr,
        P: constexpr,
        T: constexpr,
        FULL: constexpr,
        IN_TURN: constexpr,
    ):
        """The lecture's loop for few columns: T probes keep all their weights in registers and go down the rows.

        Two responses are computed with the same weights, and the second corrected by pairs = x₀·x₁ + 1. A warp's
        threads share a probe's weights between them, four probes each, so that a value of x serves four. Labels are
        asked for one step ahead, so two rows more are read than `shown` says (an even number). FULL: there are as many
        probes as T divides. IN_TURN: row i has its labels in row rows[0] + i of Y; else in row rows[i].
        """
        probe = tl.program_id(0) * T + tl.arange(0, T)
        inside = probe < width
        j = tl.arange(0, P)
        used = (j < p)[:, None] & inside[None, :]
        here = W + j[:, None] * width + probe[None, :]
        w = tl.load(here, mask=used, other=0.0)
        b = tl.load(bias + probe, mask=inside, other=0.0)
        wrong = tl.zeros([T], tl.float32)
        at = X + j
        label = Y + probe
        if IN_TURN:
            label += tl.load(rows).to(tl.int64) * width
        next0 = _labels(label, rows, 0, width, inside, FULL, IN_TURN)
        next1 = _labels(label, rows, 1, width, inside, FULL, IN_TURN)
        next_pair = tl.load(pairs)
        for _ in tl.range(0, tl.load(shown), 2, loop_unroll_factor=2):
            x0 = tl.load(at, mask=j < p, other=0.0)
            x1 = tl.load(at + p, mask=j < p, other=0.0)
            y0 = next0.to(tl.float32)
            y1 = next1.to(tl.float32)
            pair = next_pair
            at += 2 * p
            rows += 2
            pairs += 1
            if IN_TURN:
                label += 2 * width
            next0 = _labels(label, rows, 0, width, inside, FULL, IN_TURN)
            next1 = _labels(label, rows, 1, width, inside, FULL, IN_TURN)
            next_pair = tl.load(pairs)
            s0 = tl.sum(w * x0[:, None], axis=0) + b
            s1 = tl.sum(w * x1[:, None], axis=0) + b
            c0 = tl.where(y0 * s0 > 0.0, 0.0, y0)
            s1 += pair * c0
            c1 = tl.where(y1 * s1 > 0.0, 0.0, y1)
            w += x0[:, None] * c0[None, :]
            w += x1[:, None] * c1[None, :]
            b += c0 + c1
            wrong += c0 * c0 + c1 * c1
        tl.store(here, w, mask=used)
        tl.store(bias + probe, b, mask=inside)
        counted = tl.load(mistakes + probe, mask=inside, other=0)
        tl.store(mistakes + probe, counted + wrong.to(tl.int32), mask=inside)

    @triton.jit  # type: ignore[untyped-decorator]
    def _labels(label, rows, i, width, inside, FULL: constexpr, IN_TURN: constexpr):  # type: ignore[no-untyped-def]
        """The probes' labels of row i."""
        at = label + i * width if IN_TURN else label + tl.load(rows + i).to(tl.int64) * width
        return tl.load(at) if FULL else tl.load(at, mask=inside, other=0)
