"""The time limit: looked at between steps, none of which is to last long."""

import time

__all__ = ["Unfinished", "check"]


class Unfinished(Exception):
    """A limit was hit; the message says which. `witness`: λ > 0 of few rows with Σ λ z = 0, where it was found."""

    def __init__(self, reason: str, witness: dict[int, int] | None = None) -> None:
        super().__init__(reason)
        self.witness = witness or {}


def check(deadline: float | None) -> None:
    """Raise where the time limit is over."""
    if deadline is not None and time.monotonic() > deadline:
        raise Unfinished("the time limit was reached")
