"""Databases that strangers wrote: their views run when they are read, and reach nothing outside of their file."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import duckdb
import numpy as np
import pytest

from rosenblatt.context import Unfinished
from rosenblatt.data import open_table
from rosenblatt.data.refusal import Refused

SECRET = "s3cret"
GOOD = "CREATE TABLE good AS SELECT range AS x, CASE WHEN range < 3 THEN 'a' ELSE 'b' END AS y FROM range(6)"

OUTSIDE = {  # views of a DuckDB file
    "text": "SELECT 1 AS x, content AS y FROM read_text('{folder}/secret.txt')",
    "bytes": "SELECT 1 AS x, content::VARCHAR AS y FROM read_blob('{folder}/secret.txt')",
    "csv": "SELECT * FROM read_csv('{folder}/secret.csv')",
    "csv by its name": "SELECT * FROM '{folder}/secret.csv'",
    "parquet": "SELECT * FROM read_parquet('{folder}/secret.parquet')",
    "parquet's own schema": "SELECT 1 AS x, name AS y FROM parquet_schema('{folder}/secret.parquet')",
    "names of files": "SELECT 1 AS x, file AS y FROM glob('{folder}/*')",
    "a macro": "SELECT 1 AS x, told() AS y",
    "a macro of tables": "SELECT 1 AS x, content AS y FROM told_all()",
    "in a subquery": "SELECT x, (SELECT content FROM read_text('{folder}/secret.txt')) AS y FROM good",
    "in a condition": "SELECT * FROM good WHERE y < (SELECT max(content) FROM read_text('{folder}/secret.txt'))",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "secret.txt").write_text(SECRET)
    (tmp_path / "secret.csv").write_text(f"x,y\n1,{SECRET}\n2,b\n")
    duckdb.connect().execute(f"COPY (SELECT 1 AS x, '{SECRET}' AS y) TO '{tmp_path}/secret.parquet'")
    return tmp_path


def with_view(folder: Path, view: str) -> Path:
    file = folder / "base.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute(GOOD)
        read = f"(SELECT content FROM read_text('{folder}/secret.txt'))"
        connection.execute(f"CREATE MACRO told() AS {read}")
        connection.execute(f"CREATE MACRO told_all() AS TABLE SELECT * FROM {read}")
        connection.execute(f"CREATE VIEW v AS {view.format(folder=folder)}")
    return file


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_view_reaches_no_other_file(name: str, folder: Path) -> None:
    file = with_view(folder, OUTSIDE[name])
    with pytest.raises(Refused, match=r"asks for something outside of it .*: copy those rows into a table") as why:
        open_table(file, table="v", target="y").arrays()
    assert SECRET not in str(why.value)
    assert "\n" not in str(why.value)
    X, y, _ = open_table(file, table="good", target="y").arrays()
    assert (X.ravel().tolist(), len(y)) == ([0.0, 1.0, 2.0, 3.0, 4.0, 5.0], 6)


@pytest.mark.parametrize("name", [name for name in OUTSIDE if "macro" not in name])
def test_nor_does_a_query_of_a_database(name: str, folder: Path) -> None:
    file = with_view(folder, "SELECT 1 AS x")
    query = OUTSIDE[name].format(folder=folder)
    with pytest.raises(Refused, match=r"asks for something outside of it"):
        open_table(file, sql=query, target="y").arrays()
    if name == "csv by its name":  # the user's own files are for a query without a database
        assert open_table(sql=query, target="y").arrays()[0].tolist() == [[1.0], [2.0]]


@pytest.mark.parametrize(
    "statement",
    [
        "COPY good TO '{folder}/out.csv'",
        "EXPORT DATABASE '{folder}/out'",
        "ATTACH '{folder}/out.duckdb'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true; SELECT * FROM '{folder}/secret.csv'",
        "PRAGMA enable_profiling",
        "DROP TABLE good",
    ],
)
def test_a_query_changes_nothing(statement: str, folder: Path) -> None:
    file = with_view(folder, "SELECT 1 AS x")
    before = sorted(folder.iterdir()), file.read_bytes()
    with pytest.raises(Refused):
        open_table(file, sql=statement.format(folder=folder), target="y")
    assert (sorted(folder.iterdir()), file.read_bytes()) == before


def test_a_view_sees_no_variable_of_the_program(folder: Path) -> None:
    private = {"x": np.arange(4), "y": np.array([SECRET, "b"] * 2)}
    assert len(private) == 2
    file = folder / "base.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute("CREATE TABLE private(x INT, y TEXT)")
        connection.execute("CREATE VIEW v AS SELECT * FROM private")
        connection.execute("DROP TABLE private")
    with pytest.raises(Refused, match="private"):
        open_table(file, target="y")


def test_a_database_is_opened_twice_at_a_time(folder: Path) -> None:
    file = with_view(folder, "SELECT x AS twice, y FROM good")
    one, other = (open_table(file, table=name, target="y") for name in ("v", "good"))
    assert one.arrays()[0].tolist() == other.arrays()[0].tolist()
    with pytest.raises(Refused, match="outside of it"):
        open_table(file, sql=f"SELECT * FROM '{folder}/secret.csv'", target="y")


# -------------------------------------------------------------------------------------------------------------- SQLite


def sqlite(folder: Path, *statements: str) -> Path:
    file = folder / "base.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE good(x INTEGER, y TEXT)")
        connection.executemany("INSERT INTO good VALUES (?, ?)", [(i, "ab"[i > 2]) for i in range(6)])
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    return file


@pytest.mark.parametrize(
    "view",
    [
        "SELECT x, load_extension('{folder}/evil.so') AS y FROM good",
        "SELECT x, y FROM good WHERE load_extension('{folder}/evil.so') IS NULL",
        "SELECT seq AS x, file AS y FROM pragma_database_list",
    ],
)
def test_a_view_of_sqlite_only_selects(view: str, folder: Path) -> None:
    file = sqlite(folder, f"CREATE VIEW v AS {view.format(folder=folder)}")
    with pytest.raises(Refused, match=r"asks for more than to select from its tables"):
        open_table(file, table="v", target="y")
    assert open_table(file, table="good", target="y").arrays()[0].shape == (6, 1)


@pytest.mark.parametrize(
    "statement",
    [
        "ATTACH '{folder}/out.db' AS other",
        "PRAGMA trusted_schema = ON",
        "INSERT INTO good VALUES (1, 'a') RETURNING *",
        "VACUUM INTO '{folder}/out.db'",
        "CREATE TEMP TABLE t AS SELECT * FROM good",
        "SELECT load_extension('x') AS x, 1 AS y",
    ],
)
def test_a_query_of_sqlite_only_selects(statement: str, folder: Path) -> None:
    trigger = "CREATE TRIGGER t AFTER INSERT ON good BEGIN SELECT load_extension('x'); END"
    file = sqlite(folder, trigger)
    before = sorted(folder.iterdir()), file.read_bytes()
    with pytest.raises(Refused, match=r"asks for more than to select from its tables .*: copy the rows"):
        open_table(file, sql=statement.format(folder=folder), target="y")
    assert (sorted(folder.iterdir()), file.read_bytes()) == before


@pytest.mark.parametrize(
    "make",
    [
        lambda: ["CREATE VIEW v AS SELECT max(x, 0) AS x, upper(y) AS y FROM good"],
        lambda: ["CREATE VIEW v AS WITH RECURSIVE n(x) AS (VALUES(0) UNION ALL SELECT x + 1 FROM n WHERE x < 5) "
                 "SELECT n.x, good.y FROM n JOIN good ON n.x = good.x"],
        lambda: ["CREATE VIRTUAL TABLE v USING fts5(x, y)", "INSERT INTO v SELECT x, y FROM good"],
        lambda: ["CREATE TABLE v(x, y, z GENERATED ALWAYS AS (x * 2))", "INSERT INTO v SELECT x, y FROM good"],
    ],
)  # fmt: skip
def test_what_selects_is_read(make: Callable[[], list[str]], folder: Path) -> None:
    table = open_table(sqlite(folder, *make()), table="v", target="y", numbers=["x"])
    assert table.arrays()[0][:, 0].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


def test_a_view_without_an_end_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rosenblatt.data.readers.databases._MOST_CELLS", 200_000)
    endless = "WITH RECURSIVE n(x) AS (VALUES(0) UNION ALL SELECT x + 1 FROM n) SELECT x, x % 2 AS y FROM n"
    file = sqlite(folder, f"CREATE VIEW v AS {endless}")
    with pytest.raises(Refused, match="gives more than 200,000 cells, which is more than the file holds"):
        open_table(file, table="v", target="y")


ENDLESS = "CREATE VIEW v AS WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x, x % 2 AS y FROM r"


@pytest.mark.parametrize("view", [ENDLESS, f"{ENDLESS} WHERE x < 0"], ids=["with rows", "without"])
def test_a_view_without_an_end_ends_by_the_time_limit(view: str, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "t.db")) as connection:
        connection.execute(view)
        connection.execute("CREATE TABLE t AS SELECT 1 AS x, 0 AS y UNION SELECT 2, 1")
    with pytest.raises(Unfinished, match="the time limit was reached while a view or a query of this database was"):
        open_table(f"{tmp_path / 't.db'}::v", target="y", time_limit=0.2)
    assert open_table(f"{tmp_path / 't.db'}::t", target="y", time_limit=20).X.tolist() == [[1.0], [2.0]]
