"""What is said of models: whether the estimate exists, which rows are separated, what collides."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import rosenblatt as rb
from tests.claims.book import Reader
from tests.existence import oracle
from tests.existence.test_fuzz import CASES

models, said_of_rows, collisions = Reader("model"), Reader("certain"), Reader("collision")


@dataclass
class Known:
    """Data of a model, its rows by definition, and what brute force says of them."""

    model: str
    X: Any
    y: Any
    inequalities: list[Any]
    equalities: list[Any]
    weights: tuple[str, ...]

    @cached_property
    def truth(self):
        z, e = [z for _, z in self.inequalities], [z for _, z in self.equalities]
        return oracle.verdict(z, e, len(self.weights))

    @property
    def kind(self):
        return self.truth[0]

    @property
    def responds(self):
        """Whether some z depends on a weight."""
        return any(v for _, z in [*self.inequalities, *self.equalities] for v in z)

    @property
    def strict(self):
        """The names of the strict rows z."""
        return {self.inequalities[i][0] for i in self.truth[1]}

    @cached_property
    def certain(self):
        """Rows of the table that have a z, all of them strict."""
        names = [name for name, _ in [*self.inequalities, *self.equalities]]
        loose = {name.split(":")[0] for name in names if name not in self.strict}
        return {name.split(":")[0] for name in names} - loose


def whole(text):
    return int(text.replace(",", ""))


@models.of("exists")
def exists(known):
    assert known.kind == "overlap"
    assert known.responds or not known.weights


@models.of("nothing")
def nothing(known):
    assert known.kind == "overlap"
    assert known.weights
    assert not known.responds


@models.of("separated")
def separated(known, strict, n, certain):
    assert known.kind == "quasi"
    assert whole(strict) == len(known.certain)
    assert whole(n) == len(known.y)
    assert said_of_rows.read(certain, known) in ("predicted", "mean", "won")


@models.of("all separated")
def all_separated(known, every):
    assert known.kind == "complete"
    assert said_of_rows.read(every, known) in ("every row", "every count", "every comparison")


@models.of("comparisons")
def comparisons(known, pairs, comparisons, what):
    assert known.kind == "quasi"
    assert (whole(pairs), whole(comparisons), what) == (len(known.strict), len(known.inequalities), "class")


@models.of("all comparisons")
def all_comparisons(known, what):
    assert (known.kind, what) == ("complete", "class")


@said_of_rows.of("predicted", "every row")
def predicted(known):
    assert known.model in ("logistic", "binomial")


@said_of_rows.of("mean")
def mean(known):
    assert known.model == "poisson"
    assert all(known.y[int(i)] == 0 for i in known.certain)


@said_of_rows.of("won", "every comparison")
def won(known):
    assert known.model == "paired"


@said_of_rows.of("every count")
def every_count(known):
    assert known.model == "poisson"
    assert not np.any(known.y)


@collisions.of("collides")
def collides(known, name, others):
    """Some direction to which no row responds has this coefficient and those only."""
    j = known.weights.index(name)
    support = {known.weights.index(one) for one in others.removesuffix(" …").split(", ")} | {j}
    if others.endswith("…"):
        return
    z, e = [z for _, z in known.inequalities], [z for _, z in known.equalities]
    others_zero = [
        [int(i == k) for i in range(len(known.weights))] for k in range(len(known.weights)) if k not in support
    ]
    lines, _ = oracle.generators([], [oracle.whole(v) for v in [*z, *e, *others_zero]], len(known.weights))
    assert any(line[j] for line in lines)


def test_what_is_said_of_models_is_true(tables):
    for seed in tables[::5]:
        for model, make in CASES.items():
            X, y, options, defined = make(np.random.default_rng([seed, 7, *map(ord, model)]))
            verdict = rb.existence(X, y, model, coefficients=seed % 3 == 0, **options)
            known = Known(model, X, y, *defined(np.arange(len(y))), verdict.model.weights)
            models.read(verdict.sentence, known)
            for one in verdict.coefficients or []:
                if one.others:
                    collisions.read(f"{one.name}: {one.advice}", known)
    models.finish({})
    said_of_rows.finish({})
    collisions.finish({})
