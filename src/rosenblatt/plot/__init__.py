"""Pictures of what the lectures draw on the board, from real runs. matplotlib loads when the first one is drawn.

Each Display follows scikit-learn's pattern: `from_…` computes, `plot(ax=None)` draws and sets `ax_` and `figure_`. The
positive class (the second in sorted order) is a blue disc, the negative one an orange square, here and in every report.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt.plot.animation import animate as animate
    from rosenblatt.plot.boundary_display import BoundaryDisplay as BoundaryDisplay
    from rosenblatt.plot.capacity_display import CapacityDisplay as CapacityDisplay
    from rosenblatt.plot.comparison_display import ComparisonDisplay as ComparisonDisplay
    from rosenblatt.plot.convergence_display import ConvergenceDisplay as ConvergenceDisplay
    from rosenblatt.plot.corrections_display import CorrectionsDisplay as CorrectionsDisplay
    from rosenblatt.plot.echo_display import EchoDisplay as EchoDisplay
    from rosenblatt.plot.filter_display import FilterDisplay as FilterDisplay
    from rosenblatt.plot.loss_display import LossDisplay as LossDisplay
    from rosenblatt.plot.margin_display import MarginDisplay as MarginDisplay

_HOMES = {  # name → module: one line for each picture
    "BoundaryDisplay": "boundary_display",
    "CapacityDisplay": "capacity_display",
    "ComparisonDisplay": "comparison_display",
    "ConvergenceDisplay": "convergence_display",
    "CorrectionsDisplay": "corrections_display",
    "EchoDisplay": "echo_display",
    "FilterDisplay": "filter_display",
    "LossDisplay": "loss_display",
    "MarginDisplay": "margin_display",
    "animate": "animation",
}

__all__ = [
    "BoundaryDisplay",
    "CapacityDisplay",
    "ComparisonDisplay",
    "ConvergenceDisplay",
    "CorrectionsDisplay",
    "EchoDisplay",
    "FilterDisplay",
    "LossDisplay",
    "MarginDisplay",
    "animate",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"rosenblatt.plot.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'rosenblatt.plot' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
