"""A foetus's heartbeat, found under its mother's by adaptive noise cancelling.

Electrodes on the abdomen hear both hearts, the mother's ten times louder; electrodes on her chest hear hers alone. What
can be made of the chest's signals is her heart; what is left is the child's.

The recording (De Lathauwer, De Moor and Vandewalle; DaISy, KU Leuven) is not part of this package: the script looks for
it beside the project, and says so where it is missing. `python examples/foetal_ecg.py picture.png` draws both signals.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.signal import find_peaks

import rosenblatt as rb
from rosenblatt.filters.uses import read_signals

DATA = Path(__file__).parents[2] / "shared" / "data" / "sig_foetal_ecg.csv"
LEARNED = 400  # samples, two of the mother's beats


def main() -> None:
    """Cancel, count, and draw if asked to."""
    if not DATA.is_file():
        print("The foetal ECG is not here: it is DaISy's, and cannot be bundled.")
        return
    record = read_signals(DATA)
    chest = np.column_stack([record[f"thoracic{k}"] for k in (1, 2, 3)])
    belly = record["abdominal2"]

    cancelled = rb.filters.cancel(belly, chest, rb.filters.RLS(taps=3 * 8, forgetting=0.999))
    child = cancelled.output

    hers = beats(np.abs(chest[:, 1]), 0.5, apart=120)
    childs = beats(-child, 0.5, apart=70)
    childs = childs[childs >= LEARNED]
    near = np.zeros(len(belly), dtype=bool)  # within 20 samples of one of her beats, once the filter knows her
    for beat in hers[hers >= LEARNED]:
        near[beat - 20 : beat + 21] = True
    fall = 10 * np.log10(np.sum(belly[near] ** 2) / np.sum(child[near] ** 2))
    gaps = np.diff(childs)

    print(f"{len(belly):,} samples, 3 chest channels × 8 taps, RLS")
    print(f"  the mother's beats    {np.sum(hers >= LEARNED)}; at them the signal falls by {fall:.1f} dB")
    print(f"  the child's beats     {len(childs)}, {gaps.min()} to {gaps.max()} samples apart")
    if len(sys.argv) > 1:
        draw(belly, child, hers, childs, fall, sys.argv[1])


def beats(signal: np.ndarray, share: float, apart: int) -> np.ndarray:
    """Peaks above a share of the highest, once the filter has learned."""
    peaks, _ = find_peaks(signal, height=share * signal[LEARNED:].max(), distance=apart)
    return peaks


def draw(belly: np.ndarray, child: np.ndarray, hers: np.ndarray, childs: np.ndarray, fall: float, path: str) -> None:
    """Before and after, beats marked."""
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    figure, (before, after) = plt.subplots(2, 1, figsize=(11, 5.2), sharex=True, layout="constrained")
    before.plot(belly, color="#5c6670", linewidth=0.9)
    before.plot(hers, np.full(len(hers), 115.0), "v", color="#1b2127", markersize=5)
    before.set_title("On the abdomen: the mother's heart, and a hint of another", loc="left", fontweight="bold")
    after.plot(child, color="#c2500a", linewidth=0.9)
    after.plot(childs, child[childs] - 2, "^", color="#0b62ab", markersize=5)
    after.axvspan(0, LEARNED, color="#e3e7eb", linewidth=0)
    after.text(LEARNED / 2, 21, "learning", ha="center", color="#5c6670")
    title = f"After cancelling: hers {fall:.0f} dB weaker, the child's {len(childs)} beats countable"
    after.set_title(title, loc="left", fontweight="bold")
    after.set(ylim=(-26, 26), xlim=(0, len(belly)), xlabel="samples")
    for ax in (before, after):
        ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    main()
