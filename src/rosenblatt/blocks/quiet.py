"""Logs of Dask and its processes stay off standard error, so that a person reads our sentences only."""

import logging
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rosenblatt.blocks.cluster import NoWorkersWarning
from rosenblatt.blocks.dealing import OneClassWarning

__all__ = ["deaf_children", "only_our_sentences"]

_OURS = (NoWorkersWarning, OneClassWarning)
# loggers that have a level of their own, which that of their parent does not change
_LOGGERS = ("distributed", "distributed.client", "distributed.gc", "asyncio", "tornado", "tornado.application")


@contextmanager
def only_our_sentences(note: Callable[[str], None]) -> Iterator[None]:
    """Silence Dask's loggers and the standard error of its processes; our own warnings go to `note`."""
    for name in () if os.environ.get("ROSENBLATT_TRACEBACK") else _LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    usual = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if issubclass(category, _OURS):
            note(str(message))
        else:
            usual(message, category, *where, **more)

    with _mute_children(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", module=r"(dask|distributed|tornado)\b")
        for category in _OURS:
            warnings.simplefilter("always", category)
        warnings.showwarning = show
        yield


@contextmanager
def _mute_children() -> Iterator[None]:
    """Processes that start now, or later to replace others, cannot write to our standard error.

    A child inherits file descriptor 2. Meanwhile that descriptor leads to the null device, and `sys.stderr` writes to a
    copy of the old one, which children do not inherit.
    """
    if os.environ.get("ROSENBLATT_TRACEBACK") or not _is_descriptor_two(sys.stderr):
        yield
        return
    ours, copy = sys.stderr, os.dup(2)
    ours.flush()
    with open(os.devnull, "w") as nowhere, open(copy, "w", encoding=ours.encoding, errors=ours.errors) as stream:
        stream.reconfigure(line_buffering=True)
        os.dup2(nowhere.fileno(), 2)
        sys.stderr = stream
        try:
            yield
        finally:
            stream.flush()
            os.dup2(copy, 2)
            sys.stderr = ours


def _is_descriptor_two(stream: Any) -> bool:
    try:
        return bool(stream.fileno() == 2)
    except (AttributeError, OSError, ValueError):  # closed, or somebody catches what we say
        return False


@contextmanager
def deaf_children() -> Iterator[None]:
    """Processes that begin now ignore Ctrl-C, which is for this one: it saves the fit, and then ends them."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
