"""The checker's rows of a model are the package's, although the two share no code; in floats and in decimals."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt.data.numbers.exact import exact_rows
from rosenblatt.data.numbers.readings import BINARY, Reading
from rosenblatt.data.numbers.rows import as_rows
from rosenblatt.regressions import conditional, cox, ordinal
from rosenblatt.regressions.machinery.rows import Values
from rosenblatt.verdicts import checker

DECIMALS = (1, None, 0)


def columns(rng, n):
    """Tenths, floats of very different sizes, whole numbers; few different ones, so that there are ties."""
    tenths = rng.integers(-20, 20, size=n) / 10
    floats = rng.choice([0.0, 1.0, 1 / 3, 2.0**-80, 2.0**70], size=n)
    return np.column_stack([tenths, floats, rng.integers(0, 3, size=n)])


def by_name(made):
    """The package's rows: name, whether equal, and z in the table's units as fractions."""
    Z, low = (
        (one.toarray() if sp.issparse(one) else one).tolist()
        for one in (made.Z, made.low.values if made.low else np.zeros((len(made.row), 0)))
    )
    found = {}
    for name, equal, values, parts in zip(
        list(map(made.key, range(len(made.row)))), made.equal.tolist(), Z, low, strict=True
    ):
        z = [Fraction(v) / ten for v, ten in zip(values, made.tens, strict=True)]
        for j, part in zip(made.low.owner if made.low else (), parts, strict=True):
            z[j] += Fraction(part) / made.tens[j]
        found[name] = equal, z
    assert len(found) == len(Z)
    return found


def by_checker(model, X, data, decimals):
    """The same of the checker."""
    powers = list(decimals or [None] * X.shape[1])
    ten = 10 ** max(k or 0 for k in powers)
    values = [checker._decimal_values(x, powers, ten) for x in X.tolist()]
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
    rows = as_rows(sp.csr_array(X) if rng.random() < 0.5 else X)
    readings = tuple(BINARY if k is None else Reading(-k) for k in decimals or [None] * X.shape[1])
    return Values.of(exact_rows(rows, readings)), decimals


@pytest.mark.parametrize("ties", cox.TIES)
def test_cox(ties, request) -> None:
    rng = np.random.default_rng(cox.TIES.index(ties))
    for _ in range(400 if request.config.getoption("--soak") else 40):
        n = int(rng.integers(1, rng.choice([40, 120])))
        X = columns(rng, n)
        values, decimals = both(rng, X)
        time = rng.integers(1, rng.choice([4, 30, 90]), size=n).astype(float)
        late = rng.random() < 0.7
        entry = time - rng.choice([0.5, 1, 3, 80], size=n, p=[0.4, 0.3, 0.2, 0.1]) if late else None
        strata = rng.integers(0, rng.choice([1, 3]), size=n)
        short = entry is None or time - entry < rng.choice([5, 100])
        known = cox.Survival.of(time, (rng.random(n) < 0.8) & short, entry, strata)
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
