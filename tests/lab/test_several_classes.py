"""A table with three or more classes in the lab: one against the rest, and a menu that says which one."""

from pathlib import Path
from typing import Any

import numpy as np
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
    table = read_upload(flowers).packed("species")
    file.write_text(standalone(table=table), encoding="utf-8")
    opened = visit(file.as_uri(), offline=True)
    expect(opened, "virginica")
    opened.select_option("[data-name=positive]", label="setosa")
    expect(opened, "setosa")


def test_three_classes_are_seen_together(alone: Any, flowers: Path) -> None:
    alone.set_input_files("input[type=file]", flowers)
    alone.wait_for_selector("dialog[open]")
    alone.get_by_role("button", name="Open", exact=True).click()
    expect(alone, "virginica")
    marks = alone.evaluate(
        "[...document.querySelectorAll('.dot')].map((dot) => [dot.getAttribute('d'), dot.ariaLabel])"
    )
    assert len({d for d, _ in marks}) == 3
    for name, k in (("setosa", 0), ("versicolor", 1), ("virginica", 2)):
        own = {d for (d, _), kind in zip(marks, IRIS.target, strict=True) if kind == k}
        assert len(own) == 1  # one mark a class, told by its name
        assert all(f"class {name}, " in label for (_, label), kind in zip(marks, IRIS.target, strict=True) if kind == k)
    assert alone.locator(".signs li").all_inner_texts()[:3] == ["class virginica", "class setosa", "class versicolor"]


def test_many_weights_are_a_chart_and_the_largest_a_table(alone: Any, tmp_path: Path) -> None:
    """The bars are the run's weights, scaled by the largest; the table has the columns of the three largest."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 12)).round(2)
    y = np.where(X @ rng.normal(size=12) > 0, "A", "B")
    names = [f"measurement of place {j}" for j in range(12)]
    rows = [f"{','.join(map(str, row))},{kind}" for row, kind in zip(X, y, strict=True)]
    (tmp_path / "wide.csv").write_text("\n".join([",".join([*names, "kind"]), *rows]))
    alone.set_input_files("input[type=file]", tmp_path / "wide.csv")
    alone.wait_for_selector("dialog[open]")
    alone.get_by_role("button", name="Open", exact=True).click()
    alone.wait_for_selector(".diagram[aria-label*='12 of 12 columns']")
    alone.locator(".view [type=checkbox], .card [type=checkbox]").first.uncheck()  # as they are, not scaled
    alone.wait_for_function("document.querySelector('.verdict .proved')")
    trace = rb.Perceptron(order="cyclic", average=False, trace=True).fit(X, y).trace_
    w = trace.weights_at(len(trace))[:12]
    alone.wait_for_function(
        "(k) => document.querySelector('.step-head').textContent.includes(`of ${k} `)", arg=len(trace)
    )
    bars = alone.locator(".diagram .new").evaluate_all("all => all.map((bar) => Number(bar.getAttribute('height')))")
    scale = max(np.abs(w).max(), np.abs(trace.weights_at(len(trace) - 1)[:12]).max())
    assert bars == pytest.approx((46 * np.abs(w) / scale).tolist(), abs=1e-6)
    shown = alone.locator(".weights th[scope=col]").evaluate_all("cells => cells.map((cell) => cell.title)")
    assert shown == [*(names[j] for j in sorted(np.argsort(-np.abs(w), kind="stable")[:3])), "1"]
