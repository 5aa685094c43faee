"""The page about probes: whole, offline, on the report's builder."""

from pathlib import Path

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.report import probes_page
from tests.report.test_report import Page


@pytest.fixture(scope="module")
def layered() -> rb.probes.Probes:
    """Two layers; the second knows one concept, both know nothing of the other."""
    random = np.random.default_rng(0)
    X = random.standard_normal((2, 80, 4))
    Y = np.column_stack([X[1, :, 0] > 0, random.random(80) > 0.5])
    return rb.probes.fit(X, {"known": Y[:, 0], "<chance>": Y[:, 1]}, controls=2, validation=0.25, random_state=0)


def test_the_page_is_whole_and_escapes(layered: rb.probes.Probes, tmp_path: Path) -> None:
    probes_page.write_page(layered, tmp_path / "page.html", "<layers>")
    text = (tmp_path / "page.html").read_text()
    page = Page(text)  # every element is closed
    assert page.unlabelled == []
    assert len(page.ids) == len(set(page.ids))
    assert all(address.startswith(("#", "data:")) for address in page.addresses)
    assert text.count("<svg") == 3
    assert "<layers>" in page.text
    assert "<chance>" not in text
    headings, *rows = page.tables["probes-table"]
    assert [row[:2] for row in rows] == [["known", "0"], ["<chance>", "0"], ["known", "1"], ["<chance>", "1"]]
    records = layered.records()
    for name, shown in (("accuracy, %", "validation_accuracy"), ("control, %", "control")):
        column = headings.index(name)
        assert [row[column] for row in rows] == [f"{100 * record[shown]:.1f}" for record in records]
    assert [row[-1] for row in rows] == [record["says"] for record in records]


def test_what_cannot_be_said_is_said() -> None:
    X = np.random.default_rng(0).standard_normal((40, 30))
    few = probes_page.page(rb.probes.fit(X, np.arange(40) % 2 == 0))
    assert "For 1 of them a separation by itself would not show more than chance" in few
    assert "No rows were held out, so nothing here speaks of new ones." in few


def test_a_long_table_says_what_it_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes_page, "_MOST", 3)
    random = np.random.default_rng(0)
    probes = rb.probes.fit(random.standard_normal((30, 2)), random.random((30, 5)) > 0.5)
    page = Page(probes_page.page(probes))
    assert "The first 3 of 5 probes" in page.text
    assert len(page.tables["probes-table"]) == 4
