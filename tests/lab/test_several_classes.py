"""A table with three or more classes in the lab: one against the rest, and a menu that says which one."""

from pathlib import Path
from typing import Any

import pytest
from sklearn.datasets import load_iris

import rosenblatt as rb
from rosenblatt.lab.page import standalone
from rosenblatt.lab.upload import read_upload
from tests.lab.test_browser import expect_verdict

IRIS = load_iris()
KINDS = IRIS.target_names.tolist()


@pytest.fixture(scope="module")
def flowers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("table") / "iris.csv"
    rows = [f"{','.join(map(str, row))},{KINDS[k]}" for row, k in zip(IRIS.data, IRIS.target, strict=True)]
    file.write_text("\n".join(["sepal length,sepal width,petal length,petal width,species", *rows]))
    return file


@pytest.fixture
def alone(visit: Any, file: Path) -> Any:
    """The lab in one file."""
    return visit(file.as_uri(), offline=True)


def kind(positive: str) -> str:
    """What Python says of one class against the rest."""
    labels = [1 if KINDS[k] == positive else -1 for k in IRIS.target]
    return str(rb.separability(IRIS.data, labels).kind)


def positives(page: Any) -> int:
    return int(page.locator(".dot.positive").count())


def expect(page: Any, positive: str) -> None:
    words = f"3 classes: {positive} is +1, the rest are −1."
    page.wait_for_function("(words) => document.querySelector('.look').textContent.endsWith(words)", arg=words)
    complete = kind(positive) == "complete"
    expect_verdict(page, "Completely separable" if complete else "Overlapping")
    assert positives(page) == 50
    assert page.inner_text(".classes .positive") == positive
    assert page.inner_text(".classes .negative") == f"not {positive}"


@pytest.mark.parametrize("home", ["server", "file"])
def test_one_class_against_the_rest_and_a_menu_for_which(
    visit: Any, request: pytest.FixtureRequest, flowers: Path, home: str
) -> None:
    page = visit() if home == "server" else request.getfixturevalue("alone")
    page.set_input_files("input[type=file]", flowers)
    page.wait_for_selector("dialog[open]")
    said = page.locator("dialog [role=status]")
    assert said.inner_text() == "3 classes: virginica is +1, the rest are −1."
    page.select_option("#lab-positive", label="setosa")
    assert said.inner_text() == "3 classes: setosa is +1, the rest are −1."
    page.get_by_role("button", name="Open", exact=True).click()
    expect(page, "setosa")
    for positive in ("versicolor", "virginica"):
        page.select_option("[data-name=positive]", label=positive)
        expect(page, positive)
    page.get_by_role("button", name="Undo").click()
    expect(page, "versicolor")
    assert page.locator("[data-name=positive] option:checked").inner_text() == "versicolor"


def test_a_class_that_was_changed_by_hand_stays_changed(alone: Any, flowers: Path) -> None:
    alone.set_input_files("input[type=file]", flowers)
    alone.get_by_role("button", name="Open", exact=True).click()
    expect(alone, "virginica")
    alone.select_option("[data-name=kind]", "pair")
    alone.locator(".dot").first.focus()  # a setosa
    alone.keyboard.press("c")
    assert positives(alone) == 51
    alone.select_option("[data-name=positive]", label="setosa")
    alone.wait_for_function("() => document.querySelectorAll('.dot.positive').length === 49")
    alone.select_option("[data-name=positive]", label="virginica")
    alone.wait_for_function("() => document.querySelectorAll('.dot.positive').length === 51")


def test_two_classes_have_no_such_menu(alone: Any, tmp_path: Path) -> None:
    table = tmp_path / "two.csv"
    table.write_text("a,b,y\n0,0,no\n1,1,yes\n2,1,yes\n")
    alone.set_input_files("input[type=file]", table)
    alone.wait_for_selector("dialog[open]")
    assert alone.locator("dialog [role=status]").inner_text() == ""
    alone.get_by_role("button", name="Open", exact=True).click()
    expect_verdict(alone, "Completely separable")
    assert alone.locator("[data-name=positive]").count() == 0


def test_a_table_of_the_command_line_has_the_menu_too(visit: Any, flowers: Path, tmp_path: Path) -> None:
    file = tmp_path / "iris.html"
    table = read_upload(flowers.read_bytes(), "iris.csv").packed("species")
    file.write_text(standalone(table=table), encoding="utf-8")
    opened = visit(file.as_uri(), offline=True)
    expect(opened, "virginica")
    opened.select_option("[data-name=positive]", label="setosa")
    expect(opened, "setosa")
