"""A fit of three or more classes of a table to the model's file: all classes at once, without a checkpoint."""

import time
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.learners.judged_fit import JudgedFit

__all__ = ["ClassFit"]


class ClassFit(JudgedFit):
    """One fit: its rows, its learner, its file."""

    scaling = None
    trace = None

    def run(self) -> float:
        """Learn and write the model; returns the seconds it took."""
        began = time.monotonic()
        weights = self.loaded.weights
        if self.held_out is not None:
            weights = np.where(self.held_out, 0.0, 1.0 if weights is None else weights)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the outcome says it
            self.model._fit(self.rows, self.labels(self.loaded), weights, names=self.names)
        self.write()
        return time.monotonic() - began
