"""`rosenblatt warmup`: compile everything now, so that nothing has to wait for it later."""

import time
from typing import Any

import rosenblatt as rb
from rosenblatt.cli.output import DONE

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
    from rosenblatt.cli.waiting import counting
    from rosenblatt.data.libsvm import parse

    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = np.array([-1, 1, 1, -1])
    plans = _plans(X)
    began = time.monotonic()
    with warnings.catch_warnings(), counting("versions compiled", len(plans)) as progress:
        warnings.simplefilter("ignore", ConvergenceWarning)
        for done, (layout, name, order) in enumerate(plans, 1):
            make_learner(name, None, {"order": order.value, "max_passes": 2}).fit(layout, y)
            progress(done)
        rb.separability(X, y)
        rb.separability(X, [0, 0, 0, 1])
        text = b"1 1:0.5\n" * 10_000  # fewer rows of LIBSVM text are read without the compiled reader
        assert len(parse(text, "", 1, zero_based=False).labels) == 10_000
    print(f"ready: every learner is compiled ({time.monotonic() - began:.1f} s).")
    return DONE


def _plans(X: Any) -> list[tuple[Any, Any, Any]]:
    """Every layout of the rows, with every learner and every order that has a loop of its own."""
    from itertools import product

    import numpy as np
    import scipy.sparse as sp

    from rosenblatt.cli.learners import LearnerName, Order

    layouts = [X, X.astype(np.float32), sp.csr_matrix(X), sp.csr_matrix(X.astype(np.float32))]
    learners = [name for name in LearnerName if name != "least-squares"]
    return list(product(layouts, learners, Order))
