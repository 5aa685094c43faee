"""One real cluster for all tests: two worker processes. And the caller's own process, for the many small cases."""

from collections.abc import Iterator
from typing import Any

import pytest

from distributed import Client
from rosenblatt.blocks import Here


class Inline(Here):
    """The caller's own process, which counts the questions."""

    def __init__(self) -> None:
        self.calls = 0

    def put(self, *arguments: Any, **common: Any) -> list[Any]:
        self.calls += 1
        return super().put(*arguments, **common)


@pytest.fixture(scope="package")
def client() -> Iterator[Client]:
    with Client(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", memory_limit="1GiB"
    ) as client:
        yield client


@pytest.fixture
def inline() -> Inline:
    return Inline()
