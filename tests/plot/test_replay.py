"""A run at chosen moments, as numbers, as a page and as a GIF."""

import base64
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import rosenblatt as rb
from rosenblatt.plot.canvas.replay import Replay, _moments_shown, embedded_json

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def _naive(X: np.ndarray, trace: Any, k: int) -> np.ndarray:
    """The weights after k corrections, one by one."""
    w = trace.start.copy()
    for row, step in zip(trace.rows[:k], trace.steps[:k], strict=True):
        w += step * np.append(X[row], 1.0)
    return w


@pytest.mark.parametrize("p", [1, 2, 6])
def test_every_moment_is_that_of_the_run(p: int) -> None:
    data = rb.datasets.margin_cloud(40, p, margin=0.05, random_state=5)
    X, y = data
    trace = rb.Perceptron(trace=True).fit(X, y).trace_
    curve = rb.theory.convergence(trace, X, y, data.w_star)
    replay = Replay.from_trace(trace, X, y, curve)
    assert replay.k[0] == 0
    assert replay.k[-1] == len(trace)
    for f, k in enumerate(replay.k):
        w = _naive(X, trace, k)
        s = X @ w[:p] + w[p]
        assert np.array_equal(replay.wrong[f], (y * s <= 0)[replay.rows])
        assert replay.errors is not None
        assert replay.errors[f] == np.sum(y * s <= 0)
        assert replay.norm_sq[f] == pytest.approx(w @ w)
        assert replay.lower is not None
        assert replay.upper is not None
        assert replay.lower[f] <= replay.norm_sq[f] * (1 + 1e-12)
        assert replay.norm_sq[f] <= replay.upper[f] * (1 + 1e-12)
        if k:
            row, earlier = trace.rows[k - 1], _naive(X, trace, k - 1)
            assert replay.corrected[f] == row
            assert replay.before[f] == pytest.approx(np.append(X[row], 1) @ earlier)
            assert replay.after[f] == pytest.approx(np.append(X[row], 1) @ w)
            assert y[row] * replay.before[f] <= 0
        if p > 2 and np.any(w[:p]):
            assert replay.along is not None
            assert replay.along[f] == pytest.approx((s / np.linalg.norm(w[:p]))[replay.rows])
        if p == 2:
            assert replay.points @ replay.lines[f, :2] + replay.lines[f, 2] == pytest.approx(s[replay.rows])
    assert replay.bound == curve.bound


def test_moments_are_all_or_the_first_and_ever_fewer() -> None:
    assert _moments_shown(5, 160).tolist() == [0, 1, 2, 3, 4, 5]
    many = _moments_shown(1_000_000, 90)
    assert many[:30].tolist() == list(range(30))
    assert many[-1] == 1_000_000
    assert len(many) <= 90
    assert np.all(np.diff(many) > 0)
    with pytest.raises(ValueError, match="at least 2; it is 1"):
        _moments_shown(5, 1)


def test_json_says_what_the_replay_knows(wide: Any) -> None:
    X, y = wide
    replay = Replay.from_trace(rb.Perceptron(trace=True).fit(X, y).trace_, X, y, frames=40, max_points=50)
    content = json.loads(embedded_json(replay.to_json()))
    count = len(replay.rows)
    assert count <= 50
    along = np.frombuffer(base64.b64decode(content["along"]), dtype="<i2").reshape(len(replay.k), count) / 32767
    shown = np.clip(replay.along, -replay.reach[:, None], replay.reach[:, None])
    assert along * replay.reach[:, None] == pytest.approx(shown, abs=1e-3 * replay.reach.max())
    bits = np.unpackbits(np.frombuffer(base64.b64decode(content["wrong"][7]), dtype=np.uint8))[:count]
    assert np.array_equal(bits.astype(bool), replay.wrong[7])
    assert content["lower"] is None


def test_a_run_without_corrections_and_a_start_that_separates(cloud: Any) -> None:
    X, y = cloud
    trace = rb.Perceptron(trace=True, start=cloud.w_star).fit(X, y).trace_
    assert len(trace) == 0
    replay = Replay.from_trace(trace, X, y)
    assert replay.k.tolist() == [0]
    assert replay.corrected.tolist() == [-1]
    assert replay.to_html()


class _Page(HTMLParser):
    """Refuses what is not closed, and remembers what is loaded from elsewhere."""

    VOID = frozenset({"meta", "input", "br", "hr", "img", "link"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [v for k, v in attrs if k in ("src", "href", "xlink:href", "action") and v]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [v for k, v in attrs if k in ("src", "href", "xlink:href") and v]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_html_is_one_whole_page_that_loads_nothing(tmp_path: Path, wide: Any) -> None:
    X, y = wide
    names = np.where(y > 0, "</script><b>", "<!--")
    animation = rb.plot.animate(rb.Perceptron(trace=True).fit(X, names).trace_, X, names, tmp_path / "run.html")
    text = (tmp_path / "run.html").read_text("utf-8")
    page = _Page()
    page.feed(text)
    assert page.open == []
    assert page.addresses == []
    assert not re.search(r"(src|href)=|url\(http|@import", text.replace("http://www.w3.org/2000/svg", ""))
    assert "</script><b>" not in text
    assert len(text) < 200_000
    assert "srcdoc=" in animation._repr_html_()


def test_gif_has_a_picture_for_each_moment(tmp_path: Path, cloud: Any) -> None:
    X, y = cloud
    trace = rb.Perceptron(trace=True).fit(X, y).trace_
    animation = rb.plot.animate(trace, X, y, tmp_path / "run.gif", fps=4)
    with Image.open(tmp_path / "run.gif") as picture:
        assert picture.n_frames == len(trace) + 1
        assert picture.info["duration"] == 250
        assert picture.info["loop"] == 0
    assert repr(animation) == f"<Animation: {len(trace) + 1} moments of {len(trace)} corrections>"


def test_gif_of_many_columns_and_of_xor(tmp_path: Path, wide: Any) -> None:
    for (X, y), name in ((wide, "wide.gif"), (rb.datasets.xor(), "xor.gif")):
        rb.plot.animate(rb.Perceptron(trace=True).fit(X, y).trace_, X, y, tmp_path / name, frames=4)
        with Image.open(tmp_path / name) as picture:
            assert picture.n_frames in (4, 5)


def test_bad_requests_are_refused(tmp_path: Path, cloud: Any) -> None:
    X, y = cloud
    trace = rb.Perceptron(trace=True).fit(X, y).trace_
    with pytest.raises(ValueError, match=r"run\.mov: an animation is saved as \.gif or \.html"):
        rb.plot.animate(trace, X, y, tmp_path / "run.mov")
    with pytest.raises(ValueError, match="fps must be above 0"):
        rb.plot.animate(trace, X, y, fps=0)
    assert not list(tmp_path.iterdir())
