"""scikit-learn's callbacks see every pass of every learner."""

from typing import Any

import numpy as np
import pytest
from sklearn.callback import ProgressBar
from sklearn.model_selection import GridSearchCV

import rosenblatt as rb
from tests.learners.test_perceptron import quiet


class Diary:
    """Writes down what it is told; asks to stop after `enough` passes."""

    def __init__(self, enough: int | None = None) -> None:
        self.enough = enough
        self.begun: list[str] = []
        self.scores: list[float] = []
        self.mistakes: list[int] = []
        self.torn_down = False

    def setup(self, estimator: Any, context: Any) -> None:
        self.begun.append("setup")

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        self.begun.append(context.task_name)

    def on_fit_task_end(self, estimator: Any, context: Any, *, X: Any, y: Any, fitted_estimator: Any) -> bool:
        if context.task_name != "pass" or fitted_estimator is None:
            return False
        self.scores.append(fitted_estimator.score(X, y))
        self.mistakes.append(int(fitted_estimator.mistakes_per_pass_[-1]))
        return self.enough is not None and len(self.scores) >= self.enough

    def teardown(self, estimator: Any, context: Any) -> None:
        self.torn_down = True


LEARNERS = [
    rb.Perceptron(max_passes=6),
    rb.Perceptron(max_passes=6, average=True, order="random", random_state=0),
    rb.PassiveAggressive(max_passes=6),
    rb.Adaline(max_passes=6),
    rb.Logistic(max_passes=6, mode="batch"),
    rb.LeastSquares(regularizer=1.0, max_passes=3),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
def test_every_pass_is_told(learner: Any) -> None:
    X, y = rb.datasets.sonar()
    plain = quiet(learner, X, y)
    coef, passes = plain.coef_.copy(), plain.n_passes_
    diary = Diary()
    quiet(learner.set_callbacks(diary), X, y)
    assert diary.begun == ["setup", "fit"] + ["pass"] * passes
    assert diary.torn_down
    assert diary.mistakes == plain.mistakes_per_pass_.tolist()
    assert diary.scores[-1] == learner.score(X, y)
    assert learner.coef_.tobytes() == coef.tobytes()  # watching changes nothing
    learner.set_callbacks()


@pytest.mark.parametrize("learner", [rb.Perceptron(), rb.Logistic(mode="batch")], ids=["loop", "descent"])
def test_a_callback_can_stop_a_fit(learner: Any) -> None:
    X, y = rb.datasets.sonar()
    quiet(learner.set_callbacks(Diary(enough=4)), X, y)
    assert learner.n_passes_ == 4
    assert "a callback asked to stop" in learner.outcome_.sentence
    learner.set_callbacks()


def test_classes_are_tasks_of_their_own() -> None:
    X = np.array([[0.0, 9.0], [9.0, 0.0], [-9.0, -9.0]])
    diary = Diary()
    model = rb.Perceptron(n_jobs=2).set_callbacks(diary).fit(X, [0, 1, 2])
    assert diary.begun.count("class against the rest") == 3
    assert diary.begun.count("pass") == sum(len(state.mistakes_per_pass) for state in model._states)


def test_progress_bar(capsys: pytest.CaptureFixture[str]) -> None:
    X, y = rb.datasets.sonar()
    quiet(rb.Perceptron(max_passes=50).set_callbacks(ProgressBar()), X, y)
    shown = capsys.readouterr().out
    assert "Perceptron - fit" in shown
    assert "100%" in shown


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_progress_bar_of_a_search_reaches_the_learner(capsys: pytest.CaptureFixture[str]) -> None:
    X, y = rb.datasets.sonar()
    search = GridSearchCV(rb.Perceptron(max_passes=5), {"average": [False, True]}, cv=2)
    if not hasattr(search, "set_callbacks"):
        pytest.skip("this scikit-learn's GridSearchCV takes no callbacks")
    search.set_callbacks(ProgressBar()).fit(X, y)
    assert "GridSearchCV" in capsys.readouterr().out


def test_a_pass_cut_short_is_told_when_it_goes_on() -> None:
    X, y = rb.datasets.sonar()
    model = quiet(rb.Perceptron(max_updates=3, warm_start=True), X, y)
    diary = Diary()
    quiet(model.set_params(max_updates=None, max_passes=2).set_callbacks(diary), X, y)
    assert diary.begun.count("pass") == len(diary.scores) == 2
    whole = quiet(rb.Perceptron(max_passes=2), X, y)
    assert model.coef_.tobytes() == whole.coef_.tobytes()
