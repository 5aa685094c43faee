"""The proof, to be touched: mixtures that meet, whole numbers, a changed digit; and the atlas of a point."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.verdicts import checker
from tests.lab.conftest import Ask
from tests.lab.test_browser import choose, press


def cells(page: Any, row: str) -> list[int]:
    texts = page.locator(f".ledger {row} td").all_inner_texts()
    return [int(text.replace("−", "-").replace(" ", "")) for text in texts]


def gap(page: Any) -> float:
    """How far the mixtures are from each other, in pixels."""
    return float(page.evaluate("(() => document.querySelector('.gap-line').getTotalLength())()"))


def test_mixtures_are_moved_until_they_are_one_point(visit: Any, file: Path) -> None:
    page = visit(file.as_uri(), offline=True)
    choose(page, "XOR")
    press(page, "See the proof")
    assert gap(page) > 50
    press(page, "Bring the mixtures together")
    assert gap(page) < 0.5
    page.get_by_role("slider", name="λ of point 1").fill("0.1")
    assert gap(page) > 20
    assert cells(page, "tr.holds") == [0, 0, 0]
    rows = [cells(page, f"tbody tr:nth-child({k})") for k in range(1, 5)]
    assert np.sum(rows, axis=0).tolist() == [0, 0, 0]
    press(page, "Change one digit")
    assert cells(page, "tr.fails") == [0, 0, -1]
    assert "The checker refuses it:" in page.inner_text(".touching [role=status]")
    press(page, "Put it back")
    assert cells(page, "tr.holds") == [0, 0, 0]


def test_each_row_has_its_whole_number(visit: Any, file: Path) -> None:
    page = visit(file.as_uri(), offline=True)
    choose(page, "AND")
    press(page, "See the proof")
    numbers = page.locator(".ledger tbody td:nth-child(2)").all_inner_texts()
    assert len(numbers) == 4
    assert all(int(one.replace(" ", "")) > 0 for one in numbers)
    press(page, "Change one digit")
    assert "The checker refuses it:" in page.inner_text(".touching [role=status]")
    assert page.locator(".ledger tr.fails").count() > 0
    press(page, "See the proof")
    assert page.locator(".run").is_visible()


def table(seed: int) -> str:
    """Rows that one column decides, or several, or none; the first may mean nothing, and numbers may be long."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(4, 40)), int(rng.integers(1, 6))
    X = np.round(rng.normal(size=(n, p)) * 10.0 ** rng.integers(-4, 8, size=p), int(rng.integers(0, 6)))
    weights = rng.normal(size=p) * rng.choice([0.0, 1e-6, 1.0], size=p)
    weights[-1] = 1.0
    y = X @ weights > np.median(X @ weights)
    if seed % 3 == 0:
        y[0] = not y[0]
    names = [f"column {j} of a table" for j in range(p)]
    lines = [",".join([*map(repr, row), "yes" if label else "no"]) for row, label in zip(X.tolist(), y, strict=True)]
    return "\n".join([",".join([*names, "answer"]), *lines])


@pytest.mark.some(3)
@pytest.mark.parametrize("seed", range(8))
def test_one_changed_digit_is_refused_whatever_the_table(visit: Any, file: Path, tmp_path: Path, seed: int) -> None:
    page = visit(file.as_uri(), offline=True)
    (tmp_path / "any.csv").write_text(table(seed))
    page.set_input_files("input[type=file]", tmp_path / "any.csv")
    page.get_by_role("button", name="Open", exact=True).click()
    page.locator(".look", has_text="any.csv").wait_for()
    press(page, "See the proof")
    holding = page.locator(".ledger tr.holds")
    whole = holding.count()
    assert whole > 0
    assert page.locator(".ledger tr.fails").count() == 0
    press(page, "Change one digit")
    page.locator(".touching [role=status]", has_text="The checker refuses it:").wait_for()
    assert page.locator(".ledger tr.fails").count() > 0
    press(page, "Put it back")
    assert holding.count() == whole


def inside(polygon: list[list[float]], x: float, y: float) -> float:
    """The least signed distance to the sides of a convex polygon whose corners go round to the left: > 0 inside."""
    corners = np.array(polygon)
    sides = np.roll(corners, -1, axis=0) - corners
    away = np.array([x, y]) - corners
    return float(np.min((sides[:, 0] * away[:, 1] - sides[:, 1] * away[:, 0]) / np.hypot(*sides.T)))


@pytest.mark.parametrize("seed", range(12))
def test_the_atlas_says_where_a_line_exists(page: Ask, seed: int) -> None:
    random = np.random.default_rng(seed)
    X = np.round(random.uniform(-2, 2, size=(9, 2)), 1)
    y = np.where(X @ random.normal(size=2) > 0.2, 1, -1)
    if seed % 3 == 0:
        y[4] = -y[4]
    (polygon,) = page([{"act": "shadow", "X": X.tolist(), "y": y.tolist(), "i": 0, "far": 1000}])
    asked = 0
    for x in np.round(random.uniform(-3, 3, size=(25, 2)), 2):
        moved = np.vstack([x, X[1:]])
        if len(set(y.tolist())) < 2:
            continue
        separable = rb.separability(moved, y).kind == "complete"
        if polygon is None:
            assert not separable
        elif len(polygon) > 2 and abs(inside(polygon, *x)) > 1e-9:
            assert separable == (inside(polygon, *x) < 0), x
            asked += 1
    assert polygon is None or len(polygon) <= 2 or asked > 10


def test_the_atlas_is_drawn_for_the_chosen_point(visit: Any, file: Path) -> None:
    page = visit(file.as_uri(), offline=True)
    choose(page, "AND")
    press(page, "Atlas: where the chosen point may go")
    assert page.locator(".shadow").count() == 0
    page.locator(".dot").nth(3).focus()
    assert page.locator(".shadow").count() == 1


def test_what_a_run_has_found_is_proved_beyond_the_search(page: Ask) -> None:
    """Of more columns than the page searches, the run's own weights are checked in whole numbers."""
    usual = {"learner": "perceptron", "recipe": "own", "eta": 1, "order": "cyclic", "start": "zeros", "tie": "mistake"}
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = np.round(rng.normal(size=(40, 90)), 3) * 10.0 ** rng.integers(-6, 7)
        X[:, rng.integers(90)] = 0
        given = {"X": X.tolist(), "y": np.where(rng.random(40) < 0.5, 1, -1).tolist()}
        done, stopped = page(
            {"act": "own", **given, "settings": usual | {"normalize": True, "phi": "x", "limit": most, "rivals": []}}
            for most in (10_000, 1)
        )
        assert (done["kind"], stopped["kind"], stopped["certificate"]) == ("complete", "unknown", None)
        assert "complete" in checker.check(done["certificate"], **given)
        with pytest.raises(checker.DoesNotHold):
            checker.check(done["certificate"] | {"w": turned_round(done["certificate"]["w"])}, **given)


def turned_round(w: list[str]) -> list[str]:
    """The same weights, all the other way round."""
    return [one[1:] if one.startswith("-") else one if one == "0x0" else f"-{one}" for one in w]


def test_a_table_of_many_columns_shows_its_proof_or_says_why(visit: Any, file: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for rows, words in ((40, "is a whole number above zero"), (400, "No proof to show: these are more values than")):
        lines = [",".join([*map(str, np.round(rng.normal(size=100), 3)), rng.choice(["a", "b"])]) for _ in range(rows)]
        (tmp_path / "wide.csv").write_text("\n".join([",".join([f"c{j}" for j in range(100)] + ["y"]), *lines]))
        page = visit(file.as_uri(), offline=True)
        page.set_input_files("input[type=file]", tmp_path / "wide.csv")
        page.get_by_role("button", name="Open", exact=True).click()
        page.locator(".look", has_text=f"wide.csv: {rows} rows").wait_for()
        page.locator(".verdict-line:not(.muted)").wait_for()
        press(page, "See the proof")
        page.locator(".touching [role=status]", has_text=words).wait_for()
