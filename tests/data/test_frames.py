"""Frames as people have them: what a column means is what pandas or polars means by it."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rosenblatt as rb
from rosenblatt.data import Refused, open_table

Y = [0, 1, 1, 0]


def rows(values: Any, **options: Any) -> tuple[list[str], list[list[float]]]:
    """The columns of X of a frame with this one feature, and its rows."""
    table = open_table(frame=pd.DataFrame({"a": values, "y": Y}), target="y", **options)
    return table.features, table.arrays()[0].tolist()


def test_a_category_is_names_in_its_own_order() -> None:
    sizes = pd.Categorical(["S", "L", "M", "S"], categories=["S", "M", "L", "XL"], ordered=True)
    assert rows(sizes) == (["a=M", "a=L"], [[0, 0], [0, 1], [1, 0], [0, 0]])
    assert rows(pd.Categorical([10, 9, 10, 2])) == (["a=9", "a=10"], [[0, 1], [1, 0], [0, 1], [0, 0]])
    assert rows(pd.cut([1, 2, 3, 4], [0, 2, 4]))[0] == ["a=(2, 4]"]
    enum = pl.DataFrame({"a": pl.Series(["S", "L", "M", "S"], dtype=pl.Enum(["S", "M", "L"])), "y": Y})
    assert open_table(frame=enum, target="y").features == ["a=M", "a=L"]


def test_columns_that_duckdb_does_not_know() -> None:
    assert rows(pd.arrays.SparseArray([0.0, 0.0, 1.5, 2.0])) == (["a"], [[0], [0], [1.5], [2]])
    assert rows(pd.period_range("2024-01", periods=4, freq="M"))[0] == ["a=2024-02", "a=2024-03", "a=2024-04"]
    assert rows(pd.interval_range(0, 4))[0] == ["a=(1, 2]", "a=(2, 3]", "a=(3, 4]"]
    assert rows(pd.Series([1, 2.5, None, np.int64(3)], dtype=object), missing="mean")[1][:2] == [[1], [2.5]]
    table = open_table(frame={"a": [1, 2, 3, 4], "y": Y}, target="y")
    assert table.arrays()[0].ravel().tolist() == [1, 2, 3, 4]


def test_the_frame_stays_as_it_is() -> None:
    frame = pd.DataFrame({"a": pd.Categorical([2, 1, 2, 1]), "b": [1, "x", 3, 4], "y": Y})
    before = frame.copy(deep=True)
    open_table(frame=frame, target="y", categorical=["b"]).arrays()
    pd.testing.assert_frame_equal(frame, before)


def test_names_that_are_numbers_and_one_name_alone() -> None:
    frame = pd.DataFrame(np.column_stack([np.arange(4), np.arange(4) ** 2, Y]))
    assert open_table(frame=frame, target=2, drop=[0]).features == ["1"]
    named = pd.DataFrame({"age": [1, 2, 3, -9], "city": [3, 1, 2, 3], "y": Y})
    assert open_table(frame=named, target="y", drop="age").features == ["city"]
    assert open_table(frame=named, target="y", na=[-9], missing="drop").n == 3


@pytest.mark.parametrize("missing", ["drop", "mean", "indicator"])
def test_nan_in_a_parquet_file_is_missing(missing: str, tmp_path: Path) -> None:
    values = [1.0, float("nan"), 3.0, 5.0]  # without a null: its statistics tell nothing of NaN
    pq.write_table(pa.table({"a": values, "y": Y}), tmp_path / "t.parquet")
    found = open_table(tmp_path / "t.parquet", target="y", missing=missing).arrays()[0].tolist()
    assert (
        found
        == {
            "drop": [[1], [3], [5]],
            "mean": [[1], [3], [3], [5]],
            "indicator": [[1, 0], [0, 1], [3, 0], [5, 0]],
        }[missing]
    )


def test_nan_far_down_in_a_parquet_file_is_missing(tmp_path: Path) -> None:
    n = 30_000  # more than a first look takes
    values = np.arange(n, dtype=float)
    values[-1] = np.nan
    pq.write_table(pa.table({"a": values, "y": np.arange(n) % 2}), tmp_path / "t.parquet")
    with pytest.raises(Refused, match=r'missing values \(a 1; the first in row 30,000, column "a"\)'):
        open_table(tmp_path / "t.parquet", target="y").arrays()
    table = open_table(tmp_path / "t.parquet", target="y", missing="mean")
    assert table.arrays()[0][-1, 0] == (n - 2) / 2


def test_the_hour_of_a_moment_is_the_same_on_every_machine() -> None:
    code = (
        "import pandas as pd; from rosenblatt.data import open_table\n"
        "moments = pd.date_range('2024-01-01', periods=2, tz='Europe/Rome')\n"
        "table = open_table(frame=pd.DataFrame({'a': moments, 'y': [0, 1]}), target='y', dates={'a': 'hour'})\n"
        "print(table.arrays()[0].ravel().tolist())"
    )
    for zone in ("Asia/Tokyo", "UTC"):
        ran = subprocess.run(
            [sys.executable, "-c", code], env=os.environ | {"TZ": zone}, capture_output=True, text=True
        )
        assert ran.stdout.strip() == "[23.0, 23.0]", ran.stderr


def test_dask_frames_come_here_as_what_they_are() -> None:
    dd = pytest.importorskip("dask.dataframe")
    here = pd.DataFrame({"a": [0.5, 1.5, 2.5, 2.0, 1.0, 3.0], "b": list("uvuvuv"), "y": [0, 1, 1, 0, 1, 0]})
    there = dd.from_pandas(here, npartitions=2)
    assert open_table(frame=there, target="y").X.tolist() == open_table(frame=here, target="y").X.tolist()
    for X in (["a"], ["a", "b"]):
        estimates = [rb.estimate(frame[X], frame["y"]) for frame in (here, there)]
        assert estimates[0].params.tolist() == estimates[1].params.tolist()
    assert rb.existence(there[["a"]], there["y"], model="poisson").kind == "overlap"
