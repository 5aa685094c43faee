"""How soon a dragged point is redrawn and proved, and how smoothly a long run plays, in headless Chromium."""

import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import benchmark, print_table
from rosenblatt.datasets import margin_cloud
from rosenblatt.lab.page import standalone
from rosenblatt.lab.server import listen, serve

_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]

# From the pointer's event to the task after the frame that shows it; and when frames came.
_WATCH = """() => {
  Object.assign(window, { drawn: [], ticks: [] });
  if (window.watched) return;
  window.watched = true;
  const after = new MessageChannel();
  let began = 0;
  after.port1.onmessage = () => window.drawn.push(performance.now() - began);
  addEventListener("pointermove", (event) => {
    if (event.buttons === 0) return;
    began = event.timeStamp;
    requestAnimationFrame(() => after.port2.postMessage(0));
  }, { capture: true });
  const tick = (now) => { window.ticks.push(now); requestAnimationFrame(tick); };
  requestAnimationFrame(tick);
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


@benchmark("lab")
def drag_and_play() -> None:
    """Drag one of 200 points, and of 10,000; play 100,000 corrections at 10,000 a second.

    A drag is 180 moves, the next one sent when the last was handled: as many as there are frames. `redrawn` is from a
    move to the end of the frame that shows it. Chromium hands moves over when a frame begins, 60 times a second: a move
    waits for up to 16.7 ms before any work, so that about 17 ms is the best that can be. `dropped/s` are frames of the
    60 a second that did not come. `CPU a move` is the processor time of the page's thread, with style, layout and
    painting (here without a graphics card), and `script` what of it is the lab's own: other load on the machine changes
    these two least. The last line says how busy the machine was with other work.
    """
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        print("no Chromium on this machine")
        return
    others = os.getloadavg()[0]
    drags: list[list[str]] = []
    with _page(found) as page:
        for name, flipped in (("separable", 0), ("overlapping", 10)):
            _open(page, _cloud(200, flipped))
            drags.append([f"server, {name}, Φ x", *_drag(page).row()])
        played = _play(page)
    drags += _alone(found)
    print_table(
        ["one of 200 points", "redrawn ms", "p95", "frames/s", "dropped/s", "CPU a move ms", "script ms", "moves"],
        drags,
    )
    print()
    print_table(["what", "median ms", "p95 ms", "n"], played)
    print(f"\n{others:.1f} processes wanted a processor when it began, of which there are {os.cpu_count()}.")


def _play(page: Any) -> list[list[str]]:
    page.select_option("[data-name=limit]", "100000")
    page.wait_for_function("() => document.querySelector('.counter').textContent.endsWith('/ 100,000')")
    page.get_by_role("button", name="To the start").click()
    page.select_option(".transport select", "10000")
    gaps, worked = page.evaluate(_FRAMES, 5)
    return [
        ["play, 100,000 corrections: between frames", *_quantiles(gaps)],
        ["play, 100,000 corrections: work a frame", *_quantiles(worked)],
    ]


def _alone(executable: str) -> list[list[str]]:
    """The same in the one file, where the page proves by itself, in the same frame."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "lab.html"
        file.write_text(standalone(), encoding="utf-8")
        with _page(executable, file.as_uri()) as page:
            for name, flipped in (("separable", 0), ("overlapping", 10)):
                _open(page, _cloud(200, flipped))
                for phi in ("x", "quadratic"):
                    page.select_option("[data-name=phi]", phi)
                    page.wait_for_selector(".proved")
                    rows.append([f"one file, {name}, Φ {phi}", *_drag(page).row()])
                _open(page, _cloud(10_000, flipped))
                rows.append([f"one file, one of 10,000, {name}, Φ x", *_drag(page).row()])
    return rows


def _quantiles(values: list[float]) -> list[str]:
    return [f"{np.median(values):.1f}", f"{np.quantile(values, 0.95):.1f}", str(len(values))]


@dataclass(frozen=True)
class _Dragged:
    """What a drag was like; times in milliseconds."""

    redrawn: list[float]
    ticks: list[float]
    cpu: float
    script: float

    def row(self) -> list[str]:
        """The cells of its line."""
        seconds = (self.ticks[-1] - self.ticks[0]) / 1000
        came = len(self.ticks) - 1
        dropped = max(0.0, 60 * seconds - came)
        median, p95, moves = _quantiles(self.redrawn)
        rates = [f"{came / seconds:.1f}", f"{dropped / seconds:.1f}"]
        return [median, p95, *rates, f"{self.cpu:.1f}", f"{self.script:.1f}", moves]


def _drag(page: Any) -> _Dragged:
    """Chords of a circle about where a point was; once before it counts, so that the page's code is compiled."""
    client = page.context.new_cdp_session(page)
    client.send("Performance.enable", {"timeDomain": "threadTicks"})

    def busy() -> dict[str, float]:
        return {one["name"]: one["value"] for one in client.send("Performance.getMetrics")["metrics"]}

    page.focus(".drawing")  # points that are painted have no elements: the chosen one has a circle
    for _ in range(100):
        page.keyboard.press("PageDown")
    box = page.locator(".chosen, .dot.selected").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for turns in (3, 12):
        page.evaluate(_WATCH)
        before = busy()
        for turn in range(turns):
            page.mouse.move(x + 60 * np.sin(turn), y + 60 * np.cos(turn) - 60, steps=15)
        after = busy()
        drawn, ticks = page.evaluate("[window.drawn, window.ticks]")
    page.mouse.up()
    spent = [1000 * (after[name] - before[name]) / len(drawn) for name in ("TaskDuration", "ScriptDuration")]
    client.detach()
    return _Dragged(drawn, ticks, *spent)


def _cloud(n: int, flipped: int) -> str:
    """Points as CSV, some with the wrong label."""
    X, y = margin_cloud(n, 2, margin=0.1, random_state=1)
    y = np.where(np.arange(n) < flipped, -y, y)
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
