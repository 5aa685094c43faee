"""The parts between a model's rows and its proof: differences that no float holds, equalities that span."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

import rosenblatt as rb
from rosenblatt.regressions.machinery.rows import ModelRows, Values, differences
from rosenblatt.verdicts.certificates import Claim
from rosenblatt.verdicts.existence.certifying import hold
from rosenblatt.verdicts.existence.proving import Sides, prove_model
from rosenblatt.verdicts.fates import settle
from tests.existence import oracle

FAR = 2.0**-60


def with_low_parts(seed: int, sparse: bool) -> tuple[ModelRows, list[list[Fraction]], list[list[Fraction]]]:
    """Differences x_i − x_j of values so far apart that their differences are no floats, some of them equalities."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, size=(6, 3)) + rng.integers(-2, 3, size=(6, 3)) * FAR * rng.integers(0, 2)
    left, right = rng.integers(0, 6, size=(2, 7))
    D, low = differences(Values(sp.csr_array(X) if sparse else X, (1, 1, 1)), left, right)
    equal = rng.random(7) < 0.2
    against = np.full(7, -1)
    rows = ModelRows(D, equal, np.arange(7), against, ("a", "b", "c"), (1, 10, 1), low)
    exact = [
        [Fraction(a) - Fraction(b) for a, b in zip(X[i], X[j], strict=True)] for i, j in zip(left, right, strict=True)
    ]
    return (
        rows,
        [z for z, e in zip(exact, equal, strict=True) if not e],
        [z for z, e in zip(exact, equal, strict=True) if e],
    )


@pytest.mark.parametrize("sparse", [False, True])
def test_low_parts_are_part_of_the_value(sparse: bool) -> None:
    many = 0
    for seed in range(60):
        rows, z, e = with_low_parts(seed, sparse)
        many += bool(rows.low)
        sides = Sides(rows)
        proof = prove_model(sides)
        signs = sides.all.signs(proof.w or [0] * 3)
        strict, plane = np.flatnonzero(signs), np.flatnonzero(signs == 0)
        kind, expected = oracle.verdict(z, e, 3)
        assert (proof.kind, {int(np.searchsorted(sides.at, i)) for i in strict}) == (kind, expected), seed
        fates = settle(sides.all, proof, strict, plane, ["a", "b", "c"])
        claim = Claim(kind, w=proof.w or None, mixture=proof.mixture, base=proof.base or None, free=proof.free)
        assert hold(replace(claim, fates=fates), sides)[1] == oracle.fates(z, e, 3), seed
    assert many > 20


def test_names_of_rows_lead_back() -> None:
    rows = ModelRows(np.eye(3), np.zeros(3, bool), np.array([0, 0, 7]), np.array([2, 0, 1]), ("a", "b", "c"), (1, 1, 1))
    assert list(map(rows.key, range(3))) == ["0:2", "0:0", "7:1"]
    assert [rows.place_of(name) for name in ["0:0", "7:1", "0:2"]] == [1, 2, 0]
    for wrong in ["0", "7", "0:1", "07:1", "7:1 ", "-1:0", "7:10", "9" * 30, "1:1:1", ""]:
        assert rows.place_of(wrong) is None


def test_coefficients_are_told_beside_columns_that_are_nearly_computed_from_others() -> None:
    """Floats choose rows that do not span what the plane's rows do; then they are chosen in exact arithmetic."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n, p = int(rng.integers(20, 150)), int(rng.integers(2, 4))
        X = rng.normal(size=(n, p)).round(2) * 10.0 ** rng.integers(-3, 4, p)
        sums, pure = X @ rng.integers(-3, 4, size=(p, 2)), np.arange(n) < int(rng.integers(1, 6))
        sums[pure] += rng.normal(size=sums[pure].shape)
        Z, y = np.column_stack([X, sums, pure]), np.where(pure, 0, rng.integers(0, 3, n))
        verdict = rb.existence(Z, y, "multinomial", coefficients=True)
        assert verdict.reason == "", seed
        assert verdict.certificate.verify(Z, y).startswith(verdict.kind)
