"""Learners with `partial_fit`, which take rows as they come; their runs on two classes with every step recorded."""

from abc import abstractmethod
from dataclasses import replace
from fractions import Fraction
from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.utils import check_random_state

from rosenblatt.arrays import Floats, Signs
from rosenblatt.data.numbers import Rows, as_rows, signs
from rosenblatt.learners.runs.clock import Settings
from rosenblatt.learners.runs.examples import Examples
from rosenblatt.learners.runs.run import Run
from rosenblatt.learners.runs.stream import OnlineState
from rosenblatt.learners.shared import checks
from rosenblatt.learners.shared.base import LinearClassifier
from rosenblatt.models import Outcome
from rosenblatt.models.run_state import ONE, Units, scaled

__all__ = ["OnlineClassifier", "record_run"]

_FIXED = ("fit_intercept", "average", "pocket", "multiclass")  # they decide which numbers a stream keeps


class OnlineClassifier(LinearClassifier):
    """A learner with `partial_fit`."""

    _corrects = True
    _rule_parameters: ClassVar[tuple[str, ...]]  # that `_rule` looks at

    average: bool | Literal["auto"] = False

    @abstractmethod
    def _rule(self) -> Any:
        """The kernels' rule."""

    def _stream_rule(self, rows: Rows, units: Units) -> Any:
        """The kernels' rule for a stream in these units, given its first rows."""
        return self._rule()

    def _in_units(self, start: Floats) -> tuple[Units, Floats]:
        """The units that a run from this start counts in, and the start in them."""
        return Units(), start

    def _stream_settings(self) -> Settings:
        """The settings of a stream."""
        return Settings(ties=(True, True), average=self.average is True, detect_cycles=False)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn from some rows, each shown once in the order given; the outcome is ONLINE.

        Chunks of any size, down to single rows, give the weights that one pass over all rows gives, bit for bit. A step
        or a class weight that `set_params` changes between two calls holds from the next row on.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, p)
            The next rows.
        y : array of n labels
            Their classes.
        classes : array or "grow", needed on the first call
            All labels that will ever come; or "grow": those that come, each against the rest. A new class gets the
            weights that it would have if it had been known from the first row; that costs one run more. Needs
            start="zeros".
        sample_weight : array of n numbers, optional
            Factors for the steps.
        """
        stream: OnlineState | None = self.__dict__.get("_stream")
        if sp.issparse(self.__dict__.get("coef_")):
            self.densify()
        grow = isinstance(classes, str) and classes == "grow"
        if stream is not None and classes is None and sample_weight is None and stream.learn_row(self, X, y):
            return self
        self._validate_params()
        if self.class_weight == "balanced":
            raise ValueError(
                'class_weight="balanced" needs all labels at once; for partial_fit give a dict of weights instead.'
            )
        self._refuse_contradictions()
        if grow and not (stream is not None and stream.grows):
            self._refuse_to_grow()
        grow = grow or (stream is not None and stream.grows and classes is None)
        rows, y = checks.training_data(self, X, y, reset=not hasattr(self, "classes_"))
        weights = checks.step_weights(self.class_weight, sample_weight, y, rows.n)
        rows.radius_sq(self.fit_intercept, checks.column_name(self))  # refuses NaN and inf
        if stream is not None:
            self._follow_parameters(stream, rows)
        before, self.classes_ = getattr(self, "classes_", None), checks.known_classes(self, classes, y, grow)
        targets = self._targets(y)
        if grow:  # a run for each class, and one for all that have not come yet: to them every row is of another class
            targets = [signs(y, label) for label in self.classes_] + [np.full(len(y), -1, dtype=np.int8)]
        if stream is None:
            stream = self._begin_stream(len(targets), rows, grow)
        if grow and before is not None:
            stream.add_classes(np.searchsorted(before, np.setdiff1d(self.classes_, before)))
        stream.learn(self, rows, targets, weights)
        return self

    def _refuse_to_grow(self) -> None:
        """Refuse classes='grow' where a new class could not get the weights that it would have had from the start."""
        if self.positive is not None:
            raise ValueError("classes='grow' may end with more than two classes: positive is for two, leave it out.")
        if hasattr(self, "classes_"):
            raise ValueError("classes='grow' is for a model's first call of partial_fit: this one has learned before.")
        if not isinstance(self.start, str) or self.start != "zeros":
            raise ValueError("classes='grow' needs start='zeros': weights of classes to come cannot be given.")
        if (together := getattr(self, "multiclass", "ovr")) in ("kesler", "multinomial"):
            raise ValueError(
                f"classes='grow' needs multiclass='ovr': classes that learn together ({together!r}) must all be "
                f"known from the first row."
            )

    def _begin_stream(self, k: int, rows: Rows, grows: bool) -> OnlineState:
        """Go on from the weights of an earlier fit, or begin from `start`."""
        random = check_random_state(self.random_state)
        if hasattr(self, "_running"):
            reached, starts = self._reached()
            units, factor = self._with_step(reached)
            starts = scaled(starts, factor)
        else:
            units, starts = self._in_units(self._starts(k * self._together, rows.p, random))
        rule = self._stream_rule(rows, units)
        stream = OnlineState(starts.reshape(k, -1), self._stream_settings(), rule, grows, units)
        self._stream = stream
        stream.take_parameters(self)
        stream.attach(self)
        self._states = []
        self.n_passes_, self.mistakes_per_pass_ = 0, np.empty(0, dtype=np.int64)
        self.outcome_ = Outcome("ONLINE", "learned from a stream; nobody has looked at all the data at once.")
        self.trace_ = self.witness_ = None
        return stream

    def _reached(self) -> tuple[Units, Floats]:
        """Where the last fit ended, in the units of its runs if all of them had the same."""
        units = {state.units for state in self._states}
        if units == {Units()}:
            return Units(), self._running
        if len(units) != 1:
            return self._in_units(self._running)
        return units.pop(), np.vstack([state.vectors["w"] for state in self._states])

    def _with_step(self, units: Units) -> tuple[Units, Fraction]:
        """Units for the step that is asked for now, and the factor that brings weights into them."""
        return units, ONE

    # --------------------------------------------------------------------------------- parameters changed on the way

    def _stream_parameters(self) -> dict[str, Any]:
        """The parameters that a stream depends on."""
        names = (*_FIXED, "class_weight", *self._rule_parameters)
        return {name: value for name, value in vars(self).items() if name in names}

    def _follow_parameters(self, stream: OnlineState, rows: Rows) -> None:
        """Take over parameters that were changed since the last call; refuse those that a stream cannot change."""
        now = self._stream_parameters()
        changed = [name for name, value in stream.parameters.items() if value is not now[name] and value != now[name]]
        for name in changed:
            if name in _FIXED:
                raise ValueError(
                    f"{name} was {stream.parameters[name]!r} when this stream began and is {now[name]!r} now: set it "
                    f"back, or begin anew with sklearn.base.clone(model)."
                )
        if any(name in self._rule_parameters for name in changed):
            stream.take_units(self, *self._with_step(stream.units))
            stream.rule = self._stream_rule(rows, stream.units)
            stream.set_norms()
        if changed:
            stream.take_parameters(self)


def record_run(model: OnlineClassifier, X: Floats, y: Signs, names: tuple[str, ...] | None = None) -> Run:
    """Make the run to its end, with a trace, also for learners that keep no trace themselves. `y` is −1 or +1.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([-1, 1, 1, 1], dtype=np.int8)
    >>> run = record_run(rb.PassiveAggressive(order="cyclic"), X, y)
    >>> str(run.outcome), len(run.trace) == run.n_updates
    ('SEPARATED', True)
    """
    rows = as_rows(X)
    bias = model.fit_intercept
    model.classes_ = np.array([-1, 1])
    examples = Examples(rows, y, np.empty(0), bias, rows.radius_sq(bias), names=names)
    (beginning,) = model._beginnings([examples], [None])
    run = model._begin(beginning)
    assert isinstance(run, Run)
    return replace(run, settings=replace(run.settings, trace=True)).finish()
