"""Threshold functions: all of them up to symmetry, and the smallest networks."""

import numpy as np

from benchmarks.timing import benchmark, print_table, seconds
from rosenblatt import logic
from rosenblatt.logic import synthesis
from rosenblatt.logic.truth_table import input_rows


@benchmark("gates")
def threshold_functions() -> None:
    """Classes up to exchange and negation: 15, 63, 567; functions 1882, 94572, 15028134; largest weight 9, 17, 35."""
    rows = []
    for n in range(4, 7):
        found: list[logic.ThresholdClass] = []
        listing = seconds(lambda n=n, found=found: found.extend(logic.threshold_classes(n)))
        weighing = seconds(lambda found=found: [one.total_weight for one in found])
        heaviest = max(one.total_weight for one in found)
        functions = sum(one.size for one in found)
        rows.append([str(n), str(len(found)), f"{functions:,}", str(heaviest), f"{listing:.2f} s", f"{weighing:.2f} s"])
    print_table(["variables", "classes", "functions", "largest total weight", "listing", "smallest weights"], rows)


@benchmark("networks")
def networks() -> None:
    """Boolean functions as gates and networks, each with its proof."""
    codes = np.random.default_rng(0).integers(0, 1 << 16, size=1000)
    tables = list(synthesis._bits(codes, 4))
    first = seconds(lambda: [logic.synthesize(table) for table in tables])
    again = seconds(lambda: [logic.synthesize(table) for table in tables])
    rows = [["1000 functions of 4 variables", f"{first:.2f} s", f"{again:.2f} s", ""]]
    for n in (6, 8, 10):
        values = np.random.default_rng(n).random(1 << n) < 0.1
        found: list[logic.Synthesis] = []
        took = seconds(lambda values=values, found=found: found.append(logic.synthesize(values)))
        assert np.array_equal(found[0].network(input_rows(n)), values)
        hidden = f"{found[0].hidden} (at least {found[0].at_least}) for {int(values.sum())} true rows"
        rows.append([f"a random function of {n}", f"{took:.2f} s", "", hidden])
    print_table(["", "first time", "again", "hidden gates"], rows)
