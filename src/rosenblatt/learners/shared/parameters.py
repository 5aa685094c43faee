"""Parameters: what they may be, in one word each, for annotations and for scikit-learn, which checks them before a fit.

And what scikit-learn calls them: its names are refused in a sentence that has the name here.
"""

from collections.abc import Collection, Iterable, Mapping
from numbers import Integral, Real
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from sklearn.utils._param_validation import Interval, StrOptions

__all__ = [
    "CONSTRAINTS",
    "PARAMETERS",
    "ClassWeight",
    "Order",
    "RandomState",
    "Start",
    "above",
    "at_least",
    "carried_over",
    "explain_parameters",
    "one_of",
]

Order = Literal["cyclic", "shuffled", "random"]  # rows in turn; in a new permutation each pass; drawn
Start = Literal["zeros", "random"] | npt.ArrayLike  # w(0)
ClassWeight = Literal["balanced"] | Mapping[Any, float] | None
RandomState = int | np.random.RandomState | None


_MOST_PASSES = 1 << 62  # counters have 64 bits


def one_of(choices: object) -> StrOptions:
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
    "max_passes": [Interval(Integral, 1, _MOST_PASSES, closed="both")],
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


# parameters that carry over from scikit-learn's Perceptron: its name, the name here
PARAMETERS = {
    "max_iter": "max_passes",
    "eta0": "eta",
    "shuffle": "order",
    "fit_intercept": "fit_intercept",
    "class_weight": "class_weight",
    "random_state": "random_state",
    "n_jobs": "n_jobs",
    "warm_start": "warm_start",
}

_ALSO = {
    "n_iter_no_change": "patience",
    "alpha": "regularizer",
    "penalty": "regularizer",
    "C": "regularizer",
    "tol": "patience",
}
_SPELLED = {
    "C": "here regularizer is 1/C",
    "shuffle": 'here it is order="shuffled" or order="cyclic"',
    "tol": "here patience ends a fit whose passes get no better",
}
_WITHOUT = {
    "penalty": "the weights are not penalised",
    "alpha": "the weights are not penalised",
    "l1_ratio": "the weights are not penalised",
    "early_stopping": "no rows are held out",
    "validation_fraction": "no rows are held out",
    "verbose": "sklearn.callback shows how far a fit is",
}


def carried_over(estimator: object, theirs: type, learner: type, without: Iterable[str]) -> dict[str, Any]:
    """The parameters of one of scikit-learn's estimators under the names that they have here.

    `without` are those that have no counterpart: they are refused where they are set.
    """
    if not isinstance(estimator, theirs):
        wanted, got = theirs.__name__, type(estimator).__name__
        raise TypeError(f"from_sklearn takes a sklearn.linear_model.{wanted}, not a {got}.")
    given = estimator.get_params()  # type: ignore[attr-defined]
    for name in without:
        if given.get(name):
            raise ValueError(f"{name}={given[name]!r} has no counterpart in {learner.__name__}: leave it out.")
    known = learner._get_param_names()  # type: ignore[attr-defined]
    carried: dict[str, Any] = {
        ours: given[name] for name, ours in PARAMETERS.items() if name in given and ours in known
    }
    if "shuffle" in given:
        carried["order"] = "shuffled" if given["shuffle"] else "cyclic"
    return carried


def explain_parameters(learner: str, given: Iterable[str], known: Collection[str]) -> str:
    """A sentence on the first of scikit-learn's parameters that has another name here, or no counterpart; or "".

    >>> explain_parameters("Perceptron", ["max_iter"], ["max_passes"])
    'Perceptron has no parameter max_iter: here it is called max_passes.'
    """
    for name in given:
        if name in known:
            continue
        ours = (PARAMETERS | _ALSO).get(name)
        if ours in known:
            return f"{learner} has no parameter {name}: {_SPELLED.get(name, f'here it is called {ours}')}."
        if name in _WITHOUT:
            return f"{learner} has no parameter {name}: {_WITHOUT[name]}."
    return ""
