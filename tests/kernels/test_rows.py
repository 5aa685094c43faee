"""The row primitives keep their order of summation, the generator its sequence, the compiler its cache."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.data.rows import as_rows
from rosenblatt.kernels import rows as kernels
from tests import oracles


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("p", [1, 2, 3, 7, 8, 9, 15, 16, 17, 23, 24, 25, 31, 32, 33, 40, 47, 100])
def test_dense_rows_are_summed_in_the_promised_order(p: int, dtype: type) -> None:
    rng = np.random.default_rng(p)
    X = (rng.normal(size=(5, p)) * 10.0 ** rng.integers(-8, 8, size=(5, p))).astype(dtype)
    w = rng.normal(size=p + 1)
    expected = [oracles.lane_dot(x, w[:p]) + w[p] for x in X]
    assert as_rows(X).respond(w).tolist() == expected
    assert as_rows(X).respond(w[:p].copy()).tolist() == [oracles.lane_dot(x, w[:p]) for x in X]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("p", [1, 3, 4, 5, 8, 11, 50])
def test_sparse_rows_are_summed_in_the_promised_order(p: int, dtype: type) -> None:
    rng = np.random.default_rng(p)
    X = (rng.normal(size=(6, p)) * (rng.random((6, p)) < 0.6)).astype(dtype)
    w = rng.normal(size=p + 1)
    rows = as_rows(sp.csr_array(X))
    assert rows.respond(w).tolist() == [oracles.sparse_dot(x, w[:p]) + w[p] for x in X]


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**50))
def test_generator_is_splitmix(seed: int, t: int) -> None:
    assert kernels.uniform(np.uint64(seed), t) == oracles.splitmix(seed, t)


def test_generator_reference_values() -> None:
    # the reference implementation's first outputs for seed 1234567 (Vigna), top 53 bits
    reference = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert [kernels.uniform(np.uint64(1234567), t) for t in range(4)] == [(v >> 11) / 2**53 for v in reference]


@pytest.mark.parametrize("n", [1, 2, 3, 10, 1000])
def test_shuffled_rows_are_permutations_dealt_in_parts(n: int) -> None:
    from rosenblatt.learners.run import Settings, make_order

    order = make_order(Settings(ties=(True, True), order="shuffled", seed=7), n)
    dealt = _deal(order, n, [n // 3, n])
    assert sorted(dealt) == list(range(n))
    assert dealt == oracles.rows_of_pass("shuffled", n, 7, 0)


def _deal(order: object, n: int, stops: list[int]) -> list[int]:
    """Rows as a run sees them, in calls that end at `stops`."""
    from rosenblatt.learners.run import Settings, new_memory

    memory, clock = new_memory(np.zeros(2), Settings(ties=(True, True), trace=True, detect_cycles=False))
    rows = as_rows(np.zeros((n, 1)))
    rule = kernels.Rosenblatt(2.0**-60, True, True, False)  # steps too small to make anything right
    y = np.ones(n, dtype=np.int8)
    seen: list[int] = []
    for stop in stops:
        memory.w[:] = -1.0  # everything is a mistake
        kernels.learn(rows.kernel, y, np.empty(0), rule, order, memory, clock, stop, None)
        seen += memory.traced_rows[: clock["traced"][0]].tolist()
        clock["traced"] = 0
    return seen


SCRIPT = """
import numpy as np
from numba.core import event
import rosenblatt as rb

compiled = event.install_listener("numba:compile", counter := event.RecordingListener())
compiled.__enter__()
X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
model = rb.Perceptron().fit(X, [0, 0, 0, 1])
assert model.outcome_ == "SEPARATED" and model.score(X, [0, 0, 0, 1]) == 1.0
compiled.__exit__(None, None, None)
print(len(counter.buffer))
"""


# every folder that Numba would try refuses
NO_FOLDER = """
from numba.core import caching

def refuse(self):
    raise PermissionError("read-only file system")

caching._CacheLocator.ensure_cache_path = refuse
"""


def _compilations(tmp_path: Path, script: str) -> int:
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def test_second_process_does_not_compile(tmp_path: Path) -> None:
    assert _compilations(tmp_path, SCRIPT) > 0
    assert _compilations(tmp_path, SCRIPT) == 0


def test_unwritable_cache_folder_is_no_error(tmp_path: Path) -> None:
    assert _compilations(tmp_path, NO_FOLDER + SCRIPT) > 0
    assert not (tmp_path / "cache").exists()
