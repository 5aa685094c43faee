"""A run of the loop in the space of a kernel's features: its examples, and what its answers are made of."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from rosenblatt.learners.examples import Examples, Judgement, Ties
from rosenblatt.learners.gram import Gram
from rosenblatt.learners.run import Run, Words
from rosenblatt.models import JointWitness, Outcome, Trace, Witness

__all__ = ["DualExamples", "DualRun"]

Floats = npt.NDArray[np.float64]


class DualRows:
    """What the loop sees in the place of rows: the kernel's values, and one run's coefficients."""

    def __init__(self, gram: Gram) -> None:
        from rosenblatt.kernels.dual import Kept

        self.n = self.p = gram.n
        self.width = 1.0 + gram.n / 64  # most presentations look at one number, a correction at n
        self.kernel = Kept(
            gram.values,
            gram.place,
            np.zeros(gram.n),
            np.zeros(gram.n, dtype=np.int64),
            np.zeros(1, dtype=np.int64),
        )


@dataclass(frozen=True)
class DualExamples(Examples):
    """Examples of which one class's coefficients α are the weights: the response is Σ α_j k(x_j, x)."""

    gram: Gram

    @classmethod
    def of(cls, examples: Examples, gram: Gram) -> "DualExamples":
        """The same examples, seen through the kernel."""
        rows: Any = DualRows(gram)
        return cls(rows, examples.y, examples.weights, False, 0.0, gram)

    @property
    def _present(self) -> npt.NDArray[np.bool_]:
        return self.weights > 0 if self.weights.size else np.ones(self.n, dtype=np.bool_)

    def count(self, w: Floats, ties: Ties, enough: int | None = None) -> tuple[int, int]:
        """Mistakes of fixed coefficients, and rows on their border, as computed."""
        agreement = (self.y * self.gram.respond(w))[self._present]
        wrong = np.where(agreement == 0, np.where(self.y[self._present] > 0, *ties), ~(agreement > 0))
        return int(np.count_nonzero(wrong)), int(np.count_nonzero(agreement == 0))

    def judge(self, w: Floats, ties: Ties) -> Judgement:
        """Count mistakes; if there are none, certify every sign: by an error bound, exactly where it is too coarse."""
        agreement = self.y * self.gram.respond(w)
        present = self._present
        mistake = np.where(agreement == 0, np.where(self.y > 0, *ties), ~(agreement > 0)) & present
        if mistake.any():
            return Judgement(int(np.count_nonzero(mistake)))
        unsure = np.flatnonzero(present & ~(agreement > self.gram.doubt(w)))
        signs = self.gram.signs(unsure, w) * self.y[unsure] if unsure.size else np.empty(0, dtype=np.int8)
        zero = signs == 0
        hidden = (signs < 0) | (zero & np.where(self.y[unsure] > 0, *ties))
        return Judgement(0, int(np.count_nonzero(hidden)), int(np.count_nonzero(zero)))


@dataclass
class DualRun(Run):
    """A perceptron at work in the space of a kernel's features: `weights` are its coefficients α."""

    words: ClassVar[Words] = Words(
        right="on their side",
        one_tied="lies on the border",
        some_tied="lie on the border",
        impossible="no function of this kernel separates the classes",
    )

    examples: DualExamples

    def __post_init__(self) -> None:
        self.examples = DualExamples.of(self.examples, self.examples.gram)  # coefficients of its own, all 0
        super().__post_init__()

    @property
    def dual(self) -> Floats:
        """The running α."""
        return np.asarray(self.examples.rows.kernel.dual)

    @property
    def weights(self) -> Floats:
        """The coefficients to answer with: the running ones, or their mean over all presentations."""
        if self.settings.average:
            return np.asarray(self.dual - self.memory.average / max(1, self.clock.t))
        return self.dual

    @property
    def running(self) -> Floats:
        """The coefficients to go on from."""
        return self.dual

    @property
    def trace(self) -> Trace | None:
        """The corrections, if they were recorded; its weights are the α of all rows."""
        if not self.settings.trace:
            return None
        rows, steps, ends, times = self._sequence()
        return Trace(np.zeros(self.examples.n), rows, steps, ends, sp.eye_array(self.examples.n, format="csr"), times)

    def _call(self, last: int) -> int:
        """One compiled call; where it waits for a row of the kernel's values, that is made."""
        from rosenblatt.kernels.dual import FETCH

        events = super()._call(last)
        if events & FETCH:
            kept = self.examples.rows.kernel
            self.examples.gram.keep(int(kept.wanted[0]), kept.dual, kept.corrected)
        return events & ~FETCH

    def _confirm(self) -> Outcome | None:
        """No mistake in n presentations: work out f anew from α, as its many small errors may hide one, and certify."""
        self.memory.w[:] = self.examples.gram.respond(self.dual)
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
