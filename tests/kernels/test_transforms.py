"""Transforms of powers of two: beside NumPy's, there and back, and to the same bits."""

import numpy as np
import pytest

from rosenblatt.kernels import transforms
from rosenblatt.kernels.compile import kernel


@kernel
def _there(x, X, size, known, one, other):  # type: ignore[no-untyped-def]
    transforms.forward(x, 0, X, 0, size, known, one, other)


@kernel
def _back(X, size, known, one, other):  # type: ignore[no-untyped-def]
    return transforms.backward(X, 0, size, known, one, other)


@pytest.mark.parametrize("size", [2**k for k in range(6, 15)])
def test_spectra_are_numpys_in_another_order(size: int) -> None:
    random = np.random.default_rng(size)
    for x in (random.normal(size=size), np.eye(1, size, size // 3)[0], np.ones(size), 1e200 * random.normal(size=size)):
        X, one, other = np.empty(size + 16), np.empty(size + 16), np.empty(size + 16)
        known = transforms.tables(size)
        _there(x, X, size, known, one, other)
        rows = X.reshape(-1, 2, 8)
        found, (place, turned) = rows[:, 0] + 1j * rows[:, 1], transforms.places(size)
        expected = np.fft.rfft(x)
        largest = abs(expected).max()
        assert abs(found - np.where(turned, expected[place].conj(), expected[place])).max() < 1e-15 * largest
        half = np.empty(size // 2 + 1, dtype=complex)  # what stands twice is its own conjugate, to the bit
        half[place] = np.where(turned, found.conj(), found)
        assert np.array_equal(np.where(turned, half[place].conj(), half[place]), found)
        signal = one if _back(X, size, known, one, other) else other
        np.testing.assert_allclose(signal[:size] / size, x, rtol=0, atol=2e-15 * abs(x).max())
