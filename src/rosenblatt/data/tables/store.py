"""Stores: rows in memory-mapped files, for data larger than memory.

A store is a folder:

    schema.json      what the arrays are, how the table was read, and a checksum of each file and of itself
    rows-…/          the arrays: X, or data, indices and indptr; y; weights and row numbers, where there are any;
                     of columns with numbers that float64 does not hold, those numbers (`Written`), in three arrays;
                     and a digest of each block of 65,536 rows

Format 1 has no such columns, and no digests; it is still read.

The arrays are written first and the schema is put in place last, in one step. So a folder has the old store or the new
one, and one whose building was interrupted has no schema and is refused. Where there is an old store, the new arrays
are on the disk before it is given up. A first one does not wait for that: should the power fail, its checksums tell.

The name of a rows folder carries the process that made it. So a store removes only what it made itself: the rows that
its schema names, and those of builds that were killed. Of two builds at once, the second waits for the first.

Once a second a build writes down how far it is, into `unfinished.json` beside the arrays. Killed or interrupted, it is
taken up by the next build of the same file, untouched since and read alike, and ends with the same bytes; any other
build removes it. Of what has been written, the checksums are looked at first. Databases are read from the beginning
again: the rows of a view come in any order.
"""

import hashlib
import json
import os
import re
import shutil
import sys
import time
import zlib
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from math import prod
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from rosenblatt import __version__
from rosenblatt.arrays import Flags, Integers
from rosenblatt.data.files import held_alone, is_left_behind, is_owned, new_mark, sweep, write_whole
from rosenblatt.data.numbers import BLOCK, FARTHEST, BlockHasher, Written, as_rows
from rosenblatt.data.refusal import Refused, column_list
from rosenblatt.data.sql import read_ahead
from rosenblatt.data.tables.encoding import Encoding
from rosenblatt.data.tables.table import Block, Table
from rosenblatt.later import sparse as sp

__all__ = ["Store"]

_FORMAT = "rosenblatt-store/2"
_READ = ("rosenblatt-store/1", _FORMAT)
_FAMILY = b'"rosenblatt-store/'  # what every version of the schema begins with
_HEAD = 1 << 10  # bytes of it that are looked at
_ROWS = "rows-"
_PIECE = 1 << 24  # bytes checked at a time
_UNFINISHED = "unfinished.json"
_EVERY = 1.0  # seconds between two notes of how far a build is
_WRITTEN = ("written_high", "written_low", "written_exponent")

Progress = Callable[[int, int], None]


class Store(Table):
    """Rows on disk that learners fit as they fit arrays, to the same bits, without copying them into memory.

    Attributes
    ----------
    X : read-only memory map of shape (n, p), or CSR over memory maps
    y : read-only memory map of n labels, −1/+1 or class numbers
    weights : read-only memory map of n numbers, or None

    Examples
    --------
    >>> import tempfile, numpy as np, rosenblatt as rb
    >>> folder = tempfile.TemporaryDirectory()
    >>> table = rb.data.open_table(frame={"a": np.array([0.0, 1.0, 2.0]), "y": np.array([0, 0, 1])}, target="y")
    >>> store = rb.data.Store.build(table, folder.name + "/rows")
    >>> store
    <Store .../rows: 3 rows × 1 columns, dense float64>
    >>> rb.Perceptron().fit(store.X, store.y).outcome_
    <SEPARATED: all 3 examples are on their side after 9 corrections.>
    >>> folder.cleanup()
    """

    def __init__(self, folder: Path, schema: dict[str, Any]) -> None:
        self.name, self.folder, self.schema = os.fspath(folder), folder, schema
        self._encoding = Encoding.from_json(schema.get("table", {}))
        if self._encoding.p != schema["p"]:
            raise Refused(f"{folder} is damaged: its schema.json contradicts itself; build the store again.")
        self._n = schema["n"]
        maps = {name: self._map(name, entry) for name, entry in schema["arrays"].items()}
        X = maps["X"] if schema["layout"] == "dense" else _csr(maps, schema)
        self._arrays = X, maps.get("y"), maps.get("weights")  # on disk: nothing is read
        self._numbers = maps.get("row_numbers")
        self._written = Written(*(maps[name] for name in _WRITTEN)) if self.long_columns else None
        self._digests = maps.get("digests")

    # ------------------------------------------------------------------------------------------------ build and open

    @classmethod
    def build(
        cls, source: Table, folder: str | os.PathLike[str], *, dtype: str = "float64", progress: Progress | None = None
    ) -> "Store":
        """Write all rows of a table to a folder, once; a kill at any moment leaves the old store or the new one.

        The next build of the same file, read alike, goes on where one was killed, to the same bytes.

        Parameters
        ----------
        source : Table
            What `open_table` returned.
        folder : path
            A new folder, an empty one, or that of an older store, which is replaced.
        dtype : "float64" or "float32"
            float32 takes half the space and rounds the values: what is learned and proved is about the rounded ones.
        progress : callable, optional
            Called with the rows written and about how many there are.
        """
        if dtype not in ("float64", "float32"):
            raise Refused(f"a store holds float64 or float32, not {dtype}.")
        target = Path(folder)
        _prepare(target)
        with held_alone(target, wait=True) as waited:
            is_there = False
            with suppress(Refused):  # another process may have built this very store by now
                is_there = waited and cls.open(target, check=False).is_of(source)
            if not is_there:
                _build(target, source, dtype, progress)
        return cls.open(target, check=False)

    @classmethod
    def open(cls, folder: str | os.PathLike[str], check: bool = True) -> "Store":
        """Open a store; one that is damaged in any way is refused. `check=False` trusts the files to be as written."""
        path = Path(folder)
        schema = _read_schema(path)
        for name, entry in schema["arrays"].items():
            file = _array_path(path, schema, name)
            size = file.stat().st_size if file.is_file() else -1
            if size != entry["bytes"]:
                found = "is missing" if size < 0 else f"has {size:,} bytes instead of {entry['bytes']:,}"
                raise Refused(f"{folder} is damaged: its array {name} {found}; build the store again.")
            if check and _crc_of(file) != entry.get("crc32"):
                raise Refused(f"{folder} is damaged: its array {name} is not what was written; build the store again.")
        store = cls(path, schema)
        if check:
            store._check_inside()
        return store

    @staticmethod
    def is_store(folder: str | os.PathLike[str]) -> bool:
        """Whether a folder holds a store, finished or not; other folders may have a schema.json or rows-… too."""
        path = Path(folder)
        if not path.is_dir():
            return False
        if any(is_owned(one.name.removeprefix(_ROWS)) for one in path.glob(f"{_ROWS}*")):
            return True
        with suppress(OSError), open(path / "schema.json", "rb") as file:
            return _FAMILY in file.read(_HEAD)
        return False

    def is_of(self, table: Table) -> bool:
        """Whether it was built from this very table: the same file, unchanged since, read in the same way."""
        same = table.fingerprint is not None and self.schema.get("fingerprint") == table.fingerprint
        return same and self.schema["format"] == _FORMAT  # older ones do not know all of the numbers

    # ------------------------------------------------------------------------------------------------------- a table

    @property
    def encoding(self) -> Encoding:
        """How the table was read."""
        return self._encoding

    @property
    def estimated_rows(self) -> int:
        """The exact number: a store knows it."""
        return self.n

    @property
    def row_numbers(self) -> Integers:
        """The row of the data, counted from 1, that each row of X came from."""
        return np.arange(1, self.n + 1) if self._numbers is None else self._numbers

    @property
    def long_columns(self) -> tuple[int, ...]:
        """The columns of X with numbers that float64 does not hold."""
        return tuple(self.schema.get("long_columns", ()))

    @property
    def single_columns(self) -> Flags | None:
        """Which columns of X were float32 in the data, or are in the store; None: none of them."""
        single = self.schema.get("single_columns", range(self.p) if self.schema["dtype"] == "float32" else [])
        return np.isin(np.arange(self.p), list(single)) if single else None

    @property
    def digests(self) -> list[bytes] | None:
        """A digest of each block of 65,536 rows: their floats, labels, weights and written numbers (see `digests.py`).

        None of a store of format 1.
        """
        return None if self._digests is None else [one.tobytes() for one in self._digests]

    def _blocks(self) -> Iterator[Block]:
        X, *labels = self.arrays()
        step = max(1, (1 << 20) // max(1, self.p))
        for start in range(0, self.n, step):
            part = slice(start, min(start + step, self.n))
            numbers = np.arange(part.start + 1, part.stop + 1) if self._numbers is None else self._numbers[part]
            y, weights = (None if one is None else one[part] for one in labels)
            yield Block(X[part], y, weights, numbers, self._written and self._written.take(part))

    def __repr__(self) -> str:
        kind = f"{self.schema['layout']} {self.schema['dtype']}"
        return f"<Store {self.name}: {self.n} rows × {self.p} columns, {kind}>"

    def _map(self, name: str, entry: dict[str, Any]) -> Any:
        shape = tuple(entry["shape"])
        if 0 in shape:
            return np.empty(shape, dtype=entry["dtype"])
        return np.memmap(_array_path(self.folder, self.schema, name), dtype=entry["dtype"], mode="r", shape=shape)

    def _check_inside(self) -> None:
        """Refuse what no build writes, and what loops would not survive."""
        if self.schema["layout"] == "csr":
            self._check_pointers()
        if self._written is not None:
            exponent = self._written.exponent
            if np.any((exponent < -FARTHEST) | (exponent > FARTHEST)):
                raise Refused(f"{self.name} is damaged: it has numbers beyond all sizes; build the store again.")

    def _check_pointers(self) -> None:
        """Refuse sparse rows that point outside their arrays: the compiled loops do not check."""
        indptr, indices = self.X.indptr, self.X.indices
        sound = indptr[0] == 0 and indptr[-1] == len(indices) and not np.any(np.diff(indptr) < 0)
        for start in range(0, len(indices) if sound else 0, _PIECE):
            piece = np.asarray(indices[start : start + _PIECE])
            sound = sound and bool(piece.min() >= 0 and piece.max() < self.p)
        if not sound:
            raise Refused(f"{self.name} is damaged: its sparse rows point outside of it; build the store again.")


def _csr(maps: dict[str, Any], schema: dict[str, Any]) -> Any:
    """A CSR matrix on the maps themselves; its constructor would copy one of them to make the index types alike."""
    X = sp.csr_matrix((schema["n"], schema["p"]), dtype=schema["dtype"])
    X.data, X.indices, X.indptr = maps["data"], maps["indices"], maps["indptr"]
    X.has_canonical_format = True  # written so
    return X


# ------------------------------------------------------------------------------------------------------------ writing


def _prepare(target: Path) -> None:
    """Make the folder; refuse one that holds anything but a store."""
    if target.exists() and not target.is_dir():
        raise Refused(f"{target} is a file; a store is a folder.")
    if target.is_dir() and any(target.iterdir()) and not Store.is_store(target):
        raise Refused(f"{target} holds other files; a store needs a folder of its own.")
    try:
        target.mkdir(exist_ok=True)
        sweep(target)
    except OSError as error:
        raise Refused(f"{target} cannot be made: {os.strerror(error.errno or 0)}.") from None


def _build(target: Path, source: Table, dtype: str, progress: Progress | None) -> None:
    """Write the rows, put the schema in place, remove the rows of the older store and of builds that were killed."""
    before, older = source.fingerprint, None
    with suppress(Refused):
        older = _read_schema(target)["rows"]
    inside = target / f"{_ROWS}{new_mark()}"
    writer = _Writer(inside, np.dtype(dtype), source, progress)
    begun = _half_built(target, writer.identity, but=older)
    kept = begun.name if begun else None
    _remove_rows(target, keeps=(older, kept))  # builds that were killed may have filled the disk
    try:
        target.mkdir(exist_ok=True)  # the build we waited for may have given up and removed it
        inside.mkdir() if begun is None else begun.rename(inside)
        entries = source.read_with(writer.write, writer.begin)
        schema = _new_schema(source, inside.name, dtype, entries)
        if source.fingerprint != before:
            raise Refused(f"{source.name} was changed while it was read: build the store again.")
        (inside / _UNFINISHED).unlink(missing_ok=True)
        if (target / "schema.json").exists():
            _to_disk(inside)
        write_whole(target / "schema.json", schema)
    except BaseException as error:
        if not isinstance(error, KeyboardInterrupt) or not (inside / _UNFINISHED).exists():
            shutil.rmtree(inside, ignore_errors=True)
        with suppress(OSError):  # it is not empty
            target.rmdir()
        if isinstance(error, OSError):
            raise Refused(f"{target} cannot be written: {os.strerror(error.errno or 0)}.") from None
        raise
    _remove_rows(target, keeps=(inside.name,), older=older)


def _remove_rows(target: Path, keeps: Collection[str | None], older: str | None = None) -> None:
    """Remove the rows of an older store, and of builds that were killed."""
    for rows in target.glob(f"{_ROWS}*"):
        if rows.name not in keeps and (rows.name == older or _is_dead(rows)):
            shutil.rmtree(rows, ignore_errors=True)


def _is_dead(rows: Path) -> bool:
    """Whether the build that made it has ended: nobody else builds here now, so also if this process began it."""
    return is_left_behind(rows.name.removeprefix(_ROWS), or_own=True)


def _half_built(target: Path, identity: str, but: str | None) -> Path | None:
    """The rows of a build that did not end, and that this one can go on with: the most there are."""
    found = []
    for rows in target.glob(f"{_ROWS}*") if identity else ():
        if rows.name != but and _is_dead(rows):
            state = _read_unfinished(rows)
            if state.get("identity") == identity:
                found.append((state["rows"], rows))
    return max(found)[1] if found else None


def _read_unfinished(rows: Path) -> dict[str, Any]:
    """How far a build was; nothing where that is not known."""
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        state = json.loads((rows / _UNFINISHED).read_bytes())
        if state.pop("checksum") == _own_checksum(state):
            return dict(state)
    return {}


def _identity(source: Table, dtype: np.dtype[Any]) -> str:
    """What tells the build of a store from others: the file as it is now, how it is read, and this program.

    The moment of the last change to a file, unlike its time, is set by the system alone. "" where the
    rows could come otherwise when they are read again.
    """
    if not source.steady_file or source.fingerprint is None:
        return ""
    now = os.stat(source.steady_file)
    told = source.fingerprint, now.st_dev, now.st_ino, now.st_ctime_ns, dtype.name, sys.byteorder, _FORMAT, __version__
    return hashlib.sha256(repr(told).encode()).hexdigest()


def _to_disk(folder: Path) -> None:
    """Wait until the files in it are on the disk."""
    for path in folder.iterdir():
        with open(path, "rb+") as file:
            os.fsync(file.fileno())
    if os.name == "posix":  # their names are kept in the folder, which only there is a file too
        number = os.open(folder, os.O_RDONLY)
        os.fsync(number)
        os.close(number)


class _Writer:
    """Appends blocks to one file for each array."""

    def __init__(self, folder: Path, dtype: np.dtype[Any], source: Table, progress: Progress | None) -> None:
        self.folder, self.dtype, self.source, self.progress = folder, dtype, source, progress
        self.identity = _identity(source, dtype)
        self._clear()

    def _clear(self) -> None:
        self.arrays: dict[str, _ArrayFile] = {}
        self.rows = self.values = self.last = 0  # rows and values written; the number of the last row in the data
        self.extremes: tuple[int, ...] = ()  # smallest and largest label
        self.hasher: BlockHasher | None = None
        self.noted_at = time.monotonic()

    def begin(self) -> int:
        """Go on with what was begun in the folder, if its rows were read alike; returns the number of the last one."""
        self._clear()
        state = _read_unfinished(self.folder)
        if state and state["read"] != self._as_read():
            self.source.look_at_all_rows()  # as that build may have done
        if state and (state["read"] != self._as_read() or not self._are_whole(state["arrays"])):
            state = {}
        kept = {_UNFINISHED, *(f"{name}.bin" for name in state["arrays"])} if state else set()
        for file in self.folder.iterdir():
            if file.name not in kept:
                file.unlink()
        if state:
            self.arrays = {name: _ArrayFile.reopened(self.folder, name, one) for name, one in state["arrays"].items()}
            self.rows, self.values, self.last = state["rows"], state["values"], state["last"]
            self.extremes = tuple(state["extremes"])
            self._hash_again([bytes.fromhex(one) for one in state["digests"]])
        return self.last

    def _as_read(self) -> str:
        """A hash of how the rows are read now."""
        return hashlib.sha256(repr(self.source.as_read()).encode()).hexdigest()

    def _are_whole(self, arrays: dict[str, Any]) -> bool:
        """Whether what was written is there, and is what was written."""
        files = {self.folder / f"{name}.bin": entry for name, entry in arrays.items()}
        return all(
            file.is_file() and file.stat().st_size >= entry["bytes"] and _crc_of(file, entry["bytes"]) == entry["crc32"]
            for file, entry in files.items()
        )

    def _note(self) -> None:
        """Write down how far the build is."""
        if not self.identity or time.monotonic() < self.noted_at + _EVERY:
            return
        state = {
            "identity": self.identity,
            "read": self._as_read(),
            "rows": self.rows,
            "values": self.values,
            "last": self.last,
            "extremes": self.extremes,
            "digests": [one.hex() for one in self.hasher.digests] if self.hasher else [],
            "arrays": {name: array.entry() for name, array in self.arrays.items()},
        }
        state = json.loads(json.dumps(state))
        new = self.folder / f"{_UNFINISHED}.new"
        new.write_text(json.dumps(state | {"checksum": _own_checksum(state)}))
        os.replace(new, self.folder / _UNFINISHED)
        self.noted_at = time.monotonic()

    def _hash_again(self, digests: list[bytes]) -> None:
        """The hasher as it was: after whole blocks, and the rows of one that is not whole."""
        if not self.rows:
            return
        maps = {name: array.mapped() for name, array in self.arrays.items()}
        if "X" in maps:
            X = maps["X"]
        else:
            X = _csr(maps, {"n": self.rows, "p": self.source.encoding.p, "dtype": self.dtype.name})
        written = Written(*(maps[name] for name in _WRITTEN)) if _WRITTEN[0] in maps else None
        all_rows = Block(X, maps.get("y"), maps.get("weights"), np.empty(0, dtype=np.int64), written)
        self.hasher = BlockHasher("dense" if "X" in maps else "csr", stays=True)
        self.hasher.digests, self.hasher.next = digests, len(digests) * BLOCK
        step = max(1, (1 << 20) // max(1, X.shape[1]))
        for start in range(self.hasher.next, self.rows, step):
            self._hash(all_rows.part(slice(start, start + step)))

    def write(self, blocks: Iterator[Block]) -> dict[str, Any]:
        """Write all blocks; returns the arrays' entries of the schema."""
        expected = self.source.estimated_rows if self.progress else 0
        try:
            for block in blocks:  # the next rows are read meanwhile, and these are still in the processor's cache
                self._add(block)
                self._note()
                if self.progress:
                    self.progress(self.rows, max(self.rows, expected))
            if self.progress:
                self.progress(self.rows, self.rows)
            self.source.check_rows(self.rows, *self.extremes)
            self._append_digests()
            return {name: array.entry() for name, array in self.arrays.items()}
        finally:
            for array in self.arrays.values():
                array.file.close()

    def _add(self, block: Block) -> None:
        block = block._replace(X=self._rounded(block.X))
        if sp.issparse(block.X):
            self._append("data", block.X.data)
            self._append("indices", block.X.indices.astype(np.int32, copy=False))
            if self.rows == 0 and "indptr" not in self.arrays:
                self._append("indptr", np.zeros(1, dtype=np.int64))
            self._append("indptr", block.X.indptr[1:].astype(np.int64) + self.values)
            self.values += block.X.nnz
        else:
            self._append("X", block.X)
        for name in ("y", "weights"):
            one = getattr(block, name)
            if one is not None:
                self._append(name, one)
        self._add_written(block.written)
        self._hash(block)
        if block.y is not None and len(block.y):
            labels = (*self.extremes, int(block.y.min()), int(block.y.max()))
            self.extremes = (min(labels), max(labels))
        self._number(block.row_numbers)
        self.rows += len(block.row_numbers)
        self.last = int(block.row_numbers[-1]) if len(block.row_numbers) else self.last

    def _number(self, numbers: Integers) -> None:
        """Row numbers are written only where row k of X is not row k + 1 of the data."""
        m = len(numbers)
        if "row_numbers" not in self.arrays:
            if m == 0 or (numbers[0] == self.rows + 1 and numbers[-1] == self.rows + m):
                return  # they ascend, so all of them are in place
            for start in range(0, self.rows, 1 << 20):
                self._append("row_numbers", np.arange(start + 1, min(self.rows, start + (1 << 20)) + 1))
        self._append("row_numbers", numbers)

    def _add_written(self, written: Written | None) -> None:
        if written is None:
            return
        if self.dtype != np.float64:
            names = column_list(self.source.features[j] for j in self.source.long_columns)
            raise Refused(
                f"{self.source.name} has numbers that floats do not hold ({names}), which a store of float32 would "
                f"round: leave dtype at float64."
            )
        for name, values, dtype in zip(_WRITTEN, written, (np.int64, np.int64, np.int32), strict=True):
            self._append(name, values.astype(dtype, copy=False))

    def _hash(self, block: Block) -> None:
        """Take the rows into the digests of their blocks."""
        if self.hasher is None:
            self.hasher = BlockHasher("csr" if sp.issparse(block.X) else "dense", stays=True)
        further = [one for one in (block.y, block.weights) if one is not None]
        for part in block.written or ():
            further += list(np.asarray(part, dtype=np.int64).T)
        self.hasher.update(as_rows(block.X), further)

    def _append_digests(self) -> None:
        digests = [] if self.hasher is None else self.hasher.finish()
        self._append("digests", np.frombuffer(b"".join(digests), dtype=np.uint8).reshape(-1, 32))

    def _append(self, name: str, values: npt.NDArray[Any]) -> None:
        if name not in self.arrays:
            self.arrays[name] = _ArrayFile(self.folder / f"{name}.bin", values)
        self.arrays[name].append(values)

    def _rounded(self, X: "npt.NDArray[Any] | sp.csr_matrix") -> "npt.NDArray[Any] | sp.csr_matrix":
        if self.dtype == X.dtype:
            return X
        with np.errstate(over="ignore"):
            rounded = X.astype(self.dtype)
        if not np.isfinite(rounded.data if sp.issparse(rounded) else rounded).all():
            raise Refused(f"{self.source.name} holds a value beyond float32 near row {self.rows + 1:,}: use float64.")
        return rounded


class _ArrayFile:
    """One array on its way to disk."""

    def __init__(self, path: Path, like: npt.NDArray[Any], mode: Literal["wb", "rb+"] = "wb") -> None:
        self.file = open(path, mode, buffering=0)  # noqa: SIM115 (the writer closes it)
        self.dtype, self.width = like.dtype, like.shape[1:]
        self.rows = self.crc = 0

    @classmethod
    def reopened(cls, folder: Path, name: str, entry: dict[str, Any]) -> "_ArrayFile":
        """An array that was written so far, to be written on."""
        self = cls(folder / f"{name}.bin", np.empty((0, *entry["shape"][1:]), dtype=entry["dtype"]), "rb+")
        self.rows, self.crc = entry["shape"][0], entry["crc32"]
        self.file.truncate(entry["bytes"])
        self.file.seek(0, os.SEEK_END)
        return self

    def append(self, values: npt.NDArray[Any]) -> None:
        content = np.ascontiguousarray(values).reshape(-1).view(np.uint8).data
        self.crc = zlib.crc32(content, self.crc)
        self.rows += len(values)
        while content:
            content = content[self.file.write(content) :]

    def entry(self) -> dict[str, Any]:
        """What the schema says of it."""
        shape = [self.rows, *self.width]
        size = prod(shape) * self.dtype.itemsize
        return {"dtype": self.dtype.name, "shape": shape, "bytes": size, "crc32": self.crc}

    def mapped(self) -> npt.NDArray[Any]:
        """What is written."""
        shape = (self.rows, *self.width)
        return np.memmap(self.file.name, self.dtype, "r", shape=shape) if prod(shape) else np.empty(shape, self.dtype)


def _new_schema(source: Table, inside: str, dtype: str, entries: dict[str, Any]) -> bytes:
    layout = "dense" if "X" in entries else "csr"
    schema = {
        "format": _FORMAT,
        "byte_order": sys.byteorder,
        "layout": layout,
        "dtype": dtype,
        "n": entries["X"]["shape"][0] if layout == "dense" else entries["indptr"]["shape"][0] - 1,
        "p": source.encoding.p,
        "long_columns": list(source.long_columns),
        "single_columns": _single_places(source, dtype),
        "source": source.name,
        "fingerprint": source.fingerprint,
        "table": source.encoding.to_json(),
        "rows": inside,
        "arrays": entries,
    }
    return json.dumps(schema | {"checksum": _own_checksum(schema)}, indent=1).encode()


def _single_places(source: Table, dtype: str) -> list[int]:
    """The columns of float32."""
    if dtype == "float32":
        return list(range(source.encoding.p))
    single = source.single_columns
    return [] if single is None else np.flatnonzero(single).tolist()


# ------------------------------------------------------------------------------------------------------------ reading


def _read_schema(folder: Path) -> dict[str, Any]:
    if not folder.is_dir():
        raise Refused(f"{folder} is not a store: there is no such folder.")
    file = folder / "schema.json"
    if not file.is_file():
        why = "its building was interrupted; build it again" if Store.is_store(folder) else "it has no schema.json"
        raise Refused(f"{folder} is not a store: {why}.")
    try:
        schema = json.loads(file.read_bytes())
        checksum = schema.pop("checksum")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise Refused(f"{folder} is damaged: its schema.json cannot be read; build the store again.") from None
    except OSError as error:
        raise Refused(f"{folder} cannot be read: {os.strerror(error.errno or 0)}.") from None
    if schema.get("format") not in _READ:
        known = " and ".join(map(repr, _READ))
        raise Refused(f"{folder} has the format {schema.get('format')!r}, where this version reads {known}.")
    if checksum != _own_checksum(schema) or not re.fullmatch(r"rows-\w+", str(schema.get("rows"))):
        raise Refused(f"{folder} is damaged: its schema.json is not what was written; build the store again.")
    if not _is_sound(schema):
        raise Refused(f"{folder} is damaged: its schema.json describes no store; build the store again.")
    if schema.get("byte_order") != sys.byteorder:
        raise Refused(
            f"{folder} was written by a {schema.get('byte_order')}-endian machine, and this one is "
            f"{sys.byteorder}-endian: build the store here."
        )
    return dict(schema)


def _is_sound(schema: dict[str, Any]) -> bool:
    """Whether the arrays are those of a store: their names, types and shapes, which must fit each other."""
    try:
        n, p, dtype, arrays = schema["n"], schema["p"], schema["dtype"], dict(schema["arrays"])
        values = arrays["indices"]["shape"] if schema["layout"] == "csr" else []
        layouts: dict[str, dict[str, tuple[list[str], list[Any]]]] = {  # of each array: types, shape
            "dense": {"X": ([dtype], [n, p])},
            "csr": {"data": ([dtype], values), "indices": (["int32"], values), "indptr": (["int64"], [n + 1])},
        }
        required = layouts[schema["layout"]]
        known = required | {"y": (["int8", "int32", "int64"], [n]), "weights": (["float64"], [n])}
        known |= {"row_numbers": (["int64"], [n])}
        if schema["format"] == _FORMAT:
            required |= {"digests": (["uint8"], [-(-n // BLOCK), 32])} | _long_layout(schema)
            known |= required
        numbers = [n, p, *(size for entry in arrays.values() for size in entry["shape"])]
        if any(type(one) is not int or one < 0 for one in numbers) or dtype not in ("float64", "float32"):
            return False
        return required.keys() <= arrays.keys() <= known.keys() and all(
            entry["dtype"] in known[name][0]
            and entry["shape"] == known[name][1]
            and entry["bytes"] == prod(entry["shape"]) * np.dtype(entry["dtype"]).itemsize
            for name, entry in arrays.items()
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return False


def _long_layout(schema: dict[str, Any]) -> dict[str, tuple[list[str], list[Any]]]:
    """The types and shapes of the arrays of long columns. Raises ValueError where the columns are not such."""
    n, p, long, single = schema["n"], schema["p"], schema["long_columns"], schema["single_columns"]
    for columns in (long, single):
        if any(type(j) is not int or not 0 <= j < p for j in columns) or sorted(set(columns)) != columns:
            raise ValueError("these are no columns")
    if not long:
        return {}
    if schema["layout"] != "dense" or schema["dtype"] != "float64":
        raise ValueError("long numbers are kept beside dense rows of float64")
    shape = [n, len(long)]
    return dict(zip(_WRITTEN, ((["int64"], shape), (["int64"], shape), (["int32"], shape)), strict=True))


def _own_checksum(schema: dict[str, Any]) -> int:
    return zlib.crc32(json.dumps(schema, sort_keys=True).encode())


def _array_path(folder: Path, schema: dict[str, Any], name: str) -> Path:
    return folder / str(schema["rows"]) / f"{name}.bin"


def _crc_of(file: Path, size: int | None = None) -> int:
    """The checksum of a file, or of its first bytes."""
    crc, left = 0, file.stat().st_size if size is None else size
    with open(file, "rb", buffering=0) as stream:
        for content in read_ahead(iter(lambda: stream.read(_PIECE), b"")):
            crc = zlib.crc32(content[:left], crc)
            left -= len(content[:left])
    return crc
