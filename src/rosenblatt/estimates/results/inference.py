"""The numbers of a fit under the names that statsmodels gives them, and tests of coefficients, factors and models."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite, log, nan
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.special import chdtrc, fdtrc

from rosenblatt.arrays import Floats, Places
from rosenblatt.estimates.maximum import LimitingFit

if TYPE_CHECKING:
    from rosenblatt.estimates.formula import Encoded
    from rosenblatt.estimates.results.table import Estimate

__all__ = ["Inference", "TermTest"]

_CLASS = re.compile(r"^.*?: ")  # before a name, where a model has a coefficient for each class


@dataclass(frozen=True)
class TermTest:
    """A test that some coefficients are 0, or that a smaller model holds as well.

    `statistic` has a χ² distribution with `df` degrees of freedom if they are (with clusters, `df` times an F
    distribution); both are NaN where there is no such number: Wald's test needs finite estimates.
    """

    names: tuple[str, ...]
    method: Literal["lr", "wald"]
    statistic: float
    df: int
    p: float

    @classmethod
    def of(
        cls, names: Sequence[str], method: Literal["lr", "wald"], statistic: float, df: int, free: float = inf
    ) -> "TermTest":
        """The test with its p-value; by F with so many `free` degrees of the error, where these are few."""
        if np.isnan(statistic) or not df or free < 1:
            p = nan
        elif isfinite(free):
            p = float(fdtrc(df, free, max(statistic, 0.0) / df))
        else:
            p = float(chdtrc(df, max(statistic, 0.0)))
        return cls(tuple(names), method, statistic, df, p)


class Inference:
    """What users of statsmodels look for in a fit. All of it is about the limiting model where estimates are infinite.

    There `params` has ±∞, and standard errors, z and p are NaN: `test` has the likelihood-ratio test all the same.
    """

    coefficients: "list[Estimate]"
    limiting: LimitingFit
    level: float
    encode: "Encoded | None"

    @property
    def names(self) -> list[str]:
        """What the coefficients are called; columns that were left out have none."""
        return [self.limiting.names[j] for j in self._shown]

    @property
    def _shown(self) -> Places:
        return self.limiting.design.shown

    @property
    def wald(self) -> bool:
        """Whether the intervals are Wald's, because the errors are robust."""
        return self.limiting.robust is not None

    def _series(self, values: Floats, name: str) -> Any:
        return _pandas().Series(np.asarray(values, dtype=np.float64)[self._shown], self.names, name=name)

    @property
    def params(self) -> Any:
        """The maximum-likelihood estimates, a pandas series."""
        return self._series(self.limiting.params, "params")

    @property
    def bse(self) -> Any:
        """Their standard errors."""
        return self._series(self.limiting.errors, "bse")

    @property
    def zvalues(self) -> Any:
        """Estimates in standard errors."""
        return self._series(self.limiting.z, "z")

    tvalues = zvalues

    @property
    def pvalues(self) -> Any:
        """Wald's p-values, two-sided."""
        return self._series(self.limiting.p, "p")

    def cov_params(self) -> Any:
        """The covariances of the estimates, a pandas frame."""
        return _pandas().DataFrame(self.limiting.covariance[np.ix_(self._shown, self._shown)], self.names, self.names)

    def conf_int(self, alpha: float | None = None, method: Literal["profile", "wald"] | None = None) -> Any:
        """Intervals: `method` is "profile", as in the table, or "wald" (the table's where its errors are robust).

        `alpha` is 1 − the level, the table's by default.
        """
        how = method or ("wald" if self.wald else "profile")
        if how not in ("profile", "wald"):
            raise ValueError(f"method is {method!r}; it must be 'profile' or 'wald'.")
        level = self.level if alpha is None else 1.0 - alpha
        ends = self.limiting.intervals(level) if how == "profile" else self.limiting.wald(level)[self._shown]
        return _pandas().DataFrame(ends, self.names, [0, 1])

    @property
    def llf(self) -> float:
        """The supremum of the log-likelihood."""
        return self.limiting.llf

    @property
    def llnull(self) -> float:
        """The same with constants alone."""
        return self.limiting.llnull

    @property
    def nobs(self) -> float:
        """How many rows there are, each as often as it counts."""
        return float(self.limiting.design.given.weights.sum())

    @property
    def df_model(self) -> int:
        """How many coefficients can be told apart, the constants not counted."""
        return self.limiting.rank() - len(self.limiting.design.constants)

    @property
    def df_resid(self) -> float:
        """Rows less coefficients."""
        return self.nobs - self.limiting.rank()

    @property
    def aic(self) -> float:
        """Akaike's criterion."""
        return 2.0 * (self.limiting.rank() - self.llf)

    @property
    def bic(self) -> float:
        """Schwarz's criterion."""
        return log(self.nobs) * self.limiting.rank() - 2.0 * self.llf

    def glance(self) -> dict[str, float]:
        """One line about the fit, as broom has it."""
        whole = TermTest.of((), "lr", 2.0 * (self.llf - self.llnull), self.df_model)
        names = ("nobs", "df_model", "df_resid", "llf", "llnull", "aic", "bic")
        return {name: getattr(self, name) for name in names} | {"lr": whole.statistic, "lr_p": whole.p}

    def test(self, *terms: "str | Inference", method: Literal["lr", "wald"] = "lr") -> TermTest:
        """Whether coefficients are 0: of columns, of whole factors ("C(centre)"), of several; or a smaller model.

        `method` is "lr" for the likelihood-ratio test, which infinite estimates leave as it is, or "wald". A model that
        is nested in this one may stand in place of names: `full.test(smaller)`.
        """
        if method not in ("lr", "wald"):
            raise ValueError(f"method is {method!r}; it must be 'lr' or 'wald'.")
        if len(terms) == 1 and isinstance(terms[0], Inference):
            return self._against(terms[0], method)
        places = sorted({j for term in terms for j in self._places(term)})
        if not places:
            raise TypeError("say which coefficients to test: table.test('age'), table.test('C(centre)').")
        names = [self.names[j] for j in places]
        if method == "wald":
            free = float(self.limiting.degrees[places].min())
            return TermTest.of(names, method, *self.limiting.wald_test(places), free)
        self._refuse_robust()
        df = self.limiting.rank() - self.limiting.rank(places)
        return TermTest.of(names, method, 2.0 * (self.llf - self.limiting.llf_without(places)), df)

    @property
    def limit(self) -> Any:
        """The limiting model as a fitted object, for marginal effects, contrasts, diagnostics and plots.

        Of statsmodels (GLM, PHReg), of pyfixest where there are effects, of lifelines for weighted Cox models. Where
        the estimate exists it is the model itself. A GLM has a formula: the caller's, without the terms that have no
        finite estimate, or one of the columns. Robust errors of statsmodels' objects are the table's, with the fewest
        degrees of freedom of any coefficient; pyfixest counts clusters its own way (CR1, too small where they are few),
        and lifelines has the model's errors.
        """
        from rosenblatt.estimates.results.handing import handed_over

        return handed_over(self.limiting, self.encode)

    def predict(
        self,
        X: Any = None,
        *,
        offset: npt.ArrayLike | None = None,
        interval: bool = False,
        method: Literal["likelihood", "firth", "flic", "flac"] = "likelihood",
    ) -> Any:
        """The mean of each row: a probability, or a count; for the rows of the fit, or for others.

        Of several classes or levels it is a frame with the probability of each; of Cox models the hazard relative to a
        row that has the mean of each column, as lifelines has it.

        Where a row lies in the separated part, it is the limit, 0 or 1 (a count: 0; a hazard: 0 or ∞), and its interval
        has one end, by the profile likelihood; NaN where the data leave it open. With `interval` a pandas frame of
        mean, lower and upper end, by standard errors where both are finite.
        After Firth's estimates (`method`): "firth" by these themselves, which draws probabilities towards one half, or
        "flic" and "flac", whose mean is that of the outcomes (Puhr and others 2017).
        """
        from rosenblatt.estimates.results.predicting import predicted, predicted_by_firth

        rows = X if X is None else self._rows(X)
        beside = None if offset is None else np.asarray(offset, dtype=np.float64)
        if method != "likelihood":
            if interval:
                raise ValueError("intervals of predictions are those of the likelihood: leave interval or method out.")
            return predicted_by_firth(self.limiting, self._by_firth(), rows, beside, method)
        found = predicted(self.limiting, rows, beside, self.level, interval)
        return found.shown(interval)

    def _by_firth(self) -> Floats:
        """Firth's estimates of the coefficients that were not left out."""
        found = [one.firth for one in self.coefficients if not one.left_out]
        if not all(one is not None and np.isfinite(one.value) for one in found):
            raise ValueError("there are no Firth's estimates of all coefficients to predict by.")
        return np.array([one.value for one in found if one is not None])

    def _rows(self, X: Any) -> Floats:
        """New rows in the columns of the fit: of a formula's data, of a frame by their names, or as they are."""
        if self.encode is not None:
            return self.encode(X)
        names = self.limiting.design.given.names
        X = X[names] if hasattr(X, "columns") else X
        return np.asarray(X, dtype=np.float64).reshape(-1, len(names))

    def summary(self) -> str:
        """The fit in lines: what it is about, how well it fits, and a table by standard errors."""
        lines = [f"{name:<9} {value:.6g}" for name, value in self.glance().items()]
        ends = self.conf_int().to_numpy()
        frame = {"estimate": self.params, "std err": self.bse, "z": self.zvalues}
        frame |= {"p": self.pvalues, "lower": ends[:, 0], "upper": ends[:, 1]}
        table = _pandas().DataFrame(frame, self.names).to_string(float_format=lambda one: f"{one:.5g}", na_rep="")
        return "\n".join([*str(self).splitlines()[:1], "", *lines, "", table])

    def _against(self, other: "Inference", method: Literal["lr", "wald"]) -> TermTest:
        if method != "lr":
            raise ValueError("two models are compared by the likelihood-ratio test: leave method out.")
        self._refuse_robust()
        extra = [name for name in other.names if name not in self.names]
        if extra or other.nobs != self.nobs or not self.limiting.same_outcomes(other.limiting):
            why = f"{extra[0]} is only in the smaller one" if extra else "their rows or outcomes differ"
            raise ValueError(f"these models are not nested: {why}.")
        names = [name for name in self.names if name not in other.names]
        df = self.limiting.rank() - other.limiting.rank()
        return TermTest.of(names, "lr", 2.0 * (self.llf - other.llf), df)

    def _refuse_robust(self) -> None:
        if self.wald:
            raise ValueError("a likelihood-ratio test does not go with robust errors: say method='wald'.")

    def _places(self, term: "str | Inference") -> list[int]:
        """The coefficients of a term: those of this name, or the levels of a factor."""
        if not isinstance(term, str):
            raise TypeError("test takes names of coefficients or factors, or one smaller model.")
        plain = [name if name == term else _CLASS.sub("", name) for name in self.names]
        found = [j for j, name in enumerate(plain) if name == term or name.startswith((f"{term}[", f"{term}="))]
        if not found:
            shown = ", ".join(self.names[:8]) + " …" * (len(self.names) > 8)
            raise ValueError(f"there is no coefficient {term!r}; there are {shown}.")
        return found


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        raise ImportError("this needs pandas: pip install pandas") from None
    return pandas
