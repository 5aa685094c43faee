"""A block of rows as it is read, where it is: rows and labels, what they show, and how they are cut and joined."""

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from rosenblatt.arrays import Flags, Floats, Integers, Places, Selection, Signs
from rosenblatt.data import Encoding, Store, Table, open_table
from rosenblatt.data.numbers import (
    Origin,
    Rows,
    Written,
    as_rows,
    data_digest,
    named_rows,
    refuse_missing_labels,
    signs,
    single_columns,
)
from rosenblatt.data.readers import Values, folder_of
from rosenblatt.data.wording import is_number

# what is asked of every block is named as `shard.…`
__all__ = ["Raw", "Shard", "ShardSurvey", "encoded_rows", "is_text", "nbytes"]
__all__ += ["read_arrays", "read_parquet", "read_store", "read_table"]

_MOST_LEVELS = 1001  # values of a text column that are brought together: more than an encoding takes


@dataclass
class Raw:
    """Rows and labels as they were read. They are used once the classes and columns of all shards are known."""

    rows: Rows
    labels: npt.NDArray[Any]
    weights: Floats  # empty: all one
    names: list[str] | None
    where: str

    def __sizeof__(self) -> int:  # Dask asks, before it moves or spills anything
        return nbytes([*self.rows.kernel, *(self.rows.origin.written or ()), self.labels, self.weights])

    @cached_property
    def digest(self) -> str:
        """A hash of the rows, their labels and weights: what tells this shard from any other."""
        classes, codes = np.unique(self.labels, return_inverse=True)
        named = hashlib.sha256(repr(classes.tolist()).encode()).hexdigest()
        written = (column for part in self.rows.origin.written or () for column in part.T)  # floats do not tell these
        return f"{named[:16]}{data_digest(self.rows.read_as(None), [codes.astype(np.int64), self.weights, *written])}"


class ShardSurvey(NamedTuple):
    """What the coordinator knows of a shard."""

    n: int
    p: int
    names: list[str] | None
    classes: npt.NDArray[Any]
    counts: Integers
    weighted: Integers  # those of each class whose weight is not zero
    heaviest: float | None  # None: rows have no weights
    radius_sq: float
    sparse: bool
    where: str
    written: tuple[int, ...]  # columns with numbers that floats do not tell apart
    single: Flags  # columns of float32
    digest: str = ""  # of `Raw`


@dataclass
class Shard:
    """Rows, and for each run its labels −1/+1."""

    rows: Rows
    targets: list[Signs]
    weights: Floats
    bias: bool
    radius_sq: float  # of all shards

    def __sizeof__(self) -> int:
        return nbytes([*self.rows.kernel, *(self.rows.origin.written or ()), *self.targets, self.weights])

    @property
    def present(self) -> Flags:
        """Which rows have a positive weight."""
        return self.weights > 0 if self.weights.size else np.ones(self.rows.n, dtype=np.bool_)


def nbytes(arrays: list[Any]) -> int:
    """How much memory they take."""
    return sum(int(array.nbytes) for array in arrays if hasattr(array, "nbytes"))


# ------------------------------------------------------------------------------------------------------------- reading


def read_arrays(X: object, y: object, where: str, weights: object = None, called: list[str] | None = None) -> Raw:
    """A shard of an array, a sparse matrix, a table, or of files of NumPy arrays; `called` names the columns."""
    X, y = _open(X), _open(y)
    with _naming(where):
        names, rows = named_rows(X)
    names = names if called is None else called
    return Raw(rows, _labels(y, rows.n, where), _weights(weights, rows.n, where), names, where)


def read_store(folder: str, start: int = 0, stop: int | None = None) -> Raw:
    """A shard of a store, or of some of its rows: memory maps opened on the worker, which must see the folder."""
    store, some = Store.open(folder, check=False), slice(start, stop)  # the coordinator has opened and checked it
    y, weights = (None if one is None else one[some] for one in store.arrays()[1:])
    where = f"store {os.path.basename(folder)}" + (f" from row {start}" if start else "")
    return read_arrays(store.rows().subset(some), y, where, weights, list(store.features))


def read_table(
    table: Any, where: str, y: Any, weights: Any, columns: list[str] | None, described: dict[str, Any] | None
) -> Raw:
    """A shard of a pandas table: labels and weights are names of its columns, or values; `columns` None: all others.

    `described` is the encoding by which text columns become numbers; None: there are none.
    """
    roles = [name for name in (y, weights) if isinstance(name, str)]
    for name in [*(columns or []), *roles]:
        if name not in table.columns:
            known = ", ".join(map(repr, map(str, table.columns[:8]))) + " …" * (len(table.columns) > 8)
            raise ValueError(f"{where} has no column {name!r}; it has {known}.")
    labels, given = (table[one] if isinstance(one, str) else one for one in (y, weights))
    if described is None:
        X = table[columns] if columns is not None else table.drop(columns=roles)
        return read_arrays(X, labels, where, given)
    encoding = Encoding.from_json(described)
    with _naming(where):
        rows = encoded_rows(open_table(frame=table[columns], encoding=encoding, labels=False))
    return read_arrays(rows, labels, where, given, list(encoding.features))


def encoded_rows(table: Table, blocks: list[Any] | None = None) -> Rows:
    """All rows of a table, text columns included, with the numbers as they were written; `blocks`: they are read."""
    blocks = list(table.batches()) if blocks is None else blocks
    parts = [block.written for block in blocks if block.written is not None]
    origin = Origin(table.long_columns if parts else (), Written.joined(parts) if parts else None, table.single_columns)
    return Rows(np.concatenate([np.empty((0, table.encoding.p)), *(block.X for block in blocks)]), origin)


def read_parquet(path: str, asked: list[str] | None, folders: Values, kinds: dict[str, type], rows: bool = True) -> Any:
    """The pandas table of a Parquet file, or no rows of it; `asked` None: all columns.

    `folders` has what its folders say of columns, `kinds` the kinds of those that are to be columns of the table.
    """
    import pyarrow.parquet as pq

    with _naming(f"file {os.path.basename(path)}"):  # one that was cut off
        known = pq.read_schema(path).names
        wanted = None if asked is None else [name for name in asked if name in known]
        if not rows:
            return pq.read_schema(path).empty_table().to_pandas()
        # whole numbers with gaps would become floats, rounded
        table = pq.read_table(path, columns=wanted, partitioning=None).to_pandas(integer_object_nulls=True)
    for name in folders.keys() & set(table.columns):
        _refuse_contradiction(table[name], name, folders[name], path)
    for name, kind in kinds.items():
        if name not in known and (asked is None or name in asked):
            value = folders[name]
            table[name] = kind(value) if value is not None else None if kind is str else float("nan")
    return table


def is_text(kind: object) -> bool:
    """Whether a pandas column of this kind holds texts or names of categories."""
    import pandas as pd

    return isinstance(kind, (pd.CategoricalDtype, pd.StringDtype)) or str(kind) in ("string[pyarrow]", "str")


def levels(table: Any, where: str, roles: list[str], texts: list[str]) -> dict[str, Any]:
    """What an encoding is learned from: the different values of texts and labels, and one value of other columns."""
    for name in roles:
        if name not in table.columns:
            raise ValueError(f"{where} has no column {name!r}.")
    found = {str(name): table[name].dropna() for name in table.columns}
    many = {name: values.drop_duplicates() for name, values in found.items() if name in (*texts, *roles)}
    return {name: values.head(_MOST_LEVELS if name in many else 1) for name, values in (found | many).items()}


def joined_levels(parts: list[dict[str, Any]]) -> Any:
    """A small table in which every column has all values that some shard has shown."""
    import pandas as pd

    columns = {}
    for name in parts[0]:
        series = [part[name] for part in parts if name in part and len(part[name])] or [parts[0][name]]
        columns[name] = pd.concat(series, ignore_index=True).drop_duplicates(ignore_index=True)
    most = max(map(len, columns.values()))
    return pd.DataFrame(
        {
            name: values.iloc[np.resize(np.arange(len(values)), most)].reset_index(drop=True) if len(values) else values
            for name, values in columns.items()
        }
    )


def _refuse_contradiction(values: Any, name: str, said: str | None, path: str) -> None:
    """Refuse a column of a file whose values are not what its folder says."""
    for value in values.unique().tolist():
        written = None if value is None or value != value else str(value)
        alike = written is not None and said is not None and is_number(written) and is_number(said)
        if written != said and not (alike and float(str(written)) == float(str(said))):
            raise ValueError(
                f"{path}: its column {name!r} has {value!r} in a row, and its folder {folder_of(path, name)} says "
                f"otherwise: rename the folder or the column."
            )


def _open(values: object) -> Any:
    """A path of a NumPy file becomes its array, mapped and not read."""
    return np.load(values, mmap_mode="r") if isinstance(values, (str, os.PathLike)) else values


def _labels(y: object, n: int, where: str) -> npt.NDArray[Any]:
    labels = np.zeros(n, dtype=np.int8) if y is None else np.asarray(y)
    if labels.dtype == object and all(isinstance(label, str) for label in labels.flat):
        labels = labels.astype(str)
    if labels.shape not in ((n,), (n, 1)):
        raise ValueError(f"{where}: y must hold one label for each of {n} rows; it has shape {labels.shape}.")
    labels = labels.ravel()
    refuse_missing_labels(labels, where=f"{where}: ")
    return labels


def _weights(weights: object, n: int, where: str) -> Floats:
    if weights is None:
        return np.empty(0)
    found = np.asarray(_open(weights), dtype=np.float64)
    if found.shape != (n,) or not np.all((found >= 0) & (found < np.inf)):
        raise ValueError(f"{where}: weights must be {n} finite numbers, none negative.")
    return found


@contextmanager
def _naming(where: str) -> Iterator[None]:
    """Put the shard's name before the sentence of any refusal inside."""
    try:
        yield
    except ValueError as why:
        raise ValueError(f"{where}: {why}") from None


# ----------------------------------------------------------------------------------------------------------- surveying


def survey(raw: Raw, bias: bool, as_written: bool = False) -> ShardSurvey:
    """Look at all rows once; refuses NaN and inf, but for numbers that are written and too large for a float."""
    names = raw.names
    name: Callable[[int], str] = (lambda j: f"{j} ({names[j]!r})") if names is not None else str
    with _naming(raw.where):
        radius_sq = (raw.rows.within_range() if as_written else raw.rows).radius_sq(bias, name)
    classes, place, counts = np.unique(raw.labels, return_inverse=True, return_counts=True)
    weighted, heaviest = counts, None
    if raw.weights.size:
        weighted, heaviest = np.bincount(place, raw.weights > 0).astype(np.int64), float(raw.weights.max())
    rows = raw.rows
    seen = (classes, counts, weighted, heaviest, radius_sq, rows.sparse, raw.where)
    return ShardSurvey(rows.n, rows.p, names, *seen, rows.origin.columns, single_columns(rows), raw.digest)


def known_again(raw: Raw, digest: str) -> Raw:
    """The same shard; refused where it has been read once more, and is not what the survey saw."""
    if raw.digest != digest:
        raise ValueError(
            f"{raw.where} was read again, because a worker was lost, and is not what it was: leave the data as they "
            f"are while they are learned from, and begin anew."
        )
    return raw


def prepare(raw: Raw, positive: list[Any], factors: dict[Any, float], bias: bool, radius_sq: float) -> Shard:
    """Labels as −1/+1, of each class in `positive` against the rest; `factors` are the steps' class weights."""
    weights = raw.weights
    if factors:
        classes = np.array(list(factors))
        ones = weights if weights.size else np.ones(raw.rows.n)
        weights = ones * np.array(list(factors.values()))[np.searchsorted(classes, raw.labels)]
    return Shard(raw.rows, [signs(raw.labels, label) for label in positive], weights, bias, radius_sq)


def some_of(raw: Raw, some: Selection) -> Raw:
    """Some rows of a shard."""
    weights = raw.weights[some] if raw.weights.size else raw.weights
    return Raw(raw.rows.subset(some), raw.labels[some], weights, raw.names, raw.where)


def every(raw: Raw, first: int, step: int) -> Raw:
    """Row `first` of a shard, and every `step`-th after it."""
    return some_of(raw, slice(first, None, step))


def present(raw: Raw) -> Raw:
    """The rows of a shard that have a positive weight."""
    return some_of(raw, raw.weights > 0) if raw.weights.size and not raw.weights.all() else raw


def absent(raw: Raw) -> Places:
    """The rows of a shard that have no weight."""
    return np.flatnonzero(raw.weights == 0)


def joined(parts: list[Raw]) -> Raw:
    """Parts of several shards as one."""
    parts = [part for part in parts if part.rows.n]
    matrices = [part.rows.matrix for part in parts]
    sparse = any(part.rows.sparse for part in parts)
    X = sp.vstack(matrices, format="csr") if sparse else np.concatenate(matrices)
    weighted = any(part.weights.size for part in parts)
    weights = [part.weights if part.weights.size else np.ones(part.rows.n) for part in parts]
    labels = np.concatenate([part.labels for part in parts])
    return Raw(as_rows(X), labels, np.concatenate(weights) if weighted else np.empty(0), parts[0].names, "dealt rows")
