"""Machine code kept on disk: a cache that is damaged is made again."""

import os
import subprocess
import sys
from pathlib import Path

WORK = "import numpy as np; from rosenblatt.kernels.rows import logistic_all as f; p = np.empty(2); "
WORK += "f(np.array([0.0, 50.0]), p); print(p.tolist(), sum(f.stats.cache_hits.values()))"


def run(folder: Path) -> str:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    done = subprocess.run([sys.executable, "-c", WORK], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_files_that_were_cut_short_are_made_again(tmp_path: Path) -> None:
    assert run(tmp_path) == "[0.5, 1.0] 0\n"
    for ending in ("nbi", "nbc"):
        files = list(tmp_path.rglob(f"*logistic_all*.{ending}"))
        assert files
        for file in files:
            file.write_bytes(file.read_bytes()[:40])
        assert run(tmp_path) == "[0.5, 1.0] 0\n"
    assert run(tmp_path) == "[0.5, 1.0] 1\n", "and kept"
