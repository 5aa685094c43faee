"""The vectors z = y·(x, 1) of all rows: scanned in floats, and made whole numbers where a row matters.

Columns are scaled by powers of two and rows to length one, which changes no side of any hyperplane and keeps floats in
range. Data are never copied: scans go over pieces.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from rosenblatt.data.rows import Rows, pieces
from rosenblatt.exact import integers
from rosenblatt.exact.dyadic import mantissas
from rosenblatt.exact.linear import primitive
from rosenblatt.exact.sums import combine, least_response, response_signs
from rosenblatt.verdicts.progress import SILENT, Steps
from rosenblatt.verdicts.threads import in_threads

__all__ = ["Points", "Weighed", "Whole"]

_MODEST = 400  # exponents of columns up to which scaled weights and their products stay far inside float64
_SHORTEST = 1e-140  # lengths whose squares float64 holds
_SHORTEST_SINGLE = 1e-30  # lengths that float32 holds
_NEAR = 1 << 17  # values that stay near the processor while they are worked on
_BLOCK = 1 << 20  # values handed to exact arithmetic at a time

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]


class Whole:
    """z of some rows as whole numbers: z_j = rows_j · 2^unit_j, with a unit for each column."""

    def __init__(self, z: Floats) -> None:
        m, e = mantissas(z)
        lowest = np.min(e, axis=0, initial=5000)
        self.units = [0 if unit == 5000 else int(unit) for unit in lowest]
        shift = np.where(m == 0, 0, e - lowest)
        self.rows: list[list[int]] = (m.astype(object) << shift.astype(object)).tolist()

    def weights(self, v: list[int]) -> list[int]:
        """Whole-numbered weights w along v, which is in these units: the signs of z·w are those of rows·v."""
        top = max(self.units, default=0)
        return primitive([a << (top - unit) for a, unit in zip(v, self.units, strict=True)])

    def in_units(self, w: list[int]) -> list[int]:
        """Whole-numbered weights in these units, times a common power of two."""
        low = min(self.units, default=0)
        return [a << (unit - low) for a, unit in zip(w, self.units, strict=True)]


class Weighed(NamedTuple):
    """How a claim stands to rows: all of them, or a shard's."""

    lowest: int  # sign of z·w
    highest: int
    plane: int  # rows with z·w = 0; all of them, where there is no w
    positive: bool  # λ lies on rows of the plane, and is positive wherever it is there
    vanishing: bool  # the vectors of null are 0 on the plane
    residual: list[Fraction]  # Σ λ z


class Points:
    """z of all rows; `lengths` are theirs after the columns are scaled. `steps` are told of passes over the rows."""

    def __init__(self, rows: Rows, y: npt.NDArray[np.int8], bias: bool, steps: Steps = SILENT) -> None:
        self.rows, self.y, self.bias, self.steps = rows, y, bool(bias), steps
        self.n, self.d = rows.n, rows.p + bias
        self.exponents = self._column_exponents()
        self.modest = bool(np.all(np.abs(self.exponents) <= _MODEST))
        self.lengths: npt.NDArray[np.floating[Any]] = np.empty(0)
        self._matrix = self._scaled_csr() if rows.sparse else None
        self.gram: Floats | None = None  # Σ a aᵀ over the unit rows a, where they are dense and more than d
        self.total = np.zeros(self.d)  # Σ a
        if self._matrix is None:
            self._measure()
        else:
            self.total += self._matrix.sum(axis=0)

    def _measure(self) -> None:
        """One pass for the lengths and for the sums that least squares needs.

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
            self.steps.seen(stop)
            self.total += total
            if self.gram is not None and gram is not None:
                self.gram += gram

    def _fit_float32(self) -> bool:
        """Whether float32 holds the lengths of all rows: sure with a bias, which is ½ or 1 in every row."""
        if self.bias or not self.modest:  # where numbers are extreme the largest of each row is
            return True
        return all(np.all(_lengths(self._scaled(slice(*at))) > _SHORTEST_SINGLE) for at in self._pieces())

    def _pieces(self) -> Iterator[tuple[int, int]]:
        return pieces(self.n, self.d)

    def _column_exponents(self) -> npt.NDArray[np.int64]:
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

    def floats(self, rows: Any) -> Floats:
        """z of some rows, as they are."""
        return self._z(rows, np.ones(self.d))

    def _z(self, rows: Any, scale: Floats) -> Floats:
        rows = rows if isinstance(rows, slice) else np.asarray(rows, dtype=np.int64)
        X, y = self.rows.take(rows), self.y[rows]
        z = np.empty((len(X), self.d))
        np.multiply(X, scale[: self.rows.p], out=z[:, : self.rows.p])
        if self.bias:
            z[:, -1] = scale[-1]
        z *= y[:, None]
        return z

    def _scaled(self, rows: Any) -> Floats:
        """z of some rows, columns scaled; where numbers are extreme each row also by a power of two of its own."""
        if self.modest:
            return self._z(rows, np.ldexp(1.0, -self.exponents))
        m, e = np.frexp(self.floats(rows))
        e = np.where(m == 0, -5000, e - self.exponents)
        return np.asarray(np.ldexp(m, np.maximum(e - e.max(axis=1, initial=-5000)[:, None], -2000)))

    def unit_rows(self, rows: Any) -> Floats:
        """z of some rows, columns scaled, rows of length one: what candidates are sought with."""
        z = self._scaled(rows)
        z /= self.lengths[rows][:, None]
        return z

    def _scaled_csr(self) -> Any:
        """The unit rows of sparse data."""
        kernel = self.rows.kernel
        data = np.ldexp(kernel.data.astype(np.float64), -self.exponents[kernel.indices.astype(np.int64)])
        X = sp.csr_matrix((data, kernel.indices.view(np.int32), kernel.indptr), shape=(self.n, self.rows.p))
        squares = np.asarray(X.multiply(X).sum(axis=1)).ravel() + float(self.bias) * 0.25
        self.lengths = np.where(squares < _SHORTEST**2, 1.0, np.sqrt(squares))
        Z = sp.hstack([X, np.full((self.n, 1), 0.5)], format="csr") if self.bias else X.tocsr()
        return sp.diags_array(self.y / self.lengths) @ Z

    def blocks(self) -> Iterator[tuple[int, int, Any]]:
        """All unit rows, in pieces: (first, stop, block)."""
        if self._matrix is not None:
            yield 0, self.n, self._matrix
            return
        for first, stop in self._pieces():
            yield first, stop, self.unit_rows(slice(first, stop))

    def respond(self, u: Floats, dtype: Any = np.float64) -> Any:
        """The unit rows times u."""
        out = np.empty(self.n, dtype=dtype)
        for first, stop, s in self.responses(u):
            out[first:stop] = s
        return out

    def responses(self, u: Floats) -> Iterator[tuple[int, int, Floats]]:
        """The same in pieces, which is what large data have room for: (first, stop, responses)."""
        if self._matrix is not None:
            yield 0, self.n, np.asarray(self._matrix @ u)
            self.steps.seen(self.n)
        elif self.modest:
            w = np.ldexp(u, -self.exponents)
            for first, stop in self._pieces():
                s = self.rows.part(first, stop).respond(w)
                s *= self.y[first:stop]
                s /= self.lengths[first:stop]
                yield first, stop, s
                self.steps.seen(stop)
        else:
            for first, stop, block in self.blocks():
                yield first, stop, block @ u
                self.steps.seen(stop)

    def whole(self, rows: Any) -> Whole:
        """Some rows as whole numbers."""
        return Whole(self.floats(rows))

    def whole_weights(self, u: Floats, bits: int) -> list[int]:
        """Weights for scaled columns as whole numbers for the columns as they are, the largest rounded to `bits`."""
        largest = float(np.max(np.abs(u), initial=0.0))
        if not np.isfinite(largest) or largest == 0:
            return [0] * self.d
        m, e = mantissas(np.rint(u * (2.0**bits / largest)))
        shifts = np.where(m == 0, 0, e - self.exponents)
        lowest = int(shifts[m != 0].min(initial=0))
        return [int(a) << int(s - lowest) if a else 0 for a, s in zip(m, shifts, strict=True)]

    def sums(self, rows: Places) -> list[Fraction]:
        """Σ z over some rows, exactly."""
        cuts = np.array_split(rows, 1 + rows.size * self.d // _NEAR)
        parts = list(in_threads(lambda some: combine(None, self.floats(some)), cuts))
        return [sum(column, Fraction(0)) for column in zip(*parts, strict=True)]

    def mixed(self, mixture: dict[int, int], base: int = 0, plane: Places | None = None) -> list[Fraction]:
        """Σ λ z exactly, λ being the mixture's entries, and `base` more on every row of the plane."""
        total = combine(list(mixture.values()), self.floats(list(mixture)))
        if not base or plane is None:
            return total
        return [t + base * s for t, s in zip(total, self.sums(plane), strict=True)]

    def weigh(self, w: list[int] | None, mixture: dict[int, int], base: int | None, null: list[list[int]]) -> Weighed:
        """Look at every row as the checker would; `base` None: λ is the mixture's entries alone."""
        signs = np.zeros(self.n, dtype=np.int8) if w is None else self.signs(w)
        lowest, highest, plane = int(signs.min()), int(signs.max()), int(np.count_nonzero(signs == 0))
        on_plane = not np.any(signs[list(mixture)])
        positive = all(m + (base or 0) > 0 for m in mixture.values())
        if base is not None and base <= 0:
            positive = positive and len(mixture) == plane
        vanishing = not null or self._vanish(null, np.flatnonzero(signs == 0))
        residual = self.mixed(mixture) if on_plane else []
        if on_plane and base:
            residual = [t + base * s for t, s in zip(residual, self._sums_where(signs == 0), strict=True)]
        return Weighed(lowest, highest, plane, on_plane and positive, vanishing, residual)

    def _vanish(self, null: list[list[int]], rows: Places) -> bool:
        return not any(np.any(self.signs(v, rows)[rows]) for v in null)

    def _sums_where(self, mask: npt.NDArray[np.bool_]) -> list[Fraction]:
        """Σ z over the rows of a mask, exactly; their numbers would take eight times its room."""

        def look(piece: tuple[int, int]) -> list[Fraction]:
            return combine(None, self.floats(piece[0] + np.flatnonzero(mask[slice(*piece)])))

        parts = list(in_threads(look, pieces(self.n, 32 * self.d)))
        return [sum(column, Fraction(0)) for column in zip(*parts, strict=True)]

    def signs(self, w: list[int], rows: Places | None = None) -> npt.NDArray[np.int8]:
        """The exact signs of z·w for whole-numbered w, of all rows or of some; 0 for others that floats cannot tell."""
        scaled, doubt, _ = self._rough(w)
        out = np.empty(self.n, dtype=np.int8)
        wanted = None if rows is None else np.zeros(self.n, dtype=bool)
        if wanted is not None:
            wanted[rows] = True
        longest = max((abs(v).bit_length() for v in w), default=0)
        for first, stop, s in self.responses(scaled):
            out[first:stop] = (s > doubt).astype(np.int8) - (s < -doubt)
            close = np.abs(s) <= doubt
            unsure = first + np.flatnonzero(close if wanted is None else close & wanted[first:stop])
            for some in np.array_split(unsure, 1 + unsure.size * (self.d + longest // 16) // _BLOCK):
                out[some] = response_signs(self.floats(some), w)
        return out

    def worst(self, u: Floats, k: int, among: npt.NDArray[np.bool_]) -> tuple[Places, Floats]:
        """The unit rows with the k smallest responses to u, smallest first, and these responses."""
        found = _Smallest(k)
        for first, stop, s in self.responses(u):
            at = np.flatnonzero(among[first:stop])
            found.add(first + at, s[at])
        return found.rows, found.values

    def nearest(self, u: Floats, k: int, each: bool) -> tuple[Places, Floats]:
        """The k rows with the smallest z·w, w being u for scaled columns, and z·w; of `each` class, if asked for."""
        classes = (1, -1) if each else (0,)
        found = [_Smallest(k) for _ in classes]
        for first, stop, s in self.responses(u):
            s *= self.lengths[first:stop]
            for some, sign in zip(found, classes, strict=True):
                at = np.flatnonzero(self.y[first:stop] == sign) if sign else np.arange(stop - first)
                some.add(first + at, s[at])
        return np.concatenate([one.rows for one in found]), np.concatenate([one.values for one in found])

    def smallest_responses(self, w: list[int]) -> list[Fraction]:
        """min z·w of each class that is there, the positive one first.

        Exact where few rows come near it, otherwise a number just below it.
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
        return min(least_response(self.floats(some), w) for some in parts if some.size)

    def below(self, w: list[int], bound: Fraction, most: int) -> Places:
        """Up to so many rows with z·w < bound, bound ≥ 0; exact, and about the worst of them."""
        scaled, doubt, unit = self._rough(w)
        target = _nearest_float(bound / unit)
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
            for some in np.array_split(unsure, 1 + unsure.size * self.d // _BLOCK):
                if worst.rows.size + others.size < most:
                    others = np.append(others, some[self._are_below(w, bound, some)])
        return np.concatenate([worst.rows, others])[:most]

    def _are_below(self, w: list[int], bound: Fraction, rows: Places) -> npt.NDArray[np.bool_]:
        """Whether z·w < bound, of some rows: the sign of z·w − bound, which is a response to one weight more."""
        Z = np.column_stack([self.floats(rows), -np.ones(rows.size)])
        whole = [*(v * bound.denominator for v in w), bound.numerator]
        return np.asarray(response_signs(Z, whole) < 0)

    def at_least(self, w: list[int], bound: Fraction) -> bool:
        """Whether z·w ≥ bound ≥ 0 on every row: floats decide where their error bound allows it."""
        return not self.below(w, bound, 1).size

    def _rough(self, w: list[int]) -> tuple[Floats, float, Fraction]:
        """w/unit for scaled columns, a bound on the error of the unit rows' responses to it, and that unit."""
        scaled, top = _as_scaled_floats(w, self.exponents)
        doubt = 4 * (self.d + 20) * 2.0**-53 * float(np.sqrt(scaled @ scaled)) + self.d * 1e-300
        return scaled, doubt, Fraction(2) ** top


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
        rows, values = np.concatenate([self.rows, rows]), np.concatenate([self.values, values])
        order = np.argsort(values, kind="stable")[: self.k]
        self.rows, self.values = rows[order], values[order]


class _Near:
    """Rows that may have the smallest value, from what is known of all: low ≤ value ≤ high."""

    def __init__(self, modest: bool, most: int) -> None:
        self.modest, self.most = modest, most  # where numbers are extreme nothing is known
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


def _lengths(block: Floats) -> Floats:
    """Of rows; 1 where squares cannot measure them: nothing is believed of those."""
    lengths = np.sqrt(np.einsum("ij,ij->i", block, block))
    lengths[lengths < _SHORTEST] = 1.0
    return np.asarray(lengths)


def _nearest_float(q: Fraction) -> float:
    try:
        return float(q)
    except OverflowError:
        return float("inf") if q > 0 else float("-inf")


def integers_by_row(z: Floats) -> tuple[Any, Any]:
    """Rows in whole numbers, each times a power of two of its own."""
    parts = [integers(row) for row in z]
    return np.array([m for m, _ in parts], dtype=object).reshape(z.shape), [e for _, e in parts]


def _as_scaled_floats(w: list[int], exponents: npt.NDArray[np.int64]) -> tuple[Floats, int]:
    """w/2^top for scaled columns, its largest weight about one; and top."""
    sizes = [v.bit_length() + int(e) if v else -(1 << 40) for v, e in zip(w, exponents, strict=True)]
    top = max(sizes)
    out = np.zeros(len(w))
    for j, v in enumerate(w):
        if v and sizes[j] > top - 500:
            cut = max(0, abs(v).bit_length() - 64)
            out[j] = np.ldexp(float(v >> cut), cut + int(exponents[j]) - top)
    return out, top
