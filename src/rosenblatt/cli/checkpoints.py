"""A fit on its way, in a file beside the model it will become."""

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

from rosenblatt.data.files import is_stream
from rosenblatt.models.run_state import RunState
from rosenblatt.models.storage import read_arrays, write_arrays

__all__ = ["Checkpoint"]

_KIND = "checkpoint/1"
_PREFIX = "run."


class Checkpoint:
    """Where a fit is kept while it runs; `identity` says which one it is: its options and its data."""

    def __init__(self, model: Path, identity: Callable[[], dict[str, Any]]) -> None:
        beside = Path("model") if is_stream(model) else model  # nothing can stand beside a device
        self.path = beside.with_name(beside.name + ".checkpoint")
        self._identity = identity

    @cached_property
    def fit(self) -> dict[str, Any]:
        """Worked out when it is first needed, since all data are looked at for it."""
        return self._identity()

    def save(self, run: Any) -> None:
        """Write where the run stands; the old file or the new is there at any moment."""
        arrays, metadata = run.state().to_parts(_PREFIX)
        write_arrays(self.path, _KIND, arrays, {"fit": self.fit, "run": metadata})

    def load(self) -> RunState | None:
        """Where the run stood, None if nobody wrote that down; refuses the checkpoint of another fit."""
        if not self.path.exists():
            return None
        arrays, metadata = read_arrays(self.path, _KIND)
        theirs = metadata.get("fit", {})
        for name, value in self.fit.items():
            if theirs.get(name) != value:
                raise ValueError(
                    f"{self.path} is of another fit: {name} was {theirs.get(name)} and is {value} now. Give the same "
                    f"command as before, or delete the file to begin anew."
                )
        try:
            return RunState.from_parts(arrays, metadata["run"], _PREFIX)
        except (KeyError, TypeError) as error:
            raise ValueError(f"{self.path} is damaged ({error}): delete it to begin anew.") from None

    def remove(self) -> None:
        """The model is there: nothing is left to resume."""
        self.path.unlink(missing_ok=True)
