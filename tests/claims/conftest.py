"""How many tables are tried: 300 in `make test`, 10,000 in `make soak`."""

import pytest

_TABLES = 300
_SOAK = 10_000


@pytest.fixture(scope="session")
def tables(request: pytest.FixtureRequest) -> range:
    """Numbers of the tables; a test that is slow takes every so-manieth: tables[::10]."""
    return range(_SOAK if request.config.getoption("--soak") else _TABLES)
