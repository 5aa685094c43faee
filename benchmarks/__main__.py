"""Run the benchmarks named on the command line, or all of them.

`--output FOLDER` also writes each to FOLDER/NAME.md, with the machine, the versions and the day: the book's numbers.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # peers on one thread, as ours unless it says otherwise
os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import contextlib
import datetime
import io
import platform
import sys
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, TextIO

from benchmarks.cover import dichotomies
from benchmarks.data import tables
from benchmarks.distributed import cluster
from benchmarks.estimates import coverage, firth, screening
from benchmarks.filters import padasip, rooms
from benchmarks.lab import browser
from benchmarks.learners import accuracy, classes, family, fits, kernels, perceptron, stream
from benchmarks.logic import threshold
from benchmarks.probes import cpu as probes
from benchmarks.probes import null, quality
from benchmarks.verdicts import coefficients, cost, existence, proved, separability

BENCHMARKS = {
    "dense": perceptron.dense_pass,
    "sparse": perceptron.sparse_pass,
    "threads": perceptron.two_threads,
    "zero": perceptron.time_to_zero,
    "accuracy": accuracy.accuracy,
    "fit": fits.whole_fits,
    "defaults": perceptron.default_against_default,
    "rows": perceptron.single_rows,
    "stream": stream.one_row,
    "rules": family.rule_passes,
    "kernels": kernels.against_svc,
    "classes": classes.classes_together,
    "verdicts": separability.verdicts,
    "shapes": separability.verdicts_shapes,
    "growth": separability.verdicts_growth,
    "coefficients": coefficients.coefficients,
    "proved": proved.proved_checker,
    "verdict-cost": cost.verdict_cost,
    "existence": existence.existence,
    "screening": screening.screening,
    "firth": firth.firth,
    "coverage": coverage.coverage,
    "filters": padasip.against_padasip,
    "signals": padasip.long_signals,
    "samples": padasip.single_samples,
    "ensembles": padasip.ensembles,
    "echoes": rooms.echoes,
    "double-talk": rooms.double_talk,
    "steady-states": rooms.steady_states,
    "compile-filters": padasip.compilation,
    "dichotomies": dichotomies.counting_dichotomies,
    "logarithms": dichotomies.logarithms,
    "shuffles": dichotomies.shuffles,
    "gates": threshold.threshold_functions,
    "networks": threshold.networks,
    "probes": probes.probes,
    "probe-quality": quality.probe_quality,
    "null": null.null,
    "tables": tables.csv_to_store,
    "libsvm": tables.libsvm_text,
    "stores": tables.store_fits,
    "lab": browser.drag_and_play,
    "cluster-overhead": cluster.overhead,
    "cluster-workers": cluster.two_workers,
    "cluster-plan": cluster.plan,
    "cluster-passes": cluster.passes_to_zero,
    "cluster-incremental": cluster.against_incremental,
    "cluster-sums": cluster.sums,
    "cluster-verdicts": cluster.verdicts,
    "compile": perceptron.compilation,
}


class Echo(io.StringIO):
    """Keeps what is written, and shows it as it comes."""

    def __init__(self, shown: TextIO) -> None:
        super().__init__()
        self.shown = shown

    def write(self, text: str) -> int:
        """Show and keep."""
        self.shown.write(text)
        self.shown.flush()
        return super().write(text)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    parser.add_argument("--output", type=Path, metavar="FOLDER", help="also write FOLDER/NAME.md")
    arguments = parser.parse_args()
    names = arguments.names or list(BENCHMARKS)
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        sys.exit(f"no benchmark is called {unknown[0]!r}; they are {', '.join(BENCHMARKS)}")
    warnings.simplefilter("ignore")
    print(machine())
    for name in names:
        print(f"\n## {name}: {BENCHMARKS[name].__doc__}\n", flush=True)
        with contextlib.redirect_stdout(Echo(sys.stdout)) as heard:
            BENCHMARKS[name]()
        if arguments.output:
            page = arguments.output / f"{name}.md"
            page.write_text(as_page(name, BENCHMARKS[name], heard.getvalue()), encoding="utf-8")


def machine() -> str:
    """The machine and the versions, in a line."""
    packages = ("numpy", "scipy", "scikit-learn", "numba")
    peers = ", ".join(f"{name} {version(name)}" for name in packages)
    return f"{processor()}, {os.cpu_count()} cores, Python {platform.python_version()}, {peers}"


def processor() -> str:
    """The processor's name where the system tells it, else its architecture."""
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()


def as_page(name: str, benchmark: Callable[[], Any], heard: str) -> str:
    """What a benchmark printed as a page of the book."""
    title, _, more = (benchmark.__doc__ or name).strip().partition("\n")
    day = datetime.datetime.now(datetime.UTC).date().isoformat()
    note = f"Run on {day}: {machine()}. Repeat it with `python -m benchmarks {name}`."
    return "\n\n".join(part for part in (f"# {title.rstrip('.')}", more.strip(), note, heard.strip()) if part) + "\n"


if __name__ == "__main__":
    main()
