"""The convergence theorem around one run of a perceptron, on data that have a verdict."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from rosenblatt.arrays import Floats, Integers, Signs
from rosenblatt.data.numbers import as_rows
from rosenblatt.models import Trace
from rosenblatt.theory import Extremes, convergence, mistake_bound
from rosenblatt.verdicts.verdict import Verdict

__all__ = ["TheoremCurves", "separating_vector", "theorem_of"]


@dataclass(frozen=True)
class TheoremCurves:
    """‖w(k)‖² and the angle to w* at some k, and the numbers that give the theorem's bounds at every k.

    The lower bound is max(0, ahead + k·gain)², the upper one begin + k·growth.
    """

    k: Integers
    norm_sq: Floats
    begin: float
    growth: float | None = None  # of a perceptron
    cos: Floats | None = None  # this and the next three: only where w* is known
    ahead: float | None = None
    gain: float | None = None
    bound: int | None = None


def separating_vector(verdict: Verdict) -> list[int]:
    """The whole numbers w, bias last, that prove a verdict of complete separation."""
    if verdict.kind != "complete" or verdict.certificate is None:
        raise ValueError(f"the theorem needs a separating hyperplane, and there is none here. {verdict.sentence}")
    return [int(v, 16) for v in verdict.certificate.content["w"]]


def theorem_of(
    trace: Trace,
    X: Floats,
    y: Signs,
    verdict: Verdict | None,
    growth: float | None,
    eta: float,
    normalize: bool,
    samples: int,
) -> TheoremCurves:
    """The curves at about `samples` values of k, evenly and geometrically spaced; with bounds if `verdict` has a w*.

    `growth` is η²·max‖z‖²; None for learners to which the theorem does not apply.
    """
    K = len(trace)
    k = np.unique(np.concatenate([np.linspace(0, K, samples), np.geomspace(1, max(1, K), samples)]).astype(np.int64))
    k, begin = k[k <= K], float(trace.start @ trace.start)
    if growth is None or not K or verdict is None or verdict.kind != "complete":
        weights = trace.weights_at(k)
        return TheoremCurves(k, np.sum(weights * weights, axis=1), begin, growth)
    w_star = _about_one(separating_vector(verdict))
    curve = convergence(trace, X, y, w_star)
    least = Extremes(as_rows(X), y, w_star, True, normalize=normalize).delta()  # over all rows, as the bound is
    length = curve.bounds.w_star_sq**0.5
    bound = mistake_bound(X, y, w_star, trace.start, eta, normalize=normalize)
    ahead, gain = curve.bounds.along / length, eta * float(least) / length
    return TheoremCurves(k, curve.norm_sq[k], begin, growth, curve.cos[k], ahead, gain, bound)


def _about_one(whole: list[int]) -> list[Fraction]:
    """The vector divided by a power of two, not rounded: a float next to it need not separate."""
    size = 1 << max(abs(v).bit_length() for v in whole)
    return [Fraction(v, size) for v in whole]
