"""What `fit` found: one record a probe, with the numbers that say what it is worth."""

from dataclasses import dataclass, fields, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rosenblatt.models.outcome import Outcome
from rosenblatt.probes.measuring import wilson
from rosenblatt.probes.words import Meaning, meaning, summary
from rosenblatt.verdicts.worth import Worth

if TYPE_CHECKING:
    from rosenblatt.learners.perceptron import Perceptron
    from rosenblatt.probes.picture import ProbesDisplay

__all__ = ["Probes"]


@dataclass(frozen=True, eq=False)
class Probes:
    """Many perceptrons, each with its null. Arrays have one entry, or one column, for each probe.

    A stack of L layers and B concepts makes L·B probes, layer by layer.

    Attributes
    ----------
    names, layer : list of str, array
        What the probe looks for, and in which layer (0 where X was no stack).
    weights : array of shape (p + 1, B)
        Bias last.
    outcome : list of Outcome
        SEPARATED (every sign certified) or BUDGET, each with its sentence.
    mistakes_per_pass : array of shape (passes, B)
        Zero after a probe has ended; `passes` says how many it made, `updates` how many corrections.
    labelled, positive, different : arrays of int
        Rows it learned from, those of them labelled +1, and how many different ones there are.
    training_accuracy, validation_accuracy : arrays
        The part of the rows that is right (validation NaN without rows held out); `training_interval` and
        `validation_interval` are 95 % confidence intervals (Wilson), (low, high).
    margin : array
        min y·s/‖(w, b)‖ over the rows learned from; negative where one is wrong.
    log10_fair, log10_sizes : arrays
        Cover's bounds: one in 10^(−log10) labelings by fair coins, or with these class sizes, is separable at most.
    control_training, control_validation : arrays of shape (controls, B)
        Accuracies of the copies with shuffled labels.
    selectivity : array
        Accuracy minus mean accuracy of the controls, on rows held out where there are any; NaN without controls.
    """

    names: list[str]
    layer: npt.NDArray[np.int64]
    weights: npt.NDArray[np.float64]
    mistakes_per_pass: npt.NDArray[np.int32]
    passes: npt.NDArray[np.int64]
    labelled: npt.NDArray[np.int64]
    positive: npt.NDArray[np.int64]
    different: npt.NDArray[np.int64]
    wrong: npt.NDArray[np.int64]
    hidden: npt.NDArray[np.int64]  # rows wrong in exact arithmetic only
    margin: npt.NDArray[np.float64]
    held_labelled: npt.NDArray[np.int64]
    held_positive: npt.NDArray[np.int64]
    held_wrong: npt.NDArray[np.int64]
    log10_fair: npt.NDArray[np.float64]
    log10_sizes: npt.NDArray[np.float64]
    control_training: npt.NDArray[np.float64]
    control_validation: npt.NDArray[np.float64]
    settings: dict[str, Any] | None = None
    _data: Any = None  # what the probes learned from, while the process lives; not saved

    @classmethod
    def join(cls, parts: list["Probes"], settings: dict[str, Any], data: Any) -> "Probes":
        """Probes that were trained apart as one."""
        longest = max(len(part.mistakes_per_pass) for part in parts)
        grown = [
            replace(
                part,
                mistakes_per_pass=np.pad(part.mistakes_per_pass, ((0, longest - len(part.mistakes_per_pass)), (0, 0))),
            )
            for part in parts
        ]
        arrays = {name: np.concatenate([getattr(part, name) for part in grown], axis=-1) for name in _arrays()}
        return cls(names=[name for part in parts for name in part.names], settings=settings, _data=data, **arrays)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        separated = int(np.count_nonzero(self.separated))
        layers = f" in {self.layers} layers" if self.layers > 1 else ""
        return f"<Probes: {len(self):,}{layers}, {separated:,} separated; {self._meaningful():,} more than chance>"

    def __str__(self) -> str:
        return summary(self)

    # ------------------------------------------------------------------------------------------------- what follows

    @cached_property
    def layers(self) -> int:
        """Number of layers."""
        return int(self.layer.max()) + 1

    @cached_property
    def separated(self) -> npt.NDArray[np.bool_]:
        """Whether every labelled row is on its side, each sign certified."""
        return np.asarray((self.wrong == 0) & (self.hidden == 0))

    @cached_property
    def updates(self) -> npt.NDArray[np.int64]:
        """Corrections made."""
        return np.asarray(self.mistakes_per_pass.sum(axis=0, dtype=np.int64))

    @property
    def outcome(self) -> list[Outcome]:
        """How each probe ended."""
        return [self._outcome(j) for j in range(len(self))]

    @cached_property
    def training_accuracy(self) -> npt.NDArray[np.float64]:
        """The part of the rows learned from that is right; NaN where none has a label."""
        return 1.0 - self.wrong / np.where(self.labelled, self.labelled, np.nan)

    @cached_property
    def validation_accuracy(self) -> npt.NDArray[np.float64]:
        """The part of the rows held out that is right; NaN where there are none."""
        return 1.0 - self.held_wrong / np.where(self.held_labelled, self.held_labelled, np.nan)

    @cached_property
    def training_interval(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """95 % confidence intervals of the training accuracy."""
        return wilson(self.labelled - self.wrong, self.labelled)

    @cached_property
    def validation_interval(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """95 % confidence intervals of the validation accuracy; (0, 1) without rows held out."""
        return wilson(self.held_labelled - self.held_wrong, self.held_labelled)

    @cached_property
    def accuracy(self) -> npt.NDArray[np.float64]:
        """On rows held out where there are any, else on those learned from."""
        return self.validation_accuracy if self.validated else self.training_accuracy

    @cached_property
    def validated(self) -> bool:
        """Whether rows were held out."""
        return bool(self.held_labelled.any())

    @cached_property
    def control(self) -> npt.NDArray[np.float64]:
        """Mean accuracy of the controls on the same rows as `accuracy`; NaN without controls."""
        copies = self.control_validation if self.validated else self.control_training
        return np.asarray(copies.mean(axis=0)) if len(copies) else np.full(len(self), np.nan)

    @cached_property
    def selectivity(self) -> npt.NDArray[np.float64]:
        """Accuracy minus control."""
        return np.asarray(self.accuracy - self.control)

    @cached_property
    def majority(self) -> npt.NDArray[np.float64]:
        """What always answering the larger class would get, on the same rows as `accuracy`."""
        rows = self.held_labelled if self.validated else self.labelled
        positive = self.held_positive if self.validated else self.positive
        return np.asarray(np.maximum(positive, rows - positive) / np.where(rows, rows, np.nan))

    def worth(self, j: int) -> Worth:
        """What it is worth that probe j is separated, if it is."""
        d, points = len(self.weights), int(self.different[j])
        bounds = float(self.log10_fair[j]), float(self.log10_sizes[j])
        return Worth(points, min(d, points), *bounds, d, fit_intercept=True)

    def meaning(self, j: int) -> Meaning:
        """Whether probe j is more than chance: "yes", "no" (not shown) or "open", and a sentence that says why."""
        return meaning(self, j)

    def says(self, j: int) -> str:
        """What probe j shows, in words."""
        return self.meaning(j).sentence

    # ------------------------------------------------------------------------------------------------------ choosing

    def select(self, which: Any) -> "Probes":
        """Some of the probes, by indices or a Boolean mask."""
        chosen = np.arange(len(self))[which]
        arrays = {name: getattr(self, name)[..., chosen] for name in _arrays()}
        return replace(self, names=[self.names[j] for j in chosen], _data=None, **arrays)

    def best(self) -> "Probes":
        """For each concept the layer where it reads best, the best concept first.

        By selectivity where there are controls, else by accuracy.
        """
        value = self.selectivity if not np.isnan(self.selectivity).all() else self.accuracy
        ranked = np.argsort(-np.nan_to_num(value, nan=-np.inf), kind="stable")
        first: dict[str, int] = {}
        for j in ranked.tolist():
            first.setdefault(self.names[j], j)
        return self.select(np.array(list(first.values())))

    def to_frame(self) -> Any:
        """One row a probe, as a pandas DataFrame."""
        try:
            pandas = import_module("pandas")
        except ImportError:
            raise ImportError("to_frame needs pandas, which is not installed: pip install pandas.") from None
        return pandas.DataFrame(self.records())

    def records(self) -> list[dict[str, Any]]:
        """One dict a probe, of plain numbers and text: what `to_frame`, JSON and the page show."""
        columns = {
            "layer": self.layer,
            "labelled": self.labelled,
            "positive": self.positive,
            "passes": self.passes,
            "updates": self.updates,
            "training_accuracy": self.training_accuracy,
            "training_low": self.training_interval[0],
            "training_high": self.training_interval[1],
            "validation_accuracy": self.validation_accuracy,
            "validation_low": self.validation_interval[0],
            "validation_high": self.validation_interval[1],
            "control": self.control,
            "selectivity": self.selectivity,
            "majority": self.majority,
            "margin": self.margin,
            "log10_fair": self.log10_fair,
            "log10_sizes": self.log10_sizes,
        }
        plain = {name: values.tolist() for name, values in columns.items()}
        return [
            {"name": name, **{column: values[j] for column, values in plain.items()}}
            | {"outcome": str(self._outcome(j)), "means": self.meaning(j).verdict, "says": self.says(j)}
            for j, name in enumerate(self.names)
        ]

    # --------------------------------------------------------------------------------------------- one probe by itself

    def examples(self, j: int) -> tuple[npt.NDArray[Any], npt.NDArray[np.int8]]:
        """The labelled rows probe j learned from, and their signs: for `rb.separability(*probes.examples(j))`."""
        X, y = self._learned(j)
        labelled = np.flatnonzero(y)
        return X[labelled], y[labelled]

    def as_estimator(self, j: int, trace: bool = False) -> "Perceptron":
        """Probe j as an ordinary `Perceptron` with the classes −1 and +1.

        It has the probe's weights. With `trace=True` the run is made again, row after row in float64, and recorded in
        `trace_`; that needs the data, so it works in the process that called `fit`.
        """
        from rosenblatt.probes.estimator import traced_again, with_weights

        return traced_again(self, j, *self._learned(j)) if trace else with_weights(self, j)

    def plot(self) -> "ProbesDisplay":
        """Accuracy against control over the layers, margins, and the capacity line; see `ProbesDisplay`."""
        from rosenblatt.probes.picture import ProbesDisplay

        return ProbesDisplay(self).plot()

    # ------------------------------------------------------------------------------------------------------- helpers

    def _learned(self, j: int) -> tuple[Any, npt.NDArray[np.int8]]:
        """All rows of probe j's layer that were learned from, and their signs, 0 where there is none."""
        if self._data is None:
            raise ValueError("the data are not at hand: these probes were loaded or selected; ask those of `fit`.")
        j = range(len(self))[j]
        concepts = self._data.signs.shape[1]
        X = self._data.layers[j // concepts]
        X = X.cpu().numpy() if hasattr(X, "is_cuda") else np.asarray(X[0 : X.shape[0]])
        return X, self._data.signs[:, j % concepts]

    def _outcome(self, j: int) -> Outcome:
        rows, passes = f"{self.labelled[j]:,}", f"{self.passes[j]:,} pass{'es' if self.passes[j] != 1 else ''}"
        if self.separated[j]:
            return Outcome("SEPARATED", f"all {rows} examples are on their side after {self.updates[j]:,} corrections.")
        if self.hidden[j]:
            return Outcome(
                "BUDGET",
                f"float64 sees no mistake after {passes}, but in exact arithmetic {self.hidden[j]:,} of {rows} "
                f"examples are not on their side: rounding hides it. Scale X.",
            )
        return Outcome("BUDGET", f"{self.wrong[j]:,} of {rows} examples are still on the wrong side after {passes}.")

    def _meaningful(self) -> int:
        return sum(self.meaning(j).verdict == "yes" for j in range(len(self)))

    def _to_parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        return {name: getattr(self, name) for name in _arrays()}, {"names": self.names, "settings": self.settings}

    @classmethod
    def _from_parts(cls, arrays: dict[str, Any], metadata: dict[str, Any]) -> "Probes":
        arrays = {"different": arrays["labelled"], **arrays}  # not saved before version 1: no bound becomes false
        return cls(names=metadata["names"], settings=metadata["settings"], **arrays)


def _arrays() -> list[str]:
    return [field.name for field in fields(Probes) if field.name not in ("names", "settings", "_data")]
