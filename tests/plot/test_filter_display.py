"""The picture of a filter's run."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")

import matplotlib.pyplot as plt  # noqa: E402

import rosenblatt as rb  # noqa: E402
from rosenblatt.filters.uses.echo import EchoRun  # noqa: E402
from rosenblatt.plot import FilterDisplay  # noqa: E402
from rosenblatt.plot.canvas.style import DARK  # noqa: E402


@pytest.fixture(autouse=True)
def close() -> Iterator[None]:
    yield
    plt.close("all")


def signals(n: int, seed: int = 0) -> tuple[Any, Any]:
    u = np.random.default_rng(seed).normal(size=n)
    return u, np.convolve(u, [1.0, -0.5, 0.25])[:n]


def test_four_panels_show_the_numbers() -> None:
    run = rb.filters.NLMS(taps=3).run(*signals(600), history=10)
    display = FilterDisplay.from_run(run, rate=100.0)
    drawn = {line.get_label(): line.get_ydata() for line in display.ax_[0].lines}
    assert np.allclose(drawn["desired d"], run.y + run.e)
    assert drawn["output y"].tolist() == run.y.tolist()
    assert drawn["error e"].tolist() == run.e.tolist()
    paths = display.ax_[2].lines
    assert [path.get_ydata()[-1] for path in paths] == run.history[-1].tolist()
    assert paths[0].get_xdata()[1] == 0.1
    stems = [line for line in display.ax_[3].lines if line.get_marker() == "o"]
    assert stems[0].get_ydata().tolist() == run.w.tolist()
    assert display.ax_[0].get_xlabel() == "seconds"
    assert display.figure_ is display.ax_[0].figure


def test_error_falls_in_decibels() -> None:
    display = FilterDisplay.from_run(rb.filters.NLMS(taps=3, eta=0.1).run(*signals(3000)))
    desired, error = (line.get_ydata() for line in display.ax_[1].lines)
    assert error[-1] < error[0] - 60
    assert abs(desired[-1] - 10 * np.log10(1 + 0.25 + 0.0625)) < 3
    assert display.ax_[1].get_xlabel() == "samples"
    assert "history" in display.ax_[2].texts[0].get_text()


@pytest.mark.parametrize("factor", [1.0, 1j])
def test_channels_long_signals_and_complex_ones(factor: complex) -> None:
    u, d = signals(30_000)
    U = np.column_stack([u, np.roll(u, 7)]) * factor
    result = rb.filters.cancel(d, U, rb.filters.NLMS(taps=40), history=100)
    display = FilterDisplay.from_run(result, every=100)
    assert len(display.ax_[0].collections) == 3  # bands, not 30,000 points
    assert len(display.ax_[2].collections) == 1  # a map of 40 weights
    assert [text.get_text() for text in display.ax_[3].get_legend().get_texts()] == ["channel 0", "1"]
    display.figure_.draw_without_rendering()


def test_into_given_axes() -> None:
    run = rb.filters.NLMS(taps=3).run(*signals(50))
    _, axes = plt.subplots(4, 1)
    assert FilterDisplay.from_run(run, ax=axes).ax_[3] is axes[3]
    with pytest.raises(ValueError, match="ax must be one Axes or 4 of them; it holds 2"):
        FilterDisplay.from_run(run, ax=axes[:2])
    place = plt.subplots(1, 2)[1][0]
    assert len(FilterDisplay.from_run(run, ax=place).ax_) == 4  # divided
    with pytest.raises(ValueError, match="nothing to draw"):
        FilterDisplay.from_run(rb.filters.NLMS(3).run([], []))


def test_an_error_of_zero_has_no_decibels() -> None:
    """It was drawn 320 dB below the largest error, as if it had been measured."""
    u = np.arange(1.0, 201.0)
    e = np.append(np.ones(100), np.zeros(100))
    display = FilterDisplay.from_run(rb.filters.FilterRun(u - e, e, np.ones(1)))
    level = display.ax_[1].lines[1].get_ydata()
    assert np.nanmin(level) > -10
    assert np.isnan(level[-50:]).all()
    silent = FilterDisplay.from_run(rb.filters.NLMS(2).run(u, np.zeros(200), history=1))
    assert "d and e are zero" in [text.get_text() for text in silent.ax_[1].texts]


def test_one_sample_is_seen() -> None:
    display = FilterDisplay.from_run(rb.filters.NLMS(1).run([1.0], [2.0]))
    assert {line.get_marker() for line in display.ax_[0].lines} == {"o"}


def test_colours_follow_the_background() -> None:
    run = rb.filters.NLMS(taps=3).run(*signals(50))
    echo = EchoRun("cancel", rb.filters.NLMS(2), 640, None, 64, *np.ones((2, 10)), np.ones((1, 2)), ())
    with plt.style.context("dark_background"):
        for display in (FilterDisplay.from_run(run), rb.plot.EchoDisplay.from_run(echo)):
            for ax in display.ax_:
                assert {line.get_color() for line in ax.lines} <= set(DARK), ax.get_title(loc="left")
                assert ax.xaxis.label.get_color() == DARK.ink
