"""JSON: one object a line, or one list of objects. Values are taken as they are written.

DuckDB makes a float of every number with a point. Where a file has numbers of more digits than floats have, they are
taken from the text of the objects.
"""

import json
import re

from rosenblatt.data.readers.formats import Place, Told
from rosenblatt.data.readers.packed import compression_of
from rosenblatt.data.readers.text import first_lines
from rosenblatt.data.refusal import Refused
from rosenblatt.data.sql import Source, from_query, identifier, literal, pattern_free

__all__ = ["open_json"]

_LONG = r"[0-9][0-9.]{15}|[0-9][eE]-?[0-9]{3}"  # a number that may not be its float
_TABLE = "a table in JSON is a list of objects, or an object a line"


def open_json(place: Place, told: Told) -> Source:
    """Objects with the same keys, of which some may be absent; all objects are searched for their keys."""
    start = first_lines(place.path, place.where).lstrip()
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
    objects = f"read_json_objects({file}, {options})"
    if found.select(f"SELECT bool_or(regexp_matches(json, {literal(_LONG)})) FROM {objects}")[0][0]:
        query = _with_digits(objects, found.names, types)
    source = from_query(query, place.where, told.na, found.connection, text=not any(nested))
    source.written = frozenset(i for i, inner in enumerate(nested) if not inner)
    return source


def _with_digits(objects: str, names: list[str], types: list[str]) -> str:
    """A query for the values of the objects, numbers with the digits that they have in the text.

    The text after a key is taken where it is the number that DuckDB read; it is another one where an object within
    the object has the same key.
    """
    shape = literal(json.dumps(dict(zip(names, types, strict=True))))
    values = []
    for name, kind in zip(names, types, strict=True):
        value = f"struct_extract(o, {literal(name)})"
        if kind == "VARCHAR":
            keys = "|".join({re.escape(json.dumps(name)), re.escape(json.dumps(name, ensure_ascii=False))})
            pattern = literal(rf"(?:{keys})\s*:\s*(-?[0-9][-+0-9.eE]*)")
            texts = f"regexp_extract_all(json, {pattern}, 1)"
            same = f"[t FOR t IN {texts} IF TRY_CAST(t AS DOUBLE) = TRY_CAST({value} AS DOUBLE)]"
            value = f"coalesce({same}[1], {value})"
        values.append(f"{value} AS {identifier(name)}")
    return f"SELECT {', '.join(values)} FROM (SELECT json, from_json(json, {shape}) AS o FROM {objects})"
