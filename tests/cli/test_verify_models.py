"""`rosenblatt verify` of a model's certificate: files that are written in some other way, and other files."""

import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from rosenblatt.verdicts import checker
from tests.cli.conftest import Cli

LUNG = [(5, 2, "60.5"), (3, 1, "50"), (8, 2, "40"), (9, 1, "70"), (4, 2, "65")]


def write_lung(name: str, mark: str = ",", decimal: str = ".", last: str = "65") -> Path:
    """R's lung has 1 for censored and 2 for dead."""
    rows = [(time, status, age.replace(".", decimal)) for time, status, age in [*LUNG[:-1], (4, 2, last)]]
    text = "\n".join(mark.join(map(str, row)) for row in [("time", "status", "age"), *rows])
    Path(name).write_text(text + "\n")
    return Path(name)


COX = ("--model", "cox", "--time", "time", "--event", "status=2")


def test_an_event_with_a_value_is_verified_from_the_file_as_it_is(cli: Cli) -> None:
    file = write_lung("lung.csv")
    assert cli("check", file, *COX, "--certificate", "c.json").code == 0
    done = cli("verify", "c.json", file)
    assert (done.code, "status as event" in done.out, "verdicts/checker.py" in done.out) == (0, True, True)
    alone = subprocess.run(
        [sys.executable, "-I", checker.__file__, "c.json", str(file)], capture_output=True, text=True, check=False
    )
    assert alone.stdout.startswith("holds: overlap: the maximum-likelihood estimate of this cox model exists")
    assert cli("verify", "c.json", write_lung("other.csv", last="66")).code == 2


def test_the_flag_of_an_event_is_no_feature(cli: Cli) -> None:
    """Status may not be among the columns that should tell status=2; who forges that is refused."""
    file = write_lung("lung.csv")
    cli("check", file, *COX, "--certificate", "c.json")
    content = checker.read_certificate("c.json")
    content["table"]["columns"] = [{"name": "status", "kind": "number"}]
    with pytest.raises(checker.DoesNotHold, match="its target is among the columns"):
        checker.read_table(content, str(file))


def test_reading_options_and_other_formats(cli: Cli) -> None:
    file = write_lung("lung.csv", ";", ",")
    cli("check", file, *COX, "--certificate", "c.json")
    for options in ([], ["--delimiter", ";"], ["--delimiter", ";", "--decimal", ","]):
        done = cli("verify", "c.json", file, *options)
        assert done.code == 0, done
    assert "by rosenblatt with --delimiter, --decimal" in done.out
    duckdb.sql(f"copy (select * from '{write_lung('plain.csv')}') to 'lung.parquet'")
    cli("check", "lung.parquet", *COX, "--certificate", "p.json")
    assert cli("verify", "p.json", "lung.parquet").code == 0
    assert cli("verify", "p.json", "plain.csv").code == 0
    assert cli("verify", "p.json", write_lung("other.csv", last="66"), "--delimiter", ",").code == 2


def test_a_cell_outside_of_the_lists_is_one_sentence(cli: Cli) -> None:
    Path("t.csv").write_text("y,x\nlow,1\nhigh,2\nmid,3\nlow,2\n")
    Path("u.csv").write_text("y,x\nlow,1\nhigh,2\nmiddle,3\nlow,2\n")
    cli("check", "t.csv", "--model", "ordinal", "--target", "y", "--levels", "low,mid,high", "--certificate", "c.json")
    done = cli("verify", "c.json", "u.csv")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "y has 'middle', which the certificate's model does not list" in done.err
    read = cli("verify", "c.json", "u.csv", "--delimiter", ",")
    assert (read.code, read.err.endswith("those listed: low, mid, high.\n")) == (2, True)
