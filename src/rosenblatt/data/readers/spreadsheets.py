"""Sheets of Excel and LibreOffice: the first row has the names, everything below it is a row of the table."""

from rosenblatt.data.readers.cells import from_cells
from rosenblatt.data.readers.formats import Place, Told
from rosenblatt.data.readers.text import unnamed
from rosenblatt.data.refusal import Refused, Remedy, chosen_table, extra
from rosenblatt.data.sql import Source

__all__ = ["open_sheet"]


def open_sheet(place: Place, told: Told) -> Source:
    """One sheet of a workbook; where several hold something, it must be said which.

    An empty cell, a formula without a stored value and an error such as #N/A are missing values.
    """
    calamine = extra("python_calamine", "files", place.where)
    try:
        with calamine.CalamineWorkbook.from_path(str(place.path)) as book:
            full = [name for name in book.sheet_names if book.get_sheet_by_name(name).height]
            name = chosen_table(place.where, full, place.inner, "sheet")
            rows = book.get_sheet_by_name(name).to_python()
    except (calamine.CalamineError, OSError, ValueError) as error:
        if isinstance(error, (Refused, PermissionError)):
            raise
        start = place.path.read_bytes()[:1024]
        if start.lstrip().startswith(b"<"):
            raise Refused(f"{place.where} is HTML or XML and no workbook: save it as .xlsx or .csv.") from None
        if b"\x00" not in start and not start.startswith(b"PK"):  # some programs write text and call it .xls
            raise Refused(f"{place.where} is text and no workbook: say ", Remedy("format", "csv"), ".") from None
        raise Refused(f"{place.where} is not a workbook that can be read, or it is damaged ({error}).") from None
    while rows and all(cell == "" for cell in rows[-1]):
        rows.pop()
    header, *body = rows if told.header is not False else [unnamed(len(rows[0]), told), *rows]
    columns = [[None if cell == "" else cell for cell in column] for column in zip(*body, strict=True)]
    return from_cells(header, columns, place.where, told.na, whole=True)
