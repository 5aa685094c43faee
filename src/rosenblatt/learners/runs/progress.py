"""Fits that can be watched, saved on the way, stopped, and continued later as if they had not been stopped.

scikit-learn's callbacks see one task per pass, under one task per class where there are several.
"""

import signal
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from rosenblatt.data.numbers import Rows
from rosenblatt.models import RunState
from rosenblatt.models.run_state import Checkpoint

if TYPE_CHECKING:
    from rosenblatt.learners.runs.run import Run
    from rosenblatt.learners.runs.steps import BatchRun
    from rosenblatt.learners.shared.classifier import Classifier

__all__ = ["Interrupted", "Looking", "Progress", "Watch", "Watcher", "fit_watched"]

# is called with the run between compiled calls; an exception that it raises ends the fit
Watch = Callable[[Any], None]


class Progress:
    """Tells the callbacks set with `set_callbacks` about passes, and shows `look` a run between compiled calls."""

    def __init__(
        self,
        estimator: "Classifier",
        runs: int,
        passes: int,
        X: object,
        y: object,
        sample_weight: object = None,
        look: Watch | None = None,
    ) -> None:
        self.watched = bool(getattr(estimator, "_skl_callbacks", []))
        self.look: Watch = look or (lambda run: None)
        self.nested, self.passes = runs > 1, passes
        metadata = None if sample_weight is None else {"sample_weight": sample_weight}
        self.arguments = {"estimator": estimator, "X": X, "y": y, "metadata": metadata}
        self.context: Any = estimator._init_callback_context(max_subtasks=runs if self.nested else passes)
        self.context.call_on_fit_task_begin(**self.arguments)
        self._run: Any = self.context
        self._pass: Any = None  # the pass that has begun and not ended

    def begin_run(self) -> None:
        """The run of a class begins."""
        if self.nested:
            self._run = self.context.subcontext(task_name="class against the rest", max_subtasks=self.passes)
            self._run.call_on_fit_task_begin(**self.arguments)

    def begin_pass(self) -> None:
        """A pass begins, or one that was cut short goes on."""
        if self.watched and self._pass is None:
            self._pass = self._run.subcontext(task_name="pass")
            self._pass.call_on_fit_task_begin(**self.arguments)

    def end_pass(self, attributes: Callable[[], dict[str, Any]]) -> bool:
        """A pass has ended; returns whether a callback asks to stop. `attributes` describe the model as it is now."""
        if not self.watched:
            return False
        context, self._pass = self._pass, None
        ready = None if self.nested else attributes
        return bool(context.call_on_fit_task_end(**self.arguments, reconstruction_attributes=ready))

    def end_run(self) -> None:
        """The run of a class has ended."""
        if self.nested:
            self._run.call_on_fit_task_end(**self.arguments)

    def close(self) -> None:
        """The fit has ended."""
        self.context.call_on_fit_task_end(**self.arguments, reconstruction_attributes={})


class Looking(Progress):
    """Shows `look` a run that belongs to no estimator: it has no callbacks."""

    def __init__(self, look: Watch) -> None:
        self.watched, self.nested, self.look = False, False, look


_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def fit_watched(
    model: "Classifier",
    X: Any,
    y: Any,
    sample_weight: npt.ArrayLike | None = None,
    *,
    watch: Watch,
    interrupted: RunState | None = None,
    names: list[str] | None = None,
    written: Rows | None = None,
) -> "Classifier":
    """Fit two classes while `watch(run)` looks on, about twenty times a second; `run.state()` may be kept.

    What `watch` raises ends the fit. Called again on the same data with the kept state as `interrupted`, the fit goes
    on to the same limits, and ends with the model of an undisturbed fit, bit for bit. `names` are what sentences call
    the columns of an X that has none of its own; `written` (`Rows`) is X as its numbers were written.

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
    fitted: Classifier = model._fit(X, y, sample_weight, watch, interrupted, names, written)
    return fitted


class Interrupted(Exception):
    """The fit was stopped by Ctrl-C or SIGTERM, and saved."""

    def __init__(self, checkpoint: Path) -> None:
        super().__init__(f"{checkpoint} has the fit so far")
        self.checkpoint = checkpoint


class Watcher:
    """Called with the run about twenty times a second: saves it every so many seconds, and passes it on to `show`.

    A signal (Ctrl-C, SIGTERM) only sets a flag, so no correction is cut in two; the next call saves and stops.
    """

    asked_to_stop = False

    def __init__(self, checkpoint: Checkpoint, every: float, show: Watch) -> None:
        self.checkpoint, self.every, self.show = checkpoint, every, show
        self._saved = time.monotonic()
        self._handlers: list[Any] = []

    def __enter__(self) -> "Watcher":
        self._handlers = [signal.signal(one, self._stop) for one in _SIGNALS]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for one, handler in zip(_SIGNALS, self._handlers, strict=True):
            signal.signal(one, handler)

    def _stop(self, signum: int, frame: FrameType | None) -> None:
        if self.asked_to_stop:  # the second Ctrl-C: stop without saving
            raise KeyboardInterrupt
        self.asked_to_stop = True

    def __call__(self, run: "Run | BatchRun") -> None:
        """Look at the run."""
        if self.asked_to_stop and not run.resumable:
            raise KeyboardInterrupt
        if self.asked_to_stop or (run.resumable and time.monotonic() - self._saved >= self.every):
            self.checkpoint.save({0: run.state()})
            self._saved = time.monotonic()
        if self.asked_to_stop:
            raise Interrupted(self.checkpoint.path)
        self.show(run)
