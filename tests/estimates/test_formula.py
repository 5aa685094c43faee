"""Formulas, frames and tables: names, levels, gaps, refusals."""

import re
import sys

import numpy as np
import pytest

import rosenblatt as rb

pandas = pytest.importorskip("pandas")
pytest.importorskip("formulaic")

R = np.random.default_rng(5)
N = 60
DATA = pandas.DataFrame(
    {
        "died": np.where(R.random(N) < 0.4, "yes", "no"),
        "age": R.integers(40, 90, N).astype(float),
        "centre": np.array(["a", "b", "c"])[np.arange(N) % 3],
        "days": R.integers(1, 9, N),
        "stays": R.poisson(1.0, N),
    }
)


def coded(data):
    X = np.c_[data["age"], data["centre"] == "b", data["centre"] == "c"].astype(float)
    return X, data["died"]


def values(found):
    return [one.value for one in found.coefficients]


def test_a_formula_is_the_matrix_that_it_stands_for():
    found = rb.estimate("died ~ age + C(centre)", data=DATA, firth=False)
    assert [one.name for one in found.coefficients] == ["age", "C(centre)[T.b]", "C(centre)[T.c]", "(1)"]
    assert [one.reference for one in found.coefficients] == ["", "a", "a", ""]
    assert found.outcome == "died = yes"
    assert re.search(r"\nC\(centre\)\[T.a\] +reference +0 *\nC\(centre\)\[T.b\] +finite", str(found))
    assert re.search(r"\nC\(centre\)\[T.a\] +reference +1 *\n", str(found.exponentiated()))
    X, y = coded(DATA)
    assert values(found) == values(rb.estimate(X, y, firth=False))


def test_a_factor_is_what_r_calls_it():
    wanted = rb.estimate("died ~ age + C(centre):days", data=DATA, firth=False)
    for factor in ("factor", "as.factor"):
        assert str(rb.estimate(f"died ~ age + {factor}(centre):days", data=DATA, firth=False)) == str(wanted)
    with pytest.raises(ValueError, match="my_factor"):
        rb.estimate("died ~ my_factor(centre)", data=DATA)


def test_interactions_other_references_and_no_intercept():
    found = rb.estimate("died ~ age:C(centre, contr.treatment('c')) - 1", data=DATA, firth=False)
    assert "(1)" not in [one.name for one in found.coefficients]
    assert len(found.coefficients) == 3
    other = rb.estimate("died ~ C(centre, contr.treatment('c'))", data=DATA, firth=False)
    assert {one.reference for one in other.coefficients} == {"c", ""}
    a = rb.estimate("died ~ C(centre)", data=DATA, firth=False)
    assert values(other)[0] == pytest.approx(-values(a)[1], abs=1e-9)


def test_columns_beside_the_formula_by_name():
    found = rb.estimate("stays ~ age", data=DATA, model="poisson", exposure="days", firth=False)
    direct = rb.estimate(DATA[["age"]], DATA["stays"], "poisson", exposure=DATA["days"], firth=False)
    assert values(found) == values(direct)
    assert found.outcome == "stays"


def test_other_tables_and_computed_outcomes():
    polars = pytest.importorskip("polars")
    wanted = values(rb.estimate("died ~ age", data=DATA, firth=False))
    assert values(rb.estimate("died ~ age", data=polars.DataFrame(DATA.to_dict("list")), firth=False)) == wanted
    assert values(rb.estimate("died ~ age", data=DATA.to_dict("list"), firth=False)) == wanted
    computed = rb.estimate("I(stays > 1) ~ age", data=DATA, firth=False)
    assert values(computed) == values(rb.estimate(DATA[["age"]], DATA["stays"] > 1, firth=False))


def test_a_dot_is_all_other_columns():
    """But for the outcome and the columns that have another part."""
    data = DATA.drop(columns="died")
    found = rb.estimate("stays ~ . - 1", data=data, model="poisson", exposure="days", firth=False)
    assert [one.name for one in found.coefficients] == ["age", "centre[a]", "centre[b]", "centre[c]"]
    without = rb.estimate("stays ~ . - age", data=data, model="poisson", firth=False)
    assert [one.name for one in without.coefficients] == ["centre[T.b]", "centre[T.c]", "days", "(1)"]
    with pytest.raises(ValueError, match='takes the name of column "2020" for a number: rename it first'):
        rb.estimate("stays ~ .", data=data.assign(**{"2020": 1.0}), model="poisson")
    twice = pandas.concat([data, data[["age"]]], axis=1)
    with pytest.raises(ValueError, match='have 2 columns "age": rename them first'):
        rb.estimate("stays ~ age", data=twice, model="poisson")


def test_levels_that_no_row_has_are_left_out():
    """One of them would have been the reference, and no coefficient would have been identified."""
    levels = pandas.Categorical(DATA["centre"], ["0", "a", "b", "c", "d"])
    found = rb.estimate("died ~ centre", data=DATA.assign(centre=levels), firth=False)
    assert values(found) == values(rb.estimate("died ~ C(centre)", data=DATA, firth=False))
    assert [one.reference for one in found.coefficients] == ["a", "a", ""]


def test_rows_with_gaps_are_refused_or_dropped():
    gaps = DATA.copy()
    gaps.loc[[3, 8], "age"] = np.nan
    with pytest.raises(ValueError, match='column "age" of the formula lacks a value in row 3, as 2 of 60 rows do'):
        rb.estimate("died ~ age", data=gaps)
    dropped = rb.estimate("died ~ age", data=gaps, missing="drop", sample_weight=np.ones(N), firth=False)
    kept = gaps.dropna()
    assert dropped.n == 58
    assert values(dropped) == values(rb.estimate(kept[["age"]], kept["died"], firth=False))


REFUSED = {
    "died ~ agee": 'has no column "agee"; did you mean "age"',
    "gone ~ age": 'has no column "gone"',
    "died ~ empty": 'column "empty" of the formula has no value in any row',
    "died ~ age +": "cannot be read",
    "~ age": "must name one outcome",
    "died + days ~ age": "must name one outcome",
    "died ~ log(centre)": "cannot be computed",
    "centre ~ age": "two classes; it has 3",
    "stays ~ age + offset(days)": "has offset(…), which is R's: give the column as offset, or",
    "cbind(stays, days) ~ age": "has cbind(…), which is R's: name the successes on the left",
    "died ~ admitted": 'column "admitted" of the formula holds dates or durations: make numbers of them',
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_wrong_formula_gets_one_sentence(text):
    with pytest.raises((ValueError, ImportError), match=re.escape(REFUSED[text])) as error:
        rb.estimate(text, data=DATA.assign(empty=np.nan, admitted=pandas.date_range("2020-01-01", periods=N)))
    assert "\n" not in str(error.value)


def test_what_goes_with_a_formula():
    with pytest.raises(TypeError, match="data is missing"):
        rb.estimate("died ~ age")
    with pytest.raises(TypeError, match="leave y out"):
        rb.estimate("died ~ age", [1], data=DATA)
    with pytest.raises(TypeError, match="data goes with a formula"):
        rb.estimate(DATA[["age"]], DATA["died"], data=DATA)
    with pytest.raises(ValueError, match="end it with - 1"):
        rb.estimate("died ~ age", data=DATA, fit_intercept=False)
    with pytest.raises(ValueError, match='no column "day", which exposure names; did you mean "days"'):
        rb.estimate("stays ~ age", data=DATA, model="poisson", exposure="day")


@pytest.mark.parametrize("missing", [("formulaic",), ("formulaic", "pandas")])
def test_without_formulaic_the_command_to_install_it(monkeypatch, missing):
    for name in missing:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"pip install 'rosenblatt\[formula\]'"):
        rb.estimate("died ~ age", data=DATA)


def test_a_table_brings_names_and_levels():
    table = rb.data.open_table(frame=DATA[["died", "age", "centre"]], target="died")
    found = rb.estimate(table, firth=False)
    lines = [line.split()[:2] for line in str(found).splitlines()[3:8]]
    levels = ["centre=b", "finite"], ["centre=c", "finite"]
    assert lines == [["age", "finite"], ["centre=a", "reference"], *levels, ["(1)", "finite"]]
    assert found.outcome == "died = yes"
    assert values(found) == values(rb.estimate(*coded(DATA), firth=False))
    with pytest.raises(TypeError, match="its own labels"):
        rb.estimate(table, DATA["died"])


def test_columns_that_a_model_does_not_take_are_refused_however_the_data_come():
    table = rb.data.open_table(frame=DATA[["died", "age"]], target="died")
    for arguments in ({"X": "died ~ age", "data": DATA}, {"X": table}, {"X": DATA[["age"]], "y": DATA["died"]}):
        with pytest.raises(TypeError, match="model='logistic' does not take trials"):
            rb.estimate(**arguments, trials=DATA["days"])
    with pytest.raises(TypeError, match="wieghts"):
        rb.plot.ProfileDisplay.from_data(DATA[["age"]], DATA["died"], "age", wieghts=DATA["days"])


def test_an_ordered_outcome_keeps_its_order_and_thresholds_alone_are_a_model():
    levels = pandas.Categorical(list("lmhlmmhl"), ["l", "m", "h"], ordered=True)
    data = pandas.DataFrame({"y": levels, "x": [1, 2, 3, 2, 1, 3, 2, 1]})
    found = rb.estimate("y ~ x", data=data, model="ordinal")
    assert [one.name for one in found.coefficients] == ["x", "l|m", "m|h"]
    empty = rb.estimate("y ~ 1", data=data, model="ordinal")
    shares = np.array([3 / 8, 6 / 8])
    assert [one.value for one in empty.coefficients] == pytest.approx(np.log(shares / (1 - shares)), abs=1e-9)
