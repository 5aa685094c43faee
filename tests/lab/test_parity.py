"""The loop in the page and the compiled loop make the same corrections, bit for bit."""

import base64
from typing import Any

import numpy as np
import pytest

from rosenblatt.lab.settings import LabSettings
from rosenblatt.lab.simulation import record

_LEARN = """async ([x, y, n, p, settings, start, seed, limit]) => {
  const { learn, word } = await import("/lab.js");
  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
  const points = { n, p, X: new Float64Array(bytes(x)), y: new Int8Array(bytes(y)) };
  const budget = { corrections: limit, presentations: 1e9 };
  const run = learn(points, settings, new Float64Array(bytes(start)), word(seed), budget);
  const text = (array) => {
    let out = "";
    const view = new Uint8Array(array.buffer);
    for (let i = 0; i < view.length; i += 8192) out += String.fromCharCode(...view.subarray(i, i + 8192));
    return btoa(out);
  };
  return [text(run.rows), text(run.steps), run.mistakes.slice(0, 2000)];
}"""

# what, points, features, corrections
CASES = [
    ({"recipe": "rosenblatt62"}, 200, 2, 60_000),
    ({"recipe": "cyclic", "eta": 0.3}, 150, 2, 10_000),
    ({"recipe": "stein", "eta": 0.7}, 100, 2, 10_000),
    ({"recipe": "rosenblatt62", "eta": 0.1}, 100, 3, 10_000),
    ({"recipe": "unit", "eta": 0.003}, 100, 3, 10_000),
    ({"recipe": "own", "eta": 1e-7, "start": "random"}, 100, 2, 5_000),
    ({"recipe": "unit"}, 100, 2, 10_000),
    ({"recipe": "signum", "eta": 0.1}, 100, 2, 10_000),
    ({"recipe": "own", "order": "shuffled", "start": "random"}, 100, 7, 10_000),
    ({"recipe": "rosenblatt62"}, 120, 8, 5_000),
    ({"recipe": "unit"}, 120, 21, 5_000),
    ({"recipe": "rosenblatt62"}, 120, 35, 5_000),
    ({"learner": "passive-aggressive", "order": "random"}, 100, 2, 5_000),
    ({"learner": "adaline", "order": "shuffled", "eta": 0.01}, 100, 2, 5_000),
    ({"learner": "logistic", "eta": 0.05, "start": "random"}, 100, 2, 5_000),
]


def test_the_same_corrections_bit_for_bit(visit: Any) -> None:
    page = visit()
    compared = 0
    for number, (chosen, n, p, limit) in enumerate(CASES):
        rng = np.random.default_rng(number)
        X = rng.normal(size=(n, p))
        y = np.where(X @ rng.normal(size=p) + rng.normal(size=n) > 0, 1, -1).astype(np.int8)  # they overlap
        settings = LabSettings.read({"limit": limit, "seed": number, **chosen})
        run = record(X, y, settings)
        assert run.trace is not None
        rows, steps = run.trace.rows.astype("<i4"), run.trace.steps
        given = {**settings.__dict__, "rivals": []}
        encoded = [base64.b64encode(a.tobytes()).decode() for a in (X, y, run.trace.start)]
        theirs = page.evaluate(
            _LEARN, [encoded[0], encoded[1], n, p, given, encoded[2], hex(run.settings.seed), len(rows)]
        )
        their_rows = np.frombuffer(base64.b64decode(theirs[0]), dtype="<i4")
        their_steps = np.frombuffer(base64.b64decode(theirs[1]), dtype="<f8")
        np.testing.assert_array_equal(their_rows, rows, err_msg=str(chosen))
        assert their_steps.tobytes() == steps.tobytes(), chosen
        compared += len(rows)
    assert compared >= 100_000


def test_page_and_python_stop_at_the_same_correction(visit: Any) -> None:
    page = visit()
    rng = np.random.default_rng(1)
    for seed in range(20):
        X = np.round(rng.normal(size=(30, 2)), 2)
        y = np.where(X @ [1.0, 2.0] > 0.3, 1, -1).astype(np.int8)
        for recipe in ("rosenblatt62", "stein", "cyclic", "unit"):
            settings = LabSettings(recipe=recipe, seed=seed, limit=20_000)
            run = record(X, y, settings)
            assert run.trace is not None
            encoded = [base64.b64encode(a.tobytes()).decode() for a in (X, y, run.start)]
            given = {**settings.__dict__, "rivals": []}
            theirs = page.evaluate(
                _LEARN, [encoded[0], encoded[1], 30, 2, given, encoded[2], hex(run.settings.seed), 20_000]
            )
            assert len(base64.b64decode(theirs[1])) == 8 * len(run.trace), (recipe, seed)
            assert theirs[2] == pytest.approx(run.mistakes_per_pass[:2000])
