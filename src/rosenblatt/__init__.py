"""rosenblatt: perceptrons that prove what they say.

Names load when they are first used, so that `import rosenblatt` stays fast: no Numba, no scikit-learn, no matplotlib.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt import comparison as comparison
    from rosenblatt import counting as counting
    from rosenblatt import cover as cover
    from rosenblatt import data as data
    from rosenblatt import datasets as datasets
    from rosenblatt import distributed as distributed
    from rosenblatt import filters as filters
    from rosenblatt import logic as logic
    from rosenblatt import plot as plot
    from rosenblatt import probes as probes
    from rosenblatt import report as report
    from rosenblatt import theory as theory
    from rosenblatt.comparison import compare as compare
    from rosenblatt.lab.widget import Lab as Lab
    from rosenblatt.learners.adaline import Adaline as Adaline
    from rosenblatt.learners.batch_perceptron import BatchPerceptron as BatchPerceptron
    from rosenblatt.learners.least_squares import LeastSquares as LeastSquares
    from rosenblatt.learners.logistic import Logistic as Logistic
    from rosenblatt.learners.passive_aggressive import PassiveAggressive as PassiveAggressive
    from rosenblatt.learners.perceptron import Perceptron as Perceptron
    from rosenblatt.learners.rescaled import RescaledPerceptron as RescaledPerceptron
    from rosenblatt.models.hyperplane import Hyperplane as Hyperplane
    from rosenblatt.models.onnx_export import to_onnx as to_onnx
    from rosenblatt.models.outcome import Outcome as Outcome
    from rosenblatt.models.saving import load as load
    from rosenblatt.models.saving import save as save
    from rosenblatt.models.trace import Trace as Trace
    from rosenblatt.models.witness import Witness as Witness
    from rosenblatt.verdicts.certificate import Certificate as Certificate
    from rosenblatt.verdicts.certificate import verify as verify
    from rosenblatt.verdicts.decision import Verdict as Verdict
    from rosenblatt.verdicts.decision import separability as separability
    from rosenblatt.verdicts.matrix import separability_matrix as separability_matrix

__version__ = "0.1.0"

_MODULES = (
    "comparison",
    "counting",
    "cover",
    "data",
    "datasets",
    "distributed",
    "filters",
    "logic",
    "plot",
    "probes",
    "report",
    "theory",
)
_HOMES = {
    "comparison": ("compare",),
    "lab.widget": ("Lab",),
    "learners.adaline": ("Adaline",),
    "learners.batch_perceptron": ("BatchPerceptron",),
    "learners.least_squares": ("LeastSquares",),
    "learners.logistic": ("Logistic",),
    "learners.passive_aggressive": ("PassiveAggressive",),
    "learners.perceptron": ("Perceptron",),
    "learners.rescaled": ("RescaledPerceptron",),
    "models.hyperplane": ("Hyperplane",),
    "models.onnx_export": ("to_onnx",),
    "models.outcome": ("Outcome",),
    "models.saving": ("load", "save"),
    "models.trace": ("Trace",),
    "models.witness": ("Witness",),
    "verdicts.certificate": ("Certificate", "verify"),
    "verdicts.decision": ("Verdict", "separability"),
    "verdicts.matrix": ("separability_matrix",),
}
_NAMES = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Adaline",
    "BatchPerceptron",
    "Certificate",
    "Hyperplane",
    "Lab",
    "LeastSquares",
    "Logistic",
    "Outcome",
    "PassiveAggressive",
    "Perceptron",
    "RescaledPerceptron",
    "Trace",
    "Verdict",
    "Witness",
    "__version__",
    "compare",
    "comparison",
    "counting",
    "cover",
    "data",
    "datasets",
    "distributed",
    "filters",
    "load",
    "logic",
    "plot",
    "probes",
    "report",
    "save",
    "separability",
    "separability_matrix",
    "theory",
    "to_onnx",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"rosenblatt.{name}")
    if name in _NAMES:
        return getattr(import_module(f"rosenblatt.{_NAMES[name]}"), name)
    raise AttributeError(f"module 'rosenblatt' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
