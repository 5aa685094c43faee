"""Small tables, ugly on purpose: the same number gives the same table everywhere."""

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

__all__ = ["Table", "prices", "table"]


@dataclass(frozen=True)
class Table:
    """Rows, labels 0/1, weights of rows, and whether a hyperplane may miss the origin."""

    name: str
    X: np.ndarray
    labels: np.ndarray
    weights: np.ndarray | None = None
    intercept: bool = True
    sparse: bool = False

    @property
    def y(self):
        """Labels as −1/+1."""
        return 2 * self.labels - 1

    @property
    def given(self):
        """X as a learner gets it."""
        return sp.csr_matrix(self.X) if self.sparse else self.X

    @property
    def present(self):
        """Numbers of the rows that count."""
        return np.arange(len(self.X)) if self.weights is None else np.flatnonzero(self.weights)

    @property
    def all_weights(self):
        return np.ones(len(self.X)) if self.weights is None else self.weights

    @property
    def two_classes(self):
        return len(np.unique(self.labels)) == 2

    def __repr__(self):
        rows = ", ".join(f"{x} → {y}" for x, y in zip(self.X.tolist(), self.labels.tolist(), strict=True))
        weights = "" if self.weights is None else f" weights={self.weights.tolist()}"
        return f"<{self.name}: {rows}{weights} intercept={self.intercept} sparse={self.sparse}>"


def table(number: int) -> Table:
    """The table of this number."""
    rng = np.random.default_rng([15, number])
    make = _FAMILIES[number % len(_FAMILIES)]
    X, labels = make(rng)
    made = Table(
        f"table {number}, {make.__name__.strip('_')}", np.asarray(X, dtype=float), np.asarray(labels, dtype=int)
    )
    return _spoiled(made, rng)


# ------------------------------------------------------------------------------------------------------------- families


def _gate(rng):
    """AND, OR, XOR and all other functions of two or three variables."""
    n = int(rng.integers(2, 4))
    X = np.array(np.unravel_index(np.arange(2**n), (2,) * n)).T
    named = {2: [8, 14, 6, 7, 9], 3: [128, 254, 150, 232]}[n]
    code = int(rng.choice(named)) if rng.random() < 0.7 else int(rng.integers(1, 2 ** len(X) - 1))
    return X, [code >> i & 1 for i in range(len(X))]


def _grid(rng):
    n, p = int(rng.integers(2, 8)), int(rng.integers(1, 4))
    return rng.integers(0, 3, (n, p)), _two(rng, rng.integers(0, 2, n))


def _separable(rng):
    n, p = int(rng.integers(3, 9)), int(rng.integers(1, 4))
    X, w = rng.integers(-4, 5, (n, p)), rng.integers(-3, 4, p)
    s = X @ w
    return X, _two(rng, s > np.median(s))


def _touching(rng):
    """No row is on the wrong side of a line, and rows of both classes are on it."""
    n = int(rng.integers(2, 4))
    t = rng.integers(-2, 3, n)
    on = np.column_stack([t, t])
    off = np.array([[0, 1 + int(rng.integers(3))], [1 + int(rng.integers(3)), 0]])
    return np.vstack([on, on[::-1], off]), [0] * n + [1] * n + [1, 0]


def _duplicates(rng):
    X, y = _grid(rng)
    copies = rng.integers(0, len(X), 3)
    flips = rng.random(3) < 0.3
    return np.vstack([X, np.asarray(X)[copies]]), np.concatenate([y, np.where(flips, 1 - y[copies], y[copies])])


def _factors(rng):
    """One-hot levels; with a level that has one class only, or without; sometimes a number beside them."""
    n, levels = int(rng.integers(5, 9)), int(rng.integers(2, 4))
    code = np.concatenate([np.arange(levels), rng.integers(0, levels, n - levels)])
    y = rng.integers(0, 2, n)
    if rng.random() < 0.5:
        y[code == 0] = 1
    X = np.eye(levels)[code]
    if rng.random() < 0.5:
        X = np.column_stack([X, rng.integers(0, 4, n)])
    return X, _two(rng, y)


def _constant(rng):
    X, y = _grid(rng)
    return np.column_stack([X, np.full(len(X), rng.integers(-1, 3))]), y


def _wide(rng):
    n = int(rng.integers(2, 4))
    return rng.integers(-2, 3, (n, n + 1)), _two(rng, rng.integers(0, 2, n))


def _one_class(rng):
    n = int(rng.integers(1, 5))
    return rng.integers(-2, 3, (n, 2)), np.full(n, rng.integers(0, 2))


def _thin(rng):
    """Four points on a line, two of them closer than one part in 2^g."""
    gap = 2.0 ** -float(rng.integers(3, 50))
    return [[0.0], [1.0], [1.0 + gap], [2.0]], [0, 0, 1, 1]


def _clouds(rng):
    """Numbers with all their digits, rows sorted by class."""
    n, p = int(rng.integers(3, 5)), int(rng.integers(1, 3))
    apart = rng.choice([0.5, 3.0])
    return np.vstack([rng.normal(size=(n, p)), rng.normal(size=(n, p)) + apart]), [0] * n + [1] * n


def _line(rng):
    """One column: steps, with ties, that cross or do not."""
    n = int(rng.integers(3, 9))
    x = np.sort(rng.integers(0, 6, n))
    return x[:, None], _two(rng, x + rng.integers(0, 3, n) > 3)


_FAMILIES = (
    _gate,
    _grid,
    _separable,
    _touching,
    _duplicates,
    _factors,
    _constant,
    _wide,
    _one_class,
    _thin,
    _clouds,
    _line,
)


def prices(number: int) -> Table:
    """Columns that can be computed from one another as a file has them, but not as floats."""
    rng = np.random.default_rng([16, number])
    n = int(rng.integers(5, 9))
    a, b = rng.integers(101, 999, n), rng.integers(1, 99, n) * (rng.random(n) < 0.7)
    made = [
        np.column_stack([a, b, a - b]) / 100,  # price, discount, price paid
        np.column_stack([a / 10, 254 * a / 1000]),  # inches, centimetres
        np.column_stack([a / 10, (18 * a + 3200) / 100]),  # degrees of Celsius, of Fahrenheit
        np.column_stack([a / 10, b / 10]),
    ][number // 2 % 4]
    labels = _two(rng, made[:, 0] + rng.normal(size=n) > np.median(made[:, 0]))
    return Table(f"prices {number}", made, labels, intercept=number % 5 != 0, sparse=number % 7 == 0)


def calculated(number: int) -> Table:
    """Columns that were calculated from one another and rounded: floats, and no longer exact combinations."""
    rng = np.random.default_rng([17, number])
    n = int(rng.integers(4, 8))
    a, b = rng.integers(300, 400, n) / 2, rng.normal(size=n)
    made = [
        np.column_stack([a, a / 2.54]),  # centimetres, inches
        np.column_stack([a, (a - a.mean()) / a.std(), b]),  # standardised
        np.column_stack([a / 3, a / 3 * 9 / 5 + 32]),  # degrees of Celsius, of Fahrenheit
        np.column_stack([b, np.exp(b), b + np.exp(b)]),  # a total
    ][number % 4]
    labels = _two(rng, made[:, 0] + rng.normal(size=n) > np.median(made[:, 0]))
    return Table(f"calculated {number}", made, labels, intercept=number % 5 != 0, sparse=number % 7 == 0)


def _two(rng, y):
    """Both classes, if there is more than one row."""
    y = np.array(y, dtype=int)
    if len(y) > 1 and len(np.unique(y)) == 1:
        y[int(rng.integers(len(y)))] ^= 1
    return y


def _spoiled(made: Table, rng) -> Table:
    """Other units, another order, weights, another layout."""
    X, n = made.X.copy(), len(made.X)
    if rng.random() < 0.25:
        X = X * 10.0 ** rng.choice([-8, 8, 0], X.shape[1])
    if rng.random() < 0.1:
        X = X + 10.0 ** rng.integers(3, 7)
    order = np.argsort(made.labels, kind="stable") if rng.random() < 0.3 else rng.permutation(n)
    X, labels, weights = X[order], made.labels[order], None
    if rng.random() < 0.2:
        weights = rng.choice([0.0, 0.5, 1.0, 2.0, 3.0], n)
        if len(np.unique(labels[weights > 0])) < len(np.unique(labels)):
            weights = np.where(weights == 0, 1.0, weights)
    if rng.random() < 0.1:
        X = X.astype(np.float32)
    return replace(
        made,
        X=X,
        labels=labels,
        weights=weights,
        intercept=bool(rng.random() < 0.85),
        sparse=bool(rng.random() < 0.15),
    )
