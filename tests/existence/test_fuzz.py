"""Every model against brute force on tiny data: ties, weights 0, empty classes, one class, more columns than rows."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import rosenblatt as rb
from tests.existence import definitions, oracle


def table(rng: np.random.Generator, n: int, p: int) -> Any:
    """Few different values, so that rows tie; decimals now and then."""
    size = rng.choice([1, 2, 5])
    return rng.integers(-size, size + 1, size=(n, p)) / rng.choice([1.0, 1.0, 10.0])


def shape(rng: np.random.Generator) -> tuple[int, int]:
    return int(rng.integers(1, 8)), int(rng.integers(0, 4))


def weights(rng: np.random.Generator, n: int) -> Any:
    """None, or weights of which some are zero; never all."""
    if rng.random() < 0.7:
        return None
    found = rng.integers(0, 3, size=n).astype(float)
    found[rng.integers(n)] = 1.0
    return found


def logistic(rng: np.random.Generator) -> Any:
    n, p = shape(rng)
    X, y, effects = table(rng, n, p), rng.integers(0, 2, size=n), [rng.integers(0, 3, size=n)]
    return (
        X,
        y,
        {"fixed_effects": effects, "classes": [0, 1]},
        lambda at: definitions.logistic(X[at], y[at], [effects[0][at]]),
    )


def binomial(rng: np.random.Generator) -> Any:
    n, p = shape(rng)
    X, m, bias = table(rng, n, p), rng.integers(0, 4, size=n), bool(rng.random() < 0.8)
    y = np.where(rng.random(n) < 0.6, rng.choice([0, 1], size=n) * m, rng.integers(0, m + 1))
    options = {"trials": m, "fit_intercept": bias}
    return X, y, options, lambda at: definitions.binomial(X[at], y[at], m[at], (), bias)


def poisson(rng: np.random.Generator) -> Any:
    n, p = shape(rng)
    bias = bool(rng.random() < 0.8)
    effects = [rng.integers(0, rng.integers(1, 4), size=n) for _ in range(rng.integers(0, 3))] if bias else []
    X, y = table(rng, n, p), rng.integers(0, 3, size=n) * rng.integers(0, 2, size=n)
    options: dict[str, Any] = {"fixed_effects": effects} if effects else {"fit_intercept": bias}
    return X, y, options, lambda at: definitions.poisson(X[at], y[at], [one[at] for one in effects], bias)


def multinomial(rng: np.random.Generator) -> Any:
    n, p, classes = int(rng.integers(1, 6)), int(rng.integers(0, 2)), int(rng.integers(2, 4))
    X, y = table(rng, n, p), rng.integers(0, classes, size=n)
    options = {"classes": list(range(classes))}
    return X, y, options, lambda at: definitions.multinomial(X[at], y[at], classes)


def paired(rng: np.random.Generator) -> Any:
    n, p = int(rng.integers(1, 8)), int(rng.integers(1, 4))
    X, y = table(rng, n, p), rng.choice([0, 0.5, 1], size=n)
    return X, y, {}, lambda at: definitions.paired(X[at], y[at])


CASES = {one.__name__: one for one in (logistic, binomial, poisson, multinomial, paired)}


@pytest.mark.parametrize("model", CASES)
def test_verdicts_are_those_of_brute_force(model: str, request: pytest.FixtureRequest) -> None:
    for seed in range(5000 if request.config.getoption("--soak") else 200):
        rng = np.random.default_rng([seed, *map(ord, model)])
        X, y, options, defined = CASES[model](rng)
        weight = weights(rng, len(y))
        at = np.arange(len(y)) if weight is None else np.flatnonzero(weight)
        inequalities, equalities = defined(at)
        X = sp.csr_array(X) if seed % 10 == 3 else X
        verdict = rb.existence(X, y, model, sample_weight=weight, coefficients=seed % 10 < 2, **options)
        d, z, e = len(verdict.model.weights), [z for _, z in inequalities], [z for _, z in equalities]
        kind, strict = oracle.verdict(z, e, d)
        assert verdict.kind == kind, (seed, verdict)
        if seed % 10 < 2:
            assert [one.kind for one in verdict.coefficients] == oracle.fates(z, e, d), (seed, verdict)
        if seed % 10 in (2, 3):
            columns = {name: value for name, value in options.items() if name in ("trials", "fixed_effects")}
            told = rb.verify(verdict.certificate, X, y, sample_weight=weight, **columns)
            assert told.startswith(f"{kind}: "), seed
        if verdict.model.compared or model == "binomial":
            keys = {f"{i}:{k}" for i, k in verdict.model.pairs.tolist()}
        else:
            keys = {f"{i}" for i, _ in verdict.model.pairs.tolist()}
        expected = {
            ":".join([str(at[int(key.split(":")[0])]), *key.split(":")[1:]])
            for key in (inequalities[i][0] for i in strict)
        }
        assert keys == expected, seed
