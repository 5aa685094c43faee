"""NumPy's files: arrays of numbers, and sparse rows as SciPy writes them."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.data.numbers import long_entry
from rosenblatt.data.readers.formats import Place, Told
from rosenblatt.data.readers.libsvm import Chunk, read_chunks
from rosenblatt.data.refusal import Refused, column_list, quoted
from rosenblatt.data.sql import Source, from_frame
from rosenblatt.later import sparse as sp

__all__ = ["open_npy", "open_npz", "sparse_chunks"]


def open_npy(place: Place, told: Told) -> Source:
    """One array of numbers; its columns are called x0, x1 and so on."""
    return from_frame(_numbered_columns(_array_in(place.path, place.where), place.where), place.where, told.na)


def open_npz(place: Place, told: Told) -> Source:
    """An array X of numbers and further ones of one value for each row, under their names."""
    where = place.where
    with _arrays_in(place) as arrays:
        if "X" not in arrays.files:
            raise Refused(f'{where} holds no array called "X"; it has {column_list(map(quoted, arrays.files))}.')
        columns = _numbered_columns(arrays["X"], where)
        others = {name: arrays[name] for name in arrays.files if name != "X"}
    n = len(next(iter(columns.values()), ()))
    for name, one in others.items():
        if one.shape != (n,):
            raise Refused(f"{where}: the array {name!r} has the shape {one.shape}, where X has {n} rows.")
    return from_frame(columns | others, where, told.na)


def sparse_chunks(place: Place, zero_based: bool) -> Callable[[], Iterator[Chunk]] | None:
    """The rows of a file that holds sparse ones: LIBSVM text, or .npz as `scipy.sparse.save_npz` writes it, with y."""
    where = place.where
    if place.kind == "libsvm":
        return lambda: read_chunks(place.path, where, zero_based)
    with _arrays_in(place) as arrays:
        if not {"data", "indices", "indptr", "shape"} <= set(arrays.files):
            return None
        if "y" not in arrays.files or arrays["y"].dtype.kind not in "fiub":
            raise Refused(f'{where} holds sparse rows and no numbers called "y" to tell their classes.')
        matrix = sp.csr_matrix((arrays["data"], arrays["indices"], arrays["indptr"]), shape=arrays["shape"])
        y = _labels_as_floats(arrays["y"], where)
    matrix.check_format(full_check=True)  # indices that point outside would be believed
    matrix.sum_duplicates()
    _refuse_long_entry(matrix, where)
    if not np.isfinite(matrix.data).all() or matrix.shape[0] != y.size:
        raise Refused(f"{where} holds NaN or inf, or not one label for each row.")
    lengths, columns = np.diff(matrix.indptr).astype(np.int64), matrix.indices.astype(np.int32)
    single = matrix.dtype in (np.float16, np.float32)
    rows = Chunk(y, lengths, columns, matrix.data.astype(np.float64), single=single)
    return lambda: iter([rows])


def _refuse_long_entry(matrix: "sp.csr_matrix", where: str) -> None:
    """Refuse integers that float64 cannot hold."""
    found = long_entry(matrix)
    if found is not None:
        row, column, value = found
        raise Refused(
            f"{where}, row {row + 1:,}: column {column + 1:,} holds {value}, which float64 does not hold (whole "
            f"numbers only up to 2^53), and sparse rows hold float64: rescale the column, or give the table as CSV."
        )


def _labels_as_floats(y: npt.NDArray[Any], where: str) -> Any:
    """Labels as float64, where it holds them."""
    long = long_entry(sp.csr_matrix(y.reshape(1, -1))) if y.dtype.kind in "iu" else None
    if long is not None:
        raise Refused(
            f"{where}, row {long[1] + 1:,}: the label {long[2]} is one that float64 does not hold; shorten it."
        )
    return y.astype(np.float64)


def _array_in(path: Path, where: str) -> Any:
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except PermissionError:
        raise
    except Exception:  # NumPy parses the header as Python: a damaged one may raise anything
        raise Refused(f"{where} is not a NumPy file of numbers, or it is damaged.") from None


@contextlib.contextmanager
def _arrays_in(place: Place) -> Iterator[Any]:
    """The arrays of a .npz file, while it is open."""
    try:
        with open(place.path, "rb") as file, np.load(file, allow_pickle=False) as arrays:
            yield arrays
    except (PermissionError, Refused):
        raise
    except Exception:  # of a damaged file anything may come: of the ZIP file, its compression, a header, its size
        raise Refused(f"{place.where} is not a NumPy file of several arrays of numbers, or it is damaged.") from None


def _numbered_columns(X: npt.NDArray[Any], where: str) -> dict[str, Any]:
    if X.ndim != 2 or X.dtype.kind not in "fiub":
        raise Refused(f"{where}: X must be an array of numbers with two dimensions; it is {X.ndim}-d of {X.dtype}.")
    return {f"x{j}": np.asarray(X[:, j]) for j in range(X.shape[1])}
