"""What a number is does not depend on where a table is cut: readings, units and the hash are those of the whole."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.data.gate import rows_of
from rosenblatt.distributed import deciding
from rosenblatt.distributed.pointsets import GivenRows
from rosenblatt.verdicts.decision import read_numbers
from tests.distributed.conftest import Inline
from tests.distributed.test_training import pairs
from tests.distributed.test_verdicts import agree

Made = Callable[[np.ndarray, np.random.Generator], Any]


def objects(values: list[Any]) -> np.ndarray:
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def ten(k: int) -> Decimal:
    return Decimal(f"1e{k}")


# A column from whole numbers k: an increasing function of them, or, of the last ones, of most of them.
COLUMNS: dict[str, Made] = {
    "whole": lambda k, _: k,
    "tenths": lambda k, _: k / 10,
    "thirds": lambda k, _: k / 3,
    "millionths": lambda k, _: k / 10**6,
    "far": lambda k, _: 2000 + k / 100,
    "long integers": lambda k, _: objects([10**30 + int(i) for i in k]),
    "int64": lambda k, _: 2**60 + k,
    "uint64": lambda k, _: (k - k.min()).astype(np.uint64) + np.uint64(2**63),
    "long decimals": lambda k, _: objects([Decimal(int(i)) + ten(-20) for i in k]),
    "float32 tenths": lambda k, _: (k / 10).astype(np.float32),
    "float32 thirds": lambda k, _: (k / 3).astype(np.float32),
    "float32 beyond 7 digits": lambda k, _: np.where(k > 0, 2e6 + k, k / 10).astype(np.float32),
    "float32 in several units": lambda k, _: np.where(k > 0, k, k / 1000).astype(np.float32),
    "tiny": lambda k, _: k * 1e-300,
    "tiny here and there": lambda k, _: np.where(k > 0, k, k * 1e-300),
    "huge": lambda k, _: k * 1e290,
    "zeros at ends": lambda k, _: np.where(k > 0, k * 1e290, k * 1e20),
    "beyond floats": lambda k, _: objects([int(i) * ten(400) for i in k]),
    "below floats": lambda k, _: objects([int(i) * ten(-400) for i in k]),
    "all sizes": lambda k, _: objects([int(i) * ten(50 * int(np.sign(i))) for i in k]),
    "one is long": lambda k, rng: objects([Decimal(int(i)) + ten(-25) * int(at == 0) for at, i in enumerate(k)]),
    "short and long": lambda k, _: objects([Decimal(int(i)).scaleb(-1) if i < 2 else Decimal(f"{i}.1{'3' * 22}") for i in k]),
    "zeros": lambda k, _: objects([int(i) * ten(320) if i > 3 else Decimal(0) for i in k]),
    "all floats": lambda k, _: objects([float(i) / 7 for i in k]),
}  # fmt: skip


def table(seed: int, names: list[str], n: int) -> tuple[pd.DataFrame, Any]:
    """A table of such columns, and labels that a hyperplane tells, or nearly, or not."""
    rng = np.random.default_rng(seed)
    K = rng.integers(-4, 6, (n, len(names)))
    K = K[np.argsort(K[:, 0])] if seed % 4 == 0 else K  # shards that differ
    frame = pd.DataFrame({f"{j} {name}": COLUMNS[name](K[:, j], rng) for j, name in enumerate(names)})
    score = K[:, rng.integers(len(names))] * 2 - rng.integers(-3, 4)
    y = [rng.integers(0, 2, n), score > 0, np.where(score == 0, rng.integers(0, 2, n), score > 0)][int(rng.integers(3))]
    return frame, y.astype(int)


@pytest.fixture(autouse=True)
def few_rows_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deciding, "_SAMPLE", 3)
    monkeypatch.setattr(deciding, "_SAMPLE_EACH", 1)


@given(
    st.integers(0, 10**9),
    st.lists(st.sampled_from([*COLUMNS]), min_size=1, max_size=3),
    st.integers(1, 5),
    st.booleans(),
)
def test_any_numbers(seed: int, names: list[str], shards: int, bias: bool) -> None:
    frame, y = table(seed, names, int(np.random.default_rng(seed).integers(6, 40)))
    agree(frame, y, shards, fit_intercept=bias)


@given(st.integers(0, 10**9), st.lists(st.sampled_from([*COLUMNS]), min_size=1, max_size=2), st.integers(2, 4))
def test_coefficients_of_any_numbers(seed: int, names: list[str], shards: int) -> None:
    frame, y = table(seed, names, 24)
    agree(frame, y, shards, coefficients=True)


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("seed", [0, 1])
def test_readings_are_those_of_the_whole(name: str, seed: int, inline: Inline) -> None:
    frame, y = table(seed, [name], 30)
    whole = read_numbers(rows_of(frame), "decimal").exact
    for shards in (1, 2, 7, 30):
        points = GivenRows.read(inline, pairs(frame, y, shards), None, True).by_the_rule("decimal")
        assert points.readings == whole.readings
        assert points.metric == (not whole.own)
        assert points.take(np.arange(30))[0].exact.powers == whole.powers
