"""`rosenblatt count`: how many labelings a hyperplane can realise, in general or of the points in a file."""

from pathlib import Path
from typing import Annotated, Any

from rosenblatt import cover
from rosenblatt.cli.options import WRITTEN, Json, TableOptions, argument, option, takes_some
from rosenblatt.cli.output import DONE, count, print_json, say

__all__ = ["command"]

_LONGEST = 60  # digits; a longer number is shown as a power of ten


@takes_some("target", "features", "drop", *WRITTEN, data=False)
def command(
    table: TableOptions,
    points_number: Annotated[int | None, argument("P", "Points.")] = None,
    weights: Annotated[int | None, argument("N", "Weights; the intercept is one of them.")] = None,
    points: Annotated[
        Path | None, option("Count the labelings of the points in this file: CSV or NPY.", "FILE")
    ] = None,
    intercept: Annotated[bool, option("With --points: whether hyperplanes may miss the origin.")] = True,
    json: Json = False,
) -> int:
    """Count the labelings of P points that a hyperplane can realise.

    For points in general position the number is C(P, N), with N weights; for other points it is at most that. With
    --points the number is counted exactly for the points of a file, one point per line; --features, --drop and
    --target say which columns are the points', and the other options how the file is written.

    For example:
      rosenblatt count 22 11
      rosenblatt count 208 61 --json
      rosenblatt count --points corners.csv
      rosenblatt count --points patients.csv --target ill
    """
    if points is not None:
        if points_number is not None:
            raise ValueError("say either P and N, or --points FILE.")
        answer = _of_file(points, intercept, table)
    elif points_number is None or weights is None:
        raise ValueError("say P and N, for example: rosenblatt count 22 11; or --points FILE.")
    elif others := table.besides():
        raise ValueError(f"{', '.join(others)} goes with --points FILE.")
    else:
        answer = _of_numbers(points_number, weights)
    if json:
        print_json("rosenblatt-count/1", answer["fields"])
    else:
        say(*answer["lines"])
    return DONE


def _of_numbers(P: int, N: int) -> dict[str, Any]:
    lines = [
        f"Of all 2^{P} labelings of {count(P, 'point')}, at most {_shortened(P, N)} can be realised with "
        f"{count(N, 'weight')}.",
        cover.regime(P, N),
    ]
    return {"lines": lines, "fields": _count_to_json(P, N)}


def _of_file(path: Path, intercept: bool, table: TableOptions) -> dict[str, Any]:
    drop = (*table.drop, *([table.target] if table.target else []))
    X = cover.read_points(path, table.told(), table.features, drop)
    P, N = len(X), X.shape[1] + intercept
    found = cover.dichotomies(X, fit_intercept=intercept)
    position = cover.general_position(X, fit_intercept=intercept)
    lines = [
        f"{path} · {count(P, 'point')} in {count(X.shape[1], 'dimension')} · {count(N, 'weight')}"
        f"{' with the intercept' if intercept else ''}",
        "",
        f"  {found:,} of all 2^{P} labelings of these points can be realised.",
        "",
        f"  {position.sentence}",
    ]
    if not position:
        lines.append(f"  In general position {_shortened(P, N)} could be.")
    own = {"dichotomies": str(found), "general_position": bool(position), "dependent_points": list(position.points)}
    return {"lines": lines, "fields": {"points": str(path), "fit_intercept": intercept, **_count_to_json(P, N), **own}}


def _count_to_json(P: int, N: int) -> dict[str, Any]:
    return {
        "P": P,
        "N": N,
        "count": str(cover.count(P, N)) if _is_short(P, N) else None,
        "log10_count": cover.log10_count(P, N),
        "probability": cover.probability(P, N),
        "log10_probability": cover.log10_probability(P, N),
        "capacity": cover.capacity(N),
        "regime": cover.regime(P, N),
    }


def _is_short(P: int, N: int) -> bool:
    return cover.log10_count(P, N) < _LONGEST


def _shortened(P: int, N: int) -> str:
    return f"{cover.count(P, N):,}" if _is_short(P, N) else f"about 10^{cover.log10_count(P, N):.2f}"
