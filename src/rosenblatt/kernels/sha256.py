"""SHA-256 (FIPS 180-4) with a state that can be sent on, so that machines that each hold a part make one digest.

The hash objects of the standard library cannot be sent to another machine. Here the state is eight numbers.
"""

import math

import numpy as np

from rosenblatt.kernels.compile import helper_inlined, kernel

__all__ = ["START", "compress"]


def _fractional_bits(root, n):
    """The first 32 bits of the fractional parts of the roots of the first n primes: the constants of the standard."""
    primes = [p for p in range(2, 400) if all(p % q for q in range(2, int(p**0.5) + 1))][:n]
    return np.array([int(root(p) % 1 * 2**32) for p in primes], dtype=np.uint32)  # float64 has about 50 of these bits


START = _fractional_bits(math.sqrt, 8)
_ROUNDS = _fractional_bits(math.cbrt, 64)


@helper_inlined
def _turn(v, by):
    """The 32 bits of v turned right by `by` places."""
    return np.uint32((v >> np.uint32(by)) | (v << np.uint32(32 - by)))


@kernel
def compress(state, data, words):
    """Add the whole blocks of 64 bytes of `data` to the state; `words` is scratch, 64 of uint32."""
    for at in range(0, data.size - 63, 64):
        for t in range(16):
            k = at + 4 * t
            words[t] = (
                (np.uint32(data[k]) << np.uint32(24))
                | (np.uint32(data[k + 1]) << np.uint32(16))
                | (np.uint32(data[k + 2]) << np.uint32(8))
                | np.uint32(data[k + 3])
            )
        for t in range(16, 64):
            v, w = words[t - 15], words[t - 2]
            s0 = _turn(v, 7) ^ _turn(v, 18) ^ (v >> np.uint32(3))
            s1 = _turn(w, 17) ^ _turn(w, 19) ^ (w >> np.uint32(10))
            words[t] = np.uint32(words[t - 16] + s0 + words[t - 7] + s1)
        a, b, c, d = state[0], state[1], state[2], state[3]
        e, f, g, h = state[4], state[5], state[6], state[7]
        for t in range(64):
            s1 = _turn(e, 6) ^ _turn(e, 11) ^ _turn(e, 25)
            first = np.uint32(h + s1 + ((e & f) ^ (~e & g)) + _ROUNDS[t] + words[t])
            s0 = _turn(a, 2) ^ _turn(a, 13) ^ _turn(a, 22)
            second = np.uint32(s0 + ((a & b) ^ (a & c) ^ (b & c)))
            h, g, f, e = g, f, e, np.uint32(d + first)
            d, c, b, a = c, b, a, np.uint32(first + second)
        for k, part in enumerate((a, b, c, d, e, f, g, h)):
            state[k] = np.uint32(state[k] + part)
