"""Long calls of compiled code: the time limit and Ctrl-C are heard while they last."""

import _thread
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from rosenblatt.context import SILENT, Context, Unfinished
from rosenblatt.threads import aside
from rosenblatt.verdicts.search.candidates import LinearProgram

# A linear program that takes many seconds, interrupted, and the end of Python while it may still be stopping.
INTERRUPTED = """
import _thread, threading, time
import numpy as np
from rosenblatt.context import SILENT
from rosenblatt.verdicts.search.candidates import LinearProgram

Z = np.random.default_rng(0).normal(size=(3000, 600))
program = LinearProgram(np.zeros((0, 600)), 600, SILENT)
program.add(Z / np.linalg.norm(Z, axis=1)[:, None], np.zeros(len(Z)))
threading.Timer(0.3, _thread.interrupt_main).start()
try:
    program.solve()
except KeyboardInterrupt:
    print("heard")
"""


def test_what_it_gives_and_what_it_raises_comes_through() -> None:
    assert aside(lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        aside(lambda: 1 // 0)


def test_the_time_limit_is_heard() -> None:
    began = time.monotonic()
    with pytest.raises(Unfinished, match="the time limit was reached"):
        aside(lambda: time.sleep(20), Context.of(0.2))
    assert time.monotonic() - began < 10


def test_ctrl_c_is_heard() -> None:
    began = time.monotonic()
    timer = threading.Timer(0.2, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        aside(lambda: time.sleep(20))
    timer.join()
    assert time.monotonic() - began < 10


def test_who_is_told_to_stop_is_told_once_it_is_too_late_only() -> None:
    told = threading.Event()
    assert aside(lambda: 7, SILENT, told.set) == 7
    assert not told.is_set()
    with pytest.raises(Unfinished):
        aside(lambda: told.wait(20), Context.of(0.2), told.set)
    assert told.is_set()


def test_a_linear_program_ends_by_the_deadline() -> None:
    Z = np.random.default_rng(0).normal(size=(3000, 600))
    program = LinearProgram(np.zeros((0, 600)), 600, SILENT)
    program.add(Z / np.linalg.norm(Z, axis=1)[:, None], np.zeros(len(Z)))
    began = time.monotonic()
    program._context = Context.of(0.3)
    with pytest.raises(Unfinished, match="the time limit was reached"):
        program.solve()
    assert time.monotonic() - began < 10  # half a second on a machine that has nothing else to do


def test_python_ends_well_after_a_linear_program_was_interrupted() -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "heard\n", "")


LATE = """
import numpy as np
from threadpoolctl import threadpool_info
from rosenblatt.threads import one_thread

def threads():
    return [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]

before = threads()
with one_thread():
    import scipy.linalg
    scipy.linalg.qr(np.eye(200))
    assert set(threads()) == {1}, threads()
    with one_thread():
        pass
    assert set(threads()) == {1}, threads()
assert set(threads()) == set(before), (before, threads())
with one_thread():
    assert set(threads()) == {1}
assert set(threads()) == set(before)
"""


@pytest.mark.parametrize("told", ["", "2"])
def test_a_blas_that_is_loaded_inside_has_one_thread_there(told: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    environment |= {"OPENBLAS_NUM_THREADS": told} if told else {}
    done = subprocess.run([sys.executable, "-c", LATE], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
