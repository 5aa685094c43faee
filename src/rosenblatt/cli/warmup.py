"""`rosenblatt warmup`, which compiles everything now; and how other commands deal with what is not compiled yet.

The first run on a machine compiles. A command says how long that took apart from its own time. The loop of the learners
takes as long to compile as everything else together, so `check` has a second process compile it while it reads.
"""

import os
import subprocess
import sys
import time
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rosenblatt as rb
from rosenblatt.cli.output import DONE, counting

if TYPE_CHECKING:
    from rosenblatt.arrays import Floats

__all__ = ["begin_ahead", "command", "compile_loop", "end_ahead", "seconds_compiling", "sentence", "wait_for_loop"]

_WORTH_SAYING = 0.5  # seconds
_PATIENCE = 60.0  # seconds to wait for the second process
_helper: "subprocess.Popen[bytes] | None" = None  # the second process
_waited = 0.0  # seconds spent waiting for it


def command() -> int:
    """Compile all learners now, so that later starts are quick.

    For example:
      rosenblatt warmup
    """
    import warnings

    import numpy as np
    from sklearn.exceptions import ConvergenceWarning

    from rosenblatt.cli.fit_plan import make_learner
    from rosenblatt.data.readers import parse
    from rosenblatt.kernels import loop  # noqa: F401  (without Numba, small tables would compile nothing)

    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = np.array([-1, 1, 1, -1])
    plans = _plans(X)
    began = time.monotonic()
    with warnings.catch_warnings(), counting("versions compiled", len(plans)) as progress:
        warnings.simplefilter("ignore", ConvergenceWarning)
        for done, (layout, name, order) in enumerate(plans, 1):
            make_learner(name, None, {"order": order.value, "max_passes": 2}).fit(layout, y)
            progress(done)
        rb.separability(X, y)
        rb.separability(X, [0, 0, 0, 1])
        rb.estimate(X, [0, 1, 1, 0], firth=False)
        text = b"1 1:0.5\n" * 10_000  # shorter LIBSVM text is read without the compiled reader
        assert len(parse(text, "", 1, zero_based=False).labels) == 10_000
    print(f"ready: every learner is compiled ({time.monotonic() - began:.1f} s).")
    return DONE


def _plans(X: "Floats") -> list[tuple[Any, Any, Any]]:
    """Every layout of the rows, with every learner that shows row after row and every order of its loop."""
    from itertools import product

    import numpy as np
    import scipy.sparse as sp

    from rosenblatt.cli.fit_plan import LearnerName, Order
    from rosenblatt.learners import LEARNERS

    layouts = [X, X.astype(np.float32), sp.csr_matrix(X), sp.csr_matrix(X.astype(np.float32))]
    by_row = [LearnerName(name) for name, one in LEARNERS.items() if "order" in one.kind._get_param_names()]
    return list(product(layouts, by_row, Order))


# ------------------------------------------------------------------------------------------- how long compiling took


def seconds_compiling() -> float:
    """Seconds that Numba compiled in this process, plus those spent waiting for the second process."""
    compiled = sys.modules.get("rosenblatt.kernels.compile")  # looked up, not imported: importing Numba is slow
    return _waited + (0.0 if compiled is None else float(compiled.seconds_compiling()))


def sentence() -> str:
    """How long compiling took; empty where it took hardly any time."""
    seconds = seconds_compiling()
    if seconds < _WORTH_SAYING:
        return ""
    return f"compiling for this machine, once: {seconds:.0f} s. `rosenblatt warmup` compiles everything beforehand."


# ------------------------------------------------------------------------------------------------ the second process


def begin_ahead() -> None:
    """Start a second process that compiles the loop of the learners, if it is not on disk and a core is free for it."""
    global _helper
    if _helper is None and _cores() > 1 and not _is_compiled("loop.learn"):
        none = subprocess.DEVNULL
        with suppress(OSError):
            program = [sys.executable, "-m", "rosenblatt.cli.warmup"]
            _helper = subprocess.Popen(program, stdin=none, stdout=none, stderr=none)


def wait_for_loop(seconds: float | None = None) -> None:
    """Wait until the second process is done, if there is one: compiling the loop here would take longer."""
    global _waited
    if _helper is not None and _helper.poll() is None:
        began = time.monotonic()
        with suppress(subprocess.TimeoutExpired):
            _helper.wait(_PATIENCE if seconds is None else min(_PATIENCE, seconds))
        _waited += time.monotonic() - began


def end_ahead() -> None:
    """End the second process: nobody waits for it any more."""
    if _helper is not None and _helper.poll() is None:
        _helper.kill()
        _helper.wait()


def compile_loop() -> None:
    """What the second process does: one pass of a perceptron over two rows, in the order that `check` uses."""
    import numpy as np

    from rosenblatt.data.numbers import as_rows
    from rosenblatt.kernels import loop  # noqa: F401  (without Numba, so few rows would compile nothing)
    from rosenblatt.kernels.kinds import Rosenblatt
    from rosenblatt.learners.runs import Examples, Run, Settings

    y = np.array([-1, 1], dtype=np.int8)
    examples = Examples(as_rows(np.array([[0.0], [1.0]])), y, np.empty(0), True, 2.0)
    settings = Settings(ties=(True, True), order="shuffled")
    Run(examples, Rosenblatt(1.0, True, True, False), settings, np.zeros(2)).advance(2)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _is_compiled(kernel: str) -> bool:
    """Whether machine code of a kernel is on disk that is younger than the source of every kernel."""
    with suppress(OSError, TypeError):
        sources = Path(str(files("rosenblatt.kernels")))
        youngest = max(source.stat().st_mtime for source in sources.glob("*.py"))
        cache = os.environ.get("NUMBA_CACHE_DIR")
        if not cache and not os.access(sources, os.W_OK):
            return True  # Numba keeps its code elsewhere, and nothing is known of that place
        compiled = Path(cache).glob(f"*/{kernel}-*.nbi") if cache else sources.glob(f"__pycache__/{kernel}-*.nbi")
        return any(index.stat().st_mtime > youngest for index in compiled)
    return True  # nothing is known: start no second process


if __name__ == "__main__":
    compile_loop()
