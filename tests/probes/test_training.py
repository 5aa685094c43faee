"""The blocked perceptron makes the corrections of the sequential one, on both devices."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt.probes.devices import cpu, gpu
from rosenblatt.probes.devices.training import Trained
from tests.oracles import perceptron

AS_GIVEN = {"method": "perceptron", "scale": False}
torch_missing = pytest.mark.skipif(find_spec("torch") is None, reason="torch is an extra")
triton_missing = pytest.mark.skipif(find_spec("triton") is None, reason="Triton is an extra")


def sequential(X, Y, passes, order="cyclic", seed=0):
    """Weights and mistakes per pass of each column, by the oracle; rows without a label weigh nothing."""
    found = []
    for y in Y.T:
        signs, weights = np.where(y == 0, 1, y), (y != 0).astype(int)
        _, path, counts = perceptron(X, signs, passes=passes, order=order, seed=seed, weights=weights)
        found.append((path[-1], counts[: counts.index(0) + 1] if 0 in counts else counts))
    return found


def agree(trained, expected):
    for j, (w, counts) in enumerate(expected):
        np.testing.assert_array_equal(trained.weights[:, j], w)
        assert trained.mistakes[: trained.passes[j], j].tolist() == counts
        assert not trained.mistakes[trained.passes[j] :, j].any()


def whole_numbers(n, p, B, seed=0):
    """Data whose sums float32 carries exactly; half of the probes are separable."""
    random = np.random.default_rng(seed)
    X = random.integers(-4, 5, (n, p))
    Y = random.choice(np.array([-1, 0, 1], dtype=np.int8), (n, B), p=[0.45, 0.1, 0.45])
    Y[:, : B // 2] = np.where(X @ random.integers(-3, 4, (p, B // 2)) > 0, 1, -1)
    return X.astype(np.float32), Y


@given(st.integers(1, 80), st.integers(1, 4), st.integers(1, 70), st.integers(0, 10**6), st.booleans())
def test_cpu_is_the_sequential_perceptron(n, p, B, seed, double):
    X, Y = whole_numbers(n, p, B, seed)
    trained = cpu.train(X.astype(np.float64) if double else X, Y, 4)
    some = np.unique([0, B // 2, B - 1])  # the oracle is slow
    agree(Trained(trained.weights[:, some], trained.sums, trained.mistakes[:, some]), sequential(X, Y[:, some], 4))


def test_many_blocks_groups_and_probes_that_drop_out():
    X, Y = whole_numbers(150, 6, 300)
    trained = cpu.train(X, Y, 40, threads=2)
    finished = trained.passes < 40
    assert 50 < np.count_nonzero(finished) < 300
    chosen = np.r_[0:12, 144:156, 290:300]
    kept = Trained(trained.weights[:, chosen], trained.sums, trained.mistakes[:, chosen])
    agree(kept, sequential(X, Y[:, chosen], 40))


def test_one_thread_and_many_make_the_same_bits():
    random = np.random.default_rng(0)
    X, Y = random.standard_normal((200, 20)), random.choice(np.array([-1, 1], dtype=np.int8), (200, 130))
    one, three = (cpu.train(X, Y, 5, threads=threads) for threads in (1, 3))
    assert one.mistakes.tolist() == three.mistakes.tolist()


def test_slabs_smaller_than_the_data(monkeypatch):
    X, Y = whole_numbers(200, 5, 10)
    monkeypatch.setattr(cpu, "_SLAB_BYTES", 64 * 6 * 4)
    agree(cpu.train(X, Y, 3), sequential(X, Y, 3))
    deal = lambda k: np.random.default_rng(k).permutation(200)  # noqa: E731
    several = cpu.train(X, Y, 3, deal)
    monkeypatch.setattr(cpu, "_SLAB_BYTES", 1 << 27)
    np.testing.assert_array_equal(several.weights, cpu.train(X, Y, 3, deal).weights)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("order", "average"), [("cyclic", False), ("shuffled", False), ("shuffled", True)])
def test_every_probe_makes_the_corrections_of_perceptron(dtype, order, average):
    X, Y = whole_numbers(120, 6, 24, seed=3)
    probes = rb.probes.fit(X.astype(dtype), Y, passes=12, order=order, average=average, random_state=5, **AS_GIVEN)
    for j in range(len(probes)):
        model = probes.as_estimator(j, trace=True)  # an ordinary Perceptron, row after row
        if model.outcome_ == "CYCLING":  # it stops where it can prove that going on is useless
            assert probes.mistakes_per_pass[: model.n_passes_, j].tolist() == model.mistakes_per_pass_.tolist()
            continue
        assert probes.mistakes_per_pass[: probes.passes[j], j].tolist() == model.mistakes_per_pass_.tolist()
        np.testing.assert_array_equal(probes.weights[:, j], np.append(model.coef_[0], model.intercept_))
        assert probes.outcome[j] == model.outcome_
        assert probes.updates[j] == model.n_updates_ == len(model.trace_.rows)


def test_average_goes_on_until_the_mean_is_right_too():
    X, Y = whole_numbers(60, 3, 20, seed=1)
    probes = rb.probes.fit(X, Y[:, :10], passes=400, order="cyclic", average=True, **AS_GIVEN)
    assert probes.separated.any()
    assert (probes.passes > np.argmax(probes.mistakes_per_pass == 0, axis=0) + 1).any()
    for j in np.flatnonzero(probes.separated):
        model = probes.as_estimator(int(j), trace=True)
        assert model.n_passes_ == probes.passes[j]
        assert probes.as_estimator(int(j)).mistakes_per_pass_.tolist() == model.mistakes_per_pass_.tolist()
        np.testing.assert_array_equal(probes.weights[:, j], np.append(model.coef_[0], model.intercept_))


# ------------------------------------------------------------------------------------------------ the GPU's code


def _recurrence(self, cut, S, k):
    """What the Triton kernel does, on tensors of the CPU."""
    s, G, Y = S.numpy(), self.G[k].numpy(), self.Y[:, cut].numpy()
    s += self.b[cut].numpy()
    for r, row in enumerate(self.rows[k].tolist()):
        s[r] = np.where(Y[row] * s[r] > 0, 0, Y[row])
        s[r + 1 :] += np.outer(G[r, r + 1 :], s[r])
        self.mistakes[cut] += self.torch.from_numpy((s[r] != 0).astype(np.int32))
        self.b[cut] += self.torch.from_numpy(s[r])


@pytest.fixture
def one_thread():
    """torch's threads, spinning between tiny products, would take minutes on a busy machine."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@torch_missing
@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize(
    ("order", "resident", "group"), [("cyclic", True, 0), ("shuffled", True, 16), ("shuffled", False, 0)]
)
def test_graphs_slabs_groups_without_a_gpu(monkeypatch, order, resident, group):
    monkeypatch.setattr(gpu._DeviceTeam, "_recur", _recurrence)
    monkeypatch.setattr(gpu, "_BLOCKS", 3)
    X, Y = whole_numbers(100, 3, 30)
    deal = None if order == "cyclic" else lambda k: np.random.default_rng(k).permutation(100)
    ours = cpu.train(X, Y, 12, deal, True)
    theirs = gpu.train(X, Y, 12, deal, True, device="cpu", tuning=gpu.Tuning(32, 16, 1, group), resident=resident)
    assert (ours.mistakes[-1] == 0).any()
    np.testing.assert_array_equal(ours.mistakes, theirs.mistakes)
    np.testing.assert_array_equal(ours.weights, theirs.weights)
    np.testing.assert_array_equal(ours.sums, theirs.sums)


INTERPRETED = """
import numpy as np
from rosenblatt.probes.devices import gpu
from tests.probes.test_training import agree, sequential, whole_numbers
X, Y = whole_numbers(12, 3, 33)
agree(gpu.train(X, Y, 2, device="cpu", tuning=gpu.Tuning(8, 4, 1)), sequential(X, Y, 2))
agree(gpu.train(X, Y, 1, device="cpu", tuning=gpu.Tuning(16, 8, 1, parts=1)), sequential(X, Y, 1))
agree(gpu.train(X, Y, 2, device="cpu", tuning=gpu.Tuning(16, whole=8)), sequential(X, Y, 2))
print("the same corrections")
"""


@torch_missing
@triton_missing
def test_triton_kernel_under_its_interpreter():
    root = Path(__file__).parents[2]
    path = os.pathsep.join([str(root), str(root / "src"), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "TRITON_INTERPRET": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-c", INTERPRETED], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "the same corrections", done.stderr


@pytest.mark.skipif(not gpu.available(), reason="no GPU here")
@pytest.mark.parametrize("tuning", [gpu.Tuning(), gpu.Tuning(64, 32, 2, 96, 2), gpu.Tuning(whole=32)])
@pytest.mark.parametrize("resident", [True, False])
def test_gpu_is_the_sequential_perceptron(tuning, resident):
    X, Y = whole_numbers(700, 6, 200)
    ours = cpu.train(X, Y, 30, None, True)
    theirs = gpu.train(X, Y, 30, None, True, tuning=tuning, resident=resident)
    np.testing.assert_array_equal(ours.mistakes, theirs.mistakes)
    np.testing.assert_array_equal(ours.weights, theirs.weights)
