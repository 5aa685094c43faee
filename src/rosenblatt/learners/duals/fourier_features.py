"""Random Fourier features: a Φ(x) that makes a hyperplane as flexible as a Gaussian kernel."""

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from rosenblatt.arrays import Floats, Matrix
from rosenblatt.data.numbers import as_rows
from rosenblatt.learners.shared import checks
from rosenblatt.learners.shared.parameters import RandomState
from rosenblatt.models.storage import Damaged, numbers

__all__ = ["FourierFeatures"]

_SAMPLE = 500  # rows whose distances the median is taken of


class FourierFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Φ(x) = √(2/N)·cos(Ωx + φ), so that Φ(x)·Φ(x') is close to the Gaussian kernel exp(−‖x − x'‖²/(2σ²)).

    The N rows of Ω are drawn from a normal distribution with standard deviation 1/σ, the N phases φ uniformly from
    0 … 2π. The error of the kernel falls like 1/√N.

    Parameters
    ----------
    n_components : int, default 256
        N, the number of features.
    width : float or "median", default "median"
        σ. "median": the median distance between two training rows (of 500 drawn ones, where there are more). Distances
        depend on units: scale the columns first.
    random_state : int, RandomState or None, default 0
        Draws Ω, φ and the 500 rows.

    Attributes
    ----------
    width_ : float
        σ.
    frequencies_ : array (N, p)
        Ω.
    phases_ : array of N numbers
        φ.

    References
    ----------
    Rahimi and Recht (2007), Random features for large-scale kernel machines.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> from sklearn.pipeline import make_pipeline
    >>> X, y = rb.datasets.xor()
    >>> model = make_pipeline(rb.FourierFeatures(50), rb.Perceptron()).fit(X, y)
    >>> (model.predict(X) == y).all()
    np.True_
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "width": [Interval(Real, 0, None, closed="neither"), StrOptions({"median"})],
        "random_state": ["random_state"],
    }

    def __init__(self, n_components: int = 256, width: float | str = "median", random_state: RandomState = 0) -> None:
        self.n_components = n_components
        self.width = width
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: object = None) -> Self:
        """Draw the features, for the width of these rows."""
        checks.refuse_strange_columns(X)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, ensure_all_finite=False)
        as_rows(X).radius_sq(False, checks.column_name(self))  # refuses NaN and inf
        random = check_random_state(self.random_state)
        self.width_ = float(self.width) if self.width != "median" else _median_distance(X, random)
        self.frequencies_ = random.normal(size=(self.n_components, X.shape[1])) / self.width_
        self.phases_ = random.uniform(0.0, 2.0 * np.pi, size=self.n_components)
        return self

    def transform(self, X: Any) -> Floats:
        """Φ of each row; a row has the same bits however many rows come with it."""
        rows = checks.known_rows(self, X)
        out = np.empty((rows.n, len(self.phases_)))
        for k, w in enumerate(np.column_stack([self.frequencies_, self.phases_])):
            out[:, k] = rows.respond(w)
        return np.asarray(np.cos(out, out=out) * np.sqrt(2.0 / len(self.phases_)))

    @property
    def _n_features_out(self) -> int:
        """For scikit-learn's names of the features."""
        return len(self.phases_)

    def _to_parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """(arrays, metadata) for the model's file."""
        check_is_fitted(self)
        return {"frequencies": self.frequencies_, "phases": self.phases_}, {"width": self.width_}

    @classmethod
    def _from_parts(cls, arrays: dict[str, Any], metadata: dict[str, Any]) -> Self:
        """The features that `_to_parts` took apart; their width is a number now."""
        phases = numbers(arrays["phases"], None)
        frequencies = numbers(arrays["frequencies"], len(phases), None)
        width = metadata["width"]
        if type(width) is not float or not width > 0 or not np.isfinite(frequencies).all() or not len(phases):
            raise Damaged("random Fourier features need a width above 0 and finite frequencies")
        made = cls(len(phases), width)
        made.width_, made.frequencies_, made.phases_ = width, frequencies, phases
        made.n_features_in_ = frequencies.shape[1]
        return made

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that X may be sparse."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _median_distance(X: Matrix, random: np.random.RandomState) -> float:
    """The median distance of all pairs of up to 500 rows; 1 where most rows are equal."""
    from scipy.spatial.distance import pdist

    n = X.shape[0]
    chosen = np.arange(n) if n <= _SAMPLE else np.sort(random.choice(n, _SAMPLE, replace=False))
    distances = pdist(as_rows(X).take(chosen))
    middle = float(np.median(distances)) if distances.size else 0.0
    return middle if middle > 0 and np.isfinite(middle) else 1.0
