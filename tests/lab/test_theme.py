"""The book's switch between light and dark reaches the frames in its pages, also from a folder."""

from html import escape
from pathlib import Path
from typing import Any

import pytest

from rosenblatt.lab.page import standalone
from rosenblatt.plot.canvas.replay import css_variables
from tests.lab.conftest import ROOT

PAPER = {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 29)"}
REPLAY = f"<!doctype html><style>{css_variables()} body {{ background: var(--paper) }}</style><body>replay"


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page as Sphinx writes it: the lab in a frame, a replay, and the book's own script."""
    folder = tmp_path_factory.mktemp("book")
    (folder / "lab.html").write_text(standalone(), encoding="utf-8")
    (folder / "theme.js").write_text((ROOT / "docs" / "_static" / "theme.js").read_text(encoding="utf-8"))
    replay = f'<iframe srcdoc="{escape(REPLAY)}"></iframe>'
    frames = f'<figure class="lab-frame"><iframe src="lab.html"></iframe></figure>{replay}'
    script = '<script defer src="theme.js"></script>'
    (folder / "page.html").write_text(f'<!doctype html><html data-theme="light">{script}<body>{frames}</body></html>')
    return folder / "page.html"


WASH = """() => {
  const copy = new OffscreenCanvas(96, 96).getContext("2d", { willReadFrequently: true });
  copy.drawImage(document.querySelector("canvas.tint"), 0, 0);
  return [...copy.getImageData(0, 0, 96, 96).data].join();
}"""
IS_DARK = "(dark) => dark === getComputedStyle(document.body).backgroundColor.match(/[0-9]+/)[0] < 128"


def expect_theme(page: Any, theme: str) -> str:
    """What points lie on and the replay's page are of the theme; the washes beside the line are returned."""
    lab, replay = (one.content_frame() for one in page.query_selector_all("iframe"))
    colour = "() => getComputedStyle(document.querySelector('.plane')).backgroundColor"
    lab.wait_for_function(f"(wanted) => ({colour})() === wanted", arg=PAPER[theme])
    replay.wait_for_function(IS_DARK, arg=theme == "dark")
    page.wait_for_timeout(100)
    return str(lab.evaluate(WASH))


@pytest.mark.parametrize("system", ["light", "dark"])
def test_frames_follow_the_books_switch(visit: Any, book: Path, system: str) -> None:
    page = visit(book.as_uri(), wait="iframe", color_scheme=system, offline=True)
    lab = page.query_selector("iframe").content_frame()
    lab.wait_for_selector(".proved")
    washes = [expect_theme(page, "light")]  # as the book is, not as the system is
    for theme in ("dark", "light"):
        page.evaluate("(theme) => { document.documentElement.dataset.theme = theme }", theme)
        washes.append(expect_theme(page, theme))
    assert washes[0] == washes[2] != washes[1]


def test_a_room_follows_too_and_strangers_are_not_heard(visit: Any, book: Path) -> None:
    page = visit(book.as_uri(), wait="iframe", color_scheme="light", offline=True)
    lab = page.query_selector("iframe").content_frame()
    lab.get_by_role("link", name="Counting").click()
    page.evaluate("() => { document.documentElement.dataset.theme = 'dark' }")
    colour = "() => getComputedStyle(document.querySelector('.room .plane')).backgroundColor"
    lab.wait_for_function(f"(wanted) => ({colour})() === wanted", arg=PAPER["dark"])
    lab.evaluate("() => postMessage({ rosenblattTheme: 'light' }, '*')")  # from the page itself, not from the book
    page.wait_for_timeout(200)
    assert lab.evaluate(colour) == PAPER["dark"]
