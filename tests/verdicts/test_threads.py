"""Long calls of compiled code: the time limit and Ctrl-C are heard while they last."""

import _thread
import threading
import time

import pytest

from rosenblatt.verdicts.clock import Unfinished
from rosenblatt.verdicts.threads import aside


def test_what_it_gives_and_what_it_raises_comes_through() -> None:
    assert aside(lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        aside(lambda: 1 // 0)


def test_the_time_limit_is_heard() -> None:
    began = time.monotonic()
    with pytest.raises(Unfinished, match="the time limit was reached"):
        aside(lambda: time.sleep(20), began + 0.2)
    assert time.monotonic() - began < 10


def test_ctrl_c_is_heard() -> None:
    began = time.monotonic()
    timer = threading.Timer(0.2, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        aside(lambda: time.sleep(20))
    timer.join()
    assert time.monotonic() - began < 10
