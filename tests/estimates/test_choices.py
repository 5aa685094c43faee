"""Multinomial and Cox regression: R's numbers, and likelihoods by their definitions."""

from math import inf

import numpy as np
import pandas as pd
import pytest

import rosenblatt as rb
from rosenblatt.regressions.machinery import terms
from tests.estimates.choice_oracles import slow_conditional, slow_cox, slow_multinomial

X0 = np.array([*range(10)] * 2) / 4
X1 = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0]
X = np.c_[X0, X1]
CLASSES = list("abbaacbcacaabcbccabc")
TIME = [5, 3, 3, 8, 1, 9, 4, 4, 7, 2, 6, 6, 3, 8, 5, 1, 2, 9, 7, 4]
EVENT = [1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 0, 1, 1]
ENTRY = [0, 1, 0, 2, 0, 3, 1, 0, 4, 1, 2, 0, 1, 3, 2, 0, 1, 5, 0, 2]
STRATA = [0, 1] * 10
HALF = 1.920729410347062  # of the quantile of 95 %


def values(found):
    return [one.value for one in found.coefficients]


def test_brglm2_has_the_same_multinomial() -> None:
    """brmultinom of brglm2 0.9, type AS_mean and ML."""
    found = rb.estimate(X, CLASSES, "multinomial")
    firth = [one.firth.value for one in found.coefficients]
    told = [0.49804307655, -1.60717033266, 0.0298386257706, 1.85085943976, -3.50282735548, -1.3278258933437]
    np.testing.assert_allclose(firth, told, rtol=1e-8)
    assert [one.name for one in found.coefficients] == ["b: x0", "b: x1", "b: (1)", "c: x0", "c: x1", "c: (1)"]
    assert [one.fate for one in found.coefficients] == ["finite"] * 4 + ["-inf", "finite"]
    likely = rb.estimate(X[:, :1], CLASSES, "multinomial", firth=False)
    told = [0.315009360568, -0.434186223183, 1.727855473834, -2.084075405591]
    np.testing.assert_allclose(values(likely), told, rtol=1e-7)


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({}, [0.0131124215754, -0.2777402328995]),
        ({"ties": "breslow"}, [0.00259327310453, -0.22919547279494]),
        ({"entry": ENTRY, "groups": STRATA}, [-0.0370041677842, -0.2443089071606]),
    ],
)
def test_survival_has_the_same_cox(how, told) -> None:
    """coxph of R's survival."""
    found = rb.estimate(X, model="cox", time=TIME, event=EVENT, firth=False, **how)
    np.testing.assert_allclose(values(found), told, rtol=1e-7)


def _drawn(seed):
    """A small table with outcomes for both models; x1 is rare, so that many estimates run away."""
    r = np.random.default_rng(seed)
    n = int(r.integers(9, 16))
    X = np.column_stack([r.integers(-3, 4, n) / 2, r.random(n) < 0.3]).astype(float)
    X[:3, 1] = 1, 0, 1
    y = r.choice(list("abc"), n)
    y[:3] = list("abc")
    time, event = r.integers(1, 8, n), (r.random(n) < 0.7).astype(int)
    event[0] = 1
    return X, y, time, event


def _against(found, slow):
    """Every number of a table, by the definition of the likelihood."""
    if any(one.fate == "not identified" for one in found.coefficients):
        return 0
    best = slow.least(slow.loss)
    firth = [one.firth.value for one in found.coefficients]
    least = slow.penalised(firth)
    assert slow.least(slow.penalised, start=firth) >= least - 1e-8
    checked = 0
    for j, one in enumerate(found.coefficients):
        for end in (one.firth.lower, one.firth.upper):
            starts = [firth, np.full(len(firth), 6.0), np.full(len(firth), -6.0)]  # there may be several minima
            held = min(slow.least(slow.penalised, j, end, start) for start in starts[: 1 if len(firth) > 2 else 3])
            assert held == pytest.approx(least + HALF, abs=2e-5)
        for end in (one.lower.value, one.upper.value):
            if abs(end) < inf:
                assert slow.least(slow.loss, j, end) == pytest.approx(best + HALF, abs=2e-3)
                checked += 1
        if one.fate == "finite":
            assert slow.least(slow.loss, j, one.value) == pytest.approx(best, abs=1e-3)
        if one.fate in ("+inf", "-inf"):
            assert abs(one.value) == inf
            assert slow.least(slow.loss, j, 20.0 if one.value > 0 else -20.0) == pytest.approx(best, abs=2e-2)
    return checked


def test_multinomial_by_its_definition(request) -> None:
    soak, checked = request.config.getoption("--soak"), 0
    for seed in range(40 if soak else 3):
        X, y, _, _ = _drawn(seed)
        X = X if soak and seed % 2 else X[:, :1]
        checked += _against(rb.estimate(X, y, "multinomial"), slow_multinomial(X, y))
    assert checked


def test_sets_of_several_cases_by_their_definition(request) -> None:
    """Also sets of cases alone or without any, and sets of which most rows are cases."""
    checked = 0
    for seed in range(40 if request.config.getoption("--soak") else 3):
        X, _, _, _ = _drawn(seed)
        r = np.random.default_rng(seed)
        groups, y = r.integers(0, 3, len(X)), (r.random(len(X)) < (0.4, 0.7)[seed % 2]).astype(int)
        offset = r.normal(size=len(X)).round(1) if seed % 3 else np.zeros(len(X))
        if max(np.bincount(groups[y > 0], minlength=1)) < 2:
            continue
        found = rb.estimate(X, y, "conditional", groups=groups, offset=offset)
        slow = slow_conditional(X, y, groups, offset)
        checked += _against(found, slow)
        own = float(offset @ y)  # the definition's loss has no offset of the chosen ones
        assert found.llf == pytest.approx(own - slow.least(slow.loss), abs=1e-3)
        assert found.llnull == pytest.approx(own - slow.loss(np.zeros(2)), abs=1e-9)
    assert checked


def test_errors_of_sets_of_several_cases_are_statsmodels() -> None:
    conditional = pytest.importorskip("statsmodels.discrete.conditional_models")
    r = np.random.default_rng(0)
    X, groups, y = r.normal(size=(80, 2)), np.repeat(np.arange(10), 8), r.integers(0, 2, 80)
    found = rb.estimate(X, y, "conditional", groups=groups, firth=False)
    theirs = conditional.ConditionalLogit(y, X, groups=groups).fit(disp=0, method="newton")
    np.testing.assert_allclose(found.params, theirs.params, rtol=1e-5)
    np.testing.assert_allclose(found.bse, theirs.bse, rtol=1e-4)
    clustered = rb.estimate(X, y, "conditional", groups=groups, cluster=groups, robust="HC0")
    by_set = rb.estimate(X, y, "conditional", groups=groups, robust="HC0")
    np.testing.assert_allclose(clustered.bse, by_set.bse)
    with pytest.raises(ValueError, match="list each row as often"):
        rb.estimate(X, y, "conditional", groups=groups, sample_weight=np.full(80, 2))


def test_cox_by_its_definition(request) -> None:
    checked = 0
    for seed in range(60 if request.config.getoption("--soak") else 6):
        X, _, time, event = _drawn(seed)
        how = {"ties": ("efron", "breslow")[seed % 2]}
        if seed % 3 == 0:
            how["entry"] = (time - 2).clip(0) * (np.arange(len(time)) % 2)
        found = rb.estimate(X, model="cox", time=time, event=event, **how)
        entry = how.get("entry")
        checked += _against(found, slow_cox(X, time, event, how["ties"], entry))
    assert checked


@pytest.mark.parametrize("seed", [42, 47])
def test_ends_that_the_quick_search_misses_are_found(seed, request) -> None:
    """Separated classes: the profile has humps, on which a model of it misleads. The ends are ordinary numbers."""
    if seed == 47 and not request.config.getoption("--soak"):
        pytest.skip("seconds, and less is compared: with --soak")
    r = np.random.default_rng(seed)
    n, p = int(r.integers(10, 25)), int(r.integers(1, 3))
    X = r.normal(size=(n, p)) if seed % 2 else r.integers(0, 3, (n, p)).astype(float)
    y = r.integers(0, 3, n)
    found, slow = rb.estimate(X, y, "multinomial"), slow_multinomial(X, y)
    firth = [one.firth.value for one in found.coefficients]
    least = slow.penalised(firth)
    for j, one in enumerate(found.coefficients):
        for end in (one.firth.lower, one.firth.upper):
            assert abs(end) < 1e3
            assert slow.least(slow.penalised, j, end, firth) > least + HALF - 1e-4
            if seed == 42:  # of the other one the slow search does not find the lowest minimum either
                inside = one.firth.value + 0.98 * (end - one.firth.value)
                assert slow.least(slow.penalised, j, inside, firth) < least + HALF
    assert "Not computed" not in str(found)


def test_two_classes_are_a_logistic_regression() -> None:
    y = np.array([label == "c" for label in CLASSES]).astype(int)
    one, other = rb.estimate(X, y, "multinomial"), rb.estimate(X, y)
    np.testing.assert_allclose(values(one), values(other), rtol=1e-8)
    for a, b in zip(one.coefficients, other.coefficients, strict=True):
        assert a.fate == b.fate
        np.testing.assert_allclose(
            [a.lower.value, a.upper.value, a.firth.value, a.firth.lower, a.firth.upper, a.firth.p],
            [b.lower.value, b.upper.value, b.firth.value, b.firth.lower, b.firth.upper, b.firth.p],
            rtol=1e-6,
        )


def test_matched_sets_of_one_case_are_a_stratified_cox_model() -> None:
    """R's clogit is coxph with a stratum for each set; of `infert` both give 1.98588 and 1.40901."""
    r = np.random.default_rng(6)
    sets = np.repeat(np.arange(15), 4)
    case, x = (np.arange(60) % 4 == 0).astype(int), r.normal(size=(60, 2))
    found = rb.estimate(x, case, "conditional", groups=sets, firth=False)
    cox = rb.estimate(x, model="cox", time=np.ones(60), event=case, groups=sets, ties="breslow", firth=False)
    np.testing.assert_allclose(values(found), values(cox), rtol=1e-12)
    assert found.llnull == pytest.approx(-15 * np.log(4))
    with pytest.raises(ValueError, match="the likelihood is constant"):
        rb.estimate(x, np.zeros(60), "conditional", groups=sets)


def test_weights_are_copies() -> None:
    weights = np.arange(20) % 3
    rows = np.repeat(np.arange(20), weights)
    one = rb.estimate(X, CLASSES, "multinomial", sample_weight=weights)
    other = rb.estimate(X[rows], np.array(CLASSES)[rows], "multinomial")
    np.testing.assert_allclose(values(one), values(other), rtol=1e-8)


def test_decimals_are_decimals() -> None:
    """0.1 + 0.2 and 0.3 tie: by the floats' differences, an event would be above another and run away."""
    X = np.array([[0.3], [0.1], [0.7], [0.3], [0.1]])
    found = rb.estimate(X, model="cox", time=[1, 2, 3, 4, 5], event=[1, 1, 0, 0, 0], firth=False)
    assert found.verdict.kind == rb.existence(X, model="cox", time=[1, 2, 3, 4, 5], event=[1, 1, 0, 0, 0]).kind


def test_shown_as_hazard_ratios() -> None:
    found = rb.estimate(X, model="cox", time=TIME, event=EVENT, exponentiate=True)
    assert "Cox regression of event, 20 rows, shown as hazard ratios" in str(found)
    assert "what the search found, not proved" in str(found)
    assert "≈" in str(found)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"model": "cox", "time": TIME}, "model='cox' needs event"),
        ({"model": "cox", "y": EVENT, "time": TIME, "event": EVENT}, "model='cox' does not take y"),
        ({"model": "cox", "time": TIME, "event": EVENT, "ties": "exact"}, "ties='efron' or 'breslow'"),
        ({"model": "cox", "time": TIME, "event": [0] * 20}, "there are no events"),
        ({"model": "cox", "time": TIME, "event": EVENT, "exposure": TIME}, "does not take exposure"),
        ({"model": "multinomial", "y": ["a"] * 20}, "one class alone"),
        ({"model": "multinomial", "y": CLASSES, "exact": True}, "is for logistic and binomial models"),
        ({"model": "logistic", "y": EVENT, "time": TIME}, "does not take time"),
    ],
)
def test_bad_input_is_one_sentence(arguments, sentence) -> None:
    with pytest.raises((TypeError, ValueError), match=sentence):
        rb.estimate(X, **arguments)


def test_large_ones_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terms, "LARGEST", 100)
    with pytest.raises(ValueError, match="100 comparisons times coefficients at most"):
        rb.estimate(X, CLASSES, "multinomial")
    monkeypatch.setattr(terms, "LARGEST", 10)
    with pytest.raises(ValueError, match="10 comparisons times coefficients at most"):
        rb.estimate(X, model="cox", time=TIME, event=EVENT, entry=np.zeros(20))


def test_a_limiting_cox_model_compares_decimals_as_decimals() -> None:
    """0.1 + 0.2 is 0.3 in columns of decimals, so x0 + x1 does not tell the last three rows apart, as w says."""
    from rosenblatt.estimates.design import design_of
    from rosenblatt.regressions import REGRESSIONS
    from rosenblatt.regressions.machinery.given import Given

    rows = [[1.0, 1.0], [0.1, 0.2], [0.3, 0.0], [0.0, 0.3]]
    columns = {"time": [1.0, 2, 3, 3], "event": [1, 1, 0, 0]}
    design = design_of(REGRESSIONS["cox"], Given.of(np.array(rows), columns, {}, None))
    assert design.verdict.kind == "quasi"
    plane = design.on_plane()
    assert plane[0] == -1
    assert plane[1] == plane[2] == plane[3] >= 0
    assert design.rows_of(plane).tolist() == [1, 2, 3]


def test_an_order_that_is_not_known_is_asked_for_by_what_estimate_takes() -> None:
    X, y = [[1], [2], [3], [4], [2]], ["low", "mid", "high", "low", "mid"]
    with pytest.raises(TypeError, match="cannot tell the order of the levels of y: give y as numbers, or"):
        rb.estimate(X, y, "ordinal")
    numbers = rb.estimate(X, [0, 1, 2, 0, 1], "ordinal")
    ordered = rb.estimate(X, pd.Categorical(y, ["low", "mid", "high"], ordered=True), "ordinal")
    assert [one.value for one in ordered.coefficients] == [one.value for one in numbers.coefficients]
