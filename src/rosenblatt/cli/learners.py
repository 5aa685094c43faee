"""The learners that `fit` knows by name, and which options each of them takes."""

from enum import StrEnum
from typing import Any

import rosenblatt as rb

__all__ = ["LearnerName", "Order", "Recipe", "make_learner", "refuse_with_auto", "usual_learner"]


# names on the command line
LearnerName = StrEnum("LearnerName", "perceptron averaged pocket pa adaline logistic least-squares auto")
Recipe = StrEnum("Recipe", "stein cyclic rosenblatt62 unit signum")  # the perceptron of one lecture
Order = StrEnum("Order", "cyclic shuffled random")  # how the rows are shown
_ROW_BY_ROW = ("order", "eta", "margin", "trace")  # parameters that speak of one row after the other
_PERCEPTRONS = (LearnerName.perceptron, LearnerName.averaged, LearnerName.pocket)


def usual_learner(columns: int, recipe: Recipe | None, parameters: dict[str, Any], scale: bool) -> LearnerName:
    """What learns where nobody says it: the best of the family on columns as they come (docs/numbers/accuracy.md).

    Logistic regression, which minds no units. The averaged perceptron where there are so many columns that Newton's
    method takes long, and the perceptron where an option speaks of it.
    """
    from rosenblatt.comparison.choosing import NEWTON_COLUMNS

    spoken_of = any(parameters.get(name) is not None for name in _ROW_BY_ROW)
    if recipe is not None or scale or spoken_of or parameters.get("multiclass") == "kesler":
        return LearnerName.perceptron
    return LearnerName.logistic if columns <= NEWTON_COLUMNS else LearnerName.averaged


def refuse_with_auto(recipe: Recipe | None, scale: bool, parameters: dict[str, Any]) -> None:
    """Refuse options that say how one learner learns, where several come to the contest."""
    if scale:
        raise ValueError("--learner auto scales columns for the learners that need it: leave out --scale.")
    known = ("max_passes", "fit_intercept", "class_weight")
    given = [_option(name) for name, value in parameters.items() if value is not None and name not in known]
    if recipe is not None:
        given.append("recipe")
    if given:
        raise ValueError(f"--learner auto knows no --{given[0]}: leave that out, or name a learner.")


def make_learner(name: LearnerName, recipe: Recipe | None, parameters: dict[str, Any]) -> Any:
    """The learner with the parameters that were given; one it does not have is refused by its option's name.

    Logistic regression goes by Newton's method, and where a step or an order is asked for, by descent.
    """
    given = {key: value for key, value in parameters.items() if value is not None}
    kinds: dict[str, Any] = {
        "pa": rb.PassiveAggressive,
        "adaline": rb.Adaline,
        "logistic": rb.Logistic,
        "least-squares": rb.LeastSquares,
    }
    kind: Any = kinds.get(name, rb.Perceptron)
    for parameter in given:
        if parameter not in kind._get_param_names():
            raise ValueError(f"--learner {name.value} knows no --{_option(parameter)}: leave that out.")
    if name in _PERCEPTRONS:
        own = {"average": name is LearnerName.averaged, "pocket": name is LearnerName.pocket, **given}
        return rb.Perceptron(**own) if recipe is None else rb.Perceptron.from_recipe(recipe.value, **own)
    if recipe is not None:
        raise ValueError(f"--recipe is a dialect of the perceptron; --learner {name.value} has none.")
    if name is LearnerName.logistic and {"eta", "order"} & set(given):
        given["mode"] = "incremental"
    return kind(**given)


def _option(parameter: str) -> str:
    return {"max_passes": "passes", "n_jobs": "jobs", "random_state": "seed"}.get(
        parameter, parameter.replace("_", "-")
    )
