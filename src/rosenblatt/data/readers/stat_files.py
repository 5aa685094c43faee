"""Files of Stata, SPSS and SAS, read by pyreadstat, and of R, read by pyreadr.

If all values of a column have labels, it holds the labels.
"""

from typing import Any

from rosenblatt.data.readers.cells import from_cells
from rosenblatt.data.readers.formats import Place, Told
from rosenblatt.data.refusal import Refused, chosen_table, extra
from rosenblatt.data.sql import Source, from_frame

__all__ = ["open_r", "open_stat"]

_READERS = {"stata": "read_dta", "spss": "read_sav", "sas": "read_sas7bdat", "xport": "read_xport"}


def open_stat(place: Place, told: Told) -> Source:
    """A .dta file of Stata, .sav of SPSS (what it calls missing is missing), .sas7bdat or .xpt of SAS."""
    package = extra("pyreadstat", "files", place.where)
    try:
        found, about = getattr(package, _READERS[place.kind])(str(place.path), output_format="dict")
    except (package.ReadstatError, package.PyreadstatError, OSError, ValueError, UnicodeError) as error:
        if isinstance(error, PermissionError):
            raise
        raise Refused(f"{place.where} cannot be read: {str(error).rstrip('.')}.") from None
    levels: dict[int, tuple[str, ...]] = {}
    columns = []
    for i, name in enumerate(about.column_names):
        values = [None if value == "" or value != value else value for value in found[name]]
        labels = about.variable_value_labels.get(name, {})
        if labels and all(value is None or value in labels for value in values):
            levels[i] = _labels_in_order(labels)
            values = [None if value is None else str(labels[value]) for value in values]
        columns.append(values)
    single = {i for i, name in enumerate(about.column_names) if about.readstat_variable_types.get(name) == "float"}
    source = from_cells(about.column_names, columns, place.where, told.na, whole=True, single=single)
    source.levels = levels
    return source


def _labels_in_order(labels: dict[Any, Any]) -> tuple[str, ...]:
    """The labels in the order of the values that they stand for."""
    try:
        values = sorted(labels)
    except TypeError:
        values = list(labels)
    return tuple(dict.fromkeys(str(labels[value]) for value in values))


def open_r(place: Place, told: Told) -> Source:
    """The data frame of an .rds file, or one of those of an .rda file."""
    package = extra("pyreadr", "rds", place.where)
    try:
        found = {str(name or "data"): frame for name, frame in package.read_r(str(place.path)).items()}
    except (package.custom_errors.PyreadrError, package.custom_errors.LibrdataError, OSError, ValueError) as error:
        if isinstance(error, PermissionError):
            raise
        raise Refused(f"{place.where} cannot be read as a file of R: {str(error).rstrip('.')}.") from None
    frame = found[chosen_table(place.where, list(found), place.inner)]
    return from_frame(frame, place.where, told.na)
