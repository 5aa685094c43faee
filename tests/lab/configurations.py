"""Points that are hard to decide about: duplicates, lines, units of 1e±6, ties, signed zeros, the smallest floats."""

import numpy as np
import numpy.typing as npt

__all__ = ["configuration"]

Points = tuple[npt.NDArray[np.float64], npt.NDArray[np.int8]]

_ODD = [0.0, -0.0, 5e-324, -5e-324, 1e-310, 1.0, -1.0, 0.1, 1e6, -1e-6]


def configuration(number: int) -> Points:
    """The points of this number, of one of nine families; labels at random, by a hyperplane, or touching one."""
    rng = np.random.default_rng(number)
    n, p = int(rng.integers(2, 14)) if number % 50 else 1, int(rng.choice([1, 2, 2, 2, 3]))
    families = (_grid, _cloud, _units, _line, _tenths, _odd, _twins, _features, _rounded)
    X = np.ascontiguousarray(families[number % len(families)](rng, n, p), dtype=np.float64)
    return X, _labels(rng, X)


def _labels(rng: np.random.Generator, X: npt.NDArray[np.float64]) -> npt.NDArray[np.int8]:
    n, p = X.shape
    random = np.where(rng.random(n) < 0.5, 1, -1)
    way = rng.integers(5)
    if way == 0:
        return random.astype(np.int8)
    if way == 1:
        return np.where(X @ rng.normal(size=p) + 0.1 * rng.normal() > 0, 1, -1).astype(np.int8)
    middle = np.sort(X[:, 0])[n // 2]  # both classes on this hyperplane, or one
    side = np.where(X[:, 0] > middle, 1, np.where(X[:, 0] < middle, -1, random))
    if way == 4:
        side[0] = -side[0]
    return side.astype(np.int8)


def _grid(rng: np.random.Generator, n: int, p: int) -> npt.NDArray[np.float64]:
    return rng.integers(-2, 3, size=(n, p)).astype(np.float64)


def _cloud(rng: np.random.Generator, n: int, p: int) -> npt.NDArray[np.float64]:
    return rng.normal(size=(n, p))


def _units(rng: np.random.Generator, n: int, p: int) -> npt.NDArray[np.float64]:
    return _rounded(rng, n, p) * 10.0 ** rng.integers(-6, 7, size=p)


def _line(rng: np.random.Generator, n: int, p: int) -> npt.NDArray[np.float64]:
    along, start = rng.integers(-2, 3, size=(1, p)), rng.integers(-1, 2, size=(1, p))
    return np.asarray(start + rng.integers(-3, 4, size=(n, 1)) * along * rng.choice([1.0, 0.1, 1e-6]))


def _tenths(rng: np.random.Generator, n: int, p: int) -> npt.NDArray[np.float64]:
    return rng.integers(-3, 4, size=(n, p)) * 0.1


def _odd(rng: np.random.Generator, n: int, p: int) -> npt.NDArray[np.float64]:
    return rng.choice(_ODD, size=(n, p))


def _twins(rng: np.random.Generator, n: int, p: int) -> npt.NDArray[np.float64]:
    return np.repeat(rng.normal(size=((n + 1) // 2, p)), 2, axis=0)[:n]


def _features(rng: np.random.Generator, n: int, p: int) -> npt.NDArray[np.float64]:
    """Φ as the lab has it, of points on a grid or not."""
    a, b = (rng.integers(-2, 3, size=(2, n)) * rng.choice([1.0, 0.25, 0.1])).astype(np.float64)
    return np.column_stack([a, b, a * b, a * a, b * b])[:, : int(rng.choice([3, 5]))]


def _rounded(rng: np.random.Generator, n: int, p: int) -> npt.NDArray[np.float64]:
    return np.round(rng.normal(size=(n, p)), 1)
