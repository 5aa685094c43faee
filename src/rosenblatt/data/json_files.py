"""JSON: one object a line, or one list of objects. Values are taken as they are written."""

from rosenblatt.data.compression import compression_of
from rosenblatt.data.duck import Source, literal, pattern_free
from rosenblatt.data.file_asked import Place, Told
from rosenblatt.data.queries import from_query
from rosenblatt.data.refusal import Refused, quoted
from rosenblatt.data.text import head

__all__ = ["open_json"]


def open_json(place: Place, told: Told) -> Source:
    """Objects with the same keys, of which some may be absent; all objects are searched for their keys."""
    start = head(place.path, place.where).lstrip()
    if not start:
        raise Refused(f"{place.where} is empty: JSON holds an object a line, or a list of objects.")
    if not start.startswith(("{", "[")):
        raise Refused(f"{place.where} holds no objects: a table in JSON is a list of objects, or an object a line.")
    shape = "array" if start.startswith("[") else "newline_delimited"
    file, options = literal(pattern_free(str(place.path))), f"format='{shape}', maximum_object_size=268435456"
    options += f", compression='{compression_of(place.path)}'"
    query = f"SELECT * FROM read_json({file}, {options}, sample_size=-1, records=true)"
    found = from_query(query, place.where, told.na)
    for name, kind in zip(found.names, found.types, strict=True):
        if kind.startswith(("STRUCT", "MAP")) or kind.endswith("]"):
            raise Refused(f"{place.where}: column {quoted(name)} holds objects or lists; flatten it in a query.")
    columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in found.names)
    query = f"SELECT * FROM read_json({file}, {options}, columns={{{columns}}})"
    return from_query(query, place.where, told.na, found.connection, text=True)
