"""The number of separable dichotomies against Cover, against known sequences and against all 2^P labelings."""

import itertools
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt import cover
from rosenblatt.cover import arrangement
from rosenblatt.cover.dichotomy import WholePoints
from rosenblatt.exact.linear import rank

CUBES = [2, 4, 14, 104, 1882, 94572]  # OEIS A000609


def cube(n: int) -> np.ndarray:
    return np.array(list(itertools.product([0, 1], repeat=n)), dtype=float).reshape(2**n, n)


def separable_labelings(X: np.ndarray, fit_intercept: bool) -> set[tuple[int, ...]]:
    """All labelings that an exact verdict calls complete."""
    kinds = {
        labels: rb.separability(X, labels, fit_intercept=fit_intercept, margin=False).kind
        for labels in itertools.product([-1, 1], repeat=len(X))
        if labels[0] == 1 and -1 in labels
    }
    ones = (1,) * len(X)
    some = {labels for labels, kind in kinds.items() if kind == "complete"}
    if fit_intercept or _one_sided(X):
        some.add(ones)
    return some | {tuple(-v for v in labels) for labels in some}


def _one_sided(X: np.ndarray) -> bool:
    """Whether some w has w·x > 0 for every point: then 0 is separable from them by a hyperplane with a bias."""
    both = np.vstack([X, np.zeros((1, X.shape[1]))])
    return rb.separability(both, [1] * len(X) + [0], margin=False).kind == "complete"


@pytest.mark.parametrize("n", range(6))
def test_cubes(n: int) -> None:
    assert cover.dichotomies(cube(n)) == CUBES[n]


@given(st.integers(0, 2**32), st.integers(1, 9), st.integers(1, 4), st.booleans())
def test_general_position_gives_covers_count(seed: int, P: int, p: int, fit_intercept: bool) -> None:
    X = np.random.default_rng(seed).normal(size=(P, p))
    assert cover.general_position(X, fit_intercept)
    assert cover.dichotomies(X, fit_intercept) == cover.count(P, p + fit_intercept)


@given(st.integers(0, 2**32), st.integers(1, 7), st.integers(1, 4), st.sampled_from([1, 2, 3]), st.booleans())
def test_degenerate_points_against_all_labelings(seed: int, P: int, p: int, size: int, fit_intercept: bool) -> None:
    X = np.random.default_rng(seed).integers(-size, size + 1, size=(P, p)).astype(float)
    expected = separable_labelings(X, fit_intercept)
    assert cover.dichotomies(X, fit_intercept) == len(expected)
    found = list(cover.enumerate_dichotomies(X, fit_intercept))
    assert len(found) == len(expected)
    assert {tuple(int(v) for v in labels) for labels, _ in found} == expected


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_grid_points_against_all_labelings(fit_intercept: bool, request: pytest.FixtureRequest) -> None:
    columns = 4 if fit_intercept and request.config.getoption("--soak") else 3  # 2^11 verdicts, or 2^8
    X = np.array(list(itertools.product(range(-1, columns - 1), [1, 2, 4])), dtype=float)
    assert cover.dichotomies(X, fit_intercept) == len(separable_labelings(X, fit_intercept))


@given(st.integers(0, 2**32), st.integers(1, 12), st.integers(1, 4))
def test_covers_count_bounds_every_configuration_of_that_rank(seed: int, P: int, p: int) -> None:
    X = np.random.default_rng(seed).integers(-1, 2, size=(P, p)).astype(float)
    r = rank([[*map(int, x), 1] for x in X])
    assert cover.dichotomies(X) <= cover.count(P, r) <= cover.count(P, p + 1)


@given(st.integers(0, 2**32), st.integers(3, 9), st.integers(2, 4))
def test_long_numbers_count_the_same(seed: int, P: int, p: int) -> None:
    """Points blown up by factors that no machine number holds: the same matroid, by the way of long numbers."""
    rng = np.random.default_rng(seed)
    hyperplanes = WholePoints(rng.integers(-2, 3, size=(P, p)).astype(float)).hyperplanes
    change = rng.integers(-(2**50), 2**50, size=(p + 1, p + 1)).astype(object)
    if rank(change.tolist()) == p + 1:
        long = [tuple(int(v) for v in np.array(h, dtype=object) @ change) for h in hyperplanes]
        assert arrangement.regions(long) == arrangement.regions(hyperplanes)
    assert arrangement._count_long(arrangement._full_rank(hyperplanes)) == arrangement.regions(hyperplanes)


@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(1, 2), st.integers(2**53, 10**29))
def test_numbers_that_floats_do_not_hold_count_as_their_differences_do(seed: int, P: int, p: int, far: int) -> None:
    small = np.random.default_rng(seed).integers(0, 4, (P, p))
    moved = [[far + int(v) for v in row] for row in small]
    assert cover.dichotomies(moved) == cover.dichotomies(small)
    assert cover.general_position(moved) == cover.general_position(small)
    for one in itertools.islice(cover.enumerate_dichotomies(moved), 4):
        responses = [sum(w * v for w, v in zip(one.weights, [*row, 1], strict=True)) for row in moved]
        assert [1 if r > 0 else -1 for r in responses] == one.labels.tolist()


def test_decimals_lie_on_a_line_as_they_do_on_paper() -> None:
    assert not cover.general_position([[0.1, 0.3], [0.2, 0.6], [0.3, 0.9]])
    assert cover.dichotomies([[0.1, 0.3], [0.2, 0.6], [0.3, 0.9]]) == cover.dichotomies([[1, 3], [2, 6], [3, 9]])


def test_multiples_of_the_kernels_prime_are_not_taken_for_zero() -> None:
    from rosenblatt.kernels.arrangements import PRIME

    generic = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, PRIME), (1, 2, 5 * PRIME), (PRIME, 3 * PRIME, PRIME)]
    assert arrangement._dependent_modulo(generic) is not None
    assert arrangement.first_dependence(generic) is None
    assert arrangement.regions(generic) == cover.count(6, 3)


@pytest.mark.parametrize("scale", [1e300, 1e-300, 5e-324])
def test_units_do_not_matter(scale: float) -> None:
    X = cube(3)
    assert cover.dichotomies(X * np.array([scale, 1.0, 1.0])) == 104
    weights = [w for _, w in cover.enumerate_dichotomies(X * np.array([scale, 1.0, 1.0]))]
    assert len(set(weights)) == 104


def test_weights_realise_their_labels_on_the_callers_points() -> None:
    X = np.random.default_rng(0).normal(size=(7, 2)) * [1e-9, 1e5]
    seen = 0
    for labels, w in cover.enumerate_dichotomies(X):
        for x, label in zip(X, labels, strict=True):
            response = sum(v * rb.exact.fraction(a) for v, a in zip(w, [*x, 1.0], strict=True))
            assert (1 if response > 0 else -1) == label
            assert response != 0
        seen += 1
    assert seen == cover.count(7, 3)


def test_duplicates_opposites_zeros_and_constant_columns() -> None:
    assert cover.dichotomies([[1.0], [1.0], [2.0]]) == cover.dichotomies([[1.0], [2.0]]) == 4
    assert cover.dichotomies([[1.0, 0.0], [-1.0, -0.0]], fit_intercept=False) == 2
    assert cover.dichotomies([[0.0, 0.0], [1.0, 0.0]], fit_intercept=False) == 0
    assert list(cover.enumerate_dichotomies([[0.0]], fit_intercept=False)) == []
    assert cover.dichotomies([[3.0, 7.0], [3.0, 8.0], [3.0, 9.0]]) == 6
    assert cover.dichotomies(np.eye(40)) == 2**40


def brute_general_position(vectors: list[list[int]]) -> bool:
    N = len(vectors[0])
    return all(
        rank([list(v) for v in some]) == len(some)
        for size in range(1, N + 1)
        for some in itertools.combinations(vectors, size)
    )


@given(st.integers(0, 2**32), st.integers(1, 7), st.integers(1, 4), st.integers(1, 4), st.booleans())
def test_general_position_against_every_subset(seed: int, P: int, p: int, size: int, fit_intercept: bool) -> None:
    X = np.random.default_rng(seed).integers(-size, size + 1, size=(P, p))
    vectors = [[*map(int, x), 1] if fit_intercept else [*map(int, x)] for x in X]
    answer = cover.general_position(X, fit_intercept)
    assert bool(answer) == brute_general_position(vectors)
    if not answer:
        failing = [vectors[i] for i in answer.points]
        assert rank(failing) == len(failing) - 1 <= p + fit_intercept - 1
        for i in range(len(failing)):  # none can be spared
            assert rank(failing[:i] + failing[i + 1 :]) == len(failing) - 1


def test_general_position_with_numbers_that_only_the_prime_calls_dependent() -> None:
    from rosenblatt.kernels.arrangements import PRIME

    planted = [(1, 0, 0), (0, 1, 0), (1, 1, PRIME), (0, 0, 1), (1, 3, 7), (2, 4, 7 + PRIME)]
    found = arrangement.first_dependence(planted)
    assert found is not None
    assert rank([list(planted[i]) for i in found]) == 2


def test_what_general_position_says() -> None:
    assert "points 0, 2 lie on one spot" in str(cover.general_position([[1, 2], [3, 4], [1, 2]]))
    assert "point 1 lies at the origin" in str(cover.general_position([[1, 2], [0, 0]], fit_intercept=False))
    flat = cover.general_position([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]])
    assert flat.points == (0, 1, 2, 3)
    assert "on a plane" in flat.sentence


def test_out_of_reach_is_said_not_tried() -> None:
    with pytest.raises(ValueError, match=r"1000 points with 21 weights would take about 10\^39 steps"):
        cover.dichotomies(np.random.default_rng(0).normal(size=(1000, 20)))
    assert len(str(comb(1000, 19))) - 1 == 39


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[1.0, np.nan]], "NaN in row 0, column 1"),
        ([[np.inf]], "inf in row 0"),
        ([], "two dimensions"),
        (np.empty((0, 2)), "no rows"),
        ([["a"]], "text 'a'"),
        (np.empty((3, 0)), None),
    ],
)
def test_bad_points(X: object, message: str | None) -> None:
    if message is None:
        assert cover.dichotomies(X) == 2  # the bias alone
        with pytest.raises(ValueError, match="no columns"):
            cover.dichotomies(X, fit_intercept=False)
        return
    with pytest.raises(ValueError, match=message):
        cover.dichotomies(X)


@pytest.mark.parametrize("P", [1, 2, 5, 11, 12, 40])
def test_regimes(P: int) -> None:
    N = 6
    assert cover.capacity(N) == 12
    expected = "every" if P <= N else "all but" if P < 12 else "exactly half" if P == 12 else "above the capacity"
    assert expected in cover.regime(P, N)


def test_the_limit_far_above_capacity() -> None:
    assert cover.log10_limit(10**8, 5) == pytest.approx(cover.log10_count(10**8, 5), rel=1e-7)
    with pytest.raises(ValueError, match="N=0"):
        cover.capacity(0)
    for bad in (cover.capacity, lambda N: cover.regime(3, N), lambda N: cover.regime(N, 3)):
        for number in (0, 2.5):  # regime(3, 0) divided by zero, regime(0, 3) answered
            with pytest.raises((ValueError, TypeError), match=r"whole number|N ≥ 1"):
                bad(number)
    assert str(cover.general_position([[1, 2]]).sentence).startswith("1 point with 3 weights is in general position")


def test_every_public_name_is_there() -> None:
    assert dir(cover) == sorted(cover.__all__)
    for name in cover.__all__:
        assert callable(getattr(cover, name))
    with pytest.raises(AttributeError, match="attribute separate"):
        cover.separate  # noqa: B018
