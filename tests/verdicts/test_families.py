"""Every family of tables, at every size down to one row, ends in a verdict."""

import numpy as np
import pytest
from benchmarks.verdicts.families import FAMILIES

import rosenblatt as rb
from rosenblatt.data.numbers import rows_of
from rosenblatt.verdicts import checker

SIZES = [(1, 1), (2, 1), (3, 5), (6, 12), (20, 6), (60, 60), (61, 130), (150, 40), (400, 90)]


@pytest.mark.parametrize("name", FAMILIES)
def test_every_size_has_an_answer(name: str) -> None:
    for n, p in SIZES:
        X, y = FAMILIES[name].make(np.random.default_rng(n * p), n, p)
        for bias in (True, False):
            verdict = rb.separability(X, y, bias, margin=False)
            assert verdict.kind != "unknown", f"{n} × {p}: {verdict.reason}"
            assert verdict.certificate.verify(X, y).startswith(verdict.kind), f"{n} × {p}"


# -- written out, though nearly all of it is zeros


def spread(rng: np.random.Generator, case: int) -> tuple[np.ndarray, np.ndarray]:
    """Levels in 0 and 1: a pure level, all levels beside the intercept, a column nearly a copy, separable rows."""
    i = np.arange(800)
    f, g, y = i % 90, rng.integers(40, size=800), i // 90 % 2
    parts = [np.eye(90)[f][:, 1:], np.eye(40)[g][:, case % 2 :]]
    if case in (2, 3):
        y[f == 7] = 1
    if case == 4:
        some = np.where(f < 4, rng.normal(size=800), 0.0)
        parts.append(np.column_stack([some, some / 3]))
    if case == 5:
        y = (f % 2).astype(int)
    return np.hstack(parts), y


@pytest.mark.parametrize("case", range(6))
def test_levels_written_out_are_decided_as_all_rows_are(case: int, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = spread(np.random.default_rng(case), case)
    assert rows_of(X).without_zeros() is not None
    verdict = rb.separability(X, y, coefficients=True)
    with monkeypatch.context() as patch:
        patch.setattr("rosenblatt.data.numbers.rows._NEARLY_ALL", -1.0)
        plain = rb.separability(X, y, coefficients=True)
    assert verdict.kind == plain.kind == {2: "quasi", 3: "quasi", 5: "complete"}.get(case, "overlap")
    for side in ("strict", "plane"):
        assert verdict.rows[side].tolist() == plain.rows[side].tolist()
    assert [(one.name, one.kind) for one in verdict.coefficients] == [(o.name, o.kind) for o in plain.coefficients]
    assert (verdict.nearly and verdict.nearly.columns) == (plain.nearly and plain.nearly.columns)
    assert (verdict.nearly is not None) == (case == 4)
    assert verdict.certificate.content["layout"] == "dense"
    assert verdict.certificate.content["data_sha256"] == plain.certificate.content["data_sha256"]
    signs = np.where(y > 0, 1, -1).tolist()
    for one in (verdict, plain):
        assert one.certificate.verify(X, y).startswith(one.kind)
        assert checker.check(one.certificate.content, X.tolist(), signs).startswith(one.kind)


def test_levels_written_out_that_were_changed_have_no_certificate() -> None:
    X, y = np.eye(150)[np.repeat(np.arange(150), 12)], np.tile([0, 1], 900)
    verdict = rb.separability(X, y)
    assert (verdict.kind, verdict.proof) == ("overlap", "floats")
    X[0, 0] = 2.0
    with pytest.raises(ValueError, match="the rows have changed since they were decided"):
        verdict.certificate.save("never.json")
