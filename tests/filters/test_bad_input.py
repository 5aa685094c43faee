"""One clear sentence, and the filter is left as it was."""

from typing import Any

import numpy as np
import pytest

from rosenblatt import filters

u, d = np.ones(20), np.arange(20.0)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda f: f.run(u, d[:19]), "u has 20 samples and d has 19: they must have the same length"),
        (lambda f: f.run(np.ones((20, 3)), d), "X has 3 columns and the filter 2 taps"),
        (lambda f: f.run(np.ones((20, 2)), d[:19]), "X has 20 rows and d has 19"),
        (lambda f: f.run(np.ones((20, 2, 2)), d), r"X must be a signal \(1-D\) or rows of regressors \(2-D\)"),
        (
            lambda f: f.run(u, d[:, None, None]),
            r"d must be a signal \(1-D\) or signals side by side \(2-D\); its shape is",
        ),
        (lambda f: f.run(np.where(d == 7, np.nan, u), d), "u has NaN at sample 7; a filter would carry it on for ever"),
        (lambda f: f.run(u, np.where(d == 3, np.inf, d)), "d has an infinite value at sample 3;"),
        (lambda f: f.run(np.ma.masked_equal(np.arange(20), 4), d), "u has NaN at sample 4;"),  # a masked one
        (lambda f: filters.RLS(10**7).run(u, d), "10,000,000 × 10,000,000 numbers need more memory than there is"),
        (lambda f: filters.learning_curve(f, [u], [d], n_jobs=0), "n_jobs=0 must be a number of threads"),
        (lambda f: filters.Stream(f, inputs=[]), r"inputs=\[\] and desired=1 must be columns of the frames, from 0"),
        (lambda f: filters.Stream(f, inputs=[-1]), r"inputs=\[-1\] and desired=1 must be columns of the frames"),
        (
            lambda f: f.run(np.where(np.eye(20)[:, :2] > 0, -np.inf, 1.0), d),
            "X has an infinite value at sample 0, column 0",
        ),
        (lambda f: f.predict([1.0, np.nan]), "x has NaN at sample 0, column 1"),
        (lambda f: f.predict([1.0]), "x has 1 columns and the filter 2 taps"),
        (lambda f: f.run(u, d, history=0), "history=0 must be a whole number of samples, at least 1"),
        (lambda f: f.set_params(start=[1.0]).run(u, d), "start must hold 2 finite weights"),
        (lambda f: f.set_params(start=[1.0, np.nan]).run(u, d), "start must hold 2 finite weights"),
        (lambda f: f.set_params(taps=0).run(u, d), "The 'taps' parameter of NLMS must be an int in the range"),
        (lambda f: f.set_params(eta=-1.0).run(u, d), "The 'eta' parameter of NLMS must be a float in the range"),
        (lambda f: f.set_params(eps=0.0).run(u, d), "The 'eps' parameter of NLMS"),
        (lambda f: f.set_params(eps_absolute=0.0).run(u, d), "The 'eps_absolute' parameter of NLMS"),
        (lambda f: filters.RLS(2, delta_absolute=-1.0).run(u, d), "The 'delta_absolute' parameter of RLS"),
        (lambda f: filters.max_step(u, 2, leak=-1.0), "leak=-1.0 must be a number that is not negative"),
        (lambda f: filters.RLS(2, forgetting=0.0).run(u, d), "The 'forgetting' parameter of RLS must be"),
        (lambda f: filters.RLS(2, forgetting=-0.5).run(u, d), "The 'forgetting' parameter of RLS must be"),
        (lambda f: filters.RLS(2, forgetting=1.5).run(u, d), "The 'forgetting' parameter of RLS must be"),
        (lambda f: filters.SignLMS(2, variant="both").run(u, d), "The 'variant' parameter of SignLMS"),
        (lambda f: filters.identify(u, d, filters.NLMS(21)), "taps=21 is more than the 20 samples of the signal"),
        (lambda f: filters.cancel(d, u[:5]), "the input has 5 samples and the desired signal 20"),
        (lambda f: filters.cancel(d, np.ones((20, 3)), f), "3 channels share the filter's taps evenly: taps=2"),
        (lambda f: filters.predict(u, f, ahead=0), "ahead=0 must be a whole number of samples, at least 1"),
        (lambda f: filters.predict(np.ones((20, 2)), f), r"u must be one signal \(1-D\)"),
        (lambda f: filters.equalize(u, d, f, delay=-1), "delay=-1 must be a whole number of samples, at least 0"),
    ],
)
def test_refused_in_a_sentence(call: Any, words: str) -> None:
    one = filters.NLMS(taps=2)
    with pytest.raises(ValueError, match=words) as caught:
        call(one)
    assert "\n" not in str(caught.value)
    assert one.n_samples_ == 0


def test_text_is_refused() -> None:
    with pytest.raises(TypeError, match="u must hold numbers"):
        filters.LMS().run(["a"], [1.0])


def test_a_chunk_is_taken_whole_or_not_at_all() -> None:
    one, other = filters.RLS(3), filters.RLS(3)
    long, wanted = np.ones(50_000), np.ones(50_000)
    one.run(u, d)
    other.run(u, d)
    long[-1] = np.nan  # far behind what the first compiled call would have taken in
    with pytest.raises(ValueError, match="sample 49999"):
        one.run(long, wanted)
    assert one.run(u, d).e.tobytes() == other.run(u, d).e.tobytes()


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (
            filters.LMS(taps=4, eta=0.6),
            r"eta=0.6 is above 0.212, the largest step that theory calls stable for LMS on this input \(max_step\): "
            r"take a smaller step",
        ),
        (filters.LeakyLMS(taps=4, eta=0.5, leak=1.0), r"eta=0.5 is above 0.231, .* for LeakyLMS on this input"),
        (filters.NLMS(taps=4, eta=2.1), "eta=2.1 is above 2, the largest stable step of every normalised filter: take"),
        (filters.AffineProjection(taps=4, eta=3.0), "eta=3 is above 2, the largest stable step of every normalised"),
    ],
)
def test_a_step_too_large_warns_once_with_the_bound(one: Any, words: str) -> None:
    ones = np.ones(5)
    with pytest.warns(UserWarning, match=words):
        one.run(ones, ones)
    one.run(ones, ones)  # warnings are errors here: it does not warn again
    with pytest.warns(UserWarning, match=words):
        one.reset().run(ones, ones)


def test_divergence_is_named() -> None:
    one = filters.LMS(taps=4, eta=10.0)
    with pytest.warns(UserWarning, match="above"), pytest.raises(OverflowError, match=r"LMS diverged: .* smaller step"):
        one.run(np.ones(5000), np.ones(5000))
    assert one.n_samples_ == 0


def test_changes_midway() -> None:
    one = filters.NLMS(taps=2)
    one.run(u, d)
    with pytest.raises(ValueError, match="has been fed a signal, and now rows"):
        one.run(np.ones((3, 2)), np.ones(3))
    with pytest.raises(ValueError, match="learned from real signals"):
        one.run(u * 1j, d)
    with pytest.raises(ValueError, match="length was changed"):
        one.set_params(taps=3).run(u, d)
    one.set_params(taps=2, eta=0.1).run(u, d)  # another step is another matter
    with pytest.raises(ValueError, match="The 'eta' parameter"):
        one.set_params(eta=0.0).run(u, d)
    one = filters.NLMS(taps=2)
    one.run(u * 1j, d)
    assert one.run(u, d).y.dtype == np.complex128  # real numbers are complex ones


def test_single_samples_are_checked_too() -> None:
    one = filters.LMS(taps=2, eta=0.1)
    one.adapt(np.ones(2), 1.0)
    one.adapt(np.ones(2), 1.0)
    for x, wanted, words in (
        (np.array([1.0, np.nan]), 1.0, "X has NaN at sample 0, column 1"),
        (np.ones(2), np.inf, "d has an infinite value at sample 0"),
        (np.ones(3), 1.0, "X has 3 columns and the filter 2 taps"),
    ):
        with pytest.raises(ValueError, match=words):
            one.adapt(x, wanted)
    with pytest.raises(ValueError, match="The 'eta' parameter"):
        one.set_params(eta=-1.0).adapt(np.ones(2), 1.0)
    assert one.n_samples_ == 2
    one.set_params(eta=0.25)
    before = one.w_.copy()
    assert (one.w_ - before).tolist() == [0, 0]
    error = one.adapt(np.ones(2), 1.0)
    assert np.allclose(one.w_ - before, 0.25 * error)  # the new step counts at once


def test_a_spike_is_no_reason_to_warn() -> None:
    one = filters.LMS(taps=10, eta=0.1)
    one.run(np.array([30.0]), np.zeros(1))
    one.run(np.full(2000, 0.1), np.zeros(2000))
    one.run(np.array([1.0]), np.zeros(1))


def test_empty_and_tiny() -> None:
    for one in (filters.NLMS(2), filters.RLS(2), filters.LeastSquaresFilter(2)):
        run = one.run([], [])
        assert run.y.shape == run.e.shape == (0,)
        assert run.w.tolist() == [0, 0]
        assert one.run([1.0], [2.0]).e.shape == (1,)


def test_extreme_values() -> None:
    huge, tiny = np.array([1e300, -1e300, 1e300]), np.array([5e-324, -0.0, 1e-310])
    for one in (filters.NLMS(2), filters.AffineProjection(2), filters.RLS(2), filters.SignLMS(2), filters.LMS(2)):
        assert np.isfinite(one.run(tiny, tiny).y).all()
    assert filters.NLMS(2).run(huge, huge).w.tolist() == [0, 0]  # ‖x‖² is infinite: no step at all
    assert np.isfinite(filters.LeastSquaresFilter(2).run(huge, huge).w).all()
    with pytest.raises(OverflowError, match="RLS diverged"):
        filters.RLS(2).run(huge, huge)
    with pytest.raises(OverflowError, match="left the range of float64: scale the input"):
        filters.LeastSquaresFilter(2).run(np.full(9, 1.7e308), np.ones(9))


def test_integers_lists_and_half_precision() -> None:
    assert filters.LMS(1, 0.1).run([1, 2], [3, 4]).y.dtype == np.float64
    assert filters.LMS(1, 0.1).run(np.ones(2, np.float16), np.ones(2, np.float16)).y.dtype == np.float32
    assert filters.LMS(1, 0.1).run(np.ones(2, np.float32), np.ones(2)).y.dtype == np.float64
    frozen = np.ones(4)
    frozen.flags.writeable = False
    assert filters.LMS(1, 0.1).run(frozen[::2], frozen[::-2]).y.shape == (2,)


def test_looking_before_the_first_sample_changes_nothing() -> None:
    one = filters.RLS(taps=3, delta_absolute=1.0, start=[1.0, 2.0, 3.0])
    assert one.w_.tolist() == [1, 2, 3]
    assert one.predict([1.0, 0.0, 1.0]) == 4
    assert one.predict([1j, 0.0, 1.0]) == 3 + 1j
    assert one.P_.tolist() == np.eye(3).tolist()
    one.run([], [])
    one.set_params(taps=2, delta=4.0, delta_absolute=None, start="zeros")
    assert one.run(u * 1j, d).w.tolist() == filters.RLS(2, delta=4.0).run(u * 1j, d).w.tolist()


def test_a_complex_start_makes_a_complex_filter() -> None:
    run = filters.NLMS(2, start=[1j, 0.0]).run(u, d)
    assert run.y[0] == 1j
    assert run.y.dtype == np.complex128


@pytest.mark.parametrize("taps", [1, 4])
@pytest.mark.parametrize("kind", [filters.LMS, filters.NLMS, filters.RLS, filters.LeastSquaresFilter])
def test_padasips_order_of_one_sample_is_told(kind: Any, taps: int) -> None:
    one = kind(taps)
    for x, d in ((1.0, np.ones(taps)), (1.0, [0.0] * taps), (np.ones((1, taps)), 1.0)):
        with pytest.raises(ValueError, match=rf"adapt\(x, d\) takes a regressor .taps={taps}. .*padasip's"):
            one.adapt(x, d)
    one.adapt(np.ones(taps), 1.0)
    assert np.isfinite(one.predict(np.ones(taps))).all()
