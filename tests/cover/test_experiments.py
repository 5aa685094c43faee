"""Shuffled labels and measured capacity, against exact verdicts and the theorem."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

import rosenblatt as rb
from rosenblatt import cover
from rosenblatt.cover import quick
from rosenblatt.cover.shuffles import binomial_interval


@given(st.integers(0, 2**32), st.integers(2, 14), st.integers(1, 5), st.sampled_from([0, 1, 3]), st.booleans())
def test_quick_answers_are_the_exact_ones(seed: int, n: int, p: int, size: int, fit_intercept: bool) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(-size, size + 1, size=(n, p)).astype(float) if size else rng.normal(size=(n, p))
    y = rng.permutation(np.where(np.arange(n) % 2 == 0, 1, -1)).astype(np.int8)
    exact = rb.separability(X, y, fit_intercept=fit_intercept, margin=False).kind
    assert quick.separable(X, y, fit_intercept) == (exact == "complete")


@pytest.mark.parametrize("scale", [1.0, 1e-200, 1e200])
@pytest.mark.parametrize("gap", [1e-13, 0.0, -1e-13])
def test_quick_answers_by_a_hair(gap: float, scale: float) -> None:
    """Four points of which one is inside, on, or outside the triangle of the others."""
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.5 + gap, 0.5]]) * scale
    y = np.array([1, 1, 1, -1], dtype=np.int8)
    assert quick.separable(X, y, True) == (gap > 0)


def test_positive_mixtures_are_not_claimed_where_one_is_zero_or_negative() -> None:
    assert quick._mixture_is_positive(np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]))
    assert not quick._mixture_is_positive(np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]]))
    assert not quick._mixture_is_positive(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
    assert not quick._mixture_is_positive(np.zeros((3, 2)))


def test_permutations_against_all_of_them() -> None:
    X = np.random.default_rng(1).normal(size=(9, 2))
    y = np.arange(9) < 3
    exact = np.mean(
        [
            rb.separability(X, [i in chosen for i in range(9)], margin=False).kind == "complete"
            for chosen in itertools.combinations(range(9), 3)
        ]
    )
    test = cover.permutation_test(X, y, n=400, random_state=1)
    assert test.low < exact < test.high
    assert test.n == 400
    assert test.unknown == 0
    assert test.observed == (rb.separability(X, y, margin=False).kind == "complete")
    assert test.p_value == ((1 + test.separable) / 401 if test.observed else 1.0)


def test_few_of_one_class_are_cut_off_by_chance_far_more_often_than_coins() -> None:
    X = np.random.default_rng(0).normal(size=(60, 10))
    test = cover.permutation_test(X, np.arange(60) < 5, n=150, random_state=0)
    assert 0.08 < test.fraction < 0.25
    assert cover.probability(60, 11) == pytest.approx(1.35e-7, rel=0.01)


def test_processes_change_nothing() -> None:
    X, y = rb.datasets.margin_cloud(30, 6, random_state=0)
    alone = cover.permutation_test(X, y, n=40, random_state=3, n_jobs=1)
    assert cover.permutation_test(X, y, n=40, random_state=3, n_jobs=2) == alone
    assert "p = " in alone.sentence
    assert cover.capacity_experiment([3], [2.0], 20, 0, n_jobs=2).separable.tolist() == (
        cover.capacity_experiment([3], [2.0], 20, 0).separable.tolist()
    )


@pytest.mark.parametrize("n", [1, 7, 40])
def test_intervals_are_right_often_enough(n: int) -> None:
    for k in range(n + 1):
        low, high = binomial_interval(k, n)
        reference = binomtest(k, n).proportion_ci(method="exact")
        assert (low, high) == pytest.approx((reference.low, reference.high))
    for q in (0.02, 0.5, 0.9):
        right = sum(
            binom.pmf(k, n, q) for k in range(n + 1) if binomial_interval(k, n)[0] <= q <= binomial_interval(k, n)[1]
        )
        assert right >= 0.95


def test_measured_capacity_agrees_with_the_theorem() -> None:
    experiment = cover.capacity_experiment(N=[5, 20], ratios=[1, 1.5, 2, 2.5, 4], trials=80, random_state=1)
    assert experiment.points.tolist() == [[5, 8, 10, 12, 20], [20, 30, 40, 50, 80]]
    assert experiment.theory[0, 2] == experiment.theory[1, 2] == 0.5
    assert np.all(experiment.measured[:, 0] == 1.0)
    outside = (experiment.theory < experiment.intervals[0]) | (experiment.theory > experiment.intervals[1])
    assert outside.sum() <= 1  # of ten 95 % intervals
    assert experiment.measured[1, 3] < experiment.measured[0, 3]  # the larger N, the sharper
    assert "N = 20" in str(experiment)


def test_one_ratio_is_enough() -> None:
    assert cover.capacity_experiment(3, 2, trials=3, random_state=0).ratios == (2.0,)


def test_a_test_in_words() -> None:
    """An end of 100 % was written 1e+02 %."""
    every = cover.permutation_test([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1], n=20, random_state=0)
    assert str(every) == (
        "20 of 20 shufflings with the same class sizes are separable: 100 % (95 % interval 83 … 100 %). "
        "The labels as given are separable, too: p = 1."
    )


def test_what_a_display_shows() -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    from rosenblatt.plot import CapacityDisplay

    experiment = cover.capacity_experiment(N=[3, 6], ratios=[1, 2, 3], trials=10, random_state=0)
    display = experiment.plot()
    assert display.figure_ is display.ax_.figure
    curves = [line for line in display.ax_.lines if len(line.get_xdata()) > 3]
    assert len(curves) == 2
    for curve, N in zip(curves, (3, 6), strict=True):
        at_capacity = np.flatnonzero(curve.get_xdata() == 2.0)
        assert curve.get_ydata()[at_capacity] == [0.5]
        assert curve.get_ydata()[0] == 1.0
        assert curve.get_xdata()[-1] * N == 3 * N
    _, mine = plt.subplots()
    assert CapacityDisplay([3], [1.0], [[1.0]]).plot(mine).ax_ is mine
    with pytest.raises(ValueError, match=r"shape \(1, 2\)"):
        CapacityDisplay([3], [1.0], [[1.0, 0.5]])
    plt.close("all")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cover.permutation_test([[1.0], [2.0]], [0, 1], n=0), "n, the number of shufflings"),
        (lambda: cover.permutation_test([[1.0], [2.0]], [0, 0]), "two classes"),
        (lambda: cover.permutation_test([[np.nan], [2.0]], [0, 1]), "NaN in row 0"),
        (lambda: cover.capacity_experiment(0), "numbers of weights"),
        (lambda: cover.capacity_experiment(3, [-1.0]), "positive numbers"),
        (lambda: cover.capacity_experiment(2.7), r"whole numbers, 1 or more; got \(2.7,\)"),
        (lambda: cover.capacity_experiment(3, [1.0], 0), "trials must be a whole number, 1 or more"),
        (lambda: cover.capacity_experiment(3, [1.0], 2.5), "trials must be a whole number, 1 or more"),
    ],
)
def test_bad_requests(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()  # type: ignore[operator]


@given(
    st.integers(0, 2**32), st.integers(4, 9), st.integers(1, 3), st.booleans(), st.sampled_from([1.0, 2.0**200, 1e-90])
)
@settings(max_examples=settings.default.max_examples // 5)  # each decides up to 512 labelings, one by one and together
def test_many_labelings_together_are_decided_as_all_dichotomies_say(
    seed: int, n: int, p: int, fit_intercept: bool, unit: float
) -> None:
    """Small whole numbers: equal rows, rows of zeros, rows on a line; in any unit, and columns of different units."""
    random = np.random.default_rng(seed)
    X = random.integers(-2, 3, size=(n, p)) * unit * 2.0 ** random.integers(-40, 40, p)
    every = np.array(list(itertools.product([-1, 1], repeat=n)), dtype=np.int8)
    truth = {tuple(labels.tolist()) for labels, _ in cover.enumerate_dichotomies(X, fit_intercept)}
    assert quick.separable_all(X, every, fit_intercept, None) == [tuple(y.tolist()) in truth for y in every]


def test_most_labelings_of_rows_in_general_position_are_proved_together() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 10))
    for positive, most_open in ((30, 0.0), (5, 0.1), (2, 0.1)):
        y = np.where(np.arange(60) < positive, 1, -1).astype(np.int8)
        labelings = random.permuted(np.tile(y, (300, 1)), axis=1)
        shared = quick._Shared.of(np.column_stack([X, np.ones(60)]))
        assert shared is not None
        answers = quick._together(shared, labelings)
        assert np.mean(answers == 0) <= most_open
        for j in np.flatnonzero(answers)[:20].tolist():
            assert quick.separable(X, labelings[j], True) == (answers[j] > 0)


def test_rows_that_one_proof_cannot_serve_are_decided_one_by_one() -> None:
    random = np.random.default_rng(1)
    X = random.normal(size=(12, 3))
    y = random.permuted(np.tile(np.array([1, -1], dtype=np.int8), (6, 6)), axis=1)
    for hard in (np.column_stack([X, X[:, 0]]), X[:3], np.column_stack([X, X[:, 0] * (1 + 1e-12)]), X * 1e250, X * 0):
        labels = y[:, : len(hard)]
        assert quick.separable_all(hard, labels, True, None) == [quick.separable(hard, one, True) for one in labels]
