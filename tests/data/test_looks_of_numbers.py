"""Texts that look like numbers: those that are, and those that become names only with a remark."""

import pytest

from rosenblatt.data import open_table
from rosenblatt.data.refusal import Refused
from rosenblatt.data.tables.encoding import Encoding


def table_of(folder, texts):
    file = folder / "a.csv"
    file.write_text("a;y\n" + "".join(f"{text};{k % 2}\n" for k, text in enumerate(texts)), encoding="utf-8")
    return open_table(file, target="y")


@pytest.mark.parametrize(
    ("texts", "numbers", "note"),
    [
        (["−1", "2", "-3.5"], [-1, 2, -3.5], "− as minus"),
        (["−1,5", "1.000,5"], [-1.5, 1000.5], "− as minus"),
        (["−1e−5", "2"], [-1e-5, 2], "− as minus"),
        (["−5 %", "2 %"], [-0.05, 0.02], "− as minus"),
        (["1’000", "1’234’567.5"], [1000, 1234567.5], '"’" between thousands'),
        (["12,34,567", "2", "1,234"], [1234567, 2, 1234], "groups of two digits"),
        (["−12,34,567.5", "12,34,56,789"], [-1234567.5, 123456789], "groups of two digits"),
    ],
)
def test_numbers(tmp_path, texts, numbers, note):
    table = table_of(tmp_path, texts)
    assert table.arrays()[0][:, 0].tolist() == numbers
    assert any(note in one for one in table.notes)
    again = Encoding.from_json(table.encoding.to_json())
    assert again == table.encoding
    assert open_table(tmp_path / "a.csv", encoding=again).arrays()[0][:, 0].tolist() == numbers


@pytest.mark.parametrize(
    "texts", [["1/2", "3/4"], ["5kg", "6 kg"], ["0x10", "0x11"], ["1d3", "2d3"], ["１２", "３"], ["١٢", "٣"]]
)
def test_names_with_a_remark(tmp_path, texts):
    table = table_of(tmp_path, texts)
    assert [column.kind for column in table.encoding.columns] == ["category"]
    assert f'no numbers, taken as names, though "{texts[0]}" looks like one; 1 column (a)' in table.notes


@pytest.mark.parametrize("texts", [["a", "b"], ["A1", "B2"], ["3 little pigs", "x"]])
def test_names_without_one(tmp_path, texts):
    assert table_of(tmp_path, texts).notes == []


@pytest.mark.parametrize("odd", ["–1", "1/2", "3kg", "１２", "0x10", "1.2.3"])
def test_advice_never_throws_data_away(tmp_path, odd):
    with pytest.raises(Refused, match="text because of row 3") as refused:
        table_of(tmp_path, ["1", "2", odd])
    assert "na=" not in str(refused.value)


@pytest.mark.parametrize("text", ["+-1", "nan(1)", "--1", "1e", "0b11", "1e5.5", "infinit"])
def test_what_python_refuses(tmp_path, text):
    with pytest.raises(ValueError, match="could not convert"):
        float(text)
    with pytest.raises(Refused, match="row 3"):
        table_of(tmp_path, ["1", "2", text]).arrays()


@pytest.mark.parametrize("text", ["1_000", " 7", "7 ", "+7", "7.", ".7", "7E2", "1e-7", "00012", "-0"])
def test_what_python_reads(tmp_path, text):
    assert table_of(tmp_path, ["1", "2", text]).arrays()[0][2, 0] == float(text)
