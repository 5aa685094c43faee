"""A compressed table that is damaged is refused, or it is the table: never a shorter one, never another."""

import gzip
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from rosenblatt.data import Refused, open_table
from rosenblatt.data.readers.packed import check_whole
from rosenblatt.data.sql.duck import connect

ROWS = 60
TEXT = b"a,y\n" + b"".join(b"%d,%d\n" % (i * 7919 % 1000, i % 2) for i in range(ROWS))
# the same, as the program zstd writes it: one frame with a checksum
ZSTD = bytes.fromhex(
    "28b52ffd646400550500220a170fc0a50deffab7939b366ddacb6a7a4241e14ca8b5883c156e2ff3953c7edc127d7ed5c9e682d222cd3490d1ed"
    "ea69673f97bcb11691a7c2ed657413780c0a3f1164dca0b41441880e8acf11a45e41b91f41ac1694e345901081000130209033e781030f1c7860"
    "02fbc0029fc076b047fb44eba2458be6683cda68d15c3459c0585ffbd668cd5b6bcd9ab5d6acb126ace54c64f88de9b6cdb66ddb6edb669bdbfc"
    "0a2e027f4567f5ae24b7"
)
PACKED = {"csv.gz": gzip.compress(TEXT, mtime=0), "csv.zst": ZSTD}


def read(path: Path) -> list[list[float]] | None:
    """All rows with their labels; None where the file is refused in a sentence."""
    try:
        X, y, _ = open_table(path, target="y").arrays()
    except Refused:
        return None
    assert y is not None
    return [[*row, label] for row, label in zip(X.tolist(), y.tolist(), strict=True)]


def cut(content: bytes, rng: random.Random) -> bytes:
    return content[: rng.randrange(4, len(content))]


def flipped(content: bytes, rng: random.Random) -> bytes:
    damaged = bytearray(content)
    damaged[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    return bytes(damaged)


def lengthened(content: bytes, rng: random.Random) -> bytes:
    return content + rng.randbytes(rng.randrange(1, 9))


@pytest.mark.parametrize("damage", [cut, flipped, lengthened])
@pytest.mark.parametrize("ending", PACKED)
def test_damaged_files_are_refused_or_the_same_table(
    ending: str, damage: Callable[[bytes, random.Random], bytes], tmp_path: Path
) -> None:
    path, rng = tmp_path / f"table.{ending}", random.Random(0)
    path.write_bytes(PACKED[ending])
    whole = read(path)
    assert whole is not None
    assert len(whole) == ROWS
    refused = 0
    for _ in range(60):
        path.write_bytes(damage(PACKED[ending], rng))
        found = read(path)
        refused += found is None
        assert found is None or found == whole
    assert refused > 40


def test_files_of_several_parts_are_read_whole(tmp_path: Path) -> None:
    halves = TEXT[:100], TEXT[100:]
    (tmp_path / "parts.csv.gz").write_bytes(b"".join(map(gzip.compress, halves)))
    assert len(read(tmp_path / "parts.csv.gz") or []) == ROWS
    skippable = b"\x5a\x2a\x4d\x18" + (3).to_bytes(4, "little") + b"abc"
    (tmp_path / "parts.csv.zst").write_bytes(ZSTD + skippable)
    assert check_whole(tmp_path / "parts.csv.zst", "parts") == "zstd"
    (tmp_path / "parts.csv.zst").write_bytes(ZSTD + skippable[:-1])
    with pytest.raises(Refused, match="parts is damaged: its compressed data end early or make no sense"):
        check_whole(tmp_path / "parts.csv.zst", "parts")


def test_large_files_without_a_checksum_are_followed_to_their_end(tmp_path: Path) -> None:
    path = tmp_path / "large.csv.zst"
    query = f"COPY (SELECT range AS a, range % 2 AS y FROM range(200000)) TO '{path}' (HEADER, COMPRESSION zstd)"
    connect().cursor().execute(query)
    content, rng = path.read_bytes(), random.Random(1)
    assert check_whole(path, "large") == "zstd"
    for _ in range(50):
        path.write_bytes(content[: rng.randrange(4, len(content))])
        with pytest.raises(Refused, match="large is damaged"):
            check_whole(path, "large")
