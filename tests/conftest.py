"""Profiles: `make test` runs small counts, `make soak` (--soak) large ones."""

import os

import pytest
from hypothesis import HealthCheck, settings

_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]}
settings.register_profile("test", max_examples=60, derandomize=True, **_COMMON)
settings.register_profile("soak", max_examples=2000, **_COMMON)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--soak", action="store_true", help="run the large fuzz counts")


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("soak" if config.getoption("--soak") else "test")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
