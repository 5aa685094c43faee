"""What a run learns from: rows, labels −1/+1, row weights."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.arrays import Floats, Integers, Signs
from rosenblatt.data.numbers import ExactValues, Rows, decimal_of, frozen, pieces
from rosenblatt.exact import integers, row_signs, vanishes
from rosenblatt.models import JointWitness, Witness

if TYPE_CHECKING:
    from rosenblatt.learners.runs.clock import Rule

__all__ = ["Examples", "Judgement", "Ties", "norm_sq"]

Ties = tuple[bool, bool]  # whether s = 0 is a mistake on a positive, on a negative example

_FIRST_ROWS = 4096
_BLOCK_VALUES = 1 << 20  # values handed to exact arithmetic at a time


@dataclass(frozen=True)
class Judgement:
    """How fixed weights do on all examples."""

    mistakes: int  # as computed, by the tie rule
    exact_mistakes: int = 0  # in exact arithmetic, by the tie rule; counted only where none is computed
    on_plane: int = 0  # s = 0, computed or exact

    @property
    def clean(self) -> bool:
        """No mistake, computed or exact."""
        return not (self.mistakes or self.exact_mistakes)


@dataclass(frozen=True)
class Examples:
    """Rows x_i with labels y_i and weights. A weight scales the steps; a row of weight zero is absent."""

    rows: Rows
    y: Signs
    weights: Floats  # empty: all one
    bias: bool
    radius_sq: float
    names: tuple[str, ...] | None = field(default=None, kw_only=True)  # what sentences call the columns
    read: Rows | None = field(default=None, kw_only=True)  # exact steps take these values, not the floats
    slack: float = field(default=0.0, kw_only=True)  # how far the floats may be from these values, relative to R
    decimal: bool = field(default=False, kw_only=True)  # whether weights are decimals, too: the shortest ones

    def __post_init__(self) -> None:
        # read-only, as in a stream: for writable labels Numba would compile every loop a second time
        object.__setattr__(self, "y", frozen(self.y))

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.rows.n)

    @property
    def d(self) -> int:
        """Number of weights, the bias included."""
        return int(self.rows.p + self.bias)

    @property
    def classes(self) -> int:
        """Weight vectors that learn together."""
        return 1

    @property
    def computed(self) -> bool:
        """Whether the learner sees features that are computed from the rows, in floats."""
        return False

    @property
    def width(self) -> float:
        """Values that one presentation looks at."""
        return float(self.rows.width)

    @property
    def present(self) -> int:
        """Number of rows of positive weight."""
        return int(np.count_nonzero(self.weights)) if self.weights.size else self.n

    def are_present(self, rows: Integers) -> bool:
        """Whether all of these rows have a positive weight."""
        return not self.weights.size or bool(np.all(self.weights[rows] > 0))

    def weights_of(self, rows: Integers) -> Floats:
        """The weights of some rows."""
        return self.weights[rows] if self.weights.size else np.ones(len(rows))

    def take(self, rows: Integers) -> tuple[Floats, Floats]:
        """Some rows, dense, and their labels."""
        return self.rows.take(rows), self.y[rows].astype(np.float64)

    def count(self, w: Floats, ties: Ties, enough: int | None = None) -> tuple[int, int]:
        """Mistakes of fixed weights and rows on their plane, as computed; may stop beyond `enough` mistakes."""
        mistakes = on_plane = 0
        for more, zeros, _ in self._look(w, ties, 0.0):
            mistakes, on_plane = mistakes + more, on_plane + zeros
            if enough is not None and mistakes > enough:
                break
        return mistakes, on_plane

    def describe_wrong(self, w: Floats, errors: Ties, still: str, one_tied: str, some_tied: str) -> str:
        """How many rows the weights answer wrongly, as `score` counts them (`errors`), and how many they touch."""
        wrong, on_plane = self.count(w, errors)
        touched = f" and {on_plane} {one_tied if on_plane == 1 else some_tied}" if on_plane else ""
        return f"{wrong} of {self.present} examples are {still}classified wrongly{touched}"

    def count_mistakes(self, w: Floats, ties: Ties) -> int:
        """Mistakes of fixed weights, as computed."""
        return self.count(w, ties)[0]

    def wrong(self, w: Floats, ties: Ties) -> float:
        """How much the rows weigh that fixed weights answer wrongly, as computed."""
        if not self.weights.size:
            return self.count(w, ties)[0]
        return float(self.weights[~(self._agreements(w) > 0)].sum())

    def _agreements(self, w: Floats) -> Floats:
        """y·s of each row, as computed."""
        return np.asarray(self.y * self.rows.respond(w))

    def class_sizes(self) -> dict[int, float]:
        """How much the rows of each class weigh."""
        found = np.bincount(self.y > 0, weights=self.weights if self.weights.size else None, minlength=2)
        return dict(enumerate(found.tolist()))

    def nearest(self, w: Floats, sign: int) -> float:
        """The smallest y·s of the rows of one class (±1), as computed; inf where the class has no rows."""
        present = (self.y == sign) & (self.weights > 0 if self.weights.size else True)
        return float(np.min(sign * self.rows.respond(w)[present], initial=np.inf))

    def planes(self, w: Floats) -> dict[str, Floats]:
        """`coef_` and `intercept_` of the weights of one class or of several, on the same memory."""
        planes = w.reshape(-1, self.d)
        return {"coef_": planes[:, : self.rows.p], "intercept_": planes[:, -1] if self.bias else np.zeros(len(planes))}

    def slope(self, rule: "Rule", w: Floats) -> tuple[Floats, int]:
        """Σ step·(x, 1) over all rows at fixed weights, by a rule of the kernels, and the mistakes among them."""
        from rosenblatt.kernels.passes import descend

        slope, mistakes = np.zeros(self.d), 0
        for first, stop in pieces(self.n, 2 * self.rows.width):
            mistakes += descend(self.rows.kernel, self.y, self.weights, rule, w, slope, first, stop)
        return slope, mistakes

    def first_wrong(self, w: Floats) -> int:
        """The first row that is not strictly on its side, exactly where floats leave a doubt."""
        for row in range(self.n):
            one = np.array([row])
            if self.are_present(one) and self._exact_signs(w, one)[0][0] <= 0:
                return row
        return -1

    def judge(self, w: Floats, ties: Ties, enough: int | None = None) -> Judgement:
        """Count mistakes. If there are none, certify every sign: by an error bound, or exactly if it is too coarse.

        It may stop beyond `enough` mistakes.
        """
        mistakes = computed_zero = exact_mistakes = exact_zero = 0
        for more, zeros, unsure in self._look(w, ties, self._doubt(w)):
            mistakes += more
            if enough is not None and mistakes > enough:
                break
            computed_zero += zeros
            if mistakes or not unsure.size:
                continue
            for block in np.array_split(unsure, 1 + unsure.size * self.d // _BLOCK_VALUES):
                signs, first = self._exact_signs(w, block)
                zero = signs == 0
                exact_zero += int(np.count_nonzero(zero))
                exact_mistakes += int(np.count_nonzero((signs < 0) | (zero & np.where(first, *ties))))
        if mistakes:
            return Judgement(mistakes)
        return Judgement(0, exact_mistakes, exact_zero if self.read is not None else max(exact_zero, computed_zero))

    def _look(self, w: Floats, ties: Ties, doubt: float) -> Iterator[tuple[int, int, Integers]]:
        """Piece by piece: mistakes, rows with s = 0, and the rows whose sign rounding may hide (|s| ≤ doubt)."""
        from rosenblatt.kernels import plain

        if plain.is_enough(self.rows.kernel):
            judge = plain.judge
        else:
            from rosenblatt.kernels.passes import judge
        few = min(self.n, _FIRST_ROWS)  # where a few rows are enough, the others are not looked at
        for start, stop in [(0, few), *((few + a, few + b) for a, b in pieces(self.n - few, self.rows.width))]:
            unsure = np.empty(stop - start, dtype=np.int64)
            mistakes, zeros, n = judge(self.rows.kernel, self.y, self.weights, w, ties, doubt, unsure, start, stop)
            yield mistakes, zeros, unsure[:n]

    def _exact_signs(self, w: Floats, rows: Integers) -> tuple[Any, Any]:
        """The exact signs of y·s of some rows, and for which of these rows the first of the two `Ties` counts."""
        y = self.y[rows]
        return self._response_signs(rows, w) * y, y > 0

    def _response_signs(self, rows: Integers, w: Floats, less: Floats | None = None) -> Any:
        """The exact signs of (x, 1)·w, or of (x, 1)·(w − less)."""
        if self.read is not None:
            whole = self._whole(w if less is None else np.concatenate([w, less]))
            if less is not None:
                whole = [a - b for a, b in zip(whole[: self.d], whole[self.d :], strict=True)]
            return ExactValues(self.read, self.bias).signs(whole, rows)
        x = self.rows.take(rows)
        if less is None:
            return row_signs(x, w)
        z = np.column_stack([x, np.ones(len(x))]) if self.bias else x
        return row_signs(np.hstack([z, -z]), np.concatenate([w, less]))

    def _whole(self, w: Floats) -> list[int]:
        """Weights as whole numbers, all times the same positive number."""
        if not self.decimal:
            return [int(v) for v in integers(w)[0]]
        pairs = [decimal_of(v) for v in w.tolist()]
        least = min((e for _, e in pairs), default=0)
        return [m * 10 ** (e - least) for m, e in pairs]

    def vanishing(self, witness: Witness | JointWitness) -> bool:
        """Whether Σ λ z = 0."""
        if isinstance(witness, JointWitness):  # of a fit to more classes
            return False
        if self.read is None:
            X, y = self.take(witness.rows)
            return vanishes(witness.multipliers, X * y[:, None], y if self.bias else None)
        factors = [int(s) * m for s, m in zip(self.y[witness.rows], witness.multipliers, strict=True)]
        return self._sum_vanishes(factors, witness.rows)

    def _sum_vanishes(self, factors: list[int], rows: Integers) -> bool:
        """Whether Σ factor·(x, 1) = 0."""
        if self.read is not None:
            return ExactValues(self.read, self.bias).vanishes(factors, rows)
        return vanishes(factors, self.rows.take(rows), np.ones(len(rows)) if self.bias else None)

    def _doubt(self, w: Floats) -> float:
        """A bound on the rounding error of any response: γ·Σ|x_j w_j| ≤ γ·R·‖w‖, γ = (d + 16)·2^-53.

        It is doubled, because the bound itself is rounded. Values that are read may be off by `slack`·R as well.
        """
        with np.errstate(over="ignore", invalid="ignore"):  # 0 · inf at the ends of float64's range
            part = (self.d + 16) * 2.0**-53 + self.slack
            doubt = 2.0 * part * np.sqrt(norm_sq(w)) * np.sqrt(self.radius_sq) + self.d * 5e-324
        return float(doubt) if np.isfinite(doubt) else np.inf


def norm_sq(w: Floats) -> float:
    """‖w‖²; inf where it leaves float64."""
    with np.errstate(over="ignore"):
        return float(np.sum(w * w))
