"""One table, one answer: text columns are coded in `data`, and the command line and Python say the same of them."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.cli.app import main
from rosenblatt.data import open_table
from rosenblatt.verdicts import checker

CODINGS = [(levels, second, True, 1) for levels, second in ((2, 0), (3, 0), (16, 0), (2, 3), (5, 4))]
CODINGS += [(3, 0, False, 1), (3, 4, False, 1), (3, 0, True, 2), (2, 2, False, 2)]


def write_table(file: Path, levels: int, second: int) -> list[dict[str, str]]:
    """A number, one or two factors, and an outcome that never is 1 on the factor's last level."""
    rng = np.random.default_rng(levels + 100 * second)
    rows = []
    for i in range(12 * levels):
        row = {"age": str(rng.integers(20, 90)), "centre": f"c{i % levels:02d}"}
        if second:
            row["sex"] = f"s{rng.integers(second)}"
        row["died"] = str(int(i % levels < levels - 1 and rng.random() < 0.5))
        rows.append(row)
    with open(file, "w", newline="") as out:
        writer = csv.DictWriter(out, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return rows


def rank(X: Any, intercept: bool) -> int:
    ones = np.ones((len(X), int(intercept)))
    return int(np.linalg.matrix_rank(np.hstack([X, ones])))


@pytest.mark.parametrize(("levels", "second", "intercept", "degree"), CODINGS)
def test_one_table_has_one_answer(
    levels: int, second: int, intercept: bool, degree: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "t.csv"
    rows = write_table(file, levels, second)
    options = ["--target", "died", "--degree", str(degree), "--json"] + ["--no-intercept"] * (not intercept)
    assert main(["check", str(file), *options, "--coefficients", "--certificate", str(tmp_path / "c.json")]) == 0
    said = json.loads(capsys.readouterr().out)
    table = open_table(file, target="died", intercept=intercept, degree=degree)
    verdict = rb.separability(table, fit_intercept=intercept, margin=False, coefficients=True)
    X, y, _ = table.arrays()
    plain = rb.separability(X, y, fit_intercept=intercept, margin=False, coefficients=True)
    fates = [(one["name"], one["kind"]) for one in said["coefficients"]]
    assert fates == [(one.name, one.kind) for one in verdict.coefficients or []]
    assert [kind for _, kind in fates] == [one.kind for one in plain.coefficients or []]
    assert said["references"] == table.encoding.references
    # by hand: a column for every value; the hyperplanes, and so the verdict, are the same
    names = [name for name in rows[0] if name not in ("age", "died")]
    every = [
        [float(row["age"])] + [float(row[n] == v) for n in names for v in sorted({r[n] for r in rows})] for row in rows
    ]
    if degree == 1:
        whole = np.array(every)
        assert rank(whole, intercept) == rank(X, intercept) == X.shape[1] + intercept, "nothing lost, nothing spare"
        assert rb.separability(whole, y, fit_intercept=intercept, margin=False).kind == verdict.kind == said["verdict"]
        assert all(kind != "not identified" for _, kind in fates)
    # and the proofs of both are about the file itself
    assert verdict.certificate is not None
    verdict.certificate.save(tmp_path / "python.json")
    for proof in ("c.json", "python.json"):
        assert checker.main([str(tmp_path / proof), str(file)]) == 0, capsys.readouterr().out


def test_the_fate_of_a_level_is_the_same_everywhere(tmp_path: Path) -> None:
    """The issue's table: no one died in centre c03."""
    rng = np.random.default_rng(7)
    rows = [(f"c{i % 12:02d}", int(i % 12 != 3 and rng.random() < 0.3), rng.normal()) for i in range(360)]
    file = tmp_path / "trial.csv"
    file.write_text("dose,centre,died\n" + "".join(f"{x:.3f},{c},{d}\n" for c, d, x in rows))
    table = open_table(file, target="died")
    verdict = rb.separability(table, coefficients=True)
    assert verdict.kind == "quasi"
    kinds = {one.name: one.kind for one in verdict.coefficients or []}
    assert kinds.pop("centre=c03") == "-inf"
    assert set(kinds.values()) == {"finite"}
    assert table.encoding.references == ["centre=c00"]
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(file).astype({"centre": "category"})
    again = rb.separability(open_table(frame=frame, target="died"), coefficients=True)
    assert [(a.name, a.kind) for a in again.coefficients or []] == [
        (a.name, a.kind) for a in verdict.coefficients or []
    ]
    with pytest.raises(ValueError, match=r"the text 'c00' in row 0, column 'centre': .*open_table\(frame="):
        rb.separability(frame[["dose", "centre"]], frame["died"])


def test_a_table_brings_its_labels(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("a,y\n1,u\n2,v\n3,w\n")
    table = open_table(file, target="y", positive="v")
    with pytest.raises(TypeError, match="has its own labels and weights"):
        rb.separability(table, [0, 1, 0])
    with pytest.raises(ValueError, match="has 3 classes: open it with positive="):
        rb.separability(open_table(file, target="y", multiclass=True))
    with pytest.raises(TypeError, match="y is missing"):
        rb.separability([[1.0], [2.0]])


def test_a_text_column_of_one_value_has_no_column(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("s,a,y\nu,1,0\nu,2,1\nu,3,0\n")
    table = open_table(file, target="y")
    assert (table.features, table.encoding.references) == (["a"], ["s=u"])
    assert rb.separability(table).kind == "overlap"
    alone = open_table(file, target="y", features=["s"])
    assert alone.arrays()[0].shape == (3, 0)
    assert rb.separability(alone).kind == "overlap"
