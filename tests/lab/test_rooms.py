"""A person in the rooms of the lab: real clicks, drags, fingers and keys, in the one file without a network."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import rosenblatt as rb
from tests.lab.conftest import Running
from tests.lab.test_browser import AXE, choose, counter, expect_verdict

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
ROOMS = ["theorem", "gates", "counting", "losses", "regression", "filters"]


@pytest.fixture
def enter(visit: Any, file: Path) -> Iterator[Any]:
    """Open a room of the one file, without a network."""

    def opened(place: str, **options: Any) -> Any:
        return visit(f"{file.as_uri()}#room={place}", wait=".room-slot:not([hidden]) h1", offline=True, **options)

    return opened


def centre(page: Any, selector: str) -> tuple[float, float]:
    page.locator(selector).scroll_into_view_if_needed()
    box = page.locator(selector).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Any, selector: str, by: tuple[float, float]) -> None:
    x, y = centre(page, selector)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + by[0], y + by[1], steps=6)
    page.mouse.up()


def finger(page: Any, selector: str, by: tuple[float, float]) -> None:
    x, y = centre(page, selector)
    client = page.context.new_cdp_session(page)
    client.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for step in range(1, 7):
        touch = [{"x": x + by[0] * step / 6, "y": y + by[1] * step / 6}]
        client.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": touch})
    client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def said(page: Any) -> str:
    return str(page.inner_text(".room-slot:not([hidden]) .saying"))


def cells(page: Any, column: int) -> list[str]:
    """A column of the table of numbers."""
    path = f".room-slot:not([hidden]) .numbers tbody tr > :nth-child({column})"
    return [str(text) for text in page.locator(path).all_inner_texts()]


def slide(page: Any, name: str, value: float) -> None:
    page.get_by_role("slider", name=name, exact=True).fill(str(value))


# ------------------------------------------------------------------------------------------------------------ the bar


def test_every_room_has_its_link(visit: Any, file: Path) -> None:
    page = visit(file.as_uri(), offline=True)
    assert page.title() == "Perceptron lab"
    choose(page, "AND")
    page.locator(".transport input").fill("3")
    for room in ROOMS:
        page.get_by_role("link", name=room.capitalize()).click()
        page.wait_for_selector(f"nav a[href='#room={room}'][aria-current=page]")
        assert page.title() == f"{room.capitalize()} · Perceptron lab"
        assert f"#room={room}" in page.url
        assert page.inner_text(":focus") == page.inner_text(".room-slot:not([hidden]) h1")
        assert page.locator("main:visible").count() == 1
    for room in reversed(ROOMS[:-1]):
        page.go_back()
        page.wait_for_selector(f"nav a[href='#room={room}'][aria-current=page]")
    page.go_back()
    expect_verdict(page, "Completely separable")
    assert counter(page) == (3, 18)  # as it was left


def test_a_room_that_does_not_exist_is_the_first(enter: Any) -> None:
    for place in ("cellar", "constructor&show=%E0%A4%A"):
        assert enter(place).inner_text("nav [aria-current]") == "Perceptron"
    assert said(enter("gates&show=constructor")) == "This neuron computes AND."


@pytest.mark.parametrize("room", ["perceptron", *ROOMS])
def test_a_room_is_entered_at_its_top(enter: Any, room: str) -> None:
    """A browser scrolls to what has the name that the address ends with; the bar must stay in sight."""
    page = enter(room, viewport={"width": 1366, "height": 500})
    page.wait_for_timeout(100)
    assert page.evaluate("scrollY") == 0
    page.evaluate("scrollTo(0, 150)")
    page.get_by_role("link", name="Theorem" if room != "theorem" else "Losses").dispatch_event("click")
    assert page.evaluate("scrollY") == 0


def test_what_leads_to_a_room_leads_to_its_top(enter: Any) -> None:
    page = enter("perceptron", viewport={"width": 1366, "height": 500})
    page.evaluate("scrollTo(0, 150)")
    page.get_by_role("button", name="Follow the proof").dispatch_event("click")
    assert page.evaluate("[scrollY, location.hash]") == [0, "#room=theorem"]


def test_points_stay_in_the_address_beside_the_room(visit: Any, lab: Running, file: Path) -> None:
    page = visit()
    choose(page, "XOR with Φ")
    page.locator(".transport input").fill("7")
    page.get_by_role("button", name="Share…").click()
    shared = page.input_value("dialog textarea").split("#")[1]
    page.get_by_role("button", name="Close").click()
    page.wait_for_timeout(200)  # the address is that of the state
    page.get_by_role("link", name="Gates").click()
    assert page.evaluate("location.hash") == f"#room=gates&{shared}"
    page.get_by_role("button", name="OR", exact=True).click()
    assert page.evaluate("location.hash") == f"#room=gates&show=OR&{shared}"
    page.keyboard.press("Control+z")  # is of the room that is seen
    page.get_by_role("link", name="Perceptron").click()
    assert counter(page) == (7, 29)
    other = visit(f"{file.as_uri()}#room=gates&show=NAND&{shared}", wait=".saying", offline=True)
    assert said(other) == "This neuron computes NAND."
    other.get_by_role("link", name="Perceptron").click()
    assert counter(other) == (7, 29)
    third = visit(lab.address + "&room=counting", wait=".room h1")
    assert third.evaluate("location.hash") == "#room=counting"


def test_a_table_dropped_in_a_room_opens_in_the_first(enter: Any) -> None:
    page = enter("gates")
    page.evaluate(
        """() => {
          const files = new DataTransfer();
          files.items.add(new File(["a,b,y\\n0,1,no\\n1,0,yes\\n"], "points.csv"));
          const drop = new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true });
          if (document.querySelector(".room").dispatchEvent(drop)) throw new Error("the browser would open the file");
        }"""
    )
    page.get_by_role("button", name="Open", exact=True).click()
    expect_verdict(page, "Completely separable")
    assert page.inner_text("nav [aria-current]") == "Perceptron"


# -------------------------------------------------------------------------------------------------------------- gates


def test_a_gate_by_one_neuron(enter: Any) -> None:
    page = enter("gates")
    for gate in ("OR", "NAND", "NOR", "NOT x1", "AND"):
        page.get_by_role("button", name=gate, exact=True).click()
        assert said(page) == f"This neuron computes {gate}."
    assert cells(page, 3) == ["0", "0", "0", "1"]
    scale = page.locator(".room .drawing").first.bounding_box()["width"] / 2.5  # pixels for one
    drag(page, ".handle.one.foot >> visible=true", (-0.5 * scale, 0.5 * scale))
    assert said(page) == "This neuron computes OR: 2 of 4 rows are as wanted."
    assert cells(page, 2) == ["0 < 0.5", "1 ≥ 0.5", "1 ≥ 0.5", "2 ≥ 0.5"]
    assert cells(page, 4) == ["0 ✓", "0 ✗", "0 ✗", "1 ✓"]
    drag(page, ".handle.one.tip >> visible=true", (-0.8 * scale, 0.8 * scale))  # w = (−1, −1)
    assert page.get_by_label("weight of x1", exact=True).first.input_value() == "-1"
    slide(page, "threshold θ", -1.5)
    assert said(page) == "This neuron computes NAND: 0 of 4 rows are as wanted."
    page.get_by_role("button", name="Put the weights back").click()
    assert said(page) == "This neuron computes AND."
    page.get_by_role("button", name="XOR", exact=True).click()
    assert said(page) == "This neuron computes OR: 3 of 4 rows are as wanted."
    assert "No weights do it" in page.inner_text(".room")


def test_xor_by_two_layers(enter: Any) -> None:
    page = enter("gates&show=XOR%20by%20two%20layers")
    assert said(page) == "This network computes XOR."
    assert cells(page, 2) == ["1 0", "1 1", "1 1", "0 1"]
    assert page.locator(".line.one, .line.two, .line.out").count() == 3
    page.locator(".handle.out.foot").focus()
    for _ in range(4):
        page.keyboard.press("Shift+ArrowLeft")
    assert said(page).startswith("This network computes 1, whatever comes in")
    page.get_by_role("button", name="Put the weights back").click()
    drag(page, ".handle.two.foot", (150, -150))  # the line of h2 goes beyond 1 1
    assert cells(page, 2)[1] == "1 0"
    assert said(page).startswith("This network computes 0, whatever comes in: 2 of 4")


def test_gates_on_a_phone(enter: Any) -> None:
    page = enter("gates", **PHONE)
    page.get_by_role("button", name="OR", exact=True).tap()
    scale = page.locator(".room .drawing").first.bounding_box()["width"] / 2.5
    finger(page, ".handle.one.foot >> visible=true", (0.5 * scale, -0.5 * scale))
    assert said(page) == "This neuron computes AND: 2 of 4 rows are as wanted."


# ----------------------------------------------------------------------------------------------------------- counting


def point(page: Any, i: int) -> tuple[float, float]:
    """Where point i is, in pixels."""
    return centre(page, f".room-slot:not([hidden]) .dot:nth-child({i + 1})")


def test_labelings_are_counted_as_points_move(enter: Any) -> None:
    page = enter("counting")
    assert said(page).startswith("32 of the 64 labelings of these 6 points are linear. The one shown is linear")
    assert page.locator(".gallery button").count() == 64
    assert page.locator(".gallery button:not(.not)").count() == 32
    page.get_by_role("button", name="A square").click()
    assert said(page).startswith("14 of the 16 labelings")
    page.get_by_role("button", name="+−−+, not linear").click()  # XOR
    assert said(page).endswith("The one shown is not: no line separates it.")
    assert page.locator(".room-slot:not([hidden]) .line.new").count() == 0
    page.locator(".gallery button:not(.not)").nth(3).click()
    assert page.locator(".room-slot:not([hidden]) .line.new").count() == 1
    page.keyboard.press("End")
    assert said(page).endswith("The one shown is not: no line separates it.")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert page.locator(".gallery button").nth(1).get_attribute("aria-pressed") == "true"
    assert page.locator(".gallery button[tabindex='0']").count() == 1
    assert page.evaluate("document.activeElement.ariaPressed") == "true"
    corners = [point(page, i) for i in range(4)]
    page.mouse.move(*corners[3])  # the fourth corner comes between two others
    page.mouse.down()
    page.mouse.move((corners[0][0] + corners[1][0]) / 2, (corners[0][1] + corners[1][1]) / 2, steps=6)
    page.mouse.up()
    assert said(page).startswith("12 of the 16 labelings")
    assert "Points 1, 2 and 4 lie on a line: not in general position." in page.inner_text(".room-slot:not([hidden])")
    page.get_by_role("button", name="A grid").click()
    grid = [[a, b] for a in range(3) for b in range(3)]
    assert said(page).startswith(f"{rb.cover.dichotomies(grid)} of the 512 labelings of these 9 points")
    assert page.locator(".gallery button").count() == 0


def test_points_for_counting_by_keys(enter: Any) -> None:
    page = enter("counting&show=Four%20points")
    page.locator(".room-slot:not([hidden]) .dot").first.focus()
    page.keyboard.press("n")
    assert "of the 32 labelings of these 5 points" in said(page)
    page.keyboard.press("Delete")
    assert said(page).startswith("14 of the 16 labelings of these 4 points are linear")
    page.keyboard.press("Home")
    before = point(page, 0)
    page.keyboard.press("ArrowRight")
    assert point(page, 0)[0] > before[0] + 5  # to the next line of the grid
    page.keyboard.press("c")
    assert "positive" in page.get_attribute(".room-slot:not([hidden]) .dot", "class")


def test_covers_curve(enter: Any) -> None:
    page = enter("counting", **PHONE)
    card = page.locator(".card", has_text="Cover’s curve")
    assert "P = 2N, the capacity: exactly half" in card.inner_text()
    slide(page, "weights N", 10)
    assert "P ≤ N: every labeling" in card.inner_text()
    slide(page, "points P", 40)
    assert "P = 4·N, above the capacity of 2N" in card.inner_text()
    assert "1,099,511,627,776" in card.inner_text()
    box = card.locator("svg.chart").bounding_box()
    page.mouse.click(box["x"] + box["width"] - 14, box["y"] + 60)
    assert page.get_by_role("slider", name="points P").input_value() in ("39", "40")
    page.touchscreen.tap(*point(page, 1))
    page.get_by_role("button", name="Delete the chosen point").tap()
    assert "of the 32 labelings of these 5 points" in said(page)


# ------------------------------------------------------------------------------------------------------------- losses


def test_the_walk_on_the_losses(enter: Any) -> None:
    page = enter("losses")
    assert said(page) == "After 120 steps E(w) went from 5.75 to 0; 0 of 6 points are on the wrong side."
    page.get_by_role("button", name="squared").click()
    page.get_by_role("button", name="all at once").click()
    assert "#room=losses&show=squared" in page.url
    slide(page, "step η", 0.5)  # 10^0.5
    assert "saying warns" in page.get_attribute(".room-slot:not([hidden]) .saying", "class")
    slide(page, "step η", -1)
    slide(page, "steps", 1)
    before = page.locator(".walk").get_attribute("d")
    drag(page, ".handle.start", (150, 60))
    assert page.locator(".walk").get_attribute("d") != before
    assert said(page).startswith("After 1 step E(w) went from")
    page.locator(".handle.start").focus()
    page.keyboard.press("ArrowUp")
    slide(page, "y·s", 2)
    assert cells(page, 2) == ["0", "0.5", "0.127"]
    assert cells(page, 3) == ["0", "−1", "0.119"]
    page.get_by_role("button", name="Overlapping").click()
    slide(page, "steps", 120)
    assert not said(page).endswith("; 0 of 6 points are on the wrong side.")


def test_six_bets_with_their_experiments(enter: Any) -> None:
    page = enter("losses")
    bets = page.locator(".bets > li")
    assert bets.count() == 6
    bets.nth(1).get_by_role("button", name="True").click()
    assert (
        bets.nth(1)
        .locator("[role=status]")
        .inner_text()
        .startswith("Wrong: it is false. The perceptron never ends there")
    )
    bets.nth(1).get_by_role("button", name="See it").click()
    assert page.get_by_role("button", name="Overlapping").get_attribute("aria-pressed") == "true"
    assert page.get_by_role("button", name="logistic").get_attribute("aria-pressed") == "true"
    bets.nth(4).get_by_role("button", name="False").click()
    assert bets.nth(4).locator("[role=status]").inner_text().startswith("Right: it is false.")
    bets.nth(4).get_by_role("button", name="See it").click()
    assert said(page).endswith("0 of 6 points are on the wrong side.")


def test_losses_by_finger(enter: Any) -> None:
    page = enter("losses&show=logistic", **PHONE)
    before = page.locator(".walk").get_attribute("d")
    finger(page, ".handle.start", (90, 50))
    moved = page.locator(".walk").get_attribute("d")
    assert moved != before
    box = page.locator(".room-slot:not([hidden]) .drawing").first.bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + 30)
    assert page.locator(".walk").get_attribute("d") != moved


# --------------------------------------------------------------------------------------------------------- regression


def test_regression_errs_where_the_perceptron_does_not(enter: Any) -> None:
    page = enter("regression")
    assert said(page) == (
        "A line separates these points, and the perceptron found one after 2 corrections. "
        "On the wrong side: least squares 2, LMS 2, logistic 0."
    )
    assert page.locator(".room-slot:not([hidden]) .line.rival").count() == 3
    page.get_by_role("checkbox", name="LMS").uncheck()
    assert page.locator(".room-slot:not([hidden]) .line.rival").count() == 2
    slide(page, "x1 of the two", 2)
    assert said(page).endswith("On the wrong side: least squares 0, LMS 0, logistic 0.")
    x, y = point(page, 7)
    page.mouse.move(x, y)
    page.mouse.down()
    left, bottom = point(page, 0)
    page.mouse.move(left - 20, bottom - 20, steps=8)  # a point of the right class among the left
    assert said(page).startswith("No line separates these points: the perceptron goes on for ever")
    page.mouse.move(x, y, steps=8)
    page.mouse.up()
    assert said(page).startswith("A line separates")
    page.get_by_role("button", name="Overlapping").click()
    assert said(page).startswith("No line separates")


def test_regression_on_a_phone(enter: Any) -> None:
    page = enter("regression&show=Two%20clouds", **PHONE)
    assert said(page).startswith("A line separates")
    box = page.locator(".room-slot:not([hidden]) .plane").bounding_box()
    page.touchscreen.tap(box["x"] + 20, box["y"] + box["height"] / 2)
    assert page.locator(".room-slot:not([hidden]) .dot").count() == 9
    assert said(page).startswith("No line separates")


# ------------------------------------------------------------------------------------------------------------ filters


def test_a_filter_learns_the_room_until_its_step_is_too_large(enter: Any) -> None:
    page = enter("filters")
    assert said(page) == "In the last quarter the error is at −26 dB of d."
    slide(page, "step η", -0.4)
    assert "the largest step that theory calls stable" in said(page)
    assert said(page).startswith("After ")
    page.get_by_role("button", name="NLMS").click()
    assert said(page).startswith("In the last quarter the error is at −2")
    slide(page, "step η", 2.4)
    assert "η = 2.4 is above 2, the largest step that theory calls stable." in said(page)
    page.get_by_role("button", name="RLS").click()
    page.get_by_role("button", name="coloured noise").click()
    assert said(page).startswith("In the last quarter the error is at −2")
    slide(page, "taps", 3)
    assert page.locator(".tap").count() == 3
    slide(page, "taps", 20)
    slide(page, "sample n", 0)
    assert page.get_by_label("The weights at sample 0").count() == 1
    box = page.locator(".room-slot:not([hidden]) svg.chart").first.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 50)
    assert int(page.get_by_role("slider", name="sample n").input_value()) in range(2000, 4000)
    page.get_by_role("button", name="Hear e").click()
    page.get_by_role("button", name="Watch it learn").click()
    page.wait_for_function("() => Number(document.querySelector('[aria-label=\"sample n\"]').value) < 1000")
    slide(page, "sample n", 6000)


def test_filters_on_a_phone(enter: Any) -> None:
    page = enter("filters&show=RLS", **PHONE)
    page.get_by_role("button", name="plucked notes").tap()
    slide(page, "noise", 0)
    assert "done" in page.get_attribute(".room-slot:not([hidden]) .saying", "class")


# ------------------------------------------------------------------------------------------------------- every room


@pytest.mark.some(8)
@pytest.mark.parametrize("place", ["perceptron", *ROOMS, "gates&show=XOR by two layers", "perceptron&embed=figure"])
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_axe_finds_nothing_at_all(enter: Any, place: str, width: int, scheme: str) -> None:
    """And no room is wider than the page."""
    if not AXE.is_file():
        pytest.skip("axe-core is not installed (cd lab-ui && npm ci)")
    page = enter(place, viewport={"width": width, "height": 800}, color_scheme=scheme, bypass_csp=True)
    page.evaluate(AXE.read_text(encoding="utf-8"))
    if place == "perceptron":
        page.get_by_role("button", name="See the proof").click()
    assert "embed" in place or page.evaluate("document.documentElement.scrollWidth") <= width
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
    assert [(one["id"], one["nodes"][0]["html"][:100]) for one in found] == []
