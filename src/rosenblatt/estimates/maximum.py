"""Maximum-likelihood estimates, profile intervals, covariances; where there is no maximum, those of the limiting model.

The limiting model rests on the rows that no direction of recession decides; all others fit perfectly in the limit and
add 0 to the log-likelihood. So the supremum of the likelihood is the limiting model's maximum.
"""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from math import inf, isfinite, nan
from typing import Literal, NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import gammaincinv, stdtr, stdtrit  # scipy.stats takes half a second to load

from rosenblatt.arrays import Flags, Floats, Integers, Places
from rosenblatt.context import Unfinished
from rosenblatt.estimates.design import ChoiceDesign, CountDesign, Estimable, Problem, RiskDesign, Undecided
from rosenblatt.estimates.likelihood import AnyPoint, LossPoint
from rosenblatt.estimates.optimum import HIDDEN, Ball, ball, minimise, others
from rosenblatt.estimates.profile import End, Minimum, ends
from rosenblatt.estimates.risk import RiskPoint
from rosenblatt.threads import once, one_thread

__all__ = ["Errors", "LimitingFit", "MaximumLikelihood", "Robust", "half_quantile", "unknown_interval"]

Robust = Literal["HC0", "HC1", "HC2", "HC3"]
_FEW_CLUSTERS = 50
_HELD = {True: "88 to 99", False: "75 to 97"}
_ALONE = 1e-9  # parts of what tells something, up to which it counts as nothing
_LONE = 1.0  # degrees of freedom below which hardly more than one cluster tells a coefficient


def half_quantile(level: float) -> float:
    """Half the χ² quantile with one degree of freedom: how much of the log-likelihood an interval may lose."""
    return float(gammaincinv(0.5, level))


def _finite_ends(fate: str) -> tuple[bool, bool]:
    """Whether the lower and the upper end of an interval are finite."""
    return fate in ("finite", "+inf"), fate in ("finite", "-inf")


def unknown_interval(fate: str) -> tuple[End, End]:
    """What is known of an interval without its numbers: which ends are infinite."""
    low, high = _finite_ends(fate)
    return End.nowhere() if low else End.at_infinity(-1.0), End.nowhere() if high else End.at_infinity(1.0)


class MaximumLikelihood:
    """The maximum of the likelihood, or of the limiting model's; `half` is half the χ² quantile of the intervals.

    `names` are those of the coefficients, for a refusal.
    """

    def __init__(self, design: Estimable, half: float, names: Sequence[str] | None = None) -> None:
        self.design, self.half = design, half
        self.plane = design.on_plane()
        self.problem = design.whole if design.verdict.kind == "overlap" else design.problem(self.plane)
        self._refuse_hidden_columns(names or [f"x{j}" for j in range(design.d)])

    def _refuse_hidden_columns(self, names: Sequence[str]) -> None:
        """Refuse columns that floats take for combinations of others, although exactly they are none."""
        kept = set(self.problem.columns.tolist())
        hidden = [names[j] for j, fate in enumerate(self.design.fates) if fate == "finite" and j not in kept]
        if hidden:
            what = f"{', '.join(hidden)} can be computed from other columns but for rounding"
            raise Undecided(f"the estimate exists, but floats cannot find it: {what}; drop what was calculated.")

    @once
    def point(self) -> AnyPoint:
        """The point where the likelihood has its maximum."""
        return minimise(self.problem.likelihood, self.problem.likelihood.start)

    @once
    def proved(self) -> Ball | None:
        """A ball around `point` that is proved to hold the maximum; None where there is no proof."""
        return ball(self.point)

    @once
    def best(self) -> Minimum:
        """The loss at the maximum, between bounds."""
        return Minimum.at(self.point)

    def estimate(self, j: int) -> tuple[float, float | None]:
        """The estimate (±inf where it runs away, NaN where there is none), and a bound on its error, if proved."""
        fate = self.design.fates[j]
        if fate != "finite":
            return {"+inf": inf, "-inf": -inf}.get(fate, nan), None
        try:
            return self.problem.weight(j, self.point.v, self.proved and self.proved.distances)
        except HIDDEN:
            return nan, None

    def interval(self, j: int) -> tuple[End, End]:
        """The profile-likelihood interval."""
        fate = self.design.fates[j]
        low, high = _finite_ends(fate)
        if not low and not high:
            return End.at_infinity(-1.0), End.at_infinity(1.0)
        try:
            problem, start = self.profiled(j)
            place = problem.place(j)
            lower, upper = ends(start, place, self.best, self.point.loss, self.half, low, high)
            return self._scaled(lower, problem, place), self._scaled(upper, problem, place)
        except HIDDEN:
            return unknown_interval(fate)

    def profiled(self, j: int) -> tuple[Problem, AnyPoint]:
        """The likelihood with coefficient j as a coordinate, and where to begin."""
        if self.design.fates[j] != "finite":
            problem = self.design.problem(self.design.on_plane([j]), j, others(self.design.d, j))
            return problem, problem.likelihood.at(problem.likelihood.start)
        if self.problem.holds(j):
            return self.problem, self.point
        problem = self.design.problem(self.plane, j)
        return problem, minimise(problem.likelihood, problem.likelihood.start)

    def _scaled(self, found: End, problem: Problem, place: int) -> End:
        """The end in the caller's units; rounded rows prove nothing."""
        found = found.scaled(float(problem.coordinates.scale[place]))
        return replace(found, proved=False) if problem.rounded and isfinite(found.value) else found


class Errors(NamedTuple):
    """How standard errors are computed, where they are robust: which kind, and the cluster of each row, if any."""

    kind: Robust
    clusters: Places | None = None
    name: str = ""  # what clusters are called

    @property
    def words(self) -> str:
        """The kind, as notes name it."""
        many = 0 if self.clusters is None else len(np.unique(self.clusters))
        left_out = self.kind == "HC3"
        how = "; by what leaving each out changes, CR3" if left_out else "; CR1, too small for so few"
        how = f"{how}: of 6 to 30 clusters 95 % intervals held {_HELD[left_out]} % in simulations"
        how = how if many <= _FEW_CLUSTERS else how.partition(":")[0] * left_out
        return self.kind if self.clusters is None else f"clustered by {self.name}, {many:,} clusters{how}"


def _as_many(parts: Floats | Integers) -> Floats:
    """How many equal parts are worth as much as these, column by column: (Σ γ)² / Σ γ²; 0 where all are 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.nan_to_num(parts.sum(axis=0) ** 2.0 / (parts**2.0).sum(axis=0)))


class LimitingFit:
    """What inference needs of a fit; each number is computed when it is first read."""

    def __init__(self, fit: MaximumLikelihood, robust: Errors | None = None) -> None:
        self._fit, self.robust = fit, robust

    @property
    def design(self) -> Estimable:
        """The rows, the regression, and what is proved of them."""
        return self._fit.design

    @property
    def names(self) -> list[str]:
        """What the coefficients are called."""
        return self.design.names

    @property
    def rows(self) -> Places:
        """The rows of the limiting model, as the caller counts them."""
        rows = self.design.rows_of(self._fit.plane)
        return rows if (places := self.design.given.places) is None else places[rows]

    @property
    def columns(self) -> Places:
        """Coefficients of independent columns that say all that the limiting model says; the finite ones among them."""
        return self._fit.problem.columns

    @property
    def finite(self) -> Flags:
        """Which coefficients have a finite estimate."""
        return np.array([fate == "finite" for fate in self.design.fates], dtype=bool)

    @once
    def params(self) -> Floats:
        """Every coefficient's estimate: ±inf where it runs away, NaN where it has none."""
        try:
            return np.array([self._fit.estimate(j)[0] for j in range(self.design.d)])
        except Unfinished:
            return np.full(self.design.d, nan)

    @property
    def places(self) -> Places:
        """The terms of the limiting model."""
        return self._fit.plane

    @property
    def highest(self) -> tuple[Minimum, float]:
        """The least loss: bounds on it, and in floats."""
        return self._fit.best, self._fit.point.loss

    @once
    def weights(self) -> Floats:
        """The weights of the independent columns, of which only the finite ones mean something by themselves."""
        return self._fit.problem.coordinates.weights(self._fit.point.v)

    @once
    def inner(self) -> Floats:
        """The covariances of these weights: the inverse of the limiting model's information, or a sandwich of it."""
        T, point = self._fit.problem.coordinates.outward, self._fit.point
        if not point.of.d:  # every row is separated
            return np.zeros((0, 0))
        inverse = point.solve(np.ascontiguousarray(T.T))
        inverse = T @ inverse if self.robust is None else inverse.T @ self._meat(self.robust) @ inverse
        return np.asarray((inverse + inverse.T) / 2)

    @once
    def covariance(self) -> Floats:
        """The covariances of the finite estimates, by coefficient; NaN where one of two is not finite."""
        found = np.full((self.design.d, self.design.d), np.nan)
        try:
            inner = self.inner
        except (HIDDEN, Unfinished):
            return found
        found[np.ix_(self.columns, self.columns)] = inner
        found[~self.finite] = found[:, ~self.finite] = np.nan
        return found

    def _meat(self, robust: Errors) -> Floats:
        """The scores' own covariance: the middle of a sandwich, with the corrections that go with its kind."""
        point, design = self._fit.point, self.design
        row = design.row_of_each(self._fit.plane)
        rows, place = np.unique(row, return_inverse=True)
        scores, times = np.zeros((rows.size, point.of.d)), design.given.weights[rows]
        np.add.at(scores, place, point.scores)
        n, k = float(times.sum()), point.of.d
        if n <= k and design.corrected and (robust.clusters is not None or robust.kind == "HC1"):
            raise HIDDEN("as many coefficients as rows leave nothing to tell errors by")
        if robust.clusters is not None:
            codes = np.unique(robust.clusters[rows], return_inverse=True)[1]
            many = int(codes.max(initial=-1)) + 1
            if many < 2:
                raise HIDDEN("one cluster alone has no spread")
            if robust.kind == "HC3":
                return (many - 1) / many * self._left_out(codes[place])
            sums = np.zeros((many, k))
            np.add.at(sums, codes, scores)
            k = self._told_apart(rows, codes)
            share = many / (many - 1) * (n - 1) / (n - k) if design.corrected else 1.0
            return np.asarray(share * (sums.T @ sums))
        each = 1.0 / times
        if robust.kind == "HC1":
            each = each * (n / (n - k) if design.corrected else 1.0)
        elif robust.kind != "HC0":
            if point.leverages is None or rows.size < row.size:
                raise ValueError(f"robust={robust.kind!r} is for logistic, binomial and Poisson models: say 'HC1'.")
            rest = 1.0 - point.leverages
            if rest.min(initial=1.0) < 1e-9:
                raise HIDDEN("a row that decides a coefficient alone leaves nothing to tell its error by")
            each = each / rest ** (1 + (robust.kind == "HC3"))
        return np.asarray(scores.T @ (each[:, None] * scores))

    def _left_out(self, codes: Places) -> Floats:
        """The squares, summed over clusters, of the scores that move the weights as leaving a cluster out does.

        With I the information and I_g a cluster's part, its scores s_g become I·(I − I_g)⁻¹·s_g: one Newton step
        without the cluster (CR3; MacKinnon, Nielsen and Webb 2023). What a cluster alone tells, such as its own fixed
        effect, is left as it is. With I = LLᵀ, all is done for the rows z·L⁻ᵀ.
        """
        point = self._fit.point
        L = np.linalg.cholesky(point.information)
        if not isinstance(point, LossPoint):
            moved = []
            for I_g, g in zip(*self._parts, strict=True):
                told, turned = np.linalg.eigh(solve_triangular(L, solve_triangular(L, I_g, lower=True).T, lower=True))
                b = turned.T @ solve_triangular(L, g, lower=True)
                with np.errstate(divide="ignore"):
                    moved.append(turned @ np.where(told < 1 - _ALONE, b / (1 - told), b))
            S = np.array(moved) @ L.T
            return np.asarray(S.T @ S)
        often = point.of.weights
        bent = np.sqrt(often * point.look.V)
        with np.errstate(invalid="ignore", divide="ignore"):
            off = np.where(bent > 0, often * point.look.residual / bent, 0.0)
        half = solve_triangular(L, (bent[:, None] * point.of.Z).T, lower=True).T
        order = np.argsort(codes, kind="stable")
        moved = []
        for rows in np.split(order, np.cumsum(np.bincount(codes))[:-1]):
            H = half[rows]
            inside = len(rows) < point.of.d
            told, turned = np.linalg.eigh(H @ H.T if inside else H.T @ H)  # 1: told by this cluster alone
            b = turned.T @ (off[rows] if inside else H.T @ off[rows])
            with np.errstate(divide="ignore"):
                x = turned @ np.where(told < 1 - _ALONE, b / (1 - told), b)
            moved.append(H.T @ x if inside else x)
        S = np.array(moved) @ L.T
        return np.asarray(S.T @ S)

    @once
    def _parts(self) -> tuple[Floats, Floats]:
        """Of each cluster, its parts of the information and of the gradient: what leaving it out takes away."""
        point, design = self._fit.point, self.design
        assert self.robust is not None
        assert self.robust.clusters is not None
        codes = np.unique(self.robust.clusters[design.row_of_each(self._fit.plane)], return_inverse=True)[1]
        units = np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])
        if not isinstance(point, RiskPoint):
            parts = [point.part(one) for one in units]
        else:
            assert isinstance(design, RiskDesign)
            parts = []
            for one in units:
                rest = design.among(self._fit.plane, np.setdiff1d(np.arange(len(codes)), one), point.of.Z)
                left = None if rest is None else rest.at(point.v)
                less = (0.0, 0.0) if left is None else (left.information, left.gradient)
                parts.append((point.information - less[0], point.gradient - less[1]))
        return np.array([one for one, _ in parts]), np.array([one for _, one in parts])

    def _told_apart(self, rows: Places, clusters: Places) -> int:
        """How many coefficients these rows can tell apart, but for effects inside clusters: they cost them nothing."""
        first, inside = self.design.given.rows.p, list[int]()
        for codes in self.design.columns.effects:
            pairs = np.unique(np.column_stack([codes[rows], clusters]), axis=0)
            if len(pairs) == len(np.unique(pairs[:, 0])):
                inside += range(first, first + int(codes.max()))
            first += int(codes.max())
        left = np.setdiff1d(np.arange(self.design.d), inside)
        return int(self.design.problem(self.places, None, left).columns.size)

    @once
    def degrees(self) -> Floats:
        """The degrees of freedom of each coefficient's error: infinite, but where errors are clustered.

        There they are clusters − 1, or 2(G* − 1) if that is less: G* = (Σ γ)² / Σ γ² is how many clusters of equal
        importance tell a coefficient as well (Carter, Schnepel and Steigerwald 2017). γ, a cluster's part in the
        coefficient's variance, is counted half with rows that stand alone and half with rows that are all alike. The
        same of the clusters that have events, and of those that have others.
        """
        free = np.full(self.design.d, np.inf)
        if self.robust is None or self.robust.clusters is None:
            return free
        try:
            row, point = self.design.row_of_each(self._fit.plane), self._fit.point
            inverse = point.solve(np.ascontiguousarray(self._fit.problem.coordinates.outward.T))
            counted = isinstance(point, LossPoint)
            informed = None if counted or self.robust.kind != "HC3" else self._parts[0]
        except (HIDDEN, Unfinished):
            return free  # there are no errors either
        codes = np.unique(self.robust.clusters[row], return_inverse=True)[1]
        free[:] = max(0, int(codes.max(initial=-1)))
        if not point.of.d:
            return free
        if isinstance(point, LossPoint):
            curved = (point.of.weights * point.look.V)[:, None]
            U = point.of.Z @ inverse
            parts = np.zeros((2, int(codes.max()) + 1, U.shape[1]))
            np.add.at(parts[0], codes, curved * U * U)
            np.add.at(parts[1], codes, curved * U)
            parts[1] **= 2
            with np.errstate(invalid="ignore", divide="ignore"):
                share = np.nansum(parts / parts.sum(axis=1, keepdims=True), axis=0)
            free[self.columns] = np.minimum(free[self.columns], 2 * (_as_many(share) - 1))
        elif informed is not None:
            parts = np.maximum(np.einsum("ja,gjk,ka->ga", inverse, informed, inverse, optimize=True), 0.0)
            free[self.columns] = np.minimum(free[self.columns], 2 * (_as_many(parts) - 1))
        return np.asarray(np.minimum(free, 2 * (self._clusters_of_outcomes(codes) - 1)))

    def _clusters_of_outcomes(self, codes: Places) -> float | Floats:
        """Of each coefficient: how many clusters of equal size the events are spread over as well, or the others.

        Events of one cluster alone fit that cluster whatever else there is: its scores are 0, and say nothing. Of
        several classes it is the coefficient's own and the first, of levels the threshold that is best known.
        """
        design, rows = self.design, self.design.row_of_each(self._fit.plane)

        def spread(kind: Floats | Flags) -> float:
            return float(_as_many(np.bincount(codes, (design.given.weights * kind)[rows])))

        if isinstance(design, CountDesign):
            own = design.terms
            kinds = [own.y] if own.family == "poisson" else [own.y, own.trials - own.y]
            return min(float(_as_many(np.bincount(codes, (own.weights * kind)[self._fit.plane]))) for kind in kinds)
        if isinstance(design, RiskDesign):
            return np.inf if design.terms.together else spread(design.terms.event)
        y = design.columns.arrays["y"]
        if isinstance(design, ChoiceDesign):
            of_class = [spread(y == k) for k in range(design.blocks + 1)]
            return np.asarray(np.repeat(np.minimum(of_class[0], of_class[1:]), design.d // design.blocks))
        if "trials" in design.columns.arrays:
            kinds = [y, design.columns.arrays["trials"] - y]
            return min(map(spread, kinds))
        return max(min(spread(y <= k), spread(y > k)) for k in np.unique(y)[:-1])

    @once
    def errors(self) -> Floats:
        """The standard error of each finite estimate; NaN of others."""
        with np.errstate(invalid="ignore"):
            return np.sqrt(self.covariance.diagonal())

    @once
    def z(self) -> Floats:
        """Finite estimates in standard errors."""
        return np.where(self.finite, np.where(self.finite, self.params, 0.0) / self.errors, np.nan)

    @once
    def p(self) -> Floats:
        """Wald's p-values, two-sided; NaN where hardly more than one cluster tells a coefficient."""
        return np.where(self.degrees < _LONE, np.nan, 2.0 * stdtr(self.degrees, -np.abs(self.z)))

    @property
    def of_wald(self) -> tuple[Floats, Floats, Floats]:
        """Errors, z and p."""
        return self.errors, self.z, self.p

    def wald(self, level: float) -> Floats:
        """Estimate ± so many standard errors; an infinite estimate has one infinite end, and no other."""
        with np.errstate(invalid="ignore"):
            reach = np.where(self.finite, self.quantile(level, np.eye(self.design.d)) * self.errors, 0.0)
        ends = np.column_stack([self.params - reach, self.params + reach])
        for j, fate in enumerate(self.design.fates):
            if fate != "finite":
                ends[j] = [end.value for end in unknown_interval(fate)]
        return ends

    def quantile(self, level: float, rows: Floats) -> Floats:
        """How many standard errors of each row's response make an interval: by the coefficient that is known worst."""
        free = np.where(rows != 0, self.degrees[: rows.shape[1]], np.inf).min(axis=1, initial=np.inf)
        return np.where(free < _LONE, np.inf, stdtrit(free, (1.0 + level) / 2))

    def intervals(self, level: float) -> Floats:
        """The profile intervals of another level."""
        fit = copy(self._fit)  # with what it has computed
        fit.half = half_quantile(level)
        with one_thread():
            return np.array([[end.value for end in fit.interval(j)] for j in self.design.shown])

    @property
    def lone(self) -> list[int]:
        """Finite estimates of which hardly more than one cluster tells: nothing says how far they may be off."""
        return np.flatnonzero(self.finite & (self.degrees < _LONE)).tolist()

    def wald_test(self, places: Sequence[int]) -> tuple[float, int]:
        """Wald's statistic of these coefficients, and its degrees of freedom; NaN where one of them is not finite."""
        if not self.finite[list(places)].all():
            return nan, len(places)
        b, V = self.params[list(places)], self.covariance[np.ix_(places, places)]
        if not np.isfinite(V).all():
            return nan, len(places)
        return float(b @ np.linalg.lstsq(V, b, rcond=None)[0]), int(np.linalg.matrix_rank(V, hermitian=True))

    def rank(self, without: Sequence[int] = ()) -> int:
        """How many coefficients all rows can tell apart, perhaps without some."""
        left = np.setdiff1d(np.arange(self.design.d), np.asarray(without, dtype=np.int64))
        return int(self.design.problem(self.design.everything, None, left).columns.size)

    def same_outcomes(self, other: "LimitingFit") -> bool:
        """Whether the other fit explains the same, of the same rows."""
        mine, theirs = self.design.columns.arrays, other.design.columns.arrays
        return mine.keys() == theirs.keys() and all(np.array_equal(mine[name], theirs[name]) for name in mine)

    @once
    def dispersion(self) -> tuple[float, float] | None:
        """How many times counts spread as Poisson's law has it (Pearson), and how far from 1 in standard errors.

        Under Poisson's law the variance of (y − μ)²/μ is 2 + 1/μ.
        """
        design = self.design
        if not isinstance(design, CountDesign) or design.terms.family != "poisson":
            return None
        point = self._fit.point
        assert isinstance(point, LossPoint)
        c, mean, free = point.of.weights, point.look.V, float(point.of.weights.sum()) - point.of.d
        if free <= 0 or not len(mean):
            return None
        pearson = float(c @ (point.look.residual**2 / mean))
        return pearson / free, (pearson - free) / float(np.sqrt(c @ (2.0 + 1.0 / mean)))

    def of_few_rows(self, few: int, rare: int) -> list[int]:
        """Coefficients that rest on fewer rows (of a binomial: trials) than `few`, or whose column is nearly constant.

        That is: fewer than `rare` rows have another value than most.
        """
        design = self.design
        X, times = design.given.values.X, design.given.weights * design.columns.arrays.get("trials", 1.0)
        if times.sum() < few:
            return [j for j in design.shown if design.fates[j] in ("finite", "+inf", "-inf")]
        others = times @ (np.median(X, axis=0) != X)  # a value that most rows have is the median
        found, width = np.flatnonzero((others > 0) & (others < rare)), design.d // design.blocks
        return [int(block * width + j) for block in range(design.blocks) for j in found]

    @once
    def llf(self) -> float:
        """The log-likelihood's supremum, with its constants; NaN where rounding hides it."""
        return self._log_likelihood(lambda: self._fit.point)

    @once
    def llnull(self) -> float:
        """The same of the model without X's columns."""
        constants = set(self.design.constants.tolist())
        return self.llf_without([j for j in range(self.design.d) if j not in constants])

    def llf_without(self, columns: Sequence[int]) -> float:
        """The log-likelihood's supremum where these coefficients are 0; NaN where rounding hides it."""
        left = np.setdiff1d(np.arange(self.design.d), np.asarray(columns, dtype=np.int64))
        problem = self.design.problem(self.design.on_plane(columns), None, left)
        return self._log_likelihood(lambda: minimise(problem.likelihood, problem.likelihood.start))

    def _log_likelihood(self, point: Callable[[], AnyPoint]) -> float:
        try:
            with one_thread():
                return self.design.log_ways - point().likelihood_loss
        except HIDDEN:
            return float("nan")
