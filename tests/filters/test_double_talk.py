"""Somebody speaks beside the echo: detectors hold the weights still, and the run says when."""

import warnings
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
from rosenblatt.filters.machinery.base import joined

DETECTORS = {
    "geigel": filters.PartitionedLMS(160, block=32, freeze="geigel"),
    "coherence": filters.PartitionedLMS(160, block=32, freeze="coherence"),
    "block": filters.BlockLMS(160, 2e-3, block=32, freeze="coherence"),
    "kalman": filters.PartitionedKalman(160, block=32, freeze="coherence"),
    "covariance": filters.PartitionedKalman(160, block=32, freeze="covariance"),
    "by the sample": filters.NLMS(160, freeze="geigel"),
    "rls": filters.RLS(160, freeze="geigel"),
    "two paths": filters.PartitionedLMS(160, block=32, freeze="two-path"),
    "two paths, block": filters.BlockLMS(160, 2e-3, block=32, freeze="two-path"),
    "two paths, kalman": filters.PartitionedKalman(160, block=32, freeze="two-path"),
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
    if name.startswith("two paths"):  # nothing that was learned in talk is heard, whatever was called worse
        assert far(run.w, h) < start + 1
        last = one.run(u[after], d[after])
        assert far(last.w, h) < start + 1
        return
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


@given(
    st.integers(1, 12),
    st.floats(0.2, 3),
    st.lists(st.integers(0, 120), max_size=3),
    st.booleans(),
    st.integers(0, 2**31),
)
def test_geigel_by_the_sample_is_its_formula(taps: int, at: float, cuts: list[int], rows: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    u, d = rng.normal(size=120) * (rng.random(120) < 0.3), rng.normal(size=120) * 10.0 ** rng.integers(-4, 1, size=120)
    X = filters.delay_line(u, taps)
    one, left, still, w = filters.NLMS(taps, freeze="geigel", freeze_at=at), 0, set(), np.zeros(taps)
    square, count = 0.0, 0
    for n in range(120):
        talk = abs(d[n]) > max(at * abs(X[n]).max(), 0.01 * abs(d[: n + 1]).max())
        left = taps + 1 if talk else max(0, left - 1)
        if left:
            still.add(n)
            continue
        square, count = square + X[n] @ X[n], count + 1
        below = one.eps * square / count + X[n] @ X[n]
        w = w + (one.eta * (d[n] - w @ X[n]) / below * X[n] if below else 0)
    parts = [one.run((X if rows else u)[a:b], d[a:b], history=9) for a, b in pairwise(sorted({0, *cuts, 120}))]
    assert {n for part in parts for a, b in part.frozen for n in range(a, b)} == still
    assert abs(one.w_ - w).max() < 1e-9 * (1 + abs(w).max())
    assert sum(len(part.history) for part in parts) == len(range(0, 120, 9))


def test_adapt_holds_still_too() -> None:
    one = filters.NLMS(2, freeze="geigel")
    for _ in range(3):
        one.adapt(np.array([1.0, 0.5]), 0.4)
    w = one.w_
    assert w.any()
    one.adapt(np.array([1.0, 0.5]), 5.0)
    assert one.w_.tolist() == w.tolist()


def naive_two_paths(one: Any, u: Any, d: Any) -> tuple[Any, Any]:
    """(errors, weights at the end) of a `BlockLMS` by the definition."""
    block, front, back, votes, e = one.block, np.zeros(one.taps), np.zeros(one.taps), [], np.empty(len(d))
    X = filters.delay_line(u, one.taps)
    for k in range(0, len(d) - block + 1, block):
        here = slice(k, k + block)
        e[here], behind = d[here] - X[here] @ front, d[here] - X[here] @ back
        powers = e[here] @ e[here], behind @ behind
        D = (powers[0] - powers[1]) / sum(powers) if sum(powers) else 0.0
        votes = [*((0.95 * a, 0.95 * b) for a, b in votes), (D, D * D)]
        total, squares = sum(a for a, _ in votes), sum(b for _, b in votes)
        if abs(total) > 3 * np.sqrt(squares):
            votes = []
            if total < 0:
                back = front.copy()
                continue
            front = back.copy()
        back = back + one.eta * X[here].T @ behind
    return e, front


@given(st.integers(1, 20), st.integers(1, 8), st.floats(0.001, 0.2), st.integers(0, 2**31))
def test_two_paths_are_their_definition(taps: int, block: int, eta: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 60 * block
    u = rng.normal(size=n)
    d = np.convolve(u, rng.normal(size=taps))[:n] + rng.normal(size=n) * np.repeat(rng.random(60) < 0.3, block)
    one = filters.BlockLMS(taps, eta, block=block, freeze="two-path")
    with np.errstate(all="ignore"):
        e, w = naive_two_paths(one, u, d)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a step that is too large: the background diverges, and nobody hears it
        run = one.run(u, d)
    assert abs(run.e - e).max() < 1e-6 * abs(e).max()
    assert abs(run.w - w).max() < 1e-6 * (1 + abs(w).max())


def test_a_step_that_is_too_large_is_not_heard() -> None:
    u, d, _ = call()
    with pytest.warns(UserWarning, match="above"):
        run = filters.BlockLMS(160, 1.0, block=32, freeze="two-path").run(u[:12_000], d[:12_000])
    assert np.abs(run.e).max() <= 1.1 * np.abs(d[:12_000]).max()


def test_a_new_room_is_learned_at_once() -> None:
    u, d, h = call()
    d[15_000:] -= 2 * np.convolve(u, h)[15_000 : len(d)]  # the room turns round
    one = filters.PartitionedLMS(160, block=32, freeze="two-path")
    assert far(one.run(u[:18_000], d[:18_000]).w, -h) < -20


def test_erle_does_not_count_what_somebody_else_says() -> None:
    """Somebody speaks for a while in the last quarter."""
    random = np.random.default_rng(0)
    n = 96_000
    u = random.normal(size=n)
    echo = np.convolve(u, 0.3 * random.normal(size=64) * 0.9 ** np.arange(64))[:n]
    speaks = np.zeros(n, dtype=bool)
    speaks[74_000:76_500] = True  # longer speech is taken for a change of the room
    d = echo + 0.001 * random.normal(size=n) + 2.0 * speaks * random.normal(size=n)
    learner = filters.PartitionedLMS(64, block=64, freeze="coherence")
    found = filters.cancel(d, u, learner)
    held = np.zeros(n, dtype=bool)
    for first, after in found.frozen:
        held[first:after] = True
    last = np.arange(n) >= n - n // 4
    assert held[speaks & last].mean() > 0.9
    alone = last & ~held
    expected = 10 * np.log10(np.mean(d[alone] ** 2) / np.mean(found.e[alone] ** 2))
    assert found.summary["erle_db"] == pytest.approx(expected)
    everything = 10 * np.log10(np.mean(d[last] ** 2) / np.mean(found.e[last] ** 2))
    assert found.summary["erle_db"] > everything + 10
    assert found.summary["final_mse"] == pytest.approx(np.mean(found.e[last] ** 2))
