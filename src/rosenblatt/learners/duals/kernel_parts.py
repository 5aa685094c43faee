"""A kernel perceptron taken apart into arrays and JSON, and put together again."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.learners.shared.parts import begin_parts, rebuild
from rosenblatt.models import Trace
from rosenblatt.models.storage import Damaged, numbers

__all__ = ["from_parts", "to_parts"]

_ARRAYS = ("support_", "dual_coef_", "mistakes_per_pass_")
_SPARSE = ("support.data", "support.indices", "support.indptr")
_TRACED = ("start", "rows", "steps", "pass_ends", "presentations")


def to_parts(model: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """(arrays, metadata) of a fitted kernel perceptron."""
    if callable(model.kernel):
        raise TypeError("cannot be saved: kernel is a function of your own, and a model file holds no program.")
    arrays, metadata = begin_parts(model, _ARRAYS)
    support = model.support_vectors_
    if sp.issparse(support):
        arrays |= dict(zip(_SPARSE, (support.data, support.indices, support.indptr.astype(np.int64)), strict=True))
    else:
        arrays |= {"support_vectors_": np.asarray(support)}
    traces = model.trace_ if isinstance(model.trace_, list) else [model.trace_]
    for k, trace in enumerate(traces if model.trace_ is not None else []):
        arrays |= {f"trace{k}.{name}": np.asarray(getattr(trace, name)) for name in _TRACED}
    return arrays, metadata | {"gamma": model.gamma_}


def from_parts(cls: Any, arrays: dict[str, Any], metadata: dict[str, Any]) -> Any:
    """The kernel perceptron that `to_parts` took apart."""
    model = rebuild(cls, _ARRAYS, arrays, metadata)
    model.gamma_ = float(metadata["gamma"])
    m, p = len(model.support_), model.n_features_in_
    numbers(model.support_, m, dtype="int64")
    numbers(model.dual_coef_, 1 if len(model.classes_) <= 2 else len(model.classes_), m)
    model.support_vectors_ = _sparse(arrays, m, p) if "support.data" in arrays else arrays["support_vectors_"]
    if not sp.issparse(model.support_vectors_):
        numbers(model.support_vectors_, m, p)
    traces = [_trace(arrays, f"trace{k}.") for k in range(len(model.dual_coef_)) if f"trace{k}.start" in arrays]
    model.trace_ = (traces if len(traces) > 1 else traces[0]) if traces else None
    return model


def _sparse(arrays: dict[str, Any], m: int, p: int) -> Any:
    """The support rows as CSR; refuses arrays that do not fit together: the compiled loops would believe them."""
    data, indices, indptr = (arrays[name] for name in _SPARSE)
    numbers(indptr, m + 1, dtype="int64")
    numbers(indices, len(data), dtype="int32")
    numbers(data, None)
    inside = not indices.size or (indices.min() >= 0 and indices.max() < p)
    if not inside or indptr[0] != 0 or indptr[-1] != len(data) or (np.diff(indptr) < 0).any():
        raise Damaged("sparse rows do not fit together")
    return sp.csr_matrix((data, indices, indptr), shape=(m, p))


def _trace(arrays: dict[str, Any], prefix: str) -> Trace:
    start, rows, steps, ends, times = (arrays[f"{prefix}{name}"] for name in _TRACED)
    n = len(numbers(start, None))
    if np.asarray(rows).size and np.max(rows) >= n:
        raise Damaged("a trace has rows that its data do not have")
    return Trace(start, rows, steps, ends, sp.eye_array(n, format="csr"), times)
