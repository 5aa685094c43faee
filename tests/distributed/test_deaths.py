"""Worker processes killed with -9, at the start and under way: the same bits, or one sentence in a stated time."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import dask
import numpy as np
import pytest
from sklearn.base import clone

import rosenblatt as rb
from distributed import Client, LocalCluster
from rosenblatt.blocks import cluster
from rosenblatt.blocks.cluster import NoWorkersWarning
from rosenblatt.distributed import passes, prediction
from rosenblatt.verdicts.rounds import hashing, rounds
from tests.distributed.conftest import Inline
from tests.distributed.test_faults import Stumble, parquet, slowly
from tests.distributed.test_training import CLOUD, bits, pairs

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

CUT = pairs(CLOUD.X, CLOUD.y, 3)
LEARNER = rb.Perceptron(order="shuffled", random_state=0, max_passes=4)


@pytest.fixture(scope="module")
def undisturbed() -> Any:
    return bits(rb.distributed.fit(LEARNER, CUT, None, Inline()))


@pytest.fixture
def in_soak(request: pytest.FixtureRequest) -> None:
    """New worker processes take seconds each. In a normal run tests/cli kills all workers once."""
    if not request.config.getoption("--soak"):
        pytest.skip("make soak runs it")


def slowed(function: Any) -> Any:
    def slow(*arguments: Any, **named: Any) -> Any:  # travels by value
        import time

        time.sleep(0.3)
        return function(*arguments, **named)

    return slow


class Workers:
    """Worker processes without a nanny: what is killed does not come back, unless somebody starts another."""

    def __init__(self, address: str, folder: Path) -> None:
        self.address, self.folder, self.processes = address, folder, list[subprocess.Popen[bytes]]()

    def start(self, number: int = 1) -> None:
        begin = [sys.executable, "-m", "distributed.cli.dask_worker", self.address, "--nthreads", "1", "--no-nanny"]
        options = ["--no-dashboard", "--local-directory", str(self.folder)]
        quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.processes += [subprocess.Popen([*begin, *options], **quiet) for _ in range(number)]

    def kill(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()
        self.processes.clear()


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[tuple[Client, Workers]]:
    with (
        LocalCluster(n_workers=0, dashboard_address=":0") as scheduler,
        Client(scheduler) as client,
        dask.config.set({"rosenblatt.workers-timeout": "1s", "distributed.comm.timeouts.connect": "3s"}),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(cluster, "_LOOK", 0.2)  # seconds between two looks
        found = Workers(scheduler.scheduler_address, tmp_path)
        try:
            yield client, found
        finally:
            found.kill()


@contextmanager
def at_work(client: Client, what: str, act: Callable[[], None]) -> Iterator[None]:
    """Act once, when a worker is busy with a task of that name."""
    done = threading.Event()

    def look() -> None:
        while not done.is_set():
            if any(what in str(key) for keys in client.processing().values() for key in keys):
                act()
                done.set()
            time.sleep(0.02)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


# --------------------------------------------------------------------------------------------------------- at the start


def dies(folder: str, how_many: int) -> Callable[[], Any]:
    """A question that the first workers to hear it do not survive; the others answer when those are dead."""

    def question() -> str:  # travels by value
        import os
        import signal
        import time

        for victim in range(how_many):
            try:
                os.mkdir(f"{folder}/victim{victim}")
            except FileExistsError:
                continue
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.2)
        return "alive"

    return question


def test_a_worker_that_dies_while_it_is_asked_is_left_out(client: Client, tmp_path: Path) -> None:
    said = cluster._ask_workers(client, dies(str(tmp_path), 1))
    assert list(said.values()) == ["alive"]
    client.wait_for_workers(2, timeout=60)


@pytest.mark.filterwarnings("ignore::rosenblatt.blocks.cluster.NoWorkersWarning")  # if they come in a second
def test_all_die_while_they_are_asked_and_others_come(client: Client, tmp_path: Path, in_soak: None) -> None:
    said = cluster._ask_workers(client, dies(str(tmp_path), 2))
    assert set(said.values()) == {"alive"}
    client.wait_for_workers(2, timeout=60)


def test_a_worker_that_lives_and_cannot_answer_is_named(client: Client) -> None:
    def question() -> None:
        raise OSError("no such library")

    with pytest.raises(RuntimeError, match=r"worker tcp://\S+ does not answer \(OSError: no such library\)\."):
        cluster._ask_workers(client, question)


def test_nobody_is_there_at_the_start(workers: tuple[Client, Workers]) -> None:
    client, _ = workers
    sentence = "asking the workers for their versions: the cluster has no workers, "
    with (
        pytest.warns(NoWorkersWarning, match=f"{sentence}and none has answered: new workers have 1 s to come"),
        pytest.raises(ConnectionError, match=f"{sentence}none has answered, and no worker came in 1 s: start some"),
    ):
        rb.distributed.fit(LEARNER, CUT, None, client)


def test_a_process_that_dies_before_it_answers_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[dict[str, Any]] = []

    class FirstStillborn(LocalCluster):  # type: ignore[misc]
        def __init__(self, **options: Any) -> None:
            begun.append(options)
            fatal = {"preload": ["import os; os.kill(os.getpid(), 9)"]} if len(begun) == 1 else {}
            super().__init__(**options, **fatal)

    monkeypatch.setattr(cluster, "LocalCluster", FirstStillborn)
    with cluster.connect("local", workers=1) as client:
        assert client.submit(sum, [1, 2]).result() == 3
        pids = list(client.run(os.getpid).values())
    assert len(begun) == 2
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)  # gone with the client


def test_processes_that_always_die_are_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def stillborn(**_: Any) -> None:
        raise RuntimeError("Nanny failed to start.")

    monkeypatch.setattr(cluster, "LocalCluster", stillborn)
    with pytest.raises(ConnectionError, match=r"worker processes on this machine died while they started, 3 times"):
        cluster.connect("local", workers=1)


# ------------------------------------------------------------------------------------------------------------ under way


@pytest.mark.filterwarnings("ignore::rosenblatt.blocks.cluster.NoWorkersWarning")
def test_all_workers_die_under_way_and_their_nannies_bring_others(
    client: Client, undisturbed: Any, monkeypatch: pytest.MonkeyPatch, in_soak: None
) -> None:
    monkeypatch.setattr(passes, "learn", slowly(0.1))
    pids = list(client.run(os.getpid).values())

    def kill() -> None:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)

    with at_work(client, "slow", kill):
        model = rb.distributed.fit(LEARNER, CUT, None, client)
    assert bits(model) == undisturbed
    client.wait_for_workers(2, timeout=60)
    assert not set(pids) & set(client.run(os.getpid).values())


def test_no_worker_is_left(workers: tuple[Client, Workers], undisturbed: Any, tmp_path: Path) -> None:
    """Another one is started, and the fit goes on; it dies too, none comes, and the fit ends with its checkpoint."""
    client, processes = workers
    processes.start()
    client.wait_for_workers(1, timeout=60)
    dask.config.set({"rosenblatt.workers-timeout": "60s"})

    def replace() -> None:
        processes.kill()
        threading.Timer(0.5, processes.start).start()

    def end() -> None:
        dask.config.set({"rosenblatt.workers-timeout": "1s"})
        processes.kill()

    learner, checkpoint = clone(LEARNER).set_callbacks(Stumble(1, replace), Stumble(3, end)), tmp_path / "run"
    sentence = "pass {}: the cluster has no workers, and 3 of 3 shards wait: new workers have {} s to come"
    with (
        pytest.warns(NoWorkersWarning, match=sentence.format(2, 60)),
        pytest.warns(NoWorkersWarning, match=sentence.format(4, 1)),
        pytest.raises(ConnectionError, match=r"and no worker came in 1 s: start some .*again\. .*run holds 3 passes"),
    ):
        rb.distributed.fit(learner, CUT, None, client, checkpoint=checkpoint)
    assert bits(rb.distributed.fit(LEARNER, CUT, None, Inline(), checkpoint=checkpoint)) == undisturbed


@pytest.mark.usefixtures("in_soak")
@pytest.mark.parametrize("changed", [False, True])
def test_a_file_that_changes_while_workers_die(
    changed: bool, workers: tuple[Client, Workers], tmp_path: Path, undisturbed: Any
) -> None:
    client, processes = workers
    processes.start()
    client.wait_for_workers(1, timeout=60)
    dask.config.set({"rosenblatt.workers-timeout": "60s"})
    folder = tmp_path / "rows"
    folder.mkdir()
    parquet(folder, CLOUD.X, CLOUD.y)

    def replace() -> None:
        processes.kill()
        if changed:
            parquet(folder, CLOUD.X[:, ::-1], CLOUD.y)
        threading.Timer(0.5, processes.start).start()

    learner = clone(LEARNER).set_callbacks(Stumble(1, replace))
    refused = pytest.raises(ValueError, match=r"file part-\d\.parquet was read again") if changed else nullcontext()
    with pytest.warns(NoWorkersWarning), refused:
        assert bits(rb.distributed.fit(learner, str(folder), "y", client)) == undisturbed


def test_all_waits_are_looked_after() -> None:
    files = [file for module in (cluster, passes) for file in Path(module.__file__).parent.glob("*.py")]
    text = {file.name: file.read_text() for file in files if not file.name.startswith("__")}
    waits = [name for name in text if re.search(r"\.(gather|result|compute)\(", text[name])]
    # `Here` waits for nobody, and a doctest computes
    assert sorted(waits) == ["blocks.py", "cluster.py", "prediction.py"]
    for name in ("blocks.py", "prediction.py"):
        assert not re.search(r"\.(gather|result)\(|client\.compute\(", text[name])


@pytest.mark.parametrize(
    ("module", "name", "sentence"),
    [
        (hashing, "_block_hashed", "hashing the data: the cluster has no workers, and 1 of 1 task waits"),
        (prediction, "_answer", "predicting: the cluster has no workers, and 1 of 1 task waits"),
    ],
)
def test_nothing_waits_for_ever(
    module: Any,
    name: str,
    sentence: str,
    workers: tuple[Client, Workers],
    monkeypatch: pytest.MonkeyPatch,
    in_soak: None,
) -> None:
    client, processes = workers
    processes.start()
    client.wait_for_workers(1, timeout=60)
    model = rb.Perceptron().fit(CLOUD.X, CLOUD.y)
    monkeypatch.setattr(module, name, slowed(getattr(module, name)))
    work: Any = partial(rb.distributed.separability, CUT, None, client, numbers="binary")  # looks for no decimals
    if module is prediction:
        work = partial(next, prediction.blocks(model, CUT, client))
    if module is hashing:  # which goes on beside the search, that asks first

        def wait_for_the_hash(asked: Any) -> None:
            processes.kill()
            asked.digest("dense")

        monkeypatch.setattr(rounds.ByRounds, "prove", wait_for_the_hash)
    with (
        at_work(client, "slow", processes.kill),
        pytest.warns(NoWorkersWarning, match=sentence),
        pytest.raises(ConnectionError, match=f"{sentence.replace(', and', ',')}.*and no worker came in 1 s"),
    ):
        work()


# ---------------------------------------------------------------------------------------------------------- at random


class Processes:
    """A scheduler and two nannies with a worker each, all processes of their own; what died is started again."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.begun, self.number = folder, dict[str, subprocess.Popen[bytes]](), 0

    def client(self) -> Client:
        """A client of the whole cluster."""
        if any(one.poll() is not None for one in self.begun.values()) or not self.begun:
            self.end()
            self.number += 1
            file = str(self.folder / f"cluster{self.number}.json")
            self._start("scheduler", "dask_scheduler", "--port", "0", "--scheduler-file", file)
            for name in ("nanny 0", "nanny 1"):
                self._start(name, "dask_worker", "--scheduler-file", file, "--nthreads", "1", "--nworkers", "1")
        client = Client(scheduler_file=str(self.folder / f"cluster{self.number}.json"), timeout=60)
        client.wait_for_workers(2, timeout=60)
        return client

    def _start(self, name: str, program: str, *options: str) -> None:
        line = [sys.executable, "-m", f"distributed.cli.{program}", "--no-dashboard", *options]
        quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.begun[name] = subprocess.Popen(line, cwd=self.folder, **quiet)

    def end(self) -> None:
        for one in self.begun.values():
            one.send_signal(signal.SIGCONT)
            one.terminate()
        for one in self.begun.values():
            try:
                one.wait(10)
            except subprocess.TimeoutExpired:
                one.kill()
                one.wait()
        self.begun.clear()


@pytest.fixture(scope="module")
def whole_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    found = Processes(tmp_path_factory.mktemp("cluster"))
    yield found
    found.end()


MIXED = pairs(CLOUD.X, np.where(CLOUD.X[:, 1] > 0, CLOUD.y, -CLOUD.y), 3)
PREDICTS = rb.Perceptron().fit(CLOUD.X, CLOUD.y)


def proof(verdict: Any) -> Any:
    """What a verdict proves; sets of columns have a second of the clock to be found in."""
    return verdict.kind, {name: part for name, part in verdict.certificate.content.items() if name != "because"}


WORK: dict[str, Callable[[Any, Path | None], Any]] = {
    "fit": lambda at, path: bits(rb.distributed.fit(LEARNER, CUT, None, at, checkpoint=path, checkpoint_every=1)),
    "verdict": lambda at, path: proof(rb.distributed.separability(CUT, None, at)),
    "coefficients": lambda at, path: proof(rb.distributed.separability(MIXED, None, at, coefficients=True)),
    "predict": lambda at, path: [one.tobytes() for one in prediction.blocks(PREDICTS, CUT, at)],
}


@pytest.fixture(scope="module")
def alone() -> dict[str, Any]:
    return {name: work(Inline(), None) for name, work in WORK.items()}


@pytest.mark.usefixtures("in_soak")
@pytest.mark.filterwarnings("ignore::rosenblatt.blocks.cluster.NoWorkersWarning")
@pytest.mark.parametrize("at", range(50))
def test_a_process_dies_or_stops_at_random(
    at: int, whole_cluster: Processes, alone: Any, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """The same bits, or one sentence, which names the checkpoint if there is one; from there to the same bits."""
    random = Random(at)
    name, victim = list(WORK)[at % 4], random.choice(["worker", "nanny", "scheduler"])
    dies, moment = random.random() < 0.5, random.uniform(0, 2.5)
    request.node.user_properties.append((name, f"{victim} {'killed' if dies else 'stopped'} after {moment:.2f} s"))
    checkpoint = tmp_path / "run"
    with (
        dask.config.set({"rosenblatt.workers-timeout": "20s", "distributed.comm.timeouts.connect": "5s"}),
        whole_cluster.client() as client,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(cluster, "_answered", slowly(0.15, cluster._answered))
        patch.setattr(prediction, "_answer", slowly(0.5, prediction._answer))
        pid = random.choice(list(client.run(os.getpid).values()))
        if victim != "worker":
            pid = whole_cluster.begun[
                "scheduler" if victim == "scheduler" else random.choice(["nanny 0", "nanny 1"])
            ].pid

        def act() -> None:
            os.kill(pid, signal.SIGKILL if dies else signal.SIGSTOP)
            if not dies:
                time.sleep(random.uniform(0.1, 3))
                os.kill(pid, signal.SIGCONT)

        thread, began = threading.Timer(moment, act), time.monotonic()
        thread.start()
        try:
            assert WORK[name](client, checkpoint) == alone[name]
            said = "the same bits"
        except (ConnectionError, RuntimeError) as why:
            said = str(why)
            assert dies, f"all of them live: {said}"
            assert name != "fit" or not checkpoint.exists() or "run holds" in said, said
            assert WORK[name](Inline(), checkpoint) == alone[name]
        thread.join()
        request.node.user_properties.append(("said", said))
        assert time.monotonic() - began < 90
