"""Noise control: a filter whose output reaches the error microphone through a path of its own.

    for each sample n:
        y(n)  = w · x(n)                    # to the loudspeaker
        a(n)  = secondary · y(n), y(n−1), … # what arrives at the microphone
        e(n)  = d(n) − a(n)
        x'(n) = estimate · x(n), x(n−1), …  # the reference as it would arrive there
        w     = w + η/(ε + ‖x'‖²)·e(n)·x'(n)

An array with a signal begins with the signal's past. Sums go from the present to the past, one term after the other.
"""

from rosenblatt.kernels.compile import kernel

__all__ = ["control", "hear", "speak"]


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
