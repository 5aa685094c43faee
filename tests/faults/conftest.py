"""Signals are what they are for a program that a person begins, also where these tests run under nohup."""

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def hang_up_is_heard() -> Iterator[None]:
    """A child inherits that SIGHUP is ignored."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)
