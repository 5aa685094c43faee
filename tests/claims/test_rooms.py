"""What the rooms of the lab say, against calculations that share nothing with them."""

import re
from itertools import product
from math import isfinite, log10
from typing import Any, NamedTuple

import numpy as np
import pytest

import rosenblatt as rb
from tests.claims import oracles
from tests.claims.book import Reader, flat
from tests.claims.test_sentences import readings
from tests.lab.conftest import ROOT, Ask
from tests.lab.conftest import page as page_of_the_lab

page = page_of_the_lab  # the fixture
rooms = Reader("room")
INPUTS = [*product((0, 1), repeat=2)]
FUNCTIONS = {
    "AND": lambda a, b: a and b,
    "OR": lambda a, b: a or b,
    "NAND": lambda a, b: not (a and b),
    "NOR": lambda a, b: not (a or b),
    "XOR": lambda a, b: a != b,
    "XNOR": lambda a, b: a == b,
    "x1": lambda a, b: a,
    "x2": lambda a, b: b,
    "NOT x1": lambda a, b: not a,
    "NOT x2": lambda a, b: not b,
    "x1 AND NOT x2": lambda a, b: a and not b,
    "x2 AND NOT x1": lambda a, b: b and not a,
    "x1 OR NOT x2": lambda a, b: a or not b,
    "x2 OR NOT x1": lambda a, b: b or not a,
    "0, whatever comes in": lambda a, b: False,
    "1, whatever comes in": lambda a, b: True,
}


def value(text: str) -> float:
    """A number as the page writes it: 1,234 or −0.5 or 1.2·10⁻⁷."""
    plain = text.replace(",", "").replace("−", "-").translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-"))
    return float(plain.replace("·10", "e"))


def is_written(text: str, true: float, digits: int = 3) -> None:
    assert value(text) == pytest.approx(true, rel=0.51 * 10 ** (1 - digits), abs=1e-12), (text, true)


def asked(page: Ask, call: str, *given: list[Any]) -> list[Any]:
    return page({"act": "room", "call": call, "given": one} for one in given)


# --------------------------------------------------------------------------------------------------------------- gates


@rooms.of("gate")
def _gate(known, who, function, right=None):
    outputs, wanted = known
    assert [bool(FUNCTIONS[function](*bits)) for bits in INPUTS] == [bit == "1" for bit in outputs]
    agreed = sum(a == b for a, b in zip(outputs, wanted, strict=True))
    assert agreed == (4 if right is None else int(right))


@rooms.of("xor")
def _xor(known):
    Z = oracles.signed(np.array(INPUTS, dtype=float), [-1, 1, 1, -1])
    assert oracles.separability(Z)[0] == "overlap"
    hidden = [[int(not (a and b)), int(a or b)] for a, b in INPUTS]
    assert [int(a and b) for a, b in hidden] == [0, 1, 1, 0]


def _read_gates(page: Ask) -> None:
    tables = ["".join(bits) for bits in product("01", repeat=4)]
    cases = [(outputs, wanted) for outputs in tables for wanted in ("0001", "0110", "1111")]
    for who in ("neuron", "network"):
        for case, text in zip(cases, asked(page, "ofGate", *([who, *case] for case in cases)), strict=True):
            rooms.read(text, case)
    rooms.read(asked(page, "ofXor", [])[0], None)


# ------------------------------------------------------------------------------------------------------------ counting


class Dots(NamedTuple):
    """Points, and the labeling that is shown."""

    X: list[list[float]]
    labels: list[int]

    @property
    def linear(self) -> list[tuple[int, ...]]:
        return oracles.separable_labelings(np.array(self.X))


@rooms.of("labelings")
def _labelings(known, linear, all, n):  # noqa: A002
    assert int(n) == len(known.X)
    assert value(all) == 2 ** len(known.X)
    assert value(linear) == len(known.linear)


@rooms.of("shown linear")
def _shown_linear(known):
    assert tuple(known.labels) in known.linear


@rooms.of("shown not")
def _shown_not(known):
    assert tuple(known.labels) not in known.linear


def _lie(X, three):
    """Whether these points are on one spot (two) or on a line (three), exactly."""
    rows = [[*oracles.exact(X[i]), 1] for i in three]
    return oracles.rank(rows) < len(three)


@rooms.of("general")
def _general(known, P, count):
    n = len(known.X)
    sets = [(i, j) for j in range(n) for i in range(j)]
    sets += [(i, j, k) for k in range(n) for j in range(k) for i in range(j)]
    assert not any(_lie(known.X, one) for one in sets)
    assert (int(P), value(count)) == (n, len(known.linear))


@rooms.of("dependent")
def _dependent(known, names, where):
    numbers = [int(one) - 1 for one in re.findall(r"\d+", names)]
    assert where == {2: "on one spot", 3: "on a line"}[len(numbers)]
    assert _lie(known.X, numbers)


@rooms.of("fewer")
def _fewer(known, P, count, real):
    assert int(P) == len(known.X)
    assert value(count) == oracles.count(len(known.X), 3)
    assert value(real) == len(known.linear) < value(count)


def _read_points(page: Ask) -> None:
    rng = np.random.default_rng(0)
    sets = [rng.integers(-2, 3, size=(n, 2)) / 4 for n in (1, 2, 3, 4, 5) for _ in range(5)]
    sets += [rng.normal(size=(n, 2)) for n in (1, 2, 3, 4, 5, 5)]
    cases = [Dots(X.tolist(), rng.choice([-1, 1], size=len(X)).tolist()) for X in sets]
    for case, text in zip(cases, asked(page, "ofLabelings", *([*case] for case in cases)), strict=True):
        rooms.read_all(text, case)
    for case, text in zip(cases, asked(page, "ofPosition", *([case.X] for case in cases)), strict=True):
        rooms.read_all(text, case)


# -------------------------------------------------------------------------------------------------------------- losses


class Walk(NamedTuple):
    """A walk that the oracle makes again, one row or all rows a step."""

    kind: str
    mode: str
    rows: list[list[float]]
    eta: float
    start: list[float]
    steps: int

    def loss(self, w):
        with np.errstate(all="ignore"):
            ys = np.array(self.rows) @ w
            losses = {"perceptron": np.maximum(0, -ys), "squared": (1 - ys) ** 2 / 2, "logistic": np.logaddexp(0, -ys)}
            return float(losses[self.kind].sum())

    def end(self):
        w, Z = np.array(self.start), np.array(self.rows)
        with np.errstate(all="ignore"):
            for k in range(self.steps):
                z = Z if self.mode == "all at once" else Z[[k % len(Z)]]
                ys = z @ w
                pull = {"perceptron": ys <= 0, "squared": 1 - ys, "logistic": 1 / (1 + np.exp(ys))}[self.kind]
                w = w + self.eta * pull @ z
                if not np.isfinite(w).all():
                    return w, k + 1
        return w, self.steps


@rooms.of("walk")
def _walk(known, k, first, last, wrong, n):
    w, steps = known.end()
    assert (value(k), int(n)) == (steps, len(known.rows))
    assert int(wrong) == int(np.sum(np.array(known.rows) @ w <= 0))
    is_written(first, known.loss(np.array(known.start)))
    is_written(last, known.loss(w))


@rooms.of("walk lost")
def _walk_lost(known, k):
    w, steps = known.end()
    assert not np.isfinite(known.loss(w))
    assert abs(value(k) - steps) <= 1  # the last finite numbers differ in their last bits


def _read_walks(page: Ask) -> None:
    rng = np.random.default_rng(1)
    kinds, modes = ("perceptron", "squared", "logistic"), ("one at a time", "all at once")
    cases = [
        Walk(kind, mode, rng.normal(size=(5, 2)).tolist(), eta, rng.normal(size=2).tolist(), steps)
        for kind, mode, (eta, steps) in product(kinds, modes, ((0.1, 0), (0.1, 1), (0.3, 17), (0.05, 120)))
    ]
    cases += [Walk("squared", "all at once", [[3.0, 1.0], [1.0, -4.0]], 1e9, [1.0, 1.0], k) for k in (20, 120)]
    for case, text in zip(cases, asked(page, "ofWalkOf", *([*case] for case in cases)), strict=True):
        rooms.read(text, case)


# ---------------------------------------------------------------------------------------------------------- regression


class Contest(NamedTuple):
    """Points, their labels, and the weights of all who took part."""

    X: np.ndarray
    y: np.ndarray
    weights: dict[str, list[float]]

    @property
    def separable(self) -> bool:
        return oracles.separability(oracles.signed(self.X, self.y))[0] == "complete"

    def errors(self, name: str) -> int:
        *w, b = oracles.exact(self.weights[name])
        return sum(int(y) * (sum(a * v for a, v in zip(oracles.exact(x), w, strict=True)) + b) <= 0
                   for x, y in zip(self.X, self.y, strict=True))  # fmt: skip

    def corrections(self) -> int:
        """Of Rosenblatt's loop, the points in turn; at most 2000."""
        w, made, clean = np.zeros(3), 0, 0
        for k in range(10**6):
            z = int(self.y[k % len(self.y)]) * np.append(self.X[k % len(self.y)], 1.0)
            if z @ w <= 0:
                w, made, clean = w + z, made + 1, 0
            else:
                clean += 1
            if made == 2000 or clean == len(self.y):
                break
        return made


@rooms.of("separated")
def _separated(known, k):
    assert known.separable
    assert known.errors("perceptron") == 0
    assert value(k) == known.corrections()


@rooms.of("still wrong")
def _still_wrong(known, k, errors):
    assert known.separable
    assert int(errors) == known.errors("perceptron") > 0
    assert value(k) == known.corrections()


@rooms.of("never")
def _never(known, k, errors):
    assert not known.separable
    assert int(errors) == known.errors("perceptron") > 0
    assert value(k) <= 2000


@rooms.of("rivals")
def _rivals(known, squares, lms, logistic):
    for name, told in (("least squares", squares), ("LMS", lms), ("logistic", logistic)):
        assert int(told) == known.errors(name)


@rooms.of("no minimum")
def _no_minimum(known):
    assert known.separable
    assert "logistic" not in known.weights or known.errors("logistic") == 0


def _contests(page: Ask) -> list[Contest]:
    rng = np.random.default_rng(2)
    cases: list[tuple[Any, Any]] = []
    for n, spread in product((2, 4, 6, 9), (0, 1, 3)):
        for _ in range(3):
            y = rng.choice([-1, 1], size=n)
            cases.append((np.rint(4 * rng.normal(size=(n, 2)) + 4 * spread * y[:, None]) / 4, y))
    narrow = np.array([[0.0, 1.0], [1 / 64, 1.0], [40.0, 1.0], [40.0 + 1 / 64, 1.0]])  # by a hair: many corrections
    cases.append((np.column_stack([narrow[:, 0], [0.0, 0.0, 9.0, 9.0]]), np.array([-1, 1, -1, 1])))
    answers = asked(page, "contestOf", *([X.tolist(), y.tolist()] for X, y in cases))
    return [
        Contest(X, y, {one["name"]: one["w"] for one in found}) for (X, y), found in zip(cases, answers, strict=True)
    ]


def _read_contests(page: Ask) -> None:
    cases = _contests(page)
    texts = asked(page, "ofContestOf", *([case.X.tolist(), case.y.tolist()] for case in cases))
    for case, text in zip(cases, texts, strict=True):
        rooms.read_all(text, case)


# ------------------------------------------------------------------------------------------------------------- filters


class Filtering(NamedTuple):
    """A filter that Python runs again."""

    task: dict[str, Any]
    u: np.ndarray
    d: np.ndarray

    @property
    def most(self) -> float:
        return {"LMS": rb.filters.max_step(self.u, self.task["taps"]), "NLMS": 2.0}[self.task["rule"]]

    def error(self) -> np.ndarray:
        """By the formulas, in long floats; RLS as the solution of its least squares."""
        taps, step, rule = self.task["taps"], self.task["step"], self.task["rule"]
        X = np.array([[self.u[n - j] if n >= j else 0.0 for j in range(taps)] for n in range(len(self.u))])
        if rule == "RLS":
            return rb.filters.RLS(taps=taps, forgetting=step).run(self.u, self.d).e
        w, e, mean = np.zeros(taps), [], 0.0
        with np.errstate(all="ignore"):
            for n, (x, d) in enumerate(zip(X, self.d, strict=True)):
                e.append(d - w @ x)
                mean += (x @ x - mean) / (n + 1)
                w = w + (step if rule == "LMS" else step / (1e-3 * mean + x @ x)) * e[-1] * x
        return np.array(e)


@rooms.of("level")
def _level(known, level):
    last = slice(3 * len(known.d) // 4, None)
    is_written(level, 10 * log10(np.sum(known.error()[last] ** 2) / np.sum(known.d[last] ** 2)), digits=2)


@rooms.of("lost")
def _lost(known, n):
    first = next(k for k, e in enumerate(known.error()) if not isfinite(e))
    assert abs(value(n) - first) <= 2  # the last finite numbers differ in their last bits


@rooms.of("step")
def _step(known, eta, most):
    is_written(eta, known.task["step"])
    is_written(most, known.most)
    assert known.task["step"] > known.most


@rooms.of("mean")
def _mean(known, mean):
    is_written(mean, rb.filters.max_step(known.u, known.task["taps"], sense="mean"))


@rooms.of("thumb")
def _thumb(known, thumb):
    is_written(thumb, 2 / (np.mean(known.u**2) * known.task["taps"]))


@rooms.of("mean square")
def _mean_square(known, most):
    assert known.task["rule"] == "LMS"
    is_written(most, known.most)


@rooms.of("normalised")
def _normalised(known):
    assert known.task["rule"] == "NLMS"


@rooms.of("smoothing")
def _smoothing(known, samples):
    assert value(samples) == pytest.approx(1 / known, abs=0.51)
    w = (
        rb.filters.LMS(taps=1, eta=known).run(np.ones(200), np.eye(200)[0], history=1).history
    )  # the answer to one impulse
    answer = [float(one[0]) for one in np.asarray(w)[1:]]
    assert answer[:5] == pytest.approx([known * (1 - known) ** m for m in range(5)])


@rooms.of("memory")
def _memory(known, samples):
    assert known.task["rule"] == "RLS"
    assert value(samples) == pytest.approx(1 / (1 - known.task["step"]), abs=0.51)


def _read_filters(page: Ask) -> None:
    for eta in (0.02, 0.3, 0.001):
        rooms.read(asked(page, "ofSmoothing", [eta])[0], eta)
    rng = np.random.default_rng(3)
    white = rng.normal(size=800)
    cases = []
    for u, taps in ((white, 3), (np.convolve(white, [1, 0.9, 0.8])[:800], 8)):
        d = np.convolve(u, [0.5, -0.4, 0.2])[:800] + 0.1 * rng.normal(size=800)
        for rule, step in (("LMS", 0.01), ("LMS", 3.0), ("NLMS", 0.5), ("NLMS", 2.3), ("RLS", 0.99), ("RLS", 0.9)):
            cases.append(Filtering({"rule": rule, "taps": taps, "step": step}, u, d))
    questions = ([case.task, case.u.tolist(), case.d.tolist()] for case in cases)
    for case, (said, *facts) in zip(cases, asked(page, "ofFilterOf", *questions), strict=True):
        rooms.read_all(said, case)
        for fact in facts:
            rooms.read(fact, case)


# ------------------------------------------------------------------------------------------------------------ together


def test_what_the_rooms_say_is_true(page: Ask) -> None:
    for read in (_read_gates, _read_points, _read_walks, _read_contests, _read_filters):
        read(page)
    rooms.finish(rare={})


def test_every_sentence_of_the_rooms_is_on_the_page() -> None:
    """`words.ts` is the one home of what the rooms say: each stretch of its words must be on the page."""
    source = (ROOT / "lab-ui" / "src" / "rooms" / "words.ts").read_text(encoding="utf-8")
    code = re.sub(r"/\*\*.*?\*/|//[^\n]*|^import[^\n]*", "", source, flags=re.DOTALL | re.MULTILINE)
    found = re.findall(r'"([^"\n]*)"|`([^`]*)`', code.replace('" +\n  "', ""))
    stretches = [
        flat(part).strip(" .,;:()") for pair in found for part in re.split(r"\$\{[^}]*\}|(?<=[.:;]) ", "".join(pair))
    ]
    long = [part for part in stretches if len(part) > 12 and " " in part]
    assert len(long) > 20
    assert [part for part in long if part not in readings()] == []
