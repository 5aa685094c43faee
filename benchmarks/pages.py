"""The pages of docs/numbers: what a benchmark printed, where and when it ran, and whether it comes out again."""

import contextlib
import datetime
import inspect
import os
import platform
import re
from importlib.metadata import version

from benchmarks.timing import Benchmark

__all__ = ["OFF", "agreed", "differences", "load", "machine", "page", "ratios_of"]

OFF = 1 / 3  # a ratio that is off by more does not reproduce
NOTE = ("run on", "machine", "versions", "load", "reproduced on")
_RATIO = re.compile(r"([\d.,]+)×")

Table = list[list[str]]  # rows of cells, the head first


def machine() -> str:
    """The processor's name where the system tells it, else its architecture; and how many cores this run may use."""
    name = platform.machine()
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as file:
        name = next((line.partition(":")[2].strip() for line in file if line.startswith("model name")), name)
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{name}, {usable} cores" if usable == os.cpu_count() else f"{name}, {usable} of {os.cpu_count()} cores"


def load() -> str:
    """How many processes wanted a core in the last minute."""
    return f"{os.getloadavg()[0]:.1f}"


def page(name: str, benchmark: Benchmark, printed: str, busy: str) -> str:
    """What a benchmark printed as a page of the book; `busy` is the load when it began."""
    packages = ", ".join(f"{one} {version(one)}" for one in ("numpy", "scipy", "scikit-learn", "numba"))
    cells = (_today(), machine(), f"Python {platform.python_version()}, {packages}", busy, "–")
    note = "\n".join(f"| {' | '.join(row)} |" for row in (NOTE, ["---"] * len(NOTE), cells))
    again = f"Repeat it with `python -m benchmarks {name}`."
    title = name.replace("-", " ").capitalize()
    return "\n\n".join((f"# {title}", inspect.getdoc(benchmark) or "", note, again, printed.strip())) + "\n"


def agreed(text: str, ratios: int, busy: str) -> str:
    """The page, with this day as the one on which it was reproduced."""
    lines = text.splitlines(keepends=True)
    at = next(k for k, line in enumerate(lines) if line.startswith(f"| {NOTE[0]} |")) + 2
    cells = lines[at].strip("| \n").split(" | ")
    cells[-1] = f"{_today()}, load {busy}: {ratios} ratio{'s' * (ratios > 1)} of the sample"
    lines[at] = f"| {' | '.join(cells)} |\n"
    return "".join(lines)


def _today() -> str:
    return datetime.datetime.now(datetime.UTC).date().isoformat()


# --------------------------------------------------------------------------------------------------------- comparing


def differences(shown: str, measured: list[Table]) -> tuple[int, list[str]]:
    """How many ratios were compared, and each that is off: what the page shows against what was measured now."""
    before, now = ratios_of(_tables(shown)), ratios_of(measured)
    both = before.keys() & now.keys()
    return len(both), [
        f"{', '.join(where[:2])}: {before[where]:g}× on the page, {now[where]:g}× now"
        for where in now
        if where in both and not _alike(before[where], now[where])
    ]


def _alike(before: float, now: float) -> bool:
    low, high = sorted((before, now))
    return high <= (1 + OFF) * low or high - low <= 0.01  # the last digit shown


def ratios_of(tables: list[Table]) -> dict[tuple[str, str, int], float]:
    """The cells that end in ×, by their row's first cell, their column, and which row of that name it is."""
    found: dict[tuple[str, str, int], float] = {}
    for header, *rows in tables:
        for number, row in enumerate(rows):
            again = sum(row[0] == other[0] for other in rows[:number])
            for column, cell in zip(header, row, strict=True):
                if ratio := _RATIO.fullmatch(cell.strip()):
                    found[row[0].strip(), column.strip(), again] = float(ratio[1].replace(",", ""))
    return found


def _tables(text: str) -> list[Table]:
    """The tables of a page."""
    blocks = re.findall(r"(?:^\|.*\|\n)+", text, re.M)
    tables = [[line.strip("|\n").split("|") for line in block.splitlines()] for block in blocks]
    return [[[cell.strip() for cell in row] for row in (head, *rows)] for head, _, *rows in tables]
