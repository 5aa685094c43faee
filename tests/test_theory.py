"""The convergence theorem holds for every exactly representable run."""

from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt.theory import sqrt_above
from tests.learners.test_perceptron import quiet, small_data


def naive_bound(X: Any, y: Any, w: list[Fraction], w0: list[Fraction], eta: Fraction, scale: list[Fraction]) -> int:
    """Largest n for which the two curves have not crossed, by counting."""
    Z = [
        [s * int(t) * Fraction(v) for v in [*x, 1.0]] for x, t, s in zip(np.asarray(X).tolist(), y, scale, strict=True)
    ]
    delta = min(sum(a * b for a, b in zip(w, z, strict=True)) for z in Z)
    epsilon = max(sum(v * v for v in z) for z in Z)
    w_sq, w0_sq = sum(v * v for v in w), sum(v * v for v in w0)
    ahead = sum(a * b for a, b in zip(w, w0, strict=True))
    n = 0
    while max(Fraction(0), ahead + (n + 1) * eta * delta) ** 2 <= w_sq * (w0_sq + (n + 1) * eta**2 * epsilon):
        n += 1
    return n


@st.composite
def planted(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Integer points labelled by an integer hyperplane that touches none of them."""
    X, _ = draw(small_data(dims=3))
    w = np.array(draw(st.lists(st.integers(-4, 4), min_size=X.shape[1] + 1, max_size=X.shape[1] + 1)), float)
    w[-1] += 0.5
    s = X @ w[:-1] + w[-1]
    y = np.where(s > 0, 1, -1)
    assume(len(set(y.tolist())) == 2)
    return X, y, w


starts = st.lists(st.integers(-8, 8), min_size=4, max_size=4)


@given(
    planted(),
    starts,
    st.sampled_from([0.25, 1.0, 3.0]),
    st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=9, max_size=9),
)
def test_bound_is_where_the_curves_cross(data: Any, start: list[int], eta: float, scale: list[float]) -> None:
    X, y, w = data
    w0, scale = start[: w.size], scale[: len(y)]
    got = rb.theory.mistake_bound(X, y, w, w0, eta, sample_weight=scale)
    fractions = [Fraction(float(v)) for v in w]
    assume(got < 3000)
    assert got == naive_bound(X, y, fractions, list(map(Fraction, w0)), Fraction(eta), list(map(Fraction, scale)))


@given(
    planted(),
    starts,
    st.sampled_from([0.25, 1.0, 3.0]),
    st.sampled_from(["mistake", "correct", "positive"]),
    st.sampled_from(["cyclic", "shuffled", "random"]),
    st.booleans(),
)
def test_no_exact_run_exceeds_its_bound(
    data: Any, start: list[int], eta: float, tie: str, order: str, weighted: bool
) -> None:
    X, y, w = data
    weights = np.array([0.5, 1.0, 2.0])[np.arange(len(y)) % 3] if weighted else None
    model = rb.Perceptron(
        eta=eta,
        start=np.array(start[: w.size], float),
        tie=tie,
        order=order,
        random_state=0,
        max_passes=10**6,
        trace=True,
    )
    quiet(model, X, y, sample_weight=weights)
    bound = rb.theory.mistake_bound(X, y, w, model.start, eta, sample_weight=weights)
    assert model.outcome_ in ("SEPARATED", "TIED")
    assert model.n_updates_ <= bound
    curve = rb.theory.convergence(model.trace_, X, y, w)
    assert np.all(curve.lower <= curve.norm_sq)
    assert np.all(curve.norm_sq <= curve.upper)
    moving = curve.norm_sq > 0
    assert np.all(curve.cos[moving] >= curve.cos_bound[moving] - 1e-12)
    assert np.all(curve.cos[moving] <= 1 + 1e-12)
    if not weighted and len(model.trace_):
        assert curve.bound == bound


def test_absent_rows_of_a_run_on_unit_vectors_leave_no_trace() -> None:
    """Their length was divided by, with a warning of NumPy's."""
    X, y, w = [[0.0], [1.0], [5.0]], [0, 1, 1], [2, -1]
    bound = rb.theory.mistake_bound(X, y, w, sample_weight=[1, 1, 0], normalize=True)
    assert bound == rb.theory.mistake_bound(X[:2], y[:2], w, normalize=True)


@given(planted(), st.integers(0, 50))
def test_unit_runs_keep_their_bound(data: Any, seed: int) -> None:
    X, y, w = data
    model = quiet(rb.Perceptron.from_recipe("unit", random_state=seed, max_passes=10**6, trace=True), X, y)
    bound = rb.theory.mistake_bound(X, y, w, model.trace_.start, normalize=True)
    assert model.n_updates_ <= bound + 1  # rounding allowed
    Z = np.column_stack([X, np.ones(len(X))])
    scaled = Z / np.linalg.norm(Z, axis=1)[:, None]
    about = rb.theory.mistake_bound(scaled, y, w, model.trace_.start, fit_intercept=False)
    assert bound == pytest.approx(about, abs=1, rel=1e-9)


def test_bound_from_zero_is_the_squared_ratio_in_exact_rationals() -> None:
    data = rb.datasets.margin_cloud(300, 5, 0.125, random_state=2)
    z = np.column_stack([data.X, np.ones(300)])
    radius_sq = max(sum(Fraction(v) ** 2 for v in row) for row in z.tolist())
    expected = radius_sq / Fraction(data.margin) ** 2
    for X in (data.X, sp.csr_array(data.X), data.X.astype(np.float32)):
        assert rb.theory.mistake_bound(X, data.y, data.w_star) == expected.numerator // expected.denominator
    assert rb.theory.mistake_bound(data.X, data.y, data.w_star * 3, eta=0.1) == int(expected)
    exact = [Fraction(float(v)) / 7 for v in data.w_star]
    assert rb.theory.mistake_bound(data.X, data.y, exact) == int(expected)


def test_margin_runs_can_exceed_the_bound() -> None:
    """Why the bound is not offered for margin > 0."""
    data = rb.datasets.margin_cloud(200, 2, 0.05, random_state=1)
    model = rb.Perceptron(margin=0.05, order="cyclic", max_passes=3000).fit(data.X, data.y)
    assert model.outcome_ == "SEPARATED"
    assert model.n_updates_ > rb.theory.mistake_bound(data.X, data.y, data.w_star)


def test_one_correction_raises_its_example_by_the_squared_length() -> None:
    """S2.4, S4.5: y·s grows by η‖z‖², the example's loss falls by min(η‖z‖², −y·s); the total may rise."""
    X, y = rb.datasets.margin_cloud(80, 3, 0.125, random_state=5)
    model = rb.Perceptron(eta=0.5, trace=True).fit(X, y)
    Z = np.column_stack([X, np.ones(80)]) * y[:, None]
    weights = model.trace_.weights_at(np.arange(len(model.trace_) + 1))
    totals = []
    for k, i in enumerate(model.trace_.rows):
        before, after = Z[i] @ weights[k], Z[i] @ weights[k + 1]
        gain = 0.5 * (Z[i] @ Z[i])
        assert after - before == gain
        assert max(0, -before) - max(0, -after) == min(gain, -before)
        totals.append(np.maximum(0, -(Z @ weights[k + 1])).sum() - np.maximum(0, -(Z @ weights[k])).sum())
    assert max(totals) > 0


def test_hebb_where_the_input_is_zero_nothing_is_learned() -> None:
    X, y = np.array([[1.0, 0.0], [-1.0, 0.0]]), [1, 0]
    assert rb.Perceptron().fit(X, y).coef_[0, 1] == 0  # S0.4


def test_useless_vectors_are_refused() -> None:
    X, y = [[0.0], [1.0]], [0, 1]
    with pytest.raises(ValueError, match=r"does not separate the classes: .* for row 0"):
        rb.theory.mistake_bound(X, y, [1.0, 0.0])
    with pytest.raises(ValueError, match="w_star must have 2 weights"):
        rb.theory.mistake_bound(X, y, [1.0])
    with pytest.raises(ValueError, match="start must have 2 weights"):
        rb.theory.mistake_bound(X, y, [2.0, -1.0], start=[1.0])
    with pytest.raises(ValueError, match="eta must be positive"):
        rb.theory.mistake_bound(X, y, [2.0, -1.0], eta=0)
    with pytest.raises(ValueError, match="one row of 2 weights, the bias last, for each of the 3 classes of y"):
        rb.theory.mistake_bound([[0.0], [1.0], [2.0]], [0, 1, 2], [2.0, -1.0])
    with pytest.raises(ValueError, match="one label for each of 2 rows"):
        rb.theory.mistake_bound(X, [1, 1, 0], [2.0, -1.0])
    with pytest.raises(ValueError, match="NaN in row 1"):
        rb.theory.mistake_bound([[0.0], [np.nan]], y, [2.0, -1.0])


@given(st.fractions(min_value=0, max_value=10**6), st.integers(-2000, 2000))
def test_square_root_from_above(q: Fraction, shift: int) -> None:
    q = q * Fraction(2) ** shift
    root = sqrt_above(q)
    if q:
        assert root * root >= q
        assert root * root <= q * (1 + Fraction(1, 2**100))
        if isqrt(q.numerator) ** 2 == q.numerator and isqrt(q.denominator) ** 2 == q.denominator:
            assert root * root == q


@pytest.mark.parametrize("bad", [np.nan, np.inf, "a", None])
def test_weights_that_are_no_numbers_are_refused_by_name(bad: Any) -> None:
    X, y = [[0.0], [1.0]], [0, 1]
    with pytest.raises(ValueError, match="w_star must have finite numbers"):
        rb.theory.mistake_bound(X, y, [bad, 1.0])
    with pytest.raises(ValueError, match="start must have finite numbers"):
        rb.theory.mistake_bound(X, y, [2.0, -1.0], start=[bad, 0.0])
    with pytest.raises(ValueError, match="w_star must have finite numbers"):
        rb.theory.mistake_bound([[0.0], [1.0], [2.0]], [0, 1, 2], [[bad, 2], [0, 1], [2, -2]])


def test_labels_of_another_length_are_not_blamed_on_the_weights() -> None:
    with pytest.raises(ValueError, match="y must hold one label for each of 4 rows"):
        rb.theory.mistake_bound([[0.0], [1.0], [2.0], [3.0]], [0, 1, 2], [[-2, 2], [0, 1], [2, -2]])


@pytest.mark.parametrize("eta", [np.nan, np.inf, 0.0])
def test_a_step_must_be_a_step(eta: float) -> None:
    with pytest.raises(ValueError, match="eta must be positive and finite"):
        rb.theory.mistake_bound([[0.0], [1.0]], [0, 1], [2.0, -1.0], eta=eta)


def test_curves_are_of_one_weight_vector() -> None:
    X, y = [[0.0], [1.0], [2.0]], np.array([0, 1, 2])
    with pytest.raises(TypeError, match="of several that learn together; mistake_bound has their bound"):
        rb.theory.convergence(quiet(rb.Perceptron(multiclass="kesler", trace=True), X, y).trace_, X, y, np.eye(3, 2))
    apart = quiet(rb.Perceptron(trace=True), X, y)
    with pytest.raises(TypeError, match=r"one Trace, not a list; of K > 2 classes, take trace_\[k\]"):
        rb.theory.convergence(apart.trace_, X, y, [1.0, 1.0])
    assert len(rb.theory.convergence(apart.trace_[2], X, y == 2, [2.0, -3.0]).k) == len(apart.trace_[2]) + 1
