"""The page about probes: whole, offline, on the report's builder."""

from pathlib import Path
from typing import Any

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
    return rb.probes.fit(X, {"known": Y[:, 0], "<chance>": Y[:, 1]}, controls=2, test=0.25, random_state=0)


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
    for j, record in enumerate(layered.records()):
        assert f"probe-{j}" in page.ids
        assert record["says"] in page.text
        shown = dict(row for row in page.tables[f"probe-{j}-table"] if len(row) == 2)
        low, high = (f"{record[f'auc_{end}']:.3f}" for end in ("low", "high"))
        assert shown["AUROC"] == f"{record['auc']:.3f} (95 %: {low} to {high})"
        assert shown["control"] == f"{record['control']:.3f}"


def test_the_map_comes_first_and_leads_to_every_probe(layered: rb.probes.Probes) -> None:
    text = probes_page.page(layered)
    assert text.index('class="heat"') < text.index("<details") < text.index("<svg")
    for j in range(len(layered)):
        assert f'<a href="#probe-{j}">{100 * layered.auc[j]:.0f}</a>' in text


@pytest.mark.parametrize("value", [0.75, float("nan")])
def test_links_of_probes_that_are_not_told_lead_to_the_list(
    layered: rb.probes.Probes, monkeypatch: pytest.MonkeyPatch, value: float
) -> None:
    monkeypatch.setattr(probes_page, "_MOST", 2)
    monkeypatch.setattr(probes_page, "_value", lambda probes, j: value)
    page = Page(probes_page.page(layered))
    assert {address[1:] for address in page.addresses if address.startswith("#")} <= set(page.ids)


def test_several_classes_and_numbers_are_shown() -> None:
    random = np.random.default_rng(0)
    X = random.standard_normal((300, 3))
    Y = {"kind": np.array(["a", "b", "c"])[X.argmax(axis=1)], "size": X[:, 0] + random.standard_normal(300)}
    probes = rb.probes.fit(X, Y, test=0.5, regress=["size"], method=["logistic", "least-squares"], random_state=0)
    page = Page(probes_page.page(probes))
    best = max(probes.confusions or [], key=lambda one: one["accuracy"])
    assert [row[1:] for row in page.tables["classes-0"][1:]] == [[str(n) for n in row] for row in best["matrix"]]
    assert "R²" in page.text


def test_what_cannot_be_said_is_said() -> None:
    X = np.random.default_rng(0).standard_normal((40, 30))
    few = probes_page.page(rb.probes.fit(X, np.arange(40) % 2 == 0, method="perceptron"))
    assert "For 1 of them a separation by itself would not show more than chance" in few
    assert "No rows were held out, so nothing here speaks of new ones." in few


def test_a_long_table_says_what_it_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes_page, "_MOST", 3)
    random = np.random.default_rng(0)
    probes = rb.probes.fit(random.standard_normal((30, 2)), random.random((30, 5)) > 0.5)
    page = Page(probes_page.page(probes))
    assert "The first 3 of 5 probes" in page.text
    assert "probe-2" in page.ids
    assert "probe-3" not in page.ids


def test_on_a_phone_a_click_on_the_map_opens_the_probe(browser: Any, layered: rb.probes.Probes, tmp_path: Path) -> None:
    probes_page.write_page(layered, tmp_path / "page.html")
    phone = browser.new_page(viewport={"width": 390, "height": 844})
    phone.goto((tmp_path / "page.html").as_uri())
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    assert not phone.is_visible("#probe-2")
    phone.click('.heat a[href="#probe-2"]')
    phone.wait_for_selector("#probe-2", state="visible", timeout=5000)
    phone.close()


AXE = Path(__file__).parents[2] / "lab-ui" / "node_modules" / "axe-core" / "axe.min.js"


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not there: npm ci in lab-ui")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_the_page_about_probes(
    browser: Any, layered: rb.probes.Probes, tmp_path: Path, scheme: str
) -> None:
    probes_page.write_page(layered, tmp_path / "page.html")
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    page.add_script_tag(path=str(AXE))
    found = page.evaluate("axe.run()")["violations"]
    assert [(one["id"], len(one["nodes"]), one["nodes"][0]["html"][:120]) for one in found] == []
    context.close()
