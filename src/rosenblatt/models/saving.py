"""Models in files: safetensors and JSON, a whitelist of class names, a version. Never pickle.

A model is a learner, or a scikit-learn pipeline of known steps (scaled columns, features) that ends in one. A model
that can be saved has `_to_parts() -> (arrays, metadata)` and a class method `_from_parts(arrays, metadata)`. A pipeline
has the parts of each step, the arrays of step k under names that begin with "k.".
"""

import os
from importlib import import_module
from inspect import isabstract
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

import numpy as np

from rosenblatt.arguments import checked
from rosenblatt.arrays import Labels
from rosenblatt.data.tables import Encoding
from rosenblatt.models.storage import Damaged, numbers, read_arrays, write_arrays

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import StandardScaler

    from rosenblatt.learners.shared.classifier import Classifier

Model: TypeAlias = "Classifier | Pipeline"  # what is saved and answers: a learner, or steps and a learner

__all__ = [
    "Model",
    "from_scalar",
    "is_pipeline",
    "learner_of",
    "load",
    "save",
    "scaler_back",
    "scaler_parts",
    "steps_before",
    "to_scalar",
    "with_steps",
]


def is_pipeline(model: object) -> "TypeGuard[Pipeline]":
    """Whether it is a scikit-learn pipeline."""
    from sklearn.pipeline import Pipeline

    return type(model) is Pipeline


def learner_of(model: "Model") -> Any:
    """The learner of a model: it has the outcome, the classes, and how its table was read."""
    return model.steps[-1][1] if is_pipeline(model) else model


def steps_before(model: "Model") -> list[Any]:
    """The steps that the rows go through before the learner sees them."""
    return [step for _, step in model.steps[:-1] if step not in (None, "passthrough")] if is_pipeline(model) else []


def with_steps(before: list[Any], learner: "Classifier") -> "Model":
    """The learner, or the pipeline of the steps and the learner where there are steps."""
    from sklearn.pipeline import make_pipeline

    return make_pipeline(*before, learner) if before else learner


def scaler_parts(scaler: "StandardScaler") -> tuple[dict[str, Any], dict[str, Any]]:
    """(arrays, metadata) of a fitted `StandardScaler`."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(scaler)
    shift, size = scaler.mean_ if scaler.with_mean else None, scaler.scale_
    p = scaler.n_features_in_
    arrays = {
        "shift": np.zeros(p) if shift is None else np.asarray(shift, dtype=np.float64),
        "size": np.ones(p) if size is None else np.asarray(size, dtype=np.float64),
    }
    return arrays, {"with_mean": shift is not None}


def scaler_back(arrays: dict[str, Any], metadata: dict[str, Any]) -> Any:
    """A scaler that transforms as the one that `scaler_parts` took apart; how many rows that saw is not kept."""
    from sklearn.preprocessing import StandardScaler

    shift = numbers(arrays["shift"], None)
    size = numbers(arrays["size"], len(shift))
    if not (np.isfinite(shift).all() and np.isfinite(size).all() and (size > 0).all()):
        raise Damaged("a scaler divides by numbers above 0")
    scaler = StandardScaler(with_mean=metadata["with_mean"] is True)
    scaler.mean_, scaler.scale_, scaler.var_ = shift, size, size**2
    scaler.n_features_in_, scaler.n_samples_seen_ = len(shift), 1
    return scaler


_KIND = "model/1"
_LONGEST_LABEL = 1 << 16  # bytes
_PIPELINE, _SCALER = "Pipeline", "StandardScaler"  # of scikit-learn
# rooms whose public classes can be saved, if they have `_to_parts`; a name is looked up there and nowhere else
_ROOMS = ("rosenblatt.learners", "rosenblatt.learners.duals", "rosenblatt.filters", "rosenblatt.probes")


@checked
def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted model, with all that is needed to predict and to go on learning, to one file.

    Loaded again with `warm_start=True`, k passes, save, load and n − k more passes give the model of n passes, bit for
    bit. The file appears under its name only when it is complete. `encoding_`, which says how a table was read
    (`rosenblatt fit` sets it), is saved too. A scikit-learn pipeline is saved whole, if its last step is a learner of
    this package and the steps before it are `StandardScaler` and `FourierFeatures`.

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
    arrays, metadata = _take_apart(model)
    encoding = getattr(learner_of(model), "encoding_", None)
    if encoding is not None:
        metadata["encoding"] = encoding.to_json()
    write_arrays(path, _KIND, arrays, metadata)


@checked
def load(path: str | os.PathLike[str]) -> Any:
    """Read a model that `save` wrote. Files of other versions or with other classes are refused."""
    arrays, metadata = read_arrays(path, _KIND)
    for name in _classes_named(metadata):
        if name not in (_PIPELINE, _SCALER) and _savable(name) is None:
            raise ValueError(f"{path} holds a model of the class {name!r}, which is not one of {_savable_names()}.")
    try:
        model = _put_together(arrays, metadata)
        if "encoding" in metadata:
            learner_of(model).encoding_ = Encoding.from_json(metadata["encoding"])
        return model
    except Exception as error:  # a file from elsewhere may raise anything
        raise ValueError(f"{path} is damaged: {type(error).__name__}, {' '.join(str(error).split())[:200]}.") from error


def _take_apart(model: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """(arrays, metadata) of a model; the metadata name its class."""
    name = type(model).__name__
    if is_pipeline(model):
        return _pipeline_parts(model)
    if name == _SCALER and type(model).__module__.startswith("sklearn."):
        arrays, metadata = scaler_parts(model)
    elif type(model) is _savable(name):
        arrays, metadata = model._to_parts()
    else:
        raise TypeError(f"only rosenblatt's own models can be saved ({_savable_names()}), not a {name}.")
    if hasattr(model, "feature_names_in_"):
        metadata["feature_names"] = model.feature_names_in_.tolist()
    return arrays, {"class": name, **metadata}


def _pipeline_parts(pipeline: "Pipeline") -> tuple[dict[str, Any], dict[str, Any]]:
    arrays: dict[str, Any] = {}
    steps = []
    for k, (called, step) in enumerate(pipeline.steps):
        last, name = k == len(pipeline.steps) - 1, type(step).__name__
        if not hasattr(step, "decision_function") if last else name not in (_SCALER, "FourierFeatures"):
            raise TypeError(
                f"the step {called!r} of the pipeline, {step!r}, cannot be saved: the last step must be a learner of "
                f"rosenblatt, and those before it StandardScaler or FourierFeatures."
            )
        more, described = _take_apart(step)
        arrays |= {f"{k}.{name}": array for name, array in more.items()}
        steps.append([str(called), described])
    return arrays, {"class": _PIPELINE, "steps": steps}


def _classes_named(metadata: dict[str, Any]) -> list[Any]:
    """The classes that a file asks for."""
    steps = metadata.get("steps", []) if metadata.get("class") == _PIPELINE else []
    inner = [one[1].get("class") for one in steps if isinstance(one, list) and isinstance(one[-1], dict)]
    return [metadata.get("class"), *inner]


def _put_together(arrays: dict[str, Any], metadata: dict[str, Any]) -> Any:
    """The model that `_take_apart` took apart."""
    if metadata["class"] != _PIPELINE:
        rebuild = scaler_back if metadata["class"] == _SCALER else _savable(metadata["class"])._from_parts
        model = rebuild(arrays, metadata)
        if "feature_names" in metadata:  # older files have them of learners only
            model.feature_names_in_ = np.array(metadata["feature_names"], dtype=object)
        return model
    from sklearn.pipeline import Pipeline

    steps = []
    for k, (called, described) in enumerate(metadata["steps"]):
        own = {name.partition(".")[2]: array for name, array in arrays.items() if name.partition(".")[0] == str(k)}
        if described["class"] == _PIPELINE:
            raise Damaged("a pipeline has a pipeline in it")
        steps.append((str(called), _put_together(own, described)))
    _refuse_steps_that_do_not_fit([step for _, step in steps])
    return Pipeline(steps)


def _refuse_steps_that_do_not_fit(steps: list[Any]) -> None:
    """Refuse a pipeline whose last step is no learner, or whose steps do not fit each other's number of columns."""
    *before, last = steps
    widths = [(step.n_features_in_, getattr(step, "_n_features_out", step.n_features_in_)) for step in before]
    wanted = [*(taken for taken, _ in widths[1:]), last.n_features_in_]
    if not hasattr(last, "decision_function") or any(not hasattr(step, "transform") for step in before):
        raise Damaged("a pipeline ends in a learner, and nothing else in it is one")
    if [given for _, given in widths] != wanted[: len(before)]:
        raise Damaged("the steps of a pipeline do not fit together")


def _savable(name: object) -> Any:
    """The class of this name that can be saved; None where there is none: a damaged file may ask for anything."""
    for room in map(import_module, _ROOMS):
        if name in dir(room) and hasattr(found := getattr(room, name), "_from_parts") and not isabstract(found):
            return found
    return None


def _savable_names() -> str:
    """The classes that can be saved."""
    return ", ".join(sorted({name for room in _ROOMS for name in dir(import_module(room)) if _savable(name)}))


def to_scalar(value: object) -> Any:
    """A number, text or Boolean as JSON knows it."""
    plain = value.item() if isinstance(value, np.generic) else value
    if plain is None or isinstance(plain, (bool, int, float, str)):
        return plain
    raise TypeError(f"cannot be saved: {value!r} is a {type(value).__name__}, not a number, text or Boolean.")


def from_scalar(value: object, dtype: str) -> Labels:
    """An array of labels or names back from JSON."""
    kind = np.dtype(dtype)
    if kind.kind not in "biufUSO" or kind.itemsize > _LONGEST_LABEL or not isinstance(value, list):
        raise Damaged(f"labels cannot be {dtype}")
    return np.array([to_scalar(one) for one in value], dtype=kind)
