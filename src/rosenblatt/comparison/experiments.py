"""Small experiments: where the squared loss errs, and six questions on logistic regression and the perceptron."""

import warnings
from dataclasses import dataclass
from math import atan2, degrees, hypot, log
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.arrays import Floats, Signs
from rosenblatt.comparison.table import Comparison, compare
from rosenblatt.datasets.points import Dataset
from rosenblatt.learners import Adaline, LeastSquares, Logistic, Perceptron
from rosenblatt.learners.shared.base import LinearClassifier

__all__ = ["RIVALS", "Answer", "Rival", "counterexample", "demonstration", "fit_rival", "questions"]

_CHECKPOINTS = (100, 1000, 10_000)  # passes after which a learner is measured
_DATA_SETS = 5  # separable data sets; the median over them counts, since on a single one any learner may be lucky
_ORDERS = 5  # orders of the rows of each data set, for the perceptron, whose answer depends on the order
_SETTLED = 1e-6  # slope of the mean loss at and below which a descent has converged
_STEP_LIKE = 0.05  # how far from 0 or 1 a probability may be to look like a step's
_LARGE = 0.8  # part of the theorem's margin that counts as large


def counterexample() -> Dataset:
    """Separable examples that the hyperplane of the smallest squared loss does not separate (S0.10).

    There are as many examples of each class, so that hyperplane passes through the mean of the rows, and two examples
    far out on their right side drag it to x1 = 2.5, over two others at x1 = 1. The perceptron, which looks at sides
    and not at distances, separates them.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = counterexample()
    >>> model = rb.LeastSquares().fit(X, y)
    >>> X[model.predict(X) != y]
    array([[ 1., -1.],
           [ 1.,  1.]])
    >>> rb.Perceptron().fit(X, y).outcome_.name
    'SEPARATED'
    """
    x1, x2 = np.repeat([-2.0, -1.0, 1.0, 12.0], 2), np.tile([-1.0, 1.0], 4)
    return Dataset(
        np.column_stack([x1, x2]),
        np.repeat(["left", "right"], 4),
        ("x1", "x2"),
        "Eight points, separable at x1 = 0 with margin 1; least squares cuts at x1 = 2.5 and misclassifies two.",
        w_star=np.array([1.0, 0.0, 0.0]),
        margin=1.0,
    )


def demonstration() -> Comparison:
    """All learners on the counterexample: those that minimise the squared loss err, the perceptron does not.

    Examples
    --------
    >>> comparison = demonstration()
    >>> {name: comparison[name].errors for name in ("perceptron", "adaline", "least-squares")}
    {'perceptron': 0, 'adaline': 2, 'least-squares': 2}
    """
    return compare(*counterexample())


@dataclass(frozen=True)
class Answer:
    """What an experiment says about a claim.

    Attributes
    ----------
    number : int
        From 1 to 6.
    claim : str
        What may be true or false.
    answer : bool
        Whether the measurements bear it out.
    evidence : str
        What was measured, in a sentence.
    measurements : dict
        The numbers that decide.
    """

    number: int
    claim: str
    answer: bool
    evidence: str
    measurements: dict[str, float]

    def __str__(self) -> str:
        return f"{self.number}. {self.claim} {'True' if self.answer else 'False'}: {self.evidence}"


def questions(random_state: int | None = 0) -> list[Answer]:
    """Six claims on logistic regression and the perceptron, each answered by an experiment that is run now.

    Both learn from the same points in the plane. The separable ones have a theorem's margin that is known exactly, so
    "large" has a measure. A learner works towards a large margin if its margin (the median over five data sets) grows
    from 100 passes to 10,000, past the point where it separates, and comes to at least 80 % of the largest.

    Parameters
    ----------
    random_state : int, optional
        Seeds the points.

    References
    ----------
    Soudry, Hoffer, Nacson, Gunasekar & Srebro (2018), The implicit bias of gradient descent on separable data, JMLR 19.

    Examples
    --------
    >>> [answer.answer for answer in questions()]
    [True, False, True, False, False, True]
    """
    rng = np.random.default_rng(random_state)
    separable = [_separable(40, rng) for _ in range(_DATA_SETS)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        moments = _train_ever_longer(separable)
        return [
            _both_classify(separable[0], _separable(400, rng)),
            _neither_converges(_overlapping(60, rng)),
            _curve_becomes_a_step(moments),
            _only_one_has_a_boundary(separable[0], rng),
            _perceptron_widens_its_margin(separable),
            _logistic_widens_its_margin(moments),
        ]


# ------------------------------------------------------------------------------------------------------------ the data


def _separable(n: int, rng: np.random.Generator) -> Dataset:
    """Points on both sides of x1 = 0, at least 1 away; four of them make 1 the theorem's margin.

    The four are (±1, ±1). Their z = y·(x, 1) average to (1, 0, 0), so no unit vector gains more than 1 on all four, and
    w* = (1, 0, 0) gains at least 1 on every example. The other points lean to one side, to mislead a learner.
    """
    y = np.resize([1, 1, -1, -1], n)
    away = 1 + np.append(np.zeros(4), rng.exponential(2.0, n - 4))
    along = np.append([1.0, -1.0, 1.0, -1.0], 2.0 * y[4:] + rng.normal(scale=3.0, size=n - 4))
    description = f"{n} points with x1 = 0 between them and a theorem's margin of exactly 1."
    return Dataset(
        np.column_stack([y * away, along]), y, ("x1", "x2"), description, w_star=np.array([1.0, 0.0, 0.0]), margin=1.0
    )


def _overlapping(n: int, rng: np.random.Generator) -> Dataset:
    """Two clouds that overlap, of whole numbers, so that the perceptron's weights can repeat exactly."""
    y = np.resize([1, -1], n)
    X = np.rint(rng.normal(scale=3.0, size=(n, 2)) + y[:, None])
    return Dataset(X, y, ("x1", "x2"), f"{n} points of two overlapping clouds, rounded to whole numbers.")


# ----------------------------------------------------------------------------------------------------- the experiments


def _both_classify(training: Dataset, unseen: Dataset) -> Answer:
    X, y = unseen.X[4:], unseen.y[4:]  # the first four are the same in every such data set
    measured = {"guessing_accuracy": float(max(np.mean(y > 0), np.mean(y < 0)))}
    for name, learner in (("perceptron", Perceptron(average=False)), ("logistic", Logistic(mode="batch"))):
        predicted = learner.fit(*training).predict(X)
        measured[f"{name}_labels"] = float(len(np.unique(predicted)))
        measured[f"{name}_accuracy"] = float(np.mean(predicted == y))
    return Answer(
        1,
        "The perceptron and logistic regression both learn to tell two classes apart.",
        all(
            measured[f"{name}_labels"] == 2 and measured[f"{name}_accuracy"] > measured["guessing_accuracy"]
            for name in ("perceptron", "logistic")
        ),
        f"on {len(y)} unseen examples the perceptron answered with {measured['perceptron_labels']:.0f} labels and was "
        f"right on {measured['perceptron_accuracy']:.1%}, logistic regression with {measured['logistic_labels']:.0f} "
        f"and on {measured['logistic_accuracy']:.1%}, where guessing gets {measured['guessing_accuracy']:.0%}.",
        measured,
    )


def _neither_converges(data: Dataset) -> Answer:
    perceptron = Perceptron(average=False).fit(*data)
    logistic = Logistic(mode="batch", tol=1e-12, max_passes=10_000).fit(*data)
    measured = {
        "perceptron_mistakes_in_last_pass": float(perceptron.mistakes_per_pass_[-1]),
        "perceptron_cycle_proved": float(perceptron.outcome_ == "CYCLING"),
        "perceptron_passes": float(perceptron.n_passes_),
        "logistic_slope": _loss_slope(_learned_weights(logistic), data),
        "logistic_passes": float(logistic.n_passes_),
    }
    proof = " in a cycle that is proved to repeat for ever" if measured["perceptron_cycle_proved"] else ""
    return Answer(
        2,
        "On classes that overlap, neither the perceptron nor logistic regression converges.",
        measured["perceptron_mistakes_in_last_pass"] > 0 and measured["logistic_slope"] > _SETTLED,
        f"in pass {perceptron.n_passes_:,} the perceptron made {perceptron.mistakes_per_pass_[-1]} corrections{proof}; "
        f"after {logistic.n_passes_:,} passes of logistic regression the slope of its mean loss is "
        f"{measured['logistic_slope']:.1e}, where {_SETTLED:.0e} counts as level.",
        measured,
    )


def _curve_becomes_a_step(moments: list["_Moment"]) -> Answer:
    names = ("length", "distance_to_step", "width")
    measured = {f"{name}_after_{moment.passes}": getattr(moment, name) for moment in moments for name in names}
    first, last = moments[0], moments[-1]
    return Answer(
        3,
        "On separable classes, the longer logistic regression trains, the more its curve looks like the step "
        "of a perceptron.",
        last.length > first.length and last.distance_to_step < min(first.distance_to_step, _STEP_LIKE),
        f"from {first.passes:,} passes to {last.passes:,}, in the median of {_DATA_SETS} data sets, ‖w‖ went from "
        f"{first.length:.2f} to {last.length:.2f}, the width of the curve's rise from 10 % to 90 % from "
        f"{first.width:.2f} to {last.width:.2f}, and the distance between curve and step, at the example where it is "
        f"largest, from {first.distance_to_step:.3f} to {last.distance_to_step:.4f}.",
        measured,
    )


def _only_one_has_a_boundary(data: Dataset, rng: np.random.Generator) -> Answer:
    points = rng.normal(scale=6.0, size=(2000, 2))
    perceptron, logistic = Perceptron(average=False).fit(*data), Logistic(mode="batch").fit(*data)
    plane = logistic.hyperplane_
    feet = points - plane.distance(points)[:, None] * plane.w / np.linalg.norm(plane.w)
    measured = {
        "perceptron_answers_by_side": _answers_by_side(perceptron, points),
        "logistic_answers_by_side": _answers_by_side(logistic, points),
        "logistic_off_half_on_boundary": float(np.abs(logistic.predict_proba(feet) - 0.5).max()),
    }
    return Answer(
        4,
        "Of the two, the perceptron alone has a hyperplane between the classes.",
        measured["perceptron_answers_by_side"] == 1.0 and measured["logistic_answers_by_side"] < 1.0,
        f"the side of w·x + b = 0 tells the perceptron's answer on {measured['perceptron_answers_by_side']:.1%} of "
        f"{len(points):,} points and logistic regression's on {measured['logistic_answers_by_side']:.1%}; on the "
        f"latter's hyperplane the probability is 0.5 to within {measured['logistic_off_half_on_boundary']:.0e}.",
        measured,
    )


def _perceptron_widens_its_margin(separable: list[Dataset]) -> Answer:
    margins = np.array([_margins(order, data) for data in separable for order in range(_ORDERS)])
    medians = [float(m) for m in np.median(margins, axis=0)]
    measured = {f"margin_after_{passes}": m for passes, m in zip(_CHECKPOINTS, medians, strict=True)}
    measured["smallest_margin"], measured["largest_possible"] = float(margins[:, -1].min()), 1.0
    return Answer(
        5,
        "The perceptron works towards a large margin.",
        _promotes(medians),
        f"in {len(margins)} runs, {_ORDERS} orders of each of {_DATA_SETS} data sets, it ended with margins from "
        f"{measured['smallest_margin']:.3f} on, the median {medians[-1]:.3f}, where 1 is possible; "
        f"{_CHECKPOINTS[-1]:,} passes instead of {_CHECKPOINTS[0]:,} changed the median by "
        f"{medians[-1] - medians[0]:.2g}.",
        measured,
    )


def _logistic_widens_its_margin(moments: list["_Moment"]) -> Answer:
    measured = {f"margin_after_{m.passes}": m.margin for m in moments} | {"largest_possible": 1.0}
    measured |= {f"angle_after_{m.passes}": m.angle for m in moments}
    return Answer(
        6,
        "Logistic regression works towards a large margin.",
        _promotes([m.margin for m in moments]) and moments[-1].angle < moments[0].angle,
        f"after {', '.join(f'{m.passes:,}' for m in moments)} passes its margin, in the median of {_DATA_SETS} data "
        f"sets, was {', '.join(f'{m.margin:.3f}' for m in moments)}, where 1 is possible, and its direction "
        f"{', '.join(f'{m.angle:.1f}°' for m in moments)} away from that of the theorem's margin.",
        measured,
    )


# ------------------------------------------------------------------------------------------------------------ measures


class _Moment(NamedTuple):
    """Logistic regression after so many passes."""

    passes: int
    length: float  # ‖w‖, the bias included
    distance_to_step: float  # the largest |probability − 0 or 1| on the examples
    width: float  # of the rise from 10 % to 90 %, in input space
    margin: float
    angle: float  # degrees to w*


def _train_ever_longer(separable: list[Dataset]) -> list[_Moment]:
    """The median over the data sets of every measure, at each checkpoint."""
    runs = np.array([_moments_of_run(data) for data in separable])
    return [
        _Moment(passes, *map(float, measures))
        for passes, measures in zip(_CHECKPOINTS, np.median(runs, axis=0)[:, 1:], strict=True)
    ]


def _moments_of_run(data: Dataset) -> list[_Moment]:
    weights = _weights_at_checkpoints(Logistic(mode="batch", tol=0.0, warm_start=True), data)
    return [_moment(passes, w, data) for passes, w in zip(_CHECKPOINTS, weights, strict=True)]


def _moment(passes: int, w: Floats, data: Dataset) -> _Moment:
    return _Moment(
        passes,
        float(np.linalg.norm(w)),
        float(np.max(1 / (1 + np.exp(_agreement(w, data))))),  # the probability that is left for the wrong class
        2 * log(9.0) / float(np.linalg.norm(w[:-1])),
        _theorem_margin(w, data),
        degrees(atan2(hypot(*w[1:]), w[0])),  # w* = (1, 0, 0)
    )


def _margins(order: int, data: Dataset) -> list[float]:
    """The perceptron's margin at each checkpoint; it goes on for as long as logistic regression does."""
    learner = Perceptron(average=False, order="shuffled", random_state=order, warm_start=True)
    return [_theorem_margin(w, data) for w in _weights_at_checkpoints(learner, data)]


def _weights_at_checkpoints(learner: LinearClassifier, data: Dataset) -> list[Floats]:
    """The weights of one run at each checkpoint; `learner` goes on where it stopped (`warm_start`)."""
    weights = []
    for before, passes in zip((0, *_CHECKPOINTS), _CHECKPOINTS, strict=False):
        learner.set_params(max_passes=passes - before).fit(*data)
        weights.append(_learned_weights(learner))
    return weights


def _learned_weights(learner: LinearClassifier) -> Floats:
    return np.append(learner.coef_[0], learner.intercept_)


def _agreement(w: Floats, data: Dataset) -> Floats:
    """y·s of every example."""
    return np.asarray(data.y * (data.X @ w[:-1] + w[-1]))


def _theorem_margin(w: Floats, data: Dataset) -> float:
    return float(_agreement(w, data).min() / np.linalg.norm(w))


def _loss_slope(w: Floats, data: Dataset) -> float:
    """Length of the gradient of the mean logistic loss: zero at the minimum, and only there."""
    pull = data.y / (1 + np.exp(_agreement(w, data)))
    return float(np.linalg.norm(np.append(pull @ data.X, pull.sum())) / len(pull))


def _answers_by_side(learner: LinearClassifier, points: Floats) -> float:
    """Share of points whose predicted class the side of w·x + b = 0 tells, 0 if all points are on one side."""
    side = learner.hyperplane_.side(points)
    return float(np.mean(learner.predict(points) == side)) if len(np.unique(side)) > 1 else 0.0


def _promotes(margins: list[float]) -> bool:
    """Whether the margin has grown with training and come near the largest, which is 1.

    First against last, not each against the next: the direction tends to that of the theorem's margin like 1/log t, but
    on its way it may pass close by (margin 0.970 after 1,000 passes), turn away (0.964 after 10,000) and come again.
    """
    return margins[-1] > margins[0] and margins[-1] >= _LARGE


RIVALS = ("least squares", "LMS", "logistic")


class Rival(NamedTuple):
    """A regression on some points; w with the bias last."""

    name: str
    w: list[float]
    wrong: int  # points on the wrong side, or on the plane
    sentence: str


def fit_rival(name: str, X: Floats, y: Signs) -> Rival:
    """The regression of this name; `y` is −1 or +1."""
    models: dict[str, Any] = {
        "least squares": LeastSquares(),
        "LMS": Adaline(order="cyclic", max_passes=200),
        "logistic": Logistic(),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the sentence says it
        model: LinearClassifier = models[name].fit(X, y)
    w = [*model.coef_[0].tolist(), float(model.intercept_[0])]
    wrong = int(np.sum(y * model.decision_function(X) <= 0))
    return Rival(name, w, wrong, model.outcome_.sentence)
