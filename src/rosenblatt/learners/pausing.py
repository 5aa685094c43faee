"""Fits that somebody watches, who may save them on the way and go on later as if nothing had happened."""

from typing import Any

from rosenblatt.learners.progress import Watch
from rosenblatt.models import RunState

__all__ = ["fit_watched"]


def fit_watched(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    watch: Watch,
    interrupted: RunState | None = None,
    names: list[str] | None = None,
) -> Any:
    """Fit two classes while `watch(run)` looks on, about twenty times a second; `run.state()` may be kept.

    What `watch` raises ends the fit. Called again on the same data with the kept state as `interrupted`, the fit goes
    on to the same limits, and ends with the model of an undisturbed fit, bit for bit. `names` are what sentences call
    the columns of an X that has none of its own.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> states = []
    >>> def stop(run):
    ...     states.append(run.state())
    ...     raise InterruptedError
    >>> X, y = rb.datasets.sonar()
    >>> model = rb.Perceptron(order="shuffled", random_state=0, max_passes=1_000_000)
    >>> try:
    ...     fit_watched(model, X, y, watch=stop)
    ... except InterruptedError:
    ...     print(len(states))
    1
    >>> fit_watched(model, X, y, watch=lambda run: None, interrupted=states[0]).outcome_
    <SEPARATED: all 208 examples are on their side after 1,449,584 corrections.>
    """
    return model._fit(X, y, sample_weight, watch, interrupted, names)
