"""Gordan's alternative, decided exactly: some u has a·u > 0 for every row a, or some mixture of the rows is zero.

The second is a linear program, λ ≥ 0, Σ λ_i a_i = 0, Σ λ_i = 1. Its first phase (Dantzig's simplex with Bland's rule,
which never cycles) ends either with such λ or with a dual vector that is u.
"""

from collections.abc import Callable
from math import lcm

from flint import fmpq

from rosenblatt.exact.linear import primitive

__all__ = ["gordan"]


def gordan(
    rows: list[list[int]], between: Callable[[], None] = lambda: None
) -> tuple[list[int] | None, list[int] | None]:
    """(u, None) with a·u > 0 for every row, or (None, λ) with λ ≥ 0, not all zero, and Σ λ_i a_i = 0; whole numbers.

    `between` is called before every pivot; it may raise to give up.
    """
    n, r = len(rows), len(rows[0])
    # one line per coordinate and one for Σ λ = 1; columns: λ, an artificial variable per line, the right-hand side
    table = [[fmpq(a[k]) for a in rows] + [fmpq(int(j == k)) for j in range(r + 1)] + [fmpq(0)] for k in range(r)]
    table.append([fmpq(1)] * n + [fmpq(int(j == r)) for j in range(r + 1)] + [fmpq(1)])
    basis = list(range(n, n + r + 1))
    # the objective, the sum of the artificial variables, in terms of the others
    costs = [-sum((line[j] for line in table), fmpq(0)) for j in range(n)] + [fmpq(0)] * (r + 1)
    costs.append(-sum((line[-1] for line in table), fmpq(0)))
    while (entering := next((j for j in range(n) if costs[j] < 0), None)) is not None:
        between()
        leaving = min(
            (k for k in range(r + 1) if table[k][entering] > 0),
            key=lambda k: (table[k][-1] / table[k][entering], basis[k]),
        )
        _pivot(table, costs, leaving, entering)
        basis[leaving] = entering
    if costs[-1] == 0:
        found = dict(zip(basis, (line[-1] for line in table), strict=True))
        return None, _whole([found.get(i, fmpq(0)) for i in range(n)])
    return _whole([costs[n + k] - 1 for k in range(r)]), None


def _pivot(table: list[list[fmpq]], costs: list[fmpq], k: int, j: int) -> None:
    inverse = 1 / table[k][j]
    table[k] = pivot = [v * inverse for v in table[k]]
    for other, line in enumerate(table):
        if other != k and line[j] != 0:
            factor = line[j]
            table[other] = [a - factor * b if b != 0 else a for a, b in zip(line, pivot, strict=True)]
    factor = costs[j]
    costs[:] = [a - factor * b if b != 0 else a for a, b in zip(costs, pivot, strict=True)]


def _whole(values: list[fmpq]) -> list[int]:
    common = lcm(*(int(v.q) for v in values))
    return primitive([int(v.p) * (common // int(v.q)) for v in values])
