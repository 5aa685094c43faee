"""Numbers and texts as people write them: one reading that fits the whole column, or a question; never a guess."""

import json
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt.data import Encoding, Refused, open_table
from rosenblatt.data.tables.named_columns import read_columns
from rosenblatt.verdicts import checker


def test_a_header_may_be_longer_than_what_is_looked_at(tmp_path: Path) -> None:
    names = [f"a_name_as_long_as_those_of_genes_{k}" for k in range(2500)]
    rows = "".join(",".join([f"{k}"] * len(names) + [f"{k % 2}"]) + "\n" for k in range(3))
    (tmp_path / "wide.csv").write_text(",".join([*names, "y"]) + "\n" + rows)
    assert list(open_table(tmp_path / "wide.csv", target="y").features) == names
    (tmp_path / "cut.csv").write_text(",".join(names))
    with pytest.raises(Refused, match="has a header and no rows"):
        open_table(tmp_path / "cut.csv", target=names[0])


def column(folder: Path, values: list[str], name: str = "t.csv", **told: Any) -> Any:
    """A table with these texts in a column x, and classes that do not matter."""
    file = folder / name
    lines = [f'"{value}";{"ab"[k % 2]}' for k, value in enumerate(values)]
    file.write_text("\n".join(["x;y", *lines]) + "\n", encoding="utf-8")
    return open_table(file, target="y", **told)


def written(value: Decimal, decimal: str, thousands: str, percent: bool) -> str:
    """The naive writer."""
    digits = format(abs(value * 100 if percent else value), "f")
    whole, _, rest = digits.partition(".")
    groups = []
    while len(whole) > 3:
        groups.insert(0, whole[-3:])
        whole = whole[:-3]
    text = (thousands.join([whole, *groups]) if thousands else "".join([whole, *groups])) + (
        decimal + rest if rest else ""
    )
    return ("-" if value < 0 else "") + text + ("%" if percent else "")


MARKS = [(".", ""), (",", ""), (".", ","), (",", "."), (".", " "), (",", " "), (",", "\u202f"), (".", "'")]
NUMBERS = st.decimals(-10_000_000, 10_000_000, allow_nan=False, allow_infinity=False, places=3).map(Decimal.normalize)


@settings(max_examples=60, deadline=None)
@given(st.lists(NUMBERS, min_size=2, max_size=6), st.sampled_from(MARKS), st.booleans())
def test_a_column_is_read_as_it_was_written_or_refused(
    values: list[Decimal], marks: tuple[str, str], percent: bool
) -> None:
    import tempfile

    texts = [written(value, *marks, percent) for value in values]
    expected = [float(Fraction(value)) for value in values]
    said = {"decimal": marks[0], "thousands": " " if marks[1] == "\u202f" else marks[1]}
    with tempfile.TemporaryDirectory() as folder:
        try:
            found = column(Path(folder), texts).arrays()[0].ravel().tolist()
        except Refused as why:
            if "can be read in two ways" not in str(why):
                raise
        else:
            if all(_one_number(text) for text in texts) or found == expected:
                assert found == expected
            else:  # 1.234 is a number as it stands, whoever wrote it
                assert found == [float(text) for text in texts]
        assert column(Path(folder), texts, **said).arrays()[0].ravel().tolist() == expected


def _one_number(text: str) -> bool:
    """Whether a text is only one number, whatever the marks."""
    try:
        float(text)
    except ValueError:
        return True
    return "." not in text


@pytest.mark.parametrize(
    ("texts", "expected", "note"),
    [
        (["1,5", "2", "-0,25"], [1.5, 2, -0.25], ["decimal comma; 1 column (x)"]),
        (["1.234,5", "2"], [1234.5, 2], ["decimal comma; 1 column (x)", '"." between thousands; 1 column (x)']),
        (["1 234,5", "2"], [1234.5, 2], ["decimal comma; 1 column (x)", "a blank between thousands; 1 column (x)"]),
        (["1\u00a0234", "2"], [1234, 2], ["a blank between thousands; 1 column (x)"]),
        (["1,234,567", "2"], [1234567, 2], ['"," between thousands; 1 column (x)']),
        (["68%", "7.1 %"], [0.68, 0.071], ["per cent as parts of 1; 1 column (x)"]),
        (["68,1%", "7%"], [0.681, 0.07], ["decimal comma; 1 column (x)", "per cent as parts of 1; 1 column (x)"]),
        (["1.5", "2"], [1.5, 2], []),
        (["1e3", "2"], [1000, 2], []),
    ],
)
def test_what_was_understood_is_said(texts: list[str], expected: list[float], note: list[str], tmp_path: Path) -> None:
    table = column(tmp_path, texts)
    assert table.arrays()[0].ravel().tolist() == expected
    assert table.notes == note
    assert read_columns(tmp_path / "t.csv")["x"].tolist() == expected


def test_two_readings_are_a_question(tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r'\("1,234" is 1.234 or 1234\): say decimal="," or thousands=","'):
        column(tmp_path, ["1,234", "12"])
    assert column(tmp_path, ["1,234", "12"], decimal=",").arrays()[0].ravel().tolist() == [1.234, 12]
    assert column(tmp_path, ["1,234", "12"], thousands=",").arrays()[0].ravel().tolist() == [1234, 12]
    assert column(tmp_path, ["1.234", "12"], decimal=",", thousands=".").arrays()[0].ravel().tolist() == [1234, 12]
    assert column(tmp_path, ["1,234", "12"], categorical=["x"]).features == ["x=12"]
    with pytest.raises(Refused) as caught:
        column(tmp_path, ["1,234", "12"])
    assert "say --decimal ',' or --thousands ',', or --categorical x" in caught.value.in_shell()


def test_what_was_said_is_kept_to(tmp_path: Path) -> None:
    with pytest.raises(Refused, match='column "x" is text'):
        column(tmp_path, ["1.5", "2"], decimal=",").arrays()
    with pytest.raises(Refused, match="cannot be the decimal mark and stand between thousands too"):
        column(tmp_path, ["1.5", "2"], decimal=",", thousands=",")
    with pytest.raises(Refused, match=r"a decimal mark is \. or ,"):
        column(tmp_path, ["1.5", "2"], decimal=";")


def test_a_reading_that_later_rows_contradict_is_given_up(tmp_path: Path) -> None:
    many = ["1,5"] * 30_000
    table = column(tmp_path, [*many, "1.234,5"])
    assert table.arrays()[0].ravel().tolist() == [1.5] * 30_000 + [1234.5]
    assert column(tmp_path, ["7"] * 30_000 + ["1,5"]).arrays()[0].max() == 7
    with pytest.raises(Refused, match=r'column "x" is text'):
        column(tmp_path, ["7"] * 30_000 + ["1,5", "1.5"]).arrays()


@pytest.mark.parametrize("word", ["NA", "N/A", "n/a", ".", "null"])
def test_a_word_for_missing_among_numbers_is_missing(word: str, tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"missing values \(x 1; the first in row 2, column \"x\"\)"):
        column(tmp_path, ["1", word, "3"]).arrays()
    table = column(tmp_path, ["1,5", word, "3", "4"], missing="drop")
    assert table.arrays()[0].ravel().tolist() == [1.5, 3, 4]
    assert table.notes[-1] == f'"{word}" is missing; 1 column (x)'
    names = column(tmp_path, ["NA", "DE", "FR"])  # Namibia
    assert names.features == ["x=FR", "x=NA"]
    assert names.notes == ['"NA" is a level, not missing; 1 column (x)']
    assert column(tmp_path, ["TRUE", "NA", "FALSE"]).notes == names.notes  # as R writes a truth that is not known


def test_numbers_that_mean_missing_are_named(tmp_path: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame({"x": [1, -99, 3.5], "y": [0, 1, 1]})
    frame.to_csv(tmp_path / "m.csv", index=False)
    frame.to_parquet(tmp_path / "m.parquet")
    frame.to_excel(tmp_path / "m.xlsx", index=False)
    for name, text in (("m.csv", "-99.0"), ("m.parquet", "-99"), ("m.xlsx", "-99")):
        table = open_table(tmp_path / name, target="y", na=[text], missing="drop")
        assert table.arrays()[0].ravel().tolist() == [1, 3.5]


def test_weights_and_counts_are_read_so_too(tmp_path: Path) -> None:
    (tmp_path / "w.csv").write_text("x;w;y\n1,5;0,5;a\n2;1,25;b\n")
    table = open_table(tmp_path / "w.csv", target="y", weights="w")
    assert table.arrays()[2].tolist() == [0.5, 1.25]
    again = open_table(tmp_path / "w.csv", encoding=Encoding.from_json(table.encoding.to_json()))
    assert again.arrays()[2].tolist() == [0.5, 1.25]


def test_the_next_table_is_read_alike(tmp_path: Path) -> None:
    table = column(tmp_path, ["1,5", "2,25", "NA"], missing="drop")
    encoding = Encoding.from_json(table.encoding.to_json())
    assert encoding == table.encoding
    (tmp_path / "next.csv").write_text("x;y\n3,5;a\n4;b\n")
    assert open_table(tmp_path / "next.csv", encoding=encoding).arrays()[0].ravel().tolist() == [3.5, 4]
    (tmp_path / "next.csv").write_text("x;y\n3.5;a\n4;b\n")
    with pytest.raises(
        Refused, match=r'row 1, column "x" is "3.5", where the model has numbers \(decimal comma, "NA" is'
    ):
        open_table(tmp_path / "next.csv", encoding=encoding).arrays()


def test_the_next_dates_are_dates(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("d,y\n2024-01-31,u\n2024-02-01,v\n")
    encoding = open_table(tmp_path / "t.csv", target="y", dates={"d": "days"}).encoding
    (tmp_path / "t.csv").write_text("d,y\n2024-01-31,u\n24-02-01,v\n")
    with pytest.raises(Refused, match='row 2, column "d" is "24-02-01", where the model has dates, as 2024-01-31'):
        open_table(tmp_path / "t.csv", encoding=encoding).arrays()


def test_a_first_line_that_may_be_a_row_is_told(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("5.1,3.5,2020,y\n4.9,3,1,u\n6,3.1,2,v\n")
    notes = open_table(tmp_path / "t.csv", target="y").notes
    assert notes == ["names that are numbers, in the first line; 2 columns (5.1, 3.5)"]


def test_an_unusual_delimiter_is_remembered(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a:y\n1:u\n2:v\n")
    encoding = open_table(tmp_path / "t.csv", target="y", delimiter=":").encoding
    assert open_table(tmp_path / "t.csv", encoding=encoding).arrays()[0].ravel().tolist() == [1, 2]


def test_blanks_around_numbers_expect_no_decimal_comma(tmp_path: Path) -> None:
    table = column(tmp_path, ["5\u00a0", "7"])
    assert table.arrays()[0].ravel().tolist() == [5, 7]
    assert not any("comma" in note for note in table.notes)


def test_texts_that_are_hardly_names_are_told(tmp_path: Path) -> None:
    import pandas as pd

    y = [k % 2 for k in range(24)]
    frame = pd.DataFrame({"a": [str(k % 3) for k in range(24)], "b": [f"n{k}" for k in range(24)], "y": y})
    table = open_table(frame=frame, target="y")
    assert table.notes == [
        "numbers that are texts, taken as names; 1 column (a)",
        "a different name in every row; 1 column (b)",
    ]
    assert open_table(frame=frame, target="y", categorical=["a", "b"]).notes == []
    many = pd.DataFrame({"a": [str(k) for k in range(150)], "y": [k % 2 for k in range(150)]})
    with pytest.raises(Refused, match=r'more than 100: say numbers=."a". if they are numbers, id="a" if it names the'):
        open_table(frame=many, target="y")


@pytest.mark.parametrize(
    ("name", "values", "told"),
    [
        ("patientId", [f"{7 * k}" for k in range(24)], True),
        ("ID", [f"{k}" for k in range(24)], True),
        ("id", [f"{k}" for k in range(12)], False),  # few rows
        ("id", [f"{k}" for k in range(23)] + ["3"], False),
        ("id", [f"{k}" for k in range(23)] + ["3.5"], False),
        ("id", [f"{k}" for k in range(23)] + [""], False),
        ("width", [f"{k}" for k in range(24)], False),
        ("id_of_ward", [f"{k}" for k in range(24)], False),
    ],
)
def test_numbers_that_name_the_rows_are_told(tmp_path: Path, name: str, values: list[str], told: bool) -> None:
    lines = [f"{value},{k % 3},{'uv'[k % 2]}" for k, value in enumerate(values)]
    (tmp_path / "t.csv").write_text("\n".join([f"{name},a,y", *lines]) + "\n")
    notes = open_table(tmp_path / "t.csv", target="y", missing="drop").notes
    assert (
        any(
            f"another whole number in every row, taken as numbers; to name the rows by them say id, to leave them out "
            f"drop; 1 column ({name})" == note
            for note in notes
        )
        == told
    )
    if told:
        for options in ({"id": name}, {"drop": [name]}, {"numbers": [name]}):
            assert open_table(tmp_path / "t.csv", target="y", **options).notes == []


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (('"1",5,"u"', '"2",7,"v"', '"1",8,"u"'), ["a"]),  # as R writes a factor
        (('"1",5,"u"', 'NA,7,"v"', '"2",NA,"u"', '"1",3,"v"'), ["a"]),
        (('"1",5,"u, w"', '"2",7,"v"', '"1",8,"v"'), ["a"]),
        (('"1","5","u"', '"2","7","v"', '"1","8","u"'), []),  # everything in quotes: they say nothing
        (("1,5,u", "2,7,v", "1,8,u"), []),
        (('"1",5,"u"', '2,7,"v"', '"1",8,"u"'), []),
    ],
)
def test_numbers_in_quotes_among_others_that_are_not_are_told(tmp_path: Path, rows: Any, told: list[str]) -> None:
    (tmp_path / "t.csv").write_text('"a","b","y"\n' + "\n".join(rows) + "\n")

    def named(**options: Any) -> list[str]:
        table = open_table(tmp_path / "t.csv", target="y", missing="drop", **options)
        return [note.split("(")[-1].rstrip(")") for note in table.notes if "R writes a factor" in note]

    assert named() == told
    assert named(categorical=["a"]) == named(numbers=["a"]) == []


def test_a_class_that_looks_missing_is_told(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,y\n1,u\n2,v\n3,NA\n")
    assert open_table(tmp_path / "t.csv", target="y", multiclass=True).notes == [
        '"NA" is a class, not missing; 1 column (y)'
    ]


@pytest.mark.parametrize(
    "rows", [["1,5", "2,25", "3", "4,5"], ["1.234,5", "2", "10.000", "-3,5"], ["5%", "NA", "7.5 %", "9 %"]]
)
def test_the_checker_reads_them_by_itself(rows: list[str], tmp_path: Path) -> None:
    table = column(tmp_path, rows, missing="drop")
    verdict = rb.separability(*table.arrays()[:2])
    verdict.certificate.about(table.encoding).save(tmp_path / "c.json")
    command = [sys.executable, checker.__file__, tmp_path / "c.json", tmp_path / "t.csv"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (tmp_path / "t.csv").write_text((tmp_path / "t.csv").read_text().replace("5", "6"))
    assert subprocess.run(command, capture_output=True, check=False).returncode == 2


@pytest.mark.parametrize(
    ("marks", "text"),
    [
        ({"decimal": ","}, "1.5"),
        ({"decimal": ",", "thousands": "."}, "1.23"),
        ({"percent": True}, "5"),
        ({"thousands": " "}, "1 23"),
    ],
)
def test_the_checker_refuses_what_does_not_fit(marks: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match="is not a number"):
        checker._without_marks(text, marks)


@pytest.mark.parametrize(
    ("text", "features", "first"),
    [
        ("preis (EUR, netto);y\n1,5;a\n2,5;b\n", ["preis (EUR, netto)"], [1.5]),
        ("von, bis, je;y\n1,5;a\n2,5;b\n", ["von, bis, je"], [1.5]),
        ("u,v;w,y\n1,2,a\n3,4,b\n", ["u", "v;w"], [1, 2]),
        ("u|v|y\n1|2,5|a\n3|4,5|b\n", ["u", "v"], [1, 2.5]),
    ],
)
def test_the_delimiter_cuts_all_rows_alike(text: str, features: list[str], first: list[float], tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(text)
    table = open_table(tmp_path / "t.csv", target="y")
    assert table.features == features
    assert table.arrays()[0][0].tolist() == first


def test_columns_without_a_name_are_left_out(tmp_path: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame({"a": [5, 6, 7], "b": [1.5, 2, 1], "y": [0, 1, 1]}, index=[7, 3, 5])
    frame.to_csv(tmp_path / "index.csv")
    frame.to_excel(tmp_path / "index.xlsx")
    (tmp_path / "end.csv").write_text("a;b;y;;\n5;1,5;0;;\n6;2;1;;\n7;1;1;;\n")
    for name, notes in [
        ("index.csv", ["left out column 1 (no name)"]),
        ("index.xlsx", ["left out column 1 (no name)"]),
        ("end.csv", ["left out columns 4, 5 (no name)", "decimal comma; 1 column (b)"]),
    ]:
        table = open_table(tmp_path / name, target="y")
        assert table.features == ["a", "b"]
        assert table.arrays()[0].tolist() == [[5, 1.5], [6, 2], [7, 1]]
        assert table.notes == notes
        assert list(read_columns(tmp_path / name)) == ["a", "b", "y"]
    both = open_table([tmp_path / "index.csv", tmp_path / "end.csv"], target="y", drop=["b"])
    assert both.arrays()[0].ravel().tolist() == [5, 6, 7, 5, 6, 7]


def test_the_index_of_a_frame_is_not_learned_from(tmp_path: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame({"a": [5, 6, 7], "y": [0, 1, 1]}, index=[7, 3, 5])
    frame.to_parquet(tmp_path / "t.parquet")
    table = open_table(tmp_path / "t.parquet", target="y")
    assert table.features == ["a"]
    assert table.notes == ["index of the rows, so left out; 1 column (__index_level_0__)"]
    asked = open_table(tmp_path / "t.parquet", target="y", features=["a", "__index_level_0__"])
    assert asked.features == ["a", "__index_level_0__"]
    read = frame.reset_index(names="Unnamed: 0")
    assert open_table(frame=read, target="y").features == ["a"]
    assert open_table(tmp_path / "t.parquet", target="y", roles={}).features == ["a"]


# ----------------------------------------------------------------------------------------------------------- encodings


@pytest.mark.parametrize(
    ("codec", "note"),
    [("utf-16", "UTF-16"), ("latin-1", "Windows-1252"), ("cp1252", "Windows-1252"), ("utf-8-sig", "")],
)
@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.json"])
def test_texts_in_other_encodings(codec: str, note: str, name: str, tmp_path: Path) -> None:
    import gzip

    text = "city,x,y\nKöln,1,a\nÅbo,2,b\nKöln,3,a\n"
    if name == "t.json":
        rows = [("Köln", 1, "a"), ("Åbo", 2, "b"), ("Köln", 3, "a")]
        text = json.dumps([dict(zip(("city", "x", "y"), row, strict=True)) for row in rows], ensure_ascii=False)
    content = text.encode(codec)
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    table = open_table(tmp_path / name, target="y")
    assert table.features == ["city=Åbo", "x"]
    assert table.encoding.references == ["city=Köln"]
    assert table.notes == ([f"{note} text"] if note else [])


def test_an_encoding_can_be_said(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes("city,x,y\nŁódź,1,a\nKraków,2,b\n".encode("iso-8859-2"))
    table = open_table(tmp_path / "t.csv", target="y", charset="iso-8859-2")
    assert table.encoding.references == ["city=Kraków"]
    with pytest.raises(Refused, match="is no encoding of text that is known here"):
        open_table(tmp_path / "t.csv", target="y", charset="klingon")
    with pytest.raises(
        Refused, match=r'line 2: the text is not UTF-8; say how it is encoded, such as charset="latin-1"'
    ):
        open_table(tmp_path / "t.csv", target="y", charset="utf-8")


def test_columns_with_several_roles_are_read_alike(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x;code;n\n1,5;10;1\n?;20;2\n2,5;10;3\n")
    said: dict[str, Any] = {"target": "n", "roles": {}, "reads": {"target": "number"}, "na": ["?"]}
    table = open_table(tmp_path / "t.csv", missing="drop", categorical=["code"], **said)
    assert table.X.tolist() == [[1.5], [2.5]]  # code is 10 in all rows that are left
    assert table.features == ["x"]
    assert table.notes == ["decimal comma; 1 column (x)"]
    both = open_table(tmp_path / "t.csv", drop=["x"], categorical=["code"], **said)
    assert both.features == ["code=20"]
    assert np.array_equal(both.X.ravel(), [0, 1, 0])


def test_columns_that_are_left_out_are_not_looked_at(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("n;x;w\n1;2;1,234\n3;1;2,345\n2;5;9\n")
    said: dict[str, Any] = {"target": "n", "roles": {}}
    assert open_table(tmp_path / "t.csv", drop=["w"], **said).features == ["x"]
    assert open_table(tmp_path / "t.csv", features=["x"], **said).features == ["x"]
    named = open_table(tmp_path / "t.csv", categorical=["w"], **said)
    assert named.features == ["x", "w=2,345", "w=9"]
    with pytest.raises(Refused, match=r'column "w" has numbers that can be read in two ways'):
        open_table(tmp_path / "t.csv", **said)
    outcomes = open_table(tmp_path / "t.csv", drop=["w"], roles={"outcomes": ["n*"]}).column("outcomes")
    assert [one.name for one in outcomes] == ["n"]
