"""The rescaled perceptron: few corrections where the plain one needs millions, and the truth in every case."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import rosenblatt as rb
from tests.learners.test_outcomes import exact_agreements
from tests.learners.test_perceptron import quiet


def thin(gamma: float) -> tuple[np.ndarray, list[int]]:
    """Three directions in a plane that almost cancel, lifted off it by gamma: only w near (0, 0, 1) separates."""
    turns = np.array([0.0, 2.0, 4.1])
    X = np.column_stack([np.cos(turns), np.sin(turns), np.full(3, gamma)])
    return X * [[1], [1], [-1]], [1, 1, 0]


@pytest.mark.parametrize("gamma", [1e-5, 1e-6, 1e-7])
def test_few_corrections_where_the_plain_one_needs_more_than_a_million(gamma: float) -> None:
    X, y = thin(gamma)
    model = rb.RescaledPerceptron(fit_intercept=False).fit(X, y)
    assert model.outcome_ == "SEPARATED"
    assert model.n_updates_ < 10_000
    assert min(exact_agreements(model, X, y)) > 0
    for normalize in (False, True):
        plain = rb.Perceptron(fit_intercept=False, normalize=normalize, max_passes=10**8, max_updates=1_000_000)
        assert quiet(plain, X, y).outcome_ == "BUDGET"
        assert plain.n_updates_ == 1_000_000


def test_ordinary_data() -> None:
    for seed in range(5):
        X, y = rb.datasets.margin_cloud(200, 6, 0.01, random_state=seed)
        model = rb.RescaledPerceptron().fit(X, y)
        assert model.outcome_ == "SEPARATED"
        assert min(exact_agreements(model, X, y)) > Fraction(0)
    assert rb.RescaledPerceptron().fit(*rb.datasets.sonar()).score(*rb.datasets.sonar()) == 1.0


def test_what_cannot_be_separated_is_not() -> None:
    with pytest.warns(ConvergenceWarning, match="rb.separability"):
        model = rb.RescaledPerceptron(max_passes=20).fit(*rb.datasets.xor())
    assert model.outcome_ == "BUDGET"
    assert model.n_passes_ == 20


def test_a_row_of_zeros_without_an_intercept_is_on_no_side():
    """It was corrected most, stretched the space by 0/0, and the data were refused for a NaN that they do not have."""
    model = rb.RescaledPerceptron(fit_intercept=False, max_passes=3)
    with pytest.warns(ConvergenceWarning, match="classified wrongly"):
        model.fit([[0.0], [2.0], [2.0], [0.0], [2.0]], [0, 0, 1, 1, 1])
    assert model.outcome_ == "BUDGET"


def test_more_corrections_in_a_phase_than_rows_come_back_from_a_file(tmp_path: Path) -> None:
    """Such a file was refused as damaged: in a pass of other learners there are no more mistakes than rows."""
    model = quiet(rb.RescaledPerceptron(max_passes=5), *rb.datasets.xor())
    assert model.mistakes_per_pass_.max() > 4
    rb.save(model, tmp_path / "m")
    assert rb.load(tmp_path / "m").mistakes_per_pass_.tolist() == model.mistakes_per_pass_.tolist()


def test_rows_on_the_plane_are_told() -> None:
    """For a row of zeros without an intercept, "0 classified wrongly" alone would not say why nothing separates."""
    X, y = np.array([[0.0, 0.0], [1.0, 2.0], [2.0, -1.0]]), np.array([0, 1, 1])
    with pytest.warns(ConvergenceWarning):
        model = rb.RescaledPerceptron(fit_intercept=False, max_passes=3).fit(X, y)
    assert (
        model.outcome_.sentence
        == "0 of 3 examples are still classified wrongly and 1 lies on the hyperplane after 3 phases."
    )
