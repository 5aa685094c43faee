"""On a projector, and what one takes along: keys that work everywhere, films, drawings, names of rows."""

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import rosenblatt.lab.server as server
from rosenblatt.cli import app
from tests.lab.test_browser import choose
from tests.lab.test_rooms import centre


def saved(page: Any, label: str, path: Path) -> bytes:
    page.get_by_text("Save", exact=True).first.click()
    with page.expect_download(timeout=40_000) as waited:  # a film takes its time on a busy machine
        page.get_by_role("button", name=label).click()
    waited.value.save_as(path)
    return path.read_bytes()


def test_a_speaker_has_large_type_and_keys_everywhere(visit: Any, file: Path) -> None:
    page = visit(f"{file.as_uri()}#present", offline=True, viewport={"width": 1280, "height": 720})
    assert page.locator(".more").is_hidden()
    size = "el => parseFloat(getComputedStyle(el).fontSize)"
    assert page.locator(".verdict-line").evaluate(size) >= 32
    assert page.locator(".plane text").first.evaluate(size) >= 17
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    assert page.inner_text(".counter").startswith("6 /")
    page.keyboard.press("PageUp")
    assert page.inner_text(".counter").startswith("5 /")
    page.keyboard.press("PageDown")
    assert page.inner_text(".counter").startswith("6 /")
    page.keyboard.press(",")
    assert page.inner_text(".counter").startswith("5 /")


CUT = """() => [...document.querySelectorAll("svg")].filter((svg) => svg.checkVisibility()).flatMap((svg) => {
  const box = svg.getBoundingClientRect();
  return [...svg.querySelectorAll("text")].filter((text) => text.checkVisibility()).filter((text) => {
    const { left, right, top, bottom } = text.getBoundingClientRect();
    return left < box.left - 1 || right > box.right + 1 || top < box.top - 2 || bottom > box.bottom + 2;
  }).map((text) => text.textContent);
})"""


@pytest.mark.some(5)
@pytest.mark.parametrize("room", ["", "room=theorem", "room=losses", "room=filters"])
@pytest.mark.parametrize("size", [(1280, 720), (1366, 768), (1920, 1080)], ids=str)
def test_a_projector_shows_everything_whole(visit: Any, file: Path, room: str, size: tuple[int, int]) -> None:
    wait = ".room h1" if room else ".verdict-line"
    address = f"{file.as_uri()}#{room}&present".replace("#&", "#")
    page = visit(address, wait=wait, offline=True, viewport={"width": size[0], "height": size[1]})
    page.wait_for_timeout(300)
    assert page.evaluate(CUT) == []
    links = page.locator("nav.rooms a").last.bounding_box()
    tools = page.locator("header .example").bounding_box() if not room else None
    assert tools is None or links["x"] + links["width"] <= tools["x"] or links["y"] + links["height"] <= tools["y"]


def test_words_in_a_square_picture_keep_their_size(visit: Any, file: Path) -> None:
    seen = set()
    for width, height in ((1280, 720), (1920, 1080)):
        address = f"{file.as_uri()}#room=theorem"
        page = visit(address, wait=".drawing.square", viewport={"width": width, "height": height})
        page.wait_for_timeout(300)
        seen.add(
            page.locator(".drawing.square text").first.evaluate("one => Math.round(one.getBoundingClientRect().height)")
        )
    assert len(seen) == 1


@pytest.mark.parametrize("size", [(1366, 768), (760, 1000)], ids=str)
def test_paper_keeps_the_shape_of_the_plane(visit: Any, file: Path, size: tuple[int, int]) -> None:
    page = visit(file.as_uri(), viewport={"width": size[0], "height": size[1]})
    before = page.locator(".plane").bounding_box()
    page.emulate_media(media="print")
    page.wait_for_timeout(300)
    after = page.locator(".plane").bounding_box()
    assert abs(after["width"] / after["height"] - before["width"] / before["height"]) < 0.02
    assert page.locator(".card:visible:not(:has(:visible))").count() == 0  # no empty frame


def test_the_atlas_says_what_it_waits_for(visit: Any, file: Path) -> None:
    page = visit(file.as_uri())
    page.get_by_role("button", name="Atlas").click()
    page.locator(".hint", has_text="choose a point to see where it may go").wait_for()
    page.mouse.click(*centre(page, ".dot >> nth=6"))
    page.locator(".shadow").wait_for()
    assert "no line is left with the chosen point in the tint" in page.inner_text(".hint")
    choose(page, "XOR")
    page.mouse.click(*centre(page, ".dot >> nth=0"))
    page.locator(".hint", has_text="no line is left with the chosen point in the tint").wait_for()
    choose(page, "XOR with Φ")
    assert page.get_by_role("button", name="Atlas").is_disabled()
    assert "choose a point" not in page.inner_text(".hint")


def test_the_command_asks_for_it(monkeypatch: Any, capsys: Any) -> None:
    def serve(listener: Any, table: Any, target: Any, opened: Any, arrived: Any) -> None:
        listener.close()
        opened("http://127.0.0.1:1/#key=abc")

    monkeypatch.setattr(server, "serve", serve)
    assert app.main(["lab", "--present", "--no-browser"]) == 0
    assert "http://127.0.0.1:1/#key=abc&present\n" in capsys.readouterr().out


def test_the_run_is_a_film_and_the_plane_a_drawing(visit: Any, file: Path, tmp_path: Path) -> None:
    page = visit(file.as_uri(), offline=True, accept_downloads=True)
    film = saved(page, "Film of the run (WebM)", tmp_path / "run.webm")
    assert film[:4] == b"\x1a\x45\xdf\xa3"  # Matroska, which WebM is
    assert len(film) > 10_000
    drawing = ElementTree.fromstring(saved(page, "Picture (SVG)", tmp_path / "plane.svg"))
    lines = [one for one in drawing.iter() if one.get("class", "").startswith("line new")]
    assert len(lines) == 1
    assert lines[0].get("stroke", "").startswith("rgb")
    assert len([one for one in drawing.iter() if one.get("class", "").startswith("dot")]) == 40


def test_a_point_under_the_mouse_is_named(visit: Any, file: Path) -> None:
    page = visit(file.as_uri(), offline=True)
    page.mouse.move(*centre(page, ".dot >> nth=6"))
    assert page.locator(".plane svg > title").text_content().startswith("Point 7, class ")


def test_a_column_that_separates_leads(visit: Any, file: Path, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("age,income,bought\n20,5,no\n30,1,no\n41,3,yes\n50,2,yes\n25,4,no\n")
    page = visit(file.as_uri(), offline=True)
    page.set_input_files("input[type=file]", table)
    page.get_by_role("button", name="Open", exact=True).click()
    page.wait_for_selector(".verdict-words:has-text('age alone separates: no exactly where age < 40.')")
    page.get_by_label("Scale columns", exact=False).click()
    page.wait_for_selector(".verdict-words:has-text('age alone separates: no exactly where age < 40.')")
