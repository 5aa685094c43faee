"""Where all runs of a fit stand after a pass, in one file: what a new cluster needs to go on, bit for bit."""

import os
from dataclasses import replace
from threading import Lock
from typing import Any

import numpy as np

from rosenblatt.distributed.mixed_run import MixedRun
from rosenblatt.learners.settings import Settings
from rosenblatt.models import RunState
from rosenblatt.models.storage import read_arrays, write_arrays

__all__ = ["Checkpoint"]

_KIND = "cluster-run/1"
_BOOKS = ("shares", "made", "mistakes_per_shard")


class Checkpoint:
    """Written every so many passes, at the end, and when the fit is broken off; `about` says of what fit."""

    def __init__(self, path: str | os.PathLike[str] | None, every: int, about: dict[str, Any]) -> None:
        self.path, self.every, self.about = path, every, about
        self._latest: dict[int, tuple[RunState, list[int], MixedRun]] = {}
        self._lock = Lock()  # classes learn side by side
        self._earlier = self._read()

    def _read(self) -> tuple[dict[str, Any], dict[str, Any]] | None:
        if self.path is None or not os.path.exists(self.path):
            return None
        arrays, metadata = read_arrays(self.path, _KIND)
        for name, value in self.about.items():
            if metadata["about"].get(name) != value:
                raise ValueError(
                    f"{self.path} is a checkpoint of another fit ({name} differs): remove it, or name another file."
                )
        return arrays, metadata

    def earlier(self, k: int) -> RunState | None:
        """Where run k stood; its limits are those of the fit that goes on."""
        if self._earlier is None or str(k) not in self._earlier[1]["runs"]:
            return None
        arrays, metadata = self._earlier
        return replace(RunState.from_parts(arrays, metadata["runs"][str(k)]["state"], f"run{k}."), goal=None)

    def left(self, settings: Settings, state: RunState | None) -> Settings:
        """The limits, less what was used up before."""
        if state is None:
            return settings
        updates = None if settings.max_updates is None else settings.max_updates - state.corrections
        return replace(settings, max_passes=settings.max_passes - state.passes, max_updates=updates)

    def restore(self, run: MixedRun) -> None:
        """Give a run its books back."""
        k = run.examples.k
        if run.earlier is None or self._earlier is None:
            return
        arrays, metadata = self._earlier
        run.quiet = list(metadata["runs"][str(k)]["quiet"])
        for name in _BOOKS:
            setattr(run, name, arrays[f"run{k}.{name}"].tolist())

    def note(self, run: MixedRun) -> None:
        """A pass has ended."""
        k = run.examples.k
        if self.path is None or run.clock.in_pass:  # a pass cut short is made again
            return
        with self._lock:
            self._latest[k] = run.state(), list(run.quiet), run
            if run.clock.passes % self.every == 0 or run.outcome is not None:
                self._write()

    def write(self) -> str:
        """Write what is known now. Returns what a person who was interrupted should know."""
        with self._lock:
            self._write()
        if not self._latest or self.path is None:
            return ""
        passes = max(state.passes for state, _, _ in self._latest.values())
        return f" The checkpoint {self.path} holds {passes} passes: the same call goes on from there."

    def _write(self) -> None:
        if self.path is None or not self._latest:
            return
        arrays, runs = dict[str, Any](), dict[str, Any]()
        for k, (state, quiet, run) in self._latest.items():
            more, description = state.to_parts(f"run{k}.")
            passes = state.passes  # the books may be a pass ahead
            books = {f"run{k}.{name}": np.array(getattr(run, name)[:passes], dtype=np.int64) for name in _BOOKS}
            arrays |= more | books
            runs[str(k)] = {"state": description, "quiet": quiet}
        write_arrays(self.path, _KIND, arrays, {"about": self.about, "runs": runs})
