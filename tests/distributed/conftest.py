"""One real cluster for all tests: two worker processes. And one that is none, for the many small cases."""

from collections.abc import Iterator
from typing import Any

import dask
import pytest

from distributed import Client


class Inline:
    """A client whose only worker is the caller: the same functions on the same shards, at once."""

    def __init__(self) -> None:
        self.calls = 0

    def run(self, function: Any, on_error: str) -> dict[str, Any]:
        return {"inline": function()}

    def compute(self, recipes: list[Any]) -> list[Any]:
        return list(dask.compute(*recipes, scheduler="sync"))

    def submit(self, function: Any, *arguments: Any, pure: bool) -> Any:
        return function(*arguments)

    def map(self, function: Any, *each: list[Any], pure: bool, **common: Any) -> list[Any]:
        self.calls += 1
        return [function(*arguments, **common) for arguments in zip(*each, strict=True)]

    def gather(self, answers: Any) -> Any:
        return answers


@pytest.fixture(scope="package")
def client() -> Iterator[Client]:
    with Client(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", memory_limit="1GiB"
    ) as client:
        yield client


@pytest.fixture
def inline() -> Inline:
    return Inline()
