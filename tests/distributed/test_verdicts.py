"""Verdicts over shards: those of one machine, with the same certificate, checked by the same checker."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import rosenblatt as rb
from distributed import Client
from rosenblatt.blocks.cluster import reach
from rosenblatt.blocks.sources import DataWanted
from rosenblatt.data import Store, open_table
from rosenblatt.data.numbers.gate import rows_of
from rosenblatt.data.numbers.rows import as_rows
from rosenblatt.verdicts import checker
from rosenblatt.verdicts.certificates.certificate import values_as_written
from rosenblatt.verdicts.certificates.holding import digest
from rosenblatt.verdicts.decision import read_numbers
from rosenblatt.verdicts.rounds import GivenRows, begin_digest, old_digest, rounds
from rosenblatt.verdicts.rounds.held import HeldPoints
from tests.distributed.conftest import Inline
from tests.distributed.test_training import pairs


@pytest.fixture(autouse=True)
def few_rows_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds need rows that were not chosen."""
    monkeypatch.setattr(rounds, "_SAMPLE", 3)
    monkeypatch.setattr(rounds, "_SAMPLE_EACH", 1)


NAMES = [f"x{j}" for j in range(60)]


def agree(X: Any, y: Any, shards: int, client: Any = None, **options: Any) -> rb.Verdict:
    """The verdict on shards, after comparing it with the local one and with the checker for strangers."""
    client = client or Inline()
    local = rb.separability(X, y, **options)
    verdict = rb.distributed.separability(pairs(X, y, shards), None, client, **options)
    assert verdict.kind == local.kind
    assert verdict.rows["plane"].tolist() == local.rows["plane"].tolist()
    assert verdict.rows["strict"].tolist() == local.rows["strict"].tolist()
    for name in ("readings", "data_sha256"):
        assert verdict.certificate.content[name] == local.certificate.content[name]
    signs = np.where(np.asarray(y) == np.unique(y)[-1], 1, -1).tolist()
    content = json.loads(json.dumps(verdict.certificate.content))
    assert checker.check(content, values_as_written(rows_of(X)), signs).startswith(verdict.kind)
    assert (verdict.coefficients is None) == (local.coefficients is None)
    assert [one.kind for one in verdict.coefficients or []] == [one.kind for one in local.coefficients or []]
    for certificate in (verdict.certificate, local.certificate):  # one file, whoever made it
        said = rb.distributed.verify(certificate, pairs(X, y, shards), None, client)
        assert said == certificate.verify(X, y)  # one file, one sentence, whoever checks it
    # sets of columns have a second of the clock to be found in: of these only the single ones are surely the same
    ours, theirs = ([one for one in each.because if len(one.columns) == 1] for each in (verdict, local))
    assert [one.entry() for one in ours] == [one.entry() for one in theirs]
    assert [one.sentence(NAMES, "01") for one in ours] == [one.sentence(NAMES, "01") for one in theirs]
    assert [one.strict.tolist() for one in ours] == [one.strict.tolist() for one in theirs]
    assert (verdict.limits, verdict.narrow, verdict.readings) == (local.limits, local.narrow, local.readings)
    for ours, theirs in ((verdict.margin, local.margin), (verdict.street, local.street)):
        assert (ours is None) == (theirs is None)
        assert ours is None or ours[:2] == pytest.approx(theirs[:2], rel=1e-6)
    return verdict


@given(
    st.integers(0, 10**9), st.integers(1, 4), st.integers(1, 4), st.booleans(), st.sampled_from([1.0, 2.0**-60, 1e200])
)
@settings(max_examples=settings.default.max_examples // 3)  # each is decided twice, whole and in shards
def test_any_small_data(seed: int, p: int, shards: int, bias: bool, unit: float) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(shards, 40)) + 1
    X = rng.integers(-2, 3, (n, p)) * unit
    w = rng.integers(-2, 3, p)
    s = (X / unit) @ w
    y = np.where(s == 0, rng.integers(0, 2, n), s > 0).astype(int) if rng.random() < 0.7 else rng.integers(0, 2, n)
    agree(X, y, shards, fit_intercept=bias)


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 4), st.sampled_from(["gap", "touching", "noise"]))
@settings(max_examples=settings.default.max_examples // 3)  # each is decided twice, whole and in shards
def test_coefficients_of_any_small_data(seed: int, p: int, shards: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (24, p)).astype(float)
    X[:, 0] = X[:, -1] if seed % 3 == 0 else X[:, 0]
    s = X @ rng.integers(-2, 3, p) + (0.5 if kind == "gap" else 0.0)
    y = rng.choice([-1, 1], 24) if kind == "noise" else np.where(s > 0, 1, np.where(s < 0, -1, rng.choice([-1, 1], 24)))
    y[:2] = (-1, 1) if len(set(y.tolist())) == 1 else y[:2]
    agree(X, y, shards, coefficients=True)


def test_coefficients_and_a_limit(inline: Inline) -> None:
    data = rb.datasets.margin_cloud(400, 4, margin=0.05, random_state=0)
    verdict = rb.distributed.separability(pairs(*data, 3), None, inline, coefficients=True, time_limit=0.0)
    assert (verdict.kind, verdict.coefficients) == ("unknown", None)


def test_complete_with_the_margin_of_one_machine(client: Client) -> None:
    data = rb.datasets.margin_cloud(3000, 6, margin=0.01, random_state=2)
    verdict = agree(data.X, data.y, 5, client)
    local = rb.separability(*data)
    assert verdict.kind == "complete"
    lower, upper = verdict.margin
    assert lower <= upper
    assert lower == pytest.approx(local.margin[0], rel=1e-9)
    assert upper == pytest.approx(local.margin[1], rel=1e-9)
    assert verdict.mistake_bound == pytest.approx(local.mistake_bound, rel=1e-6)
    assert verdict.radius == local.radius
    assert verdict.street[:2] == pytest.approx(local.street[:2], rel=1e-9)
    assert {"margin", "street"} <= set(verdict.certificate.content)


@pytest.mark.parametrize("gap", [2.0**-24, 2.0**-40, 2.0**-50])
def test_thin_gaps_in_shards(gap: float, inline: Inline) -> None:
    """Both margins are proved where floats see no gap; rows that hold the street are found on their shards."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(1, 9, 300), rng.integers(-9, 10, 300)]).astype(float)
    y = rng.integers(0, 2, 300)
    X[:, 0] *= 2 * y - 1
    X[[17, 211]], y[[17, 211]] = [[0.0, 0.0], [gap, 0.0]], [0, 1]
    verdict = agree(X, y, 4)
    assert verdict.street.lower <= gap / 2 <= verdict.street.upper
    assert verdict.margin[1] <= verdict.margin[0] * (1 + 1e-6)


def test_one_wrong_label_among_many(client: Client) -> None:
    data = rb.datasets.margin_cloud(4000, 5, margin=0.05, random_state=3)
    y = data.y.copy()
    far = int(np.argmax(np.abs(data.X @ data.w_star[:-1])))
    y[far] *= -1
    verdict = agree(data.X, y, 4, client)
    assert verdict.kind == "overlap"
    assert far in verdict.rows["witness"]


def test_quasi_and_low_rank(inline: Inline) -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 2, 300), rng.integers(-5, 6, 300), rng.integers(-5, 6, 300)]).astype(float)
    y = np.where(X[:, 0] == 1, 1, rng.integers(0, 2, 300))
    assert agree(X, y, 3).kind == "quasi"
    flat = X[:, [1, 2, 1]]  # a plane in three dimensions
    flat[:, 2] += flat[:, 1]
    assert agree(flat, rng.integers(0, 2, 300), 3).kind == "overlap"


@pytest.mark.parametrize("kind", ["complete", "quasi", "overlap"])
def test_columns_far_from_zero(kind: str, inline: Inline) -> None:
    """Years, and coordinates whose offset hides what float64 could see."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(*ends, 400) for ends in ((0, 30), (-40, 40), (0, 50))]).astype(float)
    score = X[:, 0] - 15 if kind == "quasi" else X @ [1.0, -1.0, 2.0] - 60.5
    y = np.where(score == 0, rng.integers(0, 2, 400), score > 0).astype(int)
    if kind == "overlap":
        y[np.argmax(score)] = 0
    X[:, 0] += 2000
    X[:, 2] = 2.0**30 + X[:, 2] * 2.0**-16
    assert agree(X, y, 4).kind == kind


@pytest.mark.parametrize("seed", range(20))
def test_the_worst_rows_are_wrong_ones_whatever_rounding_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = 2.0**51 + rng.integers(0, 4, (200, 2))
    u, v = (int(rng.integers(2**60)) for _ in range(2))
    w = [u, -v, v * (2**51 + 1) - u * (2**51 + 2)]
    exact = [w[0] * int(a) + w[1] * int(b) + w[2] for a, b in X]
    y = np.array([1 if value >= 0 else -1 for value in exact], dtype=np.int8)
    near = sorted((abs(value), i) for i, value in enumerate(exact) if value)
    y[[i for _, i in near[:3]]] *= -1
    assert HeldPoints(as_rows(X), y, True).look(w, 3).signs.tolist() == [-1, -1, -1]


def test_a_real_store(tmp_path: Path, client: Client) -> None:
    data = rb.datasets.margin_cloud(3000, 4, margin=0.02, random_state=1)
    table = open_table(frame={**{f"x{j}": data.X[:, j] for j in range(4)}, "y": data.y}, target="y")
    shards = rb.distributed.cut(Store.build(table, tmp_path / "rows"), rows=900)
    verdict = rb.distributed.separability(shards, None, client)
    certificate, local = verdict.certificate.about(table.encoding), rb.separability(data.X, data.y).certificate
    assert (verdict.kind, len(shards)) == ("complete", 4)
    assert certificate.content["data_sha256"] == local.content["data_sha256"]
    assert certificate.verify(data.X, data.y).startswith("complete")
    for one in (certificate, local):
        said = rb.distributed.verify(one, shards, None, client)
        assert said.startswith("complete: w has each of the 3000 rows strictly on its side, and the theorem's margin")


def test_why_classes_are_separable(inline: Inline) -> None:
    """The column that separates, though the rows at its threshold are on other shards; rows of weight zero count."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 50, 300), rng.normal(size=300)]).astype(float)
    y = (X[:, 0] > 20).astype(int)
    verdict = agree(X, y, 4)
    assert verdict.reasons_in_words(["age", "b"], ["ill = 0", "ill = 1"])[0].startswith(
        "age alone separates: ill = 0 ex"
    )
    weights = np.ones(300)
    weights[[0, 7]] = 0
    y[[0, 7]] = 1 - y[[0, 7]]
    shards = [(X[at], y[at], weights[at]) for at in np.array_split(np.arange(300), 3)]
    (because,) = rb.distributed.separability(shards, None, inline).because
    assert because.strict.tolist() == [i for i in range(300) if i not in (0, 7)]
    two = agree(np.column_stack([X[:, 0], 7 - X[:, 0] + np.sign(y - 0.5), X[:, 1]]), rng.permutation(y), 3)
    assert (two.kind, two.because) == ("overlap", ())


def test_sparse_rows(inline: Inline) -> None:
    rng = np.random.default_rng(0)
    X = sp.random(400, 12, density=0.3, format="csr", rng=rng)
    y = (X @ rng.normal(size=12) > 0.1).astype(int)
    verdict = agree(X, y, 3)
    assert verdict.certificate.content["layout"] == "csr"


def test_one_class_is_decided_too() -> None:
    agree(np.array([[1.0], [2.0], [-3.0], [4.0]]), np.array([1, 1, 1, 1]), 2)


def test_few_rows_of_many_columns() -> None:
    rng = np.random.default_rng(0)
    assert agree(rng.normal(size=(30, 60)), rng.integers(0, 2, 30), 3).kind == "complete"


def test_a_time_limit(inline: Inline) -> None:
    data = rb.datasets.margin_cloud(300, 6, margin=0.01, random_state=2)
    verdict = rb.distributed.separability(pairs(*data, 3), None, inline, time_limit=0.0)
    assert (verdict.kind, verdict.reason) == ("unknown", "the time limit was reached")


def test_three_classes_are_refused(inline: Inline) -> None:
    with pytest.raises(ValueError, match="y must have two classes; it has 3"):
        rb.distributed.separability([(np.eye(3), [0, 1, 2])], None, inline)


# --------------------------------------------------------------------------------------------- certificates that lie


@pytest.mark.parametrize("kind", ["complete", "quasi", "overlap"])
def test_a_changed_certificate_does_not_hold(kind: str, inline: Inline) -> None:
    X = np.array([[0.0], [1.0], [1.0], [2.0], [3.0], [4.0]])
    y = {"complete": [0, 0, 0, 1, 1, 1], "quasi": [0, 0, 1, 1, 1, 1], "overlap": [0, 1, 0, 1, 0, 1]}[kind]
    cut = pairs(X, np.array(y), 3)
    verdict = rb.distributed.separability(cut, None, inline)
    assert verdict.kind == kind
    content = verdict.certificate.content
    changes: dict[str, Any] = {"verdict": "complete" if kind != "complete" else "overlap"}
    if "w" in content:
        changes["w"] = ["-" + v if not v.startswith("-") else v[1:] for v in content["w"]]
    if "lambda" in content:
        changes["lambda"] = {**content["lambda"], "5" if kind == "overlap" else "1": "0x77"}
    if "margin" in content:
        changes["margin"] = {**content["margin"], "lower": "0x7/0x1"}
    for name, value in changes.items():
        with pytest.raises(ValueError, match="does not hold"):
            rb.distributed.verify(rb.Certificate({**content, name: value}), cut, None, inline)
    with pytest.raises(ValueError, match="unknown format"):
        rb.distributed.verify(rb.Certificate({**content, "format": "x"}), cut, None, inline)
    with pytest.raises(ValueError, match="it is about 6 rows and 1 columns"):
        rb.distributed.verify(verdict.certificate, cut[:2], None, inline)
    with pytest.raises(ValueError, match="another hash"):
        rb.distributed.verify(verdict.certificate, [*cut[:2], (cut[2][0] + 1, cut[2][1])], None, inline)


# --------------------------------------------------------------------------------------------------------- the hash


@pytest.mark.parametrize("layout", ["dense", "csr"])
def test_the_hash_of_shards_is_that_of_the_whole(layout: str, client: Client) -> None:
    rng = np.random.default_rng(0)
    X = np.where(rng.random((50, 7)) < 0.5, rng.normal(size=(50, 7)), -0.0)
    y = rng.choice([-1, 1], 50)
    X = sp.csr_matrix(X) if layout == "csr" else X
    signs = y.astype(np.int8)
    for one in (Inline(), client):
        given = GivenRows.read(reach(one), pairs(X, y, 4), DataWanted(), True)
        points = given.by_the_rule("decimal")
        whole = read_numbers(as_rows(X), "decimal")
        assert points.readings == whole.exact.readings
        assert begin_digest(points.shards, points.readings, layout)() == digest(whole, signs, layout)
        assert old_digest(given.shards, given.p, layout) == digest(as_rows(X), signs, layout, version=2)
