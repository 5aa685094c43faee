"""Pictures. matplotlib loads when the first one is drawn."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt.plot.capacity_display import CapacityDisplay as CapacityDisplay

_HOMES = {"CapacityDisplay": "capacity_display"}

__all__ = ["CapacityDisplay"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"rosenblatt.plot.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'rosenblatt.plot' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
