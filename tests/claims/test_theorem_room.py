"""What the room of the theorem says of a run, and every caption of its proofs, against a run of one's own."""

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import pytest

import rosenblatt as rb
from tests.claims import oracles
from tests.claims.book import Reader, flat
from tests.claims.test_rooms import asked, is_written, value
from tests.claims.test_sentences import readings
from tests.lab.conftest import ROOT, Ask
from tests.lab.conftest import page as page_of_the_lab

page = page_of_the_lab  # the fixture
proof = Reader("proof")


@dataclass(frozen=True)
class Run:
    """Points, the choices, and what the page told: its numbers, the rows corrected, the start."""

    X: np.ndarray
    y: np.ndarray
    eta: float
    k: int
    moment: dict[str, Any]
    rows: list[int]
    start: np.ndarray

    @cached_property
    def z(self) -> np.ndarray:
        return self.y[:, None] * np.column_stack([self.X, np.ones(len(self.y))])

    def w(self, k: int) -> np.ndarray:
        """The start and k steps; each was a mistake."""
        w = self.start.copy()
        for i in self.rows[:k]:
            assert self.z[i] @ w <= 1e-9
            w = w + self.eta * self.z[i]
        return w

    @cached_property
    def separable(self) -> bool:
        return oracles.separability(oracles.signed(self.X, self.y))[0] == "complete"

    @cached_property
    def margin(self) -> float:
        return float(rb.separability(self.X, self.y).margin[0])

    @cached_property
    def star(self) -> np.ndarray:
        plane = rb.separability(self.X, self.y).hyperplane
        w = np.append(plane.w, plane.b)
        return w / np.linalg.norm(w)

    @cached_property
    def radius(self) -> float:
        return float(np.linalg.norm(self.z, axis=1).max())

    def least(self, k: int) -> float:
        return float(self.star @ self.start) + k * self.eta * self.margin

    def most(self, k: int) -> float:
        return float(np.sqrt(self.start @ self.start + k * (self.eta * self.radius) ** 2))

    @property
    def seen(self) -> bool:
        return self.k <= len(self.rows)

    @property
    def last(self) -> int:
        """The correction that the captions are about."""
        return min(max(1, self.k), len(self.rows))


def near(text: str, true: float) -> None:
    """Three digits, of numbers that are sums."""
    assert value(text) == pytest.approx(true, rel=0.006, abs=1e-8), (text, true)


@proof.of("course")
def _course(known, k):
    assert value(k) == len(known.rows)
    assert (known.z @ known.w(len(known.rows)) > 0).all()


@proof.of("course wrong")
def _course_wrong(known, k):
    assert value(k) == len(known.rows)
    assert (known.z @ known.w(len(known.rows)) <= 1e-9).any()


@proof.of("course bound")
def _course_bound(known, bound):
    n = value(bound)
    for k, within in ((n * (1 - 1e-9), True), (n + 1 + 1e-9 * n, False)):
        assert (known.least(k) <= known.most(k) * (1 + 1e-12)) == within
    assert len(known.rows) <= n
    is_written(bound, known.moment["bound"], digits=12)


@proof.of("course huge")
def _course_huge(known):
    assert known.separable
    assert known.moment["bound"] is None


@proof.of("course none")
def _course_none(known):
    assert not known.separable
    assert known.moment["bound"] is None


@proof.of("course one")
def _course_one(known):
    assert len(set(known.y)) == 1


@proof.of("course done")
def _course_done(known):
    assert (known.z @ known.start > 0).all()


@proof.of("staircase")
def _staircase(known, n, least):
    """The smallest whole weights that solve it, and the corrections that follow from them: c_i = w_i + Σ_{j>i} c_j."""
    assert int(n) == known
    w: list[int] = []
    for _ in range(known):
        w.append(1 + sum(w))
    total = 0
    for weight in reversed(w):
        total += weight + total
    is_written(least, total)


@proof.of("staircase run")
def _staircase_run(known, made):
    stairs = np.eye(known) - np.tril(np.ones((known, known)), -1)
    run = rb.Perceptron(fit_intercept=False, order="cyclic", max_passes=10**7).fit(stairs, np.ones(known))
    assert value(made) == run.n_updates_ == (4**known - 1) // 3


@proof.of("mistake")
def _mistake(known, point, response):
    assert value(point) == known.rows[known.last - 1] + 1
    near(response, known.z[known.rows[known.last - 1]] @ known.w(known.last - 1))


@proof.of("walk")
def _walk(known, k, steps):
    assert value(k) == value(steps) == known.k


@proof.of("star")
def _star(known, margin):
    near(margin, known.margin)
    assert (known.z @ known.star > 0).all()


@proof.of("progress")
def _progress(known, gain, k, least, along=None):
    near(gain, known.eta * known.margin)
    near(least, known.least(known.k))
    assert value(k) == known.k
    assert (along is not None) == known.seen
    if along:
        near(along, known.star @ known.w(known.k))
        assert known.star @ known.w(known.k) >= known.least(known.k) - 1e-9


@proof.of("cauchy", "both", "angle", "fraction", "denominator", "root")
def _general(known):
    assert known.separable


@proof.of("cauchy here")
def _cauchy_here(known, length, along):
    w = known.w(known.k)
    near(length, w @ w)
    near(along, (known.star @ w) ** 2)


@proof.of("restraint")
def _restraint(known, middle, was, square, **more):
    before, after, z = known.w(known.last - 1), known.w(known.last), known.z[known.rows[known.last - 1]]
    near(middle, 2 * known.eta * (z @ before))
    near(was, before @ before)
    near(more["is"], after @ after)
    near(square, known.eta**2 * (z @ z))


@proof.of("sum")
def _sum(known, k=None, length=None, begin=None, **more):
    assert (length is not None) == known.seen
    if length:
        assert value(k) == known.k
        near(length, known.w(known.k) @ known.w(known.k))
        near(begin, known.start @ known.start)
        near(more["sum"], known.eta**2 * np.sum(known.z[known.rows[: known.k]] ** 2))


@proof.of("longest")
def _longest(known, radius, epsilon):
    near(radius, known.radius)
    near(epsilon, known.radius**2)


@proof.of("circle")
def _circle(known, k, most, length=None):
    assert value(k) == known.k
    near(most, known.most(known.k))
    assert (length is not None) == known.seen
    if length:
        near(length, float(np.linalg.norm(known.w(known.k))))
        assert np.linalg.norm(known.w(known.k)) <= known.most(known.k) * (1 + 1e-9)


@proof.of("not yet")
def _not_yet(known, k):
    assert value(k) == known.moment["bound"] + 1
    assert known.k <= known.moment["bound"]


@proof.of("crossed")
def _crossed(known, k, far, bound, **more):
    assert value(k) == known.k > value(bound) == known.moment["bound"]
    assert value(far) > value(more["near"])
    is_written(far, known.least(known.k))
    is_written(more["near"], known.most(known.k))


@proof.of("cosine")
def _cosine(known, along, length, cosine):
    w = known.w(known.k)
    near(along, known.star @ w)
    near(length, float(np.linalg.norm(w)))
    near(cosine, known.star @ w / np.linalg.norm(w))


@proof.of("no cosine")
def _no_cosine(known):
    assert not known.w(known.k).any()


@proof.of("numerator")
def _numerator(known, point, along, gain):
    z = known.z[known.rows[known.last - 1]]
    assert value(point) == known.rows[known.last - 1] + 1
    near(along, known.eta * (z @ known.star))
    near(gain, known.eta * known.margin)
    assert z @ known.star >= known.margin - 1e-9


@proof.of("random walk")
def _random_walk(known):
    assert (known.z @ known.star > 0).all()


@proof.of("degrees")
def _degrees(known, degrees):
    w = known.w(known.k)
    near(degrees, float(np.degrees(np.arccos(min(1.0, known.star @ w / np.linalg.norm(w))))))


@proof.of("lengths")
def _lengths(known, margin, radius):
    near(margin, known.margin)
    near(radius, known.radius)


@proof.of("turn")
def _turn(known, dot, gained, most):
    before, after, z = known.w(known.last - 1), known.w(known.last), known.z[known.rows[known.last - 1]]
    near(dot, known.eta * (z @ before))
    near(gained, after @ after - before @ before)
    near(most, (known.eta * known.radius) ** 2)


def _questions() -> list[list[Any]]:
    rng = np.random.default_rng(7)
    choices = [*product(("zeros", "random"), (1.0, 0.25), ("cyclic", "shuffled", "random"))]
    cases: list[list[Any]] = []
    for start, eta, order in choices:
        for kind in ("apart", "near", "mixed"):
            y = np.array([1, -1, 1, -1, 1, -1, -1])
            shift = {"apart": 2.0, "near": 0.9, "mixed": 0.0}[kind]
            X = np.rint(8 * (rng.normal(size=(7, 2)) * 0.7 + shift * y[:, None])) / 8
            asks = {"start": start, "eta": eta, "order": order, "seed": int(rng.integers(9))}
            cases += [[X.tolist(), y.tolist(), asks, k] for k in (0, 1, 2, 10**9)]
    start = {"start": "zeros", "eta": 1.0, "order": "cyclic", "seed": 0}
    cases.append([[[0.0, 1.0], [1.0, 0.0]], [1, 1], start, 0])
    cases.append([[[0.0, 0.0], [5e-324, 0.0]], [-1, 1], start, 0])
    far = [[[3.0, 0.0], [-3.0, 0.0]], [1, -1], start | {"start": "random"}, 0]
    return [*cases, *([*far[:2], far[2] | {"seed": seed}, 0] for seed in range(12))]


def test_what_the_theorem_room_says_is_true(page: Ask) -> None:
    questions = _questions()
    first = asked(page, "courseOf", *questions)
    for question, answer in zip(questions, first, strict=True):  # beyond the end: one more than the bound
        if question[3] == 10**9:
            bound = answer[0]["bound"]
            question[3] = len(answer[1]) if bound is None else bound + 1
    for (X, y, choices, k), (moment, rows, start, said, captions) in zip(
        questions, asked(page, "courseOf", *questions), strict=True
    ):
        known = Run(np.array(X), np.array(y), choices["eta"], k, moment, rows, np.array(start))
        proof.read_all(said, known)
        assert bool(captions) == (moment["bound"] is not None)
        for one in captions:
            proof.read_all(one, known)
    for n in (2, 3, 5, 8):
        (made,) = asked(page, "climb", [n])
        (said,) = asked(page, "ofStaircase", [n, made])
        proof.read_all(said, n)
        (w,) = asked(page, "decided", [n])
        stairs = np.eye(n) - np.tril(np.ones((n, n)), -1)
        assert (stairs @ np.array([int(v) for v in w]) > 0).all()
    (far,) = asked(page, "ofStaircase", [40, None])
    proof.read_all(far, 40)
    proof.finish(rare={})


def test_every_caption_is_on_the_page() -> None:
    source = (ROOT / "lab-ui" / "src" / "rooms" / "proofs.ts").read_text(encoding="utf-8")
    code = re.sub(r"/\*\*.*?\*/|//[^\n]*|^import[^\n]*|formula: [^\n]*", "", source, flags=re.DOTALL | re.MULTILINE)
    written = [part for pair in re.findall(r'"([^"\n]*)"|`([^`]*)`', code) for part in pair]
    stretches = [flat(part).strip(" .,;:()?") for one in written for part in re.split(r"\$\{[^}]*\}|(?<=[.:;]) ", one)]
    words = [one for one in stretches if len(one) > 18 and " " in one]
    assert len(words) > 20
    assert [one for one in words if one not in readings()] == []
