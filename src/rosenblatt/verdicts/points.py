"""The vectors z = y·(x, 1) of all rows: scanned in floats, and made whole numbers where a row matters.

Columns are scaled by powers of two and rows to length one, which changes no side of any hyperplane and keeps floats in
range. Data are never copied: scans go over pieces.

A column may be read in decimals (`decimals`): its values are then m/10^k and not the floats beside them. Scans use the
floats, whose error bound knows the difference; what is exact uses m. Weights and sums are always in the table's units.
"""

from collections.abc import Iterator
from copy import copy
from fractions import Fraction
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from rosenblatt.data.rows import Rows, pieces
from rosenblatt.exact import integers
from rosenblatt.exact.dyadic import mantissas
from rosenblatt.exact.linear import primitive
from rosenblatt.exact.sums import combine, response_signs
from rosenblatt.theory import Extremes
from rosenblatt.verdicts.decimals import Powers
from rosenblatt.verdicts.threads import in_threads

__all__ = ["Points", "Weighed", "Whole", "nearest_float"]

_MODEST = 400  # exponents of columns up to which scaled weights and their products stay far inside float64
_SHORTEST = 1e-140  # lengths whose squares float64 holds
_NEAR = 1 << 17  # values that stay near the processor while they are worked on
_BLOCK = 1 << 20  # values handed to exact arithmetic at a time

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]


class Whole:
    """z of some rows as whole numbers: z_j = rows_j · units_j, with a unit for each column, 2^e_j / 10^k_j."""

    def __init__(self, exact: Floats, tens: list[int]) -> None:
        """`exact` is z with each column times its power of ten, `tens`."""
        m, e = mantissas(exact)
        lowest = np.min(e, axis=0, initial=5000)
        self._exponents = [0 if unit == 5000 else int(unit) for unit in lowest]
        self._tens = tens
        shift = np.where(m == 0, 0, e - lowest)
        self.rows: list[list[int]] = (m.astype(object) << shift.astype(object)).tolist()

    @property
    def units(self) -> list[Fraction]:
        """Of each column."""
        return [Fraction(2) ** e / ten for e, ten in zip(self._exponents, self._tens, strict=True)]

    def weights(self, v: list[int]) -> list[int]:
        """Whole-numbered weights w along v, which is in these units: the signs of z·w are those of rows·v."""
        top = max(self._exponents, default=0)
        return primitive([a * ten << (top - e) for a, e, ten in zip(v, self._exponents, self._tens, strict=True)])

    def in_units(self, w: list[int]) -> list[int]:
        """Whole-numbered weights in these units, times a common factor."""
        low, high = min(self._exponents, default=0), max(self._tens, default=1)
        v = [a * (high // ten) << (e - low) for a, e, ten in zip(w, self._exponents, self._tens, strict=True)]
        return primitive(v) if high > 1 else v


class Weighed(NamedTuple):
    """How a claim stands to rows: all of them, or a shard's."""

    lowest: int  # sign of z·w
    highest: int
    plane: int  # rows with z·w = 0; all of them, where there is no w
    positive: bool  # λ lies on rows of the plane, and is positive wherever it is there
    vanishing: bool  # the vectors of null are 0 on the plane
    residual: list[Fraction]  # Σ λ z


class Points:
    """z of all rows; `lengths` are theirs after the columns are scaled.

    `decimals` are the columns' powers of ten (see there), which the values must fit; None: they are the floats.
    """

    def __init__(self, rows: Rows, y: npt.NDArray[np.int8], bias: bool, decimals: Powers | None = None) -> None:
        self.rows, self.y, self.bias = rows, y, bool(bias)
        self.n, self.d = rows.n, rows.p + bias
        self._take_as(decimals)
        self.exponents = self._column_exponents()
        self.modest = bool(np.all(np.abs(self.exponents) <= _MODEST))
        self.lengths = np.ones(self.n)
        self._matrix = self._scaled_csr() if rows.sparse else None
        self.gram: Floats | None = None  # Σ a aᵀ over the unit rows a, where they are dense and more than d
        self.total = np.zeros(self.d)  # Σ a
        if self._matrix is None:
            self._measure()
        else:
            self.total += self._matrix.sum(axis=0)

    def _take_as(self, decimals: Powers | None) -> None:
        self.decimals = decimals
        self.tens = [10 ** (k or 0) for k in decimals or [0] * self.rows.p] + [1] * self.bias
        self._ten = max(self.tens, default=1)  # makes all of z whole, but for powers of two
        self._decimal = np.flatnonzero([ten > 1 for ten in self.tens])

    def read_as(self, decimals: Powers | None) -> Self:
        """The same rows, read in such decimals; None: as the floats they are."""
        other = copy(self)
        other._take_as(decimals)
        return other

    def _measure(self) -> None:
        """One pass for the lengths and for the sums that least squares needs."""
        wanted = self.n >= self.d

        def look(piece: tuple[int, int]) -> tuple[Floats, Floats | None]:
            block = self._scaled(slice(*piece))
            lengths = np.sqrt(np.einsum("ij,ij->i", block, block))
            lengths[lengths < _SHORTEST] = 1.0  # nothing is believed of what squares cannot measure
            self.lengths[slice(*piece)] = lengths
            block /= lengths[:, None]
            return block.sum(axis=0), block.T @ block if wanted else None

        self.gram = np.zeros((self.d, self.d)) if wanted else None
        for total, gram in in_threads(look, pieces(self.n, 4 * self.d)):
            self.total += total
            if self.gram is not None and gram is not None:
                self.gram += gram

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
        """z of some rows in floats: for decimals, the floats beside them."""
        return self._z(rows, np.ones(self.d))

    def exact(self, rows: Any) -> Floats:
        """z of some rows, each column times its power of ten (`tens`): exactly that, in floats."""
        z = self.floats(rows)
        if self._decimal.size:
            z[:, self._decimal] = np.rint(z[:, self._decimal] * np.array(self.tens, dtype=np.float64)[self._decimal])
        return z

    def _for_exact(self, w: list[int]) -> list[int]:
        """Weights for `exact` rows: z·w times the largest power of ten."""
        return [v * (self._ten // ten) for v, ten in zip(w, self.tens, strict=True)]

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

    def respond(self, u: Floats) -> Floats:
        """The unit rows times u."""
        if self._matrix is not None:
            return np.asarray(self._matrix @ u)
        if self.modest:
            s = self.rows.respond(np.ldexp(u, -self.exponents))
            s *= self.y
            s /= self.lengths
            return s
        return np.concatenate([block @ u for _, _, block in self.blocks()])

    def whole(self, rows: Any) -> Whole:
        """Some rows as whole numbers."""
        return Whole(self.exact(rows), self.tens)

    def integers(self, rows: Any) -> tuple[list[list[int]], Fraction]:
        """Some rows as whole numbers that have one unit in common, and that unit."""
        m, e = integers(self.exact(rows))
        return self._whole(m).tolist(), Fraction(2) ** e / self._ten

    def integers_by_row(self, rows: Any) -> tuple[Any, list[Fraction]]:
        """Some rows in whole numbers, and the unit of each row."""
        z = self.exact(rows)
        parts = [integers(row) for row in z]
        m = np.array([m for m, _ in parts], dtype=object).reshape(z.shape)
        return self._whole(m), [Fraction(2) ** e / self._ten for _, e in parts]

    def _whole(self, m: Any) -> Any:
        """Whole numbers of `exact` rows, all columns times the same power of ten."""
        return m * np.array(self._for_exact([1] * self.d), dtype=object) if self._decimal.size else m

    def whole_weights(self, u: Floats, bits: int) -> list[int]:
        """Weights for scaled columns as whole numbers for the columns as they are, the largest rounded to `bits`."""
        largest = float(np.max(np.abs(u), initial=0.0))
        if not np.isfinite(largest) or largest == 0:
            return [0] * self.d
        # decimals are whole numbers times a power of ten: rounded for those, weights stay short
        sizes = [(ten - 1).bit_length() for ten in self.tens]
        u = u * [(1 << size) / ten for size, ten in zip(sizes, self.tens, strict=True)]
        m, e = mantissas(np.rint(u * (2.0**bits / largest)))
        shifts = np.where(m == 0, 0, e - self.exponents - sizes)
        lowest = int(shifts[m != 0].min(initial=0))
        return [int(a) * ten << int(s - lowest) if a else 0 for a, s, ten in zip(m, shifts, self.tens, strict=True)]

    def sums(self, rows: Places) -> list[Fraction]:
        """Σ z over some rows, exactly."""
        cuts = np.array_split(rows, 1 + rows.size * self.d // _NEAR)
        parts = list(in_threads(lambda some: combine(None, self.exact(some)), cuts))
        return [sum(column, Fraction(0)) / ten for column, ten in zip(zip(*parts, strict=True), self.tens, strict=True)]

    def mixed(self, mixture: dict[int, int], base: int = 0, plane: Places | None = None) -> list[Fraction]:
        """Σ λ z exactly, λ being the mixture's entries, and `base` more on every row of the plane."""
        parts = combine(list(mixture.values()), self.exact(list(mixture)))
        total = [part / ten for part, ten in zip(parts, self.tens, strict=True)]
        if not base or plane is None:
            return total
        return [t + base * s for t, s in zip(total, self.sums(plane), strict=True)]

    def weigh(self, w: list[int] | None, mixture: dict[int, int], base: int | None, null: list[list[int]]) -> Weighed:
        """Look at every row as the checker would; `base` None: λ is the mixture's entries alone."""
        signs = np.zeros(self.n, dtype=np.int8) if w is None else self.signs(w)
        lowest, highest, plane = int(signs.min()), int(signs.max()), np.flatnonzero(signs == 0)
        on_plane = bool(np.isin(np.array(list(mixture), dtype=np.int64), plane).all())
        positive = all(m + (base or 0) > 0 for m in mixture.values())
        if base is not None and base <= 0:
            positive = positive and len(mixture) == plane.size
        vanishing = not any(np.any(self.signs(v, plane)[plane]) for v in null)
        residual = self.mixed(mixture, base or 0, plane) if on_plane else []
        return Weighed(lowest, highest, plane.size, on_plane and positive, vanishing, residual)

    def signs(self, w: list[int], rows: Places | None = None) -> npt.NDArray[np.int8]:
        """The exact signs of z·w for whole-numbered w, of all rows or of some; 0 for others."""
        if not any(w):
            return np.zeros(self.n, dtype=np.int8)
        s, doubt, _ = self._rough(w)
        out = (s > doubt).astype(np.int8) - (s < -doubt)
        close = np.abs(s, out=s) <= doubt
        unsure = np.flatnonzero(close) if rows is None else rows[close[rows]]
        w = self._for_exact(w)
        longest = max((abs(v).bit_length() for v in w), default=0)
        for some in np.array_split(unsure, 1 + unsure.size * (self.d + longest // 16) // _BLOCK):
            out[some] = response_signs(self.exact(some), w)
        return out

    def radius_sq(self) -> Fraction:
        """max ‖z‖², exactly; of decimals and of the floats beside them the larger, so that it bounds both."""
        lengths = Extremes(self.rows, self.y, [0] * self.d, self.bias)
        if not self._decimal.size:
            return lengths.epsilon()
        return max(lengths.epsilon(), *(max(self._lengths_sq(some)) for some in lengths.longest()))

    def _lengths_sq(self, rows: Places) -> list[Fraction]:
        m, units = self.integers_by_row(rows)
        return [int(q) * unit**2 for q, unit in zip((m * m).sum(axis=1), units, strict=True)]

    def smallest_responses(self, w: list[int]) -> list[Fraction]:
        """min z·w of each class that is there, the positive one first.

        Exact where few rows come near it, otherwise a number just below it.
        """
        s, doubt, unit = self._rough(w)
        low, high = (s - doubt) * self.lengths, (s + doubt) * self.lengths
        found = []
        for rows in (np.flatnonzero(self.y == sign) for sign in (1, -1)):
            near = rows[low[rows] <= high[rows].min(initial=np.inf)] if self.modest else rows
            if near.size * self.d > _BLOCK and self.modest:
                least = float(low[rows].min())
                found.append(Fraction(float(np.nextafter(least - abs(least) * 2.0**-50, -np.inf))) * unit)
            elif near.size:
                found.append(min(self.values(w, near)))
        return found

    def least_for_both(self, w: list[int], least: Fraction) -> Fraction:
        """The smaller of z·w ≥ least of these rows, and of the floats beside their decimals."""
        return min(least, *self.read_as(None).smallest_responses(w)) if self._decimal.size else least

    def below(self, w: list[int], bound: Fraction, most: int) -> Places:
        """Up to so many rows with z·w < bound, bound ≥ 0; exact, and about the worst of them."""
        s, doubt, unit = self._rough(w)
        low, high = (s - doubt) * self.lengths * (1 - 2.0**-50), (s + doubt) * self.lengths * (1 + 2.0**-50)
        target = nearest_float(bound / unit)
        above, under = low > target * (1 + 2.0**-50), high < target * (1 - 2.0**-50)
        if not self.modest:
            above[:] = under[:] = False
        found = np.flatnonzero(under)
        found = found[np.argsort(low[found], kind="stable")][:most]
        unsure = np.flatnonzero(~(above | under))
        unsure = unsure[np.argsort(low[unsure], kind="stable")]
        for some in np.array_split(unsure, 1 + unsure.size * self.d // _BLOCK):
            if found.size >= most:
                break
            values = self.values(w, some)
            found = np.append(found, [i for i, value in zip(some, values, strict=True) if value < bound])
        return found[:most].astype(np.int64)

    def at_least(self, w: list[int], bound: Fraction) -> bool:
        """Whether z·w ≥ bound ≥ 0 on every row: floats decide where their error bound allows it."""
        return not self.below(w, bound, 1).size

    def _rough(self, w: list[int]) -> tuple[Floats, float, Fraction]:
        """Responses of the unit rows to w/unit, a bound on their error, and that unit."""
        scaled, top = _as_scaled_floats(w, self.exponents)
        # a decimal is within one rounding of its float: that is one of the 20
        doubt = 4 * (self.d + 20) * 2.0**-53 * float(np.sqrt(scaled @ scaled)) + self.d * 1e-300
        return self.respond(scaled), doubt, Fraction(2) ** top

    def values(self, w: list[int], rows: Places) -> list[Fraction]:
        """z·w of some rows, exactly."""
        if not rows.size:
            return []
        m, units = self.integers_by_row(rows)
        totals = m @ np.array(w, dtype=object)
        return [int(t) * unit for t, unit in zip(totals, units, strict=True)]


def nearest_float(q: Fraction) -> float:
    """The float nearest to q, which may be infinite."""
    try:
        return float(q)
    except OverflowError:
        return float("inf") if q > 0 else float("-inf")


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
