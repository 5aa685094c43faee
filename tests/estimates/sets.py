"""Small sets of every kind, many of them separated: drawn by number, the same every time."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.estimates.oracles import Slow


@dataclass(frozen=True)
class SmallSet:
    X: Any
    y: Any
    model: str
    trials: Any
    weights: Any
    offset: Any
    bias: bool

    @property
    def arguments(self) -> dict[str, Any]:
        return {
            "model": self.model,
            "trials": self.trials,
            "sample_weight": self.weights,
            "offset": self.offset,
            "fit_intercept": self.bias,
        }

    def slow(self) -> Slow:
        return Slow(self.X, self.y, self.trials, self.weights, self.offset, self.bias, self.model)


def small_set(number: int) -> SmallSet:
    r = np.random.default_rng(number)
    n, p = int(r.integers(4, 10)), int(r.integers(1, 3))
    X = r.integers(0, 4, (n, p)).astype(float)
    model, trials = ("logistic", "logistic", "binomial", "poisson")[number % 4], None
    if model == "logistic":
        y = r.integers(0, 2, n)
        y[0] = 1 - y[1]
    elif model == "binomial":
        trials = r.integers(1, 4, n)
        y = r.binomial(trials, r.choice([0.1, 0.5, 0.9]))
    else:
        y = r.poisson(r.choice([0.3, 1.0]), n)
    weights = r.integers(1, 4, n) if number % 5 == 0 else None
    offset = r.normal(size=n).round(2) if number % 7 == 0 else None
    return SmallSet(X, y, model, trials, weights, offset, number % 6 != 0)
