"""The widget in JupyterLab itself: a server, a kernel, a notebook that is run, and a browser that looks at it."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from typing import Any

import pytest

for package in ("jupyterlab", "ipykernel", "anywidget"):  # to import them takes seconds, and every worker would
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed", allow_module_level=True)
sync_api = pytest.importorskip("playwright.sync_api")

CELLS = ["import rosenblatt as rb\nX, y = rb.datasets.xor()\nrb.Lab(X, y)", "rb.separability(X, y)"]


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a notebook in a JupyterLab that is running."""
    folder = tmp_path_factory.mktemp("notebook")
    cell = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    content = {
        "cells": [{**cell, "id": f"cell{i}", "source": text} for i, text in enumerate(CELLS)],
        "metadata": kernel,
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    (folder / "lab.ipynb").write_text(json.dumps(content))
    options = [
        "--no-browser",
        "--allow-root",
        "--ServerApp.port=0",
        "--IdentityProvider.token=",
        f"--notebook-dir={folder}",
    ]
    own = {"JUPYTER_CONFIG_DIR": str(folder / "config"), "JUPYTER_RUNTIME_DIR": str(folder / "runtime")}
    command = [sys.executable, "-m", "jupyterlab", *options]
    log = (folder / "log").open("w+")
    server = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, **own}, cwd=folder)
    try:
        for _ in range(600):
            found = re.search(r"http://127\.0\.0\.1:(\d+)/", (folder / "log").read_text())
            if found:
                break
            assert server.poll() is None, (folder / "log").read_text()
            time.sleep(0.1)
        assert found, (folder / "log").read_text()
        yield f"http://127.0.0.1:{found[1]}/lab/tree/lab.ipynb?reset"
    finally:
        server.terminate()
        server.wait(20)
        log.close()


def test_the_widget_and_the_verdict_look_right(browser: Any, notebook: str) -> None:
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(notebook)
    shown = page.locator(".verdict-line", has_text="Overlapping")
    for _ in range(6):  # cells that are run before the kernel is there are not run at all
        page.locator(".jp-Notebook .jp-Cell").first.click()
        for _ in CELLS:
            page.keyboard.press("Shift+Enter")
        with suppress(sync_api.TimeoutError):
            shown.wait_for(timeout=6000)
            break
    shown.wait_for()
    styles = page.evaluate(
        """() => {
          const find = (root) => root.querySelector(".facts") ??
            [...root.querySelectorAll("*")].map((e) => e.shadowRoot && find(e.shadowRoot)).find(Boolean);
          const facts = find(document);
          const dt = facts.querySelector("dt"), style = getComputedStyle(dt);
          return { inShadow: facts.getRootNode() !== document, float: style.float, position: style.position,
            lines: Math.round(dt.getBoundingClientRect().height / parseFloat(style.lineHeight)),
            overlaps: dt.getBoundingClientRect().right > dt.nextSibling.getBoundingClientRect().left };
        }"""
    )
    assert styles["inShadow"]
    assert (styles["float"], styles["overlaps"]) == ("none", False)
    assert styles["lines"] <= 2  # not one word a line
    page.locator(".dot").nth(3).focus()
    page.keyboard.press("Delete")  # the lab's key, not the notebook's: no cell goes
    page.locator(".verdict-line", has_text="Completely separable").wait_for()
    assert page.locator(".jp-Notebook .jp-CodeCell").count() >= len(CELLS)
    sentence = page.locator(".jp-OutputArea td", has_text="points").first
    assert sentence.evaluate("(cell) => getComputedStyle(cell).textAlign") == "left"
    context.close()
