"""One recorded run as a series of moments: where the hyperplane was, which rows were wrong, what was added.

Python computes every moment; the script in `replay.js` only shows them. The same fragment of HTML serves `animate` and
the report: no framework, nothing loaded from anywhere.
"""

import base64
import json
from dataclasses import dataclass
from importlib.resources import files
from string import Template
from typing import Any

import numpy as np

from rosenblatt.arrays import Flags, Floats, Integers, Signs
from rosenblatt.models import Trace
from rosenblatt.plot.canvas.style import DARK, LIGHT
from rosenblatt.plot.canvas.view import DrawnExamples, View, parted
from rosenblatt.theory import ConvergenceCurve

__all__ = ["Replay", "assets", "css_variables", "embedded_json"]

_LARGEST_COUNT = 1 << 31  # values looked at to count the examples that are wrong at every moment


@dataclass(frozen=True)
class Replay:
    """A run at chosen moments k. With up to two columns the line moves; with more, the examples do.

    Attributes
    ----------
    k : array of F numbers
        Corrections made at each moment, from 0 to the end.
    points : array (m, 2)
        Where the m examples are drawn; with more than two columns the first coordinate is that of the last moment.
    along : array (F, m) or None
        With more than two columns: signed distances to the hyperplane of each moment.
    lines : array (F, 3)
        v1·a1 + v2·a2 + c = 0 at each moment.
    wrong : array (F, m) of bool
        Which examples had y·s ≤ 0.
    errors : array of F numbers or None
        How many of all examples, drawn or not, had y·s ≤ 0.
    """

    k: Integers
    points: Floats
    signs: Signs
    rows: Integers
    along: Floats | None
    lines: Floats
    wrong: Flags
    errors: Integers | None
    corrected: Integers  # the row of correction k; −1 at the start
    steps: Floats  # its signed step
    before: Floats  # its s before
    after: Floats  # and after
    norm_sq: Floats  # ‖w‖², the bias included
    lower: Floats | None  # the theorem's bounds
    upper: Floats | None
    bound: int | None
    names: tuple[str, str]
    classes: list[tuple[str, int]]
    equal: bool

    @classmethod
    def from_trace(
        cls,
        trace: Trace,
        X: Any,
        y: Any,
        curve: ConvergenceCurve | None = None,
        *,
        frames: int = 160,
        max_points: int = 240,
    ) -> "Replay":
        """At most `frames` moments of a run and `max_points` rows; with a `curve` also the theorem's bounds."""
        examples = DrawnExamples.of(X, y)
        trace.bind(examples.rows)
        p = examples.rows.p
        k = _moments_shown(len(trace), frames)
        augmented = trace.weights_at(k)
        weights, bias = parted(augmented, p)
        earlier, bias_before = parted(trace.weights_at(np.maximum(k - 1, 0)), p)
        corrected = np.where(k > 0, trace.rows[np.maximum(k - 1, 0)] if len(trace) else -1, -1)
        steps = np.where(k > 0, trace.steps[np.maximum(k - 1, 0)] if len(trace) else 0.0, 0.0)
        shown = examples.sample(max_points, _busiest(trace, max_points // 2))
        view = View.across(examples, weights[-1], float(bias[-1]))
        block = examples.rows.take(shown)
        responses = weights @ block.T + bias[:, None]
        lengths = np.linalg.norm(weights, axis=1)
        along = responses / np.where(lengths > 0, lengths, 1.0)[:, None] if p > 2 else None
        own = examples.rows.take(np.maximum(corrected, 0))
        return cls(
            k,
            view.points(block, examples.signs[shown]),
            examples.signs[shown],
            shown,
            along,
            _lines(view, weights, bias),
            examples.signs[shown] * responses <= 0,
            _mistakes(examples, augmented),
            corrected,
            steps,
            np.sum(own * earlier, axis=1) + bias_before,
            np.sum(own * weights, axis=1) + bias,
            _lengths_shown(augmented),
            None if curve is None else curve.lower[k],
            None if curve is None else curve.upper[k],
            None if curve is None else curve.bound,
            view.names,
            examples.classes,
            p == 2,
        )

    @property
    def reach(self) -> Floats:
        """How far from the hyperplane the picture goes at each moment: to all examples but the farthest few."""
        assert self.along is not None
        reach = np.quantile(np.abs(self.along), 0.99, axis=1)
        return np.where(reach > 0, reach, 1.0)

    def to_json(self) -> dict[str, Any]:
        """What the script needs, numbers cut to what a screen can show."""
        content: dict[str, Any] = {
            "k": self.k.tolist(),
            "x": _short(self.points[:, 0]),
            "y": _short(self.points[:, 1]),
            "sign": self.signs.tolist(),
            "row": self.rows.tolist(),
            "lines": [_short(line) for line in self.lines],
            "wrong": [base64.b64encode(np.packbits(moment).tobytes()).decode() for moment in self.wrong],
            "errors": None if self.errors is None else self.errors.tolist(),
            "n": sum(count for _, count in self.classes),
            "corrected": self.corrected.tolist(),
            "correctedSign": np.sign(self.steps).astype(int).tolist(),
            "step": _short(np.abs(self.steps)),
            "before": _short(self.before),
            "after": _short(self.after),
            "normSq": _short(self.norm_sq),
            "lower": None if self.lower is None else _short(self.lower),
            "upper": None if self.upper is None else _short(self.upper),
            "bound": self.bound,
            "names": list(self.names),
            "classes": [name for name, _ in self.classes],
            "equal": self.equal,
        }
        if self.along is not None:
            parts = np.rint(np.clip(self.along / self.reach[:, None], -1, 1) * 32767).astype("<i2")
            content |= {"reach": _short(self.reach), "along": base64.b64encode(parts.tobytes()).decode()}
        return content

    def fragment(self) -> str:
        """The figure with its controls and data; needs `assets()` once on the same page."""
        numbers = {"corrections": f"{int(self.k[-1]):,}", "last": len(self.k) - 1}
        return Template(_asset("replay.html")).substitute(numbers, data=embedded_json(self.to_json())).rstrip()

    def to_html(self) -> str:
        """A page of its own: one file, nothing loaded from anywhere."""
        style, script = assets()
        parts = {"variables": css_variables(), "style": style, "fragment": self.fragment(), "script": script}
        return Template(_asset("replay_page.html")).substitute(parts)


def assets() -> tuple[str, str]:
    """The style and the script that replays need, once for each page."""
    return _asset("replay.css"), _asset("replay.js")


def _asset(name: str) -> str:
    return files("rosenblatt.plot.canvas").joinpath(name).read_text("utf-8")


def css_variables() -> str:
    """The palette for pages: light, dark where the reader prefers it, and always light on paper."""
    light, dark = (";".join(f"--{name}:{value}" for name, value in p._asdict().items()) for p in (LIGHT, DARK))
    return (
        f":root{{color-scheme:light dark;{light}}}"
        f"@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}"
        f"@media print{{:root{{color-scheme:light}}}}"
    )


def embedded_json(content: object) -> str:
    """JSON that cannot end the script element it stands in."""
    return json.dumps(content, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def _moments_shown(corrections: int, frames: int) -> Integers:
    """Every correction of a short run; of a long one the first ones, then ever wider steps, and the last."""
    if frames < 2:
        raise ValueError(f"frames must be at least 2; it is {frames}.")
    if corrections < frames:
        return np.arange(corrections + 1)
    early = frames // 3
    late = np.geomspace(max(1, early), corrections, frames - early)
    return np.unique(np.append(np.arange(early), np.rint(late).astype(np.int64)))


def _busiest(trace: Trace, limit: int) -> Integers:
    """The rows that were corrected most often."""
    rows, counts = np.unique(trace.rows, return_counts=True)
    return np.asarray(rows[np.argsort(-counts, kind="stable")][:limit])


def _lines(view: View, weights: Floats, bias: Floats) -> Floats:
    if weights.shape[1] > 2:  # the examples move, and the hyperplane stays at distance zero
        return np.tile([1.0, 0.0, 0.0], (len(weights), 1))
    parts = [view.line(w, float(b)) for w, b in zip(weights, bias, strict=True)]
    return np.array([[*v, c] for v, c in parts])


def _mistakes(examples: DrawnExamples, weights: Floats) -> Integers | None:
    """How many examples have y·s ≤ 0 at each moment; None if counting them would take long."""
    if examples.rows.n * examples.rows.width * len(weights) > _LARGEST_COUNT:
        return None
    return np.array([np.count_nonzero(examples.signs * examples.rows.respond(w) <= 0) for w in weights])


def _lengths_shown(weights: Floats) -> Floats:
    """‖w‖² of each moment; the largest float if it is larger than that."""
    with np.errstate(over="ignore"):
        return np.asarray(np.nan_to_num(np.sum(weights**2, axis=1)))


def _short(values: Floats) -> list[float]:
    """The values with five digits."""
    return [float(f"{v:.5g}") for v in values]
