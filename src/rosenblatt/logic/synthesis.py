"""From a Boolean function to gates: one gate if one is enough, else two layers and a proof that one is not enough."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arguments import checked
from rosenblatt.logic.expressions import as_table
from rosenblatt.logic.gates import Gate
from rosenblatt.logic.network import Network
from rosenblatt.logic.threshold import Asummability, gate_of, witness_of
from rosenblatt.logic.truth_table import TruthTable
from rosenblatt.logic.two_layers import hidden_at_least, two_layers

__all__ = ["Synthesis", "synthesize"]


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
