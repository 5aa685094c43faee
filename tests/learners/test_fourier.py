"""Random Fourier features against their formula, and as a scikit-learn transformer."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.utils.estimator_checks import parametrize_with_checks

import rosenblatt as rb


@parametrize_with_checks([rb.FourierFeatures(5)])
def test_it_is_a_scikit_learn_transformer(estimator: Any, check: Any) -> None:
    check(estimator)


def test_the_formula_and_the_width() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 3))
    made = rb.FourierFeatures(7, random_state=4).fit(X)
    assert made.width_ == np.median([np.linalg.norm(a - b) for a, b in combinations(X, 2)])
    for x, features in zip(X, made.transform(X), strict=True):
        naive = [
            np.sqrt(2 / 7) * np.cos(sum(w * v for w, v in zip(row, x, strict=True)) + phase)
            for row, phase in zip(made.frequencies_, made.phases_, strict=True)
        ]
        np.testing.assert_allclose(features, naive, rtol=1e-12, atol=1e-15)
    random = np.random.RandomState(4)
    np.testing.assert_array_equal(made.frequencies_, random.normal(size=(7, 3)) / made.width_)


def test_products_are_near_the_kernel() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(12, 4))
    Z = rb.FourierFeatures(20_000, width=1.5).fit_transform(X)
    distances = ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)
    np.testing.assert_allclose(Z @ Z.T, np.exp(-distances / (2 * 1.5**2)), atol=0.04)


def test_a_row_alone_has_the_bits_it_has_among_others() -> None:
    X = np.random.default_rng(2).normal(size=(300, 6))
    made = rb.FourierFeatures(11).fit(X)
    whole = made.transform(X)
    assert whole.tobytes() == np.vstack([made.transform(X[i : i + 1]) for i in range(300)]).tobytes()
    np.testing.assert_allclose(made.transform(sp.csr_matrix(X)), whole, rtol=0, atol=1e-14)


@pytest.mark.parametrize("X", [np.ones((5, 2)), np.ones((1, 2))])
def test_rows_without_distances_get_width_one(X: Any) -> None:
    assert rb.FourierFeatures(3).fit(X).width_ == 1.0


def test_the_median_of_many_rows_is_of_a_sample() -> None:
    X = np.random.default_rng(3).normal(size=(2000, 2))
    widths = [rb.FourierFeatures(3, random_state=seed).fit(X).width_ for seed in (0, 0, 1)]
    assert widths[0] == widths[1] != widths[2]
    assert widths[0] == pytest.approx(np.sqrt(2 * 1.386), rel=0.1)  # of chi-squared, 2 degrees
