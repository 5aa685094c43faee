"""Columns with roles: the same table at every door, whatever it is written in, has the same rows."""

import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rosenblatt as rb
from rosenblatt.data import Refused, open_table
from rosenblatt.data.roles import KINDS, role_columns, split_names

KIND_OF_FILE = ("csv", "semicolon", "tab", "latin", "nameless", "parquet", "arrow", "xlsx", "jsonl", "sqlite", "frame")


def written(frame: pd.DataFrame, kind: str, folder: Path) -> dict[str, Any]:
    """Write a frame as a file of some kind; returns what `open_table` must be told to read it."""
    folder.mkdir(exist_ok=True)
    if kind == "frame":
        return {"frame": frame}
    if kind == "semicolon":
        frame.to_csv(folder / "t.csv", index=False, sep=";", decimal=",")
        return {"path": folder / "t.csv", "delimiter": ";", "decimal": ","}
    if kind == "tab":
        frame.to_csv(folder / "t.tsv", index=False, sep="\t", na_rep="NA")
        return {"path": folder / "t.tsv", "na": ["NA"]}
    if kind == "latin":
        frame.to_csv(folder / "t.csv", index=False, encoding="latin-1")
        return {"path": folder / "t.csv", "charset": "latin-1"}
    if kind == "nameless":
        frame.to_csv(folder / "t.csv", index=False, header=False)
        return {"path": folder / "t.csv", "header": False}
    if kind == "sqlite":
        with sqlite3.connect(folder / "t.sqlite") as database:
            frame.to_sql("other", database, index=False)
            frame.to_sql("mine", database, index=False)
        return {"path": folder / "t.sqlite", "table": "mine"}
    if kind == "jsonl":
        frame.to_json(folder / "t.jsonl", orient="records", lines=True, double_precision=15)
    elif kind == "xlsx":
        frame.to_excel(folder / "t.xlsx", index=False)
    elif kind == "arrow":
        frame.to_feather(folder / "t.arrow")
    elif kind == "parquet":
        frame.to_parquet(folder / "t.parquet")
    else:
        frame.to_csv(folder / "t.csv", index=False)
    return {"path": next(folder.iterdir())}


def drawn(seed: int) -> pd.DataFrame:
    """A table with a feature, a factor, and a column for each of several roles; some values may be missing."""
    rng, n = np.random.default_rng(seed), 25
    frame = pd.DataFrame(
        {
            "x": rng.integers(-50, 50, n) / 4,
            "farm": rng.choice(["Köln", "Ulm", "Zürich"], n),
            "y": rng.integers(0, 9, n),
            "size": rng.integers(9, 20, n),
            "offset": rng.integers(-9, 9, n) / 8,
            "status": rng.integers(1, 3, n),
            "firm": rng.integers(100, 104, n),
            "year": rng.choice(["a", "b"], n),
        }
    )
    if seed % 3 == 0:
        frame.loc[rng.integers(0, n, 3), "offset"] = np.nan
    if seed % 5 == 0:
        frame.loc[rng.integers(0, n, 2), "x"] = np.nan
    return frame


@pytest.mark.some(44)
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("kind", KIND_OF_FILE)
def test_every_kind_of_file_has_the_same_columns(seed: int, kind: str, tmp_path: Path) -> None:
    """110 neighbours of one question; the oracle is the frame itself."""
    frame = drawn(seed)
    told = written(frame, kind, tmp_path / "f")
    names = list(frame) if kind != "nameless" else [f"c{k + 1}" for k in range(frame.shape[1])]
    called = dict(zip(frame, names, strict=True))
    roles: dict[Any, Any] = {"trials": called["size"], "offset": called["offset"]}
    roles["event"] = f"{called['status']}=2"
    roles["fixed_effects"] = [f"{called['firm']},{called['year']}"] if seed % 2 else [called["firm"], called["year"]]
    asked = {"target": called["y"], "roles": roles, "reads": {"target": "number"}}
    present = frame.dropna()
    if len(present) < len(frame):
        with pytest.raises(Refused, match="has missing values"):
            open_table(**told, **asked).arrays()
    table = open_table(**told, **asked, missing="drop")
    levels = sorted(present["farm"].unique())
    assert table.features == [called["x"], *(f"{called['farm']}={level}" for level in levels[1:])]
    expected = np.column_stack([present["x"], *(present["farm"] == level for level in levels[1:])])
    assert np.array_equal(table.X, expected.astype(float))
    assert table.row_numbers.tolist() == (present.index + 1).tolist()
    for role, name in {"target": "y", "trials": "size", "offset": "offset"}.items():
        assert np.asarray(table.column(role)).tolist() == present[name].tolist()  # type: ignore[arg-type]
    assert np.asarray(table.column("event")).tolist() == (present["status"] == 2).tolist()
    firm, year = map(np.asarray, table.column("fixed_effects") or ())
    assert (firm.tolist(), year.tolist()) == (present["firm"].tolist(), present["year"].tolist())
    assert (table.column("time"), table.left_out) == (None, len(frame) - len(present))


def test_a_name_with_a_comma_is_one_column() -> None:
    assert split_names(["a,b", "c", "d,e"], ["a,b", "c", "d", "e"]) == ["a,b", "c", "d", "e"]
    frame = pd.DataFrame({"a,b": [1.0, 2.0, 3.0], "a": [3, 1, 2], "b": [5, 6, 8], "y": [0, 1, 0]})
    assert open_table(frame=frame, target="y", features=["a,b"]).features == ["a,b"]
    assert open_table(frame=frame.drop(columns="a,b"), target="y", features=["b,a"]).features == ["b", "a"]


def test_a_flag_is_a_column_first() -> None:
    columns = ["status", "status=2"]
    assert role_columns("t", columns, {"event": "status=2"}, KINDS)[0][1:] == ("status=2", "flag", None)
    assert role_columns("t", columns, {"event": "status=1"}, KINDS)[0][1:] == ("status", "flag", "1")
    with pytest.raises(Refused, match='has no column "state"; did you mean "status"'):
        role_columns("t", columns, {"event": "state=1"}, KINDS)


REFUSED = {
    "no such value": ({"event": "s=7"}, 'column "s" never is "7"; its values are 1, 2'),
    "not 0 and 1": ({"event": "s"}, 'its values are 1, 2: say which one means yes, as in event="s=2"'),
    "text for a number": ({"trials": "g"}, '"g" is "a" in row 1; the column of the trials must hold numbers'),
    "no such column": ({"offset": "q"}, 'has no column "q"'),
    "no outcome": ({"outcomes": ["q*"]}, 'has no column that is called "q\\*"'),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name: str) -> None:
    roles, sentence = REFUSED[name]
    frame = pd.DataFrame({"s": [1, 2, 1], "g": ["a", "b", "a"], "x": [1.0, 2.0, 4.0]})
    with pytest.raises(Refused, match=sentence):
        open_table(frame=frame, roles=roles)  # type: ignore[arg-type]


def test_levels_of_rows_that_are_left_out_have_no_column() -> None:
    frame = pd.DataFrame({"g": ["a", "b", "c", "b"], "t": [np.nan, 1, 2, 3.0]})
    table = open_table(frame=frame, roles={"time": "t"}, missing="drop")
    assert table.features == ["g=c"]  # a is gone, and b is what others are measured against
    assert table.X.ravel().tolist() == [0, 1, 0]
    assert table.encoding.references == ["g=b"]


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_parquet_has_the_order_of_categories(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    order, file = ["low", "mid", "high"], tmp_path / "t.parquet"
    values = ["high", "low", "mid", "low"]
    if kind == "pandas":
        frame = pd.DataFrame({"s": pd.Categorical(values, categories=order, ordered=True), "y": [0, 1, 0, 1]})
        frame.to_parquet(file)
    else:
        polars = pytest.importorskip("polars")
        polars.DataFrame({"s": values, "y": [0, 1, 0, 1]}, schema_overrides={"s": polars.Enum(order)}).write_parquet(
            file
        )
    assert open_table(file, target="y").features == ["s=mid", "s=high"]
    assert open_table(file, target="s", roles={}).target_levels == order


def test_files_of_r(tmp_path: Path) -> None:
    pyreadr = pytest.importorskip("pyreadr")
    frame = pd.DataFrame({"x": [1.5, 2.5, 4.0], "y": ["no", "yes", "no"]})
    pyreadr.write_rds(str(tmp_path / "t.rds"), frame)
    table = open_table(tmp_path / "t.rds", target="y")
    assert (table.features, table.classes, table.X.ravel().tolist()) == (["x"], ("no", "yes"), [1.5, 2.5, 4.0])
    (tmp_path / "u.rds").write_bytes(b"no file of R")
    with pytest.raises(Refused, match="cannot be read as a file of R"):
        open_table(tmp_path / "u.rds", target="y")


def test_addresses_of_stores() -> None:
    fsspec = pytest.importorskip("fsspec")
    with fsspec.open("memory://bucket/t.csv", "w") as file:
        file.write("x,y\n1,0\n2,1\n")
    assert open_table("memory://bucket/t.csv", target="y").X.tolist() == [[1.0], [2.0]]
    with fsspec.open("memory://bucket/u.csv", "w") as file:
        file.write("x,y\n3,1\n")
    assert open_table("memory://bucket/[tu].csv", target="y").X.tolist() == [[1.0], [2.0], [3.0]]
    with pytest.raises(Refused, match=r"memory://bucket/\*\.json matches no file"):
        open_table("memory://bucket/*.json", target="y")
    with pytest.raises(Refused, match=r"memory://bucket/none\.csv cannot be fetched"):
        open_table("memory://bucket/none.csv", target="y")
    with pytest.raises(Refused, match=r"nowhere://b/t\.csv cannot be fetched"):
        open_table("nowhere://b/t.csv", target="y")


def test_frames_with_names_are_estimated_as_the_same_numbers() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"c": pd.Categorical(rng.choice(["u", "v", "w"], 80)), "x": rng.normal(size=80).round(3)})
    y = pd.DataFrame({"died": rng.integers(0, 2, 80)})
    dense = np.column_stack([frame["c"] == "v", frame["c"] == "w", frame["x"]]).astype(float)
    found, plain = rb.estimate(frame, y, firth=False), rb.estimate(dense, y["died"], firth=False)
    assert [one.name for one in found.coefficients] == ["c=v", "c=w", "x", "(1)"]
    assert [one.value for one in found.coefficients] == [one.value for one in plain.coefficients]
    assert found.outcome == "died = 1"
