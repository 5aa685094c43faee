"""`rosenblatt warmup`: compile everything now, so that nothing has to wait for it later."""

import time
from typing import Any

from rosenblatt.cli.exits import DONE

__all__ = ["command"]


def command() -> int:
    """Compile all learners now, so that later starts are quick.

    For example:
      rosenblatt warmup
    """
    import warnings

    import numpy as np
    from sklearn.exceptions import ConvergenceWarning

    from rosenblatt.cli.learners import make_learner
    from rosenblatt.cli.waiting import Meter
    from rosenblatt.verdicts.decision import separability

    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = np.array([-1, 1, 1, -1])
    plans = _plans(X)
    began = time.monotonic()
    with warnings.catch_warnings(), Meter("versions compiled", len(plans)) as meter:
        warnings.simplefilter("ignore", ConvergenceWarning)
        for layout, name, order in plans:
            make_learner(name, None, {"order": order.value, "max_passes": 2}).fit(layout, y)
            meter.add(1)
        separability(X, y)
        separability(X, [0, 0, 0, 1])
        _read_sparse_text()
    print(f"ready: every learner is compiled ({time.monotonic() - began:.1f} s).")
    return DONE


def _plans(X: Any) -> list[tuple[Any, Any, Any]]:
    """Every layout of the rows, with every learner and every order that has a loop of its own."""
    from itertools import product

    import numpy as np
    import scipy.sparse as sp

    from rosenblatt.cli.learners import LearnerName, Order

    layouts = [X, X.astype(np.float32), sp.csr_matrix(X), sp.csr_matrix(X.astype(np.float32))]
    learners = [name for name in LearnerName if name is not LearnerName.least_squares]
    return list(product(layouts, learners, Order))


def _read_sparse_text() -> None:
    """Compile the reader of large LIBSVM files."""
    from rosenblatt.data.libsvm import parse

    assert len(parse(b"1 1:0.5\n" * 10_000, "", 1, zero_based=False).labels) == 10_000  # fewer are read without it
