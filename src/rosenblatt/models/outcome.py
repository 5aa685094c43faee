"""How a fit ended, in one word and one sentence."""

from typing import ClassVar

from rosenblatt.models.hyperplane import Hyperplane

__all__ = ["Outcome"]


class Outcome(str):
    """The name of an outcome, a `str`; `.sentence` explains it, `.hyperplane` is the plane that proves it, if one does.

    SEPARATED  every y·(w·x + b) > 0, each sign certified by an error bound or exactly
    CONVERGED  the loss is within a proved distance of its minimum; the sentence has the number
    TIED       no mistake by the tie rule, but rows on the hyperplane: proves y·(w·x + b) ≥ 0, and strict separability
               where only one class is on the plane: `hyperplane` is the plane shifted off it
    RECEDING   the loss has no minimum, proved by `hyperplane`: no row is on its wrong side, some are strictly right
    CYCLING    the weights came back and the corrections between add up to zero exactly: nothing separates the classes
    BUDGET     none of these: a limit was reached, or a loss is not proved to be near its minimum
    ONLINE     after `partial_fit`: the model has not been tried on all data

    >>> Outcome("SEPARATED", "all 4 examples are on their side.") == "SEPARATED"
    True
    """

    __slots__ = ("hyperplane", "sentence")

    # from the best to the worst: what was sought is proved, is proved impossible, is not known
    NAMES: ClassVar[tuple[str, ...]] = ("SEPARATED", "CONVERGED", "TIED", "RECEDING", "CYCLING", "BUDGET", "ONLINE")
    sentence: str
    hyperplane: Hyperplane | None

    def __new__(cls, name: str, sentence: str = "", hyperplane: Hyperplane | None = None) -> "Outcome":
        """Make the outcome called `name`."""
        if name not in cls.NAMES:
            raise ValueError(f"no outcome is called {name!r}; they are {', '.join(cls.NAMES)}")
        outcome = super().__new__(cls, name)
        outcome.sentence, outcome.hyperplane = sentence, hyperplane
        return outcome

    def __getnewargs__(self) -> tuple[str, str, Hyperplane | None]:  # type: ignore[override]
        return str(self), self.sentence, self.hyperplane

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
