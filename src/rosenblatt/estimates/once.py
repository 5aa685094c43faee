"""A property that is worked out when it is first asked for, and kept."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

__all__ = ["once"]

Value = TypeVar("Value")


class once(Generic[Value]):  # noqa: N801  (it is used as `property` is)
    """`functools.cached_property` without its lock, which until Python 3.12 all instances share.

    Threads that work on different points would wait for each other. Two threads that ask the same object at the same
    time both work it out, with the same result.
    """

    def __init__(self, work: Callable[[Any], Value]) -> None:
        self.work, self.__doc__ = work, work.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Value:
        value: Value = self.work(instance)
        instance.__dict__[self.name] = value  # found before this descriptor from now on
        return value
