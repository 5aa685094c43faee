"""The truth about convergence: no outcome is claimed that exact arithmetic does not bear out."""

import dataclasses
import itertools
import pickle
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning

import rosenblatt as rb
from tests import oracles
from tests.claims import oracles as claims
from tests.learners.test_perceptron import quiet, small_data

XOR = rb.datasets.xor()


def exact_agreements(model: rb.Perceptron, X: Any, y: Any) -> list[Fraction]:
    w = [*model.coef_[0], *model.intercept_[: int(model.fit_intercept)]]
    sign = np.where(np.asarray(y) == model.classes_[1], 1, -1)
    return [int(s) * oracles.exact_dot(x, w) for s, x in zip(sign, np.asarray(X, dtype=float), strict=True)]


def witness_holds(model: rb.Perceptron, X: Any, y: Any) -> bool:
    """Σ λ z = 0 in fractions, λ > 0."""
    sign = np.where(np.asarray(y) == model.classes_[1], 1, -1)
    rows, lam = model.witness_
    Z = [[Fraction(int(sign[i])) * Fraction(float(v)) for v in [*X[i], *[1.0] * model.fit_intercept]] for i in rows]
    totals = [sum(m * z[j] for m, z in zip(lam, Z, strict=True)) for j in range(len(Z[0]))]
    return len(lam) > 0 and all(m > 0 for m in lam) and not any(totals)


def shift_holds(model: rb.Perceptron, X: Any, y: Any) -> None:
    """TIED: the shifted plane is there where one class alone is on the plane, and separates strictly in fractions."""
    agreements, sign = exact_agreements(model, X, y), np.where(np.asarray(y) == model.classes_[1], 1, -1)
    touching = {int(s) for s, a in zip(sign, agreements, strict=True) if a == 0}
    plane = model.outcome_.hyperplane
    if len(touching) == 1 and model.fit_intercept:
        assert "every row is strictly on its side: completely separable, proved" in model.outcome_.sentence
        w = [*plane.w, plane.b]
        assert min(int(s) * oracles.exact_dot(x, w) for s, x in zip(sign, np.asarray(X, float), strict=True)) > 0
    else:
        assert plane is None
        assert "nothing more is proved" in model.outcome_.sentence


@given(
    small_data(dims=3, size=12),
    st.sampled_from([1.0, 0.1]),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["mistake", "correct", "positive", "negative"]),
    st.sampled_from(["cyclic", "shuffled", "random"]),
)
def test_claims_are_true(data: Any, unit: float, average: bool, bias: bool, tie: str, order: str) -> None:
    """Integers and tenths: what is said holds in exact arithmetic."""
    X, y = data
    X = X * unit
    model = quiet(
        rb.Perceptron(average=average, fit_intercept=bias, tie=tie, order=order, random_state=0, max_passes=60), X, y
    )
    agreements = exact_agreements(model, X, y)
    if model.outcome_ == "SEPARATED":
        assert min(agreements) > 0
        assert model.score(X, y) == 1.0
    elif model.outcome_ == "TIED":
        assert min(agreements) >= 0
        shift_holds(model, X, y)
    elif model.outcome_ == "CYCLING":
        assert witness_holds(model, X, y)
    else:
        assert model.outcome_ == "BUDGET"
        assert model.n_passes_ == 60 or "float64" in model.outcome_.sentence
    if model.outcome_ in ("CYCLING", "BUDGET") and "in exact arithmetic" not in model.outcome_.sentence:
        wrong = int(np.count_nonzero(model.predict(X) != y))
        assert f"{wrong} of {len(y)} examples are " in model.outcome_.sentence
        touching = int(np.count_nonzero(model.decision_function(X) == 0))
        assert ("on the hyperplane" in model.outcome_.sentence) == (touching > 0)
    assert (model.witness_ is not None) == (model.outcome_ == "CYCLING")


@given(small_data(dims=3, size=8))
def test_integers_are_always_decided(data: Any) -> None:
    """On small integers every run ends SEPARATED or CYCLING (the weights stay in a finite set), as an LP has it."""
    X, y = data
    model = quiet(rb.Perceptron(average=False, max_passes=100_000), X, y)
    Z = np.column_stack([X, np.ones(len(X))]) * y[:, None]
    feasible = linprog(np.zeros(Z.shape[1]), A_ub=-Z, b_ub=-np.ones(len(Z)), bounds=(None, None)).status == 0
    assert model.outcome_ == ("SEPARATED" if feasible else "CYCLING")


def test_twenty_separable_sets_are_all_separated() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(500, 20))
        y = np.where(X @ rng.normal(size=20) > 0, 1, 0)
        model = rb.Perceptron(max_passes=1_000_000).fit(X, y)
        assert model.outcome_ == "SEPARATED"
        assert np.count_nonzero(model.predict(X) != y) == 0
        assert model.mistakes_per_pass_[-1] == 0


# -------------------------------------------------------------------------------------------- the liars of float64


def test_cycle_of_rounding_is_not_called_one() -> None:
    """Separable, yet w = (1, 0) repeats at pass ends: 1 + 2^-54 = 1."""
    X, y = [[1.0], [0.0], [2.0**-54]], [1, -1, 1]
    model = quiet(rb.Perceptron(order="cyclic"), X, y)
    assert model.outcome_ == "BUDGET"
    assert "float64 rounds" in model.outcome_.sentence
    assert model.witness_ is None
    assert model.n_passes_ < 10  # it would go on for ever, so it stops at once


def test_start_too_large_to_move() -> None:
    model = quiet(rb.Perceptron(start=[-1e17, 0.0]), [[1.0], [-1.0]], [1, -1])
    assert model.outcome_ == "BUDGET"
    assert "float64 rounds" in model.outcome_.sentence


def test_tenths_that_come_back_only_in_floats() -> None:
    """Of many repeats on data in tenths some are true cycles and some are not; each is called what it is."""
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(300):
        X = rng.integers(-3, 4, size=(5, 1)) / 10
        y = np.array([1, -1, *rng.choice([-1, 1], size=3)])
        model = quiet(rb.Perceptron(eta=0.1, max_passes=200), X, y)
        seen.add(str(model.outcome_))
        if model.outcome_ == "CYCLING":
            assert witness_holds(model, X, y)
        if model.outcome_ == "SEPARATED":
            assert min(exact_agreements(model, X, y)) > 0
    assert {"CYCLING", "SEPARATED", "BUDGET"} <= seen


def test_tie_counted_as_correct_does_not_separate_xor() -> None:
    model = quiet(rb.Perceptron(tie="correct"), *XOR)
    assert model.outcome_ == "TIED"
    assert model.n_updates_ == 0
    assert "4 of 4 examples lie on the hyperplane" in model.outcome_.sentence


@pytest.mark.parametrize("tie", ["mistake", "correct"])
def test_float_pass_without_mistake_that_is_exactly_wrong(tie: str) -> None:
    u = 2.0**-53
    X, y = [[1.0, 1.5 * u, -1.0, -1.75 * u], [0.0, 0.0, 0.0, -1.0]], [1, -1]
    model = quiet(rb.Perceptron(start=[1.0] * 4, fit_intercept=False, tie=tie), X, y)
    assert model.decision_function(X)[0] > 0 > oracles.exact_dot(X[0], [1.0] * 4)
    assert model.outcome_ == "BUDGET"
    assert "in exact arithmetic 1 of 2 examples" in model.outcome_.sentence


def test_signs_too_close_for_the_bound_are_certified_exactly() -> None:
    tiny = 2.0**-60
    X, y = [[1.0, -1.0, tiny], [-1.0, 1.0, -tiny]], [1, 0]
    model = rb.Perceptron(start=[1.0, 1.0, 1.0], fit_intercept=False).fit(X, y)
    assert model.outcome_ == "SEPARATED"
    assert model.n_updates_ == 0
    assert min(exact_agreements(model, X, y)) == Fraction(tiny)


# ------------------------------------------------------------------------------------------------- each of the five


@pytest.mark.parametrize("seed", range(5))
def test_one_class_on_the_plane_proves_separability_by_a_shift(seed: int, tmp_path: Path) -> None:
    """Lecture 000 on AND from w = 0: the outcome stays TIED, and nothing warns that nothing is proved."""
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = rb.Perceptron.from_recipe("stein", start="zeros", random_state=seed).fit(X, y)
    assert model.outcome_ == "TIED"
    delta = min(-s for s, c in zip(model.decision_function(X), y, strict=True) if c == 0)
    assert model.outcome_.sentence == (
        f"no mistake by the tie rule after {model.n_updates_} corrections, but 1 of 4 examples lie on the hyperplane, "
        f"all of one class: with δ = {delta:g}, shifted by δ/2 every row is strictly on its side: completely "
        f"separable, proved."
    )
    shift_holds(model, X, y)
    assert model.outcome_.hyperplane.w.tolist() == model.coef_[0].tolist()
    assert model.outcome_.hyperplane.b == model.intercept_[0] + delta / 2
    rb.save(model, tmp_path / "model")
    for copy in (rb.load(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
        assert copy.outcome_.sentence == model.outcome_.sentence
        assert copy.outcome_.hyperplane.w.tolist() == model.outcome_.hyperplane.w.tolist()
        assert copy.outcome_.hyperplane.b == model.outcome_.hyperplane.b


def test_tied_between_several_classes_keeps_its_planes(tmp_path: Path) -> None:
    X = [[0.0, 0.0], [0.0, 2.0], [2.0, 0.0], [2.0, 2.0]]
    model = quiet(rb.Perceptron(tie="positive", random_state=1), X, [0, 1, 2, 2])
    tied = [o for o in model.outcomes_ if o == "TIED"]
    assert tied
    assert all(o.hyperplane is not None for o in tied)
    rb.save(model, tmp_path / "model")
    planes = [o.hyperplane and (o.hyperplane.w.tolist(), o.hyperplane.b) for o in model.outcomes_]
    again = [o.hyperplane and (o.hyperplane.w.tolist(), o.hyperplane.b) for o in rb.load(tmp_path / "model").outcomes_]
    assert planes == again


def test_a_shift_that_float64_cannot_hold_is_told_without_a_plane() -> None:
    """b = 1 and δ = 2^-52: b + δ/2 is rounded to b, yet one class alone is on the plane."""
    X, y = [[-1.0], [-1.0 - 2.0**-52]], [1, 0]
    model = quiet(rb.Perceptron(tie="positive", start=[1.0, 1.0]), X, y)
    assert (model.outcome_, model.n_updates_, model.outcome_.hyperplane) == ("TIED", 0, None)
    assert "completely separable, proved" in model.outcome_.sentence
    assert rb.separability(X, y).kind == "complete"


@pytest.mark.parametrize("order", ["cyclic", "shuffled"])
def test_pocket_on_xor_keeps_a_plane_it_met(order: str) -> None:
    """Not w = 0, with all four rows on its plane; and one count of errors, whoever counts."""
    model = quiet(rb.Perceptron(pocket=True, order=order), *XOR)
    assert np.any(model.coef_) or model.intercept_[0]
    assert model.score(*XOR) == 0.5
    assert model.outcome_.sentence.endswith("2 of 4 examples are classified wrongly.")


def test_xor_cycles_with_proof() -> None:
    with pytest.warns(ConvergenceWarning, match="no hyperplane separates"):
        model = rb.Perceptron().fit(*XOR)
    assert model.outcome_ == "CYCLING"
    assert model.witness_.rows.tolist() == [0, 1, 2, 3]
    assert model.witness_.multipliers == (1, 1, 1, 1)


@pytest.mark.parametrize("order", ["shuffled", "random"])
def test_cycles_are_proved_in_random_orders_too(order: str) -> None:
    model = quiet(rb.Perceptron(average=False, order=order, random_state=0, max_passes=10_000), *XOR)
    assert model.outcome_ == "CYCLING"
    assert witness_holds(model, *XOR)


def test_row_weights_enter_the_witness() -> None:
    X, y = np.array([[1.0], [1.0]]), [0, 1]
    model = quiet(rb.Perceptron(max_passes=100), X, y, sample_weight=[1.0, 2.0])
    assert model.outcome_ == "CYCLING"
    assert model.witness_.multipliers == (1, 1)
    assert witness_holds(model, X, y)


def test_normalized_runs_never_claim_a_cycle() -> None:
    model = quiet(rb.Perceptron(normalize=True, max_passes=300), *XOR)
    assert model.outcome_ == "BUDGET"


def test_budget_counts_and_advises() -> None:
    X, y = rb.datasets.sonar()
    with pytest.warns(ConvergenceWarning) as caught:
        model = rb.Perceptron(max_passes=10, average=False).fit(X, y)
    wrong = np.count_nonzero(model.predict(X) != y)
    text = str(caught[0].message)
    assert f"{wrong} of 208 examples are still classified wrongly after 10 passes" in text
    assert f"(fewest mistakes during a pass: {model.mistakes_per_pass_.min()})" in text
    assert "average=True or pocket=True" in text
    assert caught[0].filename == __file__
    assert str(model.outcome_) == "BUDGET"


def test_limits_stop_where_they_say() -> None:
    X, y = rb.datasets.sonar()
    assert quiet(rb.Perceptron(max_updates=7), X, y).n_updates_ == 7
    patient = quiet(rb.Perceptron(patience=4, max_passes=500), X, y)
    counts = patient.mistakes_per_pass_.tolist()
    best = counts.index(min(counts))
    assert len(counts) == best + 1 + 4
    assert "no pass beat the best for 4 passes" in patient.outcome_.sentence


def test_average_that_lags_is_confirmed_before_it_is_returned() -> None:
    """The running weights separate long before their average does: the average is returned only once it does too."""
    X, y = rb.datasets.margin_cloud(100, 3, 0.02, random_state=6)
    plain, average = rb.Perceptron().fit(X, y), rb.Perceptron(average=True, max_passes=100_000).fit(X, y)
    assert average.outcome_ == "SEPARATED"
    assert average.n_passes_ > plain.n_passes_
    assert average.n_updates_ == plain.n_updates_
    assert min(exact_agreements(average, X, y)) > 0


def test_random_order_looks_at_every_row_before_it_stops() -> None:
    X, y = rb.datasets.margin_cloud(300, 3, 0.05, random_state=1)
    for seed in range(20):
        model = rb.Perceptron(order="random", random_state=seed, max_passes=100_000).fit(X, y)
        assert model.outcome_ == "SEPARATED"
        assert min(exact_agreements(model, X, y)) > 0


def test_large_and_small_numbers() -> None:
    for scale in (1e300, 1e-300, 5e-324, 1e150):
        X, y = np.array([[-1.0], [1.0]]) * scale, [0, 1]
        model = quiet(rb.Perceptron(fit_intercept=False, max_passes=20), X, y)
        assert model.outcome_ in ("SEPARATED", "BUDGET")
        if model.outcome_ == "SEPARATED":
            assert min(exact_agreements(model, X, y)) > 0
    assert quiet(rb.Perceptron(fit_intercept=False), np.array([[-1e300], [1e300]]), [0, 1]).outcome_ == "SEPARATED"


def test_overflowing_weights_are_named() -> None:
    with pytest.raises(ValueError, match="overflowed float64"):
        quiet(rb.Perceptron(fit_intercept=False), [[1.7e308, 1.0], [1.7e308, 2.0]], [0, 1], sample_weight=[1.0, 9.0])


def test_zero_rows_duplicates_constant_columns_and_wide_data() -> None:
    assert quiet(rb.Perceptron(fit_intercept=False, max_passes=9), [[0.0], [1.0]], [0, 1]).outcome_ == "CYCLING"
    assert quiet(rb.Perceptron(), [[1.0], [1.0]], [0, 1]).outcome_ == "CYCLING"
    assert rb.Perceptron().fit([[-0.0, 7.0], [1.0, 7.0]], [0, 1]).outcome_ == "SEPARATED"
    rng = np.random.default_rng(0)
    for n, p in itertools.product((2, 5), (9, 40)):
        assert rb.Perceptron().fit(rng.normal(size=(n, p)), np.arange(n) % 2).outcome_ == "SEPARATED"


def test_no_warning_when_separated_or_online() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rb.Perceptron().fit([[0.0], [1.0]], [0, 1])
        rb.Perceptron().partial_fit(*XOR, classes=[0, 1])


def test_the_last_allowed_correction_may_be_the_missing_one() -> None:
    """A limit is reached just when the weights separate: then they are certified and called what they are."""
    X, y = [[0.0], [1.0]], [0, 1]
    needed = rb.Perceptron().fit(X, y)
    for limit in ({"max_passes": needed.n_passes_ - 1}, {"max_updates": needed.n_updates_}):
        model = rb.Perceptron(**limit).fit(X, y)
        assert model.outcome_ == "SEPARATED"
        assert model.coef_.tolist() == needed.coef_.tolist()


def test_pocket_without_mistakes_ends_the_fit() -> None:
    X, y = rb.datasets.margin_cloud(200, 3, 0.02, random_state=6)
    model = rb.Perceptron(pocket=True).fit(X, y)
    assert model.outcome_ == "SEPARATED"
    assert min(exact_agreements(model, X, y)) > 0


def test_a_shift_that_float64_does_not_have_is_told() -> None:
    """Between 1e16 and 1e16 − 2 there is no bias in float64; that a real one separates is proved all the same."""
    model = quiet(rb.Perceptron(start=[1.0, -1e16], tie="positive"), [[1e16], [1e16 - 2]], [1, 0])
    assert model.outcome_ == "TIED"
    assert model.outcome_.hyperplane is None
    assert "completely separable, proved), but rounding hides the float64 weights that do." in model.outcome_.sentence


def test_a_mistake_that_rounding_hides_is_told() -> None:
    """1e16 − 1 − 1e16 + 0.5 is 0.5 in float64 and −0.5 in truth."""
    model = quiet(rb.Perceptron(start=[1.0, 1.0, 1.0, 0.5]), [[1e16, -1.0, -1e16], [0.0, -5.0, 0.0]], [1, 0])
    assert model.outcome_ == "BUDGET"
    assert model.outcome_.sentence.startswith(
        "float64 sees no mistake, but in exact arithmetic 1 of 2 examples are not on their side: rounding hides it."
    )


@pytest.mark.parametrize(
    "forged",
    [
        ([0, 1], ["0x1", "-0x1"]),  # negative: equal rows cancel
        ([0, 4], ["0x1", "0x1"]),  # no such row
        ([-1, 0], ["0x1", "0x1"]),
        ([], []),
        ([0, 1], ["0x1"]),
    ],
)
def test_a_forged_witness_of_an_earlier_fit_proves_nothing(forged: tuple[list[int], list[str]]) -> None:
    X, y = np.array([[1.0], [1.0], [-1.0], [-2.0]]), np.array([1, 1, 0, 0])
    model = rb.Perceptron(warm_start=True).fit(X, y)
    model._states[0] = dataclasses.replace(model._states[0], outcome=("CYCLING", "it came back"), witness=forged)
    assert model.fit(X, y).outcome_ == "SEPARATED"


@pytest.mark.parametrize(("name", "change"), [("dealt", -1), ("dealt", 1), ("pass_start", -1), ("t", 41)])
def test_a_forged_clock_never_reaches_the_loop(name: str, change: int, tmp_path: Path) -> None:
    """The loop finds the rows of a pass by these numbers, and does not look whether they can be."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 2, 40)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = rb.Perceptron(warm_start=True, max_passes=3).fit(X, y)
    state = model._states[0]
    model._states[0] = dataclasses.replace(state, clock=state.clock | {name: state.clock[name] + change})
    rb.save(model, tmp_path / "model")
    with pytest.raises(ValueError, match="a time that cannot be"):
        rb.load(tmp_path / "model")


# ------------------------------------------------------------------------ fits that go on, to other data than before


@st.composite
def refits(draw: st.DrawFn, classes: int = 2) -> tuple[Any, list[tuple[Any, Any]]]:
    """Rows, and several times labels and weights for them; some rows change their class or weigh nothing."""
    n, p = draw(st.integers(classes, 7)), draw(st.integers(1, 3))
    X = np.array(draw(st.lists(st.lists(st.integers(-2, 2), min_size=p, max_size=p), min_size=n, max_size=n)), float)
    fits = []
    for _ in range(draw(st.integers(2, 4))):
        y = np.array(draw(st.lists(st.integers(0, classes - 1), min_size=n, max_size=n)))
        y[:classes] = draw(st.permutations(range(classes)))
        fits.append((y, np.array(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)), float)))
    return X, fits


def _joined(model: rb.Perceptron, X: Any) -> Any:
    return np.column_stack([X, np.ones(len(X))]) if model.fit_intercept else X


def _says_so_of_these_rows(model: rb.Perceptron, X: Any, y: Any, present: Any) -> None:
    """What the sentence counts is what `predict` does with the rows that are there now."""
    sentence, wrong = model.outcome_.sentence, int(np.count_nonzero((model.predict(X) != y)[present]))
    if model.outcome_ in ("CYCLING", "BUDGET"):
        assert f"{wrong} of {present.sum()} examples are " in sentence
    assert "float64 rounds" not in sentence, "whole numbers are not rounded"


@given(
    refits(),
    st.booleans(),
    st.sampled_from(["cyclic", "shuffled", "random"]),
    st.booleans(),
    st.sampled_from([3, 40, 20_000]),
    st.booleans(),
)
def test_a_fit_that_goes_on_says_what_is_true_of_its_own_rows(
    data: Any, bias: bool, order: str, pocket: bool, passes: int, by_class: bool
) -> None:
    """The labels, the rows that weigh something and the classes that do change between the fits."""
    X, fits = data
    model = rb.Perceptron(warm_start=True, fit_intercept=bias, order=order, pocket=pocket, max_passes=passes)
    for y, weights in fits:
        model.class_weight = {0: 0, 1: 1} if by_class and weights[0] == 0 else None
        present = (weights > 0) & (y == 1 if model.class_weight else True)
        if not present.any():
            continue
        quiet(model, X, y, sample_weight=weights)
        Z = (_joined(model, X) * (2 * y - 1)[:, None])[present]
        _says_so_of_these_rows(model, X, y, present)
        assert (model.witness_ is not None) == (model.outcome_ == "CYCLING")
        if model.outcome_ == "CYCLING":
            assert present[model.witness_.rows].all()
            assert witness_holds(model, X, y)
        if model.outcome_ == "SEPARATED":
            assert min(s for s, there in zip(exact_agreements(model, X, y), present, strict=True) if there) > 0
        if passes == 20_000 and order == "cyclic":  # whole numbers: a run separates, or comes back
            kind = claims.separability([[Fraction(v) for v in z] for z in Z.tolist()])[0]
            assert model.outcome_ == ("SEPARATED" if kind == "complete" else "CYCLING")


@given(refits(classes=3), st.booleans(), st.sampled_from(["cyclic", "shuffled"]), st.sampled_from([3, 40, 20_000]))
def test_classes_that_learn_together_go_on_in_the_same_way(data: Any, bias: bool, order: str, passes: int) -> None:
    X, fits = data
    model = rb.Perceptron(
        warm_start=True, multiclass="kesler", fit_intercept=bias, order=order, max_passes=passes, random_state=0
    )
    for y, weights in fits:
        present = weights > 0
        if not present.any():
            continue
        quiet(model, X, y, sample_weight=weights)
        rows = _joined(model, X)
        pairs = [(i, k) for i in np.flatnonzero(present).tolist() for k in range(3) if k != y[i]]
        Z = {pair: np.zeros((3, rows.shape[1])) for pair in pairs}
        for (i, k), z in Z.items():
            z[y[i]], z[k] = rows[i], -rows[i]
        _says_so_of_these_rows(model, X, y, present)
        if model.outcome_ == "CYCLING":
            found = model.witness_
            assert min(found.multipliers) > 0
            assert {*zip(found.rows.tolist(), found.rivals.tolist(), strict=True)} <= {*pairs}
            each = zip(found.rows.tolist(), found.rivals.tolist(), found.multipliers, strict=True)
            assert not np.any(sum(m * Z[i, k] for i, k, m in each))
        if model.outcome_ == "SEPARATED":
            W = np.column_stack([model.coef_, model.intercept_]) if bias else model.coef_
            assert min(float(np.sum(z * W)) for z in Z.values()) > 0  # whole numbers


def test_a_proof_about_other_rows_is_not_kept() -> None:
    """XOR without one of its rows is separable; with all labels turned round it is not, and other rows are wrong."""
    X, y = XOR
    for left_out in range(4):
        model = quiet(rb.Perceptron(warm_start=True), X, y)
        assert model.outcome_ == "CYCLING"
        weights = np.arange(4) != left_out
        assert quiet(model, X, y, sample_weight=weights.astype(float)).outcome_ == "SEPARATED"
    model = quiet(rb.Perceptron(warm_start=True), X, y)
    turned = quiet(model, X, np.max(y) + np.min(y) - np.asarray(y))
    assert turned.outcome_ == "CYCLING"
    assert "corrections of an earlier fit, on 4 examples, add up to zero exactly on these data too." in str(
        turned.outcome_.sentence
    )


def test_the_best_pass_is_one_of_these_data() -> None:
    """A pass without mistakes on other labels is not the best of this run, and does not end it for want of a better."""
    X, y = np.arange(6.0)[:, None], np.array([0, 0, 0, 1, 1, 1])
    model = quiet(rb.Perceptron(warm_start=True, order="cyclic", max_passes=200, patience=30, normalize=True), X, y)
    assert model.outcome_ == "SEPARATED"
    before = model.n_passes_
    quiet(model, X, [0, 1, 0, 1, 0, 1])
    best = int(np.min(model.mistakes_per_pass_[before:]))
    assert best > 0
    assert f"(fewest mistakes during a pass: {best})" in model.outcome_.sentence


@pytest.mark.parametrize("rivals", [[1, 7], [-1, 0], [1, 1]])
def test_a_forged_rival_proves_nothing(rivals: list[int]) -> None:
    """A class that is not there, or a row's own."""
    X, y = np.array([[1.0], [-1.0], [2.0]]), np.array([0, 1, 2])
    model = quiet(rb.Perceptron(warm_start=True, multiclass="kesler", fit_intercept=False, max_passes=5), X, y)
    forged = ([0, 1], ["0x1", "0x1"], rivals)
    model._states[0] = dataclasses.replace(model._states[0], outcome=("CYCLING", "it came back"), witness=forged)
    quiet(model, X, y)
    assert "earlier fit" not in model.outcome_.sentence
    equal = np.array([[1.0], [1.0], [2.0]])  # two classes, and the witness of three: a true sum, but of other rows z
    two = quiet(rb.Perceptron(warm_start=True, max_passes=1), equal, [0, 1, 1])
    two._states[0] = dataclasses.replace(two._states[0], outcome=("CYCLING", "it came back"), witness=forged)
    assert "earlier fit" not in quiet(two, equal, [0, 1, 1]).outcome_.sentence
