"""Sums and signs in limbs against fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.exact.sums import combine, least_response, length_sq, response_signs, together

NUMBERS = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 0.1, 5e-324, -5e-324, 1e308, 2.0**-30, 3.0]), st.floats(-1e3, 1e3), st.floats()
).filter(np.isfinite)


@given(st.data(), st.integers(1, 4), st.integers(1, 5), st.sampled_from([3, 60, 900]))
def test_signs_of_responses_are_those_of_fractions(data: st.DataObject, n: int, d: int, bits: int) -> None:
    Z = np.array(data.draw(st.lists(st.lists(NUMBERS, min_size=d, max_size=d), min_size=n, max_size=n)))
    w = data.draw(st.lists(st.integers(-(2**bits), 2**bits), min_size=d, max_size=d))
    exact = [sum((Fraction(float(a)) * b for a, b in zip(z, w, strict=True)), Fraction(0)) for z in Z]
    assert response_signs(Z, w).tolist() == [(v > 0) - (v < 0) for v in exact]
    assert least_response(Z, w) == min(exact)
    assert length_sq(exact) == sum((v * v for v in exact), Fraction(0))
    factors = data.draw(st.lists(st.integers(-(2**bits), 2**bits), min_size=n, max_size=n))
    sums = [sum((Fraction(float(a)) * f for a, f in zip(z, factors, strict=True)), Fraction(0)) for z in Z.T]
    assert together([combine(factors, Z)], [1] * Z.shape[1]) == sums
    halves = [combine(factors[k::2], Z[k::2]).times(3) for k in (0, 1)]
    assert together(halves, [7] * Z.shape[1]) == [v * Fraction(3, 7) for v in sums]
    assert not response_signs(0.0 * Z, w).any()


@pytest.mark.parametrize("off", [0, 1, -1])
def test_rows_on_a_plane_of_long_numbers(off: int) -> None:
    rng = np.random.default_rng(0)
    Z = rng.integers(-(2**40), 2**40, size=(200, 6)).astype(float)
    w = [int(v) ** 9 for v in rng.integers(1, 2**40, size=5)]
    on = [-sum(int(a) * b for a, b in zip(z[:5], w, strict=True)) for z in Z]
    for z, last in zip(Z, on, strict=True):  # the last weight meets one row; a row of its own each
        assert response_signs(np.append(z[:5], 1.0)[None], [*w, last + off]).tolist() == [off]
