"""The address holds the state: reload, back and forward find it; and the lab as a figure of somebody's page."""

import random
from pathlib import Path
from typing import Any

import pytest

from tests.lab.test_browser import choose, counter, expect_verdict, open_table, places, press
from tests.lab.test_one_file import site  # noqa: F401 (a fixture)

STATE = """() => JSON.stringify([
  [...document.querySelectorAll(".dot")].map((d) => [d.getAttribute("aria-label"), d.classList.contains("positive")]),
  document.querySelector(".counter").textContent, document.querySelector(".look").textContent,
  [...document.querySelectorAll("[data-name]")].map((one) => [one.dataset.name, one.value, one.checked]),
  document.querySelector(".facts").textContent,
])"""
WRITTEN = 250  # milliseconds after which the address is that of the state


def state(page: Any) -> str:
    page.wait_for_selector(".verdict .proved")
    page.wait_for_timeout(WRITTEN)
    page.evaluate("document.activeElement.blur()")
    return str(page.evaluate(STATE))


def wander(page: Any, chance: random.Random) -> None:
    """Do something at random, a few times."""
    examples = ["Tiny margin", "AND", "OR", "XOR", "XOR with Φ", "Touching", "Ring", "Stars and polygons"]
    choose(page, chance.choice(examples))
    for _ in range(chance.randrange(1, 4)):
        act = chance.choice(["click", "drag", "delete", "phi", "recipe", "step", "rival"])
        box = page.locator(".plane").bounding_box()
        inside = (
            box["x"] + box["width"] * chance.uniform(0.1, 0.9),
            box["y"] + box["height"] * chance.uniform(0.1, 0.9),
        )
        movable = not page.locator(".drawing.fixed").count()
        if act == "click" and movable:
            page.mouse.click(*inside)
        elif act == "drag" and movable:
            page.mouse.move(*chance.choice(places(page)))
            page.mouse.down()
            page.mouse.move(*inside, steps=3)
            page.mouse.up()
        elif act == "delete":
            page.locator(".dot").nth(chance.randrange(page.locator(".dot").count())).focus()
            page.keyboard.press("Delete")
        elif act == "phi" and movable:
            page.select_option("[data-name=phi]", chance.choice(["x", "product", "squares", "quadratic"]))
        elif act == "recipe":
            page.select_option("[data-name=recipe]", chance.choice(["stein", "unit", "signum", "cyclic"]))
        elif act == "step":
            press(page, "One correction back")
        elif act == "rival":
            page.get_by_role("checkbox", name="least squares").check()


def test_reload_and_back_keep_random_states(visit: Any, file: Path, soak: bool) -> None:
    page = visit(file.as_uri(), offline=True)
    for seed in range(60 if soak else 6):
        wander(page, random.Random(seed))
        before = state(page)
        page.reload()
        assert state(page) == before, seed
        choose(page, "Wide margin" if seed % 2 else "Regression errs")
        between = state(page)
        page.go_back()
        page.wait_for_function(f"(before) => ({STATE})() === before", arg=before)
        page.go_forward()
        page.wait_for_function(f"(between) => ({STATE})() === between", arg=between)


def test_my_own_points_are_mine_after_a_reload(visit: Any, file: Path) -> None:
    page = visit(file.as_uri())
    press(page, "Clear all points")
    box = page.locator(".plane").bounding_box()
    for k in range(5):
        page.mouse.click(box["x"] + 80 + 60 * k, box["y"] + 90 + 30 * (k % 2))
    mine = state(page)
    page.reload()
    assert page.locator(".dot").count() == 5
    assert state(page) == mine
    choose(page, "XOR")
    page.wait_for_timeout(WRITTEN)
    page.reload()
    expect_verdict(page, "Overlapping")
    page.select_option("header select", label="My own points")
    assert page.locator(".dot").count() == 5


def test_a_table_too_long_for_an_address_is_kept_by_the_window(visit: Any, file: Path, tmp_path: Path) -> None:
    chance = random.Random(1)
    lines = [f"{chance.random()},{chance.random()},{chance.random()},{'abc'[k % 3]}" for k in range(300)]
    table = tmp_path / "long.csv"
    table.write_text("u,v,w,kind\n" + "\n".join(lines))
    page = visit(file.as_uri(), offline=True)
    open_table(page, table)
    page.select_option("[data-name=positive]", "0")
    before = state(page)
    assert "#kept=" in page.url
    page.reload()
    assert state(page) == before
    assert "long.csv: 300 rows, 3 features, 3 classes: a is +1" in page.inner_text(".look")


@pytest.mark.parametrize("bad", ["s=AAAA", "s=!!", "kept=nothing", "s=", "embed=figure&s=zz"])
def test_a_damaged_address_shows_the_usual(visit: Any, file: Path, bad: str) -> None:
    page = visit(f"{file.as_uri()}#{bad}", wait=".plane .dot")
    assert page.locator(".dot").count() == 40


# -------------------------------------------------------------------------------------------------------- as a figure


def shared(visit: Any, file: Path, example: str) -> str:
    page = visit(file.as_uri())
    choose(page, example)
    press(page, "Share…")
    return str(page.input_value("dialog textarea").split("#")[1])


def test_a_figure_has_one_handle_and_one_sentence(visit: Any, file: Path) -> None:
    code = shared(visit, file, "AND")
    page = visit(
        f"{file.as_uri()}#embed=figure&{code}", wait=".strip", offline=True, viewport={"width": 640, "height": 500}
    )
    shown = page.locator("button:visible, a:visible, select:visible, input:visible, textarea:visible")
    assert shown.count() == 1
    assert shown.get_attribute("aria-label") == "Correction"
    assert page.inner_text(".strip") == (
        "Completely separable: a hyperplane has every example strictly on its side · proved"
    )
    height = page.evaluate("document.querySelector('[data-rosenblatt-lab]').getBoundingClientRect().height")
    assert height <= 500
    shown.fill("3")
    assert counter_text(page) == "3 / 18"
    box = page.locator(".plane").bounding_box()
    page.mouse.click(box["x"] + 30, box["y"] + 30)
    assert page.locator(".dot").count() == 4  # nothing else can be done


def counter_text(page: Any) -> str:
    return str(page.text_content(".counter"))


def test_the_handle_can_be_a_point(visit: Any, file: Path) -> None:
    code = shared(visit, file, "AND")
    page = visit(f"{file.as_uri()}#embed=figure&handle=4&{code}", wait=".strip", viewport={"width": 640, "height": 500})
    assert page.locator("button:visible, select:visible, input:visible").count() == 0
    corners = places(page)
    page.mouse.move(*corners[0])  # another point does not move
    page.mouse.down()
    page.mouse.move(corners[0][0] + 60, corners[0][1] - 60, steps=4)
    page.mouse.up()
    assert places(page) == corners
    page.mouse.move(*corners[3])
    page.mouse.down()
    page.mouse.move((corners[0][0] + corners[1][0]) / 2 + 20, (corners[0][1] + corners[1][1]) / 2, steps=6)
    page.mouse.up()
    page.locator(".strip", has_text="Overlapping: no hyperplane separates").wait_for()


def test_a_figure_tells_the_page_around_how_high_it_is(visit: Any, file: Path, tmp_path: Path) -> None:
    page_around = tmp_path / "page.html"
    told = (
        "addEventListener('message', ({data}) => { if (data?.rosenblattHeight) window.told = data.rosenblattHeight })"
    )
    frame = f'<iframe src="{file.as_uri()}#embed=figure" width="600" height="100"></iframe>'
    page_around.write_text(f"<!doctype html><title>t</title><script>{told}</script>{frame}")
    page = visit(page_around.as_uri(), wait="iframe")
    page.wait_for_function("() => window.told > 300 && window.told < 500")


def test_counters_are_as_they_were(visit: Any, file: Path) -> None:
    page = visit(file.as_uri())
    choose(page, "AND")
    page.locator(".transport input").fill("7")
    page.wait_for_timeout(WRITTEN)
    page.reload()
    page.wait_for_selector(".proved")
    assert counter(page) == (7, 18)
