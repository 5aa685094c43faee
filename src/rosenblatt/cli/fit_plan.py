"""What a fit is to be: the learner, the steps before it, and how it is judged on rows that it did not learn from."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.learners import LearnerName, Recipe, make_learner, refuse_with_auto, usual_learner
from rosenblatt.cli.waiting import validating

if TYPE_CHECKING:
    from rosenblatt.comparison.choosing import Choice
    from rosenblatt.comparison.folds import CrossValidated
    from rosenblatt.data.loaded import Loaded

__all__ = ["FitWanted", "Plan", "refuse_common_means"]

_DEFAULT_RIDGE = 1.0  # for random features, of which there are many: without one they separate nearly anything


@dataclass(frozen=True)
class FitWanted:
    """What the command line says of the learner and its judges."""

    learner: LearnerName | None
    recipe: Recipe | None
    parameters: dict[str, Any]
    scale: bool
    rff: int | None
    cv: int | None
    seed: int
    trace: Path | None

    def refuse_contradictions(self) -> None:
        """What can be refused before a table is read."""
        if self.learner is LearnerName.auto:
            refuse_with_auto(self.recipe, self.scale, self.parameters)
        if self.rff is not None and self.scale:
            raise ValueError("--rff takes features of columns of one size: leave out --scale.")
        if self.rff is not None and self.trace is not None:
            raise ValueError("--trace records corrections of the rows as they are: leave out that, or --rff.")
        if self.learner not in (None, LearnerName.auto):
            self.make(self.learner)

    def make(self, name: LearnerName) -> Any:
        """The learner of this name with the parameters that were given."""
        given = self.parameters
        if name is LearnerName.logistic and self.learner is None and self.rff and given["regularizer"] is None:
            given = given | {"regularizer": _DEFAULT_RIDGE}
        return make_learner(name, self.recipe, given).set_params(random_state=self.seed)

    def plan(self, loaded: "Loaded", learned_from: Any) -> "Plan":
        """The learner for this table; with `auto` the one that cross-validation chooses."""
        from rosenblatt.data.rows import as_rows

        for option, given in (("--cv", self.cv), ("--rff", self.rff), ("--learner auto", self.learner == "auto")):
            if given and as_rows(loaded.X).mapped:
                raise ValueError(f"{option} needs the rows in memory, and they are in a store.")
            if not given or option == "--rff":
                continue
            refuse_common_means(option, loaded)
            if loaded.encoding.counts:
                raise ValueError(f"{option} judges row by row, and --counts has rows in groups: leave out one of them.")
        if self.cv is not None or self.learner is LearnerName.auto:
            self._refuse_few_rows(loaded, learned_from)
        if self.learner is LearnerName.auto:
            return self._chosen(loaded, learned_from)
        columns = self.rff or loaded.X.shape[1]
        name = self.learner or usual_learner(columns, self.recipe, self.parameters, self.scale)
        plan = Plan(self, name, self.make(name), self.scale)
        return plan if self.cv is None else plan.cross_validated(loaded, learned_from)

    def _refuse_few_rows(self, loaded: "Loaded", learned_from: Any) -> None:
        """Refuse more folds than a class has rows, by the class's name."""
        import numpy as np

        from rosenblatt.comparison.folds import deal, enough_folds

        _, codes, _ = _taken(loaded, learned_from)
        deal(codes, np.array(loaded.classes), self.cv or enough_folds(codes), self.seed)

    def _chosen(self, loaded: "Loaded", learned_from: Any) -> "Plan":
        from rosenblatt.comparison.choosing import choose, family

        common = {name: self.parameters[name] for name in ("max_passes", "fit_intercept", "class_weight")}
        columns = self.rff or loaded.X.shape[1]
        several = family(columns, len(loaded.classes), **common, random_state=self.seed)
        X, codes, weights = _taken(loaded, learned_from)
        with validating() as progress:
            choice = choose(
                X,
                codes,
                folds=self.cv,
                candidates=several,
                n_components=self.rff,
                sample_weight=weights,
                random_state=self.seed,
                progress=progress,
            )
        one = next(one for one in several if one.called == choice.name)
        learner = one.learner.set_params(random_state=self.seed)
        scaled = one.scaled and self.rff is None  # features are of columns of one size anyway
        return Plan(self, LearnerName(one.name), learner, scaled, choice.results[choice.name], choice)


@dataclass(frozen=True)
class Plan:
    """A learner, whether it learns from scaled columns, and what cross-validation says of it."""

    wanted: FitWanted
    name: LearnerName
    model: Any
    scale: bool
    judged: "CrossValidated | None" = None
    choice: "Choice | None" = None

    def steps(self, loaded: "Loaded") -> list[Any]:
        """What the rows go through before the learner, not fitted yet."""
        from rosenblatt.comparison.choosing import steps_for

        return steps_for(loaded.X, self.scale, self.wanted.rff, self.model.fit_intercept, self.wanted.seed)

    @property
    def gives_back(self) -> bool:
        """Whether two classes' weights for scaled columns are given back to the columns as they are: no penalty."""
        return self.scale and not getattr(self.model, "regularizer", 0)

    def cross_validated(self, loaded: "Loaded", learned_from: Any) -> "Plan":
        """The same, judged."""
        from rosenblatt.comparison.folds import cross_validate
        from rosenblatt.models.steps import with_steps

        X, codes, weights = _taken(loaded, learned_from)
        with validating() as progress:
            found = cross_validate(
                with_steps(self.steps(loaded), self.model),
                X,
                codes,
                folds=self.wanted.cv or 0,
                sample_weight=weights,
                random_state=self.wanted.seed,
                progress=lambda done, of: progress(self.name, done, of),
            )
        return replace(self, judged=found)

    def refuse_scaling(self, loaded: "Loaded") -> None:
        """Refuse --scale where it means nothing, or would copy what fits nowhere."""
        from rosenblatt.data.rows import as_rows

        blind = self.name in ("logistic", "least-squares")
        if blind and not getattr(self.model, "regularizer", 0):
            raise ValueError(f"--learner {self.name} gives the same answers for any units: leave out --scale.")
        if self.wanted.trace is not None:
            raise ValueError("--trace records corrections of the rows as they are: leave out that, or --scale.")
        if as_rows(loaded.X).mapped:
            raise ValueError("--scale needs the rows in memory, and they are in a store: scale the table's columns.")


def _taken(loaded: "Loaded", rows: Any) -> tuple[Any, Any, Any]:
    """Some rows, the places of their classes, and their weights."""
    from rosenblatt.learners.table_fit import places

    return loaded.X[rows], places(loaded)[rows], None if loaded.weights is None else loaded.weights[rows]


def refuse_common_means(option: str, loaded: "Loaded") -> None:
    """Refuse means of all rows in the place of missing values, where some of these rows are to judge the model."""
    if any(column.mean is not None for column in loaded.encoding.columns):
        raise ValueError(
            f"{option} judges a model by rows that it knows nothing of, and --missing mean takes the mean of all rows: "
            f"say --missing indicator or drop, or judge it by another table (--validation FILE)."
        )
