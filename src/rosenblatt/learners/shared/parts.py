"""A learner taken apart into arrays and JSON, and put together again."""

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.models import Hyperplane, JointTrace, Outcome, RunState, Trace, read_witness
from rosenblatt.models.saving import from_scalar, to_scalar
from rosenblatt.models.storage import Damaged, numbers

if TYPE_CHECKING:
    from rosenblatt.learners.shared.base import LinearClassifier
    from rosenblatt.learners.shared.classifier import Classifier

__all__ = ["begin_parts", "from_parts", "read_trace", "rebuild", "to_parts"]

_NUMBERS = ("n_features_in_", "n_passes_", "n_updates_")
_ARRAYS = ("coef_", "intercept_", "mistakes_per_pass_", "_running")


def begin_parts(model: "Classifier", names: tuple[str, ...]) -> tuple[dict[str, Any], dict[str, Any]]:
    """(arrays, metadata) that every fitted learner has: parameters, the attributes `names`, how its runs ended."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model)
    kept = {name: getattr(model, name) for name in names if hasattr(model, name)}
    arrays = {name: np.asarray(kept[name].toarray() if sp.issparse(kept[name]) else kept[name]) for name in kept}
    metadata: dict[str, Any] = {name: to_scalar(getattr(model, name)) for name in _NUMBERS}
    metadata["parameters"] = {n: _parameter(n, v, arrays) for n, v in model.get_params(deep=False).items()}
    metadata["classes"] = [[to_scalar(v) for v in model.classes_.tolist()], model.classes_.dtype.str]
    metadata["outcome"] = _outcome(model.outcome_, "outcome", arrays)
    metadata["outcomes"] = [_outcome(o, f"outcome{k}", arrays) for k, o in enumerate(getattr(model, "outcomes_", []))]
    witnesses = model.witness_ if isinstance(model.witness_, list) else [model.witness_]
    metadata["witnesses"] = [w and w.to_json() for w in witnesses]
    return arrays, metadata


def to_parts(model: "LinearClassifier") -> tuple[dict[str, Any], dict[str, Any]]:
    """(arrays, metadata) of a learner of hyperplanes, and of its runs or its stream, so that they can go on."""
    arrays, metadata = begin_parts(model, _ARRAYS)
    metadata["runs"] = []
    for k, state in enumerate(model._states):
        more, description = state.to_parts(f"run{k}.")
        arrays |= more
        metadata["runs"].append(description)
    if model.__dict__.get("_stream") is not None:
        more, metadata["stream"] = model._stream.to_parts("stream.")
        arrays |= more
    return arrays, metadata


def rebuild(cls: "type[Classifier]", names: tuple[str, ...], arrays: dict[str, Any], metadata: dict[str, Any]) -> Any:
    """The learner that `begin_parts` took apart."""
    model = cls(**{n: _parameter_back(v, arrays) for n, v in metadata["parameters"].items()})
    for name in _NUMBERS:
        setattr(model, name, metadata[name])
    model._validate_params()
    for name in names:
        if name in arrays:
            setattr(model, name, arrays[name])
    model.classes_ = from_scalar(*metadata["classes"])
    model.outcome_ = _outcome_back(metadata["outcome"], "outcome", arrays)
    if metadata["outcomes"]:
        model.outcomes_ = [_outcome_back(one, f"outcome{k}", arrays) for k, one in enumerate(metadata["outcomes"])]
    witnesses: list[Any] = [w and read_witness(w) for w in metadata["witnesses"]]
    model.witness_ = witnesses if len(witnesses) > 1 else witnesses[0]
    return model


def from_parts(cls: "type[LinearClassifier]", arrays: dict[str, Any], metadata: dict[str, Any]) -> Any:
    """The learner that `to_parts` took apart."""
    model = rebuild(cls, _ARRAYS, arrays, metadata)
    _refuse_shapes(model)
    model._states = [RunState.from_parts(arrays, run, f"run{k}.") for k, run in enumerate(metadata["runs"])]
    traces = [read_trace(state, model._together) for state in model._states] if getattr(model, "trace", False) else []
    model.trace_ = (traces if len(traces) > 1 else traces[0]) if traces else None
    model._stream = None
    if "stream" in metadata:
        from rosenblatt.learners.runs.stream import OnlineState

        model._stream = OnlineState.from_parts(arrays, metadata["stream"], "stream.")
        together, d = model._together, model.n_features_in_ + model.fit_intercept
        runs = len(model.classes_) + 1 if model._stream.grows else len(model.coef_) // together
        numbers(model._stream.weights, runs, together * d)
        if getattr(model._stream.rule, "classes", 1) != together:  # the compiled loop would believe it
            raise Damaged("a stream learns another number of classes than its model")
        model._stream.take_parameters(model)
        model._stream.attach(model)
    return model


def _refuse_shapes(model: "LinearClassifier") -> None:
    """Refuse weights of another shape than one row for each run and one column for each feature."""
    runs = 1 if len(model.classes_) <= 2 else len(model.classes_)
    numbers(model.coef_, runs, model.n_features_in_)
    numbers(model.intercept_, runs)
    if hasattr(model, "_running"):  # not after a stream
        numbers(model._running, runs, model.n_features_in_ + model.fit_intercept)


def read_trace(state: RunState, together: int) -> Trace | None:
    """The trace of a run; None where not all corrections were recorded, or several shards made them side by side."""
    ends = np.cumsum(np.array(state.mistakes_per_pass, dtype=np.int64))
    if ends.size and ends[-1] != len(state.traced_rows):
        return None
    times = state.traced_times if len(state.traced_times) == len(state.traced_rows) else None
    made = (state.traced_rows, state.traced_steps, ends)
    more: dict[str, Any] = {"presentations": times, "units": state.units}
    if together == 1:
        return Trace(state.start, *made, **more)
    return JointTrace(state.start.reshape(together, -1), *made, state.books["classes"], **more)


def _outcome(outcome: Outcome, name: str, arrays: dict[str, Any]) -> list[str]:
    if outcome.hyperplane is not None:
        arrays[f"{name}.hyperplane"] = np.append(outcome.hyperplane.w, outcome.hyperplane.b)
    return [str(outcome), outcome.sentence]


def _outcome_back(words: list[str], name: str, arrays: dict[str, Any]) -> Outcome:
    plane = arrays.get(f"{name}.hyperplane")
    return Outcome(words[0], words[1], None if plane is None else Hyperplane(plane[:-1], plane[-1]))


def _parameter(name: str, value: Any, arrays: dict[str, Any]) -> Any:
    """A parameter for the file: what JSON can hold as it is; arrays, dicts and generators as [kind, content]."""
    if isinstance(value, np.random.RandomState):
        _, keys, *rest = value.get_state(legacy=True)
        arrays[f"parameter.{name}"] = keys
        return ["generator", f"parameter.{name}", rest]
    if isinstance(value, dict):
        return ["dict", [[to_scalar(k), to_scalar(v)] for k, v in value.items()]]
    if np.ndim(value):
        arrays[f"parameter.{name}"] = np.asarray(value, dtype=np.float64)
        return ["array", f"parameter.{name}"]
    return to_scalar(value)


def _parameter_back(value: object, arrays: dict[str, Any]) -> Any:
    if not isinstance(value, list):
        return value
    if value[0] == "dict":
        return {k: v for k, v in value[1]}  # noqa: C416 (keys may be numbers: JSON objects would not do)
    if value[0] == "array":
        return arrays[value[1]]
    random = np.random.RandomState()
    random.set_state(("MT19937", arrays[value[1]], *value[2]))
    return random
