"""`rosenblatt screen`."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.cli.conftest import Cli


@pytest.fixture
def cohort(folder: Path) -> Path:
    """A cohort as people have it: a number, a truth value in words, a factor, and outcomes with gaps."""
    rng = np.random.default_rng(1)
    lines = ["id,age,smoker,centre,icd_a,icd_b,icd_rare"]
    for i in range(120):
        centre = rng.choice(["Bonn", "Graz", "Wien"])
        a = int(rng.random() < 0.4)
        b = int(centre != "Wien" and rng.random() < 0.4)
        shown = "" if i % 17 == 0 else a
        lines.append(f"{i},{rng.integers(20, 80)},{rng.choice(['yes', 'no'])},{centre},{shown},{b},0")
    Path("cohort.csv").write_text("\n".join(lines) + "\n")
    return Path("cohort.csv")


def test_says_which_outcomes_have_an_estimate(cli: Cli, cohort: Path) -> None:
    done = cli("screen", cohort, "--outcomes", "icd_*", "--drop", "id", "--jobs", "1", "-o", "fates.csv")
    assert done.code == 0
    assert "1 of 3 outcomes have a maximum-likelihood estimate." in done.out
    assert "centre=Wien (−∞)" in done.out
    assert "one class" in done.out
    assert "factors are measured against smoker=no, centre=Bonn" in done.out
    text = Path("fates.csv").read_text().splitlines()
    assert len(text) == 1 + 3 * 5
    again = cli("screen", cohort, "--outcomes", "icd_*", "--drop", "id", "--jobs", "1", "-o", "fates.csv")
    assert (again.code, Path("fates.csv").read_text().splitlines()) == (0, text)


def test_firth_without_a_file_says_where_the_numbers_are(cli: Cli, cohort: Path) -> None:
    done = cli("screen", cohort, "--outcomes", "icd_a", "--drop", "id", "--jobs", "1", "--missing", "drop", "--firth")
    assert "Firth's estimates: -o FILE writes them, --json prints them" in done.out


def test_a_folder_gets_parts(cli: Cli, cohort: Path) -> None:
    arguments = ("screen", cohort, "--outcomes", "icd_b", "--drop", "id", "--drop", "icd_a", "--jobs", "1", "-o")
    assert cli(*arguments, "fates/").code == 0
    assert [one.name for one in Path("fates").iterdir()] == ["part-000000.parquet"]
    assert cli(*arguments, "fates").code == 0  # it is there: gone on with
    assert len(pd.read_parquet("fates")) == 6


def test_json_has_every_line(cli: Cli, cohort: Path) -> None:
    done = cli("screen", cohort, "--outcomes", "icd_b", "--outcomes", "icd_rare", "--drop", "id", "--drop", "icd_a",
               "--jobs", "1", "--firth", "--json")  # fmt: skip
    found = json.loads(done.out)
    assert found["schema"] == "rosenblatt-screen/1"
    fates = {line["coefficient"]: line for line in found["lines"] if line["outcome"] == "icd_b"}
    assert fates["centre=Wien"]["fate"] == "-inf"
    assert fates["centre=Wien"]["estimate"] < fates["centre=Wien"]["upper"] < 0
    assert {line["verdict"] for line in found["lines"] if line["outcome"] == "icd_rare"} == {"one class"}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--outcomes", "foo*"], 'cohort.csv has no column that is called "foo*"; its columns are'),
        (["--outcomes", "icd_*", "--drop", "agee"], 'has no column "agee"; did you mean "age"?'),
        (["--outcomes", "*"], "has outcomes only"),
        (["--outcomes", "icd_b"], 'has missing values (icd_a 8; the first in row'),
        (["--outcomes", "age"], "outcome age has"),
        (["--outcomes", "icd_b", "--missing", "maybe"], "invalid value for '--missing'"),
        (["--outcomes", "icd_b", "-o", "cohort.csv"], "is to be written and is read too"),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence(cli: Cli, cohort: Path, arguments: list[str], sentence: str) -> None:
    extra = [] if "agee" in arguments or arguments[1] != "age" else ["--missing", "drop"]
    done = cli("screen", cohort, *arguments, *extra)
    assert done.code == 2
    assert sentence in " ".join(done.err.split())


def test_many_outcomes_that_all_have_an_estimate_are_no_empty_table(cli: Cli) -> None:
    rng = np.random.default_rng(0)
    header = ",".join(["x", *(f"y{k}" for k in range(25))])
    lines = [",".join([f"{rng.normal():.2f}", *map(str, rng.integers(0, 2, 25))]) for _ in range(60)]
    Path("t.csv").write_text("\n".join([header, *lines]) + "\n")
    done = cli("screen", "t.csv", "--outcomes", "y*", "--jobs", 1)
    assert "25 of 25 outcomes have a maximum-likelihood estimate." in done.out
    assert "without a finite estimate" not in done.out
