"""Where all runs of a fit on a cluster stand, kept in a checkpoint: a new cluster can go on from there, bit for bit."""

import os
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any

from rosenblatt.distributed.mixing import MixedRun
from rosenblatt.distributed.passes import ShardedExamples
from rosenblatt.learners.runs import BatchRun
from rosenblatt.learners.runs.clock import Settings
from rosenblatt.models import RunState
from rosenblatt.models.run_state import Checkpoint

__all__ = ["Keeper", "limits_left"]


class Keeper:
    """Writes the checkpoint every so many passes, at the end, and when the fit is broken off.

    Without a path it does nothing. `about` says which fit the checkpoint belongs to.
    """

    def __init__(self, path: str | os.PathLike[str] | None, every: int, about: dict[str, Any]) -> None:
        self._file = None if path is None else Checkpoint(Path(path), lambda: about)
        self._every, self._lock = every, Lock()  # classes learn side by side
        self._earlier = {} if self._file is None else self._file.load()
        self._latest = dict[int, RunState]()

    def earlier(self, k: int) -> RunState | None:
        """Where run k stood in the checkpoint; the limits are those of the fit that goes on."""
        return replace(self._earlier[k], goal=None) if k in self._earlier else None

    def note(self, run: MixedRun | BatchRun) -> None:
        """A pass has ended, or a step over all rows, which is always written."""
        if self._file is None or (isinstance(run, MixedRun) and run.clock.in_pass):  # a pass cut short is made again
            return
        assert isinstance(run.examples, ShardedExamples)
        with self._lock:
            self._latest[run.examples.k] = state = run.state()
            due = isinstance(run, BatchRun) or len(state.mistakes_per_pass) % self._every == 0
            if due or run.outcome is not None:
                self._file.save(self._earlier | self._latest)

    def write(self) -> str:
        """Write the latest states; returns a sentence for the person who was interrupted."""
        with self._lock:
            if self._file is None or not self._latest:
                return ""
            self._file.save(self._earlier | self._latest)
        passes = max(len(state.mistakes_per_pass) for state in self._latest.values())
        return f" The checkpoint {self._file.path} holds {passes} passes: the same call goes on from there."


def limits_left(settings: Settings, state: RunState | None) -> Settings:
    """The limits, less what was used up before."""
    if state is None:
        return settings
    updates = None if settings.max_updates is None else settings.max_updates - state.corrections
    return replace(settings, max_passes=settings.max_passes - state.passes, max_updates=updates)
