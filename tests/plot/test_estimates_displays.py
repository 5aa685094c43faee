"""Forest plots and profiles: what is drawn is what was found."""

from math import inf
from pathlib import Path

import numpy as np
import pytest

import rosenblatt as rb
from tests.estimates.oracles import Slow

ROWS = np.loadtxt(Path(__file__).parents[2] / "docs" / "data" / "patients.csv", delimiter=",", skiprows=1)
X, Y = ROWS[:, :3], ROWS[:, 3]


@pytest.fixture(scope="module")
def found():
    return rb.estimate(X, Y)


def lines(ax, label):
    return [line for line in ax.lines if line.get_label() == label]


def test_a_forest_has_two_marks_a_row_and_an_arrow_for_each_infinite_end(found):
    display = rb.plot.EstimatesDisplay.from_estimates(found, intercept=True)
    assert display.names == ["x0", "x1", "x2", "(1)"]
    (arrow,) = lines(display.ax_, "_arrow")
    assert arrow.get_marker() == ">"
    assert arrow.get_xdata()[0] == display.ax_.get_xlim()[1]
    marks = sorted(line.get_xdata()[0] for line in lines(display.ax_, "_estimate"))
    wanted = [one.value for one in found.coefficients[1:]] + [one.firth.value for one in found.coefficients]
    assert marks == sorted(wanted)
    assert len(lines(display.ax_, "_interval")) == 8
    assert found.outcome in display.ax_.get_title(loc="left")


def test_ratios_have_a_logarithmic_axis(found):
    display = rb.plot.EstimatesDisplay.from_estimates(found.exponentiated())
    assert display.ax_.get_xscale() == "log"
    assert display.names == ["x0", "x1", "x2"]
    assert display.likelihood[2].value == pytest.approx(np.exp(found.coefficients[2].value))
    assert "odds ratio" in display.ax_.get_xlabel()
    down = rb.plot.EstimatesDisplay.from_estimates(rb.estimate(X, 1 - Y, exponentiate=True))
    (arrow,) = lines(down.ax_, "_arrow")
    assert arrow.get_marker() == "<"


def test_each_model_has_its_own_ratio():
    times = rb.estimate(X, model="cox", time=np.arange(1.0, len(X) + 1), event=np.ones(len(X)), exponentiate=True)
    assert "hazard ratio" in rb.plot.EstimatesDisplay.from_estimates(times).ax_.get_xlabel()
    assert "shown as hazard ratios" in str(times)
    counts = rb.estimate(X, np.arange(len(X)), model="poisson", exponentiate=True)
    assert "rate ratio" in rb.plot.EstimatesDisplay.from_estimates(counts).ax_.get_xlabel()


def test_without_firth_there_is_one_mark_a_row_and_no_key():
    display = rb.plot.EstimatesDisplay.from_estimates(rb.estimate(X, Y, firth=False))
    assert display.firth == []
    assert display.ax_.get_legend() is None


def test_a_profile_is_the_likelihood_and_ends_at_the_cut(found):
    slow = Slow(X.tolist(), Y.tolist())
    best, _ = slow.least()
    for j, name in enumerate(["x0", "x2"]):
        curve = rb.plot.ProfileDisplay.from_data(X, Y, name).curve
        one = found.coefficients[2 * j]
        assert (curve.lower, curve.upper, curve.fate) == (one.lower.value, one.upper.value, one.fate)
        k = len(curve.values) // 3
        held, _ = slow.least(2 * j, float(curve.values[k]))
        assert float(2 * (held - best)) == pytest.approx(curve.losses[k], abs=1e-7)
        inside = curve.losses <= curve.cut
        assert np.array_equal(inside, (curve.values >= curve.lower) & (curve.values <= curve.upper))
    flat = rb.plot.ProfileDisplay.from_data(X, Y, "x0")
    assert flat.curve.upper == inf
    assert flat.curve.losses[-1] < 0.1
    assert "no upper end" in flat.sentence
    assert len(lines(flat.ax_, "_end")) == 1


def test_what_has_no_profile_is_refused():
    with pytest.raises(ValueError, match="there is no coefficient 'age'; there are x0, x1, x2"):
        rb.plot.ProfileDisplay.from_data(X, Y, "age")
    with pytest.raises(ValueError, match="x2 is left out: columns before it say the same"):
        rb.plot.ProfileDisplay.from_data(np.c_[X[:, 0], X[:, 1], X[:, 1]], Y, "x2")
