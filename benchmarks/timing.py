"""Stopwatches for a noisy machine: contestants take turns, and the best time of each counts."""

import time
from collections.abc import Callable
from typing import Any

__all__ = ["PASSES", "best_times", "print_table", "seconds"]

PASSES = 8  # per pass = (t(9 passes) − t(1 pass)) / 8, so that checking the input does not blur it


def seconds(call: Callable[[], Any]) -> float:
    """How long one call takes."""
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def best_times(
    calls: dict[str, Callable[[], Any]], rounds: int = 5, before: Callable[[], Any] = lambda: None
) -> dict[str, float]:
    """The best time of each call over several rounds, in turns; a first round is not counted (compilation, caches).

    `before` is called before each, and not timed.
    """
    times: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(rounds + 1):
        for name, call in calls.items():
            before()
            elapsed = seconds(call)
            if number:
                times[name].append(elapsed)
    return {name: min(some) for name, some in times.items()}


def per_pass(fits: dict[str, Callable[[int], Any]], rounds: int = 3) -> dict[str, float]:
    """Seconds a pass of each `fit(passes)`."""
    calls = {(name, n): (lambda fit=fit, n=n: fit(n)) for name, fit in fits.items() for n in (1, 1 + PASSES)}
    times = best_times(calls, rounds)  # type: ignore[arg-type]
    return {name: (times[name, 1 + PASSES] - times[name, 1]) / PASSES for name in fits}  # type: ignore[index]


def print_table(header: list[str], rows: list[list[str]]) -> None:
    """A Markdown table."""
    widths = [max(len(row[k]) for row in [header, *rows]) for k in range(len(header))]
    for row in [header, ["-" * width for width in widths], *rows]:
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |", flush=True)
