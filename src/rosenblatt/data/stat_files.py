"""Files of Stata, SPSS and SAS, by pyreadstat. Where all values of a column have labels, the labels are its values."""

from typing import Any

from rosenblatt.data.cells import from_cells
from rosenblatt.data.duck import Source
from rosenblatt.data.file_asked import FileAsked
from rosenblatt.data.queries import extra
from rosenblatt.data.refusal import Refused

__all__ = ["open_sas", "open_spss", "open_stata", "open_xport"]


def open_stata(asked: FileAsked) -> Source:
    """A .dta file."""
    return _opened(asked, "read_dta")


def open_spss(asked: FileAsked) -> Source:
    """A .sav or .zsav file; values that it calls missing are missing."""
    return _opened(asked, "read_sav")


def open_sas(asked: FileAsked) -> Source:
    """A .sas7bdat file."""
    return _opened(asked, "read_sas7bdat")


def open_xport(asked: FileAsked) -> Source:
    """A .xpt file, the transport format of SAS."""
    return _opened(asked, "read_xport")


def _opened(asked: FileAsked, reader: str) -> Source:
    package = extra("pyreadstat", "files", asked.where)
    try:
        found, about = getattr(package, reader)(str(asked.path), output_format="dict")
    except (package.ReadstatError, package.PyreadstatError, OSError, ValueError, UnicodeError) as error:
        if isinstance(error, PermissionError):
            raise
        raise Refused(f"{asked.where} cannot be read: {str(error).rstrip('.')}.") from None
    levels: dict[int, tuple[str, ...]] = {}
    columns = []
    for i, name in enumerate(about.column_names):
        values = [None if value == "" or value != value else value for value in found[name]]
        labels = about.variable_value_labels.get(name, {})
        if labels and all(value is None or value in labels for value in values):
            levels[i] = _in_order(labels)
            values = [None if value is None else str(labels[value]) for value in values]
        columns.append(values)
    source = from_cells(about.column_names, columns, asked, whole=True)
    source.levels = levels
    return source


def _in_order(labels: dict[Any, Any]) -> tuple[str, ...]:
    """The labels in the order of the values that they stand for."""
    try:
        values = sorted(labels)
    except TypeError:
        values = list(labels)
    return tuple(dict.fromkeys(str(labels[value]) for value in values))
