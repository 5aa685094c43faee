"""How often shuffled labels are separable: counted, where Cover's theorem only bounds it.

What is tested: "labels have nothing to do with the rows". The statistic is whether a hyperplane separates the classes,
1 or 0. Labels that are not separable have the smallest value there is, and p = 1.

Which exchanges of labels are fair where rows are related: groups change places as wholes.

Rows of one group (a patient, a document) have something in common, in their numbers and in their labels. If labels tell
nothing of the rows, a group's labels might as well have been those of another group.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv

from rosenblatt.arguments import checked
from rosenblatt.arrays import Places, Signs
from rosenblatt.cover.dichotomy import float_points
from rosenblatt.cover.quick import separable, separable_all
from rosenblatt.data.numbers import two_class_signs

__all__ = ["PermutationTest", "arrangements", "binomial_interval", "exchanged_labels", "permutation_test"]

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
