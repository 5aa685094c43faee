"""On a projector, and what one takes along: keys that work everywhere, films, drawings, names of rows."""

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import rosenblatt.lab.server as server
from rosenblatt.cli import app
from tests.lab.test_rooms import centre


def saved(page: Any, label: str, path: Path) -> bytes:
    page.get_by_text("Save", exact=True).first.click()
    with page.expect_download() as waited:
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
