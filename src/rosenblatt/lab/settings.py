"""What a visitor can choose, checked; features Φ(x) of a point as `lab-ui/src/features.ts` has them, rounded alike."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats
from rosenblatt.comparison.experiments import RIVALS
from rosenblatt.learners import LEARNERS, Perceptron
from rosenblatt.learners.perceptron import Recipe, Tie
from rosenblatt.learners.shared import OnlineClassifier
from rosenblatt.learners.shared.parameters import Order

__all__ = ["BY_ROW", "MAPS", "RECIPES", "LabSettings", "expand"]

MAPS: dict[str, dict[str, Callable[[Floats, Floats], Floats]]] = {
    "x": {},
    "product": {"x1·x2": lambda a, b: a * b},
    "squares": {"x1²": lambda a, b: a * a, "x2²": lambda a, b: b * b},
    "quadratic": {"x1·x2": lambda a, b: a * b, "x1²": lambda a, b: a * a, "x2²": lambda a, b: b * b},
}


def expand(X: Floats, phi: str) -> npt.NDArray[Any]:
    """The columns of X and those that Φ adds; only points of the plane have any to add.

    >>> expand(np.array([[2.0, 3.0]]), "product")
    array([[2., 3., 6.]])
    """
    if phi == "x":
        return X
    if X.shape[1] != 2:
        raise ValueError(f"Φ is for points of the plane; these have {X.shape[1]} features.")
    return np.column_stack([X, *(f(X[:, 0], X[:, 1]) for f in MAPS[phi].values())])


# ------------------------------------------------------------------------------------------------------------- settings


RECIPES = ("rosenblatt62", "cyclic", "stein", "unit", "signum")
BY_ROW = tuple(name for name, one in LEARNERS.items() if issubclass(one.kind, OnlineClassifier) and not one.own)

_CHOICES: dict[str, tuple[str, ...]] = {
    "learner": BY_ROW,
    "recipe": (*RECIPES, "own"),
    "order": ("cyclic", "shuffled", "random"),
    "start": ("zeros", "random"),
    "tie": ("mistake", "correct", "positive"),
    "phi": tuple(MAPS),
}

_LARGEST_LIMIT = 200_000  # corrections: what a browser replays without noticing
_PRESENTATIONS = 50_000_000  # a few tenths of a second


@dataclass(frozen=True)
class LabSettings:
    """A learner and how it is to run.

    `phi` adds features to x1 and x2; `limit` bounds the corrections; `seed` draws start and order.
    """

    learner: str = "perceptron"
    recipe: Recipe | Literal["own"] = "rosenblatt62"
    eta: float | None = None
    order: Order = "cyclic"
    start: Literal["zeros", "random"] = "zeros"
    tie: Tie = "mistake"
    normalize: bool = False
    phi: str = "x"
    limit: int = 10_000
    seed: int = 0
    rivals: tuple[str, ...] = ()

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> "LabSettings":
        """From JSON; a choice that does not exist is named, with those that do.

        >>> LabSettings.read({"order": "random"}).order
        'random'
        >>> LabSettings.read({"order": "sorted"})
        Traceback (most recent call last):
        ...
        ValueError: order must be one of cyclic, shuffled, random; it is 'sorted'.
        """
        known = {name: given[name] for name in cls.__dataclass_fields__ if name in given}
        for name, allowed in _CHOICES.items():
            if name in known and known[name] not in allowed:
                raise ValueError(f"{name} must be one of {', '.join(allowed)}; it is {known[name]!r}.")
        if not isinstance(known.get("normalize", False), bool):
            raise ValueError("normalize must be true or false.")
        rivals = known.get("rivals", [])
        if not isinstance(rivals, (list, tuple)) or any(one not in RIVALS for one in rivals):
            raise ValueError(f"rivals must be some of {', '.join(RIVALS)}.")
        known["rivals"] = tuple(rivals)
        eta = known.get("eta")
        if eta is not None:
            if isinstance(eta, bool) or not isinstance(eta, (int, float)) or not 0 < eta <= 1e30:
                raise ValueError(f"eta must be a positive number; it is {eta!r}.")
            known["eta"] = float(eta)
        for name, least, most in (("limit", 1, _LARGEST_LIMIT), ("seed", 0, 2**32 - 1)):
            value = known.get(name, least)
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
                raise ValueError(f"{name} must be a whole number from {least:,} to {most:,}; it is {value!r}.")
        return cls(**known)

    def model(self, n: int) -> OnlineClassifier:
        """The learner for n rows, unfitted."""
        passes = max(1, _PRESENTATIONS // max(1, n))
        if self.learner == "perceptron":
            return self._perceptron(passes)
        common: dict[str, Any] = {"order": self.order, "start": self.start, "random_state": self.seed}
        passes = max(1, min(passes, self.limit // max(1, n)))  # these step at every example
        if self.eta is not None:
            common["C"] = common["eta"] = self.eta  # each has one of them: how large a step is, or may be
        made = LEARNERS[self.learner].make(mode="incremental", max_passes=passes, **common)
        assert isinstance(made, OnlineClassifier)
        return made

    def _perceptron(self, passes: int) -> Perceptron:
        given: dict[str, Any] = {"max_passes": passes, "max_updates": self.limit, "random_state": self.seed}
        given["average"] = False  # the run is drawn, with its last weights
        if self.eta is not None:
            given["eta"] = self.eta
        if self.recipe != "own":
            return Perceptron.from_recipe(self.recipe, **given)
        return Perceptron(order=self.order, start=self.start, tie=self.tie, normalize=self.normalize, **given)
