"""Somebody who looks at a fit while it runs: shows how far it is, saves it now and then, and stops it when asked."""

import signal
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from rosenblatt.cli.waiting import Bar, Rate

__all__ = ["Interrupted", "Watcher"]

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupted(Exception):
    """The fit was stopped by Ctrl-C or SIGTERM, and saved."""

    def __init__(self, checkpoint: Path) -> None:
        super().__init__(f"{checkpoint} has the fit so far; the same command with --resume goes on from there.")


class Watcher:
    """Called with the run about twenty times a second; a signal only sets a flag, so no correction is cut in two."""

    asked_to_stop = False

    def __init__(self, checkpoint: Any, every: float, n: int) -> None:
        self.checkpoint, self.every, self.n = checkpoint, every, n
        self._saved = time.monotonic()
        self._bar, self._rate = Bar("learning", before_time="at most"), Rate("rows")
        self._handlers: list[Any] = []

    def __enter__(self) -> "Watcher":
        self._handlers = [signal.signal(one, self._stop) for one in _SIGNALS]
        self._bar.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: Any, traceback: TracebackType | None) -> None:
        for one, handler in zip(_SIGNALS, self._handlers, strict=True):
            signal.signal(one, handler)
        self._bar.__exit__()

    def _stop(self, signum: int, frame: Any) -> None:
        if self.asked_to_stop:  # somebody insists
            raise KeyboardInterrupt
        self.asked_to_stop = True

    def __call__(self, run: Any) -> None:
        """Look at the run."""
        now = time.monotonic()
        if self.asked_to_stop:
            self.checkpoint.save(run)
            raise Interrupted(self.checkpoint.path)
        if now - self._saved >= self.every:
            self.checkpoint.save(run)
            self._saved = time.monotonic()
        if self._bar.due:
            made, limit = run.position
            self._bar.show(self._words(run, made, limit), made, limit)

    def _words(self, run: Any, made: int, limit: int) -> str:
        mistakes = f" · {run.mistakes_per_pass[-1]:,} mistakes in the last" if run.mistakes_per_pass else ""
        return f"pass {made // self.n + 1:,} of {-(-limit // self.n):,}{mistakes} · {self._rate.of(made)}"
