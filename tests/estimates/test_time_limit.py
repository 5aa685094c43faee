"""A time limit is kept in every phase: what was found by then is shown, and the rest says why it is missing."""

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.context import Context, Unfinished
from rosenblatt.estimates.design import design_of
from rosenblatt.regressions import REGRESSIONS
from rosenblatt.regressions.machinery.given import Given


@pytest.mark.parametrize("model", ["logistic", "multinomial"])
def test_what_was_found_in_time_is_shown(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Time ends at one look at the rows after another: numbers are those without a limit, or missing and said to be."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(30, 2)).round(1), rng.integers(0, 2 if model == "logistic" else 3, 30)
    whole, seen, looks = rb.estimate(X, y, model), set(), 1
    while True:
        left = [looks]

        def check(_self: Context, left: list[int] = left) -> None:
            left[0] -= 1
            if left[0] < 0:
                raise Unfinished("the time limit was reached")

        with monkeypatch.context() as patched:
            patched.setattr("rosenblatt.estimates.likelihood.Loss._look", check, raising=True)
            found = rb.estimate(X, y, model)
        for one, full in zip(found.coefficients, whole.coefficients, strict=True):
            pairs = [(one.value, full.value), (one.lower.value, full.lower.value), (one.upper.value, full.upper.value)]
            pairs += [
                (getattr(one.firth, name), getattr(full.firth, name)) for name in ("value", "lower", "upper", "p")
            ]
            assert all(a == b or np.isnan(a) for a, b in pairs)
            assert one.late == any(np.isnan(a) for a, _ in pairs)
        assert ("Not computed, because the time limit was reached: numbers of" in str(found)) == found.late
        assert "rounding hides" not in str(found)
        seen.add(found.late)
        if not found.late:
            break
        looks = int(looks * 1.7) + 1
    assert seen == {True, False}


def test_every_loss_asks_before_it_looks_at_its_rows() -> None:
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(20, 2)).round(1), rng.integers(0, 3, 20)
    time_, event = rng.integers(1, 9, 20).astype(float), rng.integers(0, 2, 20)
    asked = {
        "poisson": {"y": y},
        "multinomial": {"y": y},
        "cox": {"time": time_, "event": event},
        "sequential": {"y": y},
    }
    for name, columns in asked.items():
        design = design_of(REGRESSIONS[name], Given.of(X, columns, {}, None), Context.of(0.0))
        problem = design.problem(design.everything)
        with pytest.raises(Unfinished, match="the time limit was reached"):
            problem.likelihood.at(np.zeros(problem.likelihood.d))
