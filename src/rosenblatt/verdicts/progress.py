"""What a verdict is at, for whoever waits for it: the phase, and how many rows its present pass has seen."""

from collections.abc import Callable

__all__ = ["SILENT", "PhaseReporter", "Progress"]

Progress = Callable[[str, int, int], None]  # phase, rows seen in this pass, rows


class PhaseReporter:
    """Passes on to `progress` what those who work say, where somebody wants to know."""

    def __init__(self, progress: Progress | None, n: int) -> None:
        self._progress, self._n, self._phase = progress, n, ""

    def phase(self, words: str) -> None:
        """Something else begins."""
        self._phase = words
        self.seen(0)

    def seen(self, rows: int) -> None:
        """A pass has seen so many rows."""
        if self._progress is not None:
            self._progress(self._phase, rows, self._n)


SILENT = PhaseReporter(None, 0)
