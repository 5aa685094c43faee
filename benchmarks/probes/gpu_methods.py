"""All methods of probes on a GPU: `python -m benchmarks.probes.gpu_methods` compares with the CPU, then measures.

First the truth: every method on both devices, weights, measures and p-values side by side. Then the time of
20,000 × 512 with 4,096 concepts and a control for each, judged on a quarter of the rows, the best of three calls.
"""

import argparse
import time

import numpy as np
import torch

import rosenblatt as rb
from rosenblatt.probes.learning.trainer import METHODS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--columns", type=int, default=512)
    parser.add_argument("--probes", type=int, default=4096)
    options = parser.parse_args()
    card = torch.cuda.get_device_name() if options.device == "cuda" else "CPU"
    print(f"{card}; torch {torch.__version__}")
    compare(options.device)
    measure(options.device, options.rows, options.columns, options.probes)


def _data(n: int, p: int, B: int) -> tuple[np.ndarray, np.ndarray]:
    """A planted direction for every probe, and noise; the columns' deviations fall as 1/k, as activations' do."""
    random = np.random.default_rng(0)
    X = (
        random.standard_normal((n, p), dtype=np.float32) / np.arange(1, p + 1, dtype=np.float32) ** 0.5
    ) @ np.linalg.qr(random.standard_normal((p, p), dtype=np.float32))[0]
    S = X @ random.standard_normal((p, B), dtype=np.float32)
    return X, S + S.std() * random.standard_normal((n, B), dtype=np.float32) > 0


def compare(device: str) -> None:
    """Weights on both devices: equal to rounding, as are AUROC and p."""
    X, Y = _data(2000, 48, 40)
    groups = np.arange(2000) // 5
    for method in METHODS:
        how = {"method": method, "test": 0.3, "controls": 1, "groups": groups, "random_state": 0, "passes": 10}
        ours, theirs = (rb.probes.fit(X, Y, device=place, **how) for place in ("cpu", device))
        size = np.abs(ours.weights).max()
        off = np.abs(ours.weights - theirs.weights).max() / size
        print(
            f"{method:16} weights off by {off:.1e} of the largest, AUROC by "
            f"{np.abs(ours.auc - theirs.auc).max():.1e}, p by {np.abs(ours.p - theirs.p).max():.1e}, "
            f"controls by {np.abs(ours.control - theirs.control).max():.1e}",
            flush=True,
        )
        assert np.abs(ours.auc - theirs.auc).max() < (5e-3 if method == "perceptron" else 1e-3), method
    numbers = X[:, 0] + np.random.default_rng(1).standard_normal(2000)
    ours, theirs = (
        rb.probes.fit(X, numbers, regress=True, test=0.3, random_state=0, device=place) for place in ("cpu", device)
    )
    print(f"numbers          R² off by {np.abs(ours.r2 - theirs.r2).max():.1e}")
    assert np.abs(ours.r2 - theirs.r2).max() < 1e-3


def measure(device: str, n: int, p: int, B: int) -> None:
    """Seconds of a whole call: data to the device, training, controls, measures, p-values."""
    X, Y = _data(n, p, B)
    print(f"\n{n:,} × {p} with {B:,} probes and a control each, 25 % of the rows held out:")
    for method in METHODS:
        how = {"method": method, "test": 0.25, "controls": 1, "random_state": 0, "device": device}
        rb.probes.fit(X[:2000], Y[:2000, :64], **how)  # compiled
        times = []
        for _ in range(3):
            began = time.perf_counter()
            rb.probes.fit(X, Y, **how)
            times.append(time.perf_counter() - began)
        print(f"{method:16} {min(times):7.2f} s", flush=True)


if __name__ == "__main__":
    main()
