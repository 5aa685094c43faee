"""The vectors z = y·(x, 1) of all rows: scanned in floats, and made whole numbers where a row matters.

Columns are scaled by powers of two and rows to length one, which changes no side of any hyperplane and keeps floats in
range. Data are never copied: scans go over pieces.

A column may be read in decimals (`numbers/exact.py`): its values are then whole numbers times a power of ten, not the
floats nearest to them. Scans use the floats, with an error bound that covers the difference; exact steps use the whole
numbers, of which one may need several floats (`exact`). Weights and sums are in the table's units.
"""

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Flags, Floats, Integers, Places, Signs
from rosenblatt.context import SILENT, Context
from rosenblatt.data.numbers import BINARY, ExactColumns, Reading, Rows, pieces, power_of_ten
from rosenblatt.exact import (
    ZERO_EXPONENT,
    Sums,
    combine,
    float_residues,
    integers,
    least_response,
    mantissas,
    primitive,
    response_signs,
    responses_of,
    together,
)
from rosenblatt.later import sparse as sp
from rosenblatt.theory import Extremes
from rosenblatt.threads import in_threads

__all__ = ["Parts", "Points", "Weighed", "Whole", "nearest_float"]

_SPARE = 9  # bits that int64 has beside a float's 53 and its sign
_WHOLE = 2.0**53  # whole numbers up to here are floats, and so are their sums that do not pass it
_MODEST = 400  # exponents of columns up to which scaled weights and their products stay far inside float64
_SHORTEST = 1e-140  # lengths whose squares float64 holds
_SHORTEST_SINGLE = 1e-30  # lengths that float32 holds
_NEAR = 1 << 17  # values that stay in the processor's cache while they are worked on
_MANY = 300  # columns of sparse data from which rows are not made dense
_BLOCK = 1 << 20  # values handed to exact arithmetic at a time
_CANDIDATE_BITS = 56  # of a candidate's largest weight

Which = Places | list[int] | slice  # rows
T = TypeVar("T")


class Parts(NamedTuple):
    """The columns of `Points.exact`: the weight that each belongs to, and the power of two that it is multiplied by."""

    owner: Places
    shift: Integers

    def fold(self, m: npt.NDArray[Any]) -> Any:
        """Whole numbers (rows of them) of all columns, added up for each weight; one column a weight comes first."""
        d = int(self.owner.max(initial=-1)) + 1
        if self.owner.size == d:
            return m
        total = m[:, :d].copy()
        for at in range(d, self.owner.size):
            total[:, self.owner[at]] += m[:, at]
        return total


class Whole:
    """z of some rows as whole numbers: z_j = rows_j · units_j, with a unit for each column, 2^e_j · unit / tens_j."""

    def __init__(self, exact: Floats, parts: Parts, tens: list[int], unit: int) -> None:
        """`exact` is z in units of `unit` / `tens`, in columns that `parts` tells of."""
        m, e = mantissas(exact)
        e = np.where(m == 0, ZERO_EXPONENT, e + parts.shift)
        lowest = np.full(len(tens), ZERO_EXPONENT)
        np.minimum.at(lowest, parts.owner, np.min(e, axis=0, initial=ZERO_EXPONENT))
        self._take_units(lowest, tens, unit)
        shift = np.where(m == 0, 0, e - lowest[parts.owner])
        if parts.owner.size == len(tens) and shift.max(initial=0) <= _SPARE:
            self.rows: list[list[int]] = (m << shift).tolist()
        else:
            self.rows = parts.fold(m.astype(object) << shift.astype(object)).tolist()

    def _take_units(self, lowest: Integers, tens: list[int], unit: int) -> None:
        self.exponents = [0 if one == ZERO_EXPONENT else int(one) for one in lowest]
        self.tens, self.unit = tens, unit

    @property
    def units(self) -> list[Fraction]:
        """The unit of each column."""
        return [Fraction(2) ** e * self.unit / ten for e, ten in zip(self.exponents, self.tens, strict=True)]

    def weights(self, v: list[int]) -> list[int]:
        """Whole-numbered weights w for z from weights v for `rows`: z·w and rows·v have the same signs."""
        top = max(self.exponents, default=0)
        return primitive([a * ten << (top - e) for a, e, ten in zip(v, self.exponents, self.tens, strict=True)])

    def in_units(self, w: list[int]) -> list[int]:
        """Whole-numbered weights for `rows` from weights w for z, times a positive factor."""
        return primitive(self._in_units(w)) if max(self.tens, default=1) > 1 else self._in_units(w)

    def _in_units(self, w: list[int]) -> list[int]:
        """The same with a factor that does not depend on w, so that responses to several w can be compared."""
        low, high = min(self.exponents, default=0), max(self.tens, default=1)
        return [a * (high // ten) << (e - low) for a, e, ten in zip(w, self.exponents, self.tens, strict=True)]

    def responses(self, directions: list[list[int]] | None) -> list[list[int]]:
        """z·v for every direction v (None: the unit vectors), in whole numbers: all times the same positive number."""
        if not self.rows:
            return []
        if directions is not None:
            return responses_of(self.rows, [self._in_units(v) for v in directions])
        units = self._in_units([1] * len(self.tens))
        return [[a * unit for a, unit in zip(row, units, strict=True)] for row in self.rows]


class Weighed(NamedTuple):
    """What a claim's w, λ and null give on all rows, or on a shard's."""

    lowest: int  # the lowest sign of z·w
    highest: int
    plane: int  # how many rows have z·w = 0; all rows where there is no w
    positive: bool  # whether λ is on rows of the plane only, and positive on each of its rows
    vanishing: bool  # whether z·v = 0 on the plane for all v in null
    residual: list[Fraction]  # Σ λ z


class Points:
    """z of all rows; `lengths` are the rows' lengths after the columns are scaled.

    What the numbers are, `rows.exact` says; without it they are the floats. `context` has the time limit of
    whatever is worked out with them, and is told of passes over the rows.
    """

    def __init__(self, rows: Rows, y: Signs, bias: bool, context: Context = SILENT) -> None:
        self.rows, self.y, self.bias, self.context = rows, y, bool(bias), context
        self.n, self.d = rows.n, rows.p + bias
        self._take_as(rows.exact)
        self.exponents = self._column_exponents()
        self.modest = bool(np.all(np.abs(self.exponents) <= _MODEST))
        self._width = rows.width + bias  # values of a row
        self.lengths: npt.NDArray[np.floating[Any]] = np.empty(0)
        self._matrix = self._scaled_csr() if rows.sparse else None
        self.gram: Floats | None = None  # Σ a aᵀ over the unit rows a; only for dense data with at least d rows
        self.total = np.zeros(self.d)  # Σ a
        if self._matrix is None:
            self._measure()
        else:
            self.total += self._matrix.sum(axis=0)

    def _take_as(self, exact: ExactColumns | None) -> None:
        known = exact or ExactColumns((BINARY,) * self.rows.p, (0,) * self.rows.p)
        powers = [*known.powers, *[0] * self.bias]
        top = max([0, *powers])
        self.tens = [10 ** (top - k) for k in powers]  # z = exact / tens · unit
        self.unit, self._ten = 10**top, max(self.tens, default=1)
        self.decimal_columns = known.decimal
        self._factors = np.array([power_of_ten(-powers[j]) for j in self.decimal_columns])
        shifts = [known.shifts.get(j, 0) for j in range(self.d)]
        self.parts = Parts(
            *(np.array(some, dtype=np.int64) for some in ([*range(self.d), *known.owner], [*shifts, *known.low_shifts]))
        )
        self._low, self._own = known.low, known.own
        # floats of `own` columns are in units of 10^power · 2^shift
        self._rates = {j: Fraction(10) ** powers[j] * 2 ** shifts[j] for j in known.own}
        self._common = lcm(*(rate.denominator for rate in self._rates.values()))  # of weights for these floats
        self._whole_rates = [int(self._common * self._rates.get(j, 1)) for j in range(self.d)] if known.own else []
        self._hidden = bool(known.shifts)  # floats of rows do not show their small values
        self._times = [self._ten // self.tens[j] << int(s) for j, s in zip(*self.parts, strict=True)]
        tens = set(self.decimal_columns.tolist())
        self._sizes = [_ten_size(powers[j]) if j in tens else (0, 1.0) for j in range(self.d)]

    @property
    def readings(self) -> tuple[Reading, ...]:
        """How each column is read."""
        return (BINARY,) * self.rows.p if self.rows.exact is None else self.rows.exact.readings

    @property
    def differ(self) -> bool:
        """Whether some value may differ from its float."""
        return bool(self.decimal_columns.size or self._own or self.parts.owner.size > self.d)

    @property
    def hidden(self) -> bool:
        """Whether floats of rows do not show their small values, so that no bound on their rounding holds."""
        return self._hidden

    @property
    def metric(self) -> bool:
        """Whether floats hold all columns in the table's units, as lengths and distances need it."""
        return not self._own

    def as_floats(self) -> Self:
        """The same rows with the floats as values."""
        other = copy(self)
        other.rows = self.rows.read_as(None)
        other._take_as(None)
        return other

    def within(self, seconds: float) -> Self:
        """The same rows for work that may take so many seconds, and no longer than the whole."""
        return self.under(self.context.within(seconds))

    def patient(self) -> Self:
        """The same rows for work that is to come to its end, whatever the time: a proof that is found is checked."""
        return self.under(replace(self.context, deadline=None, cancelled=None))

    def under(self, context: Context) -> Self:
        """The same rows for work in another context."""
        other = copy(self)
        other.context = context
        return other

    def on(self, rows: Rows) -> Self:
        """The same in another place: `rows` are a copy of these."""
        other = copy(self)
        other.rows, other.y = rows, self.y.copy()
        return other

    @property
    def sample_size(self) -> int:
        """How many rows are looked at first, or join at a time: so many show most of what all rows show."""
        return 200 + 4 * self.d

    @property
    def listed(self) -> int:
        """How many rows a verdict lists: all."""
        return self.n

    def ask(self, question: Callable[..., T], joined: Callable[[list[T]], T], **how: object) -> T:
        """The answer of these rows; of rows in blocks, the answers of all blocks `joined`."""
        return question(self, **how)

    def here(self) -> "Points":
        """All rows, in this process."""
        return self

    @property
    def many_sparse(self) -> bool:
        """Whether there are so many sparse columns that rows should not be made dense."""
        return self.rows.sparse and self.d > _MANY

    def _measure(self) -> None:
        """Compute the lengths, and the sums that least squares needs, in one pass.

        Lengths are rounded to float32, four bytes a row: they need not be exact, only always the same.
        """
        wanted = self.n >= self.d
        kind: Any = np.float32 if self._fit_float32() else np.float64
        self.lengths = lengths = np.empty(self.n, dtype=kind)

        def look(piece: tuple[int, int]) -> tuple[Floats, Floats | None]:
            block, at = self._scaled(slice(*piece)), slice(*piece)
            lengths[at] = _lengths(block)
            block /= lengths[at][:, None]
            return block.sum(axis=0), block.T @ block if wanted else None

        self.gram = np.zeros((self.d, self.d)) if wanted else None
        parts = list(pieces(self.n, 4 * self.d))
        for (_, stop), (total, gram) in zip(parts, in_threads(look, parts), strict=True):
            self.context.seen(stop)
            self.total += total
            if self.gram is not None and gram is not None:
                self.gram += gram

    def _fit_float32(self) -> bool:
        """Whether float32 holds the lengths of all rows. With a bias it does: the bias is ½ or 1 in every row."""
        if self.bias or not self.modest:  # extreme numbers: `_scaled` brings the largest value of each row to ½ or 1
            return True
        return all(np.all(_lengths(self._scaled(slice(*at))) > _SHORTEST_SINGLE) for at in self._pieces())

    def _pieces(self) -> Iterator[tuple[int, int]]:
        return pieces(self.n, self.d)

    def _column_exponents(self) -> Integers:
        """Exponents that scale the columns to about one."""
        largest = np.ones(self.d)
        kernel = self.rows.kernel
        if self.rows.sparse:
            largest[: self.rows.p] = 0.0
            np.maximum.at(largest, kernel.indices, np.abs(kernel.data, dtype=np.float64))
        elif self.rows.n:
            sizes = np.zeros(self.rows.p)
            for first, stop in self._pieces():
                block = kernel.X[first:stop]
                sizes = np.maximum(sizes, np.maximum(block.max(axis=0), -block.min(axis=0)))
            largest[: self.rows.p] = sizes
        return np.asarray(np.frexp(largest)[1], dtype=np.int64)

    def floats(self, rows: Which) -> Floats:
        """z of some rows in floats: for decimals, the floats nearest to them."""
        return self._z(rows, np.ones(self.d))

    def exact(self, rows: Which) -> Floats:
        """z of some rows without error, as floats: in units of `unit` / `tens`, in the columns of `parts`."""
        z = self.floats(rows)
        if self.decimal_columns.size:
            z[:, self.decimal_columns] = np.rint(z[:, self.decimal_columns] * self._factors)
        if self._low is None:
            return z
        rows = rows if isinstance(rows, slice) else np.asarray(rows, dtype=np.int64)
        low = self._low[rows]
        return np.hstack([z, (low.toarray() if sp.issparse(low) else low) * self.y[rows][:, None]])

    def _exact_in(self, columns: Places, rows: Places) -> Floats:
        """The same in some columns of dense data; most weights of a factor's direction are zero."""
        inside, further = columns[columns < self.rows.p], columns[columns >= self.d] - self.d
        z = np.ones((rows.size, columns.size))
        z[:, : inside.size] = self.rows.kernel.X[np.ix_(rows, inside)]
        decimal = np.searchsorted(self.decimal_columns, inside)
        decimal[decimal == self.decimal_columns.size] = 0
        at = np.flatnonzero(np.isin(inside, self.decimal_columns))
        if at.size:
            z[:, at] = np.rint(z[:, at] * self._factors[decimal[at]])
        if further.size:
            z[:, -further.size :] = self._low[np.ix_(rows, further)]
        z *= self.y[rows][:, None]
        return z

    def whole_columns(self, columns: list[int]) -> list[tuple[Any, Fraction]]:
        """Some columns of dense data, x and not z, as whole numbers (of any length), each with its unit."""
        at = np.flatnonzero(np.isin(self.parts.owner, columns))
        m, e = mantissas(self._exact_in(at, np.arange(self.n)) * self.y[:, None])
        e = np.where(m == 0, ZERO_EXPONENT, e + self.parts.shift[at])
        found = []
        for j in columns:
            own = np.flatnonzero(self.parts.owner[at] == j)
            lowest = int(e[:, own].min(initial=ZERO_EXPONENT))
            shifted = m[:, own].astype(object) << np.where(m[:, own] == 0, 0, e[:, own] - lowest).astype(object)
            unit = Fraction(2) ** (0 if lowest == ZERO_EXPONENT else lowest) * self.unit / self.tens[j]
            found.append((shifted.sum(axis=1) if own.size > 1 else shifted[:, 0], unit))
        return found

    def residues(self, rows: Which) -> Integers:
        """z of some rows modulo a prime, each column in a unit of its own: the same for all parts of a table."""
        return float_residues(self.exact(rows), self.parts.shift, self.parts.fold)

    def _for_exact(self, w: list[int]) -> list[int]:
        """Weights for `exact` rows, whose response is z·w · ten / unit."""
        return [w[j] * times for j, times in zip(self.parts.owner.tolist(), self._times, strict=True)]

    def _z(self, rows: Which, scale: Floats) -> Floats:
        rows = rows if isinstance(rows, slice) else np.asarray(rows, dtype=np.int64)
        X, y = self.rows.take(rows), self.y[rows]
        z = np.empty((len(X), self.d))
        np.multiply(X, scale[: self.rows.p], out=z[:, : self.rows.p])
        if self.bias:
            z[:, -1] = scale[-1]
        z *= y[:, None]
        return z

    def exact_csr(self, rows: Places) -> Any:
        """`exact` rows in CSR."""
        if not self.rows.sparse:
            return sp.csr_array(self.exact(rows))
        kernel = self.rows.subset(rows).kernel
        data = kernel.data.astype(np.float64) * np.repeat(self.y[rows], np.diff(kernel.indptr))
        if self.decimal_columns.size:
            factors = np.zeros(self.rows.p)
            factors[self.decimal_columns] = self._factors
            factors = factors[kernel.indices]
            data = np.where(factors > 0, np.rint(data * factors), data)
        X = sp.csr_array((data, kernel.indices.view(np.int32), kernel.indptr), shape=(rows.size, self.rows.p))
        X = _with_column(X, self.y[rows]) if self.bias else X
        if self._low is None:
            return X
        low = sp.csr_array(self._low[rows])
        low.data = low.data * np.repeat(self.y[rows], np.diff(low.indptr))
        return sp.csr_array(sp.hstack([X, low], "csr"))

    def _exact_rows(self, rows: Places) -> Any:
        """`exact` rows, in CSR where the data are in CSR."""
        return self.exact_csr(rows) if self.rows.sparse else self.exact(rows)

    def _scaled(self, rows: Which) -> Floats:
        """z of some rows with scaled columns; where numbers are extreme, rows are scaled by powers of two as well."""
        if self.modest:
            return self._z(rows, np.ldexp(1.0, -self.exponents))
        m, e = np.frexp(self.floats(rows))
        e = np.where(m == 0, -ZERO_EXPONENT, e - self.exponents)
        return np.asarray(np.ldexp(m, np.maximum(e - e.max(axis=1, initial=-ZERO_EXPONENT)[:, None], -2000)))

    def unit_rows(self, rows: Which) -> Floats:
        """z of some rows with scaled columns, brought to length one: the search for candidates uses these."""
        z = self._scaled(rows)
        z /= self.lengths[rows][:, None]
        return z

    def unit_csr(self, rows: Places) -> Any:
        """The same in CSR, for linear programs."""
        return sp.csr_array(self.unit_rows(rows)) if self._matrix is None else sp.csr_array(self._matrix[rows])

    def some_of_each_column(self, k: int, rng: np.random.Generator) -> Places:
        """Up to k rows of either sign for each column of sparse data, at random."""
        assert self._matrix is not None
        order = rng.permutation(self._matrix.nnz)
        keys = (2 * self._matrix.indices.astype(np.int64) + (self._matrix.data > 0))[order]
        by_key = np.argsort(keys, kind="stable")
        starts = np.searchsorted(keys[by_key], np.arange(2 * self.d + 1))
        rank = np.arange(by_key.size) - np.repeat(starts[:-1], np.diff(starts))
        entries = order[by_key[rank < k]]
        return np.unique(np.searchsorted(self._matrix.indptr, entries, side="right") - 1)

    def _scaled_csr(self) -> Any:
        """The unit rows of sparse data."""
        kernel = self.rows.kernel
        data = np.ldexp(kernel.data.astype(np.float64), -self.exponents[kernel.indices.astype(np.int64)])
        X = sp.csr_matrix((data, kernel.indices.view(np.int32), kernel.indptr), shape=(self.n, self.rows.p))
        squares = np.asarray(X.multiply(X).sum(axis=1)).ravel() + float(self.bias) * 0.25
        self.lengths = np.where(squares < _SHORTEST**2, 1.0, np.sqrt(squares))
        return sp.diags_array(self.y / self.lengths) @ (_with_column(X, 0.5) if self.bias else X)

    def blocks(self) -> Iterator[tuple[int, int, Any]]:
        """All unit rows, in pieces: (first, stop, block)."""
        if self._matrix is not None:
            yield 0, self.n, self._matrix
            return
        for first, stop in self._pieces():
            yield first, stop, self.unit_rows(slice(first, stop))

    def respond(self, u: Floats, dtype: npt.DTypeLike = np.float64) -> Any:
        """The unit rows times u."""
        out = np.empty(self.n, dtype=dtype)
        for first, stop, s in self.responses(u):
            out[first:stop] = s
        return out

    def responses(self, u: Floats) -> Iterator[tuple[int, int, Floats]]:
        """The same in pieces, which fit into memory for large data: (first, stop, responses)."""
        if self._matrix is not None:
            yield 0, self.n, np.asarray(self._matrix @ u)
            self.context.tell(self.n)
        elif self.modest:
            w = np.ldexp(u, -self.exponents)
            for first, stop in self._pieces():
                s = self.rows.part(first, stop).respond(w)
                s *= self.y[first:stop]
                s /= self.lengths[first:stop]
                yield first, stop, s
                self.context.tell(stop)
        else:
            for first, stop, block in self.blocks():
                yield first, stop, block @ u
                self.context.tell(stop)

    def whole(self, rows: Which) -> Whole:
        """Some rows as whole numbers."""
        return Whole(self.exact(rows), self.parts, self.tens, self.unit)

    def integers(self, rows: Which) -> tuple[list[list[int]], Fraction]:
        """Some rows as whole numbers that have one unit in common, and that unit."""
        m, e = integers(self.exact(rows))
        return self._whole(m).tolist(), Fraction(2) ** e * self.unit / self._ten

    def integers_by_row(self, rows: Which) -> tuple[Any, list[Fraction]]:
        """Some rows in whole numbers, and the unit of each row."""
        z = self.exact(rows)
        parts = [integers(row) for row in z]
        m = np.array([m for m, _ in parts], dtype=object).reshape(z.shape)
        return self._whole(m), [Fraction(2) ** e * self.unit / self._ten for _, e in parts]

    def _whole(self, m: npt.NDArray[np.object_]) -> Any:
        """Whole numbers of `exact` rows, all columns in the same unit, one column a weight."""
        return self.parts.fold(m * np.array(self._times, dtype=object)) if self.differ else m

    def whole_weights(self, u: Floats, bits: int = _CANDIDATE_BITS) -> list[int]:
        """Weights for scaled columns as whole numbers for the columns as they are, the largest rounded to `bits`."""
        largest = float(np.max(np.abs(u), initial=0.0))
        if not np.isfinite(largest) or largest == 0:
            return [0] * self.d
        # A decimal is a whole number times a power of ten. Weights rounded for these whole numbers stay short.
        sizes, below_two = (np.array(some) for some in zip(*self._sizes, strict=True))
        u, factor = u * below_two, 2.0**bits / largest
        m, e = mantissas(np.rint(u * factor if np.isfinite(factor) else u / largest * 2.0**bits))  # largest may be tiny
        shifts = np.where(m == 0, 0, e - self.exponents - sizes - self.parts.shift[: self.d])
        lowest = int(shifts[m != 0].min(initial=0))
        return [int(a) * ten << int(s - lowest) if a else 0 for a, s, ten in zip(m, shifts, self.tens, strict=True)]

    def scaled(self, w: list[int]) -> Floats:
        """Whole-numbered weights as floats for scaled columns, the largest about one."""
        return self._as_floats(w)[0]

    def for_floats(self, w: list[int]) -> Floats:
        """w / factor for `floats` rows, rounded and at most about one; all parts of a table have the same factor."""
        weights = [v * self._rates.get(j, Fraction(1)) for j, v in enumerate(w)]
        # how far the floats of a column are shifted differs between parts
        factor = max((abs(v) / 2 ** int(self.parts.shift[j]) for j, v in enumerate(weights)), default=0) or 1
        return np.array([nearest_float(v / factor) for v in weights])

    def _as_floats(self, w: list[int]) -> tuple[Floats, int]:
        """w / 2^top · `_common` for scaled columns, its largest weight about one; and top."""
        rates = self._whole_rates
        return _as_scaled_floats([v * r for v, r in zip(w, rates, strict=True)] if rates else w, self.exponents)

    def sums(self, rows: Places) -> list[Fraction]:
        """Σ z over some rows, exactly."""
        return self._together(self._sums_of(rows))

    def _together(self, parts: list[Sums]) -> list[Fraction]:
        """The sum of sums of `exact` rows, in the table's units."""
        totals = together(parts, [self.tens[j] for j in self.parts.owner])
        if not self.differ:
            return totals
        found = [Fraction(0)] * self.d
        for j, shift, total in zip(*self.parts, totals, strict=True):
            found[j] += total * (self.unit << int(shift))
        return found

    def _sums_of(self, rows: Places) -> list[Sums]:
        """The same for parts of the rows, each column times its power of ten."""
        # each part costs d sums of long numbers, so parts of sparse rows are made large
        cuts = np.array_split(rows, 1 + int(rows.size * self._width / max(_NEAR, 32 * self.d * self.rows.sparse)))
        return list(in_threads(lambda part: combine(None, self._exact_rows(part)), cuts))

    def mixed(self, mixture: dict[int, int], base: int = 0, plane: Places | None = None) -> list[Fraction]:
        """Σ λ z exactly, where λ is the mixture's entry, plus `base` on every row of the plane."""
        return self._mixed(mixture, base, self._sums_of(plane) if base and plane is not None else [])

    def _mixed(self, mixture: dict[int, int], base: int, plane: list[Sums]) -> list[Fraction]:
        rows, factors = np.array(list(mixture), dtype=np.int64), list(mixture.values())
        ends = np.linspace(0, rows.size, 2 + int(rows.size * self._width) // _BLOCK).astype(int).tolist()
        cuts = [slice(first, stop) for first, stop in pairwise(ends)]
        few = in_threads(lambda at: combine(factors[at], self._exact_rows(rows[at])), cuts)
        return self._together([*few, *(part.times(base) for part in plane)])

    def weigh(self, w: list[int] | None, mixture: dict[int, int], base: int | None, null: list[list[int]]) -> Weighed:
        """Look at every row, as the checker does; `base` None: λ is the mixture's entries alone."""
        signs = np.zeros(self.n, dtype=np.int8) if w is None else self.signs(w)
        lowest, highest = int(signs.min(initial=1)), int(signs.max(initial=-1))
        plane = int(np.count_nonzero(signs == 0))
        on_plane = not np.any(signs[list(mixture)])
        positive = all(m + (base or 0) > 0 for m in mixture.values())
        if base is not None and base <= 0:
            positive = positive and len(mixture) == plane
        vanishing = self.vanish(null, np.flatnonzero(signs == 0))
        residual = self._mixed(mixture, base or 0, self._sums_where(signs == 0) if base else []) if on_plane else []
        return Weighed(lowest, highest, plane, on_plane and positive, vanishing, residual)

    def vanish(self, null: list[list[int]], rows: Places | None = None) -> bool:
        """Whether the rows (None: all) respond to none of these vectors."""
        return bool(self.silent(null, rows).all())

    def silent(self, null: list[list[int]], rows: Places | None = None) -> Flags:
        """To which of these vectors no row (None: of all) responds.

        Where the values are whole numbers, so short that float64 adds their products without rounding, one product of
        matrices tells it for all vectors; others are asked one by one.
        """
        left = np.ones(len(null), dtype=bool)
        if not null:
            return left
        rows = np.arange(self.n) if rows is None else rows
        taken = [[max(-_WHOLE, min(_WHOLE, a)) for a in self._for_exact(v)] for v in null]
        N = np.array(taken, dtype=np.float64).T
        for part in np.array_split(rows, 1 + int(rows.size * self._width) // _BLOCK):
            if not left.any():
                break
            z = self._exact_rows(part)
            sure = np.where(_are_whole(z), np.minimum(_largest(z), _WHOLE), _WHOLE) @ np.abs(N) < _WHOLE
            asked = np.flatnonzero(left & sure)
            left[asked[(z @ N[:, asked]).any(axis=0)]] = False
            for k in np.flatnonzero(left & ~sure):
                left[k] = not np.any(self._exact_signs(null[k], part))
        return left

    def _sums_where(self, mask: Flags) -> list[Sums]:
        """`_sums_of` the rows in a mask; for dense data without a list of their numbers, eight times as large."""
        if self.rows.sparse:
            return self._sums_of(np.flatnonzero(mask))

        def look(piece: tuple[int, int]) -> Sums:
            return combine(None, self.exact(piece[0] + np.flatnonzero(mask[slice(*piece)])))

        return list(in_threads(look, pieces(self.n, 32 * self.d)))

    def strict_with(self, w: list[int], others: list[list[int]]) -> Flags:
        """Which of the other weights v have z·v > 0 wherever z·w > 0, in one pass over the rows."""
        strict, good = self.signs(w) > 0, np.ones(len(others), dtype=bool)
        scaled = np.array([self.scaled(v) for v in others]).reshape(len(others), self.d)
        doubt = self._doubt(scaled)
        for first, stop, block in self.blocks():
            close = (block @ scaled.T <= doubt) & strict[first:stop, None]
            for k in np.flatnonzero(close.any(axis=0) & good):
                good[k] = np.all(self._exact_signs(others[k], first + np.flatnonzero(close[:, k])) > 0)
        return good

    def signs(self, w: list[int], rows: Places | None = None) -> Signs:
        """The exact signs of z·w for whole-numbered w.

        With `rows`, only their signs are sure: other rows have 0 where floats cannot tell.
        """
        if not any(w):
            return np.zeros(self.n, dtype=np.int8)
        scaled, doubt, _ = self._rough(w)
        out = np.empty(self.n, dtype=np.int8)
        wanted = None if rows is None else np.zeros(self.n, dtype=bool)
        if wanted is not None:
            wanted[rows] = True
        for first, stop, s in self.responses(scaled):
            out[first:stop] = (s > doubt).astype(np.int8) - (s < -doubt)
            close = np.abs(s) <= doubt
            unsure = first + np.flatnonzero(close if wanted is None else close & wanted[first:stop])
            if unsure.size:
                out[unsure] = self._exact_signs(w, unsure)
        return out

    def plane(self, w: list[int] | None) -> Places:
        """The rows with z·w = 0 (None: all rows)."""
        return np.arange(self.n) if w is None else np.flatnonzero(self.signs(w) == 0)

    def _exact_signs(self, w: list[int], rows: Places) -> Signs:
        """The signs of z·w of some rows, in exact arithmetic only."""
        w = self._for_exact(w)
        used = [j for j, v in enumerate(w) if v]
        weights = [w[j] for j in used]
        if self.rows.sparse and self._low is None and not (self.bias and w[-1]):
            felt = self._felt(used)[rows]
            if not felt.all():  # a level that has a class to itself: all other rows are on its plane
                found = np.zeros(rows.size, dtype=np.int8)
                found[felt] = self._exact_signs_in(used, weights, rows[felt])
                return found
        return self._exact_signs_in(used, weights, rows)

    def _felt(self, columns: list[int]) -> Flags:
        """Which of the sparse rows have a value in these columns."""
        kernel, wanted = self.rows.kernel, np.zeros(self.rows.p, dtype=bool)
        wanted[columns] = True
        found = np.zeros(self.n, dtype=bool)
        found[np.searchsorted(kernel.indptr, np.flatnonzero(wanted[kernel.indices]), side="right") - 1] = True
        return found

    def _exact_signs_in(self, used: list[int], weights: list[int], rows: Places) -> Signs:
        """The same by weights for these columns of `exact` rows."""
        longest = max((v.bit_length() for v in weights), default=0)
        parts = np.array_split(rows, 1 + int(rows.size * (self._width + longest // 16)) // _BLOCK)
        columns = np.array(used, dtype=np.int64)
        if self.rows.sparse:
            found = [response_signs(_in_columns(self.exact_csr(part), columns), weights) for part in parts]
        else:
            found = [response_signs(self._exact_in(columns, part), weights) for part in parts]
        return np.concatenate(found)

    def worst(self, u: Floats, k: int, among: Flags) -> tuple[Places, Floats]:
        """The unit rows with the k smallest responses to u, smallest first, and these responses."""
        found = _Smallest(k)
        for first, stop, s in self.responses(u):
            at = np.flatnonzero(among[first:stop])
            found.add(first + at, s[at])
        return found.rows, found.values

    def nearest(self, u: Floats, k: int, each: bool) -> tuple[Places, Floats]:
        """The k rows with the smallest z·w, and z·w, in floats; with `each`, k rows of each class.

        u is w for scaled columns.
        """
        classes = (1, -1) if each else (0,)
        found = [_Smallest(k) for _ in classes]
        for first, stop, s in self.responses(u):
            s *= self.lengths[first:stop]
            for smallest, sign in zip(found, classes, strict=True):
                at = np.flatnonzero(self.y[first:stop] == sign) if sign else np.arange(stop - first)
                smallest.add(first + at, s[at])
        return np.concatenate([one.rows for one in found]), np.concatenate([one.values for one in found])

    def column_signs(self, rows: Which = slice(None)) -> Signs:
        """The sign of every value of z, of some rows."""
        z = self.exact(rows) if self._hidden else self.floats(rows)
        found = np.sign(z[:, : self.d]).astype(np.int8)
        for at in range(self.d, z.shape[1]):  # a value whose first part is too small for a float has others
            j = self.parts.owner[at]
            found[:, j] = np.where(found[:, j] == 0, np.sign(z[:, at]).astype(np.int8), found[:, j])
        return found

    def signs_csr(self) -> Any:
        """The sign of every value of z of sparse rows, in CSR; right unless small values are `hidden`."""
        kernel = self.rows.kernel
        signs = np.sign(kernel.data).astype(np.int8) * np.repeat(self.y, np.diff(kernel.indptr))
        X = sp.csr_array((signs, kernel.indices.view(np.int32), kernel.indptr), shape=(self.n, self.rows.p))
        return _with_column(X, self.y) if self.bias else X

    def sizes(self, rows: Places, j: int) -> tuple[dict[int, Fraction], Fraction]:
        """Upper bounds of |z| on these rows, by column; and the smallest |z_j|, which is 0 on none of them."""
        z = abs(self._exact_rows(rows))
        tops = _largest(z)
        largest = dict[int, Fraction]()
        for at in np.flatnonzero(tops).tolist():
            i, unit = int(self.parts.owner[at]), self.unit << int(self.parts.shift[at])
            largest[i] = largest.get(i, Fraction(0)) + Fraction(float(tops[at])) * unit / self.tens[i]
        if np.count_nonzero(self.parts.owner == j) == 1:
            least = float((z.data[z.indices == j] if sp.issparse(z) else z[:, j]).min())
            return largest, Fraction(least) * (self.unit << int(self.parts.shift[j])) / self.tens[j]
        whole = self.whole(rows)
        return largest, min(abs(row[j]) for row in whole.rows) * whole.units[j]

    def radius_sq(self) -> Fraction:
        """max ‖z‖², exactly; for decimals, the larger of their value and that of the floats nearest to them."""
        lengths = Extremes(self.rows, self.y, [0] * self.d, self.bias)
        if not self.differ:
            return lengths.epsilon()
        return max(lengths.epsilon(), *(max(self._lengths_sq(rows)) for rows in lengths.longest()))

    def _lengths_sq(self, rows: Places) -> list[Fraction]:
        m, units = self.integers_by_row(rows)
        return [int(q) * unit**2 for q, unit in zip((m * m).sum(axis=1), units, strict=True)]

    def smallest_responses(self, w: list[int]) -> list[Fraction]:
        """min z·w of each class that has rows, the positive class first.

        ExactColumns where few rows come near the minimum, otherwise a number just below it.
        """
        scaled, doubt, unit = self._rough(w)
        found = {sign: _Near(self.modest, _BLOCK // self.d) for sign in (1, -1)}
        for first, stop, s in self.responses(scaled):
            low, high = (s - doubt) * self.lengths[first:stop], (s + doubt) * self.lengths[first:stop]
            for sign, near in found.items():
                at = np.flatnonzero(self.y[first:stop] == sign)
                near.add(first + at, low[at], high[at])
        return [self._least(w, near, unit) for near in found.values() if near.rows.size or near.many]

    def _least(self, w: list[int], near: "_Near", unit: Fraction) -> Fraction:
        if near.many:
            return Fraction(float(np.nextafter(near.least - abs(near.least) * 2.0**-50, -np.inf))) * unit
        parts = np.array_split(near.rows, 1 + near.rows.size * self.d // _BLOCK)
        least = min(least_response(self._exact_rows(part), self._for_exact(w)) for part in parts if part.size)
        return Fraction(least * self.unit / self._ten)

    def least_for_both(self, w: list[int], least: Fraction) -> Fraction:
        """A lower bound of z·w for decimals, which have z·w ≥ least, and for the floats nearest to them."""
        return min(least, *self.as_floats().smallest_responses(w)) if self.differ else least

    def below(self, w: list[int], bound: Fraction, most: int) -> Places:
        """Up to `most` rows with z·w < bound, bound ≥ 0: exactly such rows, and about the worst of them."""
        scaled, doubt, unit = self._rough(w)
        target = nearest_float(bound / unit)
        worst, others = _Smallest(most), np.empty(0, dtype=np.int64)
        for first, stop, s in self.responses(scaled):
            lengths = self.lengths[first:stop].astype(np.float64)
            under = (s + doubt) * lengths * (1 + 2.0**-50) < target * (1 - 2.0**-50)
            above = (s - doubt) * lengths * (1 - 2.0**-50) > target * (1 + 2.0**-50)
            if not self.modest:
                above[:] = under[:] = False
            at = np.flatnonzero(under)
            worst.add(first + at, s[at] * lengths[at])
            unsure = first + np.flatnonzero(~(above | under))
            for part in np.array_split(unsure, 1 + unsure.size * self.d // _BLOCK):
                if worst.rows.size + others.size < most:
                    others = np.append(others, part[self._are_below(w, bound, part)])
        return np.concatenate([worst.rows, others])[:most]

    def _are_below(self, w: list[int], bound: Fraction, rows: Places) -> Flags:
        """Whether z·w < bound on each of some rows: by the sign of z·w − bound, a response to one more weight."""
        Z = np.column_stack([self.exact(rows), -np.ones(rows.size)])
        limit = bound * self._ten / self.unit
        whole = [*(v * limit.denominator for v in self._for_exact(w)), limit.numerator]
        return np.asarray(response_signs(Z, whole) < 0)

    def at_least(self, w: list[int], bound: Fraction) -> bool:
        """Whether z·w ≥ bound ≥ 0 on every row: floats decide where their error bound allows it."""
        return not self.below(w, bound, 1).size

    def _rough(self, w: list[int]) -> tuple[Floats, float, Fraction]:
        """w/unit for scaled columns, a bound on the error of the unit rows' responses to it, and the unit."""
        scaled, top = self._as_floats(w)
        return scaled, float(self._doubt(scaled)), Fraction(2) ** top / self._common

    def _doubt(self, scaled: Floats) -> Any:
        """A bound on the rounding error of the unit rows' responses, for each vector of weights.

        It has room for 20 roundings beside those of the sum; that a decimal differs from its float is one of them.
        """
        if self._hidden:
            return np.full(np.shape(scaled)[:-1], np.inf)
        return 4 * (self.d + 20) * 2.0**-53 * np.sqrt(np.sum(scaled * scaled, axis=-1)) + self.d * 1e-300

    def values(self, w: list[int], rows: Places) -> list[Fraction]:
        """z·w of some rows, exactly."""
        if not rows.size:
            return []
        m, units = self.integers_by_row(rows)
        totals = m @ np.array(w, dtype=object)
        return [int(t) * unit for t, unit in zip(totals, units, strict=True)]


class _Smallest:
    """The rows with the k smallest values, smallest first, of all that were added."""

    def __init__(self, k: int) -> None:
        self.k = k
        self.rows, self.values = np.empty(0, dtype=np.int64), np.empty(0)

    def add(self, rows: Places, values: Floats) -> None:
        if self.values.size >= self.k:
            fits = values < self.values[-1]
            rows, values = rows[fits], values[fits]
        if values.size > self.k:
            few = np.argpartition(values, self.k)[: self.k]
            rows, values = rows[few], values[few]
        if self.rows.size:
            rows, values = np.concatenate([self.rows, rows]), np.concatenate([self.values, values])
        order = np.argsort(values, kind="stable")[: self.k]
        self.rows, self.values = rows[order], values[order]


class _Near:
    """Rows that may have the smallest value, from bounds on the values of all rows: low ≤ value ≤ high."""

    def __init__(self, modest: bool, most: int) -> None:
        self.modest, self.most = modest, most  # where numbers are extreme the bounds do not count
        self.rows, self.low = np.empty(0, dtype=np.int64), np.empty(0)
        self.cut = self.least = self._given_up = np.inf

    @property
    def many(self) -> bool:
        """Whether there were too many rows to be looked at exactly."""
        return self._given_up < np.inf and self._given_up <= self.cut

    def add(self, rows: Places, low: Floats, high: Floats) -> None:
        self.cut, self.least = min(self.cut, high.min(initial=np.inf)), min(self.least, low.min(initial=np.inf))
        self.rows, self.low = np.concatenate([self.rows, rows]), np.concatenate([self.low, low])
        if self.modest:
            near = self.low <= self.cut
            self.rows, self.low = self.rows[near], self.low[near]
            if self.rows.size > self.most:
                self._given_up = min(self._given_up, self.low.min())
                self.rows, self.low = self.rows[:0], self.low[:0]


def _with_column(X: "sp.csr_array | sp.csr_matrix", last: float | Signs) -> Any:
    """X in CSR with one more column, which has a value in every row; SciPy's hstack needs several times the memory."""
    n, p = X.shape
    indptr = X.indptr + np.arange(n + 1)
    old = np.ones(X.nnz + n, dtype=bool)
    old[indptr[1:] - 1] = False
    data, indices = np.empty(old.size), np.empty(old.size, dtype=X.indices.dtype)
    data[old], indices[old] = X.data, X.indices
    data[~old], indices[~old] = last, p
    return sp.csr_array((data, indices, indptr), shape=(n, p + 1))


def _in_columns(z: "sp.csr_array", columns: Places) -> "sp.csr_array":
    """CSR in some columns alone."""
    places = np.full(z.shape[1], -1)
    places[columns] = np.arange(columns.size)
    at = places[z.indices]
    kept = at >= 0
    starts = np.append(0, np.cumsum(kept))[z.indptr]
    return sp.csr_array((z.data[kept], at[kept], starts), shape=(z.shape[0], columns.size))


def _are_whole(z: Any) -> Flags:
    """Which columns (of an array or CSR) have whole numbers only."""
    if not sp.issparse(z):
        return np.asarray(np.all(z == np.rint(z), axis=0))
    return np.asarray(np.bincount(z.indices[z.data != np.rint(z.data)], minlength=z.shape[1]) == 0)


def _largest(z: Any) -> Floats:
    """The largest absolute value of each column of an array or CSR."""
    if not sp.issparse(z):
        return np.asarray(np.abs(z).max(axis=0, initial=0.0))
    found = np.zeros(z.shape[1])
    np.maximum.at(found, z.indices, np.abs(z.data))
    return found


def _lengths(block: Floats) -> Floats:
    """The lengths of rows; 1 for rows too short. A length need not be right: it changes no sign."""
    lengths = np.sqrt(np.einsum("ij,ij->i", block, block))
    lengths[lengths < _SHORTEST] = 1.0
    return np.asarray(lengths)


def _ten_size(power: int) -> tuple[int, float]:
    """(size, 2^size · 10^power), which is between 1 and 2."""
    ten = Fraction(10) ** -power
    size = ten.numerator.bit_length() - ten.denominator.bit_length()
    size += Fraction(2) ** size < ten
    return size, float(Fraction(2) ** size / ten)


def nearest_float(q: Fraction) -> float:
    """The float nearest to q, which may be infinite."""
    try:
        return float(q)
    except OverflowError:
        return float("inf") if q > 0 else float("-inf")


def _as_scaled_floats(w: list[int], exponents: Integers) -> tuple[Floats, int]:
    """w/2^top for scaled columns, its largest weight about one; and top."""
    cuts: Any = 0
    try:
        m, e = np.frexp(np.array(w, dtype=np.float64))
    except OverflowError:  # longer than float64 has exponents for
        cuts = np.array([max(0, v.bit_length() - 64) for v in w], dtype=np.int64)
        m, e = np.frexp(np.array([float(v >> cut) for v, cut in zip(w, cuts.tolist(), strict=True)]))
    sizes = np.where(m == 0, -(1 << 40), e + cuts + exponents)
    top = int(sizes.max())
    out = np.ldexp(m, np.maximum(sizes - top, -2000))
    return np.asarray(out), top
