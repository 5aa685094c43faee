"""Files that a child reads: one that takes all memory, ends badly or never ends is refused in a sentence."""

import os
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyreadr
import pyreadstat
import pytest

import rosenblatt as rb
from rosenblatt.context import Unfinished
from rosenblatt.data import open_table
from rosenblatt.data.paths import locate
from rosenblatt.data.readers import Told, apart, open_format
from rosenblatt.data.readers.formats import opened
from rosenblatt.data.refusal import Refused
from rosenblatt.data.tables.named_columns import read_columns
from tests.faults.test_locks import children_of, is_alive, with_paths

pytest.importorskip("python_calamine")

OPEN = "http://schemas.openxmlformats.org"


def excel(file: Path, rows: str, before: str = "", prefix: str = "", part: str = "worksheets/sheet1.xml") -> Path:
    relation = f"{OPEN}/officeDocument/2006/relationships"
    main = f'xmlns{":" + prefix[:-1] if prefix else ""}="{OPEN}/spreadsheetml/2006/main"'
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{OPEN}/package/2006/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" '
        'ContentType="application/xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{OPEN}/package/2006/relationships"><Relationship Id="rId1" '
        f'Type="{relation}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{OPEN}/spreadsheetml/2006/main" xmlns:r="{relation}"><sheets>'
        '<sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{OPEN}/package/2006/relationships"><Relationship '
        f'Id="rId1" Type="{relation}/worksheet" Target="{part}"/></Relationships>',
        f"xl/{part}": f"<{prefix}worksheet {main}>{before}<{prefix}sheetData>{rows}</{prefix}sheetData>"
        f"</{prefix}worksheet>",
    }
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, '<?xml version="1.0" encoding="UTF-8"?>' + content)
    return file


def ods(file: Path, rows: str) -> Path:
    name = "urn:oasis:names:tc:opendocument:xmlns"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr(
            "META-INF/manifest.xml",
            f'<manifest:manifest xmlns:manifest="{name}:manifest:1.0"><manifest:file-entry manifest:full-path="/" '
            'manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/></manifest:manifest>',
        )
        archive.writestr(
            "content.xml",
            f'<office:document-content xmlns:office="{name}:office:1.0" xmlns:table="{name}:table:1.0" '
            f'xmlns:text="{name}:text:1.0"><office:body><office:spreadsheet><table:table table:name="S">{rows}'
            "</table:table></office:spreadsheet></office:body></office:document-content>",
        )
    return file


FAR = r"far.* (is damaged, or needs more than 3 GiB of memory|is not a workbook that can be read|has 16384 columns)"


TABLE = '<row r="1"><c r="A1"><v>7</v></c><c r="B1"><v>8</v></c></row>'
TABLE += '<row r="2"><c r="A2"><v>1</v></c><c r="B2"><v>2</v></c></row>'
FIRST = '<row r="1"><c r="A1"><v>1</v></c></row>'
FAR_EXCEL = {
    "corners": FIRST + '<row r="1048576"><c r="XFD1048576"><v>2</v></c></row>',
    "other order": '<row r="1048576"><c r="XFD1048576"><v>2</v></c></row><row r="1"><c r="A1"><v>1</v></c></row>',
    "another attribute first": FIRST + "<row><c t='n' r='XFD1048576'><v>2</v></c></row>",
    "no place, after a far row": FIRST + f'<row r="1048576">{"<c><v>1</v></c>" * 16384}</row>',
    "small letters": '<row r="1"><c r="a1"><v>1</v></c></row><row r="1048576"><c r="xfd1048576"><v>2</v></c></row>',
    "inline text": FIRST + '<row><c r="ZZZ999999" t="inlineStr"><is><t>x</t></is></c></row>',
    "a sign in an attribute": FIRST + '<row><c t="&gt;" s=">" r="XFD1048576"><v>2</v></c></row>',
    "beyond any sheet": FIRST + '<row><c r="XFD4294967295"><v>2</v></c></row>',
}  # fmt: skip


@pytest.mark.parametrize("name", FAR_EXCEL)
def test_far_cells_of_excel_are_refused(name: str, tmp_path: Path) -> None:
    file = excel(tmp_path / "far.xlsx", FAR_EXCEL[name])
    assert file.stat().st_size < 10_000
    others = set(children_of(os.getpid()))  # of other tests
    with pytest.raises(Refused, match=FAR):
        read_columns(file)
    assert set(children_of(os.getpid())) <= others


@pytest.mark.parametrize(
    ("rows", "before"),
    [
        (TABLE, '<dimension ref="A1:XFD1048576"/>'),
        (TABLE + '<row r="1048576" ht="15"/>', ""),
        (TABLE + '<row r="1048576"><c r="XFD1048576" s="1"/></row>', ""),  # formatted to the end, and empty
        (TABLE + '<row r="1048576"><c s="1" r="XFD1048576"/></row>', ""),
        (TABLE.replace('r="A1"', "").replace('r="B2"', ""), ""),
        (f"<!-- {FAR_EXCEL['corners']} -->" + TABLE, ""),
        (TABLE.replace('r="1"', 'r="900001"').replace("A1", "AAA900001").replace("B1", "AAB900001")
         .replace('r="2"', 'r="900002"').replace("A2", "AAA900002").replace("B2", "AAB900002"), ""),
    ],
)  # fmt: skip
def test_what_is_no_large_table_is_read(rows: str, before: str, tmp_path: Path) -> None:
    assert sorted(read_columns(excel(tmp_path / "t.xlsx", rows, before))) == ["7", "8"]


CELL = '<table:table-cell office:value-type="float" office:value="{}" {}><text:p>{}</text:p></table:table-cell>'
EMPTY = "<table:table-cell {}/>"
ACROSS, DOWN = 'table:number-columns-repeated="{}"', 'table:number-rows-repeated="{}"'


def row(cells: str, times: str = "") -> str:
    return f"<table:table-row {times}>{cells}</table:table-row>"


@pytest.mark.parametrize(
    "rows",
    [
        row(CELL.format(1, "", 1))
        + row(EMPTY.format(""), DOWN.format(1048574))
        + row(EMPTY.format(ACROSS.format(16383)) + CELL.format(2, "", 2)),
        row(CELL.format(1, ACROSS.format(4_000_000_000), 1)),
        row(CELL.format(1, ACROSS.format(100_000), 1), DOWN.format(1_000_000)),
    ],
)
def test_far_cells_of_libreoffice_are_refused(rows: str, tmp_path: Path) -> None:
    with pytest.raises(Refused, match=FAR):
        read_columns(ods(tmp_path / "far.ods", rows))


def test_a_cell_that_is_repeated_beyond_the_sheet_is_read_as_far_as_a_sheet_goes(tmp_path: Path) -> None:
    assert (
        len(read_columns(ods(tmp_path / "far.ods", row(CELL.format(1, "", 1), DOWN.format(4_000_000_000))))["1"])
        < 1 << 20
    )


def test_empty_cells_to_the_end_of_the_sheet_are_read(tmp_path: Path) -> None:
    table = row(CELL.format(7, "", 7) + CELL.format(8, "", 8)) + row(CELL.format(1, "", 1) + CELL.format(2, "", 2))
    rest = row(EMPTY.format(ACROSS.format(16384)), DOWN.format(1048574))
    assert sorted(read_columns(ods(tmp_path / "t.ods", table + rest))) == ["7", "8"]


LOST = """
import os, sys, time
from rosenblatt.data.readers import spreadsheets
def open_sheet(place, told): {}
spreadsheets.open_sheet = open_sheet
from rosenblatt.data.readers.apart import read_for_parent
read_for_parent()
"""
ENDS = {
    "aborts": "os.abort()",
    "exits": "os._exit(0)",
    "is out of memory": "bytearray(1 << 40)",
    "babbles": "os.write(3, b'?')",
}


@pytest.mark.parametrize("how", ENDS)
def test_a_child_that_ends_badly(how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "_SERVE", LOST.format(ENDS[how]))
    with pytest.raises(Refused, match=r"t.xlsx is damaged, or needs more than 3 GiB of memory"):
        read_columns(excel(tmp_path / "t.xlsx", TABLE))


def test_a_child_that_does_not_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "_SERVE", LOST.format("time.sleep(600)"))
    file = excel(tmp_path / "t.xlsx", TABLE)
    others = set(children_of(os.getpid()))
    with pytest.raises(Unfinished, match=r"t.xlsx: the time limit was reached while it was read"):
        rb.data.open_table(file, target="8", time_limit=1)
    assert set(children_of(os.getpid())) <= others


def test_a_child_ends_with_its_parent(tmp_path: Path) -> None:
    file, sleeps = excel(tmp_path / "t.xlsx", TABLE), LOST.format("time.sleep(600)")
    code = f"from rosenblatt.data.readers import apart\napart._SERVE = {sleeps!r}\nimport rosenblatt as rb\n"
    code += f"rb.data.open_table({str(file)!r}, target='8')"
    parent = subprocess.Popen([sys.executable, "-c", code], env=with_paths())
    end, children = time.monotonic() + 60, list[int]()
    while not children and time.monotonic() < end:
        time.sleep(0.05)
        children = children_of(parent.pid)
    parent.kill()
    parent.wait()
    while any(map(is_alive, children)) and time.monotonic() < end:
        time.sleep(0.05)
    assert children
    assert not any(map(is_alive, children))


def test_what_a_child_refuses_keeps_its_remedies(tmp_path: Path) -> None:
    file = tmp_path / "t.xlsx"
    file.write_text("a,y\n1,0\n")
    with pytest.raises(Refused) as why:
        read_columns(file)
    assert "--format csv" in why.value.in_shell()


def _kinds() -> pd.DataFrame:
    """A column of every kind that these files have, with gaps."""
    moments = [pd.Timestamp("2024-01-31"), pd.Timestamp("1899-12-31 23:59:59.5"), None, pd.Timestamp("2262-04-11")]
    return pd.DataFrame(
        {
            "whole": [1.0, 2.0, None, -3.0],
            "large": [2**53 - 1, -(2**40), 0, 7],
            "real": [0.1, 1e300, -0.0, 5e-324],
            "moment": moments,
            "day": [None, *moments[:1] * 3],
            "truth": [True, False, True, True],
            "text": ["a", "", "é\n,", "NA"],
            "mixed": [1, "x", None, 2.5],
            "empty": [None] * 4,
            "number text": ["1", "2,5", "3", "-"],
        }
    )


def _write_stata(file: Path) -> None:
    frame = _kinds().drop(columns=["mixed", "empty", "number text"]).rename(columns=str.lower)
    frame.assign(
        city=pd.Categorical(["u", "v", "w", "u"], ["w", "v", "u"]), single=np.float32([0.1, 2, 3, 4])
    ).to_stata(file, write_index=False, convert_dates={"moment": "tc", "day": "td"})


def _write_spss(file: Path) -> None:
    frame = _kinds()[["whole", "real", "text", "day"]]
    pyreadstat.write_sav(frame, str(file), variable_value_labels={"whole": {1.0: "one", 2.0: "two", -3.0: "less"}})


WRITE = {
    "t.xlsx": lambda file: _kinds().to_excel(file, index=False),
    "t.ods": lambda file: _kinds().to_excel(file, index=False, engine="odf"),
    "t.dta": _write_stata,
    "t.sav": _write_spss,
    "t.rds": lambda file: pyreadr.write_rds(str(file), _kinds()[["whole", "real", "text", "truth", "moment"]]),
}


@pytest.mark.parametrize("name", WRITE)
def test_what_a_child_hands_back_is_what_the_reader_reads(name: str, tmp_path: Path) -> None:
    try:
        WRITE[name](tmp_path / name)
    except ImportError:
        pytest.skip("its writer is not installed")
    place, told = locate(str(tmp_path / name), Told(na=("NA",))), Told(na=("NA",))
    here, there = opened(place, told), open_format(place, told)
    for part in ("names", "types", "written", "levels", "notes", "text", "na"):
        assert getattr(there, part) == getattr(here, part), part
    assert there.query != here.query
    own = f"SELECT * FROM {here.relation()}"
    assert repr(there.select(own.replace(here.relation(), there.relation()))) == repr(here.select(own))
    one, other = (open_table(tmp_path / name, roles={}, features=["real"]) for _ in range(2))
    assert one.fingerprint == other.fingerprint


def test_sheets_below_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for k in range(3):
        pd.DataFrame({"a": [k, k + 0.5], "y": ["u", "v"]}).to_excel(tmp_path / f"{k}.xlsx", index=False)
    table = open_table(sorted(tmp_path.glob("*.xlsx")), target="y")
    assert table.X.ravel().tolist() == [0.0, 0.5, 1.0, 1.5, 2.0, 2.5]
    del table
    assert not list(tmp_path.glob("*.parquet"))
