"""Every source gives the same rows; the encoding is what a naive reader does, to the last bit."""

import csv
import gzip
import io
import itertools
import math
import struct
import sys
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt.data import Encoding, Refused, open_table

TEXT = "x,s,b,y\n1.5,a,true,0\n2.5,b,false,1\n0.1,a,true,1\n"
X = [[1.5, 0, 1], [2.5, 1, 0], [0.1, 0, 1]]
FEATURES = ["x", "s=b", "b"]  # s=a is the reference


def write(folder: Path, name: str, text: str | bytes) -> Path:
    file = folder / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def frame() -> pd.DataFrame:
    return pd.read_csv(io.StringIO(TEXT))


def _write_arrow_stream(file: Path) -> None:
    table = pa.Table.from_pandas(frame())
    with pa.ipc.new_stream(str(file), table.schema) as stream:
        stream.write_table(table)


def _duck(statement: str) -> Any:
    def copy(file: Path) -> None:
        with duckdb.connect() as connection:
            connection.register("frame", frame())
            connection.execute(statement.format(file=file)).fetchall()

    return copy


def _write_database(file: Path) -> None:
    with duckdb.connect(str(file)) as connection:
        connection.register("frame", frame())
        connection.execute("CREATE TABLE t AS FROM frame").fetchall()


FILES = {
    "t.csv": lambda f: f.write_text(TEXT),
    "semicolon.csv": lambda f: f.write_text(TEXT.replace(",", ";")),
    "windows.csv": lambda f: f.write_bytes(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode()),
    "quoted.csv": lambda f: f.write_text('"x","s","b","y"\n"1.5","a","true","0"\n2.5,b,False,"1"\n"0.1","a",TRUE,1'),
    "blank lines.csv": lambda f: f.write_text(TEXT.replace("\n", "\n\n")),
    "a[1]*?.csv": lambda f: f.write_text(TEXT),
    "it's.csv": lambda f: f.write_text(TEXT),
    "t.tsv": lambda f: f.write_text(TEXT.replace(",", "\t")),
    "t.csv.gz": lambda f: f.write_bytes(gzip.compress(TEXT.encode())),
    "t.csv.zst": _duck("COPY frame TO '{file}' (HEADER, COMPRESSION zstd)"),
    "t.parquet": _duck("COPY frame TO '{file}'"),
    "t.jsonl": _duck("COPY frame TO '{file}' (FORMAT json)"),
    "t.jsonl.gz": _duck("COPY frame TO '{file}' (FORMAT json, COMPRESSION gzip)"),
    "t.duckdb": _write_database,
    "t.feather": lambda f: pyarrow.feather.write_feather(frame(), str(f)),
    "t.arrow": _write_arrow_stream,
}


@pytest.mark.parametrize("name", FILES)
def test_every_file_gives_the_same_rows(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    FILES[name](file)
    _expect_rows(open_table(file, target="y"))


def _expect_rows(table: Any) -> None:
    assert repr(table).endswith(": not read yet>")  # looking at it must not read gigabytes
    rows, y, weights = table.arrays()
    assert repr(table).endswith(": 3 rows × 3 columns>")
    assert rows.tolist() == X
    assert y.tolist() == [-1, 1, 1]
    assert weights is None
    assert table.features == FEATURES
    assert table.classes == ("0", "1")
    assert table.row_numbers.tolist() == [1, 2, 3]
    assert (table.n, table.p) == (3, 3)


@pytest.mark.parametrize(
    "make",
    [
        frame,
        lambda: pl.from_pandas(frame()),
        lambda: pa.Table.from_pandas(frame()),
        lambda: pa.Table.from_pandas(frame()).to_reader(),
        lambda: frame().astype({"s": "category", "y": "Int64"}),
        lambda: {name: frame()[name].to_numpy() for name in frame()},
    ],
)
def test_every_frame_gives_the_same_rows(make: Any) -> None:
    _expect_rows(open_table(frame=make(), target="y"))


def test_queries(tmp_path: Path) -> None:
    file = write(tmp_path, "t.csv", TEXT)
    _expect_rows(open_table(sql=f"SELECT * FROM '{file}';", target="y"))
    _write_database(tmp_path / "t.duckdb")
    _expect_rows(open_table(tmp_path / "t.duckdb", sql="SELECT * FROM t ORDER BY rowid", target="y"))
    _expect_rows(open_table(tmp_path / "t.duckdb", table="t", target="y"))


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.csv.zst", "t.parquet", "t.jsonl", "t.feather"])
def test_standard_input_is_spooled(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    FILES[name](tmp_path / name)
    with io.TextIOWrapper(open(tmp_path / name, "rb")) as file, monkeypatch.context() as patch:
        patch.setattr(sys, "stdin", file)
        table = open_table("-", target="y")
    _expect_rows(table)
    spool = Path(table.source.keep.name)
    assert spool.exists()
    del table
    assert not spool.exists()


def test_numpy_files(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.column_stack([X, [0, 1, 1]]))
    table = open_table(tmp_path / "a.npy", target="x3")
    assert table.arrays()[0].tolist() == X
    assert table.classes == ("0.0", "1.0")
    np.savez(tmp_path / "a.npz", X=X, y=np.array(["u", "v", "v"]))
    table = open_table(tmp_path / "a.npz", target="y")
    assert table.arrays()[0].tolist() == X
    assert table.arrays()[1].tolist() == [-1, 1, 1]
    csr = sp.csr_matrix(X)
    np.savez(tmp_path / "s.npz", data=csr.data, indices=csr.indices, indptr=csr.indptr, shape=csr.shape, y=[0, 1, 1])
    table = open_table(tmp_path / "s.npz")
    assert (table.arrays()[0] != csr).nnz == 0
    assert table.arrays()[1].tolist() == [-1, 1, 1]


# --------------------------------------------------------------------------------------------- against a naive reader


def naive(text: str, target: str, missing: str, degree: int, intercept: bool) -> tuple[list[list[float]], list[int]]:
    """Cell by cell, as one would by hand."""
    first = intercept  # whether the first level of the next text column is left out
    lines = list(csv.DictReader(io.StringIO(text, newline="")))
    columns: list[list[list[float] | None]] = []
    for name in (name for name in lines[0] if name != target):
        cells = [line[name] for line in lines]
        levels = sorted({cell for cell in cells if cell})
        numbers = all(_is_number(cell) for cell in cells if cell)
        has_place = missing == "indicator" and "" in cells
        column: list[list[float] | None] = []
        for cell in cells:
            values = [float(cell or 0)] if numbers else [float(cell == level) for level in levels[first:]]
            column.append([*values, float(not cell)] if has_place else values if cell else None)
        columns.append(column)
        first = first or not numbers
    rows, labels = [], []
    positive = max(line[target] for line in lines)
    for line, *parts in zip(lines, *columns, strict=True):
        if None not in parts:
            x = [value for part in parts for value in part]
            terms = [t for d in range(2, degree + 1) for t in itertools.combinations_with_replacement(x, d)]
            rows.append(x + [math.prod(term) for term in terms])
            labels.append(1 if line[target] == positive else -1)
    return rows, labels


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False, width=32).map(repr),
    st.integers(-(10**20), 10**20).map(str),
    st.sampled_from(["1e-320", "-0.0", "0.1", "1E5", "1e22", "+.5", "3.", "9007199254740993", "0.30000000000000004"]),
)
words = st.text(alphabet="ab, \"'\n;é=#", min_size=1, max_size=3).filter(lambda word: word.strip())


@settings(max_examples=settings.default.max_examples // 2)  # each opens files
@given(data=st.data())
def test_agrees_with_a_naive_reader(data: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    n = data.draw(st.integers(2, 8))
    missing = data.draw(st.sampled_from(["drop", "indicator"]))
    kinds = data.draw(st.lists(st.sampled_from([numbers, words]), min_size=1, max_size=3))
    gaps = st.booleans() if data.draw(st.booleans()) else st.just(False)
    columns = [["" if data.draw(gaps) else data.draw(kind) for _ in range(n)] for kind in kinds]
    columns = [column if any(column) else ["1"] * n for column in columns]
    target = [data.draw(st.sampled_from(["no", "yes"])) for _ in range(n - 2)] + ["no", "yes"]
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*(f"c{i}" for i in range(len(columns))), "y"])
    writer.writerows(zip(*columns, target, strict=True))
    file = write(tmp_path_factory.mktemp("t"), "t.csv", out.getvalue())
    degree = (
        data.draw(st.integers(1, 2))
        if max((abs(float(c)) for col in columns for c in col if _is_number(c)), default=0) < 1e150
        else 1
    )
    intercept = data.draw(st.booleans())
    rows, labels = naive(out.getvalue(), "y", missing, degree, intercept)
    table = open_table(file, target="y", missing=missing, degree=degree, intercept=intercept)
    if len(set(labels)) < 2:
        with pytest.raises(Refused, match=r"no row left|only rows of class"):
            table.arrays()
        return
    found, y, _ = table.arrays()
    assert y.tolist() == labels
    assert found.tobytes() == np.array(rows).reshape(len(rows), -1).tobytes()
    assert len(table.features) == found.shape[1]
    # the same table by its own encoding, as a saved model would read it
    again = open_table(file, encoding=Encoding.from_json(table.encoding.to_json()))
    assert again.arrays()[0].tobytes() == found.tobytes()
    blind = open_table(file, encoding=table.encoding, labels=False)
    assert blind.arrays()[1] is None
    blocks = list(table.batches(2))
    assert max(len(block.row_numbers) for block in blocks) <= 2
    assert np.concatenate([block.X for block in blocks]).tobytes() == found.tobytes()


@settings(max_examples=settings.default.max_examples // 2)  # each opens files
@given(
    parts=st.lists(st.tuples(st.integers(0, 10**25), st.integers(-340, 320), st.booleans()), min_size=2, max_size=40)
)
def test_numbers_are_read_to_the_bit(parts: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    texts = [f"{'-' * minus}{digits}e{exponent}" for digits, exponent, minus in parts]
    texts = [text if math.isfinite(float(text)) else "1" for text in texts]
    lines = [f"{text},{i % 2}\n" for i, text in enumerate(texts)]
    file = write(tmp_path_factory.mktemp("t"), "t.csv", "x,y\n" + "".join(lines))
    found = open_table(file, target="y").arrays()[0][:, 0]
    assert [struct.pack("d", value) for value in found] == [struct.pack("d", float(text)) for text in texts]


# ------------------------------------------------------------------------------------------------------------ choices


def test_features_drop_categorical(tmp_path: Path) -> None:
    file = write(tmp_path, "t.csv", "zip,a,b,y\n10,1,2,u\n20,3,4,v\n10,5,6,u\n")
    assert open_table(file, target="y", categorical=["zip"], drop=["b"]).features == ["zip=20", "a"]
    whole = open_table(file, target="y", categorical=["zip", "a"], drop=["b"], intercept=False)
    assert whole.features == ["zip=10", "zip=20", "a=3", "a=5"]  # the first text column stands for the intercept
    assert whole.encoding.references == ["a=1"]
    assert open_table(file, target="y", features=["b", "a"]).features == ["b", "a"]
    assert open_table(file, target="y", features=["b", "a"]).arrays()[0].tolist() == [[2, 1], [4, 3], [6, 5]]


def test_positive_against_the_rest(tmp_path: Path) -> None:
    file = write(tmp_path, "t.csv", "a,y\n1,u\n2,v\n3,w\n")
    table = open_table(file, target="y", positive="v")
    assert table.arrays()[1].tolist() == [-1, 1, -1]
    assert table.classes == ("not v", "v")
    assert open_table(file, encoding=table.encoding).arrays()[1].tolist() == [-1, 1, -1]
    every = open_table(file, target="y", multiclass=True)
    assert every.arrays()[1].tolist() == [0, 1, 2]
    assert every.classes == ("u", "v", "w")
    assert Encoding.from_json(every.encoding.to_json()) == every.encoding


def test_classes_are_ordered_as_numbers(tmp_path: Path) -> None:
    file = write(tmp_path, "t.csv", "a,y\n1,10\n2,9\n")
    assert open_table(file, target="y").classes == ("9", "10")
    assert open_table(file, target="y", positive="9").classes == ("10", "9")


def test_missing_values(tmp_path: Path) -> None:
    file = write(tmp_path, "t.csv", "a,s,y\n1,u,0\n,v,1\n3,,1\nNA,u,0\n5,v,1\n")
    dropped = open_table(file, target="y", na=["NA"], missing="drop")
    assert dropped.arrays()[0].tolist() == [[1, 0], [5, 1]]
    assert dropped.row_numbers.tolist() == [1, 5]
    told = open_table(file, target="y", na=["NA"], missing="indicator")
    assert told.features == ["a", "a is missing", "s=v", "s is missing"]
    assert told.arrays()[0].tolist() == [
        [1, 0, 0, 0],
        [0, 1, 1, 0],
        [3, 0, 0, 1],
        [0, 1, 0, 0],
        [5, 0, 1, 0],
    ]
    level = open_table(file, target="y", na=["NA"], missing="level", drop=["a"])
    assert level.features == ["s=v", "s is missing"]
    with pytest.raises(Refused, match="numbers have no level of their own"):
        open_table(file, target="y", na=["NA"], missing="level").arrays()
    with pytest.raises(Refused, match=r"a 2, s 1; the first in row 2, column \"a\""):
        open_table(file, target="y", na=["NA"]).arrays()


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float64"])
def test_a_number_stands_for_a_missing_value_in_every_type_of_numbers(kind: str) -> None:
    frame = {"a": np.array([1, 99, 3, 4], dtype=kind), "y": np.array([0, 1, 0, 1])}
    table = open_table(frame=frame, target="y", na=["99"], missing="drop")
    assert table.arrays()[0].ravel().tolist() == [1.0, 3.0, 4.0]


def test_weights_of_zero_are_absent(tmp_path: Path) -> None:
    file = write(tmp_path, "t.csv", "a,w,y\n1,1,0\n2,0,1\n3,0.5,1\n")
    table = open_table(file, target="y", weights="w")
    rows, y, weights = table.arrays()
    assert (rows.tolist(), y.tolist(), weights.tolist()) == ([[1], [3]], [-1, 1], [1, 0.5])
    assert table.row_numbers.tolist() == [1, 3]


def test_grouped_counts(tmp_path: Path) -> None:
    file = write(tmp_path, "t.csv", "a,won,lost\n1,2,3\n2,0,4\n3,1,0\n4,0,0\n")
    table = open_table(file, counts=("won", "lost"))
    rows, y, weights = table.arrays()
    assert rows.tolist() == [[1], [1], [2], [3]]
    assert y.tolist() == [1, -1, -1, 1]
    assert weights.tolist() == [2, 3, 4, 1]
    assert table.row_numbers.tolist() == [1, 1, 2, 3]
    assert table.classes == ("lost", "won")


def test_hashing_is_md5(tmp_path: Path) -> None:
    import hashlib

    values = [f"name {i}" for i in range(300)]
    lines = "".join(f"{value},{i % 2}\n" for i, value in enumerate(values))
    file = write(tmp_path, "t.csv", "s,y\n" + lines)
    rows = open_table(file, target="y", hash_columns=["s"], hash_buckets=7).arrays()[0]
    expected = [int(hashlib.md5(value.encode()).hexdigest()[:8], 16) % 7 for value in values]
    assert rows.shape == (300, 6)  # bucket 0 is the reference
    assert np.where(rows.any(axis=1), rows.argmax(axis=1) + 1, 0).tolist() == expected
    assert set(rows.sum(axis=1).tolist()) == {0.0, 1.0}
    whole = open_table(file, target="y", hash_columns=["s"], hash_buckets=7, intercept=False).arrays()[0]
    assert whole.argmax(axis=1).tolist() == expected


def test_polynomials(tmp_path: Path) -> None:
    file = write(tmp_path, "t.csv", "a,b,y\n2,3,0\n5,7,1\n")
    table = open_table(file, target="y", degree=3)
    assert table.features == ["a", "b", "a^2", "a·b", "b^2", "a^3", "a^2·b", "a·b^2", "b^3"]
    assert table.arrays()[0][0].tolist() == [2, 3, 4, 6, 9, 8, 12, 18, 27]


def test_a_first_look_is_not_the_last_word(tmp_path: Path) -> None:
    """What only later rows show is learned from them: levels, missing values, a third class, a stray text."""
    many = 25_000
    body = "".join(f"{i},u,{i % 2}\n" for i in range(many))
    late = write(tmp_path, "level.csv", "a,s,y\n" + body + "1,v,0\n")
    table = open_table(late, target="y")
    assert table.arrays()[0][:, 0].tolist() == [*range(many), 1]
    assert table.features == ["a", "s=v"]
    gap = write(tmp_path, "gap.csv", "a,s,y\n" + body + ",u,0\n")
    assert open_table(gap, target="y", missing="indicator").features == ["a", "a is missing"]
    third = write(tmp_path, "third.csv", "a,s,y\n" + body + "1,u,2\n")
    with pytest.raises(Refused, match="3 different values"):
        open_table(third, target="y").arrays()
    assert open_table(third, target="y", positive="1").arrays()[1].sum() == 0 - 1
    stray = write(tmp_path, "stray.csv", "a,s,y\n" + body + "x,u,0\n")
    with pytest.raises(Refused, match=r"row 25,001 \(\"x\"\); 25,000 of 25,001 values are numbers"):
        open_table(stray, target="y").arrays()
    ordered = write(tmp_path, "sorted.csv", "a,y\n" + "1,0\n" * many + "2,1\n")
    assert open_table(ordered, target="y").arrays()[1][-1] == 1


def test_large_tables_are_estimated_without_reading_them(tmp_path: Path) -> None:
    file = write(tmp_path, "t.csv", "a,b,y\n" + "".join(f"{i % 10},2,{i % 2}\n" for i in range(60_000)))
    table = open_table(file, target="y")
    assert table.estimated_rows == pytest.approx(60_000, rel=0.05)
    assert table.estimated_bytes == pytest.approx(60_000 * 16, rel=0.05)
    assert table.n == 60_000


def test_the_module_is_there_when_asked_for() -> None:
    assert rb.data.open_table is open_table
    with pytest.raises(AttributeError):
        rb.data.nothing  # noqa: B018
