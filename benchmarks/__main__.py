"""Run the benchmarks named on the command line, or all of them."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # peers on one thread, as ours unless it says otherwise
os.environ.setdefault("OMP_NUM_THREADS", "1")

import platform
import sys
import warnings
from importlib.metadata import version

from benchmarks.cover import dichotomies
from benchmarks.data import tables
from benchmarks.distributed import cluster
from benchmarks.filters import padasip
from benchmarks.lab import browser
from benchmarks.learners import family, perceptron
from benchmarks.logic import threshold
from benchmarks.probes import cpu as probes
from benchmarks.verdicts import separability

BENCHMARKS = {
    "dense": perceptron.dense_pass,
    "sparse": perceptron.sparse_pass,
    "threads": perceptron.two_threads,
    "zero": perceptron.time_to_zero,
    "defaults": perceptron.default_against_default,
    "rows": perceptron.single_rows,
    "rules": family.rule_passes,
    "verdicts": separability.verdicts,
    "shapes": separability.verdicts_shapes,
    "growth": separability.verdicts_growth,
    "filters": padasip.against_padasip,
    "signals": padasip.long_signals,
    "samples": padasip.single_samples,
    "ensembles": padasip.ensembles,
    "compile-filters": padasip.compilation,
    "dichotomies": dichotomies.counting_dichotomies,
    "logarithms": dichotomies.logarithms,
    "shuffles": dichotomies.shuffles,
    "gates": threshold.threshold_functions,
    "networks": threshold.networks,
    "probes": probes.probes,
    "tables": tables.csv_to_store,
    "libsvm": tables.libsvm_text,
    "stores": tables.store_fits,
    "lab": browser.drag_and_play,
    "cluster-overhead": cluster.overhead,
    "cluster-workers": cluster.two_workers,
    "cluster-plan": cluster.plan,
    "cluster-passes": cluster.passes_to_zero,
    "cluster-incremental": cluster.against_incremental,
    "cluster-verdicts": cluster.verdicts,
    "compile": perceptron.compilation,
}


def main() -> None:
    names = sys.argv[1:] or list(BENCHMARKS)
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        sys.exit(f"no benchmark is called {unknown[0]!r}; they are {', '.join(BENCHMARKS)}")
    warnings.simplefilter("ignore")
    peers = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "scikit-learn", "numba"))
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {peers}")
    for name in names:
        print(f"\n## {name}: {BENCHMARKS[name].__doc__}\n", flush=True)
        BENCHMARKS[name]()


if __name__ == "__main__":
    main()
