"""The blocks of a filter in partitions, all of a recording in one call; `filters/partitioned_lms.py` says what is done.

Spectra are those of `transforms.py`. X[c, s] are the spectra of the last blocks of input c, in a ring: that of block t
lies at s = t modulo the number of partitions.
"""

import numpy as np

from rosenblatt.kernels.compile import helper, kernel
from rosenblatt.kernels.transforms import backward, eight, forward, inverse_or_zero, keep, larger, smoothed, total

__all__ = ["learn_blocks"]


@helper
def _answer(W, X, newest, channels, partitions, sums, squares):
    """The sum of W·X over channels and partitions, and that of |X|²."""
    width = sums.size
    for i in range(0, width, 16):
        re, im, power = eight(0.0, 0), eight(0.0, 0), eight(0.0, 0)
        for c in range(channels):
            slot = newest
            for p in range(partitions):
                w, x = (c * partitions + p) * width + i, (c * partitions + slot) * width + i
                wr, wi, xr, xi = eight(W, w), eight(W, w + 8), eight(X, x), eight(X, x + 8)
                re += wr * xr - wi * xi
                im += wr * xi + wi * xr
                power += xr * xr + xi * xi
                slot = slot - 1 if slot else partitions - 1
        keep(sums, i, re)
        keep(sums, i + 8, im)
        keep(squares, i // 2, power)


@helper
def _whiten(E, squares, power, mean, eps, part):
    """E over the power at each frequency, which is brought up to date: ε + max(S, mean of S)."""
    height = squares.size
    both = eight(squares, 0) + eight(squares, height - 8)  # frequencies whose conjugates are there, too
    inner = eight(0.0, 0)
    for k in range(8, height - 8, 8):
        inner += eight(squares, k)
    mean[1] += 1.0
    mean[0] += ((total(both) + 2.0 * total(inner)) / (8 * (height // 4 - 2)) - mean[0]) / mean[1]
    least, rate = eight(eps * mean[0], 0), eight(part, 0)
    for k in range(0, height, 8):
        now = eight(squares, k)
        new = smoothed(eight(power, k), now, rate)
        keep(power, k, new)
        factor = inverse_or_zero(least + larger(now, new))
        keep(E, 2 * k, eight(E, 2 * k) * factor)
        keep(E, 2 * k + 8, eight(E, 2 * k + 8) * factor)


@helper
def _gradient(X, x, Z, G):
    """G = conj(X)·Z."""
    for i in range(0, Z.size, 16):
        xr, xi, zr, zi = eight(X, x + i), eight(X, x + i + 8), eight(Z, i), eight(Z, i + 8)
        keep(G, i, xr * zr + xi * zi)
        keep(G, i + 8, xr * zi - xi * zr)


@helper
def _cut(source, taps, scale, inside, at, block):
    """What belongs to a partition that has so many taps in use; returns its squared length."""
    length, factor = eight(0.0, 0), eight(scale, 0)
    for k in range(block):
        if k >= taps:
            source[k] = 0.0
    for k in range(0, block, 8):
        value = eight(source, k) * factor
        keep(inside, at + k, value)
        length += value * value
    return total(length)


@kernel
def learn_blocks(u, d, y, e, w, partitions, taps, W, X, power, mean, numbers, normalized, known, inside, room):
    """Whole blocks of input u (its last block before them, then these) and of desired values d; y, e are written.

    w      weights in time, a row for each channel, `taps` of them in use
    W, X   spectra of the weights' partitions and of the last blocks of input, one after the other
    numbers  η, ε, and 1 − smoothing
    inside, room  for a correction, and for seven spectra
    Returns how many blocks were learned, fewer than there are if the weights are no numbers any more.
    """
    eta, eps, part = numbers
    channels, width = w.shape[0], room.shape[1]
    size, block = width - 16, (width - 16) // 2
    sums, squares, late, E, G, one, other = room[0], room[1, : width // 2], room[2], room[3], room[4], room[5], room[6]
    scale = 1.0 / size
    factor = eight(scale, 0)
    for k in range(size):
        late[k] = 0.0
    for c in range(channels):
        for p in range(partitions):
            _transform_weights(w, W, c * partitions + p, late, known, one, other)
    for t in range(d.size // block):
        newest, first = t % partitions, t * block
        for c in range(channels):
            at = (c * partitions + newest) * width
            forward(u, c * u.shape[1] + first, X, at, size, known, one, other)
        _answer(W, X, newest, channels, partitions, sums, squares)
        signal = one if backward(sums, 0, size, known, one, other) else other
        for k in range(0, block, 8):
            answer = eight(signal, block + k) * factor
            keep(y, first + k, answer)
            error = eight(d, first + k) - answer
            keep(e, first + k, error)
            keep(late, block + k, error)
        forward(late, 0, E, 0, size, known, one, other)
        gain = np.inf
        if normalized:
            _whiten(E, squares, power, mean, eps, part)
            signal = one if backward(E, 0, size, known, one, other) else other
            won = eight(0.0, 0)
            for k in range(0, block, 8):
                z = eight(signal, block + k) * factor
                keep(late, block + k, z)
                won += eight(e, first + k) * z
            gain = total(won)
            forward(late, 0, E, 0, size, known, one, other)
        length = 0.0
        for c in range(channels):
            slot = newest
            for p in range(partitions):
                _gradient(X, (c * partitions + slot) * width, E, G)
                signal = one if backward(G, 0, size, known, one, other) else other
                length += _cut(signal, taps - p * block, scale, inside, (c * partitions + p) * block, block)
                slot = slot - 1 if slot else partitions - 1
        share = gain / length if length > 0.0 else 0.0
        step = eight(eta * min(1.0, share), 0)
        broken = eight(0.0, 0)
        for k in range(0, inside.size, 8):
            new = eight(w, k) + step * eight(inside, k)
            keep(w, k, new)
            broken += new - new
        if total(broken) != 0.0:  # also of what is no number
            return t
        for c in range(channels):
            for p in range(partitions):
                _transform_weights(w, W, c * partitions + p, late, known, one, other)
    return d.size // block


@helper
def _transform_weights(w, W, number, late, known, one, other):
    """The spectrum of a partition, of its weights and as many zeros; `late` keeps its zeros."""
    width = late.size
    block = (width - 16) // 2
    for k in range(0, block, 8):
        keep(late, k, eight(w, number * block + k))
        keep(late, block + k, eight(0.0, 0))
    forward(late, 0, W, number * width, width - 16, known, one, other)
    for k in range(0, block, 8):
        keep(late, k, eight(0.0, 0))
