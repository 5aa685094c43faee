"""The perceptron in a kernel's features against the dual loop in plain Python, and against explicit features."""

import pickle
import warnings
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise
from math import comb, exp, factorial, isclose, prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.svm import SVC

import rosenblatt as rb
from rosenblatt.learners.duals.gram import GaussianValues, PolynomialValues
from tests.learners.test_perceptron import quiet
from tests.oracles import perceptron, rows_of_pass

SMALL = st.integers(-3, 3)


def cloud(n: int = 60, p: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)).round(2)
    return X, np.where((X**2).sum(axis=1) > p * 0.8, 1, 0)


def dual_loop(K: Any, y: Any, passes: int, seed: int, order: str, budget: int | None = None) -> tuple[Any, ...]:
    """Rows corrected, α, the mean of α over all presentations, mistakes per pass: the definition, in plain Python."""
    n = len(y)
    alpha, total, corrected, counts, shown = [0.0] * n, [0.0] * n, [], [], 0

    def without_itself(j: int) -> float:
        """y·f at row j if it had no coefficient."""
        return float(y[j] * sum(alpha[m] * K[m][j] for m in range(n) if m != j))

    for k in range(passes):
        counts.append(0)
        for i in rows_of_pass(order, n, seed, k):
            shown += 1
            if y[i] * sum(alpha[j] * K[j][i] for j in range(n)) <= 0:
                used = [j for j in range(n) if alpha[j]]
                if budget and alpha[i] == 0 and len(used) >= budget:
                    alpha[max(used, key=without_itself)] = 0.0
                alpha[i] += y[i]
                corrected.append(i)
                counts[-1] += 1
            total = [a + b for a, b in zip(total, alpha, strict=True)]
        if counts[-1] == 0:
            break
    return corrected, alpha, [v / shown for v in total], counts


def seed_of(state: int) -> int:
    return int(np.random.RandomState(state).randint(0, 2**63, size=1, dtype=np.int64)[0])


def gram(X: Any, gamma: float, degree: int = 0, coef0: float = 0.0) -> Any:
    if degree:
        return [[(gamma * sum(a * b for a, b in zip(x, z, strict=True)) + coef0) ** degree for z in X] for x in X]
    return [[exp(-gamma * sum((a - b) ** 2 for a, b in zip(x, z, strict=True))) for z in X] for x in X]


# ---------------------------------------------------------------------------------------------------- the naive loop


@pytest.mark.parametrize("order", ["cyclic", "shuffled"])
@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_the_corrections_of_the_plain_loop(kernel: str, order: str, average: bool) -> None:
    X, y = cloud()
    model = rb.KernelPerceptron(kernel, gamma=0.25, degree=2, average=average, order=order, max_passes=4, trace=True)
    quiet(model, X, y)
    K = gram(X.tolist(), 0.25, 2 if kernel == "poly" else 0, 1.0)
    corrected, alpha, mean, counts = dual_loop(K, np.where(y, 1, -1), 4, seed_of(0), order)
    assert model.trace_.rows.tolist() == corrected
    assert model.mistakes_per_pass_.tolist() == counts
    assert model.trace_.weights_at(len(corrected)).tolist() == alpha
    full = np.zeros(len(y))
    full[model.support_] = model.dual_coef_[0]
    assert np.allclose(full, mean if average else alpha, rtol=1e-12, atol=1e-12)
    assert np.allclose(model.decision_function(X), np.array(K) @ full, rtol=1e-9, atol=1e-9)
    assert model.predict(X).tolist() == np.where(np.array(K) @ full > 0, 1, 0).tolist()


@given(
    st.lists(st.tuples(SMALL, SMALL, st.booleans()), min_size=2, max_size=12),
    st.sampled_from(["cyclic", "shuffled"]),
    st.integers(1, 4),
)
def test_a_budget_is_kept_as_in_the_plain_loop(points: list[Any], order: str, budget: int) -> None:
    X, y = np.array([p[:2] for p in points], dtype=float), np.array([p[2] for p in points])
    if len(np.unique(y)) < 2:
        return
    model = quiet(rb.KernelPerceptron("poly", gamma=1.0, degree=2, budget=budget, order=order, max_passes=5), X, y)
    K = gram(X.astype(int).tolist(), 1, 2, 1)
    _, alpha, _, counts = dual_loop(K, np.where(y, 1, -1), 5, seed_of(0), order, budget)
    assert model.support_.size <= budget
    assert model.mistakes_per_pass_.tolist() == counts
    full = np.zeros(len(y))
    full[model.support_] = model.dual_coef_[0]
    assert full.tolist() == alpha  # the last f: a mean would need the forgotten rows


def test_rows_that_do_not_all_fit_into_memory_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = cloud(40)
    whole = quiet(rb.KernelPerceptron(max_passes=5), X, y)
    monkeypatch.setattr("rosenblatt.learners.duals.gram._KEPT_VALUES", 40 * 3)
    few = quiet(rb.KernelPerceptron(max_passes=5), X, y)
    assert few.dual_coef_.tolist() == whole.dual_coef_.tolist()
    assert quiet(rb.KernelPerceptron(budget=5), X, y).support_.size <= 5


# ------------------------------------------------------------------------------------------------- explicit features


def explicit(X: Any, degree: int) -> np.ndarray:
    """φ(x) of (x·x' + 1)^degree times √: integers m and their weights c with k(x, x') = Σ c·m(x)·m(x')."""
    powers = list(combinations_with_replacement(range(len(X[0]) + 1), degree))
    Z = [[*map(int, row), 1] for row in X]
    values = np.array([[prod(z[j] for j in power) for power in powers] for z in Z], dtype=object)
    weights = [factorial(degree) // prod(factorial(power.count(j)) for j in set(power)) for power in powers]
    return values, weights


@given(st.lists(st.tuples(SMALL, SMALL, st.booleans()), min_size=2, max_size=10), st.integers(1, 3))
def test_a_polynomial_kernel_is_the_perceptron_on_its_features(points: list[Any], degree: int) -> None:
    X, y = [p[:2] for p in points], np.array([p[2] for p in points])
    if len(np.unique(y)) < 2:
        return
    values, weights = explicit(X, degree)
    assert comb(2 + degree, degree) == len(weights)
    signs, w, corrected = np.where(y, 1, -1), [Fraction(0)] * len(weights), []
    for _ in range(6):
        before = len(corrected)
        for i in range(len(X)):
            if signs[i] * sum(c * a * b for c, a, b in zip(weights, w, values[i], strict=True)) <= 0:
                w = [a + int(signs[i]) * int(b) for a, b in zip(w, values[i], strict=True)]
                corrected.append(i)
        if len(corrected) == before:
            break
    model = rb.KernelPerceptron(
        "poly", gamma=1.0, degree=degree, average=False, order="cyclic", max_passes=6, trace=True
    )
    quiet(model, np.array(X, dtype=float), y)
    made = model.trace_.rows.tolist()
    assert made == corrected[: len(made)]
    if model.outcome_ != "CYCLING":  # which ends the run as soon as it is proved
        assert made == corrected


@given(
    st.lists(st.tuples(SMALL, SMALL, st.booleans()), min_size=2, max_size=12),
    st.sampled_from(["cyclic", "shuffled", "random"]),
    st.booleans(),
)
def test_a_linear_kernel_makes_the_corrections_of_the_perceptron(points: list[Any], order: str, bias: bool) -> None:
    X, y = np.array([p[:2] for p in points], dtype=float), np.array([p[2] for p in points])
    if len(np.unique(y)) < 2:
        return
    ours = quiet(
        rb.KernelPerceptron(
            "poly", gamma=1.0, degree=1, coef0=float(bias), average=False, order=order, max_passes=20, trace=True
        ),
        X,
        y,
    )
    signs = np.where(y, 1, -1).tolist()
    rows, _, _ = perceptron(X, signs, order=order, seed=seed_of(0), bias=bias, passes=20)
    made = ours.trace_.rows.tolist()
    assert made == rows[: len(made)]
    plain = quiet(rb.Perceptron(average=False, order=order, fit_intercept=bias, max_passes=20, trace=True), X, y)
    assert str(plain.outcome_) == str(ours.outcome_)
    assert plain.trace_.steps.tolist() == ours.trace_.steps.tolist()
    if plain.witness_ is not None:
        assert plain.witness_.multipliers == ours.witness_.multipliers


# ---------------------------------------------------------------------------------------------------------- the bound


@given(
    st.lists(st.tuples(SMALL, SMALL, st.booleans()), min_size=2, max_size=8),
    st.sampled_from(["rbf", "poly"]),
    st.integers(0, 3),
    st.booleans(),
)
def test_no_run_makes_more_corrections_than_the_bound(points: list[Any], kernel: str, seed: int, weigh: bool) -> None:
    X, y = np.array([p[:2] for p in points], dtype=float), np.array([p[2] for p in points])
    if len(np.unique(y)) < 2:
        return
    weights = 1.0 + np.arange(len(y)) % 3 if weigh else None
    model = rb.KernelPerceptron(kernel, gamma=0.5, degree=2, average=False, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y, sample_weight=weights)
    found = model.mistake_bound(X, y, sample_weight=weights)
    if model.outcome_ == "SEPARATED":
        assert found.slack is None
    if found.bound is None:
        assert "no function was found" in found.sentence
    elif found.slack is None:
        assert model.n_updates_ <= found.bound
        assert found.bound <= (found.radius / found.margin) ** 2 * (1 + 1e-9)
    else:
        assert model.mistakes_per_pass_[0] <= found.bound
        assert found.bound <= ((found.radius + found.slack) / found.margin) ** 2 * (1 + 1e-9)


def test_the_bound_of_two_points_by_hand() -> None:
    """φ(x) and −φ(x') with k(x, x') = c: the widest f is φ(x) − φ(x'), γ² = (1 − c)/2 and R = 1."""
    X, y = np.array([[0.0], [1.0]]), [0, 1]
    model = rb.KernelPerceptron(gamma=2.0, average=False).fit(X, y)
    found = model.mistake_bound(X, y)
    assert isclose(found.margin**2, (1 - exp(-2.0)) / 2, rel_tol=1e-3)
    assert found.bound == int(2 / (1 - exp(-2.0)))
    assert found.sentence.endswith("of a function that separates the classes, proved.")
    exact = rb.KernelPerceptron("poly", gamma=1.0, degree=1, coef0=1.0, average=False).fit(X, y)
    assert exact.mistake_bound(X, y).bound == rb.theory.mistake_bound(X, y, [2, -1])  # 10: R² = 2, γ² = 1/5


def test_where_there_is_no_bound_it_says_so() -> None:
    X, y = cloud(20)
    assert "with a budget rows are forgotten" in rb.KernelPerceptron(budget=30).fit(X, y).mistake_bound(X, y).sentence
    own = rb.KernelPerceptron(lambda A, B: (A @ B.T + 1) ** 3).fit(X, y)
    assert "cannot be proved" in own.mistake_bound(X, y).sentence
    assert "averaged vote" in str(rb.KernelPerceptron().fit(X, y).mistake_bound(X, y))
    assert "averaged" not in str(rb.KernelPerceptron(average=False).fit(X, y).mistake_bound(X, y))
    many = np.vstack([X] * 103)
    assert "too many" in rb.KernelPerceptron().fit(X, y).mistake_bound(many, np.tile(y, 103)).sentence
    three = rb.KernelPerceptron().fit(X, np.arange(20) % 3)
    assert len(three.mistake_bound(X, np.arange(20) % 3)) == 3


# ------------------------------------------------------------------------------------------------------ exact values


@given(st.lists(st.lists(st.floats(-4, 4, width=16), min_size=2, max_size=2), min_size=1, max_size=4), st.data())
def test_exact_values_are_those_of_fractions(rows: list[list[float]], data: Any) -> None:
    X = np.array(rows)
    dual = [Fraction(data.draw(st.integers(-3, 3))) for _ in rows]
    plain = [
        [(Fraction(0.375) * sum(Fraction(a) * Fraction(b) for a, b in zip(x, z, strict=True)) + 1) ** 3 for z in rows]
        for x in rows
    ]
    found = PolynomialValues(X, X, 0.375, 1.0, 3)
    expected = [sum((a * k for a, k in zip(dual, row, strict=True)), Fraction(0)) for row in plain]
    assert found.totals(dual) == expected
    assert found.signs(dual).tolist() == [(v > 0) - (v < 0) for v in expected]
    balls = GaussianValues(X, X, 0.375)
    for row, x in zip(balls.balls(100), rows, strict=True):
        for ball, z in zip(row, rows, strict=True):
            assert isclose(
                float(ball.mid()), exp(-0.375 * sum((a - b) ** 2 for a, b in zip(x, z, strict=True))), rel_tol=1e-12
            )
    rough = [sum(float(a) * float(k.mid()) for a, k in zip(dual, row, strict=True)) for row in balls.balls(100)]
    for sign, value in zip(balls.signs(dual).tolist(), rough, strict=True):
        assert sign == (value > 0) - (value < 0) or abs(value) < 1e-12


def test_a_tie_of_exponentials_is_seen_as_one() -> None:
    """Between two points of different classes f is 0 exactly, and beside it is not, however little."""
    values = GaussianValues(np.array([[0.0], [2.0**-60], [-(2.0**-1000)]]), np.array([[1.0], [-1.0]]), 1.0)
    assert values.signs([Fraction(1), Fraction(-1)]).tolist() == [0, 1, -1]
    far = GaussianValues(np.array([[0.0]]), np.array([[1000.0], [1001.0]]), 1.0)  # e^−1000000 is no float
    assert far.signs([Fraction(-1), Fraction(10**6)]).tolist() == [-1]


# ------------------------------------------------------------------------------------------------------- hard cases


def test_equal_rows_of_both_classes_are_proved_inseparable() -> None:
    for kernel in ("rbf", "poly"):
        model = quiet(rb.KernelPerceptron(kernel, average=False), [[1.5], [1.5], [3.0]], [0, 1, 1])
        assert model.outcome_ == "CYCLING"
        assert "no function of this kernel separates the classes" in model.outcome_.sentence
        assert model.witness_.rows.tolist() == [0, 1]
        assert model.witness_.multipliers == (1, 1)


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e150, 1e300])
def test_sizes_at_the_ends_of_float64(scale: float) -> None:
    X, y = cloud(20)
    for kernel in ("rbf", "poly"):
        try:
            model = quiet(rb.KernelPerceptron(kernel), X * scale, y)
        except ValueError as refused:
            assert "scale X" in str(refused)  # noqa: PT017
            assert scale in (1e-300, 1e300) or kernel == "poly"
        else:
            assert model.outcome_ == "SEPARATED"
            assert model.score(X * scale, y) == 1.0
    with pytest.raises(ValueError, match="overflowed float64: scale X"):
        rb.KernelPerceptron("poly", gamma=1.0).fit(X * 1e200, y)


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ([[1.0], [2.0]], [1, 1], "one class only"),
        ([[1.0]], [1], "one class only"),
        ([[np.nan], [2.0]], [0, 1], "X has NaN in row 0, column 0"),
        ([["a"], ["b"]], [0, 1], "the text 'a' in row 0"),
    ],
)
def test_bad_rows_are_named(X: Any, y: Any, words: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the words are compared below)
        rb.KernelPerceptron().fit(X, y)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda A, B: np.ones(len(A)), "must return 4 × 1 numbers, one for each row of X and each row of Y"),
        (lambda A, B: [["a"] * len(B)] * len(A), "must return 4 × 1 numbers"),
        (lambda A, B: np.full((len(A), len(B)), np.nan), "kernel(X, Y) returned nan for row 0 of X and row 0 of Y"),
        (lambda A, B: A @ np.array([[1.0, 2.0], [0.0, 1.0]]) @ B.T, "kernel(X, Y) is not symmetric: for rows"),
    ],
)
def test_functions_that_are_no_kernels(function: Any, words: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the words are compared below)
        quiet(rb.KernelPerceptron(function), [[0.0, 1.0], [1.0, 3.0], [2.0, 0.0], [1.0, 1.0]], [0, 1, 0, 1])
    assert words in str(caught.value)


def test_columns_that_are_constant_change_nothing_but_gamma() -> None:
    X, y = cloud()
    more = np.column_stack([X, np.full(len(y), 7.0)])
    assert (
        quiet(rb.KernelPerceptron(gamma=0.5), X, y).dual_coef_.tolist()
        == quiet(rb.KernelPerceptron(gamma=0.5), more, y).dual_coef_.tolist()
    )
    assert rb.KernelPerceptron(gamma="scale", max_passes=3).fit(
        [[2.0], [2.0], [3.0]], [0, 0, 1]
    ).gamma_ == pytest.approx(4.5)
    assert quiet(rb.KernelPerceptron(), [[2.0], [2.0]], [0, 1]).gamma_ == 1.0


def test_sparse_rows_and_a_function_of_ones_own_give_the_same_answers() -> None:
    X, y = cloud(50, 9)
    X[np.abs(X) < 0.5] = 0.0
    for kernel, own in (
        ("rbf", lambda A, B: np.exp(-0.125 * ((A[:, None] - B) ** 2).sum(-1))),
        ("poly", lambda A, B: (0.125 * A @ B.T + 1) ** 3),
    ):
        dense = quiet(rb.KernelPerceptron(kernel, gamma=0.125, max_passes=20), X, y)
        sparse = quiet(rb.KernelPerceptron(kernel, gamma=0.125, max_passes=20), sp.csr_matrix(X), y)
        mine = quiet(rb.KernelPerceptron(own, max_passes=20), X, y)
        assert sparse.dual_coef_.tolist() == dense.dual_coef_.tolist() == mine.dual_coef_.tolist()
        assert sp.issparse(sparse.support_vectors_)
        for one, rows in ((dense, sp.csr_matrix(X)), (sparse, X), (mine, X), (dense, X.astype(np.float32))):
            assert np.allclose(one.decision_function(rows), dense.decision_function(X), atol=1e-4)


def test_a_trace_and_a_budget_exclude_each_other() -> None:
    with pytest.raises(ValueError, match="choose one of them"):
        rb.KernelPerceptron(budget=3, trace=True).fit([[0.0], [1.0]], [0, 1])


# ----------------------------------------------------------------------------------------------- what people do with it


def test_rings_that_no_line_separates() -> None:
    rng = np.random.default_rng(0)
    turn, radius = rng.uniform(0, 2 * np.pi, 200), np.where(np.arange(200) % 2, 1.0, 2.0) + rng.normal(0, 0.1, 200)
    X, y = np.column_stack([np.cos(turn), np.sin(turn)]) * radius[:, None], np.arange(200) % 2
    assert rb.separability(X, y).kind == "overlap"
    for kernel in ("rbf", "poly"):
        model = rb.KernelPerceptron(kernel).fit(X[:100], y[:100])
        assert model.outcome_ == "SEPARATED"
        assert (
            model.score(X[100:], y[100:])
            >= SVC(kernel=kernel, coef0=1).fit(X[:100], y[:100]).score(X[100:], y[100:]) - 0.03
        )


def test_three_classes_are_each_against_the_rest() -> None:
    X, y = cloud(60)
    y = y + (X[:, 0] > 0.5)
    model = quiet(rb.KernelPerceptron(order="cyclic"), X, y)
    alone = [quiet(rb.KernelPerceptron(order="cyclic"), X, y == c) for c in range(3)]
    scores = np.column_stack([one.decision_function(X) for one in alone])
    assert model.decision_function(X).tolist() == scores.tolist()
    assert model.predict(X).tolist() == np.argmax(scores, axis=1).tolist()
    assert [str(o) for o in model.outcomes_] == [str(one.outcome_) for one in alone]


@pytest.mark.parametrize("sparse", [False, True])
def test_taken_apart_and_put_together(sparse: bool, tmp_path: Path) -> None:
    X, y = cloud()
    given_rows = sp.csr_matrix(X) if sparse else X
    model = quiet(
        rb.KernelPerceptron(trace=True, class_weight={"a": 1.0, "b": 2.0}), given_rows, np.array(["a", "b"])[y]
    )
    again = rb.KernelPerceptron._from_parts(*model._to_parts())
    rb.save(model, tmp_path / "m")
    for copy in (again, rb.load(tmp_path / "m"), pickle.loads(pickle.dumps(model))):
        assert copy.decision_function(given_rows).tolist() == model.decision_function(given_rows).tolist()
        assert copy.outcome_.sentence == model.outcome_.sentence
        assert copy.trace_.rows.tolist() == model.trace_.rows.tolist()
    with pytest.raises(TypeError, match="a function of your own"):
        rb.save(quiet(rb.KernelPerceptron(lambda A, B: A @ B.T), X, y), tmp_path / "m")
    with pytest.raises(TypeError, match="takes a linear classifier of rosenblatt, not KernelPerceptron"):
        rb.to_onnx(model)
    with pytest.raises(NotFittedError):
        rb.KernelPerceptron().predict(X)


def test_answers_are_the_same_bits_whatever_else_is_asked() -> None:
    X, y = cloud(40, 11)
    for kernel in ("rbf", "poly"):
        model = quiet(rb.KernelPerceptron(kernel), X, y)
        together = model.decision_function(X)
        assert [model.decision_function(x[None])[0] for x in X] == together.tolist()
    assert all(a <= b for a, b in pairwise(model.support_))
