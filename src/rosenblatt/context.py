"""What long work is given once: until when it may run, whom it tells how far it is, and whether it is still wanted."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from numbers import Real

__all__ = ["SILENT", "Context", "Progress", "Unfinished"]

Progress = Callable[[str, int, int | None], None]  # what is done, how much of it, and of how much where that is known


class Unfinished(Exception):
    """A limit was hit; the message says which. `witness`: λ > 0 on few rows with Σ λ z = 0, if found by then."""

    def __init__(self, reason: str, witness: dict[int, int] | None = None) -> None:
        super().__init__(reason)
        self.witness = witness or {}


@dataclass
class Context:
    """Travels through long work as one object. Work asks `check` between short steps, and says `phase` and `seen`.

    >>> told = []
    >>> context = Context.of(time_limit=60, progress=lambda *moment: told.append(moment))
    >>> context.phase("reading the rows", 200)
    >>> context.seen(100)
    >>> told
    [('reading the rows', 0, 200), ('reading the rows', 100, 200)]
    """

    deadline: float | None = None  # on the clock of `time.monotonic`
    limit: float | None = None  # the seconds that it began with
    progress: Progress | None = None
    cancelled: Callable[[], bool] | None = None
    _words: str = field(default="", repr=False)
    _total: int | None = field(default=None, repr=False)

    @classmethod
    def of(cls, time_limit: float | None = None, progress: Progress | None = None) -> "Context":
        """A context that ends after `time_limit` seconds from now; None: without a limit."""
        if time_limit is None:
            return cls(progress=progress)
        return cls(time.monotonic() + _seconds(time_limit), _seconds(time_limit), progress)

    def within(self, seconds: float) -> "Context":
        """The same for a part of the work, which may take so many seconds, and no longer than the whole."""
        end = time.monotonic() + seconds
        return replace(self, deadline=end if self.deadline is None else min(end, self.deadline))

    @property
    def left(self) -> float | None:
        """Seconds that are left, 0 at the least; None without a limit."""
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())

    def check(self) -> None:
        """Raise `Unfinished` where time is over or nobody wants the answer any more."""
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise Unfinished("the time limit was reached")
        if self.cancelled is not None and self.cancelled():
            raise Unfinished("the work was cancelled")

    def phase(self, words: str, total: int | None = None) -> None:
        """A new phase begins, of `total` rows, bytes or steps where that is known."""
        self._words, self._total = words, total
        self.tell(0)

    def seen(self, done: int) -> None:
        """The phase has come so far; raises `Unfinished` as `check` does."""
        self.check()
        self.tell(done)

    def tell(self, done: int) -> None:
        """The same without a look at the clock: for work that is to end by itself."""
        if self.progress is not None:
            self.progress(self._words, done, self._total)


def _seconds(time_limit: object) -> float:
    if isinstance(time_limit, bool) or not isinstance(time_limit, Real) or time_limit != time_limit:
        raise ValueError(f"time_limit must be a number of seconds; it is {time_limit!r}.")
    return float(time_limit)


SILENT = Context()
