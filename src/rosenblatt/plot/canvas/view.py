"""Views: which two directions a picture shows of data with many columns, and what is true in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats, Integers, Labels, Signs
from rosenblatt.data.numbers import Rows, as_rows, column_names, two_class_signs
from rosenblatt.models import Hyperplane, Trace
from rosenblatt.plot.canvas.style import Estimator

__all__ = ["DrawnExamples", "View", "hyperplane_of", "main_direction", "parted", "trace_of", "unit"]

_SAMPLE = 500  # rows that a principal direction is computed from


@dataclass(frozen=True)
class DrawnExamples:
    """Rows, their labels as −1/+1, and the names of columns and classes."""

    rows: Rows
    signs: Signs  # of more than two classes their numbers, from 0
    features: list[str]
    classes: list[tuple[str, int]]  # (name, count), the positive class second

    @classmethod
    def of(
        cls, X: Any, y: npt.ArrayLike, features: Sequence[str] | None = None, *, known: Labels | None = None
    ) -> "DrawnExamples":
        """From arrays, sparse matrices or tables with two classes, or those `known`; DrawnExamples come back."""
        if isinstance(X, DrawnExamples):
            return X
        names = list(features) if features is not None else column_names(X)
        rows = as_rows(X)
        rows.radius_sq(False)  # refuses NaN and inf
        labels = np.asarray(y)
        if known is None:
            signs = two_class_signs(labels, rows.n)
            classes, counts = np.unique(labels, return_counts=True)
        else:
            signs, counts = _numbered(labels, np.asarray(known), rows.n)
            classes = np.asarray(known)
        names = names if names is not None else [f"x{j + 1}" for j in range(rows.p)]
        if len(names) != rows.p:
            raise ValueError(f"there must be one name for each of {rows.p} columns; there are {len(names)}.")
        return cls(rows, signs, names, [(str(c), int(k)) for c, k in zip(classes.tolist(), counts, strict=True)])

    def sample(self, limit: int, keep: Integers | Sequence[int] = ()) -> Integers:
        """At most about `limit` row numbers, evenly spread, and always those of `keep` (as far as they fit)."""
        if self.rows.n <= limit:
            return np.arange(self.rows.n)
        kept = np.asarray(keep, dtype=np.int64)[:limit]
        even = np.linspace(0, self.rows.n - 1, max(1, limit - kept.size)).astype(np.int64)
        return np.union1d(kept, even)

    def distances(self, plane: Hyperplane) -> Floats:
        """Signed distances to a hyperplane in input space; of sparse rows too."""
        return np.asarray(self.rows.respond(np.append(plane.w, plane.b)) / float(np.linalg.norm(plane.w)))

    def shifted(self) -> Floats:
        """Some rows about their mean, to find directions with."""
        some = self.rows.take(self.sample(_SAMPLE))
        return np.asarray(some - some.mean(axis=0))

    def mean(self) -> Floats:
        """The middle of the examples."""
        return np.asarray(self.rows.take(self.sample(_SAMPLE)).mean(axis=0))


@dataclass(frozen=True)
class View:
    """A plane in input space: x is drawn at the coordinates of x − origin along two orthonormal directions.

    A hyperplane whose normal vector lies in the plane is seen edge on, so every example is drawn on its true side. Any
    other hyperplane is seen as a section through `origin`, and examples may be drawn on the wrong side of it.
    """

    origin: Floats
    basis: Floats  # (2, p)
    names: tuple[str, str]

    @classmethod
    def of(cls, examples: DrawnExamples, w: Floats, b: float, features: Sequence[int | str] | None = None) -> "View":
        """The columns that were chosen, or across the hyperplane."""
        return cls.across(examples, w, b) if features is None else cls.of_features(examples, features)

    @classmethod
    def of_features(cls, examples: DrawnExamples, features: Sequence[int | str]) -> "View":
        """Two columns, by name or number; the others are held at their mean."""
        places = [_feature_place(f, examples.features) for f in features]
        if len(places) != 2 or places[0] == places[1]:
            raise ValueError(f"features must name two different columns; got {list(features)}.")
        basis = np.zeros((2, examples.rows.p))
        basis[[0, 1], places] = 1.0
        origin = examples.mean()
        origin[places] = 0.0
        return cls(origin, basis, (examples.features[places[0]], examples.features[places[1]]))

    @classmethod
    def across(cls, examples: DrawnExamples, w: Floats, b: float) -> "View":
        """The data's own plane; with more than two columns the plane of w and the main direction orthogonal to it.

        There the first coordinate is the signed distance to the hyperplane w·x + b = 0, as it is in input space.
        """
        p = examples.rows.p
        if p == 1:
            return cls(np.zeros(1), np.array([[1.0], [0.0]]), (examples.features[0], ""))
        if p == 2:
            return cls(np.zeros(2), np.eye(2), (examples.features[0], examples.features[1]))
        if not np.any(w):
            return cls.of_features(examples, (0, 1))
        normal, length = unit(w)
        second = main_direction(examples.shifted(), normal)
        origin = -b / length * normal
        return cls(origin, np.array([normal, second]), ("signed distance to the hyperplane", "main direction along it"))

    @classmethod
    def between(cls, examples: DrawnExamples, W: Floats) -> "View":
        """The columns, if there are two; of more, the two directions in which the classes' scores differ most."""
        p = examples.rows.p
        if p <= 2:
            return cls.across(examples, np.zeros(p), 0.0)
        differences = W - W.mean(axis=0)
        first = main_direction(differences, np.zeros(p))
        names = ("where the classes' scores differ most", "where they differ most across it")
        return cls(examples.mean(), np.array([first, main_direction(differences, first)]), names)

    @classmethod
    def spanned(cls, w: Floats, other: Floats, features: Sequence[str], names: tuple[str, str]) -> "View":
        """The plane of two vectors through the origin; of two columns, the columns themselves."""
        if w.size == 2:
            return cls(np.zeros(2), np.eye(2), (features[0], features[1]))
        first = unit(w)[0] if np.any(w) else unit(other)[0]
        return cls(np.zeros(w.size), np.array([first, main_direction(other[None, :], first)]), names)

    def points(self, X: Floats, signs: Signs) -> Floats:
        """Where rows are drawn; of one column in two lanes, so that equal values do not hide each other."""
        points = np.asarray((X - self.origin) @ self.basis.T)
        return np.column_stack([points[:, 0], signs * 0.5]) if X.shape[1] == 1 else points

    def line(self, w: Floats, b: float) -> tuple[Floats, float]:
        """(v, c): the hyperplane w·x + b = 0 meets this plane where v·a + c = 0."""
        return self.basis @ w, float(b + self.origin @ w)

    def shows_truly(self, w: Floats) -> bool:
        """Whether that hyperplane is seen edge on."""
        if not np.any(w):
            return True
        normal = unit(w)[0]
        return bool(np.linalg.norm(normal - self.basis.T @ (self.basis @ normal)) < 1e-9)


def _numbered(labels: npt.NDArray[Any], known: npt.NDArray[Any], n: int) -> tuple[Signs, Integers]:
    """The number of each label among the known classes, and how often each comes."""
    if labels.shape != (n,):
        raise ValueError(f"y needs one label for each of {n} rows; its shape is {labels.shape}.")
    strange = np.flatnonzero(~np.isin(labels, known))
    if strange.size:
        raise ValueError(f"row {strange[0]} is of class {str(labels[strange[0]])!r}, which the model does not know.")
    codes = np.searchsorted(known, labels)
    return codes.astype(np.int8), np.bincount(codes, minlength=len(known))


def hyperplane_of(estimator: Estimator) -> Hyperplane:
    """The one hyperplane of a fitted linear classifier."""
    if not hasattr(estimator, "coef_"):
        raise ValueError(f"{type(estimator).__name__} has no coef_: fit a linear classifier first.")
    coef = np.atleast_2d(np.asarray(estimator.coef_, dtype=np.float64))
    if len(coef) != 1:
        raise ValueError(f"{type(estimator).__name__} has {len(coef)} hyperplanes, one per class: draw two classes.")
    return Hyperplane(coef[0], float(np.ravel(estimator.intercept_)[0]))


def trace_of(estimator: Estimator) -> Trace:
    """The recorded run of a fitted perceptron of two classes."""
    trace = getattr(estimator, "trace_", None)
    if not isinstance(trace, Trace):
        raise ValueError("there is no run to draw: fit a Perceptron(trace=True) on two classes.")
    return trace


def parted(weights: Floats, p: int) -> tuple[Floats, Floats]:
    """The weights of p columns, and the bias, 0 where there is none; of one vector, or of a row each."""
    return weights[..., :p], weights[..., p] if weights.shape[-1] > p else np.zeros(weights.shape[:-1])


def unit(w: Floats) -> tuple[Floats, float]:
    """w/‖w‖ and ‖w‖, without overflow on the way."""
    largest = float(np.max(np.abs(w)))
    scaled = w / largest
    length = float(np.linalg.norm(scaled))
    return scaled / length, length * largest


def main_direction(vectors: Floats, normal: Floats) -> Floats:
    """The unit vector orthogonal to `normal` along which the vectors have most of their length."""
    rest = vectors - np.outer(vectors @ normal, normal)
    size = float(np.max(np.abs(rest), initial=0.0))
    if size <= 1e-12 * float(np.max(np.abs(vectors), initial=0.0)):  # all on one line: any orthogonal direction will do
        rest, size = np.eye(normal.size)[[int(np.argmin(np.abs(normal)))]], 1.0
    found = np.linalg.svd(rest / size, full_matrices=False)[2][0]
    found = found - (found @ normal) * normal
    found = found / np.linalg.norm(found)
    return np.asarray(found * (1.0 if found[np.argmax(np.abs(found))] > 0 else -1.0))


def _feature_place(feature: int | str, names: Sequence[str]) -> int:
    if isinstance(feature, str):
        if feature not in names:
            raise ValueError(f"no column is called {feature!r}; they are {', '.join(names[:12])}.")
        return list(names).index(feature)
    if not 0 <= feature < len(names):
        raise ValueError(f"there is no column {feature}: there are {len(names)}, counted from 0.")
    return int(feature)
