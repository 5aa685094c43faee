"""The coefficients of a logistic regression as a verdict has them: which run away, which stay, and what to do."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rosenblatt.verdicts.fates.fates import Fates
from rosenblatt.verdicts.fates.levels import Levels

__all__ = ["Coefficient", "coefficients_in_words", "coefficients_of"]

_LONGEST = 30  # lines of a list in which every coefficient has its own
_SEVERAL = 8  # of a longer list: coefficients of one kind that are named, and levels of a factor that are counted
_FEW = 3  # levels that are named; and coefficients that have a line each although a reason says enough of them

_INTERCEPT = "(1)"
_ADVICE = {
    "finite": "has a finite estimate",
    "+inf": "its estimate runs to +∞: {drop}penalise (Firth, ridge), or collect more data",
    "-inf": "its estimate runs to −∞: {drop}penalise (Firth, ridge), or collect more data",
    "undetermined": "has no limit of its own, the optimiser decides: penalise, or collect more data",
    "open": "is not settled",
    "not identified": "is not identified, because its column can be computed from others: drop one of them",
}
_COUNTED = {  # one, several
    "finite": ("has a finite estimate", "have a finite estimate"),
    "+inf": ("runs to +∞", "run to +∞"),
    "-inf": ("runs to −∞", "run to −∞"),
    "undetermined": ("has no limit of its own", "have no limit of their own"),
    "open": ("is not settled", "are not settled"),
    "not identified": ("is not identified", "are not identified"),
}


@dataclass(frozen=True)
class Coefficient:
    """One coefficient: its `kind`, and its `proof`, as the certificate's `coefficients` have it.

    "±inf" has {"strict": μ, "scale": s}, "undetermined" has {"separating": w} with w_j = 0. Other kinds have no entries
    here: the certificate's `open` and `null` prove them. Where verified floats prove "±inf", μ and s are 0 here.
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
    def factor(self) -> str:
        """What it is a level of: "color" of "color=red"; "" for a column that is no level."""
        return self.name.partition("=")[0] if "=" in self.name else ""

    def told(self, rows: bool) -> tuple[str, str]:
        """Its name, and what becomes of it; on account of which rows, if asked."""
        shown = ", ".join(map(str, self.rows[:5])) + (" …" if len(self.rows) > 5 else "")
        because = f" (row{'s' if len(self.rows) > 1 else ''} {shown})" if rows and self.rows else ""
        against = f" (against {self.reference})" if self.reference else ""
        return f"{self.name}{against}", f"{f'{self.because}; ' if self.because else ''}{self.advice}{because}"

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


def coefficients_in_words(
    coefficients: Sequence[Coefficient], reason: bool = False, rows: bool = True
) -> list[tuple[str, str]]:
    """A line for each coefficient; of a long list, the first columns of each kind, then each factor's levels, counted.

    `reason`: a reason was given why the classes are completely separable, and says enough of what is undetermined.
    """
    told, levels = list(coefficients), dict[str, list[Coefficient]]()
    if len(told) > _LONGEST:
        for one in told:
            levels.setdefault(one.factor, []).append(one)
        levels = {factor: some for factor, some in levels.items() if factor and len(some) > _SEVERAL}
        told = [one for one in told if one.factor not in levels]
    kinds = {kind: [one for one in told if one.kind == kind] for kind in _COUNTED}
    lines = list[tuple[str, str]]()
    for kind, some in kinds.items():
        if reason and kind == "undetermined" and len(some) > _FEW:
            lines.append((f"{len(some):,} others", "have no limit of their own because of it"))
        elif len(told) > _LONGEST and len(some) > _SEVERAL:
            lines += [one.told(rows) for one in some[:_SEVERAL]]
            others = len(some) - _SEVERAL
            lines.append((f"{others:,} other{'' if others == 1 else 's'}", _COUNTED[kind][others > 1]))
        else:
            lines += [one.told(rows) for one in some]
    if len(lines) == len(told):  # nothing was folded: the order of the columns
        lines = [one.told(rows) for one in told]
    return lines + [(factor, _levels_counted(some)) for factor, some in levels.items()]


def _levels_counted(levels: list[Coefficient]) -> str:
    """How many levels of a factor have which fate; the first are named where they are not finite."""
    parts = []
    for kind, words in _COUNTED.items():
        if some := [one.name for one in levels if one.kind == kind]:
            named = ", ".join(some[:_FEW]) + (" …" if len(some) > _FEW else "")
            parts.append(f"{len(some):,} {words[len(some) > 1]}" + ("" if kind == "finite" else f" ({named})"))
    return f"of {len(levels):,} levels {', '.join(parts)}"
