"""How `rosenblatt fit` learns: the learner, the steps before it, the rows that judge it; here or on a cluster."""

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rosenblatt as rb
from rosenblatt.cli.options import TableOptions
from rosenblatt.cli.output import count, learning, note, outputs, validating, waiting
from rosenblatt.cli.tables import load_alike, load_grouped, spread
from rosenblatt.learners import LEARNERS

if TYPE_CHECKING:
    import numpy.typing as npt

    from distributed import Client
    from rosenblatt.arrays import Selection
    from rosenblatt.comparison.choosing import Choice
    from rosenblatt.comparison.folds import CrossValidated
    from rosenblatt.data.tables import Table
    from rosenblatt.learners.shared import Classifier
    from rosenblatt.learners.shared.table_fit import TableFit
    from rosenblatt.probes.reading import Copies

__all__ = ["FitWanted", "LearnerName", "Order", "Plan", "Recipe", "make_learner", "usual_learner"]

LearnerName = StrEnum("LearnerName", [*LEARNERS, "auto"])  # type: ignore[misc]  # mypy wants literals
Recipe = StrEnum("Recipe", "stein cyclic rosenblatt62 unit signum")  # the perceptron of one lecture
Order = StrEnum("Order", "cyclic shuffled random")  # in which the rows are shown
_ROW_BY_ROW = ("order", "eta", "margin", "trace")  # parameters of learners that see one row after the other
_DEFAULT_RIDGE = 1.0  # for random features, of which there are many: without one they separate nearly anything


# ------------------------------------------------------------------------------------------------------- the learners


def usual_learner(columns: int, recipe: Recipe | None, parameters: dict[str, Any], scale: bool) -> LearnerName:
    """The learner where none is named: the best of the family on columns as they come (docs/numbers/accuracy.md).

    Logistic regression, which does not depend on units; the averaged perceptron where there are so many columns that
    Newton's method takes long; the perceptron where an option belongs to it.
    """
    from rosenblatt.comparison.choosing import NEWTON_COLUMNS

    of_perceptron = any(parameters.get(name) is not None for name in _ROW_BY_ROW)
    if recipe is not None or scale or of_perceptron or parameters.get("multiclass") == "kesler":
        return LearnerName("perceptron")
    return LearnerName("logistic") if columns <= NEWTON_COLUMNS else LearnerName("averaged")


def make_learner(name: LearnerName, recipe: Recipe | None, parameters: dict[str, Any]) -> "Classifier":
    """The learner with the parameters that were given; a parameter it does not have is refused by its option's name.

    Logistic regression uses Newton's method, or descent where a step or an order is given.
    """
    learner = LEARNERS[name]
    known, usual = learner.kind._get_param_names(), {"fit_intercept": True}
    given = {parameter: value for parameter, value in parameters.items() if value is not None}
    for parameter, value in given.items():
        if parameter not in known and usual.get(parameter) is not value:
            raise ValueError(f"--learner {name.value} knows no --{_option_of(parameter)}: leave that out.")
    if recipe is not None:
        if learner.class_name != "Perceptron":
            why = f"--learner {name.value} has none"
            raise ValueError(f"--recipe is a variant of the perceptron; {why}: leave out one.")
        return rb.Perceptron.from_recipe(recipe.value, **learner.own, **given)  # type: ignore[arg-type]
    if name == "logistic" and {"eta", "order"} & set(given):
        given["mode"] = "incremental"
    return learner.make(**given)


def _seeded(learner: "Classifier", seed: int) -> "Classifier":
    """The learner, with this seed if it draws anything."""
    return learner.set_params(random_state=seed) if "random_state" in learner.get_params() else learner


def _option_of(parameter: str) -> str:
    names = {"max_passes": "passes", "n_jobs": "jobs", "random_state": "seed"}
    return names.get(parameter, parameter.replace("_", "-"))


# ------------------------------------------------------------------------------------------------------------ the fit


@dataclass(frozen=True)
class FitWanted:
    """What the command line says of a fit: the data, the learner, the judges, the model's file."""

    table: TableOptions
    learner: LearnerName | None
    recipe: Recipe | None
    parameters: dict[str, Any]
    scale: bool
    rff: int | None
    cv: int | None
    seed: int
    trace: Path | None
    output: Path
    validation: str | None
    resume: bool
    groups: str | None = None
    related: "npt.NDArray[Any] | None" = None  # the groups, once they are read

    def refuse_contradictions(self) -> None:
        """Refuse what can be refused before a table is read."""
        if self.learner == "auto":
            self._refuse_with_auto()
        if self.rff is not None and self.scale:
            raise ValueError("--rff scales the columns before it makes features of them: leave out --scale.")
        if self.rff is not None and self.trace is not None:
            raise ValueError("--trace records corrections of the rows as they are: leave out that, or --rff.")
        if self.learner not in (None, "auto"):
            self._make(self.learner)
        if self.groups is not None and self.cv is None and self.learner != "auto":
            raise ValueError("--groups keeps rows together while a model is judged: say --cv K, or --learner auto.")

    def _refuse_with_auto(self) -> None:
        """Refuse options that say how one learner learns, where several are compared."""
        if self.scale:
            raise ValueError("--learner auto scales columns for the learners that need it: leave out --scale.")
        known = ("max_passes", "fit_intercept", "class_weight")
        given = [_option_of(name) for name, value in self.parameters.items() if value is not None and name not in known]
        if self.recipe is not None:
            given.append("recipe")
        if given:
            raise ValueError(f"--learner auto knows no --{given[0]}: leave that out, or name a learner.")

    def fit_here(self, every: float) -> "tuple[TableFit, Plan, float, bool]":
        """Learn on this machine, with a checkpoint `every` so many seconds.

        Returns the fit, its plan, the seconds it took, and whether it went on from a checkpoint.
        """
        loaded, related = load_grouped(self.table, self.parameters["fit_intercept"], self.groups, multiclass=True)
        if related is not None:
            return replace(self, groups=None, related=related)._fit_loaded(loaded, every)
        return self._fit_loaded(loaded, every)

    def _fit_loaded(self, loaded: "Table", every: float) -> "tuple[TableFit, Plan, float, bool]":
        """`fit_here` of the rows that were read."""
        from rosenblatt.data.tables import Table
        from rosenblatt.learners.shared.table_fit import TableFit, draw_held_out

        validation = self._validation(loaded)
        several = len(loaded.classes) > 2
        for name, given in (("--trace", self.trace is not None), ("--resume", self.resume)):
            if given and several:
                raise ValueError(f"{name} is for two classes: leave it out, or say --positive CLASS.")
        held_out = draw_held_out(loaded, validation, self.seed) if isinstance(validation, float) else None
        if held_out is not None and (found := _copies(loaded, held_out * 1)):
            note(found.sentence)
        if isinstance(validation, Table) and (said := _learned_too(loaded, validation)):
            note(said)
        plan = self._plan(loaded, slice(None) if held_out is None else ~held_out)
        if plan.scale:
            plan.refuse_scaling(loaded)
        if several:  # one against the rest, or together where the learner can
            fit = TableFit(loaded, plan.model, self.output, validation, before=plan.steps(loaded))
            with waiting(f"learning {len(loaded.classes)} classes"):
                return fit, plan, fit.run_classes(), False
        before = [] if plan.gives_back else plan.steps(loaded)
        same: dict[str, Any] = {"the learner": plan.name, "--validation": self.validation}
        same |= {"--scale": plan.scale or None} | ({"--rff": self.rff, "--seed": self.seed} if self.rff else {})
        fit = TableFit(loaded, plan.model, self.output, validation, self.trace, plan.gives_back, same, before)
        resumed = self._may_begin(fit.checkpoint.path)
        with learning(len(loaded.y)) as progress:
            return fit, plan, fit.run(every, progress), resumed

    def fit_on(self, client: "Client", shard_rows: int | None) -> "tuple[TableFit, Plan, float, bool]":
        """Learn on the workers of a cluster; returns the same as `fit_here`."""
        from rosenblatt.distributed import ShardedTableFit

        name = self.learner or LearnerName("perceptron")
        plan = Plan(self, name, self._make(name), False)
        table = spread(self.table, shard_rows, client, self.parameters["fit_intercept"])
        validation = self._validation(table.loaded)
        if isinstance(validation, float):
            raise ValueError(f"--validation {self.validation}: with --cluster, name a table to judge the model on.")
        fit = ShardedTableFit(table.loaded, table.shards, client, plan.model, self.output, validation)
        resumed = self._may_begin(fit.checkpoint.path)
        with waiting(f"learning on {count(len(table.shards), 'shard')}"):
            return fit, plan, fit.run_on_shards(), resumed

    def _make(self, name: LearnerName) -> "Classifier":
        """The learner of this name with the parameters that were given."""
        given = self.parameters
        if name == "logistic" and self.learner is None and self.rff and given["regularizer"] is None:
            given = given | {"regularizer": _DEFAULT_RIDGE}
        return _seeded(make_learner(name, self.recipe, given), self.seed)

    def _plan(self, loaded: "Table", learned_from: "Selection") -> "Plan":
        """The learner for this table; with `auto` the one that cross-validation chooses."""
        from rosenblatt.data.numbers import as_rows

        for option, given in (("--cv", self.cv), ("--rff", self.rff), ("--learner auto", self.learner == "auto")):
            if given and as_rows(loaded.X).mapped:
                raise ValueError(f"{option} needs the rows in memory, and they are in a store.")
            if not given or option == "--rff":
                continue
            _refuse_common_means(option, loaded)
            if loaded.encoding.counts:
                raise ValueError(f"{option} judges row by row, and --counts has rows in groups: leave out one of them.")
        if self.cv is not None or self.learner == "auto":
            self._refuse_few_rows(loaded, learned_from)
        if self.learner == "auto":
            return self._chosen(loaded, learned_from)
        columns = self.rff or loaded.X.shape[1]
        name = self.learner or usual_learner(columns, self.recipe, self.parameters, self.scale)
        plan = Plan(self, name, self._make(name), self.scale)
        return plan if self.cv is None else plan.cross_validated(loaded, learned_from)

    def _refuse_few_rows(self, loaded: "Table", learned_from: "Selection") -> None:
        """Refuse more folds than a class has rows; the sentence names the class."""
        import numpy as np

        from rosenblatt.comparison.folds import deal, enough_folds
        from rosenblatt.probes.reading import group_numbers

        _, codes, _ = _chosen_rows(loaded, learned_from)
        groups = group_numbers(self.related, len(codes))
        deal(codes, np.array(loaded.classes), self.cv or enough_folds(codes, groups), self.seed, groups)

    def _chosen(self, loaded: "Table", learned_from: "Selection") -> "Plan":
        """The plan of the learner that cross-validation chooses."""
        from rosenblatt.comparison.choosing import choose, family

        common = {name: self.parameters[name] for name in ("max_passes", "fit_intercept", "class_weight")}
        columns = self.rff or loaded.X.shape[1]
        candidates = family(columns, len(loaded.classes), **common, random_state=self.seed)
        X, codes, weights = _chosen_rows(loaded, learned_from)
        with validating() as progress:
            choice = choose(
                X,
                codes,
                folds=self.cv,
                candidates=candidates,
                n_components=self.rff,
                groups=self.related,
                sample_weight=weights,
                random_state=self.seed,
                progress=progress,
            )
        chosen = next(candidate for candidate in candidates if candidate.called == choice.name)
        learner = _seeded(chosen.learner, self.seed)
        scaled = chosen.scaled and self.rff is None  # random features are made of scaled columns anyway
        judged = _judged(choice.results[choice.name], loaded, learned_from)
        return Plan(self, LearnerName(chosen.name), learner, scaled, judged, choice)

    def _validation(self, loaded: "Table") -> "float | Table | None":
        """The part of the rows to be held out, or another table."""
        if self.validation is None:
            return None
        try:
            part = float(self.validation)
        except ValueError:
            return load_alike(replace(self.table, data=self.validation, more=()), loaded.encoding)
        if self.related is not None:
            raise ValueError("--groups goes with --cv, or with a table to judge by: --validation FILE.")
        if not 0 < part < 1:
            why = "a part of the rows lies between 0 and 1; or name a file"
            raise ValueError(f"--validation {self.validation}: {why}.")
        _refuse_common_means("--validation by a part of the rows", loaded)
        return part

    def _may_begin(self, checkpoint: Path) -> bool:
        """Whether there is a checkpoint to go on from; one that nobody asked to resume is not overwritten."""
        outputs.make_ready(checkpoint)
        there = checkpoint.exists()
        if there and not self.resume:
            raise ValueError(
                f"{checkpoint} is there, from a fit that was interrupted: say --resume to go on with it, or delete it "
                f"to begin anew."
            )
        if self.resume and not there:
            note(f"there is no {checkpoint} to resume from: beginning at the beginning.")
        return there


@dataclass(frozen=True)
class Plan:
    """A learner, whether it learns from scaled columns, and what cross-validation says of it."""

    wanted: FitWanted
    name: LearnerName
    model: "Classifier"
    scale: bool
    judged: "CrossValidated | None" = None
    choice: "Choice | None" = None

    def steps(self, loaded: "Table") -> list[Any]:
        """What the rows go through before the learner, not fitted yet."""
        from rosenblatt.comparison.choosing import steps_for

        return steps_for(loaded.X, self.scale, self.wanted.rff, self.model._bias, self.wanted.seed)

    @property
    def gives_back(self) -> bool:
        """Whether two classes' weights for scaled columns become weights for the columns as they are.

        With a penalty they cannot: it would be another penalty.
        """
        return self.scale and self.model._linear and not getattr(self.model, "regularizer", 0)

    def cross_validated(self, loaded: "Table", learned_from: "Selection") -> "Plan":
        """The same plan, judged by cross-validation."""
        from rosenblatt.comparison.folds import cross_validate
        from rosenblatt.models.saving import with_steps

        X, codes, weights = _chosen_rows(loaded, learned_from)
        with validating() as progress:
            result = cross_validate(
                with_steps(self.steps(loaded), self.model),
                X,
                codes,
                folds=self.wanted.cv or 0,
                groups=self.wanted.related,
                sample_weight=weights,
                random_state=self.wanted.seed,
                progress=lambda words, done, of: progress(self.name, done, of),
            )
        return replace(self, judged=_judged(result, loaded, learned_from))

    def refuse_scaling(self, loaded: "Table") -> None:
        """Refuse --scale where it would change nothing, or would need a copy of rows that do not fit in memory."""
        from rosenblatt.data.numbers import as_rows

        if self.name in ("logistic", "least-squares") and not getattr(self.model, "regularizer", 0):
            raise ValueError(f"--learner {self.name} gives the same answers for any units: leave out --scale.")
        if self.wanted.trace is not None:
            raise ValueError("--trace records corrections of the rows as they are: leave out that, or --scale.")
        if as_rows(loaded.X).mapped:
            raise ValueError("--scale needs the rows in memory, and they are in a store: scale the table's columns.")


def _chosen_rows(loaded: "Table", chosen: "Selection") -> tuple[Any, Any, Any]:
    """The chosen rows, the places of their classes, and their weights."""
    from rosenblatt.learners.shared.table_fit import places

    return loaded.X[chosen], places(loaded)[chosen], None if loaded.weights is None else loaded.weights[chosen]


def _judged(found: "CrossValidated", loaded: "Table", chosen: "Selection") -> "CrossValidated":
    """The same, with the copies that the table knows."""
    return replace(found, copies=_copies(loaded, found.answers.folds, chosen))


def _copies(loaded: "Table", side: Any, chosen: "Selection" = slice(None)) -> "Copies":
    """Rows of the table that are on both sides by what was written, not by floats; named as the table names them."""
    import numpy as np

    from rosenblatt.probes.reading import copies

    found = copies(loaded.rows().subset(chosen), side)
    if found.pair is None:
        return found
    first, second = loaded.numbers_of(np.arange(len(loaded.y))[chosen][list(found.pair)])
    return replace(found, pair=(first, second))


def _learned_too(loaded: "Table", judging: "Table") -> str:
    """What is to be said of rows of another table that were learned; "" where there are none."""
    from rosenblatt.probes.reading.copies import between

    found = between(loaded.rows(), judging.rows())
    if found.pair is None:
        return ""
    first, second = loaded.numbers_of(found.pair[:1])[0], judging.numbers_of([found.pair[1] - len(loaded.y)])[0]
    return (
        f"{judging.name} has rows that {loaded.name} has, too: {found.counted} (row {second:,} there is row {first:,} "
        f"here, say). Their answers were learned by heart: judge the model by other rows."
    )


def _refuse_common_means(option: str, loaded: "Table") -> None:
    """Refuse a mean over all rows for missing values, where some of these rows are to judge the model."""
    if any(column.mean is not None for column in loaded.encoding.columns):
        raise ValueError(
            f"{option} judges a model by rows that it knows nothing of, and --missing mean takes the mean of all rows: "
            f"say --missing indicator or drop, or judge it by another table (--validation FILE)."
        )
