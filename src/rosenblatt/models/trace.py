"""A run is its mistake sequence: the rows corrected, the steps taken, the ends of the passes.

w after k corrections is w(0) + Σ_{i<k} step_i · (x_{row_i}, 1), so everything else about a run can be derived.
"""

import os
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats, Integers, Matrix
from rosenblatt.data.numbers import Rows, as_rows
from rosenblatt.data.refusal import imported
from rosenblatt.exact import fraction
from rosenblatt.models.run_state import Units, scaled
from rosenblatt.models.storage import Damaged, numbers, read_arrays, write_arrays

__all__ = ["JointTrace", "Trace"]

_KIND = "trace/1"


class Trace:
    """The corrections of one run.

    Parameters
    ----------
    start : array of d weights, the bias last
        w(0).
    rows : array of k row numbers
        The example corrected each time.
    steps : array of k numbers
        The signed factor of each correction, η·y (times row weight, over ‖z‖ with `normalize`).
    pass_ends : array
        The number of corrections made by the end of each pass.
    X : rows to replay on, optional
        Held by reference, never saved. `bind` attaches it later.
    presentations : array of k numbers, optional
        The time step t of each correction: how many examples had been shown up to then, with its own. None in traces of
        older versions.
    units : Units, optional
        In which `start` and `steps` are given; the trace shows them, and weights, in the units of the learner's w.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = [[0.0, 1.0], [1.0, 0.0]], [1, -1]
    >>> trace = rb.Perceptron(trace=True).fit(X, y).trace_
    >>> trace.rows, trace.weights_at(len(trace))
    (array([0, 1]), array([-1.,  1.,  0.]))
    >>> trace.presentations, trace.corrections_by(1)
    (array([1, 2]), 1)
    """

    _shape: ClassVar[tuple[None, ...]] = (None,)  # of `start`; None: any length

    def __init__(
        self,
        start: Floats,
        rows: Integers,
        steps: Floats,
        pass_ends: Integers,
        X: "Matrix | Rows | None" = None,
        presentations: Integers | None = None,
        units: Units | None = None,
    ) -> None:
        self.units = units or Units()
        self._start, self.rows, self._steps, self.pass_ends = start, rows, steps, pass_ends
        self.presentations = presentations
        self._check_arrays()
        self._X: Rows | None = None
        if X is not None:
            self.bind(X)

    @property
    def start(self) -> Floats:
        """w(0)."""
        return scaled(self._start, self.units.unit)

    @property
    def steps(self) -> Floats:
        """The signed factor of each correction."""
        return scaled(self._steps, self.units.unit)

    def __len__(self) -> int:
        """Return the number of corrections."""
        return len(self.rows)

    def __repr__(self) -> str:
        made = [f"{row}: {step:+g}" for row, step in zip(self.rows.tolist(), self.steps.tolist(), strict=True)]
        shown = ", ".join(made if len(made) <= 6 else [*made[:3], "…", *made[-3:]])
        rows = f" (row: step) {shown}" if made else ""
        return f"<Trace: {len(self)} corrections in {len(self.pass_ends)} passes{rows}>"

    def __getstate__(self) -> dict[str, Any]:
        """All but the data: a pickled model should not carry them along."""
        return {**self.__dict__, "_X": None}

    def _check_arrays(self) -> None:
        """Refuse a trace that no run can have left: a replay does not check lengths and row numbers."""
        numbers(self._start, *self._shape)
        k = numbers(self.rows, None, dtype="int64").size
        numbers(self._steps, k)
        ends = numbers(self.pass_ends, None, dtype="int64")
        if self.presentations is not None:
            numbers(self.presentations, k, dtype="int64")
        if (k and self.rows.min() < 0) or (ends.size and not 0 <= ends.min() <= ends.max() <= k):
            raise Damaged("a trace has negative row numbers, or passes of corrections that it does not have")
        if not (np.isfinite(self._start).all() and np.isfinite(self._steps).all()):
            raise Damaged("a trace has a start or a step that is not finite")

    def bind(self, X: Any) -> "Trace":
        """Attach the rows the run was made on, for replay."""
        rows, d = as_rows(X), self._start.shape[-1]
        if self.rows.size and (rows.n <= self.rows.max() or rows.p not in (d, d - 1)):
            raise ValueError(
                f"this trace is of a run on at least {self.rows.max() + 1} rows and {d} weights; "
                f"X has {rows.n} rows and {rows.p} columns."
            )
        self._X = rows
        return self

    def weights_at(self, k: int | Sequence[int] | Integers) -> Floats:
        """Weights after k corrections, with the bits of the run; for several k, one row for each."""
        return scaled(self._own_weights_at(k), self.units.unit)

    def _own_weights_at(self, k: int | Sequence[int] | Integers) -> Floats:
        """The same in units of the run."""
        times = np.atleast_1d(np.asarray(k, dtype=np.int64))
        self._check(times)
        weights = np.empty((times.size, *self._start.shape))
        w, done = self._start.copy(), 0
        for place in np.argsort(times, kind="stable"):
            self._replay(w, done, int(times[place]))
            done = int(times[place])
            weights[place] = w
        return weights if np.ndim(k) else weights[0]

    def table(self, names: Sequence[str] | None = None) -> Any:
        """Every correction as a frame: step, pass, row, response before it, correction, weights and bias after it.

        `names` are those of the columns, x1, x2, … if not given.

        >>> import rosenblatt as rb
        >>> X, y = [[0.0, 1.0], [1.0, 0.0]], [1, -1]
        >>> rb.Perceptron(order="cyclic", trace=True).fit(X, y).trace_.table()
              pass  row  response  correction  w_x1  w_x2  bias
        step
        1        1    0       0.0         1.0   0.0   1.0   1.0
        2        1    1       1.0        -1.0  -1.0   1.0   0.0
        """
        frame = imported("pandas", "table").DataFrame(self.corrections(names))
        frame.index = frame.index + 1
        return frame.rename_axis("step")

    def corrections(self, names: Sequence[str] | None = None) -> dict[str, npt.NDArray[Any]]:
        """The columns of `table`, as arrays by name: nothing else has to be installed.

        >>> import rosenblatt as rb
        >>> X, y = [[0.0, 1.0], [1.0, 0.0]], [1, -1]
        >>> rb.Perceptron(order="cyclic", trace=True).fit(X, y).trace_.corrections()["row"].tolist()
        [0, 1]
        """
        if self._start.ndim > 1:
            raise ValueError("this trace has one weight vector for each class: weights_at(k) has them after step k.")
        X, k, d = self._bound(), len(self), len(self._start)
        names = list(names) if names is not None else [f"x{j + 1}" for j in range(X.p)]
        w, unit = self._own_weights_at(np.arange(k + 1)), self.units.unit
        x = np.column_stack([X.take(self.rows), np.ones(k)])[:, :d]
        columns: dict[str, Any] = {
            "pass": np.searchsorted(self.pass_ends, np.arange(k), side="right") + 1,
            "row": self.rows,
            "response": scaled(np.einsum("ij,ij->i", x, w[:-1]), unit),
            "correction": self.steps,
        }
        return columns | dict(zip([*(f"w_{name}" for name in names), "bias"][:d], scaled(w[1:], unit).T, strict=True))

    def corrections_by(self, t: int) -> int:
        """The number k of corrections in the first t presentations; `weights_at(k)` are the weights at time t."""
        if self.presentations is None:
            raise ValueError("this trace is of an older version: it does not say when its corrections were made.")
        return int(np.searchsorted(self.presentations, t, side="right"))

    def exact_weights_at(self, k: int) -> list[Any]:
        """Weights after k corrections in exact arithmetic, with steps as they are in the trace; η is a decimal."""
        self._check(np.atleast_1d(k))
        rows, place = np.unique(self.rows[:k], return_inverse=True)
        factors = [Fraction(0)] * len(rows)
        for at, step in zip(place, self._steps[:k], strict=True):
            factors[at] += fraction(step)
        w = [fraction(v) for v in self._start]
        for factor, x in zip(factors, self._bound().take(rows), strict=True):
            for j in np.flatnonzero(x):
                w[j] += factor * fraction(x[j])
            if len(w) > len(x):
                w[-1] += factor
        return [self.units.unit * v for v in w]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the trace (not the data) to one file."""
        write_arrays(path, _KIND, self._arrays(), {"units": self.units.to_json()})

    def _arrays(self) -> dict[str, npt.NDArray[Any]]:
        arrays = {"start": self._start, "rows": self.rows, "steps": self._steps, "pass_ends": self.pass_ends}
        return arrays if self.presentations is None else {**arrays, "presentations": self.presentations}

    @classmethod
    def load(cls, path: str | os.PathLike[str], X: Any = None) -> "Trace":
        """Read a trace; give `X` (or `bind` it later) to replay."""
        arrays, metadata = read_arrays(path, _KIND)
        times = arrays.get("presentations")
        try:
            start, rows, steps, ends = (arrays[name] for name in ("start", "rows", "steps", "pass_ends"))
            more: dict[str, Any] = {"presentations": times, "units": Units.from_json(metadata.get("units"))}
            if "classes" in arrays:
                trace: Trace = JointTrace(start, rows, steps, ends, arrays["classes"], **more)
            else:
                trace = cls(start, rows, steps, ends, **more)
        except (KeyError, Damaged) as why:
            raise ValueError(f"{path} is damaged: {why}.") from None
        return trace if X is None else trace.bind(X)

    def _replay(self, w: Floats, start: int, stop: int) -> None:
        """Make corrections start..stop again."""
        self._bound().replay(self.rows, self._steps, w, start, stop)

    def _check(self, times: Integers) -> None:
        if times.size and (times.min() < 0 or times.max() > len(self)):
            raise ValueError(f"k must lie between 0 and {len(self)}, the number of corrections.")

    def _bound(self) -> Rows:
        if self._X is None:
            raise ValueError("this trace has no data to replay on: call trace.bind(X) first.")
        return self._X


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

    _shape = (None, None)

    def __init__(
        self,
        start: Floats,
        rows: Integers,
        steps: Floats,
        pass_ends: Integers,
        classes: Integers,
        X: "Matrix | Rows | None" = None,
        presentations: Integers | None = None,
        units: Units | None = None,
    ) -> None:
        self.classes = classes
        super().__init__(start, rows, steps, pass_ends, X, presentations, units)

    def exact_weights_at(self, k: int) -> list[list[Fraction]]:
        """Weights after k corrections in exact arithmetic, one list for each class."""
        self._check(np.atleast_1d(k))
        exact = []
        for c, start in enumerate(self._start):
            # the trace of class c alone: the corrections that raised it, and with a negative step those that lowered it
            sign = (self.classes[:k, 0] == c).astype(np.float64) - (self.classes[:k, 1] == c)
            mine = np.flatnonzero(sign)
            made = (self.rows[mine], sign[mine] * self._steps[mine], np.empty(0, np.int64))
            alone = Trace(start, *made, self._bound(), units=self.units)
            exact.append(alone.exact_weights_at(len(mine)))
        return exact

    def _arrays(self) -> dict[str, npt.NDArray[Any]]:
        return {**super()._arrays(), "classes": self.classes}

    def _replay(self, w: Floats, start: int, stop: int) -> None:
        self._bound().replay_classes(self.rows, self._steps, self.classes, w, start, stop)

    def _check_arrays(self) -> None:
        super()._check_arrays()
        classes = numbers(self.classes, len(self.rows), 2, dtype="int64")
        if classes.size and not 0 <= classes.min() <= classes.max() < len(self._start):
            raise Damaged("a trace has corrections of classes that it does not have")
