"""Save, load, go on: the output of one long run, bit for bit."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import rosenblatt as rb
from rosenblatt import filters
from tests.filters.test_rules import ONLINE, PAIRS, signals


@pytest.mark.parametrize(("name", "dtype"), PAIRS)
@pytest.mark.parametrize("taps", [0, 5])
def test_goes_on_bit_for_bit(name: str, dtype: Any, taps: int, tmp_path: Path) -> None:
    u, d = signals(np.random.default_rng(0), 90, dtype, taps)
    whole, first = (clone(ONLINE[name]).set_params(taps=5, start=np.ones(5)) for _ in range(2))
    run = whole.run(u, d)
    first.run(u[:41], d[:41])
    rb.save(first, tmp_path / "filter")
    second = rb.load(tmp_path / "filter")
    assert type(second) is type(first)
    assert repr(second) == repr(first)
    assert second.n_samples_ == 41
    assert second.run(u[41:], d[41:]).e.tobytes() == run.e[41:].tobytes()
    assert second.w_.tobytes() == run.w.tobytes()
    assert second.reset().run(u, d).e.tobytes() == run.e.tobytes()


def test_block_solution_goes_on(tmp_path: Path) -> None:
    u, d = signals(np.random.default_rng(1), 90, np.float64)
    first = filters.LeastSquaresFilter(5, regularizer=0.5)
    first.run(u[:41], d[:41])
    rb.save(first, tmp_path / "filter")
    second = rb.load(tmp_path / "filter")
    assert (
        second.run(u[41:], d[41:]).w.tobytes() == filters.LeastSquaresFilter(5, regularizer=0.5).run(u, d).w.tobytes()
    )


def test_nothing_to_save(tmp_path: Path) -> None:
    with pytest.raises(NotFittedError, match="this LMS has not seen a sample yet"):
        rb.save(filters.LMS(), tmp_path / "filter")
