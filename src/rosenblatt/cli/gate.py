"""`rosenblatt gate`: a Boolean expression as one threshold gate, or as two layers with proof that one cannot do it."""

from pathlib import Path
from typing import Annotated, Any

import rosenblatt as rb
from rosenblatt.cli.options import Json, argument, flag, option
from rosenblatt.cli.output import DONE, outputs, print_json, say

__all__ = ["command"]


def command(
    expression: Annotated[str, argument("EXPR", 'Such as "a and (b or not c)", or values: 0110.')],
    table: Annotated[bool, flag("--table", "Show the truth table with what every gate says.")] = False,
    learn: Annotated[bool, flag("--learn", "Show a perceptron learning it, correction by correction.")] = False,
    draw: Annotated[Path | None, option("Draw the gates: PNG, SVG or PDF.", "FILE")] = None,
    json: Json = False,
) -> int:
    """Turn a Boolean function into threshold gates, with proof.

    Up to 12 variables. If one gate computes the function, prints that gate, with the smallest whole weights; if none
    does, prints the proof, and two layers of gates that compute it. An expression may use and, or, not, xor, xnor,
    nand, nor, implies, majority(a, b, c), at_least(2, a, b, c), sums and comparisons.

    For example:
      rosenblatt gate "a and (b or not c)"
      rosenblatt gate "a xor b" --table
      rosenblatt gate "a + b + c >= 2" --learn
      rosenblatt gate 0110 --draw xor.svg
    """
    from rosenblatt.plot.canvas import refuse_other_kinds, save_figure

    outputs.make_ready(draw)
    refuse_other_kinds(draw)
    found = rb.logic.synthesize(expression)
    if draw is not None:
        save_figure(lambda: found.network.draw().figure, draw)
    if json:
        print_json("rosenblatt-gate/1", _gates_to_json(found))
        return DONE
    say(*str(found).splitlines())
    if table:
        print(f"\n{found.network.table()}")
    if learn:
        say("", *str(rb.logic.learn(found.table)).splitlines())
    return DONE


def _gates_to_json(found: "rb.logic.Synthesis") -> dict[str, Any]:
    witness = found.witness
    return {
        "variables": list(found.table.variables),
        "values": "".join("01"[int(v)] for v in found.table.values),
        "sentence": found.sentence,
        "threshold_function": found.gate is not None,
        "hidden": found.hidden,
        "at_least": found.at_least,
        "smallest": found.smallest,
        "layers": [  # whole numbers, all of them
            [{"weights": list(gate.weights), "threshold": gate.threshold} for gate in layer]
            for layer in found.network.layers
        ],
        "witness": None if witness is None else {"true": list(witness.true), "false": list(witness.false)},
    }
