"""Capacity: how many points N weights can be expected to tell apart, counted by Cover and measured.

Cover's counts, which `rosenblatt.counting` has, are called by their names in `rosenblatt.cover` too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import lgamma, log
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.arguments import checked
from rosenblatt.arrays import Floats, Integers
from rosenblatt.counting import chance_in_words, count, log10_count, log10_probability, probability
from rosenblatt.cover.quick import separable
from rosenblatt.cover.shuffles import binomial_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rosenblatt.plot import CapacityDisplay

__all__ = [
    "CapacityExperiment",
    "capacity",
    "capacity_experiment",
    "count",
    "log10_count",
    "log10_limit",
    "log10_probability",
    "probability",
    "regime",
]


def capacity(N: int) -> int:
    """2N. Exactly half of all labelings of so many points in general position are separable. N counts the bias.

    >>> capacity(11), probability(capacity(11), 11)
    (22, 0.5)
    """
    if isinstance(N, bool) or not hasattr(N, "__index__") or N < 1:
        raise ValueError(f"capacity needs N ≥ 1 weights, a whole number; got N={N!r}.")
    return 2 * int(N)


def log10_limit(P: int, N: int) -> float:
    """log10 of 2·P^(N−1)/(N−1)!, which C(P, N) approaches when P is much larger than 2N: it grows like a power of P.

    >>> from rosenblatt.counting import log10_count
    >>> round(log10_limit(10**6, 4), 5), round(log10_count(10**6, 4), 5)
    (17.52288, 17.52288)
    """
    if P < 1 or N < 1:
        raise ValueError(f"log10_limit needs P ≥ 1 points and N ≥ 1 weights; got P={P}, N={N}.")
    return (log(2) + (N - 1) * log(P) - lgamma(N)) / log(10)


def regime(P: int, N: int) -> str:
    """Which of Cover's three regimes P points and N weights are in, in a sentence.

    >>> print(regime(10, 11))
    P ≤ N: every labeling of points in general position is separable.
    >>> print(regime(22, 11))
    P = 2N, the capacity: exactly half of all labelings of points in general position are separable.
    >>> print(regime(208, 61))
    P = 3.41·N, above the capacity of 2N: the chance of a labeling to be separable is at most 1 in 10^9, and less with
    more points.
    """
    log10_chance = log10_probability(P, N)  # refuses what counts nothing
    if P <= N:
        return "P ≤ N: every labeling of points in general position is separable."
    if P < 2 * N:
        rest = probability(P, P - N)
        share = f"all but {100 * rest:.2g} % of" if rest > 1e-12 else "practically all"
        return (
            f"P = {P / N:.3g}·N, below the capacity of 2N: {share} labelings of points in general position are "
            f"separable."
        )
    if P == 2 * N:
        return "P = 2N, the capacity: exactly half of all labelings of points in general position are separable."
    return (
        f"P = {P / N:.3g}·N, above the capacity of 2N: the chance of a labeling to be separable is at most "
        f"{chance_in_words(log10_chance)}, and less with more points."
    )


_RATIOS = (0.5, 1.0, 1.4, 1.6, 1.8, 2.0, 2.2, 2.4, 2.6, 3.0, 4.0)


@dataclass(frozen=True)
class CapacityExperiment:
    """Trials for each number of weights and each number of points.

    Attributes
    ----------
    N : tuple of int
        Weights.
    ratios : tuple of float
        Points for each weight.
    trials : int
    points, separable, unknown : arrays (len(N), len(ratios))
        P, and how many trials were separable or could not be decided.
    theory : array of the same shape
        Cover's C(P, N)/2^P.
    """

    N: tuple[int, ...]
    ratios: tuple[float, ...]
    trials: int
    points: Integers
    separable: Integers
    unknown: Integers
    theory: Floats

    @property
    def measured(self) -> Floats:
        """The part of the trials that was separable."""
        return self.separable / self.trials

    @property
    def intervals(self) -> Floats:
        """Lower and upper ends (2, len(N), len(ratios)) of 95 % intervals."""
        lower = [[binomial_interval(k, self.trials)[0] for k in row] for row in self.separable]
        upper = [[binomial_interval(k, self.trials)[1] for k in row] for row in self.separable + self.unknown]
        return np.array([lower, upper])

    def plot(self, ax: "Axes | None" = None) -> "CapacityDisplay":
        """Draw it."""
        from rosenblatt.plot import CapacityDisplay

        return CapacityDisplay.from_experiment(self, ax=ax)

    def __str__(self) -> str:
        lines = [f"separable of {self.trials} random labelings, measured (and by Cover's theorem)"]
        lines.append("  P/N " + "".join(f"{f'N = {N}':>18}" for N in self.N))
        for k, ratio in enumerate(self.ratios):
            cells = (f"{m:.3f} ({t:.3f})" for m, t in zip(self.measured[:, k], self.theory[:, k], strict=True))
            lines.append(f"{ratio:5.3g} " + "".join(f"{cell:>18}" for cell in cells))
        return "\n".join(lines)


@checked
def capacity_experiment(
    N: int | Sequence[int] = (5, 20, 100),
    ratios: Sequence[float] = _RATIOS,
    trials: int = 100,
    random_state: int | None = None,
    n_jobs: int | None = None,
) -> CapacityExperiment:
    """Draw P = ratio·N normal points in N dimensions and labels by fair coins, and decide whether they are separable.

    Hyperplanes go through the origin, so that N counts all weights. Every answer is proved. The larger N, the sharper
    the fall from always to never at P = 2N.

    Parameters
    ----------
    N : int or several
        Weights.
    ratios : number or several
        Points for each weight.
    trials : int
        How many labelings are drawn for each N and ratio.
    random_state : int, optional
        Seed. The answer does not depend on `n_jobs`.
    n_jobs : int, optional
        Processes; −1 for all cores.

    Examples
    --------
    >>> print(capacity_experiment(N=[5, 20], ratios=[1, 2, 3], trials=50, random_state=0))
    separable of 50 random labelings, measured (and by Cover's theorem)
      P/N              N = 5            N = 20
        1      1.000 (1.000)     1.000 (1.000)
        2      0.520 (0.500)     0.380 (0.500)
        3      0.120 (0.090)     0.000 (0.004)
    """
    from joblib import Parallel, delayed

    sizes, ratios = tuple(np.atleast_1d(N).tolist()), np.atleast_1d(ratios).tolist()
    _check(sizes, ratios, trials)
    points = np.array([[max(1, round(ratio * size)) for ratio in ratios] for size in sizes])
    cells = [(size, int(P)) for size, row in zip(sizes, points, strict=True) for P in row]
    seeds = np.random.SeedSequence(random_state).spawn(len(cells))
    jobs = (delayed(_separable_trials)(size, P, seed, trials) for (size, P), seed in zip(cells, seeds, strict=True))
    counts = np.array(Parallel(n_jobs=n_jobs)(jobs), dtype=np.int64).reshape(*points.shape, 2)
    theory = np.array([[probability(int(P), size) for P in row] for size, row in zip(sizes, points, strict=True)])
    return CapacityExperiment(
        sizes, tuple(float(r) for r in ratios), int(trials), points, counts[..., 0], counts[..., 1], theory
    )


def _check(sizes: tuple[int, ...], ratios: Sequence[float], trials: int) -> None:
    if not sizes or not all(isinstance(size, int) and size >= 1 for size in sizes):
        raise ValueError(f"N, the numbers of weights, must be whole numbers, 1 or more; got {sizes}.")
    if not ratios or not all(np.isfinite(r) and r > 0 for r in ratios):
        raise ValueError(f"ratios, points for each weight, must be positive numbers; got {ratios}.")
    if not hasattr(trials, "__index__") or trials < 1:
        raise ValueError(f"trials must be a whole number, 1 or more; got {trials}.")


def _separable_trials(size: int, P: int, seed: np.random.SeedSequence, trials: int) -> tuple[int, int]:
    """How many trials are separable, and how many unknown."""
    rng = np.random.default_rng(seed)
    answers = []
    for _ in range(trials):
        X = rng.normal(size=(P, size))
        answers.append(separable(X, rng.choice(np.array([-1, 1], dtype=np.int8), size=P), fit_intercept=False))
    return sum(a is True for a in answers), sum(a is None for a in answers)
