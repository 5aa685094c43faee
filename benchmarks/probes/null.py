"""What is said of noise: the grid of tests/null."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from tests.null.test_chance import JUDGED, LABELS, drawn, held, held_across_folds, held_of_groups, settings
from tests.null.test_tables import chosen_of_coins, estimated, reported, separations, shuffled_p_values

import rosenblatt as rb
from benchmarks.timing import benchmark, print_table

__all__ = ["null"]

_ROUNDS = 3


@benchmark("null")
def null() -> None:
    """What is said of noise: groups, rare classes, sparse and coarse columns, labels of rows and of groups.

    Each call of the first table probes 40 concepts that have nothing to do with the columns, and judges them on rows
    held out. *Claims*: calls in which any of them is called more than chance; at most 5 % is promised. *p ≤ …*: the
    part of all p-values that are as small; a part larger than the number itself would be a false promise. *Held*: how
    often the 95 % interval of an AUROC has the true one, the least and the most over AUROCs of 0.5, 0.76, 0.9, 0.97
    (rows alone) or 0.5, 0.9 (groups of six rows), 300 draws each. With fewer than ten groups of the rarer class it may
    hold less, and the program says so there. Then the same of a cross-validation's four measures, 100 draws: five
    folds, logistic regression; the true values are those of its five models on new rows.

    Then `check`, with groups where there are any: tables of 30 columns (20 with twelve groups), how many are completely
    separable, and of how many it is said that this is more than chance, or that it is if equal rows are no copies.
    Reports of such tables with twelve groups: in how many the accuracy's interval lies above the larger class.
    `choose` with `nested=True`, four learners on 60 coins. Last, p-values and 95 % intervals of coefficients that are
    0: `permutation_test` with 19 shufflings of 48 rows, and `estimate`: Firth's p-values and profile intervals of rows
    alone, Wald's of groups.

    Intervals that hold less than 93 %, as the program says beside them: an AUROC with fewer than ten groups of the
    rarer class (89 to 99 %); across folds the AUC of a class of twelve rows or groups and fewer (92 % in 600 draws,
    89 % here), the accuracy where every group has one label (90 to 97 %), the log loss of models that are sure and
    wrong (60 %). Of estimates: profile intervals of few rows (90 to 93 %), robust ones of few rows (88 to 97 %), and of
    few clusters (88 to 99 %). All others hold 93 to 100 %.
    """
    _of_probes()
    print()
    _of_aurocs()
    print()
    _of_folds()
    print()
    _of_tables()
    print()
    _of_choices()
    print()
    _of_estimates()


def _of_probes() -> None:
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


def _of_aurocs() -> None:
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


def _of_folds() -> None:
    judged = {setting: held_across_folds(setting, _DRAWS // 3) for setting in JUDGED}
    cells = [
        [name, f"{JUDGED[name][0]} × {JUDGED[name][1]}", *(f"{100 * part:.0f} %" for part in one.values())]
        for name, one in judged.items()
    ]
    print_table(["cross-validation", "rows × columns", "accuracy", "balanced", "AUC", "log loss"], cells)


def _of_tables() -> None:
    rows = []
    for number, p in ((40, 30), (12, 20)):
        found: dict[str, list[np.ndarray]] = {}
        for one, *counts in separations(_ROUNDS, number, p):
            for line in (one[0] if one[0] == "alone" else f"{number} groups, labels {one[2]}", "all"):
                found.setdefault(line, []).append(np.array(counts))
        rows += [[name, f"{p}", *(f"{one:,}" for one in np.sum(some, axis=0))] for name, some in found.items()]
    print_table(["rows", "columns", "tables", "separable", "more than chance", "more if no copies"], rows)
    print()
    told = np.sum([one[1:] for one in reported(5)], axis=0)
    print_table(
        ["reports", "separable", "more than chance", "accuracy above the larger class"], [[f"{one:,}" for one in told]]
    )


def _of_choices() -> None:
    held_here, value = chosen_of_coins(_DRAWS)
    cells = [f"{_DRAWS}", f"{100 * held_here:.0f} %", f"{value:.3f}"]
    print_table(["nested choices", "balanced accuracy held", "its mean"], [cells])


def _of_estimates() -> None:
    rows = [_small("permutation_test", "all", shuffled_p_values(2), (0.3, 0.1, 0.05), "")]
    found: dict[tuple[str, str], list[tuple[np.ndarray, np.ndarray]]] = {}
    for one, p, within in estimated(_ROUNDS * 4):
        for line in ((one[0], f"labels {one[2]}"), ("all", f"{one[3]:g} positive"), ("all", "all")):
            found.setdefault(line, []).append((p, within))
    for (how, which), parts in found.items():
        p, within = (np.concatenate([one[k] for one in parts]) for k in (0, 1))
        rows.append(_small(f"estimate, {how}", which, p, (0.3, 0.1, 0.05), f"{100 * np.mean(within):.1f} %"))
    print_table(["p-values of", "labels", "p-values", "p ≤ 30 %", "p ≤ 10 %", "p ≤ 5 %", "intervals held"], rows)


def _small(name: str, which: str, p: Iterable[float] | Any, levels: tuple[float, ...], held_here: str) -> list[str]:
    """A line about p-values."""
    p = np.array(list(p))
    return [name, which, f"{p.size:,}", *(f"{100 * np.mean(p <= level):.1f} %" for level in levels), held_here]


_DRAWS, _ENOUGH = 300, 100


def _span(parts: list[float]) -> str:
    """The least and the most, in per cent."""
    return f"{100 * min(parts):.0f} to {100 * max(parts):.0f} %" if parts else ""
