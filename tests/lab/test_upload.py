"""A visitor's own table."""

import base64
import random
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt.lab.packing import unpack
from rosenblatt.lab.upload import Upload
from rosenblatt.lab.upload import read_upload as read_file
from tests.lab.conftest import Ask


def read_upload(content: bytes, name: str = "data.csv") -> Upload:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, name)
        file.write_bytes(content)
        return read_file(file)


def test_numbers_levels_and_what_is_left_out() -> None:
    text = "id,width,height,when,kind\na,1,2.5,2024-01-01,iris\nb,2,,2024-01-02,rose\nc,3,1.5,2024-01-03,rose\n"
    table = read_upload(text.encode(), "flowers.csv")
    assert table.rows == 2
    assert table.incomplete == 1
    assert set(table.numbers) == {"width", "height"}
    assert table.levels["kind"] == ["iris", "rose"]
    assert table.levels["when"] == ["2024-01-01", "2024-01-03"]  # dates are text: nothing is guessed
    assert table.ignored == []
    header, columns = unpack(table.packed("kind"))
    assert header["target"] == "kind"
    np.testing.assert_array_equal(columns["number width"], [1.0, 3.0])
    np.testing.assert_array_equal(columns["code kind"], [0, 1])


def test_truths_with_gaps_have_the_names_of_truths() -> None:
    assert read_upload(b"a,b,y\nTRUE,1,u\n,2,v\nfalse,3,u\ntrue,4,v\n").levels["a"] == ["false", "true"]


def test_semicolons_and_tabs() -> None:
    for separator in ";\t":
        text = f"a{separator}y\n1{separator}0\n2{separator}1\n"
        assert set(read_upload(text.encode()).numbers) == {"a", "y"}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty"),
        (b"a,b\n", "has a header and no rows"),
        (b"\x00\x01\x02", "is not a text file"),
        (b"a,b\n1,x\n" + b"2,y\n" * 20_000 + "2,é\n".encode("latin-1"), "not windows-1252 text|not UTF-8"),
        (b"a,b\n1,2,3\n4\n", "line 2: this row has 3 fields and the first line has 2"),
        (b"only\n1\n2\n", "needs a column with"),
        (b"a,y\n1,\n2,\n", "every row has an empty cell|needs a column"),
        (b"a,y\n1e999,1\n2,0\n1.5,1\n", "1e999, which float64 does not hold"),
        (b"a,y\n1,1\n2e200,0\n1.5,1\n", 'column "a" has a value above 1e\\+30, complete row 2'),
        (b"x,y\n" + b"1,0\n" * 500_001, "has more than 500,000 rows"),
        (",".join(f"c{j}" for j in range(501)).encode() + b"\n" + b",".join([b"1"] * 501) + b"\n", "has 501 columns"),
    ],
)
def test_what_cannot_be_used_is_refused(content: bytes, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        read_upload(content, "data.csv")


def test_a_target_that_is_none_is_named() -> None:
    with pytest.raises(ValueError, match='"z" cannot be the class; columns with two to 20 different values are a, y'):
        read_upload(b"a,y\n1,0\n2,1\n").packed("z")


@pytest.mark.parametrize("end", ["xlsx", "parquet", "csv.gz"])
def test_every_format_with_columns_is_read(tmp_path: Path, end: str) -> None:
    import pandas as pd

    frame = pd.DataFrame({"a": [1.5, 2.5, 0.1], "t": [True, False, True], "kind": ["rose", "iris", None]})
    write = {"xlsx": frame.to_excel, "parquet": frame.to_parquet, "csv.gz": frame.to_csv}[end]
    write(tmp_path / f"table.{end}", index=False)
    table = read_file(tmp_path / f"table.{end}")
    assert table.numbers["a"].tolist() == [1.5, 2.5]
    assert (table.levels["t"], table.levels["kind"]) == (["false", "true"], ["iris", "rose"])
    assert (table.rows, table.incomplete) == (2, 1)


@pytest.mark.parametrize("codec", ["latin-1", "utf-16"])
def test_other_encodings_are_read(codec):
    assert read_upload("a;b\n1,5;é\n2;x\n".encode(codec)).numbers["a"].tolist() == [1.5, 2.0]


# ------------------------------------------------------------------------------------------- the page reads them alike

KINDS = [  # cells that stand together in a column, and some that do not belong there
    ["1", "2.5", "-3", "+4", ".5", "5.", "1e3", "2E-2", "007", "-0", "1_000", " 8", "9 ", "1e400", "5e-324", "1e-400"],
    ["1,5", "2,25", "-3,125", "4", "1.234,5", "1,234.5", "1,234", "1.234", "12,34,567", "1.234.567"],
    ["1 000", "2\u00a0500", "3", "4.5", "-1\u202f000", "1'000", "1’000.5", "7"],
    ["5%", "12.5 %", "7,5%", "-3%", "100%", "1"],
    ["−1", "−2.5", "3", "−1e−3", "1.234", "+−5"],
    ["9007199254740993", "0.1", "0.10000000000000001", "0.30000000000000004", "12345678901234567", "0.50"],
    ["a", "b", "c d", "A", " a", "1/2", "5kg", "0x10", "1d3", "--", "e5", "1e"],
    ["true", "FALSE", "True", "false"],
    ["2024-01-31", "2024-02-01", "31.01.2024", "12:30"],
    ["inf", "-Infinity", "1", "2"],
    ["1.234", "2.345", "3.456"],
]
GAPS = ["", "NA", "N/A", "n/a", "#N/A", "null", "NULL", ".", "nan", "NaN", "None", "-", "?", "na"]


def tables(times: int) -> list[str]:
    """Tables of columns of one kind or of two, with gaps; all delimiters, ends of lines and quotes."""
    made = []
    for seed in range(times):
        rng = random.Random(seed)
        few = rng.sample(["a", "b", "long name", "1999", "größe", "x,y", 'in"ches'], rng.randint(1, 3))
        columns = {}
        for name in few:
            kinds = rng.sample(KINDS, 1 if rng.random() < 0.8 else 2)
            pool = rng.sample([text for kind in kinds for text in kind], rng.randint(2, 3)) + rng.choices(
                GAPS, k=rng.random() < 0.3
            )
            columns[name] = pool
        names = [*columns, rng.choice(["y", "", "class", "2020"])]
        delimiter, end = rng.choice(",,,;\t|"), rng.choice(["\n", "\r\n", "\r"])
        always = rng.random() < 0.2

        def cell(text: str, always: bool = always, delimiter: str = delimiter) -> str:
            quoted = always or any(sign in text for sign in (delimiter, '"', "\n"))
            return f'"{text.replace(chr(34), 2 * chr(34))}"' if quoted else text

        rows = [[*(rng.choice(pool) for pool in columns.values()), rng.choice("uv")] for _ in range(rng.randint(2, 9))]
        if rng.random() < 0.03:
            rows[0].append("more")
        text = end.join(delimiter.join(map(cell, row)) for row in [names, *rows]) + end * (rng.random() < 0.8)
        if rng.random() < 0.05:
            text = text.replace("u", '"u', 1)
        made.append(text)
    return made


@pytest.mark.parametrize("content", [b"", b"\x00\x01", b"a,b\n1,2,3\n4\n", b"a,b\n", b'a,b\n1,"2\n'])
def test_the_page_refuses_in_a_sentence(page: Ask, content: bytes) -> None:
    (told,) = page([{"act": "table", "file": base64.b64encode(content).decode()}])
    assert told.startswith("t.csv")


def test_the_page_reads_every_table_as_python_does(page: Ask, soak: bool) -> None:
    """The same columns, numbers to the bit, classes and gaps; or both refuse."""
    texts = tables(5_000 if soak else 120)
    theirs = page({"act": "table", "file": base64.b64encode(text.encode()).decode()} for text in texts)
    seen = {"read": 0, "refused": 0}
    for text, there in zip(texts, theirs, strict=True):
        here: Any = None
        with suppress(ValueError):
            here = read_upload(text.encode(), "t.csv")
        assert isinstance(there, str) == (here is None), (text, here, there)
        seen["refused" if here is None else "read"] += 1
        if here is None:
            continue
        assert there["numbers"] == [*here.numbers], text
        assert (there["rows"], there["incomplete"], there["ignored"]) == (here.rows, here.incomplete, here.ignored), (
            text
        )
        for name, values in here.numbers.items():
            assert there["columns"][f"number {name}"] == values.tolist(), (text, name)
        assert {*there["levels"]} == {*here.levels}, text
        for name, levels in here.levels.items():
            assert there["columns"][f"code {name}"] == here.codes[name].tolist(), (text, name)
            if name not in here.numbers:
                assert there["levels"][name] == levels, (text, name)
    assert min(seen.values()) > len(texts) // 10, seen
