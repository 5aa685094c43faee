"""What a verdict is at, for whoever waits for it: the phase, and how many rows its present pass has seen."""

from collections.abc import Callable

from rosenblatt.verdicts.clock import check

__all__ = ["SILENT", "PhaseReporter", "Progress"]

Progress = Callable[[str, int, int], None]  # phase, rows seen in this pass, rows


class PhaseReporter:
    """Calls `progress`, if there is one, with the phase of the work and the rows seen."""

    def __init__(self, progress: Progress | None, n: int) -> None:
        self._progress, self._n, self._phase = progress, n, ""
        self.deadline: float | None = None  # when a pass over the rows is to be given up

    def phase(self, words: str) -> None:
        """Something else begins."""
        self._phase = words
        self.seen(0)

    def seen(self, rows: int) -> None:
        """A pass has seen so many rows. Raises where time is over."""
        check(self.deadline)
        if self._progress is not None:
            self._progress(self._phase, rows, self._n)


SILENT = PhaseReporter(None, 0)
