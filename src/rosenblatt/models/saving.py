"""Models in files: safetensors and JSON, a whitelist of class names, a version. Never pickle.

A model that can be saved has `_to_parts() -> (arrays, metadata)` and a class method `_from_parts(arrays, metadata)`.
"""

import os
from importlib import import_module
from typing import Any

import numpy as np

from rosenblatt.data.encoding import Encoding
from rosenblatt.models.storage import Damaged, read_arrays, write_arrays

__all__ = ["from_scalar", "load", "save", "to_scalar"]

_KIND = "model/1"
_LONGEST_LABEL = 1 << 16  # bytes
_HOMES = {
    "Adaline": "rosenblatt.learners.adaline",
    "AffineProjection": "rosenblatt.filters.affine_projection",
    "BatchPerceptron": "rosenblatt.learners.batch_perceptron",
    "BlockLMS": "rosenblatt.filters.block_lms",
    "FxLMS": "rosenblatt.filters.fx_lms",
    "LMS": "rosenblatt.filters.lms",
    "LeakyLMS": "rosenblatt.filters.leaky_lms",
    "LeastSquares": "rosenblatt.learners.least_squares",
    "LeastSquaresFilter": "rosenblatt.filters.least_squares_filter",
    "Logistic": "rosenblatt.learners.logistic",
    "NLMS": "rosenblatt.filters.nlms",
    "PartitionedKalman": "rosenblatt.filters.partitioned_kalman",
    "PartitionedLMS": "rosenblatt.filters.partitioned_lms",
    "PassiveAggressive": "rosenblatt.learners.passive_aggressive",
    "Perceptron": "rosenblatt.learners.perceptron",
    "Probes": "rosenblatt.probes.result",
    "RLS": "rosenblatt.filters.rls",
    "RescaledPerceptron": "rosenblatt.learners.rescaled",
    "SignLMS": "rosenblatt.filters.sign_lms",
}


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted model, with all that is needed to predict and to go on learning, to one file.

    Loaded again with `warm_start=True`, k passes, save, load and n − k more passes give the model of n passes, bit for
    bit. The file appears under its name only when it is complete. A model learned from a table carries in `encoding_`
    how that was read (`rosenblatt fit` puts it there), and keeps it.

    Examples
    --------
    >>> import rosenblatt as rb, tempfile, pathlib
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rb.save(rb.Perceptron().fit(X, y), pathlib.Path(folder) / "and.model")
    ...     model = rb.load(pathlib.Path(folder) / "and.model")
    >>> model.outcome_
    <SEPARATED: all 4 examples are on their side after 15 corrections.>
    """
    name = type(model).__name__
    if name not in _HOMES or type(model) is not _class(name):
        raise TypeError(f"only rosenblatt's own models can be saved ({', '.join(_HOMES)}), not a {name}.")
    arrays, metadata = model._to_parts()
    if hasattr(model, "encoding_"):
        metadata["encoding"] = model.encoding_.to_json()
    write_arrays(path, _KIND, arrays, {"class": name, **metadata})


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model that `save` wrote. Files of other versions or with other classes are refused."""
    arrays, metadata = read_arrays(path, _KIND)
    name = metadata.get("class")
    if not isinstance(name, str) or name not in _HOMES:
        raise ValueError(f"{path} holds a model of the class {name!r}, which is not one of {', '.join(_HOMES)}.")
    try:
        model = _class(name)._from_parts(arrays, metadata)
        if "encoding" in metadata:
            model.encoding_ = Encoding.from_json(metadata["encoding"])
        return model
    except Exception as error:  # a file from elsewhere may raise anything
        raise ValueError(f"{path} is damaged: {type(error).__name__}, {' '.join(str(error).split())[:200]}.") from error


def _class(name: str) -> Any:
    return getattr(import_module(_HOMES[name]), name)


def to_scalar(value: Any) -> Any:
    """A number, text or Boolean as JSON knows it."""
    plain = value.item() if isinstance(value, np.generic) else value
    if plain is None or isinstance(plain, (bool, int, float, str)):
        return plain
    raise TypeError(f"cannot be saved: {value!r} is a {type(value).__name__}, not a number, text or Boolean.")


def from_scalar(value: Any, dtype: str) -> Any:
    """An array of labels or names back from JSON."""
    kind = np.dtype(dtype)
    if kind.kind not in "biufUSO" or kind.itemsize > _LONGEST_LABEL or not isinstance(value, list):
        raise Damaged(f"labels cannot be {dtype}")
    return np.array([to_scalar(one) for one in value], dtype=kind)
