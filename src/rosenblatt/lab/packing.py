"""Numbers between Python and the browser without text in between: a JSON header and columns, in one piece of bytes.

Four bytes give the header's length (little-endian), the header is JSON, and each column of `header["columns"]`, a name
with its type and length, follows on the next multiple of eight. The browser looks at the columns where they lie.
"""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Malformed", "pack", "unpack"]

_TYPES: dict[str, np.dtype[Any]] = {"f64": np.dtype("<f8"), "i32": np.dtype("<i4"), "i8": np.dtype("i1")}
_NAMES = {"f8": "f64", "i4": "i32", "i1": "i8"}


class Malformed(ValueError):
    """These bytes were not packed by `pack` or its twin in the browser."""


def pack(header: Mapping[str, Any], columns: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """The header and its columns; NaN in the header is refused, it has no JSON.

    >>> header, columns = unpack(pack({"n": 2}, {"x": np.array([0.5, -0.0])}))
    >>> header["n"], columns["x"]
    (2, array([ 0.5, -0. ]))
    """
    arrays = {name: np.ascontiguousarray(a) for name, a in columns.items()}
    described = [(name, _NAMES[a.dtype.str[1:]], int(a.size)) for name, a in arrays.items()]
    text = json.dumps({**header, "columns": described}, allow_nan=False).encode()
    parts = [len(text).to_bytes(4, "little"), text]
    size = 4 + len(text)
    for (_, kind, _), array in zip(described, arrays.values(), strict=True):
        gap = -size % 8
        content = array.astype(_TYPES[kind], copy=False).tobytes()
        parts += [bytes(gap), content]
        size += gap + len(content)
    return b"".join(parts)


def unpack(blob: bytes | memoryview) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """(header, columns) of what `pack` made; anything else raises `Malformed`."""
    blob = bytes(blob)
    length = int.from_bytes(blob[:4], "little")
    if len(blob) < 4 + length:
        raise Malformed("the message is cut short.")
    try:
        header = json.loads(blob[4 : 4 + length])
        described = [(str(name), _TYPES[kind], int(size)) for name, kind, size in header.pop("columns")]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise Malformed("the message has no header that can be read.") from None
    columns, at = {}, 4 + length
    for name, kind, size in described:
        at += -at % 8
        if size < 0 or at + size * kind.itemsize > len(blob):
            raise Malformed(f"the message is cut short in column {name!r}.")
        columns[name] = np.frombuffer(blob, dtype=kind, count=size, offset=at)
        at += size * kind.itemsize
    return header, columns
