"""Every registered learner can be saved and loaded, named on the command line, compared, and shown by its name."""

import sys
from pathlib import Path

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.cli.app import main
from rosenblatt.cli.fit_plan import LearnerName
from rosenblatt.comparison.choosing import family
from rosenblatt.learners import CLASSES, LEARNERS
from rosenblatt.learners.shared import Classifier, OnlineClassifier
from tests.learners.test_perceptron import quiet

X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [3.0, 2.0], [2.0, 3.0]])
y = np.array([0, 0, 0, 1, 1, 1])


def test_a_file_is_a_learner_with_one_spelling():
    folder = Path(sys.modules["rosenblatt.learners"].__file__).parent
    files = {path.stem for path in folder.glob("*.py")} - {"__init__", "registry"}
    assert {one.file for one in LEARNERS.values()} == files
    for name, one in LEARNERS.items():
        assert issubclass(one.kind, Classifier)
        assert one.kind.__module__ == f"rosenblatt.learners.{one.file}"
        assert one.own or name == one.file.replace("_", "-"), "a variant, or the file's own name"
    assert list(CLASSES) == sorted(CLASSES, key=lambda name: (name != "Perceptron", name))


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_is_saved_and_loaded(name, tmp_path):
    model = quiet(LEARNERS[name].make(), X, y)
    rb.save(model, tmp_path / "m")
    again = rb.load(tmp_path / "m")
    assert type(again) is LEARNERS[name].kind
    assert again.decision_function(X).tolist() == model.decision_function(X).tolist()


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_is_named_on_the_command_line(name, tmp_path, capsys):
    table = tmp_path / "t.csv"
    table.write_text("a,b,y\n" + "".join(f"{a:g},{b:g},{c}\n" for (a, b), c in zip(X, y, strict=True)))
    assert main(["fit", str(table), "--target", "y", "--learner", name, "-o", str(tmp_path / "m")]) == 0
    assert name in capsys.readouterr().out
    own = quiet(LEARNERS[name].make(), X, y)
    assert rb.load(tmp_path / "m").predict(X).tolist() == own.predict(X).tolist()
    assert main(["fit", str(table), "--target", "y", "--learner", name, "--scale", "-o", str(tmp_path / "s")]) in (0, 2)


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_is_compared(name):
    (row,) = rb.compare(X, y, learners=[name]).rows
    model = quiet(LEARNERS[name].make(), X, y)
    wrong = np.sum(np.where(y > 0, 1, -1) * model.decision_function(X) <= 0)
    assert (row.learner, row.errors, str(row.outcome)) == (name, wrong, str(model.outcome_))


def test_compare_refuses_a_learner_that_is_not_registered():
    with pytest.raises(ValueError, match=r"no learner is called 'pa'; they are perceptron, averaged, pocket, adaline"):
        rb.compare(X, y, learners=["pa"])


def test_the_usual_learners_are_compared_chosen_from_and_shown_in_the_lab():
    from rosenblatt.lab.settings import BY_ROW, LabSettings

    table = [row.learner for row in rb.compare(X, y).rows]
    assert table == [*(name for name, one in LEARNERS.items() if one.kind._usual), "LinearSVC (sklearn)"]
    candidates = {one.name for one in family(2, 2)}
    assert {name for name, one in LEARNERS.items() if one.kind._corrects} <= candidates <= set(LEARNERS)
    assert set(BY_ROW) == {n for n, one in LEARNERS.items() if issubclass(one.kind, OnlineClassifier) and not one.own}
    for name in BY_ROW:
        assert type(LabSettings.read({"learner": name}).model(6)) is LEARNERS[name].kind
    assert [name.value for name in LearnerName] == [*LEARNERS, "auto"]
