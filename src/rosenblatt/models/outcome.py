"""How a fit ended, in one word and one sentence."""

from typing import ClassVar

__all__ = ["Outcome"]


class Outcome(str):
    """The name of an outcome; `.sentence` is what a person reads.

    SEPARATED  every y·(w·x + b) > 0, each sign certified by an error bound or exactly
    TIED       no mistake by the tie rule, but rows on the hyperplane: proves y·(w·x + b) ≥ 0 only
    CYCLING    the weights came back and the corrections between add up to zero exactly: nothing separates the classes
    CONVERGED  a learner that minimises a loss has reached the minimum, whatever the examples' sides
    BUDGET     a limit was reached with examples still wrong
    ONLINE     after `partial_fit`: nobody has seen all the data

    >>> Outcome("SEPARATED", "all 4 examples are on their side.") == "SEPARATED"
    True
    """

    __slots__ = ("sentence",)

    # from the best to the worst: what is proved, what is proved impossible, what is not known
    NAMES: ClassVar[tuple[str, ...]] = ("SEPARATED", "CONVERGED", "TIED", "CYCLING", "BUDGET", "ONLINE")
    sentence: str

    def __new__(cls, name: str, sentence: str = "") -> "Outcome":
        """Make the outcome called `name`."""
        if name not in cls.NAMES:
            raise ValueError(f"no outcome is called {name!r}; they are {', '.join(cls.NAMES)}")
        outcome = super().__new__(cls, name)
        outcome.sentence = sentence
        return outcome

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        return str(self), self.sentence

    def __repr__(self) -> str:
        return f"<{self}: {self.sentence}>" if self.sentence else f"<{self}>"

    @property
    def name(self) -> str:
        """The bare name."""
        return str(self)

    @property
    def rank(self) -> int:
        """0 for the best outcome; the worst of several is the one of largest rank."""
        return self.NAMES.index(str(self))
