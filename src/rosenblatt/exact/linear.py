"""Exact linear algebra on integers, by FLINT: null spaces, ranks, combinations."""

from collections.abc import Callable
from contextlib import suppress
from math import gcd
from operator import mul
from typing import Any

from rosenblatt.exact.dense import PRIMES, DenseSystem, Echelon, echelon, whole_residues
from rosenblatt.exact.lifting import lift, nothing
from rosenblatt.later import flint

__all__ = ["combination", "independent", "mix", "null_space", "primitive", "rank", "relation", "responses_of", "solve"]

# FLINT is faster than our own steps but cannot be interrupted: up to these sizes it takes a second at most.
_AT_ONCE = 250  # rows of a system
_LARGEST_RREF = 800  # rows of an echelon form
_ROWS = 64  # rows that are multiplied at a time
_FEW = 0.1  # the share of values other than zero up to which FLINT, which multiplies zeros too, is slower than Python
_WORD = 1 << 62  # below it a number is a single word to FLINT
PRIME = (1 << 61) - 1  # ranks modulo a prime are never too large, and too small once in 10^18


def primitive(vector: list[int]) -> list[int]:
    """The shortest whole-numbered vector along this one."""
    common = gcd(*vector)
    return [v // common for v in vector] if common > 1 else list(vector)


def rank(rows: list[list[int]], between: Callable[[], None] = nothing) -> int:
    """The number of independent rows, counted modulo a prime: never more than there are."""
    if rows and min(len(rows), len(rows[0])) <= _LARGEST_RREF:
        between()
        return int(_modulo_prime(rows).rank())
    return len(_pivots(rows, between)) if rows else 0


def _modulo_prime(rows: list[list[int]]) -> Any:
    """The rows modulo a prime."""
    return flint.nmod_mat(flint.fmpz_mat(rows), PRIME)


def _pivots(rows: list[list[int]], between: Callable[[], None]) -> list[int]:
    """The columns in which the echelon form, modulo a prime, has its pivots."""
    between()
    if min(len(rows), len(rows[0])) > _LARGEST_RREF:
        return sorted(_in_steps(rows, between).pivots)
    reduced, r = _modulo_prime(rows).rref()
    pivots: list[int] = []
    for i in range(r):
        first = pivots[-1] + 1 if pivots else 0
        pivots.append(next(j for j in range(first, reduced.ncols()) if int(reduced[i, j])))
    return pivots


def _in_steps(rows: list[list[int]], between: Callable[[], None]) -> Echelon:
    """The echelon form by steps that can be interrupted.

    The primes are short: once in a million one of them finds too few independent rows. So where the first prime does
    not find full rank, a second one is asked.
    """
    found = [echelon(whole_residues(rows, PRIMES[0], between), PRIMES[0], between)]
    if len(found[0].rows) < min(len(rows), len(rows[0])):
        found.append(echelon(whole_residues(rows, PRIMES[1], between), PRIMES[1], between))
    return max(found, key=lambda form: len(form.rows))


def independent(rows: list[list[int]], between: Callable[[], None] = nothing) -> tuple[list[int], list[int]]:
    """Independent rows that span all others, and as many columns in which these rows are still independent."""
    if not rows:
        return [], []
    if min(len(rows), len(rows[0])) > _LARGEST_RREF:
        found = _in_steps(rows, between)
        return found.rows, sorted(found.pivots)
    chosen = _pivots([list(column) for column in zip(*rows, strict=True)], between)
    if len(chosen) == len(rows[0]):  # then they are independent in all columns, and in no fewer
        return chosen, list(range(len(chosen)))
    return chosen, _pivots([rows[i] for i in chosen], between) if chosen else []


def null_space(rows: list[list[int]], d: int) -> list[list[int]]:
    """Independent whole-numbered v with row · v = 0 for every row, as many as there are."""
    if not rows:
        return [[int(j == k) for j in range(d)] for k in range(d)]
    basis, nullity = flint.fmpz_mat(rows).nullspace()
    return [primitive([int(basis[j, k]) for j in range(d)]) for k in range(nullity)]


def solve(rows: list[list[int]], target: list[int], between: Callable[[], None] = nothing) -> tuple[list[int], int]:
    """Whole x and a denominator with rows · (x / denominator) = target, for a square system of independent rows.

    `between` is called every now and then; it may raise to give up.
    """
    between()
    if not rows:
        return [], 1
    if len(rows) > _AT_ONCE:
        return lift(DenseSystem(rows, between), target, between)
    solved: Any = flint.fmpz_mat(rows).solve(flint.fmpz_mat([[t] for t in target]))
    x, denominator = solved.numer_denom()
    return [int(v) for v in x.entries()], int(denominator)


def combination(
    target: list[int], rows: list[list[int]], between: Callable[[], None] = nothing
) -> tuple[list[int], int] | None:
    """Whole x and a denominator > 0 with Σ x_i rows_i = denominator · target, or None where there are none."""
    chosen, columns = independent(rows, between)
    x, denominator = solve([[rows[i][j] for i in chosen] for j in columns], [target[j] for j in columns], between)
    if denominator < 0:
        x, denominator = [-v for v in x], -denominator
    all_solved = len(columns) == len(target)  # otherwise some equations are not part of the square system
    if not all_solved and mix(x, [rows[i] for i in chosen], len(target), between) != [denominator * t for t in target]:
        return None
    factors = dict(zip(chosen, x, strict=True))
    return [factors.get(i, 0) for i in range(len(rows))], denominator


def relation(rows: list[list[int]], between: Callable[[], None] = nothing) -> list[int] | None:
    """Whole numbers m with Σ m_i rows_i = 0, where that is possible in one way only (up to a factor)."""
    if rows and len(rows) == len(rows[0]) + 1:
        *first, last = rows
        with suppress(ZeroDivisionError):  # most often these are independent, and then there is no other way
            x, denominator = solve([list(column) for column in zip(*first, strict=True)], [-v for v in last], between)
            return primitive([*x, denominator])
    chosen, columns = independent(rows, between)
    if len(chosen) != len(rows) - 1:
        return None
    (other,) = {*range(len(rows))} - {*chosen}
    target = [-rows[other][j] for j in columns]
    x, denominator = solve([[rows[i][j] for i in chosen] for j in columns], target, between)
    factors = dict(zip([*chosen, other], [*x, denominator], strict=True))
    m = [factors[i] for i in range(len(rows))]
    return None if any(mix(m, rows, len(rows[0]), between)) else primitive(m)


def mix(factors: list[int], rows: list[list[int]], d: int, between: Callable[[], None] = nothing) -> list[int]:
    """Σ factors_i · rows_i."""
    if rows and d and max(max(map(max, rows)), -min(map(min, rows))) >= _WORD:
        return _mix_long(factors, rows, between)
    total: Any = flint.fmpz_mat(1, d)
    for first in range(0, len(rows), _ROWS):
        between()
        total += flint.fmpz_mat([factors[first : first + _ROWS]]) * flint.fmpz_mat(rows[first : first + _ROWS])
    return [int(v) for v in total.entries()]


def _mix_long(factors: list[int], rows: list[list[int]], between: Callable[[], None]) -> list[int]:
    """The same in Python's integers: numbers beyond a machine word take longer to hand to FLINT than to add here."""
    total = list[int]()
    for column in zip(*rows, strict=True):
        between()
        total.append(sum(map(mul, factors, column)))
    return total


def responses_of(rows: list[list[int]], vectors: list[list[int]]) -> list[list[int]]:
    """row · vector, a list for each row."""
    if not rows or not vectors:
        return [[] for _ in rows]
    places = [[j for j, a in enumerate(row) if a] for row in rows]
    if sum(map(len, places)) <= _FEW * len(rows) * len(rows[0]):
        return [_sparse_products([row[j] for j in at], at, vectors) for row, at in zip(rows, places, strict=True)]
    found: Any = flint.fmpz_mat(rows) * flint.fmpz_mat(vectors).transpose()
    return [[int(v) for v in row] for row in found.tolist()]


def _sparse_products(values: list[int], places: list[int], vectors: list[list[int]]) -> list[int]:
    """row · vector for a row that has these values in these places, and zeros elsewhere."""
    return [sum(map(mul, values, [v[j] for j in places])) for v in vectors]
