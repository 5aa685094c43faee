"""The table of estimates that `estimate` returns, and the forms in which it can be shown or saved."""

import os
from dataclasses import dataclass, field, replace
from math import inf, isfinite, isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.data.files import write_whole
from rosenblatt.estimates.exact_conditional import Exact
from rosenblatt.estimates.maximum import LimitingFit
from rosenblatt.estimates.profile import End
from rosenblatt.estimates.results import layout
from rosenblatt.estimates.results.files import PICTURES, form_of, table_file
from rosenblatt.estimates.results.inference import Inference
from rosenblatt.regressions import Regression
from rosenblatt.verdicts import Verdict

if TYPE_CHECKING:
    from rosenblatt.estimates.formula import Encoded

__all__ = ["SCHEMA", "Estimate", "Estimates", "Penalised"]

SCHEMA = "rosenblatt-estimate/1"

_WALD = ("std_error", "z", "wald_p")


@dataclass(frozen=True)
class Penalised:
    """Firth's estimate with its interval and p-value; a number that rounding hides is NaN.

    Where `error` is not None, a root of the penalised score is proved to be within it. The rest is not proved.
    """

    value: float
    error: float | None
    lower: float
    upper: float
    p: float  # of the penalised likelihood-ratio test of 0


@dataclass(frozen=True)
class Estimate:
    """One coefficient. `value` is its maximum-likelihood estimate: ±inf where it runs away, NaN where it has none.

    Where `error` is not None, the true estimate is proved to be within it.
    """

    name: str
    fate: str
    value: float
    error: float | None
    lower: End
    upper: End
    firth: Penalised | None
    reference: str = ""  # of a factor's level: the level that it is measured against
    exact: Exact | None = None  # where it was asked for
    left_out: bool = False  # because its column can be computed from columns before it
    late: bool = False  # whether the time limit was reached before all its numbers were found

    @property
    def hidden(self) -> bool:
        """Whether rounding hides one of its numbers."""
        own = [self.lower.value, self.upper.value, *[self.value] * (self.fate == "finite")]
        firth = [self.firth.value, self.firth.lower, self.firth.upper] if self.firth else []
        return not self.late and any(map(isnan, own + firth))

    @property
    def doubtful(self) -> bool:
        """Whether one of its numbers is not proved; Firth's intervals and p-values, never proved, do not count."""
        ends = any(isfinite(end.value) and not end.proved for end in (self.lower, self.upper))
        estimates: list[Estimate | Penalised] = [self, self.firth] if self.firth else [self]
        return ends or any(isfinite(one.value) and one.error is None for one in estimates)


@dataclass(frozen=True)
class Estimates(Inference):
    """What `estimate` found: text in a terminal, a table in a notebook; also a frame, JSON, Markdown and LaTeX.

    Attributes
    ----------
    coefficients : list of Estimate
        In the order of the columns, the intercept "(1)" last. Always coefficients, never ratios.
    verdict : Verdict
        Whether the estimate exists, with proof.
    outcome : str
        What the model is about: "died = yes", or the name of a count.
    n, plane : int
        How many rows have a weight above zero, and how many of these the finite estimates rest on.
    exponentiate : bool
        Whether tables show odds ratios, rate ratios (counts) or hazard ratios (Cox).
    limiting : LimitingFit
        Covariances and log-likelihoods of the limiting model.
    """

    coefficients: list[Estimate]
    regression: Regression
    level: float
    verdict: Verdict
    seconds: float
    outcome: str
    n: int
    plane: int
    exponentiate: bool
    limiting: LimitingFit = field(repr=False, compare=False)
    maxima: tuple[float, ...] = ()  # of the penalised likelihood, their logarithms: the highest is the estimate
    encode: "Encoded | None" = field(default=None, repr=False, compare=False)  # of a formula's new data

    def exponentiated(self) -> "Estimates":
        """The same table with odds ratios, rate ratios or hazard ratios; a probit model has none."""
        if self.limiting.design.link == "probit":
            raise ValueError("e to a coefficient of a probit model is no ratio.")
        return replace(self, exponentiate=True)

    @property
    def ratio(self) -> str:
        """What the exponential of a coefficient is called."""
        return "hazard ratio" if self.limiting.design.link == "cloglog" else self.regression.words.ratio

    @property
    def model(self) -> str:
        """The name of the regression."""
        return self.regression.name

    @property
    def late(self) -> bool:
        """Whether the time limit was reached before all numbers were found."""
        return any(one.late for one in self.coefficients)

    @property
    def penalised(self) -> bool:
        """Whether Firth's estimates were asked for."""
        return any(one.firth is not None for one in self.coefficients)

    @property
    def counted(self) -> bool:
        """Whether an exact analysis was asked for."""
        return any(one.exact is not None for one in self.coefficients)

    def __str__(self) -> str:
        """Lines for a terminal."""
        return layout.text(self)

    def __repr__(self) -> str:
        return f"<Estimates: {layout.headline(self)}>"

    def _repr_html_(self) -> str:
        """A table for a notebook."""
        return layout.html_table(self) + layout.html_notes(self)

    def to_markdown(self) -> str:
        """A pipe table with its notes."""
        return layout.markdown(self)

    def to_latex(self) -> str:
        """A tabular with the rules of booktabs, and its notes as comments."""
        return layout.latex(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file: .csv, .tsv, .xlsx, .json, .md, .html, .tex, .docx or .txt, as the name ends."""
        form = form_of(place := Path(path))
        if form in PICTURES:
            raise ValueError(f"{path}: rb.plot.EstimatesDisplay.from_estimates(table).save({str(path)!r}) draws it.")
        write_whole(place, table_file(self, form))

    def to_frame(self) -> Any:
        """A pandas frame of numbers, one row for each coefficient; ratios where `exponentiate` is set."""
        try:
            import pandas
        except ImportError:
            raise ImportError("to_frame() needs pandas: pip install pandas") from None
        columns = self.columns()
        return pandas.DataFrame(columns, index=pandas.Index(columns.pop("name")))

    def columns(self) -> dict[str, list[Any]]:
        """Every number of every coefficient, a list a column; ratios where `exponentiate` is set."""

        def shown(values: list[float]) -> list[float]:
            with np.errstate(over="ignore", under="ignore"):
                return np.exp(values).tolist() if self.exponentiate else values

        each = self.coefficients
        columns: dict[str, list[Any]] = {
            "name": [one.name for one in each],
            "reference": [one.reference for one in each],
            "fate": [one.fate for one in each],
            "estimate": shown([one.value for one in each]),
            "lower": shown([one.lower.value for one in each]),
            "upper": shown([one.upper.value for one in each]),
            **dict(zip(_WALD, self._by_error(), strict=True)),
        }
        for kind, p, asked in (("firth", "p", self.penalised), ("exact", "exact_p", self.counted)):
            if asked:
                found = [getattr(one, kind) for one in each]  # None where there is none
                for name, key in (("value", kind), ("lower", f"{kind}_lower"), ("upper", f"{kind}_upper")):
                    columns[key] = shown([getattr(one, name, np.nan) for one in found])
                columns[p] = [getattr(one, "p", np.nan) for one in found]
        return columns

    def _by_error(self) -> list[list[float]]:
        """Standard errors, z and Wald's p of each coefficient; NaN of those that were left out."""
        places = {name: j for j, name in enumerate(self.limiting.names)}
        at = np.array([places.get(one.name, len(places)) for one in self.coefficients], dtype=np.int64)
        return [np.append(values, np.nan)[at].tolist() for values in self.limiting.of_wald]

    def to_json(self) -> dict[str, Any]:
        """Plain values for a JSON file; infinite numbers are "+inf" and "-inf", unknown ones are null."""
        return {
            "schema": SCHEMA,
            "model": self.model,
            "outcome": self.outcome,
            "n": self.n,
            "plane": self.plane,
            "verdict": self.verdict.kind,
            "level": self.level,
            "errors": self.limiting.robust and self.limiting.robust.words,
            "coefficients": [
                _as_json(one) | {name: _plain(float(value)) for name, value in zip(_WALD, wald, strict=True)}
                for one, *wald in zip(self.coefficients, *self._by_error(), strict=True)
            ],
            "notes": layout.notes(self),
            "seconds": self.seconds,
        }


def _as_json(one: Estimate) -> dict[str, Any]:
    return {
        "name": one.name,
        "reference": one.reference or None,
        "fate": one.fate,
        "estimate": _plain(one.value),
        "error": one.error,
        "lower": _end_as_json(one.lower),
        "upper": _end_as_json(one.upper),
        "firth": one.firth and _inference(one.firth) | {"error": one.firth.error},
        "exact": one.exact and _inference(one.exact),
        "late": one.late,
    }


def _inference(one: Penalised | Exact) -> dict[str, Any]:
    """Estimate, interval and p-value."""
    return {"estimate": _plain(one.value)} | {name: _plain(getattr(one, name)) for name in ("lower", "upper", "p")}


def _end_as_json(end: End) -> dict[str, Any]:
    return {name: _plain(getattr(end, name)) for name in ("value", "inner", "outer")} | {"proved": end.proved}


def _plain(value: float) -> float | str | None:
    if isnan(value):
        return None
    return value if abs(value) < inf else ("+inf" if value > 0 else "-inf")
