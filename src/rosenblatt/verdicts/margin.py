"""Two margins, each in an interval that is proved.

    the theorem's margin   γ* = max min z·w/‖w‖, the bias counted in ‖w‖: the distance from 0 to the hull of the z
    the street             max min z·w/‖w‖ with ‖w‖ without the bias: half the distance of the classes' hulls

Both are 1/‖u‖ for the shortest u with z·u ≥ 1 on every row; only what counts in ‖u‖ differs. The nearest point Σ λ z is
a non-negative least-squares problem; it is solved on few rows, all are scanned with w = Σ λ z, the worst are added. The
street is the theorem's margin seen from an origin on its own middle, so that point is moved there. Where a gap is too
thin for floats, exact arithmetic goes on from there (`active_set`).

Whatever comes out, any separating w proves a lower end and any λ an upper one, in exact arithmetic.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from scipy.optimize import nnls

from rosenblatt.exact import integers
from rosenblatt.exact.linear import primitive
from rosenblatt.theory import sqrt_above
from rosenblatt.verdicts.active_set import shortest_weights
from rosenblatt.verdicts.candidates import smallest
from rosenblatt.verdicts.points import Floats, Places, Points

__all__ = ["Margin", "Margins", "Unproved", "both_margins", "widest_margin"]

_ROUNDS = 40
_LARGEST = 1 << 25  # values of the rows that may take part, written out: a quarter of a gigabyte
_LARGEST_EXACT = 128  # weights up to which exact arithmetic is tried
_MOST_WORK = 10**8  # cubes of the sizes of exact systems of equations, added up: about ten seconds
_BITS = 64  # significant bits of the ends
_FINE = Fraction(1, 10**8)  # an interval so narrow, by its upper end, is left as it is
_NARROW = Fraction(1, 10**6)  # one that is wider gets a word
_TIED = "the gap is thin, and so many rows come near it that not all of them were looked at exactly"
_SIDE = 64.0  # how many times longer the bias is than the rows while a street is sought: it may hardly move


class Unproved(Exception):
    """No interval could be proved; the message says why."""


@dataclass(frozen=True)
class Margin:
    """lower ≤ margin ≤ upper; `w` with z·w ≥ δ proves the lower end, `mixture` the upper one.

    `street`: the bias does not count in ‖w‖, and the mixture's sum is the same over both classes.
    """

    lower: Fraction
    upper: Fraction
    w: list[int]
    delta: Fraction
    mixture: dict[int, int]
    street: bool
    limit: str = ""  # why the interval is wide, where it is

    @property
    def length_sq(self) -> int:
        """‖w‖², with or without the bias."""
        return sum(v * v for v in (self.w[:-1] if self.street else self.w))

    def within(self, part: Fraction) -> bool:
        """Whether the interval is no wider than this part of its upper end."""
        return self.upper - self.lower <= part * self.upper

    def of_all(self, delta: Fraction) -> "Margin":
        """The same for more rows than these, on all of which z·w ≥ δ: the lower end may be lower."""
        return replace(self, delta=delta, lower=min(self.lower, _down(delta / sqrt_above(Fraction(self.length_sq)))))

    def entry(self) -> dict[str, Any]:
        """The certificate's `margin` or `street`."""
        ends = {"lower": self.lower, "upper": self.upper}
        written: dict[str, Any] = {"w": [hex(v) for v in self.w]} if self.street else {}
        written |= {name: f"{hex(q.numerator)}/{hex(q.denominator)}" for name, q in ends.items()}
        return {**written, "lambda": {str(i): hex(m) for i, m in sorted(self.mixture.items())}}


def widest_margin(points: Points, w: list[int], street: bool, deadline: float | None = None) -> Margin:
    """The theorem's margin or the street of separable data, from a separating w. Raises `Unproved`.

    A street needs two classes and a bias.
    """
    return _Sought(points, street, deadline).find(w)


@dataclass
class Margins:
    """Both, as far as they were found; `limits` says of "margin" or "street" why it is missing or wide."""

    theorem: Margin | None = None
    street: Margin | None = None
    limits: dict[str, str] = field(default_factory=dict)

    def take(self, name: str, seek: Callable[[], Margin]) -> Margin | None:
        """What is found, with a word where it is nothing or wide."""
        try:
            found = seek()
        except Unproved as why:
            self.limits[name] = str(why)
            return None
        if found.limit:
            self.limits[name] = found.limit
        return found


def both_margins(seek: Callable[[list[int], bool], Margin], w: list[int], bias: bool, two_classes: bool) -> Margins:
    """The theorem's margin and the street, by `seek(w, street)`; without a bias they are the same one."""
    found = Margins()
    found.theorem = found.take("margin", lambda: seek(w, False))
    if bias and two_classes:
        start = w if found.theorem is None else found.theorem.w
        found.street = found.take("street", lambda: seek(start, True))
    elif bias:
        found.limits["street"] = "a street lies between two classes, and there is only one"
    return found


class _Sought:
    """One of the two margins while it is sought."""

    def __init__(self, points: Points, street: bool, deadline: float | None) -> None:
        self.points, self.street, self.deadline = points, street, deadline
        self.size = 2 * points.d + 10  # rows that join in a round
        self.work = 0  # of exact arithmetic, so far

    def find(self, w: list[int]) -> Margin:
        points = self.points
        if min(points.n, 2 * points.d) * points.d > _LARGEST:
            raise Unproved(f"the rows that may touch it, {points.d} weights long, are too many to be written out")
        with np.errstate(all="ignore"):
            chosen, lam = self._by_floats(w)
        found = self._from_floats(chosen, lam)
        if found is not None and found.within(_FINE):
            return found
        try:
            exact = self._exactly(chosen, lam)
        except Unproved as why:
            if found is None:
                raise
            return found if found.within(_NARROW) else replace(found, limit=str(why))
        return exact if exact.within(_NARROW) else replace(exact, limit=_TIED)

    # -- floats

    def _by_floats(self, w: list[int]) -> tuple[Places, Floats]:
        """Rows and their λ, as good as floats can tell."""
        lam = self._among_all() if self.points.n < self.points.d and not self.points.rows.sparse else None
        if lam is not None:
            return np.arange(self.points.n), lam
        shift = max(abs(v).bit_length() for v in w)
        return self._nearest_point(np.array([v / (1 << shift) for v in w]))

    def _worst(self, agreements: Floats) -> Places:
        """Rows that come nearest, of each class where both must be there."""
        if not self.street:
            return smallest(agreements, self.size)
        sides = [np.flatnonzero(self.points.y == sign) for sign in (1, -1)]
        return np.concatenate([rows[smallest(agreements[rows], self.size // 2)] for rows in sides])

    def _nearest_point(self, w: Floats) -> tuple[Places, Floats]:
        """Rows and their λ; Wolfe's condition z·v ≥ ‖v‖² holds on all rows, to rounding, at the nearest point v."""
        points = self.points
        chosen = self._worst(points.y * points.rows.respond(w))
        middle, before = np.zeros(points.rows.p), np.inf
        lam = np.zeros(chosen.size)
        for _ in range(_ROUNDS):
            Z, y = points.floats(chosen), points.y[chosen]
            seen = self._seen_from(Z, y, middle)
            scale = float(np.max(np.abs(seen)))
            system = np.vstack([seen.T / scale, np.ones(len(seen))])
            try:
                lam = nnls(system, np.append(np.zeros(len(system) - 1), 1.0), maxiter=100 * len(seen))[0]
            except (RuntimeError, ValueError):  # it cycles, or the numbers left float64
                break
            lam = lam / lam.sum()
            v, settled = Z.T @ lam, True
            if self.street:
                lam, settled = self._polished(seen, y, lam)
                v, middle = Z[:, :-1].T @ lam, (Z[:, :-1] * y[:, None]).T @ lam
                v = np.append(v, -(v @ middle))
            length_sq = float(v[:-1] @ v[:-1] if self.street else v @ v)
            agreements = points.y * points.rows.respond(v)
            worst = self._worst(agreements)
            noise = 2.0**-50 * float(np.ldexp(np.abs(v), points.exponents).sum())  # of agreements: not worth a row
            fresh = np.setdiff1d(worst[agreements[worst] < length_sq * (1 - 1e-12) - noise], chosen)
            settled = settled or abs(before - length_sq) <= 1e-13 * length_sq
            if not np.isfinite(length_sq) or (not fresh.size and settled):
                break
            before = length_sq
            chosen = np.concatenate([chosen, fresh])
            lam = np.append(lam, np.zeros(fresh.size))
        return chosen, lam

    def _seen_from(self, Z: Floats, y: Any, middle: Floats) -> Floats:
        """z with the origin moved to the street's middle, and so long a bias that it hardly moves again."""
        if not self.street:
            return Z
        moved = Z - y[:, None] * np.append(middle if middle.any() else _between(Z, y), 0.0)
        moved[:, -1] = y * _SIDE * max(float(np.max(np.abs(moved[:, :-1]), initial=0.0)), 1e-300)
        return np.asarray(moved)

    def _polished(self, seen: Floats, y: Any, lam: Floats) -> tuple[Floats, bool]:
        """λ with equal sums in both classes, and whether its rows' own equations gave it: then it is final for them."""
        kept = np.flatnonzero(lam > 0)
        X = seen[kept, :-1]
        try:
            mu = self._equations(X @ X.T, y[kept] * np.sqrt(np.mean(X * X)))[0]
        except np.linalg.LinAlgError:
            mu = np.zeros(0)
        exact = bool(mu.size and np.all(mu > 0))
        out = lam.copy()
        if exact:
            out[kept] = mu
        return _balanced(out, y), exact

    def _among_all(self) -> Floats | None:
        """λ of all rows, where there are fewer of them than weights and so most take part; None if that fails.

        min ‖Σ μ z‖²/2 − Σ μ over μ ≥ 0, by block principal pivoting (Júdice & Pires 1994) on the Gram matrix. A street
        has one equation more, Σ μ y = 0, whose multiplier is the bias.
        """
        n = self.points.n
        Z, y = self.points.floats(np.arange(n)), self.points.y.astype(np.float64)
        if self.street:
            Z = (Z - y[:, None] * np.append(_between(Z, y), 0.0))[:, :-1]
        gram = Z @ Z.T
        gram.flat[:: n + 1] *= 1 + 1e-13
        side = y * np.sqrt(np.trace(gram) / n)
        active = np.ones(n, dtype=bool)
        mu = np.zeros(n)
        fewest, patience = n + 1, 3
        for _ in range(30):
            mu[:] = 0.0
            try:
                mu[active], bias = self._equations(gram[np.ix_(active, active)], side[active])
            except np.linalg.LinAlgError:
                return None
            slack = gram @ mu + side * bias - 1
            wrong = np.where(active, mu < 0, slack < -1e-9)
            count = int(np.count_nonzero(wrong))
            if not count:
                return _balanced(mu, y) if self.street else np.asarray(mu / mu.sum())
            if count < fewest:
                fewest, patience = count, 3
            elif patience:
                patience -= 1
            else:  # exchanging all of them may cycle; exchanging the last cannot
                wrong[: np.flatnonzero(wrong)[-1]] = False
            active ^= wrong
        return None

    def _equations(self, gram: Floats, side: Floats) -> tuple[Floats, float]:
        """μ and the bias of active rows."""
        k = len(gram)
        if not self.street:
            return np.asarray(np.linalg.solve(gram, np.ones(k))), 0.0
        system = np.block([[gram, side[:, None]], [side[None, :], np.zeros((1, 1))]])
        found = np.linalg.solve(system, np.append(np.ones(k), 0.0))
        return found[:-1], float(found[-1])

    def _from_floats(self, chosen: Places, lam: Floats) -> Margin | None:
        """What λ and its w prove; None where rounding hides it."""
        kept = lam > 0
        if not kept.any() or not np.isfinite(lam).all():
            return None
        with np.errstate(all="ignore"):
            Z = self.points.floats(chosen[kept])
            if self.street:  # Σ λ y = 0: any origin will do, and one between the classes loses least
                Z -= self.points.y[chosen[kept], None] * np.append(_between(Z, self.points.y[chosen[kept]]), 0.0)
            point = Z.T @ lam[kept]
        if not np.isfinite(point).all():
            return None
        w = [int(v) for v in integers(point)[0]]
        return self._prove(w, dict(zip(chosen[kept].tolist(), map(Fraction, lam[kept].tolist()), strict=True)), 60)

    # -- exact arithmetic

    def _exactly(self, chosen: Places, lam: Floats) -> Margin:
        """The exact optimum, rounded to as few bits as still prove it."""
        points = self.points
        if points.d > _LARGEST_EXACT:
            raise Unproved(f"the gap is too thin for float arithmetic, and {points.d} weights are too many for exact")
        guess = [int(i) for i in np.flatnonzero(lam > 0)]
        chosen = chosen.copy()
        while True:
            M, unit = points.integers(chosen)
            mu, u = shortest_weights(M, guess, self.street, self._spend)
            common = lcm(*(v.denominator for v in u))
            w = [int(v * common) for v in u]
            fresh = np.setdiff1d(points.below(w, common * unit, self.size), chosen)
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
        """w with so many bits in scaled columns."""
        exponents = self.points.exponents.tolist()
        top = max(abs(v).bit_length() + e for v, e in zip(w, exponents, strict=True) if v)
        high = max(exponents)
        cut = [Fraction(v) * Fraction(2) ** (e - top + bits) for v, e in zip(w, exponents, strict=True)]
        return primitive([round(v) << (high - e) for v, e in zip(cut, exponents, strict=True)])

    def _spend(self, rows: int) -> None:
        self.work += rows**3
        if self.work > _MOST_WORK:
            raise Unproved("the gap is too thin for float arithmetic, and exact arithmetic would take too long")
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise Unproved("the time limit was reached")

    # -- what is proved

    def _prove(self, w: list[int], lam: dict[int, Fraction], bits: int) -> Margin | None:
        """The interval that w and λ prove, λ made whole with so many bits."""
        mixture = self._whole(lam, bits)
        if not any(w[:-1] if self.street else w) or not mixture:
            return None
        w, delta = self._levelled(w)
        if delta <= 0:
            return None
        mixed = self.points.mixed(mixture)
        upper = sqrt_above(sum((v * v for v in mixed), Fraction(0))) / sum(mixture.values())
        found = Margin(Fraction(0), -_down(-upper), w, delta, mixture, self.street)
        return replace(found, lower=_down(delta / sqrt_above(Fraction(found.length_sq))))

    def _levelled(self, w: list[int]) -> tuple[list[int], Fraction]:
        """w and δ = min z·w; a street's bias is put into the middle, where both classes are as far."""
        if not self.street:
            return w, min(self.points.smallest_responses(w))
        ahead, behind = self.points.smallest_responses([*w[:-1], 0])
        bias, delta = (behind - ahead) / 2, (ahead + behind) / 2
        common = lcm(bias.denominator, delta.denominator)
        return [*(v * common for v in w[:-1]), int(bias * common)], delta * common

    def _whole(self, lam: dict[int, Fraction], bits: int) -> dict[int, int]:
        """λ in whole numbers; of a street, the same sum in both classes."""
        unit = max(lam.values()) / 2**bits
        whole = {i: round(m / unit) for i, m in lam.items()}
        if self.street:
            sides = [{i: m for i, m in whole.items() if self.points.y[i] == sign} for sign in (1, -1)]
            if not all(any(side.values()) for side in sides):
                return {}
            less, more = sorted(sides, key=lambda side: sum(side.values()))
            whole[max(less, key=less.__getitem__)] += sum(more.values()) - sum(less.values())
        return {i: m for i, m in whole.items() if m > 0}


def _between(Z: Floats, y: Any) -> Floats:
    """A point between the two classes: the middle of their means."""
    X = Z[:, :-1] * y[:, None]
    return np.asarray((X[y > 0].mean(axis=0) + X[y < 0].mean(axis=0)) / 2)


def _balanced(lam: Floats, y: Any) -> Floats:
    """λ with a sum of one half in each class."""
    out = lam.copy()
    for sign in (1, -1):
        out[y == sign] /= 2 * out[y == sign].sum()
    return np.asarray(out)


def _down(q: Fraction) -> Fraction:
    """A nearby fraction of few bits, not above q."""
    if q == 0:
        return q
    shift = abs(q.numerator).bit_length() - q.denominator.bit_length() - _BITS
    unit = Fraction(2) ** shift
    return (q / unit).__floor__() * unit
