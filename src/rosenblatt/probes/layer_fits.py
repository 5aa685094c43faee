"""The probes of one layer: trained in portions that memory holds, beside their controls, and judged."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.probes.chance import Shuffles
from rosenblatt.probes.judging import confusions, judge
from rosenblatt.probes.labels import Labels
from rosenblatt.probes.measures import MEASURES, Findings
from rosenblatt.probes.measuring import Score, count_columns, score
from rosenblatt.probes.methods import FittedProbes, Trainer
from rosenblatt.probes.result import Probes
from rosenblatt.probes.sides import Side
from rosenblatt.probes.training import Tick

__all__ = ["LayerFits", "Progress"]

Progress = Callable[[str, int, int, int], None]

_BUDGET = {"cpu": 1 << 28, "cuda": 1 << 33}  # bytes of labels and weights at work at a time


@dataclass(frozen=True)
class LayerFits:
    """Trains and judges all probes of a layer; what it holds is the same for all layers."""

    labels: Labels
    learn: Side
    judges: Side | None
    methods: list[str]
    device: str
    controls: int
    salt: int
    aside: npt.NDArray[np.bool_] | None
    how: dict[str, Any]
    progress: Progress | None
    confusions: list[dict[str, Any]] = field(default_factory=list)

    @cached_property
    def shuffles(self) -> Shuffles:
        """Arrangements of groups; as many as the smallest p-value of this many probes needs."""
        columns = len(self.methods) * len(self.labels.names) + len(self.labels.number_names)
        return Shuffles(self.salt, columns * len(self.learn.layers))

    def layer(self, number: int, title: str) -> list[Probes]:
        """All probes of a layer, method by method."""
        X_learn = self.learn.on(self.device, number)
        X_test = self.judges.on(self.device, number) if self.judges else None
        trainer = Trainer(X_learn, self.device, aside=self.aside, **self.how)
        distinct = _row_numbers(X_learn)
        found = []
        for method in self.methods if self.labels.names else []:
            mine = []
            for cut in _portions(len(self.labels.names), X_learn.shape, self.controls, self.device):
                where = f"{title}: " * bool(title) + f"{method}, {_counted(cut)}"
                mine.append(self._classes(trainer, X_test, method, cut, number, distinct, self._tick(where)))
            if self.judges is not None:
                weights = np.concatenate([part.weights for part in mine], axis=1)
                told = confusions(X_test, self.labels, self.judges.signs, weights, self.judges.groups)
                self.confusions.extend({"layer": number, "method": method, **one} for one in told)
            found += mine
        return found + ([self._numbers(trainer, X_test, number)] if self.labels.number_names else [])

    def _classes(
        self, trainer: Trainer, X_test: Any, method: str, cut: slice, number: int, distinct: Any, tick: Tick | None
    ) -> Probes:
        learn, judges, names = self.learn, self.judges, self.labels.names[cut]
        Y = np.ascontiguousarray(learn.signs[:, cut])
        others = learn.controls(cut, self.controls, [self.salt, 0], learn, self.device)
        fitted, copies = trainer.fit_with_controls(method, Y, others, tick)
        seen = score(trainer.X, Y, fitted.weights, certify=True)
        null = score(trainer.X, others, copies).accuracy.reshape(self.controls, len(names))
        held, held_null = None, null[:0]
        if judges is not None:
            held = judge(
                X_test, judges.signs[:, cut], fitted.weights, judges.groups, self.shuffles, method == "logistic"
            )
            new = judges.controls(cut, self.controls, [self.salt, 1], learn, self.device)
            held_null = score(X_test, new, copies).accuracy.reshape(self.controls, len(names))
        return _record(
            names,
            method,
            number,
            fitted,
            held,
            held_null,
            null,
            seen,
            Y,
            None if judges is None else judges.signs[:, cut],
            distinct,
        )

    def _numbers(self, trainer: Trainer, X_test: Any, number: int) -> Probes:
        Y = self.learn.numbers
        fitted = trainer.fit("least-squares", Y)
        held = None
        if self.judges is not None:
            held = judge(X_test, self.judges.numbers, fitted.weights, self.judges.groups, self.shuffles, False)
        B, known = Y.shape[1], ~np.isnan(Y)
        nothing = np.full((self.controls, B), np.nan)
        counted = known.sum(axis=0)
        blank = np.zeros(B, dtype=np.int64)
        seen = Score(counted, blank, counted, np.full(B, np.nan), np.ones(B), blank)
        return _record(
            self.labels.number_names,
            "least-squares",
            number,
            fitted,
            held,
            nothing if held else nothing[:0],
            nothing,
            seen,
            known.astype(np.int8),
            None if self.judges is None else ~np.isnan(self.judges.numbers),
            None,
            numeric=True,
        )

    def _tick(self, where: str) -> Tick | None:
        progress, passes = self.progress, self.how["passes"]
        return None if progress is None else lambda made, left: progress(where, made, passes, left)


def _record(
    names: list[str],
    method: str,
    layer: int,
    fitted: FittedProbes,
    held: Findings | None,
    held_null: npt.NDArray[np.float64],
    null: npt.NDArray[np.float64],
    seen: Score,
    Y: npt.NDArray[np.int8],
    Y_test: npt.NDArray[Any] | None,
    distinct: npt.NDArray[np.int64] | None,
    numeric: bool = False,
) -> Probes:
    B = len(names)
    counts = _counts(Y, seen, distinct)
    worths = [_worth(*one, len(fitted.weights)) for one in counts]
    nothing = np.zeros(B, dtype=np.int64)
    return Probes(
        names=names,
        method=[method] * B,
        layer=np.full(B, layer),
        numeric=np.full(B, numeric),
        weights=fitted.weights,
        mistakes_per_pass=fitted.mistakes,
        passes=fitted.passes,
        gradient=fitted.gradient,
        strength=fitted.strength,
        choice=fitted.choice,
        labelled=seen.labelled,
        positive=seen.positive,
        different=np.array([different for _, _, different in counts], dtype=np.int64),
        wrong=seen.wrong,
        hidden=seen.hidden,
        margin=seen.margin,
        held_labelled=nothing if Y_test is None else count_columns(Y_test != 0),
        held_positive=nothing if Y_test is None else count_columns(Y_test > 0),
        measures=np.full((len(MEASURES), 3, B), np.nan) if held is None else held.values,
        p=np.full(B, np.nan) if held is None else held.p,
        log10_fair=np.array([worth[0] for worth in worths]),
        log10_sizes=np.array([worth[1] for worth in worths]),
        control_training=null,
        control_test=held_null,
    )


# ------------------------------------------------------------------------------------------------------------- portions


def _portions(probes: int, shape: tuple[int, int], controls: int, device: str) -> list[slice]:
    """Probes that are trained together with their controls, so that labels and weights stay within the budget."""
    each = (1 + controls) * (2 * shape[0] + 24 * (shape[1] + 1))
    size = max(1, min(probes, _BUDGET[device] // each))
    return [slice(first, min(probes, first + size)) for first in range(0, probes, size)]


def _counted(cut: slice) -> str:
    return f"probes {cut.start + 1}–{cut.stop}" if cut.stop - cut.start > 1 else f"probe {cut.stop}"


def _row_numbers(X: Any) -> npt.NDArray[np.int64] | None:
    """Equal numbers for equal rows; None where all differ, or where finding out would take long (bounds still hold)."""
    n, p = X.shape
    if n * p > 1 << 24 or hasattr(X, "is_cuda"):
        return None
    numbers: dict[bytes, int] = {}
    found = np.array([numbers.setdefault(row.tobytes(), len(numbers)) for row in np.asarray(X[0:n]) + 0.0])
    return None if len(numbers) == n else found


def _counts(Y: npt.NDArray[np.int8], seen: Score, distinct: npt.NDArray[np.int64] | None) -> list[tuple[int, int, int]]:
    """Labelled, positive and different rows of each probe."""
    different = (
        seen.labelled if distinct is None else np.array([np.unique(distinct[y != 0]).size for y in Y.T], dtype=int)
    )
    return list(zip(seen.labelled.tolist(), seen.positive.tolist(), different.tolist(), strict=True))


@lru_cache(maxsize=1 << 16)
def _worth(labelled: int, positive: int, different: int, d: int) -> tuple[float, float]:
    """Cover's log10 probabilities: labels by fair coins, and with these class sizes."""
    from rosenblatt.verdicts.worth import Worth

    if not labelled:
        return 0.0, 0.0
    worth = Worth.of(labelled, positive, different, d)
    return worth.log10_fair, worth.log10_sizes
