"""What is true of a small table, found out naively: in fractions, by trying everything. Nothing of the package is used.

z = y·(x, 1), or y·x without an intercept. Weight vectors carry the bias last.
"""

from decimal import Decimal
from fractions import Fraction
from itertools import combinations, product
from math import comb, gcd, lcm

import mpmath
import numpy as np

__all__ = [
    "computable",
    "count",
    "dot",
    "exact",
    "general_position",
    "least_squares_minimum",
    "logistic_loss",
    "logistic_minimum",
    "margin_sq",
    "rank",
    "read",
    "responses",
    "separability",
    "separable_labelings",
    "signed",
    "squared_loss",
    "street_sq",
]


def exact(values):
    """Floats as the fractions they are; fractions stay."""
    return [v if isinstance(v, Fraction) else Fraction(float(v)) for v in np.ravel(values)]


def dot(a, b):
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def signed(X, y, intercept=True):
    """The rows z, as fractions."""
    return [[int(s) * v for v in [*exact(x), *[Fraction(1)] * intercept]] for x, s in zip(X, y, strict=True)]


def read(X):
    """What a table says: the decimals that a file would have, in columns where they are short; else the floats.

    A float's shortest decimal, as Python writes it, is the one that it was read from if that had at most 15 digits.
    """
    return [list(row) for row in zip(*map(_read_column, np.asarray(X).T), strict=True)] or [[] for _ in X]


def _read_column(x):
    texts = [repr(float(v)) for v in x]
    short = x.dtype == np.float64 and all(len(Decimal(text).normalize().as_tuple().digits) <= 15 for text in texts)
    return [Fraction(text) for text in texts] if short else exact(x)


def rank(Z):
    return len(pivots(Z))


def computable(Z):
    """The columns that can be computed from others."""
    return {j for v in _null_space(Z) for j, a in enumerate(v) if a}


def responses(X, w, intercept=True):
    """w·x + b of every row, exactly; w are floats, the bias last."""
    w = exact(w)
    return [dot([*exact(x), *[Fraction(1)] * intercept], w) for x in np.asarray(X)]


# ------------------------------------------------------------------------------------------------------- separability


def separability(Z):
    """The kind of verdict, and the rows that lie on every hyperplane with no row on its wrong side.

    Those rows are the ones that some positive combination cancels; every such combination is a sum of minimal ones,
    whose rows are dependent while fewer of them are not (Carathéodory, Gordan, Stiemke). So: try all small sets.
    """
    Z = _whole(Z)
    places: dict[tuple[int, ...], list[int]] = {}
    for i, z in enumerate(Z):
        places.setdefault(tuple(z), []).append(i)
    distinct, plane, minimal = list(places), set(), []
    for size in range(1, len(Z[0]) + 2):
        for chosen in combinations(range(len(distinct)), size):
            if any(one.issubset(chosen) for one in minimal):
                continue
            factors = _cancelling([distinct[i] for i in chosen])
            if factors is None:
                continue
            minimal.append(set(chosen))
            if all(f > 0 for f in factors) or all(f < 0 for f in factors):
                plane |= set(chosen)
    rows = {i for k in plane for i in places[distinct[k]]}
    return ("complete" if not rows else "overlap" if len(rows) == len(Z) else "quasi"), rows


def _whole(Z):
    """Whole numbers, each column in units of its own: no combination of rows that vanishes is changed by that."""
    units = [lcm(*(z[j].denominator for z in Z)) for j in range(len(Z[0]))]
    return [[int(v * unit) for v, unit in zip(z, units, strict=True)] for z in Z]


def _cancelling(rows):
    """Factors with Σ factor·row = 0, if there are any; of rows of which fewer are independent."""
    solved = _null_space([list(column) for column in zip(*rows, strict=True)])
    return solved[0] if solved else None


def _null_space(A):
    """Independent v with A v = 0, in fractions; they are eliminated as whole numbers, which is much faster."""
    A, n, pivots = [_short([int(v * lcm(*(u.denominator for u in row))) for v in row]) for row in A], len(A[0]), []
    for j in range(n):
        r = len(pivots)
        i = next((i for i in range(r, len(A)) if A[i][j]), None)
        if i is None:
            continue
        A[r], A[i] = A[i], A[r]
        for k in range(len(A)):
            if k != r and A[k][j]:
                A[k] = _short([A[r][j] * a - A[k][j] * b for a, b in zip(A[k], A[r], strict=True)])
        pivots.append(j)
    place = {j: A[r] for r, j in enumerate(pivots)}
    free = [j for j in range(n) if j not in place]
    return [
        [Fraction(-place[j][f], place[j][j]) if j in place else Fraction(int(j == f)) for j in range(n)] for f in free
    ]


def _short(row):
    """Whole numbers without a common factor."""
    factor = gcd(*row) or 1
    return [v // factor for v in row]


def pivots(Z):
    """Numbers of columns that are independent and from which all others can be computed."""
    columns, kept = [list(c) for c in zip(*Z, strict=True)], []
    for j, column in enumerate(columns):
        rows = [[columns[k][i] for k in kept] + [column[i]] for i in range(len(column))]
        if not _null_space(rows):
            kept.append(j)
    return kept


def coefficient(Z, j):
    """What becomes of weight j in a logistic regression, by the definition: which w are there with no row wrong?"""
    d = len(Z[0])
    if any(v[j] for v in _null_space(Z)):
        return "not identified"
    kind, plane = separability(Z)
    if kind == "overlap":
        return "finite"
    unit = [Fraction(int(k == j)) for k in range(d)]
    # w with z·w = 0 on the plane rows and > 0 elsewhere exists; can it have w_j > 0, = 0, < 0? Each is a question of
    # separability: of the rows, the plane rows both ways, and ±e_j as one row more
    possible = {}
    both = [Z[i] for i in plane] + [[-v for v in Z[i]] for i in plane]
    strict = [z for i, z in enumerate(Z) if i not in plane]
    for sign, more in (("+", [unit]), ("-", [[-v for v in unit]])):
        _, cancelled = separability(both + strict + more)
        possible[sign] = not any(i >= len(both) for i in cancelled)  # all of them can be strict at once
    if possible["+"] and possible["-"]:
        return "undetermined"
    _, cancelled = separability([*both, unit, [-v for v in unit], *strict])
    level = not any(i >= len(both) + 2 for i in cancelled)
    if possible["+"]:
        return "undetermined" if level else "+inf"
    if possible["-"]:
        return "undetermined" if level else "-inf"
    return "finite"


# ------------------------------------------------------------------------------------------------------------- margins


def margin_sq(Z):
    """γ²: the square of the shortest vector in the hull of the rows z. Only for rows that can be separated."""
    return _shortest_sq(Z)


def street_sq(X, y):
    """The square of half the distance between the classes' hulls, in input space; None where a class has no row."""
    positive, negative = ([exact(x) for x, s in zip(X, y, strict=True) if s == sign] for sign in (1, -1))
    if not positive or not negative:
        return None
    between = {tuple(a - b for a, b in zip(p, q, strict=True)) for p, q in product(positive, negative)}
    return _shortest_sq([list(v) for v in sorted(between)]) / 4


def _shortest_sq(points):
    """‖v‖² of the shortest v in the hull of some points: v is the shortest iff v·point ≥ v·v for every point."""
    for size in range(1, len(points[0]) + 1):
        for chosen in combinations(points, size):
            v = _nearest_of_flat(chosen)
            if v is not None and all(dot(v, z) >= dot(v, v) for z in points):
                return dot(v, v)
    return Fraction(0)


def _nearest_of_flat(points):
    """The point of their flat that is nearest to 0, if it is a mixture of them with positive parts."""
    k = len(points)
    system = [[*(dot(a, b) for b in points), Fraction(-1), Fraction(0)] for a in points]
    system.append([*[Fraction(1)] * k, Fraction(0), Fraction(-1)])  # the parts add up to one
    solved = _null_space(system)
    if len(solved) != 1 or not solved[0][-1]:
        return None  # not in general position: fewer points have the same flat
    parts = [v / solved[0][-1] for v in solved[0][:k]]
    if any(part <= 0 for part in parts):
        return None
    return [
        sum((f * point[j] for f, point in zip(parts, points, strict=True)), Fraction(0)) for j in range(len(points[0]))
    ]


# -------------------------------------------------------------------------------------------------------------- losses


def squared_loss(X, y, w, weights, intercept=True, penalty=0.0, free=()):
    """½Σ(y − s)² + ½δ‖w‖², exactly; `free` weights are not penalised."""
    s = responses(X, w, intercept)
    loss = sum((Fraction(float(c)) * (v - int(t)) ** 2 for c, v, t in zip(weights, s, y, strict=True)), Fraction(0))
    return (loss + Fraction(float(penalty)) * _squares(w, free)) / 2


def _squares(w, free):
    return sum((v * v for j, v in enumerate(exact(w)) if j not in free), Fraction(0))


def least_squares_minimum(X, y, weights, intercept=True, penalty=0.0, free=()):
    """The smallest of `squared_loss`: the normal equations of independent columns, in fractions."""
    A = [[*exact(x), *[Fraction(1)] * intercept] for x in np.asarray(X)]
    c, t, delta = exact(weights), [Fraction(int(v)) for v in y], Fraction(float(penalty))
    d = len(A[0])
    kept = list(range(d)) if delta and not free else pivots([[v * f for v in a] for a, f in zip(A, c, strict=True)])
    gram = [
        [
            sum((f * a[j] * a[k] for a, f in zip(A, c, strict=True)), Fraction(0)) + (delta if j == k else 0)
            for k in kept
        ]
        for j in kept
    ]
    for place, j in enumerate(kept):
        if j in free:
            gram[place][place] -= delta
    right = [sum((f * a[j] * v for a, f, v in zip(A, c, t, strict=True)), Fraction(0)) for j in kept]
    if not kept:
        w: list[Fraction] = []
    else:
        solved = _null_space([[*row, -b] for row, b in zip(gram, right, strict=True)])
        w = [v / solved[-1][-1] for v in solved[-1][:-1]]
    total = sum((f * v * v for f, v in zip(c, t, strict=True)), Fraction(0))
    return (total - dot(right, w)) / 2


def logistic_loss(X, y, w, weights, intercept=True, penalty=0.0, free=()):
    """Σ log(1 + e^(−y·s)) + ½δ‖w‖², to 40 digits."""
    with mpmath.workdps(40):
        s = [_real(v) for v in responses(X, w, intercept)]
        total = mpmath.fsum(float(c) * _softplus(-int(t) * v) for c, v, t in zip(weights, s, y, strict=True))
        return total + mpmath.mpf(float(penalty)) * _real(_squares(w, free)) / 2


def logistic_minimum(X, y, weights, intercept=True, penalty=0.0, free=()):
    """The smallest of `logistic_loss`, by slow and careful Newton steps. Only where there is one.

    Returned is a number that no w can be below: the value reached less what its gradient still promises.
    """
    present = [i for i, c in enumerate(weights) if c > 0]
    Z = signed(np.asarray(X)[present], np.asarray(y)[present], intercept)
    kept = list(range(len(Z[0]))) if penalty else pivots(Z)
    with mpmath.workdps(60):
        sizes = [1 if penalty else max(abs(z[j]) for z in Z) for j in kept]
        A = [[_real(z[j] / size) for j, size in zip(kept, sizes, strict=True)] for z in Z]
        c = [mpmath.mpf(float(weights[i])) for i in present]
        ridge = [mpmath.mpf(0 if j in free else float(penalty)) for j in kept]
        w = [mpmath.mpf(0)] * len(kept)

        def loss(w):
            fit = mpmath.fsum(f * _softplus(-mpmath.fdot(a, w)) for f, a in zip(c, A, strict=True))
            return fit + mpmath.fsum(r * v * v for r, v in zip(ridge, w, strict=True)) / 2

        for _ in range(400):
            p = [1 / (1 + mpmath.exp(mpmath.fdot(a, w))) for a in A]
            gradient = [
                r * v - mpmath.fsum(f * q * a[j] for f, q, a in zip(c, p, A, strict=True))
                for j, (r, v) in enumerate(zip(ridge, w, strict=True))
            ]
            hessian = mpmath.matrix(len(w), len(w))
            for j in range(len(w)):
                for k in range(len(w)):
                    hessian[j, k] = mpmath.fsum(f * q * (1 - q) * a[j] * a[k] for f, q, a in zip(c, p, A, strict=True))
                hessian[j, j] += ridge[j]
            step = mpmath.lu_solve(hessian, mpmath.matrix([-g for g in gradient]))
            decrement = -mpmath.fdot(gradient, step)
            if decrement < mpmath.mpf(10) ** -40:
                break
            before, part = loss(w), mpmath.mpf(1)
            while loss([v + part * m for v, m in zip(w, step, strict=True)]) > before - part * decrement / 4:
                part /= 2
            w = [v + part * m for v, m in zip(w, step, strict=True)]
        else:
            raise AssertionError("the oracle's Newton did not come to an end")
        return loss(w) - 2 * decrement  # near the minimum the loss is above it by half the decrement


def _real(q):
    return mpmath.mpf(q.numerator) / q.denominator


def _softplus(v):
    return mpmath.log1p(mpmath.exp(v)) if v < 0 else v + mpmath.log1p(mpmath.exp(-v))


# ------------------------------------------------------------------------------------------------------------ counting


def count(P, N):
    """Cover's C(P, N)."""
    return 2 * sum(comb(P - 1, k) for k in range(N))


def separable_labelings(X, intercept=True):
    """All labelings of the points that a hyperplane realises strictly."""
    return [
        labels
        for labels in product((-1, 1), repeat=len(X))
        if separability(signed(X, labels, intercept))[0] == "complete"
    ]


def general_position(X, intercept=True):
    """Whether no N or fewer of the vectors (x, 1) are dependent."""
    rows = signed(X, [1] * len(X), intercept)
    size = min(len(rows[0]), len(rows))
    return all(_cancelling(chosen) is None for chosen in combinations(rows, size))
