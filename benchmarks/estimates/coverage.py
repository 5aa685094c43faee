"""How often intervals hold the truth, by simulation."""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from math import inf
from multiprocessing import get_context
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import norm

import rosenblatt as rb
from benchmarks.timing import benchmark, print_table
from rosenblatt.estimates.results.table import Estimates

__all__ = ["coverage"]

_DRAWS, _ROWS, _EXPOSED = 2_000, 60, 6
_TRUTH = 2.0  # the exposure's coefficient


@benchmark("coverage")
def coverage() -> None:
    """How often 95 % intervals hold the truth: 60 rows, six of them exposed, 2,000 draws.

    The model is logistic with an exposure of six rows (coefficient 2), an age (0.5) and an intercept of −1; the table
    is about the exposure. *Holds*: the share of draws whose interval has the 2 in it; *below*, *above*: whose interval
    lies below 2, or above it (2.5 % each would be right). *Finite*: intervals with two finite ends, and the middle of
    their lengths. Where an estimate is infinite there is no Wald interval: those draws are not in its line.
    """
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in ("profile", "Firth, profile", "Wald")}
    infinite = 0
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for finite, profile, firth, wald in pool.map(_judge, _draws(), chunksize=50):
            infinite += not finite
            found["profile"].append(profile)
            found["Firth, profile"].append(firth)
            found["Wald"] += wald
    print(f"In {infinite:,} of {_DRAWS:,} draws the exposure's estimate is infinite.\n")
    header = ["interval", "draws", "holds", "below", "above", "finite", "middle length"]
    print_table(header, [_line(name, np.array(ends)) for name, ends in found.items()])


def _judge(draw: tuple[Any, Any]) -> tuple[bool, tuple[float, float], tuple[float, float], list[tuple[float, float]]]:
    """Whether the exposure's estimate is finite, and its intervals: profile, Firth's, Wald's where there is one."""
    X, y = draw
    table = rb.estimate(X, y)
    one = table.coefficients[0]
    assert one.firth is not None
    profile, firth = (one.lower.value, one.upper.value), (one.firth.lower, one.firth.upper)
    return one.fate == "finite", profile, firth, _wald(X, table)


def _draws() -> Iterator[tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]]:
    rng = np.random.default_rng(1)
    exposed = (np.arange(_ROWS) < _EXPOSED).astype(float)
    for _ in range(_DRAWS):
        X = np.column_stack([exposed, rng.integers(-2, 3, _ROWS)])
        chance = 1.0 / (1.0 + np.exp(1.0 - X @ [_TRUTH, 0.5]))
        yield X, (rng.random(_ROWS) < chance).astype(np.int64)


def _wald(X: npt.NDArray[np.float64], table: Estimates) -> list[tuple[float, float]]:
    """The estimate ± 1.96 standard errors, where all coefficients have one."""
    values = np.array([one.value for one in table.coefficients])
    if not np.isfinite(values).all():
        return []
    Z = np.column_stack([X, np.ones(len(X))])
    mean = 1.0 / (1.0 + np.exp(-(Z @ values)))
    reach = norm.ppf(0.975) * np.sqrt(np.linalg.inv(Z.T @ (Z * (mean * (1 - mean))[:, None]))[0, 0])
    return [(values[0] - reach, values[0] + reach)]


def _line(name: str, ends: npt.NDArray[np.float64]) -> list[str]:
    lower, upper = ends.T
    below, above = upper < _TRUTH, lower > _TRUTH
    finite = (lower > -inf) & (upper < inf)
    shares = [f"{100 * one.mean():.1f} %" for one in (~below & ~above, below, above, finite)]
    return [name, f"{len(ends):,}", *shares, f"{np.median((upper - lower)[finite]):.2f}"]
