"""`rosenblatt compare`: all learners side by side."""

from typing import TYPE_CHECKING, Annotated, Any

import rosenblatt as rb
from rosenblatt.cli.options import Intercept, Json, TableOptions, flag, option, takes_table
from rosenblatt.cli.output import DONE, Page, print_json, waiting
from rosenblatt.cli.tables import load

if TYPE_CHECKING:
    from rosenblatt.arrays import Labels
    from rosenblatt.comparison.table import Contestant

__all__ = ["command"]


@takes_table
def command(
    table: TableOptions,
    demo: Annotated[
        bool, flag("--demo", "On eight points that least squares does not separate and a perceptron does.")
    ] = False,
    passes: Annotated[int, option("The most passes a learner may make.", min=1)] = 1000,
    intercept: Intercept = True,
    json: Json = False,
) -> int:
    """Fit every learner to the same data and measure them alike.

    The table has errors, margin, losses, the angle to the hyperplane with the widest margin found, passes and time.
    With three or more classes there is a table for each class against the rest.

    For example:
      rosenblatt compare --demo
      rosenblatt compare sonar.csv --target y
      rosenblatt compare sonar.csv --target y --passes 10000 --json
    """
    from rosenblatt.comparison.experiments import counterexample
    from rosenblatt.comparison.table import comparison_lines

    if demo and table.besides():
        raise ValueError(f"compare --demo brings its own data: leave out {', '.join(table.besides())}.")
    if demo:
        data = counterexample()
        X, y = data
        headline, about = data.description, {"data": "demo", "n": len(X), "p": X.shape[1]}
    else:
        loaded = load(table, intercept, multiclass=True)
        X, y = loaded.X, loaded.labels
        headline, about = loaded.headline, loaded.to_json()
    with waiting("comparing"):
        tables = {
            name: rb.compare(X, labels, fit_intercept=intercept, max_passes=passes)
            for name, labels in _against_the_rest(y).items()
        }
    if json:
        learners = [
            _to_json(row) | ({"class": name} if name else {}) for name, one in tables.items() for row in one.rows
        ]
        print_json("rosenblatt-compare/2", {**about, "learners": learners})
        return DONE
    page = Page()
    page.headline(headline)
    for name, comparison in tables.items():
        if name:
            page.gap()
            page.headline(f"{name} against the rest")
        page.gap()
        page.lines(comparison_lines(comparison, page.width, limit="--passes"))
    return DONE


def _against_the_rest(y: "Labels") -> dict[str, Any]:
    """The labels of two classes as they are, under ""; of more, those of each class against the rest, by its name."""
    import numpy as np

    names = np.unique(y)
    if len(names) == 2:
        return {"": y}
    return {str(name): np.where(y == name, str(name), f"not {name}") for name in names}


def _to_json(row: "Contestant") -> dict[str, Any]:
    """A learner's measurements; None where there is no such number, and for the weights of a fit that did not end."""
    numbers = {name: value for name, value in vars(row).items() if name not in ("learner", "outcome", "weights")}
    return {
        "learner": row.learner,
        "outcome": str(row.outcome) if str(row.outcome).isupper() else None,
        **numbers,
        "weights": row.weights.tolist() if row.finished else None,
    }
