"""`rosenblatt warmup`: compile everything now, so that nothing has to wait for it later."""

import time

from rosenblatt.cli.exits import DONE

__all__ = ["command"]


def command() -> int:
    """Compile all learners now, so that later starts are quick.

    For example:
      rosenblatt warmup
    """
    import warnings
    from itertools import product

    import numpy as np
    import scipy.sparse as sp
    from sklearn.exceptions import ConvergenceWarning

    from rosenblatt.cli.learners import LearnerName, Order, make_learner
    from rosenblatt.cli.waiting import Meter
    from rosenblatt.verdicts.decision import separability

    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = np.array([-1, 1, 1, -1])
    layouts = [X, X.astype(np.float32), sp.csr_matrix(X), sp.csr_matrix(X.astype(np.float32))]
    learners = [name for name in LearnerName if name is not LearnerName.least_squares]
    plans = list(product(layouts, learners, Order))
    began = time.monotonic()
    with warnings.catch_warnings(), Meter("compiling", len(plans)) as meter:
        warnings.simplefilter("ignore", ConvergenceWarning)
        for layout, name, order in plans:
            make_learner(name, None, {"order": order.value, "max_passes": 2}).fit(layout, y)
            meter.add(1)
        separability(X, y)
        separability(X, [0, 0, 0, 1])
    print(f"ready: every learner is compiled ({time.monotonic() - began:.1f} s).")
    return DONE
