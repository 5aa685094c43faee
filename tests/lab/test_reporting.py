"""The report about the points on the stage."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.lab.asking import report
from rosenblatt.lab.packing import pack


def message(y: list[int], **header: Any) -> bytes:
    X = rb.datasets.xor().X.ravel()
    return pack({"n": 4, "p": 2, **header}, {"X": X, "y": np.array(y, dtype=np.int8)})


def test_a_report_is_saved(visit: Any) -> None:
    page = visit()
    page.select_option("header select", label="XOR with Φ")
    page.locator(".menu summary").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Report (HTML)").click()
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert text.lower().startswith("<!doctype html>")
    assert "x1·x2" in text


@pytest.mark.parametrize(
    ("y", "header", "sentence"),
    [
        ([1, 1, 1, 1], {"names": ["a", "b"], "classes": ["0", "1"]}, "a report is about two classes"),
        ([1, -1, 1, 1], {"names": ["a"], "classes": ["0", "1"]}, "must name every feature and both classes"),
        ([1, -1, 1, 1], {"names": ["a", "b"], "classes": [0, 1]}, "must name every feature and both classes"),
    ],
)
def test_what_cannot_be_reported_on(y: list[int], header: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        report(message(y, **header))
