"""What scikit-learn calls parameters and attributes, and what they are called here."""

from collections.abc import Collection, Iterable

__all__ = ["PARAMETERS", "elsewhere", "explain_parameters"]

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
_ATTRIBUTES = {"n_iter_": "n_passes_", "t_": "n_updates_ (corrections made)"}
_WITHOUT = {
    "penalty": "the weights are not penalised",
    "alpha": "the weights are not penalised",
    "l1_ratio": "the weights are not penalised",
    "early_stopping": "no rows are held out",
    "validation_fraction": "no rows are held out",
    "verbose": "sklearn.callback shows how far a fit is",
}


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


def elsewhere(name: str) -> property:
    """A property for an attribute of scikit-learn's: reading it raises, and says what it is called here."""

    def refuse(model: object) -> None:
        missing = f"{type(model).__name__!r} object has no attribute {name!r}"
        raise AttributeError(f"{missing}: here it is called {_ATTRIBUTES[name]}.")

    return property(refuse, doc=f"Not there: it is called {_ATTRIBUTES[name]}.")
