"""Numbers arrive as they were written, whatever the file: compared with the fractions of their texts."""

import json
import sqlite3
import tempfile
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.data import open_table
from rosenblatt.data.numbers.exact import exact_rows, power_of_ten
from rosenblatt.data.refusal import Refused


def fractions(table):
    """Every value of X as the fraction that it is."""
    rows = exact_rows(table.rows())
    exact, X = rows.exact, rows.take(slice(0, rows.n))
    out = []
    for i in range(rows.n):
        line = []
        for j in range(rows.p):
            value, k = Fraction(X[i, j]), exact.powers[j]
            if j in exact.own:
                value *= 2 ** exact.shifts.get(j, 0)
            elif k:
                value = Fraction(np.rint(X[i, j] * power_of_ten(-k)))
            lows = [(q, exact.low_shifts[q]) for q, owner in enumerate(exact.owner) if owner == j]
            value += sum(Fraction(exact.low[i, q]) * 2**shift for q, shift in lows)
            line.append(value * Fraction(10) ** k)
        out.append(line)
    return out


def meant(texts):
    """What a column of texts means: the rule, in Python."""
    present = [Decimal(text) for text in texts]
    digits = [len(one.normalize().as_tuple().digits) for one in present]
    shortest = all(one == Decimal(repr(float(one))) for one in present)
    whole = any(text.lstrip("+-").isdigit() and int(text) != int(float(text)) for text in texts)
    if max(digits) > 15 and shortest and not whole:
        return [Fraction(float(one)) for one in present]
    return [Fraction(one) for one in present]


def texts_of(kind):
    whole = st.integers(-(10**31) + 1, 10**31 - 1).map(str)
    places = st.tuples(st.integers(-(10**20), 10**20), st.integers(1, 25)).map(lambda p: _with_point(*p))
    powers = st.tuples(st.integers(-(10**16), 10**16), st.integers(-400, 330)).map(lambda p: f"{p[0]}e{p[1]}")
    floats = st.floats(allow_nan=False, allow_infinity=False).map(repr)
    short = st.integers(-(10**6), 10**6).map(lambda m: _with_point(m, 3))
    return {
        "whole": whole,
        "decimal": places,
        "power": powers,
        "float": floats,
        "short": short,
        "mixed": st.one_of(whole, places, powers, floats, short),
        "mostly floats": st.one_of(
            floats, floats, short, st.sampled_from(["0.10", "+1.5", "100000000000000000000000"])
        ),
    }[kind]


def _with_point(m, places):
    text = str(abs(m)).rjust(places + 1, "0")
    return ("-" if m < 0 else "") + text[:-places] + "." + text[-places:]


KINDS = ("whole", "decimal", "power", "float", "short", "mixed", "mostly floats")
columns = st.sampled_from(KINDS).flatmap(lambda kind: st.lists(texts_of(kind), min_size=2, max_size=6))


def table_of(folder, how, texts):
    """A table with the texts as column a, and 0, 1, 0, … as y."""
    y, file = [k % 2 for k in range(len(texts))], Path(folder) / "a.csv"
    if how == "csv":
        file.write_text("a,y\n" + "".join(f"{text},{k}\n" for text, k in zip(texts, y, strict=True)))
    elif how == "comma":
        commas = [text.replace(".", ",") for text in texts]
        file.write_text("a;y\n" + "".join(f"{text};{k}\n" for text, k in zip(commas, y, strict=True)))
        return open_table(file, target="y", decimal=",")
    elif how in ("jsonl", "json"):
        file = file.with_suffix(f".{how}")
        lines = [f'{{"a": {text.lstrip("+")}, "y": {k}}}' for text, k in zip(texts, y, strict=True)]
        file.write_text("\n".join(lines) if how == "jsonl" else f"[{', '.join(lines)}]")
    elif how == "sqlite":
        file = file.with_suffix(".sqlite")
        with sqlite3.connect(file) as connection:
            connection.execute("CREATE TABLE t (a TEXT, y INTEGER)")
            connection.executemany("INSERT INTO t VALUES (?, ?)", zip(texts, y, strict=True))
        connection.close()
        return open_table(file, target="y", numbers=["a"])
    elif how == "pandas":
        values = np.array([Decimal(text) if "." in text or "e" in text else int(text) for text in texts], dtype=object)
        return open_table(frame=pd.DataFrame({"a": values, "y": y}), target="y")
    return open_table(file, target="y")


@pytest.mark.parametrize("how", ["csv", "comma", "jsonl", "json", "sqlite", "pandas"])
@settings(max_examples=40, deadline=None)
@given(texts=columns)
def test_numbers_are_what_is_written(how, texts):
    with tempfile.TemporaryDirectory() as folder:
        table = table_of(folder, how, texts)
        assert [row[0] for row in fractions(table)] == meant(texts)


@settings(max_examples=40, deadline=None)
@given(numbers=st.lists(st.integers(-(10**31) + 1, 10**31 - 1), min_size=2, max_size=6), scale=st.integers(0, 30))
def test_decimals_of_types(numbers, scale):
    decimals = [Decimal(m).scaleb(-scale) if m else Decimal(0) for m in numbers]
    y = [k % 2 for k in range(len(numbers))]
    column = pa.array(decimals, pa.decimal128(38, scale))
    expected = meant([f"{one:f}" for one in decimals])
    for frame in (pa.table({"a": column, "y": y}), pl.DataFrame({"a": pl.Series(column), "y": y})):
        assert [row[0] for row in fractions(open_table(frame=frame, target="y"))] == expected
    with tempfile.TemporaryDirectory() as folder:
        pq.write_table(pa.table({"a": column, "y": y}), f"{folder}/a.parquet")
        assert [row[0] for row in fractions(open_table(f"{folder}/a.parquet", target="y"))] == expected


BIG = 2**53 + 1
FRAMES = {
    "int64": pd.DataFrame({"a": [1, BIG]}),
    "uint64": pd.DataFrame({"a": np.array([1, BIG], dtype=np.uint64)}),
    "Int64": pd.DataFrame({"a": pd.array([1, BIG], dtype="Int64")}),
    "UInt64": pd.DataFrame({"a": pd.array([1, BIG], dtype="UInt64")}),
    "objects": pd.DataFrame({"a": np.array([1, BIG], dtype=object)}),
    "polars": pl.DataFrame({"a": [1, BIG]}),
    "Int128": pl.DataFrame({"a": pl.Series([1, BIG], dtype=pl.Int128)}),
    "Object": pl.DataFrame({"a": pl.Series([1, BIG], dtype=pl.Object)}),
    "decimal256": pa.table({"a": pa.array([Decimal(1), Decimal(BIG)], pa.decimal256(50, 5))}),
    "list": {"a": [1, BIG]},
    "masked": {"a": np.ma.masked_array([1, BIG], [False, False])},
}


@pytest.mark.parametrize("kind", FRAMES)
def test_whole_numbers_of_frames(kind):
    frame = FRAMES[kind]
    if isinstance(frame, pa.Table):
        frame = frame.append_column("y", pa.array([0, 1]))
    elif isinstance(frame, pl.DataFrame):
        frame = frame.with_columns(y=pl.Series([0, 1]))
    else:
        frame = {**frame, "y": [0, 1]} if isinstance(frame, dict) else frame.assign(y=[0, 1])
    table = open_table(frame=frame, target="y")
    assert fractions(table) == [[1], [BIG]]
    assert table.long_columns == (0,)


@pytest.mark.parametrize(
    "objects", [[BIG, 2.5], [Decimal("0.1"), 5], [Fraction(1, 8), BIG], [10**25 + 1, Decimal("1e-9")]]
)
def test_objects_of_several_kinds(objects):
    for frame in ({"a": np.array(objects, dtype=object)}, {"a": objects}):
        assert fractions(open_table(frame=frame | {"y": [0, 1]}, target="y")) == [[Fraction(v)] for v in objects]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (np.array([Fraction(1, 3), 2], dtype=object), 'row 1, column "a" is "1/3", .* multiply the column by 3'),
        (np.array([1, 2j], dtype=object), 'row 2, column "a" is "2j", a complex number'),
        (np.array([1j, 2]), "a complex number"),
        (np.array([1, 2], dtype=np.longdouble) / 3, 'row 1, column "a" is .* which float64 does not hold'),
        (np.array([10**32 + 1, 2], dtype=object), 'row 1, column "a" is "1000.*at most 31 digits'),
    ],
)
def test_what_no_decimal_is(values, words):
    for frame in ({"a": values, "y": np.array([0, 1])}, pd.DataFrame({"a": values, "y": [0, 1]})):
        with pytest.raises(Refused, match=words):
            open_table(frame=frame, target="y").rows()


@pytest.mark.parametrize("kind", ["pandas", "Float32", "polars", "arrow", "half"])
def test_float32(kind):
    single = np.array([0.1, 0.2], dtype=np.float32)
    y = [0, 1]
    frame = {
        "pandas": pd.DataFrame({"a": single, "y": y}),
        "Float32": pd.DataFrame({"a": pd.array(single, dtype="Float32"), "y": y}),
        "polars": pl.DataFrame({"a": single, "y": y}),
        "arrow": pa.table({"a": single, "y": y}),
        "half": pa.table({"a": np.array([0.5, 0.25], dtype=np.float16), "y": y}),
    }[kind]
    table = open_table(frame=frame, target="y")
    assert table.single_columns.tolist() == [True]
    expected = [Fraction(1, 2), Fraction(1, 4)] if kind == "half" else [Fraction(1, 10), Fraction(1, 5)]
    assert [row[0] for row in fractions(table)] == expected


@pytest.mark.parametrize("last", ["9007199254740993", "1e-400", "1e400", "0.10000000000000001"])
@pytest.mark.parametrize("first", ["0.5", "0.30000000000000004"])
def test_a_later_row_decides_too(tmp_path, first, last):
    file = tmp_path / "a.csv"
    file.write_text("a,y\n" + f"{first},0\n1,1\n" * 15_000 + f"{last},1\n")
    for read in (lambda t: t.rows(), lambda t: list(t.batches()), lambda t: t.encoding):
        table = open_table(file, target="y")
        read(table)
        assert table.long_columns == (0,)
        written = table.rows().origin.written
        assert Fraction(Decimal(written.take((slice(-1, None), 0)).texts()[0])) == Fraction(Decimal(last))
        assert len(written.high) == 30_001
    other = open_table(file, encoding=table.encoding)  # and where nothing is learned
    assert other.rows().origin.column(0).texts() == table.rows().origin.column(0).texts()


def test_joined_files_keep_whole_numbers(tmp_path):
    pq.write_table(pa.table({"a": [0.5, 0.25], "y": [0, 1]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"a": [BIG, 2], "y": [0, 1]}), tmp_path / "2.parquet")
    table = open_table([tmp_path / "1.parquet", tmp_path / "2.parquet"], target="y")
    assert fractions(table) == [[Fraction(1, 2)], [Fraction(1, 4)], [BIG], [2]]


def test_types_of_duckdb(tmp_path):
    with duckdb.connect(tmp_path / "a.duckdb") as connection:
        connection.execute("CREATE TABLE t (a HUGEINT, b UBIGINT, c DECIMAL(38, 30), y INT)")
        connection.execute(
            "INSERT INTO t VALUES (-12345678901234567890123, 18446744073709551615, 0.1, 0), (1, 2, 1, 1)"
        )
    assert fractions(open_table(tmp_path / "a.duckdb", target="y")) == [
        [-12345678901234567890123, 2**64 - 1, Fraction(1, 10)],
        [1, 2, 1],
    ]


def test_dropped_and_expanded_rows(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("a,s,f,y\n9007199254740993,1,1,0\n,1,1,1\n3,0,2,1\n")
    assert fractions(open_table(file, target="y", features=["a"], missing="drop")) == [[BIG], [3]]
    indicated = open_table(file, target="y", features=["a"], missing="indicator")
    assert fractions(indicated) == [[BIG, 0], [0, 1], [3, 0]]
    counted = open_table(file, counts=("s", "f"), features=["a"], missing="drop")
    assert fractions(counted) == [[BIG], [BIG], [3]]


def test_json_text_within_objects(tmp_path):
    file = tmp_path / "a.jsonl"
    long = "1.00000000000000000000001"
    rows = [{"s": 'x"a": 5', "n": {"a": 7}, "a": 0, "ä": 0, "y": k} for k in (0, 1)]
    file.write_text("\n".join(json.dumps(row).replace('"a": 0', f'"a" : {long}') for row in rows))
    table = open_table(file, target="y", features=["a", "ä"])
    assert [row[0] for row in fractions(table)] == [Fraction(Decimal(long))] * 2
