"""Noise control: against the textbook, in chunks, saved and resumed, and with a wrong path."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt import filters


def naive(one: Any, u: Any, d: Any) -> tuple[Any, Any]:
    """(what is left, weights at the end) by the formulas of the docstring."""
    known = np.asarray(one.secondary if one.estimate is None else one.estimate)
    X = filters.delay_line(u, one.taps)
    filtered = filters.delay_line(np.convolve(u, known)[: len(u)], one.taps)
    w, spoken, left, squares = np.zeros(one.taps), [], [], []
    for n in range(len(u)):
        spoken.append(w @ X[n])
        arrived = sum(s * spoken[n - k] for k, s in enumerate(one.secondary) if k <= n)
        left.append(d[n] - arrived)
        squares.append(filtered[n] @ filtered[n])
        below = one.eps * np.mean(squares) + squares[-1]
        w = w + (one.eta * left[-1] / below * filtered[n] if below else 0)
    return np.array(left), w


@given(st.integers(1, 12), st.integers(1, 6), st.integers(0, 6), st.integers(1, 80), st.integers(0, 2**31))
def test_textbook_and_chunks(taps: int, path: int, known: int, n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    u, d = rng.normal(size=n), rng.normal(size=n)
    estimate = rng.normal(size=known) if known else None
    one = filters.FxLMS(taps, 0.01, secondary=rng.normal(size=path), estimate=estimate)
    run = one.run(u, d, history=7)
    left, w = naive(one, u, d)
    assert abs(run.e - left).max() < 1e-9 * (1 + abs(left).max())
    assert abs(run.w - w).max() < 1e-9 * (1 + abs(w).max())
    assert (run.y + run.e).tolist() == pytest.approx(d.tolist())
    ends = sorted({0, *(int(cut) for cut in rng.integers(0, n + 1, size=3)), n})
    one.reset()
    parts = [one.run(u[a:b], d[a:b], history=7) for a, b in pairwise(ends)]
    assert np.concatenate([part.e for part in parts]).tobytes() == run.e.tobytes()
    assert np.concatenate([part.history for part in parts]).tobytes() == run.history.tobytes()


def test_without_a_path_it_is_nlms() -> None:
    rng = np.random.default_rng(0)
    u, d = rng.normal(size=500), rng.normal(size=500)
    nlms = filters.NLMS(9, 0.3).run(u, d)
    run = filters.FxLMS(9, 0.3).run(u, d)
    assert abs(run.e - nlms.e).max() < 1e-12
    assert abs(run.w - nlms.w).max() < 1e-12


def test_cancels_a_hum_and_a_wrong_sign_diverges() -> None:
    t = np.arange(60_000) / 8000
    hum, path = np.sin(2 * np.pi * 120 * t), [0.0, 0.0, 0.0, 0.7, 0.2]
    d = 0.8 * np.sin(2 * np.pi * 120 * t - 1.0)
    run = filters.FxLMS(16, 0.05, secondary=path).run(hum, d)
    assert np.std(run.e[-8000:]) < 1e-4
    wrong = filters.FxLMS(16, 0.05, secondary=path, estimate=np.negative(path))
    with pytest.raises(OverflowError, match="FxLMS diverged"):
        wrong.run(np.tile(hum, 5), np.tile(d, 5))


def test_goes_on_bit_for_bit(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    u, d = rng.normal(size=300), rng.normal(size=300)
    one, first = (filters.FxLMS(5, secondary=[0.5, 1.0, 0.2], estimate=[0.4, 1.1]) for _ in range(2))
    run = one.run(u, d)
    first.run(u[:123], d[:123])
    rb.save(first, tmp_path / "filter")
    second = rb.load(tmp_path / "filter")
    assert second.run(u[123:], d[123:]).e.tobytes() == run.e[123:].tobytes()


@pytest.mark.parametrize(
    ("one", "u", "words"),
    [
        (filters.FxLMS(secondary=[]), np.ones(9), "secondary must be an impulse response: at least one finite"),
        (filters.FxLMS(estimate=[np.nan]), np.ones(9), "estimate must be an impulse response"),
        (filters.FxLMS(), np.ones(8), "u has 8 samples and d has 9"),
        (filters.FxLMS(), np.ones((9, 2)), r"u must be a real signal \(1-D\); it is float64 of shape \(9, 2\)"),
        (filters.FxLMS(), np.ones(9) * 1j, r"u must be a real signal \(1-D\); it is complex128"),
        (filters.FxLMS(), np.full(9, np.nan), "u has NaN at sample 0"),
        (filters.FxLMS(eta=0.0), np.ones(9), "The 'eta' parameter of FxLMS"),
    ],
)
def test_refused_in_a_sentence(one: Any, u: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        one.run(u, np.ones(9))
    assert one.n_samples_ == 0


def test_a_path_of_another_length_midway() -> None:
    one = filters.FxLMS(4, secondary=[1.0, 0.5])
    one.run(np.ones(9), np.ones(9))
    with pytest.raises(ValueError, match="length was changed after it had begun to learn"):
        one.set_params(secondary=[1.0]).run(np.ones(9), np.ones(9))
    path = [0.9, 0.4]
    one.set_params(secondary=path).run(np.ones(9), np.ones(9))
    path.append(0.1)
    with pytest.raises(ValueError, match="length was changed after it had begun to learn"):
        one.run(np.ones(9), np.ones(9))


@given(st.integers(1, 8), st.integers(1, 5), st.integers(1, 60), st.integers(0, 2**31))
def test_a_real_microphone_teaches_what_the_simulation_does(taps: int, path: int, n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    u, d, secondary = rng.normal(size=n), rng.normal(size=n), rng.normal(size=path)
    simulated = filters.FxLMS(taps, 0.05, secondary=secondary)
    run = simulated.run(u, d)
    live = filters.FxLMS(taps, 0.05, secondary=secondary)
    spoken = np.zeros(path - 1)
    for x, noise in zip(u, d, strict=True):
        spoken = np.append(spoken, live.play(x))
        arrived = 0.0  # in the order of the kernel's sum
        for k in range(path):
            arrived += secondary[k] * spoken[-1 - k]
        live.hear(noise - arrived)
    assert live.w_.tobytes() == run.w.tobytes()
    assert live.n_samples_ == n


def test_what_is_played_may_be_heard_later(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    u, e = rng.normal(size=90), rng.normal(size=90)
    whole, parts = filters.FxLMS(5, secondary=[0, 1.0]), filters.FxLMS(5, secondary=[0, 1.0])
    whole.play(u)
    whole.hear(e)
    parts.play(u)
    parts.hear(e[:40])
    with pytest.raises(ValueError, match="50 samples were played and not heard"):
        parts.run(u, e)
    with pytest.raises(ValueError, match="hear was given 51 samples, and 50 are waiting to be heard"):
        parts.hear(np.zeros(51))
    rb.save(parts, tmp_path / "filter")
    parts = rb.load(tmp_path / "filter")
    parts.hear(e[40:])
    assert parts.w_.tobytes() == whole.w_.tobytes()
    with pytest.raises(ValueError, match="hear was given 1 samples, and 0 are waiting"):
        parts.hear(0.0)
    with pytest.raises(ValueError, match="NaN at sample 0"):
        parts.play(np.nan)
