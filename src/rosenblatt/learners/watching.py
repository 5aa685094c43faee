"""Somebody who looks at a fit while it runs: saves it now and then, and stops it when asked."""

import signal
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from rosenblatt.learners.progress import Watch
from rosenblatt.models.checkpoint import Checkpoint

__all__ = ["Interrupted", "Watcher"]

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupted(Exception):
    """The fit was stopped by Ctrl-C or SIGTERM, and saved."""

    def __init__(self, checkpoint: Path) -> None:
        super().__init__(f"{checkpoint} has the fit so far")
        self.checkpoint = checkpoint


class Watcher:
    """Called with the run about twenty times a second; a signal only sets a flag, so no correction is cut in two.

    The run is saved every so many seconds, and shown to `show`.
    """

    asked_to_stop = False

    def __init__(self, checkpoint: Checkpoint, every: float, show: Watch) -> None:
        self.checkpoint, self.every, self.show = checkpoint, every, show
        self._saved = time.monotonic()
        self._handlers: list[Any] = []

    def __enter__(self) -> "Watcher":
        self._handlers = [signal.signal(one, self._stop) for one in _SIGNALS]
        return self

    def __exit__(self, kind: type[BaseException] | None, error: Any, traceback: TracebackType | None) -> None:
        for one, handler in zip(_SIGNALS, self._handlers, strict=True):
            signal.signal(one, handler)

    def _stop(self, signum: int, frame: Any) -> None:
        if self.asked_to_stop:  # the second Ctrl-C: stop without saving
            raise KeyboardInterrupt
        self.asked_to_stop = True

    def __call__(self, run: Any) -> None:
        """Look at the run."""
        if self.asked_to_stop:
            self.checkpoint.save({0: run.state()})
            raise Interrupted(self.checkpoint.path)
        if time.monotonic() - self._saved >= self.every:
            self.checkpoint.save({0: run.state()})
            self._saved = time.monotonic()
        self.show(run)
