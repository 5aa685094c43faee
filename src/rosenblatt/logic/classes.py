"""All threshold functions of n variables, one of each class.

Two functions are in one class if exchanging inputs, negating inputs and negating the output turns one into the other.
Negate inputs until no weight is negative, and sort the weights: then the function can only rise when an input goes to 1
or a 1 moves to an earlier place. Such a function is called regular. Regular functions are few (1173 of six variables).
An exact verdict tells which of them are threshold functions, and each class has one of these, or two that are each
other's dual.

References
----------
Winder (1965), Enumeration of seven-argument threshold functions, IEEE Transactions on Electronic Computers EC-14.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import factorial, prod

import numpy as np

from rosenblatt.logic.gates import Gate
from rosenblatt.logic.threshold import bipolar_weights, chow_parameters, gate_of, is_threshold
from rosenblatt.logic.truth_table import TruthTable, input_rows

__all__ = ["ThresholdClass", "threshold_classes"]

_MOST = 7


@dataclass(frozen=True)
class ThresholdClass:
    """A class of threshold functions.

    Attributes
    ----------
    table : TruthTable
        The representative: no weight is negative, and the weights fall from the first variable to the last.
    size : int
        Functions in the class.
    """

    table: TruthTable
    size: int

    @cached_property
    def gate(self) -> Gate:
        """The representative as a gate on inputs 0 and 1 with the smallest whole weights."""
        found = gate_of(self.table)
        assert found is not None
        return found[0]

    @cached_property
    def bipolar(self) -> tuple[tuple[int, ...], int]:
        """Weights and bias of least total size for inputs −1 and +1."""
        found = bipolar_weights(self.table)
        assert found is not None
        return found

    @property
    def total_weight(self) -> int:
        """Σ|w| + |b| of `bipolar`; the same for every function of the class."""
        weights, bias = self.bipolar
        return sum(map(abs, weights)) + abs(bias)

    @property
    def chow(self) -> tuple[int, ...]:
        """The representative's Chow parameters."""
        return chow_parameters(self.table)


def threshold_classes(n: int) -> Iterator[ThresholdClass]:
    """Every class of threshold functions of n ≤ 7 variables, once.

    Examples
    --------
    >>> classes = list(threshold_classes(3))
    >>> len(classes), sum(one.size for one in classes)
    (6, 104)
    >>> for one in classes:
    ...     print(one.size, one.gate)
    2 fires when 0 ≥ 1
    16 fires when x1 + x2 + x3 ≥ 3
    24 fires when x1 + x2 ≥ 2
    48 fires when 2·x1 + x2 + x3 ≥ 3
    8 fires when x1 + x2 + x3 ≥ 2
    6 fires when x1 ≥ 1
    """
    if isinstance(n, bool) or n not in range(_MOST + 1):
        raise ValueError(f"threshold functions are enumerated for 0 to {_MOST} variables; got n={n!r}.")
    for values in _regular(n):
        dual = ~values[::-1]
        if values.tobytes() > dual.tobytes():
            continue  # the dual stands for the class
        table = TruthTable(values)
        if is_threshold(table):
            yield ThresholdClass(table, _size(table, self_dual=bool(np.array_equal(values, dual))))


def _regular(n: int) -> Iterator[np.ndarray]:
    """All regular functions: if a row is true, so is every row above it.

    Row x is above row y if for every k, x has at least as many ones as y among its first k inputs.
    """
    counts = input_rows(n).cumsum(axis=1)
    order = np.argsort(counts.sum(axis=1), kind="stable")[::-1]  # a row comes after all rows above it
    above = [[int(a) for a in range(1 << n) if a != b and np.all(counts[a] >= counts[b])] for b in range(1 << n)]
    waiting = [(0, np.zeros(1 << n, dtype=np.bool_))]
    while waiting:
        place, values = waiting.pop()
        if place == 1 << n:
            yield values
            continue
        row = int(order[place])
        if values[above[row]].all():
            with_row = values.copy()
            with_row[row] = True
            waiting.append((place + 1, with_row))
        waiting.append((place + 1, values))


def _size(table: TruthTable, self_dual: bool) -> int:
    """How many functions the class of this regular function has."""
    *chow, true = chow_parameters(table)
    depends = sum(2 * c != true for c in chow)
    orders = factorial(table.n) // prod(factorial(times) for times in Counter(chow).values())
    return (orders << depends) * (1 if self_dual else 2)
