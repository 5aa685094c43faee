"""`rosenblatt compare`: all learners side by side."""

from typing import Annotated, Any

import typer

from rosenblatt.cli.options import Json, TableOptions, takes_table
from rosenblatt.cli.output import DONE

__all__ = ["command"]


@takes_table
def command(
    table: TableOptions,
    demo: Annotated[
        bool,
        typer.Option("--demo", help="On eight points that least squares does not separate and a perceptron does."),
    ] = False,
    passes: Annotated[int, typer.Option(help="The most passes a learner may make.", min=1)] = 1000,
    intercept: Annotated[
        bool, typer.Option("--intercept/--no-intercept", help="Whether the hyperplane may miss the origin.")
    ] = True,
    json: Json = False,
) -> int:
    """Fit every learner to the same data and measure them alike.

    Errors, margin, losses, angle to the widest margin found, passes and time.

    For example:
      rosenblatt compare --demo
      rosenblatt compare sonar.csv --target y
      rosenblatt compare sonar.csv --target y --passes 10000 --json
    """
    from rosenblatt.cli.output import print_json
    from rosenblatt.cli.tables import load
    from rosenblatt.cli.waiting import waiting
    from rosenblatt.comparison import compare
    from rosenblatt.comparison.experiments import counterexample

    if demo and table != TableOptions():
        raise ValueError("compare --demo brings its own data: leave the others out.")
    about: dict[str, Any]
    if demo:
        data = counterexample()
        X, y = data
        headline, about = data.description, {"data": "demo", "n": len(X), "p": X.shape[1]}
    else:
        loaded = load(table, intercept)
        X, y = loaded.X, loaded.labels
        headline, about = loaded.headline, loaded.to_json()
    with waiting("comparing"):
        comparison = compare(X, y, fit_intercept=intercept, max_passes=passes)
    if json:
        print_json("rosenblatt-compare/2", {**about, "learners": [_to_json(row) for row in comparison.rows]})
    else:
        print(f"{headline}\n\n{str(comparison).partition(chr(10))[2].lstrip(chr(10))}")
    return DONE


def _to_json(row: Any) -> dict[str, Any]:
    """A learner's measurements; null where there is no such number."""
    numbers = {name: value for name, value in vars(row).items() if name not in ("learner", "outcome", "weights")}
    return {
        "learner": row.learner,
        "outcome": str(row.outcome) if str(row.outcome).isupper() else None,
        **numbers,
        "weights": row.weights.tolist(),
    }
