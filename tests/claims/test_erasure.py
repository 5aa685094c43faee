"""What `rb.probes.erased` says, against fractions and a loss that is minimised by somebody else."""

from fractions import Fraction

import numpy as np
from scipy.optimize import minimize

import rosenblatt as rb
from tests.claims.book import Reader
from tests.claims.shown import is_shown, number

erasures = Reader("erasure")
DIGITS = {"float64": 53, "float32": 24, "float16": 11}


def _apart(X, y):
    """Difference of the means of each column, in fractions."""
    means = [[sum(map(Fraction, column), Fraction(0)) / len(column) for column in X[y == side].T] for side in (1, 0)]
    return [a - b for a, b in zip(*means, strict=True)]


def _gain(X, y):
    """By how much an affine predictor's logistic loss can be below that of the best constant."""
    Z, s, constant = np.column_stack([X / max(np.abs(X).max(), 1e-300), np.ones(len(X))]), np.where(y, 1, -1), y.mean()
    least = -constant * np.log(constant) - (1 - constant) * np.log(1 - constant)
    return least - minimize(lambda w: np.mean(np.logaddexp(0, -s * (Z @ w))), np.zeros(Z.shape[1])).fun


@erasures.of("equal")
def _equal(known, p, before=None):
    X, y, _ = known
    assert number(p) == X.shape[1]
    assert not any(_apart(X, y))
    assert _gain(X, y) < 1e-7


@erasures.of("equal to rounding", "different")
def _not_equal(known, dtype, column, size, rounding, many=None, p=None, before=None):
    X, y, Z = known
    apart = _apart(X, y)
    digits = DIGITS[dtype]
    each = np.exp2(np.floor(np.log2(np.where(X == 0, 1e-300, np.abs(X)))) - digits)
    least = {"float64": 0.0, "float32": 2.0**-150, "float16": 2.0**-25}[dtype]
    bound = sum(np.maximum(each, least)[y == side].mean(axis=0) for side in (0, 1))
    more = [abs(float(d)) > b for d, b in zip(apart, bound, strict=True)]
    assert is_shown(size, abs(float(apart[int(column)])), slack=1.1)
    assert is_shown(rounding, bound[int(column)], slack=1.1)
    assert any(apart)
    assert any(more) == (many is not None)
    assert many is None or (number(many), number(p)) == (sum(more), X.shape[1])
    assert before is None or is_shown(before, max(abs(float(d)) for d in _apart(Z, y)), slack=1.1)
    if many is not None and max(abs(float(d)) for d in apart) > 0.05:
        assert _gain(X, y) > 0


def test_erasures_say_what_is_so():
    random = np.random.default_rng(0)
    for i in range(20):
        n, dtype = 12 + i, ("float64", "float32", "float16")[i % 3]
        y = np.arange(n) % 3 == 0
        X = random.standard_normal((n, 1 + i % 4))
        half = random.integers(-8, 9, (n, 2)) / 4
        mirrored, twice = np.vstack([half, -half]), np.r_[y, y]
        v = X[y].mean(axis=0) - X[~y].mean(axis=0)
        after = X - np.outer(X @ v, v) / (v @ v)
        for values, labels, given in ((X, y, None), (after, y, X), (mirrored, twice, mirrored)):
            kept = values.astype(dtype)
            found = rb.probes.erased(kept, labels, before=given)
            erasures.read(found.sentence, (kept.astype(float), labels, given))
    erasures.finish(rare={})
