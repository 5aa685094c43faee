"""Sixty-hertz hum taken out of an electrocardiogram, with the mains as reference.

The hum's strength, its phase and even its frequency wander; a fixed notch would have to be wide, and would take a piece
of the heart's signal with it. The filter follows. `python examples/hum.py picture.png` draws before and after.
"""

import sys

import numpy as np

import rosenblatt as rb

RATE = 360  # samples a second
WAVES = (  # of one beat: height in mV, seconds from its peak, width in seconds (P, Q, R, S, T)
    (0.12, -0.20, 0.03),
    (-0.10, -0.03, 0.01),
    (1.00, 0.00, 0.012),
    (-0.20, 0.03, 0.012),
    (0.25, 0.25, 0.05),
)


def main() -> None:
    """Cancel, measure, and draw if asked to."""
    rng = np.random.default_rng(0)
    t = np.arange(60 * RATE) / RATE
    heart = sum(
        height * np.exp(-0.5 * ((t - beat - at) / width) ** 2)
        for beat in np.cumsum(rng.normal(0.85, 0.05, size=80))
        for height, at, width in WAVES
    )
    phase = 2 * np.pi * (60 * t + 0.02 * np.sin(2 * np.pi * 0.05 * t))  # a frequency that wanders a little
    mains = np.sin(phase)
    hum = 0.4 * (1 + 0.1 * np.sin(2 * np.pi * 0.03 * t)) * np.sin(phase + 1.1)

    cancelled = rb.filters.cancel(heart + hum, mains, rb.filters.LMS(taps=8, eta=0.002))
    clean = cancelled.output

    late = slice(len(t) // 2, None)
    left = clean[late] - heart[late]  # of the hum, and of whatever the filter did to the heart
    fall = 10 * np.log10(np.mean(hum[late] ** 2) / np.mean(left**2))
    print(f"{len(t):,} samples of a heart (0.1 to 1 mV) under 0.4 mV of hum; LMS, 8 taps")
    print(f"  the hum falls by      {fall:.1f} dB (all that is left, distortion included)")
    print(f"  it has learned in     {settled(clean - heart, hum):.1f} s")
    if len(sys.argv) > 1:
        draw(t, heart + hum, clean, fall, sys.argv[1])


def settled(left: np.ndarray, hum: np.ndarray) -> float:
    """Seconds until what is left stays 20 dB below the hum, in means over half a second."""
    width = RATE // 2
    level = np.convolve(left**2, np.ones(width) / width, mode="valid")
    loud = np.flatnonzero(level > 0.01 * np.mean(hum**2))
    return float((loud[-1] + 1) / RATE) if loud.size else 0.0


def draw(t: np.ndarray, noisy: np.ndarray, clean: np.ndarray, fall: float, path: str) -> None:
    """Before and after, at the beginning and later."""
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(11, 5), sharey=True, sharex="col", layout="constrained")
    windows = ((0, 4, "The first four seconds: it learns"), (40, 44, "From the fortieth second: it follows"))
    for column, (start, stop, title) in enumerate(windows):
        part = slice(start * RATE, stop * RATE)
        axes[0, column].plot(t[part], noisy[part], color="#5c6670", linewidth=0.8)
        axes[1, column].plot(t[part], clean[part], color="#c2500a", linewidth=1.0)
        axes[0, column].set_title(title, loc="left", fontweight="bold")
        axes[1, column].set(xlabel="seconds", xlim=(start, stop))
    axes[0, 0].set_ylabel("mV, with hum")
    axes[1, 0].set_ylabel(f"mV, hum {fall:.0f} dB down")
    for ax in axes.flat:
        ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    main()
