"""What is said of how a table was read, against a reader that knows one number at a time."""

import csv
import itertools
import math
import re
import sqlite3
from contextlib import closing
from datetime import date, datetime, timedelta
from fractions import Fraction

from rosenblatt.data import Refused, open_table
from tests.claims.book import Reader
from tests.claims.shown import is_shown, number

reading = Reader("reading")
WORDS = ("NA", "N/A", "n/a", "#N/A", "null", "NULL", ".")
CELLS = (
    "1,5",
    "1.5",
    "1.234,5",
    "1,234.5",
    "1 234,5",
    "12",
    "5%",
    "7,5 %",
    "NA",
    ".",
    "x",
    "−3",
    "1’000",
    "12,34,567",
    "1/2",
)


def values(file, column):
    with open(file, newline="", encoding="utf-8") as text:
        return [row[column] for row in csv.DictReader(text, delimiter=";")]


def readings(texts):
    """All numbers that each text can be, by its marks, where every text can be read so."""
    found = {}
    for point, mark, percent in itertools.product(".,", ("", ".", ",", " ", "'", "’", "two"), (False, True)):
        if point == mark or (point, mark) == (",", "two"):
            continue
        whole = rf"\d{{1,3}}({re.escape(mark)}\d{{3}})+|\d+" if mark else r"\d+"
        whole, kind, mark = (r"\d{1,2}(,\d{2})*,\d{3}|\d+", mark, ",") if mark == "two" else (whole, mark, mark)
        look = re.compile(rf"([-−]?({whole})({re.escape(point)}\d*)?) ?{'%' if percent else ''}")
        matches = [look.fullmatch(text) for text in texts]
        if all(matches):
            plain = [m[1].replace(mark, "").replace(point, ".") if mark else m[1].replace(point, ".") for m in matches]
            plain = [p.replace("−", "-") for p in plain]
            found[point, kind, percent] = [float(p + "e-2") if percent else float(p) for p in plain]
    return found


def columns_of(known, n, columns):
    assert number(n) == len(columns.split(", "))
    for name in columns.split(", "):
        numbers = [text for text in values(known, name) if text not in WORDS]
        found = readings(numbers)
        assert found, (name, numbers)
        assert len({tuple(one) for one in found.values()}) == 1
        yield name, found


@reading.of("comma")
def _comma(known, n, columns):
    assert all(any(point == "," for point, _, _ in found) for _, found in columns_of(known, n, columns))


@reading.of("thousands")
def _thousands(known, mark, n, columns):
    mark = {"a blank": " "}.get(mark, mark.strip('"'))
    kinds = (",", "two") if mark == "," else (mark,)
    assert all(any(one in kinds for _, one, _ in found) for _, found in columns_of(known, n, columns))


@reading.of("groups")
def _groups(known, n, columns):
    assert all({one for _, one, _ in found} == {"two"} for _, found in columns_of(known, n, columns))


@reading.of("minus")
def _minus(known, n, columns):
    assert all(any("−" in text for text in values(known, name)) for name, _ in columns_of(known, n, columns))


@reading.of("like numbers")
def _like_numbers(known, word, n, columns):
    texts = values(known, columns)
    assert number(n) == 1
    assert next(text for text in texts if re.match(r"[-−]?\d", text)) == word.strip('"')
    assert not readings([text for text in texts if text not in WORDS])


@reading.of("like subjects")
def _like_subjects(known, name, many, n, word, option, label=None):
    texts = values(known, name)
    assert name == word == option == ("patient" if label is None else "place")
    assert (number(many), number(n)) == (len(set(texts)), len(texts))
    assert 2 < number(many) <= number(n) / 2
    if label is not None:
        assert label == "one label"
        of_each = {one: {y for text, y in zip(texts, values(known, "y"), strict=True) if text == one} for one in texts}
        told = [min(of_each[one]) for one in sorted(of_each, key=float)]
        assert max(map(len, of_each.values())) == 1
        assert len(told) >= 6
        assert sum(a != b for a, b in itertools.pairwise(told)) >= 3


@reading.of("times")
def _times(known, n, columns):
    moments = [datetime.fromisoformat(text) - datetime(1970, 1, 1) for text in values(known, columns)]
    days = [float(Fraction(moment // timedelta(microseconds=1), 86_400_000_000)) for moment in moments]
    assert number(n) == 1
    assert open_table(known, target="y", dates={columns: "days"}).arrays()[0].ravel().tolist() == days
    assert len(set(days)) == len(set(moments))


@reading.of("per cent")
def _per_cent(known, n, columns):
    assert all(all(percent for _, _, percent in found) for _, found in columns_of(known, n, columns))


@reading.of("missing")
def _missing(known, word, n, columns):
    assert all(word.strip('"') in values(known, name) for name, _ in columns_of(known, n, columns))


@reading.of("level")
def _level(known, word, n, columns):
    names = columns.split(", ")
    assert number(n) == len(names)
    for name in names:
        assert word.strip('"') in values(known, name)
        others = [text for text in values(known, name) if text not in WORDS]
        assert not others or not readings(others)


@reading.of("dates")
def _dates(known, part, n, columns):
    days = [(date.fromisoformat(text[:10]) - date(1970, 1, 1)).days for text in values(known, columns)]
    assert (part, number(n)) == ("days", 1)
    assert open_table(known, target="y", dates={columns: part}).arrays()[0].ravel().astype(int).tolist() == days


@reading.of("means")
def _means(known, n, means):
    name, _, mean = means.rpartition(" ")
    there = [Fraction(text) for text in values(known, name) if text]
    assert number(n) == 1
    assert is_shown(mean, float(sum(there) / len(there)))


@reading.of("class")
def _class(known, word, n, columns):
    assert (number(n), columns) == (1, "y")
    assert word.strip('"') in values(known, "y")


@reading.of("text numbers")
def _text_numbers(known, n, columns):
    assert number(n) == len(columns.split(", "))
    with closing(sqlite3.connect(known)) as base:
        for name in columns.split(", "):
            texts = [text for (text,) in base.execute(f"SELECT {name} FROM t")]
            assert all(isinstance(text, str) and math.isfinite(float(text)) for text in texts)
            table = open_table(known, target="y")
            named = {*table.features, *table.encoding.references}
            assert {f"{name}={text}" for text in texts} <= named


@reading.of("in quotes")
def _in_quotes(known, n, columns):
    header, *rows = (line.split(";") for line in known.read_text(encoding="utf-8").splitlines()[:50])
    fields = {name.strip('"'): [row[k] for row in rows] for k, name in enumerate(header)}
    names = columns.split(", ")
    assert number(n) == len(names)
    for name in names:
        assert all(re.fullmatch(r'"[\d.]+"|NA', one) for one in fields[name])
        assert name in open_table(known, target="y", missing="drop").features
    assert any(re.fullmatch(r"[\d.]+", one) for name in {*fields} - {*names} for one in fields[name])


@reading.of("all different")
def _all_different(known, n, columns):
    for name in columns.split(", "):
        assert len(set(values(known, name))) == len(values(known, name)) > 1
    assert number(n) == len(columns.split(", "))


@reading.of("row numbers")
def _row_numbers(known, n, columns):
    for name in columns.split(", "):
        assert len({float(one) for one in values(known, name)}) == len(values(known, name)) > 19
        assert all(float(one) == int(float(one)) for one in values(known, name))
        assert name in open_table(known, target="y").features
    assert number(n) == len(columns.split(", "))


@reading.of("nameless")
def _nameless(known, places):
    with open(known, newline="", encoding="utf-8") as text:
        header = next(csv.reader(text, delimiter=";"))
    assert [int(place) for place in places.split(", ")] == [k for k, name in enumerate(header, 1) if not name]
    assert {name.partition("=")[0] for name in open_table(known, target="y").features} <= {*header} - {""}


@reading.of("index")
def _index(known, n, columns):
    names = columns.split(", ")
    assert number(n) == len(names)
    assert all(re.fullmatch(r"Unnamed: \d+|__index_level_\d+__", name) for name in names)
    assert not set(names) & set(open_table(known, target="y").features)


@reading.of("folders")
def _folders(known, n, columns):
    names = columns.split(", ")
    assert number(n) == len(names)
    assert all(f"/{name}=" in str(known) for name in names)
    assert not set(names) & set(open_table(known, target="y").features)


@reading.of("number names")
def _number_names(known, n, columns):
    with open(known, newline="", encoding="utf-8") as text:
        header = next(csv.reader(text, delimiter=";"))
    assert columns.split(", ") == [name for name in header if re.fullmatch(r"\d+\.\d+", name)]
    assert number(n) == len(columns.split(", "))


@reading.of("encoding")
def _encoding(known, codec):
    content = known.read_bytes()
    assert content.decode({"UTF-16": "utf-16", "Windows-1252": "cp1252"}[codec])


def test_what_was_understood_is_so(tmp_path):
    file = tmp_path / "t.csv"
    for a, b in itertools.combinations(CELLS, 2):
        file.write_text(f"p;q;y\n{a};{a};u\n{b};{a};v\n{a};{b};u\n{a};{a};v\n", encoding="utf-8")
        try:
            table = open_table(file, target="y", missing="drop")
            table.arrays()
        except Refused:
            continue  # several readings, or none, or all is missing
        for note in table.notes:
            reading.read(note, file)
    for codec in ("utf-16", "latin-1"):
        file.write_bytes("p;y\nä;u\nö;v\n".encode(codec))
        for note in open_table(file, target="y").notes:
            reading.read(note, file)
    file.write_text("p;y\n2024-02-29;u\n1969-12-31;v\n")
    for note in open_table(file, target="y", dates={"p": "days"}).notes:
        reading.read(note, file)
    file.write_text("p;y\n2024-02-29 07:00;u\n2024-02-29 07:00:00.000001;v\n")
    for note in open_table(file, target="y", dates={"p": "days"}).notes:
        reading.read(note, file)
    file.write_text("p;q;y\n0.1;1;u\n;2;v\n0.2;3;v\n")
    for note in open_table(file, target="y", missing="mean").notes:
        reading.read(note, file)
    rows = [f"{k};n{k};5.{k};{k};{7 * k};{'uv'[k % 2]}" for k in range(25)]
    file.write_text("\n".join([";name;2.5;Unnamed: 0;rowId;y", *rows]) + "\n")
    for note in open_table(file, target="y").notes:
        reading.read(note, file)
    file.write_text("p;y\n1;u\n2;v\n3;NA\n")
    for note in open_table(file, target="y", multiclass=True).notes:
        reading.read(note, file)
    file.write_text('"f";"p";"q";"y"\n"1";5;NA;"u"\n"2";7.5;"2";"v"\nNA;8;"4";"u"\n"1";8;"3";"v"\n')
    for note in open_table(file, target="y", missing="drop").notes:
        reading.read(note, file)
    inside = tmp_path / "year=2023" / "t.csv"
    inside.parent.mkdir()
    inside.write_text("p;y\n1;u\n2;v\n")
    for note in open_table([inside], target="y").notes:
        reading.read(note, inside)
    with closing(sqlite3.connect(tmp_path / "t.sqlite")) as base:
        base.executescript("CREATE TABLE t(p TEXT, y TEXT); INSERT INTO t VALUES ('1', 'u'), ('2.5', 'v'), ('1', 'v')")
    for note in open_table(tmp_path / "t.sqlite", target="y").notes:
        reading.read(note, tmp_path / "t.sqlite")
    file.write_text("patient;y\n" + "".join(f"{name};{label}\n" for name in "abc" for label in "uv"))
    reading.read(open_table(file, target="y").likely_groups(), file)
    reading.finish(rare={})


def test_a_column_like_subjects_is_so(tmp_path):
    file = tmp_path / "visits.csv"
    for rows, each in ((40, 4), (40, 2), (40, 1), (6, 3)):
        lines = [f"{k * k % 7};p{k // each};{k % 2}" for k in range(rows)]
        file.write_text("\n".join(["x;patient;y", *lines]) + "\n")
        said = open_table(file, target="y", drop=["patient"]).likely_groups()
        assert bool(said) == (2 < rows // each <= rows / 2)
        if said:
            reading.read(said, file)


def test_a_column_whose_values_each_have_one_label_looks_like_groups(tmp_path):
    """Whatever it is called: not where labels go with less and more, with few values, or with labels that differ."""
    file, said = tmp_path / "copies.csv", {}
    for kind, label in {
        "whole": lambda k: k // 4 * 7 % 5 % 2,
        "threshold": lambda k: int(k // 4 > 5),
        "mixed": lambda k: k * 7 % 5 % 2,
    }.items():
        lines = [f"{k * k % 91};{k // 4};{label(k)}" for k in range(48)]
        file.write_text("\n".join(["x;place;y", *lines]) + "\n")
        said[kind] = open_table(file, target="y").likely_groups()
        if said[kind]:
            reading.read(said[kind], file)
    assert {kind: bool(text) for kind, text in said.items()} == {"whole": True, "threshold": False, "mixed": False}
    assert not reading.wrong
