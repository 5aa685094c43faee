"""The order of summation of filters is that of rows."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.kernels.filter_rules import FilterState
from rosenblatt.kernels.filter_rules import PlainLMS as Lms
from rosenblatt.kernels.filters import advance, advance_one, respond
from tests.oracles import lane_dot


@given(st.integers(0, 70), st.sampled_from([np.float32, np.float64]), st.integers(0, 2**31))
def test_lanes(taps: int, dtype: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, w = rng.normal(size=taps + 9).astype(dtype), rng.normal(size=taps)
    x.flags.writeable = False
    y = np.empty(3)
    respond(x, 7, -2, w, y, 0, 3)  # regressors at 7, 5 and 3
    assert y.tolist() == [lane_dot(x[at : at + taps], w) for at in (7, 5, 3)]


@given(st.integers(1, 40), st.sampled_from([np.float32, np.float64]), st.integers(0, 2**31))
def test_one_correction(taps: int, dtype: Any, seed: int) -> None:
    """w += (η·e)·x, each product and each sum rounded once: no contraction, whatever the vector's width."""
    rng = np.random.default_rng(seed)
    x, w, d = rng.normal(size=taps).astype(dtype), rng.normal(size=taps), float(rng.normal())
    error = d - lane_dot(x, w)
    expected = [float(b) + (0.3 * error) * float(a) for a, b in zip(x, w, strict=True)]
    none = np.empty((0, 0))
    assert advance_one(x, d, Lms(0.3), w, none, np.empty(0), none) == error
    assert w.tolist() == expected


@pytest.mark.parametrize("every", [0, 1, 3])
def test_a_call_cut_in_two(every: int) -> None:
    rng = np.random.default_rng(0)
    x, d = rng.normal(size=30), rng.normal(size=20)
    for array in (x, d):
        array.flags.writeable = False
    ends = []
    for cuts in ([20], [7, 20], [1, 2, 3, 20]):
        state = FilterState(np.zeros(4), np.empty((0, 0)), np.empty(0), np.empty((0, 0)))
        y, e, history, kept, due, start = np.empty(20), np.empty(20), np.empty((20, 4)), 0, 0, 0
        for stop in cuts:
            more, due = advance(x, 19, -1, d, 0, Lms(0.1), state, y, e, history[kept:], every, due, start, stop)
            kept, start = kept + more, stop
        assert kept == (len(range(0, 20, every)) if every else 0)
        ends.append((y.tobytes(), e.tobytes(), state.w.tobytes(), history[:kept].tobytes()))
    assert len(set(ends)) == 1
