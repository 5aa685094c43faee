"""What a worker does for a learner: a pass over its shard, looks at fixed weights; and examples that are on workers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arrays import Floats, Integers, Places
from rosenblatt.blocks import Blocks, Shard
from rosenblatt.exact import vanishes
from rosenblatt.learners.runs import AsRead, Examples, Judgement, Run, Settings, Ties

__all__ = ["Part", "PassTask", "ShardedExamples"]


def examples_of(shard: Shard, k: int) -> Examples:
    """What run k learns from."""
    return Examples(shard.rows, shard.targets[k], shard.weights, shard.bias, shard.radius_sq)


def is_rounded(shard: Shard) -> bool:
    """Whether some number of the shard, as it is read, is not its float."""
    return AsRead(shard.rows).differs


class PassTask(NamedTuple):
    """One pass, for all shards: from these weights, by this rule."""

    k: int  # which run
    rule: Any
    settings: Settings
    vectors: dict[str, Floats]  # w, and the average where one is kept
    passes: int  # made before
    n: int  # rows of all shards
    w_sq: float
    allowed: int | None  # corrections left

    @property
    def nbytes(self) -> int:
        """About how much is sent."""
        return sum(vector.nbytes for vector in self.vectors.values())


class Part(NamedTuple):
    """What a pass did to one shard."""

    shown: int
    corrections: int
    mistakes: int
    quiet: int
    longest: int
    w_sq: float
    vectors: dict[str, Floats]  # empty where nothing was corrected: they are the ones that came in
    rows: Integers
    steps: Floats
    times: Integers  # presentations of this shard up to each correction


def learn(shard: Shard, seed: int, quiet: int, task: PassTask) -> Part:
    """One pass over a shard: the local learner's, from the weights that the task brings.

    `quiet` counts the shard's right answers since its last correction, if the weights are still the same.
    """
    examples, average = examples_of(shard, task.k), task.vectors.get("average")
    alone = replace(task.settings, seed=seed, max_updates=task.allowed, detect_cycles=False, tol=None, patience=None)
    run = Run(examples, task.rule, alone, task.vectors["w"])
    clock = run.clock
    clock.set_to(task.passes, examples.n, task.w_sq, quiet)
    first = clock.t
    if average is not None:
        run.memory.average[:] = average * (examples.n / task.n)  # time runs by the shard's rows here
    run.advance(first + examples.n)
    vectors = {}
    if clock.corrections:
        vectors = {"w": run.memory.w, "average": run.memory.average * (task.n / examples.n)}
    if task.settings.pocket:
        vectors["longest"] = run.memory.longest
    vectors = {name: vector for name, vector in vectors.items() if vector.size}
    mistakes = run.mistakes_per_pass[0] if run.mistakes_per_pass else clock.mistakes
    counts = (clock.t - first, clock.corrections, mistakes, clock.quiet, clock.longest)
    return Part(*counts, clock.w_sq, vectors, *run.corrections())


# --------------------------------------------------------------------------------------------------- looking at weights


def on_examples(shard: Shard, *each: object, asked: Callable[..., Any], k: int, **common: object) -> Any:
    """What is asked of the examples of run k.

    Each array is copied, as it is read-only when it comes over the wire: kernels would be compiled anew for that.
    """
    own = {name: np.array(one) if isinstance(one, np.ndarray) else one for name, one in common.items()}
    return asked(examples_of(shard, k), *each, **own)


@dataclass(frozen=True)
class ShardedExamples(Examples):
    """Examples that are on the workers: to look at all of them, ask the shards."""

    shards: Blocks
    k: int  # which run they are the examples of
    present_rows: int

    @property
    def n(self) -> int:
        """Rows of all shards."""
        return self.shards.n

    @property
    def present(self) -> int:
        """Rows of positive weight."""
        return self.present_rows

    def _asked(self, question: Callable[..., Any], where: str, *each: Sequence[Any], **common: object) -> list[Any]:
        """The answers of all shards' examples."""
        return self.shards.map(on_examples, where, *each, asked=question, k=self.k, **common)

    def are_present(self, rows: Places) -> bool:
        """Whether all of these rows have a positive weight."""
        return all(self._asked(Examples.are_present, "fetching rows", self.shards.local(rows)))

    def weights_of(self, rows: Places) -> Floats:
        """The weights of some rows."""
        if not rows.size:
            return np.empty(0)
        (weights,) = self.shards.fetch(rows, on_examples, asked=_weights_alone, k=self.k)
        return np.asarray(weights)

    def take(self, rows: Places) -> tuple[Floats, Floats]:
        """Some rows, dense, and their labels."""
        if not rows.size:
            return np.empty((0, 0)), np.empty(0)
        X, y = self.shards.fetch(rows, on_examples, asked=Examples.take, k=self.k)
        return X, y

    def vanishing(self, witness: Any) -> bool:
        """Whether Σ λ z = 0, of the rows' floats."""
        X, y = self.take(witness.rows)
        factors = [int(s) * m for s, m in zip(y, witness.multipliers, strict=True)]
        return vanishes(factors, X, np.ones(len(X)) if self.bias else None)

    def count(self, w: Floats, ties: Ties, enough: int | None = None) -> tuple[int, int]:
        """Mistakes of fixed weights, and rows on their plane, as computed."""
        mistakes, on_plane = zip(*self._asked(Examples.count, "counting mistakes", w=w, ties=ties), strict=True)
        return sum(mistakes), sum(on_plane)

    def wrong(self, w: Floats, ties: Ties) -> float:
        """How much the rows weigh that fixed weights answer wrongly, as computed."""
        return float(sum(self._asked(Examples.wrong, "counting mistakes", w=w, ties=ties)))

    def class_sizes(self) -> dict[int, float]:
        """How much the rows of each class weigh."""
        found = self._asked(Examples.class_sizes, "counting rows")
        return {label: sum(one[label] for one in found) for label in found[0]}

    def nearest(self, w: Floats, sign: int) -> float:
        """The smallest y·s of the rows of one class."""
        return float(min(self._asked(Examples.nearest, "looking for the nearest row", w=w, sign=sign)))

    def agreement(self, step: Floats) -> float:
        """The largest y·(response to a step) of the rows that are present."""
        return float(max(self._asked(_largest_agreement, "looking at a step", step=step)))

    def judge(self, w: Floats, ties: Ties, enough: int | None = None) -> Judgement:
        """Count mistakes; if there are none on any shard, every sign has been certified."""
        found = self._asked(Examples.judge, "certifying the signs", w=w, ties=ties)
        mistakes = sum(one.mistakes for one in found)
        if mistakes:
            return Judgement(mistakes)
        return Judgement(0, sum(one.exact_mistakes for one in found), sum(one.on_plane for one in found))


def _weights_alone(examples: Examples, rows: Places) -> tuple[Floats]:
    """The weights of some rows, as the only column."""
    return (examples.weights_of(rows),)


def _largest_agreement(examples: Examples, step: Floats) -> float:
    present = examples.weights > 0 if examples.weights.size else slice(None)
    return float((examples.y * examples.rows.respond(step))[present].max(initial=0.0))
