"""What the page is told about some points."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt.lab.packing import pack, unpack
from rosenblatt.lab.presets import presets
from rosenblatt.lab.settings import RECIPES, LabSettings
from rosenblatt.lab.simulation import LabPoints, answer, record, simulate
from tests.learners.test_perceptron import quiet

SQUARE = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


def told(X: Any, y: Any, **settings: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    points = LabPoints(np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.int8))
    return unpack(simulate(points, LabSettings.read(settings)))


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("seed", [0, 5])
def test_the_run_is_the_one_that_fit_makes(recipe: str, seed: int) -> None:
    X, y = rb.datasets.margin_cloud(80, 2, margin=0.05, random_state=3)
    run = record(X, y.astype(np.int8), LabSettings(recipe=recipe, eta=0.5, seed=seed))
    model = rb.Perceptron.from_recipe(recipe, eta=0.5, random_state=seed, max_passes=10_000, trace=True).fit(X, y)
    assert run.trace is not None
    assert model.trace_ is not None
    np.testing.assert_array_equal(run.trace.rows, model.trace_.rows)
    np.testing.assert_array_equal(run.trace.steps, model.trace_.steps)
    assert str(run.outcome) == str(model.outcome_) == "SEPARATED"


@pytest.mark.parametrize(
    ("learner", "model"),
    [
        ("passive-aggressive", rb.PassiveAggressive(order="shuffled", random_state=2)),
        ("adaline", rb.Adaline(order="shuffled", random_state=2)),
        ("logistic", rb.Logistic(mode="incremental", order="shuffled", random_state=2)),
    ],
)
def test_other_learners_end_where_fit_ends(learner: str, model: Any) -> None:
    X, y = rb.datasets.margin_cloud(50, 2, margin=0.2, random_state=3)
    settings = LabSettings(learner=learner, order="shuffled", seed=2, limit=50_000)  # a thousand passes, as by default
    run = record(X, y.astype(np.int8), settings)
    quiet(model, X, y)  # logistic regression has no minimum here, and warns
    assert run.outcome is not None
    assert str(run.outcome) == str(model.outcome_)
    assert run.outcome.sentence == model.outcome_.sentence.replace("x1", "x2").replace("x0", "x1")
    np.testing.assert_array_equal(run.running, np.append(model.coef_[0], model.intercept_))
    assert run.trace is not None
    np.testing.assert_array_equal(run.trace.weights_at(len(run.trace)), run.running)


def test_xor_meets_in_the_middle() -> None:
    header, _ = told(SQUARE, [-1, 1, 1, -1])
    assert header["verdict"]["kind"] == "overlap"
    assert header["verdict"]["proved"] is True
    assert header["witness"] == {"rows": [0, 1, 2, 3], "parts": [0.5] * 4, "point": [0.5, 0.5]}
    assert header["outcome"]["name"] == "CYCLING"


def test_the_street_is_what_is_drawn() -> None:
    """Two columns of points, far from the origin: half the street is 1, the theorem's margin less."""
    X, y = np.array([[30.0, 30.0], [30.0, 31.0], [32.0, 30.0], [32.0, 31.0]]), [-1, -1, 1, 1]
    verdict = told(X, y)[0]["verdict"]
    assert (verdict["street"]["lower"], verdict["street"]["upper"], verdict["limits"]) == (1.0, 1.0, {})
    a, b, c = verdict["street"]["w"]
    assert (b / a, c / a) == (0.0, -31.0)
    assert verdict["margin"][1] < 0.5
    alone = told(X, [1, 1, 1, 1])[0]["verdict"]
    assert alone["street"] is None
    assert "there is only one" in alone["limits"]["street"]


def test_a_product_makes_xor_separable() -> None:
    header, columns = told(SQUARE, [-1, 1, 1, -1], phi="product")
    assert header["verdict"]["kind"] == "complete"
    assert header["added"] == ["x1·x2"]
    assert header["d"] == 4 == len(columns["start"])
    assert len(columns["rows"]) <= header["theorem"]["bound"]


@given(st.integers(1, 30), st.integers(0, 10_000), st.sampled_from(RECIPES))
def test_the_theorem_holds_on_what_is_drawn(n: int, seed: int, recipe: str) -> None:
    X, y = rb.datasets.margin_cloud(n, 2, margin=0.1, random_state=seed)
    header, columns = told(X, y, recipe=recipe, seed=seed)
    numbers, k = header["theorem"], columns["k"]
    assert header["verdict"]["kind"] == "complete"
    assert k[0] == 0
    assert k[-1] == len(columns["rows"])
    assert (numbers["gain"] is not None) == (len(columns["rows"]) > 0 and len(set(y)) == 2)
    if numbers["gain"] is not None:
        lower = np.maximum(0, numbers["ahead"] + k * numbers["gain"]) ** 2
        upper = numbers["begin"] + k * numbers["growth"]
        assert np.all(lower <= columns["norm_sq"] * (1 + 1e-9) + 1e-12)
        assert np.all(columns["norm_sq"] <= upper * (1 + 1e-9) + 1e-12)
        assert len(columns["rows"]) <= numbers["bound"]
        for more, sign in ((0, 1), (1, -1)):  # the bounds that are drawn cross where the page says
            end = numbers["bound"] + more
            least = max(0.0, numbers["ahead"] + end * numbers["gain"]) ** 2
            most = numbers["begin"] + end * numbers["growth"]
            assert sign * (most - least) >= -1e-9 * most


@given(st.lists(st.tuples(st.integers(-2, 2), st.integers(-2, 2), st.sampled_from([-1, 1])), min_size=1, max_size=9))
def test_witnesses_lie_in_both_hulls(rows: list[tuple[int, int, int]]) -> None:
    X, y = np.array([row[:2] for row in rows], dtype=np.float64), np.array([row[2] for row in rows])
    header, _ = told(X, y)
    witness = header["witness"]
    assert (witness is None) == (header["verdict"]["kind"] == "complete")
    if witness:
        for sign in (-1, 1):
            mine = [k for k, i in enumerate(witness["rows"]) if y[i] == sign]
            assert sum(witness["parts"][k] for k in mine) == pytest.approx(1)
            mixed = sum(witness["parts"][k] * X[witness["rows"][k]] for k in mine)
            np.testing.assert_allclose(mixed, witness["point"], atol=1e-12)


def test_rivals_say_how_often_they_err() -> None:
    one = next(preset for preset in presets() if preset["name"] == "Regression errs")
    X = np.array(one["X"]).reshape(-1, 2)
    header, _ = told(X, one["y"], rivals=["least squares", "LMS", "logistic"])
    assert (header["rivals"][0]["name"], header["rivals"][0]["wrong"]) == ("least squares", 2)
    assert len(header["rivals"]) == 3


def test_no_points_and_one_class_are_answered() -> None:
    header, columns = told(np.empty((0, 2)), [])
    assert header["verdict"] is None
    assert len(columns["rows"]) == 0
    header, _ = told([[1.0, 2.0], [3.0, 4.0]], [1, 1], rivals=["least squares"])
    assert header["verdict"]["kind"] == "complete"
    assert header["rivals"] == []


def test_the_limit_is_kept_and_said() -> None:
    X = np.random.default_rng(0).normal(size=(50, 2))
    y = np.where(np.random.default_rng(1).uniform(size=50) > 0.5, 1, -1)
    header, columns = told(X, y, limit=100)
    assert len(columns["rows"]) == 100
    assert "100 corrections were allowed" in header["outcome"]["sentence"]


@pytest.mark.parametrize("preset", presets(), ids=lambda one: one["name"])
def test_every_preset_shows_what_it_says(preset: dict[str, Any]) -> None:
    kinds = {"XOR": "overlap", "Touching": "quasi", "Ring": "overlap"}
    X = np.array(preset["X"]).reshape(-1, len(preset["names"]))
    header, _ = told(X, preset["y"], **preset["settings"])
    assert header["verdict"]["kind"] == kinds.get(preset["name"], "complete")
    if preset["name"] == "Ring":
        assert told(X, preset["y"], phi="squares")[0]["verdict"]["kind"] == "complete"


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"order": "sorted"}, "order must be one of cyclic, shuffled, random; it is 'sorted'."),
        ({"eta": 0}, "eta must be a positive number; it is 0."),
        ({"eta": float("inf")}, "eta must be a positive number"),
        ({"eta": True}, "eta must be a positive number"),
        ({"limit": 10**9}, "limit must be a whole number from 1 to 200,000"),
        ({"limit": 0.5}, "limit must be a whole number"),
        ({"seed": -1}, "seed must be a whole number from 0 to 4,294,967,295; it is -1."),
        ({"rivals": ["magic"]}, "rivals must be some of least squares, LMS, logistic."),
        ({"rivals": "LMS"}, "rivals must be some of"),
        ({"phi": "cubic"}, "phi must be one of x, product, squares, quadratic; it is 'cubic'."),
        ({"phi": ["x"]}, "phi must be one of"),
        ({"normalize": "yes"}, "normalize must be true or false."),
    ],
)
def test_a_bad_choice_is_named(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence.replace("(", "\\(")):
        LabSettings.read(settings)


@pytest.mark.parametrize(
    ("header", "columns", "sentence"),
    [
        ({"n": 1, "p": 2}, {"X": [[np.nan, 0.0]], "y": [1]}, "point 1 has no finite value for feature 1"),
        ({"n": 1, "p": 2}, {"X": [[0.0, np.inf]], "y": [1]}, "point 1 has no finite value for feature 2"),
        ({"n": 1, "p": 2}, {"X": [[0.0, 0.0]], "y": [2]}, "the class of point 1 must be −1 or \\+1; it is 2"),
        ({"n": 2, "p": 2}, {"X": [[0.0, 0.0]], "y": [1]}, "the message must hold 2 × 2 numbers"),
        ({"n": 10**6, "p": 2}, {"X": [[0.0, 0.0]], "y": [1]}, "1,000,000 points with 2 features are too many"),
        ({"n": "1", "p": 2}, {"X": [[0.0, 0.0]], "y": [1]}, "must say how many points"),
        ({"n": 1, "p": 2, "settings": 3}, {"X": [[0.0, 0.0]], "y": [1]}, "settings must be an object"),
        (
            {"n": 1, "p": 3, "settings": {"phi": "product"}},
            {"X": [[0.0, 0.0, 1.0]], "y": [1]},
            "Φ is for points",
        ),
        (
            {"n": 1, "p": 2, "settings": {"phi": "squares"}},
            {"X": [[1e300, 0.0]], "y": [1]},
            "point 1 has a value above 1e.30",
        ),
    ],
)
def test_bad_messages_are_refused_in_a_sentence(header: Any, columns: Any, sentence: str) -> None:
    X = np.array(columns["X"], dtype=np.float64).ravel()
    with pytest.raises(ValueError, match=sentence):
        answer(pack(header, {"X": X, "y": np.array(columns["y"], dtype=np.int8)}))


@pytest.mark.parametrize("size", [5e-324, 1e-300, 1e-30, 1.0, 1e30])
@pytest.mark.parametrize("y", [[-1, -1, -1, 1], [-1, 1, 1, -1], [1, 1, 1, 1]])
@pytest.mark.parametrize("phi", ["x", "quadratic"])
def test_any_size_is_answered(size: float, y: list[int], phi: str) -> None:
    with np.errstate(all="ignore"):
        header, columns = told(SQUARE * size, y, phi=phi, limit=1000)
    assert header["verdict"]["proved"]
    assert len(columns["rows"]) <= 1000
