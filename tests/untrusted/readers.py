"""Readers of files that strangers may have written, each with a sound file to begin from.

A reader takes the file and returns what a user would get of it, as plain numbers. It may refuse with a ValueError.
Anything else that it raises is a defect, and so is an answer that differs where the file has a checksum.
"""

import bz2
import gzip
import json
import lzma
import random
import sqlite3
import struct
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow.feather
import pyreadstat
import scipy.sparse as sp

import rosenblatt as rb
from rosenblatt.data import Store, open_table
from rosenblatt.lab.packing import pack, unpack
from rosenblatt.lab.simulation import answer as lab_answer
from rosenblatt.lab.upload import read_upload
from rosenblatt.learners.runs.progress import fit_watched
from rosenblatt.models.run_state import Checkpoint
from tests.untrusted.mutations import distort

Answer = Any


@dataclass(frozen=True)
class Reader:
    """`write` makes a sound file or folder called `name`; `read` takes it."""

    name: str
    write: Callable[[Path], None]
    read: Callable[[Path], Answer]
    sealed: bool  # whether any accidental change must be noticed
    forge: Callable[[Path, random.Random], None] | None = None  # change what is inside, and make the checksums good


def sample(n: int = 40, p: int = 4) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p)).round(3)
    return X, (X[:, 0] + 0.3 * rng.normal(size=n) > 0).astype(np.int64)


def _table(path: Path, target: str) -> Answer:
    X, y, _ = open_table(path, target=target).arrays()
    X = X.toarray() if sp.issparse(X) else np.asarray(X)
    return [X.tolist(), None if y is None else y.tolist()]


# ------------------------------------------------------------------------------------------------------------- stores


def _write_store(path: Path, sparse: bool) -> None:
    X, y = sample()
    if sparse:
        X[np.abs(X) < 0.7] = 0.0
        np.savez(path.with_suffix(".npz"), **_csr_parts(sp.csr_matrix(X)), y=y)
        source = open_table(path.with_suffix(".npz"))
    else:
        source = open_table(frame={**{f"x{j}": X[:, j] for j in range(X.shape[1])}, "y": y}, target="y")
    Store.build(source, path)
    path.with_suffix(".npz").unlink(missing_ok=True)


def _csr_parts(matrix: Any) -> dict[str, Any]:
    return {
        "data": matrix.data,
        "indices": matrix.indices,
        "indptr": matrix.indptr,
        "shape": np.array(matrix.shape),
        "format": np.array(b"csr"),
    }


def _read_store(path: Path) -> Answer:
    store = Store.open(path)
    X = store.X.toarray() if sp.issparse(store.X) else np.asarray(store.X)
    model = rb.Perceptron(order="cyclic", max_passes=3).fit(store.X, store.y)
    return [X.tolist(), np.asarray(store.y).tolist(), model.coef_.tolist()]


def _forge_store(path: Path, rng: random.Random) -> None:
    file = path / "schema.json"
    schema = distort(json.loads(file.read_bytes()), rng)
    if rng.random() < 0.3:
        _forge_array(path, schema, rng)
    if isinstance(schema, dict):
        schema.pop("checksum", None)
        schema["checksum"] = zlib.crc32(json.dumps(schema, sort_keys=True).encode())
    file.write_text(json.dumps(schema))


def _forge_array(path: Path, schema: Any, rng: random.Random) -> None:
    """Other numbers in an array of the store, of the same size, with the checksum they should have."""
    file = rng.choice(sorted(path.glob("rows-*/*.bin")))
    content = bytearray(file.read_bytes())
    at = rng.randrange(max(1, len(content) - 8))
    content[at : at + 8] = rng.choice([b"\xff" * 8, b"\x00" * 8, b"\xff\xff\xff\x7f" * 2, rng.randbytes(8)])[
        : len(content) - at
    ]
    file.write_bytes(content)
    with suppress(KeyError, TypeError):
        schema["arrays"][file.stem]["crc32"] = zlib.crc32(content)


# -------------------------------------------------------------------------------------------------------------- tables


def _write_npy(path: Path) -> None:
    X, y = sample()
    np.save(path, np.column_stack([X, y]))


def _write_npz(path: Path) -> None:
    X, y = sample()
    np.savez(path, X=X, y=y)


def _write_sparse_npz(path: Path) -> None:
    X, y = sample()
    np.savez(path, **_csr_parts(sp.csr_matrix(np.where(np.abs(X) < 0.7, 0.0, X))), y=y)


def _write_arrow(path: Path) -> None:
    import pyarrow as pa

    X, y = sample()
    table = pa.table({"a": X[:, 0], "b": X[:, 1], "y": [str(v) for v in y]})
    with pa.ipc.new_file(str(path), table.schema) as file:
        file.write_table(table)


def _write_parquet(path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    X, y = sample()
    pq.write_table(pa.table({"a": X[:, 0], "b": X[:, 1], "y": [str(v) for v in y]}), path)


# ------------------------------------------------------------------------------------------------------------- signals


def _write_wav(path: Path) -> None:
    X, _ = sample(200)
    from rosenblatt.filters.uses.files import write_signals

    write_signals(path, {"0": X[:, 0], "1": X[:, 1]}, 8000.0)


def _read_signals(path: Path) -> Answer:
    from rosenblatt.filters.uses.files import read_signals

    file = read_signals(path)
    return [file.rate, *(np.asarray(file[name]).tolist() for name in file.columns)]


# ------------------------------------------------------------------------------------------------- models, runs, traces


def _write_model(path: Path) -> None:
    X, y = sample()
    rb.save(rb.Perceptron(average=True, trace=True, max_passes=3, warm_start=True).fit(X, y), path)


def _three_classes() -> tuple[Any, Any]:
    return sample()[0], np.arange(40) % 3


def _write_joint_model(path: Path) -> None:
    learner = rb.Perceptron(multiclass="kesler", pocket=True, trace=True, max_passes=3, warm_start=True)
    rb.save(learner.fit(*_three_classes()), path)


def _read_joint_model(path: Path) -> Answer:
    return _read_model(path, _three_classes())


def _read_model(path: Path, data: Any = None) -> Answer:
    X, y = data or sample()
    model = rb.load(path)
    scores = np.asarray(model.decision_function(X)).tolist()
    if isinstance(model, rb.Perceptron) and model.warm_start:
        if isinstance(model.max_passes, int):
            model.max_passes = min(model.max_passes, 100)  # 2^63 passes are no damage: they would be made
        model.fit(X, y)
        trace = model.trace_
        if isinstance(trace, rb.Trace):
            trace.bind(X).weights_at(len(trace))
        scores += model.coef_.ravel().tolist()
    return scores


def _write_filter(path: Path) -> None:
    X, _ = sample(100)
    learner = rb.filters.RLS(taps=4)
    learner.run(X[:, 0], X[:, 1])
    rb.save(learner, path)


def _read_filter(path: Path) -> Answer:
    X, _ = sample(100)
    learner = rb.load(path)
    try:
        run = learner.run(X[:, 2], X[:, 3])
    except OverflowError as diverged:  # told in a sentence, as with any filter
        raise ValueError(str(diverged)) from None
    return [run.y.tolist(), run.w.tolist()]


def _write_trace(path: Path) -> None:
    X, y = sample()
    rb.Perceptron(trace=True, max_passes=3).fit(X, y).trace_.save(path)


def _read_trace(path: Path) -> Answer:
    trace = rb.Trace.load(path, sample()[0])
    return [trace.weights_at(len(trace)).tolist(), [str(v) for v in trace.exact_weights_at(min(3, len(trace)))]]


def _forge_safetensors(path: Path, rng: random.Random) -> None:
    """Change the description or an array of a safetensors file and write a checksum that is right."""
    from safetensors.numpy import load, save

    from rosenblatt.models.storage import _checksum

    content = path.read_bytes()
    (size,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + size])["__metadata__"]["rosenblatt"]
    arrays, described = load(content), json.loads(header.partition(" ")[2])
    name = rng.choice(sorted(arrays))
    kind = rng.randrange(6)
    if kind < 3:
        described[1] = distort(described[1], rng)
    elif kind < 5:
        arrays[name] = np.ascontiguousarray(distort(arrays[name], rng))
    else:
        arrays[rng.choice(["../x", "new", sorted(arrays)[0]])] = arrays.pop(name)
    text = json.dumps(described, sort_keys=True)
    path.write_bytes(save(arrays, metadata={"rosenblatt": f"{_checksum(text, arrays)} {text}"}))


def _settings() -> dict[str, int]:
    return {"the data": 1}


def _learner() -> Any:
    return rb.Perceptron(pocket=True, max_passes=6)


def _write_checkpoint(path: Path) -> None:
    """Where a fit stood after two of its six passes."""
    X, y = sample()
    checkpoint = Checkpoint(path, _settings)
    looks = iter([None, None])

    def watch(run: Any) -> None:
        if next(looks, "stop") == "stop":
            checkpoint.save({0: run.state()})
            raise StopIteration

    with suppress(StopIteration):
        fit_watched(_learner().set_params(max_passes=10**6), X, y, None, watch=watch, interrupted=None)
    assert path.exists()


def _read_checkpoint(path: Path) -> Answer:
    X, y = sample()
    state = Checkpoint(path, _settings).load().get(0)
    if state is None:
        return None
    state.goal = int(state.clock["t"]) + 3 * len(X)
    model = _learner()
    fit_watched(model, X, y, None, watch=lambda run: None, interrupted=state)
    return model.coef_.tolist()


def _write_certificate(path: Path) -> None:
    X, y = sample(12, 2)
    rb.separability(X, y).certificate.save(path)


def _read_certificate(path: Path) -> Answer:
    X, y = sample(12, 2)
    return bool(rb.Certificate.load(path).verify(X, y))


def _forge_certificate(path: Path, rng: random.Random) -> None:
    path.write_text(json.dumps(distort(json.loads(path.read_text()), rng)))


# ------------------------------------------------------------------------------------------------------------- the lab


def _write_message(path: Path) -> None:
    X, y = sample(12, 2)
    settings = {"learner": "perceptron", "recipe": "own", "rivals": ["LMS"], "limit": 500, "phi": "x", "eta": 0.5}
    header = {"n": 12, "p": 2, "settings": settings}
    path.write_bytes(pack(header, {"X": X.ravel(), "y": (2 * y - 1).astype(np.int8)}))


def _forge_message(path: Path, rng: random.Random) -> None:
    header, columns = unpack(path.read_bytes())
    if rng.random() < 0.3:
        name = rng.choice(sorted(columns))
        changed = distort(np.array(columns[name]), rng)
        columns[name] = changed.astype(rng.choice([np.float64, np.int32, np.int8]))
    else:
        header = distort(header, rng)
    with suppress(ValueError, TypeError):  # NaN has no JSON
        path.write_bytes(pack(header, columns))


def _read_message(path: Path) -> Answer:
    return len(lab_answer(path.read_bytes())) > 0


def _write_upload(path: Path) -> None:
    X, y = sample(30)
    lines = [",".join(map(str, [*x, f"class {label}"])) for x, label in zip(X.tolist(), y.tolist(), strict=True)]
    path.write_text("a,b,c,d,y\n" + "\n".join(lines) + "\n")


# ------------------------------------------------------------------------------------- what other programs write

_FIXTURES = Path(__file__).parents[1] / "data" / "fixtures"


def _frame() -> pd.DataFrame:
    X, y = sample(12)
    return pd.DataFrame(X, columns=["a", "b", "c", "d"]).assign(name=["x", "ä y", "z"] * 4, y=y)


def _copy_of(name: str) -> Callable[[Path], None]:
    return lambda path: path.write_bytes((_FIXTURES / name).read_bytes()) and None


def _read_patients(path: Path) -> Answer:
    X, y, _ = open_table(path, target="died", na=["NA"], missing="drop").arrays()
    return [X.tolist(), y.tolist()]


def _write_sqlite(path: Path) -> None:
    connection = sqlite3.connect(path)
    _frame().to_sql("t", connection, index=False)
    connection.close()


def _write_duckdb(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.register("frame", _frame())
        connection.execute("CREATE TABLE t AS SELECT * FROM frame")


def _write_packed(path: Path) -> None:
    text = _frame().to_csv(index=False).encode()
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("t.csv", text)
    else:
        path.write_bytes({".gz": gzip, ".bz2": bz2, ".xz": lzma}[path.suffix].compress(text))


def _write_json(path: Path) -> None:
    _frame().to_json(path, orient="records", lines=path.suffix == ".jsonl")


def _of_others(name: str, write: Callable[[Path], Any]) -> Reader:
    return Reader(name, write, lambda path: _table(path, "y"), False)


OTHERS = [
    Reader("book.xlsx", _copy_of("libreoffice.xlsx"), _read_patients, False),
    Reader("book.ods", _copy_of("libreoffice.ods"), _read_patients, False),
    Reader("stata.dta", _copy_of("r.dta"), _read_patients, False),
    _of_others("spss.sav", lambda path: pyreadstat.write_sav(_frame(), str(path))),
    _of_others("sas.xpt", lambda path: pyreadstat.write_xport(_frame(), str(path))),
    _of_others("t.sqlite", _write_sqlite),
    _of_others("t.duckdb", _write_duckdb),
    _of_others("t.json", _write_json),
    _of_others("t.jsonl", _write_json),
    _of_others("t.feather", lambda path: pyarrow.feather.write_feather(_frame(), str(path))),
    *(_of_others(f"t.csv.{end}", _write_packed) for end in ("gz", "bz2", "xz", "zip")),
]

READERS = [
    Reader("message.lab", _write_message, _read_message, False, _forge_message),
    Reader("upload.csv", _write_upload, lambda p: len(read_upload(p).packed()) > 0, False),
    Reader("dense.store", lambda p: _write_store(p, False), _read_store, True, _forge_store),
    Reader("sparse.store", lambda p: _write_store(p, True), _read_store, True, _forge_store),
    Reader("rows.npy", _write_npy, lambda p: _table(p, "x4"), False),
    Reader("rows.npz", _write_npz, lambda p: _table(p, "y"), False),
    Reader("sparse.npz", _write_sparse_npz, lambda p: _table(p, "y"), False),
    Reader("rows.arrow", _write_arrow, lambda p: _table(p, "y"), False),
    Reader("rows.parquet", _write_parquet, lambda p: _table(p, "y"), False),
    Reader("sound.wav", _write_wav, _read_signals, False),
    Reader("perceptron.model", _write_model, _read_model, True, _forge_safetensors),
    Reader("joint.model", _write_joint_model, _read_joint_model, True, _forge_safetensors),
    Reader("filter.model", _write_filter, _read_filter, True, _forge_safetensors),
    Reader("fit.checkpoint", _write_checkpoint, _read_checkpoint, True, _forge_safetensors),
    Reader("proof.json", _write_certificate, _read_certificate, False, _forge_certificate),
    Reader("run.trace", _write_trace, _read_trace, True, _forge_safetensors),
]
