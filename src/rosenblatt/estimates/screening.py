"""`screen`: one table, many outcomes; for each the verdict, every coefficient's fate, and on request Firth's estimates.

Outcomes are independent of each other, so several processes decide them; lines are written in the order of outcomes.
After a crash the next call with the same table keeps what is in the file and continues there.
"""

import hashlib
import json
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, closing, contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from itertools import groupby
from multiprocessing import TimeoutError, active_children, get_context, resource_tracker  # noqa: A004 (the one that a pool raises)
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arguments import checked
from rosenblatt.arrays import Flags, Floats
from rosenblatt.context import Context, Unfinished
from rosenblatt.data.files import held_alone, owned_folder
from rosenblatt.data.numbers import as_rows, column_names, float_rows
from rosenblatt.estimates.few_rows import FewRows
from rosenblatt.estimates.screening_files import NOTHING, Line, lines_file
from rosenblatt.regressions import missing_values
from rosenblatt.threads import end_with_parent, without_errors_output
from rosenblatt.verdicts import separability
from rosenblatt.verdicts.certificates import Certificate

if TYPE_CHECKING:
    from multiprocessing.pool import IMapIterator

__all__ = ["Line", "Screening", "screen"]

_PATIENCE = 0.5  # seconds between two looks at the other processes
_INFINITE = {"+inf": "+∞", "-inf": "−∞"}


@dataclass(frozen=True)
class Screening:
    """What `screen` found: a line for each coefficient of each outcome."""

    lines: list[Line]

    def frame(self) -> Any:
        """The lines as a pandas frame, with adjusted p-values."""
        try:
            import pandas
        except ImportError:
            raise ImportError("frame needs pandas, which is not installed: pip install pandas.") from None
        return pandas.DataFrame([asdict(line) for line in self.lines]).assign(**self.adjusted())

    def adjusted(self) -> dict[str, list[float]]:
        """The p-values, adjusted for so many outcomes: each coefficient's by Holm, and by Benjamini and Hochberg.

        NaN where a line has no p-value.
        """
        p, names = np.array([line.p for line in self.lines]), np.array([line.coefficient for line in self.lines])
        holm, bh = np.full((2, p.size), np.nan)
        for name in dict.fromkeys(names.tolist()):
            at = np.flatnonzero((names == name) & ~np.isnan(p))
            at = at[np.argsort(p[at], kind="stable")]
            ranks = np.arange(1, at.size + 1)
            holm[at] = np.minimum(1.0, np.maximum.accumulate(p[at] * (at.size + 1 - ranks)))
            bh[at] = np.minimum.accumulate((p[at] * at.size / ranks)[::-1])[::-1]
        return {"p_holm": holm.tolist(), "p_bh": bh.tolist()}

    @property
    def _kinds(self) -> dict[str, str]:
        return {line.outcome: line.verdict for line in self.lines}

    @property
    def sentence(self) -> str:
        """How many outcomes have an estimate, in one sentence."""
        kinds = list(self._kinds.values())
        finite, undecided = kinds.count("overlap"), kinds.count("unknown")
        left = f"; {undecided} not decided" if undecided else ""
        return f"{finite} of {len(kinds)} outcomes have a maximum-likelihood estimate{left}."

    def summary(self) -> list[list[str]]:
        """For each outcome: its name, "positives of rows", the verdict, and the coefficients that are not finite."""
        summaries = []
        for name, group in groupby(self.lines, key=lambda line: line.outcome):
            lines = list(group)
            away = [line for line in lines if line.fate not in ("finite", "")]
            shown = ", ".join(f"{line.coefficient} ({_INFINITE.get(line.fate, line.fate)})" for line in away)
            summaries.append([name, f"{lines[0].positives:,} of {lines[0].rows:,}", lines[0].verdict, shown])
        return summaries

    def __repr__(self) -> str:
        kinds = list(self._kinds.values())
        counted = ", ".join(f"{kinds.count(kind)} {kind}" for kind in sorted(set(kinds)))
        return f"<Screening: {len(kinds)} outcome{'' if len(kinds) == 1 else 's'}: {counted}>"


@checked
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
    """Decide many outcomes on one table, each with proof.

    Parameters
    ----------
    X : rows of numbers
    Y : a column for each outcome
        Each has two values, and NaN, None or NA where it is not known: such rows are left out for that outcome.
    features, outcomes : list, optional
        Names of the columns of X and of Y, if X and Y have none.
    firth, level
        Whether to add Firth's estimates, with penalised profile intervals of this level.
    fit_intercept : bool
        Whether the models have an intercept.
    time_limit : float, optional
        Seconds for each verdict.
    output : path, optional
        A CSV file to which lines are written as they come; or a folder (its name ends with a slash) for Parquet files
        of 20 outcomes each. A file or folder that exists is continued, if it was begun with the same table, outcomes
        and settings.
    jobs : int, optional
        How many processes; by default as many as there are cores.
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
    with nullcontext() if output is None else held_alone(output):
        file = None if output is None else lines_file(output, task.run, len(task.coefficients))
        done = [] if file is None else file.begin()  # the lines of each outcome that was decided before
        lines, total = [line for outcome in done for line in outcome], len(task.outcomes)
        with closing(_worked(task, range(len(done), total), jobs)) as work:
            for k, new in enumerate(work, start=len(done) + 1):
                lines += new
                if file is not None:
                    file.add(new)
                if progress is not None:
                    progress(k, total)
        if file is not None:
            file.end()
    return Screening(lines)


@dataclass(frozen=True)
class _Task:
    """What a process needs to decide an outcome."""

    X: Floats
    Y: Floats  # 0, 1, or NaN
    outcomes: list[str]
    features: list[str]
    firth: bool
    level: float
    bias: bool
    time_limit: float | None

    @classmethod
    def of(cls, X: Any, Y: object, features: list[str] | None, outcomes: list[str] | None, how: Any) -> "_Task":
        X = float_rows(X, "a screening")[1].take(slice(None))
        table = np.asarray(Y)
        if X.ndim != 2 or table.ndim != 2 or len(X) != len(table):
            raise ValueError(f"X and Y must be tables with as many rows; they are {X.shape} and {table.shape}.")
        if not np.isfinite(X).all():
            raise ValueError("X has a value that is not a finite number.")
        outcomes = outcomes or [f"y{j}" for j in range(table.shape[1])]
        features = features or [f"x{j}" for j in range(X.shape[1])]
        for argument, names, many in (("features", features, X.shape[1]), ("outcomes", outcomes, table.shape[1])):
            if len(names) != many:
                raise ValueError(f"{argument} must be {many} names, one for each column; there are {len(names)}.")
        if len(set(outcomes)) < len(outcomes):
            doubled = next(name for name in outcomes if outcomes.count(name) > 1)
            raise ValueError(f"two outcomes are called {doubled}: rename one of them.")
        columns = [_two_valued(column, name) for column, name in zip(table.T, outcomes, strict=True)]
        return cls(X, np.array(columns).T.reshape(table.shape), outcomes, features, *how)

    @property
    def coefficients(self) -> list[str]:
        return [*self.features, *["(1)"] * self.bias]

    @cached_property
    def run(self) -> str:
        """A short hash that tells this task from others."""
        settings = (self.outcomes, self.features, self.firth, self.level, self.bias, self.time_limit, self.X.shape)
        h = hashlib.sha256(repr(settings).encode())
        h.update(self.X.data)
        h.update(np.ascontiguousarray(self.Y).data)
        return h.hexdigest()[:12]

    @cached_property
    def _table(self) -> FewRows:
        return FewRows.of(as_rows(self.X), self.bias, self.features)

    def lines(self, k: int) -> list[Line]:
        """The lines of outcome k."""
        y = self.Y[:, k]
        known = ~np.isnan(y)
        y, positives = y[known], int(np.nansum(y))
        common = (self.outcomes[k], len(y), positives)
        if positives in (0, len(y)):
            return [Line(*common, "one class", name, "", *NOTHING, "", self.run) for name in self.coefficients]
        kind, fates, certificate = self._decided(y, known)
        content = b"" if certificate is None else json.dumps(certificate.content, sort_keys=True).encode()
        proof = hashlib.sha256(content).hexdigest() if content else ""
        numbers = self._firth(self.X[known], y) if self.firth and kind != "unknown" else [NOTHING] * len(fates)
        return [
            Line(*common, kind, name, fate, *firth, proof, self.run)
            for name, fate, firth in zip(self.coefficients, fates, numbers, strict=True)
        ]

    def _decided(self, y: Floats, known: Flags) -> tuple[str, list[str], Certificate | None]:
        """Verdict, fates and certificate, found on few rows; where these do not settle it, on all at once."""
        context = Context.of(self.time_limit)
        table = self._table if known.all() else self._table.only(known)
        signs = np.where(y > 0, 1, -1).astype(np.int8)
        with suppress(Unfinished):
            found = table.decide(signs, [0.0, 1.0], context)
            if found is not None:
                return found
        whole = separability(self.X[known], y, self.bias, margin=False, coefficients=True, time_limit=context.left)
        fates = [one.kind for one in whole.coefficients or []] or [""] * len(self.coefficients)
        return whole.kind, fates, whole.certificate

    def _firth(self, X: Floats, y: Floats) -> list[tuple[float, float, float, float]]:
        """Firth's estimate, interval and p-value of each coefficient."""
        from rosenblatt.estimates.estimating import estimate  # slow to load, and not always asked for

        found = estimate(X, y, fit_intercept=self.bias, level=self.level).coefficients
        return [NOTHING if (f := one.firth) is None else (f.value, f.lower, f.upper, f.p) for one in found]


def _two_valued(column: npt.NDArray[Any], name: str) -> Floats:
    """An outcome as numbers: 0 for the smaller value, 1 for the larger, NaN where there is none."""
    absent = missing_values(column)
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


def _take_over(path: str, rest: dict[str, Any]) -> None:
    """In a new process: open the table, which all processes share in one file."""
    global _task  # one for each process
    end_with_parent()
    arrays = {name: np.load(f"{path}/{name}.npy", mmap_mode="r") for name in ("X", "Y")}
    _task = _Task(**arrays, **rest)


def _work(k: int) -> list[Line]:
    assert _task is not None
    return _task.lines(k)


@contextmanager
def _beginning() -> Iterator[None]:
    """New processes do not hear Ctrl-C, which is for this one, nor see the caller's script, which they would run.

    A signal that comes meanwhile waits: a process that is begun by halves would complain.
    """
    main, noted = sys.modules["__main__"], list[int]()
    here = threading.current_thread() is threading.main_thread() and hasattr(signal, "pthread_sigmask")
    ending = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP] if here else []
    before = {one: signal.signal(one, lambda number, _: noted.append(number)) for one in ending}
    if here:
        resource_tracker.ensure_running()  # which hears Ctrl-C again when it has begun
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if here else set()  # children have it, too
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
        if here:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for one, handler in before.items():
            signal.signal(one, handler)
        for number in noted[:1]:
            signal.raise_signal(number)


def _worked(task: _Task, outcomes: range, jobs: int | None) -> Generator[list[Line], None, None]:
    """The lines of each outcome, in their order."""
    jobs = min(jobs or os.cpu_count() or 1, max(len(outcomes), 1))
    if jobs <= 1:
        yield from map(task.lines, outcomes)
        return
    rest = {one.name: getattr(task, one.name) for one in fields(task) if one.name not in ("X", "Y")}
    with owned_folder(tempfile.gettempdir(), "rosenblatt-screen-") as folder:
        np.save(folder / "X.npy", task.X)
        np.save(folder / "Y.npy", task.Y)
        before = set(active_children())
        with ExitStack() as stack:
            with (
                without_errors_output(),
                _beginning(),
            ):  # all processes are started by this call, and end with the stack, however that ends
                pool = stack.enter_context(get_context("spawn").Pool(jobs, _take_over, (str(folder), rest)))
                own = set(active_children()) - before
            found = pool.imap(_work, outcomes)
            for _ in outcomes:
                yield _next(found, own)


def _next(found: "IMapIterator[list[Line]]", own: set[BaseProcess]) -> list[Line]:
    """The lines of the next outcome; a process that was killed will bring none."""
    while True:
        with suppress(TimeoutError):
            return found.next(timeout=_PATIENCE)
        if not all(one.is_alive() for one in own):
            raise ChildProcessError(
                "a process of the screening was killed, perhaps for want of memory: take fewer processes (jobs)."
            )
