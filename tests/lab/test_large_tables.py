"""Tables larger than what is drawn: a sample is shown, the verdict is about all rows; and sheets."""

from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt.cli.app import main
from tests.lab.test_browser import expect_verdict

ROWS = 100_000


def write(path: Path, odd: bool) -> Path:
    """Points a line separates, but for one odd row that the sample leaves out."""
    random = np.random.default_rng(0)
    X = np.round(random.uniform(-1, 1, size=(ROWS, 2)), 3)
    X = X[np.abs(X[:, 0]) > 0.01]
    y = np.where(X[:, 0] > 0, "right", "left")
    if odd:
        X[12_345] = (0.9, 0.1)
        y[12_345] = "left"
    path.write_text("a,b,side\n" + "\n".join(f"{a},{b},{c}" for (a, b), c in zip(X, y, strict=True)))
    return path


def opened(page: Any, file: Path) -> None:
    page.set_default_timeout(60_000)
    page.set_input_files("input[type=file]", file)
    page.get_by_role("button", name="Open", exact=True).click()


@pytest.mark.some(2)
@pytest.mark.parametrize(("odd", "words"), [(False, "Completely separable"), (True, "Overlapping")])
@pytest.mark.parametrize("home", ["file", "server"])
def test_the_verdict_is_about_all_rows(
    visit: Any, file: Path, tmp_path: Path, odd: bool, words: str, home: str
) -> None:
    page = visit(file.as_uri() if home == "file" else None)
    opened(page, write(tmp_path / "big.csv", odd))
    page.locator(".look", has_text="10,000 rows of them, chosen evenly, are drawn and learned from").wait_for()
    assert "the verdict is about all" in page.inner_text(".look")
    page.locator(".verdict .proved").wait_for()
    expect_verdict(page, words)


def test_the_command_takes_it_too(visit: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    big, saved = write(tmp_path / "big.csv", True), tmp_path / "big.html"
    assert main(["lab", str(big), "--target", "side", "--save", str(saved)]) == 0
    capsys.readouterr()
    page = visit(saved.as_uri(), offline=True, wait=".look:not(:empty)")
    page.locator(".verdict .proved").wait_for(timeout=60_000)
    expect_verdict(page, "Overlapping")


@pytest.mark.some(1)
@pytest.mark.parametrize("classes", [2, 3])
def test_a_reload_and_a_saved_file_have_all_rows(visit: Any, file: Path, tmp_path: Path, classes: int) -> None:
    """The odd row, which the sample leaves out, decides: what keeps the sample alone would tell another verdict."""
    random = np.random.default_rng(classes)
    X = np.round(random.uniform(-1, 1, size=(30_000, 2)), 2) + 0.005
    y = np.array(["left", "right", "far right"])[(X[:, 0] > 0).astype(int) + ((X[:, 0] > 0.5) & (classes == 3))]
    X[12_346], y[12_346] = (0.905, 0.105), "left"
    lines = [f"{a:.3f},{b:.3f},{c}" for (a, b), c in zip(X.tolist(), y, strict=True)]
    (tmp_path / "big.csv").write_text("\n".join(["a,b,side", *lines]))
    page = visit(file.as_uri(), offline=True)
    opened(page, tmp_path / "big.csv")
    if classes == 3:
        page.select_option("[data-name=positive]", label="left")

    def told(page: Any) -> list[str]:
        page.locator(".look", has_text="the verdict is about all").wait_for()
        page.locator(".verdict .proved").wait_for(timeout=60_000)
        return [page.inner_text(one) for one in (".look", ".verdict", ".facts")]

    before = told(page)
    assert "Overlapping" in before[1]
    assert "On the rows drawn: no mistake is left" in before[1]
    page.wait_for_timeout(300)  # the address is written
    page.reload()
    assert told(page) == before
    page.get_by_role("button", name="See the proof").click()
    assert page.locator(".ledger", has_text="Σ").count() == 1  # of all rows: the sample has a line
    page.get_by_role("button", name="Share…").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as one file").click()
    saved.value.save_as(tmp_path / "saved.html")
    other = visit((tmp_path / "saved.html").as_uri(), offline=True, wait=".look:not(:empty)")
    assert told(other) == before


def test_a_sheet_is_read(visit: Any, file: Path, tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (["width", "height", "kind"], [1.5, 0, "rose"], [2, 1, "rose"], [0, 2.25, "iris"], [None, 1, "iris"]):
        sheet.append(row)
    book.save(tmp_path / "flowers.xlsx")
    for address in (file.as_uri(), None):
        page = visit(address)
        page.set_input_files("input[type=file]", tmp_path / "flowers.xlsx")
        page.get_by_text("3 rows · 2 columns of numbers · 1 of text · 1 row with empty cells left out").wait_for()
        page.get_by_role("button", name="Open", exact=True).click()
        page.locator(".look", has_text="flowers.xlsx: 3 rows, 2 features, classes iris and rose").wait_for()
        expect_verdict(page, "Completely separable")


def test_cells_of_a_sheet_are_what_they_show(visit: Any, file: Path, tmp_path: Path) -> None:
    """Dates are texts, errors are gaps, numbers are floats with all their digits; rows of nothing are none."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    days = [datetime(2024, 1, 31), datetime(2024, 2, 1, 12, 30)]
    for row in ([None] * 4, ["day", "size", "share", "kind"], [days[0], 1.1, 0.1 + 0.2, "rose"], [None] * 4):
        sheet.append(row)
    for row in ([days[1], 1e-7, 1 / 3, "iris"], [days[0], "#N/A", 0.5, "iris"], [days[1], 2**60, 7, True], [""] * 4):
        sheet.append(row)
    book.create_sheet("more").append([1, 2])
    book.save(tmp_path / "odd.xlsx")
    page = visit(file.as_uri())
    page.set_input_files("input[type=file]", tmp_path / "odd.xlsx")
    page.get_by_text("3 rows · 2 columns of numbers · 2 of text · 1 row with empty cells left out").wait_for()
    page.locator("#lab-target").select_option("day")
    assert page.locator("#lab-positive option").all_inner_texts() == ["2024-01-31", "2024-02-01 12:30:00"]
    page.get_by_role("button", name="Open", exact=True).click()
    page.locator(".look", has_text="odd.xlsx, the first of 2 sheets: 3 rows, 5 features").wait_for()


@pytest.mark.parametrize("content", [b"", b"PK", b"PK\x05\x06" + b"\xff" * 18, b"no zip at all" * 9])
def test_what_is_no_workbook_is_refused(visit: Any, file: Path, tmp_path: Path, content: bytes) -> None:
    page = visit(file.as_uri())
    (tmp_path / "odd.xlsx").write_bytes(content)
    page.set_input_files("input[type=file]", tmp_path / "odd.xlsx")
    page.locator(".notice:not([hidden])", has_text="odd.xlsx").wait_for()


def test_too_many_rows_are_refused_with_a_next_step(visit: Any, file: Path, tmp_path: Path) -> None:
    page = visit(file.as_uri())
    (tmp_path / "huge.csv").write_text("x,y\n" + "1,0\n" * 500_001)
    page.set_input_files("input[type=file]", tmp_path / "huge.csv")
    page.locator(
        ".notice:not([hidden])", has_text="“rosenblatt check” in a terminal takes tables of any size"
    ).wait_for()
