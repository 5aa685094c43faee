"""Growth of the weights' errors on a signal: against the product of matrices itself, and against what LMS then does."""

import warnings

import numpy as np
import pytest
from scipy.signal import lfilter

from rosenblatt import filters


def product(X, eta, start):
    """log‖w‖ after each row, w ← (I − ηx*xᵀ)w, in plain NumPy."""
    w, lengths = start / np.linalg.norm(start), [0.0]
    for x in X:
        w = w - eta * x.conj() * (x @ w)
        lengths.append(lengths[-1] + np.log(np.linalg.norm(w)))
        w = w / np.linalg.norm(w)
    return np.array(lengths)


@pytest.mark.parametrize("eta", [0.02, 0.3, 2.0])
@pytest.mark.parametrize("complex_", [False, True])
def test_growth_is_that_of_the_product(eta, complex_):
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 4)) + (1j * random.normal(size=(300, 4)) if complex_ else 0)
    lengths = [product(X, eta, np.random.default_rng(seed).normal(size=4)) for seed in range(3)]
    found = filters.growth(X, eta=eta)
    assert found.rate == pytest.approx(max(one[-1] for one in lengths) / 300, rel=1e-9)
    looks = [np.append(one[:-1:64], one[-1]) for one in lengths]  # lengths are looked at every 64 samples
    rise = max(max(0.0, max(b - a for i, a in enumerate(one) for b in one[i:])) for one in looks)
    assert found.rise == pytest.approx(rise, abs=1e-9)


def test_a_signal_is_its_delay_line():
    u = np.random.default_rng(1).normal(size=500)
    assert filters.growth(u, 5, eta=0.2) == filters.growth(filters.delay_line(u, 5), eta=0.2)


SIGNALS = {
    "white": lambda random, n: random.normal(size=n),
    "coloured": lambda random, n: lfilter([1], [1, -0.9], random.normal(size=n)),
    "heavy tails": lambda random, n: random.standard_t(3, n),
    "sparse": lambda random, n: random.normal(size=n) * (random.random(n) < 0.05),
}


@pytest.mark.parametrize("name", SIGNALS)
@pytest.mark.parametrize("taps", [8, 32])
@pytest.mark.filterwarnings("ignore:eta=")
def test_below_a_safe_step_errors_stay_and_above_it_they_grow(name, taps):
    """Where the textbook's bound lets the error's power grow to 10^209, a safe step never multiplies it much."""
    random = np.random.default_rng(taps)
    n = 20_000
    u, h = SIGNALS[name](random, n), random.normal(size=taps)
    d = np.convolve(u, h)[:n] + 0.1 * random.normal(size=n)
    safe = filters.safe_step(u, taps)
    assert safe < filters.max_step(u, taps)
    assert filters.growth(u, taps, eta=safe).safe
    assert not filters.growth(u, taps, eta=1.05 * safe).safe
    assert _farthest(u, d, h, 0.7 * safe) < 2
    if name != "heavy tails":  # there a few loud samples grow, and quiet ones repair it
        assert _farthest(u, d, h, 3 * safe) > 10


@pytest.mark.parametrize("name", SIGNALS)
@pytest.mark.parametrize("taps", [8, 32])
@pytest.mark.parametrize("part", [0.02, 0.1, 0.3, 0.5, 0.7, 0.9])
def test_a_run_that_diverges_warns_and_says_what_would_be_safe(name, taps, part):
    """A warning, or an error, wherever errors end up larger than what is to be found; none where they get small."""
    random = np.random.default_rng([taps, 1])
    n = 20_000
    u, h = SIGNALS[name](random, n), random.normal(size=taps)
    d = np.convolve(u, h)[:n] + 0.1 * random.normal(size=n)
    eta = part * filters.max_step(u, taps)
    with warnings.catch_warnings(record=True) as told, np.errstate(over="ignore"):
        warnings.simplefilter("always")
        try:
            end = np.mean(np.abs(filters.LMS(taps, eta).run(u, d).e[-2000:]) ** 2)
            words = " ".join(str(one.message) for one in told)
        except OverflowError as problem:
            end, words = np.inf, str(problem)
    if not end < 2 * np.mean(d**2):
        assert f"On this signal steps below {filters.safe_step(u, taps):.3g} do not grow (safe_step)." in words
    if eta < filters.safe_step(u, taps):
        assert not words


def _farthest(u, d, h, eta):
    """How far the weights go from the truth, in units of where they began."""
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            far = np.linalg.norm(filters.LMS(len(h), eta).run(u, d, history=16).history - h, axis=1)
    except OverflowError:
        return np.inf
    return far.max() / far[0]


def test_units_do_not_matter_and_silence_is_safe():
    u = np.random.default_rng(2).normal(size=2000)
    assert filters.safe_step(1000 * u, 4) == pytest.approx(filters.safe_step(u, 4) / 1e6, rel=1e-6)
    assert filters.safe_step(np.zeros(50), 4) == np.inf
    assert filters.growth(np.full(50, 1e200), 4, eta=1.0) == (np.inf, np.inf)


def test_bad_input():
    with pytest.raises(ValueError, match="taps is missing"):
        filters.safe_step(np.ones(9))
    with pytest.raises(ValueError, match=r"eta=-1.0 must be a positive number"):
        filters.growth(np.ones(9), 2, eta=-1.0)
