"""How many corrections a perceptron can make in the space of a kernel's features, proved by one function f.

Novikoff's theorem needs only inner products. Let f = Σ β_j φ(x_j), let s be y times the row's weight, R² =
max s²·k(x, x) and γ = min s·f(x)/‖f‖ > 0. Then no run from f = 0 makes more than (R/γ)² corrections. If no f separates,
take any f and any γ > 0, and D² = Σ max(0, γ − s·f(x)/‖f‖)². Then a first pass, which shows every row once, makes at
most ((R + D)/γ)² corrections (Freund and Schapire 1999, theorem 2).

Floats suggest β. The bound is then computed in fractions ("poly") or in balls that hold the true values ("rbf").
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

import flint
import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.data.wording import count
from rosenblatt.exact.dyadic import fraction
from rosenblatt.exact.similarities import PolynomialValues
from rosenblatt.learners.duals.gram import Gram
from rosenblatt.learners.duals.kernel_functions import CallableKernel, PolynomialKernel

__all__ = ["KernelBound", "bound_run"]

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


def bound_run(gram: Gram, y: Any, weights: Floats, known: Floats | None, forgets: bool, averages: bool) -> KernelBound:
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
        candidates = _candidates(K, None if known is None else known[present] / signed[present])
        for beta in candidates:
            bound = _prove(gram, signed[present], present, beta, beta is candidates[-1], vote)
            if bound is not None:
                return bound
    return KernelBound(None, "no bound: no function was found to prove one with.")


# ------------------------------------------------------------------------------------------------- what floats suggest


def _candidates(K: Floats, known: Floats | None) -> list[Floats]:
    """Coefficients β to try, in this order: of a wide margin, the run's own, of a soft compromise."""
    soft = _widen(K, 1.0 / max(float(np.mean(np.diag(K))), 5e-324))
    return [_widen(K, np.inf), *([] if known is None else [known]), soft]


def _widen(K: Floats, most: float) -> Floats:
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


def _prove(gram: Gram, signed: Floats, rows: Any, beta: Floats, last: bool, vote: str) -> KernelBound | None:
    """The bound that f = Σ β·s·φ(x) proves; None where ‖f‖ = 0, or where f does not separate and is not the last."""
    used = np.flatnonzero(beta)
    factors = [_rational(fraction(v)) for v in signed]
    steps = [_rational(fraction(v)) for v in beta]
    margins = [s * f for s, f in zip(factors, _responses(gram, rows, rows[used], signed, beta), strict=True)]
    norm_sq = sum((steps[j] * margins[j] for j in used), flint.fmpq(0))
    lengths = [s * s * k for s, k in zip(factors, _lengths(gram, rows), strict=True)]
    radius_sq = max(lengths)
    if not norm_sq > 0:
        return None
    least = min(margins) if isinstance(norm_sq, flint.fmpq) else reduce(lambda a, b: a.min(b), margins)
    if least > 0:
        return _separated(least, norm_sq, radius_sq, vote)
    return _compromise([flint.arb(v) for v in margins], flint.arb(norm_sq), radius_sq, vote) if last else None


def _responses(gram: Gram, rows: Any, others: Any, signed: Floats, beta: Floats) -> list[Any]:
    """f at every row: fractions, or balls."""
    used = np.flatnonzero(beta)
    dual = [fraction(beta[j]) * fraction(signed[j]) for j in used]
    exact = gram.kernel.exact(gram.rows.take(rows), gram.rows.take(others))  # type: ignore[union-attr]
    if isinstance(exact, PolynomialValues):
        return [_rational(v) for v in exact.totals(dual)]
    each = [_rational(v) for v in dual]
    return [sum((a * k for a, k in zip(each, row, strict=True)), flint.arb(0)) for row in exact.balls(_BITS)]


def _lengths(gram: Gram, rows: Any) -> list[Any]:
    """k(x, x) of every row, exactly."""
    if not isinstance(gram.kernel, PolynomialKernel):
        return [flint.fmpq(1)] * len(rows)
    each = (gram.kernel.exact(x, x) for x in np.split(gram.rows.take(rows), len(rows)))
    return [_rational(one.totals([Fraction(1)])[0]) for one in each]


def _separated(least: Any, norm_sq: Any, radius_sq: Any, vote: str) -> KernelBound:
    """(R/γ)²."""
    bound = _floor(radius_sq * norm_sq / (least * least))
    margin, radius = _down(flint.arb(least) / flint.arb(norm_sq).sqrt()), _up(flint.arb(radius_sq).sqrt())
    said = (
        f"at most {count(bound, 'correction')} from f = 0, whatever the order: (R/γ)², R = {radius:.6g} and γ = "
        f"{margin:.6g} of a function that separates the classes, proved.{vote}"
    )
    return KernelBound(bound, said, margin, radius)


def _compromise(margins: list[Any], norm_sq: Any, radius_sq: Any, vote: str) -> KernelBound:
    """((R + D)/γ)² for the first pass."""
    length, radius = norm_sq.sqrt(), flint.arb(radius_sq).sqrt()
    each = [v / length for v in margins]
    gamma = _best_gamma(np.array([float(v.mid()) for v in each]), float(radius.mid()))
    exact = flint.arb(_rational(fraction(gamma)))
    zero = flint.arb(0)
    slack = sum(((exact - v).max(zero) ** 2 for v in each), zero).sqrt()
    bound = _floor(((radius + slack) / exact) ** 2)
    said = (
        f"at most {count(bound, 'correction')} in a first pass that shows every row once: ((R + D)/γ)², R = "
        f"{_up(radius):.6g}, γ = {gamma:.6g} and D = {_up(slack):.6g}, proved; no function was found that separates "
        f"the classes.{vote}"
    )
    return KernelBound(bound, said, gamma, _up(radius), _up(slack))


def _rational(value: Fraction) -> Any:
    return flint.fmpq(value.numerator, value.denominator)


def _floor(value: Any) -> int:
    """The largest whole number that is not above the value, or not above the upper end of its ball."""
    if isinstance(value, flint.fmpq):
        return int(value.floor())
    return int(value.upper().floor().unique_fmpz())


def _up(ball: Any) -> float:
    return float(np.nextafter(float(ball.upper()), np.inf))


def _down(ball: Any) -> float:
    return float(np.nextafter(float(ball.lower()), -np.inf))
