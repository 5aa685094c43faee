"""What stands under a table of estimates, and the digits in it."""

import re
from fractions import Fraction
from math import inf, isnan

import numpy as np

import rosenblatt as rb
from rosenblatt.estimates.layout import notes, text
from tests.claims import oracles
from tests.claims.book import Reader, book
from tests.claims.shown import number
from tests.estimates.oracles import Slow
from tests.estimates.sets import small_set

estimates = Reader("estimate")


@estimates.of("limit")
def _limit(known, plane, n):
    kind, rows = _partition(known)
    assert kind == "quasi"
    assert (number(plane), number(n)) == (len(rows), len(known[1]))


@estimates.of("no limit")
def _no_limit(known):
    assert _partition(known)[0] == "complete"


@estimates.of("not identified")
def _not_identified(known, names):
    X, _, found = known
    Z = [[*oracles.exact(x), Fraction(1)] for x in X]
    wanted = {found.coefficients[j].name for j in oracles.computable(Z)}
    assert set(names.split(", ")) == wanted


@estimates.of("undetermined")
def _undetermined(known, names):
    X, y, found = known
    slow = Slow(X, y)
    best, _ = slow.least()
    for j, one in enumerate(found.coefficients):
        if one.name in names.split(", "):
            assert all(abs(slow.least(j, b)[0] - best) < 1e-20 for b in (-3.0, 0.0, 2.0))


@estimates.of("firth")
def _firth(known):
    X, y, found = known
    if all(one.firth is not None for one in found.coefficients):
        values = [one.firth.value for one in found.coefficients]
        root = Slow(X, y).root(values)
        for one, exact in zip(found.coefficients, root, strict=True):
            assert one.firth.error is None or abs(exact - one.firth.value) <= one.firth.error


@estimates.of("doubtful")
def _doubtful(known):
    assert "≈" in text(known[2])


@estimates.of("hidden")
def _hidden(known, names):
    hidden = [one for one in known[2].coefficients if one.name in names.split(", ")]
    assert all(isnan(one.firth.lower) or isnan(one.value) for one in hidden)


def _partition(known):
    X, y, _ = known
    return oracles.separability(oracles.signed(X, [1 if v else -1 for v in y]))


def _tables(count):
    for k in range(count):
        data = small_set(4 * k)  # two classes
        X = data.X[:7]
        y = data.y[:7]
        yield (np.c_[X, X[:, 0] * 2] if k % 9 == 0 else X), y
    r = np.random.default_rng(1)
    X, y = r.normal(size=(12, 2)), np.array([0, 1] * 6)
    yield X + 1e8, y
    yield X, np.ones(12)


def test_notes(request):
    for X, y in _tables(300 if request.config.getoption("--soak") else 30):
        found = rb.estimate(X, y)
        for note in notes(found):
            estimates.read(note, (X.tolist(), y.tolist(), found))
    r = np.random.default_rng(1)
    X, y = r.normal(size=(12, 2)), np.array([0, 1] * 6)
    large = rb.estimate(X, y, sample_weight=np.full(12, 1e12))  # so steep that an end is not bracketed
    for note in notes(large):
        estimates.read(note, ([], [], large)) if note.startswith("≈") else None
    estimates.finish(rare={})


def test_no_digit_is_shown_that_is_not_known():
    for k in range(20):
        data = small_set(4 * k)
        found = rb.estimate(data.X, data.y, firth=False)
        if any(one.fate == "not identified" for one in found.coefficients):
            continue
        _, w = data.__class__(data.X, data.y, "logistic", None, None, None, True).slow().least()
        lines = text(found).splitlines()[3 : 3 + len(found.coefficients)]
        for line, exact, one in zip(lines, w, found.coefficients, strict=True):
            if one.fate == "finite":
                shown = re.split(r"  +", line)[2]
                decimals = len(shown.partition(".")[2].partition("e")[0])
                unit = 10.0 ** (int(shown.partition("e")[2] or 0) - decimals)
                assert abs(float(exact) - float(shown)) <= 0.5000001 * unit
            else:
                assert one.value in (inf, -inf) or isnan(one.value)


def test_the_page_has_every_note():
    assert set(estimates.checks) == set(book().templates["estimate"])
