"""Stores: the same bits as in memory, the old one or the new one after a kill, and nothing read that is damaged."""

import errno
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import rosenblatt as rb
from rosenblatt.data import Refused, Store, Table, open_table
from rosenblatt.data.numbers.digests import block_digests, data_digest
from rosenblatt.data.numbers.exact import exact_rows
from rosenblatt.data.numbers.readings import Written
from rosenblatt.data.numbers.rows import Rows, as_rows
from rosenblatt.data.readers import libsvm
from rosenblatt.data.tables.store import _Writer
from rosenblatt.data.tables.table import Block
from rosenblatt.learners.runs.examples import Examples
from rosenblatt.learners.shared.base import Beginning

LEARNERS = {
    "perceptron": lambda: rb.Perceptron(max_passes=5),
    "shuffled": lambda: rb.Perceptron(max_passes=5, order="shuffled", random_state=1),
    "averaged": lambda: rb.Perceptron(max_passes=5, average=True),
    "pocket": lambda: rb.Perceptron(max_passes=5, pocket=True),
    "passive-aggressive": lambda: rb.PassiveAggressive(max_passes=5),
    "adaline": lambda: rb.Adaline(max_passes=5),
    "logistic": lambda: rb.Logistic(mode="incremental", max_passes=5),
    "least squares": lambda: rb.LeastSquares(),
    "rescaled": lambda: rb.RescaledPerceptron(max_passes=5),
}


def sample(n: int = 3000, p: int = 6) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    return X, (X @ rng.normal(size=p) + 0.3 * rng.normal(size=n) > 0).astype(int)


def dense_table() -> Any:
    X, y = sample()
    return open_table(frame={**{f"x{j}": X[:, j] for j in range(X.shape[1])}, "y": y}, target="y")


def sparse_table(folder: Path) -> Any:
    X, y = sample()
    X = sp.csr_matrix(np.where(np.abs(X) > 1, X, 0))
    np.savez(folder / "s.npz", data=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, y=y)
    return open_table(folder / "s.npz")


@pytest.mark.parametrize("layout", ["dense", "csr"])
def test_a_store_is_its_table(layout: str, tmp_path: Path) -> None:
    table = dense_table() if layout == "dense" else sparse_table(tmp_path)
    seen: list[tuple[int, int]] = []
    store = Store.build(table, tmp_path / "store", progress=lambda done, expected: seen.append((done, expected)))
    assert seen[-1] == (3000, 3000)
    for one in (store, Store.open(tmp_path / "store")):
        X, y, _ = table.arrays()
        assert (one.X != X).sum() == 0
        assert np.array_equal(one.y, y)
        assert (one.n, one.p, one.classes, one.features) == (table.n, table.p, table.classes, table.features)
        assert one.encoding == table.encoding
        assert one.row_numbers.tolist() == list(range(1, 3001))
        blocks = list(one.batches(1000))
        assert [len(block.row_numbers) for block in blocks] == [1000] * 3
        assert sum((X[k * 1000 : (k + 1) * 1000] != block.X).sum() for k, block in enumerate(blocks)) == 0


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("layout", ["dense", "csr"])
def test_the_same_bits_as_in_memory(layout: str, name: str, tmp_path: Path) -> None:
    table = dense_table() if layout == "dense" else sparse_table(tmp_path)
    store = Store.build(table, tmp_path / "store")
    X, y, _ = table.arrays()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        here, there = LEARNERS[name]().fit(X, y), LEARNERS[name]().fit(store.X, store.y)
    assert here.coef_.tobytes() == there.coef_.tobytes()
    assert here.intercept_.tobytes() == there.intercept_.tobytes()
    assert here.outcome_.sentence == there.outcome_.sentence
    assert here.decision_function(X).tobytes() == there.decision_function(store.X).tobytes()


@pytest.mark.parametrize("layout", ["dense", "csr"])
def test_rows_on_disk_know_it_and_are_stretched_there(layout: str, tmp_path: Path) -> None:
    table = dense_table() if layout == "dense" else sparse_table(tmp_path)
    store = Store.build(table, tmp_path / "store")
    X, y, _ = table.arrays()
    assert as_rows(store.X).mapped
    assert as_rows(store.X[100:200]).mapped == (layout == "dense")  # rows of a CSR matrix are copied
    assert not as_rows(X).mapped
    assert not as_rows(np.frombuffer(np.ones(12).tobytes()).reshape(3, 4)).mapped
    for rows, where in ((store.X, np.memmap), (X, np.ndarray)):
        examples = Examples(as_rows(rows), np.where(y > 0, 1, -1).astype(np.int8), np.empty(0), True, 1.0)
        phases = rb.RescaledPerceptron()._begin(Beginning(examples, np.zeros(7), 0))
        assert type(phases.stretched) is where


def test_verdicts_are_the_same(tmp_path: Path) -> None:
    table = dense_table()
    store = Store.build(table, tmp_path / "store")
    here, there = rb.separability(*table.arrays()[:2]), rb.separability(store.X, store.y)
    assert here.kind == there.kind
    assert here.certificate.content == there.certificate.content


def test_an_old_store_is_given_up_only_for_one_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, synced = tmp_path / "store", list[str]()
    fsync = os.fsync

    def noted(number: int) -> None:
        synced.append(os.readlink(f"/proc/self/fd/{number}") if sys.platform == "linux" else "")
        fsync(number)

    def refuse(number: int) -> None:
        raise OSError(errno.EIO, "the disk is gone")

    first = Store.build(dense_table(), folder)
    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(Refused, match="cannot be written: Input/output error"):
        Store.build(dense_table(), folder)
    assert Store.open(folder).schema == first.schema
    assert len(list(folder.glob("rows-*"))) == 1
    monkeypatch.setattr(os, "fsync", noted)
    second = Store.build(dense_table(), folder)
    assert second.schema["rows"] != first.schema["rows"]
    if sys.platform == "linux":
        arrays = [Path(path).name for path in synced if Path(path).parent.name == second.schema["rows"]]
        assert sorted(arrays) == ["X.bin", "digests.bin", "y.bin"]
        assert synced.index(str(folder / second.schema["rows"])) < len(synced) - 1  # the schema comes after


def test_float32_takes_half_the_space(tmp_path: Path) -> None:
    store = Store.build(dense_table(), tmp_path / "store", dtype="float32")
    assert store.X.dtype == np.float32
    assert np.array_equal(store.X, dense_table().arrays()[0].astype(np.float32))
    large = open_table(frame={"a": np.array([1.0, 1e200]), "y": np.array([0, 1])}, target="y")
    with pytest.raises(Refused, match="beyond float32"):
        Store.build(large, tmp_path / "large", dtype="float32")
    assert not (tmp_path / "large").exists()
    with pytest.raises(Refused, match="float64 or float32"):
        Store.build(large, tmp_path / "large", dtype="int8")


def test_row_numbers_and_weights_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("a,w,y\n" + "".join(f"{i},{i % 3},{i % 2}\n" for i in range(3000)))
    table = open_table(file, target="y", weights="w")
    store = Store.build(table, tmp_path / "store")
    assert store.row_numbers.tolist() == [i + 1 for i in range(3000) if i % 3]
    assert store.weights is not None
    assert np.array_equal(store.weights, table.arrays()[2])


def test_row_numbers_that_leave_their_places_late(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    gap = 200_000
    file.write_text("a,y\n" + "".join(f"{'' if i == gap else 1},{i % 2}\n" for i in range(gap + 5)))
    store = Store.build(open_table(file, target="y", missing="drop"), tmp_path / "store")
    assert store.n == gap + 4
    assert store.row_numbers[[0, gap - 1, gap, gap + 3]].tolist() == [1, gap, gap + 2, gap + 5]


def test_is_of_tells_whether_it_can_be_used_again(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("a,b,y\n1,2,0\n3,4,1\n")
    store = Store.build(open_table(file, target="y"), tmp_path / "store")
    assert Store.is_store(tmp_path / "store")
    assert not Store.is_store(tmp_path)
    assert store.is_of(open_table(file, target="y"))
    assert not store.is_of(open_table(file, target="y", drop=["b"]))
    file.write_text("a,b,y\n1,2,0\n3,5,1\n3,5,1\n")
    assert not store.is_of(open_table(file, target="y"))
    assert not store.is_of(dense_table())


def test_a_store_is_replaced_whole(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    Store.build(dense_table(), folder)
    small = open_table(frame={"a": np.array([1.0, 2.0]), "y": np.array([0, 1])}, target="y")
    assert Store.build(small, folder).n == 2
    assert Store.open(folder).n == 2
    assert len(list(folder.iterdir())) == 2  # the schema and one folder of rows
    bad = open_table(frame={"a": np.array([1.0, np.inf]), "y": np.array([0, 1])}, target="y")
    with pytest.raises(Refused, match="infinite"):
        Store.build(bad, folder)
    assert Store.open(folder).n == 2
    assert len(list(folder.iterdir())) == 2


# ----------------------------------------------------------------------------------------------------- what numbers are


class LongTable(Table):
    """Columns a (written in full, longer than floats hold), b (float32 in the data) and c, in blocks of 1,000 rows."""

    name, long_columns = "long.csv", (0,)
    single_columns = np.array([False, True, False])

    def __init__(self, n: int = 3500) -> None:
        rng = random.Random(0)
        self.pairs = [(rng.randint(-(10**25), 10**25), rng.choice([0, -3, -400, 5])) for _ in range(n)]
        b, c = np.float32([0.1, 0.25] * n)[:n].astype(np.float64), np.arange(n) / 8
        a = [float(f"{m}e{e}") for m, e in self.pairs]
        self.values, self.labelled = np.column_stack([a, b, c]), np.where(np.arange(n) % 2, 1, -1).astype(np.int8)

    @property
    def encoding(self) -> Any:
        frame = {"a": [0.5, 1.0], "b": [0.5, 1.0], "c": [1.0, 0.0], "y": [0, 1]}
        return open_table(frame={name: np.array(values) for name, values in frame.items()}, target="y").encoding

    @property
    def estimated_rows(self) -> int:
        return len(self.labelled)

    def _blocks(self) -> Any:
        for first in range(0, len(self.labelled), 1000):
            part = slice(first, first + 1000)
            written = Written(*(one[:, None] for one in Written.of(self.pairs[part])))
            numbers = np.arange(first, min(first + 1000, len(self.labelled))) + 1
            yield Block(self.values[part], self.labelled[part], None, numbers, written)


def test_a_store_keeps_what_numbers_are(tmp_path: Path) -> None:
    table = LongTable()
    store = Store.build(table, tmp_path / "store")
    for one in (table, store, Store.open(tmp_path / "store"), Store.build(store, tmp_path / "again")):
        rows = one.rows()
        assert one.rows() is rows
        assert (rows.origin.columns, rows.origin.single.tolist()) == ((0,), [False, True, False])
        assert rows.origin.column(0).texts() == Written.of(table.pairs).texts()
        assert np.array_equal(rows.kernel.X, table.values)
        exact = exact_rows(rows)
        assert exact is not None
        assert data_digest(exact, [one.arrays()[1]]) == data_digest(exact_rows(table.rows()), [table.labelled])
        parts = [block.written for block in one.batches(700)]
        assert Written.joined(parts).take((slice(None), 0)).texts() == Written.of(table.pairs).texts()
    assert store.rows().mapped
    assert isinstance(store.rows().origin.written.high, np.memmap)


def test_digests_of_blocks(tmp_path: Path) -> None:
    n = 70_000
    frame = {"a": np.arange(n) / 4, "b": np.arange(n) % 7, "w": 1.0 + np.arange(n) % 3, "y": np.arange(n) % 2}
    table = open_table(frame=frame, target="y", weights="w")
    store = Store.build(table, tmp_path / "store")
    X, y, weights = table.arrays()
    assert store.digests == block_digests(Rows(X), [y, weights])
    assert len(store.digests) == 2
    frame["b"][66_000] += 1
    other = Store.build(open_table(frame=frame, target="y", weights="w"), tmp_path / "other").digests
    assert (other[0] == store.digests[0], other[1] == store.digests[1]) == (True, False)
    sparse = Store.build(sparse_table(tmp_path), tmp_path / "sparse")
    assert sparse.digests == block_digests(as_rows(sparse.X), [sparse.y])


def test_float32_says_what_its_numbers_are(tmp_path: Path) -> None:
    store = Store.build(dense_table(), tmp_path / "store", dtype="float32")
    assert store.single_columns.all()
    assert store.rows().origin.single.all()
    with pytest.raises(
        Refused, match=r'long\.csv has numbers that floats do not hold \("?a"?\), .* leave dtype at float64'
    ):
        Store.build(LongTable(), tmp_path / "long", dtype="float32")
    assert not (tmp_path / "long").exists()


def as_format_1(folder: Path) -> None:
    """Make the store one of format 1, as older versions wrote it."""
    schema = json.loads((folder / "schema.json").read_text())
    for name in ("long_columns", "single_columns", "checksum"):
        schema.pop(name)
    schema["arrays"].pop("digests")
    schema["format"] = "rosenblatt-store/1"
    schema["checksum"] = zlib.crc32(json.dumps(schema, sort_keys=True).encode())
    (folder / "schema.json").write_text(json.dumps(schema))
    _rows(folder, "digests").unlink()


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_format_1_is_read(dtype: str, tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("a,y\n1.5,0\n2.5,1\n")
    table = open_table(file, target="y")
    new = Store.build(table, tmp_path / "store", dtype=dtype)
    assert new.is_of(table)
    as_format_1(tmp_path / "store")
    old = Store.open(tmp_path / "store")
    assert np.array_equal(old.X, new.X)
    assert (old.long_columns, old.digests) == ((), None)
    assert (old.single_columns is None) == (dtype == "float64")
    assert np.array_equal(old.rows().kernel.X, new.X)
    assert not old.is_of(table)  # it is built again, where a store is kept for a table
    assert Store.build(table, tmp_path / "store", dtype=dtype).is_of(table)


# ------------------------------------------------------------------------------------------------------------- damage


def _schema(folder: Path, **changes: Any) -> None:
    """Write a schema with changes whose checksum is right."""
    schema = json.loads((folder / "schema.json").read_text())
    schema.pop("checksum")
    schema |= changes
    schema["checksum"] = zlib.crc32(json.dumps(schema, sort_keys=True).encode())
    (folder / "schema.json").write_text(json.dumps(schema))


def _rows(folder: Path, name: str) -> Path:
    return next(folder.glob(f"rows-*/{name}.bin"))


def _flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


DAMAGE = {
    "truncated": (lambda f: os.truncate(_rows(f, "X"), 100), "its array X has 100 bytes instead of 144,000"),
    "longer": (lambda f: _rows(f, "y").write_bytes(b"\x01" * 4000), "its array y has 4,000 bytes"),
    "one bit": (lambda f: _flip(_rows(f, "X")), "its array X is not what was written"),
    "a label": (lambda f: _flip(_rows(f, "y")), "its array y is not what was written"),
    "no array": (lambda f: _rows(f, "X").unlink(), "its array X is missing"),
    "no schema": (lambda f: (f / "schema.json").unlink(), "its building was interrupted"),
    "half a schema": (lambda f: os.truncate(f / "schema.json", 200), r"schema\.json cannot be read"),
    "a list": (lambda f: (f / "schema.json").write_text("[]"), r"schema\.json cannot be read"),
    "a schema's bit": (
        lambda f: (f / "schema.json").write_text((f / "schema.json").read_text().replace('"n": 3000', '"n": 3001')),
        r"schema\.json is not what was written",
    ),
    "other byte order": (
        lambda f: _schema(f, byte_order="big" if sys.byteorder == "little" else "little"),
        "-endian: build the store here",
    ),
    "other version": (lambda f: _schema(f, format="rosenblatt-store/9"), "has the format 'rosenblatt-store/9'"),
    "elsewhere": (lambda f: _schema(f, rows="../other"), r"schema\.json is not what was written"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_refused(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "store"
    Store.build(dense_table(), folder)
    harm, sentence = DAMAGE[name]
    harm(folder)
    with pytest.raises(Refused, match=sentence):
        Store.open(folder)


DAMAGE_OF_NUMBERS = {
    "high": (lambda f: _flip(_rows(f, "written_high")), "its array written_high is not what was written"),
    "low": (lambda f: _flip(_rows(f, "written_low")), "its array written_low is not what was written"),
    "exponent": (lambda f: os.truncate(_rows(f, "written_exponent"), 8), "its array written_exponent has 8 bytes"),
    "no digests": (lambda f: _rows(f, "digests").unlink(), "its array digests is missing"),
    "a digest": (lambda f: _flip(_rows(f, "digests")), "its array digests is not what was written"),
    "no such column": (lambda f: _schema(f, long_columns=[7]), "describes no store"),
    "columns twice": (lambda f: _schema(f, long_columns=[0, 0]), "describes no store"),
    "no columns": (lambda f: _schema(f, long_columns=[]), "describes no store"),
    "no list": (lambda f: _schema(f, single_columns=3), "describes no store"),
    "text": (lambda f: _schema(f, single_columns=["a"]), "describes no store"),
    "an older format": (lambda f: _schema(f, format="rosenblatt-store/1"), "describes no store"),
    "beyond all sizes": (lambda f: _beyond(f), "numbers beyond all sizes"),
}


def _beyond(folder: Path) -> None:
    """A store that says what it holds, which no build would write."""
    file = _rows(folder, "written_exponent")
    content = np.frombuffer(file.read_bytes(), dtype=np.int32).copy()
    content[17] = 2**31 - 1
    file.write_bytes(content.tobytes())
    arrays = json.loads((folder / "schema.json").read_text())["arrays"]
    arrays["written_exponent"]["crc32"] = zlib.crc32(content.tobytes())
    _schema(folder, arrays=arrays)


@pytest.mark.parametrize("name", DAMAGE_OF_NUMBERS)
def test_damage_to_what_numbers_are_is_refused(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "store"
    Store.build(LongTable(), folder)
    harm, sentence = DAMAGE_OF_NUMBERS[name]
    harm(folder)
    with pytest.raises(Refused, match=sentence):
        Store.open(folder)


def test_folders_that_are_no_stores(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="no such folder"):
        Store.open(tmp_path / "nothing")
    with pytest.raises(Refused, match=r"it has no schema\.json"):
        Store.open(tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(Refused, match="is a file"):
        Store.build(dense_table(), tmp_path / "file")
    with pytest.raises(Refused, match="holds other files"):
        Store.build(dense_table(), tmp_path)
    with pytest.raises(Refused, match="cannot be made"):
        Store.build(dense_table(), tmp_path / "no" / "where")


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("rosenblatt.data.tables.store._ArrayFile.append", full)
    with pytest.raises(Refused, match="No space left on device"):
        Store.build(dense_table(), tmp_path / "store")
    assert not (tmp_path / "store").exists()


# --------------------------------------------------------------------------------------------------- kills and memory

BUILD = textwrap.dedent(
    """
    import sys, numpy as np
    from rosenblatt.data import Store, open_table
    n = int(sys.argv[2])
    frame = {f"x{j}": np.random.default_rng(j).normal(size=n) for j in range(20)} | {"y": np.arange(n) % 2}
    table = open_table(frame=frame, target="y")
    print("ready", flush=True)
    Store.build(table, sys.argv[1])
    print("built", flush=True)
    """
)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_kill_leaves_the_old_store_or_the_new_one(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    folder = tmp_path / "store"
    Store.build(dense_table(), folder)
    took, outcomes = 0.4, set()
    for seed in range(40 if pytestconfig.getoption("--soak") else 5):
        moment = random.Random(seed).uniform(0, took * 1.2) if seed else 30.0  # the first is left alone, to time it
        child = subprocess.Popen(
            [sys.executable, "-c", BUILD, str(folder), "150000"], stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        began = time.monotonic()
        try:
            child.wait(moment)
            took = min(took, time.monotonic() - began) if seed else time.monotonic() - began
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL)
            child.wait()
        child.stdout.close()
        found = Store.open(folder).n
        assert found == 150_000 if not seed else found in (3000, 150_000)
        outcomes.add(found)
        if seed % 2 == 0:
            Store.build(dense_table(), folder)  # what a kill left behind does not disturb
            assert len(list(folder.iterdir())) == 2
    assert 150_000 in outcomes


class Interrupt:
    """Interrupts a build after some blocks."""

    def __init__(self, blocks: int) -> None:
        self.left, self.seen = blocks, list[int]()

    def __call__(self, rows: int, expected: int) -> None:
        self.seen.append(rows)
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt


def written_file(folder: Path, kind: str, rng: np.random.Generator) -> tuple[Path, dict[str, Any]]:
    """A file of some rows, and how it is read."""
    n, file = int(rng.integers(45_000, 75_000)), folder / f"t.{kind}"
    x, y = rng.normal(size=n).round(3), (rng.random(n) < 0.4).astype(int)
    if kind == "libsvm":
        lines = [f"{label} 1:{value} {j}:2" for label, value, j in zip(y, x, rng.integers(2, 40, size=n), strict=True)]
        file.write_text("\n".join(lines) + "\n")
        return file, {}
    frame = {"x": x, "word": rng.choice(list("abcdefgh"), size=n), "y": y, "w": rng.integers(0, 3, size=n)}
    options: dict[str, Any] = {"target": "y"}
    if kind == "parquet":
        import pandas

        frame["s"] = rng.normal(size=n).astype(np.float32)
        pandas.DataFrame(frame).to_parquet(file)
        return file, options | {"counts": ("y", "w"), "target": None} if rng.random() < 0.5 else options
    late = str(rng.choice(["", "level", "digits", "missing"]))
    texts = {name: list(map(str, values.tolist())) for name, values in frame.items()}
    at = int(rng.integers(n // 2, n))
    if late == "level":
        texts["word"][at] = "late"
    if late == "digits":
        texts["x"][at] = "0.12345678901234567891"
    if late == "missing":
        texts["x"][at] = ""
    rows = (",".join(one) for one in zip(*texts.values(), strict=True))
    file.write_text(",".join(texts) + "\n" + "\n".join(rows) + "\n")
    return file, options | {"missing": "drop", "weights": "w" if rng.random() < 0.5 else None}


def content_of(folder: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    """A store without the name of its rows folder; its files."""
    schema = json.loads((folder / "schema.json").read_text())
    files = {one.name: one.read_bytes() for one in (folder / schema.pop("rows")).iterdir()}
    del schema["checksum"]
    assert len(list(folder.iterdir())) == 2, "nothing is left behind"
    return schema, files


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """After how many rows of the data builds have begun; they work in small blocks, and note each."""
    monkeypatch.setattr("rosenblatt.data.tables.store._EVERY", 0.0)
    monkeypatch.setattr("rosenblatt.data.tables.column_table._BLOCK_VALUES", 1 << 14)
    monkeypatch.setattr(libsvm.read_chunks, "__defaults__", (False, 1 << 17))
    begin, begun = _Writer.begin, list[int]()
    monkeypatch.setattr(_Writer, "begin", lambda self: begun.append(begin(self)) or begun[-1])
    return begun


@pytest.mark.parametrize("kind", ["csv", "parquet", "libsvm"])
def test_an_interrupted_build_goes_on_to_the_same_bytes(
    kind: str, tmp_path: Path, begun: list[int], pytestconfig: pytest.Config
) -> None:
    for seed in range(40 if pytestconfig.getoption("--soak") else 3):
        rng = np.random.default_rng(seed)
        here = tmp_path / str(seed)
        here.mkdir()
        file, options = written_file(here, kind, rng)
        dtype = "float32" if kind == "libsvm" and seed % 2 else "float64"
        usual = Interrupt(10**9)
        Store.build(open_table(file, **options), here / "usual", dtype=dtype, progress=usual)
        for _ in range(int(rng.integers(1, 4))):
            interrupt = Interrupt(int(rng.integers(0, len(usual.seen) // 2)))
            with suppress(KeyboardInterrupt):
                Store.build(open_table(file, **options), here / "store", dtype=dtype, progress=interrupt)
        if not (here / "store" / "schema.json").exists():
            Store.build(open_table(file, **options), here / "store", dtype=dtype)
        assert content_of(here / "store") == content_of(here / "usual"), (seed, options)
    assert sum(map(bool, begun)) > 1, "builds went on"


CHANGES: dict[str, Callable[[Path, Path], Any]] = {
    "nothing": lambda file, rows: open_table(file, target="y"),
    "its options": lambda file, rows: open_table(file, target="y", drop=("word",)),
    "its dtype": lambda file, rows: open_table(file, target="y"),
    "its time": lambda file, rows: (os.utime(file, (1, 1)), open_table(file, target="y"))[1],
    "its rows, and its time put back": lambda file, rows: (edited(file), open_table(file, target="y"))[1],
    "a byte of what was written": lambda file, rows: (spoiled(rows / "X.bin"), open_table(file, target="y"))[1],
    "the end of what was written": lambda file, rows: (os.truncate(rows / "y.bin", 9), open_table(file, target="y"))[1],
    "what it says of itself": lambda file, rows: (spoiled(rows / "unfinished.json"), open_table(file, target="y"))[1],
}


def edited(file: Path) -> None:
    before = file.stat()
    file.write_bytes(file.read_bytes().replace(b"a,1", b"b,1", 1))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert file.stat().st_size == before.st_size


def spoiled(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[99] ^= 1
    file.write_bytes(content)


@pytest.mark.parametrize("changed", CHANGES)
def test_another_build_begins_again(changed: str, tmp_path: Path, begun: list[int]) -> None:
    rng = np.random.default_rng(1)
    n, file, folder = 60_000, tmp_path / "t.csv", tmp_path / "store"
    lines = [
        f"{x},{word},{k % 2}"
        for k, (x, word) in enumerate(zip(rng.normal(size=n), rng.choice(["a", "b"], n), strict=True))
    ]
    file.write_text("x,word,y\n" + "\n".join(lines) + "\n")
    with pytest.raises(KeyboardInterrupt):
        Store.build(open_table(file, target="y"), folder, progress=Interrupt(3))
    (rows,) = folder.glob("rows-*")
    with pytest.raises(Refused, match="its building was interrupted"):
        Store.open(folder)
    table = CHANGES[changed](file, rows)
    dtype = "float32" if changed == "its dtype" else "float64"
    Store.build(table, folder, dtype=dtype)
    assert begun[0] == 0
    assert (begun[1] > 0) == (changed == "nothing")
    Store.build(CHANGES["nothing"](file, rows) if changed != "its options" else table, tmp_path / "new", dtype=dtype)
    assert content_of(folder)[1] == content_of(tmp_path / "new")[1]


KILLED = """
import sys
from rosenblatt.data import Store, open_table
from rosenblatt.data.tables import column_table, store
store._EVERY, column_table._BLOCK_VALUES = 0.0, 1 << 13
def say(rows, expected):
    print(rows, flush=True)
Store.build(open_table(sys.argv[1], target="y"), sys.argv[2], progress=say)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_killed_build_goes_on_to_the_same_bytes(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    rng, n = np.random.default_rng(0), 100_000
    np.savetxt(
        tmp_path / "t.csv", np.c_[rng.normal(size=(n, 2)), np.arange(n) % 2], "%.6g", ",", header="a,b,y", comments=""
    )
    usual = Store.build(open_table(tmp_path / "t.csv", target="y"), tmp_path / "usual")
    line = [sys.executable, "-c", KILLED, str(tmp_path / "t.csv"), str(tmp_path / "store")]
    first: list[int] = []
    for moment in rng.uniform(0, 0.1, size=40 if pytestconfig.getoption("--soak") else 3):
        with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            first.append(int(child.stdout.readline()))  # a block is written
            time.sleep(moment)
            child.kill()
        if (tmp_path / "store" / "schema.json").exists():
            assert content_of(tmp_path / "store") == content_of(tmp_path / "usual")
            shutil.rmtree(tmp_path / "store")
    table, progress = open_table(tmp_path / "t.csv", target="y"), Interrupt(10**9)
    assert Store.build(table, tmp_path / "store", progress=progress).n == usual.n
    assert content_of(tmp_path / "store") == content_of(tmp_path / "usual")
    assert len({*first, progress.seen[0]}) > 1, "some builds went on"


FIT = textwrap.dedent(
    """
    import sys, threading, time, warnings
    import numpy as np, rosenblatt as rb

    def anonymous():
        with open("/proc/self/status") as file:
            return int(next(line for line in file if line.startswith("RssAnon")).split()[1]) * 1024

    warnings.simplefilter("ignore")
    store = rb.data.Store.open(sys.argv[1])
    learners = [rb.Perceptron(max_passes=2), rb.Perceptron(max_passes=2, average=True)]
    for learner in learners:
        learner.fit(store.X[:5000], store.y[:5000])  # compile first: so few as 500 rows load no Numba
        learner.decision_function(store.X[:5000])
    before = most = anonymous()
    watching = True

    def watch():
        global most
        while watching:
            most = max(most, anonymous())
            time.sleep(0.001)

    thread = threading.Thread(target=watch)
    thread.start()
    for learner in learners:
        learner.fit(store.X, store.y)
    learners[0].decision_function(store.X)
    watching = False
    thread.join()
    print(most - before)
    """
)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is counted by Linux")
@pytest.mark.parametrize("layout", ["dense", "csr"])
def test_fits_take_no_memory_for_the_rows(layout: str, tmp_path: Path) -> None:
    n, p = 300_000, 30
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, p)), rng.integers(0, 2, size=n)
    if layout == "dense":
        np.savez(tmp_path / "t.npz", X=X, y=y)
    else:
        csr = sp.csr_matrix(X)
        np.savez(tmp_path / "t.npz", data=csr.data, indices=csr.indices, indptr=csr.indptr, shape=csr.shape, y=y)
        del csr
    del X
    Store.build(open_table(tmp_path / "t.npz", target="y"), tmp_path / "store")
    answer = subprocess.run(
        [sys.executable, "-c", FIT, str(tmp_path / "store")], capture_output=True, text=True, check=True
    )
    assert int(answer.stdout) < 30e6 < n * p * 8  # labels and scores, never the rows


# ------------------------------------------------------------------------------------------------- in others' folders


def small(tmp_path: Path, n: int = 3) -> Table:
    (tmp_path / "small.csv").write_text("a,y\n" + "".join(f"{i},{i % 2}\n" for i in range(n)))
    return open_table(path=tmp_path / "small.csv", target="y")


def test_a_folder_of_somebody_elses_is_left_alone(tmp_path: Path) -> None:
    project = tmp_path / "proj"
    (project / "rows-2024").mkdir(parents=True)
    (project / "rows-2024" / "measured").write_text("a year's work")
    with pytest.raises(Refused, match="proj holds other files; a store needs a folder of its own"):
        Store.build(small(tmp_path), project)
    (project / "schema.json").write_text('{"type": "object"}')
    with pytest.raises(Refused, match="proj holds other files"):
        Store.build(small(tmp_path), project)
    assert (project / "schema.json").read_text() == '{"type": "object"}'
    assert (project / "rows-2024" / "measured").read_text() == "a year's work"


def test_what_somebody_put_into_a_store_stays(tmp_path: Path) -> None:
    Store.build(small(tmp_path), tmp_path / "s")
    (tmp_path / "s" / "rows-mine").mkdir()
    (tmp_path / "s" / "notes.txt").write_text("mine")
    Store.build(small(tmp_path, 5), tmp_path / "s")
    assert Store.open(tmp_path / "s").n == 5
    assert len(list((tmp_path / "s").glob("rows-rb*"))) == 1, "the older rows are gone"
    assert (tmp_path / "s" / "rows-mine").is_dir()
    assert (tmp_path / "s" / "notes.txt").read_text() == "mine"


def test_a_table_that_is_edited_while_it_is_read_is_refused(tmp_path: Path) -> None:
    table = small(tmp_path)

    def edit(done: int, expected: int) -> None:
        (tmp_path / "small.csv").write_text("a,y\n9,0\n8,1\n7,1\n6,0\n")

    with pytest.raises(Refused, match=r"small\.csv was changed while it was read: build the store again\."):
        Store.build(table, tmp_path / "s", progress=edit)
    assert not (tmp_path / "s").exists()


def test_of_two_builds_at_once_the_second_takes_what_the_first_made(tmp_path: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def hold(done: int, expected: int) -> None:
        begun.set()
        go_on.wait(10)

    first = threading.Thread(target=lambda: Store.build(small(tmp_path), tmp_path / "s", progress=hold))
    table = small(tmp_path)
    first.start()
    assert begun.wait(10)
    written: list[int] = []
    second = threading.Thread(target=lambda: Store.build(table, tmp_path / "s", progress=lambda *_: written.append(1)))
    second.start()
    second.join(0.2)
    assert second.is_alive(), "it waits"
    go_on.set()
    first.join(10)
    second.join(10)
    assert not written
    assert Store.open(tmp_path / "s").n == 3
