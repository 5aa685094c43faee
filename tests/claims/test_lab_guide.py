"""What the lab's page says of odd points and of challenges, against a naive perceptron and exact oracles."""

import itertools
import shutil
from fractions import Fraction
from functools import cached_property

import numpy as np
import pytest

from tests.claims.book import Reader
from tests.claims.shown import number
from tests.claims.tables import Table
from tests.claims.test_verdicts import Known
from tests.lab.conftest import page  # noqa: F401 (a fixture)

said = Reader("lab")
USUAL = {
    "learner": "perceptron",
    "recipe": "rosenblatt62",
    "eta": None,
    "order": "cyclic",
    "start": "zeros",
    "tie": "mistake",
    "normalize": False,
    "phi": "x",
    "limit": 1000,
    "seed": 0,
    "rivals": [],
}


class Case:
    """Points on a grid, which floats carry exactly, and what is true of them."""

    def __init__(self, X, y, k, **settings):
        self.X, self.y, self.k, self.settings = np.asarray(X, dtype=float), np.asarray(y), k, USUAL | settings
        self.w = None  # as the page has them

    def __repr__(self):
        return f"{self.X.tolist()} → {self.y.tolist()}, {self.settings['learner']}, k = {self.k}"

    @cached_property
    def known(self):
        return Known(Table("points", self.X, (self.y + 1) // 2), binary=True)

    @property
    def separable(self):
        return self.known.kind == "complete"

    @cached_property
    def run(self):
        """The lecture's loop: (corrections, how it ended), with fractions."""
        Z = [[Fraction(int(y)) * Fraction(v) for v in (*x, 1.0)] for x, y in zip(self.X, self.y, strict=True)]
        w, made, ends = [Fraction(0)] * len(Z[0]), 0, []
        while True:
            before = made
            for z in Z:
                if sum(a * b for a, b in zip(w, z, strict=True)) <= 0:
                    w, made = [a + b for a, b in zip(w, z, strict=True)], made + 1
                    if made == self.settings["limit"]:
                        return made, "stopped"
            if made == before:
                return made, "separated"
            if w in ends or not any(w):
                return made, "came back"
            ends.append(w)

    def points(self, text):
        """The rows that a sentence names, or how many there are."""
        words = text.replace(",", " ").replace("Points", "").replace("Point", "").replace("points", "")
        numbers = [int(word) for word in words.replace("and", " ").split()]
        return numbers[0] if text[0].isdigit() else [v - 1 for v in numbers]

    def response(self, i):
        return sum(Fraction(a) * Fraction(b) for a, b in zip((*self.X[i], 1.0), self.w, strict=True))


@said.of("apart")
def _apart(case, points):
    rows = case.points(points)
    assert len({tuple(case.X[i]) for i in rows}) == 1
    assert len({case.y[i] for i in rows}) == 2
    assert not case.separable


@said.of("as one")
def _as_one(case, points):
    rows = case.points(points)
    assert len({(*case.X[i], case.y[i]) for i in rows}) == 1


@said.of("tie")
def _tie(case, points, rule=None):
    on = [i for i in range(len(case.y)) if case.response(i) == 0]
    told = case.points(points)
    assert told == (on if isinstance(told, list) else len(on))
    ties = {"mistake": "a mistake", "correct": "right", "positive": "class 1"}
    perceptron = case.settings["learner"] == "perceptron"
    assert rule == (ties[case.settings["tie"]] if perceptron else None)


@said.of("one class", "both classes")
def _one_class(case):
    assert len(set(case.y.tolist())) == 1


@said.of("never line", "never hyperplane", "never curve", "never ends", "no bound")
def _never(case):
    assert not case.separable


@said.of("perceptron only")
def _other_learner(case):
    assert case.settings["learner"] != "perceptron"


@said.of("too many")
def _too_many(case, n):
    assert int(n) == len(case.y) > 6


@said.of("too short")
def _too_short(case):
    assert case.separable
    assert case.run[1] == "stopped"


@said.of("many", "not many")
def _many(case, k, n):
    assert case.run == (number(k), "separated")
    assert number(n) == len(case.y) <= 6


@said.of("ends", "separates labels")
def _separable(case):
    assert case.separable


@said.of("came back")
def _came_back(case, k):
    assert not case.separable
    assert case.run[1] == "came back"  # the page notices later: it keeps the weights of few passes
    assert number(k) >= case.run[0]


@said.of("not back")
def _not_back(case, k):
    assert not case.separable


@said.of("given points")
def _given(case):
    assert case.X.shape != case.given.shape or not np.array_equal(case.X, case.given)


@said.of("no line")
def _no_line(case):
    kinds = [
        Known(Table("labels", case.given, (np.array(y) + 1) // 2), binary=True).kind
        for y in itertools.product((-1, 1), repeat=4)
    ]
    assert sum(kind != "complete" for kind in kinds) == 2
    assert not case.separable


@said.of("nothing to compare")
def _nothing(case):
    assert case.run[1] == "stopped"


@said.of("two needed", "below the bound", "reached")
def _bound(case, k, bound):
    assert case.run == (number(k), "separated")
    assert number(bound) == case.known.bound
    assert number(k) <= number(bound)


@said.of("no points", "deciding")
def _nothing_claimed(case):
    """It says nothing of the points."""


def cases(count, given):
    """Points on grids, with duplicates and ties; learners, limits; the challenges' own points with other labels."""
    for number_ in range(count):
        rng = np.random.default_rng([21, number_])
        n = int(rng.integers(1, 9))
        X = rng.integers(-3, 4, size=(n, 2)) / rng.choice([1, 2, 4])
        y = rng.choice([-1, 1], size=n) if number_ % 5 else np.sign(X @ [1.0, -2.0] + 0.3).astype(int)
        learner = "perceptron" if number_ % 7 else ("adaline", "passive-aggressive", "logistic")[number_ % 3]
        yield Case(X, y, int(rng.integers(0, 30)), learner=learner, limit=(1000, 1000, 5)[number_ % 3])
    for y in itertools.product((-1, 1), repeat=4):
        yield Case(given, y, 5)
    yield Case([[0.8, 0.25], [-0.8, -0.25]], [1, -1], 1)
    yield Case([[-1, 0.5], [0.7, -0.3], [0.45, 0.7], [0.5, 0.75], [0.75, -0.25], [1, 0.5]], [-1] * 3 + [1] * 3, 9)


def test_hints_and_challenges_tell_the_truth(page, request):  # noqa: F811
    if shutil.which("node") is None:
        pytest.skip("Node is not here")
    given = next(np.array(one["X"]) for one in page([{"act": "challenges"}])[0] if one["id"] == "labels")
    made = list(cases(2000 if request.config.getoption("--soak") else 150, given))
    asked = page({"act": "guide", "X": c.X.tolist(), "y": c.y.tolist(), "settings": c.settings, "k": c.k} for c in made)
    for case, answer in zip(made, asked, strict=True):
        case.w, case.given = answer["w"], given
        for words in answer["odd"]:
            said.read(words, case)
        said.read(answer["before"], case)
        for name, one in answer["judged"].items():
            told = said.read(one["words"], case)
            assert one["done"] == (told in {"many", "came back", "no line", "reached"}), (name, one, case)
    rare = {"never curve": "said of other features, in tests/lab", "no points": "said of an empty plane, in tests/lab"}
    rare["never hyperplane"] = "said of a table, in tests/lab"
    said.finish(rare)
