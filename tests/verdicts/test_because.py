"""Why classes are separable: single columns by a naive look at every value, small sets by trying all of them."""

from decimal import Decimal
from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import rosenblatt as rb
from rosenblatt.verdicts import checker
from rosenblatt.verdicts.fates import settling
from rosenblatt.verdicts.fates.because import _roundest_between


def naive(X: np.ndarray, y: np.ndarray, bias: bool) -> dict[int, tuple[bool, int]]:
    """Columns with no row on the wrong side of some threshold: whether all rows are strict, and how many are."""
    found = {}
    for j in range(X.shape[1]):
        thresholds = [Fraction(v) for v in X[:, j]] if bias else [Fraction(0)]
        thresholds += [(a + b) / 2 for a, b in combinations(sorted(set(thresholds)), 2)] if bias else []
        for side in (1, -1):
            for t in thresholds:
                sides = [side * int(s) * (Fraction(v) - t) for v, s in zip(X[:, j], y, strict=True)]
                if min(sides) >= 0 and max(sides) > 0:
                    strict = sum(one > 0 for one in sides)
                    complete, most = found.get(j, (False, 0))
                    found[j] = (complete or strict == len(y), max(most, strict))
    return found


@pytest.mark.parametrize("seed", range(60))
def test_single_columns_are_those_of_a_naive_look(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, p, bias = int(rng.integers(3, 12)), int(rng.integers(1, 5)), bool(seed % 3)
    X = rng.integers(-2, 3, (n, p)).astype(float)
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0, 1, -1) if seed % 2 else rng.choice([-1, 1], n)
    if abs(y.sum()) == n or not X.any():
        return
    rows = sp.csr_array(X) if seed % 5 == 0 else X
    verdict = rb.separability(rows, y, fit_intercept=bias, margin=False)
    expected = naive(X, y, bias)
    told = {one.columns[0]: (one.complete, one.strict.size) for one in verdict.because}
    if verdict.kind == "complete":
        expected = {j: one for j, one in expected.items() if one[0]}
    assert told == (expected if verdict.kind != "overlap" else {})
    assert [entry["columns"] for entry in verdict.certificate.content.get("because", [])] == [[j] for j in told]
    assert checker.check(verdict.certificate.written(), X.tolist(), y.tolist())
    assert verdict.certificate.verify(rows, y)


def test_a_small_set_is_found_and_proved_smallest() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 6)).round(3)
    y = X[:, 1] + X[:, 4] > 0.1
    (one,) = rb.separability(X, y).because
    assert (one.columns, one.smallest, one.complete) == ((1, 4), True, True)
    assert all(rb.separability(X[:, [j]], y, margin=False).kind != "complete" for j in range(6))
    assert rb.separability(X, y, margin=False).because == ()  # the quick answer has no search for sets
    assert "because" not in rb.separability(X, rng.integers(0, 2, 200)).certificate.content


def test_the_reason_leads_the_answer_and_weights_of_zero_keep_row_numbers() -> None:
    X, y = np.array([[5.0, 1], [1, 1], [2, 0], [3, 1], [4, 0]]), np.array([0, 1, 1, 0, 0])
    verdict = rb.separability(X, y, sample_weight=[0, 1, 1, 1, 1])
    assert verdict.facts()[0][0] == "because"
    assert verdict.facts()[0][1].startswith("x0 alone separates: y = 1 exactly where x0 < 3.")
    assert verdict.because[0].strict.tolist() == [1, 2, 3, 4]


def test_numbers_that_floats_do_not_tell_apart_are_no_reason() -> None:
    from decimal import Decimal

    X = [[Decimal("12345678901234567.1")], [Decimal("12345678901234567.2")]]
    verdict = rb.separability(np.array(X, dtype=object), [0, 1])
    assert (verdict.kind, verdict.because) == ("complete", ())


def test_long_numbers_have_no_threshold_and_no_set_is_called_smallest_beside_them() -> None:
    a = [Decimal(f"67326.55185269786713{k}") for k in range(10)]  # separates, and floats cannot tell it
    y = [0] * 5 + [1] * 5
    b = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3]
    verdict = rb.separability(pd.DataFrame({"a": a, "b": b}), y)
    assert verdict.kind == "complete"
    assert verdict.reasons_in_words(["a", "b"], ["0", "1"]) == []
    c = [k - 4 + (k % 3) * 10 for k in range(10)]
    d = [-(k % 3) for k in range(10)]  # c + 10·d is k − 4: two columns do it too
    verdict = rb.separability(pd.DataFrame({"a": a, "c": c, "d": d}), y)
    assert verdict.kind == "complete"
    assert all(not one.smallest for one in verdict.because)


@pytest.mark.parametrize(("low", "high", "found"), [("2495", "2523", "2500"), ("0", "1", "1"), ("-1", "1", "0")])
def test_thresholds_are_round(low: str, high: str, found: str) -> None:
    assert _roundest_between(Fraction(low), Fraction(high)) == Fraction(found)
    for a, b in ((Fraction(1, 3), Fraction(1, 2)), (Fraction(-7), Fraction(-6)), (Fraction(0), Fraction(1, 10**30))):
        assert a < _roundest_between(a, b) <= b


def test_a_trial_on_large_data_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    from rosenblatt.verdicts import trial

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2000, 5)), np.where(rng.random(2000) < 0.5, 1, -1).astype(np.int8)
    assert not trial.try_perceptron(X, y, "overlap", True, None, 1e-9).cut  # small data: its work alone is limited
    monkeypatch.setattr(trial, "_SMALL", 0)
    monkeypatch.setattr(trial, "_LEAST", 1e-6)
    found = trial.try_perceptron(X, y, "overlap", True, None, 1e-9)
    assert found.cut
    assert found.wrong is None
    assert trial.try_perceptron(X, y, "overlap", True, 0.0, 1e-9) is None  # the time limit of all is over


def test_a_column_that_separates_alone_settles_the_coefficients_of_all_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its weights are 0 elsewhere: no exact simplex is needed where floats fail beside calculated columns."""
    asked, exactly = set[int](), settling._Settling.exactly
    monkeypatch.setattr(settling._Settling, "exactly", lambda self, j: asked.add(j) or exactly(self, j))
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(60, 12)) * 10.0 ** rng.integers(-3, 6, 12)
        X = np.hstack([X, X @ rng.normal(size=(12, 4)), rng.integers(0, 2, size=(60, 1)).astype(float)])
        X, y = np.hstack([X, 3 * X[:, -1:] - rng.integers(0, 2, size=(60, 1))]), X[:, -1]
        verdict = rb.separability(X, y, margin=bool(seed % 2), coefficients=True)
        assert [one.columns for one in verdict.because] == [(16,), (17,)]
        assert [one.kind for one in verdict.coefficients[:-1]] == ["undetermined"] * 18
        assert verdict.reason == ""
        assert verdict.certificate.verify(X, y)
    assert asked <= {18}  # the intercept
