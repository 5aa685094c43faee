"""What the probes say, show and keep."""

import json
import pickle
from functools import partial

import numpy as np
import pandas as pd
import pytest
import typer
from safetensors.numpy import save_file
from typer.testing import CliRunner

import rosenblatt as rb
from rosenblatt.cli.probe import command
from rosenblatt.probes.reading.files import read_activations, read_label_table

app = typer.Typer()
app.command()(command)


@pytest.fixture(scope="module")
def layered():
    random = np.random.default_rng(0)
    X = random.standard_normal((3, 200, 6))
    Y = pd.DataFrame({"planted": X[2, :, 0] > 0, "<chance>": random.random(200) > 0.5})
    return rb.probes.fit(X, Y, method=["perceptron", "logistic"], controls=2, test=0.3, random_state=0)


def test_frame_best_and_words(layered):
    frame = layered.to_frame()
    assert len(frame) == 12
    assert layered.to_arrow().num_rows == 12
    assert list(frame[["layer", "method", "name"]].itertuples(index=False, name=None)) == list(
        zip(layered.layer, layered.method, layered.names, strict=True)
    )
    assert frame["selectivity"].to_numpy() == pytest.approx(layered.selectivity)
    assert layered.best().names == ["planted", "<chance>"]
    assert layered.best().layer[0] == 2
    assert repr(layered).startswith("<Probes: 12 in 3 layers")
    assert "it reads this on new rows" in str(layered)
    assert frame["means"].isin(["yes", "no", "open"]).all()


def test_words_for_every_case():
    random = np.random.default_rng(0)
    X = random.standard_normal((300, 5))
    planted, noise = X[:, 0] > 0, random.random(300) > 0.5
    perceptron = partial(rb.probes.fit, method="perceptron", passes=200)
    assert perceptron(X, planted).says(0).startswith("separated, more than chance: 300 points in 5 dimensions")
    assert perceptron(X, noise).says(0).startswith("nothing to compare with")
    coin = perceptron(X, noise, controls=9, random_state=0).meaning(0)
    assert coin.verdict in ("no", "open")
    loud = np.where(random.random(300) < 0.1, ~planted, planted)
    assert perceptron(X, loud, controls=3).says(0).startswith("too few controls to tell (19 are always enough)")
    learned = perceptron(X, loud, controls=19).says(0)
    assert learned.startswith("it learns more than it would from labels at random")
    assert perceptron(X, noise, test=0.3, random_state=1).meaning(0).verdict == "no"
    rare = np.arange(300) < 2
    X[:2, 0] = 10
    assert "labels shuffled with these class sizes may all be" in perceptron(X, rare, passes=2000).says(0)
    few = perceptron(X[:8], planted[:8], test=np.arange(8) >= 6, passes=500)
    assert few.says(0).endswith("That it is separated is by itself not shown to be more than chance.")
    assert rb.probes.fit(X, X[:, 0], regress=True).says(0).startswith("nothing to compare with: hold rows out")


@pytest.mark.parametrize(("n", "word"), [(34, "not shown to be more than chance"), (80, "more than chance")])
def test_a_table_is_worth_the_same_to_a_probe_and_to_a_verdict(n, word):
    """34 × 11: once "may be chance" for `check` and "means something" for probes."""
    X = np.random.default_rng(0).standard_normal((n, 11))
    y = X[:, 0] > np.median(X[:, 0])
    verdict, probes = rb.separability(X, y), rb.probes.fit(X, y, method="perceptron", passes=5000)
    worth = dict(verdict.facts())["what it is worth"]
    assert verdict.kind == "complete"
    assert f"So this is {word}" in worth
    assert probes.says(0) == f"separated, {word}: {verdict.cover}"
    assert worth.startswith(str(verdict.cover))
    assert f"1 is {word}" in str(probes)
    assert f"1 separated; {int(n == 80)} more than chance" in repr(probes)


def test_estimators_predict_as_the_probe_and_can_be_saved(layered, tmp_path):
    for j in (5, 6):  # a perceptron, and a logistic probe
        model = layered.as_estimator(j)
        X, y = layered.examples(j)
        assert model.score(X, y) == pytest.approx(layered.training_accuracy[j], abs=1e-12)
        assert model.outcome_ == layered.outcome[j]
    rb.save(model, tmp_path / "probe.model")
    np.testing.assert_array_equal(rb.load(tmp_path / "probe.model").coef_, model.coef_)
    with pytest.raises(ValueError, match="only the run of a perceptron on the columns as they are"):
        layered.as_estimator(4, trace=True)
    assert rb.separability(*layered.examples(4)).kind in ("complete", "overlap")


def test_save_and_load(layered, tmp_path):
    rb.save(layered, tmp_path / "probes.model")
    again = rb.load(tmp_path / "probes.model")
    assert str(again.records()) == str(layered.records())
    assert (again.names, again.settings) == (layered.names, layered.settings)
    with pytest.raises(ValueError, match="the data are not at hand"):
        again.examples(0)
    assert again.as_estimator(0).n_passes_ == layered.passes[0]


def test_probes_travel_with_their_data(layered):
    again = pickle.loads(pickle.dumps(layered))
    assert str(again.records()) == str(layered.records())
    np.testing.assert_array_equal(again.examples(0)[0], layered.examples(0)[0])


def test_pictures_of_one_layer_and_many(layered):
    assert layered.plot().ax_[0].get_xlabel() == "layer"
    random = np.random.default_rng(0)
    X = random.standard_normal((2, 50, 3))
    Y = random.random((50, 9)) > 0.5
    assert rb.probes.fit(X, Y, controls=1).plot().ax_[0].get_legend() is not None  # a band
    assert rb.probes.fit(X[0], Y, controls=1).plot().ax_[0].get_xlabel() == "control (shuffled labels)"
    assert rb.probes.fit(X[0], Y).plot().ax_[0].get_ylabel() == "probes"


# ------------------------------------------------------------------------------------------------ files and the command


@pytest.fixture
def folder(tmp_path):
    random = np.random.default_rng(0)
    X = random.standard_normal((120, 4)).astype(np.float32)
    save_file({"layer.10": X, "layer.2": X * 0}, tmp_path / "x.safetensors")
    np.save(tmp_path / "x.npy", X)
    np.savez(tmp_path / "x.npz", X)
    pd.DataFrame(X).rename(columns=str).to_parquet(tmp_path / "x.parquet")
    labels = pd.DataFrame({"big": X[:, 0] > 0, "kind": random.choice(["a", "b", "c"], 120), "doc": np.arange(120) // 4})
    labels.to_csv(tmp_path / "y.csv", index=False)
    labels.to_parquet(tmp_path / "y.parquet")
    return tmp_path


def test_activations_from_every_kind_of_file(folder):
    X = np.load(folder / "x.npy")
    for name in ("x.npy", "x.npz", "x.parquet"):
        np.testing.assert_array_equal(read_activations(folder / name)[0], X)
    stack, names = read_activations(folder / "x.safetensors")
    assert names == ["layer.2", "layer.10"]
    assert read_activations(folder / "x.safetensors", "layer.1*")[1] == ["layer.10"]
    with pytest.raises(ValueError, match="no array is called 'mlp'; they are"):
        read_activations(folder / "x.safetensors", "mlp")
    with pytest.raises(ValueError, match="--tensors names arrays"):
        read_activations(folder / "x.npy", "layer.2")
    assert stack.shape == (2, 120, 4)
    np.testing.assert_array_equal(stack[1], X)  # layer.2 comes before layer.10
    assert list(read_label_table(folder / "y.csv")) == list(read_label_table(folder / "y.parquet"))


def test_bfloat16_is_read_as_float32(tmp_path):
    torch = pytest.importorskip("torch")
    from safetensors.torch import save_file as save_tensors

    X = torch.randn((30, 5), generator=torch.Generator().manual_seed(0))
    file = tmp_path / "x.safetensors"
    save_tensors({"layer.0": X.bfloat16(), "layer.1": (2 * X).bfloat16()}, file)
    stack, names = read_activations(file)
    assert names == ["layer.0", "layer.1"]
    np.testing.assert_array_equal(stack, torch.stack([X, 2 * X]).bfloat16().float().numpy())
    np.testing.assert_array_equal(read_activations(file, "layer.1")[0], stack[1])
    save_tensors({"mine": X.to(torch.float8_e4m3fn)}, file)
    with pytest.raises(ValueError, match=r"NumPy lacks one of its types \(F8_E4M3\); save the tensors as float32"):
        read_activations(file)


def test_bad_files_get_a_sentence(folder):
    (folder / "broken.npy").write_bytes(b"nothing")
    np.save(folder / "objects.npy", np.array([{}, None], dtype=object), allow_pickle=True)
    np.savez(folder / "mixed.npz", a=np.ones((2, 2)), b=np.ones((3, 2)))
    (folder / "x.txt").write_text("1")
    (folder / "x.pt").write_text("1")
    (folder / "one.npz").write_bytes((folder / "x.npy").read_bytes())
    pd.DataFrame({"a": [1.0, None]}).to_parquet(folder / "gap.parquet")
    pd.DataFrame({"a": ["x", "y"]}).to_parquet(folder / "text.parquet")
    (folder / "broken.safetensors").write_bytes(b"nothing")
    for name, words in (
        ("missing.npy", "there is no such file"),
        ("broken.npy", "cannot be read"),
        ("objects.npy", "Python objects"),
        ("mixed.npz", "its arrays differ in shape"),
        ("x.txt", "activations come as"),
        ("x.pt", "not .pt; safetensors.torch.save_file writes tensors"),
        ("one.npz", "it holds one array, as an .npy file does"),
        ("gap.parquet", "has no value in row 2"),
        ("text.parquet", "not numbers"),
        ("broken.safetensors", "cannot be read"),
    ):
        with pytest.raises(ValueError, match=words) as caught:
            read_activations(folder / name)
        assert name in str(caught.value)
    with pytest.raises(ValueError, match="labels come as"):
        read_label_table(folder / "x.txt")


def test_labels_are_what_is_written(tmp_path):
    file = tmp_path / "y.csv"
    file.write_text("code,three,gap,flag\n0x10,3,1,true\n16,4,,false\n0x10,3,2,true\n")
    table = read_label_table(file)
    assert table["code"].tolist() == ["0x10", "16", "0x10"]  # not one class
    assert table["three"].tolist() == [3, 4, 3]
    assert table["gap"].tolist() == [1, None, 2]
    assert table["flag"].tolist() == [True, False, True]
    file.write_text("a,b\n1,2\n3\n")
    with pytest.raises(ValueError, match="line 3: this row has 1 fields and the first line has 2"):
        read_label_table(file)
    file.write_text("doc\n9007199254740993\n9007199254740992\n")
    with pytest.raises(ValueError, match="'doc' has a whole number of more than 15 digits in row 1"):
        read_label_table(file)


def test_what_is_more_than_chance_is_printed_first():
    random = np.random.default_rng(0)
    X = random.standard_normal((2, 400, 8))
    found = X[1, :, 0] + random.standard_normal(400) > 0  # its AUROC is about 0.75
    rare = {f"rare {k}": random.permutation(400) < 8 for k in range(30)}  # one or two rows to choose on: often 1.0
    lines = str(rb.probes.fit(X, rare | {"found": found}, test=0.25, random_state=0)).splitlines()
    assert lines[3].split()[0] == "found"


def test_the_command(folder):
    run = CliRunner().invoke
    files = [str(folder / "x.safetensors"), str(folder / "y.csv"), "--groups", "doc"]
    done = run(app, [*files, "--report", str(folder / "r.html"), "--save", str(folder / "p.model")])
    assert done.exit_code == 0, done.output
    assert "x.safetensors · 2 × 120 × 4 · y.csv" in done.output
    assert "Of 8 probes" in done.output
    assert "Probes of x.safetensors" in (folder / "r.html").read_text()
    assert len(rb.load(folder / "p.model")) == 8
    answer = json.loads(run(app, [*files, "--json", "--controls", "0"]).output)
    assert answer["schema"] == "rosenblatt-probe/2"
    assert [one["layer_name"] for one in answer["probes"][::4]] == ["layer.2", "layer.10"]
    assert answer["confusions"][0]["classes"] == ["a", "b", "c"]
    assert [one["name"] for one in answer["probes"][:4]] == ["big", "kind=a", "kind=b", "kind=c"]
    assert answer["probes"][0]["selectivity"] is None
    wrong = run(app, [*files[:2], "--groups", "author"])
    assert "there is no column 'author'" in str(wrong.exception)
    some = ["--tensors", "layer.10", "--labels", "big", "--type", "kind", "--method", "perceptron,mean-difference"]
    answer = json.loads(run(app, [*files, *some, "--json"]).output)
    assert [(one["name"], one["method"]) for one in answer["probes"]] == [
        ("big", "perceptron"),
        ("big", "mean-difference"),
    ]
    assert answer["settings"]["control"] == "type"
    asked = run(app, [*files[:2]])
    assert "'doc' has" not in str(asked.exception)  # 30 whole numbers may be classes
    pd.DataFrame({"size": np.linspace(0, 1, 120)}).to_csv(folder / "n.csv", index=False)
    asked = run(app, [files[0], str(folder / "n.csv")])
    assert "'size' has 120 different numbers: regress=['size'] (--regress size)" in str(asked.exception)
    both = ["--labels", "big", "--regress", "doc", "--json"]  # what is to be predicted need not be named twice
    assert [one["name"] for one in json.loads(run(app, [*files[:2], *both]).output)["probes"]][:2] == ["big", "doc"]
    for answer_to_it in (["--regress", "size"], ["--bins", "3"]):
        assert run(app, [files[0], str(folder / "n.csv"), *answer_to_it]).exit_code == 0
