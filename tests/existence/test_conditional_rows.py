"""The rows of matched sets allow what all pairs allow."""

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt.data.numbers.rows import as_rows
from rosenblatt.regressions.conditional import cases_of, of_one_kind, rows
from rosenblatt.regressions.machinery.rows import Values
from rosenblatt.regressions.machinery.sets import pairs_of
from tests.existence import comparisons
from tests.existence.comparisons import Allowed, directions, naive

V = directions(2, 2)


def table(rng, n, p=2):
    return rng.integers(0, 3, size=(n, p)).astype(float)


def compare(X, cases, sets, sparse=False):
    made = rows(Values.of(as_rows(sp.csr_array(X) if sparse else X)), cases, sets, ("a", "b"))
    pairs = comparisons.conditional(cases, sets)
    allowed = Allowed(made, 2, V)
    fine, kind = naive(X, V, pairs)
    assert np.array_equal(allowed.which, fine)
    assert allowed.kind == kind
    told = pairs_of(made, 2)
    assert set(zip(told.left.tolist(), told.right.tolist(), strict=True)) <= set(pairs)
    apart = (V @ (X[told.left] - X[told.right]).T)[allowed.which] > 0
    assert not np.any(allowed.strict & ~apart.any(axis=0))  # a pair that is told of a strict row is strict
    assert len(set(map(made.key, range(len(made.row))))) == len(made.row) == made.Z.shape[0]
    assert len(made.names) == len(made.tens) == made.Z.shape[1]
    return made, kind


def test_the_same_directions_and_the_same_verdict_as_all_pairs(request: pytest.FixtureRequest) -> None:
    rng = np.random.default_rng(0)
    seen = {"complete": 0, "quasi": 0, "overlap": 0, None: 0}
    split = 0
    for _ in range(5000 if request.config.getoption("--soak") else 500):
        n = int(rng.integers(1, 10))
        cases = rng.random(n) < rng.choice([0.2, 0.5, 0.8])
        sets = rng.integers(0, rng.integers(1, 5), size=n)
        made, kind = compare(table(rng, n), cases, sets, rng.random() < 0.5)
        seen[kind] += 1
        split += len(made.names) > 2
    assert min(seen.values()) > 10
    assert split > 50


def test_a_set_with_one_case_is_its_pairs() -> None:
    X = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0], [5.0, 5.0]])
    made = rows(Values.of(as_rows(X)), np.array([True, False, False, True]), np.array([0, 0, 0, 1]), ("a", "b"))
    assert list(map(made.key, range(len(made.row)))) == ["0:1", "0:2"]
    assert made.Z.tolist() == [[1, -1], [-1, -2]]
    assert made.names == ("a", "b")


def test_a_set_with_several_on_both_sides_has_an_unknown() -> None:
    X = np.array([[1.0], [2.0], [3.0], [4.0]])
    made = rows(Values.of(as_rows(X)), np.array([True, False, True, False]), np.zeros(4, dtype=np.int64), ("a",))
    assert list(map(made.key, range(len(made.row)))) == ["0", "2", "1", "3"]
    assert made.Z.toarray().tolist() == [[1, -1], [3, -1], [-2, 1], [-4, 1]]
    assert made.names == ("a", "threshold of set 0")


def test_differences_that_no_float_holds_keep_their_low_part_beside_unknowns() -> None:
    X = np.array([[1.0], [2.0**-70], [1.0], [2.0], [3.0], [4.0]])
    cases = np.array([True, False, True, True, False, False])
    made = rows(Values.of(as_rows(X)), cases, np.array([0, 0, 1, 1, 1, 1]), ("a",))
    assert made.low.owner == (0,)
    assert made.Z.toarray()[:2].tolist() == [[1.0, 0.0], [1.0, -1.0]]
    assert made.low.values.toarray()[:2].tolist() == [[-(2.0**-70)], [0.0]]


def test_sets_of_one_kind_say_nothing_and_are_listed() -> None:
    cases = np.array([True, True, False, True, False])
    sets = np.array([0, 0, 1, 2, 2])
    assert of_one_kind(cases, sets).tolist() == [0, 1]
    made = rows(Values.of(as_rows(np.ones((5, 1)))), cases, sets, ("a",))
    assert list(map(made.key, range(len(made.row)))) == ["3:4"]


@pytest.mark.parametrize(("y", "value"), [([0, 1, 2], 2), ([0, 1, float("nan")], "nan"), ([0, 1, -1], -1)])
def test_what_is_neither_case_nor_other_is_refused(y, value) -> None:
    with pytest.raises(ValueError, match=f"^y has {value}(.0)? in row 2: say 1 for a case, 0 for any other row[.]$"):
        cases_of(y)
    with pytest.raises(ValueError, match=r"^event has 'yes' in row 0: say 1 for an event, 0 for any other row[.]$"):
        cases_of(["yes", "no"], "event", "an event")
    assert cases_of([True, False, True]).tolist() == cases_of([1.0, 0.0, 1.0]).tolist() == [True, False, True]
