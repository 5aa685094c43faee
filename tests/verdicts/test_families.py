"""Every family of tables, at every size down to one row, ends in a verdict."""

import numpy as np
import pytest
from benchmarks.verdicts.families import FAMILIES

import rosenblatt as rb

SIZES = [(1, 1), (2, 1), (3, 5), (6, 12), (20, 6), (60, 60), (61, 130), (150, 40), (400, 90)]


@pytest.mark.parametrize("name", FAMILIES)
def test_every_size_has_an_answer(name: str) -> None:
    for n, p in SIZES:
        X, y = FAMILIES[name].make(np.random.default_rng(n * p), n, p)
        for bias in (True, False):
            verdict = rb.separability(X, y, bias, margin=False)
            assert verdict.kind != "unknown", f"{n} × {p}: {verdict.reason}"
            assert verdict.certificate.verify(X, y).startswith(verdict.kind), f"{n} × {p}"
