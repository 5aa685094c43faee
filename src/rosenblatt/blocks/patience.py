"""How long work waits for a cluster that has lost all its workers: for a limited time, which a warning states."""

import time
import warnings

import dask

from distributed import Client

__all__ = ["NoWorkersWarning", "Patience"]

_TIMEOUT = "rosenblatt.workers-timeout"  # a key of Dask's configuration
_DEFAULT = "5 minutes"


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
        limit, now = _limit(), time.monotonic()
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


def _limit() -> float:
    """Seconds without any worker."""
    return float(dask.utils.parse_timedelta(dask.config.get(_TIMEOUT, _DEFAULT)))
