"""What a worker answers when a verdict is sought or checked: exact signs, the worst rows, rows out of a span, sums."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.distributed.shard import Shard
from rosenblatt.exact.modular import SpanTest
from rosenblatt.verdicts.candidates import smallest
from rosenblatt.verdicts.decimals import DecimalSurvey, Powers
from rosenblatt.verdicts.decimals import fits as decimals_fit
from rosenblatt.verdicts.points import Points, Weighed

__all__ = [
    "HeldPoints",
    "Seen",
    "below",
    "count_present",
    "extremes",
    "fits",
    "hold",
    "hold_present",
    "look",
    "not_strict_with",
    "outside_span",
    "plane_of",
    "read_as",
    "strict_with",
    "sums_beyond",
    "survey",
    "take",
    "weigh",
]

_BLOCK = 1 << 20  # values made exact at a time
_SHORTEST = 1e-140  # lengths whose squares float64 holds


class HeldPoints(Points):
    """A shard's vectors z = y·(x, 1). Only the coordinator's few rows need the sums of least squares."""

    def _measure(self) -> None:
        squares = np.concatenate([np.einsum("ij,ij->i", block, block) for block in map(self._scaled, self._slices())])
        self.lengths = np.where(squares < _SHORTEST**2, 1.0, np.sqrt(squares))

    def _slices(self) -> Iterator[slice]:
        return (slice(first, stop) for first, stop in self._pieces())

    def __sizeof__(self) -> int:  # Dask asks, before it moves or spills anything
        arrays = [*self.rows.kernel, self.y, self.lengths]
        return sum(int(array.nbytes) for array in arrays if hasattr(array, "nbytes"))


def survey(points: Points) -> DecimalSurvey:
    """What a shard's columns may be read as."""
    return DecimalSurvey.of(points.rows)


def fits(points: Points, decimals: Powers) -> bool:
    """Whether all values of a shard are such decimals."""
    return decimals_fit(points.rows, decimals)


def read_as(points: HeldPoints, decimals: Powers | None) -> HeldPoints:
    """The shard, read in such decimals."""
    return points.read_as(decimals)


def hold(shard: Shard) -> HeldPoints:
    """Prepare a shard for looks."""
    return HeldPoints(shard.rows, shard.targets[0], shard.bias)


def hold_present(shard: Shard, k: int) -> HeldPoints:
    """The rows of positive weight, with the labels of run k."""
    present = shard.present
    if present.all():
        return HeldPoints(shard.rows, shard.targets[k], shard.bias)
    return HeldPoints(shard.rows.subset(present), shard.targets[k][present], shard.bias)


def count_present(shard: Shard) -> int:
    """Rows of positive weight."""
    return int(np.count_nonzero(shard.present))


def take(points: Points, rows: npt.NDArray[np.int64]) -> Any:
    """Some rows and their labels."""
    return points.rows.take(rows), points.y[rows]


class Seen(NamedTuple):
    """How whole-numbered weights stand to the rows of a shard: every sign is exact."""

    wrong: int
    on_plane: int
    rows: npt.NDArray[np.int64]  # the worst, worst first
    signs: npt.NDArray[np.int8]
    agreements: npt.NDArray[np.float64]  # y·(w·x + b), about


def look(points: Points, w: list[int], k: int) -> Seen:
    """All signs, and the k rows that the weights of the next round should know."""
    signs, agreements = points.signs(w), _agreements(points, w)
    # rounded numbers, but with their exact signs
    agreements[signs < 0] = np.minimum(agreements[signs < 0], -5e-324)
    agreements[signs == 0] = 0.0
    agreements[signs > 0] = np.maximum(agreements[signs > 0], 5e-324)
    worst = smallest(agreements, k)
    return Seen(int(np.sum(signs < 0)), int(np.sum(signs == 0)), worst, signs[worst], agreements[worst])


def _agreements(points: Points, w: list[int]) -> npt.NDArray[np.float64]:
    """y·(w·x + b) with w brought to about one; only which rows come near matters here."""
    top = max(abs(v).bit_length() for v in w)
    floats = np.array([float(Fraction(v, 1 << top)) for v in w])
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(np.nan_to_num(points.y * points.rows.respond(floats)))


def outside_span(
    points: Points, chosen: npt.NDArray[np.int64], w: list[int] | None, spanning: npt.NDArray[np.float64], k: int
) -> npt.NDArray[np.int64]:
    """Up to k rows on the plane of w (None: any rows), not among the chosen, that others do not span."""
    places = np.setdiff1d(np.arange(points.n) if w is None else np.flatnonzero(points.signs(w) == 0), chosen)
    in_span = SpanTest(spanning, np.random.default_rng(0))
    found: list[npt.NDArray[np.int64]] = []
    for some in np.array_split(places, 1 + places.size * points.d // _BLOCK):
        found.append(some[~in_span(points.exact(some))])
        if sum(map(len, found)) >= k:
            break
    return np.concatenate(found)[:k]


def sums_beyond(points: Points, chosen: npt.NDArray[np.int64], w: list[int] | None) -> list[Fraction]:
    """Σ z, exactly, over the rows on the plane of w (None: all rows) that are not among the chosen."""
    places = np.arange(points.n) if w is None else np.flatnonzero(points.signs(w) == 0)
    return points.sums(np.setdiff1d(places, chosen))


def plane_of(points: Points, w: list[int]) -> npt.NDArray[np.int64]:
    """The rows with z·w = 0."""
    return np.flatnonzero(points.signs(w) == 0)


def extremes(points: Points, w: list[int]) -> tuple[Fraction, Fraction, Fraction]:
    """(min z·w, or a number just below it; the same for decimals and their floats; max ‖z‖²)."""
    least = min(points.smallest_responses(w))
    return least, points.least_for_both(w, least), points.radius_sq()


def below(points: Points, w: list[int], bound: Fraction, most: int) -> npt.NDArray[np.int64]:
    """Up to so many rows with z·w < bound."""
    return points.below(w, bound, most)


def strict_with(points: Points, w: list[int], others: list[list[int]]) -> npt.NDArray[np.bool_]:
    """Which of the other weights have z·v > 0 wherever z·w > 0, in a shard."""
    return points.strict_with(w, others)


def not_strict_with(points: Points, w: list[int], v: list[int], most: int) -> npt.NDArray[np.int64]:
    """Up to so many rows that v has wrong, or on its plane where w has them strictly right."""
    signs = points.signs(v)
    return np.flatnonzero((signs < 0) | ((signs == 0) & (points.signs(w) > 0)))[:most]


def weigh(
    points: Points, mixture: dict[int, int], w: list[int] | None, base: int | None, null: list[list[int]]
) -> Weighed:
    """A shard's part in a certificate's check."""
    return points.weigh(w, mixture, base, null)
