"""The finite part of a count model's estimate: the estimate of the rows that are not separated (Geyer 2009)."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from rosenblatt.arrays import Floats, Places
from rosenblatt.data.numbers import as_rows
from rosenblatt.models import Hyperplane
from rosenblatt.regressions.machinery.families import poisson
from rosenblatt.regressions.machinery.rows import signed
from rosenblatt.regressions.machinery.terms import Outcomes
from rosenblatt.verdicts.existence.question import Question

__all__ = ["CountPart", "finite_part"]


def finite_part(question: Question, strict: Places) -> "CountPart | None":
    """What is fitted when `verdict.finite_part` is read; None for other models, and where every row is separated."""
    made = question.sides.rows
    rows = np.setdiff1d(np.arange(len(made.row)), strict)
    outcomes = question.regression.outcomes(made, question.columns) if rows.size else None
    return None if outcomes is None else CountPart(question, rows, outcomes)


@dataclass(frozen=True)
class CountPart:
    """The rows z of a model that are on the plane, with their counts, weights and offsets."""

    question: Question
    rows: Places
    outcomes: Outcomes  # of all z

    def estimate(self) -> Hyperplane:
        """The weights that make these rows most likely, in the model's order; of several such weights, short ones."""
        rows = self.question.sides.rows
        return Hyperplane(self._fit() * np.array([float(Fraction(ten, rows.one)) for ten in rows.tens]))

    def _fit(self) -> Floats:
        from rosenblatt.minimise import fit_logistic, fit_poisson

        made, given = self.question.sides.rows, self.question.given
        family, signs, y, trials = self.outcomes
        at, signs, y, trials = made.row[self.rows], signs[self.rows], y[self.rows], trials[self.rows]
        X, weights, offset = signed(made.Z[self.rows], signs), given.weights[at], given.offset[at]
        if family is poisson:
            return fit_poisson(X, y, weights, offset)
        both = np.flatnonzero((y > 0) & (y < trials))  # a draw is half a win and half a loss
        weights = weights * np.where(signs > 0, y, trials - y)
        if both.size:
            again = np.append(np.arange(y.size), both)
            weights = np.append(weights, given.weights[at][both] * (trials - y)[both])
            X, offset = X[again], offset[again]
            signs = np.append(signs, np.full(both.size, -1.0))
        return fit_logistic(as_rows(X), signs.astype(np.int8), weights, False, offset)
