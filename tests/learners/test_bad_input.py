"""Bad input gets one sentence that names it."""

from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import rosenblatt as rb

X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]])
Y = np.array([0, 1, 1])


def changed(value: Any, dtype: Any = float) -> np.ndarray:
    bad = X.astype(dtype)
    bad[1, 0] = value
    return bad


def lazy() -> Any:
    return pl.LazyFrame({"a": [1.0, 2.0, 3.0]})


def named(column: list[Any]) -> Any:
    return pd.DataFrame({"a": [1.0, 2.0, 3.0], "income": column})


@pytest.mark.parametrize(
    ("make", "y", "parameters", "words"),
    [
        (lambda: changed(np.nan), Y, {}, "X has NaN in row 1, column 0"),
        (lambda: changed(np.inf), Y, {}, "X has inf in row 1, column 0"),
        (lambda: changed(-np.inf).astype(np.float32), Y, {}, "X has inf in row 1, column 0"),
        (lambda: sp.csr_array(changed(np.nan)), Y, {}, "X has NaN in row 1, column 0"),
        (lambda: named([1.0, np.nan, 2.0]), Y, {}, "X has NaN in row 1, column 1 ('income')"),
        (lambda: named(["low", "high", "low"]), Y, {}, "the text 'low' in row 0, column 'income'"),
        (lambda: changed("n/a", object), Y, {}, "the text 'n/a' in row 1, column 0"),
        (lambda: X.astype(str), Y, {}, "the text '0.0' in row 0, column 0"),
        (lambda: [["a", "b"], ["c", "d"], ["e", "f"]], Y, {}, "the text 'a' in row 0, column 0"),
        (lazy, Y, {}, "LazyFrame"),
        (
            lambda: named(["2020", "2021", "2022"]).astype({"income": "datetime64[ns]"}),
            Y,
            {},
            "dates or times in the column",
        ),
        (lambda: named([date(2020, 1, k) for k in (1, 2, 3)]), Y, {}, "dates or times in the column 'income'"),
        (lambda: pl.DataFrame({"when": [date(2020, 1, 1)] * 3}), Y, {}, "dates or times in the column 'when'"),
        (lambda: named([1, 2, 3])[[]], Y, {}, "X has no columns"),
        (lambda: np.ma.masked_equal(X, 2.0), Y, {}, "X is masked in row 2, column 0"),
        (lambda: X, [None, "a", "b"], {}, "y has no label in row 0"),
        (lambda: X, ["a", "b", np.nan], {}, "y has no label in row 2"),
        (lambda: X, np.array([0.0, np.nan, 1.0]), {}, "y has no label in row 1"),
        (lambda: X, pd.array([0, 1, None], dtype="Int64"), {}, "y has no label in row 2"),
        (lambda: X, pl.Series(["a", None, "b"]), {}, "y has no label in row 1"),
        (lambda: X, [1, 1, 1], {}, "one class only"),
        (lambda: X, [0, 1], {}, "inconsistent numbers of samples"),
        (lambda: X[0], Y, {}, "Expected 2D array"),
        (lambda: np.empty((0, 2)), [], {}, "0 sample"),
        (lambda: np.empty((3, 0)), Y, {}, "0 feature"),
        (lambda: X + 1j, Y, {}, "Complex data"),
        (lambda: X, [0.5, 1.5, 2.5], {}, "continuous"),
        (lambda: X, None, {}, "requires y"),
        (lambda: (X * 2**54).astype(np.int64) + 1, Y, {}, "float64 cannot hold"),
        (lambda: X, Y, {"eta": -1.0}, "'eta' parameter"),
        (lambda: X, Y, {"eta": 0}, "'eta' parameter"),
        (lambda: X, Y, {"order": "sorted"}, "'order' parameter"),
        (lambda: X, Y, {"tie": "coin"}, "'tie' parameter"),
        (lambda: X, Y, {"margin": -0.1}, "'margin' parameter"),
        (lambda: X, Y, {"max_passes": 0}, "'max_passes' parameter"),
        (lambda: X, Y, {"start": "ones"}, "'start' parameter"),
        (lambda: X, Y, {"start": [1.0, 2.0]}, "start must hold 1 × 3"),
        (lambda: X, Y, {"start": [1.0, np.nan, 2.0]}, "start must hold 1 × 3 finite"),
        (lambda: X, Y, {"average": True, "pocket": True}, "choose one of them"),
        (lambda: X, Y, {"class_weight": {0: -1.0}}, "negative weight"),
        (lambda: X, Y, {"class_weight": {0: 0.0, 1: 0.0}}, "no example of positive weight"),
    ],
)
def test_fit_names_it(make: Any, y: Any, parameters: dict[str, Any], words: str) -> None:
    with pytest.raises((ValueError, TypeError)) as caught:
        rb.Perceptron(**parameters).fit(make(), y)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1.0, -1.0, 1.0], "Negative values"),
        ([0.0, 0.0, 0.0], "at least one non-zero"),
        ([1.0, 1.0], "sample_weight.shape == (2,)"),
        ([1.0, np.nan, 1.0], "NaN"),
    ],
)
def test_weights_are_checked(weights: list[float], words: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the words are compared below)
        rb.Perceptron().fit(X, Y, sample_weight=weights)
    assert words in str(caught.value)


def test_stream_names_it() -> None:
    with pytest.raises(ValueError, match="needs `classes`"):
        rb.Perceptron().partial_fit(X, Y)
    with pytest.raises(ValueError, match="balanced"):
        rb.Perceptron(class_weight="balanced").partial_fit(X, Y, classes=[0, 1])
    model = rb.Perceptron().partial_fit(X, Y, classes=[0, 1])
    before = model.coef_.copy()
    with pytest.raises(ValueError, match=r"has the label 7, which is not among the classes \[0, 1\]"):
        model.partial_fit(X[:1], np.array([7]))
    with pytest.raises(ValueError, match=r"`classes` is \[0, 1, 2\], but earlier calls had \[0, 1\]"):
        model.partial_fit(X, Y, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="X has NaN in row 0, column 1"):
        model.partial_fit(np.array([[1.0, np.nan]]), np.array([1]))
    with pytest.raises(ValueError, match="3 features"):
        model.partial_fit(np.ones((1, 3)), np.array([1]))
    assert model.coef_.tolist() == before.tolist()  # what is refused teaches nothing


def test_predict_names_it() -> None:
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        rb.Perceptron().predict(X)
    model = rb.Perceptron().fit(X, Y)
    with pytest.raises(ValueError, match="X has NaN in row 1, column 0"):
        model.predict(changed(np.nan))
    with pytest.raises(ValueError, match="features"):
        model.predict(np.ones((2, 5)))


def test_unknown_recipe() -> None:
    with pytest.raises(ValueError, match="no recipe is called 'hebb'; they are 'stein'"):
        rb.Perceptron.from_recipe("hebb")


def test_more_passes_than_counters_hold_are_refused() -> None:
    """What was a limit that no run reaches is taken for a slip: such a run would never end on rows that overlap."""
    with pytest.raises(ValueError, match="'max_passes' parameter of Perceptron must be an int in the range"):
        rb.Perceptron(max_passes=10**40).fit(X, [0, 1, 1])


@pytest.mark.parametrize("limit", ["max_updates", "patience"])
def test_limits_beyond_any_run_are_none(limit: str) -> None:
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    endless = rb.Perceptron(**{limit: 10**40}).fit(X, y)
    assert endless.outcome_ == "SEPARATED"
    assert endless.n_updates_ == rb.Perceptron().fit(X, y).n_updates_


@pytest.mark.parametrize(("labels", "kind"), [([True, False, True], bool), ([0, 1, 1], int)])
def test_labels_in_an_object_array_are_what_they_are(labels: list[Any], kind: type) -> None:
    """pandas keeps booleans as objects in a column that once had gaps."""
    model = rb.Perceptron().fit(X, np.array(labels, dtype=object))
    assert model.classes_.dtype == kind
    assert model.predict(X).tolist() == labels


def test_features_name_it() -> None:
    with pytest.raises(ValueError, match=r"X has NaN in row 1, column 1 \('income'\)"):
        rb.FourierFeatures().fit(named([1.0, np.nan, 2.0]))
    with pytest.raises(ValueError, match="the text 'low' in row 0, column 'income'"):
        rb.FourierFeatures().fit(named(["low", "high", "low"]))


@pytest.mark.parametrize("kind", ["int64", "Int64", "uint64", "int64[pyarrow]", "polars"])
def test_long_integers_are_not_rounded_in_a_frame_with_floats(kind: str) -> None:
    """Two ids that float64 makes equal are separable: a proof that they are not would be false."""
    columns = {"id": [2**60, 2**60 + 1], "share": [0.5, 0.5]}
    frame = pl.DataFrame(columns) if kind == "polars" else pd.DataFrame(columns).astype({"id": kind})
    with pytest.raises(ValueError, match="float64 cannot hold exactly"):
        rb.Perceptron().fit(frame, [0, 1])
    assert rb.separability(frame, [0, 1]).kind == "complete"
