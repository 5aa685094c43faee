"""Learning from a stream: what is kept between calls of `partial_fit`."""

from dataclasses import asdict
from fractions import Fraction
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.arrays import Floats, Labels, Places
from rosenblatt.data.numbers import Rows, frozen, pieces
from rosenblatt.learners.runs.clock import Settings
from rosenblatt.learners.runs.examples import norm_sq
from rosenblatt.learners.runs.run import new_memory
from rosenblatt.models.run_state import Units, scaled
from rosenblatt.models.storage import Damaged

if TYPE_CHECKING:
    from rosenblatt.learners.runs.clock import Rule
    from rosenblatt.learners.shared.online import OnlineClassifier

__all__ = ["OnlineState"]


class OnlineState:
    """The running weights of K runs, their averages and clocks.

    A model's `coef_` and `intercept_` are views of these weights, or of their averages, so a single row costs no more
    than its own dot product and one call. If the caller has assigned other weights to the model, the next call takes
    them over. `starts` and all vectors are in `units`; what the model shows is not.
    """

    parameters: dict[str, Any]  # of the model, when they were last looked at

    def __init__(
        self, starts: Floats, settings: Settings, rule: "Rule", grows: bool = False, units: Units | None = None
    ) -> None:
        self.settings, self.rule, self.units = settings, rule, units or Units()
        self.grows = grows  # whether new classes may come: then the last run is that of a class not seen yet
        self.weights = np.array(starts)
        parts = [new_memory(start, settings) for start in self.weights]
        self.averages = [memory.average for memory, _ in parts]
        self.pockets = [memory.longest for memory, _ in parts]
        self.clocks = [clock for _, clock in parts]
        self.mistakes = parts[0][0].mistakes
        self._set_front()
        self.counts = np.zeros(2, dtype=np.int64)  # presentations and corrections, while `learn_row` counts them

    def _set_front(self) -> None:
        """Room for what the model shows, unless a pocket: the running weights themselves, where that will do."""
        own = self.settings.average or self.units.unit != 1
        self.front = self.weights.copy() if own else self.weights

    def take_units(self, model: "OnlineClassifier", units: Units, factor: Fraction) -> None:
        """Count in these units from now on, in which the weights are `factor` times as many."""
        if units == self.units:
            return
        self.units, self.weights = units, np.array(scaled(self.weights, factor))
        for vector in (*self.averages, *self.pockets):
            vector[:] = scaled(vector, factor)
        self._set_front()
        self.attach(model)

    def take_parameters(self, model: "OnlineClassifier") -> None:
        """Remember the model's parameters, and which labels `learn_row` may take."""
        from rosenblatt.kernels.kinds import WideMargin

        self.parameters = model._stream_parameters()
        self._look_up = attrgetter(*self.parameters)
        self._values = self._look_up(model)
        plain = len(model.classes_) == 2 and not (model.class_weight or self.grows or isinstance(self.rule, WideMargin))
        self.codes = dict(zip(model.classes_.tolist(), (-1, 1), strict=True)) if plain else {}  # label → sign

    @property
    def shown(self) -> Floats:
        """The weights the model answers with: the running ones, their averages, or those of the longest runs."""
        if self.settings.average:
            runs = zip(self.weights, self.averages, self.clocks, strict=True)
            means = np.array([w - average / max(1, clock.t) for w, average, clock in runs])
            self.front[:] = scaled(means, self.units.unit)
            return self.front
        if self.settings.pocket:
            longest = [clock.longest > 0 for clock in self.clocks]
            kept = np.where(np.array(longest)[:, None], np.array(self.pockets), self.weights)
            return scaled(kept, self.units.unit)
        if self.front is not self.weights:
            self.front[:] = scaled(self.weights, self.units.unit)
        return self.front

    def attach(self, model: "OnlineClassifier") -> None:
        """Show the weights as the model's attributes."""
        self.counts[:] = self.clocks[0].t, self.clocks[0].corrections
        answering = self._answering(len(self.clocks) - 1) if self.grows else slice(None)
        model._set_weights(self.shown[answering])
        model.n_updates_ = sum(clock.corrections for clock in self.clocks[answering])

    @staticmethod
    def _answering(classes: int) -> slice:
        """The runs that a model of so many classes answers with; a model of two classes needs only the second."""
        return slice(1, 2) if classes == 2 else slice(classes)

    def add_classes(self, places: Places) -> None:
        """Insert new classes before these places; each goes on from the run of a class not seen yet."""
        self._settle()
        last = len(self.clocks) - 1
        order = np.insert(np.arange(last + 1), places, last).tolist()
        self.weights = self.weights[order]
        self.averages = [self.averages[k].copy() for k in order]
        self.pockets = [self.pockets[k].copy() for k in order]
        self.clocks = [self.clocks[k].copy() for k in order]
        self.counts[:] = self.clocks[0].t, self.clocks[0].corrections
        self._set_front()

    def learn(self, model: "OnlineClassifier", rows: Rows, targets: list[Any], weights: Floats) -> None:
        """Show each row once, in the order given, to every run."""
        from rosenblatt.kernels.kept import KeptAnswers
        from rosenblatt.kernels.kinds import Cyclic
        from rosenblatt.kernels.loop import learn

        self._settle()
        plain = not (self.settings.average or self.settings.pocket)
        if plain and not self.grows and model.coef_.base is not self.front:
            given = np.empty_like(self.weights)
            each = given.reshape(len(model.coef_), -1)
            each[:, : rows.p] = model.coef_
            each[:, rows.p :] = model.intercept_[:, None][:, : each.shape[1] - rows.p]
            self.units, self.weights[:] = model._in_units(given)
            self.rule = model._stream_rule(rows, self.units)
            self._set_front()
            self.set_norms()
        for k, y in enumerate(targets):
            clock = self.clocks[k]
            clock.begin_pass()
            shown = (rows.kernel, frozen(y), weights, self.rule, Cyclic(rows.n), self._memory(k), clock.record)
            t, kept = clock.t, KeptAnswers.of(rows.kernel, self.rule, rows.p)
            for _, stop in pieces(rows.n, rows.width * len(model.coef_) / len(targets)):
                learn(*shown, t + stop, kept)
                clock.take_counts()
        self.attach(model)

    def learn_row(self, model: "OnlineClassifier", X: object, y: Labels) -> bool:
        """Learn from one float64 row by one short call; False, and nothing is done, where `learn` is needed."""
        from rosenblatt.kernels.loop import learn_row

        if not (type(X) is np.ndarray and X.dtype == np.float64 and X.flags.c_contiguous and self.codes):
            return False
        # coef_ is a view of our weights: there is no pocket, and nobody has assigned other weights
        if X.shape != (1, model.n_features_in_) or len(y) != 1 or model.coef_.base is not self.front:
            return False
        if self._look_up(model) != self._values:  # a parameter was changed
            return False
        try:
            sign = self.codes.get(y[0])
        except TypeError:
            return False
        if sign is None:
            return False
        w, average, front = self.weights[0], self.averages[0], self.front[0]
        corrected = learn_row(X, sign, self.rule, w, average, front, self.counts)
        if corrected < 0:
            return False
        if self.units.unit != 1 and (corrected or average.size):
            front[:] = scaled(front.copy() if average.size else w, self.units.unit)
        model.n_updates_ += corrected
        return True

    def set_norms(self) -> None:
        """Work out ‖w‖² anew: other weights have come, or a rule that did not keep it."""
        for clock, w in zip(self.clocks, self.weights, strict=True):
            clock.set_norm(norm_sq(w))

    def _settle(self) -> None:
        """Tell the clock what `learn_row` has counted."""
        self.clocks[0].set_counts(*self.counts.tolist())

    def to_parts(self, prefix: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """Arrays and JSON, to be saved."""
        self._settle()
        arrays = {f"{prefix}weights": self.weights}
        for k, (average, pocket) in enumerate(zip(self.averages, self.pockets, strict=True)):
            arrays |= {f"{prefix}average{k}": average, f"{prefix}pocket{k}": pocket}
        metadata = {
            "settings": asdict(self.settings),
            "rule": [type(self.rule).__name__, *self.rule],
            "codes": [[label, sign] for label, sign in self.codes.items()],
            "clocks": [clock.to_json() for clock in self.clocks],
            "grows": self.grows,
            "units": self.units.to_json(),
        }
        return arrays, metadata

    @classmethod
    def from_parts(cls, arrays: dict[str, Any], metadata: dict[str, Any], prefix: str) -> "OnlineState":
        """The stream that `to_parts` took apart."""
        from rosenblatt.kernels.joint import Kesler
        from rosenblatt.kernels.kinds import RULES

        name, *values = metadata["rule"]
        rule = {one.__name__: one for one in (*RULES, Kesler)}[name](*values)
        settings = Settings(**{**metadata["settings"], "ties": tuple(metadata["settings"]["ties"])})
        grows = bool(metadata.get("grows", False))  # files of older versions do not say it
        stream = cls(arrays[f"{prefix}weights"], settings, rule, grows, Units.from_json(metadata.get("units")))
        if len(metadata["clocks"]) != len(stream.clocks):
            raise Damaged("a stream has not one clock for each run")
        for k, clock in enumerate(metadata["clocks"]):
            stream.averages[k][:] = arrays[f"{prefix}average{k}"]
            stream.pockets[k][:] = arrays[f"{prefix}pocket{k}"]
            stream.clocks[k].restore(clock)
            stream.clocks[k].take_counts()  # the loop's buffers are new, and empty
        return stream

    def _memory(self, k: int) -> Any:
        from rosenblatt.kernels.kinds import Memory

        none, no_rows, no_classes = np.empty(0), np.empty(0, dtype=np.int64), np.empty((0, 2), dtype=np.int64)
        kept = self.averages[k], self.pockets[k]
        return Memory(self.weights[k], *kept, none, none, no_rows, none, no_rows, self.mistakes, no_classes)
