"""The loops without Numba have the bits of the compiled ones."""

import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from rosenblatt.data.numbers import as_rows
from rosenblatt.data.numbers.readings import Survey
from rosenblatt.kernels import passes, plain
from rosenblatt.kernels.kinds import Dense, Rosenblatt
from rosenblatt.learners.runs import Examples, Run, Settings


@pytest.fixture
def without_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process that has not loaded it, and has all time of the world."""
    monkeypatch.setattr(plain, "_may_be_here", lambda rows: isinstance(rows, Dense))
    monkeypatch.setattr(plain, "_left", 1 << 60)


def table(seed: int) -> tuple[Any, Any]:
    r = np.random.default_rng(seed)
    n, p = int(r.integers(2, 40)), int(r.integers(1, 36))
    X = r.normal(size=(n, p)) * 10.0 ** r.integers(-20 if seed % 9 == 0 else -3, 18 if seed % 9 == 0 else 4, size=p)
    X = [X, np.round(X), np.round(X, 2), X.astype(np.float32), X * (r.random((n, p)) < 0.5)][seed % 5]
    if seed % 11 == 0:
        X = X * np.where(r.random((n, p)) < 0.1, 1e-290, 1.0).astype(X.dtype)
    return X, np.where(X[:, 0] + seed % 3 * r.normal(size=n) > 0, 1, -1).astype(np.int8)


def settings(seed: int) -> Settings:
    return Settings(
        ties=(bool(seed % 2), bool(seed % 3)),
        order=("shuffled", "cyclic")[seed % 2],
        seed=seed,
        pocket=bool(seed & 4),
        average=("auto", True, False)[seed % 3],  # type: ignore[arg-type]
        trace=bool(seed & 8),
        max_passes=50,
        max_updates=None if seed % 6 else 7,
        patience=None if seed % 5 else 4,
    )


def finished(seed: int) -> tuple[Any, ...]:
    (X, y), r, told, bias = table(seed), np.random.default_rng(seed), settings(seed), bool(seed % 7)
    rows = as_rows(X)
    weights = np.empty(0) if seed % 4 else r.integers(0, 3, len(y)).astype(float)
    examples = Examples(rows, y, weights, bias, rows.radius_sq(bias))
    start = np.zeros(examples.d) if seed % 3 else r.normal(size=examples.d)
    run = Run(examples, Rosenblatt((1.0, 0.1)[seed % 2], *told.ties, False), told, start).finish()
    numbers = [run.weights, *run.corrections(), rows.respond(start), *Survey.of(rows)]
    assert run.outcome is not None
    books = (run.mistakes_per_pass, run.clock.to_json(), examples.count(run.weights, told.errors))
    return str(run.outcome), run.outcome.sentence, *books, *(number.tobytes() for number in numbers)


def test_runs_are_the_same(
    request: pytest.FixtureRequest, without_numba: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds = range(2000 if request.config.getoption("--soak") else 200)
    here = [finished(seed) for seed in seeds]
    monkeypatch.setattr(plain, "_may_be_here", lambda rows: False)
    for seed, found in zip(seeds, here, strict=True):
        assert finished(seed) == found, seed


@pytest.mark.parametrize("left", [0, 3000, 20_000])
def test_a_run_goes_on_with_compiled_loops(without_numba: None, monkeypatch: pytest.MonkeyPatch, left: int) -> None:
    (X, y), told = table(4), replace(settings(1), pocket=False, max_updates=None, max_passes=200)
    rows = as_rows(X)
    examples = Examples(rows, -y, np.empty(0), True, rows.radius_sq(True))
    ends = []
    for allowed in (left, 1 << 60):
        monkeypatch.setattr(plain, "_left", allowed)
        run = Run(examples, Rosenblatt(1.0, True, True, False), told, np.zeros(examples.d)).finish()
        ends.append((run.weights.tobytes(), run.clock.to_json(), run.mistakes_per_pass))
        assert plain._left >= 0
    assert ends[0] == ends[1]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e200, -0.0])
def test_values_without_a_response_are_found_alike(without_numba: None, value: float) -> None:
    X, w = np.arange(24.0).reshape(3, 8), np.linspace(-1, 1, 9)
    X[1, 5] = value
    rows, y, found = Dense(X), np.array([1, -1, 1], dtype=np.int8), []
    for module in (passes, plain):
        out, sq, unsure = np.empty(3), np.empty(3), np.zeros(3, dtype=np.int64)
        module.squares(rows, 1.0, sq, 0, 3)
        module.respond_all(rows, w, out, 0, 3)
        counts = module.judge(rows, y, np.empty(0), w, (True, False), 3.0, unsure, 1, 3)
        found.append((out.tobytes(), sq.tobytes(), module.survey(rows, 1.0, 0, 3), counts, unsure.tolist()))
    assert repr(found[0]) == repr(found[1])


def test_a_small_fit_loads_no_numba() -> None:
    code = "import sys, rosenblatt as rb; X = [[0, 0], [0, 1], [1, 0], [1, 1]]; rb.lecture\n"
    code += "print(rb.separability(X, [0, 0, 0, 1]).kind, rb.Perceptron().fit(X, [0, 0, 0, 1]).outcome_)\n"
    code += "print('numba' in sys.modules)\n"
    code += (
        "m = rb.Perceptron(trace=True).fit(X, [0, 1, 1, 1]); print(m.predict(X), m.n_updates_ == len(m.trace_.rows))\n"
    )
    code += "print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "complete SEPARATED\nFalse\n[0 1 1 1] True\nFalse\n"
