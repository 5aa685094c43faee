"""One canonical layout for the kernels: dense C order or CSR with sorted columns, float32 or float64, read-only.

All views are read-only, so that an array, a memory map and a frozen array share one compiled kernel.
"""

from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import replace
from mmap import mmap
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats, Places, Selection
from rosenblatt.data.numbers.exact import ExactColumns
from rosenblatt.data.numbers.readings import Origin
from rosenblatt.kernels import plain
from rosenblatt.kernels.kinds import CSR, Dense
from rosenblatt.later import sparse as sp

__all__ = [
    "Rows",
    "as_rows",
    "column_names",
    "frozen",
    "long_entry",
    "pieces",
    "refuse_lazy",
    "refuse_long_integers",
    "refuse_text",
]

_TEXTS = ("object", "str", "large_string", "utf8", "categor", "enum", "dictionary")  # how types of columns begin

_FEW_ROWS = 20  # of CSR that are written out one by one
_LARGE, _SAMPLE, _NEARLY_ALL = 1 << 16, 1000, 0.05  # values, rows and their share of others than zero: see there
_PIECE_VALUES = 1 << 22  # values a compiled call looks at: a few milliseconds, at most a few hundredths of a second


def frozen(array: npt.NDArray[Any]) -> Any:
    """A plain read-only ndarray on the same memory."""
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view


def pieces(n: int, width: float) -> Iterator[tuple[int, int]]:
    """Cut n rows of `width` values into ranges that keep a compiled call well under 0.2 s (so that Ctrl-C works)."""
    size = max(1, int(_PIECE_VALUES / max(1.0, width)))
    for start in range(0, n, size):
        yield start, min(n, start + size)


class Rows:
    """n rows of p columns as the kernels take them (`.kernel`), and the passes over all rows that need no learning."""

    origin = Origin()  # what the floats do not tell of the numbers that they come from
    exact: ExactColumns | None = None  # what the numbers are; None: the floats

    def __init__(self, X: Any, origin: Origin = Origin(), exact: ExactColumns | None = None) -> None:  # noqa: B008
        self.origin, self.exact = origin, exact

        self.n, self.p = map(int, X.shape)
        if sp.issparse(X):
            indptr = X.indptr.astype(np.int64, copy=False)
            self.kernel: Any = CSR(frozen(X.data), frozen(X.indices.view(np.uint32)), frozen(indptr), self.p)
            self.width = max(1.0, X.nnz / max(1, self.n))
        else:
            self.kernel = Dense(frozen(X))
            self.width = float(self.p)

    @property
    def sparse(self) -> bool:
        """Whether the rows are CSR."""
        return hasattr(self.kernel, "indptr")

    @property
    def mapped(self) -> bool:
        """Whether the values are in a file, mapped into memory."""
        values: Any = self.kernel[0]
        while isinstance(values, np.ndarray):
            values = values.base
        return isinstance(values, mmap)

    @property
    def matrix(self) -> Any:
        """The rows as NumPy or SciPy know them, on the same memory."""
        k = self.kernel
        if not self.sparse:
            return k.X
        return sp.csr_matrix((k.data, k.indices.view(np.int32), k.indptr), shape=(self.n, self.p))

    def take(self, rows: Selection) -> Floats:
        """Some rows (numbers or a slice), dense, as float64; on the same memory where a slice is that already."""
        rows = rows if isinstance(rows, slice) else np.asarray(rows, dtype=np.int64)
        if not self.sparse:
            return np.asarray(self.kernel.X[rows], dtype=np.float64)
        k = self.kernel
        rows = np.arange(self.n)[rows]
        if rows.size > _FEW_ROWS:
            return np.asarray(self.matrix[rows].toarray(), dtype=np.float64)
        block = np.zeros((rows.size, self.p))
        for at, i in enumerate(rows):
            inside = slice(k.indptr[i], k.indptr[i + 1])
            block[at, k.indices[inside]] = k.data[inside]
        return block

    def subset(self, rows: Selection) -> "Rows":
        """These rows alone, in the same layout."""
        return Rows(self.matrix[rows], self.origin.taken(rows), self.exact and self.exact.taken(rows))

    def without_zeros(self) -> "Rows | None":
        """The same rows in CSR, where dense rows are nearly all zeros: those of factors; else None."""
        if self.sparse or self.n * self.p < _LARGE or (self.exact is not None and self.exact.low is not None):
            return None
        X = self.kernel.X
        if self.origin.columns or np.count_nonzero(X[:_SAMPLE]) > _NEARLY_ALL * X[:_SAMPLE].size:
            return None
        at = np.flatnonzero(X != 0)
        if at.size > _NEARLY_ALL * X.size:
            return None
        row, column = np.divmod(at, self.p)
        starts = np.searchsorted(row, np.arange(self.n + 1))
        found = sp.csr_matrix((X.ravel()[at], column.astype(np.int32), starts), shape=X.shape)
        return Rows(found, self.origin._replace(dense=True), self.exact)

    def of_columns(self, columns: Places | list[int], dense: bool = True) -> "Rows":
        """These columns alone: dense, or in the same layout."""
        exact = self.exact and self.exact.of_columns(columns)
        if self.sparse and not dense:
            return Rows(sp.csr_matrix(self.matrix[:, columns]), self.origin.of_columns(columns), exact)
        X = np.ascontiguousarray(self.take(slice(0, self.n))[:, columns])
        if exact is not None and sp.issparse(exact.low):
            exact = replace(exact, low=exact.low.toarray())
        return Rows(X, self.origin.of_columns(columns), exact)

    def read_as(self, exact: ExactColumns | None) -> "Rows":
        """The same rows with these exact values."""
        other = copy(self)
        other.exact = exact
        return other

    def as_doubles(self) -> "Rows":
        """The same floats as float64."""
        if self.kernel[0].dtype == np.float64 and self.origin.single is None:
            return self
        return Rows(self.matrix.astype(np.float64), self.origin._replace(single=None))

    def within_range(self) -> "Rows":
        """The rows with the largest float where a number is written that is larger: it must be known by `origin`."""
        rows = self
        for j in self.origin.columns:
            x = rows.kernel.X[:, j]
            if not np.isfinite(x).all():
                rows = rows.with_values({j: np.clip(x, -np.finfo(np.float64).max, np.finfo(np.float64).max)})
        return rows

    def values_in(self, j: int) -> Any:
        """The values of column j; of CSR, those that are stored."""
        return self.kernel.data[self.kernel.indices == j] if self.sparse else self.kernel.X[:, j]

    def with_values(self, columns: Mapping[int, Floats]) -> "Rows":
        """The same rows with other values in some columns, as float64."""
        if not columns:
            return self
        k, other = self.kernel, copy(self)
        values = (k.data if self.sparse else k.X).astype(np.float64)
        for j, column in columns.items():
            values[(k.indices == j) if self.sparse else (slice(None), j)] = column
        other.kernel = k._replace(**{"data" if self.sparse else "X": frozen(values)})
        return other

    def further_columns(self, parts: list[tuple[int, Floats]]) -> Any:
        """Columns (dense or CSR, as the rows are), each with values for those that `values_in` a column has."""
        if not self.sparse:
            return np.column_stack([values for _, values in parts])
        k = self.kernel
        row = np.repeat(np.arange(self.n), np.diff(k.indptr))
        places = [np.flatnonzero(k.indices == j) for j, _ in parts]
        columns = np.repeat(np.arange(len(parts)), [at.size for at in places])
        data = np.concatenate([values for _, values in parts])
        found = sp.csr_array((data, (row[np.concatenate(places)], columns)), shape=(self.n, len(parts)))
        found.eliminate_zeros()
        return found

    def respond(self, w: Floats) -> Floats:
        """w · (x_i, 1) for every row, with the bits that training saw."""
        if plain.is_enough(self.kernel):
            respond_all = plain.respond_all
        else:
            from rosenblatt.kernels.passes import respond_all
        w = np.ascontiguousarray(w, dtype=np.float64)
        out = np.empty(self.n)
        for start, stop in pieces(self.n, self.width):
            respond_all(self.kernel, w, out, start, stop)
        return out

    def part(self, start: int, stop: int) -> "Rows":
        """Neighbouring rows alone, on the same memory."""
        part = object.__new__(Rows)  # no check, and nothing copied
        part.n, part.p, part.width = stop - start, self.p, self.width
        k = self.kernel
        cut = {"indptr": k.indptr[start : stop + 1]} if self.sparse else {"X": k.X[start:stop]}
        part.kernel = k._replace(**cut)
        part.origin = self.origin.taken(slice(start, stop))
        part.exact = self.exact and self.exact.taken(slice(start, stop))
        return part

    def replay(self, rows: Places, steps: Floats, w: Floats, start: int, stop: int) -> None:
        """w += Σ step · (x_row, 1) for corrections start..stop of a trace."""
        from rosenblatt.kernels.passes import replay

        for first, last in pieces(stop - start, self.width):
            replay(self.kernel, rows, steps, w, start + first, start + last)

    def replay_classes(self, rows: Places, steps: Floats, classes: Places, w: Floats, start: int, stop: int) -> None:
        """The same for K weight vectors: step · (x_row, 1) is added to one class and taken from another."""
        from rosenblatt.kernels.joint import replay_classes

        for first, last in pieces(stop - start, 2 * self.width):
            replay_classes(self.kernel, rows, steps, classes, w.ravel(), len(w), start + first, start + last)

    def radius_sq(self, bias: bool, name: Callable[[int], str] = str) -> float:
        """R² = max‖(x, bias)‖², inf where it leaves float64; refuses NaN and inf, naming row and column."""
        if plain.is_enough(self.kernel):
            survey = plain.survey
        else:
            from rosenblatt.kernels.passes import survey
        largest = 0.0
        for start, stop in pieces(self.n, self.width):
            sq, bad = survey(self.kernel, float(bias), start, stop)
            if bad >= 0 and not np.isfinite(sq):
                self._refuse_nonfinite(bad, stop, name)
            largest = max(largest, sq)
        return largest

    def _refuse_nonfinite(self, start: int, stop: int, name: Callable[[int], str]) -> None:
        for i in range(start, stop):
            x = self.take([i])[0]
            for j in np.flatnonzero(~np.isfinite(x)):
                what = "NaN" if np.isnan(x[j]) else "inf"
                raise ValueError(
                    f"X has {what} in row {i}, column {name(int(j))}; a missing or infinite value has no side of a "
                    f"hyperplane: drop the row or impute the value first (Input X contains NaN or infinity)."
                )


def as_rows(X: object) -> Rows:
    """Canonical rows of an array or sparse matrix of numbers; nothing is copied that already fits."""
    if isinstance(X, Rows):
        return X
    if sp.issparse(X):
        return Rows(_canonical_csr(X))
    X = np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions, rows and columns; it has {X.ndim}.")
    return Rows(np.ascontiguousarray(X, dtype=_float_type(X.dtype)))


def _float_type(dtype: np.dtype[Any]) -> type:
    """float32 where it holds every value of the type, float64 otherwise."""
    return np.float32 if dtype in (np.float16, np.float32) else np.float64


def _canonical_csr(X: "sp.spmatrix") -> "sp.csr_matrix":
    """CSR with ascending columns, no duplicates, no stored zeros, int32 columns; the caller's matrix stays as it is."""
    csr = X.tocsr()
    if not csr.has_canonical_format:
        csr = csr.copy() if csr is X else csr
        csr.sum_duplicates()
    if np.count_nonzero(csr.data) < csr.data.size:
        csr = csr.copy() if csr is X else csr
        csr.eliminate_zeros()
    refuse_long_integers(csr)
    if csr.shape[1] > np.iinfo(np.int32).max:
        raise ValueError(f"X has {csr.shape[1]} columns; at most {np.iinfo(np.int32).max} are supported.")
    data = csr.data.astype(_float_type(csr.dtype), copy=False)
    indices = csr.indices.astype(np.int32, copy=False)
    if data is csr.data and indices is csr.indices:
        return csr
    return sp.csr_matrix((data, indices, csr.indptr), shape=csr.shape)


def column_names(X: object) -> list[str] | None:
    """The names of a table's columns (pandas, polars, Arrow); None for what has none."""
    names = getattr(X, "column_names", None) or getattr(X, "columns", None)  # Arrow's `columns` are the data
    return None if names is None or sp.issparse(X) else [str(name) for name in names]


def refuse_lazy(X: object) -> None:
    """Refuse a polars LazyFrame: it is a query, and not a table yet."""
    if type(X).__name__ == "LazyFrame":
        raise TypeError("X is a polars LazyFrame, a query that has not run: pass X.collect() instead.")


def refuse_long_integers(X: Any) -> None:
    """Refuse integers that float64 cannot hold: they would be rounded silently."""
    if hasattr(X, "columns") and hasattr(X, "dtypes") and not sp.issparse(X):
        for j, kind in enumerate(X.dtypes):
            if str(kind).lower().startswith(("int64", "uint64")):
                refuse_long_integers(_integers_of(X.iloc[:, j] if hasattr(X, "iloc") else X[:, j]))
        return
    if not hasattr(X, "dtype") or X.dtype.kind not in "iu":
        return
    if sp.issparse(X):
        _refuse_long_entries(X.tocsr())
        return
    values = np.asarray(X)
    if values.dtype.itemsize < 8 or not values.size:
        return
    limit = 2**53
    if int(values.max()) > limit or int(values.min()) < -limit:
        worst = max(int(values.max()), int(values.min()), key=abs)
        raise ValueError(
            f"X holds the integer {worst}, which float64 cannot hold exactly (only up to 2^53): rescale it."
        )


def long_entry(csr: "sp.csr_matrix") -> tuple[int, int, int] | None:
    """The row, the column (both from 0) and the value of the first integer of a CSR matrix that float64 cannot hold."""
    if csr.dtype.kind not in "iu" or csr.dtype.itemsize < 8:
        return None
    long = np.flatnonzero((csr.data > 2**53) | (csr.data < -(2**53)))
    if not long.size:
        return None
    at = int(long[0])
    return int(np.searchsorted(csr.indptr, at, side="right")) - 1, int(csr.indices[at]), int(csr.data[at])


def _refuse_long_entries(csr: "sp.csr_matrix") -> None:
    found = long_entry(csr)
    if found is not None:
        row, column, value = found
        raise ValueError(
            f"X holds the integer {value} in row {row}, column {column}, which float64 cannot hold exactly (only up to "
            f"2^53), and sparse rows hold float64: rescale the column, or give X dense."
        )


def _integers_of(column: Any) -> Any:
    """The integers of a pandas or polars column, without its gaps."""
    dropped = column.dropna() if hasattr(column, "dropna") else column.drop_nulls()
    return np.asarray(dropped, dtype=str(dropped.dtype).lower().partition("[")[0])


def refuse_text(X: Any) -> None:
    """Refuse texts among values that should be numbers, and name the first."""
    if hasattr(X, "columns") and hasattr(X, "dtypes") and not sp.issparse(X):
        for name, kind in zip(X.columns, list(X.dtypes), strict=False):
            if str(kind).lower().startswith(_TEXTS):
                _refuse_strings(np.asarray(X[name], dtype=object), f"column {name!r}")
        return
    array = np.asarray(X, dtype=object) if isinstance(X, list) else X
    if isinstance(array, np.ndarray) and array.dtype.kind in "OUS" and array.ndim == 2:
        for j in range(array.shape[1]):
            _refuse_strings(array[:, j].astype(object), f"column {j}")


def _refuse_strings(values: npt.NDArray[np.object_], where: str) -> None:
    for i, value in enumerate(values):
        if isinstance(value, (str, bytes)):
            raise ValueError(
                f"X has the text {value!r} in row {i}, {where}: encode text as numbers first, for example with "
                f"rb.data.open_table(frame=…, target=…), or sklearn's OneHotEncoder."
            )
