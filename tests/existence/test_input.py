"""Bad input is refused in one sentence that names the row; what makes no difference makes none."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rosenblatt as rb

X = np.array([[0.0], [1.0], [2.0], [3.0]])

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"model": "probability"}, "model must be one of binomial, conditional, cox, logistic"),
    ({"model": "poisson", "y": [0, 1, -2, 3]}, "y has -2 in row 2: a count is not negative."),
    ({"model": "poisson", "y": [0, 1, np.nan, 3]}, "y has nan in row 2: it must hold finite numbers."),
    ({"model": "poisson", "y": ["a", "b", "c", "d"]}, "y must hold numbers."),
    ({"model": "poisson", "y": [0, 1, 2]}, "y must hold one value for each of 4 rows; it has shape (3,)."),
    ({"model": "poisson", "y": [0, 1, 2, 3], "exposure": [1, 0, 1, 1]}, "exposure has 0 in row 1: it must be above 0."),
    ({"model": "poisson", "y": [0, 1, 2, 3], "offset": [1, 0, np.inf, 1]}, "offset has inf in row 2"),
    ({"model": "poisson", "y": [0, 1, 2, 3], "trials": [1, 1, 1, 1]}, "model='poisson' does not take trials."),
    ({"model": "poisson"}, "model='poisson' needs y."),
    ({"model": "poisson", "y": [0, 1, 2, 3], "sample_weight": [1, 1, -1, 1]}, "sample_weight must be 4 numbers"),
    ({"model": "poisson", "y": [0, 1, 2, 3], "sample_weight": [0, 0, 0, 0]}, "sample_weight must not be all zero"),
    ({"model": "poisson", "y": [0, 1, 2, 3], "fixed_effects": [[1, 2, 3]]}, "fixed_effects must hold one value"),
    ({"model": "poisson", "y": [0, 1, 2, 3], "fixed_effects": [[1, 2, None, 3]]}, "effect 1 has no value in row 2"),
    (
        {"model": "poisson", "y": [0, 1, 2, 3], "fixed_effects": [[1, 2, 1, 2]], "fit_intercept": False},
        "bring an intercept",
    ),
    ({"model": "binomial", "y": [0, 1, 2, 3]}, "model='binomial' needs trials."),
    (
        {"model": "binomial", "y": [0, 1.5, 2, 3], "trials": 4},
        "y has 1.5 in row 1: counts are whole numbers from 0 on.",
    ),
    ({"model": "binomial", "y": [0, 1, 2, 3], "trials": [4, 4, -4, 4]}, "trials has -4 in row 2: counts are whole"),
    (
        {"model": "binomial", "y": [0, 1, 2, 5], "trials": 4},
        "y has 5 in row 3: of 4 trials there cannot be",
    ),
    (
        {"model": "multinomial", "y": ["a", "b", "c", "d"], "classes": ["a", "b", "c"]},
        "y has 'd' in row 3, which is not",
    ),
    ({"model": "multinomial", "y": ["a", "a", "a", "a"]}, "y has one class alone: list the others too"),
    ({"model": "multinomial", "y": ["a", "a", "b", "b"], "classes": ["a", "b", "b"]}, "a value is listed twice for y."),
    ({"model": "logistic", "y": [0, 1, 2, 0], "fixed_effects": [[1, 2, 1, 2]]}, "y must have two classes; it has 3"),
    ({"model": "paired", "y": [0, 1, 2, 0]}, "y has 2 in row 2: say 1 where a won, 0 where b won, 0.5 for a draw."),
    ({"model": "paired", "y": [0, 1, 1, 0], "items": ([1, 2, 3, 4], [2, 3, 4, 1])}, "leave X out, as X=None."),
    ({"model": "paired", "y": [0, 1, 1, 0], "items": [[1, 2, 3, 4]], "X": None}, "items must be two columns"),
    ({"model": "poisson", "y": [0, 1, 2, 3], "sample_weight": list("abcd")}, "sample_weight must be 4 numbers"),
    ({"model": "poisson", "y": [0, 1, 2, 3], "fixed_effects": "firm"}, "must be columns of values; it is the text"),
    ({"model": "multinomial", "y": pd.Series(["a", "b", pd.NA, "a"])}, "y has no value in row 2: drop the row"),
    ({"model": "multinomial", "y": pd.array([1, 2, None, 1], dtype="Int64")}, "y has no value in row 2: drop the row"),
    (
        {"model": "ordinal", "y": ["low", "mid", "high", "mid"]},
        "model='ordinal' cannot tell the order of high, low, mid: list them in levels.",
    ),
]


@pytest.mark.parametrize(("arguments", "sentence"), REFUSED, ids=[sentence[:40] for _, sentence in REFUSED])
def test_bad_input_gets_one_sentence(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises((TypeError, ValueError), match=re.escape(sentence)) as caught:
        rb.existence(**({"X": X} | arguments))
    assert str(caught.value).rstrip().endswith(".")
    assert "\n" not in str(caught.value)


def test_offsets_exposures_and_weights_make_no_difference() -> None:
    rng = np.random.default_rng(0)
    table, y = rng.integers(0, 3, size=(12, 2)).astype(float), rng.poisson(0.4, size=12)
    plain = rb.existence(table, y, "poisson")
    for more in ({"offset": rng.normal(size=12)}, {"exposure": 2.5}, {"sample_weight": rng.random(12) + 0.1}):
        other = rb.existence(table, y, "poisson", **more)
        assert (other.kind, other.sentence) == (plain.kind, plain.sentence)
        assert other.certificate.content == plain.certificate.content


def test_effects_may_come_as_a_table() -> None:
    frame = pd.DataFrame({"firm": list("aabbcc"), "year": [1, 2, 1, 2, 1, 2], "x": [0.0, 1, 0, 1, 0, 2]})
    y = [1, 2, 0, 0, 3, 1]
    verdict = rb.existence(frame[["x"]], y, "poisson", fixed_effects=frame[["firm", "year"]], coefficients=True)
    assert verdict.model.weights == ("x", "firm=b", "firm=c", "year=2", "(1)")
    assert verdict.rows["strict"].tolist() == [2, 3]
    assert {one.name: one.kind for one in verdict.coefficients}["firm=b"] == "-inf"
    arrays = [frame["firm"].to_numpy(), frame["year"].to_numpy()]
    assert rb.existence(frame[["x"]], y, "poisson", fixed_effects=arrays).kind == verdict.kind
    assert rb.verify(verdict.certificate, frame[["x"]], y, fixed_effects=frame[["firm", "year"]]).startswith("quasi")


def test_one_set_of_effects_may_come_alone_and_have_numbers_and_texts() -> None:
    firm, y = pd.Series([7, "7a", 7, "7a"], name="firm"), [1, 0, 2, 0]
    for effects in (firm, [firm], firm.to_numpy(), firm.tolist()):
        verdict = rb.existence(X, y, "poisson", fixed_effects=effects)
        assert verdict.rows["strict"].tolist() == [1, 3]
    assert rb.existence(X, y, "poisson", fixed_effects=firm).model.weights == ("x0", "firm=7a", "(1)")


def test_levels_are_taken_in_the_order_that_y_brings() -> None:
    """In the order of the alphabet (high, low, mid) these would overlap."""
    polars = pytest.importorskip("polars")
    y, levels = ["low", "low", "mid", "high"], ["low", "none", "mid", "high"]
    ordered = pd.Series(pd.Categorical(y, levels, ordered=True))
    for brought in (ordered, ordered.array, polars.Series(y, dtype=polars.Enum(levels))):
        verdict = rb.existence(X, brought, "ordinal")
        assert (verdict.kind, verdict.model.weights) == ("complete", ("x0", "low|mid", "mid|high"))
        assert verdict.certificate.verify(X, brought).startswith("complete")
    without = rb.existence(X, ordered, "ordinal", sample_weight=[1, 1, 1, 0])
    assert without.model.weights == ("x0", "low|mid")
    two = rb.existence(X, ["no", "no", "yes", "no"], "ordinal")  # no order is needed
    assert two.kind == "overlap"


def test_a_class_without_rows_is_decided_and_named() -> None:
    verdict = rb.existence(X, ["a", "b", "a", "b"], "multinomial", classes=["a", "b", "c"], coefficients=True)
    kinds = {one.name: one.kind for one in verdict.coefficients}
    assert verdict.kind == "quasi"
    assert kinds["c: (1)"] == "-inf"
    assert {tuple(pair) for pair in verdict.model.pairs.tolist()} == {(i, 2) for i in range(4)}


def test_collinear_effects_are_named_with_what_they_collide_with() -> None:
    firm, sector = [0, 0, 1, 1, 2, 2, 3, 3], [0, 0, 0, 0, 1, 1, 1, 1]
    y = [1, 2, 3, 1, 2, 0, 1, 1]
    verdict = rb.existence(np.arange(8.0)[:, None] % 3, y, "poisson", fixed_effects=[firm, sector], coefficients=True)
    told = {one.name: one for one in verdict.coefficients}
    assert told["effect 2=1"].kind == "not identified"
    assert set(told["effect 2=1"].others) == {"effect 1=2", "effect 1=3"}
    assert "can be computed from those of effect 1=2, effect 1=3" in told["effect 2=1"].advice
    assert told["effect 1=1"].kind == "finite"


def test_paired_items_and_their_differences_are_one_question() -> None:
    a, b, won = ["x", "y", "z", "x"], ["y", "z", "x", "z"], [1, 1, 1, 0.5]
    verdict = rb.existence(None, won, "paired", items=(a, b))
    assert verdict.kind == "overlap"
    assert verdict.model.weights == ("y", "z")
    beaten = rb.existence(None, [1, 1, 0.5], "paired", items=(["x", "x", "y"], ["y", "z", "z"]), coefficients=True)
    assert beaten.kind == "quasi"
    assert [one.kind for one in beaten.coefficients] == ["-inf", "-inf"]
    assert rb.verify(beaten.certificate, None, [1, 1, 0.5], items=(["x", "x", "y"], ["y", "z", "z"])).startswith(
        "quasi"
    )


def test_logistic_is_separability_itself() -> None:
    y = [0, 0, 1, 1]
    verdict = rb.existence(X, y)
    assert verdict.certificate.content == rb.separability(X, y).certificate.content
    assert verdict.model is None


@pytest.mark.parametrize("model", ["poisson", "binomial", "multinomial"])
def test_a_column_may_be_called_as_the_intercept_is(model: str) -> None:
    more = {"trials": 5} if model == "binomial" else {}
    named, y = pd.DataFrame({"x": X[:, 0], "(1)": 1.0}), [0, 3, 5, 0]
    verdict = rb.existence(named, y, model, fit_intercept=False, **more)
    assert verdict.kind == rb.existence(named.to_numpy(), y, model, fit_intercept=False, **more).kind
    assert verdict.certificate.verify(named, y, **more).startswith(verdict.kind)
