"""One question to every block of rows, wherever the rows are, and sums that do not depend on who adds them up.

Rows in memory, in a store or on a cluster differ in their `Site` alone: who is asked, and who adds up.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.arrays import Places
from rosenblatt.context import SILENT, Context

if TYPE_CHECKING:
    import dask.array as da

__all__ = ["Blocks", "Here", "Site"]

_AT_A_TIME = 8  # answers that are put together at a time

Question = Callable[..., Any]


class Site(ABC):
    """Where blocks are. What is held of a block here, its part, may be the block itself or a promise of it."""

    @abstractmethod
    def make(self, recipes: Sequence[Any]) -> list[Any]:
        """Parts of what Dask's lazy values stand for."""

    @abstractmethod
    def put(
        self, where: str, question: Question, parts: Sequence[Any], *each: Sequence[Any], **common: object
    ) -> list[Any]:
        """Parts of question(block, *each, **common) for every block; `where` says in words what is being done."""

    @abstractmethod
    def bring(self, parts: Sequence[Any], where: str, context: Context = SILENT, one: str = "shard") -> list[Any]:
        """What the parts stand for, here; `one` is what a part is called."""

    @abstractmethod
    def keep(self, array: "da.Array") -> Any:
        """A lazy Dask array with its values worked out, where they are."""


class Here(Site):
    """The process that asks: blocks are arrays, or memory maps of a store, and answer one after the other.

    >>> blocks = Blocks(Here(), [[0, 1, 2], [3, 4]], [3, 2])
    >>> blocks.map(max, "looking for the largest"), blocks.add(sum, "adding up", sum)
    ([2, 4], 10)
    """

    def make(self, recipes: Sequence[Any]) -> list[Any]:
        """The values."""
        import dask

        return list(dask.compute(*recipes, scheduler="sync"))

    def put(
        self, where: str, question: Question, parts: Sequence[Any], *each: Sequence[Any], **common: object
    ) -> list[Any]:
        """The answers."""
        return [question(*arguments, **common) for arguments in zip(parts, *each, strict=True)]

    def bring(self, parts: Sequence[Any], where: str, context: Context = SILENT, one: str = "shard") -> list[Any]:
        """The same: they are here."""
        context.seen(len(parts))
        return list(parts)

    def keep(self, array: "da.Array") -> Any:
        """The array with its values."""
        return array.persist(scheduler="sync")


@dataclass
class Blocks:
    """Blocks of rows, in the order of the rows; `context` hears of every question, and may end the work."""

    place: Site
    parts: list[Any]
    lengths: list[int]
    context: Context = field(default_factory=Context)

    def __len__(self) -> int:
        """Return the number of blocks."""
        return len(self.parts)

    @cached_property
    def first_rows(self) -> Places:
        """Where each block begins in the whole, and the number of all rows."""
        return np.concatenate([[0], np.cumsum(self.lengths)]).astype(np.int64)

    @property
    def n(self) -> int:
        """Rows of all blocks."""
        return int(self.first_rows[-1])

    # ------------------------------------------------------------------------------------------------------- questions

    def map(self, question: Question, where: str, *each: Sequence[Any], **common: object) -> list[Any]:
        """question(block, *each, **common) for every block, answered where the block is; in the order of the blocks."""
        context = replace(self.context)  # several threads may ask
        context.phase(where, len(self))
        return self.place.bring(self.place.put(where, question, self.parts, *each, **common), where, context)

    def add(self, question: Question, where: str, adding: Callable[[list[Any]], Any], **common: object) -> Any:
        """The answers of all blocks, put together by `adding`, some at a time, where they are."""
        context = replace(self.context)
        context.phase(where)
        return self.place.bring([self.begin_adding(question, where, adding, **common)], where, context)[0]

    def begin_adding(
        self, question: Question, where: str, adding: Callable[[list[Any]], Any], *each: Sequence[Any], **common: object
    ) -> Any:
        """A part of the same. Answers of neighbouring blocks are put together, in the order of the blocks."""
        asked = self.place.put(where, question, self.parts, *each, **common)
        while len(asked) > 1:
            some = [asked[first : first + _AT_A_TIME] for first in range(0, len(asked), _AT_A_TIME)]
            asked = self.place.put(where, adding, some)
        return asked[0]

    def become(self, make: Question, where: str, *each: Sequence[Any], **common: object) -> Self:
        """The blocks that `make` turns these into, where they are; rows stay in their places."""
        return replace(self, parts=self.place.put(where, make, self.parts, *each, **common))

    def some(self, which: Sequence[int]) -> "Blocks":
        """Some of the blocks."""
        parts, lengths = ([each[s] for s in which] for each in (self.parts, self.lengths))
        return Blocks(self.place, parts, lengths, self.context)

    # ------------------------------------------------------------------------------------------------------------ rows

    def number(self, s: int, places: Places) -> Places:
        """The numbers in the whole of rows of block s."""
        return np.asarray(places + self.first_rows[s])

    def numbers(self, parts: list[Places]) -> Places:
        """The numbers in the whole of rows of every block, one block after the other."""
        return np.concatenate([self.number(s, part) for s, part in enumerate(parts)])

    def homes(self, rows: Places) -> tuple[Places, Places]:
        """The block of each row, by the row's number in the whole, and its place there."""
        home = np.searchsorted(self.first_rows, rows, side="right") - 1
        return home, rows - self.first_rows[home]

    def local(self, rows: Places) -> list[Places]:
        """For each block, the places of the given rows that it holds."""
        home, place = self.homes(rows)
        return [place[home == s] for s in range(len(self))]

    def fetch(self, rows: Places, question: Question, **common: object) -> list[Any]:
        """Arrays with a line for each of some rows, by their numbers in the whole; there is at least one row."""
        home, place = self.homes(rows)
        asked = np.unique(home).tolist()
        answers = self.some(asked).map(question, "fetching rows", [place[home == s] for s in asked], **common)
        order = np.argsort(np.argsort(home, kind="stable"), kind="stable")  # answers come block by block
        return [np.concatenate(parts)[order] for parts in zip(*answers, strict=True)]
