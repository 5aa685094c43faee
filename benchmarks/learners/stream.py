"""One row at a time: what a call costs above NumPy's dot product of the same row."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.linear_model import Perceptron as Theirs
from sklearn.linear_model import SGDClassifier

import rosenblatt as rb
from benchmarks.timing import benchmark, best_times, print_table, ratio

__all__ = ["one_row"]

CALLS = 100  # a round; the best of many short rounds, in turns, is what a quiet machine gives
ROUNDS = 50


@benchmark("stream")
def one_row() -> None:
    """Calls with one row of 20 columns: predict, and partial_fit with and without an average.

    The aims are 15 µs for predict and 10 µs for an averaged partial_fit. The dot product is NumPy's, of one row and w.
    """
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(CALLS, 20)), rng.integers(0, 2, size=CALLS)
    X_rows, y_rows = [X[i : i + 1] for i in range(CALLS)], [y[i : i + 1] for i in range(CALLS)]
    plain, averaged, theirs, sgd = (
        model.partial_fit(X, y, classes=[0, 1])
        for model in (rb.Perceptron(), rb.Perceptron(average=True), Theirs(), SGDClassifier(average=True))
    )
    w = plain.coef_[0].copy()
    times = _microseconds(
        {
            "dot": lambda i: X_rows[i] @ w,
            "predict": lambda i: plain.predict(X_rows[i]),
            "partial_fit": lambda i: plain.partial_fit(X_rows[i], y_rows[i]),
            "partial_fit, averaged": lambda i: averaged.partial_fit(X_rows[i], y_rows[i]),
            "their predict": lambda i: theirs.predict(X_rows[i]),
            "their partial_fit": lambda i: theirs.partial_fit(X_rows[i], y_rows[i]),
            "their partial_fit, averaged": lambda i: sgd.partial_fit(X_rows[i], y_rows[i]),
        }
    )
    rows = []
    for name in ("predict", "partial_fit", "partial_fit, averaged"):
        ours, dot, peer = times[name], times["dot"], times[f"their {name}"]
        rows.append([name, f"{ours:.1f} µs", f"{ours - dot:.1f} µs", ratio(peer / ours)])
    print_table(["call", "a row", "above a dot product", "faster than sklearn"], rows)
    print(f"\nThe dot product alone: {dot:.1f} µs. scikit-learn's averaged one is SGDClassifier(average=True).")


def _microseconds(calls: dict[str, Callable[[int], Any]]) -> dict[str, float]:
    """What each call takes."""
    rounds = {name: lambda call=call: [call(i) for i in range(CALLS)] for name, call in calls.items()}
    return {name: 1e6 * best / CALLS for name, best in best_times(rounds, ROUNDS).items()}
