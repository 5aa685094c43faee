"""`check` and `verify`: the words, the JSON, the exit codes, and that a proof is a proof of these data only."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rosenblatt.verdicts import checker
from tests.cli.conftest import Cli

SHARED = Path(__file__).parents[3] / "shared" / "data"
QUASI = "x,y\n1,no\n2,no\n2,yes\n3,yes\n"
OVERLAP = "x,y\n1,no\n3,no\n2,yes\n4,yes\n"
XOR = "a,b,y\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n"
SCHEMA = {
    "schema", "data", "n", "p", "classes", "positive", "verdict", "sentence", "proved", "proof", "reason", "street",
    "margin", "limits", "radius", "mistake_bound", "rows", "perceptron", "worth", "maximum_likelihood_exists",
    "coefficients", "certificate", "references", "seconds", "numbers", "readings", "difference", "rounding", "because",
}  # fmt: skip


def test_sonar_reads_as_a_person_would_say_it(cli: Cli, sonar: Path) -> None:
    done = cli("check", sonar, "--target", "material")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "sonar.csv · 208 rows × 60 columns · classes M (111) and R (97)"
    assert lines[2] == (
        "  Completely separable: a hyperplane has every M on one side and every R on the other.  proved"
    )
    words = " ".join(done.out.split())
    assert re.search(r"perceptron makes at most 14,10\d,\d\d\d corrections; this run made 1,449,584 in 87,009", words)
    assert "theorem's margin 0.00107931 (the largest there is, bias included; known to" in words
    assert re.search(r"street 0\.0010\d+ \(half its width; the widest there is, in input space; known to", words)
    assert "So this is more than chance." in words
    assert "has no maximum-likelihood estimate" in words
    assert words.count("proved") == 1
    assert done.err == ""
    assert max(map(len, lines)) <= 100


def test_json_has_the_documented_fields(cli: Cli, sonar: Path) -> None:
    done = cli("check", sonar, "--target", "material", "--json")
    answer = json.loads(done.out)
    assert set(answer) == SCHEMA
    assert answer["schema"] == "rosenblatt-check/1"
    assert (answer["verdict"], answer["proved"], answer["n"], answer["p"]) == ("complete", True, 208, 60)
    assert answer["classes"] == {"M": 111, "R": 97}
    assert answer["margin"]["lower"] <= answer["margin"]["upper"]
    assert answer["margin"]["lower"] < answer["street"]["lower"] <= answer["street"]["upper"]  # bias not counted
    assert len(answer["street"]["weights"]) == 61
    assert answer["limits"] == {}
    assert answer["perceptron"]["corrections"] <= answer["mistake_bound"]
    page = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text()
    assert all(f"`{name}`" in page for name in SCHEMA), "documented"


def test_quasi_names_the_rows_and_the_coefficient(cli: Cli, folder: Path) -> None:
    Path("quasi.csv").write_text(QUASI)
    done = cli("check", "quasi.csv", "--target", "y", "--coefficients")
    words = " ".join(done.out.split())
    assert "Quasi-separable: a hyperplane has no example on the wrong side, but 2 of 4 rows lie exactly on it." in words
    assert "off the plane rows 1, 4: only these 2 are strictly on their side" in words
    assert "row 2 (class no) and row 3 (class yes) have weighted mixtures that coincide" in words
    assert "perceptron would never stop" in words
    assert "x +∞" in words
    answer = json.loads(cli("check", "quasi.csv", "--target", "y", "--coefficients", "--json").out)
    assert answer["rows"] == {"strict": [1, 4], "plane": [2, 3], "witness": [2, 3]}
    assert [one["kind"] for one in answer["coefficients"]] == ["+inf", "-inf"]
    assert [one["name"] for one in answer["coefficients"]] == ["x", "(1)"]


def test_overlap(cli: Cli, folder: Path) -> None:
    Path("overlap.csv").write_text(OVERLAP)
    done = cli("check", "overlap.csv", "--target", "y")
    assert done.code == 0
    assert "Overlapping: no hyperplane separates the classes, not even touching.  proved" in done.out
    assert "has a maximum-likelihood estimate" in done.out
    sure = cli("check", "overlap.csv", "--target", "y", "--coefficients")
    assert "has a maximum-likelihood estimate, and only one" in sure.out
    answer = json.loads(cli("check", "overlap.csv", "--target", "y", "--json").out)
    assert answer["maximum_likelihood_exists"] is True
    assert answer["perceptron"]["outcome"] == "CYCLING"


def test_a_spare_column_is_named(cli: Cli, folder: Path) -> None:
    Path("spare.csv").write_text("x,twice,y\n1,2,no\n3,6,no\n2,4,yes\n4,8,yes\n")
    done = cli("check", "spare.csv", "--target", "y", "--coefficients")
    words = " ".join(done.out.split())
    assert "but not only one: columns can be computed from others." in words
    assert "of x, twice, drop as many as can be computed from the other columns" in words


def test_levels_are_measured_against_a_reference(cli: Cli, folder: Path) -> None:
    Path("t.csv").write_text("sex,age,ill\n" + "m,1,no\nm,2,no\nm,3,no\nf,1,no\nf,2,yes\nf,3,no\nf,2.5,yes\n")
    words = " ".join(cli("check", "t.csv", "--target", "ill", "--coefficients").out.split())
    assert "sex=m (against sex=f) −∞ every one of its 3 rows has ill = no (rows 1, 2, 3)" in words
    assert "Finite estimates: age, (1)." in words
    assert "Levels are measured against sex=f." in words
    answer = json.loads(cli("check", "t.csv", "--target", "ill", "--coefficients", "--json").out)
    assert {one["name"]: one["kind"] for one in answer["coefficients"]} == {
        "sex=m": "-inf",
        "age": "finite",
        "(1)": "finite",
    }
    assert answer["verdict"] == "quasi"
    assert [one["reference"] for one in answer["coefficients"]] == ["sex=f", None, None]
    Path("t.csv").write_text("sex,age,ill\n" + "f,1,no\nf,2,no\nf,3,no\nm,1,no\nm,2,yes\nm,3,no\nm,2.5,yes\n")
    words = " ".join(cli("check", "t.csv", "--target", "ill", "--coefficients").out.split())
    assert "sex=m (against sex=f) +∞ every one of the 3 rows of sex=f, its reference, has ill = no (rows 1, 2," in words


def test_the_proof_of_coefficients_is_written_and_checked(cli: Cli, folder: Path) -> None:
    Path("t.csv").write_text("sex,age,ill\n" + "m,1,no\nm,2,no\nm,3,no\nf,1,no\nf,2,yes\nf,3,no\nf,2.5,yes\n")
    cli("check", "t.csv", "--target", "ill", "--coefficients", "--certificate", "t.json")
    kinds = [one["kind"] for one in json.loads(Path("t.json").read_text())["coefficients"]["each"]]
    assert kinds == ["-inf", "finite", "finite"]
    said = "4 of 7 rows lie on every such hyperplane; of 3 coefficients 2 are finite, 1 runs to −∞"
    assert said in " ".join(cli("verify", "t.json", "t.csv").out.split())
    assert checker.main(["t.json", "t.csv"]) == 0
    content = json.loads(Path("t.json").read_text())
    content["coefficients"]["each"][0]["kind"] = "+inf"
    Path("t.json").write_text(json.dumps(content))
    assert cli("verify", "t.json", "t.csv").code == 1
    assert checker.main(["t.json", "t.csv"]) == 1


@pytest.mark.parametrize("command", ["check", "compare", "fit"])
def test_the_ends_of_float64(command: str, cli: Cli, folder: Path) -> None:
    Path("huge.csv").write_text("a,b,y\n1e308,1,no\n-1e308,2,yes\n1e308,1e308,no\n")
    Path("wide.csv").write_text("a,b,y\n1e200,1,no\n-1e200,2,yes\n3e300,3,no\n")
    Path("tiny.csv").write_text("a,b,y\n1e-320,1,no\n-1e-320,2,yes\n1e-310,1e-308,no\n")
    for table in ("huge.csv", "wide.csv", "tiny.csv"):
        done = cli(command, table, "--target", "y", *(["-o", "m", "--force"] if command == "fit" else []))
        assert done.code == 0 or (command != "check" and "overflowed" in done.err)
        if command == "check":
            assert "  proved" in done.out
            assert json.loads(cli("check", table, "--target", "y", "--json").out)["verdict"] == "complete"
    if command == "check":
        assert "makes at most 10^" in cli("check", "wide.csv", "--target", "y").out


def test_digits_that_a_file_declares_to_be_text_are_names(cli: Cli, folder: Path) -> None:
    import duckdb

    rows = "SELECT '12' AS code, 'a' AS y UNION ALL SELECT '13', 'b' UNION ALL SELECT '12', 'a'"
    duckdb.connect().execute(f"COPY ({rows}) TO 't.parquet' (FORMAT parquet)")
    assert cli("check", "t.parquet", "--target", "y").out.startswith("t.parquet · 3 rows × 1 column ·")


def test_a_column_that_names_rows_is_pointed_out(cli: Cli, folder: Path) -> None:
    Path("t.csv").write_text("who,x,y\n" + "".join(f"name{i},{i % 3},{i % 2}\n" for i in range(12)))
    done = cli("check", "t.csv", "--target", "y")
    assert "beware" in done.out
    assert "who has 12 different values in 12 rows" in done.out
    assert "beware" not in cli("check", "t.csv", "--target", "y", "--drop", "who").out


def test_the_rows_are_those_of_the_file(cli: Cli, folder: Path) -> None:
    Path("holes.csv").write_text("x,y\n,no\n1,no\n2,no\n,yes\n2,yes\n3,yes\n")
    answer = json.loads(cli("check", "holes.csv", "--target", "y", "--missing", "drop", "--json").out)
    assert answer["rows"]["witness"] == [3, 5]


def test_exit_codes(cli: Cli, folder: Path, sonar: Path) -> None:
    Path("overlap.csv").write_text(OVERLAP)
    assert cli("check", "overlap.csv", "--target", "y", "--exit-code").code == 1
    assert cli("check", sonar, "--target", "material", "--exit-code").code == 0
    Path("hard.csv").write_text(
        "a,b,c,d,y\n" + "".join(f"{i % 7},{i % 5},{i % 3},{i % 11},{i * i % 2}\n" for i in range(40))
    )
    late = cli("check", "hard.csv", "--target", "y", "--time-limit", "0", "--json")
    assert late.code == 3
    assert json.loads(late.out)["verdict"] == "unknown"
    assert json.loads(late.out)["proved"] is False
    said = cli("check", "hard.csv", "--target", "y", "--time-limit", "0")
    assert "Not decided: the time limit was reached." in said.out
    assert "proved" not in said.out
    assert "what to do" in said.out


def test_a_third_class_is_told_from_the_rest(cli: Cli, pets: Path) -> None:
    done = cli("check", pets, "--target", "pet", "--positive", "fish")
    assert done.out.startswith("pets.csv · 6 rows × 3 columns · classes not fish (4) and fish (2)")
    assert "every not fish on one side and every fish on the other" in " ".join(done.out.split())


def test_grouped_counts_and_degree(cli: Cli, folder: Path) -> None:
    Path("groups.csv").write_text("dose,ill,well\n1,0,5\n2,1,4\n3,5,0\n")
    answer = json.loads(cli("check", "groups.csv", "--counts", "ill", "well", "--json").out)
    assert (answer["n"], answer["verdict"], answer["positive"]) == (4, "quasi", "ill")
    Path("xor.csv").write_text(XOR)
    assert json.loads(cli("check", "xor.csv", "--target", "y", "--json").out)["verdict"] == "overlap"
    assert json.loads(cli("check", "xor.csv", "--target", "y", "--degree", "2", "--json").out)["verdict"] == "complete"


def test_sql_and_a_store_say_the_same(cli: Cli, sonar: Path) -> None:
    plain = json.loads(cli("check", sonar, "--target", "material", "--json").out)
    query = json.loads(cli("check", "--sql", "SELECT * FROM 'sonar.csv'", "--target", "material", "--json").out)
    stored = json.loads(cli("check", sonar, "--target", "material", "--store", "rows", "--json").out)
    again = json.loads(cli("check", "rows", "--json").out)
    for other in (query, stored, again):
        for field in ("verdict", "margin", "mistake_bound", "perceptron", "n", "p", "classes"):
            assert other[field] == plain[field], field


def test_data_that_do_not_fit_go_to_a_store_and_come_from_it(
    cli: Cli, sonar: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rosenblatt.cli.tables._memory", lambda: 1000)
    assert cli("check", sonar, "--target", "material").code == 0
    schema = Path("sonar.csv.store/schema.json")
    written = schema.stat().st_mtime_ns
    assert cli("fit", sonar, "--target", "material", "-o", "m").code == 0
    assert schema.stat().st_mtime_ns == written, "reused"
    assert cli("fit", sonar, "--target", "material", "--drop", "V1", "-o", "m", "--force").code == 0
    assert schema.stat().st_mtime_ns != written, "another reading of the file needs another store"
    piped = cli("check", "--sql", "SELECT * FROM 'sonar.csv'", "--target", "material")
    assert piped.code == 2
    assert "say --store FOLDER" in piped.err


def test_a_damaged_store_of_our_own_is_built_again(cli: Cli, sonar: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rosenblatt.cli.tables._memory", lambda: 1000)
    assert cli("check", sonar, "--target", "material").code == 0
    file = next(Path("sonar.csv.store").glob("rows-*/X.bin"))
    file.write_bytes(file.read_bytes()[:-8])
    done = cli("check", sonar, "--target", "material")
    assert done.code == 0
    assert "is damaged" in done.err
    assert "build the store again. That is done now" in done.err
    assert "Completely separable" in done.out


# -------------------------------------------------------------------------------------------------------------- verify


def test_a_certificate_holds_on_its_data_only(cli: Cli, sonar: Path) -> None:
    assert cli("check", sonar, "--target", "material", "--certificate", "proof.json").code == 0
    done = cli("verify", "proof.json", sonar)
    assert done.code == 0
    assert "It holds. Complete: w has each of the 208 rows strictly on its side" in done.out
    assert checker.main(["proof.json", "sonar.csv"]) == 0, "without rosenblatt too"

    Path("other.csv").write_text(sonar.read_text().replace("0.0200", "0.0201", 1))
    other = cli("verify", "proof.json", "other.csv")
    assert (other.code, other.out) == (2, "")
    assert "proof.json is not about other.csv: the data have another hash." in other.err

    content = json.loads(Path("proof.json").read_text())
    content["w"][0] = hex(-int(content["w"][0], 16) * 10**6)
    Path("forged.json").write_text(json.dumps(content))
    forged = cli("verify", "forged.json", sonar)
    assert (forged.code, forged.out) == (1, "")
    assert "forged.json does not hold: row" in forged.err
    answer = json.loads(cli("verify", "forged.json", sonar, "--json").out)
    assert (answer["holds"], answer["about_these_data"], answer["checker"]) == (False, True, "independent")


@pytest.mark.parametrize(
    ("table", "options"),
    [
        (QUASI, []),
        (OVERLAP, []),
        ("size,tail,y\n1,long,a\n2,short,b\n3,none,a\n4,short,b\n", ["--degree", "2"]),
        ("x,y\nNA,a\n1,a\n2,b\nNA,b\n", ["--na", "NA", "--missing", "indicator"]),
        ("x,w,y\n1,2,a\n2,0,a\n3,1,b\n", ["--weights", "w"]),
        ("x,y\n1,a\n2,b\n3,c\n", ["--positive", "c"]),
        ("x,y\n1,a\n2,b\n", ["--no-intercept"]),
    ],
)
def test_what_check_writes_verify_reads(table: str, options: list[str], cli: Cli, folder: Path) -> None:
    Path("t.csv").write_text(table)
    assert cli("check", "t.csv", "--target", "y", *options, "--certificate", "t.json").code == 0
    assert cli("verify", "t.json", "t.csv").code == 0
    assert checker.main(["t.json", "t.csv"]) == 0, "without rosenblatt too"


def test_large_data_are_verified_by_the_fast_checker_and_it_says_so(
    cli: Cli, sonar: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("check", sonar, "--target", "material", "--certificate", "proof.json")
    monkeypatch.setattr("rosenblatt.cli.verify._LARGE", 100)
    done = cli("verify", "proof.json", sonar)
    assert done.code == 0
    assert "too large for checker.py" in done.out
    Path("other.csv").write_text(sonar.read_text().replace("0.0200", "0.0201", 1))
    assert cli("verify", "proof.json", "other.csv").code == 2
    Path("fewer.csv").write_text("".join(sonar.read_text().splitlines(keepends=True)[:-1]))
    assert cli("verify", "proof.json", "fewer.csv").code == 2
    content = json.loads(Path("proof.json").read_text())
    content["w"][0] = hex(-int(content["w"][0], 16) * 2**20)
    Path("forged.json").write_text(json.dumps(content))
    assert cli("verify", "forged.json", sonar).code == 1


def test_standard_input(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "rosenblatt", "check", "-", "--format", "csv", "--target", "y", "--json"],
        input=QUASI,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["verdict"] == "quasi"


KNOWN = [
    ("sonar.csv", ["--target", "y"], "complete"),
    ("house_votes_84.csv", ["--target", "y", "--missing", "level"], "complete"),
    ("mushroom.csv", ["--target", "y", "--missing", "level"], "complete"),
    ("sep_endometrial.csv", ["--target", "HG"], "quasi"),
    ("banknote_authentication.csv", ["--target", "y"], "overlap"),
    ("wdbc.csv", ["--target", "y"], "complete"),
    ("a1a.svm", [], "quasi"),
]


@pytest.mark.parametrize(("name", "options", "verdict"), KNOWN, ids=[name for name, _, _ in KNOWN])
def test_known_answers(name: str, options: list[str], verdict: str, cli: Cli) -> None:
    if not (SHARED / name).is_file():
        pytest.skip("this data set is not bundled")
    if name == "sonar.csv":
        options = ["--target", (SHARED / name).read_text().splitlines()[0].split(",")[-1]]
    done = cli("check", SHARED / name, *options, "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["verdict"] == verdict


def test_check_writes_the_report_too(cli: Cli, tmp_path: Path) -> None:
    table, page = tmp_path / "t.csv", tmp_path / "page.html"
    table.write_text("x,y\n1,a\n2,a\n3,b\n4,b\n")
    done = cli("check", table, "--target", "y", "--report", page)
    assert done.code == 0
    assert "page.html" in done.out
    assert "Completely separable" in page.read_text(encoding="utf-8")
    mask = os.umask(0)
    os.umask(mask)
    assert page.stat().st_mode & 0o777 == 0o666 & ~mask  # others may read it as they may read the table


def test_verify_names_no_option_that_it_has_not(cli: Cli, folder: Path) -> None:
    (folder / "t.csv").write_text(QUASI)
    assert cli("check", "t.csv", "--target", "y", "--certificate", "t.json").code == 0
    (folder / "gap.csv").write_text(QUASI.replace("3,yes", ",yes"))
    done = cli("verify", "t.json", "gap.csv")
    assert done.code == 2
    assert 'gap.csv has missing values (x 1; the first in row 4, column "x")' in " ".join(done.err.split())
    assert "where the original table had none" in " ".join(done.err.split())
    assert "--" not in done.err


def test_the_command_that_checks_the_proof_can_be_typed(cli: Cli) -> None:
    rows = "a,b,y\n0,0,off\n0,1,on\n1,0,on\n1,1,off\n"
    Path("two words.csv").write_text(rows)
    done = cli("check", "two words.csv", "--target", "y", "--certificate", "a proof.json")
    assert "check it with: rosenblatt verify 'a proof.json' 'two words.csv'" in done.out
    done = cli("check", "--sql", "SELECT * FROM 'two words.csv'", "--target", "y", "--certificate", "p.json")
    assert "check it with: rosenblatt verify p.json DATA" in done.out
    done = cli("fit", "two words.csv", "--target", "y", "-o", "a model")
    assert "rosenblatt predict 'a model' 'two words.csv'" in done.out


def test_a_calculated_column_is_told_in_text_json_and_report(cli: Cli) -> None:
    lines = [f"{cm},{cm / 2.54},{i % 2}" for i, cm in enumerate(np.random.default_rng(0).normal(170, 9, 60).round(1))]
    Path("t.csv").write_text("cm,inches,y\n" + "\n".join(lines) + "\n")
    sentence = "cm, inches can be computed from others to 10 digits, though not exactly"
    assert sentence in " ".join(cli("check", "t.csv", "--target", "y", "--report", "r.html").out.split())
    assert sentence in Path("r.html").read_text()
    assert json.loads(cli("check", "t.csv", "--target", "y", "--json").out)["rounding"].startswith(sentence)


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    """Twelve patients with ten visits each, in as many columns as separate anything."""
    random = np.random.default_rng(0)
    patient = np.repeat(np.arange(12), 10)
    X = (3 * random.normal(size=(12, 20)))[patient] + random.normal(size=(120, 20))
    ill = (random.permutation(12) < 6)[patient]
    lines = [",".join([*(f"x{j}" for j in range(20)), "patient", "ill"])]
    lines += [",".join([*(f"{v:.3f}" for v in x), f"p{k}", f"{y:d}"]) for x, k, y in zip(X, patient, ill, strict=True)]
    path = tmp_path / "visits.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_rows_of_one_group_count_as_one(cli: Cli, visits: Path) -> None:
    told = cli("check", visits, "--target", "ill", "--groups", "patient")
    assert "12 points in 20 dimensions" in " ".join(told.out.split())
    assert "not shown to be more than chance" in " ".join(told.out.split())
    assert "patient" not in told.err


def test_a_column_that_is_called_as_subjects_are_is_named_once(cli: Cli, visits: Path) -> None:
    told = cli("check", visits, "--target", "ill", "--drop", "patient")
    assert "column patient has 12 different values in 120 rows" in " ".join(told.err.split())
    assert "say --groups patient." in " ".join(told.err.split())


def test_groups_that_are_not_there_or_have_another_meaning_are_refused(cli: Cli, visits: Path) -> None:
    for column, why in (("patien", 'has no column "patien"'), ("ill", "another meaning")):
        done = cli("check", visits, "--target", "ill", "--groups", column)
        assert (done.code, why in done.err) == (2, True)
    done = cli("fit", visits, "--target", "ill", "-o", visits.with_suffix(".model"), "--groups", "patient")
    assert (done.code, "say --cv K" in done.err) == (2, True)
