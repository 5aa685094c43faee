"""A fit on its way, in one file: all that is needed to go on with it, bit for bit, on one machine or on a cluster."""

from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from rosenblatt.models.run_state import RunState
from rosenblatt.models.storage import Damaged, read_arrays, write_arrays

__all__ = ["Checkpoint"]

_KIND = "checkpoint/1"
_READABLE = 120  # characters of a difference that a sentence shows


class Checkpoint:
    """Where the runs of a fit are kept, one per class; `identity` says which fit it is: its options and its data."""

    def __init__(self, path: Path, identity: Callable[[], dict[str, Any]]) -> None:
        self.path, self._identity = path, identity

    @cached_property
    def fit(self) -> dict[str, Any]:
        """Worked out when it is first needed, since all data may be looked at for it."""
        return self._identity()

    def save(self, states: Mapping[int, RunState]) -> None:
        """Write where the runs stand; the old file or the new is there at any moment."""
        arrays, metadata = dict[str, Any](), {"fit": self.fit}
        for k, state in states.items():
            more, metadata[_name(k)] = state.to_parts(f"{_name(k)}.")
            arrays |= more
        write_arrays(self.path, _KIND, arrays, metadata)

    def load(self) -> dict[int, RunState]:
        """The saved states of the runs; none where there is no file. Refuses the checkpoint of another fit."""
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
        """The model is there: nothing is left to resume."""
        self.path.unlink(missing_ok=True)


def _name(k: int) -> str:
    """What run k is called in the file."""
    return f"run{k or ''}"


def _difference(name: str, theirs: Any, ours: Any) -> str:
    """What is different, in a few words."""
    told = f"{name} was {theirs} and is {ours} now"
    return told if len(told) <= _READABLE + len(name) else f"{name} differs"
