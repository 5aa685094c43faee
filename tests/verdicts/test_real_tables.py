"""Real tables, with every column of two values as the target: all are decided, and no certificate is refused."""

from importlib.util import find_spec

import pytest

import rosenblatt as rb
from tests.verdicts.real_tables import PACKAGES, questions

SECONDS = 30.0
WRITTEN = 20_000  # values up to which the certificate is checked too


@pytest.mark.parametrize("package", PACKAGES)
def test_every_real_table_is_decided(package: str, request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("--soak"):
        pytest.skip("make soak decides them all: about half an hour")
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed (pip install {package})")
    asked, undecided = 0, list[str]()
    for name, X, y in questions(package):
        verdict = rb.separability(X, y, margin=False, time_limit=SECONDS)
        asked += 1
        if verdict.kind == "unknown":
            undecided.append(f"{name}: {verdict.reason}")
        elif X.size <= WRITTEN:
            assert verdict.certificate.verify(X, y).startswith(verdict.kind), name
    assert asked
    assert not undecided, "\n".join(undecided)
