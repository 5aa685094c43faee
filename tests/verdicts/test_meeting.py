"""The point in both hulls that a witness shows, and the theorem's numbers around a run, against naive versions."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt.verdicts.margins.margin import meeting_of
from rosenblatt.verdicts.trial import separating_vector, theorem_of

small = st.integers(2, 8).flatmap(
    lambda n: st.tuples(
        st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=n, max_size=n),
        st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n),
    )
)


@given(small)
@settings(max_examples=40, deadline=None)
def test_the_hulls_meet_where_it_says(data: Any) -> None:
    X, y = np.array(data[0], dtype=np.float64), np.array(data[1], dtype=np.int8)
    if len(set(y.tolist())) < 2:
        return
    verdict = rb.separability(X, y, margin=False, numbers="binary")
    found = meeting_of(verdict.witness, X, y)
    assert (found is None) == (verdict.kind == "complete")
    if found is None:
        return
    for sign in (-1, 1):
        mine = [(i, part) for i, part in zip(found.rows, found.parts, strict=True) if y[i] == sign]
        assert sum(part for _, part in mine) == pytest.approx(1.0)
        assert sum(part * X[i] for i, part in mine) == pytest.approx(found.point)
        assert all(part > 0 for _, part in mine)


def test_the_theorem_encloses_the_run_at_every_correction() -> None:
    X, y = rb.datasets.margin_cloud(60, 2, margin=0.05, random_state=4)
    verdict = rb.separability(X, y, numbers="binary")
    model = rb.Perceptron(trace=True, order="cyclic").fit(X, y)
    Z = np.column_stack([X, np.ones(len(X))]) * np.where(y > 0, 1.0, -1.0)[:, None]
    signs = np.where(y > 0, 1, -1).astype(np.int8)
    growth = float(np.max(np.sum(Z * Z, axis=1)))
    found = theorem_of(model.trace_, X, signs, verdict, growth, 1.0, False, samples=50)
    w, norms, sides = np.zeros(3), [0.0], [0.0]
    w_star = np.array([float(Fraction(v, 1 << 200)) for v in separating_vector(verdict)])
    for i in model.trace_.rows:
        w = w + Z[i]
        norms.append(float(w @ w))
        sides.append(float(w @ w_star / np.linalg.norm(w_star)))
    assert found.k[0] == 0
    assert found.k[-1] == model.n_updates_
    assert found.norm_sq == pytest.approx(np.array(norms)[found.k])
    assert found.ahead is not None
    assert found.gain is not None
    assert found.cos is not None
    assert found.bound is not None
    lower = np.maximum(0.0, found.ahead + found.k * found.gain) ** 2
    assert (lower <= found.norm_sq * (1 + 1e-9)).all()
    assert (found.norm_sq <= found.begin + found.k * growth * (1 + 1e-9)).all()
    assert found.cos[1:] * np.sqrt(found.norm_sq[1:]) == pytest.approx(np.array(sides)[found.k[1:]])
    assert model.n_updates_ <= found.bound


def test_without_a_separating_vector_there_are_only_norms() -> None:
    X, y = rb.datasets.xor()
    verdict = rb.separability(X, y)
    with pytest.warns(match="no hyperplane|still"):
        trace = rb.Perceptron(trace=True, max_passes=5).fit(X, y).trace_
    found = theorem_of(
        trace, np.asarray(X, dtype=float), np.array([-1, 1, 1, -1], dtype=np.int8), verdict, 3.0, 1.0, False, 9
    )
    assert (found.bound, found.ahead, found.gain, found.cos) == (None, None, None, None)
    assert found.norm_sq == pytest.approx(np.sum(trace.weights_at(found.k) ** 2, axis=1))
    with pytest.raises(ValueError, match="the theorem needs a separating hyperplane"):
        separating_vector(verdict)
