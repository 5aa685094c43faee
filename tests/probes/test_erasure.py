"""Whether a concept was erased: exact means, rounding, and the certificate."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

import rosenblatt as rb


def projected(n=60, p=5, seed=0):
    """Rows before and after the direction between the class means was projected out, in float64."""
    random = np.random.default_rng(seed)
    y = np.arange(n) % 3 == 0
    X = random.standard_normal((n, p)) + np.outer(y, random.standard_normal(p))
    v = X[y].mean(axis=0) - X[~y].mean(axis=0)
    v /= np.linalg.norm(v)
    return X, X - np.outer(X @ v, v), y


@given(st.integers(0, 10**6), st.integers(4, 30))
def test_differences_are_those_of_fractions(seed, n):
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, 3)) * 10.0 ** random.integers(-20, 20, 3)
    y = np.arange(n) % 2 == 0
    found = rb.probes.erased(X, y)
    for j in range(3):
        means = [sum((Fraction(v) for v in X[y == side, j]), Fraction(0)) / int((y == side).sum()) for side in (1, 0)]
        assert found.difference[j] == means[0] - means[1]
    assert found.kind == "different"
    assert not found


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_equal_means_are_proved_and_no_loss_is_lower(seed):
    random = np.random.default_rng(seed)
    half = random.integers(-9, 10, (4, 3)) / 8
    X = np.vstack([half, -half, 2 * half, -2 * half, 3 * half[:1], -3 * half[:1]])  # every class is its own mirror
    y = np.r_[np.zeros(8), np.ones(10)]
    found = rb.probes.erased(X, y)
    assert found.kind == "equal"
    assert rb.verify(found.certificate, X, y).startswith("overlap")
    model = LogisticRegression(C=1e6, max_iter=500).fit(X, y)
    probability, constant = model.predict_proba(X)[:, 1], 10 / 18
    loss, least = (-np.mean(y * np.log(q) + (1 - y) * np.log(1 - q)) for q in (probability, constant))
    assert loss >= least - 1e-9


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_a_projection_is_erased_but_for_rounding(dtype):
    X, after, y = projected()
    # a projection in float64 has errors of its own, far below the spacing of the shorter types
    found = rb.probes.erased(after.astype(dtype), y, before=X)
    assert found.before == pytest.approx(float(max(np.abs(X[y].mean(axis=0) - X[~y].mean(axis=0)))))
    if dtype != "float64":
        assert found.kind == "equal to rounding"
        assert "these have not" in str(found)
    assert rb.probes.erased(X.astype(dtype), y).kind == "different"


def test_bfloat16_tensors_and_a_type_that_is_told():
    torch = pytest.importorskip("torch")
    _, after, y = projected(seed=1)
    assert rb.probes.erased(torch.tensor(after).bfloat16(), y).dtype == "bfloat16"
    assert rb.probes.erased(torch.tensor(after).bfloat16(), y).kind == "equal to rounding"
    wide = torch.tensor(after).bfloat16().float().numpy()  # stored as float32 since
    assert rb.probes.erased(wide, y).kind == "different"
    assert rb.probes.erased(wide, y, dtype="bfloat16").kind == "equal to rounding"


@given(st.integers(0, 10**6), st.sampled_from(["float16", "float32"]))
def test_rounding_is_never_more_than_said(seed, dtype):
    random = np.random.default_rng(seed)
    X = random.standard_normal((20, 2)) * 10.0 ** random.integers(-9, 4)
    y = np.arange(20) % 2 == 0
    exact, rounded = rb.probes.erased(X, y), rb.probes.erased(X.astype(dtype), y)
    for a, b, bound in zip(exact.difference, rounded.difference, rounded.rounding, strict=True):
        assert abs(a - b) <= bound


def test_what_erasure_does_not_say():
    """Equal means, and yet a plane is right more often than the larger class."""
    X = np.array([[0.0], [0.0], [0.0], [4.0], [1.0], [1.0], [1.0], [1.0]])
    y = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    found = rb.probes.erased(X, y)
    assert found.kind == "equal"
    assert np.mean((X[:, 0] > 0.5) == y) == 0.875
    assert "A hyperplane may still be right more often" in found.sentence


def test_bad_input_gets_a_sentence():
    with pytest.raises(ValueError, match="dtype='int8' must be one of float64"):
        rb.probes.erased(np.eye(4), [0, 0, 1, 1], dtype="int8")
    with pytest.raises(ValueError, match="representations must be rows × columns"):
        rb.probes.erased(np.arange(4.0), [0, 0, 1, 1])
    with pytest.raises(ValueError, match="before has shape"):
        rb.probes.erased(np.eye(4), [0, 0, 1, 1], before=np.eye(4)[:, :2])
    with pytest.raises(ValueError, match="class"):
        rb.probes.erased(np.eye(4), [0, 0, 0, 0])


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_value_that_is_no_number_is_refused(value):
    """Fractions of it would take all memory."""
    X = np.arange(8.0).reshape(4, 2)
    X[2, 1] = value
    for arrays in ({"after": X}, {"after": np.zeros((4, 2)), "before": X}):
        with pytest.raises(ValueError, match=f"representations have {value} in row 2, column 1"):
            rb.probes.erased(y=[0, 1, 1, 0], **arrays)
