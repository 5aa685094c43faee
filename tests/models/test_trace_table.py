"""A trace as a table: step, pass, row, response, correction, weights."""

import numpy as np
import pytest

import rosenblatt as rb


def test_every_correction_is_a_row():
    X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), [0, 0, 0, 1]
    trace = rb.Perceptron.from_recipe("rosenblatt62", eta=0.1, trace=True).fit(X, y).trace_
    table = trace.table(["left", "right"])
    assert table.index.tolist() == list(range(1, 19))
    assert table[["w_left", "w_right", "bias"]].to_numpy().tolist() == trace.weights_at(np.arange(1, 19)).tolist()
    assert table["row"].tolist() == trace.rows.tolist()
    signs = np.where(np.array(y)[trace.rows] == 1, 1, -1)
    assert (table["correction"].to_numpy() == 0.1 * signs).all()
    before = trace.weights_at(np.arange(18))
    assert np.allclose(table["response"], [w[:2] @ X[i] + w[2] for w, i in zip(before, trace.rows, strict=True)])
    assert (signs * table["response"] <= 0).all()
    assert np.cumsum(np.bincount(table["pass"])[1:]).tolist() == trace.pass_ends[:-1].tolist()
    assert repr(trace).startswith("<Trace: 18 corrections in 9 passes (row: step) 0: -0.1, 3: +0.1, ")
    assert "…" in repr(trace)


def test_k_classes_are_refused_in_a_sentence():
    trace = rb.Perceptron(multiclass="kesler", trace=True).fit([[0], [1], [2]], ["a", "b", "c"]).trace_
    with pytest.raises(ValueError, match="one weight vector for each class"):
        trace.table()
