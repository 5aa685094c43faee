"""The steps before a learner in a pipeline (scaled columns, features), taken apart for a file and put together again.

A model here is a learner, or a scikit-learn pipeline of known steps that ends in a learner.
"""

from typing import Any

import numpy as np

from rosenblatt.models.storage import Damaged, numbers

__all__ = ["is_pipeline", "learner_of", "scaler_back", "scaler_parts", "steps_before", "with_steps"]


def is_pipeline(model: Any) -> bool:
    """Whether it is a scikit-learn pipeline."""
    from sklearn.pipeline import Pipeline

    return type(model) is Pipeline


def learner_of(model: Any) -> Any:
    """The learner of a model: it has the outcome, the classes, and how its table was read."""
    return model.steps[-1][1] if is_pipeline(model) else model


def steps_before(model: Any) -> list[Any]:
    """The steps that the rows go through before the learner sees them."""
    return [step for _, step in model.steps[:-1] if step not in (None, "passthrough")] if is_pipeline(model) else []


def with_steps(before: list[Any], learner: Any) -> Any:
    """The learner, or the pipeline of the steps and the learner where there are steps."""
    from sklearn.pipeline import make_pipeline

    return make_pipeline(*before, learner) if before else learner


def scaler_parts(scaler: Any) -> tuple[dict[str, Any], dict[str, Any]]:
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
