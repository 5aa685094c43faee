"""`fit` as a tool for models: cross-validation, auto, features, a ridge; `predict --proba`."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import rosenblatt as rb
from rosenblatt.cli.fit_plan import LearnerName, usual_learner
from rosenblatt.comparison.choosing import NEWTON_COLUMNS
from rosenblatt.data.tables.named_columns import read_columns
from tests.cli.conftest import Cli


@pytest.fixture
def iris(folder: Path) -> tuple[Any, Any]:
    """iris.csv; its rows and labels."""
    bunch = load_iris()
    y = bunch.target_names[bunch.target]
    lines = [",".join([*map(str, x), name]) for x, name in zip(bunch.data.tolist(), y, strict=True)]
    Path("iris.csv").write_text("a,b,c,d,species\n" + "\n".join(lines) + "\n")
    return bunch.data, y


IRIS = ("fit", "iris.csv", "--target", "species", "-o", "m", "--force")


def test_the_default_is_right_on_iris(cli: Cli, iris: Any) -> None:
    X, y = iris
    answer = json.loads(cli(*IRIS, "--cv", "5", "--json").out)
    assert answer["learner"] == "logistic"
    assert answer["measures"]["cross_validation"]["accuracy"]["value"] > 0.95
    assert answer["measures"]["validation"] is None
    assert answer["candidates"] is None
    assert (rb.load("m").predict(X) == y).mean() > 0.97


def test_folds_by_hand(cli: Cli, iris: Any) -> None:
    """The table has the numbers of pipelines that are fitted fold by fold."""
    X, y = iris
    options = ["--learner", "logistic", "--regularizer", "0.5", "--scale", "--cv", "4", "--seed", "3", "--json"]
    answer = json.loads(cli(*IRIS, *options).out)
    found = answer["measures"]["cross_validation"]
    codes, right, aucs, pairs, p = (
        np.unique(y, return_inverse=True)[1],
        [],
        np.zeros(3),
        np.zeros(3),
        np.empty((150, 3)),
    )
    for seen, unseen in StratifiedKFold(4, shuffle=True, random_state=3).split(X, codes):
        model = make_pipeline(StandardScaler(), rb.Logistic(regularizer=0.5)).fit(X[seen], codes[seen])
        p[unseen] = model.predict_proba(X[unseen])
        right += (model.predict(X[unseen]) == codes[unseen]).tolist()
        for c in range(3):
            own = codes[unseen] == c
            weight = own.sum() * (~own).sum()
            aucs[c] += weight * roc_auc_score(own, p[unseen, c])
            pairs[c] += weight
    assert (found["folds"], found["rows"], found["wrong"]) == (4, 150, 150 - sum(right))
    assert found["accuracy"]["value"] == pytest.approx(np.mean(right))
    assert found["auc"]["value"] == pytest.approx(np.mean(aucs / pairs))
    assert found["log_loss"]["value"] == pytest.approx(log_loss(codes, p), rel=1e-6)
    assert found["accuracy"]["low"] < found["accuracy"]["value"] < found["accuracy"]["high"]
    assert (answer["scaled"], answer["regularizer"]) == (True, 0.5)
    whole = make_pipeline(StandardScaler(), rb.Logistic(regularizer=0.5)).fit(X, y)
    assert rb.load("m").decision_function(X).tobytes() == whole.decision_function(X).tobytes()


def test_validation_has_measures_too(cli: Cli, sonar: Path) -> None:
    X, y = rb.datasets.sonar()
    options = [
        "--target",
        "material",
        "-o",
        "m",
        "--learner",
        "logistic",
        "--validation",
        "0.3",
        "--seed",
        "2",
        "--json",
    ]
    answer = json.loads(cli("fit", sonar, *options).out)
    held_out = np.random.default_rng(2).random(208) < 0.3
    model, found = rb.load("m"), answer["measures"]["validation"]
    positive = y[held_out] == "R"
    assert found["auc"]["value"] == pytest.approx(roc_auc_score(positive, model.decision_function(X[held_out])))
    p = np.maximum(model.predict_proba(X[held_out]), np.finfo(float).eps)
    assert found["log_loss"]["value"] == pytest.approx(-np.log(p[np.arange(len(p)), positive * 1]).mean())
    recalls = [(model.predict(X[held_out])[positive == side] == name).mean() for side, name in ((0, "M"), (1, "R"))]
    assert found["balanced_accuracy"]["value"] == pytest.approx(np.mean(recalls))
    shown = cli("fit", sonar, *options[:-1], "--force").out
    assert f"AUC                {found['auc']['value']:.3f} ({found['auc']['low']:.3f} to" in shown
    other = cli("fit", sonar, "--target", "material", "--positive", "M", "-o", "n", *options[4:])
    assert json.loads(other.out)["measures"]["validation"]["accuracy"] == found["accuracy"]


def test_auto(cli: Cli, iris: Any) -> None:
    X, y = iris
    done = cli(*IRIS, "--learner", "auto", "--validation", "0.2", "--seed", "1", "--json")
    assert (done.code, done.err) == (0, "")
    answer = json.loads(done.out)
    seen = np.random.default_rng(1).random(150) >= 0.2
    codes = np.unique(y, return_inverse=True)[1]
    choice = rb.choose(X[seen], codes[seen], random_state=1)  # of the rows that are not held out, and of no others
    chosen = [one["learner"] for one in answer["candidates"] if one["chosen"]]
    assert chosen == [choice.name]
    for one in answer["candidates"]:
        assert one["accuracy"]["value"] == choice.results[one["learner"]].measures["accuracy"].value
    text = cli(*IRIS, "--learner", "auto").out
    for words in ("Chosen by cross-validation:", "least-squares ", "averaged ", "they flatter it a little"):
        assert words in text
    assert len({line.find("0.") for line in text.splitlines() if line.startswith(("  averaged", "  pocket"))}) == 1


def test_features_bend_the_border(cli: Cli, folder: Path) -> None:
    rng = np.random.default_rng(0)
    angle, side = rng.uniform(0, 6.28, 160), np.arange(160) % 2
    r = 1 + 2 * side + rng.normal(0, 0.2, 160)
    lines = [f"{1000 * a:.6f},{b:.6f},{c},{s}" for a, b, c, s in zip(
        r * np.cos(angle), r * np.sin(angle), rng.choice(["red", "blue"], 160), side, strict=True
    )]  # fmt: skip
    Path("ring.csv").write_text("x,z,colour,y\n" + "\n".join(lines) + "\n")
    fit = ("fit", "ring.csv", "--target", "y", "-o", "m", "--force", "--cv", "4", "--json")
    flat, bent = (json.loads(cli(*fit, *more).out) for more in ([], ["--rff", "80"]))
    accuracies = [one["measures"]["cross_validation"]["accuracy"]["value"] for one in (flat, bent)]
    assert accuracies[0] < 0.7
    assert accuracies[1] > 0.95
    assert (bent["learner"], bent["regularizer"], bent["random_features"]) == ("logistic", 1.0, 80)
    squares = json.loads(cli(*fit, "--degree", "2").out)
    assert squares["measures"]["cross_validation"]["accuracy"]["value"] > 0.9
    cli(*fit, "--rff", "80")
    model = rb.load("m")
    assert isinstance(model, Pipeline)
    table = rb.data.open_table("ring.csv", target="y")
    said = [float(line.split(",")[1]) for line in cli("predict", "m", "ring.csv").out.splitlines()[1:]]
    assert said == model.decision_function(table.arrays()[0]).tolist(), "a raw table needs nothing else"
    assert "random Fourier features of the scaled columns" in cli(*fit[:-1], "--rff", "80").out


def test_features_are_learned_from_the_rows_that_are_learned_from(cli: Cli, sonar: Path) -> None:
    options = [
        "--target",
        "material",
        "--rff",
        "30",
        "--validation",
        "0.25",
        "--seed",
        "5",
        "--learner",
        "passive-aggressive",
        "-o",
    ]
    cli("fit", sonar, *options, "m")
    held_out = np.random.default_rng(5).random(208) < 0.25
    lines = sonar.read_text().splitlines()
    for i in np.flatnonzero(held_out):
        lines[i + 1] = ",".join(["9"] * 60 + [lines[i + 1].rpartition(",")[2]])
    Path("nonsense.csv").write_text("\n".join(lines) + "\n")
    cli("fit", "nonsense.csv", *options, "n")
    assert Path("m").read_bytes() == Path("n").read_bytes()


def test_probabilities(cli: Cli, iris: Any) -> None:
    X, _ = iris
    cli(*IRIS)
    done = cli("predict", "m", "iris.csv", "--proba")
    header, *rows = csv.reader(done.out.splitlines())
    names = ["setosa", "versicolor", "virginica"]
    assert header == ["row", *(f"score={n}" for n in names), *(f"probability={n}" for n in names), "label"]
    assert [[float(v) for v in row[4:7]] for row in rows] == rb.load("m").predict_proba(X).tolist()
    cli("predict", "m", "iris.csv", "--proba", "-o", "p.parquet")
    assert read_columns("p.parquet")["probability=setosa"].tolist() == rb.load("m").predict_proba(X)[:, 0].tolist()
    cli(*IRIS, "--learner", "averaged", "--passes", "3")
    refused = cli("predict", "m", "iris.csv", "--proba", "-o", "q.csv")
    assert refused.code == 2
    assert refused.err == (
        "rosenblatt: m is a model of Perceptron, whose scores are no probabilities: leave out --proba, or fit it with "
        "--learner logistic.\n"
    )
    assert not Path("q.csv").exists()


def test_scaled_columns_of_three_classes(cli: Cli, iris: Any) -> None:
    X, y = iris
    cli(*IRIS, "--learner", "averaged", "--scale", "--multiclass", "kesler", "--passes", "50")
    ours = rb.load("m")
    theirs = make_pipeline(StandardScaler(), rb.Perceptron(average=True, multiclass="kesler", max_passes=50))
    with pytest.warns(ConvergenceWarning):
        theirs.fit(X, y)
    assert ours.decision_function(X).tobytes() == theirs.decision_function(X).tobytes()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--cv", "60"], "class setosa has 50 rows, and each of 60 folds needs one of every class: take fewer folds."),
        (["--cv", "5", "--store", "rows"], "--cv needs the rows in memory, and they are in a store."),
        (["--rff", "5", "--store", "rows"], "--rff needs the rows in memory, and they are in a store."),
        (["--learner", "auto", "--store", "rows"], "--learner auto needs the rows in memory"),
        (["--learner", "auto", "--scale"], "--learner auto scales columns for the learners that need it"),
        (["--learner", "auto", "--eta", "1"], "--learner auto knows no --eta: leave that out, or name a learner."),
        (["--learner", "auto", "--recipe", "unit"], "--learner auto knows no --recipe"),
        (["--learner", "auto", "--regularizer", "1"], "--learner auto knows no --regularizer"),
        (["--learner", "auto", "--cluster", "local"], "--learner auto is for one machine"),
        (["--rff", "9", "--scale"], "--rff scales the columns before it makes features of them: leave out --scale."),
        (["--rff", "9", "--trace", "t"], "--trace records corrections of the rows as they are"),
        (["--rff", "9", "--cluster", "local"], "--rff is for one machine: leave out that, or --cluster."),
        (["--cv", "3", "--cluster", "local"], "--cv is for one machine"),
        (
            ["--learner", "passive-aggressive", "--regularizer", "1"],
            "--learner passive-aggressive knows no --regularizer: leave that out.",
        ),
        (["--learner", "perceptron", "--regularizer", "1"], "--learner perceptron knows no --regularizer"),
        (["--learner", "logistic", "--scale"], "--learner logistic gives the same answers for any units"),
    ],
)
def test_what_does_not_go_together_is_refused(options: list[str], words: str, cli: Cli, iris: Any) -> None:
    done = cli(*IRIS, *options)
    assert done.code == 2
    assert words in " ".join(done.err.split())
    assert not Path("m").exists()


def test_grouped_rows_are_not_judged_one_by_one(cli: Cli, folder: Path) -> None:
    Path("g.csv").write_text("x,yes,no\n1,3,4\n2,5,1\n3,6,2\n")
    for more in (["--cv", "2"], ["--learner", "auto"]):
        done = cli("fit", "g.csv", "--counts", "yes", "no", "-o", "m", *more)
        assert (done.code, "--counts has rows in groups" in done.err) == (2, True)


def test_a_mean_of_all_rows_judges_nothing(cli: Cli, folder: Path) -> None:
    """What stands for a missing value would know of the rows that are judged."""
    lines = [f"{'' if i % 7 == 0 else i % 5},{i % 2}" for i in range(30)]
    Path("t.csv").write_text("x,y\n" + "\n".join(lines) + "\n")
    fit = ("fit", "t.csv", "--target", "y", "-o", "m", "--missing", "mean", "--force")
    for more in (["--cv", "3"], ["--learner", "auto"], ["--validation", "0.3"]):
        done = cli(*fit, *more)
        assert (done.code, "--missing mean takes the mean of all rows: say --missing indicator" in done.err) == (
            2,
            True,
        )
    Path("other.csv").write_text("x,y\n1,0\n2,1\n,1\n")
    assert cli(*fit, "--validation", "other.csv").code == 0


def test_who_learns_where_nobody_says_it() -> None:
    nothing: dict[str, Any] = {}
    assert usual_learner(NEWTON_COLUMNS, None, nothing, False) is LearnerName.logistic
    assert usual_learner(NEWTON_COLUMNS + 1, None, nothing, False) is LearnerName.averaged
    for parameters in ({"eta": 0.5}, {"order": "cyclic"}, {"margin": 0.1}, {"trace": True}, {"multiclass": "kesler"}):
        assert usual_learner(3, None, parameters, False) is LearnerName.perceptron
    assert usual_learner(3, None, nothing, True) is LearnerName.perceptron
    assert usual_learner(3, None, {"multiclass": "ovr", "max_passes": 9}, False) is LearnerName.logistic


def test_rows_are_copies_if_what_was_written_is(cli: Cli, folder: Path) -> None:
    """Ids that floats do not tell apart tell rows apart; rows of another table that were learned are named."""
    r = np.random.default_rng(0)
    a, y = np.tile(r.integers(0, 10**6, 60), 2), r.integers(0, 2, 120)
    ids = 1234567890123456789 + r.permutation(120)
    lines = [f"{i},{x},{-x},{'pq'[k]}" for i, x, k in zip(ids, a, y, strict=True)]
    learn = ("fit", "t.csv", "--target", "y", "-o", "m", "--learner", "least-squares")
    for copied in (False, True):
        Path("t.csv").write_text("\n".join(["id,a,b,y", *lines, *[lines[7]] * copied]) + "\n")
        for how in (("--cv", "3"), ("--validation", "0.5", "--seed", "1")):
            done = cli(*learn, *how)
            said = " ".join((done.out + done.err).split())
            assert ("2 equal (rows 8 and 121, say)" in said) == ("by heart" in said) == copied
            Path("m").unlink()
    Path("new.csv").write_text("\n".join(["id,a,b,y", *lines[20:50]]) + "\n")
    done = cli(*learn, "--validation", "new.csv")
    assert "new.csv has rows that t.csv has, too: 30 equal (row 1 there is row 21 here, say)." in done.err
    Path("m").unlink()
    assert "121 equal" in cli(*learn, "--validation", "t.csv").err
