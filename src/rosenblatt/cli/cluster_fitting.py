"""A fit on a cluster, with the files of one on this machine."""

import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.cli.clusters import Spread
from rosenblatt.cli.fitting import Fitted, Fitting, Judged
from rosenblatt.cli.waiting import waiting
from rosenblatt.cli.watching import Interrupted
from rosenblatt.distributed import fit
from rosenblatt.distributed.prediction import blocks

__all__ = ["ClusterFitting"]


class ClusterFitting(Fitting):
    """The same data, learner and files; the rows are in shards, and the checkpoint is that of a cluster's run."""

    def __init__(
        self, spread: Spread, model: Any, learner: str, output: Path, validation: str | None, client: Any
    ) -> None:
        super().__init__(spread.loaded, model, learner, output, validation, trace=None)
        self.shards, self.client = spread.shards, client
        if self.held_out is not None:
            raise ValueError(f"--validation {validation}: with --cluster, name a table to judge the model on.")

    def run_on_shards(self, resume: bool) -> Fitted:
        """Learn, or go on learning, and write the model."""
        resumed = self._may_begin(resume)
        began = time.monotonic()
        shards = f"{len(self.shards)} shard{'' if len(self.shards) == 1 else 's'}"
        with waiting(f"learning on {shards}"), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the outcome says it
            self._learn()
        seconds = time.monotonic() - began
        self.model.__dict__.pop("feature_names_in_", None)  # the encoding has them
        self._write()
        return Fitted(self, seconds, resumed, self._judge_training(), self._judge_validation())

    def _learn(self) -> None:
        try:
            fit(self.model, self.shards, None, self.client, checkpoint=self.checkpoint.path)
        except KeyboardInterrupt:
            if not self.checkpoint.path.exists():  # not one pass was made
                raise
            raise Interrupted(self.checkpoint.path) from None

    def _judge_training(self) -> Judged:
        with waiting("judging the model"):
            said = np.concatenate(list(blocks(self.model, self.shards, self.client)))
        mistaken = (said == self.model.classes_[1]) != (self.loaded.signs > 0)
        return Judged(len(mistaken), int(np.count_nonzero(mistaken)))
