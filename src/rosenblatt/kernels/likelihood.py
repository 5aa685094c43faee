"""The loss of successes or counts at some weights, compiled: sums over the rows, Jeffreys' terms, and Newton's steps.

For a row with response s = z·v + offset: `residual` = mean − y, and V, V1, V2 are the variance and its first two
derivatives in s. With the penalty the loss is that of the likelihood − ½·log det I, I = Σ c·V·z zᵀ, its gradient is
Σ c·(residual − ½·V1·h)·z with h = z·I⁻¹·z, and its curvature I − ½·(Σ c·V2·h·z zᵀ − tr(I⁻¹·T_j·I⁻¹·T_k)), where
T_j = Σ c·V1·z_j·z zᵀ.

Sums are over pieces of `PIECE` rows, each in the order of `lanes.py`: short sums have small error bounds.
"""

from math import inf, log, sqrt
from typing import NamedTuple

from rosenblatt.arrays import Floats
from rosenblatt.kernels.compile import helper_once, kernel
from rosenblatt.kernels.exponential import exponential, log_one_plus
from rosenblatt.kernels.lanes import combine_32, combine_eight, four_lane_dots, lane_dot, multiply_eight

__all__ = ["DONE", "DOUBTFUL", "HIDDEN", "LIKELIHOOD", "LOG_DET", "LOSS", "MORE", "PIECE", "SIZE", "CountLook"]
__all__ += [
    "CountRows",
    "bend",
    "derive",
    "explore",
    "factorised",
    "loss_at",
    "newton",
    "restrict",
    "search",
    "solve_row",
]

PIECE = 1024
LOSS, LIKELIHOOD, LOG_DET, SIZE, DOUBTFUL = range(5)  # the places of sums
MORE, DONE, HIDDEN = range(3)  # how a search ended: steps are left to make, at a minimum, lost in rounding
_NEAR = 1 << 12  # values
_HALVINGS = 50
_SHORT = 1e-12  # Q of a step that is always taken, because rounding decides whether the loss falls
_REPEATED = 1e-18  # Q from which steps that do not shorten are rounding errors
_LOST = 1e-9  # Q, relative to the loss, above which a point from which no step helps is not taken for a minimum
_LEAST, _MOST = -708.0, 709.0  # where `exponential` is defined
_SURE = 1e-4  # Q from which a quadratic model says within about a hundredth of Q how much the loss will still fall


class CountRows(NamedTuple):
    """Rows of successes or counts. `Z` has one column after another, n values each."""

    Z: Floats
    weights: Floats
    offset: Floats
    y: Floats
    trials: Floats
    poisson: bool
    penalised: bool


class CountLook(NamedTuple):
    """The loss at the weights v. What only the penalty needs has no values without one."""

    v: Floats
    s: Floats
    residual: Floats
    V: Floats
    V1: Floats
    V2: Floats
    spread: Floats  # h
    gradient: Floats
    information: Floats
    factor: Floats  # lower, I = factor·factorᵀ
    bend: Floats  # of the penalty: its second derivatives, d × d
    sums: Floats
    work: Floats  # d + 3 rows of PIECE values
    small: Floats  # d + 4 matrices d × d


@helper_once
def _dot(x, at, w, begin, count):
    """x[at:at+count] · w[begin:begin+count]."""
    if count >= 8:
        return lane_dot(x, at, w, begin, count)
    total = 0.0
    for i in range(count):
        total += x[at + i] * w[begin + i]
    return total


@helper_once
def _multiply(out, k, x, at, w, begin, count):
    """out[k:k+count] = x[at:at+count]·w[begin:begin+count], each by each."""
    whole = count - count % 8
    for i in range(0, whole, 8):
        multiply_eight(out, k + i, x, at + i, w, begin + i)
    for i in range(whole, count):
        out[k + i] = x[at + i] * w[begin + i]


@helper_once
def _dots(x, at, w, begin, stride, count, many, out, k):
    """out[k + b] += x[at:at+count] · w[begin + b·stride:] for b < many."""
    four = many - many % 4 if count >= 8 else 0
    for b in range(0, four, 4):
        four_lane_dots(x, at, w, begin + b * stride, stride, count, out, k + b)
    for b in range(four, many):
        out[k + b] += _dot(x, at, w, begin + b * stride, count)


@helper_once
def _combine(out, k, count, many, w, begin, x, at, stride):
    """out[k:k+count] += Σ_j w[begin + j]·x[at + j·stride:], j < many: columns of x, one after another."""
    far, near = count - count % 32, count - count % 8
    for i in range(0, far, 32):
        combine_32(out, k + i, many, w, begin, x, at + i, stride)
    for i in range(far, near, 8):
        combine_eight(out, k + i, many, w, begin, x, at + i, stride)
    for i in range(near, count):
        total = out[k + i]
        for j in range(many):
            total += w[begin + j] * x[at + j * stride + i]
        out[k + i] = total


@helper_once
def _respond(rows, look):
    n, s = look.s.size, look.s
    for i in range(n):
        s[i] = rows.offset[i]
    _combine(s, 0, n, look.v.size, look.v, 0, rows.Z, 0, n)


@helper_once
def _moments_of_counts(rows, look, first, count):
    """Means and variances of `count` rows of counts; in look.work, by row: loss, its size, and that of the slopes."""
    work = look.work
    for i in range(count):  # no branches in these loops, so that LLVM takes eight rows at a time
        s, y = look.s[first + i], rows.y[first + i]
        mean = exponential(s if _LEAST <= s <= _MOST else 0.0)
        mean = 0.0 if s < _LEAST else inf if s > _MOST else mean
        look.V[first + i] = mean
        look.residual[first + i] = mean - y
        work[i] = mean - y * s
        work[PIECE + i] = mean + abs(y * s)
        work[2 * PIECE + i] = mean + y
    if rows.penalised:
        for i in range(first, first + count):
            look.V1[i] = look.V[i]
            look.V2[i] = look.V[i]


@helper_once
def _moments_of_successes(rows, look, first, count):
    """The same of rows of successes, whose loss is its own size."""
    work = look.work
    for i in range(count):
        reach = abs(look.s[first + i])
        e = exponential(-reach if reach <= -_LEAST else 0.0)
        work[PIECE + i] = e if reach <= -_LEAST else 0.0
    for i in range(count):
        s, y, m, e = look.s[first + i], rows.y[first + i], rows.trials[first + i], work[PIECE + i]
        large = 1.0 / (1.0 + e)
        small = e * large
        p, q = large if s >= 0.0 else small, small if s >= 0.0 else large
        failed, succeeded = (m - y) * p, y * q
        work[i] = m * log_one_plus(e) + (m - y if s >= 0.0 else y) * abs(s)
        work[2 * PIECE + i] = failed + succeeded
        look.residual[first + i] = failed - succeeded
        look.V[first + i] = m * (small * large)
        if rows.penalised:
            look.V1[first + i] = m * (small * large) * (q - p)
            look.V2[first + i] = m * (small * large) * (1.0 - 6.0 * (small * large))
    for i in range(count):
        work[PIECE + i] = work[i]


@helper_once
def _moments(rows, look):
    """Means and variances of all rows; the loss, and the sums that bound its rounding errors."""
    n, sums = look.s.size, look.sums
    for k in (LIKELIHOOD, SIZE, DOUBTFUL):
        sums[k] = 0.0
    for first in range(0, n, PIECE):
        count = min(PIECE, n - first)
        if rows.poisson:
            _moments_of_counts(rows, look, first, count)
        else:
            _moments_of_successes(rows, look, first, count)
        sums[LIKELIHOOD] += _dot(look.work, 0, rows.weights, first, count)
        sums[SIZE] += _dot(look.work, PIECE, rows.weights, first, count)
        sums[DOUBTFUL] += _dot(look.work, 2 * PIECE, rows.weights, first, count)


@helper_once
def _gram(rows, look, factors, spread, out):
    """out = Σ c·factor·z zᵀ; where `spread`, each factor times ½·h."""
    n, d, work = look.s.size, look.v.size, look.work
    scaled = (d + 1) * PIECE  # where in `work` the factors of a piece are
    for a in range(d):
        for b in range(d):
            out[a, b] = 0.0
    for first in range(0, n, PIECE):
        count = min(PIECE, n - first)
        _multiply(work, scaled, rows.weights, first, factors, first, count)
        if spread:
            for i in range(count):
                work[scaled + i] *= 0.5 * look.spread[first + i]
        fours = d - d % 4 if d >= 8 else 0
        for a in range(0, fours, 4):  # four at a time: each column is then fetched once for all four
            for t in range(4):
                _multiply(work, t * PIECE, work, scaled, rows.Z, (a + t) * n + first, count)
            for b in range(a + 4):
                for t in range(4):
                    work[4 * PIECE + t] = 0.0
                _dots(rows.Z, b * n + first, work, 0, PIECE, count, 4, work, 4 * PIECE)
                for t in range(max(0, b - a), 4):
                    out[a + t, b] += work[4 * PIECE + t]
        for a in range(fours, d):
            _multiply(work, 0, work, scaled, rows.Z, a * n + first, count)
            for b in range(a + 1):
                work[PIECE + b] = 0.0
            _dots(work, 0, rows.Z, first, n, count, a + 1, work, PIECE)
            for b in range(a + 1):
                out[a, b] += work[PIECE + b]
    for a in range(d):
        for b in range(a):
            out[b, a] = out[a, b]


@helper_once
def factorised(A, d, L):
    """Whether A, its first d rows and columns, is positive definite in floats; L is its lower Cholesky factor."""
    for a in range(d):
        for b in range(a + 1):
            total = A[a, b]
            for k in range(b):
                total -= L[a, k] * L[b, k]
            if a == b:
                if not total > 0.0:
                    return False
                L[a, a] = sqrt(total)
            else:
                L[a, b] = total / L[b, b]
        for b in range(a + 1, d):
            L[a, b] = 0.0
    return True


@helper_once
def solve_row(L, d, B, row):
    """Row `row` of B becomes A⁻¹ times it."""
    for a in range(d):
        total = B[row, a]
        for k in range(a):
            total -= L[a, k] * B[row, k]
        B[row, a] = total / L[a, a]
    for a in range(d - 1, -1, -1):
        total = B[row, a]
        for k in range(a + 1, d):
            total -= L[k, a] * B[row, k]
        B[row, a] = total / L[a, a]


@helper_once
def _invert(L, d, T):
    """T becomes the inverse of a lower triangle."""
    for a in range(d):
        for b in range(d):
            T[a, b] = 1.0 if a == b else 0.0
        for k in range(a):
            for b in range(k + 1):
                T[a, b] -= L[a, k] * T[k, b]
        for b in range(a + 1):
            T[a, b] /= L[a, a]


@helper_once
def loss_at(rows, look):
    """The loss at look.v, and what it needs; inf where it leaves float64."""
    _respond(rows, look)
    _moments(rows, look)
    loss = look.sums[LIKELIHOOD]
    if rows.penalised and loss < inf:
        _gram(rows, look, look.V, False, look.information)
        look.sums[LOG_DET] = -inf
        if factorised(look.information, look.v.size, look.factor):
            total = 0.0
            for a in range(look.v.size):
                total += log(look.factor[a, a])
            look.sums[LOG_DET] = 2.0 * total
        loss -= 0.5 * look.sums[LOG_DET]
    look.sums[LOSS] = loss if abs(loss) < inf else inf


@helper_once
def _spread(rows, look):
    """h = z·I⁻¹·z of each row: the squared length of factor⁻¹·z."""
    n, d, work, T = look.s.size, look.v.size, look.work, look.small[0]
    _invert(look.factor, d, T)
    # so few rows that all their columns stay in the nearest memory
    near = min(PIECE, max(64, _NEAR // max(1, d) // 64 * 64))
    for first in range(0, n, near):
        count = min(near, n - first)
        for i in range(count):
            look.spread[first + i] = 0.0
        for a in range(d):
            for i in range(count):
                work[i] = 0.0
            _combine(work, 0, count, a + 1, T[a], 0, rows.Z, first, n)
            for i in range(count):
                look.spread[first + i] += work[i] * work[i]


@helper_once
def derive(rows, look, informed):
    """Gradient and information where the loss is measured; without a penalty the information may be known."""
    n, d = look.s.size, look.v.size
    for a in range(d):
        look.gradient[a] = 0.0
    if rows.penalised:
        _spread(rows, look)
    elif not informed:
        _gram(rows, look, look.V, False, look.information)
    for first in range(0, n, PIECE):
        count = min(PIECE, n - first)
        for i in range(count):
            r = look.residual[first + i]
            if rows.penalised:
                r -= 0.5 * look.V1[first + i] * look.spread[first + i]
            look.work[i] = rows.weights[first + i] * r
        _dots(look.work, 0, rows.Z, first, n, count, d, look.gradient, 0)


@helper_once
def bend(rows, look):
    """Second derivatives of ½·log det I: ½·Σ c·V2·h·z zᵀ − ½·tr(I⁻¹·T_j·I⁻¹·T_k)."""
    n, d, T, work = look.s.size, look.v.size, look.small, look.work
    _gram(rows, look, look.V2, True, look.bend)
    for a in range(d):
        for b in range(d):
            for e in range(d):
                T[a, b, e] = 0.0
    for first in range(0, n, PIECE):
        count = min(PIECE, n - first)
        for a in range(d):
            for b in range(a + 1):
                for i in range(count):
                    k = first + i
                    work[i] = rows.weights[k] * look.V1[k] * rows.Z[a * n + k] * rows.Z[b * n + k]
                for e in range(b + 1):
                    T[a, b, e] += _dot(work, 0, rows.Z, e * n + first, count)
    for a in range(d):
        for b in range(a + 1):
            for e in range(b + 1):
                value = T[a, b, e]
                T[a, e, b] = value
                T[b, a, e] = value
                T[b, e, a] = value
                T[e, a, b] = value
                T[e, b, a] = value
    for a in range(d):  # row by row I⁻¹·T_a, as T_a is symmetric
        for b in range(d):
            solve_row(look.factor, d, T[a], b)
    for j in range(d):
        for k in range(j + 1):
            total = 0.0
            for a in range(d):
                for b in range(d):
                    total += T[j, a, b] * T[k, b, a]
            look.bend[j, k] -= 0.5 * total
            look.bend[k, j] = look.bend[j, k]


@helper_once
def restrict(look, fixed, bent, out):
    """The rows and columns of the weights but the `fixed` one, of the information or of the whole curvature."""
    d, a = look.v.size, 0
    for j in range(d):
        if j != fixed:
            b = 0
            for k in range(d):
                if k != fixed:
                    out[a, b] = look.information[j, k] - (look.bend[j, k] if bent else 0.0)
                    b += 1
            a += 1
    return a


@helper_once
def _newton_step(rows, look, fixed, full, step):
    """Fill `step` with that of Newton, 0 for the fixed weight; returns Q, or −1 where floats cannot solve it."""
    d = look.v.size
    A, L, B = look.small[d], look.small[d + 1], look.small[d + 2]
    ready = False
    if full:
        bend(rows, look)
        free = restrict(look, fixed, True, A)
        ready = factorised(A, free, L)
    if not ready:
        free = restrict(look, fixed, False, A)
        if not factorised(A, free, L):
            return -1.0
    a = 0
    for j in range(d):
        if j != fixed:
            B[0, a] = -look.gradient[j]
            a += 1
    solve_row(L, free, B, 0)
    Q, a = 0.0, 0
    for j in range(d):
        step[j] = 0.0
        if j != fixed:
            step[j] = B[0, a]
            Q -= B[0, a] * look.gradient[j]
            a += 1
    return Q


@helper_once
def _go(look, new, step, t):
    for j in range(look.v.size):
        new.v[j] = look.v[j] + t * step[j]


@helper_once
def _apart(look, known):
    """The square of the distance of two looks' weights in the norm of the second one's information."""
    total, d = 0.0, look.v.size
    for a in range(d):
        part = 0.0
        for b in range(d):
            part += known.information[a, b] * (look.v[b] - known.v[b])
        total += part * (look.v[a] - known.v[a])
    return total


@helper_once
def newton(rows, look, new, other, fixed, full, enough, steps, last, below, known, radius):
    """Newton's steps from `look`, which is measured and derived, each halved until the loss falls.

    Until Q is at most `enough`, or it is clear that the minimum will not be below `below`, or the weights are within
    `radius` of `known` in the norm of its information. Returns how it ended, how many steps were made, and the last Q.
    The first step leads to `new`, the second to `other`, the third to `new`, …
    """
    made = 0
    for _ in range(steps):
        if radius > 0.0 and _apart(look, known) <= radius * radius:
            return DONE, made, last
        step = look.small[look.v.size + 3]
        Q = _newton_step(rows, look, fixed, full, step[0])
        if not -_SHORT <= Q < inf:
            return HIDDEN, made, last
        if enough >= Q or (Q < _REPEATED and 0.25 * last <= Q):
            return DONE, made, Q
        if Q < _SURE and look.sums[LOSS] - Q > below:
            return DONE, made, Q
        last, t, fell = Q, 1.0, False
        for _ in range(_HALVINGS):
            _go(look, new, step[0], t)
            loss_at(rows, new)
            if Q < _SHORT or new.sums[LOSS] <= look.sums[LOSS] - 1e-4 * t * Q:
                fell = True
                break
            t /= 2.0
            if t * Q < 2.0**-54 * abs(look.sums[LOSS]):  # no float is that little lower
                break
        if not fell:  # rounding hides whether the loss falls
            return (HIDDEN if _LOST * max(1.0, abs(look.sums[LOSS])) < Q else DONE), made, Q
        if new.sums[LOSS] < inf:
            derive(rows, new, False)
        look, new, other, made = new, other, new, made + 1
    return MORE, made, last


@helper_once
def explore(rows, looks, starts, many, fixed, full, steps, enough, below, known, radius):
    """The lowest place under `below` that is found from the first `many` starts, as `search` has it."""
    look, new, other = looks
    how, made, last = DONE, 0, inf
    for k in range(many):
        for j in range(look.v.size):
            look.v[j] = starts[k, j]
        loss_at(rows, look)
        if look.sums[LOSS] < inf:
            derive(rows, look, steps == 0 and not full)
            if steps:
                how, made, last = newton(rows, look, new, other, fixed, full, enough, steps, inf, below, known, radius)
                found = look if made == 0 else new if made % 2 else other
                if how != HIDDEN and found.sums[LOSS] < below:
                    below = found.sums[LOSS]
                    for j in range(look.v.size):
                        starts[0, j] = found.v[j]
    return how, made, last, below


@kernel
def search(rows, looks, starts, fixed, full, steps, enough, last, below):
    """Look at the starts, one after another; from each make Newton's steps, and end in the lowest place under `below`.

    Without starts the search goes on from looks[0], whose last Q is given. Without steps it only looks: `full` is then
    whether at the information too or, without starts as well, whether at the penalty's second derivatives in place of
    the information. One kernel, because each compiles all that it calls. Steps are towards the minimum over all weights
    but the `fixed` one (−1: none). Returns how the last search ended, how many steps it made, its last Q, and the least
    loss, whose weights replace the first start.
    """
    look, new, other = looks
    how, made = DONE, 0
    if starts.shape[0] == 0 and steps == 0:
        if full:
            bend(rows, look)
        else:
            _gram(rows, look, look.V, False, look.information)
    elif starts.shape[0] == 0:
        how, made, last = newton(rows, look, new, other, fixed, full, enough, steps, last, below, look, 0.0)
    if starts.shape[0]:
        how, made, last, below = explore(
            rows, looks, starts, starts.shape[0], fixed, full, steps, enough, below, look, 0.0
        )
    return how, made, last, below
