"""Tables: rows of numbers with labels, encoded the same way every time, in memory or as a stream of blocks.

`Named` are arrays with names, `ArrayTable` rows that somebody has.
"""

import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Flags, Floats, Integers
from rosenblatt.data.numbers import Origin, Rows, Written, as_rows, data_digest
from rosenblatt.data.refusal import Refused, quoted
from rosenblatt.data.roles import KINDS, Role
from rosenblatt.data.tables.encoding import Column, Encoding
from rosenblatt.data.wording import count

__all__ = ["After", "ArrayTable", "Arrays", "Block", "Elsewhere", "Named", "Result", "Table", "fingerprint_of"]

Result = TypeVar("Result")
After = Callable[[], int]
Arrays = tuple[Any, npt.NDArray[Any] | None, Floats | None]  # X, y, weights


class Named:
    """An array with the names of its columns, or its own name. `origin` is what its floats do not tell."""

    def __init__(self, values: npt.NDArray[Any], names: list[str], origin: Origin = Origin()) -> None:  # noqa: B008
        self.values, self.shape, self.origin = values, values.shape, origin
        if values.ndim == 2:
            self.columns = names
        else:
            self.name = names[0]

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.array(self.values, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return len(self.values)


class Block(NamedTuple):
    """Some rows: X (dense or CSR), labels, weights (None: all one), and the row numbers they have in the table.

    `written` has the numbers of the table's `long_columns`, where there are such.
    """

    X: Any
    y: npt.NDArray[Any] | None
    weights: Floats | None
    row_numbers: Integers
    written: Written | None = None  # the numbers of the table's `long_columns`, as they were written

    def part(self, rows: slice) -> "Block":
        """Some of the rows."""
        y, weights = (None if one is None else one[rows] for one in (self.y, self.weights))
        return Block(self.X[rows], y, weights, self.row_numbers[rows], self.written and self.written.take(rows))


class Table(ABC):
    """Rows of numbers with labels; what `open_table` returns.

    Everything is read when it is asked for, and anything that turns out to be wrong with the data is `Refused` then.
    Row numbers count the rows of the data from 1, without the header.

    Attributes
    ----------
    name : str
        What the user called it.
    n, p : int
        Rows and columns of X, after rows were dropped and columns encoded.
    features : list of str
        Names of the columns of X.
    classes : tuple of str
        (negative, positive), or all classes where there are more.
    encoding : Encoding
        How the table was read, to read another one alike.
    row_numbers : array of n numbers
        The row of the data that each row of X came from.
    long_columns : tuple of int
        Columns of X with numbers that float64 does not hold; X has the floats nearest to them, `rows` has the numbers.
    single_columns : array of p bools, or None
        Columns of X that were float32.
    """

    name: str
    to_learn_from: bool = True  # False where it is read by the encoding of another table
    columns_are_of_source: bool = True  # False where a formula has computed them
    _arrays: Arrays | None = None
    _all_ids: npt.NDArray[Any] | None = None
    _numbers: Integers | None = None
    _written: Written | None = None
    _kept_rows: Rows | None = None
    _n: int | None = None

    @property
    @abstractmethod
    def encoding(self) -> Encoding:
        """How the table is read."""

    @property
    @abstractmethod
    def estimated_rows(self) -> int:
        """About how many rows there are, known without reading them all."""

    def read_with(self, consume: Callable[[Iterator[Block]], Result], after: After = lambda: 0) -> Result:
        """Call `consume` with an iterator over all blocks; once more, where later rows contradict the first look.

        `after` is called before, each time, and says how many rows of the data are left out at the beginning.
        """
        return consume(_later(self._blocks(), after()))

    def as_read(self) -> object:
        """What the blocks that are read now depend on, beside the data; for one who goes on with them later."""
        return self.encoding.to_json()

    @property
    def long_columns(self) -> tuple[int, ...]:
        """Columns of X with numbers that float64 does not hold."""
        return ()

    @property
    def single_columns(self) -> Flags | None:
        """Which columns of X were float32; None where none was."""
        return None

    @property
    def rows_in_source(self) -> int | None:
        """How many rows the data have, those included that X leaves out; None where that is not known."""
        return None

    @property
    def fingerprint(self) -> str | None:
        """What tells this table from others, and from an older version of its file; None where nothing can."""
        return None

    @property
    def steady_file(self) -> str:
        """The user's own file, where its rows come in one order, however often they are read; else ""."""
        return ""

    @property
    def ids(self) -> npt.NDArray[Any] | None:
        """What each row of X is called, where a column names the rows."""
        names = self.all_ids()
        return None if names is None else names[self.row_numbers - 1]

    def groups(self, name: str) -> npt.NDArray[Any]:
        """The group of each row of X: what a column of the data has there, as text."""
        raise Refused(f"{self.name}: only a table that was read here has groups; name the table itself.")

    def likely_groups(self) -> str:
        """What is to be said of a column that looks as if rows of one value belonged together; "" where none does."""
        return ""

    def column(self, role: Role) -> "Named | list[Named] | None":
        """The column of a role, for the rows of X; a list of a role of several; None where none has it."""
        return None

    def arguments(self) -> dict[str, Any]:
        """What `existence` and `estimate` take of this table: X with its names, y, and the columns that have a role."""
        found: dict[str, Any] = {role: self.column(role) for role in KINDS}
        given = {"X": Named(self.X, self.features, self.rows().origin), "y": found.pop("target")}
        given |= {"sample_weight": self.weights, "classes": self.classes or None}
        return {name: value for name, value in (given | found).items() if value is not None}

    @property
    def target_levels(self) -> list[str] | None:
        """The target's values in the order that the data have for them; None where they have none."""
        return None

    @property
    def called(self) -> dict[str, str | list[str]]:
        """The names of the columns that have a role, by the argument of `existence` that takes them."""
        return {}

    def all_ids(self) -> npt.NDArray[Any] | None:
        """What each row of the data is called, by its number less one; None where no column names the rows."""
        return None

    def frame(self) -> Any:
        """A pandas frame: the columns of X by their names, then the target; rows by their names or numbers."""
        try:
            pandas = import_module("pandas")
        except ImportError:
            raise Refused(f"{self.name} as a frame needs pandas: pip install pandas.") from None
        X, y, _ = self.arrays()
        index = self.row_numbers if self.ids is None else self.ids
        dense = X.toarray() if hasattr(X, "toarray") else X
        frame = pandas.DataFrame(
            dense, columns=self.features, index=pandas.Index(index, name=self.encoding.id or "row")
        )
        if y is not None:
            codes = y if len(self.classes) > 2 else (y > 0).astype(int)
            frame[self.encoding.target or "outcome"] = [self.classes[code] for code in codes]
        return frame

    @property
    def notes(self) -> list[str]:
        """What was understood of how the file is written, where that is unusual, in words."""
        return []

    @property
    def p(self) -> int:
        """Columns of X."""
        return self.encoding.p

    @property
    def features(self) -> list[str]:
        """Names of the columns of X."""
        return self.encoding.features

    @property
    def classes(self) -> tuple[str, ...]:
        """(negative, positive), or all classes where there are more."""
        return self.encoding.classes

    @property
    def n(self) -> int:
        """Rows of X."""
        if self._n is None:
            self._n = self.read_with(lambda blocks: sum(len(block.row_numbers) for block in blocks))
        return self._n

    @property
    def row_numbers(self) -> Integers:
        """The row of the data, counted from 1, that each row of X came from."""
        self.arrays()
        assert self._numbers is not None
        return self._numbers

    @property
    def estimated_bytes(self) -> int:
        """About what X takes in memory."""
        return self.estimated_rows * max(1, self.p) * 8

    def arrays(self, progress: Callable[[int], None] | None = None) -> Arrays:
        """(X, y, weights) in memory: X float64 in C order or CSR, y −1/+1 (or class numbers), weights or None.

        `progress` is called with the rows read so far.
        """
        if self._arrays is None:
            self._arrays, self._numbers = self.read_with(lambda blocks: self._collect(_with_progress(blocks, progress)))
            self._n = len(self._numbers)
            y = self._arrays[1]
            self.check_rows(self._n, *(() if y is None or not len(y) else (y.min(), y.max())))
        return self._arrays

    @property
    def X(self) -> Any:  # noqa: N802 (the name that every estimator has for it)
        """The rows: float64 in C order, or CSR."""
        return self.arrays()[0]

    @property
    def y(self) -> npt.NDArray[Any]:
        """−1/+1, or the numbers of more than two classes."""
        labels = self.arrays()[1]
        assert labels is not None, "a table that was opened without labels"
        return labels

    @property
    def weights(self) -> Floats | None:
        """How much each row counts; None where all count alike."""
        return self.arrays()[2]

    @property
    def labels(self) -> npt.NDArray[Any]:
        """The class of each row, by name."""
        codes = self.y if len(self.classes) > 2 else (self.y > 0).astype(np.intp)
        return np.asarray(np.array(self.classes)[codes])

    def sizes(self) -> dict[str, int]:
        """How many rows each class has."""
        if len(self.classes) > 2:
            counted = np.bincount(self.y, minlength=len(self.classes)).tolist()
        else:
            positive = int((self.y > 0).sum())
            counted = [len(self.y) - positive, positive]
        return dict(zip(self.classes, counted, strict=True))

    @property
    def headline(self) -> str:
        """What an answer is about, in one line."""
        size = f"{self.name} · {count(self.n, 'row')} × {count(self.p, 'column')}"
        *first, last = (f"{name} ({number:,})" for name, number in self.sizes().items())
        return f"{size} · classes {', '.join(first)} and {last}"

    def to_json(self) -> dict[str, Any]:
        """What every answer says about its data."""
        positive = self.classes[1] if len(self.classes) == 2 else None
        return {"data": self.name, "n": self.n, "p": self.p, "classes": self.sizes(), "positive": positive}

    def numbers_of(self, places: Iterable[int]) -> list[int]:
        """Which rows of the data these rows of X are, counted from 1, without the header."""
        numbers = self.row_numbers
        return [int(numbers[i]) for i in places]

    def names_of(self, places: Iterable[int]) -> list[Any]:
        """What the data call these rows of X: by the column that names them, else by their numbers."""
        ids = self.ids
        return self.numbers_of(places) if ids is None else [ids[i] for i in places]

    @property
    def left_out(self) -> int:
        """Rows of the data that are not in X, where some can have been left out and the data can be asked again."""
        encoding = self.encoding
        if encoding.missing != "drop" and not encoding.weights and not encoding.counts:
            return 0
        total = self.rows_in_source
        return 0 if total is None else total - len(np.unique(self.row_numbers))

    def digest(self) -> str:
        """A hash of values, as they were written, of labels and weights."""
        written = [column for part in self.rows().origin.written or () for column in part.T]  # floats do not tell these
        return data_digest(as_rows(self.X), [self.y, *([] if self.weights is None else [self.weights]), *written])

    def rows(self) -> Rows:
        """X in memory, with what its floats do not tell of the numbers that they come from."""
        if self._kept_rows is None:
            self._kept_rows = copy(as_rows(self.arrays()[0]))
            self._kept_rows.origin = Origin(self.long_columns, self._written, self.single_columns)
        return self._kept_rows

    def check_rows(self, n: int, *extremes: int) -> None:
        """Refuse n rows with such smallest and largest labels, if nothing can be learned from them."""
        if n == 0:
            raise Refused(f"{self.name} has no row left to learn from: every row lacks a value or has no weight.")
        if self.to_learn_from and extremes and extremes[0] == extremes[1]:
            only = self.classes[int(extremes[0] > 0) if len(self.classes) == 2 else extremes[0]]
            raise Refused(f"{self.name}: only rows of class {quoted(only)} are left: there is nothing to tell apart.")

    def batches(self, rows: int = 65_536) -> Iterator[Block]:
        """Blocks of at most `rows` rows, in order, without holding more than a few of them."""
        self.look_at_all_rows()
        for block in self._blocks():
            for start in range(0, len(block.row_numbers), rows):
                yield block.part(slice(start, start + rows))

    def look_at_all_rows(self) -> None:  # noqa: B027 (where nothing is learned there is nothing to do)
        """Make sure that the encoding holds for all rows, not only for those of a first look."""

    @abstractmethod
    def _blocks(self) -> Iterator[Block]:
        """All rows, encoded."""

    @property
    def _expected_rows(self) -> int:
        """How many rows will hardly be exceeded, where that is known at once: growing memory is zeroed and moved."""
        return 0

    def _collect(self, blocks: Iterator[Block]) -> tuple[Any, Integers]:
        X, y, weights, numbers, *written = (_Growing(self._expected_rows) for _ in range(7))
        for block in blocks:
            X.add(block.X)
            y.add(block.y)
            weights.add(block.weights)
            numbers.add(block.row_numbers)
            for memory, part in zip(written, block.written or (), strict=block.written is not None):
                memory.add(part)
        p = self.encoding.p
        arrays = X.array(np.empty((0, p))), y.array(), weights.array()
        self._written = None if written[0].memory is None else Written(*(part.array() for part in written))
        return arrays, numbers.array(np.empty(0, dtype=np.int64))

    def __repr__(self) -> str:
        if self._n is None:
            return f"<Table {self.name}: not read yet>"
        return f"<Table {self.name}: {self.n} rows × {self.p} columns>"


@dataclass(frozen=True)
class Elsewhere:
    """Stands for an X that is on other machines alone."""

    shape: tuple[int, int]


class ArrayTable(Table):
    """Rows in memory, with labels −1/+1 or class numbers; the columns may have an encoding."""

    def __init__(
        self,
        X: Any,
        y: npt.NDArray[Any] | None = None,
        weights: Floats | None = None,
        *,
        name: str = "the table",
        encoding: Encoding | None = None,
        numbers: Integers | None = None,
    ) -> None:
        n, p = X.shape
        self.name, self._n = name, n
        self._encoding = encoding or Encoding(tuple(Column(f"x{j}") for j in range(p)))
        self._arrays = X, y, weights
        self._numbers = np.arange(1, n + 1) if numbers is None else numbers

    @property
    def encoding(self) -> Encoding:
        """How the rows were read."""
        return self._encoding

    @property
    def estimated_rows(self) -> int:
        """The exact number."""
        return self.n

    def _blocks(self) -> Iterator[Block]:
        X, y, weights = self.arrays()
        yield Block(X, y, weights, self.row_numbers)


def fingerprint_of(file: str | os.PathLike[str], *told: object) -> str:
    """A hash of the file's path, size and time, and of what was asked of it."""
    status = os.stat(file)
    return hashlib.sha256(repr((os.path.abspath(file), status.st_size, status.st_mtime_ns, told)).encode()).hexdigest()


def _later(blocks: Iterator[Block], after: int) -> Iterator[Block]:
    """The same blocks without the rows of the data up to a number."""
    for block in blocks:
        first = int(np.searchsorted(block.row_numbers, after, side="right"))
        if first < len(block.row_numbers) or not after:
            yield block.part(slice(first, None)) if first else block


def _with_progress(blocks: Iterator[Block], progress: Callable[[int], None] | None) -> Iterator[Block]:
    """The same blocks; `progress` is told of the rows so far."""
    read = 0
    for block in blocks:
        read += len(block.row_numbers)
        if progress is not None:
            progress(read)
        yield block


class _Growing:
    """An array that grows by blocks; where more rows come than are expected, its memory is doubled."""

    def __init__(self, expected: int) -> None:
        self.memory: npt.NDArray[Any] | None = None
        self.rows, self.expected = 0, expected

    def add(self, block: npt.NDArray[Any] | None) -> None:
        if block is None:
            return
        if self.memory is None:
            self.memory = np.empty((max(1, len(block), self.expected), *block.shape[1:]), dtype=block.dtype)
        while self.rows + len(block) > len(self.memory):
            self.memory.resize((2 * len(self.memory), *block.shape[1:]), refcheck=False)
        self.memory[self.rows : self.rows + len(block)] = block
        self.rows += len(block)

    def array(self, empty: npt.NDArray[Any] | None = None) -> Any:
        if self.memory is None:
            return empty
        self.memory.resize((self.rows, *self.memory.shape[1:]), refcheck=False)
        return self.memory
