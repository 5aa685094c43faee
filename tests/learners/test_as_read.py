"""Learners see float64: what they prove is proved of the numbers as they are read, or said of the rounded numbers."""

import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt.data.numbers.exact import ExactValues, exact_rows
from rosenblatt.data.numbers.gate import rows_of
from tests.claims import oracles
from tests.cli.conftest import Cli, cli, folder  # noqa: F401 (fixtures)

ROUNDED = "of the rounded numbers: "
LEARNERS = {
    "perceptron": rb.Perceptron(max_passes=50),
    "tie": rb.Perceptron(max_passes=50, tie="positive"),
    "averaged": rb.Perceptron(max_passes=20, average=True),
    "logistic": rb.Logistic(),
    "kesler": rb.Perceptron(max_passes=50, multiclass="kesler"),
}


def fitted(model, X, y, written=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model._fit(np.asarray(X, dtype=float), np.asarray(y), None, written=written)


@given(
    st.lists(st.lists(st.integers(-(10**18), 10**18), min_size=2, max_size=2), min_size=1, max_size=6),
    st.lists(st.integers(-50, 50), min_size=3, max_size=3),
    st.integers(0, 3),
)
def test_exact_signs_and_sums_are_those_of_fractions(X, w, scale):
    """Of numbers that floats do not hold, beside decimals."""
    decimals = [[Fraction(a), Fraction(b % 1000, 10**scale)] for a, b in X]
    given = np.array([[a, float(b)] for a, b in decimals], dtype=object)
    rows = exact_rows(rows_of(given))
    found = ExactValues(rows, bias=True)
    some = np.arange(len(X))
    responses = [a * w[0] + b * w[1] + w[2] for a, b in decimals]
    assert found.signs(w, some).tolist() == [(r > 0) - (r < 0) for r in responses]
    factors = [i - 2 for i in range(len(X))]
    sums = [sum(f * z for f, z in zip(factors, column, strict=True)) for column in zip(*decimals, strict=True)]
    assert found.vanishes(factors, some) == (not any([*sums, sum(factors)]))
    twice = np.concatenate([some, some])
    assert found.vanishes([*factors, *(-f for f in factors)], twice)


@pytest.mark.parametrize("name", LEARNERS)
@given(seed=st.integers(0, 10**6))
def test_what_is_said_without_these_words_is_true_of_decimals(name, seed):
    rng = np.random.default_rng(seed)
    n, places = int(rng.integers(4, 8)), int(rng.integers(1, 4))
    whole = rng.integers(-3, 4, size=(n, 2)) * int(rng.choice([1, 3, 7]))
    y = np.append([0, 1], rng.integers(0, 2, n - 2))
    X = whole / 10**places
    outcome = fitted(LEARNERS[name], X, y).outcome_
    kind = oracles.separability(oracles.signed(whole, 2 * y - 1))[0]  # another unit changes no verdict
    if outcome.sentence.startswith(ROUNDED):
        return
    assert outcome != "SEPARATED" or kind == "complete"
    assert outcome != "CYCLING" or kind != "complete"
    assert outcome != "RECEDING" or kind != "overlap"
    assert outcome != "TIED" or outcome.hyperplane is None or kind == "complete"


@pytest.mark.parametrize("name", LEARNERS)
@given(far=st.integers(2**54, 10**18), pair=st.booleans())
def test_numbers_that_are_one_float(name, far, pair):
    """As floats the classes are the same points: a learner may say so of the rounded numbers alone."""
    far -= far % 4096
    given = [[far], [far + 1]] * (2 if pair else 1)
    labels = [0, 1] * (2 if pair else 1)
    outcome = fitted(LEARNERS[name], [[float(a)] for (a,) in given], labels, rows_of(given)).outcome_
    assert outcome in ("BUDGET", "TIED") or outcome.sentence.startswith(ROUNDED)
    assert rb.separability(given, labels).kind == "complete"


def test_long_numbers_that_floats_tell_apart_are_proved_again():
    given = [[-9007199254740993], [9007199254740993], [-27021597764222979], [27021597764222977]]
    model = fitted(rb.Perceptron(max_passes=10_000), [[float(a)] for (a,) in given], [0, 1, 0, 1], rows_of(given))
    assert model.outcome_ == "SEPARATED"
    assert not model.outcome_.sentence.startswith(ROUNDED)


def test_single_precision_is_proved_of_what_it_is_read_as():
    X = np.float32([[0.1], [0.2], [0.3], [0.4]])
    assert rb.Perceptron().fit(X, [0, 0, 1, 1]).outcome_.sentence.startswith("all 4 examples are on their side")


@pytest.mark.parametrize("options", [[], ["--scale"], ["--learner", "logistic"], ["--learner", "pocket"]])
def test_a_fit_of_a_table_knows_its_numbers_as_they_were_written(options, cli: Cli, folder: Path):  # noqa: F811
    Path("big.csv").write_text("a,y\n" + "9007199254740992,0\n9007199254740993,1\n" * 2)
    done = cli("fit", "big.csv", "--target", "y", *options, "-o", "m")
    words = " ".join(done.out.split())
    assert "no hyperplane separates" not in words.replace("of the rounded numbers: no hyperplane separates", "")
    assert ROUNDED in words or "BUDGET" in words, words
    check = cli("check", "big.csv", "--target", "y")
    assert "Completely separable" in check.out
    assert "numbers read a: 16 digits, read exactly" in " ".join(check.out.split())
