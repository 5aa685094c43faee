"""The hash of data against one that is computed from fractions, value by value."""

import hashlib
import json
import pickle
import random
import struct
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt.data.numbers import digests
from rosenblatt.data.numbers.digests import BlockHasher, block_digests, combined, data_digest, text_columns
from rosenblatt.data.numbers.exact import exact_rows
from rosenblatt.data.numbers.readings import BINARY, Origin, Reading, Written
from rosenblatt.data.numbers.rows import Rows, as_rows

# what a column may hold: (m, e) is m·10^e
KINDS = ("short", "whole", "binary", "long", "longest", "tiny", "dyadic", "single", "single binary", "near 2^63")


def numbers_of(kind: str, n: int, rng: random.Random) -> list[Any]:
    if kind in ("binary", "single binary"):
        return [rng.gauss(0, 1) if kind == "binary" else float(np.float32(rng.gauss(0, 1))) for _ in range(n)]
    draw = {
        "short": lambda: (rng.randint(-(10**6), 10**6), -rng.randint(0, 5)),
        "whole": lambda: (rng.randint(-9, 9), 0),
        "long": lambda: (rng.randint(-(10**18), 10**18), rng.choice([0, 0, -1]) if kind == "long" else 0),
        "longest": lambda: (rng.randint(-(10**30), 10**30), -rng.randint(0, 9)),
        "small": lambda: (rng.randint(-99, 99), -300 - rng.randint(0, 2)),
        "tiny": lambda: (rng.randint(-99, 99), -300 - rng.randint(0, 30)),
        "dyadic": lambda: rng.choice([(10**14, 0), (95367431640625, -20), (0, 0), (-25, -2)]),
        "single": lambda: (rng.randint(-999, 999), -2),
        "wide": lambda: (rng.randint(-999, 999), rng.choice([16, 17, 20])),
        "wide, all int64": lambda: (rng.randint(-900, 900), rng.choice([14, 15, 16])),
        "own": lambda: (rng.randint(-99, 99), rng.choice([-3, 40])),
        "near 2^63": lambda: (rng.choice([2**63 - 1, -(2**63), 2**53 + 1, 2**62 + 3, 0]), 0),
    }[kind]
    return [draw() for _ in range(n)]


def table(kinds: list[str], n: int, rng: random.Random, zeros: float = 0.0) -> tuple[Rows, list[list[Fraction]]]:
    """Rows with their origin, and what they are."""
    columns = [numbers_of(kind, n, rng) for kind in kinds]
    for column, kind in zip(columns, kinds, strict=True):
        for i in range(n):
            if rng.random() < zeros:
                column[i] = -0.0 if "binary" in kind else (0, 0)
    exact = [
        [Fraction(v) if isinstance(v, float) else v[0] * Fraction(10) ** v[1] for v in column] for column in columns
    ]
    X = np.empty((n, len(kinds)))
    for j, column in enumerate(columns):
        X[:, j] = [v if isinstance(v, float) else float(f"{v[0]}e{v[1]}") for v in column]
    long = tuple(j for j, kind in enumerate(kinds) if kind in ("long", "longest", "tiny", "near 2^63"))
    parts = [Written.of(columns[j]) for j in long]
    written = Written(*(np.column_stack(one) for one in zip(*parts, strict=True))) if long else None
    single = np.array([kind.startswith("single") for kind in kinds])
    X[:, single] = X[:, single].astype(np.float32)
    return Rows(X, Origin(long, written, single)), [list(row) for row in zip(*exact, strict=True)]


# ---------------------------------------------------------------------------------------------------------- the oracle


def eight(value: Fraction, reading: Reading) -> bytes:
    if reading.power is None:
        return struct.pack("<d", float(value) + 0.0)
    return struct.pack("<q", whole(value, reading))


def whole(value: Fraction, reading: Reading) -> int:
    assert reading.power is not None
    scaled = value / Fraction(10) ** reading.power
    assert scaled.denominator == 1
    return scaled.numerator


def is_text(column: list[Fraction], reading: Reading) -> bool:
    return reading.power is not None and any(not -(2**63) <= whole(v, reading) < 2**63 for v in column)


def naive(values: list[list[Fraction]], readings: Any, further: list[Any], layout: str, block: int) -> str:
    """`further`: ("i1" or "<i8", numbers), or (fractions, Reading)."""
    columns = list(zip(*values, strict=True))
    texts = [j for j, column in enumerate(columns) if is_text(list(column), readings[j])]
    entries = [*readings, *(reading for _, reading in further if isinstance(reading, Reading))]
    total = hashlib.sha256(json.dumps([one.entry() for one in entries], separators=(",", ":")).encode())
    for first in range(0, len(values), block):
        rows = values[first : first + block]
        stored = [[j for j, v in enumerate(row) if v or layout == "dense"] for row in rows]
        content = b""
        if layout == "csr":
            starts = np.cumsum([0, *map(len, stored)]).tolist()
            content += struct.pack(f"<{len(starts)}q", *starts)
            content += b"".join(struct.pack("<q", j) for row in stored for j in row)
        pairs = [(row[j], j) for row, kept in zip(rows, stored, strict=True) for j in kept]
        content += b"".join(eight(v, readings[j]) for v, j in pairs if j not in texts)
        for t in texts:
            content += "".join(f"{whole(v, readings[j])}," for v, j in pairs if j == t).encode()
        for numbers, kind in further:
            some = numbers[first : first + block]
            if not isinstance(kind, Reading):
                content += np.array(some, dtype=kind).tobytes()
            elif is_text(numbers, kind):
                content += "".join(f"{whole(v, kind)}," for v in some).encode()
            else:
                content += b"".join(eight(v, kind) for v in some)
        total.update(hashlib.sha256(content).digest())
    return total.hexdigest()


@pytest.fixture(params=[7, 64])
def block(request: Any, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(digests, "BLOCK", request.param)
    monkeypatch.setattr(digests, "_CACHED", 20)
    return int(request.param)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("layout", ["dense", "csr"])
def test_the_hash_is_that_of_the_numbers(layout: str, seed: int, block: int) -> None:
    rng = random.Random(seed)
    kinds = rng.choices(KINDS, k=rng.randint(1, 5)) if seed else list(KINDS)
    n = rng.choice([1, 7, 8, 14, 20, 64, 65])
    rows, values = table(kinds, n, rng, zeros=0.4 if layout == "csr" else 0.1)
    exact = exact_rows(rows)
    assert exact is not None
    assert exact.exact is not None
    extra, numbers = table(["longest" if seed % 2 else "short"], n, rng)
    labels, codes = np.array([1, -1] * n, dtype=np.int8)[:n], np.arange(n)
    extra = exact_rows(extra)
    further = [(labels.tolist(), "i1"), (codes.tolist(), "<i8"), ([v for [v] in numbers], extra.exact.readings[0])]
    want = naive(values, exact.exact.readings, further, layout, block)
    assert data_digest(exact, [labels, codes, extra], layout) == want


@pytest.mark.parametrize("seed", range(6))
def test_sparse_rows_hash_alike(seed: int, block: int) -> None:
    rng = random.Random(seed)
    kinds = ["short", "whole", "dyadic", "binary", "wide", "wide, all int64", "own", "small"]
    rows, values = table(rng.sample(kinds, 5), 40, rng, zeros=0.6)
    sparse = exact_rows(as_rows(sp.csr_matrix(rows.kernel.X)))
    dense = exact_rows(Rows(rows.kernel.X))
    for layout in ("dense", "csr"):
        want = naive(values, dense.exact.readings, [], layout, block)
        assert data_digest(dense, (), layout) == data_digest(sparse, (), layout) == want


def test_rows_without_exact_values_are_binary(block: int) -> None:
    rng = random.Random(0)
    rows, _ = table(["short", "binary"], 30, rng, zeros=0.2)
    X = rows.kernel.X
    values = [[Fraction(v) for v in row] for row in X.tolist()]
    assert data_digest(Rows(X)) == naive(values, (BINARY, BINARY), [], "dense", block)
    weights = rng.choices([0.5, 1.0], k=30)
    further = [([Fraction(w) for w in weights], BINARY)]
    assert data_digest(Rows(X), [np.array(weights)]) == naive(values, (BINARY, BINARY), further, "dense", block)
    assert data_digest(Rows(X), [(np.array(weights), Reading(-1))]) != data_digest(Rows(X), [np.array(weights)])
    single = X.astype(np.float32)
    values = [[Fraction(v) for v in row] for row in single.astype(float).tolist()]
    assert data_digest(Rows(single)) == naive(values, (Reading(None, 32),) * 2, [], "dense", block)


def test_a_column_that_is_not_what_its_reading_says_is_refused() -> None:
    with pytest.raises(ValueError, match="not what its reading says"):
        data_digest(Rows(np.ones((2, 1))), [(np.array([0.5, 0.25]), Reading(-1))])


@pytest.mark.parametrize("seed", range(20))
def test_parts_make_one_hash(seed: int, block: int) -> None:
    rng = random.Random(seed)
    n = rng.randint(1, 150)
    rows, _ = table(rng.choices(KINDS, k=3), n, rng, zeros=0.3)
    exact = exact_rows(rows)
    assert exact is not None
    assert exact.exact is not None
    y, layout = np.arange(n).astype(np.int8), rng.choice(["dense", "csr"])
    text = text_columns(exact)
    cuts = sorted({0, n, *rng.choices(range(n), k=4)})
    parts = []
    for a, b in pairwise(cuts):
        one = BlockHasher(layout, a, text)
        middle = rng.randint(a, b)
        one.update(exact.part(a, middle) if not exact.sparse else exact.subset(slice(a, middle)), [y[a:middle]])
        one = pickle.loads(pickle.dumps(one))
        one.update(exact.part(middle, b), [y[middle:b]])
        parts.append(one)
    while len(parts) > 1:  # in any order
        at = rng.randrange(len(parts) - 1)
        parts[at : at + 2] = [parts[at].joined(parts[at + 1])]
    assert parts[0].finish() == block_digests(exact, [y], layout)
    assert combined(exact.exact.readings, parts[0].finish()) == data_digest(exact, [y], layout)


def test_a_hasher_that_stays_keeps_no_values(block: int) -> None:
    X, y = np.arange(200.0).reshape(50, 4), np.ones(50, dtype=np.int8)
    hasher = BlockHasher("dense", stays=True)
    for first in range(0, 50, 3):
        hasher.update(Rows(X[first : first + 3]), [y[first : first + 3]])
        assert not any(hasher.tail.sections[:1])
    assert hasher.finish() == hasher.finish() == block_digests(Rows(X), [y])


def test_parts_that_do_not_follow_each_other_are_refused(block: int) -> None:
    first, second = BlockHasher("dense"), BlockHasher("dense", 3)
    first.update(Rows(np.ones((2, 1))))
    with pytest.raises(ValueError, match="do not follow"):
        first.joined(second)
    second.update(Rows(np.ones((2, 1))))
    with pytest.raises(ValueError, match="begin within a block"):
        second.finish()


def test_blocks_have_65536_rows() -> None:
    X, y = np.arange(3 * 70_000.0).reshape(70_000, 3) / 4, np.ones(70_000, dtype=np.int8)
    parts = [(X[a:b], y[a:b]) for a, b in ((0, 65_536), (65_536, 70_000))]
    blocks = [hashlib.sha256((100 * a).astype("<i8").tobytes() + b.tobytes()).digest() for a, b in parts]
    exact = exact_rows(Rows(X))
    assert block_digests(exact, [y]) == blocks
    text = b'[{"power":-2},{"power":-2},{"power":-2}]'
    assert data_digest(exact, [y]) == hashlib.sha256(text + b"".join(blocks)).hexdigest()


def test_one_value_a_label_or_their_order_changes_it() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(-5, 5, size=(100, 3)) / 4, np.sign(rng.normal(size=100)).astype(np.int8)
    other, swapped = X.copy(), X[:, [1, 0, 2]]
    other[57, 1] += 0.25
    found = {
        data_digest(Rows(np.ascontiguousarray(a)), [b]) for a in (X, other, swapped) for b in (y, np.roll(y, 5), -y)
    }
    assert len(found) == 9
