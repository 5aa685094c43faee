"""What a perceptron answers as it comes: its last weights where they separate, otherwise the average of all of them."""

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn import datasets
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

import rosenblatt as rb
from rosenblatt.data.numbers import as_rows
from rosenblatt.learners.runs import run as runs
from rosenblatt.learners.runs.examples import Examples
from rosenblatt.learners.runs.prospects import prospect
from tests.learners.test_perceptron import quiet


def separable_sets() -> dict[str, Any]:
    """Forty sets: clouds with margins of 1e-1 … 1e-3, and classes of scikit-learn's bundled sets against the rest."""
    found = {
        f"margin {margin}, {n} × {p}, {seed}": rb.datasets.margin_cloud(n, p, margin, random_state=seed)
        for margin in (0.1, 0.03, 0.01, 0.003, 0.001)
        for n, p in ((100, 2), (300, 5), (1000, 10))
        for seed in (0, 1)
        if (margin, n, seed) != (0.003, 1000, 1)  # that one takes more than a thousand passes
    }
    for load, classes, ways in (
        (datasets.load_iris, (0,), ("raw", "scaled")),
        (datasets.load_wine, (0, 1, 2), ("scaled",)),
        (datasets.load_digits, (0, 2, 4, 5, 6, 7), ("raw",)),
    ):
        X, y = load(return_X_y=True)
        for way in ways:
            rows = StandardScaler().fit_transform(X) if way == "scaled" else X
            found |= {f"{load.__name__}, {way}, class {c}": (rows, y == c) for c in classes}
    return found


SETS = separable_sets()
PROOF = "positive multiples of the corrections add up to zero, proved in float64"


def test_there_are_forty() -> None:
    assert len(SETS) == 40


@pytest.mark.parametrize("name", SETS)
def test_what_is_separable_is_separated(name: str) -> None:
    X, y = SETS[name]
    ours, lecture = rb.Perceptron().fit(X, y), rb.Perceptron(average=False).fit(X, y)
    assert repr(ours.outcome_) == repr(lecture.outcome_)
    assert ours.outcome_ == "SEPARATED"
    assert ours.coef_.tobytes() == lecture.coef_.tobytes()  # the lecture's run, and its last weights


def overlapping(seed: int) -> Any:
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(30, 400)), int(rng.integers(1, 7))
    X = rng.normal(size=(n, p)) * 10.0 ** rng.integers(-3, 4, size=p)
    return X, np.where(X @ (rng.normal(size=p) / X.std(axis=0)) + rng.normal(size=n) > 0, "b", "a")


@pytest.mark.parametrize("seed", range(40))
def test_where_nothing_separates_it_says_so_and_only_there(seed: int) -> None:
    X, y = overlapping(seed)
    model = quiet(rb.Perceptron(), X, y)
    if PROOF in model.outcome_.sentence:
        assert rb.separability(X, y, margin=False).kind == "overlap"
        assert model.n_passes_ < 1000
        steady = quiet(rb.Perceptron(average=True, max_passes=model.n_passes_), X, y)
        assert model.coef_.tobytes() == steady.coef_.tobytes()
        assert model.mistakes_per_pass_.tolist() == steady.mistakes_per_pass_.tolist()
    else:
        assert model.outcome_ in ("SEPARATED", "BUDGET", "CYCLING")


def hostile(seed: int) -> Any:
    """A small table: whole numbers, or columns of any size and place, or tenths; rows that almost contradict others."""
    rng = np.random.default_rng([36, seed])
    n, p, kind = int(rng.integers(3, 30)), int(rng.integers(1, 5)), seed % 5
    X = rng.integers(-2, 3, size=(n, p)).astype(float) if kind < 2 else rng.normal(size=(n, p))
    if kind == 1:
        X *= 10.0 ** rng.integers(-160, 150, size=p)
    if kind == 3:
        X = X * 10.0 ** rng.integers(-8, 8, size=p) + 10.0 ** rng.integers(-3, 9, size=p)
    if kind == 4:
        X = X.round(1) * 0.1
    s = X @ (rng.integers(-2, 3, size=p) / np.maximum(np.abs(X).max(axis=0), 1e-300))
    y = np.where(s + rng.choice([0, 0.05, 0.5]) * rng.normal(size=n) > np.median(s), 1, -1)
    if rng.random() < 0.3:
        X, y = np.vstack([X, X[0] * (1 + rng.choice([0, 2.0**-52, 1e-12]))]), np.append(y, -y[0])
    return X, (y if len({*y}) == 2 else np.append(-y[:1], y[1:])).astype(np.int8), bool(rng.random() < 0.8)


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_what_a_run_knows_is_true(first: int) -> None:
    told = set()
    for seed in range(first, first + 10):
        X, y, bias = hostile(seed)
        rows = as_rows(X)
        found = prospect(Examples(rows, y, np.empty(0), bias, rows.radius_sq(bias)), 1000)
        if found is None or found.kind == "unknown":
            continue
        told.add(found.kind)
        verdict = rb.separability(X, y, fit_intercept=bias, margin=False, numbers="binary")
        assert verdict.kind in {"separable": ["complete"], "overlapping": ["overlap", "quasi"]}[found.kind]
        if found.kind == "overlapping":
            told.add(verdict.kind)
            loose = prospect(Examples(rows, y, np.empty(0), bias, rows.radius_sq(bias)), 1000, strictly=False)
            assert loose is None or loose.kind != "overlapping" or verdict.kind == "overlap"
        if found.kind == "separable":
            lecture = quiet(rb.Perceptron(average=False, fit_intercept=bias), X, y)
            assert lecture.n_updates_ <= found.corrections * (1 + 1e-9)
    assert told >= {"separable", "overlapping"}


def test_classes_that_touch_are_told_so_and_may_still_end_tied() -> None:
    rng = np.random.default_rng(0)
    for _ in range(5):
        X = rng.normal(size=(60, 3))
        y = np.where(X[:, 0] + rng.normal(size=60) > 0, 1, -1)
        X[:, 2] = np.where((y > 0) & (X[:, 1] > 0), 1.0, 0.0)  # 1 in rows of one class alone
        model = quiet(rb.Perceptron(), X, y)
        assert f"no hyperplane separates the classes: {PROOF}" in model.outcome_.sentence
        assert rb.separability(X, y, margin=False).kind == "quasi"
    X = np.array([[0.0, 0], [0, 0], [1, 0], [2, 0], [-1, 1], [-2, 1]])
    y = np.array([1, -1, 1, 1, -1, -1])
    assert quiet(rb.Perceptron(tie="correct", average="auto"), X, y).outcome_ == "TIED"


def test_rows_of_zeros_without_an_intercept_are_never_right() -> None:
    rng = np.random.default_rng(1)
    some = np.where(np.arange(40)[:, None] < 5, 0.0, rng.normal(size=(40, 2)))
    for X in (some, np.zeros((40, 3))):
        y = np.where(X.sum(axis=1) > 0, 1, -1).astype(np.int8)
        y[:2] = 1, -1
        rows = as_rows(X)
        found = prospect(Examples(rows, y, np.empty(0), False, rows.radius_sq(False)), 1000)
        assert found is not None
        assert found.kind == "overlapping"
        assert quiet(rb.Perceptron(fit_intercept=False), X, y).outcome_ != "SEPARATED"


def test_most_overlapping_clouds_end_early_with_the_proof() -> None:
    found = [quiet(rb.Perceptron(), *overlapping(seed)).outcome_.sentence for seed in range(20)]
    assert sum(f"no hyperplane separates the classes: {PROOF}" in one for one in found) >= 15


def test_classes_that_learn_together_have_their_proof_too() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(200, 2)), rng.integers(0, 3, size=200)
    model = quiet(rb.Perceptron(multiclass="kesler"), X, y)
    assert f"no weights give every example to its class: {PROOF}" in model.outcome_.sentence
    assert rb.existence(X, y, model="multinomial").kind == "overlap"


def test_rows_on_the_plane_are_no_overlap() -> None:
    """Quasi-separable, with no row strictly on both sides: shares that add up to zero are not all > 0."""
    X = np.array([[-1.0, 0.3], [-2.0, 1.0], [0.0, 0.7], [0.0, 0.7], [0.0, -1.1], [1.0, 0.2], [3.0, -0.5]])
    y = np.array([0, 0, 0, 1, 1, 1, 1])
    assert rb.separability(X, y).kind == "quasi"
    assert "proved" not in quiet(rb.Perceptron(), X, y).outcome_.sentence


def test_a_run_that_gets_better_too_slowly_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "_CHEAP", 0)
    X, y = datasets.load_digits(return_X_y=True)
    model = quiet(rb.Perceptron(), X, y == 8)
    made = model.mistakes_per_pass_
    k = model.n_passes_
    assert k in (16, 32, 64, 128)
    earlier, later = made[k // 4 : k // 2].mean(), made[k // 2 :].mean()
    left = later * min(1.0, later / earlier) ** int(np.log2(1000 // k))
    assert f"at the rate of the last passes, about {left:,.0f} mistakes a pass would be left" in model.outcome_.sentence
    whole = quiet(rb.Perceptron(average=False), X, y == 8)
    assert whole.outcome_ != "SEPARATED"


def test_averages_by_name_and_rows_with_weights_end_by_the_same_rule() -> None:
    ended = 0
    for seed in range(12):
        X, y = overlapping(seed)
        auto = quiet(rb.Perceptron(), X, y)
        twice = quiet(rb.Perceptron(class_weight={"a": 2.0, "b": 2.0}), X, y)
        assert (twice.n_passes_, twice.outcome_.sentence) == (auto.n_passes_, auto.outcome_.sentence)
        if auto.outcome_ == "BUDGET":
            ended += auto.n_passes_ < 1000
            named = quiet(rb.Perceptron(average=True), X, y)
            assert named.coef_.tobytes() == auto.coef_.tobytes()
            assert named.outcome_.sentence == auto.outcome_.sentence
    assert ended >= 6


def test_rows_with_weights_are_counted_by_weight() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=400) > 1.4, 1, -1)  # few rows are +1
    model = quiet(rb.Perceptron(class_weight="balanced"), X, y)
    assert PROOF in model.outcome_.sentence
    right = model.predict(X) == y
    assert min(right[y > 0].mean(), right[y < 0].mean()) > 0.85
    several = quiet(
        rb.Perceptron(multiclass="kesler", class_weight="balanced"), X, rng.choice(3, 400, p=[0.7, 0.2, 0.1])
    )
    assert PROOF in several.outcome_.sentence


def test_a_run_that_goes_on_has_the_proof_in_its_last_sentence() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(7, 1)), np.array([0, 1, 0, 1, 0, 1, 1])
    for limit, words in (
        ({}, ": no hyperplane"),
        ({"max_updates": 300}, ": 300 corrections were allowed, and no hyperplane"),
    ):
        model = quiet(rb.Perceptron(**limit), X, y)
        assert model.outcome_ == "BUDGET"
        assert f"{words} separates the classes: {PROOF}." in model.outcome_.sentence
    assert quiet(rb.Perceptron(), X, y).n_passes_ == 1000  # a pass of seven rows takes next to no time


def test_xor_cycles_as_ever() -> None:
    model = quiet(rb.Perceptron(), *rb.datasets.xor())
    assert model.outcome_ == "CYCLING"
    assert model.witness_.multipliers == (1, 1, 1, 1)


def test_a_warm_start_goes_on_as_one_run() -> None:
    X, y = overlapping(1)
    whole = quiet(rb.Perceptron(max_passes=12), X, y)
    parts = rb.Perceptron(max_passes=4, warm_start=True)
    for _ in range(3):
        quiet(parts, X, y)
    assert parts.coef_.tobytes() == whole.coef_.tobytes()
    assert parts.outcome_.sentence == whole.outcome_.sentence


@pytest.mark.parametrize("first", [3, 40, 70])
def test_what_was_known_is_known_after_a_warm_start(first: int) -> None:
    X, y = rb.datasets.sonar()
    whole = quiet(rb.Perceptron(max_passes=100), X, y)
    parts = quiet(rb.Perceptron(max_passes=first, warm_start=True), X, y)
    quiet(parts.set_params(max_passes=100 - first), X, y)
    assert "a hyperplane separates the classes, proved" in whole.outcome_.sentence
    assert parts.outcome_.sentence == whole.outcome_.sentence
    assert parts.coef_.tobytes() == whole.coef_.tobytes()


def test_a_stream_answers_with_its_last_weights() -> None:
    X, y = overlapping(2)
    last = rb.Perceptron(average=False).partial_fit(X, y, classes=["a", "b"])
    assert rb.Perceptron().partial_fit(X, y, classes=["a", "b"]).coef_.tobytes() == last.coef_.tobytes()


def test_a_cluster_ends_where_one_machine_does() -> None:
    for seed in range(5):
        X, y = overlapping(seed)
        here, there = quiet(rb.Perceptron(), X, y), rb.Perceptron()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            rb.distributed.fit(there, [(X, y)], None, "here")
        assert there.coef_.tobytes() == here.coef_.tobytes()
        assert there.outcome_.sentence == here.outcome_.sentence


def test_on_a_cluster_rows_with_weights_and_averages_end_by_the_same_rule() -> None:
    weights = np.random.default_rng(0).integers(0, 3, 400).astype(float)
    for seed, average in ((0, "auto"), (1, True), (2, "auto")):
        X, y = overlapping(seed)
        here = rb.Perceptron(average=average, class_weight="balanced")  # type: ignore[arg-type]
        there, several = (clone(here) for _ in range(2))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            here.fit(X, y, weights[: len(y)])
            rb.distributed.fit(there, [(X, y, weights[: len(y)])], None, "here")
            halves = [(X[half], y[half], weights[: len(y)][half]) for half in (slice(0, 90), slice(90, None))]
            rb.distributed.fit(several, halves, None, "here")
        assert there.coef_.tobytes() == here.coef_.tobytes()
        assert there.outcome_.sentence == here.outcome_.sentence
        assert PROOF in several.outcome_.sentence


@pytest.mark.parametrize("eta", [0.1, 0.3, 0.7])
def test_eta_scales_weights_on_a_cluster_too(eta: float) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(-5, 6, size=(60, 3)).astype(float)
    y = X @ [1, 2, -1] + 0.5 > 0
    here = rb.Perceptron(eta=eta, order="cyclic").fit(X, y)
    one, two = (rb.Perceptron(eta=eta, order="cyclic", trace=True) for _ in range(2))
    rb.distributed.fit(one, [(X, y)], None, "here")
    rb.distributed.fit(two, [(X[:30], y[:30]), (X[30:], y[30:])], None, "here")
    assert one.coef_.tobytes() == here.coef_.tobytes()
    assert one.n_updates_ == here.n_updates_
    assert two.outcome_ == "SEPARATED"
    assert two.trace_.weights_after(two.n_passes_, X).tolist() == [*two.coef_[0], *two.intercept_]
