"""Labels in, splits, controls, outcomes and what they are worth."""

from math import comb, log10

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt.exact import row_signs
from rosenblatt.probes import layer_fits
from rosenblatt.probes.evidence.measuring import score
from rosenblatt.probes.reading.labels import read_labels
from rosenblatt.probes.reading.sides import shuffled_signs, split

PERCEPTRON = {"method": "perceptron", "scale": False, "order": "cyclic", "average": False}  # the lecture's, as it is
SMALL = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


# ----------------------------------------------------------------------------------------------------------- labels


def test_labels_of_every_kind():
    signs = np.array([[1, -1], [0, 1], [-1, 0]])
    for Y in (signs, signs.astype(np.int8), signs.astype(float), signs.tolist()):
        assert read_labels(Y, 3).signs.tolist() == signs.tolist()
    assert read_labels(np.array([[True, False], [False, True]]), 2).signs.tolist() == [[1, -1], [-1, 1]]
    two = read_labels(["b", "a", "b"], 3)
    assert (two.signs.tolist(), two.names) == ([[1], [-1], [1]], ["y"])
    three = read_labels([3, 1, 2], 3)
    assert (three.signs.tolist(), three.names) == ([[-1, -1, 1], [1, -1, -1], [-1, 1, -1]], ["y=1", "y=2", "y=3"])
    assert read_labels([-1, 0, 1], 3).signs.tolist() == [[-1], [0], [1]]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_tables(make):
    table = make({"big": [True, False, None], "kind": ["x", "y", "z"], "sign": [1, -1, 0], "bit": [0, 1, 1]})
    labels = read_labels(table, 3)
    assert labels.names == ["big", "kind=x", "kind=y", "kind=z", "sign", "bit"]
    assert labels.signs[:, [0, 1, 4, 5]].T.tolist() == [[1, -1, 0], [1, -1, -1], [1, -1, 0], [-1, 1, 1]]


def test_nullable_booleans_and_missing_numbers():
    assert read_labels(pd.DataFrame({"a": pd.array([True, None, False], dtype="boolean")}), 3).signs.tolist() == [
        [1],
        [0],
        [-1],
    ]
    assert read_labels(pd.DataFrame({"a": [1.0, np.nan, 2.0]}), 3).signs.tolist() == [[-1], [0], [1]]


@pytest.mark.parametrize(
    ("Y", "words"),
    [
        (np.ones((3, 2), dtype=int), "column 0 of Y has only +1"),
        (np.array([[0, 1], [1, 0], [0, 1], [1, 1]]), "Y has no −1, and 0 means no label"),
        (np.array([[1], [-1], [2], [1]]), "Y has 2 in row 2, column 0"),
        (np.zeros((4, 0)), "Y has no columns"),
        (np.ones((2, 2, 2)), "Y must have one or two dimensions"),
        (np.array([["a"], ["b"], ["a"], ["a"]]), "Y must hold −1, +1 and 0"),
        ([1, 2], "Y has 2 rows and X has 4"),
        (["a"] * 4, "'y' has one class only, 'a':"),
        (pd.DataFrame({"q": [None] * 4}), "'q' has no labels"),
        (pl.LazyFrame({"q": [1]}), "LazyFrame"),
    ],
)
def test_bad_labels_get_a_sentence(Y, words):
    with pytest.raises((ValueError, TypeError)) as caught:
        rb.probes.fit(SMALL if np.shape(Y)[:1] != (3,) else SMALL[:3], Y)
    assert words in str(caught.value)


def test_a_series_names_its_probe():
    for series in (pd.Series([0, 1, 1], name="odd"), pl.Series("odd", [0, 1, 1])):
        assert read_labels(series, 3).names == ["odd"]
    assert read_labels(pd.Series([0.5, 1.5, 2.5], name="length"), 3, regress=["length"]).number_names == ["length"]


def test_text_that_names_rows_is_refused_and_many_classes_are_not():
    texts = [f"sentence {i}" for i in range(60)]
    with pytest.raises(
        ValueError, match="'text' has 60 different values in 60 rows, and most occur once: they name rows"
    ):
        read_labels({"text": texts}, 60)
    assert len(read_labels({"word": [f"word {i % 30}" for i in range(60)]}, 60).names) == 30


# -------------------------------------------------------------------------------------------------- labels of test rows


def test_labels_of_test_rows_are_read_by_name():
    random = np.random.default_rng(0)
    X = random.standard_normal((60, 4))
    Y = pd.DataFrame({"a": X[:, 0] > 0, "b": X[:, 1] > 0, "size": X[:, 2]})
    options = {"regress": ["size"], "random_state": 0}
    one = rb.probes.fit(X, Y, test=(X, Y), **options)
    other = rb.probes.fit(X, Y, test=(X, Y[["size", "b", "a"]]), **options)  # before: judged by other columns' labels
    np.testing.assert_array_equal(one.measures, other.measures)
    assert one.accuracy[:2].min() > 0.9
    with pytest.raises(ValueError, match="the labels of test have no column 'b'; they have a, size"):
        rb.probes.fit(X, Y, test=(X, Y[["a", "size"]]), **options)


def test_classes_of_test_rows_are_those_that_were_learned():
    X = np.repeat(np.eye(3), 10, axis=0)
    y = np.repeat(["cat", "dog", "owl"], 10)
    probes = rb.probes.fit(X, y, test=(X[10:], y[10:]), random_state=0)  # no cat among the rows that judge
    assert probes.names == ["y=cat", "y=dog", "y=owl"]
    assert probes.held_positive.tolist() == [0, 10, 10]
    assert probes.accuracy.tolist() == [1, 1, 1]
    assert "one class only among the new rows" in probes.says(0)
    with pytest.raises(ValueError, match="have the class 'ant' of 'y', which was not learned"):
        rb.probes.fit(X, y, test=(X, np.where(y == "cat", "ant", y)))
    signs = np.where(y == "cat", 1, -1)
    with pytest.raises(ValueError, match="'y' of test must hold −1, \\+1 and 0"):
        rb.probes.fit(X, signs, test=(X, y))
    with pytest.raises(ValueError, match="the test's Y has 30 rows and the test's X has 29"):
        rb.probes.fit(X, y, test=(X[1:], y))


def test_bins_of_test_rows_are_those_that_were_learned():
    X, size = np.linspace(0, 1, 80)[:, None], np.linspace(0, 1, 80)
    probes = rb.probes.fit(X, {"size": size}, bins=2, test=(X[50:], {"size": size[50:]}), random_state=0)
    assert probes.held_positive.tolist() == [30]  # all of them are in the upper half of what was learned


# ------------------------------------------------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"X": SMALL[0]}, "X must be rows × columns"),
        ({"X": np.zeros((0, 2)), "Y": []}, "X is empty"),
        ({"X": np.array([[1.0, np.nan]] * 4)}, "X has nan in row 0, column 1"),
        ({"X": np.stack([SMALL, np.full((4, 2), np.inf)])}, "X has inf in layer 1, row 0, column 0"),
        ({"method": "svm"}, "method='svm' must be one of 'perceptron', 'logistic'"),
        ({"method": []}, "method names no method"),
        ({"l2": 0.0}, "l2=0.0 must be a number above 0"),
        ({"control": "word"}, "control='word' must be 'labels' or 'type'"),
        ({"control": "type"}, "control='type' and types go together"),
        ({"names": ["a", "b"]}, "names has 2 names for 1 layers"),
        ({"regress": ["z"], "Y": {"y": [0, 0, 0, 1]}}, "regress names 'z', which is no column"),
        ({"Y": ["a", "b", "a", "b"], "regress": True}, "'y' holds text"),
        ({"bins": 1, "Y": np.linspace(0, 1, 20), "X": np.eye(20)}, "bins=1 must be 2 or more"),
        ({"Y": np.linspace(0, 1, 20), "X": np.eye(20)}, "'y' has 20 different numbers: regress=['y'] (--regress y)"),
        ({"passes": 0}, "passes=0 must be a whole number from 1 on"),
        ({"controls": -1}, "controls=-1"),
        ({"order": "random"}, "order='random' must be"),
        ({"device": "tpu"}, "device='tpu' must be"),
        ({"test": 1.5}, "test=1.5 must lie between 0 and 1"),
        ({"test": [True, False]}, "test must be a part"),
        ({"test": [True] * 4}, "holds out all of the 4 rows"),
        ({"test": [True, False, False, False], "groups": [0, 0, 1, 1]}, "tears 1 groups apart"),
        ({"test": (SMALL[:, :1], [0, 0, 0, 1])}, "test has 1 layers, 1 columns"),
        ({"test": (SMALL,)}, "test must be a pair"),
        ({"groups": [0, 1]}, "groups must name the group of each of 4 rows"),
        ({"groups": ["a", None, "b", "b"]}, "groups names no group for row 1"),
        ({"groups": [0, np.nan, 1, 1]}, "groups names no group for row 1"),
        ({"X": [SMALL, SMALL[:, :1]]}, "the layers of X differ in shape: (4, 1) and (4, 2)"),
        ({"X": scipy.sparse.csr_array(SMALL)}, "X is a sparse matrix, and probes take dense rows"),
        ({"X": pd.DataFrame({"a": pd.array([1, None, 2, 3], dtype="Int64")})}, "X has nan in row 1, column 0"),
        ({"l2": "strong"}, "l2='strong' must be a number above 0"),
        ({"bins": 2.5, "Y": np.linspace(0, 1, 20), "X": np.eye(20)}, "bins=2.5 must be 2 or more"),
        ({"X": SMALL.astype(str)}, "a"),
        ({"X": np.full((4, 1), 2**60)}, "float64 cannot hold exactly"),
        ({"X": SMALL * 1e300}, "X has values up to 1e+300 in rows from 0 on, too large to be multiplied in float64"),
    ],
)
def test_bad_input_gets_a_sentence(change, words):
    given = {"X": SMALL, "Y": [0, 0, 0, 1]} | change
    with np.errstate(all="ignore"), pytest.raises((ValueError, TypeError)) as caught:
        rb.probes.fit(given.pop("X"), given.pop("Y"), **given)
    assert words in str(caught.value)


def test_a_gpu_that_is_not_there_is_named():
    from rosenblatt.probes.devices import gpu

    if gpu.available():
        pytest.skip("there is one")
    with pytest.raises(ValueError, match="device='cuda' needs a GPU"):
        rb.probes.fit(SMALL, [0, 0, 0, 1], device="cuda")


# -------------------------------------------------------------------------------------------------------------- splits


@given(st.integers(2, 60), st.integers(1, 12), st.floats(0.01, 0.99), st.integers(0, 99))
def test_groups_stay_on_one_side(n, number, part, seed):
    groups = np.random.default_rng(seed).integers(0, number, n)
    groups = np.unique(groups, return_inverse=True)[1]
    if groups.max() == 0:
        with pytest.raises(ValueError, match="two groups"):
            split(part, n, groups, np.random.RandomState(seed))
        return
    held = split(part, n, groups, np.random.RandomState(seed))
    assert held.any()
    assert not held.all()
    assert not set(groups[held]) & set(groups[~held])


def test_a_part_of_the_rows_is_that_part():
    held = split(0.25, 1000, None, np.random.RandomState(0))
    assert abs(np.count_nonzero(held) - 250) <= 1


@given(st.integers(0, 10**6))
def test_controls_keep_class_sizes_and_gaps(seed):
    random = np.random.default_rng(seed)
    y = random.choice(np.array([-1, 0, 1], dtype=np.int8), 40)
    control = shuffled_signs(y, None, random)
    assert np.array_equal(control == 0, y == 0)
    assert control.sum() == y.sum()


def test_controls_exchange_labels_between_groups():
    groups = np.repeat(np.arange(10), 3)
    y = np.repeat(np.array([1, -1] * 5, dtype=np.int8), 3)
    control = shuffled_signs(y, groups, np.random.default_rng(0))
    assert not np.array_equal(control, y)
    assert all(np.ptp(control[groups == g]) == 0 for g in range(10))
    mixed = np.where(np.arange(30) % 2, 1, -1).astype(np.int8)  # no group has one label: rows exchange theirs
    assert any(np.ptp(shuffled_signs(mixed, groups, np.random.default_rng(0))[groups == g]) for g in range(10))


def test_validation_is_never_learned_from():
    random = np.random.default_rng(0)
    X, y = random.standard_normal((80, 5)), random.random(80) > 0.5
    mask = np.arange(80) < 20
    by_mask = rb.probes.fit(X, y, test=mask, random_state=0, **PERCEPTRON)
    by_pair = rb.probes.fit(X[20:], y[20:], test=(X[:20], y[:20]), random_state=0, **PERCEPTRON)
    np.testing.assert_array_equal(by_mask.weights, by_pair.weights)
    np.testing.assert_array_equal(by_mask.measures, by_pair.measures)
    assert by_mask.held_labelled.tolist() == [20]
    predicted = by_mask.as_estimator(0).predict(X[:20])
    assert by_mask.accuracy[0] == pytest.approx(np.mean(predicted == np.where(y[:20], 1, -1)))


# ------------------------------------------------------------------------------------------------- what it must show


def test_a_planted_concept_is_found_and_chance_is_not():
    random = np.random.default_rng(0)
    X = random.standard_normal((4000, 32)).astype(np.float32)
    Y = np.column_stack([X @ random.standard_normal((32, 5)) > 0, random.random((4000, 5)) > 0.5])
    probes = rb.probes.fit(X, Y, controls=3, test=0.25, random_state=0)
    assert (probes.selectivity[:5] > 0.3).all()
    assert (np.abs(probes.selectivity[5:]) < 0.05).all()
    assert [probes.meaning(j).verdict for j in range(10)] == ["yes"] * 5 + ["no"] * 5


def test_random_labels_on_few_rows_are_separated_and_not_more_than_chance():
    random = np.random.default_rng(0)
    X = random.standard_normal((60, 40))  # 60 < 2·41
    probes = rb.probes.fit(X, random.random((60, 8)) > 0.5, passes=500, **PERCEPTRON)
    assert probes.separated.all()
    assert all(probes.meaning(j).verdict == "no" for j in range(8))
    assert probes.says(0).startswith("separated, not shown to be more than chance: 60 points in 40 dimensions")


def test_worth_is_covers_count():
    random = np.random.default_rng(0)
    X = random.standard_normal((30, 3))
    Y = np.where(random.random((30, 2)) > 0.5, 1, -1)
    Y[20:, 1] = 0
    probes = rb.probes.fit(X, Y, **PERCEPTRON)
    for j, P in enumerate((30, 20)):
        expected = log10(2 * sum(comb(P - 1, k) for k in range(4)) / 2**P)
        assert probes.log10_fair[j] == pytest.approx(expected)
        verdict = rb.separability(*probes.examples(j))
        assert verdict.cover.log10_sizes == pytest.approx(probes.log10_sizes[j])


def test_worth_counts_equal_rows_once():
    X = np.repeat(np.random.default_rng(0).standard_normal((12, 2)), 3, axis=0)
    y = np.repeat([1, -1], 18)
    probes = rb.probes.fit(X, y, **PERCEPTRON)
    cover = rb.separability(X, y).cover
    assert probes.log10_fair[0] == pytest.approx(cover.log10_fair)
    said, known = str(probes.worth(0)).split(";"), str(cover).split(";")
    assert said[0] == known[0]
    assert probes.worth(0).log10_points >= cover.log10_points  # a probe does not tell how many of the 12 are positive
    assert probes.different.tolist() == [12]


# ------------------------------------------------------------------------------------------------------------- outcomes


def test_outcomes_and_accuracy():
    probes = rb.probes.fit(SMALL, np.array([[-1, -1], [-1, 1], [-1, 1], [1, -1]]), **PERCEPTRON)  # AND, XOR
    assert [str(one) for one in probes.outcome] == ["SEPARATED", "BUDGET"]
    assert probes.outcome[0].sentence == "all 4 examples are on their side after 18 corrections."
    assert "still not on their side after 50 passes" in probes.outcome[1].sentence
    assert probes.training_accuracy[0] == 1
    assert probes.margin[0] > 0
    assert probes.wrong[1] > 0
    assert np.isnan(probes.selectivity).all()
    assert np.isnan(probes.measures).all()


def test_separated_is_certified_where_rounding_hides_a_sign():
    """w·x is +2^-53 in float64 and 0 exactly: as computed no mistake, in truth a tie."""
    weights = np.array([[1.0], [1.0], [-1.0]])
    X = np.array([[2.0**-54, 1.0 + 2.0**-52]])
    exact = score(np.array([[1.0, 0.0]]), np.array([[1]], dtype=np.int8), weights, certify=True)
    assert (exact.wrong.tolist(), exact.hidden.tolist()) == ([1], [0])  # a tie is wrong
    found = score(X, np.array([[1]], dtype=np.int8), weights, certify=True)
    assert (found.wrong.tolist(), found.hidden.tolist()) == ([0], [0])  # 2^-54 + 2^-52 > 0, and certified
    X = np.array([[1e16, 1.0, -1e16]])
    w = np.array([[1.0], [1.0], [1.0], [-1.0]])
    hidden = score(X, np.array([[1]], dtype=np.int8), w, certify=True)
    assert hidden.wrong[0] + hidden.hidden[0] == 1  # 1e16 + 1 − 1e16 − 1 = 0 exactly, whatever float64 says


@pytest.mark.parametrize("scale", [5e-324, 1e-300, 1e-30, 1e30, 1e140])
def test_separated_is_true_at_every_scale(scale):
    X, Y = (SMALL * 2 - 1) * scale, np.array([[1, 1], [1, -1], [-1, -1], [-1, 1]])
    probes = rb.probes.fit(X, Y, passes=5, **PERCEPTRON)
    for j in range(2):
        on_their_side = (row_signs(X, probes.weights[:, j]) * Y[:, j] > 0).all()
        assert probes.separated[j] == on_their_side
    assert not probes.separated[1]


def test_hard_shapes():
    assert rb.probes.fit([[1.0], [-1.0]], [True, False], **PERCEPTRON).separated.tolist() == [True]  # two rows
    assert rb.probes.fit(np.zeros((4, 3)), [0, 1, 0, 1], **PERCEPTRON).separated.tolist() == [False]  # constant columns
    assert rb.probes.fit([[-0.0], [0.0]], [0, 1], passes=3, **PERCEPTRON).wrong[0] > 0  # −0.0 is 0.0
    wide = rb.probes.fit(np.eye(5, 70), [0, 1, 0, 1, 1], passes=20, **PERCEPTRON)  # n < p
    assert wide.separated.tolist() == [True]
    one_class = rb.probes.fit([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1], test=np.array([False, False, True, True]))
    assert one_class.says(0).startswith("one class only")
    unlabelled = rb.probes.fit(  # all labelled rows are held out
        [[1.0], [2.0], [3.0], [4.0]], np.array([[0], [0], [1], [-1]]), test=np.arange(4) > 1
    )
    assert np.isnan(unlabelled.training_accuracy[0])
    assert unlabelled.meaning(0).verdict == "no"


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int32, bool])
def test_types_of_activations(dtype, tmp_path):
    probes = rb.probes.fit(SMALL.astype(dtype), [0, 0, 0, 1], **PERCEPTRON)
    assert probes.updates.tolist() == [18]
    np.save(tmp_path / "x.npy", SMALL.astype(dtype))
    mapped = rb.probes.fit(np.load(tmp_path / "x.npy", mmap_mode="r"), [0, 0, 0, 1], **PERCEPTRON)
    np.testing.assert_array_equal(mapped.weights, probes.weights)


def test_torch_tensors():
    torch = pytest.importorskip("torch")
    X, y = torch.tensor(SMALL), torch.tensor([0, 0, 0, 1])
    for kind in (torch.float64, torch.float32, torch.bfloat16):
        assert rb.probes.fit(X.to(kind), y, device="cpu", **PERCEPTRON).updates.tolist() == [18]


def test_layers_come_as_a_list_of_tensors_or_a_dict():
    torch = pytest.importorskip("torch")
    X = np.stack([SMALL, 2 * SMALL]).astype(np.float32)
    by_stack = rb.probes.fit(X, [0, 0, 0, 1], device="cpu", **PERCEPTRON)
    for layers in ([torch.tensor(layer).bfloat16() for layer in X], tuple(X)):
        by_list = rb.probes.fit(layers, [0, 0, 0, 1], device="cpu", **PERCEPTRON)
        np.testing.assert_array_equal(by_list.weights, by_stack.weights)
    by_name = rb.probes.fit({"embedding": X[0], "mlp": X[1]}, [0, 0, 0, 1], device="cpu", **PERCEPTRON)
    assert by_name.titles == ["embedding", "mlp"]
    np.testing.assert_array_equal(by_name.weights, by_stack.weights)


def test_groups_of_any_kind_and_a_test_pair_in_a_list():
    X, y = np.tile(SMALL, (5, 1)), np.tile([0, 0, 0, 1], 5)
    mixed = rb.probes.fit(X, y, groups=pd.Series([1, "a", 2, "b"] * 5), test=0.5, random_state=0)
    assert mixed.held_labelled.tolist() == [10]
    pair, in_list = (rb.probes.fit(X, y, test=kind((SMALL, [0, 0, 0, 1])), random_state=0) for kind in (tuple, list))
    np.testing.assert_array_equal(pair.measures, in_list.measures)


def test_one_group_held_out_is_no_auroc_of_zero():
    random = np.random.default_rng(0)
    X, groups = random.standard_normal((60, 3)), np.repeat([0, 1], 30)
    probes = rb.probes.fit(X, X[:, 0] > 0, groups=groups, test=0.5, random_state=0)
    assert np.isnan(probes.auc[0])
    assert (probes.meaning(0).verdict, probes.says(0)[:39]) == ("open", "one group only among the new rows, and ")
    assert " nan" not in str(probes)


def test_layers_controls_and_portions(monkeypatch):
    random = np.random.default_rng(0)
    X = random.standard_normal((3, 90, 4))
    Y = pd.DataFrame({"a": X[1, :, 0] > 0, "b": random.random(90) > 0.5})
    options = {"controls": 2, "test": 0.3, "random_state": 1, "method": ["perceptron", "logistic"]}
    probes = rb.probes.fit(X, Y, **options)
    assert probes.names == ["a", "b"] * 6
    assert probes.method == (["perceptron"] * 2 + ["logistic"] * 2) * 3
    assert probes.layer.tolist() == [0] * 4 + [1] * 4 + [2] * 4
    assert probes.weights.shape == (5, 12)
    best = probes.best()
    assert (best.names[0], best.layer[0]) == ("a", 1)
    for layer in range(3):
        alone = rb.probes.fit(X[layer], Y, **options)
        np.testing.assert_array_equal(alone.weights, probes.select(probes.layer == layer).weights)
        np.testing.assert_array_equal(alone.control, probes.select(probes.layer == layer).control)
        np.testing.assert_array_equal(alone.p, probes.select(probes.layer == layer).p)
    monkeypatch.setitem(layer_fits._BUDGET, "cpu", 1)  # one probe at a time
    apart = rb.probes.fit(X, Y, **options)
    np.testing.assert_allclose(apart.weights, probes.weights, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(apart.selectivity, probes.selectivity, atol=0.05)


def test_the_same_seed_gives_the_same_probes_and_progress_is_told():
    random = np.random.default_rng(0)
    X, Y = random.standard_normal((60, 3)), random.random((60, 2)) > 0.5
    told = []
    one = rb.probes.fit(
        X, Y, test=0.2, controls=1, random_state=4, method="perceptron", progress=lambda *news: told.append(news)
    )
    two = rb.probes.fit(X, Y, test=0.2, controls=1, random_state=4, method="perceptron")
    np.testing.assert_array_equal(one.weights, two.weights)
    np.testing.assert_array_equal(one.control_test, two.control_test)
    assert told[0] == ("perceptron, probes 1–2, 4 still learning", 1, 50)  # two probes, and a control for each


def test_rows_learned_and_judged_are_found_and_named():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(80, 6)), np.arange(80) % 2 == 0
    clean = rb.probes.fit(X, y, test=0.25, random_state=0)
    assert clean.settings["copies"] == ""
    assert "split" not in str(clean)
    twice = np.vstack([X, X])
    found = rb.probes.fit(twice, np.tile(y, 2), test=0.25, random_state=0)
    assert "Rows on both sides of a split: " in str(found).splitlines()[1]
    whole = rb.probes.fit(twice, np.tile(y, 2), test=0.25, groups=np.tile(np.arange(80), 2), random_state=0)
    assert whole.settings["copies"] == ""
    own = rb.probes.fit(X, y, test=(X[:20] + 1e-6, y[:20]), random_state=0)
    assert "40 nearly equal (rows 0 and 80, say)" in str(own) or "nearly equal" in str(own)
    assert "counted on from those of X" in str(own)
