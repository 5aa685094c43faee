"""Workers killed, schedulers gone, other versions: the same bits, or one sentence."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import dask
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from distributed.scheduler import WorkerState

import rosenblatt as rb
from distributed import Client, KilledWorker, Status
from rosenblatt.blocks import cluster, shard
from rosenblatt.blocks.sources import read_alike
from rosenblatt.distributed import passes
from rosenblatt.distributed.passes import learn
from rosenblatt.minimise import over_blocks
from rosenblatt.models.storage import read_arrays, write_arrays
from tests.distributed.conftest import Inline
from tests.distributed.test_training import CLOUD, bits, chunked, pairs

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def slowly(seconds: float, work: Any = learn) -> Any:
    def slow(*arguments: Any, **named: Any) -> Any:  # travels by value
        import time

        time.sleep(seconds)
        return work(*arguments, **named)

    return slow


@contextmanager
def a_worker_killed(client: Client) -> Iterator[None]:
    """One worker is killed when it is busy with a slow task; another comes in its place."""
    workers = client.run(os.getpid)
    killed: list[int] = []
    done = threading.Event()

    def kill() -> None:
        while not killed and not done.is_set():
            busy = [at for at, keys in client.processing().items() if any("slow" in str(key) for key in keys)]
            if busy:
                os.kill(workers[busy[0]], signal.SIGKILL)
                killed.append(workers[busy[0]])
            time.sleep(0.01)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        yield
    finally:  # work that no worker was killed in must fail the test, not wait for ever
        done.set()
        killer.join()
    assert killed, "no slow task was seen"
    client.wait_for_workers(2, timeout=30)
    assert killed[0] not in client.run(os.getpid).values()


def test_a_worker_killed_in_the_middle_of_a_pass(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = chunked(CLOUD.X, CLOUD.y, 100)
    learner = rb.Perceptron(order="shuffled", random_state=0, max_passes=4)
    undisturbed = bits(rb.distributed.fit(learner, pairs(CLOUD.X, CLOUD.y, 6), None, Inline()))
    monkeypatch.setattr(passes, "learn", slowly(0.05))
    with a_worker_killed(client):
        model = rb.distributed.fit(learner, X, y, client)
    assert bits(model) == undisturbed


def test_a_worker_killed_while_it_adds_up(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = chunked(CLOUD.X, np.where(CLOUD.X[:, 1] > 0, CLOUD.y, -CLOUD.y), 100)
    learner = rb.Logistic(regularizer=1.0)
    undisturbed = bits(rb.distributed.fit(learner, pairs(X.compute(), y.compute(), 4), None, Inline()))
    monkeypatch.setattr(over_blocks, "sums", slowly(0.05, over_blocks.sums))
    with a_worker_killed(client):
        model = rb.distributed.fit(learner, X, y, client)
    assert bits(model) == undisturbed


class Stumble:
    """Breaks a fit off after some passes."""

    def __init__(self, after: int, how: Any) -> None:
        self.left, self.how = after, how

    def setup(self, estimator: Any, context: Any) -> None: ...
    def on_fit_task_begin(self, estimator: Any, context: Any) -> None: ...
    def teardown(self, estimator: Any, context: Any) -> None: ...

    def on_fit_task_end(self, estimator: Any, context: Any) -> None:
        self.left -= context.task_name == "pass"
        if self.left == 0:
            self.how()


def interrupt() -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("options", [{}, {"average": True}, {"pocket": True, "trace": True}, {"margin": 0.01}])
def test_a_fit_goes_on_from_its_checkpoint(options: dict[str, Any], tmp_path: Path, inline: Inline) -> None:
    cut = pairs(CLOUD.X, CLOUD.y, 3)
    learner = rb.Perceptron(order="shuffled", random_state=0, max_passes=30, **options)
    whole = rb.distributed.fit(learner, cut, None, inline)
    expected, corrections = bits(whole), whole.mistakes_per_shard_.tolist()
    path = tmp_path / "run"
    learner.set_callbacks(Stumble(7, interrupt))
    with pytest.raises(KeyboardInterrupt):
        rb.distributed.fit(learner, cut, None, inline, checkpoint=path, checkpoint_every=100)
    learner.set_callbacks()
    inline.calls = 0
    model = rb.distributed.fit(learner, cut, None, inline, checkpoint=path)
    assert bits(model) == expected
    assert model.mistakes_per_shard_.tolist() == corrections
    if options.get("trace"):
        w = model.trace_.weights_after(model.n_passes_, CLOUD.X)
        assert w.tobytes() == whole.trace_.weights_after(whole.n_passes_, CLOUD.X).tobytes()
    inline.calls = 0
    assert bits(rb.distributed.fit(learner, cut, None, inline, checkpoint=path)) == expected  # nothing is left to do
    # the pocket looks at every shard once more, and so does the choice between w and its average
    assert inline.calls < (9 if options.get("pocket") else 6 if options.get("average") else 7)


class Stop(Exception):
    """Work is broken off."""


@pytest.mark.parametrize("steps", [1, 2, 4])
@pytest.mark.parametrize(
    "learner",
    [
        rb.Logistic(), rb.Logistic(multiclass="ovr"), rb.Logistic(regularizer=0.1),
        rb.LeastSquares(regularizer=50.0, max_passes=6),
    ],
)  # fmt: skip
def test_steps_over_all_rows_go_on_from_their_checkpoint(learner: Any, steps: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(90, 3)), rng.integers(0, 3, size=90)
    cut, path, made = pairs(X, y, 3), tmp_path / "run", list[str]()
    whole, asked = list[str](), list[str]()
    expected = bits(rb.distributed.fit(learner, cut, None, "here", progress=lambda words, *_: whole.append(words)))

    def look(words: str, done: int, total: int | None) -> None:
        made.extend(["step"] * (words in ("counting mistakes", "certifying the signs") and done == 0))
        if len(made) > steps:
            raise Stop

    with pytest.raises(Stop):
        rb.distributed.fit(learner, cut, None, "here", checkpoint=path, progress=look)
    note = lambda words, *_: asked.append(words)  # noqa: E731
    assert bits(rb.distributed.fit(learner, cut, None, "here", checkpoint=path, progress=note)) == expected
    assert len(asked) < len(whole) or steps == 1  # some runs of classes may not have made a step
    with pytest.raises(ValueError, match="is a checkpoint of another fit"):
        rb.distributed.fit(learner, pairs(X, y[::-1], 3), None, "here", checkpoint=path)


def test_a_checkpoint_may_be_gone_on_with_beyond_its_limits(tmp_path: Path, inline: Inline) -> None:
    cut, path = pairs(CLOUD.X, CLOUD.y, 3), tmp_path / "run"
    expected = bits(rb.distributed.fit(rb.Perceptron(max_passes=20), cut, None, inline))
    rb.distributed.fit(rb.Perceptron(max_passes=5), cut, None, inline, checkpoint=path)
    assert bits(rb.distributed.fit(rb.Perceptron(max_passes=20), cut, None, inline, checkpoint=path)) == expected


@pytest.mark.parametrize("passes", [12, 40])
def test_an_interrupted_fit_may_go_on_with_other_limits(passes: int, tmp_path: Path, inline: Inline) -> None:
    cut, path = pairs(CLOUD.X, CLOUD.y, 3), tmp_path / "run"
    learner = rb.Perceptron(max_passes=20).set_callbacks(Stumble(7, interrupt))
    with pytest.raises(KeyboardInterrupt):
        rb.distributed.fit(learner, cut, None, inline, checkpoint=path)
    model = rb.distributed.fit(rb.Perceptron(max_passes=passes), cut, None, inline, checkpoint=path)
    assert bits(model) == bits(rb.distributed.fit(rb.Perceptron(max_passes=passes), cut, None, inline))


def test_a_checkpoint_of_three_classes(tmp_path: Path, inline: Inline) -> None:
    y = CLOUD.y + (CLOUD.X[:, 0] > 1)
    cut, path = pairs(CLOUD.X, y, 3), tmp_path / "run"
    expected = bits(rb.distributed.fit(rb.Perceptron(max_passes=12), cut, None, inline))
    rb.distributed.fit(rb.Perceptron(max_passes=5), cut, None, inline, checkpoint=path)
    assert bits(rb.distributed.fit(rb.Perceptron(max_passes=12), cut, None, inline, checkpoint=path)) == expected


def test_a_checkpoint_of_another_fit_is_refused(tmp_path: Path, inline: Inline) -> None:
    cut, path = pairs(CLOUD.X, CLOUD.y, 3), tmp_path / "run"
    rb.distributed.fit(rb.Perceptron(max_passes=2), cut, None, inline, checkpoint=path)
    with pytest.raises(ValueError, match=r"checkpoint of another fit \(parameters differs\)"):
        rb.distributed.fit(rb.Perceptron(eta=2.0), cut, None, inline, checkpoint=path)
    with pytest.raises(ValueError, match=r"checkpoint of another fit \(the shards' rows was"):
        rb.distributed.fit(rb.Perceptron(), pairs(CLOUD.X, CLOUD.y, 4), None, inline, checkpoint=path)


OTHER_DATA = {
    "two columns swapped": lambda X, y: (X[:, [1, 0, *range(2, X.shape[1])]], y),
    "labels rolled": lambda X, y: (X, np.roll(y, 7)),
    "one value": lambda X, y: (np.where(np.arange(X.size).reshape(X.shape) == 17, np.nextafter(X, 9), X), y),
    "two rows swapped": lambda X, y: (X[[1, 0, *range(2, len(X))]], y[[1, 0, *range(2, len(X))]]),
    "other classes": lambda X, y: (X, np.where(y > 0, "yes", "no")),
    "float32": lambda X, y: (X.astype(np.float32), y),
    "sparse": lambda X, y: (sp.csr_matrix(X), y),
}


@pytest.mark.parametrize("change", OTHER_DATA)
def test_a_checkpoint_of_other_data_is_refused(change: str, tmp_path: Path, inline: Inline) -> None:
    path = tmp_path / "run"
    rb.distributed.fit(rb.Perceptron(max_passes=2), pairs(CLOUD.X, CLOUD.y, 3), None, inline, checkpoint=path)
    other = OTHER_DATA[change](CLOUD.X, CLOUD.y)
    with pytest.raises(ValueError, match=r"checkpoint of another fit \(the content of the shards differs\)"):
        rb.distributed.fit(rb.Perceptron(max_passes=9), pairs(*other, 3), None, inline, checkpoint=path)


def test_a_checkpoint_of_other_weights_is_refused(tmp_path: Path, inline: Inline) -> None:
    path, weights = tmp_path / "run", np.linspace(1, 2, len(CLOUD.y))
    weighted = [[(CLOUD.X, CLOUD.y, some)] for some in (weights, weights[::-1])]
    rb.distributed.fit(rb.Perceptron(max_passes=2), weighted[0], None, inline, checkpoint=path)
    for other in (weighted[1], [(CLOUD.X, CLOUD.y)]):
        with pytest.raises(ValueError, match="the content of the shards differs"):
            rb.distributed.fit(rb.Perceptron(max_passes=9), other, None, inline, checkpoint=path)


def test_a_checkpoint_that_does_not_say_which_data_is_refused(tmp_path: Path, inline: Inline) -> None:
    cut, path = pairs(CLOUD.X, CLOUD.y, 3), tmp_path / "run"
    rb.distributed.fit(rb.Perceptron(max_passes=2), cut, None, inline, checkpoint=path)
    arrays, metadata = read_arrays(path, "checkpoint/1")
    metadata["fit"].pop("the content of the shards")
    write_arrays(path, "checkpoint/1", arrays, metadata)
    with pytest.raises(ValueError, match=r"\(it does not say the content of the shards, as those of older"):
        rb.distributed.fit(rb.Perceptron(max_passes=9), cut, None, inline, checkpoint=path)


class Again(Inline):
    """A place that has every shard read again, after a change, when it is learned from."""

    def __init__(self, change: Any) -> None:
        super().__init__()
        self.change, self.recipes = change, list[Any]()

    def make(self, recipes: Sequence[Any]) -> list[Any]:
        self.recipes = list(recipes)
        return super().make(recipes)

    def put(self, where: str, question: Any, *each: Any, **common: Any) -> list[Any]:
        if question is shard.known_again:
            self.change()
            each = (super().make(self.recipes), *each[1:])
        return super().put(where, question, *each, **common)


def parquet(folder: Path, X: Any, y: Any) -> None:
    for s, (a, b) in enumerate(pairs(X, y, 3)):
        frame = pd.DataFrame(a, columns=[f"x{j}" for j in range(a.shape[1])]).assign(y=b)
        frame.to_parquet(folder / f"part-{s}.parquet")


@pytest.mark.parametrize("change", ["two columns swapped", "labels rolled", "one value", "nothing"])
@pytest.mark.parametrize("task", ["fit", "verdict"])
def test_a_shard_that_is_read_again_must_be_the_same(change: str, task: str, tmp_path: Path) -> None:
    X, y = CLOUD.X, CLOUD.y
    parquet(tmp_path, X, y)
    X, y = OTHER_DATA[change](X, y) if change != "nothing" else (X, y)
    client = Again(lambda: parquet(tmp_path, X, y))

    def ask() -> Any:
        if task == "fit":
            return rb.distributed.fit(rb.Perceptron(), str(tmp_path), "y", client)
        return rb.distributed.separability(str(tmp_path), "y", client)

    if change == "nothing":
        ask()
        return
    with pytest.raises(ValueError, match=r"file part-0\.parquet was read again, because a worker was lost, and is not"):
        ask()


def test_a_file_that_was_cut_off_is_named(tmp_path: Path) -> None:
    parquet(tmp_path, CLOUD.X, CLOUD.y)
    client = Again(lambda: os.truncate(tmp_path / "part-1.parquet", 1000))
    with pytest.raises(ValueError, match=r"file part-1\.parquet: "):
        rb.distributed.fit(rb.Perceptron(), str(tmp_path), "y", client)


def test_shards_of_a_table_are_called_by_their_files(tmp_path: Path) -> None:
    parquet(tmp_path, CLOUD.X, CLOUD.y)
    encoding = rb.data.open_table(str(tmp_path / "*.parquet"), target="y").encoding
    shards = [one.shard for one in read_alike(tmp_path, encoding)]
    client = Again(lambda: parquet(tmp_path, CLOUD.X, np.roll(CLOUD.y, 3)))
    with pytest.raises(ValueError, match=r"file part-0\.parquet was read again"):
        rb.distributed.fit(rb.Perceptron(), shards, None, client)


@pytest.fixture
def doomed(tmp_path: Path) -> Iterator[tuple[Client, subprocess.Popen[bytes]]]:
    """A cluster by hand: a scheduler that can be killed, and one worker."""
    file = tmp_path / "scheduler.json"
    common: dict[str, Any] = {"stderr": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
    start = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--dashboard-address", ":0"]
    scheduler = subprocess.Popen([*start, "--scheduler-file", str(file)], **common)
    start = [sys.executable, "-m", "distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    worker = subprocess.Popen([*start, "--scheduler-file", str(file)], **common)
    while not file.exists():
        time.sleep(0.05)
    client = cluster.connect(str(file))
    try:
        client.wait_for_workers(1, timeout=30)
        with dask.config.set({"distributed.comm.timeouts.connect": "3s"}):  # how long a client hopes
            yield client, scheduler
    finally:
        for process in (scheduler, worker):
            process.kill()
            process.wait()
        client.close(timeout=1)


def test_the_scheduler_dies_and_another_cluster_goes_on(
    doomed: Any, client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut, path = pairs(CLOUD.X, CLOUD.y, 3), tmp_path / "run"
    learner = rb.Perceptron(max_passes=8)
    expected = bits(rb.distributed.fit(learner, cut, None, Inline()))
    first_client, scheduler = doomed
    with monkeypatch.context() as patch:
        patch.setattr(passes, "learn", slowly(0.1))
        learner.set_callbacks(Stumble(4, lambda: threading.Timer(0.1, scheduler.kill).start()))
        with pytest.raises(ConnectionError, match=r"pass 5: the cluster went away .*run holds 4 passes"):
            rb.distributed.fit(learner, cut, None, first_client, checkpoint=path, checkpoint_every=2)
    learner.set_callbacks()
    assert bits(rb.distributed.fit(learner, cut, None, client, checkpoint=path)) == expected


# ----------------------------------------------------------------------------------------------------------- versions


def test_another_version_on_a_worker_is_one_sentence(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rb, "__version__", "9.9")
    with pytest.raises(
        RuntimeError, match=r"worker tcp://\S+ has rosenblatt \d\S*, this process 9\.9: install the same"
    ):
        rb.distributed.fit(rb.Perceptron(), pairs(CLOUD.X, CLOUD.y, 2), None, client)


def test_a_worker_without_the_package_is_one_sentence(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    only_here = ModuleType("only_here")
    only_here.__version__ = "1.0"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "only_here", only_here)
    monkeypatch.setattr(cluster, "_PACKAGES", ("only_here",))
    with pytest.raises(RuntimeError, match=r"worker tcp://\S+ has no only_here"):
        rb.distributed.fit(rb.Perceptron(), pairs(CLOUD.X, CLOUD.y, 2), None, client)


def test_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    before = dask.config.get("scheduler", None)
    with pytest.raises(ConnectionError, match=r"no Dask scheduler answers at 'tcp://127.0.0.1:1'"):
        cluster.connect("tcp://127.0.0.1:1", timeout=0.5)
    monkeypatch.setattr(Client, "current", classmethod(lambda *_, **__: (_ for _ in ()).throw(ValueError("none"))))
    with pytest.raises(ValueError, match="there is no Dask client"):
        cluster.reach(None)
    with pytest.raises(TypeError, match=r"pass rosenblatt.distributed.connect\('local'\)"):
        cluster.reach("local")
    assert dask.config.get("scheduler", None) == before  # who failed to connect works on as before


def test_a_shard_that_kills_its_workers_is_named() -> None:
    worker = WorkerState(
        address="tcp://10.0.0.1:1",
        status=Status.running,
        pid=1,
        name="w",
        memory_limit=0,
        local_directory="",
        nanny="",
        server_id="w",
    )
    with (
        pytest.raises(RuntimeError, match="pass 3: one shard brought down 4 workers in turn"),
        cluster.speaking_plainly("pass 3"),
    ):
        raise KilledWorker("learn-1", worker, 3)
