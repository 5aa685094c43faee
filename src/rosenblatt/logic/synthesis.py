"""From a Boolean function to gates: one if one is enough, else two layers with as few hidden gates as can be proved.

Up to four variables every possibility is looked at. The negation of a threshold function is one too. So an output gate
can join two hidden gates in two ways only, a AND b or a OR b. It can join three as a AND b AND c, as a AND (b OR c), as
the negation of one of these, or as their majority. Functions that differ by exchanged or negated inputs or by a negated
output need the same number, so each of the 222 classes is solved once.

With more variables, two constructions compete: gates along one direction, one for every change of the function along
it (for parity as many as variables), and a cover of the true rows (or the false ones) by threshold functions. The cover
is first made gate by gate, then rearranged as long as that saves a gate. The lower bound comes from parts of the
function: a part, in which all but four variables are fixed, needs no more gates than the whole.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, permutations
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog

from rosenblatt.arguments import checked
from rosenblatt.arrays import Flags, Floats, Integers, Signs
from rosenblatt.cover import enumerate_dichotomies
from rosenblatt.logic.expressions import as_table
from rosenblatt.logic.gates import NOR, OR, Gate
from rosenblatt.logic.network import Network
from rosenblatt.logic.threshold import Asummability, gate_of, witness_of
from rosenblatt.logic.truth_table import TruthTable, input_rows

__all__ = ["Synthesis", "hidden_at_least", "synthesize", "two_layers"]

Direction = Integers
Layers = tuple[list[Gate], Gate]
Codes = Integers  # truth tables as whole numbers, row 0 the highest bit
Found = tuple[tuple[int, ...], Flags]  # codes of hidden gates, and the output's truth table

_MOST_EXACT = 4
_PARTS = 4000  # parts of a larger function looked at for a lower bound
_DIRECTIONS = 300  # random directions tried, besides those of equal weights
_STARTS = 8  # of them are improved weight by weight
_TRIES, _ROUNDS = 4, 6  # to do with one gate less: fresh starts, and rounds of each


def two_layers(table: TruthTable, seconds: float = 10.0) -> Layers:
    """Hidden gates and the output gate for a function that is no threshold function.

    >>> two_layers(TruthTable("0110"))
    ([Gate([-1, -1], -1), Gate([1, 1], 1)], Gate([1, 1], 2))
    """
    if table.n <= _MOST_EXACT:
        return _fewest(table)
    deadline = time.monotonic() + seconds
    # This construction always succeeds. A cover is of use only if it has fewer gates: so their number is its limit.
    found = [_along_a_direction(table)]
    # A cover of the false rows computes the negation of the function, and NOR in place of OR negates it again.
    for target, negate in ((table.values, False), (~table.values, True)):
        covered = _cover(target, table.n, deadline, len(found[0][0]))
        if covered is not None:
            found.append((covered, NOR(len(covered)) if negate else OR(len(covered))))
    return min(found, key=lambda layers: len(layers[0]))


def hidden_at_least(table: TruthTable) -> int:
    """A proved lower bound for the number of hidden gates; 0 if a single gate may be enough."""
    n = min(table.n, _MOST_EXACT)
    cube = table.values.reshape((2,) * table.n)
    # A fixed input only moves the thresholds of hidden gates, so no part needs more gates than the whole.
    parts = []
    for free in combinations(range(table.n), n):
        parts.append(np.moveaxis(cube, free, range(table.n - n, table.n)).reshape(-1, 1 << n))
        if sum(map(len, parts)) > _PARTS:
            break
    return int(_needed(n)[_codes(np.vstack(parts))].max())


# --------------------------------------------------------------------------------------------- up to four variables


def _codes(tables: Flags) -> Codes:
    """Rows of truth values as whole numbers."""
    return tables @ (1 << np.arange(tables.shape[-1] - 1, -1, -1, dtype=np.int64))


def _bits(codes: Codes | int, n: int) -> Flags:
    return (np.asarray(codes)[..., None] >> np.arange((1 << n) - 1, -1, -1) & 1).astype(np.bool_)


@lru_cache(maxsize=8)
def _gates(n: int) -> Codes:
    """All threshold functions of n variables."""
    labels = np.array([labels > 0 for labels, _ in enumerate_dichotomies(input_rows(n).astype(float))])
    return np.unique(_codes(labels))


@lru_cache(maxsize=8)
def _pairs_with_and(n: int) -> Codes:
    """For every function that is a AND b of threshold functions, one such pair as i·(number of gates) + j; else −1."""
    gates = _gates(n)
    pairs = np.full(1 << (1 << n), -1, dtype=np.int64)
    # A code has one bit for each row, so the code of a AND b is the bitwise "and" of their codes.
    both = gates[:, None] & gates[None, :]
    pairs[both.ravel()] = np.arange(both.size)
    return pairs


@lru_cache(maxsize=8)
def _needed(n: int) -> Signs:
    """Hidden gates that each function of n variables needs: 0 (a gate by itself), 2, 3, or 4 for the parity of four."""
    everything = 1 << (1 << n)
    needed = np.full(everything, 3, dtype=np.int8)
    conjunctions = _pairs_with_and(n) >= 0
    # a OR b is the negation of such an AND, and the code of a negation is the same one counted from the other end.
    needed[conjunctions | conjunctions[::-1]] = 2
    needed[_gates(n)] = 0
    if n == _MOST_EXACT:
        odd = int(_codes(input_rows(n).sum(axis=1) % 2 == 1))
        needed[[odd, everything - 1 - odd]] = 4
    return needed


def _fewest(table: TruthTable) -> Layers:
    """Solve the function that stands for the class, and carry the hidden gates over row by row."""
    moves = _symmetries(table.n)
    # The smallest code of all functions of the class stands for it: every member finds the same one.
    codes = _codes(table.values[moves])
    negated = (1 << len(table)) - 1 - codes
    negate = bool(negated.min() < codes.min())
    best = negated if negate else codes
    hidden, output = _small_solved(int(best.min()), table.n)
    # Row k of the function that stands for the class is row moves[k] of this table.
    back = np.empty_like(hidden)
    back[:, moves[int(np.argmin(best))]] = hidden
    return [_smallest_gate(h.tobytes()) for h in back], _smallest_gate((output ^ negate).tobytes())


@lru_cache(maxsize=4096)
def _smallest_gate(values: bytes) -> Gate:
    found = gate_of(TruthTable(np.frombuffer(values, dtype=np.bool_)))
    assert found is not None
    return found[0]


@lru_cache(maxsize=8)
def _symmetries(n: int) -> Integers:
    """Where each row of a table goes when inputs are exchanged and negated, one such move a row."""
    rows = input_rows(n).astype(np.int64)
    place = 1 << np.arange(n - 1, -1, -1)
    moves = [(rows[:, list(order)] ^ mask) @ place for order in permutations(range(n)) for mask in input_rows(n)]
    return np.array(moves, dtype=np.int64).reshape(-1, 1 << n)


@lru_cache(maxsize=1024)
def _small_solved(code: int, n: int) -> tuple[Flags, Flags]:
    """Hidden gates (one truth table a row) and the output's truth table, fewest first."""
    everything = (1 << (1 << n)) - 1
    # Hidden gates for the negation will do, with a negated output. A majority's negation is a majority: one search.
    searches = [(_two, False), (_two, True), (_three, False), (_three, True), (_majority, False)]
    for search, negate in searches:
        found = search(everything - code if negate else code, n)
        if found is not None:
            return _bits(np.array(found[0]), n), found[1] ^ negate
    gates, join = _along_a_direction(TruthTable(_bits(code, n)))  # only parity comes to this
    return np.array([gate.truth_table().values for gate in gates]), join.truth_table().values


def _two(target: int, n: int) -> Found | None:
    """Threshold functions a, b with a AND b = target, and the output's truth table."""
    pair = int(_pairs_with_and(n)[target])
    gates = _gates(n)
    a, b = input_rows(2).T.astype(np.bool_)
    return None if pair < 0 else ((int(gates[pair // len(gates)]), int(gates[pair % len(gates)])), a & b)


def _three(target: int, n: int) -> Found | None:
    """a, b, c with a AND b AND c = target, or a AND (b OR c) = target."""
    everything = (1 << (1 << n)) - 1
    gates = _gates(n)
    # A gate that is false where the target is true cannot be part of an AND that gives the target.
    above = gates[gates & target == target]
    conjunctions = np.flatnonzero(_pairs_with_and(n) >= 0)
    a, b, c = input_rows(3).T.astype(np.bool_)
    for middle, output in ((conjunctions, a & b & c), (everything - conjunctions, a & (b | c))):
        fitting = middle[middle & target == target]
        for gate in above:
            hit = np.flatnonzero(fitting & gate == target)
            if hit.size:
                joined = int(fitting[hit[0]])
                inner = _two(joined if middle is conjunctions else everything - joined, n)
                assert inner is not None
                pair = inner[0] if middle is conjunctions else tuple(everything - v for v in inner[0])
                return (int(gate), *pair), output
    return None


def _majority(target: int, n: int) -> Found | None:
    """Three threshold functions of which at most one differs from the target, at each row."""
    gates = _gates(n)
    errors = gates ^ target
    # Two gates may take part together if they never differ from the target at the same row.
    apart = (errors[:, None] & errors[None, :]) == 0
    # How many third gates a pair has. Whole numbers below 2^24 are exact in float32, whose product is fast.
    common = apart.astype(np.float32) @ apart.astype(np.float32)
    hits = np.argwhere(apart & (common > 0))
    if not hits.size:
        return None
    i, j = hits[0]
    k = int(np.flatnonzero(apart[i] & apart[j])[0])
    return (int(gates[i]), int(gates[j]), int(gates[k])), input_rows(3).sum(axis=1) >= 2


# ---------------------------------------------------------------------------------------------- more than that


def _along_a_direction(table: TruthTable) -> Layers:
    """Gates w·x ≥ t, one for each change of the function along w; the output adds them with alternating signs."""
    directions = list(_directions_to_count_along(table))
    costs = [_changes(table, w) for w in directions]
    best = min(
        (_fewer_changes(table, directions[k], costs[k]) for k in np.argsort(costs, kind="stable")[:_STARTS]),
        key=lambda found: found[1],
    )[0]
    along = table.inputs @ best
    order = np.argsort(along, kind="stable")
    change = np.flatnonzero(np.diff(table.values[order])) + 1
    # Gates fire one after the other along w; with alternating signs their sum goes up and down as the function does.
    first = int(table.values[order[0]])
    signs = [(-1) ** (k + first) for k in range(len(change))]
    return [Gate(best.tolist(), int(along[order[k]])) for k in change], Gate(signs, 1 - first)


def _changes(table: TruthTable, w: Direction) -> int:
    """How often the function changes along w; far too many where w cannot tell a true row from a false one."""
    along = table.inputs @ w
    # Rows of one level, false ones first: at most one change within a level.
    order = np.lexsort((table.values, along))
    level, value = along[order], table.values[order]
    change = np.flatnonzero(value[1:] != value[:-1])
    # A change within a level: no gate along w can make it. It costs more than all changes that gates can make.
    confused = int(np.sum(level[change] == level[change + 1]))
    return len(change) + len(table) * confused


def _fewer_changes(table: TruthTable, w: Direction, cost: int) -> tuple[Direction, int]:
    """Change one weight by one or two as long as that saves a change."""
    while True:
        # A step of two turns a weight of 1 into −1. At 0 between them, rows that differ in this input only look alike.
        moves = [w + step * unit for unit in np.eye(table.n, dtype=np.int64) for step in (-2, -1, 1, 2)]
        costs = [_changes(table, move) for move in moves]
        if min(costs) >= cost:
            return w, cost
        w, cost = moves[int(np.argmin(costs))], min(costs)


def _directions_to_count_along(table: TruthTable) -> Iterator[Direction]:
    """Powers of two, which tell all rows apart, equal weights with every choice of signs, and small random ones."""
    n = table.n
    # An input that the true rows agree on most gets the largest power: then there are few changes.
    pull = np.abs(table.inputs[table.values].sum(axis=0) * 2 - int(table.values.sum()))
    yield 1 << np.argsort(np.argsort(pull)).astype(np.int64)
    for signs in 1 - 2 * input_rows(n - 1).astype(np.int64):
        yield np.array([1, *signs])
    yield from np.random.default_rng(0).integers(-n, n + 1, size=(_DIRECTIONS, n))


def _cover(target: Flags, n: int, deadline: float, most: int) -> list[Gate] | None:
    """Gates that fire on true rows only, and together on all of them; None where that takes too long, or too many."""
    gates: list[Gate] = []
    # Gate by gate first: each fires on as many of the rows left as a linear program finds.
    left = target.copy()
    while left.any():
        if time.monotonic() > deadline or len(gates) >= most:
            return None
        gates.append(_widest(target, left, n))
        left &= gates[-1](input_rows(n)) == 0
    rng = np.random.default_rng(0)
    # Then with one gate less, from random beginnings, as long as one of them succeeds.
    while len(gates) > 2:
        tries = (_rearranged(target, n, len(gates) - 1, rng) for _ in range(_TRIES) if time.monotonic() < deadline)
        fewer = next((found for found in tries if found is not None), None)
        if fewer is None:
            break
        gates = fewer
    return gates


def _widest(target: Flags, left: Flags, n: int) -> Gate:
    """A gate that fires on the first true row that is left and on many others, as far as a linear program can tell."""
    # The first row left must be covered, so every gate takes a row away, and the cover comes to an end.
    seed = int(np.flatnonzero(left)[0])
    response = _program(input_rows(n)[left], target, n, seed_first=True)
    found = None if response is None or not response[seed] > 0 else _gate_where(response, target)
    if found is not None:
        return found
    corner = 2 * input_rows(n)[seed].astype(int) - 1  # the row alone: a gate cuts off any corner of the cube
    return Gate(corner.tolist(), int((corner > 0).sum()))


def _rearranged(target: Flags, n: int, k: int, rng: np.random.Generator) -> list[Gate] | None:
    """Try to cover the true rows with k gates: each row goes to the gate that responds most, and the gates follow."""
    rows = input_rows(n)[target]
    # As in k-means: rows choose gates, gates are fitted to their rows, and so on.
    owner = np.argmax((rows - 0.5) @ rng.normal(size=(n, k)), axis=1)
    for _ in range(_ROUNDS):
        responses = [_program(rows[owner == j], target, n) for j in range(k)]
        kept = [response for response in responses if response is not None]
        if len(kept) < k:
            return None
        strength = np.column_stack(kept)[target]
        covered = strength.max(axis=1) > 0
        if covered.all():
            gates = [gate for gate in (_gate_where(response, target) for response in kept) if gate is not None]
            return gates if np.all(OR(len(gates))(np.column_stack([g(rows) for g in gates])) == 1) else None
        # A row that no gate covers goes to one by chance: otherwise the next round would be the same.
        owner = np.where(covered, np.argmax(strength, axis=1), rng.integers(k, size=len(rows)))
    return None


def _program(wanted: Signs, target: Flags, n: int, seed_first: bool = False) -> Floats | None:
    """w·x − θ on every row, for min Σ s with w·x − θ ≥ 1 − s on the rows wanted and w·x − θ ≤ −1 on all false rows.

    With `seed_first`, s = 0 on the first row wanted.
    """
    rows = input_rows(n).astype(float)
    false, m = rows[~target], len(wanted)
    limits = np.vstack(
        [
            np.column_stack([-wanted.astype(float), np.ones(m), -np.eye(m)]),
            np.column_stack([false, -np.ones(len(false)), np.zeros((len(false), m))]),
        ]
    )
    bounds = [(None, None)] * (n + 1) + [(0.0, 0.0 if seed_first and k == 0 else None) for k in range(m)]
    solved = linprog(np.array([0.0] * (n + 1) + [1.0] * m), limits, -np.ones(len(limits)), bounds=bounds)
    return None if solved.x is None else rows @ solved.x[:n] - solved.x[n]


def _gate_where(response: Floats, target: Flags) -> Gate | None:
    """The smallest gate that fires where the response is positive; None where rounding spoilt it."""
    fires = response > 0
    found = None if np.any(fires & ~target) else gate_of(TruthTable(fires), time_limit=2.0)
    return None if found is None else found[0]


# ------------------------------------------------------------------------------------------------------------ synthesis


@dataclass(frozen=True)
class Synthesis:
    """Gates for a Boolean function; call it like the function.

    Attributes
    ----------
    table : TruthTable
        The function.
    gate : Gate or None
        The single gate, if the function is a threshold function.
    witness : Asummability or None
        The proof that it is not one.
    network : Network
        The gate alone, or hidden gates and an output gate.
    hidden : int
        Number of hidden gates: 0 for a single gate.
    at_least : int
        How many hidden gates are needed at least, proved.
    smallest : bool
        Whether no network has fewer hidden gates, or no single gate smaller weights.
    """

    table: TruthTable
    gate: Gate | None
    witness: Asummability | None
    network: Network
    hidden: int
    at_least: int
    smallest: bool

    def __call__(self, *inputs: npt.ArrayLike) -> Any:
        """Return the network's output for these inputs."""
        return self.network(*inputs)

    @property
    def sentence(self) -> str:
        """The answer, in words."""
        if self.gate is not None:
            least = "the smallest whole weights" if self.smallest else "the smallest weights found in the time allowed"
            return f"A threshold function: one gate computes it, with {least}."
        if self.smallest:
            return (
                f"Not a threshold function: {self.hidden} hidden gates and one output gate compute it, and no network "
                f"with fewer hidden gates does."
            )
        return (
            f"Not a threshold function: {self.hidden} hidden gates and one output gate compute it. "
            f"At least {self.at_least} are needed; whether fewer than {self.hidden} are enough is not settled."
        )

    def __str__(self) -> str:
        lines = [self.sentence, ""]
        lines += [f"  {line}" for line in str(self.network).split("\n")]
        if self.witness is not None:
            lines += ["", f"  no single gate: {self.witness}"]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Synthesis: {self.sentence}>"


@checked
def synthesize(f: Any, variables: Sequence[str] | None = None, time_limit: float = 60.0) -> Synthesis:
    """Threshold gates that compute a Boolean function of up to 12 variables.

    A threshold function becomes one gate with the smallest whole weights (Σ|w|, then |θ|). Any other comes with the
    proof that no gate computes it, and becomes two layers without links from inputs to output. Up to four variables
    these have the fewest hidden gates possible; with more variables, as few as were found, and a lower bound is given.
    Gates, networks and proofs are checked on all rows in exact arithmetic before they are returned.

    Parameters
    ----------
    f : str, sequence of 2^n values, TruthTable, Gate, Network, or callable
        "a and (b or not c)", "a xor b", "majority(a, b, c)", "a + b + c >= 2"; [0, 1, 1, 0]; lambda a, b: a != b.
    variables : names, optional
        See `rosenblatt.logic.as_table`.
    time_limit : float
        Seconds for the integer program. The search for hidden gates, with more than four variables, has a sixth of it.

    Examples
    --------
    >>> synthesize("a and (b or not c)").gate
    Gate([2, 1, -1], 2)
    >>> print(synthesize("a xor b"))
    Not a threshold function: 2 hidden gates and one output gate compute it, and no network with fewer hidden gates
    does.
    <BLANKLINE>
      h1 fires when -a - b ≥ -1
      h2 fires when a + b ≥ 1
      f fires when h1 + h2 ≥ 2
    <BLANKLINE>
      no single gate: (0,1) + (1,0) = (0,0) + (1,1): true rows on the left, false rows on the right
    """
    if not time_limit >= 0:
        raise ValueError(f"time_limit={time_limit!r} must be a number of seconds, 0 or more.")
    table = as_table(f, variables)
    found = gate_of(table, time_limit)
    if found is not None:
        gate, settled = found
        return _verified(Synthesis(table, gate, None, Network([[gate]], table.variables), 0, 0, settled))
    hidden, output = two_layers(table, time_limit / 6)
    at_least = max(2, hidden_at_least(table))  # one hidden gate is a single gate
    network = Network([hidden, [output]], table.variables)
    return _verified(Synthesis(table, None, witness_of(table), network, len(hidden), at_least, len(hidden) == at_least))


def _verified(found: Synthesis) -> Synthesis:
    """Check the gates on every row, and the witness: solvers found them, and solvers are not trusted."""
    assert np.array_equal(found.network.truth_table().values, found.table.values), "the network is wrong"
    assert found.gate is not None or (found.witness is not None and found.witness.proves(found.table))
    return found
