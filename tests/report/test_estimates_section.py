"""The report's section on estimates: there where there are few coefficients, and the same table as everywhere."""

from pathlib import Path

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.estimates.results.layout import html_notes
from rosenblatt.report import write_report

ROWS = np.loadtxt(Path(__file__).parents[2] / "docs" / "data" / "patients.csv", delimiter=",", skiprows=1)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_few_columns_have_estimates_and_many_have_not(tmp_path):
    X, y = ROWS[:, :3], ROWS[:, 3]
    write_report(tmp_path / "few.html", X, y)
    page = (tmp_path / "few.html").read_text(encoding="utf-8")
    found = rb.estimate(X, y)
    assert '<section id="estimates">' in page
    assert "3.13487 to +∞" in page
    assert html_notes(found) in page
    wide = np.random.default_rng(0).normal(size=(40, 14))
    write_report(tmp_path / "many.html", wide, np.arange(40) % 2)
    assert '<section id="estimates">' not in (tmp_path / "many.html").read_text(encoding="utf-8")
