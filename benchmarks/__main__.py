"""Run the benchmarks named on the command line, or all of them.

`--output FOLDER` also writes each to FOLDER/NAME.md, with the machine, the versions, the day and the load: the book's
numbers. `--check` reruns a sample of each page instead, the first case of its tables, and says which pages have a ratio
that is off by more than a third; with `--output` it notes the day on the pages that came out again.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # peers on one thread, as ours unless it says otherwise
os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import contextlib
import io
import sys
import warnings
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import TextIO

import benchmarks
from benchmarks import pages
from benchmarks.timing import BENCHMARKS, heard

BOOK = Path(__file__).parents[1] / "docs" / "numbers"


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


def main() -> int:
    """Run, write, check; the exit code says whether all pages came out again."""
    find()
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    parser.add_argument("--output", type=Path, metavar="FOLDER", help="also write FOLDER/NAME.md")
    parser.add_argument("--check", action="store_true", help="compare a sample with the pages of the book")
    arguments = parser.parse_args()
    names = arguments.names or list(BENCHMARKS)
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        sys.exit(f"no benchmark is called {unknown[0]!r}; they are {', '.join(BENCHMARKS)}")
    warnings.simplefilter("ignore")
    print(pages.machine())
    if arguments.check:
        return check(names, arguments.output)
    for name in names:
        print(f"\n## {name}: {BENCHMARKS[name].__doc__}\n", flush=True)
        busy = pages.load()
        printed = run(name, shown=sys.stdout)
        if arguments.output:
            text = pages.page(name, BENCHMARKS[name], printed, busy)
            (arguments.output / f"{name}.md").write_text(text, encoding="utf-8")
    return 0


def find() -> None:
    """Import every file of this folder: benchmarks tell their names. What lacks a package is left out, with a line."""
    for module in walk_packages(benchmarks.__path__, f"{benchmarks.__name__}."):
        if module.name != __name__ and not module.name.endswith("__main__"):
            try:
                import_module(module.name)
            except ModuleNotFoundError as missing:
                print(f"{module.name} is left out: {missing.name} is not installed", file=sys.stderr)


def run(name: str, shown: TextIO, sample: bool = False) -> str:
    """What a benchmark prints; its tables are in `heard`."""
    heard.begin(sample)
    with contextlib.redirect_stdout(Echo(shown)) as printed:
        BENCHMARKS[name]()
    return printed.getvalue()


def check(names: list[str], folder: Path | None) -> int:
    """Rerun a sample of each page that has ratios, and print the pages that do not come out again."""
    wrong = []
    for name in names:
        at = (folder or BOOK) / f"{name}.md"
        text = at.read_text(encoding="utf-8") if at.exists() else ""
        if "×" not in text:
            continue
        busy = pages.load()
        run(name, shown=io.StringIO(), sample=True)
        compared, off = pages.differences(text, heard.tables)
        told = (
            f"{len(off)} of {compared} ratios off" if off else "comes out again" if compared else "nothing to compare"
        )
        print(f"{name}: {told} (load {busy})", *(f"    {one}" for one in off), sep="\n", flush=True)
        if off or not compared:
            wrong.append(name)
        elif folder:
            at.write_text(pages.agreed(text, compared, busy), encoding="utf-8")
    print(f"\nNot as their page says: {', '.join(wrong)}." if wrong else "\nAll pages come out again.")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
