"""Reading ahead: the same items, the same errors, and no thread left behind."""

import threading
import time
from collections.abc import Iterator

import pytest

from rosenblatt.data.sql.duck import read_ahead


def readers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("reading ahead")]


@pytest.mark.parametrize("n", [0, 1, 3, 4, 5, 100])
@pytest.mark.parametrize("depth", [1, 4])
def test_items_come_in_their_order(n: int, depth: int) -> None:
    assert list(read_ahead(iter(range(n)), depth)) == list(range(n))
    assert not readers()


def test_an_error_comes_after_the_items_before_it() -> None:
    def failing() -> Iterator[int]:
        yield from range(3)
        raise OSError("the disk is gone")

    items = read_ahead(failing())
    assert [next(items) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(OSError, match="the disk is gone"):
        next(items)
    assert not readers()


def test_it_is_a_few_items_ahead_and_no_more() -> None:
    fetched = []

    def noted() -> Iterator[int]:
        for k in range(100):
            fetched.append(k)
            yield k

    items = read_ahead(noted(), depth=3)
    assert next(items) == 0
    deadline = time.monotonic() + 10
    while len(fetched) < 4 and time.monotonic() < deadline:
        time.sleep(0.001)
    assert len(fetched) == 4  # the one that was taken, and three ahead
    items.close()  # type: ignore[attr-defined]
    assert len(fetched) == 4
    assert not readers()
