"""Every filter against the textbook, padasip, itself in chunks, and Adaline."""

from itertools import pairwise
from typing import Any

import numpy as np
import padasip
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import rosenblatt as rb
from rosenblatt import filters
from tests.filters import naive

ONLINE = {
    "lms": filters.LMS(eta=0.01),
    "nlms": filters.NLMS(eta=0.7),
    "leaky": filters.LeakyLMS(eta=0.01, leak=0.3),
    "sign error": filters.SignLMS(eta=0.01),
    "sign data": filters.SignLMS(eta=0.01, variant="data"),
    "sign sign": filters.SignLMS(eta=0.01, variant="sign-sign"),
    "projection": filters.AffineProjection(eta=0.5, order=3),
    "projection of one": filters.AffineProjection(eta=0.5, order=1),
    "nlms with an absolute eps": filters.NLMS(eta=0.7, eps_absolute=1e-3),
    "projection with an absolute eps": filters.AffineProjection(eta=0.5, order=3, eps_absolute=1e-3),
    "rls": filters.RLS(forgetting=0.97, delta=0.1),
    "rls with an absolute delta": filters.RLS(forgetting=0.97, delta_absolute=0.1),
    "rls that forgets nothing": filters.RLS(forgetting=1.0, delta=1.0),
}
DTYPES = [np.float32, np.float64, np.complex64, np.complex128]
# Each pair of a rule and a dtype is compiled by itself: `make test` has narrow ones for three rules, `make soak` all.
PAIRS = [
    (name, dtype)
    for name in sorted(ONLINE)
    for dtype in DTYPES
    if dtype in (np.float64, np.complex128) or name in ("lms", "nlms", "rls") or settings.default.max_examples >= 2000
]


def signals(rng: np.random.Generator, n: int, dtype: Any, taps: int = 0) -> tuple[Any, Any]:
    """A signal (or rows) and a desired signal."""

    def normal(*shape: int) -> Any:
        real = rng.normal(size=shape)
        return (real + 1j * rng.normal(size=shape) if np.issubdtype(dtype, np.complexfloating) else real).astype(dtype)

    return (normal(n, taps) if taps else normal(n)), normal(n)


def assert_same(ours: Any, oracle: Any, tolerance: float) -> None:
    y, e, path = oracle
    scale = 1 + max(abs(path).max(), abs(y).max(initial=0))
    assert abs(ours.y - y).max(initial=0) <= tolerance * scale
    assert abs(ours.e - e).max(initial=0) <= tolerance * scale
    assert abs(ours.w - path[-1]).max() <= 1e-9 * scale
    if ours.history is not None:
        assert abs(ours.history - path[:-1]).max(initial=0) <= 1e-9 * scale


@given(
    st.sampled_from(PAIRS),
    st.booleans(),
    st.booleans(),
    st.integers(1, 40),
    st.integers(0, 60),
    st.integers(0, 2**31),
)
def test_textbook(pair: tuple[str, Any], rows: bool, started: bool, taps: int, n: int, seed: int) -> None:
    name, dtype = pair
    rng = np.random.default_rng(seed)
    u, d = signals(rng, n, dtype, taps if rows else 0)
    start = rng.normal(size=taps) if started else "zeros"
    one = clone(ONLINE[name]).set_params(taps=taps, start=start)
    if hasattr(one, "eta") and not name.startswith(("nlms", "projection")):
        one.eta = 0.2 / taps  # well within what is stable
    run = one.run(u, d, history=1)
    assert run.y.dtype == run.e.dtype == dtype
    assert run.w.dtype == (np.complex128 if u.dtype.kind == "c" else np.float64)
    assert one.n_samples_ == n
    narrow = dtype in (np.float32, np.complex64)
    assert_same(run, naive.run(one, u, d), 1e-6 if narrow else 1e-9)


def check_chunks(whole: Any, u: Any, d: Any, cuts: list[int], every: int) -> None:
    """A signal in chunks of these lengths, and one of 5 samples, is answered as in one call, bit for bit."""
    run = clone(whole).run(u, d, history=every)
    chunked = clone(whole)
    parts = [chunked.run(u[a:b], d[a:b], history=every) for a, b in pairwise(np.cumsum([0, *cuts, 5]))]
    assert np.concatenate([part.y for part in parts]).tobytes() == run.y.tobytes()
    assert np.concatenate([part.e for part in parts]).tobytes() == run.e.tobytes()
    assert parts[-1].w.tobytes() == run.w.tobytes()
    assert np.concatenate([part.history for part in parts]).tobytes() == run.history.tobytes()
    assert len(run.history) == len(range(0, len(d), every))
    assert clone(whole).run(u, d, history=1).history[::every].tobytes() == run.history.tobytes()
    assert clone(whole).run(u, d).history is None


@given(
    st.sampled_from(PAIRS),
    st.booleans(),
    st.integers(1, 20),
    st.lists(st.integers(0, 30), max_size=6),
    st.integers(1, 7),
    st.integers(0, 2**31),
)
def test_chunks_are_one_call(
    pair: tuple[str, Any], rows: bool, taps: int, cuts: list[int], every: int, seed: int
) -> None:
    (name, dtype), n = pair, sum(cuts) + 5
    u, d = signals(np.random.default_rng(seed), n, dtype, taps if rows else 0)
    whole = clone(ONLINE[name]).set_params(taps=taps)
    if hasattr(whole, "eta"):
        whole.eta = 0.02
    check_chunks(whole, u, d, cuts, every)


@pytest.mark.parametrize("name", sorted(ONLINE))
def test_pieces_do_not_show(name: str) -> None:
    """Longer than a piece of the compiled loop (16,384 samples or fewer), and cut elsewhere."""
    u, d = signals(np.random.default_rng(1), 40_000, np.float64)
    one, other = (clone(ONLINE[name]).set_params(taps=5) for _ in range(2))
    run = one.run(u, d)
    parts = [other.run(u[a : a + 11_111], d[a : a + 11_111]) for a in range(0, 40_000, 11_111)]
    assert np.concatenate([part.e for part in parts]).tobytes() == run.e.tobytes()


@pytest.mark.parametrize(("name", "dtype"), PAIRS)
def test_a_signal_is_its_delay_line(name: str, dtype: Any) -> None:
    u, d = signals(np.random.default_rng(2), 300, dtype)
    one = clone(ONLINE[name]).set_params(taps=19)
    as_signal = one.run(u, d)
    as_rows = one.reset().run(filters.delay_line(u, 19), d)
    assert as_signal.y.tobytes() == as_rows.y.tobytes()
    assert as_signal.w.tobytes() == as_rows.w.tobytes()


@pytest.mark.parametrize(("name", "dtype"), PAIRS)
def test_predict_and_adapt_are_run(name: str, dtype: Any) -> None:
    X, d = signals(np.random.default_rng(3), 50, dtype, 4)
    one, other = (clone(ONLINE[name]).set_params(taps=4) for _ in range(2))
    run = one.run(X, d)
    for n in range(50):
        assert other.predict(X[n]) == run.y[n]
        assert other.adapt(X[n], d[n]) == run.e[n]
    assert other.w_.tobytes() == run.w.tobytes()
    assert one.predict(X).tolist() == [one.predict(x) for x in X]
    with pytest.raises(ValueError, match="read-only"):
        one.w_[0] = 1.0


@pytest.mark.parametrize("taps", [1, 3, 8, 17, 32])
def test_padasip(taps: int) -> None:
    rng = np.random.default_rng(taps)
    u = rng.normal(size=2000)
    d = np.convolve(u, rng.normal(size=taps))[:2000] + 0.1 * rng.normal(size=2000)
    X = np.ascontiguousarray(filters.delay_line(u, taps))
    pairs = [
        (filters.LMS(taps, 0.01), padasip.filters.FilterLMS(taps, mu=0.01, w="zeros")),
        (filters.NLMS(taps, 0.5, eps_absolute=1e-3), padasip.filters.FilterNLMS(taps, mu=0.5, eps=1e-3, w="zeros")),
        (
            filters.AffineProjection(taps, 0.5, order=min(5, taps), eps_absolute=1e-3),
            padasip.filters.FilterAP(taps, mu=0.5, order=min(5, taps), ifc=1e-3, w="zeros"),
        ),
        (filters.RLS(taps, 0.99, delta_absolute=0.1), padasip.filters.FilterRLS(taps, mu=0.99, eps=0.1, w="zeros")),
    ]
    for ours, theirs in pairs:
        y, e, path = theirs.run(d, X)
        run = ours.run(u, d, history=1)
        for mine, other in ((run.y, y), (run.e, e), (run.history, path), (run.w, theirs.w)):
            assert abs(mine - other).max() < 1e-10


@pytest.mark.parametrize("p", [1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 100])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_adaline_is_lms(p: int, dtype: Any) -> None:
    """One rule, one order of summation, in two files of compiled code: the same corrections, bit for bit."""
    rng = np.random.default_rng(p)
    X, y = rng.normal(size=(500, p)).astype(dtype), rng.choice([-1, 1], size=500)
    adaline = rb.Adaline(eta=0.1 / p, fit_intercept=False)
    lms = filters.LMS(taps=p, eta=0.1 / p)
    for a in range(0, 500, 100):
        adaline.partial_fit(X[a : a + 100], y[a : a + 100], classes=[-1, 1])
        lms.run(X[a : a + 100], y[a : a + 100].astype(dtype))
        assert adaline.coef_[0].tobytes() == lms.w_.tobytes()


def test_real_as_complex() -> None:
    u, d = signals(np.random.default_rng(5), 200, np.float64)
    for one in ONLINE.values():
        real = clone(one).run(u, d)
        as_complex = clone(one).run(u + 0j, d)
        assert abs(as_complex.y - real.y).max() < 1e-10
        assert abs(as_complex.y.imag).max() == 0


@pytest.mark.parametrize("name", ["lms", "nlms", "projection", "rls"])
def test_complex_system_is_found(name: str) -> None:
    """Where padasip drops the imaginary part: w is the system's response, not its conjugate."""
    rng = np.random.default_rng(6)
    u, _ = signals(rng, 6000, np.complex128)
    h = np.array([1 + 2j, -0.5j, 0.25])
    d = np.convolve(u, h)[:6000]
    assert abs(clone(ONLINE[name]).set_params(taps=3).run(u, d).w - h).max() < 1e-6


@given(st.integers(1, 12), st.integers(0, 40), st.sampled_from(DTYPES), st.floats(0, 10), st.integers(0, 2**31))
def test_block_solution(taps: int, n: int, dtype: Any, delta: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    u, d = signals(rng, n, dtype)
    start = rng.normal(size=taps)
    one = filters.LeastSquaresFilter(taps, regularizer=delta, start=start)
    run = one.run(u, d)
    wide = np.complex128 if u.dtype.kind == "c" else np.float64
    X = naive.regressors(u, taps).astype(wide)
    A = np.vstack([X, np.sqrt(delta) * np.eye(taps)])
    b = np.concatenate([d.astype(wide) - X @ start, np.zeros(taps)])
    w = start + np.linalg.pinv(A, rcond=1e-13) @ b
    well = np.linalg.cond(A) < 1e6 or (n < taps and delta == 0)
    if well:
        assert abs(run.w - w).max() < 1e-7 * (1 + abs(w).max())
        assert abs(run.y - X @ w).max(initial=0) < 1e-5 * (1 + abs(w).max())
    other = filters.LeastSquaresFilter(taps, regularizer=delta, start=start)
    for a in range(0, n, 7):
        other.run(u[a : a + 7], d[a : a + 7])
    assert not n or other.w_.tobytes() == run.w.tobytes()


def test_block_solution_row_by_row() -> None:
    X, d = signals(np.random.default_rng(8), 30, np.float64, 3)
    one, other = filters.LeastSquaresFilter(3), filters.LeastSquaresFilter(3)
    for x, wanted in zip(X, d, strict=True):
        before = other.predict(x)
        assert other.adapt(x, wanted) == wanted - before
    assert other.w_.tobytes() == one.run(X, d).w.tobytes()
    assert abs(one.w_ - np.linalg.lstsq(X, d, rcond=None)[0]).max() < 1e-12


def test_delay_line() -> None:
    u = np.arange(1.0, 6.0)
    X = filters.delay_line(u, 3)
    assert X.tolist() == naive.regressors(u, 3).tolist()
    assert filters.delay_line(u[3:], 3, before=u[:3]).tolist() == X[3:].tolist()
    channels = np.column_stack([u, 10 * u])
    both = filters.delay_line(channels, 3)
    assert both.tolist() == np.hstack([X, 10 * X]).tolist()
    assert filters.delay_line(channels[3:], 3, before=channels[2:3]).shape == (2, 6)
    assert filters.delay_line(u * 1j, 2).dtype == np.complex128
    assert filters.delay_line(u.astype(np.float32), 2).dtype == np.float32
    assert filters.delay_line(u, 9).shape == (5, 9)
    with pytest.raises(ValueError, match="does not continue into u"):
        filters.delay_line(channels, 3, before=u)
    with pytest.raises(ValueError, match="taps must be at least 1"):
        filters.delay_line(u, 0)
