"""Coefficients on several cores, and a cached property without a lock."""

from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

from rosenblatt.threads import in_threads

__all__ = ["each", "once"]

Value = TypeVar("Value")

_WORTH = 1 << 17  # values of a table from which threads are faster


def each(work: Callable[[int], Value], coefficients: Iterable[int], size: int) -> Iterable[Value]:
    """work(j) for each coefficient, in order; the results are the same however many cores there are."""
    return in_threads(work, coefficients) if size >= _WORTH else map(work, coefficients)


class once(Generic[Value]):  # noqa: N801  (it is used as `property` is)
    """A property that is computed when it is first read, and kept.

    Until Python 3.12 `functools.cached_property` has a lock that all instances share: threads that work on different
    points would wait for each other. `once` has no lock: two threads that read the same object at the same time both
    compute the value, with the same result.
    """

    def __init__(self, work: Callable[[Any], Value]) -> None:
        self.work, self.__doc__ = work, work.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Value:
        value: Value = self.work(instance)
        instance.__dict__[self.name] = value  # found before this descriptor from now on
        return value
