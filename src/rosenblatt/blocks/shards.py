"""All shards, as the coordinator sees them: what each holds, and questions put to all of them at once."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from distributed import Client, Future
from rosenblatt.arrays import Floats, Places
from rosenblatt.blocks import shard as worker
from rosenblatt.blocks.cluster import gathered, speaking_plainly
from rosenblatt.blocks.shard import ShardSurvey
from rosenblatt.blocks.sources import recipes

__all__ = ["Shards", "read"]

_AT_A_TIME = 8  # sums that a worker puts together
_MUCH = 1 << 20  # bytes for all shards together: a larger message goes once to each worker, not with each task


def read(
    client: Client, X: Any, y: Any, bias: bool, as_written: bool = False
) -> tuple[list[Future], list[ShardSurvey]]:
    """Have the workers read their shards and look at them; shards without rows are left out.

    A shard that is read again later, because its worker was lost, must be what it was. `as_written` allows numbers
    beyond float64 that are known as they are written.
    """
    raw = client.compute(recipes(X, y))
    asked = client.map(worker.survey, raw, bias=bias, as_written=as_written, pure=False)
    surveys = gathered(client, asked, "reading the data")
    kept = [s for s, one in enumerate(surveys) if one.n]
    raw, surveys = [raw[s] for s in kept], [surveys[s] for s in kept]
    if not surveys:
        raise ValueError("X has no rows.")
    for one in surveys:
        if one.p != surveys[0].p or one.names != surveys[0].names:
            raise ValueError(
                f"{one.where} has other columns than {surveys[0].where}: {one.p} and {surveys[0].p}, "
                f"{_first_difference(one.names, surveys[0].names)}."
            )
    return client.map(worker.known_again, raw, [one.digest for one in surveys], pure=False), surveys


def _first_difference(a: list[str] | None, b: list[str] | None) -> str:
    if a is None or b is None:
        return "with and without names"
    return next((f"{u!r} where the other has {v!r}" for u, v in zip(a, b, strict=False) if u != v), "the rest missing")


@dataclass
class Shards:
    """Shards on their workers, in the order of their rows."""

    client: Client
    futures: list[Future]
    lengths: list[int]

    def __post_init__(self) -> None:
        self.first_rows = np.concatenate([[0], np.cumsum(self.lengths)]).astype(np.int64)

    def __len__(self) -> int:
        """Return the number of shards."""
        return len(self.futures)

    @property
    def n(self) -> int:
        """Rows of all shards."""
        return int(self.first_rows[-1])

    def ask(self, question: Callable[..., Any], where: str, *each: list[Any], **common: Any) -> list[Any]:
        """question(shard, *each, **common) for every shard, answered where the shard is; in the order of the shards."""
        with speaking_plainly(where):
            asked = self._put(question, *each, **common)
        return gathered(self.client, asked, where)

    def add_up(self, question: Callable[..., Any], where: str, add: Callable[[list[Any]], Any], **common: Any) -> Any:
        """The answers of all shards, put together by `add`, some at a time, on the workers."""
        return gathered(self.client, [self.begin_adding_up(question, where, add, **common)], where)[0]

    def begin_adding_up(
        self, question: Callable[..., Any], where: str, add: Callable[[list[Any]], Any], *each: list[Any], **common: Any
    ) -> Any:
        """A future of the same. Answers of neighbouring shards are put together, in the order of the shards."""
        with speaking_plainly(where):
            asked = self._put(question, *each, **common)
            while len(asked) > 1:
                some = [asked[first : first + _AT_A_TIME] for first in range(0, len(asked), _AT_A_TIME)]
                asked = self.client.map(add, some, pure=False)
        return asked[0]

    def _put(self, question: Callable[..., Any], *each: list[Any], **common: Any) -> list[Any]:
        """Futures of the answers."""
        shared = {
            name: self.client.submit(_same, value, pure=False) if _nbytes(value) * len(self) > _MUCH else value
            for name, value in common.items()
        }
        return list(self.client.map(question, self.futures, *each, pure=False, **shared))

    def number(self, s: int, places: Places) -> Places:
        """The numbers in the whole of rows of shard s."""
        return np.asarray(places + self.first_rows[s])

    def numbers(self, parts: list[Places]) -> Places:
        """The numbers in the whole of rows of every shard, one shard after the other."""
        return np.concatenate([self.number(s, part) for s, part in enumerate(parts)])

    def homes(self, rows: Places) -> tuple[Places, Places]:
        """The shard of each row, by the row's number in the whole, and its place there."""
        home = np.searchsorted(self.first_rows, rows, side="right") - 1
        return home, rows - self.first_rows[home]

    def local(self, rows: Places) -> list[Places]:
        """For each shard, the places of the given rows that it holds."""
        home, place = self.homes(rows)
        return [place[home == s] for s in range(len(self))]

    def take(self, rows: Places, question: Callable[..., Any], **common: Any) -> tuple[Floats, Floats]:
        """Some rows by their numbers in the whole, dense, and their labels."""
        if not rows.size:
            return np.empty((0, 0)), np.empty(0)
        X, y = self.fetch(rows, question, **common)
        return X, y

    def fetch(self, rows: Places, question: Callable[..., Any], **common: Any) -> list[Any]:
        """Arrays with a line for each of some rows, by their numbers in the whole; there is at least one row."""
        home, place = self.homes(rows)
        asked = np.unique(home).tolist()
        some = Shards(self.client, [self.futures[s] for s in asked], [self.lengths[s] for s in asked])
        answers = some.ask(question, "fetching rows", [place[home == s] for s in asked], **common)
        order = np.argsort(np.argsort(home, kind="stable"), kind="stable")  # answers come shard by shard
        return [np.concatenate(parts)[order] for parts in zip(*answers, strict=True)]


def _same(value: Any) -> Any:
    return value


def _nbytes(value: Any) -> int:
    """About how many bytes are sent."""
    return int(getattr(value, "nbytes", 0))
