"""An equaliser that teaches itself: after the training it takes its own decisions for what was sent."""

from typing import Any

import numpy as np

from rosenblatt.filters.machinery.inputs import as_numbers, delay_line, refuse_nonfinite, taps_fit
from rosenblatt.filters.machinery.online import OnlineFilter
from rosenblatt.filters.nlms import NLMS
from rosenblatt.filters.uses.tasks import Filtered, delayed

__all__ = ["decision_directed"]


def decision_directed(
    received: Any,
    training: Any,
    symbols: Any,
    filter: OnlineFilter | None = None,  # noqa: A002
    *,
    delay: int = 0,
) -> Filtered:
    """Equalize with a training signal first, then with decisions: the symbol nearest to the output is the desired one.

    As long as most decisions are right, the filter follows a channel that changes, and nobody tells it what was sent.

    Parameters
    ----------
    received : array of n samples
        What came through the channel.
    training : array of m samples, m < n
        What went in at the beginning.
    symbols : array
        The values that a sent sample can have.
    filter : LMS, NLMS, RLS, …, default NLMS(taps=32)
        Learns, and goes on from what it has learned so far.
    delay : int, default 0
        The output may come that many samples late: d(n) = training(n − delay), as in `equalize`.

    Returns
    -------
    Filtered
        `.y` is the channel undone, `.d` the training and then the decisions.

    Examples
    --------
    >>> import numpy as np, rosenblatt as rb
    >>> rng = np.random.default_rng(0)
    >>> steps = [-3.0, -1.0, 1.0, 3.0]
    >>> sent = rng.choice(steps, size=6000)
    >>> received = sent + np.linspace(0.0, 0.6, 6000) * np.append(0.0, sent[:-1])      # an echo that grows
    >>> trained = rb.filters.equalize(received[:500], sent[:500], rb.filters.NLMS(taps=8)).filter
    >>> alone = trained.predict(rb.filters.delay_line(received, 8))                    # what the training is worth
    >>> wrong = lambda y: int(sum(min(steps, key=lambda s: abs(s - v)) != t for v, t in zip(y[500:], sent[500:])))
    >>> found = rb.filters.decision_directed(received, sent[:500], steps, rb.filters.NLMS(taps=8))
    >>> wrong(alone) > 500, wrong(found.y)
    (True, 0)
    """
    received, training = as_numbers(received, "received"), as_numbers(training, "training")
    values = as_numbers(symbols, "symbols")
    learner = NLMS(taps=32) if filter is None else filter
    if not isinstance(learner, OnlineFilter):
        raise TypeError(f"decisions are made sample by sample; {type(learner).__name__} does not learn that way.")
    if received.ndim != 1 or training.ndim != 1 or values.ndim != 1 or not values.size:
        raise ValueError("received, training and symbols must be 1-D, and there must be symbols.")
    for one, name in ((received, "received"), (training, "training"), (values, "symbols")):
        refuse_nonfinite(one, name)
    taps_fit(learner.taps, len(received), "received")
    wanted = np.zeros(len(received), dtype=np.result_type(received, training, values, np.float64))
    m = min(len(training), len(wanted))
    wanted[:m] = training[:m]
    wanted = delayed(wanted, delay, "delay", 0)
    known = min(m + delay, len(wanted))
    X, y = delay_line(received.astype(wanted.dtype), learner.taps), np.zeros_like(wanted)
    y[:known] = learner.run(X[:known], wanted[:known]).y
    for n in range(known, len(wanted)):
        x = np.ascontiguousarray(X[n])
        y[n] = learner.predict(x)
        wanted[n] = values[np.argmin(np.abs(values - y[n]))]
        learner.adapt(x, wanted[n])
    return Filtered("equalize", learner, wanted, y, wanted - y, learner.w_.copy())
