"""Read ahead: fetch the next part of a file while this one is worked on."""

from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

__all__ = ["read_ahead"]

Item = TypeVar("Item")


def read_ahead(items: Iterator[Item], depth: int = 4) -> Iterator[Item]:
    """The same items in the same order, fetched by a thread of their own that is at most `depth` of them ahead.

    What the iterator raises is raised here, after the items before it.

    Examples
    --------
    >>> list(read_ahead(iter("abc")))
    ['a', 'b', 'c']
    """
    end: Any = object()
    reader = ThreadPoolExecutor(1, "reading ahead")
    try:
        coming = deque(reader.submit(next, items, end) for _ in range(depth))
        while (item := coming.popleft().result()) is not end:
            coming.append(reader.submit(next, items, end))
            yield item
    finally:
        reader.shutdown(cancel_futures=True)
