"""What parameters may be, in one word each: for annotations, and for scikit-learn, which checks them before a fit."""

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from sklearn.utils._param_validation import Interval, StrOptions

__all__ = ["CONSTRAINTS", "ClassWeight", "Order", "RandomState", "Start", "above", "at_least", "one_of"]

Order = Literal["cyclic", "shuffled", "random"]  # rows in turn; in a new permutation each pass; drawn
Start = Literal["zeros", "random"] | npt.ArrayLike  # w(0)
ClassWeight = Literal["balanced"] | Mapping[Any, float] | None
RandomState = int | np.random.RandomState | None


def one_of(choices: Any) -> StrOptions:
    """One of the strings of a Literal."""
    return StrOptions(set(get_args(choices)))


def at_least(least: float, kind: type = Real) -> Interval:
    """A number that is no smaller."""
    return Interval(kind, least, None, closed="left")


def above(least: float) -> Interval:
    """A number that is larger."""
    return Interval(Real, least, None, closed="neither")


# of parameters that mean the same in all learners that have them
CONSTRAINTS: dict[str, list[Any]] = {
    "average": ["boolean"],
    "class_weight": [StrOptions({"balanced"}), dict, None],
    "eta": [above(0)],
    "fit_intercept": ["boolean"],
    "max_passes": [at_least(1, Integral)],
    "max_updates": [None, at_least(1, Integral)],
    "n_jobs": [None, Integral],
    "order": [one_of(Order)],
    "patience": [None, at_least(1, Integral)],
    "random_state": ["random_state"],
    "regularizer": [at_least(0)],
    "start": [StrOptions({"zeros", "random"}), "array-like"],
    "tol": [at_least(0)],
    "trace": ["boolean"],
    "warm_start": ["boolean"],
}
