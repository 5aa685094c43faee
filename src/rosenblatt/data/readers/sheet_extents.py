"""How far the cells of a workbook reach, found before it is read: its reader makes room for all cells in between.

Two cells in opposite corners of a sheet are a file of 2 kB and a table of 17 thousand million cells; a reader that is
refused that much memory takes the whole program down.
"""

import json
import lzma
import os
import re
import subprocess
import sys
import zipfile
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from xml.parsers import expat

from rosenblatt.data.refusal import Refused

__all__ = ["refuse_far_cells"]

_MOST_CELLS = 10_000_000  # of which nearly all may be empty
_PER_FILLED = 20  # more than that, where a cell in so many holds something
_CHUNK = 1 << 20
_DAMAGE = (
    expat.ExpatError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    ValueError,
    RuntimeError,
)
_BEGUN = re.compile(rb"[<:]c[\s/>]")  # a cell of a worksheet
_PLACED = re.compile(rb"[<:]c\s+r=\"([A-Za-z]+)([0-9]+)\"")  # one that begins with its place
_MOST_BINARY = 1 << 25  # twice what the largest .xls has, whose cells are not counted
_MEMORY = 4 << 30  # of a process that opens a file in a binary format: the largest .xls takes an eighth of it
_PROBE = """
import json, sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[2]), int(sys.argv[2])))
except (ImportError, ValueError, OSError):
    pass
try:
    from python_calamine import CalamineWorkbook
    book = CalamineWorkbook.from_path(sys.argv[1])
    sheets = (book.get_sheet_by_name(name) for name in book.sheet_names)
    print(json.dumps([[sheet.height, sheet.width] for sheet in sheets]))
except Exception:
    sys.exit(3)
"""


class _Sheet:
    """The box around the filled cells of a sheet, fed with XML."""

    def __init__(self) -> None:
        self.top = self.left = 1 << 62
        self.bottom = self.right = -1
        self.filled = 0

    @property
    def cells(self) -> int:
        """How many cells the box has."""
        return max(0, self.bottom - self.top + 1) * max(0, self.right - self.left + 1)

    def fill(self, row: int, column: int, rows: int = 1, columns: int = 1) -> None:
        """Take a filled cell, or as many as it is repeated, into the box."""
        self.filled += 1
        self.top, self.bottom = min(self.top, row), max(self.bottom, row + rows - 1)
        self.left, self.right = min(self.left, column), max(self.right, column + columns - 1)


class _Followed(_Sheet, ABC):
    """A sheet that follows the elements of the XML."""

    @abstractmethod
    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Take the beginning of an element."""


class _Excel(_Followed):
    """A worksheet of an .xlsx file: <row r="2"><c r="B2"><v>5</v></c></row>; a place that is not said is the next."""

    def __init__(self) -> None:
        super().__init__()
        self.row = self.column = -1

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Follow the rows and the cells."""
        name = tag.rpartition(":")[2]
        if name == "row":
            self.row = int(attributes["r"]) - 1 if "r" in attributes else self.row + 1
            self.column = -1
        elif name == "c":
            self.column += 1
            place = re.fullmatch("([A-Za-z]+)([0-9]+)", attributes.get("r", ""))
            if place:
                self.row, self.column = int(place[2]) - 1, _column_number(place[1]) - 1
        elif name in ("v", "is"):
            self.fill(self.row, self.column)


class _Ods(_Followed):
    """All tables of an .ods file, in which rows and cells may be repeated."""

    def __init__(self) -> None:
        super().__init__()
        self.row = self.column = 0
        self.rows = self.columns = 1

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Follow the rows and the cells."""
        name = tag.rpartition(":")[2]
        said = {key.rpartition(":")[2]: value for key, value in attributes.items()}
        if name == "table":
            self.row = 0
        elif name == "table-row":
            self.column, self.columns, self.rows = 0, 0, int(said.get("number-rows-repeated", "1"))
            self.row += self.rows
        elif name in ("table-cell", "covered-table-cell"):
            self.column += self.columns
            self.columns = int(said.get("number-columns-repeated", "1"))
        if name == "p" or "value-type" in said:
            self.fill(self.row - self.rows, self.column, self.rows, self.columns)


def _column_number(letters: str) -> int:
    """The number of a column: A is 1, AA is 27."""
    number = 0
    for letter in letters.upper():
        number = 26 * number + ord(letter) - ord("A") + 1
    return number


def refuse_far_cells(path: Path, where: str) -> None:
    """Refuse a workbook with so many empty cells between filled ones that they cannot be read into memory."""
    try:
        sheets = list(_sheets(path))
    except _DAMAGE as error:
        raise Refused(f"{where} is not a workbook that can be read, or it is damaged ({error}).") from None
    cells, filled = sum(sheet.cells for sheet in sheets), sum(sheet.filled for sheet in sheets)
    if not sheets:
        cells = _probed(path, where)
    if _is_sparse(cells, filled) and (sheets or cells > _MOST_BINARY):
        raise _too_far(where, f"{cells:,} cells lie between the first and the last of a sheet", filled)


def _too_far(where: str, what: str, filled: int) -> Refused:
    few = f", and {filled:,} of them hold something" if filled else ""
    return Refused(
        f"{where}: {what}{few}; at most {_MOST_CELLS:,} may, or {_PER_FILLED} for each that is filled: delete "
        f"the cells that lie far from the table, or save the table as .csv."
    )


def _sheets(path: Path) -> Iterator[_Sheet]:
    """The boxes of all sheets that are XML."""
    if not zipfile.is_zipfile(path):
        return
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        if any(member.filename.lower().endswith("workbook.bin") for member in members):
            return
        for member in members:  # whatever they are called: the workbook says which are sheets
            if member.flag_bits & 1:  # encrypted: the reader opens it no more than this
                continue
            if member.filename == "content.xml":
                yield _follow(archive, member, _Ods())
            elif _mentions(archive, member, b"sheetData"):
                box = _outer_box(archive, member)
                yield _follow(archive, member, _Excel()) if box is None or _is_sparse(box.cells, box.filled) else box


def _is_sparse(cells: int, filled: int) -> bool:
    return cells > max(_MOST_CELLS, _PER_FILLED * filled)


def _chunks(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    with archive.open(member) as content:
        while chunk := content.read(_CHUNK):
            yield chunk


def _mentions(archive: zipfile.ZipFile, member: zipfile.ZipInfo, word: bytes) -> bool:
    """Whether a word is anywhere in a file."""
    before = b""
    for chunk in _chunks(archive, member):
        if word in before + chunk:
            return True
        before = chunk[-len(word) :]
    return False


def _outer_box(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> _Sheet | None:
    """A box around all cells of a worksheet, empty ones too; None where one does not begin with its place.

    Programs begin cells with their places, and this is found several times as fast as the XML is followed.
    """
    sheet, columns, rows, begun, rest = _Sheet(), set[bytes](), set[bytes](), 0, b""
    for chunk in _chunks(archive, member):
        text = rest + chunk
        end = text.rfind(b">") + 1
        rest = text[end:]
        places = _PLACED.findall(text, 0, end)
        columns.update(letters for letters, _ in places)
        rows.update(digits for _, digits in places)
        sheet.filled += len(places)
        begun += len(_BEGUN.findall(text, 0, end))
        if begun > sheet.filled or len(rest) > _CHUNK:
            return None
    if begun:
        numbers = [_column_number(letters.decode()) for letters in columns]
        sheet.top, sheet.bottom = min(map(int, rows)), max(map(int, rows))
        sheet.left, sheet.right = min(numbers), max(numbers)
    return sheet


def _follow(archive: zipfile.ZipFile, member: zipfile.ZipInfo, sheet: _Followed) -> _Sheet:
    """The box around the filled cells, by all that the XML says."""
    parser = expat.ParserCreate()
    parser.StartElementHandler = sheet.start
    for chunk in _chunks(archive, member):
        parser.Parse(chunk)
    parser.Parse(b"", True)
    return sheet


def _probed(path: Path, where: str) -> int:
    """The cells of the largest sheet of a file in a binary format, which another process opens, with little memory."""
    if not sys.executable:
        return 0
    command = [sys.executable, "-c", _PROBE, str(path.absolute()), str(_MEMORY)]
    paths = os.pathsep.join(place for place in sys.path if place)
    done = subprocess.run(command, capture_output=True, env=os.environ | {"PYTHONPATH": paths}, check=False)
    if done.returncode == 3:  # what is wrong will be said by the reader
        return 0
    if done.returncode:
        raise _too_far(where, "too many cells lie between the first and the last of a sheet", 0)
    return max((rows * columns for rows, columns in json.loads(done.stdout)), default=0)
