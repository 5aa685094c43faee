"""The first run on a machine compiles: how long that took is said apart from the work, and another process helps.

The loop of the learners takes as long to compile as everything else together. Where it is not on disk yet, a second
process compiles it while this one imports and reads.
"""

import os
import subprocess
import sys
import time
from contextlib import suppress
from importlib.resources import files
from pathlib import Path

__all__ = ["begin_ahead", "compile_loop", "end_ahead", "seconds_compiling", "sentence", "wait_for_loop"]

_WORTH_SAYING = 0.5  # seconds
_PATIENCE = 60.0  # seconds for the other process
_helper: "subprocess.Popen[bytes] | None" = None
_waited = 0.0  # seconds


# --------------------------------------------------------------------------------------------------------- what is said


def seconds_compiling() -> float:
    """What Numba has spent compiling in this process, and waiting for the other; 0.0 where nothing was compiled."""
    compiled = sys.modules.get("rosenblatt.kernels.compile")  # not imported for this: Numba takes its time
    return _waited + (0.0 if compiled is None else float(compiled.seconds_compiling()))


def sentence() -> str:
    """How long it took, where that is worth saying."""
    seconds = seconds_compiling()
    if seconds < _WORTH_SAYING:
        return ""
    return f"compiling for this machine, once: {seconds:.0f} s. `rosenblatt warmup` compiles everything beforehand."


# ---------------------------------------------------------------------------------------------------- who else compiles


def begin_ahead() -> None:
    """Have another process compile the loop of the learners, if it is not on disk and a second core is there."""
    global _helper
    if _helper is None and _cores() > 1 and not _is_compiled("loop.learn"):
        none = subprocess.DEVNULL
        with suppress(OSError):
            told = [sys.executable, "-m", "rosenblatt.cli.compiling"]
            _helper = subprocess.Popen(told, stdin=none, stdout=none, stderr=none)


def wait_for_loop(seconds: float | None = None) -> None:
    """Wait until the other process is done, if there is one: to compile the same here would take longer."""
    global _waited
    if _helper is not None and _helper.poll() is None:
        began = time.monotonic()
        with suppress(subprocess.TimeoutExpired):
            _helper.wait(_PATIENCE if seconds is None else min(_PATIENCE, seconds))
        _waited += time.monotonic() - began


def end_ahead() -> None:
    """Nobody waits for the other process any more."""
    if _helper is not None and _helper.poll() is None:
        _helper.kill()
        _helper.wait()


def compile_loop() -> None:
    """What the other process does: one pass of a perceptron over two rows, in the order that `check` takes."""
    import numpy as np

    from rosenblatt.data.rows import as_rows
    from rosenblatt.kernels.rules import Rosenblatt
    from rosenblatt.learners.examples import Examples
    from rosenblatt.learners.run import Run
    from rosenblatt.learners.settings import Settings

    y = np.array([-1, 1], dtype=np.int8)
    examples = Examples(as_rows(np.array([[0.0], [1.0]])), y, np.empty(0), True, 2.0)
    settings = Settings(ties=(True, True), order="shuffled")
    Run(examples, Rosenblatt(1.0, True, True, False), settings, np.zeros(2)).advance(2)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _is_compiled(kernel: str) -> bool:
    """Whether machine code of a kernel is on disk that is younger than all kernels' sources."""
    with suppress(OSError, TypeError):
        sources = Path(str(files("rosenblatt.kernels")))
        youngest = max(source.stat().st_mtime for source in sources.glob("*.py"))
        told = os.environ.get("NUMBA_CACHE_DIR")
        found = Path(told).glob(f"*/{kernel}-*.nbi") if told else sources.glob(f"__pycache__/{kernel}-*.nbi")
        return any(index.stat().st_mtime > youngest for index in found)
    return True  # nothing is known: leave it


if __name__ == "__main__":
    compile_loop()
