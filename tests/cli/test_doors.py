"""The same question at every door: commands and Python, lists by commas and repeated, files of any kind."""

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import rosenblatt as rb
from tests.cli.conftest import Cli


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(3)


@pytest.fixture
def firms(folder: Path, rng: np.random.Generator) -> str:
    frame = pd.DataFrame({"a": rng.integers(0, 12, 240), "b": rng.integers(0, 9, 240), "x": rng.normal(size=240)})
    frame["y"] = rng.poisson(0.7, 240)
    frame.loc[frame.a == 3, "y"] = 0
    frame.to_csv("fe.csv", index=False)
    return "fe.csv"


def test_counts_are_numbers_however_many_there_are(cli: Cli, rng: np.random.Generator) -> None:
    x = rng.normal(size=1500)
    pd.DataFrame({"x": x, "y": rng.poisson(np.exp(5 + x))}).to_csv("many.csv", index=False)
    pd.DataFrame({"x": [1, 2, 3, 5.0], "y": [3, 3, 3, 3]}).to_csv("one.csv", index=False)
    for file in ("many.csv", "one.csv"):
        for command in ("check", "estimate"):
            assert cli(command, file, "--target", "y", "--model", "poisson").code == 0


def test_lists_by_commas_and_repeated(cli: Cli, firms: str) -> None:
    said = ("check", firms, "--target", "y", "--model", "poisson", "--json")
    answers = [
        json.loads(cli(*said, *options).out) | {"seconds": 0}
        for options in (
            ("--fixed-effects", "a,b", "--features", "x"),
            ("--fixed-effects", "a", "--fixed-effects", "b", "--drop", "a,b"),
        )
    ]
    assert answers[0] == answers[1]
    frame = pd.read_csv(firms)
    direct = rb.existence(frame[["x"]], frame["y"], "poisson", fixed_effects=frame[["a", "b"]])
    assert (answers[0]["verdict"], len(answers[0]["separated_rows"])) == (direct.kind, len(direct.rows["strict"]))
    one = json.loads(cli(*said, "--fixed-effects", "a", "--features", "x").out)
    assert one["separated_rows"] == (np.flatnonzero(frame["a"] == 3) + 1).tolist()
    assert cli(*said, "--features", "x,a").code == 0


def test_options_that_a_model_takes_or_not(cli: Cli, firms: str) -> None:
    assert cli("check", firms, "--target", "y", "--model", "poisson", "--offset", "x").code == 0
    said = ("estimate", firms, "--target", "y", "--model", "poisson", "--fixed-effects", "a,b", "--json")
    (x,) = json.loads(cli(*said).out)["coefficients"]
    assert x["estimate"] == rb.estimate("y ~ x | a + b", data=pd.read_csv(firms), model="poisson").params["x"]
    done = cli("check", firms, "--target", "y", "--model", "poisson", "--event", "x")
    assert (done.code, "--model poisson does not take --event" in done.err) == (2, True)


@pytest.mark.parametrize("model", [(), ("--model", "logistic"), ("--model", "logistic", "--offset", "x")])
def test_dates_are_read_in_every_model(cli: Cli, rng: np.random.Generator, model: tuple[str, ...]) -> None:
    days = pd.date_range("2020-01-01", periods=40).strftime("%Y-%m-%d")
    frame = pd.DataFrame({"d": days, "x": rng.normal(size=40), "y": rng.integers(0, 2, 40)})
    frame.to_csv("u.csv", index=False)
    done = cli("check", "u.csv", "--target", "y", "--date", "d", "--json", *model)
    days_of = np.column_stack([np.arange(18262.0, 18302), frame["x"]])
    X = days_of[:, :1] if "--offset" in model else days_of
    assert json.loads(done.out)["verdict"] == rb.separability(X, frame["y"]).kind


def test_a_status_of_one_and_two(cli: Cli, rng: np.random.Generator) -> None:
    frame = pd.DataFrame({"t": rng.exponential(size=80).round(3), "status": rng.integers(1, 3, 80)})
    frame["x"] = rng.normal(size=80).round(3)
    frame.to_csv("lung.csv", sep=";", index=False)
    said = ("lung.csv", "--model", "cox", "--time", "t", "--delimiter", ";")
    found = json.loads(cli("estimate", *said, "--event", "status=2", "--json").out)
    direct = rb.estimate(frame[["x"]], model="cox", time=frame["t"], event=frame["status"] == 2)
    assert found["coefficients"][0]["estimate"] == direct.coefficients[0].value
    assert cli("check", *said, "--event", "status=2").code == 0
    assert "as in --event status=2" in cli("check", *said, "--event", "status").err


@pytest.mark.parametrize("written", ["comma", "semicolon", "latin", "nameless", "sheet"])
def test_predict_and_verify_read_as_they_are_told(cli: Cli, rng: np.random.Generator, written: str) -> None:
    frame = pd.DataFrame({"x": rng.integers(0, 99, 30) / 4, "ort": rng.choice(["Köln", "Ulm"], 30)})
    frame["y"] = np.where(frame["x"] > 12, "ja", "nein")
    frame.to_csv("train.csv", index=False)
    options = {
        "comma": [],
        "semicolon": ["--delimiter", ";", "--decimal", ","],
        "latin": ["--charset", "latin-1"],
        "nameless": ["--no-header"],
        "sheet": ["--table", "two"],
    }[written]
    if written == "sheet":
        with pd.ExcelWriter("t.xlsx") as book:
            frame[::-1].to_excel(book, sheet_name="one", index=False)
            frame.to_excel(book, sheet_name="two", index=False)
    elif written == "nameless":
        frame.columns = pd.Index(["c1", "c2", "c3"])
        frame.to_csv("train.csv", index=False)
        frame.to_csv("t.csv", index=False, header=False)
    else:
        shape = {"sep": ";", "decimal": ","} if written == "semicolon" else {}
        frame.to_csv("t.csv", index=False, encoding="latin-1" if written == "latin" else "utf-8", **shape)
    file, target = "t.xlsx" if written == "sheet" else "t.csv", frame.columns[2]
    assert cli("fit", "train.csv", "--target", target, "-o", "m").code == 0
    here, there = cli("predict", "m", "train.csv"), cli("predict", "m", file, *options)
    assert (there.code, there.out) == (0, here.out)
    assert cli("check", "train.csv", "--target", target, "--certificate", "c.json").code == 0
    assert cli("verify", "c.json", file, *options).code == 0


@pytest.mark.parametrize("command", ["check", "fit", "compare", "report", "estimate", "check --model logistic"])
def test_a_table_without_names(cli: Cli, rng: np.random.Generator, command: str) -> None:
    frame = pd.DataFrame({"x": rng.normal(size=40).round(3), "z": rng.normal(size=40).round(3)})
    frame["y"] = rng.integers(0, 2, 40)
    frame.to_csv("t.csv", index=False, header=False)
    said = (*command.split(), "t.csv", "--target", "c3", *["-o", "out"] * (command in ("fit", "report")))
    assert "say --no-header" in cli(*said).err
    assert cli(*said, "--no-header").code == 0


def test_points_of_some_columns(cli: Cli, folder: Path) -> None:
    Path("t.csv").write_text("a;b;n;y\n0,5;0;x;1\n1;1,5;y;0\n2;0;z;1\n0;3;w;0\n")
    said = ("count", "--points", "t.csv", "--delimiter", ";", "--decimal", ",", "--json")
    found = json.loads(cli(*said, "--target", "y", "--drop", "n").out)
    expected = rb.cover.dichotomies([[0.5, 0], [1, 1.5], [2, 0], [0, 3]])
    assert (int(found["dichotomies"]), found["P"], found["N"]) == (expected, 4, 3)
    assert json.loads(cli(*said, "--features", "a,b").out)["dichotomies"] == found["dichotomies"]
    assert 'has no column "q"' in cli(*said, "--drop", "q").err
    assert "--features goes with --points FILE" in cli("count", 4, 3, "--features", "a").err


_TWO_CLASS_QUESTIONS = [
    (),
    ("--offset", "x"),
    ("--weights", "w"),
    ("--fixed-effects", "g"),
    ("--drop-separated", "out.csv"),
    ("--no-intercept",),
]


@pytest.mark.parametrize("more", _TWO_CLASS_QUESTIONS)
@pytest.mark.parametrize("target", [("y",), ("f",), ("c", "--positive", "B"), ("k", "--positive", "2"), ("b",)])
def test_what_a_logistic_check_proves_is_verified_from_the_file(
    cli: Cli, rng: np.random.Generator, target: tuple[str, ...], more: tuple[str, ...]
) -> None:
    """Classes as the file writes them: words, numbers, floats, one class told from several others."""
    n = 30
    frame = pd.DataFrame({"x": rng.normal(size=n).round(2), "z": rng.integers(0, 5, n), "w": rng.integers(1, 3, n)})
    frame["g"] = np.where(np.arange(n) % 3 == 0, "p", "q")
    frame["y"] = np.where(rng.random(n) < 0.5, "no", "yes")
    frame["f"] = [f"{v}.0" for v in rng.integers(0, 2, n)]
    frame["c"] = rng.choice(["A", "B", "C"], n)
    frame["k"] = rng.integers(1, 4, n)
    frame["b"] = rng.random(n) < 0.5
    frame.to_csv("t.csv", index=False)
    said = ("--features", "x,z", "--model", "logistic", *more)
    done = cli("check", "t.csv", "--target", *target, *said, "--certificate", "c.json")
    assert done.code == 0, done.err
    for how in ((), ("--charset", "utf-8")):
        held = cli("verify", "c.json", "t.csv", *how)
        assert (held.code, "It holds." in held.out) == (0, True), (how, held.err)


def test_a_logistic_check_of_three_classes_asks_which(cli: Cli, folder: Path) -> None:
    Path("t.csv").write_text("x,c\n1,A\n2,B\n3,C\n4,A\n")
    done = cli("check", "t.csv", "--target", "c", "--model", "logistic")
    assert (done.code, "--positive" in done.err) == (2, True)


def test_a_logistic_check_of_a_stream_can_be_verified(cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "x,o,y\n1,0.5,0\n2,0.1,0\n3,0.2,1\n4,0.1,1\n"
    Path("t.csv").write_text(lines)
    said = ("--target", "y", "--features", "x", "--model", "logistic", "--offset", "o", "--certificate", "c.json")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
    assert cli("check", "-", *said).code == 0
    assert cli("verify", "c.json", "t.csv").code == 0
