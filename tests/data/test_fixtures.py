"""Tables that R and LibreOffice wrote (fixtures/make.sh), with the values that they were made from."""

from pathlib import Path

import numpy as np
import pytest

from rosenblatt.data import open_table
from rosenblatt.data.paths import Told
from rosenblatt.data.tables.named_columns import read_columns

HERE = Path(__file__).parent / "fixtures"
AGE = [41, 67.5, 23, np.nan, 58, 36.25]
CENTRE = ["Köln", "Łódź", "Köln", "São Paulo", "Łódź", "Köln"]
IN_ASCII = str.maketrans({"ö": "oe", "Ł": "L", "ó": "o", "ź": "z", "ã": "a"})
FILES = ["r.csv", "r-comma.csv", "r.tsv.gz", "r.dta", "r.sas7bdat", "libreoffice.xlsx", "libreoffice.ods"]


@pytest.mark.parametrize("file", FILES)
def test_every_cell(file: str) -> None:
    found = read_columns(HERE / file, told=Told(na=("NA",)))
    assert np.array_equal(found["age"], AGE, equal_nan=True)
    assert found["visits"].tolist() == [2, 11, 0, 4, 7, 1]
    assert found["centre"].tolist() == (CENTRE if file != "r.dta" else [name.translate(IN_ASCII) for name in CENTRE])
    assert found["died"].tolist() == ["no", "yes", "no", "yes", "yes", "no"]
    if file != "r.dta":
        said = [None if value is None else str(value).upper() for value in found["smoker"].tolist()]
        assert said == ["TRUE", "FALSE", None, "TRUE", "FALSE", "FALSE"]


@pytest.mark.parametrize("file", FILES)
def test_the_rows_to_learn_from(file: str) -> None:
    table = open_table(HERE / file, target="died", features=["age", "visits"], na=["NA"], missing="drop")
    X, y, _ = table.arrays()
    assert X.tolist() == [[41, 2], [67.5, 11], [23, 0], [58, 7], [36.25, 1]]
    assert y.tolist() == [-1, 1, -1, 1, -1]
    assert table.classes == ("no", "yes")


def test_what_was_understood_is_said() -> None:
    table = open_table(HERE / "r-comma.csv", target="died", missing="drop", na=["NA"])
    assert any(note.startswith("decimal comma; 1 column (age)") for note in table.notes)
