"""The cluster: how it is reached, whether its workers run the same code, and what is said when it fails."""

import asyncio
import concurrent.futures
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any

import dask.config
from distributed.comm import CommClosedError

from distributed import Client, Future, KilledWorker, LocalCluster
from rosenblatt.blocks.patience import Patience

__all__ = ["connect", "gathered", "reach", "speaking_plainly"]

# The bits of a result depend on these alone.
_PACKAGES = ("rosenblatt", "numpy", "numba")
_LOOK = 1.0  # seconds between two looks at whether there are workers
_DEFAULTS = ("scheduler", "shuffle")  # keys of Dask's configuration that a new client sets
_STARTS = 3  # of a cluster on this machine, whose processes may die before they answer


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

    def close(self, *arguments: Any, **options: Any) -> None:
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


def reach(client: Any) -> Client:
    """The client given, or Dask's current one; workers that run other code are refused."""
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
    return client


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


def gathered(client: Client, futures: list[Any], where: str, one: str = "shard") -> list[Any]:
    """The futures' results. While the cluster has no workers, new ones are waited for as long as `Patience` allows.

    `one` is what a future stands for. The tests' stand-in for a client gives answers, not futures: nothing to wait for.
    """
    if not any(isinstance(future, Future) for future in futures):
        return futures
    patience = Patience(client, where)
    with speaking_plainly(where):
        task = asyncio.run_coroutine_threadsafe(_gather(client, futures), client.loop.asyncio_loop)
        try:
            while not concurrent.futures.wait([task], timeout=_LOOK).done:
                if patience.look(_unfinished(futures, one)):
                    _refuse_other_versions(client)  # workers that came later have not been asked yet
            return task.result()
        finally:
            task.cancel()  # has no effect on a task that has ended


async def _gather(client: Client, futures: list[Any]) -> list[Any]:
    return list(await client.gather(futures, asynchronous=True))


def _unfinished(futures: list[Any], one: str) -> str:
    left = sum(future.status != "finished" for future in futures)
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
