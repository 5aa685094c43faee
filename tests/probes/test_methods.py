"""Scaling, and every method against an independent one; NumPy and torch against each other."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import roc_auc_score

import rosenblatt as rb
from rosenblatt.probes.evidence.chance import Shuffles
from rosenblatt.probes.evidence.measuring import judge
from rosenblatt.probes.fitting import rows_aside
from rosenblatt.probes.learning.closed_forms import axes_of, class_means, least_squares, ridges
from rosenblatt.probes.learning.logistic import minimise
from rosenblatt.probes.learning.scaling import columns_of, scaled
from rosenblatt.probes.learning.trainer import Trainer
from rosenblatt.probes.reading.sides import _shuffled_there


def concepts(n=300, p=7, B=5, seed=0):
    """Rows with correlated columns, and noisy planted concepts, some labels missing."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, p)) @ random.standard_normal((p, p)) + random.standard_normal(p)
    Y = np.where(X @ random.standard_normal((p, B)) + 2 * random.standard_normal((n, B)) > 0, 1, -1).astype(np.int8)
    Y[random.random((n, B)) < 0.1] = 0
    return X, Y


# ------------------------------------------------------------------------------------------------------------ scaling


@given(st.integers(0, 10**6), st.booleans())
def test_folded_weights_have_the_same_responses(seed, single):
    random = np.random.default_rng(seed)
    X = (random.standard_normal((30, 4)) * [1, 1e3, 1e-3, 0] + [0, 5e3, 0, 7]).astype(np.float32 if single else float)
    columns = columns_of(X)
    np.testing.assert_allclose(columns.mean, X.mean(axis=0, dtype=np.float64), rtol=1e-6)
    assert columns.deviation[3] == 1.0  # a constant column
    Z, W = scaled(X, columns).astype(np.float64), random.standard_normal((5, 2))
    plain = columns.fold(W)
    ours, theirs = X.astype(np.float64) @ plain[:-1] + plain[-1], Z @ W[:-1] + W[-1]
    np.testing.assert_allclose(ours, theirs, atol=1e-4 if single else 1e-9)


def test_units_do_not_matter_and_outliers_do_no_harm():
    random = np.random.default_rng(0)
    X = random.standard_normal((1500, 12))
    y = X[:, 0] + random.standard_normal(1500) > 0
    loud = np.column_stack([X, 1e4 * random.standard_normal((1500, 2)) + 1e5])  # two outlier columns
    for method in ("perceptron", "logistic", "mean-difference", "least-squares"):
        calm, units = (rb.probes.fit(Z, y, method=method, test=0.3, random_state=0) for Z in (X, X * 2.0**9))
        np.testing.assert_allclose(calm.auc, units.auc)
        shaken = rb.probes.fit(loud, y, method=method, test=0.3, random_state=0)
        assert shaken.auc[0] > calm.auc[0] - 0.03


# ------------------------------------------------------------------------------------------------------------- methods


@pytest.mark.parametrize("strength", [1e-3, 0.1])
def test_logistic_is_scikit_learns_minimum(strength):
    X, Y = concepts()
    probes = rb.probes.fit(X, Y, method="logistic", l2=strength)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    assert (probes.gradient <= 1e-5).all()
    for j in range(Y.shape[1]):
        known = Y[:, j] != 0
        model = LogisticRegression(C=1 / (strength * known.sum()), tol=1e-9, max_iter=10_000).fit(Z[known], Y[known, j])
        response = Z @ model.coef_[0] + model.intercept_[0]
        np.testing.assert_allclose(X @ probes.weights[:-1, j] + probes.weights[-1, j], response, atol=2e-3)


@given(st.integers(0, 10**6), st.floats(1e-4, 1.0))
def test_the_gradient_is_as_short_as_it_says(seed, strength):
    """In float64, from its definition, also for columns that repeat each other and separable labels."""
    X, Y = concepts(60, 4, 3, seed)
    X[:, 3] = X[:, 0]
    Y[:, 2] = np.where(X[:, 1] > 0, 1, -1)
    axes = axes_of(scaled(X, columns_of(X)))
    found = minimise(axes, Y, strength, tolerance=1e-7)
    W = found.weights
    for j in range(3):
        known = Y[:, j] != 0
        s, y = axes.Z[known] @ W[:-1, j] + W[-1, j], Y[known, j]
        r = -y / (1 + np.exp(y * s)) / known.sum()
        g = np.append(axes.Z[known].T @ r + strength * W[:-1, j], r.sum())
        assert np.linalg.norm(g) <= 1.01e-7
        assert found.gradient[j] == pytest.approx(np.linalg.norm(g), abs=1e-10)


def test_mean_difference_and_least_squares_are_their_definitions():
    X, Y = concepts()
    means = rb.probes.fit(X, Y, method="mean-difference", scale=False)
    ridge = rb.probes.fit(X, Y, method="least-squares", l2=0.1)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    for j in range(Y.shape[1]):
        known, y = Y[:, j] != 0, Y[:, j]
        up, down = X[y > 0].mean(axis=0), X[y < 0].mean(axis=0)
        np.testing.assert_allclose(means.weights[:-1, j], up - down, atol=1e-9)
        assert (up - down) @ (up + down) / 2 + means.weights[-1, j] == pytest.approx(0, abs=1e-8)
        model = Ridge(alpha=0.1 * known.sum()).fit(Z[known], y[known])
        response = X @ ridge.weights[:-1, j] + ridge.weights[-1, j]
        np.testing.assert_allclose(response, model.predict(Z), atol=1e-5)


def test_numbers_are_predicted_as_by_regression():
    X, _ = concepts(p=4)
    y = X @ [1.0, 2.0, 0.0, -1.0] + 3
    y[:5] = np.nan
    probes = rb.probes.fit(X, {"y": y}, regress=["y"], l2=1e-9, test=np.arange(300) >= 200)
    model = LinearRegression().fit(X[5:200], y[5:200])
    np.testing.assert_allclose(probes.weights[:-1, 0], model.coef_, rtol=1e-3, atol=1e-4)
    assert probes.r2[0] > 0.999
    assert probes.meaning(0).verdict == "yes"
    assert np.isnan(probes.auc[0])


def test_the_penalty_is_chosen_and_the_choice_is_near_the_best():
    """Few rows, many columns, or many rows: on new rows the chosen λ does nearly as well as the best of all."""
    random = np.random.default_rng(0)
    w = random.standard_normal(60)
    for n in (80, 4000):
        X = random.standard_normal((n + 5000, 60))
        y = X @ w + 2 * random.standard_normal(n + 5000) > 0
        new = np.arange(n + 5000) >= n
        chosen = rb.probes.fit(X, y, test=new, random_state=0).accuracy[0]
        best = max(rb.probes.fit(X, y, test=new, random_state=0, l2=10.0**k).accuracy[0] for k in range(1, -7, -1))
        assert chosen >= best - 0.015


def test_the_penalty_is_that_of_a_cross_validation_made_by_hand():
    """Every λ of the grid, three parts in turn: the chosen one does as well there as the best, and is near it."""
    random = np.random.default_rng(3)
    X = random.standard_normal((240, 40))
    signal = X[:, :3] @ random.standard_normal((3, 4))
    Y = np.where(signal + random.standard_normal((240, 4)) > 0, 1, -1).astype(np.int8)
    Y[random.random(Y.shape) < 0.1] = 0
    aside = np.arange(240) % 3
    for method in ("logistic", "least-squares"):
        fitted = Trainer(X, "cpu", True, 5, None, False, None, aside).fit(method, Y)
        for j, lam in enumerate(fitted.strength):
            found = {}
            for strength in 10.0 ** np.arange(1, -7, -1):
                auc, right = [], []
                for part in range(3):
                    without = np.where((aside == part)[:, None], 0, Y[:, [j]]).astype(np.int8)
                    w = Trainer(X, "cpu", True, 5, None, False, strength, None).fit(method, without).weights[:, 0]
                    rows = (aside == part) & (Y[:, j] != 0)
                    s, y = X[rows] @ w[:-1] + w[-1], Y[rows, j]
                    auc.append(roc_auc_score(y, s))
                    right.append(np.mean(y * s > 0) - np.mean(np.minimum(np.logaddexp(0.0, -y * s), 3.0)))
                found[strength] = np.mean(auc) + np.mean(right), np.mean(auc)
            near = [strength for strength in found if strength / 3.2 <= lam <= strength * 3.2]
            assert max(found[one][0] for one in near) >= max(found.values())[0] - 0.01, (method, j, lam, found)
            # fits that only say how good λ is end near their minimum: a few pairs of rows swap, 3e-4 of an AUROC each
            assert any(abs(found[one][1] - fitted.choice[j]) < 4e-3 for one in near)


def test_parts_of_a_cross_validation_keep_groups_whole_and_spread_concepts():
    random = np.random.RandomState(0)
    learn = SimpleNamespace(groups=np.arange(60) // 4, signs=np.ones((60, 1), dtype=np.int8))
    parts = rows_aside(3, np.arange(60), learn, random)
    assert set(parts) == {0, 1, 2}
    assert all(len(set(parts[learn.groups == g])) == 1 for g in range(15))
    rare = SimpleNamespace(groups=None, signs=np.where(np.arange(60) < 6, 1, -1)[:, None])
    assert np.bincount(rows_aside(3, np.arange(60), rare, random)[:6]).tolist() == [2, 2, 2]
    once = rows_aside(0.25, np.arange(60), rare, random)
    assert set(once) == {-1, 0}
    assert np.count_nonzero(once == 0) in (15, 16)
    assert rows_aside(3, np.arange(19), rare, random) is None
    with pytest.raises(ValueError, match="validation=1 must lie between 0 and 1"):
        rows_aside(1, np.arange(60), rare, random)


def test_the_layer_is_chosen_on_rows_to_choose_on_whatever_the_penalty_is():
    """A penalty that is given leaves the layer to be chosen, by every method."""
    random = np.random.default_rng(0)
    X, y = random.standard_normal((3, 300, 5)), random.random(300) < 0.5
    X[1, :, 0] += 3 * y
    for method in ("perceptron", "logistic", "mean-difference", "least-squares"):
        for controls in (0, 1):
            probes = rb.probes.fit(X, y, method=method, l2=0.01, controls=controls, test=0.3, random_state=0)
            assert (probes.choice > 0.9).tolist() == [False, True, False]
            assert probes.best().layer.tolist() == [1]
            strength = 0.01 if method in ("logistic", "least-squares") else np.nan
            np.testing.assert_array_equal(probes.strength, [strength] * 3)


def test_torch_makes_what_numpy_makes():
    torch = pytest.importorskip("torch")
    X, Y = concepts()
    rows = scaled(X, columns_of(X))
    here, there = axes_of(rows), axes_of(torch.from_numpy(rows))
    ours, theirs = (minimise(axes, Y, 0.01, tolerance=1e-9) for axes in (here, there))
    np.testing.assert_allclose(here.back(ours.weights), there.back(theirs.weights), atol=1e-6)
    known = Y != 0
    for make in (
        lambda axes: class_means(axes, Y),
        lambda axes: least_squares(axes, ridges(axes, Y, known), np.full(Y.shape[1], 0.1)),
    ):
        np.testing.assert_allclose(here.back(make(here)), there.back(make(there)), atol=1e-9)


def test_the_way_of_the_gpu_through_a_layer():
    """Tensors of the CPU stand in for those of a GPU: the same weights, choices, measures and p-values."""
    torch = pytest.importorskip("torch")
    X, Y = concepts()
    X, groups = X.astype(np.float64), np.arange(100) // 4
    once, in_turn = np.where(np.arange(200) % 5 == 0, 0, -1), np.arange(200) % 3
    for method, aside in product(("logistic", "mean-difference", "least-squares"), (once, in_turn)):
        found = []
        for device, rows in (("cpu", X), ("cuda", torch.from_numpy(X))):
            trainer = Trainer(rows[:200], device, True, 5, None, False, None, aside)
            fitted = trainer.fit(method, Y[:200])
            found.append((fitted, judge(rows[200:], Y[200:], fitted.weights, groups, Shuffles(0, 5), True)))
        (ours, here), (theirs, there) = found
        np.testing.assert_allclose(ours.weights, theirs.weights, atol=1e-4)
        np.testing.assert_array_equal(ours.strength, theirs.strength)
        np.testing.assert_allclose(ours.choice, theirs.choice, atol=1e-2)
        np.testing.assert_allclose(here.measures[:3], there.measures[:3], atol=1e-2)
        np.testing.assert_allclose(here.p, there.p, atol=1e-2)


def test_labels_are_shuffled_on_the_device():
    pytest.importorskip("torch")
    signs = np.where(np.random.default_rng(0).random((50, 3)) < 0.3, 1, -1).astype(np.int8)
    made = _shuffled_there(signs, 2, [1, 2], "cpu")
    assert made.shape == (50, 6)
    np.testing.assert_array_equal(made.sum(axis=0), np.tile(signs.sum(axis=0), 2))
    assert not np.array_equal(made[:, :3], made[:, 3:])
    np.testing.assert_array_equal(made, _shuffled_there(signs, 2, [1, 2], "cpu"))


# ------------------------------------------------------------------------------------------------------------ controls


def test_controls_by_type_answer_alike_on_both_sides():
    """Rows that show their type: the control task is learned and holds on new rows, so the concept is not selective."""
    random = np.random.default_rng(0)
    word = random.integers(0, 12, 1200)
    X = np.eye(12)[word] + 0.1 * random.standard_normal((1200, 12))
    noun = word < 6
    by_type = rb.probes.fit(X, noun, test=0.3, controls=4, control="type", types=word, random_state=0)
    shuffled = rb.probes.fit(X, noun, test=0.3, controls=4, random_state=0)
    assert by_type.control[0] > 0.95
    assert abs(by_type.selectivity[0]) < 0.05
    assert shuffled.control[0] < 0.6
    assert shuffled.selectivity[0] > 0.4


def test_several_classes_are_told_by_the_largest_response():
    random = np.random.default_rng(0)
    kind = random.integers(0, 4, 800)
    X = 2 * np.eye(4)[kind] + random.standard_normal((800, 4))
    held = np.arange(800) >= 500
    probes = rb.probes.fit(X, {"kind": kind, "coin": random.random(800) < 0.5}, test=held, random_state=0)
    S = X[held] @ probes.weights[:-1, :4] + probes.weights[-1, :4]
    matrix = np.zeros((4, 4), dtype=int)
    np.add.at(matrix, (kind[held], S.argmax(axis=1)), 1)
    (found,) = probes.confusions
    assert (found["concept"], found["classes"], found["matrix"]) == ("kind", ["0", "1", "2", "3"], matrix.tolist())
    assert found["accuracy"] == pytest.approx(np.trace(matrix) / 300)
    assert found["low"] < found["accuracy"] < found["high"]


def test_bins_make_classes_of_numbers():
    random = np.random.default_rng(0)
    X = random.standard_normal((600, 3))
    probes = rb.probes.fit(X, {"size": X[:, 0]}, bins=3, test=0.3, random_state=0)
    assert len(probes) == 3
    assert probes.names[0].startswith("size=1: ")
    assert probes.auc[[0, 2]].min() > 0.95


def test_one_class_alone_is_not_a_number():
    """A mean difference of one class has no weights, so every row is wrong; it is still no probe of numbers."""
    held = np.array([False, False, True, True])
    probes = rb.probes.fit([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1], method="mean-difference", test=held)
    assert not probes.numeric[0]
    assert probes.says(0).startswith("one class only among the rows learned from")
