"""The report in a real browser: sorting, the replay, dark mode, paper, a phone, saving the certificate; no error."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import rosenblatt as rb

AXE = Path(__file__).parents[2] / "lab-ui" / "node_modules" / "axe-core" / "axe.min.js"
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A report of two columns and one of many."""
    folder = tmp_path_factory.mktemp("reports")
    plane = rb.datasets.margin_cloud(50, 2, margin=0.02, random_state=2)
    wide = rb.datasets.margin_cloud(40, 6, margin=0.05, random_state=1)
    rb.report.write_report(folder / "plane.html", *plane, source="plane.csv")
    rb.report.write_report(folder / "wide.html", *wide)
    return {path.stem: path for path in folder.glob("*.html")}


@pytest.fixture
def visit(browser: Any, files: dict[str, Path]) -> Iterator[Any]:
    """Opens a report offline; afterwards nothing may have gone wrong."""
    complaints: list[str] = []
    contexts = []

    def open_page(name: str = "plane", **options: Any) -> Any:
        context = browser.new_context(offline=True, accept_downloads=True, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda asked: asked.url.startswith(("file:", "blob:")) or complaints.append(asked.url))
        page.goto(files[name].as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def _column(page: Any, table: str, column: int) -> list[str]:
    return page.locator(f"#{table} tbody tr > :nth-child({column})").all_inner_texts()


def _numbers(texts: list[str]) -> list[float]:
    return [float(text.replace("−", "-").replace(",", "")) for text in texts]


def test_tables_sort_both_ways_by_mouse_and_keyboard(visit: Any) -> None:
    page = visit()
    heading = page.locator("#rows-table thead th").nth(4)
    heading.locator("button").click()
    up = _numbers(_column(page, "rows-table", 5))
    assert up == sorted(up)
    assert heading.get_attribute("aria-sort") == "ascending"
    heading.locator("button").press("Enter")
    down = _numbers(_column(page, "rows-table", 5))
    assert down == sorted(up, reverse=True)
    assert heading.get_attribute("aria-sort") == "descending"
    page.locator("#rows-table thead button").nth(1).click()
    classes = _column(page, "rows-table", 2)
    assert classes == sorted(classes, key=int)
    assert heading.get_attribute("aria-sort") is None


@pytest.mark.parametrize("name", ["plane", "wide"])
def test_the_replay_steps_scrubs_and_plays_to_the_end(visit: Any, name: str) -> None:
    page = visit(name)
    words, slider = page.locator(".replay-words"), page.locator(".replay input")
    last = int(slider.get_attribute("max"))
    assert "Every example is on its side at the end" in words.inner_text()
    page.get_by_label("To the start").click()
    assert words.inner_text().startswith("The start, before the first of")
    page.get_by_label("One moment on").click()
    assert words.inner_text().startswith("Correction 1 of")
    before = page.locator(".replay-plane").inner_html()
    slider.press("ArrowRight")
    assert words.inner_text().startswith("Correction 2 of")
    assert page.locator(".replay-plane").inner_html() != before
    slider.fill(str(last - 8))
    page.locator(".replay select").select_option("30")
    page.get_by_role("button", name="Play").click()
    playwright.expect(slider).to_have_value(str(last), timeout=20_000)
    page.get_by_role("button", name="Play").wait_for()  # it has stopped by itself
    assert "Every example is on its side at the end" in words.inner_text()


def test_play_can_be_paused(visit: Any) -> None:
    page = visit("wide")
    page.clock.install()
    page.locator(".replay select").select_option("2")
    page.get_by_role("button", name="Play").click()
    page.clock.run_for(600)
    playwright.expect(page.locator(".replay input")).to_have_value("1")
    page.get_by_role("button", name="Pause").click()
    shown = page.locator(".replay-words").inner_text()
    page.clock.run_for(700)
    assert page.locator(".replay-words").inner_text() == shown


def test_rings_are_those_of_the_wrong_examples(visit: Any) -> None:
    page = visit()
    content = json.loads(page.locator(".replay-data").text_content())
    assert len(content["k"]) > 4
    page.get_by_label("To the start").click()
    for moment in range(4):
        rings = page.evaluate("[...document.querySelectorAll('.ring:not(.now)')].filter(r => !r.style.display).length")
        assert rings == content["errors"][moment]
        page.get_by_label("One moment on").click()


def test_dark_mode_changes_every_colour(visit: Any) -> None:
    def colours(page: Any) -> list[str]:
        return page.evaluate(
            "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color, "
            "getComputedStyle(document.querySelector('.pictures text')).fill, "
            "getComputedStyle(document.querySelector('.replay .positive')).fill]"
        )

    light, dark = colours(visit(color_scheme="light")), colours(visit(color_scheme="dark"))
    assert light[0] == "rgb(255, 255, 255)"
    assert dark[0] == "rgb(20, 24, 29)"
    assert all(a != b for a, b in zip(light, dark, strict=True))


def test_paper_is_white_and_has_no_buttons(visit: Any) -> None:
    page = visit(color_scheme="dark")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator(".replay-controls").is_visible()
    assert not page.locator("button.save").is_visible()
    assert page.locator("#rows-table tbody tr:visible").count() == 30
    assert page.pdf(format="A4")[:5] == b"%PDF-"


@pytest.mark.parametrize("width", [320, 375, 1100])
def test_nothing_is_wider_than_the_screen(visit: Any, width: int) -> None:
    page = visit("wide", viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    small = page.evaluate(
        "[...document.querySelectorAll('.replay-controls button, button.save')]"
        ".map(b => b.getBoundingClientRect()).filter(r => r.width < 24 || r.height < 24).length"
    )
    assert small == 0


def test_the_certificate_can_be_saved_and_holds(visit: Any, tmp_path: Path) -> None:
    page = visit()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save plane.cert.json").click()
    assert download.value.suggested_filename == "plane.cert.json"
    download.value.save_as(tmp_path / "plane.cert.json")
    X, y = rb.datasets.margin_cloud(50, 2, margin=0.02, random_state=2)
    assert rb.Certificate.load(tmp_path / "plane.cert.json").verify(X, y).startswith("complete")


def test_everything_has_a_name_and_the_headings_are_in_order(visit: Any) -> None:
    page = visit("wide")
    nameless = page.evaluate(
        "[...document.querySelectorAll('button, a, select, input')]"
        ".filter(e => !(e.innerText.trim() || e.ariaLabel || e.closest('label')?.innerText.trim())).length"
    )
    assert nameless == 0
    assert page.locator("h1").count() == 1
    assert page.locator("main h2").count() == page.locator("main section").count() == 10
    assert page.get_attribute("html", "lang") == "en"


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not there: npm ci in lab-ui")
@pytest.mark.parametrize(("width", "scheme"), [(375, "dark"), (1100, "light")])
def test_axe_finds_nothing(visit: Any, width: int, scheme: str) -> None:
    page = visit("wide", color_scheme=scheme, viewport={"width": width, "height": 800}, bypass_csp=True)
    page.add_script_tag(path=str(AXE))
    assert [found["id"] for found in page.evaluate("axe.run()")["violations"]] == []


def test_without_javascript_the_rest_is_there(visit: Any) -> None:
    page = visit(java_script_enabled=False)
    assert "proved" in page.locator("#verdict").inner_text()
    assert "The replay needs JavaScript" in page.locator("#run").inner_text()
    assert page.locator("#rows-table tbody tr").count() == 50
