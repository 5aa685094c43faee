"""Many outcomes on one table: the verdicts are those of `separability`, and a crash loses nothing."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import rosenblatt as rb
from rosenblatt.estimates import screening_files
from rosenblatt.estimates.estimating import estimate
from rosenblatt.estimates.screening import screen


@pytest.fixture(scope="module")
def table() -> tuple[np.ndarray, np.ndarray]:
    """Ages, a rare exposure and a factor of four levels; outcomes from common to very rare, some unknown."""
    rng = np.random.default_rng(3)
    n = 300
    level = rng.integers(0, 4, n)
    X = np.column_stack([rng.integers(20, 80, n), rng.random(n) < 0.03, level[:, None] == np.arange(1, 4)])
    Y = (rng.random((n, 12)) < np.linspace(0.4, 0.0, 12)).astype(float)
    Y[rng.random(Y.shape) < 0.05] = np.nan
    Y[:, 4] = X[:, 0] > 50
    return X.astype(float), Y


def test_each_outcome_is_decided_as_by_itself(table: tuple[np.ndarray, np.ndarray]) -> None:
    X, Y = table
    found = screen(X, Y, jobs=1)
    assert len(found.lines) == 12 * 6
    kinds = set()
    for k in range(12):
        some = [line for line in found.lines if line.outcome == f"y{k}"]
        known = ~np.isnan(Y[:, k])
        y = Y[known, k]
        assert (some[0].rows, some[0].positives) == (len(y), int(y.sum()))
        kinds.add(some[0].verdict)
        if len(set(y)) < 2:
            assert {line.verdict for line in some} == {"one class"}
            continue
        alone = rb.separability(X[known], y, coefficients=True, margin=False)
        assert {line.verdict for line in some} == {alone.kind}
        assert [line.fate for line in some] == [one.kind for one in alone.coefficients]
        assert len(some[0].certificate) == 64
    assert {"overlap", "quasi", "complete", "one class"} <= kinds


def test_processes_change_nothing(table: tuple[np.ndarray, np.ndarray]) -> None:
    X, Y = table
    assert str(screen(X, Y, jobs=2).lines) == str(screen(X, Y, jobs=1).lines)


SCRIPT = """
import numpy as np, rosenblatt as rb
print("begun")
X, Y = np.arange(12.0)[:, None], np.arange(24).reshape(12, 2) % 5 < 2
print(rb.screen(X, Y, jobs=2))
"""


def test_a_script_runs_once(tmp_path: Path) -> None:
    """Processes do not run the caller's script again, which would ask for processes in its turn."""
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["begun", "<Screening: 2 outcomes: 2 overlap>"]
    assert done.stderr == ""


def test_firth_is_the_table_of_estimates(table: tuple[np.ndarray, np.ndarray]) -> None:
    X, Y = table
    lines = screen(X, Y[:, [0]], firth=True, level=0.9, jobs=1).lines
    known = ~np.isnan(Y[:, 0])
    for line, one in zip(lines, estimate(X[known], Y[known, 0], level=0.9).coefficients, strict=True):
        assert one.firth is not None
        assert (line.estimate, line.lower, line.upper, line.p) == (
            one.firth.value,
            one.firth.lower,
            one.firth.upper,
            one.firth.p,
        )


@pytest.mark.parametrize("cut", [0, 1, 50, 400, 1500, 10**9])
def test_a_file_that_was_cut_is_gone_on_with(table: tuple[np.ndarray, np.ndarray], tmp_path: Path, cut: int) -> None:
    X, Y = table
    whole, broken = tmp_path / "whole.csv", tmp_path / "broken.csv"
    first = screen(X, Y, jobs=1, output=whole)
    broken.write_bytes(whole.read_bytes()[:cut])
    again = screen(X, Y, jobs=1, output=broken)
    assert broken.read_bytes() == whole.read_bytes()
    assert str(again.lines) == str(first.lines)


def test_a_file_of_somebody_else_is_refused(table: tuple[np.ndarray, np.ndarray], tmp_path: Path) -> None:
    (tmp_path / "notes.csv").write_text("name,age\nAda,36\n")
    with pytest.raises(ValueError, match="was not written by a screening"):
        screen(*table, jobs=1, output=tmp_path / "notes.csv")
    assert (tmp_path / "notes.csv").read_text() == "name,age\nAda,36\n"


def test_another_table_is_refused(table: tuple[np.ndarray, np.ndarray], tmp_path: Path) -> None:
    X, Y = table
    screen(X, Y[:, :2], jobs=1, output=tmp_path / "a.csv")
    with pytest.raises(ValueError, match="another table or other settings"):
        screen(X + 1, Y[:, :2], jobs=1, output=tmp_path / "a.csv")


def _killed(X: np.ndarray, Y: np.ndarray, folder: Path, output: str, enough: Callable[[], bool]) -> None:
    """Begin a screening in another process, and kill it as soon as there is enough of it."""
    np.savez(folder / "t.npz", X=X, Y=Y)
    code = (
        "import numpy as np; from rosenblatt.estimates.screening import screen; "
        f"t = np.load({str(folder / 't.npz')!r}); screen(t['X'], t['Y'], jobs=1, output={output!r})"
    )
    child = subprocess.Popen([sys.executable, "-c", code])
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and child.poll() is None and not enough():
        time.sleep(0.005)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()


def test_kill_9_loses_nothing(table: tuple[np.ndarray, np.ndarray], tmp_path: Path) -> None:
    X, Y = table
    Y, file = np.tile(Y[:, :4], 10), tmp_path / "o.csv"
    _killed(X, Y, tmp_path, str(file), lambda: file.exists() and file.stat().st_size > 3000)
    before = file.read_bytes()
    screen(X, Y, jobs=1, output=file)
    after = file.read_bytes()
    screen(X, Y, jobs=1, output=tmp_path / "fresh.csv")
    assert after == (tmp_path / "fresh.csv").read_bytes()
    assert before[:3000] == after[:3000]


def _parts(folder: Path) -> dict[str, bytes]:
    return {one.name: one.read_bytes() for one in folder.iterdir()}


def test_a_folder_of_parquet_parts(table: tuple[np.ndarray, np.ndarray], tmp_path: Path) -> None:
    X, Y = table
    found = screen(X, np.tile(Y, 2), jobs=1, output=f"{tmp_path}/parts/")
    assert sorted(_parts(tmp_path / "parts")) == ["part-000000.parquet", "part-000001.parquet"]
    read = pd.read_parquet(tmp_path / "parts")
    assert read.columns.tolist() == [one.name for one in fields(found.lines[0])]
    assert read["fate"].tolist() == [line.fate for line in found.lines]
    assert read["rows"].tolist() == [line.rows for line in found.lines]
    assert read["estimate"].isna().all()
    again = screen(X, np.tile(Y, 2), jobs=1, output=tmp_path / "parts")  # nothing is left to do
    assert str(again.lines) == str(found.lines)


@pytest.mark.parametrize("after", [0, 1])
def test_kill_9_leaves_whole_parts(table: tuple[np.ndarray, np.ndarray], tmp_path: Path, after: int) -> None:
    X, Y = table
    Y, folder = np.tile(Y[:, [0, 8]], 25), tmp_path / "parts"

    def enough() -> bool:
        return folder.is_dir() and len(list(folder.glob("*.parquet"))) >= after

    _killed(X, Y, tmp_path, f"{folder}/", enough)
    before = {name: content for name, content in _parts(folder).items() if name.endswith("parquet")}
    screen(X, Y, jobs=1, output=folder)
    screen(X, Y, jobs=1, output=f"{tmp_path}/fresh/")
    assert _parts(folder) == _parts(tmp_path / "fresh")
    assert all(_parts(folder)[name] == content for name, content in before.items())


def test_a_short_last_part_is_filled(table: tuple[np.ndarray, np.ndarray], tmp_path: Path, monkeypatch) -> None:
    """A part that ended early, as by an interrupted run, is written again in full."""
    X, Y = table
    Y = np.tile(Y[:, [0, 8]], 13)
    screen(X, Y, jobs=1, output=f"{tmp_path}/whole/")
    monkeypatch.setattr(screening_files, "OUTCOMES_A_PART", 3)
    screen(X, Y, jobs=1, output=f"{tmp_path}/short/")
    monkeypatch.undo()
    for part in sorted((tmp_path / "short").iterdir())[1:]:
        part.unlink()
    screen(X, Y, jobs=1, output=f"{tmp_path}/short/")
    assert _parts(tmp_path / "short") == _parts(tmp_path / "whole")


def test_other_folders_are_left_alone(table: tuple[np.ndarray, np.ndarray], tmp_path: Path) -> None:
    X, Y = table
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "letter.txt").write_text("dear")
    with pytest.raises(ValueError, match=r"has a file letter\.txt that no screening wrote"):
        screen(X, Y, jobs=1, output=folder)
    (folder / "letter.txt").rename(folder / "part-000000.parquet")
    with pytest.raises(ValueError, match=r"part-000000\.parquet is there and was not written by a screening"):
        screen(X, Y, jobs=1, output=folder)
    screen(X, Y[:, :2], jobs=1, output=f"{tmp_path}/a/")
    with pytest.raises(ValueError, match="another table or other settings: choose another folder"):
        screen(X + 1, Y[:, :2], jobs=1, output=f"{tmp_path}/a/")


def test_no_time_is_not_decided(table: tuple[np.ndarray, np.ndarray]) -> None:
    found = screen(table[0], table[1][:, :1], jobs=1, time_limit=0.0)
    assert {(line.verdict, line.fate, line.certificate) for line in found.lines} == {("unknown", "", "")}


def test_bad_input_is_one_sentence(table: tuple[np.ndarray, np.ndarray]) -> None:
    X, Y = table
    with pytest.raises(ValueError, match="outcome y0 has 3 different values"):
        screen(X[:3], [[0], [1], [2]])
    with pytest.raises(ValueError, match="as many rows"):
        screen(X, Y[:-1])
    with pytest.raises(ValueError, match="not a finite number"):
        screen(np.full_like(X, np.inf), Y)
    for more, sentence in (
        ({"outcomes": ["a"] * 12}, "two outcomes are called a: rename one of them"),
        ({"outcomes": ["a"]}, "outcomes must be 12 names, one for each column; there are 1"),
        ({"features": ["a"]}, "features must be 5 names, one for each column; there are 1"),
    ):
        with pytest.raises(ValueError, match=sentence):
            screen(X, Y, jobs=1, **more)
    with pytest.raises(ValueError, match="X has the text 'a' in row 0, column 'g'"):
        screen(pd.DataFrame({"g": ["a", "b"]}), [[0], [1]], jobs=1)


def test_outcomes_may_be_nullable() -> None:
    frame = pd.DataFrame({"flag": pd.array([True, None, False, True], dtype="boolean")})
    frame["count"] = pd.array([0, 1, None, 1], dtype="Int64")
    lines = screen(np.arange(4.0)[:, None], frame, jobs=1).lines
    assert [(line.outcome, line.rows, line.positives) for line in lines[::2]] == [("flag", 3, 2), ("count", 3, 2)]


def test_p_values_are_adjusted_over_the_outcomes():
    """Each coefficient's by itself: Holm's steps down and Benjamini and Hochberg's steps up, by their definitions."""
    r = np.random.default_rng(3)
    found = rb.screen(r.normal(size=(60, 2)), r.random((60, 5)) < 0.4, firth=True, jobs=1)
    table = found.frame()
    for name in ("x0", "x1", "(1)"):
        some = table[table["coefficient"] == name].sort_values("p")
        p, m = some["p"].to_numpy(), len(some)
        holm = [min(1.0, max((m - i) * p[i] for i in range(k + 1))) for k in range(m)]
        bh = [min(min(1.0, m * p[i] / (i + 1)) for i in range(k, m)) for k in range(m)]
        np.testing.assert_allclose(some["p_holm"], holm)
        np.testing.assert_allclose(some["p_bh"], bh)
    nothing = rb.screen(r.normal(size=(20, 1)), np.ones((20, 1)), jobs=1).adjusted()
    assert np.isnan(nothing["p_bh"]).all()
