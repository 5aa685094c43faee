"""Reading: a CSV file to a store against DuckDB's own delivery, LIBSVM text against scikit-learn."""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import WALL, benchmark, best_times, print_table, ratio
from rosenblatt.data import Store, open_table
from rosenblatt.data.sql.duck import connect, literal

__all__ = ["csv_to_store", "libsvm_text", "store_fits"]

_COLUMNS = 30
_MEGABYTES = int(os.environ.get("ROSENBLATT_BENCH_MB", "200"))


@benchmark("tables")
def csv_to_store() -> None:
    """CSV to a store (of ROSENBLATT_BENCH_MB megabytes) against DuckDB's own delivery of the columns."""
    import nanoarrow
    import pandas as pd

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "numbers.csv"
        _write_csv(file)
        columns = ", ".join(f"'x{j}': 'DOUBLE'" for j in range(_COLUMNS))
        options = f"header=true, delim=',', columns={{{columns}, 'y': 'VARCHAR'}}"
        query = f"SELECT * FROM read_csv({literal(str(file))}, {options})"
        store = Path(folder) / "store"

        def batches() -> Any:
            return nanoarrow.c_array_stream(connect().cursor().sql(query))

        times = best_times(
            {
                "DuckDB, Arrow batches (dropped)": lambda: sum(batch.length for batch in batches()),
                "DuckDB, Arrow batches (kept)": lambda: list(batches()),
                "DuckDB, NumPy arrays": lambda: connect().cursor().execute(query).fetchnumpy(),
                "rosenblatt, store": lambda: Store.build(open_table(file, target="y"), store),
                "rosenblatt, arrays": lambda: open_table(file, target="y").arrays(),
                "pandas.read_csv": lambda: pd.read_csv(file),
            },
            rounds=5,
            before=lambda: shutil.rmtree(store, ignore_errors=True),  # removing an old one is not building one
            clock=WALL,  # DuckDB has threads
        )
        size = file.stat().st_size / 1e6
        best = times["DuckDB, Arrow batches (dropped)"]
        print_table(
            [f"{size:.0f} MB of CSV", "MB/s", "speed against DuckDB's batches"],
            [[name, f"{size / t:.0f}", ratio(best / t)] for name, t in times.items()],
        )


def _write_csv(file: Path) -> None:
    rows = _MEGABYTES * 1_000_000 // (9 * _COLUMNS)
    numbers = ", ".join(f"round(random() * 1000, 4) AS x{j}" for j in range(_COLUMNS))
    connect().cursor().execute(
        f"COPY (SELECT {numbers}, (random() > 0.5)::INT AS y FROM range({rows})) TO {literal(str(file))} (HEADER)"
    ).fetchall()


@benchmark("libsvm")
def libsvm_text() -> None:
    """LIBSVM text to CSR, against scikit-learn's compiled reader."""
    from sklearn.datasets import load_svmlight_file

    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.svm"
        with open(file, "w") as out:
            for _ in range(40_000):
                columns = np.sort(rng.choice(5000, size=50, replace=False)) + 1
                pairs = " ".join(f"{c}:{v:.6g}" for c, v in zip(columns, rng.normal(size=50), strict=True))
                out.write(f"{rng.integers(0, 2)} {pairs}\n")
        times = best_times(
            {"rosenblatt": lambda: open_table(file).arrays(), "scikit-learn": lambda: load_svmlight_file(str(file))},
            rounds=3,
        )
        size = file.stat().st_size / 1e6
        print_table(
            [f"{size:.0f} MB of LIBSVM text", "MB/s", "against scikit-learn"],
            [[name, f"{size / t:.0f}", ratio(times["scikit-learn"] / t)] for name, t in times.items()],
        )


@benchmark("stores")
def store_fits() -> None:
    """Passes over a store against the same rows in memory (gigabytes: python -m benchmarks.data.larger)."""
    from benchmarks.data.larger import build, compare

    with tempfile.TemporaryDirectory() as folder:
        print_table(*compare(build(Path(folder) / "store", _MEGABYTES / 1000)))
