"""What every picture is: data that `from_…` computed, `plot(ax)` that draws them, `ax_` and `figure_` where it did."""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, Self

from rosenblatt.data.files import write_whole
from rosenblatt.models import Hyperplane, Trace
from rosenblatt.plot.canvas.style import Axes, Estimator, Figure, Palette, Where, axes_for, dress
from rosenblatt.plot.canvas.view import hyperplane_of, trace_of

__all__ = ["Display", "HyperplaneDisplay", "Panel", "RunDisplay", "refuse_other_kinds", "save_figure"]

_KINDS = (".png", ".svg", ".pdf")


def refuse_other_kinds(path: Path | None) -> None:
    """Refuse a name whose ending is no kind of picture."""
    if path is not None and path.suffix.lower() not in _KINDS:
        raise ValueError(f"{path}: pictures are written as {', '.join(_KINDS)}.")


def save_figure(draw: Callable[[], Any], path: Path) -> None:
    """Write the matplotlib figure that `draw` makes, without a screen; the ending of the name says how."""
    import matplotlib as mpl

    content = BytesIO()
    with mpl.rc_context({"backend": "agg"}):
        draw().savefig(content, dpi=150, format=path.suffix[1:].lower())
    write_whole(path, content.getvalue())


Panel = Callable[[Axes, Palette], None]  # draws into its axes, with the colours that suit their background


class Display(ABC):
    """Keeps data, draws them when asked to, and saves what it drew. matplotlib loads with the first picture."""

    ax_: Any  # the axes, or an array of them; after `plot`
    figure_: Figure

    @abstractmethod
    def plot(self, ax: Where = None) -> Self:
        """Draw into these axes, or into a new figure."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture as .png, .svg or .pdf; it is drawn first if it was not."""
        refuse_other_kinds(Path(path))
        save_figure(lambda: (self.plot() if not hasattr(self, "figure_") else self).figure_, Path(path))

    def _one(self, ax: Where, size: tuple[float, float]) -> tuple[Axes, Palette]:
        """The axes of a picture in one panel, dressed, and their colours."""
        self.figure_, (self.ax_,) = axes_for(ax, size)
        return self.ax_, dress(self.ax_)

    def _several(
        self, ax: Where, size: tuple[float, float], panels: Sequence[Sequence[Panel]], **grid: Sequence[float]
    ) -> Self:
        """Each panel in axes of its own, line by line."""
        self.figure_, self.ax_ = axes_for(ax, size, (len(panels), len(panels[0])), **grid)
        for one, panel in zip(self.ax_, (panel for line in panels for panel in line), strict=True):
            panel(one, dress(one))
        return self


class HyperplaneDisplay(Display):
    """A picture of a hyperplane between two classes, whoever found it."""

    @classmethod
    @abstractmethod
    def from_hyperplane(cls, hyperplane: Hyperplane, X: Any, y: Any, **options: Any) -> Self:
        """Any hyperplane."""

    @classmethod
    def from_estimator(cls, estimator: Estimator, X: Any, y: Any, **options: Any) -> Self:
        """That of a fitted linear classifier of two classes (`coef_`); options as in `from_hyperplane`."""
        return cls.from_hyperplane(hyperplane_of(estimator), X, y, **options)


class RunDisplay(Display):
    """A picture of a recorded run."""

    @classmethod
    @abstractmethod
    def from_trace(cls, trace: Trace, X: Any, y: Any, *more: Any, **options: Any) -> Self:
        """A recorded run."""

    @classmethod
    def from_estimator(cls, estimator: Estimator, X: Any, y: Any, *more: Any, **options: Any) -> Self:
        """The run of a perceptron that was fitted with `trace=True`; the rest as in `from_trace`."""
        return cls.from_trace(trace_of(estimator), X, y, *more, **options)
