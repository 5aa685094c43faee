"""Networks of threshold gates in layers: each gate sees all outputs of the layer before, the first layer the inputs."""

import re
from collections.abc import Sequence
from itertools import count, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Signs
from rosenblatt.logic.gates import Gate, Number
from rosenblatt.logic.truth_table import MOST_VARIABLES, TruthTable, default_names, format_table, input_rows
from rosenblatt.plot.canvas import axes_for, background, palette, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Network", "draw_layers"]


class Network:
    """Gates in layers.

    Parameters
    ----------
    layers : lists of gates
        From the inputs to the outputs.
    variables : names of the inputs, optional
        a, b, c, … if not given.

    Examples
    --------
    XOR by hand, NAND and OR joined by AND:

    >>> from rosenblatt.logic import AND, NAND, OR
    >>> xor = Network([[NAND(), OR()], [AND()]])
    >>> xor(1, 0), xor(1, 1)
    (1, 0)
    >>> print(xor.table())
    a b | h1 h2 | f
    ----+-------+--
    0 0 |  1  0 | 0
    0 1 |  1  1 | 1
    1 0 |  1  1 | 1
    1 1 |  0  1 | 0
    """

    def __init__(self, layers: Sequence[Sequence[Gate]], variables: Sequence[str] | None = None) -> None:
        self.layers = tuple(tuple(layer) for layer in layers)
        if not self.layers or not all(self.layers):
            raise ValueError("a network has one layer or more, and a gate or more in each.")
        width = self.layers[0][0].fan_in
        self.variables = tuple(variables) if variables is not None else default_names(width)
        if len(self.variables) != width:
            raise ValueError(f"the first layer takes {width} inputs; {len(self.variables)} are named.")
        for number, layer in enumerate(self.layers):
            wrong = [gate.fan_in for gate in layer if gate.fan_in != width]
            if wrong:
                raise ValueError(f"layer {number} has a gate with {wrong[0]} inputs where {width} signals arrive.")
            width = len(layer)

    @property
    def n_gates(self) -> int:
        """Gates in all."""
        return sum(len(layer) for layer in self.layers)

    def __call__(self, *inputs: npt.ArrayLike) -> Any:
        """Return the output for the inputs given one by one, or for an array with one input vector a row."""
        if len(inputs) == 1 and np.ndim(inputs[0]) > 0:
            outputs = self.signals(inputs[0])[-1]
            return outputs[:, 0] if outputs.shape[1] == 1 else outputs
        outputs = self.signals(np.asarray(inputs).reshape(1, -1))[-1][0]
        return int(outputs[0]) if len(outputs) == 1 else tuple(int(v) for v in outputs)

    def signals(self, X: npt.ArrayLike) -> list[Signs]:
        """The outputs of every layer for each row of inputs: one array (rows, gates) a layer."""
        signals = []
        for layer in self.layers:
            X = np.column_stack([gate(np.atleast_2d(X)) for gate in layer])
            signals.append(X)
        return signals

    def truth_table(self) -> TruthTable:
        """The truth table of a network with one output and up to 12 inputs."""
        if len(self.layers[-1]) != 1:
            raise ValueError(f"this network has {len(self.layers[-1])} outputs; a truth table shows one. See table().")
        return TruthTable(self(self._inputs()), self.variables)

    def table(self) -> str:
        """The truth table with the outputs of the hidden gates, as text."""
        signals = [self._inputs(), *self.signals(self._inputs())]
        inputs, *hidden, outputs = (
            dict(zip(names, values.T, strict=True)) for names, values in zip(self._names(), signals, strict=True)
        )
        return format_table(inputs, {name: values for layer in hidden for name, values in layer.items()}, outputs)

    def draw(self, ax: "Axes | None" = None) -> "Axes":
        """A drawing with matplotlib: inputs, gates with their thresholds, weights on the links."""
        from rosenblatt.logic.network import draw_layers

        return draw_layers(self.layers, self.variables, ax)

    def _names(self) -> list[list[str]]:
        """Names of inputs and gates, layer by layer: hidden gates are h1, h2, …, an output is f, several f1, f2, ….

        Hidden gates are counted through all layers. If an input has such a name, the gates' names have capitals.
        """
        *hidden, outputs = (len(layer) for layer in self.layers)
        taken = any(re.fullmatch(r"f|[hf]\d+", name) for name in self.variables)
        h, f = "HF" if taken else "hf"
        number = count(1)
        between = [[f"{h}{next(number)}" for _ in range(width)] for width in hidden]
        last = [f] if outputs == 1 else [f"{f}{k + 1}" for k in range(outputs)]
        return [list(self.variables), *between, last]

    def _inputs(self) -> Signs:
        if len(self.variables) > MOST_VARIABLES:
            raise ValueError(f"{len(self.variables)} inputs have 2^{len(self.variables)} rows; at most 12 are shown.")
        return input_rows(len(self.variables))

    def __repr__(self) -> str:
        return f"Network({[list(layer) for layer in self.layers]}, {self.variables})"

    def __str__(self) -> str:
        """One line a gate."""
        lines = []
        for layer, (arriving, own) in zip(self.layers, pairwise(self._names()), strict=True):
            lines += [f"{name} fires when {gate.formula(arriving)}" for name, gate in zip(own, layer, strict=True)]
        return "\n".join(lines)


_RADIUS = 0.32


def draw_layers(
    layers: Sequence[Sequence[Gate]], variables: Sequence[str] | None = None, ax: "Axes | None" = None
) -> "Axes":
    """Draw gates in layers. A link shows its weight; one of weight 0 is left out. A gate shows its threshold."""
    from matplotlib.patches import Circle

    names = list(variables) if variables is not None else list(default_names(layers[0][0].fan_in))
    widths = [len(names), *(len(layer) for layer in layers)]
    tallest = max(widths)
    names = [plain(name, 24) for name in names]
    room = 0.4 + 0.14 * max(map(len, names), default=0)  # for the names of the inputs
    ax = axes_for(ax, (2.4 * len(widths) + room, 1.1 * tallest + 0.8))[1][0]
    ink = palette(ax).ink
    places = [[(2.4 * column, (width - 1) / 2 - k) for k in range(width)] for column, width in enumerate(widths)]
    for layer, before, here in zip(layers, places, places[1:], strict=False):
        for gate, end in zip(layer, here, strict=True):
            for weight, start in zip(gate.weights, before, strict=True):
                if weight:
                    _link(ax, start, end, weight)
    for name, (x, y) in zip(names, places[0], strict=True):
        ax.text(x - 0.1, y, name, ha="right", va="center", fontsize=13, color=ink)
        ax.plot(x, y, "o", color=ink, markersize=5)
    for layer, here in zip(layers, places[1:], strict=True):
        for gate, (x, y) in zip(layer, here, strict=True):
            ax.add_patch(Circle((x, y), _RADIUS, facecolor=background(ax), edgecolor=ink, linewidth=1.6, zorder=3))
            ax.text(x, y, f"≥ {gate.threshold}", ha="center", va="center", fontsize=11, color=ink, zorder=4)
    for k, (x, y) in enumerate(places[-1]):
        ax.annotate("", (x + 1.0, y), (x + _RADIUS, y), arrowprops={"arrowstyle": "->", "color": ink})
        ax.text(x + 1.08, y, "f" if widths[-1] == 1 else f"f{k + 1}", ha="left", va="center", fontsize=13, color=ink)
    ax.set(xlim=(-room, 2.4 * len(layers) + 1.4), ylim=(-(tallest - 1) / 2 - 0.6, (tallest - 1) / 2 + 0.6))
    ax.set_aspect("equal")
    ax.axis("off")
    return ax


def _link(ax: "Axes", start: tuple[float, float], end: tuple[float, float], weight: Number) -> None:
    """A line with its weight near the gate, where links from elsewhere do not cross it.

    A negative weight is dashed too, so that it can be told apart without colour.
    """
    colours = palette(ax)
    color, style = (colours.positive, "-") if weight > 0 else (colours.negative, "--")
    ax.plot([start[0], end[0]], [start[1], end[1]], style, color=color, linewidth=1.5, zorder=1)
    x, y = (a + 0.8 * (b - a) for a, b in zip(start, end, strict=True))
    box = {"boxstyle": "round,pad=0.15", "facecolor": background(ax), "edgecolor": "none"}
    text = f"{weight:g}" if isinstance(weight, float) else str(weight)
    ax.text(x, y, text, color=color, ha="center", va="center", fontsize=11, bbox=box, zorder=2)
