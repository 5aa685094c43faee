"""`rosenblatt check` of models other than two classes."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.verdicts import checker
from tests.cli.conftest import Cli


@pytest.fixture
def trade(folder: Path) -> Path:
    """Counts of shipments between countries; France shipped nothing in 2003."""
    rng = np.random.default_rng(1)
    countries = ["AT", "BE", "CH", "FR"]
    lines = ["exporter,importer,year,distance,shipments"]
    for a in countries:
        for b in countries:
            for year in (2001, 2002, 2003):
                if a != b:
                    count = 0 if (a, b) == ("AT", "CH") else rng.poisson(2.0)
                    lines.append(f"{a},{b},{year},{rng.uniform(1, 9):.1f},{count}")
    Path("trade.csv").write_text("\n".join(lines) + "\n")
    return Path("trade.csv")


@pytest.fixture
def pain(folder: Path) -> Path:
    """Women have no pain at all."""
    rng = np.random.default_rng(2)
    lines = ["pain,dose,sex"]
    lines += [f"{rng.choice(['low', 'mid', 'high'])},{rng.integers(1, 9)},m" for _ in range(30)]
    lines += [f"low,{rng.integers(1, 9)},f" for _ in range(15)]
    Path("pain.csv").write_text("\n".join(lines) + "\n")
    return Path("pain.csv")


def _separated_pairs(path: Path) -> set[int]:
    """Rows of pairs of countries that never traded, as the file counts them: those have mean 0."""
    with path.open() as file:
        rows = list(csv.DictReader(file))
    total: dict[tuple[str, str], int] = {}
    for row in rows:
        pair = row["exporter"], row["importer"]
        total[pair] = total.get(pair, 0) + int(row["shipments"])
    return {i for i, row in enumerate(rows, 1) if not total[row["exporter"], row["importer"]]}


def test_poisson_with_fixed_effects_drops_what_is_separated(cli: Cli, trade: Path) -> None:
    lines = trade.read_text().splitlines()
    with_pairs = [lines[0] + ",pair", *(f"{line},{line.split(',')[0]}-{line.split(',')[1]}" for line in lines[1:])]
    trade.write_text("\n".join(with_pairs) + "\n")
    arguments = ["check", trade, "--target", "shipments", "--model", "poisson", "--fixed-effects", "pair,year",
                 "--drop", "exporter", "--drop", "importer"]  # fmt: skip
    done = cli(*arguments, "--certificate", "proof.json", "--drop-separated", "rest.csv")
    assert done.code == 0
    words = " ".join(done.out.split())
    away = _separated_pairs(trade)
    assert f"There is no maximum-likelihood estimate: {len(away)} of 36 rows are separated" in words
    assert "proved" in words
    assert "then collinear pair=AT-CH" in words  # no row of it is left
    kept = [line for i, line in enumerate(trade.read_text().splitlines()) if i not in away]
    assert Path("rest.csv").read_text().splitlines() == kept
    assert checker.main(["proof.json", str(trade)]) == 0
    again = cli("check", "rest.csv", *arguments[2:])
    assert "The maximum-likelihood estimate exists" in again.out
    found = json.loads(cli(*arguments, "--json").out)
    assert (found["verdict"], found["estimate_exists"], set(found["separated_rows"])) == ("quasi", False, away)


def test_three_classes_are_multinomial_without_a_word(cli: Cli, pain: Path) -> None:
    done = cli("check", pain, "--target", "pain", "--coefficients", "--certificate", "pain.json")
    assert done.code == 0
    assert "multinomial model" in done.out
    assert "comparisons (row, class) are decided with certainty" in " ".join(done.out.split())
    assert "low: sex=m" in done.out
    assert checker.main(["pain.json", str(pain)]) == 0


def test_ordered_levels(cli: Cli, pain: Path) -> None:
    found = json.loads(
        cli("check", pain, "--target", "pain", "--levels", "low,mid,high", "--coefficients", "--json").out
    )
    assert found["model"] == "ordinal"
    assert {one["name"]: one["kind"] for one in found["coefficients"]}["sex=m"] == "+inf"
    done = cli("check", pain, "--target", "pain", "--levels", "low,high")
    assert (done.code, "'mid'" in done.err) == (2, True)


def test_cox(cli: Cli, folder: Path) -> None:
    rng = np.random.default_rng(3)
    rows = [
        (int(rng.integers(1, 40)), int(rng.random() < 0.5), int(rng.integers(30, 80)), "placebo") for _ in range(20)
    ]
    rows += [(int(rng.integers(1, 40)), 0, int(rng.integers(30, 80)), "drug") for _ in range(10)]
    Path("trial.csv").write_text("days,died,age,arm\n" + "".join(f"{a},{b},{c},{d}\n" for a, b, c, d in rows))
    done = cli("check", "trial.csv", "--model", "cox", "--time", "days", "--event", "died", "--coefficients", "--json",
               "--certificate", "cox.json")  # fmt: skip
    found = json.loads(done.out)
    kinds = {one["name"]: one["kind"] for one in found["coefficients"]}
    assert (found["verdict"], kinds) == ("quasi", {"age": "finite", "arm=placebo": "+inf"})
    X = np.array([[row[2], row[3] == "placebo"] for row in rows], dtype=float)
    time, event = [row[0] for row in rows], [row[1] for row in rows]
    assert rb.existence(X, model="cox", time=time, event=event).kind == "quasi"
    assert checker.main(["cox.json", "trial.csv"]) == 0


def test_binomial(cli: Cli, folder: Path) -> None:
    Path("doses.csv").write_text("dose,dead,beetles\n1,0,10\n2,0,12\n3,11,11\n4,9,9\n")
    done = cli("check", "doses.csv", "--target", "dead", "--trials", "beetles")
    assert "every row is predicted with certainty" in done.out
    Path("doses.csv").write_text("dose,dead,beetles\n1,0,10\n2,13,12\n")
    done = cli("check", "doses.csv", "--target", "dead", "--trials", "beetles")
    assert done.code == 2
    assert "13" in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--target", "dose", "--model", "poisson", "--strata", "sex"], "--model poisson does not take --strata."),
        (["--target", "dose", "--model", "binomial"], "--model binomial needs --trials."),
        (
            ["--target", "pain", "--model", "poisson"],
            '"high" in row 1; the column of the target must hold',
        ),
        (["--target", "dos", "--model", "poisson"], 'did you mean "dose"?'),
        (["--model", "poisson"], "say the column that the model explains: --target COLUMN."),
        (["--target", "pain", "--model", "ordinal"], "cannot tell the order of high, low, mid: list them in --levels."),
        (["--target", "pain", "--model", "tobit"], "model must be one of"),
        (
            ["--target", "pain", "--model", "multinomial", "--drop-separated", "r.csv"],
            "--drop-separated is for logistic",
        ),
        (["--target", "dose", "--model", "poisson", "--positive", "m"], "--positive is for two classes"),
        (["--target", "dose", "--model", "poisson", "--counts", "dose", "dose"], "--counts is for two classes"),
        (["--target", "dose", "--model", "poisson", "--store", "s"], "--store is for two classes"),
        (["--target", "dose", "--model", "poisson", "--report", "r.html"], "--report is for two classes"),
    ],
)
def test_bad_input_is_one_sentence(cli: Cli, pain: Path, arguments: list[str], sentence: str) -> None:
    done = cli("check", pain, *arguments)
    assert done.code == 2
    assert sentence in " ".join(done.err.split())


def test_a_bad_value_has_the_column_and_the_row_of_the_file(cli: Cli, folder: Path) -> None:
    """Rows count from 1, and those that were left out count too."""
    Path("visits.csv").write_text("visits,age,size,gone\n1,,3,yes\n2,40,2,no\n-3,50,1,no\n")
    counted, gone = (
        'column "visits" has -3 in row 3: a count is not negative.',
        "must be 1 or 0 in every row",
    )
    for command in ("check", "estimate"):
        for model in (["--target", "visits", "--model", "poisson"], ["--model", "cox", "--time", "size"]):
            done = cli(command, "visits.csv", *model, *["--event", "gone"] * ("cox" in model), "--missing", "drop")
            assert done.code == 2
            assert (f'column "gone" {gone}' if "cox" in model else counted) in " ".join(done.err.split())


def test_the_checker_runs_by_itself(cli: Cli, pain: Path) -> None:
    cli("check", pain, "--target", "pain", "--certificate", "pain.json")
    alone = Path(checker.__file__)
    done = subprocess.run(
        [sys.executable, "-S", "-I", str(alone), "pain.json", "pain.csv"], capture_output=True, text=True, check=False
    )
    assert done.stdout.startswith("holds: "), done.stderr


def test_verify_checks_the_certificate_of_a_model(cli: Cli, pain: Path) -> None:
    cli("check", pain, "--target", "pain", "--certificate", "pain.json")
    done = cli("verify", "pain.json", pain)
    assert done.code == 0
    assert "It holds. Quasi: this multinomial model has no maximum-likelihood estimate" in " ".join(done.out.split())
    assert json.loads(cli("verify", "pain.json", pain, "--json").out)["holds"] is True
    forged = json.loads(Path("pain.json").read_text()) | {"verdict": "overlap"}
    Path("forged.json").write_text(json.dumps(forged))
    assert cli("verify", "forged.json", pain).code == 1
    pain.write_text(pain.read_text().replace("low", "high", 1))
    assert cli("verify", "pain.json", pain).code == 2
    assert "Traceback" not in cli("verify", "pain.json", "nothing.csv").err


@pytest.mark.parametrize("charset", ["utf-8", "utf-8-sig", "latin-1"])
def test_a_copy_without_separated_rows_has_the_other_lines_as_they_were(charset: str, cli: Cli) -> None:
    """Semicolons, decimal commas, quotes, line ends within quotes, letters beyond ASCII: each byte is kept."""
    header = 'Maß;treat;exports;"note; or not"\r\n'
    rows = [
        f'{k % 7},{k % 10};{k % 2};{0 if k % 2 else 1 + k % 3};"Å said ""hi, there"",\nthen {k}"\r\n' for k in range(40)
    ]
    Path("t.csv").write_bytes("".join([header, *rows]).encode(charset))
    drop = ["--drop", "note; or not", "--drop-separated", "rest.csv"]
    done = cli("check", "t.csv", "--target", "exports", "--model", "poisson", *drop)
    assert done.code == 0
    assert "the table without 20 rows" in done.out
    assert Path("rest.csv").read_bytes() == "".join([header, *rows[::2]]).encode(charset)


def test_a_formula_says_what_is_checked(cli: Cli, folder: Path) -> None:
    """Terms, classes and times of a formula: the same verdicts as of the columns that it stands for."""
    pytest.importorskip("formulaic")
    rows = [f"{i % 7},{'abc'[i % 3]},{'yes' if i % 3 == 2 else 'no'},{(5 * i) % 13 + 1},{i % 2 + 1}" for i in range(30)]
    Path("t.csv").write_text("\n".join(["x,k,died,time,status", *rows]) + "\n")
    two = cli("check", "t.csv", "--formula", "died ~ x + C(k)", "--no-trial")
    assert (two.code, two.err) == (0, "")
    assert "classes no (20) and yes (10)" in two.out
    assert "--certificate" not in two.out  # which is about the columns of a file
    content = json.loads(cli("check", "t.csv", "--formula", "died ~ x + C(k)", "--json", "--no-trial").out)
    assert content["verdict"] == "complete"
    assert "multinomial model" in cli("check", "t.csv", "--formula", "k ~ x + time").out
    assert "poisson model" in cli("check", "t.csv", "--formula", "status ~ x", "--model", "poisson").out
    assert "cox model" in cli("check", "t.csv", "--formula", "Surv(time, status == 2) ~ x + strata(k)").out
    refused = cli("check", "t.csv", "--formula", "died ~ x", "--certificate", "c.json")
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "a formula computes others" in refused.err


def test_a_model_says_of_its_numbers_what_two_classes_say(cli: Cli, folder: Path) -> None:
    """The sums of decimals are exact in the file and are not as floats; thirds are rounded in the file already."""
    tenths = [(1, 2, "no"), (7, 1, "yes"), (10, 0, "yes"), (10, 13, "no"), (20, 26, "yes"), (20, 26, "no")]
    lines = [f"{a / 10},{b / 10},{(a + b) / 10},{y}" for a, b, y in tenths]
    Path("exact.csv").write_text("\n".join(["a,b,s,y", *lines]) + "\n")
    parts = [(i / 7, i * i / 11, "no" if i % 3 else "yes") for i in range(12)]
    lines = [f"{a!r},{b!r},{a + b!r},{y}" for a, b, y in parts]
    Path("rounded.csv").write_text("\n".join(["a,b,s,y", *lines]) + "\n")
    for file, words in [
        ("exact.csv", "numbers a, b, s can be computed from others: rank 3 in decimals, 4 in floats"),
        ("rounded.csv", "rounding a, b, s can be computed from others to 10 digits, though not exactly"),
    ]:
        for more in ([], ["--model", "logistic"]):
            done = cli("check", file, "--target", "y", *more)
            assert words in " ".join(done.out.split()), (file, more)


@pytest.mark.parametrize("options", [(), ("--weights", "w"), ("--drop", "w")])
@pytest.mark.parametrize(("negative", "positive"), [("no", "yes"), ("C2", "C1"), ("0", "1")])
def test_the_certificate_of_two_classes_is_verified_by_all(
    cli: Cli, negative: str, positive: str, options: tuple[str, ...]
) -> None:
    """Also where it was asked for as a model: its certificate is that of any verdict on two classes."""
    rows = ((0, 1, negative), (1, 2, negative), (2, 1, positive), (1.5, 0, negative), (0.5, 1, positive))
    Path("two.csv").write_text("x,w,y\n" + "".join(f"{x},{w},{y}\n" for x, w, y in rows))
    asked = ("two.csv", "--target", "y", "--model", "logistic", *options)
    assert cli("check", *asked, "--certificate", "proof.json").code == 0
    said = cli("verify", "proof.json", "two.csv")
    assert said.code == 0, said.err
    assert "It holds" in said.out
    assert f"classes {negative}" in said.out
    assert checker.main(["proof.json", "two.csv"]) == 0
