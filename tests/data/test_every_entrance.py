"""Every function that takes rows: values are taken as they are, or refused in a sentence."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rosenblatt as rb

Y = [0, 1, 1, 0]
ENTRANCES: dict[str, Callable[[Any], Any]] = {
    "separability": lambda X: rb.separability(X, Y),
    "separability_matrix": lambda X: rb.separability_matrix(X, Y),
    "existence": lambda X: rb.existence(X, Y, "poisson"),
    "estimate": lambda X: rb.estimate(X, Y),
    "screen": lambda X: rb.screen(X, np.array([Y]).T, jobs=1),
    "compare": lambda X: rb.compare(X, Y),
    "dichotomies": rb.cover.dichotomies,
    "general_position": rb.cover.general_position,
    "permutation_test": lambda X: rb.cover.permutation_test(X, Y, n=3),
    "erased": lambda X: rb.probes.erased(X, Y),
    "probes": lambda X: rb.probes.fit(X, np.array(Y)),
    "Perceptron": lambda X: rb.Perceptron().fit(X, Y),
    "Logistic": lambda X: rb.Logistic().fit(X, Y),
    "report": lambda X: rb.report.Study(X, Y) if hasattr(rb.report, "Study") else rb.separability(X, Y),
}
EXACT = ("separability", "separability_matrix", "existence", "dichotomies", "general_position", "report")


@pytest.mark.parametrize("name", ENTRANCES)
def test_masked_values_are_refused(name: str) -> None:
    X = np.ma.masked_equal(np.arange(8.0).reshape(4, 2), 3.0)
    with pytest.raises(ValueError, match="mask"):
        ENTRANCES[name](X)


@pytest.mark.parametrize("name", ENTRANCES)
def test_complex_numbers_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"[cC]omplex"):
        ENTRANCES[name](np.arange(8.0).reshape(4, 2) + 1j)


@pytest.mark.parametrize("name", [name for name in ENTRANCES if name not in EXACT])
def test_what_works_in_floats_refuses_numbers_that_floats_do_not_hold(name: str) -> None:
    for kind in (np.int64, np.uint64):
        with pytest.raises(ValueError, match="float"):
            ENTRANCES[name](np.array([[1, 2**60], [2, 2**60 + 1], [3, 2**60 + 2], [5, 2**60 + 3]], dtype=kind))


def test_single_precision_is_read_alike_by_estimates_and_verdicts() -> None:
    """As decimals 0.1 + 0.2 = 0.3: the sum is collinear. As float32 it is not."""
    a, b = np.arange(1, 9), np.array([2, 7, 1, 8, 2, 8, 1, 9])
    X = (np.column_stack([a, b, a + b]) / 10).astype(np.float32)
    y = [0, 1, 0, 1, 1, 0, 1, 0]
    verdict = rb.separability(X, y, coefficients=True)
    kinds = [one.kind for one in verdict.coefficients]
    assert "not identified" in kinds
    assert [one.fate for one in rb.screen(X, np.array([y]).T, jobs=1).lines] == kinds
    # `estimate` leaves out the last of columns that depend on each other, and numbers the rest
    assert [one.fate for one in rb.estimate(X, y).coefficients] == ["finite", "finite", "not identified", "finite"]
