"""Undo and redo, and the points of one's own: nothing that somebody made is lost."""

from typing import Any

from tests.lab.test_browser import choose, expect_verdict, places, press


def test_every_edit_can_be_undone_and_redone(visit: Any) -> None:
    page = visit()
    choose(page, "AND")
    expect_verdict(page, "Completely separable")
    box = page.locator(".plane").bounding_box()
    corners = places(page)
    page.mouse.click(box["x"] + box["width"] * 0.9, box["y"] + box["height"] * 0.06)
    x, y = places(page)[4]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 80, y + 60, steps=6)
    page.mouse.up()
    moved = places(page)
    page.keyboard.press("c")
    press(page, "Clear all points")
    expect_verdict(page, "Nothing to decide yet")
    page.keyboard.press("Control+z")  # the points are back
    assert places(page) == moved
    page.keyboard.press("Control+z")  # the class
    page.keyboard.press("Control+z")  # the whole drag
    assert places(page)[4] == (x, y)
    page.keyboard.press("Control+z")  # the point
    assert places(page) == corners
    assert page.input_value("header select") == "2"
    assert "One corner against three" in page.inner_text(".look")
    for _ in range(3):
        press(page, "Redo")
    assert places(page) == moved
    assert "negative" in page.get_attribute(".dot:nth-child(5)", "class")
    page.keyboard.press("Control+Shift+z")
    assert places(page) == []
    assert page.locator("[aria-label=Redo]").is_disabled()


def test_points_of_ones_own_are_kept_while_an_example_is_looked_at(visit: Any) -> None:
    page = visit()
    choose(page, "OR")
    box = page.locator(".plane").bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.9, box["y"] + box["height"] * 0.06)
    assert page.inner_text(".look") == "Your own points (from “OR”)."
    mine = places(page)
    choose(page, "XOR")
    expect_verdict(page, "Overlapping")
    assert len(places(page)) == 4
    page.select_option("header select", label="My own points")
    assert len(places(page)) == len(mine) == 5
    assert "(from “OR”)" in page.inner_text(".look")


def test_on_a_phone_the_verdict_is_seen_above_the_plane(visit: Any) -> None:
    page = visit(viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)
    choose(page, "XOR")
    expect_verdict(page, "Overlapping")
    strip, plane = page.locator(".strip").bounding_box(), page.locator(".plane").bounding_box()
    assert page.inner_text(".strip") == "Overlapping · proved"
    assert strip["y"] + strip["height"] <= plane["y"] + 1
    page.evaluate("y => window.scrollTo(0, y)", plane["y"] + 100)
    assert 0 <= page.locator(".strip").bounding_box()["y"] < 844  # it stays while the plane is in view
    wide = visit()
    assert not wide.locator(".strip").is_visible()
