"""Forty real tables with the numbers of R's glm, brglm2, coxph, polr and clogit, which a script made and stored."""

import numpy as np
import pytest
from benchmarks.estimates.beside import differences, entries, estimated, from_statsmodels

MADE_WITH, ENTRIES = entries()
MOST = {"estimates": 1e-7, "errors": 1e-6, "log-likelihood": 1e-8, "profile ends": 4e-3, "Firth": 1e-8}
OF_POLR = {"estimates": 1e-5, "errors": 2e-3, "log-likelihood": 1e-8}  # it stops early, and has a numerical Hessian


def test_there_are_forty_tables():
    assert len({entry["name"].partition(",")[0] for entry in ENTRIES}) >= 40
    assert "brglm2" in MADE_WITH


@pytest.mark.parametrize("entry", ENTRIES, ids=[entry["name"] for entry in ENTRIES])
def test_every_number_that_both_have_is_the_same(entry):
    found = estimated(entry)
    different = differences(entry, found)
    most = OF_POLR if entry["model"] == "ordinal" else MOST
    assert different.keys() <= most.keys()
    assert {kind: value for kind, value in different.items() if not value <= most[kind]} == {}
    theirs = from_statsmodels(entry, found)  # with late entries too, which PHReg takes in another way than R
    assert theirs is None or theirs < 1e-6
    away = np.isinf(found.limiting.params)
    assert (np.abs(np.array(np.atleast_1d(entry["estimate"]), dtype=float))[away] > 15).all()  # R ran far out
    assert "estimates" in different or not np.isfinite(found.limiting.params).any()
