"""A fit of a table on a cluster, which writes the same files as a fit on this machine."""

import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.data.tables import Table
from rosenblatt.distributed.prediction import blocks
from rosenblatt.distributed.training import fit_coded
from rosenblatt.learners.runs.progress import Interrupted
from rosenblatt.learners.shared.table_fit import Judged, TableFit, written_labels

__all__ = ["ShardedTableFit"]


class ShardedTableFit(TableFit):
    """A `TableFit` whose rows are in shards; `loaded` may have only their labels."""

    def __init__(
        self, loaded: Table, shards: list[Any], client: Any, model: Any, output: Path, validation: Table | None
    ) -> None:
        super().__init__(loaded, model, output, validation)
        self.shards, self.client = shards, client

    def run_on_shards(self) -> float:
        """Learn, or go on learning, and write the model; returns the seconds it took."""
        began = time.monotonic()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the outcome says it
            try:
                classes = written_labels(self.loaded.classes)
                fit_coded(self.model, self.shards, self.client, classes, self.checkpoint.path)
            except KeyboardInterrupt:
                if not self.checkpoint.path.exists():  # not one pass was made
                    raise
                raise Interrupted(self.checkpoint.path) from None
        seconds = time.monotonic() - began
        self.model.__dict__.pop("feature_names_in_", None)  # the encoding has them
        self._write_all()
        return seconds

    def judge_training(self) -> Judged:
        """How the model does on the rows it learned from, worked out by the workers."""
        said = np.concatenate(list(blocks(self.model, self.shards, self.client)))
        mistaken = said != self.labels(self.loaded)
        return Judged(len(mistaken), int(np.count_nonzero(mistaken)))
