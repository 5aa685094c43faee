"""Verdicts that were found on few rows: the same as those of all rows, with certificates that hold for strangers."""

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.context import SILENT
from rosenblatt.data.numbers.gate import rows_of
from rosenblatt.estimates import few_rows
from rosenblatt.estimates.few_rows import FewRows


def _table(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rare columns, factors, copies of columns and outcomes that a column decides: every fate occurs."""
    r = np.random.default_rng(seed)
    n = int(r.integers(30, 400))
    level = r.integers(0, 4, n)
    X = np.column_stack([level[:, None] == np.arange(1, 4), r.integers(-3, 4, n), r.random((n, 2)) < [0.3, 0.03]])
    X = X.astype(float)
    if seed % 3 == 0:
        X = np.c_[X, X[:, 0] - X[:, 3]]  # not identified
    if seed % 4 == 1:
        X = np.c_[X, r.normal(size=n)]
    chance = r.choice([0.03, 0.2, 0.5])
    y = r.random(n) < chance
    if seed % 5 == 2:
        y = X[:, 3] > r.integers(-2, 3)
    if seed % 5 == 3:
        y |= (X[:, 3] > 1) & (level < 2)
    if seed % 7 == 1:
        y[level == 2] = False
    y[:2] = False, True
    return X, y


def _agree(X: np.ndarray, y: np.ndarray) -> tuple[str, list[str]]:
    names = [f"x{j}" for j in range(X.shape[1])]
    signs = np.where(y, 1, -1).astype(np.int8)
    found = FewRows.of(rows_of(X), True, names).decide(signs, [0, 1], SILENT)
    alone = rb.separability(X, y.astype(int), margin=False, coefficients=True)
    assert found is not None
    assert (found.kind, found.fates) == (alone.kind, [one.kind for one in alone.coefficients])
    assert found.certificate.verify(X, y.astype(int)).startswith(alone.kind)
    assert found.certificate.examine(rb.data.numbers.as_rows(X), signs, independent=True).startswith(alone.kind)
    return found.kind, found.fates


def test_agrees_with_all_rows(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(few_rows, "_ENDS", 1)  # so that rows must join
    monkeypatch.setattr(few_rows, "_EACH", 1)
    seen = [_agree(*_table(seed)) for seed in range(400 if request.config.getoption("--soak") else 40)]
    assert {kind for kind, _ in seen} == {"complete", "quasi", "overlap"}
    fates = {fate for _, some in seen for fate in some}
    assert fates == {"finite", "+inf", "-inf", "undetermined", "not identified"}


def test_rows_join_until_none_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(few_rows, "_ENDS", 1)
    monkeypatch.setattr(few_rows, "_EACH", 1)
    sizes: list[int] = []
    ask = FewRows._on
    monkeypatch.setattr(FewRows, "_on", lambda self, some, *rest: sizes.append(some.size) or ask(self, some, *rest))
    r = np.random.default_rng(4)
    X = r.normal(size=(3000, 6))
    assert _agree(X, X[:, 0] + X[:, 1] > 0)[0] == "complete"
    assert 1 < len(sizes) <= 12
    assert sizes[-1] < 1000


def test_a_certificate_of_few_rows_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A column that the first rows lack: without the check the table would be called collinear."""
    X = np.zeros((500, 2))
    X[:, 0] = np.arange(500) % 7
    X[250, 1], X[251, 1] = 1e-3, -1e-3
    monkeypatch.setattr(few_rows, "_ENDS", 0)
    monkeypatch.setattr(few_rows, "_EACH", 2)
    _, fates = _agree(X, np.arange(500) % 2 == 0)
    assert "not identified" not in fates
