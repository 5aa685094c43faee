"""Several desired signals on one input: a matrix d."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import rosenblatt as rb
from rosenblatt import filters

KINDS = [
    filters.LMS(6, 0.05),
    filters.NLMS(6, freeze="geigel", freeze_at=2.0),
    filters.AffineProjection(6),
    filters.RLS(6),
    filters.BlockLMS(6, 0.01, block=4),
    filters.PartitionedLMS(6, block=2, freeze="two-path"),
    filters.PartitionedKalman(6, block=4),
]


@given(
    st.sampled_from(KINDS), st.integers(1, 4), st.integers(0, 60), st.booleans(), st.booleans(), st.integers(0, 2**31)
)
def test_each_column_is_a_filter(one: Any, m: int, cut: int, complex_: bool, channels: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    kind = complex if complex_ else float
    blocks = isinstance(one, filters.BlockLMS | filters.PartitionedLMS | filters.PartitionedKalman)
    u = rng.normal(size=(60, 2 if blocks else 6) if channels else 60).astype(kind)
    d = rng.normal(size=(60, m)).astype(kind)
    together = clone(one)
    parts = [together.run(u[part], d[part], history=7) for part in (slice(0, cut), slice(cut, 60))]
    runs = [clone(one).run(u, column, history=7) for column in d.T]
    assert np.concatenate([part.e for part in parts]).T.tobytes() == b"".join(run.e.tobytes() for run in runs)
    assert np.concatenate([part.y for part in parts]).shape == (60, m)
    assert together.w_.tobytes() == b"".join(run.w.tobytes() for run in runs)
    assert np.concatenate([part.history for part in parts]).swapaxes(0, 1).tobytes() == b"".join(
        run.history.tobytes() for run in runs
    )
    frozen = {n for part in parts for a, b in part.frozen for n in range(a, b)}
    assert frozen == {n for run in runs for a, b in run.frozen for n in range(a, b)}
    x = rng.normal(size=(3, 6))
    assert together.predict(x).shape == (3, m)
    assert together.predict(x)[:, 0].tolist() == pytest.approx((x @ runs[0].w).tolist())


@pytest.mark.parametrize("one", KINDS, ids=lambda one: type(one).__name__)
def test_saved_and_resumed(one: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    u, d = rng.normal(size=50), rng.normal(size=(50, 3))
    whole, first = clone(one).run(u, d), clone(one)
    first.run(u[:33], d[:33])
    rb.save(first, tmp_path / "filter")
    assert rb.load(tmp_path / "filter").run(u[33:], d[33:]).e.tobytes() == whole.e[33:].tobytes()


def test_adapt_takes_a_value_for_each() -> None:
    one, x = filters.NLMS(2), np.array([1.0, 2.0])
    first, second = one.adapt(x, [1.0, -1.0]), one.adapt(x, np.array([1.0, -1.0]))
    assert first.tolist() == [1.0, -1.0]
    assert abs(second).max() < 1
    assert one.w_.shape == (2, 2)


def test_another_number_of_columns_is_refused() -> None:
    one, u = filters.NLMS(2), np.ones(5)
    one.run(u, np.ones((5, 2)))
    with pytest.raises(
        ValueError, match=r"learned from 2 signals side by side \(2-D\), and d is now 3 signals side by"
    ):
        one.run(u, np.ones((5, 3)))
    with pytest.raises(ValueError, match=r"and d is now one signal \(1-D\): reset\(\) it, or go on as it began"):
        one.run(u, u)
    with pytest.raises(ValueError, match="d has NaN at sample 2"):
        one.run(u, np.where(np.arange(10).reshape(5, 2) == 5, np.nan, 1.0))
    assert one.n_samples_ == 5
    assert one.reset().run(u, u).w.shape == (2,)
    with pytest.raises(ValueError, match=r"one signal \(1-D\), and d is now 1 signals"):
        one.run(u, u[:, None])
    with pytest.raises(ValueError, match="the desired signal must be one signal"):
        filters.identify(u, np.ones((5, 2)), filters.NLMS(2))


def test_it_warns_once_and_diverges_as_one() -> None:
    rng = np.random.default_rng(0)
    u, d = rng.normal(size=4000), rng.normal(size=(4000, 3))
    one = filters.LMS(4, 5.0)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with pytest.raises(OverflowError, match="diverged"):
            one.run(u, d)
    assert len(said) == 1
    assert one.n_samples_ == 0
