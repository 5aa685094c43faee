"""One file for the runs of a fit, on one machine and on shards."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import rosenblatt as rb
from rosenblatt.data.tables import ArrayTable
from rosenblatt.learners.runs.progress import fit_watched
from rosenblatt.models import RunState
from rosenblatt.models.run_state import Checkpoint
from rosenblatt.models.storage import read_arrays, write_arrays


def some_state(seed: int) -> RunState:
    """Where a run stands after its first look."""
    X, y = rb.datasets.sonar()
    kept: list[RunState] = []

    def stop(run: Any) -> None:
        kept.append(run.state())
        raise InterruptedError

    with pytest.raises(InterruptedError):
        fit_watched(rb.Perceptron(random_state=seed, trace=True, max_passes=10**6), X, y, watch=stop)
    return kept[0]


@pytest.fixture(scope="module")
def states() -> dict[int, RunState]:
    """Of three classes, of which the second has not begun; the last has a cluster's tables."""
    last = some_state(2)
    last.books = {"quiet": np.array([[3, 4]]), "made": np.arange(6, dtype=np.int64).reshape(3, 2)}
    return {0: some_state(1), 2: last}


def test_what_was_saved_is_loaded(states: dict[int, RunState], tmp_path: Path) -> None:
    path = tmp_path / "run"
    assert Checkpoint(path, dict).load() == {}
    Checkpoint(path, lambda: {"eta": 1.0, "data": [3, 2]}).save(states)
    found = Checkpoint(path, lambda: {"eta": 1.0, "data": [3, 2]}).load()
    assert found.keys() == states.keys()
    for k, state in states.items():
        arrays, _ = state.to_parts("")
        others, _ = found[k].to_parts("")
        assert {name: a.tobytes() for name, a in arrays.items()} == {name: a.tobytes() for name, a in others.items()}
        assert (found[k].clock, found[k].goal, found[k].seed) == (state.clock, state.goal, state.seed)
    Checkpoint(path, dict).remove()
    Checkpoint(path, dict).remove()
    assert not path.exists()


def test_another_fit_is_refused_by_what_differs(states: dict[int, RunState], tmp_path: Path) -> None:
    path = tmp_path / "run"
    Checkpoint(path, lambda: {"eta": 1.0, "data": list(range(100))}).save(states)
    with pytest.raises(
        ValueError, match=r"run is a checkpoint of another fit \(eta was 1.0 and is 2.0 now\): go on with"
    ):
        Checkpoint(path, lambda: {"eta": 2.0, "data": list(range(100))}).load()
    with pytest.raises(ValueError, match=r"another fit \(data differs\): "):
        Checkpoint(path, lambda: {"eta": 1.0, "data": list(range(99))}).load()
    with pytest.raises(ValueError, match=r"another fit \(order was None and is cyclic now\)"):
        Checkpoint(path, lambda: {"order": "cyclic"}).load()


@pytest.mark.parametrize("harm", ["no start", "one row too many", "tables of no shape", "a clock without time"])
def test_a_damaged_checkpoint_says_so(harm: str, states: dict[int, RunState], tmp_path: Path) -> None:
    path = tmp_path / "run"
    Checkpoint(path, dict).save(states)
    arrays, metadata = read_arrays(path, "checkpoint/1")
    if harm == "no start":
        del arrays["run2.start"]
    elif harm == "one row too many":
        arrays["run.traced_rows"] = arrays["run.traced_rows"] + 1000
    elif harm == "tables of no shape":
        arrays["run2.book.made"] = arrays["run2.book.made"].ravel()
    else:
        del metadata["run"]["clock"]["t"]
    write_arrays(path, "checkpoint/1", arrays, metadata)
    with pytest.raises(ValueError, match=r"run is damaged \(.*\): delete it to begin anew"):
        Checkpoint(path, dict).load()


def loaded(X: Any, signs: Any, weights: Any = None) -> ArrayTable:
    return ArrayTable(X, signs, weights)


def test_a_table_is_known_by_its_content() -> None:
    rng = np.random.default_rng(0)
    X, y, weights = rng.normal(size=(100, 3)), np.where(rng.random(100) < 0.5, 1, -1).astype(np.int8), rng.random(100)
    tables = [
        loaded(X, y),
        loaded(X[:, [1, 0, 2]].copy(), y),
        loaded(X, np.roll(y, 1)),
        loaded(X, -y),
        loaded(X, y, weights),
        loaded(X, y, weights[::-1].copy()),
        loaded(sp.csr_matrix(X), y),
        loaded(X.astype(np.float32), y),
        loaded(np.ascontiguousarray(X[::-1]), y),
    ]
    assert len({one.digest() for one in tables}) == len(tables)
    assert loaded(np.asfortranarray(X), y).digest() == tables[0].digest()
    assert loaded(sp.coo_matrix(X), y).digest() == tables[6].digest()
