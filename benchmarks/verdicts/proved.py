"""The proved checker (verified/) against checker.py, on the same certificates."""

import json
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import rosenblatt as rb
from benchmarks.timing import WALL, benchmark, print_table, ratio, seconds, some
from rosenblatt.verdicts import checker

_PROGRAM = Path(__file__).parents[2] / "verified" / "rosenblatt-verify"


@benchmark("proved")
def proved_checker() -> None:
    """Time to check a certificate, reading the rows included, against `checker.py` on rows in memory."""
    if not _PROGRAM.exists():
        print("The proved checker is not built: make verified.")
        return
    rows = []
    for n, p, flips in some(((1_000, 20, 0), (1_000, 20, 1), (100_000, 100, 0), (100_000, 100, 1))):
        X, y = rb.datasets.margin_cloud(n, p, 0.05, random_state=0)
        y = np.where(np.asarray(y) == np.max(y), 1, -1)
        y[:flips] *= -1
        content = rb.separability(X, y, margin=n < 100_000).certificate.content
        ours, theirs = _times(content, np.asarray(X, dtype="<f8"), y)
        rows.append([f"{n} × {p}", content["verdict"], f"{ours:.2f} s", f"{theirs:.2f} s", ratio(ours / theirs)])
    print_table(["data", "verdict", "proved", "checker.py", "ratio"], rows)


def _times(content: dict[str, object], X: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    with TemporaryDirectory() as folder:
        certificate, data = Path(folder) / "c.json", Path(folder) / "d.f64"
        certificate.write_text(json.dumps(content))
        data.write_bytes(X.tobytes() + y.astype(np.int8).tobytes())
        command = [_PROGRAM, certificate, data]
        ours = seconds(lambda: subprocess.run(command, check=True, capture_output=True), WALL)
    values, labels = X.tolist(), y.tolist()
    return ours, seconds(lambda: checker.check(content, values, labels), WALL)
