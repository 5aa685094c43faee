"""A visitor's own table."""

from pathlib import Path

import numpy as np
import pytest

from rosenblatt.lab import tables
from rosenblatt.lab.packing import unpack
from rosenblatt.lab.tables import read_table


def test_numbers_levels_and_what_is_left_out() -> None:
    text = "id,width,height,when,kind\na,1,2.5,2024-01-01,iris\nb,2,,2024-01-02,rose\nc,3,1.5,2024-01-03,rose\n"
    table = read_table(text.encode(), "flowers.csv")
    assert table.rows == 2
    assert table.incomplete == 1
    assert set(table.numbers) == {"width", "height"}
    assert table.levels["kind"] == ["iris", "rose"]
    assert table.ignored == ["when"]
    header, columns = unpack(table.packed("kind"))
    assert header["target"] == "kind"
    np.testing.assert_array_equal(columns["number width"], [1.0, 3.0])
    np.testing.assert_array_equal(columns["code kind"], [0, 1])


def test_semicolons_and_tabs() -> None:
    for separator in ";\t":
        text = f"a{separator}y\n1{separator}0\n2{separator}1\n"
        assert set(read_table(text.encode()).numbers) == {"a", "y"}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "has no rows"),
        (b"a,b\n", "has no rows"),
        (b"\x00\x01\x02", "is not text"),
        ("a,b\n1,é\n2,x\n".encode("latin-1"), "cannot be read as CSV: .*utf-8"),
        (b"a,b\n1,2,3\n4\n", "needs a column with"),
        (b"only\n1\n2\n", "needs a column with"),
        (b"a,y\n1,\n2,\n", "every row has an empty cell|needs a column"),
        (b"a,y\n1e999,1\n2,0\n1.5,1\n", "infinite|needs a column"),
        (b"x,y\n" + b"1.5,0\n" * 20_001, "has more than 20,000 rows"),
        (",".join(f"c{j}" for j in range(501)).encode() + b"\n" + b",".join([b"1"] * 501) + b"\n", "has 501 columns"),
    ],
)
def test_what_cannot_be_used_is_refused(content: bytes, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        read_table(content, "data.csv")


def test_a_target_that_is_none_is_named() -> None:
    with pytest.raises(ValueError, match='"z" cannot be the class; columns with two to 20 different values are a, y'):
        read_table(b"a,y\n1,0\n2,1\n").packed("z")


def test_the_parser_reaches_nothing_but_the_upload(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import duckdb

    secret = tmp_path / "secret.csv"
    secret.write_text("a,y\n1,0\n")
    tried: list[str] = []
    connect = duckdb.connect

    class Curious:
        """Before every query asks for what must not be had."""

        def __init__(self) -> None:
            self.inner = connect(":memory:")

        def __enter__(self) -> "Curious":
            return self

        def __exit__(self, *_: object) -> None:
            self.inner.close()

        def execute(self, query: str, parameters: object = None) -> object:
            if query.startswith("SELECT"):
                for forbidden in (
                    f"SELECT * FROM read_csv('{secret}')",
                    "SELECT * FROM read_text('/etc/hostname')",
                    f"COPY (SELECT 1) TO '{tmp_path / 'out.csv'}'",
                    "SET enable_external_access = true",
                    f"ATTACH '{tmp_path / 'x.db'}'",
                    "INSTALL httpfs",
                ):
                    with pytest.raises(duckdb.Error):
                        self.inner.execute(forbidden)
                    tried.append(forbidden)
            return self.inner.execute(query, parameters)

    monkeypatch.setattr(duckdb, "connect", lambda _: Curious())
    assert tables.read_table(b"a,y\n1,0\n2,1\n").rows == 2
    assert len(tried) == 6
