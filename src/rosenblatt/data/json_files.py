"""JSON: one object a line, or one list of objects. Values are taken as they are written."""

import re

from rosenblatt.data.compression import compression_of
from rosenblatt.data.duck import Source, literal, pattern_free
from rosenblatt.data.file_asked import Place, Told
from rosenblatt.data.queries import from_query
from rosenblatt.data.refusal import Refused
from rosenblatt.data.text import head

__all__ = ["open_json"]

_TABLE = "a table in JSON is a list of objects, or an object a line"


def open_json(place: Place, told: Told) -> Source:
    """Objects with the same keys, of which some may be absent; all objects are searched for their keys."""
    start = head(place.path, place.where).lstrip()
    if not start:
        raise Refused(f"{place.where} is empty: JSON holds an object a line, or a list of objects.")
    if not re.match(r"\{|\[\s*\{", start):
        raise Refused(f"{place.where} holds no objects: {_TABLE}.")
    shape = "array" if start.startswith("[") else "newline_delimited"
    file, options = literal(pattern_free(str(place.path))), f"format='{shape}', maximum_object_size=268435456"
    options += f", compression='{compression_of(place.path)}'"
    query = f"SELECT * FROM read_json({file}, {options}, sample_size=-1, records=true)"
    found = from_query(query, place.where, told.na)
    nested = [kind.startswith(("STRUCT", "MAP")) or kind.endswith("]") for kind in found.types]
    if all(nested):
        raise Refused(f"{place.where} has lists or objects in every column: {_TABLE} with plain values.")
    types = ["JSON" if inner else "VARCHAR" for inner in nested]
    columns = ", ".join(f"{literal(name)}: '{kind}'" for name, kind in zip(found.names, types, strict=True))
    query = f"SELECT * FROM read_json({file}, {options}, columns={{{columns}}})"
    source = from_query(query, place.where, told.na, found.connection, text=not any(nested))
    source.written = frozenset(i for i, inner in enumerate(nested) if not inner)
    return source
