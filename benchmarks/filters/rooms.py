"""Echoes of rooms: how fast, how near, and what happens when somebody else speaks; against peers that are installed."""

import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
import padasip
from scipy.signal import fftconvolve, lfilter

from benchmarks.timing import print_table
from rosenblatt import filters

RATE, TAPS, SECONDS = 48_000, 4096, (2, 4, 10)


def speech_like(n: int, rate: int, rng: np.random.Generator) -> np.ndarray:
    """Coloured noise in syllables, some of them left out."""
    coloured = lfilter([1.0], [1.0, -1.6, 0.8], rng.normal(size=n))
    syllables = np.maximum(0, np.sin(2 * np.pi * 1.7 * np.arange(n) / rate)) ** 0.5
    spoken = np.repeat(rng.random(4 * n // rate + 1) > 0.2, rate // 4)[:n]
    signal = coloured * syllables * spoken
    return np.asarray(signal / np.std(signal))


def room(taps: int, rng: np.random.Generator) -> np.ndarray:
    """Noise that dies away: −60 dB at its end."""
    response = rng.normal(size=taps) * 10 ** (-3 * np.arange(taps) / taps)
    return np.asarray(response / np.linalg.norm(response))


def misalignment(w: np.ndarray, h: np.ndarray) -> float:
    """How far from the room, in dB."""
    return float(20 * np.log10(np.linalg.norm(w - h) / np.linalg.norm(h)))


Chunk = Callable[[np.ndarray, np.ndarray], np.ndarray]  # learns from a piece and returns the weights


def _ours(one: Any) -> Chunk:
    return lambda u, d: one.run(u, d).w


def _padasip(taps: int) -> Chunk:
    one, past = padasip.filters.FilterNLMS(taps, mu=0.5, w="zeros"), [np.zeros(0)]

    def learn(u: np.ndarray, d: np.ndarray) -> np.ndarray:
        one.run(d, filters.delay_line(u, taps, past[0]))
        past[0] = u[-taps:]
        return np.asarray(one.w)

    return learn


def _adafilt(taps: int, block: int) -> Chunk:
    import adafilt

    one = adafilt.FastBlockLMSFilter(taps, block, stepsize=0.1)

    def learn(u: np.ndarray, d: np.ndarray) -> np.ndarray:
        for k in range(0, len(u) - block + 1, block):
            one.adapt(u[k : k + block], d[k : k + block] - one.filt(u[k : k + block]))
        return np.asarray(one.w)

    return learn


def _pyroomacoustics(taps: int) -> Chunk:
    from pyroomacoustics.adaptive import NLMS

    one = NLMS(taps)

    def learn(u: np.ndarray, d: np.ndarray) -> np.ndarray:
        for x, y in zip(u, d, strict=True):
            one.update(x, y)
        return np.asarray(one.w)

    return learn


def _contestants() -> Iterator[tuple[str, Chunk, float]]:
    """Name, what learns, and how many seconds of sound it gets: slow ones fewer."""
    yield "PartitionedLMS(4096)", _ours(filters.PartitionedLMS(TAPS)), 10
    yield '… constraint="alternating"', _ours(filters.PartitionedLMS(TAPS, constraint="alternating")), 10
    yield "PartitionedKalman(4096)", _ours(filters.PartitionedKalman(TAPS)), 10
    yield "BlockLMS(4096, 1e-5)", _ours(filters.BlockLMS(TAPS, 1e-5)), 10
    yield "NLMS(4096)", _ours(filters.NLMS(TAPS)), 4
    yield "padasip NLMS", _padasip(TAPS), 2
    if find_spec("adafilt"):
        yield "adafilt FastBlockLMS, block 512", _adafilt(TAPS, 512), 10
    if find_spec("pyroomacoustics"):
        yield "pyroomacoustics NLMS", _pyroomacoustics(TAPS), 2


def echoes() -> None:
    """An echo path of 4,096 taps at 48 kHz: times real time, and how far from it the weights are.

    Misalignment in dB after 2, 4 and 10 seconds, noise 60 dB below the echo. One thread; processor time.
    """
    rows = []
    for name in ("white", "speech-like"):
        rng = np.random.default_rng(0)
        n = RATE * SECONDS[-1]
        u = rng.normal(size=n) if name == "white" else speech_like(n, RATE, rng)
        h = room(TAPS, rng)
        d = fftconvolve(u, h)[:n] + 1e-3 * rng.normal(size=n)
        for who, learn, seconds in _contestants():
            far, spent, done = [], 0.0, 0
            for second in (s for s in SECONDS if s <= seconds):
                part = slice(done * RATE, second * RATE)
                began = time.process_time()
                w = learn(u[part], d[part])
                spent, done = spent + time.process_time() - began, second
                far.append(f"{misalignment(w, h):.0f}")
            far += ["" for _ in range(len(SECONDS) - len(far))]
            rows.append([name, who, f"{done / spent:.1f}×", *far])
    print_table(["input", "filter", "real time", *(f"{s} s" for s in SECONDS)], rows)


def double_talk() -> None:
    """Somebody speaks from second 6 to second 9, as loud as the echo: ERLE before, during and after.

    2,048 taps at 16 kHz, speech-like. How far the rest of the echo (not of the error) is below the echo, in dB.
    """
    rng, rate, taps = np.random.default_rng(0), 16_000, 2048
    n = rate * 12
    u, h, near = speech_like(n, rate, rng), 0.4 * room(taps, rng), 0.4 * speech_like(n, rate, rng)
    near[: 6 * rate] = near[9 * rate :] = 0
    echo = fftconvolve(u, h)[:n]
    d = echo + near + 1e-4 * rng.normal(size=n)
    rows = []
    for one in (
        filters.NLMS(taps),
        filters.PartitionedLMS(taps, block=256),
        filters.PartitionedLMS(taps, block=256, freeze="geigel"),
        filters.PartitionedLMS(taps, block=256, freeze="coherence"),
        filters.PartitionedLMS(taps, block=256, freeze="two-path"),
        filters.PartitionedKalman(taps, 256),
        filters.PartitionedKalman(taps, 256, freeze="coherence"),
        filters.PartitionedKalman(taps, 256, freeze="two-path"),
    ):
        run, cells = one.run(u, d), []
        for first, last in ((4, 6), (6, 9), (9, 12)):
            part = slice(first * rate, last * rate)
            cells.append(f"{10 * np.log10(np.mean(echo[part] ** 2) / np.mean((echo - run.y)[part] ** 2)):.0f}")
        held = sum(b - a for a, b in run.frozen) / rate
        rows.append([type(one).__name__, getattr(one, "freeze", None) or "", *cells, f"{held:.1f} s"])
    print_table(["filter", "freeze", "before", "during", "after", "held still"], rows)


def steady_states() -> None:
    """Misalignment in the end, predicted and measured, in dB: white input, white noise 20 dB below it.

    ‖h − w‖² = η·taps·noise/(2 − η·power·(taps + block + 1)) of `BlockLMS`; of `PartitionedLMS` the same with the
    step η·mean(S/D²)/mean(S/D), D = ε + max(S, mean of S): what noise puts in over what a step takes away.
    """
    rng, taps, rows = np.random.default_rng(0), 512, []
    for block, eta in ((64, 0.2), (64, 0.5), (64, 1.0), (128, 0.5)):
        n = 400 * taps
        u = rng.normal(size=n)
        d = fftconvolve(u, h := room(taps, rng))[:n] + 0.1 * rng.normal(size=n)
        for one in (filters.BlockLMS(taps, eta / (2 * taps), block), filters.PartitionedLMS(taps, eta, block)):
            step = one.eta if isinstance(one, filters.BlockLMS) else eta * _inverse(one, u)
            predicted = 10 * np.log10(step * taps * 0.01 / (2 - step * (taps + block + 1)))
            one.run(u[: n // 2], d[: n // 2])
            far = [one.run(u[k : k + block], d[k : k + block]).w - h for k in range(n // 2, n - block + 1, block)]
            measured = 10 * np.log10(np.mean(np.sum(np.square(far), axis=1)))
            cells = [f"{predicted:.2f}", f"{measured:.2f}", f"{measured - predicted:+.2f}"]
            rows.append([type(one).__name__, str(block), f"{one.eta:.3g}", *cells])
    print_table(["filter", "block", "η", "predicted", "measured", "difference"], rows)


def _inverse(one: filters.PartitionedLMS, u: np.ndarray) -> float:
    """mean(S/D²)/mean(S/D)."""
    B, P = one.block, one.taps // one.block
    blocks = np.lib.stride_tricks.sliding_window_view(u, 2 * B)[::B]
    power = np.abs(np.fft.fft(blocks)) ** 2
    S = np.lib.stride_tricks.sliding_window_view(power, P, axis=0).sum(axis=-1)
    mean = lfilter([1 - one.smoothing], [1, -one.smoothing], S, axis=0)
    below = one.eps * S.mean() + np.maximum(S, mean)
    late = slice(len(S) // 2, None)
    return float((S / below**2)[late].mean() / (S / below)[late].mean())
