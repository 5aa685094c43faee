"""`predict`: the answers of a fitted learner, shard by shard."""

from collections.abc import Iterator
from copy import copy
from typing import TYPE_CHECKING, Any, Literal, get_args

import dask.array as da
import numpy as np
from dask import delayed
from sklearn.utils.validation import check_is_fitted

from rosenblatt.blocks import DataWanted, Raw, fetched_by_workers, reach, recipes
from rosenblatt.data.tables import Table
from rosenblatt.models.answers import Answers, answered
from rosenblatt.models.saving import learner_of, steps_before, with_steps

if TYPE_CHECKING:
    from distributed import Client
    from rosenblatt.blocks import Site
    from rosenblatt.learners.shared.base import LinearClassifier
    from rosenblatt.models.saving import Model

__all__ = ["answers_on", "blocks", "predict"]

Method = Literal["predict", "decision_function", "predict_proba"]


def predict(estimator: Any, X: Any, client: "Client | Site | None" = None, method: Method = "predict") -> Any:
    """The class of each row as a Dask array in the shards of X; nothing is computed before it is asked for.

    Parameters
    ----------
    estimator : a fitted learner
        As fitted here or on one machine; the answers have the same bits either way.
    X : as in `fit`, without labels
        Of files and named columns, those that the learner knows are taken.
    client : distributed.Client, optional
        If given, the work begins there at once and the answers stay on the workers.
    method : {"predict", "decision_function", "predict_proba"}
        Classes, responses or probabilities.

    Examples
    --------
    >>> import rosenblatt as rb, dask.array as da
    >>> model = rb.Perceptron().fit([[0.0], [1.0]], ["no", "yes"])
    >>> predict(model, da.from_array(np.array([[0.0], [1.0], [2.0]]), chunks=(2, -1))).compute()
    array(['no', 'yes', 'yes'], dtype='<U3')
    """
    check_is_fitted(estimator)
    if method not in get_args(Method):
        raise ValueError(f"method is {method!r}; it must be 'predict', 'decision_function' or 'predict_proba'.")
    if not hasattr(estimator, method):
        raise ValueError(f"{type(estimator).__name__} has no {method}: Logistic has one.")
    names = getattr(estimator, "feature_names_in_", None)
    columns = None if names is None else names.tolist()
    encoding = getattr(learner_of(estimator), "encoding_", None)
    X = fetched_by_workers(X)
    shards = recipes(X, DataWanted(columns=columns) if encoding is None else DataWanted().encoded(encoding))
    wide = _width(learner_of(estimator), method)
    dtype = estimator.classes_.dtype if method == "predict" else np.dtype(np.float64)
    lengths = X.chunks[0] if isinstance(X, da.Array) else (np.nan,) * len(shards)
    model = delayed(_light(estimator))
    blocks = []
    for raw, n in zip(shards, lengths, strict=True):
        shape = (n, wide) if wide else (n,)
        blocks.append(da.from_delayed(delayed(_answer)(raw, model, columns, method), shape, dtype=dtype))
    found = da.concatenate(blocks, allow_unknown_chunksizes=True)
    return found if client is None else reach(client).keep(found)


def answers_on(
    model: "Model", loaded: Table, shards: list[Any], client: "Client | Site | None", proba: bool = False
) -> Iterator[Answers]:
    """Scores and labels of all rows of a table that is in shards, shard after shard; with `proba` probabilities too."""
    done = 0
    for scores in blocks(model, shards, client, "decision_function"):
        rows = np.asarray(loaded.row_numbers[done : done + len(scores)], dtype=np.int64)
        yield answered(model, rows, scores, proba=proba)
        done += len(scores)


def blocks(estimator: "Model", X: object, client: "Client | Site | None", method: Method = "predict") -> Iterator[Any]:
    """The same answers here, shard after shard, while the workers go on."""
    place = reach(client)
    found = predict(estimator, X, place, method)
    for k in range(found.numblocks[0]):
        yield place.bring(place.make([found.blocks[k]]), "predicting", one="task")[0]


def _width(learner: "LinearClassifier", method: str) -> int:
    """How many numbers an answer has; 0 where it is one and no list."""
    if method == "predict_proba":
        return len(learner.classes_)
    return len(learner.coef_) if method == "decision_function" and len(learner.coef_) > 1 else 0


def _light(estimator: "Model") -> Any:
    """The learner without what it needs only to go on learning, and without names: they are compared here."""
    model = copy(learner_of(estimator))
    for name in ("_states", "_stream", "trace_", "feature_names_in_", "encoding_", "mistakes_per_shard_"):
        model.__dict__.pop(name, None)
    return with_steps(steps_before(estimator), model)


def _answer(raw: Raw, model: "Model", columns: list[str] | None, method: str) -> Any:
    if columns is not None and raw.names is not None and raw.names != columns:
        raise ValueError(f"{raw.where} has other columns than the learner was fitted on.")
    if not raw.rows.n:
        wide = _width(learner_of(model), method)
        return np.empty((0, wide) if wide else 0)
    return getattr(model, method)(raw.rows.matrix)
