"""Pictures of what the lectures draw on the board, from real runs. matplotlib loads when the first one is drawn."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt.plot.capacity_display import CapacityDisplay as CapacityDisplay
    from rosenblatt.plot.filter_display import FilterDisplay as FilterDisplay

_HOMES = {  # name → module: one line for each picture
    "CapacityDisplay": "capacity_display",
    "FilterDisplay": "filter_display",
}

__all__ = ["CapacityDisplay", "FilterDisplay"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"rosenblatt.plot.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'rosenblatt.plot' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
