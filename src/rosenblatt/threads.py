"""Work on several cores without BLAS's own threads, which wait for each other; and values kept without a lock."""

import ctypes
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from functools import cache
from threading import Lock, Thread
from typing import Any, Generic, TypeVar

from rosenblatt.context import SILENT, Context

__all__ = ["aside", "each", "end_with_parent", "in_threads", "once", "one_thread", "without_errors_output"]

Part = TypeVar("Part")
Result = TypeVar("Result")

_SIGNAL_AT_PARENTS_DEATH = 1  # PR_SET_PDEATHSIG of Linux
_PATIENCE = 0.1  # seconds between two looks at the clock
_WORTH = 1 << 17  # values of a table from which threads are faster
_lock = Lock()
_THREADS = "OPENBLAS_NUM_THREADS"  # what a BLAS that is loaded now looks at
_inside: list[Any] = []  # an entry for each call that is inside `one_thread`: the limit to lift, or None


class _Limit:
    """BLAS in one thread: NumPy's, and SciPy's own, which may be loaded while the limit holds, by whomever."""

    def __init__(self) -> None:
        self.all = "scipy.linalg" in sys.modules
        self.limited = _controller(self.all)
        self.limit = self.limited.limit(limits=1, user_api="blas")
        self.told = os.environ.get(_THREADS)
        if not self.all:
            os.environ[_THREADS] = "1"

    def lift(self) -> None:
        """As before; a BLAS that came meanwhile has the threads that NumPy's has."""
        self.limit.restore_original_limits()
        if self.all:
            return
        os.environ.pop(_THREADS)
        if self.told is not None:
            os.environ[_THREADS] = self.told
        here = {one.filepath: one for one in _blas(self.limited)}
        most = max((one.num_threads for one in here.values()), default=1)
        for one in _blas(_controller(True)) if "scipy.linalg" in sys.modules else ():
            if one.filepath not in here:
                one.set_num_threads(most)


@contextmanager
def one_thread() -> Iterator[None]:
    """Inside this context every matrix product and factorisation runs in the thread that calls it.

    The limit holds for the whole process: of several calls that run at once, the first sets it, the last lifts it.
    """
    with _lock:
        _inside.append(_Limit() if not _inside else None)
    try:
        yield
    finally:
        with _lock:
            if len(_inside) > 1:
                _inside.remove(None)
            else:
                _inside.pop().lift()


@contextmanager
def without_errors_output() -> Iterator[None]:
    """Processes that are begun in here have no standard error: one that is begun by halves would complain on it."""
    try:
        kept = os.dup(2)
    except OSError:  # it is closed
        yield
        return
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    os.close(nothing)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def end_with_parent() -> None:
    """In a process that `multiprocessing` has started: end when the one that started it does, however that ends."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    with suppress(OSError, AttributeError, TypeError):  # the kernel does it at once, where it can: Linux
        ctypes.CDLL(None).prctl(_SIGNAL_AT_PARENTS_DEATH, signal.SIGKILL)

    def watch() -> None:
        parent.join()
        os._exit(1)

    Thread(target=watch, name="ends with its parent", daemon=True).start()


@cache
def _controller(all_loaded: bool) -> Any:
    """Of the libraries that are loaded when it is first asked for; `all_loaded`: those of SciPy are among them."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _blas(controller: Any) -> Any:
    return controller.select(user_api="blas").lib_controllers


def aside(work: Callable[[], Result], context: Context = SILENT, stop: Callable[[], None] | None = None) -> Result:
    """work(), a long call of compiled code, in a thread, so that Ctrl-C and the time limit work meanwhile.

    An interrupt or the end of the time limit ends this function at once. The thread is told to `stop`, and Python does
    not exit before it has stopped; without a `stop` the thread is left to end by itself.
    """
    future = Future[Result]()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    Thread(target=run, daemon=stop is None).start()
    try:
        # not Thread.join, which takes the thread for ended when it is interrupted (before Python 3.13)
        while not wait([future], _PATIENCE).done:
            context.check()
    except BaseException:
        if stop is not None:
            stop()
        raise
    return future.result()


def in_threads(work: Callable[[Part], Result], parts: Iterable[Part]) -> Iterable[Result]:
    """work(part) for each part on all cores; the results in order, so that sums of them are the same every time."""
    jobs = list(parts)
    threads = min(len(jobs), os.cpu_count() or 1) if len(jobs) > 1 else 1
    with one_thread():
        if threads <= 1:
            yield from map(work, jobs)
            return
        with ThreadPoolExecutor(threads) as pool:
            yield from pool.map(work, jobs)


def each(work: Callable[[int], Result], coefficients: Iterable[int], size: int) -> Iterable[Result]:
    """work(j) for each coefficient of a table of `size` values, in order; the results do not depend on the cores."""
    return in_threads(work, coefficients) if size >= _WORTH else map(work, coefficients)


class once(Generic[Result]):  # noqa: N801  (it is used as `property` is)
    """A property that is computed when it is first read, and kept.

    Until Python 3.12 `functools.cached_property` has a lock that all instances share: threads that work on different
    points would wait for each other. `once` has no lock: two threads that read the same object at the same time both
    compute the value, with the same result.
    """

    def __init__(self, work: Callable[[Any], Result]) -> None:
        self.work, self.__doc__ = work, work.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: object, owner: type | None = None) -> Result:
        value: Result = self.work(instance)
        instance.__dict__[self.name] = value  # found before this descriptor from now on
        return value
