"""What a number is does not depend on where a table is cut: readings, units and the hash are those of the whole."""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import rosenblatt as rb
from distributed import Client
from rosenblatt.blocks.cluster import reach
from rosenblatt.blocks.sources import DataWanted, read_alike
from rosenblatt.data import open_table
from rosenblatt.data.numbers.exact import exact_rows
from rosenblatt.data.numbers.gate import rows_of
from rosenblatt.data.numbers.readings import Reading
from rosenblatt.verdicts.decision import read_numbers
from rosenblatt.verdicts.rounds import GivenRows, rounds
from tests.distributed.conftest import Inline
from tests.distributed.test_training import pairs
from tests.distributed.test_verdicts import agree
from tests.old_certificates import as_version_2

Made = Callable[[np.ndarray, np.random.Generator], Any]


def objects(values: list[Any]) -> np.ndarray:
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def ten(k: int) -> Decimal:
    return Decimal(f"1e{k}")


# A column from whole numbers k: an increasing function of them, or, of the last ones, of most of them.
COLUMNS: dict[str, Made] = {
    "whole": lambda k, _: k,
    "tenths": lambda k, _: k / 10,
    "thirds": lambda k, _: k / 3,
    "millionths": lambda k, _: k / 10**6,
    "far": lambda k, _: 2000 + k / 100,
    "long integers": lambda k, _: objects([10**30 + int(i) for i in k]),
    "int64": lambda k, _: 2**60 + k,
    "uint64": lambda k, _: (k - k.min()).astype(np.uint64) + np.uint64(2**63),
    "long decimals": lambda k, _: objects([Decimal(int(i)) + ten(-20) for i in k]),
    "float32 tenths": lambda k, _: (k / 10).astype(np.float32),
    "float32 thirds": lambda k, _: (k / 3).astype(np.float32),
    "float32 beyond 7 digits": lambda k, _: np.where(k > 0, 2e6 + k, k / 10).astype(np.float32),
    "float32 in several units": lambda k, _: np.where(k > 0, k, k / 1000).astype(np.float32),
    "tiny": lambda k, _: k * 1e-300,
    "tiny here and there": lambda k, _: np.where(k > 0, k, k * 1e-300),
    "huge": lambda k, _: k * 1e290,
    "zeros at ends": lambda k, _: np.where(k > 0, k * 1e290, k * 1e20),
    "beyond floats": lambda k, _: objects([int(i) * ten(400) for i in k]),
    "below floats": lambda k, _: objects([int(i) * ten(-400) for i in k]),
    "all sizes": lambda k, _: objects([int(i) * ten(50 * int(np.sign(i))) for i in k]),
    "one is long": lambda k, _: objects([Decimal(int(i)) + ten(-25) * int(at == 0) for at, i in enumerate(k)]),
    "short and long": lambda k, _: objects([Decimal(f"{i}.1{'3' * 22}" if i > 1 else f"{i}e-1") for i in k]),
    "zeros": lambda k, _: objects([int(i) * ten(320) if i > 3 else Decimal(0) for i in k]),
    "all floats": lambda k, _: objects([float(i) / 7 for i in k]),
}  # fmt: skip


def table(seed: int, names: list[str], n: int) -> tuple[pd.DataFrame, Any]:
    """A table of such columns, and labels that a hyperplane tells, or nearly, or not."""
    rng = np.random.default_rng(seed)
    K = rng.integers(-4, 6, (n, len(names)))
    K = K[np.argsort(K[:, 0])] if seed % 4 == 0 else K  # shards that differ
    frame = pd.DataFrame({f"{j} {name}": COLUMNS[name](K[:, j], rng) for j, name in enumerate(names)})
    score = K[:, rng.integers(len(names))] * 2 - rng.integers(-3, 4)
    y = [rng.integers(0, 2, n), score > 0, np.where(score == 0, rng.integers(0, 2, n), score > 0)][int(rng.integers(3))]
    return frame, y.astype(int)


@pytest.fixture(autouse=True)
def few_rows_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "_SAMPLE", 3)
    monkeypatch.setattr(rounds, "_SAMPLE_EACH", 1)


@given(
    st.integers(0, 10**9),
    st.lists(st.sampled_from([*COLUMNS]), min_size=1, max_size=3),
    st.integers(1, 5),
    st.booleans(),
)
@settings(max_examples=settings.default.max_examples // 3)  # each is decided twice, whole and in shards
def test_any_numbers(seed: int, names: list[str], shards: int, bias: bool) -> None:
    frame, y = table(seed, names, int(np.random.default_rng(seed).integers(6, 40)))
    assume(rb.separability(frame, y, fit_intercept=bias).kind != "unknown")
    agree(frame, y, shards, fit_intercept=bias)


@given(st.integers(0, 10**9), st.lists(st.sampled_from([*COLUMNS]), min_size=1, max_size=2), st.integers(2, 4))
@settings(max_examples=settings.default.max_examples // 3)  # each is decided twice, whole and in shards
def test_coefficients_of_any_numbers(seed: int, names: list[str], shards: int) -> None:
    frame, y = table(seed, names, 24)
    assume(rb.separability(frame, y, coefficients=True).kind != "unknown")
    agree(frame, y, shards, coefficients=True)


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("seed", [0, 1])
def test_readings_are_those_of_the_whole(name: str, seed: int, inline: Inline) -> None:
    frame, y = table(seed, [name], 30)
    whole = read_numbers(rows_of(frame), "decimal").exact
    for shards in (1, 2, 7, 30):
        points = GivenRows.read(reach(inline), pairs(frame, y, shards), DataWanted(), True).by_the_rule("decimal")
        assert points.readings == whole.readings
        assert points.metric == (not whole.own)
        assert points.take(np.arange(30))[0].exact.powers == whole.powers


def test_a_certificate_of_version_2_holds_on_shards(inline: Inline) -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(-50, 50, 60) / 10, rng.integers(0, 9, 60), rng.normal(size=60)])
    for y in (np.where(X[:, 0] > 0, 1, -1), rng.choice([-1, 1], 60)):
        verdict = rb.separability(X, y)
        old = rb.Certificate(as_version_2(verdict.certificate.content, X.tolist(), y.tolist()))
        for given_as in (X, sp.csr_matrix(X)):
            said = rb.distributed.verify(old, pairs(given_as, y, 4), None, inline)
            assert said == old.verify(X, y)
        with pytest.raises(ValueError, match="the data have another hash"):
            rb.distributed.verify(old, pairs(X + 1, y, 4), None, inline)
        wrong = rb.Certificate(old.content | {"decimals": [1, 0, 0]})  # the last column is not whole
        with pytest.raises(ValueError, match="a value is not what the reading of its column says"):
            wrong.verify(X, y)
        with pytest.raises(ValueError, match="a value is not what the reading of its column says"):
            rb.distributed.verify(wrong, pairs(X, y, 4), None, inline)


def test_long_numbers_are_beyond_version_2(inline: Inline) -> None:
    X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([-1, -1, 1, 1])
    old = rb.Certificate(as_version_2(rb.separability(X, y).certificate.content, X.tolist(), y.tolist()))
    long = objects([1, 2, 3, 2**53 + 1])[:, None]
    with pytest.raises(ValueError, match="another hash"):
        rb.distributed.verify(old, pairs(long, y, 2), None, inline)


def test_a_wrong_reading_does_not_hold(inline: Inline) -> None:
    X, y = np.array([[0.1], [0.2], [0.25], [0.4]]), np.array([-1, -1, 1, 1])
    content = rb.separability(X, y).certificate.content
    for reading in ({"power": -1}, {"power": 0}, {"power": 3}):
        wrong = rb.Certificate(content | {"readings": [reading]})
        with pytest.raises(ValueError, match="a value is not what the reading of its column says"):
            rb.distributed.verify(wrong, pairs(X, y, 2), None, inline)
        with pytest.raises(ValueError, match="a value is not what the reading of its column says"):
            wrong.verify(X, y)


def test_whole_numbers_are_not_multiples_of_powers_of_ten() -> None:
    """A reading in units of 10^20 says that all values are such multiples."""
    rows = rows_of(np.array([[5.0], [1e20], [1e40]]))
    assert exact_rows(rows, (Reading(20),)) is None
    assert exact_rows(rows, (Reading(0),)) is not None


def test_floats_where_they_are_asked_for(inline: Inline) -> None:
    frame, y = table(3, ["tenths", "float32 tenths"], 30)
    assert agree(frame, y, 3, numbers="binary").certificate.content["readings"] == [{"binary": 64}, {"binary": 32}]
    frame, y = table(3, ["tenths", "one is long"], 30)
    with pytest.raises(ValueError, match="column 1 has numbers that floats do not hold: numbers='binary' would change"):
        rb.distributed.separability(pairs(frame, y, 5), None, inline, numbers="binary")


def test_a_column_is_float32_where_all_shards_have_it_so(inline: Inline) -> None:
    x, y = np.array([0.1, 0.2, 0.3, 0.4]), np.array([0, 0, 1, 1])
    single, double = x.astype(np.float32)[:, None], x[:, None]
    halves = [(single[:2], y[:2]), (single[2:], y[2:])]
    both = GivenRows.read(reach(inline), halves, DataWanted(), True).by_the_rule("decimal")
    assert both.readings == (Reading(-1),)
    mixed = [(single[:2], y[:2]), (double[2:], y[2:])]
    points = GivenRows.read(reach(inline), mixed, DataWanted(), True).by_the_rule("decimal")
    assert points.readings == (Reading(None, 64),)  # as floats of 64 bits, those of 32 are no tenths
    whole = np.concatenate([single[:2].astype(float), double[2:]])
    found = rb.distributed.separability(mixed, None, inline).certificate.content
    assert found["data_sha256"] == rb.separability(whole, y).certificate.content["data_sha256"]


def test_parquet_files_keep_what_was_written(tmp_path: Path, inline: Inline) -> None:
    k = np.arange(40)
    frame = pd.DataFrame(
        {
            "amount": [Decimal(int(i)).scaleb(-2) for i in k],
            "long": [Decimal(int(i)) + (ten(-20) if i > 30 else Decimal(0)) for i in k],
            "id": 2**60 + k,
            "single": (k / 10).astype(np.float32),
        }
    )
    y = (k * 7 % 40 > 20).astype(int)
    types = [pa.decimal128(20, 2), pa.decimal128(30, 20), pa.int64(), pa.float32(), pa.int64()]
    schema = pa.schema(list(zip([*frame.columns, "y"], types, strict=True)))
    for s in range(4):
        some = slice(10 * s, 10 * s + 10)
        part = pa.Table.from_pandas(frame[some].assign(y=y[some]), schema, preserve_index=False)
        pq.write_table(part, tmp_path / f"{s}.parquet")
    local = rb.separability(frame, y).certificate.content
    table = open_table(tmp_path, target="y")
    alike = [one.shard for one in read_alike(tmp_path, table.encoding)]
    for X, target in ((tmp_path, "y"), (alike, None)):
        found = rb.distributed.separability(X, target, inline).certificate.content
        for name in ("readings", "data_sha256"):
            assert found[name] == local[name]
    assert [one.get("power") for one in local["readings"]] == [-2, -20, 0, -1]


def test_verdicts_on_a_real_cluster(client: Client) -> None:
    frame, y = table(5, ["long integers", "below floats", "float32 tenths"], 60)
    agree(frame, y, 4, client)


def test_what_learners_prove_of_decimals_is_said_of_the_rounded_numbers() -> None:
    """On a cluster, proofs of learners are about floats: where these are not the numbers, the sentence says so."""
    y = np.array([0, 0, 1, 1])
    for X, rounded in ((np.array([[1.0], [2.0], [3.0], [4.0]]), False), (np.array([[0.1], [0.2], [0.3], [0.7]]), True)):
        model = rb.distributed.fit(rb.Perceptron(), pairs(X, y, 2), None, Inline())
        assert model.outcome_ == "SEPARATED"
        assert model.outcome_.sentence.startswith("of the rounded numbers: ") == rounded
