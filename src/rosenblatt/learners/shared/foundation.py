"""What learners take over from scikit-learn, with types: its classes have none, and its callbacks came with 1.9.

And one warning for each fit that did not end well; in a grid search, one for each kind of end.
"""

import sys
import warnings
from collections.abc import Callable
from functools import wraps
from multiprocessing import parent_process
from types import FrameType
from typing import TYPE_CHECKING, Any, Never, Self
from weakref import WeakKeyDictionary

import numpy.typing as npt
from joblib import Parallel
from sklearn.exceptions import ConvergenceWarning

__all__ = ["Estimator", "warn_of_end", "with_callbacks"]

if TYPE_CHECKING:

    class Estimator:
        """scikit-learn's classifier, as far as learners and their callers look at it."""

        n_features_in_: int

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            """Parameters by name."""
            ...

        def set_params(self, **parameters: object) -> Self:
            """Set parameters by name."""
            ...

        def score(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> float:
            """The part of the rows that `predict` answers rightly."""
            ...

        def set_callbacks(self, *callbacks: object) -> Self:
            """Have these told about passes."""
            ...

        @classmethod
        def _get_param_names(cls) -> list[str]: ...
        def _validate_params(self) -> None: ...
        def _init_callback_context(self, **options: object) -> Any: ...
        def _repr_html_inner(self) -> str: ...
        def _repr_mimebundle_(self, **options: object) -> dict[str, Any]: ...
        def __sklearn_tags__(self) -> Any: ...

    def with_callbacks(fit: Callable[..., Any]) -> Callable[..., Any]:
        """Look after the callbacks of a fit."""
        ...
else:
    from sklearn.base import BaseEstimator, ClassifierMixin

    try:
        from sklearn.callback import CallbackSupportMixin, with_callbacks
    except ImportError:

        class _NoTask:
            """Stands for every task of a fit that nobody watches."""

            def subcontext(self, **_: object) -> "_NoTask":
                """Begin a task within this one."""
                return self

            def call_on_fit_task_begin(self, **_: object) -> None:
                """Tell nobody."""

            def call_on_fit_task_end(self, **_: object) -> bool:
                """Tell nobody; nobody asks to stop."""
                return False

        class CallbackSupportMixin:
            """Refuses callbacks in a sentence."""

            def set_callbacks(self, *callbacks: object) -> Never:
                """Refuse."""
                import sklearn

                raise RuntimeError(f"callbacks need scikit-learn 1.9 or later; this is {sklearn.__version__}.")

            def _init_callback_context(self, **_: object) -> _NoTask:
                return _NoTask()

        def with_callbacks(fit: Callable[..., Any]) -> Callable[..., Any]:
            """Leave a fit as it is, one call deeper: warnings count the calls to name the line of the caller."""

            @wraps(fit)
            def called(*arguments: object, **options: object) -> Any:
                return fit(*arguments, **options)

            return called

    class Estimator(CallbackSupportMixin, ClassifierMixin, BaseEstimator):
        """scikit-learn's classifier."""


class _Process:
    """Stands for all fits that a worker process makes for others."""


_SAID: WeakKeyDictionary[Any, set[tuple[str, str]]] = WeakKeyDictionary()
_WORKER = _Process()


def warn_of_end(sentence: str, kind: tuple[str, str], stacklevel: int) -> None:
    """Warn, unless this call of joblib's `Parallel`, or this worker of one, has warned of the same kind.

    A grid search or a cross-validation makes its fits there, often hundreds. Their warnings differ in their numbers, so
    Python's own filters would show them all. The sentence is true of the one fit that it is about.
    """
    caller = _caller()
    if caller is not None:
        said = _SAID.setdefault(caller, set())
        if kind in said:
            return
        said.add(kind)
        sentence = f"{sentence} (Other fits of this search may have ended like this; they are not told one by one.)"
    warnings.warn(sentence, ConvergenceWarning, stacklevel=stacklevel + 1)


def _caller() -> Any:
    """The outermost `Parallel` that this fit is part of, or the worker process that it runs in; None where neither."""
    frame: FrameType | None = sys._getframe(1)
    found, in_batch = None, False
    while frame is not None:
        if frame.f_globals.get("__name__") == "joblib.parallel" and frame.f_code.co_name == "__call__":
            whose = frame.f_locals.get("self")
            found, in_batch = whose if isinstance(whose, Parallel) else found, True
        frame = frame.f_back
    return _WORKER if found is None and in_batch and parent_process() is not None else found
