"""The checker's rows of a model are the package's, although the two share no code; in floats and in decimals."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt.verdicts import checker
from rosenblatt.verdicts.existence import conditional, cox, ordinal
from rosenblatt.verdicts.existence.rows import Values

DECIMALS = (1, None, 0)


def columns(rng, n):
    """Tenths, floats of very different sizes, whole numbers; few different ones, so that there are ties."""
    tenths = rng.integers(-20, 20, size=n) / 10
    floats = rng.choice([0.0, 1.0, 1 / 3, 2.0**-80, 2.0**70], size=n)
    return np.column_stack([tenths, floats, rng.integers(0, 3, size=n)])


def by_name(made):
    """The package's rows: name, whether equal, and z in the table's units as fractions."""
    Z = (made.Z.toarray() if sp.issparse(made.Z) else made.Z).tolist()
    found = {}
    for name, equal, values in zip(made.keys(), made.equal.tolist(), Z, strict=True):
        z = [Fraction(v) / ten for v, ten in zip(values, made.tens, strict=False)]
        for at, j in enumerate(made.low, len(made.names)):
            z[j] += Fraction(values[at]) / made.tens[j]
        found[name] = equal, z
    assert len(found) == len(Z)
    return found


def by_checker(model, X, data, decimals):
    """The same of the checker."""
    powers = list(decimals or [None] * X.shape[1])
    ten = 10 ** max(k or 0 for k in powers)
    values = [checker._values(x, powers, ten) for x in X.tolist()]
    made = checker.MODELS[model["name"]](values, data, model, X.shape[1], False, ten)
    found = {}
    for i, (name, row) in enumerate(zip(made.names, made.z, strict=True)):
        z = [Fraction(0)] * made.d
        for j, m, e in row:
            z[j] += Fraction(m) * Fraction(2) ** e / ten
        found[name] = i in made.equal, z
    assert len(found) == len(made.z)
    return found


def both(rng, X):
    """X and how it is read: dense or sparse, decimals or floats."""
    decimals = DECIMALS if rng.random() < 0.5 else None
    return Values.of(sp.csr_array(X) if rng.random() < 0.5 else X, decimals), decimals


@pytest.mark.parametrize("ties", cox.TIES)
def test_cox(ties, request) -> None:
    rng = np.random.default_rng(cox.TIES.index(ties))
    for _ in range(400 if request.config.getoption("--soak") else 40):
        n = int(rng.integers(1, 40))
        X = columns(rng, n)
        values, decimals = both(rng, X)
        time = rng.integers(1, rng.choice([4, 30]), size=n).astype(float)
        late = rng.random() < 0.7
        entry = time - rng.choice([0.5, 1, 3, 20], size=n, p=[0.4, 0.3, 0.2, 0.1]) if late else None
        strata = rng.integers(0, rng.choice([1, 3]), size=n)
        known = cox.Survival.of(time, rng.random(n) < 0.6, entry, strata)
        data = {"groups": strata.tolist(), "time": time.tolist(), "event": known.event.astype(int).tolist()}
        data |= {"entry": entry.tolist()} if late else {}
        ours = by_name(cox.rows(values, known, ("a", "b", "c"), ties))
        assert by_checker({"name": "cox", "ties": ties}, X, data, decimals) == ours


def test_conditional(request) -> None:
    rng = np.random.default_rng(3)
    for _ in range(1000 if request.config.getoption("--soak") else 100):
        n = int(rng.integers(1, 20))
        X = columns(rng, n)
        values, decimals = both(rng, X)
        cases, sets = rng.random(n) < 0.5, rng.integers(0, rng.integers(1, 6), size=n)
        data = {"y": cases.astype(int).tolist(), "groups": sets.tolist()}
        ours = by_name(conditional.rows(values, cases, sets, ("a", "b", "c")))
        assert by_checker({"name": "conditional"}, X, data, decimals) == ours


def test_ordinal(request) -> None:
    rng = np.random.default_rng(4)
    for _ in range(1000 if request.config.getoption("--soak") else 100):
        n, levels = int(rng.integers(1, 12)), list("abcdef")[: rng.integers(2, 7)]
        X = columns(rng, n)
        values, decimals = both(rng, X)
        codes = rng.integers(0, len(levels), size=n)
        ours = by_name(ordinal.rows(values, codes, levels, ("a", "b", "c")))
        assert by_checker({"name": "ordinal", "levels": levels}, X, {"y": codes.tolist()}, decimals) == ours
