"""A lab that is running, and a browser to visit it."""

import json
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from rosenblatt.cli.app import main
from rosenblatt.lab.server import application, listen

KEY = "the-key-of-the-tests"
ROOT = Path(__file__).parents[2]
BUNDLE = ROOT / "src" / "rosenblatt" / "lab" / "static" / "lab.js"

Ask = Callable[[Iterable[dict[str, Any]]], list[Any]]


@dataclass
class Running:
    """A server in this process."""

    port: int

    @property
    def address(self) -> str:
        """What a person would open."""
        return f"http://127.0.0.1:{self.port}/#key={KEY}"


@pytest.fixture(scope="session")
def lab() -> Iterator[Running]:
    listener = listen()
    port = listener.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(application(port, KEY), log_level="warning", ws="none"))
    thread = threading.Thread(target=lambda: server.run(sockets=[listener]))
    thread.start()
    yield Running(port)  # who asks before it is ready waits
    server.should_exit = True
    thread.join()


@pytest.fixture(scope="session")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The lab in one file, as the command saves it."""
    path = tmp_path_factory.mktemp("file") / "lab.html"
    assert main(["lab", "--save", str(path)]) == 0
    return path


def _complains(message: Any) -> bool:
    """Whether a message on the console is one; that a request was refused with a sentence is an answer."""
    return message.type in ("error", "warning") and "422" not in message.text


@pytest.fixture
def visit(browser: Any, lab: Running) -> Iterator[Any]:
    """Open the lab in a fresh context; whatever a test does, no error may appear on the console.

    The visitor has been here before, and is shown no tour, unless it is the `first` visit. With `clock` the test can
    let time pass (`page.clock.fast_forward`).
    """
    contexts, complaints = [], []

    def opened(
        address: str | None = None,
        wait: str = ".verdict-line:not(.muted)",
        first: bool = False,
        clock: bool = False,
        **options: Any,
    ) -> Any:
        context = browser.new_context(**({"viewport": {"width": 1280, "height": 860}} | options))
        if not first:
            context.add_init_script("try { localStorage.setItem('rosenblatt-lab-toured', 'yes') } catch {}")
        if clock:
            context.clock.install()
        contexts.append(context)
        context.set_default_timeout(10_000)
        page = context.new_page()
        page.on("console", lambda m: complaints.append(m.text) if _complains(m) else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(address or lab.address)
        page.wait_for_selector(wait)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture(scope="session")
def soak(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--soak"))


@pytest.fixture(scope="session")
def page(tmp_path_factory: pytest.TempPathFactory) -> Ask:
    """The page's module in Node: questions in, answers out."""
    if shutil.which("node") is None:
        pytest.skip("Node is not here")
    module = tmp_path_factory.mktemp("page") / "lab.mjs"
    module.write_bytes(BUNDLE.read_bytes())

    def ask(questions: Iterable[dict[str, Any]]) -> list[Any]:
        lines = "".join(json.dumps(one) + "\n" for one in questions)
        command = ["node", str(Path(__file__).with_name("page.mjs")), str(module)]
        run = subprocess.run(command, input=lines, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        return [json.loads(line) for line in run.stdout.splitlines()]

    return ask
