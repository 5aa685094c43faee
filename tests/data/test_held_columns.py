"""The compiled look at the bytes of a text file finds the columns that the looks in SQL find."""

import csv
import io
import math
import re
import tempfile
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.data import open_table
from rosenblatt.data.readers.formats import Place, Told
from rosenblatt.data.readers.text import open_csv
from rosenblatt.data.refusal import Refused
from rosenblatt.data.sql import digits
from rosenblatt.data.sql.digits import LONG, held_columns, look_at_digits

PLAIN = re.compile(r"-?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?")


def source_of(folder, text, delimiter=","):
    file = Path(folder) / "a.csv"
    file.write_bytes(text.encode())
    return open_csv(Place(file, file.name), Told(delimiter=delimiter))


def is_long(texts):
    """Whether float64 does not hold a column of numbers: the rule, in Python."""
    exact = [Decimal(text) for text in texts]
    shortest = all(one == Decimal(repr(float(one))) for one in exact)
    whole = any(text.lstrip("-").isdigit() and int(text) != int(float(text)) for text in texts)
    return any(len(one.normalize().as_tuple().digits) > 15 for one in exact) and (whole or not shortest)


def is_power_of_two(text):
    return math.frexp(abs(float(text)))[0] == 0.5


def is_ordinary(text):
    """Whether nothing but its digits can make a number doubtful."""
    x = abs(float(text))
    whole = text.lstrip("-").isdigit()
    plain = (
        PLAIN.fullmatch(text) is not None and (Decimal(text) == 0 or 1e-250 < x < 1e250) and not (whole and x > 2**53)
    )
    return plain and not is_power_of_two(text)  # whose shortest text may not be the nearest one of its length


def with_point(m, places):
    text = str(abs(m)).rjust(places + 1, "0")
    return ("-" if m < 0 else "") + text[:-places] + "." + text[-places:]


floats = st.floats(allow_nan=False, allow_infinity=False)
TEXTS = {
    "floats": floats.map(repr),
    "floats near 1": st.floats(-1000, 1000).map(repr),
    "powers of two": st.integers(-200, 200).map(lambda k: repr(2.0**k)),
    "16 digits": st.floats(-1000, 1000).map(lambda x: f"{x:.16g}"),
    "17 digits": floats.map(lambda x: f"{x:.17g}"),
    "15 digits": floats.map(lambda x: f"{x:.15g}"),
    "neighbours": st.tuples(st.floats(1e-4, 1e4), st.sampled_from("0123456789")).map(lambda p: repr(p[0])[:-1] + p[1]),
    "points": st.tuples(st.integers(-(10**20), 10**20), st.integers(1, 25)).map(lambda p: with_point(*p)),
    "wholes": st.integers(-(10**20), 10**20).map(str),
    "small wholes": st.integers(-(2**54), 2**54).map(str),
    "powers": st.tuples(st.integers(-(10**18), 10**18), st.integers(-400, 330)).map(lambda p: f"{p[0]}e{p[1]}"),
    "zeros": st.sampled_from(["0", "-0.0", "0.00000000000000000000", "1.50000000000000000000", "0e-400", "00012.5"]),
}
columns = st.sampled_from([*TEXTS, "all"]).flatmap(
    lambda kind: st.lists(st.one_of(*TEXTS.values()) if kind == "all" else TEXTS[kind], min_size=1, max_size=5)
)


@pytest.mark.parametrize("small", [0, 1 << 16])
@settings(max_examples=300, deadline=None)
@given(texts=columns)
def test_as_in_sql(small, texts):
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(digits, "_SMALL_FILE", small)
        source = source_of(folder, "a,y\n" + "".join(f"{text},1\n" for text in texts))
        held = 0 in held_columns(source)
        if held:
            assert not is_long(texts)
        elif small == 0 and all(map(is_ordinary, texts)):
            assert is_long(texts)
        if not any(map(is_power_of_two, texts)):  # some of which DuckDB 2.0.0 writes wrongly: 2^91 as 4.95e+27
            assert not (held and look_at_digits(source, [0])[0] == LONG)


CELLS = {
    "held": st.sampled_from(["", "1.5", "-2", "NA", "0.1234567890123456", "0.30000000000000004", "1e-05", "abc"]),
    "doubtful": st.sampled_from(["0.12345678901234567", "1e-320", "9007199254740993", "a,b", 'a"b', "a\nb"]),
    "doubtful, too": st.sampled_from(["0.300000000000000041", "1e400", "1_000_000_000_000_000", "a name that is long"]),
}


@settings(max_examples=300, deadline=None)
@given(data=st.data(), piece=st.integers(40, 300), ends=st.sampled_from(["\n", "\r\n"]), cut=st.booleans())
def test_quotes_and_pieces(data, piece, ends, cut):
    kinds = data.draw(st.lists(st.sampled_from(["held", "held", "mixed"]), min_size=2, max_size=4))
    mixed = st.one_of(CELLS["held"], *CELLS.values())
    row = st.tuples(*(CELLS["held"] if kind == "held" else mixed for kind in kinds))
    rows = data.draw(st.lists(row, min_size=1, max_size=20))
    delimiter = data.draw(st.sampled_from(",;\t|"))
    file = io.StringIO()
    names = ["the first name, which is long", *(f"n{k}" for k in range(1, len(kinds)))]
    csv.writer(file, delimiter=delimiter, lineterminator=ends).writerows([names, *rows])
    text = file.getvalue().removesuffix(ends) if cut else file.getvalue()
    bad = {k for row in rows for k, cell in enumerate(row) if not cell_is_held(cell, delimiter)}
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(digits, "_SMALL_FILE", 0)
        patch.setattr(digits, "_PIECE", piece)
        assert held_columns(source_of(folder, text, delimiter)) == set(range(len(kinds))) - bad


def cell_is_held(cell, delimiter):
    quoted = delimiter in cell or '"' in cell or "\n" in cell
    return not quoted and cell in ("a,b", *CELLS["held"].elements)


@pytest.mark.parametrize("row", ["1,2,3", "1", '1,2"3', '"1"2,3', '1,"2', "1,2\n3,4,5"])
def test_rows_that_do_not_fit(tmp_path, monkeypatch, row):
    monkeypatch.setattr(digits, "_SMALL_FILE", 0)
    assert held_columns(source_of(tmp_path, f"a,y\n1,0.1234567890123456\n{row}\n")) == set()


def test_a_header_of_two_lines(tmp_path, monkeypatch):
    monkeypatch.setattr(digits, "_SMALL_FILE", 0)
    assert held_columns(source_of(tmp_path, '"a\n",y\n1,2\n",3",4\n')) == {1}


def test_other_files(tmp_path):
    source = source_of(tmp_path, "a.y\n1.2\n", ".")
    assert held_columns(source) == set()


def late(folder, text, first="0.125", rows=50_000):
    """A table with another number in the last row than in the first ones."""
    file = Path(folder) / "a.csv"
    file.write_text("a,b,y\n" + f"{first},0.30000000000000004,0\n{first},2.5,1\n" * (rows // 2) + f"{text},0.5,1\n")
    return open_table(file, target="y")


@pytest.mark.parametrize("text", ["0.12345678901234567", "9007199254740993", "1e-400", "1e400", "1e-310", "1_0e-400"])
def test_late_numbers(tmp_path, text):
    table = late(tmp_path, text)
    X = table.arrays()[0]
    assert table.long_columns == (() if text == "1e-310" else (0,))
    assert X[-1, 0] == float(text)
    assert np.array_equal(X[:2], [[0.125, 0.1 + 0.2], [0.125, 2.5]])
    table = late(tmp_path, text)
    assert sum(len(block.row_numbers) for block in table.batches()) == 50_001


@pytest.mark.parametrize("text", ["+7", " 7", "1_000", "7.", ".7", "-0", "0.1234567890123456", '"7.5"', "1e-05"])
def test_late_floats(tmp_path, text):
    table = late(tmp_path, text)
    assert table.arrays()[0][-1, 0] == float(text.strip('"'))
    assert table.long_columns == ()


@pytest.mark.parametrize("text", ["+-1", "inf", "x", "1.2.3"])
def test_late_refusals(tmp_path, text):
    with pytest.raises(Refused, match=r"row 50,001|line 50,002"):
        late(tmp_path, text).arrays()


def test_reading_may_end_early(tmp_path):
    blocks = late(tmp_path, "1", rows=200_000).batches(10)
    assert len(next(blocks).row_numbers) == 10
    blocks.close()
