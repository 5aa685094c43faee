"""What is true in a picture of many columns."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.models import Hyperplane
from rosenblatt.plot.canvas.view import DrawnExamples, View, main_direction, unit


def _examples(n: int, p: int, seed: int) -> tuple[DrawnExamples, np.ndarray, np.random.Generator]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * rng.uniform(0.1, 10, size=p) + rng.normal(size=p)
    return DrawnExamples.of(X, np.resize([0, 1], n)), X, rng


@given(st.integers(2, 8), st.integers(3, 7), st.integers(0, 1000))
def test_distances_across_the_hyperplane_are_the_true_ones(n: int, p: int, seed: int) -> None:
    examples, X, rng = _examples(n, p, seed)
    plane = Hyperplane(rng.normal(size=p), rng.normal())
    view = View.across(examples, plane.w, plane.b)
    assert view.points(X, np.ones(len(X), dtype=np.int8))[:, 0] == pytest.approx(plane.distance(X), abs=1e-9)
    assert view.basis @ view.basis.T == pytest.approx(np.eye(2), abs=1e-9)
    assert view.shows_truly(plane.w)


@given(st.integers(2, 6), st.integers(0, 1000))
def test_a_line_is_where_the_hyperplane_meets_the_plane(p: int, seed: int) -> None:
    examples, _, rng = _examples(9, p, seed)
    w, b = rng.normal(size=p), float(rng.normal())
    for view in (View.across(examples, rng.normal(size=p), 0.5), View.of_features(examples, (0, 1))):
        v, c = view.line(w, b)
        for a in rng.normal(size=(5, 2)):
            x = view.origin + a @ view.basis  # the point of input space that is drawn at a
            assert v @ a + c == pytest.approx(w @ x + b, abs=1e-9)


@given(st.integers(3, 7), st.integers(0, 1000))
def test_the_plane_of_a_correction_holds_the_old_and_the_new_w(p: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    w, x = rng.normal(size=p), rng.normal(size=p)
    view = View.spanned(w, x, [], ("", ""))
    assert view.shows_truly(w)
    assert view.shows_truly(w + 3 * x)


def test_the_main_direction_is_the_longest_that_is_orthogonal() -> None:
    vectors = np.array([[9.0, 0, 0], [0, 3.0, 0], [0, 0, 1.0]])
    assert main_direction(vectors, np.array([1.0, 0, 0])) == pytest.approx([0, 1, 0])
    flat = np.outer([1.0, 2.0, 3.0], [1.0, 0, 0])  # nothing is left: any orthogonal direction will do
    found = main_direction(flat, np.array([1.0, 0, 0]))
    assert found @ [1, 0, 0] == 0
    assert np.linalg.norm(found) == pytest.approx(1)


def test_lengths_at_the_ends_of_the_range() -> None:
    direction, length = unit(np.array([3e300, 4e300]))
    assert direction == pytest.approx([0.6, 0.8])
    assert length == pytest.approx(5e300)


def test_a_section_is_not_called_true() -> None:
    examples, _, _ = _examples(9, 3, 0)
    assert not View.of_features(examples, (0, 1)).shows_truly(np.array([1.0, 1.0, 1.0]))
    assert View.of_features(examples, ("x1", "x3")).shows_truly(np.array([1.0, 0.0, 1.0]))


@pytest.mark.parametrize(
    ("features", "words"),
    [
        (("x1", "salt"), "no column is called 'salt'; they are x1, x2, x3"),
        ((0, 3), "there is no column 3: there are 3"),
        ((1, 1), "two different columns"),
        ((1,), "two different columns"),
    ],
)
def test_bad_features_are_refused(features: tuple[object, ...], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        View.of_features(_examples(5, 3, 0)[0], features)  # type: ignore[arg-type]


def test_sparse_rows_and_tables_are_welcome() -> None:
    pandas = pytest.importorskip("pandas")
    X = np.array([[0.0, 1.0, 0.0], [2.0, 0.0, 0.0]])
    assert DrawnExamples.of(sp.csr_array(X), ["a", "b"]).mean() == pytest.approx([1, 0.5, 0])
    named = DrawnExamples.of(pandas.DataFrame(X, columns=["p", "q", "r"]), ["a", "b"])
    assert named.features == ["p", "q", "r"]
    assert named.classes == [("a", 1), ("b", 1)]


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ([[np.nan, 1.0], [0.0, 1.0]], [0, 1], "NaN in row 0, column 0"),
        ([[0.0], [1.0], [2.0]], [0, 1, 2], "two classes; it has 3"),
        ([[0.0], [1.0]], [0, 0], "two classes; it has 1"),
    ],
)
def test_bad_data_are_refused(X: list[list[float]], y: list[int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        DrawnExamples.of(X, y)


def test_a_sample_keeps_what_it_must() -> None:
    examples, _, _ = _examples(1000, 2, 0)
    sample = examples.sample(50, [7, 991])
    assert {7, 991} <= set(sample.tolist())
    assert len(sample) <= 50
    assert np.all(np.diff(sample) > 0)
    assert examples.sample(1000).size == 1000
