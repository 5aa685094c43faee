"""Each model's rows from its likelihood, written down one by one: (key, z) of inequalities and of equalities."""

from fractions import Fraction
from typing import Any

Row = tuple[str, list[Fraction]]
Both = tuple[list[Row], list[Row]]


def exactly(X: Any) -> list[list[Fraction]]:
    """Values as Python writes them, which is what decimals are."""
    return [[Fraction(repr(float(v))) for v in x] for x in X]


def _with_effects(X: Any, effects: Any, bias: bool) -> list[list[Fraction]]:
    levels = [sorted(set(some)) for some in effects]
    return [
        [*x, *(Fraction(int(some[i] == one)) for some, each in zip(effects, levels, strict=True) for one in each[1:])]
        + [Fraction(1)] * bias
        for i, x in enumerate(exactly(X))
    ]


def minus(z: list[Fraction]) -> list[Fraction]:
    return [-v for v in z]


def logistic(X: Any, y: Any, effects: Any = (), bias: bool = True) -> Both:
    x = _with_effects(X, effects, bias)
    return [(f"{i}", x[i] if y[i] else minus(x[i])) for i in range(len(y))], []


def binomial(X: Any, y: Any, trials: Any, effects: Any = (), bias: bool = True) -> Both:
    x, found = _with_effects(X, effects, bias), list[Row]()
    for i, (k, m) in enumerate(zip(y, trials, strict=True)):
        found += [(f"{i}:1", x[i])] if k > 0 else []
        found += [(f"{i}:0", minus(x[i]))] if k < m else []
    return found, []


def poisson(X: Any, y: Any, effects: Any = (), bias: bool = True) -> Both:
    x = _with_effects(X, effects, bias)
    zero = [(f"{i}", minus(x[i])) for i in range(len(y)) if y[i] == 0]
    return zero, [(f"{i}", x[i]) for i in range(len(y)) if y[i] > 0]


def multinomial(X: Any, y: Any, classes: int, bias: bool = True) -> Both:
    x, found = _with_effects(X, (), bias), list[Row]()
    for i, own in enumerate(y):
        for other in range(classes):
            if other != own:
                blocks = [
                    x[i] if k == own else minus(x[i]) if k == other else [Fraction(0)] * len(x[i])
                    for k in range(1, classes)
                ]
                found.append((f"{i}:{other}", [v for block in blocks for v in block]))
    return found, []


def paired(X: Any, y: Any) -> Both:
    x = exactly(X)
    won = [(f"{i}", x[i] if y[i] == 1 else minus(x[i])) for i in range(len(y)) if y[i] != 0.5]
    return won, [(f"{i}", x[i]) for i in range(len(y)) if y[i] == 0.5]
