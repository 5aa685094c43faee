"""Columns in the names of folders are columns: none is lost, and none contradicts the files silently."""

import os
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt.data import open_table
from rosenblatt.data.readers.formats import columns_of_folders
from rosenblatt.data.refusal import Refused
from rosenblatt.data.tables.named_columns import read_columns


def write(file: Path, label: str, **columns: Any) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    table = pd.DataFrame({"x": range(4), **columns, "label": label})
    if file.suffix == ".csv":
        table.to_csv(file, index=False)
    else:
        table.to_parquet(file)
    return file


def two(folder: Path, column: str, one: str, other: str, ending: str = "parquet", **columns: Any) -> list[Path]:
    named = [folder / f"{column}={value}" / f"part.{ending}" for value in (one, other)]
    return [write(file, label, **columns) for file, label in zip(named, ("a", "b"), strict=True)]


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_what_separates_in_a_folder_s_name_is_seen(ending: str, tmp_path: Path) -> None:
    files = two(tmp_path / "hv", "year", "2023", "2024", ending)
    named = [files, f"{tmp_path}/hv/year=*/part.{ending}", f"{tmp_path}/hv/**/*.{ending}"]
    named += (
        [tmp_path / "hv", [tmp_path / "hv" / "year=2023", tmp_path / "hv" / "year=2024"]] if ending != "csv" else []
    )
    for data in named:
        table = open_table(data, target="label")
        X, y, _ = table.arrays()
        assert table.features == ["x", "year"]
        assert X[:, 1].tolist() == [2023.0] * 4 + [2024.0] * 4
        assert rb.separability(X, y).kind == "complete"


def test_relative_and_linked_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    two(tmp_path / "elsewhere", "year", "1", "2")
    (tmp_path / "hv").mkdir()
    for value in ("1", "2"):
        os.symlink(tmp_path / "elsewhere" / f"year={value}", tmp_path / "hv" / f"year={int(value) + 6}")
    monkeypatch.chdir(tmp_path)
    table = open_table(["hv/year=7/part.parquet", "elsewhere/../hv/year=8/part.parquet"], target="label")
    assert sorted(set(table.arrays()[0][:, 1])) == [7.0, 8.0]


@pytest.mark.parametrize(
    ("one", "other", "features", "values"),
    [
        ("01", "2", ["x", "k"], [1.0, 2.0]),
        ("1e3", "-2.5", ["x", "k"], [1000.0, -2.5]),
        ("north", "south", ["x", "k=south"], [0.0, 1.0]),
        ("a%2Fb", "c d", ["x", "k=c d"], [0.0, 1.0]),
        ("it's", '"q"', ["x", "k=it's"], [1.0, 0.0]),
        ("[x]", "*", ["x", "k=[x]"], [1.0, 0.0]),
        ("a=b", "a=c", ["x", "k=a=c"], [0.0, 1.0]),
        ("S%C3%A3o", "Łódź", ["x", "k=Łódź"], [0.0, 1.0]),
        ("true", "false", None, None),
    ],
)
@pytest.mark.parametrize("as_list", [False, True])
def test_values(one: str, other: str, features: Any, values: Any, as_list: bool, tmp_path: Path) -> None:
    files = two(tmp_path, "k", one, other)
    table = open_table(files if as_list else tmp_path, target="label")
    X, y, _ = table.arrays()
    rows = {bool(side > 0): value for side, value in zip(y, X[:, 1], strict=True)}
    assert len(set(X[:, 1])) == 2
    assert features is None or (table.features, [rows[False], rows[True]]) == (features, values)


@pytest.mark.parametrize("as_list", [False, True])
def test_dates_are_text_and_a_missing_value_is_missing(as_list: bool, tmp_path: Path) -> None:
    files = two(tmp_path / "d", "day", "2024-01-31", "2024-02-01")
    data: Any = files if as_list else tmp_path / "d"
    with pytest.raises(Refused, match='column "day" is text that holds dates: say dates='):
        open_table(data, target="label")
    assert open_table(data, target="label", categorical=["day"]).features == ["x", "day=2024-02-01"]
    assert open_table(data, target="label", dates={"day": "days"}).arrays()[0][7, 1] == 19754.0
    files = two(tmp_path / "m", "k", "__HIVE_DEFAULT_PARTITION__", "5")
    data = files if as_list else tmp_path / "m"
    with pytest.raises(Refused, match='column "k"'):
        open_table(data, target="label").arrays()
    assert open_table(data, target="label", missing="indicator").features == ["x", "k", "k is missing"]


def test_the_target_may_be_in_the_folders_names(tmp_path: Path) -> None:
    two(tmp_path, "class", "good", "bad")
    table = open_table(tmp_path, target="class", drop=["label"])
    assert table.classes == ("bad", "good")
    assert table.arrays()[1].tolist() == [-1] * 4 + [1] * 4  # bad comes first, by its folder's name


def test_one_folder_for_all_rows_is_said_and_can_be_asked_for(tmp_path: Path) -> None:
    file = two(tmp_path, "year", "2023", "2024")[1]
    both = pd.concat([pd.read_parquet(one) for one in sorted(tmp_path.rglob("*.parquet"))], ignore_index=True)
    both.to_parquet(file)
    for data in (file, file.parent, [file]):
        table = open_table(data, target="label")
        assert table.features == ["x"]
        assert "named by the folder and alike in all rows, so left out; 1 column (year)" in table.notes
        asked = open_table(data, target="label", features=["year", "x"])
        assert asked.arrays()[0][0].tolist() == [2024.0, 0.0]
    whole = open_table(tmp_path, target="label")
    alike = open_table(file, encoding=whole.encoding)
    assert alike.arrays()[0].tolist() == [[float(x % 4), 2024.0] for x in range(8)]
    assert set(read_columns(file)) == {"x", "label"}  # signals and concepts are what the file has


@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize("own", [2023, "2023", 2023.0, "02023"])
def test_a_file_may_repeat_what_its_folder_says(own: Any, ending: str, tmp_path: Path) -> None:
    files = two(tmp_path, "year", "2023", "2024", ending, year=own)
    with pytest.raises(
        Refused, match=r'part.*: its column "year" has "0?2023.*" in a row, and its folder .*year=2024 says'
    ):
        open_table(files, target="label")
    write(files[1], "b", year=type(own)(str(own).replace("3", "4")))
    assert [name.partition("=")[0] for name in open_table(files, target="label").features] == ["x", "year"]
    if ending == "parquet":
        assert open_table(tmp_path, target="label").features[0] == "x"
        write(files[1], "b", year=[None, *[own] * 3])
        with pytest.raises(Refused, match='its column "year" has'):
            open_table(tmp_path, target="label")


def test_files_that_do_not_fit_together(tmp_path: Path) -> None:
    files = two(tmp_path / "hv", "year", "1", "2")
    stray = write(tmp_path / "hv" / "stray.parquet", "a")
    for data in (tmp_path / "hv", [*files, stray]):
        with pytest.raises(
            Refused, match=r'year=1.* has a column "year" and .*stray.parquet has none: the files of one'
        ):
            open_table(data, target="label")
    write(stray, "a", z=1)
    with pytest.raises(Refused, match="has a column"):
        open_table(tmp_path / "hv", target="label")
    write(tmp_path / "f" / "1.parquet", "a")
    write(tmp_path / "f" / "2.parquet", "b", z=1)  # DuckDB would leave z out and say nothing
    with pytest.raises(Refused, match=r'2.parquet has a column "z" and .*1.parquet has none'):
        open_table(tmp_path / "f", target="label")
    twice = write(tmp_path / "k=1" / "k=2" / "t.parquet", "a")
    with pytest.raises(Refused, match='two of its folders say what the column "k" is, "1" and "2": rename one'):
        open_table(twice, target="label")
    bad = write(tmp_path / "k=%00" / "t.parquet", "a")
    with pytest.raises(Refused, match="is not UTF-8 text: rename it"):
        open_table(bad, target="label")


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=8), min_size=2, max_size=4)
)
def test_any_values_come_back(values: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for k, value in enumerate(values):
            file = write(Path(folder) / f"part={k}" / f"k={quote(value, safe='')}" / "t.parquet", f"{k}")
            assert columns_of_folders(file)["k"] == value
        found = read_columns(folder)
    assert found["part"].tolist() == [float(k) for k in range(len(values)) for _ in range(4)]
    assert ("k" in found) == (len(set(values)) > 1)
    if "k" in found and found["k"].dtype == object:
        assert [found["k"][4 * k] for k in range(len(values))] == values
