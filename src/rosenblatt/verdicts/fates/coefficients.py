"""The coefficients of a logistic regression as a verdict has them: which run away, which stay, and what to do."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rosenblatt.verdicts.fates.fates import Fates
from rosenblatt.verdicts.fates.levels import Levels

__all__ = ["Coefficient", "coefficients_of"]

_INTERCEPT = "(1)"
_ADVICE = {
    "finite": "has a finite estimate",
    "+inf": "its estimate runs to +∞: {drop}penalise (Firth, ridge), or collect more data",
    "-inf": "its estimate runs to −∞: {drop}penalise (Firth, ridge), or collect more data",
    "undetermined": "has no limit of its own, the optimiser decides: penalise, or collect more data",
    "open": "is not settled",
    "not identified": "is not identified, because its column can be computed from others: drop one of them",
}


@dataclass(frozen=True)
class Coefficient:
    """One coefficient: its `kind`, and its `proof`, as the certificate's `coefficients` have it.

    "±inf" has {"strict": μ, "scale": s}, "undetermined" has {"separating": w} with w_j = 0. Other kinds have no entries
    here: the certificate's `open` and `null` prove them.
    """

    name: str
    kind: str
    proof: dict[str, Any]
    reference: str = ""  # of a factor's level: the level that it is measured against
    because: str = ""  # a level that runs away: that all rows of the level, or of its reference, have one class
    others: tuple[str, ...] = ()  # not identified: the coefficients whose columns give its own, if they are known

    @property
    def advice(self) -> str:
        """What it means, and what to do."""
        if self.others:
            shown = ", ".join(self.others[:5]) + (" …" if len(self.others) > 5 else "")
            return f"is not identified, because its column can be computed from those of {shown}: drop one of them"
        drop = "" if self.name.endswith(_INTERCEPT) else "drop or merge it, "  # an intercept has no column to drop
        return _ADVICE[self.kind].format(drop=drop)

    @property
    def rows(self) -> list[int]:
        """±inf: rows that prove it, perhaps not all that send it there; otherwise empty."""
        return sorted({i[0] if isinstance(i, tuple) else i for i in self.proof.get("strict", {})})


def coefficients_of(
    found: Fates, names: Sequence[str], levels: Levels | None = None, row: Callable[[int], Any] = int
) -> list[Coefficient]:
    """All coefficients, the intercept "(1)" last; `row` says what the caller calls a row.

    One that is not identified names the fewest others that its column can be computed from.
    """
    labels, made = [*names, *[_INTERCEPT] * (len(found.each) - len(names))], list[Coefficient]()
    for j, (name, fate) in enumerate(zip(labels, found.each, strict=True)):
        proof = fate.proof()
        if fate.strict:
            proof["strict"] = {row(i): m for i, m in fate.strict.items()}
        why = levels.why(name)[0] if levels and fate.strict else ""
        supports = [tuple(labels[k] for k, a in enumerate(v) if a and k != j) for v in found.null if v[j]]
        others: tuple[str, ...] = min(supports, key=len, default=())
        made.append(Coefficient(name, fate.kind, proof, levels.reference(name) if levels else "", why, others))
    return made
