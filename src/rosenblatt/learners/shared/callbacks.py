"""scikit-learn's callbacks, if it has them (1.9 and later); with an older scikit-learn, learners have no callbacks."""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Never

__all__ = ["CallbackSupportMixin", "with_callbacks"]

if TYPE_CHECKING:
    CallbackSupportMixin: Any

    def with_callbacks(fit: Callable[..., Any]) -> Callable[..., Any]:
        """Look after the callbacks of a fit."""
        ...
else:
    try:
        from sklearn.callback import CallbackSupportMixin, with_callbacks
    except ImportError:

        class _NoTask:
            """Stands for every task of a fit that nobody watches."""

            def subcontext(self, **_: Any) -> "_NoTask":
                """Begin a task within this one."""
                return self

            def call_on_fit_task_begin(self, **_: Any) -> None:
                """Tell nobody."""

            def call_on_fit_task_end(self, **_: Any) -> bool:
                """Tell nobody; nobody asks to stop."""
                return False

        class CallbackSupportMixin:
            """Refuses callbacks in a sentence."""

            def set_callbacks(self, *callbacks: Any) -> Never:
                """Refuse."""
                import sklearn

                raise RuntimeError(f"callbacks need scikit-learn 1.9 or later; this is {sklearn.__version__}.")

            def _init_callback_context(self, **_: Any) -> _NoTask:
                return _NoTask()

        def with_callbacks(fit: Callable[..., Any]) -> Callable[..., Any]:
            """Leave a fit as it is, one call deeper: warnings count the calls to name the line of the caller."""

            @wraps(fit)
            def called(*arguments: Any, **options: Any) -> Any:
                return fit(*arguments, **options)

            return called
