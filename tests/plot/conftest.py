"""No windows, and no figure outlives its test."""

from collections.abc import Iterator

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

import rosenblatt as rb


@pytest.fixture(autouse=True)
def _no_windows() -> Iterator[None]:
    matplotlib.use("Agg")
    yield
    plt.close("all")


@pytest.fixture(scope="session")
def cloud() -> rb.datasets.Dataset:
    return rb.datasets.margin_cloud(60, 2, margin=0.4, random_state=1)


@pytest.fixture(scope="session")
def wide() -> rb.datasets.Dataset:
    """Ten columns, several hundred corrections."""
    return rb.datasets.margin_cloud(120, 10, margin=0.02, random_state=2)


@pytest.fixture(scope="session")
def overlapping() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return np.r_[rng.normal(size=(40, 2)), rng.normal(size=(40, 2)) + 1.5], np.repeat(["healthy", "ill"], 40)
