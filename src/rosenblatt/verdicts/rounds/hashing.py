"""The hash of rows that are never in one place.

Rows are hashed where they are (`numbers/digests.py`), in pieces; those that lie in several
blocks are put together there, some at a time. All that runs beside the search.

Older certificates have one SHA-256 over all rows, which is sequential: the bytes come here, piece by piece.
"""

import hashlib
from collections.abc import Callable, Iterator
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.arrays import Places
from rosenblatt.blocks import Blocks
from rosenblatt.data.numbers import BlockHasher, Reading, combined, text_columns
from rosenblatt.verdicts.certificates import as_csr, plain
from rosenblatt.verdicts.points import Points

if TYPE_CHECKING:
    from rosenblatt.blocks import Shard

__all__ = ["begin_digest", "old_digest"]


_PIECE = 1 << 23  # values that come here at a time


def begin_digest(shards: Blocks, readings: tuple[Reading, ...], layout: str) -> Callable[[], str]:
    """Have the workers hash rows that are read; the function that is returned waits for the hash."""
    where = "hashing the data"
    text = frozenset[tuple[int, int]]().union(*shards.map(_texts, where))
    first_rows = shards.first_rows[:-1].tolist()
    hashed = shards.begin_adding(_block_hashed, where, _joined, first_rows, layout=layout, text=text)
    finished = shards.place.put(where, _finished, [hashed], readings=readings)
    return lambda: str(shards.place.bring(finished, where, one="task")[0])


def _texts(points: Points) -> frozenset[tuple[int, int]]:
    return text_columns(points.rows)


def _block_hashed(points: Points, first: int, layout: str, text: frozenset[tuple[int, int]]) -> BlockHasher:
    hasher = BlockHasher(layout, first, text)
    hasher.update(points.rows, [points.y.astype(np.int8)])
    return hasher


def _joined(parts: list[BlockHasher]) -> BlockHasher:
    return reduce(BlockHasher.joined, parts)


def _finished(hasher: BlockHasher, readings: tuple[Reading, ...]) -> str:
    return combined(readings, hasher.finish())


# ---------------------------------------------------------------------------------------------------- versions 1 and 2


def old_digest(shards: Blocks, p: int, layout: str) -> str:
    """The hash that certificates of versions 1 and 2 have, of rows as they were given."""
    h = hashlib.sha256()
    for section in ("dense", "labels") if layout == "dense" else ("starts", "columns", "values", "labels"):
        total = 0
        for s, part in _sections(shards, p, section):
            if section == "starts":  # of a shard's rows; the whole has them from the first value on
                part = part[int(s > 0) :] + total
                total = int(part[-1]) if part.size else total
            h.update(part if section == "labels" else plain(part))
    return h.hexdigest()


def _sections(shards: Blocks, p: int, section: str) -> Iterator[tuple[int, Any]]:
    """A section of every shard in turn, with the shard's number; dense rows in pieces."""
    for s, n in enumerate(shards.lengths):
        step = max(1, _PIECE // max(1, p)) if section == "dense" else n
        for start in range(0, n, step):
            rows = np.arange(start, min(n, start + step))
            yield s, shards.some([s]).map(_section, "hashing the data", section=section, rows=rows)[0]


def _section(shard: "Shard", section: str, rows: Places) -> Any:
    """The values of one section of some rows."""
    if section == "labels":
        return shard.targets[0].astype(np.int8)
    if section == "dense":
        return shard.rows.take(rows)
    kernel = as_csr(shard.rows).kernel
    return {"starts": kernel.indptr, "columns": kernel.indices, "values": kernel.data}[section]
