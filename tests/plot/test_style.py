"""One style for all pictures: lazy, readable, the same two classes everywhere."""

import re
import subprocess
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt.plot.canvas import style
from rosenblatt.plot.comparison_display import spread


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("colours", [style.LIGHT, style.DARK], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["ink", "muted", "positive", "negative", "accent", "other"])
def test_words_in_any_colour_can_be_read(colours: style.Palette, name: str) -> None:
    high, low = sorted((_luminance(getattr(colours, name)), _luminance(colours.paper)), reverse=True)
    assert (high + 0.05) / (low + 0.05) >= 4.5


def test_classes_differ_without_colour() -> None:
    ax = plt.subplots()[1]
    style.scatter(ax, np.zeros((2, 2)), np.array([0, 1]))
    squares, discs = ax.collections
    assert squares.get_facecolor().size == 0  # open
    assert discs.get_facecolor().size == 4
    assert not np.array_equal(squares.get_paths()[0].vertices, discs.get_paths()[0].vertices)


def test_palette_follows_the_background() -> None:
    assert style.palette(plt.subplots()[1]) is style.LIGHT
    with plt.style.context("dark_background"):
        assert style.palette(plt.subplots()[1]) is style.DARK
    ax = plt.subplots(facecolor="black")[1]
    ax.set_facecolor("none")
    assert style.palette(ax) is style.DARK


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=12), st.floats(0.01, 1))
def test_spread_moves_labels_apart_and_keeps_their_order(heights: list[float], gap: float) -> None:
    placed = spread(heights, gap)
    order = np.argsort(heights, kind="stable")
    assert np.all(np.diff(np.array(placed)[order]) >= gap - 1e-9)
    if np.all(np.diff(np.sort(heights)) > gap + 1e-6):
        assert placed == pytest.approx(heights)


def test_axes_given_are_used_divided_or_refused() -> None:
    figure, two = plt.subplots(1, 2)
    assert style.axes_for(two, (1, 1), (1, 2))[1][1] is two[1]
    divided = style.axes_for(two[0], (1, 1), (1, 3))[1]
    assert len(divided) == 3
    assert two[0] not in figure.axes
    with pytest.raises(ValueError, match="one Axes or 3 of them; it holds 2"):
        style.axes_for(divided[:2], (1, 1), (1, 3))
    with pytest.raises(ValueError, match="pass 3 axes"):
        style.axes_for(figure.add_axes((0, 0, 1, 1)), (1, 1), (1, 3))


def test_matplotlib_loads_with_the_first_picture() -> None:
    script = (
        "import sys, rosenblatt as rb\n"
        "rb.plot.BoundaryDisplay, rb.plot.animate\n"
        "print('matplotlib' in sys.modules)\n"
        "rb.plot.LossDisplay().plot()\n"
        "print('matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


def test_every_public_name_is_there() -> None:
    for name in rb.plot.__all__:
        assert getattr(rb.plot, name) is not None
    assert set(rb.plot.__all__) <= set(dir(rb.plot))
    with pytest.raises(AttributeError, match="attribute PieDisplay"):
        rb.plot.PieDisplay  # noqa: B018


def test_names_are_drawn_literally_and_cut() -> None:
    """A pair of $ made mathematics of a name, or stopped the picture; a long class's name left it no room."""
    X, y = rb.datasets.margin_cloud(20, 2, margin=0.5, random_state=0)
    table = pd.DataFrame(X, columns=["US$^$ {", "a name " * 30])
    labels = np.where(y > 0, "US$^$ {", "those who did not come back " * 5)
    model = rb.Perceptron(trace=True).fit(table, labels)
    displays = [
        rb.plot.BoundaryDisplay.from_estimator(model, table, labels),
        rb.plot.MarginDisplay.from_estimator(model, table, labels),
        rb.plot.CorrectionsDisplay.from_estimator(model, table, labels, [1]),
        rb.plot.EstimatesDisplay.from_estimates(rb.estimate(table, labels)),
    ]
    for display in displays:
        display.figure_.draw_without_rendering()  # warnings are errors: of a layout without room, too
    assert displays[0].ax_.get_xlabel().startswith(r"US\$^\$ {")
    assert len(displays[0].ax_.get_ylabel()) == 60
    plt.close("all")


def test_scales_apart_and_a_line_outside() -> None:
    """The arrow of w lay along the line; of a line that was nowhere nothing was said."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2)) * [1e9, 1e-3]
    display = rb.plot.BoundaryDisplay.from_hyperplane(rb.Hyperplane([1.0, 1e3], 0.0), X, X[:, 0] > 0)
    arrow = next(one for one in display.ax_.texts if one.arrow_patch is not None)
    tip, start = (display.ax_.transData.transform(place) for place in (arrow.xy, arrow.xyann))
    assert abs(tip - start)[0] > 20 * abs(tip - start)[1]  # the line is upright on paper, the arrow lies across it
    away = rb.plot.BoundaryDisplay.from_hyperplane(rb.Hyperplane([1.0, 0.0], 1e12), X, X[:, 0] > 0)
    assert away.ax_.get_xlabel().endswith("(the hyperplane is far outside)")
    plt.close("all")


def test_sizes_have_marks_of_their_own_and_gates_room_for_names() -> None:
    """The fifth number of weights looked like the first; a long name of an input began outside the picture."""
    display = rb.plot.CapacityDisplay([2, 5, 8, 12, 20], [1.0], np.ones((5, 1))).plot()
    looks = {(line.get_color(), line.get_marker()) for line in display.ax_.lines if line.get_marker() in tuple("os^Dv")}
    assert len(looks) == 5
    ax = rb.logic.Gate([1, 1], 2).draw(variables=["the first input", "x_$1$"])
    ax.figure.draw_without_rendering()
    assert min(text.get_window_extent().x0 for text in ax.texts) >= 0
    assert [text.get_text() for text in ax.texts if "x_" in text.get_text()] == [r"x_\$1\$"]
    plt.close("all")


def test_corrections_of_one_column_lie_in_two_lanes() -> None:
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    model = rb.Perceptron(trace=True).fit(X, y)
    one = rb.plot.CorrectionsDisplay.from_estimator(model, X, y, [2])
    assert one.corrections[0].points[:, 1].tolist() == [-0.5, -0.5, 0.5, 0.5]
    assert one.corrections[0].mistake[1] == 0.5 * one.corrections[0].sign
    assert len(one.ax_[0].get_yticks()) == 0
    plt.close("all")


def test_bounds_have_one_colour_in_pictures_replays_and_the_lab() -> None:
    """`at least` and `at most` in the lab's style sheet, in that of replays, and in pictures."""
    root = Path(__file__).parents[2]
    name = r"stroke: ?var\(--(\w+)\)"
    for sheet, upper, lower in (
        ("lab-ui/src/style.css", r"\.series\.upper \{ ", r"\.series\.lower \{ "),
        ("lab-ui/src/rooms/rooms.css", r"bound-line\.upper \{ ", r"bound-line\.lower \{ "),
        ("src/rosenblatt/plot/canvas/replay.css", r"\.upper\{.*?", r"\.lower\{.*?"),
    ):
        text = (root / sheet).read_text("utf-8")
        for pattern, colour in ((upper, style.LIGHT.at_most), (lower, style.LIGHT.at_least)):
            found = re.search(pattern + name, text)
            assert found is not None
            assert getattr(style.LIGHT, found[1]) == colour
