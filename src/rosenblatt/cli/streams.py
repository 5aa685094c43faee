"""Standard input, output and error as they may be: closed, full, without Unicode; and signals that end the program.

Everything that a command prints goes through the streams that `made_fit` leaves behind, so this is the one place where
characters are replaced that an output cannot take. Files are UTF-8 always, and so are data on standard output.
"""

import atexit
import codecs
import os
import signal
import sys
import threading
import time
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, TextIO

__all__ = ["ends_interrupted", "give_up_output", "made_fit", "take_data", "was_interrupted"]

_PLAIN = {  # other signs lose their marks (é is e), or become a question mark
    "∞": "inf",
    "−": "-",
    "–": "-",
    "—": "-",
    "≥": ">=",
    "≤": "<=",
    "≠": "!=",
    "·": "|",
    "×": "x",
    "…": "...",
    "→": "->",
    "±": "+/-",
    "‖": "||",
    "θ": "theta",
    "ε": "epsilon",
    "δ": "delta",
    "λ": "lambda",
    "Φ": "Phi",
    "γ": "gamma",
    "χ": "chi",
    "η": "eta",
    "σ": "sigma",
    "Σ": "Sum",
    "∪": "u",
    "‘": "'",
    "’": "'",
    "“": '"',
    "”": '"',
    "█": "#",
    "━": "-",
    "╸": "-",
    "╺": "-",
    "─": "-",
    "│": "|",
    "¬": "not ",
    "∧": " and ",
    "∨": " or ",
    "√": "sqrt ",
    "\u00a0": " ",
    "\u2009": " ",
    "\u202f": " ",
}
_ERRORS = "rosenblatt.plain"
_OBJECTS_OF_LLVM = os.path.join("llvmlite", "binding", "ffi.py")
_TOGETHER = 1.0  # seconds: `timeout`, schedulers and terminals send a signal to a program and to its group
_A_MOMENT = 0.05  # seconds
_heard: list[float] = []  # when a signal ended the command


def _in_plain_characters(error: UnicodeError) -> tuple[str, int]:
    """Characters that stand for those which an encoding does not have."""
    assert isinstance(error, UnicodeEncodeError)
    taken = []
    for character in error.object[error.start : error.end]:
        bare = "".join(c for c in unicodedata.normalize("NFKD", character) if c.isascii())
        taken.append(_PLAIN.get(character) or bare or "?")
    return "".join(taken), error.end


@contextmanager
def made_fit(to_the_end: bool = False) -> Iterator[None]:
    """Streams that can be written to and read from, and signals that end the program as Ctrl-C does.

    `to_the_end`: this is all the program does, so once such a signal came, others are not heard anew.
    """
    codecs.register_error(_ERRORS, _in_plain_characters)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream: TextIO | None = getattr(sys, name)
        if stream is None:  # it was closed before the program began
            setattr(sys, name, _nothing(number))
        elif number and stream.errors != _ERRORS and hasattr(stream, "reconfigure"):
            with suppress(OSError):  # it was a file when the program began, and is none any more
                stream.reconfigure(errors=_ERRORS)
    _heard.clear()
    before = _hear_endings()
    try:
        yield
    finally:
        for one, handler in () if to_the_end and _heard else before.items():
            signal.signal(one, handler)


def _nothing(number: int) -> TextIO:
    """A stream that is always empty and takes everything; in the place of the closed one, so that no file gets it."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    with suppress(OSError):
        os.fstat(number)
        return os.fdopen(nowhere, "w" if number else "r", encoding="utf-8")
    os.dup2(nowhere, number)
    os.close(nowhere)
    return open(number, "w" if number else "r", encoding="utf-8", closefd=False)


def was_interrupted() -> bool:
    """Whether a signal ended the command, whatever a library that it met has made of that."""
    return bool(_heard)


def ends_interrupted() -> None:
    """The program ends after an interruption: threads are waited for, and what is temporary is removed."""
    _heard.append(time.monotonic())
    heard = _hear_endings()
    atexit.register(lambda: [signal.signal(one, signal.SIG_IGN) for one in heard])  # Python itself is being taken down


def _hear_endings() -> dict[signal.Signals, Any]:
    """Hear the signals that end a program; returns who heard them before."""
    ending = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    # a program that is to survive its terminal (nohup) has SIGHUP ignored
    return {one: signal.signal(one, _as_interruption) for one in ending if signal.getsignal(one) != signal.SIG_IGN}


def _as_interruption(signum: int, frame: FrameType | None) -> None:
    """The first signal is Ctrl-C. What comes with it says nothing new; a later one ends the program at once.

    While a library is loaded, or a compiler asks something, it waits: the one would abort, the other lose it.
    """
    now = time.monotonic()
    if not _heard:
        if _cannot_break_off(frame):
            again = threading.Timer(_A_MOMENT, _to_main_thread, [signum])
            again.daemon = True
            again.start()
            return
        _heard.append(now)
        raise KeyboardInterrupt
    if now > _heard[0] + _TOGETHER:
        os.write(2, b"rosenblatt: interrupted again, and ended at once.\n")
        os._exit(130)


def _cannot_break_off(frame: FrameType | None) -> bool:
    """Whether the main thread, which is here, loads a module, or deals with LLVM where it must not be broken off.

    LLVM loses exceptions of what it asks; and what is only half given back to it would be given back twice.
    """
    while frame is not None:
        file, name = frame.f_code.co_filename, frame.f_code.co_name
        if file.startswith("<frozen importlib._bootstrap") or name.startswith("_raw_object_cache"):
            return True
        if name in ("close", "detach", "__del__") and file.endswith(_OBJECTS_OF_LLVM):
            return True
        frame = frame.f_back
    return False


def _to_main_thread(signum: int) -> None:
    """Send a signal to this process; the main thread awakes where it waits."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, signum)
    else:
        signal.raise_signal(signum)


def give_up_output() -> None:
    """Nobody reads standard output, or it is full: whatever is still to be printed goes nowhere."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def take_data() -> None:
    """From here on standard output takes what other programs read: UTF-8, unless it is shown on a terminal."""
    if not sys.stdout.isatty() and hasattr(sys.stdout, "reconfigure"):
        with suppress(OSError):
            sys.stdout.reconfigure(encoding="utf-8")
