"""The generator keeps its sequence; a permutation is the same however its dealing is cut."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.data.numbers.rows import as_rows
from rosenblatt.kernels.kinds import Rosenblatt
from rosenblatt.kernels.loop import learn
from rosenblatt.kernels.orders import uniform
from tests import oracles


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**50))
def test_generator_is_splitmix(seed: int, t: int) -> None:
    assert uniform(np.uint64(seed), t) == oracles.splitmix(seed, t)


def test_generator_reference_values() -> None:
    # the reference implementation's first outputs for seed 1234567 (Vigna), top 53 bits
    reference = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert [uniform(np.uint64(1234567), t) for t in range(4)] == [(v >> 11) / 2**53 for v in reference]


@pytest.mark.parametrize("n", [1, 2, 3, 10, 1000])
def test_shuffled_rows_are_permutations_dealt_in_parts(n: int) -> None:
    from rosenblatt.learners.runs.clock import Settings, make_order

    order = make_order(Settings(ties=(True, True), order="shuffled", seed=7), n)
    dealt = _deal(order, n, [n // 3, n])
    assert sorted(dealt) == list(range(n))
    assert dealt == oracles.rows_of_pass("shuffled", n, 7, 0)


def _deal(order: object, n: int, stops: list[int]) -> list[int]:
    """Rows as a run sees them, in calls that end at `stops`."""
    from rosenblatt.learners.runs.clock import Settings
    from rosenblatt.learners.runs.run import new_memory

    memory, clock = new_memory(np.zeros(2), Settings(ties=(True, True), trace=True, detect_cycles=False))
    rows = as_rows(np.zeros((n, 1)))
    rule = Rosenblatt(2.0**-60, True, True, False)  # steps too small to make anything right
    y = np.ones(n, dtype=np.int8)
    seen: list[int] = []
    for stop in stops:
        memory.w[:] = -1.0  # everything is a mistake
        learn(rows.kernel, y, np.empty(0), rule, order, memory, clock.record, stop, None)
        seen += memory.traced_rows[: clock.take_counts()[1]].tolist()
    return seen
