"""Probes on a GPU: `python -m benchmarks.probes.gpu` prints rates, and writes them to benchmarks/results/.

First the truth: corrections and mistakes are compared with a sequential float64 run. Then the speed, for each shape and
each setting `rows:sub:warps:group:streams:parts:whole:registers` (see `Tuning` in probes/devices/gpu.py): probe-passes
a second, the part of the card's own float32 rate for matrix products, and where the time goes. It needs torch and
Triton beside the package.
"""

import argparse
import json
import platform
import statistics
import time
from pathlib import Path

import numpy as np
import torch
import triton

from rosenblatt.probes.devices import gpu

RESULTS = Path(__file__).parents[1] / "results"
SHAPES = {
    "small": (4096, 128, 65536),
    "large": (10240, 4096, 16384),
}
SETTINGS = {
    "small": "64:16:4:0:1:1 128:16:4:0:1:0:32 128:16:4:0:1:0:16:168",
    "large": "128:16:4:0:1 256:16:2:8192:2:1",
}


def main() -> None:
    options = _arguments()
    began, card = time.perf_counter(), _card(options.device)
    print(f"{card}; torch {torch.__version__}, Triton {triton.__version__}, Python {platform.python_version()}")
    report = {"card": card, "torch": torch.__version__, "triton": triton.__version__, "date": time.strftime("%Y-%m-%d")}
    for text in options.check.split():
        _check(_tuning(text), options.device)
    rate = _product_rate(options.device, options.square)
    print(f"float32 matrix product, {options.square} cubed, no TF32: {rate / 1e12:.1f} TFLOP/s", flush=True)
    report |= {"product_tflops": round(rate / 1e12, 2), "runs": []}
    for name in options.shapes.split():
        n, p, B = SHAPES.get(name) or map(int, name.split("x"))
        data = _data(n, p, B, options.device)
        print(f"\n## n = {n}, p = {p}, B = {B}\n", flush=True)
        for text in (options.settings or SETTINGS[name]).split():
            if time.perf_counter() - began > options.seconds:
                print("out of time: the remaining settings were not tried")
                break
            report["runs"].append(_measure(data, _tuning(text), rate, options))
            _write(report, options.output)
    best = max(report["runs"], key=lambda run: run["probe_passes_per_second"], default=None)
    print(f"\nbest of all: {best}\nwritten to {_write(report, options.output)}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapes", default="small large", help="small, large, or n×p×B as in 4096x128x65536")
    parser.add_argument("--settings", help="rows:sub:warps:…:registers, several with spaces between")
    parser.add_argument(
        "--check",
        default="64:16:4:0:1 128:32:2:96:2:1 128:16:4:0:1:0:32",
        help="settings for the comparison with float64",
    )
    parser.add_argument("--passes", type=int, default=10, help="passes timed")
    parser.add_argument("--seconds", type=float, default=420, help="begin no setting after so many seconds")
    parser.add_argument("--square", type=int, default=8192, help="side of the matrices that measure the card's rate")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--output", type=Path, default=RESULTS / "probes-gpu.json")
    return parser.parse_args()


def _tuning(text: str) -> gpu.Tuning:
    return gpu.Tuning(*map(int, text.split(":")))


def _card(device: str) -> str:
    return torch.cuda.get_device_name() if device == "cuda" else platform.processor() or "CPU"


def _write(report: dict, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(report, indent=1) + "\n")
    return path


# ------------------------------------------------------------------------------------------------------------ the truth


def _sequential(X: np.ndarray, Y: np.ndarray, passes: int) -> tuple[np.ndarray, np.ndarray]:
    """Weights and mistakes per pass of the perceptron in float64, row after row."""
    Z = np.hstack([X, np.ones((len(X), 1))]).astype(np.float64)
    W, mistakes = np.zeros((Z.shape[1], Y.shape[1])), np.zeros((passes, Y.shape[1]), dtype=int)
    for k in range(passes):
        for z, y in zip(Z, Y, strict=True):
            c = np.where(y * (z @ W) > 0, 0, y)
            W += np.outer(z, c)
            mistakes[k] += c != 0
    return W, mistakes


def _check(tuning: gpu.Tuning, device: str) -> None:
    random = np.random.default_rng(0)
    n, p, B, passes = (1000, 48, 200, 3) if device == "cuda" else (20, 4, 5, 2)
    X = random.integers(-8, 9, (n, p)).astype(np.float32)
    Y = random.choice(np.array([-1, 0, 1], dtype=np.int8), (n, B))
    W, mistakes = _sequential(X, Y, passes)
    for resident in (True, False):
        ours = gpu.train(X, Y, passes, device=device, tuning=tuning, resident=resident)
        same = np.array_equal(ours.weights, W) and np.array_equal(ours.mistakes, mistakes)
        print(f"whole numbers, {tuning}, X {'on the device' if resident else 'streamed'}: ", end="")
        print("the same weights and mistakes as the sequential float64 run" if same else "DIFFERENT", flush=True)
        assert same
    X = random.standard_normal((n, p)).astype(np.float32)
    Y = np.where(X @ random.standard_normal((p, B)) + random.standard_normal((n, B)) > 0, 1, -1).astype(np.int8)
    W, mistakes = _sequential(X, Y, passes)
    ours = gpu.train(X, Y, passes, device=device, tuning=tuning)
    off = np.abs(ours.mistakes.sum(axis=0) - mistakes.sum(axis=0))
    print(
        f"real numbers: {np.mean(off == 0):.1%} of {B} probes with the mistakes of float64, others off by ≤ {off.max()}"
    )


# ------------------------------------------------------------------------------------------------------------ the speed


def _sync(device: str) -> None:
    if device == "cuda":
        torch.cuda.synchronize()


def _seconds(call, device: str, times: int = 20) -> float:
    """Seconds of one of many calls in a row, the best of three rounds."""
    call()
    rounds = []
    for _ in range(3):
        _sync(device)
        began = time.perf_counter()
        for _ in range(times):
            call()
        _sync(device)
        rounds.append((time.perf_counter() - began) / times)
    return min(rounds)


def _product_rate(device: str, side: int) -> float:
    torch.set_float32_matmul_precision("highest")
    A, B = torch.randn(side, side, device=device), torch.randn(side, side, device=device)
    C = torch.empty_like(A)
    return 2 * side**3 / _seconds(lambda: torch.mm(A, B, out=C), device, 5)


def _data(n: int, p: int, B: int, device: str) -> tuple[np.ndarray, np.ndarray]:
    """A planted direction for every probe, and so much noise that none is separable."""
    torch.manual_seed(0)
    X = torch.randn(n, p, device=device)
    signal = X @ torch.randn(p, B, device=device) / p**0.5
    Y = torch.where(signal + torch.randn(n, B, device=device) > 0, 1, -1).to(torch.int8)
    return X.cpu().numpy(), Y.cpu().numpy()


def _measure(data: tuple[np.ndarray, np.ndarray], tuning: gpu.Tuning, rate: float, options) -> dict:
    X, Y = data
    (n, p), B, device = X.shape, Y.shape[1], options.device
    place = torch.device(device)
    began = time.perf_counter()
    with torch.inference_mode():
        source = gpu._Source(torch, X, place, True, tuning.rows)
        team = gpu._DeviceTeam.start(source, Y, False, tuning, in_turn=True)
        team.sweep(0, None)
        _sync(device)
        prepared = time.perf_counter() - began
        times = []
        for k in range(1, options.passes + 1):
            began = time.perf_counter()
            mistakes = team.sweep(k, None)
            times.append(time.perf_counter() - began)
        parts = _parts(team, device)
    seconds = statistics.median(times)
    flops = 4 * n * (p + 1) * B
    run = {
        "n": n,
        "p": p,
        "B": B,
        "tuning": tuning._asdict(),
        "seconds_per_pass": seconds,
        "fastest_pass": min(times),
        "probe_passes_per_second": B / seconds,
        "part_of_product_rate": flops / seconds / rate,
        "mistakes_per_probe_in_the_last_pass": float(mistakes.mean()),
        "seconds_to_prepare": prepared,
        "seconds_alone_per_pass": parts,
    }
    share = ", ".join(f"{name} {value * 1e3:.2f}" for name, value in parts.items())
    print(
        f"{':'.join(map(str, tuning)):22} {seconds * 1e3:8.3f} ms a pass, "
        f"{B / seconds / 1e6:7.2f} million probe-passes/s, {flops / seconds / rate:5.1%} of the product rate | "
        f"alone, ms: {share} | prepared in {prepared:.1f} s",
        flush=True,
    )
    return run


def _parts(team, device: str) -> dict[str, float]:
    """Seconds a pass would take of each kind of work alone, one stream, block 0 again and again."""
    R, blocks = team.tuning.rows, team.source.blocks
    X, groups = team.source.slab[:R], list(zip(team.groups, team.S, strict=True))

    def respond() -> None:
        for cut, S in groups:
            torch.mm(X, team.W[:, cut], out=S)

    def recur() -> None:
        for cut, S in groups:
            team._recur(cut, S, 0)

    def correct() -> None:
        for cut, S in groups:
            team._correct(cut, S, 0)

    return {call.__name__: _seconds(call, device) * blocks for call in (respond, recur, correct)}


if __name__ == "__main__":
    main()
