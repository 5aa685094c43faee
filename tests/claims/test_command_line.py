"""What the program prints, run in this process: `check`, `fit`, `compare`, `count`, `gate`; as text and as JSON."""

import csv
import io
import json
import re
from contextlib import redirect_stdout
from itertools import product
from math import log10
from pathlib import Path

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.cli.app import main
from tests.claims import oracles
from tests.claims.book import Reader, flat
from tests.claims.shown import is_shown, number
from tests.claims.tables import calculated, prices, table
from tests.claims.test_verdicts import (
    Known,
    chance,
    is_bound,
    read_margin,
    read_narrow,
    read_numbers,
    read_readings,
    read_rounding,
    read_street,
    read_worth,
    reasons_by,
)

check, compare, counted, gates = Reader("check"), Reader("compare"), Reader("count"), Reader("gate")
CLASSES = "no", "yes"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder of its own, and lines as long as they like to be."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("rosenblatt.cli.output._WIDTH", 100_000)
    monkeypatch.setattr("rosenblatt.verdicts.trial._MOST", 1000)  # passes on data that a perceptron needs very many for


def run(*arguments):
    """What it prints; whatever it was asked, it does it."""
    with redirect_stdout(io.StringIO()) as said:
        code = main([str(one) for one in arguments])
    assert code == 0, (arguments, code)
    return said.getvalue()


def write(made, path):
    """The table as a file, its numbers with all their digits; and the options that name its columns."""
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        weighted = made.weights is not None
        out.writerow([*(f"x{j}" for j in range(made.X.shape[1])), *["w"] * weighted, "y"])
        for i, x in enumerate(made.X):
            out.writerow([*map(repr, x.tolist()), *[made.all_weights[i]] * weighted, CLASSES[made.labels[i]]])
    options = ["--target", "y", *(["--weights", "w"] if weighted else [])]
    return options if made.intercept else [*options, "--no-intercept"]


def blocks(text):
    """What stands between empty lines."""
    return [block.split("\n") for block in re.split(r"\n\s*\n", text.strip("\n"))]


# --------------------------------------------------------------------------------------------------------------- check


def _rows(known, text):
    """Row numbers of the file, from 1, as rows of the table."""
    listed = re.fullmatch(r"rows? ([\d, ]+?)(?:, … ([\d,]+) in all)?", text)
    assert listed, text
    numbers = [int(one) - 1 for one in re.split(r", ", listed[1])]
    assert set(numbers) <= set(known.table.present.tolist())
    return numbers, int(number(listed[2])) if listed[2] else len(numbers)


check.of("complete narrow")(read_narrow)


@check.of("complete")
def _complete(known, negative, positive):
    assert known.kind == "complete"
    assert (negative, positive) == CLASSES


@check.of("quasi")
def _quasi(known, plane, n):
    assert known.kind == "quasi"
    assert (int(plane), int(n)) == (len(known.truth[1]), known.n)


@check.of("overlap")
def _overlap(known):
    assert known.kind == "overlap"


for what, reader in reasons_by(lambda known: [f"y = {one}" for one in CLASSES]).items():
    check.of(what)(reader)


@check.of("cut")
def _cut(known, text, passes):
    assert int(passes.replace(",", "")) >= 0


check.of("margin", "margin between")(read_margin)
check.of("street", "street between")(read_street)


@check.of("nearest")
def _nearest(known, rows, hold, what):
    """The widest street of these rows alone is no wider: they hold it. (The margin's, where there is no street.)"""
    numbers, many = _rows(known, rows)
    assert hold == ("it holds" if many == 1 else "they hold")
    places = [known.table.present.tolist().index(i) for i in numbers]
    if many != len(numbers):
        return
    if what == "street":
        alone = oracles.street_sq(known.read[places], known.y[places])
        assert abs(float(alone) ** 0.5 / known.street - 1) < 1e-5
    else:
        assert abs(float(oracles.margin_sq([known.Z[i] for i in places])) ** 0.5 / known.margin - 1) < 1e-5


@check.of("off the plane")
def _off(known, rows, these, their):
    numbers, many = _rows(known, rows)
    strict = [i for k, i in enumerate(known.table.present.tolist()) if k not in known.truth[1]]
    assert many == len(strict)
    assert numbers == strict[:8]


@check.of("witness")
def _witness(known, text):
    """Rows of both classes, and a mixture of one is a mixture of the other: the two hulls of these rows meet."""
    sides = re.findall(r"(rows? [\d, …a-z]+?) \(class (\w+)\)", text)
    assert len(sides) == 2, "mixtures of two classes coincide"
    chosen = []
    for rows, name in sides:
        numbers, many = _rows(known, rows)
        assert all(CLASSES[known.table.labels[i]] == name for i in numbers)
        if many > len(numbers):
            return
        chosen += numbers
    places = [known.table.present.tolist().index(i) for i in chosen]
    kind, plane = oracles.separability([known.Z[i] for i in places])
    assert kind == "overlap"
    assert len(plane) == len(places)


@check.of("cancel")
def _cancel(known, text):
    """Without an intercept: positive multiples of these rows add up to zero."""
    numbers, many = _rows(known, text)
    assert not known.table.intercept
    if many == len(numbers):
        places = [known.table.present.tolist().index(i) for i in numbers]
        assert oracles.separability([known.Z[i] for i in places])[0] == "overlap"


@check.of("stops")
def _stops(known, bound, corrections=None, passes=None, rest=None):
    assert known.kind == "complete"
    is_bound(known, bound)
    assert corrections is None or number(corrections) <= known.bound


@check.of("never stops")
def _never(known, passes=None, mistakes=None, wrong=None, n=None):
    assert known.kind != "complete"
    if wrong is not None:
        assert int(n) == known.n
        assert int(wrong) >= 1, "then it would have separated"
        assert int(wrong) <= max(np.sum(known.y > 0), np.sum(known.y < 0)), "worse than one answer for all"
        assert int(mistakes) >= 1


check.of("numbers")(read_numbers)
check.of("numbers read")(read_readings)
check.of("rounding")(read_rounding)


@check.of("worth")
def _worth(known, text):
    read_worth(known, text)


@check.of("no estimate")
def _no_estimate(known, penalise):
    assert known.kind != "overlap"


@check.of("estimate", "only one", "not only one")
def _estimate(known, named=None, unique=None):
    assert known.kind == "overlap"


@check.of("coefficient")
def _coefficient(known, name, goes, because=None):
    kind = {"+∞": "+inf", "−∞": "-inf", "wherever the optimiser stops": "undetermined", "anything": "not identified"}
    names = [f"x{j}" for j in range(known.table.X.shape[1])] + ["(1)"] * known.table.intercept
    assert oracles.coefficient(known.Z, names.index(name)) == kind[goes]
    every = re.fullmatch(r"every (\w+) = (\S+) row has y = (\w+) \((.*)\)", because or "")
    if every:
        x = known.X[:, names.index(every[1])]
        chosen = np.flatnonzero(x == min(x, key=lambda value: abs(value - number(every[2]))))
        assert {CLASSES[int(known.y[i] > 0)] for i in chosen} == {every[3]}
        assert _rows(known, every[4])[1] == len(chosen)


@check.of("finite")
def _finite(known, names):
    every = [f"x{j}" for j in range(known.table.X.shape[1])] + ["(1)"] * known.table.intercept
    true = [name for j, name in enumerate(every) if oracles.coefficient(known.Z, j) == "finite"]
    assert names.split(", ") == true


@check.of("merge", "penalise", "drop")
def _what_to_do(known, names=None):
    every = [f"x{j}" for j in range(known.table.X.shape[1])]
    assert names is None or set(names.split(", ")) <= set(every)


@check.of("another form")
def _another_form(known, names):
    """All of a column's values in one class are below all those in the other; without an intercept, 0 is between."""
    for name in names.split(", "):
        x = known.X[:, int(name.removeprefix("x"))]
        low, high = sorted((x[known.y > 0], x[known.y <= 0]), key=max)
        assert max(low) < min(high)
        assert known.table.intercept or max(low) < 0 < min(high)


@check.of("drop one")
def _drop_one(known, names):
    """Without this column the rank is the same."""
    column = int(names.removeprefix("x"))
    others = [[value for j, value in enumerate(z) if j != column] for z in known.Z]
    assert len(oracles.pivots(others)) == len(oracles.pivots(known.Z))


def unique(known):
    """Whether no column can be computed from others."""
    return len(oracles.pivots(known.Z)) == known.d


def _read_check(known, text, asked):
    headline, answer, facts, *more = blocks(text)
    n, p = known.n, known.table.X.shape[1]
    assert re.search(rf"· {n} rows? × {p} columns? ·", headline[0]), headline
    sentence = flat(" ".join(answer))
    assert sentence.endswith(" proved")
    check.read(sentence.removesuffix(" proved"), known)
    for line in facts:
        name, fact = re.fullmatch(r"  (\S.*?)  +(\S.*)", line).groups()
        said = check.read(f"{name}: {fact}", known)
        if said in ("only one", "not only one"):
            check.check(lambda said=said: _is(unique(known) == (said == "only one")), fact, known)
    for block in more[:-1]:
        for line in block:
            if line.startswith("  coefficient "):
                continue
            cells = re.split(r"  +", line.strip())
            check.read(" → ".join(cells), known)


def _is(true):
    assert true


def test_check_tells_the_truth(tables):
    others = [(i, family) for family in (prices, calculated) for i in tables[::20]]
    for i, family in [*((i, table) for i in tables[::5]), *others]:
        known = Known(family(i))
        if not known.table.two_classes:
            continue
        options = write(known.table, "t.csv")
        asked = ["--coefficients"] if i % 2 == 0 else []
        _read_check(known, run("check", "t.csv", *options, *asked), bool(asked))
        answer = json.loads(run("check", "t.csv", *options, *asked, "--json"))
        assert answer["verdict"] == known.kind, known
        assert answer["proved"] is True
        assert answer["maximum_likelihood_exists"] is (known.kind == "overlap")
        if known.kind == "complete":
            assert answer["margin"]["lower"] <= known.margin * (1 + 1e-12), known
            assert answer["margin"]["upper"] >= known.margin * (1 - 1e-12), known
            assert answer["mistake_bound"] >= known.bound, known
        if known.kind == "quasi":
            plane = [int(known.table.present[k]) + 1 for k in sorted(known.truth[1])]
            assert answer["rows"]["plane"] == plane, known
    large = dict.fromkeys(("cut", "penalise"), "larger data")  # of few columns mostly one alone separates
    check.finish(rare=RARE | {"estimate": "a proof with λ on every row: of large data"} | large)


RARE = dict.fromkeys(("street between", "margin between"), "a gap too thin for exact arithmetic")


# ----------------------------------------------------------------------------------------------------------------- fit


def test_fit_says_what_its_model_does(tables):
    """The sentence is the outcome's, which has its own tests; here: the numbers beside it, and that it is the same."""
    import rosenblatt as rb

    learners = ("perceptron", "averaged", "pocket", "passive-aggressive", "adaline", "logistic", "least-squares")
    for i in tables[::10]:
        made = table(i)
        if not made.two_classes:
            continue
        options = write(made, "t.csv")
        learner = learners[i // 10 % len(learners)]
        answer = json.loads(
            run("fit", "t.csv", *options, "-o", "m", "--force", "--learner", learner, "--passes", 100, "--json")
        )
        model = rb.load("m")
        assert answer["sentence"] == model.outcome_.sentence
        assert answer["outcome"] == str(model.outcome_)
        said = np.where(model.predict(made.X[made.present]) == model.classes_[1], 1, 0)
        wrong = int(np.sum(said != made.labels[made.present]))
        assert answer["training"]["wrong"] == wrong, (learner, made)
        if found := re.match(r"(\d+) of (\d+) examples are (?:still )?classified wrongly", answer["sentence"]):
            assert int(found[1]) == wrong, (learner, made, answer["sentence"])


# ------------------------------------------------------------------------------------------------------------- compare


@compare.of("some")
def _some_separate(known, separating, learners, margin, best):
    assert known.kind == "complete"
    truth = known.margin
    assert number(margin) <= truth * 1.006, "no learner has more than the theorem's margin"


@compare.of("cycle")
def _compare_cycle(known, errors, n, best):
    assert known.kind != "complete"
    assert int(n) == len(known.table.X)


@compare.of("none")
def _none_separates(known, errors, n, best, limit):
    assert limit == "--passes"
    assert int(n) == len(known.table.X)
    assert int(errors) >= 1


def test_compare_says_who_separates(tables):
    for i in tables[::30]:
        known = Known(table(i), binary=True)  # as learners have them
        if not known.table.two_classes or known.table.weights is not None:
            continue
        text = run("compare", "t.csv", *write(known.table, "t.csv"), "--passes", 50)
        compare.read(" ".join(blocks(text)[1]), known)
        answer = json.loads(run("compare", "t.csv", *write(known.table, "t.csv"), "--passes", 50, "--json"))
        library = rb.compare(known.X, known.y, fit_intercept=known.table.intercept, max_passes=50)
        for row, same in zip(answer["learners"], library.rows, strict=True):
            weights = same.weights.tolist()
            assert row["weights"] == (None if row["outcome"] in ("BUDGET", "CYCLING", "RECEDING") else weights)
            s = oracles.responses(known.X, weights, known.table.intercept)
            right = [y * v for y, v in zip(known.y, s, strict=True)]
            if row["outcome"] == "SEPARATED":
                assert all(v > 0 for v in right), (known, row)
                assert row["errors"] == 0
            assert row["errors"] <= sum(v <= 1e-9 * max(map(abs, right)) for v in right), (known, row)
            assert row["errors"] >= sum(v < -1e-9 * max(map(abs, right)) for v in right), (known, row)
    compare.finish(rare={"none": "within 50 passes somebody separates or cycles on most tables"})


# --------------------------------------------------------------------------------------------------------------- count


@counted.of("at most")
def _at_most(known, P, realised, N):
    assert (int(P), int(N)) == known
    assert int(realised.replace(",", "")) == oracles.count(*known)


@counted.of("few", "capacity", "below", "above")
def _regime(known, ratio=None, share=None, bound=None):
    P, N = known
    part = oracles.count(P, N) / 2**P
    assert (ratio is None) or is_shown(ratio, P / N)
    if share is not None:
        assert share == "practically all" or is_shown(
            share.removeprefix("all but ").removesuffix(" % of"), 100 * (1 - part)
        )
        assert P < 2 * N
    elif bound is not None:
        assert log10(part) - 1e-9 <= chance(bound) <= log10(part) + (1 if "10^" in bound else 0.05)
    else:
        assert part == (1 if P <= N else 0.5)


@counted.of("of these")
def _of_these(known, found, P):
    X, intercept = known
    assert int(P) == len(X)
    assert int(found.replace(",", "")) == len(oracles.separable_labelings(X, intercept))


@counted.of("general")
def _general(known, text, flat=None):
    assert oracles.general_position(*known)


@counted.of("not general")
def _not_general(known, points, where):
    X, intercept = known
    chosen = [int(one) for one in re.findall(r"\d+", points)]
    assert oracles._cancelling(oracles.signed(X[chosen], [1] * len(chosen), intercept)) is not None


@counted.of("could be")
def _could(known, realised):
    X, intercept = known
    assert int(realised.replace(",", "")) == oracles.count(len(X), X.shape[1] + intercept)


def test_count_counts(tables):
    for P, N in product((1, 2, 3, 5, 8, 13, 22, 60), (1, 2, 3, 4, 11)):
        for line in run("count", P, N).splitlines():
            counted.read(line, (P, N))
    for i in tables[::40]:
        made = table(i)
        X = np.unique(made.X, axis=0)[:6]
        rows = [",".join(f"x{j}" for j in range(X.shape[1])), *(",".join(map(repr, x)) for x in X.tolist())]
        Path("points.csv").write_text("\n".join(rows) + "\n")
        lines = run("count", "--points", "points.csv", *([] if made.intercept else ["--no-intercept"])).splitlines()
        for line in lines[1:]:
            if line.strip():
                counted.read(line, (X, made.intercept))
    counted.finish(rare={})


# ---------------------------------------------------------------------------------------------------------------- gate


@gates.of("one gate")
def _one_gate(known, least):
    values, gate = known
    assert gate is not None
    weights, threshold = gate["weights"], gate["threshold"]
    n = len(weights)
    for x, v in zip(product((0, 1), repeat=n), values, strict=True):
        assert (sum(a * b for a, b in zip(weights, x, strict=True)) >= threshold) == bool(v)
    smaller = sum(map(abs, weights)) - 1
    if n <= 3:
        for w in product(range(-smaller, smaller + 1), repeat=n):
            if sum(map(abs, w)) <= smaller:
                s = [sum(a * b for a, b in zip(w, x, strict=True)) for x in product((0, 1), repeat=n)]
                lowest = min((v for v, t in zip(s, values, strict=True) if t), default=np.inf)
                highest = max((v for v, t in zip(s, values, strict=True) if not t), default=-np.inf)
                assert not highest < lowest, f"{w} is smaller"


@gates.of("layers", "layers open")
def _layers(known, hidden, at_least=None):
    values, gate = known
    n = len(values).bit_length() - 1
    X = np.array(list(product((0, 1), repeat=n)))
    assert gate is None
    assert oracles.separability(oracles.signed(X, 2 * np.array(values) - 1))[0] != "complete"


def test_gates_are_what_they_are_said_to_be(tables):
    for n, step in ((2, 1), (3, 7)):
        for code in range(0, 2 ** (2**n), step):
            values = [code >> k & 1 for k in range(2**n)]
            answer = json.loads(run("gate", "".join(map(str, values)), "--json"))
            gate = answer["layers"][0][0] if answer["threshold_function"] else None
            gates.read(answer["sentence"], (values, gate))
    gates.finish(rare={"layers open": "up to four variables everything is settled"})
