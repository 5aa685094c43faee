"""What a verdict is worth: the bounds hold for the points at hand, and the words say what the numbers do."""

import itertools
from math import comb, log10

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import cover
from rosenblatt.counting import chance_in_words
from rosenblatt.verdicts.words import Worth


@given(st.integers(0, 2**32), st.integers(2, 9), st.integers(1, 3), st.booleans())
def test_bounds_hold_for_any_points(seed: int, n: int, p: int, fit_intercept: bool) -> None:
    """Fractions of labelings that are separable, by fair coins and by class size, never exceed what is promised."""
    X = np.random.default_rng(seed).integers(-2, 3, size=(n, p)).astype(float)
    distinct = len(np.unique(X, axis=0))
    separable = [int((labels > 0).sum()) for labels, _ in cover.enumerate_dichotomies(X, fit_intercept)]
    for positive in range(1, n):
        worth = Worth.of(n, positive, distinct, p + fit_intercept, fit_intercept)
        assert len(separable) / 2**n <= 10**worth.log10_fair * (1 + 1e-9)
        of_this_size = separable.count(positive) / comb(n, positive)
        assert of_this_size <= 10**worth.log10_sizes * (1 + 1e-9)


def test_words() -> None:
    assert Worth.of(22, 11, 22, 11, True).sentence("complete") == (
        "22 points in 10 dimensions (11 weights with the intercept): labels shuffled with these class sizes may all be "
        "completely separable. So this is not shown to be more than chance; rb.cover.permutation_test counts it by "
        "shuffling."
    )
    few = str(Worth.of(8, 4, 8, 11, True))
    assert few.endswith("so few points may be completely separable whatever their labels.")
    assert str(Worth.of(8, 4, 8, 3, False)).startswith("8 points in 3 dimensions (no intercept)")
    assert str(Worth.of(22, 11, 22, 11)).startswith("22 points with 11 weights: ")
    assert "shuffled with these class sizes may all be" in str(Worth.of(60, 5, 60, 11, True))
    assert str(Worth.of(1, 1, 1, 2, True)).startswith("1 point in 1 dimension (2 weights with the intercept)")
    twice = Worth.of(20, 10, 2, 3, True)  # two points, ten rows each: shuffled rows almost never agree within both
    assert twice.sentence("complete").startswith("20 rows at 2 points in 2 dimensions (3 weights with the intercept): ")
    assert twice.sentence("complete").endswith(
        "is at most 1 in 46,000; if equal rows are copies, at most 100 %. So this is more than chance if equal rows "
        "were observed one by one, and not shown to be if they are copies."
    )
    assert Worth.of(96, 40, 12, 4, True, kinds=5).log10_points == Worth.of(12, 5, 12, 4).log10_sizes
    some = [Worth.of(96, 3, 12, 4, kinds=kinds).log10_points for kinds in (0, 1, 2, 3)]
    assert Worth.of(96, 3, 12, 4).log10_points == max(some)  # not known: the least telling
    sonar = Worth.of(208, 97, 208, 61, True)
    assert "the chance of complete separability is at most 1 in 10^8." in str(sonar)
    assert sonar.sentence("overlap").endswith(". These are not completely separable, and shuffled labels rarely are.")
    assert sonar.sentence("quasi").endswith("; how often chance gives a quasi-separation is not counted.")
    assert Worth.of(34, 17, 34, 12).sentence("overlap").endswith("at most 30 %. These are not completely separable.")
    assert sonar.sentence("unknown") == str(sonar)


def test_one_cut_off_for_all() -> None:
    """1 in 100: on either side of it the words change, and nowhere else."""
    for log10_sizes, word in ((-1.999, "not shown to be more than chance"), (-2.0, "So this is more than chance.")):
        worth = Worth(34, 12, -5.0, log10_sizes, 12, True)
        assert word in worth.sentence("complete")
        assert worth.more_than_chance == (log10_sizes <= -2)


@given(st.floats(-400, 0))
def test_a_chance_in_words_is_never_too_small(log10_chance: float) -> None:
    """Read back, "at most" stays true, and is not far off."""
    words = chance_in_words(log10_chance)
    if words.endswith(" %"):
        log10_said = log10(float(words[:-2])) - 2
    elif "^" in words:
        log10_said = -float(words.removeprefix("1 in 10^"))
    else:
        log10_said = -log10(int(words.removeprefix("1 in ").replace(",", "")))
    assert log10_chance - 1e-8 <= log10_said <= log10_chance + (1 if "^" in words else 0.05)


@pytest.mark.parametrize(("n", "positive"), list(itertools.product([10, 1000], [0, 1, 5])))
def test_never_above_zero(n: int, positive: int) -> None:
    worth = Worth.of(n, positive, n, 4)
    assert worth.log10_fair <= 0
    assert worth.log10_sizes <= 0
