"""The six bets of the losses' room: each answer and its reason, by walks of one's own."""

import re

import numpy as np

from tests.claims.book import Reader, flat
from tests.claims.test_sentences import readings
from tests.lab.conftest import ROOT

bets = Reader("bets")
APART = np.array([[1.5, 1.5], [0.5, 1.25], [1.0, 0.5], [0.5, -0.75], [1.0, 0.25], [0.25, 1.25]])  # rows y·x
MIXED = np.array([[1.0, 0.5], [-1.0, -0.75], [0.25, 1.0], [-0.5, 0.75], [1.0, -1.0], [0.5, 0.25]])


def _sigma(v):
    return 1 / (1 + np.exp(-v))


def _descend(rows, steps, eta=0.5):
    w = np.array([-2.0, 1.5])
    for _ in range(steps):
        w = w + eta * _sigma(-(rows @ w)) @ rows
    return w


def _rosenblatt(rows, passes, eta=0.2):
    w, walk = np.array([-2.0, 1.5]), []
    for _ in range(passes):
        for z in rows:
            if z @ w <= 0:
                w = w + eta * z
        walk.append(w)
    return walk


def _margin(rows, w):
    return (rows @ w).min() / np.linalg.norm(w)


@bets.of("both")
def _both(known):
    assert (APART @ _descend(APART, 200) > 0).all()
    assert (APART @ _rosenblatt(APART, 200)[-1] > 0).all()


@bets.of("minimum")
def _minimum(known):
    assert np.abs(_sigma(-(MIXED @ _descend(MIXED, 5000))) @ MIXED).max() < 1e-9
    walk = _rosenblatt(MIXED, 300)
    assert all((MIXED @ w <= 0).any() for w in walk)


@bets.of("step")
def _step(known):
    lengths = [np.linalg.norm(_descend(APART, steps)) for steps in (200, 2000, 20_000)]
    assert lengths[0] + 1 < lengths[1] < lengths[2] - 1


@bets.of("boundary")
def _boundary(known):
    w = _descend(MIXED, 500)
    on = np.array([-w[1], w[0]])
    assert _sigma(w @ on) == 0.5


@bets.of("first")
def _first(known):
    walk = _rosenblatt(APART, 200)
    done = next(k for k, w in enumerate(walk) if (APART @ w > 0).all())
    assert all(np.array_equal(w, walk[done]) for w in walk[done:])
    assert _margin(APART, walk[-1]) < 0.9 * _margin(APART, _descend(APART, 20_000))


@bets.of("goes on")
def _goes_on(known):
    margins = [_margin(APART, _descend(APART, steps)) for steps in (30, 300, 3000)]
    assert 0 < margins[0] < margins[1] < margins[2]


def test_every_answer_is_true_and_on_the_page() -> None:
    source = (ROOT / "lab-ui" / "src" / "rooms" / "bets.ts").read_text(encoding="utf-8")
    found = re.findall(r'claim: "(.*?)",\s+answer: (\w+),\s+why: "(.*?)"', source)
    assert [answer for _, answer, _ in found] == ["true", "false", "true", "false", "false", "true"]  # as in kim.md
    lecture = (ROOT / "docs" / "lectures" / "kim.md").read_text(encoding="utf-8")
    for claim, answer, why in found:
        assert f"{answer.title()} {claim}" in lecture
        bets.read(why, None)
    bets.finish(rare={})


def _sentences(path: str) -> list[str]:
    source = (ROOT / "lab-ui" / "src" / path).read_text(encoding="utf-8")
    code = re.sub(r"/\*\*.*?\*/|//[^\n]*|^import[^\n]*", "", source, flags=re.DOTALL | re.MULTILINE)
    written = [a or b for a, b in re.findall(r'"([^"\n]*)"|`([^`]*)`', re.sub(r'" \+\s+["`]', "", code))]
    parts = [flat(part).strip(" .,;:()…?") for one in written for part in re.split(r"\$\{[^}]*\}|(?<=[.:;?]) ", one)]
    return [one for one in parts if len(one) > 24 and " " in one and "M0 " not in one]


def test_film_and_proof_say_what_is_on_the_page() -> None:
    said = [*_sentences("guide/tour.ts"), *_sentences("proofpanel.ts")]
    assert len(said) > 12
    assert [one for one in said if one not in readings()] == []
