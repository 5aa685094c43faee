"""Has a concept been erased? Whether the classes' means are equal, in exact fractions.

Where they are, no affine predictor has a lower convex loss than a constant: by Jensen's inequality the mean loss of
w·x + b over a class is at least that of w·μ + b, and μ is the same for both (Belrose and others 2023, LEACE). And
λ = 1/(rows of the class) makes Σ λ y (x, 1) = 0: an ordinary certificate of overlap.

Values in a file were rounded. The most that this can have moved the difference of the means is half the spacing of the
file's numbers at each value, averaged over each class and added up.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arguments import checked
from rosenblatt.arrays import Floats, Signs
from rosenblatt.data.numbers import Rows, rows_of, two_class_signs
from rosenblatt.exact import combine, together
from rosenblatt.verdicts import read_numbers
from rosenblatt.verdicts.certificates import Certificate, digest
from rosenblatt.verdicts.points import Points
from rosenblatt.verdicts.search import Proof

__all__ = ["Erasure", "erased"]

# of each type: binary digits of the significand (with the hidden one), and the exponent of the smallest number above 0
_TYPES = {"float64": (53, -1074), "float32": (24, -149), "float16": (11, -24), "bfloat16": (8, -133)}


@dataclass(frozen=True)
class Erasure:
    """What `erased` found.

    Attributes
    ----------
    kind : str
        "equal", "equal to rounding" or "different".
    difference : list of Fraction
        Mean of the second class minus mean of the first, of each column.
    rounding : list of Fraction
        The most that rounding each value to `dtype` can have moved it.
    column : int
        Where the difference is largest beside what rounding can cause.
    before : float or None
        The largest difference that a column had before, if that was given.
    certificate : Certificate or None
        Where the means are equal: no hyperplane separates the classes, not even with rows on it.
    """

    kind: str
    difference: list[Fraction]
    rounding: list[Fraction]
    column: int
    dtype: str
    before: float | None
    certificate: Certificate | None

    def __bool__(self) -> bool:
        return self.kind == "equal"

    def __str__(self) -> str:
        return self.sentence

    @property
    def sentence(self) -> str:
        """What was found, what follows, and what does not."""
        p, size = len(self.difference), float(abs(self.difference[self.column]))
        before = "" if self.before is None else f" Before, the largest difference was {self.before:.3g}."
        if self.kind == "equal":
            return (
                f"the class means are equal in all {p:,} column{'s' if p > 1 else ''}, exactly.{before} So on these "
                "rows no affine predictor has a lower convex loss (logistic, squared, hinge) than the best constant. A "
                "hyperplane may still be right more often than a constant."
            )
        most = (
            f"most in column {self.column}, by {size:.3g}, where rounding can cause "
            f"{float(self.rounding[self.column]):.3g}.{before}"
        )
        if self.kind == "equal to rounding":
            return (
                f"the class means differ by at most what rounding each value to {self.dtype} can cause: {most} The "
                "values before rounding may have had equal means; these have not."
            )
        many = sum(abs(d) > r for d, r in zip(self.difference, self.rounding, strict=True))
        return (
            f"the class means differ in {many:,} of {p:,} column{'s' if p > 1 else ''} by more than rounding each "
            f"value to {self.dtype} can cause: {most} So on these rows an affine predictor has a lower logistic loss, "
            "and a lower squared loss, than the best constant."
        )


@checked
def erased(after: Any, y: Any, before: Any = None, dtype: str | None = None) -> Erasure:
    """Whether two classes have equal means, exactly, and what follows from it.

    Parameters
    ----------
    after : array or torch tensor of shape (n, p)
        Representations from which the concept was erased.
    y : n labels of two classes
    before : array of shape (n, p), optional
        The representations before, to say how large the difference was.
    dtype : {"float64", "float32", "float16", "bfloat16"}, optional
        The type that the values were rounded to; None: that of `after`.

    Examples
    --------
    >>> import numpy as np, rosenblatt as rb
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> xor = rb.probes.erased(X, [0, 1, 1, 0])
    >>> print(xor)
    the class means are equal in all 2 columns, exactly. So on these rows no affine predictor has a lower convex loss
    (logistic, squared, hinge) than the best constant. A hyperplane may still be right more often than a constant.
    >>> xor.certificate.verify(X, [0, 1, 1, 0])
    'overlap: 4 rows have mixtures that coincide; no hyperplane separates, not even touching'
    """
    rows, own = _values(after)
    X = rows.take(slice(None))
    dtype = dtype or own
    if dtype not in _TYPES:
        raise ValueError(f"dtype={dtype!r} must be one of {', '.join(_TYPES)}.")
    signs = two_class_signs(np.asarray(y), len(X))
    difference, rounding = _means_apart(X, signs), _rounding(X, signs, dtype)
    ratios = [(abs(d) / r if r else Fraction(10**9) * bool(d)) for d, r in zip(difference, rounding, strict=True)]
    column = max(range(len(ratios)), key=lambda j: (ratios[j], abs(difference[j])))
    if not any(difference):
        kind = "equal"
    elif all(abs(d) <= r for d, r in zip(difference, rounding, strict=True)):
        kind = "equal to rounding"
    else:
        kind = "different"
    certificate = _certificate(rows, signs, y) if kind == "equal" else None
    return Erasure(kind, difference, rounding, column, dtype, _largest_before(before, X, signs), certificate)


def _values(X: Any) -> tuple[Rows, str]:
    """The values as floats, and the name of the type they had."""
    if hasattr(X, "detach"):
        name = str(X.dtype).removeprefix("torch.")
        X = X.detach().cpu().double().numpy()
    else:
        X = X if hasattr(X, "dtype") or hasattr(X, "columns") else np.asarray(X)
        name = str(getattr(X, "dtype", "float64"))
    if np.ndim(X) != 2 or not np.size(X):
        raise ValueError(f"representations must be rows × columns; the shape is {np.shape(X)}.")
    rows = rows_of(X)
    if rows.origin.columns:
        raise ValueError(
            f"representations have numbers in column {rows.origin.columns[0]} that floats do not hold: give floats."
        )
    rows = read_numbers(rows, "binary")
    values = rows.take(slice(None))
    if not np.isfinite(values).all():
        i, j = np.argwhere(~np.isfinite(values))[0]
        raise ValueError(f"representations have {values[i, j]} in row {i}, column {j}: drop the row first.")
    return rows, name if name in _TYPES else "float64"


def _means_apart(X: Floats, signs: Signs) -> list[Fraction]:
    """μ₊ − μ₋, exactly."""
    positive, negative = int((signs > 0).sum()), int((signs < 0).sum())
    factors = [negative if sign > 0 else -positive for sign in signs.tolist()]
    return together([combine(factors, X)], [positive * negative] * X.shape[1])


def _rounding(X: Floats, signs: Signs, dtype: str) -> list[Fraction]:
    """Half the spacing at each value, averaged over each class, both added up."""
    digits, least = _TYPES[dtype]
    exponents = np.frexp(X)[1] - 1
    half = np.ldexp(1.0, np.maximum(np.where(X == 0, least, exponents - digits + 1), least) - 1)
    if dtype == "float64":  # half of its smallest number is no float: twice as much is still a bound
        half = np.maximum(half, 5e-324)
    of_class = [half[signs == sign] for sign in (1, -1)]
    means = [together([combine(None, one)], [len(one)] * X.shape[1]) for one in of_class]
    return [a + b for a, b in zip(*means, strict=True)]


def _largest_before(before: object, X: Floats, signs: Signs) -> float | None:
    if before is None:
        return None
    values = _values(before)[0].take(slice(None))
    if values.shape != X.shape:
        raise ValueError(f"before has shape {values.shape}, and after {X.shape}.")
    return float(max(abs(d) for d in _means_apart(values, signs)))


def _certificate(rows: Rows, signs: Signs, y: npt.ArrayLike) -> Certificate:
    """λ = 1/(rows of the class), in whole numbers; checked before it is given."""
    positive, negative = int((signs > 0).sum()), int((signs < 0).sum())
    shared = gcd(positive, negative)
    of_class = {1: 2 * negative // shared - 1, -1: 2 * positive // shared - 1}  # one more by the base
    mixture = {i: of_class[sign] for i, sign in enumerate(signs.tolist())}
    points = Points(rows, signs, True)
    classes = [str(one) for one in np.unique(np.asarray(y)).tolist()]
    features = [f"x{j}" for j in range(rows.p)]
    proof = Proof("overlap", [], mixture, base=1)
    certificate = Certificate.of(proof, points, digest(rows, signs, "dense"), classes, features)
    certificate.check(points)
    return certificate
