"""What the rooms of the lab compute is what Python computes."""

from itertools import product
from typing import Any

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.comparison.experiments import RIVALS, counterexample, fit_rival
from rosenblatt.cover.capacity import regime
from tests.lab.conftest import Ask

INPUTS = [[0, 0], [0, 1], [1, 0], [1, 1]]


@pytest.fixture(scope="module")
def times(request: pytest.FixtureRequest) -> int:
    """How much more is tried in `make soak`."""
    return 25 if request.config.getoption("--soak") else 1


def asked(page: Ask, call: str, *given: list[Any]) -> list[Any]:
    """One function of the rooms, for each list of arguments."""
    return page({"act": "room", "call": call, "given": one} for one in given)


# --------------------------------------------------------------------------------------------------------------- gates


def test_neurons_fire_where_gates_do(page: Ask) -> None:
    """Also where the sum of two floats is not the float next to it: 0.1 + 0.2 reaches 0.3, and 0.1 + 0.7 not 0.8."""
    rng = np.random.default_rng(0)
    eighths = [*product(range(-16, 17, 8), repeat=3)]
    neurons = [[v / 8 for v in one] for one in eighths]
    neurons += [[0.1, 0.2, 0.3], [0.1, 0.7, 0.8], [0.1, 0.2, 0.1 + 0.2], [1e-300, 1e300, 1e300]]
    neurons += (
        rng.integers(-30, 31, size=(80, 3)).astype(float).tolist() + (rng.integers(-9, 10, (80, 3)) / 10).tolist()
    )
    answers = asked(page, "truth", *([{"w1": a, "w2": b, "theta": c}] for a, b, c in neurons))
    for (a, b, c), theirs in zip(neurons, answers, strict=True):
        assert theirs == "".join(map(str, rb.logic.Gate([a, b], c)(INPUTS)))


def test_the_gates_to_choose_are_those_of_python(page: Ask) -> None:
    names = ["AND", "OR", "NAND", "NOR"]
    gates = [rb.logic.AND(), rb.logic.OR(), rb.logic.NAND(), rb.logic.NOR()]
    (wanted, presets), *_ = asked(page, "gates", [])
    for name, gate in zip(names, gates, strict=True):
        assert wanted[name] == "".join(map(str, gate(INPUTS)))
    assert wanted["NOT x1"] == "".join(str(rb.logic.NOT()(x1)) for x1, _ in INPUTS)
    xor = rb.logic.synthesize("a ^ b")
    assert wanted["XOR"] == "".join(str(xor(*bits)) for bits in INPUTS)
    for name, one in presets.items():
        made = "".join(map(str, rb.logic.Gate([one["w1"], one["w2"]], one["theta"])(INPUTS)))
        assert (made == wanted[name]) == (name != "XOR")


def test_networks_say_what_networks_say(page: Ask) -> None:
    rng = np.random.default_rng(1)
    made = (rng.integers(-16, 17, size=(100, 3, 3)) / 8).tolist()
    made.append([[-1, -1, -1.5], [1, 1, 0.5], [1, 1, 1.5]])
    shaped = [[dict(zip(("w1", "w2", "theta"), one, strict=True)) for one in three] for three in made]
    answers = asked(page, "signals", *([{"hidden": three[:2], "output": three[2]}] for three in shaped))
    for three, theirs in zip(made, answers, strict=True):
        gates = [rb.logic.Gate([a, b], c) for a, b, c in three]
        hidden, output = rb.logic.Network([gates[:2], gates[2:]]).signals(INPUTS)
        assert [one["hidden"] for one in theirs] == hidden.tolist()
        assert [one["output"] for one in theirs] == output[:, 0].tolist()
    assert [one["output"] for one in answers[-1]] == [0, 1, 1, 0]


# ------------------------------------------------------------------------------------------------------------ counting


def test_covers_numbers_and_sentences(page: Ask) -> None:
    cases = [[P, N] for P in (*range(1, 41), 60, 99, 100, 150, 200) for N in (1, 2, 3, 7, 20, 33, 50)]
    for (P, N), theirs in zip(cases, asked(page, "count", *cases), strict=True):
        assert int(theirs) == rb.cover.count(P, N)
    for (P, N), theirs in zip(cases, asked(page, "probability", *cases), strict=True):
        assert theirs == pytest.approx(rb.cover.probability(P, N), rel=1e-12)
    for (P, N), theirs in zip(cases, asked(page, "log10Probability", *cases), strict=True):
        assert theirs == pytest.approx(rb.cover.log10_probability(P, N), rel=1e-9, abs=1e-12)
    for (P, N), theirs in zip(cases, asked(page, "regime", *cases), strict=True):
        assert theirs == regime(P, N)


def _point_sets(times: int) -> list[list[list[float]]]:
    """Points of any kind: on a coarse grid (many lines and twins), anywhere, on one line, on one spot."""
    rng = np.random.default_rng(2)
    grids = [rng.integers(-2, 3, size=(n, 2)) / 4 for n in (1, 2, 3, 4, 5, 6, 7, 9, 12) for _ in range(6 * times)]
    free = [rng.normal(size=(n, 2)) for n in (1, 2, 4, 6, 8, 12) for _ in range(times)]
    lines = [np.column_stack([t, 0.5 * t]) for t in (rng.normal(size=5), np.arange(4.0))]
    return [one.tolist() for one in (*grids, *free, *lines, np.zeros((3, 2)), np.full((2, 2), 1e-30))]


def test_dichotomies_of_any_points(page: Ask, times: int) -> None:
    sets = _point_sets(times)
    for X, theirs in zip(sets, asked(page, "dichotomies", *([X] for X in sets)), strict=True):
        assert int(theirs) == rb.cover.dichotomies(X)
    for X, theirs in zip(sets, asked(page, "dependent", *([X] for X in sets)), strict=True):
        assert (theirs is None) == rb.cover.general_position(X).holds
        if theirs is not None:
            corners = np.column_stack([np.array(X)[theirs], np.ones(len(theirs))])
            assert np.linalg.matrix_rank(corners, tol=1e-12) < len(theirs)


def test_every_labeling_is_decided(page: Ask, times: int) -> None:
    """As many are linear as Python counts, the very ones it lists, and each line shown has its signs."""
    sets = [X for X in _point_sets(times) if len(X) <= 6]
    for X, theirs in zip(sets, asked(page, "labelings", *([X] for X in sets)), strict=True):
        mine = {tuple(labels.tolist()) for labels, _ in rb.cover.enumerate_dichotomies(X)}
        assert len({tuple(one["labels"]) for one in theirs}) == 2 ** len(X)
        assert {tuple(one["labels"]) for one in theirs if one["line"]} == mine
        for one in theirs:
            if one["line"] and np.abs(X).max() > 1e-3:  # in floats, where they can tell
                s = np.column_stack([X, np.ones(len(X))]) @ one["line"]
                assert (np.array(one["labels"]) * s > 0).all()


# -------------------------------------------------------------------------------------------------------------- losses


def test_losses_are_those_of_the_comparison(page: Ask) -> None:
    values = [-1000.0, -40.0, -3.0, -1e-9, 0.0, 0.5, 1.0, 2.0, 40.0, 1000.0]
    formulas = {
        "perceptron": lambda a: max(0.0, -a),
        "squared": lambda a: (1 - a) ** 2 / 2,
        "logistic": lambda a: float(np.logaddexp(0.0, -a)),
    }
    for kind, formula in formulas.items():
        theirs = asked(page, "loss", *([kind, a] for a in values))
        assert theirs == pytest.approx([formula(a) for a in values], rel=1e-12)
        slopes = asked(page, "pull", *([kind, a] for a in values))
        for a, slope in zip(values, slopes, strict=True):
            if abs(a) > 1e-3:  # at 0, where the perceptron's has a corner
                step = 1e-6 * max(1.0, abs(a))
                assert slope == pytest.approx(-(formula(a + step) - formula(a - step)) / (2 * step), rel=1e-4, abs=1e-6)


def _walkers(eta: float, start: list[float], passes: int) -> dict[tuple[str, str], Any]:
    common: dict[str, Any] = {"eta": eta, "start": start, "fit_intercept": False, "max_passes": passes}
    gentle = common | {"tol": 0.0}
    return {
        ("perceptron", "one at a time"): rb.Perceptron(order="cyclic", average=False, **common),
        ("perceptron", "all at once"): rb.BatchPerceptron(**common),
        ("squared", "one at a time"): rb.Adaline(mode="incremental", order="cyclic", **gentle),
        ("squared", "all at once"): rb.Adaline(mode="batch", **gentle),
        ("logistic", "one at a time"): rb.Logistic(mode="incremental", order="cyclic", **gentle),
        ("logistic", "all at once"): rb.Logistic(mode="batch", **gentle),
    }


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_walks_are_those_of_the_learners(page: Ask) -> None:
    rng = np.random.default_rng(3)
    questions, expected = [], []
    for eta, passes in ((0.125, 1), (0.05, 3)):
        X, y, start = rng.normal(size=(7, 2)), np.array([1, -1, 1, 1, -1, -1, 1]), rng.normal(size=2).tolist()
        rows = (y[:, None] * X).tolist()
        for (kind, mode), learner in _walkers(eta, start, passes).items():
            steps = passes * (len(y) if mode == "one at a time" else 1)
            questions.append([kind, mode, rows, eta, start, steps])
            expected.append(learner.fit(X, y).coef_[0])
    for question, walk, w in zip(questions, asked(page, "path", *questions), expected, strict=True):
        np.testing.assert_allclose(walk[-1], w, rtol=1e-9, err_msg=str(question[:2]))


# ---------------------------------------------------------------------------------------------------------- regression


def test_the_contest_is_that_of_python(page: Ask, times: int) -> None:
    data = counterexample()
    rng = np.random.default_rng(4)
    sets = [(data.X, np.where(data.y == "right", 1, -1))]
    sets += [(rng.integers(-8, 9, size=(12, 2)) / 4, rng.choice([-1, 1], size=12)) for _ in range(5 * times)]
    answers = asked(page, "contestOf", *([X.tolist(), y.tolist()] for X, y in sets))
    for (X, y), theirs in zip(sets, answers, strict=True):
        assert [one["name"] for one in theirs] == ["perceptron", *RIVALS]
        for one in theirs:
            agreement = y * (X @ one["w"][:2] + one["w"][2])
            assert one["errors"] == int(np.sum(agreement <= 0))
            assert one["losses"]["squared"] == pytest.approx(np.mean((1 - agreement) ** 2) / 2)
            assert one["losses"]["logistic"] == pytest.approx(np.mean(np.logaddexp(0, -agreement)))
            assert one["losses"]["perceptron"] == pytest.approx(np.mean(np.maximum(0, -agreement)))
        for name, one in zip(RIVALS[:2], theirs[1:], strict=False):
            np.testing.assert_allclose(one["w"], fit_rival(name, X, y).w, rtol=1e-6, atol=1e-7)
    first = answers[0][0]
    model = rb.Perceptron(order="cyclic").fit(*sets[0])
    assert first["w"] == [*model.coef_[0], *model.intercept_]
    assert first["corrections"] == model.n_updates_


# ------------------------------------------------------------------------------------------------------------- filters


def test_filters_are_those_of_python(page: Ask) -> None:
    rng = np.random.default_rng(5)
    u = rng.normal(size=400)
    u[:3] = 0.0  # silence at first
    d = np.convolve(u, [0.0, 0.7, -0.4, 0.2])[:400] + 0.05 * rng.normal(size=400)
    questions, expected = [], []
    for taps in (1, 3, 8, 20):
        filters = {
            "LMS": (0.02, rb.filters.LMS(taps=taps, eta=0.02)),
            "NLMS": (0.5, rb.filters.NLMS(taps=taps, eta=0.5)),
            "RLS": (0.99, rb.filters.RLS(taps=taps, forgetting=0.99)),
        }
        for rule, (step, filter_) in filters.items():
            questions.append([{"rule": rule, "taps": taps, "step": step}, u.tolist(), d.tolist(), 50])
            expected.append(filter_.run(u, d, history=50))
    for question, theirs, run in zip(questions, asked(page, "adaptiveFilter", *questions), expected, strict=True):
        np.testing.assert_allclose(theirs["y"], run.y, rtol=1e-9, atol=1e-12, err_msg=str(question[0]))
        np.testing.assert_allclose(theirs["e"], run.e, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(theirs["history"], [*run.history, run.w], rtol=1e-9, atol=1e-12)
        assert theirs["lost"] is None


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_largest_steps_are_those_of_python(page: Ask) -> None:
    rng = np.random.default_rng(6)
    white = rng.normal(size=500)
    signals = [white, np.cumsum(white), np.sin(np.arange(500.0)), 1e-3 * white]
    cases = [*product(signals, (1, 2, 8, 24))]
    for (u, taps), theirs in zip(cases, asked(page, "bounds", *([u.tolist(), taps] for u, taps in cases)), strict=True):
        assert theirs["mean"] == pytest.approx(rb.filters.max_step(u, taps, sense="mean"), rel=1e-9)
        assert theirs["meanSquare"] == pytest.approx(rb.filters.max_step(u, taps), rel=1e-6)
        assert theirs["power"] == pytest.approx(np.mean(u**2))


def test_a_step_above_the_bound_is_seen_to_diverge(page: Ask) -> None:
    u = np.random.default_rng(7).normal(size=4000)
    d = np.convolve(u, [0.5, -0.2])[:4000]
    most = rb.filters.max_step(u, 8)
    calm, wild = asked(
        page,
        "adaptiveFilter",
        *([{"rule": "LMS", "taps": 8, "step": f * most}, u.tolist(), d.tolist(), 100] for f in (0.5, 4)),
    )
    assert calm["lost"] is None
    assert wild["lost"] is not None


def test_the_spectrum(page: Ask) -> None:
    samples = np.random.default_rng(8).normal(size=256)
    (theirs,) = asked(page, "spectrum", [samples.tolist()])
    window = np.sin(np.pi * np.arange(256) / 256) ** 2
    np.testing.assert_allclose(theirs, np.abs(np.fft.rfft(samples * window)) ** 2, rtol=1e-9, atol=1e-9)
