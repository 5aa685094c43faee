"""The run that a learner's `fit` would make on two classes, with every step recorded."""

from dataclasses import replace

import numpy as np

from rosenblatt.arrays import Floats, Signs
from rosenblatt.data.numbers import as_rows
from rosenblatt.learners.runs.examples import Examples
from rosenblatt.learners.runs.run import Run
from rosenblatt.learners.shared.online import OnlineClassifier

__all__ = ["record_run"]


def record_run(model: OnlineClassifier, X: Floats, y: Signs, names: tuple[str, ...] | None = None) -> Run:
    """Make the run to its end, with a trace, also for learners that keep no trace themselves. `y` is −1 or +1.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([-1, 1, 1, 1], dtype=np.int8)
    >>> run = record_run(rb.PassiveAggressive(order="cyclic"), X, y)
    >>> str(run.outcome), len(run.trace) == run.n_updates
    ('SEPARATED', True)
    """
    rows = as_rows(X)
    bias = model.fit_intercept
    model.classes_ = np.array([-1, 1])
    examples = Examples(rows, y, np.empty(0), bias, rows.radius_sq(bias), names=names)
    (beginning,) = model._beginnings([examples], [None])
    run = model._begin(beginning)
    assert isinstance(run, Run)
    return replace(run, settings=replace(run.settings, trace=True)).finish()
