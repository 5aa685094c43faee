"""The perceptron in the space of a kernel's features: Φ(x) taken to its end."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from rosenblatt.arrays import Floats
from rosenblatt.data.numbers import Rows, as_rows
from rosenblatt.learners.duals.dual_run import DualExamples, DualRun, KernelBound, bound_run
from rosenblatt.learners.duals.gram import CallableKernel, GaussianKernel, Gram, Kernel, PolynomialKernel
from rosenblatt.learners.runs.clock import Settings
from rosenblatt.learners.runs.examples import Examples
from rosenblatt.learners.shared import checks
from rosenblatt.learners.shared.classifier import Beginning, Classifier
from rosenblatt.learners.shared.parameters import ClassWeight, Order, RandomState
from rosenblatt.learners.shared.parts import begin_parts, rebuild
from rosenblatt.models import RunState, Trace
from rosenblatt.models.storage import Damaged, numbers

__all__ = ["KernelPerceptron"]

# what a model file holds
_ARRAYS = ("support_", "dual_coef_", "mistakes_per_pass_")
_SPARSE = ("support.data", "support.indices", "support.indptr")
_TRACED = ("start", "rows", "steps", "pass_ends", "presentations")


@dataclass(repr=False, eq=False)
class KernelPerceptron(Classifier):
    """The perceptron on features φ(x) that are never written down: a kernel k(x, x') = φ(x)·φ(x') stands for them.

    The response to x is f(x) = Σ α_j k(x_j, x). If y·f(x) ≤ 0 for the example shown, that is a mistake, and is
    corrected: its α += y. The kernel has the bias in it, where there is one: (γ·x·x' + c)^degree with c ≠ 0 has a
    constant among its features. A fit stops after a pass without a mistake, and `outcome_` says how it ended, as in
    `Perceptron`: SEPARATED (every sign certified; of a sum of exponentials by ball arithmetic), CYCLING (Σ λ y φ(x) = 0
    in whole numbers: no function of this kernel separates) or BUDGET.

    If some f separates, there are at most (R/γ)² corrections, R² = max k(x, x) and γ = min y·f(x)/‖f‖:
    `mistake_bound` proves the number.

    Parameters
    ----------
    kernel : {"rbf", "poly"} or callable, default "rbf"
        exp(−γ·‖x − x'‖²); (γ·x·x' + c)^degree; or a function of two arrays of rows, n × p and m × p, that returns the
        n × m values. Its values are taken as they come; that they are inner products is believed.
    gamma : float or "scale", default "scale"
        γ; "scale" is 1/(p·variance of all values of X).
    degree : int, default 3
        Of "poly".
    coef0 : float, default 1.0
        c of "poly", 0 or more: with a negative one it is no kernel.
    average : bool, default True
        Answer with the mean of f over all presentations (Freund & Schapire 1999), which is steadier; else with the last
        f.
    budget : int, optional
        At most so many rows of a run have α ≠ 0; for another one, the row that is missed least is forgotten: without
        itself it would have the largest y·f (Crammer, Kandola & Singer 2003). Then the last f answers, as the mean
        would need the forgotten rows, and nothing is proved of how many corrections are made.
    order : {"cyclic", "shuffled", "random"}, default "shuffled"
        Rows in turn; in a new permutation each pass; drawn with replacement.
    max_passes : int, default 100
        Stop after so many sweeps (BUDGET).
    max_updates : int, optional
        Stop after so many corrections (BUDGET).
    patience : int, optional
        Stop when no pass has beaten the fewest mistakes for so many passes (BUDGET).
    class_weight : dict or "balanced", optional
        Factors for the steps of each class.
    random_state : int, RandomState or None, default 0
        Seeds `order`.
    trace : bool, default False
        Record every correction in `trace_`; its weights are the α of all rows.
    positive : label, optional
        As in `Perceptron`.

    Attributes
    ----------
    support_ : array of m row numbers
        The rows with α ≠ 0, of any class.
    support_vectors_ : array or CSR of shape (m, p)
        Those rows.
    dual_coef_ : array of shape (1, m); with K > 2 classes (K, m)
        Their α.
    gamma_ : float
        γ as it was used.
    classes_, outcome_, outcomes_, n_passes_, n_updates_, mistakes_per_pass_, trace_, witness_
        As in `Perceptron`.

    References
    ----------
    Freund & Schapire (1999), Large margin classification using the perceptron algorithm, Machine Learning 37. Aizerman,
    Braverman & Rozonoer (1964), Theoretical foundations of the potential function method. Crammer, Kandola & Singer
    (2003), Online classification on a budget.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = rb.datasets.xor()
    >>> model = rb.KernelPerceptron(kernel="poly", gamma=1.0, degree=2).fit(X, y)
    >>> model.outcome_.name, model.predict(X).tolist() == y.tolist()
    ('SEPARATED', True)
    >>> model.n_updates_, model.mistake_bound(X, y).bound
    (21, 105)
    """

    _constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [StrOptions({"rbf", "poly"}), callable],
        "gamma": [StrOptions({"scale"}), Interval(Real, 0, None, closed="neither")],
        "degree": [Interval(Integral, 1, None, closed="left")],
        "coef0": [Interval(Real, 0, None, closed="left")],
        "budget": [None, Interval(Integral, 1, 2**30, closed="both")],
    }

    _usual = False

    kernel: Literal["rbf", "poly"] | Callable[[Any, Any], float] = "rbf"
    gamma: float | Literal["scale"] = "scale"
    degree: int = 3
    coef0: float = 1.0
    average: bool = True
    budget: int | None = None
    order: Order = "shuffled"
    max_passes: int = 100
    max_updates: int | None = None
    patience: int | None = None
    class_weight: ClassWeight = None
    random_state: RandomState = 0
    trace: bool = False
    positive: Any = None

    def decision_function(self, X: Any) -> Floats:
        """f(x) for each row, computed as in training; with K > 2 classes one column each."""
        rows = checks.known_rows(self, X)
        support = as_rows(self.support_vectors_)
        scores = self._kernel().respond(_laid_out(rows, support.sparse), support, self.dual_coef_)
        return scores[0] if len(scores) == 1 else np.ascontiguousarray(scores.T)

    def mistake_bound(self, X: Any, y: Any, sample_weight: Any = None) -> KernelBound | list[KernelBound]:
        """How many corrections a fit on these rows can make, whatever their order; proved. With K > 2 a list.

        It is (R/γ)², R² = max k(x, x) and γ = min y·f(x)/‖f‖ for the best f that was found. If none separates: of the
        first pass alone, ((R + D)/γ)², D² = Σ max(0, γ − y·f(x)/‖f‖)². All in whole numbers for "poly", in balls that
        hold the true values for "rbf". `.bound` is None, and `.sentence` says why, where there is no proof. Row weights
        scale the steps: R and γ are those of the scaled φ(x).
        """
        check_is_fitted(self)
        rows, y = checks.training_data(self, X, y, reset=False)
        weights = checks.step_weights(self.class_weight, sample_weight, y, rows.n)
        rows.radius_sq(False, checks.column_name(self))
        gram = Gram(self._kernel(), _laid_out(rows, rows.sparse))
        found = [
            bound_run(gram, target, weights, own, self.budget is not None, self.average)
            for target, own in zip(self._targets(y), self._coefficients(gram), strict=True)
        ]
        return found[0] if len(found) == 1 else found

    # -------------------------------------------------------------------------------------------------------- helpers

    def _beginnings(self, examples: Sequence[Examples], states: Sequence[RunState | None]) -> list[Beginning]:
        seeds = check_random_state(self.random_state).randint(0, 2**63, size=len(examples), dtype=np.int64).tolist()
        self.gamma_ = self._scale(examples[0].rows)
        gram = Gram(self._kernel(), _laid_out(examples[0].rows, examples[0].rows.sparse), self.budget)
        return [
            Beginning(DualExamples.of(one, gram), np.zeros(gram.n), seed)
            for one, seed in zip(examples, seeds, strict=True)
        ]

    def _begin(self, at: Beginning) -> DualRun:
        from rosenblatt.kernels.dual import Dual

        endless = self.budget is None
        settings = Settings.of(self, seed=at.seed, average=self.average and endless, detect_cycles=endless)
        assert isinstance(at.examples, DualExamples)
        return DualRun(at.examples, Dual(self.budget or 0), settings, at.start)

    def _keep(self, runs: list[Any]) -> None:
        dual = np.vstack([run.weights for run in runs])
        self.support_ = np.flatnonzero(dual.any(axis=0))
        self.dual_coef_ = np.ascontiguousarray(dual[:, self.support_])
        self.support_vectors_ = runs[0].examples.gram.rows.subset(self.support_).matrix

    def _coefficients(self, gram: Gram) -> list[Floats | None]:
        """The α of each class for all of these rows; None where they are not the rows of the fit."""
        inside = not self.support_.size or self.support_[-1] < gram.n
        support = as_rows(self.support_vectors_).take(slice(None))
        if not inside or not np.array_equal(gram.rows.take(self.support_), support):
            return [None] * len(self.dual_coef_)
        dual = np.zeros((len(self.dual_coef_), gram.n))
        dual[:, self.support_] = self.dual_coef_
        return list(dual)

    def _kernel(self) -> Kernel:
        if callable(self.kernel):
            return CallableKernel(self.kernel)
        if self.kernel == "rbf":
            return GaussianKernel(self.gamma_)
        return PolynomialKernel(self.gamma_, float(self.coef0), int(self.degree))

    def _scale(self, rows: Rows) -> float:
        """γ as it is used."""
        if not isinstance(self.gamma, str):
            return float(self.gamma)
        X = rows.kernel.data if rows.sparse else rows.kernel.X
        largest = float(np.max(np.abs(X), initial=0.0))
        if largest == 0.0:
            return 1.0
        values, number = X / largest, rows.n * rows.p
        mean = float(np.sum(values)) / number
        part = float(np.sum((values - mean) ** 2) + (number - values.size) * mean**2) / number  # zeros may be left out
        with np.errstate(over="ignore", divide="ignore"):
            found = 1.0 / (rows.p * part) / largest / largest if part > 1e-24 else 1.0
        if not 0.0 < found < np.inf:
            raise ValueError(
                f'X has values of size {largest:.6g}, for which gamma="scale" leaves the range of float64: scale X, '
                f"for example with sklearn.preprocessing.StandardScaler."
            )
        return float(found)

    def _refuse_contradictions(self) -> None:
        if self.trace and self.budget is not None:
            raise ValueError("a trace has corrections alone, and a budget forgets rows too: choose one of them.")

    def _advice(self) -> str:
        if self.outcome_ == "CYCLING":
            return f"{self.outcome_.sentence} Another kernel may separate them: a higher degree, or kernel='rbf'."
        return f"{self.outcome_.sentence} More passes may help (max_passes), or a larger gamma."

    def _to_parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """(arrays, metadata) for the model's file."""
        if callable(self.kernel):
            raise TypeError("cannot be saved: kernel is a function of your own, and a model file holds no program.")
        arrays, metadata = begin_parts(self, _ARRAYS)
        support = self.support_vectors_
        if sp.issparse(support):
            arrays |= dict(zip(_SPARSE, (support.data, support.indices, support.indptr.astype(np.int64)), strict=True))
        else:
            arrays |= {"support_vectors_": np.asarray(support)}
        traces = self.trace_ if isinstance(self.trace_, list) else [self.trace_]
        for k, trace in enumerate(traces):
            if trace is not None:
                arrays |= {f"trace{k}.{name}": np.asarray(getattr(trace, name)) for name in _TRACED}
        return arrays, metadata | {"gamma": self.gamma_}

    @classmethod
    def _from_parts(cls, arrays: dict[str, Any], metadata: dict[str, Any]) -> Self:
        """The kernel perceptron that `_to_parts` took apart."""
        model: Self = rebuild(cls, _ARRAYS, arrays, metadata)
        model.gamma_ = float(metadata["gamma"])
        m, p = len(model.support_), model.n_features_in_
        numbers(model.support_, m, dtype="int64")
        numbers(model.dual_coef_, 1 if len(model.classes_) <= 2 else len(model.classes_), m)
        model.support_vectors_ = _read_sparse(arrays, m, p) if "support.data" in arrays else arrays["support_vectors_"]
        if not sp.issparse(model.support_vectors_):
            numbers(model.support_vectors_, m, p)
        each = range(len(model.dual_coef_))
        traces = [_read_trace(arrays, f"trace{k}.") if f"trace{k}.start" in arrays else None for k in each]
        model.trace_ = traces if len(traces) > 1 and traces[0] is not None else traces[0]
        return model


def _laid_out(rows: Rows, sparse: bool) -> Rows:
    """The same rows in float64, dense or sparse as is asked for: both sides of a kernel have one format."""
    X = rows.matrix
    if sparse:
        return as_rows(sp.csr_matrix(X).astype(np.float64))
    return as_rows(np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64))


def _read_sparse(arrays: dict[str, Any], m: int, p: int) -> Any:
    """The support rows as CSR; refuses arrays that do not fit together: the compiled loops would believe them."""
    data, indices, indptr = (arrays[name] for name in _SPARSE)
    numbers(indptr, m + 1, dtype="int64")
    numbers(indices, len(data), dtype="int32")
    numbers(data, None)
    inside = not indices.size or (indices.min() >= 0 and indices.max() < p)
    if not inside or indptr[0] != 0 or indptr[-1] != len(data) or (np.diff(indptr) < 0).any():
        raise Damaged("sparse rows do not fit together")
    return sp.csr_matrix((data, indices, indptr), shape=(m, p))


def _read_trace(arrays: dict[str, Any], prefix: str) -> Trace:
    start, rows, steps, ends, times = (arrays[f"{prefix}{name}"] for name in _TRACED)
    n = len(numbers(start, None))
    if np.asarray(rows).size and np.max(rows) >= n:
        raise Damaged("a trace has rows that its data do not have")
    return Trace(start, rows, steps, ends, sp.eye_array(n, format="csr"), times)
