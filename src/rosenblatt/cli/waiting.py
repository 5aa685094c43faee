"""A word on standard error while something takes its time; silent where nobody looks."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["Meter", "waiting"]

_REFRESH = 0.2  # seconds


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show that something is going on."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(f"{what} …"):
        yield


class Meter:
    """Rows done, rows per second and the time left, while rows stream by."""

    def __init__(self, what: str, expected: int | None) -> None:
        self.done, self._shown, self._bar = 0, 0.0, None if not sys.stderr.isatty() else _bar()
        self._task = self._bar.add_task(what, total=expected or None) if self._bar else None

    def __enter__(self) -> "Meter":
        if self._bar:
            self._bar.start()
        return self

    def __exit__(self, *_: Any) -> None:
        if self._bar:
            self._bar.stop()

    def add(self, rows: int) -> None:
        """So many rows more are done."""
        self.show(self.done + rows)

    def show(self, done: int, expected: int | None = None) -> None:
        """So many rows are done, of so many."""
        self.done = done
        if self._bar and time.monotonic() - self._shown > _REFRESH:
            self._shown = time.monotonic()
            self._bar.update(self._task, completed=done, **({"total": max(done, expected)} if expected else {}))


def _bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=20, style="dim", complete_style="bold", finished_style="bold", pulse_style="dim"),
        MofNCompleteColumn(),
        TextColumn("{task.speed:,.0f}/s"),
        TimeRemainingColumn(compact=True),
        console=Console(stderr=True),
        transient=True,
    )
