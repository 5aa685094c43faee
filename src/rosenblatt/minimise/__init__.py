"""Newton's method for logistic and Poisson regression, and proofs of how far a loss is from its minimum."""

from rosenblatt.minimise.columns import Columns
from rosenblatt.minimise.logistic_loss import LogisticLoss
from rosenblatt.minimise.poisson import fit_poisson
from rosenblatt.minimise.solver import Newton, fit_logistic
from rosenblatt.minimise.squared_loss import SquaredLoss

__all__ = ["Columns", "LogisticLoss", "Newton", "SquaredLoss", "fit_logistic", "fit_poisson"]
