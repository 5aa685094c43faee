"""Killed at any moment, a command leaves the old file or the new one; resumed, it goes on to the same end."""

import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest

from rosenblatt.data import Refused, Store
from rosenblatt.models.storage import read_arrays
from tests.cli.children import finish, kill_after, start
from tests.cli.conftest import Cli

FIT = ["fit", "data.csv", "--target", "y", "-o", "model", "--force", "--learner", "averaged", "--order", "shuffled"]
FIT += ["--passes", "150", "--checkpoint-every", "0"]


def kills(request: pytest.FixtureRequest, few: int, many: int) -> int:
    return many if request.config.getoption("--soak") else few


@pytest.fixture(scope="module")
def data() -> str:
    """Overlapping classes: a fit uses all its passes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 20)).round(4)
    y = (X[:, 0] + X[:, 1] + rng.normal(size=len(X)) > 0).astype(int)
    rows = [",".join(map(str, [*x, label])) for x, label in zip(X.tolist(), y.tolist(), strict=True)]
    return "\n".join([",".join([*(f"x{j}" for j in range(20)), "y"]), *rows]) + "\n"


def assert_checkpoint_is_whole(folder: Path) -> None:
    if (folder / "model.checkpoint").exists():
        arrays, metadata = read_arrays(folder / "model.checkpoint", "checkpoint/1")
        assert "run.vector.w" in arrays
        assert metadata["fit"]["the learner"] == "averaged"


def test_a_fit_killed_again_and_again_ends_with_the_same_bytes(
    request: pytest.FixtureRequest, data: str, tmp_path: Path
) -> None:
    whole, torn = tmp_path / "whole", tmp_path / "torn"
    for folder in (whole, torn):
        folder.mkdir()
        (folder / "data.csv").write_text(data)
    finish(whole, *FIT)
    duration = finish(whole, *FIT)
    new = (whole / "model").read_bytes()
    (torn / "model").write_bytes(b"the old one")
    rng, hits, rounds, resumed = np.random.default_rng(1), 0, 0, 0
    wanted = kills(request, 3, 30)

    def saved() -> bool:
        return hits > 0 or (torn / "model.checkpoint").exists()

    while hits < wanted:
        hits += kill_after(rng.uniform(0.1, 1.0) * duration * (hits > 0), torn, *FIT, "--resume", since=saved)
        rounds += 1
        assert rounds < 5 * wanted
        assert (torn / "model").read_bytes() in (b"the old one", new)
        assert_checkpoint_is_whole(torn)
        resumed += (torn / "model.checkpoint").exists()
    finish(torn, *FIT, "--resume")
    assert resumed, "some kills came after a checkpoint"
    assert (torn / "model").read_bytes() == new
    assert sorted(path.name for path in torn.iterdir()) == ["data.csv", "err", "model", "out"], "and nothing is left"


def test_a_store_killed_while_it_is_built_is_the_old_one_or_none(
    request: pytest.FixtureRequest, data: str, tmp_path: Path
) -> None:
    (tmp_path / "data.csv").write_text(data)
    (tmp_path / "small.csv").write_text("".join(data.splitlines(keepends=True)[:100]))
    build = ["fit", "data.csv", "--target", "y", "-o", "model", "--force", "--passes", "1", "--store", "rows"]
    duration = finish(tmp_path, *build)
    rng, hits, unfinished = np.random.default_rng(2), 0, 0

    def half_built() -> bool:
        return len(list((tmp_path / "rows").glob("rows-*"))) > 1

    while hits < kills(request, 3, 12):
        finish(tmp_path, "fit", "small.csv", *build[2:])  # an older store of other rows
        hits += kill_after(hits * rng.uniform(0, 0.1) * duration, tmp_path, *build, since=half_built)
        assert Store.open(tmp_path / "rows").n in (99, 20_000)
        unfinished += half_built()
    assert unfinished, "some kills came in the middle"
    finish(tmp_path, *build)
    store = Store.open(tmp_path / "rows")
    assert store.n == 20_000
    assert len(list((tmp_path / "rows").glob("rows-*"))) == 1
    (tmp_path / "rows" / "schema.json").unlink()
    with pytest.raises(Refused, match="its building was interrupted"):
        Store.open(tmp_path / "rows")


def test_predictions_killed_while_they_are_written_are_the_old_ones_or_the_new(
    request: pytest.FixtureRequest, data: str, tmp_path: Path
) -> None:
    (tmp_path / "data.csv").write_text(data)
    finish(tmp_path, *FIT[:6], "--passes", "2")
    predict = ["predict", "model", "data.csv", "-o", "answers.csv"]
    duration = finish(tmp_path, *predict)
    new = (tmp_path / "answers.csv").read_bytes()
    rng, hits, unfinished = np.random.default_rng(3), 0, 0

    def half_written() -> bool:
        return any(tmp_path.glob(".rb*.tmp"))

    while hits < kills(request, 3, 10):
        (tmp_path / "answers.csv").write_text("old")
        for left in tmp_path.glob(".rb*.tmp"):
            left.unlink()
        hits += kill_after(hits * rng.uniform(0, 0.1) * duration, tmp_path, *predict, since=half_written)
        assert (tmp_path / "answers.csv").read_bytes() in (b"old", new)
        unfinished += half_written()
    assert unfinished, "some kills came in the middle"
    finish(tmp_path, *predict)
    assert (tmp_path / "answers.csv").read_bytes() == new
    assert not list(tmp_path.glob(".rb*.tmp")), "what the dead left is swept"


OUTPUTS = {
    "check": ["check", "small.csv", "--target", "y", "--certificate", "answer.json", "--report", "answer.html"],
    "fit": [
        "fit",
        "small.csv",
        "--target",
        "y",
        "-o",
        "answer",
        "--force",
        "--passes",
        "20",
        "--trace",
        "answer.trace",
    ],
    "report": ["report", "small.csv", "--target", "y", "-o", "answer.html"],
    "predict": ["predict", "model", "small.csv", "-o", "answer.parquet"],
    "filter": ["filter", "signal.csv", "--taps", "8", "-o", "answer.csv", "--model", "answer.model"],
    "probe": ["probe", "acts.npy", "labels.csv", "--save", "answer.probes", "--report", "answer.html"],
    "gate": ["gate", "a and b or c", "--draw", "answer.png"],
}


@pytest.mark.parametrize("command", OUTPUTS)
def test_every_command_killed_leaves_the_old_outputs_or_the_new(
    command: str, request: pytest.FixtureRequest, data: str, tmp_path: Path
) -> None:
    rng = np.random.default_rng(4)
    (tmp_path / "small.csv").write_text("".join(data.splitlines(keepends=True)[:100]))
    (tmp_path / "signal.csv").write_text("u,d\n" + "".join(f"{a},{a / 2}\n" for a in rng.normal(size=2000)))
    np.save(tmp_path / "acts.npy", rng.normal(size=(200, 6)))
    (tmp_path / "labels.csv").write_text("word\n" + "0\n1\n" * 100)
    (tmp_path / "notes.tmp").write_text("mine")
    if command == "predict":
        finish(tmp_path, *FIT[:1], "small.csv", *FIT[2:6], "--passes", "2")
    before = {path.name for path in tmp_path.iterdir()} | {"out", "err"}
    duration = finish(tmp_path, *OUTPUTS[command])
    names = {path.name for path in tmp_path.iterdir()} - before
    assert names, "the command writes something"

    def sound(name: str) -> bool:
        """Whole: nothing, the old file, or one that ends as a whole one does."""
        path, old = tmp_path / name, b"old " * 10
        return not path.exists() or path.read_bytes() == old or len(path.read_bytes()) >= 0.5 * sizes[name]

    sizes = {name: (tmp_path / name).stat().st_size for name in names}
    for _ in range(kills(request, 1, 30)):
        for name in names - {"answer.model"}:  # a filter goes on with the model that is there
            (tmp_path / name).write_bytes(b"old " * 10)
        (tmp_path / "answer.checkpoint").unlink(missing_ok=True)
        kill_after(rng.uniform(0.2, 1.1) * duration, tmp_path, *OUTPUTS[command])
        assert all(sound(name) for name in names)
        assert (tmp_path / "notes.tmp").read_text() == "mine"
    (tmp_path / "answer.checkpoint").unlink(missing_ok=True)
    finish(tmp_path, *OUTPUTS[command])
    assert {path.name for path in tmp_path.iterdir()} == before | names, "what the dead left is swept"
    if command == "check":
        finish(tmp_path, "verify", "answer.json", "small.csv")


# ---------------------------------------------------------------------------------------------- asked to stop, politely


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_asked_to_stop_it_saves_and_says_how_to_go_on(number: signal.Signals, data: str, tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text(data)
    fit = [*FIT, "--passes", "400", "--seed", "7"]
    finish(tmp_path, *fit)
    new = (tmp_path / "model").read_bytes()
    (tmp_path / "model").unlink()
    child = start(tmp_path, *fit)
    began = time.monotonic()
    while not (tmp_path / "model.checkpoint").exists():
        assert time.monotonic() - began < 60
        time.sleep(0.001)
    assert child.pid is not None
    os.kill(child.pid, number)
    child.join(60)
    assert child.exitcode == 130
    said = (tmp_path / "err").read_text()
    assert "interrupted. model.checkpoint has the fit so far; the same command with --resume goes on" in said
    assert "Traceback" not in said
    assert not (tmp_path / "model").exists()
    assert_checkpoint_is_whole(tmp_path)
    finish(tmp_path, *fit, "--resume")
    assert "resumed" in (tmp_path / "out").read_text()
    assert (tmp_path / "model").read_bytes() == new
    assert not (tmp_path / "model.checkpoint").exists()


def test_a_store_given_up_while_it_is_built_leaves_nothing(data: str, tmp_path: Path) -> None:
    header, rows = data.split("\n", 1)
    (tmp_path / "data.csv").write_text(f"{header}\n{rows * 10}")
    child = start(tmp_path, "check", "data.csv", "--target", "y", "--store", "rows")
    while not list(tmp_path.glob("rows/rows-*")):
        assert child.is_alive()
        time.sleep(0.001)
    assert child.pid is not None
    os.kill(child.pid, signal.SIGINT)
    child.join(60)
    assert child.exitcode == 130
    assert (tmp_path / "err").read_text() == "rosenblatt: interrupted; nothing was written.\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.csv", "err", "out"]


def test_nothing_to_resume_is_a_beginning(cli: Cli, sonar: Path) -> None:
    done = cli("fit", sonar, "--target", "material", "-o", "model", "--resume")
    assert done.code == 0
    assert "there is no model.checkpoint to resume from: beginning at the beginning." in done.err


def test_a_checkpoint_is_of_one_fit_only(data: str, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("data.csv").write_text(data)
    monkeypatch.setattr("rosenblatt.learners.runs.progress.Watcher.asked_to_stop", True)
    stopped = cli(*FIT)
    assert stopped.code == 130
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    again = cli(*FIT)
    assert again.code == 2
    assert "model.checkpoint is there, from a fit that was interrupted: say --resume" in again.err
    for change, said in (
        (["--passes", "151"], "the parameter max_passes was 150 and is 151 now"),
        (["--learner", "perceptron"], "the learner was averaged and is perceptron now"),
        (["--seed", "9"], "the parameter random_state was 0 and is 9 now"),
        (["--drop", "x3"], "the shape of the data was [20000, 20] and is [20000, 19] now"),
    ):
        other = cli(*FIT, *change, "--resume")
        assert other.code == 2
        assert said in other.err
    Path("data.csv").write_text(data.replace("0.1257", "0.1258", 1))
    assert "the content of the data differs" in cli(*FIT, "--resume").err
    Path("model.checkpoint").write_bytes(Path("model.checkpoint").read_bytes()[:100])
    damaged = cli(*FIT, "--resume")
    assert damaged.code == 2
    assert "is not a rosenblatt file, or it is damaged" in damaged.err
    assert not Path("model").exists()
