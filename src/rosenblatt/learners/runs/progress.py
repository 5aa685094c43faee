"""scikit-learn's callbacks: one task per pass, under one task per class where there are several."""

from collections.abc import Callable
from typing import Any

__all__ = ["Looking", "Progress", "Watch"]

Watch = Callable[[Any], None]  # is called with the run between compiled calls; an exception that it raises ends the fit


class Progress:
    """Tells the callbacks set with `set_callbacks` about passes, and shows `look` a run between compiled calls."""

    def __init__(
        self,
        estimator: Any,
        runs: int,
        passes: int,
        X: Any,
        y: Any,
        sample_weight: Any = None,
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
