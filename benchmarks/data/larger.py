"""Larger than memory: build a store of so many gigabytes and fit it, watching anonymous memory.

    python -m benchmarks.data.larger FOLDER GIGABYTES

Rows a second on the store are compared with those of the same rows in memory, as many as a gigabyte holds.
"""

import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import rosenblatt as rb
from benchmarks.timing import WALL, best_times, print_table, ratio, some
from rosenblatt.data import Store, open_table

_COLUMNS = 30
_PASSES = 3


class Memory:
    """The most anonymous memory while it watches, in megabytes."""

    def __enter__(self) -> "Memory":
        self.most, self.watching = 0.0, True
        self.thread = threading.Thread(target=self._watch)
        self.thread.start()
        return self

    def _watch(self) -> None:
        while self.watching:
            status = Path("/proc/self/status").read_text().split("RssAnon:")[1]
            self.most = max(self.most, int(status.split()[0]) / 1000)
            time.sleep(0.005)

    def __exit__(self, *_: Any) -> None:
        self.watching = False
        self.thread.join()


def build(folder: Path, gigabytes: float) -> Store:
    """Rows whose classes overlap, so that every pass has work to do."""
    rows = int(gigabytes * 1e9 / (8 * _COLUMNS))
    columns = ", ".join(f"(hash(range * {_COLUMNS} + {j}) % 2000003) / 1000000.0 - 1 AS x{j}" for j in range(_COLUMNS))
    label = "(x0 + x1 - x2 + 0.2 * x3 > 0)::INT AS y"
    table = open_table(sql=f"SELECT *, {label} FROM (SELECT {columns} FROM range({rows}))", target="y")
    return Store.build(table, folder)


def compare(store: Store) -> tuple[list[str], list[list[str]]]:
    """Rows a second on disk and in memory, the best of some rounds in turns, and the memory a fit on disk took."""
    warnings.simplefilter("ignore")
    assert store.y is not None
    n = min(store.n, 10**9 // (8 * _COLUMNS))
    X, y = np.array(store.X[:n]), np.array(store.y[:n])
    learners = {
        "Perceptron": lambda: rb.Perceptron(max_passes=_PASSES),
        "Perceptron, averaged": lambda: rb.Perceptron(max_passes=_PASSES, average=True),
        "PassiveAggressive": lambda: rb.PassiveAggressive(max_passes=_PASSES),
        "Logistic": lambda: rb.Logistic(mode="incremental", max_passes=_PASSES),
    }
    rows = []
    for name, make in some(learners.items()):
        with Memory() as memory:
            make().fit(store.X, store.y)
        times = best_times(
            {"disk": lambda make=make: make().fit(store.X, store.y), "memory": lambda make=make: make().fit(X, y)},
            rounds=2,
            clock=WALL,
        )
        there, here = store.n * _PASSES / times["disk"], n * _PASSES / times["memory"]
        megabytes = memory.most - X.nbytes / 1e6
        rows.append([name, f"{there / 1e6:.1f}", f"{here / 1e6:.1f}", ratio(there / here), f"{megabytes:.0f}"])
    size = store.n * _COLUMNS * 8 / 1e9
    return [f"store of {size:.1f} GB", "10⁶ rows/s on disk", "in memory", "ratio", "anonymous MB"], rows


if __name__ == "__main__":
    print_table(*compare(build(Path(sys.argv[1]), float(sys.argv[2]))))
