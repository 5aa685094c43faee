"""An equaliser that believes its own decisions."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import filters


@given(st.integers(1, 6), st.integers(0, 5), st.integers(0, 30), st.booleans(), st.integers(0, 2**31))
def test_textbook(taps: int, delay: int, trained: int, complex_: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    symbols = np.array([1, -1, 1j, -1j]) if complex_ else np.array([-3.0, -1.0, 1.0, 3.0])
    sent = rng.choice(symbols, size=60)
    received = np.convolve(sent, [0.2, 1.0, 0.3])[:60] + 0.1 * rng.normal(size=60)
    found = filters.decision_directed(received, sent[:trained], symbols, filters.LMS(taps, 0.01), delay=delay)
    X = np.array([[received[n - k] if n >= k else 0 for k in range(taps)] for n in range(60)])
    w = np.zeros(taps, dtype=found.w.dtype)
    for n, x in enumerate(X):
        y = w @ x
        assert abs(found.y[n] - y) < 1e-9
        if n < trained + delay:
            d = sent[n - delay] if n >= delay else 0
        else:
            d = found.d[n]
            assert abs(d - y) <= min(abs(symbols - y)) + 1e-9
            assert d in symbols
        w = w + 0.01 * (d - y) * x.conj()
    assert abs(found.w - w).max() < 1e-9
    assert (found.d - found.y).tolist() == found.e.tolist()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda r: filters.decision_directed(r, r[:2], []), "there must be symbols"),
        (lambda r: filters.decision_directed(r, r[:2], [[1.0]]), "must be 1-D"),
        (lambda r: filters.decision_directed(r, r[:2], [np.nan]), "symbols has NaN at sample 0"),
        (lambda r: filters.decision_directed(r, r[:2], [1.0], filters.LMS(50)), "taps=50 is more than the 40 samples"),
        (lambda r: filters.decision_directed(r, r[:2], [1.0], filters.LMS(5), delay=-1), "delay=-1 must be a whole"),
    ],
)
def test_refused_in_a_sentence(call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call(np.ones(40))


def test_needs_a_filter_of_single_samples() -> None:
    with pytest.raises(TypeError, match="decisions are made sample by sample; PartitionedLMS does not learn that way"):
        filters.decision_directed(np.ones(40), [1.0], [1.0], filters.PartitionedLMS(4))
