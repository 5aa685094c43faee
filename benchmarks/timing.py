"""Stopwatches for a noisy machine: contestants take turns, and the best time of each counts; and the tables of them."""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

__all__ = [
    *("BENCHMARKS", "PROCESSOR", "WALL", "benchmark", "best_times"),
    *("heard", "per_pass", "print_table", "ratio", "seconds", "some"),
]

PASSES = 8  # per pass = (t(9 passes) − t(1 pass)) / 8, so that checking the input does not blur it

Clock = Callable[[], float]
PROCESSOR: Clock = time.process_time  # of this process and its threads: other work on the machine does not count
WALL: Clock = time.perf_counter

Benchmark = Callable[[], None]
BENCHMARKS: dict[str, Benchmark] = {}
Case = TypeVar("Case")


class Heard:
    """What the benchmark that runs has printed as tables, and whether it shall only be sampled."""

    def __init__(self) -> None:
        self.begin(False)

    def begin(self, sample: bool) -> None:
        """A benchmark begins."""
        self.sample = sample
        self.tables: list[list[list[str]]] = []  # rows of cells, each table's head first


heard = Heard()


def benchmark(name: str) -> Callable[[Benchmark], Benchmark]:
    """The function is the benchmark of this name; its docstring is the title of its page."""

    def kept(function: Benchmark) -> Benchmark:
        BENCHMARKS[name] = function
        return function

    return kept


def some(cases: Iterable[Case]) -> Iterator[Case]:
    """The cases of a table; of a sample the first alone."""
    for case in cases:
        yield case
        if heard.sample:
            return


def seconds(call: Callable[[], Any], clock: Clock = PROCESSOR) -> float:
    """How long one call takes."""
    began = clock()
    call()
    return clock() - began


def best_times(
    calls: dict[str, Callable[[], Any]],
    rounds: int = 5,
    before: Callable[[], Any] = lambda: None,
    clock: Clock = PROCESSOR,
) -> dict[str, float]:
    """The best time of each call over several rounds, in turns; a first round is not counted (compilation, caches).

    `before` is called before each, and not timed. Where threads or other processes work, the clock is the wall's.
    """
    times: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(rounds + 1):
        for name, call in calls.items():
            before()
            elapsed = seconds(call, clock)
            if number:
                times[name].append(elapsed)
    return {name: min(elapsed) for name, elapsed in times.items()}


def per_pass(fits: dict[str, Callable[[int], Any]], rounds: int = 3, clock: Clock = PROCESSOR) -> dict[str, float]:
    """Seconds a pass of each `fit(passes)`."""
    calls = {(name, n): (lambda fit=fit, n=n: fit(n)) for name, fit in fits.items() for n in (1, 1 + PASSES)}
    times = best_times(calls, rounds, clock=clock)  # type: ignore[arg-type]
    return {name: (times[name, 1 + PASSES] - times[name, 1]) / PASSES for name in fits}  # type: ignore[index]


def ratio(value: float) -> str:
    """A ratio of times, which another machine should give too: `python -m benchmarks --check` compares these cells."""
    return f"{value:,.0f}×" if value >= 10 else f"{value:.2g}×" if value >= 0.01 else "< 0.01×"


def print_table(header: list[str], rows: list[list[str]]) -> None:
    """A Markdown table."""
    heard.tables.append([header, *rows])
    widths = [max(len(row[k]) for row in [header, *rows]) for k in range(len(header))]
    for row in [header, ["-" * width for width in widths], *rows]:
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |", flush=True)
