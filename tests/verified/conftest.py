"""The proved checker as a program, where it was built, and the two answers that are compared."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt.verdicts import checker

PROGRAM = Path(__file__).parents[2] / "verified" / "rosenblatt-verify"
Answer = tuple[int, str]  # the exit status, and what is proved where it is 0


@pytest.fixture(scope="session")
def program() -> Path:
    if not PROGRAM.exists():
        pytest.skip("the proved checker is not built (make verified)")
    return PROGRAM


def said(done: "subprocess.CompletedProcess[str]") -> Answer:
    assert done.returncode in (0, 1, 2), done.stderr
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()[0].removeprefix("holds: ") if done.returncode == 0 else ""


@pytest.fixture
def proved(program: Path, tmp_path: Path) -> Callable[[Any, Any, Any], Answer]:
    """The answer of the proved checker on raw floats and labels."""
    certificate, data = tmp_path / "c.json", tmp_path / "d.f64"

    def ask(content: Any, X: Any, y: Any) -> Answer:
        certificate.write_text(json.dumps(content))
        data.write_bytes(np.ascontiguousarray(X, dtype="<f8").tobytes() + np.asarray(y).astype(np.int8).tobytes())
        return said(subprocess.run([program, certificate, data], capture_output=True, text=True, check=False))

    return ask


@pytest.fixture
def proved_of_lists(program: Path, tmp_path: Path) -> Callable[..., Answer]:
    """Its answer on what `checker.check` takes: lists of floats, of texts of numbers, a model's columns."""
    certificate, data = tmp_path / "c.json", tmp_path / "d.json"

    def ask(content: Any, X: Any, y: Any, **columns: Any) -> Answer:
        certificate.write_text(json.dumps(content))
        data.write_text(json.dumps({"X": X, "y": y} | columns))
        return said(subprocess.run([program, certificate, data], capture_output=True, text=True, check=False))

    return ask


def independent(content: Any, X: Any, y: Any, **columns: Any) -> Answer:
    """The answer of checker.py on arrays, or lists."""
    X, y = X.tolist() if hasattr(X, "tolist") else X, y.tolist() if hasattr(y, "tolist") else y
    try:
        return 0, checker.check(json.loads(json.dumps(content)), X, y, **columns)
    except checker.DoesNotHold:
        return 1, ""
    except checker.OtherData:
        return 2, ""
