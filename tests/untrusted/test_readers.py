"""Files that strangers wrote: no crash, no hang, and no answer but the right one where a checksum could tell."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.untrusted.readers import OTHERS, READERS

NAMES = [reader.name for reader in READERS]
OF_OTHERS = [reader.name for reader in OTHERS]
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(("names", "share"), [(NAMES, 1), (OF_OTHERS, 10)], ids=["ours", "of others"])
def test_damaged_and_forged_files(names: list[str], share: int, request: pytest.FixtureRequest) -> None:
    """In a child, so that a segmentation fault counts."""
    count, seed = (5000 // share, 1) if request.config.getoption("--soak") else (30 // share, 0)
    work = [sys.executable, "-W", "ignore", "-m", "tests.untrusted.work", str(seed), str(count), *names]
    done = subprocess.run(work, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, f"{done.stdout[-300:]}{done.stderr[-3000:]}"
    lines = done.stdout.splitlines()
    assert lines[0::2] == names
    for name, line in zip(names, lines[1::2], strict=True):
        found = json.loads(line)
        print(name, found)  # shown by -s: the counts of `make soak`
        assert not found["defects"], f"{name}: {found['defects'][0]}"
        assert found["tried"] == count == found["read"] + found["refused"]
        assert found["refused"], "nothing was damaged"
