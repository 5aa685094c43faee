"""What becomes of a logistic regression's coefficients: which run away, which stay, and why; each with its proof.

With N the directions that the plane rows leave open, a = z N for the other rows and c = N's j-th coordinates:

    not identified   some v with z·v = 0 on every row has v_j ≠ 0
    finite           c = 0: e_j is a combination of the plane rows
    +inf / −inf      ±c = Σ μ a with μ ≥ 0: every separating w has ±w_j > 0
    undetermined     otherwise: some separating w has w_j = 0, and the optimiser decides
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.exact.alternative import farkas, gordan
from rosenblatt.exact.linear import express, null_space
from rosenblatt.verdicts.points import Points, Whole
from rosenblatt.verdicts.search import Search, Unfinished

__all__ = ["Coefficient", "coefficients"]

_LARGEST = 1 << 20  # values up to which coefficients are worked out
_ADVICE = {
    "finite": "has a finite estimate",
    "+inf": "its estimate runs to +∞: drop or merge it, penalise (Firth, ridge), or collect more data",
    "-inf": "its estimate runs to −∞: drop or merge it, penalise (Firth, ridge), or collect more data",
    "undetermined": "has no limit of its own, the optimiser decides: penalise, or collect more data",
    "not identified": "is not identified, because its column can be computed from others: drop one of them",
}


@dataclass(frozen=True)
class Coefficient:
    """One coefficient: its `kind`, and the `proof`.

    The proof of "not identified" is {"direction": v}; of "finite" {"plane": ν} with e_j = Σ ν z; of "±inf"
    {"strict": μ, "plane": ν} with ±e_j = Σ μ z + Σ ν z and μ ≥ 0; of "undetermined" {"separating": w}, w_j = 0.
    """

    name: str
    kind: str
    proof: dict[str, Any]

    @property
    def advice(self) -> str:
        """What it means, and what to do."""
        return _ADVICE[self.kind]

    def numbered(self, places: Any) -> "Coefficient":
        """The same with rows numbered as the caller has them."""
        rows = ("strict", "plane")
        proof = {k: {int(places[i]): f for i, f in v.items()} if k in rows else v for k, v in self.proof.items()}
        return replace(self, proof=proof)

    @property
    def rows(self) -> list[int]:
        """The rows that send it to infinity, where it goes there."""
        return sorted(self.proof.get("strict", {}))


def coefficients(
    points: Points, strict: Any, plane: Any, names: list[str], deadline: float | None
) -> list[Coefficient]:
    """All coefficients, the intercept "(1)" last; `strict` and `plane` are the rows of the verdict."""
    if points.n * points.d > _LARGEST:
        raise Unfinished(f"the coefficients of {points.n} rows and {points.rows.p} columns would take too long")
    whole = points.whole(np.arange(points.n))
    Z = dict(enumerate(whole.rows))
    nowhere = null_space(whole.rows, points.d)
    on_plane = [Z[int(i)] for i in plane]
    directions = null_space(on_plane, points.d)
    A = [[sum(a * b for a, b in zip(Z[int(i)], v, strict=True)) for v in directions] for i in strict]
    check_time = Search(points, deadline).check_time
    u0 = gordan(A, check_time)[0] if A else None
    context = _Context(whole, check_time, Z, [int(i) for i in strict], [int(i) for i in plane], directions, A, u0)
    labels = [*names, *["(1)"] * points.bias]
    return [_one(context, nowhere, j, name) for j, name in enumerate(labels)]


@dataclass(frozen=True)
class _Context:
    whole: Whole
    check_time: Callable[[], None]
    Z: dict[int, list[int]]
    strict: list[int]
    plane: list[int]
    directions: list[list[int]]
    A: list[list[int]]
    u0: list[int] | None


def _one(k: _Context, nowhere: list[list[int]], j: int, name: str) -> Coefficient:
    k.check_time()
    free = next((v for v in nowhere if v[j]), None)
    if free is not None:
        return Coefficient(name, "not identified", {"direction": k.whole.weights(free)})
    c = [v[j] for v in k.directions]
    if not any(c):
        return Coefficient(name, "finite", {"plane": _on_plane(k, _unit(k, j), {})})
    against = []
    for sign, kind in ((1, "+inf"), (-1, "-inf")):
        u, mu = farkas(k.A, [sign * v for v in c], k.check_time)
        if mu is not None:
            factors = {i: Fraction(int(m.p), int(m.q)) for i, m in zip(k.strict, mu, strict=True) if m != 0}
            proof = {"strict": factors, "plane": _on_plane(k, [sign * v for v in _unit(k, j)], factors)}
            return Coefficient(name, kind, proof)
        against.append(u)
    return Coefficient(name, "undetermined", {"separating": k.whole.weights(_level(k, c, against))})


def _unit(k: _Context, j: int) -> list[int]:
    return [int(i == j) for i in range(len(k.whole.units))]


def _on_plane(k: _Context, target: list[int], factors: dict[int, Fraction]) -> dict[int, Fraction]:
    """ν with target − Σ factors·z = Σ ν z over the plane rows, in the columns' units."""
    rest = [Fraction(t) - sum((f * k.Z[i][j] for i, f in factors.items()), Fraction(0)) for j, t in enumerate(target)]
    if not any(rest):
        return {}
    common = int(np.lcm.reduce([f.denominator for f in rest], dtype=object))
    nu = express([int(f * common) for f in rest], [k.Z[i] for i in k.plane])
    assert nu is not None  # c = 0, or the rest is orthogonal to the open directions
    return {i: f / common for i, f in zip(k.plane, nu, strict=True) if f}


def _level(k: _Context, c: list[int], against: list[Any]) -> list[int]:
    """w = N u with w_j = 0, strictly positive on the strict rows: u0 and whichever u leans the other way."""
    assert k.u0 is not None
    lean = sum(a * b for a, b in zip(c, k.u0, strict=True))
    u = k.u0
    if lean:
        other = against[0] if lean > 0 else against[1]  # c·u < 0, or −c·u < 0
        tilt = sum(a * b for a, b in zip(c, other, strict=True))
        u = [abs(tilt) * a + abs(lean) * b for a, b in zip(k.u0, other, strict=True)]
    return [sum(f * v[j] for f, v in zip(u, k.directions, strict=True)) for j in range(len(k.whole.units))]
