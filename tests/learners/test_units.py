"""η only scales w: corrections by the thousand, equal for every η from w(0) = 0, and to fractions from any start."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

import rosenblatt as rb
from rosenblatt.models.run_state import Units, scaled
from tests.learners.test_perceptron import quiet

ETAS = (0.001, 0.1, 0.2, 0.3, 0.7, 1.0)
AND = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 0, 0, 1])


def threshold_function(rng):
    """All 0/1 inputs of 2 to 4 variables, and a random threshold function of them that is not constant."""
    n = int(rng.integers(2, 5))
    X = np.array(np.meshgrid(*[[0, 1]] * n)).reshape(n, -1).T.astype(np.float64)
    while True:
        w = rng.integers(-5, 6, size=n)
        y = (X @ w >= rng.integers(-4, 5)).astype(int)
        if 0 < y.sum() < len(y):
            return X, y


def in_fractions(X, y, start, eta, passes, tie_is_mistake=True):
    """The lecture's loop in fractions: the rows corrected, and the weights."""
    w, rows = [Fraction(str(v)) for v in start], []
    h = Fraction(str(eta))
    for _ in range(passes):
        before = len(rows)
        for i, (x, label) in enumerate(zip(X.astype(int).tolist(), y, strict=True)):
            z, sign = [*x, 1], 1 if label else -1
            s = sign * sum(a * b for a, b in zip(w, z, strict=True))
            if s < 0 or (s == 0 and tie_is_mistake):
                w = [a + h * sign * b for a, b in zip(w, z, strict=True)]
                rows.append(i)
        if len(rows) == before:
            break
    return rows, w


def test_and_takes_eighteen_corrections_whatever_eta():
    for eta in ETAS:
        model = rb.Perceptron.from_recipe("rosenblatt62", eta=eta, trace=True).fit(*AND)
        assert model.n_updates_ == 18
        assert model.outcome_ == "SEPARATED"
        assert [*model.coef_[0], *model.intercept_] == [float(Fraction(str(eta)) * k) for k in (3, 2, -4)]
        assert model.trace_.exact_weights_at(18) == [Fraction(str(eta)) * k for k in (3, 2, -4)]


def test_from_zeros_the_corrections_are_the_same_for_every_eta(request):
    rng = np.random.default_rng(1)
    for _ in range(1000 if request.config.getoption("--soak") else 100):
        X, y = threshold_function(rng)
        found = [rb.Perceptron(order="cyclic", eta=eta, trace=True).fit(X, y) for eta in ETAS]
        rows, w = in_fractions(X, y, [0] * (X.shape[1] + 1), 1, 1000)
        for eta, model in zip(ETAS, found, strict=True):
            assert model.trace_.rows.tolist() == rows
            assert model.outcome_ == "SEPARATED"
            assert [*model.coef_[0], *model.intercept_] == [float(Fraction(str(eta)) * v) for v in w]


def test_from_decimal_starts_the_run_is_that_of_fractions(request):
    rng = np.random.default_rng(2)
    for k in range(1000 if request.config.getoption("--soak") else 100):
        X, y = threshold_function(rng)
        start = (rng.integers(-30, 31, size=X.shape[1] + 1) / 10 ** int(rng.integers(1, 3))).tolist()
        eta, tie = ETAS[k % len(ETAS)], ("mistake", "correct")[k // 2 % 2]
        model = quiet(
            rb.Perceptron(average=False, order="cyclic", eta=eta, start=start, tie=tie, trace=True, max_passes=60), X, y
        )
        rows, w = in_fractions(X, y, start, eta, 60, tie == "mistake")
        assert model.trace_.rows.tolist() == rows
        assert [*model.coef_[0], *model.intercept_] == [float(v) for v in w]
        assert model.trace_.exact_weights_at(len(rows)) == w


@pytest.mark.parametrize("options", [{}, {"average": True}, {"pocket": True}, {"start": [0.3, -0.2, 0.1]}])
def test_one_row_at_a_time_in_chunks_and_after_saving(options, tmp_path):
    rng = np.random.default_rng(3)
    X = rng.integers(-4, 5, size=(60, 2)).astype(np.float64)
    y = (X @ [2, -1] + rng.integers(-3, 4, size=60) > 0).astype(int)
    whole = rb.Perceptron(eta=0.1, **options).partial_fit(X, y, classes=[0, 1])
    by_row = rb.Perceptron(eta=0.1, **options).partial_fit(X[:1], y[:1], classes=[0, 1])
    for i in range(1, 60):
        by_row.partial_fit(X[i : i + 1], y[i : i + 1])
        if i == 30:
            rb.save(by_row, tmp_path / "m")
            by_row = rb.load(tmp_path / "m")
    unit = rb.Perceptron(**options | ({"start": [3, -2, 1]} if "start" in options else {}))
    unit.partial_fit(X, y, classes=[0, 1])
    assert by_row.coef_.tolist() == whole.coef_.tolist()
    assert np.allclose(whole.coef_, unit.coef_ / 10, rtol=1e-15)
    assert whole.n_updates_ == unit.n_updates_ == by_row.n_updates_


def test_eta_may_change_between_two_calls():
    X, y = AND
    w = [Fraction(0)] * 3
    model, stream = (
        rb.Perceptron(average=False, order="cyclic", warm_start=True, max_passes=1),
        rb.Perceptron(average=False),
    )
    for eta in (0.1, 0.3, 0.25, 0.07):
        _, w = in_fractions(X, y, w, eta, 1)
        quiet(model.set_params(eta=eta), X, y)
        stream.set_params(eta=eta).partial_fit(X, y, classes=[0, 1])
        for one in (model, stream):
            assert [*one.coef_[0], *one.intercept_] == [float(v) for v in w]
    quiet(model.set_params(max_passes=100), X, y)
    _, w = in_fractions(X, y, w, 0.07, 100)
    assert [*model.coef_[0], *model.intercept_] == [float(v) for v in w]


def test_a_fit_goes_on_as_a_stream_with_another_step():
    X, y = AND
    model = quiet(rb.Perceptron(average=False, order="cyclic", eta=0.1, max_passes=2), X, y)
    _, w = in_fractions(X, y, [0, 0, 0], 0.1, 2)
    assert [*model.coef_[0], *model.intercept_] == [float(v) for v in w]
    _, w = in_fractions(X, y, w, 0.3, 1)
    model.set_params(eta=0.3).partial_fit(X, y)
    assert [*model.coef_[0], *model.intercept_] == [float(v) for v in w]


@pytest.mark.parametrize("multiclass", ["ovr", "kesler"])
def test_k_classes_sparse_rows_and_margins(multiclass):
    rng = np.random.default_rng(4)
    X = rng.integers(-3, 4, size=(40, 3)).astype(np.float64)
    y = rng.integers(0, 3, size=40)
    for layout in (np.asarray, sp.csr_matrix):
        one, tenth = (
            quiet(rb.Perceptron(eta=eta, multiclass=multiclass, max_passes=30), layout(X), y) for eta in (1, 0.1)
        )
        assert one.n_updates_ == tenth.n_updates_
        assert tenth.coef_.tolist() == [[float(Fraction(v) / 10) for v in row] for row in one.coef_]
    wide, narrow = (quiet(rb.Perceptron(eta=eta, margin=0.1, max_passes=20), X, y > 0) for eta in (1, 0.3))
    assert wide.mistakes_per_pass_.tolist() == narrow.mistakes_per_pass_.tolist()


def test_going_on_after_saving_is_the_run_at_once(tmp_path):
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(50, 4)), rng.integers(0, 2, size=50)
    for options in ({"eta": 0.1}, {"eta": 0.3, "start": rng.normal(size=5)}, {"eta": 0.1, "average": True}):
        at_once = quiet(rb.Perceptron(max_passes=20, trace=True, **options), X, y)
        half = quiet(rb.Perceptron(max_passes=10, trace=True, warm_start=True, **options), X, y)
        rb.save(half, tmp_path / "m")
        again = quiet(rb.load(tmp_path / "m"), X, y)
        assert again.coef_.tolist() == at_once.coef_.tolist()
        assert again.trace_.rows.tolist() == at_once.trace_.rows.tolist()
        again.trace_.save(tmp_path / "t")
        trace = rb.Trace.load(tmp_path / "t", X)
        assert trace.weights_at(len(trace)).tolist() == at_once.trace_.weights_at(len(trace)).tolist()
        assert trace.steps.tolist() == at_once.trace_.steps.tolist()


def test_rounding_alone_breaks_a_sign_and_the_sentence_names_the_row():
    start, big = [0.1, -0.3], 10.0**16
    for less in range(1, 400):
        z = np.array([3 * big + 4 * less, big + 2 * less])
        exact = Fraction(1, 10) * int(z[0]) - Fraction(3, 10) * int(z[1])
        rounded = Fraction(0.1) * int(z[0]) - Fraction(0.3) * int(z[1])
        if exact * rounded < 0:
            break
    X, y = np.array([[1.0, 0.0], z * np.sign(float(exact))]), [1, 1]
    model = quiet(rb.Perceptron(start=start, fit_intercept=False, order="cyclic", max_passes=5), X, y)
    assert model.outcome_ == "BUDGET"
    assert "rounded to float64 the weights do not have row 1 on their side" in model.outcome_.sentence
    assert model.coef_.tolist() == [start]


def test_the_nearest_float():
    rng = np.random.default_rng(6)
    for _ in range(200):
        unit = Fraction(int(rng.integers(1, 1000)), int(rng.integers(1, 1000)))
        for w in (rng.normal(size=5) * 10.0 ** rng.integers(-300, 300), rng.integers(-(10**9), 10**9, 5).astype(float)):
            assert scaled(w, unit).tolist() == [float(Fraction(v) * unit) for v in w.tolist()]
    assert scaled(np.array([1e300, -1e300]), Fraction(10) ** 20).tolist() == [np.inf, -np.inf]


def test_an_eta_that_overflows_is_refused():
    with pytest.raises(ValueError, match=r"the step eta=1e\+308 is too large for these data"):
        rb.Perceptron(eta=1e308).fit([[3.0, 0.0], [0.0, 5.0]], [0, 1])


def test_units_in_files():
    units = Units(Fraction(1, 10), 3.0)
    assert Units.from_json(units.to_json()) == units
    for damaged in (["1/0", 1.0], ["1e999999999", 1.0], ["-1/2", 1.0], ["1/2", 0.0], ["1/2", "1"], "1/2", ["1/2"]):
        with pytest.raises(Exception, match=r"of a run is no"):
            Units.from_json(damaged)


def test_all_rows_at_once_too():
    for eta in ETAS:
        model = rb.BatchPerceptron(eta=eta).fit(*AND)
        assert (model.n_passes_, str(model.outcome_)) == (10, "SEPARATED")
        one = rb.BatchPerceptron().fit(*AND)
        assert model.coef_.tolist() == [[float(Fraction(str(eta)) * int(v)) for v in one.coef_[0]]]
    half = quiet(rb.BatchPerceptron(eta=0.1, max_passes=4, warm_start=True), *AND)
    assert (
        quiet(half.set_params(max_passes=6), *AND).coef_.tolist()
        == rb.BatchPerceptron(eta=0.1).fit(*AND).coef_.tolist()
    )
