"""Files that other programs wrote, cell by cell as pandas has them; places that are no plain files."""

import bz2
import gzip
import http.server
import io
import json
import lzma
import sqlite3
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow.feather
import pyreadstat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt.data import Refused, open_table
from rosenblatt.data.readers import apart
from rosenblatt.data.tables.named_columns import read_columns

LABELS = {"grade": {1.0: "low", 2.0: "mid", 3.0: "high"}}


def frame(seed: int = 0, n: int = 12) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    real = np.round(rng.normal(size=n), 3)
    real[rng.integers(n)] = np.nan
    return pd.DataFrame(
        {
            "real": real,
            "whole": rng.integers(-5, 1000, n),
            "wide": rng.normal(size=n) * 10.0 ** rng.integers(-300, 300, n),
            "name": [["ä b", "it's", "c12", None][k] for k in rng.integers(0, 4, n)],
            "y": rng.integers(0, 2, n),
        }
    )


def _with_grades(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(grade=np.arange(len(table)) % 3 + 1.0)


def _sqlite(table: pd.DataFrame, file: Path) -> None:
    with sqlite3.connect(file) as connection:
        table.to_sql("t", connection, index=False)
    connection.close()


def _feather(table: pd.DataFrame, file: Path) -> None:
    pyarrow.feather.write_feather(table, str(file), compression="zstd")


def _zip(table: pd.DataFrame, file: Path) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("in/t.csv", table.to_csv(index=False))
        archive.writestr("__MACOSX/._t.csv", b"\x00")


def _packed(pack: Callable[[bytes], bytes], text: Callable[[pd.DataFrame], str]) -> Callable[[pd.DataFrame, Path], Any]:
    return lambda table, file: file.write_bytes(pack(text(table).encode()))


def _csv(table: pd.DataFrame) -> str:
    return table.to_csv(index=False)


def _jsonl(table: pd.DataFrame) -> str:
    return table.to_json(orient="records", lines=True, double_precision=15)


def _json(table: pd.DataFrame) -> str:
    return json.dumps([{k: None if v != v else v for k, v in row.items()} for row in table.to_dict("records")])


KINDS: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "t.xlsx": lambda table, file: table.to_excel(file, index=False),
    "t.ods": lambda table, file: table.to_excel(file, index=False, engine="odf"),
    "t.dta": lambda table, file: pyreadstat.write_dta(table, str(file)),
    "t.sav": lambda table, file: pyreadstat.write_sav(table, str(file)),
    "t.xpt": lambda table, file: pyreadstat.write_xport(table, str(file)),
    "t.json": lambda table, file: file.write_text(_json(table)),
    "t.json.gz": _packed(gzip.compress, _json),
    "t.sqlite": _sqlite,
    "t.db": _sqlite,
    "t.feather": _feather,
    "t.csv.bz2": _packed(bz2.compress, _csv),
    "t.csv.xz": _packed(lzma.compress, _csv),
    "t.jsonl.xz": _packed(
        lzma.compress, _json_lines := lambda table: "\n".join(map(json.dumps, json.loads(_json(table))))
    ),
    "t.dta.gz": lambda table, file: (
        pyreadstat.write_dta(table, str(file)),
        file.write_bytes(gzip.compress(file.read_bytes())),
    ),
    "t.csv.zip": _zip,
    "t.zip": _zip,
}


ENGINES = {"t.xlsx": "openpyxl", "t.ods": "odf"}


def _as_pandas_reads(file: Path, name: str) -> pd.DataFrame:
    return pd.read_excel(file, engine=ENGINES[name])


def same(found: Any, expected: pd.Series) -> bool:
    """Every value, to the last bit; what is missing is missing."""
    lost = expected.isna().to_numpy()
    if found.dtype == object:
        return [v is None for v in found] == lost.tolist() and [v for v in found if v is not None] == [
            str(v) for v in expected[~lost]
        ]
    return np.array_equal(found, expected.to_numpy(np.float64), equal_nan=True)


@pytest.mark.parametrize("name", KINDS)
def test_every_cell_is_that_of_pandas(name: str, tmp_path: Path) -> None:
    for seed in range(3):
        table, file = frame(seed), tmp_path / f"{seed}{name}"
        if name == "t.xpt":  # IBM's floats: other bits, and no exponents beyond 75
            table["real"] = table["wide"] = np.round(table["real"] * 16) / 16
        KINDS[name](table, file)
        if name == "t.csv.xz":
            assert pd.read_csv(file).equals(pd.read_csv(io.StringIO(_csv(table))))  # the file is what it is meant to be
        expected = _as_pandas_reads(file, name) if name in ENGINES else table
        found = read_columns(file)
        assert list(found) == list(table.columns)
        for column in table.columns:
            assert same(found[column], expected[column]), (column, found[column], expected[column])


@pytest.mark.parametrize(("ending", "write"), [("dta", pyreadstat.write_dta), ("sav", pyreadstat.write_sav)])
def test_value_labels_are_the_names_of_factors(ending: str, write: Any, tmp_path: Path) -> None:
    file = tmp_path / f"t.{ending}"
    labels = {"grade": {1: "low", 2: "mid", 3: "high"}, "whole": {-1: "unknown"}}
    write(_with_grades(frame()).drop(columns=["name", "real"]), str(file), variable_value_labels=labels)
    table = open_table(file, target="y")
    assert table.features == ["whole", "wide", "grade=mid", "grade=high"]  # in the order of the codes
    assert table.encoding.references == ["grade=low"]


def test_dates_of_a_workbook_are_refused_with_a_remedy(tmp_path: Path) -> None:
    pd.DataFrame({"d": pd.to_datetime(["2024-01-31", "2024-02-01"]), "y": [0, 1]}).to_excel(
        tmp_path / "t.xlsx", index=False
    )
    with pytest.raises(Refused, match=r'neither number nor text: say dates=\{"d": "days"\} or drop'):
        open_table(tmp_path / "t.xlsx", target="y").arrays()


def test_a_stray_text_in_a_sheet_is_named_with_its_row(tmp_path: Path) -> None:
    file = tmp_path / "t.xlsx"
    pd.DataFrame({"x": [1, 2.5, "high", 0.1], "y": [0, 1, 0, 1]}).to_excel(file, index=False)
    with pytest.raises(Refused, match=r'because of row 3 \("high"\); 3 of 4 values are numbers'):
        open_table(file, target="y").arrays()
    table = open_table(file, target="y", na=["high"], missing="drop")
    assert table.arrays()[0].ravel().tolist() == [1, 2.5, 0.1]
    assert table.classes == ("0", "1")


def test_sheets_tables_and_files_inside_are_named(tmp_path: Path) -> None:
    book, base, archive = tmp_path / "b.xlsx", tmp_path / "b.sqlite", tmp_path / "b.zip"
    one, two = pd.DataFrame({"x": [1, 2], "y": [0, 1]}), pd.DataFrame({"z": [3, 4], "y": [0, 1]})
    with pd.ExcelWriter(book) as writer:
        one.to_excel(writer, sheet_name="One", index=False)
        two.to_excel(writer, sheet_name="Two sheets", index=False)
    with sqlite3.connect(base) as connection:
        one.to_sql("One", connection, index=False)
        two.to_sql("Two sheets", connection, index=False)
    connection.close()
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("One", one.to_csv(index=False))
        packed.writestr("Two sheets", two.to_csv(index=False))
    for file, what in ((book, "sheet"), (base, "table"), (archive, "file")):
        with pytest.raises(Refused, match=f'{what}s; say table="NAME", or {file}::NAME, with one of One, Two sheets'):
            open_table(file, target="y")
        with pytest.raises(Refused, match=f'has no {what} "Three"'):
            open_table(f"{file}::Three", target="y", format="csv" if file == archive else None)
        for table in (
            open_table(f"{file}::Two sheets", target="y", format="csv" if file == archive else None),
            open_table(file, target="y", table="Two sheets", format="csv" if file == archive else None),
        ):
            assert table.features == ["z"]
            assert table.arrays()[0].ravel().tolist() == [3, 4]
    assert open_table(base, sql='SELECT z + 1 AS z, y FROM "Two sheets"', target="y").arrays()[0].tolist() == [[4], [5]]


def test_a_duckdb_file_called_db_is_known_by_its_bytes(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "t.db")) as connection:
        connection.execute("CREATE TABLE t AS SELECT * FROM (VALUES (1.5, 0), (2.5, 1)) AS v(x, y)").fetchall()
    assert open_table(tmp_path / "t.db", target="y").arrays()[0].ravel().tolist() == [1.5, 2.5]


def test_a_name_with_colons_is_a_name_first(tmp_path: Path) -> None:
    (tmp_path / "a::b.csv").write_text("x,y\n1,0\n2,1\n")
    assert open_table(tmp_path / "a::b.csv", target="y").n == 2


# ------------------------------------------------------------------------------------------------------------- several


def _parts(folder: Path) -> pd.DataFrame:
    table = frame(5, 30).drop(columns="real").dropna()
    cut = [table[:7], table[7:15][["y", "name", "wide", "whole"]], table[15:]]
    cut[0].to_csv(folder / "p1.csv", index=False)
    cut[1].to_csv(folder / "p2.csv", index=False, sep=";")
    cut[2].to_csv(folder / "p3.csv.gz", index=False)
    return table


def test_several_files_are_one_table(tmp_path: Path) -> None:
    whole = _parts(tmp_path)
    whole.to_csv(tmp_path / "whole.csv", index=False)
    expected = open_table(tmp_path / "whole.csv", target="y")
    listed = open_table([tmp_path / "p1.csv", tmp_path / "p2.csv", tmp_path / "p3.csv.gz"], target="y")
    pattern = open_table(f"{tmp_path}/p*.csv*", target="y")
    for table in (listed, pattern):
        for ours, theirs in zip(table.arrays(), expected.arrays(), strict=True):
            assert np.array_equal(ours, theirs)
        assert table.encoding.columns == expected.encoding.columns
        assert table.row_numbers.tolist() == expected.row_numbers.tolist()
    assert listed.name.endswith("p1.csv and 2 more")


@settings(max_examples=10, deadline=None)
@given(st.lists(st.integers(1, 4), min_size=2, max_size=4), st.sampled_from(["csv", "parquet", "sqlite", "json"]))
def test_files_of_any_kind_join(sizes: list[int], kind: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        files, table = [], frame(len(sizes), sum(sizes) + 2)[["whole", "wide", "y"]]
        table["y"] = np.arange(len(table)) % 2
        starts = [0, *np.cumsum(sizes).tolist()]
        for k, (a, b) in enumerate(zip(starts, [*starts[1:], len(table)], strict=True)):
            file = Path(folder) / f"{k}.{kind}"
            part = table[a:b]
            {
                "csv": lambda file=file, part=part: part.to_csv(file, index=False),
                "parquet": lambda file=file, part=part: part.to_parquet(file, index=False),
                "sqlite": lambda file=file, part=part: _sqlite(part, file),
                "json": lambda file=file, part=part: file.write_text(_json(part)),
            }[kind]()
            files.append(file)
        X, _, _ = open_table(files, target="y").arrays()
        expected = table[["whole", "wide"]].to_numpy()
        assert np.array_equal(X, expected)


def test_files_of_different_columns_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y\n1,0\n")
    (tmp_path / "b.csv").write_text("x,y,z\n1,0,2\n")
    with pytest.raises(Refused, match=r'b.csv has a column "z" and .*a.csv has none: the files of one table have'):
        open_table([tmp_path / "a.csv", tmp_path / "b.csv"], target="y")
    with pytest.raises(Refused, match="matches no file"):
        open_table(tmp_path / "c*.csv", target="y")
    (tmp_path / "b.csv").write_text("x,y\n1,0\n1\n")
    with pytest.raises(Refused, match=r"b.csv, line 3: this row has 1 fields and the first line has 2"):
        open_table([tmp_path / "a.csv", tmp_path / "b.csv"], target="y").arrays()


# -------------------------------------------------------------------------------------------------------- from the web


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        if self.path.startswith("/short"):
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"x,y\n1,0\n")
            return
        if self.path.startswith("/named"):
            self.send_response(200)
            self.send_header("Content-Disposition", 'attachment; filename="t.csv"')
            self.end_headers()
            self.wfile.write(b"x,y\n1,0\n2,1\n")
            return
        super().do_GET()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(tmp_path))) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_an_address_is_fetched(served: str, tmp_path: Path) -> None:
    table = frame(1).dropna()
    table.to_csv(tmp_path / "t 1.csv", index=False)
    _zip(table, tmp_path / "t.zip")
    seen: list[tuple[int, int | None]] = []
    found = open_table(f"{served}/t 1.csv?x=1", target="y", progress=lambda *told: seen.append(told))
    size = (tmp_path / "t 1.csv").stat().st_size
    assert seen[-1] == (size, size)
    expected = open_table(tmp_path / "t 1.csv", target="y").arrays()[0]
    for name in (f"{served}/t%201.csv", f"{served}/t.zip::in/t.csv"):
        assert np.array_equal(open_table(name, target="y").arrays()[0], expected)
    assert np.array_equal(found.arrays()[0], expected)
    assert found.name == f"{served}/t 1.csv?x=1"
    assert open_table(f"{served}/named", target="y").n == 2


def test_what_cannot_be_fetched_is_said(served: str) -> None:
    with pytest.raises(Refused, match=r"none.csv cannot be fetched: the server answers 404"):
        open_table(f"{served}/none.csv", target="y")
    with pytest.raises(Refused, match=r"only 8 of 1,000 bytes came|IncompleteRead"):
        open_table(f"{served}/short.csv", target="y")
    with pytest.raises(Refused, match="is this machine online, and the address right"):
        open_table("http://127.0.0.1:9/none.csv", target="y")


# ----------------------------------------------------------------------------------------------------------- not there


@pytest.mark.parametrize(
    ("name", "module", "name_of_extra"),
    [("t.xlsx", "python_calamine", "files"), ("t.sav", "pyreadstat", "files"), ("t.arrow", "pyarrow", "arrow")],
)
def test_a_missing_extra_is_named(
    name: str, module: str, name_of_extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name).write_bytes(b"anything")
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr(apart, "_SERVE", f"import sys; sys.modules[{module!r}] = None; {apart._SERVE}")
    with pytest.raises(Refused, match=rf"needs {module}: pip install 'rosenblatt\[{name_of_extra}\]'"):
        open_table(tmp_path / name, target="y")


@pytest.mark.parametrize("name", [name for name in KINDS if name != "t.json"])
def test_damaged_files_are_refused(name: str, tmp_path: Path) -> None:
    whole = tmp_path / f"whole{name}"
    KINDS[name](frame().drop(columns=["real", "name"]), whole)
    content = whole.read_bytes()
    for k, broken in enumerate((content[: len(content) // 2], content[:20], b"\x00" + content[1:], b"PK\x03\x04junk")):
        file = tmp_path / f"{k}{name}"
        file.write_bytes(broken)
        with suppress(Refused):  # what was changed may be beside the point
            open_table(file, target="y").arrays()


def test_a_store_of_a_sheet_is_used_again(tmp_path: Path) -> None:
    frame().drop(columns=["real", "name"]).to_excel(tmp_path / "t.xlsx", index=False)
    table = open_table(tmp_path / "t.xlsx", target="y")
    store = rb.data.Store.build(table, tmp_path / "s")
    assert store.is_of(open_table(tmp_path / "t.xlsx", target="y"))
    frame(3).drop(columns=["real", "name"]).to_excel(tmp_path / "t.xlsx", index=False)
    assert not store.is_of(open_table(tmp_path / "t.xlsx", target="y"))
