"""Somebody speaks beside the echo: detectors hold the weights still, and the run says when."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import rosenblatt as rb
from rosenblatt import filters
from rosenblatt.filters.blocks import joined

DETECTORS = {
    "geigel": filters.PartitionedLMS(160, block=32, freeze="geigel"),
    "coherence": filters.PartitionedLMS(160, block=32, freeze="coherence"),
    "block": filters.BlockLMS(160, 2e-3, block=32, freeze="coherence"),
    "kalman": filters.PartitionedKalman(160, block=32, freeze="coherence"),
    "covariance": filters.PartitionedKalman(160, block=32, freeze="covariance"),
}
TALK = slice(12_000, 15_000)


def call() -> tuple[Any, Any, Any]:
    """Far end, microphone and room; somebody speaks in TALK."""
    rng = np.random.default_rng(0)
    h = rng.normal(size=150) * 0.97 ** np.arange(150)
    u, h = rng.normal(size=24_000), 0.3 * h / np.linalg.norm(h)
    d = np.convolve(u, h)[:24_000] + 1e-4 * rng.normal(size=24_000)
    d[TALK] += 1.2 * rng.normal(size=3000)
    return u, d, h


def far(w: Any, h: Any) -> float:
    """Misalignment in dB."""
    return float(20 * np.log10(np.linalg.norm(w[: len(h)] - h) / np.linalg.norm(h)))


@pytest.mark.parametrize("name", sorted(DETECTORS))
def test_nothing_is_lost_while_somebody_speaks(name: str) -> None:
    u, d, h = call()
    one, careless = clone(DETECTORS[name]), clone(DETECTORS[name]).set_params(freeze=None)
    before, talk, after = (slice(0, TALK.start), TALK, slice(TALK.stop, None))
    start = far(one.run(u[before], d[before]).w, h)
    careless.run(u[before], d[before])
    run = one.run(u[talk], d[talk])
    held = sum(b - a for a, b in run.frozen)
    assert start < -35
    if name == "covariance":  # it freezes the beginning, until Ψ has grown; the gain does the rest
        assert held >= 32
        assert far(run.w, h) < -25
    else:
        assert held > 0.9 * 3000
        assert far(run.w, h) < start + 3
        assert far(careless.run(u[talk], d[talk]).w, h) > far(run.w, h) + (3 if name == "kalman" else 20)
    assert all(TALK.start - 32 <= a < b <= TALK.stop + 32 for a, b in run.frozen)
    last = one.run(u[after], d[after])
    assert far(last.w, h) < -35
    assert sum(b - a for a, b in last.frozen) < 1500


@given(st.sampled_from(sorted(DETECTORS)), st.lists(st.integers(1, 4000), max_size=5), st.integers(0, 400))
def test_cuts_do_not_show(name: str, cuts: list[int], begin: int) -> None:
    u, d, _ = call()
    u, d = u[11_500 - begin : 12_500], d[11_500 - begin : 12_500]
    one = clone(DETECTORS[name])
    run, ends = one.run(u, d), sorted({0, *(cut % len(u) for cut in cuts), len(u)})
    other = clone(one)
    parts = [other.run(u[a:b], d[a:b]) for a, b in pairwise(ends)]
    assert np.concatenate([part.e for part in parts]).tobytes() == run.e.tobytes()
    assert joined([pair for part in parts for pair in part.frozen]) == run.frozen


@pytest.mark.parametrize("name", sorted(DETECTORS))
def test_goes_on_bit_for_bit(name: str, tmp_path: Path) -> None:
    u, d, _ = call()
    u, d = u[10_000:14_000], d[10_000:14_000]
    whole, first = clone(DETECTORS[name]), clone(DETECTORS[name])
    run = whole.run(u, d)
    before = first.run(u[:2345], d[:2345])
    rb.save(first, tmp_path / "filter")
    second = rb.load(tmp_path / "filter").run(u[2345:], d[2345:])
    assert second.e.tobytes() == run.e[2345:].tobytes()
    assert joined([*before.frozen, *second.frozen]) == run.frozen


@given(st.integers(1, 20), st.integers(1, 8), st.floats(0.2, 3), st.integers(0, 2**31))
def test_geigel_is_its_formula(taps: int, block: int, at: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    u, d = rng.normal(size=120) * (rng.random(120) < 0.3), rng.normal(size=120) * 10.0 ** rng.integers(-4, 1, size=120)
    frozen = filters.PartitionedLMS(taps, block=block, freeze="geigel", freeze_at=at).run(u, d).frozen
    reach, left, still = -(-taps // block) + 1, 0, set()
    for k in range(120 // block):
        here = slice(k * block, (k + 1) * block)
        loudest = abs(u[max(0, (k - reach + 1) * block) : here.stop]).max()
        now = abs(d[here]).max()
        left = reach if now > at * loudest and now > 0.01 * abs(d[: here.stop]).max() else max(0, left - 1)
        still |= set(range(here.start, here.stop)) if left else set()
    assert {n for a, b in frozen for n in range(a, b)} == still


def test_a_room_that_changes_is_learned_again() -> None:
    """Coherence takes it for somebody who speaks, but not for ever."""
    u, _, h = call()
    other = -h[::-1].copy()
    d = np.where(np.arange(24_000) < 6000, np.convolve(u, h)[:24_000], np.convolve(u, other)[:24_000])
    one = clone(DETECTORS["coherence"])
    run = one.run(u, d)
    assert 7500 < sum(b - a for a, b in run.frozen) < 10_000
    assert far(run.w, other) < -35


def test_the_task_and_the_picture_say_when() -> None:
    u, d, _ = call()
    one = clone(DETECTORS["geigel"])
    one.run(u[:77], d[:77])  # a filter that has begun before, within a block
    done = filters.cancel(d[77:], u[77:], one)
    (a, b), *more = done.frozen
    assert not more
    assert TALK.start - 77 - 32 <= a < b <= TALK.stop - 77 + 32 * 7
    assert done.summary["frozen"] == [[a, b]]
    display = rb.plot.FilterDisplay.from_run(done, rate=1000.0)
    for ax in display.ax_[:2]:
        band = next(patch for patch in ax.patches if patch.get_label() == "weights held still")
        assert (band.get_x(), band.get_x() + band.get_width()) == pytest.approx((a / 1000, b / 1000))
    import matplotlib.pyplot as plt

    plt.close(display.figure_)


def test_another_detector_midway_and_bad_ones() -> None:
    u, d, _ = call()
    one = clone(DETECTORS["geigel"])
    one.run(u[:1000], d[:1000])
    one.set_params(freeze="coherence").run(u[1000:2000], d[1000:2000])
    one.set_params(freeze=None).run(u[2000:3000], d[2000:3000])
    with pytest.raises(ValueError, match="The 'freeze' parameter of PartitionedLMS"):
        one.set_params(freeze="covariance").run(u, d)
    with pytest.raises(ValueError, match="The 'freeze_at' parameter of PartitionedLMS"):
        one.set_params(freeze="geigel", freeze_at=0.0).run(u, d)
    assert len(one.set_params(freeze=None, freeze_at=None).run(u[:9], d[:9])) == 4  # still four values
