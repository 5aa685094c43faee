"""What proof costs: a verdict beside the float program that answers the same question and proves nothing."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import rosenblatt as rb
from benchmarks.timing import benchmark, print_table, ratio, seconds, some
from benchmarks.verdicts.programs import strict_rows
from rosenblatt.verdicts import checker

_COEFFICIENTS = 30.0  # seconds allowed to the coefficients
_CHECKED = 1 << 20  # values up to which the checker in plain Python is tried


@benchmark("verdict-cost")
def verdict_cost() -> None:
    """What proof costs: verdict, coefficients, certificate and its check, against rows, columns and levels.

    *Float program*: max Σ t with y·(w·x + b) ≥ t and 0 ≤ t ≤ 1 on all rows, by HiGHS; its optimum tells the same three
    verdicts apart, to a tolerance, and proves nothing. *Proof costs* is the verdict's time by the float program's, so
    below 1 the proof comes sooner; the verdict has its certificate, and of separable data both margins. *Coefficients*,
    *verify* (`rb.verify`) and *checker.py* (plain Python, without NumPy) are times of the verdict's.
    """
    rb.separability(*_numbers(300, 3, "thin"), coefficients=True)  # compile
    header = ["data", "verdict", "time", "proof costs", "coefficients", "certificate", "verify", "checker.py"]
    print_table(header, [_measured(name, X, y) for name, X, y in some(_tables())])


def _tables() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    for n in (1_000, 10_000, 100_000):
        for kind in ("thin", "overlap"):
            yield f"{n:,} × 10 numbers, {kind}", *_numbers(n, 10, kind)
    for p in (5, 20, 80):
        for kind in ("thin", "overlap"):
            yield f"5,000 × {p} numbers, {kind}", *_numbers(5_000, p, kind)
    for levels in (4, 16, 64):
        for kind in ("overlap", "quasi"):
            yield f"3,000 × 5 numbers and {levels} levels, {kind}", *_factor(3_000, levels, kind)


def _numbers(n: int, p: int, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """A normal cloud cut by a hyperplane; where they overlap, one label in a hundred is wrong."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    y = np.where(X @ rng.normal(size=p) > 0, 1, -1)
    if kind == "overlap":
        y[:: max(2, n // 100)] *= -1
    return X, y


def _factor(n: int, levels: int, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Five columns of numbers beside a factor, its first level left out; quasi: one level is all of one class."""
    rng = np.random.default_rng(1)
    level = rng.integers(levels, size=n)
    X = np.hstack([rng.normal(size=(n, 5)).round(2), np.eye(levels)[level][:, 1:]])
    y = np.where(rng.random(n) < 0.4, 1, -1)
    if kind == "quasi":
        y[level == levels - 1] = -1
    return X, y


def _measured(name: str, X: np.ndarray, y: np.ndarray) -> list[str]:
    Z = np.column_stack([X, np.ones(len(X))]) * y[:, None]
    theirs, strict = min((_timed(lambda: strict_rows(Z)) for _ in range(2)), key=lambda pair: pair[0])
    ours, verdict = min((_timed(lambda: rb.separability(X, y)) for _ in range(2)), key=lambda pair: pair[0])
    asked, more = _timed(lambda: rb.separability(X, y, coefficients=True, time_limit=_COEFFICIENTS))
    certificate = verdict.certificate
    assert certificate is not None
    told = f"< {ours / theirs:.3f}" if strict is None else ratio(ours / theirs)
    answer = "complete" if strict == len(X) else "quasi" if strict else "overlap"
    if strict is not None and answer != verdict.kind:
        told += f" ({answer})"
    checked = seconds(lambda: rb.verify(certificate, X, y))
    alone = "not tried"
    if X.size <= _CHECKED:
        rows, labels = X.tolist(), y.tolist()
        alone = ratio(seconds(lambda: checker.check(certificate.content, rows, labels)) / ours)
    size = f"{len(json.dumps(certificate.content)) / 1000:.1f} kB"
    coefficients = ratio(asked / ours) if more.coefficients else f"not in {_COEFFICIENTS:.0f} s"
    return [name, verdict.kind, f"{ours:.3f} s", told, coefficients, size, ratio(checked / ours), alone]


def _timed(call: Callable[[], Any]) -> tuple[float, Any]:
    found: list[Any] = []
    took = seconds(lambda: found.append(call()))
    return took, found[0]
