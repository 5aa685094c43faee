"""`existence` of ordered levels, matched sets and Cox models against all comparisons and all directions that matter."""

from typing import Any

import numpy as np
import pytest

import rosenblatt as rb
from tests.existence import comparisons
from tests.existence.comparisons import directions, kind_of, naive
from tests.existence.test_cox_rows import survival

pytest.importorskip("rosenblatt.verdicts.existence.decision")

V = directions(2, 2)  # of two columns with values 0, 1 and 2


def expected(X: Any, pairs: Any, equal: Any = ()) -> tuple[str, Any]:
    """The verdict, and which pairs are strict."""
    fine, kind = naive(X, V, pairs, equal)
    strict = {(i, j) for i, j in pairs if np.any(V[fine] @ (X[i] - X[j]) > 0)}
    return {None: "overlap", "complete": "quasi" if equal else "complete"}.get(kind, str(kind)), strict


def weights(rng: np.random.Generator, n: int) -> Any:
    """None, or weights of which some are zero; never all."""
    found = rng.integers(0, 3, size=n).astype(float)
    found[rng.integers(n)] = 1.0
    return None if rng.random() < 0.7 else found


def compare(X: Any, y: Any, model: str, columns: Any, weight: Any, pairs: Any, equal: Any = (), **choices: Any) -> str:
    """The verdict is that of all pairs, its certificate holds (asked at times), and pairs that are told are strict."""
    at = np.arange(len(X)) if weight is None else np.flatnonzero(weight)
    kind, strict = expected(X, pairs, equal)
    verdict = rb.existence(X, y, model, sample_weight=weight, **columns, **choices)
    assert verdict.kind == kind
    equal_rows = model != "ordinal" and all(np.array_equal(X[i], X[j]) for i, j in [*pairs, *equal])
    if len(X) % 3 == 0:
        told = rb.verify(verdict.certificate, X, y, sample_weight=weight, **columns)
        assert told.startswith(f"{kind}: ")
        assert ("nothing is identified" in told) == equal_rows
    assert verdict.sentence.startswith("Nothing is identified") == verdict.model.silent == equal_rows
    told = {(i, j) for i, j in verdict.model.pairs.tolist()}
    assert told <= strict
    assert bool(told) == bool(strict)
    assert {i for pair in told for i in pair} <= set(at.tolist())
    return kind


@pytest.fixture
def many(request: pytest.FixtureRequest) -> int:
    """How many cases."""
    return 5000 if request.config.getoption("--soak") else 200


def test_conditional(many: int) -> None:
    rng, seen = np.random.default_rng(11), set()
    for _ in range(many):
        n = int(rng.integers(1, 10))
        X, cases = rng.integers(0, 3, size=(n, 2)).astype(float), rng.random(n) < rng.choice([0.2, 0.5, 0.8])
        sets, weight = rng.integers(0, rng.integers(1, 5), size=n), weights(rng, n)
        there = np.ones(n) if weight is None else weight
        pairs = [(i, j) for i, j in comparisons.conditional(cases, sets) if there[i] and there[j]]
        seen.add(compare(X, cases.astype(int), "conditional", {"groups": sets}, weight, pairs))
    assert seen == {"complete", "quasi", "overlap"}


def test_cox(many: int) -> None:
    rng, seen = np.random.default_rng(12), set()
    for _ in range(many):
        n = int(rng.integers(1, 10))
        X, known = rng.integers(0, 3, size=(n, 2)).astype(float), survival(rng, n, rng.integers(2))
        weight, ties = weights(rng, n), str(rng.choice(["efron", "breslow", "exact"]))
        there = np.ones(n) if weight is None else weight
        pairs, equal = ([(i, j) for i, j in some if there[i] and there[j]] for some in comparisons.cox(*known, ties))
        columns = {"time": known.time, "event": known.event, "entry": known.entry, "groups": known.strata}
        columns = {name: values for name, values in columns.items() if values is not None}
        seen.add(compare(X, None, "cox", columns, weight, pairs, equal, ties=ties))
    assert seen == {"complete", "quasi", "overlap"}


def test_ordinal(many: int) -> None:
    """One column with values 0, 1, 2 and two thresholds: directions up to 2 have a point on every edge."""
    rng, seen, steps = np.random.default_rng(13), set(), directions(3, 2)
    for _ in range(many):
        n = int(rng.integers(1, 8))
        x, y = rng.integers(0, 3, size=n), rng.integers(0, 3, size=n)
        if rng.random() < 0.3:  # the same three levels, and one between that has no rows
            y, levels = np.array([0, 1, 3])[y], [0, 1, 2, 3]
            place = {0: 0, 1: 1, 3: 2}
        else:
            levels, place = [0, 1, 2], {0: 0, 1: 1, 2: 2}
        z = [[-x[i], *(int(k == t) for t in (0, 1))] for i in range(n) for k in [place[y[i]]] if k < 2]
        z += [[x[i], *(-int(k - 1 == t) for t in (0, 1))] for i in range(n) for k in [place[y[i]]] if k > 0]
        used = {place[v] for v in y.tolist()}
        if 1 not in used:  # an inner level without rows: its two thresholds are one
            z = [[a, b + c, 0] for a, b, c in z]
        fine = (steps @ np.array(z).T >= 0).all(axis=1)
        kind = kind_of((steps[fine] @ np.array(z).T > 0).any(axis=0))
        verdict = rb.existence(x[:, None].astype(float), y, "ordinal", levels=levels)
        assert verdict.kind == kind
        if n % 3 == 0:
            assert rb.verify(verdict.certificate, x[:, None].astype(float), y).startswith(f"{kind}: ")
        seen.add(kind)
    assert seen == {"complete", "quasi", "overlap"}
