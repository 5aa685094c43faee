"""The same signals in other units give the same answers in those units."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import rosenblatt as rb
from rosenblatt import filters
from tests.filters.test_rules import DTYPES, ONLINE, signals

UNITLESS = {
    "nlms": filters.NLMS(eta=0.7),
    "projection": filters.AffineProjection(eta=0.5, order=3),
    "rls": filters.RLS(forgetting=0.99),
    "least squares": filters.LeastSquaresFilter(),
}


def recording(dtype: Any, rows: bool) -> tuple[Any, Any]:
    """Silence, a quiet beginning, a loud passage, silence again."""
    rng = np.random.default_rng(3)
    u, noise = signals(rng, 300, dtype, 5 if rows else 0)
    u[:7], u[7:20], u[100:150], u[200:230] = 0, u[7:20] / 1000, 30 * u[100:150], 0
    h = rng.normal(size=5)
    d = (u if rows else filters.delay_line(u, 5)) @ h + noise / 10
    return u, d.astype(dtype)


@pytest.mark.parametrize("name", UNITLESS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("rows", [False, True])
def test_volts_and_microvolts(name: str, dtype: Any, rows: bool) -> None:
    u, d = recording(dtype, rows)
    one = clone(UNITLESS[name]).set_params(taps=5)
    volts = one.run(u, d)
    for unit in (2.0**-40, 2.0**-20, 2.0**40):  # powers of two: bit for bit
        scaled = one.reset().run(u * dtype(unit), d * dtype(unit))
        assert scaled.w.tobytes() == volts.w.tobytes()
        assert (scaled.e / dtype(unit)).tobytes() == volts.e.tobytes()
        assert (scaled.y / dtype(unit)).tobytes() == volts.y.tobytes()
    near = 1e-3 if np.dtype(dtype).itemsize == (4 if u.dtype.kind == "f" else 8) else 1e-9
    for unit in (1e-12, 1e-7, 1e-6, 1e-3, 1e12):
        scaled = one.reset().run(u * dtype(unit), d * dtype(unit))
        assert abs(scaled.w - volts.w).max() < near * abs(volts.w).max()
        assert abs(scaled.e / unit - volts.e).max() < near * abs(d).max()
    other = one.reset().run(u * dtype(2.0**-10), d * dtype(2.0**5))  # two units: the weights are in their quotient
    assert (other.w / 2.0**15).tobytes() == volts.w.tobytes()


def test_quiet_recordings_are_filtered_as_well_as_loud_ones() -> None:
    """The complaint's numbers: with eps = 1e-3 absolute, volts gave 0.0 dB; RLS failed from 1e-7 downward."""
    rng = np.random.default_rng(0)
    u = rng.normal(size=4000)
    d = np.convolve(u, rng.normal(size=8))[:4000] + 0.3 * rng.normal(size=4000)
    for one in (filters.NLMS(8), filters.AffineProjection(8, eta=0.1), filters.RLS(8)):
        decibels = [
            filters.identify(unit * u, unit * d, clone(one)).summary["erle_db"]
            for unit in (1.0, 1e-3, 1e-6, 1e-7, 1e-8, 1e-12, 1e-60, 1e60)
        ]
        assert min(decibels) > 10
        assert max(decibels) - min(decibels) < 1e-9


@pytest.mark.parametrize(
    ("one", "units"),
    [
        (filters.LMS(eta=0.01), {"eta": -2}),
        (filters.LeakyLMS(eta=0.01, leak=0.3), {"eta": -2, "leak": 2}),
        (filters.SignLMS(eta=0.01), {"eta": -1}),
        (filters.SignLMS(eta=0.01, variant="data"), {"eta": -1}),
        (filters.SignLMS(eta=0.01, variant="sign-sign"), {}),
        (filters.NLMS(eps_absolute=0.01), {"eps_absolute": 2}),
        (filters.RLS(delta_absolute=0.01), {"delta_absolute": 2}),
        (filters.LeastSquaresFilter(regularizer=0.5), {"regularizer": 2}),
    ],
)
def test_parameters_that_have_a_unit(one: Any, units: dict[str, int]) -> None:
    """What the docstrings say of them: scaled by that power of the unit, they do the same."""
    u, d = recording(np.float64, False)
    u, d = u / 30, d / 30
    one = clone(one).set_params(taps=5)
    before = one.run(u, d)
    scaled = one.set_params(**{name: getattr(one, name) * 64.0**power for name, power in units.items()}).reset()
    after = scaled.run(64.0 * u, 64.0 * d)
    assert after.w.tobytes() == before.w.tobytes()
    assert (after.e / 64.0).tobytes() == before.e.tobytes()


@pytest.mark.parametrize("name", sorted(set(UNITLESS) - {"least squares"}))
def test_no_step_before_the_input_begins(name: str) -> None:
    one = clone(UNITLESS[name]).set_params(taps=5, start=np.arange(5.0))
    assert one.run(np.zeros(50), np.ones(50)).w.tolist() == [0, 1, 2, 3, 4]
    assert np.isfinite(one.run(np.append(1e-5, np.zeros(50)), np.ones(51)).w).all()


def test_the_mean_is_of_all_samples_up_to_this_one() -> None:
    x, d = np.array([[3.0, 4.0], [0.0, 1.0]]), np.array([1.0, 1.0])
    run = filters.NLMS(2, eta=1.0, eps=0.5).run(x, d, history=1)
    first = np.array([3.0, 4.0]) / (25 + 0.5 * 25)
    assert np.allclose(run.history[1], first)
    assert np.allclose(run.w, first + np.array([0.0, 1.0]) * (1 - first[1]) / (1 + 0.5 * 13))


def test_rls_says_when_p_begins() -> None:
    one = filters.RLS(2)
    for _ in range(2):
        with pytest.raises(ValueError, match="has seen only zeros yet: P begins with the first input that is not 0"):
            _ = one.P_
        one.run(np.zeros(3), np.ones(3))
    one.run([2.0], [0.0])
    assert np.allclose(one.P_, np.diag([1 / (0.999 * (0.04 + 4 / 0.999)), 1 / (0.999 * 0.04)]))
    assert filters.RLS(2, delta_absolute=0.25).P_.tolist() == [[4, 0], [0, 4]]


def test_a_filter_saved_without_its_mean_is_refused(tmp_path: Any) -> None:
    for name, one in ONLINE.items():
        if not name.startswith(("nlms", "projection", "rls")):
            continue
        one = clone(one)
        one.run(np.ones(9), np.ones(9))
        one._memory.vector = one._memory.vector[:-2]  # as it was saved before
        rb.save(one, tmp_path / "old")
        with pytest.raises(ValueError, match=f"this {type(one).__name__} was saved before eps and delta were shares"):
            rb.load(tmp_path / "old")


def test_one_overflow_is_left_out_of_the_mean() -> None:
    u = np.random.default_rng(0).normal(size=2000)
    u[100] = 1e200
    d = np.convolve(u, [1.0, -0.5])[:2000]
    w = filters.NLMS(2).run(u, d).w
    assert abs(w - [1.0, -0.5]).max() < 1e-6
