"""K classes that learn together by Kesler's construction: their examples, and a run of the loop on them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from rosenblatt.arrays import Floats, Integers
from rosenblatt.data.numbers import frozen, pieces
from rosenblatt.exact import integers
from rosenblatt.learners.runs.examples import Examples, Ties
from rosenblatt.learners.runs.run import Run, Words
from rosenblatt.models import JointTrace, JointWitness, Outcome, RunState, Witness

__all__ = ["JointExamples", "JointRun"]


@dataclass(frozen=True)
class JointExamples(Examples):
    """Rows with the numbers of their classes in `y`; weights are K·d numbers, class after class.

    A row's response is the score of its own class less the highest score of the other classes. `Ties` says whether
    response 0 is a mistake, first where that other class comes earlier, then where it comes later. `predict` answers
    with the first of equals, so (True, False) counts its wrong answers.
    """

    number: int = 2  # K

    @classmethod
    def of(cls, examples: Examples, number: int) -> "JointExamples":
        """Examples whose labels are numbers of classes."""
        given = {name: getattr(examples, name) for name in ("rows", "weights", "bias", "radius_sq", "names")}
        return cls(y=frozen(examples.y), number=number, **given)

    @property
    def classes(self) -> int:
        """Weight vectors that learn together."""
        return self.number

    @property
    def width(self) -> float:
        """Values that one presentation looks at."""
        return float(self.number * self.rows.width)

    def each(self, w: Floats) -> Floats:
        """The weights as a matrix with one row for each class."""
        return w.reshape(self.number, -1)

    def _look(self, w: Floats, ties: Ties, doubt: float) -> Iterator[tuple[int, int, Integers]]:
        from rosenblatt.kernels.joint import judge_classes

        for start, stop in pieces(self.n, self.width):
            unsure = np.empty(stop - start, dtype=np.int64)
            place = (self.rows.kernel, self.y, self.weights, w, self.number)
            mistakes, zeros, n = judge_classes(*place, ties, doubt, unsure, start, stop)
            yield mistakes, zeros, unsure[:n]

    def class_sizes(self) -> dict[int, float]:
        """How much the rows of each class weigh."""
        found = np.bincount(self.y, weights=self.weights if self.weights.size else None, minlength=self.number)
        return dict(enumerate(found.tolist()))

    def _agreements(self, w: Floats) -> Floats:
        scores = np.column_stack([self.rows.respond(w_k) for w_k in self.each(w)])
        at = np.arange(self.n), self.y
        own = scores[at]
        scores[at] = -np.inf
        return np.asarray(own - scores.max(axis=1))

    def _doubt(self, w: Floats) -> float:
        """Twice the largest error that a score may have, because two scores are compared."""
        return 2.0 * max(super(JointExamples, self)._doubt(w_k) for w_k in self.each(w))

    def _exact_signs(self, w: Floats, rows: Integers) -> tuple[Any, Any]:
        """The smallest sign of s_y − s_k over the wrong classes k, and whether s_y = s_k for some k before y."""
        W, own = self.each(w), self.y[rows]
        least, earlier = np.ones(len(rows), dtype=np.int8), np.zeros(len(rows), dtype=np.bool_)
        for y in np.unique(own):
            mine = np.flatnonzero(own == y)
            for k in range(self.number):
                if k == y:
                    continue
                signs = self._response_signs(rows[mine], W[y], W[k])
                earlier[mine[(signs == 0) & (k < y)]] = True
                least[mine] = np.minimum(least[mine], signs)
        return least, earlier

    def vanishing(self, witness: Witness | JointWitness) -> bool:
        """Whether Σ λ z = 0 on these examples: each class was raised by as much as it was lowered."""
        if isinstance(witness, Witness) or witness.rivals.min() < 0 or witness.rivals.max() >= self.number:
            return False  # of a fit to other classes
        own = self.y[witness.rows]
        if np.any(own == witness.rivals):  # a class is no rival of itself
            return False
        for c in range(self.number):
            sign = (own == c).astype(np.int64) - (witness.rivals == c)
            moving = np.flatnonzero(sign)  # the pairs that raise or lower class c
            factors = [int(sign[i]) * witness.multipliers[i] for i in moving]
            if not self._sum_vanishes(factors, witness.rows[moving]):
                return False
        return True


@dataclass
class JointRun(Run):
    """K neurons at work on `JointExamples` with the rule `Kesler`."""

    words: ClassVar[Words] = Words(
        right="given to their class",
        one_tied="ties with another class",
        some_tied="tie with another class",
        impossible="no weights give every example to its class",
        possible="some weights give every example to its class",
    )

    examples: JointExamples

    def __post_init__(self) -> None:
        self._pairs: list[Integers] = []  # the class raised and the class lowered, of each correction
        super().__post_init__()

    def pairs(self) -> Integers:
        """The class raised and the class lowered, for each recorded correction."""
        return np.concatenate([np.empty((0, 2), dtype=np.int64), *self._pairs])

    def _trace(self, rows: Integers, steps: Floats, ends: Integers, times: Integers | None) -> JointTrace:
        start = self.examples.each(self.start.copy())
        return JointTrace(start, rows, steps, ends, self.pairs(), self.examples.rows, times, self.units)

    def state(self) -> RunState:
        """All that is needed to go on."""
        state = super().state()
        return replace(state, books={**state.books, "classes": self.pairs()})

    def _restore(self, state: RunState) -> None:
        super()._restore(state)
        if "classes" in state.books and self.settings.trace:
            self._pairs.append(state.books["classes"])

    def _drain(self) -> None:
        before = len(self._traced)
        super()._drain()
        self._pairs += [self.memory.traced_classes[: len(rows)].copy() for rows, _, _ in self._traced[before:]]

    def _tied(self, made: str, on_plane: int) -> Outcome:
        return Outcome(
            "TIED",
            f"no mistake by the tie rule after {made}, but {on_plane} of {self.examples.present} examples "
            f"{self.words.some_tied}: no other class has a higher score, and nothing more is proved.",
        )

    def _witness(self, cycle: Self) -> JointWitness:
        """Pairs (row, wrong class) and positive integers λ, proportional to how much each was corrected in a cycle."""
        rows, steps, _ = cycle.corrections()
        corrected = np.column_stack([rows, cycle.pairs()[:, 1]])
        pairs, first, counts = np.unique(corrected, axis=0, return_index=True, return_counts=True)
        sizes, _ = integers(np.abs(steps[first]))  # a pair is always corrected by the same step
        plain = Witness.of(pairs[:, 0], [int(size) * int(count) for size, count in zip(sizes, counts, strict=True)])
        return JointWitness(plain.rows, pairs[:, 1], plain.multipliers)
