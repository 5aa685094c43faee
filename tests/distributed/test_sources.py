"""Whatever the shards come from, the same shards give the same model; what is wrong with one is said in a sentence."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from dask import delayed

import rosenblatt as rb
from distributed import Client
from rosenblatt.blocks.shard import Raw, read_arrays
from rosenblatt.blocks.sources import counted, read_alike
from rosenblatt.data import Store, open_table
from tests.distributed.conftest import Inline
from tests.distributed.test_training import CLOUD, bits, chunked, pairs

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

NAMES = [f"x{j}" for j in range(5)]
TABLE = pd.DataFrame(CLOUD.X, columns=NAMES).assign(label=np.where(CLOUD.y > 0, "up", "down"))


def learner() -> Any:
    return rb.Perceptron(max_passes=8)


def expected(shards: int = 3) -> Any:
    return bits(rb.distributed.fit(learner(), pairs(CLOUD.X, CLOUD.y, shards), None, Inline()))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for s in range(3):
        TABLE[200 * s : 200 * (s + 1)].to_parquet(tmp_path / f"part-{s}.parquet")
    return tmp_path


def sources(folder: Path) -> dict[str, tuple[Any, Any]]:
    X, y = chunked(CLOUD.X, CLOUD.y, 200)
    frame = dd.from_pandas(TABLE, npartitions=3)
    np.save(folder / "X.npy", CLOUD.X[:200])
    np.save(folder / "y.npy", CLOUD.y[:200])
    first = (folder / "X.npy", folder / "y.npy")
    return {
        "array": (X, y),
        "columns in chunks": (X.rechunk((200, 2)), y.rechunk(77)),
        "labels in memory": (X, CLOUD.y.tolist()),
        "labels in a column": (X, y[:, None]),
        "dataframe and column": (frame, "label"),
        "dataframe and series": (frame[NAMES], frame["label"]),
        "empty partition": (
            dd.concat([frame.partitions[0], frame[frame["x0"] > 99].partitions[0], frame.partitions[1:]]),
            "label",
        ),
        "unknown lengths": (frame[NAMES].to_dask_array(), frame["label"]),
        "folder": (folder, "label"),
        "files": ([folder / f"part-{s}.parquet" for s in range(3)], "label"),
        "pairs": (pairs(CLOUD.X, CLOUD.y, 3), None),
        "memory maps": ([first, *pairs(CLOUD.X, CLOUD.y, 3)[1:]], None),
        "fortran order": (pairs(np.asfortranarray(CLOUD.X), CLOUD.y, 3), None),
    }


SOURCES = [
    "array",
    "columns in chunks",
    "labels in memory",
    "labels in a column",
    "dataframe and column",
    "dataframe and series",
    "empty partition",
    "unknown lengths",
    "folder",
    "files",
    "pairs",
    "memory maps",
    "fortran order",
]


@pytest.mark.parametrize("name", SOURCES)
def test_the_same_shards_from_anywhere(name: str, folder: Path, inline: Inline) -> None:
    X, y = sources(folder)[name]
    model = rb.distributed.fit(learner(), X, y, inline)
    assert bits(model) == expected()
    if name in ("folder", "files", "dataframe and column"):
        assert model.feature_names_in_.tolist() == NAMES
        assert model.classes_.tolist() == ["down", "up"]


@pytest.mark.parametrize("name", ["array", "dataframe and column", "folder"])
def test_on_a_cluster(name: str, folder: Path, client: Client) -> None:
    X, y = sources(folder)[name]
    assert bits(rb.distributed.fit(learner(), X, y, client)) == expected()


def test_sparse_chunks_are_csr_rows(inline: Inline) -> None:
    X = np.where(np.abs(CLOUD.X) > 0.7, CLOUD.X, 0.0)
    lazy = da.from_array(X, chunks=(200, -1)).map_blocks(sp.csr_matrix)
    one = bits(rb.distributed.fit(learner(), lazy, CLOUD.y, inline))
    assert one == bits(rb.distributed.fit(learner(), pairs(sp.csr_matrix(X), CLOUD.y, 3), None, inline))


def test_row_weights(inline: Inline) -> None:
    weights = np.random.default_rng(0).choice([0.0, 0.5, 1.0, 3.0], 600)
    model = rb.Perceptron(max_passes=9, class_weight="balanced")
    local = bits(model.fit(CLOUD.X, CLOUD.y, sample_weight=weights))
    assert bits(rb.distributed.fit(model, [(CLOUD.X, CLOUD.y, weights)], None, inline)) == local
    with pytest.raises(ValueError, match="item 0: weights must be 600 finite numbers"):
        rb.distributed.fit(model, [(CLOUD.X, CLOUD.y, -weights)], None, inline)


def stored(X: Any, y: Any, folder: Path, **options: Any) -> Store:
    frame = {**dict(zip(NAMES, X.T, strict=True)), "label": np.asarray(y)}
    return Store.build(open_table(frame=frame, target="label", **options), folder)


def test_stores(tmp_path: Path, inline: Inline) -> None:
    stores = []
    for s, (X, y) in enumerate(pairs(CLOUD.X, CLOUD.y, 3)):
        stores.append(stored(X, y, tmp_path / str(s)))
    model = rb.distributed.fit(learner(), stores, None, inline)
    assert bits(model) == expected()
    assert model.feature_names_in_.tolist() == NAMES
    whole = stored(CLOUD.X, CLOUD.y, tmp_path / "whole")
    shards = rb.distributed.cut(whole, rows=250)
    assert [(one.start, one.stop) for one in shards] == [(0, 250), (250, 500), (500, 600)]
    parts = [(CLOUD.X[a:b], CLOUD.y[a:b]) for _, a, b in shards]
    by_hand = bits(rb.distributed.fit(learner(), parts, None, inline))
    assert bits(rb.distributed.fit(learner(), shards, None, inline)) == by_hand
    with pytest.raises(ValueError, match="rows is 0"):
        rb.distributed.cut(whole, rows=0)
    with pytest.raises(ValueError, match="a list of stores, which have their labels"):
        rb.distributed.fit(learner(), stores, CLOUD.y, inline)


def test_a_store_of_sparse_rows_with_weights_and_without_labels(tmp_path: Path, inline: Inline) -> None:
    X = sp.csr_matrix(np.where(np.abs(CLOUD.X) > 0.7, CLOUD.X, 0.0))
    np.savez(tmp_path / "t.npz", data=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, y=CLOUD.y)
    shards = rb.distributed.cut(Store.build(open_table(tmp_path / "t.npz", target="y"), tmp_path / "s"), rows=200)
    model = rb.distributed.fit(learner(), shards, None, inline)
    assert bits(model) == bits(rb.distributed.fit(learner(), pairs(X, CLOUD.y, 3), None, inline))

    weights = np.random.default_rng(0).choice([0.5, 1.0, 3.0], 600)
    frame = TABLE.assign(w=weights)
    table = open_table(frame=frame, target="label", weights="w")
    weighted = rb.distributed.cut(Store.build(table, tmp_path / "w"), rows=300)
    triples = [(CLOUD.X[a:b], CLOUD.y[a:b], weights[a:b]) for _, a, b in weighted]
    model = rb.distributed.fit(learner(), weighted, None, inline)
    assert bits(model) == bits(rb.distributed.fit(learner(), triples, None, inline))

    unlabelled = open_table(frame=frame[NAMES], encoding=table.encoding, labels=False)
    answers = rb.distributed.predict(model, rb.distributed.cut(Store.build(unlabelled, tmp_path / "u"), rows=250))
    assert answers.compute(scheduler="sync").tolist() == model.predict(frame[NAMES]).tolist()


def test_parquet_files_read_as_a_table_was(tmp_path: Path, inline: Inline) -> None:
    frame = TABLE.assign(sort=np.where(CLOUD.X[:, 0] > 0, "b", "a"), w=np.arange(600) % 3)
    frame.loc[[3, 250], "x1"] = np.nan
    for s in range(3):
        frame[200 * s : 200 * (s + 1)].to_parquet(tmp_path / f"part-{s}.parquet")
    frame[:0].to_parquet(tmp_path / "part-9.parquet")
    table = open_table(tmp_path, target="label", missing="drop", weights="w", drop=["x4"])
    X, y, weights = table.arrays()
    readings = read_alike(tmp_path, table.encoding)
    shards, found = [one.shard for one in readings], counted(readings, inline)
    assert found.signs.tolist() == y.tolist()
    assert found.numbers.tolist() == table.row_numbers.tolist()
    assert found.n == len(y)
    cuts = np.searchsorted(table.row_numbers, [201, 401])
    parts = list(zip(*(np.split(one, cuts) for one in (X, y, weights)), strict=True))
    model = rb.distributed.fit(learner(), shards, None, inline)
    assert bits(model) == bits(rb.distributed.fit(learner(), parts, None, inline))


def in_folders(folder: Path, column: str, values: list[str], **columns: Any) -> list[Path]:
    """The table in three files, each in a folder that says what a column is in all its rows."""
    files = [folder / f"{column}={value}" / "part.parquet" for value in values]
    for s, file in enumerate(files):
        file.parent.mkdir(parents=True)
        TABLE[200 * s : 200 * (s + 1)].assign(**columns).to_parquet(file)
    return files


@pytest.mark.parametrize(
    ("values", "numbers"), [(["2022", "2023", "2025"], [2022, 2023, 2025]), (["1.5", "2", "-3"], [1.5, 2, -3])]
)
def test_columns_in_the_names_of_folders(
    values: list[str], numbers: list[float], tmp_path: Path, inline: Inline
) -> None:
    files = sorted(in_folders(tmp_path, "year", values))
    order = [values.index(file.parent.name.partition("=")[2]) for file in files]
    frame = pd.concat([TABLE[200 * s : 200 * (s + 1)].assign(year=numbers[s]) for s in order], ignore_index=True)
    X, signs = frame[[*NAMES, "year"]].to_numpy(), np.where(frame["label"] == "up", 1, -1)
    wanted = bits(rb.distributed.fit(learner(), pairs(X, signs, 3), None, inline))
    for data in (tmp_path, files):
        model = rb.distributed.fit(learner(), data, "label", inline)
        assert model.feature_names_in_.tolist() == [*NAMES, "year"]
        assert bits(model) == wanted
        answers = rb.distributed.predict(model, data).compute(scheduler="sync")
        assert answers.tolist() == model.predict(frame[[*NAMES, "year"]]).tolist()
    one = rb.distributed.predict(model, files[:1]).compute(scheduler="sync")  # alike in all rows, and asked for
    assert one.tolist() == answers[:200].tolist()
    table = open_table(tmp_path, target="label")
    read = [one.shard for one in read_alike(tmp_path, table.encoding)]
    assert bits(rb.distributed.fit(learner(), read, None, inline)) == wanted


@pytest.mark.filterwarnings("ignore:.*rows of class")
def test_the_labels_may_be_in_the_names_of_folders(tmp_path: Path, inline: Inline) -> None:
    for file in in_folders(tmp_path, "year", ["2022", "2023", "2025"]):
        pd.read_parquet(file).drop(columns="label").to_parquet(file)
    model = rb.distributed.fit(learner(), tmp_path, "year", inline)
    assert model.classes_.tolist() == [2022, 2023, 2025]
    assert model.feature_names_in_.tolist() == NAMES


def test_folders_that_cannot_be_columns_are_refused(tmp_path: Path, inline: Inline) -> None:
    in_folders(tmp_path / "own", "year", ["1", "2", "3"], year=2)
    with pytest.raises(
        ValueError, match=r"part.parquet: its column 'year' has 2 in a row, and its folder .*year=[13] says"
    ):
        rb.distributed.fit(learner(), tmp_path / "own", "label", inline)
    in_folders(tmp_path / "some", "year", ["1", "2", "3"])
    TABLE.to_parquet(tmp_path / "some" / "stray.parquet")
    with pytest.raises(ValueError, match=r"year=1 has a column \"year\" and .*stray.parquet has none"):
        rb.distributed.fit(learner(), tmp_path / "some", "label", inline)


# ------------------------------------------------------------------------------------------------------------- predict


def test_predictions_are_the_local_ones(folder: Path, client: Client) -> None:
    model = rb.Perceptron(max_passes=5).fit(TABLE[NAMES], TABLE["label"])
    answers, scores = model.predict(TABLE[NAMES]), model.decision_function(TABLE[NAMES])
    frame = dd.from_pandas(TABLE, npartitions=4)
    for X in (da.from_array(CLOUD.X, chunks=(170, 2)), frame[NAMES], frame, folder):
        assert rb.distributed.predict(model, X, client).compute().tolist() == answers.tolist()
        found = rb.distributed.predict(model, X, method="decision_function").compute(scheduler="sync")
        assert found.tobytes() == scores.tobytes()


def test_predictions_of_three_classes() -> None:
    y = CLOUD.y + 2 * (CLOUD.y > 0) * (CLOUD.X[:, 0] > 1)
    model = rb.Perceptron(max_passes=5).fit(CLOUD.X, y)
    lazy = rb.distributed.predict(model, da.from_array(CLOUD.X, chunks=(250, -1)), method="decision_function")
    assert lazy.shape == (600, 3)
    assert lazy.compute(scheduler="sync").tobytes() == model.decision_function(CLOUD.X).tobytes()


# ----------------------------------------------------------------------------------------------------------- bad input


def spoilt(value: float) -> Any:
    X = CLOUD.X.copy()
    X[250, 3] = value
    return X


BAD = {
    "nan": (lambda: (pairs(spoilt(np.nan), CLOUD.y, 3), None), "item 1: X has NaN in row 50, column 3"),
    "inf in a table": (
        lambda: (dd.from_pandas(TABLE.assign(x3=spoilt(np.inf)[:, 3]), npartitions=3), "label"),
        r"partition 1: X has inf in row 50, column 3 \('x3'\)",
    ),
    "text": (
        lambda: ([(TABLE.assign(x1="tall")[NAMES], CLOUD.y)], None),
        r"item 0: X has the text 'tall' in row 0, column 'x1'",
    ),
    "text with labels elsewhere": (
        lambda: (dd.from_pandas(TABLE[NAMES].assign(x1="tall"), npartitions=2), dd.from_pandas(TABLE, 2)["label"]),
        "column 'x1' has texts: then y must be the name of the column that has the labels",
    ),
    "no such column": (lambda: (dd.from_pandas(TABLE, npartitions=2), "lable"), "X has no column 'lable'"),
    "no files": (lambda: ("/nowhere/at/all", "label"), "/nowhere/at/all is not a folder with Parquet files"),
    "files without a target": (lambda: (["a.parquet"], [1, 2]), "y is the name of the column"),
    "one class": (lambda: (pairs(CLOUD.X, np.ones(600), 3), None), "y has one class only"),
    "lengths": (lambda: (chunked(CLOUD.X, CLOUD.y, 200)[0], CLOUD.y[:-1]), "X has 600 rows, but y has 599 labels"),
    "pair lengths": (lambda: ([(CLOUD.X, CLOUD.y[:-1])], None), r"item 0: y must hold one label for each of 600 rows"),
    "columns": (
        lambda: ([(CLOUD.X, CLOUD.y), (CLOUD.X[:, :4], CLOUD.y)], None),
        "item 1 has other columns than item 0",
    ),
    "no number as a label": (
        lambda: (pairs(CLOUD.X, np.where(np.arange(600) == 250, np.nan, CLOUD.y), 3), None),
        "item 1: y has no label in row 50: drop the row",
    ),
    "no text as a label": (
        lambda: (pairs(CLOUD.X, np.where(np.arange(600) == 250, None, np.where(CLOUD.y > 0, "up", "down")), 3), None),
        "item 1: y has no label in row 50: drop the row",
    ),
    "pandas' NA as a label": (
        lambda: (dd.from_pandas(TABLE.assign(label=pd.array([1, None] * 300, dtype="Int64")), npartitions=1), "label"),
        "partition 0: y has no label in row 1: drop the row",
    ),
    "continuous": (lambda: (pairs(CLOUD.X, CLOUD.X[:, 0], 2), None), "Unknown label type: continuous"),
    "pairs and labels": (lambda: (pairs(CLOUD.X, CLOUD.y, 2), CLOUD.y), "pass y=None"),
    "empty": (lambda: ([(CLOUD.X[:0], CLOUD.y[:0])], None), "X has no rows"),
    "long integers in sparse rows": (
        lambda: ([(sp.csr_matrix(np.array([[2**60 + 1], [1]])), [0, 1])], None),
        "item 0: X holds the integer 1152921504606846977",
    ),
    "complex numbers": (lambda: (pairs(CLOUD.X * 1j, CLOUD.y, 3), None), r"item \d: X has complex numbers"),
    "a number of 40 digits": (
        lambda: ([(CLOUD.X, CLOUD.y), ([[Decimal("1" * 40), 0, 0, 0, 0]], [1])], None),
        "item 1: X has a number of 40 digits in row 0, column 0",
    ),
    "a gap among whole numbers": (
        lambda: (dd.from_pandas(TABLE.assign(x1=pd.array([1, None] * 300, dtype="Int64")), npartitions=1), "label"),
        "partition 0: X has NaN in row 1, column 'x1'",
    ),
}


def test_learners_take_the_floats_nearest_to_long_numbers(inline: Inline) -> None:
    K = np.round(CLOUD.X * 10**6).astype(np.int64) + 2**60
    parts = [(K[:200], CLOUD.y[:200]), ([[Decimal(int(v)) for v in k] for k in K[200:]], CLOUD.y[200:])]
    floats = [(K[:200].astype(float), CLOUD.y[:200]), (K[200:].astype(float), CLOUD.y[200:])]
    fitted = rb.distributed.fit(learner(), parts, None, inline)
    assert bits(fitted) == bits(rb.distributed.fit(learner(), floats, None, inline))


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_sentence(name: str, inline: Inline) -> None:
    make, sentence = BAD[name]
    with pytest.raises(ValueError, match=sentence):
        rb.distributed.fit(learner(), *make(), inline)


def test_what_is_wrong_on_a_worker_is_said_here(client: Client) -> None:
    with pytest.raises(ValueError, match="chunk 1: X has NaN in row 50, column 3"):
        rb.distributed.fit(learner(), *chunked(spoilt(np.nan), CLOUD.y, 200), client)


def test_a_closed_client_is_said_to_be_closed() -> None:
    with Client(processes=False, n_workers=1, dashboard_address=":0") as closed:
        pass
    with pytest.raises(ValueError, match="the Dask client is closed: make another"):
        rb.distributed.fit(learner(), pairs(CLOUD.X, CLOUD.y, 2), None, closed)


def test_wrong_kinds(inline: Inline) -> None:
    with pytest.raises(TypeError, match="X is a ndarray; shards are chunks of a Dask array"):
        rb.distributed.fit(learner(), CLOUD.X, CLOUD.y, inline)
    with pytest.raises(TypeError, match="one of rosenblatt's learners, not a str"):
        rb.distributed.fit("Perceptron", CLOUD.X, CLOUD.y, inline)
    for whole in (rb.Adaline(mode="batch"), rb.Logistic(mode="batch"), rb.RescaledPerceptron()):
        with pytest.raises(ValueError, match="looks at all rows before it moves"):
            rb.distributed.fit(whole, pairs(CLOUD.X, CLOUD.y, 2), None, inline)
    with pytest.raises(ValueError, match="mixing is 'harmonic'"):
        rb.distributed.fit(learner(), pairs(CLOUD.X, CLOUD.y, 2), None, inline, mixing="harmonic")
    with pytest.raises(ValueError, match="order='shuffled'"):
        rb.distributed.fit(rb.Perceptron(average=True, order="random"), pairs(CLOUD.X, CLOUD.y, 2), None, inline)
    with pytest.raises(ValueError, match="method is 'proba'"):
        rb.distributed.predict(rb.Perceptron().fit(*CLOUD), CLOUD.X, method="proba")


def test_dask_knows_how_large_a_shard_is() -> None:
    raw = delayed(read_arrays)(CLOUD.X, CLOUD.y, "here").compute(scheduler="sync")
    assert isinstance(raw, Raw)
    assert raw.__sizeof__() == CLOUD.X.nbytes + CLOUD.y.nbytes
