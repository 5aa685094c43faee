"""The perceptron: correct after each mistake, stop when there is none, and say how the run ended."""

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from sklearn.utils._param_validation import StrOptions

from rosenblatt.arrays import Floats, Labels
from rosenblatt.data.numbers import Rows
from rosenblatt.learners.runs.clock import Settings
from rosenblatt.learners.runs.crew import Crew, n_threads
from rosenblatt.learners.runs.examples import Ties
from rosenblatt.learners.runs.joint import JointExamples, JointRun
from rosenblatt.learners.runs.run import Run
from rosenblatt.learners.shared.base import Beginning
from rosenblatt.learners.shared.online import OnlineClassifier
from rosenblatt.learners.shared.parameters import ClassWeight, Order, RandomState, Start, at_least, carried_over, one_of
from rosenblatt.models.run_state import Units

if TYPE_CHECKING:
    from sklearn.linear_model import Perceptron as SklearnPerceptron

__all__ = ["Perceptron"]

Tie = Literal["mistake", "correct", "positive", "negative"]
Recipe = Literal["stein", "cyclic", "rosenblatt62", "unit", "signum"]

_TIES: dict[Tie, Ties] = {
    "mistake": (True, True),
    "correct": (False, False),
    "positive": (False, True),
    "negative": (True, False),
}

# The settings that make the algorithm of each of five lectures.
_RECIPES: dict[Recipe, dict[str, Any]] = {
    "stein": {"start": "random", "order": "random", "tie": "positive"},
    "cyclic": {"start": "random", "order": "cyclic", "tie": "correct"},
    "rosenblatt62": {"start": "zeros", "order": "cyclic", "tie": "mistake", "eta": 1.0},
    "unit": {"start": "random", "order": "random", "tie": "correct", "eta": 1.0, "normalize": True},
    "signum": {"start": "zeros", "order": "cyclic", "tie": "mistake"},
}


@dataclass(repr=False, eq=False)
class Perceptron(OnlineClassifier):
    """Rosenblatt's perceptron, with the truth about its convergence.

    For each example shown, s = w·x + b; if y·s ≤ 0 that is a mistake, and it is corrected: w += η·y·x, b += η·y. A fit
    stops after a pass without a mistake. If a hyperplane separates the classes with margin γ and R is the largest
    length of (x, 1), there are at most (R/γ)² corrections from w = 0 (Novikoff 1962; `rb.theory.mistake_bound`).

    `outcome_` says how the fit ended: SEPARATED (every sign certified), TIED, CYCLING (proof that nothing separates the
    classes) or BUDGET. Any other end than SEPARATED warns.

    Parameters
    ----------
    eta : float, default 1.0
        The step η. From w = 0 and without a margin it scales w and changes nothing else.
    order : {"cyclic", "shuffled", "random"}, default "shuffled"
        Rows in turn; in a new permutation each pass; drawn with replacement. "cyclic" is the lectures' order; it learns
        badly from rows that are sorted by class.
    start : {"zeros", "random"} or array of shape (d,) or (K, d), default "zeros"
        w(0), the bias last. Random weights are multiples of 2^-24 in [-1, 1).
    tie : {"mistake", "correct", "positive", "negative"}, default "mistake"
        What s = 0 counts as: always a mistake; always correct; or the answer `classes_[1]`, or `classes_[0]`, which is
        right or wrong like any answer.
    normalize : bool, default False
        Learn from z/‖z‖ instead of z = (x, 1).
    margin : float, default 0.0
        With m > 0, y·s ≤ m·‖(w, b)‖ is a mistake too. The mistake bound does not hold then.
    fit_intercept : bool, default True
        Whether to learn b.
    max_passes : int, default 1000
        Stop after so many sweeps (BUDGET).
    max_updates : int, optional
        Stop after so many corrections (BUDGET).
    patience : int, optional
        Stop when no pass has beaten the fewest mistakes for so many passes (BUDGET).
    average : bool or "auto", default "auto"
        Whether to return the mean of the weights over all presentations (Freund & Schapire 1999), which is steadier on
        overlapping data, or the last weights. "auto": the last weights where they separate, as in the lectures,
        otherwise the mean. Such runs, "auto" and True, look at the mean after 8, 16, 32 … passes. Where it no longer
        gets better, and after 64 passes anyway, the run asks whether a hyperplane separates, for about as long as its
        passes took: it goes on where one does, and ends where none does (BUDGET, with the proof in the sentence), or
        where nobody knows and mistakes hardly become fewer; but not in the first tenths of a millisecond. In
        `partial_fit`, where nobody sees all rows, "auto" is the last weights.
    pocket : bool, default False
        Return the best of these weights (after Gallant 1990): w(0), those at each pass end, and in each pass those with
        the longest run of right answers. They are tried on all rows. The best answer the fewest rows wrongly, as
        `score` counts, and among equals have the fewest rows on their plane. In `partial_fit`, where nobody sees all
        rows, the longest run alone decides.
    class_weight : dict or "balanced", optional
        Factors for the steps of each class.
    random_state : int, RandomState or None, default 0
        Seeds `order` and `start`. An int gives the same run on every platform, None another run each time.
    n_jobs : int, optional
        Threads. More than one changes no bit of the result: classes are learned side by side; with two classes, other
        threads look ahead while mistakes are rare (not with `margin`).
    warm_start : bool, default False
        Go on where the previous fit stopped: `max_passes` more passes make the run that all passes at once would have
        made, bit for bit. If the data have another shape or another number of classes, or `average` was changed, a new
        run starts from the weights; with `trace` also if the data are not those of the previous fit.
    trace : bool, default False
        Record every correction in `trace_`.
    positive : label, optional
        The class that is +1, where w·x + b > 0: `classes_[1]`. Otherwise the second in order; of ⊕ and ⊖, C1 and C2, as
        in lectures, the first. (scikit-learn's scorers of scores, such as roc_auc, always take the last in order.)
    multiclass : {"ovr", "kesler"}, default "ovr"
        K > 2 classes: K perceptrons, each class against the rest; or one joint perceptron (Kesler's construction). Let
        s_k = w_k·x + b_k, y the right class and k the wrong class of the highest score (the first of equals). Then
        s_y ≤ s_k is a mistake, and is corrected: (w_y, b_y) += η·(x, 1), (w_k, b_k) −= η·(x, 1). From zeros there are
        at most (R/γ)² corrections: R² = max 2‖(x, 1)‖², and γ is the largest min (s_y − s_k) of all weights with
        Σ‖(w_k, b_k)‖² = 1. "kesler" takes no `margin`, and only tie="mistake" or "correct". With two classes the two
        settings do the same.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (1, p), (1,); with K > 2 classes (K, p), (K,)
        w and b, float64.
    classes_ : array
        Sorted labels; of two, the positive one is `classes_[1]` (`positive`).
    hyperplane_ : Hyperplane
        w·x + b = 0, with distances and sides (two classes).
    outcome_ : Outcome
        How the fit ended; `str()` is the name, `.sentence` the explanation. With K > 2 the worst of `outcomes_`. With
        "kesler" there is one alone, and SEPARATED means that every row's own class has the highest score.
    n_passes_, n_updates_ : int
        Passes begun, corrections made (of all classes together).
    mistakes_per_pass_ : array of shape (passes,) or, one against the rest, (passes, K)
        Mistakes in each pass.
    trace_ : Trace or None, or a list of them; with "kesler" a JointTrace
        The corrections, with `trace=True`.
    witness_ : Witness or None, or a list of them; with "kesler" a JointWitness
        With CYCLING: λ > 0 on rows with Σ λ y (x, 1) = 0, the proof.

    References
    ----------
    Rosenblatt (1962), Principles of Neurodynamics, ch. 5. Novikoff (1962), On convergence proofs for perceptrons. Duda
    & Hart (1973), Pattern Classification and Scene Analysis, 5.12 (Kesler's construction).

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> model = rb.Perceptron().fit(X, y)
    >>> model.outcome_
    <SEPARATED: all 4 examples are on their side after 15 corrections.>
    >>> model.predict([[1, 1], [0, 1]])
    array([1, 0])

    Three classes in a row: no line has the middle one alone on its side, but three scores tell them apart.

    >>> rb.Perceptron(multiclass="kesler").fit([[0], [1], [2]], ["low", "mid", "high"]).outcome_
    <SEPARATED: all 3 examples are given to their class after 26 corrections.>
    """

    _minds_sizes = True
    _rule_parameters = ("eta", "tie", "normalize", "margin")

    _constraints: ClassVar[dict[str, list[Any]]] = {
        "average": ["boolean", StrOptions({"auto"})],
        "tie": [one_of(Tie)],
        "normalize": ["boolean"],
        "margin": [at_least(0)],
        "pocket": ["boolean"],
        "multiclass": [StrOptions({"ovr", "kesler"})],
    }

    eta: float = 1.0
    order: Order = "shuffled"
    start: Start = "zeros"
    tie: Tie = "mistake"
    normalize: bool = False
    margin: float = 0.0
    fit_intercept: bool = True
    max_passes: int = 1000
    max_updates: int | None = None
    patience: int | None = None
    average: bool | Literal["auto"] = "auto"
    pocket: bool = False
    class_weight: ClassWeight = None
    random_state: RandomState = 0
    n_jobs: int | None = None
    warm_start: bool = False
    trace: bool = False
    multiclass: Literal["ovr", "kesler"] = "ovr"
    positive: Any = None

    @classmethod
    def from_recipe(cls, recipe: Recipe, **overrides: object) -> Self:
        """The perceptron of one lecture: "stein", "cyclic", "rosenblatt62", "unit" or "signum".

        `overrides` are parameters of the constructor; with "signum" the step is 2·eta, since its w += η·[d − y]·x has
        d − y = ±2.
        """
        if recipe not in _RECIPES:
            raise ValueError(f"no recipe is called {recipe!r}; they are {', '.join(map(repr, _RECIPES))}.")
        parameters = {"average": False} | _RECIPES[recipe] | overrides
        if recipe == "signum":
            parameters["eta"] = 2 * parameters.get("eta", 1.0)
        return cls(**parameters)

    @classmethod
    def from_sklearn(cls, estimator: "SklearnPerceptron") -> Self:
        """The same configuration as a `sklearn.linear_model.Perceptron` (unfitted); what has no counterpart is refused.

        max_iter, eta0, shuffle, fit_intercept, class_weight, random_state, n_jobs and warm_start carry over. `tol` and
        `n_iter_no_change` do not: they end a fit while it still errs (`patience` does so on request).
        """
        from sklearn.linear_model import Perceptron as Theirs

        return cls(**carried_over(estimator, Theirs, cls, ("penalty", "early_stopping")), average=False)

    # -------------------------------------------------------------------------------------------------------- helpers

    def _begin(self, at: Beginning) -> Run:
        positive = self._zero_is_positive()
        settings = Settings.of(
            self,
            ties=_TIES[self.tie],
            seed=at.seed,
            average=not self.pocket and self.average,
            asks=not self.pocket and bool(self.average),
            detect_cycles=not self.normalize,
            zero_is_positive=positive,
        )
        units, start = self._in_units(at.start)
        state = at.state and at.state.with_step(self.eta)
        rule = self._rule(units.step if state is None else state.units.step)
        if self._together > 1:
            joint = JointExamples.of(at.examples, self._together)
            return JointRun(joint, rule, settings, start, Crew(1), state, units)
        threads = n_threads(self.n_jobs) if len(self.classes_) == 2 else 1
        return Run(at.examples, rule, settings, start, Crew(threads), state, units)

    @property
    def _together(self) -> int:
        return len(self.classes_) if self.multiclass == "kesler" and len(self.classes_) > 2 else 1

    def _targets(self, y: Labels) -> list[Labels]:
        if self._together == 1:
            return super()._targets(y)
        return [np.searchsorted(self.classes_, y).astype(np.int32)]

    def _rule(self, step: float | None = None) -> Any:
        """The kernels' rule with η, or with this step in units of a run."""
        from rosenblatt.kernels.kinds import Rosenblatt, WideMargin

        eta = float(self.eta if step is None else step)
        if self._together > 1:
            from rosenblatt.kernels.joint import Kesler

            return Kesler(eta, self.tie == "mistake", bool(self.normalize), self._together)
        common = (eta, *_TIES[self.tie], bool(self.normalize))
        return WideMargin(*common, float(self.margin)) if self.margin else Rosenblatt(*common)

    def _in_units(self, start: Floats) -> tuple[Units, Floats]:
        return Units.of(start, self.eta)

    def _with_step(self, units: Units) -> tuple[Units, Fraction]:
        return units.with_step(self.eta)

    def _stream_rule(self, rows: Rows, units: Units) -> Any:
        return self._rule(units.step)

    def _stream_settings(self) -> Settings:
        average = self.average is True
        return Settings(ties=_TIES[self.tie], average=average, pocket=self.pocket, detect_cycles=False)

    def _zero_is_positive(self) -> bool:
        return self.tie == "positive"

    def _refuse_contradictions(self) -> None:
        if self.average is True and self.pocket:
            raise ValueError("average and pocket each return weights of their own: choose one of them.")
        if self.multiclass == "kesler" and self.margin:
            raise ValueError(f'multiclass="kesler" takes no margin, and margin is {self.margin:g}: leave it 0.')
        if self.multiclass == "kesler" and self.tie not in ("mistake", "correct"):
            raise ValueError(f'multiclass="kesler" takes tie="mistake" or tie="correct", not tie="{self.tie}".')

    def _advice(self) -> str:
        joint = self._together > 1
        if self.outcome_ == "TIED":
            end = "have them corrected" if joint else "move the hyperplane off them"
            return f"{self.outcome_.sentence} Use tie='mistake' to {end}."
        steadier = "" if self.average or self.pocket else " For a good compromise use average=True or pocket=True."
        if self.outcome_ == "CYCLING":
            return f"{self.outcome_.sentence}{steadier}"
        words = (JointRun if joint else Run).words
        if words.impossible in self.outcome_.sentence:
            return f"{self.outcome_.sentence}{steadier}"
        if words.possible in self.outcome_.sentence:
            return f"{self.outcome_.sentence} More passes help (max_passes).{steadier}"
        exists = "Whether a hyperplane exists is another question: rb.separability(X, y)."
        if joint:
            exists = "Whether such weights exist is another question: rb.existence(X, y, model='multinomial')."
        then = "they do" if joint else "it does"
        return f"{self.outcome_.sentence} {exists} If {then}, more passes help (max_passes).{steadier}"
