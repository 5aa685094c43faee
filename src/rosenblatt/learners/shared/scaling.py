"""Learn from scaled columns, then give the weights back for the columns as they are; advice on when to scale.

How many corrections a perceptron makes depends on the sizes of the columns. Whether a hyperplane separates does not.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.arrays import Flags, Floats, Matrix, Signs
from rosenblatt.data.numbers import Rows, as_rows
from rosenblatt.data.wording import count
from rosenblatt.exact import vanishes
from rosenblatt.learners.runs.ending import AsRead
from rosenblatt.learners.runs.examples import Examples
from rosenblatt.minimise import column_ranges
from rosenblatt.models import Outcome, Witness

if TYPE_CHECKING:
    from rosenblatt.learners.shared.base import LinearClassifier

__all__ = ["Scaling", "advise_scaling"]

_APART = 100  # a column this many times the size of another makes the advice worth giving


@dataclass(frozen=True)
class Scaling:
    """x ↦ (x − shift)/size, column by column.

    Examples
    --------
    >>> scaling = Scaling.of(np.array([[1.0, 7.0], [5.0, 7.0]]))
    >>> scaling.shift, scaling.size  # a constant column is left alone
    (array([3., 0.]), array([2., 1.]))
    """

    shift: Floats
    size: Floats

    @classmethod
    def of(cls, X: Matrix, present: Flags | None = None, centre: bool = True) -> "Scaling":
        """Means and standard deviations over the rows that are present.

        Sparse rows, and those of a model without an intercept (`centre=False`), are divided but not centred.
        """
        from sklearn.preprocessing import StandardScaler

        centre = centre and not sp.issparse(X)
        weights = None if present is None else present.astype(np.float64)
        known = StandardScaler(with_mean=not sp.issparse(X)).fit(X, sample_weight=weights)
        # the scaler does not divide columns that are constant, up to rounding: do not centre them either
        varies = (known.scale_ != 1.0) | np.isclose(known.var_, 1.0)
        shift = np.where(varies, known.mean_, 0.0) if centre else np.zeros(X.shape[1])
        return cls(shift.astype(np.float64), known.scale_.astype(np.float64))

    def apply(self, X: Any) -> Any:
        """The scaled rows, a copy."""
        if sp.issparse(X):
            return sp.csr_matrix(X.multiply(1.0 / self.size[None, :]), dtype=X.dtype)
        return np.asarray((X - self.shift) / self.size, dtype=X.dtype)

    def give_back(
        self, model: "LinearClassifier", X: "Matrix | Rows", scaled: Matrix, signs: Signs, sample_weight: Floats | None
    ) -> None:
        """Turn a two-class model learned from the `scaled` rows into one for the rows X themselves (arrays, or `Rows`).

        The weights are rounded on the way: what was proved of the scaled rows is proved again for these, or not said.
        """
        rows = as_rows(X)
        weights = np.empty(0) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        examples = Examples(rows, signs, weights, model.fit_intercept, rows.radius_sq(model.fit_intercept))
        before = as_rows(scaled).respond(_model_weights(model))
        model._running = self._for_columns(model._running)
        model._set_weights(self._for_columns(_model_weights(model)[None, :]))
        model._states = []  # of a run on other rows
        after = rows.respond(_model_weights(model))
        present = weights > 0 if weights.size else slice(None)
        moved = int(np.count_nonzero((np.sign(before) != np.sign(after))[present]))
        outcome = self._judged(model, examples, moved)
        model.outcome_ = AsRead(rows).said(outcome, examples, _model_weights(model), model.witness_)
        model.witness_ = model.witness_ if model.outcome_ == "CYCLING" else None

    def _for_columns(self, weights: Floats) -> Floats:
        """Weights that say of x what these say of the scaled x; the bias, if there is one, is the last."""
        p = self.size.size
        given = weights.copy()
        given[:, :p] /= self.size
        if weights.shape[1] > p:
            given[:, p] -= given[:, :p] @ self.shift
        return given

    def _judged(self, model: "LinearClassifier", examples: Examples, moved: int) -> Outcome:
        """The outcome, as far as it holds for these examples; rounding moved so many of them to another side."""
        outcome: Outcome = model.outcome_
        made = count(model.n_updates_, "correction")
        if outcome in ("SEPARATED", "TIED") and examples.judge(_model_weights(model), (True, True)).clean:
            whole = f"all {examples.present} examples are on their side after {made}."
            return outcome if outcome == "SEPARATED" else Outcome("SEPARATED", whole)
        if isinstance(model.witness_, Witness):  # CYCLING
            X, y = examples.take(model.witness_.rows)
            if vanishes(model.witness_.multipliers, X * y[:, None], y if examples.bias else None) and not moved:
                return outcome
        elif outcome not in ("SEPARATED", "TIED") and not moved:
            return outcome
        wrong = examples.count_mistakes(_model_weights(model), (True, False))
        return Outcome(
            "BUDGET",
            f"{wrong} of {examples.present} examples are still classified wrongly after {made}: the run on scaled "
            f"columns ended {outcome}, but rounding keeps that from being proved of the columns as they are.",
        )


def _model_weights(model: "LinearClassifier") -> Floats:
    """w, the bias last if there is one."""
    return np.append(model.coef_[0], model.intercept_) if model.fit_intercept else model.coef_[0].copy()


# ------------------------------------------------------------------------------------------------------------- advice


def advise_scaling(rows: Rows, name: Callable[[int], str], how: str, bias: bool = False) -> str:
    """Advice to scale, where columns differ much in size from each other or from the bias's input, which is 1; or "".

    >>> advise_scaling(as_rows([[0.0, 500.0], [2.0, -1000.0]]), str, "StandardScaler")
    'Column 1 reaches 1000 and column 0 only 2: scale the columns (StandardScaler).'
    >>> advise_scaling(as_rows([[20000.0], [50000.0]]), str, "StandardScaler", bias=True)
    'Column 0 reaches 50000 and the input of the intercept is 1: scale the columns (StandardScaler).'
    """
    low, high = column_ranges(rows)
    size = np.where(low < high, np.maximum(-low, high), 0.0)
    varying = np.flatnonzero(size)
    if not varying.size:
        return ""
    least, most = int(varying[np.argmin(size[varying])]), int(np.argmax(size))
    end = f"scale the columns ({how})."
    if size[most] / _APART > size[least]:
        small = f"column {name(least)} only {size[least]:.6g}"
        return f"Column {name(most)} reaches {size[most]:.6g} and {small}: {end}"
    if bias and not 1 / _APART <= size[most] <= _APART:
        only = "only " if size[most] < 1 else ""
        return f"Column {name(most)} reaches {only}{size[most]:.6g} and the input of the intercept is 1: {end}"
    return ""
