"""Times in formulas: R's Surv(…) and strata(…), against the same model by columns."""

import re

import numpy as np
import pytest

import rosenblatt as rb

pandas = pytest.importorskip("pandas")
pytest.importorskip("formulaic")

R = np.random.default_rng(3)
N = 50
DATA = pandas.DataFrame(
    {
        "days": R.integers(1, 40, N),
        "since": R.integers(-5, 1, N),
        "status": R.integers(1, 3, N),
        "state": R.choice(["alive", "dead", "lost"], N),
        "age": R.normal(60, 9, N),
        "centre": R.choice(["a", "b"], N),
        "arm": R.choice(["x", "y", "z"], N),
    }
)
DEAD = (DATA["status"] == 2).astype(int)


def values(found):
    return [one.value for one in found.coefficients]


@pytest.mark.parametrize(
    ("text", "event", "more"),
    [
        ("Surv(days, status == 2) ~ age", DEAD, {}),
        ("Surv(days, status) ~ age", DEAD, {}),
        ("Surv(days, event = status > 1) ~ age", DEAD, {}),
        ('Surv(days, state == "dead") ~ age', DATA["state"] == "dead", {}),
        ("Surv(days / 7, state != 'alive') ~ age", DATA["state"] != "alive", {"time": DATA["days"] / 7}),
        ("Surv(since, days, status == 2) ~ age", DEAD, {"entry": DATA["since"]}),
        ("Surv(days, status == 2) ~ strata(centre) + age", DEAD, {"groups": DATA["centre"]}),
        ("Surv(days, status == 2) ~ age + strata(centre)", DEAD, {"groups": DATA["centre"]}),
        (
            "Surv(days, status == 2) ~ age + strata(centre, arm)",
            DEAD,
            {"groups": DATA["centre"] + DATA["arm"]},
        ),
    ],
)
def test_a_formula_is_the_model_of_its_columns(text, event, more):
    found = rb.estimate(text, data=DATA, firth=False)
    columns = {"time": DATA["days"], "event": event.astype(int)} | more
    assert found.model == "cox"
    assert values(found) == values(rb.estimate(DATA[["age"]], model="cox", firth=False, **columns))


def test_factors_are_measured_against_a_level_although_there_is_no_intercept():
    found = rb.estimate("Surv(days, status) ~ C(arm)", data=DATA, firth=False)
    assert [one.name for one in found.coefficients] == ["C(arm)[T.y]", "C(arm)[T.z]"]
    dots = rb.estimate("Surv(days, status) ~ . - state", data=DATA, firth=False)
    assert [one.name for one in dots.coefficients][:2] == ["since", "age"]


def test_rows_that_lack_a_time_are_named_and_dropped():
    gaps = DATA.assign(days=DATA["days"].where(DATA.index != 4))
    with pytest.raises(ValueError, match='column "days" of the formula lacks a value in row 4'):
        rb.estimate("Surv(days, status) ~ age", data=gaps)
    dropped = rb.estimate("Surv(days, status) ~ age", data=gaps, missing="drop", firth=False)
    assert values(dropped) == values(rb.estimate("Surv(days, status) ~ age", data=gaps.dropna(), firth=False))


REFUSED = {
    "Surv(days) ~ age": "say Surv(time, event) or Surv(entry, time, event)",
    "Surv(days, gone) ~ age": 'has no column "gone"',
    "Surv(days, state) ~ age": "state holds alive, dead, lost: say which is the event, as in state == 'lost'",
    "Surv(days, print(1)) ~ age": "takes names of columns, arithmetic and comparisons",
    "Surv(days, status ==) ~ age": "takes names of columns, arithmetic and comparisons",
    "Surv(days, 1) ~ age": "names no column",
    "Surv(days, state > 1) ~ age": "cannot be computed",
    "age ~ Surv(days, status)": "has Surv(…), which is R's: it stands alone on the left",
    "status ~ age + strata(centre)": "has strata(…), which is R's: it goes with Surv",
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_wrong_formula_gets_one_sentence(text):
    with pytest.raises(ValueError, match=re.escape(REFUSED[text])) as error:
        rb.estimate(text, data=DATA)
    assert "\n" not in str(error.value)
