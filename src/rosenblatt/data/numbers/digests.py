"""One hash of data: what a certificate is about, and how a shard or a checkpoint knows its rows again.

`data_sha256` of version 3 is the SHA-256 of

    the readings        of X's columns, then of the further columns that are numbers, as JSON without blanks, such as
                        [{"power":-2},{"binary":64}]
    the blocks          the 32-byte SHA-256 of rows 0–65,535, of rows 65,536–131,071, and so on

so that machines that hold parts of the rows hash them side by side. All numbers are little-endian. A block is

    X, dense            the values row by row, 8 bytes each, without those of *text columns*
    X, csr              row starts, relative to the block and beginning with 0, then column numbers (both int64), then
                        the stored values in order, 8 bytes each, without those of text columns
    text columns        one after the other: each value (csr: each stored value) as decimal text ended by a comma
    further columns     labels as int8, codes as int64, numbers as X's columns are

A value of a decimal column is the whole number value/10^power as int64, one of a binary column its float64, with −0.0
as 0.0. A decimal column is a text column if some whole number of it, in any block, does not fit int64; then its text is
that of the whole numbers.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats, Integers, Selection
from rosenblatt.data.numbers.exact import exact_rows, power_of_ten
from rosenblatt.data.numbers.readings import BINARY, Reading, single_columns
from rosenblatt.data.numbers.rows import Rows
from rosenblatt.later import sparse as sp

__all__ = ["BLOCK", "BlockHasher", "block_digests", "column_readings", "data_digest", "text_columns"]

BLOCK = 65_536  # rows
_CACHED = 1 << 15  # values made ready at a time: they stay in the processor's cache until they are hashed
_SHORT = 1e15  # whole numbers up to this one are known from x·10^−power by rounding
_TOP = 2.0**63
_HALF = 2.0**62

Further = Any  # labels (int8), codes (integers), numbers: floats, (floats, Reading), or Rows of one column


def data_digest(rows: Rows, columns: Sequence[Further] = (), layout: str | None = None) -> str:
    """`data_sha256` of rows and further columns, in hexadecimal; `layout` is "dense" or "csr", else the rows' own."""
    further = [_further(one) for one in columns]
    return combined(all_readings(rows, further), block_digests(rows, further, layout))


def block_digests(rows: Rows, columns: Sequence[Further] = (), layout: str | None = None) -> list[bytes]:
    """The SHA-256 of each block."""
    further = [_further(one) for one in columns]
    hasher = BlockHasher(layout or ("csr" if rows.sparse else "dense"), 0, text_columns(rows, further), stays=True)
    hasher.update(rows, further)
    return hasher.finish()


def combined(readings: Iterable[Reading], blocks: Iterable[bytes]) -> str:
    """`data_sha256` from its parts."""
    h = hashlib.sha256(f"[{','.join(map(_entry_in_json, readings))}]".encode())
    for digest in blocks:
        h.update(digest)
    return h.hexdigest()


@cache
def _entry_in_json(reading: Reading) -> str:
    return json.dumps(reading.entry(), separators=(",", ":"))


def column_readings(rows: Rows) -> tuple[Reading, ...]:
    """The reading of each column; of rows without exact values it is binary."""
    if rows.exact is not None:
        return rows.exact.readings
    return tuple(Reading(None, 32 if one else 64) for one in single_columns(rows).tolist())


def all_readings(rows: Rows, columns: Sequence[Further] = ()) -> tuple[Reading, ...]:
    """The readings of the columns of X, then of the further columns that are numbers."""
    numbers = [one for one in map(_further, columns) if isinstance(one, Rows)]
    return tuple(reading for one in (rows, *numbers) for reading in column_readings(one))


def text_columns(rows: Rows, columns: Sequence[Further] = ()) -> frozenset[tuple[int, int]]:
    """The text columns that these rows show: (0, j) is column j of X, (k, 0) the k-th further column, from 1."""
    parts = [rows, *map(_further, columns)]
    return frozenset(
        (k, j) for k, one in enumerate(parts) if isinstance(one, Rows) for j in _HashedValues(one).beyond_int64()
    )


def _further(column: Further) -> Rows | npt.NDArray[Any]:
    """A further column: whole numbers as they are hashed, or one column of rows."""
    if isinstance(column, Rows):
        return column
    values, reading = column if isinstance(column, tuple) else (np.asarray(column), BINARY)
    if values.dtype.kind == "f":
        rows = Rows(np.ascontiguousarray(values, dtype=np.float64).reshape(-1, 1))
        found = rows if reading == BINARY else exact_rows(rows, (reading,))
        if found is None:
            raise ValueError(f"a column is not what its reading says: {reading.entry()}.")
        return found
    return np.ascontiguousarray(values, dtype="i1" if values.dtype.itemsize == 1 else "<i8")


# -------------------------------------------------------------------------------------------------------------- hashing


@dataclass
class _BlockPart:
    """The bytes of some rows of a block, by sections, each in chunks."""

    rows: int = 0
    sections: list[list[bytes]] = field(default_factory=list)
    first: Any = None  # a hash that has taken in the first section, which then is empty

    def add(self, other: "_BlockPart") -> None:
        """Take in the rows that follow."""
        self.rows += other.rows
        self.sections = self.sections or [[] for _ in other.sections]
        for mine, theirs in zip(self.sections, other.sections, strict=True) if other.rows else ():
            mine += theirs

    def digest(self, layout: str) -> bytes:
        """The block's, if this is all of it."""
        return _hash(layout, self.sections, self.first)


class BlockHasher:
    """Takes rows in order, from row `first` on, and has the digests of the blocks that are whole.

    What is known of an unfinished block are its bytes, so a hasher may be pickled and travel. Hashers of neighbouring
    rows, made on different machines, are `joined`. All must know the text columns of all rows. One that `stays` where
    it is, and begins with row 0, does not keep the values of dense rows.
    """

    def __init__(
        self, layout: str, first: int = 0, text: frozenset[tuple[int, int]] = frozenset(), stays: bool = False
    ) -> None:
        self.layout, self.first, self.next, self.text = layout, first, first, text
        self.stays = stays and layout == "dense" and first == 0
        self.head = _BlockPart()  # rows of a block that others begin
        self.digests: list[bytes] = []
        self.tail = _BlockPart()

    def update(self, rows: Rows, columns: Sequence[Further] = ()) -> None:
        """Take in the next rows."""
        sections = _Sections(self.layout, self.text, rows, [_further(one) for one in columns])
        start = 0
        while start < rows.n:
            stop = min(rows.n, start + BLOCK - self.next % BLOCK)
            if stop - start == BLOCK:
                self.digests.append(_hash(self.layout, sections.of(start, stop)))
            else:
                self._add(_BlockPart(stop - start, self._kept(sections.of(start, stop))))
            self.next += stop - start
            start = stop

    def joined(self, other: "BlockHasher") -> "BlockHasher":
        """The hasher of these rows and of those that follow."""
        if other.first != self.next or (other.layout, other.text) != (self.layout, self.text):
            raise ValueError(f"rows from {other.first} on do not follow those up to {self.next}.")
        both = deepcopy(self)
        both._add(other.head)
        both.digests += other.digests
        both.tail.add(other.tail)
        both.next = other.next
        return both

    def finish(self) -> list[bytes]:
        """The digests of all blocks; the last may have fewer rows."""
        if self.head.rows:
            raise ValueError(f"rows from {self.first} on begin within a block: join them to those before.")
        return self.digests + ([self.tail.digest(self.layout)] if self.tail.rows else [])

    def _kept(self, sections: Iterator[Iterable[Any]]) -> list[list[bytes]]:
        """What is to be kept of the sections of an unfinished block."""
        if not self.stays:
            return [[bytes(chunk) for chunk in chunks] for chunks in sections]
        self.tail.first = self.tail.first or hashlib.sha256()
        for chunk in next(sections):
            self.tail.first.update(chunk)
        return [[], *([bytes(chunk) for chunk in chunks] for chunks in sections)]

    def _add(self, part: _BlockPart) -> None:
        """Rows of a block that is not whole, or not ours from its beginning."""
        begun = self.first + self.head.rows
        if begun % BLOCK and not self.digests and not self.tail.rows:
            self.head.add(part)
            return
        self.tail.add(part)
        if self.tail.rows == BLOCK:
            self.digests.append(self.tail.digest(self.layout))
            self.tail = _BlockPart()


def _hash(layout: str, sections: Iterable[Iterable[Any]], begun: "hashlib._Hash | None" = None) -> bytes:
    """The digest of a block; of csr, the first section has the lengths of the rows."""
    h = hashlib.sha256() if begun is None else begun.copy()
    for at, chunks in enumerate(sections):
        if at == 0 and layout == "csr":
            lengths = np.frombuffer(b"".join(chunks), dtype="<i8")
            h.update(np.concatenate([[0], np.cumsum(lengths)]).astype("<i8").data)
            continue
        for chunk in chunks:
            h.update(chunk)
    return h.digest()


class _Sections:
    """The sections of a block's bytes, in order, each in chunks."""

    def __init__(
        self, layout: str, text: frozenset[tuple[int, int]], rows: Rows, further: list[Rows | npt.NDArray[Any]]
    ) -> None:
        self.layout, self.text, self.further = layout, text, further
        self.values = _HashedValues(rows)
        self.of_numbers = {k: _HashedValues(one) for k, one in enumerate(further, 1) if isinstance(one, Rows)}

    def of(self, start: int, stop: int) -> Iterator[Iterable[Any]]:
        """The sections of rows start..stop."""
        texts = sorted(j for k, j in self.text if k == 0)
        yield from (self._csr if self.layout == "csr" else self._dense)(self.values, start, stop, texts)
        for k, column in enumerate(self.further, 1):
            if isinstance(column, Rows):
                yield from self._dense(self.of_numbers[k], start, stop, [j for at, j in sorted(self.text) if at == k])
            else:
                yield [column[start:stop].tobytes()]

    def _dense(self, values: "_HashedValues", start: int, stop: int, texts: list[int]) -> Iterator[Iterable[Any]]:
        p = values.rows.p
        kept = np.delete(np.arange(p), texts)
        step = max(1, _CACHED // max(1, p))
        cuts = [(a, min(stop, a + step)) for a in range(start, stop, step)]
        if kept.size == p:
            yield (_bytes_little_endian(values.dense(*cut)) for cut in cuts)
        else:
            yield (_bytes_little_endian(values.dense(*cut)[:, kept]) for cut in cuts)
        for j in texts:
            yield [_comma_text(values.of_every_row(j, start, stop))]

    def _csr(self, values: "_HashedValues", start: int, stop: int, texts: list[int]) -> Iterator[Iterable[Any]]:
        lengths, columns, bits = values.csr(start, stop)
        yield [_bytes_little_endian(lengths)]
        yield [_bytes_little_endian(columns.astype("<i8"))]
        yield [_bytes_little_endian(bits if not texts else bits[~np.isin(columns, texts)])]
        for j in texts:
            yield [_comma_text([one for one in values.whole(j, start, stop) if one])]


def _bytes_little_endian(values: npt.NDArray[Any]) -> Any:
    """Its bytes, little-endian."""
    return np.ascontiguousarray(values.astype(values.dtype.newbyteorder("<"), copy=False)).reshape(-1).view(np.uint8)


def _comma_text(whole: list[int]) -> bytes:
    return ",".join([*map(str, whole), ""]).encode()


# --------------------------------------------------------------------------------------------------------------- values


class _HashedValues:
    """The values of rows, as 8 bytes each or as whole numbers."""

    def __init__(self, rows: Rows) -> None:
        self.rows, exact = rows, rows.exact
        readings = column_readings(rows)
        own = () if exact is None else exact.own
        wide = () if exact is None else exact.owner
        self.binary = np.array([one.power is None for one in readings], dtype=bool)
        self.tens = np.array([1.0 if one.power is None else power_of_ten(-one.power) for one in readings])
        self.powers = [one.power for one in readings]
        # of these, the whole numbers are not x·10^−power, rounded
        self.parted = sorted({*own, *wide, *(() if exact is None else self._long_floats())})
        self.plain = bool(np.all(self.binary)) and not self.parted

    def _long_floats(self) -> list[int]:
        """Columns whose floats are the values themselves, but whose whole numbers are longer than floats tell apart."""
        exact = self.rows.exact
        assert exact is not None
        asked = [j for j, k in enumerate(self.powers) if k and not exact.powers[j] and j not in exact.own]
        return [j for j in asked if np.abs(self._floats(j)).max(initial=0.0) * self.tens[j] > _SHORT]

    def beyond_int64(self) -> list[int]:
        """The columns with a whole number that does not fit int64."""
        return [j for j in self.parted if not self._fits(j)]

    def _fits(self, j: int) -> bool:
        parts = self._two_parts(j, 0, self.rows.n)
        if parts is None:
            return all(-(1 << 63) <= one < 1 << 63 for one in self.whole(j, 0, self.rows.n))
        main, low = parts  # both exact, and main ∓ 2^63 is exact where it matters
        return not np.any((main - _TOP >= -low) | (main + _TOP < -low))

    def dense(self, start: int, stop: int) -> npt.NDArray[Any]:
        """Rows start..stop as 8 bytes a value; text columns as anything."""
        if self.rows.sparse:
            lengths, columns, stored = self.csr(start, stop)
            spread = np.zeros((stop - start, self.rows.p), dtype=np.int64)
            spread[np.repeat(np.arange(stop - start), lengths), columns] = stored
            return spread
        X = self.rows.take(slice(start, stop))
        if self.plain:
            return X if not np.any((X == 0) & np.signbit(X)) else X + 0.0
        bits = self._bits(X, slice(None))
        for j in self.parted:
            bits[:, j] = self._int64(j, start, stop)
        return bits

    def csr(self, start: int, stop: int) -> tuple[Integers, Integers, npt.NDArray[Any]]:
        """The lengths of rows start..stop, the columns and the 8 bytes of their values; text columns as anything."""
        if not self.rows.sparse:
            dense = self.dense(start, stop).view(np.int64)
            stored = dense != 0
            for j in self.parted:
                stored[:, j] = [one != 0 for one in self.whole(j, start, stop)]
            return np.count_nonzero(stored, axis=1), np.nonzero(stored)[1], dense[stored]
        k = self.rows.kernel
        some = slice(int(k.indptr[start]), int(k.indptr[stop]))
        columns = k.indices[some].astype(np.int64)
        bits = self._bits(np.asarray(k.data[some], dtype=np.float64), columns)
        for j in self.parted:
            bits[columns == j] = self._int64(j, start, stop)
        return np.diff(k.indptr[start : stop + 1]), columns, bits

    def _bits(self, x: Floats, columns: Selection) -> npt.NDArray[np.int64]:
        """Values of these columns, as floats or as whole numbers."""
        if self.binary.all():
            return np.asarray(x + 0.0).view(np.int64)
        with np.errstate(invalid="ignore", over="ignore"):  # of text columns, which are not used
            whole = x * self.tens[columns]
            bits: Integers = np.rint(whole, out=whole).astype(np.int64)
        binary = self.binary[columns]
        if binary.any():
            np.copyto(bits.view(np.float64), x + 0.0, where=binary)
        return bits

    def _int64(self, j: int, start: int, stop: int) -> Integers:
        """The whole numbers of a column; zeros where they do not fit."""
        parts = self._two_parts(j, start, stop)
        if parts is None:
            whole = self.whole(j, start, stop)
            return np.array([one if -(1 << 63) <= one < 1 << 63 else 0 for one in whole], dtype=np.int64)
        main, low = parts
        step = np.where(np.abs(main) > _HALF, np.copysign(_HALF, main), 0.0)  # main may be 2^63, the sum less
        with np.errstate(invalid="ignore"):
            return (main - step).astype(np.int64) + step.astype(np.int64) + low.astype(np.int64)

    def whole(self, j: int, start: int, stop: int) -> list[int]:
        """The whole numbers of column j, of rows start..stop; of CSR, of the values that are stored."""
        exact, power = self.rows.exact, self.powers[j]
        assert exact is not None
        assert power is not None
        part = self.rows.part(start, stop) if not self.rows.sparse else self.rows.subset(slice(start, stop))
        x = np.asarray(part.values_in(j), dtype=np.float64)
        if j in exact.own or j in exact.owner:
            top = exact.shifts.get(j, 0)
            main = x if j in exact.own else np.rint(x * self.tens[j])
            whole = [int(one) << top for one in main.tolist()]
            for at, shift in self._lows(j):
                whole = [a + (int(b) << shift) for a, b in zip(whole, self._low(part, j, at).tolist(), strict=True)]
            return whole
        if exact.powers[j]:
            return [int(one) for one in np.rint(x * self.tens[j]).tolist()]
        ratios = (one.as_integer_ratio() for one in x.tolist())  # the floats are the values
        return [m * 10**-power // d if power < 0 else m // 10**power for m, d in ratios]

    def of_every_row(self, j: int, start: int, stop: int) -> list[int]:
        """The whole numbers of column j, zeros included."""
        whole = self.whole(j, start, stop)
        if not self.rows.sparse:
            return whole
        k = self.rows.kernel
        stored = k.indices[int(k.indptr[start]) : int(k.indptr[stop])] == j
        row = np.repeat(np.arange(stop - start), np.diff(k.indptr[start : stop + 1]))[stored]
        spread = [0] * (stop - start)
        for i, one in zip(row.tolist(), whole, strict=True):
            spread[i] = one
        return spread

    def _two_parts(self, j: int, start: int, stop: int) -> tuple[Floats, Floats] | None:
        """Column j as the sum of two floats; None where it is kept in another way."""
        exact = self.rows.exact
        assert exact is not None
        lows = self._lows(j)
        if j in exact.own or [shift for _, shift in lows] != [0]:
            return None
        part = self.rows.subset(slice(start, stop)) if self.rows.sparse else self.rows.part(start, stop)
        return np.rint(np.asarray(part.values_in(j), dtype=np.float64) * self.tens[j]), self._low(part, j, lows[0][0])

    def _lows(self, j: int) -> list[tuple[int, int]]:
        """The places of the further columns that column j has in `low`, and their shifts."""
        exact = self.rows.exact
        assert exact is not None
        return [(at, exact.low_shifts[at]) for at, owner in enumerate(exact.owner) if owner == j]

    @staticmethod
    def _low(part: Rows, j: int, at: int) -> Floats:
        """A further column, for the values that column j has."""
        assert part.exact is not None
        low = part.exact.low
        if not sp.issparse(low):
            return np.asarray(low[:, at])
        row = np.repeat(np.arange(part.n), np.diff(part.kernel.indptr))[part.kernel.indices == j]
        return np.asarray(low[:, [at]].toarray()[row, 0])

    def _floats(self, j: int) -> Floats:
        return np.asarray(self.rows.values_in(j), dtype=np.float64)
