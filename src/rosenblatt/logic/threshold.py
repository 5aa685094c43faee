"""Threshold functions, which one gate computes: the gate with the smallest weights, or proof of none; their classes.

A gate exists exactly if no mixture of true rows equals a mixture of false rows (Gordan). If raising one variable raises
the function at some rows and lowers it at others, two such rows of each kind are those mixtures. All other functions
are monotone after some inputs are negated; their weights are then positive, and only the lowest true rows and the
highest false rows matter.

References
----------
Chow (1961), On the characterization of threshold functions. Elgot (1961), Truth functions realizable by single
threshold organs. Muroga (1971), Threshold logic and its applications, chapter 7 (asummability), 9 (minimal weights).
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import factorial, prod
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from rosenblatt.arrays import Flags, Floats, Integers, Signs
from rosenblatt.exact import gordan
from rosenblatt.logic.expressions import as_table
from rosenblatt.logic.gates import Gate
from rosenblatt.logic.truth_table import TruthTable, input_rows
from rosenblatt.verdicts import Verdict, separability

__all__ = [
    "Asummability",
    "ThresholdClass",
    "bipolar_weights",
    "chow_parameters",
    "gate_of",
    "is_threshold",
    "threshold_classes",
    "witness_of",
]

Row = tuple[int, ...]
Rows = tuple[Row, ...]


@dataclass(frozen=True)
class Asummability:
    """Proof that no gate computes f: k true rows and k false rows, some perhaps repeated, have the same sum.

    With a gate, the weighted sums of the k true rows add up to at least k·θ, those of the k false rows to less.

    >>> from rosenblatt import logic
    >>> print(logic.synthesize("a xor b").witness)
    (0,1) + (1,0) = (0,0) + (1,1): true rows on the left, false rows on the right
    """

    true: tuple[Row, ...]
    false: tuple[Row, ...]

    def proves(self, table: TruthTable) -> bool:
        """Whether it holds for this function, checked in whole numbers."""
        return (
            len(self.true) == len(self.false) > 0
            and all(table(*row) == 1 for row in self.true)
            and all(table(*row) == 0 for row in self.false)
            and [sum(c) for c in zip(*self.true, strict=True)] == [sum(c) for c in zip(*self.false, strict=True)]
        )

    def __str__(self) -> str:
        return f"{_sum(self.true)} = {_sum(self.false)}: true rows on the left, false rows on the right"


def _sum(rows: tuple[Row, ...]) -> str:
    terms = ((f"({','.join(map(str, row))})", times) for row, times in Counter(rows).items())
    return " + ".join(text if times == 1 else f"{times}·{text}" for text, times in terms)


def chow_parameters(f: Any) -> tuple[int, ...]:
    """The sum of all true rows, and their number. No two threshold functions have the same ones (Chow 1961).

    >>> chow_parameters("a and b")
    (1, 1, 1)
    """
    table = as_table(f)
    return (*(int(v) for v in table.inputs[table.values].sum(axis=0)), int(table.values.sum()))


def is_threshold(f: Any) -> bool:
    """Whether one gate computes it, decided exactly.

    >>> is_threshold("a or b"), is_threshold("a xor b")
    (True, False)
    """
    face = Face.of(as_table(f))
    return face is not None and (face.constant or face.verdict().kind == "complete")


@dataclass(frozen=True)
class Face:
    """A function that is monotone once some inputs are negated, reduced to what decides its gate.

    Its columns are the variables that matter, negated where `signs` has −1, sorted by falling Chow parameter (then
    sign). A gate's weights fall in the same order, and functions that differ only in the order of variables share a
    face.

    Attributes
    ----------
    n : int
        Variables of the function.
    order, signs, chow : tuples, one entry a column
        Which variable it is, the direction in which it pulls, its Chow parameter.
    values : 2^columns truth values
        The function, monotone.
    low, high : tuples of rows of zeros and ones
        Its lowest true rows and its highest false rows.
    """

    n: int
    order: tuple[int, ...]
    signs: tuple[int, ...]
    chow: tuple[int, ...]
    values: Flags
    low: Rows
    high: Rows

    @classmethod
    def of(cls, table: TruthTable) -> "Face | None":
        """The face of the function; None if some variable raises it at one row and lowers it at another."""
        cube = table.values.reshape((2,) * table.n)
        pulls = []
        for k in range(table.n):
            off, on = cube.take(0, axis=k), cube.take(1, axis=k)
            up, down = bool(np.any(on & ~off)), bool(np.any(off & ~on))
            if up and down:
                return None
            pulls.append(up - down)
            cube = np.flip(cube, axis=k) if down else cube
        sums = _true_sums(cube)
        order = sorted((k for k in range(table.n) if pulls[k]), key=lambda k: (-sums[k], pulls[k], k))
        rest = [k for k in range(table.n) if not pulls[k]]
        cube = cube.transpose(rest + order)[(0,) * len(rest)]
        signs, chow = tuple(pulls[k] for k in order), tuple(_true_sums(cube))
        return cls(table.n, tuple(order), signs, chow, cube.ravel(), *_lowest_and_highest(cube))

    @property
    def constant(self) -> bool:
        """Whether it is 0 or 1 everywhere."""
        return not self.order

    def verdict(self) -> Verdict:
        """Whether a hyperplane has the true rows on one side and the false rows on the other, proved."""
        return separability(input_rows(len(self.order)).astype(np.float64), self.values.astype(int), margin=False)

    def original(self, row: Signs) -> Row:
        """A row of the face as a row of the function's own variables; those that do not matter are 0."""
        values = [0] * self.n
        for k, sign, v in zip(self.order, self.signs, row.tolist(), strict=True):
            values[k] = v if sign > 0 else 1 - v
        return tuple(values)

    def weights(self, sizes: list[int]) -> list[int]:
        """The face's weights as weights of the function's own variables."""
        weights = [0] * self.n
        for k, sign, size in zip(self.order, self.signs, sizes, strict=True):
            weights[k] = sign * size
        return weights


def _true_sums(cube: Flags) -> list[int]:
    """How many true rows have each variable at 1."""
    return [int(cube.take(1, axis=k).sum()) for k in range(cube.ndim)]


def _lowest_and_highest(cube: Flags) -> tuple[Rows, Rows]:
    """Of a monotone function the lowest true rows (no true row is below), and the highest false rows."""
    low, high = cube.copy(), ~cube
    for k in range(cube.ndim):
        on = tuple(slice(1, 2) if j == k else slice(None) for j in range(cube.ndim))
        off = tuple(slice(0, 1) if j == k else slice(None) for j in range(cube.ndim))
        low[on] &= ~cube[off]
        high[off] &= cube[on]
    lowest, highest = (input_rows(cube.ndim)[chosen.ravel()].tolist() for chosen in (low, high))
    return tuple(map(tuple, lowest)), tuple(map(tuple, highest))


def witness_of(table: TruthTable) -> Asummability | None:
    """Proof that no gate computes the function, or None: then one does."""
    face = Face.of(table)
    if face is None:
        return _both_ways(table)
    if face.constant or face.verdict().kind == "complete":
        return None
    return _two_and_two(table) or _any_number(face)


def _any_number(face: Face) -> Asummability:
    """A mixture of true rows that equals one of false rows, by the exact simplex method: of n + 2 rows at most."""
    rows = input_rows(len(face.order))
    signed = [[v if true else -v for v in (*row, 1)] for row, true in zip(rows.tolist(), face.values, strict=True)]
    _, mixture = gordan(signed)
    assert mixture is not None
    sides: dict[bool, list[Row]] = {True: [], False: []}
    for row, true, times in zip(rows, face.values, mixture, strict=True):
        sides[bool(true)] += [face.original(row)] * times
    return Asummability(tuple(sides[True]), tuple(sides[False]))


def _both_ways(table: TruthTable) -> Asummability:
    """Two true and two false rows with the same sum: one variable raises f at one row and lowers it at another."""
    for k in range(table.n):
        step = 1 << (table.n - 1 - k)
        off = np.flatnonzero(table.inputs[:, k] == 0)
        change = table.values[off + step].astype(int) - table.values[off]
        if change.min() < 0 < change.max():
            up, down = off[np.argmax(change)], off[np.argmin(change)]
            rows = [tuple(int(v) for v in table.inputs[r]) for r in (down, up + step, up, down + step)]
            return Asummability(tuple(sorted(rows[:2])), tuple(sorted(rows[2:])))
    raise AssertionError("a function that is not monotone in a variable pulls both ways")


def _two_and_two(table: TruthTable) -> Asummability | None:
    """Two true rows and two false rows with the same sum: up to eight variables there always are some (Muroga 1971)."""
    places = 4 ** np.arange(table.n - 1, -1, -1, dtype=np.int64)  # sums of two rows have digits 0, 1, 2
    codes = table.inputs @ places
    sums = {}
    for value in (True, False):
        mine = np.flatnonzero(table.values == value)
        first, second = np.triu_indices(len(mine))
        sums[value] = codes[mine[first]] + codes[mine[second]], mine[first], mine[second]
    common, here, there = np.intersect1d(sums[True][0], sums[False][0], return_indices=True)
    if not common.size:
        return None
    pairs = []
    for value, at in ((True, here[0]), (False, there[0])):
        rows = table.inputs[[sums[value][1][at], sums[value][2][at]]]
        pairs.append(tuple(sorted(tuple(row) for row in rows.tolist())))
    return Asummability(*pairs)


# ------------------------------------------------------------------------------------------------- the smallest weights


def gate_of(table: TruthTable, time_limit: float = 60.0) -> tuple[Gate, bool] | None:
    """(gate, whether it is the smallest): smallest Σ|w|, then |θ|, in whole numbers. None if no gate computes f.

    Integer programming finds it (HiGHS); every row is then checked in exact arithmetic. If the time limit ends the
    search, the best gate so far is returned, with False.

    >>> gate_of(TruthTable("00010111"))
    (Gate([1, 1, 1], 2), True)
    """
    face = Face.of(table)
    if face is None:
        return None
    if face.constant:
        return Gate([0] * table.n, 0 if table.values[0] else 1), True
    found = _smallest(face.low, face.high, face.chow, face.signs, time_limit)
    if found is None:  # no gate exists, or the time was too short to find one: the exact verdict tells which
        verdict = face.verdict()
        if verdict.kind != "complete":
            return None
        assert verdict.certificate is not None
        *sizes, bias = (int(v, 16) for v in verdict.certificate.content["w"])
        found = sizes, 1 - bias, False  # a·z + b > 0 is a·z ≥ 1 − b
    sizes, threshold, settled = found
    weights = face.weights(sizes)
    gate = Gate(weights, threshold + sum(w for w in weights if w < 0))  # −w·(1 − x) has moved −w to the other side
    assert np.array_equal(gate.truth_table().values, table.values), "the solver's gate is wrong"
    return gate, settled


def bipolar_weights(f: Any) -> tuple[tuple[int, ...], int] | None:
    """Whole weights and bias b of least Σ|w| + |b| for inputs −1, +1: f is true where w·x + b > 0, false where < 0.

    None if no gate computes f. Checked on every row in exact arithmetic.

    >>> bipolar_weights("a and b")
    ((1, 1), -1)
    """
    table = as_table(f)
    face = Face.of(table)
    if face is None:
        return None
    if face.constant:
        return (0,) * table.n, 1 if table.values[0] else -1
    found = _smallest_bipolar(face.low, face.high, face.chow)
    if found is None:
        return None
    weights, bias = tuple(face.weights(found[0])), found[1]
    totals = (2 * table.inputs.astype(object) - 1) @ np.array(weights, dtype=object) + bias
    assert np.array_equal(totals > 0, table.values), "the solver's weights are wrong"
    assert np.all(totals != 0), "the solver's weights are wrong"
    return weights, bias


# Many functions share a face, and with it the smallest weights: so both programs are solved once for each face.


@lru_cache(maxsize=1 << 14)
def _smallest(low: Rows, high: Rows, chow: Row, signs: Row, time_limit: float) -> tuple[list[int], int, bool] | None:
    """min Σa, then |θ'|, with a·z ≥ θ on the lowest true rows and a·z ≤ θ − 1 on the highest false rows.

    θ' = θ − Σ_{negated} a is the threshold on the inputs as they are. Columns: a_1 … a_m, θ, t ≥ |θ'|.
    """
    m = len(signs)
    negated = np.array([float(sign < 0) for sign in signs])
    ties = [signs[k] == signs[k + 1] for k in range(m - 1)]  # exchanging equals of one sign leaves θ' alone
    constraints = [
        LinearConstraint(_coefficients(np.array(low), -1.0), 0.0, np.inf),
        LinearConstraint(_coefficients(-np.array(high), 1.0), 1.0, np.inf),
        LinearConstraint(np.array([[*-negated, 1.0, -1.0], [*negated, -1.0, -1.0]]), -np.inf, 0.0),
        *_falling(chow, ties),
    ]
    total = np.array([1.0] * m + [0.0, 0.0])
    first = _best(total, constraints, time_limit)
    if first is None:
        return None
    constraints.append(LinearConstraint(total[None, :], -np.inf, float(sum(first[0][:m]))))
    second = _best(np.array([0.0] * (m + 1) + [1.0]), constraints, time_limit) or (first[0], False)
    return second[0][:m], second[0][m], first[1] and second[1]


@lru_cache(maxsize=1 << 14)
def _smallest_bipolar(low: Rows, high: Rows, chow: Row) -> tuple[list[int], int] | None:
    """min Σa + |b| with a·x + b ≥ 1 on the lowest true rows, ≤ −1 on the highest false rows. Columns: a, b, t ≥ |b|."""
    m = len(chow)
    constraints = [
        LinearConstraint(_coefficients(2 * np.array(low) - 1, 1.0), 1.0, np.inf),
        LinearConstraint(_coefficients(1 - 2 * np.array(high), -1.0), 1.0, np.inf),
        LinearConstraint(np.array([[0.0] * m + [1.0, -1.0], [0.0] * m + [-1.0, -1.0]]), -np.inf, 0.0),
        *_falling(chow, [True] * (m - 1)),
    ]
    found = _best(np.array([1.0] * m + [0.0, 1.0]), constraints, np.inf)
    return None if found is None else (found[0][:m], found[0][m])


def _coefficients(rows: Integers, side: float) -> Floats:
    """Coefficients of a constraint: `rows` for a, `side` for the threshold or bias, 0 for the bound on its size."""
    return np.column_stack([rows, np.full(len(rows), side), np.zeros(len(rows))])


def _falling(chow: Row, ties: list[bool]) -> list[LinearConstraint]:
    """a_k ≥ a_{k+1} + 1 where Chow parameters differ, which holds for every gate; a_k ≥ a_{k+1} at the ties named.

    The second cuts off solutions that are exchanges of others, and makes the search shorter.
    """
    m = len(chow)
    pairs = [k for k in range(m - 1) if chow[k] > chow[k + 1] or ties[k]]
    rows = [[float(j == k) - float(j == k + 1) for j in range(m + 2)] for k in pairs]
    return [LinearConstraint(np.array(rows), [float(chow[k] > chow[k + 1]) for k in pairs], np.inf)] if pairs else []


def _best(objective: Floats, constraints: list[LinearConstraint], time_limit: float) -> tuple[list[int], bool] | None:
    """The best whole numbers (all a ≥ 1, a free one, one ≥ 0), and whether that is proved; None if none was found."""
    solved = milp(
        objective,
        integrality=np.ones(len(objective)),
        constraints=constraints,
        bounds=Bounds([1.0] * (len(objective) - 2) + [-np.inf, 0.0], np.inf),
        options={"mip_rel_gap": 0.0} | ({"time_limit": time_limit} if np.isfinite(time_limit) else {}),
    )
    return None if solved.x is None else ([round(v) for v in solved.x], bool(solved.status == 0))


# ---------------------------------------------------------------------------------------------------------- all of them
# Two functions are in one class if exchanging inputs, negating inputs and negating the output turns one into the
# other. Negate inputs until no weight is negative, and sort the weights: then the function can only rise when an
# input goes to 1 or a 1 moves to an earlier place. Such a function is called regular. Regular functions are few (1173
# of six variables). An exact verdict tells which of them are threshold functions, and each class has one of these, or
# two that are each other's dual.
# References ---------- Winder (1965), Enumeration of seven-argument threshold functions, IEEE Transactions on
# Electronic Computers EC-14.


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
