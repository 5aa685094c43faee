"""Arrays, tables and files in, one canonical layout out; labels as −1/+1."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt.data.encoding import Column as Column
    from rosenblatt.data.encoding import Encoding as Encoding
    from rosenblatt.data.opening import open_table as open_table
    from rosenblatt.data.refusal import Refused as Refused
    from rosenblatt.data.store import Store as Store
    from rosenblatt.data.table import Block as Block
    from rosenblatt.data.table import Table as Table

_HOMES = {
    "Block": "table",
    "Column": "encoding",
    "Encoding": "encoding",
    "Refused": "refusal",
    "Store": "store",
    "Table": "table",
    "open_table": "opening",
}

__all__ = ["Block", "Column", "Encoding", "Refused", "Store", "Table", "open_table"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"rosenblatt.data.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'rosenblatt.data' has no attribute {name!r}")
