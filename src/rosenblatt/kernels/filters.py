"""The loop of adaptive filters: filter, compare, adapt; and of those that reach their error through a path of its own.

Given regressors x(n) and desired values d(n), the loop is the lecture's:

    for each sample n:
        y(n) = w · x(n)                         # filter (no conjugate: w is the impulse response, also of complex ones)
        e(n) = d(n) − y(n)                      # compare
        w = w + correction(rule, e(n), x(n))    # adapt

`filter_rules.py` says where x(n) lies, and what the rules are.
"""

import math

import numpy as np

from rosenblatt.kernels.compile import kernel
from rosenblatt.kernels.filter_rules import FilterState, abs_sq, adapt, conj, dot

__all__ = ["absorb", "advance", "advance_all", "advance_one", "control", "follow", "hear", "respond", "speak"]

_U = np.uint64  # see `filter_rules.py`


@kernel
def advance(x, first, stride, d, past, rule, state, y, e, history, every, due, start, stop):
    """Samples start..stop. Sample n has its regressor at first + n·stride and its desired value at d[past + n].

    history  receives the weights before the sample at which `due` samples have passed, and then every `every` samples;
             every = 0: never
    Returns how many rows of `history` were written, and how many samples remain until the next one.
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
    """Adapt to one regressor, by a rule that looks at no earlier one. If the error is not finite, nothing changes.

    It serves streams that come sample by sample. There the arguments cost more time than the sample, so it has few.
    Returns the error; NaN where x and w have different lengths.
    """
    if x.size != w.size:
        return np.nan
    e = d - dot(x, 0, w, 0, w.size)
    if abs(e) < np.inf:
        adapt(rule, x, 0, 0, x, 0, e, FilterState(w, matrix, vector, scratch))
    return e


@kernel
def advance_all(x, first, stride, d, past, rule, states, squares, start, stop):
    """The same for many realisations, one in each row of x, d and the states; squares[n] += Σ|e(n)|²."""
    taps = states.w.shape[1]
    for r in range(x.shape[0]):
        state = FilterState(states.w[r], states.matrix[r], states.vector[r], states.scratch[r])
        for n in range(start, stop):
            at = first + n * stride
            error = d[r, past + n] - dot(x[r], at, state.w, 0, taps)
            squares[n] += abs_sq(error)
            adapt(rule, x[r], at, stride, d[r], past + n, error, state)


@kernel
def follow(x, first, stride, rule, state, lengths, every, start, stop):
    """w ← (I − ηx*xᵀ)w, LMS with d = 0, over samples start..stop; after every `every` samples w is made short again.

    lengths  receives ‖w‖ each time. Returns False, and stops, where it is 0 or no number.
    """
    w = state.w
    for n in range(start, stop):
        at = first + n * stride
        adapt(rule, x, at, stride, x, 0, -dot(x, at, w, 0, w.size), state)
        if (n + 1) % every == 0:
            square = 0.0
            for j in range(w.size):
                square += abs_sq(w[j])
            lengths[n // every] = math.sqrt(square)
            if not 0.0 < square < np.inf:
                return False
            for j in range(w.size):
                w[j] /= lengths[n // every]
    return True


@kernel
def respond(x, first, stride, w, y, start, stop):
    """y[n] = w · x(n) for samples start..stop, with the bits that `advance` sees."""
    for n in range(start, stop):
        y[n] = dot(x, first + n * stride, w, 0, w.size)


@kernel
def absorb(x, first, stride, d, R, row, start, stop):
    """Rotate samples start..stop into the triangle R (taps × taps + 1, right-hand side last), by Givens rotations.

    Afterwards ‖R·(w, −1)‖² is the sum of squared errors less a number that does not depend on w. Returns False, and
    stops, where a number has become infinite.
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


# -------------------------------------------------------------------------------------------------------- noise control
#     for each sample n:
#         y(n) = w · x(n)                          to the loudspeaker
#         a(n) = secondary · y(n), y(n−1), …       what arrives at the microphone
#         e(n) = d(n) − a(n)
#         x'(n) = estimate · x(n), x(n−1), …       the reference as it would arrive there
#         w = w + η/(ε + ‖x'‖²)·e(n)·x'(n)


@kernel
def _weigh(w, x, at):
    """The sum of w[k]·x[at − k]."""
    s = 0.0
    for k in range(w.size):
        s += w[k] * x[at - k]
    return s


@kernel
def _correct_taps(w, filtered, at, mean, eta, eps, e):
    """w += η/(ε + ‖x'‖²)·e·x', where x' is filtered[at], filtered[at − 1], …; `mean` is updated with ‖x'‖²."""
    square = 0.0
    for k in range(w.size):
        square += filtered[at - k] * filtered[at - k]
    mean[1] += 1.0
    mean[0] += (square - mean[0]) / mean[1]
    below = eps * mean[0] + square
    if below > 0.0:
        step = eta * e / below
        for k in range(w.size):
            w[k] += step * filtered[at - k]


@kernel
def control(u, d, w, secondary, estimate, spoken, filtered, mean, eta, eps, a, e):
    """Adapt to the samples of u and d. The arrays u, spoken and filtered begin with their past; a and e are filled.

    u         reference, after max(taps, len(estimate)) − 1 earlier values
    spoken    y, after len(secondary) − 1 earlier values; filled
    filtered  x', after taps − 1 earlier values; filled
    mean      running mean of ‖x'‖², and the number of its samples
    """
    first, before, past = u.size - d.size, spoken.size - d.size, filtered.size - d.size
    for n in range(d.size):
        spoken[before + n] = _weigh(w, u, first + n)
        a[n] = _weigh(secondary, spoken, before + n)
        e[n] = d[n] - a[n]
        filtered[past + n] = _weigh(estimate, u, first + n)
        _correct_taps(w, filtered, past + n, mean, eta, eps, e[n])


@kernel
def speak(u, w, estimate, spoken, filtered):
    """Fill `spoken` (what the loudspeaker plays) and the end of `filtered`; the weights stay. u has its past first."""
    first, past = u.size - spoken.size, filtered.size - spoken.size
    for n in range(spoken.size):
        spoken[n] = _weigh(w, u, first + n)
        filtered[past + n] = _weigh(estimate, u, first + n)


@kernel
def hear(e, w, filtered, mean, eta, eps):
    """Correct the weights by errors that a microphone has measured; `filtered` begins taps − 1 before the first."""
    for n in range(e.size):
        _correct_taps(w, filtered, w.size - 1 + n, mean, eta, eps, e[n])
