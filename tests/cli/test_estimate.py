"""`rosenblatt estimate`: tables for people and programs, models, formulas, refusals."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import rosenblatt as rb
from tests.cli.conftest import Cli
from tests.cli.test_terminal import ESCAPE, on_a_terminal

PATIENTS = Path(__file__).parents[2] / "docs" / "data" / "patients.csv"


@pytest.fixture
def litters(folder: Path) -> str:
    r = np.random.default_rng(3)
    size, dose = r.integers(2, 9, 30), r.integers(0, 4, 30)
    dead = r.binomial(size, 0.1 + 0.1 * dose)
    lines = [f"{a},{b},{c},{'x' if i % 2 else 'y'}" for i, (a, b, c) in enumerate(zip(dead, size, dose, strict=True))]
    Path("litters.csv").write_text("\n".join(["dead,size,dose,farm", *lines]) + "\n")
    return "litters.csv"


def test_the_table_of_a_file(cli: Cli) -> None:
    done = cli("estimate", PATIENTS, "--target", "high_grade")
    assert (done.code, done.err) == (0, "")
    assert "Logistic regression of high_grade = 1, 60 rows; 95 % profile-likelihood intervals" in done.out
    assert "3.13487 to +∞" in done.out
    assert "Firth" in done.out


def test_levels_have_the_order_that_is_said(cli: Cli, folder: Path) -> None:
    levels = ["low", "mid", "high"]
    y = [levels[k] for k in np.random.default_rng(0).integers(0, 3, 40)]
    x = np.round(np.random.default_rng(1).normal(size=40), 2)
    Path("o.csv").write_text("x,y\n" + "\n".join(f"{a},{b}" for a, b in zip(x, y, strict=True)) + "\n")
    said = ("--model", "sequential", "--levels", "low,mid,high", "--json")
    own = rb.estimate(x[:, None], np.array([levels.index(one) for one in y]), model="sequential", firth=False)
    for rows in (("--target", "y"), ("--formula", "y ~ x")):
        done = cli("estimate", "o.csv", *rows, *said)
        assert done.code == 0, done.err
        found = json.loads(done.out)["coefficients"]
        assert [one["name"] for one in found] == ["x", "low|mid", "mid|high"]
        values = [one["estimate"] for one in found]
        assert values == pytest.approx([one.value for one in own.coefficients])
    refused = cli("estimate", "o.csv", "--target", "y", "--model", "sequential")
    assert refused.code == 2
    assert "list them in --levels" in refused.err


def test_json_is_what_python_has(cli: Cli) -> None:
    done = cli("estimate", PATIENTS, "--target", "high_grade", "--json", "--level", "0.9")
    content = json.loads(done.out)
    table = rb.estimate(rb.data.open_table(PATIENTS, target="high_grade"), level=0.9)
    assert content["schema"] == "rosenblatt-estimate/1"
    assert content["coefficients"] == json.loads(json.dumps(table.to_json()["coefficients"]))
    assert content["coefficients"][0]["upper"]["value"] == "+inf"


def test_other_models(cli: Cli, litters: str) -> None:
    common = ("--drop", "farm", "--no-firth", "--json")
    done = cli("estimate", litters, "--target", "dead", "--model", "binomial", "--trials", "size", *common)
    content = json.loads(done.out)
    assert [one["name"] for one in content["coefficients"]] == ["dose", "(1)"]
    rows = np.loadtxt(litters, delimiter=",", skiprows=1, usecols=(0, 1, 2))
    direct = rb.estimate(rows[:, 2:], rows[:, 0], "binomial", trials=rows[:, 1], firth=False)
    assert content["coefficients"][0]["estimate"] == direct.coefficients[0].value
    done = cli("estimate", litters, "--target", "dead", "--model", "poisson", "--exposure", "size", *common)
    direct = rb.estimate(rows[:, 2:], rows[:, 0], "poisson", exposure=rows[:, 1], firth=False)
    assert json.loads(done.out)["coefficients"][0]["estimate"] == direct.coefficients[0].value


@pytest.mark.parametrize("model", ["poisson", "multinomial"])
def test_a_target_of_two_values_has_both(cli: Cli, folder: Path, model: str) -> None:
    r = np.random.default_rng(4)
    x = r.normal(size=40).round(3)
    y = (r.random(40) < 0.4).astype(int)
    Path("two.csv").write_text("x,y\n" + "".join(f"{a},{b}\n" for a, b in zip(x, y, strict=True)))
    done = cli("estimate", "two.csv", "--target", "y", "--model", model, "--no-firth", "--json")
    direct = rb.estimate(x[:, None], y.astype(str) if model == "multinomial" else y, model, firth=False)
    found = [one["estimate"] for one in json.loads(done.out)["coefficients"]]
    assert found == [one.value for one in direct.coefficients]
    assert all(found)


def test_a_formula(cli: Cli, litters: str) -> None:
    pytest.importorskip("formulaic")
    arguments = ("--model", "binomial", "--trials", "size", "--exponentiate", "--no-firth")
    done = cli("estimate", litters, "--formula", "dead ~ dose + farm", *arguments)
    assert done.code == 0
    assert re.search(r"farm\[T\.x\] +reference +1\n *farm\[T\.y\]", done.out)
    assert "odds ratio" in done.out


def test_files_for_papers(cli: Cli) -> None:
    done = cli("estimate", PATIENTS, "--target", "high_grade", "--latex", "--no-firth", "-o", "t.tex")
    assert done.out == "written to t.tex\n"
    assert r"\begin{tabular}{llrr}" in Path("t.tex").read_text(encoding="utf-8")
    done = cli("estimate", PATIENTS, "--target", "high_grade", "--markdown", "--no-firth")
    assert "| invasion | runs to +∞ | +∞ | 3.13487 to +∞ |" in done.out


def test_exact_estimates(cli: Cli) -> None:
    Path("pilot.csv").write_text("y,drug\n" + "1,1\n" * 4 + "1,0\n0,0\n0,0\n0,0\n0,1\n")
    content = json.loads(cli("estimate", "pilot.csv", "--target", "y", "--exact", "--json").out)
    drug = content["coefficients"][0]["exact"]
    assert drug["p"] == pytest.approx(0.206349, abs=1e-6)  # Fisher's test of 4 1 1 3
    done = cli("estimate", "pilot.csv", "--target", "y", "--exact")
    assert "Exact: every way" in done.out


def test_several_classes_and_times(cli: Cli, litters: str) -> None:
    lines = Path(litters).read_text().splitlines()
    kinds = [f"{line},{'abc'[i % 3]},{i % 7 + 1},{int(i % 4 > 0)}" for i, line in enumerate(lines[1:])]
    Path("kinds.csv").write_text("\n".join([lines[0] + ",kind,months,died", *kinds]) + "\n")
    done = cli("estimate", "kinds.csv", "--target", "kind", "--model", "multinomial", "--features", "dose", "--json")
    content = json.loads(done.out)
    assert [one["name"] for one in content["coefficients"]] == ["b: dose", "b: (1)", "c: dose", "c: (1)"]
    done = cli("estimate", "kinds.csv", "--model", "cox", "--time", "months", "--event", "died", "--features", "dose",
               "--features", "size", "--strata", "farm", "--ties", "breslow", "--json")  # fmt: skip
    content = json.loads(done.out)
    rows = np.loadtxt("kinds.csv", delimiter=",", skiprows=1, usecols=(1, 2, 5, 6))
    farm = [line.split(",")[3] for line in kinds]
    same = {"time": rows[:, 2], "event": rows[:, 3], "groups": farm, "ties": "breslow"}
    direct = rb.estimate(rows[:, [1, 0]], model="cox", **same)
    assert content["outcome"] == "died"
    assert [one["name"] for one in content["coefficients"]] == ["dose", "size"]  # in the order that was said
    assert [one["firth"]["estimate"] for one in content["coefficients"]] == [
        one.firth.value for one in direct.coefficients
    ]


def test_the_ending_of_the_name_decides_the_form(cli: Cli) -> None:
    """Each file is of the kind that its name says, with the numbers of the table."""
    common = ("estimate", PATIENTS, "--target", "high_grade")
    table = rb.estimate(rb.data.open_table(PATIENTS, target="high_grade"))
    begins = {
        "t.png": b"\x89PNG",
        "t.pdf": b"%PDF",
        "t.svg": b"<?xml",
        "t.docx": b"PK",
        "t.xlsx": b"PK",
        "t.html": b"<!doctype html>",
        "t.json": b"{",
        "t.tex": b"% Logistic",
        "t.md": b"Logistic",
        "T.TXT": b"Logistic",
        "t.csv": b"name,reference,fate,estimate",
        "t.tsv": b"name\treference",
    }
    for name, first in begins.items():
        done = cli(*common, "-o", name)
        assert (done.code, done.err, done.out) == (0, "", f"written to {name}\n")
        assert Path(name).read_bytes().startswith(first)
    assert Path("t.csv").read_text().splitlines()[1].split(",")[:4] == ["invasion", "", "+inf", "inf"]
    assert json.loads(Path("t.json").read_text())["coefficients"][0]["estimate"] == "+inf"
    found = [line.split("\t") for line in Path("t.tsv").read_text().splitlines()]
    assert [float(line[3]) for line in found[1:]] == [one.value for one in table.coefficients]


def test_times_by_a_formula(cli: Cli) -> None:
    pytest.importorskip("formulaic")
    lines = [f"{(7 * i) % 31 + 1},{i % 3 + 1 - (i % 3 == 2) * 2},{i % 5},{'ab'[i % 2]}" for i in range(40)]
    Path("lung.csv").write_text("\n".join(["time,status,age,centre", *lines]) + "\n")
    asked = ("--formula", "Surv(time, status == 2) ~ age + strata(centre)", "--no-firth", "--json")
    content = json.loads(cli("estimate", "lung.csv", *asked).out)
    told = ("--model", "cox", "--time", "time", "--event", "status=2", "--strata", "centre", "--features", "age")
    other = json.loads(cli("estimate", "lung.csv", *told, "--no-firth", "--json").out)
    assert content["coefficients"] == other["coefficients"]
    assert content["outcome"] == "status == 2"


REFUSED = {
    "two forms": (["--target", "high_grade", "--json", "--latex"], "say one of --json, --latex and --markdown"),
    "target and formula": (["--target", "a", "--formula", "a ~ b"], "leave --target out"),
    "unknown name": (["--formula", "high_grade ~ invason"], 'no column "invason"; did you mean "invasion"'),
    "trials": (["--target", "high_grade", "--model", "binomial"], "--model binomial needs --trials"),
    "no such column": (["--target", "high_grade", "--offset", "x"], 'has no column "x"'),
    "level": (["--target", "high_grade", "--level", "95"], "level must be between 0 and 1"),
    "times": (
        ["--target", "high_grade", "--model", "logistic", "--time", "thickness"],
        "logistic does not take --time",
    ),
    "no event": (["--model", "cox", "--time", "thickness"], "--model cox needs --event"),
    "target of times": (
        ["--model", "cox", "--target", "high_grade", "--time", "thickness", "--event", "invasion"],
        "--model cox does not take --target",
    ),
    "an ending that nothing writes": (["--target", "high_grade", "-o", "t.doc"], ".doc is not known: use one of .csv"),
    "no ending": (["--target", "high_grade", "-o", "t"], "and none is not known"),
    "two endings": (
        ["--target", "high_grade", "--latex", "-o", "t.md"],
        "t.md would be .md, and an option asks for .tex",
    ),
    "times without Surv": (["--formula", "high_grade ~ invasion", "--model", "cox"], "'Surv(time, event) ~ x'"),
    "no intercept": (["--formula", "high_grade ~ invasion", "--no-intercept"], "end it with - 1"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(cli: Cli, name: str) -> None:
    pytest.importorskip("formulaic")
    arguments, sentence = REFUSED[name]
    done = cli("estimate", PATIENTS, *arguments)
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err
    assert done.err.count("\n") == 1


def test_a_factor_of_numbers_from_r_is_told_where_the_formula_takes_it_as_it_is(cli: Cli) -> None:
    pytest.importorskip("formulaic")
    rows = [f'"{1 + k % 3}",{40 + k * k % 7},{k % 2}' for k in range(24)]
    Path("r.csv").write_text("\n".join(['"dose","age","y"', *rows, ""]))
    for formula, told in (("y ~ dose + age", True), ("y ~ factor(dose) + age", False), ("y ~ age", False)):
        done = cli("estimate", "r.csv", "--formula", formula, "--no-firth")
        assert done.code == 0
        assert ("as R writes a factor" in done.err) == told


def test_gaps_are_named_with_the_option_that_helps(cli: Cli) -> None:
    pytest.importorskip("formulaic")
    Path("gaps.csv").write_text("y,a\n0,1\n1,\n0,2\n1,3\n1,1\n")
    assert "say --missing drop" in cli("estimate", "gaps.csv", "--formula", "y ~ a").err
    assert "4 rows" in cli("estimate", "gaps.csv", "--formula", "y ~ a", "--missing", "drop").out


def test_no_time_is_exit_code_three(cli: Cli, sonar: Path) -> None:
    done = cli("estimate", sonar, "--target", "material", "--time-limit", "0")
    assert (done.code, done.out) == (3, "")
    assert "not decided" in done.err


def test_in_a_narrow_terminal_firth_has_a_table_of_its_own(folder: Path) -> None:
    out, _ = on_a_terminal("estimate", str(PATIENTS), "--target", "high_grade", columns=80)
    lines = ESCAPE.sub("", out).splitlines()
    assert max(map(len, lines)) <= 80
    assert sum("invasion" in line for line in lines) == 2


def test_rows_of_a_group_are_related(cli: Cli, litters: str) -> None:
    """--groups and --cluster are one idea; the column is no feature."""
    ask = ("estimate", litters, "--target", "dead", "--trials", "size", "--model", "binomial", "--json")
    one, other = (json.loads(cli(*ask, name, "farm").out) for name in ("--groups", "--cluster"))
    assert one["errors"].startswith("clustered by farm, 2 clusters; by what leaving each out changes, CR3: of 6 to 30")
    assert {**one, "seconds": 0} == {**other, "seconds": 0}
    done = cli(*ask, "--groups", "farm", "--cluster", "farm")
    assert (done.code, done.err) == (2, "rosenblatt: --cluster is another name of --groups: say one of them.\n")
