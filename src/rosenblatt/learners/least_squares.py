"""Least squares in one step: Gauss-Newton on a linear neuron."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, qr
from scipy.sparse.linalg import LinearOperator, lsmr

from rosenblatt.arrays import Flags, Floats
from rosenblatt.data.numbers import pieces
from rosenblatt.learners.runs.ending import describe_end, listed
from rosenblatt.learners.runs.examples import Examples
from rosenblatt.learners.runs.goals import SquaredGoal
from rosenblatt.learners.runs.run import Run
from rosenblatt.learners.runs.steps import BatchRun
from rosenblatt.learners.shared.base import Beginning, LinearClassifier
from rosenblatt.learners.shared.parameters import ClassWeight, RandomState, Start
from rosenblatt.minimise import Columns, SquaredLoss, block, reduced
from rosenblatt.models import Outcome

__all__ = ["LeastSquares"]

_PIECE_VALUES = 1 << 20  # factorised at a time
_MANY = 1e6  # rows·columns²: from here the curvature is factorised, where it can be
_ALIKE = 1e-6  # a pivot's share of its diagonal entry up to which columns count as much alike
_LARGEST_DENSE, _LARGEST_SPARSE = 4000, 500  # columns up to which Z is factorised, dense


@dataclass(repr=False, eq=False)
class LeastSquares(LinearClassifier):
    """Minimise ½Σ(y − s)² on the labels −1/+1 by Gauss-Newton steps w += (ZᵀZ + δI)⁻¹ Zᵀ(y − Zw), z = (x, 1).

    I has a 0 in the place of the bias, which is not penalised; `penalize_bias=True` is the lecture's formula.

    With δ = 0 one step from any start gives the least-squares solution. Where columns depend on each other there are
    many solutions; then it is the one nearest to the start, for columns divided by their lengths. With δ > 0 one step
    from zero is ridge regression, and repeated steps tend to least squares.

    Parameters
    ----------
    regularizer : float, default 0.0
        δ.
    max_passes : int, default 1
        Gauss-Newton steps.
    start : {"zeros", "random"} or array, default "zeros"
        w(0), the bias last.
    fit_intercept, class_weight, random_state, warm_start, positive
        As in `Perceptron`.
    penalize_bias : bool, default False
        Whether δ holds the bias like a weight, as in the lecture; then answers depend on where a column's zero is.
    tol : float, default 1e-9
        CONVERGED: the loss is proved to be within tol·(the loss of w = 0) of its minimum.

    Attributes
    ----------
    coef_, intercept_, classes_, outcome_, n_passes_, n_updates_, mistakes_per_pass_
        As in `Perceptron`. `outcome_` is SEPARATED where every sign is certified; otherwise CONVERGED where the loss is
        proved to be near its minimum; otherwise BUDGET. With δ > 0, one step from zero is judged by the loss of ridge
        regression; any other run by that of least squares, and the sentence says how far away its minimum is.

    Notes
    -----
    The columns are divided by their lengths, so units do not matter. They are factorised once for all classes, block by
    block of rows, in constant memory. Where there are many rows and no columns are much alike, ZᵀZ + δI is factorised,
    which the proof needs anyway, and one correction makes up for it; with very many columns LSMR solves the system.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> model = rb.LeastSquares().fit(X, y)
    >>> model.coef_.round(9), model.intercept_.round(9)
    (array([[1., 1.]]), array([-1.5]))
    """

    _in_one_step = True
    _constraints: ClassVar[dict[str, list[Any]]] = {"penalize_bias": ["boolean"]}

    regularizer: float = 0.0
    max_passes: int = 1
    start: Start = "zeros"
    fit_intercept: bool = True
    class_weight: ClassWeight = None
    random_state: RandomState = None
    warm_start: bool = False
    penalize_bias: bool = False
    tol: float = 1e-9
    positive: Any = None

    @classmethod
    def from_recipe(cls, recipe: Literal["gauss-newton"], **overrides: Any) -> Self:
        """The lecture's Gauss-Newton step, "gauss-newton": w + (ZᵀZ + δI)⁻¹ Zᵀe, whose δ holds the bias too.

        `overrides` are parameters of the constructor; δ is `regularizer`, 1 if it is not given.
        """
        if recipe != "gauss-newton":
            raise ValueError(f"no recipe is called {recipe!r}; there is 'gauss-newton'.")
        return cls(**{"regularizer": 1.0, "penalize_bias": True} | overrides)

    def _begin(self, at: Beginning, solver: "Solver | None" = None) -> "GaussNewton":
        delta, examples = float(self.regularizer), at.examples
        solver = solver or Solver(examples, delta, self.penalize_bias)
        # one step from zero is the minimum of the ridge's loss; any other run goes to the minimum of the plain loss
        is_ridge = delta > 0 and self.max_passes == 1 and at.state is None and not at.start.any()
        loss = solver.ridge_loss if is_ridge else solver.plain_loss
        goal = SquaredGoal(examples, self.tol, solver.columns, solver.direct, loss)
        return GaussNewton(examples, at.start, self.max_passes, at.state, goal, solver=solver)

    def _begin_all(self, each: list[Beginning]) -> list[Run | BatchRun]:
        solver = Solver(each[0].examples, float(self.regularizer), self.penalize_bias)
        return [self._begin(at, solver) for at in each]

    def _advice(self) -> str:
        if self.regularizer and "at most" in self.outcome_.sentence:
            return f"{self.outcome_.sentence} Raise max_passes, or take regularizer=0, which goes there in one step."
        return str(self.outcome_.sentence)


class Solver:
    """Solves (ZᵀDZ + δI) w = ZᵀD r for residuals r, D the row weights: one factor for all classes and all steps.

    The columns are divided by their lengths. An orthogonal factorisation, block by block of rows (TSQR), gives R with
    RᵀR = ZᵀDZ + δI without squaring the condition; its singular values decide the rank. A solution by RᵀR has fitted
    values as good as one by R, and two corrections make its weights as good too.
    """

    def __init__(self, examples: Examples, delta: float, holds_bias: bool = False) -> None:
        self.rows, self.bias, self.d, self.delta = examples.rows, examples.bias, examples.d, delta
        self.weights = examples.weights if examples.weights.size else np.ones(examples.n)
        self.columns = Columns.of(self.rows, self.bias)
        self.plain_loss = SquaredLoss(self.columns, self.weights)  # ½Σ c·(y − s)²
        self.ridge_loss = SquaredLoss(self.columns, self.weights, delta, not holds_bias)  # the same and ½·δ·‖w‖²
        self.pull = delta * self.ridge_loss.held  # δ of each weight

    @cached_property
    def lengths(self) -> Floats:
        """The lengths of the columns; 1 for a column of zeros."""
        largest = np.where(self.columns.largest > 0, self.columns.largest, 1.0)
        largest = np.maximum(largest, np.finfo(np.float64).tiny)  # 1/largest must be finite
        total = np.zeros(self.d)
        for first, stop in pieces(self.rows.n, self.rows.width):
            Z = block(self.rows, first, stop, self.bias) * (1.0 / largest)
            total += (Z * Z).T @ self.weights[first:stop]
        lengths = largest * np.sqrt(total)
        return np.where(lengths > 0, lengths, 1.0)

    @cached_property
    def factors(self) -> tuple[Floats, Floats, Flags]:
        """Right singular vectors of R, its singular values, and which of them are not zero."""
        R = np.diag(np.sqrt(self.pull) / self.lengths) if self.delta else np.zeros((0, self.d))
        root = np.sqrt(self.weights)
        size = max(2 * self.d, _PIECE_VALUES // self.d)
        for first in range(0, self.rows.n, size):
            stop = min(self.rows.n, first + size)
            Z = block(self.rows, first, stop, self.bias)
            Z = (Z.toarray() if self.rows.sparse else Z) / self.lengths * root[first:stop, None]
            (R,) = qr(np.vstack([R, Z]), mode="r", overwrite_a=True, check_finite=False)
            R = R[: self.d]
        _, s, vt = np.linalg.svd(R, full_matrices=True)
        values = np.append(s, np.zeros(self.d - len(s)))
        kept = values > values.max(initial=0.0) * max(self.rows.n, self.d) * np.finfo(np.float64).eps
        return vt, values, kept

    @cached_property
    def dependent(self) -> list[int]:
        """Columns that are combinations of the others, as far as float64 can tell."""
        if self.delta or not self.direct or self.factor is not None:
            return []
        vt, _, kept = self.factors
        return sorted(reduced(vt[~kept].T, self.bias)[1])

    @property
    def direct(self) -> bool:
        """Whether the columns are few enough to factorise."""
        return self.d <= (_LARGEST_SPARSE if self.rows.sparse else _LARGEST_DENSE)

    @np.errstate(over="ignore", invalid="ignore")  # the caller refuses weights that are not finite
    def solve(self, r: Floats) -> Floats:
        """The step for residuals r."""
        if not self.direct:
            return self._iterate(r)
        if self.factor is not None:
            return self._by_curvature(r)
        vt, values, kept = self.factors
        inverse = np.where(kept, 1.0 / np.where(kept, values, 1.0), 0.0) ** 2
        w = np.zeros(self.d)
        for _ in range(3):
            slope = self._transposed(self.weights * (r - self.rows.respond(w) if w.any() else r)) - self.pull * w
            w = w + (vt.T @ (inverse * (vt @ (slope / self.lengths)))) / self.lengths
        return w

    @cached_property
    def factor(self) -> tuple[Floats, bool] | None:
        """The Cholesky factor of the curvature, which the proof forms too; None where rows are few or columns alike."""
        if self.rows.n * self.d**2 < _MANY:
            return None
        A = (self.ridge_loss if self.delta else self.plain_loss).curvature
        try:
            factor: tuple[Floats, bool] = cho_factor(A, lower=True)
        except (LinAlgError, ValueError):  # values beyond float64
            return None
        alike = (factor[0].diagonal() ** 2 <= _ALIKE * A.diagonal()).any()
        return None if alike else factor

    def _by_curvature(self, r: Floats) -> Floats:
        """The same by that factor; as no columns are alike, one correction makes up for the square of the condition."""
        assert self.factor is not None
        w, left = np.zeros(self.d), r
        for _ in range(2):
            (slope,) = self.columns.transposed((self.weights * left)[:, None])
            w = w + self.columns.move(cho_solve(self.factor, slope - self.columns.inward(self.pull * w)))
            left = r - self.rows.respond(w)
        return w

    def _iterate(self, r: Floats) -> Floats:
        """The same by LSMR, on columns of length one."""
        root, size = np.sqrt(self.weights), self.lengths
        damp = np.sqrt(self.pull) / size
        operator = LinearOperator(
            (self.rows.n + self.d, self.d),
            matvec=lambda v: np.append(root * self.rows.respond(v.ravel() / size), damp * v.ravel()),
            rmatvec=lambda u: (
                self._transposed(root * u.ravel()[: self.rows.n]) / size + damp * u.ravel()[self.rows.n :]
            ),
        )
        right = np.append(root * r, np.zeros(self.d))
        return np.asarray(lsmr(operator, right, atol=1e-14, btol=1e-14, maxiter=10 * self.d)[0] / size)

    def _transposed(self, r: Floats) -> Floats:
        """Zᵀ r."""
        total = np.zeros(self.d)
        for first, stop in pieces(self.rows.n, self.rows.width):
            total[: self.rows.p] += block(self.rows, first, stop, False).T @ r[first:stop]
        if self.bias:
            total[-1] = r.sum()
        return total


@dataclass
class GaussNewton(BatchRun):
    """Gauss-Newton steps on one set of labels."""

    solver: Solver | None = None

    def step(self) -> tuple[Floats, int, bool]:
        """One Gauss-Newton step; the run ends when all steps that were asked for are made."""
        assert self.solver is not None
        w = self.w + self.solver.solve(self.examples.y - self.examples.rows.respond(self.w))
        return w, self.examples.count_mistakes(w, (True, True)), self.n_updates + 1 >= self.limit

    def _outcome(self, settled: bool, reason: str) -> Outcome:
        solved, note = self.solver is not None and self.solver.delta == 0, self._dependent()
        return describe_end(self.goal, self.examples, self.w, self._after, solved=solved, reason=reason, note=note)

    @property
    def dependent(self) -> list[int]:
        """Columns that are combinations of the others."""
        assert self.solver is not None
        return self.solver.dependent

    def _dependent(self) -> str:
        dependent = self.dependent
        if not dependent:
            return ""
        names, p = self.examples.names, self.examples.rows.p
        words = listed(["the intercept" if j == p else names[j] if names else f"x{j}" for j in dependent])
        one = len(dependent) == 1
        return (
            f"; {words} {'is a combination' if one else 'are combinations'} of the other columns: of all weights that "
            f"fit alike these are the shortest, for columns of length one"
        )
