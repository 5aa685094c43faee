"""A visitor's own table."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt.data.sql.duck import confined
from rosenblatt.data.tables.named_columns import read_columns
from rosenblatt.lab import upload
from rosenblatt.lab.packing import unpack
from rosenblatt.lab.upload import read_upload


def test_numbers_levels_and_what_is_left_out() -> None:
    text = "id,width,height,when,kind\na,1,2.5,2024-01-01,iris\nb,2,,2024-01-02,rose\nc,3,1.5,2024-01-03,rose\n"
    table = read_upload(text.encode(), "flowers.csv")
    assert table.rows == 2
    assert table.incomplete == 1
    assert set(table.numbers) == {"width", "height"}
    assert table.levels["kind"] == ["iris", "rose"]
    assert table.levels["when"] == ["2024-01-01", "2024-01-03"]  # dates are text: nothing is guessed
    assert table.ignored == []
    header, columns = unpack(table.packed("kind"))
    assert header["target"] == "kind"
    np.testing.assert_array_equal(columns["number width"], [1.0, 3.0])
    np.testing.assert_array_equal(columns["code kind"], [0, 1])


def test_semicolons_and_tabs() -> None:
    for separator in ";\t":
        text = f"a{separator}y\n1{separator}0\n2{separator}1\n"
        assert set(read_upload(text.encode()).numbers) == {"a", "y"}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty"),
        (b"a,b\n", "has a header and no rows"),
        (b"\x00\x01\x02", "is not text"),
        (b"a,b\n1,x\n" + b"2,y\n" * 20_000 + "2,é\n".encode("latin-1"), "the text is not UTF-8"),
        (b"a,b\n1,2,3\n4\n", "line 2: this row has 3 fields and the first line has 2"),
        (b"only\n1\n2\n", "needs a column with"),
        (b"a,y\n1,\n2,\n", "every row has an empty cell|needs a column"),
        (b"a,y\n1e999,1\n2,0\n1.5,1\n", "1e999, which float64 does not hold"),
        (b"a,y\n1,1\n2e200,0\n1.5,1\n", 'column "a" has a value above 1e\\+30, complete row 2'),
        (b"x,y\n" + b"1,0\n" * 500_001, "has more than 500,000 rows"),
        (",".join(f"c{j}" for j in range(501)).encode() + b"\n" + b",".join([b"1"] * 501) + b"\n", "has 501 columns"),
    ],
)
def test_what_cannot_be_used_is_refused(content: bytes, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        read_upload(content, "data.csv")


def test_a_target_that_is_none_is_named() -> None:
    with pytest.raises(ValueError, match='"z" cannot be the class; columns with two to 20 different values are a, y'):
        read_upload(b"a,y\n1,0\n2,1\n").packed("z")


def test_the_reader_reaches_nothing_but_the_upload(tmp_path: Path) -> None:
    import duckdb

    secret, upload = tmp_path / "secret.csv", tmp_path / "table.csv"
    secret.write_text("a,y\n1,0\n")
    upload.write_text("a,y\n1,0\n2,1\n")
    with confined(reaches=str(upload)) as connection:
        assert set(read_columns(upload, connection=connection)) == {"a", "y"}
        for forbidden in (
            f"SELECT * FROM read_csv('{secret}')",
            "SELECT * FROM read_text('/etc/hostname')",
            f"COPY (SELECT 1) TO '{tmp_path / 'out.csv'}'",
            "SET enable_external_access = true",
            f"ATTACH '{tmp_path / 'x.db'}'",
            "INSTALL httpfs",
        ):
            with pytest.raises(duckdb.Error):
                connection.cursor().execute(forbidden)


def test_an_upload_is_read_by_a_confined_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[object] = []

    def watched(*arguments: object, connection: object = None, **options: Any) -> dict[str, Any]:
        used.append(connection)
        return read_columns(*arguments, connection=connection, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(upload, "read_columns", watched)
    assert read_upload(b"a,y\n1,0\n2,1\n").rows == 2
    assert len(used) == 1
    assert used[0] is not None


@pytest.mark.parametrize("codec", ["latin-1", "utf-16"])
def test_other_encodings_are_read(codec):
    assert read_upload("a;b\n1,5;é\n2;x\n".encode(codec)).numbers["a"].tolist() == [1.5, 2.0]
