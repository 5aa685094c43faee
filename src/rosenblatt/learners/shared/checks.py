"""Bad input gets one sentence that names the row, the column or the parameter; good input becomes canonical rows."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from sklearn.utils import column_or_1d, compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from rosenblatt.arrays import Floats, Labels
from rosenblatt.data.numbers import (
    Rows,
    as_rows,
    positive_last,
    refuse_lazy,
    refuse_long_integers,
    refuse_missing_labels,
    refuse_text,
)
from rosenblatt.learners.shared.foundation import Estimator
from rosenblatt.learners.shared.parameters import ClassWeight

if TYPE_CHECKING:
    from rosenblatt.learners.shared.classifier import Classifier

__all__ = [
    "classes_of",
    "column_name",
    "known_classes",
    "known_rows",
    "refuse_strange_columns",
    "step_weights",
    "training_data",
]

_LAYOUT: dict[str, Any] = {
    "accept_sparse": "csr",
    "dtype": [np.float64, np.float32],
    "order": "C",
    "ensure_all_finite": False,  # `Rows.radius_sq` looks for NaN and inf, and names their row and column
    "accept_large_sparse": True,
}


_SMALL = 1 << 20  # values
_TIMES = ("date", "timedelta", "duration", "period", "time")  # how pandas and polars begin the names of such types


def refuse_strange_columns(X: object) -> None:
    """Refuse an X that is not a table of numbers, and name what is not a number."""
    refuse_lazy(X)
    if isinstance(X, np.ma.MaskedArray) and (masked := np.argwhere(np.ma.getmaskarray(X))).size:
        at = ", column ".join(map(str, masked[0]))
        raise ValueError(f"X is masked in row {at}: drop such rows, or fill in the values (X.filled(…)).")
    if hasattr(X, "columns") and hasattr(X, "dtypes") and not issparse(X):
        _refuse_kinds(X)
    refuse_text(X)
    refuse_long_integers(X)


def _refuse_kinds(X: Any) -> None:
    """Refuse columns of a pandas or polars frame by their type: categories are names, and dates are not amounts."""
    if not len(X.columns):
        raise ValueError("X has no columns (0 feature(s)): there is nothing to learn from.")
    for name, kind in zip(X.columns, list(X.dtypes), strict=False):
        times = str(kind).lower().startswith(_TIMES)
        if times or (str(kind) == "object" and any(isinstance(value, date | timedelta) for value in X[name])):
            raise ValueError(
                f"X has dates or times in the column {name!r}: make them numbers first, such as days since a date; "
                f'rb.data.open_table(frame=…, target=…, dates={{{str(name)!r}: "days"}}) does that.'
            )
        if str(kind).lower().startswith(("categor", "enum")):
            levels = [str(level) for level in dict.fromkeys(X[name]) if level is not None]
            shown = ", ".join(levels[:3]) + (", …" if len(levels) > 3 else "")
            raise ValueError(
                f"X has the categorical column {name!r} ({shown}), whose levels are names and not amounts: give each "
                f"level a column, with rb.data.open_table(frame=…, target=…) or sklearn's OneHotEncoder; if they are "
                f"amounts, make them numbers (astype(float), or polars' cast)."
            )


def training_data(estimator: Estimator, X: Any, y: Any, reset: bool) -> tuple[Rows, Labels]:
    """Canonical rows and labels of a training set."""
    if reset and _plain(X, y):
        estimator.n_features_in_ = X.shape[1]
        estimator.__dict__.pop("feature_names_in_", None)  # of an earlier fit
        return as_rows(X), y
    refuse_strange_columns(X)
    refuse_missing_labels(y)
    X, y = validate_data(estimator, X, y, reset=reset, **_LAYOUT)
    if y.dtype == object and {type(label) for label in y.ravel()} in ({bool}, {int}):
        y = np.array(y.tolist())  # a pandas column that once had gaps keeps its booleans as objects
    check_classification_targets(y)
    return as_rows(X), column_or_1d(y, warn=True)


def _plain(X: object, y: object) -> bool:
    """Whether scikit-learn's checks would find nothing in these arrays; on small ones they take longer than a fit."""
    if type(X) is not np.ndarray or type(y) is not np.ndarray or y.shape != X.shape[:1] or X.size > _SMALL:
        return False
    if X.ndim != 2 or not X.size or X.dtype not in _LAYOUT["dtype"] or not X.flags.c_contiguous:
        return False
    return y.dtype.kind in "biuU" or (y.dtype == object and {*map(type, y.tolist())} == {str})


def _distinct(y: Labels) -> Labels:
    """The different labels in order, as `np.unique` gives them; of texts that are objects in less time."""
    if y.dtype == object and {*map(type, values := y.tolist())} == {str}:
        return np.array(sorted({*values}), dtype=object)
    found: Labels = np.unique(y)
    return found


def known_rows(estimator: Estimator, X: object) -> Rows:
    """Canonical rows, all finite, for a fitted estimator to answer."""
    check_is_fitted(estimator)
    refuse_strange_columns(X)
    rows = as_rows(validate_data(estimator, X, reset=False, **_LAYOUT))
    rows.radius_sq(False, column_name(estimator))  # refuses NaN and inf
    return rows


def column_name(estimator: Estimator) -> Callable[[int], str]:
    """The function that says what column j is called in a sentence."""
    names = getattr(estimator, "feature_names_in_", None)
    return lambda j: str(j) if names is None else f"{j} ({names[j]!r})"


def classes_of(y: Labels, one_will_do: bool = False, positive: object = None) -> Labels:
    """The labels as `positive_last` orders them. One class alone is refused, unless its rows may be y·x already."""
    classes: Labels = positive_last(_distinct(y), positive)
    if len(classes) < 2 and not one_will_do:
        raise ValueError(
            f"y has one class only, {classes.tolist()[0]!r}: a bias alone separates it, and there is nothing to tell "
            f"apart; rows that are y·x already, all of one class, need fit_intercept=False."
        )
    return classes


def known_classes(estimator: "Classifier", classes: npt.ArrayLike | None, y: Labels, grows: bool) -> Labels:
    """The labels of a stream: those given on the first call; or, if the stream grows, all that have come so far."""
    known = getattr(estimator, "classes_", None)
    if grows:
        return np.unique(y) if known is None else np.union1d(known, y)
    if known is None and classes is None:
        raise ValueError(
            "the first call of partial_fit needs `classes`, all labels that will ever come, or classes='grow' if "
            "nobody knows them."
        )
    if known is None:
        known = classes_of(np.asarray(classes), positive=estimator.positive)
    elif classes is not None and not np.array_equal(np.sort(known), np.unique(classes)):
        raise ValueError(f"`classes` is {np.unique(classes).tolist()}, but earlier calls had {known.tolist()}.")
    strange = np.setdiff1d(y, known)
    if len(strange):
        raise ValueError(
            f"y has the label {strange.tolist()[0]!r}, which is not among the classes {known.tolist()}; a stream that "
            f"begins with classes='grow' takes new ones."
        )
    return np.asarray(known)


def step_weights(class_weight: ClassWeight, sample_weight: npt.ArrayLike | None, y: Labels, n: int) -> Floats:
    """Row weights times class weights; empty when all are one."""
    if sample_weight is None and class_weight is None:
        return np.empty(0)
    weights = np.ones(n)
    if sample_weight is not None:
        weights = _check_sample_weight(sample_weight, y, dtype=np.float64, ensure_non_negative=True, copy=True)
    if class_weight is not None:
        classes = np.unique(y)
        factors = compute_class_weight(class_weight, classes=classes, y=y)
        if (factors < 0).any():
            raise ValueError("class_weight has a negative weight; a step against the correction unlearns.")
        weights = weights * factors[np.searchsorted(classes, y)]
    if not weights.any():  # newer versions of scikit-learn refuse such a sample_weight themselves
        raise ValueError("class_weight and sample_weight leave no example of positive weight.")
    return np.asarray(weights, dtype=np.float64)
