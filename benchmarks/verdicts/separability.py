"""Verdicts, certificate and margin included, beside the float program of the same rows."""

import sys
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain, product
from statistics import median

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_diabetes

import rosenblatt as rb
from benchmarks.timing import benchmark, print_table, ratio, seconds, some
from benchmarks.verdicts.families import shapes
from benchmarks.verdicts.programs import dual_program

_FLIPS = {"thin": 0, "one label flipped": 1}
_TURNS, _ENOUGH = 15, 3.0  # of a table, and the seconds after which it has no further one
_LIMIT = 900.0  # of a verdict, on the clock of the wall: a busy machine takes long for few seconds of its own


def _thin(n: int, p: int, flips: int) -> tuple[np.ndarray, np.ndarray]:
    """A normal cloud cut by a hyperplane, margin about 1/n; `flips` labels are wrong."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    y = np.where(X @ rng.normal(size=p) > 0, 1, -1)
    y[:flips] *= -1
    return X, y


@benchmark("shapes")
def tables_as_people_have_them() -> None:
    """Time to a proved verdict on tables as people have them: factors, copies of columns, spectra, counts, images.

    Seconds of processor time, margins left out: the median of up to fifteen turns, taken with those of the peer.
    *Float program*: HiGHS on the dual form, Σ λz = 0 with λ ≥ 1, which is feasible where rows overlap; it has 40 s, and
    proves nothing. *Proof*: a certificate that was checked, or floats with every rounding bounded.
    """
    _verdicts(chain(shapes(), _beside_z_scores()))


@benchmark("verdicts")
def verdicts() -> None:
    """Time to a proved verdict on data of many kinds: tall, wide, of low rank, sparse.

    Seconds of processor time, margins left out; beside the same float program as on the page of shapes.
    """
    _verdicts(chain(_shapes(), _clouds()))


def _verdicts(cases: Iterable[tuple[str, object, np.ndarray]]) -> None:
    for X, y in (rb.datasets.xor(), (sp.csr_array(np.eye(4)), np.array([0, 1, 0, 1]))):
        rb.separability(X, y)  # compile
    rows = []
    for name, X, y in some(cases):
        rows.append(_in_turns(name, X, y))
        print(" · ".join(rows[-1]), file=sys.stderr, flush=True)
    print_table(["data", "verdict", "proof", "time", "float program", "ratio"], rows)


def _in_turns(name: str, X: object, y: np.ndarray) -> list[str]:
    """A row of the table."""
    found: list[rb.Verdict] = []
    decide = partial(rb.separability, X, y, margin=False, time_limit=_LIMIT)
    ours, theirs, answer = list[float](), list[float](), None
    while not ours or (len(ours) < _TURNS and sum(ours) + sum(theirs) < _ENOUGH):
        ours.append(seconds(lambda: found.append(decide())))
        took, answer = dual_program(X, y)
        theirs.append(took)
    verdict, mine, peer = found[-1], median(ours), median(theirs)
    kind = verdict.kind if verdict.proof else f"{verdict.kind}: {verdict.reason}"
    said = "not in 40 s" if answer is None else f"{peer:.3g} s, {answer}"
    return [name, kind, verdict.proof, f"{mine:.3g} s", said, "–" if answer is None else ratio(mine / peer)]


def _clouds() -> Iterator[tuple[str, object, np.ndarray]]:
    for (n, p), (name, flips) in product(((10_000, 50), (100_000, 100), (1_000_000, 50)), _FLIPS.items()):
        yield f"{n:,} × {p}, {name}", *_thin(n, p, flips)


def _beside_z_scores() -> Iterator[tuple[str, object, np.ndarray]]:
    """Real columns, each beside its z-scores; labels are shuffled."""
    for name, found in (("diabetes", load_diabetes(scaled=False)), ("breast cancer", load_breast_cancer())):
        X, y = found.data, np.random.default_rng(0).permutation(found.target > np.median(found.target) - 0.5)
        X = np.hstack([X, (X - X.mean(axis=0)) / X.std(axis=0)])
        yield f"{name} beside z-scores, {len(X)} × {X.shape[1]}", X, y.astype(int)


def _shapes() -> Iterator[tuple[str, object, np.ndarray]]:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2000, 5000)), rng.choice([-1, 1], size=2000)
    yield "2,000 × 5,000", X, y
    X[1], y[:2] = X[0], [1, -1]
    yield "2,000 × 5,000, contradictory duplicate", X, y
    low = rng.integers(-5, 6, size=(2000, 50)) @ rng.integers(-5, 6, size=(50, 5000)).astype(float)
    yield "2,000 × 5,000, rank 50", low, y
    n = 20_000
    columns = np.sort(np.array([rng.choice(n, size=50, replace=False) for _ in range(n)]), axis=1)
    S = sp.csr_array((rng.normal(size=50 * n), columns.ravel(), np.arange(0, 50 * n + 1, 50)), shape=(n, n))
    labels = rng.choice([-1, 1], size=n)
    yield "CSR 20,000 × 20,000, 50 non-zeros a row", S, labels
    labels[-1] = -labels[0]
    yield "the same, contradictory duplicate", sp.csr_array(sp.vstack([S[:-1], S[:1]])), labels
    pixels = rng.integers(0, 256, size=(14_000, 784)) * (rng.random((14_000, 784)) < 0.2) * (rng.random(784) < 0.8)
    P = pixels.astype(float)
    s = P @ rng.normal(size=784)
    y = np.where(s > np.median(s) + 1e-3, 1, -1)
    yield "14,000 × 784 pixels", P, y
    Q, t = P.copy(), y.copy()
    Q[100], t[7], t[100] = Q[7], 1, -1
    yield "14,000 × 784 pixels, contradictory duplicate", Q, t
    yield "14,000 × 784 pixels, random labels", P, rng.choice([-1, 1], size=14_000)


@benchmark("growth")
def verdicts_growth() -> None:
    """Time and memory as rows grow, at 30 columns."""
    rb.separability(*_thin(5000, 30, 0))  # compile
    rows = []
    for n, (name, flips) in some(product((100_000, 400_000, 1_600_000, 4_000_000), _FLIPS.items())):
        X, y = _thin(n, 30, flips)
        before = _resident()
        with open("/proc/self/clear_refs", "w") as peak:  # Linux: start a new peak
            peak.write("5")
        took = seconds(lambda X=X, y=y: rb.separability(X, y))
        extra = (_resident("VmHWM") - before) * 1024
        share = ratio(1 + extra / X.nbytes)
        rows.append([f"{n} × 30 {name}", f"{took:.2f} s", f"{1e9 * took / n:.0f} ns", share])
    print_table(["data", "time", "a row", "memory / data"], rows)


def _resident(field: str = "VmRSS") -> int:
    """Kilobytes of this process in memory, now or at their peak."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(field))
