"""What `fit` found: one record a probe, with the numbers that say what it is worth."""

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Flags, Floats, Places, Selection, Signs
from rosenblatt.data.refusal import imported
from rosenblatt.data.wording import count
from rosenblatt.models.outcome import Outcome
from rosenblatt.probes.devices.arrays import is_tensor
from rosenblatt.probes.devices.training import as_long_as_the_longest
from rosenblatt.probes.evidence.chance import adjusted
from rosenblatt.probes.evidence.measures import MEASURES
from rosenblatt.probes.evidence.words import Meaning, meaning, summary
from rosenblatt.verdicts.words import Worth

if TYPE_CHECKING:
    from rosenblatt.learners.perceptron import Perceptron
    from rosenblatt.probes.picture import ProbesDisplay

__all__ = ["Probes"]

# columns of `records`, after the measures: what each probe is worth, and how it was trained
_WORTH = ("p", "p_adjusted", "draws", "choice", "strength", "training_accuracy", "control", "selectivity", "majority")
_RUN = ("passes", "updates", "gradient", "margin", "log10_fair", "log10_sizes")


@dataclass(frozen=True, eq=False)
class Probes:
    """Many linear probes, each with what it is worth. Arrays have one entry, or one column, for each probe.

    L layers, M methods and B concepts make L·M·B probes: layer by layer, method by method.

    Attributes
    ----------
    names, method, layer : list of str, list of str, array
        What the probe looks for, how it was trained, and in which layer (0 where X was no stack); `titles` are the
        layers' names.
    numeric : array of bool
        Which probes predict numbers.
    weights : array of shape (p + 1, B)
        For the columns as given; bias last.
    outcome : list of Outcome
        SEPARATED (every sign certified) or BUDGET, each with its sentence.
    mistakes_per_pass, passes, updates : arrays
        Of perceptrons: mistakes (passes, B), zero after a probe has ended; passes it made, corrections it made.
    gradient, strength : arrays
        Of a logistic probe, the length of its loss's gradient where it ended; λ of a penalised method. Else NaN.
    choice : array
        AUROC (of numbers R²) on the rows to choose on, trained without them; NaN where nothing was chosen.
    labelled, positive, different : arrays of int
        Rows it learned from, those of them labelled +1, and how many different ones there are.
    training_accuracy : array
        The part of the rows learned from that is right.
    measures : array of shape (6, 3, B)
        On rows held out, each with its 95 % interval (value, low, high); NaN where not meant. By name:
        `accuracy`, `auc`, `balanced_accuracy`, `recall_at_1` (at 1 % false positives), `log_loss`, `r2`, and
        `interval("auc")`.
    p, p_adjusted : arrays
        How likely chance alone does as well on rows held out (permutations), and the same after Benjamini and
        Hochberg's correction for all probes of the call.
    draws, held_groups : arrays of int
        Arrangements of the labels that p was drawn from (0: counted or computed), and among the rows held out the
        groups of the class that fewer groups have (0: every row stands alone).
    margin : array
        min y·s/‖(w, b)‖ over the rows learned from; negative where one is wrong.
    log10_fair, log10_sizes : arrays
        Cover's bounds: one in 10^(−log10) labelings by fair coins, or with these class sizes, is separable at most.
    control_training, control_test : arrays of shape (controls, B)
        Accuracies on control tasks.
    control_q : array
        How likely labels at random are learned as well, by the controls, corrected for all probes of the call.
    looks : int
        Probes of the call.
    selectivity : array
        Accuracy minus mean accuracy of the controls, on rows held out where there are any; NaN without controls.
    confusions : list of dict
        Of each concept of several classes, in each layer and by each method: the classes, how often each (row) was
        answered with each (column) on rows held out, and the accuracy of the largest response, with its interval.
    """

    names: list[str]
    method: list[str]
    layer: Places
    numeric: Flags
    weights: Floats
    mistakes_per_pass: npt.NDArray[np.int32]
    passes: Places
    gradient: Floats
    strength: Floats
    choice: Floats
    labelled: Places
    positive: Places
    different: Places
    wrong: Places
    hidden: Places  # rows wrong in exact arithmetic only
    margin: Floats
    held_labelled: Places
    held_positive: Places
    measures: Floats
    p: Floats
    draws: Places
    held_groups: Places
    log10_fair: Floats
    log10_sizes: Floats
    control_training: Floats
    control_test: Floats
    p_adjusted: Floats | None = None
    control_q: Floats | None = None
    family: int = 0  # probes of the call that p_adjusted counts
    looks: int = 0  # probes of the call
    settings: dict[str, Any] | None = None
    confusions: list[dict[str, Any]] | None = None
    _data: Any = None  # what the probes learned from, while the process lives; not saved

    @classmethod
    def join(
        cls, parts: list["Probes"], settings: dict[str, Any], data: Any, confusions: list[dict[str, Any]]
    ) -> "Probes":
        """Probes that were trained apart as one family."""
        several = {
            name: [getattr(part, name) for part in parts]
            for name in _arrays()
            if name not in ("p_adjusted", "control_q")
        }
        several["mistakes_per_pass"] = as_long_as_the_longest(several["mistakes_per_pass"])
        arrays: dict[str, Any] = {name: np.concatenate(some, axis=-1) for name, some in several.items()}
        names, methods = ([one for part in parts for one in getattr(part, name)] for name in ("names", "method"))
        copies, seen = (
            arrays["control_training"],
            1.0 - arrays["wrong"] / np.where(arrays["labelled"], arrays["labelled"], np.nan),
        )
        by_controls = np.where(np.isnan(seen), np.nan, (1.0 + (copies >= seen).sum(axis=0)) / (1.0 + len(copies)))
        family = int(np.count_nonzero(~np.isnan(arrays["p"])))
        more = {"settings": settings, "confusions": confusions, "_data": data}
        arrays |= {"p_adjusted": adjusted(arrays["p"]), "control_q": adjusted(by_controls)}
        return cls(names, methods, **arrays, family=family, looks=len(names), **more)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        separated = int(np.count_nonzero(self.separated))
        layers = f" in {self.layers} layers" if self.layers > 1 else ""
        shown = sum(self.meaning(j).verdict == "yes" for j in range(len(self)))
        return f"<Probes: {len(self):,}{layers}, {separated:,} separated; {shown:,} more than chance>"

    def __str__(self) -> str:
        return summary(self)

    # ------------------------------------------------------------------------------------------------- what follows

    @cached_property
    def layers(self) -> int:
        """Number of layers."""
        return int(self.layer.max()) + 1

    @cached_property
    def separated(self) -> Flags:
        """Whether every labelled row is on its side, each sign certified."""
        return np.asarray((self.wrong == 0) & (self.hidden == 0))

    @cached_property
    def updates(self) -> Places:
        """Corrections made."""
        return np.asarray(self.mistakes_per_pass.sum(axis=0, dtype=np.int64))

    @property
    def outcome(self) -> list[Outcome]:
        """How each probe ended."""
        return [self.outcome_of(j) for j in range(len(self))]

    @cached_property
    def training_accuracy(self) -> Floats:
        """The part of the rows learned from that is right; NaN where none has a label."""
        return 1.0 - self.wrong / np.where(self.labelled, self.labelled, np.nan)

    def interval(self, name: str) -> tuple[Floats, Floats]:
        """95 % confidence intervals (low, high) of a measure on rows held out; with `groups` they count groups."""
        low, high = self.measures[MEASURES.index(name), 1:]
        return low, high

    def __getattr__(self, name: str) -> Floats:
        """The measures on rows held out, by name."""
        if name not in MEASURES or name == "accuracy":
            raise AttributeError(f"Probes has no attribute {name!r}.")
        return np.asarray(self.measures[MEASURES.index(name), 0])

    @cached_property
    def accuracy(self) -> Floats:
        """On rows held out where there are any, else on those learned from."""
        return np.asarray(self.measures[0, 0]) if self.tested else self.training_accuracy

    @cached_property
    def tested(self) -> bool:
        """Whether rows were held out."""
        return bool(self.held_labelled.any())

    @cached_property
    def titles(self) -> list[str]:
        """What the layers are called."""
        return list((self.settings or {}).get("layers") or [f"layer {k}" for k in range(self.layers)])

    @cached_property
    def control(self) -> Floats:
        """Mean accuracy of the controls on the same rows as `accuracy`; NaN without controls."""
        copies = self.control_test if self.tested else self.control_training
        return np.asarray(copies.mean(axis=0)) if len(copies) else np.full(len(self), np.nan)

    @cached_property
    def selectivity(self) -> Floats:
        """Accuracy minus control."""
        return np.asarray(self.accuracy - self.control)

    @cached_property
    def majority(self) -> Floats:
        """What always answering the larger class would get, on the same rows as `accuracy`."""
        rows = self.held_labelled if self.tested else self.labelled
        positive = self.held_positive if self.tested else self.positive
        return np.asarray(np.maximum(positive, rows - positive) / np.where(rows, rows, np.nan))

    def worth(self, j: int) -> Worth:
        """What it is worth that probe j is separated, if it is."""
        rows, positive, different = (int(one[j]) for one in (self.labelled, self.positive, self.different))
        return Worth.of(rows, positive, different, len(self.weights), fit_intercept=True)

    def meaning(self, j: int) -> Meaning:
        """Whether probe j is more than chance: "yes", "no" (not shown) or "open", and a sentence that says why."""
        return meaning(self, j)

    def says(self, j: int) -> str:
        """What probe j shows, in words."""
        return self.meaning(j).sentence

    # ------------------------------------------------------------------------------------------------------ choosing

    def select(self, which: Selection) -> "Probes":
        """Some of the probes, by indices or a Boolean mask; p-values stay corrected for all of the call."""
        chosen = np.arange(len(self))[which]
        arrays = {name: getattr(self, name)[..., chosen] for name in _arrays()}
        names, methods = ([values[j] for j in chosen] for values in (self.names, self.method))
        return replace(self, names=names, method=methods, _data=None, **arrays)

    def best(self) -> "Probes":
        """For each concept the layer and the method that read it best, the best concept first.

        By `choice`, on rows that judge nothing, so what is said of the best is as true as of any other. Where nothing
        was chosen: by selectivity, or by accuracy, on the rows that judge, so the best is a little too good.
        """
        value = self.choice
        for other in (self.selectivity, self.accuracy):
            value = other if np.isnan(value).all() else value
        ranked = np.argsort(-np.nan_to_num(value, nan=-np.inf), kind="stable")
        first: dict[str, int] = {}
        for j in ranked.tolist():
            first.setdefault(self.names[j], j)
        return self.select(np.array(list(first.values())))

    def to_frame(self) -> Any:
        """One row for each layer, method and concept, as a pandas DataFrame."""
        return imported("pandas", "to_frame").DataFrame(self.records())

    def to_arrow(self) -> Any:
        """The same as an Arrow table."""
        return imported("pyarrow", "to_arrow").Table.from_pylist(self.records())

    def records(self) -> list[dict[str, Any]]:
        """One dict a probe, of plain numbers and text: what `to_frame`, JSON and the page show."""
        columns: dict[str, Any] = {"layer": self.layer, "labelled": self.labelled, "positive": self.positive}
        for name, measured in zip(MEASURES, self.measures, strict=True):
            columns |= dict(zip((name, f"{name}_low", f"{name}_high"), measured, strict=True))
        columns |= {name: getattr(self, name) for name in (*_WORTH, *_RUN)}
        plain = {name: values.tolist() for name, values in columns.items()}
        return [
            {"name": name, "method": self.method[j], "layer_name": self.titles[self.layer[j]]}
            | {column: values[j] for column, values in plain.items()}
            | {"outcome": str(self.outcome_of(j)), "means": self.meaning(j).verdict, "says": self.says(j)}
            for j, name in enumerate(self.names)
        ]

    # --------------------------------------------------------------------------------------------- one probe by itself

    def examples(self, j: int) -> tuple[npt.NDArray[Any], Signs]:
        """The labelled rows probe j learned from, and their signs: for `rb.separability(*probes.examples(j))`."""
        X, y = self._learned(j)
        labelled = np.flatnonzero(y)
        return X[labelled], y[labelled]

    def direction(self, j: int) -> Floats:
        """The direction of length 1 along which probe j's response grows fastest, in the columns as given: to steer by.

        Moving a row by t along it moves its response by t·‖w‖. Of weights that are all 0 there is none: NaN.
        """
        w = self.weights[:-1, j]
        with np.errstate(invalid="ignore"):
            return np.asarray(w / np.linalg.norm(w))

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

    def _learned(self, j: int) -> tuple[Any, Signs]:
        """All rows of probe j's layer that were learned from, and their signs, 0 where there is none."""
        if self._data is None:
            raise ValueError("the data are not at hand: these probes were loaded or selected; ask those of `fit`.")
        j = range(len(self))[j]
        if self.numeric[j]:
            raise ValueError(f"{self.names[j]!r} is a number: there are no classes to tell apart.")
        X = self._data.layers[self.layer[j]]
        X = X.cpu().numpy() if is_tensor(X) else np.asarray(X[0 : X.shape[0]])
        before = self.layer[:j] == self.layer[j]
        return X, self._data.signs[:, int(np.count_nonzero(before)) % self._data.signs.shape[1]]

    def outcome_of(self, j: int) -> Outcome:
        """How probe j ended."""
        rows, wrong = f"{self.labelled[j]:,}", f"{self.wrong[j]:,}"
        passes = count(int(self.passes[j]), "pass", "passes")
        if self.numeric[j]:
            return Outcome("BUDGET", f"{rows} numbers, by least squares.")
        if self.separated[j]:
            after = f" after {self.updates[j]:,} corrections" * (self.method[j] == "perceptron")
            return Outcome("SEPARATED", f"all {rows} examples are on their side{after}.")
        if self.method[j] == "logistic":
            end = f"the gradient of its loss has length {self.gradient[j]:.2g}"
            return Outcome("BUDGET", f"{wrong} of {rows} examples are not on their side; {end}.")
        if self.method[j] != "perceptron":
            return Outcome("BUDGET", f"{wrong} of {rows} examples are not on their side.")
        if self.hidden[j]:
            seen = f"float64 sees no mistake after {passes}, but in exact arithmetic {self.hidden[j]:,} of {rows}"
            return Outcome("BUDGET", f"{seen} examples are not on their side: rounding hides it. Scale X.")
        return Outcome("BUDGET", f"{wrong} of {rows} examples are still not on their side after {passes}.")

    def _to_parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        return {name: getattr(self, name) for name in _arrays()}, {name: getattr(self, name) for name in _TEXTS}

    @classmethod
    def _from_parts(cls, arrays: dict[str, Any], metadata: dict[str, Any]) -> "Probes":
        return cls(**{name: metadata[name] for name in _TEXTS}, **arrays)


_TEXTS = ("names", "method", "family", "looks", "settings", "confusions")


def _arrays() -> list[str]:
    return [field.name for field in fields(Probes) if field.name not in (*_TEXTS, "_data")]
