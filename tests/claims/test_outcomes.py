"""How a run ended, in every learner's words: sides, proofs, losses and minima."""

import re
import warnings
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp
from sklearn.exceptions import ConvergenceWarning

import rosenblatt as rb
from tests.claims import oracles
from tests.claims.book import Reader
from tests.claims.shown import is_shown, number
from tests.claims.tables import Table, table

outcomes, ends, advice, joint = Reader("outcome"), Reader("end"), Reader("advice"), Reader("joint")

LEARNERS: dict[str, Any] = {
    "default": rb.Perceptron,
    "cyclic": lambda **k: rb.Perceptron(order="cyclic", **k),
    "drawn": lambda **k: rb.Perceptron(order="random", max_passes=50, **k),
    "averaged": lambda **k: rb.Perceptron(average=True, max_passes=100, **k),
    "pocket": lambda **k: rb.Perceptron(pocket=True, max_passes=100, **k),
    "warm": lambda **k: rb.Perceptron(warm_start=True, max_passes=100, **k),
    "warm pocket": lambda **k: rb.Perceptron(warm_start=True, pocket=True, max_passes=100, **k),
    "wide": lambda **k: rb.Perceptron(margin=0.1, max_passes=100, **k),
    "normalized": lambda **k: rb.Perceptron(normalize=True, max_passes=100, **k),
    "few": lambda **k: rb.Perceptron(max_updates=3, **k),
    "patient": lambda **k: rb.Perceptron(patience=2, order="cyclic", start="random", random_state=1, **k),
    "tie correct": lambda **k: rb.Perceptron(tie="correct", start="random", random_state=0, order="cyclic", **k),
    "tie positive": lambda **k: rb.Perceptron(tie="positive", order="cyclic", **k),
    "stein": lambda **k: rb.Perceptron.from_recipe("stein", start="zeros", max_passes=100, **k),
    "unit": lambda **k: rb.Perceptron.from_recipe("unit", max_passes=100, **k),
    "signum": lambda **k: rb.Perceptron.from_recipe("signum", max_passes=100, **k),
    "rosenblatt62": lambda **k: rb.Perceptron.from_recipe("rosenblatt62", max_passes=100, **k),
    "pa": lambda **k: rb.PassiveAggressive(max_passes=100, **k),
    "pa II": lambda **k: rb.PassiveAggressive(variant="II", max_passes=100, **k),
    "batch perceptron": lambda **k: rb.BatchPerceptron(max_passes=50, **k),
    "rescaled": lambda **k: rb.RescaledPerceptron(max_passes=20, **k),
    "Adaline": lambda **k: rb.Adaline(max_passes=200, **k),
    "Adaline 0.5": lambda **k: rb.Adaline(eta=0.05, order="cyclic", max_passes=200, **k),
    "Adaline batch": lambda **k: rb.Adaline(mode="batch", max_passes=500, **k),
    "logistic": rb.Logistic,
    "logistic batch": lambda **k: rb.Logistic(mode="batch", max_passes=500, **k),
    "logistic incremental": lambda **k: rb.Logistic(mode="incremental", order="cyclic", max_passes=200, **k),
    "logistic ridge": lambda **k: rb.Logistic(regularizer=0.5, **k),
    "least squares": rb.LeastSquares,
    "least squares ridge": lambda **k: rb.LeastSquares(regularizer=1.0, **k),
    "least squares far": lambda **k: rb.LeastSquares(regularizer=100.0, start="random", random_state=0, **k),
}


@dataclass
class Fit:
    """A model, one of its weight vectors, and the labels −1/+1 that these were learned from."""

    table: Table
    name: str
    model: Any
    w: np.ndarray
    y: np.ndarray
    outcome: Any

    def __repr__(self):
        return f"{self.name} on {self.table!r}"

    @property
    def n(self):
        return len(self.table.present)

    @cached_property
    def Z(self):  # noqa: N802
        return oracles.signed(self.table.X[self.table.present], self.y[self.table.present], self.table.intercept)

    @cached_property
    def as_read(self):
        """The same, with columns of decimals as decimals."""
        X = oracles.read(self.table.X[self.table.present])
        return oracles.signed(np.array(X, dtype=object), self.y[self.table.present], self.table.intercept)

    @cached_property
    def agreement(self):
        """y·s of each row that counts, exactly."""
        return [oracles.dot(z, oracles.exact(self.w)) for z in self.Z]

    @cached_property
    def doubtful(self):
        """Rows whose side float64 cannot be sure of: they may be counted either way where nothing is certified."""
        sizes = [sum(abs(a * b) for a, b in zip(z, oracles.exact(self.w), strict=True)) for z in self.Z]
        return sum(
            abs(s) <= Fraction(1, 10**14) * size and bool(size) for s, size in zip(self.agreement, sizes, strict=True)
        )

    @property
    def squared(self):
        return isinstance(self.model, rb.Adaline | rb.LeastSquares)

    @property
    def free(self):
        """Weights without a penalty: the bias."""
        return (len(self.w) - 1,) if self.table.intercept else ()

    penalty = 0.0  # the ridge that the sentence names

    def loss(self):
        value = oracles.squared_loss if self.squared else oracles.logistic_loss
        return value(self.table.X, self.y, self.w, self.weights, self.table.intercept, self.penalty, self.free)

    def minimum(self):
        value = oracles.least_squares_minimum if self.squared else oracles.logistic_minimum
        return value(self.table.X, self.y, self.weights, self.table.intercept, self.penalty, self.free)

    @property
    def weights(self):
        return self.table.all_weights

    @cached_property
    def has_minimum(self):
        return self.squared or self.penalty > 0 or oracles.separability(self.Z)[0] == "overlap"


# ----------------------------------------------------------------------------------------------------------- the sides


def _is_whole(fit, n):
    assert int(n) == fit.n


def _all_right(fit, n):
    _is_whole(fit, n)
    assert all(s > 0 for s in fit.agreement), "every row strictly on its side"


def _classified_wrongly(fit, wrong, n, plane=None):
    """As `predict` answers: a tie is the first class, or the second with tie="positive"."""
    _is_whole(fit, n)
    y = fit.y[fit.table.present]
    tie_is_wrong = -1 if getattr(fit.model, "tie", "") == "positive" else 1
    true = sum(s < 0 or (s == 0 and t == tie_is_wrong) for s, t in zip(fit.agreement, y, strict=True))
    assert abs(number(wrong) - true) <= fit.doubtful
    if plane is not None or isinstance(fit.model, rb.Perceptron | rb.PassiveAggressive):
        assert abs(number(plane or "0") - sum(s == 0 for s in fit.agreement)) <= fit.doubtful


@outcomes.of("separated", "separated loss")
def _separated(fit, n, after, end=None):
    assert fit.outcome in (("SEPARATED",) if end is None else ("SEPARATED", "RECEDING", "CONVERGED"))
    _all_right(fit, n)
    _after(fit, after)
    if end is not None:
        _read_end(fit, end)


def _after(fit, after):
    found = re.fullmatch(r"([\d,]+) (correction|pass|step)(?:s|es)?(?:, (\d+) phases?)?", after)
    assert found, f"after {after!r}"
    made, what = number(found[1]), found[2]
    single = len(fit.model.coef_) == 1
    if what == "correction" and single:
        assert made == fit.model.n_updates_
    elif single:
        assert made in (fit.model.n_passes_, fit.model.n_updates_)
    if found[3] and single:
        assert int(found[3]) == fit.model.n_passes_


@outcomes.of("not on side")
def _not_on_side(fit, wrong, n, after, end):
    assert fit.outcome in ("CONVERGED", "BUDGET", "RECEDING")
    _is_whole(fit, n)
    assert abs(number(wrong) - sum(s <= 0 for s in fit.agreement)) <= fit.doubtful
    _after(fit, after)
    _read_end(fit, end)


@outcomes.of("tied", "tied shifted", "tied hidden")
def _tied(fit, corrections, plane, n, delta=None):
    assert fit.outcome == "TIED"
    _is_whole(fit, n)
    assert number(corrections) == fit.model.n_updates_ or len(fit.model.coef_) > 1
    assert all(s >= 0 for s in fit.agreement)
    assert int(plane) == sum(s == 0 for s in fit.agreement)
    assert (fit.outcome.hyperplane is not None) == (delta is not None)
    touching = {int(t) for s, t in zip(fit.agreement, fit.y[fit.table.present], strict=True) if s == 0}
    if delta is None and "all of one class" not in fit.outcome.sentence:
        assert len(touching) == 2 or not fit.table.intercept, "a shift would separate, and it says nothing is proved"
        return
    assert len(touching) == 1
    assert oracles.separability(fit.Z)[0] == "complete"
    if delta is not None:
        plane_found = fit.outcome.hyperplane
        shifted = [oracles.dot(z, oracles.exact([*plane_found.w, plane_found.b])) for z in fit.Z]
        assert all(s > 0 for s in shifted), "the shifted plane"


@outcomes.of("cycling", "cycling again")
def _cycling(fit, m, wrong, n, passes=None, plane=None):
    assert fit.outcome == "CYCLING"
    assert oracles.separability(fit.Z)[0] != "complete"
    _classified_wrongly(fit, wrong, n, plane)
    witness = fit.model.witness_
    if not isinstance(witness, list):
        assert int(m) == len(witness.rows)
        places = fit.table.present.tolist()
        rows = [fit.Z[places.index(int(i))] for i in witness.rows]
        assert all(factor > 0 for factor in witness.multipliers)
        assert not any(sum(f * z[j] for f, z in zip(witness.multipliers, rows, strict=True)) for j in range(len(fit.w)))


@outcomes.of("budget")
def _budget(fit, wrong, n, after, plane=None, fewest=None, reason=None):
    assert fit.outcome == "BUDGET"
    _classified_wrongly(fit, wrong, n, plane)
    if len(fit.model.coef_) == 1 and fewest is not None:
        made = fit.model.mistakes_per_pass_
        best = made if fit.name.startswith("warm") else (min(made), min(made[:-1], default=None))  # of which data?
        assert int(fewest) in best, "the last pass may have been cut short"
    if "no hyperplane separates" in (reason or ""):
        assert oracles.separability(fit.Z)[0] != "complete"
    if "a hyperplane separates" in (reason or ""):
        assert oracles.separability(fit.Z)[0] == "complete"


@outcomes.of("rounding")
def _rounding(fit, hidden, n):
    assert fit.outcome == "BUDGET"
    _is_whole(fit, n)
    assert int(hidden) >= 1
    assert any(s <= 0 for s in fit.agreement)


@outcomes.of("rounded away")
def _rounded_away(fit, row):
    assert fit.outcome == "BUDGET"
    assert fit.agreement[int(row)] <= 0
    assert all(s > 0 for s in fit.agreement[: int(row)])


@outcomes.of("rounded")
def _rounded(fit, said):
    assert fit.as_read != fit.Z, "the numbers are their floats"
    outcomes.read(said, fit)


@outcomes.of("online")
def _online(fit):
    assert fit.outcome == "ONLINE"


# ------------------------------------------------------------------------------------------------------------ the ends


def _read_end(fit, text):
    ends.read(text, fit)


def _loss_is(fit, loss, words):
    ridge = re.search(r"½·([\d.e+-]+)·", words)
    fit.penalty, asked = number(ridge[1]) if ridge else 0.0, getattr(fit.model, "regularizer", 0.0)
    assert fit.penalty == asked or (fit.penalty == 0 and fit.squared), "steps with a ridge tend to least squares"
    rounding = 1e-15 * float(sum(fit.weights))  # of a loss that is 0 only this is left
    assert is_shown(loss, fit.loss()) or abs(number(loss) - fit.loss()) <= rounding, f"the loss is {float(fit.loss())}"


@ends.of("within")
def _within(fit, words, loss, gap, proof, note=None):
    assert fit.outcome in ("CONVERGED", "SEPARATED")
    _loss_is(fit, loss, words)
    assert fit.has_minimum, "there is no minimum"
    assert float(fit.loss() - fit.minimum()) <= number(gap) + 1e-13 * float(fit.loss()), "farther from it"


@ends.of("within only")
def _within_only(fit, words, loss, gap, proof, note=None):
    _within(fit, words, loss, gap, proof)
    assert fit.penalty or len(oracles.pivots(fit.Z)) == len(fit.Z[0]), "columns depend on each other"


@ends.of("above", "fixed")
def _above(fit, words, loss, gap, reason=None, note=None):
    _loss_is(fit, loss, words)
    assert fit.has_minimum
    assert float(fit.loss() - fit.minimum()) <= number(gap) + 1e-13 * float(fit.loss())


@ends.of("not proved", "fixed not proved", "growing")
def _not_proved(fit, words, loss, reason=None, note=None):
    assert fit.outcome in ("BUDGET", "SEPARATED")
    _loss_is(fit, loss, words)


@ends.of("moving", "hardly", "not known")
def _moving(fit, reason=None):
    assert fit.outcome in ("BUDGET", "SEPARATED")


@ends.of("no minimum")
def _no_minimum(fit, growth):
    assert fit.outcome == "RECEDING"
    assert not fit.has_minimum, "there is a minimum"
    v = fit.outcome.hyperplane
    v = [*v.w, *[v.b] * fit.table.intercept]
    slopes = [oracles.dot(z, oracles.exact(v)) for z in fit.Z]
    assert all(s >= 0 for s in slopes)
    assert any(s > 0 for s in slopes)
    names = [f"x{j}" for j in range(fit.table.X.shape[1])] + ["the intercept"] * fit.table.intercept
    found = re.fullmatch(r"(?:(.+) grows?)?(?: and )?(?:(.+) falls?)?", growth)
    assert found, growth
    told = dict.fromkeys(names, 0)
    for sign, some in ((1, found[1]), (-1, found[2])):
        told |= dict.fromkeys(re.split(r", | and ", some) if some else [], sign)
    if " more" not in growth:
        assert told == {name: int(np.sign(value)) for name, value in zip(names, v, strict=True)}, (growth, v)


# ------------------------------------------------------------------------------------------------ K classes at once


@ends.of("all grow", "class grows")
def _joint_grows(fit, growth=None, label=None):
    assert fit.outcome == "RECEDING"
    if label is not None:
        v = fit.outcome.hyperplane
        y = np.where(fit.y == int(label), 1, -1)[fit.table.present]
        Z = oracles.signed(fit.table.X[fit.table.present], y, fit.table.intercept)
        slopes = [oracles.dot(z, oracles.exact([*v.w, *[v.b] * fit.table.intercept])) for z in Z]
        assert min(slopes) >= 0
        assert max(slopes) > 0


@joint.of("all given", "not given")
def _given(fit, n, after, end, wrong="0"):
    """`fit.y` are the classes here, `fit.w` one row of weights for each."""
    _is_whole(fit, n)
    scores = np.array([[float(s) for s in oracles.responses(fit.table.X, w, fit.table.intercept)] for w in fit.w]).T
    own = scores[np.arange(len(fit.y)), fit.y]
    others = np.where(np.eye(3, dtype=bool)[fit.y], -np.inf, scores).max(axis=1)
    near = 1e-9 * np.abs(scores).max()
    present = fit.table.present
    assert np.sum((own < others - near)[present]) <= int(wrong) <= np.sum((own <= others + near)[present])
    template = ends.read(end, _JointFit(**vars(fit)))
    assert template, end


class _JointFit(Fit):
    """The softmax loss of K classes. Nobody else's weights, found by scipy from two starts, may be better by more."""

    def _softmax(self, flat):
        W = np.reshape(flat, (3, -1))
        Z = np.column_stack([self.table.X, np.ones(len(self.y))]) if self.table.intercept else self.table.X
        S = Z @ W.T
        return float(np.sum(self.weights * (logsumexp(S, axis=1) - S[np.arange(len(self.y)), self.y])))

    def loss(self):
        return self._softmax(self.w)

    def minimum(self):
        starts = np.zeros(self.w.size), np.ravel(self.w)
        return min(minimize(self._softmax, start, method="BFGS").fun for start in starts) + 1e-9

    @property
    def has_minimum(self):
        return True  # what proves that there is none is checked where it is said


def test_classes_at_once(tables):
    for i in tables[::10]:
        made = table(i)
        labels = np.arange(len(made.X)) % 3
        if len(np.unique(labels[made.present])) < 3 or np.abs(made.X).max() > 1e3 or made.X.dtype != np.float64:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = rb.Logistic(multiclass="multinomial", fit_intercept=made.intercept)
            model.fit(made.given, labels, sample_weight=made.weights)
        W = np.column_stack([model.coef_, model.intercept_]) if made.intercept else model.coef_
        joint.read(model.outcome_.sentence, Fit(made, "multinomial", model, W, labels, model.outcome_))
    joint.finish(rare={})
    assert not ends.wrong, ends.wrong[:5]


# ---------------------------------------------------------------------------------------------------- what to do next


@advice.of("tied", "compromise", "exists", "pa", "receding", "incremental", "batch", "ridge")
@advice.of("tied classes", "weights exist", "more passes together", "in a search")
def _advice(fit, better=None, **fields):
    assert fit.outcome not in ("SEPARATED", "CONVERGED"), "nothing is to be done"


@advice.of("minimum exists")
def _minimum_exists(fit):
    assert fit.outcome == "BUDGET"
    assert not fit.model.regularizer, "with a ridge there is always one"


@advice.of("scale")
def _scale(fit, large, reaches, small, only, how):
    sizes = np.abs(fit.table.X[fit.table.present]).max(axis=0)
    assert sizes[int(large)] > 100 * sizes[int(small)]
    assert is_shown(reaches, sizes[int(large)])
    assert is_shown(only, sizes[int(small)])


@advice.of("scale bias")
def _scale_bias(fit, large, reaches, how):
    X = fit.table.X[fit.table.present]
    sizes = np.where(np.ptp(X, axis=0) > 0, np.abs(X).max(axis=0), 0.0)
    assert fit.table.intercept
    assert not 0.01 <= sizes.max() <= 100
    assert is_shown(reaches, sizes[int(large)])


@advice.of("more passes", "more passes known")
def _more_passes(fit):
    assert fit.outcome == "BUDGET"


# ----------------------------------------------------------------------------------------------------------- the tests


def fitted(made: Table, name: str, labels=None, partial=False):
    """The model, and what it warned of."""
    labels = made.labels if labels is None else labels
    model = LEARNERS[name](fit_intercept=made.intercept)
    if isinstance(model, rb.Logistic):
        model.set_params(multiclass="ovr")  # K classes at once have a test of their own
    if getattr(model, "warm_start", False):
        _fit_before(model, made, labels)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", ConvergenceWarning)
        if partial:
            model.partial_fit(made.given, labels, classes=np.unique(labels), sample_weight=made.weights)
        else:
            model.fit(made.given, labels, sample_weight=made.weights)
    said = [str(one.message) for one in warned if issubclass(one.category, ConvergenceWarning)]
    assert len(said) <= 1
    return model, said[0] if said else ""


def _fit_before(model, made, labels):
    """A fit to other data of the same shape: all rows present, and the labels of now or their opposite."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(made.given, labels.max() - labels if made.X.sum() > 0 else labels)


def parts(made, name, model, labels):
    """One `Fit` for each weight vector, with its outcome."""
    W = np.column_stack([model.coef_, model.intercept_]) if made.intercept else model.coef_
    if len(W) == 1:
        return [Fit(made, name, model, W[0], np.where(labels == model.classes_[1], 1, -1), model.outcome_)]
    several = zip(W, model.classes_, model.outcomes_, strict=True)
    return [Fit(made, name, model, w, np.where(labels == c, 1, -1), outcome) for w, c, outcome in several]


def read(made, name, model, warned, labels):
    for fit in parts(made, name, model, labels):
        sentence = fit.outcome.sentence
        if len(model.coef_) > 1:
            begin, _, sentence = sentence.partition(" against the rest: ")
            assert begin in [f"class {c!r}" for c in model.classes_.tolist()], begin
        outcomes.read(sentence, fit)
        if not sentence.startswith("of the rounded numbers"):
            outcomes.check(lambda fit=fit: _true_as_read(fit), sentence, fit)
        if fit.outcome is model.outcome_ or len(model.coef_) == 1:
            outcomes.check(lambda fit=fit: _warns_rightly(fit, warned), sentence, fit)
            if warned:
                assert warned.startswith(model.outcome_.sentence), warned
                advice.read_all(warned.removeprefix(model.outcome_.sentence).strip(), fit)


def _true_as_read(fit):
    """What is proved is true of decimals as well."""
    if fit.outcome == "SEPARATED":
        assert all(oracles.dot(z, oracles.exact(fit.w)) > 0 for z in fit.as_read)
    elif fit.outcome in ("CYCLING", "RECEDING") or fit.outcome.hyperplane is not None:
        kind = oracles.separability(fit.as_read)[0]
        wrong = {"CYCLING": ["complete"], "RECEDING": ["overlap"]}.get(str(fit.outcome), ["quasi", "overlap"])
        assert kind not in wrong


def _warns_rightly(fit, warned):
    shifted = fit.outcome == "TIED" and fit.outcome.hyperplane is not None
    assert bool(warned) == (fit.outcome not in ("SEPARATED", "CONVERGED", "ONLINE") and not shifted), "warned or not"


def _fit_and_read(made, name, labels):
    try:
        model, warned = fitted(made, name, labels)
    except ValueError as why:
        refusal = str(why)
    else:
        return read(made, name, model, warned, labels)
    # columns of 1e8 and a step that was given: it diverges, and says so
    return outcomes.check(lambda: _diverges(refusal), refusal, f"{name} on {made!r}")


def _diverges(refusal):
    assert "float64" in refusal, "not what a fit is refused for"


def _learners_for(made, soak):
    """All that begin anew; for sparse tables and float32 few: each rule is compiled by itself for each layout."""
    usual = made.X.dtype == np.float64 and not made.sparse
    every = [name for name in LEARNERS if not name.startswith("warm")]
    return every if soak or usual else ["default", "averaged", "logistic", "least squares", "rescaled"]


def test_how_runs_end_is_true(tables, half_of_tables, request):
    for i in half_of_tables:
        made = table(i)
        if not made.two_classes:
            continue
        names = _learners_for(made, request.config.getoption("--soak"))
        for k in range(3):
            _fit_and_read(made, names[(3 * i + k) % len(names)], made.labels)
        if i % 5 == 0 and made.X.dtype == np.float64 and not made.sparse:
            _fit_and_read(made, ("warm", "warm pocket")[i // 5 % 2], made.labels)
    for i in tables[::10]:  # three classes, and a stream
        made = table(i)
        if len(made.X) < 4 or not made.two_classes:
            continue
        labels = np.where(np.arange(len(made.X)) % 4 == 3, 2, made.labels)
        if len(np.unique(labels[made.present])) == 3:
            names = _learners_for(made, request.config.getoption("--soak"))
            _fit_and_read(made, names[(7 * i) // 10 % len(names)], labels)
        name = ("default", "pa")[i // 10 % 2]
        read(made, name, *fitted(made, name, partial=True), made.labels)
    ends.finish(rare=RARE_ENDS)
    outcomes.finish(rare=RARE_OUTCOMES)
    advice.finish(rare=RARE_ADVICE)


RARE_OUTCOMES = {
    "rounded": "rows on a plane that decimals miss, or numbers that floats do not hold; tests/learners/test_as_read.py",
    "tied hidden": "a shift smaller than float64 has; tests/learners/test_outcomes.py has it",
    "rounded away": "needs decimals that only rounding brings to the wrong side; tests/learners/test_units.py has them",
    "rounding": "needs weights that only rounding keeps on their side; tests/learners/test_outcomes.py has them",
}
RARE_ENDS = {
    "all grow": "K classes at once; test_classes_at_once has it",
    "class grows": "the same",
    "moving": "rows beyond this process: a cluster, or too many for a matrix",
    "hardly": "the same",
    "not known": "least squares with too many columns for a matrix",
    "growing": "a direction that is not proved: none is known that happens on small tables",
}
RARE_ADVICE = {
    "in a search": "fits that one call makes; tests/learners/test_engineering.py has them",
    "minimum exists": "a Newton run that float64 stops: columns in very different units",
    **dict.fromkeys(
        ("tied classes", "weights exist", "more passes together"), "K classes that learn together: test_together.py"
    ),
}


def test_pocket_keeps_the_best_weights_it_met():
    """The issue's tables: XOR, and a column where the plain perceptron did better than its pocket."""
    for X, y, most in (([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], 2), ([[0], [1], [1], [2]], [0, 0, 1, 1], 1)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = rb.Perceptron(pocket=True).fit(X, y)
        assert sum(model.predict(X) != np.array(y)) <= most


@pytest.mark.parametrize("mode", ["newton", "batch", "incremental"])
def test_no_minimum_is_claimed_of_separable_data(mode):
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = rb.Logistic(mode=mode).fit(X, y)
    assert model.outcome_ == "RECEDING"
    assert "no minimum" in model.outcome_.sentence
