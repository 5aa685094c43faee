"""A Dask cluster as a place of blocks: how it is reached, whether workers run the same code, how it fails; logs."""

import asyncio
import concurrent.futures
import ctypes
import logging
import os
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from rosenblatt.blocks.blocks import Here, Question, Site
from rosenblatt.blocks.dealing import OneClassWarning
from rosenblatt.context import SILENT, Context

if TYPE_CHECKING:
    import dask.array as da

__all__ = [
    "Cluster",
    "NoWorkersWarning",
    "Patience",
    "connect",
    "deaf_children",
    "only_our_sentences",
    "reach",
    "speaking_plainly",
]

try:
    import dask
    import dask.config
    from dask.utils import funcname
    from distributed.comm import CommClosedError

    from distributed import Client, KilledWorker, LocalCluster
except ImportError as missing:
    raise ImportError(
        f"rosenblatt.distributed needs Dask, and {missing.name} is not installed: pip install 'rosenblatt[dask]'."
    ) from missing


# The bits of a result depend on these alone.
_PACKAGES = ("rosenblatt", "numpy", "numba")
_LOOK = 1.0  # seconds between two looks at whether there are workers
_DEFAULTS = ("scheduler", "shuffle")  # keys of Dask's configuration that a new client sets
_STARTS = 3  # of a cluster on this machine, whose processes may die before they answer
_TIMEOUT = "rosenblatt.workers-timeout"  # a key of Dask's configuration: how long work waits for new workers
_DEFAULT = "5 minutes"
_KEPT = ((-3, 1 << 25), (-1, 1 << 28))  # glibc's M_MMAP_THRESHOLD and M_TRIM_THRESHOLD, in bytes
_MUCH = 1 << 20  # bytes for all shards together: a larger message goes once to each worker, not with each task


def connect(cluster: str, workers: int | None = None, timeout: float = 10.0) -> Client:
    """A client of the cluster at an address, or of a new cluster on this machine.

    Parameters
    ----------
    cluster : str
        "local": one worker process per core, gone when the client is closed. Otherwise the scheduler's address,
        "tcp://10.0.0.7:8786", or the path of a scheduler file.
    workers : int, optional
        How many processes "local" starts.
    timeout : float
        Seconds to wait for a scheduler's answer.

    Examples
    --------
    >>> with connect("local", workers=1) as client:
    ...     client.submit(sum, [1, 2]).result()
    3
    """
    if cluster == "local":
        return _connect_here(workers)
    before = {key: dask.config.config[key] for key in _DEFAULTS if key in dask.config.config}
    try:
        if os.path.isfile(cluster):
            return Client(scheduler_file=cluster, timeout=timeout)
        return Client(cluster, timeout=timeout)
    except (OSError, TimeoutError, ValueError) as why:
        # a client that reaches nobody leaves Dask without a scheduler: all later work of this process would fail
        for key in _DEFAULTS:
            dask.config.config.pop(key, None)
        dask.config.config.update(before)
        raise ConnectionError(
            f"no Dask scheduler answers at {cluster!r} ({type(why).__name__}): give its address, such as "
            f"tcp://10.0.0.7:8786, the path of its scheduler file, or 'local'."
        ) from None


class _ClientWithCluster(Client):  # type: ignore[misc]
    """A client whose cluster ends with it."""

    def close(self, *arguments: object, **options: object) -> None:
        super().close(*arguments, **options)
        self.cluster.close()


def _connect_here(workers: int | None) -> Client:
    """A client of new processes on this machine; if one dies while it starts, all are started again."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    options = {"n_workers": workers or cores, "threads_per_worker": 1, "processes": True}
    for _ in range(_STARTS):
        try:
            # the cluster before its client: if it fails it clears up after itself, a client would not
            return _ClientWithCluster(LocalCluster(**options, dashboard_address=":0"))  # any free port
        except RuntimeError as error:
            why = error
    raise ConnectionError(
        f"worker processes on this machine died while they started, {_STARTS} times in turn ({why}): it may be "
        f"short of memory; try fewer workers."
    ) from why


def reach(client: "Client | Site | str | None") -> Site:
    """Where the work is done: by the client given, or Dask's current one, or "here"; other code is refused."""
    if isinstance(client, Site):
        return client
    if client == "here":
        return Here()
    if client is None:
        try:
            client = Client.current()
        except ValueError:
            raise ValueError("there is no Dask client: pass one, or rosenblatt.distributed.connect('local').") from None
    if isinstance(client, str):
        raise TypeError(
            f"client is the text {client!r}: pass rosenblatt.distributed.connect({client!r}), and close it."
        )
    if getattr(client, "status", "") == "closed":
        raise ValueError("the Dask client is closed: make another, with rosenblatt.distributed.connect('local').")
    _refuse_other_versions(client)
    return Cluster(client)


def _refuse_other_versions(client: Client) -> None:
    names = _PACKAGES

    def versions() -> dict[str, str | None]:  # travels by value: a worker without rosenblatt can answer too
        from importlib import import_module

        found: dict[str, str | None] = {}
        for name in names:
            try:
                found[name] = import_module(name).__version__
            except ImportError:
                found[name] = None
        return found

    here = versions()
    for worker, there in _ask_workers(client, versions).items():
        for name in names:
            if there[name] != here[name]:
                has = f"has {name} {there[name]}" if there[name] else f"has no {name}"
                raise RuntimeError(
                    f"worker {worker} {has}, this process {here[name]}: install the same version everywhere "
                    f"(pip install {name}=={here[name]}), or the bits of the result would depend on the worker."
                )


def _ask_workers(client: Client, question: Callable[[], Any]) -> dict[str, Any]:
    """The answer of every worker. A worker that dies meanwhile is left out; without any, new workers are waited for."""
    where = "asking the workers for their versions"
    patience = Patience(client, where)
    while True:
        with speaking_plainly(where):
            said = client.run(question, on_error="return")
        failed = {worker: why for worker, why in said.items() if isinstance(why, Exception)}
        if failed:
            present = client.nthreads()
            for worker, why in failed.items():
                if worker in present and not isinstance(why, CommClosedError):
                    raise RuntimeError(f"worker {worker} does not answer ({type(why).__name__}: {why}).") from why
        if len(said) > len(failed):
            return {worker: answer for worker, answer in said.items() if worker not in failed}
        patience.look("none has answered")
        time.sleep(_LOOK)


@cache
def _keep_freed_memory() -> None:
    """Keep some memory that was freed, for the arrays to come: asking the system for each takes longer than the work.

    Dask has its workers give all of it back at once.
    """
    if "MALLOC_TRIM_THRESHOLD_" in os.environ:
        with suppress(OSError, AttributeError):  # the C library is another than glibc
            for parameter, value in _KEPT:
                ctypes.CDLL(None).mallopt(parameter, value)


def _answered(question: Question, *arguments: Any, **options: Any) -> Any:
    """The answer to a question, where the block is."""
    _keep_freed_memory()
    return question(*arguments, **options)


@dataclass(frozen=True)
class Cluster(Site):
    """The workers of a Dask cluster: parts are futures."""

    client: Client

    def make(self, recipes: Sequence[Any]) -> list[Any]:
        """Futures of the values; Dask makes them again where a worker is lost."""
        return list(self.client.compute(list(recipes)))

    def put(
        self, where: str, question: Question, parts: Sequence[Any], *each: Sequence[Any], **common: object
    ) -> list[Any]:
        """Futures of the answers; each is worked out where its block is."""
        with speaking_plainly(where):
            shared = {
                name: self.client.submit(_same, value, pure=False)
                if int(getattr(value, "nbytes", 0)) * len(parts) > _MUCH
                else value
                for name, value in common.items()
            }
            answered = partial(_answered, question)  # the dashboard shows the question's name
            return list(self.client.map(answered, parts, *each, key=funcname(question), pure=False, **shared))

    def bring(self, parts: Sequence[Any], where: str, context: Context = SILENT, one: str = "shard") -> list[Any]:
        """The futures' results. While there are no workers, new ones are waited for as long as `Patience` allows."""
        futures, patience = list(parts), Patience(self.client, where)
        with speaking_plainly(where):
            task = asyncio.run_coroutine_threadsafe(_gather(self.client, futures), self.client.loop.asyncio_loop)
            try:
                while not concurrent.futures.wait([task], timeout=_LOOK).done:
                    context.seen(len(futures) - _unfinished(futures))
                    if patience.look(_waiting(futures, one)):
                        _refuse_other_versions(self.client)  # workers that came later have not been asked yet
                context.seen(len(futures))
                return task.result()
            finally:
                task.cancel()  # has no effect on a task that has ended

    def keep(self, array: "da.Array") -> Any:
        """The array, whose values are on the workers or on their way there."""
        return self.client.persist(array)


def _same(value: object) -> Any:
    return value


async def _gather(client: Client, futures: list[Any]) -> list[Any]:
    return list(await client.gather(futures, asynchronous=True))


def _unfinished(futures: list[Any]) -> int:
    return sum(future.status != "finished" for future in futures)


def _waiting(futures: list[Any], one: str) -> str:
    left = _unfinished(futures)
    return f"{left} of {len(futures)} {one}{'' if len(futures) == 1 else 's'} wait{'s' if left == 1 else ''}"


@contextmanager
def speaking_plainly(where: str) -> Iterator[None]:
    """What Dask raises when the cluster fails, in one sentence."""
    try:
        yield
    except KilledWorker as why:
        raise RuntimeError(
            f"{where}: one shard brought down {why.allowed_failures + 1} workers in turn, most likely for want of "
            f"memory: cut the data into more, smaller shards, or give the workers more memory."
        ) from why
    except (CancelledError, CommClosedError, TimeoutError) as why:
        raise ConnectionError(f"{where}: the cluster went away ({type(why).__name__}).") from why


class NoWorkersWarning(UserWarning):
    """The cluster has no workers, and work waits for new ones."""


class Patience:
    """Watches one wait: warns once that there are no workers, and gives up when none came in time."""

    def __init__(self, client: Client, where: str) -> None:
        self._client, self._where = client, where
        self._alone_since: float | None = None

    def look(self, waits: str) -> bool:
        """Count the workers; `waits` says what waits for them. True where there were none, and there are some again."""
        try:
            workers = self._client.nthreads()
        except OSError:  # the scheduler is busy or gone: the wait for the answers will report that
            return False
        if workers:
            returned, self._alone_since = self._alone_since is not None, None
            return returned
        limit, now = _longest_wait(), time.monotonic()
        if self._alone_since is None:
            self._alone_since = now
            warnings.warn(
                f"{self._where}: the cluster has no workers, and {waits}: new workers have {limit:g} s to come.",
                NoWorkersWarning,
                stacklevel=2,
            )
        elif now - self._alone_since > limit:
            raise ConnectionError(
                f"{self._where}: the cluster has no workers, {waits}, and no worker came in {limit:g} s: start some "
                f"with `dask worker`, and run this again."
            )
        return False


def _longest_wait() -> float:
    """Seconds without any worker."""
    return float(dask.utils.parse_timedelta(dask.config.get(_TIMEOUT, _DEFAULT)))


# ---------------------------------------------------------------------------------------------------------------- quiet


_OURS = (NoWorkersWarning, OneClassWarning)
# loggers that have a level of their own, which that of their parent does not change
_LOGGERS = ("distributed", "distributed.client", "distributed.gc", "asyncio", "tornado", "tornado.application")


@contextmanager
def only_our_sentences(note: Callable[[str], None]) -> Iterator[None]:
    """Silence Dask's loggers and the standard error of its processes; our own warnings go to `note`."""
    for name in () if os.environ.get("ROSENBLATT_TRACEBACK") else _LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    usual = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if issubclass(category, _OURS):
            note(str(message))
        else:
            usual(message, category, *where, **more)

    with _mute_children(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", module=r"(dask|distributed|tornado)\b")
        for category in _OURS:
            warnings.simplefilter("always", category)
        warnings.showwarning = show
        yield


@contextmanager
def _mute_children() -> Iterator[None]:
    """Processes that start now, or later to replace others, cannot write to our standard error.

    A child inherits file descriptor 2. Meanwhile that descriptor leads to the null device, and `sys.stderr` writes to a
    copy of the old one, which children do not inherit.
    """
    if os.environ.get("ROSENBLATT_TRACEBACK") or not _is_descriptor_two(sys.stderr):
        yield
        return
    ours, copy = sys.stderr, os.dup(2)
    ours.flush()
    with open(os.devnull, "w") as nowhere, open(copy, "w", encoding=ours.encoding, errors=ours.errors) as stream:
        stream.reconfigure(line_buffering=True)
        os.dup2(nowhere.fileno(), 2)
        sys.stderr = stream
        try:
            yield
        finally:
            stream.flush()
            os.dup2(copy, 2)
            sys.stderr = ours


def _is_descriptor_two(stream: Any) -> bool:
    try:
        return bool(stream.fileno() == 2)
    except (AttributeError, OSError, ValueError):  # closed, or somebody catches what we say
        return False


@contextmanager
def deaf_children() -> Iterator[None]:
    """Processes that begin now ignore Ctrl-C, which is for this one: it saves the fit, and then ends them."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
