"""A word on standard error while something takes its time; silent where nobody looks."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["Bar", "Deciding", "Meter", "Rate", "waiting"]

_REFRESH = 0.2  # seconds


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show that something is going on."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.text import Text

    from rosenblatt.cli.output import error_console

    with error_console().status(Text(f"{what} …")):
        yield


class Bar:
    """One line that is drawn over and over: words, how much is done, the time left."""

    def __init__(self, words: str, total: int | None = None, before_time: str = "", quiet: bool = False) -> None:
        self._bar: Any = None
        if sys.stderr.isatty() and not quiet:
            self._bar = _bar(before_time)
            self._task = self._bar.add_task(words, total=total or None)
        self._shown = 0.0

    def __enter__(self) -> "Bar":
        if self._bar:
            self._bar.start()
        return self

    def __exit__(self, *_: Any) -> None:
        if self._bar:
            self._bar.stop()

    @property
    def due(self) -> bool:
        """Whether somebody looks, and has not seen anything new for a while."""
        return bool(self._bar) and time.monotonic() - self._shown > _REFRESH

    def show(self, words: str, done: int, total: int | None, at_once: bool = False) -> None:
        """Draw it, the next time that lines are drawn or at once."""
        if self._bar:
            self._shown = time.monotonic()
            total = total and max(done, total)
            self._bar.update(self._task, description=words, completed=done, total=total, refresh=at_once)


class Rate:
    """How many a second, since the look before; no words before there was one."""

    def __init__(self, what: str) -> None:
        self._what, self._made, self._at = what, 0, time.monotonic()

    def of(self, made: int) -> str:
        """In words, such as "12,000 rows/s"."""
        now = time.monotonic()
        rate = (made - self._made) / max(now - self._at, 1e-9)
        self._made, self._at = made, now
        return f"{rate / 1e6:.1f} million {self._what}/s" if rate >= 1e6 else f"{rate:,.0f} {self._what}/s"


class Deciding:
    """The phase of a verdict, the rows that its present pass has seen, and the time left: of the pass, and at most."""

    def __init__(self, time_limit: float | None = None) -> None:
        self._end = None if time_limit is None else time.monotonic() + time_limit
        self._phase, self._bar = "", Bar("deciding")

    def __enter__(self) -> "Deciding":
        self._bar.__enter__()
        return self

    def __exit__(self, *_: Any) -> None:
        self._bar.__exit__()

    def __call__(self, phase: str, seen: int, rows: int) -> None:
        """What `separability` says."""
        if phase == self._phase and not self._bar.due:
            return
        limit = "" if self._end is None else f" · at most {max(0.0, self._end - time.monotonic()):,.0f} s"
        self._bar.show(f"{phase} · {seen:,} rows{limit}", seen, rows, at_once=phase != self._phase)
        self._phase = phase


class Meter:
    """How many rows (or other things) are done, how many a second, and the time left: "1,200 rows scored · …".

    A quiet one shows nothing: where the rows themselves go to the terminal, a line drawn over and over spoils them.
    """

    def __init__(self, what: str, expected: int | None, quiet: bool = False) -> None:
        self.done, self._what, self._expected = 0, what, expected
        self._rate, self._bar = Rate(what.partition(" ")[0]), Bar(what, expected, quiet=quiet)

    def __enter__(self) -> "Meter":
        self._bar.__enter__()
        return self

    def __exit__(self, *_: Any) -> None:
        self._bar.__exit__()

    def add(self, number: int) -> None:
        """So many more are done."""
        self.show(self.done + number)

    def show(self, done: int, expected: int | None = None) -> None:
        """So many are done, of about so many."""
        self.done, self._expected = done, expected or self._expected
        if self._bar.due:
            self._bar.show(f"{done:,} {self._what} · {self._rate.of(done)}", done, self._expected)


def _bar(before_time: str) -> Any:
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from rosenblatt.cli.output import error_console

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20, style="dim", complete_style="bold", finished_style="bold", pulse_style="dim"),
        *([TextColumn(before_time)] if before_time else []),
        TimeRemainingColumn(compact=True),
        console=error_console(),
        transient=True,
        redirect_stdout=False,  # what is printed meanwhile is data
    )
