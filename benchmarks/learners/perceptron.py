"""The perceptron against scikit-learn, NumPy, SciPy and Vowpal Wabbit."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import Perceptron as Theirs

import rosenblatt as rb
from benchmarks.timing import WALL, benchmark, best_times, per_pass, print_table, ratio, seconds, some
from rosenblatt.data.numbers.rows import as_rows
from rosenblatt.kernels.passes import respond_all


def _flipped(X: Any, y: np.ndarray, fraction: float, rng: np.random.Generator) -> np.ndarray:
    return np.where(rng.random(len(y)) < fraction, -y, y)


def _dense(n: int, p: int, dtype: Any, flips: float = 0.001, margin: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """A normal cloud labelled by a hyperplane through it, some labels flipped."""
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(n, p)), rng.normal(size=p)
    w /= np.linalg.norm(w)
    s = X @ w
    X += np.outer(np.sign(s) * margin, w)
    return X.astype(dtype), _flipped(X, np.where(s > 0, 1, -1), flips, rng)


@benchmark("dense")
def dense_pass() -> None:
    """One dense pass, one thread, 0.1 % of labels flipped: rows in turn, and shuffled, which is both defaults."""
    rows = []
    shapes = (1_000_000, 20), (2_000_000, 10), (400_000, 100), (100_000, 500)
    for dtype, (n, p) in some(product((np.float64, np.float32), shapes)):
        X, y = _dense(n, p, dtype)
        rows += [[f"{n} × {p} {dtype.__name__}", *cells] for cells in _passes_in_each_order(X, y)]
    print_table(["data", "order", "a pass", "faster than sklearn", "time of X @ w"], rows)


def _passes_in_each_order(X: Any, y: np.ndarray, **peers: float | None) -> Iterator[list[str]]:
    """An order, a pass of ours in it, and how that is beside scikit-learn's, X @ w, and the seconds of other peers."""
    w = np.ones(X.shape[1], dtype=X.dtype)
    scan = best_times({"X @ w": lambda: X @ w})["X @ w"]
    for order, shuffle in {"cyclic": False, "shuffled": True}.items():
        fits = {
            "ours": lambda k, order=order: rb.Perceptron(max_passes=k, order=order).fit(X, y),
            "sklearn": lambda k, shuffle=shuffle: Theirs(tol=None, shuffle=shuffle, max_iter=k).fit(X, y),
        }
        ours, theirs = per_pass(fits).values()
        others = [f"{name} is not installed" if one is None else ratio(one / ours) for name, one in peers.items()]
        yield [order, f"{ours * 1e3:.1f} ms", ratio(theirs / ours), ratio(ours / scan), *others]


def _zipf(n: int = 200_000, p: int = 50_000, nonzeros: int = 75) -> tuple[sp.csr_matrix, np.ndarray]:
    """Rows like texts: columns drawn by Zipf's law, labels by a hyperplane, 0.1 % flipped."""
    rng = np.random.default_rng(0)
    chances = 1.0 / np.arange(1, p + 1)
    columns = rng.choice(p, size=(n, nonzeros * 2), p=chances / chances.sum())
    indices = [np.unique(row)[:nonzeros] for row in columns]
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in indices])])
    data = rng.exponential(size=indptr[-1])
    X = sp.csr_matrix((data, np.concatenate(indices).astype(np.int32), indptr), shape=(n, p))
    return X, _flipped(X, np.where(X @ rng.normal(size=p) > 0, 1, -1), 0.001, rng)


@benchmark("sparse")
def sparse_pass() -> None:
    """One CSR pass, 200000 × 50000, up to 75 non-zeros a row, Zipf columns, one thread; VW in its own order."""
    X, y = _zipf()
    rows = [[f"{X.nnz}", *cells] for cells in _passes_in_each_order(X, y, vowpalwabbit=_wabbit_pass(X, y))]
    peers = ["faster than sklearn", "time of SciPy's X @ w", "faster than a cached pass of VW"]
    print_table(["non-zeros", "order", "a pass", *peers], rows)


def _wabbit_pass(X: sp.csr_matrix, y: np.ndarray) -> float | None:
    """Seconds a pass of Vowpal Wabbit over its own binary cache."""
    try:
        from vowpalwabbit import Workspace
    except ImportError:
        return None
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "data.vw"
        with text.open("w") as file:
            for i, label in enumerate(y):
                inside = slice(X.indptr[i], X.indptr[i + 1])
                pairs = zip(X.indices[inside].tolist(), X.data[inside].tolist(), strict=True)
                file.write(f"{label} | " + " ".join(f"{j}:{v:.6g}" for j, v in pairs) + "\n")

        def fit(passes: int) -> None:
            flags = f"-d {text} --cache_file {folder}/cache --passes {passes} --holdout_off --loss_function hinge"
            Workspace(f"{flags} --sgd -b 18 --quiet").finish()

        return per_pass({"vw": fit}, rounds=1, clock=WALL)["vw"]


@benchmark("threads")
def two_threads() -> None:
    """A pass on two threads, rows in turn, 560 MB, mistakes below 0.1 %, against a scan of them that learns nothing."""
    rows = []
    for flips in some((0.0001, 0.0003)):
        X, y = _dense(700_000, 100, np.float64, flips=flips, margin=0.5)
        kernel, out, w = as_rows(X).kernel, np.empty(len(X)), np.ones(X.shape[1] + 1)
        half = len(X) // 2
        model = rb.Perceptron(order="cyclic", max_passes=9).fit(X, y)
        with ThreadPoolExecutor(1) as pool:

            def scan_both(kernel: Any = kernel, out: Any = out, w: Any = w, half: int = half, pool: Any = pool) -> None:
                other = pool.submit(respond_all, kernel, w, out, half, len(out))
                respond_all(kernel, w, out, 0, half)
                other.result()

            scan_alone = partial(respond_all, kernel, w, out, 0, len(out))
            scans = best_times({"one": scan_alone, "two": scan_both}, rounds=9, clock=WALL)
        fits = {
            j: lambda k, j=j, X=X, y=y: rb.Perceptron(order="cyclic", max_passes=k, n_jobs=int(j)).fit(X, y)
            for j in "12"
        }
        passes = per_pass(fits, rounds=5, clock=WALL)
        scan, learn = scans["one"] / scans["two"], passes["1"] / passes["2"]
        each = [f"{one * 1e3:.1f} ms" for one in passes.values()]
        wrong = f"{model.mistakes_per_pass_[-1] / len(y):.3%}"
        rows.append([wrong, *each, ratio(learn), ratio(scan), f"{learn / scan:.0%}"])
    print_table(["mistakes", "one thread", "two threads", "speed-up", "speed-up of a scan", "of it"], rows)


@benchmark("zero")
def time_to_zero() -> None:
    """Separable data: time to zero errors, both shuffled, against sklearn's partial_fit until it has no error."""
    rows = []
    for n, p, margin in some(((500, 20, 0.02), (20_000, 50, 0.02), (400_000, 100, 0.1))):
        X, y = rb.datasets.margin_cloud(n, p, margin, random_state=0)

        def theirs(X: np.ndarray = X, y: np.ndarray = y) -> None:
            model = Theirs(random_state=0)
            while True:
                model.partial_fit(X, y, classes=[-1, 1])
                if np.array_equal(model.predict(X), y):
                    return

        model = rb.Perceptron(max_passes=100_000)
        times = best_times({"ours": partial(model.fit, X, y), "sklearn": theirs}, rounds=3)
        told = [f"{model.outcome_}", f"{model.n_passes_}", f"{times['ours'] * 1e3:.1f} ms"]
        rows.append([f"{n} × {p}", *told, ratio(times["sklearn"] / times["ours"])])
    print_table(["data", "outcome", "passes", "ours", "faster than sklearn"], rows)


@benchmark("compile")
def compilation() -> None:
    """Compilation, apart from running: the first fit or run of a process, with an empty and with a filled cache."""
    rows = []
    filters = [f"filters.{name}(4).run([1.0, 2.0], [1.0, 2.0])" for name in ("LMS", "NLMS", "AffineProjection", "RLS")]
    for call in some(["Perceptron().fit([[0.0], [1.0]], [0, 1])", *filters]):
        with tempfile.TemporaryDirectory() as folder:
            env = {**os.environ, "NUMBA_CACHE_DIR": folder}
            command = [sys.executable, "-c", f"import rosenblatt as rb; rb.{call}"]
            each = (seconds(lambda c=command, e=env: subprocess.run(c, env=e, check=True), WALL) for _ in "12")
            rows.append([f"rb.{call}", *(f"{one:.1f} s" for one in each)])
    print_table(["", "first process", "second process"], rows)
