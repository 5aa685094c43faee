"""Rows that are passed over would have answered rightly: every correction is that of a loop that asks each row."""

from typing import Any

import numpy as np
import pytest

from rosenblatt.data.numbers import as_rows
from rosenblatt.kernels import kept, loop, plain
from rosenblatt.kernels.kinds import Rosenblatt
from rosenblatt.learners.runs import Examples, Run, Settings
from rosenblatt.learners.runs.crew import Crew


class AsksEachRow(Crew):
    """A crew whose loop knows nothing of what can be kept."""

    def learn(self, examples: Examples, rule: Any, order: Any, memory: Any, clock: Any, stop: int) -> int:
        view = (examples.rows.kernel, examples.y, examples.weights, rule, order, memory, clock.record)
        return int(loop.learn(*view, stop, None))


@pytest.fixture(autouse=True)
def _compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain, "_may_be_here", lambda rows: False)


def table(seed: int) -> tuple[Any, Any, Any]:
    """Rows, signs and row weights that are hard on bounds: ties, columns of all sizes, far from zero, nearly equal."""
    r = np.random.default_rng(seed)
    n, p = int(r.integers(2, 90)), int(r.integers(1, 24))
    X = r.normal(size=(n, p))
    X = [
        X,
        np.rint(2 * X),  # whole numbers: responses are often exactly zero
        X * 10.0 ** r.integers(-6, 7, size=p),
        X + 10.0 ** r.integers(0, 9),
        np.rint(X) + 2.0**40,
        r.normal(size=(n, 1)) + 1e-7 * X,
        X * 10.0 ** float(r.choice([-140, -95, -60, 60, 95, 140])),
        X * np.where(r.random((n, 1)) < 0.2, 1e12, 1e-3),
        np.repeat(X[:1], n, axis=0) + np.where(r.random((n, p)) < 0.05, 2.0**-30, 0.0),
    ][seed % 9]
    noise = (0.0, 0.05, 1.0)[seed % 3] * np.ptp(X[:, 0])
    y = np.where(X[:, 0] - np.median(X[:, 0]) + noise * r.normal(size=n) > 0, 1, -1).astype(np.int8)
    return X, y, r.integers(0, 3, n) * 0.3 if seed % 5 == 0 else np.empty(0)


def finished(seed: int, crew: Crew) -> tuple[Any, ...]:
    (X, y, weights), r = table(seed), np.random.default_rng(seed)
    order = ("shuffled", "shuffled", "cyclic", "random")[seed % 4]
    rows, bias = as_rows(X.astype(np.float32) if seed % 8 == 1 and abs(X).max() < 1e30 else X), bool(seed % 7)
    ties = (bool(seed % 2), bool(seed // 2 % 2))
    told = Settings(
        ties,
        order,
        seed,
        (True, False)[seed % 2],
        bool(seed & 4),
        True,
        max_passes=150,
        max_updates=(None, 900)[seed % 2],
    )
    examples = Examples(rows, y, weights, bias, rows.radius_sq(bias))
    start = np.zeros(examples.d) if seed % 3 else r.normal(size=examples.d)
    try:
        run = Run(examples, Rosenblatt((1.0, 0.1)[seed % 2], *ties, seed % 11 == 0), told, start, crew).finish()
    except ValueError as error:  # the weights left float64
        return (str(error),)
    assert run.outcome is not None
    numbers = (run.weights, run.running, *run.corrections())
    return run.outcome.sentence, run.clock.to_json(), run.mistakes_per_pass, *(number.tobytes() for number in numbers)


def test_corrections_are_those_of_a_loop_that_asks_each_row(pytestconfig: pytest.Config) -> None:
    for seed in range(6000 if pytestconfig.getoption("--soak") else 300):
        assert finished(seed, Crew()) == finished(seed, AsksEachRow()), seed


def test_rows_are_passed_over() -> None:
    r = np.random.default_rng(0)
    X = r.normal(size=(400, 5)) + 3.0
    y = np.where(X[:, 0] - 3.0 + 0.1 * r.normal(size=400) > 0, 1, -1).astype(np.int8)
    rows, crew = as_rows(X), Crew()
    settings = Settings(order="shuffled", max_passes=300)
    run = Run(
        Examples(rows, y, np.empty(0), True, rows.radius_sq(True)),
        Rosenblatt(1.0, True, True, False),
        settings,
        np.zeros(6),
        crew,
    )
    run.finish()
    known = crew._kept
    assert known is not None
    assert known.numbers[kept.SHOWN] > 4 * (known.numbers[kept.VAIN] + 1)  # most that are shown need not answer
