"""How soon a dragged point is redrawn and proved, and how smoothly a long run plays, in headless Chromium."""

import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import print_table
from rosenblatt.datasets import margin_cloud
from rosenblatt.lab.page import standalone
from rosenblatt.lab.server import listen, serve

_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]

# From the pointer's event to the frame that shows it (the task after its animation frame), and to the verdict on it;
# and how long the page itself worked on it, which depends less on what else the machine is doing.
_WATCH = """() => {
  window.drawn = []; window.proved = []; window.worked = [];
  const after = new MessageChannel();
  let began = 0, asked = 0;
  after.port1.onmessage = () => window.drawn.push(performance.now() - began);
  addEventListener("pointermove", (event) => {
    if (event.buttons === 0) return;
    began = asked = event.timeStamp;
    requestAnimationFrame(() => after.port2.postMessage(0));
    const start = performance.now();
    addEventListener("pointermove", () => window.worked.push(performance.now() - start), { once: true });
  }, { capture: true });
  const inner = window.fetch;
  window.fetch = async (...given) => {
    const mine = asked;
    const response = await inner(...given);
    const buffer = response.arrayBuffer.bind(response);
    response.arrayBuffer = async () => {
      const content = await buffer();
      setTimeout(() => window.proved.push(performance.now() - mine));
      return content;
    };
    return response;
  };
}"""

_FRAMES = """(seconds) => new Promise((done) => {
  const gaps = [], worked = [];
  const inner = window.requestAnimationFrame;
  window.requestAnimationFrame = (callback) => inner((now) => {
    const start = performance.now();
    callback(now);
    if (callback !== tick) worked.push(performance.now() - start);
  });
  let last = performance.now();
  const end = last + 1000 * seconds;
  const tick = (now) => {
    gaps.push(now - last);
    last = now;
    now < end ? requestAnimationFrame(tick) : done([gaps.slice(2), worked]);
  };
  requestAnimationFrame(tick);
  document.querySelector("[aria-label=Play]").click();
})"""


def drag_and_play() -> None:
    """Drag one of 200 points for 3 s; play 100,000 corrections at 10,000 a second."""
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        print("no Chromium on this machine")
        return
    rows = []
    with _page(found) as page:
        for name, flipped in (("separable", 0), ("overlapping", 10)):
            _open(page, _cloud(flipped))
            for what, times in _drag(page).items():
                rows.append([f"drag, 200 {name} points: {what}", *_quantiles(times)])
        page.select_option("[data-name=limit]", "100000")
        page.wait_for_function("() => document.querySelector('.counter').textContent.endsWith('/ 100,000')")
        page.get_by_role("button", name="To the start").click()
        page.select_option(".transport select", "10000")
        gaps, worked = page.evaluate(_FRAMES, 5)
        rows.append(["play, 100,000 corrections: between frames", *_quantiles(gaps)])
        rows.append(["play, 100,000 corrections: work a frame", *_quantiles(worked)])
    rows += _alone(found)
    print_table(["what", "median ms", "p95 ms", "n"], rows)


def _alone(executable: str) -> list[list[str]]:
    """The same in the one file, where the page proves by itself: all its work on a move, proof and check included."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "lab.html"
        file.write_text(standalone(), encoding="utf-8")
        with _page(executable, file.as_uri()) as page:
            for name, flipped in (("separable", 0), ("overlapping", 10)):
                _open(page, _cloud(flipped))
                for phi in ("x", "quadratic"):
                    page.select_option("[data-name=phi]", phi)
                    page.wait_for_selector(".proved")
                    times = _drag(page)["work a move"]
                    rows.append([f"one file, 200 {name} points, Φ {phi}: work a move", *_quantiles(times)])
    return rows


def _quantiles(values: list[float]) -> list[str]:
    return [f"{np.median(values):.1f}", f"{np.quantile(values, 0.95):.1f}", str(len(values))]


def _drag(page: Any) -> dict[str, list[float]]:
    """A circle about where a point was; the moves come as fast as frames do."""
    page.evaluate(_WATCH)
    box = page.locator(".dot").nth(100).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    began = time.perf_counter()
    turn = 0.0
    while time.perf_counter() - began < 3:
        turn += 0.1
        page.mouse.move(x + 60 * np.sin(turn), y + 60 * np.cos(turn) - 60)
        time.sleep(0.016)
    page.mouse.up()
    found = page.evaluate("({ redrawn: window.drawn, proved: window.proved, 'work a move': window.worked })")
    return {name: times[5:] for name, times in found.items()}


def _cloud(flipped: int) -> str:
    """200 points as CSV, some with the wrong label."""
    X, y = margin_cloud(200, 2, margin=0.1, random_state=1)
    y = np.where(np.arange(200) < flipped, -y, y)
    return "a,b,y\n" + "\n".join(f"{row[0]},{row[1]},{label}" for row, label in zip(X, y, strict=True))


def _open(page: Any, text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "points.csv"
        file.write_text(text)
        page.set_input_files("input[type=file]", file)
        page.get_by_role("button", name="Open", exact=True).click()
        page.wait_for_selector(".proved")


def _served() -> str:
    address: list[str] = []
    listener = listen()
    threading.Thread(target=lambda: serve(listener, opened=address.append), daemon=True).start()
    while not address:
        time.sleep(0.01)
    return address[0]


@contextmanager
def _page(executable: str, address: str | None = None) -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=_FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 860})
        page.goto(address or _served())
        page.wait_for_selector(".proved")
        yield page
        browser.close()
