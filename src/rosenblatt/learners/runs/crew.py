"""A leader and its scouts: several cores on one run, with the corrections that one core makes.

The leader is the ordinary compiled loop. While mistakes are rare, scouts in other threads look at the rows ahead, and
the leader skips the rows that cannot have become mistakes. While mistakes are frequent, the leader works alone.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.learners.runs.clock import Clock
from rosenblatt.learners.runs.examples import Examples, norm_sq

if TYPE_CHECKING:
    from rosenblatt.kernels.kept import KeptAnswers
    from rosenblatt.kernels.kinds import Memory
    from rosenblatt.kernels.scouts import Board
    from rosenblatt.learners.runs.clock import Order, Rule

__all__ = ["Crew", "n_threads"]

_CHUNK_VALUES = 1 << 14  # values a scout looks at before it reports: 128 KB of float64, about 4 µs
_CHUNKS_AHEAD = 8  # per thread
_LONGEST_CALL = 1 << 20  # presentations: each needs a place on the board
_RARE = 1 / 8  # scouts pay while there is at most one mistake in so many chunks


def n_threads(n_jobs: int | None) -> int:
    """joblib's reading of n_jobs: None is 1 (or what a `parallel_config` says), -1 all cores."""
    from joblib import effective_n_jobs

    return int(effective_n_jobs(n_jobs))


class Crew:
    """Runs the compiled loop, with scouts where there are threads for them and they would help."""

    def __init__(self, threads: int = 1) -> None:
        self.threads = threads
        self._rate = 1.0  # mistakes a presentation, of the last call
        self._kept: KeptAnswers | None = None

    def note(self, presentations: int, mistakes: int) -> None:
        """Remember how frequent mistakes are."""
        if presentations:
            self._rate = mistakes / presentations

    def learn(self, examples: Examples, rule: "Rule", order: "Order", memory: "Memory", clock: Clock, stop: int) -> int:
        """As `learn` of `kernels/loop.py`."""
        from rosenblatt.kernels import plain
        from rosenblatt.kernels.kinds import Rosenblatt

        arguments = (examples.rows.kernel, examples.y, examples.weights, rule, order, memory, clock.record)
        few = plain.presentations(examples.rows.kernel, rule, order, memory, stop - clock.t)
        if few:
            return plain.learn(*arguments, clock.t + few)
        from rosenblatt.kernels import loop, scouts
        from rosenblatt.kernels.kept import KeptAnswers

        chunk = max(1, int(_CHUNK_VALUES / examples.rows.width))
        first, pass_start = clock.t, clock.pass_start
        span = min(stop, pass_start + examples.n) - first
        helpful = span > 4 * chunk * self.threads and self._rate * chunk <= _RARE
        if self.threads < 2 or not helpful or not isinstance(rule, Rosenblatt):
            if self._kept is None:
                self._kept = KeptAnswers.of(examples.rows.kernel, rule, examples.d, examples.radius_sq)
            return int(loop.learn(*arguments, stop, self._kept))
        stop = first + min(span, _LONGEST_CALL)
        board = self._board(examples, memory, chunk, stop - first)
        view = (examples.rows.kernel, examples.y, order, memory.w, board, first, stop, pass_start)
        with ThreadPoolExecutor(self.threads - 1) as pool:
            try:
                futures = [pool.submit(scouts.scout, *view) for _ in range(self.threads - 1)]
                events = int(loop.learn(*arguments, stop, board))
            finally:
                board.control[scouts.CLOSED] = 1  # whatever happened, no scout stays out
            for future in futures:
                future.result()
        return events

    def _board(self, examples: Examples, memory: "Memory", chunk: int, span: int) -> "Board":
        from rosenblatt.kernels.scouts import Board

        chunks = -(-span // chunk)
        return Board(
            control=np.zeros(128, dtype=np.int64),
            total_step=np.zeros(1),
            done=np.zeros(chunks, dtype=np.int64),
            step_before=np.zeros(chunks),
            lowest=np.zeros(chunks),
            agreement=np.empty(span),
            chunk=chunk,
            ahead=_CHUNKS_AHEAD * self.threads,
            radius_sq=examples.radius_sq,
            w_norm=float(np.sqrt(norm_sq(memory.w))),
            doubt=32.0 * (examples.d + 16) * 2.0**-53,
        )
