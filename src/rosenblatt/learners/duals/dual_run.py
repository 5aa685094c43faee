"""A run of the loop in the space of a kernel's features: its rows, its examples, and the run itself."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from rosenblatt.arrays import Floats, Integers
from rosenblatt.learners.duals.gram import Gram
from rosenblatt.learners.runs.examples import Examples, Ties
from rosenblatt.learners.runs.run import Run, Words
from rosenblatt.models import JointWitness, Outcome, Trace, Witness

__all__ = ["DualExamples", "DualRun"]


class DualRows:
    """What the loop gets in the place of rows: the kernel's values, and the coefficients α of one run."""

    def __init__(self, gram: Gram) -> None:
        from rosenblatt.kernels.dual import Kept

        self.n = self.p = gram.n
        self.width = 1.0 + gram.n / 64  # most presentations look at one number, a correction at n
        self.kernel = Kept(
            gram.values, gram.place, np.zeros(gram.n), np.zeros(gram.n, dtype=np.int64), np.zeros(1, dtype=np.int64)
        )


@dataclass(frozen=True)
class DualExamples(Examples):
    """Examples whose weights are coefficients α, one for each row: the response is Σ α_j k(x_j, x)."""

    gram: Gram

    @classmethod
    def of(cls, examples: Examples, gram: Gram) -> "DualExamples":
        """The same examples, seen through the kernel."""
        rows: Any = DualRows(gram)
        return cls(rows, examples.y, examples.weights, False, 0.0, gram)

    @property
    def computed(self) -> bool:
        """Whether the learner sees features that are computed from the rows, in floats: those of the kernel."""
        return True

    def _look(self, w: Floats, ties: Ties, doubt: float) -> Iterator[tuple[int, int, Integers]]:
        agreement = self.y * self.gram.respond(w)
        present = self.weights > 0 if self.weights.size else np.ones(self.n, dtype=np.bool_)
        zero = agreement == 0
        mistake = np.where(zero, np.where(self.y > 0, *ties), ~(agreement > 0))  # NaN is a mistake too
        unsure = np.flatnonzero(present & ~(agreement > doubt))
        yield int(np.count_nonzero(mistake & present)), int(np.count_nonzero(zero & present)), unsure

    def _doubt(self, w: Floats) -> float:
        return self.gram.doubt(w)

    def _exact_signs(self, w: Floats, rows: Integers) -> tuple[Any, Any]:
        y = self.y[rows]
        return self.gram.signs(rows, w) * y, y > 0


@dataclass
class DualRun(Run):
    """A perceptron at work in the space of a kernel's features: `weights` are its coefficients α."""

    resumable: ClassVar[bool] = False
    words: ClassVar[Words] = Words(
        right="on their side",
        one_tied="lies on the border",
        some_tied="lie on the border",
        impossible="no function of this kernel separates the classes",
    )

    examples: DualExamples

    def __post_init__(self) -> None:
        self.examples = DualExamples.of(self.examples, self.examples.gram)  # a run has its own coefficients, all 0
        super().__post_init__()

    @property
    def _reached(self) -> Floats:
        """The running α."""
        return np.asarray(self.examples.rows.kernel.dual)

    def _trace(self, rows: Integers, steps: Floats, ends: Integers, times: Integers | None) -> Trace:
        """The trace; its weights are the α of all rows, so its rows are unit vectors."""
        return Trace(np.zeros(self.examples.n), rows, steps, ends, sp.eye_array(self.examples.n, format="csr"), times)

    def _call(self, last: int) -> int:
        """One compiled call; if it stopped for want of a row of the kernel's values, compute that row."""
        from rosenblatt.kernels.dual import FETCH

        events = super()._call(last)
        if events & FETCH:
            kept = self.examples.rows.kernel
            self.examples.gram.keep(int(kept.wanted[0]), kept.dual, kept.corrected)
        return events & ~FETCH

    def _confirm(self) -> Outcome | None:
        """No mistake in n presentations: compute f anew from α, since rounding errors have added up, and certify."""
        self.memory.w[:] = self.examples.gram.respond(self.running)
        return super()._confirm()

    def _check_overflow(self) -> None:
        if not np.isfinite(self.memory.w).all():
            raise ValueError(
                "the responses overflowed float64: scale X, for example with sklearn.preprocessing.StandardScaler."
            )

    def _attributes(self) -> dict[str, Any]:
        return {"mistakes_per_pass_": np.array(self.mistakes_per_pass), "n_updates_": self.n_updates}

    def _vanishes(self, witness: Witness | JointWitness) -> bool:
        """Whether Σ λ y φ(x) = 0."""
        signs = self.examples.y[witness.rows]
        factors = [int(s) * m for s, m in zip(signs, witness.multipliers, strict=True)]
        return self.examples.gram.vanishes(witness.rows, factors)
