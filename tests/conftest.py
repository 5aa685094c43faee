"""Profiles: `make test` runs small counts, `make soak` (--soak) large ones."""

import os
import shutil
import signal
from collections import defaultdict
from collections.abc import Generator, Iterator
from math import gcd
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]}
settings.register_profile("test", max_examples=25, derandomize=True, **_COMMON)
settings.register_profile("soak", max_examples=2000, **_COMMON)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--soak", action="store_true", help="run the large fuzz counts")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "some(n): of these cases `make test` runs n, `make soak` all")
    settings.load_profile("soak" if config.getoption("--soak") else "test")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background: children would ignore Ctrl-C too
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of a test that is marked `some(n)` leave n cases, spread over all of them."""
    if config.getoption("--soak"):
        return
    cases = defaultdict(list)
    for item in items:
        if mark := item.get_closest_marker("some"):
            cases[item.nodeid.partition("[")[0], mark.args[0]].append(item)
    left_out = {one for (_, n), own in cases.items() for one in set(own) - {own[i] for i in spread(n, len(own))}}
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = [one for one in items if one not in left_out]


def spread(n: int, of: int) -> list[int]:
    """So many numbers below `of`, spread so that a product of parameters loses no factor: steps of the golden ratio."""
    step = next(s for s in range(round(of * 0.382), of + 2) if gcd(s, of) == 1) if of else 1
    return [i * step % of for i in range(min(n, of))]


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_xdist_auto_num_workers() -> Generator[None, int, int]:
    """Half as many again as there are cores: who waits for a browser, a cluster or a process leaves its core idle."""
    cores = yield
    return cores + cores // 2


_FLAGS = [
    "--no-sandbox",  # Chromium refuses to sandbox for root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A real Chromium, one for all tests that drive one."""
    sync_api = pytest.importorskip("playwright.sync_api")
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("no Chromium on this machine (Debian: apt install chromium)")
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=_FLAGS)
        yield chromium
        chromium.close()
