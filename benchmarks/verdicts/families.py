"""Tables as people have them, in families that were slow or undecided once; each can be made of any size."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

__all__ = ["FAMILIES", "Family", "shapes"]

Labels = np.ndarray[Any, Any]
Make = Callable[[np.random.Generator, int, int], tuple[Any, Labels]]  # n rows and about p columns, and labels


class Family(NamedTuple):
    """A kind of table, and sizes at which it is measured."""

    make: Make
    sizes: tuple[tuple[int, int], ...]


def _labels(rng: np.random.Generator, n: int) -> Labels:
    return rng.integers(0, 2, size=n)


def gaussian(rng: np.random.Generator, n: int, p: int) -> tuple[Any, Labels]:
    """Normal numbers, labels at random: they overlap from about two rows a column on."""
    return rng.normal(size=(n, p)), _labels(rng, n)


def one_hot(rng: np.random.Generator, n: int, p: int) -> tuple[Any, Labels]:
    """Five factors with all their levels, in CSR, labels at random."""
    levels = max(1, p // 5)
    indices = np.column_stack([rng.integers(levels, size=n) + levels * k for k in range(5)])
    X = sp.csr_matrix((np.ones(5 * n), indices.ravel(), np.arange(0, 5 * n + 1, 5)), shape=(n, 5 * levels))
    return X, _labels(rng, n)


def pure_level(rng: np.random.Generator, n: int, p: int) -> tuple[Any, Labels]:
    """The same with one level whose rows all have one class."""
    X, y = one_hot(rng, n, p)
    y[X[:, [0]].toarray().ravel() > 0] = 1
    return X, y


def z_scores(rng: np.random.Generator, n: int, p: int) -> tuple[Any, Labels]:
    """Columns in many units, each beside its z-scores."""
    k = max(1, p // 2)
    X = rng.normal(size=(n, k)) * 10.0 ** (np.arange(k) % 10 - 3)
    return np.hstack([X, (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-300)]), _labels(rng, n)


def spectra(rng: np.random.Generator, n: int, p: int) -> tuple[Any, Labels]:
    """Smooth curves, sampled at more points than there are curves; every second time rounded to five digits."""
    at = np.linspace(0, 1, p)
    bumps = np.exp(-(((at - rng.random((n, 12, 1))) / 0.08) ** 2))
    X = (rng.random((n, 12, 1)) * bumps).sum(axis=1)
    return X.round(5) if n % 20 else X, _labels(rng, n)


def n_grams(rng: np.random.Generator, n: int, p: int) -> tuple[Any, Labels]:
    """Counts of words whose frequencies fall like 1/rank, in CSR."""
    shares = 1.0 / np.arange(1, p + 1) ** 1.05
    words = [np.unique(rng.choice(p, size=80, p=shares / shares.sum()), return_counts=True) for _ in range(n)]
    starts = np.append(0, np.cumsum([len(one) for one, _ in words]))
    counts = np.concatenate([count for _, count in words]).astype(float)
    return sp.csr_matrix((counts, np.concatenate([one for one, _ in words]), starts), shape=(n, p)), _labels(rng, n)


def images(rng: np.random.Generator, n: int, p: int) -> tuple[Any, Labels]:
    """Grey values 0 … 255 of blurred spots, which stand somewhat farther to the right in one class."""
    side = max(2, int(np.sqrt(p)))
    y, at = _labels(rng, n), np.arange(side)
    X = np.zeros((n, side, side))
    for _ in range(4):
        centre = rng.normal(0.5, 0.14, size=(2, n, 1)) * side + np.stack([0.04 * side * y, 0 * y])[:, :, None]
        across, down = np.exp(-((at - centre) ** 2) / (2 * rng.uniform(0.05, 0.14, size=(n, 1)) * side) ** 2 * 4)
        X += rng.random((n, 1, 1)) * down[:, :, None] * across[:, None, :]
    return np.clip(255 * X, 0, 255).round().reshape(n, -1), y


def garments(rng: np.random.Generator, n: int, p: int) -> tuple[Any, Labels]:
    """The same with two shapes that differ: nearly separable."""
    X, y = images(rng, n, p)
    X[y == 1] = np.clip(X[y == 1] + 40 * np.tri(1, X.shape[1], X.shape[1] // 2)[0], 0, 255)
    return X, y


def levels(rng: np.random.Generator, n: int, p: int) -> tuple[Any, Labels]:
    """One factor, its first level left out, beside two columns of numbers."""
    f = rng.integers(max(2, p), size=n)
    return np.hstack([np.eye(max(2, p))[f][:, 1:], rng.normal(size=(n, 2)).round(2)]), _labels(rng, n)


def nested(rng: np.random.Generator, n: int, p: int) -> tuple[Any, Labels]:
    """A factor within another, both with all levels, so that columns can be computed from others."""
    inner = rng.integers(max(2, p), size=n)
    outer = inner // 5
    return np.hstack([np.eye(max(2, p))[inner], np.eye(max(2, p) // 5 + 1)[outer]]), _labels(rng, n)


def crossed(rng: np.random.Generator, n: int, p: int) -> tuple[Any, Labels]:
    """Two factors and their interaction, with all levels."""
    k = max(2, int(np.sqrt(p)))
    a, b = rng.integers(k, size=n), rng.integers(k, size=n)
    return np.hstack([np.eye(k)[a], np.eye(k)[b], np.eye(k * k)[a * k + b]]), _labels(rng, n)


def years(rng: np.random.Generator, n: int, p: int) -> tuple[Any, Labels]:
    """year, year², year³, and others."""
    year = rng.integers(1990, 2021, size=(n, 1)).astype(float)
    return np.hstack([year, year**2, year**3, rng.normal(size=(n, max(1, p - 3)))]), _labels(rng, n)


def ratios(rng: np.random.Generator, n: int, p: int) -> tuple[Any, Labels]:
    """Positive numbers, their products and their ratios."""
    k = max(2, p // 3)
    X = rng.lognormal(size=(n, k)).round(2) + 0.01
    return np.hstack([X, X * np.roll(X, 1, axis=1), X / np.roll(X, 1, axis=1)]), _labels(rng, n)


def totals(rng: np.random.Generator, n: int, p: int) -> tuple[Any, Labels]:
    """Columns, and some calculated from them but on the rows of a level that is of one class."""
    k = max(1, p - 5)
    X, y, pure = rng.normal(size=(n, k)) * 10.0 ** rng.integers(-2, 5, k), _labels(rng, n), np.arange(n) < 5
    sums = X @ (rng.normal(size=(k, 4)) * (rng.random((k, 4)) < 0.2))
    sums[pure] += rng.normal(size=sums[pure].shape) * (1 + sums.std())
    y[pure] = 1
    return np.column_stack([X, sums, pure]), y


FAMILIES = {
    "Gaussian": Family(gaussian, ((44, 20), (440, 200), (880, 400), (1760, 800), (4400, 2000))),
    "five factors": Family(
        one_hot,
        ((20_000, 500), (50_000, 1_000), (50_000, 5_000), (100_000, 1_500), (200_000, 3_000), (1_000_000, 5_000)),
    ),
    "five factors, a pure level": Family(pure_level, ((50_000, 5_000), (1_000_000, 5_000))),
    "beside z-scores": Family(z_scores, ((2_000, 20), (2_000, 80), (200, 40))),
    "smooth spectra": Family(spectra, ((200, 1_000), (201, 1_000), (100, 2_000), (201, 300), (50, 3_000))),
    "n-gram counts": Family(n_grams, ((4_000, 3_000), (20_000, 1_500))),
    "images": Family(images, ((4_000, 784),)),
    "garments": Family(garments, ((4_000, 784),)),
    "a factor": Family(levels, ((3_000, 100), (10_000, 300), (10_000, 1_000))),
    "nested factors": Family(nested, ((3_000, 100),)),
    "crossed factors": Family(crossed, ((10_000, 400),)),
    "year, year², year³": Family(years, ((2_000, 6),)),
    "products and ratios": Family(ratios, ((148, 24),)),
    "totals, but for a level": Family(totals, ((200, 25), (600, 65), (1_100, 115))),
}


def shapes() -> Iterator[tuple[str, Any, Labels]]:
    """Each family at each of its sizes: a name, the rows and the labels."""
    for name, (make, sizes) in FAMILIES.items():
        for n, p in sizes:
            X, y = make(np.random.default_rng(n + p), n, p)
            yield f"{name}, {n:,} × {X.shape[1]:,}", X, y
