"""The program in processes of its own, which can be killed: forked from a server that has imported everything."""

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path

from rosenblatt.cli.app import main

MARK = "\x1e"  # between what several commands print

_server = multiprocessing.get_context("forkserver")
_server.set_forkserver_preload(["tests.cli.preloaded"])


def start(
    folder: Path, *arguments: object, out: str = "out", err: str = "err", environment: dict[str, str] | None = None
) -> BaseProcess:
    """Begin a command in a folder; what it prints goes to the files `out` and `err` there."""
    child = _server.Process(
        target=_work, args=(str(folder), [str(one) for one in arguments], out, err, environment or {})
    )
    child.start()
    return child


def start_all(
    folder: Path, commands: list[list[str]], out: str, err: str, environment: dict[str, str] | None = None
) -> BaseProcess:
    """Begin several commands, one after the other in one process; MARK and the exit code end what each prints."""
    child = _server.Process(target=_work_through, args=(str(folder), commands, out, err, environment or {}))
    child.start()
    return child


def finish(folder: Path, *arguments: object) -> float:
    """Run a command to its end; returns the seconds it took."""
    began = time.monotonic()
    child = start(folder, *arguments)
    child.join(120)
    assert child.exitcode == 0, (folder / "err").read_text()
    return time.monotonic() - began


def kill_after(seconds: float, folder: Path, *arguments: object, since: Callable[[], bool] = lambda: True) -> bool:
    """Begin a command and kill it some time after `since` is true; whether it had not ended before."""
    child = start(folder, *arguments)
    while not since() and child.is_alive():
        time.sleep(0.001)
    child.join(seconds)
    child.kill()
    child.join()
    return child.exitcode == -signal.SIGKILL


def _work(folder: str, arguments: list[str], out: str, err: str, environment: dict[str, str]) -> None:
    _move(folder, out, err, environment)
    code = main(arguments)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _work_through(folder: str, commands: list[list[str]], out: str, err: str, environment: dict[str, str]) -> None:
    import uvicorn

    from rosenblatt.cli import warmup

    all_plans = warmup._plans
    warmup._plans = lambda X: all_plans(X)[:3]  # the others are no different in a terminal
    uvicorn.Server.run = _press_ctrl_c(uvicorn.Server.run)
    _move(folder, out, err, environment)
    for command in commands:
        code = main(command)
        for stream in (sys.stdout, sys.stderr):
            print(f"{MARK}{code}{MARK}", end="", file=stream, flush=True)
    os._exit(0)


def _press_ctrl_c(run: Callable[..., None]) -> Callable[..., None]:
    """A server that is asked to stop as soon as it runs: the lab stays until Ctrl-C."""

    def stopped(*given: object, **options: object) -> None:
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        run(*given, **options)

    return stopped


def _move(folder: str, out: str, err: str, environment: dict[str, str]) -> None:
    """Go there, with what is printed going elsewhere too."""
    os.chdir(folder)
    for name in ("NO_COLOR", "COLUMNS", "TERM"):
        os.environ.pop(name, None)
    os.environ.update(environment)
    for stream, name in ((sys.stdout, out), (sys.stderr, err)):
        stream.flush()
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream.fileno())
