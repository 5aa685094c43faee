"""What the report, the lab and the probes say, and what a filter warns of."""

import re
import warnings
from contextlib import suppress
from html import unescape
from itertools import product
from math import isclose, sqrt

import numpy as np
import scipy.linalg

import rosenblatt as rb
from rosenblatt.lab.packing import unpack
from rosenblatt.lab.settings import LabSettings
from rosenblatt.lab.simulation import LabPoints, simulate
from rosenblatt.report import answer
from rosenblatt.report.study import Study
from tests.claims import oracles
from tests.claims.book import Reader, flat
from tests.claims.shown import is_shown, number
from tests.claims.tables import Table, prices, table
from tests.claims.test_outcomes import outcomes
from tests.claims.test_verdicts import (
    Known,
    is_bound,
    read_margin,
    read_numbers,
    read_readings,
    read_street,
    read_worth,
    reasons_by,
    verdicts,
    worth,
)

reports, probing, filters = Reader("report"), Reader("probe"), Reader("filter")


# ---------------------------------------------------------------------------------------------------------- the report


reports.of("margin", "margin between")(read_margin)
reports.of("street", "street between")(read_street)


def _classes(known):
    return [f"class {name}" for name in np.unique(known.table.labels).tolist()]


for _what, _reader in reasons_by(_classes).items():

    def _reason(known, _reader=_reader, **told):
        counted_from_zero = {
            word: re.sub(r"x(\d+)", lambda found: f"x{int(found[1]) - 1}", text) if word in ("name", "names") else text
            for word, text in told.items()
        }
        _reader(known, **counted_from_zero)

    reports.of(_what)(_reason)


@reports.of("radius")
def _radius(known, radius, vector):
    assert is_shown(radius, sqrt(known.radius_sq))
    assert vector == ("(x, 1)" if known.table.intercept else "x")


@reports.of("bound")
def _bound(known, bound):
    is_bound(known, bound)


@reports.of("witness")
def _witness(known, one, other):
    assert known.kind != "complete"
    assert known.table.intercept


@reports.of("multiples")
def _multiples(known, rows):
    assert known.kind != "complete"
    assert not known.table.intercept


@reports.of("run")
def _run(known, corrections, passes, ended, part=None):
    if known.kind == "complete":
        assert number(corrections) <= known.bound
        if part is not None:
            assert isclose(number(part), number(corrections) / known.bound, rel_tol=0.06)


@reports.of("numbers")
def _numbers(known, names=None, **told):
    counted_from_zero = None if names is None else ", ".join(f"x{int(name[1:]) - 1}" for name in names.split(", "))
    read_numbers(known, counted_from_zero, **told)


@reports.of("numbers read")
def _numbers_read(known, readings):
    read_readings(known, readings, first=1)


@reports.of("worth")
def _worth(known, text):
    read_worth(known, text.removesuffix(" [Cover 1965]"))  # where the count is from


@reports.of("logistic complete")
def _logistic_complete(known, fates=None):
    assert known.kind == "complete"


@reports.of("logistic quasi")
def _logistic_quasi(known, fates=None):
    assert known.kind == "quasi"


@reports.of("logistic overlap")
def _logistic_overlap(known, fates=None):
    assert known.kind == "overlap"


def _words(html):
    html = re.sub(r"10<sup>([\d,.]+)</sup>", r"10^\1", html)
    return flat(unescape(re.sub(r"<[^>]+>", "", html)))


def test_the_report_tells_the_truth(tables):
    for i, family in [*((i, table) for i in (*tables[:12], *tables[48::200])), (1, prices), (4, prices)]:
        known = Known(family(i))
        made = known.table
        if not made.two_classes or made.weights is not None:
            continue
        page = answer.verdict(Study(made.X, made.labels, fit_intercept=made.intercept), "")  # without its pictures
        sentence = re.search(r'<p class="verdict \w+">(.*?)</p>', page, re.S)[1]
        verdicts.read(_words(sentence).removesuffix(" proved"), known)
        facts = re.search(r'<dl class="facts">(.*?)</dl>', page, re.S)[1]
        for name, text in re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", facts, re.S):
            reports.read(f"{_words(name)}: {_words(text)}", known)
    rare = dict.fromkeys(("street between", "margin between"), "a gap too thin for exact arithmetic")
    reports.finish(rare=rare | dict.fromkeys(reasons_by(_classes), "so few tables need not have each of them"))
    assert not verdicts.wrong + worth.wrong, (verdicts.wrong + worth.wrong)[:5]


# ------------------------------------------------------------------------------------------------------------- the lab


def test_the_lab_says_what_the_library_says(tables):
    """Its sentences are the outcome's and the verdict's, of the points as they are drawn."""
    for i in tables[::6]:
        made = table(i)
        made = Table(made.name, np.asarray(made.X, dtype=np.float64), made.labels)
        if np.abs(made.X).max() > 1e20 or not made.two_classes:
            continue
        learner = ("perceptron", "passive-aggressive", "adaline", "logistic")[i // 6 % 4]
        settings = LabSettings(learner=learner, rivals=("least squares", "LMS", "logistic"))
        header, columns = unpack(simulate(LabPoints(made.X, made.y.astype(np.int8)), settings))
        known = Known(made, binary=True)  # as the run has them
        assert header["verdict"]["kind"] == known.kind, known
        verdicts.read(header["verdict"]["sentence"], known)
        read_worth(known, header["verdict"]["worth"])
        if known.kind == "complete":
            low, high = header["verdict"]["street"]["lower"], header["verdict"]["street"]["upper"]
            assert low * (1 - 1e-12) <= known.street <= high * (1 + 1e-12), known
            assert header["verdict"]["bound"] >= known.bound, known
        end = np.asarray(columns["end"])
        assert header["outcome"]["name"] in rb.Perceptron().fit([[0.0], [1.0]], [0, 1]).outcome_.NAMES
        if header["outcome"]["name"] == "SEPARATED":
            assert all(y * s > 0 for y, s in zip(made.y, oracles.responses(made.X, end), strict=True)), known
        for rival in header["rivals"]:
            right = [y * s for y, s in zip(made.y, oracles.responses(made.X, rival["w"]), strict=True)]
            terms = np.abs(made.X) @ np.abs(rival["w"][:-1]) + abs(rival["w"][-1])
            doubt = 1e-13 * float(terms.max())  # of sums in which large terms cancel
            assert sum(v < -doubt for v in right) <= rival["wrong"] <= sum(v <= doubt for v in right), (known, rival)
        if header["witness"]:
            total = sum(
                p * made.y[r] for p, r in zip(header["witness"]["parts"], header["witness"]["rows"], strict=True)
            )
            assert abs(total) < 1e-9, known
    assert not verdicts.wrong + worth.wrong


# ---------------------------------------------------------------------------------------------------------- the probes


@probing.of("one class")
def _one_label(known):
    probes, j = known
    assert probes.positive[j] in (0, probes.labelled[j])


@probing.of("one class new")
def _one_new_label(known, by_itself=None):
    probes, j = known
    assert probes.held_positive[j] in (0, probes.held_labelled[j])


@probing.of("one group new")
def _one_new_group(known, by_itself=None):
    probes, _ = known
    _, y = probes.held_out
    assert 0 < y.sum() < len(y)
    assert len(set(probes.groups)) == 1


@probing.of("few groups new")
def _few_new_groups(known, kind, few, by_itself=None):
    probes, _ = known
    _, y = probes.held_out
    groups = np.asarray(probes.groups)
    if kind == "a number":
        assert number(few) == len(set(groups)) < 3
    else:
        assert kind == "the rarer class"
        assert number(few) == min(len(set(groups[y])), len(set(groups[~y]))) < 3


@probing.of("no numbers new")
def _no_numbers(known):
    probes, _ = known
    _, y = probes.held_out
    assert len(y) < 3 or len(set(y)) == 1


@probing.of("reads", "not shown")
def _new_rows(known, auc, level, low, high, right, chance, control=None, family=None, bound=None, by_itself=None):
    """AUROC and accuracy from their definitions, on the rows that were held out."""
    probes, j = known
    X, y = probes.held_out
    s = X @ probes.weights[:-1, j] + probes.weights[-1, j]
    y = y[:, j % y.shape[1]]
    pairs = [(a > b) + (a == b) / 2 for a in s[y] for b in s[~y]]
    assert is_shown(auc, sum(pairs) / len(pairs), slack=1.5)
    assert is_shown(right, 100 * np.mean(np.where(y, 1, -1) * s > 0))
    assert number(low) <= number(auc) <= number(high)
    assert level == ("90 to 99 %, as groups are few" if 0 < probes.held_groups[j] < 10 else "95 %")
    assert control is None or is_shown(control, 100 * probes.control_test[:, j].mean())
    assert ("below one half" in probes.says(j)) == (probes.interval("auc")[1][j] < 0.5 and probes.p_adjusted[j] > 0.05)
    _chance(probes, j, chance, family, bound)


@probing.of("reads numbers", "numbers not shown", "numbers not read")
def _new_numbers(known, r2, level, low, high, chance, family=None, bound=None):
    probes, j = known
    X, y = probes.held_out
    off = y - X @ probes.weights[:-1, j] - probes.weights[-1, j]
    assert is_shown(r2, 1 - (off @ off) / np.sum((y - y.mean()) ** 2), slack=1.5)
    assert number(low) <= number(r2) <= number(high)
    assert level == ("90 to 99 %, as groups are few" if 0 < probes.held_groups[j] < 10 else "95 %")
    _chance(probes, j, chance, family, bound)


def _chance(probes, j, chance, family, bound):
    """The smallest of p·m/rank over this and all larger p (Benjamini and Hochberg), in words rounded up."""
    assert (bound is None) == (probes.draws[j] == 0)
    assert bound is None or number(bound) >= probes.p[j] * (1 - 1e-6)
    p = np.sort(probes.p[~np.isnan(probes.p)])
    q = min(1.0, min(value * len(p) / (k + 1) for k, value in enumerate(p) if value >= probes.p[j]))
    shown = number(chance[:-2]) / 100 if chance.endswith(" %") else None
    if shown is None:
        body = chance.removeprefix("1 in ")
        shown = 10.0 ** -number(body[3:]) if body.startswith("10^") else 1 / number(body)
    assert q * (1 - 1e-6) <= shown <= max(1.1 * q + 1e-9, 10 * q if q < 1e-5 else 0)
    assert (probes.meaning(j).verdict == "yes") == (q <= 0.05 and not (probes.numeric[j] and probes.r2[j] <= 0))
    assert (int(number(family)) if family else 1) == len(p)


@probing.of("separated")
def _separated(known, judged, bound, looks=None):
    """One of many may be separable by chance: the bound is multiplied by the number of probes."""
    probes, j = known
    assert probes.separated[j]
    assert (int(number(looks)) if looks else 1) == len(probes.names)
    rare = len(probes.names) * 10.0 ** probes.log10_sizes[j] <= 0.01
    assert judged == ("more than chance" if rare else "not shown to be more than chance")


@probing.of("random as well", "learns more", "too few controls", "nothing")
def _seen(known, right, control=None, as_well=None, copies=None, looks=None, enough=None):
    probes, j = known
    accuracy = 1 - probes.wrong[j] / probes.labelled[j]
    assert is_shown(right, 100 * accuracy)
    if control is None:
        return
    others = probes.control_training[:, j]
    assert is_shown(control, 100 * others.mean())
    assert (number(as_well), number(copies)) == (np.sum(others >= accuracy), len(others))
    every = 1.0 - probes.wrong / probes.labelled
    p = np.sort((1 + (probes.control_training >= every).sum(axis=0)) / (1 + len(others)))
    mine = (1 + number(as_well)) / (1 + number(copies))
    q = min(1.0, min(value * len(p) / (k + 1) for k, value in enumerate(p) if value >= mine))
    assert probes.meaning(j).verdict == ("yes" if q <= 0.05 else "no" if number(as_well) else "open")
    assert (int(number(looks)) if looks else 1) == len(p)
    assert enough is None or number(enough) == 20 * len(p) - 1


@probing.of("nothing numbers")
def _no_new_numbers(known):
    probes, j = known
    assert not probes.held_labelled[j]


@probing.of("outcome", "outcome separated", "outcome numbers")
def _other_outcome(known, n, wrong=None, gradient=None):
    probes, j = known
    assert number(n) == probes.labelled[j]
    assert wrong is None or number(wrong) == probes.wrong[j]
    assert gradient is None or is_shown(gradient, probes.gradient[j])


class _Judged:
    """Probes, and the rows that were held out from them."""

    def __init__(self, probes, X, y, groups=None):
        self.probes, self.held_out, self.groups = probes, (X, y), groups

    def __getattr__(self, name):
        return getattr(self.probes, name)


def test_probes_say_what_their_numbers_say(tables):
    rng = np.random.default_rng(0)
    for i in range(max(12, len(tables) // 25)):
        n, p = int(rng.integers(8, 60)), int(rng.integers(1, 30))
        X = rng.integers(-3, 4, (n, p)).astype(float) if i % 2 else rng.standard_normal((n, p))
        told = X[:, 0] > 0 if i % 3 else rng.random(n) < 0.5
        Y = np.column_stack(
            [told, rng.random(n) < 0.5, rng.random(n) < 0.1, np.arange(n) == 0]
        )  # the last may be held out
        for controls, held in product((0, 3), (None, np.arange(n) % 4 == i % 4)):
            probes = rb.probes.fit(X, Y, method="perceptron", passes=20, controls=controls, test=held, random_state=i)
            judged = _Judged(probes, *((X, Y) if held is None else (X[held], Y[held])))
            for j in range(len(probes)):
                probing.read(probes.meaning(j).sentence, (judged, j))
                _outcome_of_probe(probes, j, X, Y[:, j], i)
        _other_methods(X, Y[:, :2], i)
    X = rng.standard_normal((300, 4))
    loud = (X[:, 0] > 0) ^ (rng.random(300) < 0.1)
    learned = rb.probes.fit(X, loud, controls=19, random_state=0)
    probing.read(learned.says(0), (learned, 0))
    groups, held = np.arange(300) // 100, np.arange(300) < 100
    one_group = rb.probes.fit(X, loud, groups=groups, test=held, random_state=0)
    probing.read(one_group.says(0), (_Judged(one_group, X[held], loud[held], groups[held]), 0))
    groups, few = np.arange(300) // 20, np.arange(300) < 40
    for target, how in ((loud, {}), (X[:, 0], {"regress": True})):
        two_groups = rb.probes.fit(X, target, groups=groups, test=few, random_state=0, **how)
        probing.read(two_groups.says(0), (_Judged(two_groups, X[few], target[few], groups[few]), 0))
    mixed = rb.probes.fit(X, loud, groups=groups, test=0.5, random_state=0)
    assert "drawn" in mixed.says(0)
    equal = rb.probes.fit(X, np.where(held, 1.0, X[:, 0]), regress=True, test=held, random_state=0)
    probing.read(equal.says(0), (_Judged(equal, X[held], np.ones(100)), 0))
    probing.finish(rare={"numbers not read": "tests/null has one"})
    assert not outcomes.wrong, outcomes.wrong[:5]


def _other_methods(X, Y, i):
    held = np.arange(len(X)) % 3 == 0
    for method in ("logistic", "mean-difference"):
        probes = _Judged(rb.probes.fit(X, Y, method=method, test=held, random_state=i), X[held], Y[held])
        for j in range(len(probes.names)):
            probing.read(probes.says(j), (probes, j))
            probing.read(probes.outcome[j].sentence, (probes, j))
    for target, test in ((X[:, 0] + X[:, -1] ** 2, held), (np.arange(len(X)) * 7 % 11, held), (X[:, 0], None)):
        if np.ptp(target[held]) == 0 or np.ptp(target[~held]) == 0:
            continue
        probes = _Judged(rb.probes.fit(X, target, regress=True, test=test, random_state=i), X[held], target[held])
        probing.read(probes.says(0), (probes, 0))
        probing.read(probes.outcome[0].sentence, (probes, 0))


def _outcome_of_probe(probes, j, X, labels, i):
    """Without rows held out, the rows learned from are all rows: the sentence is checked on them."""
    if probes.held_labelled[j]:
        return
    y = np.where(labels, 1, -1)
    made = Table(f"probe {i}", X, labels.astype(int))
    s = oracles.responses(X, probes.weights[:, j])
    right = [a * b for a, b in zip(y, s, strict=True)]
    sentence = probes.outcome[j].sentence
    if probes.outcome[j] == "SEPARATED":
        assert all(v > 0 for v in right), (made, sentence)
    else:
        found = re.match(r"([\d,]+) of ([\d,]+) examples are still not on their side", sentence)
        assert found, sentence
        assert number(found[2]) == len(X)


# --------------------------------------------------------------------------------------------------------- the filters


@filters.of("step")
def _step(known, eta, bound, name):
    u, taps, used = known
    assert is_shown(eta, used)
    # the largest stable step from its definition: η at which Σ ηλ/(2 − 2ηλ) = 1 over the eigenvalues of the correlation
    lags = [np.dot(u[: len(u) - k], u[k:]) / len(u) for k in range(taps)]
    eigenvalues = np.linalg.eigvalsh(scipy.linalg.toeplitz(lags))
    low, high = 0.0, 1.0 / eigenvalues.max()
    for _ in range(200):
        middle = (low + high) / 2
        gain = np.sum(middle * eigenvalues / (2 - 2 * middle * eigenvalues))
        low, high = (middle, high) if gain < 1 else (low, middle)
    assert is_shown(bound, low), low
    assert used > low


@filters.of("growth")
def _growth(known, eta, where, safe):
    u, taps, used = known
    assert is_shown(eta, used)
    assert where == "this signal"
    rows = rb.filters.delay_line(u, taps)

    def grows(step):
        for seed in range(3):
            w = np.random.default_rng(seed).normal(size=taps)
            long, least, rise = 0.0, 0.0, 0.0
            for i, x in enumerate(rows):
                w = w - step * x * (x @ w)
                if i % 64 == 63 or i == len(rows) - 1:
                    long += np.log(np.linalg.norm(w))
                    w = w / np.linalg.norm(w)
                    least, rise = min(least, long), max(rise, long - least)
            if long > 0 or rise > np.log(10):
                return True
        return False

    assert grows(used)
    assert not grows(0.99 * float(safe))  # it is rounded


def test_a_filter_says_what_grows_on_a_signal():
    rng, told = np.random.default_rng(2), 0
    for taps, part in product((4, 8), (0.3, 0.5, 0.7)):
        u = rng.standard_normal(6000) * (rng.random(6000) < 0.05)
        d = np.convolve(u, rng.standard_normal(taps))[:6000]
        eta = part * rb.filters.max_step(u, taps)
        with warnings.catch_warnings(record=True) as warned, np.errstate(over="ignore"):
            warnings.simplefilter("always")
            with suppress(OverflowError):
                rb.filters.LMS(taps, eta).run(u, d)
        for one in warned:
            filters.read(str(one.message), (u, taps, eta))
            told += 1
    assert told > 2


def test_a_filter_warns_where_theory_says():
    rng = np.random.default_rng(1)
    for unit, taps, part in product((1e-6, 1.0, 1e6), (2, 5), (0.5, 0.99, 1.01, 1.5)):
        u = unit * np.convolve(rng.standard_normal(500), [1.0, 0.7], "same")
        d = u + 0.1 * unit * rng.standard_normal(500)
        eta = part * rb.filters.max_step(u, taps)
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            with suppress(OverflowError):
                rb.filters.LMS(taps, eta).run(u, d)
        said = [str(one.message) for one in warned]
        assert any("is above" in one for one in said) == (part > 1), (unit, taps, part, said)
        for one in said:
            filters.read(one, (u, taps, eta))
    filters.finish(rare={})


def test_units_make_no_difference_to_a_filter():
    """The same data in V, mV and µV: the same error, in their unit."""
    rng = np.random.default_rng(2)
    u = rng.standard_normal(400)
    d = np.convolve(u, [0.5, -0.3, 0.1])[:400] + 0.01 * rng.standard_normal(400)
    for make in (
        lambda: rb.filters.NLMS(4, 0.5),
        lambda: rb.filters.AffineProjection(4, 0.5),
        lambda: rb.filters.RLS(4),
    ):
        plain = make().run(u, d).e
        for unit in (1e-8, 1e-3, 1e6):
            assert np.allclose(make().run(unit * u, unit * d).e / unit, plain, rtol=1e-6, atol=1e-9)
