"""The rows of a Cox model allow what all pairs of event and row at risk allow."""

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt.data.numbers.rows import as_rows
from rosenblatt.regressions.cox import TIES, Survival, rows, ties_of
from rosenblatt.regressions.machinery.rows import Values
from rosenblatt.regressions.machinery.sets import pairs_of
from tests.existence import comparisons
from tests.existence.comparisons import Allowed, directions, naive

V = {2: directions(2, 2), 3: directions(3, 8)}


def compare(X, survival, ties, sparse=False):
    """The rows, and the verdict, which is that of all pairs."""
    p = X.shape[1]
    made = rows(Values.of(as_rows(sp.csr_array(X) if sparse else X)), survival, tuple("abc"[:p]), ties)
    pairs, equal = comparisons.cox(*survival, ties)
    allowed = Allowed(made, p, V[p])
    fine, kind = naive(X, V[p], pairs, equal)
    assert np.array_equal(allowed.which, fine)
    assert allowed.kind == kind
    assert len(set(map(made.key, range(len(made.row))))) == len(made.row) == made.Z.shape[0]
    assert len(made.names) == len(made.tens) == made.Z.shape[1]
    known = {(i, j) for i, j in pairs + equal}
    told = pairs_of(made, p)
    assert all((i, j) in known for i, j in zip(told.left.tolist(), told.right.tolist(), strict=True))
    # a pair that is told of a strict row is strict
    apart = (V[p] @ (X[told.left] - X[told.right]).T)[allowed.which] > 0
    assert not np.any(allowed.strict & ~apart.any(axis=0))
    return made, kind


def survival(rng, n, late):
    time = rng.integers(1, rng.choice([3, 6, 12]), size=n).astype(float)
    event = rng.random(n) < rng.choice([0.0, 0.3, 0.7, 1.0], p=[0.04, 0.32, 0.32, 0.32])
    entry = np.floor(time * rng.random(n)) - rng.integers(0, 2) if late else None
    return Survival.of(time, event, entry, rng.integers(0, rng.choice([1, 2, 4]), size=n))


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("ties", TIES)
def test_the_same_directions_and_the_same_verdict_as_all_pairs(ties, late, request) -> None:
    rng = np.random.default_rng(TIES.index(ties) * 2 + late)
    seen = {"complete": 0, "quasi": 0, "overlap": 0, None: 0}
    for _ in range(2000 if request.config.getoption("--soak") else 200):
        n = int(rng.integers(1, 12))
        X = rng.integers(0, 3, size=(n, 2)).astype(float)
        seen[compare(X, survival(rng, n, late), ties, rng.random() < 0.5)[1]] += 1
    assert min(seen.values()) > 5


@pytest.mark.parametrize("ties", TIES)
def test_many_times_that_no_later_one_covers_have_a_tree(ties, request) -> None:
    """Short intervals with gaps between, so that events are not at risk at the time before, and some long ones."""
    rng = np.random.default_rng(5)
    trees = 0
    for _ in range(600 if request.config.getoption("--soak") else 60):
        n = int(rng.integers(40, 120))
        time = rng.integers(1, 60, size=n).astype(float)
        entry = time - np.where(rng.random(n) < 0.8, 1, rng.integers(1, 60, size=n))
        long = time - entry > rng.choice([2, 2, 30])
        known = Survival.of(time, (rng.random(n) < 0.9) & ~long, entry, np.zeros(n, dtype=np.int64))
        weak = rng.integers(0, 3, size=(n, 2)).astype(float)
        weak[rng.random(n) < 0.95] = 0  # else everything overlaps at once
        made, _ = compare(weak, known, ties)
        times = len(set(zip(known.strata[known.event], time[known.event], strict=True)))
        trees += any(name.startswith("set ") and int(name[4:]) >= times for name in made.names)
    assert trees > 20


def test_three_columns(request) -> None:
    rng = np.random.default_rng(7)
    for k in range(100 if request.config.getoption("--soak") else 10):
        n = int(rng.integers(3, 9))
        X = rng.integers(0, 3, size=(n, 3)).astype(float)
        compare(X, survival(rng, n, k % 2), TIES[k % 3])


def test_without_late_entry_the_rows_are_a_chain() -> None:
    time = [5.0, 3.0, 3.0, 1.0, 4.0, 0.5, 7.0, 3.0]
    event = [1, 1, 1, 0, 0, 0, 0, 0]
    made = rows(Values.of(as_rows(np.arange(8.0)[:, None] ** 2)), Survival.of(np.array(time), event), ("a",))
    assert list(map(made.key, range(len(made.row)))) == ["1:2", "1:0", "1:4", "0:6", "1:7"]
    assert made.equal.tolist() == [True, False, False, False, False]
    assert made.Z.ravel().tolist() == [1 - 4, 1, 1 - 16, -36, 1 - 49]


def test_exact_ties_have_an_unknown_between_events_and_others() -> None:
    known = Survival.of(np.array([1.0, 1, 2, 2, 1]), [1, 1, 0, 1, 0])
    made = rows(Values.of(as_rows(np.arange(5.0)[:, None])), known, ("a",), "exact")
    assert list(map(made.key, range(len(made.row)))) == ["3:2", "0:5", "1:5", "3:6", "4:6"]
    assert made.names == ("a", "set 0")
    assert made.Z.toarray().tolist() == [[1, 0], [0, -1], [1, -1], [-3, 1], [-4, 1]]


def test_a_tied_event_that_entered_first_speaks_for_the_others() -> None:
    known = Survival.of(np.array([1.0, 2, 2]), [1, 1, 1], np.array([0, 1.5, 0.5]))
    made = rows(Values.of(as_rows(np.arange(3.0)[:, None])), known, ("a",))
    assert list(map(made.key, range(len(made.row)))) == ["2:1", "0:2"]


def test_rows_are_at_most_one_a_subject_without_late_entry() -> None:
    rng = np.random.default_rng(0)
    n = 20_000
    known = Survival.of(rng.integers(0, 5000, size=n), rng.random(n) < 0.5, None, rng.integers(0, 7, size=n))
    made = rows(Values.of(as_rows(rng.standard_normal((n, 3)))), known, ("a", "b", "c"))
    assert made.Z.shape[0] < n


def test_late_entry_with_long_stays_needs_hardly_more_rows() -> None:
    """Events are mostly at risk at the time before, so runs are long; a tree over few of them is small."""
    rng = np.random.default_rng(0)
    n = 20_000
    entry = rng.random(n) * 50
    known = Survival.of(entry + rng.exponential(5, size=n), rng.random(n) < 0.5, entry)
    made = rows(Values.of(as_rows(rng.standard_normal((n, 3)))), known, ("a", "b", "c"))
    assert made.Z.shape[0] < 3 * n


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"time": [1, -2, 3]}, "time has -2 in row 1: a time is not negative."),
        ({"event": [0, 1, 2]}, "event has 2.0 in row 2: say 1 for an event, 0 for any other row."),
        (
            {"entry": [0, 2.5, 0]},
            "entry has 2.5 in row 1: its time is 2, so it is never at risk.",
        ),
    ],
)
def test_what_cannot_be_is_refused(given, sentence) -> None:
    columns = {"time": [1, 2, 3], "event": [0, 1, 1]} | given
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        Survival.of(**{name: np.array(values, dtype=float) for name, values in columns.items()})


def test_ties_are_known_by_name() -> None:
    assert ties_of(None) == "efron"
    assert ties_of("exact") == "exact"
    with pytest.raises(ValueError, match=r"^ties must be one of efron, breslow, exact; it is 'average'.$"):
        ties_of("average")
