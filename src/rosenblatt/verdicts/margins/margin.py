"""Two margins, each in an interval that is proved; where there is none, a point at which the hulls meet.

    the theorem's margin   γ* = max min z·w/‖w‖, the bias counted in ‖w‖: the distance from 0 to the hull of the z
    the street             max min z·w/‖w‖ with ‖w‖ without the bias: half the distance of the classes' hulls

Both are 1/‖u‖ for the shortest u with z·u ≥ 1 on every row; they differ in whether ‖u‖ counts the bias. Floats find u
and the multipliers μ with u = Σ μ z (`Shortest`). Where a gap is too thin for floats, exact arithmetic goes on from
there (`active_set`).

However u was found, any separating w proves a lower end and any λ an upper one, in exact arithmetic.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import lcm
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arrays import Floats, Places, Signs
from rosenblatt.context import Context, Unfinished
from rosenblatt.exact import integers, length_sq, primitive
from rosenblatt.later import linalg
from rosenblatt.theory import sqrt_above
from rosenblatt.threads import aside
from rosenblatt.verdicts.certificates import Interval
from rosenblatt.verdicts.margins.active_set import ActiveRows, shortest_weights
from rosenblatt.verdicts.points import Points

__all__ = [
    "Margin",
    "Margins",
    "Meeting",
    "Shortest",
    "Unproved",
    "Weights",
    "all_rows",
    "both_margins",
    "meeting_of",
    "widest_margin",
]

# ------------------------------------------------------------------------------------------------------- the shortest u
# The shortest weights u with z·u ≥ 1 on every row, and multipliers that prove it, as far as floats can tell. Few rows
# take part (`active_set`), all are scanned with u, and those that come nearest join. Where there are fewer rows than
# weights, their triangular factor takes their place: it has the same products.
#
# min ‖Σ μ z‖²/2 − Σ μ over μ ≥ 0 is also found by block principal pivoting (Júdice & Pires 1994) on the Gram matrix of
# few rows: rows whose multiplier is negative leave, rows whose response is below 1 come in, all at once. A street has
# one equation more, Σ μ y = 0, whose multiplier is the bias.


_ROUNDS = 60
_MOST_STEPS = 100  # for each weight: a search that needs more goes in circles
_EXCHANGES = 30  # of all wrong rows
_PATIENCE = 3  # exchanges of all although no fewer are wrong
_SLACK = 1e-9
_EASE = 1e-12  # a response this much below 1 counts as 1


class Weights(NamedTuple):
    """`u`, and `rows` with their multipliers; `ended` says why the search ended early, "" if it did not."""

    u: Floats
    rows: Places
    multipliers: Floats
    ended: str = ""

    @property
    def finite(self) -> bool:
        """Whether there are rows, and all numbers are finite."""
        return bool(self.rows.size and np.isfinite(self.u).all() and np.isfinite(self.multipliers).all())

    @property
    def mixture(self) -> dict[int, Fraction]:
        """The multipliers as fractions."""
        return dict(zip(self.rows.tolist(), map(Fraction, self.multipliers.tolist()), strict=True))


class Shortest:
    """The search for the theorem's margin, or for the `street`, whose bias does not count in the length of u.

    For a street the origin is moved between the classes; that changes nothing, as Σ μ y = 0.
    """

    def __init__(self, points: Points, street: bool) -> None:
        self.points, self.street = points, street
        self.size = 2 * points.d + 10  # rows that join in a round; of a street, half of each class
        self.chosen = np.empty(0, dtype=np.int64)
        self._active: ActiveRows
        self._middle, self._scale, self._side = np.zeros(points.d), 1.0, 0.0

    def find(self, w: Floats, guess: Places) -> Weights | None:
        """The search from separating weights w, and rows that may touch the margin; None where floats overflow."""
        k = self.size // 2 if self.street else self.size
        rows = self.points.nearest(np.ldexp(w, self.points.exponents), k, self.street)[0]
        wide = self.points.n < self.points.d
        if not self._begin(np.arange(self.points.n) if wide else np.union1d(rows, guess), guess, wide):
            return None
        for _ in range(_ROUNDS):
            ended = self._settle()
            v = self._weights()
            if not np.isfinite(v).all() or not v.any():
                return None
            fresh = self._nearer(v, k)
            if ended or wide or not fresh.size:
                return self._found(v, ended)
            self.chosen = np.concatenate([self.chosen, fresh])
            self._active.join(self._seen(fresh) / self._scale, self.points.y[fresh].astype(np.float64))
        return self._found(v, "more and more rows came near it")

    def _begin(self, rows: Places, guess: Places, wide: bool) -> bool:
        """Let rows take part, and make the guessed ones active; otherwise one row, or one of each class."""
        y = self.points.y[rows]
        if self.street:
            X = self.points.floats(rows)[:, :-1] * y[:, None]
            middle = (X[y > 0].mean(axis=0) + X[y < 0].mean(axis=0)) / 2
            self._middle = np.append(middle, 0.0)
            self._side = max(float(np.sqrt(np.mean(np.sum((X - middle) ** 2, axis=1)))), 1e-300)
        self.chosen, seen = rows, self._seen(rows)
        self._scale = max(float(np.max(np.abs(seen), initial=0.0)), 1e-300)
        seen /= self._scale
        self._active = ActiveRows(self._turned(seen) if wide else seen, y.astype(np.float64), self.street)
        first = np.unique(y, return_index=True)[1] if self.street else np.zeros(1, dtype=np.int64)
        return self._active.begin(np.flatnonzero(np.isin(rows, guess))) or self._active.begin(first)

    def _turned(self, seen: Floats) -> Floats:
        """Few long rows in coordinates of their span: as many coordinates as rows."""
        R = aside(lambda: linalg.qr(seen.T, mode="r")[0], self.points.context)
        return np.ascontiguousarray(R[: len(seen)].T)

    def _seen(self, rows: Places) -> Floats:
        """z of some rows; for a street seen from its middle, with a bias about as long as the rows."""
        Z, y = self.points.floats(rows), self.points.y[rows]
        if self.street:
            Z -= y[:, None] * self._middle
            Z[:, -1] = y * self._side
        return Z

    def _settle(self) -> str:
        """Solve for the rows that take part. Returns why that ended early; "" where it did not."""
        ended = self._active.settle(_MOST_STEPS * (self._active.u.size + 10), self._late)
        if not ended:
            self._active.refine()
        return ended

    def _late(self) -> bool:
        return self.points.context.left == 0.0

    def _weights(self) -> Floats:
        """The weights and the bias for the rows as they are."""
        active = self._active
        whole = active.u.size == self.points.d
        u = active.u if whole else self._seen(self.chosen[active.rows]).T @ active.mu / self._scale
        u = u / self._scale
        if self.street:
            u[-1] = active.bias - self._middle[:-1] @ u[:-1]
        return np.asarray(u)

    def _nearer(self, v: Floats, k: int) -> Places:
        """Rows with a response below 1 that do not take part yet."""
        scaled = np.ldexp(v, self.points.exponents)
        rows, values = self.points.nearest(scaled, k, self.street)
        rounding = 2.0**-50 * float(np.abs(scaled).sum())
        return np.setdiff1d(rows[values < 1 - _EASE - rounding], self.chosen)

    def _found(self, v: Floats, ended: str) -> Weights:
        rows, mu = self.chosen[self._active.rows], self._active.mu
        kept = mu > 0
        return Weights(v, rows[kept], mu[kept], ended)


# -- fewer rows than weights: most of them take part, so all are active at first


def all_rows(points: Points, street: bool) -> Weights | None:
    """The weights, and rows with their multipliers; None where that fails. Raises Unfinished where time is over."""
    return aside(partial(_all_rows, points, street), points.context)


@np.errstate(all="ignore")
def _all_rows(points: Points, street: bool) -> Weights | None:
    n = points.n
    Z, y = points.floats(np.arange(n)), points.y.astype(np.float64)
    if street:  # as Σ μ y = 0, the origin may be moved: between the classes, rounding errors are smallest
        X = Z * y[:, None]
        Z -= y[:, None] * ((X[y > 0].mean(axis=0) + X[y < 0].mean(axis=0)) / 2)
        Z[:, -1] = 0.0
    gram = Z @ Z.T
    gram.flat[:: n + 1] *= 1 + 1e-13
    mu = _multipliers(gram, y * np.sqrt(np.trace(gram) / n), street, points.context)
    if mu is None:
        return None
    rows = np.flatnonzero(mu > 0)
    return Weights(Z[rows].T @ mu[rows], rows, mu[rows])


def _multipliers(gram: Floats, side: Floats, street: bool, context: Context) -> Floats | None:
    n = len(gram)
    active, mu = np.ones(n, dtype=bool), np.zeros(n)
    fewest, patience = n + 1, _PATIENCE
    for _ in range(_EXCHANGES):
        context.check()
        mu[:] = 0.0
        try:
            mu[active], bias = _equations(gram[np.ix_(active, active)], side[active], street)
        except np.linalg.LinAlgError:
            return None
        wrong = np.where(active, mu < 0, gram @ mu + side * bias < 1 - _SLACK)
        count = int(np.count_nonzero(wrong))
        if not count:
            return mu
        if count < fewest:
            fewest, patience = count, _PATIENCE
        elif patience:
            patience -= 1
        else:  # to exchange all wrong rows may cycle; to exchange the last one cannot
            wrong[: np.flatnonzero(wrong)[-1]] = False
        active ^= wrong
    return None


def _equations(gram: Floats, side: Floats, street: bool) -> tuple[Floats, float]:
    """The multipliers and the bias of active rows, on all of which the response is 1."""
    k = len(gram)
    if not street:
        return np.asarray(np.linalg.solve(gram, np.ones(k))), 0.0
    system = np.block([[gram, side[:, None]], [side[None, :], np.zeros((1, 1))]])
    found = np.linalg.solve(system, np.append(np.ones(k), 0.0))
    return found[:-1], float(found[-1])


# ---------------------------------------------------------------------------------------------------------- two margins


_LARGEST = 1 << 25  # values of the rows that may take part, written out: a quarter of a gigabyte
_DRAWN, _DRAWN_ROWS = 4, 500  # weights and rows up to which the optimum itself is found: points that are drawn
_LARGEST_EXACT = 128  # weights up to which exact arithmetic is tried
_MOST_WORK = 10**8  # cubes of the sizes of exact systems of equations, added up: about ten seconds
_BITS = 64  # significant bits of the ends
_FINE = Fraction(1, 10**8)  # an interval this narrow, relative to its upper end, is not made narrower
_NARROW = Fraction(1, 10**6)  # a wider interval is given with the reason
_NONE: Places = np.empty(0, dtype=np.int64)
_TIED = "the gap is thin, and so many rows come near it that not all of them were looked at exactly"


class Unproved(Unfinished):
    """No interval could be proved; the message says why."""


@dataclass(frozen=True)
class Margin(Interval):
    """An interval that is proved: z·w ≥ δ on every row."""

    delta: Fraction
    limit: str = ""  # why the interval is wide; "" where it is not

    @property
    def ends(self) -> tuple[float, float]:
        """The interval in floats, rounded outward."""
        return _float_down(self.lower), -_float_down(-self.upper)

    def within(self, part: Fraction) -> bool:
        """Whether the interval is no wider than this fraction of its upper end."""
        return self.upper - self.lower <= part * self.upper

    def of_all(self, delta: Fraction) -> "Margin":
        """The same interval for more rows, on all of which z·w ≥ δ; its lower end may be lower."""
        return replace(
            self, delta=delta, lower=min(self.lower, _just_below(delta / sqrt_above(Fraction(self.length_sq))))
        )

    def entry(self) -> dict[str, Any]:
        """The certificate's `margin` or `street`."""
        ends = {"lower": self.lower, "upper": self.upper}
        written: dict[str, Any] = {"w": [hex(v) for v in self.w]} if self.street else {}
        written |= {name: f"{hex(q.numerator)}/{hex(q.denominator)}" for name, q in ends.items()}
        return {**written, "lambda": {str(i): hex(m) for i, m in sorted(self.mixture.items())}}


def widest_margin(points: Points, w: list[int], street: bool, guess: Places = _NONE) -> Margin:
    """The theorem's margin or the street of separable data, from a separating w. Raises `Unproved`.

    A street needs two classes and a bias. `guess` are rows that may touch the margin: a good guess shortens the search.
    """
    return _Sought(points, street, guess).find(w)


class Margins(NamedTuple):
    """Both margins, if they were found; `limits` says why "margin" or "street" is missing or wide."""

    theorem: Margin | None
    street: Margin | None
    limits: dict[str, str]


def both_margins(
    seek: Callable[[list[int], bool, Places], Margin], w: list[int], bias: bool, two_classes: bool
) -> Margins:
    """The theorem's margin and the street, by `seek(w, street, guess)`; without a bias they are the same one."""
    found, limits, guess = dict[str, Margin](), dict[str, str](), _NONE
    for name in ("margin", "street") if bias and two_classes else ("margin",):
        try:
            one = found[name] = seek(w, name == "street", guess)
        except Unproved as why:
            limits[name] = str(why)
            continue
        w, guess = one.w, np.array(sorted(one.mixture))  # most rows that touch one margin touch the other
        if one.limit:
            limits[name] = one.limit
    if bias and not two_classes:
        limits["street"] = "a street lies between two classes, and there is only one"
    return Margins(found.get("margin"), found.get("street"), limits)


class _Sought:
    """The search for one of the two margins."""

    def __init__(self, points: Points, street: bool, guess: Places) -> None:
        self.points, self.street, self.guess = points, street, guess
        self.work = 0  # cubes of the sizes of exact systems solved so far

    def find(self, w: list[int]) -> Margin:
        """The narrowest interval that can be proved; at worst w itself and the nearest rows prove a wide one."""
        seen, why = self._by_floats(w)
        found = None if seen is None else self._prove([int(v) for v in integers(seen.u)[0]], seen.mixture, 60)
        drawn = self.points.d <= _DRAWN and self.points.n <= _DRAWN_ROWS  # where a person sees that 0.9999999 is 1
        if found is not None and found.within(_FINE) and not drawn:
            return found
        if not why:
            try:
                exact = self._exactly(w, seen)
                return exact if exact.within(_NARROW) else replace(exact, limit=_TIED)
            except Unfinished as reason:
                why = str(reason)
        mixtures = [self._simplest(w)] if seen is None else [seen.mixture, self._simplest(w)]
        all_found = [one for one in (found, *(self._prove(w, lam, 60) for lam in mixtures)) if one is not None]
        if not all_found:
            raise Unproved(_TIED)
        best = max(all_found, key=lambda one: one.lower / one.upper)
        return best if best.within(_NARROW) else replace(best, limit=why)

    # -- floats

    def _by_floats(self, w: list[int]) -> tuple[Weights | None, str]:
        """Weights and multipliers by float arithmetic, and why the search ended early; "" where it did not."""
        points = self.points
        if min(points.n, 2 * points.d) * points.d > _LARGEST:
            return None, f"the rows that may touch it, {points.d} weights long, are too many to be written out"
        try:
            points.context.check()
            seen = all_rows(points, self.street) if points.n < points.d else None
            with np.errstate(all="ignore"):
                if seen is None or not seen.finite:
                    seen = Shortest(points, self.street).find(_as_floats(w), self.guess)
        except Unfinished as late:
            return None, str(late)
        return (seen, seen.ended) if seen is not None and seen.finite else (None, "")

    def _simplest(self, w: list[int]) -> dict[int, Fraction]:
        """λ = 1 on the nearest row of each class."""
        rows = self.points.nearest(np.ldexp(_as_floats(w), self.points.exponents), 1, True)[0]
        return {int(i): Fraction(1) for i in rows}

    # -- exact arithmetic

    def _exactly(self, w: list[int], seen: Weights | None) -> Margin:
        """The exact optimum, from what floats have seen; rounded to as few bits as still prove it."""
        points = self.points
        if points.d > _LARGEST_EXACT:
            raise Unproved(f"the gap is too thin for float arithmetic, and {points.d} weights are too many for exact")
        v = _as_floats(w) if seen is None else seen.u
        near = points.nearest(np.ldexp(v, points.exponents), points.d + 5, self.street)[0]
        rows = np.empty(0, dtype=np.int64) if seen is None else seen.rows
        guess, chosen = list(range(rows.size)), np.concatenate([rows, np.setdiff1d(near, rows)])
        while True:
            M, unit = points.integers(chosen)
            mu, u = shortest_weights(M, guess, self.street, self._spend)
            common = lcm(*(v.denominator for v in u))
            w = [int(v * common) for v in u]
            fresh = np.setdiff1d(points.below(w, common * unit, points.d + 10), chosen)
            if not fresh.size:
                break
            guess = list(mu)
            chosen = np.concatenate([chosen, fresh])
        mixture = {int(chosen[i]): m for i, m in mu.items()}
        for bits in (64, 128, 256, 512, 1024):
            found = self._prove(self._rounded(w, bits), mixture, bits)
            if found is not None and found.within(_FINE):
                return found
        best = self._prove(w, mixture, 4096)
        if best is None:
            raise Unproved(_TIED)
        return best

    def _rounded(self, w: list[int], bits: int) -> list[int]:
        """w rounded to so many bits in scaled columns."""
        exponents = self.points.exponents.tolist()
        top = max(abs(v).bit_length() + e for v, e in zip(w, exponents, strict=True) if v)
        high = max(exponents)
        cut = [Fraction(v) * Fraction(2) ** (e - top + bits) for v, e in zip(w, exponents, strict=True)]
        return primitive([round(v) << (high - e) for v, e in zip(cut, exponents, strict=True)])

    def _spend(self, rows: int) -> None:
        self.work += rows**3
        if self.work > _MOST_WORK:
            raise Unproved("the gap is too thin for float arithmetic, and exact arithmetic would take too long")
        self.points.context.check()

    # -- what is proved

    def _prove(self, w: list[int], lam: dict[int, Fraction], bits: int) -> Margin | None:
        """The interval that w and λ prove, λ made whole with so many bits."""
        mixture = self._whole(lam, bits)
        if not any(w[:-1] if self.street else w) or not mixture:
            return None
        w, delta = self._levelled(w)
        if delta <= 0:
            return None
        upper = sqrt_above(length_sq(self.points.mixed(mixture))) / sum(mixture.values())
        found = Margin(Fraction(0), -_just_below(-upper), w, mixture, self.street, delta)
        return replace(found, lower=_just_below(delta / sqrt_above(Fraction(found.length_sq))))

    def _levelled(self, w: list[int]) -> tuple[list[int], Fraction]:
        """w and δ = min z·w; a street's bias is moved to the middle, where both classes are equally far."""
        if not self.street:
            return w, min(self.points.smallest_responses(w))
        ahead, behind = self.points.smallest_responses([*w[:-1], 0])
        bias, delta = (behind - ahead) / 2, (ahead + behind) / 2
        common = lcm(bias.denominator, delta.denominator)
        return [*(v * common for v in w[:-1]), int(bias * common)], delta * common

    def _whole(self, lam: dict[int, Fraction], bits: int) -> dict[int, int]:
        """λ in whole numbers; for a street, with the same sum in both classes."""
        unit = max(lam.values()) / 2**bits
        whole = {i: round(m / unit) for i, m in lam.items()}
        if self.street:
            sides = [{i: m for i, m in whole.items() if self.points.y[i] == sign} for sign in (1, -1)]
            if not all(any(side.values()) for side in sides):
                return {}
            less, more = sorted(sides, key=lambda side: sum(side.values()))
            whole[max(less, key=less.__getitem__)] += sum(more.values()) - sum(less.values())
        return {i: m for i, m in whole.items() if m > 0}


def _as_floats(w: list[int]) -> Floats:
    """Whole-numbered weights, the largest brought to about one."""
    shift = max(abs(v).bit_length() for v in w)
    return np.array([v / (1 << shift) for v in w])


def _just_below(q: Fraction) -> Fraction:
    """A nearby fraction of few bits, not above q."""
    if q == 0:
        return q
    shift = abs(q.numerator).bit_length() - q.denominator.bit_length() - _BITS
    unit = Fraction(2) ** shift
    return (q / unit).__floor__() * unit


def _float_down(q: Fraction) -> float:
    """The largest float not above q."""
    nearest = float(q)
    return nearest if Fraction(nearest) <= q else float(np.nextafter(nearest, -np.inf))


# -------------------------------------------------------------------------------------------------------------- meeting


class Meeting(NamedTuple):
    """`rows` of both classes, their `parts` in the mixture of their class (they add up to 1), and the common point."""

    rows: list[int]
    parts: list[float]
    point: Floats


def meeting_of(witness: dict[int, int] | None, X: Floats, y: Signs) -> Meeting | None:
    """The point where the hulls meet, from a witness λ > 0 with Σ λ·y·(x, 1) = 0; None without a witness.

    >>> X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([-1, -1, 1, 1], dtype=np.int8)
    >>> meeting_of({0: 1, 1: 1, 2: 1, 3: 1}, X, y)
    Meeting(rows=[0, 1, 2, 3], parts=[0.5, 0.5, 0.5, 0.5], point=array([0.5, 0.5]))
    """
    total = sum(m for i, m in (witness or {}).items() if y[i] > 0)
    if witness is None or total == 0:
        return None
    rows = sorted(witness)
    parts = [float(Fraction(witness[i], total)) for i in rows]
    mine = [k for k, i in enumerate(rows) if y[i] > 0]
    return Meeting(rows, parts, sum((parts[k] * X[rows[k]] for k in mine), np.zeros(X.shape[1])))
