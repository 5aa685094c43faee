"""Data that are decided on other columns than their own: on fewer columns, on columns moved to zero; or on floats.

Data with no more rows than weights are decided on a few columns that span the others. Weights that separate on some
columns separate on all: where the rows are independent there, as they most often are, some w has response 1 on every
row, whatever the labels. A mixture of rows proves that nothing separates only if it vanishes in every column: columns
in which it does not vanish join, and the search goes on.

Columns far from zero, such as years, coordinates or numbers of accounts, are moved to zero without rounding. With an
intercept, taking c from a column is a change of variables: w stays, the bias takes −c·w. Where all of its values lie
within a factor of two, the differences are exact (Sterbenz 1974), and floats see what the offset hid. Of decimals the
whole numbers are moved; they stay in units of a power of ten.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial, reduce
from math import lcm
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats, Integers, Places
from rosenblatt.context import SILENT, Context, Unfinished
from rosenblatt.data.numbers import BINARY, ExactColumns, Rows, as_rows, power_of_ten
from rosenblatt.exact import distilled, null_space, primitive, rank
from rosenblatt.later import linalg
from rosenblatt.threads import aside, one_thread
from rosenblatt.verdicts.points import Points, nearest_float
from rosenblatt.verdicts.search.basis import Basis, by_pivots
from rosenblatt.verdicts.search.calculated import (
    ALIKE,
    Nearly,
    Remainders,
    near_relations,
    nearly_computable,
    without_calculated,
)
from rosenblatt.verdicts.search.fitting import Fitted
from rosenblatt.verdicts.search.mixture import WholeMixture, written_out
from rosenblatt.verdicts.search.peeling import Peeling
from rosenblatt.verdicts.search.search import Divided, Peeled, Proof, Search, Settled, TooWide, is_small, is_wide

__all__ = ["Compared", "Difference", "Moved", "centred", "in_own_units", "prove", "prove_on_clear_columns", "written"]

_SMALLEST_SKETCH = 64
_LARGEST = 1 << 26  # values of sparse rows when written out: half a gigabyte
_LARGEST_EXACT = 1 << 22  # values that are made whole numbers
_REPLACED = 4  # times that columns which are much alike are told apart: each sees six more digits
_FAR = 16.0  # a column this many times farther from zero than it is wide is moved

Kind = TypeVar("Kind", bound=Points)


def prove_on_clear_columns(points: Points, floats: bool = False) -> Proof:
    """The proof, found on columns that floats see better; no such change of columns changes a mixture.

    Columns in units of their own are taken in these units, calculated columns are replaced by what rounding left of
    them, and columns far from zero are moved to zero. With `floats`, large tables may be proved to overlap by verified
    floats alone (`Proof.fitted`); `written` makes the exact mixture of it.
    """
    plain = in_own_units(points)
    if plain is not None:
        return _before(plain[1], prove_on_clear_columns(plain[0], floats))
    # Where rows are no more than weights, every column can be computed from others: nothing was calculated.
    relations = None if is_wide(points) else near_relations(points)
    replaced = without_calculated(points, relations)
    try:
        proof = _centred_proof(points) if replaced is None else _before(replaced[1], _centred_proof(replaced[0]))
        proof.clear |= relations is None and not points.rows.sparse
    except Unfinished as why:
        points.context.check()
        proof = _on_unlike_columns(points, why)
    return proof if floats and not is_small(points) else written(proof)


def _centred_proof(points: Points) -> Proof:
    """The proof, found with columns moved to zero that are far from it."""
    moved = centred(points)
    return prove(points) if moved is None else _before(moved[1], prove(moved[0]))


def _before(change: "Moved | Remainders", proof: Proof) -> Proof:
    """The proof for the columns as they were before this change."""
    proof.w = change.weights(proof.w) if proof.w else proof.w
    proof.null, proof.clear = [change.weights(v) for v in proof.null], False
    return proof


def _on_unlike_columns(points: Points, why: Unfinished) -> Proof:
    """The proof, found with columns replaced by what others leave of them, again and again; or why there is none."""
    changes = []
    for _ in range(_REPLACED):
        replaced = None if is_wide(points) else without_calculated(points, near_relations(points, ALIKE))
        if replaced is None:
            break
        points, change = replaced
        changes.append(change)
    if not changes:
        raise why
    return reduce(lambda proof, change: _before(change, proof), reversed(changes), _centred_proof(points))


def written(proof: Proof, context: Context | None = None) -> Proof:
    """The same proof in exact arithmetic: λ in whole numbers, where floats have shown that there is one.

    Raises Unfinished with the reason where it cannot be written, or the context ends (None: that of its points).
    """
    if proof.fitted is None:
        return proof
    fitted = proof.fitted if context is None else proof.fitted._replace(points=proof.fitted.points.under(context))
    try:
        found = written_out(fitted)
    except Unfinished:
        fitted.points.context.check()
        if not is_small(fitted.points):
            raise
        found = _searched_for(fitted)
    return replace(proof, mixture=found.entries, base=found.base, witness=found.few, fitted=None)


def _searched_for(fitted: Fitted) -> WholeMixture:
    """The mixture of rows that overlap, found as if no fit had proved it: floats do not see how to write it out."""
    proof, number = Search(fitted.points, True).decide(), fitted.rows.tolist()
    entries, few = ({number[i]: m for i, m in lam.items()} for lam in (proof.mixture, proof.witness))
    return WholeMixture(entries, proof.base, few)


def prove(points: Points, spread: bool = False, pairs: Places | None = None) -> Proof:
    """The proof, for data of any shape; `spread` and `pairs` are those of `Search`."""
    try:
        return Search(points, spread, pairs, whole=False).prove()
    except TooWide:
        return _on_columns(points, pairs)
    except Peeled as found:
        return _on_core(points, found.peeling, pairs)
    except Settled as found:
        return found.proof
    except Divided as found:
        return _beside_plane(points, found)


def _on_core(points: Points, peeling: Peeling, pairs: Places | None) -> Proof:
    """The proof for all rows from that of the core: its rows are zero in the other columns; other rows are strict."""
    if not peeling.rows.size:
        return Proof("complete", peeling.weights(points, []), {})
    # z and −z have opposite signs in every column, so no column decided them: all pairs are still in the core
    pairs = None if pairs is None else np.searchsorted(peeling.rows, pairs)
    proof = _of_part(peeling.core(points), peeling.rows, pairs)
    return replace(proof, w=peeling.weights(points, proof.w), clear=False)


def _of_part(part: Points, rows: Places, pairs: Places | None = None) -> Proof:
    """The proof for the rows that are left, by their numbers in the whole, in which others are strict."""
    numbers = dict(enumerate(rows.tolist()))
    # rows that left may be all that kept a column from being calculated from others
    replaced = None if is_wide(part) else without_calculated(part, near_relations(part))
    try:
        proof = prove(part, True, pairs) if replaced is None else _before(replaced[1], prove(replaced[0], True, pairs))
    except Unfinished as why:
        raise Unfinished(str(why), {numbers[i]: m for i, m in why.witness.items()}) from None
    mixture, witness = ({numbers[i]: m for i, m in lam.items()} for lam in (proof.mixture, proof.witness))
    fitted = proof.fitted and proof.fitted._replace(rows=rows[proof.fitted.rows])
    kind = "complete" if proof.kind == "complete" else "quasi"
    return Proof(kind, proof.w, mixture, proof.base, witness, fitted)


def _beside_plane(points: Points, divided: Divided) -> Proof:
    """The proof for all rows from that of the plane's rows: the others are strict, however the plane is decided."""
    plane = divided.plane
    if not plane.size:
        return Proof("complete", divided.w, {})
    part = type(points)(points.rows.subset(plane), points.y[plane], points.bias, points.context)
    proof, w, bits = _of_part(part, plane), divided.w, 0
    strict = np.flatnonzero(points.signs(w))
    while proof.w and not (bits and np.all(points.signs(w, strict)[strict] > 0)):  # w outweighs what the plane needs
        bits = 2 * bits or 32
        w = [(a << bits) + b for a, b in zip(divided.w, proof.w, strict=True)]
    return replace(proof, w=w)


def _on_columns(points: Points, pairs: Places | None) -> Proof:
    """The proof, found on few columns; columns in which its mixture does not vanish join."""
    if points.rows.sparse and points.n * points.d > _LARGEST:
        raise Unfinished(
            f"least squares did not separate it, and {points.n} × {points.rows.p} values written out are too many"
        )
    basis = _of_all_rows(points)
    if basis is not None and basis.rows.size == points.n:
        return Proof("complete", basis.ahead(), {})
    columns = _spanning_columns(points) if basis is None else np.sort(basis.columns)
    columns = columns[columns < points.rows.p]
    while columns.size + points.bias <= points.n:
        search = Search(Points(points.rows.of_columns(columns), points.y, points.bias, points.context), True, pairs)
        proof = search.decide()  # not `prove`: what a limit leaves proved holds on these columns only
        if proof.w:
            # weights for all columns, zero where a column took no part; the bias, if any, stays last
            out = dict(zip([*columns.tolist(), points.d - 1], proof.w, strict=False))
            proof.w = [out.get(j, 0) for j in range(points.d)]
        residual = points.mixed(proof.mixture, proof.base, np.flatnonzero(search.closed))
        if not any(residual):
            if proof.witness and any(points.mixed(proof.witness)):  # it vanished in the chosen columns only
                proof.witness = {}
            return proof
        sizes = np.array([min(nearest_float(abs(v)), 1e300) for v in residual[: points.rows.p]])
        worst = np.argsort(-sizes, kind="stable")[: max(_SMALLEST_SKETCH, columns.size)]
        columns = np.union1d(columns, worst[sizes[worst] > 0])
    raise Unfinished(f"{points.n} rows in {points.rows.p} columns are too close to dependent for float arithmetic")


def _of_all_rows(points: Points) -> Basis | None:
    """A basis of what all rows span, exactly; None where there are too many values for that."""
    return Basis.of(points, np.arange(points.n)) if points.n * points.d <= _LARGEST_EXACT else None


def _spanning_columns(points: Points) -> Integers:
    """Columns that span all others as far as floats can tell: the pivots of random mixtures of the rows."""
    rng = np.random.default_rng(0)
    size = _SMALLEST_SKETCH
    while True:
        sketch = np.zeros((size, points.rows.p))
        for first, stop, block in points.blocks():
            signs = rng.choice([-1.0, 1.0], size=(size, stop - first))
            sketch += signs @ (block.toarray() if hasattr(block, "toarray") else block)[:, : points.rows.p]
        r, order = aside(partial(linalg.qr, sketch, mode="r", pivoting=True), points.context)
        diagonal = np.abs(np.diag(r))
        rank = int(np.count_nonzero(diagonal > 1e-9 * max(diagonal[0], 1e-300)))
        if rank < size or size >= points.n:
            return np.sort(order[:rank])
        size = min(points.n, 2 * size)


class Moved(NamedTuple):
    """A column x became (x − offset) / unit; with an offset there is a bias."""

    offsets: list[Fraction]
    units: list[Fraction]

    def sums(self, sums: list[Fraction]) -> list[Fraction]:
        """Σ y·(x, 1) of the columns that were moved, from that of the columns as they were."""
        columns, number = sums[: len(self.units)], sums[len(self.units) :]  # the last: how often offsets are subtracted
        taken = number[0] if any(self.offsets) else Fraction(0)
        moved = zip(columns, self.offsets, self.units, strict=True)
        return [*((s - c * taken) / unit for s, c, unit in moved), *number]

    def weights(self, w: list[int]) -> list[int]:
        """Weights for the columns as they were, from weights for those that were moved."""
        old = [v / unit for v, unit in zip(w, self.units, strict=False)] + [Fraction(v) for v in w[len(self.units) :]]
        if any(self.offsets):
            old[-1] -= sum((v * c for v, c in zip(old, self.offsets, strict=False)), Fraction(0))
        common = lcm(*(v.denominator for v in old))
        return primitive([int(v * common) for v in old])


def in_own_units(points: Kind) -> tuple[Kind, Moved] | None:
    """The points with columns in units of their own (`numbers/exact.py`) taken in these units; None: there are none."""
    exact = points.rows.exact
    if exact is None or not any(exact.powers[j] for j in exact.own):
        return None
    units = [Fraction(10) ** k if j in exact.own else Fraction(1) for j, k in enumerate(exact.powers)]
    powers = tuple(0 if j in exact.own else k for j, k in enumerate(exact.powers))
    # a shift stays: floats are then `own` in units of a power of two
    rows = points.rows.read_as(replace(exact, powers=powers, own=tuple(exact.shifts)))
    return type(points)(rows, points.y, points.bias, points.context), Moved([Fraction(0)] * len(units), units)


def centred(points: Kind) -> tuple[Kind, Moved] | None:
    """The points with far columns moved to zero, and by how much; None where no column is far."""
    if not points.bias or points.rows.sparse or not points.rows.p:
        return None
    X: npt.NDArray[np.floating] = points.rows.kernel.X
    exact = points.rows.exact or ExactColumns((BINARY,) * points.rows.p, (0,) * points.rows.p)
    low, high = X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)
    nearest = np.where(low > 0, low, np.where(high < 0, high, 0.0))
    with np.errstate(over="ignore"):  # a column as wide as float64 is not far from zero
        far = np.abs(nearest) > _FAR * (high - low)
    far[list(exact.shifts)] = False
    if not far.any():
        return None
    moved, lows = X.astype(np.float64), list[tuple[int, Floats]]()
    offsets, units = [Fraction(0)] * len(far), [Fraction(1)] * len(far)
    for j in np.flatnonzero(far).tolist():
        main, units[j] = moved[:, j], Fraction(10) ** exact.powers[j]
        if j in points.decimal_columns:
            main = np.rint(main * power_of_ten(-exact.powers[j]))
        first = float(main[np.argmin(np.abs(main))])
        main = main - first  # exact: see above
        main, *others = distilled([main, *(exact.low[:, at] for at in np.flatnonzero(np.array(exact.owner) == j))])
        lows += [(j, one) for one in others if one.any()]
        moved[:, j], offsets[j] = main, Fraction(first) * units[j]
    rows = as_rows(moved).read_as(exact.replaced(np.flatnonzero(far).tolist(), lows))
    return type(points)(rows, points.y, points.bias, points.context), Moved(offsets, units)


# ------------------------------------------------------------------------------------------------------------ differing
# Where a table read as floats differs from the same table read in decimals: in its rank, or in its verdict.
# For most tables both readings agree, and float arithmetic shows that cheaply. A decimal is within a factor 1 ± 2^-53
# of its float, so a result with room to spare cannot differ: columns whose singular values are far above that are
# independent in both readings; a w may have the floats on their side too; a mixture λ of the decimals misses zero by
# so little, in floats, that a small change of λ on a few independent rows makes up for it and leaves λ positive.
# Other tables are compared exactly, where that is affordable. Only what is proved is said: the vectors that vanish on
# all rows in decimals and the rank of the floats, or the floats' own verdict. Where nothing was compared, nothing is
# said.


_WIDEST = 500  # weights up to which readings are compared
_LARGEST_PROVED = 1 << 22  # values of all rows, up to which it is proved that a vector vanishes on them
_SMALL = 1 << 17  # values up to which the floats get a verdict of their own
_SECONDS = 1.0  # the least time that this verdict gets; it gets as long as the decimals' verdict took, if that is more
_MORE_THAN_ROUNDING = 1e-8  # a singular value of unit rows above this is not due to rounding
_SHOWN = 8  # names that are listed
_ROUNDS = 4  # in which rows that contradict a dependence may join the sample
_WORDS = {"complete": "completely separable", "quasi": "quasi-separable", "overlap": "overlapping"}


@dataclass(frozen=True)
class Difference:
    """What differs for the floats: the rank of the columns, or the kind of verdict, or both."""

    columns: list[int] = field(default_factory=list)  # columns that can be computed from others in decimals
    ranks: tuple[int, int] = (0, 0)  # the rank of the decimals, and a lower bound of the floats' rank
    d: int = 0  # the largest rank there can be
    kind: str = ""  # the kind of the floats' verdict, where it is another one

    def __bool__(self) -> bool:
        return bool(self.columns or self.kind)

    def sentence(self, names: Sequence[str]) -> str:
        """The difference in words, with the columns' names."""
        parts = [self._rank(names)] if self.columns else []
        parts += [f"as floats the classes would be {_WORDS[self.kind]}"] if self.kind else []
        return "; ".join(parts)

    def _rank(self, names: Sequence[str]) -> str:
        named = [str(names[j]) for j in self.columns]
        shown = ", ".join(named[:_SHOWN]) + (f" and {len(named) - _SHOWN} more" if len(named) > _SHOWN else "")
        decimals, floats = self.ranks
        least = floats if floats == self.d else f"at least {floats}"
        return f"{shown} can be computed from others: rank {decimals} in decimals, {least} in floats"


class Compared:
    """What is known of a table beside its verdict; of small tables it is worked out when it is first read.

    These rows are copied, so that it is about the rows that were decided, whatever becomes of the caller's. Pickled, it
    is worked out.
    """

    def __init__(self, points: Points, given: Rows, names: list[str], proof: Proof | None, seconds: float) -> None:
        """`given` are the points' rows as they were read; a verdict without a `proof` was not found in `seconds`."""
        self._names, self._proof, self._seconds, self._given, self._points = names, proof, seconds, given, points
        nothing = proof is not None and proof.clear and not points.differ
        if nothing or points.n * points.d > _SMALL:  # no copy is made of large tables, and nothing of the rows is kept
            self.__dict__ = self.__getstate__()
            return
        every = np.arange(points.n)  # a slice would not be a copy
        self._given = given.subset(every)
        self._points = points.under(SILENT).on(self._given if points.rows is given else points.rows.subset(every))

    @cached_property
    def difference(self) -> Difference | None:
        """What would differ if decimals were read as floats, where that is known."""
        if self._proof is None:
            return None
        with one_thread():
            return _as_floats_differ(self._points, self._proof, self._seconds) or None

    @cached_property
    def nearly(self) -> Nearly | None:
        """Columns that can be computed from others to 10 digits, though not exactly."""
        if self._proof is not None and self._proof.clear:
            return None
        with one_thread():
            return nearly_computable(self._points, self._names, self._given)

    def __getstate__(self) -> dict[str, Any]:
        return {"difference": self.difference, "nearly": self.nearly}


def _as_floats_differ(points: Points, proof: Proof, seconds: float) -> Difference:
    """What differs for the floats; an empty difference where nothing differs, or nothing was compared."""
    if not points.differ or not points.metric or points.d > _WIDEST:
        return Difference()
    sample = _sampled_rows(points, np.arange(points.n))
    found = Difference() if _decided_by_floats(points, sample)[1] else _ranks(points, sample)
    if not _same_kind(points, proof) and points.n * points.d <= _SMALL:
        return replace(found, kind=_other_kind(points.within(max(_SECONDS, seconds)), proof))
    return found


def _sampled_rows(points: Points, rows: Places) -> Places:
    """A random sample of the rows: 50 more than twice the number of weights."""
    size = 2 * points.d + 50
    return rows if rows.size <= size else np.sort(np.random.default_rng(0).choice(rows, size, replace=False))


def _decided_by_floats(points: Points, rows: Places) -> tuple[int, bool]:
    """The rank of some rows as floats see it, and whether that leaves no dependence of decimal columns in doubt."""
    values, V = np.linalg.svd(np.linalg.qr(points.unit_rows(rows), mode="r"), full_matrices=True)[1:]
    r = int(np.count_nonzero(values > _MORE_THAN_ROUNDING * max(values.max(initial=0.0), 1e-300)))
    return r, not np.any(np.abs(V[r:, points.decimal_columns]) > _MORE_THAN_ROUNDING)


# -- the rank


def _ranks(points: Points, sample: Places) -> Difference:
    """The columns that can be computed from others in decimals, if the floats have a larger rank."""
    floats = points.as_floats()
    above = rank(floats.whole(sample).rows)
    null = _vanishing(points, sample, above)
    if points.d - len(null) >= above:
        return Difference()
    lost = [v for v in null if np.any(floats.signs(v, sample)[sample])]
    columns = [j for j in range(points.rows.p) if any(v[j] for v in lost)]
    return Difference(columns, (points.d - len(null), above), points.d)


def _vanishing(points: Points, sample: Places, above: int) -> list[list[int]]:
    """Independent v with z·v = 0 on every row, so many that the rank is below `above`; empty where that fails."""
    for _ in range(_ROUNDS):
        whole = points.whole(sample)
        if rank(whole.rows) >= above or points.n * points.d > _LARGEST_PROVED:
            break
        null = [whole.weights(v) for v in null_space(whole.rows, points.d)]
        astray = np.concatenate([np.flatnonzero(points.signs(v))[: points.d] for v in null])
        if not astray.size:
            return null
        sample = np.union1d(sample, astray)
    return []


# -- the verdict


def _same_kind(points: Points, proof: Proof) -> bool:
    """Whether the floats' verdict is sure to be of the same kind; False where float arithmetic cannot tell."""
    if proof.kind == "complete":
        return bool(np.all(points.as_floats().signs(proof.w) > 0))
    if proof.fitted is not None and not proof.w:  # the bounds hold for the floats too
        return True
    if not points.modest or any(proof.w[j] for j in points.decimal_columns if proof.w):
        return False
    rows = np.array(sorted(proof.mixture), dtype=np.int64)
    plane = points.plane(proof.w or None) if proof.base else rows[:0]
    rows = np.union1d(rows, _sampled_rows(points, plane)) if proof.base else rows
    r, decided = _decided_by_floats(points, rows)
    if not decided:
        return False
    basis = rows[by_pivots(points.unit_rows(rows).T, points.context)[:r]]
    smallest = float(np.linalg.svd(points.unit_rows(basis), compute_uv=False)[-1])
    total = proof.base * plane.size + sum(proof.mixture.values())
    shares = np.array([float(Fraction(proof.base + proof.mixture.get(int(i), 0), total)) for i in basis])
    off = 2.0**-53 * np.sqrt(points.d)  # Σ λ z of the floats, for Σ λ = 1 and columns of size one
    return bool(np.all(4 * off < smallest * shares * points.lengths[basis]))


def _other_kind(points: Points, proof: Proof) -> str:
    """The kind of the floats' own verdict, if it differs and is found in time; otherwise ""."""
    try:
        other = prove_on_clear_columns(points.as_floats())
    except Unfinished:
        return ""
    return "" if other.kind == proof.kind else other.kind
