"""The learners that `fit` knows by name, and which options each of them takes."""

from enum import StrEnum
from typing import Any

__all__ = ["LearnerName", "Order", "Recipe", "make_learner"]


class LearnerName(StrEnum):
    """Names on the command line."""

    perceptron = "perceptron"
    averaged = "averaged"
    pocket = "pocket"
    pa = "pa"
    adaline = "adaline"
    logistic = "logistic"
    least_squares = "least-squares"


class Recipe(StrEnum):
    """The perceptron of one lecture."""

    stein = "stein"
    cyclic = "cyclic"
    rosenblatt62 = "rosenblatt62"
    unit = "unit"
    signum = "signum"


class Order(StrEnum):
    """How the rows are shown."""

    cyclic = "cyclic"
    shuffled = "shuffled"
    random = "random"


_PERCEPTRONS = (LearnerName.perceptron, LearnerName.averaged, LearnerName.pocket)


def make_learner(name: LearnerName, recipe: Recipe | None, parameters: dict[str, Any], row_by_row: bool = False) -> Any:
    """The learner with the parameters that were given; one it does not have is refused by its option's name.

    Logistic regression goes by Newton's method, and `row_by_row`, or where a step or an order is asked for, by descent.
    """
    import rosenblatt as rb

    given = {key: value for key, value in parameters.items() if value is not None}
    if name in _PERCEPTRONS:
        own = {"average": name is LearnerName.averaged, "pocket": name is LearnerName.pocket, **given}
        return rb.Perceptron(**own) if recipe is None else rb.Perceptron.from_recipe(recipe.value, **own)
    if recipe is not None:
        raise ValueError(f"--recipe is a dialect of the perceptron; --learner {name.value} has none.")
    kind: Any = {
        LearnerName.pa: rb.PassiveAggressive,
        LearnerName.adaline: rb.Adaline,
        LearnerName.logistic: rb.Logistic,
        LearnerName.least_squares: rb.LeastSquares,
    }[name]
    for parameter in given:
        if parameter not in kind._parameter_constraints:
            raise ValueError(f"--learner {name.value} knows no --{_option(parameter)}: leave that out.")
    if name is LearnerName.logistic and (row_by_row or {"eta", "order"} & set(given)):
        given["mode"] = "incremental"
    return kind(**given)


def _option(parameter: str) -> str:
    return {"max_passes": "passes", "n_jobs": "jobs", "random_state": "seed"}.get(
        parameter, parameter.replace("_", "-")
    )
