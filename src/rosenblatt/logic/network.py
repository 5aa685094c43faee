"""Networks of threshold gates in layers: each gate sees all outputs of the layer before, the first layer the inputs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rosenblatt.logic.gates import Gate
from rosenblatt.logic.truth_table import MOST_VARIABLES, TruthTable, default_names, format_table, input_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Network"]


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
            for gate in layer:
                if gate.fan_in != width:
                    raise ValueError(
                        f"layer {number} has a gate with {gate.fan_in} inputs where {width} signals arrive."
                    )
            width = len(layer)

    @property
    def n_gates(self) -> int:
        """Gates in all."""
        return sum(len(layer) for layer in self.layers)

    def __call__(self, *inputs: Any) -> Any:
        """Return the output for the inputs given one by one, or for an array with one input vector a row."""
        if len(inputs) == 1 and np.ndim(inputs[0]) > 0:
            outputs = self.signals(inputs[0])[-1]
            return outputs[:, 0] if outputs.shape[1] == 1 else outputs
        outputs = self.signals(np.asarray(inputs).reshape(1, -1))[-1][0]
        return int(outputs[0]) if len(outputs) == 1 else tuple(int(v) for v in outputs)

    def signals(self, X: Any) -> list[npt.NDArray[np.int8]]:
        """What every layer says to each row of inputs: one array (rows, gates) a layer."""
        signals = []
        for layer in self.layers:
            X = np.column_stack([gate(np.atleast_2d(X)) for gate in layer])
            signals.append(X)
        return signals

    def truth_table(self) -> TruthTable:
        """Of a network with one output, for up to 12 inputs."""
        if len(self.layers[-1]) != 1:
            raise ValueError(f"this network has {len(self.layers[-1])} outputs; a truth table shows one. See table().")
        return TruthTable(self(self._inputs()), self.variables)

    def table(self) -> str:
        """The truth table with what the hidden gates say, as text."""
        *hidden, outputs = self.signals(self._inputs())
        names = [f"f{k + 1}" for k in range(outputs.shape[1])] if outputs.shape[1] > 1 else ["f"]
        between = [values for layer in hidden for values in layer.T]
        return format_table(
            dict(zip(self.variables, self._inputs().T, strict=True)),
            {f"h{k + 1}": values for k, values in enumerate(between)},
            dict(zip(names, outputs.T, strict=True)),
        )

    def draw(self, ax: "Axes | None" = None) -> "Axes":
        """A drawing with matplotlib: inputs, gates with their thresholds, weights on the links."""
        from rosenblatt.logic.drawing import draw_layers

        return draw_layers(self.layers, self.variables, ax)

    def _inputs(self) -> npt.NDArray[np.int8]:
        if len(self.variables) > MOST_VARIABLES:
            raise ValueError(f"{len(self.variables)} inputs have 2^{len(self.variables)} rows; at most 12 are shown.")
        return input_rows(len(self.variables))

    def __repr__(self) -> str:
        return f"Network({[list(layer) for layer in self.layers]}, {self.variables})"

    def __str__(self) -> str:
        """One line a gate."""
        lines, names = [], list(self.variables)
        counted = 0
        for number, layer in enumerate(self.layers):
            last = number == len(self.layers) - 1
            fresh = []
            for k, gate in enumerate(layer):
                counted += not last
                fresh.append(f"h{counted}" if not last else "f" if len(layer) == 1 else f"f{k + 1}")
                lines.append(f"{fresh[-1]} fires when {gate.formula(names)}")
            names = fresh
        return "\n".join(lines)
