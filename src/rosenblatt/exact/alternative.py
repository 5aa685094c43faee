"""Theorems of the alternative, decided exactly by the simplex method (Dantzig's, with Bland's rule: it never cycles).

Farkas: a target is a mixture of the rows with factors ≥ 0, or some u has a·u ≥ 0 for every row a and target·u < 0.
Gordan: some u has a·u > 0 for every row a, or some mixture of the rows is zero: Farkas for rows (a, 1), target (0, 1).
"""

from collections.abc import Callable
from math import lcm

from rosenblatt.exact.lifting import nothing
from rosenblatt.exact.linear import primitive
from rosenblatt.later import flint

__all__ = ["farkas", "gordan"]


def gordan(rows: list[list[int]], between: Callable[[], None] = nothing) -> tuple[list[int] | None, list[int] | None]:
    """(u, None) with a·u > 0 for every row, or (None, λ) with λ ≥ 0, not all zero, and Σ λ_i a_i = 0; whole numbers.

    `between` is called before every pivot; it may raise to give up.
    """
    u, mixture = farkas([[*a, 1] for a in rows], [0] * len(rows[0]) + [1], between)
    if u is not None:  # a·u' + u'' ≥ 0 with u'' < 0
        return primitive(u[:-1]), None
    assert mixture is not None
    return None, _whole(mixture)


def farkas(
    rows: list[list[int]], target: list[int], between: Callable[[], None] = nothing
) -> "tuple[list[int] | None, list[flint.fmpq] | None]":
    """(u, None) with a·u ≥ 0 for every row and target·u < 0, or (None, μ) with μ ≥ 0 and Σ μ_i a_i = target."""
    n, r = len(rows), len(target)
    signs = [-1 if t < 0 else 1 for t in target]  # right-hand sides must not be negative
    # one line per coordinate; columns: μ, an artificial variable per line, the right-hand side
    table = [
        [flint.fmpq(signs[k] * a[k]) for a in rows]
        + [flint.fmpq(int(j == k)) for j in range(r)]
        + [flint.fmpq(abs(target[k]))]
        for k in range(r)
    ]
    basis = list(range(n, n + r))
    # the objective, the sum of the artificial variables, in terms of the others
    costs = [-sum((line[j] for line in table), flint.fmpq(0)) for j in range(n)] + [flint.fmpq(0)] * r
    costs.append(-sum((line[-1] for line in table), flint.fmpq(0)))
    while (entering := next((j for j in range(n) if costs[j] < 0), None)) is not None:
        between()
        leaving = min(
            (k for k in range(r) if table[k][entering] > 0),
            key=lambda k: (table[k][-1] / table[k][entering], basis[k]),
        )
        _pivot(table, costs, leaving, entering)
        basis[leaving] = entering
    if costs[-1] == 0:
        found = dict(zip(basis, (line[-1] for line in table), strict=True))
        return None, [found.get(i, flint.fmpq(0)) for i in range(n)]
    return _whole([signs[k] * (costs[n + k] - 1) for k in range(r)]), None


def _pivot(table: "list[list[flint.fmpq]]", costs: "list[flint.fmpq]", k: int, j: int) -> None:
    inverse = 1 / table[k][j]
    table[k] = pivot = [v * inverse for v in table[k]]
    for other, line in enumerate(table):
        if other != k and line[j] != 0:
            factor = line[j]
            table[other] = [a - factor * b if b != 0 else a for a, b in zip(line, pivot, strict=True)]
    factor = costs[j]
    costs[:] = [a - factor * b if b != 0 else a for a, b in zip(costs, pivot, strict=True)]


def _whole(values: "list[flint.fmpq]") -> list[int]:
    common = lcm(*(int(v.q) for v in values))
    return primitive([int(v.p) * (common // int(v.q)) for v in values])
