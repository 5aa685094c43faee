"""The room of the theorem: one screen, one moment in all pictures, the visitor's own points."""

from pathlib import Path
from typing import Any

import pytest

from tests.lab.conftest import ROOT
from tests.lab.test_rooms import drag, said

HERE = "[aria-current][href='#room=theorem']"
PICTURES = (".theorem .plane", ".theorem .square", ".theorem .charts", ".scrub input", ".proof .caption", ".chain")
PLACES = """(names) => names.map((name) => {
  const box = document.querySelector(name).getBoundingClientRect();
  return [name, box.top, box.bottom];
})"""


@pytest.fixture
def theorem(visit: Any, file: Path) -> Any:
    def opened(place: str = "", **options: Any) -> Any:
        return visit(f"{file.as_uri()}#room=theorem{place}", wait=HERE, offline=True, **options)

    return opened


def number(page: Any, term: str) -> float:
    return float(page.inner_text(f".chain .{term} output").replace("−", "-").replace(",", ""))


def step(page: Any, k: int) -> None:
    page.get_by_role("button", name=f"Step {k}", exact=True).click()


@pytest.mark.some(1)
@pytest.mark.parametrize(("width", "height"), [(1366, 768), (1920, 1080)])
def test_all_pictures_and_the_proof_are_on_one_screen(theorem: Any, width: int, height: int) -> None:
    page = theorem(viewport={"width": width, "height": height})
    for proof in ("Stein and Lettmann", "Khapra: cos β", "Cover: the angle"):
        page.get_by_role("button", name=proof).click()
        for k in range(1, page.locator(".proof-steps button").count() + 1):
            step(page, k)
            for one, top, bottom in page.evaluate(PLACES, PICTURES):
                assert top >= 0, (one, proof, k)
                assert 0 < bottom <= height, (one, proof, k)


def test_a_phone_has_the_slider_at_hand(theorem: Any) -> None:
    page = theorem(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    for one in (".theorem .plane", ".theorem .square"):
        page.locator(one).scroll_into_view_if_needed()
        box = page.locator(".scrub input").bounding_box()
        assert box["y"] + box["height"] <= 844
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_one_moment_is_in_all_pictures(theorem: Any) -> None:
    page = theorem()
    assert said(page).startswith("After 6 corrections every point is on its side. From this start the proof allows 106")
    page.locator(".scrub input").fill("2")
    assert page.inner_text(".scrub .counter") == "k = 2 of 6"
    walk = page.get_attribute(".theorem .walk", "d")
    cursor = page.get_attribute(".theorem .cursor line", "x1")
    line = page.get_attribute(".theorem .plane .line.new", "d")
    least = number(page, "least")
    box = page.locator(".theorem svg.chart").first.bounding_box()
    page.mouse.click(box["x"] + 0.3 * box["width"], box["y"] + 40)  # the curves scrub too
    k = int(page.inner_text(".scrub .counter").split(" ")[2])
    assert k > 2
    assert page.get_attribute(".theorem .walk", "d") != walk
    assert page.get_attribute(".theorem .cursor line", "x1") != cursor
    assert page.get_attribute(".theorem .plane .line.new", "d") != line
    assert number(page, "least") == pytest.approx(least * k / 2, rel=1e-3)
    assert number(page, "least") <= number(page, "along") <= number(page, "length") <= number(page, "most")


def test_the_last_step_leads_to_where_nothing_is_left(theorem: Any) -> None:
    page = theorem()
    assert page.locator(".theorem .allowed").count() == 1
    step(page, 9)
    page.wait_for_function("() => document.querySelector('.scrub .counter').textContent.startsWith('k = 107')")
    assert page.locator(".theorem .allowed").count() == 0  # beyond the line and within the circle there is nothing
    assert number(page, "least") > number(page, "most")
    assert page.inner_text(".theorem .chain .along output") == "–"
    assert "no run on these points makes more than 106 corrections" in page.inner_text(".caption")
    step(page, 4)
    page.wait_for_function("() => document.querySelector('.scrub .counter').textContent === 'k = 6 of 6'")
    assert page.get_attribute(".theorem", "data-lit") == "least along"
    lit = "el => getComputedStyle(el).opacity"
    page.wait_for_function("() => getComputedStyle(document.querySelector('.theorem .series.lower')).opacity === '1'")
    assert page.locator(".theorem [data-term=most]").first.evaluate(lit) != "1"


def test_whoever_prefers_less_motion_is_there_at_once(theorem: Any) -> None:
    page = theorem(reduced_motion="reduce")
    step(page, 9)
    assert page.inner_text(".scrub .counter").startswith("k = 107")


def test_the_points_are_the_visitors(visit: Any, file: Path) -> None:
    page = visit(file.as_uri(), offline=True)
    page.get_by_role("link", name="Theorem").click()
    assert page.locator(".theorem .dot").count() == 40
    before = said(page)
    drag(page, ".theorem .dot >> nth=10", (120, -90))
    assert said(page) != before
    page.get_by_role("link", name="Perceptron").click()
    page.get_by_label("Example", exact=False).first.select_option(label="AND")
    page.get_by_role("button", name="Follow the proof").click()
    page.wait_for_selector(HERE)
    assert page.locator(".theorem .dot").count() == 4
    page.get_by_role("button", name="Six points").click()
    assert page.locator(".theorem .dot").count() == 6


def test_the_switches_are_start_step_and_order(theorem: Any) -> None:
    page = theorem("&show=Six%20points")
    first = said(page)
    bound = first.split("allows ")[1]
    page.get_by_role("slider", name="step η").fill("1")  # ten
    assert page.get_by_role("slider", name="step η").get_attribute("aria-valuetext") == "10"
    assert said(page) == first  # from w = 0 the step only scales w
    page.get_by_role("button", name="random w").click()
    assert said(page).split("allows ")[1] != bound
    begun = number(page, "most")
    page.get_by_role("button", name="Draw again").click()
    assert number(page, "most") != begun
    page.get_by_role("button", name="drawn").click()
    assert page.get_by_role("button", name="drawn").get_attribute("aria-pressed") == "true"
    page.get_by_role("button", name="w = 0").click()
    assert bound.split(" ")[0] in said(page)


def test_without_a_line_there_is_no_proof(theorem: Any) -> None:
    page = theorem("&show=XOR")
    assert said(page).startswith("No line has every point strictly on its side, so there is no w*")
    assert page.inner_text(".caption") == said(page)
    assert page.inner_text(".chain .least output") == "–"
    assert page.locator(".theorem [data-term=star]").count() == 0


def test_the_staircase_beside_it(theorem: Any) -> None:
    page = theorem()
    page.get_by_role("slider", name="rows n").fill("30")
    facts = page.inner_text(".theorem .facts")
    assert "at least 384,307,168,202,282,300 corrections" in facts.replace("3.84·10¹⁷", "384,307,168,202,282,300")
    assert "a hyperplane, proved, in" in facts
    assert "2²⁹" in facts


def test_every_picture_is_described(theorem: Any) -> None:
    page = theorem()
    told = page.get_attribute(".theorem .square", "aria-label")
    assert told.startswith("Weight space after 6 corrections: w is 2.44 along w*")


def test_the_room_is_named_in_the_guide() -> None:
    assert "Theorem" in (ROOT / "docs" / "lab.md").read_text(encoding="utf-8")
