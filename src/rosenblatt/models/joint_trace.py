"""The mistake sequence of K classes that learn together: each correction raises one class and lowers another."""

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.models.storage import Damaged, numbers
from rosenblatt.models.trace import Trace

__all__ = ["JointTrace"]


class JointTrace(Trace):
    """The corrections of `Perceptron(multiclass="kesler")`.

    As `Trace`, but `start` and all weights have shape (K, d), and `classes` says of each correction which class was
    raised (the row's own) and which was lowered, by their numbers in `classes_`.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = [[0.0], [1.0], [2.0]], ["a", "b", "c"]
    >>> trace = rb.Perceptron(multiclass="kesler", order="cyclic", trace=True).fit(X, y).trace_
    >>> trace.rows[:3], trace.classes[:3].tolist()
    (array([0, 1, 2]), [[0, 1], [1, 0], [2, 1]])
    >>> trace.weights_at(2).tolist()
    [[-1.0, 0.0], [1.0, 0.0], [0.0, 0.0]]
    """

    def __init__(
        self,
        start: npt.NDArray[np.float64],
        rows: npt.NDArray[np.int64],
        steps: npt.NDArray[np.float64],
        pass_ends: npt.NDArray[np.int64],
        classes: npt.NDArray[np.int64],
        X: Any = None,
        presentations: npt.NDArray[np.int64] | None = None,
    ) -> None:
        self.classes = classes
        super().__init__(start, rows, steps, pass_ends, X, presentations)

    def exact_weights_at(self, k: int) -> list[list[Fraction]]:
        """Weights after k corrections if nothing had been rounded but the steps; one list a class."""
        self._check(np.atleast_1d(k))
        exact = []
        for c, start in enumerate(self.start):
            # of one class alone: its corrections, those that lowered it with a negative step
            sign = (self.classes[:k, 0] == c).astype(np.float64) - (self.classes[:k, 1] == c)
            mine = np.flatnonzero(sign)
            alone = Trace(start, self.rows[mine], sign[mine] * self.steps[mine], np.empty(0, np.int64), self._bound())
            exact.append(alone.exact_weights_at(len(mine)))
        return exact

    def _arrays(self) -> dict[str, npt.NDArray[Any]]:
        return {**super()._arrays(), "classes": self.classes}

    def _replay(self, w: npt.NDArray[np.float64], start: int, stop: int) -> None:
        self._bound().replay_classes(self.rows, self.steps, self.classes, w, start, stop)

    def _check_start(self) -> None:
        numbers(self.start, None, None)

    def _check_arrays(self) -> None:
        super()._check_arrays()
        classes = numbers(self.classes, len(self.rows), 2, dtype="int64")
        if classes.size and not 0 <= classes.min() <= classes.max() < len(self.start):
            raise Damaged("a trace has corrections of classes that it does not have")
