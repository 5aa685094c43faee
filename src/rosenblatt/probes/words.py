"""Whether a probe means anything, in words."""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rosenblatt.probes.result import Probes

__all__ = ["Meaning", "meaning"]

_LITTLE = 0.05  # a selectivity of no more than this is none
_OFTEN = -0.5  # log10: one labeling in three or more


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
        return Meaning(judged.verdict, judged.sentence + _on_separation(probes, j))
    if probes.separated[j]:
        return _by_counting(probes, j)
    if len(probes.control_training):
        return _by_controls(probes, j)
    return Meaning(
        "open",
        f"{_percent(probes.training_accuracy[j])} of the rows learned from are right, and nothing to compare that with: "
        f"hold rows out (validation) or ask for controls.",
    )


def _by_new_rows(probes: "Probes", j: int) -> Meaning:
    accuracy, majority = float(probes.validation_accuracy[j]), float(probes.majority[j])
    low, high = (float(end[j]) for end in probes.validation_interval)
    right = f"{_percent(accuracy)} right (95 %: {_percent(low)} to {_percent(high)})"
    if _selective(probes, j) is False:
        return Meaning("no", f"no better on new rows than labels at random: {right}, shuffled labels {_control(probes, j)}.")
    if accuracy <= majority:
        return Meaning(
            "no", f"no better on new rows than always answering the larger class: {right}, the larger class {_percent(majority)}."
        )
    against = f"the larger class {_percent(majority)}"
    if _selective(probes, j):
        against += f", shuffled labels {_control(probes, j)}"
    if low <= majority:
        return Meaning("open", f"too few new rows to tell: {right}, {against}.")
    return Meaning("yes", f"it reads this on new rows: {right}, {against}.")


def _by_counting(probes: "Probes", j: int) -> Meaning:
    empty = _on_separation(probes, j).strip()
    if empty:
        return Meaning("no", f"separated, but {empty[0].lower()}{empty[1:]}")
    odds = -max(float(probes.log10_fair[j]), float(probes.log10_sizes[j]))
    return Meaning(
        "yes",
        f"separated, as at most 1 labeling of this kind in 10^{odds:.1f} is; whether new rows agree needs rows held out.",
    )


def _by_controls(probes: "Probes", j: int) -> Meaning:
    right = f"{_percent(probes.training_accuracy[j])} of the rows learned from are right, {_control(probes, j)} with shuffled labels"
    if _selective(probes, j):
        return Meaning("yes", f"it learns more than it would from labels at random: {right}.")
    return Meaning("no", f"labels at random are learned as well: {right}.")


def _on_separation(probes: "Probes", j: int) -> str:
    """Where separation would have come about by chance, that it means nothing."""
    if not probes.separated[j]:
        return ""
    rows, weights = f"{probes.labelled[j]:,}", f"{len(probes.weights):,}"
    if probes.log10_fair[j] > _OFTEN:
        return f" That it is separated means nothing: with {rows} rows and {weights} weights random labels often are too."
    if probes.log10_sizes[j] > _OFTEN:
        return f" That it is separated means nothing: with so small a class among {rows} rows random labels often are too."
    return ""


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
