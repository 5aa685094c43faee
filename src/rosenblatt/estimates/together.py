"""Coefficients one after another or, where the table is large, on all cores."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from rosenblatt.verdicts.threads import in_threads

__all__ = ["each"]

Result = TypeVar("Result")

_WORTH = 1 << 17  # values of a table from which threads gain more than they cost


def each(work: Callable[[int], Result], coefficients: Iterable[int], size: int) -> Iterable[Result]:
    """work(j) for each coefficient, in order; the results are the same however many cores there are."""
    return in_threads(work, coefficients) if size >= _WORTH else map(work, coefficients)
