"""The time limit, which is looked at between short steps; and progress reports."""

import time
from collections.abc import Callable
from numbers import Real
from typing import Any

from rosenblatt.context import Unfinished

__all__ = ["SILENT", "PhaseReporter", "Progress", "Unfinished", "check", "deadline_after"]

Progress = Callable[[str, int, int], None]  # phase, rows seen in this pass, rows


def deadline_after(began: float, time_limit: Any) -> float | None:
    """When the time limit ends; None without one."""
    if time_limit is None:
        return None
    if not isinstance(time_limit, Real) or time_limit != time_limit:
        raise ValueError(f"time_limit must be a number of seconds; it is {time_limit!r}.")
    return began + float(time_limit)


def check(deadline: float | None) -> None:
    """Raise where the time limit is over."""
    if deadline is not None and time.monotonic() > deadline:
        raise Unfinished("the time limit was reached")


class PhaseReporter:
    """Calls `progress`, if there is one, with the phase of the work and the rows seen."""

    def __init__(self, progress: Progress | None, n: int) -> None:
        self._progress, self._n, self._phase = progress, n, ""
        self.deadline: float | None = None  # when a pass over the rows is to be given up

    def phase(self, words: str) -> None:
        """A new phase begins."""
        self._phase = words
        self.seen(0)

    def seen(self, rows: int) -> None:
        """The pass has seen so many rows. Raises `Unfinished` where time is over."""
        check(self.deadline)
        if self._progress is not None:
            self._progress(self._phase, rows, self._n)


SILENT = PhaseReporter(None, 0)
