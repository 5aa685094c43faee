"""Somebody who looks at a fit while it runs: shows how far it is, saves it now and then, and stops it when asked."""

import signal
import sys
import time
from types import TracebackType
from typing import Any

__all__ = ["Interrupted", "Watcher"]

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_REFRESH = 0.2  # seconds


class Interrupted(Exception):
    """The fit was stopped by Ctrl-C or SIGTERM, and saved."""


class Watcher:
    """Called with the run about twenty times a second; a signal only sets a flag, so no correction is cut in two."""

    asked_to_stop = False

    def __init__(self, checkpoint: Any, every: float, n: int) -> None:
        self.checkpoint, self.every, self.n = checkpoint, every, n
        self._saved = self._shown = time.monotonic()
        self._bar = _Bar(n) if sys.stderr.isatty() else None
        self._handlers: list[Any] = []

    def __enter__(self) -> "Watcher":
        self._handlers = [signal.signal(one, self._stop) for one in _SIGNALS]
        return self

    def __exit__(self, kind: type[BaseException] | None, error: Any, traceback: TracebackType | None) -> None:
        for one, handler in zip(_SIGNALS, self._handlers, strict=True):
            signal.signal(one, handler)
        if self._bar is not None:
            self._bar.close()

    def _stop(self, signum: int, frame: Any) -> None:
        if self.asked_to_stop:  # somebody insists
            raise KeyboardInterrupt
        self.asked_to_stop = True

    def __call__(self, run: Any) -> None:
        """Look at the run."""
        now = time.monotonic()
        if self.asked_to_stop:
            self.checkpoint.save(run)
            raise Interrupted
        if now - self._saved >= self.every:
            self.checkpoint.save(run)
            self._saved = time.monotonic()
        if self._bar is not None and now - self._shown >= _REFRESH:
            self._bar.show(run)
            self._shown = now


class _Bar:
    """Passes, mistakes, rows per second and the time left, on standard error."""

    def __init__(self, n: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        self.n = n
        self._rate = _Rate()
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=20, style="dim", complete_style="bold", finished_style="bold", pulse_style="dim"),
            TextColumn("at most"),
            TimeRemainingColumn(compact=True),
            console=Console(stderr=True),
            transient=True,
        )
        self._progress.start()
        self._task = self._progress.add_task("learning", total=None)

    def show(self, run: Any) -> None:
        made, limit = run.position
        mistakes = f" · {run.mistakes_per_pass[-1]:,} mistakes in the last" if run.mistakes_per_pass else ""
        words = f"pass {made // self.n + 1:,} of {-(-limit // self.n):,}{mistakes} · {self._rate.of(made)}"
        self._progress.update(self._task, description=words, completed=made, total=limit)

    def close(self) -> None:
        self._progress.stop()


class _Rate:
    """Rows per second since the look before."""

    def __init__(self) -> None:
        self._made, self._at = 0, time.monotonic()

    def of(self, made: int) -> str:
        now = time.monotonic()
        rate = (made - self._made) / max(now - self._at, 1e-9)
        self._made, self._at = made, now
        return f"{rate / 1e6:.1f} million rows/s" if rate >= 1e6 else f"{rate:,.0f} rows/s"
