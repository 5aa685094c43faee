"""What is said of models that were judged by rows they did not learn from, against counting."""

from math import sqrt

import numpy as np
from scipy.stats import binomtest

import rosenblatt as rb
from rosenblatt.plot import CalibrationDisplay
from tests.claims.book import Reader, flat
from tests.claims.shown import is_shown
from tests.claims.test_command_line import run

chosen, calibration = Reader("choice"), Reader("calibration")


def accuracies(choice):
    """Of each candidate, by counting its answers."""
    return {
        name: sum(a == b for a, b in zip(one.answers.said, one.answers.classes, strict=True)) / one.rows
        for name, one in choice.results.items()
    }


@chosen.of("best")
def _best(choice, name, measure):
    assert measure == "accuracy"
    assert accuracies(choice)[name] == max(accuracies(choice).values())


@chosen.of("simplest")
def _simplest(choice, name, error, best):
    found = accuracies(choice)
    top, n = found[best], choice.results[best].rows
    spread = sqrt(top * (1 - top) / (n - 1))  # of n answers that are right or wrong
    assert top == max(found.values())
    assert is_shown(error, spread)
    before = list(found)[: list(found).index(name)]
    assert found[name] >= top - spread * (1 + 1e-9)
    assert all(found[other] < top - spread * (1 - 1e-9) for other in before)


@chosen.of("flatters")
def _flatters(choice):
    assert choice is None


@chosen.of("best of several")
def _best_of_several(choice):
    assert choice.honest is None


@chosen.of("nested")
def _nested(choice, measure, value, low, high):
    answers = choice.honest.answers
    right = [a == b for a, b in zip(answers.said, answers.classes, strict=True)]
    assert measure == "accuracy"
    assert is_shown(value, sum(right) / len(right))
    assert float(low) < float(value) < float(high)


@chosen.of("runs away")
def _runs_away(found, most):
    assert is_shown(most, max(found.answers.losses))
    assert float(most) > 10


@chosen.of("labels of groups")
def _labels_of_groups(found):
    groups, y = found
    assert all(len(set(y[groups == one])) == 1 for one in groups)


def test_labels_of_whole_groups_are_said_to_hold_less():
    random, groups = np.random.default_rng(4), np.repeat(np.arange(20), 3)
    for y in (groups % 2, np.where(np.arange(60) == 0, 1, groups % 2), np.arange(60) % 2):
        found = rb.cross_validate(rb.LeastSquares(), random.normal(size=(60, 3)), y, groups=groups)
        said = chosen.read_all(found.remark, (groups, y)) if found.remark else []
        assert ("labels of groups" in said) == all(len(set(y[groups == one])) == 1 for one in groups)


@chosen.of("few of a class")
def _few_of_a_class(known, fewest, what):
    groups, y = known
    assert what == ("rows" if groups is None else "groups")
    each = np.arange(len(y)) if groups is None else groups
    assert int(fewest) == min(len(set(each[y == one])) for one in set(y)) <= 12


def test_few_rows_of_a_class_are_said():
    for few in (6, 12, 13):
        y = (np.arange(80) < few).astype(int)
        found = rb.cross_validate(rb.LeastSquares(), np.random.default_rng(few).normal(size=(80, 3)), y)
        assert bool(found.remark) == (few <= 12)
        if found.remark:
            chosen.read(found.remark, (None, y))


def test_a_model_that_is_sure_and_wrong_is_said():
    for seed, penalty in enumerate((0.0, 1.0, 0.0)):
        random = np.random.default_rng(seed)
        X, y = random.normal(size=(60, 20)), random.random(60) < 0.5
        X[:, 0] += y
        found = rb.cross_validate(rb.Logistic(regularizer=penalty), X, y)
        assert bool(found.remark) == (penalty == 0)
        if found.remark:
            chosen.read(found.remark, found)


@chosen.of("copies")
def _copies(found, which, first, second):
    X, side = found
    scale = (X - X.mean(axis=0)) / X.std(axis=0)
    apart = np.linalg.norm(scale[:, None] - scale[None], axis=2)
    other = side[:, None] != side[None]
    equal = ((X[:, None] == X[None]).all(axis=2) & other).any(axis=1)
    near = ((apart <= 1e-3 * np.sqrt(2 * X.shape[1])) & other).any(axis=1) & ~equal
    words = [f"{n} {what}" for n, what in ((equal.sum(), "equal"), (near.sum(), "nearly equal")) if n]
    assert which == " and ".join(words)
    i, j = int(first), int(second)
    assert side[i] != side[j]
    assert apart[i, j] <= 1e-3 * np.sqrt(2 * X.shape[1])


def test_copies_are_what_is_said():
    for seed in range(4):
        random = np.random.default_rng(seed)
        X = random.normal(size=(90, 4))
        X[60:70] = X[20:30] * (1 + 1e-5 * (seed % 2))
        X[70:72] = X[:2]
        y = random.random(90) < 0.5
        found = rb.cross_validate(rb.LeastSquares(), X, y)
        chosen.read(found.copies.sentence, (X, found.answers.folds))


def clouds(seed):
    rng = np.random.default_rng(seed)
    y = np.arange(60) % (2 + seed % 2)
    return rng.normal(size=(60, 3)) + 1.1 * y[:, None] * (seed % 4 > 0), y


def test_the_choice_is_what_is_said(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for seed in range(6):
        choice = rb.choose(*clouds(seed), folds=3)
        chosen.read(choice.sentence, choice)
        chosen.read(choice.remark, choice)
        if seed < 2:
            again = rb.choose(*clouds(seed), folds=3, nested=True)
            chosen.read(again.remark, again)
    X, y = clouds(5)
    np.savetxt("t.csv", np.column_stack([X, y]), delimiter=",", header="a,b,c,y", comments="")
    told = ("fit", "t.csv", "--target", "y", "-o", "m", "--force", "--learner", "auto")
    text = run(*told)
    (line,) = [" ".join(one.split()) for one in text.split("\n\n") if "flatter" in one]
    chosen.read(line, None)
    assert "flatter" not in run(*told, "--validation", "0.2")
    assert f"Chosen by cross-validation: {rb.choose(X, y).sentence}" in flat(text)
    chosen.finish(rare={})


@calibration.of("kept")
def _kept(known, kept, groups):
    y, p = known
    order = np.argsort(p, kind="stable")
    parts = np.array_split(order, int(groups))
    inside = 0
    for rows in parts:
        ends = binomtest(int(y[rows].sum()), len(rows)).proportion_ci(0.95, method="exact")
        inside += ends.low <= p[rows].mean() <= ends.high
    assert int(kept) == inside


def test_probabilities_are_kept_as_often_as_is_said():
    rng = np.random.default_rng(0)
    for n in (5, 15, 40, 200, 700):
        p = rng.random(n)
        y = rng.random(n) < (p if n % 2 else p**3)
        calibration.read(CalibrationDisplay.from_predictions(y, p).sentence, (y, p))
    calibration.finish(rare={})
