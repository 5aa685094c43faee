"""Newton's method for logistic and Poisson regression, and proofs of how far a loss is from its minimum."""

from rosenblatt.newton.columns import Columns
from rosenblatt.newton.logistic_loss import LogisticLoss
from rosenblatt.newton.poisson import fit_poisson
from rosenblatt.newton.solver import Newton, fit_logistic
from rosenblatt.newton.squared_loss import SquaredLoss

__all__ = ["Columns", "LogisticLoss", "Newton", "SquaredLoss", "fit_logistic", "fit_poisson"]
