"""Naive, slow, obviously right: what the compiled code is compared with."""

from fractions import Fraction
from math import sqrt

import numpy as np

MASK = 2**64 - 1


def splitmix(seed: int, t: int) -> float:
    """The t-th number of [0, 1) of a seed, in plain integers."""
    z = (seed + (t + 1) * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    z ^= z >> 31
    return (z >> 11) / 2**53


def rows_of_pass(order, n, seed, number):
    """The rows shown in pass `number` (from 0)."""
    first = number * n
    if order == "cyclic":
        return list(range(n))
    if order == "random":
        return [int(splitmix(seed, first + k) * n) for k in range(n)]
    rows = list(range(n))
    for k in range(n):
        other = k + int(splitmix(seed, first + k) * (n - k))
        rows[k], rows[other] = rows[other], rows[k]
    return rows


def perceptron(
    X,
    y,
    *,
    eta=1.0,
    order="cyclic",
    seed=0,
    start=None,
    tie="mistake",
    normalize=False,
    margin=0.0,
    bias=True,
    passes=50,
    weights=None,
    number=float,
):
    """Rows corrected, weights after each correction, mistakes per pass; y = ±1. `number=Fraction` for exact runs."""
    Z = [[number(v) for v in row] + [number(1)] * bias for row in np.asarray(X).tolist()]
    w = [number(v) for v in (start if start is not None else [0] * len(Z[0]))]
    corrected, path, counts, quiet = [], [list(w)], [], 0
    for k in range(passes):
        counts.append(0)
        for i in rows_of_pass(order, len(Z), seed, k):
            ys = y[i] * sum((a * b for a, b in zip(Z[i], w, strict=True)), number(0))
            length = number(sqrt(sum(v * v for v in Z[i])) or 1) if normalize else number(1)
            needed = number(margin) * number(sqrt(sum(v * v for v in w))) * length if margin else number(0)
            tie_is_mistake = {"mistake": True, "correct": False, "positive": y[i] < 0, "negative": y[i] > 0}[tie]
            quiet += 1
            if ys < needed or (ys == needed and tie_is_mistake):
                step = number(eta) * y[i] / length * number(weights[i] if weights is not None else 1)
                if step != 0:
                    w = [a + step * b for a, b in zip(w, Z[i], strict=True)]
                    corrected.append(i)
                    path.append(list(w))
                    counts[-1] += 1
                    quiet = 0
            if order == "random" and quiet == len(Z):
                quiet = 0
                if clean(Z, y, w, tie):
                    return corrected, path, counts
        if counts[-1] == 0 and clean(Z, y, w, tie):
            break
    return corrected, path, counts


def clean(Z, y, w, tie):
    """No mistake on any row."""
    for z, label in zip(Z, y, strict=True):
        ys = label * sum(a * b for a, b in zip(z, w, strict=True))
        ties = {"mistake": True, "correct": False, "positive": label < 0, "negative": label > 0}
        if ys < 0 or (ys == 0 and ties[tie]):
            return False
    return True


def kesler(X, y, K, *, eta=1, order="cyclic", seed=0, start=None, tie="mistake", bias=True, passes=50, weights=None):
    """(row, right class, wrong class) of each correction, weights after each, mistakes per pass; y = 0 … K − 1.

    In fractions.
    """
    Z = [[Fraction(v) for v in row] + [Fraction(1)] * bias for row in np.asarray(X).tolist()]
    W = [[Fraction(v) for v in w] for w in (start if start is not None else [[0] * len(Z[0])] * K)]
    corrected, path, counts, quiet = [], [[list(w) for w in W]], [], 0

    def scores(z):
        return [sum((a * b for a, b in zip(z, w, strict=True)), Fraction(0)) for w in W]

    def mistaken(i):
        s = scores(Z[i])
        k = max((k for k in range(K) if k != y[i]), key=lambda k: (s[k], -k))
        return k, s[y[i]] < s[k] or (s[y[i]] == s[k] and tie == "mistake")

    def all_right():
        return not any(mistaken(i)[1] for i in range(len(Z)) if weights is None or weights[i])

    for number in range(passes):
        counts.append(0)
        for i in rows_of_pass(order, len(Z), seed, number):
            k, wrong = mistaken(i)
            quiet += 1
            step = Fraction(eta) * Fraction(1 if weights is None else weights[i])
            if wrong and step:
                W[y[i]] = [a + step * b for a, b in zip(W[y[i]], Z[i], strict=True)]
                W[k] = [a - step * b for a, b in zip(W[k], Z[i], strict=True)]
                corrected.append((i, y[i], k))
                path.append([list(w) for w in W])
                counts[-1] += 1
                quiet = 0
            if order == "random" and quiet == len(Z):
                quiet = 0
                if all_right():
                    return corrected, path, counts
        if counts[-1] == 0 and all_right():
            break
    return corrected, path, counts


def exact_dot(x, w):
    """x · w of floats, as a fraction; a missing last x is 1."""
    x = [*map(float, x)] + [1.0] * (len(w) - len(x))
    return sum((Fraction(a) * Fraction(b) for a, b in zip(x, map(float, w), strict=True)), Fraction(0))


def lane_dot(x, w):
    """The contract for dense rows: left to right below 8 columns, else sixteen lanes folded in a fixed order."""
    x, w, p = [float(v) for v in x], [float(v) for v in w], len(x)
    if p < 8:
        total = 0.0
        for a, b in zip(x, w, strict=True):
            total += a * b
        return total
    first, second, whole = [0.0] * 8, [0.0] * 8, p - p % 16
    for j in range(0, whole, 16):
        for lane in range(8):
            first[lane] += x[j + lane] * w[j + lane]
            second[lane] += x[j + 8 + lane] * w[j + 8 + lane]
    j = whole
    if p - j >= 8:
        for lane in range(8):
            first[lane] += x[j + lane] * w[j + lane]
        j += 8
    rest = [0.0] * (8 - (p - j)) + [x[k] * w[k] for k in range(j, p)]
    total = [a + (b + c) for a, b, c in zip(first, second, rest, strict=True)]
    fours = [total[k] + total[k + 4] for k in range(4)]
    return (fours[0] + fours[2]) + (fours[1] + fours[3])


def sparse_dot(x, w):
    """The contract for CSR rows: eight lanes over the stored values; the rest go to 0-3 if four, 4-5 if two, 6."""
    products = [float(a) * float(b) for a, b in zip(x, w, strict=True) if a != 0]
    whole, rest = len(products) - len(products) % 8, len(products) % 8
    places = [k % 8 for k in range(whole)]
    places += [0, 1, 2, 3] * (rest >= 4) + [4, 5] * (rest % 4 >= 2) + [6] * (rest % 2)
    s = [0.0] * 8
    for place, product in zip(places, products, strict=True):
        s[place] += product
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))


def wrong_answers(Z, y, w, zero_is_positive=False):
    """Rows that w answers wrongly, and rows on its plane; Z has its ones, y = ±1."""
    responses = [sum(a * b for a, b in zip(z, w, strict=True)) for z in Z]
    said = [1 if s > 0 or (s == 0 and zero_is_positive) else -1 for s in responses]
    return sum(a != b for a, b in zip(said, y, strict=True)), sum(s == 0 for s in responses)


def pocket(X, y, *, passes, tie="mistake", order="cyclic", seed=0, bias=True):
    """The best weights seen: w(0), those at each pass end, and in each pass those of the longest run of right answers.

    In a pass where every answer was wrong, the longest run is that of the weights before the last correction.
    """
    Z = [[float(v) for v in row] + [1.0] * bias for row in np.asarray(X).tolist()]
    w, run = [0.0] * len(Z[0]), 0
    best, fewest = list(w), wrong_answers(Z, y, w, tie == "positive")
    for k in range(passes):
        longest, lasted = None, 0
        for i in rows_of_pass(order, len(Z), seed, k):
            ys = y[i] * sum(a * b for a, b in zip(Z[i], w, strict=True))
            if ys < 0 or (
                ys == 0 and {"mistake": True, "correct": False, "positive": y[i] < 0, "negative": y[i] > 0}[tie]
            ):
                if run > lasted or lasted == 0:
                    longest, lasted = list(w), run
                w, run = [a + y[i] * b for a, b in zip(w, Z[i], strict=True)], 0
            else:
                run += 1
        if run > lasted:
            longest = list(w)
        for one in ([longest] if longest is not None else []) + [list(w)]:
            found = wrong_answers(Z, y, one, tie == "positive")
            if found < fewest:
                best, fewest = one, found
    return best, fewest


def criterion(X, y, w, bias=True):
    """E(w) and a slope of it, in fractions: −Σ w·z over w·z < 0, and −Σ z over w·z ≤ 0."""
    Z = [
        [Fraction(float(v)) * int(s) for v in [*row, *[1.0] * bias]]
        for row, s in zip(np.asarray(X).tolist(), y, strict=True)
    ]
    w = [Fraction(float(v)) for v in w]
    products = [sum((a * b for a, b in zip(z, w, strict=True)), Fraction(0)) for z in Z]
    value = -sum((p for p in products if p < 0), Fraction(0))
    slope = [-sum((z[j] for z, p in zip(Z, products, strict=True) if p <= 0), Fraction(0)) for j in range(len(w))]
    return value, slope
