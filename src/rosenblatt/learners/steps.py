"""Runs that look at all rows before they move: one step a pass."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from rosenblatt.data.rows import Rows, pieces
from rosenblatt.learners.examples import Examples
from rosenblatt.learners.progress import Progress
from rosenblatt.learners.run import describe_end
from rosenblatt.models import Outcome, RunState, Trace, Witness

__all__ = ["Steps", "block", "gram"]


@dataclass
class Steps(ABC):
    """Steps from `start`, or from where `earlier` left off, until one hardly moves or `max_passes` are made."""

    examples: Examples
    start: npt.NDArray[np.float64]
    max_passes: int
    earlier: RunState | None = None

    outcome: Outcome | None = None
    witness: Witness | None = None
    trace: Trace | None = None  # a step moves along all rows: there is no mistake sequence
    cancelled: bool = False

    def __post_init__(self) -> None:
        self.w, self.mistakes_per_pass = self.start.copy(), list[int]()
        if self.earlier is not None:
            self.w, self.mistakes_per_pass = self.earlier.vectors["w"].copy(), list(self.earlier.mistakes_per_pass)
        self.goal = len(self.mistakes_per_pass) + self.max_passes
        if self.earlier is not None and self.earlier.goal is not None:
            self.goal = self.earlier.goal

    @abstractmethod
    def step(self) -> tuple[npt.NDArray[np.float64], int, bool]:
        """The next weights, the mistakes seen on the way, and whether this is the minimum."""

    @property
    def weights(self) -> npt.NDArray[np.float64]:
        """The weights to answer with."""
        return self.w

    @property
    def running(self) -> npt.NDArray[np.float64]:
        """The weights to go on from."""
        return self.w

    @property
    def n_updates(self) -> int:
        """Steps made."""
        return len(self.mistakes_per_pass)

    @property
    def position(self) -> tuple[int, int]:
        """Presentations made, and at which of them a limit ends the run."""
        return len(self.mistakes_per_pass) * self.examples.n, self.goal * self.examples.n

    def state(self) -> RunState:
        """All that is needed to go on."""
        goal = self.goal if self.outcome is None else None
        vectors = {"w": self.w.copy()}
        return RunState(self.examples.n, 0, self.start.copy(), vectors, {}, list(self.mistakes_per_pass), goal=goal)

    def finish(self, progress: Progress | None = None) -> "Steps":
        """Step until the minimum, or until the passes are used up."""
        while self.outcome is None and not self.cancelled:
            if progress is not None and progress.watched:
                progress.begin_pass()
            self.w, mistakes, settled = self.step()
            self.mistakes_per_pass.append(mistakes)
            if not np.isfinite(self.w).all():
                raise ValueError(self._divergence())
            stop = progress is not None and progress.watched and progress.end_pass(self._attributes)
            if settled or stop or len(self.mistakes_per_pass) >= self.goal:
                self.outcome = self._outcome(settled, "a callback asked to stop" if stop else "")
            elif progress is not None:
                progress.look(self)
        return self

    def _outcome(self, settled: bool, reason: str) -> Outcome:
        steps = len(self.mistakes_per_pass)
        return describe_end(self.examples, self.w, f"{steps:,} step{'s' if steps > 1 else ''}", settled, reason)

    def _divergence(self) -> str:
        return "the weights left float64: scale X, for example with sklearn.preprocessing.StandardScaler."

    def _attributes(self) -> dict[str, Any]:
        bias = self.examples.bias
        return {
            "coef_": (self.w[:-1] if bias else self.w)[None, :],
            "intercept_": self.w[-1:] if bias else np.zeros(1),
            "mistakes_per_pass_": np.array(self.mistakes_per_pass),
        }


def block(rows: Rows, first: int, stop: int, bias: bool) -> Any:
    """Rows first..stop with their ones, as float64: dense, or sparse where they are."""
    ones = np.ones((stop - first, 1))
    if not rows.sparse:
        X = rows.kernel.X[first:stop].astype(np.float64, copy=False)
        return np.hstack([X, ones]) if bias else X
    data, indices, indptr, p = rows.kernel
    inside = slice(indptr[first], indptr[stop])
    values, columns = data[inside].astype(np.float64), indices[inside].view(np.int32)
    X = sp.csr_array((values, columns, indptr[first : stop + 1] - inside.start), shape=(stop - first, p))
    return sp.hstack([X, sp.csr_array(ones)], format="csr") if bias else X


def gram(rows: Rows, weights: npt.NDArray[np.float64], bias: bool) -> npt.NDArray[np.float64]:
    """Σ weight·z zᵀ, z = (x, 1), in one pass over the rows."""
    total = np.zeros((rows.p + bias, rows.p + bias))
    for first, stop in pieces(rows.n, rows.width):
        Z = block(rows, first, stop, bias)
        d = weights[first:stop, None]
        product = Z.T @ (Z.multiply(d).tocsr() if sp.issparse(Z) else Z * d)
        total += product.toarray() if sp.issparse(product) else product
    return total
