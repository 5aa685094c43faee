"""What regressions of counts share: rows ±x, fixed effects, an intercept.

Weights: X's columns, then each set of effects without its first level, then the bias.
"""

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from rosenblatt.arrays import Floats, Matrix, Places
from rosenblatt.regressions.machinery.given import Given, ModelColumns, given_numbers, grouped, refuse_where
from rosenblatt.regressions.machinery.regression import Option, Regression
from rosenblatt.regressions.machinery.rows import ModelRows, Values, signed
from rosenblatt.regressions.machinery.terms import BetweenTerms, CountFamily, CountTerms, Link, refuse_large

__all__ = ["CountRegression", "counted", "design", "one_z_a_row", "signed_rows", "with_effects"]

_SMALL = 1 << 14  # values up to which rows are dense: quicker than sparse ones


class CountRegression(Regression):
    """A regression whose response is x·w: logistic, binomial and Poisson ones, which may have fixed effects."""

    options: ClassVar[tuple[Option, ...]] = ("fit_intercept",)
    by_row = True

    @property
    def family(self) -> CountFamily:
        """Successes of trials."""
        return "binomial"

    def trials(self, columns: ModelColumns) -> Floats:
        """Of how many trials each row's y is a count: one each."""
        return np.ones(len(columns.arrays["y"]))

    def terms(self, given: Given, columns: ModelColumns) -> CountTerms:
        """The likelihood: one term a row, so that a row with 3 of 5 is one and not two."""
        X, y = given.values.X, columns.arrays["y"].astype(np.float64)
        X = design(X, columns.effects, False)
        if columns.effects:
            n, d = X.shape
            refuse_large(n, d, "fepois of pyfixest fits larger ones, and rb.check_fitted proves its fit.")
        dense = X.toarray() if sp.issparse(X) else X
        own = (given.weights, given.offset, columns.bias, np.arange(given.n))
        return CountTerms(self.family, dense, y, self.trials(columns), *own)

    def between(self, given: Given, columns: ModelColumns, link: Link) -> BetweenTerms:
        """With another link, all successes and all failures of a row are outcomes of their own."""
        found = self.outcomes(rows := self.rows(given.values, columns), columns)
        assert found is not None
        return found.between(rows, given, link)

    def constants(self, p: int, columns: ModelColumns) -> Places:
        """The intercept."""
        return np.arange(len(columns.weights) - columns.bias, len(columns.weights))


def with_effects(given: Given, arrays: dict[str, npt.NDArray[Any]]) -> ModelColumns:
    """The columns of such a regression: `arrays`, and the codes of its fixed effects."""
    codes, effects = list[Places](), list[tuple[str, list[str]]]()  # of each set of effects: codes; name and levels
    for k, values in enumerate(given.columns.get("fixed_effects", [])):
        name = str(getattr(values, "name", None) or f"effect {k + 1}")
        found, levels = grouped(values, name)
        codes.append(found)
        effects.append((name, levels))
    if codes and not given.bias:
        raise ValueError("fixed_effects bring an intercept with them: leave fit_intercept=False out.")
    named: dict[str, Any] = {name: name for name in arrays if name != "y"}
    entry: dict[str, Any] = {"columns": named}
    if codes:
        arrays = arrays | {"fixed_effects": np.column_stack(codes)}
        named["fixed_effects"] = [name for name, _ in effects]
        entry["effects"] = [levels for _, levels in effects]
    dummies = [f"{name}={level}" for name, levels in effects for level in levels[1:]]
    return ModelColumns(arrays, (*given.names, *dummies, *["(1)"] * given.bias), entry, bias=given.bias)


def counted(values: object, name: str) -> Floats:
    """A column of counts: whole numbers from 0 on."""
    found = given_numbers(values, name)
    refuse_where((found < 0) | (found != np.rint(found)), found, name, "counts are whole numbers from 0 on")
    return found


def one_z_a_row(values: Values, columns: ModelColumns) -> ModelRows:
    """One z a row: x where y > 0, −x where y = 0."""
    y = columns.arrays["y"]
    return signed_rows(values, columns, np.arange(len(y)), np.where(y > 0, 1.0, -1.0), np.full(len(y), -1))


def signed_rows(values: Values, columns: ModelColumns, places: Places, signs: Floats, against: Places) -> ModelRows:
    """±x of the rows in these places, each with its sign."""
    Z = design(values.X, columns.effects, columns.bias)
    Z = Z if places.size == Z.shape[0] and np.array_equal(places, np.arange(places.size)) else Z[places]
    Z = signed(Z, signs)
    tens = values.tens + (values.one,) * (Z.shape[1] - len(values.tens))
    low = values.low and values.low.signed(places, signs)
    return ModelRows(Z, np.zeros(len(places), dtype=bool), places, against, columns.weights, tens, low, values.one)


def design(X: Matrix, effects: list[Places], bias: bool) -> Any:
    """X's columns, then the effects as zeros and ones (the first level of a set has no column), then the bias.

    CSR where X is CSR, and for the effects of a large table.
    """
    n = X.shape[0]
    if not effects and not bias:
        return X
    parts = [*(_levels(codes) for codes in effects), *[np.ones((n, 1))] * bias]
    values = n * (X.shape[1] + sum(part.shape[1] for part in parts))
    if sp.issparse(X) or (effects and values > _SMALL):
        return sp.csr_array(sp.hstack([sp.csr_array(X), *parts], "csr"))
    return np.hstack([X, *(part.toarray() if sp.issparse(part) else part for part in parts)])


def _levels(codes: Places) -> Any:
    """A column for each level but the first."""
    n, levels = codes.size, int(codes.max(initial=0)) + 1
    present = codes > 0
    starts = np.concatenate([[0], np.cumsum(present)])
    return sp.csr_array((np.ones(int(starts[-1])), codes[present] - 1, starts), shape=(n, levels - 1))
