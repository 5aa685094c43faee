"""How often shuffled labels are separable: counted, where Cover's theorem only bounds it; and how capacity is measured.

What is tested: "labels have nothing to do with the rows". The statistic is whether a hyperplane separates the classes,
1 or 0. Labels that are not separable have the smallest value there is, and p = 1.

Which exchanges of labels are fair where rows are related: groups change places as wholes.

Rows of one group (a patient, a document) have something in common, in their numbers and in their labels. If labels tell
nothing of the rows, a group's labels might as well have been those of another group.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import lgamma, log
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv

from rosenblatt.arguments import checked
from rosenblatt.arrays import Floats, Integers, Places, Signs
from rosenblatt.counting import chance_in_words, count, log10_count, log10_probability, probability
from rosenblatt.cover.dichotomy import float_points
from rosenblatt.cover.quick import separable, separable_all
from rosenblatt.data.numbers import two_class_signs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rosenblatt.plot import CapacityDisplay

__all__ = [
    "CapacityExperiment",
    "PermutationTest",
    "arrangements",
    "binomial_interval",
    "capacity",
    "capacity_experiment",
    "count",
    "exchanged_labels",
    "log10_count",
    "log10_limit",
    "log10_probability",
    "permutation_test",
    "probability",
    "regime",
]

_MOST_LABELS = 2**31  # of all shufflings together: each is a byte


@dataclass(frozen=True)
class PermutationTest:
    """How often labels shuffled with the same class sizes are separable.

    Attributes
    ----------
    n : int
        Number of shufflings; with `groups` labels were exchanged between groups.
    separable : int
        How many of them are separable, each proved.
    unknown : int
        How many of them could not be decided; the interval allows for both answers.
    observed : bool or None
        Whether the labels as given are separable; None if that could not be decided.
    low, high : float
        95 % interval of Clopper and Pearson for the part of all shufflings that is separable.
    """

    n: int
    separable: int
    unknown: int
    observed: bool | None
    low: float
    high: float

    @property
    def fraction(self) -> float:
        """The part of the shufflings that is separable."""
        return self.separable / self.n

    @property
    def p_value(self) -> float:
        """(1 + separable) / (1 + n), the undecided counted as separable; 1 unless the labels as given are separable."""
        return (1 + self.separable + self.unknown) / (1 + self.n) if self.observed else 1.0

    @property
    def sentence(self) -> str:
        """The answer, in words."""
        text = (
            f"{self.separable:,} of {self.n:,} shufflings with the same class sizes are separable: "
            f"{100 * self.fraction:.3g} % (95 % interval {_about_percent(self.low)} … {_about_percent(self.high)} %)."
        )
        if self.unknown:
            text += f" {self.unknown:,} could not be decided."
        if self.observed is None:
            return text
        if not self.observed:
            return f"{text} The labels as given are not separable: p = 1."
        return f"{text} The labels as given are separable, too: p = {self.p_value:.2g}."

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        return f"<PermutationTest: {self.sentence}>"


def _about_percent(part: float) -> str:
    """A part in per cent, with two digits; 100 has three."""
    return f"{100 * part:.2g}" if part < 0.995 else f"{100 * part:.3g}"


@checked
def permutation_test(
    X: Any,
    y: Any,
    n: int = 1000,
    random_state: int | None = None,
    fit_intercept: bool = True,
    n_jobs: int | None = None,
    groups: Any = None,
) -> PermutationTest:
    """Shuffle the labels n times, class sizes kept, and count how often a hyperplane separates them.

    Cover's theorem bounds this for labels by fair coins. With few examples of one class the part is often far larger:
    in 10 dimensions 5 of 60 points are cut off much more often than 60 labels by fair coins are separable.

    Parameters
    ----------
    X, y : rows of numbers and their labels
        Two classes.
    n : int
        How many shufflings.
    random_state : int, optional
        Seed. The answer does not depend on `n_jobs`.
    fit_intercept : bool
        Whether hyperplanes may miss the origin.
    n_jobs : int, optional
        Processes; −1 for all cores.
    groups : one name a row, optional
        Rows of one group (a patient, a document) are related: labels are exchanged between whole groups. Where a group
        has both labels, its labels go to a group with as many rows, and are turned round there.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(60, 10))
    >>> y = np.arange(60) < 5
    >>> print(permutation_test(X, y, n=200, random_state=0))
    28 of 200 shufflings with the same class sizes are separable: 14 % (95 % interval 9.5 … 20 %). ...
    >>> from rosenblatt.counting import probability
    >>> probability(60, 11)
    1.35...e-07
    """
    if isinstance(n, bool) or not hasattr(n, "__index__") or n < 1:
        raise ValueError(f"n, the number of shufflings, must be a whole number of 1 or more; got {n!r}.")
    points = float_points(X)
    signs = two_class_signs(y, len(points))
    if int(n) * len(points) > _MOST_LABELS:
        raise ValueError(
            f"n={n} shufflings of {len(points)} labels are too many: take {_MOST_LABELS // len(points):,}."
        )
    random = np.random.default_rng(random_state)
    if groups is None:
        shuffled = random.permuted(np.tile(signs, (n, 1)), axis=1)
    else:
        shuffled = exchanged_labels(signs, groups, int(n), random)
    answers = separable_all(points, shuffled, fit_intercept, n_jobs)
    yes, unknown = sum(a is True for a in answers), sum(a is None for a in answers)
    low, _ = binomial_interval(yes, n)
    _, high = binomial_interval(yes + unknown, n)
    return PermutationTest(int(n), yes, unknown, separable(points, signs, fit_intercept), low, high)


def binomial_interval(k: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Clopper and Pearson's interval for a probability, from k successes in n trials; it errs on the wide side.

    >>> low, high = binomial_interval(0, 100)
    >>> low, round(high, 3)
    (0.0, 0.036)
    """
    tail = (1 - confidence) / 2
    low = 0.0 if k == 0 else float(betaincinv(k, n - k + 1, tail))
    high = 1.0 if k == n else float(betaincinv(k + 1, n - k, 1 - tail))
    return low, high


def arrangements(sizes: Places, count: int, random: np.random.Generator) -> npt.NDArray[np.int32]:
    """Where the label of each row goes, count × rows; groups of these sizes lie side by side.

    Groups change places with groups of their size, and their rows are turned round (the last become the first): that is
    fair if neighbours in a group are alike, too.

    >>> arrangements(np.array([1, 1, 3]), 2, np.random.default_rng(0)).tolist()
    [[1, 0, 2, 3, 4], [1, 0, 2, 3, 4]]
    """
    starts = np.cumsum(sizes) - sizes
    block = np.empty((count, int(sizes.sum())), dtype=np.int32)
    for size in np.unique(sizes[sizes > 0]).tolist():
        mine = starts[sizes == size]
        to = mine[np.argsort(random.random((count, mine.size), dtype=np.float32), axis=1)]
        turned = (random.integers(size, size=to.shape)[..., None] + np.arange(size)) % size if size > 1 else 0
        block[:, (mine[:, None] + np.arange(size)).ravel()] = (to[..., None] + turned).reshape(count, -1)
    return block


def exchanged_labels(signs: Signs, groups: npt.ArrayLike, count: int, random: np.random.Generator) -> Signs:
    """Labels exchanged between groups, count × rows; where every group has one label, whatever its size."""
    names = np.asarray(groups)
    if names.shape != signs.shape:
        raise ValueError(f"groups must name the group of each of {len(signs)} rows; it has shape {names.shape}.")
    _, of_row, sizes = np.unique(names.astype(str), return_inverse=True, return_counts=True)
    order = np.argsort(of_row, kind="stable")
    first = signs[order][np.cumsum(sizes) - sizes]
    if np.array_equal(first[of_row], signs):
        return np.asarray(random.permuted(np.tile(first, (count, 1)), axis=1)[:, of_row])
    made = np.empty((count, len(signs)), dtype=signs.dtype)
    made[np.arange(count)[:, None], order[arrangements(sizes, count, random)]] = signs[order]
    return made


# ------------------------------------------------------------------------------------------------------------- capacity
# Cover's counts, which `rosenblatt.counting` has, are called by their names in `rosenblatt.cover` too.


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
