"""Recursive least squares: what it minimises, and that nothing can blow it up."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import filters
from tests.filters.naive import regressors
from tests.filters.test_rules import signals


@given(
    st.integers(1, 8),
    st.integers(1, 200),
    st.sampled_from([0.9, 0.99, 0.999, 1.0]),
    st.floats(1e-3, 10),
    st.sampled_from([np.float64, np.complex128]),
    st.integers(0, 2**31),
)
def test_weighted_least_squares(taps: int, n: int, forgetting: float, delta: float, dtype: Any, seed: int) -> None:
    """w minimises Σ λᴺ⁻ⁿ|d − w·x|² + λᴺδ‖w − w(0)‖², δ a share of the first ‖x‖² that is not 0, from where N counts."""
    rng = np.random.default_rng(seed)
    u, d = signals(rng, n, dtype)
    u[0] = 2.0
    start = rng.normal(size=taps)
    root = np.sqrt(forgetting ** np.arange(n - 1, -1, -1))[:, None]
    A = np.vstack([root * regressors(u, taps), np.sqrt(forgetting**n * delta) * np.eye(taps)])
    b = np.concatenate([root[:, 0] * d, np.sqrt(forgetting**n * delta) * start])
    best = np.linalg.lstsq(A, b, rcond=None)[0]
    near = 1e-8 * (1 + abs(best).max())
    assert abs(filters.RLS(taps, forgetting, start=start, delta_absolute=delta).run(u, d).w - best).max() < near
    before = np.zeros(seed % 3, dtype=dtype)
    relative = filters.RLS(taps, forgetting, delta / 4, start=start)
    assert abs(relative.run(np.append(before, u), np.append(before, d)).w - best).max() < near


INPUTS = {
    "silence": lambda rng, n: np.zeros(len(n)),
    "a constant": lambda rng, n: np.ones(len(n)),
    "a loud constant": lambda rng, n: np.full(len(n), 1e6),
    "a quiet constant": lambda rng, n: np.full(len(n), 1e-9),
    "a sine": lambda rng, n: np.sin(0.1 * n),
    "noise": lambda rng, n: rng.normal(size=len(n)),
    "noise and silence": lambda rng, n: rng.normal(size=len(n)) * (n // 50_000 % 2),
    "noise and a constant": lambda rng, n: np.where(n // 50_000 % 2, rng.normal(size=len(n)), 1.0),
    "subnormal numbers": lambda rng, n: 1e-310 * rng.normal(size=len(n)),
}


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize("forgetting", [0.9, 0.999])
def test_bounded_and_symmetric(name: str, forgetting: float) -> None:
    """Ten million samples of silence and of a constant, a million of the others."""
    long = name in ("silence", "a constant") and forgetting == 0.999
    rng, h, chunk = np.random.default_rng(0), np.array([1.0, -0.5, 0.25, 2.0]), 500_000
    one = filters.RLS(4, forgetting, delta_absolute=0.01)
    past = np.zeros(3)
    for k in range(20 if long else 2):
        u = np.concatenate([past, INPUTS[name](rng, np.arange(k * chunk, (k + 1) * chunk))])
        d, past = np.convolve(u, h)[3 : 3 + chunk], u[-3:]
        run = one.run(u[3:], d)
        P = one.P_
        assert np.array_equal(P, P.T)
        assert abs(P).max() < 100 * 2.0**20 / 0.01
        assert np.linalg.eigvalsh(P).min() > -1e-9 * abs(P).max()
    loudest = max(1e-300, abs(d).max())
    assert abs(run.e[-1000:]).max() <= 1e-6 * loudest or name in ("a quiet constant", "subnormal numbers")
    assert abs(run.w).max() < 10
    if name.startswith("noise"):
        assert abs(run.w - h).max() < 1e-9


@pytest.mark.parametrize("name", [name for name in INPUTS if name not in ("silence", "subnormal numbers")])
@pytest.mark.parametrize("first", [1.0, 1e-3, 1e-30, 1e3])
def test_a_first_sample_of_any_size(name: str, first: float) -> None:
    """δ is a share of the first ‖x‖²; however unlike the others that one is, the filter learns, and stays in bounds."""
    rng, h = np.random.default_rng(0), np.array([1.0, -0.5, 0.25, 2.0])
    u = INPUTS[name](rng, np.arange(50_000, 150_000))
    u[0] = first * max(abs(u[1:]).max(), 1e-12)
    one = filters.RLS(4, 0.999)
    run = one.run(u, np.convolve(u, h)[: len(u)])
    mean = 4 * np.mean(u**2)
    P = one.P_
    assert np.array_equal(P, P.T)
    assert abs(P).max() < 100 * 2.0**20 / (0.01 * mean)
    assert np.linalg.eigvalsh(P).min() > -1e-9 * abs(P).max()
    assert abs(run.w).max() < 10
    assert abs(run.e[40_000:50_000]).max() <= 1e-6 * abs(u).max()
    if name.startswith("noise"):
        assert abs(run.w - h).max() < 1e-9


def test_it_learns_again_after_a_long_silence() -> None:
    rng = np.random.default_rng(1)
    one = filters.RLS(3, 0.99)
    for h in ([1.0, 2.0, 3.0], [-3.0, 0.5, 0.0]):
        u = np.concatenate([rng.normal(size=500), np.zeros(200_000)])
        one.run(u, np.convolve(u, h)[: len(u)])
        assert abs(one.w_ - h).max() < 1e-4


def test_complex_p_is_hermitian() -> None:
    u, d = signals(np.random.default_rng(2), 300, np.complex128)
    one = filters.RLS(6, 0.98, delta_absolute=0.5)
    one.run(u, d)
    X = regressors(u, 6)
    inverse = (X.conj().T * 0.98 ** np.arange(299, -1, -1)) @ X + 0.98**300 * 0.5 * np.eye(6)
    assert abs(one.P_ @ inverse - np.eye(6)).max() < 1e-10
    assert np.array_equal(one.P_, one.P_.conj().T)
