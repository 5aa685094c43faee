"""Regressions: one file a model. What models share is one door further, in `machinery`.

>>> "poisson" in REGRESSIONS
True
>>> REGRESSIONS["poisson"].words.ratio
'rate ratio'
"""

from typing import TYPE_CHECKING, Any

from rosenblatt.regressions.machinery.names import ModelName
from rosenblatt.regressions.machinery.registry import REGRESSIONS, regression_of

if TYPE_CHECKING:
    from rosenblatt.regressions.machinery.regression import Regression

__all__ = ["REGRESSIONS", "ModelName", "Regression", "regression_of"]


def __getattr__(name: str) -> Any:  # the class needs NumPy, a list of names does not
    if name == "Regression":
        from rosenblatt.regressions.machinery.regression import Regression

        return Regression
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
