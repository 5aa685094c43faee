"""Pictures of what the lectures draw on the board, from real runs. matplotlib loads when the first one is drawn."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt.plot.filter_display import FilterDisplay as FilterDisplay

_HOMES = {"FilterDisplay": "filter_display"}  # name → module: one line for each picture

__all__ = ["FilterDisplay"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"rosenblatt.plot.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'rosenblatt.plot' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
