"""What a probe shows, in words; what a separation shows is said by `verdicts.worth`."""

from collections.abc import Callable
from math import isnan, log10
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rosenblatt.counting import chance_in_words
from rosenblatt.data.wording import aligned
from rosenblatt.probes.evidence.chance import upper_end
from rosenblatt.verdicts.words import CUT_OFF, MORE, NOT_SHOWN

if TYPE_CHECKING:
    from rosenblatt.probes.result import Probes

__all__ = ["ANSWERS", "Meaning", "in_short", "meaning", "summary"]

ANSWERS = {"yes": MORE, "no": NOT_SHOWN, "open": "undecided"}

LEVEL = 0.05  # of chance, after the correction for all probes of the call
GROUPS = (
    3  # of either class among the rows held out: three against three can be exchanged in 20 ways, fewer cannot tell
)
_ENOUGH_GROUPS = 10  # of either class: with fewer, intervals held 89 to 99 % in simulations (docs/numbers/null.md)


class Meaning(NamedTuple):
    """`verdict` is "yes", "no" or "open"; `sentence` says why."""

    verdict: str
    sentence: str


def meaning(probes: "Probes", j: int) -> Meaning:
    """What probe j means: by rows held out, else by Cover's count of separations, else by its controls.

    "yes" is the project's "more than chance". All looks of the call are counted: the chance, corrected for all of them,
    must be at most 1 in 20; Cover's, times the number of probes, at most 1 in 100, as for a verdict. Neither accuracy
    nor class sizes matter, only whether chance alone would do as well.
    """
    if not probes.numeric[j] and probes.positive[j] in (0, probes.labelled[j]):
        return Meaning("no", "one class only among the rows learned from: there was nothing to tell apart.")
    if probes.held_labelled[j]:
        judged = _by_new_rows(probes, j)
        if probes.separated[j] and not _separated_beyond_chance(probes, j):
            return Meaning(judged.verdict, f"{judged.sentence} That it is separated is by itself {NOT_SHOWN}.")
        return judged
    if probes.numeric[j]:
        return Meaning(
            "open", "nothing to compare with: hold rows out (test) to see how well the numbers are predicted."
        )
    if probes.separated[j]:
        # no row is held out: the sentence is that of `check` for a complete separation
        verdict = "yes" if _separated_beyond_chance(probes, j) else "no"
        looks = f" It is one of {probes.looks:,} looks." if probes.looks > 1 else ""
        return Meaning(verdict, f"separated, {ANSWERS[verdict]}: {probes.worth(j)}{looks}")
    if len(probes.control_training):
        return _by_controls(probes, j)
    return Meaning(
        "open",
        f"nothing to compare with: {_percent(probes.training_accuracy[j])} of the rows learned from are right; hold "
        f"rows out (test) or ask for controls.",
    )


def _separated_beyond_chance(probes: "Probes", j: int) -> bool:
    """By Cover's bound, times the number of probes of the call: one of many may be separable by chance."""
    return probes.worth(j).log10 + log10(max(1, probes.looks)) <= CUT_OFF


def in_short(probes: "Probes") -> str:
    """How many probes are more than chance."""
    verdicts = [probes.meaning(j).verdict for j in range(len(probes))]
    counts = {name: verdicts.count(name) for name in ANSWERS if name in verdicts}
    parts = (f"{n:,} {'is' if n == 1 else 'are'} {ANSWERS[name]}" for name, n in counts.items())
    return f"Of {len(probes):,} probe{'s' if len(probes) > 1 else ''} {', '.join(parts)}."


def summary(probes: "Probes", most: int = 20) -> str:
    """A few lines for the terminal: each concept in its best layer, those that are more than chance first."""
    best = probes.best()
    not_shown = [best.meaning(j).verdict != "yes" for j in range(len(best))]
    shown = best.select(np.argsort(not_shown, kind="stable")[:most])
    columns: list[tuple[str, Callable[[int], str]]] = [("probe", lambda j: shown.names[j])]
    if probes.layers > 1:
        columns.append(("layer", lambda j: shown.titles[shown.layer[j]].removeprefix("layer ")))
    if len(set(probes.method)) > 1:
        columns.append(("method", lambda j: shown.method[j]))
    if probes.tested:
        columns.append(("AUROC", lambda j: "" if isnan(shown.auc[j]) else f"{shown.auc[j]:.3f}"))
    columns.append(("accuracy", lambda j: f"R² {shown.r2[j]:.2f}" if shown.numeric[j] else _percent(shown.accuracy[j])))
    if len(probes.control_training):
        columns.append(("control", lambda j: "" if isnan(shown.control[j]) else _percent(shown.control[j])))
    columns.append(("", lambda j: shown.says(j).partition(":")[0]))
    cells = [[show(j) for _, show in columns] for j in range(len(shown))]
    rows = aligned([[name for name, _ in columns], *cells], words=(0, len(columns) - 1))
    more = [f"… and {len(best) - most:,} more"] if len(best) > most else []
    shared = (probes.settings or {}).get("copies")
    return "\n".join(
        ["  " + in_short(probes), *([f"  {shared}"] * bool(shared)), "", *(f"  {row}" for row in [*rows, *more])]
    )


def _by_new_rows(probes: "Probes", j: int) -> Meaning:
    q = float(probes.p_adjusted[j])  # type: ignore[index]
    if isnan(q):
        return Meaning("open", _why_not_judged(probes, j))
    if 0 < probes.held_groups[j] < GROUPS:
        return Meaning("open", _too_few_groups(probes, j))
    if probes.numeric[j]:
        found = _measure_with_interval(probes, j, "R²", "r2")
    else:
        found = f"{_measure_with_interval(probes, j, 'AUROC', 'auc')}, {_percent(float(probes.accuracy[j]))} right"
    chance = chance_in_words(log10(max(q, 1e-300)))
    others = f", corrected for {probes.family:,} probes" if probes.family > 1 else ""
    against = f"; controls {_control(probes, j)}" if len(probes.control_test) and not probes.numeric[j] else ""
    drawn = f" (p ≤ {upper_end(float(probes.p[j]), int(probes.draws[j])):.2g}, drawn)" if probes.draws[j] else ""
    why = f"{found}{against}; the chance that labels at random do as well is {chance}{others}{drawn}."
    worse = probes.numeric[j] and not probes.r2[j] > 0
    if q <= LEVEL and not worse:
        return Meaning("yes", f"it reads this on new rows: {why}")
    if q <= LEVEL:
        return Meaning("no", f"it does not read this on new rows: {why} Their mean alone predicts the numbers as well.")
    if not probes.numeric[j] and probes.interval("auc")[1][j] < 0.5:
        why = f"{why} It is below one half: what was learned is turned round on the new rows."
    return Meaning("no", f"not shown to be more than chance: {why}")


def _too_few_groups(probes: "Probes", j: int) -> str:
    """With fewer than three groups of either class, exchanges between groups cannot tell 1 in 20."""
    what = "groups with a number" if probes.numeric[j] else "groups with the rarer class"
    return (
        f"too few groups to tell: of {what}, {probes.held_groups[j]} were held out and {GROUPS} are needed; hold out "
        f"more groups (test)."
    )


def _why_not_judged(probes: "Probes", j: int) -> str:
    if probes.numeric[j]:
        return "fewer than three numbers among the new rows, or all of them equal: there was nothing to predict."
    if probes.held_positive[j] in (0, probes.held_labelled[j]):
        return "one class only among the new rows: there was nothing to be right about."
    return "one group only among the new rows, and rows of one group are not compared: hold out more groups (test)."


def _measure_with_interval(probes: "Probes", j: int, name: str, measure: str) -> str:
    low, high = (float(end[j]) for end in probes.interval(measure))
    level = "90 to 99 %, as groups are few" if 0 < probes.held_groups[j] < _ENOUGH_GROUPS else "95 %"
    return f"{name} {getattr(probes, measure)[j]:.3f} ({level}: {low:.3f} to {high:.3f})"


def _by_controls(probes: "Probes", j: int) -> Meaning:
    """No rows held out: the part of the controls, counted with the probe itself, that are learned as well."""
    copies = probes.control_training[:, j]
    seen = _percent(probes.training_accuracy[j])
    as_well = int((copies >= probes.training_accuracy[j]).sum())
    q = float(probes.control_q[j])  # type: ignore[index]
    looks = f" The chance is corrected for {probes.looks:,} looks." if probes.looks > 1 else ""
    right = (
        f"{seen} of the rows learned from are right, {_control(probes, j)} in control tasks, of which {as_well} of "
        f"{len(copies)} do as well.{looks}"
    )
    if q <= LEVEL:
        return Meaning("yes", f"it learns more than it would from labels at random: {right}")
    if as_well:
        return Meaning("no", f"labels at random are learned as well: {right}")
    return Meaning("open", f"too few controls to tell ({20 * max(1, probes.looks) - 1:,} are always enough): {right}")


def _control(probes: "Probes", j: int) -> str:
    return _percent(float(probes.control[j]))


def _percent(part: float) -> str:
    return f"{100 * part:.1f} %"
