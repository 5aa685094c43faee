"""What becomes of the coefficients of a logistic regression on a table, its text columns measured against a reference.

A text column has one column for each level, and with an intercept any one of them can be computed from the others. As
in a regression, the first level is taken as the reference and left out; the verdict stays the same.
"""

from dataclasses import dataclass
from typing import Any

__all__ = ["Fates", "coefficient_fates", "reference_columns"]


@dataclass(frozen=True)
class Fates:
    """Each coefficient with its name, the levels left out, and why nothing is known where that is so."""

    named: list[tuple[str, Any]]
    references: list[str]
    reason: str = ""


def reference_columns(loaded: Any, intercept: bool) -> list[int]:
    """Columns of X for the first level of each text column; none where they are no sums of others."""
    if not intercept or loaded.encoding.degree > 1:
        return []
    places, at = [], 0
    for column in loaded.encoding.columns:
        if column.kind in ("category", "hash"):
            places.append(at)
        at += column.width
    return places


def coefficient_fates(loaded: Any, intercept: bool, time_limit: float | None) -> Fates:
    """Ask for them without the references."""
    import numpy as np

    from rosenblatt.verdicts.decision import separability

    features, references = loaded.encoding.features, reference_columns(loaded, intercept)
    kept = [j for j in range(len(features)) if j not in set(references)]
    verdict = separability(
        loaded.X[:, kept] if references else loaded.X,
        np.asarray(loaded.signs),
        fit_intercept=intercept,
        margin=False,
        coefficients=True,
        time_limit=time_limit,
    )
    names = [*(features[j] for j in kept), "(1)"]
    named = list(zip(names, verdict.coefficients or [], strict=False))
    return Fates(named, [features[j] for j in references], verdict.reason)
