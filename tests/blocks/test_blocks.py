"""Blocks of rows: the same questions and answers in this process, from a store and on a cluster."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt as rb
from distributed import Client
from rosenblatt.blocks import Blocks, Here, Site
from rosenblatt.blocks.cluster import Cluster
from rosenblatt.blocks.sources import DataWanted, cut, read
from rosenblatt.context import Context, Unfinished


@pytest.fixture(scope="module")
def cluster() -> Iterator[Site]:
    with Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=":0") as client:
        yield Cluster(client)


LENGTHS = [3, 1, 4, 1, 5]


def of(place: Site, lengths: list[int], context: Context | None = None) -> Blocks:
    """Blocks that hold the numbers of their rows in the whole."""
    ends = np.cumsum(lengths)
    arrays = [np.arange(end - n, end) for n, end in zip(lengths, ends, strict=True)]
    return Blocks(place, place.put("", np.array, arrays), lengths, context or Context())


def plus(block: Any, first: int, more: int) -> Any:
    return block * first + more


def joined(parts: list[Any]) -> Any:
    return np.concatenate(parts)


def lines(block: Any, places: Any) -> Any:
    return [block[places], -block[places]]


def late(block: Any) -> int:
    time.sleep(3)
    return len(block)


@pytest.fixture(params=["here", "cluster"])
def place(request: pytest.FixtureRequest) -> Site:
    return Here() if request.param == "here" else request.getfixturevalue("cluster")


def test_every_block_answers_in_its_order(place: Site) -> None:
    blocks = of(place, LENGTHS)
    answers = blocks.map(plus, "asking", [1, 2, 3, 4, 5], more=7)
    assert [answer.tolist() for answer in answers] == [
        [7, 8, 9], [13], [19, 22, 25, 28], [39], [52, 57, 62, 67, 72]
    ]  # fmt: skip
    turned = blocks.become(plus, "turning", [1] * 5, more=100)
    assert turned.map(np.min, "asking") == [100, 103, 104, 108, 109]
    assert turned.some([1, 3]).lengths == [1, 1]
    assert turned.some([1, 3]).map(np.min, "asking") == [103, 108]


@pytest.mark.parametrize("count", [1, 7, 8, 9, 70])
def test_answers_are_added_up_in_the_order_of_the_blocks(count: int, place: Site) -> None:
    blocks = of(place, [2] * count)
    assert blocks.add(np.array, "adding up", joined).tolist() == list(range(2 * count))


def test_a_large_message_goes_once_to_each_worker(place: Site) -> None:
    large = np.arange(1 << 16)
    answers = of(place, LENGTHS).map(plus, "asking", [0] * 5, more=large[: 1 << 16][None, :].T)
    assert [answer.shape for answer in answers] == [(1 << 16, n) for n in LENGTHS]


@given(st.lists(st.integers(1, 5), min_size=1, max_size=6), st.lists(st.integers(0, 10**6), max_size=9))
def test_rows_have_numbers_in_the_whole(lengths: list[int], drawn: list[int]) -> None:
    blocks = of(Here(), lengths)
    rows = np.array([row % sum(lengths) for row in drawn], dtype=np.int64)
    homes, places = blocks.homes(rows)
    assert [int(blocks.number(int(s), p)) for s, p in zip(homes, places, strict=True)] == rows.tolist()
    assert sorted(blocks.numbers(blocks.local(rows)).tolist()) == sorted(rows.tolist())
    if rows.size:
        there, less = blocks.fetch(rows, lines)
        assert there.tolist() == rows.tolist()
        assert less.tolist() == (-rows).tolist()


def test_a_context_hears_of_every_question(place: Site) -> None:
    told: list[tuple[str, int, int | None]] = []
    blocks = of(place, LENGTHS, Context(progress=lambda *moment: told.append(moment)))
    blocks.map(np.max, "looking for the largest")
    blocks.add(np.array, "adding up", joined)
    first = [("looking for the largest", done, 5) for done in (0, 5)]
    assert told == [*first, ("adding up", 0, None), ("adding up", 1, None)]


def test_a_context_ends_the_wait_for_workers(cluster: Site) -> None:
    blocks = of(cluster, [3], Context.of(time_limit=0.1))
    began = time.monotonic()
    with pytest.raises(Unfinished, match="the time limit was reached"):
        blocks.map(late, "waiting")
    assert time.monotonic() - began < 2.5


def test_a_store_is_read_alike_everywhere(tmp_path: Path, cluster: Site) -> None:
    data = rb.datasets.margin_cloud(50, 3, margin=0.1, random_state=0)
    table = rb.data.open_table(frame={"a": data.X[:, 0], "b": data.X[:, 1], "c": data.X[:, 2], "y": data.y}, target="y")
    store = rb.data.Store.build(table, tmp_path / "store")
    seen = [read(where, cut(store, 20), DataWanted(), True) for where in (Here(), cluster)]
    assert [one.shards.lengths for one in seen] == [[20, 20, 10]] * 2
    assert [one.digest for one in seen[0].surveys] == [one.digest for one in seen[1].surveys]
