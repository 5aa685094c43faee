"""Online code length, from its definition; directions."""

import numpy as np
import pytest

import rosenblatt as rb

PARTS = (0.05, 0.2, 0.5, 1.0)


def planted(seed: int = 0, n: int = 600) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 6))
    Y = np.column_stack([X[:, 0] > 0, X[:, 1] + random.normal(size=n) > 0, random.random(n) > 0.5])
    return X, Y


def test_bits_are_those_of_the_definition() -> None:
    X, Y = planted()
    y = np.where(Y[:, 1], 1, -1)
    y[::7] = 0
    found = rb.probes.code_length(X, y[:, None], parts=PARTS, l2=0.01, random_state=3)
    order, n = np.random.default_rng(3).permutation(len(X)), len(X)
    bits = float(np.sum(y[order[: int(0.05 * n)]] != 0))
    for begin, end in ((0.05, 0.2), (0.2, 0.5), (0.5, 1.0)):
        seen, new = order[: round(begin * n)], order[round(begin * n) : round(end * n)]
        probe = rb.probes.fit(X[seen], y[seen][:, None], l2=0.01, random_state=3)
        for i in new:
            if y[i]:
                s = X[i] @ probe.weights[:-1, 0] + probe.weights[-1, 0]
                bits += -np.log2(1 / (1 + np.exp(-y[i] * s)))
    assert found.bits[0] == pytest.approx(bits)
    assert found.rows[0] == np.sum(y != 0)


def test_what_is_read_from_few_rows_has_a_short_code_and_noise_has_none() -> None:
    found = rb.probes.code_length(*planted())
    assert found.compression[0] > 3 > found.compression[1] > 1.15
    assert 0.9 < found.compression[2] < 1.03
    assert str(found).splitlines()[2].startswith("2: ")


def test_a_concept_that_is_rare_at_first_takes_a_bit_a_label_until_both_classes_are_known() -> None:
    X, _ = planted()
    y = np.zeros(len(X), dtype=bool)
    y[:3] = True
    found = rb.probes.code_length(X, y, parts=(0.001, 0.002, 1.0))
    assert np.isfinite(found.bits[0])
    assert found.bits[0] == pytest.approx(len(X))  # one or two rows are of one class: nothing is learned


def test_groups_follow_each_other_and_names_are_kept() -> None:
    X, Y = planted()
    concepts = {"sign": Y[:, 0], "noisy": Y[:, 1]}
    found = rb.probes.code_length(X, concepts, groups=np.arange(len(X)) // 5)
    assert found.names == ["sign", "noisy"]
    assert found.compression[0] > found.compression[1]


@pytest.mark.parametrize(
    ("X", "Y", "how", "why"),
    [
        (np.zeros((2, 20, 3)), np.arange(20) % 2, {}, "one layer at a time"),
        (np.zeros((20, 3)), np.arange(20) % 2, {"parts": (0.5, 0.2, 1.0)}, "increasing numbers"),
        (np.zeros((20, 3)), np.arange(20) % 2, {"parts": (0.5,)}, "the last of them 1"),
        (np.zeros((20, 3)), np.zeros(20), {}, "two classes"),
    ],
)
def test_other_questions_are_refused(X: np.ndarray, Y: np.ndarray, how: dict, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        rb.probes.code_length(X, Y, **how)


def test_a_direction_has_length_one_and_moves_the_response_by_the_weights_length() -> None:
    X, Y = planted()
    probes = rb.probes.fit(X, Y, random_state=0)
    for j in range(len(probes)):
        step = probes.direction(j)
        w = probes.weights[:-1, j]
        assert np.linalg.norm(step) == pytest.approx(1.0)
        assert step @ w == pytest.approx(np.linalg.norm(w))
    assert abs(probes.direction(0)[0]) > 0.95
