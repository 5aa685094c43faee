"""An unfinished fit in one file: all that is needed to go on, bit for bit, on one machine or on a cluster."""

from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from rosenblatt.models.run_state import RunState
from rosenblatt.models.storage import Damaged, read_arrays, write_arrays

__all__ = ["Checkpoint"]

_KIND = "checkpoint/1"
_READABLE = 120  # characters: a sentence does not show longer differences


class Checkpoint:
    """Where the runs of a fit are kept, one per class; `identity` says which fit it is: its options and its data."""

    def __init__(self, path: Path, identity: Callable[[], dict[str, Any]]) -> None:
        self.path, self._identity = path, identity

    @cached_property
    def fit(self) -> dict[str, Any]:
        """The identity; computed when it is first needed, because that may take a look at all data."""
        return self._identity()

    def save(self, states: Mapping[int, RunState]) -> None:
        """Write the states of the runs. At any moment either the old file or the new one is there."""
        arrays, metadata = dict[str, Any](), {"fit": self.fit}
        for k, state in states.items():
            more, metadata[_name(k)] = state.to_parts(f"{_name(k)}.")
            arrays |= more
        write_arrays(self.path, _KIND, arrays, metadata)

    def load(self) -> dict[int, RunState]:
        """The saved states of the runs, by number; empty if there is no file. Refuses a checkpoint of another fit."""
        if not self.path.exists():
            return {}
        arrays, metadata = read_arrays(self.path, _KIND)
        theirs = metadata["fit"] if isinstance(metadata.get("fit"), dict) else {}
        for name, value in self.fit.items():
            if theirs.get(name) != value:
                raise ValueError(
                    f"{self.path} is a checkpoint of another fit ({_difference(name, theirs.get(name), value)}): go on "
                    f"with that one, name another file, or delete this one to begin anew."
                )
        try:
            kept = [k for k in range(len(metadata)) if _name(k) in metadata]
            return {k: RunState.from_parts(arrays, metadata[_name(k)], f"{_name(k)}.") for k in kept}
        except (KeyError, TypeError, Damaged) as error:
            raise ValueError(f"{self.path} is damaged ({error}): delete it to begin anew.") from None

    def remove(self) -> None:
        """Remove the file, once the model has been written."""
        self.path.unlink(missing_ok=True)


def _name(k: int) -> str:
    """The name of run k in the file."""
    return f"run{k or ''}"


def _difference(name: str, theirs: Any, ours: Any) -> str:
    """What is different, in a few words."""
    words = f"{name} was {theirs} and is {ours} now"
    if len(words) <= _READABLE + len(name):
        return words
    return f"{name} differs" if theirs is not None else f"it does not say {name}, as those of older versions"
