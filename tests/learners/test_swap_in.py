"""Our learners in the places where people have scikit-learn's."""

import pickle
from io import BytesIO
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.ensemble import VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import Perceptron as Theirs
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import brier_score_loss
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

import rosenblatt as rb

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

LEARNERS = [rb.Perceptron, rb.PassiveAggressive, rb.Adaline, rb.Logistic, rb.LeastSquares]

TEXTS = {
    "cooking": [
        "chop the onion and fry it in butter",
        "bake the bread until the crust is brown",
        "stir the soup and add salt and pepper",
        "butter the pan and fry the onion in salt",
        "the dough needs flour salt and yeast before you bake",
    ],
    "music": [
        "the violin plays the melody over a quiet piano",
        "tune the guitar and play a chord in minor",
        "the choir sings the melody in four voices",
        "a quiet chord on the piano ends the song",
        "the drummer counts in and the band plays the song",
    ],
    "sailing": [
        "hoist the sail and steer into the wind",
        "the anchor holds the boat in the harbour",
        "a strong wind from the west fills the sail",
        "steer the boat to the harbour before the storm",
        "the crew hoists the anchor as the tide turns",
    ],
}
CORPUS = [text for texts in TEXTS.values() for text in texts]
TOPICS = [topic for topic, texts in TEXTS.items() for _ in texts]


def noisy(n: int = 200, p: int = 5, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows that a hyperplane through the origin tells apart, but for the noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, (X.sum(axis=1) + rng.normal(size=n) > 0).astype(int)


def integers(k: int, n: int = 80, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows of small integers with any labels: no sum is rounded, so any order of summation gives the same bits."""
    rng = np.random.default_rng(seed)
    return rng.integers(-5, 6, size=(n, 4)).astype(float), rng.integers(0, k, size=n)


def same_weights(a: Any, b: Any) -> bool:
    return np.array_equal(a.coef_, b.coef_) and np.array_equal(a.intercept_, b.intercept_)


# ----------------------------------------------------------------------------------------------------------- pipelines


@pytest.mark.parametrize("learner", LEARNERS)
def test_scaled_pipeline_does_its_steps(learner: Any) -> None:
    X, y = noisy()
    X = X * [1, 10, 100, 1000, 10_000] + 5
    pipe = Pipeline([("scale", StandardScaler()), ("learn", learner())]).fit(X, y)
    alone = learner().fit(StandardScaler().fit_transform(X), y)
    assert same_weights(pipe["learn"], alone)
    assert pipe.predict(X).tolist() == alone.predict(StandardScaler().fit_transform(X)).tolist()
    assert pipe.score(X, y) > 0.75
    pipe.set_params(learn__fit_intercept=False).fit(X, y)
    assert pipe["learn"].intercept_.tolist() == [0.0]


def test_features_make_xor_separable() -> None:
    X, y = rb.datasets.xor()
    assert rb.Perceptron().fit(X, y).outcome_ == "CYCLING"
    features = PolynomialFeatures(degree=2, interaction_only=True, include_bias=False)
    pipe = make_pipeline(features, rb.Perceptron()).fit(X, y)
    assert pipe[-1].outcome_ == "SEPARATED"
    assert pipe[-1].coef_.shape == (1, 3)  # x1, x2, x1·x2
    assert pipe.predict(X).tolist() == y.tolist()


def test_set_output_hands_the_names_on() -> None:
    import pandas as pd

    X, y = noisy(p=2)
    table = pd.DataFrame(X, columns=["height", "weight"])
    features = PolynomialFeatures(degree=2, include_bias=False)
    pipe = make_pipeline(StandardScaler(), features, rb.Perceptron()).set_output(transform="pandas").fit(table, y)
    names = ["height", "weight", "height^2", "height weight", "weight^2"]
    assert pipe[-1].feature_names_in_.tolist() == names
    assert same_weights(pipe[-1], rb.Perceptron().fit(pipe[:-1].transform(table).to_numpy(), y))
    with pytest.raises(ValueError, match="feature names should match"):
        pipe[-1].predict(pd.DataFrame(np.ones((1, 5)), columns=names[::-1]))


def test_select_from_model_keeps_the_columns_that_matter() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 6))
    y = np.where(X[:, 1] - X[:, 4] > 0, "up", "down")
    chosen = SelectFromModel(rb.Perceptron(average=True), max_features=2).fit(X, y)
    assert chosen.get_support(indices=True).tolist() == [1, 4]


# ---------------------------------------------------------------------------------------------------------------- text


@pytest.mark.parametrize("learner", [rb.Perceptron, rb.PassiveAggressive, rb.Logistic, rb.LeastSquares])
def test_text_in_three_classes(learner: Any) -> None:
    pipe = make_pipeline(TfidfVectorizer(), learner()).fit(CORPUS, TOPICS)
    assert pipe[-1].classes_.tolist() == ["cooking", "music", "sailing"]
    # a loss without a minimum is the more important news
    assert pipe[-1].outcome_ == ("RECEDING" if learner is rb.Logistic else "SEPARATED")
    assert pipe.score(CORPUS, TOPICS) == 1.0
    unseen = ["fry the bread in butter", "the piano plays a song", "the wind turns the boat"]
    assert pipe.predict(unseen).tolist() == ["cooking", "music", "sailing"]


def test_sparse_text_is_learned_as_dense() -> None:
    """Counts are integers: the two layouts agree to the last bit. scikit-learn damps the intercept of sparse rows."""
    X = CountVectorizer().fit_transform(CORPUS)
    sparse, dense = rb.Perceptron().fit(X, TOPICS), rb.Perceptron().fit(X.toarray(), TOPICS)
    assert same_weights(sparse, dense)
    assert np.array_equal(sparse.mistakes_per_pass_, dense.mistakes_per_pass_)
    rounded = TfidfVectorizer().fit_transform(CORPUS)
    sparse, dense = rb.Perceptron().fit(rounded, TOPICS), rb.Perceptron().fit(rounded.toarray(), TOPICS)
    assert sparse.n_updates_ == dense.n_updates_
    assert np.allclose(sparse.coef_, dense.coef_, rtol=1e-12)
    theirs = [Theirs(shuffle=False, tol=None, max_iter=5).fit(layout, TOPICS) for layout in (X, X.toarray())]
    assert not np.allclose(theirs[0].intercept_, theirs[1].intercept_, rtol=0.5)


# ------------------------------------------------------------------------------------------------------ model selection


def test_grid_search_finds_that_averaging_helps() -> None:
    X, y = noisy(300)
    grid = {"eta": [0.5, 1.0, 4.0], "average": [False, True]}
    search = GridSearchCV(rb.Perceptron(max_passes=30), grid, cv=KFold(5), error_score="raise").fit(X, y)
    by_average = search.cv_results_["mean_test_score"].reshape(2, 3)
    assert len(set(by_average[0])) == len(set(by_average[1])) == 1  # from zero, η scales the weights and nothing else
    assert by_average[1, 0] > by_average[0, 0]
    assert search.best_params_["average"] is True
    refitted = rb.Perceptron(max_passes=30, **search.best_params_).fit(X, y)
    assert same_weights(search.best_estimator_, refitted)


@pytest.mark.parametrize("learner", LEARNERS)
def test_cross_val_score_is_the_loop_written_out(learner: Any) -> None:
    X, y = rb.datasets.margin_cloud(150, 3, 0.25, random_state=0)
    folds = KFold(3, shuffle=True, random_state=0)
    scores = cross_val_score(learner(), X, y, cv=folds, error_score="raise")
    written = [learner().fit(X[a], y[a]).score(X[b], y[b]) for a, b in folds.split(X)]
    assert scores.tolist() == written
    assert scores.mean() > 0.93


def test_calibration_gives_a_perceptron_probabilities() -> None:
    X, y = noisy(600)
    new_X, new_y = noisy(600, seed=1)
    model = CalibratedClassifierCV(rb.Perceptron(average=True, max_passes=20), cv=3).fit(X, y)
    p = model.predict_proba(new_X)
    assert np.allclose(p.sum(axis=1), 1)
    base_rate = brier_score_loss(new_y, np.full(len(new_y), y.mean()))
    assert brier_score_loss(new_y, p[:, 1]) < 0.6 * base_rate
    sure = np.abs(p[:, 1] - 0.5) > 0.4
    assert sure.sum() > 100
    assert (p[sure, 1] > 0.5).astype(int).tolist() == model.predict(new_X)[sure].tolist()
    assert np.mean(model.predict(new_X)[sure] == new_y[sure]) > 0.9


def test_cross_val_predict_takes_scores_and_probabilities() -> None:
    X, y = noisy()
    scores = cross_val_predict(rb.LeastSquares(), X, y, method="decision_function")
    assert np.mean((scores > 0) == y) > 0.75
    p = cross_val_predict(rb.Logistic(), X, y, method="predict_proba")
    assert brier_score_loss(y, p[:, 1]) < 0.2


# -------------------------------------------------------------------------------------------------------- ensembles


@pytest.mark.parametrize("learner", [rb.Perceptron, rb.PassiveAggressive, rb.LeastSquares])
def test_one_against_the_rest_is_what_we_do_ourselves(learner: Any) -> None:
    X, y = load_iris(return_X_y=True)
    how = {"max_passes": 50} | ({"order": "cyclic"} if hasattr(learner(), "order") else {})  # or each class has its own
    ours = learner(**how).fit(X, y)
    theirs = OneVsRestClassifier(learner(**how)).fit(X, y)
    assert np.array_equal(ours.coef_, np.vstack([one.coef_ for one in theirs.estimators_]))
    assert ours.predict(X).tolist() == theirs.predict(X).tolist()
    assert [str(o) for o in ours.outcomes_] == [str(one.outcome_) for one in theirs.estimators_]


def test_one_against_one_tells_which_pairs_are_separable() -> None:
    X, y = load_iris(return_X_y=True)
    model = OneVsOneClassifier(rb.Perceptron(pocket=True)).fit(X, y)
    assert [one.outcome_ == "SEPARATED" for one in model.estimators_] == [True, True, False]
    assert model.score(X, y) >= 0.97  # two of its three hyperplanes are perfect


def test_voting_is_the_majority_of_ours() -> None:
    X, y = noisy()
    labels = np.array(["no", "yes"])[y]
    voters = [(one.__name__, one()) for one in (rb.Perceptron, rb.Adaline, rb.Logistic)]
    model = VotingClassifier(voters).fit(X, labels)
    votes = np.sum(
        [one().fit(X, labels).predict(X) == "yes" for one in (rb.Perceptron, rb.Adaline, rb.Logistic)], axis=0
    )
    assert set(votes.tolist()) > {0, 3}  # they do not all agree
    assert model.predict(X).tolist() == np.where(votes >= 2, "yes", "no").tolist()


# -------------------------------------------------------------------------------------------------- copies and files


@pytest.mark.parametrize("learner", LEARNERS)
def test_clone_keeps_the_configuration_and_no_memory(learner: Any) -> None:
    X, y = noisy()
    start = np.linspace(-1, 1, X.shape[1] + 1)
    model = learner(start=start, class_weight={0: 2.0, 1: 1.0}, max_passes=3).fit(X, y)
    copy = clone(model)
    assert copy.start is not start
    assert {**copy.get_params(), "start": start.tolist()} == {**model.get_params(), "start": start.tolist()}
    with pytest.raises(NotFittedError):
        copy.predict(X)
    assert same_weights(copy.fit(X, y), model)


def through_joblib(model: Any) -> Any:
    file = BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    return joblib.load(file)


@pytest.mark.parametrize("copied", [lambda model: pickle.loads(pickle.dumps(model)), through_joblib])
@pytest.mark.parametrize("learner", LEARNERS)
def test_pickled_models_answer_and_go_on(learner: Any, copied: Any) -> None:
    X, y = noisy()
    model = learner(max_passes=4, warm_start=True).fit(X, y)
    copy = copied(model)
    assert copy.predict(X).tolist() == model.predict(X).tolist()
    assert copy.decision_function(X).tolist() == model.decision_function(X).tolist()
    assert (copy.outcome_, copy.outcome_.sentence) == (model.outcome_, model.outcome_.sentence)
    assert same_weights(copy.fit(X, y), learner(max_passes=8).fit(X, y))  # four passes, a file, four passes


# --------------------------------------------------------------------------------------------------- from scikit-learn


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("more", [{}, {"eta0": 0.5}, {"fit_intercept": False}, {"n_jobs": 2}])
def test_from_sklearn_makes_their_corrections(k: int, more: dict[str, Any]) -> None:
    X, y = integers(k)
    theirs = Theirs(max_iter=7, shuffle=False, tol=None, **more).fit(X, y)
    ours = rb.Perceptron.from_sklearn(theirs).fit(X, y)
    assert same_weights(ours, theirs)
    assert ours.n_passes_ == theirs.n_iter_ == 7
    assert ours.predict(X).tolist() == theirs.predict(X).tolist()
    assert theirs.t_ == 7 * len(X) + 1  # says updates, counts presentations
    assert 0 < ours.n_updates_ == ours.mistakes_per_pass_.sum() < 7 * len(X) * max(1, k - 1)


@pytest.mark.parametrize("class_weight", [{0: 1.0, 1: 2.0}, "balanced"])
def test_from_sklearn_carries_class_weights(class_weight: Any) -> None:
    X, y = integers(2)
    theirs = Theirs(max_iter=5, shuffle=False, tol=None, class_weight=class_weight).fit(X, y)
    ours = rb.Perceptron.from_sklearn(theirs).fit(X, y)
    assert np.allclose(ours.coef_, theirs.coef_, rtol=1e-12)
    unweighted = rb.Perceptron(order="cyclic", max_passes=5).fit(X, y)
    assert not np.allclose(ours.coef_, unweighted.coef_)


def test_class_weights_of_three_classes_are_those_of_the_rows() -> None:
    """Theirs weighs the rest by one whatever its classes; ours is the run with each row's own weight."""
    X, y = integers(3)
    weights = {0: 1.0, 1: 2.0, 2: 4.0}
    theirs = Theirs(max_iter=5, shuffle=False, tol=None, class_weight=weights).fit(X, y)
    ours = rb.Perceptron.from_sklearn(theirs).fit(X, y)
    cyclic = rb.Perceptron(order="cyclic", max_passes=5, average=False)
    assert same_weights(ours, clone(cyclic).fit(X, y, sample_weight=[weights[c] for c in y]))
    for c in range(3):
        rest_is_one = np.where(y == c, weights[c], 1.0)
        one = clone(cyclic).fit(X, y == c, sample_weight=rest_is_one)
        assert np.array_equal(one.coef_[0], theirs.coef_[c])


def test_partial_fit_and_sample_weight_are_theirs_too() -> None:
    X, y = integers(2)
    weights = np.arange(len(y)) % 4
    ours, theirs = rb.Perceptron(), Theirs(shuffle=False)
    for rows in np.array_split(np.arange(len(y)), 7):
        ours.partial_fit(X[rows], y[rows], classes=[0, 1], sample_weight=weights[rows])
        theirs.partial_fit(X[rows], y[rows], classes=[0, 1], sample_weight=weights[rows])
    assert same_weights(ours, theirs)
    assert ours.outcome_ == "ONLINE"


def test_from_sklearn_stops_where_theirs_does_not() -> None:
    X, y = rb.datasets.margin_cloud(300, 5, 0.25, random_state=0)
    theirs = Theirs(tol=None, max_iter=200, random_state=0).fit(X, y)
    ours = rb.Perceptron.from_sklearn(theirs).fit(X, y)
    assert (ours.order, ours.random_state) == ("shuffled", 0)
    assert ours.outcome_ == "SEPARATED"
    assert ours.n_passes_ < theirs.n_iter_ == 200
    assert ours.score(X, y) == 1.0


def test_from_sklearn_leaves_behind_what_stops_too_early() -> None:
    X, y = rb.datasets.margin_cloud(500, 20, 0.05, random_state=0)
    theirs = Theirs().fit(X, y)
    assert np.any(theirs.predict(X) != y)
    ours = rb.Perceptron.from_sklearn(theirs)
    assert ours.patience is None
    assert ours.fit(X, y).outcome_ == "SEPARATED"


def test_from_sklearn_takes_a_perceptron_and_nothing_else() -> None:
    with pytest.raises(TypeError, match="not a SGDClassifier"):
        rb.Perceptron.from_sklearn(SGDClassifier(loss="perceptron", penalty=None, average=True))


@pytest.mark.parametrize("given", [{"penalty": "l1"}, {"penalty": "elasticnet"}, {"early_stopping": True}])
def test_from_sklearn_refuses_what_we_lack(given: dict[str, Any]) -> None:
    ((name, value),) = given.items()
    with pytest.raises(ValueError, match=f"{name}={value!r} has no counterpart"):
        rb.Perceptron.from_sklearn(Theirs(**given))


def test_warm_start_goes_on_where_theirs_begins_again() -> None:
    X, y = noisy()
    at_once = rb.Perceptron(order="shuffled", random_state=0, max_passes=6).fit(X, y)
    in_parts = rb.Perceptron(order="shuffled", random_state=0, max_passes=2, warm_start=True)
    for _ in range(3):
        in_parts.fit(X, y)
    assert same_weights(in_parts, at_once)
    assert in_parts.mistakes_per_pass_.tolist() == at_once.mistakes_per_pass_.tolist()
    theirs_at_once = Theirs(random_state=0, max_iter=6, tol=None).fit(X, y)
    theirs_in_parts = Theirs(random_state=0, max_iter=2, tol=None, warm_start=True)
    for _ in range(3):
        theirs_in_parts.fit(X, y)
    assert not np.allclose(theirs_in_parts.coef_, theirs_at_once.coef_)


def test_other_learners_of_theirs() -> None:
    from sklearn.linear_model import LogisticRegression

    X, y = load_iris(return_X_y=True)
    theirs = LogisticRegression(C=0.5, max_iter=10_000, tol=1e-10)
    ours = rb.Logistic.from_sklearn(theirs).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.fit(X, y).predict_proba(X), atol=1e-5)
    assert rb.Logistic.from_sklearn(LogisticRegression(C=np.inf)).regularizer == 0.0
    with pytest.raises(ValueError, match=r"l1_ratio=0\.5 has no counterpart in Logistic"):
        rb.Logistic.from_sklearn(LogisticRegression(l1_ratio=0.5, solver="saga"))
    with pytest.raises(TypeError, match=r"takes a sklearn\.linear_model\.LogisticRegression, not a Perceptron"):
        rb.Logistic.from_sklearn(rb.Perceptron())


def test_what_programs_read() -> None:
    X, y = rb.datasets.sonar()
    model = rb.Perceptron(max_passes=10_000).fit(X, y)
    assert (model.n_iter_, model.t_) == (model.n_passes_, model.n_passes_ * len(X) + 1)
    assert rb.Perceptron().partial_fit(X, y, classes=["M", "R"]).partial_fit(X[:3], y[:3]).t_ == len(X) + 4
    assert model.densify() is model
    assert not hasattr(rb.Logistic(), "partial_fit")
    assert hasattr(rb.Logistic(mode="incremental"), "partial_fit")
