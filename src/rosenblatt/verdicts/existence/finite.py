"""The finite part of a count model's estimate: the estimate of the rows that are not separated (Geyer 2009)."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import scipy.sparse as sp

from rosenblatt.arrays import Floats, Places
from rosenblatt.data.numbers import as_rows
from rosenblatt.models import Hyperplane
from rosenblatt.verdicts.existence.question import Question

__all__ = ["CountPart", "finite_part"]


def finite_part(question: Question, strict: Places) -> "CountPart | None":
    """What is fitted when `verdict.finite_part` is read; None for other models, and where every row is separated."""
    if question.model not in ("logistic", "binomial", "poisson", "paired"):
        return None
    rows = np.setdiff1d(np.arange(len(question.sides.rows.row)), strict)
    return CountPart(question, rows) if rows.size else None


@dataclass(frozen=True)
class CountPart:
    """The rows z of a model that are on the plane, with their counts, weights and offsets."""

    question: Question
    rows: Places

    def estimate(self) -> Hyperplane:
        """The weights that make these rows most likely, in the model's order; of several such weights, short ones."""
        rows = self.question.sides.rows
        return Hyperplane(self._fit() * np.array([float(Fraction(ten, rows.one)) for ten in rows.tens]))

    def _fit(self) -> Floats:
        from rosenblatt.minimise import fit_logistic, fit_poisson

        rows = self.question.sides.rows
        at = rows.row[self.rows]
        y = self.question.columns.arrays["y"].astype(np.float64)[at]
        signs = np.where(y > 0, 1.0, -1.0) if self.question.model != "binomial" else 2.0 * rows.against[self.rows] - 1
        draws = np.flatnonzero(y == 0.5) if self.question.model == "paired" else np.empty(0, dtype=np.int64)
        Z = rows.Z[self.rows]
        X = sp.csr_array(sp.diags_array(signs) @ Z) if sp.issparse(Z) else Z * signs[:, None]
        given, offset = self.question.given.sample_weight, self._offset(at)
        weights = np.ones(at.size) if given is None else given[at]
        if self.question.model == "poisson":
            return fit_poisson(X, y, weights, offset)
        if self.question.model == "binomial":
            trials = self.question.columns.arrays["trials"][at]
            weights = weights * np.where(signs > 0, y, trials - y)
        if draws.size:  # a draw is half a win and half a loss
            weights[draws] /= 2
            both = np.append(np.arange(y.size), draws)
            X, weights, offset = X[both], weights[both], offset[both]
            signs = np.append(signs, np.full(draws.size, -1.0))
        return fit_logistic(as_rows(X), signs.astype(np.int8), weights, False, offset)

    def _offset(self, at: Places) -> Floats:
        """The offset plus the logarithm of the exposure, of these rows."""
        total, columns = np.zeros(at.size), self.question.given.columns
        if "offset" in columns:
            total += np.asarray(columns["offset"], dtype=np.float64)[at]
        if "exposure" in columns:
            total += np.log(np.asarray(columns["exposure"], dtype=np.float64)[at])
        return total
