"""The table of estimates."""

from dataclasses import dataclass

from rosenblatt.estimates.profile import End
from rosenblatt.verdicts.decision import Verdict

__all__ = ["Estimate", "Estimates", "Penalised"]


@dataclass(frozen=True)
class Penalised:
    """Firth's estimate: a root of the penalised score, within `error` if that is proved; its interval to rounding."""

    value: float
    error: float | None
    lower: float
    upper: float
    p: float  # of the penalised likelihood-ratio test of 0


@dataclass(frozen=True)
class Estimate:
    """One coefficient. `value` is ±inf where it runs away, NaN where it has no value; `error` bounds its distance."""

    name: str
    fate: str
    value: float
    error: float | None
    lower: End
    upper: End
    firth: Penalised | None


@dataclass(frozen=True)
class Estimates:
    """What `estimate` found."""

    coefficients: list[Estimate]
    model: str
    level: float
    verdict: Verdict
    seconds: float
