"""The lab explains itself: the legend, "Why?", hints, and challenges that the tests solve."""

import random
import re
from pathlib import Path
from typing import Any

import pytest

from rosenblatt.lab.page import standalone
from tests.lab.test_browser import choose, expect_verdict, places, press

COACH = ".coach:not([hidden])"


def pixel(page: Any, a: float, b: float) -> tuple[float, float]:
    """Where a place of the plane is on the screen, from two points whose places are known."""
    found = page.eval_on_selector_all(
        ".dot", "dots => dots.slice(0, 99).map(d => d.getAttribute('aria-label').replaceAll('−', '-'))"
    )
    at = [tuple(map(float, re.search(r"at ([-\d.]+), ([-\d.]+)", text).groups())) for text in found]
    seen = places(page)
    first, second = next((i, j) for i in range(len(at)) for j in range(i) if at[i][0] != at[j][0])
    scale = (seen[first][0] - seen[second][0]) / (at[first][0] - at[second][0])  # one scale for both axes
    return seen[first][0] + scale * (a - at[first][0]), seen[first][1] - scale * (b - at[first][1])


def drag(page: Any, i: int, a: float, b: float) -> None:
    page.mouse.move(*places(page)[i])
    page.mouse.down()
    page.mouse.move(*pixel(page, a, b), steps=6)
    page.mouse.up()


def expect_coach(page: Any, words: str) -> None:
    page.wait_for_function(
        "words => document.querySelector('.coach:not([hidden])')?.textContent.includes(words)", arg=words
    )


def visible(page: Any, selector: str) -> bool:
    return page.evaluate(
        """selector => [...document.querySelectorAll(selector)]
             .some(e => getComputedStyle(e).visibility === 'visible')""",
        selector,
    )


# ---------------------------------------------------------------------------------------- the legend, why, captions


def test_the_legend_has_what_is_drawn(visit: Any, file: Path) -> None:
    page = visit(file.as_uri())
    choose(page, "AND")
    assert "widest street" in page.inner_text(".signs")
    assert "hulls" not in page.inner_text(".signs")
    choose(page, "XOR")
    assert "where the hulls meet" in page.inner_text(".signs")
    assert "street" not in page.inner_text(".signs")
    choose(page, "Touching")
    assert "a line that touches" in page.inner_text(".signs")
    choose(page, "Stars and polygons")
    assert "seen edge on" in page.inner_text(".signs")


def test_why_is_a_text_without_a_book_and_a_link_with_one(visit: Any, file: Path, tmp_path: Path) -> None:
    page = visit(file.as_uri(), offline=True)
    assert page.locator("a.why").count() == 0
    choose(page, "XOR")
    page.locator("details.why summary").first.click()
    choose(page, "AND")
    page.locator(".side details.why summary").first.click()
    assert "whole numbers" in page.inner_text(".side details.why p")
    beside = tmp_path / "book" / "_static" / "lab.html"
    beside.parent.mkdir(parents=True)
    beside.write_text(standalone(book=".."), encoding="utf-8")
    (tmp_path / "book" / "lectures").mkdir()
    (tmp_path / "book" / "lectures" / "cover.html").write_text("<title>Cover</title>")
    other = visit(beside.as_uri(), offline=True)
    choose(other, "XOR")
    expect_verdict(other, "Overlapping")
    with other.context.expect_page() as opened:
        other.locator(".side a.why").first.click()
    opened.value.wait_for_load_state()
    assert opened.value.title() == "Cover"


def test_captions_do_not_go_stale(visit: Any, file: Path, tmp_path: Path) -> None:
    page = visit(file.as_uri())
    choose(page, "XOR with Φ")
    assert "The feature x1·x2 is added" in page.inner_text(".look")
    page.select_option("[data-name=phi]", "x")
    assert page.inner_text(".look") == "“XOR with Φ”, with other settings."
    page.get_by_role("checkbox", name="LMS").check()  # only another line beside
    page.select_option("[data-name=phi]", "product")
    assert "The feature x1·x2 is added" in page.inner_text(".look")
    table = tmp_path / "flowers.csv"
    table.write_text("width,height,kind\n1,0,rose\n2,1,rose\n0,2,iris\n")
    page.set_input_files("input[type=file]", table)
    page.get_by_role("button", name="Open", exact=True).click()
    page.wait_for_function("() => document.querySelector('.look').textContent.includes('3 rows')")
    page.locator(".dot").first.focus()
    page.keyboard.press("Delete")
    assert page.inner_text(".look") == "Your own points (from “flowers.csv”)."


def test_oddities_are_named(visit: Any, file: Path) -> None:
    page = visit(file.as_uri())
    choose(page, "AND")
    assert page.inner_text(".odd") == ""
    page.locator(".transport input").fill("3")  # w = (1, 1, −1): two corners on the line
    assert "Points 2 and 3 lie on the line: a tie, s = 0. This recipe counts a tie as a mistake." in page.inner_text(
        ".odd"
    )
    choose(page, "XOR")
    assert "No line has every point strictly on its side" in page.inner_text(".odd")
    page.locator(".dot").first.focus()
    page.keyboard.press("n")
    page.keyboard.press("n")
    page.keyboard.press("c")
    assert "Points 5 and 6 lie in the same place and have different classes" in page.inner_text(".odd")
    page.keyboard.press("c")
    assert "Points 5 and 6 lie in the same place and look like one." in page.inner_text(".odd")


# ------------------------------------------------------------------------------------------------------- challenges


def solved(page: Any) -> None:
    page.wait_for_selector(".coach.solved")


def make_it_work_hard(page: Any) -> None:
    expect_coach(page, "6 points; more than 100 are needed")
    drag(page, 2, 0.45, 0.7)  # two points close to points of the other class: a thin gap
    expect_coach(page, "corrections with 6 points; more than 100")
    drag(page, 1, 0.7, -0.3)
    solved(page)


def make_it_cycle(page: Any) -> None:
    expect_coach(page, "A line separates these points: the run comes to an end.")
    for corner in (1, 2):
        page.mouse.click(*places(page)[corner])
        press(page, "Flip the class of the chosen point")
    page.mouse.click(*places(page)[3])
    page.keyboard.press("c")
    solved(page)


def find_labels(page: Any) -> None:
    expect_coach(page, "A line separates these labels.")
    for corner in (0, 2):
        page.mouse.click(*places(page)[corner])
        page.keyboard.press("c")
    solved(page)


def reach_the_bound(page: Any) -> None:
    drag(page, 1, -0.8, -0.3)
    expect_coach(page, "the bound is")
    drag(page, 0, 0.8, 0.3)
    solved(page)


SOLUTIONS = {
    "Make it work hard": make_it_work_hard,
    "Make it cycle": make_it_cycle,
    "Labels that no line separates": find_labels,
    "Beat the bound": reach_the_bound,
}


def test_every_challenge_can_be_solved_and_the_next_is_offered(visit: Any) -> None:
    page = visit()  # from the server: of a file, Chromium now and then forgets what was stored just before a reload
    page.get_by_role("button", name="Make it work hard").click()
    for number, (title, solve) in enumerate(SOLUTIONS.items(), start=1):
        expect_coach(page, title)
        assert page.locator(".coach.solved").count() == 0
        solve(page)
        assert page.locator(".quests .proved:visible").count() == number
        if number < len(SOLUTIONS):
            press(page, "Next challenge")
    assert not page.get_by_role("button", name="Next challenge").is_visible()
    drag(page, 0, 1.4, 1.0)
    page.wait_for_selector(".coach:not([hidden]):not(.solved)")  # judged again and again
    page.reload()
    kept = page.locator(".quests .proved:visible")
    kept.nth(len(SOLUTIONS) - 1).wait_for()
    assert kept.count() == len(SOLUTIONS)  # kept by the browser


def test_an_example_is_no_solution(visit: Any, file: Path) -> None:
    page = visit(file.as_uri())
    page.get_by_role("button", name="Make it cycle").click()
    choose(page, "XOR")
    assert page.locator(COACH).count() == 0
    assert page.locator(".quests .proved:visible").count() == 0


def test_challenges_are_judged_with_python_too(visit: Any) -> None:
    page = visit()
    page.get_by_role("button", name="Make it cycle").click()
    make_it_cycle(page)
    press(page, "Next challenge")
    find_labels(page)


def test_a_browser_without_memory_has_challenges_too(visit: Any, file: Path) -> None:
    page = visit(file.as_uri())
    page.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw new Error('no') } })")
    page.reload()
    expect_coach(page, "Can a line tell them apart?")
    press(page, "Skip")
    page.get_by_role("button", name="Labels that no line separates").click()
    find_labels(page)


def test_a_phone_shows_challenge_and_verdict_beside_the_plane(visit: Any, file: Path) -> None:
    page = visit(file.as_uri(), viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)
    page.get_by_role("button", name="Labels that no line separates").tap()
    page.locator(".plane").scroll_into_view_if_needed()
    for corner in (0, 2):
        page.touchscreen.tap(*places(page)[corner])
        page.get_by_role("button", name="Flip the class of the chosen point").tap()
    solved(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.inner_text(".strip").startswith(("Overlapping", "Quasi"))


def test_no_label_of_an_axis_is_cut(visit: Any, file: Path, tmp_path: Path) -> None:
    table = tmp_path / "wide.csv"
    name = "a name of a column that is longer than any plane of any telephone could show"
    table.write_text(f"{name},other,y\n0.00001234,1e9,0\n0.00002345,3e9,1\n0.00004567,2e9,1\n")
    for width in (1280, 390):
        page = visit(file.as_uri(), viewport={"width": width, "height": 844})
        page.set_input_files("input[type=file]", table)
        page.get_by_role("button", name="Open", exact=True).click()
        for scaled in (True, False):
            page.wait_for_function("() => document.querySelector('.look').textContent.includes('3 rows')")
            if not scaled:
                page.get_by_role("checkbox", name="Scale columns").click()
            cut = page.evaluate(
                """() => [...document.querySelectorAll('.ticks text, .chart text')].filter((text) => {
                     const box = text.getBoundingClientRect(), home = text.closest('svg').getBoundingClientRect();
                     return box.width > 0 && (box.left < home.left - 1 || box.right > home.right + 1);
                   }).map((text) => text.textContent)"""
            )
            assert cut == []


SPILT = """() => [...document.querySelectorAll('.lab *')].filter((one) => {
  const elsewhere = one.closest('svg, .spoken, nav, h1, .why, .transport, select');
  const { display, overflowX } = getComputedStyle(one);
  const open = display !== 'inline' && overflowX === 'visible' && one.getClientRects().length > 0;
  return !elsewhere && open && one.scrollWidth > one.clientWidth + 1;
}).map((one) => `${one.tagName}.${one.className}: ${one.textContent.slice(0, 50)}`)"""


@pytest.mark.some(3)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("width", [390, 1366])
def test_any_names_and_numbers_stay_in_their_place(
    visit: Any, file: Path, tmp_path: Path, seed: int, width: int
) -> None:
    """Long names with blanks and without, long numbers and tiny ones; and columns can be scaled again."""
    rng = random.Random(seed)

    def name(longest: int) -> str:
        return "".join(rng.choice("abcdefgh_ ") for _ in range(rng.randint(1, longest))).strip() or "n"

    columns = {f"{name(70)}{j}": 10.0 ** rng.randint(-9, 9) for j in range(rng.randint(2, 5))}
    classes = [f"{name(60)}{k}" for k in range(rng.randint(2, 3))]
    rows = [[*(f"{rng.gauss(0, size):.9g}" for size in columns.values()), rng.choice(classes)] for _ in range(30)]
    (tmp_path / "any.csv").write_text("\n".join(",".join(row) for row in [[*columns, "class"], *rows]))
    page = visit(file.as_uri(), viewport={"width": width, "height": 844})
    page.set_input_files("input[type=file]", tmp_path / "any.csv")
    page.get_by_role("button", name="Open", exact=True).click()
    page.locator(".look", has_text="any.csv: 30 rows").wait_for()
    scaled = page.get_by_role("checkbox", name="Scale columns")
    for what in (scaled.uncheck, scaled.check, page.get_by_role("button", name="See the proof").click):
        assert page.evaluate(SPILT) == []
        what()
    assert page.evaluate(SPILT) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [390, 1366])
def test_no_number_of_an_axis_lies_under_its_name(visit: Any, file: Path, width: int) -> None:
    page = visit(file.as_uri(), viewport={"width": width, "height": 800})
    page.evaluate("document.querySelector('.drawing').scrollIntoView()")
    for k in range(12):
        page.get_by_role("button", name="Clear").click()
        for x, y in ((0.1, 0.04 + 0.03 * k), (0.8, 0.9), (0.5, 0.5)):
            box = page.locator(".drawing").bounding_box()
            page.mouse.click(box["x"] + x * box["width"], box["y"] + y * box["height"])
        page.get_by_role("button", name="Fit").click()
        over = page.evaluate(
            """() => {
              const texts = [...document.querySelectorAll('.ticks text')];
              const box = (text) => text.getBBox();
              return texts.filter((one) => !one.matches('.name') && texts.some((name) => {
                const [a, b] = [box(one), box(name)];
                const apart = a.x > b.x + b.width || b.x > a.x + a.width;
                return name.matches('.name') && !apart && a.y < b.y + b.height - 3 && b.y < a.y + a.height - 3;
              })).map((one) => one.textContent);
            }"""
        )
        assert over == []
