"""A line on standard error while something takes its time; silent where nobody looks.

`Bar` draws it. The functions below it give whoever works something to call, each with the words of its work.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from rosenblatt.cli.output import error_console

__all__ = ["Bar", "counting", "deciding", "fetching", "learning", "probing", "validating", "waiting"]

_REFRESH = 0.2  # seconds


class Bar:
    """One line that is drawn over and over: words, how much is done, the time left."""

    def __init__(
        self, words: str, total: int | None = None, before_time: str = "", quiet: bool = False, at_once: bool = True
    ) -> None:
        self._bar: Any = None
        self._at_once = at_once  # or when there is something to show
        if sys.stderr.isatty() and not quiet:
            self._bar = _bar(before_time)
            self._task = self._bar.add_task(words, total=total or None)
        self._shown = 0.0
        self._made, self._at = 0, time.monotonic()

    def __enter__(self) -> "Bar":
        if self._bar and self._at_once:
            self._bar.start()
        return self

    def __exit__(self, *_: Any) -> None:
        if self._bar and self._bar.live.is_started:
            self._bar.stop()

    @property
    def due(self) -> bool:
        """Whether somebody looks, and has not seen anything new for a while."""
        return bool(self._bar) and time.monotonic() - self._shown > _REFRESH

    def show(self, words: str, done: int, total: int | None, at_once: bool = False) -> None:
        """Draw it, the next time that lines are drawn or at once."""
        if self._bar:
            self._bar.start()
            self._shown = time.monotonic()
            total = total and max(done, total)
            self._bar.update(self._task, description=words, completed=done, total=total, refresh=at_once)

    def rate(self, made: int, what: str) -> str:
        """How many a second were made since the look before, in words such as "12,000 rows/s"."""
        now = time.monotonic()
        rate = (made - self._made) / max(now - self._at, 1e-9)
        self._made, self._at = made, now
        return f"{rate / 1e6:.1f} million {what}/s" if rate >= 1e6 else f"{rate:,.0f} {what}/s"


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show that something is going on."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.text import Text

    with error_console().status(Text(f"{what} …")):
        yield


@contextmanager
def counting(
    what: str, expected: int | None = None, quiet: bool = False, at_once: bool = True
) -> Iterator[Callable[..., None]]:
    """How many are done, how many a second, and the time left: "1,200 rows scored · …".

    Where the rows themselves go to the terminal it is to be quiet: a line drawn over and over spoils them.
    """
    with Bar(what, expected, quiet=quiet, at_once=at_once) as bar:

        def show(done: int, of: int | None = None) -> None:
            if bar.due:
                bar.show(f"{done:,} {what} · {bar.rate(done, what.partition(' ')[0])}", done, of or expected)

        yield show


def fetching() -> AbstractContextManager[Callable[..., None]]:
    """The bytes that came from an address, how many a second, and the time left; drawn when the first ones come."""
    return counting("bytes fetched", at_once=False)


@contextmanager
def deciding(time_limit: float | None = None) -> Iterator[Callable[[str, int, int], None]]:
    """The phase of a verdict, the rows that its present pass has seen, and the time left: of the pass, and at most."""
    end, shown = None if time_limit is None else time.monotonic() + time_limit, ""
    with Bar("deciding") as bar:

        def show(phase: str, seen: int, rows: int) -> None:
            nonlocal shown
            if phase == shown and not bar.due:
                return
            limit = "" if end is None else f" · at most {max(0.0, end - time.monotonic()):,.0f} s"
            bar.show(f"{phase} · {seen:,} rows{limit}", seen, rows, at_once=phase != shown)
            shown = phase

        yield show


@contextmanager
def learning(n: int) -> Iterator[Callable[[Any], None]]:
    """The pass of a run on n rows, the mistakes of the last one, and the time it may still take."""
    with Bar("learning", before_time="at most") as bar:

        def show(run: Any) -> None:
            if bar.due:
                made, limit = run.position
                mistakes = f" · {run.mistakes_per_pass[-1]:,} mistakes in the last" if run.mistakes_per_pass else ""
                passes = f"pass {made // n + 1:,} of {-(-limit // n):,}"
                bar.show(f"{passes}{mistakes} · {bar.rate(made, 'rows')}", made, limit)

        yield show


@contextmanager
def validating() -> Iterator[Callable[[str, int, int], None]]:
    """The learner that is cross-validated, the fits made, and the time that the others may take."""
    with Bar("cross-validating") as bar:

        def show(name: str, done: int, of: int) -> None:
            bar.show(f"cross-validating {name} · fit {done + 1:,} of {of:,}", done, of, at_once=True)

        yield show


@contextmanager
def probing() -> Iterator[Callable[[str, int, int, int], None]]:
    """The pass of many perceptrons at once, and how many of them still learn."""
    with Bar("reading", before_time="at most") as bar:

        def show(where: str, made: int, passes: int, left: int) -> None:
            if bar.due:
                bar.show(f"{where} · pass {made:,} of {passes:,} · {left:,} still learning", made, passes)

        yield show


def _bar(before_time: str) -> Any:
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20, style="dim", complete_style="bold", finished_style="bold", pulse_style="dim"),
        *([TextColumn(before_time)] if before_time else []),
        TimeRemainingColumn(compact=True),
        console=error_console(),
        transient=True,
        redirect_stdout=False,  # what is printed meanwhile is data
    )
