"""Tables that programs stumble over."""

from math import inf, isnan, nan
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rosenblatt.estimates.estimating import estimate
from tests.estimates.oracles import Slow, half_quantile

R = np.random.default_rng(1)
X = R.normal(size=(12, 2))
Y = np.array([0, 1] * 6)


def fates(found):
    return [one.fate for one in found.coefficients]


def test_a_constant_column_is_the_intercept_again():
    found = estimate(np.c_[X, np.full(12, 3.0)], Y)
    assert fates(found) == ["finite", "finite", "not identified", "finite"]
    plain = estimate(X, Y)
    for a, b in zip([*found.coefficients[:2], found.coefficients[3]], plain.coefficients, strict=True):
        assert (a.value, a.firth.value) == (pytest.approx(b.value), pytest.approx(b.firth.value))
    last = found.coefficients[2]
    assert (last.left_out, found.limiting.design.left_out[0].constant) == (True, True)
    assert isnan(last.value)
    assert last.firth is None
    assert (last.lower.value, last.upper.value) == (-inf, inf)


def test_fewer_rows_than_columns():
    """Three columns and the intercept fit four rows perfectly; the others say nothing more."""
    found = estimate(R.normal(size=(4, 6)), [0, 1, 0, 1])
    assert [one.left_out for one in found.coefficients] == [False] * 3 + [True] * 3 + [False]
    assert found.verdict.kind == "complete"


def test_the_last_of_each_dependent_group_is_left_out():
    """As R leaves out: white, black and hispan add up to one, and so do the two levels of the other factor."""
    r = np.random.default_rng(8)
    one, two = r.integers(0, 3, 90), r.integers(0, 2, 90)
    table = np.column_stack([one == 0, one == 1, one == 2, r.normal(size=90), two == 0, two == 1]).astype(float)
    y = r.integers(0, 2, 90)
    found, plain = estimate(table, y), estimate(table[:, [0, 1, 3, 4]], y)
    assert [k for k, one in enumerate(found.coefficients) if one.left_out] == [2, 5]
    kept = [one for one in found.coefficients if not one.left_out]
    for a, b in zip(kept, plain.coefficients, strict=True):
        assert (a.value, a.lower.value, a.firth.p) == (b.value, b.lower.value, b.firth.p)
    assert "x2, x5: left out, because columns before them say the same" in str(found)
    assert found.to_frame()["std_error"].isna().tolist() == [False, False, True, False, False, True, False]
    several = estimate(table[:, :4], r.integers(0, 3, 90), "multinomial", firth=False)
    assert [one.name for one in several.coefficients if one.left_out] == ["1: x2", "2: x2"]


def test_columns_that_strata_have_once_are_said_to_be_that():
    strata = np.repeat(np.arange(12), 2)
    x = np.column_stack([strata % 5, np.random.default_rng(0).normal(size=24)]).astype(float)
    found = estimate(x, model="cox", time=np.ones(24), event=np.arange(24) % 2, groups=strata, firth=False)
    assert "x0: left out, because it has one value within every stratum." in str(found)
    assert found.coefficients[1].fate == "finite"


@pytest.mark.parametrize(("y", "fate"), [(np.zeros(12), "-inf"), (np.ones(12), "+inf"), (["ill"] * 12, "+inf")])
def test_one_class(y, fate):
    found = estimate(X, y)
    assert fates(found) == ["undetermined", "undetermined", fate]
    intercept = found.coefficients[-1]
    finite, infinite = (intercept.upper, intercept.lower) if fate == "-inf" else (intercept.lower, intercept.upper)
    assert infinite.value == intercept.value
    assert finite.proved
    assert np.sign(intercept.firth.value) == np.sign(intercept.value)


def test_no_count_at_all():
    for arguments in ({"model": "poisson"}, {"model": "binomial", "trials": np.full(12, 3)}):
        found = estimate(X, np.zeros(12), **arguments)
        assert fates(found) == ["undetermined", "undetermined", "-inf"]
        assert found.coefficients[-1].upper.value < 0


def test_rows_of_weight_zero_are_absent():
    weights = np.append(np.ones(10), [0, 0])
    a, b = estimate(X, Y, sample_weight=weights), estimate(X[:10], Y[:10])
    assert [one.value for one in a.coefficients] == [one.value for one in b.coefficients]
    assert a.n == 10
    only_failures = estimate(X, Y, sample_weight=[1, 0] * 6)
    assert fates(only_failures)[-1] == "-inf"


def test_the_intercept_alone():
    (one,) = estimate(np.zeros((12, 0)), [1] * 9 + [0] * 3).coefficients
    assert one.value == pytest.approx(np.log(3), abs=1e-12)
    with pytest.raises(ValueError, match="no coefficient to estimate"):
        estimate(np.zeros((12, 0)), Y, fit_intercept=False)


def test_a_shared_offset_moves_the_intercept():
    a, b = estimate(X, Y), estimate(X, Y, offset=np.full(12, 2.5))
    assert a.coefficients[-1].value - 2.5 == pytest.approx(b.coefficients[-1].value, abs=1e-9)
    assert a.coefficients[-1].lower.value - 2.5 == pytest.approx(b.coefficients[-1].lower.value, abs=1e-7)


def test_an_exposure_is_the_exponential_of_an_offset():
    exposure = np.arange(1.0, 13.0)
    a, b = (estimate(X, Y, "poisson", **one) for one in ({"exposure": exposure}, {"offset": np.log(exposure)}))
    assert [one.value for one in a.coefficients] == [one.value for one in b.coefficients]


@pytest.mark.parametrize("unit", [1e-150, 1e-6, 1e6, 1e300])
def test_units_of_any_size(unit):
    a, b = estimate(X, Y), estimate(X * unit, Y)
    for one, other in zip(a.coefficients[:2], b.coefficients[:2], strict=True):
        assert other.value * unit == pytest.approx(one.value, rel=1e-9)
        assert other.firth.upper * unit == pytest.approx(one.firth.upper, rel=1e-7)


def test_columns_far_from_zero_keep_their_slopes():
    a, b = estimate(X, Y), estimate(X + 1e8, Y)
    for one, other in zip(a.coefficients[:2], b.coefficients[:2], strict=True):
        assert other.value == pytest.approx(one.value, rel=1e-6)
        assert other.upper.value == pytest.approx(one.upper.value, rel=1e-6)
    bias, (s, t) = b.coefficients[-1], ((X + 1e8) - 1e8).T
    best, _ = Slow(np.c_[s, t], Y).least()
    for end in (bias.lower, bias.upper):
        assert not end.proved  # and it says so
        # (1e8 + s)·w + (1e8 + t)·u + b, with a = b + 1e8·(w + u) in the place of u
        held, _ = Slow(np.c_[s - t, 1 + t / 1e8], Y, offset=-t * end.value / 1e8, bias=False).least()
        assert float(held - best - half_quantile(0.95)) == pytest.approx(0.0, abs=1e-6)
    assert bias.firth.lower < bias.firth.value < bias.firth.upper
    assert "≈" in str(b)
    assert "Not computed" not in str(b)


def test_a_far_intercept_without_an_estimate():
    """Separated, so that the intercept has one end."""
    t, y = np.array([0.0, 1.0, 2.0, 2.0, 3.0]), [0, 0, 0, 1, 1]
    found = estimate(t[:, None] + 1e7, y, firth=False)
    assert fates(found) == ["+inf", "-inf"]
    best, _ = Slow(t[:, None], y).least()
    end = found.coefficients[1].upper.value
    held, _ = Slow((1 + t / 1e7)[:, None], y, offset=-t * end / 1e7, bias=False).least()
    assert float(held - best - half_quantile(0.95)) == pytest.approx(0.0, abs=1e-6)


def test_offsets_beyond_all_floats_are_said_to_hide_the_answer():
    found = estimate(X, Y, offset=np.linspace(-5000, 5000, 12))
    assert all(isnan(one.value) and one.error is None for one in found.coefficients)
    assert "Not computed" in str(found)


def test_weights_of_any_size_come_to_an_end():
    large, small = (estimate(X, Y, sample_weight=np.full(12, weight)) for weight in (1e12, 1e-12))
    plain = estimate(X, Y)
    for a, b, c in zip(large.coefficients, plain.coefficients, small.coefficients, strict=True):
        assert a.value == pytest.approx(b.value, rel=1e-6)
        assert a.firth.value == pytest.approx(b.value, rel=1e-6)  # what is known well needs no prior
        assert c.value == pytest.approx(b.value, rel=1e-6)
        assert c.firth.value == pytest.approx(0.0, abs=1e-6)  # of nothing the prior is left


def test_firth_leaves_a_lower_hill_when_it_sees_a_higher_one():
    # with offsets from −50 to 50 the penalised likelihood has several maxima
    found = estimate(X, Y, offset=np.linspace(-50, 50, 12))
    assert all(0 < one.firth.p < 1 for one in found.coefficients)
    assert all(one.firth.lower < one.firth.value < one.firth.upper for one in found.coefficients)


REFUSED = {
    "NaN": ({"X": np.where(X[1, 1] == X, nan, X)}, "X has NaN in row 1, column 1"),
    "text": ({"X": [["a", "b"]] * 12}, "X has the text 'a' in row 0"),
    "no rows": ({"X": X[:0], "y": []}, "no rows"),
    "three classes": ({"y": np.arange(12) % 3}, "two classes; it has 3"),
    "y of another length": ({"y": Y[:5]}, "one value for each of 12 rows"),
    "y with a gap": ({"y": [nan, *Y[1:]]}, "y has no label in row 0"),
    "model": ({"model": "probit"}, "model must be one of binomial, conditional, cox, logistic"),
    "level": ({"level": 95}, "level must be between 0 and 1"),
    "too many successes": (
        {"model": "binomial", "trials": np.zeros(12)},
        "y has 1 in row 1: of 0 trials there",
    ),
    "negative": ({"model": "poisson", "y": Y - 1}, "y has -1 in row 0: a count is not negative"),
    "weights": ({"sample_weight": -Y}, "sample_weight must be 12 numbers, none negative"),
    "all weights": ({"sample_weight": np.zeros(12)}, "must not be all zero"),
    "y without a value": ({"y": [None, *(["yes", "no"] * 6)[1:]]}, "y has no label in row 0: drop the row"),
    "a gap beside": ({"offset": [1.0, nan] * 6}, "offset has nan in row 1: it must hold finite numbers"),
    "offset": ({"offset": [1.0]}, "offset must hold one value for each of 12 rows"),
    "texts": ({"offset": ["a"] * 12}, "offset must hold numbers"),
    "exposure": ({"exposure": np.zeros(12), "model": "poisson"}, "exposure has 0 in row 0: it must be above 0"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_input_gets_one_sentence(name):
    arguments, sentence = REFUSED[name]
    with pytest.raises(ValueError, match=sentence):
        estimate(**({"X": X, "y": Y} | arguments))


def test_no_trials():
    with pytest.raises(TypeError, match="model='binomial' needs trials"):
        estimate(X, Y, "binomial")


def test_no_y():
    with pytest.raises(TypeError, match="y is missing"):
        estimate(X)


def test_ratios_beyond_all_numbers_are_shown_as_powers():
    """The classes hardly overlap: the upper end is about 3 million, and e to that power is no Decimal."""
    table = estimate([[0.0], [1.0], [1.0 - 1e-6], [2.0], [-1.0], [3.0]], [0, 0, 1, 1, 0, 1], exponentiate=True)
    end = table.coefficients[0].upper.value
    assert end > 2.5e6
    shown = str(table).splitlines()[3]
    assert "exp(" in shown
    assert float(shown.split("exp(")[1].split(")")[0]) == pytest.approx(end, rel=1e-5)
    assert table.to_latex()


@pytest.mark.parametrize("model", ["logistic", "poisson", "multinomial", "cox"])
def test_a_calculated_column_is_named(model: str) -> None:
    """Exactly, inches from centimetres are a column of their own, by rounding; floats cannot find such an estimate."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    table = pd.DataFrame({"cm": X[:, 0], "age": X[:, 1], "dose": X[:, 2], "inches": X[:, 0] / 2.54})
    y: Any = {
        "logistic": rng.integers(0, 2, 120),
        "poisson": rng.poisson(1, 120),
        "multinomial": rng.integers(0, 3, 120),
    }
    beside = {"time": rng.exponential(size=120), "event": rng.integers(0, 2, 120)} if model == "cox" else {}
    with pytest.raises(ValueError, match=r"floats cannot find it: .*(cm|inches).* can be computed from other columns"):
        estimate(table, y.get(model), model=model, **beside)
    without = estimate(table.drop(columns="inches"), y.get(model), model=model, **beside)
    assert all(np.isfinite(one.value) for one in without.coefficients)


def test_without_columns_the_intercept_is_left():
    """All rows alike: every column is left out, and the model is the intercept's."""
    found = estimate([[1.0, 2.0]] * 4, [0, 1, 0, 0], firth=False)
    assert [one.left_out for one in found.coefficients] == [True, True, False]
    assert found.coefficients[2].value == pytest.approx(np.log(1 / 3))


@pytest.mark.parametrize("robust", [None, "HC0", "HC1", "HC3"])
def test_errors_where_every_row_is_separated_or_none_is_left_over(robust):
    """No coefficient has an error; nor has one of as many coefficients as rows, by a kind that divides by the rest."""
    found = estimate([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1], robust=robust, firth=False)
    assert np.isnan(found.bse).all()
    assert np.isinf(found.params).all()
    assert found.llf == pytest.approx(0.0, abs=1e-12)
    assert found.predict([[0.0], [1.5], [9.0]])[[0, 2]].tolist() == [0.0, 1.0]
    as_many = estimate([[0.0], [1.0]], [1, 3], "poisson", robust=robust, firth=False)
    assert np.isnan(as_many.bse).all() == (robust in ("HC1", "HC3"))
