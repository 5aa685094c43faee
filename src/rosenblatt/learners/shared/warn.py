"""Warnings of fits that did not end well: one for each fit; in a grid search, one for each kind of end."""

import sys
import warnings
from multiprocessing import parent_process
from types import FrameType
from typing import Any
from weakref import WeakKeyDictionary

from joblib import Parallel
from sklearn.exceptions import ConvergenceWarning

__all__ = ["warn_of_end"]


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
