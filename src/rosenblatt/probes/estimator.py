"""A probe as an ordinary Perceptron."""

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.arrays import Signs
from rosenblatt.learners.perceptron import Perceptron

if TYPE_CHECKING:
    from rosenblatt.probes.result import Probes

__all__ = ["traced_again", "with_weights"]


def with_weights(probes: "Probes", j: int) -> Perceptron:
    """A fitted Perceptron with the weights, passes and outcome of probe j."""
    model = _configured(probes)
    model.classes_ = np.array([-1, 1])
    model.n_features_in_ = len(probes.weights) - 1
    model._set_weights(probes.weights[:, j][None, :].copy())
    model._running = probes.weights[:, j][None, :].copy()
    model.outcome_ = probes.outcome[j]
    model.n_passes_ = int(probes.passes[j])
    model.n_updates_ = int(probes.updates[j])
    model.mistakes_per_pass_ = np.zeros(model.n_passes_, dtype=np.int64)  # an average may need more clean passes
    recorded = probes.mistakes_per_pass[: model.n_passes_, j]
    model.mistakes_per_pass_[: recorded.size] = recorded
    model.trace_ = model.witness_ = None
    model._states, model._stream = [], None
    return model


def traced_again(probes: "Probes", j: int, X: npt.NDArray[Any], y: Signs) -> Perceptron:
    """The run of probe j made again, row after row, and recorded; rows without a label have weight 0."""
    if probes.method[j] != "perceptron" or (probes.settings or {}).get("scale"):
        raise ValueError(
            "only the run of a perceptron on the columns as they are can be made again and recorded: ask "
            "fit(…, method='perceptron', scale=False)."
        )
    model = _configured(probes)
    model.trace = True
    labels = np.where(y == 0, -1, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the probe's outcome says it already
        model.fit(X, labels, sample_weight=None if y.all() else (y != 0).astype(np.float64))
    return model


def _configured(probes: "Probes") -> Perceptron:
    usual: dict[str, Any] = {"passes": 50, "order": "cyclic", "average": False, "random_state": None}
    how = usual | (probes.settings or {})
    return Perceptron(max_passes=how["passes"], **{name: how[name] for name in ("order", "average", "random_state")})
