"""Iterative parameter mixing: every shard makes a pass from the same weights, then the weights are mixed.

    for each pass:
        for each shard s, side by side:  w_s = one pass of the local learner over shard s, from w;  k_s its corrections
        w = Σ k_s w_s / Σ k_s            # mixing by mistakes; uniform: Σ w_s / S; no correction anywhere: w stays

McDonald, Hall & Mann (2010), figure 3. If ŵ separates the data with margin γ and R is the largest length of (x, 1),
then from w = 0, for any mixing weights μ ≥ 0 that sum to 1, Σ_passes Σ_shards μ·k ≤ (R/γ)² (their theorem 3). So there
are at most (R/γ)² passes with mistakes when mixing by mistakes, and S·(R/γ)² with equal weights. All corrections
together may be more than (R/γ)²: shards correct side by side what one would have put right for all.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Self

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats, Integers
from rosenblatt.data.numbers import as_rows
from rosenblatt.distributed import passes
from rosenblatt.distributed.passes import Part, PassTask, ShardedExamples
from rosenblatt.exact import integers
from rosenblatt.learners.runs import Progress, Run, norm_sq
from rosenblatt.models import Outcome, RunState, Trace, Witness
from rosenblatt.models.run_state import Units, scaled
from rosenblatt.models.storage import Damaged

__all__ = ["MixedRun", "MixedTrace", "mix"]


def mix(vectors: list[Floats], shares: list[int]) -> Floats:
    """Σ share·vector / Σ shares, summed from the first to the last.

    One vector alone keeps its bits, and a quotient of whole numbers is rounded once.

    >>> mix([np.array([1.0, 0.0]), np.array([4.0, 3.0])], [1, 2])
    array([3., 2.])
    """
    kept = [(vector, share) for vector, share in zip(vectors, shares, strict=True) if share]
    if len(kept) == 1:
        return kept[0][0].copy()
    with np.errstate(over="ignore", invalid="ignore"):  # weights that leave float64 are refused after the pass
        total = np.zeros_like(kept[0][0])
        for vector, share in kept:
            total += vector * float(share)
        return total / float(sum(shares))


@dataclass(repr=False, eq=False)
class MixedTrace:
    """Which rows each shard corrected in each pass, and in what parts the shards' weights were mixed.

    Parameters
    ----------
    start : array of d weights, the bias last
        w(0).
    rows, steps : arrays
        Row numbers in the whole data and signed steps, pass by pass and within a pass shard by shard.
    made, shares : arrays of shape (passes, S)
        Corrections; whole numbers in proportion to which the shards' weights were mixed (all zero: nothing was).
    first_rows : array of S + 1 numbers
        Where each shard begins in the whole.
    units : Units
        In which `start` and `steps` are given.

    Examples
    --------
    >>> trace = MixedTrace(np.zeros(2), np.array([0, 1]), np.array([1.0, -1.0]), np.array([[1, 1]]), np.array([[1, 1]]),
    ...                    np.array([0, 1, 2]))
    >>> trace, trace.weights_after(1, [[4.0], [2.0]])
    (<MixedTrace: 2 corrections in 1 passes of 2 shards>, array([1., 0.]))
    """

    start: Floats
    rows: Integers
    steps: Floats
    made: Integers
    shares: Integers
    first_rows: Integers
    units: Units = field(default_factory=Units)

    def __len__(self) -> int:
        """Return the number of corrections."""
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<MixedTrace: {len(self)} corrections in {len(self.made)} passes of {self.made.shape[1]} shards>"

    def of_pass(self, number: int, s: int) -> tuple[Integers, Floats]:
        """Rows and steps of shard s in pass `number` (from 0)."""
        ends = np.cumsum(self.made)
        last = int(ends[number * self.made.shape[1] + s])
        span = slice(last - int(self.made[number, s]), last)
        return self.rows[span], self.steps[span]

    def weights_after(self, passes: int, X: object) -> Floats:
        """The mixed weights after so many passes over the rows X of all shards, with the very bits of the run."""
        all_rows, w = as_rows(X), self.start.copy()
        for number in range(passes):
            shares = self.shares[number].tolist()
            if not any(shares):
                continue
            ends = []
            for s in range(len(shares)):
                end = w.copy()
                rows, steps = self.of_pass(number, s)
                all_rows.replay(rows, steps, end, 0, len(rows))
                ends.append(end)
            w = mix(ends, shares)
        return scaled(w, self.units.unit)


_BOOKS = ("shares", "made", "mistakes_per_shard")  # a line for each pass


@dataclass
class MixedRun(Run):
    """Passes are made by shards and mixed; limits, outcomes and proofs are those of a run on one machine."""

    examples: ShardedExamples
    mixing: str = "mistakes"
    at_pass_end: Callable[["MixedRun"], None] = lambda run: None

    def __post_init__(self) -> None:
        shards = len(self.examples.shards)
        self.quiet = [0] * shards
        self.shares: list[list[int]] = []  # of each pass, a whole number per shard
        self.made: list[list[int]] = []  # corrections of each pass, per shard
        self.mistakes_per_shard: list[list[int]] = []
        super().__post_init__()
        self.seeds = [_seed(self.settings.seed, s) for s in range(shards)]

    def _restore(self, state: RunState) -> None:
        super()._restore(state)
        shapes = {table.shape[1] for table in state.books.values()}
        if {*state.books} != {"quiet", *_BOOKS} or shapes != {len(self.quiet)} or len(state.books["quiet"]) != 1:
            raise Damaged("the books of a run are not those of its shards")
        (self.quiet,) = state.books["quiet"].tolist()
        for name in _BOOKS:
            setattr(self, name, state.books[name].tolist())

    def state(self) -> RunState:
        """All that is needed to go on, the books of the shards among it."""
        tables = {"quiet": [self.quiet], **{name: getattr(self, name)[: self.clock.passes] for name in _BOOKS}}
        shape = (-1, len(self.examples.shards))
        books = {name: np.array(table, dtype=np.int64).reshape(shape) for name, table in tables.items()}
        return replace(super().state(), books=books)

    def finish(self, progress: Progress | None = None) -> "MixedRun":
        """Run to the outcome."""
        allowed = self.settings.max_updates
        if self.earlier is not None and (self.settings.max_passes < 1 or (allowed is not None and allowed < 1)):
            self.outcome = self._still_true(self.earlier) or self._end("")  # nothing is left of what was allowed
            return self
        super().finish(progress)
        self.at_pass_end(self)
        return self

    @property
    def trace(self) -> Trace | MixedTrace | None:  # type: ignore[override]
        """The corrections, if they were recorded: of one shard as on one machine, of several with their mixing."""
        shards = self.examples.shards
        if not self.settings.trace:
            return None
        rows, steps, times = self.corrections()
        if len(shards) == 1:
            ends = np.cumsum(np.array(self.made, dtype=np.int64)[:, 0])
            return Trace(self.start.copy(), rows, steps, ends, presentations=times, units=self.units)
        books = np.array(self.made), np.array(self.shares), shards.first_rows
        return MixedTrace(self.start.copy(), rows, steps, *books, self.units)

    # ---------------------------------------------------------------------------------------------------------- a pass

    def _call(self, last: int) -> int:
        """One pass on every shard, and the mixing."""
        k, n, clock = self.examples.k, self.examples.n, self.clock
        vectors = {name: v for name, v in {"w": self.memory.w, "average": self.memory.average}.items() if v.size}
        task = PassTask(k, self.rule, self.settings, vectors, clock.passes, n, clock.w_sq, clock.allowed)
        where = f"pass {clock.passes + 1}"
        return self._take_over(self.examples.shards.map(passes.learn, where, self.seeds, self.quiet, task=task))

    def _take_over(self, parts: list[Part]) -> int:
        """Mix what the shards did, and close the books of the pass. Returns the events, as a compiled call does."""
        from rosenblatt.kernels.kinds import LIMIT

        shards = self.examples.shards
        made = [part.corrections for part in parts]
        shares = ([1] * len(parts) if self.mixing == "uniform" else made) if any(made) else [0] * len(parts)
        w_sq = self._mix(parts, shares)
        self.shares.append(shares)
        self.made.append(made)
        self.mistakes_per_shard.append([part.mistakes for part in parts])
        if self.settings.trace:
            self._traced += [(shards.number(s, part.rows), part.steps, part.times) for s, part in enumerate(parts)]
        cut_short = len(parts) == 1 and parts[0].shown < self.examples.n
        shown, mistakes = parts[0].shown if cut_short else self.examples.n, self._errors(parts)
        quiet, longest = min(part.quiet for part in parts), max(part.longest for part in parts)
        self.clock.add_mixed(shown, sum(made), mistakes, quiet, longest, w_sq)
        events = 0 if cut_short else self.clock.end_pass(self.memory)
        allowed = self.clock.allowed
        return events if allowed is None or allowed > 0 else events | LIMIT

    def _errors(self, parts: list[Part]) -> int:
        """The errors that rate a pass: those of the mixed w. Each shard's mistakes were made by weights of its own."""
        if len(parts) > 1 and self.settings.patience is not None:
            return self.examples.count(self.memory.w, self.settings.errors)[0]
        return sum(part.mistakes for part in parts)

    def _drain(self) -> None:
        """Take over the books of the pass; the mistakes of a pass are those that its shards made."""
        before = len(self.mistakes_per_pass)
        super()._drain()
        for made in range(before, len(self.mistakes_per_pass)):
            self.mistakes_per_pass[made] = sum(self.mistakes_per_shard[made])

    def _fewest(self) -> str:
        return super()._fewest() if len(self.examples.shards) == 1 else ""

    def _mix(self, parts: list[Part], shares: list[int]) -> float:
        """Mix w, average and longest-lived weights; returns ‖w‖². A shard without corrections keeps what it got."""
        before = {"w": self.memory.w.copy(), "average": self.memory.average.copy()}
        if any(shares):
            for name in ("w", "average"):
                if before[name].size:
                    given = [part.vectors.get(name, before[name]) for part in parts]
                    getattr(self.memory, name)[:] = mix(given, shares)
        if self.settings.pocket:
            longest = [part.vectors["longest"] for part in parts]
            self.memory.longest[:] = mix(longest, shares) if any(shares) else longest[0]
        w = self.memory.w
        # a run of right answers goes on only with the same weights
        unchanged = [part.vectors.get("w", before["w"]).tobytes() == w.tobytes() for part in parts]
        self.quiet = [part.quiet if same else 0 for part, same in zip(parts, unchanged, strict=True)]
        moving = [part for part, share in zip(parts, shares, strict=True) if share]
        if not moving:
            return self.clock.w_sq
        return moving[0].w_sq if len(moving) == 1 else norm_sq(w)

    def _consider(self, events: int) -> Outcome | None:
        outcome = super()._consider(events)
        if outcome is None:
            self.at_pass_end(self)
        return outcome

    # ---------------------------------------------------------------------------------------------------------- proof

    def _witness(self, cycle: Self) -> Witness:
        """Rows and positive integers λ, proportional to how much each moved the weights in a cycle.

        A correction by a shard that had the part μ of a mixing counts μ times.
        """
        rows, steps, _ = cycle.corrections()
        mu = [Fraction(share, max(1, sum(shares))) for shares in cycle.shares for share in shares]
        return _mixture(rows, np.abs(steps), np.repeat(np.array(mu), np.array(cycle.made).ravel()))


def _mixture(rows: Integers, sizes: Floats, parts: npt.NDArray[np.object_]) -> Witness:
    """λ = size · Σ of parts, as whole numbers without a common divisor; a row is always corrected by the same step."""
    found, first, place = np.unique(rows, return_index=True, return_inverse=True)
    totals = [Fraction(0)] * len(found)
    for at, part in zip(place, parts, strict=True):
        totals[at] += part
    whole, _ = integers(sizes[first])
    moved = [int(size) * total for size, total in zip(whole, totals, strict=True)]
    return Witness.of(found, moved)


def _seed(seed: int, s: int) -> int:
    """The seed of shard s; the first has the run's own, so that one shard alone is the local run."""
    return seed if s == 0 else int(np.random.SeedSequence([seed, s]).generate_state(1, np.uint64)[0] >> np.uint64(1))
