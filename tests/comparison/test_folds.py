"""Cross-validation: folds by hand, nothing learned from rows that are judged, refusals in a sentence."""

from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin, clone
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.model_selection import cross_validate as theirs
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rosenblatt as rb
from rosenblatt.comparison.folds import deal, enough_folds
from rosenblatt.probes.reading.copies import Copies, copies


class Seen(TransformerMixin, BaseEstimator):
    """Remembers which rows it learned from; the first column is their number."""

    fits: ClassVar[list[set[int]]] = []

    def fit(self, X: Any, y: Any = None) -> "Seen":
        Seen.fits.append(set(X[:, 0].astype(int).tolist()))
        self.n_ = len(X)
        return self

    def transform(self, X: Any) -> Any:
        return X


class Oracle(ClassifierMixin, BaseEstimator):
    """Remembers too, and says of every row the class of its number's parity."""

    asked: ClassVar[list[set[int]]] = []

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "Oracle":
        self.classes_, self.weights_ = np.unique(y), sample_weight
        return self

    def predict(self, X: Any) -> Any:
        Oracle.asked.append(set(X[:, 0].astype(int).tolist()))
        return self.classes_[X[:, 0].astype(int) % 2]

    def decision_function(self, X: Any) -> Any:
        return X[:, 0] % 2 - 0.5


@given(st.lists(st.integers(0, 2), min_size=1, max_size=40), st.integers(2, 4))
def test_every_fold_has_its_part_of_every_class(drawn: list[int], folds: int) -> None:
    codes = np.array([c for c in range(3) for _ in range(folds)] + drawn)
    parts = deal(codes, np.arange(3), folds, 0)
    for c in range(3):
        sizes = np.bincount(parts[codes == c], minlength=folds)
        assert sizes.min() >= 1
        assert np.ptp(sizes) <= 1


def test_no_row_is_judged_by_what_learned_from_it() -> None:
    n = 60
    X, y = np.column_stack([np.arange(n), np.ones(n)]), np.array(["even", "odd"])[np.arange(n) % 2]
    Seen.fits, Oracle.asked = [], []
    found = rb.cross_validate(make_pipeline(Seen(), Oracle()), X, y, folds=4, sample_weight=np.ones(n))
    assert (found.rows, found.wrong, found.folds, found.measures["auc"].value) == (60, 0, 4, 1.0)
    assert len(Seen.fits) == 4 + 6  # each fold is left out, and, for the intervals, each two of them
    for learned, judged in zip(Seen.fits, Oracle.asked, strict=True):
        assert learned | judged == set(range(n))
        assert not learned & judged
    assert sorted(i for judged in Oracle.asked[:4] for i in judged) == list(range(n))


@pytest.mark.parametrize("sparse", [False, True])
def test_folds_by_hand(sparse: bool) -> None:
    X, y = load_iris(return_X_y=True)
    model = make_pipeline(StandardScaler(with_mean=False), rb.Logistic(regularizer=1.0))
    found = rb.cross_validate(model, sp.csr_matrix(X) if sparse else X, y, folds=3, random_state=7)
    said, p = np.empty_like(y), np.empty((150, 3))
    for seen, unseen in StratifiedKFold(3, shuffle=True, random_state=7).split(X, y):
        fitted = clone(model).fit(X[seen], y[seen])
        said[unseen], p[unseen] = fitted.predict(X[unseen]), fitted.predict_proba(X[unseen])
    assert found.measures["accuracy"].value == np.mean(said == y)
    assert found.measures["log_loss"].value == pytest.approx(-np.log(p[np.arange(150), y]).mean(), rel=1e-6)
    assert not hasattr(model[-1], "coef_"), "the model itself stays as it is"
    folds = StratifiedKFold(3, shuffle=True, random_state=7)
    again = theirs(model, X, y, cv=folds, scoring="accuracy")["test_score"]  # scikit-learn's own takes it too
    assert np.mean(again) == pytest.approx(np.mean(said == y))


def test_tables_and_strangers() -> None:
    import pandas as pd

    X, y = load_iris(return_X_y=True, as_frame=True)
    assert rb.cross_validate(GaussianNB(), X, y).measures["accuracy"].value > 0.9  # probabilities only
    assert rb.cross_validate(LogisticRegression(), X, y).measures["auc"].value > 0.99
    two = y == 1
    assert rb.cross_validate(DummyClassifier(), X, two).measures["auc"].value == 0.5
    assert isinstance(X, pd.DataFrame)
    assert "<caption>150 rows, 5 folds" in rb.cross_validate(GaussianNB(), X, y)._repr_html_()


@pytest.mark.parametrize(
    ("y", "folds", "words"),
    [
        ([0, 0, 0, 1, 1, 1], 4, "class 0 has 3 rows, and each of 4 folds needs one of every class: take fewer folds."),
        (
            [0, 0, 0, 1],
            2,
            "class 1 has 1 row, and each of 2 folds .*: take fewer folds, or a class that has more rows.$",
        ),
        ([0, 0, 0, 0], 2, "y has one class only, 0: there is nothing to tell apart."),
        ([0, 0, 1, 1], 1, "folds=1: rows are dealt into at least 2 parts."),
    ],
)
def test_refusals(y: list[int], folds: int, words: str) -> None:
    with pytest.raises(ValueError, match=words.replace("(", r"\(")):
        rb.cross_validate(rb.LeastSquares(), np.eye(len(y)), y, folds=folds)


def test_folds_that_nobody_asked_for() -> None:
    assert enough_folds(np.repeat([0, 1], [9, 3])) == 3
    assert enough_folds(np.repeat([0, 1], [9, 30])) == 5
    assert enough_folds(np.repeat([0, 1], [9, 1])) == 2


@pytest.mark.parametrize("judge", [lambda X, y: rb.cross_validate(rb.Logistic(), X, y), rb.choose])
def test_a_missing_label_is_refused_in_a_sentence(judge: Any) -> None:
    X = np.arange(24.0).reshape(12, 2)
    for y in ([None, *"abababababa"], pd.Series([pd.NA, *[True, False] * 5, True], dtype="boolean")):
        with pytest.raises(ValueError, match="y has no label in row 0: drop the row"):
            judge(X, y)
    with pytest.raises(ValueError, match="some are numbers and some are text"):
        judge(X, np.array([1, *"abababababa"], dtype=object))


# -------------------------------------------------------------------------------------------------- rows that are alike


def patients(seed: int, of_patient: bool = True) -> tuple[Any, Any, Any]:
    """40 patients with 6 rows each: their rows are alike, and their labels tell nothing."""
    random = np.random.default_rng(seed)
    who = np.repeat(np.arange(40), 6)
    X = 3 * random.normal(size=(40, 30))[who] + random.normal(size=(240, 30))
    y = (random.permutation(40) < 20)[who] if of_patient else random.random(240) < 0.5
    return X, y, who


def test_groups_stay_whole_and_are_what_intervals_count() -> None:
    X, y, who = patients(0)
    found = rb.cross_validate(rb.LeastSquares(), X, y, groups=who)
    assert found.answers.folds is not None
    assert all(len(set(found.answers.folds[who == one])) == 1 for one in range(40))
    assert str(found).startswith("240 rows of 40 groups, 5 folds")
    torn = rb.cross_validate(rb.LeastSquares(), X, y)
    width = {
        name: one.measures["accuracy"].high - one.measures["accuracy"].low for name, one in (("g", found), ("t", torn))
    }
    assert width["g"] > 1.5 * width["t"]
    alone = rb.cross_validate(rb.LeastSquares(), X, y, groups=np.arange(240))
    assert alone.measures["accuracy"].high - alone.measures["accuracy"].low < width["g"]


def test_noise_of_patients_is_learned_by_heart_only_where_they_are_torn_apart() -> None:
    """Without groups coins seem to be read; with them the interval has one half in it, as often as it says."""
    apart, whole = [], []
    for seed in range(20):
        X, y, who = patients(seed)
        apart.append(rb.cross_validate(rb.LeastSquares(), X, y).measures["accuracy"].low > 0.5)
        one = rb.cross_validate(rb.LeastSquares(), X, y, groups=who).measures["accuracy"]
        whole.append(one.low > 0.5)
    assert sum(apart) >= 15
    assert sum(whole) <= 3


def test_groups_that_cannot_be_dealt_are_refused_in_a_sentence() -> None:
    X, y, who = patients(1)
    few = np.where(who < 3, who, 3)
    y = (few < 2) | (np.arange(240) % 2 == 0)
    with pytest.raises(ValueError, match="each of 5 folds needs one of every class"):
        rb.cross_validate(rb.LeastSquares(), X, y, groups=few)
    with pytest.raises(ValueError, match="groups must name the group of each of 240 rows"):
        rb.cross_validate(rb.LeastSquares(), X, y, groups=who[1:])


def test_copies_in_other_folds_are_found_and_named() -> None:
    random = np.random.default_rng(0)
    X, y = random.normal(size=(100, 6)), random.random(100) < 0.5
    assert not rb.cross_validate(rb.LeastSquares(), X, y).copies
    twice, who = np.vstack([X, X]), np.tile(np.arange(100), 2)
    found = rb.cross_validate(rb.LeastSquares(), twice, np.tile(y, 2))
    assert found.copies.equal > 100
    assert "on both sides of a split" in str(found).splitlines()[-1]
    i, j = found.copies.pair or (0, 0)
    assert np.array_equal(twice[i], twice[j])
    near = np.vstack([X, X + 1e-5 * random.normal(size=X.shape)])
    assert rb.cross_validate(rb.LeastSquares(), near, np.tile(y, 2)).copies.near > 100
    assert not rb.cross_validate(rb.LeastSquares(), near, np.tile(y, 2), groups=who).copies
    assert not rb.cross_validate(
        rb.LeastSquares(), np.tile([[0.0, 1.0], [1.0, 0.0]], (50, 1)), np.arange(100) % 2
    ).copies


@pytest.mark.parametrize("kind", ["int64", "uint64", "frame"])
def test_rows_are_equal_if_what_was_written_is(kind: str) -> None:
    """Two long whole numbers with one float are two numbers: a column of them, beside columns that are copied."""
    random = np.random.default_rng(0)
    ids = 1234567890123456789 + random.permutation(80)
    assert len({float(one) for one in ids.tolist()}) < 3
    X = np.column_stack([ids, np.tile(random.integers(0, 10**6, (40, 3)), (2, 1))])
    table = pd.DataFrame(X).assign(half=0.5) if kind == "frame" else X.astype(kind)
    side = np.arange(80) // 40
    assert not copies(table, side)
    X[70, 0] = X[30, 0]
    table = pd.DataFrame(X).assign(half=0.5) if kind == "frame" else X.astype(kind)
    assert copies(table, side) == Copies(2, 0, (30, 70))


def test_the_choice_itself_is_judged_on_rows_that_took_no_part() -> None:
    """On coins the best of several is above one half on average; the nested estimate is not."""
    best, honest = [], []
    for seed in range(12):
        random = np.random.default_rng(seed)
        X, y = random.normal(size=(60, 4)), random.permutation(60) < 30
        choice = rb.choose(X, y, folds=3, nested=True)
        assert choice.honest is not None
        best.append(max(one.measures["accuracy"].value for one in choice.results.values()))
        honest.append(choice.honest.measures["accuracy"].value)
        assert "took no part in it: accuracy" in str(choice)
    assert np.mean(best) > 0.54
    assert np.mean(honest) < np.mean(best) - 0.02
    assert abs(np.mean(honest) - 0.5) < 0.05
