"""Plain numbers are read without DuckDB, to the bits of its reading; all else gets DuckDB's answer, word for word."""

import csv
import io
import itertools
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.data import Encoding, Refused, Store, column_table, open_table, plain_csv, plain_pieces
from rosenblatt.data.column_table import ColumnTable

ROWS = 40


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of any size are worth it, in pieces of a few lines; the first look sees only a few rows."""
    monkeypatch.setattr(plain_csv, "_SMALLEST", 0)
    monkeypatch.setattr(plain_pieces, "_PIECE", 50)
    monkeypatch.setattr(column_table, "_SAMPLE", 5)
    monkeypatch.setattr(column_table, "_FEWEST", 5)


def table_text(n: int = ROWS, delimiter: str = ",", end: str = "\n") -> str:
    rng = np.random.default_rng(n)
    lines = [delimiter.join(["a", "id", "y", "b", "w"])]
    for i in range(n):
        a, b = rng.normal(), rng.integers(-1000, 1000) / 8
        lines.append(delimiter.join([repr(float(a)), f"n{i}", f"{i % 2}", repr(float(b)), f"{i % 4}"]))
    return end.join(lines) + end


def write(folder: Path, text: str | bytes) -> Path:
    file = folder / "t.csv"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


class Scans:
    """Counts what DuckDB is asked to read."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.n = 0
        original = ColumnTable._scan

        def counted(table: ColumnTable, encoding: Encoding) -> Any:
            self.n += 1
            return original(table, encoding)

        patch.setattr(ColumnTable, "_scan", counted)


def answer(file: Path, options: dict[str, Any]) -> Any:
    """All that a table says: its arrays to the bit, or a sentence."""
    try:
        table = open_table(file, **({"target": "y", "drop": ["id", "w"]} | options))
        X, y, weights = table.arrays()
        parts = [None if one is None else (one.dtype, one.shape, one.tobytes()) for one in (X, y, weights)]
        return parts, table.row_numbers.tolist(), table.features, table.classes, table.n
    except Refused as refused:
        return str(refused)


def both(file: Path, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> tuple[Any, int]:
    """The same answer with the plain reader and without; also how many rows it read."""
    read = 0
    original = plain_pieces.plain_pieces

    def noted(csv: Any) -> Iterator[Any]:
        nonlocal read
        read = 0
        for piece in original(csv):
            read += len(piece.values)
            yield piece

    with monkeypatch.context() as patch:
        patch.setattr(plain_pieces, "plain_pieces", noted)
        found = answer(file, options)
        patch.setattr(plain_csv, "_SMALLEST", 1 << 60)
        rows, read = read, -1
        assert found == answer(file, options)
        assert read == -1  # it was off
    return found, rows


PLAIN = {
    "newline": (table_text(), {}),
    "return and newline": (table_text(end="\r\n"), {}),
    "no final newline": (table_text().removesuffix("\n"), {}),
    "no final return": (table_text(end="\r\n").removesuffix("\r\n"), {}),
    "semicolon": (table_text(delimiter=";"), {}),
    "tab": (table_text(delimiter="\t"), {}),
    "bar": (table_text(delimiter="|"), {}),
    "weights": (table_text(), {"weights": "w", "drop": ["id"]}),
    "counts": (table_text(), {"counts": ("w", "y"), "target": None, "drop": ["id"]}),
    "features in another order": (table_text(), {"features": ["b", "w", "a"], "drop": []}),
    "several classes": (table_text(), {"target": "w", "multiclass": True, "drop": ["id"]}),
    "one class against the rest": (table_text(), {"target": "w", "positive": "2", "drop": ["id"]}),
    "the class that comes first": (table_text(), {"positive": "0"}),
    "classes with names": ("y,a\n" + "rät sel,1\n-,2\n" * 20, {"drop": []}),
    "texts for missing values": (table_text(), {"na": ["NA", "-", "", " 1"], "missing": "drop"}),
    "indicators, if any were missing": (table_text(), {"missing": "indicator"}),
    "a header in other letters": (table_text().replace("a,id", "größe,id"), {}),
    "spaces in the header": (table_text().replace("a,id", " a b,id"), {}),
    "many columns": (
        ",".join(f"x{j}" for j in range(99)) + ",y\n" + "".join("0.5," * 99 + f"{i % 2}\n" for i in range(9)),
        {"drop": []},
    ),
}


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("size", [1, 7, 50, 333, 1 << 20])
def test_plain_tables(name: str, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, options = PLAIN[name]
    monkeypatch.setattr(plain_pieces, "_PIECE", size)
    scans = Scans(monkeypatch)
    _, rows = both(write(tmp_path, text), options, monkeypatch)
    assert rows == len(text.splitlines()) - 1
    assert scans.n == 1  # when the plain reader was off


BYTE_MARK = b"\xef\xbb\xbf"
OTHERS: dict[str, tuple[str | bytes, dict[str, Any]]] = {
    "a number that stands for nothing": (
        table_text(),
        {"na": ["2"], "weights": "w", "drop": ["id"], "missing": "drop"},
    ),
    "one of the rest that stands for nothing": (
        table_text(),
        {"target": "w", "na": ["1"], "positive": "2", "drop": ["id", "y"], "missing": "drop"},
    ),
    "one of the rest that stands for nothing, in letters": (
        table_text().replace(",0\n", ",none\n").replace(",1\n", ",one\n"),
        {"target": "w", "na": ["none"], "positive": "2", "drop": ["id", "y"], "missing": "drop"},
    ),
    "products": (table_text(), {"degree": 2}),
    "text": (table_text(8), {"drop": []}),
    "byte order mark": (BYTE_MARK + table_text().encode(), {}),
    "quoted header": (table_text().replace("a,id", '"a","id"', 1), {}),
    "a line end in the header": (table_text().replace("a,id", '"a\nb",id', 1), {}),
    "a quote in a name": (table_text().replace("a,id", 'a"b,id', 1), {}),
    "a return in a name": (table_text().replace("a,id", "a\rb,id", 1), {}),
    "another delimiter": (table_text(delimiter=":"), {"delimiter": ":"}),
    "a delimiter that looks like a number": (table_text(9, "5").replace("7", "6"), {"delimiter": "5"}),
    "a column twice": (table_text(), {"features": ["a", "b", "a"], "drop": []}),
    "a class with a quote": (table_text().replace(",1,", ',"u""v",'), {}),
    "very many classes": (
        "a,y\n" + "".join(f"{i},{i % 70}\n" for i in range(140)),
        {"drop": [], "multiclass": True},
    ),
    "a header and no rows": ("a,id,y,b,w\n", {}),
    "a header and no line end": ("a,id,y,b,w", {}),
}


@pytest.mark.parametrize("name", OTHERS)
def test_tables_that_are_left_to_duckdb(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, options = OTHERS[name]
    monkeypatch.setattr(column_table, "_SAMPLE", 1000)  # all is known at the outset
    assert both(write(tmp_path, text), options, monkeypatch)[1] == 0


def test_what_an_encoding_may_ask_of_a_column(tmp_path: Path) -> None:
    """A class that stands for a missing value, or a number that is also the target: by hand only."""
    table = open_table(write(tmp_path, table_text()), target="y", drop=["id", "w"], na=["u"])
    assert plain_csv.plain_csv(table.source, ["a"], "y", table.encoding) is not None
    assert plain_csv.plain_csv(table.source, ["a", "y"], "y", table.encoding) is None
    assert plain_csv.plain_csv(table.source, ["a"], "y", replace(table.encoding, classes=("0", "u"))) is None
    assert plain_csv.plain_csv(table.source, ["a"], None, replace(table.encoding, classes=("0", "u"))) is not None


def test_packed_files_are_left_to_duckdb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import gzip

    assert both(write(tmp_path, gzip.compress(table_text().encode())), {}, monkeypatch)[1] == 0


def test_small_files_are_not_worth_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path, table_text())
    monkeypatch.setattr(plain_csv, "_SMALLEST", file.stat().st_size)
    assert both(file, {}, monkeypatch)[1] == ROWS
    monkeypatch.setattr(plain_csv, "_SMALLEST", file.stat().st_size + 1)
    assert both(file, {}, monkeypatch)[1] == 0


# ------------------------------------------------------------------------------------------------------------ odd lines

ODD: dict[str, tuple[bytes, dict[str, Any]]] = {
    "missing, refused": (b",n,0,1,1", {}),
    "missing, dropped": (b",n,0,1,1", {"missing": "drop"}),
    "missing, told": (b",n,0,1,1", {"missing": "indicator"}),
    "missing by a text": (b"NA,n,0,1,1", {"missing": "drop", "na": ["NA"]}),
    "an unknown text for nothing": (b"NA,n,0,1,1", {}),
    "no class": (b"1,n,,1,1", {"missing": "drop"}),
    "a third class": (b"1,n,2,1,1", {}),
    "a third class, one of more": (b"1,n,2,1,1", {"multiclass": True}),
    "a third class, one of the rest": (b"1,n,2,1,1", {"positive": "1"}),
    "quoted": (b'"1.5",n,0,1,1', {}),
    "quoted, with a line end": (b'1.5,"n\nm",0,1,1', {}),
    "quoted, with a delimiter": (b'1.5,"n,m",0,1,1', {}),
    "quoted class": (b'1.5,n,"0",1,1', {}),
    "a quote that stays open": (b'1.5,"n,0,1,1', {}),
    "space": (b" 1.5,n,0,1,1", {}),
    "plus": (b"+1,n,0,1,1", {}),
    "point first": (b".5,n,0,1,1", {}),
    "point last": (b"5.,n,0,1,1", {}),
    "infinite": (b"inf,n,0,1,1", {}),
    "beyond float64": (b"1e999,n,0,1,1", {}),
    "not a number": (b"nan,n,0,1,1", {"missing": "drop"}),
    "hex": (b"0x10,n,0,1,1", {}),
    "word": (b"x,n,0,1,1", {}),
    "a short row": (b"1,n,0,1", {}),
    "a long row": (b"1,n,0,1,1,1", {}),
    "a long row, nothing in it": (b"1,n,0,1,1,", {}),
    "nothing": (b"", {}),
    "spaces": (b"  ", {}),
    "zero byte": (b"1,n\x00,0,1,1", {}),
    "zero byte in a number": (b"1\x00,n,0,1,1", {}),
    "latin-1": (b"1,n\xfc,0,1,1", {}),
    "UTF-8": (b"1,n\xc3\xbc,0,1,1", {}),
    "another line end": (b"1,n,0,1,1\r", {}),
    "a return": (b"1,n\r,0,1,1", {}),
    "weight below zero": (b"1,n,0,1,-1", {"weights": "w", "drop": ["id"]}),
    "no weight": (b"1,n,0,1,", {"weights": "w", "drop": ["id"]}),
    "half a count": (b"1,n,0,1,0.5", {"counts": ("w", "y"), "target": None, "drop": ["id"]}),
    "digits without end": (b"1" + b"0" * 300 + b",n,0,1,1", {}),
}
PLACES = {"first": 0, "at a border": 13, "in the middle": 20, "last": ROWS}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("place", PLACES)
def test_a_line_that_is_odd(name: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line, options = ODD[name]
    lines = table_text().encode().splitlines()
    lines.insert(1 + PLACES[place], line)
    content = b"\n".join(lines) + b"\n"
    sizes = [50, 1 << 20]
    if place == "at a border":  # a piece that begins at the odd line, at its end, and one byte to either side
        start, odd = len(lines[0]), content.index(b"\n" + line + b"\n", len(lines[0]))
        sizes = [odd - start - 1, odd - start, odd - start + 1, odd - start + len(line), odd - start + len(line) + 1]
    for size in sizes:
        monkeypatch.setattr(plain_pieces, "_PIECE", size)
        both(write(tmp_path, content), options, monkeypatch)


def test_rows_before_an_odd_line_are_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = table_text().splitlines()
    lines.insert(30, '"1.5",n,0,1,1')
    found, rows = both(write(tmp_path, "\n".join(lines)), {}, monkeypatch)
    assert rows == 29
    assert found[4] == ROWS + 1
    assert found[1] == [*range(1, ROWS + 2)]


@pytest.mark.parametrize("last", [True, False])
def test_a_model_reads_a_table(last: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a known encoding there is no first look: rows are refused as they come, or have no labels at all."""
    file = write(tmp_path, table_text())
    encoding = open_table(file, target="y", drop=["id", "w"]).encoding
    for labels, text in itertools.product((True, False), ("", "1,n,2,1,1\n", "1,n,0,x,1\n", "1,n,0,,1\n", "1,n,0,1\n")):
        lines = table_text().splitlines(keepends=True)
        lines.insert(len(lines) if last else 1, text)
        found, rows = both(
            write(tmp_path, "".join(lines)), {"encoding": encoding, "labels": labels, "drop": []}, monkeypatch
        )
        assert isinstance(found, str) == (text != "" and (labels or "2" not in text))
        assert rows == (len(lines) - 1 - (not text) if not isinstance(found, str) else ROWS if last else 0)


def test_stores_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path, table_text())
    written = []
    progress: list[int] = []
    for smallest in (0, 1 << 60):
        monkeypatch.setattr(plain_csv, "_SMALLEST", smallest)
        table = open_table(file, target="y", weights="w", drop=["id"])
        store = Store.build(table, tmp_path / "s", dtype="float32", progress=lambda done, _: progress.append(done))
        assert store.n == progress[-1] == 30
        written.append({path.name: path.read_bytes() for path in sorted((tmp_path / "s").glob("rows-*/*"))})
    assert progress[:5] == [1, 2, 3, 4, 6]  # piece by piece
    assert progress[-2:] == [30, 30]  # at once
    assert set(written[0]) == {"X.bin", "y.bin", "weights.bin", "row_numbers.bin"}
    assert written[0] == written[1]


@pytest.mark.parametrize("size", [7, 1 << 12])
def test_long_lines(size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line may be longer than a piece; one that is longer than DuckDB takes is left to it."""
    monkeypatch.setattr(plain_pieces, "_PIECE", size)
    monkeypatch.setattr(plain_pieces, "_LONGEST_LINE", 3000)
    lines = table_text().splitlines()
    lines.insert(20, "1," + "n" * 2900 + ",0,1,1")
    assert both(write(tmp_path, "\n".join(lines)), {}, monkeypatch)[1] == ROWS + 1
    lines.insert(30, "1," + "n" * 9000 + ",0,1,1")
    assert both(write(tmp_path, "\n".join(lines)), {}, monkeypatch)[1] == 29


@pytest.mark.parametrize("length", [1 << 19, 1 << 20, (3 << 19) - 20, 3 << 19, 1_999_900, 2_000_100])
def test_lines_as_long_as_duckdb_takes_them(length: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_pieces, "_PIECE", 1 << 20)
    encoding = open_table(write(tmp_path, table_text()), target="y", drop=["id", "w"]).encoding
    lines = table_text().splitlines()
    lines[1] = "1," + "n" * (length - 8) + ",0,1,1"
    found, _ = both(write(tmp_path, "\n".join(lines)), {"encoding": encoding, "drop": []}, monkeypatch)
    assert ("too long" in found) == (length > 2_000_000)


# ----------------------------------------------------------------------------------------------- against a naive reader

numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**25), 10**25).map(str),
    st.decimals(-(10**6), 10**6, places=4).map(str),
    st.sampled_from(
        ["1e-320", "-0.0", "0.1", "1E5", "1e22", "9007199254740993", "9007199254740993.00000", "-0", "007"]
    ),
)
words = st.text("ab 'x.-5\x01", max_size=4)


@settings(max_examples=settings.default.max_examples // 2)  # each opens files
@given(data=st.data())
def test_agrees_with_a_naive_reader(data: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    n = data.draw(st.integers(2, 20))
    kinds = ["number", *data.draw(st.lists(st.sampled_from(["number", "word"]), min_size=1, max_size=4))]
    place = data.draw(st.integers(0, len(kinds)))
    names = [f"{kind}{j}" for j, kind in enumerate(kinds)]
    names.insert(place, "y")
    cells = {name: [data.draw(numbers if name.startswith("number") else words) for _ in range(n)] for name in names} | {
        "y": [["no", "yes", "-1"][i % 3] for i in range(n)]
    }
    out = io.StringIO(newline="")
    delimiter, end = data.draw(st.sampled_from(",;\t|")), data.draw(st.sampled_from(["\n", "\r\n"]))
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_NONE)
    writer.writerows([names, *zip(*(cells[name] for name in names), strict=True)])
    text = out.getvalue() if data.draw(st.booleans()) else out.getvalue().removesuffix(end)
    file = write(tmp_path_factory.mktemp("t"), text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_pieces, "_PIECE", data.draw(st.integers(1, 200)))
        scans = Scans(patch)
        drop = [name for name in names if name.startswith("word")]
        X, y, _ = open_table(file, target="y", positive="yes", drop=drop).arrays()
        assert scans.n == 0
    lines = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter))
    expected = [[float(line[name]) for name in names if name.startswith("number")] for line in lines]
    assert X.tobytes() == np.array(expected).tobytes()
    assert y.tolist() == [1 if line["y"] == "yes" else -1 for line in lines]


# -------------------------------------------------------------------------------------------------------------- threads


def readers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("reading plain rows")]


def described(file: Path) -> plain_csv.PlainCsv:
    table = open_table(file, target="y", drop=["id", "w"])
    found = plain_csv.plain_csv(table.source, ["a", "b"], "y", table.encoding)
    assert found is not None
    return found


def test_no_thread_is_left_behind(tmp_path: Path) -> None:
    pieces: Any = plain_pieces.plain_pieces(described(write(tmp_path, table_text(2000))))
    next(pieces)
    assert readers()
    pieces.close()
    assert not readers()
    file = write(tmp_path, table_text())
    csv_file = described(file)
    write(tmp_path, table_text() + "1,n,0,x,1\n" + table_text(2000))
    found = list(plain_pieces.plain_pieces(csv_file))
    assert [piece.plain for piece in found] == [True] * (len(found) - 1) + [False]
    assert sum(len(piece.values) for piece in found) == ROWS
    assert not readers()


def test_it_is_a_few_pieces_ahead_and_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = []
    original = plain_pieces._Reader.piece

    def noted(reader: Any, k: int) -> Any:
        begun.append(k)
        return original(reader, k)

    monkeypatch.setattr(plain_pieces._Reader, "piece", noted)
    monkeypatch.setattr(plain_pieces, "_cores", lambda: 3)
    pieces: Any = plain_pieces.plain_pieces(described(write(tmp_path, table_text(2000))))
    next(pieces)
    deadline = time.monotonic() + 10
    while len(begun) < 7 and time.monotonic() < deadline:
        time.sleep(0.001)
    time.sleep(0.05)
    assert sorted(begun) == [*range(7)]  # the one that was taken, and two for each thread
    pieces.close()
    assert len(begun) == 7


def test_a_disk_that_fails_is_for_duckdb_to_judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = plain_pieces._Reader._read

    def failing(reader: Any, at: int, into: memoryview) -> int:
        if at > 300:
            raise OSError("the disk is gone")
        return original(reader, at, into)

    monkeypatch.setattr(plain_pieces._Reader, "_read", failing)
    found, rows = both(write(tmp_path, table_text()), {}, monkeypatch)
    assert 0 < rows < found[4] == ROWS
    assert not readers()


def test_a_file_that_is_gone(tmp_path: Path) -> None:
    table = open_table(write(tmp_path, table_text()), target="y", drop=["id", "w"])
    (tmp_path / "t.csv").unlink()
    with pytest.raises(Refused, match="cannot be read"):
        table.arrays()
