"""`--cluster`: the same answers, models and certificates from workers, and plain words where something fails."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import psutil
import pytest

import rosenblatt as rb
from distributed import Client, LocalCluster
from rosenblatt.blocks import cluster
from rosenblatt.distributed import training
from rosenblatt.distributed.training import fit_coded
from rosenblatt.verdicts import trial
from tests.cli import children
from tests.cli.conftest import Cli

FIT = ["fit", "rows", "--target", "grade", "--missing", "drop"]
SAME = ("verdict", "sentence", "n", "p", "classes", "radius", "worth", "maximum_likelihood_exists")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A cluster that is there for longer than one command."""
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", memory_limit="1GiB") as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def files(folder: Path) -> pd.DataFrame:
    """One table as a file, and in three Parquet files: text, a column far from zero, a missing value."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(size=600), "year": rng.integers(1990, 2020, 600), "sort": "x"})
    table["sort"] = rng.choice(["x", "y", "z"], 600)
    score = table["a"] * 8 + table["year"] - 2004.5 + 3 * (table["sort"] == "x")
    table["grade"] = np.where(score > 0, "9", "10")  # in the order of text it would be the other way round
    table.loc[[7, 450], "a"] = np.nan
    table.to_csv("all.csv", index=False)
    Path("rows").mkdir()
    for s in range(3):
        table[200 * s : 200 * (s + 1)].to_parquet(f"rows/part-{s}.parquet")
    return table


def test_three_commands_on_a_cluster_of_their_own(
    cli: Cli, sonar: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn = ["fit", sonar, "--target", "material", "--passes", 20, "--learner", "perceptron", "--force"]
    assert cli(*learn, "-o", "here").code == 0
    done = cli(*learn, "-o", "there", "--cluster", "local")
    assert (done.code, done.err) == (0, "")
    here, there = rb.load("here"), rb.load("there")
    assert there.coef_.tobytes() == here.coef_.tobytes()  # one shard: the local learner, bit for bit
    assert there.intercept_.tobytes() == here.intercept_.tobytes()
    assert there.classes_.tolist() == ["M", "R"]
    assert there.encoding_ == here.encoding_
    assert not hasattr(there, "feature_names_in_")
    assert not Path("there.checkpoint").exists()

    # to start a cluster takes seconds: the other commands ask for one too, and get this
    monkeypatch.setattr(cluster, "_connect_here", lambda workers: Client(address))
    check = ["check", sonar, "--target", "material", "--json"]
    local = json.loads(cli(*check).out)
    done = cli(*check, "--cluster", "local", "--shard-rows", 60, "--certificate", "c.json")
    said = json.loads(done.out)
    assert (done.code, done.err) == (0, "")
    assert {name: said[name] for name in SAME} == {name: local[name] for name in SAME}
    assert said["margin"]["lower"] == pytest.approx(local["margin"]["lower"], rel=1e-6)
    assert said["perceptron"] is None
    assert cli("verify", "c.json", sonar).code == 0

    done = cli("predict", "there", sonar, "--cluster", "local")
    assert (done.code, done.out, done.err) == (0, cli("predict", "here", sonar).out, "")
    assert not list(Path().glob("rosenblatt-*"))  # the store that it took


def test_a_folder_of_parquet_files(cli: Cli, files: pd.DataFrame, address: str) -> None:
    told = ["--target", "grade", "--missing", "drop", "--cluster", address]
    done = cli("check", "rows", *told, "--certificate", "c.json", "--json")
    said = json.loads(done.out)
    assert done.err == ""
    assert (said["verdict"], said["n"], said["p"], said["positive"]) == ("complete", 598, 4, "10")
    for data in ("all.csv", "rows"):  # one certificate, whoever reads the rows
        assert cli("verify", "c.json", data).code == 0

    done = cli("fit", "rows", *told, "-o", "m", "--force", "--passes", 5, "--json")
    assert (done.code, done.err) == (0, "")
    said = json.loads(done.out)
    score = [line.split(",") for line in cli("predict", "m", "all.csv").out.splitlines()[1:]]
    numbers = [i for i in range(1, 601) if i not in (8, 451)]
    assert [int(row) for row, _, _ in score] == numbers
    wrong = sum(label != files["grade"][int(row) - 1] for row, _, label in score)
    assert said["training"] == {"rows": 598, "wrong": wrong}
    expected = cli("predict", "m", "all.csv").out
    assert cli("predict", "m", "rows").out == expected
    assert cli("predict", "m", "rows", "--cluster", address).out == expected
    assert cli("predict", "m", "all.csv", "--cluster", address, "-o", "p.csv").code == 0
    assert Path("p.csv").read_text() == expected


def test_three_classes(cli: Cli, files: pd.DataFrame, address: str) -> None:
    files["kind"] = np.where(files["a"] > 0.4, "tall", np.where(files["a"] < -0.4, "small", "middling"))
    files["kind"] = np.where(files["a"].isna(), "small", files["kind"])
    files.to_csv("kinds.csv", index=False)
    for s in range(3):
        files[200 * s : 200 * (s + 1)].to_parquet(f"rows/part-{s}.parquet")
    told = ["--target", "kind", "--missing", "drop", "--drop", "grade"]
    for learner in (
        ["--learner", "logistic"],
        ["--learner", "averaged", "--passes", 5],
        ["--learner", "least-squares"],
    ):
        for data in ("kinds.csv", "rows"):
            done = cli("fit", data, *told, *learner, "-o", "m", "--force", "--json", "--cluster", address)
            assert (done.code, done.err) == (0, "")
            said = json.loads(done.out)
            assert said["classes"] == files["kind"][files["a"].notna()].value_counts().to_dict()
            scored = cli("predict", "m", "kinds.csv")
            assert cli("predict", "m", data, "--cluster", address).out == scored.out
            answers = [line.rsplit(",", 1)[1] for line in scored.out.splitlines()[1:]]
            wrong = np.array(answers) != files["kind"][files["a"].notna()].to_numpy()
            assert said["training"] == {"rows": 598, "wrong": int(wrong.sum())}
    assert cli("fit", "kinds.csv", *told, "--learner", "least-squares", "-o", "here").code == 0
    assert rb.load("here").classes_.tolist() == rb.load("m").classes_.tolist() == ["middling", "small", "tall"]


def test_coefficients(cli: Cli, files: pd.DataFrame, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "_WORK", 10**6)  # a perceptron takes seconds here, and is not what is compared
    told = ["--target", "grade", "--missing", "drop", "--coefficients", "--json"]
    here = json.loads(cli("check", "all.csv", *told).out)
    there = json.loads(cli("check", "rows", *told, "--cluster", address, "--certificate", "c.json").out)
    kinds = [[(one["name"], one["kind"]) for one in said["coefficients"]] for said in (here, there)]
    assert kinds[0] == kinds[1]
    assert cli("verify", "c.json", "all.csv").code == 0


def test_shards_of_a_store_are_those_of_the_rows(cli: Cli, files: pd.DataFrame, address: str) -> None:
    told = ["--target", "grade", "--missing", "drop", "--passes", 6]
    assert (
        cli(
            "fit", "all.csv", *told, "-o", "m", "--force", "--cluster", address, "--shard-rows", 250, "--store", "s"
        ).code
        == 0
    )
    X, y, _ = rb.data.open_table("all.csv", target="grade", missing="drop").arrays()
    parts = [(X[i : i + 250], y[i : i + 250]) for i in (0, 250, 500)]
    with pytest.warns(match="still classified wrongly"), rb.distributed.connect(address) as client:
        model = rb.distributed.fit(rb.Perceptron(max_passes=6, random_state=0), parts, None, client)
    assert rb.load("m").coef_.tobytes() == model.coef_.tobytes()
    done = cli(
        "fit", "s", "-o", "n", "--passes", 6, "--cluster", address, "--shard-rows", 250, "--validation", "all.csv"
    )
    assert (done.code, done.err) == (0, "")
    assert rb.load("n").coef_.tobytes() == model.coef_.tobytes()
    assert "\n  validation  " in done.out


def test_quasi_and_overlap(cli: Cli, folder: Path, address: str) -> None:
    for name, y in {"quasi": [0, 0, 1, 1], "overlap": [0, 1, 0, 1]}.items():
        pd.DataFrame({"x": [1, 2, 2, 3], "y": y}).to_csv(f"{name}.csv", index=False)
        done = cli(
            "check", f"{name}.csv", "--target", "y", "--cluster", address, "--shard-rows", 3, "--certificate", "c"
        )
        local = cli("check", f"{name}.csv", "--target", "y")
        assert done.out.splitlines()[2] == local.out.splitlines()[2]
        assert cli("verify", "c", f"{name}.csv").code == 0


# -------------------------------------------------------------------------------------------------------- interrupted


def test_an_interrupted_fit_goes_on(
    cli: Cli, files: pd.DataFrame, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn = [*FIT, "--cluster", address, "--passes", 12, "--force", "-o"]
    assert cli(*learn, "whole").code == 0

    def stumble(model: Any, *arguments: Any, **options: Any) -> Any:
        model.set_params(max_passes=7)
        fit_coded(model, *arguments, **options)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(training, "fit_coded", stumble)
        done = cli(*learn, "m")
    assert (done.code, done.out) == (130, "")
    assert "m.checkpoint has the fit so far; the same command with --resume goes on" in done.err
    assert not Path("m").exists()
    done = cli(*learn, "m")
    assert (done.code, "say --resume" in done.err) == (2, True)
    done = cli(*learn, "m", "--resume", "--json")
    assert json.loads(done.out)["resumed"] is True
    assert Path("m").read_bytes() == Path("whole").read_bytes()
    assert not Path("m.checkpoint").exists()


def _wait_for_a_checkpoint() -> None:
    """The fit of m is under way."""
    deadline = time.monotonic() + 120
    while not Path("m.checkpoint").exists() and time.monotonic() < deadline:
        time.sleep(0.02)


def test_ctrl_c_saves_the_fit(files: pd.DataFrame, folder: Path, address: str) -> None:
    child = children.start(folder, *FIT, "--cluster", address, "--passes", 10**7, "-o", "m")
    _wait_for_a_checkpoint()
    os.kill(child.pid or 0, signal.SIGINT)
    child.join(60)
    assert child.exitcode == 130
    told = (
        "rosenblatt: interrupted. m.checkpoint has the fit so far; the same command with --resume goes on from there.\n"
    )
    assert Path("err").read_text() == told


def test_killed_workers_leave_the_model_as_it_is_and_no_words_of_others(
    cli: Cli, files: pd.DataFrame, folder: Path, address: str
) -> None:
    learn = [*FIT, "--passes", 60, "--force", "-o"]
    assert cli(*learn, "whole", "--cluster", address).code == 0
    child = children.start(folder, *learn, "m", "--cluster", "local")
    _wait_for_a_checkpoint()
    workers = [one for one in psutil.Process(child.pid).children() if "spawn_main" in " ".join(one.cmdline())]
    for one in workers:
        one.kill()
    assert not Path("m").exists()  # it was under way
    child.join(120)
    said = Path("err").read_text()
    sentence = (
        r"rosenblatt: pass \d+: the cluster has no workers, and \d of 3 shards waits?: new workers have 300 s .*\n"
    )
    assert (child.exitcode, len(workers) > 0) == (0, True), said
    assert re.fullmatch(f"({sentence})*", said)  # none, where new workers were quick
    assert Path("m").read_bytes() == Path("whole").read_bytes()


# -------------------------------------------------------------------------------------------------------------- refused


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["check", "rows", "--shard-rows", 9], "each Parquet file in it is a shard: leave out --shard-rows."),
        (["check", "rows", "--store", "s"], "each Parquet file in it is a shard: leave out --store."),
        (["check", "rows"], ".parquet has missing values (a 1; the first in row "),
        (["check", "rows", "--report", "r.html"], "--report is for one machine"),
        (["fit", "rows", "-o", "m", "--trace", "t"], "--trace is for one machine"),
        (["fit", "rows", "-o", "m", "--checkpoint-every", 0], "--checkpoint-every is for one machine"),
        (["fit", "rows", "-o", "m", "--missing", "drop", "--validation", 0.2], "name a table to judge the model on"),
        (["fit", "-o", "m", "--sql", "SELECT * FROM 'all.csv'"], "need the rows in a folder: say --store FOLDER."),
    ],
)
def test_what_does_not_go_with_a_cluster(
    arguments: list[Any], sentence: str, cli: Cli, files: pd.DataFrame, address: str
) -> None:
    done = cli(*arguments, "--target", "grade", "--cluster", address)
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err
    assert done.err.count("\n") == 1


def test_shard_rows_without_a_cluster(cli: Cli, files: pd.DataFrame) -> None:
    for command in (["check"], ["fit", "-o", "m"]):
        done = cli(*command, "all.csv", "--target", "grade", "--shard-rows", 9)
        assert (done.code, done.err) == (2, "rosenblatt: --shard-rows goes with --cluster.\n")


def test_nobody_at_the_address(cli: Cli, sonar: Path) -> None:
    done = cli("check", sonar, "--target", "material", "--cluster", "tcp:/nowhere")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("rosenblatt: no Dask scheduler answers at 'tcp:/nowhere'")
    assert done.err.count("\n") == 1


def test_workers_of_another_version(cli: Cli, sonar: Path, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rb, "__version__", "9.9")
    done = cli("fit", sonar, "--target", "material", "-o", "m", "--cluster", address)
    assert (done.code, done.out) == (2, "")
    assert "this process 9.9: install the same version everywhere" in done.err


@pytest.mark.parametrize("command", [["check"], ["fit", "-o", "m"]])
def test_without_dask(command: list[str], files: pd.DataFrame) -> None:
    program = (
        "import sys; sys.modules['dask'] = None; from rosenblatt.cli.app import main; sys.exit(main(sys.argv[1:]))"
    )
    told = [*command, "all.csv", "--target", "grade", "--cluster", "local"]
    done = subprocess.run([sys.executable, "-c", program, *told], capture_output=True, text=True, check=False)
    sentence = "rosenblatt.distributed needs Dask, and dask is not installed: pip install 'rosenblatt[dask]'."
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"rosenblatt: {sentence}\n")


def test_help_needs_no_dask() -> None:
    program = "import sys; from rosenblatt.cli.app import main; main(['fit', '--help']); print('dask' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"
