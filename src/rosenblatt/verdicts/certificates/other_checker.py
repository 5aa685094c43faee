"""A checker that is a program of its own, such as the proved one in verified/: `verify --with` runs it."""

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from rosenblatt.arrays import Signs
from rosenblatt.data.numbers import Rows, pieces
from rosenblatt.verdicts import checker

__all__ = ["examine_with"]


def examine_with(program: Path, certificate: Path, rows: Rows, signs: Signs) -> str:
    """What the program says is proved. Raises `checker.DoesNotHold` or `checker.OtherData` where it says no.

    The program gets the certificate and the rows as raw bytes, X as little-endian float64 and then the labels as int8.
    """
    with TemporaryDirectory() as folder:
        data = Path(folder) / "rows.f64"
        _write(data, rows, signs)
        try:
            done = subprocess.run(
                [str(program.resolve()), str(certificate), str(data)], capture_output=True, text=True, check=False
            )
        except OSError as why:
            raise ValueError(
                f"{program} cannot be run: {why.strerror}. `make verified` builds verified/rosenblatt-verify."
            ) from None
    answer, _, words = done.stdout.partition("\n")[0].partition(": ")
    match done.returncode, answer:
        case 0, "holds":
            return words
        case 1, "does not hold":
            raise checker.DoesNotHold(words)
        case 2, "is not about these data":
            raise checker.OtherData(words)
        case 3, "is not read":
            raise ValueError(f"{program} does not read it: {words}.")
    raise ValueError(f"{program} gave no answer: it ended with {done.returncode}.")


def _write(path: Path, rows: Rows, signs: Signs) -> None:
    with path.open("wb") as file:
        for start, stop in pieces(rows.n, rows.p):
            file.write(np.ascontiguousarray(rows.take(slice(start, stop)), dtype="<f8").tobytes())
        file.write(signs.astype(np.int8).tobytes())
