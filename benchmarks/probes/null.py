"""What is said of noise: the grid of tests/null."""

import numpy as np
from tests.null.test_chance import drawn, settings

import rosenblatt as rb
from benchmarks.timing import benchmark, print_table

__all__ = ["null"]

_ROUNDS = 3


@benchmark("null")
def null() -> None:
    """What probes say of noise: groups, rare concepts, sparse and coarse columns, labels of rows and of groups.

    Each call probes 40 concepts that have nothing to do with the columns, and judges them on rows held out. *Claims*:
    calls in which any of them is called more than chance; at most 5 % is promised. *p ≤ …*: the part of all p-values
    that are as small; a part larger than the number itself would be a false promise.
    """
    found: dict[tuple[str, str], list[tuple[bool, np.ndarray]]] = {}
    for k, one in enumerate(settings()):
        for draw in range(_ROUNDS):
            X, Y, groups = drawn(np.random.default_rng([k, draw]), *one)
            probes = rb.probes.fit(X, Y, method="mean-difference", groups=groups, test=0.4, random_state=draw)
            claimed = any(probes.meaning(j).verdict == "yes" for j in range(len(probes)))
            for line in ((one[0], one[2]), (one[1], f"{one[3]:g} positive"), ("all", "all")):
                found.setdefault(line, []).append((claimed, probes.p[~np.isnan(probes.p)]))
    rows = []
    for (first, second), calls in found.items():
        p = np.concatenate([one for _, one in calls])
        parts = [f"{100 * np.mean(p <= level):.2f} %" for level in (0.05, 0.01, 0.001)]
        rows.append([first, second, f"{len(calls)}", f"{sum(claimed for claimed, _ in calls)}", f"{p.size:,}", *parts])
    print_table(["rows or columns", "labels", "calls", "claims", "p-values", "p ≤ 5 %", "p ≤ 1 %", "p ≤ 0.1 %"], rows)
