"""Columns by name: the rules of `open_table`, without a target."""

import csv
import io
import math
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.data.refusal import Refused
from rosenblatt.data.tables.named_columns import read_columns

CELLS = st.sampled_from(["1", "-2.5", "1e3", "nan", "", "true", "FALSE", "x", "0x10", "16", "7,5", 'say "hi"', "a;b"])


def expected(texts: list[str]) -> list[object]:
    """The naive reading of one column."""
    there = [text for text in texts if text]

    def is_number(text: str) -> bool:
        try:
            float(text)
        except ValueError:
            return False
        return True

    if there and all(text.lower() in ("true", "false") for text in there):
        return [None if not text else text.lower() == "true" for text in texts]
    if all(map(is_number, there)):
        return [float(text) if text else math.nan for text in texts]
    if all(re.fullmatch(r"[0-9]+(,[0-9]+)?(e[0-9]+)?", text) for text in there):  # decimal commas
        return [float(text.replace(",", ".")) if text else math.nan for text in texts]
    return [text or None for text in texts]


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=8))
def test_each_column_is_what_every_value_of_it_is(tmp_path_factory, rows):
    file = tmp_path_factory.mktemp("columns") / "t.csv"
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows([("a", "b"), *rows])
    file.write_text(written.getvalue())
    found = read_columns(file)
    for name, texts in zip("ab", zip(*rows, strict=True), strict=True):
        assert repr(found[name].tolist()) == repr(expected(list(texts)))


def test_files_with_types(tmp_path):
    frame = pd.DataFrame({"f": np.float32([0.5, 1]), "i": [1, 2], "t": ["a", None], "b": [True, False]})
    frame["when"] = pd.to_datetime(["2024-01-01", "2024-01-02"])
    frame.to_parquet(tmp_path / "t.parquet")
    found = read_columns(tmp_path / "t.parquet")
    assert {name: values.dtype.name for name, values in found.items()} == {
        "f": "float32",
        "i": "float64",
        "t": "object",
        "b": "bool",
        "when": "object",
    }
    assert found["t"].tolist() == ["a", None]
    assert found["when"][0].startswith("2024-01-01")


@pytest.mark.parametrize("text", ["1,2\n3,4\n", "1;2\n3;4\n", "1 2\n3 4\n", "  1   2\n 3  4 \n", "1\t2\n3\t4\n"])
def test_without_a_header(tmp_path, text):
    (tmp_path / "t.txt").write_text(text)
    found = read_columns(tmp_path / "t.txt", header=False)
    assert {name: values.tolist() for name, values in found.items()} == {"0": [1.0, 3.0], "1": [2.0, 4.0]}
    (tmp_path / "t.txt").write_text("a,b\n1,2\n")
    assert list(read_columns(tmp_path / "t.txt", header=False)) == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is empty"),
        ("a,b\n", "has a header and no rows"),
        ("a,b\n1,2\n3\n", "line 3: this row has 1 fields and the first line has 2"),
        ("a,a\n1,2\n", 'has 2 columns called "a"'),
        ("1,2\n3,4\n", "has no header"),
    ],
)
def test_refusals(tmp_path, text, sentence):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(Refused, match=sentence):
        read_columns(tmp_path / "t.csv")


def test_no_more_rows_than_asked_for(tmp_path):
    (tmp_path / "t.csv").write_text("a\n" + "1\n" * 100)
    assert len(read_columns(tmp_path / "t.csv", most_rows=7)["a"]) == 7


def test_one_column_of_texts_may_hold_any_delimiter(tmp_path):
    (tmp_path / "t.csv").write_text("note\nfirst; and last\nhello\n1|2\n")
    assert read_columns(tmp_path / "t.csv")["note"].tolist() == ["first; and last", "hello", "1|2"]
