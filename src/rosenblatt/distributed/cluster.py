"""The cluster: reaching it, asking whether it runs the same code, and what to say when it fails."""

import os
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any

from distributed.comm import CommClosedError

from distributed import Client, KilledWorker

__all__ = ["connect", "reach", "speaking_plainly"]

# The bits of a result depend on these alone.
_PACKAGES = ("rosenblatt", "numpy", "numba")


def connect(cluster: str, workers: int | None = None, timeout: float = 10.0) -> Client:
    """A client of the cluster at an address, or of one made for the occasion on this machine.

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
        n = workers or len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else workers or os.cpu_count()
        return Client(n_workers=n, threads_per_worker=1, processes=True, dashboard_address=":0")  # any free port
    try:
        if os.path.isfile(cluster):
            return Client(scheduler_file=cluster, timeout=timeout)
        return Client(cluster, timeout=timeout)
    except (OSError, TimeoutError, ValueError) as why:
        raise ConnectionError(
            f"no Dask scheduler answers at {cluster!r} ({type(why).__name__}): give its address, such as "
            f"tcp://10.0.0.7:8786, the path of its scheduler file, or 'local'."
        ) from None


def reach(client: Any) -> Client:
    """The client given, or the one in force; workers that run other code are refused."""
    if client is None:
        try:
            client = Client.current()
        except ValueError:
            raise ValueError("there is no Dask client: pass one, or rosenblatt.distributed.connect('local').") from None
    if isinstance(client, str):
        raise TypeError(
            f"client is the text {client!r}: pass rosenblatt.distributed.connect({client!r}), and close it."
        )
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
    everywhere = client.run(versions)
    if not everywhere:
        raise RuntimeError("the cluster has no workers: start some, and wait for them with client.wait_for_workers(1).")
    for worker, there in everywhere.items():
        for name in names:
            if there[name] != here[name]:
                has = f"has {name} {there[name]}" if there[name] else f"has no {name}"
                raise RuntimeError(
                    f"worker {worker} {has}, this process {here[name]}: install the same version everywhere "
                    f"(pip install {name}=={here[name]}), or the bits of the result would depend on the worker."
                )


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
