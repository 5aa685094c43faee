"""Mixing over shards: the local learner for one shard, a naive oracle for several, and nothing claimed unproved."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

import dask.array as da
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import rosenblatt as rb
from distributed import Client
from rosenblatt.distributed.mixing import _seed, mix
from tests.distributed.conftest import Inline
from tests.oracles import rows_of_pass

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

CLOUD = rb.datasets.margin_cloud(600, 5, margin=0.02, random_state=0)


def pairs(X: Any, y: Any, shards: int) -> list[Any]:
    ends = np.linspace(0, len(y), shards + 1).astype(int)
    return [(X[a:b], y[a:b]) for a, b in pairwise(ends)]


def chunked(X: Any, y: Any, rows: int) -> tuple[Any, Any]:
    return da.from_array(X, chunks=(rows, -1)), da.from_array(y, chunks=rows)


def bits(model: Any) -> tuple[Any, ...]:
    """All that a fit leaves, to the last bit."""
    counts = np.asarray(model.mistakes_per_pass_)
    return (model.coef_.tobytes(), model.intercept_.tobytes(), counts.tolist(), model.n_updates_, repr(model.outcome_))


LEARNERS = {
    "plain": rb.Perceptron(max_passes=60),
    "shuffled": rb.Perceptron(order="shuffled", random_state=3),
    "random": rb.Perceptron(order="random", random_state=1),
    "start": rb.Perceptron(start="random", random_state=5, tie="correct"),
    "average": rb.Perceptron(average=True),
    "pocket": rb.Perceptron(pocket=True, max_passes=5),
    "margin": rb.Perceptron(margin=0.01, max_passes=40),
    "normalize": rb.Perceptron(normalize=True, tie="positive"),
    "balanced": rb.Perceptron(class_weight="balanced"),
    "weighted": rb.Perceptron(class_weight={-1: 0.5, 1: 2.0}),
    "no intercept": rb.Perceptron(fit_intercept=False, max_passes=7),
    "patience": rb.Perceptron(patience=3, max_passes=50),
    "limit": rb.Perceptron(max_updates=37),
    "passive-aggressive": rb.PassiveAggressive(max_passes=9),
    "adaline": rb.Adaline(max_passes=9),
    "logistic": rb.Logistic(mode="incremental", max_passes=9, average=True),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_one_shard_is_the_local_learner(name: str, inline: Inline) -> None:
    learner = LEARNERS[name]
    local = bits(learner.fit(*CLOUD))
    spread = bits(rb.distributed.fit(learner, [(CLOUD.X, CLOUD.y)], None, inline))
    assert spread[:-1] == local[:-1]
    if name in ("adaline", "logistic"):  # how near the minimum is only the whole data say
        assert spread[-1].split(";")[0] == local[-1].split(";")[0]
        assert "the weights were still moving" in spread[-1]
    else:
        assert spread[-1] == local[-1]


def test_one_shard_is_the_local_learner_on_a_cluster(client: Client) -> None:
    X, y = chunked(CLOUD.X, CLOUD.y, 600)
    local = rb.Perceptron(trace=True, max_passes=15).fit(*CLOUD)
    model = rb.distributed.fit(rb.Perceptron(trace=True, max_passes=15), X, y, client)
    assert bits(model) == bits(local)
    assert model.trace_.rows.tolist() == local.trace_.rows.tolist()
    assert model.trace_.pass_ends.tolist() == local.trace_.pass_ends.tolist()


@pytest.mark.parametrize("layout", ["float32", "csr", "three classes"])
def test_one_shard_of_other_layouts(layout: str, inline: Inline) -> None:
    X, y = CLOUD.X, CLOUD.y
    if layout == "float32":
        X = X.astype(np.float32)
    elif layout == "csr":
        X = sp.csr_matrix(np.where(np.abs(X) > 0.5, X, 0.0))
    else:
        y = np.array(["b", "a", "c"])[np.clip(np.rint(X[:, 0]) + 1, 0, 2).astype(int)]
    learner = rb.Perceptron(max_passes=20)
    local = bits(learner.fit(X, y))
    assert bits(rb.distributed.fit(learner, [(X, y)], None, inline)) == local


# --------------------------------------------------------------------------------------------------------- the oracle


def naive(shards: Any, passes: int, mixing: str, order: str, seeds: list[int]) -> Any:
    """Iterative parameter mixing as in the paper: weights, and mistakes of each pass and shard."""
    w, counts = [0.0] * (shards[0][0].shape[1] + 1), []
    for t in range(passes):
        ends, made = [], []
        for (X, y), seed in zip(shards, seeds, strict=True):
            v, k = list(w), 0
            for i in rows_of_pass(order, len(y), seed, t):
                z = [*X[i].tolist(), 1.0]
                if y[i] * sum(a * b for a, b in zip(z, v, strict=True)) <= 0:
                    v, k = [b + y[i] * a for a, b in zip(z, v, strict=True)], k + 1
            ends.append(v)
            made.append(k)
        counts.append(made)
        if not any(made):
            break
        shares = made if mixing == "mistakes" else [1] * len(shards)
        if np.count_nonzero(shares) == 1:
            w = ends[int(np.argmax(shares))]
        else:
            w = [sum(m * v[j] for m, v in zip(shares, ends, strict=True)) / sum(shares) for j in range(len(w))]
    return w, counts


@given(
    st.integers(0, 10**6),
    st.integers(1, 5),
    st.sampled_from(["mistakes", "uniform"]),
    st.sampled_from(["cyclic", "shuffled"]),
    st.integers(1, 3),
)
def test_mixing_agrees_with_the_paper(seed: int, shards: int, mixing: str, order: str, p: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-6, 7, (4 * shards, p)) / 2.0, rng.choice([-1, 1], 4 * shards)
    y[:2] = 1, -1
    cut, learner = pairs(X, y, shards), rb.Perceptron(max_passes=4, order=order, random_state=seed, average=False)
    rb.distributed.fit(learner, cut, None, Inline(), mixing=mixing)
    seeds = [_seed(learner._states[0].seed, s) for s in range(shards)]
    w, counts = naive(cut, learner.n_passes_, mixing, order, seeds)
    assert learner.mistakes_per_shard_.tolist() == counts
    assert np.append(learner.coef_, learner.intercept_).tolist() == w


def test_a_mixture_of_one_keeps_its_bits() -> None:
    w = np.array([0.1, -0.0, 5e-324, 1e308])
    assert mix([w, w * 0], [7, 0]).tobytes() == w.tobytes()
    assert mix([np.array([1.0]), np.array([2.0]), np.array([4.0])], [3, 0, 6]).tolist() == [3.0]


# ----------------------------------------------------------------------------------------------- shards, not workers


@pytest.fixture(scope="module")
def one_thread_and_four() -> Iterator[list[Client]]:
    threads = {"processes": False, "threads_per_worker": 1, "dashboard_address": ":0", "set_as_default": False}
    with Client(n_workers=1, **threads) as one, Client(n_workers=4, **threads) as four:
        yield [one, four]


@pytest.mark.parametrize("name", ["plain", "shuffled", "average", "pocket"])
def test_the_workers_do_not_matter(name: str, client: Client, one_thread_and_four: list[Client]) -> None:
    X, y = chunked(CLOUD.X, CLOUD.y, 100)
    learner = clone(LEARNERS[name]).set_params(max_passes=10)
    alone = bits(rb.distributed.fit(learner, pairs(CLOUD.X, CLOUD.y, 6), None, Inline()))
    two = bits(rb.distributed.fit(learner, X, y, client))
    assert two == alone
    for other in one_thread_and_four:
        assert bits(rb.distributed.fit(learner, X, y, other)) == alone


def test_shards_stay_on_their_workers(client: Client) -> None:
    data = rb.datasets.margin_cloud(40_000, 20, margin=0.01, random_state=0)
    X, y = chunked(data.X, data.y, 10_000)
    seen: list[Any] = []

    class Watch:
        def setup(self, estimator: Any, context: Any) -> None: ...
        def on_fit_task_begin(self, estimator: Any, context: Any) -> None: ...
        def teardown(self, estimator: Any, context: Any) -> None: ...

        def on_fit_task_end(self, estimator: Any, context: Any) -> None:
            homes = client.who_has()
            seen.append({key: sorted(where) for key, where in homes.items() if str(key).startswith("prepare")})

    rb.distributed.fit(rb.Perceptron(max_passes=6).set_callbacks(Watch()), X, y, client)
    assert len(seen[0]) == 4
    # after the last pass all shards are looked at: Dask does not know yet how short that is, and may move one
    assert all(now == seen[0] for now in seen[1:5])
    assert all(len(where) == 1 for where in seen[0].values())


# ------------------------------------------------------------------------------------------------- what may be claimed


@pytest.mark.parametrize("mixing", ["mistakes", "uniform"])
@pytest.mark.parametrize("shards", [1, 3, 8])
def test_the_theorem_of_mixing(shards: int, mixing: str, inline: Inline) -> None:
    model = rb.distributed.fit(rb.Perceptron(), pairs(CLOUD.X, CLOUD.y, shards), None, inline, mixing=mixing)
    assert model.outcome_ == "SEPARATED"
    k = model.mistakes_per_shard_.astype(float)
    mu = k / np.maximum(1, k.sum(axis=1, keepdims=True)) if mixing == "mistakes" else np.full(k.shape, 1 / shards)
    bound = rb.theory.mistake_bound(*CLOUD, CLOUD.w_star)
    assert 0 < np.sum(mu * k) <= bound
    assert np.count_nonzero(k.sum(axis=1)) <= bound * (1 if mixing == "mistakes" else shards)
    z = CLOUD.y[:, None] * np.column_stack([CLOUD.X, np.ones(600)])
    assert np.all(z @ np.append(model.coef_, model.intercept_) > 0)


@pytest.mark.parametrize("rows", [1, 2, 4])
def test_cycling_comes_with_an_exact_witness(rows: int, client: Client) -> None:
    X, y = rb.datasets.xor()
    model = rb.distributed.fit(rb.Perceptron(), *chunked(X, y, rows), client)
    assert model.outcome_ == "CYCLING"
    z = np.where(y == 1, 1, -1)[:, None] * np.column_stack([X, np.ones(4)])
    some, lam = model.witness_.rows, np.array(model.witness_.multipliers)
    assert min(lam) > 0
    assert (lam @ z[some]).tolist() == [0, 0, 0]


@given(st.integers(0, 10**6), st.integers(1, 4), st.sampled_from(["mistakes", "uniform"]))
def test_every_outcome_is_true(seed: int, shards: int, mixing: str) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(shards + 1, 9))
    X, y = rng.integers(-2, 3, (n, 2)).astype(float), rng.choice([0, 1], n)
    y[:2] = 0, 1
    model = rb.distributed.fit(rb.Perceptron(max_passes=40), pairs(X, y, shards), None, Inline(), mixing=mixing)
    z = np.where(y == 1, 1, -1)[:, None] * np.column_stack([X, np.ones(n)])
    agreements = [
        sum(Fraction(a) * Fraction(b) for a, b in zip(row, [*model.coef_[0], model.intercept_[0]], strict=True))
        for row in z
    ]
    assert (model.outcome_ == "SEPARATED") == (min(agreements) > 0)
    if model.outcome_ == "CYCLING":
        lam = np.array(model.witness_.multipliers, dtype=object)
        assert not np.any(lam @ z[model.witness_.rows].astype(int).astype(object))


def test_weights_that_come_back_only_by_rounding_prove_nothing(inline: Inline) -> None:
    X = np.array([[1.0], [1e17], [-1e17], [1.0]])  # 1e17 + 1 is 1e17 in float64
    y = np.array([1, 1, 1, -1])
    for shards in (1, 2):
        model = rb.distributed.fit(rb.Perceptron(fit_intercept=False, max_passes=50), pairs(X, y, shards), None, inline)
        z = y[:, None] * X
        if model.outcome_ == "CYCLING":
            lam = [Fraction(m) for m in model.witness_.multipliers]
            assert sum(m * Fraction(float(v)) for m, v in zip(lam, z[model.witness_.rows, 0], strict=True)) == 0
        else:
            assert model.outcome_ == "BUDGET"


def test_a_tie_is_called_a_tie(inline: Inline) -> None:
    model = rb.distributed.fit(
        rb.Perceptron(tie="correct"), [(np.array([[1.0]]), [1]), (np.array([[-1.0]]), [0])], None, inline
    )
    assert model.outcome_ == "TIED"
    assert "2 of 2 examples lie on the hyperplane" in model.outcome_.sentence


def test_a_limit_on_corrections(inline: Inline) -> None:
    model = rb.distributed.fit(rb.Perceptron(max_updates=10), pairs(CLOUD.X, CLOUD.y, 3), None, inline)
    assert model.outcome_ == "BUDGET"
    assert model.mistakes_per_shard_.max() <= 10 <= model.n_updates_


# ------------------------------------------------------------------------------------------------ traces, three classes


def test_the_trace_replays_the_run(client: Client) -> None:
    X, y = chunked(CLOUD.X, CLOUD.y, 200)
    model = rb.distributed.fit(rb.Perceptron(trace=True, max_passes=10, average=False), X, y, client)
    trace = model.trace_
    assert len(trace) == model.n_updates_ == model.mistakes_per_shard_.sum()
    w = trace.weights_after(model.n_passes_, CLOUD.X)
    assert w.tobytes() == np.append(model.coef_, model.intercept_).tobytes()
    rows, steps = trace.of_pass(1, 2)
    assert len(rows) == model.mistakes_per_shard_[1, 2]
    assert np.all((rows >= 400) & (rows < 600))
    assert np.array_equal(steps, CLOUD.y[rows].astype(float))


def test_three_classes(client: Client) -> None:
    rng = np.random.default_rng(0)
    centres = np.array([[9.0, 0.0], [0.0, 9.0], [-9.0, -9.0]])
    label = rng.integers(0, 3, 300)
    X = centres[label] + rng.normal(size=(300, 2))
    names = np.array(["red", "green", "blue"])[label]
    model = rb.distributed.fit(rb.Perceptron(), *chunked(X, names, 75), client)
    assert model.outcome_ == "SEPARATED"
    assert [str(one) for one in model.outcomes_] == ["SEPARATED"] * 3
    assert model.classes_.tolist() == ["blue", "green", "red"]
    assert model.score(X, names) == 1.0
    assert len(model.mistakes_per_shard_) == 3


# ----------------------------------------------------------------------------------------- what comes before and after


def test_a_model_from_a_cluster_is_a_model(client: Client, tmp_path: Any) -> None:
    X, y = chunked(CLOUD.X, CLOUD.y, 150)
    model = rb.distributed.fit(rb.Perceptron(max_passes=3, average=True, trace=True), X, y, client)
    rb.save(model, tmp_path / "m")
    again = rb.load(tmp_path / "m")
    assert again.decision_function(CLOUD.X).tobytes() == model.decision_function(CLOUD.X).tobytes()
    assert again.trace_ is None  # a mixed run is not one sequence of corrections
    again.set_params(warm_start=True, max_passes=1000, trace=False).fit(*CLOUD)  # and may go on at home
    assert again.outcome_ == "SEPARATED"
    assert again.mistakes_per_pass_[:3].tolist() == model.mistakes_per_pass_.tolist()


def test_callbacks_see_every_pass(inline: Inline) -> None:
    class Diary:
        def __init__(self, enough: int) -> None:
            self.enough, self.mistakes = enough, list[int]()

        def setup(self, estimator: Any, context: Any) -> None: ...
        def on_fit_task_begin(self, estimator: Any, context: Any) -> None: ...
        def teardown(self, estimator: Any, context: Any) -> None: ...

        def on_fit_task_end(self, estimator: Any, context: Any, *, fitted_estimator: Any) -> bool:
            if context.task_name == "pass":
                self.mistakes.append(int(fitted_estimator.mistakes_per_pass_[-1]))
            return len(self.mistakes) >= self.enough

    diary = Diary(4)
    model = rb.distributed.fit(rb.Perceptron().set_callbacks(diary), pairs(CLOUD.X, CLOUD.y, 4), None, inline)
    assert model.n_passes_ == 4
    assert diary.mistakes == model.mistakes_per_pass_.tolist()
    assert "a callback asked to stop" in model.outcome_.sentence
