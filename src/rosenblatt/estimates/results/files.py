"""A table of estimates in files: the ending of the name decides the form. Numbers for programs, words for people."""

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from html import escape
from importlib.util import find_spec
from io import BytesIO, StringIO
from math import isfinite, isnan
from pathlib import PurePath
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from rosenblatt.data.refusal import Refused
from rosenblatt.estimates.results import layout

if TYPE_CHECKING:
    from rosenblatt.estimates.results.table import Estimates

__all__ = ["PICTURES", "form_of", "table_file"]

PICTURES = (".png", ".svg", ".pdf")  # of the forest plot, which `rb.plot.EstimatesDisplay` draws
_STYLE = "table{border-collapse:collapse}th,td{padding:.2em .6em;text-align:left}.number{text-align:right}"
_STYLE += "caption,small{text-align:left}body{font:16px/1.4 system-ui,sans-serif;margin:2em;overflow-x:auto}"

Number = float | str | None


class Form(NamedTuple):
    """How a table is written: its bytes, and the package that is needed for it, by its names to import and install."""

    content: Callable[["Estimates"], bytes]
    needs: tuple[str, str] | None = None


def form_of(path: PurePath) -> str:
    """The ending that says how a file is written; refuses those that nothing writes, before anything is computed."""
    form = path.suffix.lower()
    if form not in (*_FORMS, *PICTURES):
        known = ", ".join(_FORMS)
        raise Refused(
            f"{path}: the ending says how a table is written, and {form or 'none'} is not known: use one of {known}; "
            f"or {', '.join(PICTURES)} for a picture of it."
        )
    needs = _FORMS[form].needs if form in _FORMS else None
    if needs is not None and find_spec(needs[0]) is None:
        raise Refused(f"{path}: a file {form} needs the package {needs[1]}: pip install 'rosenblatt[tables]'")
    return form


def table_file(table: "Estimates", form: str) -> bytes:
    """The table in one of the forms, by the ending of its name."""
    return _FORMS[form].content(table)


def _separated(mark: str) -> Callable[["Estimates"], bytes]:
    def content(table: "Estimates") -> bytes:
        head, rows = _rows_of_numbers(table)
        written = StringIO(newline="")
        csv.writer(written, delimiter=mark, lineterminator="\n").writerows([head, *map(_as_text, rows)])
        return written.getvalue().encode()

    return content


def _rows_of_numbers(table: "Estimates") -> tuple[list[str], list[list[Number]]]:
    """Every number of every coefficient with all its digits; infinite ones are infinite, unknown ones are NaN."""
    columns = table.columns()
    return list(columns), [list(row) for row in zip(*columns.values(), strict=True)]


def _as_text(row: Sequence[Number]) -> list[str]:
    """The numbers of a row as text that gives the same floats again; nothing where there is none."""
    return ["" if one is None or _unknown(one) else one if isinstance(one, str) else repr(float(one)) for one in row]


def _unknown(one: Number) -> bool:
    return isinstance(one, float) and isnan(one)


def _workbook(table: "Estimates") -> bytes:
    """A sheet of numbers, and a sheet of notes; an infinite number is the text of it, since no cell holds one."""
    from openpyxl import Workbook

    book = Workbook()
    sheet, notes = book.active, book.create_sheet("notes")
    sheet.title = "estimates"
    head, rows = _rows_of_numbers(table)
    cells: list[list[Number]] = [list(head), *rows]
    for place, row in ((sheet, one) for one in cells):
        place.append([None] * len(row))
        for cell, value in zip(place[place.max_row], row, strict=True):
            known = None if _unknown(value) else value
            cell.value = known if not isinstance(known, float) or isfinite(known) else repr(known)
            if isinstance(cell.value, str):
                cell.data_type = "s"  # also where it begins with "=", as formulas do
    for note in (layout.headline(table), *layout.notes(table)):
        notes.append([note])
    sheet.freeze_panes = "B2"
    written = BytesIO()
    book.save(written)
    return written.getvalue()


def _document(table: "Estimates") -> bytes:
    """A Word document with the table as it is shown, and its notes."""
    from docx import Document

    head, rows = layout.cells(table)
    document = Document()
    document.add_paragraph(layout.headline(table))
    grid = document.add_table(len(rows) + 1, len(head), "Table Grid")
    for line, texts in zip(grid.rows, (head, *rows), strict=True):
        for cell, text in zip(line.cells, texts, strict=True):
            cell.text = text
    for note in layout.notes(table):
        document.add_paragraph(note)
    written = BytesIO()
    document.save(written)
    return written.getvalue()


def _page(table: "Estimates") -> bytes:
    """One HTML page."""
    content = layout.html_table(table) + layout.html_notes(table)
    top = f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{escape(layout.headline(table))}</title>"
    view = "<meta name='viewport' content='width=device-width'>"
    return f"{top}{view}<style>{_STYLE}</style><body>{content}</body></html>\n".encode()


def _plain_json(table: "Estimates") -> bytes:
    return (json.dumps(table.to_json(), ensure_ascii=False, indent=2) + "\n").encode()


def _as_lines(words: Callable[["Estimates"], str]) -> Callable[["Estimates"], bytes]:
    return lambda table: (words(table) + "\n").encode()


_FORMS: Mapping[str, Form] = MappingProxyType(
    {
        ".csv": Form(_separated(",")),
        ".tsv": Form(_separated("\t")),
        ".xlsx": Form(_workbook, ("openpyxl", "openpyxl")),
        ".json": Form(_plain_json),
        ".md": Form(_as_lines(layout.markdown)),
        ".html": Form(_page),
        ".tex": Form(_as_lines(layout.latex)),
        ".docx": Form(_document, ("docx", "python-docx")),
        ".txt": Form(_as_lines(layout.text)),
    }
)
