"""The lab in one file, on its own: no network, no Python; and what is shared from it and from the server."""

import re
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from rosenblatt.cli.app import main
from rosenblatt.lab.upload import read_upload
from rosenblatt.verdicts import checker
from tests.lab.test_browser import choose, counter, expect_verdict, open_table, places, press

CERTIFICATE = "Certificate (JSON) and its table (CSV)"


def drag(page: Any, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Take a point along; the button stays down."""
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=8)


def save(page: Any, name: str, folder: Path, files: int = 1) -> list[Path]:
    """Choose something in the Save menu, and keep what is downloaded."""
    found: list[Any] = []

    def keep(download: Any) -> None:
        found.append(download)

    page.on("download", keep)
    page.locator(".menu summary").click()
    press(page, name)
    for _ in range(500):
        if len(found) == files:
            break
        page.wait_for_timeout(20)
    page.remove_listener("download", keep)
    for one in found:
        one.save_as(folder / one.suggested_filename)
    return [folder / one.suggested_filename for one in found]


def expect_dialog(page: Any, title: str) -> None:
    page.wait_for_function("title => document.querySelector('dialog h2')?.textContent === title", arg=title)


# ----------------------------------------------------------------------------------------------------- by itself


def test_the_file_is_small_and_asks_for_nothing(file: Path) -> None:
    page = file.read_text(encoding="utf-8")
    assert len(page.encode()) < 300_000
    assert "default-src &#x27;none&#x27;" in page
    assert "connect-src" not in page


def test_verdicts_are_proved_while_a_point_is_dragged(visit: Any, file: Path) -> None:
    page = visit(file.as_uri(), offline=True)
    choose(page, "AND")
    expect_verdict(page, "Completely separable")
    assert page.inner_text(".verdict .proved") == "proved"
    facts = page.inner_text(".facts")
    assert "half the street\n0.353553" in facts.replace("\t", "\n")
    assert "mistake bound" in facts
    corners = places(page)
    middle = (corners[0][0] + corners[3][0]) / 2 - 60, (corners[0][1] + corners[3][1]) / 2 + 60
    drag(page, corners[3], middle)
    expect_verdict(page, "Overlapping")  # before the button is let go
    assert page.inner_text(".verdict .proved") == "proved"
    assert page.locator(".meeting").count() == 1
    page.mouse.move(*corners[3], steps=8)
    expect_verdict(page, "Completely separable")
    page.mouse.up()


def test_every_example_is_decided_without_python(visit: Any, file: Path) -> None:
    page = visit(file.as_uri(), offline=True)
    expected = {
        "Tiny margin": "Completely separable",
        "XOR": "Overlapping",
        "XOR with Φ": "Completely separable",
        "Touching": "Quasi-separable",
        "Ring": "Overlapping",
        "Stars and polygons": "Completely separable",
    }
    for name, words in expected.items():
        choose(page, name)
        expect_verdict(page, words)
        assert page.inner_text(".verdict .proved") == "proved"
    choose(page, "Regression errs")
    assert "least squares: 2 wrong" in page.text_content(".plane")
    choose(page, "Touching")
    assert "3 points" in page.inner_text(".facts")


def test_a_table_is_opened_without_python(visit: Any, file: Path, tmp_path: Path) -> None:
    page = visit(file.as_uri(), offline=True)
    table = tmp_path / "flowers.csv"
    table.write_text("width;height;kind\n1.5;0;rose\n2;1;rose\n0;2;iris\n")
    open_table(page, table)
    expect_verdict(page, "Completely separable")
    assert "3 rows, 2 features, classes iris and rose" in page.inner_text(".look")
    table.write_text("width,kind\n1\n")
    page.set_input_files("input[type=file]", table)
    page.wait_for_selector(".notice:not([hidden])")
    assert "row 1 has 1 cells, the header has 2" in page.inner_text(".notice")


def test_a_spreadsheets_table_is_read_as_python_reads_it(visit: Any, file: Path, tmp_path: Path) -> None:
    """Semicolons, decimal commas, percentages, and the letters of Windows."""
    table = tmp_path / "büro.csv"
    rows = [(0.5, 3, "Köln"), (1.25, 40, "Bonn"), (-2.0, 7, "Köln"), (12.75, 0, "Bonn")]
    text = "größe;anteil;ort\n" + "".join(f"{a};{b}%;{c}\n".replace(".", ",") for a, b, c in rows)
    table.write_bytes(text.encode("cp1252"))
    page = visit(file.as_uri())
    page.set_input_files("input[type=file]", table)
    page.get_by_text("4 rows · 2 columns of numbers · 1 of text").wait_for()
    page.get_by_role("button", name="Open", exact=True).click()
    page.locator(".look", has_text="4 rows, 2 features, classes Bonn and Köln").wait_for()
    shown = [label.split("at ")[1] for label in page.eval_on_selector_all(".dot", "d => d.map(x => x.ariaLabel)")]
    numbers = read_upload(table).numbers
    scaled = [(v - v.mean()) / v.std() for v in numbers.values()]
    assert [*numbers] == ["größe", "anteil"]
    assert [tuple(map(_number, one.split(", ")[:2])) for one in shown] == [
        tuple(round(float(v), 2) for v in point) for point in zip(*scaled, strict=True)
    ]


def _number(text: str) -> float:
    return round(float(re.findall(r"-?[\d.]+", text.replace("−", "-"))[0]), 2)


def test_a_step_is_what_its_sentence_says(visit: Any, file: Path) -> None:
    """The step in the table of weights is η times what the sentence names: σ(−y·s) or the error."""
    page = visit(file.as_uri())
    page.fill("[data-name=eta]", "0.25")
    page.locator("[data-name=eta]").blur()
    for learner, named in (
        ("logistic", r"σ\(−y·s\) = ([\d.]+), is multiplied by η, y and x"),
        ("adaline", r"y − s = (−?[\d.]+)"),
    ):
        page.select_option("[data-name=learner]", learner)
        page.locator("[aria-label='This correction']", has_text=re.compile(named)).wait_for()
        text = page.inner_text("[aria-label='This correction']")
        size, step = (
            _number(found) for found in (re.search(named, text)[1], re.search(r"([\d.]+) · \(x, 1\)", text)[1])
        )
        assert step == pytest.approx(0.25 * abs(size), abs=0.006)


def test_tables_that_would_be_misread_are_refused(visit: Any, file: Path, tmp_path: Path) -> None:
    page = visit(file.as_uri())
    table = tmp_path / "odd.csv"
    for text, words in (
        ("a,a,y\n1,2,x\n3,4,z\n", "odd.csv has two columns called “a”: rename one of them."),
        ("a,b,y\n1e308,1,x\n-1e308,2,z\n", "column “a” has a value above 1e+30, row 1, too far out for the lab."),
    ):
        table.write_text(text)
        page.set_input_files("input[type=file]", table)
        page.locator(".notice:not([hidden])", has_text=words).wait_for()


def test_a_table_of_three_features_gets_no_advice_for_the_plane(visit: Any, file: Path, tmp_path: Path) -> None:
    table = tmp_path / "three.csv"
    table.write_text("a,b,c,y\n0,0,0,x\n1,1,1,z\n2,2,2,x\n3,3,3,z\n")
    page = visit(file.as_uri())
    page.set_input_files("input[type=file]", table)
    page.get_by_role("button", name="Open", exact=True).click()
    page.locator(".odd", has_text="No hyperplane has every point strictly on its side, however long").wait_for()
    assert "Move a point" not in page.inner_text(".odd")


# --------------------------------------------------------------------------------------------------- certificates


@pytest.mark.some(2)
@pytest.mark.parametrize("example", ["AND", "Touching", "XOR", "XOR with Φ"])
def test_what_the_file_proves_holds_elsewhere(
    visit: Any, file: Path, tmp_path: Path, example: str, capsys: pytest.CaptureFixture[str]
) -> None:
    page = visit(file.as_uri(), offline=True)
    choose(page, example)
    certificate, table = save(page, CERTIFICATE, tmp_path, files=2)
    assert checker.main([str(certificate), str(table)]) == 0
    said = capsys.readouterr().out.splitlines()[0].removeprefix("holds: ")
    page.set_input_files("input[type=file]", [certificate, table])
    dialog = page.locator("dialog")
    expect_dialog(page, "The certificate holds")
    assert said in dialog.inner_text()
    dialog.get_by_role("button", name="Show the points").click()
    page.wait_for_selector(".verdict .proved")
    certificate.write_text(certificate.read_text().replace('"data_sha256": "', '"data_sha256": "0'))
    page.set_input_files("input[type=file]", certificate)
    expect_dialog(page, "A certificate")
    dialog.locator("input[type=file]").set_input_files(table)
    expect_dialog(page, "The certificate is not about this table")
    certificate.write_text("{}")
    dialog.get_by_role("button", name="Close").click()
    page.set_input_files("input[type=file]", [certificate, table])
    expect_dialog(page, "The certificate does not hold")


def test_files_can_be_dropped(visit: Any, file: Path, tmp_path: Path) -> None:
    page = visit(file.as_uri(), offline=True)
    certificate, table = save(page, CERTIFICATE, tmp_path, files=2)
    page.evaluate(
        """([certificate, table]) => {
          const files = new DataTransfer();
          files.items.add(new File([certificate], "proof.json"));
          files.items.add(new File([table], "points.csv"));
          document.querySelector(".lab").dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true }));
        }""",
        [certificate.read_text(), table.read_text()],
    )
    expect_dialog(page, "The certificate holds")


# --------------------------------------------------------------------------------------------------------- sharing


@pytest.fixture
def site(file: Path) -> Iterator[str]:
    """The file on a static site."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *words: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(file.parent)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/lab.html"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_shared_link_opens_in_a_fresh_browser(visit: Any, site: str) -> None:
    page = visit(site)
    choose(page, "XOR with Φ")
    page.locator(".transport input").fill("7")
    press(page, "Share…")
    address = page.input_value("dialog textarea")
    assert address.startswith(f"{site}#s=")
    other = visit(address)  # a context of its own: nothing is kept from the first
    expect_verdict(other, "Completely separable")
    assert counter(other) == (7, 29)
    assert other.input_value("[data-name=phi]") == "product"


def test_the_server_offers_a_file_and_what_to_append(visit: Any, site: str, tmp_path: Path) -> None:
    """Its own address is of no use to others."""
    page = visit()
    choose(page, "XOR with Φ")
    expect_verdict(page, "Completely separable")
    page.locator(".transport input").fill("7")
    press(page, "Share…")
    fragment = page.input_value("dialog textarea")
    assert fragment.startswith("#s=")
    assert "127.0.0.1" not in page.inner_text("dialog")
    with page.expect_download() as download:
        press(page, "Save as one file")
    download.value.save_as(tmp_path / "shared.html")
    for address in ((tmp_path / "shared.html").as_uri(), site + fragment):
        other = visit(address)
        expect_verdict(other, "Completely separable")
        assert counter(other) == (7, 29)


def test_a_file_saves_itself_with_other_points(visit: Any, file: Path, tmp_path: Path) -> None:
    page = visit(file.as_uri(), offline=True)
    choose(page, "XOR")
    (saved,) = save(page, "This lab (one HTML file)", tmp_path)
    assert abs(saved.stat().st_size - file.stat().st_size) < 2_000
    other = visit(saved.as_uri(), offline=True)
    expect_verdict(other, "Overlapping")
    choose(other, "OR")
    expect_verdict(other, "Completely separable")
    again = tmp_path / "again"
    again.mkdir()
    (second,) = save(other, "This lab (one HTML file)", again)
    third = visit(second.as_uri(), offline=True)
    expect_verdict(third, "Completely separable")


# ----------------------------------------------------------------------------------------------------- the command


def test_the_command_saves_a_table_into_the_file(
    visit: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, saved = tmp_path / "flowers.csv", tmp_path / "flowers.html"
    table.write_text("width,height,kind\n1,0,rose\n2,1,rose\n0,2,iris\n")
    assert main(["lab", str(table), "--target", "kind", "--save", str(saved)]) == 0
    assert capsys.readouterr().out == f"The lab is in {saved}: it needs nothing else, and opens in any browser.\n"
    page = visit(saved.as_uri(), offline=True)
    expect_verdict(page, "Completely separable")
    assert "classes iris and rose" in page.inner_text(".look")
    assert main(["lab", "--save", str(tmp_path / "no" / "lab.html")]) == 2
    assert "to write it into." in capsys.readouterr().err


def test_a_state_is_text_of_the_page_and_nothing_else() -> None:
    from rosenblatt.lab.page import of_state

    for bad in (b"", b"s=", b"s=</script>", b"x=1", "s=é".encode()):
        with pytest.raises(ValueError, match="not a state"):
            of_state(bad)
    assert b'"state":"s=abc-_1"' in of_state(b"s=abc-_1")
