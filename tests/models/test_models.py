"""Outcomes, traces, files."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt.models.storage import read_arrays, write_arrays
from tests import oracles
from tests.learners.test_perceptron import quiet, seed_of, small_data


def test_outcome_is_its_name() -> None:
    outcome = rb.Outcome("BUDGET", "3 of 9 examples are wrong.")
    assert str(outcome) == outcome.name == outcome == "BUDGET"
    assert type(str(outcome)) is str
    assert outcome.sentence == "3 of 9 examples are wrong."
    copy = pickle.loads(pickle.dumps(outcome))
    assert (copy, copy.sentence) == (outcome, outcome.sentence)
    with pytest.raises(ValueError, match="no outcome is called 'DONE'"):
        rb.Outcome("DONE")
    assert max(map(rb.Outcome, ("TIED", "BUDGET", "SEPARATED")), key=lambda o: o.rank) == "BUDGET"


def test_hyperplane_geometry() -> None:
    plane = rb.Hyperplane([3.0, -4.0], 5.0)
    points = np.array([[0.0, 0.0], [1.0, 2.0], [-3.0, 1.0]])
    foot = points - plane.distance(points)[:, None] * plane.w / 5
    assert np.allclose(plane.respond(foot), 0)
    assert np.allclose(np.linalg.norm(points - foot, axis=1), np.abs(plane.distance(points)))
    assert plane.side(points).tolist() == [1, 0, -1]
    assert not plane.same_side(points[0], points[2])
    assert not plane.same_side(points[1], points[1])  # on it is on neither side
    with pytest.raises(ValueError, match="w is zero"):
        rb.Hyperplane([0.0]).distance([[1.0]])


def test_hyperplane_of_a_model() -> None:
    X, y = rb.datasets.margin_cloud(40, 2, 0.25, random_state=0)
    model = rb.Perceptron().fit(X, y)
    assert np.all(model.hyperplane_.distance(X) * y > 0)
    three = rb.Perceptron().fit([[0.0, 9.0], [9.0, 0.0], [-9.0, -9.0]], [0, 1, 2])
    with pytest.raises(AttributeError, match="3 hyperplanes"):
        three.hyperplane_  # noqa: B018


@given(small_data(), st.booleans(), st.integers(0, 100))
def test_trace_replays_the_run(data: Any, normalize: bool, seed: int) -> None:
    X, y = data
    X = X / 3
    model = quiet(
        rb.Perceptron(average=False, trace=True, start="random", normalize=normalize, random_state=seed, max_passes=5),
        X,
        y,
    )
    trace = model.trace_
    k = len(trace)
    assert trace.weights_at(k).tolist() == [*model.coef_[0], *model.intercept_]
    assert trace.weights_at(0).tolist() == trace.start.tolist()
    several = trace.weights_at([k, 0, k // 2])
    assert several.tolist() == [trace.weights_at(j).tolist() for j in (k, 0, k // 2)]
    assert np.allclose([float(v) for v in trace.exact_weights_at(k)], trace.weights_at(k), atol=1e-9)
    assert trace.pass_ends.tolist() == np.cumsum(model.mistakes_per_pass_).tolist()
    assert len(trace) == model.n_updates_


def test_trace_saves_loads_and_binds(tmp_path: Path) -> None:
    X, y = rb.datasets.sonar()
    trace = quiet(rb.Perceptron(trace=True, max_passes=5), X, y).trace_
    trace.save(tmp_path / "run.trace")
    loaded = rb.Trace.load(tmp_path / "run.trace")
    assert len(loaded) == len(trace)
    with pytest.raises(ValueError, match=r"call trace\.bind\(X\) first"):
        loaded.weights_at(1)
    with pytest.raises(ValueError, match="61 weights"):
        loaded.bind(X[:, :9])
    assert loaded.bind(X).weights_at(len(trace)).tobytes() == trace.weights_at(len(trace)).tobytes()
    with pytest.raises(ValueError, match="between 0 and"):
        loaded.weights_at(len(trace) + 1)
    assert pickle.loads(pickle.dumps(trace))._X is None
    assert [p.name for p in tmp_path.iterdir()] == ["run.trace"]


@given(small_data(), st.sampled_from(["cyclic", "shuffled", "random"]), st.integers(0, 100))
def test_trace_says_when_each_correction_was_made(data: Any, order: str, seed: int) -> None:
    """Steps t beside corrections k: presentation t showed the row that was corrected."""
    X, y = data
    model = quiet(rb.Perceptron(trace=True, order=order, random_state=seed, max_passes=6), X, y)
    trace, n = model.trace_, len(y)
    drawn, _ = seed_of(seed, "zeros", 0)
    shown = [i for k in range(6) for i in oracles.rows_of_pass(order, n, drawn, k)]
    assert [shown[t - 1] for t in trace.presentations] == trace.rows.tolist()
    assert np.all(np.diff(trace.presentations) > 0)
    assert [trace.corrections_by(k * n) for k in range(1, len(trace.pass_ends))] == trace.pass_ends[:-1].tolist()
    assert [trace.corrections_by(int(t)) for t in trace.presentations] == list(range(1, len(trace) + 1))


def test_steps_are_saved_and_older_traces_still_load(tmp_path: Path) -> None:
    X, y = rb.datasets.sonar()
    how: dict[str, Any] = {"trace": True, "order": "shuffled", "random_state": 0}
    whole = quiet(rb.Perceptron(**how, max_passes=6), X, y)
    model = quiet(rb.Perceptron(**how, max_passes=4, warm_start=True), X, y)
    model.trace_.save(tmp_path / "trace")
    rb.save(model, tmp_path / "model")
    assert rb.Trace.load(tmp_path / "trace").presentations.tolist() == model.trace_.presentations.tolist()
    loaded = rb.load(tmp_path / "model").set_params(max_passes=2)
    assert loaded.trace_.presentations.tolist() == model.trace_.presentations.tolist()
    assert quiet(loaded, X, y).trace_.presentations.tolist() == whole.trace_.presentations.tolist()

    for name, kind, missing in (("trace", "trace/1", "presentations"), ("model", "model/1", "run0.traced_times")):
        arrays, metadata = read_arrays(tmp_path / name, kind)
        del arrays[missing]
        for run in metadata.get("runs", []):
            run["pocket_mistakes"] = None  # which older versions wrote
        write_arrays(tmp_path / name, kind, arrays, metadata)
    older = rb.Trace.load(tmp_path / "trace", X)
    assert older.presentations is None
    assert older.weights_at(len(older)).tobytes() == model.trace_.weights_at(len(older)).tobytes()
    with pytest.raises(ValueError, match="of an older version: it does not say when"):
        older.corrections_by(3)
    loaded = rb.load(tmp_path / "model").set_params(max_passes=2)
    assert loaded.trace_.presentations is None
    assert quiet(loaded, X, y).trace_.presentations is None  # half of them would be misleading
    assert loaded.trace_.rows.tolist() == whole.trace_.rows.tolist()


def test_files_of_another_kind_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_arrays(path, "model/1", {"w": np.ones(3)}, {"name": "é"})
    arrays, metadata = read_arrays(path, "model/1")
    assert arrays["w"].tolist() == [1.0] * 3
    assert metadata == {"name": "é"}
    with pytest.raises(ValueError, match="holds model/1, not trace/1"):
        rb.Trace.load(path)
    path.write_bytes(path.read_bytes()[:20])
    with pytest.raises(ValueError, match="damaged"):
        rb.Trace.load(path)
    with pytest.raises(FileNotFoundError):
        rb.Trace.load(tmp_path / "missing")


def test_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    path = tmp_path / "file"
    write_arrays(path, "model/1", {"w": np.zeros(1)}, {})
    before = path.read_bytes()

    def fail(*_: Any) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        write_arrays(path, "model/1", {"w": np.ones(1)}, {})
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["file"]
