"""The first ten seconds: the page opens moving, the first touch is rewarded, and what matters is on one screen."""

import random
from pathlib import Path
from typing import Any

import pytest

import rosenblatt as rb
from rosenblatt.lab.presets import presets
from tests.lab.test_browser import choose, counter, expect_verdict, places, press
from tests.lab.test_guide import COACH, expect_coach

SIZES = [(1366, 768), (1920, 1080), (1280, 720)]
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
VEILED = "getComputedStyle(document.querySelector('.verdict-line')).visibility === 'hidden'"
LENGTH = 13_000  # milliseconds of the film, about


def has_line(page: Any) -> bool:
    return bool(
        page.evaluate("""() => {
          const line = document.querySelector('.plane .line.new');
          return !!line && getComputedStyle(line).visibility === 'visible' && line.getTotalLength() > 50;
        }""")
    )


def film(visit: Any, file: Path, **options: Any) -> Any:
    """A first visit whose clock stands still until the test lets it go."""
    page = visit(file.as_uri(), first=True, clock=True, wait=".film:not([hidden])", **options)
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 0.2)
    return page


def pass_time(page: Any, milliseconds: int) -> None:
    for _ in range(milliseconds // 100):
        page.clock.run_for(100)


def test_there_is_a_line_by_the_third_second_and_it_moves(visit: Any, file: Path) -> None:
    page = film(visit, file)
    seen = set()
    for _ in range(6):
        pass_time(page, 500)
        assert has_line(page)
        seen.add(page.get_attribute(".plane .line.new", "d"))
    assert len(seen) >= 4
    expect_verdict(page, "Completely separable")


def test_the_answer_does_not_stand_beside_the_question(visit: Any, file: Path) -> None:
    page = film(visit, file)
    pass_time(page, 500)
    expect_coach(page, "Can a line tell them apart?")
    assert page.evaluate(VEILED)
    page.get_by_role("button", name="No", exact=True).click()
    pass_time(page, 3000)
    expect_coach(page, "You said no: wrong. It can: 6 corrections, and the verdict is proved.")
    assert not page.evaluate(VEILED)


def test_a_hand_flips_the_verdict_and_puts_the_point_back(visit: Any, file: Path) -> None:
    page = film(visit, file)
    begun = places(page)
    verdicts = []
    for _ in range(LENGTH // 300):
        pass_time(page, 300)
        if page.locator(".bet").last.is_visible() and "across" in page.inner_text(COACH):
            page.get_by_role("button", name="No", exact=True).click()
        verdicts.append(page.inner_text(".verdict-line"))
        if page.locator(".meeting").count():
            assert page.inner_text(".verdict .proved") == "proved"
    kinds = [one.split("\n")[0] for one in verdicts if one]
    assert "Overlapping" in kinds
    assert kinds[-1] == "Completely separable"
    expect_coach(page, "Now you: drag any point. You will never see a wrong answer")
    assert places(page) == begun
    assert page.input_value("header select") == "0"  # the example as it is: nothing was changed
    press(page, "Done")
    assert page.locator(COACH).count() == 0


@pytest.mark.some(2)
@pytest.mark.parametrize("seed", range(4))
def test_a_drag_at_any_moment_leaves_a_line_and_a_verdict(visit: Any, file: Path, seed: int) -> None:
    page = film(visit, file)
    moment = random.Random(seed).randrange(0, LENGTH) if seed else 0
    pass_time(page, moment)
    page.clock.run_for(moment % 100)
    before = page.locator(".plane").bounding_box()
    x, y = places(page)[0]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y + 30, steps=4)
    pass_time(page, 100)
    assert has_line(page), moment
    assert page.inner_text(".verdict .proved") == "proved"
    page.mouse.up()
    pass_time(page, 100)
    assert has_line(page)
    assert page.inner_text(".verdict .proved") == "proved"
    assert places(page)[0] == pytest.approx((x + 40, y + 30), abs=1)
    assert page.locator(".plane").bounding_box() == before  # it does not move under the pointer
    assert page.locator(COACH).count() == 0
    at, corrections = counter(page)
    assert at == corrections > 0


@pytest.mark.parametrize("act", ["forward", "example"])
def test_whoever_wants_something_else_ends_the_film(visit: Any, file: Path, act: str) -> None:
    page = film(visit, file)
    pass_time(page, 200)
    if act == "forward":
        press(page, "One correction back")
        assert counter(page)[1] == 6
    else:
        choose(page, "AND")
    assert page.locator(COACH).count() == 0
    assert page.get_attribute(".plane", "data-hidden") == ""
    assert not page.evaluate(VEILED)


def test_the_film_is_seen_once_and_called_again(visit: Any, file: Path) -> None:
    page = visit(file.as_uri(), first=True, wait=".film:not([hidden])")
    expect_coach(page, "Can a line tell them apart?")
    press(page, "Skip")
    assert counter(page) == (6, 6)
    page.reload()
    page.wait_for_selector(".proved")
    assert page.locator(COACH).count() == 0  # not a first visit any more
    choose(page, "XOR")
    press(page, "Tour")
    expect_coach(page, "40 points of two classes")
    page.keyboard.press("Control+z")  # what was there before is not lost
    expect_verdict(page, "Overlapping")
    assert page.locator(COACH).count() == 0


def test_less_motion_gets_stills(visit: Any, file: Path) -> None:
    page = visit(file.as_uri(), first=True, reduced_motion="reduce")
    assert has_line(page)
    assert counter(page) == (6, 6)
    still = page.get_attribute(".plane .line.new", "d")
    page.wait_for_timeout(400)
    assert page.get_attribute(".plane .line.new", "d") == still
    for words in ("It can: 6 corrections", "Can a line still do it?", "across …", "No line can any more"):
        press(page, "Next")
        expect_coach(page, words)
    expect_verdict(page, "Overlapping")
    press(page, "Next")
    press(page, "Next")
    expect_verdict(page, "Completely separable")
    expect_coach(page, "Now you")


def visible(page: Any, selector: str) -> bool:
    return bool(
        page.evaluate(
            """selector => [...document.querySelectorAll(selector)]
                 .some(e => getComputedStyle(e).visibility === 'visible')""",
            selector,
        )
    )


def test_step_by_step_shows_one_thing_after_the_other(visit: Any, file: Path) -> None:
    one = presets()[0]
    X = [one["X"][2 * i : 2 * i + 2] for i in range(len(one["y"]))]
    trace = rb.Perceptron.from_recipe("rosenblatt62", trace=True).fit(X, one["y"]).trace_
    page = visit(file.as_uri(), first=True, reduced_motion="reduce")
    for _ in range(6):
        press(page, "Next")
    press(page, "Step by step")
    signs = {".ring": 1, ".added": 2, ".line.new": 3, ".normal.new": 4, ".line.old": 5, ".line.best": 10}
    for at in range(11):
        seen = {sign for sign in signs if visible(page, f".plane {sign}")}
        assert seen == {sign for sign, since in signs.items() if since <= at}, at
        words = page.inner_text(f"{COACH} p")
        if at in (1, 5):  # the captions are about this run
            assert f"point {trace.rows[0 if at == 1 else 1] + 1}" in words.replace(",", "").replace(".", "")
        assert counter(page)[0] == (0, 1, 1, 1, 1, 2, 3, 4, 5, 6, 6)[at]
        press(page, "Next")
    assert len(trace) == 6
    press(page, "Try a challenge")
    expect_coach(page, "Make it work hard")


def test_what_came_with_points_begins_with_them(visit: Any, file: Path) -> None:
    """An address or a table is what somebody came for: no film."""
    page = visit(file.as_uri())
    choose(page, "XOR")
    press(page, "Share…")
    shared = page.input_value("dialog textarea").split("#")[1]
    other = visit(f"{file.as_uri()}#{shared}", first=True)
    expect_verdict(other, "Overlapping")
    assert other.locator(COACH).count() == 0


WHAT_MATTERS = {
    "plane": ".plane",
    "replay": ".transport",
    "rule": ".step",
    "curves": ".run .charts",
    "verdict": ".verdict",
    "promise": ".lead",
}


def bottoms(page: Any) -> dict[str, float]:
    boxes = {name: page.locator(selector).bounding_box() for name, selector in WHAT_MATTERS.items()}
    return {name: box["y"] + box["height"] for name, box in boxes.items()}


@pytest.mark.parametrize("size", SIZES[:2], ids=str)
def test_what_matters_is_on_one_screen(visit: Any, file: Path, size: tuple[int, int]) -> None:
    page = visit(file.as_uri(), viewport={"width": size[0], "height": size[1]})
    for example in ("Wide margin", "XOR", "Touching", "Ring"):
        choose(page, example)
        assert {name: y for name, y in bottoms(page).items() if y > size[1]} == {}, example


def test_on_a_phone_it_is_scrolled_once(visit: Any, file: Path) -> None:
    page = visit(file.as_uri(), **PHONE)
    assert {name: y for name, y in bottoms(page).items() if y > 2 * 844} == {}
    assert page.locator(".plane").bounding_box()["y"] < 500


def test_the_film_is_above_the_fold(visit: Any, file: Path) -> None:
    for width, height in SIZES:
        page = film(visit, file, viewport={"width": width, "height": height})
        for moment in (500, 3000):  # while it asks, and when it answers
            pass_time(page, moment)
            boxes = [one.bounding_box() for one in page.locator(f"{COACH} button:visible").all()]
            assert boxes
            assert all(box["y"] + box["height"] < height for box in boxes)


def test_nothing_moves_when_the_verdict_flips(visit: Any, file: Path) -> None:
    page = visit(file.as_uri(), viewport={"width": 1366, "height": 768})
    choose(page, "AND")
    parts = (".plane", ".transport", ".run", ".side > .card")
    before = [page.locator(part).first.bounding_box() for part in parts]
    below = page.locator(".more").bounding_box()["y"]
    corners = places(page)
    page.mouse.move(*corners[3])
    page.mouse.down()
    page.mouse.move(*[(a + b) / 2 - 60 * s for a, b, s in zip(corners[0], corners[3], (1, -1), strict=True)], steps=6)
    expect_verdict(page, "Overlapping")
    assert [page.locator(part).first.bounding_box() for part in parts] == before
    assert page.locator(".more").bounding_box()["y"] == below
    page.mouse.up()


def test_proofs_are_counted(visit: Any, file: Path) -> None:
    page = visit(file.as_uri())
    choose(page, "AND")
    first = int(page.inner_text(".lead output").split()[0])
    x, y = places(page)[3]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 30, y + 10, steps=5)
    page.mouse.up()
    page.wait_for_function("first => parseInt(document.querySelector('.lead output').textContent) > first", arg=first)


def test_w_zero_has_no_wrong_side(visit: Any, file: Path) -> None:
    page = visit(file.as_uri())
    press(page, "To the start")
    assert page.inner_text(".hint").startswith("w is 0: there is no line yet")
    assert page.locator(".dot.wrong").count() == 0
    choose(page, "XOR")
    page.locator(".transport input").fill("4")  # w(4) = 0 again: ‖w‖² has no place on a logarithmic axis
    assert page.inner_text(".hint").startswith("w is 0")
    assert page.locator(".run .chart-box").first.locator(".cursor circle").count() == 0
