"""Threshold gates: a gate is a perceptron with inputs 0 and 1 that fires when Σ w·x ≥ θ."""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from numbers import Rational
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Signs
from rosenblatt.logic.truth_table import MOST_VARIABLES, TruthTable, default_names, input_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["AND", "AT_LEAST", "MAJORITY", "NAND", "NOR", "NOT", "OR", "Gate"]

Number = int | float | Fraction
_MOST_INPUTS = 100_000  # of gates that are named by their number of inputs: each has its own weight


class Gate:
    """One threshold gate, evaluated in exact arithmetic.

    Parameters
    ----------
    weights : numbers
        One for each input; whole numbers, fractions, or floats, which are taken as the fractions they are.
    threshold : number
        θ: the gate fires (1) when Σ w·x ≥ θ.

    Examples
    --------
    >>> both = Gate([1, 1], 2)
    >>> both(1, 1), both(1, 0)
    (1, 0)
    >>> both([[0, 0], [1, 1]])           # many inputs at once, one a row
    array([0, 1], dtype=int8)
    >>> print(both)
    fires when x1 + x2 ≥ 2
    """

    def __init__(self, weights: Sequence[Number], threshold: Number) -> None:
        self.weights = tuple(_finite_number(v, f"weight {i}") for i, v in enumerate(weights))
        self.threshold = _finite_number(threshold, "the threshold")
        exact = [Fraction(v) for v in (*self.weights, self.threshold)]
        common = lcm(*(v.denominator for v in exact))
        whole = [int(v * common) for v in exact]
        fits = sum(abs(v) for v in whole) < 2**62
        self._whole = np.array(whole[:-1], dtype=np.int64 if fits else object)
        self._whole_threshold = whole[-1]

    @property
    def fan_in(self) -> int:
        """The number of inputs."""
        return len(self.weights)

    def __call__(self, *inputs: npt.ArrayLike) -> Any:
        """Return the output for the inputs given one by one, or for an array with one input vector a row."""
        if len(inputs) == 1 and np.ndim(inputs[0]) > 0:
            return self._fire(np.asarray(inputs[0]))
        return int(self._fire(np.asarray(inputs).reshape(1, -1))[0])

    def _fire(self, X: npt.NDArray[Any]) -> Signs:
        if X.shape[-1] != self.fan_in:
            raise ValueError(f"this gate takes {self.fan_in} inputs; got {X.shape[-1]}.")
        if not np.all((X == 0) | (X == 1)):
            raise ValueError("the inputs of a gate are 0 and 1.")
        totals = X.astype(self._whole.dtype) @ self._whole
        fires: Signs = (totals >= self._whole_threshold).astype(np.int8)
        return fires

    def truth_table(self, variables: Sequence[str] | None = None) -> TruthTable:
        """The gate as a truth table, for up to 12 inputs.

        >>> print(OR(2).truth_table(["p", "q"]))
        p q | f
        ----+--
        0 0 | 0
        0 1 | 1
        1 0 | 1
        1 1 | 1
        """
        if self.fan_in > MOST_VARIABLES:
            raise ValueError(f"a truth table of {self.fan_in} inputs has 2^{self.fan_in} rows; at most 12 are shown.")
        return TruthTable(self._fire(input_rows(self.fan_in)), variables or default_names(self.fan_in))

    def formula(self, variables: Sequence[str] | None = None) -> str:
        """The inequality it computes.

        >>> NAND(2).formula(["p", "q"])
        '-p - q ≥ -1'
        """
        names = variables or [f"x{i + 1}" for i in range(self.fan_in)]
        text = ""
        for w, name in zip(self.weights, names, strict=True):
            if w:
                size = name if abs(w) == 1 else f"{abs(w)}·{name}"
                text += (f" {'-' if w < 0 else '+'} " if text else "-" if w < 0 else "") + size
        return f"{text or '0'} ≥ {self.threshold}"

    def draw(self, ax: "Axes | None" = None, variables: Sequence[str] | None = None) -> "Axes":
        """A drawing with matplotlib: inputs, weights, threshold."""
        from rosenblatt.logic.network import draw_layers

        return draw_layers([[self]], variables, ax)

    def __eq__(self, other: object) -> bool:
        """Whether weights and threshold are the same."""
        return isinstance(other, Gate) and (self.weights, self.threshold) == (other.weights, other.threshold)

    def __hash__(self) -> int:
        return hash((self.weights, self.threshold))

    def __repr__(self) -> str:
        return f"Gate({list(self.weights)}, {self.threshold})"

    def __str__(self) -> str:
        return f"fires when {self.formula()}"


def _finite_number(value: object, name: str) -> Number:
    """A finite number as the user gave it, whole ones as int."""
    if isinstance(value, (np.integer, np.floating)):
        value = value.item()
    if not isinstance(value, (float, Rational)) or (isinstance(value, float) and not np.isfinite(value)):
        raise ValueError(f"{name} must be a finite number; got {value!r}.")
    exact = Fraction(value)
    return int(exact) if exact.denominator == 1 else value if isinstance(value, float) else exact


def _fan_in(n: int) -> int:
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or not 1 <= n <= _MOST_INPUTS:
        raise ValueError(f"a gate of this kind has 1 to {_MOST_INPUTS:,} inputs; got {n!r}.")
    return int(n)


def AT_LEAST(k: int, n: int) -> Gate:  # noqa: N802
    """Fires when at least k of n inputs do.

    >>> AT_LEAST(2, 3)(1, 0, 1)
    1
    """
    return Gate([1] * _fan_in(n), k)


def AND(n: int = 2) -> Gate:  # noqa: N802
    """Fires when all n inputs do.

    >>> AND(3)
    Gate([1, 1, 1], 3)
    """
    return AT_LEAST(n, n)


def OR(n: int = 2) -> Gate:  # noqa: N802
    """Fires when at least one of n inputs does.

    >>> OR()
    Gate([1, 1], 1)
    """
    return AT_LEAST(1, n)


def NOT() -> Gate:  # noqa: N802
    """Fires when its input does not.

    >>> NOT()(0), NOT()(1)
    (1, 0)
    """
    return Gate([-1], 0)


def NAND(n: int = 2) -> Gate:  # noqa: N802
    """Fires unless all n inputs do.

    >>> NAND()
    Gate([-1, -1], -1)
    """
    return Gate([-1] * _fan_in(n), 1 - n)


def NOR(n: int = 2) -> Gate:  # noqa: N802
    """Fires when none of n inputs does.

    >>> NOR()
    Gate([-1, -1], 0)
    """
    return Gate([-1] * _fan_in(n), 0)


def MAJORITY(n: int = 3) -> Gate:  # noqa: N802
    """Fires when more than half of n inputs do.

    >>> MAJORITY(5)
    Gate([1, 1, 1, 1, 1], 3)
    """
    return AT_LEAST(n // 2 + 1, n)
