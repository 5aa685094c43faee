"""A run of the loop in the space of a kernel's features, and a proved bound on how many corrections it can make."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any, ClassVar

import flint
import numpy as np
import scipy.sparse as sp

from rosenblatt.arrays import Floats, Integers, Places, Signs
from rosenblatt.data.wording import count
from rosenblatt.exact import fraction
from rosenblatt.learners.duals.gram import CallableKernel, Gram, PolynomialKernel, PolynomialValues
from rosenblatt.learners.runs.examples import Examples, Ties
from rosenblatt.learners.runs.run import Run, Words
from rosenblatt.models import JointWitness, Outcome, Trace, Witness

__all__ = ["DualExamples", "DualRun", "KernelBound", "bound_run"]


class DualRows:
    """What the loop gets in the place of rows: the kernel's values, and the coefficients α of one run."""

    def __init__(self, gram: Gram) -> None:
        from rosenblatt.kernels.dual import Kept

        self.n = self.p = gram.n
        self.width = 1.0 + gram.n / 64  # most presentations look at one number, a correction at n
        self.kernel = Kept(
            gram.values, gram.place, np.zeros(gram.n), np.zeros(gram.n, dtype=np.int64), np.zeros(1, dtype=np.int64)
        )


@dataclass(frozen=True)
class DualExamples(Examples):
    """Examples whose weights are coefficients α, one for each row: the response is Σ α_j k(x_j, x)."""

    gram: Gram

    @classmethod
    def of(cls, examples: Examples, gram: Gram) -> "DualExamples":
        """The same examples, seen through the kernel."""
        rows: Any = DualRows(gram)
        return cls(rows, examples.y, examples.weights, False, 0.0, gram)

    @property
    def computed(self) -> bool:
        """Whether the learner sees features that are computed from the rows, in floats: those of the kernel."""
        return True

    def _look(self, w: Floats, ties: Ties, doubt: float) -> Iterator[tuple[int, int, Integers]]:
        agreement = self.y * self.gram.respond(w)
        present = self.weights > 0 if self.weights.size else np.ones(self.n, dtype=np.bool_)
        zero = agreement == 0
        mistake = np.where(zero, np.where(self.y > 0, *ties), ~(agreement > 0))  # NaN is a mistake too
        unsure = np.flatnonzero(present & ~(agreement > doubt))
        yield int(np.count_nonzero(mistake & present)), int(np.count_nonzero(zero & present)), unsure

    def _doubt(self, w: Floats) -> float:
        return self.gram.doubt(w)

    def _exact_signs(self, w: Floats, rows: Integers) -> tuple[Any, Any]:
        y = self.y[rows]
        return self.gram.signs(rows, w) * y, y > 0


@dataclass
class DualRun(Run):
    """A perceptron at work in the space of a kernel's features: `weights` are its coefficients α."""

    resumable: ClassVar[bool] = False
    words: ClassVar[Words] = Words(
        right="on their side",
        one_tied="lies on the border",
        some_tied="lie on the border",
        impossible="no function of this kernel separates the classes",
    )

    examples: DualExamples

    def __post_init__(self) -> None:
        self.examples = DualExamples.of(self.examples, self.examples.gram)  # a run has its own coefficients, all 0
        super().__post_init__()

    @property
    def _reached(self) -> Floats:
        """The running α."""
        return np.asarray(self.examples.rows.kernel.dual)

    def _trace(self, rows: Integers, steps: Floats, ends: Integers, times: Integers | None) -> Trace:
        """The trace; its weights are the α of all rows, so its rows are unit vectors."""
        return Trace(np.zeros(self.examples.n), rows, steps, ends, sp.eye_array(self.examples.n, format="csr"), times)

    def _call(self, last: int) -> int:
        """One compiled call; if it stopped for want of a row of the kernel's values, compute that row."""
        from rosenblatt.kernels.dual import FETCH

        events = super()._call(last)
        if events & FETCH:
            kept = self.examples.rows.kernel
            self.examples.gram.keep(int(kept.wanted[0]), kept.dual, kept.corrected)
        return events & ~FETCH

    def _confirm(self) -> Outcome | None:
        """No mistake in n presentations: compute f anew from α, since rounding errors have added up, and certify."""
        self.memory.w[:] = self.examples.gram.respond(self.running)
        return super()._confirm()

    def _check_overflow(self) -> None:
        if not np.isfinite(self.memory.w).all():
            raise ValueError(
                "the responses overflowed float64: scale X, for example with sklearn.preprocessing.StandardScaler."
            )

    def _attributes(self) -> dict[str, Any]:
        return {"mistakes_per_pass_": np.array(self.mistakes_per_pass), "n_updates_": self.n_updates}

    def _vanishes(self, witness: Witness | JointWitness) -> bool:
        """Whether Σ λ y φ(x) = 0."""
        signs = self.examples.y[witness.rows]
        factors = [int(s) * m for s, m in zip(signs, witness.multipliers, strict=True)]
        return self.examples.gram.vanishes(witness.rows, factors)


Number = flint.fmpq | flint.arb  # exact, or a ball that holds the number

_BITS = 128
_MOST_PAIRS = 1 << 22
_PASSES = 200  # of the search for a wide margin
_STILL = 1e-4  # the search ends where a pass changes no margin by more than this


@dataclass(frozen=True)
class KernelBound:
    """A bound on the corrections of a run; `str()` is the sentence."""

    bound: int | None
    sentence: str
    margin: float | None = None  # γ, rounded down
    radius: float | None = None  # R, rounded up
    slack: float | None = None  # D, rounded up; None where f separates

    def __str__(self) -> str:
        return self.sentence


def bound_run(
    gram: Gram, y: Signs, weights: Floats, known: Floats | None, forgets: bool, averages: bool
) -> KernelBound:
    """The bound of a run on these rows; `known` are coefficients that may separate them."""
    why = ""
    if forgets:
        why = "with a budget rows are forgotten, and forgotten rows may be mistakes again"
    elif isinstance(gram.kernel, CallableKernel):
        why = "that the numbers of a function are inner products of features cannot be proved"
    elif gram.n**2 > _MOST_PAIRS:
        why = f"{gram.n:,} rows have more than {_MOST_PAIRS:,} pairs, too many to work out"
    if why:
        return KernelBound(None, f"no bound: {why}.")
    signed = y * (weights if weights.size else np.ones(gram.n))
    present = np.flatnonzero(signed)
    K = np.array([gram.row(int(i))[present] for i in present]) * signed[present] * signed[present, None]
    vote = " The averaged vote is another function: nothing is proved of its mistakes." if averages else ""
    with flint.ctx.workprec(_BITS):
        candidates = _betas_to_try(K, None if known is None else known[present] / signed[present])
        for beta in candidates:
            bound = _prove(gram, signed[present], present, beta, beta is candidates[-1], vote)
            if bound is not None:
                return bound
    return KernelBound(None, "no bound: no function was found to prove one with.")


# ------------------------------------------------------------------------------------------------- what floats suggest


def _betas_to_try(K: Floats, known: Floats | None) -> list[Floats]:
    """Coefficients β to try, in this order: of a wide margin, the run's own, of a soft compromise."""
    soft = _adatron(K, 1.0 / max(float(np.mean(np.diag(K))), 5e-324))
    return [_adatron(K, np.inf), *([] if known is None else [known]), soft]


def _adatron(K: Floats, most: float) -> Floats:
    """Coefficients β, 0 ≤ β ≤ most, that push every margin (Kβ)_i towards 1 or beyond: the kernel adatron.

    Frieß, Cristianini & Campbell (1998). Ascent in one coordinate after the other.
    """
    beta, margins = np.zeros(len(K)), np.zeros(len(K))
    for _ in range(_PASSES):
        before = margins.copy()
        for i in np.flatnonzero(np.diag(K) > 0):
            step = min(max(0.0, beta[i] + (1.0 - margins[i]) / K[i, i]), most) - beta[i]
            if step:
                beta[i] += step
                margins += step * K[i]
        if np.max(np.abs(margins - before), initial=0.0) <= _STILL:
            break
    return beta


def _best_gamma(margins: Floats, radius: float) -> float:
    """The γ with the smallest (R + D)/γ, of 200 that are tried."""
    largest = max(float(np.max(margins)), 1e-3 * radius)
    tried = largest * np.logspace(-3, 1, 200)
    slack = np.sqrt(np.sum(np.maximum(0.0, tried[:, None] - margins) ** 2, axis=1))
    return float(tried[np.argmin((radius + slack) / tried)])


# ----------------------------------------------------------------------------------------------------------- the proof


def _prove(gram: Gram, signed: Floats, rows: Places, beta: Floats, last: bool, vote: str) -> KernelBound | None:
    """The bound that f = Σ β·s·φ(x) proves; None where ‖f‖ = 0, or where f does not separate and is not the last."""
    used = np.flatnonzero(beta)
    factors = [_as_flint(fraction(v)) for v in signed]
    steps = [_as_flint(fraction(v)) for v in beta]
    margins = [s * f for s, f in zip(factors, _exact_responses(gram, rows, rows[used], signed, beta), strict=True)]
    norm_sq = sum((steps[j] * margins[j] for j in used), flint.fmpq(0))
    lengths = [s * s * k for s, k in zip(factors, _self_similarities(gram, rows), strict=True)]
    radius_sq = max(lengths)
    if not norm_sq > 0:
        return None
    least = min(margins) if isinstance(norm_sq, flint.fmpq) else reduce(lambda a, b: a.min(b), margins)
    if least > 0:
        return _margin_bound(least, norm_sq, radius_sq, vote)
    return _compromise([flint.arb(v) for v in margins], flint.arb(norm_sq), radius_sq, vote) if last else None


def _exact_responses(gram: Gram, rows: Places, others: Places, signed: Floats, beta: Floats) -> list[Any]:
    """f at every row: fractions, or balls."""
    used = np.flatnonzero(beta)
    dual = [fraction(beta[j]) * fraction(signed[j]) for j in used]
    exact = gram.kernel.exact(gram.rows.take(rows), gram.rows.take(others))  # type: ignore[union-attr]
    if isinstance(exact, PolynomialValues):
        return [_as_flint(v) for v in exact.totals(dual)]
    each = [_as_flint(v) for v in dual]
    return [sum((a * k for a, k in zip(each, row, strict=True)), flint.arb(0)) for row in exact.balls(_BITS)]


def _self_similarities(gram: Gram, rows: Places) -> list[Any]:
    """k(x, x) of every row, exactly."""
    if not isinstance(gram.kernel, PolynomialKernel):
        return [flint.fmpq(1)] * len(rows)
    each = (gram.kernel.exact(x, x) for x in np.split(gram.rows.take(rows), len(rows)))
    return [_as_flint(one.totals([Fraction(1)])[0]) for one in each]


def _margin_bound(least: Number, norm_sq: Number, radius_sq: Number, vote: str) -> KernelBound:
    """(R/γ)²."""
    bound = _whole_below(radius_sq * norm_sq / (least * least))
    margin, radius = _down(flint.arb(least) / flint.arb(norm_sq).sqrt()), _up(flint.arb(radius_sq).sqrt())
    said = (
        f"at most {count(bound, 'correction')} from f = 0, whatever the order: (R/γ)², R = {radius:.6g} and γ = "
        f"{margin:.6g} of a function that separates the classes, proved.{vote}"
    )
    return KernelBound(bound, said, margin, radius)


def _compromise(margins: list[flint.arb], norm_sq: flint.arb, radius_sq: Number, vote: str) -> KernelBound:
    """((R + D)/γ)² for the first pass."""
    length, radius = norm_sq.sqrt(), flint.arb(radius_sq).sqrt()
    each = [v / length for v in margins]
    gamma = _best_gamma(np.array([float(v.mid()) for v in each]), float(radius.mid()))
    exact = flint.arb(_as_flint(fraction(gamma)))
    zero = flint.arb(0)
    slack = sum(((exact - v).max(zero) ** 2 for v in each), zero).sqrt()
    bound = _whole_below(((radius + slack) / exact) ** 2)
    said = (
        f"at most {count(bound, 'correction')} in a first pass that shows every row once: ((R + D)/γ)², R = "
        f"{_up(radius):.6g}, γ = {gamma:.6g} and D = {_up(slack):.6g}, proved; no function was found that separates "
        f"the classes.{vote}"
    )
    return KernelBound(bound, said, gamma, _up(radius), _up(slack))


def _as_flint(value: Fraction) -> Any:
    return flint.fmpq(value.numerator, value.denominator)


def _whole_below(value: Number) -> int:
    """The largest whole number that is not above the value, or not above the upper end of its ball."""
    if isinstance(value, flint.fmpq):
        return int(value.floor())
    whole = value.upper().floor().unique_fmpz()
    assert whole is not None
    return int(whole)


def _up(ball: flint.arb) -> float:
    return float(np.nextafter(float(ball.upper()), np.inf))


def _down(ball: flint.arb) -> float:
    return float(np.nextafter(float(ball.lower()), -np.inf))
