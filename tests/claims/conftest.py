"""How many tables are tried: 300 in `make test`, 10,000 in `make soak`."""

import pytest

_TABLES = 300
_SOAK = 10_000


@pytest.fixture(scope="session")
def tables(request: pytest.FixtureRequest) -> range:
    """Numbers of the tables; a test that is slow takes some of them, for example every tenth: tables[::10]."""
    return range(_SOAK if request.config.getoption("--soak") else _TABLES)


@pytest.fixture(scope="session")
def half_of_tables(tables: range, request: pytest.FixtureRequest) -> range:
    """Every second table, for tests that are slow; all of them in `make soak`."""
    return tables if request.config.getoption("--soak") else tables[::2]
