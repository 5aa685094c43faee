"""What is said of noise: the grid of tests/null."""

import numpy as np
from tests.null.test_chance import JUDGED, LABELS, drawn, held, held_across_folds, held_of_groups, settings

import rosenblatt as rb
from benchmarks.timing import benchmark, print_table

__all__ = ["null"]

_ROUNDS = 3


@benchmark("null")
def null() -> None:
    """What probes say of noise: groups, rare concepts, sparse and coarse columns, labels of rows and of groups.

    Each call probes 40 concepts that have nothing to do with the columns, and judges them on rows held out. *Claims*:
    calls in which any of them is called more than chance; at most 5 % is promised. *p ≤ …*: the part of all p-values
    that are as small; a part larger than the number itself would be a false promise. *Held*: how often the 95 %
    interval of an AUROC has the true one, the least and the most over AUROCs of 0.5, 0.76, 0.9, 0.97 (rows alone) or
    0.5, 0.9 (groups of six rows). With fewer than ten groups of the rarer class it may hold less, and the program says
    so there. Last, the same of a cross-validation's four measures: five folds, logistic regression; the true
    values are those of its five models on new rows.
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
    print()
    lines = []
    for positive, negative in ((3, 97), (5, 95), (10, 90), (20, 80), (5, 15)):
        for scores in ("normal", "exponential"):
            parts = [held(_DRAWS, scores, positive, negative, auc) for auc in (0.5, 0.76, 0.9, 0.97)]
            lines.append([f"{positive} positive, {negative} negative", f"{scores} scores", _span(parts), ""])
    for G, rare in ((10, 0.1), (10, 0.5), (20, 0.1), (20, 0.5), (40, 0.1), (40, 0.5), (100, 0.1)):
        for labels in LABELS[1:]:
            found = [held_of_groups(_DRAWS, labels, G, rare, auc) for auc in (0.5, 0.9)]
            spans = [_span([one[k][1] for one in found if one[k][0] >= _ENOUGH]) for k in (0, 1)]
            lines.append([f"{G} groups, {rare:g} positive", f"labels {labels}", *spans])
    print_table(["rows", "", "held", "held, fewer than ten groups"], lines)
    print()
    judged = {setting: held_across_folds(setting, _DRAWS // 3) for setting in JUDGED}
    cells = [
        [name, f"{JUDGED[name][0]} × {JUDGED[name][1]}", *(f"{100 * part:.0f} %" for part in one.values())]
        for name, one in judged.items()
    ]
    print_table(["cross-validation", "rows × columns", "accuracy", "balanced", "AUC", "log loss"], cells)


_DRAWS, _ENOUGH = 300, 100


def _span(parts: list[float]) -> str:
    """The least and the most, in per cent."""
    return f"{100 * min(parts):.0f} to {100 * max(parts):.0f} %" if parts else ""
