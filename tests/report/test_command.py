"""`rosenblatt report` as a person types it."""

import gzip
import json
import re
from html import unescape
from pathlib import Path

import pytest

app = pytest.importorskip("rosenblatt.cli.app", reason="the command line is not there yet")

XOR = "a,b,y\n0,0,off\n0,1,on\n1,0,on\n1,1,off\n"


def test_the_report_of_a_file_carries_a_certificate_about_that_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, page, proof = tmp_path / "xor.csv", tmp_path / "xor.html", tmp_path / "xor.cert.json"
    data.write_text(XOR)
    assert app.main(["report", str(data), "--target", "y", "-o", str(page)]) == 0
    assert "Overlapping" in capsys.readouterr().out
    text = page.read_text("utf-8")
    assert "A mixture of rows 1, 4 (off) is also a mixture of rows 2, 3 (on)" in text  # as the file counts them
    found = re.search(r'id="certificate">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    proof.write_text(json.dumps(json.loads(found[1])))
    assert app.main(["verify", str(proof), str(data)]) == 0


def test_bad_places_and_data_are_refused_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "xor.csv"
    data.write_text(XOR)
    assert app.main(["report", str(data), "--target", "y", "-o", str(tmp_path / "no" / "r.html")]) == 2
    assert "there is no folder" in capsys.readouterr().err
    assert app.main(["report", str(tmp_path / "none.csv"), "--target", "y"]) == 2
    assert "does not exist" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "commands"),
    [
        (
            "two words.csv",
            [
                "rosenblatt verify 'two words.cert.json' 'two words.csv'",
                "python checker.py 'two words.cert.json' 'two words.csv'",
            ],
        ),
        ("xor.csv.gz", ["rosenblatt verify xor.csv.cert.json xor.csv.gz"]),  # the checker alone reads CSV only
    ],
)
def test_the_commands_on_the_page_can_be_typed(
    name: str, commands: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(gzip.compress(XOR.encode()) if name.endswith(".gz") else XOR.encode())
    assert app.main(["report", name, "--target", "y", "-o", "r.html"]) == 0
    found = re.search(r"<code>(rosenblatt verify .*?)</code>", Path("r.html").read_text("utf-8"), re.DOTALL)
    assert found is not None
    assert unescape(found[1]).splitlines() == commands


def test_a_query_has_no_name_that_could_be_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("xor.csv").write_text(XOR)
    assert app.main(["report", "--sql", "SELECT * FROM 'xor.csv'", "--target", "y", "-o", "r.html"]) == 0
    assert "<code>rosenblatt verify data.cert.json DATA</code>" in Path("r.html").read_text("utf-8")
