"""Undo, redo, Share and Save in every room beside the perceptron's, by real clicks and drags."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from pathlib import Path
from typing import Any

import pytest

from rosenblatt.lab.page import of_state
from tests.lab.test_rooms import drag, slide

ROOMS = ("theorem", "gates", "counting", "losses", "regression", "filters")


SEEN = """() => {
  const room = document.querySelector(".room-slot:not([hidden]) .room");
  if (!room) return "";
  const all = (selector, told) => [...room.querySelectorAll(selector)].map(told);
  return JSON.stringify([
    all(".saying, main table", (one) => one.textContent),
    all("main input", (one) => (one.type === "range" ? one.value : one.checked)),
    all("main .dot", (one) => one.getAttribute("transform") + one.getAttribute("d")),
    all("main .handle, main [aria-pressed]", (one) => [one.ariaLabel, one.ariaPressed]),
    all(".chart-box:not([hidden]) path.series, path.walk, path.tap", (one) => one.getAttribute("d")),
  ]);
}"""


def seen(page: Any) -> str:
    """All that a room shows: words, sliders, points, handles, curves."""
    return str(page.evaluate(SEEN))


def act(page: Any, room: str) -> list[str]:
    """Two things one does in a room; what is seen before, between and after."""
    looks = [seen(page)]
    acts = {
        "theorem": (lambda: drag(page, ".room .dot >> nth=2", (-60, -60)), lambda: press(page, "XOR")),
        "gates": (lambda: drag(page, ".handle.foot.one >> nth=0", (40, -20)), lambda: press(page, "OR")),
        "counting": (lambda: drag(page, ".room .dot >> nth=2", (-60, -60)), lambda: press(page, "A square")),
        "losses": (lambda: drag(page, ".handle.start", (50, 30)), lambda: slide(page, "step η", 0)),
        "regression": (lambda: drag(page, ".room .dot >> nth=0", (30, 40)), lambda: uncheck(page)),
        "filters": (lambda: press(page, "RLS"), lambda: slide(page, "taps", 5)),
    }
    for one in acts[room]:
        one()
        page.wait_for_timeout(150)  # charts beyond the screen wait until nothing changes
        looks.append(seen(page))
    assert len(set(looks)) == 3
    return looks


def press(page: Any, name: str) -> None:
    page.locator(".room-slot:not([hidden])").get_by_role("button", name=name, exact=True).click()


def uncheck(page: Any) -> None:
    page.get_by_role("checkbox", name="LMS").uncheck()


def expect(page: Any, look: str) -> None:
    """Charts beyond the screen are drawn a little later than the rest."""
    page.wait_for_function(f"(look) => ({SEEN})() === look", arg=look)


@pytest.mark.some(2)
@pytest.mark.parametrize("room", ROOMS)
def test_whatever_is_done_in_a_room_is_undone_and_redone(visit: Any, file: Path, room: str) -> None:
    page = visit(f"{file.as_uri()}#room={room}", wait=f"[aria-current][href='#room={room}']", offline=True)
    here = page.locator(".room-slot:not([hidden])")
    undo, redo = (here.get_by_role("button", name=name) for name in ("Undo", "Redo"))
    assert undo.is_disabled()
    assert redo.is_disabled()
    begun, between, after = act(page, room)
    undo.click()
    expect(page, between)
    page.keyboard.press("Control+z")
    expect(page, begun)
    assert undo.is_disabled()
    redo.click()
    page.keyboard.press("Control+y")
    expect(page, after)
    assert redo.is_disabled()
    page.get_by_role("link", name="Perceptron").click()  # a room is kept as it is left
    page.go_back()
    page.get_by_role("link", name=room.title(), exact=True).click()
    expect(page, after)


@pytest.mark.some(2)
@pytest.mark.parametrize("room", ROOMS)
def test_a_room_is_shared_and_saved_as_it_is(visit: Any, file: Path, tmp_path: Path, room: str) -> None:
    page = visit(f"{file.as_uri()}#room={room}", wait=f"[aria-current][href='#room={room}']", offline=True)
    *_, after = act(page, room)
    press(page, "Share…")
    code = page.input_value("dialog textarea")
    assert code.startswith(f"#room={room}&t=")
    page.get_by_role("button", name="Close").click()
    other = visit(f"{file.as_uri()}{code}", wait=f"[aria-current][href='#room={room}']", offline=True)
    expect(other, after)
    here = page.locator(".room-slot:not([hidden])")
    here.get_by_text("Save", exact=True).click()
    with page.expect_download() as waited:
        here.get_by_role("button", name="This lab (one HTML file)").click()
    saved = tmp_path / "saved.html"
    waited.value.save_as(saved)
    again = visit(saved.as_uri(), wait=f"[aria-current][href='#room={room}']", offline=True)
    expect(again, after)


def test_the_server_saves_a_room_too(visit: Any, lab: Any, tmp_path: Path) -> None:
    page = visit(lab.address)
    page.get_by_role("link", name="Gates").click()
    press(page, "NOR")
    look = seen(page)
    here = page.locator(".room-slot:not([hidden])")
    here.get_by_text("Save", exact=True).click()
    with page.expect_download() as waited:
        here.get_by_role("button", name="This lab (one HTML file)").click()
    saved = tmp_path / "saved.html"
    waited.value.save_as(saved)
    expect(visit(saved.as_uri(), wait="[aria-current][href='#room=gates']", offline=True), look)


def test_what_somebody_shared_opens_from_any_room(visit: Any, file: Path) -> None:
    page = visit(f"{file.as_uri()}#room=gates", wait="[aria-current][href='#room=gates']", offline=True)
    press(page, "NAND")
    press(page, "Share…")
    code = page.input_value("dialog textarea")
    page.get_by_role("button", name="Close").click()
    page.get_by_role("link", name="Perceptron").click()
    page.get_by_role("button", name="Share…").click()
    page.fill("dialog input", code)
    page.locator("dialog").get_by_role("button", name="Open").click()
    page.wait_for_selector("[aria-current][href='#room=gates']")
    assert page.locator("[aria-label=Gate] [aria-pressed=true]").inner_text() == "NAND"
    press(page, "Share…")
    page.fill("dialog input", "http://elsewhere/#x=1")
    page.locator("dialog").get_by_role("button", name="Open").click()
    page.wait_for_function(
        "() => document.querySelector('.refused').textContent.includes('not the address of a state')"
    )


def damaged(code: str) -> list[str]:
    """States that no room wrote: other kinds, numbers beyond all bounds, other lengths, names that do not exist."""
    text = code.split("t=")[1]
    state = json.loads(urlsafe_b64decode(text + "=" * (-len(text) % 4)))

    def variants(value: Any) -> list[Any]:
        if isinstance(value, dict):
            return [{**value, name: bad} for name, one in value.items() for bad in variants(one)] + [{}, None]
        if isinstance(value, list):
            return [[], value * 30, [None], *([[bad, *value[1:]] for bad in variants(value[0])] if value else [])]
        return [None, "x", 1e300, -1e300, 0.3, [], {}, "__proto__", True]

    return [urlsafe_b64encode(json.dumps(bad).encode()).decode().rstrip("=") for bad in variants(state)] + ["!", "AAAA"]


TAKEN = """async (hashes) => {
  window.requestAnimationFrame = (draw) => setTimeout(() => draw(performance.now()), 0); // each state is drawn
  for (const hash of hashes) {
    if (location.hash === hash) continue;
    const changed = new Promise((done) => addEventListener("hashchange", done, { capture: true, once: true }));
    location.hash = hash;
    await changed;
    await new Promise((done) => setTimeout(done, 1));
  }
}"""


@pytest.mark.some(2)
@pytest.mark.parametrize("room", ROOMS)
def test_a_damaged_state_breaks_nothing(visit: Any, file: Path, room: str) -> None:
    page = visit(f"{file.as_uri()}#room={room}", wait=f"[aria-current][href='#room={room}']", offline=True)
    press(page, "Share…")
    code = page.input_value("dialog textarea")
    page.get_by_role("button", name="Close").click()
    begun = seen(page)
    page.evaluate(TAKEN, [f"#room={room}&t={bad}" for bad in damaged(code)])
    page.evaluate("(hash) => { location.hash = hash }", code)  # the room still takes a sound one
    expect(page, begun)


def test_a_file_is_made_of_a_sound_state_only() -> None:
    assert b'"state":"room=gates&t=e30"' in of_state(b"room=gates&t=e30")
    for bad in (b"room=gates", b"room=Gates&t=e30", b"room=gates&t=</script>", b"room=gates&t=e30&s=1"):
        with pytest.raises(ValueError, match="not a state"):
            of_state(bad)
