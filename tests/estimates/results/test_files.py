"""Tables of estimates in files: each kind read back by a library that reads such files, with hostile names."""

import csv
from io import BytesIO, StringIO
from math import isinf
from pathlib import Path, PurePath

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.estimates.results.files import PICTURES, form_of, table_file

NAMES = ["=1+1", 'a,"b"\n', "<b>&x</b>"]  # a formula to a spreadsheet, marks of CSV, marks of HTML


@pytest.fixture(scope="module")
def table():
    r = np.random.default_rng(1)
    X = np.c_[r.random(40) < 0.2, r.normal(size=(40, 2))]
    y = np.where(X[:, 0] > 0, 1, r.random(40) < 0.4)
    pandas = pytest.importorskip("pandas")
    return rb.estimate(pandas.DataFrame(X, columns=NAMES), y)


def test_numbers_come_back_as_they_were(table):
    rows = list(csv.DictReader(StringIO(table_file(table, ".csv").decode())))
    assert [row["name"] for row in rows] == [*NAMES, "(1)"]
    columns = table.columns()
    for key in ("estimate", "lower", "upper", "firth", "p"):
        assert [float(row[key]) for row in rows] == columns[key]
    assert isinf(float(rows[0]["estimate"]))
    frame = table.to_frame()
    assert frame["firth"].tolist() == columns["firth"]
    assert frame.index.tolist() == [*NAMES, "(1)"]


def test_a_workbook_has_texts_and_numbers_and_no_formula(table):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.load_workbook(BytesIO(table_file(table, ".xlsx")))
    head, *rows = book["estimates"].iter_rows()
    assert [cell.value for cell in head] == list(table.columns())
    assert [row[0].value for row in rows] == [*NAMES, "(1)"]
    assert {row[0].data_type for row in rows} == {"s"}
    assert rows[0][3].value == "inf"
    assert rows[1][3].value == pytest.approx(table.coefficients[1].value, rel=1e-15)  # spreadsheets have 16 digits
    assert book["notes"]["A1"].value.startswith("Logistic regression of y = 1, 40 rows")


def test_a_document_has_the_table_and_its_notes(table):
    docx = pytest.importorskip("docx")
    document = docx.Document(BytesIO(table_file(table, ".docx")))
    (grid,) = document.tables
    assert grid.cell(1, 0).text == NAMES[0]
    assert grid.cell(1, 2).text == "+∞"
    texts = [one.text for one in document.paragraphs]
    assert all(note in texts for note in table.to_json()["notes"])


def test_a_page_has_names_as_text(table):
    page = table_file(table, ".html").decode()
    assert "&lt;b&gt;&amp;x&lt;/b&gt;" in page
    assert "<b>" not in page


def test_endings(table, tmp_path: Path):
    assert form_of(PurePath("a.b.CSV")) == ".csv"
    for path in ("t", "t.", "t.xls", "t.tar.gz", ".csv"):
        with pytest.raises(ValueError, match="the ending says how a table is written"):
            form_of(PurePath(path))
    for form in PICTURES:
        with pytest.raises(ValueError, match="EstimatesDisplay"):
            table.save(tmp_path / f"t{form}")
    table.save(tmp_path / "t.md")
    assert (tmp_path / "t.md").read_text(encoding="utf-8") == table.to_markdown() + "\n"


def test_a_lacking_package_is_named_before_anything_is_computed(monkeypatch):
    monkeypatch.setattr("rosenblatt.estimates.results.files.find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"needs the package python-docx: pip install 'rosenblatt\[tables\]'"):
        form_of(PurePath("t.docx"))
