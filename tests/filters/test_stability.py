"""What theory predicts against what filters do."""

import re

import numpy as np
import pytest

from rosenblatt import filters
from rosenblatt.filters.theory import stability


def coloured(rng: np.random.Generator, n: int, pole: float = 0.8) -> np.ndarray:
    """First-order noise of power one."""
    from scipy.signal import lfilter

    return lfilter([np.sqrt(1 - pole**2)], [1, -pole], rng.normal(size=n))


def test_correlation_is_that_of_the_delay_line() -> None:
    rng = np.random.default_rng(0)
    u = rng.normal(size=500) + 1j * rng.normal(size=500)
    X = np.vstack([filters.delay_line(u, 4), np.zeros((3, 4))])
    X[500:] = filters.delay_line(np.zeros(3), 4, before=u)  # the tail, so that every product is there
    assert abs(filters.correlation(u, 4) - X.conj().T @ X / 500).max() < 1e-12
    assert abs(filters.correlation(X) - X.conj().T @ X / 503).max() < 1e-12


def test_max_step_of_white_input() -> None:
    """Feuer and Weinstein for equal eigenvalues: 2/((taps + 2)·power), complex 2/((taps + 1)·power)."""
    X = np.sqrt(3 * 10) * np.eye(10)  # correlation 3·I
    assert filters.max_step(X) == pytest.approx(2 / (3 * 12))
    assert filters.max_step(X + 0j) == pytest.approx(2 / (3 * 11))
    assert filters.max_step(X, sense="mean") == pytest.approx(2 / 3)
    assert filters.max_step(np.zeros(50), 5) == np.inf


@pytest.mark.parametrize("complex_", [False, True])
def test_max_step_is_where_the_error_explodes(complex_: bool) -> None:
    """Independent Gaussian regressors, many realisations: the mean of ‖w − h‖² dies out below the bound, not above."""
    rng = np.random.default_rng(1)
    scales = np.array([2.0, 1.0, 0.5])

    def norms(eta: float) -> np.ndarray:
        w = np.ones((4000, 3), dtype=complex if complex_ else float)
        for _ in range(60):
            x = rng.normal(size=(4000, 3)) * np.sqrt(scales)
            if complex_:
                x = (x + 1j * rng.normal(size=(4000, 3)) * np.sqrt(scales)) / np.sqrt(2)
            w = w - eta * np.sum(w * x, axis=1, keepdims=True) * x.conj()
        return np.sort(np.sum(abs(w) ** 2, axis=1))

    X = np.sqrt(3 * scales) * np.eye(3)
    bound = filters.max_step(X + 0j if complex_ else X)
    assert norms(0.6 * bound).mean() < 0.05 * 3
    assert norms(1.5 * bound).mean() > 3


@pytest.mark.parametrize("complex_", [False, True])
@pytest.mark.parametrize("leak", [0.0, 0.1, 5.0])
@pytest.mark.parametrize("scale", [1.0, 1e-12, 1e8])
def test_max_step_is_where_the_second_moments_stop_shrinking(complex_: bool, leak: float, scale: float) -> None:
    """Gaussian x with covariance Λ, K = E[w̃w̃ᴴ] diagonal: K becomes E[(a − ηx*xᵀ)K(a − ηx*xᵀ)], a = 1 − η·leak."""
    rng = np.random.default_rng(0)
    for taps in (1, 2, 7):
        power = scale * rng.exponential(size=taps)
        X = np.sqrt(taps * power) * np.eye(taps)
        bound = filters.max_step(X + 0j if complex_ else X, leak=leak * scale)

        def radius(eta: float, power: np.ndarray = power) -> float:
            a = 1 - eta * leak * scale
            own = a**2 - 2 * a * eta * power + (1 if complex_ else 2) * (eta * power) ** 2
            return abs(np.linalg.eigvals(np.diag(own) + eta**2 * np.outer(power, power))).max()

        assert radius(0.999 * bound) < 1 < radius(1.001 * bound)


INPUTS = {
    "white": lambda rng: rng.normal(size=3000),
    "coloured": lambda rng: coloured(rng, 3000, 0.95),
    "a sine": lambda rng: np.sin(0.3 * np.arange(3000)),
    "in volts": lambda rng: 1e-6 * coloured(rng, 3000),
    "complex": lambda rng: rng.normal(size=3000) + 1j * coloured(rng, 3000),
    "rows": lambda rng: rng.normal(size=(3000, 6)) * np.arange(1, 7),
}


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize("leak", [None, 0.2])
def test_the_warning_starts_where_max_step_says(name: str, leak: float | None) -> None:
    u = INPUTS[name](np.random.default_rng(0))
    unit = np.mean(abs(u) ** 2)
    bound = filters.max_step(u, 6, leak=(leak or 0) * unit)
    one = filters.LMS(6) if leak is None else filters.LeakyLMS(6, leak=leak * unit)
    d = np.zeros(3000)
    one.set_params(eta=0.999 * bound).run(u, d)  # warnings are errors here
    with pytest.warns(UserWarning, match=re.escape(f"is above {bound:.3g}, the largest step that theory")):
        one.set_params(eta=1.001 * bound).reset().run(u, d)
    one.set_params(eta=0.9 * bound).reset()
    for a in range(0, 3000, 1000):
        one.run(u[a : a + 1000], d[:1000])
    one.set_params(eta=1.1 * bound).reset()
    with pytest.warns(UserWarning, match="is above"):
        _ = [one.run(u[a : a + 1000], d[:1000]) for a in range(0, 3000, 1000)]


def test_single_samples_warn_where_no_input_of_their_power_would_be_stable() -> None:
    u = np.random.default_rng(0).choice([-1.0, 1.0], size=60)
    one = filters.LMS(4, eta=0.99 * 2 / 6)
    for value in u:
        one.run([value], [0.0])
    one.set_params(eta=1.01 * 2 / 6).reset()
    with pytest.warns(UserWarning, match=r"eta=0.336667 is above 0.333, the largest step that theory calls stable"):
        _ = [one.run([value], [0.0]) for value in u]


@pytest.mark.parametrize("pole", [0.0, 0.7])
def test_time_constants(pole: float) -> None:
    """Along an eigenvector the mean weight error shrinks by exp(−n/τ)."""
    rng = np.random.default_rng(2)
    eta, taps, n = 0.01, 2, 120
    u = np.array([coloured(rng, n + taps, pole) for _ in range(1500)])
    constants = filters.time_constant(coloured(rng, 200_000, pole), taps, eta=eta)
    directions = np.array([[1, 1], [1, -1]]) / np.sqrt(2)  # of the larger eigenvalue, and the smaller
    for direction, tau in zip(directions, constants, strict=True):
        ends = [
            filters.LMS(taps, eta)
            .run(filters.delay_line(row, taps)[taps:], filters.delay_line(row, taps)[taps:] @ direction)
            .w
            for row in u[:600]
        ]
        left = 1 - np.mean(ends, axis=0) @ direction
        assert -np.log(left) * tau / n == pytest.approx(1, rel=0.06)


@pytest.mark.parametrize("complex_", [False, True])
@pytest.mark.parametrize(("taps", "eta", "pole"), [(8, 0.03, 0.0), (16, 0.01, 0.0), (8, 0.02, 0.5)])
def test_lms_ends_where_predicted(taps: int, eta: float, pole: float, complex_: bool) -> None:
    rng = np.random.default_rng(3)
    n, noise = 400_000, 0.01
    u, v = coloured(rng, n, pole), np.sqrt(noise) * rng.normal(size=n)
    if complex_:
        u, v = (
            (u + 1j * coloured(rng, n, pole)) / np.sqrt(2),
            (v + 1j * np.sqrt(noise) * rng.normal(size=n)) / np.sqrt(2),
        )
    d = np.convolve(u, rng.normal(size=taps))[:n] + v
    one = filters.LMS(taps, eta)
    predicted = filters.predicted_mse(one, u, noise)
    e = one.run(u, d).e[20_000:]
    excess = np.mean(abs(e - v[20_000:]) ** 2)
    assert excess == pytest.approx(predicted.excess, rel=0.1)
    assert np.mean(abs(e) ** 2) == pytest.approx(predicted.mse, rel=0.02)
    assert predicted.misadjustment == pytest.approx(predicted.excess / noise)
    assert predicted.misadjustment == pytest.approx(eta * taps / 2, rel=0.25)  # the rule of thumb


@pytest.mark.parametrize(("taps", "eta"), [(8, 0.2), (32, 0.5), (32, 1.0)])
def test_nlms_ends_where_predicted(taps: int, eta: float) -> None:
    rng = np.random.default_rng(4)
    n, noise = 400_000, 0.01
    u, v = 3 * rng.normal(size=n), np.sqrt(noise) * rng.normal(size=n)
    d = np.convolve(u, rng.normal(size=taps))[:n] + v
    one = filters.NLMS(taps, eta)
    predicted = filters.predicted_mse(one, u, noise)
    assert np.mean((one.run(u, d).e - v)[20_000:] ** 2) == pytest.approx(predicted.excess, rel=0.1)
    assert predicted.misadjustment == pytest.approx(eta / (2 - eta), rel=0.5 if taps == 8 else 0.12)


@pytest.mark.parametrize("kind", ["LMS", "NLMS"])
@pytest.mark.parametrize("eta_over_best", [0.4, 1.0, 2.0])
def test_a_drifting_system_is_tracked_as_predicted(kind: str, eta_over_best: float) -> None:
    """Random-walk weights: gradient noise against lag, within 10 %, around the best step and on either side."""
    rng = np.random.default_rng(5)
    n, taps, noise, drift = 400_000, 8, 0.01, 1e-8
    best = np.sqrt(drift / noise)  # of LMS with input of power one, where the two are equal
    one = filters.LMS(taps, eta_over_best * best) if kind == "LMS" else filters.NLMS(taps, eta_over_best * best * taps)
    u, v = rng.normal(size=n), np.sqrt(noise) * rng.normal(size=n)
    walk = np.cumsum(np.sqrt(drift) * rng.normal(size=(n, taps)), axis=0)
    d = np.einsum("nk,nk->n", filters.delay_line(u, taps), walk) + v
    predicted = filters.predicted_mse(one, u, noise, drift)
    measured = np.mean((one.run(u, d).e - v)[50_000:] ** 2) / noise
    assert measured == pytest.approx(predicted.misadjustment, rel=0.1)


def test_a_lag_needs_input_to_err_on() -> None:
    """A sine moves two weights of eight, whatever the system's others do."""
    rng = np.random.default_rng(0)
    n, taps, eta, drift = 60_000, 8, 0.02, 1e-5
    u = np.sin(0.3 * np.arange(n + taps))
    X = filters.delay_line(u, taps)[taps:]
    walk = np.sqrt(drift) * rng.normal(size=(n, taps)).cumsum(axis=0)
    d = (X * walk).sum(axis=1) + 0.01 * rng.normal(size=n)
    excess = np.mean(filters.LMS(taps, eta).run(X, d).e[5000:] ** 2) - 1e-4
    assert filters.predicted_mse(filters.LMS(taps, eta), X, 1e-4, drift).excess == pytest.approx(excess, rel=0.15)
    assert filters.predicted_mse(filters.LMS(taps, eta), np.zeros(50), 0.1, drift).excess == 0.0


def test_learning_curve_is_the_mean_over_runs() -> None:
    rng = np.random.default_rng(6)
    u = rng.normal(size=(37, 200))
    d = rng.normal(size=(37, 200))
    for one in (
        filters.LMS(4, 0.02),
        filters.AffineProjection(4, order=3),
        filters.RLS(4),
        filters.NLMS(4, start=np.ones(4)),
    ):
        for extra in (0, 1j):
            mean = np.mean([abs(one.reset().run(a + extra, b).e) ** 2 for a, b in zip(u, d, strict=True)], axis=0)
            curves = [filters.learning_curve(one, u + extra, d, n_jobs=k) for k in (1, 3, None, -1)]
            assert abs(curves[0] - mean).max() < 1e-10
            assert curves[0].tobytes() == curves[1].tobytes() == curves[2].tobytes()
    assert one.n_samples_ == 200  # its own state is not touched


def test_learning_curve_falls_as_the_time_constant_says() -> None:
    rng = np.random.default_rng(7)
    u = rng.normal(size=(2000, 400))
    d = u + 0.01 * rng.normal(size=u.shape)
    curve = filters.learning_curve(filters.LMS(1, 0.005), u, d)
    tau = filters.time_constant(u[0], 1, eta=0.005)[0] * u[0].var()
    assert np.log(curve[:20].mean() / curve[380:].mean()) == pytest.approx(2 * 380 / tau, rel=0.1)


def test_bad_questions() -> None:
    u = np.ones(10)
    with pytest.raises(ValueError, match=r"taps=11 is more than the 10 samples of u"):
        filters.max_step(u, 11)
    with pytest.raises(ValueError, match="taps is missing"):
        filters.max_step(u)
    with pytest.raises(ValueError, match="contradicts"):
        filters.correlation(np.eye(3), 2)
    with pytest.raises(ValueError, match='must be "mean square" or "mean"'):
        filters.max_step(u, 2, sense="median")
    with pytest.raises(ValueError, match="positive number"):
        filters.time_constant(u, 2, eta=0.0)
    with pytest.raises(TypeError, match="BlockLMS, AffineProjection and RLS, not for SignLMS"):
        filters.predicted_mse(filters.SignLMS(2), u, 0.1)
    with pytest.raises(TypeError, match="not for LeakyLMS"):
        filters.predicted_mse(filters.LeakyLMS(2), u, 0.1)
    with pytest.raises(ValueError, match="must be a positive power"):
        filters.predicted_mse(filters.LMS(2), u, 0.0)
    assert filters.predicted_mse(filters.LMS(2, eta=5.0), u, 0.1).mse == np.inf
    assert filters.predicted_mse(filters.NLMS(2, eta=2.5), u, 0.1).mse == np.inf
    with pytest.raises(TypeError, match="sample by sample"):
        filters.learning_curve(filters.LeastSquaresFilter(2), np.ones((2, 5)), np.ones((2, 5)))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="one shape"):
        filters.learning_curve(filters.LMS(2), np.ones((2, 5)), np.ones((2, 6)))
    with pytest.raises(OverflowError, match="diverged"):
        filters.learning_curve(filters.LMS(2, eta=1e3), np.ones((2, 5000)), np.ones((2, 5000)))


@pytest.mark.parametrize("colour", ["white", "coloured", "complex", "a sine", "a constant", "tiny"])
def test_the_step_of_a_long_filter_is_that_of_its_eigenvalues(colour: str) -> None:
    random = np.random.default_rng(0)
    noise = random.normal(size=3000)
    u = {
        "white": noise,
        "coloured": np.convolve(noise, 0.9 ** np.arange(100))[:3000],
        "complex": noise + 1j * np.convolve(noise, 0.7 ** np.arange(50))[:3000],
        "a sine": np.sin(0.1 * np.arange(3000)),
        "a constant": np.ones(3000),
        "tiny": 1e-150 * noise,
    }[colour]
    eigenvalues, moment_factor = stability.correlation_eigenvalues(u, 600)
    assert stability.step_in_mean_square(u, 600) == pytest.approx(stability.largest_step(eigenvalues, moment_factor))
    assert stability.step_in_mean_square(u, 600, power=3.0) == pytest.approx(
        stability.largest_step(eigenvalues * (3.0 / eigenvalues.sum()), moment_factor)
    )


def test_the_step_of_a_long_filter_on_silence_is_without_bound() -> None:
    assert stability.step_in_mean_square(np.zeros(2000), 600) == np.inf


@pytest.mark.parametrize("drift", [0.0, 1e-6])
@pytest.mark.parametrize(
    "one",
    [
        filters.RLS(8, forgetting=0.99),
        filters.RLS(16, forgetting=0.995),
        filters.AffineProjection(16, 0.2, 2),
        filters.BlockLMS(32, 4e-4, 64),
    ],
)
def test_other_filters_end_where_predicted(one: filters.AdaptiveFilter, drift: float) -> None:
    rng = np.random.default_rng(5)
    n, noise = 150_000, 0.1
    u = rng.normal(size=n)
    system = rng.normal(size=one.taps) + np.cumsum(np.sqrt(drift) * rng.normal(size=(n, one.taps)), axis=0)
    d = np.einsum("nk,nk->n", filters.delay_line(u, one.taps), system) + np.sqrt(noise) * rng.normal(size=n)
    predicted = filters.predicted_mse(one, u, noise, drift)
    assert np.mean(one.reset().run(u, d).e[50_000:] ** 2) == pytest.approx(predicted.mse, rel=0.03)
    assert predicted.excess > 0


def test_a_filter_that_forgets_nothing_has_no_excess_and_cannot_follow() -> None:
    u = np.random.default_rng(0).normal(size=5000)
    assert filters.predicted_mse(filters.RLS(8, forgetting=1.0), u, 0.1).excess == 0.0
    assert filters.predicted_mse(filters.RLS(8, forgetting=1.0), u, 0.1, 1e-6).excess == np.inf


def test_a_filter_without_a_step_is_not_told_to_take_a_smaller_one() -> None:
    u = np.random.default_rng(0).normal(size=100)
    with pytest.raises(OverflowError, match=r"RLS diverged: .* It has been reset; scale the input\."):
        filters.RLS(4).run(1e160 * u, u)
