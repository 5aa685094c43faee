"""A fit that was interrupted anywhere, saved and resumed ends with the file of one that was not."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.learners.runs import run as runs
from rosenblatt.learners.runs.progress import fit_watched
from rosenblatt.models import RunState
from rosenblatt.models.storage import read_arrays, write_arrays

LEARNERS = {
    "perceptron": lambda: rb.Perceptron(average=False, order="shuffled", max_passes=700),
    "drawn": lambda: rb.Perceptron(average=False, order="random", start="random", max_passes=700),
    "traced": lambda: rb.Perceptron(average=False, trace=True, max_passes=400),
    "default": lambda: rb.Perceptron(max_passes=700),
    "averaged": lambda: rb.Perceptron(average=True, order="shuffled", max_passes=700),
    "pocket": lambda: rb.Perceptron(pocket=True, max_passes=700),
    "margin": lambda: rb.Perceptron(average=False, margin=0.01, normalize=True, max_passes=400),
    "few corrections": lambda: rb.Perceptron(average=False, max_updates=40_000, max_passes=10_000),
    "patient": lambda: rb.Perceptron(average=False, patience=500, max_passes=10_000),
    "passive-aggressive": lambda: rb.PassiveAggressive(max_passes=400),
    "adaline": lambda: rb.Adaline(tol=0, max_passes=400),
    "logistic": lambda: rb.Logistic(mode="incremental", tol=0, average=True, order="shuffled", max_passes=400),
    "newton": lambda: rb.Logistic(),
    "logistic batch": lambda: rb.Logistic(mode="batch", tol=0, max_passes=60),
    "least squares": lambda: rb.LeastSquares(regularizer=1.0, max_passes=5),
}


def seeded(name: str) -> Any:
    return LEARNERS[name]().set_params(random_state=1)


class Pause(Exception):
    """Enough for now."""


@pytest.fixture
def short_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few passes and a bit: most runs are interrupted in the middle of one."""
    monkeypatch.setattr(runs, "_FIRST_CALL", 9001)
    monkeypatch.setattr(runs, "_CALL_SECONDS", 1e9)


def stored(state: RunState, path: Path) -> RunState:
    """To a file and back."""
    arrays, metadata = state.to_parts("run.")
    write_arrays(path, "state/1", arrays, metadata)
    return RunState.from_parts(*read_arrays(path, "state/1"), "run.")


def interrupted_again_and_again(model: Any, X: Any, y: Any, weights: Any, rng: Any, folder: Path) -> Any:
    state, pauses = None, 0
    while True:
        patience = int(rng.integers(0, 3)) if pauses < 6 else 10**9
        kept: list[RunState] = []

        def watch(run: Any, patience: int = patience, kept: list[RunState] = kept) -> None:
            kept.append(run.state())
            if len(kept) > patience:
                raise Pause

        try:
            return fit_watched(model, X, y, weights, watch=watch, interrupted=state), pauses
        except Pause:
            state, pauses = stored(kept[-1], folder / "state"), pauses + 1


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.usefixtures("short_calls")
@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("weighted", [False, True])
def test_interrupted_is_undisturbed(name: str, weighted: bool, tmp_path: Path) -> None:
    rng = np.random.default_rng(len(name))
    X = rng.normal(size=(700, 6))
    y = np.where(X @ rng.normal(size=6) + rng.normal(size=700) > 0, "yes", "no")
    weights = rng.choice([0.0, 1.0], size=700) if weighted else None
    rb.save(seeded(name).fit(X, y, weights), tmp_path / "whole")
    model, pauses = interrupted_again_and_again(seeded(name), X, y, weights, rng, tmp_path)
    assert pauses == 6 or name in ("least squares", "newton", "default", "averaged")  # these end early
    rb.save(model, tmp_path / "resumed")
    assert (tmp_path / "resumed").read_bytes() == (tmp_path / "whole").read_bytes()


@pytest.mark.usefixtures("short_calls")
def test_what_separates_still_separates_and_looks_leave_no_mark(tmp_path: Path) -> None:
    X, y = rb.datasets.margin_cloud(2000, 20, 2.0**-8, random_state=0)
    whole = rb.Perceptron(order="shuffled", random_state=3, max_passes=100_000).fit(X, y)
    model = rb.Perceptron(order="shuffled", random_state=3, max_passes=100_000)
    model, pauses = interrupted_again_and_again(model, X, y, None, np.random.default_rng(0), tmp_path)
    assert pauses == 6
    assert repr(model.outcome_) == repr(whole.outcome_)
    assert model.outcome_ == "SEPARATED"
    for one, name in ((model, "resumed"), (whole, "whole")):
        rb.save(one, tmp_path / name)
    assert (tmp_path / "resumed").read_bytes() == (tmp_path / "whole").read_bytes()
    assert not hasattr(model, "_watch")
