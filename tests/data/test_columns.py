"""Columns as the user says they are: dates, orders, numbers, names of rows, means; and the frame of it all."""

import datetime
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt.data import Encoding, Refused, open_table
from rosenblatt.models.answers import answers
from rosenblatt.verdicts import checker

TEXT = """who,when,size,code,income,y
a1,2024-01-31,S,10,1.5,no
b2,2023-12-25,L,20,,yes
c3,1969-07-20,M,10,4.5,yes
d4,2024-02-29,S,30,2,no
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "t.csv").write_text(TEXT)
    return tmp_path / "t.csv"


def test_a_column_of_each_kind(file: Path) -> None:
    table = open_table(
        file,
        target="y",
        id="who",
        factors={"size": ["S", "M", "L"]},
        categorical=["code"],
        dates={"when": "days"},
        missing="mean",
    )
    assert table.features == ["when", "size=M", "size=L", "code=20", "code=30", "income"]
    assert table.encoding.references == ["size=S", "code=10"]
    frame = table.frame()
    assert frame.index.tolist() == ["a1", "b2", "c3", "d4"]
    assert frame.index.name == "who"
    assert frame["y"].tolist() == ["no", "yes", "yes", "no"]
    day = datetime.date(1970, 1, 1)
    days = [(datetime.date.fromisoformat(line.split(",")[1]) - day).days for line in TEXT.splitlines()[1:]]
    assert frame["when"].tolist() == days
    assert frame["income"].tolist() == [1.5, 8 / 3, 4.5, 2]
    means = "missing values are the mean, the nearest float; 1 column (income 2.66667)"
    assert table.notes == ["dates as days; 1 column (when)", means]
    assert Encoding.from_json(table.encoding.to_json()) == table.encoding


@pytest.mark.parametrize("part", ["year", "month", "day", "weekday", "hour", "days"])
def test_parts_of_dates(part: str, tmp_path: Path) -> None:
    moments = [
        datetime.datetime(2024, 2, 29, 13, 30),
        datetime.datetime(1969, 12, 31, 6),
        datetime.datetime(2000, 1, 1),
    ]
    frame = pd.DataFrame({"t": moments, "y": [0, 1, 1]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    expected = {
        "weekday": [m.isoweekday() for m in moments],
        "days": [(m - datetime.datetime(1970, 1, 1)) / datetime.timedelta(days=1) for m in moments],
    }.get(part) or [getattr(m, part) for m in moments]
    for name in ("t.csv", "t.parquet", "t.xlsx"):
        table = open_table(tmp_path / name, target="y", dates={"t": part})
        assert table.arrays()[0].ravel().tolist() == expected
    with pytest.raises(Refused, match="a date is taken as days, year"):
        open_table(tmp_path / "t.csv", target="y", dates={"t": "century"})
    (tmp_path / "t.csv").write_text("t,y\nyesterday,0\n2024-01-01,1\n")
    with pytest.raises(Refused, match="yesterday"):
        open_table(tmp_path / "t.csv", target="y", dates={"t": part}).arrays()


@settings(max_examples=25, deadline=None)
@given(st.lists(st.none() | st.decimals(-1000, 1000, places=2), min_size=3, max_size=8))
def test_the_mean_is_exact_up_to_one_rounding(values: list) -> None:
    import tempfile

    there = [Fraction(float(v)) for v in values if v is not None]
    if not there or len(there) == len(values):
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "t.csv"
        lines = [f"{'' if v is None else v},{k % 2}" for k, v in enumerate(values)]
        file.write_text("\n".join(["x,y", *lines]) + "\n")
        X = open_table(file, target="y", missing="mean").arrays()[0].ravel()
    mean = float(sum(there)) / len(there)
    assert X.tolist() == [mean if v is None else float(v) for v in values]


def test_names_have_no_mean(file: Path) -> None:
    file.write_text("x,y\na,0\n,1\nb,1\n")
    with pytest.raises(Refused, match=r"names have no mean: say missing=.indicator. or .drop."):
        open_table(file, target="y", missing="mean").arrays()


def test_the_order_must_name_all_values(file: Path) -> None:
    with pytest.raises(Refused, match='column "size" has "L", which is not in the order given'):
        open_table(file, target="y", factors={"size": ["S", "M"]}, drop=["income", "when", "who"]).arrays()


def test_texts_of_a_sheet_are_numbers_if_so_said(tmp_path: Path) -> None:
    pd.DataFrame({"x": ["001", "2,5", "7"], "y": [0, 1, 1]}).to_excel(tmp_path / "t.xlsx", index=False)
    assert open_table(tmp_path / "t.xlsx", target="y").features == ["x=2,5", "x=7"]
    assert open_table(tmp_path / "t.xlsx", target="y", numbers=["x"]).arrays()[0].ravel().tolist() == [1, 2.5, 7]
    pd.DataFrame({"x": ["a", "b", "c"], "y": [0, 1, 1]}).to_excel(tmp_path / "t.xlsx", index=False)
    with pytest.raises(Refused, match=r'column "x" is text because of row 1 \("a"\)'):
        open_table(tmp_path / "t.xlsx", target="y", numbers=["x"])


def test_rows_are_called_by_their_names(file: Path) -> None:
    told = {"target": "y", "id": "who", "features": ["code", "income"], "missing": "drop"}
    table = open_table(file, **told)
    assert table.ids.tolist() == ["a1", "c3", "d4"]
    assert open_table(file, target="y", features=["code"]).ids is None
    model = rb.Perceptron().fit(*table.arrays()[:2])
    block = next(answers(model, open_table(file, encoding=table.encoding, labels=False)))
    assert block.ids.tolist() == ["a1", "c3", "d4"]
    file.write_text(TEXT.replace("b2", "a1"))
    with pytest.raises(Refused, match='column "who" calls rows 1 and 2 both "a1"'):
        open_table(file, **told).ids  # noqa: B018
    file.write_text(TEXT.replace("b2", ""))
    with pytest.raises(Refused, match='row 2 has no name in column "who"'):
        open_table(file, **told).ids  # noqa: B018


def test_the_checker_knows_dates_and_means(file: Path, tmp_path: Path) -> None:
    for part in ("days", "month"):
        table = open_table(file, target="y", features=["when", "income"], dates={"when": part}, missing="mean")
        verdict = rb.separability(*table.arrays()[:2])
        verdict.certificate.about(table.encoding).save(tmp_path / "c.json")
        command = [sys.executable, checker.__file__, tmp_path / "c.json", file]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stdout + ran.stderr


def test_a_frame_of_sparse_rows(tmp_path: Path) -> None:
    (tmp_path / "t.svm").write_text("1 1:2.5\n0 2:1\n")
    frame = open_table(tmp_path / "t.svm").frame()
    assert np.array_equal(frame[["x1", "x2"]].to_numpy(), [[2.5, 0], [0, 1]])
    assert frame["label"].tolist() == ["1", "0"]
