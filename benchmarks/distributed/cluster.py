"""A cluster on one machine: what a pass costs beside its scan, what a second worker brings, and what mixing costs."""

import time
import warnings
from typing import Any

import dask.array as da
import numpy as np
from dask import delayed
from scipy.optimize import nnls
from sklearn.linear_model import Perceptron as Theirs

import rosenblatt as rb
from benchmarks.timing import WALL, benchmark, best_times, print_table, ratio, seconds, some
from distributed import Client
from rosenblatt.blocks.shard import read_arrays
from rosenblatt.distributed import connect

_ROWS, _COLUMNS = 1_300_000, 100  # 1.04 GB of float64
_SCANS = 3  # in one message, so that it does not count
_ROUNDS = 7


def _block(seed: int, n: int, p: int, noise: float) -> Any:
    """Rows that a worker makes itself: labels by one hyperplane for all blocks, a few of them wrong."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    w = np.random.default_rng(12345).standard_normal(p)
    return X, np.where(X @ w + noise * rng.standard_normal(n) > 0, 1, -1)


def _pairs(shards: int, n: int, p: int, noise: float = 0.5) -> list[Any]:
    blocks = [delayed(_block, nout=2)(s, n // shards, p, noise) for s in range(shards)]
    return [(X, y) for X, y in blocks]


def _scan(raw: list[Any], times: int) -> int:
    """Look at all rows of some shards, in this process, so many times."""
    from rosenblatt.learners.runs.examples import Examples

    total = 0
    for _ in range(times):
        for one in raw:
            y = np.where(one.labels > 0, np.int8(1), np.int8(-1))
            w = np.ones(one.rows.p + 1)
            total += Examples(one.rows, y, np.empty(0), True, 1.0).count_mistakes(w, (True, True))
    return total


@benchmark("cluster-workers")
def two_workers() -> None:
    """Two workers against one on 1 and 4 GB in 2 shards, beside what two processes gain that only scan them."""
    rows = []
    for gigabytes in some((1, 4)):
        rounds = _rounds(gigabytes * _ROWS)
        parts = sorted(100 * (p1 / p2) / (s1 / s2) for p1, p2, s1, s2 in rounds)
        p1, p2, s1, s2 = np.median(rounds, axis=0)
        size = f"{gigabytes * _ROWS * _COLUMNS * 8 / 1e9:.1f} GB"
        rows += [
            [size, "a pass of training", f"{p1 * 1e3:.1f} ms", f"{p2 * 1e3:.1f} ms", ratio(p1 / p2)],
            ["", "scanning alone", f"{s1 * 1e3:.1f} ms", f"{s2 * 1e3:.1f} ms", ratio(s1 / s2)],
            ["", "training's part of scanning's gain", "", "", f"{np.median(parts):.0f} %"],
            ["", "the same, of each round", "", "", f"{parts[0]:.0f} … {parts[-1]:.0f} %"],
        ]
    print_table([f"medians of {_ROUNDS} rounds", "", "1 process", "2 processes", "gain"], rows)


def _rounds(n: int) -> list[tuple[float, float, float, float]]:
    """Seconds of a pass by one worker and by two, and of a scan by one and by two, again and again.

    A round is short, so that what else the machine does meets all four of it alike.
    """
    pairs = _pairs(2, n, _COLUMNS)
    with connect("local", workers=1) as one, connect("local", workers=2) as two:
        kept = [_persisted(client, pairs) for client in (one, two)]
        measured = []
        for number in range(_ROUNDS + 1):
            passes = [_best_pass(some, client, 15) for some, client, _ in kept]
            scans = [min(seconds(lambda k=k: _scan_all(*k[1:]), WALL) for _ in range(3)) / _SCANS for k in kept]
            if number:  # the first one loads the kernels
                measured.append((*passes, *scans))
    return measured


def _persisted(client: Client, pairs: list[Any]) -> Any:
    """The same shards as (X, y) futures for fits, and as the workers' own lists for scans."""
    workers = sorted(client.scheduler_info(n_workers=-1)["workers"])
    home = [workers[s % len(workers)] for s in range(len(pairs))]
    made = [client.compute(delayed(tuple)(pair), workers=[at]) for pair, at in zip(pairs, home, strict=True)]
    parts = [
        tuple(client.submit(_part, whole, k, workers=[at]) for k in (0, 1))
        for whole, at in zip(made, home, strict=True)
    ]
    raw = [client.submit(read_arrays, *part, "", workers=[at]) for part, at in zip(parts, home, strict=True)]
    lists = [client.submit(list, [r for r, at in zip(raw, home, strict=True) if at == w], workers=[w]) for w in workers]
    client.gather(client.map(lambda some: None, lists))
    return [(delayed(X), delayed(y)) for X, y in parts], client, lists


def _part(whole: Any, k: int) -> Any:
    return whole[k]


def _scan_all(client: Client, lists: list[Any]) -> None:
    client.gather(client.map(_scan, lists, [_SCANS] * len(lists), pure=False))


class Stopwatch:
    """A callback that notes when each pass ended. The best pass counts: the others had company on the machine."""

    def setup(self, estimator: Any, context: Any) -> None:
        """The fit begins."""
        self.ends: list[float] = []

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """A pass begins."""

    def on_fit_task_end(self, estimator: Any, context: Any) -> None:
        """A pass, or the fit, has ended."""
        if context.task_name == "pass":
            self.ends.append(time.perf_counter())

    def teardown(self, estimator: Any, context: Any) -> None:
        """The fit is over."""


def _best_pass(pairs: list[Any], client: Client, passes: int = 25) -> float:
    """Seconds of the best pass, the first few apart: they correct most."""
    watch = Stopwatch()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rb.distributed.fit(rb.Perceptron(max_passes=passes).set_callbacks(watch), pairs, None, client)
    return float(np.diff(watch.ends)[4:].min())


@benchmark("cluster-overhead")
def overhead() -> None:
    """What a pass costs besides its rows: small shards, two workers."""
    rows = []
    with connect("local", workers=2) as client:
        for shards in (2, 4, 16, 64):
            pairs = _pairs(shards, 1000 * shards, 20, noise=1.0)
            best = _best_pass(pairs, client)
            rows.append([str(shards), f"{best * 1e3:.1f} ms", f"{best / shards * 1e3:.2f} ms"])
    print_table(["shards of 1,000 rows", "a pass", "a shard"], rows)


@benchmark("cluster-passes")
def passes_to_zero() -> None:
    """Passes and corrections to zero mistakes: mixing over shards against the sequential pass, on `margin_cloud`."""
    rows = []
    with connect("local", workers=2) as client:
        for margin in (0.1, 0.02):
            data = rb.datasets.margin_cloud(16_000, 10, margin=margin, random_state=0)
            local = rb.Perceptron().fit(*data)
            rows.append([f"{margin}", "sequential", f"{local.n_passes_}", f"{local.n_updates_:,}", "", ""])
            for shards in (2, 4, 16):
                cells = [f"{margin}", f"{shards} shards"]
                for mixing in ("mistakes", "uniform"):
                    X = da.from_array(data.X, chunks=(16_000 // shards, -1))
                    model = rb.Perceptron(max_passes=3000)
                    rb.distributed.fit(model, X, da.from_array(data.y, chunks=16_000 // shards), client, mixing=mixing)
                    cells += [f"{model.n_passes_}", f"{model.n_updates_:,}"]
                rows.append(cells)
    print_table(["margin", "", "passes, mixing by mistakes", "corrections", "passes, uniform", "corrections"], rows)


@benchmark("cluster-incremental")
def against_incremental() -> None:
    """10 passes on 16 blocks, two workers, against dask_ml's `Incremental` around scikit-learn's Perceptron."""
    from dask_ml.wrappers import Incremental

    n, p, passes = 400_000, 100, 10
    with connect("local", workers=2) as client:
        blocks = [_block(s, n // 16, p, 0.05) for s in range(16)]
        X = da.concatenate([da.from_array(x, chunks=(n // 16, -1)) for x, _ in blocks]).persist()
        y = da.concatenate([da.from_array(labels, chunks=n // 16) for _, labels in blocks]).persist()
        del blocks

        def ours() -> None:
            model = rb.distributed.fit(rb.Perceptron(max_passes=passes), X, y, client)
            errors["rosenblatt"] = 1 - model.score(X[: n // 16].compute(), y[: n // 16].compute())

        def incremental() -> None:
            model = Incremental(Theirs(), assume_equal_chunks=True, shuffle_blocks=False)
            for _ in range(passes):
                model.partial_fit(X, y, classes=[-1, 1])
            errors["dask_ml"] = 1 - model.estimator_.score(X[: n // 16].compute(), y[: n // 16].compute())

        errors: dict[str, float] = {}
        times = best_times({"rosenblatt": ours, "dask_ml": incremental}, rounds=2, clock=WALL)
    rows = [
        [name, f"{times[name]:.2f} s", ratio(times[name] / times["rosenblatt"]), f"{100 * errors[name]:.2f} %"]
        for name in times
    ]
    print_table([f"{n} × {p}", f"{passes} passes", "", "errors on the first block"], rows)


@benchmark("cluster-sums")
def sums() -> None:
    """Least squares and Newton's method by sums of whole numbers on two workers, against the local fits by floats."""
    n, p = 200_000, 30
    X, y = _block(0, n, p, 3.0)
    rows = []
    with connect("local", workers=2) as client:
        chunks = da.from_array(X, chunks=(n // 8, -1)).persist(), da.from_array(y, chunks=n // 8).persist()
        for learner in some((rb.LeastSquares(), rb.Logistic())):
            found: dict[str, Any] = {}

            def local(learner: Any = learner, found: Any = found) -> None:
                found["local"] = learner.fit(X, y).coef_.copy()

            def sharded(learner: Any = learner, found: Any = found) -> None:
                found["cluster"] = rb.distributed.fit(learner, *chunks, client).coef_.copy()

            times = best_times({"local": local, "cluster": sharded}, rounds=2, clock=WALL)
            apart = float(np.abs(found["cluster"] / found["local"] - 1).max())
            each = [f"{times[where]:.2f} s" for where in ("local", "cluster")]
            rows.append([type(learner).__name__, *each, ratio(times["cluster"] / times["local"]), f"{apart:.0e}"])
    print_table([f"{n} × {p}, 8 shards", "local", "cluster", "", "largest difference of a weight"], rows)


@benchmark("cluster-verdicts")
def verdicts() -> None:
    """A proved verdict, certificate, margin and hash included, against the same on one machine."""
    rows = []
    with connect("local", workers=2) as client:
        for n, p, flip in ((400_000, 20, False), (400_000, 20, True)):
            data = rb.datasets.margin_cloud(n, p, margin=0.01, random_state=0)
            y = data.y.copy()
            y[:1] *= -1 if flip else 1
            X = da.from_array(data.X, chunks=(n // 8, -1))
            labels = da.from_array(y, chunks=n // 8)
            found: dict[str, Any] = {}

            def local(data: Any = data, y: Any = y, found: Any = found) -> None:
                found["local"] = rb.separability(data.X, y)

            def sharded(X: Any = X, labels: Any = labels, found: Any = found) -> None:
                found["cluster"] = rb.distributed.separability(X, labels, client)

            times = {"local": seconds(local, WALL), "cluster": seconds(sharded, WALL)}
            rows += [[f"{n} × {p}", name, found[name].kind, f"{times[name]:.1f} s"] for name in times]
    print_table(["data", "", "verdict", "time"], rows)


@benchmark("cluster-plan")
def plan() -> None:
    """Seconds a pass = a + b·shards + c·(bytes a worker), fitted to CPU times; and so for 10⁹ × 1000 on 100 workers."""
    shapes = [(2, 2_000, 20), (16, 16_000, 20), (64, 64_000, 20), (2, 400_000, 100), (8, 400_000, 100)]
    measured = []
    with connect("local", workers=2) as client:
        for shards, n, p in shapes:
            pairs = [tuple(client.compute(list(pair))) for pair in _pairs(shards, n, p)]
            lazy = [(delayed(X), delayed(y)) for X, y in pairs]
            measured.append(_costs(lazy, client))
            del pairs, lazy
    best, coordinator, workers = np.array(measured).T
    sizes = np.array([[shards, n * p * 8] for shards, n, p in shapes], dtype=float)
    b = float(np.polyfit(sizes[:, 0], coordinator, 1)[0])  # scheduler and client are one process: shards queue there
    c = float(nnls(sizes / workers[:, None], np.ones(len(shapes)))[0][1])  # workers: so much a shard, so much a byte
    a = max(0.0, float(np.min(best - sizes @ (b, c / 2))))  # latency: what the least disturbed run took besides
    rows = [
        [
            f"{shards}",
            f"{n} × {p}",
            *(f"{1e3 * t:.1f} ms" for t in times),
            f"{1e3 * (a + b * shards + c * n * p * 4):.1f} ms",
        ]
        for (shards, n, p), times in zip(shapes, measured, strict=True)
    ]
    print_table(["shards", "data", "best pass", "CPU: coordinator", "CPU: workers", "model, idle machine"], rows)
    print(f"\na = {1e3 * a:.1f} ms, b = {1e3 * b:.2f} ms a shard, 1/c = {1e-9 / c:.1f} GB/s a worker")
    for shards in (100, 400, 1600):
        parts = a, b * shards, c * 8e12 / 100
        print(
            f"10⁹ × 1000, 100 workers, {shards} shards: {sum(parts):.1f} s = " + " + ".join(f"{t:.2f}" for t in parts)
        )


def _costs(pairs: list[Any], client: Client) -> tuple[float, float, float]:
    """Seconds of the best pass; CPU seconds a pass of scheduler and client, and of all workers."""
    used = []
    _best_pass(pairs, client, 7)  # the rows are made, the kernels loaded
    for passes in (7, 47):
        before = time.process_time(), sum(client.run(time.process_time).values())
        best = _best_pass(pairs, client, passes)
        after = time.process_time(), sum(client.run(time.process_time).values())
        used.append([b - a for a, b in zip(before, after, strict=True)])
    return best, (used[1][0] - used[0][0]) / 40, (used[1][1] - used[0][1]) / 40
