"""Tables larger than what is drawn: a sample is shown, the verdict is about all rows; and sheets."""

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
