"""The first run on a machine: what compiling took is said by itself, and another process helps with it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rosenblatt.cli import warmup


def test_the_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup, "seconds_compiling", lambda: 0.2)
    assert warmup.sentence() == ""
    monkeypatch.setattr(warmup, "seconds_compiling", lambda: 8.6)
    assert warmup.sentence() == (
        "compiling for this machine, once: 9 s. `rosenblatt warmup` compiles everything beforehand."
    )


def test_nothing_is_imported_to_know_that_nothing_was_compiled() -> None:
    program = "import sys; from rosenblatt.cli import warmup; print(warmup.seconds_compiling(), 'numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "0.0 False\n"


def test_the_clock_counts_compilations_once() -> None:
    program = """
import time, numba
from rosenblatt.kernels import compile
assert compile.seconds_compiling() == 0.0
inner = numba.njit(lambda x: x + 1)
outer = numba.njit(lambda x: inner(x) * 2)
began = time.perf_counter()
outer(1)
assert 0.0 < compile.seconds_compiling() <= time.perf_counter() - began
known = compile.seconds_compiling()
outer(2)
assert compile.seconds_compiling() == known
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_another_process_begins_only_where_the_loop_is_not_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[list[str]] = []

    class Process:
        def __init__(self, told: list[str], **streams: int) -> None:
            begun.append(told)

        def poll(self) -> int:
            return 0

    monkeypatch.setattr(warmup, "_helper", None)
    monkeypatch.setattr(warmup, "_cores", lambda: 2)
    monkeypatch.setattr(subprocess, "Popen", Process)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    kept = tmp_path / "kernels_1" / "loop.learn-69.py311.nbi"
    kept.parent.mkdir()
    kept.touch()
    warmup.begin_ahead()
    assert begun == []
    os.utime(kept, (0, 0))  # older than the sources
    warmup.begin_ahead()
    warmup.begin_ahead()  # one is enough
    assert begun == [[sys.executable, "-m", "rosenblatt.cli.warmup"]]
    warmup.wait_for_loop()
    warmup.end_ahead()


def test_no_other_process_where_the_package_cannot_be_written_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """Machine code is then in a folder of the user; whether it is there is not known, and most often it is."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert warmup._is_compiled("no.such.kernel")


def test_what_the_other_process_compiles_is_what_check_runs() -> None:
    program = """
from rosenblatt.cli.warmup import compile_loop
from rosenblatt.kernels.loop import learn
compile_loop()
known = list(learn.signatures)
import warnings
import numpy as np
from rosenblatt.verdicts.trial import try_perceptron
for kind in ("overlap", "complete"):
    X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([-1, -1, -1, 1], dtype=np.int8)
    assert try_perceptron(X, y, kind, True, None).separated
assert learn.signatures == known and len(known) == 1
"""
    subprocess.run([sys.executable, "-c", program], check=True)
