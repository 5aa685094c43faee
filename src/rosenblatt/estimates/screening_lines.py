"""What a screening finds: a line for each coefficient of each outcome."""

from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any

__all__ = ["NOTHING", "Line", "Screening"]

NOTHING = (float("nan"),) * 4


@dataclass(frozen=True)
class Line:
    """One coefficient of one outcome; Firth's numbers are NaN where they were not asked for or there are none."""

    outcome: str
    rows: int  # without those that lack the outcome
    positives: int
    verdict: str  # "complete", "quasi", "overlap", "unknown" or "one class"
    coefficient: str
    fate: str  # "finite", "+inf", "-inf", "undetermined", "not identified"; "" where it is not known
    estimate: float
    lower: float
    upper: float
    p: float
    certificate: str  # SHA-256 of the proof, which was checked on every row; the same call finds it again
    run: str  # tells tables and settings apart


@dataclass(frozen=True)
class Screening:
    """What `screen` found: a line for each coefficient of each outcome."""

    lines: list[Line]

    def frame(self) -> Any:
        """The lines as a pandas frame."""
        try:
            pandas = import_module("pandas")
        except ImportError:
            raise ImportError("frame needs pandas, which is not installed: pip install pandas.") from None
        return pandas.DataFrame([asdict(line) for line in self.lines])

    @property
    def _kinds(self) -> dict[str, str]:
        return {line.outcome: line.verdict for line in self.lines}

    @property
    def sentence(self) -> str:
        """How many outcomes have an estimate."""
        kinds = list(self._kinds.values())
        finite, undecided = kinds.count("overlap"), kinds.count("unknown")
        left = f"; {undecided} not decided" if undecided else ""
        return f"{finite} of {len(kinds)} outcomes have a maximum-likelihood estimate{left}."

    def summary(self) -> list[list[str]]:
        """A line for each outcome: its name, positives of rows, the verdict, and coefficients that are not finite."""
        away: dict[str, list[str]] = {}
        for line in self.lines:
            shown = {"+inf": "+∞", "-inf": "−∞"}.get(line.fate, line.fate)
            away.setdefault(line.outcome, [])
            if line.fate not in ("finite", ""):
                away[line.outcome].append(f"{line.coefficient} ({shown})")
        first = {line.outcome: line for line in reversed(self.lines)}
        return [
            [name, f"{first[name].positives:,} of {first[name].rows:,}", first[name].verdict, ", ".join(some)]
            for name, some in away.items()
        ]

    def __repr__(self) -> str:
        kinds = list(self._kinds.values())
        counted = ", ".join(f"{kinds.count(kind)} {kind}" for kind in sorted(set(kinds)))
        return f"<Screening: {len(kinds)} outcomes: {counted}>"
