"""Workbooks whose cells lie far apart are refused; those that only look so are read."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from rosenblatt.data.readers.sheet_extents import _probed, refuse_far_cells
from rosenblatt.data.refusal import Refused
from rosenblatt.data.tables.named_columns import read_columns

pytest.importorskip("python_calamine")

OPEN = "http://schemas.openxmlformats.org"
LIMITED = """
import sys
from rosenblatt.data.tables.named_columns import read_columns
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
except ImportError:
    pass
try:
    print(sorted(read_columns(sys.argv[1])))
except ValueError as why:
    print("refused:", why)
"""


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


def said_under_a_limit(file: Path) -> str:
    """What a process of little memory says of a file; it must not die of it."""
    done = subprocess.run([sys.executable, "-c", LIMITED, str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-300:]
    return done.stdout


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
    said = said_under_a_limit(file)
    assert said.startswith("refused:")
    assert "cells lie between the first and the last of a sheet" in said
    assert "delete the cells that lie far from the table, or save the table as .csv." in said


def test_far_cells_are_found_wherever_they_are(tmp_path: Path) -> None:
    named = [FAR_EXCEL["corners"].replace("<row", "<x:row").replace("</row", "</x:row").replace("<c ", "<x:c ")]
    named[0] = named[0].replace("</c>", "</x:c>").replace("<v>", "<x:v>").replace("</v>", "</x:v>")
    for file in (
        excel(tmp_path / "prefix.xlsx", named[0], prefix="x:"),
        excel(tmp_path / "part.xlsx", FAR_EXCEL["corners"], part="styles.xml"),
        excel(tmp_path / "ending.xlsx", FAR_EXCEL["corners"], part="picture.png"),
    ):
        with pytest.raises(Refused, match="17,179,869,184 cells lie between"):
            read_columns(file)


def test_an_encrypted_part_hides_nothing(tmp_path: Path) -> None:
    file = excel(tmp_path / "far.xlsx", FAR_EXCEL["corners"])
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("secret.xml", "x")
    content = bytearray(file.read_bytes())
    content[content.rindex(b"PK\x01\x02") + 8] |= 1  # the flag in the list of contents
    file.write_bytes(content)
    with pytest.raises(Refused, match="17,179,869,184 cells lie between"):
        read_columns(file)


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
    assert said_under_a_limit(excel(tmp_path / "t.xlsx", rows, before)) == "['7', '8']\n"


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
        row(CELL.format(1, "", 1), DOWN.format(4_000_000_000)),
        row(CELL.format(1, ACROSS.format(100_000), 1), DOWN.format(1_000_000)),
    ],
)
def test_far_cells_of_libreoffice_are_refused(rows: str, tmp_path: Path) -> None:
    said = said_under_a_limit(ods(tmp_path / "far.ods", rows))
    assert said.startswith("refused:")
    assert "cells lie between the first and the last of a sheet" in said


def test_empty_cells_to_the_end_of_the_sheet_are_read(tmp_path: Path) -> None:
    table = row(CELL.format(7, "", 7) + CELL.format(8, "", 8)) + row(CELL.format(1, "", 1) + CELL.format(2, "", 2))
    rest = row(EMPTY.format(ACROSS.format(16384)), DOWN.format(1048574))
    assert said_under_a_limit(ods(tmp_path / "t.ods", table + rest)) == "['7', '8']\n"


def test_a_binary_workbook_is_opened_by_another_process_first(tmp_path: Path) -> None:
    far = excel(tmp_path / "far.xlsx", FAR_EXCEL["corners"])  # stands for .xls and .xlsb, which nothing here writes
    with pytest.raises(Refused, match="too many cells lie between the first and the last of a sheet; at most"):
        _probed(far, "far.xls")
    assert _probed(excel(tmp_path / "t.xlsx", TABLE), "t.xls") == 4
    (tmp_path / "no.xls").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    assert _probed(tmp_path / "no.xls", "no.xls") == 0
    refuse_far_cells(tmp_path / "no.xls", "no.xls")  # its reader says what it is
