"""What is drawn while a point is dragged: once a frame, only what differs, and no proof of points that are gone."""

from pathlib import Path
from typing import Any

import pytest

import rosenblatt as rb
from tests.lab.test_browser import choose, open_table, places

SLOW = """() => {
  const asked = Worker.prototype.postMessage; // questions that get no answer until the page has said that it waits
  window.held = [];
  Worker.prototype.postMessage = function (...given) {
    if (window.hold) window.held.push(() => asked.apply(this, given));
    else asked.apply(this, given);
  };
}"""


def test_a_proof_that_is_late_says_so(visit: Any, file: Path, tmp_path: Path) -> None:
    """More points than are proved within a frame: their proofs are made by a worker."""
    cloud = rb.datasets.margin_cloud(700, 2, margin=0.1, random_state=0)
    table = tmp_path / "cloud.csv"
    table.write_text("a,b,y\n" + "\n".join(f"{x},{z},{c}" for (x, z), c in zip(cloud.X, cloud.y, strict=True)))
    page = visit(file.as_uri(), offline=True)
    page.evaluate(SLOW)
    open_table(page, table)
    page.select_option("[data-name=phi]", "quadratic")  # n·d² is above what is proved at once
    page.wait_for_selector(".verdict:has(.proved):not(:has(.late))")
    assert page.evaluate("window.held.length") == 0
    page.evaluate("window.hold = true")
    page.focus(".drawing")
    page.keyboard.press("PageDown")
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector(".verdict .late")
    assert page.inner_text(".verdict .late") == "a moment ago"
    assert page.locator(".verdict .proved").count() == 0
    page.evaluate("() => { window.hold = false; window.held.forEach((ask) => ask()) }")
    # Answers to earlier moves may still come, each late in its turn: in the end the verdict is that of the last points.
    page.wait_for_selector(".verdict:has(.proved):not(:has(.late))")


def test_many_moves_are_drawn_once_a_frame_and_the_last_is_shown(visit: Any, file: Path) -> None:
    page = visit(file.as_uri(), offline=True)
    choose(page, "AND")
    x, y = places(page)[3]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 8, y, steps=2)
    drawn = page.evaluate(
        """async ([x, y]) => {
          const svg = document.querySelector(".plane svg"), dot = document.querySelectorAll(".dot")[3];
          const frame = () => new Promise(requestAnimationFrame);
          await frame(); await frame();
          const places = new Set();
          new MutationObserver(() => places.add(dot.getAttribute("transform"))).observe(dot, { attributes: true });
          const more = { pointerId: 1, buttons: 1, isPrimary: true, bubbles: true };
          for (let k = 1; k <= 10; k++)
            svg.dispatchEvent(new PointerEvent("pointermove", { ...more, clientX: x + 8 + 4 * k, clientY: y }));
          const before = places.size;
          await frame(); await frame();
          const badge = document.querySelector(".verdict .proved, .verdict .late").textContent;
          return [before, places.size, dot.getBoundingClientRect().x + dot.getBoundingClientRect().width / 2, badge];
        }""",
        [x, y],
    )
    page.mouse.up()
    assert drawn[:2] == [0, 1]
    assert drawn[2] == pytest.approx(x + 48, abs=1.5)
    assert drawn[3] == "proved"  # without Python the proof is of the same frame


def test_what_stays_is_not_made_anew(visit: Any, file: Path) -> None:
    page = visit(file.as_uri(), offline=True)
    choose(page, "Wide margin")
    page.get_by_role("group", name="The weights").focus()
    every = "[...document.querySelectorAll('.weights td, .line.new, .facts dd')]"
    page.evaluate(f"() => {{ for (const one of {every}) one.marked = 1 }}")
    page.get_by_role("slider", name="Correction").evaluate(
        "(one) => { one.value = '2'; one.dispatchEvent(new Event('input')) }"
    )
    assert page.evaluate(f"() => {every}.every((one) => one.marked)")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "The weights"
    assert "Correction 2 of" in page.inner_text(".step")
