"""A checker that is a program of its own, such as the proved one in verified/: `verify --with` runs it."""

import json
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from rosenblatt.arrays import Signs
from rosenblatt.data.numbers import Rows, pieces, single_columns
from rosenblatt.verdicts import checker
from rosenblatt.verdicts.certificates.certificate import values_as_written

__all__ = ["examine_file_with", "examine_with", "program_named"]

_BUILT = Path(__file__).parents[4] / "verified" / "rosenblatt-verify"  # in a checkout, by `make verified`


def program_named(name: str) -> Path:
    """The program of this name; "proved" is the proved checker, from the path or where it was built."""
    if name != "proved":
        return Path(name)
    found = shutil.which("rosenblatt-verify")
    if found is None and not _BUILT.exists():
        raise ValueError(
            f"The proved checker is neither {_BUILT} nor rosenblatt-verify on the path: `make verified` builds it."
        )
    return Path(found or _BUILT)


def examine_with(program: Path, certificate: Path, rows: Rows, signs: Signs) -> str:
    """What the program says is proved. Raises `checker.DoesNotHold` or `checker.OtherData` where it says no.

    The program gets the certificate and the rows as raw bytes, X as little-endian float64 and then the labels as int8;
    or, where floats do not hold what was written, as a JSON file {"X": rows, "y": labels} with texts of numbers.
    """
    with TemporaryDirectory() as folder:
        written = bool(rows.origin.columns) or bool(single_columns(rows).any())
        data = Path(folder) / ("rows.json" if written else "rows.f64")
        if written:
            data.write_text(json.dumps({"X": values_as_written(rows), "y": signs.tolist()}))
        else:
            _write(data, rows, signs)
        return examine_file_with(program, certificate, data)


def examine_file_with(program: Path, certificate: Path, data: Path) -> str:
    """The same of a file that the program reads itself."""
    command = [str(program.resolve()), str(certificate), str(data)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as why:
        raise ValueError(f"{program} cannot be run: {why.strerror}. `make verified` builds {_BUILT.name}.") from None
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
