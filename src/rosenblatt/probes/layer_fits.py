"""The probes of one layer: trained with their controls, in portions that fit in memory, and judged."""

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Places
from rosenblatt.context import Progress
from rosenblatt.probes.devices.arrays import RowSource, is_tensor
from rosenblatt.probes.devices.training import Tick
from rosenblatt.probes.evidence.chance import Shuffles
from rosenblatt.probes.evidence.measuring import HeldOut, Score, confusions, count_columns, judge, score
from rosenblatt.probes.learning.trainer import Trainer
from rosenblatt.probes.reading.copies import row_numbers
from rosenblatt.probes.reading.labels import Labels
from rosenblatt.probes.reading.sides import Side
from rosenblatt.probes.result import Probes

__all__ = ["LayerFits"]

_BUDGET = {"cpu": 1 << 28, "cuda": 1 << 33}  # bytes of the labels and weights that are trained at a time


@dataclass(frozen=True)
class LayerFits:
    """Trains and judges all probes of a layer; its fields are the same for all layers."""

    labels: Labels
    learn: Side
    judges: Side | None
    methods: list[str]
    device: str
    controls: int
    salt: int
    aside: Places | None
    how: dict[str, Any]
    progress: Progress | None
    confusions: list[dict[str, Any]] = field(default_factory=list)

    @cached_property
    def shuffles(self) -> Shuffles:
        """Random arrangements of groups; more of them for more probes, whose correction needs smaller p-values."""
        columns = len(self.methods) * len(self.labels.names) + len(self.labels.number_names)
        return Shuffles(self.salt, columns * len(self.learn.layers))

    def layer(self, number: int, title: str) -> list[Probes]:
        """All probes of a layer, method by method."""
        X_learn = self.learn.on(self.device, number)
        X_test = self.judges.on(self.device, number) if self.judges else None
        trainer = Trainer(X_learn, self.device, aside=self.aside, **self.how)
        distinct = _equal_rows(X_learn)
        found = []
        for method in self.methods if self.labels.names else []:
            mine = []
            for cut in _portions(len(self.labels.names), X_learn.shape, self.controls, self.device):
                where = f"{title}: " * bool(title) + f"{method}, {_which_probes(cut)}"
                mine.append(self._classes(trainer, X_test, method, cut, number, distinct, self._tick(where)))
            if self.judges is not None and X_test is not None:
                weights = np.concatenate([part.weights for part in mine], axis=1)
                told = confusions(X_test, self.labels, self.judges.signs, weights, self.judges.groups)
                self.confusions.extend({"layer": number, "method": method, **one} for one in told)
            found += mine
        return found + ([self._numbers(trainer, X_test, number)] if self.labels.number_names else [])

    def _classes(
        self,
        trainer: Trainer,
        X_test: RowSource | None,
        method: str,
        cut: slice,
        number: int,
        distinct: Places | None,
        tick: Tick | None,
    ) -> Probes:
        learn, judges, names = self.learn, self.judges, self.labels.names[cut]
        Y = np.ascontiguousarray(learn.signs[:, cut])
        others = learn.controls(cut, self.controls, [self.salt, 0], learn, self.device)
        fitted, copies = trainer.fit_with_controls(method, Y, others, tick)
        seen = score(trainer.X, Y, fitted.weights, certify=True)
        null = score(trainer.X, others, copies).accuracy.reshape(self.controls, len(names))
        held, new_null = HeldOut.nothing(len(names)), null[:0]
        if judges is not None and X_test is not None:
            signs = judges.signs[:, cut]
            held = judge(X_test, signs, fitted.weights, judges.groups, self.shuffles, method == "logistic")
            new = judges.controls(cut, self.controls, [self.salt, 1], learn, self.device)
            new_null = score(X_test, new, copies).accuracy.reshape(self.controls, len(names))
        found = vars(fitted) | seen._asdict() | held._asdict() | _worths(Y, seen, distinct, trainer.X.shape[1] + 1)
        return _probes(names, method, number, False, found | {"control_training": null, "control_test": new_null})

    def _numbers(self, trainer: Trainer, X_test: RowSource | None, number: int) -> Probes:
        Y, names, judges = self.learn.numbers, self.labels.number_names, self.judges
        fitted = trainer.fit("least-squares", Y)
        B, known = len(names), count_columns(~np.isnan(Y))
        seen = Score(known, 0 * known, known, 0 * known, np.full(B, np.nan))
        null, held = np.full((self.controls, B), np.nan), HeldOut.nothing(B)
        if judges is not None and X_test is not None:
            held = judge(X_test, judges.numbers, fitted.weights, judges.groups, self.shuffles, False)
        found = vars(fitted) | seen._asdict() | held._asdict() | _worths(Y, seen, None, trainer.X.shape[1] + 1)
        controls = {"control_training": null, "control_test": null[:0] if judges is None else null}
        return _probes(names, "least-squares", number, True, found | controls)

    def _tick(self, where: str) -> Tick | None:
        progress, passes = self.progress, self.how["passes"]
        if progress is None:
            return None
        return lambda made, left: progress(f"{where}, {left:,} still learning", made, passes)


def _probes(names: list[str], method: str, layer: int, numeric: bool, found: dict[str, Any]) -> Probes:
    """The probes of one method in one layer; `found` has the other fields of `Probes`, by name."""
    B = len(names)
    return Probes(names, [method] * B, np.full(B, layer), np.full(B, numeric), **found)


# ------------------------------------------------------------------------------------------------------------- portions


def _portions(probes: int, shape: tuple[int, int], controls: int, device: str) -> list[slice]:
    """Which probes are trained together, so that labels and weights, with the controls', stay within the budget."""
    each = (1 + controls) * (2 * shape[0] + 24 * (shape[1] + 1))
    size = max(1, min(probes, _BUDGET[device] // each))
    return [slice(first, min(probes, first + size)) for first in range(0, probes, size)]


def _which_probes(cut: slice) -> str:
    return f"probes {cut.start + 1}–{cut.stop}" if cut.stop - cut.start > 1 else f"probe {cut.stop}"


def _equal_rows(X: RowSource) -> Places | None:
    """Equal numbers for equal rows. None where all differ, or comparing takes long (Cover's bounds hold anyway)."""
    n, p = X.shape
    if n * p > 1 << 24 or is_tensor(X):
        return None
    found = row_numbers(np.asarray(X[0:n]))
    return None if found.max(initial=0) == n - 1 else found


def _worths(Y: npt.NDArray[Any], seen: Score, distinct: Places | None, d: int) -> dict[str, Any]:
    """How many different rows each probe learned from, and Cover's log10 probabilities for these."""
    different = seen.labelled
    if distinct is not None:
        different = np.array([np.unique(distinct[y != 0]).size for y in Y.T], dtype=np.int64)
    counts = zip(seen.labelled.tolist(), seen.positive.tolist(), different.tolist(), strict=True)
    fair, sizes = np.array([_worth(*one, d) for one in counts]).T
    return {"different": different, "log10_fair": fair, "log10_sizes": sizes}


@lru_cache(maxsize=1 << 16)
def _worth(labelled: int, positive: int, different: int, d: int) -> tuple[float, float]:
    """Cover's log10 probabilities: labels by fair coins, and with these class sizes."""
    from rosenblatt.verdicts.words import Worth

    if not labelled:
        return 0.0, 0.0
    worth = Worth.of(labelled, positive, different, d)
    return worth.log10_fair, worth.log10_sizes
