"""Echoes of rooms: how fast, how near, and what happens when somebody else speaks; against peers that are installed."""

import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
import padasip
from scipy.signal import fftconvolve, lfilter

from benchmarks.timing import benchmark, best_times, print_table, ratio, some
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


@benchmark("echoes")
def echoes() -> None:
    """An echo path of 4,096 taps at 48 kHz: times real time, and how far from it the weights are.

    Misalignment in dB after 2, 4 and 10 seconds, noise 60 dB below the echo. One thread; processor time.
    """
    rows = []
    for name in some(("white", "speech-like")):
        rng = np.random.default_rng(0)
        n = RATE * SECONDS[-1]
        u = rng.normal(size=n) if name == "white" else speech_like(n, RATE, rng)
        h = room(TAPS, rng)
        d = fftconvolve(u, h)[:n] + 1e-3 * rng.normal(size=n)
        for who, learn, seconds in some(_contestants()):
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


@benchmark("double-talk")
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


@benchmark("steady-states")
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


@benchmark("blocks")
def blocks() -> None:
    """Block filters of 4,096 taps on white noise, beside the textbook's in twenty lines of NumPy.

    Samples a second of processor time; misalignment in dB at the end of the run, noise 60 dB below the echo. The whole
    recording is given at once (`offline=True`): its blocks are learned in one compiled loop, with transforms of its own
    that take eight samples at a time, 0.09, 0.5 and 7 µs for 128, 1,024 and 8,192 samples (np.fft 3.4, 6.2 and 34 µs,
    a call included). We make two more transforms a block than the textbook: they cut the whitened errors to the block,
    so that no step of 0 < η < 2 diverges.
    """
    rng, n, rows = np.random.default_rng(0), 1 << 18, []
    u, h = rng.normal(size=n), room(TAPS, rng)
    d = fftconvolve(u, h)[:n] + 1e-3 * rng.normal(size=n)
    for block in some((64, 512, 4096)):
        one, found = filters.PartitionedLMS(TAPS, block=block), {}
        calls = {
            "ours": lambda one=one, found=found: found.update(ours=one.reset().run(u, d, offline=True).w),
            "theirs": lambda found=found, block=block: found.update(theirs=_textbook(u, d, TAPS, block)),
        }
        ours, theirs = best_times(calls, rounds=2).values()
        far = [f"{misalignment(found[who], h):.0f}" for who in ("ours", "theirs")]
        rows.append(
            [str(block), *(f"{n / one / 1e6:.2f} million/s" for one in (ours, theirs)), ratio(theirs / ours), *far]
        )
    print_table(["block", "PartitionedLMS", "textbook", "faster than the textbook", "dB, ours", "dB, textbook"], rows)


def _textbook(u: np.ndarray, d: np.ndarray, taps: int, B: int, eta: float = 0.5) -> np.ndarray:
    """The partitioned frequency-domain filter by overlap and save, the gradient constrained; its weights at the end."""
    P = taps // B
    W, past, power = np.zeros((P, B + 1), complex), np.zeros((P, B + 1), complex), np.zeros(B + 1)
    u = np.concatenate([np.zeros(B), u])
    for k in range(0, len(d) - B + 1, B):
        past = np.roll(past, 1, axis=0)
        past[0] = np.fft.rfft(u[k : k + 2 * B])
        e = d[k : k + B] - np.fft.irfft((W * past).sum(axis=0))[B:]
        power = np.maximum(0.9 * power + 0.1 * (seen := (np.abs(past) ** 2).sum(axis=0)), seen)
        error = np.fft.rfft(np.concatenate([np.zeros(B), e])) / (power + 1e-9)
        step = np.fft.irfft(np.conj(past) * error)
        step[:, B:] = 0
        W += eta * np.fft.rfft(step)
    return np.fft.irfft(W)[:, :B].ravel()
