"""Certificates of models: what is forged, damaged or about other data is refused."""

import copy
import json
from typing import Any

import numpy as np
import pytest

import rosenblatt as rb

X = np.array([[0.1, 0.0], [0.2, 0.0], [0.3, 0.0], [0.4, 1.0], [0.1, 0.0], [0.3, 0.0]])
Y = [1, 2, 1, 0, 0, 0]
EFFECTS = [["a", "a", "b", "b", "a", "b"]]


def certificate(**more: Any) -> rb.Certificate:
    return rb.existence(X, Y, "poisson", fixed_effects=EFFECTS, coefficients=True, **more).certificate


def test_it_says_how_rows_were_made() -> None:
    content = certificate().content
    assert content["format"] == "rosenblatt-certificate/3"
    assert content["model"] == {
        "name": "poisson",
        "columns": {"fixed_effects": ["effect 1"]},
        "effects": [["a", "b"]],
    }
    assert content["readings"] == [{"power": -1}, {"power": 0}, {"power": 0}]  # of X, then of y
    assert (content["n"], content["p"], content["fit_intercept"]) == (6, 2, True)
    assert len(content["w"]) == 4
    assert set(content) >= {"lambda", "free", "base", "coefficients"}
    json.dumps(content)


def test_it_is_about_these_data_alone() -> None:
    proof = certificate()
    assert rb.verify(proof, X, Y, fixed_effects=EFFECTS).startswith(
        "quasi: this poisson model has no maximum-likelihood estimate, 1 of 3 comparisons are certain; of 4 weights"
    )
    for other in (
        {"y": [1, 2, 2, 0, 0, 0]},
        {"X": X + 1},
        {"fixed_effects": [["a", "a", "a", "b", "a", "b"]]},
        {"fixed_effects": [["a", "a", "c", "c", "a", "c"]]},
        {"fixed_effects": None},
        {"X": X[:5], "y": Y[:5], "fixed_effects": [EFFECTS[0][:5]]},
    ):
        with pytest.raises(ValueError, match="is not about these data"):
            rb.verify(proof, **({"X": X, "y": Y, "fixed_effects": EFFECTS} | other))


def test_columns_of_a_model_belong_to_a_model() -> None:
    two = rb.separability([[0.0], [1.0]], [0, 1]).certificate
    with pytest.raises(TypeError, match="about two classes: leave trials out"):
        rb.verify(two, [[0.0], [1.0]], [0, 1], trials=[1, 1])


def forged(content: dict[str, Any]) -> list[dict[str, Any]]:
    """The certificate with one thing changed, each of which makes it false or no certificate."""
    changes: list[tuple[list[Any], Any]] = [
        (["verdict"], "overlap"),
        (["verdict"], "complete"),
        (["verdict"], "unknown"),
        (["w", 0], "0x7"),
        (["w"], ["0x0"] * 4),
        (["w"], content["w"][:3]),
        (["base"], "0x0"),
        (["base"], "-0x1"),
        (["base"], hex(int(content["base"], 16) + 1)),
        (["free"], {}),
        (["free"], {"3": "0x1"}),
        (["free", next(iter(content["free"]))], "0x12345"),
        (["free"], []),
        (["lambda"], {"0": "0x1"}),
        (["lambda"], {"17": "0x1"}),
        (["lambda"], {"4:0": "0x1"}),
        (["lambda"], {"3": "0x1"}),
        (["lambda"], {"4": "-0xffffffffffff"}),
        (["model", "name"], "logistic"),
        (["model", "name"], "other"),
        (["model", "name"], 3),
        (["model"], []),
        (["model", "effects"], [["b", "a"]]),
        (["model", "classes"], ["b", "a"]),
        (["fit_intercept"], False),
        (["decimals"], [0, 1]),
        (["decimals"], [None, None]),
        (["format"], "rosenblatt-certificate/1"),
        (["null"], []),
        (["margin"], {}),
        (["coefficients", "rows"], [0, 1, 2]),
        (["coefficients", "rows", 0], "3"),
        (["coefficients", "each", 0, "kind"], "+inf"),
        (["coefficients", "each", 1], {"kind": "finite"}),
        (["coefficients", "null"], [["0x1", "0x0", "0x0", "0x0"]]),
    ]
    found = []
    for path, value in changes:
        other = copy.deepcopy(content)
        at = other
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = value
        found.append(other)
    return found + [{k: v for k, v in content.items() if k != name} for name in ("w", "free", "lambda", "base")]


def believed(content: dict[str, Any]) -> str:
    try:
        return rb.verify(rb.Certificate(content), X, Y, fixed_effects=EFFECTS)
    except ValueError as why:
        told = ("the certificate does not hold: ", "the certificate is not about these data: ")
        return "" if str(why).startswith(told) else f"an odd sentence: {why}"


def test_forgeries_are_refused() -> None:
    content = certificate().content
    assert believed(content)
    assert [k for k, other in enumerate(forged(content)) if believed(other)] == []


def test_what_is_complete_is_not_quasi() -> None:
    verdict = rb.existence([[0.0], [1.0]], ["a", "b"], "multinomial")
    assert verdict.kind == "complete"
    for spanned in ({"base": "0x1"}, {"null": []}, {"null": [["0x1", "0x0"], ["0x0", "0x1"]]}):
        forgery = verdict.certificate.content | {"verdict": "quasi", "lambda": {}, "free": {}} | spanned
        with pytest.raises(ValueError, match="does not hold: lambda is empty"):
            rb.verify(rb.Certificate(forgery), [[0.0], [1.0]], ["a", "b"])


@pytest.mark.parametrize("kind", ["overlap", "quasi", "complete"])
@pytest.mark.parametrize("model", ["cox", "conditional"])
def test_coefficients_of_many_rows_with_long_numbers(model: str, kind: str) -> None:
    """Differences of such values have low parts, whose ties may not be among the few rows that are looked at first."""
    rng = np.random.default_rng(3)
    n = 400
    X = np.c_[rng.normal(size=(n, 2)), rng.integers(0, 2, n)]
    order = rng.permutation(n) + 1.0
    if model == "conditional":
        columns = {"y": np.tile([1, 0], n // 2), "groups": np.repeat(np.arange(n // 2), 2)}
        X[0::2, 2] = np.where(kind == "quasi", np.maximum(X[0::2, 2], X[1::2, 2]), X[0::2, 2])
        if kind == "complete":
            X[0::2, 0] = X[1::2, 0] + rng.random(n // 2) + 0.01
    else:
        columns = {"y": None, "time": order, "event": np.where((X[:, 2] > 0) & (kind == "quasi"), 0, 1)}
        if kind == "complete":
            X[:, 0] = -np.log(order)
    verdict = rb.existence(X, model=model, coefficients=True, **columns)
    assert (verdict.kind, verdict.reason) == (kind, "")
    assert len(verdict.coefficients) == 3
    fates = {one.kind for one in verdict.coefficients}
    assert fates == {"finite"} if kind == "overlap" else fates & {"+inf", "-inf"}
    y = columns.pop("y")
    assert verdict.certificate.verify(X, y, **columns).startswith(kind)


def test_floats_prove_that_large_tables_of_any_model_overlap() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(800, 60)).round(2), rng.integers(0, 5, 800)
    verdict = rb.existence(X, y, "multinomial", coefficients=True)
    assert (verdict.kind, verdict.proof) == ("overlap", "floats")
    assert {one.kind for one in verdict.coefficients} == {"finite"}
    assert verdict.certificate.verify(X, y).startswith("overlap: the maximum-likelihood estimate")  # written when read
    changed = rb.existence(X, y, "multinomial")
    X[3, 4] += 1
    with pytest.raises(ValueError, match="the rows have changed since they were decided"):
        _ = changed.certificate.content
