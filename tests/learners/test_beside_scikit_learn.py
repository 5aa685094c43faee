"""What programs written for scikit-learn's linear models ask for."""

import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from sklearn import datasets
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rosenblatt as rb
from tests.learners.test_perceptron import quiet

X, y = datasets.load_breast_cancer(return_X_y=True)
Z = StandardScaler().fit_transform(X)


def test_fit_takes_weights_to_begin_with() -> None:
    w, b = np.linspace(-1, 1, 30), 0.5
    options = {"max_passes": 3, "average": False}
    given = rb.Perceptron(**options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        given.fit(Z, y, coef_init=w[None, :], intercept_init=[b])
    started = quiet(rb.Perceptron(start=np.append(w, b), **options), Z, y)
    assert given.coef_.tobytes() == started.coef_.tobytes()
    assert quiet(given, Z, y).coef_.tobytes() == quiet(rb.Perceptron(**options), Z, y).coef_.tobytes()  # of one call


def test_weights_of_three_classes_and_warm_starts() -> None:
    X3, y3 = datasets.load_iris(return_X_y=True)
    W = np.arange(12.0).reshape(3, 4)
    model = rb.Perceptron(max_passes=2, warm_start=True, average=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X3, y3).fit(X3, y3, coef_init=W)  # what is given counts, not what was reached
    fresh = quiet(rb.Perceptron(max_passes=2, start=np.column_stack([W, np.zeros(3)]), average=False), X3, y3)
    assert model.coef_.tobytes() == fresh.coef_.tobytes()


@pytest.mark.parametrize(
    ("options", "given", "sentence"),
    [
        ({}, {"coef_init": [1.0, 2.0]}, "coef_init must hold 1 × 30 finite numbers"),
        ({}, {"intercept_init": [np.nan]}, "intercept_init must hold 1 × 1 finite numbers"),
        ({"fit_intercept": False}, {"intercept_init": [1.0]}, "with fit_intercept=False there is no intercept"),
    ],
)
def test_weights_that_do_not_fit_are_refused(options: dict, given: dict, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        rb.Perceptron(**options).fit(X, y, **given)


def test_sparse_weights_answer_alike(tmp_path: Path) -> None:
    model = quiet(rb.Perceptron(max_passes=5), Z, y)
    scores, plane, few = model.decision_function(Z), model.hyperplane_, model.predict(Z[:3])
    rb.save(model, tmp_path / "dense")
    assert sp.issparse(model.sparsify().coef_)
    assert model.decision_function(Z).tobytes() == scores.tobytes()
    assert model.predict(Z[:3]).tolist() == few.tolist()
    assert model.hyperplane_.w.tobytes() == plane.w.tobytes()
    rb.save(model, tmp_path / "sparse")
    assert (tmp_path / "sparse").read_bytes() == (tmp_path / "dense").read_bytes()
    assert isinstance(model.densify().coef_, np.ndarray)
    stream = rb.Perceptron().partial_fit(Z[:9], y[:9], classes=[0, 1]).sparsify().partial_fit(Z[9:], y[9:])
    assert stream.coef_.tobytes() == rb.Perceptron().partial_fit(Z, y, classes=[0, 1]).coef_.tobytes()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_missing_values_are_told_in_their_words_too(bad: float) -> None:
    with pytest.raises(ValueError, match="Input X contains NaN") as caught:
        rb.Perceptron().fit([[0.0], [bad]], [0, 1])
    assert "row 1, column 0" in str(caught.value)


@pytest.mark.parametrize("C", [0.1, 1.0])
def test_a_ridge_on_descents(C: float) -> None:
    ours = quiet(rb.Logistic(mode="batch", regularizer=1 / C, max_passes=50_000, tol=1e-9), Z, y)
    theirs = LogisticRegression(C=C, tol=1e-10, max_iter=10_000).fit(Z, y)
    assert ours.outcome_ == "CONVERGED"
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    with pytest.raises(ValueError, match='regularizer=1 is for mode="newton" and mode="batch"'):
        rb.Logistic(mode="incremental", regularizer=1.0).fit(Z, y)


def test_the_lectures_step_holds_the_bias() -> None:
    model = rb.LeastSquares.from_recipe("gauss-newton", regularizer=10.0).fit(X[:, :3], y)
    z, d = np.column_stack([X[:, :3], np.ones(len(X))]), np.where(y == 1, 1.0, -1.0)
    np.testing.assert_allclose([*model.coef_[0], *model.intercept_], np.linalg.solve(z.T @ z + 10 * np.eye(4), z.T @ d))
    with pytest.raises(ValueError, match="no recipe is called 'x'"):
        rb.LeastSquares.from_recipe("x")  # type: ignore[arg-type]


def test_a_search_warns_once() -> None:
    search = GridSearchCV(rb.Perceptron(max_passes=2), {"eta": [0.5, 1.0, 2.0]}, cv=3)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        search.fit(X, y)
    assert (
        len([one for one in caught if issubclass(one.category, ConvergenceWarning)]) <= 2
    )  # the search, and its refit


def test_weights_of_rows_are_routed() -> None:
    weights = np.where(y == 1, 2.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        learner = rb.Perceptron(max_passes=5).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        model = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), learner)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X, y, sample_weight=weights)
            found = cross_validate(model, X, y, params={"sample_weight": weights}, cv=3)
    direct = rb.Perceptron(max_passes=5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        direct.fit(Z, y, sample_weight=weights)
    assert model[-1].coef_.tobytes() == direct.coef_.tobytes()
    assert len(found["test_score"]) == 3


def test_frames_go_through_a_pipeline() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X[:, :4], columns=["a", "b", "c", "d"])
    model = make_pipeline(StandardScaler(), rb.Perceptron(max_passes=5)).set_output(transform="pandas")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(frame, y)
    assert model[-1].feature_names_in_.tolist() == ["a", "b", "c", "d"]
    features = make_pipeline(rb.FourierFeatures(5)).set_output(transform="pandas").fit_transform(frame)
    assert list(features.columns) == [f"fourierfeatures{k}" for k in range(5)]


def test_shap_explains_the_scores() -> None:
    shap = pytest.importorskip("shap")
    model = quiet(rb.Perceptron(max_passes=5), Z, y)
    background = shap.maskers.Independent(Z, max_samples=len(Z))  # unasked it takes 100 rows for all
    found = shap.LinearExplainer(model, background).shap_values(Z[:5])
    expected = (Z[:5] - Z.mean(axis=0)) * model.coef_[0]
    np.testing.assert_allclose(found, expected, atol=1e-9)
