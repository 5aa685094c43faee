"""The stand-alone checker rebuilds X from the user's own file, to the bit, and believes nobody."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt.data import open_table
from rosenblatt.data.numbers.rows import as_rows
from rosenblatt.verdicts import checker
from rosenblatt.verdicts.points import Points

DATA = Path(__file__).parents[3] / "shared" / "data"
KNOWN = [
    ("sonar.csv", {"target": "y"}, "complete"),
    ("house_votes_84.csv", {"target": "y", "missing": "level"}, "complete"),
    ("house_votes_84.csv", {"target": "y", "missing": "drop"}, "complete"),
    ("mushroom.csv", {"target": "y"}, "complete"),
    ("sep_endometrial.csv", {"target": "HG"}, "quasi"),
    ("sep_endometrial.csv", {"target": "HG", "degree": 2}, "quasi"),
    ("sep_lizards.csv", {"counts": ("grahami", "opalinus")}, "overlap"),
    ("banknote_authentication.csv", {"target": "y"}, "overlap"),
]


def run_checker(certificate: Path, data: Path) -> tuple[int, str]:
    """As a stranger would: one file, nothing installed."""
    command = [sys.executable, "-I", "-S", checker.__file__, str(certificate), str(data)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert answer.stderr == ""
    return answer.returncode, answer.stdout


def certify(table: Any, file: Path) -> str:
    X, y, _ = table.arrays()
    verdict = rb.separability(X, y, margin=False)
    verdict.certificate.about(table.encoding).save(file)
    return str(verdict.kind)


@pytest.mark.parametrize(("name", "options", "kind"), KNOWN)
def test_known_data(name: str, options: dict[str, Any], kind: str, tmp_path: Path) -> None:
    if not (DATA / name).is_file():
        pytest.skip("this data set is not bundled")
    assert certify(open_table(DATA / name, **options), tmp_path / "c.json") == kind
    code, said = run_checker(tmp_path / "c.json", DATA / name)
    assert (code, said[:7]) == (0, "holds: ")


def test_a_hostile_table_is_refused_at_once(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("a,b,y\n1,u,no\n2,v,yes\n3,u,yes\n")
    table = open_table(file, target="y")
    certificate = rb.separability(*table.arrays()[:2]).certificate.about(table.encoding).content
    number = {"name": "a", "kind": "number"}
    for changed, said in (
        ({"degree": 40}, "does not describe the 2 columns"),
        ({"columns": [{"name": "b", "kind": "hash", "buckets": 10**9}]}, "does not describe the 2 columns"),
        ({"columns": [{"name": "b", "kind": "hash", "buckets": -1}, number]}, "does not describe the 2 columns"),
        ({"columns": [{"name": "y", "kind": "category", "levels": ["no", "yes"]}]}, "its target is among the columns"),
    ):
        forged = certificate | {"table": certificate["table"] | changed}
        rb.Certificate(forged).save(tmp_path / "c.json")
        code, out = run_checker(tmp_path / "c.json", file)
        assert code == 1
        assert said in out
    with pytest.raises(rb.data.Refused, match="has the target among the features"):
        rb.data.Encoding.from_json(certificate["table"] | {"columns": [{"name": "y", "kind": "number"}]})
    for changed in ({"degree": 40}, {"degree": "2"}, {"missing": "hide"}, {"na": [1]}, {"columns": [{"name": 1}]}):
        with pytest.raises(rb.data.Refused, match="the description of the table is damaged"):
            rb.data.Encoding.from_json(certificate["table"] | changed)


def test_long_numbers_are_refused_before_they_are_multiplied(tmp_path: Path) -> None:
    X, y = [[0.0], [1.0]], [0, 1]
    content = rb.separability(X, y).certificate.content
    long = rb.Certificate(content | {"w": ["0x" + "f" * 70_000, content["w"][1]]})
    with pytest.raises(ValueError, match="a number has 70002 digits: no proof with 2 weights needs so many"):
        long.verify(X, y)
    with pytest.raises(ValueError, match="a number has 70002 digits"):
        long.check(Points(as_rows(np.array(X)), np.array([-1, 1], dtype=np.int8), True))


def test_rows_left_out_are_counted(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("a,y\n1,no\n,yes\n2,yes\n3,no\n4,\n")
    table = open_table(file, target="y", missing="drop")
    certify(table, tmp_path / "c.json")
    code, out = run_checker(tmp_path / "c.json", file)
    assert code == 0
    assert "read: 5 rows, target y, columns a (number); 2 rows dropped, because a value is missing" in out


def test_other_data_and_other_claims(tmp_path: Path) -> None:
    file, certificate = tmp_path / "t.csv", tmp_path / "c.json"
    text = "colour,size,ill\nred,1,no\nblue,2,no\nred,,yes\nblue,5,yes\n"
    file.write_text(text)
    assert certify(open_table(file, target="ill", missing="indicator"), certificate) == "complete"
    assert run_checker(certificate, file)[0] == 0
    for changed, why in [
        (text.replace("5", "6"), "the data have another hash"),
        (text.replace("blue,5,yes", "blue,5,no"), "the data have another hash"),
        (text.replace("red", "green"), "the table does not fit"),
        (text.replace("5", "five"), "the table does not fit"),
        (text.replace("size", "length"), "the table does not fit"),
        (text + "red,1,\n", "the table does not fit: a value is missing"),
        (text + "red,1,no\n", "it is about 4 rows"),
    ]:
        file.write_text(changed)
        code, said = run_checker(certificate, file)
        assert (code, why in said) == (2, True), said
    file.write_text(text)
    content = json.loads(certificate.read_text())
    content["w"] = ["-" + v if v[0] != "-" else v[1:] for v in content["w"]]
    certificate.write_text(json.dumps(content))
    assert run_checker(certificate, file)[0] == 1
    content["table"]["columns"][0]["kind"] = "magic"
    certificate.write_text(json.dumps(content))
    assert "knows no column of the kind magic" in run_checker(certificate, file)[1]


number = st.one_of(
    st.integers(-99, 99).map(str), st.floats(-1e9, 1e9).map(repr), st.sampled_from(["nan", "1e-320", " 7"])
)
word = st.text(alphabet="ab,\" 'é", min_size=1, max_size=3)
truth = st.sampled_from(["true", "false", "True", "FALSE"])


@settings(max_examples=settings.default.max_examples // 2)  # each opens files
@given(data=st.data())
def test_the_checker_reads_what_the_table_reads(data: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    n = data.draw(st.integers(3, 7))
    kinds = data.draw(st.lists(st.sampled_from(["n", "w", "b", "h"]), min_size=1, max_size=3))
    missing = data.draw(st.sampled_from(["drop", "indicator"]))
    cells = {"n": number, "w": word, "b": truth, "h": word}
    gap = st.one_of(st.just(False), st.booleans())
    columns = [
        [data.draw(st.sampled_from(["", "?"])) if data.draw(gap) else data.draw(cells[k]) for _ in range(n)]
        for k in kinds
    ]
    names = [f"{kind}{i}" for i, kind in enumerate(kinds)]
    options: dict[str, Any] = {
        "missing": missing,
        "na": ["?"],
        "hash_buckets": 3,
        "degree": data.draw(st.integers(1, 2)),
    }
    options["hash_columns"] = [name for name in names if name[0] == "h"]
    options["categorical"] = [name for name in names if name[0] == "w"]
    if data.draw(st.booleans()):
        extra = {"won": [str(data.draw(st.integers(0, 2))) for _ in range(n)], "lost": ["1"] * n}
        options["counts"] = ("won", "lost")
    else:
        weight = [data.draw(st.sampled_from(["0", "1", "2.5"])) for _ in range(n)]
        extra = {"w": weight, "y": ["p", "q", *(data.draw(st.sampled_from("pq")) for _ in range(n - 2))]}
        options |= {"target": "y", "weights": "w"}
    delimiter = data.draw(st.sampled_from([",", ";"]))
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow([*names, *extra])
    writer.writerows(zip(*columns, *extra.values(), strict=True))
    file = tmp_path_factory.mktemp("t") / "t.csv"
    file.write_text(out.getvalue(), encoding="utf-8", newline="")
    try:
        table = open_table(file, delimiter=delimiter, **options)
        X, y, _ = table.arrays()
    except rb.data.Refused as why:
        refusal = str(why)
    else:
        refusal = ""
    if refusal:
        assert any(why in refusal for why in ("no row left", "no value in any row", "only rows of class"))
        return
    described = {"table": json.loads(json.dumps(table.encoding.to_json())), "p": table.p}
    found, labels, *_ = checker.read_table(described, file)
    assert np.array(found).reshape(len(found), -1).tobytes() == X.tobytes()
    assert labels == y.tolist()
