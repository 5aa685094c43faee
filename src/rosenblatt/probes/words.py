"""What a probe shows, in words; of separations, in those of `verdicts.worth`."""

from typing import TYPE_CHECKING, NamedTuple

from rosenblatt.verdicts.worth import MORE, NOT_SHOWN

if TYPE_CHECKING:
    from rosenblatt.probes.result import Probes

__all__ = ["ANSWERS", "Meaning", "in_short", "meaning", "summary"]

ANSWERS = {"yes": MORE, "no": NOT_SHOWN, "open": "undecided"}

_LITTLE = 0.05  # a selectivity of no more than this is none


class Meaning(NamedTuple):
    """`verdict` is "yes", "no" or "open"; `sentence` says why."""

    verdict: str
    sentence: str


def meaning(probes: "Probes", j: int) -> Meaning:
    """What probe j means: by rows held out, else by its controls, else by Cover's count alone."""
    if probes.positive[j] in (0, probes.labelled[j]):
        return Meaning("no", "one class only among the rows learned from: there was nothing to tell apart.")
    if probes.held_labelled[j]:
        judged = _by_new_rows(probes, j)
        if probes.separated[j] and not probes.worth(j).more_than_chance:
            return Meaning(judged.verdict, f"{judged.sentence} That it is separated is by itself {NOT_SHOWN}.")
        return judged
    if probes.separated[j]:
        return _by_counting(probes, j)
    if len(probes.control_training):
        return _by_controls(probes, j)
    return Meaning(
        "open",
        f"nothing to compare with: {_percent(probes.training_accuracy[j])} of the rows learned from are right; hold "
        f"rows out (validation) or ask for controls.",
    )


def in_short(probes: "Probes") -> str:
    """How many probes are more than chance."""
    verdicts = [probes.meaning(j).verdict for j in range(len(probes))]
    counts = {name: verdicts.count(name) for name in ANSWERS if name in verdicts}
    parts = (f"{n:,} {'is' if n == 1 else 'are'} {ANSWERS[name]}" for name, n in counts.items())
    return f"Of {len(probes):,} probe{'s' if len(probes) > 1 else ''} {', '.join(parts)}."


def summary(probes: "Probes", most: int = 20) -> str:
    """A few lines for the terminal: each concept in its best layer, the best first."""
    best = probes.best()
    shown = best.select(slice(0, most))
    several, controlled = probes.layers > 1, len(probes.control_training) > 0
    head = ["probe", *(["layer"] if several else []), "accuracy", *(["control"] if controlled else []), ""]
    lines = [
        [
            name,
            *([str(shown.layer[j])] if several else []),
            _percent(shown.accuracy[j]),
            *([_control(shown, j)] if controlled else []),
            shown.says(j).partition(":")[0],
        ]
        for j, name in enumerate(shown.names)
    ]
    widths = [max(len(line[k]) for line in [head, *lines]) for k in range(len(head) - 1)]
    rows = [
        "  ".join(
            [
                line[0].ljust(widths[0]),
                *(cell.rjust(w) for cell, w in zip(line[1:-1], widths[1:], strict=True)),
                line[-1],
            ]
        )
        for line in [head, *lines]
    ]
    more = [f"… and {len(best) - most:,} more"] if len(best) > most else []
    return "\n".join(["  " + in_short(probes), "", *(f"  {row}".rstrip() for row in [*rows, *more])])


def _by_new_rows(probes: "Probes", j: int) -> Meaning:
    accuracy, majority = float(probes.validation_accuracy[j]), float(probes.majority[j])
    low, high = (float(end[j]) for end in probes.validation_interval)
    right = f"{_percent(accuracy)} right (95 %: {_percent(low)} to {_percent(high)})"
    if _selective(probes, j) is False:
        return Meaning(
            "no", f"no better on new rows than labels at random: {right}, shuffled labels {_control(probes, j)}."
        )
    if accuracy <= majority:
        return Meaning(
            "no",
            f"no better on new rows than always answering the larger class: {right}, that {_percent(majority)}.",
        )
    against = f"the larger class {_percent(majority)}"
    if _selective(probes, j):
        against += f", shuffled labels {_control(probes, j)}"
    if low <= majority:
        return Meaning("open", f"too few new rows to tell: {right}, {against}.")
    return Meaning("yes", f"it reads this on new rows: {right}, {against}.")


def _by_counting(probes: "Probes", j: int) -> Meaning:
    """Separated rows, none held out: what `check` says of a complete separation."""
    worth = probes.worth(j)
    verdict = "yes" if worth.more_than_chance else "no"
    return Meaning(verdict, f"separated, {ANSWERS[verdict]}: {worth}")


def _by_controls(probes: "Probes", j: int) -> Meaning:
    seen = _percent(probes.training_accuracy[j])
    right = f"{seen} of the rows learned from are right, {_control(probes, j)} with shuffled labels"
    if _selective(probes, j):
        return Meaning("yes", f"it learns more than it would from labels at random: {right}.")
    return Meaning("no", f"labels at random are learned as well: {right}.")


def _selective(probes: "Probes", j: int) -> bool | None:
    """Clearly above every control; None where there are none."""
    copies = probes.control_validation if probes.validated else probes.control_training
    if not len(copies):
        return None
    return bool(probes.selectivity[j] > _LITTLE and probes.accuracy[j] > copies[:, j].max())


def _control(probes: "Probes", j: int) -> str:
    return _percent(float(probes.control[j]))


def _percent(part: float) -> str:
    return f"{100 * part:.1f} %"
