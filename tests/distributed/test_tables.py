"""Tables on a cluster: text columns, row weights, names, probabilities and progress, as on one machine."""

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import rosenblatt as rb
from distributed import Client
from rosenblatt.data import open_table
from tests.distributed.test_training import bits, pairs

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

RNG = np.random.default_rng(7)
N = 240
FRAME = pd.DataFrame(
    {
        "size": RNG.normal(size=N).round(2),
        "coat": RNG.choice(["long", "short", "wire"], N),
        "age": pd.Categorical(RNG.choice(["young", "old"], N), categories=["young", "old"]),
    }
)
FRAME["pet"] = np.where(FRAME["size"] + (FRAME["coat"] == "wire") + RNG.normal(scale=0.5, size=N) > 0.3, "dog", "cat")
FRAME["times"] = np.arange(N) % 4  # row weights, some of them zero
FEATURES = ["size", "coat", "age"]


def parquet(folder: Path, frame: pd.DataFrame, files: int = 3) -> Path:
    for s, some in enumerate(np.array_split(np.arange(len(frame)), files)):
        frame.iloc[some].to_parquet(folder / f"part-{s}.parquet", index=False)
    return folder


@pytest.fixture(params=["frame", "folder", "pattern", "list"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    frame = FRAME.drop(columns="times")
    if request.param == "frame":
        return dd.from_pandas(frame, npartitions=3)
    folder = parquet(tmp_path, frame)
    return {"folder": folder, "pattern": str(folder / "*.parquet"), "list": sorted(folder.iterdir())}[request.param]


def encoded() -> tuple[Any, Any]:
    """The rows as `open_table` makes them of the whole frame, and their labels."""
    whole = open_table(frame=FRAME.drop(columns="times"), target="pet")
    return whole.arrays()[0], FRAME["pet"].to_numpy(dtype=str)


@pytest.mark.parametrize("learner", [rb.Perceptron(max_passes=9), rb.Logistic()], ids=["mixed", "summed"])
def test_text_columns_are_encoded_as_on_one_machine(learner: Any, table: Any, client: Client) -> None:
    X, y = encoded()
    by_hand = rb.distributed.fit(learner, pairs(X, y, 3), None, "here")
    wanted, said = bits(by_hand), by_hand.predict(X)
    model = rb.distributed.fit(learner, table, "pet", client)
    assert bits(model) == wanted
    assert model.encoding_.features == ["size", "coat=short", "coat=wire", "age=old"]
    assert not hasattr(model, "feature_names_in_")
    assert rb.distributed.predict(model, table, client).compute().tolist() == said.tolist()


def test_a_saved_model_knows_its_text_columns(tmp_path: Path) -> None:
    frame = dd.from_pandas(FRAME.drop(columns="times"), npartitions=3)
    model = rb.distributed.fit(rb.Perceptron(max_passes=9), frame, "pet", "here")
    rb.save(model, tmp_path / "pets.model")
    again = rb.load(tmp_path / "pets.model")
    features = frame[FEATURES]
    assert rb.distributed.predict(again, features, "here").compute().tolist() == model.predict(encoded()[0]).tolist()
    strange = dd.from_pandas(FRAME[FEATURES].assign(coat="bald"), npartitions=2)
    with pytest.raises(ValueError, match=r"partition \d: .*bald"):
        rb.distributed.predict(model, strange, "here").compute()


def test_missing_values_and_identifiers_are_refused() -> None:
    gap = FRAME.drop(columns="times")
    gap.loc[200, "coat"] = None
    with pytest.raises(ValueError, match=r"partition 2: .*missing values .*row 41, column \"coat\""):
        rb.distributed.fit(rb.Perceptron(), dd.from_pandas(gap, npartitions=3), "pet", "here")
    names = dd.from_pandas(gap.assign(coat=[f"n{i}" for i in range(N)]), npartitions=3)
    with pytest.raises(ValueError, match=r"coat.*different values"):
        rb.distributed.fit(rb.Perceptron(), names, "pet", "here")


def test_text_in_the_names_of_folders(tmp_path: Path) -> None:
    for place, some in FRAME.drop(columns="times").groupby("coat"):
        (tmp_path / f"coat={place}").mkdir()
        some.drop(columns="coat").to_parquet(tmp_path / f"coat={place}" / "part.parquet", index=False)
    model = rb.distributed.fit(rb.Perceptron(max_passes=3), tmp_path, "pet", "here")
    assert sorted(model.encoding_.features) == ["age=old", "coat=short", "coat=wire", "size"]
    assert len(rb.distributed.predict(model, tmp_path, "here").compute()) == N


def test_a_verdict_about_text_columns(table: Any, client: Client) -> None:
    whole = open_table(frame=FRAME.drop(columns="times"), target="pet")
    local = rb.separability(whole, coefficients=True)
    found = rb.distributed.separability(table, "pet", client, coefficients=True)
    assert found.kind == local.kind
    assert [(one.name, one.kind) for one in found.coefficients] == [(one.name, one.kind) for one in local.coefficients]
    assert rb.verify(found.certificate, whole) == rb.verify(local.certificate, whole)
    assert found.certificate.content["data_sha256"] == local.certificate.content["data_sha256"]


def test_addresses_and_patterns_are_read_as_the_files_are(tmp_path: Path) -> None:
    import fsspec

    store, folder, whole = fsspec.filesystem("memory"), tmp_path / "rows", FRAME.drop(columns="times")
    folder.mkdir()
    for k, start in enumerate(range(0, len(whole), 60)):
        whole.iloc[start : start + 60].to_parquet(folder / f"{k}.parquet")
        store.pipe(f"/test_tables/{k}.parquet", (folder / f"{k}.parquet").read_bytes())
    local = rb.separability(open_table(frame=whole, target="pet"))
    listed = sorted(map(str, folder.iterdir()))
    at_addresses: list[Any] = [f"file://{folder}", f"file://{folder}/*.parquet", f"{folder}/*.parquet", listed]
    for X in [*at_addresses, "memory://test_tables", "memory://test_tables/*.parquet"]:
        found = rb.distributed.separability(X, "pet", "here")
        assert found.certificate.content["data_sha256"] == local.certificate.content["data_sha256"]
    model = rb.distributed.fit(rb.Logistic(), "memory://test_tables/*.parquet", "pet", "here")
    same = rb.distributed.predict(model, str(folder), "here", method="predict_proba").compute()
    found = rb.distributed.predict(model, "memory://test_tables/*.parquet", "here", method="predict_proba").compute()
    assert found.tolist() == same.tolist()


def test_an_address_without_files_is_refused_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "s3fs", None)
    for address, sentence in {
        "s3://bucket/rows": r"s3://bucket/rows cannot be read as Parquet files \(Install s3fs to access S3\)\.",
        "memory://none/*.parquet": r"memory://none/\*\.parquet matches no file\.",
    }.items():
        with pytest.raises(ValueError, match=sentence):
            rb.distributed.fit(rb.Perceptron(), address, "y", "here")
    with pytest.raises(ValueError, match="not read together"):
        rb.distributed.fit(rb.Perceptron(), ["memory://a.parquet", "b.parquet"], "y", "here")
    with pytest.raises(ValueError, match="matches no file"):
        rb.distributed.fit(rb.Perceptron(), "/nowhere/*.parquet", "y", "here")


# ------------------------------------------------------------------------------------------------------------- weights

X, Y, TIMES = FRAME[["size"]].to_numpy(), (FRAME["pet"] == "dog").to_numpy(), FRAME["times"].to_numpy(dtype=float)
NUMBERS = FRAME[["size", "times"]].assign(y=Y)


def weighted(folder: Path) -> Iterator[tuple[Any, Any, Any]]:
    """The same rows and weights, given in every way."""
    lazy = da.from_array(X, chunks=(80, -1))
    yield lazy, Y, TIMES
    yield lazy, da.from_array(Y, chunks=60), da.from_array(TIMES, chunks=100)
    frame = dd.from_pandas(NUMBERS, npartitions=3)
    yield frame, "y", "times"
    yield frame[["size"]], frame["y"], frame["times"]
    yield [(X[a : a + 80], Y[a : a + 80], TIMES[a : a + 80]) for a in (0, 80, 160)], None, None
    yield parquet(folder, NUMBERS), "y", "times"


@pytest.mark.parametrize("learner", [rb.Perceptron(max_passes=5), rb.Logistic(), rb.LeastSquares()])
def test_row_weights_in_every_way(learner: Any, tmp_path: Path) -> None:
    given = list(weighted(tmp_path))
    fits = [bits(rb.distributed.fit(learner, a, b, "here", sample_weight=c)) for a, b, c in given]
    assert fits == [fits[-1]] * len(given)
    assert fits[0] != bits(rb.distributed.fit(learner, given[0][0], Y, "here"))


def test_one_shard_with_row_weights_is_the_local_learner() -> None:
    local = bits(rb.Perceptron(max_passes=5).fit(X, Y, sample_weight=TIMES))
    lazy = da.from_array(X, chunks=(N, -1))
    assert bits(rb.distributed.fit(rb.Perceptron(max_passes=5), lazy, Y, "here", sample_weight=TIMES)) == local


@pytest.mark.parametrize("kind", ["complete", "quasi", "overlap"])
@pytest.mark.parametrize("shards", [1, 4, 12])
def test_rows_of_weight_zero_are_absent_from_a_verdict(kind: str, shards: int) -> None:
    rng = np.random.default_rng(shards)
    A = rng.integers(-4, 5, size=(60, 2)).astype(float)
    side = A[:, 0] + A[:, 1] if kind != "overlap" else rng.normal(size=60)
    y = side > 0
    weights = np.where((side == 0) & (kind == "complete"), 0.0, rng.integers(0, 3, size=60))
    weights[:10] = 0.0  # whole shards
    y[weights == 0] = rng.random(int(np.sum(weights == 0))) < 0.5  # what absent rows say does not matter
    if kind == "quasi":
        A[side == 0], y[np.flatnonzero(side == 0)[::2]] = 0.0, True
    local = rb.separability(A, y, sample_weight=weights, coefficients=True)
    cut = [tuple(part) for part in zip(*(np.array_split(one, shards) for one in (A, y, weights)), strict=True)]
    found = rb.distributed.separability(cut, None, "here", coefficients=True)
    assert (found.kind, found.n) == (local.kind, local.n)
    assert {name: rows.tolist() for name, rows in found.rows.items() if name != "witness"} == {
        name: rows.tolist() for name, rows in local.rows.items() if name != "witness"
    }
    assert not set(found.witness or ()) & set(np.flatnonzero(weights == 0).tolist())
    assert [(one.name, one.kind) for one in found.coefficients] == [(one.name, one.kind) for one in local.coefficients]
    assert found.certificate.content["data_sha256"] == local.certificate.content["data_sha256"]
    present = weights > 0
    assert found.certificate.verify(A[present], y[present])
    assert rb.distributed.verify(local.certificate, cut, None, "here") == local.certificate.verify(
        A[present], y[present]
    )


def test_weights_that_are_refused() -> None:
    lazy = da.from_array(X, chunks=(80, -1))
    with pytest.raises(ValueError, match=r"chunk \d: weights must be 80 finite numbers, none negative"):
        rb.distributed.fit(rb.Perceptron(), lazy, Y, "here", sample_weight=-TIMES - 1)
    with pytest.raises(ValueError, match="X has 240 rows, but sample_weight has 3 weights"):
        rb.distributed.separability(lazy, Y, "here", sample_weight=[1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="have their weights with them: pass sample_weight=None"):
        rb.distributed.fit(rb.Perceptron(), pairs(X, Y, 2), None, "here", sample_weight=TIMES)
    with pytest.raises(ValueError, match="sample_weight is the name of a column, or a Dask series"):
        rb.distributed.fit(rb.Perceptron(), dd.from_pandas(NUMBERS, npartitions=2), "y", "here", sample_weight=TIMES)
    with pytest.raises(ValueError, match="no rows of positive weight"):
        rb.distributed.separability(lazy, Y, "here", sample_weight=np.zeros(N))


# ----------------------------------------------------------------------------------------------------- what one is told


def test_probabilities_are_the_local_ones(client: Client) -> None:
    rng = np.random.default_rng(0)
    A, three = rng.normal(size=(90, 3)), np.arange(90) % 3
    lazy = da.from_array(A, chunks=(40, -1))
    for y in (three > 0, three):
        model = rb.Logistic().fit(A, y)
        found = rb.distributed.predict(model, lazy, client, method="predict_proba")
        assert found.shape == (90, len(model.classes_))
        assert found.compute().tobytes() == model.predict_proba(A).tobytes()
    with pytest.raises(ValueError, match="Perceptron has no predict_proba"):
        rb.distributed.predict(rb.Perceptron().fit(A, three > 0), lazy, client, method="predict_proba")


def _note(told: list[Any], *moment: Any) -> None:
    told.append(moment)


def test_progress_is_told(client: Client) -> None:
    for where in ("here", client):
        told = list[Any]()
        note = partial(_note, told)
        rb.distributed.fit(rb.Perceptron(max_passes=2), pairs(X, Y, 3), None, where, progress=note)
        assert {("reading the data", 3, 3), ("pass 1", 0, 3), ("pass 2", 3, 3)} <= set(told)
        told.clear()
        rb.distributed.separability(pairs(X, Y, 3), None, where, progress=note)
        assert {("reading the numbers", 3, 3), ("checking the proof", 3, 3)} <= set(told)


def test_names_stand_in_sentences(tmp_path: Path) -> None:
    frame = pd.DataFrame({"height": [0.0, 1.0, 2.0, 3.0], "flat": [1.0, 2.0, 1.0, 2.0], "y": [0, 0, 1, 1]})
    for data in (dd.from_pandas(frame, npartitions=2), parquet(tmp_path, frame, 2)):
        model = rb.distributed.fit(rb.Logistic(), data, "y", "here")
        assert str(model.outcome_) == "RECEDING"
        assert "height grow" in model.outcome_.sentence


def test_a_verdict_without_time_is_unknown(client: Client) -> None:
    for where in ("here", client):
        verdict = rb.distributed.separability(pairs(X, Y, 3), None, where, time_limit=0.0)
        assert (verdict.kind, verdict.reason) == ("unknown", "the time limit was reached")


def test_what_is_no_learner_of_a_cluster_is_refused_by_its_name() -> None:
    import sklearn.linear_model

    table = dd.from_pandas(FRAME, npartitions=3)
    with pytest.raises(TypeError, match=r"KernelPerceptron keeps rows, .* it learns on one machine"):
        rb.distributed.fit(rb.KernelPerceptron(), table, "pet", "here")
    with pytest.raises(TypeError, match="must be one of rosenblatt's learners, not a Perceptron"):
        rb.distributed.fit(sklearn.linear_model.Perceptron(), table, "pet", "here")
