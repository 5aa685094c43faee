"""The perceptron's trial is the run that `rb.Perceptron` makes."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import rosenblatt as rb
from rosenblatt.verdicts import try_perceptron


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("seed", range(12))
def test_it_is_the_run_of_the_estimator(seed: int, intercept: bool) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, (30, 3)).astype(np.float64) if seed % 2 else rng.standard_normal((30, 3))
    y = np.where(X @ rng.standard_normal(3) + 0.3 > 0, 1, -1).astype(np.int8)
    if seed % 3 == 0:
        y = np.where(rng.random(30) < 0.5, 1, -1).astype(np.int8)
    table = sp.csr_array(X) if seed % 4 == 0 else X
    kind = rb.separability(table, y, fit_intercept=intercept, margin=False).kind
    separable = kind == "complete"
    model = rb.Perceptron(
        average=False, fit_intercept=intercept, pocket=not separable, max_passes=1_000_000 if separable else 1000
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(table, y)  # first: a trial is cut after seconds, of which compiling would be some
    found = try_perceptron(table, y, kind, intercept, None)
    assert found is not None
    assert (found.outcome, found.passes, found.corrections) == (str(model.outcome_), model.n_passes_, model.n_updates_)
    assert found.wrong == np.count_nonzero(model.predict(table) != y)


def test_a_run_that_needs_exact_signs_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every sign of these three rows is found in exact arithmetic, and a million passes would take minutes."""
    monkeypatch.setattr("rosenblatt.verdicts.trial._PATIENCE", 0.5)
    X, y = np.array([[1e-300], [1.5e-300], [2e10]]), np.array([-1, 1, 1], dtype=np.int8)
    assert rb.separability(X, y).kind == "complete"
    found = try_perceptron(X, y, "complete", True, None)
    assert found is not None
    assert found.cut
