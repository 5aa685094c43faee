"""`screen`: one table, many outcomes; of each the verdict, every coefficient's fate, and on request Firth's estimates.

Outcomes are independent of each other, so they are worked out in processes, and written in their order as they come.
What is in the file after a crash is kept: the next call with the same table goes on where it ended.
"""

import csv
import hashlib
import io
import os
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass, fields
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.data.rows import column_names

__all__ = ["Line", "Screening", "screen"]

Floats = npt.NDArray[np.float64]

_NOTHING = (float("nan"),) * 4


@dataclass(frozen=True)
class Line:
    """One coefficient of one outcome; Firth's numbers are NaN where they were not asked for or there are none."""

    outcome: str
    rows: int  # without those that lack the outcome
    positives: int
    verdict: str  # "complete", "quasi", "overlap", "unknown" or "one class"
    coefficient: str
    fate: str  # "finite", "+inf", "-inf", "undetermined", "not identified"; "" where it is not known
    estimate: float
    lower: float
    upper: float
    p: float
    certificate: str  # SHA-256 of the proof, which `separability(X, y, coefficients=True)` finds again
    run: str  # tells tables and settings apart


@dataclass(frozen=True)
class Screening:
    """What `screen` found: a line for each coefficient of each outcome."""

    lines: list[Line]

    def frame(self) -> Any:
        """The lines as a pandas frame."""
        try:
            pandas = import_module("pandas")
        except ImportError:
            raise ImportError("frame needs pandas, which is not installed: pip install pandas.") from None
        return pandas.DataFrame([asdict(line) for line in self.lines])

    @property
    def _kinds(self) -> dict[str, str]:
        return {line.outcome: line.verdict for line in self.lines}

    @property
    def sentence(self) -> str:
        """How many outcomes have an estimate."""
        kinds = list(self._kinds.values())
        finite, undecided = kinds.count("overlap"), kinds.count("unknown")
        left = f"; {undecided} not decided" if undecided else ""
        return f"{finite} of {len(kinds)} outcomes have a maximum-likelihood estimate{left}."

    def summary(self) -> list[list[str]]:
        """A line for each outcome: its name, positives of rows, the verdict, and coefficients that are not finite."""
        away: dict[str, list[str]] = {}
        for line in self.lines:
            shown = {"+inf": "+∞", "-inf": "−∞"}.get(line.fate, line.fate)
            away.setdefault(line.outcome, [])
            if line.fate not in ("finite", ""):
                away[line.outcome].append(f"{line.coefficient} ({shown})")
        first = {line.outcome: line for line in reversed(self.lines)}
        return [
            [name, f"{first[name].positives:,} of {first[name].rows:,}", first[name].verdict, ", ".join(some)]
            for name, some in away.items()
        ]

    def __repr__(self) -> str:
        kinds = list(self._kinds.values())
        counted = ", ".join(f"{kinds.count(kind)} {kind}" for kind in sorted(set(kinds)))
        return f"<Screening: {len(kinds)} outcomes: {counted}>"


def screen(
    X: Any,
    Y: Any,
    *,
    features: list[str] | None = None,
    outcomes: list[str] | None = None,
    firth: bool = False,
    level: float = 0.95,
    fit_intercept: bool = True,
    time_limit: float | None = None,
    output: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Screening:
    """Decide many outcomes on one table.

    Parameters
    ----------
    X : rows of numbers
    Y : a column for each outcome
        Two values each, and NaN or None where it is not known: such rows are left out for that outcome.
    features, outcomes : list, optional
        Names of the columns of X and of Y, if they do not bring their own.
    firth, level
        Also Firth's estimates, with penalised profile intervals of that level.
    time_limit : float, optional
        Seconds for each verdict.
    output : path, optional
        A CSV file to which lines are written as they come. A file that is there is gone on with, if it was begun with
        the same table, outcomes and settings.
    jobs : int, optional
        Processes; as many as there are cores, if not said.
    progress : callable, optional
        Called with how many outcomes are done, and how many there are.

    Examples
    --------
    >>> X, Y = [[0.0], [1.0], [2.0], [3.0]], [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> found = screen(X, Y, jobs=1)
    >>> found
    <Screening: 2 outcomes: 1 complete, 1 overlap>
    >>> [(line.outcome, line.coefficient, line.fate) for line in found.lines]
    [('y0', 'x0', '+inf'), ('y0', '(1)', '-inf'), ('y1', 'x0', 'finite'), ('y1', '(1)', 'finite')]
    """
    features, outcomes = features or column_names(X), outcomes or column_names(Y)
    task = _Task.of(X, Y, features, outcomes, (firth, level, fit_intercept, time_limit))
    file = None if output is None else _File(Path(output), task)
    done = [] if file is None else file.begin()
    lines, total = [line for some in done for line in some], len(task.outcomes)
    with _workers(task, jobs, total - len(done)) as work:
        for k, some in enumerate(work(range(len(done), total)), start=len(done) + 1):
            lines += some
            if file is not None:
                file.add(some)
            if progress is not None:
                progress(k, total)
    return Screening(lines)


@dataclass(frozen=True)
class _Task:
    """What a process needs to work out an outcome."""

    X: Floats
    Y: Floats  # 0, 1, or NaN
    outcomes: list[str]
    features: list[str]
    firth: bool
    level: float
    bias: bool
    time_limit: float | None

    @classmethod
    def of(cls, X: Any, Y: Any, features: list[str] | None, outcomes: list[str] | None, how: Any) -> "_Task":
        X = np.ascontiguousarray(np.asarray(X, dtype=np.float64))
        table = np.asarray(Y)
        if X.ndim != 2 or table.ndim != 2 or len(X) != len(table):
            raise ValueError(f"X and Y must be tables with as many rows; they are {X.shape} and {table.shape}.")
        if not np.isfinite(X).all():
            raise ValueError("X has a value that is not a finite number.")
        outcomes = outcomes or [f"y{j}" for j in range(table.shape[1])]
        columns = [_two_valued(column, name) for column, name in zip(table.T, outcomes, strict=True)]
        features = features or [f"x{j}" for j in range(X.shape[1])]
        return cls(X, np.array(columns).T.reshape(table.shape), outcomes, features, *how)

    @property
    def coefficients(self) -> list[str]:
        return [*self.features, *["(1)"] * self.bias]

    @property
    def run(self) -> str:
        """Some letters that tell this task from others."""
        settings = (self.outcomes, self.features, self.firth, self.level, self.bias, self.time_limit, self.X.shape)
        h = hashlib.sha256(repr(settings).encode())
        h.update(self.X.data)
        h.update(np.ascontiguousarray(self.Y).data)
        return h.hexdigest()[:12]

    def lines(self, k: int, run: str) -> list[Line]:
        """Outcome k."""
        from rosenblatt.verdicts.decision import separability

        y = self.Y[:, k]
        known = ~np.isnan(y)
        y, positives = y[known], int(np.nansum(y))
        common = (self.outcomes[k], len(y), positives)
        if positives in (0, len(y)):
            return [Line(*common, "one class", name, "", *_NOTHING, "", run) for name in self.coefficients]
        X = self.X if known.all() else self.X[known]
        found = separability(X, y, self.bias, margin=False, coefficients=True, time_limit=self.time_limit)
        fates = [one.kind for one in found.coefficients or []] or [""] * len(self.coefficients)
        proof = "" if found.certificate is None else _hash(found.certificate.content)
        numbers = self._firth(X, y) if self.firth and found.kind != "unknown" else [_NOTHING] * len(fates)
        return [
            Line(*common, found.kind, name, fate, *some, proof, run)
            for name, fate, some in zip(self.coefficients, fates, numbers, strict=True)
        ]

    def _firth(self, X: Floats, y: Floats) -> list[tuple[float, float, float, float]]:
        """Estimate, interval and p-value of each coefficient."""
        from rosenblatt.estimates.estimating import estimate

        found = estimate(X, y, fit_intercept=self.bias, level=self.level).coefficients
        return [_NOTHING if (f := one.firth) is None else (f.value, f.lower, f.upper, f.p) for one in found]


def _hash(content: dict[str, Any]) -> str:
    import json

    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _two_valued(column: npt.NDArray[Any], name: str) -> Floats:
    """0 for the smaller value, 1 for the larger, NaN where there is none."""
    absent = np.array([v is None or v != v for v in column.tolist()])
    values = np.unique(column[~absent]) if not absent.all() else np.empty(0)
    if len(values) > 2:
        raise ValueError(f"outcome {name} has {len(values)} different values; a screening needs two.")
    coded = np.full(len(column), np.nan)
    if len(values):
        largest = values[-1] if len(values) == 2 or values[-1] not in (0, "0", False) else None
        coded[~absent] = column[~absent] == largest
    return coded


# processes

_task: _Task | None = None
_run = ""


def _take_over(path: str, rest: dict[str, Any], run: str) -> None:
    """In a new process: the table, which all processes share in one file."""
    global _task, _run  # a process has one task
    arrays = {name: np.load(f"{path}/{name}.npy", mmap_mode="r") for name in ("X", "Y")}
    _task, _run = _Task(**arrays, **rest), run


def _work(k: int) -> list[Line]:
    assert _task is not None
    return _task.lines(k, _run)


@contextmanager
def _workers(task: _Task, jobs: int | None, left: int) -> Iterator[Callable[[range], Iterator[list[Line]]]]:
    """What works out outcomes, in their order."""
    run, jobs = task.run, min(jobs or os.cpu_count() or 1, max(left, 1))
    if jobs <= 1:
        yield lambda some: (task.lines(k, run) for k in some)
        return
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/X.npy", task.X)
        np.save(f"{folder}/Y.npy", task.Y)
        rest = {one.name: getattr(task, one.name) for one in fields(task) if one.name not in ("X", "Y")}
        with ProcessPoolExecutor(jobs, get_context("spawn"), _take_over, (folder, rest, run)) as pool:
            try:
                yield lambda some: pool.map(_work, some)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise


class _File:
    """The lines in a CSV file, each outcome's at once."""

    def __init__(self, path: Path, task: _Task) -> None:
        self.path, self.task = path, task
        self.names = [one.name for one in fields(Line)]

    def begin(self) -> list[list[Line]]:
        """What is there already; what a crash left of an unfinished outcome is cut off."""
        text = self.path.read_text(encoding="utf-8") if self.path.exists() else ""
        if _csv([self.names]).startswith(text):
            if text:
                os.truncate(self.path, 0)
            self._append([self.names])
            return []
        rows = list(csv.reader(io.StringIO(text[: text.rfind("\n") + 1])))
        size, d = len(self.names), len(self.task.coefficients)
        if not rows or rows[0] != self.names or any(len(row) != size for row in rows):
            raise ValueError(f"{self.path} is there and was not written by a screening: choose another name.")
        whole = (len(rows) - 1) // d
        kept = rows[1 : 1 + whole * d]
        if any(row[-1] != self.task.run for row in kept):
            raise ValueError(f"{self.path} has the results of another table or other settings: choose another name.")
        self._cut(kept)
        lines = [_parsed(row) for row in kept]
        return [lines[k * d : (k + 1) * d] for k in range(whole)]

    def _cut(self, kept: list[list[str]]) -> None:
        size = len(_csv([self.names, *kept]).encode())
        if size < self.path.stat().st_size:
            os.truncate(self.path, size)

    def add(self, lines: list[Line]) -> None:
        """One more outcome."""
        self._append([_written(line) for line in lines])

    def _append(self, rows: list[list[str]]) -> None:
        with self.path.open("a", encoding="utf-8", newline="") as file:
            file.write(_csv(rows))
            file.flush()
            os.fsync(file.fileno())


def _csv(rows: list[list[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _written(line: Line) -> list[str]:
    return ["" if v != v else repr(v) if isinstance(v, float) else str(v) for v in astuple(line)]


def _parsed(row: list[str]) -> Line:
    kinds = [one.type for one in fields(Line)]
    made: list[Any] = [
        int(text) if kind is int else float(text or "nan") if kind is float else text
        for kind, text in zip(kinds, row, strict=True)
    ]
    return Line(*made)
