"""Learners in other people's programs: single rows, classes that come later, searches, notebooks, routed weights."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from joblib import parallel_config
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rosenblatt as rb

ONLINE: dict[str, Any] = {
    "perceptron": rb.Perceptron,
    "averaged": lambda: rb.Perceptron(average=True),
    "averaged, no bias": lambda: rb.Perceptron(average=True, fit_intercept=False),
    "pocket": lambda: rb.Perceptron(pocket=True),
    "ties": lambda: rb.Perceptron(tie="positive"),
    "averaged PA": lambda: rb.PassiveAggressive(average=True),
    "incremental": lambda: rb.Logistic(mode="incremental", eta=0.1),
}


def noise(n: int = 60, p: int = 3, k: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, p)), rng.integers(0, k, size=n)


def same(a: Any, b: Any) -> bool:
    weights = np.array_equal(a.coef_, b.coef_) and np.array_equal(a.intercept_, b.intercept_)
    return bool(weights and a.n_updates_ == b.n_updates_ and a.classes_.tolist() == b.classes_.tolist())


# --------------------------------------------------------------------------------------------------------- single rows


@pytest.mark.parametrize("name", ONLINE)
def test_single_rows_and_one_chunk_give_the_same_bits(name: str) -> None:
    X, y = noise()
    at_once = ONLINE[name]().partial_fit(X, y, classes=[0, 1])
    one_by_one, mixed = (ONLINE[name]().partial_fit(X[:1], y[:1], classes=[0, 1]) for _ in "12")
    for i in range(1, len(y)):
        one_by_one.partial_fit(X[i : i + 1], y[i : i + 1])
        expected = ONLINE[name]().partial_fit(X[: i + 1], y[: i + 1], classes=[0, 1])
        assert same(one_by_one, expected)
        assert one_by_one.predict(X[i : i + 1]).tolist() == expected.predict(X.tolist())[i : i + 1].tolist()
    for rows in ([1], [2, 3, 4], [5], [6], list(range(7, 60))):  # the short way, the long way and back
        mixed.partial_fit(X[rows], y[rows])
    assert same(mixed, at_once)
    assert same(one_by_one, at_once)


def test_the_long_way_is_not_taken_for_single_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call is short because scikit-learn's checks are left out; `python -m benchmarks stream` has the times."""
    X, y = noise()
    model = rb.Perceptron(average=True).partial_fit(X, y, classes=[0, 1])
    monkeypatch.setattr("rosenblatt.learners.shared.checks.validate_data", lambda *a, **k: pytest.fail("the long way"))
    model.partial_fit(X[:1], y[:1])
    model.predict(X[:1])
    model.decision_function(X[:1])


# --------------------------------------------------------------------------------------------- classes that come later


@given(
    st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.sampled_from("abcd")), min_size=1, max_size=25),
    st.data(),
)
def test_a_class_that_comes_late_is_as_if_it_had_been_there(points: list[Any], data: Any) -> None:
    X, y = np.array([p[:2] for p in points], dtype=float), np.array([p[2] for p in points])
    name = data.draw(st.sampled_from(sorted(ONLINE)))
    grown, at, first = ONLINE[name](), 0, True
    while at < len(y):
        size = data.draw(st.integers(1, 5))
        grown.partial_fit(X[at : at + size], y[at : at + size], classes="grow" if first else None)
        at, first = at + size, False
    assert grown.classes_.tolist() == sorted(set(y.tolist()))
    assert grown.outcome_ == "ONLINE"
    if len(grown.classes_) > 1:
        known = ONLINE[name]().partial_fit(X, y, classes=np.unique(y))
        assert same(grown, known)
        assert grown.predict(X).tolist() == known.predict(X).tolist()


def test_a_growing_stream_goes_through_a_file_and_on(tmp_path: Any) -> None:
    X, y = noise(k=4)
    model = rb.Perceptron(average=True).partial_fit(X[:30], y[:30] % 2, classes="grow")
    rb.save(model, tmp_path / "stream.model")
    loaded = rb.load(tmp_path / "stream.model")
    for one in (model, loaded):
        one.partial_fit(X[30:], y[30:])
    assert same(model, loaded)
    assert loaded.coef_.shape == (4, 3)


def test_what_a_growing_stream_refuses() -> None:
    X, y = noise()
    with pytest.raises(ValueError, match="start='zeros'"):
        rb.Perceptron(start="random").partial_fit(X, y, classes="grow")
    with pytest.raises(ValueError, match="multiclass='ovr'"):
        rb.Perceptron(multiclass="kesler").partial_fit(X, y, classes="grow")
    with pytest.raises(ValueError, match="this one has learned before"):
        rb.Perceptron().partial_fit(X, y, classes=[0, 1]).partial_fit(X, y, classes="grow")
    with pytest.raises(ValueError, match="classes='grow' takes new ones"):
        rb.Perceptron().partial_fit(X, y, classes=[0, 1]).partial_fit(X[:1], [2])
    model = rb.Perceptron().partial_fit(X, y, classes="grow")
    with pytest.raises(ValueError, match="X has NaN in row 0, column 0"):
        model.partial_fit(np.full((1, 3), np.nan), [7])
    assert model.classes_.tolist() == [0, 1]  # what is refused teaches nothing
    assert model.partial_fit(X, y, classes="grow").classes_.tolist() == [0, 1]
    alone = rb.Perceptron().partial_fit(X[:3], [5, 5, 5], classes="grow")
    with pytest.raises(ValueError, match="learned from one class only"):
        alone.predict(X)


# ------------------------------------------------------------------------------------------------------------- tables


@pytest.mark.parametrize(
    "column",
    [pd.Categorical(["low", "high", "low"]), pd.Categorical([1, 2, 1]), pd.Categorical([None, True, False])],
)
def test_categorical_columns_get_the_remedy(column: Any) -> None:
    table = pd.DataFrame({"a": [1.0, 2.0, 3.0], "dose": column})
    with pytest.raises(ValueError, match=r"categorical column 'dose' \(.*OneHotEncoder; if they are amounts"):
        rb.Perceptron().fit(table, [0, 1, 1])


def test_the_remedies_for_categorical_columns_work() -> None:
    table = pd.DataFrame({"a": [1.0, 2.0, 3.0], "dose": pd.Categorical([1, 2, 1]), "y": [0, 1, 1]})
    levels = pl.DataFrame({"dose": ["low", "high", "low"]}, schema={"dose": pl.Enum(["low", "high"])})
    with pytest.raises(ValueError, match=r"categorical column 'dose' \(low, high\)"):
        rb.Perceptron().fit(levels, [0, 1, 1])
    rb.Perceptron().fit(table[["a", "dose"]].astype(float), table["y"])
    X, y, _ = rb.data.open_table(frame=table, target="y").arrays()
    rb.Perceptron().fit(X, y)


# ----------------------------------------------------------------------------------------------- searches and warnings


def told(call: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        call()
    return [str(one.message) for one in seen if issubclass(one.category, ConvergenceWarning)]


def test_a_search_warns_once_a_kind() -> None:
    X, y = noise()
    steps = make_pipeline(StandardScaler(), rb.Perceptron(max_passes=3))
    search = GridSearchCV(steps, {"perceptron__eta": [1.0, 2.0], "perceptron__average": [False, True]}, cv=4)
    for _ in "12":  # each search tells of itself
        said = told(lambda: search.fit(X, y))
        assert len(said) == 2, said  # of sixteen fits, and of the last one on all rows
        assert "Other fits of this search may have ended like this" in said[0]
        assert "Other fits" not in said[1]
    X2 = np.vstack([X, X])  # every row in both classes: a run that comes back
    assert len(told(lambda: cross_val_score(rb.Perceptron(order="cyclic"), X2, [0] * 60 + [1] * 60, cv=4))) <= 2
    assert len(told(lambda: [rb.Perceptron(max_passes=3).fit(X, y) for _ in range(3)])) == 3


def test_a_search_in_other_processes_warns_once_a_worker(capfd: pytest.CaptureFixture[str]) -> None:
    X, y = noise()
    with parallel_config(backend="loky", n_jobs=2), warnings.catch_warnings():
        warnings.simplefilter("always")
        cross_val_score(rb.Perceptron(max_passes=3), X, y, cv=10)
    assert capfd.readouterr().err.count("ConvergenceWarning") <= 2


# ----------------------------------------------------------------------------------------- scikit-learn's other habits


def test_routed_weights_arrive() -> None:
    X, y = noise()
    weights = np.arange(60) % 3 * 1.0
    with sklearn.config_context(enable_metadata_routing=True), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        quiet = rb.Perceptron(max_passes=5).set_fit_request(sample_weight=True)
        scale = StandardScaler().set_fit_request(sample_weight=False)
        pipe = make_pipeline(scale, quiet).fit(X, y, sample_weight=weights)
        alone = rb.Perceptron(max_passes=5).fit(StandardScaler().fit_transform(X), y, sample_weight=weights)
        assert same(pipe[-1], alone)
        quiet.set_score_request(sample_weight=False)
        search = GridSearchCV(quiet, {"eta": [1.0]}, cv=3).fit(X, y, sample_weight=weights)
        assert same(search.best_estimator_, rb.Perceptron(max_passes=5).fit(X, y, sample_weight=weights))
        stream = rb.Perceptron().set_partial_fit_request(sample_weight=True, classes=True)
        assert stream.get_metadata_routing().partial_fit.requests == {"sample_weight": True, "classes": True}


def test_set_output_reaches_the_learner_with_names() -> None:
    X, y = noise()
    table = pd.DataFrame(X, columns=["a", "b", "c"])
    for kind in ("pandas", "polars"):
        pipe = make_pipeline(StandardScaler(), rb.Perceptron(max_passes=3), verbose=False).set_output(transform=kind)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            pipe.fit(table, y)
        assert pipe[-1].feature_names_in_.tolist() == ["a", "b", "c"]


def test_notebooks_show_how_a_fit_ended() -> None:
    X, y = noise(k=3)
    model = rb.Perceptron(max_passes=2)
    assert "rosenblatt-outcome" not in model._repr_html_()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, np.array(["<a>", "b", "c"])[y])
    for shown in (model._repr_html_(), model._repr_mimebundle_()["text/html"]):
        assert shown.count("<li><b>BUDGET</b>: class ") == 3
        assert "class &#x27;&lt;a&gt;&#x27; against the rest: " in shown
        assert "<a>" not in shown.partition("rosenblatt-outcome")[2]
    with sklearn.config_context(display="text"):
        assert "text/html" not in model._repr_mimebundle_()
