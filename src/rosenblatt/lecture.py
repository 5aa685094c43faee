"""The perceptron as the lectures write it, in plain Python. Read this first: `rb.Perceptron` does the same, fast.

An example is (x, y): numbers, and the class +1 or −1 (`stein`: 1 or 0). The bias is one more weight, the last, whose
input is always 1. The five lectures differ in where they start, whom they ask next, and what they call a mistake.

>>> AND = [((0, 0), -1), ((0, 1), -1), ((1, 0), -1), ((1, 1), +1)]
>>> w, corrections = rosenblatt62(AND)
>>> w, len(corrections)
([3, 2, -4], 18)
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import cycle, islice
from math import hypot
from random import Random

__all__ = ["cyclic", "learn", "rosenblatt62", "signum", "stein", "unit"]

Vector = Sequence[float]
Example = tuple[Vector, int]
Run = tuple[list[float], list[int]]  # the weights at the end, and the place of each example that was corrected


def learn(
    examples: Sequence[Example],
    w: Vector,
    turns: Iterable[int],
    step: Callable[[int, float], float],
    limit: int = 100_000,
) -> Run:
    """Look at one example after the other, correct after each mistake, stop when there is none.

    `turns` says whose turn it is, `step(y, s)` how much of x is added where its response is s = w·x: 0 if y is right.
    No more than `limit` examples are shown: where no hyperplane separates the classes, nothing else would end it.
    """
    w, corrections = list(w), list[int]()
    for i in islice(turns, limit):
        x, y = examples[i]
        a = step(y, respond(w, x))
        if a:
            w = [b + a * c for b, c in zip(w, x, strict=True)]
            corrections.append(i)
            if not any(step(label, respond(w, point)) for point, label in examples):
                break
    return w, corrections


def respond(w: Vector, x: Vector) -> float:
    """The weighted sum w·x."""
    return sum(a * b for a, b in zip(w, x, strict=True))


def with_bias(examples: Sequence[Example]) -> list[Example]:
    """Every x gets one more input, which is always 1; its weight is the bias."""
    return [((*x, 1), y) for x, y in examples]


def rosenblatt62(examples: Sequence[Example]) -> Run:
    """Kim: from zero, in turn; y·s ≤ 0 is a mistake (so is a tie); add y·x."""
    examples = with_bias(examples)
    return learn(examples, zeros(examples), in_turn(examples), lambda y, s: y if y * s <= 0 else 0)


def signum(examples: Sequence[Example], eta: float = 0.5) -> Run:
    """The chapter on adaptive filters: from zero, in turn; add η·(d − y)·x, where d − y is 0, 2 or −2."""
    examples = with_bias(examples)
    return learn(examples, zeros(examples), in_turn(examples), lambda d, s: eta * 2 * d if d * s <= 0 else 0)


def cyclic(examples: Sequence[Example], eta: float = 1, seed: int = 0) -> Run:
    """The lecture on Cover's theorem: from random weights, in turn; y·s < 0 is a mistake; add η·y·x."""
    examples = with_bias(examples)
    start = random_weights(examples, Random(seed))
    return learn(examples, start, in_turn(examples), lambda y, s: eta * y if y * s < 0 else 0)


def stein(examples: Sequence[Example], eta: float = 1, seed: int = 0) -> Run:
    """Stein and Lettmann's PT: classes 1 and 0, examples drawn at random; add η·δ·x with δ = c − heaviside(s)."""
    examples, chance = with_bias(examples), Random(seed)
    start = random_weights(examples, chance)
    return learn(examples, start, drawn(examples, chance), lambda c, s: eta * (c - (1 if s >= 0 else 0)))


def unit(examples: Sequence[Example], seed: int = 0) -> Run:
    """Khapra: every p = y·(x, 1) is divided by its length; drawn at random; add p where w·p < 0."""
    chance = Random(seed)
    vectors = [([y * a / hypot(*x) for a in x], 1) for x, y in with_bias(examples)]
    return learn(vectors, random_weights(vectors, chance), drawn(vectors, chance), lambda _, s: 1 if s < 0 else 0)


def zeros(examples: Sequence[Example]) -> list[float]:
    """A weight of 0 for each input."""
    return [0 for _ in examples[0][0]]


def random_weights(examples: Sequence[Example], chance: Random) -> list[float]:
    """A random weight between −1 and 1 for each input."""
    return [chance.uniform(-1, 1) for _ in examples[0][0]]


def in_turn(examples: Sequence[Example]) -> Iterator[int]:
    """The first example, the second, …, the last, the first again."""
    return cycle(range(len(examples)))


def drawn(examples: Sequence[Example], chance: Random) -> Iterator[int]:
    """Examples drawn again and again, with replacement."""
    while True:
        yield chance.randrange(len(examples))
