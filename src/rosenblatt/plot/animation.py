"""Animations of a run: a GIF for slides, or one HTML file with controls."""

import os
from html import escape
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from rosenblatt.arguments import checked
from rosenblatt.data.files import write_whole
from rosenblatt.models import Trace
from rosenblatt.plot.canvas import drawing
from rosenblatt.plot.canvas.replay import Replay
from rosenblatt.plot.canvas.style import Axes, axes_for, dress, head
from rosenblatt.plot.canvas.view import trace_of
from rosenblatt.theory import convergence

__all__ = ["Animation", "animate"]


class Animation:
    """A replay of a run; `save` writes ".gif" or ".html", a notebook shows it with its controls."""

    def __init__(self, replay: Replay, fps: float) -> None:
        self.replay, self.fps = replay, fps

    def __repr__(self) -> str:
        return f"<Animation: {len(self.replay.k)} moments of {int(self.replay.k[-1]):,} corrections>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the animation; the ending says how."""
        ending = Path(path).suffix.lower()
        if ending == ".html":
            write_whole(path, self.to_html().encode())
        elif ending == ".gif":
            write_whole(path, self.to_gif())
        else:
            raise ValueError(f"{os.fspath(path)}: an animation is saved as .gif or .html.")

    def to_html(self) -> str:
        """One page with play, step, scrub; nothing is loaded from anywhere."""
        return self.replay.to_html()

    def to_gif(self) -> bytes:
        """The pictures in a row, the last one held for two seconds."""
        import matplotlib.pyplot as plt
        from PIL import Image

        figure, (ax,) = axes_for(None, (5.2, 4.4))
        pictures = []
        for f in range(len(self.replay.k)):
            ax.clear()
            self.draw(f, ax)
            figure.canvas.draw()
            pixels = np.asarray(figure.canvas.buffer_rgba())[..., :3]  # type: ignore[attr-defined]  # Agg has it
            pictures.append(Image.fromarray(pixels.copy()).quantize(64))
        plt.close(figure)
        pause = round(1000 / self.fps)
        durations = [pause] * (len(pictures) - 1) + [2000]
        written = BytesIO()
        pictures[0].save(
            written, "GIF", save_all=True, append_images=pictures[1:], duration=durations, loop=0, disposal=1
        )
        return written.getvalue()

    def draw(self, f: int, ax: Axes) -> None:
        """One moment with matplotlib."""
        replay = self.replay
        colours = dress(ax)
        points = replay.points.copy()
        if replay.along is not None:
            points[:, 0] = np.clip(replay.along[f], -replay.reach[f], replay.reach[f])
        drawing.examples(ax, points, replay.signs > 0, replay.names, equal=replay.equal)
        if replay.along is not None:
            ax.set_xlim(-1.08 * replay.reach[f], 1.08 * replay.reach[f])
        *v, c = replay.lines[f]
        if np.any(v):
            drawing.line(ax, np.array(v), float(c), color=colours.ink, linewidth=1.8)
        drawing.rings(ax, points[replay.wrong[f]], size=60)
        at = np.flatnonzero(replay.rows == replay.corrected[f])
        drawing.rings(ax, points[at], colours.accent, 150)
        wrong = "" if replay.errors is None else f", {replay.errors[f]:,} not on their side"
        head(ax, f"After {int(replay.k[f]):,} of {int(replay.k[-1]):,} corrections{wrong}", replay.classes)

    def _repr_html_(self) -> str:
        """In a frame of its own, so that neither page can disturb the other."""
        page = escape(self.to_html(), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:640px;border:0" title="Replay of a run"></iframe>'


@checked
def animate(
    trace: Trace | BaseEstimator,
    X: Any,
    y: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    w_star: npt.ArrayLike | None = None,
    frames: int = 120,
    max_points: int = 240,
    fps: float = 6.0,
) -> Animation:
    """A recorded run as an animation, saved to `path` (.gif or .html) if one is given.

    With one or two columns the hyperplane moves. With more, the picture shows each example's signed distance to the
    hyperplane of the moment, and the examples move to their sides.

    Parameters
    ----------
    trace, X, y : Trace, or a perceptron fitted with `trace=True`, and data
        The run and what it was made on.
    path : path, optional
        Where to save.
    w_star : array, optional
        A separating vector, the bias last: adds the theorem's bounds to the page.
    frames, max_points : int
        How many moments and rows to show at most. A short run shows every correction; a long one shows the first ones,
        then moments farther and farther apart.
    fps : float
        Pictures a second in a GIF.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = rb.datasets.margin_cloud(40, 2, margin=0.3, random_state=4)
    >>> rb.plot.animate(rb.Perceptron(trace=True).fit(X, y), X, y)
    <Animation: 10 moments of 9 corrections>
    """
    if not fps > 0:
        raise ValueError(f"fps must be above 0; it is {fps}.")
    trace = trace if isinstance(trace, Trace) else trace_of(trace)
    curve = None if w_star is None else convergence(trace, X, y, w_star)
    animation = Animation(Replay.from_trace(trace, X, y, curve, frames=frames, max_points=max_points), fps)
    if path is not None:
        animation.save(path)
    return animation
