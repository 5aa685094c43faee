"""Bad input gets one sentence that names the file, the row, the column and the value."""

import gzip
import os
import signal
import sys
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

from rosenblatt.data import Encoding, Refused, Store, open_table
from rosenblatt.data.sql import from_query

GOOD = "a,b,y\n1,2,0\n3,4,1\n"

# name of the file: its content, what is asked for, what the sentence must say
TEXTS: dict[str, tuple[str | bytes, dict[str, Any], str]] = {
    "empty.csv": ("", {}, "is empty"),
    "blank.csv": ("\n\n", {}, "is empty"),
    "late.csv": ("\n" + GOOD, {}, "begins with an empty line"),
    "ends.csv": ("a,y\r\n1,0\n2,1\r\n", {}, "ends of its lines are of different kinds"),
    "header.csv": ("a,b,y\n", {}, "has a header and no rows"),
    "short.csv": ("a,b,y\n1,2,0\n3,1\n", {}, "line 3: this row has 2 fields and the first line has 3"),
    "long.csv": ("a,b,y\n1,2,0\n3,4,5,1\n", {}, "line 3: this row has 4 fields and the first line has 3"),
    "twice.csv": ("a,a,y\n1,2,0\n", {}, '2 columns called "a"'),
    "nameless.csv": (",,\n1,2,0\n", {}, "no column names in its first line"),
    "comment.csv": (
        "# by hand\na,y\n1,0\n2,1\n",
        {},
        r'first line \("# by hand"\) is one field, and the next has 2: the',
    ),
    "title.csv": (
        "Survey\n\na;b;y\n1;2;0\n2;2;1\n",
        {},
        r'first line \("Survey"\) is one field, and the next has 3: the',
    ),
    "excel.csv": ("sep=;\na;y\n1;0\n2;1\n", {}, 'begins with "sep=;", which only Excel understands: remove that line'),
    "row-names.csv": ('"a","y"\n"1",5,0\n"2",6,1\n', {}, "every row has one field more than the first line has names"),
    "blanks.txt": ("a y\n1 0\n2 1\n", {}, 'separated by blanks: say delimiter=" "'),
    "more-blanks.txt": ("a   y\n1   0\n2   1\n", {}, "separated by several blanks: put one comma or one tab for them"),
    "sparse.txt": ("+1 1:2 3:4\n-1 2:3\n", {}, 'looks like LIBSVM text: say format="libsvm"'),
    "unmarked.csv": ("a,y\n1,0\n".encode("utf-16-le"), {}, 'if it is UTF-16 without its mark, say charset="utf-16-le"'),
    "escaped.csv": ('a,s,y\n1,"u\\"v",0\n2,"w",1\n', {}, r'or one inside of quotes is not doubled \(""\)'),
    "numbers.csv": ("1,2,0\n3,4,1\n", {"target": "0"}, "no header"),
    "one.csv": ("a,y\n1,0\n2,0\n", {}, 'is "0" in every row'),
    "three.csv": ("a,y\n1,u\n2,v\n3,w\n", {}, r'3 different values \(u, v, w\): say positive="VALUE"'),
    "stray.csv": (
        "a,y\n1,0\n2,1\nx,1\n",
        {},
        r'column "a" is text because of row 3 \("x"\); 2 of 3 values are numbers',
    ),
    "na.csv": ("a,y\n1,0\n?,1\n3,1\n", {}, r'row 2 \("\?"\).*na=\["\?"\], or categorical=\["a"\], or drop=\["a"\]'),
    "word.csv": ("a,y\n1,0\nNA,1\n3,1\n", {}, r'missing values \(a 1; the first in row 2, column "a"\)'),
    "hex.csv": ("a,y\n1,0\n0x10,1\n", {}, r'row 2 \("0x10"\)'),
    "comma.csv": ('a,y\n"1,5",0\n2.5,1\n', {}, r'row 1 \("1,5"\)'),
    "word-of-class.csv": (
        "a,y\n1,u\n2,v\n3,NA\n",
        {},
        r'3 different values \(NA, u, v\): say na=\["NA"\] and missing="drop" if that means missing, or positive="V',
    ),
    "blank-class.csv": ("a,y\n1,u\n2,v\n3,u \n", {}, r'3 different values \(u, "u ", v\)'),
    "quotes.csv": ('a,y\n1,0\n"so ""so""",1\n', {}, r'Say na=\["so \\"so\\""\], or'),
    "story.csv": ("a,y\n1,0\n" + "long " * 20 + ",1\n", {}, r"1 of 2 values are numbers. Say categorical=."),
    "dollars.csv": (
        'a,y\n$5,0\n"$1,200.50",1\n',
        {},
        r'sums of money \("\$1,200.50"\): write the numbers without the sign',
    ),
    "euros.csv": (
        "a;y\n5,00 €;0\n1.200,50 €;1\n",
        {},
        r'sums of money \("1.200,50 €"\): write the numbers without the',
    ),
    "ways.csv": (
        'a,y\n"1,5",0\n"1,234.5",1\n',
        {},
        r'has numbers, but no one way of writing fits all \("1,234.5", "1,5"',
    ),
    "said.csv": ("a;y\n1,5;0\n2,25;1\n", {"thousands": ","}, r"has numbers, but no one way of writing fits all"),
    "nan.csv": ("a,y\n1,0\nNaN,1\n", {}, r'missing values \(a 1; the first in row 2, column "a"\)'),
    "inf.csv": ("a,y\n1,0\ninf,1\n", {}, r'row 2, column "a" is infinite or beyond float64 \("inf"\)'),
    "large.csv": ("a,y\n1,0\n2,1\n1e9999,1\n", {}, r'row 3, column "a" is "1e9999"; a number has at most 31 digits'),
    "longest.csv": (f"a,y\n1,0\n2,1\n0.{'7' * 32},1\n", {}, r'row 3, column "a" is "0.7+"; a number has at most 31'),
    "two signs.csv": ("a,y\n1,0\n2,1\n+-1,1\n", {}, r'row 3, column "a" is "\+-1", which is no number'),
    "mean.csv": ("a,y\n1,0\n12345678901234567.5,1\n,1\n", {"missing": "mean"}, "as a mean must be"),
    "product.csv": ("a,y\n1,0\n12345678901234567.5,1\n", {"degree": 2}, 'row 2, column "a" is "12345678901234567.5"'),
    "long weight.csv": (
        "a,w,y\n1,1,0\n2,1e-400,1\n",
        {"weights": "w"},
        r'row 2, column "w" is "1e-400", which float64',
    ),
    "gap.csv": ("a,y\n1,0\n,1\n", {}, 'missing="drop", "indicator" or "mean"'),
    "label.csv": ("a,y\n1,0\n2,\n3,1\n", {}, 'column "y"'),
    "hollow.csv": ("a,b,y\n1,,0\n2,,1\n", {}, 'column "b" has no value in any row'),
    "ids.csv": (
        "id,y\n" + "".join(f"n{i},{i % 2}\n" for i in range(150)),
        {},
        'column "id" is text with 150 different values, more than 100: say id="id" if it names the rows, hash_col',
    ),
    "names.csv": (
        "name,y\n" + "".join(f"n{i // 2},{i % 2}\n" for i in range(300)),
        {},
        'column "name" is text with 150 different values, more than 100: say hash_columns=."name". or drop=."name".',
    ),
    "second-id.csv": (
        "id,other,y\n" + "".join(f"n{i},m{i},{i % 2}\n" for i in range(150)),
        {"id": "id"},
        'column "other" is text with 150 different values, more than 100: say hash_columns=."other". or',
    ),
    "unnamed.csv": (
        "name,y\n" + "".join(f"n{i},{i % 2}\n" for i in range(150)) + ",0\n",
        {"missing": "drop"},
        'column "name" is text with 150 different values, more than 100: say hash_columns=."name". or drop=."name".',
    ),
    "days.csv": (
        "visit,y\n" + "".join(f"2024-{1 + i // 28:02}-{1 + i % 28:02},{i % 2}\n" for i in range(150)),
        {},
        'column "visit" is text that holds dates: say dates=."visit": "days"., or drop=."visit"., or categorical=."vis',
    ),
    "few-days.csv": (
        "visit,y\n2024-01-31,0\n2024-02-01 12:30,1\n",
        {},
        'column "visit" is text that holds dates: say dates=."visit": "days"., or drop=."visit".',
    ),
    "dotted-days.csv": (
        "visit,y\n31.01.2024,0\n1.2.2024,1\n",
        {},
        r'holds dates \("1.2.2024"\), which are read only as 2024-01-31: write them so, or say drop=."visit"., or cat',
    ),
    "no-day.csv": (
        "visit,y\n2024-01-31,0\n31.01.2024,1\n",
        {"dates": {"visit": "days"}},
        r'row 2, column "visit" is "31.01.2024", and not a date as in 2024-01-31: write dates so, or say na=.',
    ),
    "short-year.csv": (
        "visit,y\n2024-01-31,0\n24-01-31,1\n",
        {"dates": {"visit": "days"}},
        r'row 2, column "visit" is "24-01-31", and not a date',
    ),
    "several.csv": ("a,b,y\n1,2,0\n2,1,1\n", {"target": "a,b"}, 'name its columns one at a time: "a", "b"'),
    "latin.csv": (
        "name,y\nM\xfcller,0\nx,1\n".encode("latin-1"),
        {"charset": "utf-8"},
        "line 2: the text is not UTF-8",
    ),
    "wide.csv": (GOOD.encode("utf-16")[:-1], {}, "not UTF-16 text all through"),
    "zero.csv": (b"a,y\n1,\x000\n", {}, "zero bytes"),
    "quote.csv": ('a,y\n"1,0\n2,1\n', {}, "quote"),
    "cut.csv.gz": (gzip.compress(GOOD.encode() * 500)[:40], {}, "damaged"),
    "target.csv": (GOOD, {"target": "Y"}, r'no column "Y"; did you mean "y"\?'),
    "nowhere.csv": (GOOD, {"target": "label"}, 'no column "label"; its columns are a, b, y'),
    "which.csv": (GOOD, {"target": None}, "which column is the class"),
    "drop.csv": (GOOD, {"drop": ["c"]}, 'no column "c"'),
    "features.csv": (GOOD, {"features": ["a", "z"]}, 'no column "z"'),
    "nothing.csv": (GOOD, {"drop": ["a", "b"]}, "no column left"),
    "both.csv": (GOOD, {"features": ["a"], "drop": ["a"]}, "two ways"),
    "policy.csv": (GOOD, {"missing": "ignore"}, "missing must be one of"),
    "degree.csv": (GOOD, {"degree": 0}, "degree must be 1 or more"),
    "buckets.csv": (GOOD, {"hash_columns": ["a"], "hash_buckets": 1}, "2 buckets or more"),
    "power.csv": ("a,b,y\n1e200,1,0\n1,1,1\n", {"degree": 2}, r'row 1, column "a\^2" \(a product'),
    "size.csv": (
        ",".join(f"c{i}" for i in range(300)) + ",y\n" + "1," * 300 + "0\n" + "2," * 300 + "1\n",
        {"degree": 4},
        "columns; use a lower degree",
    ),
    "positive.csv": (GOOD, {"positive": "2"}, 'never is "2"; its values are 0, 1'),
    "weight.csv": ("a,w,y\n1,1,0\n2,-1,1\n", {"weights": "w"}, r'row 2, column "w" is -1; a weight must be 0 or more'),
    "weights.csv": ("a,w,y\n1,0,0\n2,0,1\n", {"weights": "w"}, "no row left"),
    "count.csv": ("a,s,f\n1,1,0.5\n2,1,1\n", {"target": None, "counts": ("s", "f")}, r'column "f" is 0.5; a count'),
    "counted.csv": (
        GOOD,
        {"counts": ("a", "b")},
        "leave the target and the weights out",
    ),
    "format.csv": (GOOD, {"format": "xml"}, "format must be one of"),
    "what.xyz": (GOOD, {}, "does not say what the file is"),
    "half.parquet": (b"PAR1" + b"\x00" * 60, {}, "half.parquet"),
    "not.parquet": (GOOD, {}, "not.parquet"),
    "not.duckdb": (GOOD * 100, {}, "not.duckdb"),
    "not.arrow": (GOOD, {}, "not an Arrow file"),
    "not.npy": (GOOD, {}, "not a NumPy file"),
    "not.npz": (GOOD, {}, "not a NumPy file"),
    "list.jsonl": ('{"a": [1], "y": 0}\n{"a": [2], "y": 1}\n', {}, 'column "a" is of type JSON.*: turn it.* say drop='),
    "columns.json": (
        '{"a": [1, 2], "y": [0, 1]}',
        {},
        "lists or objects in every column: a table in JSON is a list of",
    ),
    "arrays.json": ("[[1, 0], [2, 1]]", {}, "holds no objects: a table in JSON is a list of objects"),
    "text.xls": ("a\ty\n1\t0\n", {}, 'is text and no workbook: say format="csv"'),
    "page.xls": ("<html><table></table></html>", {}, "is HTML or XML and no workbook: save it"),
    "broken.jsonl": ('{"a": 1, "y": 0}\n{"a": 2, "y"\n', {}, "broken.jsonl"),
    "mixed.jsonl": ('{"a": 1, "y": 0}\n{"a": "x", "y": 1}\n', {}, r'row 2 \("x"\)'),
    "sql.csv": (GOOD, {"sql": "SELECT 1"}, "not a database"),
    "index.svm": ("1 1:2 3:4\n-1 0:1 2:3\n", {}, "line 2: index 0"),
    "order.svm": ("1 1:2 3:4\n-1 3:1 2:3\n", {}, "line 2: index 2 comes after index 3"),
    "pair.svm": ("1 1:2\n-1 3\n", {}, 'line 2: "3" is not of the form index:value'),
    "word.svm": ("1 1:2\n-1 a:3\n", {}, 'line 2: "a" in "a:3" is not an index'),
    "value.svm": ("1 1:2\n-1 2:x\n", {}, r'line 2: the value in "2:x" is "x", not a number'),
    "colons.svm": ("1 1:2:3 4\n-1 2:1\n", {}, "line 1"),
    "qid.svm": ("1 qid:3 1:2\n-1 2:1\n", {}, 'line 1: "qid"'),
    "infinite.svm": ("1 1:2\n-1 2:inf\n", {}, "line 2: .*not a finite number"),
    "alone.svm": ("1 1:2\n1 2:1\n", {}, "in every row"),
    "three.svm": ("1 1:2\n2 2:1\n3 1:1\n", {}, "3 labels"),
    "hollow.svm": ("\n\n", {}, "has no rows"),
    "chosen.svm": ("1 1:2\n-1 2:1\n", {"drop": ["x1"]}, "without column names"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_one_sentence(name: str, tmp_path: Path) -> None:
    content, options, expected = TEXTS[name]
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(Refused, match=expected) as caught:
        open_table(file, **({"target": "y"} | options)).arrays()
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith((".", "?"))
    assert len(message) < 500
    assert os.listdir(tmp_path) == [name]


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="does not exist"):
        open_table(tmp_path / "nothing.csv", target="y")
    with pytest.raises(Refused, match="is a folder"):
        open_table(tmp_path, target="y")


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may read everything")
def test_no_permission(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text(GOOD)
    file.chmod(0)
    with pytest.raises(Refused, match="permission denied"):
        open_table(file, target="y")


def test_a_parquet_file_cut_in_half(tmp_path: Path) -> None:
    file = tmp_path / "t.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT range AS a, range % 2 AS y FROM range(1000)) TO '{file}'").fetchall()
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with pytest.raises(Refused, match=r"t\.parquet cannot be read"):
        open_table(file, target="y")


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        (pd.DataFrame([[1, 2, 0]], columns=["a", "a", "y"]), '2 columns called "a"'),
        (
            pd.DataFrame({"a": pd.to_datetime(["2020-01-01", "2020-01-02"]), "y": [0, 1]}),
            'column "a" is of type TIMESTAMP',
        ),
        (pl.DataFrame({"a": [1.0, None], "y": [0, 1]}), r"a 1; the first in row 2"),
        (pl.DataFrame({"a": [1.0, float("inf")], "y": [0, 1]}), r'row 2, column "a" is infinite'),
        (np.eye(3), "is a ndarray; a table is"),
        (pd.Series([1, 2]), "is a Series; a table is"),
        (pl.Series([1, 2]), "is a Series; a table is"),
        (pd.DataFrame({"a": [1, "x", 3], "y": [0, 1, 1]}), r'column "a" is text because of row 2 \("x"\); 2 of 3'),
        (pd.DataFrame({"a": [1, True, 3], "y": [0, 1, 1]}, dtype=object), r'because of row 2 \("true"\)'),
        (pl.DataFrame({"a": [None, None], "y": [0, 1]}), 'column "a" has no value in any row'),
    ],
)
def test_frames(frame: Any, expected: str) -> None:
    with pytest.raises(Refused, match=expected):
        open_table(frame=frame, target="y").arrays()


def test_lazy_frames_and_two_sources() -> None:
    with pytest.raises(TypeError, match="LazyFrame"):
        open_table(frame=pl.LazyFrame({"a": [1]}), target="a")
    with pytest.raises(TypeError, match="one of them only"):
        open_table("a.csv", frame=pd.DataFrame(), target="y")
    with pytest.raises(TypeError, match="one of them only"):
        open_table(target="y")


def test_queries() -> None:
    with pytest.raises(Refused, match="the query cannot be read"):
        open_table(sql="SELEC 1", target="y")
    with pytest.raises(Refused, match="the query"):
        open_table(sql="SELECT * FROM nowhere", target="y")
    with pytest.raises(Refused, match="2 columns called"):
        open_table(sql="SELECT 1 AS a, 2 AS a, 3 AS y", target="y")


def test_which_table_of_a_database(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute("CREATE TABLE one AS SELECT 1 AS y; CREATE TABLE two AS SELECT 2 AS y").fetchall()
    with pytest.raises(
        Refused, match=r'holds several tables; say table="NAME", or .*t.duckdb::NAME, with one of one, two'
    ):
        open_table(tmp_path / "t.duckdb", target="y")
    with pytest.raises(Refused, match='has no table "three"'):
        open_table(tmp_path / "t.duckdb", table="three", target="y")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,y\n1,0\n", 'has no column "s"'),
        (
            "a,s,y\n1,u,0\n2,w,1\n",
            'row 2, column "s" is "w", which is not one of the 2 values known .u, v.: correct it, or',
        ),
        ("a,s,y\n1,u,0\nx,v,1\n", 'row 2, column "a" is "x", where the model has numbers'),
        ("a,s,y\n1,u,0\n2,v,maybe\n", 'row 2, column "y" is "maybe"'),
        ("a,s,y\n1,u,0\n,v,1\n", r"missing values \(a 1.*, where the original table had none: fill them in, or"),
        ("a,s\n1,u\n", 'has no column "y", which is needed; its columns are a, s'),
    ],
)
def test_a_table_that_does_not_fit(text: str, expected: str, tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("a,s,y\n1,u,0\n2,v,1\n")
    encoding = open_table(file, target="y").encoding
    other = tmp_path / "other.csv"
    other.write_text(text)
    with pytest.raises(Refused, match=expected):
        open_table(other, encoding=encoding).arrays()


def test_a_table_to_predict_needs_no_target(tmp_path: Path) -> None:
    file, other = tmp_path / "t.csv", tmp_path / "other.csv"
    file.write_text("a,s,y\n1,u,0\n2,v,1\n")
    other.write_text("extra,s,a\n?,v,7\n")
    table = open_table(other, encoding=open_table(file, target="y").encoding, labels=False)
    assert table.arrays()[0].tolist() == [[7, 1]]


@pytest.mark.parametrize("entry", [None, [], {}, {"columns": [1]}, {"columns": [{"kind": "number"}], "target": "y"}])
def test_damaged_encodings(entry: Any) -> None:
    with pytest.raises(Refused, match="damaged"):
        Encoding.from_json(entry)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("a,y\n1,0\n,1\n", {"target": "y", "missing": "drop"}),
        ("a,w,y\n1,1,0\n2,0,1\n", {"target": "y", "weights": "w"}),
        ("a,s,f\n1,0,2\n2,0,1\n", {"counts": ("s", "f")}),
    ],
)
def test_one_class_is_left(text: str, options: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text(text)
    with pytest.raises(Refused, match=r'only rows of class "[0f]" are left'):
        open_table(file, **options).arrays()
    with pytest.raises(Refused, match=r'only rows of class "[0f]" are left'):
        Store.build(open_table(file, **options), tmp_path / "store")
    assert os.listdir(tmp_path) == ["t.csv"]


def test_a_text_file_with_columns_that_would_take_for_ever(tmp_path: Path) -> None:
    file, p = tmp_path / "wide.csv", 50_001
    file.write_text(
        "\n".join([",".join([*(f"g{j}" for j in range(p)), "y"]), *(f"{k}," * p + f"{k % 2}" for k in range(4))])
    )
    with pytest.raises(
        Refused, match=r"has 50,001 columns to learn from, and at most 50,000 are read from a text file"
    ):
        open_table(file, target="y")


def test_an_interrupted_query_is_no_refusal() -> None:
    """DuckDB calls a signal that comes meanwhile an error of its own, or waits for hours until its threads are done."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    source = from_query("SELECT sum(range) FROM range(1_000_000_000_000)", "the query", ())
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for after in (0.3, 0.05, 0.01, 0.001, 0.0001):
            signal.setitimer(signal.ITIMER_REAL, after)
            with pytest.raises(KeyboardInterrupt):
                source.select(source.query)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
