"""Structure, not pixels: what is in each picture, and that it is true."""

import math
from fractions import Fraction
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
import scipy.sparse as sp
from matplotlib.figure import Figure
from sklearn.svm import LinearSVC

import rosenblatt as rb
from rosenblatt.comparison import counterexample
from rosenblatt.plot import (
    BoundaryDisplay,
    ComparisonDisplay,
    ConvergenceDisplay,
    CorrectionsDisplay,
    LossDisplay,
    MarginDisplay,
)
from rosenblatt.plot.canvas import Display
from rosenblatt.plot.canvas.view import View
from rosenblatt.plot.loss_display import LOSSES
from rosenblatt.verdicts.trial import separating_vector

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def _texts(ax: Any) -> str:
    return " | ".join(text.get_text() for text in ax.findobj(plt.Text))


def _rings(ax: Any) -> int:
    return sum(len(c.get_offsets()) for c in ax.collections if c.get_label() == "_ring")


# ------------------------------------------------------------------------------------------------------------ boundary


def test_boundary_has_points_line_normal_and_the_nearest_distance(cloud: Any) -> None:
    X, y = cloud
    model = rb.Perceptron().fit(X, y)
    display = BoundaryDisplay.from_estimator(model, X, y)
    assert sum(len(c.get_offsets()) for c in display.ax_.collections if c.get_label() == "_class") == 60
    words = _texts(display.ax_)
    nearest = np.abs(model.hyperplane_.distance(X)).min()
    assert f"(nearest example: {nearest:.3g})" in words
    assert "| w |" in words
    assert "All 60 examples on their side" in words
    assert "-1 (30)" in words
    assert _rings(display.ax_) == 0
    assert display.figure_ is display.ax_.figure


def test_boundary_rings_the_mistakes(overlapping: Any) -> None:
    X, y = overlapping
    model = LinearSVC().fit(X, y)
    display = BoundaryDisplay.from_estimator(model, X, y, distances="wrong")
    wrong = int(np.sum(model.predict(X) != y))
    assert _rings(display.ax_) == wrong == display.wrong
    assert f"{wrong} of 80 examples wrong" in _texts(display.ax_)


def test_boundary_of_many_columns_shows_true_distances(wide: Any) -> None:
    X, y = wide
    verdict = rb.separability(X, y)
    display = BoundaryDisplay.from_verdict(verdict, X, y)
    middle = verdict.street.hyperplane  # what is drawn is the street, not the hyperplane of the theorem
    assert display.points[:, 0] == pytest.approx(middle.distance(X))
    assert display.distances == pytest.approx(middle.distance(X))
    assert np.abs(display.distances).min() == pytest.approx(verdict.street.lower)
    assert np.abs(verdict.hyperplane.distance(X)).min() < verdict.street.lower
    assert "Completely separable" in _texts(display.ax_)


def test_boundary_of_two_chosen_columns_says_that_it_is_a_section(wide: Any) -> None:
    X, y = wide
    display = BoundaryDisplay.from_estimator(rb.LeastSquares().fit(X, y), X, y, features=(3, 1))
    assert np.array_equal(display.points, X[:, [3, 1]])
    assert "a section; the rings tell the truth" in _texts(display.ax_)
    assert _rings(display.ax_) == display.wrong
    assert (display.ax_.get_xlabel().split("\n")[0], display.ax_.get_ylabel()) == ("x4", "x2")


def test_boundary_draws_the_witness_where_the_mixtures_meet() -> None:
    X, y = rb.datasets.xor()
    display = BoundaryDisplay.from_verdict(rb.separability(X, y), X, y)
    star = next(line for line in display.ax_.lines if line.get_marker() == "*")
    assert (star.get_xdata()[0], star.get_ydata()[0]) == (0.5, 0.5)
    assert display.hyperplane is None
    assert "meet here" in _texts(display.ax_)


def test_the_witness_is_a_mixture_of_either_class(overlapping: Any) -> None:
    X, y = overlapping
    verdict = rb.separability(X, y)
    display = BoundaryDisplay.from_verdict(verdict, X, y)
    star = next(line for line in display.ax_.lines if line.get_marker() == "*")
    weights = verdict.witness
    for label in np.unique(y):
        own = {i: m for i, m in weights.items() if y[i] == label}
        mixture = sum(m * X[i] for i, m in own.items()) / sum(own.values())
        assert mixture == pytest.approx([star.get_xdata()[0], star.get_ydata()[0]])


def test_boundary_in_one_column_has_two_lanes() -> None:
    X, y = [[1.0], [2.0], [2.0], [4.0]], [0, 0, 1, 1]
    display = BoundaryDisplay.from_verdict(rb.separability(X, y), X, y)
    assert len(display.ax_.get_yticks()) == 0
    heights = {round(float(v), 9) for c in display.ax_.collections for v in c.get_offsets()[:, 1]}
    assert {-0.5, 0.5} <= heights


def test_boundary_calls_ties_ties() -> None:
    X, y = [[1.0], [2.0], [2.0], [3.0]], [0, 0, 1, 1]
    display = BoundaryDisplay.from_hyperplane(rb.Hyperplane([1.0], -2.0), X, y)
    assert display.ax_.get_title(loc="left") == "2 of 4 examples on the hyperplane, none wrong"
    assert (display.wrong, display.tied, _rings(display.ax_)) == (0, 2, 2)
    display = BoundaryDisplay.from_hyperplane(rb.Hyperplane([-1.0], 2.0), X, y)
    assert display.ax_.get_title(loc="left") == "2 of 4 examples on the hyperplane, 2 wrong"


def test_boundary_of_large_data_keeps_every_row_that_matters() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 2))
    y = (X[:, 0] > 0).astype(int)
    y[[17, 4000]] = 1 - y[[17, 4000]]
    display = BoundaryDisplay.from_hyperplane(rb.Hyperplane([1.0, 0.0]), X, y, max_points=100)
    assert {17, 4000} <= set(display.rows.tolist())
    assert (display.wrong, _rings(display.ax_)) == (2, 2)
    assert (len(display.ax_.images), len(display.ax_.collections)) == (2, 2)  # densities; the rings, and two distances


def test_twenty_thousand_points_are_densities_and_no_blob() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 10_000)
    X = rng.normal(size=(20_000, 2)) + y[:, None]
    for options in ({}, {"max_points": 20_000}):
        ax = BoundaryDisplay.from_hyperplane(rb.Hyperplane([1.0, 1.0], -1.0), X, y, **options).ax_
        assert (len(ax.images), len(ax.collections)) == (2, 0)  # neither marks nor thousands of rings and distances
        for image in ax.images:
            alpha = np.asarray(image.get_array())[..., 3]
            assert 0.1 < alpha[alpha > 0].min() < 0.4 < 0.79 < alpha.max() < 0.81  # a single point is seen


def _argmax(X: Any, scores: Any) -> Any:
    return np.argmax([X @ v + c for v, c in scores], axis=0)


@pytest.mark.parametrize("count", [3, 4, 7])
def test_regions_of_several_classes_are_where_each_score_is_largest(count: int) -> None:
    from matplotlib.patches import Polygon
    from matplotlib.path import Path

    rng = np.random.default_rng(count)
    y = rng.integers(count, size=60).astype(str)
    y[:count] = np.arange(count).astype(str)
    X = rng.normal(size=(60, 2)) + np.array([[int(c), int(c) % 2] for c in y])
    model = rb.Perceptron(max_passes=20).fit(X, y)
    display = BoundaryDisplay.from_estimator(model, X, y)
    regions = [one for one in display.ax_.patches + display.ax_.artists if isinstance(one, Polygon)]
    assert display.scores is not None
    anywhere = rng.uniform(-3, count + 3, size=(500, 2))
    inside = np.array([Path(one.get_xy()).contains_points(anywhere) for one in regions])
    assert np.array_equal(inside.sum(axis=0), np.ones(500))
    assert np.array_equal(model.classes_[_argmax(anywhere, display.scores)], model.predict(anywhere))
    wrong = int(np.sum(model.predict(X) != y))
    assert display.wrong == _rings(display.ax_) == wrong
    assert display.ax_.get_title(loc="left") == f"{wrong} of 60 examples in another class's region"


def test_several_classes_in_many_columns_and_in_one() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    X = rng.normal(size=(60, 5))
    X[np.arange(60), y] += 20
    model = rb.Perceptron().fit(X, y)
    display = BoundaryDisplay.from_estimator(model, X, y)  # three scores differ in two directions: the plane is true
    assert display.scores is not None
    assert np.array_equal(_argmax(display.points, display.scores), model.predict(X))
    assert "section" not in display.ax_.get_xlabel()
    assert "section" in BoundaryDisplay.from_estimator(model, X, y, features=[0, 1]).ax_.get_xlabel()
    one = rb.Perceptron(max_passes=5).fit(X[:, :1], y)
    assert BoundaryDisplay.from_estimator(one, X[:, :1], y).wrong == int(np.sum(one.predict(X[:, :1]) != y))
    some = y < 2
    assert BoundaryDisplay.from_estimator(model, X[some], y[some]).classes == [("0", 20), ("1", 20), ("2", 0)]
    with pytest.raises(ValueError, match="row 0 is of class '7', which the model does not know"):
        BoundaryDisplay.from_estimator(model, X[:1], [7])


def test_boundary_takes_sparse_rows_and_an_ax(wide: Any) -> None:
    X, y = wide
    ax = Figure().subplots()
    display = BoundaryDisplay.from_estimator(rb.LeastSquares().fit(X, y), sp.csr_array(X), y, ax=ax)
    assert display.ax_ is ax
    assert not plt.get_fignums()


def test_boundary_refuses_what_it_cannot_draw(cloud: Any) -> None:
    X, y = cloud
    with pytest.raises(ValueError, match="fit a linear classifier first"):
        BoundaryDisplay.from_estimator(rb.Perceptron(), X, y)
    three = rb.Perceptron().fit([[0.0, 0], [1, 0], [0, 1]], [0, 1, 2])
    with pytest.raises(ValueError, match="3 hyperplanes, one per class"):
        MarginDisplay.from_estimator(three, X, y)
    with pytest.raises(ValueError, match="has 3 weights, but X has 2 columns"):
        BoundaryDisplay.from_hyperplane(rb.Hyperplane([1.0, 0, 0]), X, y)
    with pytest.raises(ValueError, match="'nearest', 'wrong', 'all' or 'none'; it is 'far'"):
        BoundaryDisplay.from_hyperplane(rb.Hyperplane([1.0, 0]), X, y, distances="far")
    assert BoundaryDisplay.from_hyperplane(rb.Hyperplane([0.0, 0]), X, y).hyperplane is None  # w = 0 is no hyperplane


# --------------------------------------------------------------------------------------------------------- convergence


def test_convergence_shows_both_bounds_up_to_where_they_meet(cloud: Any) -> None:
    X, y = cloud
    model = rb.Perceptron(trace=True).fit(X, y)
    display = ConvergenceDisplay.from_estimator(model, X, y, cloud.w_star)
    bound = rb.theory.mistake_bound(X, y, cloud.w_star)
    lower, upper = (display.ax_[0].lines[k] for k in (1, 0))
    assert lower.get_xdata()[-1] == bound + 1
    bounds = display.curve.bounds
    assert bounds.lower(bound) <= bounds.upper(bound)  # the bound is the last k where both can hold
    assert bounds.lower(bound + 1) > bounds.upper(bound + 1)
    assert lower.get_ydata()[-1] > upper.get_ydata()[-1]
    words = " ".join(map(_texts, display.ax_))
    assert f"they cross after {bound:,}" in words
    assert f"never more than {bound:,}" in words
    assert f"{len(model.trace_):,} made" in words


def test_convergence_finds_w_star_itself_and_uses_logarithms_where_the_bound_is_far(wide: Any) -> None:
    X, y = wide
    model = rb.Perceptron(trace=True).fit(X, y)
    far = ConvergenceDisplay.from_estimator(model, X, y)
    assert far.ax_[0].get_xscale() == "log"
    assert far.curve.bound == rb.separability(X, y).mistake_bound
    assert ConvergenceDisplay.from_estimator(model, X, y, scale="linear").ax_[0].get_xscale() == "linear"


def test_convergence_of_a_long_run_draws_few_points() -> None:
    X, y = rb.datasets.margin_cloud(300, 10, margin=0.003, random_state=2)
    model = rb.Perceptron(trace=True, max_passes=100_000).fit(X, y)
    assert len(model.trace_) > 1000
    display = ConvergenceDisplay.from_estimator(model, X, y)
    run = display.ax_[0].lines[2]
    assert len(run.get_xdata()) <= 601
    assert run.get_ydata()[-1] == display.curve.norm_sq[-1]


def test_convergence_from_a_start_that_is_not_zero(cloud: Any) -> None:
    X, y = cloud
    model = rb.Perceptron(trace=True, start=[-5.0, 3.0, 1.0]).fit(X, y)
    display = ConvergenceDisplay.from_estimator(model, X, y, cloud.w_star, scale="linear")
    upper, lower = display.ax_[0].lines[:2]
    assert lower.get_ydata().min() >= 0
    assert upper.get_ydata()[0] == 35.0


def _exact_cosine_bound(X: Any, y: Any, w_star: list[int], start: list[float], eta: float, k: Fraction) -> float | None:
    """(ŵ·w(0) + kηδ)/(‖ŵ‖·√(‖w(0)‖² + kη²ε)) from whole numbers; None where nothing can be said."""
    z = [[Fraction(s) * Fraction(v) for v in (*row, 1)] for row, s in zip(X, y, strict=True)]
    w0, step = [Fraction(v) for v in start], Fraction(eta)
    along = sum(a * b for a, b in zip(w_star, w0, strict=True))
    ahead = along + k * step * min(sum(a * b for a, b in zip(w_star, row, strict=True)) for row in z)
    square = sum(v * v for v in w0) + k * step**2 * max(sum(v * v for v in row) for row in z)
    if ahead < 0 or square == 0:
        return None
    return math.sqrt(ahead**2 / (square * sum(v * v for v in w_star)))


@pytest.mark.parametrize("seed", range(38))
def test_the_cosine_bound_that_is_drawn_is_the_theorem(seed: int) -> None:
    """On small whole numbers, AND first; from zero it was drawn as 1 at k = 0 in 16 of 38 such cases."""
    rng = np.random.default_rng(seed)
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([-1, -1, -1, 1])
    if seed:
        X, y = rng.integers(-3, 4, size=(6, 2)), np.array([-1, 1, -1, 1, -1, 1])
        while rb.separability(X, y).kind != "complete":
            X = rng.integers(-3, 4, size=(6, 2))
    start = rng.integers(-9, 10, size=3).astype(float) if seed % 3 == 2 else np.zeros(3)
    model = rb.Perceptron(trace=True, start=start, eta=0.25, order="cyclic", max_passes=10_000).fit(X, y)
    display = ConvergenceDisplay.from_estimator(model, X, y, scale="linear")
    w_star = separating_vector(rb.separability(X, y))
    drawn = display.ax_[1].lines[1]
    for k, value in zip(drawn.get_xdata(), drawn.get_ydata(), strict=True):
        expected = _exact_cosine_bound(X.tolist(), y.tolist(), w_star, start.tolist(), 0.25, Fraction(float(k)))
        if expected is None or expected > 1 + 1e-9:
            assert np.isnan(value)
        elif expected < 1 - 1e-9:
            assert value == pytest.approx(expected, abs=1e-9)
    made = np.arange(len(model.trace_) + 1)
    below = display.curve.bounds.cos(made) - 1e-9
    seen = np.isfinite(display.curve.cos)
    assert np.all(display.curve.cos[seen] >= below[seen])
    if display.curve.bound is not None:
        assert f"they cross after {display.curve.bound:,}" in _texts(display.ax_[0])


def test_convergence_of_a_run_without_and_with_one_correction() -> None:
    X, y = [[1.0, 2.0], [-1.0, -2.0]], [1, 0]
    none = ConvergenceDisplay.from_estimator(rb.Perceptron(trace=True, start=[1.0, 1.0, 0.0]).fit(X, y), X, y)
    assert "no correction was needed" in _texts(none.ax_[0])
    assert "0 made" in _texts(none.ax_[2])
    one = ConvergenceDisplay.from_estimator(rb.Perceptron(trace=True).fit(X, y), X, y)
    assert one.ax_[1].lines[2].get_marker() == "o"  # one angle is a dot: a line would not be seen
    assert "they cross after 1" in _texts(one.ax_[0])


def test_convergence_refuses_runs_that_the_theorem_is_not_about(cloud: Any) -> None:
    X, y = cloud
    with pytest.raises(ValueError, match="no run to draw"):
        ConvergenceDisplay.from_estimator(rb.Perceptron().fit(X, y), X, y)
    with pytest.raises(ValueError, match="without a margin"):
        ConvergenceDisplay.from_estimator(rb.Perceptron(trace=True, margin=0.01).fit(X, y), X, y)
    X, y = rb.datasets.xor()
    with pytest.raises(ValueError, match=r"there is none here\. Overlapping"):
        ConvergenceDisplay.from_estimator(rb.Perceptron(trace=True).fit(X, y), X, y)
    with pytest.raises(ValueError, match="'auto', 'linear' or 'log'; it is 'cubic'"):
        ConvergenceDisplay(None, np.zeros(1)).plot(scale="cubic")  # type: ignore[arg-type]


# --------------------------------------------------------------------------------------------------------- corrections


@pytest.mark.parametrize("corrections", [None, [1], [3, 1, 2]])
def test_corrections_are_those_of_the_run(corrections: list[int] | None) -> None:
    X, y = rb.datasets.margin_cloud(30, 2, margin=0.2, random_state=3)
    trace = rb.Perceptron(order="cyclic", trace=True).fit(X, y).trace_
    display = CorrectionsDisplay.from_trace(trace, X, y, corrections)
    assert len(display.ax_) == 2 * len(display.corrections)
    for one in display.corrections:
        before, after = trace.weights_at([one.k - 1, one.k])
        assert one.row == trace.rows[one.k - 1]
        assert np.array_equal(one.before[0], before[:2])
        assert np.array_equal(one.after[0], after[:2])
        assert one.before[0] + one.added == pytest.approx(after[:2])
        assert np.array_equal(one.mistake, X[one.row])
        assert one.sign * (one.mistake @ one.before[0] + one.before[1]) <= 0


def test_corrections_in_many_columns_have_every_example_on_its_true_side(wide: Any) -> None:
    X, y = wide
    trace = rb.Perceptron(trace=True).fit(X, y).trace_
    display = CorrectionsDisplay.from_trace(trace, X, y, [5, 40])
    for one in display.corrections:
        for (v, c), w in zip((one.before, one.after), trace.weights_at([one.k - 1, one.k]), strict=True):
            assert one.points @ v + c == pytest.approx(X @ w[:10] + w[10], abs=1e-9)


def test_corrections_that_were_not_made_are_refused() -> None:
    X, y = rb.datasets.margin_cloud(30, 2, margin=0.2, random_state=3)
    model = rb.Perceptron(trace=True).fit(X, y)
    for wrong in ([0], [len(model.trace_) + 1], []):
        with pytest.raises(ValueError, match=f"counted from 1 to {len(model.trace_)}"):
            CorrectionsDisplay.from_estimator(model, X, y, wrong)
    with pytest.raises(ValueError, match="no run to draw"):
        CorrectionsDisplay.from_estimator(rb.Perceptron().fit(X, y), X, y)


CLIPPED = {
    "and": ([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]),
    "xor": ([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]),
    "one column": ([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]),
    "one column that overlaps": ([[1.0], [2.0], [2.0], [4.0]], [0, 0, 1, 1]),
    "one correction": ([[1.0, 2.0], [-1.0, -2.0]], [1, 0]),
    "large": ([[0, 0], [0, 1e8], [1e8, 0], [1e8, 1e8]], [0, 0, 0, 1]),
    "far from the origin": ([[100, 100], [101, 100], [100, 101], [103, 103]], [0, 0, 0, 1]),
}


@pytest.mark.parametrize("name", CLIPPED)
def test_corrections_are_inside_their_panels(name: str) -> None:
    """Every arrow begins and ends in its panel, and the hyperplane is seen in it or said to be far outside."""
    X, y = CLIPPED[name]
    X = np.asarray(X, dtype=float)
    model = rb.Perceptron(trace=True, order="cyclic", max_passes=3).fit(X, y)
    display = CorrectionsDisplay.from_estimator(model, X, y, list(range(1, min(4, len(model.trace_)) + 1)))
    display.figure_.draw_without_rendering()
    for one, panels in zip(display.corrections, display.ax_.reshape(-1, 2), strict=True):
        for ax, (v, c) in zip(panels, (one.before, one.after), strict=True):
            frame = ax.get_window_extent()
            far = "far outside" in _texts(ax)
            for text in ax.texts:
                if text.arrow_patch is not None and not far:
                    assert frame.contains(*ax.transData.transform(text.xy))
                    assert frame.contains(*ax.transData.transform(text.xyann))
            if np.any(v):
                (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
                sides = [np.sign(np.array(corner) @ v + c) for corner in ((x0, y0), (x0, y1), (x1, y0), (x1, y1))]
                assert (min(sides) < max(sides)) != far


def test_corrections_say_what_is_so() -> None:
    """Ties are ties, and w = 0 is no hyperplane; checked against whole numbers on every correction of AND and XOR."""
    for X, y in (CLIPPED["and"], CLIPPED["xor"]):
        trace = rb.Perceptron(trace=True, order="cyclic", max_passes=4).fit(X, y).trace_
        for k in range(1, len(trace) + 1):
            left, right = (ax.get_title(loc="left") for ax in CorrectionsDisplay.from_trace(trace, X, y, [k]).ax_)
            row = int(trace.rows[k - 1])
            before, after = ([int(v) for v in w] for w in trace.weights_at([k - 1, k]))
            sign = 1 if y[row] else -1
            agreement = [sign * (w[0] * X[row][0] + w[1] * X[row][1] + w[2]) for w in (before, after)]
            if before[:2] == [0, 0]:
                assert left.endswith("w = 0, every row is a tie" if before[2] == 0 else "w = 0, there is no hyperplane")
            else:
                assert left.endswith(f"row {row} is a tie" if agreement[0] == 0 else f"row {row} is on the wrong side")
            assert right.startswith("Now w = 0, no hyperplane;") == (after[:2] == [0, 0])
            status = "is right" if agreement[1] > 0 else "is a tie" if agreement[1] == 0 else "is still wrong"
            assert right.endswith(f"row {row} {status}")
            plt.close("all")


def test_corrections_of_a_margin_are_not_called_wrong() -> None:
    X, y = [[1.0, 2.0], [-1.0, -2.0]], [1, 0]
    trace = rb.Perceptron(trace=True, margin=100.0, order="cyclic", max_passes=50).fit(X, y).trace_
    display = CorrectionsDisplay.from_trace(trace, X, y, [2])
    assert display.ax_[0].get_title(loc="left") == "Correction 2: row 1 is within the margin"


def test_corrections_in_one_column() -> None:
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]
    model = rb.Perceptron(trace=True).fit(X, y)
    assert len(CorrectionsDisplay.from_estimator(model, X, y).ax_) == 4


# -------------------------------------------------------------------------------------------------------------- losses


def test_losses_are_the_lectures() -> None:
    m = np.array([-3.0, -1.0, 0.0, 0.5, 1.0, 2.0])
    expected = {
        "0/1": [1, 1, 1, 0, 0, 0],
        "perceptron": [3, 1, 0, 0, 0, 0],
        "logistic": [np.log(1 + np.exp(-v)) for v in m],
        "hinge": [4, 2, 1, 0.5, 0, 0],
        "squared": [8, 2, 0.5, 0.125, 0, 0.5],
    }
    assert {name: loss(m) for name, (loss, *_) in LOSSES.items()} == {k: pytest.approx(v) for k, v in expected.items()}


def test_loss_display_shows_the_examples_and_counts_those_beyond(cloud: Any) -> None:
    X, y = cloud
    model = rb.Logistic(mode="batch", max_passes=30).fit(X, y)
    display = LossDisplay.from_estimator(model, X, y)
    agreement = y * model.decision_function(X)
    assert display.agreement == pytest.approx(agreement)
    (ticks,) = [line for line in display.ax_.lines if line.get_label() == "_examples"]
    beyond = int(np.sum(agreement > 3.2))
    assert len(ticks.get_xdata()) + beyond == len(y)
    assert (f"{beyond:,} further →" in _texts(display.ax_)) == (beyond > 0)
    three = rb.Perceptron().fit([[0.0, 0], [1, 0], [0, 1]], [0, 1, 2])
    with pytest.raises(ValueError, match="answers for 3 classes"):
        LossDisplay.from_estimator(three, [[0.0, 0]], [0])


# ------------------------------------------------------------------------------------------------------------- margins


def _bars(ax: Any, label: str) -> list[float]:
    return [bar.get_height() for group in ax.containers if group.get_label() == label for bar in group]


def test_margin_counts_every_example_once_and_the_wrong_ones_apart() -> None:
    X, y = rb.datasets.sonar()
    model = rb.LeastSquares().fit(X, y)
    display = MarginDisplay.from_estimator(model, X, y)
    right, wrong = _bars(display.ax_, "_right"), _bars(display.ax_, "_wrong")
    assert sum(map(abs, right + wrong)) == 208
    assert sum(map(abs, wrong)) == display.wrong == np.sum(model.predict(X) != y)
    assert sum(v for v in right + wrong if v > 0) == 97  # the positive class, upwards
    assert f"{display.wrong} of 208 examples on the wrong side" in _texts(display.ax_)


def test_margin_of_separated_classes_names_the_nearest_of_each(cloud: Any) -> None:
    X, y = cloud
    verdict = rb.separability(X, y)
    display = MarginDisplay.from_verdict(verdict, X, y)
    distances = verdict.street.hyperplane.distance(X)
    assert not _bars(display.ax_, "_wrong")
    assert f"nearest 1: {distances[y > 0].min():.3g}" in _texts(display.ax_)
    assert distances[y > 0].min() == pytest.approx(verdict.street.lower) == pytest.approx(-distances[y < 0].max())


def test_margin_calls_ties_ties() -> None:
    X, y = [[1.0], [2.0], [2.0], [3.0]], [0, 0, 1, 1]
    display = MarginDisplay.from_hyperplane(rb.Hyperplane([1.0], -2.0), X, y)
    assert display.sentence == "2 of 4 examples on the hyperplane, none on the wrong side"
    assert not _bars(display.ax_, "_wrong")


def test_margin_needs_a_hyperplane() -> None:
    X, y = rb.datasets.xor()
    with pytest.raises(ValueError, match=r"no hyperplane \(overlap\)"):
        MarginDisplay.from_verdict(rb.separability(X, y), X, y)
    with pytest.raises(ValueError, match="w is zero"):
        MarginDisplay.from_hyperplane(rb.Hyperplane([0.0, 0.0]), X, y)


# ---------------------------------------------------------------------------------------------------------- comparison


def test_comparison_draws_every_line_and_lists_every_learner() -> None:
    X, y = counterexample()
    comparison = rb.compare(X, y)
    display = ComparisonDisplay.from_comparison(comparison, X, y)
    for (name, v, c), row in zip(display.lines, comparison.rows, strict=True):
        assert name == row.learner
        assert [*v, c] == pytest.approx(list(row.weights))
    table = _texts(display.ax_[1])
    for row in comparison.rows:
        assert row.learner in table
    assert "68.2°" in table
    numbers = {text.get_text() for text in display.ax_[0].texts}
    assert {str(k) for k in range(1, 9)} <= numbers


def test_comparison_of_many_columns_is_seen_along_the_widest_margin(wide: Any) -> None:
    X, y = wide
    comparison = rb.compare(X, y, max_passes=100)
    display = ComparisonDisplay.from_comparison(comparison, X, y)
    assert isinstance(display.view, View)
    assert display.view.shows_truly(comparison.largest_margin.weights[:10])
    chosen = ComparisonDisplay.from_comparison(comparison, X, y, features=(0, 4))
    assert np.array_equal(chosen.points, X[:, [0, 4]])


@pytest.mark.parametrize("name", ["and", "xor", "one correction", "large"])
def test_comparison_numbers_every_line_that_is_seen(name: str) -> None:
    X, y = CLIPPED[name]
    X = np.asarray(X, dtype=float)
    display = ComparisonDisplay.from_comparison(rb.compare(X, y, max_passes=50), X, y)
    ax = display.ax_[0]
    display.figure_.draw_without_rendering()
    (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
    corners = np.array([(x0, y0), (x0, y1), (x1, y0), (x1, y1)])
    seen = {
        str(i + 1) for i, (_, v, c) in enumerate(display.lines) if np.any(v) and np.ptp(np.sign(corners @ v + c)) == 2
    }
    numbers = [text for text in ax.texts if text.get_text().isdigit()]
    assert {text.get_text() for text in numbers} == seen
    assert all(0 <= value <= 1 for text in numbers for value in text.xy)


def test_comparison_in_one_column() -> None:
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]
    display = ComparisonDisplay.from_comparison(rb.compare(X, y), X, y)
    assert display.ax_[0].get_xlabel() == "x1"


# ----------------------------------------------------------------------------------------------------------- all alike


@pytest.mark.parametrize("style", ["default", "dark_background", "grayscale"])
@pytest.mark.parametrize("size", [(2.6, 2.4), (6.0, 4.0)])
def test_every_display_draws_at_any_size_in_any_style(style: str, size: tuple[float, float], cloud: Any) -> None:
    X, y = cloud
    model = rb.Perceptron(trace=True).fit(X, y)
    comparison = rb.compare(X, y, max_passes=20)
    with plt.style.context(style):
        displays = [
            BoundaryDisplay.from_estimator(model, X, y, ax=plt.figure(figsize=size).subplots()),
            MarginDisplay.from_estimator(model, X, y, ax=plt.figure(figsize=size).subplots()),
            LossDisplay.from_estimator(model, X, y, ax=plt.figure(figsize=size).subplots()),
            ConvergenceDisplay.from_estimator(model, X, y, cloud.w_star, ax=plt.figure(figsize=size).subplots()),
            CorrectionsDisplay.from_estimator(model, X, y, ax=plt.figure(figsize=size).subplots()),
            ComparisonDisplay.from_comparison(comparison, X, y, ax=plt.figure(figsize=size).subplots()),
        ]
        for display in displays:
            display.figure_.canvas.draw()  # warnings are errors
            assert np.ravel(display.ax_)[0].figure is display.figure_


def test_every_display_is_saved_as_it_was_drawn(tmp_path):
    """One base: a picture that was not drawn yet is drawn first; the ending of the name says how it is written."""
    rb.plot.LossDisplay().save(tmp_path / "loss.svg")
    assert (tmp_path / "loss.svg").read_text().count("<svg") == 1
    display = rb.plot.LossDisplay().plot()
    display.ax_.set_title("mine")
    display.save(tmp_path / "loss.png")
    assert display.ax_.get_title() == "mine"
    assert (tmp_path / "loss.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ValueError, match="pictures are written as"):
        display.save(tmp_path / "loss.gif")
    for name in rb.plot.__all__:
        if name.endswith("Display"):
            assert issubclass(getattr(rb.plot, name), Display), name


def test_both_panels_of_a_correction_have_one_scale_and_one_origin() -> None:
    """The new w on the right ends where w + ηy·x does on the left; by default the corrected row ends right."""
    X, y = rb.datasets.margin_cloud(30, 2, margin=0.2, random_state=3)
    model = rb.Perceptron(order="cyclic", trace=True).fit(X, y)
    display = CorrectionsDisplay.from_estimator(model, X, y)
    for one, (left, right) in zip(display.corrections, display.ax_.reshape(-1, 2), strict=True):
        assert one.agreement[0] <= 0 < one.agreement[1]
        before, after = (
            np.array([(text.xyann, text.xy) for text in ax.texts if text.arrow_patch is not None])
            for ax in (left, right)
        )
        np.testing.assert_allclose(after[:2], before)  # pale
        np.testing.assert_allclose(after[2], [before[0][0], before[1][1]])
        assert left.get_xlim() == right.get_xlim()
        assert left.get_ylim() == right.get_ylim()


def test_a_fitted_model_is_animated_as_its_trace_is() -> None:
    X, y = rb.datasets.margin_cloud(30, 2, margin=0.2, random_state=3)
    model = rb.Perceptron(order="cyclic", trace=True).fit(X, y)
    assert rb.plot.animate(model, X, y).to_html() == rb.plot.animate(model.trace_, X, y).to_html()
    with pytest.raises(ValueError, match="no run to draw"):
        rb.plot.animate(rb.Perceptron().fit(X, y), X, y)
