"""`fit` and `predict`: the model of the library, from a table, through files and back."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.data.tables.named_columns import read_columns
from tests.cli.conftest import Cli

LEARNERS: dict[str, Any] = {
    "perceptron": rb.Perceptron(),
    "averaged": rb.Perceptron(average=True),
    "pocket": rb.Perceptron(pocket=True),
    "passive-aggressive": rb.PassiveAggressive(),
    "adaline": rb.Adaline(),
    "logistic": rb.Logistic(),
    "least-squares": rb.LeastSquares(),
}
FIELDS = {
    "schema", "data", "n", "p", "classes", "positive", "learner", "outcome", "sentence", "passes", "corrections",
    "training", "validation", "model", "trace", "resumed", "seconds", "scaled", "regularizer", "random_features",
    "measures", "candidates", "weights",
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", LEARNERS)
def test_the_model_is_the_library_s(name: str, cli: Cli, sonar: Path) -> None:
    done = cli("fit", sonar, "--target", "material", "-o", "m", "--learner", name, "--json")
    assert (done.code, done.err) == (0, "")
    answer = json.loads(done.out)
    assert set(answer) == FIELDS
    X, y = rb.datasets.sonar()
    ours, theirs = rb.load("m"), LEARNERS[name].fit(X, y)
    assert ours.coef_.tobytes() == theirs.coef_.tobytes()
    assert ours.classes_.tolist() == ["M", "R"]
    assert (answer["outcome"], answer["passes"]) == (str(theirs.outcome_), theirs.n_passes_)
    assert answer["training"] == {"rows": 208, "wrong": round((1 - theirs.score(X, y)) * 208)}
    assert ours.encoding_.features[:2] == ["V1", "V2"]
    assert sorted(path.name for path in Path().iterdir()) == ["m", "sonar.csv"]


def test_what_a_person_reads(cli: Cli, sonar: Path) -> None:
    told = ("fit", sonar, "--target", "material", "-o", "m", "--learner", "perceptron")
    lines = cli(*told).out.splitlines()
    assert lines[0] == "sonar.csv · 208 rows × 60 columns · classes M (111) and R (97)"
    assert lines[2].startswith("  BUDGET: 21 of 208 examples are still classified wrongly after 1,000 passes (fewest")
    assert "  training   21 of 208 rows wrong (89.90% right)" in lines  # counted one way
    assert "a hyperplane separates the classes, proved" in " ".join(" ".join(lines).split())  # nobody needs to ask
    assert any("what next" in line and "more passes: --passes" in line for line in lines)
    assert lines[-1].endswith("model in m; apply it with: rosenblatt predict m sonar.csv")
    more = cli(*told, "--passes", "100000", "--force").out
    assert "SEPARATED: all 208 examples are on their side after 1,449,584 corrections." in more
    assert "what next" not in more


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_options_reach_the_learner(cli: Cli, sonar: Path) -> None:
    options = ["--eta", "0.5", "--margin", "0.1", "--no-intercept", "--balanced", "--seed", "3", "--passes", "7"]
    assert cli("fit", sonar, "--target", "material", "-o", "m", *options, "--order", "random").code == 0
    parameters = rb.load("m").get_params()
    expected = {"eta": 0.5, "margin": 0.1, "fit_intercept": False, "class_weight": "balanced", "random_state": 3}
    expected |= {"max_passes": 7, "order": "random", "average": "auto", "pocket": False, "warm_start": False}
    assert {name: parameters[name] for name in expected} == expected
    assert (
        cli("fit", sonar, "--target", "material", "-o", "m", "--recipe", "unit", "--passes", "3", "--force").code == 0
    )
    recipe = rb.Perceptron.from_recipe("unit", max_passes=3, random_state=0).get_params()
    assert rb.load("m").get_params() == recipe


def test_positive_decides_the_sign_of_the_scores(cli: Cli, sonar: Path) -> None:
    for positive, file in (("M", "a"), ("R", "b")):
        options = ["--learner", "least-squares", "--positive", positive]
        assert cli("fit", sonar, "--target", "material", "-o", file, *options).code == 0
    a, b = rb.load("a"), rb.load("b")
    np.testing.assert_allclose(a.coef_, -b.coef_, rtol=1e-9)
    assert a.classes_.tolist() == ["R", "M"]
    X, _ = rb.datasets.sonar()
    assert a.predict(X).tolist() == b.predict(X).tolist()


def test_validation_on_held_out_rows_does_not_look_at_them(cli: Cli, sonar: Path) -> None:
    options = ["--learner", "averaged", "--validation", "0.25", "--seed", "5", "--json"]
    answer = json.loads(cli("fit", sonar, "--target", "material", "-o", "m", *options).out)
    held_out = np.random.default_rng(5).random(208) < 0.25
    X, y = rb.datasets.sonar()
    model = rb.load("m")
    assert answer["validation"] == {
        "rows": int(held_out.sum()),
        "wrong": int((model.predict(X[held_out]) != y[held_out]).sum()),
    }
    assert answer["training"]["rows"] == 208 - int(held_out.sum())
    lines = sonar.read_text().splitlines()
    for i in np.flatnonzero(held_out):  # nonsense in rows that are held out changes nothing
        lines[i + 1] = ",".join(["9"] * 60 + [lines[i + 1].rpartition(",")[2]])
    Path("nonsense.csv").write_text("\n".join(lines) + "\n")
    cli("fit", "nonsense.csv", "--target", "material", "-o", "n", *options)
    assert rb.load("n").coef_.tobytes() == model.coef_.tobytes()


def test_validation_on_another_table(cli: Cli, sonar: Path) -> None:
    head, *rows = sonar.read_text().splitlines()
    Path("train.csv").write_text("\n".join([head, *rows[::2]]) + "\n")
    Path("test.csv").write_text("\n".join([head, *rows[1::2]]) + "\n")
    options = ["--target", "material", "-o", "m", "--learner", "logistic", "--validation", "test.csv"]
    done = cli("fit", "train.csv", *options)
    assert "validation" in done.out
    answer = json.loads(cli("fit", "train.csv", *options, "--json", "--force").out)
    X, y = rb.datasets.sonar()
    assert answer["validation"] == {"rows": 104, "wrong": int((rb.load("m").predict(X[1::2]) != y[1::2]).sum())}


def test_the_trace_can_be_replayed(cli: Cli, sonar: Path) -> None:
    done = cli("fit", sonar, "--target", "material", "-o", "m", "--passes", "20", "--trace", "t")
    X, _ = rb.datasets.sonar()
    trace, model = rb.Trace.load("t", X), rb.load("m")
    assert trace.weights_at(len(trace))[:-1].tobytes() == model._running[0, :-1].tobytes()
    assert f"{len(trace):,} corrections in t" in done.out


def test_weights_and_text_go_the_same_way_twice(cli: Cli, pets: Path) -> None:
    assert cli("fit", pets, "--target", "pet", "--positive", "fish", "-o", "m").code == 0
    Path("new.csv").write_text("coat,weight\nnone,0.25\nlong,28\n")
    done = cli("predict", "m", "new.csv")
    rows = [line.split(",") for line in done.out.splitlines()]
    assert [row[2] for row in rows] == ["label", "fish", "not fish"]
    Path("strange.csv").write_text("coat,weight\nnone,0.25\ncurly,28\n")
    strange = cli("predict", "m", "strange.csv", "-o", "answers.csv")
    assert strange.code == 2
    assert 'row 2, column "coat" is "curly"' in strange.err
    assert not Path("answers.csv").exists()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_predictions_are_the_library_s_to_the_last_bit(ending: str, cli: Cli, sonar: Path) -> None:
    import duckdb

    cli("fit", sonar, "--target", "material", "-o", "m", "--learner", "logistic")
    done = cli("predict", "m", sonar, "-o", f"answers.{ending}")
    assert (done.code, done.out) == (0, "")
    assert done.err == f"rosenblatt: 208 rows scored and labelled in answers.{ending}.\n"
    answers = duckdb.connect().execute(f"SELECT * FROM 'answers.{ending}'").fetchnumpy()
    X, _ = rb.datasets.sonar()
    model = rb.load("m")
    assert answers["row"].tolist() == list(range(1, 209))
    assert answers["score"].tobytes() == model.decision_function(X).tobytes()
    assert answers["label"].tolist() == model.predict(X).tolist()


def test_rows_that_lack_values_are_dropped_with_their_numbers(cli: Cli, folder: Path) -> None:
    Path("t.csv").write_text("x,y\n1,0\n,0\n2,1\n")
    assert cli("fit", "t.csv", "--target", "y", "--missing", "drop", "-o", "m").code == 0
    rows = cli("predict", "m", "t.csv").out.splitlines()
    assert [row.split(",")[0] for row in rows] == ["row", "1", "3"]
    assert rb.load("m").classes_.tolist() == [0, 1], "whole numbers stay numbers"


def test_a_store_gives_the_same_bytes(cli: Cli, sonar: Path) -> None:
    cli("fit", sonar, "--target", "material", "-o", "memory")
    cli("fit", sonar, "--target", "material", "-o", "disk", "--store", "rows")
    cli("fit", "rows", "-o", "again")
    assert Path("memory").read_bytes() == Path("disk").read_bytes() == Path("again").read_bytes()
    assert cli("predict", "memory", "rows").out == cli("predict", "memory", sonar).out
    cli("fit", sonar, "--target", "material", "--drop", "V1", "-o", "narrow")
    other = cli("predict", "narrow", "rows")
    assert other.code == 2
    assert "read in another way" in other.err


def test_a_certificate_is_of_the_table_and_of_its_store(cli: Cli, sonar: Path) -> None:
    assert cli("check", sonar, "--target", "material", "--store", "rows", "--certificate", "c.json").code == 0
    assert cli("verify", "c.json", "rows").code == 0
    assert cli("verify", "c.json", sonar).code == 0


def test_the_encoding_of_a_model_ends_with_the_next_fit(cli: Cli, sonar: Path) -> None:
    cli("fit", sonar, "--target", "material", "-o", "m", "--learner", "least-squares")
    model = rb.load("m")
    model.fit(*rb.datasets.sonar())
    rb.save(model, "n")
    assert not hasattr(rb.load("n"), "encoding_")
    done = cli("predict", "n", sonar)
    assert done.code == 2
    assert "was not learned from a table" in done.err


def test_advice_after_a_loss_without_minimum(cli: Cli, sonar: Path) -> None:
    """More passes are not advised where they cannot help."""
    done = cli("fit", sonar, "--target", "material", "-o", "m", "--learner", "logistic")
    text = " ".join(done.out.split())
    assert "RECEDING: all 208 examples are on their side after" in text
    assert "rosenblatt check --coefficients says which coefficients are finite; more passes would not help." in text
    assert "--passes" not in text
    assert rb.load("m").mode == "newton"
    cli("fit", sonar, "--target", "material", "-o", "row", "--learner", "logistic", "--eta", "0.1", "--passes", "5")
    assert rb.load("row").mode == "incremental"


@pytest.mark.parametrize("learner", ["logistic", "least-squares"])
def test_columns_are_called_by_their_names(learner: str, cli: Cli, folder: Path) -> None:
    lines = [f"{site},{age},{2 * age},{died}" for site, died in (("a", 0), ("b", 1)) for age in (1, 3, 2)]
    Path("t.csv").write_text("site,age,twice,died\n" + "\n".join([*lines, "a,2,4,1"]) + "\n")
    answer = json.loads(cli("fit", "t.csv", "--target", "died", "-o", "m", "--learner", learner, "--json").out)
    said = {"logistic": "falls for ever as site=b", "least-squares": "twice is a combination"}[learner]
    assert said in answer["sentence"], answer["sentence"]
    assert not hasattr(rb.load("m"), "feature_names_in_")  # the encoding has them


def test_compare(cli: Cli, sonar: Path) -> None:
    demo = cli("compare", "--demo")
    assert demo.out.startswith("Eight points, separable at x1 = 0")
    assert "6 of 8 learners separate the classes" in demo.out
    answer = json.loads(cli("compare", "--demo", "--json").out)
    errors = {one["learner"]: one["errors"] for one in answer["learners"]}
    assert (errors["perceptron"], errors["least-squares"]) == (0, 2)
    done = cli("compare", sonar, "--target", "material", "--passes", "50")
    assert done.out.startswith(  # Newton's method finds what the perceptrons need a million corrections for
        "sonar.csv · 208 rows × 60 columns · classes M (111) and R (97)\n\n  1 of 8 learners separates the classes;"
    )
    assert "pocket" in done.out


# ------------------------------------------------------------------------------------------------- columns of one size


def unequal(n: int = 120) -> tuple[np.ndarray, np.ndarray]:
    """Separable rows whose columns differ 100,000 times, one of them constant; unequal.csv has them."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(5e4, 9e3, n).round(1), rng.normal(0.5, 0.1, n).round(3), np.full(n, 7.0)])
    y = (X[:, 0] - 5e4) / 9e3 + (X[:, 1] - 0.5) / 0.1 > 0.1
    lines = [f"{a},{b},{c},{'yes' if label else 'no'}" for (a, b, c), label in zip(X.tolist(), y, strict=True)]
    Path("unequal.csv").write_text("income,ratio,unit,y\n" + "\n".join(lines) + "\n")
    return X, y


def test_columns_that_differ_much_are_named_and_scaling_helps(cli: Cli) -> None:
    unequal()
    plain = cli("fit", "unequal.csv", "--target", "y", "-o", "m", "--learner", "perceptron").out
    assert "BUDGET" in plain
    assert "Column 'income' reaches " in plain
    assert "and column 'ratio' only" in plain
    assert "scale the columns" in plain
    scaled = cli("fit", "unequal.csv", "--target", "y", "-o", "s", "--scale", "--passes", "5000").out
    assert "SEPARATED: all 120 examples are on their side after" in scaled
    assert "columns   scaled for learning; the model takes them as they are" in scaled
    assert "reaches" not in scaled


@pytest.mark.parametrize("name", ["perceptron", "averaged", "pocket", "passive-aggressive", "adaline"])
@pytest.mark.parametrize("more", [[], ["--no-intercept"], ["--validation", "0.2"]])
def test_a_model_that_was_scaled_takes_the_columns_as_they_are(name: str, more: list[str], cli: Cli) -> None:
    X, _ = unequal()
    options = ["--learner", name, "--scale", "--passes", "40", *more]
    answer = json.loads(cli("fit", "unequal.csv", "--target", "y", "-o", "m", *options, "--json").out)
    assert answer["scaled"]
    model = rb.load("m")
    lines = cli("predict", "m", "unequal.csv").out.splitlines()[1:]
    assert [float(line.split(",")[1]) for line in lines] == model.decision_function(X).tolist()
    assert [line.split(",")[2] for line in lines] == model.predict(X).tolist()
    assert answer["outcome"] == str(model.outcome_)
    if not more:
        names = np.array(["no", "yes"])
        wrong = int(np.count_nonzero(model.predict(X) != names[unequal()[1].astype(int)]))
        assert answer["training"]["wrong"] == wrong
    if answer["outcome"] == "BUDGET" and name != "adaline":
        assert answer["sentence"].startswith(f"{answer['training']['wrong']} of {answer['training']['rows']} examples")


def test_scaled_fits_are_resumed_as_such(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    from rosenblatt.learners.runs import Watcher

    unequal()
    fit = ("fit", "unequal.csv", "--target", "y", "--scale", "--passes", "3000", "--learner", "pocket")
    assert cli(*fit, "-o", "whole").code == 0
    with monkeypatch.context() as patch:
        patch.setattr(Watcher, "asked_to_stop", True)
        assert cli(*fit, "-o", "m").code == 130
    refused = cli(*[one for one in fit if one != "--scale"], "-o", "m", "--resume")
    assert refused.code == 2
    assert "--scale was True and is None now" in refused.err
    assert cli(*fit, "-o", "m", "--resume").code == 0
    assert Path("m").read_bytes() == Path("whole").read_bytes()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--learner", "logistic"], "--learner logistic gives the same answers for any units: leave out --scale."),
        (["--learner", "least-squares"], "--learner least-squares gives the same answers for any units"),
        (["--trace", "t"], "--trace records corrections of the rows as they are: leave out that, or --scale."),
        (["--store", "rows"], "--scale needs the rows in memory, and they are in a store"),
        (["--cluster", "local"], "--scale is for one machine: leave out that, or --cluster."),
    ],
)
def test_scale_is_refused_where_it_means_nothing(options: list[str], words: str, cli: Cli) -> None:
    unequal()
    done = cli("fit", "unequal.csv", "--target", "y", "-o", "m", "--scale", *options)
    assert done.code == 2
    assert words in " ".join(done.err.split())


def test_xor_is_told_one_way_by_check_and_fit(cli: Cli) -> None:
    """One count of errors: of fixed weights, as `predict` answers."""
    Path("xor.csv").write_text("a,b,y\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n")
    checked = json.loads(cli("check", "xor.csv", "--target", "y", "--json").out)
    for learner, wrong in (("perceptron", 1), ("pocket", 2)):  # the average, and the best weights on the way
        fit = json.loads(cli("fit", "xor.csv", "--target", "y", "-o", learner, "--learner", learner, "--json").out)
        assert fit["training"] == {"rows": 4, "wrong": wrong}
        assert f"{wrong} of 4 examples are classified wrongly" in fit["sentence"]
    assert checked["perceptron"]["wrong"] == 2


def test_a_model_is_replaced_only_on_request(cli: Cli, pets: Path) -> None:
    told = ["fit", pets, "--target", "pet", "-o", "m", "--learner", "least-squares"]
    assert cli(*told).code == 0
    before = Path("m").read_bytes()
    done = cli(*told, "--passes", "1")
    assert (done.code, done.err) == (
        2,
        "rosenblatt: m is there already: say --force to replace it, or choose another name.\n",
    )
    assert Path("m").read_bytes() == before
    assert cli(*told, "--force").code == 0
    assert cli(*told[:4], "-o", pets, "--force").code == 2  # never the input


THREE = "a,b,kind\n0,0,low\n1,0,low\n4,0,mid\n5,1,mid\n9,3,high\n10,2,high\n5,0,mid\n0,1,low\n9,2,high\n"


@pytest.mark.parametrize(
    ("more", "library"),
    [
        ([], rb.Logistic),
        (["--learner", "perceptron"], lambda: rb.Perceptron(random_state=0)),
        (["--multiclass", "kesler"], lambda: rb.Perceptron(multiclass="kesler", random_state=0)),
        (["--learner", "least-squares"], rb.LeastSquares),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_three_classes(more: list[str], library: Any, cli: Cli, folder: Path) -> None:
    Path("t.csv").write_text(THREE)
    done = cli("fit", "t.csv", "--target", "kind", "-o", "m", "--json", *more)
    answer = json.loads(done.out)
    assert answer["classes"] == {"high": 3, "low": 3, "mid": 3}
    table = rb.data.open_table("t.csv", target="kind", multiclass=True)
    X, codes, _ = table.arrays()
    y = np.array(table.classes)[codes]
    model = library().fit(X, y)
    assert answer["training"] == {"rows": 9, "wrong": int((model.predict(X) != y).sum())}
    lines = cli("predict", "m", "t.csv").out.splitlines()
    assert lines[0] == "row,score=high,score=low,score=mid,label"
    for line, scores, label in zip(lines[1:], model.decision_function(X), model.predict(X), strict=True):
        _, *said, name = line.split(",")
        assert [float(one) for one in said] == scores.tolist()
        assert name == label
    cli("predict", "m", "t.csv", "-o", "p.parquet")
    assert read_columns("p.parquet")["label"].tolist() == model.predict(X).tolist()


def test_three_classes_side_by_side(cli: Cli, folder: Path) -> None:
    Path("t.csv").write_text(THREE)
    out = cli("compare", "t.csv", "--target", "kind", "--passes", "20").out
    assert [line for line in out.splitlines() if line.endswith("against the rest")] == [
        "high against the rest",
        "low against the rest",
        "mid against the rest",
    ]
    learners = json.loads(cli("compare", "t.csv", "--target", "kind", "--passes", "20", "--json").out)["learners"]
    assert {one["class"] for one in learners} == {"high", "low", "mid"}


def test_options_of_two_classes_are_refused_with_three(cli: Cli, folder: Path) -> None:
    Path("t.csv").write_text(THREE)
    for option in (["--trace", "x"], ["--resume"]):
        done = cli("fit", "t.csv", "--target", "kind", "-o", "m", *option)
        assert (done.code, "is for two classes" in done.err) == (2, True)
    Path("many.csv").write_text("a,y\n" + "".join(f"{k},{k * 7 % 31}\n" for k in range(31)))
    done = cli("fit", "many.csv", "--target", "y", "-o", "m")
    assert "31 different values" in done.err
    assert "--positive" in done.err


def test_a_gap_that_the_model_does_not_know_is_refused_with_advice_that_works(cli: Cli) -> None:
    """predict has no --missing: how gaps are read is said when the model is fitted."""
    Path("t.csv").write_text("a,b,y\n1,2,no\n2,1,no\n3,5,yes\n4,4,yes\n")
    Path("gap.csv").write_text("a,b\n1,2\n,3\n")
    assert cli("fit", "t.csv", "--target", "y", "-o", "m").code == 0
    done = cli("predict", "m", "gap.csv")
    assert done.code == 2
    assert 'the first in row 2, column "a"' in done.err
    assert "where the original table had none: fill them in, or leave those rows out." in " ".join(done.err.split())
    assert "--" not in done.err
    assert cli("fit", "t.csv", "--target", "y", "-o", "m", "--force", "--missing", "drop").code == 0
    assert [line[0] for line in cli("predict", "m", "gap.csv").out.splitlines()] == ["r", "1"]


def test_what_was_learned_is_printed(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("and.csv").write_text("a,b,y\n0,0,0\n0,1,0\n1,0,0\n1,1,1\n")
    options = ["--target", "y", "-o", "m", "--recipe", "rosenblatt62", "--eta", "0.1", "--force"]
    with monkeypatch.context() as here:
        here.setitem(sys.modules, "pandas", None)  # a student has what `pip install .` brings
        done = cli("fit", "and.csv", *options, "--show")
    lines = [line.split() for line in done.out.splitlines()]
    assert ["w", "a", "0.3,", "b", "0.2"] in lines
    assert ["b", "-0.4", "(θ", "=", "0.4)"] in lines
    assert ["step", "pass", "row", "response", "correction", "w_a", "w_b", "bias"] in lines
    assert lines[-1] == ["18", "8", "2", "0", "-0.1", "0.3", "0.2", "-0.4"]  # rows are counted from 1, as everywhere
    learned = json.loads(cli("fit", "and.csv", *options, "--json").out)["weights"]
    assert learned == {"w": {"a": 0.3, "b": 0.2}, "b": -0.4, "theta": 0.4}
    wide = ",".join(f"v{j}" for j in range(12))
    Path("wide.csv").write_text(f"{wide},y\n" + f"{'1,' * 12}1\n" + f"{'0,' * 12}0\n")
    assert "v9 1 and 2 more" in cli("fit", "wide.csv", *options, "--eta", "1").out


@pytest.mark.parametrize("learner", ["perceptron", "logistic", "adaline"])
def test_threads_change_no_bit_of_the_model(learner: str, cli: Cli, sonar: Path) -> None:
    for jobs in (1, 2):
        assert (
            cli("fit", sonar, "--target", "material", "--learner", learner, "--jobs", jobs, "-o", f"{jobs}").code == 0
        )
    assert Path("1").read_bytes() == Path("2").read_bytes()
